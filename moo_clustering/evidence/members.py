"""Weights of the partitions of a pool, and the selection of one of them."""

import numpy as np
from numpy.typing import ArrayLike

from moo_clustering._arrays import FloatArray, quoted
from moo_clustering._data import checked_array
from moo_clustering._docs import documented

_HARD, _SOFT = 1.0, 0.3
# Rates of the exponential weights: score, ratio of numbers of clusters, evidence.
_SCORE_RATE = 10.0
_RATIO_RATE = 3.0
_EVIDENCE_RATE = 0.3
# Weights up to this share of the largest weight become 0.
_LEAST_SELECTED = 1e-4


def selection_score(agreement: ArrayLike, modularity: ArrayLike, *, weight: float = 0.25) -> FloatArray:
    """Agreement of algorithm families plus weighted graph modularity.

    Raises a ValueError if shapes differ or a value is NaN. Source: ParetoClustering: selection score.

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
        raise ValueError(f"{name} must have one entry per partition, at least one; got {array.shape}")
    if not (array < np.inf).all():
        place = np.flatnonzero(~(array < np.inf))[0]
        raise ValueError(f"{name} must be finite numbers, got {array[place]} at {place}")
    return array


@documented()
def best_member(score: ArrayLike, n_clusters: ArrayLike, *, k: int | None = None) -> int:
    """Index of the partition with the largest score; ties go to the fewest clusters, then to the first.

    Raises a ValueError if shapes differ. Source: ParetoClustering: choice of a partition.

    Parameters
    ----------
    score : array-like of shape (n_partitions,)
        Larger is better.
    n_clusters : array-like of shape (n_partitions,)
    k : int, optional
        Consider only partitions with the number of clusters nearest to k.

    Examples
    --------
    >>> from moo_clustering.evidence import best_member
    >>> best_member([0.5, 0.5, 0.2], [4, 3, 2]), best_member([0.5, 0.5, 0.2], [4, 3, 2], k=2)
    (1, 2)
    """
    scores, sizes = _scored(score, n_clusters)
    if k is None:
        rows = np.arange(len(scores))
    else:
        away = np.abs(sizes - k)
        rows = np.flatnonzero(away == away.min())
    order = np.lexsort((rows, sizes[rows], -scores[rows]))
    return int(rows[order[0]])


def _scored(score: ArrayLike, n_clusters: ArrayLike) -> tuple[FloatArray, FloatArray]:
    scores, sizes = _scores(score, "score"), checked_array(n_clusters, "n_clusters", np.float64)
    if sizes.shape != scores.shape:
        raise ValueError(
            f"n_clusters must have one entry per score, shape {scores.shape}; got shape {sizes.shape}"
        )
    return scores, sizes


def consensus_weights(score: ArrayLike, n_clusters: ArrayLike, k: int) -> FloatArray:
    """Return weights of partitions in a consensus of k clusters: ``exp(10 (s - max s) - 3 |ln(k_P / k)|)``.

    Raises a ValueError if shapes differ, or a number of clusters is below 1. Source: ParetoClustering.

    Parameters
    ----------
    score : array-like of shape (n_partitions,)
        Selection score s.
    n_clusters : array-like of shape (n_partitions,)
        k_P, at least 1.
    k : int
        Desired number of clusters, at least 1.

    Returns
    -------
    ndarray of shape (n_partitions,)
        Weights; 0 if at most 1e-4 times the largest.

    Examples
    --------
    >>> from moo_clustering.evidence import consensus_weights
    >>> consensus_weights([1.0, 1.0, 0.0], [2, 4, 2], 2).round(6).tolist()
    [1.0, 0.125, 0.0]
    """
    scores, sizes = _scored(score, n_clusters)
    if k < 1 or sizes.min() < 1:
        raise ValueError(
            f"numbers of clusters must be at least 1, got k={k} and n_clusters from {sizes.min()}"
        )
    return _weights(
        _SCORE_RATE * (scores - scores.max()) - _RATIO_RATE * np.abs(np.log(sizes / k)), _LEAST_SELECTED
    )


def _weights(logarithms: FloatArray, least: float) -> FloatArray:
    weights = np.exp(logarithms)
    weights[weights <= least * weights.max()] = 0.0
    return weights


def evidence_weights(evidence: ArrayLike, *, drop: bool = False) -> FloatArray:
    """Return the weights v = exp(0.3 (E - max E)) of the partitions, scaled to sum 1.

    Raises a ValueError if a value is NaN. Used by ParetoClustering for its partition kernel and for pairs.

    Parameters
    ----------
    evidence : array-like of shape (n_partitions,)
        Log evidence of each partition, from labels or pairs.
    drop : bool, default=False
        Set weights of at most 1e-4 times the largest to 0.

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
    weights = _weights(_EVIDENCE_RATE * (values - values.max()), _LEAST_SELECTED if drop else 0.0)
    return weights / weights.sum()
