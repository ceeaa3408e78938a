"""A partition as a row of slots, each of which holds a medoid or nothing."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array

from moo_clustering._kernels.medoids import nearest_medoids
from moo_clustering.encodings._base import Encoding, IntArray, Labels
from moo_clustering.encodings._checks import (
    checked_cluster_range,
    checked_genes,
    checked_labels,
    rounded_genes,
)
from moo_clustering.encodings._medoid_sets import filled, random_absent, set_sizes
from moo_clustering.encodings._medoids import SAME, occurred_before

# Distances copied at once: 32 MiB.
_BLOCK = 2**22
_NO_SLOT = np.iinfo(np.int32).max


def decode_slots(X: IntArray, H: NDArray[np.floating[Any]]) -> Labels:
    """Assign every sample to its nearest medoid.

    Parameters
    ----------
    X : ndarray of shape (n_individuals, k_max)
        Distinct ids, -1 for empty slots, at least one id a row.
    H : ndarray of shape (n_samples, n_samples)
        ``H[b, m]`` is the distance from sample b to medoid m; it need not be that from m to b.

    Returns
    -------
    labels : ndarray of shape (n_individuals, n_samples), int32
        Medoids are counted from 0 in the order of their slots. Ties go to the lowest slot, and a
        medoid always belongs to its own cluster.

    Notes
    -----
    O(n_individuals k_max n_samples) time, O(n_individuals n_samples) memory.
    """
    slots = np.asarray(X)
    occupied = slots >= 0
    wrong = ~occupied.any(axis=1)
    wrong |= ((slots < -1) | (slots >= len(H)) | (occurred_before(slots) & occupied)).any(axis=1)
    if wrong.any():
        raise ValueError(
            f"row {np.argmax(wrong)} of X holds no medoid, one twice, or ids outside -1..{len(H) - 1}: "
            "repair the genotypes first."
        )
    used, place = np.unique(slots[occupied], return_inverse=True)
    index = np.full(slots.shape, -1, dtype=np.int64)
    index[occupied] = place
    labels = np.full((len(slots), len(H)), _NO_SLOT, dtype=np.int32)
    nearest = np.full(labels.shape, np.inf, dtype=H.dtype)
    step = max(1, _BLOCK // len(H))
    for lo in range(0, len(used), step):
        # Columns of H: distances *to* the medoids.
        rows = np.ascontiguousarray(H[:, used[lo : lo + step]].T)
        here = np.where((index >= lo) & (index < lo + step), index - lo, -1)
        nearest_medoids(rows, here, nearest, labels, 0, len(slots))
    row, slot = np.nonzero(occupied)
    labels[row, slots[row, slot]] = slot
    number = np.cumsum(occupied, axis=1, dtype=np.int32) - np.int32(1)
    return np.take_along_axis(number, labels, axis=1)


def random_slots(n: int, n_samples: int, k_min: int, k_max: int, rng: np.random.Generator) -> IntArray:
    """Random rows: k uniform on k_min..k_max, then k distinct samples in k random slots of k_max."""
    slots = filled(np.full((n, k_max), -1, dtype=np.int64), k_max, n_samples, rng)
    sizes = rng.integers(k_min, k_max + 1, size=(n, 1))
    slots[rng.permuted(np.arange(k_max) >= sizes, axis=1)] = -1
    return slots


def repair_slots(
    X: ArrayLike, n_samples: int, k_min: int, rng: np.random.Generator | None = None
) -> IntArray:
    """Empty the slots that hold no sample or one held before, then fill up to ``k_min``.

    Parameters
    ----------
    X : array-like of shape (n_individuals, k_max)
        Fractions are rounded.
    n_samples, k_min : int
    rng : numpy.random.Generator, optional
        A sample that the row does not hold is drawn for the first empty slot until there are
        ``k_min``. Without generator it is the one with the lowest id.

    Returns
    -------
    slots : ndarray of shape (n_individuals, k_max), int64
        Valid rows are unchanged.
    """
    X = np.asarray(X)
    slots = rounded_genes(X, X.shape[-1])
    if k_min > min(n_samples, slots.shape[1]):
        raise ValueError(
            f"k_min={k_min} medoids need as many slots and samples, got {slots.shape[1]} and {n_samples}."
        )
    slots[(slots < 0) | (slots >= n_samples) | occurred_before(slots)] = -1
    while len(short := np.flatnonzero(set_sizes(slots) < k_min)):
        rows = slots[short]
        absent = _lowest_absent(rows) if rng is None else random_absent(rows, n_samples, rng)
        slots[short, (rows < 0).argmax(axis=1)] = absent
    return slots


def _lowest_absent(rows: IntArray) -> IntArray:
    """The ids 0..r-1 are present where the t-th smallest id is t for r of the t."""
    width = rows.shape[1]
    ordered = np.sort(np.where(rows < 0, width + 1, rows), axis=1)
    return np.count_nonzero(ordered == np.arange(width), axis=1)


def nearest_others(distances: NDArray[np.floating[Any]], n_neighbors: int) -> NDArray[np.int32]:
    """The nearest other samples of every sample, by its row of the distances (ties: the lowest id).

    Returns
    -------
    neighbors : ndarray of shape (n_samples, n_neighbors), nearest first
    """
    n = len(distances)
    neighbors = np.empty((n, n_neighbors), dtype=np.int32)
    step = max(1, _BLOCK // n)
    for lo in range(0, n, step):
        rows = distances[lo : lo + step].copy()
        rows[np.arange(len(rows)), lo + np.arange(len(rows))] = np.inf
        neighbors[lo : lo + step] = np.argsort(rows, axis=1, kind="stable")[:, :n_neighbors]
    return neighbors


class MedoidSlotEncoding(Encoding):
    """Genes are the ids of the medoids, or -1 for none, anywhere in the row.

    Unlike :class:`MedoidEncoding` it takes distances that depend on the direction, such as the
    directed Hausdorff distance between bags, and leaves empty slots where they are, so that a
    crossover finds the same slots in both parents.

    Parameters
    ----------
    distances : array-like of shape (n_samples, n_samples)
        ``distances[i, j]`` from sample i to sample j, finite and not negative; float32 and float64
        are used without a copy.
    k_max : int
        Largest number of clusters, and number of genes.
    k_min : int, default=2
        Smallest number of clusters.

    Attributes
    ----------
    distances : ndarray of shape (n_samples, n_samples), read-only
    k_min, k_max : int

    Notes
    -----
    Decoding takes O(n_individuals k_max n_samples) time. Encodings are immutable: a deep copy shares
    the distances.

    References
    ----------
    Evolutionary multi-instance clustering (MIGCUK).

    Examples
    --------
    >>> x = np.array([0.0, 1.0, 2.0, 10.0, 11.0])
    >>> MedoidSlotEncoding(np.abs(x - x[:, None]), k_max=3).decode([[-1, 3, 0]])
    array([[1, 1, 1, 0, 0]], dtype=int32)
    """

    dtype = np.dtype(np.int64)

    def __init__(self, distances: ArrayLike, k_max: int, k_min: int = 2) -> None:
        H = check_array(distances, dtype=[np.float64, np.float32], input_name="distances")
        if H.shape[0] != H.shape[1]:
            raise ValueError(f"distances must be a square matrix, got shape {H.shape}.")
        if H.min() < 0.0:
            raise ValueError(f"distances must not be negative, got {H.min():g}.")
        self.distances: NDArray[np.floating[Any]] = H
        if H.flags.writeable:
            # A view, so that the matrix stays writeable for its owner; pickles hold views anew.
            self.distances = H.view()
            self.distances.flags.writeable = False
        self.n_samples = len(H)
        self.k_min, self.k_max = checked_cluster_range(k_min, k_max, self.n_samples)
        self.n_var = self.k_max
        self._neighbors: dict[int, NDArray[np.int32]] = {}

    def bounds(self) -> tuple[IntArray, IntArray]:
        """-1 (no medoid) and the last sample, for every gene."""
        lower = np.full(self.n_var, -1, dtype=self.dtype)
        return lower, np.full(self.n_var, self.n_samples - 1, dtype=self.dtype)

    def decode(self, X: IntArray) -> Labels:
        """Assign every sample to the medoid it is nearest to, see :func:`decode_slots`."""
        return decode_slots(checked_genes(X, self.n_var), self.distances)

    def encode(self, labels: IntArray) -> IntArray:
        """Medoids of the clusters, in the order of the labels, in the first slots.

        The medoid of a cluster has the least sum of distances *from* it to the others in it (ties:
        the lowest id; Evolutionary multi-instance clustering, Eq. 2). Of more than ``k_max`` clusters
        the largest are kept (ties: the lowest label), fewer than ``k_min`` are filled up as by
        :meth:`repair`.
        """
        labels = checked_labels(labels, self.n_samples)
        X = np.full((len(labels), self.n_var), -1, dtype=self.dtype)
        for row, partition in zip(X, labels, strict=True):
            clusters, sizes = np.unique(partition, return_counts=True)
            kept = np.sort(np.argsort(-sizes, kind="stable")[: self.k_max])
            row[: len(kept)] = [self._medoid(np.flatnonzero(partition == c)) for c in clusters[kept]]
        return self.repair(X)

    def _medoid(self, members: NDArray[np.intp]) -> int:
        within = self.distances[np.ix_(members, members)]
        total = within.sum(axis=1, dtype=np.float64) - np.diagonal(within)  # Eq. 2
        return int(members[np.argmax(total <= total.min() * SAME)])

    def repair(self, X: IntArray) -> IntArray:
        """Empty what is no sample or was named before, fill up to ``k_min`` medoids.

        The first empty slots get the samples with the lowest ids not in the row, so that a row's
        repair depends on nothing else; :func:`repair_slots` draws them. Fractions are rounded.
        """
        return repair_slots(rounded_genes(X, self.n_var), self.n_samples, self.k_min)

    def canonical(self, X: IntArray) -> IntArray:
        """Medoids in ascending order, then the empty slots.

        The order of the slots decides only which cluster takes a sample equally near to two medoids.
        """
        ids = checked_genes(X, self.n_var).astype(self.dtype)
        ids[ids < 0] = self.n_samples
        ids.sort(axis=1)
        ids[ids == self.n_samples] = -1
        return ids

    def random(self, n_individuals: int, rng: np.random.Generator) -> IntArray:
        """k uniform on k_min..k_max, then k distinct samples in random slots."""
        return random_slots(n_individuals, self.n_samples, self.k_min, self.k_max, rng)

    def nearest(self, n_neighbors: int) -> NDArray[np.int32]:
        """The nearest others of every sample by its row of the distances, computed once.

        Parameters
        ----------
        n_neighbors : int
            1..n_samples-1.

        Returns
        -------
        neighbors : ndarray of shape (n_samples, n_neighbors), nearest first

        Notes
        -----
        O(n_samples^2 log n_samples) time.
        """
        if not 1 <= n_neighbors < self.n_samples:
            raise ValueError(f"n_neighbors must be within 1..{self.n_samples - 1}, got {n_neighbors}.")
        if n_neighbors not in self._neighbors:
            self._neighbors[n_neighbors] = nearest_others(self.distances, n_neighbors)
        return self._neighbors[n_neighbors]

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self
