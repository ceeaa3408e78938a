"""Adjusted Rand index of all partitions of one set with all of another."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering._kernels.pair_tables import pairs_in_common, pairs_together
from moo_clustering._kernels.parts import for_parts
from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.validity._base import FloatArray
from moo_clustering.validity._population import integer_rows

# Counters that stay in the nearest cache. A larger table costs more to empty than to fill.
_MOST_CELLS = 4096


class CountedPartitions(NamedTuple):
    """Partitions, clusters 0..k-1 in every row, with what of them enters every comparison."""

    labels: NDArray[np.int32]
    n_clusters: NDArray[np.int64]
    n_pairs: NDArray[np.int64]  # of samples that are together


def pairwise_ari(A: ArrayLike, B: ArrayLike | None = None, *, n_jobs: int | None = None) -> FloatArray:
    """Adjusted Rand index of every partition of A with every one of B.

    Parameters
    ----------
    A : array-like of shape (n_partitions, n_samples) or (n_samples,)
        Any integers; they only have to tell the clusters of a row apart.
    B : array-like of shape (n_others, n_samples) or (n_samples,), optional
        By default A itself, at half the cost.
    n_jobs : int or None, default=None
        Threads, as for joblib; the result doesn't depend on them.

    Returns
    -------
    ndarray of shape (n_partitions, n_others)
        1 exactly for equal partitions, also for two that are one cluster or all singletons; 0 for one
        of these with anything else.

    Raises
    ------
    ValueError
        Partitions of different or no samples, or labels that aren't whole numbers.

    Notes
    -----
    Pairs are counted in integers, so neither the names of clusters nor the order of samples changes a
    digit. O(n_partitions n_others n_samples) time for any number of clusters.

    References
    ----------
    Hubert & Arabie, Journal of Classification 2, 1985.

    Examples
    --------
    >>> pairwise_ari([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]]).round(4)
    array([[1.    , 0.2424],
           [0.2424, 1.    ]])
    """
    first = counted(_compact(A, "A"))
    if B is None:
        return ari_table(first, first, n_jobs)
    second = counted(_compact(B, "B"))
    if first.labels.shape[1] != second.labels.shape[1]:
        raise ValueError(
            "A and B must be partitions of the same samples, "
            f"got {first.labels.shape[1]} and {second.labels.shape[1]}"
        )
    return ari_table(first, second, n_jobs)


def counted(labels: NDArray[np.int32]) -> CountedPartitions:
    """Partitions whose rows have clusters 0..k-1 without gaps."""
    n_clusters = labels.max(axis=1).astype(np.int64) + 1
    n_pairs = np.zeros(len(labels), dtype=np.int64)
    if len(labels):
        pairs_together(labels, n_clusters, n_pairs)
    return CountedPartitions(labels, n_clusters, n_pairs)


def ari_table(first: CountedPartitions, second: CountedPartitions, n_jobs: int | None = None) -> FloatArray:
    """Adjusted Rand indices, shape (n_first, n_second); of one half if both are the same object."""
    shape = len(first.labels), len(second.labels)
    common = np.zeros(shape, dtype=np.int64)
    same = first is second

    def fill(lo: int, hi: int) -> None:
        pairs_in_common(
            first.labels,
            first.n_clusters,
            second.labels,
            second.n_clusters,
            _MOST_CELLS,
            same,
            lo,
            hi,
            common,
        )

    if common.size:
        for_parts(fill, shape[0], common.size * first.labels.shape[1] / (1 + same), n_jobs)
    if same:
        common += np.triu(common, 1).T
    # Pairs together in both, in one of the two, in neither.
    only_first = first.n_pairs[:, np.newaxis] - common
    only_second = second.n_pairs - common
    n_samples = first.labels.shape[1]
    neither = n_samples * (n_samples - 1) // 2 - common - only_first - only_second
    return _from_pairs(*(counts.astype(np.float64) for counts in (common, only_first, only_second, neither)))


def _from_pairs(both: FloatArray, first: FloatArray, second: FloatArray, neither: FloatArray) -> FloatArray:
    # In this form no term of the denominator is a difference of large numbers.
    top = 2.0 * (both * neither - first * second)
    bottom = (both + first) * (first + neither) + (both + second) * (second + neither)
    ari = np.ones_like(top)
    np.divide(top, bottom, out=ari, where=(first > 0.0) | (second > 0.0))
    return ari


def _compact(labels: Any, name: str) -> NDArray[np.int32]:
    rows = integer_rows(labels, name)
    if rows.shape[1] == 0:
        raise ValueError(f"{name} must have at least one sample, got shape {rows.shape}")
    if rows.size and (rows.min() < 0 or rows.max() > 8 * rows.shape[1]):
        rows = np.unique(rows, return_inverse=True)[1].reshape(rows.shape)
    return relabel_by_first_appearance(rows)
