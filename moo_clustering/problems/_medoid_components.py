"""Assignment of samples to medoids that respects constraints where it can."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering._arrays import block_slices
from moo_clustering._kernels.medoids import assign_groups, group_distances
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.problems._medoid_space import FloatArray, IntArray, Labels, MedoidSpace

Ints = NDArray[np.int64]


class ConstrainedAssignment:
    """Must-link components go to clusters as wholes, apart from those they cannot be with.

    Components are taken in order of descending size, then of their least sample. Each goes to the
    cluster that holds the fewest components it must be apart from, then the nearest by total
    distance, then the one at the lowest position. Samples in no constraint go to the nearest medoid.

    Parameters
    ----------
    constraints : PairwiseConstraints
        Cannot-links inside a component are dropped, with a UserWarning.

    Attributes
    ----------
    n_dropped : int
        Cannot-links that contradict must-links.

    Notes
    -----
    O(k (n_constrained + n_components) + n_conflicts) per individual, besides the distances to its
    medoids.

    References
    ----------
    NSGA-II-clus.
    """

    def __init__(self, constraints: PairwiseConstraints) -> None:
        component = constraints.components()
        size = np.bincount(component)
        lifted = component[constraints.cannot_link]
        inside = lifted[:, 0] == lifted[:, 1]
        self.n_dropped = int(inside.sum())
        if self.n_dropped:
            warnings.warn(
                f"{self.n_dropped} cannot-links contradict must-links and are left out of the constrained "
                "assignment; if must-links come from overlapping labels, use another supervision.",
                UserWarning,
                stacklevel=3,
            )
        lifted = lifted[~inside]
        constrained = size > 1
        constrained[lifted.ravel()] = True
        groups = np.flatnonzero(constrained)
        groups = groups[np.argsort(-size[groups], kind="stable")]
        place = np.full(len(size), -1, dtype=np.int64)
        place[groups] = np.arange(len(groups))
        group = place[component]
        self.members = np.argsort(group, kind="stable")[np.count_nonzero(group < 0) :]
        self.bounds = np.concatenate([[0], np.cumsum(size[groups])]).astype(np.int64)
        self.opponents, self.opponent_bounds = _neighbors(place[lifted], len(groups))

    def labels(
        self, space: MedoidSpace, medoids: IntArray, penalty: float | None = None
    ) -> tuple[Labels, IntArray]:
        """Labels 0..k-1 without gaps, and the medoids whose clusters are not empty, at these positions.

        Parameters
        ----------
        space : MedoidSpace
        medoids : ndarray of shape (n_individuals, k_max), int64
        penalty : float, optional
            Go by total distance plus penalty times conflicts, instead of conflicts first.
        """
        if penalty is not None and not penalty >= 0.0:
            raise ValueError(f"penalty must be a number of at least 0 or None, got {penalty!r}.")
        labels = np.empty((len(medoids), space.n_samples), dtype=np.int32)
        weight = -1.0 if penalty is None else float(penalty)
        n_groups = len(self.bounds) - 1
        width = medoids.shape[1]
        for part in block_slices(len(medoids), max(width * n_groups, space.n_samples)):
            some = medoids[part]
            # A medoid may leave its cluster here, also for that of an identical one.
            block, _ = space.nearest(some, exception=False)
            ids, index = _distinct(some)
            assign_groups(
                self._costs(space, ids),
                index,
                self.members,
                self.bounds,
                self.opponents,
                self.opponent_bounds,
                weight,
                block,
            )
            labels[part] = block
        return _without_gaps(labels, medoids)

    def _costs(self, space: MedoidSpace, ids: IntArray) -> FloatArray:
        costs = np.empty((len(ids), len(self.bounds) - 1))
        for part in block_slices(len(ids), space.n_samples):
            group_distances(space.rows(ids[part]), self.members, self.bounds, costs[part])
        return costs


def _neighbors(pairs: Ints, n_groups: int) -> tuple[Ints, Ints]:
    """Groups that must be apart from each group, each once, as one list with bounds."""
    both = np.unique(np.concatenate([pairs, pairs[:, ::-1]]), axis=0)
    return (
        np.ascontiguousarray(both[:, 1]),
        np.searchsorted(both[:, 0], np.arange(n_groups + 1)).astype(np.int64),
    )


def _distinct(medoids: IntArray) -> tuple[Ints, Ints]:
    """Distinct medoids, and the place of every gene among them (-1 for padding)."""
    ids = np.unique(medoids[medoids >= 0])
    index = np.where(medoids < 0, -1, np.searchsorted(ids, medoids))
    return ids.astype(np.int64), index.astype(np.int64)


def _without_gaps(labels: Labels, medoids: IntArray) -> tuple[Labels, IntArray]:
    """Drop the medoids of empty clusters and close the gaps they leave."""
    n, width = medoids.shape
    used = np.zeros((n, width), dtype=bool)
    np.put_along_axis(used, labels.astype(np.intp), True, axis=1)
    position: NDArray[Any] = np.cumsum(used, axis=1, dtype=np.int32) - 1
    kept = np.where(used, medoids, -1)
    kept = np.take_along_axis(kept, np.argsort(~used, axis=1, kind="stable"), axis=1)
    return np.take_along_axis(position, labels.astype(np.intp), axis=1), kept
