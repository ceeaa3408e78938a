"""Iterated conditional modes: assign samples one after another, given the clusters of their partners."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def icm_sweep(
    distances: NDArray[np.float64],
    starts: NDArray[np.int64],
    partners: NDArray[np.int64],
    weights: NDArray[np.float64],
    order: NDArray[np.int64],
    labels: NDArray[np.int32],
) -> int:
    """Move every sample to the cluster in which it costs least (ties: the lowest).

    Parameters
    ----------
    distances : ndarray of shape (n_samples, n_clusters), C-contiguous
        Cost of every sample in every cluster, constraints apart.
    starts : ndarray of shape (n_samples + 1,)
        Sample i has the partners ``partners[starts[i]:starts[i + 1]]``.
    partners : ndarray of shape (2 n_pairs,)
    weights : ndarray of shape (2 n_pairs,)
        Cost of sharing the cluster of a partner: negative for must-links.
    order : ndarray
        Samples, in the order in which they are moved.
    labels : ndarray of shape (n_samples,)
        Changed in place; every move counts for those that follow. Partners with label -1 do not count.

    Returns
    -------
    int
        Number of samples that moved.

    Notes
    -----
    O(n_samples n_clusters + n_pairs).
    """
    n_clusters = distances.shape[1]
    cost = np.empty(n_clusters)
    moved = 0
    for i in order:
        for c in range(n_clusters):
            cost[c] = distances[i, c]
        for p in range(starts[i], starts[i + 1]):
            label = labels[partners[p]]
            if label >= 0:
                cost[label] += weights[p]
        best = 0
        for c in range(1, n_clusters):
            if cost[c] < cost[best]:
                best = c
        if best != labels[i]:
            labels[i] = best
            moved += 1
    return moved
