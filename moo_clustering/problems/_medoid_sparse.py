"""Medoid sets over the rows of a sparse matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.preprocessing import normalize

from moo_clustering._kernels import medoid_vectors as kernels
from moo_clustering.problems._medoid_space import (
    RELATIVE,
    FloatArray,
    IntArray,
    Labels,
    Members,
    member_table,
)
from moo_clustering.problems._medoid_vectors import KINDS, VectorMetric, VectorSpace


class SparseVectorSpace(VectorSpace):
    """Space over the rows of a CSR matrix; a medoid meets the samples that share a column with it."""

    def __init__(self, X: Any, metric: VectorMetric, n_jobs: int | None) -> None:
        kind = KINDS[metric]
        X = csr_array(X, copy=True)
        X.sum_duplicates()
        if kind == kernels.COSINE:
            X = normalize(X, copy=False)
        self.X = X
        self._columns = X.tocsc()
        row_of = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        # Added up in the order of the columns, as the kernels do, so that equal rows are at distance 0.
        norms = np.bincount(row_of, weights=X.data**2, minlength=X.shape[0]).astype(np.float64)
        super().__init__(norms, kind, n_jobs)
        self._halves = np.full(self.n_samples, 0.5) if kind == kernels.COSINE else 0.5 * norms
        self._each = 2.0 / kernels.GRAIN if kind == kernels.COSINE else 1e-14 * float(norms.max())
        sums = np.asarray(X.sum(axis=0)).ravel()
        self._measure(sums, X @ sums)

    def rows(self, ids: IntArray) -> FloatArray:
        rows = np.empty((len(ids), self.n_samples))
        columns = self._columns
        self._parts(
            lambda lo, hi: kernels.sparse_rows(
                *self._csr(),
                columns.indptr,
                columns.indices,
                columns.data,
                self.norms,
                ids,
                self.kind,
                rows,
                lo,
                hi,
            ),
            len(ids),
            2 * rows.size,
        )
        return rows

    def own(self, medoids: IntArray, labels: Labels) -> FloatArray:
        out = np.empty(labels.shape)
        members = member_table(labels, medoids.shape[1])
        self._parts(
            lambda lo, hi: kernels.sparse_own(
                *self._csr(),
                self.norms,
                medoids,
                members.order,
                members.starts,
                self.kind,
                self._vector(),
                out,
                lo,
                hi,
            ),
            len(labels),
            len(labels) * self.X.nnz,
        )
        return out

    def separations(self, medoids: IntArray) -> tuple[FloatArray, FloatArray]:
        least, greatest = np.empty(len(medoids)), np.empty(len(medoids))
        self._parts(
            lambda lo, hi: kernels.sparse_separations(
                *self._csr(), self.norms, medoids, self.kind, self._vector(), least, greatest, lo, hi
            ),
            len(medoids),
            medoids.size * medoids.shape[1] * self.X.nnz / self.n_samples / 2,
        )
        return least, greatest

    def find_medoids(self, members: Members, wanted: NDArray[np.bool_], medoids: NDArray[np.int64]) -> None:
        self._parts(
            lambda lo, hi: kernels.sparse_medoids(
                *self._csr(),
                self._halves,
                self.zero,
                members.order,
                members.starts,
                wanted,
                RELATIVE,
                self._each,
                self._vector(),
                medoids,
                lo,
                hi,
            ),
            len(medoids),
            3 * len(medoids) * self.X.nnz,
        )

    def _csr(self) -> tuple[Any, Any, Any]:
        return self.X.indptr, self.X.indices, self.X.data

    def _vector(self) -> FloatArray:
        """One zero per column, for the kernels to work on."""
        return np.zeros(self.X.shape[1])
