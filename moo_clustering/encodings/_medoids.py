"""A partition as the set of samples its clusters gather around."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering._distances import MAX_MEMORY, Metric, distance_matrix
from moo_clustering.encodings._base import Encoding, IntArray, Labels
from moo_clustering.encodings._checks import (
    checked_cluster_range,
    checked_genes,
    checked_labels,
    rounded_genes,
)

# Entries of one block of distances in decode: 8 MiB, so that it stays near the processor.
_BLOCK = 2**20
# Distance sums that agree to this factor count as a tie: rounding must not choose the medoid.
SAME = 1.0 + 1e-12


def resolve_k_max(k_max: int | str, n_samples: int) -> int:
    """Largest number of clusters: ``"sqrt"``, ``"ceil_sqrt"`` or a number."""
    if not isinstance(k_max, str):
        return k_max
    if k_max not in ("sqrt", "ceil_sqrt"):
        raise ValueError(f"k_max must be 'sqrt', 'ceil_sqrt' or an integer, got {k_max!r}.")
    root = math.isqrt(n_samples)
    if k_max == "ceil_sqrt" and root**2 < n_samples:
        root += 1
    # As many clusters as samples are no clustering; two samples leave no choice.
    return min(max(2, root), max(n_samples - 1, min(n_samples, 2)))


class MedoidEncoding(Encoding):
    """Genes are the ids of the medoids, padded with -1 on the right.

    Every sample belongs to its nearest medoid (ties: the lowest position), and every medoid to
    itself, even if an identical sample is another medoid; so no cluster is empty. The label of a
    cluster is the position of its medoid in the row.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Features, or dissimilarities (n_samples, n_samples) with ``metric="precomputed"``, used
        without a copy where they are symmetric float64 already.
    k_max : {"sqrt", "ceil_sqrt"} or int, default="sqrt"
        Largest number of clusters, and of genes. The square roots of n_samples are kept within
        2..n_samples-1 (1 for one sample).
    metric : str or callable, default="euclidean"
        ``"euclidean"``, ``"cosine"`` (rows of zeros are at distance 1 from all others),
        ``"precomputed"``, or any metric of :func:`sklearn.metrics.pairwise_distances`.
    k_min : int, default=2
        Smallest number of clusters; at most 1 for one sample.
    max_memory : int, default=4 GiB
        Bytes the dissimilarities may take, 8 n_samples^2.

    Attributes
    ----------
    distances : ndarray of shape (n_samples, n_samples), read-only
    k_min, k_max : int

    Notes
    -----
    Decoding takes O(n_individuals k_max n_samples) time and O(1) memory beyond the labels (blocks
    of 8 MiB). Encodings are immutable: a deep copy shares the distances.

    References
    ----------
    NSGA-II-clus.

    Examples
    --------
    >>> encoding = MedoidEncoding([[0.0], [1.0], [2.0], [10.0], [11.0], [13.0]], k_max=3)
    >>> encoding.decode([[0, 3, -1], [0, 1, 5]])
    array([[0, 0, 0, 1, 1, 1],
           [0, 1, 1, 2, 2, 2]], dtype=int32)
    """

    dtype = np.dtype(np.intp)

    def __init__(
        self,
        X: ArrayLike,
        k_max: int | str = "sqrt",
        metric: Metric = "euclidean",
        k_min: int = 2,
        *,
        max_memory: int = MAX_MEMORY,
    ) -> None:
        # A view, so that precomputed distances stay writeable for their owner.
        self.distances = distance_matrix(X, metric, max_memory, type(self).__name__).view()
        self.distances.flags.writeable = False
        self.n_samples = len(self.distances)
        if self.n_samples == 1:
            k_min = min(k_min, 1)
        self.k_min, self.k_max = checked_cluster_range(
            k_min, resolve_k_max(k_max, self.n_samples), self.n_samples
        )
        self.n_var = self.k_max

    def bounds(self) -> tuple[IntArray, IntArray]:
        """-1 (no medoid) and the last sample, for every gene."""
        lower = np.full(self.n_var, -1, dtype=self.dtype)
        return lower, np.full(self.n_var, self.n_samples - 1, dtype=self.dtype)

    def decode(self, X: IntArray) -> Labels:
        """Assign every sample to its nearest medoid; label = position of the medoid.

        Raises
        ------
        ValueError
            For rows that name a sample twice or none at all, or hold -1 before an id.
        """
        medoids = self._checked(X)
        sizes = (medoids >= 0).sum(axis=1)
        labels = np.empty((len(medoids), self.n_samples), dtype=np.int32)
        # Largest sets first: those that have a j-th medoid are then the head of a block.
        order = np.argsort(-sizes, kind="stable")
        step = max(1, _BLOCK // self.n_samples)
        for lo in range(0, len(order), step):
            rows = order[lo : lo + step]
            labels[rows] = self._nearest(medoids[rows], sizes[rows])
        row, position = np.nonzero(medoids >= 0)
        labels[row, medoids[row, position]] = position
        return labels

    def _nearest(self, medoids: IntArray, sizes: IntArray) -> Labels:
        """Position of the nearest medoid; rows must be sorted by descending size."""
        nearest = self.distances[medoids[:, 0]]
        labels = np.zeros(nearest.shape, dtype=np.int32)
        candidate = np.empty_like(nearest)
        for j in range(1, int(sizes[0])):
            m = int(np.searchsorted(-sizes, -j, side="left"))  # rows with more than j medoids
            np.take(self.distances, medoids[:m, j], axis=0, out=candidate[:m], mode="clip")
            closer = candidate[:m] < nearest[:m]  # strict: ties stay at the lowest position
            np.copyto(nearest[:m], candidate[:m], where=closer)
            np.copyto(labels[:m], j, where=closer)
        return labels

    def encode(self, labels: IntArray) -> IntArray:
        """Medoids of the clusters, at the positions given by the labels.

        The medoid of a cluster has the least sum of distances to the others in it (ties: the lowest
        id). Of more than ``k_max`` clusters the largest are kept (ties: the lowest label), fewer
        than ``k_min`` are filled up as by :meth:`repair`. Decoding gives the same partition where
        each sample is nearest to the medoid of its own cluster, and otherwise a k-medoids step of it.

        Notes
        -----
        O(n_individuals n_samples^2 / k) time for k clusters of equal size.
        """
        labels = checked_labels(labels, self.n_samples)
        X = np.full((len(labels), self.n_var), -1, dtype=self.dtype)
        for row, partition in zip(X, labels, strict=True):
            clusters, sizes = np.unique(partition, return_counts=True)
            kept = np.sort(np.argsort(-sizes, kind="stable")[: self.k_max])
            row[: len(kept)] = [self._medoid(np.flatnonzero(partition == c)) for c in clusters[kept]]
        return self.repair(X)

    def _medoid(self, members: NDArray[np.intp]) -> int:
        total = self.distances[np.ix_(members, members)].sum(axis=1)
        return int(members[np.argmax(total <= total.min() * SAME)])

    def repair(self, X: IntArray) -> IntArray:
        """Drop what is no sample or was named before, close the gaps, fill up to ``k_min`` medoids.

        Genes that are missing become the samples with the lowest ids not in the row; fractions are
        rounded.
        """
        ids = rounded_genes(X, self.n_var).astype(self.dtype, copy=False)
        kept = (ids >= 0) & (ids < self.n_samples) & ~occurred_before(ids)
        ids[~kept] = -1
        ids = np.take_along_axis(ids, np.argsort(~kept, axis=1, kind="stable"), axis=1)
        short = np.flatnonzero(kept.sum(axis=1) < self.k_min)
        if len(short):
            ids[short] = self._filled(ids[short])
        return ids

    def _filled(self, ids: IntArray) -> IntArray:
        """Append the lowest absent ids to rows of fewer than k_min medoids."""
        # Fewer than k_min are present, so k_min of the first 2 k_min - 1 ids suffice.
        n_candidates = min(self.n_samples, 2 * self.k_min - 1)
        present = np.zeros((len(ids), n_candidates + 1), dtype=bool)
        named = np.where((ids < 0) | (ids > n_candidates), n_candidates, ids)
        np.put_along_axis(present, named, True, axis=1)
        absent = np.argsort(present[:, :n_candidates], axis=1, kind="stable")
        position = np.arange(self.k_min) - (ids >= 0).sum(axis=1)[:, None]
        fill = np.take_along_axis(absent, np.maximum(position, 0), axis=1)
        ids[:, : self.k_min] = np.where(position >= 0, fill, ids[:, : self.k_min])
        return ids

    def canonical(self, X: IntArray) -> IntArray:
        """Medoids in ascending order, padding last.

        The order of the genes decides only which cluster takes a sample equally near to two medoids.
        """
        medoids = self._checked(X).astype(self.dtype)
        medoids[medoids < 0] = self.n_samples
        medoids.sort(axis=1)
        medoids[medoids == self.n_samples] = -1
        return medoids

    def random(self, n_individuals: int, rng: np.random.Generator) -> IntArray:
        """K uniform on k_min..k_max, then K distinct samples uniformly."""
        n, width = self.n_samples, self.n_var
        X = np.empty((n_individuals, width), dtype=self.dtype)
        # Floyd's sampling without replacement, a column at a time, for all rows at once.
        for j in range(width):
            last = n - width + j
            drawn = rng.integers(0, last + 1, size=n_individuals)
            taken = (X[:, :j] == drawn[:, None]).any(axis=1)
            X[:, j] = np.where(taken, last, drawn)
        X = rng.permuted(X, axis=1)  # Floyd's sets are uniform, their order is not
        sizes = rng.integers(self.k_min, self.k_max + 1, size=n_individuals)
        X[np.arange(width) >= sizes[:, None]] = -1
        return X

    def _checked(self, X: IntArray) -> IntArray:
        ids = checked_genes(X, self.n_var)
        padding = ids == -1
        wrong = ((ids < -1) | (ids >= self.n_samples) | (occurred_before(ids) & ~padding)).any(axis=1)
        wrong |= padding[:, 0] | (padding[:, :-1] & ~padding[:, 1:]).any(axis=1)
        if wrong.any():
            raise ValueError(
                f"row {np.argmax(wrong)} of X is no set of medoids (distinct ids in 0..{self.n_samples - 1}, "
                "at least one, -1 only at the end): repair the genotypes first."
            )
        return ids

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


def occurred_before(X: IntArray) -> NDArray[np.bool_]:
    """Which entries equal an entry further left in their row."""
    order = np.argsort(X, axis=1, kind="stable")
    ordered = np.take_along_axis(X, order, axis=1)
    repeated = np.zeros(X.shape, dtype=bool)
    np.put_along_axis(repeated, order[:, 1:], ordered[:, 1:] == ordered[:, :-1], axis=1)
    return repeated
