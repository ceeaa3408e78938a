"""Data of subspace clustering: what a sweep needs of samples and features."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy.sparse import csr_array, issparse
from sklearn.utils import check_array

from moo_clustering.subspace._blocks import for_blocks
from moo_clustering.subspace._dense import DenseMatrix
from moo_clustering.subspace._sparse import Floats, SparseMatrix

# A dense matrix with a larger share of non-zeros is not worth compressing.
_DENSE = 0.3


class SubspaceData:
    """A matrix of samples by features; see :meth:`of`.

    Attributes
    ----------
    matrix : SparseMatrix or DenseMatrix
    dtype : numpy.dtype
        Type of panels, centroids, weights and memberships; sums over samples or features are float64.
    n_jobs : int or None
        Threads, as for joblib; results do not depend on them.
    """

    def __init__(self, matrix: SparseMatrix | DenseMatrix, dtype: DTypeLike, n_jobs: int | None) -> None:
        self.matrix = matrix
        self.dtype = np.dtype(dtype)
        self.n_jobs = n_jobs

    @classmethod
    def of(cls, X: Any, *, dtype: DTypeLike = "float64", n_jobs: int | None = None) -> Self:
        """Check data and keep them as a sweep reads them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Finite numbers. Zeros and ones are the fast case. A dense matrix of which at most 30 % is not
            0 is compressed.
        dtype : {"float64", "float32"}, default="float64"
        n_jobs : int or None, default=None

        Raises
        ------
        ValueError
            Not a matrix of finite numbers, numbers whose squares overflow, or another ``dtype``.
        """
        kind = _checked_dtype(dtype)
        given = check_array(X, accept_sparse="csr", dtype="numeric", input_name="X")
        if given.dtype.kind not in "fiub":
            raise ValueError(f"X must hold real numbers, got values of type {given.dtype}")
        if given.dtype == np.float16:
            given = given.astype(kind)  # sparse matrices have no such type
        _check_size(given, kind)
        if not issparse(given) and np.count_nonzero(given) > _DENSE * given.size:
            return cls(DenseMatrix(given, kind), kind, n_jobs)
        return cls(SparseMatrix(_canonical(given), kind), kind, n_jobs)

    @property
    def n(self) -> int:
        """Samples."""
        return self.matrix.shape[0]

    @property
    def m(self) -> int:
        """Features."""
        return self.matrix.shape[1]

    @property
    def is_binary(self) -> bool:
        """Whether all values are 0 or 1."""
        return self.matrix.is_binary

    @property
    def frequencies(self) -> NDArray[np.int64]:
        """Samples in which each feature is not 0, shape (m,)."""
        return self.matrix.frequencies

    @property
    def varying(self) -> NDArray[np.bool_]:
        """Features that are not the same in all samples, shape (m,); only they have weight."""
        return self.matrix.varying

    def mean(self) -> NDArray[np.float64]:
        """Mean of each feature, shape (m,)."""
        return self.matrix.mean()

    def rows(self, indices: NDArray[np.integer[Any]]) -> Floats:
        """Some samples, dense, shape (len(indices), m)."""
        return self.matrix.rows(np.asarray(indices), self.dtype)

    def by_column(self, P: Floats) -> NDArray[np.float64]:
        """X^T P, shape (m, c), for P of shape (n, c)."""
        return self._by_column(P, False)

    def squares_by_column(self, P: Floats) -> NDArray[np.float64]:
        """The product of the squares of the values, transposed, with P, shape (m, c)."""
        return self._by_column(P, not self.is_binary)

    def by_row(self, Q: Floats) -> NDArray[np.float64]:
        """X Q, shape (n, c), for Q of shape (m, c)."""
        panel = np.ascontiguousarray(Q, dtype=self.dtype)
        out = np.empty((self.n, panel.shape[1]))

        def kernel(block: int, lo: int, hi: int) -> None:
            self.matrix.by_row(panel, lo, hi, out[lo:hi])

        for_blocks(kernel, self.n, self.n_operations(panel.shape[1]), self.n_jobs)
        return out

    def n_operations(self, width: int) -> float:
        """About how many operations a product with a panel of so many columns takes."""
        return float(self.matrix.n_stored + self.n) * width

    def _by_column(self, P: Floats, squared: bool) -> NDArray[np.float64]:
        panel = np.ascontiguousarray(P, dtype=self.dtype)
        out = np.empty((self.m, panel.shape[1]))

        def kernel(block: int, lo: int, hi: int) -> None:
            self.matrix.by_column(panel, squared, lo, hi, out[lo:hi])

        for_blocks(kernel, self.m, self.n_operations(panel.shape[1]), self.n_jobs)
        return out


def _checked_dtype(dtype: DTypeLike) -> np.dtype[Any]:
    try:
        name = np.dtype(dtype).name
    except TypeError:
        name = ""
    if name not in ("float32", "float64"):
        raise ValueError(f"dtype must be 'float64' or 'float32', got {dtype!r}")
    return np.dtype(name)


def _check_size(X: Any, dtype: np.dtype[Any]) -> None:
    values = X.data if issparse(X) else X
    largest = max(abs(float(values.max(initial=0))), abs(float(values.min(initial=0))))
    if largest > np.sqrt(float(np.finfo(dtype).max)) / 1e4 / np.sqrt(
        max(1.0, float(X.shape[0]) * X.shape[1])
    ):
        raise ValueError(
            f"X has values so large that sums of their squares overflow in {dtype.name}: up to {largest:g} "
            "in size; rescale it"
        )


def _canonical(X: Any) -> csr_array:
    """A sparse matrix without duplicates and stored zeros; what the caller gave stays as it is."""
    matrix = csr_array(X)
    if not matrix.has_canonical_format or not matrix.data.all():
        matrix = matrix.copy()
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
    return matrix
