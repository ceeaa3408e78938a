"""Xie-Beni index: compactness over separation."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering._distances import MAX_MEMORY, Metric
from moo_clustering.validity._base import FloatArray, IntArray, ValidityIndex
from moo_clustering.validity._medoid_rows import check_medoids
from moo_clustering.validity._population import check_population, require_fitted
from moo_clustering.validity._representatives import (
    Representatives,
    Scatter,
    mean_square,
    medoid_scatter,
    representatives,
)

SINGLE_CLUSTER = 1e12
_SEPARATION_FLOOR = 1e-12
# Below this the floor itself would underflow; the samples count as all equal.
_NOTHING = 1e-290


class XieBeni(ValidityIndex):
    """Mean squared distance to the representatives over their least squared distance; minimise.

    Parameters
    ----------
    representative : {"centroid", "medoid"}, default="centroid"
        What stands for a cluster: its mean, or its member with the least total distance to the
        others (ties to the lowest id).
    metric : str or callable, default="euclidean"
        Dissimilarity, with medoids only: what :func:`sklearn.metrics.pairwise_distances` takes, or
        ``"precomputed"``. It is squared, also where it is a squared distance already.
    max_memory : int, default=4 GiB
        Limit in bytes for the distance matrix that medoids need.

    Notes
    -----
    ``XB = sum_i e_i^2 / (n * max(least squared separation, 1e-12 * mean squared distance))``, the
    mean over all n^2 pairs. One cluster: 1e12. All samples equal: 0.

    Centroids: O(p n d + p k^2 d) time and O(n d) memory for p individuals. Medoids: O(p n^2) time,
    O(n^2) memory.

    References
    ----------
    NSGA-II-clus; Xie & Beni, IEEE TPAMI 13(8), 1991.

    Examples
    --------
    >>> from moo_clustering.validity import XieBeni
    >>> XieBeni().fit([[0.0], [2.0], [10.0], [12.0]]).evaluate([0, 0, 1, 1])
    array([0.01])
    """

    name: ClassVar[str] = "xie_beni"
    greater_is_better: ClassVar[bool] = False

    n_samples_: int
    form_: Representatives

    def __init__(
        self,
        representative: Literal["centroid", "medoid"] = "centroid",
        metric: Metric = "euclidean",
        *,
        max_memory: int = MAX_MEMORY,
    ) -> None:
        self.representative = representative
        self.metric = metric
        self.max_memory = max_memory

    def fit(self, data: ArrayLike) -> Self:
        self.form_ = representatives(self.representative, self.metric, data, self.max_memory, "XieBeni")
        self.n_samples_ = self.form_.n_samples
        return self

    def evaluate(self, labels: IntArray) -> FloatArray:
        require_fitted(self, "form_")
        population = check_population(labels, self.n_samples_)
        scatter = self.form_.scatter(population, squared=True)
        return _values(scatter, population.n_clusters, self.n_samples_, self.form_.mean_square)


def xie_beni_from_medoids(
    D: NDArray[np.floating[Any]],
    medoids: IntArray,
    labels: IntArray,
    *,
    mean_square_distance: float | None = None,
) -> FloatArray:
    """Xie-Beni index of medoid chromosomes with their labels.

    Parameters
    ----------
    D : ndarray of shape (n_samples, n_samples), float32 or float64
        Symmetric distances with zero diagonal.
    medoids : ndarray of shape (n_individuals, k_max)
        Distinct sample ids, padded with -1 at the end.
    labels : ndarray of shape (n_individuals, n_samples)
        Position of every sample's medoid in its row; need not be the nearest one.
    mean_square_distance : float, optional
        Mean of D^2 over all n^2 entries; a constant of the data that is worth computing once.

    Returns
    -------
    values : ndarray of shape (n_individuals,)
        1e12 for a single medoid; 0 if all distances are 0.

    Notes
    -----
    O(n_individuals * (n_samples + k_max^2)) time, and O(n_samples^2) without the mean.

    References
    ----------
    NSGA-II-clus.
    """
    D, medoid_rows, label_rows, n_clusters = check_medoids(D, medoids, labels)
    mean = mean_square(D) if mean_square_distance is None else mean_square_distance
    scatter = medoid_scatter(D, medoid_rows, label_rows, n_clusters, squared=True)
    return _values(scatter, n_clusters, len(D), mean)


def _values(scatter: Scatter, n_clusters: NDArray[np.int64], n_samples: int, mean: float) -> FloatArray:
    if mean < _NOTHING:
        values = np.zeros(len(n_clusters))
    else:
        values = scatter.within / (n_samples * np.maximum(scatter.least, _SEPARATION_FLOOR * mean))
    values[n_clusters < 2] = SINGLE_CLUSTER
    return values
