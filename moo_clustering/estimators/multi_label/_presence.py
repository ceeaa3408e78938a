"""Presence of features: what is made of counts, and what looks like them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse


def presence(X: Any) -> Any:
    """1 where ``X`` is positive, 0 elsewhere, as a copy of the same kind and type.

    Raises
    ------
    ValueError
        Negative values, which are no counts.
    """
    values = X.data if issparse(X) else X
    if values.size and values.min() < 0:
        raise ValueError(f"binarize=True takes counts or weights of features; X has {values.min():g} < 0")
    if not issparse(X):
        return (X > 0).astype(X.dtype)
    X = X.copy()
    X.data[:] = X.data > 0
    X.eliminate_zeros()
    return X


def are_counts(X: Any) -> bool:
    """Whether all values are whole, none is negative and some are above 1."""
    values = X.data if issparse(X) else X
    return bool(values.size and values.max() > 1 and values.min() >= 0 and (values == np.rint(values)).all())


def empty_rows(X: Any) -> NDArray[np.intp]:
    """Numbers of the rows without values other than 0."""
    filled = (X != 0).sum(axis=1) if issparse(X) else X.any(axis=1)
    return np.flatnonzero(np.asarray(filled).ravel() == 0)
