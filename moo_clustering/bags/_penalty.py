"""Assignments in which violated pairs cost something."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from moo_clustering._kernels.bag_repair import settle_pairs
from moo_clustering.bags._repair import Floats, Labels, PartitionRepair
from moo_clustering.bags._task import signed_pairs
from moo_clustering.constraints import PairwiseConstraints


class PairPenalty(PartitionRepair):
    """Assignments that weigh violated pairs against distances, and keep a least cluster size.

    Parameters
    ----------
    n_bags : int
    min_cluster_size : int
    constraints : PairwiseConstraints
    penalty : float
        The sum of the costs is multiplied by 1 + ``penalty`` times the violation, 0 to 2.
    power : {1, 2}
        Of the distances in the costs.

    Notes
    -----
    Bags in pairs move one after the other while that lowers the product: a local optimum.
    """

    def __init__(
        self,
        n_bags: int,
        min_cluster_size: int,
        constraints: PairwiseConstraints,
        *,
        penalty: float,
        power: int,
    ) -> None:
        super().__init__(n_bags, min_cluster_size, None)
        self.constraints = constraints
        self.penalty = penalty
        self.power = power
        self._pairs = signed_pairs(n_bags, constraints)[:3]

    def broken(self, labels: Labels, n_clusters: int) -> NDArray[np.bool_]:
        """All that violate a pair, or have small clusters."""
        return super().broken(labels, n_clusters) | (self.constraints.violation(labels) > 0)

    def apply(self, labels: Labels, distances: Floats) -> Labels:
        """Settled partitions; ``distances`` are those to what the clusters gather around."""
        labels = labels.copy()
        violations = self.constraints.violation(labels)
        for row, own, violation in zip(labels, distances**self.power, violations, strict=True):
            settle_pairs(row, own, *self._pairs, violation, self.penalty)
        return super().apply(labels, distances)


def pair_rule(
    n_bags: int,
    min_cluster_size: int,
    constraints: PairwiseConstraints | None,
    *,
    handling: str,
    penalty: float,
    power: int = 1,
) -> PartitionRepair | None:
    """What assignments are made to respect; None if nothing."""
    if constraints is None or handling == "repair":
        if constraints is None and min_cluster_size <= 1:
            return None
        return PartitionRepair(n_bags, min_cluster_size, constraints)
    return PairPenalty(n_bags, min_cluster_size, constraints, penalty=penalty, power=power)
