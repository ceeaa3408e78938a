"""The matrix to factorise, by documents and by terms."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_array
from sklearn.utils.validation import check_non_negative

from moo_clustering.factorization._runs import Floats


class SparseRows(NamedTuple):
    """A sparse matrix by rows, in types for which the kernels are compiled once.

    Attributes
    ----------
    data : ndarray of shape (n_values,)
    indices : ndarray of shape (n_values,), int32 where that suffices
    indptr : ndarray of shape (n_rows + 1,), int64
    """

    data: Floats
    indices: NDArray[np.integer[Any]]
    indptr: NDArray[np.int64]


class Matrix(NamedTuple):
    """A document-term matrix and its transpose.

    Attributes
    ----------
    A : csr_array of shape (n_documents, n_terms)
    At : csr_array of shape (n_terms, n_documents)
    square : float
        ||A||^2.
    mean : float
        Over all cells.
    """

    A: sparse.csr_array
    At: sparse.csr_array
    square: float
    mean: float


def check_matrix(A: Any, dtype: str) -> Matrix:
    """Take a matrix of numbers that are finite and not negative; what is given stays as it is.

    Raises
    ------
    ValueError
    """
    A = sparse.csr_array(check_array(A, accept_sparse="csr", dtype=np.dtype(dtype), input_name="A"))
    check_non_negative(A, "nmf (parameter A)")
    if not A.has_canonical_format:
        A = A.copy()
        A.sum_duplicates()
    # Read-only or memory-mapped matrices would be compiled for once more.
    A = sparse.csr_array((_plain(A.data), _plain(A.indices), _plain(A.indptr)), shape=A.shape)
    with np.errstate(over="ignore"):
        square = float(np.square(A.data, dtype=np.float64).sum())
    limits = np.finfo(A.dtype)
    if not square <= float(limits.max):
        raise ValueError(f"A has values so large that their squares overflow {dtype}; rescale it.")
    if square < float(limits.tiny) and A.data.any():
        raise ValueError(f"A has values so small that their squares vanish in {dtype}; rescale it.")
    mean = float(A.data.sum(dtype=np.float64)) / (A.shape[0] * A.shape[1])
    return Matrix(A, A.T.tocsr(), square, mean)


def sparse_rows(A: sparse.csr_array) -> SparseRows:
    """The arrays of a sparse matrix as the kernels take them."""
    short = max(A.shape) <= np.iinfo(np.int32).max
    return SparseRows(
        A.data,
        A.indices.astype(np.int32 if short else np.int64, copy=False),
        A.indptr.astype(np.int64, copy=False),
    )


def _plain(array: NDArray[Any]) -> NDArray[Any]:
    return array if array.flags.writeable and type(array) is np.ndarray else np.array(array, subok=False)
