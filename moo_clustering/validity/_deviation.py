"""Overall deviation, the compactness objective of MOCK."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering._arrays import centred_features
from moo_clustering.validity._base import FloatArray, IntArray, ValidityIndex
from moo_clustering.validity._features import means_and_sums
from moo_clustering.validity._population import check_population, require_fitted


class Deviation(ValidityIndex):
    """Sum of the Euclidean distances of all samples to the means of their clusters; minimise.

    Notes
    -----
    Neither squared nor divided by the number of samples. Defined for every partition: the total
    distance to the overall mean for one cluster, 0 where every sample is a cluster of its own.

    O(p n d) time for p individuals, O(n d) memory.

    References
    ----------
    Handl & Knowles, IEEE TEVC 11(1), 2007, Eq. 5.

    Examples
    --------
    >>> from moo_clustering.validity import Deviation
    >>> Deviation().fit([[0.0], [2.0], [10.0], [12.0]]).evaluate([[0, 0, 1, 1], [0, 0, 0, 0]])
    array([ 4., 20.])
    """

    name: ClassVar[str] = "deviation"
    greater_is_better: ClassVar[bool] = False

    n_samples_: int
    _X: NDArray[np.float64]

    def fit(self, data: ArrayLike) -> Self:
        self._X = centred_features(data)
        self.n_samples_ = len(self._X)
        return self

    def evaluate(self, labels: IntArray) -> FloatArray:
        require_fitted(self, "n_samples_")
        population = check_population(labels, self.n_samples_)
        values = np.empty(len(population.labels))
        for rows, block in population.blocks(population.sizes.shape[1] * (self._X.shape[1] + 1)):
            values[rows] = means_and_sums(self._X, block, squared=False)[1].sum(axis=1)  # Eq. 5
        return values
