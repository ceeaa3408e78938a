"""The Davies-Bouldin index of bags in vectorised NumPy, from the features, one partition at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from moo_clustering.bags import Bags

Floats = NDArray[np.float64]
Labels = NDArray[np.int32]


class NumpyDaviesBouldin:
    """Index of partitions into ``n_clusters``, none of them empty."""

    def __init__(self, bags: Bags, n_clusters: int) -> None:
        self.X, self.starts, self.means = bags.instances, bags.offsets[:-1], bags.means()
        self.bag = bags.bag_of_instance
        self.squares = np.einsum("td,td->t", self.X, self.X)
        self.n_clusters = n_clusters

    def by_products(self, labels: Labels) -> float:
        """Distances to one centroid after the other by |x|^2 - 2 x.c + |c|^2: faster than to all at once."""
        members, centroids = self._centroids(labels)
        squares = np.empty(len(labels))
        for own, c in zip(members, centroids, strict=True):
            farthest = np.maximum.reduceat(self.squares - 2.0 * (self.X @ c), self.starts)
            squares[own] = farthest[own] + c @ c
        return self._index(members, centroids, np.sqrt(np.maximum(squares, 0.0)))

    def by_differences(self, labels: Labels) -> float:
        """Distances of all instances to the centroid of their own bag's cluster."""
        members, centroids = self._centroids(labels)
        differences = self.X - centroids[labels[self.bag]]
        squares = np.einsum("td,td->t", differences, differences)
        return self._index(members, centroids, np.sqrt(np.maximum.reduceat(squares, self.starts)))

    def _centroids(self, labels: Labels) -> tuple[NDArray[np.bool_], Floats]:
        members = labels == np.arange(self.n_clusters)[:, None]
        return members, (members @ self.means) / members.sum(axis=1, keepdims=True)

    def _index(self, members: NDArray[np.bool_], centroids: Floats, radii: Floats) -> float:
        spreads = (members @ radii) / members.sum(axis=1)
        gaps = np.sqrt(((centroids[:, None] - centroids) ** 2).sum(axis=2))
        np.fill_diagonal(gaps, np.inf)
        return float(((spreads[:, None] + spreads) / gaps).max(axis=1).mean())
