"""The terms in which the documents of a cluster have most weight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array


def cluster_means(X: Any, labels: NDArray[np.integer[Any]], n_clusters: int) -> NDArray[np.float64]:
    """Mean rows of the clusters, shape (n_clusters, n_terms).

    Parameters
    ----------
    X : sparse matrix of shape (n_documents, n_terms)
    labels : ndarray of shape (n_documents,)
    n_clusters : int
    """
    members = csr_array(
        (np.ones(len(labels)), labels, np.arange(len(labels) + 1)), shape=(len(labels), n_clusters)
    )
    sizes = np.maximum(np.bincount(labels, minlength=n_clusters), 1)
    return np.asarray((members.T @ X).todense(), dtype=np.float64) / sizes[:, None]


def leading_terms(
    weights: NDArray[np.floating[Any]], names: Sequence[str] | None, n_terms: int
) -> tuple[tuple[Any, ...], ...]:
    """Of every row the names (or columns) of the largest weights above 0, largest first."""
    found = []
    for row in weights:
        order = np.argsort(-row, kind="stable")[:n_terms]
        kept = order[row[order] > 0]
        found.append(tuple(int(j) if names is None else names[j] for j in kept))
    return tuple(found)
