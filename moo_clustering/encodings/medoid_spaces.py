"""Distances between samples and medoids, based on a distance matrix or on feature vectors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse
from sklearn.utils.validation import _num_samples

from moo_clustering._arrays import block_slices, choice, quoted, require_squares, unit_rows
from moo_clustering._data import checked_container, checked_table
from moo_clustering._distances import Metric, distance_matrix, mean_square
from moo_clustering._kernels import medoids as kernels
from moo_clustering._kernels.partitions import medoid_separations
from moo_clustering._kernels.threads import for_parts
from moo_clustering._types import AnyFloatArray, BoolArray, FloatArray, Int64Array, IntArray, Labels

Form = Literal["auto", "matrix", "vector"]
_MANY = 8000
_NO_POSITION = np.iinfo(np.int32).max
# Totals within this relative difference tie, so that rounding errors do not determine the medoid.
RELATIVE = 1e-12
_CAPACITY = 1 << 17
VectorMetric = Literal["cosine", "sqeuclidean", "euclidean"]
KINDS = {"cosine": kernels.COSINE, "sqeuclidean": kernels.SQUARED, "euclidean": kernels.EUCLIDEAN}


class MedoidSpace(ABC):
    """Base class for distances between samples and sets of medoids."""

    # ``mean_square`` is the mean of all n^2 squared distances, which scales the lower bound in Xie-Beni.
    # ``total_to_one``, E_1 in the paper, is the smallest total distance from all samples to a single sample.

    n_samples: int
    mean_square: float
    total_to_one: float
    n_jobs: int | None

    @abstractmethod
    def rows(self, ids: IntArray) -> AnyFloatArray:
        """Return the distances from the given samples to all samples, shape (len(ids), n_samples)."""

    @abstractmethod
    def own(self, medoids: IntArray, labels: Labels) -> FloatArray:
        """Return each sample's distance to the medoid of its cluster, in an array shaped like ``labels``."""

    @abstractmethod
    def separations(self, medoids: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return each individual's minimum and maximum distance between medoids; inf and 0 without a pair."""

    @abstractmethod
    def blocks(self, medoids: IntArray) -> Iterator[tuple[AnyFloatArray, IntArray]]:
        """Yield blocks of rows of the medoids' distances, and each gene's row in the block (-1: no row)."""

    @abstractmethod
    def find_medoids(self, members: Members, wanted: BoolArray, medoids: Int64Array) -> None:
        """Write the medoids of the clusters marked in ``wanted`` to the same positions in ``medoids``."""

    def nearest(self, medoids: IntArray, *, exception: bool = True) -> tuple[Labels, FloatArray]:
        """Return the position of each sample's nearest medoid (the lowest on ties), and its distance."""
        # If ``exception`` is true, a medoid belongs to its own cluster even if it equals an earlier medoid.
        shape = (len(medoids), self.n_samples)
        distances = np.full(shape, np.inf)
        labels = np.full(shape, _NO_POSITION, dtype=np.int32)
        for rows, places in self.blocks(medoids):
            assign = partial(kernels.nearest_medoids, rows, places, distances, labels)
            n_operations = 4.0 * np.count_nonzero(places >= 0) * self.n_samples
            for_parts(assign, len(medoids), n_operations, self.n_jobs)
        if exception:
            row, position = np.nonzero(medoids >= 0)
            labels[row, medoids[row, position]] = position
        return labels, distances

    def medoids(self, labels: Labels, width: int, memo: MedoidMemo) -> Int64Array:
        """Return each cluster's member with the lowest total distance (or the first on ties); pad with -1."""
        n_clusters = labels.max(axis=1, initial=0) + 1
        k = int(n_clusters.max(initial=1))
        members = member_table(labels, k)
        present, find = np.arange(k) < n_clusters[:, None], partial(self.find_medoids, members)
        out = np.full((len(labels), width), -1, dtype=np.int64)
        out[:, :k] = memo.complete(members.labels, present, find)
        return out


def choose_space(
    X: Any, metric: Metric, form: Form, max_memory: int, n_jobs: int | None
) -> tuple[Literal["matrix", "vector"], MedoidSpace]:
    """Return the form and distances that a :class:`~moo_clustering.problems.MedoidProblem` uses."""
    choice("form", form, get_args(Form))
    name = metric if isinstance(metric, str) else None
    if form == "vector" and name not in KINDS:
        raise ValueError(f"form='vector' requires metric to be one of {tuple(KINDS)}, got {quoted(metric)}")
    # For these two metrics, forms "matrix" and "vector" yield the same medoids.
    if form == "auto" and name in ("cosine", "sqeuclidean"):
        n_samples = _num_samples(checked_container(X, "X"))
        if n_samples > _MANY or 8 * n_samples**2 > max_memory:
            form = "vector"
    if form == "vector":
        # The medoid of Euclidean vectors has the smallest total *squared* distance, unlike with a distance
        # matrix.
        X = checked_table(X, accept_sparse="csr")
        space = SparseVectorSpace if issparse(X) else DenseVectorSpace
        return "vector", space(X, name, n_jobs)  # type: ignore[arg-type]
    return "matrix", DistanceMatrixSpace(X, metric, max_memory, n_jobs)


class DistanceMatrixSpace(MedoidSpace):
    """Matrix of all n^2 distances, in at most ``max_memory`` bytes; supports any metric."""

    # Cosine distances are rounded to multiples of 2^-44, so that equal directions tie exactly. For p
    # individuals with k equally large clusters, assignment takes O(p k n) time, and finding the medoids of
    # distinct clusters takes O(p n^2 / k) time. To find medoids, lower bounds on total distances are first
    # computed by counting bits of distances that are rounded down to one byte. Exact totals are then computed
    # only for the most promising members.

    def __init__(self, X: Any, metric: Metric, max_memory: int, n_jobs: int | None = None) -> None:
        D = distance_matrix(X, metric, max_memory, "MedoidProblem")
        cosine = isinstance(metric, str) and metric == "cosine"
        if cosine:
            for block in block_slices(len(D), len(D)):
                part = D[block]
                part *= kernels.GRAIN
                np.rint(part, out=part)
                part /= kernels.GRAIN
        # A read-only view is used, so that the caller's precomputed distances remain writeable.
        self.distances = D.view()
        self.distances.flags.writeable = False
        self.n_samples = len(D)
        self.n_jobs = n_jobs
        self.mean_square = mean_square(D)
        sums = D.sum(axis=0)
        self.total_to_one = float(sums.min())
        self._each = 2.0 / kernels.GRAIN if cosine else 0.0
        # Distances above 1.5 times the mean are clipped in the bytes, because they are rare within clusters.
        greatest = 2**kernels.PLANES - 1
        step = max(1.5 * float(sums.mean()) / len(D) / greatest, float(np.finfo(float).tiny))
        self._planes = np.empty((len(D), kernels.PLANES, -(-len(D) // 64)), dtype=np.uint64)
        for_parts(
            lambda lo, hi: kernels.coarse_planes(D, step, self._planes, lo, hi), len(D), 8.0 * D.size, n_jobs
        )
        # With a slightly smaller unit, totals are lower bounds in spite of rounding errors.
        self._unit = step * (1.0 - 1e-9)

    def rows(self, ids: IntArray) -> AnyFloatArray:
        return self.distances[ids]

    def own(self, medoids: IntArray, labels: Labels) -> FloatArray:
        out = np.empty(labels.shape)
        kernels.own_distances(self.distances, medoids, labels, out)
        return out

    def separations(self, medoids: IntArray) -> tuple[FloatArray, FloatArray]:
        least, greatest = np.empty(len(medoids)), np.empty(len(medoids))
        medoid_separations(self.distances, medoids, (medoids >= 0).sum(axis=1), least, greatest)
        return least, greatest

    def blocks(self, medoids: IntArray) -> Iterator[tuple[AnyFloatArray, IntArray]]:
        yield self.distances, medoids

    def find_medoids(self, members: Members, wanted: BoolArray, medoids: Int64Array) -> None:
        some = np.flatnonzero(wanted.any(axis=1))
        labels, order, starts = members.labels[some], members.order[some], members.starts[some]
        wanted, found = wanted[some], medoids[some]
        masks = np.zeros((*wanted.shape, self._planes.shape[2]), dtype=np.uint64)
        kernels.cluster_masks(labels, masks)
        totals = np.empty(labels.shape, dtype=np.int32)
        clusters = masks, totals, self._unit, order, starts, wanted, RELATIVE, self._each
        bound = partial(kernels.coarse_totals, self._planes, labels, masks, wanted, totals)
        find = partial(kernels.least_total_members, self.distances, self._planes, *clusters, found)
        for kernel, count in ((bound, self.n_samples), (find, len(some))):
            for_parts(kernel, count, masks.shape[2] * labels.size, self.n_jobs)
        medoids[some] = found


class VectorSpace(MedoidSpace):
    """Distances that are computed when needed, from products of feature vectors."""

    # For p individuals with u distinct medoids, an assignment takes u products of a sample with the data and
    # O(p k n) comparisons. Finding the medoids of distinct clusters takes O(p n) extra memory and O(p n d)
    # time, or O(p nnz) time for sparse data. Euclidean ``total_to_one`` is computed once, in O(n^2 d) time.

    def __init__(self, norms: FloatArray, kind: int, n_jobs: int | None) -> None:
        self.n_samples, self.norms = len(norms), norms
        self.kind, self.n_jobs = kind, n_jobs
        # The cosine distance of a zero row is 1 to all other samples and 0 to the row itself.
        self.zero = (norms == 0.0) & (kind == kernels.COSINE)

    def _measure(self, products: FloatArray) -> None:
        """Compute ``mean_square`` and ``total_to_one`` from the product of each row with the sum of rows."""
        n = self.n_samples
        spaced = np.unique(np.linspace(0, n - 1, min(n, 1024)).astype(np.int64))
        squares = [np.einsum("ij,ij->", rows, rows) for rows in self._row_blocks(spaced)]
        self.mean_square = float(np.sum(squares)) / (len(spaced) * n)
        if self.kind == kernels.COSINE:
            totals = n - products - self.zero
        elif self.kind == kernels.SQUARED:
            totals = n * self.norms - 2.0 * products + self.norms.sum()
        else:
            totals = np.concatenate([rows.sum(axis=1) for rows in self._row_blocks(np.arange(n))])
        # If all samples are identical, the total must be exactly 0.
        self.total_to_one = float(max(totals.min(), 0.0)) if self.mean_square > 0.0 else 0.0

    def blocks(self, medoids: IntArray) -> Iterator[tuple[AnyFloatArray, IntArray]]:
        ids = np.unique(medoids[medoids >= 0])
        place = np.searchsorted(ids, medoids)
        place[medoids < 0] = -1
        first = 0
        for rows in self._row_blocks(ids):
            inside = (place >= first) & (place < first + len(rows))
            yield rows, np.where(inside, place - first, -1)
            first += len(rows)

    def _row_blocks(self, ids: IntArray) -> Iterator[AnyFloatArray]:
        for part in block_slices(len(ids), self.n_samples):
            yield self.rows(ids[part])


class DenseVectorSpace(VectorSpace):
    """Distances between the rows of a dense array."""

    def __init__(self, X: FloatArray, metric: VectorMetric, n_jobs: int | None) -> None:
        kind = KINDS[metric]
        if kind != kernels.COSINE:
            require_squares(X)
        self.X = np.ascontiguousarray(unit_rows(X) if kind == kernels.COSINE else _near_origin(X))
        super().__init__(np.einsum("ij,ij->i", self.X, self.X), kind, n_jobs)
        self._measure(self.X @ self.X.sum(axis=0))

    def rows(self, ids: IntArray) -> FloatArray:
        rows = self.X[ids] @ self.X.T
        fill = partial(kernels.dense_rows, self.X, self.norms, ids, self.kind, rows)
        for_parts(fill, len(ids), 8.0 * rows.size, self.n_jobs)
        return rows

    def own(self, medoids: IntArray, labels: Labels) -> FloatArray:
        out = np.empty(labels.shape)
        fill = partial(kernels.dense_own, self.X, medoids, labels, self.kind, out)
        for_parts(fill, len(labels), labels.size * self.X.shape[1], self.n_jobs)
        return out

    def separations(self, medoids: IntArray) -> tuple[FloatArray, FloatArray]:
        least, greatest = np.empty(len(medoids)), np.empty(len(medoids))
        fill = partial(kernels.dense_separations, self.X, medoids, self.kind, least, greatest)
        for_parts(fill, len(medoids), medoids.size * medoids.shape[1] * self.X.shape[1] / 2, self.n_jobs)
        return least, greatest

    def find_medoids(self, members: Members, wanted: BoolArray, medoids: Int64Array) -> None:
        ties = RELATIVE, 2.0 / kernels.GRAIN if self.kind == kernels.COSINE else 0.0
        clusters = self.zero, members.order, members.starts, wanted, self.kind, *ties
        find = partial(kernels.dense_medoids, self.X, *clusters, medoids)
        for_parts(find, len(medoids), 2 * members.order.size * self.X.shape[1], self.n_jobs)


def _near_origin(X: FloatArray) -> FloatArray:
    """Shift features towards 0 by multiples of a power of two, so that integers and their ties stay exact."""
    spread = X.std(axis=0)
    grid = np.exp2(np.ceil(np.log2(np.where(spread > 0.0, spread, 1.0))))
    shifted: FloatArray = X - grid * np.rint(X.mean(axis=0) / grid)
    return shifted


class SparseVectorSpace(VectorSpace):
    """Distances between the rows of a CSR matrix, from products over their shared non-zero columns."""

    def __init__(self, X: Any, metric: VectorMetric, n_jobs: int | None) -> None:
        kind = KINDS[metric]
        X = csr_array(X, copy=True)
        X.sum_duplicates()
        if kind == kernels.COSINE:
            X = unit_rows(X)
        else:
            require_squares(X)
        self.X = X
        self._csr = X.indptr, X.indices, X.data
        self._columns = X.tocsc()
        row_of = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        # Kernels add in column order. The same order here makes the distance of identical rows exactly 0.
        norms = np.bincount(row_of, weights=X.data**2, minlength=X.shape[0]).astype(np.float64)
        super().__init__(norms, kind, n_jobs)
        self._halves = np.full(self.n_samples, 0.5) if kind == kernels.COSINE else 0.5 * norms
        self._each = 2.0 / kernels.GRAIN if kind == kernels.COSINE else 1e-14 * float(norms.max())
        self._measure(X @ np.asarray(X.sum(axis=0)).ravel())

    def rows(self, ids: IntArray) -> FloatArray:
        rows = np.empty((len(ids), self.n_samples))
        by_column = (self._columns.indptr, self._columns.indices, self._columns.data)
        fill = partial(kernels.sparse_rows, *self._csr, *by_column, self.norms, ids, self.kind, rows)
        for_parts(fill, len(ids), 2 * rows.size, self.n_jobs)
        return rows

    def own(self, medoids: IntArray, labels: Labels) -> FloatArray:
        out = np.empty(labels.shape)
        members = member_table(labels, medoids.shape[1])
        given = self.norms, medoids, members.order, members.starts, self.kind

        def fill(lo: int, hi: int) -> None:
            kernels.sparse_own(*self._csr, *given, self._vector(), out, lo, hi)

        for_parts(fill, len(labels), len(labels) * self.X.nnz, self.n_jobs)
        return out

    def separations(self, medoids: IntArray) -> tuple[FloatArray, FloatArray]:
        least, greatest = np.empty(len(medoids)), np.empty(len(medoids))
        given = *self._csr, self.norms, medoids, self.kind

        def fill(lo: int, hi: int) -> None:
            kernels.sparse_separations(*given, self._vector(), least, greatest, lo, hi)

        n_operations = medoids.size * medoids.shape[1] * self.X.nnz / self.n_samples / 2
        for_parts(fill, len(medoids), n_operations, self.n_jobs)
        return least, greatest

    def find_medoids(self, members: Members, wanted: BoolArray, medoids: Int64Array) -> None:
        data = *self._csr, self._halves, self.zero, members.order, members.starts

        def find(lo: int, hi: int) -> None:
            kernels.sparse_medoids(*data, wanted, RELATIVE, self._each, self._vector(), medoids, lo, hi)

        for_parts(find, len(medoids), 3 * len(medoids) * self.X.nnz, self.n_jobs)

    def _vector(self) -> FloatArray:
        return np.zeros(self.X.shape[1])


class MedoidMemo:
    """Cache of cluster medoids, keyed by 128-bit hashes of the members; children often inherit clusters."""

    def __init__(self, n_samples: int) -> None:
        self._salts = np.random.default_rng(0).integers(0, 2**64, size=(n_samples, 2), dtype=np.uint64)
        self._recent: dict[bytes, int] = {}
        self._older: dict[bytes, int] = {}

    def complete(
        self, labels: IntArray, present: BoolArray, find: Callable[[BoolArray, Int64Array], None]
    ) -> Int64Array:
        """Return the medoids of ``present`` clusters (-1 for others); ``find`` computes uncached medoids."""
        keys = np.zeros((*present.shape, 2), dtype=np.uint64)
        kernels.cluster_keys(labels, self._salts, keys)
        medoids = np.full(present.shape, -1, dtype=np.int64)
        flat, places = medoids.reshape(-1), np.flatnonzero(present)
        names = np.ascontiguousarray(keys.reshape(-1, 2)[places]).view("V16").ravel().tolist()
        new: dict[bytes, int] = {}
        repeated = []
        for place, name in zip(places.tolist(), names, strict=True):
            known = self._recent.get(name)
            if known is None:
                known = self._older.get(name)
            if known is not None:
                flat[place] = known
            elif new.setdefault(name, place) != place:
                repeated.append((place, new[name]))
        wanted = np.zeros(present.shape, dtype=np.bool_)
        wanted.reshape(-1)[list(new.values())] = True
        if new:
            find(wanted, medoids)
        for place, source in repeated:
            flat[place] = flat[source]
        if len(self._recent) + len(new) > _CAPACITY:
            self._older, self._recent = self._recent, {}
        self._recent.update((name, int(flat[place])) for name, place in new.items())
        return medoids

    def __reduce__(self) -> tuple[Any, ...]:
        return MedoidMemo, (len(self._salts),)


class Members(NamedTuple):
    """Members of all clusters: cluster c of individual q contains order[q, starts[q, c]:starts[q, c+1]]."""

    labels: NDArray[np.unsignedinteger[Any]]
    order: NDArray[np.int32]
    starts: NDArray[np.int32]


def member_table(labels: Labels, n_clusters: int) -> Members:
    """List the members of all clusters, and convert the labels to the smallest sufficient dtype."""
    narrow = labels.astype(np.min_scalar_type(n_clusters - 1))
    order = np.empty(labels.shape, dtype=np.int32)
    starts = np.empty((len(labels), n_clusters + 1), dtype=np.int32)
    kernels.member_lists(narrow, order, starts)
    return Members(narrow, order, starts)
