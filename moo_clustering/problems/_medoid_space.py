"""What a problem over medoid sets asks of its data, whether there is a distance matrix or not."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from moo_clustering._kernels.medoids import member_lists, nearest_medoids
from moo_clustering._kernels.parts import for_parts
from moo_clustering.problems._medoid_memo import MedoidMemo

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.integer[Any]]
Labels = NDArray[np.int32]

_NO_POSITION = np.iinfo(np.int32).max
# Totals that agree to this factor count as a tie: rounding must not choose the medoid.
RELATIVE = 1e-12


class Members(NamedTuple):
    """Clusters of a population as lists: those of cluster c are order[q, starts[q, c]:starts[q, c+1]]."""

    labels: NDArray[np.unsignedinteger[Any]]
    order: NDArray[np.int32]
    starts: NDArray[np.int32]


class MedoidSpace(ABC):
    """Distances between samples, in the form of the questions medoid sets raise.

    Attributes
    ----------
    n_samples : int
    mean_square : float
        Mean of the squares of all n^2 distances, the scale of the floor in Xie-Beni.
    total_to_one : float
        Least total distance of all samples to a single one, E_1.
    n_jobs : int or None
        Threads; results do not depend on it.
    """

    n_samples: int
    mean_square: float
    total_to_one: float
    n_jobs: int | None

    @abstractmethod
    def rows(self, ids: IntArray) -> NDArray[np.floating[Any]]:
        """Distances of some samples to all, shape (len(ids), n_samples)."""

    @abstractmethod
    def own(self, medoids: IntArray, labels: Labels) -> FloatArray:
        """Distance of every sample to the medoid of its cluster, shape of ``labels``."""

    @abstractmethod
    def separations(self, medoids: IntArray) -> tuple[FloatArray, FloatArray]:
        """Least and greatest distance between two medoids of every individual (inf and 0 for one)."""

    @abstractmethod
    def blocks(self, medoids: IntArray) -> Iterator[tuple[NDArray[np.floating[Any]], IntArray]]:
        """Rows of distances that together cover all medoids, and the row of every gene in them or -1."""

    @abstractmethod
    def find_medoids(self, members: Members, wanted: NDArray[np.bool_], medoids: NDArray[np.int64]) -> None:
        """Enter the medoids of the wanted clusters."""

    def nearest(self, medoids: IntArray, *, exception: bool = True) -> tuple[Labels, FloatArray]:
        """Position of the nearest medoid (ties: the lowest) and the distance to it.

        Parameters
        ----------
        medoids : ndarray of shape (n_individuals, k_max)
        exception : bool, default=True
            A medoid belongs to itself even if an identical sample is a medoid at a lower position.
        """
        shape = (len(medoids), self.n_samples)
        distances = np.full(shape, np.inf)
        labels = np.full(shape, _NO_POSITION, dtype=np.int32)
        for block, index in self.blocks(medoids):
            rows, places = block, index  # bound now: the threads are done before the next block
            for_parts(
                lambda lo, hi, rows=rows, places=places: nearest_medoids(  # type: ignore[misc]
                    rows, places, distances, labels, lo, hi
                ),
                len(medoids),
                float(np.count_nonzero(index >= 0)) * self.n_samples,
                self.n_jobs,
            )
        if exception:
            row, position = np.nonzero(medoids >= 0)
            labels[row, medoids[row, position]] = position
        return labels, distances

    def medoids(self, labels: Labels, width: int, memo: MedoidMemo) -> NDArray[np.int64]:
        """Medoid of every cluster, the member with the least total distance (ties: the lowest id).

        Returns
        -------
        medoids : ndarray of shape (n_individuals, width)
            Position = label, padded with -1.
        """
        n_clusters = labels.max(axis=1, initial=0) + 1
        k = int(n_clusters.max(initial=1))
        members = member_table(labels, k)
        found = memo.complete(
            members.labels,
            np.arange(k) < n_clusters[:, None],
            lambda wanted, medoids: self.find_medoids(members, wanted, medoids),
        )
        out = np.full((len(labels), width), -1, dtype=np.int64)
        out[:, :k] = found
        return out


def member_table(labels: Labels, n_clusters: int) -> Members:
    """Lists of the members of all clusters, and the labels in the narrowest type."""
    narrow = labels.astype(np.min_scalar_type(n_clusters - 1))
    order = np.empty(labels.shape, dtype=np.int32)
    starts = np.empty((len(labels), n_clusters + 1), dtype=np.int32)
    member_lists(narrow, order, starts)
    return Members(narrow, order, starts)
