"""Nearest distinct points: KD-tree, brute force, or whole rows of distances."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import NearestNeighbors

from moo_clustering._parallel import n_threads, threads_here

Floats = NDArray[np.floating[Any]]
Metric = str | Callable[..., float]

# Number of list entries handled at once; bounds temporary arrays to some tens of megabytes.
CHUNK = 1 << 20
TREE_FEATURES = 12
_LEAF = 64

#: Metrics that are p-norms of the difference.
MINKOWSKI = {
    "euclidean": 2.0, "l2": 2.0, "minkowski": 2.0,
    "manhattan": 1.0, "l1": 1.0, "cityblock": 1.0, "chebyshev": np.inf, "infinity": np.inf,
}  # fmt: skip


def round_distances(distances: Floats) -> NDArray[np.float64]:
    """Non-negative distances to 40 significant bits (5e-13), so that noise breaks no tie.

    Monotone; keeps inf.
    """
    bits = np.ascontiguousarray(distances, dtype=np.float64).view(np.int64)
    rounded: NDArray[np.float64] = ((bits + (1 << 11)) & ~np.int64((1 << 12) - 1)).view(np.float64)
    return rounded


@dataclass(frozen=True, eq=False)
class MetricSpace:
    """Points among which a metric is searched, and how to get its distances from those found."""

    points: Floats
    metric: Metric
    power: float | None
    finish: Callable[[NDArray[Any]], None]


def metric_space(X: Floats, metric: Metric) -> MetricSpace:
    """Translate a metric: those that order pairs as the Euclidean one does are searched as such."""
    if not isinstance(metric, str):
        return MetricSpace(X, metric, None, _keep)
    if metric == "cosine":
        # |u - v|^2 / 2 = 1 - cos for unit vectors; a dimension of its own holds the all-zero row.
        points = np.column_stack([X, np.zeros(len(X))]).astype(np.float64)
        points /= np.maximum(np.abs(points).max(axis=1, keepdims=True), np.finfo(float).tiny)
        norms = np.sqrt(np.einsum("ij,ij->i", points, points))
        points /= np.where(norms > 0, norms, 1.0)[:, None]
        points[norms == 0, -1] = 1.0
        return MetricSpace(points, metric, 2.0, _half_square)
    if metric == "sqeuclidean":
        return MetricSpace(X, metric, 2.0, _square)
    return MetricSpace(X, metric, MINKOWSKI.get(metric), _keep)


def _keep(distances: NDArray[Any]) -> None:
    return None


def _square(distances: NDArray[Any]) -> None:
    np.square(distances, out=distances)


def _half_square(distances: NDArray[Any]) -> None:
    _square(distances)
    distances *= 0.5


class Found(NamedTuple):
    """Points found for some rows, shape (n_rows, n_found), nearest first, and how far the search is complete.

    Every point nearer to a row than its ``horizon`` has been found.
    """

    points: NDArray[np.int64]
    distances: NDArray[np.float64]
    horizon: NDArray[np.float64]


class PointSearch(ABC):
    """Nearest points of points, themselves included."""

    def __init__(self, points: Floats) -> None:
        self.points = points

    def __call__(self, rows: NDArray[np.int64], n_found: int) -> Found:
        """At least the ``n_found`` nearest points of each row."""
        if 4 * n_found >= len(self.points):
            distances = round_distances(self.all_distances(rows))
            order = np.argsort(distances, axis=1)
            found = np.take_along_axis(distances, order, axis=1)
            return Found(order, found, np.full(len(rows), np.inf))
        return self.nearest(rows, n_found)

    def chunk(self, n_found: int) -> int:
        """How many rows to ask for at once."""
        width = len(self.points) if 4 * n_found >= len(self.points) else n_found
        return max(1, CHUNK // width)

    @abstractmethod
    def all_distances(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Distances of rows to all points."""

    @abstractmethod
    def nearest(self, rows: NDArray[np.int64], n_found: int) -> Found:
        """Nearest points by an index."""


class _MinkowskiSearch(PointSearch):
    def __init__(self, points: Floats, power: float, n_jobs: int | None) -> None:
        super().__init__(points)
        self.power = power
        self.workers = n_threads(n_jobs)
        self._tree: Any = None

    def all_distances(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        names = {1.0: "cityblock", 2.0: "euclidean"}
        distances: NDArray[np.float64] = cdist(
            self.points[rows], self.points, names.get(self.power, "chebyshev")
        )
        return distances

    def nearest(self, rows: NDArray[np.int64], n_found: int) -> Found:
        if self._tree is None:
            self._tree = cKDTree(self.points, leafsize=_LEAF, balanced_tree=False)
        distances, points = self._tree.query(self.points[rows], k=n_found, p=self.power, workers=self.workers)
        distances = round_distances(distances)
        return Found(points, distances, distances[:, -1])


class _EuclideanScan(_MinkowskiSearch):
    """Brute force by matrix products, then the distances of the candidates by differences."""

    def __init__(self, points: Floats, n_jobs: int | None) -> None:
        super().__init__(points, 2.0, n_jobs)
        # Far from the origin the expanded square loses the digits that tell neighbours apart.
        self._centred = points.astype(np.float64) - points.mean(axis=0, dtype=np.float64)
        self._norms = np.sqrt(np.einsum("ij,ij->i", self._centred, self._centred))
        self._scan = NearestNeighbors(algorithm="brute").fit(self._centred)

    def nearest(self, rows: NDArray[np.int64], n_found: int) -> Found:
        rough, points = self._scan.kneighbors(self._centred[rows], n_neighbors=n_found)
        distances = np.empty_like(rough)
        step = max(1, CHUNK // (n_found * self.points.shape[1]))
        for lo in range(0, len(rows), step):
            candidates = self.points[points[lo : lo + step]].astype(np.float64)
            differences = candidates - self.points[rows[lo : lo + step], None]
            distances[lo : lo + step] = np.sqrt(np.einsum("ijk,ijk->ij", differences, differences))
        distances = round_distances(distances)
        order = np.argsort(distances, axis=1)
        noise = 2.0 * (self.points.shape[1] + 8) * np.finfo(float).eps
        slack = noise * (self._norms[rows] + self._norms.max()) ** 2
        horizon = np.sqrt(np.maximum(rough[:, -1] ** 2 - slack, 0.0))
        return Found(
            np.take_along_axis(points, order, axis=1),
            np.take_along_axis(distances, order, axis=1),
            round_distances(horizon),
        )


class _AnyMetricSearch(PointSearch):
    def __init__(self, points: Floats, metric: Metric, n_jobs: int | None) -> None:
        super().__init__(points)
        self.metric, self.n_jobs = metric, n_jobs
        self._scan = NearestNeighbors(metric=metric, n_jobs=n_jobs).fit(points)

    def all_distances(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        distances = pairwise_distances(self.points[rows], self.points, metric=self.metric)
        return np.maximum(np.asarray(distances, dtype=np.float64), 0.0)

    def nearest(self, rows: NDArray[np.int64], n_found: int) -> Found:
        with threads_here(self.n_jobs):
            distances, points = self._scan.kneighbors(self.points[rows], n_neighbors=n_found)
        distances = round_distances(np.maximum(distances, 0.0))
        return Found(points, distances, distances[:, -1])


def point_search(points: Floats, space: MetricSpace, n_jobs: int | None = None) -> PointSearch:
    """The search that suits a metric and a number of features."""
    if space.power is None:
        return _AnyMetricSearch(points, space.metric, n_jobs)
    if space.power == 2.0 and points.shape[1] > TREE_FEATURES:
        return _EuclideanScan(points, n_jobs)
    return _MinkowskiSearch(points, space.power, n_jobs)
