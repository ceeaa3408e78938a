"""Weights of documents as sparse rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, issparse
from sklearn.utils.validation import validate_data


def validated_rows(estimator: Any, X: Any, *, reset: bool) -> csr_matrix:
    """A copy of finite values >= 0 as CSR with each cell stored once, and only if it is not 0."""
    X = validate_data(
        estimator,
        X,
        accept_sparse="csr",
        dtype=[np.float64, np.float32],
        copy=issparse(X),
        ensure_non_negative=True,
        reset=reset,
    )
    rows = X if issparse(X) else csr_matrix(X)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    return rows


def document_frequencies(rows: csr_matrix) -> NDArray[np.int64]:
    """Number of rows that store a value of each column."""
    return np.bincount(rows.indices, minlength=rows.shape[1]).astype(np.int64)


def row_lengths(rows: csr_matrix) -> NDArray[np.int64]:
    """Number of values that each row stores."""
    return np.diff(rows.indptr).astype(np.int64)
