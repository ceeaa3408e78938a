"""Minimum-cost assignment of samples to clusters, with bounds on the cluster sizes."""

import numpy as np

from moo_clustering._kernels.caching import njit

# All lists of moves together contain at most ``_ITEMS`` entries of 16 bytes each. A refilled list contains at
# most ``_LONGEST`` entries.
_ITEMS, _LONGEST = 1 << 22, 48


@njit(cache=True, nogil=True)
def _insert(values, samples, n_held, most, value, sample):
    """Insert a sample into a list sorted by decreasing cost. A full list drops its costliest sample."""
    if n_held == most:
        if n_held == 0 or value >= values[0]:
            return n_held
        q = 0
        while q + 1 < n_held and values[q + 1] > value:
            values[q], samples[q] = values[q + 1], samples[q + 1]
            q += 1
        values[q], samples[q] = value, sample
        return n_held
    q = n_held
    while q > 0 and values[q - 1] < value:
        values[q], samples[q] = values[q - 1], samples[q - 1]
        q -= 1
    values[q], samples[q] = value, sample
    return n_held + 1


@njit(cache=True, nogil=True, inline="always")
def _push(i, c, first, after, before):
    after[i], before[i] = first[c], -1
    if first[c] >= 0:
        before[first[c]] = i
    first[c] = i


@njit(cache=True, nogil=True, inline="always")
def _remove(i, c, first, after, before):
    if before[i] >= 0:
        after[before[i]] = after[i]
    else:
        first[c] = after[i]
    if after[i] >= 0:
        before[after[i]] = before[i]


@njit(cache=True, nogil=True)
def _nearest(cost, prices, labels, sizes, first, after, before):
    """Assign each sample to the cluster with the lowest sum of cost and price."""
    n, k = cost.shape
    for i in range(n - 1, -1, -1):
        best = 0
        for c in range(1, k):
            if cost[i, c] + prices[c] < cost[i, best] + prices[best]:
                best = c
        labels[i] = best
        sizes[best] += 1
        _push(i, best, first, after, before)


@njit(cache=True, nogil=True)
def assign_within(cost, low, high, prices, labels):
    """Assign at least ``low`` and at most ``high`` samples to each cluster at minimum total cost."""
    # The function returns the number of augmenting paths. ``low`` must sum to at most the number of samples,
    # and ``high`` to at least this number. The algorithm finds successive shortest paths in a graph that has
    # one node per cluster and a slack node. Through the slack node, the sizes can vary within their bounds.
    # An arc from cluster a to cluster b moves the sample i of a for which cost[i, b] - cost[i, a] is lowest.
    # ``prices`` contains the dual values of the clusters, and is updated. The slack node has price 0. Few
    # paths are needed if ``prices`` starts with the dual values of a similar problem. For each pair of
    # clusters, a sorted list contains the cheapest moves. A list is refilled when it is empty. With lists of
    # length m, the run time is O(n k + n_paths (k^2 + n / m)). The code that refills a list is not a
    # function, because passing the lists to a function would double the run time.
    n, k = cost.shape
    length = max(1, min(_LONGEST, _ITEMS // (2 * k * k)))
    values, samples = np.empty((k, k, 2 * length)), np.empty((k, k, 2 * length), np.int64)
    held = np.zeros((k, k), np.int64)
    first, after, before = np.full(k, -1), np.empty(n, np.int64), np.empty(n, np.int64)
    sizes, flow = np.zeros(k, np.int64), np.empty(k, np.int64)
    _nearest(cost, prices, labels, sizes, first, after, before)
    # ``flow`` is the target size of each cluster, which depends on the sign of the cluster's price.
    slack = n
    for c in range(k):
        if prices[c] > 0.0:
            flow[c] = high[c]
        elif prices[c] < 0.0:
            flow[c] = low[c]
        else:
            flow[c] = min(max(sizes[c], low[c]), high[c])
        slack -= flow[c]
    length_of, previous, done = np.empty(k + 1), np.empty(k + 1, np.int64), np.empty(k + 1, np.bool_)
    n_paths = 0
    while True:
        source = k
        for c in range(k):
            if sizes[c] > flow[c]:
                source = c
                break
        if source == k and slack >= 0:
            return n_paths
        length_of[:] = np.inf
        done[:] = False
        length_of[source] = 0.0
        target = source
        while True:
            u = -1
            for c in range(k + 1):
                if not done[c] and (u < 0 or length_of[c] < length_of[u]):
                    u = c
            done[u] = True
            if u != source and (slack > 0 if u == k else sizes[u] < flow[u]):
                target = u
                break
            for b in range(k):
                if done[b] or b == u:
                    continue
                if u == k:
                    if flow[b] == low[b]:
                        continue
                    step = prices[b]
                else:
                    h = held[u, b]
                    while h > 0 and labels[samples[u, b, h - 1]] != u:
                        h -= 1
                    if h == 0:
                        i = first[u]
                        while i >= 0:
                            value = cost[i, b] - cost[i, u]
                            h = _insert(values[u, b], samples[u, b], h, length, value, i)
                            i = after[i]
                    held[u, b] = h
                    if h == 0:
                        continue
                    step = values[u, b, h - 1] + prices[b] - prices[u]
                # Rounding errors can make a reduced cost of 0 negative.
                there = length_of[u] + max(0.0, step)
                if there < length_of[b]:
                    length_of[b], previous[b] = there, u
            if u < k and not done[k] and flow[u] < high[u]:
                there = length_of[u] + max(0.0, -prices[u])
                if there < length_of[k]:
                    length_of[k], previous[k] = there, u
        reach = length_of[target]
        shift = min(length_of[k], reach)
        for c in range(k):
            prices[c] += shift - min(length_of[c], reach)
        slack += (source == k) - (target == k)
        b = target
        while b != source:
            a = previous[b]
            if a == k:
                flow[b] -= 1
            elif b == k:
                flow[a] += 1
            else:
                held[a, b] -= 1
                i = samples[a, b, held[a, b]]
                _remove(i, a, first, after, before)
                _push(i, b, first, after, before)
                sizes[a] -= 1
                sizes[b] += 1
                labels[i] = b
                for c in range(k):
                    # A sample that is costlier than the list's costliest entry is skipped, because the list
                    # may already omit cheaper samples.
                    h = held[b, c]
                    if c != b and h > 0:
                        value = cost[i, c] - cost[i, b]
                        if value < values[b, c, 0]:
                            held[b, c] = _insert(values[b, c], samples[b, c], h, 2 * length, value, i)
            b = a
        n_paths += 1
