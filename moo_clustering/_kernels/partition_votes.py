"""Loops over the links of a similarity graph: neighbours' votes, sums of links between clusters.

The graph is in compressed rows (``starts``, ``neighbors``, ``weights``), the labels are 0..k-1.
"""

from __future__ import annotations

from numba import njit


@njit(cache=True, nogil=True)
def vote_once(starts, neighbors, weights, inertia, labels, tally, out):  # type: ignore[no-untyped-def]
    """out[i] = the cluster of greatest linked weight around i, plus ``inertia[i]`` for its own.

    On ties the own cluster, otherwise that of the neighbour listed first, so that the numbers of the
    clusters do not matter. ``tally`` is room for one entry per cluster, zeros before and after.
    """
    for i in range(labels.shape[0]):
        own = labels[i]
        tally[own] += inertia[i]
        for e in range(starts[i], starts[i + 1]):
            tally[labels[neighbors[e]]] += weights[e]
        best = own
        most = tally[own]
        for e in range(starts[i], starts[i + 1]):
            c = labels[neighbors[e]]
            if tally[c] > most:
                best = c
                most = tally[c]
        out[i] = best
        tally[own] = 0.0
        for e in range(starts[i], starts[i + 1]):
            tally[labels[neighbors[e]]] = 0.0


@njit(cache=True, nogil=True)
def join_neighbors(starts, neighbors, weights, labels, tally, max_rounds):  # type: ignore[no-untyped-def]
    """Give samples of label -1 the cluster of greatest linked weight, round by round, all at once.

    Those without a neighbour that has a cluster wait for the next round. Returns how many are left.
    """
    count = 0
    waiting = labels.copy()
    for i in range(labels.shape[0]):
        if labels[i] < 0:
            waiting[count] = i
            count += 1
    chosen = labels.copy()
    for _ in range(max_rounds):
        if count == 0:
            break
        for w in range(count):
            i = waiting[w]
            best = -1
            most = 0.0
            for e in range(starts[i], starts[i + 1]):
                c = labels[neighbors[e]]
                if c >= 0:
                    tally[c] += weights[e]
            for e in range(starts[i], starts[i + 1]):
                c = labels[neighbors[e]]
                if c >= 0 and tally[c] > most:
                    best = c
                    most = tally[c]
            for e in range(starts[i], starts[i + 1]):
                c = labels[neighbors[e]]
                if c >= 0:
                    tally[c] = 0.0
            chosen[w] = best
        left = 0
        for w in range(count):
            i = waiting[w]
            labels[i] = chosen[w]
            if chosen[w] < 0:
                waiting[left] = i
                left += 1
        if left == count:
            break
        count = left
    return count


@njit(cache=True, nogil=True)
def sum_links(starts, neighbors, weights, labels, links):  # type: ignore[no-untyped-def]
    """links[a, b] += weight of all links from samples of a to samples of b, within a as well."""
    for i in range(labels.shape[0]):
        own = labels[i]
        for e in range(starts[i], starts[i + 1]):
            links[own, labels[neighbors[e]]] += weights[e]
