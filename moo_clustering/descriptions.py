"""Name clusters, and find the columns or terms in which each cluster differs from its nearest cluster."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from math import fsum
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from moo_clustering._arrays import FloatArray, IntArray, IntpArray, integer, warn_caller
from moo_clustering._data import as_frame, checked_integers, checked_table
from moo_clustering._messages import distinct_names, message_line, quoted

__all__ = ["ClusterDescription", "ClusterDescriptions", "Contrast", "describe_columns", "describe_terms"]

# A numeric column with more distinct values than this is divided into this number of quantile bins.
_MOST_BINS = 256
# At most _MOST_COLUMNS columns are compared, or fewer if the number of columns times the number of pairs of
# clusters would exceed _MOST_PAIRS. In larger tables, at most _OF_A_CLUSTER columns are selected for each
# cluster, namely those in which the cluster differs most.
_MOST_COLUMNS, _MOST_PAIRS, _OF_A_CLUSTER = 500, 20_000_000, 30
# Minimum strength of listed contrasts, and of contrasts that can distinguish two cluster names.
_LISTED, _DISTINCT = 0.2, 0.5
# A cluster is "low" if its mean rank (from 0 to 1) is at most _LOW, and "high" if it is at least _HIGH.
_LOW, _HIGH = 0.36, 0.64
_UNIT = re.compile(r"\s*(\([^()]*\)|\[[^\[\]]*\])\s*$")
# Categories such as "yes" are meaningless alone, so cluster names with them include the column name.
_BARE = re.compile(r"(yes|no|true|false|ja|nein|si|oui|non|none|other|unknown|.{1,2}|[\W\d_]*)", re.I)
_WORD = re.compile(r"[^\W\d_]{2}")
# Parts of web and e-mail addresses, which do not indicate the topic of a document.
_OF_ADDRESSES = frozenset({"com", "edu", "http", "https", "net", "org", "www"})
_DAY = 86400.0
_TRUTH = ["False", "True"]


@dataclass(frozen=True)
class Contrast:
    """A column or term in which a cluster differs from its nearest cluster.

    Attributes
    ----------
    column : str
    value, other : str
        Value in the cluster and in the nearest cluster: the median (the mean if the medians are equal), the
        most distinctive category with its share, or the share of documents.
    strength : float
        Absolute Cliff's delta (numbers, dates) or difference in shares (categories, terms), from 0 to 1.
    """

    column: str
    value: str
    other: str
    strength: float

    def __str__(self) -> str:
        return f"{self.column} {self.value} ({self.other})"


@dataclass(frozen=True)
class ClusterDescription:
    """Description of a cluster.

    Attributes
    ----------
    cluster, size : int
    name : str
        Unique cluster name.
    nearest : int
        Nearest cluster, with which ``contrasts`` compare this cluster; -1 if there is only one cluster.
    contrasts : tuple of Contrast
        Contrasts with the nearest cluster, strongest first.
    typical : tuple of int
        Indices of the rows nearest to the cluster centre.
    """

    cluster: int
    size: int
    name: str
    nearest: int = -1
    contrasts: tuple[Contrast, ...] = ()
    typical: tuple[int, ...] = ()


class ClusterDescriptions(Sequence[ClusterDescription]):
    """Descriptions of the clusters 0, 1, ... of a partition.

    Parameters
    ----------
    clusters : sequence of ClusterDescription
    sample_names : sequence of str, optional
        Name of each sample, used to list the typical samples. Default: row indices.

    Attributes
    ----------
    names : list of str
        Name of each cluster.
    """

    def __init__(
        self, clusters: Sequence[ClusterDescription], sample_names: Sequence[str] | None = None
    ) -> None:
        self._clusters = tuple(clusters)
        self._sample_names = sample_names
        self.names = [each.name for each in self._clusters]

    def __getitem__(self, place: Any) -> Any:
        return self._clusters[place]

    def __len__(self) -> int:
        return len(self._clusters)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per cluster, with the attributes of :class:`ClusterDescription` as columns."""
        frame = pd.DataFrame([vars(each) for each in self], columns=[*ClusterDescription.__annotations__])
        frame["contrasts"] = ["; ".join(map(str, each.contrasts)) for each in self]
        frame["typical"] = [", ".join(map(self._sample, each.typical)) for each in self]
        return frame

    def _sample(self, row: int) -> str:
        return str(row) if self._sample_names is None else str(self._sample_names[row])

    def __str__(self) -> str:
        lines = []
        for each in self:
            beside = f" (in brackets: {self.names[each.nearest]})" if each.contrasts else ""
            count = f"{each.size} sample{'' if each.size == 1 else 's'}"
            lines.append(f"{each.cluster}: {each.name}, {count}{beside}")
            lines += [f"   {contrast}" for contrast in each.contrasts]
            if each.typical:
                lines.append(f"   typical: {', '.join(map(self._sample, each.typical))}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<ClusterDescriptions: {', '.join(map(repr, self.names))}>"

    def _repr_html_(self) -> str:
        return str(self.to_frame().to_html())

    def renamed(self, namer: Callable[[ClusterDescription], str]) -> ClusterDescriptions:
        """Return the descriptions with the cluster names that ``namer(description)`` returns.

        If ``namer`` raises an error or returns no text, the cluster keeps its name. If it returns the name of
        another cluster, a number is appended. A UserWarning is issued in both cases.
        """
        given, faults = list[str](), dict[int, str]()
        for each in self:
            try:
                name = namer(each)
                fault = "" if isinstance(name, str) and name.strip() else f"it returned {name!r}"
            except Exception as error:
                fault = f"{type(error).__name__}: {error}"
            if fault:
                faults[each.cluster], name = fault, each.name
            given.append(" ".join(name.split()))
        if faults:
            first, fault = next(iter(faults.items()))
            more = f" and {len(faults) - 1} more" if len(faults) > 1 else ""
            said = f"namer failed for cluster {first}{more} ({message_line(fault)})"
            warn_caller(f"{said}; the previous names are kept")
        names = distinct_names(given)
        if changed := [new for new, name in zip(names, given, strict=True) if new != name]:
            warn_caller(f"namer returned duplicate names; numbers were appended, as in {quoted(changed[0])}")
        return self.with_names(names)

    def with_names(self, names: Sequence[str]) -> ClusterDescriptions:
        """Return the descriptions with new, unique names, one per cluster."""
        pairs = zip(self._clusters, names, strict=True)
        return ClusterDescriptions([replace(each, name=name) for each, name in pairs], self._sample_names)


def describe_columns(
    labels: ArrayLike,
    columns: pd.DataFrame | ArrayLike,
    *,
    units: Mapping[str, str] | None = None,
    n_contrasts: int = 3,
) -> ClusterDescriptions:
    """Describe each cluster of a table by its differences from the nearest cluster.

    Raises a ValueError if the numbers of labels and rows differ or if ``n_contrasts`` is negative.

    Parameters
    ----------
    labels : array-like of shape (n_samples,), int
        Clusters 0, 1, ..., or -1 for samples outside all clusters.
    columns : DataFrame or array-like of shape (n_samples, n_columns)
        Numbers, dates, booleans and categories in their original units. Missing values are ignored.
    units : mapping of str to str, optional
        Units of the columns.
    n_contrasts : int, default=3
        Maximum number of contrasts per cluster.

    Returns
    -------
    ClusterDescriptions
        Descriptions without typical samples.

    Notes
    -----
    Each name is unique, and consists of up to three phrases that distinguish the cluster from the others.
    Numbers are grouped into at most 256 bins by rank, and compared using Cliff's delta. Monotone
    transformations therefore have no effect. The nearest cluster is the one with the most similar mean ranks
    and shares. In tables with more than 500 columns, only those in which clusters differ most from all
    samples are compared. With more than 200 clusters, this limit is lower. Takes O(n_samples n_columns +
    n_clusters^2 n_compared) time.

    Examples
    --------
    >>> import pandas as pd
    >>> from moo_clustering.descriptions import describe_columns
    >>> table = pd.DataFrame({"height": [1.0, 2.0, 30.0, 31.0], "wood": ["soft", "soft", "hard", "soft"]})
    >>> found = describe_columns([0, 0, 1, 1], table, units={"height": "m"})
    >>> print(found)
    0: low height, 2 samples (in brackets: high height)
       height 1.5 m (30.5 m)
       wood 100% soft (50%)
    1: high height, 2 samples (in brackets: low height)
       height 30.5 m (1.5 m)
       wood 50% hard (0%)
    """
    return ComparedColumns(columns, units).describe(labels, n_contrasts)


def describe_terms(
    labels: ArrayLike, weights: Any, terms: Sequence[str], *, n_contrasts: int = 10
) -> ClusterDescriptions:
    """Describe clusters of documents by terms that are more frequent in them than in the nearest cluster.

    Takes O(non-zeros + n_clusters n_terms) time and memory. Raises a ValueError unless there are as many
    labels as documents and as many terms as columns.

    Parameters
    ----------
    labels : array-like of shape (n_documents,), int
    weights : sparse matrix of shape (n_documents, n_terms)
        Weights or counts. A document contains a term if the value is positive.
    terms : sequence of str
    n_contrasts : int, default=10
        Maximum number of terms per cluster.

    Returns
    -------
    ClusterDescriptions
        Descriptions without typical documents. Stop words, numbers, single letters, and parts of web
        addresses, such as "com", are omitted.
    """
    return ComparedTerms(weights, terms).describe(labels, n_contrasts)


class ComparedColumns:
    """Columns of a table, sorted once to describe several partitions; see :func:`describe_columns`."""

    def __init__(self, columns: Any, units: Mapping[str, str] | None = None) -> None:
        columns, _ = as_frame(columns)
        self._places, self._n_samples = np.flatnonzero(columns.notna().any(axis=0)).tolist(), len(columns)
        found = []
        for place in self._places:
            name, column = str(columns.columns[place]), columns.iloc[:, place]
            found.append(_Column.of(" ".join(name.split()), column, (units or {}).get(name, "")))
        counts = Counter(value.lower() for column in found for value in column.values)
        shared = {value for value, count in counts.items() if count > 1}
        self._columns = [replace(column, shared=shared) for column in found]

    def columns(self, first: Sequence[str], most: int) -> list[_Column]:
        """Return up to ``most`` columns; those named in ``first`` precede the others."""
        return sorted(self._columns, key=lambda column: column.name not in first)[:most]

    def describe(self, labels: ArrayLike, n_contrasts: int = 3) -> ClusterDescriptions:
        return self.compare(labels).describe(n_contrasts)

    def compare(self, labels: ArrayLike) -> Comparison:
        found, sizes = _clusters(labels, self._n_samples)
        most = min(_MOST_COLUMNS, max(10, _MOST_PAIRS // max(len(sizes), 1) ** 2))
        columns = [self._columns[at] for at in self._strongest(found, sizes, most, _OF_A_CLUSTER)]
        return Comparison(sizes, [trait for column in columns for trait in column.traits(found, sizes)])

    def strongest(self, labels: ArrayLike, most: int) -> list[int]:
        """Return the positions of the most unusual columns of each cluster, about ``most`` in total."""
        clusters = _clusters(labels, self._n_samples)
        return [self._places[at] for at in self._strongest(*clusters, most, most)]

    def _strongest(self, labels: IntpArray, sizes: IntpArray, most: int, of_a_cluster: int) -> list[int]:
        if len(self._columns) <= most:
            return list(range(len(self._columns)))
        strengths = []
        for column in self._columns:
            # The strength of a column is the largest difference of a cluster from all samples in its traits.
            of_traits = [np.abs(trait.effect @ sizes) for trait in column.traits(labels, sizes)]
            strengths.append(np.max(of_traits, axis=0))
        strength = np.stack(strengths)
        of_each = max(1, min(of_a_cluster, most // max(len(sizes), 1)))
        return np.unique(np.argsort(-strength, axis=0, kind="stable")[:of_each]).tolist()


class ComparedTerms:
    """Term occurrences that are found once to describe several partitions; see :func:`describe_terms`."""

    def __init__(self, weights: Any, terms: Sequence[str]) -> None:
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        self._weights = sparse.csr_array(checked_table(weights, "weights", accept_sparse="csr"))
        self._terms = [str(term) for term in terms]
        if len(self._terms) != (n := self._weights.shape[1]):
            raise ValueError(f"terms must have one name per column of weights ({n}), got {len(self._terms)}")
        self._present = self._weights.copy()
        self._present.data = (self._weights.data > 0).astype(np.float64)
        unusable = ENGLISH_STOP_WORDS | _OF_ADDRESSES
        usable = [bool(_WORD.search(term)) and term not in unusable for term in self._terms]
        self._usable = np.array(usable, dtype=bool)

    def columns(self, first: Sequence[str], most: int) -> list[_Column]:
        """Return a boolean column for each term in ``first``, which is True for documents with the term."""
        present = self._present[:, [self._terms.index(term) for term in first]].toarray() > 0
        return ComparedColumns(pd.DataFrame(present, columns=list(first))).columns((), most)

    def describe(self, labels: ArrayLike, n_contrasts: int = 10) -> ClusterDescriptions:
        return self.compare(labels, n_contrasts).describe(n_contrasts)

    def compare(self, labels: ArrayLike, n_contrasts: int = 10) -> Comparison:
        found, sizes = _clusters(labels, self._weights.shape[0])
        shares = _means(found, sizes, self._present)
        overall = sizes @ shares / max(int(sizes.sum()), 1)
        excess = np.where(self._usable, shares - overall, -1.0)
        most = min(_MOST_COLUMNS, max(10, _MOST_PAIRS // max(len(shares), 1) ** 2)) // max(len(shares), 1)
        chosen = np.unique(np.argsort(-excess, axis=1, kind="stable")[:, : max(most, n_contrasts, 1)])
        # If contrasts are equally strong, terms with a larger total weight come first.
        chosen = chosen[np.argsort(-self._weights.sum(axis=0)[chosen], kind="stable")]
        traits = []
        for place in chosen[self._usable[chosen]].tolist():
            share, term = shares[:, place], self._terms[place]
            phrases = [term if more > 0 else "" for more in excess[:, place]]
            spread = float(np.sqrt(np.abs(overall[place] * (1.0 - overall[place]))))
            effect, texts = np.subtract.outer(share, share), [*map(_percent, share)]
            traits.append(_Trait(term, effect, phrases, texts.__getitem__, spread=spread))
        means = _means(found, sizes, self._weights)
        norms = np.linalg.norm(means, axis=1, keepdims=True)
        return Comparison(sizes, traits, means / np.where(norms > 0, norms, 1.0))

    def specific(self, labels: ArrayLike, most: int) -> list[int]:
        """Return the positions of each cluster's most specific terms, about ``most`` in total."""
        shares = _means(*_clusters(labels, self._weights.shape[0]), self._present)
        excess = np.where(self._usable, shares - self._present.mean(axis=0), -1.0)
        of_each = max(1, most // max(len(shares), 1))
        places = np.unique(np.argsort(-excess, axis=1, kind="stable")[:, :of_each])
        return places[self._usable[places]].tolist()


def cluster_indicators(labels: IntArray) -> Any:
    """Return a sparse cluster indicator matrix of shape (n_clusters, n_samples)."""
    inside = np.flatnonzero(labels >= 0)
    shape = int(labels.max(initial=-1)) + 1, len(labels)
    return sparse.csr_array((np.ones(len(inside)), (labels[inside], inside)), shape=shape)


def _clusters(labels: ArrayLike, n_samples: int) -> tuple[IntpArray, IntpArray]:
    found = checked_integers(labels, "labels", ndim=(1,))
    if len(found) != n_samples:
        raise ValueError(f"labels must have one integer per sample ({n_samples}), got {len(found)}")
    found = np.maximum(found.astype(np.intp), -1)
    return found, np.bincount(found[found >= 0])


def _means(labels: IntpArray, sizes: IntpArray, rows: sparse.csr_array) -> FloatArray:
    totals = (cluster_indicators(labels) @ rows).toarray()
    return np.asarray(totals / np.maximum(sizes, 1)[:, None])


@dataclass(frozen=True, eq=False)
class _Column:
    """A column with its values encoded as integers. Missing values have the code -1."""

    name: str
    codes: IntpArray
    values: Sequence[str]  # names of the categories; empty for numbers
    numbers: FloatArray  # numbers, or dates in seconds; empty for categories
    show: Callable[[float], str]
    detail: int = 0  # precision of dates: 1 for months, 2 for days, 3 for minutes
    unit: str = ""
    shared: Collection[str] = ()  # categories (in lower case) that occur in several columns

    @classmethod
    def of(cls, name: str, column: pd.Series[Any], unit: str) -> _Column:
        types, known = pd.api.types, column.notna().to_numpy()
        if types.is_timedelta64_dtype(column.dtype):
            column, unit = column.dt.total_seconds() / 3600.0, unit or "hours"
        is_date = types.is_datetime64_any_dtype(column.dtype)
        is_number = types.is_numeric_dtype(column.dtype) and not types.is_complex_dtype(column.dtype)
        codes = np.full(len(known), -1, dtype=np.intp)
        if not (is_date or is_number):
            codes[known], values = pd.factorize(column[known].astype(object).map(str), sort=True)
            return cls(name, codes, list(map(str, values)), np.empty(0), str)
        if not is_date and column[known].isin((0, 1)).all():
            codes[known] = column[known]
            return cls(name, codes, _TRUTH, np.empty(0), str)
        numbers = np.full(len(known), np.nan)
        numbers[known] = column[known].to_numpy("datetime64[s]" if is_date else np.float64)
        ordered = np.sort(numbers[known])
        different, places = np.unique(numbers[known], return_inverse=True)
        if len(different) > _MOST_BINS:
            bins = np.searchsorted(ordered, different) * _MOST_BINS // len(ordered)
            places = np.unique(bins, return_inverse=True)[1][places]
        codes[known] = places
        if not is_date:
            return cls(name, codes, (), numbers, partial(_measure, unit=unit), unit=unit)
        days = float(ordered[-1] - ordered[0]) / _DAY
        detail = 1 if days > 730 else 2 if days > 3 else 3
        return cls(name, codes, (), numbers, partial(_date, detail=detail), detail)

    def traits(self, labels: IntpArray, sizes: IntpArray) -> list[_Trait]:
        """Compare the clusters by this column or, if it has categories, by each category."""
        n_clusters, n_values = len(sizes), max(len(self.values), int(self.codes.max()) + 1)
        rows = (self.codes >= 0) & (labels >= 0)
        places = labels[rows] * n_values + self.codes[rows]
        counts = np.bincount(places, minlength=n_clusters * n_values).reshape(n_clusters, n_values)
        shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
        found = self._categories(sizes, shares) if self.values else [self._number(labels, sizes, shares)]
        # If all values of a cluster are missing in this column, the cluster has no contrasts in the column.
        filled = counts.sum(axis=1) > 0
        both = np.outer(filled, filled)
        phrases = [np.where(filled, each.phrases, "").tolist() for each in found]
        pairs = zip(found, phrases, strict=True)
        return [replace(each, effect=each.effect * both, phrases=said) for each, said in pairs]

    def _number(self, labels: IntpArray, sizes: IntpArray, shares: FloatArray) -> _Trait:
        above = shares @ (np.cumsum(shares, axis=1) - shares).T
        effect = np.clip(above - above.T, -1.0, 1.0)
        level = 0.5 + 0.5 * (effect @ sizes) / max(int(sizes.sum()), 1)
        bare = _UNIT.sub("", self.name) or self.name
        # The score of a value is the fraction of smaller values minus the fraction of larger values.
        overall = sizes @ shares / max(int(sizes.sum()), 1)
        scores = 2.0 * np.cumsum(overall) - overall - 1.0
        spread = float(np.sqrt(overall @ scores**2))

        # Halve the numbers before taking medians, because the sum of two huge numbers could overflow.
        halves = pd.Series(self.numbers / 2.0).groupby(labels).median()
        medians = 2.0 * halves.reindex(range(len(shares))).to_numpy(dtype=np.float64)
        if self.detail:
            phrases = [f"{bare} {date}" for date in self._dates(medians.tolist(), np.abs(effect))]
        else:
            # The words "low" and "high" are based on mean ranks, but must not contradict the order of the
            # medians.
            filled, low, high = shares.any(axis=1), level <= _LOW, level >= _HIGH
            low &= medians <= medians[filled & ~low].min(initial=np.inf)
            high &= medians >= medians[filled & ~high].max(initial=-np.inf)
            words = np.where(high, "high", np.where(low, "low", "medium"))
            phrases = [f"{word} {bare}" for word in words.tolist()]

        def mean(cluster: int) -> str:
            own = self.numbers[(labels == cluster) & (self.codes >= 0)]
            show = partial(_date, detail=min(self.detail + 1, 3)) if self.detail else self.show
            return f"mean {show(fsum(own / max(len(own), 1)))}"  # fsum does not depend on the row order

        return _Trait(self.name, effect, phrases, lambda own: self.show(float(medians[own])), mean, spread)

    def _dates(self, moments: Sequence[float], strength: FloatArray) -> list[str]:
        """Format dates with the lowest precision at which clearly different clusters have different texts."""
        differ = strength >= min(_DISTINCT, max(_LISTED, float(strength.max(initial=0.0))))
        for detail in range(self.detail - 1, 4):
            texts = np.array([_date(moment, detail) for moment in moments])
            if not (differ & (texts[:, None] == texts)).any():
                break
        return list(map(str, texts))

    def _categories(self, sizes: IntpArray, shares: FloatArray) -> list[_Trait]:
        found, overall = [], sizes @ shares / max(int(sizes.sum()), 1)
        spread = np.sqrt(np.abs(overall * (1.0 - overall))).tolist()
        if set(self.values) <= set(_TRUTH):
            share = shares[:, -1] if self.values[-1] == _TRUTH[1] else np.zeros(len(shares))
            phrases = [self.name if each >= 0.5 else f"not {self.name}" for each in share]
            show = [*map(_percent, share)].__getitem__
            return [_Trait(self.name, np.subtract.outer(share, share), phrases, show, show, spread[-1])]
        for place, value in enumerate(self.values):
            share = shares[:, place]
            is_bare = _BARE.fullmatch(value) or value.lower() in self.shared
            phrase = f"{self.name} {value}" if is_bare else value
            texts = [f"{_percent(each)} {value}" for each in share]
            phrases = [phrase if each >= 0.5 else "" for each in share]
            effect, show = np.subtract.outer(share, share), texts.__getitem__
            found.append(_Trait(self.name, effect, phrases, show, spread=spread[place]))
        return found


@dataclass(frozen=True, eq=False)
class _Trait:
    """A column, category or term by which clusters are compared."""

    column: str
    # Effect sizes from -1 to 1, shape (n_clusters, n_clusters), which are positive if the first is higher.
    effect: FloatArray
    phrases: Sequence[str]  # phrase for each cluster's name, or "" if it is not characteristic
    value: Callable[[int], str]  # returns the text of a cluster's median or share
    # Returns the text of a cluster's mean, which is shown if medians are equal. None if there is no mean.
    mean: Callable[[int], str] | None = None
    spread: float = 1.0  # standard deviation over all samples, in the unit of ``effect``

    def words(self, n_clusters: int) -> tuple[str, list[str]]:
        """Return the heading and the cells of a column of the heatmap."""
        # The heading is the category, "mean" if the clusters have equal medians, or "" in other cases.
        values = [self.value(cluster) for cluster in range(n_clusters)]
        if self.mean is None:
            return values[0].partition("%")[2].strip(), [f"{each.partition('%')[0]}%" for each in values]
        means = [self.mean(cluster) for cluster in range(n_clusters)] if len({*values}) == 1 else []
        return ("mean", [each.removeprefix("mean ") for each in means]) if len({*means}) > 1 else ("", values)


@dataclass(frozen=True, eq=False)
class Heatmap:
    """Heatmap of the clusters and the columns in which they differ most.

    Attributes
    ----------
    columns : sequence of (str, str)
        Name of a column or term, and what its values are: "mean" if they are means, a category if they are
        its shares, or "" if they are medians or other shares.
    levels : ndarray of shape (n_clusters, n_columns), float64
        Mean rank or share in the cluster, minus its value in all samples, in standard deviations.
    values : sequence of sequence of str
        Median, mean or share of each column in each cluster, as text.
    """

    columns: Sequence[tuple[str, str]]
    levels: NDArray[np.float64]
    values: Sequence[Sequence[str]]


@dataclass(frozen=True, eq=False)
class Comparison:
    """Comparison of clusters using columns, categories or terms and, for documents, also mean directions."""

    sizes: IntpArray
    traits: Sequence[_Trait]
    directions: FloatArray | None = None

    def describe(self, n_contrasts: int) -> ClusterDescriptions:
        n_contrasts = integer("n_contrasts", n_contrasts, 0)
        sizes, traits = self.sizes, self.traits
        effects = np.array([trait.effect for trait in traits]).reshape(len(traits), len(sizes), len(sizes))
        nearest = _nearest(sizes, effects, self.directions)
        names = _names(sizes, traits, effects, is_terms=self.directions is not None)
        found = []
        for cluster, (size, name, other) in enumerate(zip(sizes.tolist(), names, nearest, strict=True)):
            contrasts = _contrasts(traits, effects, cluster, other, n_contrasts)
            found.append(ClusterDescription(cluster, size, name, other, contrasts))
        return ClusterDescriptions(found)

    def heatmap(self, most: int) -> Heatmap:
        """Select the strongest columns of each cluster in turn, and place similar columns together."""
        from scipy.cluster.hierarchy import leaves_list, linkage

        sizes = self.sizes
        effects = np.array([trait.effect @ sizes / max(trait.spread, 1e-12) for trait in self.traits])
        levels = effects.reshape(len(self.traits), len(sizes)) / max(int(sizes.sum()), 1)
        # Select a term only for clusters in which it is frequent, because the absence of a term says little.
        strengths = np.abs(levels) if self.directions is None else levels
        ranks = strengths.argsort(axis=0, kind="stable").argsort(axis=0).max(axis=1, initial=0)
        chosen: dict[str, int] = {}
        for place in np.lexsort((-(levels**2) @ sizes, -ranks)).tolist():
            if len(chosen) < most:
                chosen.setdefault(self.traits[place].column, place)
        places = np.array([*chosen.values()], dtype=np.intp)
        if len(places) > 2 and len(sizes):
            places = places[leaves_list(linkage(levels[places], "average", optimal_ordering=True))]
        words = [self.traits[place].words(len(sizes)) for place in places]
        columns = [(self.traits[place].column, what) for place, (what, _) in zip(places, words, strict=True)]
        return Heatmap(columns, levels[places].T, list(zip(*(values for _, values in words), strict=True)))


def _nearest(sizes: IntpArray, effects: FloatArray, directions: FloatArray | None) -> list[int]:
    """Return the nearest non-empty cluster of each cluster, or -1 if there is none."""
    # Clusters are compared by their mean directions or, if there are none, by their mean ranks.
    if np.count_nonzero(sizes) < 2:
        return [-1] * len(sizes)
    if directions is None:
        # Compare mean ranks, because the effect size is 1 for all clusters that do not overlap.
        levels = effects @ sizes / sizes.sum()
        distances = np.stack([((levels - own[:, None]) ** 2).sum(axis=0) for own in levels.T])
    else:
        distances = 1.0 - directions @ directions.T
    np.fill_diagonal(distances, np.inf)
    distances[:, sizes == 0] = np.inf
    return np.where(sizes > 0, distances.argmin(axis=1), -1).tolist()


def _contrasts(
    traits: Sequence[_Trait], effects: FloatArray, cluster: int, other: int, most: int
) -> tuple[Contrast, ...]:
    found: dict[str, Contrast] = {}
    strength = np.abs(np.round(effects[:, cluster, other], 9)) if other >= 0 else np.empty(0)
    for place in np.argsort(-strength, kind="stable").tolist():
        trait, effect = traits[place], float(effects[place, cluster, other])
        if strength[place] < _LISTED or len(found) == most:
            break
        # List a category or term only if it is more frequent in the cluster that is described.
        if trait.column in found or (effect < 0 and trait.mean is None):
            continue
        value, beside = trait.value(cluster), trait.value(other)
        if value == beside and trait.mean is not None:
            value, beside = trait.mean(cluster), trait.mean(other)
            if value == beside:
                continue
        if trait.mean is None:
            beside = beside.partition("%")[0] + "%"
        found[trait.column] = Contrast(trait.column, value, beside, abs(effect))
    return tuple(found.values())


def _names(sizes: IntpArray, traits: Sequence[_Trait], effects: FloatArray, *, is_terms: bool) -> list[str]:
    """Return a unique name for each cluster, from phrases that distinguish it from many other clusters."""
    filled = np.flatnonzero(sizes)
    found: list[tuple[str, ...]] = [(f"cluster {cluster}",) for cluster in range(len(sizes))]
    if len(filled) < 2:
        return [name for (name,) in found]
    codes = [np.unique(trait.phrases, return_inverse=True)[1] for trait in traits]
    differs = np.array([code[:, None] != code for code in codes], dtype=bool).reshape(effects.shape)
    numeric = np.array([trait.mean is not None for trait in traits], dtype=bool)[:, None, None]
    strength = np.where(numeric, np.abs(effects), effects)
    apart = (strength >= (_LISTED if is_terms else _DISTINCT)) & differs
    # If a cluster has no clear contrasts, its name is based on weaker contrasts.
    weak = np.where((strength >= _LISTED) & differs, strength, 0.0)
    clear = np.where(apart, strength, 0.0)
    # Among phrases that distinguish a cluster equally well, prefer categories, and then the strongest
    # contrasts.
    bonus = 1e-3 * ~numeric[:, 0, 0]
    for cluster in filled.tolist():
        everything = [other for other in filled.tolist() if other != cluster]
        remaining, chosen = set(everything), list[int]()
        while len(chosen) < 3 and len(traits):
            others = sorted(remaining) or everything
            gain = clear[:, cluster, others].sum(axis=1)
            if not chosen and not gain.any():
                gain = weak[:, cluster, others].sum(axis=1)
            used = {traits[place].column for place in chosen}
            usable = [
                bool(trait.phrases[cluster]) and trait.column not in used and each > 0
                for trait, each in zip(traits, gain, strict=True)
            ]
            if not any(usable):
                break
            order = gain + bonus + 1e-6 * strength[:, cluster].sum(axis=1)
            place = int(np.where(usable, order, -1.0).argmax())
            chosen.append(place)
            remaining -= {other for other in everything if apart[place, cluster, other]}
            if not remaining and not is_terms:
                break
        if chosen:
            found[cluster] = tuple(traits[place].phrases[cluster] for place in chosen)
    # If clusters have equal names, append to each name the value in the column in which the cluster differs
    # most from the others with this name.
    for phrases in [phrases for phrases, count in Counter(found).items() if count > 1]:
        same = [cluster for cluster, other in enumerate(found) if other == phrases]
        for cluster in same:
            between = strength[:, cluster, same].max(axis=1)
            if between.max(initial=0.0) >= _LISTED:
                trait = traits[int(between.argmax())]
                rest = [phrase for phrase in phrases if phrase != trait.phrases[cluster]]
                found[cluster] = (*rest, f"{trait.column} {trait.value(cluster)}")
    return distinct_names(", ".join(phrases) for phrases in found)


def _measure(value: float, unit: str) -> str:
    return with_unit(human_number(value), unit)


def with_unit(number: str, unit: str) -> str:
    """Add a unit to a formatted number: ``5 kg``, ``5%``, ``-$5``."""
    if len(unit) == 1 and unit in "$€£¥":
        return f"-{unit}{number[1:]}" if number.startswith("-") else unit + number
    return f"{number}{'' if unit == '%' else ' '}{unit}".rstrip()


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%"


def with_columns(frame: pd.DataFrame, columns: Mapping[str, Any]) -> pd.DataFrame:
    """Add columns to a table. Underscores are appended to a new name that the table already contains."""
    found = frame.copy(deep=False)
    for name, values in columns.items():
        while name in found:
            name += "_"
        found[name] = values
    return found


def of_rows(
    labels: NDArray[Any], found: ClusterDescriptions, support: FloatArray | None = None
) -> dict[str, NDArray[Any]]:
    """Return columns for samples: ``name``, ``typical`` and, if known, ``support`` and ``doubtful``."""
    # A sample is doubtful if it is noise or if another cluster supports it more than its own cluster does.
    inside = labels >= 0
    typical = np.zeros(len(labels), dtype=bool)
    typical[[row for each in found for row in each.typical]] = True
    # The label -1 of noise selects the last name, which is empty.
    names = np.array([*found.names, ""], dtype=object)[labels]
    columns: dict[str, NDArray[Any]] = {"name": names, "typical": typical}
    if support is not None:
        own = np.full(len(labels), np.nan)
        own[inside] = support[inside, labels[inside]]
        columns["support"] = np.round(own, 4)
        columns["doubtful"] = ~inside | (own + 1e-9 < support.max(axis=1, initial=0.0))
    return columns


def human_number(value: float) -> str:
    """Format a number with three or four significant digits: 1.46, 78,280, 43.3 million."""
    if not np.isfinite(value):
        return "unknown" if np.isnan(value) else str(value)
    value += 0.0  # adding 0.0 avoids -0.0
    size = abs(value)
    if size >= 1e15 or 0 < size < 1e-3:
        return f"{value:.3g}"
    if size >= 1e6:
        unit, word = (1e9, "billion") if size >= 999.5e6 else (1e6, "million")
        return f"{float(f'{value / unit:.3g}'):,g} {word}"
    if size >= 999.5:
        return f"{float(f'{value:.4g}'):,.0f}"
    return f"{float(f'{value:.3g}'):g}"


def exact_number(value: float) -> str:
    """Format a number with three or four significant digits if this is exact, otherwise with all digits."""
    text, same = human_number(value), False
    with suppress(ValueError):
        same = float(text.replace(",", "")) == value
    exact = repr(float(value)).removesuffix(".0")
    whole, point, digits = exact.partition(".")
    if same or abs(value) < 1000 or not whole.lstrip("-").isdigit():
        return text if same else exact
    return f"{int(whole):,}{point}{digits}"


def round_between(low: float, high: float, kind: str) -> float:
    """Return a round number near the middle of [low, high); for dates, the start of a year, month, ..."""
    if kind == "date":
        moment = np.datetime64(round((low / 2.0 + high / 2.0) * 1e6), "us")
        for unit in ("Y", "M", "D", "h", "m", "s"):
            for more in (0, 1):
                start = (moment.astype(f"datetime64[{unit}]") + more).astype("datetime64[us]")
                seconds = float(start.astype(np.int64)) / 1e6
                if low <= seconds < high:
                    return seconds
        return low
    # Replace -infinity, because generated code has no literal for it.
    low = max(low, float(np.finfo(np.float64).min))
    if not np.isfinite(high):
        return low
    middle = low / 2.0 + high / 2.0
    if not low <= middle < high:
        return float(low)
    digits = -int(np.floor(np.log10(high / 2.0 - low / 2.0) + np.log10(2.0))) - 1
    for more in range(4):
        value = round(float(middle), digits + more) + 0.0  # adding 0.0 avoids -0.0
        if low <= value < high:
            return value
    return float(middle)


def _date(seconds: float, detail: int) -> str:
    """Format a date to the year (0), month (1), day (2) or minute (3)."""
    if np.isnan(seconds):
        return "unknown"
    moment = pd.Timestamp(np.datetime64(round(seconds), "s"))
    return f"{moment:{('%Y', '%B %Y', f'{moment.day} %B %Y', '%Y-%m-%d %H:%M')[detail]}}"
