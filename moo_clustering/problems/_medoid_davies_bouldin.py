"""Davies-Bouldin index of bags around the medoids of a genotype."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering.encodings._medoid_slots import MedoidSlotEncoding
from moo_clustering.validity import ValidityIndex
from moo_clustering.validity._bag_medoids import db_medoid
from moo_clustering.validity._base import FloatArray, IntArray


class MedoidDaviesBouldin(ValidityIndex):
    """Davies-Bouldin index with medoids in place of centroids; minimise.

    Partitions given without medoids are scored with those of their clusters (Eq. 2).

    References
    ----------
    Evolutionary multi-instance clustering, Eqs. 2 and 10.
    """

    name: ClassVar[str] = "bag_davies_bouldin"
    greater_is_better: ClassVar[bool] = False

    distances_: NDArray[np.floating]

    def fit(self, data: ArrayLike) -> Self:
        """Take distances of shape (n_bags, n_bags), from row to column."""
        self.distances_ = np.asarray(data)
        return self

    def evaluate(self, labels: IntArray) -> FloatArray:
        labels = np.atleast_2d(labels)
        encoding = MedoidSlotEncoding(self.distances_, k_max=int(labels.max()) + 1, k_min=1)
        return self.of_medoids(labels, encoding.encode(labels))

    def of_medoids(self, labels: IntArray, medoids: IntArray) -> FloatArray:
        """Values of partitions around given medoids, inf where there are no two apart.

        Parameters
        ----------
        labels : ndarray of shape (n_individuals, n_bags)
            Clusters without gaps, each with one of the medoids in it.
        medoids : ndarray of shape (n_individuals, k_max)
            In any order, -1 for none.
        """
        row, slot = np.nonzero(medoids >= 0)
        ids = medoids[row, slot]
        # A medoid is in its own cluster, so its label says which cluster it is the medoid of.
        centers = np.full(medoids.shape, -1, dtype=np.int64)
        centers[row, labels[row, ids]] = ids
        return db_medoid(self.distances_, labels, centers)
