"""Encodings of partitions by medoids, and the operations on medoid sets that operators use."""

import math
from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering._arrays import block_slices, instance, integer, quoted
from moo_clustering._distances import MAX_MEMORY, Metric, checked_distances, distance_matrix
from moo_clustering._docs import Documented
from moo_clustering._kernels.medoids import nearest_medoids
from moo_clustering._types import AnyFloatArray, BoolArray, Int64Array, IntArray, IntpArray, Labels
from moo_clustering.constraints import ClusterSizes
from moo_clustering.encodings import base

_NO_SLOT = np.iinfo(np.int32).max
# Distance sums tie up to this factor, so that rounding errors do not determine the medoid.
SAME = 1.0 + 1e-12


class RowGenes(Documented, base.Encoding):
    """Base class of encodings with one gene per cluster: the row index of a member, or -1 (unused).

    Parameters
    ----------
    k_min : int
        Minimum number of clusters.

    Attributes
    ----------
    k_min, k_max : int
    """

    k_min: int
    k_max: int

    def bounds(self) -> tuple[IntArray, IntArray]:
        lower = np.full(self.n_var, -1, dtype=self.dtype)
        return lower, np.full(self.n_var, self.n_samples - 1, dtype=self.dtype)

    def encode(self, labels: IntArray) -> IntArray:
        """Encode each cluster of every partition by one member, in the order of the labels.

        Medoid encodings select the medoid, which has the smallest sum of distances *from* it to the other
        members (on ties, the lowest row index). Seed encodings select the member nearest to the mean. Only
        the ``k_max`` largest clusters are encoded; of equally large clusters, those with the lowest labels.
        If there are fewer than ``k_min`` clusters, members are added as in :meth:`repair`. Decoding restores
        the partition only if every sample is nearer to the encoded member of its own cluster than to the
        other encoded members. Finding the medoids of k equally large clusters takes O(n_individuals
        n_samples^2 / k) time.
        """
        partitions = base.checked_labels(labels, self.n_samples)
        X = np.full((len(partitions), self.n_var), -1, dtype=self.dtype)
        for row, partition in zip(X, partitions, strict=True):
            _, numbers, sizes = np.unique(partition, return_inverse=True, return_counts=True)
            largest = np.sort(np.argsort(-sizes, kind="stable")[: self.k_max])
            row[: len(largest)] = self._members(numbers.reshape(-1), sizes, largest)
        return self.repair(X)

    def canonical(self, X: IntArray) -> IntArray:
        """Sort row indices, with -1 last. The order affects only samples equally near to two members."""
        rows = self._checked(X).astype(self.dtype)
        rows[rows < 0] = self.n_samples
        rows.sort(axis=1)
        rows[rows == self.n_samples] = -1
        return rows

    def _checked(self, X: IntArray) -> IntArray:
        return base.checked_genes(X, self.n_var)

    @abstractmethod
    def _members(self, numbers: IntpArray, sizes: IntpArray, clusters: IntpArray) -> Any:
        """Return a member of each cluster in ``clusters``. ``numbers`` holds the cluster of each sample."""


class SlotGenes(RowGenes):
    """Base class of encodings whose row indices may be in any positions (slots); empty slots contain -1."""

    def repair(self, X: IntArray) -> IntArray:
        """Clear slots with invalid or repeated genes, then fill empty slots until ``k_min`` are occupied.

        Genes are rounded first. The first empty slots get the lowest row indices that the individual lacks.
        """
        return repair_slots(base.rounded_genes(X, self.n_var), self.n_samples, self.k_min)

    def random(self, n_individuals: int, rng: np.random.Generator) -> IntArray:
        """Draw k uniformly from k_min..k_max, then k distinct samples in random slots."""
        return random_slots(n_individuals, self.n_samples, self.k_min, self.k_max, rng)


class _MedoidGenes(RowGenes):
    """Base class for medoid encodings, with read-only ``distances`` of shape (n_samples, n_samples)."""

    distances: AnyFloatArray

    def medoids(self, X: IntArray) -> IntArray:
        """Return the row index of each cluster's medoid in the order of the labels, padded with -1."""
        genes = base.checked_genes(X, self.n_var)
        return np.take_along_axis(genes, np.argsort(genes < 0, axis=1, kind="stable"), axis=1)

    def _members(self, numbers: IntpArray, sizes: IntpArray, clusters: IntpArray) -> Any:
        return [self._medoid(np.flatnonzero(numbers == cluster)) for cluster in clusters]

    def _medoid(self, members: IntpArray) -> int:
        within = self.distances[np.ix_(members, members)]
        total = within.sum(axis=1, dtype=np.float64) - np.diagonal(within)  # Eq. 2
        return int(members[np.argmax(total <= total.min() * SAME)])


class MedoidEncoding(_MedoidGenes):
    """Encoding by row indices of medoids, padded with -1 on the right.

    Without ``sizes``, every sample is assigned to its nearest medoid (on ties, the one with the lowest
    position). A medoid belongs to its own cluster even if it coincides with another medoid, so no cluster is
    empty. A cluster's label is the position of its medoid. Decoding takes O(n_individuals k_max n_samples)
    time. Source: NSGA-II-clus.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Features or, with ``metric="precomputed"``, dissimilarities of shape (n_samples, n_samples), which are
        not copied if they are symmetric and float64.
    k_max : {"sqrt", "ceil_sqrt"} or int, default="sqrt"
        Maximum number of clusters, and number of genes. The strings denote the square root of n_samples,
        rounded down or up, and clipped to 2..n_samples-1.
    metric : str or callable, default="euclidean"
        See :func:`sklearn.metrics.pairwise_distances`. Zero rows have cosine distance 1 to all other rows.
    k_min : int, default=2
        Minimum number of clusters; 1 if there is only one sample.
    max_memory : int, default=4 GiB
        Maximum memory for the dissimilarities, which need 8 n_samples^2 bytes.
    sizes : ClusterSizes, optional
        Bounds on the cluster sizes, at least 1. Within these bounds, decoding minimises the total
        dissimilarity to medoids, so all individuals are feasible. Takes O(k_max n_samples + k_max^2 n_moves)
        time, where n_moves is the number of samples whose nearest cluster is full.

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
        sizes: ClusterSizes | None = None,
    ) -> None:
        # A read-only view is used, so that the caller's precomputed distances remain writeable.
        self.distances = distance_matrix(X, metric, max_memory, type(self).__name__).view()
        self.distances.flags.writeable = False
        self.n_samples = len(self.distances)
        if self.n_samples == 1:
            k_min = min(k_min, 1)
        self.k_min, self.k_max = base.checked_cluster_range(
            k_min, resolve_k_max(k_max, self.n_samples), self.n_samples
        )
        self.sizes = sizes
        if sizes is not None:
            instance("sizes", sizes, ClusterSizes, "ClusterSizes, such as ClusterSizes(3, 8)")
            self.sizes = ClusterSizes(np.maximum(sizes.low, 1), sizes.high)
            n, low, most = self.n_samples, self.sizes.low, self.k_max
            ends = (len(low),) * 2 if low.ndim else (math.ceil(n / self.sizes.high), int(n // low))
            self.k_min, self.k_max = max(self.k_min, ends[0]), min(most, ends[1])
            self.sizes.possible(self.k_min if self.k_min <= self.k_max else most, n)
        self.n_var = self.k_max

    def decode(self, X: IntArray) -> Labels:
        """Assign samples to medoids; raise a ValueError unless rows hold distinct medoids, padded with -1."""
        medoids = self._checked(X)
        if self.sizes is None:
            return decode_slots(medoids, self.distances)
        found = [self.sizes.assign(self.distances[row[row >= 0]].T) for row in medoids]
        return np.array(found, dtype=np.int32).reshape(-1, self.n_samples)

    def repair(self, X: IntArray) -> IntArray:
        """Remove invalid and repeated genes, move medoids to the left, add medoids until there are ``k_min``.

        Genes are rounded first. Added medoids have the lowest row indices that the individual lacks.
        """
        ids = base.rounded_genes(X, self.n_var).astype(self.dtype, copy=False)
        ids[ids >= self.n_samples] = -1
        return filled(first_distinct(ids, self.k_max), self.k_min, self.n_samples).astype(self.dtype)

    def random(self, n_individuals: int, rng: np.random.Generator) -> IntArray:
        """Draw K uniformly from k_min..k_max, then K distinct samples."""
        n, width = self.n_samples, self.n_var
        X = np.empty((n_individuals, width), dtype=self.dtype)
        # Floyd's algorithm draws samples without replacement for all rows at once.
        for j in range(width):
            last = n - width + j
            drawn = rng.integers(0, last + 1, size=n_individuals)
            taken = (X[:, :j] == drawn[:, None]).any(axis=1)
            X[:, j] = np.where(taken, last, drawn)
        X = rng.permuted(X, axis=1)  # the order of Floyd's sets is not uniform
        sizes = rng.integers(self.k_min, self.k_max + 1, size=n_individuals)
        X[np.arange(width) >= sizes[:, None]] = -1
        return X

    def _checked(self, X: IntArray) -> IntArray:
        ids = base.checked_genes(X, self.n_var)
        padding = ids == -1
        wrong = ((ids < -1) | (ids >= self.n_samples) | (occurred_before(ids) & ~padding)).any(axis=1)
        wrong |= padding[:, 0] | (padding[:, :-1] & ~padding[:, 1:]).any(axis=1)
        if wrong.any():
            raise ValueError(
                f"row {np.argmax(wrong)} of X is not a set of medoids (one or more distinct row indices from "
                f"0 to {self.n_samples - 1}, with -1 only at the end); {base.VALID_GENES}"
            )
        return ids


class MedoidSlotEncoding(_MedoidGenes, SlotGenes):
    """Encoding by row indices of medoids in arbitrary slots, with -1 in empty slots.

    Unlike :class:`MedoidEncoding`, this encoding supports asymmetric distances, such as directed Hausdorff
    distances between bags, and does not move medoids between slots. Decoding takes O(n_individuals k_max
    n_samples) time. Source: Evolutionary multi-instance clustering (MIGCUK).

    Parameters
    ----------
    distances : array-like of shape (n_samples, n_samples)
        Non-negative; row i contains the distances from sample i. float32 and float64 arrays are not copied.
    k_max : int
        Maximum number of clusters and number of genes.

    Examples
    --------
    >>> x = np.array([0.0, 1.0, 2.0, 10.0, 11.0])
    >>> MedoidSlotEncoding(np.abs(x - x[:, None]), k_max=3).decode([[-1, 3, 0]])
    array([[1, 1, 1, 0, 0]], dtype=int32)
    """

    dtype = np.dtype(np.int64)

    def __init__(self, distances: ArrayLike, k_max: int, k_min: int = 2) -> None:
        self.distances = checked_distances(distances, "distances", directed=True)
        if self.distances.flags.writeable:
            # A read-only view is used, so that the caller's matrix remains writeable.
            self.distances = self.distances.view()
            self.distances.flags.writeable = False
        self.n_samples = len(self.distances)
        self.k_min, self.k_max = base.checked_cluster_range(k_min, k_max, self.n_samples)
        self.n_var = self.k_max
        self._neighbors: dict[int, NDArray[np.int32]] = {}

    def decode(self, X: IntArray) -> Labels:
        return decode_slots(base.checked_genes(X, self.n_var), self.distances)

    def nearest(self, n_neighbors: int) -> NDArray[np.int32]:
        """Return each sample's ``n_neighbors`` nearest samples, nearest first.

        The (n_samples, n_neighbors) array is cached; the first call takes O(n_samples^2 log n_samples) time.
        """
        integer("n_neighbors", n_neighbors, 1, self.n_samples - 1)
        if n_neighbors not in self._neighbors:
            self._neighbors[n_neighbors] = nearest_others(self.distances, n_neighbors)
        return self._neighbors[n_neighbors]


def occupied_slots(slots: IntArray, n_samples: int, what: str) -> BoolArray:
    """Return the mask of occupied slots, or raise a ValueError if a row is empty or has invalid entries."""
    occupied = slots >= 0
    wrong = ~occupied.any(axis=1)
    wrong |= ((slots < -1) | (slots >= n_samples) | (occurred_before(slots) & occupied)).any(axis=1)
    if wrong.any():
        raise ValueError(
            f"row {np.argmax(wrong)} of X has no {what}, a repeated {what}, or numbers outside -1 to "
            f"{n_samples - 1}; {base.VALID_GENES}"
        )
    return occupied


def decode_slots(X: IntArray, H: AnyFloatArray) -> Labels:
    """Assign samples to their nearest medoids, and return labels of shape (n_individuals, n_samples)."""
    # Rows of ``X`` contain distinct row indices, and -1 for empty slots. ``H[b, m]`` is the distance from b
    # to m. Clusters are numbered in slot order. Ties are broken by the lowest slot, but a medoid always
    # belongs to its own cluster. Takes O(n_individuals k_max n_samples) time.
    slots = np.asarray(X)
    occupied = occupied_slots(slots, len(H), "medoid")
    used, place = np.unique(slots[occupied], return_inverse=True)
    index = np.full(slots.shape, -1, dtype=np.int64)
    index[occupied] = place
    labels = np.full((len(slots), len(H)), _NO_SLOT, dtype=np.int32)
    nearest = np.full(labels.shape, np.inf, dtype=H.dtype)
    for part in block_slices(len(used), len(H)):
        # The columns of H contain the distances *to* the medoids.
        rows = np.ascontiguousarray(H[:, used[part]].T)
        here = np.where((index >= part.start) & (index < part.stop), index - part.start, -1)
        nearest_medoids(rows, here, nearest, labels, 0, len(slots))
    row, slot = np.nonzero(occupied)
    labels[row, slots[row, slot]] = slot
    number = np.cumsum(occupied, axis=1, dtype=np.int32) - np.int32(1)
    return np.take_along_axis(number, labels, axis=1)


def random_slots(n: int, n_samples: int, k_min: int, k_max: int, rng: np.random.Generator) -> IntArray:
    """Draw k uniformly from k_min..k_max, then k distinct samples in random slots, for each individual."""
    slots = filled(np.full((n, k_max), -1, dtype=np.int64), k_max, n_samples, rng)
    sizes = rng.integers(k_min, k_max + 1, size=(n, 1))
    slots[rng.permuted(np.arange(k_max) >= sizes, axis=1)] = -1
    return slots


def repair_slots(
    X: ArrayLike, n_samples: int, k_min: int, rng: np.random.Generator | None = None
) -> IntArray:
    """Remove invalid and repeated genes, then fill empty slots until there are ``k_min`` medoids."""
    X = np.asarray(X)
    slots = base.rounded_genes(X, X.shape[-1])
    if k_min > min(n_samples, slots.shape[1]):
        raise ValueError(f"k_min={k_min} exceeds the {slots.shape[1]} slots or the {n_samples} samples")
    slots[(slots < 0) | (slots >= n_samples) | occurred_before(slots)] = -1
    return filled(slots, k_min, n_samples, rng)


def nearest_others(distances: AnyFloatArray, n_neighbors: int) -> NDArray[np.int32]:
    """Return the samples with the smallest distances from each sample (on ties, the lowest row index)."""
    n = len(distances)
    neighbors = np.empty((n, n_neighbors), dtype=np.int32)
    for part in block_slices(n, n):
        rows = distances[part].copy()
        rows[np.arange(len(rows)), np.arange(part.start, part.stop)] = np.inf
        neighbors[part] = np.argsort(rows, axis=1, kind="stable")[:, :n_neighbors]
    return neighbors


def as_sets(X: IntArray) -> Int64Array:
    """Copy a population as int64, because pymoo may pass genes as floats."""
    return np.rint(X).astype(np.int64) if X.dtype.kind == "f" else X.astype(np.int64)


def set_sizes(sets: IntArray) -> Int64Array:
    return np.asarray((sets >= 0).sum(axis=1), dtype=np.int64)


def first_distinct(candidates: IntArray, sizes: Any) -> Int64Array:
    """Return the first ``sizes`` distinct non-negative entries of each row, in order, padded with -1."""
    kept = (candidates >= 0) & ~occurred_before(candidates)
    kept &= np.cumsum(kept, axis=1) <= np.reshape(sizes, (-1, 1))
    sets = np.where(kept, candidates, -1)
    return np.take_along_axis(sets, np.argsort(~kept, axis=1, kind="stable"), axis=1)


def random_absent(sets: IntArray, n_samples: int, rng: np.random.Generator) -> Int64Array:
    """Return, for each row, a random sample that the row does not contain."""
    # The r-th absent number is r plus the count of those sorted present numbers s_t for which s_t - t <= r.
    rank = rng.integers(0, n_samples - set_sizes(sets))
    present = np.sort(np.where(sets < 0, 2 * n_samples + sets.shape[1], sets), axis=1)
    skipped = (present - np.arange(sets.shape[1]) <= rank[:, None]).sum(axis=1)
    return np.asarray(rank + skipped, dtype=np.int64)


def filled(slots: IntArray, k_min: int, n_samples: int, rng: np.random.Generator | None = None) -> IntArray:
    """Return a copy in which samples fill each row's first empty slots until it has ``k_min`` medoids."""
    # Added samples are drawn at random. Without a generator, they have the lowest absent row indices.
    slots = slots.copy()
    while len(short := np.flatnonzero(set_sizes(slots) < k_min)):
        some = slots[short]
        empty = some < 0
        if rng is None:
            absent = np.ones((len(some), k_min), dtype=bool)
            row, slot = np.nonzero(~empty & (some < k_min))
            absent[row, some[row, slot]] = False
            lacking = k_min - set_sizes(some)[:, None]
            some[empty & (np.cumsum(empty, axis=1) <= lacking)] = np.nonzero(
                absent & (np.cumsum(absent, axis=1) <= lacking)
            )[1]
            slots[short] = some
        else:
            slots[short, empty.argmax(axis=1)] = random_absent(some, n_samples, rng)
    return slots


def occurred_before(X: IntArray) -> BoolArray:
    """Return the mask of entries that repeat an earlier entry in the same row."""
    order = np.argsort(X, axis=1, kind="stable")
    ordered = np.take_along_axis(X, order, axis=1)
    repeated = np.zeros(X.shape, dtype=bool)
    np.put_along_axis(repeated, order[:, 1:], ordered[:, 1:] == ordered[:, :-1], axis=1)
    return repeated


def resolve_k_max(k_max: int | str, n_samples: int) -> int:
    """Return the maximum number of clusters, given as ``"sqrt"``, ``"ceil_sqrt"`` or an integer."""
    if not isinstance(k_max, str):
        return k_max
    if k_max not in ("sqrt", "ceil_sqrt"):
        raise ValueError(f"k_max must be 'sqrt', 'ceil_sqrt' or an integer, got {quoted(k_max)}")
    root = math.isqrt(n_samples)
    if k_max == "ceil_sqrt" and root**2 < n_samples:
        root += 1
    # Partitions into n clusters are trivial, so k_max is at most n - 1 unless there are only one or two
    # samples.
    return min(max(2, root), max(n_samples - 1, min(n_samples, 2)))
