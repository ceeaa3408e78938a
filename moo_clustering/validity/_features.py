"""Feature matrices as the centroid-based indices use them: dense, float64, centred."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from moo_clustering._kernels.partitions import cluster_means, mean_distance_sums
from moo_clustering.validity._population import Population


def mean_square_distance(X: NDArray[np.float64]) -> float:
    """Mean of the squared Euclidean distances over all n^2 pairs of rows of a centred matrix."""
    return 2.0 * float(np.einsum("ij,ij->", X, X)) / len(X)


def means_and_sums(
    X: NDArray[np.float64], population: Population, *, squared: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Cluster means (p, k, d), and per cluster (p, k) the sum of (squared) distances to them."""
    means = np.zeros((*population.sizes.shape, X.shape[1]))
    sums = np.zeros(population.sizes.shape)
    cluster_means(X, population.labels, population.sizes, means)
    mean_distance_sums(X, population.labels, means, squared, sums)
    return means, sums
