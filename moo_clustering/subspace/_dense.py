"""Products of a sweep with a dense matrix, by BLAS."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray
from sklearn.preprocessing import normalize

Floats = NDArray[np.floating[Any]]

# Samples handled at once where features are summed: bounds the temporary arrays.
_CHUNK = 4096


class DenseMatrix:
    """Finite dense matrix.

    Values other than 0 and 1 are taken relative to the mean of their feature wherever squares are
    formed, so that a large common offset costs no digits.
    """

    def __init__(self, matrix: NDArray[Any], dtype: DTypeLike) -> None:
        self._X: Floats = np.ascontiguousarray(matrix, dtype=dtype)
        self.shape: tuple[int, int] = self._X.shape
        self.is_binary = bool(((self._X == 0) | (self._X == 1)).all())
        self.shift = np.zeros(self.shape[1]) if self.is_binary else self.mean()

    @property
    def n_stored(self) -> int:
        """Number of values."""
        return self._X.size

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """What tells it from other matrices."""
        return (self._X,)

    @cached_property
    def frequencies(self) -> NDArray[np.int64]:
        """Samples that have each feature."""
        return np.count_nonzero(self._X, axis=0).astype(np.int64)

    @cached_property
    def varying(self) -> NDArray[np.bool_]:
        """Features that are not the same in all samples."""
        found: NDArray[np.bool_] = self._X.min(axis=0) < self._X.max(axis=0)
        return found

    def mean(self) -> NDArray[np.float64]:
        """Mean of each feature."""
        found: NDArray[np.float64] = self._X.mean(axis=0, dtype=np.float64)
        return found

    def rows(self, indices: NDArray[np.integer[Any]], dtype: DTypeLike) -> Floats:
        """Some rows."""
        return self._X[indices].astype(dtype, copy=False)

    def unit_rows(self) -> Floats:
        """Rows of length 1; rows of zeros stay."""
        found: Floats = normalize(self._X)
        return found

    def by_column(self, panel: Floats, squared: bool, lo: int, hi: int, out: NDArray[np.float64]) -> None:
        """out = features lo..hi-1 of X^T, or of its squares, times a panel."""
        out[:] = 0.0
        for chunk in self._chunks():
            part = self._X[chunk, lo:hi]
            out += (part * part if squared else part).T @ panel[chunk]

    def by_row(self, panel: Floats, lo: int, hi: int, out: NDArray[np.float64]) -> None:
        """out = samples lo..hi-1 of X times a panel."""
        out[:] = self._X[lo:hi] @ panel

    def moments(self, panel: Floats, k: int, lo: int, hi: int, out: NDArray[np.float64]) -> None:
        """Sums of w^f x, w [x != 0] and (unless binary) w^f x^2 by feature, for the panel [W^f | W]."""
        if self.is_binary:
            self.by_column(panel, False, lo, hi, out)
            return
        out[:] = 0.0
        for chunk in self._chunks():
            given = self._X[chunk, lo:hi]
            part = self._moved(given, lo, hi)
            out[:, :k] += part.T @ panel[chunk, :k]
            out[:, k : 2 * k] += (given != 0).astype(given.dtype).T @ panel[chunk, k:]
            out[:, 2 * k :] += (part * part).T @ panel[chunk, :k]

    def label_moments(
        self,
        labels: NDArray[np.int32],
        lo: int,
        hi: int,
        sums: NDArray[np.float64],
        squares: NDArray[np.float64],
    ) -> None:
        """Sums of x - shift and (x - shift)^2 by feature and label."""
        sums[:] = 0.0
        squares[:] = 0.0
        for chunk in self._chunks():
            part = self._moved(self._X[chunk, lo:hi], lo, hi)
            owners = (labels[chunk, None] == np.arange(sums.shape[1])).astype(part.dtype)
            sums += part.T @ owners
            squares += (part * part).T @ owners

    def weighted(self, panel: Floats, k: int, lo: int, hi: int, out: NDArray[np.float64]) -> None:
        """Products of samples lo..hi-1 with the panel of weights."""
        if self.is_binary:
            self.by_row(panel, lo, hi, out)
            return
        part = self._moved(self._X[lo:hi], 0, self.shape[1])
        out[:] = part @ panel[:, :k]
        out += (part * part) @ panel[:, k:]

    def _moved(self, part: Floats, lo: int, hi: int) -> Floats:
        return part - self.shift[lo:hi].astype(part.dtype)

    def _chunks(self) -> Iterator[slice]:
        for start in range(0, self.shape[0], _CHUNK):
            yield slice(start, start + _CHUNK)
