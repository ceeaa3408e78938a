"""Minimum spanning trees of mutual-reachability distances, sample by sample.

Links are ordered by (reachability, distance, smaller number, larger number), which leaves one tree.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from moo_clustering._kernels.kd_tree import rounded, square_distance


@njit(cache=True, nogil=True, inline="always")
def _before(r: float, d: float, i: int, j: int, other_r: float, other_d: float, g: int, h: int) -> bool:
    """Whether link (i, j) comes before link (g, h)."""
    result: bool = False
    if r != other_r:
        result = r < other_r
    elif d != other_d:
        result = d < other_d
    elif min(i, j) != min(g, h):
        result = min(i, j) < min(g, h)
    else:
        result = max(i, j) < max(g, h)
    return result


@njit(cache=True, nogil=True)
def prim_reachability(X: NDArray[Any], precomputed: bool, cores: NDArray[Any], links: NDArray[Any]) -> None:
    """Fill ``links`` (n-1, 2) with samples, one joined after the other; no distance is kept.

    X holds points and ``cores`` squares, or X a symmetric matrix of distances.
    """
    n = len(X)
    left = np.arange(1, n)
    reach, gap, source = np.full(n, np.inf), np.full(n, np.inf), np.zeros(n, np.int64)
    newest = 0
    for done in range(n - 1):
        chosen = -1
        for place in range(n - 1 - done):
            i = left[place]
            d = rounded(X[newest, i]) if precomputed else square_distance(X, newest, i)
            r = max(d, rounded(cores[newest]), rounded(cores[i]))
            if _before(r, d, newest, i, reach[i], gap[i], source[i], i):
                reach[i], gap[i], source[i] = r, d, newest
            if chosen < 0:
                chosen = place
                continue
            c = left[chosen]
            if _before(reach[i], gap[i], source[i], i, reach[c], gap[c], source[c], c):
                chosen = place
        newest = left[chosen]
        links[done, 0], links[done, 1] = source[newest], newest
        left[chosen] = left[n - 2 - done]
