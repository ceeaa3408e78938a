"""The two ways in which a point can stand for a cluster: its mean, or its medoid."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import pairwise_distances_chunked

from moo_clustering._arrays import centred_features
from moo_clustering._distances import Metric, distance_matrix
from moo_clustering._kernels.partitions import (
    least_members,
    mean_separations,
    medoid_distance_sums,
    medoid_separations,
    own_cluster_sums,
)
from moo_clustering.validity._features import mean_square_distance, means_and_sums
from moo_clustering.validity._population import Population, check_option

FloatArray = NDArray[np.float64]


class Scatter(NamedTuple):
    """Per individual: total distance to the representatives, least and greatest distance between two.

    All three squared, or none.
    """

    within: FloatArray
    least: FloatArray
    greatest: FloatArray


class Representatives(Protocol):
    """Data of one kind, prepared to measure populations."""

    n_samples: int
    mean_square: float

    def scatter(self, population: Population, *, squared: bool) -> Scatter:
        """Measure every individual."""

    def total_to_medoid(self) -> float:
        """Total distance of all samples to the medoid of the whole data set."""


class Centroids:
    """Clusters stand by their means, in squared or plain Euclidean distance."""

    def __init__(self, data: Any) -> None:
        self.X = centred_features(data)
        self.n_samples = len(self.X)
        self.mean_square = mean_square_distance(self.X)

    def scatter(self, population: Population, *, squared: bool) -> Scatter:
        parts = Scatter(*(np.empty(len(population.labels)) for _ in range(3)))
        for rows, block in population.blocks(population.sizes.shape[1] * (self.X.shape[1] + 1)):
            means, sums = means_and_sums(self.X, block, squared=squared)
            parts.within[rows] = sums.sum(axis=1)
            mean_separations(means, block.n_clusters, parts.least[rows], parts.greatest[rows])
        if not squared:
            np.sqrt(parts.least, out=parts.least)
            np.sqrt(parts.greatest, out=parts.greatest)
        return parts

    def total_to_medoid(self) -> float:
        row_sums = pairwise_distances_chunked(
            self.X, reduce_func=lambda chunk, _: chunk.sum(axis=1), working_memory=64
        )
        return float(np.concatenate(list(row_sums)).min())


class Medoids:
    """Clusters stand by the member with the least total distance to the others."""

    def __init__(self, data: Any, metric: Metric, max_memory: int, owner: str) -> None:
        self.D = distance_matrix(data, metric, max_memory, owner)
        self.n_samples = len(self.D)
        self.mean_square = mean_square(self.D)

    def scatter(self, population: Population, *, squared: bool) -> Scatter:
        parts = Scatter(*(np.empty(len(population.labels)) for _ in range(3)))
        for rows, block in population.blocks(self.n_samples):
            block_parts = medoid_scatter(
                self.D, cluster_medoids(self.D, block), block.labels, block.n_clusters, squared=squared
            )
            for part, values in zip(parts, block_parts, strict=True):
                part[rows] = values
        return parts

    def total_to_medoid(self) -> float:
        return float(self.D.sum(axis=0).min())


def representatives(kind: str, metric: Metric, data: Any, max_memory: int, owner: str) -> Representatives:
    """The class for ``representative=kind``, with its options checked."""
    check_option("representative", kind, ("centroid", "medoid"))
    if kind == "medoid":
        return Medoids(data, metric, max_memory, owner)
    if not (isinstance(metric, str) and metric == "euclidean"):
        raise ValueError(f'metric must be "euclidean" with representative="centroid"; got {metric!r}')
    return Centroids(data)


def cluster_medoids(D: FloatArray, population: Population) -> NDArray[np.int64]:
    """Medoid of every cluster, ties to the lowest id: shape (p, k), -1 where a row has fewer clusters."""
    sums = np.empty(population.labels.shape)
    own_cluster_sums(D, population.labels, sums)
    medoids = np.empty(population.sizes.shape, dtype=np.int64)
    least_members(sums, population.labels, medoids)
    return medoids


def medoid_scatter(
    D: NDArray[np.floating[Any]],
    medoids: NDArray[np.int64],
    labels: NDArray[np.int32],
    n_clusters: NDArray[np.int64],
    *,
    squared: bool,
) -> Scatter:
    """Scatter of given medoids and labels, which need not belong together."""
    parts = Scatter(*(np.empty(len(labels)) for _ in range(3)))
    medoid_distance_sums(D, medoids, labels, squared, parts.within)
    medoid_separations(D, medoids, n_clusters, parts.least, parts.greatest)
    if squared:
        np.square(parts.least, out=parts.least)
        np.square(parts.greatest, out=parts.greatest)
    return parts


def mean_square(D: NDArray[np.floating[Any]]) -> float:
    """Mean of the squares of all n^2 distances, added in float64."""
    value = float(np.einsum("ij,ij->", D, D, dtype=np.float64)) / D.size
    if not np.isfinite(value):
        raise ValueError("data has distances so large that their squares overflow; rescale it")
    return value
