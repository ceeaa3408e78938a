"""A connected neighbour graph whose scale follows the local density."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csgraph

from moo_clustering.graphs._bridging import _proposals, spanning_links
from moo_clustering.graphs._list_distances import PlainMetric, checked_data, index_tied_lists
from moo_clustering.graphs._neighbors import NeighborLists
from moo_clustering.graphs._similarity import symmetrize

# Least similarity of neighbours, so that an edge never vanishes by underflow.
_LEAST = 1e-6
_LEAST_BRIDGE = 1e-4
_WEAKNESS = 1e-3
_LEAST_SCALE = 1e-3


def self_tuning_graph(
    X: ArrayLike,
    *,
    n_neighbors: int = 10,
    scale_neighbor: int = 7,
    metric: PlainMetric = "euclidean",
    n_jobs: int | None = None,
) -> sp.csr_array:
    """Similarities exp(-d_ij^2 / (sigma_i sigma_j)) of nearest neighbours, made connected.

    sigma_i is the distance of sample i to its ``scale_neighbor``-th nearest neighbour, at least a
    thousandth of the median positive neighbour distance. An edge that is listed from one end only
    counts in full; edges are at least 1e-6.

    Parameters
    ----------
    X : array-like of shape (m, n_features)
        Or (m, m) distances with ``metric="precomputed"``.
    n_neighbors : int, default=10
        Nearest other samples that are linked, at most m - 1. Equally near ones by row number.
    scale_neighbor : int, default=7
        Neighbour that sets the scale; the last one if there are fewer.
    metric : {"euclidean", "precomputed"}, default="euclidean"
    n_jobs : int, optional
        Threads of the neighbour search; the result does not depend on it.

    Returns
    -------
    csr_array of shape (m, m), float64
        Symmetric, zero diagonal, connected. Components of the neighbour graph are joined along the
        minimum spanning tree of their smallest distances with weight max(1e-3 min S, 1e-4). If all
        neighbour distances are 0, every similarity of neighbours is 1.

    Raises
    ------
    ValueError
        Bad data or metric, or a number of neighbours below 1.

    Notes
    -----
    Time of :func:`neighbor_lists`, O(m n_neighbors) memory. Bridges are exact up to 2000 samples, above
    as in :func:`bridge_components`.

    References
    ----------
    Zelnik-Manor and Perona, Self-tuning spectral clustering, NIPS 2004.
    """
    for name, value in (("n_neighbors", n_neighbors), ("scale_neighbor", scale_neighbor)):
        if value < 1:
            raise ValueError(f"{name} must be at least 1, got {value}.")
    data = checked_data(X, metric)
    m = len(data)
    if m == 1:
        return sp.csr_array((1, 1), dtype=np.float64)
    lists, distances = index_tied_lists(data, n_neighbors, metric, n_jobs)
    weights = _weights(lists.indices, distances, scale_neighbor)
    rows = np.repeat(np.arange(m), distances.shape[1])
    directed = sp.coo_array((weights.ravel(), (rows, lists.indices.ravel())), shape=(m, m)).tocsr()
    return _connected(symmetrize(directed), data, metric, lists)


def _weights(
    indices: NDArray[np.int32], distances: NDArray[np.float64], scale_neighbor: int
) -> NDArray[np.float64]:
    positive = distances[distances > 0]
    if not len(positive):
        return np.ones_like(distances)
    least = _LEAST_SCALE * np.median(positive)
    scale = np.maximum(distances[:, min(scale_neighbor, distances.shape[1]) - 1], least)
    # One ratio after the other: the product of two tiny scales may underflow.
    exponent = (distances / scale[:, None]) * (distances / scale[indices])
    return np.maximum(_LEAST, np.exp(-exponent))


def _connected(
    graph: sp.csr_array, data: NDArray[np.float64], metric: PlainMetric, lists: NeighborLists
) -> sp.csr_array:
    n_parts, parts = csgraph.connected_components(graph, directed=False)
    if n_parts == 1:
        return graph
    keys = np.arange(len(data), dtype=np.int64)
    i, j = spanning_links(parts, _proposals(data, metric, lists, keys, len(data)), keys)
    weight = max(_WEAKNESS * float(graph.data.min()), _LEAST_BRIDGE)
    bridges = sp.coo_array((np.full(len(i), weight), (i, j)), shape=graph.shape).tocsr()
    bridged = (graph + bridges + bridges.T).tocsr()
    bridged.sort_indices()
    return bridged
