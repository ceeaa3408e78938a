"""PartitionPool: partitions of the same samples, with the algorithm family of each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from moo_clustering._arrays import Int64Array, IntArray, Labels, number_clusters, quoted
from moo_clustering._data import checked_array


@dataclass(frozen=True, eq=False)
class PartitionPool:
    """Partitions of the same samples, with the name of the family that created each.

    Raises a ValueError if labels are not a table of non-negative integers, or the number of families differs
    from that of rows. Source: ParetoClustering: agreement of algorithm families.

    Attributes
    ----------
    labels : ndarray of shape (n_partitions, n_samples), int32
        Clusters numbered by first appearance; :meth:`of` renumbers labels.
    families : tuple of str, length n_partitions

    Examples
    --------
    >>> from moo_clustering.pool import PartitionPool
    >>> pool = PartitionPool.of([("mine", [2, 2, 0, 0]), ("other", [0, 1, 1, 5])])
    >>> pool.labels
    array([[0, 0, 1, 1],
           [0, 1, 1, 2]], dtype=int32)
    >>> pool.n_clusters
    array([2, 3])
    """

    labels: Labels
    families: tuple[str, ...]

    def __post_init__(self) -> None:
        labels = checked_array(self.labels, "labels")
        if labels.ndim != 2 or labels.dtype.kind not in "iu":
            raise ValueError(
                "labels must be integers of shape (n_partitions, n_samples), got shape "
                f"{labels.shape} and dtype {labels.dtype}."
            )
        if labels.size and labels.min() < 0:
            raise ValueError(f"labels must be non-negative, got {labels.min()}.")
        if len(self.families) != len(labels):
            raise ValueError(
                f"families must contain {len(labels)} names, one per row, got {quoted(self.families)}."
            )
        object.__setattr__(self, "labels", np.ascontiguousarray(labels, dtype=np.int32))
        object.__setattr__(self, "families", tuple(self.families))

    @classmethod
    def of(cls, candidates: Iterable[tuple[str, ArrayLike]]) -> PartitionPool:
        """Create a pool of pairs (family, labels), renumbered, without candidates of a single cluster.

        Raises a ValueError if lengths differ, or no candidate has two clusters.
        """
        given = [(family, checked_array(labels, f"labels of {family!r}")) for family, labels in candidates]
        shapes = sorted({labels.shape for _, labels in given})
        if len(shapes) > 1 or any(len(shape) != 1 for shape in shapes):
            raise ValueError(f"candidates must be labels of the same samples, got shapes {shapes}.")
        kept = [(family, labels) for family, labels in given if len(labels) and (labels != labels[0]).any()]
        if not kept:
            raise ValueError("candidates must contain a partition with two or more clusters.")
        numbered = np.stack([number_clusters(labels)[0] for _, labels in kept])
        return cls(numbered, tuple(family for family, _ in kept))

    @property
    def n_partitions(self) -> int:
        """Number of partitions."""
        return len(self.labels)

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return int(self.labels.shape[1])

    @cached_property
    def n_clusters(self) -> Int64Array:
        """Number of clusters of every partition, shape (n_partitions,)."""
        return self.labels.max(axis=1, initial=-1).astype(np.int64) + 1

    @cached_property
    def family_names(self) -> tuple[str, ...]:
        """Family names in order of first appearance."""
        return tuple(dict.fromkeys(self.families))

    @cached_property
    def family_codes(self) -> Int64Array:
        """Position of the family of every partition in ``family_names``, shape (n_partitions,)."""
        number = {name: code for code, name in enumerate(self.family_names)}
        return np.array([number[family] for family in self.families], dtype=np.int64)

    def subset(self, rows: Any) -> PartitionPool:
        """Select partitions by position or mask, in that order."""
        chosen = np.arange(self.n_partitions)[rows]
        return PartitionPool(self.labels[chosen], tuple(self.families[row] for row in np.atleast_1d(chosen)))

    def joined(self, other: PartitionPool) -> PartitionPool:
        """Append the partitions of another pool of the same samples."""
        if other.n_samples != self.n_samples:
            raise ValueError(f"pools must have the same samples, got {self.n_samples} and {other.n_samples}.")
        return PartitionPool(np.concatenate([self.labels, other.labels]), self.families + other.families)

    def lifted(self, index: IntArray) -> Labels:
        """Labels of samples whose landmarks are ``index``, shape (n_partitions, len(index))."""
        return self.labels[:, index]

    def tagged(self, tag: str) -> PartitionPool:
        """Copy with families renamed to ``family@tag``."""
        return PartitionPool(self.labels, tuple(f"{family}@{tag}" for family in self.families))
