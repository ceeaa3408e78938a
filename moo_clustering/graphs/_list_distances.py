"""Nearest neighbours with distances in full precision."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array

from moo_clustering.graphs._neighbors import NeighborLists, check_distances, ordered_lists
from moo_clustering.graphs._search import CHUNK

PlainMetric = Literal["euclidean", "precomputed"]


def checked_data(X: ArrayLike, metric: str) -> NDArray[np.float64]:
    """Features or a matrix of distances, as float64."""
    if metric not in ("euclidean", "precomputed"):
        raise ValueError(f"metric must be 'euclidean' or 'precomputed', got {metric!r}.")
    if metric == "precomputed":
        return check_distances(X).astype(np.float64, copy=False)
    data: NDArray[np.float64] = check_array(X, dtype=np.float64)
    return data


def index_tied_lists(
    data: NDArray[np.float64], n_neighbors: int, metric: PlainMetric, n_jobs: int | None = None
) -> tuple[NeighborLists, NDArray[np.float64]]:
    """Nearest other samples, ties by the row number, and their distances, (m, min(n_neighbors, m - 1)).

    The lists themselves hold distances of single precision.
    """
    n_samples = len(data)
    keys = np.arange(n_samples, dtype=np.int32)
    lists = ordered_lists(data, min(n_neighbors, n_samples - 1), metric, keys, n_jobs=n_jobs)
    rows = np.arange(n_samples)
    if metric == "precomputed":
        return lists, data[rows[:, None], lists.indices]
    distances = np.empty(lists.indices.shape)
    step = max(1, CHUNK // max(1, lists.indices.shape[1] * data.shape[1]))
    for lo in range(0, n_samples, step):
        block = slice(lo, lo + step)
        distances[block] = row_distances(data, rows[block, None], lists.indices[block])
    return lists, distances


def row_distances(data: NDArray[np.float64], i: NDArray[Any], j: NDArray[Any]) -> NDArray[np.float64]:
    """Euclidean distances of rows i and rows j."""
    lengths: NDArray[np.float64] = np.linalg.norm(data[i] - data[j], axis=-1)
    return lengths
