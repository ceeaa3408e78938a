"""Rules that explain a partition: decision trees with few conditions and a high fidelity."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.tree import DecisionTreeClassifier

from moo_clustering._arrays import FloatArray, integer, probability
from moo_clustering._data import as_frame, checked_integers
from moo_clustering._messages import distinct_names, message_line, quoted
from moo_clustering.descriptions import ComparedColumns, exact_number, round_between, with_unit

__all__ = ["ClusterRules", "Rule", "RuleSet", "find_rules"]

# Maximum numbers of rows, columns and candidate conditions in the search. Trees are scored on all rows.
_MOST_ROWS, _MOST_COLUMNS, _MOST_CONDITIONS = 2000, 48, 144
_ORDERED = ["number", "date"]
_KINDS = {"number": "numbers", "date": "dates", "truth": "booleans", "term": "booleans", "category": "texts"}


@dataclass(frozen=True)
class Rule:
    """A conjunction of conditions that assigns samples to a cluster.

    Attributes
    ----------
    cluster : int
    name : str
        Cluster name.
    conditions : tuple of str
        At most one condition per column, and one for all terms. Empty if the rule covers all samples.
    n_samples : int
        Number of samples that satisfy the conditions.
    precision : float
        Fraction of these samples that belong to the cluster.
    recall : float
        Fraction of the cluster's samples that satisfy the conditions.
    """

    cluster: int
    name: str
    conditions: tuple[str, ...]
    n_samples: int
    precision: float
    recall: float

    def __str__(self) -> str:
        conditions = " and ".join(self.conditions) or "all samples"
        shares = f"{_percent(self.precision)} correct, {_percent(self.recall)} of the cluster"
        return f"{self.name}: {conditions} ({self.n_samples} sample{'s' * (self.n_samples != 1)}, {shares})"


class RuleSet:
    """Rules that assign every sample to exactly one cluster: the leaves of a decision tree.

    Created by :func:`find_rules`.

    Parameters
    ----------
    table, tree, clusters, names : object
        Table of columns, decision tree, cluster of each sample, and cluster names.

    Attributes
    ----------
    n_conditions : int
        Number of internal nodes of the tree.
    fidelity : float
        Fraction of the clustered samples that the rules assign to the correct cluster.
    rules : tuple of Rule
        Sorted by cluster, then by decreasing number of samples.
    """

    def __init__(self, table: _Table, tree: _Node, clusters: NDArray[np.intp], names: Sequence[str]) -> None:
        self._table, self._tree, self._names = table, tree, list(names)
        inside = clusters >= 0
        assigned = _assign(tree, table.values)
        sizes = np.bincount(clusters[inside])
        self.n_conditions = len(_tests_of(tree))
        self.fidelity = float((assigned == clusters)[inside].mean()) if inside.any() else 1.0
        rules = []
        for cluster, rows, path in _leaves(tree, table.values, np.flatnonzero(inside)):
            right = int((clusters[rows] == cluster).sum())
            conditions = tuple(table.sentences(path))
            shares = right / max(len(rows), 1), right / max(int(sizes[cluster]), 1)
            rules.append(Rule(cluster, names[cluster], conditions, len(rows), *shares))
        self.rules = tuple(sorted(rules, key=lambda rule: (rule.cluster, -rule.n_samples)))
        self._clusters = frozenset(rule.cluster for rule in rules)

    def predict(self, X: Any) -> NDArray[np.intp]:
        """Return the cluster of each sample, shape (n_samples,).

        ``X`` contains the columns that the rules use, in the format of the table that was explained. Missing
        values and unknown categories satisfy no conditions. Raises a ValueError if a column is missing.
        """
        return _assign(self._tree, self._table.read_again(X, _columns_of(self._tree)))

    def to_python(self) -> str:
        """Return the source code of a Python function ``cluster_of(row)``.

        ``row`` maps column names to numbers (hours for durations), strings, booleans or ``pandas.Timestamp``.
        Comments state the fidelity and the cluster names.
        """
        lines = ["def cluster_of(row):", *self._python(self._tree, 1)]
        if any("pd.Timestamp(" in line for line in lines):
            lines = ["import pandas as pd", "", "", *lines]
        return "\n".join([*self._comments("#", "pandas.Timestamp"), *lines, ""])

    def _comments(self, mark: str, form: str) -> Iterator[str]:
        lines = [self._summary()]
        for k, name in enumerate(self._names):
            lines.append(f"{k}: {name}{'' if k in self._clusters else ' (no rule)'}")
        columns = (self._table.columns[place] for place in _columns_of(self._tree))
        if dates := [column.name for column in columns if column.kind == "date"]:
            lines.append(f"dates ({form}): {', '.join(dates)}")
        return (f"{mark} {message_line(line)}" for line in lines)

    def _python(self, node: _Node, depth: int) -> Iterator[str]:
        indent = "    " * depth
        if node.split is None:
            yield f"{indent}return {node.cluster}"
            return
        test, yes, no = node.split
        yield f"{indent}if {self._table.columns[test.column].condition(test, 'python')}:"
        yield from self._python(yes, depth + 1)
        yield from self._python(no, depth)

    def to_sql(self) -> str:
        """Return an SQL ``CASE`` expression after comments that state the fidelity and the cluster names.

        Column names are in double quotes. Dates are ISO strings, which databases convert to the column type.
        Only the days of dates are compared, unless the table's dates have times or a time zone.
        """
        form = "or text such as 2024-01-31, not 31.01.2024"
        return "\n".join([*self._comments("--", form), self._sql(self._tree)])

    def _sql(self, node: _Node) -> str:
        if node.split is None:
            return str(node.cluster)
        test, yes, no = node.split
        condition = self._table.columns[test.column].condition(test, "sql")
        return f"CASE WHEN {condition} THEN {self._sql(yes)} ELSE {self._sql(no)} END"

    def to_spreadsheet(self, columns: Sequence[str], row: int = 2, *, decimal: str = ".") -> str:
        """Return a spreadsheet formula for the cluster number. It works in spreadsheets of any language.

        The formula can be filled down. It ignores the case of texts. If categories differ only in case, it
        uses the English function ``EXACT`` instead. Numbers and dates must not be stored as text. Raises a
        ValueError if a column is missing or ``decimal`` is invalid.

        Parameters
        ----------
        columns : sequence of str
            Names of the sheet's columns A, B, ....
        row : int, default=2
            Sheet row to which the formula refers.
        decimal : {".", ","}, default="."
            Decimal separator of the sheet.
        """
        if decimal not in (".", ","):
            raise ValueError(f"decimal must be '.' or ',', got {quoted(decimal)}")
        cells = {}
        for place in _columns_of(self._tree):
            if (name := self._table.columns[place].name) not in columns:
                raise ValueError(f"the sheet lacks column {name!r}, which the rules use")
            number, letters = list(columns).index(name) + 1, ""
            while number:
                number, rest = divmod(number - 1, 26)
                letters = chr(65 + rest) + letters
            cells[place] = f"${letters}{row}"

        def written(node: _Node) -> str:
            if node.split is None:
                return str(node.cluster)
            test, *branches = node.split
            condition = self._table.columns[test.column].formula(test, cells[test.column], decimal)
            parts = zip((condition, f"(1-{condition})"), map(written, branches), strict=True)
            return f"({'+'.join(f'{factor}*{part}' for factor, part in parts if part != '0') or '0'})"

        return f"={written(self._tree)}"

    def to_frame(self) -> pd.DataFrame:
        """Return a data frame with one row per rule and the attributes of :class:`Rule` as columns."""
        frame = pd.DataFrame([vars(rule) for rule in self.rules], columns=list(Rule.__dataclass_fields__))
        return frame.assign(conditions=frame["conditions"].map(" and ".join))

    def _summary(self) -> str:
        count = f"{self.n_conditions} condition{'' if self.n_conditions == 1 else 's'}"
        return f"{count}, fidelity {_percent(self.fidelity)}"

    def __str__(self) -> str:
        return "\n".join([self._summary(), *map(str, self.rules)])

    def __repr__(self) -> str:
        return f"<RuleSet: n_conditions={self.n_conditions}, fidelity={self.fidelity:.3f}>"

    def _repr_html_(self) -> str:
        return str(self.to_frame().to_html(index=False))


class ClusterRules(Sequence[RuleSet]):
    """Rule sets, from few conditions and a low fidelity to many conditions and a high fidelity.

    Printing shows the rule set that :meth:`select` returns.

    Parameters
    ----------
    rule_sets : sequence of RuleSet
    """

    def __init__(self, rule_sets: Sequence[RuleSet]) -> None:
        self._found = tuple(rule_sets)

    def __getitem__(self, place: Any) -> Any:
        return self._found[place]

    def __len__(self) -> int:
        return len(self._found)

    def select(self, fidelity: float = 0.95) -> RuleSet:
        """Return the shortest rule set with rules for the most clusters and with at least this fidelity.

        If there is no such rule set, returns the rule set with the highest fidelity. Raises a ValueError
        unless ``fidelity`` is between 0 and 1.
        """
        fidelity = probability("fidelity", fidelity)
        most = max(len(each._clusters) for each in self)
        found = (each for each in self if each.fidelity >= fidelity and len(each._clusters) == most)
        return next(found, self._found[-1])

    def to_frame(self) -> pd.DataFrame:
        """Return one row per rule set: conditions, fidelity, and number of clusters that have a rule."""
        rows = [(each.n_conditions, each.fidelity, len(each._clusters)) for each in self]
        return pd.DataFrame(rows, columns=["n_conditions", "fidelity", "n_clusters"])

    def __str__(self) -> str:
        return str(self.select())

    def __repr__(self) -> str:
        front = ", ".join(f"{each.n_conditions}: {each.fidelity:.3f}" for each in self)
        return f"<ClusterRules: fidelity by number of conditions {{{front}}}>"

    def _repr_html_(self) -> str:
        return self.select()._repr_html_()


def find_rules(
    labels: ArrayLike,
    columns: pd.DataFrame | ArrayLike,
    *,
    max_conditions: int | None = None,
    names: Sequence[str] | None = None,
    units: Mapping[str, str] | None = None,
) -> ClusterRules:
    """Explain a partition with decision trees of increasing size.

    Raises a ValueError if a row has no label, if a cluster has no name, or if no sample is in a cluster.

    Parameters
    ----------
    labels : array-like of shape (n_samples,), int
        Clusters 0, 1, ..., or -1 for samples outside all clusters, which are ignored.
    columns : DataFrame or array-like of shape (n_samples, n_columns)
        Numbers, dates, booleans and categories. Missing values do not satisfy any condition.
    max_conditions : int, optional
        Maximum number of conditions. Default: max(7, 2 n_clusters).
    names : sequence of str, optional
        Names of the clusters. Default: ``cluster 0``, ....
    units : mapping of str to str, optional
        Units of the columns.

    Returns
    -------
    ClusterRules
        One rule set for each number of conditions at which the fidelity increases.

    Notes
    -----
    A beam search builds trees from optimal trees of depth two. Then, the conditions of the best trees, and of
    trees grown greedily by scikit-learn, are optimised one at a time. The search uses at most 2,000 rows and
    48 columns, but the fidelity is computed on all rows. Takes O(n_clusters n_conditions^2 n_rows) time:
    about 2 s for 20 clusters and 15 s for 60 clusters. Source: Carreira-Perpinan and Tavallali, "Alternating
    optimization of decision trees, with application to learning sparse oblique trees", NeurIPS 2018.

    Examples
    --------
    >>> import pandas as pd
    >>> from moo_clustering.rules import find_rules
    >>> table = pd.DataFrame({"height": [1.0, 2.0, 30.0, 31.0], "wood": ["soft", "soft", "hard", "soft"]})
    >>> found = find_rules([0, 0, 1, 1], table, names=["shrubs", "trees"], units={"height": "m"})
    >>> print(found)
    1 condition, fidelity 100%
    shrubs: height ≤ 20 m (2 samples, 100% correct, 100% of the cluster)
    trees: height > 20 m (2 samples, 100% correct, 100% of the cluster)
    >>> found[0].predict(pd.DataFrame({"height": [5.0]}))
    array([0])
    """
    return rules_of(labels, columns, None, max_conditions=max_conditions, names=names, units=units)


def rules_of(
    labels: ArrayLike,
    columns: Any,
    read: Callable[[Any], Any] | None,
    *,
    max_conditions: int | None = None,
    names: Sequence[str] | None = None,
    units: Mapping[str, str] | None = None,
    is_terms: bool = False,
) -> ClusterRules:
    """Same as :func:`find_rules`. For predictions, ``read`` converts new samples to a table or array."""
    # If ``is_terms`` is True, each column of booleans indicates whether a term occurs.
    found = checked_integers(labels, "labels", ndim=(1,)).astype(np.intp)
    columns, _ = as_frame(columns)
    columns.columns = distinct_names(columns.columns)
    if len(found) != len(columns):
        raise ValueError(f"labels must have one number per sample, {len(columns)} in all; got {len(found)}")
    found = np.maximum(found, -1)
    if not (found >= 0).any():
        raise ValueError("labels must assign at least one sample to a cluster, got only -1")
    n_clusters = int(found.max()) + 1
    names = [f"cluster {k}" for k in range(n_clusters)] if names is None else list(map(str, names))
    if len(names) < n_clusters:
        raise ValueError(f"names must have one name per cluster, {n_clusters} in all; got {len(names)}")
    n_present = len(np.unique(found[found >= 0]))
    most = max(7, 2 * n_present) if max_conditions is None else integer("max_conditions", max_conditions, 1)
    chosen = columns
    if columns.shape[1] > _MOST_COLUMNS:
        chosen = columns.iloc[:, ComparedColumns(columns).strongest(found, _MOST_COLUMNS)]
    table = _Table(chosen, units or {}, columns.columns, read)
    if is_terms:
        table.columns = [replace(column, kind="term") for column in table.columns]
    rows = _searched_rows(found)
    trees = _Search(table.values[rows], found[rows], table.kinds).trees(most)
    if len(rows) < np.count_nonzero(found >= 0):
        used = sorted({place for tree in trees for place in _columns_of(tree)})
        descent = _Descent(table.values[found >= 0], found[found >= 0], used, table.kinds)
        trees = [
            descent.improve(_pruned(_relabelled(tree, table.values, found)), own_column=True)
            for tree in trees
        ]
    rule_sets = (RuleSet(table, tree, found, names) for tree in trees)
    front: list[RuleSet] = []
    for each in sorted(rule_sets, key=lambda each: (each.n_conditions, -each.fidelity)):
        if not front or each.fidelity > front[-1].fidelity:
            front.append(each)
    # Omit a tree with a single leaf, because it describes only one cluster.
    return ClusterRules(front[1:] if len(front) > 1 and not front[0].n_conditions else front)


@dataclass(frozen=True)
class _Test:
    """Condition on a column. Missing values satisfy no condition."""

    column: int
    sign: str  # "<=" or ">" with a number, or "=" with a category code
    value: float

    def holds(self, values: FloatArray) -> NDArray[np.bool_]:
        own = values[:, self.column]
        if self.sign == "=":
            return np.asarray(own == self.value)
        return np.asarray(own <= self.value if self.sign == "<=" else own > self.value)


@dataclass(frozen=True)
class _Node:
    """Leaf with a cluster, or inner node with a condition and two subtrees.

    The first subtree is for rows that satisfy the condition, and the second for all other rows.
    """

    cluster: int = -1
    split: tuple[_Test, _Node, _Node] | None = None


@dataclass(frozen=True)
class _Column:
    name: str
    kind: str  # "number", "date", "truth", "category", or "term" (whether a term occurs)
    categories: tuple[Any, ...] = ()
    unit: str = ""
    has_missing: bool = False
    zone: Any = None
    has_times: bool = False  # whether dates have a time of day or a time zone

    @classmethod
    def of(cls, name: str, column: pd.Series[Any], unit: str) -> tuple[_Column, FloatArray]:
        # Find the type of the values, such as boolean for a column of booleans and None.
        if column.dtype == object:
            column = column.convert_dtypes()
        known = column.notna().to_numpy()
        numbers, types = np.full(len(column), np.nan), pd.api.types
        has_missing = not bool(known.all())
        if types.is_timedelta64_dtype(column.dtype):
            column, unit = column.dt.total_seconds() / 3600.0, unit or "hours"
        if isinstance(column.dtype, pd.PeriodDtype):
            column = column.dt.to_timestamp()
        if types.is_datetime64_any_dtype(column.dtype):
            zone = getattr(column.dtype, "tz", None)
            numbers[known] = column[known].to_numpy("datetime64[us]").astype(np.int64) / 1e6
            has_times = zone is not None or bool((numbers[known] % 86400.0).any())
            return cls(name, "date", has_missing=has_missing, zone=zone, has_times=has_times), numbers
        if types.is_bool_dtype(column.dtype):
            numbers[known] = column[known].to_numpy(dtype=np.float64)
            return cls(name, "truth", (False, True), has_missing=has_missing), numbers
        if types.is_numeric_dtype(column.dtype) and not types.is_complex_dtype(column.dtype):
            numbers[known] = column[known].to_numpy(dtype=np.float64)
            return cls(name, "number", unit=unit, has_missing=has_missing), numbers
        codes, categories = pd.factorize(column[known].astype(object).map(str), sort=True)
        numbers[known] = codes
        return cls(name, "category", tuple(categories), has_missing=has_missing), numbers

    def numbers(self, column: pd.Series[Any]) -> FloatArray:
        if self.kind != "category":
            other, found = _Column.of(self.name, column, self.unit)
            is_known = other.kind == self.kind or np.isnan(found).all()
            if not is_known and (other.kind == "category" or self.kind not in ("truth", "term")):
                expected, got = _KINDS[self.kind], _KINDS[other.kind]
                raise ValueError(f"column {self.name!r} must contain {expected}, got {got}")
            return found
        places = {category: float(place) for place, category in enumerate(self.categories)}
        # Unknown categories have the code -1, and therefore satisfy no condition.
        pairs = zip(column.astype(object).map(str), column.notna(), strict=True)
        return np.array([places.get(text, -1.0) if is_known else np.nan for text, is_known in pairs])

    def shown(self, value: float) -> str:
        if self.kind == "date":
            return _moment(value, self.zone)
        return with_unit(exact_number(value), self.unit)

    def condition(self, test: _Test, language: str) -> str:
        if language == "python":
            name, equals = f"row[{self.name!r}]", "=="
        else:
            name, equals = '"' + self.name.replace('"', '""') + '"', "="
        if self.kind == "term":
            return f"{name} {'>' if test.value else '<='} 0"
        if language == "sql" and self.kind == "truth":  # PostgreSQL cannot compare booleans with numbers
            return name if test.value else f"NOT {name}"
        if language == "sql" and self.kind == "date" and self.has_times:
            offset = "" if self.zone is None else "+00:00"
            return f"{name} {test.sign} '{_moment(test.value, None, full=True)}{offset}'"
        if language == "sql" and self.kind == "date":
            # Compare with the next day, because the text "2024-01-31 10:00" is larger than "2024-01-31".
            return f"{name} {'<' if test.sign == '<=' else '>='} '{_moment(test.value + 86400.0, None)}'"
        return f"{name} {equals if test.sign == '=' else test.sign} {self._literal(test.value, language)}"

    def formula(self, test: _Test, cell: str, decimal: str) -> str:
        """Return a condition as a factor in a spreadsheet formula."""
        # The factor is 0 for empty cells. In spreadsheets, text and TRUE are larger than all numbers, and an
        # empty cell equals both 0 and "".
        number = f'({cell}<>"")*({cell}<1E+300)'
        if self.kind == "category":
            text = str(self.categories[int(test.value)])
            quoted_text = '"' + text.replace('"', '""') + '"'
            # The operator = ignores case.
            if sum(str(each).casefold() == text.casefold() for each in self.categories) > 1:
                separator = {".": ",", ",": ";"}[decimal]
                return f"EXACT({cell}{separator}{quoted_text})"
            return f'({cell}&""={quoted_text})'
        if self.kind in ("truth", "term"):  # "true" is text unless the sheet's language is English
            holds = f'({number}*({cell}>0)+({cell}=(1=1))+({cell}="true")>0)'
            return holds if test.value else f'({cell}<>"")*(1-{holds})'
        sign, value = test.sign, repr(float(test.value)).removesuffix(".0")
        # Dates are numbers of days. A day without times ends before the next whole number.
        if self.kind == "date":
            whole = 0.0 if self.has_times else 86400.0
            sign = sign if self.has_times else {"<=": "<", ">": ">="}[sign]
            value = repr((test.value + whole) / 86400.0 + 25569.0).removesuffix(".0")
        return f"{number}*({cell}{sign}{value.replace('.', decimal)})"

    def _literal(self, value: float, language: str) -> str:
        if self.kind == "category":
            text = str(self.categories[int(value)])
            return repr(text) if language == "python" else "'" + text.replace("'", "''") + "'"
        if self.kind == "truth":
            return str(bool(value))
        if self.kind == "date":
            text = _moment(value, None, full=True)
            return f'pd.Timestamp("{text}"{"" if self.zone is None else ", tz=" + repr("UTC")})'
        return repr(float(value)).removesuffix(".0")


class _Table:
    """Columns as numbers, shape (n_samples, n_columns). Missing values are NaN.

    ``names`` are the names of all training columns. ``read`` converts new samples to a table or array.
    """

    def __init__(self, frame: pd.DataFrame, units: Mapping[str, str], names: Any, read: Any) -> None:
        found = [_Column.of(str(name), column, units.get(str(name), "")) for name, column in frame.items()]
        self.columns = [column for column, _ in found]
        self.values = np.column_stack([np.empty((len(frame), 0)), *(numbers for _, numbers in found)])
        self.kinds = np.array([column.kind for column in self.columns], dtype=object)
        self._names, self._read = names, read

    def read_again(self, X: Any, needed: Sequence[int]) -> FloatArray:
        found = X if self._read is None else self._read(X)
        frame, labels = as_frame(found)
        if labels is None and not isinstance(found, pd.DataFrame):
            # The columns of an array must be in the same order as in ``fit``.
            if frame.shape[1] != len(self._names):
                raise ValueError(f"X must have {len(self._names)} columns, got shape {frame.shape}")
            frame = frame.set_axis(self._names, axis=1)
        names = distinct_names(frame.columns)
        values = np.full((len(frame), len(self.columns)), np.nan)
        for place in needed:
            column = self.columns[place]
            if column.name not in names:
                raise ValueError(f"the table lacks column {column.name!r}, which the rules use")
            values[:, place] = column.numbers(frame.iloc[:, names.index(column.name)])
        return values

    def sentences(self, path: Sequence[tuple[_Test, bool]]) -> Iterator[str]:
        """Yield a text for the conditions on each column of a path. All term columns share one text."""
        terms: tuple[list[str], list[str]] = [], []
        for place in dict.fromkeys(test.column for test, _ in path):
            tests, column = [each for each in path if each[0].column == place], self.columns[place]
            if column.kind != "term":
                yield self._sentence(column, tests)
            else:
                terms[all((test.value == 1) == holds for test, holds in tests)].append(repr(column.name))
        absent, present = terms
        if present:
            but = f", but {'not' if len(absent) == 1 else 'none of'} {', '.join(absent)}" if absent else ""
            yield f"contains {' and '.join(present)}{but}"
        elif absent:
            yield f"{'does not contain' if len(absent) == 1 else 'contains none of'} {', '.join(absent)}"

    @staticmethod
    def _sentence(column: _Column, path: Sequence[tuple[_Test, bool]]) -> str:
        # Missing values satisfy no condition, so they reach this leaf only through conditions that are false.
        missing = " (or missing)" if column.has_missing and not any(holds for _, holds in path) else ""
        if column.kind in _ORDERED:
            above = [test.value for test, holds in path if (test.sign == ">") == holds]
            upto = [test.value for test, holds in path if (test.sign == ">") != holds]
            if above and upto and max(above) >= min(upto):  # no number satisfies both bounds
                return f"{column.name} is missing"
            if above and upto:
                return f"{column.shown(max(above))} < {column.name} ≤ {column.shown(min(upto))}{missing}"
            bound = f"> {column.shown(max(above))}" if above else f"≤ {column.shown(min(upto))}"
            return f"{column.name} {bound}{missing}"
        excluded = {int(test.value) for test, holds in path if not holds}
        allowed = {int(test.value) for test, holds in path if holds}
        allowed = allowed or {*range(len(column.categories))} - excluded
        if not allowed:
            return f"{column.name} is missing"
        if column.kind == "category":
            is_one = len(allowed) == 1
            named = [str(column.categories[place]) for place in sorted(allowed if is_one else excluded)]
            return f"{column.name} {'is' if is_one else 'is not'} {' or '.join(named)}{missing}"
        return f"{'' if 1 in allowed else 'not '}{column.name}{missing}"


class _Search:
    """Search for trees that predict the labels of rows, with a few hundred candidate conditions."""

    def __init__(self, values: FloatArray, labels: NDArray[np.intp], kinds: NDArray[Any]) -> None:
        inside = labels >= 0
        self._values, classes = values[inside], labels[inside]
        self._clusters, self._labels = np.unique(classes, return_inverse=True)
        self._levels = [np.unique(own[~np.isnan(own)]) for own in self._values.T]
        self._usable = [place for place, levels in enumerate(self._levels) if len(levels) > 1]
        self._kinds = kinds
        self._tests = self._candidates()
        nothing = np.empty((len(self._labels), 0), dtype=bool)
        self._holds = np.column_stack([nothing, *(test.holds(self._values) for test in self._tests)])

    def trees(self, most: int) -> list[_Node]:
        """Return trees with up to ``most`` conditions, from the beam search and from scikit-learn."""
        rows = np.arange(len(self._labels))
        depth = max(3, len(self._clusters))
        descent = _Descent(self._values, self._clusters[self._labels], self._usable, self._kinds)
        found = []
        for starts in ([tree for _, tree in self._front(rows, most + 1, depth, 0)], self._greedy(most + 1)):
            chosen = {round(place) for place in np.linspace(0, max(len(starts) - 1, 0), 24)}
            found += [descent.improve(tree) if at in chosen else tree for at, tree in enumerate(starts)]
        return found

    def _greedy(self, most: int) -> list[_Node]:
        """Return scikit-learn trees with 2 to ``most`` leaves, which the coordinate descent improves."""
        numeric = [place for place in self._usable if self._kinds[place] in _ORDERED]
        equal = [place for place, test in enumerate(self._tests) if test.sign == "="]
        if not numeric + equal:
            return []
        # Replace values by their ranks, because scikit-learn's thresholds have only single precision.
        pairs = [(self._levels[place], self._values[:, place]) for place in numeric]
        codes = [np.where(np.isnan(own), np.nan, np.searchsorted(levels, own)) for levels, own in pairs]
        X = np.column_stack([*codes, *self._holds[:, equal].T])

        def convert(tree: Any, node: int) -> _Node:
            column = int(tree.feature[node])
            if column < 0:
                return _Node(int(self._clusters[tree.value[node, 0].argmax()]))
            left, right = (convert(tree, int(one[node])) for one in (tree.children_left, tree.children_right))
            if column >= len(numeric):
                return _Node(split=(self._tests[equal[column - len(numeric)]], right, left))
            place, cut = numeric[column], tree.threshold[node]
            levels = self._levels[place]
            # An infinite threshold separates missing values from all other values.
            low = int(np.clip(np.floor(cut), 0, len(levels) - 1)) if np.isfinite(cut) else len(levels) - 1
            value = float(levels[-1])
            if low + 1 < len(levels):
                value = round_between(levels[low], levels[low + 1], self._kinds[place])
            if tree.missing_go_to_left[node] and np.isfinite(cut):
                return _Node(split=(_Test(place, ">", value), right, left))
            left, right = (right, left) if cut == -np.inf else (left, right)
            return _Node(split=(_Test(place, "<=", value), left, right))

        found = []
        for n_leaves in range(2, most + 1):
            model = DecisionTreeClassifier(max_leaf_nodes=n_leaves, random_state=0).fit(X, self._labels)
            if model.tree_.n_leaves < n_leaves:
                break
            found.append(convert(model.tree_, 0))
        return found

    def _candidates(self) -> list[_Test]:
        """Return candidate conditions. Those on categories come first, and then cuts by decreasing gap."""
        found: list[tuple[float, _Test]] = []
        each = max(4, _MOST_CONDITIONS // max(len(self._usable), 1))
        for place in self._usable:
            own, different = self._values[:, place], self._levels[place]
            known = ~np.isnan(own)
            if self._kinds[place] not in _ORDERED:
                counts = pd.Series(own[known]).value_counts().head(each)
                found += [(1.0, _Test(place, "=", float(value))) for value in sorted(counts.index)]
                continue
            cuts = self._cuts(own[known], different, self._labels[known], each)
            gaps = _relative(different[cuts], different[cuts + 1], different[0], different[-1])
            for cut, gap in zip(cuts.tolist(), gaps.tolist(), strict=True):
                value = round_between(different[cut], different[cut + 1], self._kinds[place])
                found.append((gap, _Test(place, "<=", value)))
                if not known.all():
                    found.append((gap, _Test(place, ">", value)))
        return [test for _, test in sorted(found, key=lambda pair: -pair[0])]

    @staticmethod
    def _cuts(
        own: FloatArray, different: FloatArray, labels: NDArray[np.intp], most: int
    ) -> NDArray[np.intp]:
        """Return the positions of values in ``different`` after which the column is cut."""
        # If there are more than ``most`` positions, select the cuts of a decision tree and quantiles.
        if len(different) - 1 <= most:
            return np.arange(len(different) - 1)
        # Replace values by their positions, because the tree's thresholds have only single precision.
        places, limits = np.searchsorted(different, own), {"max_leaf_nodes": max(3, most * 2 // 3)}
        tree = DecisionTreeClassifier(criterion="entropy", random_state=0, **limits)
        inner = tree.fit(places[:, None], labels).tree_
        cuts = np.floor(inner.threshold[inner.feature >= 0]).astype(np.intp)
        quantiles = np.quantile(places, np.linspace(0, 1, most // 3 + 2)[1:-1]).astype(np.intp)
        return np.unique(np.clip(np.concatenate([cuts, quantiles]), 0, len(different) - 2))

    def _front(self, rows: NDArray[np.intp], most: int, depth: int, level: int) -> list[tuple[int, _Node]]:
        """Return the best trees with 1, 2, ... leaves, each with its number of correct rows."""
        # The list ends when this number no longer increases.
        counts = np.bincount(self._labels[rows], minlength=len(self._clusters))
        leaf = _Node(int(self._clusters[counts.argmax()]))
        found = [(int(counts.max()), leaf)]
        if most == 1 or counts.max() == len(rows):
            return found
        here = self._holds[rows]
        differs = np.flatnonzero(here.any(axis=0) & ~here.all(axis=0))
        if not len(differs):
            return found
        here = here[:, differs]
        exact, roots = self._depth_two(rows, here, differs, min(most, 4))
        found = _better(found + exact)
        if depth <= 2 or most <= 2 or found[-1][0] == len(rows):
            return found
        # Maximum number of conditions that are tried at the root, at its children, and at each lower node.
        width = (4, 2, 1)[min(level, 2)]
        gains = self._gains(rows, here)
        order = np.argsort(-np.round(gains, 9), kind="stable")[:width].tolist()
        for place in list(dict.fromkeys([order[0], roots[-1], *order]))[:width]:
            inside = here[:, place]
            fronts = [self._front(rows[side], most - 1, depth - 1, level + 1) for side in (inside, ~inside)]
            test = self._tests[differs[place]]
            best = dict(enumerate(found, 1))
            for (a, (right, yes)), (b, (also, no)) in product(*(enumerate(front, 1) for front in fronts)):
                if a + b <= most and right + also > best.get(a + b, (0, leaf))[0]:
                    best[a + b] = right + also, _Node(split=(test, yes, no))
            found = _better([best.get(n_leaves, (0, leaf)) for n_leaves in range(1, max(best) + 1)])
        return found

    def _gains(self, rows: NDArray[np.intp], here: NDArray[np.bool_]) -> FloatArray:
        indicators = np.eye(len(self._clusters), dtype=np.float32)[self._labels[rows]]
        inside = (indicators.T @ here.astype(np.float32)).astype(np.float64)
        outside = indicators.sum(axis=0)[:, None] - inside

        def entropy(counts: FloatArray) -> FloatArray:
            total = counts.sum(axis=0)
            terms = np.where(counts > 0, counts * np.log(np.maximum(counts, 1)), 0.0).sum(axis=0)
            return np.asarray(total * np.log(np.maximum(total, 1)) - terms)

        return -(entropy(inside) + entropy(outside))

    def _depth_two(
        self, rows: NDArray[np.intp], here: NDArray[np.bool_], differs: NDArray[np.intp], most: int
    ) -> tuple[list[tuple[int, _Node]], list[int]]:
        """Return the best trees of depth two with 2 to ``most`` leaves, and the positions of their roots."""
        n, labels = here.shape[1], self._labels[rows]
        # Size of the largest cluster in each part. Two conditions divide the rows into four parts, and one
        # condition divides them into two.
        quarters, halves = np.zeros((4, n, n), dtype=np.float32), np.zeros((2, n), dtype=np.float32)
        for label in np.unique(labels).tolist():
            own = here[labels == label].astype(np.float32)
            both, single, total = own.T @ own, own.sum(axis=0), float(len(own))
            only_first, only_second = single[:, None] - both, single[None, :] - both
            neither = total - both - only_first - only_second
            np.maximum(quarters, np.stack([both, only_first, only_second, neither]), out=quarters)
            np.maximum(halves, np.stack([single, total - single]), out=halves)
        # For each first condition, find the best second condition for the rows that satisfy the first
        # condition, and for all other rows.
        sums = quarters[0] + quarters[1], quarters[2] + quarters[3]
        second, split = [each.argmax(axis=1) for each in sums], [each.max(axis=1) for each in sums]

        def leaf(part: NDArray[np.bool_]) -> _Node:
            return _Node(int(self._clusters[np.bincount(labels[part], minlength=1).argmax()]))

        def branch(root: int, side: int, is_split: bool) -> _Node:
            part = here[:, root] ^ bool(side)
            if not is_split:
                return leaf(part)
            place = int(second[side][root])
            holds = here[:, place]
            return _Node(split=(self._tests[differs[place]], leaf(part & holds), leaf(part & ~holds)))

        found, roots = [], []
        forms = [(False, False), (True, False), (False, True), (True, True)]
        for form in forms[: {2: 1, 3: 3, 4: 4}[most]]:
            total = sum(split[side] if form[side] else halves[side] for side in (0, 1))
            root = int(np.argmax(total))
            yes, no = (branch(root, side, form[side]) for side in (0, 1))
            found.append((round(float(total[root])), _Node(split=(self._tests[differs[root]], yes, no))))
            roots.append(root)
        pairs: list[tuple[int, _Node]] = [found[0]]
        if most > 2:
            pairs.append(max(found[1], found[2], key=lambda pair: pair[0]))
        return pairs + found[3:], list(dict.fromkeys(roots[1:] or roots))


class _Descent:
    """Coordinate descent that optimises the conditions of a tree one at a time."""

    # Each distinct value in a column has a code. The codes of a column follow those of the previous column. A
    # missing value has the last code of its column.

    def __init__(
        self, values: FloatArray, labels: NDArray[np.intp], columns: Sequence[int], kinds: NDArray[Any]
    ) -> None:
        self._values, self._labels, self._columns = values, labels, np.array(columns, dtype=np.intp)
        levels, codes = [], np.empty((len(values), len(columns)), dtype=np.intp)
        for to, place in enumerate(columns):
            different, code = np.unique(values[:, place], return_inverse=True)
            levels.append(different)
            codes[:, to] = code
        sizes = np.array([len(each) for each in levels], dtype=np.intp)
        self._starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.intp)
        self._codes, self._levels = codes + self._starts[:-1], np.concatenate([np.empty(0), *levels])
        self._column_of = np.repeat(np.arange(len(columns)), sizes)
        self._kinds = kinds
        is_category = ~np.isin(kinds[self._columns], _ORDERED)[self._column_of]
        known = ~np.isnan(self._levels)
        following = np.append(self._levels[1:], np.nan)
        # There is no cut between the last value of a column and the first value of the next column.
        following[self._starts[1:] - 1] = np.nan
        self._is_cut = ~np.isnan(following) & known & ~is_category
        self._is_value, self._is_known = known & is_category, known
        # If cuts classify the same number of rows correctly, prefer the cut in the widest gap.
        ends = np.array([(each[0], np.nanmax(each)) for each in levels]).reshape(-1, 2)
        first, last = ends[self._column_of].T
        self._bonus = 1e-6 * _relative(self._levels, following, first, last)

    def improve(self, tree: _Node, *, own_column: bool = False) -> _Node:
        """Optimise the conditions while this adds correct rows. With ``own_column``, keep their columns."""
        right = self._n_right(tree)
        for _ in range(4):
            changed = _pruned(self._optimised(tree, np.arange(len(self._labels)), own_column))
            now = self._n_right(changed)
            if now <= right:
                break
            tree, right = changed, now
        return tree

    def _n_right(self, tree: _Node) -> int:
        return int((_assign(tree, self._values) == self._labels).sum())

    def _optimised(self, node: _Node, rows: NDArray[np.intp], own_column: bool) -> _Node:
        if node.split is None or not len(rows):
            return node
        test, yes, no = node.split
        truth, values = self._labels[rows], self._values[rows]
        gain = (_assign(yes, values) == truth).astype(np.float64) - (_assign(no, values) == truth)
        test = self._best(rows, gain, test, test.column if own_column else None)
        holds = test.holds(values)
        yes = self._optimised(yes, rows[holds], own_column)
        return _Node(split=(test, yes, self._optimised(no, rows[~holds], own_column)))

    def _best(self, rows: NDArray[np.intp], gain: FloatArray, test: _Test, column: int | None) -> _Test:
        """Return the condition with the largest total gain of its rows, or ``test`` if none is better."""
        first_column, last_column = 0, len(self._columns)
        if column is not None:
            first_column = int(np.flatnonzero(self._columns == column)[0])
            last_column = first_column + 1
        here = slice(int(self._starts[first_column]), int(self._starts[last_column]))
        codes = self._codes[rows, first_column:last_column] - here.start
        gains = np.repeat(gain, codes.shape[1])
        totals = np.bincount(codes.reshape(-1), weights=gains, minlength=here.stop - here.start)
        totals *= self._is_known[here]
        # Gains are integers, so their sums are exact.
        sums = np.concatenate([[0.0], np.cumsum(totals)])
        column_of = self._column_of[here]
        first, last = self._starts[column_of] - here.start, self._starts[column_of + 1] - here.start
        below = sums[1:] - sums[first]
        above = sums[last] - sums[first] - below
        best, found = float(gain[test.holds(self._values[rows])].sum()) + 0.5, test
        for sign, scores, possible in (
            ("<=", below, self._is_cut[here]),
            (">", above, self._is_cut[here]),
            ("=", totals, self._is_value[here]),
        ):
            scores = np.where(possible, scores + self._bonus[here], -np.inf)
            if len(scores) and scores.max() > best:
                place = int(scores.argmax())
                best, to = float(scores[place]), int(self._columns[column_of[place]])
                found = _Test(to, sign, float(self._levels[here][place]))
        if found is test or found.sign == "=":
            return found
        own = self._values[rows, found.column]
        low, high = own[own <= found.value], own[own > found.value]
        if not (len(low) and len(high)):
            return found
        kind = self._kinds[found.column]
        return replace(found, value=round_between(float(low.max()), float(high.min()), kind))


def _better(found: Sequence[tuple[int, _Node]]) -> list[tuple[int, _Node]]:
    """Return the best trees with at most 1, 2, ... leaves, ending with the last improvement."""
    best: list[tuple[int, _Node]] = []
    for pair in found:
        best.append(pair if not best or pair[0] > best[-1][0] else best[-1])
    while len(best) > 1 and best[-1][0] == best[-2][0]:
        best.pop()
    return best


def _leaves(
    tree: _Node, values: FloatArray, rows: NDArray[np.intp], path: tuple[tuple[_Test, bool], ...] = ()
) -> Iterator[tuple[int, NDArray[np.intp], Sequence[tuple[_Test, bool]]]]:
    if tree.split is None:
        yield tree.cluster, rows, path
        return
    test, yes, no = tree.split
    holds = test.holds(values[rows])
    yield from _leaves(yes, values, rows[holds], (*path, (test, True)))
    yield from _leaves(no, values, rows[~holds], (*path, (test, False)))


def _assign(tree: _Node, values: FloatArray) -> NDArray[np.intp]:
    found = np.empty(len(values), dtype=np.intp)
    for cluster, rows, _ in _leaves(tree, values, np.arange(len(values))):
        found[rows] = cluster
    return found


def _relabelled(node: _Node, values: FloatArray, labels: NDArray[np.intp]) -> _Node:
    """Label each leaf with the majority cluster of all its rows, including rows not used in the search."""
    if node.split is None:
        own = labels[labels >= 0]
        return _Node(int(np.bincount(own).argmax())) if len(own) else node
    test, yes, no = node.split
    holds = test.holds(values)
    yes = _relabelled(yes, values[holds], labels[holds])
    return _Node(split=(test, yes, _relabelled(no, values[~holds], labels[~holds])))


def _pruned(node: _Node) -> _Node:
    """Drop conditions whose two branches are leaves of the same cluster."""
    if node.split is None:
        return node
    test, yes, no = node.split
    yes, no = _pruned(yes), _pruned(no)
    return yes if yes.split is None and yes == no else _Node(split=(test, yes, no))


def _columns_of(tree: _Node) -> list[int]:
    return sorted({test.column for test in _tests_of(tree)})


def _tests_of(tree: _Node) -> list[_Test]:
    if tree.split is None:
        return []
    test, yes, no = tree.split
    return [test, *_tests_of(yes), *_tests_of(no)]


def _searched_rows(labels: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return all rows in clusters or, if there are many, a sample with at least 20 rows per cluster."""
    inside = np.flatnonzero(labels >= 0)
    if len(inside) <= _MOST_ROWS:
        return inside
    drawn = np.random.default_rng(0).permutation(inside)
    order = drawn[np.argsort(labels[drawn], kind="stable")]
    place = np.arange(len(order)) - np.searchsorted(labels[order], labels[order])
    sizes = np.bincount(labels[inside])
    share = np.maximum(20, np.ceil(sizes * (_MOST_ROWS / len(inside))))
    return np.sort(order[place < share[labels[order]]])


def _relative(low: FloatArray, high: FloatArray, first: Any, last: Any) -> FloatArray:
    """Return the gaps between numbers as fractions of the column's range."""
    with np.errstate(all="ignore"):
        found = (high / 2.0 - low / 2.0) / (last / 2.0 - first / 2.0)
    return np.clip(np.nan_to_num(found, nan=0.0, posinf=1.0), 0.0, 1.0)


def _moment(seconds: float, zone: Any, *, full: bool = False) -> str:
    moment = pd.Timestamp(round(seconds * 1e6), unit="us")
    text = moment.isoformat(sep=" ") if full or moment != moment.normalize() else f"{moment:%Y-%m-%d}"
    return text if zone is None else f"{text} UTC"


def _percent(share: float) -> str:
    """Format a share as a percentage, which is 100 only for a share of 1 and 0 only for a share of 0."""
    is_whole = share in (0.0, 1.0) or 0.005 <= share < 0.995
    return f"{100 * share:.0f}%" if is_whole else f"{min(max(100 * share, 0.1), 99.9):.1f}%"
