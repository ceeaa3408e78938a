"""Checks for functions that score medoid chromosomes directly."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering.validity._population import integer_rows


def check_medoids(
    D: Any, medoids: Any, labels: Any
) -> tuple[NDArray[np.floating[Any]], NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Arrays as the kernels take them, and the number of medoids of every row.

    Raises
    ------
    ValueError
        If D is not square, an id lies outside 0..n-1, a row has no medoid or padding before its
        end, or a label names no medoid of its row.
    """
    D = np.asarray(D)
    if D.ndim != 2 or D.shape[0] != D.shape[1] or D.size == 0:
        raise ValueError(f"D must be a square matrix, got shape {D.shape}")
    D = np.ascontiguousarray(D, dtype=np.float32 if D.dtype == np.float32 else np.float64)
    rows = np.ascontiguousarray(integer_rows(medoids, "medoids"), dtype=np.int64)
    label_rows = np.ascontiguousarray(integer_rows(labels, "labels"), dtype=np.int32)
    if label_rows.shape != (len(rows), len(D)):
        raise ValueError(
            f"labels must have shape {(len(rows), len(D))} to go with medoids and D, got {label_rows.shape}"
        )
    given = rows >= 0
    n_clusters = given.sum(axis=1)
    if np.any(given[:, 1:] & ~given[:, :-1]) or np.any(n_clusters == 0):
        raise ValueError("medoids must hold at least one id per row, and -1 only after the last id")
    if rows.min(initial=0) < -1 or rows.max(initial=0) >= len(D):
        raise ValueError(f"medoids must be ids 0..{len(D) - 1} or the padding -1")
    if label_rows.min(initial=0) < 0 or np.any(label_rows.max(axis=1) >= n_clusters):
        raise ValueError("labels must be positions in the row of medoids, 0..k-1")
    return D, rows, label_rows, n_clusters
