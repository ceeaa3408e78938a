"""Repair of partitions of bags: minimum cluster size and pairwise constraints."""

import numpy as np

from moo_clustering._arrays import BoolArray, FloatArray, Int64Array, Labels, choice
from moo_clustering._kernels.bags import fill_empty, fill_small, place_groups, settle_pairs
from moo_clustering.constraints import PairwiseConstraints


class PartitionRepair:
    """Enforce the minimum cluster size and, unless the constraints contradict each other, all constraints."""

    def __init__(self, n_bags: int, min_cluster_size: int, constraints: PairwiseConstraints | None) -> None:
        self.min_cluster_size = min_cluster_size
        self._members = np.empty(0, dtype=np.int64)
        self._movable = np.ones(n_bags, dtype=bool)
        if constraints is not None and len(constraints):
            component = constraints.components()[constraints.cannot_link]
            if (component[:, 0] != component[:, 1]).all():
                self._set_groups(constraints)

    def _set_groups(self, constraints: PairwiseConstraints) -> None:
        closure = constraints.groups()
        sizes = np.bincount(closure.groups[closure.groups >= 0], minlength=closure.n_groups)
        # Large groups are placed first, because they are the hardest to place.
        rank = np.empty(closure.n_groups, dtype=np.int64)
        rank[np.argsort(-sizes, kind="stable")] = np.arange(closure.n_groups)
        group = np.where(closure.groups >= 0, rank[closure.groups], -1)
        self._movable = group < 0
        constrained = np.flatnonzero(group >= 0)
        self._members = constrained[np.argsort(group[constrained], kind="stable")]
        starts = np.arange(closure.n_groups + 1)
        self._group_start = np.searchsorted(group[self._members], starts).astype(np.int64)
        both = rank[np.concatenate([closure.conflicts, closure.conflicts[:, ::-1]])]
        both = both[np.argsort(both[:, 0], kind="stable")]
        self._conflict_start = np.searchsorted(both[:, 0], starts).astype(np.int64)
        self._conflicts = np.ascontiguousarray(both[:, 1])
        first = self._members[self._group_start[:-1]]
        self._conflicting = first[both]

    def broken(self, labels: Labels, n_clusters: int) -> BoolArray:
        """Return whether each partition needs to be repaired, shape (n_partitions,)."""
        broken = np.zeros(len(labels), dtype=bool)
        if self.min_cluster_size > 0:
            flat = (labels + np.arange(len(labels))[:, None] * n_clusters).ravel()
            sizes = np.bincount(flat, minlength=len(labels) * n_clusters).reshape(-1, n_clusters)
            broken |= (sizes < self.min_cluster_size).any(axis=1)
        if len(self._members):
            first = np.repeat(self._members[self._group_start[:-1]], np.diff(self._group_start))
            broken |= (labels[:, self._members] != labels[:, first]).any(axis=1)
            one, other = self._conflicting.T
            broken |= (labels[:, one] == labels[:, other]).any(axis=1)
        return broken

    def apply(self, labels: Labels, distances: FloatArray) -> Labels:
        """Return repaired partitions, given the distances from bags to clusters."""
        labels = labels.copy()
        for row, own in zip(labels, distances, strict=True):
            if len(self._members):
                place_groups(
                    row, own, self._members, self._group_start, self._conflict_start, self._conflicts
                )
            if self.min_cluster_size > 0:
                fill_small(row, own, self.min_cluster_size, self._movable)
        return labels

    def filled(self, labels: Labels, distances: FloatArray, empty: str) -> Labels:
        """Fill empty clusters, unless ``empty`` is ``"keep"``; ``labels`` is modified in place."""
        choice("empty", empty, ("farthest", "closest", "keep"))
        if empty != "keep":
            for row, own in zip(labels, distances, strict=True):
                fill_empty(row, own, empty == "farthest")
        return labels


class PairPenalty(PartitionRepair):
    """Repair that reduces distances**power * (1 + penalty * violation), then enforces the minimum size."""

    # V is the violation, from 0 to 2. Constrained bags move one at a time until no move lowers the cost.

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

    def broken(self, labels: Labels, n_clusters: int) -> BoolArray:
        return super().broken(labels, n_clusters) | (self.constraints.violation(labels) > 0)

    def apply(self, labels: Labels, distances: FloatArray) -> Labels:
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
    """Return the repair that these options require, or None if they require no repair."""
    if constraints is None or handling == "repair":
        if constraints is None and min_cluster_size <= 1:
            return None
        return PartitionRepair(n_bags, min_cluster_size, constraints)
    return PairPenalty(n_bags, min_cluster_size, constraints, penalty=penalty, power=power)


def signed_pairs(
    n_bags: int, constraints: PairwiseConstraints | None
) -> tuple[Int64Array, Int64Array, FloatArray, float]:
    """Return each bag's pairs, the change in violation if a pair is joined, and the initial violation."""
    # Initially, no pair shares a cluster, so all must-links are violated. Joining a must-link lowers the
    # violation.
    if constraints is None or len(constraints) == 0:
        return np.zeros(n_bags + 1, np.int64), np.empty(0, np.int64), np.empty(0), 0.0
    must, cannot = constraints.must_link_weights, constraints.cannot_link_weights
    ends = np.concatenate([constraints.must_link, constraints.cannot_link])
    share = np.concatenate([-must / max(must.sum(), 1e-300), cannot / max(cannot.sum(), 1e-300)])
    one, other = np.concatenate([ends, ends[:, ::-1]]).T
    order = np.argsort(one, kind="stable")
    start = np.searchsorted(one[order], np.arange(n_bags + 1)).astype(np.int64)
    both = np.concatenate([share, share])[order]
    return start, np.ascontiguousarray(other[order]), both, float(must.sum() > 0)
