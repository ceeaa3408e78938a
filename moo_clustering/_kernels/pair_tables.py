"""Pairs of samples that two partitions both keep together, for all partitions of two sets.

Labels are int32 of shape (n_partitions, n_samples), clusters 0..k-1 in every row.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def pairs_in_common(
    first: NDArray[np.int32],
    n_first: NDArray[np.int64],
    second: NDArray[np.int32],
    n_second: NDArray[np.int64],
    most_cells: int,
    triangle: bool,
    lo: int,
    hi: int,
    common: NDArray[np.int64],
) -> None:
    """Fill rows ``lo`` to ``hi - 1`` of ``common``.

    Parameters
    ----------
    first, second : ndarray of shape (a, n_samples) and (b, n_samples)
    n_first, n_second : ndarray of shape (a,) and (b,)
        Clusters of every partition.
    most_cells : int
        Largest table of counts; partitions of more cells than that are compared cluster by cluster.
    triangle : bool
        The two are the same: leave out what lies below the diagonal.
    lo, hi : int
    common : ndarray of shape (a, b)
        Written in place.

    Notes
    -----
    O(n_samples) time for two partitions, however many clusters they have.
    """
    n = first.shape[1]
    table = np.zeros(most_cells, dtype=np.int32)
    counts = np.zeros(max(1, n_second.max()), dtype=np.int32)
    members = np.empty(n, dtype=np.int32)
    starts = np.empty(n_first.max() + 1, dtype=np.int64)
    for a in range(lo, hi):
        listed = False
        for b in range(a if triangle else 0, second.shape[0]):
            if n_first[a] * n_second[b] <= most_cells:
                common[a, b] = _by_table(first[a], n_first[a], second[b], n_second[b], table)
                continue
            if not listed:
                _list_members(first[a], n_first[a], starts, members)
                listed = True
            common[a, b] = _by_cluster(starts, members, n_first[a], second[b], counts)


@njit(cache=True, nogil=True)
def pairs_together(
    labels: NDArray[np.int32], n_clusters: NDArray[np.int64], pairs: NDArray[np.int64]
) -> None:
    """pairs[q] = pairs of samples that partition q keeps together."""
    counts = np.zeros(n_clusters.max(), dtype=np.int64)
    for q in range(labels.shape[0]):
        for i in range(labels.shape[1]):
            counts[labels[q, i]] += 1
        pairs[q] = 0
        for c in range(n_clusters[q]):
            pairs[q] += counts[c] * (counts[c] - 1) // 2
            counts[c] = 0


@njit(cache=True, nogil=True)
def _by_table(left: Any, n_left: Any, right: Any, n_right: Any, table: Any) -> Any:
    """Counts of all pairs of clusters; ``table`` comes in and goes out as zeros."""
    for i in range(left.shape[0]):
        table[left[i] * n_right + right[i]] += 1
    total = np.int64(0)
    for cell in range(n_left * n_right):
        count = np.int64(table[cell])
        total += count * (count - 1)
        table[cell] = 0
    return total // 2


@njit(cache=True, nogil=True)
def _list_members(labels: Any, n_clusters: Any, starts: Any, members: Any) -> None:
    """Samples sorted by cluster; cluster c has ``members[starts[c]:starts[c + 1]]``."""
    starts[: n_clusters + 1] = 0
    for i in range(labels.shape[0]):
        starts[labels[i]] += 1
    end = 0
    for c in range(n_clusters):
        end += starts[c]
        starts[c] = end
    starts[n_clusters] = end
    for i in range(labels.shape[0] - 1, -1, -1):
        starts[labels[i]] -= 1
        members[starts[labels[i]]] = i


@njit(cache=True, nogil=True)
def _by_cluster(starts: Any, members: Any, n_clusters: Any, labels: Any, counts: Any) -> int:
    """One row of the table at a time; ``counts`` comes in and goes out as zeros."""
    total = 0
    for c in range(n_clusters):
        for t in range(starts[c], starts[c + 1]):
            cluster = labels[members[t]]
            # The r-th sample of a cell closes r - 1 pairs.
            total += counts[cluster]
            counts[cluster] += 1
        for t in range(starts[c], starts[c + 1]):
            counts[labels[members[t]]] = 0
    return total
