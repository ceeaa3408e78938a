"""How many samples are nearer to a sample than another one is."""

from __future__ import annotations

from typing import Any

from numba import njit
from numpy.typing import NDArray

from moo_clustering._kernels.kd_tree import farthest_of_box, nearest_of_box, square_distance


@njit(cache=True, nogil=True)
def ranks(
    pairs: NDArray[Any],
    P: NDArray[Any],
    keys: NDArray[Any],
    start: NDArray[Any],
    stop: NDArray[Any],
    low: NDArray[Any],
    high: NDArray[Any],
    cap: int,
    stack: NDArray[Any],
    lo: int,
    hi: int,
    out: NDArray[Any],
) -> None:
    """Place of pairs[p, 1] by nearness to pairs[p, 0], from 1 and at most ``cap``, for p in lo..hi-1."""
    n_nodes = len(start)
    for p in range(lo, hi):
        i, j = pairs[p, 0], pairs[p, 1]
        limit, key = square_distance(P, i, j), keys[j]
        count, stack[0], depth = 0, 0, 1
        while depth and count < cap:
            depth -= 1
            node = stack[depth]
            if nearest_of_box(P, i, low, high, node) > limit:
                continue
            if farthest_of_box(P, i, low, high, node) < limit:
                count += stop[node] - start[node] - (1 if start[node] <= i < stop[node] else 0)
                continue
            left = 2 * node + 1
            if left < n_nodes:
                stack[depth], stack[depth + 1] = left, left + 1
                depth += 2
                continue
            for h in range(start[node], stop[node]):
                if h == i:
                    continue
                distance = square_distance(P, i, h)
                if distance < limit or (distance == limit and keys[h] < key):
                    count += 1
        out[p] = min(count + 1, cap)
