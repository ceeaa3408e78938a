"""Weights of pool members, selection of a member, and a test against cluster-free data."""

import warnings
from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike
from scipy.cluster.hierarchy import linkage
from scipy.special import ndtr, ndtri
from scipy.stats import rankdata
from scipy.stats import t as student
from sklearn.decomposition import FastICA
from sklearn.exceptions import ConvergenceWarning
from sklearn.isotonic import isotonic_regression

from moo_clustering._arrays import FloatArray, IntpArray, quoted
from moo_clustering._data import checked_array
from moo_clustering._docs import documented

# There are _N_REFERENCES reference data sets of at most _REFERENCE_ROWS rows and _MOST_COLUMNS columns.
_REFERENCE_ROWS, _MOST_COLUMNS, _N_REFERENCES = 250, 50, 19
# If a column has fewer distinct values than this, the references keep its marginal distribution.
_FEW_VALUES = 8
# Weights up to this fraction of the largest weight are set to 0.
_LEAST_SELECTED = 1e-4


def selection_score(agreement: ArrayLike, modularity: ArrayLike, *, weight: float = 0.25) -> FloatArray:
    """Return the agreement between algorithm families plus the weighted graph modularity.

    Raises a ValueError if the shapes differ or if a value is NaN. Source: ParetoClustering (selection score).

    Parameters
    ----------
    agreement, modularity : array-like of shape (n_partitions,)
    weight : float, default=0.25
        Non-negative weight of the modularity.

    Returns
    -------
    ndarray of shape (n_partitions,)

    Examples
    --------
    >>> from moo_clustering.evidence import selection_score
    >>> selection_score([0.5, 0.25], [0.0, 0.5]).tolist()
    [0.5, 0.375]
    """
    first, second = _scores(agreement, "agreement"), _scores(modularity, "modularity")
    if first.shape != second.shape:
        raise ValueError(
            f"agreement and modularity must have one entry per partition, got {len(first)} and {len(second)}"
        )
    if not weight >= 0:
        raise ValueError(f"weight must be non-negative, got {quoted(weight)}")
    return first + weight * second


def _scores(values: ArrayLike, name: str) -> FloatArray:
    array = checked_array(values, name, np.float64, finite=False)
    if array.ndim != 1 or not len(array):
        raise ValueError(f"{name} must have one entry per partition, and at least one, got {array.shape}")
    if len(wrong := np.flatnonzero(~(array < np.inf))):
        raise ValueError(f"{name} must be finite numbers or -inf, got {array[wrong[0]]} at {wrong[0]}")
    return array


@documented()
def best_member(score: ArrayLike, n_clusters: ArrayLike, *, k: int | None = None) -> int:
    """Return the index of the partition with the highest score.

    Ties go to the partition with the fewest clusters, and then to the first partition. Raises a ValueError if
    shapes differ. Source: ParetoClustering (selection of a partition).

    Parameters
    ----------
    score : array-like of shape (n_partitions,)
        Scores. Higher scores are better.
    n_clusters : array-like of shape (n_partitions,)
    k : int, optional
        Consider only partitions whose number of clusters is closest to k.

    Examples
    --------
    >>> from moo_clustering.evidence import best_member
    >>> best_member([0.5, 0.5, 0.2], [4, 3, 2]), best_member([0.5, 0.5, 0.2], [4, 3, 2], k=2)
    (1, 2)
    """
    scores, sizes = _scored(score, n_clusters)
    away = np.zeros(len(sizes)) if k is None else np.abs(sizes - k)
    return int(np.lexsort((sizes, -scores, away))[0])


def _scored(score: ArrayLike, n_clusters: ArrayLike) -> tuple[FloatArray, FloatArray]:
    scores, sizes = _scores(score, "score"), checked_array(n_clusters, "n_clusters", np.float64)
    if sizes.shape != scores.shape:
        raise ValueError(
            f"n_clusters must have one entry per score, shape {scores.shape}; got shape {sizes.shape}"
        )
    return scores, sizes


def consensus_weights(score: ArrayLike, n_clusters: ArrayLike, k: int) -> FloatArray:
    """Return partition weights for a consensus of k clusters: ``exp(10 (s - max s) - 3 |ln(k_P / k)|)``.

    Raises a ValueError if shapes differ or if a number of clusters is below 1. Source: ParetoClustering.

    Parameters
    ----------
    score : array-like of shape (n_partitions,)
        Selection score s.
    n_clusters : array-like of shape (n_partitions,)
        Number of clusters k_P of each partition, at least 1.
    k : int
        Desired number of clusters, at least 1.

    Returns
    -------
    ndarray of shape (n_partitions,)
        Weights. Values of at most 1e-4 times the largest weight are set to 0.

    Examples
    --------
    >>> from moo_clustering.evidence import consensus_weights
    >>> consensus_weights([1.0, 1.0, 0.0], [2, 4, 2], 2).round(6).tolist()
    [1.0, 0.125, 0.0]
    """
    scores, sizes = _scored(score, n_clusters)
    if k < 1 or sizes.min() < 1:
        raise ValueError(f"k and n_clusters must be at least 1, got k={k} and n_clusters from {sizes.min()}")
    logarithms = 10.0 * (scores - scores.max()) - 3.0 * np.abs(np.log(sizes / k))
    return _weights(logarithms, _LEAST_SELECTED)


def _weights(logarithms: FloatArray, least: float) -> FloatArray:
    weights = np.exp(logarithms)
    weights[weights <= least * weights.max()] = 0.0
    return weights


def evidence_weights(evidence: ArrayLike, *, drop: bool = False) -> FloatArray:
    """Return the partition weights exp(0.3 (E - max E)), scaled to sum to 1, where E is the log evidence.

    Raises a ValueError if a value is NaN. ParetoClustering uses these weights for its kernel and for pairs.

    Parameters
    ----------
    evidence : array-like of shape (n_partitions,)
        Log evidence E of each partition, computed from labels or pairs.
    drop : bool, default=False
        Whether to set weights of at most 1e-4 times the largest weight to 0.

    Returns
    -------
    ndarray of shape (n_partitions,)

    Examples
    --------
    >>> from moo_clustering.evidence import evidence_weights
    >>> evidence_weights([-1.0, -1.0]).tolist()
    [0.5, 0.5]
    """
    values = _scores(evidence, "evidence")
    weights = _weights(0.3 * (values - values.max()), _LEAST_SELECTED if drop else 0.0)
    return weights / weights.sum()


def spread_rows(X: FloatArray, most: int) -> IntpArray:
    """Select at most ``most`` rows, evenly spaced in the order of distance from the mean."""
    # Round the distances, because rotations and the order of the rows must not affect the selection.
    distances = ((X - X.mean(axis=0)) ** 2).sum(axis=1)
    order = np.lexsort([*X.T[::-1], np.round(distances / max(distances.mean(), np.finfo(float).tiny), 9)])
    places = np.linspace(0, len(X) - 1, min(len(X), most)).round().astype(np.intp)
    return order[places]


class ReferenceTest:
    """Test that compares Ward clusterings of data X, shape (n, n_features), with those of cluster-free data.

    The cluster-free data sets (references) are drawn from unimodal densities of the independent components,
    and have the correlations of X. The statistic is ln(total / within-cluster sum of squares), standardised
    by its mean and standard deviation over the references. It is computed twice, and the larger value is
    used: once for X, which detects small distant clusters, and once after the farthest 5% of the rows are
    moved towards the mean, which detects clusters in heavy-tailed data. Takes O(B n^2 (d + log n)) time for B
    references with n <= 250 rows and d features. Sources: Tibshirani, Walther and Hastie, JRSS B 63, 2001
    (gap statistic); Grenander 1956 and Hartigan and Hartigan, Annals of Statistics 13, 1985 (unimodal
    densities); Hyvärinen, IEEE Trans. Neural Networks 10, 1999 (FastICA).
    """

    def __init__(self, X: FloatArray) -> None:
        rows = X[spread_rows(X, _REFERENCE_ROWS)]
        if rows.shape[1] > _MOST_COLUMNS:
            left, values, _ = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)
            rows = (left * values)[:, :_MOST_COLUMNS]
        components, mixing = _independent_components(rows)
        drawn = np.stack([_ward_profiles(each @ mixing) for each in _references(components)])
        means, scales = drawn.mean(axis=0), np.maximum(drawn.std(axis=0, ddof=1), 1e-6)
        # These are the statistics of the data and of each reference, for 1, 2, ... clusters.
        self.data = ((_ward_profiles(rows) - means) / scales).max(axis=0)
        self.references = ((drawn - means) / scales).max(axis=1)

    def excess(self, n_clusters: int) -> float:
        """Return by how many standard deviations the data's statistic exceeds the mean of the references."""
        place = min(n_clusters, len(self.data)) - 1
        drawn = self.references[:, place]
        return float((self.data[place] - drawn.mean()) / max(drawn.std(ddof=1), 1e-6))

    def p_value(self, n_clusters: int) -> float:
        """Return the p-value of the excess from Student's t distribution, at least .001."""
        # There are too few references for reliable p-values below .001.
        excess = self.excess(n_clusters) / np.sqrt(1 + 1 / _N_REFERENCES)
        return max(float(student.sf(excess, _N_REFERENCES - 1)), 0.001)


def _ward_profiles(X: FloatArray) -> FloatArray:
    """Return the profiles of the rows before and after far rows are moved to the mean, shape (2, n_rows)."""
    X = X - X.mean(axis=0)
    distances = np.sqrt((X**2).sum(axis=1, keepdims=True))
    most = max(np.quantile(distances, 0.95), np.finfo(float).tiny)
    return np.stack([_ward_profile(X), _ward_profile(X * (most / np.maximum(distances, most)))])


def _ward_profile(X: FloatArray) -> FloatArray:
    """Return ln(total / within-cluster sum of squares) for Ward clusterings with 1, 2, ... clusters."""
    heights = linkage(X, "ward")[:, 2]
    within = np.concatenate([[0.0], np.cumsum(heights**2 / 2)])[::-1]
    total = max(within[0], np.finfo(float).tiny)
    return -np.log(np.maximum(within / total, 1e-6))


def _independent_components(X: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return independent components of the rows, and the matrix that maps them back to centred rows."""
    # Principal components can hide that marginals are bounded, skewed or discrete. With them, even data
    # without clusters could differ from their references.
    n, few = len(X), np.array([len(np.unique(column)) < _FEW_VALUES for column in X.T], dtype=bool)
    left, values, right = np.linalg.svd((X - X.mean(axis=0))[:, ~few], full_matrices=False)
    kept = values > 1e-6 * values.max(initial=0.0)
    # Fix the arbitrary signs of singular vectors.
    signs = np.sign(left[np.abs(left).argmax(axis=0), np.arange(left.shape[1])])[kept]
    white = left[:, kept] * signs * np.sqrt(n)
    mixing = (values[kept] * signs / np.sqrt(n))[:, None] * right[kept]
    # With fewer than ten rows per component, ICA overfits.
    m = min(white.shape[1], n // 10)
    rotation = np.eye(m)
    if m:
        ica = FastICA(fun="cube", whiten=False, w_init=rotation, max_iter=40, tol=1e-3)
        with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
            rotation = ica.fit(white[:, :m]).components_
    components = np.column_stack([white[:, :m] @ rotation.T, white[:, m:], X[:, few]])
    back = np.zeros((components.shape[1], X.shape[1]))
    back[: len(mixing), ~few] = np.concatenate([rotation @ mixing[:m], mixing[m:]])
    back[len(mixing) :, few] = np.eye(int(few.sum()))
    return components, back


def _references(X: FloatArray) -> Iterator[FloatArray]:
    """Yield cluster-free data sets with unimodal marginals and the correlations of X."""
    n, rng = len(X), np.random.default_rng(0)
    ranks = rankdata(X, axis=0)
    scores = ndtri((ranks - 0.5) / n)
    scores = scores - scores.mean(axis=0)
    scores /= np.maximum(scores.std(axis=0), 1e-12)
    margins = [_unimodal_quantiles(column) for column in X.T]

    for _ in range(_N_REFERENCES):
        # Random linear combinations of the rows preserve the correlations.
        shares = ndtr(rng.normal(size=(n, n)) @ scores / np.sqrt(n))
        columns = [np.interp(share, *margin) for share, margin in zip(shares.T, margins, strict=True)]
        yield np.column_stack(columns)


def _unimodal_quantiles(column: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the quantiles of the unimodal density closest to a column, as cumulative shares and values."""
    low, extent = column.min(), np.ptp(column)
    # Scale to 0..1 and round, because values that differ only by rounding errors must become equal.
    column = np.round((column - low) / max(extent, np.finfo(float).tiny), 9)
    values, counts = np.unique(column, return_counts=True)
    shares = counts / len(column)
    if len(values) < _FEW_VALUES:
        steps = np.concatenate([[0.0], np.cumsum(shares)])
        # Repeat each value, because the distribution function has steps but is interpolated linearly.
        ends = np.repeat(steps, 2)[1:-1] + np.tile([1e-12, 0.0], len(values))
        return ends, low + extent * np.repeat(values, 2)
    between = (values[1:] + values[:-1]) / 2
    edges = np.concatenate([[2 * values[0] - between[0]], between, [2 * values[-1] - between[-1]]])
    widths = np.diff(edges)
    # Use the middle of the shortest interval that contains a quarter of the values as the mode.
    ordered, inside = np.sort(column), max(2, len(column) // 4)
    start = int(np.argmin(ordered[inside - 1 :] - ordered[: len(ordered) - inside + 1]))
    middle = (ordered[start] + ordered[start + inside - 1]) / 2
    mode = int(np.clip(np.searchsorted(edges, middle) - 1, 0, len(values) - 1))
    heights = shares / widths
    rising = isotonic_regression(heights[: mode + 1], sample_weight=widths[: mode + 1])
    falling = isotonic_regression(heights[mode:], sample_weight=widths[mode:], increasing=False)
    top = max(rising[-1], falling[0])
    mass = np.concatenate([rising[:-1], [top], falling[1:]]) * widths
    below = np.concatenate([[0.0], np.cumsum(mass)])
    return below / below[-1], low + extent * edges
