"""Blocks of bounded size, centred copies, cells stored once: what rooms with large arrays share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils import check_array

# Numbers a block of individuals may occupy in temporary arrays: 32 MB of float64.
BLOCK_ITEMS = 1 << 22


def block_slices(count: int, items: int) -> Iterator[slice]:
    """Cut 0..count-1 so that no part needs more than ``BLOCK_ITEMS`` numbers, where one can avoid it."""
    step = max(1, BLOCK_ITEMS // max(items, 1))
    for start in range(0, count, step):
        yield slice(start, min(start + step, count))


def centred_features(data: Any) -> NDArray[np.float64]:
    """Copy of ``data`` with column means zero.

    A sample is subtracted before the mean is, so that equal samples come out as exact zeros and a
    large common offset costs no digits.
    """
    X: NDArray[np.float64] = check_array(data, dtype=np.float64, order="C", input_name="data")
    with np.errstate(over="ignore", invalid="ignore"):
        X = X - X[0]
        X -= X.mean(axis=0)
        total = np.einsum("ij,ij->i", X, X).max() * len(X)
    if not np.isfinite(total):
        raise ValueError("data has values so large that squared distances overflow; rescale it")
    return X


def require_squares(X: Any) -> None:
    """Refuse values of which sums of squares, and of some times as many, would overflow or vanish.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_samples, n_features)

    Raises
    ------
    ValueError
        When the root of the number of values times the largest of them exceeds 1e150, or when that is
        not zero and below 1e-150.
    """
    values = X.data if issparse(X) else X
    largest = float(np.abs(values).max(initial=0.0))
    if largest > 1e150 / np.sqrt(max(values.size, 1)):
        raise ValueError(
            f"X has values so large that squared distances overflow, up to {largest:g} in size; rescale it"
        )
    if 0 < largest < 1e-150:
        raise ValueError(
            f"X has values so small that squared distances vanish, up to {largest:g} in size; rescale it"
        )


def without_duplicates(X: Any) -> Any:
    """A copy of compressed rows that store some cell in parts, with each in one; other data as they are."""
    if not issparse(X) or X.has_canonical_format:
        return X
    X = X.copy()
    X.sum_duplicates()
    return X
