"""Medoid sets over the rows of an array."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import normalize

from moo_clustering._kernels import medoid_vectors as kernels
from moo_clustering.problems._medoid_space import RELATIVE, FloatArray, IntArray, Labels, Members
from moo_clustering.problems._medoid_vectors import KINDS, VectorMetric, VectorSpace


class DenseVectorSpace(VectorSpace):
    """Space over the rows of an array."""

    def __init__(self, X: FloatArray, metric: VectorMetric, n_jobs: int | None) -> None:
        kind = KINDS[metric]
        self.X = np.ascontiguousarray(normalize(X) if kind == kernels.COSINE else _near_origin(X))
        super().__init__(np.einsum("ij,ij->i", self.X, self.X), kind, n_jobs)
        sums = self.X.sum(axis=0)
        self._measure(sums, self.X @ sums)

    def rows(self, ids: IntArray) -> FloatArray:
        rows = self.X[ids] @ self.X.T
        self._parts(
            lambda lo, hi: kernels.dense_rows(self.X, self.norms, ids, self.kind, rows, lo, hi),
            len(ids),
            rows.size,
        )
        return rows

    def own(self, medoids: IntArray, labels: Labels) -> FloatArray:
        out = np.empty(labels.shape)
        self._parts(
            lambda lo, hi: kernels.dense_own(self.X, medoids, labels, self.kind, out, lo, hi),
            len(labels),
            labels.size * self.X.shape[1],
        )
        return out

    def separations(self, medoids: IntArray) -> tuple[FloatArray, FloatArray]:
        least, greatest = np.empty(len(medoids)), np.empty(len(medoids))
        self._parts(
            lambda lo, hi: kernels.dense_separations(self.X, medoids, self.kind, least, greatest, lo, hi),
            len(medoids),
            medoids.size * medoids.shape[1] * self.X.shape[1] / 2,
        )
        return least, greatest

    def find_medoids(self, members: Members, wanted: NDArray[np.bool_], medoids: NDArray[np.int64]) -> None:
        each = 2.0 / kernels.GRAIN if self.kind == kernels.COSINE else 0.0
        order, starts = members.order, members.starts
        self._parts(
            lambda lo, hi: kernels.dense_medoids(
                self.X, self.zero, order, starts, wanted, self.kind, RELATIVE, each, medoids, lo, hi
            ),
            len(order),
            2 * order.size * self.X.shape[1],
        )


def _near_origin(X: FloatArray) -> FloatArray:
    """Shifted by multiples of powers of two, so that whole numbers keep their exact ties."""
    with np.errstate(over="ignore", invalid="ignore"):
        spread = X.std(axis=0)
        grid = np.exp2(np.ceil(np.log2(np.where(spread > 0.0, spread, 1.0))))
        shifted: FloatArray = X - grid * np.rint(X.mean(axis=0) / grid)
    return shifted
