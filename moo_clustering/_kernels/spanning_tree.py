"""Minimum spanning trees of points: by rounds over a tree of boxes, or sample by sample.

Links are ordered by (length, smaller key, larger key), which leaves one minimum spanning tree.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from moo_clustering._kernels.kd_tree import nearest_of_box, rounded, square_distance
from moo_clustering._kernels.union_find import join, settle


@njit(cache=True, nogil=True, inline="always")
def _before(d: float, i: int, j: int, e: float, g: int, h: int) -> bool:
    """Whether a link comes before another: lengths d and e, keys in any order."""
    if d != e:
        result: bool = d < e
        return result
    if min(i, j) != min(g, h):
        return min(i, j) < min(g, h)
    return max(i, j) < max(g, h)


@njit(cache=True, nogil=True)
def _nearest_outside(
    i: int,
    bound: float,
    P: NDArray[Any],
    keys: NDArray[Any],
    component: NDArray[Any],
    node_component: NDArray[Any],
    start: NDArray[Any],
    stop: NDArray[Any],
    low: NDArray[Any],
    high: NDArray[Any],
    stack: NDArray[Any],
    gaps: NDArray[Any],
) -> tuple[int, float]:
    """Position of the first sample, in the order of links, of other components within ``bound``, or -1."""
    own = component[i]
    found, best = -1, bound
    stack[0], gaps[0], depth = 0, 0.0, 1
    n_nodes = len(start)
    while depth:
        depth -= 1
        node = stack[depth]
        if gaps[depth] > best or node_component[node] == own:
            continue
        left = 2 * node + 1
        if left >= n_nodes:
            for j in range(start[node], stop[node]):
                if component[j] == own:
                    continue
                distance = square_distance(P, i, j)
                if distance < best or (
                    distance == best
                    and (found < 0 or _before(distance, keys[i], keys[j], best, keys[i], keys[found]))
                ):
                    found, best = j, distance
            continue
        near, far = left, left + 1
        near_gap = nearest_of_box(P, i, low, high, near)
        far_gap = nearest_of_box(P, i, low, high, far)
        if far_gap < near_gap:
            near, far, near_gap, far_gap = far, near, far_gap, near_gap
        stack[depth], gaps[depth] = far, far_gap
        stack[depth + 1], gaps[depth + 1] = near, near_gap
        depth += 2
    return found, best


@njit(cache=True, nogil=True)
def _label_nodes(
    component: NDArray[Any], start: NDArray[Any], stop: NDArray[Any], node_component: NDArray[Any]
) -> None:
    """The component that all points of a node are in, or -1."""
    n_nodes = len(start)
    for node in range(n_nodes - 1, -1, -1):
        left = 2 * node + 1
        if left < n_nodes:
            same = node_component[left] == node_component[left + 1]
            node_component[node] = node_component[left] if same else -1
            continue
        label = component[start[node]]
        for j in range(start[node] + 1, stop[node]):
            if component[j] != label:
                label = -1
                break
        node_component[node] = label


@njit(cache=True, nogil=True)
def boruvka(
    P: NDArray[Any],
    keys: NDArray[Any],
    start: NDArray[Any],
    stop: NDArray[Any],
    low: NDArray[Any],
    high: NDArray[Any],
    links: NDArray[Any],
) -> None:
    """Fill ``links`` (n-1, 2) with positions: in every round each component gets its shortest link out."""
    n = len(P)
    parents, component = np.arange(n), np.arange(n)
    node_component = np.empty(len(start), np.int64)
    nearest = np.full(n, -1)
    length, beyond = np.empty(n), np.full(n, -1.0)
    best, source = np.empty(n), np.empty(n, np.int64)
    stack, gaps = np.empty(256, np.int64), np.empty(256)
    done = 0
    while done < n - 1:
        _label_nodes(component, start, stop, node_component)
        best[:] = np.inf
        source[:] = -1
        for i in range(n):
            j = nearest[i]
            if j >= 0 and component[j] != component[i]:
                _offer(i, nearest, length, keys, component[i], best, source)
            else:
                nearest[i] = -1
        for i in range(n):
            own = component[i]
            # No sample of another component is within ``beyond``, so none that beats the best.
            if nearest[i] >= 0 or best[own] <= beyond[i]:
                continue
            j, distance = _nearest_outside(
                i, best[own], P, keys, component, node_component, start, stop, low, high, stack, gaps
            )
            if j < 0:
                beyond[i] = best[own]
                continue
            nearest[i], length[i] = j, distance
            _offer(i, nearest, length, keys, own, best, source)
        for own in range(n):
            i = source[own]
            if i < 0:
                continue
            if join(parents, i, nearest[i]):
                links[done, 0], links[done, 1] = i, nearest[i]
                done += 1
        settle(parents)
        component[:] = parents


@njit(cache=True, nogil=True)
def _offer(
    i: int,
    nearest: NDArray[Any],
    length: NDArray[Any],
    keys: NDArray[Any],
    own: int,
    best: NDArray[Any],
    source: NDArray[Any],
) -> None:
    s = source[own]
    if s < 0 or _before(length[i], keys[i], keys[nearest[i]], length[s], keys[s], keys[nearest[s]]):
        best[own], source[own] = length[i], i


@njit(cache=True, nogil=True)
def prim(X: NDArray[Any], precomputed: bool, keys: NDArray[Any], links: NDArray[Any]) -> None:
    """Fill ``links`` (n-1, 2) with samples, one joined after the other; no distance is kept.

    X holds points, or a symmetric matrix of distances.
    """
    n = len(X)
    left = np.arange(1, n)
    length, source = np.full(n, np.inf), np.zeros(n, np.int64)
    newest = 0
    for done in range(n - 1):
        chosen = -1
        for place in range(n - 1 - done):
            i = left[place]
            distance = rounded(X[newest, i]) if precomputed else square_distance(X, newest, i)
            if _before(distance, keys[newest], keys[i], length[i], keys[source[i]], keys[i]):
                length[i], source[i] = distance, newest
            if chosen < 0 or _earlier(i, left[chosen], length, source, keys):
                chosen = place
        newest = left[chosen]
        links[done, 0], links[done, 1] = source[newest], newest
        left[chosen] = left[n - 2 - done]


@njit(cache=True, nogil=True, inline="always")
def _earlier(i: int, j: int, length: NDArray[Any], source: NDArray[Any], keys: NDArray[Any]) -> bool:
    result: bool = _before(length[i], keys[source[i]], keys[i], length[j], keys[source[j]], keys[j])
    return result
