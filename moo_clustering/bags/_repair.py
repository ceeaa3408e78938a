"""Repair of bag partitions: empty clusters, small clusters, constraints."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering._kernels.bag_repair import fill_empty, fill_small, place_groups
from moo_clustering.constraints import PairwiseConstraints

Floats = NDArray[np.float64]
Labels = NDArray[np.int32]


class PartitionRepair:
    """What a partition must respect, and how it is made to.

    Parameters
    ----------
    n_bags : int
    min_cluster_size : int
    constraints : PairwiseConstraints or None
        To be repaired. Must-links that contradict cannot-links have no closure; such constraints are
        left alone.
    """

    def __init__(self, n_bags: int, min_cluster_size: int, constraints: PairwiseConstraints | None) -> None:
        self.min_cluster_size = min_cluster_size
        self._members = np.empty(0, dtype=np.int64)
        self._group_start = np.zeros(1, dtype=np.int64)
        self._conflict_start, self._conflicts = np.zeros(1, np.int64), np.empty(0, np.int64)
        self._conflicting = np.empty((0, 2), dtype=np.int64)
        self._movable = np.ones(n_bags, dtype=bool)
        if constraints is not None and len(constraints) and _is_consistent(constraints):
            self._set_groups(constraints)

    def _set_groups(self, constraints: PairwiseConstraints) -> None:
        closure = constraints.groups()
        sizes = np.bincount(closure.groups[closure.groups >= 0], minlength=closure.n_groups)
        # Large groups first: they have the least freedom.
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

    def broken(self, labels: Labels, n_clusters: int) -> NDArray[np.bool_]:
        """Which individuals need a repair."""
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

    def apply(self, labels: Labels, distances: Floats) -> Labels:
        """Repaired partitions; ``distances`` are those to the centroids of ``labels``."""
        labels = labels.copy()
        for row, own in zip(labels, distances, strict=True):
            if len(self._members):
                place_groups(
                    row, own, self._members, self._group_start, self._conflict_start, self._conflicts
                )
            if self.min_cluster_size > 0:
                fill_small(row, own, self.min_cluster_size, self._movable)
        return labels

    def filled(self, labels: Labels, distances: Floats, empty: str) -> Labels:
        """Partitions without empty clusters, unless those are kept."""
        if empty not in ("farthest", "closest", "keep"):
            raise ValueError(f"empty must be 'farthest', 'closest' or 'keep', got {empty!r}.")
        if empty != "keep":
            for row, own in zip(labels, distances, strict=True):
                fill_empty(row, own, empty == "farthest")
        return labels


def _is_consistent(constraints: Any) -> bool:
    component = constraints.components()[constraints.cannot_link]
    return not bool((component[:, 0] == component[:, 1]).any())
