"""What modes, distances from them and their update are for categories and for numbers."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist
from sklearn.utils import check_array

FloatArray = NDArray[np.float64]

# Sums of memberships that differ by less than this part are equal: the order of additions is arbitrary.
_TIE = 1e-10
# Categories of an attribute, on average, from which on a dense table costs more than a sparse one.
_SPARSE = 64


class ModeSpace(Protocol):
    """Where modes live.

    Attributes
    ----------
    data : ndarray of shape (n_samples, n_features)
    lower, upper : ndarray of shape (n_features,)
    dtype : numpy.dtype
        Of genes.
    width : int
        Sums that make a mode.
    """

    data: NDArray[Any]
    lower: NDArray[Any]
    upper: NDArray[Any]
    dtype: np.dtype[Any]
    width: int

    def distances(self, modes: NDArray[Any], part: slice) -> FloatArray:
        """Of some samples from modes (n, n_modes, n_features), shape (n, n_modes, n_part)."""

    def between(self, modes: NDArray[Any]) -> FloatArray:
        """Of the modes from each other, shape (n, n_modes, n_modes)."""

    def sums(self, weights: FloatArray, part: slice) -> FloatArray:
        """What samples weighted by (n, n_modes, n_part) add to modes, shape (n, n_modes, width)."""

    def update(self, sums: FloatArray, total: FloatArray, modes: NDArray[Any]) -> NDArray[Any]:
        """Modes of the sums; those of total weight 0, shape (n, n_modes), stay as they are."""

    def draw(self, features: NDArray[np.intp], rng: np.random.Generator) -> NDArray[Any]:
        """A random value of every given attribute."""

    def checked(self, modes: NDArray[Any]) -> NDArray[Any]:
        """Modes from genes such as pymoo's; refuses those outside of the space."""


class HammingSpace:
    """Category codes, d = number of attributes in which two differ.

    Both distances and sums are products with the 0/1 table of samples and categories, which is made for
    a block of samples at a time: distances in float32, in which such whole numbers are exact, sums in
    float64. Where attributes have more than 64 categories on average, the table is sparse.
    """

    dtype = np.dtype(np.int32)

    def __init__(self, X: ArrayLike) -> None:
        self.data = _codes(X)
        self.categories = self.data.max(axis=0).astype(np.int64) + 1
        self.lower, self.upper = np.zeros_like(self.data[0]), (self.categories - 1).astype(np.int32)
        self.starts = np.concatenate([[0], np.cumsum(self.categories)])
        self.width = int(self.starts[-1])

    def distances(self, modes: NDArray[Any], part: slice) -> FloatArray:
        n, k, p = modes.shape
        of_mode = self._dense(modes.reshape(n * k, p))
        equal = np.asarray(of_mode @ self._table(part).T).astype(np.float64, order="C")
        np.subtract(float(p), equal, out=equal)
        return equal.reshape(n, k, equal.shape[1])

    def between(self, modes: NDArray[Any]) -> FloatArray:
        columns = [(modes != modes[:, [i]]).sum(axis=2) for i in range(modes.shape[1])]
        return np.stack(columns, axis=2).astype(np.float64)

    def sums(self, weights: FloatArray, part: slice) -> FloatArray:
        n, k, size = weights.shape
        table = self._table(part).astype(np.float64)
        return np.asarray(weights.reshape(n * k, size) @ table).reshape(n, k, self.width)

    def update(self, sums: FloatArray, total: FloatArray, modes: NDArray[Any]) -> NDArray[Any]:
        updated = np.empty_like(modes)
        for feature, (lo, hi) in enumerate(zip(self.starts[:-1], self.starts[1:], strict=True)):
            of_category = sums[:, :, lo:hi]
            # The first of those that are as large as the largest.
            enough = of_category.max(axis=2, keepdims=True) * (1.0 - _TIE)
            updated[:, :, feature] = (of_category >= enough).argmax(axis=2)
        return np.where(total[:, :, None] > 0.0, updated, modes)

    def draw(self, features: NDArray[np.intp], rng: np.random.Generator) -> NDArray[Any]:
        return rng.integers(0, self.categories[features])

    def checked(self, modes: NDArray[Any]) -> NDArray[Any]:
        codes = np.rint(modes)
        # Negated, so that NaN is refused too.
        if not ((codes >= 0) & (codes <= self.upper)).all():
            raise ValueError("X holds categories that the data do not have; give the algorithm a repair.")
        return codes.astype(np.int32)

    def _table(self, part: slice) -> Any:
        codes = self.data[part]
        n, p = codes.shape
        if self.width <= _SPARSE * p:
            return self._dense(codes)
        columns = (codes + self.starts[:-1]).ravel()
        ones = np.ones(n * p, dtype=np.float32)
        return sp.csr_array((ones, columns, np.arange(0, n * p + 1, p)), shape=(n, self.width))

    def _dense(self, codes: NDArray[Any]) -> NDArray[np.float32]:
        table = np.zeros((len(codes), self.width), dtype=np.float32)
        table[np.arange(len(codes))[:, None], codes + self.starts[:-1]] = 1.0
        return table


class EuclideanSpace:
    """Numbers and Euclidean distance, all in float64.

    Distances are made of differences, so that those of a mode from equal samples are exactly 0, and
    weighted sums by products of the same shape for every individual, so that its company changes no bit.
    """

    dtype = np.dtype(np.float64)

    def __init__(self, X: ArrayLike) -> None:
        self.data: FloatArray = check_array(X, dtype=np.float64, order="C", input_name="X")
        self.lower, self.upper = self.data.min(axis=0), self.data.max(axis=0)
        with np.errstate(over="ignore"):
            reach = np.square(self.upper / 2 - self.lower / 2).sum() * 4.0 * len(self.data)
        if not np.isfinite(reach):
            raise ValueError("X has values so large that squared distances overflow; rescale it.")
        self.width = self.data.shape[1]
        # Weighted means of small numbers, so that a large common offset costs no digits.
        self._center = self.data[0].copy()

    def distances(self, modes: NDArray[Any], part: slice) -> FloatArray:
        n, k, p = modes.shape
        D: FloatArray = cdist(modes.reshape(n * k, p), self.data[part])
        return D.reshape(n, k, D.shape[1])

    def between(self, modes: NDArray[Any]) -> FloatArray:
        columns = [np.sqrt(np.square(modes - modes[:, [i]]).sum(axis=2)) for i in range(modes.shape[1])]
        return np.stack(columns, axis=2)

    def sums(self, weights: FloatArray, part: slice) -> FloatArray:
        return weights @ (self.data[part] - self._center)

    def update(self, sums: FloatArray, total: FloatArray, modes: NDArray[Any]) -> NDArray[Any]:
        there = total[:, :, None] > 0.0
        means = np.divide(sums, total[:, :, None], out=np.zeros_like(sums), where=there) + self._center
        return np.where(there, np.clip(means, self.lower, self.upper), modes)

    def draw(self, features: NDArray[np.intp], rng: np.random.Generator) -> NDArray[Any]:
        return rng.uniform(self.lower[features], self.upper[features])

    def checked(self, modes: NDArray[Any]) -> NDArray[Any]:
        if not np.isfinite(modes).all():
            raise ValueError("X holds modes that are not finite.")
        return np.ascontiguousarray(modes, dtype=np.float64)


SPACES: dict[str, type[HammingSpace] | type[EuclideanSpace]] = {
    "hamming": HammingSpace,
    "euclidean": EuclideanSpace,
}


def mode_distances(rows: NDArray[Any], modes: NDArray[Any], metric: str) -> FloatArray:
    """Distances of any rows from modes (n_modes, n_features), shape (n_modes, n_rows).

    Codes may also be -1, for a category that differs from all others.
    """
    if metric == "euclidean":
        D: FloatArray = cdist(modes, rows)
        return D
    return np.stack([np.count_nonzero(rows != mode, axis=1) for mode in modes]).astype(np.float64)


def _codes(X: ArrayLike) -> NDArray[np.int32]:
    values = check_array(X, dtype=None, input_name="X")
    if values.dtype.kind not in "biuf" or (values != np.rint(values)).any():
        raise ValueError("metric='hamming' needs category codes 0, 1, ...: X must hold whole numbers.")
    if values.min() < 0:
        raise ValueError(f"metric='hamming' needs category codes 0, 1, ...: X holds {values.min()}.")
    most = 10 * len(values) + 1000
    if values.max() > most:
        column = int(values.max(axis=0).argmax())
        raise ValueError(
            f"metric='hamming' needs category codes 0, 1, ... without large gaps: column {column} of X holds "
            f"{values.max()} for {len(values)} samples, more than {most}; number its categories."
        )
    return values.astype(np.int32)
