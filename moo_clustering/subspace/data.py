"""Dense or sparse data for sweeps, with matrix products in fixed blocks on several threads."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy.sparse import csr_array, issparse

from moo_clustering._arrays import choice, require_squares, unit_rows
from moo_clustering._data import checked_table
from moo_clustering._kernels.subspace import feature_moments, label_moments, multiply_rows, quadratic_rows
from moo_clustering._kernels.threads import for_parts
from moo_clustering._types import AnyFloatArray, BoolArray, FloatArray, Int64Array, IntArray

# Dense products multiply at most this number of rows at once, which limits the size of temporary arrays.
CHUNK = 4096
# This number of rows per block is independent of the number of threads, so that the results are, too.
BLOCK = 128


class SubspaceData:
    """Samples-by-features matrix, created by :meth:`of`.

    Attributes
    ----------
    matrix : SparseMatrix or DenseMatrix
    dtype : numpy.dtype
        Dtype of all arrays except sums over samples or features, which are float64.
    n_jobs : int or None
        Number of threads, as in joblib; results do not depend on it.
    """

    def __init__(self, matrix: SparseMatrix | DenseMatrix, dtype: DTypeLike, n_jobs: int | None) -> None:
        self.matrix = matrix
        self.dtype = np.dtype(dtype)
        self.n_jobs = n_jobs

    @classmethod
    def of(
        cls,
        X: Any,
        *,
        dtype: DTypeLike = "float64",
        n_jobs: int | None = None,
        shift: FloatArray | None = None,
    ) -> Self:
        """Check and convert data; raise a ValueError for invalid values, overflow or an unknown ``dtype``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Finite numbers; binary data are fastest. Dense matrices with up to 30% non-zeros are compressed.
        dtype : {"float64", "float32"}, default="float64"
        n_jobs : int or None, default=None
        shift : ndarray of shape (n_features,), optional
            Offsets to subtract from features, such as ``matrix.shift`` of the training data. Default: 0 for
            sparse or binary data, otherwise the means.
        """
        try:
            name = np.dtype(dtype).name
        except TypeError:
            name = ""
        choice("dtype", name, ("float32", "float64"))
        kind = np.dtype(name)
        given = checked_table(X, dtype="numeric", accept_sparse="csr")
        if given.dtype.kind not in "fiub":
            raise ValueError(f"X must contain real numbers, got values of type {given.dtype}")
        if given.dtype == np.float16:
            given = given.astype(kind)  # sparse matrices do not support float16
        require_squares(given, dtype=kind)
        shifted = shift is not None and shift.any()
        if not issparse(given) and (shifted or np.count_nonzero(given) > 0.3 * given.size):
            return cls(DenseMatrix(given, kind, shift), kind, n_jobs)
        return cls(SparseMatrix(_canonical(given), kind), kind, n_jobs)

    @property
    def n(self) -> int:
        """Number of samples."""
        return self.matrix.shape[0]

    @property
    def m(self) -> int:
        """Number of features."""
        return self.matrix.shape[1]

    @property
    def is_binary(self) -> bool:
        """Whether all values are 0 or 1."""
        return self.matrix.is_binary

    @property
    def frequencies(self) -> Int64Array:
        """Number of samples in which each feature is non-zero, shape (m,)."""
        return self.matrix.frequencies

    @property
    def varying(self) -> BoolArray:
        """Mask of non-constant features, shape (m,). All other features have weight 0."""
        return self.matrix.varying

    def mean(self) -> FloatArray:
        """Return the mean of each feature, shape (m,)."""
        return self.matrix.mean()

    def rows(self, indices: IntArray) -> AnyFloatArray:
        """Return the given samples as dense rows, shape (len(indices), m)."""
        return self.matrix.rows(np.asarray(indices), self.dtype)

    def by_column(self, P: AnyFloatArray) -> FloatArray:
        """Compute X^T P, shape (m, c), for P of shape (n, c)."""
        return self._product(self.matrix.by_column, P, self.m)

    def by_row(self, Q: AnyFloatArray) -> FloatArray:
        """Compute X Q, shape (n, c), for Q of shape (m, c)."""
        return self._product(self.matrix.by_row, Q, self.n)

    def _product(self, multiply: Callable[..., None], P: AnyFloatArray, count: int) -> FloatArray:
        panel = np.ascontiguousarray(P, dtype=self.dtype)
        out = np.empty((count, panel.shape[1]))

        def kernel(block: int, lo: int, hi: int) -> None:
            multiply(panel, lo, hi, out[lo:hi])

        for_blocks(kernel, count, self.n_operations(panel.shape[1]), self.n_jobs)
        return out

    def n_operations(self, width: int) -> float:
        """Return the estimated number of operations for a product with ``width`` columns."""
        return float(self.matrix.n_stored + self.n) * width


def _canonical(X: Any) -> csr_array:
    """Return a sparse matrix without duplicate entries and stored zeros, copied if it has any."""
    matrix = csr_array(X)
    if not matrix.has_canonical_format or not matrix.data.all():
        matrix = matrix.copy()
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
    return matrix


class DenseMatrix:
    """Dense matrix, which computes blocks of the sums and products in :class:`SubspaceData`."""

    # For precision, the features of a matrix that is not binary are shifted before they are squared.

    def __init__(self, matrix: NDArray[Any], dtype: DTypeLike, shift: FloatArray | None = None) -> None:
        self._X: AnyFloatArray = np.ascontiguousarray(matrix, dtype=dtype)
        self.shape: tuple[int, int] = self._X.shape
        shifted = shift is not None and shift.any()
        self.is_binary = not shifted and bool(((self._X == 0) | (self._X == 1)).all())
        self.shift = np.zeros(self.shape[1]) if self.is_binary else self.mean() if shift is None else shift
        self.order = np.arange(self.shape[1])
        self.n_stored = self._X.size
        self.arrays: tuple[NDArray[Any], ...] = (self._X,)  # these arrays identify the matrix in checkpoints
        self._chunks = [slice(start, start + CHUNK) for start in range(0, self.shape[0], CHUNK)]

    @cached_property
    def frequencies(self) -> Int64Array:
        return np.count_nonzero(self._X, axis=0).astype(np.int64)

    @cached_property
    def varying(self) -> BoolArray:
        return self._X.min(axis=0) < self._X.max(axis=0)

    def mean(self) -> FloatArray:
        return self._X.mean(axis=0, dtype=np.float64)

    def rows(self, indices: IntArray, dtype: DTypeLike) -> AnyFloatArray:
        return self._X[indices].astype(dtype, copy=False)

    def unit_rows(self) -> AnyFloatArray:
        return unit_rows(self._X)

    def by_column(self, panel: AnyFloatArray, lo: int, hi: int, out: FloatArray) -> None:
        out[:] = 0.0
        for chunk in self._chunks:
            out += self._X[chunk, lo:hi].T @ panel[chunk]

    def by_row(self, panel: AnyFloatArray, lo: int, hi: int, out: FloatArray) -> None:
        out[:] = self._X[lo:hi] @ panel

    def moments(self, panel: AnyFloatArray, k: int, lo: int, hi: int, out: FloatArray) -> None:
        """Write sums over the samples to ``out``, for the features lo..hi-1 and each cluster.

        For values x, memberships w and fuzziness f, the summands are w^f x, w if x != 0 and, unless X is
        binary, w^f x^2. The columns of ``panel`` are w^f and w for each of ``k`` clusters.
        """
        if self.is_binary:
            self.by_column(panel, lo, hi, out)
            return
        out[:] = 0.0
        for chunk in self._chunks:
            given = self._X[chunk, lo:hi]
            part = self._moved(given, lo, hi)
            out[:, :k] += part.T @ panel[chunk, :k]
            out[:, k : 2 * k] += (given != 0).astype(given.dtype).T @ panel[chunk, k:]
            out[:, 2 * k :] += (part * part).T @ panel[chunk, :k]

    def label_moments(
        self, labels: NDArray[np.int32], lo: int, hi: int, sums: FloatArray, squares: FloatArray
    ) -> None:
        """Sum x - shift and (x - shift)^2 over the samples of each label, for the features lo..hi-1."""
        sums[:] = 0.0
        squares[:] = 0.0
        for chunk in self._chunks:
            part = self._moved(self._X[chunk, lo:hi], lo, hi)
            owners = (labels[chunk, None] == np.arange(sums.shape[1])).astype(part.dtype)
            sums += part.T @ owners
            squares += (part * part).T @ owners

    def weighted(self, panel: AnyFloatArray, k: int, lo: int, hi: int, out: FloatArray) -> None:
        """Write the product of the rows lo..hi-1 of X or, unless X is binary, of [X | X^2] with a panel."""
        if self.is_binary:
            self.by_row(panel, lo, hi, out)
            return
        part = self._moved(self._X[lo:hi], 0, self.shape[1])
        out[:] = part @ panel[:, :k]
        out += (part * part) @ panel[:, k:]

    def _moved(self, part: AnyFloatArray, lo: int, hi: int) -> AnyFloatArray:
        return part - self.shift[lo:hi].astype(part.dtype)


class SparseMatrix:
    """Sparse matrix with the methods of DenseMatrix. Its entries are finite, non-zero and unique."""

    def __init__(self, matrix: Any, dtype: DTypeLike) -> None:
        self.shape: tuple[int, int] = matrix.shape
        self.is_binary = bool((matrix.data == 1).all())
        self.shift = np.zeros(self.shape[1])
        values = np.zeros(0, dtype) if self.is_binary else matrix.data.astype(dtype)
        self._rows = Compressed(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), values)
        self.n_stored = len(self._rows.indices)
        self.arrays: tuple[NDArray[Any], ...] = (np.array(self.shape), *self._rows)

    @cached_property
    def _columns(self) -> Compressed:
        values = np.ones(self.n_stored, np.int8) if self.is_binary else self._rows.values
        matrix = csr_array((values, self._rows.indices, self._rows.indptr), shape=self.shape).tocsc()
        kept = self._rows.values if self.is_binary else matrix.data
        return Compressed(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), kept)

    @cached_property
    def order(self) -> Int64Array:
        """Features by decreasing frequency, so that the features in a block have many samples in common."""
        return np.argsort(-self.frequencies, kind="stable")

    @cached_property
    def frequencies(self) -> Int64Array:
        return np.bincount(self._rows.indices, minlength=self.shape[1]).astype(np.int64)

    @cached_property
    def varying(self) -> BoolArray:
        n, found = self.shape[0], self.frequencies
        varying = (found > 0) & (found < n)
        if not self.is_binary:
            indptr, _, values = self._columns
            for i in np.flatnonzero(found == n):
                column = values[indptr[i] : indptr[i + 1]]
                varying[i] = (column != column[0]).any()
        return varying

    def mean(self) -> FloatArray:
        weights = None if self.is_binary else self._rows.values.astype(np.float64)
        total = np.bincount(self._rows.indices, weights=weights, minlength=self.shape[1])
        return total / self.shape[0]

    def rows(self, indices: IntArray, dtype: DTypeLike) -> AnyFloatArray:
        out = np.zeros((len(indices), self.shape[1]), dtype)
        indptr, columns, values = self._rows
        for r, j in enumerate(indices):
            where = slice(indptr[j], indptr[j + 1])
            out[r, columns[where]] = 1.0 if self.is_binary else values[where]
        return out

    def unit_rows(self) -> Any:
        starts, indices, values = self._rows
        values = np.ones(len(indices)) if self.is_binary else values.astype(np.float64)
        # scikit-learn's k-means accepts only int32 indices.
        fits = len(indices) <= np.iinfo(np.int32).max
        indptr = starts.astype(np.int32) if fits else starts
        return unit_rows(csr_array((values, indices, indptr), shape=self.shape))

    def by_column(self, panel: AnyFloatArray, lo: int, hi: int, out: FloatArray) -> None:
        self._columns.multiply(panel, np.arange(lo, hi), out)

    def by_row(self, panel: AnyFloatArray, lo: int, hi: int, out: FloatArray) -> None:
        self._rows.multiply(panel, np.arange(lo, hi), out)

    def moments(self, panel: AnyFloatArray, k: int, lo: int, hi: int, out: FloatArray) -> None:
        """Compute the same sums as ``DenseMatrix.moments``, for the features ``order[lo:hi]``."""
        if self.is_binary:
            self._columns.multiply(panel, self.order[lo:hi], out)
        else:
            feature_moments(*self._columns, panel, k, self.order[lo:hi], out)

    def label_moments(
        self, labels: NDArray[np.int32], lo: int, hi: int, sums: FloatArray, squares: FloatArray
    ) -> None:
        label_moments(*self._columns, labels, lo, hi, sums, squares)

    def weighted(self, panel: AnyFloatArray, k: int, lo: int, hi: int, out: FloatArray) -> None:
        if self.is_binary:
            self._rows.multiply(panel, np.arange(lo, hi), out)
        else:
            quadratic_rows(*self._rows, panel, k, lo, hi, out)


class Compressed(NamedTuple):
    """Sparse matrix with compressed rows or columns. If ``values`` is empty, all stored entries are 1."""

    indptr: Int64Array
    indices: NDArray[np.int32]
    values: AnyFloatArray

    def multiply(self, panel: AnyFloatArray, rows: Int64Array, out: FloatArray) -> None:
        """Write the product of the given rows and a panel to ``out``."""
        is_dense = (self.indptr[rows + 1] - self.indptr[rows]).sum() > len(panel)
        height = (1 << 20) // (panel.shape[1] * panel.itemsize) if is_dense else len(panel)
        multiply_rows(*self, panel, rows, max(1, height), np.empty_like(rows), out)


def for_blocks(
    kernel: Callable[[int, int, int], None], count: int, n_operations: float, n_jobs: int | None
) -> None:
    """Call ``kernel(block, lo, hi)`` for each block, on several threads if there is enough work."""
    # Blocks are visited in steps of 16, so that slow blocks with frequent features are on different threads.
    blocks = np.argsort(np.arange(n_blocks(count)) % 16, kind="stable").tolist()

    def part(first: int, last: int) -> None:
        for block in blocks[first:last]:
            kernel(block, block * BLOCK, min((block + 1) * BLOCK, count))

    for_parts(part, n_blocks(count), n_operations, n_jobs)


def n_blocks(count: int) -> int:
    """Return the number of blocks needed for ``count`` rows."""
    return -(-count // BLOCK)
