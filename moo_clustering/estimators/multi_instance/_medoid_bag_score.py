"""Davies-Bouldin index of bags around medoids, with least sizes and constraints."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from moo_clustering.bags import BagGeometry, BagObjective, Bags
from moo_clustering.bags._repair import PartitionRepair
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.encodings import MedoidSlotEncoding
from moo_clustering.validity import db_medoid

Labels = NDArray[np.int32]


class MedoidBagScore:
    """Objective of medoid slots, minimised.

    Parameters
    ----------
    bags : Bags
    encoding : MedoidSlotEncoding
        Over the distances between the bags.
    centers : {"medoid", "mean"}
    weighting : {"bag", "instance"}
    min_cluster_size : int
    constraints : PairwiseConstraints or None
    handling : {"penalty", "repair"}
    penalty : float
    n_jobs : int or None
    """

    def __init__(
        self,
        bags: Bags,
        encoding: MedoidSlotEncoding,
        *,
        centers: Literal["medoid", "mean"],
        weighting: Literal["bag", "instance"],
        min_cluster_size: int,
        constraints: PairwiseConstraints | None,
        handling: Literal["penalty", "repair"],
        penalty: float,
        n_jobs: int | None,
    ) -> None:
        self.encoding = encoding
        self.constraints = constraints
        self.penalty = penalty
        self._repair = PartitionRepair(
            encoding.n_samples, min_cluster_size, constraints if handling == "repair" else None
        )
        self._centroids: BagObjective | None = None
        if centers == "mean":
            geometry = BagGeometry(bags, weighting=weighting)
            self._centroids = BagObjective(geometry, encoding.k_max, "db", n_jobs=n_jobs)

    def partitions(self, genes: NDArray[Any]) -> tuple[Labels, NDArray[np.int64]]:
        """Every bag with its nearest medoid, repaired, and the medoids.

        Returns
        -------
        labels : ndarray of shape (n_individuals, n_bags)
        medoids : ndarray of shape (n_individuals, k_max)
            Of the clusters 0, 1, ..., then -1. Those of the genes, except that a cluster whose medoid
            had to leave it, with those it belongs to, is measured by the medoid of its bags (Eq. 2).
        """
        labels: Labels = self.encoding.decode(genes)
        medoids = _packed(np.asarray(genes, dtype=np.int64))
        for row, own in zip(labels, medoids, strict=True):
            own = own[: np.count_nonzero(own >= 0)]
            if self._repair.broken(row[None], len(own)).any():
                row[:] = self._repair.apply(row[None], self._costs(own)[None])[0]
                for k in np.flatnonzero(row[own] != np.arange(len(own))).tolist():
                    own[k] = self.medoid(row, k, int(own[k]))
        return labels, medoids

    def _costs(self, medoids: NDArray[np.int64]) -> NDArray[np.float64]:
        """Distances to the medoids; those of the medoids so large that others leave before them."""
        distances = np.array(self.encoding.distances[:, medoids], dtype=np.float64, order="C")
        distances[medoids] = 1.0 + len(distances) * distances.max()
        distances[medoids, np.arange(len(medoids))] = 0.0
        return distances

    def medoid(self, labels: Labels, cluster: int, default: int) -> int:
        """The bag with the least sum of distances to the others of its cluster (Eq. 2)."""
        members = np.flatnonzero(labels == cluster)
        if not len(members):
            return default
        within = self.encoding.distances[np.ix_(members, members)]
        return int(members[(within.sum(axis=1) - np.diagonal(within)).argmin()])

    def __call__(self, genes: NDArray[Any]) -> NDArray[np.float64]:
        """Objectives, shape (n_individuals,)."""
        labels, medoids = self.partitions(genes)
        if self._centroids is None:
            values = db_medoid(self.encoding.distances, labels, medoids)
        else:
            values = self._centroids.evaluate(labels)
        if self.constraints is not None:
            violation = self.constraints.violation(labels)
            broken = violation > 0
            values[broken] *= 1.0 + self.penalty * violation[broken]
        return values


def _packed(genes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Medoids to the left, -1 to the right, in their order."""
    order = np.argsort(genes < 0, axis=1, kind="stable")
    return np.take_along_axis(genes, order, axis=1)
