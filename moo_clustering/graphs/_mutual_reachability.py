"""Minimum spanning trees of mutual-reachability distances."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from moo_clustering._kernels.reachability import prim_reachability
from moo_clustering.graphs._list_distances import PlainMetric, checked_data, index_tied_lists, row_distances
from moo_clustering.graphs._spanning_tree import SpanningTree, hang_up


def mutual_reachability_mst(
    X: ArrayLike, *, n_neighbors: int = 5, metric: PlainMetric = "euclidean", n_jobs: int | None = None
) -> SpanningTree:
    """Exact minimum spanning tree of the distances max(d_ij, core_i, core_j).

    core_i is the distance of sample i to its ``n_neighbors``-th nearest other sample, or to the last
    one if there are fewer.

    Parameters
    ----------
    X : array-like of shape (m, n_features)
        Or (m, m) symmetric distances with ``metric="precomputed"``.
    n_neighbors : int, default=5
    metric : {"euclidean", "precomputed"}, default="euclidean"
    n_jobs : int, optional
        Threads of the neighbour search; the result does not depend on it.

    Returns
    -------
    SpanningTree
        Hung up at sample 0. Of links that are equally long, as many are that end at one sample of low
        density, the one of smaller d_ij is taken, then by row numbers.

    Raises
    ------
    ValueError
        Bad data or metric, distances that are not symmetric, or ``n_neighbors`` below 1.

    Notes
    -----
    Prim's algorithm without a matrix: O(m^2 n_features) time, O(m n_features) memory.

    References
    ----------
    Campello, Moulavi and Sander, Density-based clustering based on hierarchical density estimates,
    PAKDD 2013.
    """
    if n_neighbors < 1:
        raise ValueError(f"n_neighbors must be at least 1, got {n_neighbors}.")
    data = checked_data(X, metric)
    m, precomputed = len(data), metric == "precomputed"
    if precomputed:
        if not np.allclose(data, data.T, rtol=1e-9, atol=0.0):
            raise ValueError('metric="precomputed": distances must be symmetric for a spanning tree.')
        # Both halves alike to the bit, so that ties are ties from either end.
        data = np.maximum(data, data.T)
    links = np.empty((m - 1, 2), dtype=np.int64)
    if m == 1:
        return hang_up(links, np.empty(0), 1, 0)
    cores = index_tied_lists(data, n_neighbors, metric, n_jobs)[1][:, -1]
    prim_reachability(np.ascontiguousarray(data), precomputed, cores if precomputed else cores**2, links)
    i, j = links.T
    distances = data[i, j] if precomputed else row_distances(data, i, j)
    return hang_up(links, np.maximum(distances, np.maximum(cores[i], cores[j])), m, 0)
