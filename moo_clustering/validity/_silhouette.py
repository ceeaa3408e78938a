"""Mean silhouette."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering._distances import MAX_MEMORY, Metric, distance_matrix
from moo_clustering._kernels.partitions import silhouette_sums
from moo_clustering.validity._base import FloatArray, IntArray, ValidityIndex
from moo_clustering.validity._population import Population, check_population, require_fitted

SINGLE_CLUSTER = -1.0
# A matrix product costs n^2 k operations, most of them with a zero; from about here adding every
# distance to one of k totals, n^2 slower steps, wins.
_PRODUCT_UP_TO = 10


class Silhouette(ValidityIndex):
    """Mean over the samples of (b - a) / max(a, b); maximise.

    a is a sample's mean distance to the others of its cluster, b the least of its mean distances
    to the other clusters.

    Parameters
    ----------
    metric : str or callable, default="euclidean"
        What :func:`sklearn.metrics.pairwise_distances` takes, or ``"precomputed"``.
    max_memory : int, default=4 GiB
        Limit in bytes for the distance matrix.

    Notes
    -----
    Equals :func:`sklearn.metrics.silhouette_score`. A sample alone in its cluster, or with
    a = b = 0, counts 0; so do all where every sample is a cluster of its own. One cluster: -1.

    O(p n^2 min(k, 10)) time for p individuals, O(n^2) memory.

    References
    ----------
    Rousseeuw, Journal of Computational and Applied Mathematics 20, 1987.

    Examples
    --------
    >>> from moo_clustering.validity import Silhouette
    >>> Silhouette().fit([[0.0], [2.0], [10.0], [12.0]]).evaluate([0, 0, 1, 1]).round(4)
    array([0.798])
    """

    name: ClassVar[str] = "silhouette"
    greater_is_better: ClassVar[bool] = True

    n_samples_: int
    _D: NDArray[np.float64]

    def __init__(self, metric: Metric = "euclidean", *, max_memory: int = MAX_MEMORY) -> None:
        self.metric = metric
        self.max_memory = max_memory

    def fit(self, data: ArrayLike) -> Self:
        self._D = distance_matrix(data, self.metric, self.max_memory, "Silhouette")
        self.n_samples_ = len(self._D)
        return self

    def evaluate(self, labels: IntArray) -> FloatArray:
        require_fitted(self, "n_samples_")
        population = check_population(labels, self.n_samples_)
        values = np.full(len(population.labels), SINGLE_CLUSTER)
        k = population.n_clusters
        few = np.flatnonzero((k > 1) & (k <= _PRODUCT_UP_TO))
        for rows, block in population.take(few).blocks(self.n_samples_ * _PRODUCT_UP_TO):
            values[few[rows]] = _by_product(self._D, block)
        many = np.flatnonzero(k > _PRODUCT_UP_TO)
        sums = np.zeros(len(many))
        chosen = population.take(many)
        silhouette_sums(self._D, chosen.labels, chosen.sizes, chosen.n_clusters, sums)
        values[many] = sums / self.n_samples_
        return values


def _by_product(D: NDArray[np.float64], block: Population) -> FloatArray:
    """Silhouettes of individuals whose cluster indicators, one below the other, multiply D at once."""
    n = len(D)
    starts = np.concatenate([[0], np.cumsum(block.n_clusters)[:-1]])
    rows = block.labels + starts[:, np.newaxis]
    columns = np.broadcast_to(np.arange(n), rows.shape)
    sizes = block.sizes[np.arange(block.sizes.shape[1]) < block.n_clusters[:, np.newaxis]]
    indicators = np.zeros((len(sizes), n))
    indicators[rows, columns] = 1.0
    totals = indicators @ D
    own_size = sizes[rows]
    within = totals[rows, columns] / np.maximum(own_size - 1, 1)
    totals /= sizes[:, np.newaxis]
    totals[rows, columns] = np.inf
    nearest = np.minimum.reduceat(totals, starts, axis=0)
    greater = np.maximum(within, nearest)
    scores = np.zeros(rows.shape)
    np.divide(nearest - within, greater, out=scores, where=(greater > 0.0) & (own_size > 1))
    values: FloatArray = scores.mean(axis=1)
    return values
