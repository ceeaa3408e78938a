"""Within-cluster sum of squares, the objective of k-means."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering._arrays import centred_features
from moo_clustering.validity._base import FloatArray, IntArray, ValidityIndex
from moo_clustering.validity._features import means_and_sums
from moo_clustering.validity._population import check_population, require_fitted


class SumOfSquares(ValidityIndex):
    """Sum of the squared Euclidean distances of all samples to the means of their clusters; minimise.

    Notes
    -----
    Never rises where a cluster is split, so it compares partitions of the same number of clusters.
    :class:`Deviation` sums the distances themselves.

    O(p n d) time for p individuals, O(n d) memory.

    References
    ----------
    S. Lloyd, "Least squares quantization in PCM", IEEE Transactions on Information Theory 28 (1982).

    Examples
    --------
    >>> from moo_clustering.validity._sum_of_squares import SumOfSquares
    >>> SumOfSquares().fit([[0.0], [2.0], [10.0], [12.0]]).evaluate([[0, 0, 1, 1], [0, 0, 0, 0]])
    array([  4., 104.])
    """

    name: ClassVar[str] = "sum_of_squares"
    greater_is_better: ClassVar[bool] = False

    n_samples_: int
    _X: NDArray[np.float64]

    def fit(self, data: ArrayLike) -> Self:
        return self.fit_centred(centred_features(data))

    def fit_centred(self, points: NDArray[np.float64]) -> Self:
        """Take points whose mean is zero as they are, without a copy."""
        self._X = points
        self.n_samples_ = len(points)
        return self

    def evaluate(self, labels: IntArray) -> FloatArray:
        require_fitted(self, "n_samples_")
        population = check_population(labels, self.n_samples_)
        values = np.empty(len(population.labels))
        for rows, block in population.blocks(population.sizes.shape[1] * (self._X.shape[1] + 1)):
            values[rows] = means_and_sums(self._X, block, squared=True)[1].sum(axis=1)
        return values
