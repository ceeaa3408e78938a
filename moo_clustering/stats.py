"""Compare methods on many data sets: Friedman's test and pairwise tests (Shaffer, Holm, Nemenyi)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from operator import or_
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from scipy.stats import rankdata, studentized_range

from moo_clustering._arrays import FloatArray, Int64Array, choice, integer, quoted
from moo_clustering._data import checked_array
from moo_clustering._docs import documented

__all__ = [
    "Comparison",
    "CriticalDifferenceData",
    "FriedmanResult",
    "average_ranks",
    "cliques",
    "compare",
    "critical_difference",
    "critical_difference_data",
    "friedman",
    "holm",
    "nemenyi",
    "pair_matrix",
    "shaffer_static",
]

# Relative tolerance for rounding errors in a Friedman statistic.
_EPS = 1e-9
# Relative rounding error of scores, by the number of bytes of their type. The errors are 64, 8 and 1 units in
# the last place. The mean of a few thousand runs changes by less than this if the runs are added in another
# order. For half precision, one unit suffices, because sums are computed in single precision.
_PRECISION = {8: 2.0**-46, 4: 2.0**-20, 2: 2.0**-10}
# Maximum rounding error of published average ranks, which often have only one decimal.
_ROUNDING = 0.05
_MISSING_TEXT = ("", "nan", "na", "none", "null")


def shaffer_static(
    results: Any,
    *,
    greater_is_better: bool | None = None,
    alpha: float = 0.05,
    n_datasets: int | None = None,
    methods: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Test all pairs of methods with Shaffer's static procedure.

    This procedure is more powerful than Holm's, because equality is transitive: if two methods differ, fewer
    other pairs can be equal. For ties, see :func:`average_ranks`. Takes O(k^2 log k) time and, on the first
    call, O(k^4) bit operations, where k = n_methods. Sources: J. P. Shaffer, Journal of the American
    Statistical Association 81(395), 1986; S. García, F. Herrera, Journal of Machine Learning Research 9,
    2008.

    Parameters
    ----------
    results : DataFrame or array-like of shape (n_datasets, n_methods), Series, mapping or FriedmanResult
        A table of scores, the average rank of each method, or the result of :func:`friedman`.
    greater_is_better : bool
        Whether larger values of a table are better.
    alpha : float, default=0.05
        Significance level.
    n_datasets : int, optional
        Number of data sets; required for average ranks.
    methods : sequence of str, optional
        Names for the columns of an array.

    Returns
    -------
    DataFrame of n_methods (n_methods - 1) / 2 rows
        ``method_1`` (the better method), ``method_2``, ``z``, ``p_value``, ``p_adjusted`` and
        ``significant``, in decreasing order of difference. See also :func:`pair_matrix`.

    Examples
    --------
    >>> ranks = {"C4.5": 2.100, "1-NN": 3.250, "NB": 2.200, "Kernel": 4.333, "CN2": 3.117}
    >>> int(shaffer_static(ranks, n_datasets=30)["significant"].sum())
    6
    """
    return _adjusted_pairs("shaffer", results, greater_is_better, alpha, n_datasets, methods)


@documented(shaffer_static)
def holm(
    results: Any,
    *,
    greater_is_better: bool | None = None,
    alpha: float = 0.05,
    n_datasets: int | None = None,
    methods: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Test all pairs of methods with Holm's step-down procedure."""
    return _adjusted_pairs("holm", results, greater_is_better, alpha, n_datasets, methods)


@documented(shaffer_static)
def nemenyi(
    results: Any,
    *,
    greater_is_better: bool | None = None,
    alpha: float = 0.05,
    n_datasets: int | None = None,
    methods: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Test all pairs of methods with Nemenyi's test, the simplest and least powerful of the three tests.

    Two methods differ if their average ranks differ by at least :func:`critical_difference`. The p-values
    are computed with :func:`scipy.stats.studentized_range`.
    """
    return _adjusted_pairs("nemenyi", results, greater_is_better, alpha, n_datasets, methods)


POSTHOC: dict[str, Callable[..., pd.DataFrame]]
POSTHOC = {"shaffer": shaffer_static, "holm": holm, "nemenyi": nemenyi}


@documented(shaffer_static)
def friedman(
    results: Any,
    *,
    greater_is_better: bool | None = None,
    tie_correction: bool = False,
    n_datasets: int | None = None,
    methods: Sequence[str] | None = None,
) -> FriedmanResult:
    """Test whether all methods perform equally, using Friedman's test and the Iman-Davenport variant.

    For ties, see :func:`average_ranks`. Takes O(n_datasets n_methods log n_methods) time. Raises a ValueError
    if there are fewer than 3 methods or 2 data sets, or if a cell is not a number. Source: J. Demšar, Journal
    of Machine Learning Research 7, 2006, section 3.2.2.

    Parameters
    ----------
    results : DataFrame or array-like of shape (n_datasets, n_methods), or Series or mapping
        One row per data set and one column per method, or the average rank of each method.
    tie_correction : bool, default=False
        Correct for ties, as :func:`scipy.stats.friedmanchisquare` does. Most papers do not. Requires a table.

    Returns
    -------
    FriedmanResult
        If all methods are tied on every data set, the statistics are 0 and the p-values are 1.

    Examples
    --------
    >>> ranks = {"C4.5": 3.143, "C4.5+m": 2.000, "C4.5+cf": 2.893, "C4.5+m+cf": 1.964}
    >>> round(friedman(ranks, n_datasets=14).statistic, 2)
    9.28
    """
    averages, n = _rank_summary(results, greater_is_better, n_datasets, methods)
    k, ranks = len(averages), averages.to_numpy()
    if tie_correction and greater_is_better is None:
        raise ValueError("tie_correction requires a table of results, because average ranks hide ties")
    if k < 3:
        raise ValueError(f"Friedman's test requires at least 3 methods, got {k}")
    statistic = float(12 * n / (k * (k + 1)) * (np.sum(ranks**2) - k * (k + 1) ** 2 / 4))
    if tie_correction:
        table = rank_matrix(*as_results(results, methods=methods), False).to_numpy()
        # If all methods are tied on all data sets, the correction would divide 0 by 0.
        all_tied = (table == table[:, :1]).all()
        statistic = 0.0 if all_tied else float(stats.friedmanchisquare(*table.T).statistic)
    elif statistic < _EPS:  # below the rounding error
        statistic = 0.0
    # Iman and Davenport's F statistic is infinite for the largest possible Friedman statistic.
    df, largest = k - 1, n * (k - 1)
    rest = largest - statistic
    f_value = float("inf") if rest <= _EPS * largest else (n - 1) * statistic / rest
    p, f_p = float(stats.chi2.sf(statistic, df)), float(stats.f.sf(f_value, df, df * (n - 1)))
    return FriedmanResult(
        statistic=statistic, p_value=p, df=df, iman_davenport_statistic=f_value, iman_davenport_p_value=f_p,
        average_ranks=averages, n_datasets=n, n_methods=k,
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class FriedmanResult:
    """Result of :func:`friedman`.

    Parameters
    ----------
    statistic, p_value : float
        Friedman's chi-square statistic and its p-value.
    df : int
        Degrees of freedom, ``n_methods - 1``.
    iman_davenport_statistic, iman_davenport_p_value : float
        F statistic of Iman and Davenport, which is less conservative. It has ``df`` and ``df * (n_datasets -
        1)`` degrees of freedom, and is infinite if all data sets rank the methods in the same order.
    average_ranks : Series
        Average rank of each method; 1 is best.
    n_datasets, n_methods : int
    """

    statistic: float
    p_value: float
    df: int
    iman_davenport_statistic: float
    iman_davenport_p_value: float
    average_ranks: pd.Series[float]
    n_datasets: int
    n_methods: int


@documented(shaffer_static, friedman)
def compare(
    results: Any,
    *,
    greater_is_better: bool,
    alpha: float = 0.05,
    posthoc: str = "shaffer",
    tie_correction: bool = False,
    methods: Sequence[str] | None = None,
) -> Comparison:
    """Compare methods on data sets: compute ranks, Friedman's test, pairwise tests and conclusions.

    Scores that differ only by rounding noise count as tied; see :func:`average_ranks`. Raises a ValueError if
    there are fewer than two methods or data sets, if a name is repeated, or if a cell is not a number.

    Parameters
    ----------
    results : DataFrame or array-like of shape (n_datasets, n_methods)
        One row per data set and one column per method. If a method has several runs, pass their mean.
    greater_is_better : bool
        Whether larger values are better.
    posthoc : {"shaffer", "holm", "nemenyi"}, default="shaffer"
        Pairwise procedure for the conclusions. The result contains the tables of all three procedures.

    Examples
    --------
    >>> scores = [[0.9, 0.5, 0.1], [0.8, 0.4, 0.2], [0.7, 0.6, 0.3], [0.9, 0.8, 0.7]]
    >>> outcome = compare(scores, greater_is_better=True, methods=["good", "fair", "poor"])
    >>> outcome.conclusions[-2]
    'good is better than poor (adjusted p = 0.0140).'
    """
    alpha = checked_alpha(alpha)
    choice("posthoc", posthoc, POSTHOC)
    ranks = rank_matrix(*as_results(results, methods=methods), greater_is_better)
    (n_datasets, n_methods), average = ranks.shape, ranks.mean().rename("average rank")
    test = None
    if n_methods > 2:
        options: Any = {"tie_correction": tie_correction, "methods": methods}
        test = friedman(results, greater_is_better=greater_is_better, **options)
    return Comparison(
        ranks=ranks,
        average_ranks=average,
        friedman=test,
        shaffer=shaffer_static(average, n_datasets=n_datasets, alpha=alpha),
        holm=holm(average, n_datasets=n_datasets, alpha=alpha),
        nemenyi=nemenyi(average, n_datasets=n_datasets, alpha=alpha),
        posthoc=posthoc,
        alpha=alpha,
        greater_is_better=bool(greater_is_better),
        n_datasets=n_datasets,
        n_methods=n_methods,
    )


@dataclass(frozen=True, eq=False)
class Comparison:
    """Result of :func:`compare`.

    Parameters
    ----------
    ranks : DataFrame of shape (n_datasets, n_methods)
        Rank of each method on each data set; 1 is best.
    average_ranks : Series
        Average ranks, in column order.
    friedman : FriedmanResult or None
        None if there are only two methods, because Friedman's test requires three.
    shaffer, holm, nemenyi : DataFrame
        Pairwise tests; see :func:`shaffer_static`.
    posthoc : {"shaffer", "holm", "nemenyi"}
        Pairwise procedure used for ``pairs``, ``groups`` and ``conclusions``.
    alpha : float
    greater_is_better : bool
    n_datasets, n_methods : int
    """

    ranks: pd.DataFrame
    average_ranks: pd.Series[float]
    friedman: FriedmanResult | None
    shaffer: pd.DataFrame
    holm: pd.DataFrame
    nemenyi: pd.DataFrame
    posthoc: str
    alpha: float
    greater_is_better: bool
    n_datasets: int
    n_methods: int

    @property
    def pairs(self) -> pd.DataFrame:
        """Results of the selected pairwise procedure, in decreasing order of difference."""
        return getattr(self, self.posthoc)

    @property
    def groups(self) -> list[tuple[str, ...]]:
        """Maximal groups of methods that do not differ significantly; see :func:`cliques`."""
        return cliques(self.pairs)

    @property
    def conclusions(self) -> list[str]:
        """Conclusions, one sentence each."""
        return sentences(self.friedman, self.pairs, self.groups, self.posthoc, self.alpha)


def pair_matrix(pairs: pd.DataFrame, column: str = "p_adjusted") -> pd.DataFrame:
    """Convert a table of pairs into a square matrix.

    Parameters
    ----------
    pairs : DataFrame
        Result of :func:`shaffer_static`, :func:`holm` or :func:`nemenyi`.
    column : {"p_adjusted", "p_value", "z", "significant"}, default="p_adjusted"
        Column of ``pairs`` to convert.

    Returns
    -------
    DataFrame of shape (n_methods, n_methods)
        Symmetric, with methods from best to worst. On the diagonal, p is 1, z is 0, ``significant`` is False.
    """
    diagonal: dict[str, Any] = {"p_adjusted": 1.0, "p_value": 1.0, "z": 0.0, "significant": False}
    choice("column", column, diagonal)
    names = _best_first(pairs)
    square = pd.DataFrame(diagonal[column], index=names, columns=names)
    for first, second, value in zip(pairs["method_1"], pairs["method_2"], pairs[column], strict=True):
        square.loc[first, second] = square.loc[second, first] = value
    return square


@documented(pair_matrix)
def cliques(pairs: pd.DataFrame) -> list[tuple[str, ...]]:
    """Find the maximal groups of methods that do not differ significantly.

    Takes O(n_methods + n_groups) time, because the methods in a group have consecutive ranks.

    Returns
    -------
    list of tuple of str
        Groups, and the methods in each group, are sorted from best to worst. A method can belong to several
        groups; a method that differs from all others forms a group by itself.

    Examples
    --------
    >>> from moo_clustering.stats import shaffer_static
    >>> cliques(shaffer_static({"a": 1.0, "b": 2.4, "c": 2.6}, n_datasets=10))
    [('a',), ('b', 'c')]
    """
    import networkx as nx

    order = {name: place for place, name in enumerate(_best_first(pairs))}
    graph = nx.Graph()
    graph.add_nodes_from(order)
    same = pairs[~pairs["significant"].astype(bool)]
    graph.add_edges_from(zip(same["method_1"], same["method_2"], strict=True))
    groups = [tuple(sorted(group, key=order.__getitem__)) for group in nx.find_cliques(graph)]
    return sorted(groups, key=lambda group: [order[name] for name in group])


def _best_first(pairs: pd.DataFrame) -> list[str]:
    # ``method_1`` is the better method of each pair, so the best method is most frequent in this column.
    wins = pairs["method_1"].value_counts()
    return sorted(dict.fromkeys([*pairs["method_1"], *pairs["method_2"]]), key=lambda m: -wins.get(m, 0))


@documented(shaffer_static)
def average_ranks(
    results: Any, *, greater_is_better: bool, methods: Sequence[str] | None = None
) -> pd.Series[float]:
    """Compute the average rank of each method.

    Two values in a data set are tied if they differ by at most ``precision * max(size, least)``. Here,
    ``precision`` is 2^-46 (1.4e-14) for double, 2^-20 (9.5e-7) for single and 2^-10 for half precision, and
    ``size`` is the larger absolute value of the two. If the data set contains zeros or both signs (as
    differences do), ``least`` is 1. Otherwise, ``least`` is the largest absolute value in the data set, but
    at most 1. Integers are tied only if equal. Ties are transitive.

    Parameters
    ----------
    results : DataFrame or array-like of shape (n_datasets, n_methods)
        One row per data set and one column per method. Infinite values are allowed.
    greater_is_better : bool
        Whether the largest (True) or the smallest value (False) has rank 1.

    Returns
    -------
    Series of length n_methods
        Average ranks, in column order. Tied values share the mean of their ranks.

    Examples
    --------
    >>> average_ranks([[0.9, 0.7, 0.7], [0.8, 0.9, 0.1]], greater_is_better=True).tolist()
    [1.5, 1.75, 2.75]
    """
    ranks = rank_matrix(*as_results(results, methods=methods), greater_is_better)
    return ranks.mean().rename("average rank")


@documented(shaffer_static)
def critical_difference(n_methods: int, n_datasets: int, *, alpha: float = 0.05) -> float:
    """Return the critical difference between average ranks in Nemenyi's test.

    Parameters
    ----------
    n_methods : int
    n_datasets : int

    Examples
    --------
    >>> round(critical_difference(4, 14), 2)
    1.25
    """
    quantile = studentized_range.isf(checked_alpha(alpha), n_methods, np.inf) / np.sqrt(2)
    return float(quantile * np.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets)))


@documented(shaffer_static)
def critical_difference_data(
    results: Any,
    *,
    alpha: float = 0.05,
    method: str = "shaffer",
    greater_is_better: bool | None = None,
    n_datasets: int | None = None,
    methods: Sequence[str] | None = None,
) -> CriticalDifferenceData:
    """Compute the ranks and groups for a critical difference diagram.

    Parameters
    ----------
    results : DataFrame or array-like of shape (n_datasets, n_methods), Series, mapping or result
        A table of scores, average ranks, or the result of :func:`friedman` or :func:`compare`.
    method : {"shaffer", "holm", "nemenyi"}, default="shaffer"
        Pairwise test.
    """
    procedure = POSTHOC[choice("method", method, POSTHOC)]
    ranks, n = _rank_summary(results, greater_is_better, n_datasets, methods)
    ranks = ranks.sort_values(kind="stable")
    pairs = procedure(ranks, n_datasets=n, alpha=alpha)
    width = critical_difference(len(ranks), n, alpha=alpha) if method == "nemenyi" else None
    groups = [group for group in cliques(pairs) if len(group) > 1]
    return CriticalDifferenceData(ranks, groups, pair_matrix(pairs, "significant"), method, alpha, width)


@dataclass(frozen=True, eq=False)
class CriticalDifferenceData:
    """Average ranks and groups shown by :func:`~moo_clustering.visualization.plot_critical_difference`.

    Parameters
    ----------
    average_ranks : Series
        Average ranks, from best to worst.
    groups : list of tuple of str
        Groups of two or more methods that do not differ significantly. A bar joins the methods of a group.
    different : DataFrame of shape (n_methods, n_methods)
        Whether each pair of methods differs significantly.
    procedure : str
        Pairwise test.
    alpha : float
    critical_difference : float or None
        Critical difference between average ranks in Nemenyi's test; None for other tests.
    """

    average_ranks: pd.Series[float]
    groups: list[tuple[str, ...]]
    different: pd.DataFrame
    procedure: str
    alpha: float
    critical_difference: float | None


def _rank_summary(
    results: Any, greater_is_better: bool | None, n_datasets: int | None, methods: Sequence[str] | None
) -> tuple[pd.Series[float], int]:
    """Return average ranks (1 is best) in column order, and the number of data sets."""
    if isinstance(results, FriedmanResult | Comparison):
        given = {"greater_is_better": greater_is_better, "n_datasets": n_datasets, "methods": methods}
        _refuse("an earlier result", **given)
        return results.average_ranks, results.n_datasets
    if isinstance(results, pd.Series | Mapping):
        _refuse("average ranks", greater_is_better=greater_is_better, methods=methods)
        return _given(pd.Series(results, dtype=np.float64), n_datasets)
    _refuse("a table", n_datasets=n_datasets)
    if greater_is_better is None:
        raise TypeError("greater_is_better must be True or False for a table of results, got None")
    table = rank_matrix(*as_results(results, methods=methods), greater_is_better)
    return table.mean().rename("average rank"), len(table)


def _refuse(what: str, **given: Any) -> None:
    if useless := [name for name, value in given.items() if value is not None]:
        raise ValueError(f"{useless[0]} cannot be combined with {what}; omit it")


def _given(ranks: pd.Series[float], n_datasets: int | None) -> tuple[pd.Series[float], int]:
    n_methods = len(ranks)
    if n_datasets is None:
        raise ValueError("average ranks require the number of data sets; pass n_datasets")
    n_datasets = integer("n_datasets", n_datasets, 2)
    if n_methods < 2:
        raise ValueError(f"average ranks must contain at least 2 methods, got {n_methods}")
    ranks.index = ranks.index.map(str)
    if not ranks.index.is_unique:
        raise ValueError(f"average ranks contain {ranks.index[ranks.index.duplicated()][0]!r} more than once")
    expected = n_methods * (n_methods + 1) / 2
    inside = ranks.between(1 - _ROUNDING, n_methods + _ROUNDING).all()
    if not inside or abs(ranks.sum() - expected) > _ROUNDING * n_methods:
        needed = f"be from 1 to {n_methods} and sum to {expected:g}"
        raise ValueError(f"average ranks of {n_methods} methods must {needed}, got {ranks.tolist()}")
    exact: FloatArray = np.array(ranks.tolist())
    groups = tie_groups(exact, _PRECISION[8] * exact)
    return ranks.groupby(groups).transform("first").rename("average rank"), n_datasets


def rank_matrix(scores: pd.DataFrame, precision: FloatArray, greater_is_better: bool) -> pd.DataFrame:
    """Return the ranks within each row; tied values share the mean of their ranks."""
    if not isinstance(greater_is_better, bool | np.bool_):
        raise TypeError(f"greater_is_better must be True or False, got {quoted(greater_is_better)}")
    values = scores.to_numpy()
    places = tie_groups(values, rounding_noise(values, precision))
    ranks = rankdata(-places if greater_is_better else places, axis=1)
    return pd.DataFrame(ranks, scores.index, scores.columns)


def rounding_noise(values: FloatArray, precision: FloatArray) -> FloatArray:
    """Return the rounding error of each score, given the relative ``precision`` of each row."""
    # The rounding error is the precision times the absolute score. Small scores can be differences between
    # large scores, so scores below a limit are replaced by the limit. The limit is 1 or, in a row of one sign
    # without values above 1, the largest absolute value.
    size = np.where(np.isfinite(values), np.abs(values), 0.0)
    one_sided = (values > 0).all(axis=-1) | (values < 0).all(axis=-1)
    least = np.where(one_sided, np.minimum(size.max(axis=-1, initial=0.0), 1.0), 1.0)
    noise: FloatArray = precision[..., np.newaxis] * np.maximum(size, least[..., np.newaxis])
    return noise


def tie_groups(values: FloatArray, noise: FloatArray) -> Int64Array:
    """Number the scores in each row 0, 1, ... in increasing order. Tied scores have the same number."""
    # Adjacent scores in sorted order are tied if they differ by at most the larger of their errors.
    order = np.argsort(values, axis=-1, kind="stable")
    values, noise = np.take_along_axis(values, order, -1), np.take_along_axis(noise, order, -1)
    with np.errstate(over="ignore", invalid="ignore"):
        near = np.diff(values, axis=-1) <= np.maximum(noise[..., 1:], noise[..., :-1])
    steps = ~near & (values[..., 1:] != values[..., :-1])  # the difference of equal infinities is NaN
    groups = np.zeros(values.shape, dtype=np.int64)
    np.put_along_axis(groups, order[..., 1:], np.cumsum(steps, axis=-1), -1)
    return groups


def clear_differences(ours: Any, theirs: Any) -> tuple[FloatArray, FloatArray]:
    """Return the differences between paired scores, with 0 for ties, and the rounding error of each pair."""
    precision = max(score_precision(np.asarray(ours)), score_precision(np.asarray(theirs)))
    pairs = np.column_stack([np.asarray(one, dtype=np.float64) for one in (ours, theirs)])
    noise = rounding_noise(pairs, np.full(len(pairs), precision)).max(axis=1)
    away = pairs[:, 0] - pairs[:, 1]
    away[np.abs(away) <= noise] = 0.0
    return away, noise


def score_precision(score: Any, dtype: Any = None) -> float:
    """Return the relative rounding error for a score's type or its column's ``dtype``; 0 for integers."""
    kind = getattr(dtype, "numpy_dtype", dtype)
    if kind is None or not isinstance(kind, np.dtype) or kind.kind not in "biuf":
        kind = getattr(score, "dtype", np.dtype(np.int64 if isinstance(score, int) else np.float64))
    return 0.0 if kind.kind in "biu" else _PRECISION.get(kind.itemsize, _PRECISION[8])


def as_results(results: Any, *, methods: Sequence[str] | None = None) -> tuple[pd.DataFrame, FloatArray]:
    """Check a table of results (n_datasets, n_methods); return it and the relative precision of each row."""
    if isinstance(results, pd.DataFrame):
        if methods is not None:
            raise ValueError("methods must be None if results is a DataFrame, which has column names")
        frame, kinds = results, list(results.dtypes)
    else:
        frame, kinds = _framed(results, methods)
    datasets, names = ([str(name) for name in axis] for axis in (frame.index, frame.columns))
    _require_unique(names, "method", "method names must be unique")
    _require_unique(datasets, "data set", "average repeated runs so that each data set has one row")
    if len(names) < 2:
        raise ValueError(f"results must have at least 2 methods (columns), got {len(names)}")
    if len(datasets) < 2:
        raise ValueError(f"results must have at least 2 data sets (rows), got {len(datasets)}")
    cells = frame.to_numpy(dtype=object)
    values, precision = np.empty(cells.shape), np.empty(cells.shape)
    for (row, column), cell in np.ndenumerate(cells):
        values[row, column] = _number(cell, f"data set {datasets[row]!r}, method {names[column]!r}")
        precision[row, column] = score_precision(cell, kinds[column])
    return pd.DataFrame(values, datasets, names), precision.max(axis=1)


def _framed(results: Any, methods: Sequence[str] | None) -> tuple[pd.DataFrame, list[Any]]:
    """Convert the results to a DataFrame of dtype object; also return their dtypes (None for lists)."""
    array = checked_array(results, "results", object)
    if array.ndim != 2:
        got = f"{array.ndim} dimension{'' if array.ndim == 1 else 's'}"
        needed = "a DataFrame or an array of shape (n_datasets, n_methods)"
        raise ValueError(f"results must be {needed}, got {got}")
    width = array.shape[1]
    columns = [f"method {i + 1}" for i in range(width)] if methods is None else list(methods)
    if len(columns) != width:
        raise ValueError(f"methods must have one name per column of results ({width}), got {len(columns)}")
    # Conversion to objects yields Python numbers in double precision, so take the dtype from the input. A
    # list of arrays has the dtype of its arrays.
    kind = results.dtype if hasattr(results, "dtype") else np.asarray(results).dtype
    has_type = hasattr(results, "dtype") or (kind.kind == "f" and kind.itemsize < 8)
    frame = pd.DataFrame(array, index=range(1, len(array) + 1), columns=columns)
    return frame, [kind if has_type else None] * width


def _require_unique(names: Iterable[str], what: str, advice: str) -> None:
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise ValueError(f"results contain the {what} {repeated[0]!r} more than once; {advice}")


def _number(cell: Any, where: str) -> float:
    if isinstance(cell, str) and cell.strip().casefold() in _MISSING_TEXT:
        cell = None
    if cell is None or cell is pd.NA or cell is pd.NaT:
        raise ValueError(f"results have no value for {where}")
    try:
        number = float(cell)
    except (TypeError, ValueError) as error:
        raise ValueError(f"results must be numbers, got {quoted(cell)} for {where}") from error
    if np.isnan(number):
        raise ValueError(f"results have no value (NaN) for {where}")
    return number


def checked_alpha(alpha: float) -> float:
    if not isinstance(alpha, int | float | np.number) or not 0 < alpha < 1:
        raise ValueError(f"alpha must be between 0 and 1, got {quoted(alpha)}")
    return float(alpha)


def _adjusted_pairs(
    procedure: str,
    results: Any,
    greater_is_better: bool | None,
    alpha: float,
    n_datasets: int | None,
    methods: Sequence[str] | None,
) -> pd.DataFrame:
    """Return all pairs (better method first) with two-sided p-values, sorted by decreasing z."""
    alpha = checked_alpha(alpha)
    ranks, n = _rank_summary(results, greater_is_better, n_datasets, methods)
    ranks = ranks.sort_values(kind="stable")
    k, names = len(ranks), ranks.index.to_numpy()
    first, second = np.triu_indices(k, 1)
    error = np.sqrt(k * (k + 1) / (6 * n))
    z = (ranks.to_numpy()[second] - ranks.to_numpy()[first]) / error
    p = 2 * stats.norm.sf(z)
    pairs = pd.DataFrame({"method_1": names[first], "method_2": names[second], "z": z, "p_value": p})
    # Sort by z, because p-values underflow to 0 for very large z.
    pairs = pairs.sort_values("z", ascending=False, kind="stable", ignore_index=True)
    z, p = pairs["z"].to_numpy(), pairs["p_value"].to_numpy()
    if procedure == "nemenyi":
        # Rounding errors in the numerical integration can yield values outside [0, 1].
        adjusted = np.clip(studentized_range.sf(z * np.sqrt(2), k, np.inf), 0.0, 1.0)
    else:
        adjusted = holm_adjusted(p, shaffer_multipliers(k) if procedure == "shaffer" else None)
    pairs["p_adjusted"] = adjusted
    pairs["significant"] = pairs["p_adjusted"] <= alpha
    return pairs


def holm_adjusted(p: FloatArray, multipliers: Any = None) -> FloatArray:
    """Adjust ascending p-values using Holm's multipliers or the given step-down multipliers."""
    if multipliers is None:
        multipliers = np.arange(len(p), 0, -1)
    return np.maximum.accumulate(p * multipliers).clip(max=1.0)


def signed_rank_p(differences: FloatArray) -> float:
    """Return the two-sided p-value of Wilcoxon's signed-rank test; differences of 0 are omitted."""
    away = differences[differences != 0]
    if len(differences) > 13:
        return float(stats.wilcoxon(differences).pvalue) if len(away) else 1.0
    # If ranks are tied, SciPy would enumerate all assignments of signs. Instead, compute counts[s], the
    # number of assignments with positive ranks of sum s. Ranks are doubled, because tied ranks can be halves.
    ranks = np.rint(2 * rankdata(np.abs(away))).astype(np.intp)
    counts = np.ones(1)
    for rank in ranks:
        counts = np.pad(counts, (0, rank)) + np.pad(counts, (rank, 0))
    positive = ranks[away > 0].sum()
    tail = min(counts[: positive + 1].sum(), counts[positive:].sum())
    return min(1.0, float(2 * tail / counts.sum()))


def shaffer_multipliers(n_methods: int) -> Int64Array:
    """Return, for i = 1, 2, ..., the maximum number of pairs that can be equal if i - 1 pairs differ."""
    counts = np.array(possible_true_counts(n_methods))
    n_pairs = n_methods * (n_methods - 1) // 2
    return counts[np.searchsorted(counts, np.arange(n_pairs, 0, -1), side="right") - 1]


@cache
def possible_true_counts(n_methods: int) -> tuple[int, ...]:
    """Return the possible numbers of equal pairs of methods, in increasing order."""
    # Equality is transitive, so equal methods form groups. A group of j methods has j (j - 1) / 2 equal
    # pairs. The possible numbers for k methods are S(k) = {j (j - 1) / 2 + x : 1 <= j <= k, x in S(k - j)},
    # with S(0) = {0}. Each set is stored as the bits of an integer, so a left shift adds j (j - 1) / 2 to all
    # members.
    sets = [1]
    for k in range(1, n_methods + 1):
        sets.append(reduce(or_, (sets[k - j] << (j * (j - 1) // 2) for j in range(1, k + 1))))
    return tuple(count for count in range(n_methods * (n_methods - 1) // 2 + 1) if sets[-1] >> count & 1)


def sentences(
    test: FriedmanResult | None, pairs: pd.DataFrame, groups: Sequence[Any], posthoc: str, alpha: float
) -> list[str]:
    """Write a sentence about all methods, then a sentence for each method that is better than any other."""
    better, significant = [], pairs[pairs["significant"]]
    for method, beaten in significant.groupby("method_1", sort=False):
        values = and_list([*map(p_text, beaten["p_adjusted"])])
        better.append(f"{method} is better than {and_list([*beaten['method_2']])} (adjusted p = {values}).")
    joined = [group for group in groups if len(group) > 1]
    where = ", or ".join(f"{'between' if len(each) == 2 else 'among'} {and_list(each)}" for each in joined)
    unclear = f"No significant difference was found {where}"
    if test is None:
        return better or [f"{unclear}: p = {p_text(pairs['p_adjusted'].iloc[0])} is above {alpha:g}."]
    if test.p_value > alpha:
        lines = [
            "No significant difference was found: Friedman's test does not reject the hypothesis that all "
            f"{test.n_methods} methods perform equally (p = {p_text(test.p_value)}, above {alpha:g})."
        ]
        if test.iman_davenport_p_value <= alpha:
            lines.append(
                "The less conservative test of Iman and Davenport rejects it "
                f"(p = {p_text(test.iman_davenport_p_value)})."
            )
        if better:
            lines.append("Treat the significant pairwise differences only as hints.")
        return lines
    unequal = "By Friedman's test, the methods do not all perform equally"
    lines = [f"{unequal} (p = {p_text(test.p_value)}, not above {alpha:g})."]
    if not better:
        smallest = f"smallest adjusted p = {p_text(pairs['p_adjusted'].iloc[0])}"
        return [*lines, f"However, no pair differs significantly (procedure {posthoc}, {smallest})."]
    return lines + better + ([f"{unclear}."] if joined else [])


def p_text(p: float) -> str:
    return f"{p:.4f}" if p >= 0.00005 else f"{p:.1e}"


def and_list(names: Sequence[str]) -> str:
    """Join names as ``a, b and c``."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else list(names))
