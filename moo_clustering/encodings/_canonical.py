"""One form for all that mean the same: numbering by first appearance, digests of rows."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering._kernels.numbering import number_by_first_appearance
from moo_clustering.encodings._base import IntArray, Labels


def relabel_by_first_appearance(labels: IntArray) -> Labels:
    """Number the clusters of every partition 0, 1, ... in the order in which they first occur.

    Parameters
    ----------
    labels : ndarray of shape (n_individuals, n_samples)
        Cluster codes >= 0; gaps are closed.

    Returns
    -------
    labels : ndarray of shape (n_individuals, n_samples), int32
        Equal rows exactly where the given rows are the same partition.

    Notes
    -----
    O(n_individuals (n_samples + largest code)).
    """
    labels = np.asarray(labels)
    out = np.empty(labels.shape, dtype=np.int32)
    if labels.size:
        if labels.min() < 0:
            raise ValueError(f"labels must not be negative, got {labels.min()}.")
        number_by_first_appearance(labels, np.empty(int(labels.max()) + 1, dtype=np.int32), out)
    return out


def row_digests(X: ArrayLike) -> list[bytes]:
    """A key for every row of numbers: equal values give equal keys, whatever their dtype."""
    X = np.asarray(X)
    if X.ndim != 2 or X.dtype.kind not in "biuf":
        raise TypeError(f"X must be rows of numbers, got shape {X.shape} and dtype {X.dtype}.")
    if X.dtype.kind != "f":
        return _digests(X, np.int64)
    with np.errstate(invalid="ignore"):
        whole = X.astype(np.int64)
    keys = _digests(whole, np.int64)
    for row in np.flatnonzero((whole != X).any(axis=1)):
        # Adding zero turns -0.0 into 0.0, which has other bytes.
        (keys[row],) = _digests(X[row : row + 1] + 0.0, np.float64)
    return keys


def distinct_rows(X: ArrayLike) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """First occurrences of the distinct rows, and for every row which of them it equals."""
    number: dict[bytes, int] = {}
    inverse = np.array([number.setdefault(key, len(number)) for key in row_digests(X)], dtype=np.intp)
    return np.unique(inverse, return_index=True)[1], inverse


def _digests(X: NDArray[Any], dtype: type[np.generic]) -> list[bytes]:
    kind = np.dtype(dtype).str.encode()
    rows = (np.ascontiguousarray(row, dtype=dtype) for row in X)
    return [hashlib.blake2b(row.data, digest_size=16, person=kind).digest() for row in rows]
