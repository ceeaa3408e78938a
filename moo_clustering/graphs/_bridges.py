"""Join the components of a disconnected similarity graph, as weakly as can be."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse import csgraph
from scipy.spatial import cKDTree
from sklearn.neighbors import NearestNeighbors

from moo_clustering.graphs._search import Metric

Link = tuple[float, int, int]

# A component of up to this many samples asks one tree of all samples for more neighbours than it has
# members; a larger one gets a tree of its own.
_SMALL = 64
_TREE_FEATURES = 12
# Bridges are this much weaker than the weakest edge: the order within components stays as it is.
_STRENGTH = 1e-3


def bridge_components(
    S: Any,
    X: NDArray[np.floating[Any]],
    *,
    metric: Metric = "euclidean",
    rng: np.random.Generator,
) -> sp.csr_array:
    """Add the minimum spanning tree over the connected components, by their shortest links.

    Parameters
    ----------
    S : sparse matrix or array-like of shape (n_samples, n_samples)
        Symmetric, zero diagonal. A sample without edges is a component.
    X : ndarray of shape (n_samples, n_features)
        Features, or distances with ``metric="precomputed"``.
    metric : str or callable, default="euclidean"
    rng : numpy.random.Generator
        Breaks ties between equally short links.

    Returns
    -------
    csr_array of shape (n_samples, n_samples)
        Connected. Bridges have similarity 1e-3 times the smallest positive entry (1e-3 without any).

    Notes
    -----
    Boruvka's algorithm: at most log2(components) rounds, in each of which every component but the
    largest looks for its nearest sample outside; O(n log n) a round where distances are Euclidean in
    few dimensions and large components are few.

    References
    ----------
    PESC, section 2 of its specification, "Disconnected graphs".
    """
    graph = sp.csr_array(S, dtype=np.float64)
    n_parts, part = csgraph.connected_components(graph, directed=False)
    if n_parts == 1:
        return graph
    weight = _STRENGTH * (graph.data[graph.data > 0].min() if (graph.data > 0).any() else 1.0)
    order = rng.permutation(graph.shape[0])
    if isinstance(metric, str) and metric == "precomputed":
        finder: _Finder = _MatrixFinder(X[np.ix_(order, order)])
    else:
        finder = _PointFinder(X[order], metric)
    links = np.array(_boruvka(finder, part[order], n_parts), dtype=np.intp)
    i, j = order[links].T
    bridges = sp.coo_array((np.full(len(i), weight), (i, j)), shape=graph.shape)
    return (graph + bridges.tocsr() + bridges.T.tocsr()).tocsr()


def _boruvka(finder: _Finder, part: NDArray[Any], n_parts: int) -> list[tuple[int, int]]:
    """Links (i, j) of the minimum spanning tree over the parts."""
    links: list[tuple[int, int]] = []
    part = part.copy()
    while n_parts > 1:
        sizes = np.bincount(part, minlength=n_parts)
        members = np.split(np.argsort(part, kind="stable"), np.cumsum(sizes)[:-1])
        found = [finder.nearest_outside(members[p], part) for p in range(n_parts) if p != sizes.argmax()]
        root = np.arange(n_parts)
        # Shortest first, and a link only where it joins two trees: equal lengths cannot close a circle.
        for _, i, j in sorted(found):
            a, b = _root_of(root, part[i]), _root_of(root, part[j])
            if a != b:
                root[max(a, b)] = min(a, b)
                links.append((i, j))
        merged = np.array([_root_of(root, p) for p in range(n_parts)])
        part = np.unique(merged, return_inverse=True)[1][part]
        n_parts = int(part.max()) + 1
    return links


def _root_of(root: NDArray[np.intp], p: int) -> int:
    while root[p] != p:
        p = root[p]
    return int(p)


class _Finder:
    """Shortest link from some samples to any outside their part."""

    def nearest_outside(self, members: NDArray[np.intp], part: NDArray[Any]) -> Link:
        raise TypeError(f"{type(self).__name__} must define nearest_outside")


class _MatrixFinder(_Finder):
    def __init__(self, distances: NDArray[np.floating[Any]]) -> None:
        self.distances = distances

    def nearest_outside(self, members: NDArray[np.intp], part: NDArray[Any]) -> Link:
        outside = np.flatnonzero(part != part[members[0]])
        between = self.distances[np.ix_(members, outside)]
        a, b = np.unravel_index(int(between.argmin()), between.shape)
        return float(between[a, b]), int(members[a]), int(outside[b])


class _PointFinder(_Finder):
    def __init__(self, X: NDArray[np.floating[Any]], metric: Metric) -> None:
        self.X, self.metric = X, metric
        self.search = self._index(X)

    def nearest_outside(self, members: NDArray[np.intp], part: NDArray[Any]) -> Link:
        own = part[members[0]]
        if len(members) <= _SMALL:
            # One more neighbour than there are members: at least one of them is outside.
            distances, neighbours = self._query(self.search, self.X[members], len(members) + 1)
            distances = np.where(part[neighbours] == own, np.inf, distances)
            a, b = np.unravel_index(int(distances.argmin()), distances.shape)
            return float(distances[a, b]), int(members[a]), int(neighbours[a, b])
        outside = np.flatnonzero(part != own)
        distances, neighbours = self._query(self._index(self.X[members]), self.X[outside], 1)
        b = int(distances[:, 0].argmin())
        return float(distances[b, 0]), int(members[neighbours[b, 0]]), int(outside[b])

    def _index(self, points: NDArray[np.floating[Any]]) -> Any:
        if self.metric == "euclidean" and points.shape[1] <= _TREE_FEATURES:
            return cKDTree(points)
        return NearestNeighbors(metric=self.metric).fit(points)

    @staticmethod
    def _query(index: Any, points: NDArray[np.floating[Any]], k: int) -> tuple[Any, Any]:
        if isinstance(index, cKDTree):
            distances, neighbours = index.query(points, k)
            return distances.reshape(len(points), k), neighbours.reshape(len(points), k)
        return index.kneighbors(points, k)  # type: ignore[no-any-return]
