"""I-index of Maulik and Bandyopadhyay."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.metrics import pairwise_distances
from sklearn.utils import check_array

from moo_clustering._arrays import centred_features
from moo_clustering._distances import MAX_MEMORY, Metric
from moo_clustering.validity._base import FloatArray, IntArray, ValidityIndex
from moo_clustering.validity._medoid_rows import check_medoids
from moo_clustering.validity._population import check_option, check_population, require_fitted
from moo_clustering.validity._representatives import (
    Representatives,
    Scatter,
    medoid_scatter,
    representatives,
)

_WITHIN_FLOOR = 1e-12


class IIndex(ValidityIndex):
    """``((1/K) * (E_1/E_K) * D_K) ** power``; maximise.

    E_K is the total distance of the samples to the representatives of their clusters, E_1 to a
    single one, D_K the greatest distance between two representatives; no distance is squared.

    Parameters
    ----------
    representative : {"centroid", "medoid"}, default="centroid"
        What stands for a cluster: its mean, or its member with the least total distance to the
        others (ties to the lowest id).
    metric : str or callable, default="euclidean"
        Dissimilarity, with medoids only: what :func:`sklearn.metrics.pairwise_distances` takes, or
        ``"precomputed"``.
    power : float, default=2
        Exponent, positive.
    e1 : {"centroid", "medoid"}, optional
        The single representative in E_1: the mean of the data, or the sample with the least total
        distance to all; as ``representative`` by default. A constant of the data set: it rescales
        the index and changes no ranking.
    max_memory : int, default=4 GiB
        Limit in bytes for the distance matrix that medoids need.

    Notes
    -----
    E_K is floored at 1e-12 * E_1 (every sample a cluster of its own). One cluster, and all samples
    equal: 0.

    Centroids: O(p n d + p k^2 d) time for p individuals, O(n d) memory; ``e1="medoid"`` adds
    O(n^2 d) time to ``fit``. Medoids: O(p n^2) time, O(n^2) memory.

    References
    ----------
    NSGA-II-clus; Maulik & Bandyopadhyay, IEEE TPAMI 24(12), 2002.

    Examples
    --------
    >>> from moo_clustering.validity import IIndex
    >>> IIndex().fit([[0.0], [2.0], [10.0], [12.0]]).evaluate([0, 0, 1, 1])
    array([625.])
    """

    name: ClassVar[str] = "i_index"
    greater_is_better: ClassVar[bool] = True

    n_samples_: int
    e1_: float
    form_: Representatives

    def __init__(
        self,
        representative: Literal["centroid", "medoid"] = "centroid",
        metric: Metric = "euclidean",
        *,
        power: float = 2.0,
        e1: Literal["centroid", "medoid"] | None = None,
        max_memory: int = MAX_MEMORY,
    ) -> None:
        self.representative = representative
        self.metric = metric
        self.power = power
        self.e1 = e1
        self.max_memory = max_memory

    def fit(self, data: ArrayLike) -> Self:
        check_option("e1", self.e1, ("centroid", "medoid", None))
        _check_power(self.power)
        form = representatives(self.representative, self.metric, data, self.max_memory, "IIndex")
        single = self.representative if self.e1 is None else self.e1
        self.e1_ = form.total_to_medoid() if single == "medoid" else _total_to_mean(data, self.metric)
        self.form_, self.n_samples_ = form, form.n_samples
        return self

    def evaluate(self, labels: IntArray) -> FloatArray:
        require_fitted(self, "form_")
        population = check_population(labels, self.n_samples_)
        scatter = self.form_.scatter(population, squared=False)
        return _values(scatter, population.n_clusters, self.e1_, self.power)


def i_index_from_medoids(
    D: NDArray[np.floating[Any]],
    medoids: IntArray,
    labels: IntArray,
    *,
    power: float = 2.0,
    e1: float | None = None,
) -> FloatArray:
    """I-index of medoid chromosomes with their labels.

    Parameters
    ----------
    D : ndarray of shape (n_samples, n_samples), float32 or float64
        Symmetric distances with zero diagonal.
    medoids : ndarray of shape (n_individuals, k_max)
        Distinct sample ids, padded with -1 at the end.
    labels : ndarray of shape (n_individuals, n_samples)
        Position of every sample's medoid in its row; need not be the nearest one.
    power : float, default=2
        Exponent, positive.
    e1 : float, optional
        Total distance to a single representative; the least row sum of D by default, which is a
        constant of the data that is worth computing once.

    Returns
    -------
    values : ndarray of shape (n_individuals,)
        0 for a single medoid, and if all distances are 0.

    Notes
    -----
    O(n_individuals * (n_samples + k_max^2)) time, and O(n_samples^2) without ``e1``.

    References
    ----------
    NSGA-II-clus.
    """
    _check_power(power)
    D, medoid_rows, label_rows, n_clusters = check_medoids(D, medoids, labels)
    total = float(D.sum(axis=0, dtype=np.float64).min()) if e1 is None else e1
    scatter = medoid_scatter(D, medoid_rows, label_rows, n_clusters, squared=False)
    return _values(scatter, n_clusters, total, power)


def _values(scatter: Scatter, n_clusters: NDArray[np.int64], e1: float, power: float) -> FloatArray:
    if e1 == 0.0:
        return np.zeros(len(n_clusters))
    ratio = e1 / np.maximum(scatter.within, _WITHIN_FLOOR * e1)
    values: FloatArray = (ratio * scatter.greatest / n_clusters) ** power
    return values


def _check_power(power: float) -> None:
    if not (np.isfinite(power) and power > 0):
        raise ValueError(f"power must be a positive number, got {power!r}")


def _total_to_mean(data: ArrayLike, metric: Metric) -> float:
    if isinstance(metric, str) and metric == "precomputed":
        raise ValueError('e1="centroid" needs features, which metric="precomputed" does not have')
    X = check_array(data, accept_sparse="csr", dtype=np.float64, input_name="data")
    if isinstance(metric, str) and metric == "euclidean" and not issparse(X):
        return float(np.linalg.norm(centred_features(X), axis=1).sum())
    centre = np.asarray(X.mean(axis=0)).reshape(1, -1)
    return float(pairwise_distances(X, centre, metric=metric).sum())
