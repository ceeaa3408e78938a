"""Which of a few rows is nearest."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise_distances

from moo_clustering._arrays import block_slices
from moo_clustering._distances import Metric
from moo_clustering._kernels.medoid_vectors import GRAIN


def nearest_rows(X: Any, rows: Any, metric: Metric) -> NDArray[np.int32]:
    """Number of the row that is nearest to every row of X; ties: the lowest.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
    rows : ndarray or CSR matrix of shape (n_rows, n_features)
    metric : str or callable
        Cosine distances are rounded, as in the search, so that equal directions tie.

    Notes
    -----
    O(n_samples n_rows n_features) time, in blocks of bounded memory.
    """
    out = np.empty(X.shape[0], dtype=np.int32)
    for part in block_slices(X.shape[0], rows.shape[0]):
        out[part] = row_distances(X[part], rows, metric).argmin(axis=1)
    return out


def row_distances(X: Any, rows: Any, metric: Metric) -> NDArray[np.float64]:
    """Distances of shape (n_samples, n_rows)."""
    plain = isinstance(metric, str) and metric in ("euclidean", "sqeuclidean")
    if plain and not issparse(X) and not issparse(rows):
        # From differences; the faster products lose the digits that decide between near rows.
        return np.asarray(cdist(X, rows, metric))
    D: NDArray[np.float64] = np.asarray(pairwise_distances(X, rows, metric=metric), dtype=np.float64)
    return np.rint(D * GRAIN) / GRAIN if isinstance(metric, str) and metric == "cosine" else D
