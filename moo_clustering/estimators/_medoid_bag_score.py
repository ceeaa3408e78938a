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

    def partitions(self, genes: NDArray[Any]) -> Labels:
        """Every bag with its nearest medoid, repaired; labels count the medoids of a row."""
        labels: Labels = self.encoding.decode(genes)
        for row, medoids in zip(labels, genes, strict=True):
            own = np.asarray(medoids[medoids >= 0], dtype=np.int64)
            if self._repair.broken(row[None], len(own)).any():
                distances = np.ascontiguousarray(self.encoding.distances[:, own], dtype=np.float64)
                row[:] = self._repair.apply(row[None], distances[None])[0]
        return labels

    def __call__(self, genes: NDArray[Any]) -> NDArray[np.float64]:
        """Objectives, shape (n_individuals,)."""
        genes = np.asarray(genes, dtype=np.int64)
        labels = self.partitions(genes)
        if self._centroids is None:
            values = db_medoid(self.encoding.distances, labels, _packed(genes))
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
