"""Partitions of a run, each once, with what they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering.encodings import relabel_by_first_appearance

Labels = NDArray[np.int32]

_MOST_ROLES = 3


@dataclass(eq=False)
class Solution:
    """A partition.

    Attributes
    ----------
    labels : ndarray of shape (n_samples,), int32
    roles : list of str
        What it is in the run, such as ``"front 3"`` and ``"result"``.
    member : int or None
        Row of the front.
    values : ndarray or None
        Objectives in natural sign, where they are known.
    medoids : ndarray or None
        Sample in the middle of every cluster, where the method has one.
    cluster_names : list of str or None
    """

    labels: Labels
    roles: list[str]
    member: int | None = None
    values: NDArray[np.float64] | None = None
    medoids: NDArray[np.int64] | None = None
    cluster_names: list[str] | None = None

    @property
    def name(self) -> str:
        """Roles, the first of many."""
        shown = ", ".join(self.roles[:_MOST_ROLES])
        more = len(self.roles) - _MOST_ROLES
        return shown if more <= 0 else f"{shown} and {more} more"


@dataclass(eq=False)
class Solutions:
    """Partitions in order; those of a front first, and row by row."""

    found: list[Solution] = field(default_factory=list)
    _places: dict[bytes, int] = field(default_factory=dict)

    def add(self, solution: Solution) -> int:
        """Put one at the end, whether there is an equal one or not; its place."""
        self.found.append(solution)
        place = len(self.found) - 1
        self._places.setdefault(solution.labels.tobytes(), place)
        return place

    def place(
        self,
        labels: ArrayLike,
        role: str,
        *,
        member: int | None = None,
        always_named: bool = True,
        cluster_names: list[str] | None = None,
        medoids: NDArray[np.int64] | None = None,
    ) -> int:
        """The place of a partition, which is added if it is new.

        Parameters
        ----------
        labels : array-like of shape (n_samples,)
        role : str
        member : int, optional
            Row of the front that it is. Clusters of that solution are numbered as here from then on.
        always_named : bool, default=True
            Whether a solution that is there already has the role too.
        cluster_names : list of str, optional
        medoids : ndarray, optional
        """
        given = checked_labels(labels)
        place = None if member is None else self._member(member, given)
        if place is None:
            place = self._places.get(given.tobytes())
            if place is not None and self._is_other_member(place, member):
                place = None
        if place is None:
            return self.add(Solution(given, [role], None, None, medoids, cluster_names))
        solution = self.found[place]
        if always_named and role not in solution.roles:
            solution.roles.append(role)
        if solution.cluster_names is None:
            solution.cluster_names = cluster_names
        if solution.medoids is None:
            solution.medoids = medoids
        return place

    def _is_other_member(self, place: int, member: int | None) -> bool:
        """Whether a place is of another row of the front than a row that has none yet."""
        if member is None or self.found[place].member in (None, member):
            return False
        return all(solution.member != member for solution in self.found)

    def _member(self, member: int, labels: Labels) -> int | None:
        """Place of a row of the front, if it is this partition."""
        for place, solution in enumerate(self.found):
            if solution.member == member:
                if not _same_partition(solution.labels, labels):
                    return None
                if not np.array_equal(solution.labels, labels):
                    solution.labels, solution.medoids = labels, None
                    self._places.setdefault(labels.tobytes(), place)
                return place
        return None

    @property
    def labels(self) -> Labels:
        """Shape (n_solutions, n_samples)."""
        return np.stack([solution.labels for solution in self.found])

    @property
    def names(self) -> list[str]:
        """Different names."""
        return [solution.name for solution in self.found]


def checked_labels(labels: Any, n_samples: int | None = None) -> Labels:
    """Labels as int32, -1 for samples in no cluster.

    Raises
    ------
    ValueError
        Not one whole number a sample.
    """
    found = np.asarray(labels)
    if found.ndim != 1 or not len(found) or found.dtype.kind not in "iub":
        raise ValueError(
            f"labels must be one whole number a sample, got {found.dtype} of shape {found.shape}"
        )
    if n_samples is not None and len(found) != n_samples:
        raise ValueError(f"labels must have one number for each of {n_samples} samples, got {len(found)}")
    return np.ascontiguousarray(np.maximum(found, -1), dtype=np.int32)


def _same_partition(first: Labels, second: Labels) -> bool:
    return np.array_equal(first < 0, second < 0) and np.array_equal(*_numbered((first, second)))


def _numbered(rows: Sequence[Labels]) -> Labels:
    return relabel_by_first_appearance(np.stack(rows) + 1)
