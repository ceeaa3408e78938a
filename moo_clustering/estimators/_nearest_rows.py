"""Which of a few rows is nearest."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise_distances
from sklearn.metrics.pairwise import cosine_distances

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
    name = metric if isinstance(metric, str) else None
    dense = not issparse(X) and not issparse(rows)
    if name in ("euclidean", "sqeuclidean") and dense:
        # From differences; the faster products lose the digits that decide between near rows.
        return np.asarray(cdist(X, rows, name))
    D: NDArray[np.float64]
    if name == "cosine":
        D = 1.0 - _directions(X) @ _directions(rows).T if dense else cosine_distances(X, rows)
        return np.rint(np.clip(D, 0.0, 2.0) * GRAIN) / GRAIN
    D = np.asarray(pairwise_distances(X, rows, metric=metric), dtype=np.float64)
    return D


def _directions(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows of length 1; rows of zeros stay."""
    norms = np.sqrt(np.einsum("ij,ij->i", X, X))
    norms[norms == 0.0] = 1.0
    return X / norms[:, None]
