"""Silhouettes of populations, from distances that need not be symmetric."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def silhouette_means(columns, labels, sizes, n_clusters, width, by_cluster, out, lo, hi):  # type: ignore[no-untyped-def]
    """out[q] = mean silhouette of individuals lo..hi-1, or mean over the clusters of their means.

    ``columns[j, i]`` is the distance from i to j, with zeros for i = j. Clusters 0..k-1 are occupied.
    The bags are taken ``width`` at a time, so that their part of ``columns`` stays near the processor;
    every sum has its own order whatever the width.
    """
    n = labels.shape[1]
    totals = np.empty((sizes.shape[1], width))
    sums = np.zeros((hi - lo, sizes.shape[1]))
    for start in range(0, n, width):
        stop = min(start + width, n)
        for q in range(lo, hi):
            if n_clusters[q] > 1:
                totals[: n_clusters[q]] = 0.0
                for j in range(n):
                    _add(columns[j, start:stop], totals[labels[q, j]])
                _score(labels[q, start:stop], sizes[q], n_clusters[q], totals, sums[q - lo])
    for q in range(lo, hi):
        total = 0.0
        for c in range(n_clusters[q]):
            total += sums[q - lo, c] / sizes[q, c] if by_cluster else sums[q - lo, c]
        out[q] = total / (n_clusters[q] if by_cluster else n)


@njit(cache=True, nogil=True)
def _add(row, into):  # type: ignore[no-untyped-def]
    for t in range(row.shape[0]):
        into[t] += row[t]


@njit(cache=True, nogil=True)
def _score(labels, sizes, k, totals, sums):  # type: ignore[no-untyped-def]
    """sums[c] += silhouettes of some bags of cluster c, from their total distances to all clusters."""
    for t in range(labels.shape[0]):
        own = labels[t]
        if sizes[own] < 2:
            continue
        within = totals[own, t] / (sizes[own] - 1)
        nearest = np.inf
        for c in range(k):
            if c != own:
                nearest = min(nearest, totals[c, t] / sizes[c])
        greater = max(within, nearest)
        if greater > 0.0:
            sums[own] += (nearest - within) / greater
