"""Exact lists of nearest other samples, with a defined order among ties."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.neighbors import NearestNeighbors

from moo_clustering._arrays import block_slices, centred_features
from moo_clustering._distances import Metric
from moo_clustering._parallel import threads_here
from moo_clustering.validity._population import integer_rows

# Room for the rounding of squared distances that scikit-learn's brute-force search expands.
_ROUNDING = 1e-12


def nearest_others(X: Any, width: int, metric: Metric, keys: NDArray[np.int64]) -> NDArray[np.int32]:
    """For every sample its ``width`` nearest other samples, by (distance, key).

    Rows whose candidates end in a tie with the last neighbour are searched again with twice as
    many, so the result is exact also with duplicates and on grids, at up to O(n^2 log n) time when
    most samples coincide.
    """
    n = X.shape[0]
    result = np.empty((n, width), dtype=np.int32)
    if width == 0:
        return result
    euclidean = isinstance(metric, str) and metric == "euclidean" and not issparse(X)
    points = centred_features(X) if euclidean else X
    largest = float(np.einsum("ij,ij->i", points, points).max()) if euclidean else 0.0
    search = NearestNeighbors(metric=metric).fit(points)
    pending = np.arange(n)
    n_candidates = min(n, width + 3)
    while len(pending):
        tied = []
        for part in block_slices(len(pending), n_candidates * (X.shape[1] if euclidean else 1)):
            rows = pending[part]
            with threads_here():
                found, ids = search.kneighbors(points[rows], n_neighbors=n_candidates)
            farthest = found[:, -1]
            if euclidean:
                found = _direct(X, rows, ids)
            found = np.where(ids == rows[:, np.newaxis], np.inf, found)
            order = np.lexsort((keys[ids], found))[:, :width]
            result[rows] = np.take_along_axis(ids, order, axis=1)
            last = np.take_along_axis(found, order, axis=1)[:, -1]
            tied.append(rows[farthest**2 <= last**2 * (1.0 + _ROUNDING) + _ROUNDING * largest])
        pending = np.concatenate(tied) if n_candidates < n else pending[:0]
        n_candidates = min(n, 2 * n_candidates)
    return result


def _direct(X: NDArray[np.float64], rows: NDArray[np.int64], ids: NDArray[np.int64]) -> NDArray[np.float64]:
    """Distances by differences of the data as given, so that ties on a grid stay ties."""
    steps = X[ids] - X[rows][:, np.newaxis]
    return np.sqrt(np.einsum("ijk,ijk->ij", steps, steps))


def check_neighbors(neighbors: Any, n_samples: int, width: int) -> NDArray[np.int32]:
    """The first ``width`` columns of a user's lists, after checking that they are lists of others."""
    rows = integer_rows(neighbors, "neighbors")
    if rows.shape[0] != n_samples or rows.shape[1] < width:
        raise ValueError(f"neighbors must have shape ({n_samples}, at least {width}), got {rows.shape}")
    used = rows[:, :width]
    if used.size and (used.min() < 0 or used.max() >= n_samples):
        raise ValueError(f"neighbors must be sample ids 0..{n_samples - 1}")
    if np.any(used == np.arange(n_samples)[:, np.newaxis]):
        raise ValueError("neighbors must not list a sample as its own neighbour")
    ordered = np.sort(used, axis=1)
    if np.any(ordered[:, 1:] == ordered[:, :-1]):
        raise ValueError("neighbors must not list a sample twice in one row")
    return np.ascontiguousarray(used, dtype=np.int32)
