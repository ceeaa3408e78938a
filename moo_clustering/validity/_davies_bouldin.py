"""Davies-Bouldin index."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering._arrays import centred_features
from moo_clustering._kernels.partitions import worst_ratio_means
from moo_clustering.validity._base import FloatArray, IntArray, ValidityIndex
from moo_clustering.validity._features import mean_square_distance, means_and_sums
from moo_clustering.validity._population import check_population, require_fitted

SINGLE_CLUSTER = 1e12
_GAP_FLOOR = 1e-12


class DaviesBouldin(ValidityIndex):
    """Mean over the clusters of the worst (spread + spread) / distance of means; minimise.

    Notes
    -----
    Equals :func:`sklearn.metrics.davies_bouldin_score` wherever the means differ. Where two means
    coincide, scikit-learn leaves the pair out, which makes such a partition look good; here their
    distance is floored at 1e-12 times the root mean squared distance of the data, so that it looks
    bad. One cluster: 1e12. All samples equal, or all clusters singletons: 0.

    O(p n d + p k^2 d) time for p individuals, O(n d) memory.

    References
    ----------
    Davies & Bouldin, IEEE TPAMI 1(2), 1979.

    Examples
    --------
    >>> from moo_clustering.validity import DaviesBouldin
    >>> DaviesBouldin().fit([[0.0], [2.0], [10.0], [12.0]]).evaluate([0, 0, 1, 1])
    array([0.2])
    """

    name: ClassVar[str] = "davies_bouldin"
    greater_is_better: ClassVar[bool] = False

    n_samples_: int
    _X: NDArray[np.float64]

    def fit(self, data: ArrayLike) -> Self:
        self._X = centred_features(data)
        self._floor = _GAP_FLOOR * np.sqrt(mean_square_distance(self._X))
        self.n_samples_ = len(self._X)
        return self

    def evaluate(self, labels: IntArray) -> FloatArray:
        require_fitted(self, "n_samples_")
        population = check_population(labels, self.n_samples_)
        values = np.zeros(len(population.labels))
        if self._floor > 0.0:
            for rows, block in population.blocks(population.sizes.shape[1] * (self._X.shape[1] + 1)):
                means, sums = means_and_sums(self._X, block, squared=False)
                spreads = sums / np.maximum(block.sizes, 1)
                worst_ratio_means(means, spreads, block.n_clusters, self._floor, values[rows])
        values[population.n_clusters < 2] = SINGLE_CLUSTER
        return values
