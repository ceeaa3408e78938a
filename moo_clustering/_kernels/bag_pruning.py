"""Which instances of a bag can be the farthest from some mean of bag means.

``values[t, b]`` is the squared distance of instance t from the mean of bag b, up to a term of b alone;
both arrays of one bag, float64 and C-contiguous.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def keep_farthest(values, rows, order, margin, n_largest, kept):  # type: ignore[no-untyped-def]
    """kept[t] = no other instance is farther by ``margin`` wherever that counts, nor equal and before t.

    ``order`` must put instances of large sums of values first: only those can be farther everywhere,
    and what a dropped instance would make others drop, the one that made it drop does as well.
    """
    n_bags = values.shape[1]
    front = np.empty(order.shape[0], dtype=np.int64)
    size = 0
    gains = np.empty(n_bags)
    bags = np.arange(n_bags)
    for t in order:
        kept[t] = True
        for place in range(size):
            other = front[place]
            if _equal(rows[t], rows[other]):
                kept[max(t, other)] = False
                front[place] = min(t, other)
                break
            if _is_beaten(values[t], values[other], margin, n_largest, gains, bags):
                kept[t] = False
                break
        else:
            front[size] = t
            size += 1


@njit(cache=True, nogil=True)
def _equal(a, b):  # type: ignore[no-untyped-def]
    for k in range(a.shape[0]):  # noqa: SIM110 (numba has no all())
        if a[k] != b[k]:
            return False
    return True


@njit(cache=True, nogil=True)
def _is_beaten(mine, others, margin, n_largest, gains, bags):  # type: ignore[no-untyped-def]
    """Whether the mean of the ``n_largest`` greatest of mine - others is at most -margin.

    The bags that decided the last comparison come first in ``bags``: they mostly decide the next.
    """
    n_bags = mine.shape[0]
    total = 0.0
    for k in range(n_largest):
        total += mine[bags[k]] - others[bags[k]]
    if total > -margin * n_largest:
        return False
    if n_largest == 1:
        for b in range(n_bags):
            if mine[b] - others[b] > -margin:
                bags[0] = b
                return False
        return True
    for k in range(n_bags):
        gains[k] = mine[bags[k]] - others[bags[k]]
    _largest_first(gains, bags, n_largest)
    total = 0.0
    for k in range(n_largest):
        total += gains[k]
    return total <= -margin * n_largest


@njit(cache=True, nogil=True)
def _largest_first(gains, bags, count):  # type: ignore[no-untyped-def]
    """Rearrange so that the ``count`` greatest gains, and their bags, come first (quickselect)."""
    low, high = 0, gains.shape[0] - 1
    while low < high:
        pivot = gains[(low + high) // 2]
        left, right = low, high
        while left <= right:
            while gains[left] > pivot:
                left += 1
            while gains[right] < pivot:
                right -= 1
            if left <= right:
                gains[left], gains[right] = gains[right], gains[left]
                bags[left], bags[right] = bags[right], bags[left]
                left += 1
                right -= 1
        # Everything up to right is at least the pivot, everything from left on at most.
        if count - 1 <= right:
            high = right
        elif count - 1 >= left:
            low = left
        else:
            return
