"""Data in which there is nothing, or only one thing, to cluster."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from moo_clustering.estimators._number_clusters import number_clusters
from moo_clustering.pool import PartitionPool

TRIVIAL = "trivial"


def distinct_rows_of(rows: NDArray[Any]) -> NDArray[np.int32]:
    """Equal rows as clusters, numbered by first appearance."""
    return number_clusters(np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1))[0]


def at_distance_zero(D: NDArray[np.float64]) -> NDArray[np.int32]:
    """Samples at distance 0 as clusters, numbered by first appearance."""
    return number_clusters(connected_components(D == 0.0, directed=False)[1])[0]


def trivial_pool(n_samples: int) -> PartitionPool:
    """The partition into one cluster alone."""
    return PartitionPool(np.zeros((1, n_samples), dtype=np.int32), (TRIVIAL,))


def trivial_labels(
    n_clusters: int, n_samples: int, distinct: NDArray[np.int32] | None
) -> NDArray[np.int32] | None:
    """The only partition into so many clusters; None if there are several.

    Parameters
    ----------
    n_clusters : int
    n_samples : int
    distinct : ndarray of shape (n_samples,) or None
        Samples that nothing may part, equal rows and those joined by must-links, as clusters; None if
        none are known.

    Warns
    -----
    UserWarning
        Fewer of them than clusters.
    """
    if n_clusters == 1:
        return np.zeros(n_samples, dtype=np.int32)
    if distinct is not None and (n_distinct := int(distinct.max()) + 1) <= n_clusters:
        if n_distinct < n_clusters:
            warnings.warn(
                f"only {n_distinct} distinct rows, or groups joined by must-links, for "
                f"n_clusters={n_clusters}; each is its own cluster.",
                UserWarning,
                stacklevel=4,
            )
        return distinct
    return np.arange(n_samples, dtype=np.int32) if n_clusters == n_samples else None
