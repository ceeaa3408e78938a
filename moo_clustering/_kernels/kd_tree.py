"""A balanced tree of bounding boxes over points, in arrays that other kernels walk.

Node i has the children 2i+1 and 2i+2 and covers the positions start[i]..stop[i]-1 of the points, which
are kept in the order of the leaves.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

LEAF = 12


@njit(cache=True, nogil=True, inline="always")
def rounded(value: float) -> float:
    """To 41 significant bits, so that noise breaks no tie; monotone."""
    high = value * 4097.0
    result: float = high - (high - value)
    return result


@njit(cache=True, nogil=True, inline="always")
def square_distance(P: NDArray[Any], i: int, j: int) -> float:
    """The same for (i, j) and (j, i), to the bit."""
    total = 0.0
    for f in range(P.shape[1]):
        difference = P[i, f] - P[j, f]
        total += difference * difference
    return rounded(total)


@njit(cache=True, nogil=True)
def node_count(n_points: int) -> int:
    """Nodes of a tree whose leaves hold at most ``LEAF`` points."""
    count, size = 1, n_points
    while size > LEAF:
        size = (size + 1) // 2
        count = 2 * count + 1
    return count


@njit(cache=True, nogil=True)
def build(X: NDArray[Any], n_nodes: int) -> tuple[Any, Any, Any, Any, Any]:
    """Positions to points (n,), start and stop (n_nodes,), corners of the boxes (n_nodes, d) each."""
    n, d = X.shape
    points = np.arange(n)
    start, stop = np.zeros(n_nodes, np.int64), np.zeros(n_nodes, np.int64)
    low, high = np.empty((n_nodes, d)), np.empty((n_nodes, d))
    stop[0] = n
    for node in range(n_nodes):
        lo, hi = start[node], stop[node]
        widest, width = 0, -1.0
        for f in range(d):
            least = most = X[points[lo], f]
            for p in range(lo + 1, hi):
                value = X[points[p], f]
                least, most = min(least, value), max(most, value)
            low[node, f], high[node, f] = least, most
            if most - least > width:
                widest, width = f, most - least
        left = 2 * node + 1
        if left < n_nodes:
            middle = (lo + hi) // 2
            _select(points, X, widest, lo, hi, middle)
            start[left], stop[left] = lo, middle
            start[left + 1], stop[left + 1] = middle, hi
    return points, start, stop, low, high


@njit(cache=True, nogil=True)
def _select(points: NDArray[Any], X: NDArray[Any], f: int, lo: int, hi: int, middle: int) -> None:
    """Reorder points[lo:hi] such that those before ``middle`` are not above those from it on."""
    left, right = lo, hi - 1
    while left < right:
        pivot = X[points[(left + right) // 2], f]
        i, j = left, right
        while i <= j:
            while X[points[i], f] < pivot:
                i += 1
            while X[points[j], f] > pivot:
                j -= 1
            if i <= j:
                points[i], points[j] = points[j], points[i]
                i += 1
                j -= 1
        if middle <= j:
            right = j
        elif middle >= i:
            left = i
        else:
            return


@njit(cache=True, nogil=True, inline="always")
def nearest_of_box(P: NDArray[Any], i: int, low: NDArray[Any], high: NDArray[Any], node: int) -> float:
    """Square distance to the nearest place of a box, a little less than exact."""
    total = 0.0
    for f in range(P.shape[1]):
        value = P[i, f]
        beyond = max(low[node, f] - value, value - high[node, f], 0.0)
        total += beyond * beyond
    return total * (1.0 - 1e-11)


@njit(cache=True, nogil=True, inline="always")
def farthest_of_box(P: NDArray[Any], i: int, low: NDArray[Any], high: NDArray[Any], node: int) -> float:
    """Square distance to the farthest corner of a box, a little more than exact."""
    total = 0.0
    for f in range(P.shape[1]):
        value = P[i, f]
        beyond = max(value - low[node, f], high[node, f] - value)
        total += beyond * beyond
    return total * (1.0 + 1e-11)
