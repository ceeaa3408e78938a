"""Products of a sweep with a sparse matrix, which is kept by row and by column."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy.sparse import csr_array

from moo_clustering._kernels.subspace_products import (
    feature_moments,
    label_moments,
    multiply_rows,
    quadratic_rows,
)

Floats = NDArray[np.floating[Any]]


class Compressed(NamedTuple):
    """A sparse matrix by rows; without values, all entries are 1."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    values: Floats


class SparseMatrix:
    """Finite sparse matrix without stored zeros or duplicates."""

    def __init__(self, matrix: Any, dtype: DTypeLike) -> None:
        self.shape: tuple[int, int] = matrix.shape
        self.is_binary = bool((matrix.data == 1).all())
        self.shift = np.zeros(self.shape[1])
        values = np.zeros(0, dtype) if self.is_binary else matrix.data.astype(dtype)
        self._rows = Compressed(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), values)

    @property
    def n_stored(self) -> int:
        """Number of non-zeros."""
        return len(self._rows.indices)

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """What tells it from other matrices."""
        return (np.array(self.shape), *self._rows)

    @cached_property
    def _columns(self) -> Compressed:
        values = np.ones(self.n_stored, np.int8) if self.is_binary else self._rows.values
        matrix = csr_array((values, self._rows.indices, self._rows.indptr), shape=self.shape).tocsc()
        kept = self._rows.values if self.is_binary else matrix.data
        return Compressed(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), kept)

    @cached_property
    def frequencies(self) -> NDArray[np.int64]:
        """Samples that have each feature."""
        return np.bincount(self._rows.indices, minlength=self.shape[1]).astype(np.int64)

    @cached_property
    def varying(self) -> NDArray[np.bool_]:
        """Features that are not the same in all samples."""
        n, found = self.shape[0], self.frequencies
        if self.is_binary or not (found == n).any():
            return (found > 0) & (found < n)
        full = np.flatnonzero(found == n)
        columns, varying = self._columns, found > 0
        for i in full:
            values = columns.values[columns.indptr[i] : columns.indptr[i + 1]]
            varying[i] = (values != values[0]).any()
        return varying

    def mean(self) -> NDArray[np.float64]:
        """Mean of each feature."""
        weights = None if self.is_binary else self._rows.values.astype(np.float64)
        total = np.bincount(self._rows.indices, weights=weights, minlength=self.shape[1])
        return total / self.shape[0]

    def rows(self, indices: NDArray[np.integer[Any]], dtype: DTypeLike) -> Floats:
        """Some rows, dense."""
        out = np.zeros((len(indices), self.shape[1]), dtype)
        indptr, columns, values = self._rows
        for r, j in enumerate(indices):
            where = slice(indptr[j], indptr[j + 1])
            out[r, columns[where]] = 1.0 if self.is_binary else values[where]
        return out

    def unit_rows(self) -> Any:
        """Rows of length 1, as a sparse matrix; rows of zeros stay."""
        starts, indices, values = self._rows
        values = np.ones(len(indices)) if self.is_binary else values.astype(np.float64)
        where = np.repeat(np.arange(self.shape[0]), np.diff(starts))
        lengths = np.sqrt(np.bincount(where, weights=values * values, minlength=self.shape[0]))
        lengths[lengths == 0.0] = 1.0  # squares of the least numbers are 0
        # k-means takes no other indices than int32.
        fits = len(indices) <= np.iinfo(np.int32).max
        indptr = starts.astype(np.int32) if fits else starts
        return csr_array((values / lengths[where], indices, indptr), shape=self.shape)

    def by_column(self, panel: Floats, squared: bool, lo: int, hi: int, out: NDArray[np.float64]) -> None:
        """out = features lo..hi-1 of X^T, or of its squares, times a panel."""
        multiply_rows(*self._columns, squared, panel, lo, hi, out)

    def by_row(self, panel: Floats, lo: int, hi: int, out: NDArray[np.float64]) -> None:
        """out = samples lo..hi-1 of X times a panel."""
        multiply_rows(*self._rows, False, panel, lo, hi, out)

    def moments(self, panel: Floats, k: int, lo: int, hi: int, out: NDArray[np.float64]) -> None:
        """Sums of w^f x, w [x != 0] and (unless binary) w^f x^2 by feature, for the panel [W^f | W]."""
        if self.is_binary:
            multiply_rows(*self._columns, False, panel, lo, hi, out)
        else:
            feature_moments(*self._columns, panel, k, lo, hi, out)

    def label_moments(
        self,
        labels: NDArray[np.int32],
        lo: int,
        hi: int,
        sums: NDArray[np.float64],
        squares: NDArray[np.float64],
    ) -> None:
        """Sums of x and x^2 by feature and label."""
        label_moments(*self._columns, labels, lo, hi, sums, squares)

    def weighted(self, panel: Floats, k: int, lo: int, hi: int, out: NDArray[np.float64]) -> None:
        """Products of samples lo..hi-1 with the panel of weights."""
        if self.is_binary:
            multiply_rows(*self._rows, False, panel, lo, hi, out)
        else:
            quadratic_rows(*self._rows, panel, k, lo, hi, out)
