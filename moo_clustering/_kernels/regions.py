"""Contiguous regions in a graph of areas: connected pieces, random trees, recombination, boundary moves.

``indptr`` and ``indices`` describe a symmetric graph without loops; ``labels`` contains each area's region.
"""

import math

import numpy as np

from moo_clustering._kernels.caching import njit


@njit(cache=True, nogil=True)
def number_pieces(labels, indptr, indices, piece):
    """Number the connected pieces of areas with equal labels, and return the number of pieces."""
    n = labels.shape[0]
    stack = np.empty(n, dtype=np.int64)
    piece[:] = -1
    found = 0
    for first in range(n):
        if piece[first] >= 0:
            continue
        piece[first] = found
        stack[0] = first
        top = 1
        while top:
            top -= 1
            area = stack[top]
            for e in range(indptr[area], indptr[area + 1]):
                other = indices[e]
                if piece[other] < 0 and labels[other] == labels[area]:
                    piece[other] = found
                    stack[top] = other
                    top += 1
        found += 1
    return found


@njit(cache=True, nogil=True)
def stays_connected(labels, area, indptr, indices, stamp, mark, queue):
    """Return whether the region of ``area`` remains non-empty and connected without this area."""
    # ``stamp`` and ``queue`` are scratch space. Every call must use a new positive number as ``mark``.
    own = labels[area]
    wanted, first = 0, -1
    goal, seen = 2 * mark, 2 * mark + 1
    for e in range(indptr[area], indptr[area + 1]):
        other = indices[e]
        if labels[other] == own:
            wanted += 1
            first = other
            stamp[other] = goal
    if wanted <= 1:
        return wanted == 1
    stamp[area] = seen
    stamp[first] = seen
    queue[0] = first
    done, end, reached = 0, 1, 1
    while done < end:
        here = queue[done]
        done += 1
        for e in range(indptr[here], indptr[here + 1]):
            other = indices[e]
            if labels[other] == own and stamp[other] != seen:
                if stamp[other] == goal:
                    reached += 1
                    if reached == wanted:
                        return True
                stamp[other] = seen
                queue[end] = other
                end += 1
    return False


@njit(cache=True, nogil=True)
def climb_boundaries(
    labels, indptr, indices, weight, X, low, high, rates, before, shapes, borders, heat, n_proposals, rng
):
    """Lower a weighted sum of objectives by moving areas across boundaries. Return the number of moves."""
    # ``rates`` contains the weights of five objectives: the sum of squares, the number of cut edges, the
    # variation of loads, the fraction of areas whose region differs from ``before``, and the mean
    # compactness, which is maximised. ``shapes`` contains each area's size and perimeter, and ``borders``
    # each edge's border length. Loads stay within low..high, and regions stay connected. A worsening is
    # accepted with a probability that depends on the temperature, as in simulated annealing. The temperature
    # falls from ``heat`` times the mean worsening of a proposal to 1% of this value.
    n, d = X.shape
    p = labels.max() + 1
    count, load, sums = np.zeros(p), np.zeros(p), np.zeros((p, d))
    size, edge = np.zeros(p), np.zeros(p)
    with_shape = rates[4] != 0.0
    total = 0.0
    for i in range(n):
        r = labels[i]
        count[r] += 1.0
        load[r] += weight[i]
        total += weight[i]
        for f in range(d):
            sums[r, f] += X[i, f]
        if with_shape:
            size[r] += shapes[i, 0]
            edge[r] += shapes[i, 1]
            for e in range(indptr[i], indptr[i + 1]):
                if labels[indices[e]] == r:
                    edge[r] -= borders[e]
    mean = total / p
    if mean <= 0.0:
        mean = 1.0
    spread, means = 0.0, np.zeros((p, d))
    for r in range(p):
        spread += (load[r] / mean - 1.0) ** 2
        for f in range(d):
            means[r, f] = sums[r, f] / max(count[r], 1.0)
    variation = math.sqrt(max(0.0, spread) / p)
    stamp, queue, mark = np.zeros(n, dtype=np.int64), np.empty(n, dtype=np.int64), 0
    worsening, n_worse, temperature, n_moves = 0.0, 0, 0.0, 0
    for t in range(n_proposals):
        if heat > 0.0 and t % 256 == 0:
            temperature = worsening / max(1, n_worse) * heat * 0.01 ** (t / n_proposals)
        i = int(rng.random() * n)
        start = indptr[i]
        degree = indptr[i + 1] - start
        if degree == 0:
            continue
        a, b = labels[i], labels[indices[start + int(rng.random() * degree)]]
        if a == b or count[a] < 2.0 or load[a] - weight[i] < low or load[b] + weight[i] > high:
            continue
        change = 0.0
        if rates[0] != 0.0:
            leave, enter = 0.0, 0.0
            for f in range(d):
                leave += (X[i, f] - means[a, f]) ** 2
                enter += (X[i, f] - means[b, f]) ** 2
            enter *= count[b] / (count[b] + 1.0)
            change += rates[0] * (enter - leave * count[a] / (count[a] - 1.0))
        cut, with_a, with_b = 0, 0.0, 0.0
        for e in range(start, start + degree):
            r = labels[indices[e]]
            cut += int(r == a) - int(r == b)
            if with_shape:
                with_a += borders[e] * (r == a)
                with_b += borders[e] * (r == b)
        change += rates[1] * cut
        moved = 2.0 * (weight[i] / mean) * ((load[b] - load[a] + weight[i]) / mean)
        if rates[2] != 0.0:
            change += rates[2] * (math.sqrt(max(0.0, spread + moved) / p) - variation)
        if rates[3] != 0.0:
            change += rates[3] * (int(before[i] == a) - int(before[i] == b)) / n
        edge_a, edge_b = edge[a] - shapes[i, 1] + 2.0 * with_a, edge[b] + shapes[i, 1] - 2.0 * with_b
        if with_shape:
            gain = _roundness(size[a] - shapes[i, 0], edge_a) + _roundness(size[b] + shapes[i, 0], edge_b)
            gain -= _roundness(size[a], edge[a]) + _roundness(size[b], edge[b])
            change -= rates[4] * gain / p
        if change > 0.0:
            if n_worse < 2000:
                worsening += change
                n_worse += 1
            if temperature <= 0.0 or rng.random() >= math.exp(-change / temperature):
                continue
        mark += 1
        if not stays_connected(labels, i, indptr, indices, stamp, mark, queue):
            continue
        labels[i] = b
        n_moves += 1
        spread += moved
        variation = math.sqrt(max(0.0, spread) / p)
        count[a] -= 1.0
        count[b] += 1.0
        load[a] -= weight[i]
        load[b] += weight[i]
        for f in range(d):
            sums[a, f] -= X[i, f]
            sums[b, f] += X[i, f]
            means[a, f], means[b, f] = sums[a, f] / count[a], sums[b, f] / count[b]
        size[a] -= shapes[i, 0]
        size[b] += shapes[i, 0]
        edge[a], edge[b] = edge_a, edge_b
    return n_moves


@njit(cache=True, nogil=True)
def _roundness(size, edge):
    """Return the Polsby-Popper score, the ratio of a region's area to that of a disc with its perimeter."""
    return 4.0 * math.pi * (size / edge) / edge if edge > 0.0 else 0.0


@njit(cache=True, nogil=True)
def _scratch(n, m):
    parent, order, key = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64), np.empty(n)
    return parent, order, key, np.empty(m + n, dtype=np.int64), np.empty(m + n)


@njit(cache=True, nogil=True)
def random_tree(nodes, member, tag, indptr, indices, bias, scratch, rng):
    """Grow a random spanning tree of the areas with ``member == tag`` by Prim's algorithm."""
    # The length of an edge is a random number plus the edge's ``bias``. The function fills the first two
    # arrays of ``scratch``, and returns the number of areas reached. The first array contains each area's
    # parent, or -1 for the root. The second array contains the areas in an order in which parents precede
    # children. ``areas`` and ``keys`` form a heap with room for every edge.
    parent, order, key, areas, keys = scratch
    root = nodes[int(rng.random() * len(nodes))]
    for node in nodes:
        key[node] = math.inf
    key[root], parent[root] = 0.0, -1
    keys[0], areas[0] = 0.0, root
    size, reached = 1, 0
    while size:
        least, here = keys[0], areas[0]
        size -= 1
        last, last_area = keys[size], areas[size]
        place = 0
        while True:
            child = 2 * place + 1
            if child >= size:
                break
            if child + 1 < size and keys[child + 1] < keys[child]:
                child += 1
            if keys[child] >= last:
                break
            keys[place], areas[place] = keys[child], areas[child]
            place = child
        keys[place], areas[place] = last, last_area
        if key[here] < 0.0 or least > key[here]:
            continue
        key[here] = -1.0
        order[reached] = here
        reached += 1
        for e in range(indptr[here], indptr[here + 1]):
            other = indices[e]
            if member[other] != tag or key[other] < 0.0:
                continue
            length = rng.random() + bias[e]
            if length < key[other]:
                key[other] = length
                parent[other] = here
                place = size
                size += 1
                while place and keys[(place - 1) // 2] > length:
                    keys[place], areas[place] = keys[(place - 1) // 2], areas[(place - 1) // 2]
                    place = (place - 1) // 2
                keys[place], areas[place] = length, other
    return reached


@njit(cache=True, nogil=True)
def _add_loads(order, reached, parent, weight, load):
    """Set each area's ``load`` to the total weight of its subtree."""
    for q in range(reached):
        load[order[q]] = weight[order[q]]
    for q in range(reached - 1, 0, -1):
        load[parent[order[q]]] += load[order[q]]


@njit(cache=True, nogil=True)
def grow_regions(labels, nodes, first, n_regions, indptr, indices, weight, low, high, bias, n_trees, rng):
    """Divide a connected set of areas into regions, numbered from ``first``, by cutting random trees."""
    # Edges with a large ``bias`` are more likely to be cut. Each cut tries up to ``n_trees`` trees. The
    # function returns whether all loads are within low..high. If it returns False, the set is only partly
    # divided.
    n = len(weight)
    scratch = _scratch(n, len(indices))
    parent, order = scratch[:2]
    load, count, ones = np.empty(n), np.empty(n, dtype=np.int64), np.ones(n, dtype=np.int64)
    member = np.full(n, -1, dtype=np.int64)
    # The sets to bisect form a stack of each set's first region and number of regions.
    starts, shares = np.empty(n_regions, dtype=np.int64), np.empty(n_regions, dtype=np.int64)
    starts[0], shares[0] = first, n_regions
    for node in nodes:
        member[node] = first
        labels[node] = first
    waiting = 1
    while waiting:
        waiting -= 1
        tag, k = starts[waiting], shares[waiting]
        inside = np.array([node for node in nodes if member[node] == tag])
        whole = weight[inside].sum()
        if k == 1:
            if whole < low or whole > high:
                return False
            continue
        target = whole / k
        best, score, k_below = -1, -1.0, 0
        for _ in range(n_trees):
            reached = random_tree(inside, member, tag, indptr, indices, bias, scratch, rng)
            _add_loads(order, reached, parent, weight, load)
            _add_loads(order, reached, parent, ones, count)
            for q in range(1, reached):
                u = order[q]
                below = load[u]
                share = int(below / target + 0.5) if target > 0.0 else k // 2
                # Each side must contain at least one area per region.
                share = min(max(share, 1, k - (reached - count[u])), k - 1, count[u])
                if not (share * low <= below <= share * high):
                    continue
                if not ((k - share) * low <= whole - below <= (k - share) * high):
                    continue
                cut = 0.0
                for e in range(indptr[u], indptr[u + 1]):
                    if indices[e] == parent[u]:
                        cut = bias[e]
                # Both sides should have similar numbers of regions, for speed, and even loads, which ease
                # later cuts.
                miss = abs(below - share * target) / (min(share, k - share) * target) if target > 0.0 else 0.0
                value = cut + rng.random() + 2.0 * min(share, k - share) / k + 1.0 - min(1.0, 4.0 * miss)
                if value > score:
                    best, score, k_below = u, value, share
            if best >= 0:
                break
        if best < 0:
            return False
        split = tag + k - k_below
        for q in range(1, reached):
            u = order[q]
            labels[u] = member[u] = split if u == best else member[parent[u]]
        starts[waiting], shares[waiting] = tag, k - k_below
        starts[waiting + 1], shares[waiting + 1] = split, k_below
        waiting += 2
    return True


@njit(cache=True, nogil=True)
def recombine_regions(labels, indptr, indices, weight, low, high, n_times, mend, rng):
    """Merge random pairs of neighbouring regions, and divide each pair again by a random tree (ReCom)."""
    # This is repeated ``n_times``. Up to six trees are tried for a cut after which both loads are within
    # low..high. With ``mend``, most pairs include a region whose load is outside these bounds, trees are cut
    # into the most even parts, and the function stops when all loads are within the bounds. It returns the
    # number of regions whose load is outside the bounds.
    n = len(weight)
    scratch = _scratch(n, len(indices))
    parent, order = scratch[:2]
    load, bias, member = np.empty(n), np.zeros(len(indices)), np.zeros(n, dtype=np.int64)
    loads = np.zeros(labels.max() + 1)
    for i in range(n):
        loads[labels[i]] += weight[i]
    for t in range(1, n_times + 1):
        outside = ((loads < low) | (loads > high)).sum()
        if mend and outside == 0:
            return 0
        a = b = -1
        for _ in range(50 * n):
            i = int(rng.random() * n)
            degree = indptr[i + 1] - indptr[i]
            if degree == 0 or (mend and low <= loads[labels[i]] <= high and rng.random() < 0.9):
                continue
            a, b = labels[i], labels[indices[indptr[i] + int(rng.random() * degree)]]
            if a != b:
                break
        if a == b:
            return outside
        nodes = np.flatnonzero((labels == a) | (labels == b))
        member[nodes] = t
        both = loads[a] + loads[b]
        before = (loads[a] - loads[b]) ** 2
        for _ in range(6):
            reached = random_tree(nodes, member, t, indptr, indices, bias, scratch, rng)
            _add_loads(order, reached, parent, weight, load)
            chosen, n_fitting, least = -1, 0, math.inf
            for q in range(1, reached):
                below = load[order[q]]
                if mend:
                    uneven = (2.0 * below - both) ** 2
                    if uneven < least:
                        chosen, least = order[q], uneven
                elif low <= below <= high and low <= both - below <= high:
                    n_fitting += 1
                    if rng.random() * n_fitting < 1.0:
                        chosen = order[q]
            if chosen >= 0 and (not mend or least <= before or outside == 0):
                labels[order[0]] = b
                for q in range(1, reached):
                    u = order[q]
                    labels[u] = a if u == chosen else labels[parent[u]]
                loads[a], loads[b] = load[chosen], both - load[chosen]
                break
    return ((loads < low) | (loads > high)).sum()


@njit(cache=True, nogil=True)
def split_above(labels, nodes, first, indptr, indices, weight, floor, rng):
    """Cut a random tree into as many regions as possible whose loads are at least ``floor``."""
    # The function returns the number of regions, which are numbered from ``first``. Each subtree is cut off
    # as soon as its load reaches ``floor``, because this yields the most regions. The remainder at the root
    # joins an adjacent region.
    n = len(weight)
    scratch = _scratch(n, len(indices))
    parent, order = scratch[:2]
    load, bias, member = np.empty(n), np.zeros(len(indices)), np.zeros(n, dtype=np.int64)
    member[nodes] = 1
    reached = random_tree(nodes, member, 1, indptr, indices, bias, scratch, rng)
    for q in range(reached):
        load[order[q]] = weight[order[q]]
        labels[order[q]] = -1
    found, last = 0, -1
    for q in range(reached - 1, -1, -1):
        u = order[q]
        if load[u] >= floor:
            labels[u] = first + found
            found += 1
            last = u
        elif q:
            load[parent[u]] += load[u]
    root = order[0]
    if labels[root] < 0:
        # If no region contains the root, the remaining areas join the region that was cut off last.
        labels[root] = labels[last] if last >= 0 else first
        found = max(found, 1)
    for q in range(1, reached):
        u = order[q]
        if labels[u] < 0:
            labels[u] = labels[parent[u]]
    return found


@njit(cache=True, nogil=True)
def reattach_areas(labels, n_regions, indptr, indices, weight):
    """Assign each area labelled -1 to the adjacent region with the lowest load, if there is one."""
    n = labels.shape[0]
    load = np.zeros(n_regions)
    for i in range(n):
        if labels[i] >= 0:
            load[labels[i]] += weight[i]
    placed = True
    while placed:
        placed = False
        for i in range(n):
            if labels[i] >= 0:
                continue
            best = -1
            for e in range(indptr[i], indptr[i + 1]):
                r = labels[indices[e]]
                if r >= 0 and (best < 0 or load[r] < load[best]):
                    best = r
            if best >= 0:
                labels[i] = best
                load[best] += weight[i]
                placed = True
