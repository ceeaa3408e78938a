"""Trees over samples: KD-trees, minimum spanning trees, Genie's merge order and connected components.

Links of equal length are ordered by their samples' keys, so that spanning trees do not depend on the row
order. :func:`rounded` makes distances equal that differ only by rounding errors.
"""

import numpy as np

from moo_clustering._kernels.caching import njit
from moo_clustering._kernels.partitions import list_members

LEAF = 12
# Relative margin of distances to boxes, which exceeds rounding errors, so that no box with ties is skipped.
_MARGIN = 1e-11
_BLOCK = 128
# Number of leaf points compared at once, and number of nearby leaves that are searched first.
LANES = 16
_FIRST_LEAVES = 64


@njit(cache=True, nogil=True)
def ranks(pairs, P, keys, start, stop, low, high, cap, stack, lo, hi, out):
    """Find the rank, from 1 to ``cap``, of sample pairs[p, 1] among the neighbours of sample pairs[p, 0]."""
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


@njit(cache=True, nogil=True, inline="always")
def rounded(value):
    """Round monotonically to 41 significant bits (Veltkamp), so that rounding errors break no ties."""
    high = value * 4097.0
    return high - (high - value)


@njit(cache=True, nogil=True, inline="always")
def square_distance(P, i, j):
    """Return the squared distance between points i and j, which is bitwise equal to that between j and i."""
    total = 0.0
    for f in range(P.shape[1]):
        difference = P[i, f] - P[j, f]
        total += difference * difference
    return rounded(total)


@njit(cache=True, nogil=True)
def square_distances(X):
    # The inner loop is over pairs, because a vectorised sum of one pair would add its terms in another order.
    n, d = X.shape
    P = np.ascontiguousarray(X.T)
    out = np.zeros((n, n))
    for lo in range(0, n, _BLOCK):
        hi = min(n, lo + _BLOCK)
        for i in range(hi):
            row = out[i, lo:hi]
            for f in range(d):
                value, column = X[i, f], P[f, lo:hi]
                for j in range(hi - lo):
                    difference = column[j] - value
                    row[j] += difference * difference
    for i in range(n):
        for j in range(i):
            out[i, j] = out[j, i]
    return out


def node_count(n_points: int) -> int:
    count, size = 1, n_points
    while size > LEAF:
        size = (size + 1) // 2
        count = 2 * count + 1
    return count


@njit(cache=True, nogil=True)
def build(X, n_nodes):
    """Build a KD-tree, and return its order of points, each node's range in this order, and the boxes."""
    # Node i contains ``points[start[i]:stop[i]]``, and its box has the corners low[i] and high[i]. Its
    # children are the nodes 2 i + 1 and 2 i + 2.
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
def _select(points, X, f, lo, hi, middle):
    """Reorder points[lo:hi] so that no value of feature f before ``middle`` exceeds any later value."""
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


@njit(cache=True, nogil=True)
def nearest_by_blocks(blocks, start, low, high, places, groups, lo, hi, near, squares):
    """Find each query's nearest points in float32, and return the number of leaf searches."""
    # Leaf a of a KD-tree contains the points ``start[a]:start[a + 1]`` in a box from ``low[:, a]`` to
    # ``high[:, a]``. ``blocks[a]`` contains these points by feature, padded with inf. The queries are the
    # points at ascending ``places``. Each group of queries, ``groups[g]:groups[g + 1]``, lies in one leaf.
    # For groups lo..hi-1, the function writes ``near`` and ``squares``, each of shape (n, k). A query is one
    # of its own nearest points. Queries are compared with entire leaves, because these comparisons are
    # vectorised and faster than a tree traversal. Rounding is monotone, so skipped boxes contain no nearer
    # point.
    n_leaves, d, width = blocks.shape
    between, apart = np.empty(n_leaves, np.float32), np.empty(n_leaves, np.float32)
    values, to_box = np.empty((d, width), np.float32), np.empty(width, np.float32)
    total = np.empty(width, np.float32)
    looked_at = 0
    for g in range(lo, hi):
        first, n_queries = groups[g], groups[g + 1] - groups[g]
        home = np.searchsorted(start, places[first], side="right") - 1
        for q in range(n_queries):
            values[:, q] = blocks[home, :, places[first + q] - start[home]]
            squares[first + q] = np.inf
        _between_boxes(low, high, home, between, apart)
        # Nearby leaves are searched first, so that more leaves can be skipped.
        sequence = np.argpartition(apart, min(_FIRST_LEAVES, n_leaves - 1))
        sequence[:_FIRST_LEAVES] = sequence[:_FIRST_LEAVES][np.argsort(apart[sequence[:_FIRST_LEAVES]])]
        farthest = np.float32(np.inf)
        for a in sequence:
            if between[a] > farthest:
                continue
            _to_box(values, n_queries, low[:, a], high[:, a], to_box)
            size, looked = start[a + 1] - start[a], 0
            for q in range(n_queries):
                if to_box[q] <= squares[first + q, -1]:
                    row = first + q
                    _merge_leaf(blocks[a], size, start[a], values[:, q], total, near[row], squares[row])
                    looked += 1
            if looked:
                looked_at += looked
                farthest = squares[first : first + n_queries, -1].max()
    return looked_at


@njit(cache=True, nogil=True)
def _between_boxes(low, high, home, between, apart):
    """Compute the squared distances from box ``home`` to all boxes."""
    # ``apart`` receives 4 times the squared distances between the boxes' centres, and -1 for ``home`` itself.
    zero = np.float32(0.0)
    between[:], apart[:] = zero, zero
    for f in range(len(low)):
        least, most, row, top = low[f, home], high[f, home], low[f], high[f]
        for a in range(len(between)):
            gap = max(row[a] - most, least - top[a], zero)
            between[a] += gap * gap
            shift = row[a] + top[a] - (least + most)
            apart[a] += shift * shift
    apart[home] = -1.0


@njit(cache=True, nogil=True)
def _to_box(values, n_queries, low, high, out):
    zero = np.float32(0.0)
    out[:n_queries] = zero
    for f in range(len(values)):
        least, most, row = low[f], high[f], values[f]
        for q in range(n_queries):
            gap = max(least - row[q], row[q] - most, zero)
            out[q] += gap * gap


@njit(cache=True, nogil=True)
def _merge_leaf(block, size, offset, value, total, near, squares):
    """Insert the points of a leaf into a query's list, which is sorted by squared distance."""
    stop = (size + LANES - 1) // LANES * LANES
    total[:stop] = np.float32(0.0)
    for f in range(len(block)):
        x, row = value[f], block[f]
        for j in range(stop):
            difference = row[j] - x
            total[j] += difference * difference
    last = len(squares) - 1
    for lo in range(0, stop, LANES):
        n_nearer = 0
        for j in range(lo, lo + LANES):
            n_nearer += total[j] < squares[last]
        if not n_nearer:
            continue
        for j in range(lo, lo + LANES):
            if total[j] < squares[last]:
                place = last
                while place and squares[place - 1] > total[j]:
                    squares[place], near[place] = squares[place - 1], near[place - 1]
                    place -= 1
                squares[place], near[place] = total[j], offset + j


@njit(cache=True, nogil=True, inline="always")
def nearest_of_box(P, i, low, high, node):
    """Return a lower bound on the squared distance from point i to the nearest point of a box."""
    total = 0.0
    for f in range(P.shape[1]):
        value = P[i, f]
        beyond = max(low[node, f] - value, value - high[node, f], 0.0)
        total += beyond * beyond
    return total * (1.0 - _MARGIN)


@njit(cache=True, nogil=True, inline="always")
def farthest_of_box(P, i, low, high, node):
    """Return an upper bound on the squared distance from point i to the farthest corner of a box."""
    total = 0.0
    for f in range(P.shape[1]):
        value = P[i, f]
        beyond = max(value - low[node, f], high[node, f] - value)
        total += beyond * beyond
    return total * (1.0 + _MARGIN)


@njit(cache=True, nogil=True)
def _gini(count, larger, least, n_clusters, n):
    """Compute the Gini index of the cluster sizes."""
    # For q sizes in ascending order s_1, ..., s_q, the index is the sum of (2t - q - 1) s_t, divided by (q -
    # 1) n. For ``count`` and ``larger``, see :func:`genie_order`.
    if n_clusters == 1:
        return 0.0
    total, before, size = 0, 0, least
    while size <= n:
        c = count[size]
        # The c clusters of one size, whose ranks t are before + 1, ..., before + c, are added at once.
        total += size * c * (2 * before + c - n_clusters)
        before += c
        size = larger[size]
    return total / ((n_clusters - 1) * n)


@njit(cache=True, nogil=True)
def _add_size(size, below, count, larger):
    """Count a new cluster, and insert its size into the list, searching from the smaller size ``below``."""
    count[size] += 1
    if count[size] == 1:
        while larger[below] < size:
            below = larger[below]
        larger[size] = larger[below]
        larger[below] = size


@njit(cache=True, nogil=True)
def _drop_empty(count, larger, upto):
    """Remove sizes up to ``upto`` that have no clusters from the linked list of sizes, which starts at 0."""
    size = 0
    while larger[size] <= upto:
        if count[larger[size]]:
            size = larger[size]
        else:
            larger[size] = larger[larger[size]]


@njit(cache=True, nogil=True)
def genie_order(links, threshold, order):
    """Find Genie's order of merges along links, and return False if the links do not form a tree."""
    # ``links``, with shape (n - 1, 2), must be sorted by length. If the Gini index exceeds ``threshold``, a
    # link is skipped if both of its clusters are larger than the smallest cluster size. Because clusters
    # never shrink, skipped links are not inspected again until the smallest size increases. After each
    # increase, at most n / size clusters remain, so all inspections take O(n log n) time.
    n = len(links) + 1
    parents, sizes = np.arange(n), np.ones(n, np.int64)
    # count[s] is the number of clusters of size s. ``larger`` is a linked list of the sizes, in which
    # larger[s] follows s. It starts at 0 and ends at n + 1.
    count, larger = np.zeros(n + 1, np.int64), np.full(n + 1, n + 1)
    count[1], larger[0] = n, 1
    # The remaining links form another linked list, in which entry e + 1 represents link e, and entry 0 is the
    # head.
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
        # The new size is added before empty sizes are removed, because ``high`` must still be in the list.
        _add_size(sizes[min(a, b)], high, count, larger)
        _drop_empty(count, larger, high)
    return True


@njit(cache=True, nogil=True)
def cut_labels(links, order, n_merges, out):
    """Set out[q] to the labels, numbered by first appearance, after n_merges[q] merges."""
    # ``n_merges`` must be in ascending order.
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
            # The root is the smallest member, so it is numbered before the other members.
            if r == i:
                out[q, i] = n_clusters
                n_clusters += 1
            else:
                out[q, i] = out[q, r]


@njit(cache=True, nogil=True)
def root(parents, i):
    """Return the smallest member of the component of i, and shorten the path to it."""
    while parents[i] != i:
        parents[i] = parents[parents[i]]
        i = parents[i]
    return i


@njit(cache=True, nogil=True)
def join(parents, a, b):
    a, b = root(parents, a), root(parents, b)
    if a < b:
        parents[b] = a
    else:
        parents[a] = b
    return a != b


@njit(cache=True, nogil=True)
def settle(parents):
    """After all joins, make every member point to the smallest member of its component."""
    for i in range(len(parents)):
        # The parent has a smaller index, so it has already been settled.
        parents[i] = parents[parents[i]]


@njit(cache=True, nogil=True, inline="always")
def _before(r, d, i, j, other_r, other_d, g, h, keys):
    """Return whether link (i, j) precedes link (g, h) by reachability or, if tied, by length and keys."""
    return r < other_r if r != other_r else _edge_before(d, keys[i], keys[j], other_d, keys[g], keys[h])


@njit(cache=True, nogil=True)
def prim(X, precomputed, keys, cores, links):
    """Fill ``links`` with a minimum spanning tree, in the order of Prim's algorithm."""
    # X contains symmetric distances if ``precomputed``, and points otherwise. The tree minimises distances
    # or, if ``cores`` is not None, mutual reachability. Core distances of points must be squared.
    n = len(X)
    left = np.arange(1, n)
    reach, gap, source = np.full(n, np.inf), np.full(n, np.inf), np.zeros(n, np.int64)
    newest = 0
    for done in range(n - 1):
        chosen = -1
        for place in range(n - 1 - done):
            i = left[place]
            d = rounded(X[newest, i]) if precomputed else square_distance(X, newest, i)
            r = d
            if cores is not None:
                r = max(d, rounded(cores[newest]), rounded(cores[i]))
            if _before(r, d, newest, i, reach[i], gap[i], source[i], i, keys):
                reach[i], gap[i], source[i] = r, d, newest
            c = left[max(chosen, 0)]
            if chosen < 0 or _before(reach[i], gap[i], source[i], i, reach[c], gap[c], source[c], c, keys):
                chosen = place
        newest = left[chosen]
        links[done, 0], links[done, 1] = source[newest], newest
        left[chosen] = left[n - 2 - done]


@njit(cache=True, nogil=True)
def density_validity(D, closeness, nearest, exponent, labels, sizes, by_gap, out):
    """Compute the DBCV index of each partition, given labels (p, n) and cluster sizes (p, k)."""
    # Links of equal reachability are ordered by length with ``by_gap``, and by their samples otherwise.
    # ``nearest`` contains each sample's smallest positive distance. closeness[i, j] is (nearest[i] / D[i, j])
    # ** exponent, or 0 on the diagonal.
    if not len(labels):
        return
    n = len(D)
    room, core = np.empty(int(sizes.max()) ** 2), np.zeros(n)
    inner, order = np.empty(n, np.bool_), np.empty(n, np.int64)
    starts = np.empty(sizes.shape[1] + 1, np.int64)
    for q in range(len(labels)):
        if sizes[q, 0] == n:
            out[q] = -1.0
            continue
        list_members(labels[q], starts, order)
        sparseness = np.zeros(sizes.shape[1])
        inner[:] = False
        for c in range(sizes.shape[1]):
            members = order[starts[c] : starts[c + 1]]
            if len(members) > 1:
                within = room[: len(members) ** 2].reshape(len(members), len(members))
                _cores(D, closeness, nearest, exponent, members, within, core)
                sparseness[c] = _sparseness(within, members, core, by_gap, inner)
        separation = _separations(D, core, inner, order, starts)
        total = 0.0
        for c in range(sizes.shape[1]):
            greater = max(separation[c], sparseness[c])
            if 0.0 < greater < np.inf:
                total += sizes[q, c] * ((separation[c] - sparseness[c]) / greater)
        out[q] = total / n


@njit(cache=True, nogil=True)
def _cores(D, closeness, nearest, exponent, members, within, core):
    """Copy the distances within a cluster, and compute the core distances of its members (Definition 1)."""
    for a, i in enumerate(members):
        total = 0.0
        for b, j in enumerate(members):
            within[a, b] = D[i, j]
            total += closeness[i, j]
        least = nearest[i]
        if total < 1e-280:  # terms may have underflowed
            # The smallest distance within the cluster, which is much larger than ``nearest``, replaces it.
            least = np.inf
            for b in range(len(members)):
                least = min(least, within[a, b]) if b != a else least
            total = 0.0
            for b in range(len(members)):
                total += (least / within[a, b]) ** exponent if b != a else 0.0
        # If another sample is identical, the sum is infinite, so the core distance is 0.
        core[i] = least * (total / (len(members) - 1)) ** (-1.0 / exponent)


@njit(cache=True, nogil=True)
def _sparseness(within, members, core, by_gap, inner):
    """Mark a cluster's inner samples, and return the longest tree edge between two of them."""
    # If no edge connects two inner samples, the longest of all edges is returned.
    n = len(members)
    own, links, degrees = core[members], np.empty((n - 1, 2), np.int64), np.zeros(n, np.int64)
    if not by_gap:
        # Distances are replaced by reachabilities, so that distances do not break ties.
        for a in range(n):
            for b in range(n):
                within[a, b] = max(within[a, b], own[a], own[b])
    prim(within, True, np.arange(n), own, links)
    for a, b in links:
        degrees[a] += 1
        degrees[b] += 1
    longest, of_inner = 0.0, -1.0
    for a, b in links:
        reach = max(within[a, b], own[a], own[b])
        longest = max(longest, reach)
        if degrees[a] > 1 and degrees[b] > 1:
            of_inner = max(of_inner, reach)
    for a in range(n):
        inner[members[a]] = degrees[a] > 1 or n == 2
    return of_inner if of_inner >= 0.0 else longest


@njit(cache=True, nogil=True)
def _separations(D, core, inner, order, starts):
    """Find each cluster's smallest reachability between its inner samples and those of other clusters."""
    k = len(starts) - 1
    least = np.full(k, np.inf)
    rows = order[inner[order]]
    owner = np.searchsorted(starts[1:], np.flatnonzero(inner[order]), side="right")
    own = core[rows]
    for a in range(len(rows)):
        c, row = owner[a], D[rows[a]]
        found = least[c]
        for b in range(np.searchsorted(owner, c, side="right"), len(rows)):
            reach = max(row[rows[b]], own[a], own[b])
            found = min(found, reach)
            least[owner[b]] = min(least[owner[b]], reach)
        least[c] = found
    return least


@njit(cache=True, nogil=True, inline="always")
def _edge_before(d, i, j, e, g, h):
    """Return whether a link of length d precedes one of length e. Their samples' sorted keys break ties."""
    if d != e:
        return d < e
    if min(i, j) != min(g, h):
        return min(i, j) < min(g, h)
    return max(i, j) < max(g, h)


@njit(cache=True, nogil=True)
def _nearest_outside(i, bound, P, keys, component, node_component, start, stop, low, high, stack, gaps):
    """Find the nearest sample of another component within ``bound``, and its squared distance."""
    # If there is none, the result is -1 and ``bound``. Keys break ties.
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
                    and (found < 0 or _edge_before(distance, keys[i], keys[j], best, keys[i], keys[found]))
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
def _label_nodes(component, start, stop, node_component):
    """Find, for each node, the component of all its points, or -1 if they belong to several components."""
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
def boruvka(P, keys, start, stop, low, high, links):
    """Fill ``links`` with the minimum spanning tree of the points of a KD-tree."""
    # Each round of Boruvka's algorithm adds the shortest link from every component to another.
    n = len(P)
    parents, component = np.arange(n), np.arange(n)
    node_component = np.empty(len(start), np.int64)
    nearest = np.full(n, -1)
    length, beyond = np.empty(n), np.full(n, -1.0)
    best, source = np.empty(n), np.empty(n, np.int64)
    # Each removed node pushes its two children, so the stack holds at most depth + 1 nodes, fewer than 64.
    stack, gaps = np.empty(256, np.int64), np.empty(256)
    done = 0
    while done < n - 1:
        _label_nodes(component, start, stop, node_component)
        best[:] = np.inf
        source[:] = -1
        for i in range(n):
            # Components only grow, so the nearest outside sample remains the nearest until both are joined.
            j = nearest[i]
            if j >= 0 and component[j] != component[i]:
                _offer(i, nearest, length, keys, component[i], best, source)
            else:
                nearest[i] = -1
        for i in range(n):
            own = component[i]
            # No outside sample is within ``beyond[i]`` of sample i, so sample i cannot improve on ``best``.
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
            # If two components have chosen the same link, only the first join succeeds.
            if join(parents, i, nearest[i]):
                links[done, 0], links[done, 1] = i, nearest[i]
                done += 1
        settle(parents)
        component[:] = parents


@njit(cache=True, nogil=True)
def _offer(i, nearest, length, keys, own, best, source):
    s = source[own]
    if s < 0 or _edge_before(length[i], keys[i], keys[nearest[i]], length[s], keys[s], keys[nearest[s]]):
        best[own], source[own] = length[i], i


@njit(cache=True, nogil=True)
def split_components(G, above, gene, lo, hi, out):
    """Find the lowest part number in the cluster of each part of a tree."""
    # Part c is linked to part ``above[c]`` unless its gene is 0.
    for q in range(lo, hi):
        out[q, 0] = 0
        for c in range(1, len(above)):
            out[q, c] = out[q, above[c]] if G[q, gene[c]] else c


@njit(cache=True, nogil=True)
def short_components(G, base, gene, lo, hi, out):
    """Find the lowest part number in each part's cluster, if each part links to the sample in its gene."""
    n_parts = len(gene)
    for q in range(lo, hi):
        row = out[q]
        for c in range(n_parts):
            row[c] = c
        for c in range(1, n_parts):
            join(row, c, base[G[q, gene[c]]])
        settle(row)


@njit(cache=True, nogil=True)
def sample_labels(parts, base, number, lo, hi, out):
    for q in range(lo, hi):
        number[:] = -1
        count = 0
        for i in range(len(base)):
            c = parts[q, base[i]]
            if number[c] < 0:
                number[c] = count
                count += 1
            out[q, i] = number[c]


@njit(cache=True, nogil=True)
def combine_products(indptr, indices, data, block, factors, out, lo, hi):
    """Compute ``out = a A block + b block + c out`` in rows lo..hi-1, for a CSR matrix A."""
    # All columns of ``block`` are multiplied at once, so that each entry of A is read only once. The terms of
    # a row are added in the same order for any number of threads.
    a, b, c = factors
    width = block.shape[1]
    for i in range(lo, hi):
        for q in range(width):
            out[i, q] = b * block[i, q] + c * out[i, q]
        for entry in range(indptr[i], indptr[i + 1]):
            j, weight = indices[entry], a * data[entry]
            for q in range(width):
                out[i, q] += weight * block[j, q]


@njit(cache=True, nogil=True)
def join_entries(indptr, indices, data, strength, least, parts, parents):
    """Join two samples of a part if their matrix entry times both strengths is at least ``least``."""
    # ``parents`` starts as 0, 1, ..., and ends as the smallest member of each sample's component.
    for i in range(len(parents)):
        for entry in range(indptr[i], indptr[i + 1]):
            j = indices[entry]
            if parts[i] == parts[j] and data[entry] * strength[i] * strength[j] >= least:
                join(parents, i, j)
    settle(parents)
