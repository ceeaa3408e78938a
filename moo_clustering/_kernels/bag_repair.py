"""Bag partitions made to respect groups, conflicts between groups, and a least cluster size.

``distances[b, k]`` is the distance of bag b to centroid k, inf for an empty cluster.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def fill_empty(labels, distances, farthest):  # type: ignore[no-untyped-def]
    """Give every empty cluster, in order, the bag farthest from (or nearest to) its own centroid.

    Bags come from clusters of at least two, the lowest number among equals, none is moved twice.
    """
    n_bags, n_clusters = distances.shape
    counts = np.zeros(n_clusters, np.int64)
    moved = np.zeros(n_bags, np.bool_)
    for b in range(n_bags):
        counts[labels[b]] += 1
    for k in range(n_clusters):
        if counts[k] > 0:
            continue
        chosen, best = -1, 0.0
        for b in range(n_bags):
            if moved[b] or counts[labels[b]] < 2:
                continue
            distance = distances[b, labels[b]] if farthest else -distances[b, labels[b]]
            if chosen < 0 or distance > best:
                chosen, best = b, distance
        if chosen >= 0:
            counts[labels[chosen]] -= 1
            labels[chosen] = k
            counts[k] = 1
            moved[chosen] = True


@njit(cache=True, nogil=True)
def place_groups(labels, distances, members, group_start, conflict_start, conflicts):  # type: ignore[no-untyped-def]
    """Put every group as a whole into one cluster, and groups in conflict into different ones.

    A group that is together, and not with a group in conflict placed before it, stays. Others go to the
    allowed cluster of the least sum of distances; where no cluster is allowed, to the least sum of all.
    """
    n_clusters = distances.shape[1]
    n_groups = group_start.shape[0] - 1
    placed = np.full(n_groups, -1, np.int64)
    allowed = np.empty(n_clusters, np.bool_)
    for g in range(n_groups):
        first, last = group_start[g], group_start[g + 1]
        allowed[:] = True
        for p in range(conflict_start[g], conflict_start[g + 1]):
            if placed[conflicts[p]] >= 0:
                allowed[placed[conflicts[p]]] = False
        home = labels[members[first]]
        together = True
        for m in range(first + 1, last):
            together = together and labels[members[m]] == home
        if not (together and allowed[home]):
            home = _cheapest(distances, members[first:last], allowed, home)
            for m in range(first, last):
                labels[members[m]] = home
        placed[g] = home


@njit(cache=True, nogil=True)
def _cheapest(distances, members, allowed, default):  # type: ignore[no-untyped-def]
    """Allowed cluster of the least sum of distances, an empty one if there is no other."""
    best, least, spare = -1, np.inf, -1
    any_allowed = allowed.any()
    for k in range(distances.shape[1]):
        if any_allowed and not allowed[k]:
            continue
        cost = 0.0
        for m in range(members.shape[0]):
            cost += distances[members[m], k]
        if cost < least:
            best, least = k, cost
        if spare < 0:
            spare = k
    if best >= 0:
        return best
    return spare if spare >= 0 else default


@njit(cache=True, nogil=True)
def fill_small(labels, distances, least, movable):  # type: ignore[no-untyped-def]
    """Give every cluster of fewer than ``least`` bags those that lose least by it, in order.

    Bags come from clusters of more than ``least``. For a cluster without centroid it is the bag
    farthest from its own.
    """
    n_bags, n_clusters = distances.shape
    counts = np.zeros(n_clusters, np.int64)
    for b in range(n_bags):
        counts[labels[b]] += 1
    for k in range(n_clusters):
        while counts[k] < least:
            chosen, best = -1, np.inf
            for b in range(n_bags):
                own = labels[b]
                if own == k or not movable[b] or counts[own] <= least:
                    continue
                loss = -distances[b, own]
                if np.isfinite(distances[b, k]):
                    loss += distances[b, k]
                if not np.isfinite(loss):
                    loss = 1e300
                if loss < best:
                    chosen, best = b, loss
            if chosen < 0:
                break
            counts[labels[chosen]] -= 1
            labels[chosen] = k
            counts[k] += 1


@njit(cache=True, nogil=True)
def settle_pairs(labels, costs, pair_start, pair_bag, pair_weight, violation, penalty):  # type: ignore[no-untyped-def]
    """Move single bags while that lowers (sum of costs) (1 + penalty violation).

    ``costs[b, k]`` is what bag b costs in cluster k; ``violation`` is that of ``labels``, and
    ``pair_weight`` what a pair adds to it when both bags share a cluster.
    """
    n_bags, n_clusters = costs.shape
    total = 0.0
    for b in range(n_bags):
        total += costs[b, labels[b]]
    shared = np.empty(n_clusters)
    changed = True
    while changed:
        changed = False
        for b in range(n_bags):
            if pair_start[b] == pair_start[b + 1]:
                continue
            shared[:] = 0.0
            for p in range(pair_start[b], pair_start[b + 1]):
                shared[labels[pair_bag[p]]] += pair_weight[p]
            home = labels[b]
            best, least = home, total * (1.0 + penalty * violation) * (1.0 - 1e-12)
            for k in range(n_clusters):
                value = (total - costs[b, home] + costs[b, k]) * (
                    1.0 + penalty * (violation + shared[k] - shared[home])
                )
                if k != home and value < least:
                    best, least = k, value
            if best != home:
                total += costs[b, best] - costs[b, home]
                violation += shared[best] - shared[home]
                labels[b] = best
                changed = True
