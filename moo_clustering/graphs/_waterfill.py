"""The water-filling graph: as many neighbours as the local density asks for."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from moo_clustering.graphs._neighbors import NeighborLists
from moo_clustering.graphs._search import CHUNK
from moo_clustering.graphs._similarity import listed_edges, symmetrize


def waterfill_lambda(lists: NeighborLists) -> float:
    """Default trade-off: three times the mean distance of the 10 nearest neighbours (all, if fewer).

    1 if those distances are all 0, where any positive number gives the same graph.

    Parameters
    ----------
    lists : NeighborLists

    Returns
    -------
    float
    """
    near = lists.distances[:, :10]
    mean = float(np.mean(near[lists.indices[:, :10] >= 0], dtype=np.float64))
    return 3.0 * mean if mean > 0 else 1.0


def waterfill_weights(distances: NDArray[np.floating[Any]], lam: float) -> NDArray[np.float64]:
    """p minimising sum_r p_r d_r + (lam/2) sum_r p_r^2 over each row, p >= 0, sum p = 1.

    Parameters
    ----------
    distances : ndarray of shape (n_rows, width)
        Non-decreasing along a row; inf for what must get no weight.
    lam : float
        Positive; the larger, the more neighbours share the weight.

    Returns
    -------
    p : ndarray of shape (n_rows, width)
        max(0, (theta - d_r) / lam) with theta such that a row sums to 1.

    Notes
    -----
    O(n_rows width) time and memory.
    """
    if not (np.isfinite(lam) and lam > 0):
        raise ValueError(f"lam must be a positive number, got {lam!r}.")
    real = np.isfinite(distances)
    # Only differences within a row matter; taken from the nearest they keep their digits.
    d = np.where(real, distances, 0.0).astype(np.float64)
    d -= d[:, :1]
    rank = np.arange(1, d.shape[1] + 1)
    total = np.cumsum(d, axis=1)
    wet = real & (rank * d - total < lam)
    n_wet = np.count_nonzero(wet, axis=1)
    theta = (lam + total[np.arange(len(d)), n_wet - 1]) / n_wet
    return np.where(wet, np.maximum(theta[:, None] - d, 0.0) / lam, 0.0)


def waterfill_graph(lists: NeighborLists, lam: float | None = None) -> sp.csr_array:
    """Similarities by water-filling, symmetrised.

    Parameters
    ----------
    lists : NeighborLists
        Neighbours that may get weight; wide enough if the last of no row does.
    lam : float, optional
        Trade-off between near neighbours and many; default :func:`waterfill_lambda`.

    Returns
    -------
    csr_array of shape (n_samples, n_samples), symmetric

    Notes
    -----
    O(N width) time and memory.

    References
    ----------
    PESC.
    """
    if lam is None:
        lam = waterfill_lambda(lists)
    n_samples, width = lists.distances.shape
    weights = np.empty((n_samples, width))
    step = max(1, CHUNK // width)
    for lo in range(0, n_samples, step):
        weights[lo : lo + step] = waterfill_weights(lists.distances[lo : lo + step], lam)
    return symmetrize(listed_edges(lists, weights))
