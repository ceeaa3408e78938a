"""Rows of unit length."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse


def unit_rows(X: Any) -> tuple[Any, NDArray[np.bool_]]:
    """Copy of an ndarray or CSR matrix of floats with rows of unit length, and which rows are zero.

    Rows are scaled by their largest entry first, so that squares neither overflow nor vanish:
    scikit-learn's ``normalize`` leaves dense rows shorter than 2e-15 as they are.
    """
    if not sparse.issparse(X):
        largest = np.abs(X).max(axis=1, keepdims=True, initial=0.0)
        rows = X / np.where(largest > 0, largest, 1.0)
        lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, np.newaxis]
        rows /= np.where(lengths > 0, lengths, 1.0)
        return rows, largest[:, 0] == 0
    rows = X.copy()
    entries = np.diff(rows.indptr)
    row = np.repeat(np.arange(rows.shape[0]), entries)
    largest = np.zeros(rows.shape[0], dtype=rows.dtype)
    np.maximum.at(largest, row, np.abs(rows.data))
    rows.data /= np.where(largest > 0, largest, 1.0)[row]
    lengths = np.sqrt(np.bincount(row, weights=rows.data**2, minlength=rows.shape[0])).astype(rows.dtype)
    rows.data /= np.where(lengths > 0, lengths, 1.0)[row]
    return rows, largest == 0
