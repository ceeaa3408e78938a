"""Data with fewer distinct rows than clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering.graphs import NeighborLists


def fewer_distinct_rows(
    X: NDArray[np.floating[Any]], lists: NeighborLists, n_clusters: int
) -> NDArray[np.int32] | None:
    """Distinct rows as clusters, by first appearance, if there are fewer than ``n_clusters``; or None.

    O(N) unless nearly every sample has a duplicate, then a sort of the rows.
    """
    # With fewer than K distinct rows fewer than K samples are without duplicate.
    if np.count_nonzero(lists.distances[:, 0] > 0) >= n_clusters:
        return None
    _, first, inverse = np.unique(X, axis=0, return_index=True, return_inverse=True)
    if len(first) >= n_clusters:
        return None
    order = np.empty(len(first), dtype=np.int32)
    order[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    return order[inverse.reshape(-1)]
