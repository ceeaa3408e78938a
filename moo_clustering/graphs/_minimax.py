"""Minimax-path distances: the largest step of the path that makes it smallest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from moo_clustering.graphs._spanning_tree import SpanningTree


def minimax_distances(tree: SpanningTree) -> NDArray[np.float64]:
    """Longest link between every two samples on a spanning tree.

    On a minimum spanning tree that is the least possible largest step of any path between them, also
    known as the single-linkage or subdominant ultrametric distance.

    Parameters
    ----------
    tree : SpanningTree

    Returns
    -------
    ndarray of shape (m, m), float64
        Symmetric, zero diagonal.

    Notes
    -----
    O(m^2) time and memory.

    References
    ----------
    Gower and Ross, Minimum spanning trees and single linkage cluster analysis, Applied Statistics 18,
    1969.
    """
    m, order = tree.n_samples, tree.order
    place = np.empty(m, dtype=np.intp)
    place[order] = np.arange(m)
    above, length = place[tree.parent[order]], tree.lengths[order]
    # Samples in the order of the tree: what came before is the start of a row.
    path = np.zeros((m, m))
    for p in range(1, m):
        path[p, :p] = np.maximum(path[above[p], :p], length[p])
        path[:p, p] = path[p, :p]
    return path[np.ix_(place, place)]
