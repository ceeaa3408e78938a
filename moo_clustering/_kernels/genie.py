"""Merging along a tree, with small clusters first while sizes are uneven.

The unused links form a list in the order of their lengths, the sizes that occur form one in theirs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from moo_clustering._kernels.union_find import join, root


@njit(cache=True, nogil=True)
def _gini(count: NDArray[Any], larger: NDArray[Any], least: int, n_clusters: int, n: int) -> float:
    """Gini index of the sizes: sum of (2t - q - 1) s_t over the sizes in order, by (q - 1) n."""
    if n_clusters == 1:
        return 0.0
    total, before, size = 0, 0, least
    while size <= n:
        c = count[size]
        # The places t = before + 1, ..., before + c of one size at once.
        total += size * c * (2 * before + c - n_clusters)
        before += c
        size = larger[size]
    return total / ((n_clusters - 1) * n)


@njit(cache=True, nogil=True)
def _add_size(size: int, below: int, count: NDArray[Any], larger: NDArray[Any]) -> None:
    """Count a cluster of a size above ``below``, which is in the list."""
    count[size] += 1
    if count[size] == 1:
        while larger[below] < size:
            below = larger[below]
        larger[size] = larger[below]
        larger[below] = size


@njit(cache=True, nogil=True)
def _drop_empty(count: NDArray[Any], larger: NDArray[Any], upto: int) -> None:
    """Take sizes up to ``upto`` that no cluster has out of the list; it starts at 0."""
    size = 0
    while larger[size] <= upto:
        if count[larger[size]]:
            size = larger[size]
        else:
            larger[size] = larger[larger[size]]


@njit(cache=True, nogil=True)
def genie_order(links: NDArray[Any], threshold: float, order: NDArray[Any]) -> bool:
    """Positions of ``links`` (n-1, 2), which are sorted by length, in the order of merging.

    False if the links are no tree. The least size never falls, and a cluster above it never comes down
    to it: links that were passed over need not be looked at again before the least size rises, and a
    link that has been used since is passed over as one of a larger cluster. As every rise leaves at most
    n / size clusters, all looks together are O(n log n).
    """
    n = len(links) + 1
    parents, sizes = np.arange(n), np.ones(n, np.int64)
    count, larger = np.zeros(n + 1, np.int64), np.full(n + 1, n + 1)
    count[1], larger[0] = n, 1
    # Entry e + 1 stands for link e, entry 0 for the head of the list.
    following, preceding = np.arange(1, n + 1), np.arange(-1, n - 1)
    place, least = 1, 1
    for done in range(n - 1):
        if larger[0] > least:
            least, place = larger[0], following[0]
        if _gini(count, larger, least, n - done, n) <= threshold:
            chosen = following[0]
        else:
            while place < n:
                a, b = root(parents, links[place - 1, 0]), root(parents, links[place - 1, 1])
                if min(sizes[a], sizes[b]) == least:
                    break
                place = following[place]
            chosen = place
        if chosen >= n:
            return False
        after = following[chosen]
        following[preceding[chosen]] = after
        if after < n:
            preceding[after] = preceding[chosen]
        order[done] = chosen - 1
        a, b = root(parents, links[chosen - 1, 0]), root(parents, links[chosen - 1, 1])
        if not join(parents, a, b):
            return False
        high = max(sizes[a], sizes[b])
        count[sizes[a]] -= 1
        count[sizes[b]] -= 1
        sizes[min(a, b)] = sizes[a] + sizes[b]
        _add_size(sizes[min(a, b)], high, count, larger)
        _drop_empty(count, larger, high)
    return True


@njit(cache=True, nogil=True)
def cut_labels(links: NDArray[Any], order: NDArray[Any], n_merges: NDArray[Any], out: NDArray[Any]) -> None:
    """out[q] = clusters after the first n_merges[q] merges, which do not decrease; by first appearance."""
    n = out.shape[1]
    parents = np.arange(n)
    done = 0
    for q in range(len(n_merges)):
        while done < n_merges[q]:
            join(parents, links[order[done], 0], links[order[done], 1])
            done += 1
        n_clusters = 0
        for i in range(n):
            r = root(parents, i)
            # The root is the least member, so it has been numbered before the others.
            if r == i:
                out[q, i] = n_clusters
                n_clusters += 1
            else:
                out[q, i] = out[q, r]
