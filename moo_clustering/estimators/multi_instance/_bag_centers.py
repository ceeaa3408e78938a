"""Distances of bags to vectors, and which of several is least."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from moo_clustering._arrays import BLOCK_ITEMS
from moo_clustering.bags import Bags
from moo_clustering.bags._blocks import bag_blocks

Floats = NDArray[np.float64]

# Distances that differ by a smaller part are equal: products of matrices leave so much of rounding.
_TIE = 1e-9


def least(values: NDArray[np.floating[Any]]) -> NDArray[np.int32]:
    """Number of the least of non-negative values along the last axis; the lowest where several are equal.

    Values are equal where only rounding sets them apart, so that ties end alike on every machine, and
    for the same bag among any others.
    """
    limit = values.min(axis=-1, keepdims=True) * (1.0 + _TIE)
    return np.asarray((values <= limit).argmax(axis=-1), dtype=np.int32)


def farthest_distances(bags: Bags, vectors: Floats) -> Floats:
    """Directed Hausdorff distance of every bag to every vector: that of its farthest instance.

    Parameters
    ----------
    bags : Bags
    vectors : ndarray of shape (n_vectors, n_features)

    Returns
    -------
    ndarray of shape (n_bags, n_vectors)

    Raises
    ------
    ValueError
        Distances overflow.

    Notes
    -----
    O(n_instances n_vectors n_features) time, from differences, which lose no digits; in blocks of
    bounded memory.

    References
    ----------
    Evolutionary multi-instance clustering, Eq. 1.
    """
    out = np.zeros((bags.n_bags, len(vectors)))
    for block in bag_blocks(bags.offsets, max(1, BLOCK_ITEMS // len(vectors))):
        into = out[block.bags]
        for rows, bounds in block.pieces:
            table = cdist(bags.instances[rows], vectors)
            np.maximum(into, np.maximum.reduceat(table, bounds[:-1], axis=0), out=into)
    if not np.isfinite(out).all():
        raise ValueError("instances have values so large that squared distances overflow; rescale them")
    return out
