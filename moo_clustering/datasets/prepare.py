"""Features from columns of any kind: ``prepare_table`` reads numbers, dates, units and categories.

Columns with few values are weighted by their association with other columns. Missing cells are filled from
the nearest rows.
"""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.stats import chi2

from moo_clustering._messages import quoted
from moo_clustering.datasets import files
from moo_clustering.datasets.files import written

Kind = Literal["number", "truth", "date", "category", "out"]
# Words for missing values; the second set only among numbers.
_MISSING = {"", "na", "n/a", "nan", "null", "?", "#n/a", "<na>"}
_NO_NUMBER = _MISSING | {"none", "-", "--", ".", "missing", "unknown", "k.a.", "keine angabe"}
_ID = re.compile(
    r"id|.*[_ .-]id|id[_ .-].*|.*ID|.*Id|index|row|rownames|row[_ .-]?(nr|no|number)|uuid|key", re.A
)
_FEW, _MOST = 20, 100
_MOST_MISSING = 0.5
_WORDS = 4
Convention = Literal["plain", "comma", "point", "ambiguous", "none"]
_COMMA = re.compile(r"[+-]?(\d{1,3}(\.\d{3})+|\d+)(,\d+)?", re.ASCII)
_POINT = re.compile(r"[+-]?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?", re.ASCII)
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3})+", re.ASCII)
_SPACED = re.compile(r"(?<=\d)[ '\u00a0\u202f](?=\d{3}(\D|$))", re.ASCII)
# A column of many different numbers may contain a few other cells.
_SHARE, _DIFFERENT = 0.9, 10
_FORMATS = (
    "ISO8601", "%Y/%m/%d", "%d.%m.%Y", "%d.%m.%y", "%d.%m.%Y %H:%M", "%d.%m.%Y %H:%M:%S",
    "%d/%m/%Y", "%m/%d/%Y", "%d/%m/%Y %H:%M", "%m/%d/%Y %H:%M", "%d-%m-%Y", "%m-%d-%Y",
)  # fmt: skip
# A currency before the number, or a short unit after it. A prefix of letters would match names.
_MEASURE = re.compile(
    r"(?P<before>[$€£¥]|EUR|USD|GBP|CHF)?\s*"
    r"(?P<number>[+-]?[\d.,]*\d(?:[ '\u00a0\u202f]\d{3})*(?:[.,]\d+)?(?:[eE][+-]?\d+)?)"
    r"\s*(?P<after>[^\d\s.,+'-]{1,6})?"
)
_TIME = re.compile(
    r"(?P<hour>\d{1,3}):(?P<minute>[0-5]\d)(:(?P<second>[0-5]\d(\.\d+)?))?(\s*(?P<half>[ap])\.?m\.?)?",
    re.ASCII | re.IGNORECASE,
)
# Durations in the notation of Python, pandas and ISO 8601, which begin with days or P.
_DURATION = re.compile(r"-?(\d+ days?,? [-+]?\d+:\d\d:\d\d(\.\d+)?|P(?=T?\d)[\dDTHMS.]+)", re.ASCII)
# Quarters and weeks in the notation of pandas, converted to their first day.
_QUARTER = re.compile(r"(\d{4})Q([1-4])", re.ASCII)
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_WEEK = re.compile(r"(\d{4}-\d\d-\d\d)/\d{4}-\d\d-\d\d", re.ASCII)
_FRACTION = re.compile(r"[+-]?\d{1,300}(/\d{1,300})?", re.ASCII)
_BRACKETED = re.compile(r"\(\s*([^()-]+?)\s*\)")
_BEFORE_SIGN = re.compile(r"^([+-])\s*([$€£¥]|EUR|USD|GBP|CHF)\s*")
_SHOWN = 8
# Bins of a continuous column for associations. Numbers of at most _FEW different values are discrete: their
# values form clusters, as those of categories do.
_BINS = 8
# Significance level of an association, before correction for the number of other columns.
_LEVEL = 0.01
# With fewer rows, hardly any association is significant.
_LEAST_ROWS = 40
# Values this many interquartile ranges beyond the quartiles do not influence the scale, up to this share.
_BEYOND, _MOST_BEYOND = 10.0, 0.05
# Number of rows that fill a missing cell. With one other column, near rows may belong to different clusters,
# and their mean to none of them.
_DONORS, _DONORS_OF_TWO = 5, 1
# Rows that are searched for neighbours and splits; rows of associations; products of rows computed at once.
_MOST_DONORS, _MOST_COUNTED, _PRODUCTS = 2_000, 10_000, 4_000_000
# A column accounts for the best split if its share is at least _EXPLAINED, and the shares of at least _OTHERS
# other columns are at most _UNEXPLAINED.
_EXPLAINED, _UNEXPLAINED, _OTHERS = 0.8, 0.1, 2
# Smallest association between missing cells and clusters, and smallest number of missing cells, to report.
_FOLLOWS, _FEW_MISSING = 0.3, 5
_CLASSES = {"class", "classes", "label", "labels", "target", "targets", "klasse", "cluster"}


@dataclass(frozen=True, eq=False)
class PreparedTable:
    """Features computed from a table.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features), float64
        Features without missing values.
    feature_names : tuple of str
        Column names, and ``column=value`` for the indicators of categories.
    notes : tuple of str
        Description of the preparation, one line per kind of step.
    columns : DataFrame of shape (n_samples, n_columns)
        Columns that became features, with filled cells: float64, datetime64 or text.
    category_names : tuple of str
        Names of the categorical ``columns``.
    weights : tuple of float
        Total variance of the features of each of the ``columns``, unless ``scale="none"``.
    missing : DataFrame of shape (n_samples, n_columns), bool
        Mask of the filled cells of ``columns``.
    """

    X: NDArray[np.float64]
    feature_names: tuple[str, ...]
    notes: tuple[str, ...]
    columns: pd.DataFrame
    category_names: tuple[str, ...] = ()
    weights: tuple[float, ...] = ()
    missing: pd.DataFrame = field(default_factory=pd.DataFrame)

    def following_missing(self, labels: ArrayLike) -> tuple[str, ...]:
        """Names of the columns whose missing cells are associated with the clusters, strongest first.

        Such clusters may reflect how the table was filled in rather than the samples.

        Parameters
        ----------
        labels : array-like of shape (n_samples,), int

        Returns
        -------
        tuple of str
            Columns with at least five missing cells whose Cramer's V with the clusters is at least .3, and
            significant at .01 after correction for the number of columns.
        """
        return following_missing(self.missing, labels)


def prepare_table(
    frame: pd.DataFrame,
    *,
    scale: Literal["equal", "none"] = "equal",
    weights: Literal["dependence", "equal"] = "dependence",
    missing: Literal["neighbors", "median"] = "neighbors",
) -> PreparedTable:
    """Compute features from the numbers, booleans, dates and categories of a table.

    Cells of any type are parsed like text in a CSV file. Numbers may have decimal commas, units or brackets
    for a minus; fractions, times of day and durations (in hours), dates and periods are recognised, and so
    are words for missing values (NA, n/a, null, ?). Numerals with leading zeros (01000), with exponents of
    several digits (2004E205) and integers that float64 cannot distinguish are codes, hence categories.
    Booleans become 0 and 1, dates become days, and categories one indicator per value (a single one for two
    values).

    Columns are dropped if they are constant, mostly empty, number the rows, contain nearly only unique texts,
    or have ambiguous commas, or ambiguous days and months.

    Parameters
    ----------
    frame : DataFrame of shape (n_samples, n_columns)
        At least two rows. The index is not used.
    scale : {"equal", "none"}, default="equal"
        ``"equal"``: every column has a total variance of 1, or of its weight; all indicators of a category
        are scaled by one factor. ``"none"``: raw numbers, indicators 0 and 1.
    weights : {"dependence", "equal"}, default="dependence"
        Weights of columns with at most 20 different values, with ``scale="equal"``: their greatest
        association with another column, see Notes, or 1. The weights are 1 with fewer than 40 rows.
    missing : {"neighbors", "median"}, default="neighbors"
        Fill missing cells with the mean (or mode) of the five nearest rows that have the value, or with the
        median (or mode) of the column, which makes a cluster of the filled rows.

    Returns
    -------
    PreparedTable

    Raises
    ------
    DataError
        If there are fewer than two rows, duplicate column names, or no usable columns.

    Warns
    -----
    UserWarning
        If the strongest split into two clusters is that of a single column, which the warning names.

    Notes
    -----
    The values of a discrete column form clusters in any table, so one irrelevant column could determine the
    partition. Its weight is therefore the greatest bias-corrected Cramer's V, from 0 to 1, with another
    column (continuous numbers in eight bins of equal counts). A column without an association above chance
    (chi-square test at .01 divided by the number of other columns) is dropped, unless all columns are like
    it.

    With at least 40 rows, values beyond the quartiles by ten interquartile ranges do not influence the scale,
    unless they are more than 5 %. Distances between rows use the columns that both have; in tables of up to
    two columns a single row fills a cell.

    O(cells + n_samples n_features) time and memory, O(n_values^2 n_samples) time for the association of
    columns with n_values different values in total, and O(n_incomplete min(n_samples, 2000) n_features) to
    fill n_incomplete rows. In longer tables, 2,000 rows fill all others and 10,000 rows determine the
    associations, drawn with a fixed seed. Pass scaled features to estimators that do not scale again, such as
    ``ParetoClustering(scale="none")``. ``benchmarks/quality_tables.py`` measures the effect of the defaults.

    References
    ----------
    W. Bergsma, A bias-correction for Cramer's V and Tschuprow's T, Journal of the Korean Statistical
    Society 42 (2013). O. Troyanskaya et al., Missing value estimation methods for DNA microarrays,
    Bioinformatics 17 (2001).

    Examples
    --------
    >>> import pandas as pd
    >>> from moo_clustering.datasets import prepare_table
    >>> table = prepare_table(pd.DataFrame({"size": ["1,5", "2,5", "", "3,5"], "kind": ["a", "b", "a", "b"]}))
    >>> table.feature_names
    ('size', 'kind=b')
    >>> table.X.var(axis=0).tolist()
    [1.0, 1.0]
    """
    import pandas as pd

    for name, value, known in (
        ("scale", scale, ("equal", "none")),
        ("weights", weights, ("dependence", "equal")),
        ("missing", missing, ("neighbors", "median")),
    ):
        if value not in known:
            raise ValueError(f"{name} must be {known[0]!r} or {known[1]!r}, got {quoted(value)}")
    frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
    if not frame.columns.is_unique:
        raise files.DataError(
            f"the table has two columns named {frame.columns[frame.columns.duplicated()][0]!r}"
        )
    if len(frame) < 2:
        rows = f"{len(frame)} row{'' if len(frame) == 1 else 's'}"
        raise files.DataError(f"the table has {rows}, and clusters are made of at least two")
    read = [_read(name, frame[name]) for name in frame.columns]
    written = {column.convention for column in read}
    judged = [_judge(_settled(column, written)) for column in read]
    used = [column for column in judged if column.kind != "out"]
    if not used:
        _refuse(judged)
    shares = np.ones(len(used))
    if scale == "equal" and weights == "dependence":
        shares = dependence_weights(used)
    dropped = [column.name for column, share in zip(used, shares, strict=True) if share == 0.0]
    used = [column for column, share in zip(used, shares, strict=True) if share > 0.0]
    shares = shares[shares > 0.0]
    is_known = np.column_stack([pd.notna(column.values) for column in used])
    filled = [_filled(column) for column in used]
    if missing == "neighbors":
        filled = _filled_by_neighbors(used, is_known, filled, shares)
    blocks, names = [], []
    for column, values, share in zip(used, filled, shares, strict=True):
        block, block_names = _features(column, values, scale == "equal")
        blocks.append(block * np.sqrt(share))
        names += block_names
    if scale == "equal":
        _warn_of_split(blocks, [column.name for column in used])
    categories = tuple(column.name for column in used if column.kind == "category")
    widths = {c.name: block.shape[1] for c, block in zip(used, blocks, strict=True)}
    n_indicators = sum(widths[name] for name in categories)
    notes = (
        *left_out_notes(judged),
        *independence_notes(dropped),
        *reading_notes(used, n_indicators),
        *filled_notes(used, is_known, missing),
        *class_notes(used),
    )
    owners = [column.name for column in used]
    # Store texts as objects, not in the string type of pandas.
    columns = [pd.Series(each, dtype=object) if each.dtype == object else each for each in filled]
    return PreparedTable(
        np.column_stack(blocks),
        tuple(names),
        notes,
        pd.DataFrame(dict(zip(owners, columns, strict=True))),
        categories,
        tuple(shares.tolist()),
        pd.DataFrame(~is_known, columns=owners),
    )


def following_missing(missing: pd.DataFrame, labels: ArrayLike) -> tuple[str, ...]:
    """Columns whose missing cells are associated with the clusters, strongest first.

    See :meth:`PreparedTable.following_missing`.
    """
    clusters = np.unique(np.asarray(labels), return_inverse=True)[1].reshape(-1)
    empty = [str(name) for name in missing.columns[missing.to_numpy().sum(axis=0) >= _FEW_MISSING]]
    found: dict[str, float] = {}
    for name in empty:
        table = np.zeros((clusters.max() + 1, 2))
        np.add.at(table, (clusters, missing[name].to_numpy().astype(np.intp)), 1.0)
        strength, p_value = _association(table)
        if p_value < _LEVEL / len(empty) and strength >= _FOLLOWS:
            found[name] = strength
    return tuple(sorted(found, key=lambda name: -found[name]))


def dependence_weights(columns: Sequence[Column]) -> NDArray[np.float64]:
    """Weight of every column, from 0 to 1: 1 for continuous numbers, otherwise its greatest association.

    All weights are 1 for fewer than 40 rows, or if no weight would be positive.
    """
    weights = np.ones(len(columns))
    if len(columns) == 1 or len(columns[0].values) < _LEAST_ROWS:
        return weights
    discrete = [column.kind == "category" or pd.Series(column.values).nunique() <= _FEW for column in columns]
    if not any(discrete):
        return weights
    rows = _some_rows(len(columns[0].values), _MOST_COUNTED)
    indicators = [_indicators(replace(column, values=column.values[rows])) for column in columns]
    ends = np.cumsum([block.shape[1] for block in indicators])
    spans = [slice(end - block.shape[1], end) for end, block in zip(ends, indicators, strict=True)]
    everything = np.hstack(indicators)
    for at in np.flatnonzero(discrete):
        # Counts of pairs of values; cells that are missing count in none.
        counts = indicators[at].T @ everything
        found = [_association(counts[:, span]) for other, span in enumerate(spans) if other != at]
        level = _LEVEL / len(found)
        weights[at] = max((strength for strength, p_value in found if p_value < level), default=0.0)
    return weights if weights.any() else np.ones(len(columns))


def _some_rows(n: int, most: int) -> NDArray[np.intp]:
    """Numbers of all rows, or of a random sample with a fixed seed, in ascending order."""
    if n <= most:
        return np.arange(n)
    return np.sort(np.random.default_rng(0).choice(n, most, replace=False))


def _indicators(column: Column) -> NDArray[np.float64]:
    """Indicators of the values, or of bins of equal counts, shape (n_samples, n_different)."""
    known = pd.notna(column.values)
    different, codes = np.unique(column.values[known], return_inverse=True)
    if column.kind != "category" and len(different) > _FEW:
        # Ranks, so that huge numbers and dates are cut alike.
        first = np.cumsum(np.bincount(codes)) - np.bincount(codes)
        codes = np.unique(first[codes] * _BINS // len(codes), return_inverse=True)[1]
    indicators = np.zeros((len(known), int(codes.max()) + 1))
    indicators[np.flatnonzero(known), codes.reshape(-1)] = 1.0
    return indicators


def _association(counts: NDArray[np.float64]) -> tuple[float, float]:
    """Bias-corrected Cramer's V, from 0 to 1, and the p-value of the chi-square test."""
    counts = counts[counts.any(axis=1)][:, counts.any(axis=0)]
    r, c = counts.shape
    n = counts.sum()
    if min(r, c) < 2:
        return 0.0, 1.0
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / n
    statistic = float(((counts - expected) ** 2 / expected).sum())
    freedom = (r - 1) * (c - 1)
    # Bergsma 2013, section 3.
    squared = max(0.0, statistic / n - freedom / (n - 1))
    least = min(r - (r - 1) ** 2 / (n - 1), c - (c - 1) ** 2 / (n - 1)) - 1.0
    strength = min(1.0, np.sqrt(squared / least)) if least > 0.0 else 0.0
    return float(strength), float(chi2.sf(statistic, freedom))


def _warn_of_split(blocks: Sequence[NDArray[np.float64]], names: Sequence[str]) -> None:
    """Warn if the best split into two clusters is that of a single column."""
    if len(blocks) <= _OTHERS or len(blocks[0]) < _LEAST_ROWS:
        return
    from sklearn.cluster import KMeans

    rows = np.column_stack(blocks)
    rows = rows[_some_rows(len(rows), _MOST_DONORS)]
    if not rows.any():
        return
    side = KMeans(2, n_init=4, random_state=0).fit(rows).labels_ == 1
    # A few distant rows are outliers, which clusterers handle.
    if min(side.mean(), 1 - side.mean()) < _MOST_BEYOND:
        return
    between = (rows[side].mean(axis=0) - rows[~side].mean(axis=0)) ** 2 * side.mean() * (1 - side.mean())
    owner = np.repeat(np.arange(len(blocks)), [block.shape[1] for block in blocks])
    explained = np.bincount(owner, between) / np.maximum(np.bincount(owner, rows.var(axis=0)), 1e-300)
    best, second = np.argsort(explained)[::-1][:2]
    if explained[best] >= _EXPLAINED and explained[second] <= _UNEXPLAINED:
        warnings.warn(
            f"column {names[best]!r} alone makes the strongest split of the table in two (it explains "
            f"{explained[best]:.0%} of its own variance, and of no other column more than "
            f"{explained[second]:.0%}): leave the column out if such clusters are not meant",
            UserWarning,
            stacklevel=3,
        )


def _filled(column: Column) -> NDArray[Any]:
    """Fill missing numbers and dates with the median, and texts with the mode."""
    missing = pd.isna(column.values)
    if not missing.any():
        return column.values
    values, known = column.values.copy(), column.values[~missing]
    values[missing] = np.median(known) if column.kind == "number" else _middle(known, column.kind)
    return values


def _filled_by_neighbors(
    columns: Sequence[Column],
    known: NDArray[np.bool_],
    filled: list[NDArray[Any]],
    weights: NDArray[np.float64],
) -> list[NDArray[Any]]:
    """Fill missing cells from the nearest rows, or from ``filled`` if no row has a column in common."""
    incomplete = np.flatnonzero(~known.all(axis=1))
    if not len(incomplete) or len(columns) == 1:
        return filled
    blocks = [
        _features(column, values, True)[0] * np.sqrt(weight)
        for column, values, weight in zip(columns, filled, weights, strict=True)
    ]
    is_known = np.repeat(known, [block.shape[1] for block in blocks], axis=1).astype(np.float64)
    rows = np.column_stack(blocks) * is_known
    donors = _some_rows(len(rows), _MOST_DONORS)
    n_near = _DONORS if len(columns) > 2 else _DONORS_OF_TWO
    found = [values.copy() for values in filled]
    step = max(1, _PRODUCTS // len(donors))
    for low in range(0, len(incomplete), step):
        these = incomplete[low : low + step]
        squares = rows[these] ** 2 @ is_known[donors].T + is_known[these] @ (rows[donors] ** 2).T
        squares -= 2.0 * rows[these] @ rows[donors].T
        # Per unit of the weight of the columns that both rows know.
        common = (known[these] * weights) @ known[donors].T
        with np.errstate(divide="ignore", invalid="ignore"):
            distances = np.where(common > 0.0, np.maximum(squares, 0.0) / common, np.inf)
        for at, column in enumerate(columns):
            wanting, giving = np.flatnonzero(~known[these, at]), np.flatnonzero(known[donors, at])
            if not len(wanting) or not len(giving):
                continue
            near = distances[np.ix_(wanting, giving)]
            bound = np.partition(near, min(n_near, len(giving)) - 1, axis=1)[:, min(n_near, len(giving)) - 1]
            # Include ties with the last one, so that the order of the rows has no influence.
            taken = (near <= bound[:, None] * (1 + 1e-9) + 1e-12) & np.isfinite(near)
            values = found[at][donors[giving]]
            for row, is_taken in zip(these[wanting], taken, strict=True):
                if is_taken.any():
                    found[at][row] = _middle(values[is_taken], column.kind)
    return found


def _middle(values: NDArray[Any], kind: Kind) -> Any:
    """Mean of numbers or dates, mode of categories (ties: the first by name)."""
    if kind in ("category", "truth"):
        different, counts = np.unique(values, return_counts=True)
        return different[counts.argmax()]
    if kind == "date":
        return np.sort(values)[(len(values) - 1) // 2]
    return float((values / len(values)).sum())


def _features(column: Column, filled: NDArray[Any], equal: bool) -> tuple[NDArray[np.float64], list[str]]:
    if column.kind == "category":
        values, codes = np.unique(filled, return_inverse=True)
        # The second indicator of two values would be redundant.
        shown = np.arange(len(values))[len(values) == 2 :]
        indicators = (codes.reshape(-1, 1) == shown).astype(np.float64)
        # One factor for all indicators, so that a rare value does not weigh more than a frequent one.
        factor = 1.0 / np.sqrt(indicators.var(axis=0).sum()) if equal else 1.0
        return indicators * factor, [f"{column.name}={values[place]}" for place in shown]
    numbers = filled
    if column.kind == "date":
        numbers = (numbers - numbers.min()) / np.timedelta64(86400, "s")
    numbers = numbers.astype(np.float64)
    if equal:
        # Divide by the largest first, so that squares of huge and tiny numbers stay within bounds.
        numbers = numbers / np.abs(numbers).max()
        usual = _usual(numbers)
        numbers = numbers - numbers[usual].mean()
        spread = numbers[usual].std()
        numbers = numbers / (spread if spread > 0 else 1.0)
    return numbers[:, None], [column.name]


def _usual(numbers: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Values within ten interquartile ranges of the quartiles, or all if rows are few or outliers many."""
    everything = np.ones(len(numbers), dtype=bool)
    if len(numbers) < _LEAST_ROWS:
        return everything
    low, high = np.quantile(numbers, (0.25, 0.75))
    usual: NDArray[np.bool_] = np.abs(numbers - (low + high) / 2) <= (high - low) * (_BEYOND + 0.5)
    return everything if usual.mean() < 1.0 - _MOST_BEYOND else usual


def _refuse(judged: Sequence[Column]) -> None:
    if not judged:
        raise files.DataError("the table has no columns")
    shown = "; ".join(f"{column.name!r} ({column.reason})" for column in judged[:5])
    more = f"; and {len(judged) - 5} more" if len(judged) > 5 else ""
    raise files.DataError(f"no column is left to cluster by: {shown}{more}")


@dataclass(frozen=True, eq=False)
class Column:
    """A column and its interpretation.

    Attributes
    ----------
    name : str
    kind : {"number", "truth", "date", "category", "out"}
    values : ndarray of shape (n_samples,)
        Numbers (float64), dates (datetime64) or texts (objects), with missing values. Arrays, because a
        Series per column would dominate the time of wide tables.
    reason : str
        Reason to drop the column.
    strays : tuple of str
        Texts among numbers, which are treated as missing.
    convention : str
        Notation of the numbers.
    grouped : bool
        See :class:`~moo_clustering.datasets.prepare.Numbers`.
    unit : str
        Unit of the numbers.
    code : str
        Reason to treat the numerals as codes, hence categories.
    remark : str
        Further note about the interpretation.
    """

    name: str
    kind: Kind
    values: NDArray[Any]
    reason: str = ""
    strays: tuple[str, ...] = ()
    convention: Convention = "none"
    grouped: bool = False
    unit: str = ""
    code: str = ""
    remark: str = ""

    def out(self, reason: str) -> Column:
        """Return the column marked as dropped."""
        return replace(self, kind="out", reason=reason)


def _read(name: str, column: pd.Series[Any]) -> Column:
    """Interpret a column by its dtype if numeric or date, otherwise by the text of its cells."""
    dtype = column.dtype
    if pd.api.types.is_complex_dtype(dtype):
        return Column(name, "category", column.to_numpy()).out("complex numbers")
    if isinstance(dtype, np.dtype | pd.DatetimeTZDtype) and dtype.kind == "M":
        return Column(name, "date", _moments(column))
    if isinstance(dtype, np.dtype) and dtype.kind == "m":
        hours = np.asarray(column.to_numpy() / np.timedelta64(1, "h"), dtype=np.float64)
        return Column(name, "number", hours, convention="plain", unit="hours")
    if files.is_plain(column) and files.indistinct_values(column) is None:
        numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
        infinite = np.isinf(numbers)
        strays = tuple(str(value) for value in np.unique(numbers[infinite]))
        kind: Kind = "truth" if pd.api.types.is_bool_dtype(dtype) else "number"
        return Column(name, kind, np.where(infinite, np.nan, numbers), strays=strays, convention="plain")
    cells = files.cells_of(column)
    if isinstance(dtype, pd.CategoricalDtype):
        return _category(name, cells)
    if not files.are_cells(cells):
        return Column(name, "category", np.empty(0)).out("cells that are neither numbers nor text")
    return _read_texts(name, cells)


def _category(name: str, cells: Sequence[Any], code: str = "") -> Column:
    texts = [written(cell) for cell in cells]
    values = _texts(texts, _MISSING)
    remark = blanks_note(texts) or alike_note(sorted({value for value in values if value is not None}))
    return Column(name, "category", values, code=code, remark=remark)


def _read_texts(name: str, cells: Sequence[Any]) -> Column:
    texts = _texts(cells, _NO_NUMBER)
    known = pd.notna(texts)
    if not known.any():
        return _category(name, cells)
    if {text.casefold() for text in texts[known]} <= {"true", "false"}:
        truth = np.array([text.casefold() == "true" for text in texts[known]], dtype=np.float64)
        return Column(name, "truth", _spread(truth, known))
    found, bare = read_numbers(texts[known]), None
    if found.convention == "none":
        signed = np.array([_signed(text) for text in texts[known]], dtype=object)
        bare = without_unit(signed) or Measures(signed, "")
        found = read_numbers(bare.texts)
    if found.convention != "none":
        numerals = texts[known] if bare is None else bare.texts
        plain = [_in_python(text, found.convention) for text in numerals]
        known_numbers = files.finite(plain, found.values)
        if code := files.code_reason(known_numbers):
            return _category(name, cells, code)
        if bare is not None:
            texts[known] = bare.texts
        numbers = _spread(found.values, known)
        whole = Column(
            name,
            "number",
            numbers,
            strays=tuple(dict.fromkeys(texts[known & np.isnan(numbers)])),
            convention=found.convention,
            grouped=found.grouped,
            unit="" if bare is None else bare.unit,
            remark=files.rounding_note(known_numbers),
        )
        if found.convention == "ambiguous" or found.grouped:
            # The notation of the other columns determines the interpretation.
            return replace(whole, values=texts)
        return whole
    if (hours := read_times(texts[known])) is not None:
        return Column(name, "number", _spread(hours, known), convention="plain", unit="hours")
    dates = read_dates(texts[known])
    if isinstance(dates, str):
        return Column(name, "date", texts).out(dates)
    if dates is not None:
        return Column(name, "date", _spread(dates, known))
    if (fractions := read_fractions(texts[known])) is not None:
        remark = f"read as numbers of fractions ({texts[known][0]!r})"
        return Column(name, "number", _spread(fractions, known), convention="plain", remark=remark)
    return _category(name, cells)


def _in_python(text: str, convention: Convention) -> str:
    """A number in Python's notation."""
    text = _SPACED.sub("", text)
    if convention == "plain":
        return text
    thousands, decimal = (",", ".") if convention == "point" else (".", ",")
    return text.replace(thousands, "").replace(decimal, ".")


def _spread(values: NDArray[Any], known: NDArray[np.bool_]) -> NDArray[Any]:
    """Place the values of the known cells into a column with missing values elsewhere."""
    column = np.full(len(known), np.nan if values.dtype.kind == "f" else "NaT", dtype=values.dtype)
    column[known] = values
    return column


def _settled(column: Column, written: set[Convention]) -> Column:
    """Interpret ambiguous numbers by the notation of the other columns."""
    if column.kind != "number" or not (column.convention == "ambiguous" or column.grouped):
        return column
    decimal = "comma" in written and "point" not in written
    if column.convention == "ambiguous":
        known = column.values[pd.notna(column.values)]
        # Three decimals in some cells and none in others are unlikely.
        decimal = decimal and all("," in text for text in known)
        if not decimal and not ("point" in written and "comma" not in written):
            example = next(text for text in known if "," in text)
            return column.out(f"its commas may be decimal commas or separate thousands ({example!r})")
        way: Literal["comma", "point"] = "comma" if decimal else "point"
        return replace(column, values=as_numbers(column.values, way), convention=way)
    if decimal:
        return replace(column, values=as_numbers(column.values, "comma"), convention="comma")
    known = pd.notna(column.values)
    texts = column.values[known]
    # If all have three decimals, both interpretations differ only by a factor.
    mixed = not all("." in text for text in texts)
    return replace(column, values=_spread(read_numbers(texts).values, known), grouped=mixed)


def _judge(column: Column) -> Column:
    if column.kind == "out":
        return column
    known = column.values[pd.notna(column.values)]
    if not len(known):
        return column.out("empty")
    n_different = len(pd.unique(known))
    if n_different == 1:
        return column.out(
            "constant" if len(known) == len(column.values) else "one value, and else empty cells"
        )
    if len(known) < (1 - _MOST_MISSING) * len(column.values):
        return column.out(f"{len(column.values) - len(known)} of {len(column.values)} cells are missing")
    if column.kind == "number":
        return column.out("it numbers the rows") if _numbers_rows(column.name, known, n_different) else column
    return _judge_category(column, known, n_different) if column.kind == "category" else column


def _numbers_rows(name: str, known: NDArray[np.float64], n_different: int) -> bool:
    if n_different < len(known) or (known != known.round()).any():
        return False
    # Halves, as the difference of huge numbers would be out of bounds.
    run = known.max() / 2 - known.min() / 2 == (len(known) - 1) / 2
    return bool(_ID.fullmatch(name) or name.casefold() in {"id", "nr", "no"} or (run and len(known) > _FEW))


def _judge_category(column: Column, known: NDArray[Any], n_different: int) -> Column:
    n = len(known)
    words = float(np.mean([len(text.split()) for text in known]))
    text = f"; --text-columns {column.name} clusters by its words" if words > _WORDS else ""
    if column.code:
        text = f"; its cells are codes, as {column.code}"
    if n_different == n and n > 2:
        return column.out(f"another value in every row{text}")
    # Codes are certainly categories, so more different values are allowed.
    many = _MOST if column.code else max(_FEW, n // 10)
    if n_different > min(_MOST, many, max(2, n // 2)):
        what = "free text" if words > _WORDS else "too many different values"
        return column.out(f"{what} ({n_different} in {n} rows){text}")
    return column


def _texts(column: Iterable[Any], missing: set[str]) -> NDArray[Any]:
    cells = [written(cell).strip() for cell in column]
    return np.array([None if cell.casefold() in missing else cell for cell in cells], dtype=object)


def blanks_note(texts: Iterable[str]) -> str:
    """Note about texts that are equal after stripping whitespace, or an empty string."""
    met: dict[str, str] = {}
    for text in texts:
        other = met.setdefault(text.strip(), text)
        if other != text:
            return f"{other!r} and {text!r} differ in white space only, and count as one"
    return ""


def alike_note(names: Iterable[str]) -> str:
    """Note about distinct names that are equal as numbers or ignoring case, or an empty string."""
    met: dict[float | str, str] = {}
    for name in names:
        number = files.as_number(text := unicodedata.normalize("NFKC", name))
        # Integers beyond 2^53 may differ although their numbers do not.
        keys: list[float | str] = [text, number] if abs(number) < 2.0**53 else [text]
        for key in keys:
            other = met.setdefault(key, name)
            if other != name:
                how = "the same letters in another encoding" if np.isnan(number) else "the same number"
                return f"{other!r} and {name!r} are two, although they are {how}"
    return ""


class Numbers(NamedTuple):
    """Numbers parsed from texts."""

    # As Python writes numbers; with a decimal comma; with commas that separate thousands; numbers that may be
    # either (1,234); or no numbers.
    convention: Convention
    # shape (n,): NaN for the few texts that are no numbers; of ambiguous ones those with decimal commas.
    values: NDArray[np.float64]
    grouped: bool = False  # plain numbers that may also be read as thousands with points (1.234)


def read_numbers(texts: NDArray[Any]) -> Numbers:
    """Parse non-empty texts as numbers. O(n) time and memory."""
    exact = files.exact_numbers(texts)
    if not np.isnan(exact).any():
        return _plain(texts, exact)
    # Objects, because an array of text reserves the length of the longest text for every cell.
    where, different = pd.factorize(texts)
    compact = [_SPACED.sub("", text) for text in different]
    plain = files.exact_numbers(compact)
    commas = np.array([bool(_COMMA.fullmatch(text)) for text in compact])
    points = np.array([bool(_POINT.fullmatch(text)) for text in compact])
    shares = {
        "plain": (~np.isnan(plain))[where].mean(),
        "comma": commas[where].mean(),
        "point": points[where].mean(),
    }
    best = max(shares, key=lambda name: shares[name])  # plain before others where equal
    if shares[best] < _SHARE or (shares[best] < 1 and len(different) <= _DIFFERENT):
        return Numbers("none", np.full(len(texts), np.nan))
    if best == "plain":
        return _plain(compact, plain[where])
    convention: Convention = "comma" if best == "comma" else "point"
    # Commas that could separate thousands cannot, if there is a 0,123 or a 1500 beside 1,234.
    decimal = any(re.fullmatch(r"[+-]?(0,\d+|\d{4,})", text) for text in compact)
    if shares["comma"] == shares["point"] and not decimal:
        convention = "ambiguous"
    values = as_numbers(compact, "point" if best == "point" and convention != "ambiguous" else "comma")
    return Numbers(convention, values[where])


def _plain(texts: Iterable[str], values: NDArray[np.float64]) -> Numbers:
    """Parse numbers in Python's notation."""
    pointed = [text for text in texts if "." in text]
    grouped = bool(pointed) and all(_GROUPED.fullmatch(text) for text in pointed)
    values[~np.isfinite(values)] = np.nan  # more digits than a number can have
    return Numbers("plain", values, grouped)


def as_numbers(texts: Any, convention: Literal["comma", "point"]) -> NDArray[np.float64]:
    """Parse numbers with a decimal comma, or with commas between thousands; NaN for other texts."""
    pattern = _COMMA if convention == "comma" else _POINT
    values = np.full(len(texts), np.nan)
    for row, text in enumerate(texts):
        compact = _SPACED.sub("", str(text))
        if pattern.fullmatch(compact):
            thousands, decimal = (".", ",") if convention == "comma" else (",", ".")
            values[row] = files.as_number(compact.replace(thousands, "").replace(decimal, "."))
    values[~np.isfinite(values)] = np.nan  # more digits than a number can have
    return values


def read_dates(texts: NDArray[Any]) -> NDArray[np.datetime64] | str | None:
    """Parse non-empty texts as dates. Returns a reason if day and month are ambiguous, None if not dates."""
    if not len(texts) or not re.match(r"\d{4}Q[1-4]|\d{1,4}[-./]\d", str(texts[0])):
        return None
    found: list[NDArray[np.datetime64]] = []
    column = pd.Series([_first_day(text) for text in texts], dtype=object)
    for form in _FORMATS:
        dates = pd.to_datetime(column, format=form, errors="coerce", utc=True)
        if dates.notna().all():
            found.append(_moments(dates))
        elif form == "ISO8601" and all(map(_DAY.fullmatch, column)):
            # Days outside the range of pandas before version 3.
            with suppress(ValueError):
                found.append(column.to_numpy(dtype="datetime64[us]"))
    if not found:
        return None
    if any((other != found[0]).any() for other in found[1:]):
        return f"days and months cannot be told apart ({texts[0]!r})"
    return found[0]


def _moments(column: pd.Series[Any]) -> NDArray[np.datetime64]:
    """Dates in UTC, in microseconds unless two dates would become equal."""
    dates = pd.Series(pd.to_datetime(column, utc=True)).dt.tz_localize(None).to_numpy()
    coarse = dates.astype("datetime64[us]")
    return coarse if (coarse == dates)[~np.isnat(dates)].all() else dates


def _first_day(text: str) -> str:
    if found := _QUARTER.fullmatch(text):
        return f"{found[1]}-{3 * int(found[2]) - 2:02d}-01"
    found = _WEEK.fullmatch(text)
    return found[1] if found else text


def read_times(texts: NDArray[Any]) -> NDArray[np.float64] | None:
    """Times of day or durations, in hours, or None if any text is neither.

    Formats: 9:30, 21:15:08, 9:30 pm, 1 days 02:00:00 (pandas), 1 day, 2:00:00 (Python) and P1DT2H (ISO 8601).
    """
    hours = np.full(len(texts), np.nan)
    for row, text in enumerate(texts):
        match = _TIME.fullmatch(str(text))
        if match is None:
            if not _DURATION.fullmatch(str(text)):
                return None
            try:
                hours[row] = pd.Timedelta(str(text)) / pd.Timedelta(hours=1)
            except (ValueError, OverflowError):
                return None
            continue
        hour, half = int(match["hour"]), match["half"]
        if half and not 1 <= hour <= 12:
            return None
        hour = hour % 12 + 12 * (half.casefold() == "p") if half else hour
        hours[row] = hour + int(match["minute"]) / 60 + files.as_number(match["second"] or "0") / 3600
    return hours


def read_fractions(texts: NDArray[Any]) -> NDArray[np.float64] | None:
    """Parse fractions in lowest terms and integers, as Python prints them; None for other texts.

    Other quotients may be dates, grades or blood pressures.
    """
    numbers = np.full(len(texts), np.nan)
    for row, text in enumerate(texts):
        try:
            fraction = Fraction(text) if _FRACTION.fullmatch(text) else None
            if fraction is None or str(fraction) != text:
                return None
            numbers[row] = float(fraction)
        except (ZeroDivisionError, OverflowError):
            return None
    return numbers if len(np.unique(numbers)) == len(set(texts)) else None


def _signed(text: str) -> str:
    """Convert negative numbers, such as (1,234), -$5 and a typographic minus, to Python's notation."""
    bracketed = _BRACKETED.fullmatch(text)
    plain = (f"-{bracketed[1]}" if bracketed else text).replace("\u2212", "-")
    return _BEFORE_SIGN.sub(r"\2\1", plain, count=1)


class Measures(NamedTuple):
    """Numbers and their common unit."""

    texts: NDArray[Any]
    unit: str


def without_unit(texts: NDArray[Any]) -> Measures | None:
    """Parse numbers with a common unit (12 %, $5, 3.5 km/h); None for other texts.

    O(n) time and memory.
    """
    units, bare = set(), []
    for text in texts:
        match = _MEASURE.fullmatch(str(text))
        if match is None:
            return None
        units.add((match["before"] or "", match["after"] or ""))
        if len(units) > 1:
            return None
        bare.append(match["number"])
    if not units or units == {("", "")}:
        return None
    before, after = units.pop()
    return Measures(np.array(bare, dtype=object), " ".join(part for part in (before, after) if part))


def left_out_notes(columns: Sequence[Column]) -> list[str]:
    """Notes about dropped columns, one line per reason."""
    by_reason: dict[str, list[str]] = {}
    for column in columns:
        if column.kind == "out":
            by_reason.setdefault(column.reason, []).append(column.name)
    notes = []
    for reason, names in by_reason.items():
        note = f"{_columns(names)} left out: {reason}"
        if reason in ("it numbers the rows", "another value in every row"):
            note += f" (--id-column {names[0]} names the rows by it)"
        notes.append(note)
    return notes


def reading_notes(columns: Sequence[Column], n_indicators: int) -> list[str]:
    """Notes about categories, dates, and numbers in unusual notation."""
    notes = []
    if names := [column.name for column in columns if column.kind == "category"]:
        count = f"{n_indicators} indicator{'' if n_indicators == 1 else 's'}"
        whose = "its" if len(names) == 1 else "their"
        notes.append(f"{_columns(names)} of text became {count} of {whose} values")
    if names := [column.name for column in columns if column.kind == "date"]:
        notes.append(f"{_columns(names)} of dates became numbers of days (--drop leaves a column out)")
    for convention, text in (("comma", "decimal commas"), ("point", "commas between thousands")):
        if names := [column.name for column in columns if column.convention == convention]:
            notes.append(f"{_columns(names)} read as numbers with {text}")
    units: dict[str, list[str]] = {}
    for column in columns:
        if column.unit:
            units.setdefault(column.unit, []).append(column.name)
        if column.strays:
            one = len(column.strays) == 1
            notes.append(
                f"column {column.name!r} holds numbers but for {_listed([repr(s) for s in column.strays])}, "
                f"which {'counts as a missing value' if one else 'count as missing values'}"
            )
        if column.code:
            notes.append(f"column {column.name!r} holds codes, which are categories: {column.code}")
        if column.remark:
            notes.append(f"column {column.name!r}: {column.remark}")
        if column.grouped and column.convention == "plain":
            notes.append(f"column {column.name!r} read as numbers with decimal points, not as thousands")
    notes += [f"{_columns(names)} read as numbers of {unit}" for unit, names in units.items()]
    return notes


def independence_notes(names: Sequence[str]) -> list[str]:
    """Notes about discrete columns without an association with any other column."""
    if not names:
        return []
    what = "it depends" if len(names) == 1 else "they depend"
    return [
        f"{_columns(names)} left out: of few values, and {what} on no other column "
        "(--weights equal keeps such columns)"
    ]


def filled_notes(columns: Sequence[Column], known: NDArray[np.bool_], missing: str) -> list[str]:
    """Notes about the number of filled cells, and how they were filled."""
    notes = []
    n_empty = (~known).sum(axis=0).tolist()
    nearest = missing == "neighbors" and len(columns) > 1
    word = "in the nearest rows, in" if nearest else "of"
    # Dates get one of the dates of the table.
    frequent = "most frequent value"
    names = ("number", "mean"), ("date", "median"), ("category", frequent), ("truth", frequent)
    kinds: dict[str, list[str]] = {}
    for kind, what in names:
        kinds.setdefault(what if nearest or what == frequent else "median", []).append(kind)
    for what, these in kinds.items():
        counts = {c.name: n for c, n in zip(columns, n_empty, strict=True) if n and c.kind in these}
        if not counts:
            continue
        total = sum(counts.values())
        where = f"column {next(iter(counts))!r}" if len(counts) == 1 else f"{len(counts)} columns"
        each = "" if len(counts) == 1 else f": {_listed([f'{n} ({c})' for n, c in counts.items()])}"
        filled = "value was" if total == 1 else "values were"
        notes.append(f"{total} missing {filled} filled with the {what} {word} {where}{each}")
    empty = ~known.any(axis=1)
    if n := int(empty.sum()):
        rows = f"row {int(empty.argmax()) + 1} has" if n == 1 else f"{n} rows have"
        notes.append(f"{rows} no value in any of the columns used")
    return notes


def class_notes(columns: Sequence[Column]) -> list[str]:
    """Notes about features that may be known classes."""
    return [
        f"column {column.name!r} is used as a feature; if it holds known classes, give --labels {column.name}"
        for column in columns
        if column.name.casefold() in _CLASSES
    ]


def _columns(names: Sequence[str]) -> str:
    return f"column {names[0]!r}" if len(names) == 1 else f"{len(names)} columns ({_listed(names)})"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
