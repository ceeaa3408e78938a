"""What every internal validity index can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.integer[Any]]


class ValidityIndex(ABC):
    """Score of partitions of one data set: ``fit`` once, ``evaluate`` populations.

    Values are natural: what the literature prints, never negated. Problems negate what pymoo must
    minimise. Every value is finite, also for partitions on which the index is undefined (one
    cluster, all samples alike): each subclass says which value stands there.

    Attributes
    ----------
    name : str
        Short name, as in ``PartitionProblem(objectives=[name, ...])`` and in column headings.
    greater_is_better : bool
        Which way is good.
    """

    name: ClassVar[str]
    greater_is_better: ClassVar[bool]

    @abstractmethod
    def fit(self, data: ArrayLike) -> Self:
        """Precompute what does not change between partitions.

        Parameters
        ----------
        data : array-like of shape (n_samples, n_features)
            Features, or (n_samples, n_samples) distances where ``metric="precomputed"`` is offered.
        """

    @abstractmethod
    def evaluate(self, labels: IntArray) -> FloatArray:
        """Score a population.

        Parameters
        ----------
        labels : ndarray of shape (n_individuals, n_samples)
            Clusters 0..k-1 without gaps in every row. One partition of shape (n_samples,) is
            accepted and scored as a population of one.

        Returns
        -------
        values : ndarray of shape (n_individuals,)
        """
