"""Cluster numbers without gaps, and their limits."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def number_clusters(labels: NDArray[np.integer[Any]]) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
    """Number clusters 0, 1, ... in the order of their first samples.

    Returns
    -------
    labels : ndarray of shape (n_samples,), int32
    order : ndarray of shape (n_clusters,)
        Former number of every cluster; clusters without samples are dropped.
    """
    former, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    by_appearance = np.argsort(first)
    rank = np.empty(len(former), dtype=np.int32)
    rank[by_appearance] = np.arange(len(former), dtype=np.int32)
    return rank[inverse.reshape(-1)], former[by_appearance].astype(np.intp)


def check_n_clusters(n_clusters: int, n_samples: int) -> None:
    """Refuse more clusters than samples.

    Raises
    ------
    ValueError
    """
    if n_clusters > n_samples:
        raise ValueError(f"n_clusters={n_clusters} is more than the number of samples, {n_samples}.")
