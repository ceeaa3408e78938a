"""Medoid sets over feature vectors, without a distance matrix."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from moo_clustering._arrays import block_slices
from moo_clustering._kernels import medoid_vectors as kernels
from moo_clustering._kernels.parts import for_parts
from moo_clustering.problems._medoid_space import FloatArray, IntArray, MedoidSpace

VectorMetric = Literal["cosine", "sqeuclidean", "euclidean"]
KINDS = {"cosine": kernels.COSINE, "sqeuclidean": kernels.SQUARED, "euclidean": kernels.EUCLIDEAN}
# Samples whose distances to all others are looked at for the mean square distance.
_ROWS = 1024


class VectorSpace(MedoidSpace):
    """Distances made when they are needed, from products of features.

    Attributes
    ----------
    mean_square : float
        Of all pairs up to 1024 samples, beyond that of the pairs with 1024 of them, evenly spaced: it
        is a scale only.

    Notes
    -----
    For p individuals whose sets have u distinct medoids among them, an assignment costs u products of
    a sample with the data and O(p k n) comparisons; the medoids of distinct clusters O(p n d), or O(p
    nnz) for sparse data. Memory is O(p n) besides the data. Euclidean distances take O(n^2 d) time
    once, for ``total_to_one``.
    """

    def __init__(self, norms: FloatArray, kind: int, n_jobs: int | None) -> None:
        self.n_samples = len(norms)
        self.kind = kind
        self.norms = norms
        self.n_jobs = n_jobs
        # At distance 1 from all others but not from themselves.
        self.zero = (norms == 0.0) & (kind == kernels.COSINE)

    def _measure(self, sums: FloatArray, products: FloatArray) -> None:
        """Set the constants of the data from its column sums and the products of the rows with them."""
        n = self.n_samples
        spaced = np.unique(np.linspace(0, n - 1, min(n, _ROWS)).astype(np.int64))
        squares = [np.einsum("ij,ij->", rows, rows) for rows in self._row_blocks(spaced)]
        self.mean_square = float(np.sum(squares)) / (len(spaced) * n)
        if not np.isfinite(self.mean_square):
            raise ValueError("X has distances so large that their squares overflow; rescale it.")
        if self.kind == kernels.COSINE:
            totals = n - products - self.zero
        elif self.kind == kernels.SQUARED:
            totals = n * self.norms - 2.0 * products + self.norms.sum()
        else:
            totals = np.concatenate([rows.sum(axis=1) for rows in self._row_blocks(np.arange(n))])
        # Rounding must not make the total of equal samples anything but nothing.
        self.total_to_one = float(max(totals.min(), 0.0)) if self.mean_square > 0.0 else 0.0

    def blocks(self, medoids: IntArray) -> Iterator[tuple[NDArray[np.floating[Any]], IntArray]]:
        ids = np.unique(medoids[medoids >= 0])
        place = np.searchsorted(ids, medoids)
        place[medoids < 0] = -1
        first = 0
        for rows in self._row_blocks(ids):
            inside = (place >= first) & (place < first + len(rows))
            yield rows, np.where(inside, place - first, -1)
            first += len(rows)

    def _row_blocks(self, ids: IntArray) -> Iterator[FloatArray]:
        for part in block_slices(len(ids), self.n_samples):
            yield self.rows(ids[part])

    def _parts(self, kernel: Callable[[int, int], None], count: int, n_operations: float) -> None:
        for_parts(kernel, count, n_operations, self.n_jobs)

    @abstractmethod
    def rows(self, ids: IntArray) -> FloatArray: ...
