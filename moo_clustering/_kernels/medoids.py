"""Medoid kernels: nearest medoids, and members with the smallest total distance, for dense or sparse data."""

import numpy as np

from moo_clustering._kernels.caching import njit
from moo_clustering._kernels.partitions import list_members, squared_distance

COSINE, SQUARED, EUCLIDEAN = 0, 1, 2
# Cosine distances are rounded to multiples of 2^-44, so that ties do not depend on the order of operations.
GRAIN = 2.0**44
# These flags permit vectorised sums. The order of the terms depends only on the shapes of the arrays.
_SUMS = {"reassoc", "nsz"}
# Number of bits in a coarse distance. Each plane contains one bit of every coarse distance.
PLANES = 8
_CHUNK = 8192


@njit(cache=True, nogil=True)
def _from_product(product, a, b, kind):
    """Compute a distance from the inner product of two vectors and their squared norms a and b."""
    if kind == COSINE:
        return np.rint(min(max(1.0 - product, 0.0), 2.0) * GRAIN) / GRAIN
    squared = max(a - 2.0 * product + b, 0.0)
    return squared if kind == SQUARED else np.sqrt(squared)


@njit(cache=True, nogil=True, fastmath=_SUMS)
def _dot(a, b):
    total = 0.0
    for t in range(a.shape[0]):
        total += a[t] * b[t]
    return total


@njit(cache=True, nogil=True)
def _dense_distance(a, b, kind):
    if kind == COSINE:
        return _from_product(_dot(a, b), 1.0, 1.0, kind)
    squared = squared_distance(a, b)
    return squared if kind == SQUARED else np.sqrt(squared)


@njit(cache=True, nogil=True)
def _sparse_dot(indptr, indices, data, i, vector):
    total = 0.0
    for t in range(indptr[i], indptr[i + 1]):
        total += data[t] * vector[indices[t]]
    return total


@njit(cache=True, nogil=True)
def _add_row(indptr, indices, data, i, vector):
    for t in range(indptr[i], indptr[i + 1]):
        vector[indices[t]] += data[t]


@njit(cache=True, nogil=True)
def _clear_row(indptr, indices, i, vector):
    for t in range(indptr[i], indptr[i + 1]):
        vector[indices[t]] = 0.0


@njit(cache=True, nogil=True)
def dense_rows(X, norms, ids, kind, rows, lo, hi):
    """Convert rows[r, i], the inner product of samples ids[r] and i, to a distance."""
    for r in range(lo, hi):
        m = ids[r]
        row = rows[r]
        if kind == COSINE:
            for i in range(row.shape[0]):
                row[i] = _from_product(row[i], 1.0, 1.0, kind)
        else:
            for i in range(row.shape[0]):
                squared = norms[m] - 2.0 * row[i] + norms[i]
                # A smaller value is recomputed from differences, because cancellation may have lost six
                # digits.
                if squared < 1e-6 * (norms[m] + norms[i]):
                    squared = squared_distance(X[m], X[i])
                row[i] = squared if kind == SQUARED else np.sqrt(squared)
        row[m] = 0.0


@njit(cache=True, nogil=True)
def sparse_rows(indptr, indices, data, column_ptr, column_rows, column_data, norms, ids, kind, rows, lo, hi):
    """Set rows[r, i] to the distance between samples ids[r] and i."""
    for r in range(lo, hi):
        m = ids[r]
        row = rows[r]
        row[:] = 0.0
        for t in range(indptr[m], indptr[m + 1]):
            weight = data[t]
            column = indices[t]
            for s in range(column_ptr[column], column_ptr[column + 1]):
                row[column_rows[s]] += weight * column_data[s]
        for i in range(row.shape[0]):
            row[i] = _from_product(row[i], norms[m], norms[i], kind)
        row[m] = 0.0


@njit(cache=True, nogil=True)
def dense_own(X, medoids, labels, kind, out, lo, hi):
    """Set out[q, i] to the distance from sample i to the medoid of its cluster."""
    for q in range(lo, hi):
        for i in range(labels.shape[1]):
            m = medoids[q, labels[q, i]]
            out[q, i] = 0.0 if m == i else _dense_distance(X[m], X[i], kind)


@njit(cache=True, nogil=True)
def sparse_own(indptr, indices, data, norms, medoids, order, starts, kind, vector, out, lo, hi):
    """Compute the same result as :func:`dense_own` from sparse data."""
    # ``vector`` is scratch space that contains only zeros before and after the call.
    for q in range(lo, hi):
        for c in range(medoids.shape[1]):
            m = medoids[q, c]
            if m < 0:
                break
            _add_row(indptr, indices, data, m, vector)
            for i in order[q, starts[q, c] : starts[q, c + 1]]:
                product = _sparse_dot(indptr, indices, data, i, vector)
                out[q, i] = 0.0 if m == i else _from_product(product, norms[m], norms[i], kind)
            _clear_row(indptr, indices, m, vector)


@njit(cache=True, nogil=True)
def dense_separations(X, medoids, kind, least, greatest, lo, hi):
    for q in range(lo, hi):
        low, high = np.inf, 0.0
        for a in range(medoids.shape[1]):
            if medoids[q, a] < 0:
                break
            for b in range(a):
                d = _dense_distance(X[medoids[q, a]], X[medoids[q, b]], kind)
                low = min(low, d)
                high = max(high, d)
        least[q] = low
        greatest[q] = high


@njit(cache=True, nogil=True)
def sparse_separations(indptr, indices, data, norms, medoids, kind, vector, least, greatest, lo, hi):
    """Compute the same result as :func:`dense_separations` from sparse data."""
    for q in range(lo, hi):
        low, high = np.inf, 0.0
        for a in range(medoids.shape[1]):
            m = medoids[q, a]
            if m < 0:
                break
            _add_row(indptr, indices, data, m, vector)
            for b in range(a):
                i = medoids[q, b]
                product = _sparse_dot(indptr, indices, data, i, vector)
                d = _from_product(product, norms[m], norms[i], kind)
                low = min(low, d)
                high = max(high, d)
            _clear_row(indptr, indices, m, vector)
        least[q] = low
        greatest[q] = high


@njit(cache=True, nogil=True)
def _first_least(totals, members, relative, each):
    """Return the first member whose total equals the smallest total up to rounding errors."""
    least = np.inf
    for t in range(members.shape[0]):
        least = min(least, totals[t])
    limit = least + abs(least) * relative + each * members.shape[0]
    for t in range(members.shape[0]):
        if totals[t] <= limit:
            return members[t]
    return members[0]


@njit(cache=True, nogil=True)
def dense_medoids(X, zero, order, starts, wanted, kind, relative, each, medoids, lo, hi):
    """Find the member of each wanted cluster with the smallest total distance to all members."""
    # If several members are tied, the first one is chosen. For cosine distances, the total of member x is n_c
    # - x.s_c, where s_c is the sum of the n_c members. If x is a row of zeros, the total is lower by 1,
    # because the distance from x to itself is 0, not 1. For other metrics, the total of squared distances is
    # n_c |x - m_c|^2 plus the sum of all members' squared distances to their mean m_c.
    totals = np.empty(order.shape[1])
    centre = np.empty(X.shape[1])
    for q in range(lo, hi):
        for c in range(wanted.shape[1]):
            if not wanted[q, c]:
                continue
            members = order[q, starts[q, c] : starts[q, c + 1]]
            size = members.shape[0]
            centre[:] = 0.0
            for i in members:
                x = X[i]
                for t in range(x.shape[0]):
                    centre[t] += x[t]
            if kind == COSINE:
                for s in range(size):
                    i = members[s]
                    totals[s] = size - _dot(X[i], centre) - zero[i]
            else:
                centre /= size
                scatter = 0.0
                for s in range(size):
                    totals[s] = squared_distance(X[members[s]], centre)
                    scatter += totals[s]
                for s in range(size):
                    totals[s] = size * totals[s] + scatter
            medoids[q, c] = _first_least(totals, members, relative, each)


@njit(cache=True, nogil=True)
def sparse_medoids(
    indptr, indices, data, halves, zero, order, starts, wanted, relative, each, vector, medoids, lo, hi
):
    """Compute the same result as :func:`dense_medoids` from sparse data."""
    # The total of member x is the sum of |x|^2 / 2 + |y|^2 / 2 - x.y over all members y. ``halves`` contains
    # half the squared norm of each row, or 1/2 for cosine distances.
    totals = np.empty(order.shape[1])
    for q in range(lo, hi):
        for c in range(wanted.shape[1]):
            if not wanted[q, c]:
                continue
            members = order[q, starts[q, c] : starts[q, c + 1]]
            offset = 0.0
            for i in members:
                _add_row(indptr, indices, data, i, vector)
                offset += halves[i]
            for s in range(members.shape[0]):
                i = members[s]
                product = _sparse_dot(indptr, indices, data, i, vector)
                totals[s] = members.shape[0] * halves[i] + offset - product - zero[i]
            for i in members:
                _clear_row(indptr, indices, i, vector)
            medoids[q, c] = _first_least(totals, members, relative, each)


@njit(cache=True, nogil=True)
def nearest_medoids(rows, index, nearest, labels, lo, hi):
    """Lower nearest[q, i] to the smallest distance to a medoid, whose position is written to ``labels``."""
    # ``rows[index[q, j]]`` contains the distances to the medoid at position j of individual q. Negative
    # indices are skipped, so that the medoids can be processed in blocks. Before the first block, ``nearest``
    # must be inf, and ``labels`` must be larger than any position. Two rows are read at once, because this is
    # faster.
    n = rows.shape[1]
    here = np.empty(index.shape[1], dtype=np.int32)
    for q in range(lo, hi):
        m = 0
        for j in range(index.shape[1]):
            if index[q, j] >= 0:
                here[m] = j
                m += 1
        for start in range(0, n, _CHUNK):
            stop = min(start + _CHUNK, n)
            best, at = nearest[q, start:stop], labels[q, start:stop]
            for t in range(0, m - 1, 2):
                j, k = here[t], here[t + 1]
                first, second = rows[index[q, j], start:stop], rows[index[q, k], start:stop]
                for i in range(stop - start):
                    other = second[i] < first[i]
                    d = second[i] if other else first[i]
                    position = k if other else j
                    closer = (d < best[i]) | ((d == best[i]) & (position < at[i]))
                    best[i] = d if closer else best[i]
                    at[i] = position if closer else at[i]
            if m % 2:
                j = here[m - 1]
                first = rows[index[q, j], start:stop]
                for i in range(stop - start):
                    d = first[i]
                    closer = (d < best[i]) | ((d == best[i]) & (j < at[i]))
                    best[i] = d if closer else best[i]
                    at[i] = j if closer else at[i]


@njit(cache=True, nogil=True)
def member_lists(labels, order, starts):
    for q in range(labels.shape[0]):
        list_members(labels[q], starts[q], order[q])


@njit(cache=True, nogil=True)
def cluster_keys(labels, salts, keys):
    """Hash each cluster's set of members by adding the members' salts to its key, modulo 2^64."""
    for q in range(labels.shape[0]):
        for i in range(labels.shape[1]):
            c = labels[q, i]
            keys[q, c, 0] += salts[i, 0]
            keys[q, c, 1] += salts[i, 1]


@njit(cache=True, nogil=True)
def coarse_planes(D, step, planes, lo, hi):
    """Store the coarse distances min(D[i, j] / step, 255) bit by bit."""
    # Bit j % 64 of planes[i, p, j // 64] is bit p of the coarse distance. Bit 0 is the highest.
    one = np.uint64(1)
    steps = np.empty(64, dtype=np.uint8)
    for i in range(lo, hi):
        for w in range(planes.shape[2]):
            n = min(64, D.shape[1] - 64 * w)
            for j in range(n):
                steps[j] = np.uint8(min(D[i, 64 * w + j] / step, 255.0))
            for p in range(PLANES):
                word = np.uint64(0)
                for j in range(n):
                    word |= ((np.uint64(steps[j]) >> np.uint64(PLANES - 1 - p)) & one) << np.uint64(j)
                planes[i, p, w] = word


@njit(cache=True, nogil=True)
def cluster_masks(labels, masks):
    """For each member i of cluster c, set bit i % 64 of masks[q, c, i // 64], which must be 0 before."""
    for q in range(labels.shape[0]):
        for i in range(labels.shape[1]):
            masks[q, labels[q, i], i >> 6] |= np.uint64(1) << np.uint64(i & 63)


@njit(cache=True, nogil=True)
def _ones(word):
    """Count the set bits of a word. Compilers replace this code by a single instruction."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@njit(cache=True, nogil=True)
def _four_planes(planes, mask):
    """Sum four-bit numbers over the members in ``mask``. Each plane contains one bit of all numbers."""
    first, second, third, fourth = planes[0], planes[1], planes[2], planes[3]
    eights = fours = twos = ones = np.uint64(0)
    for w in range(mask.shape[0]):
        here = mask[w]
        eights += _ones(first[w] & here)
        fours += _ones(second[w] & here)
        twos += _ones(third[w] & here)
        ones += _ones(fourth[w] & here)
    total = ((eights + eights + fours) * np.uint64(2) + twos) * np.uint64(2) + ones
    return np.int64(total)


@njit(cache=True, nogil=True)
def coarse_totals(planes, labels, masks, wanted, totals, lo, hi):
    """Sum the upper four bits of the coarse distances from each sample to the members of its cluster."""
    for i in range(lo, hi):
        upper = planes[i, :4]
        for q in range(labels.shape[0]):
            own = labels[q, i]
            if wanted[q, own]:
                totals[q, i] = _four_planes(upper, masks[q, own])


@njit(cache=True, nogil=True, fastmath=_SUMS)
def _total(row, members):
    total = 0.0
    for j in members:
        total += row[j]
    return total


@njit(cache=True, nogil=True)
def least_total_members(
    D, planes, masks, bounds, unit, order, starts, wanted, relative, each, medoids, lo, hi
):
    """Find the member of each wanted cluster whose total distance is smallest up to rounding errors."""
    # Totals are tied if they are at most (1 + ``relative``) times the smallest total plus ``each`` times the
    # number of members. The first tied member is chosen. Coarse totals times ``unit`` are lower bounds on
    # totals. ``bounds`` contains the coarse totals of the upper four planes. The lower planes, and then D,
    # are read only if a total may still be the smallest.
    totals = np.empty(order.shape[1])
    for q in range(lo, hi):
        for c in range(wanted.shape[1]):
            if not wanted[q, c]:
                continue
            members = order[q, starts[q, c] : starts[q, c + 1]]
            first = members[np.argmin(bounds[q][members])]
            least = _total(D[first], members)
            for s in range(members.shape[0]):
                i = members[s]
                limit = least + least * relative + each * members.shape[0]
                totals[s] = np.inf
                bound = 16 * np.int64(bounds[q, i])
                if unit * bound <= limit:
                    bound += _four_planes(planes[i, 4:], masks[q, c])
                    if unit * bound <= limit:
                        totals[s] = _total(D[i], members)
                        least = min(least, totals[s])
            medoids[q, c] = _first_least(totals, members, relative, each)


@njit(cache=True, nogil=True)
def own_distances(D, medoids, labels, out):
    for q in range(labels.shape[0]):
        for i in range(labels.shape[1]):
            out[q, i] = D[medoids[q, labels[q, i]], i]


@njit(cache=True, nogil=True)
def group_distances(rows, members, bounds, out):
    for r in range(rows.shape[0]):
        for g in range(bounds.shape[0] - 1):
            total = 0.0
            for t in range(bounds[g], bounds[g + 1]):
                total += rows[r, members[t]]
            out[r, g] = total


@njit(cache=True, nogil=True)
def assign_groups(costs, index, members, bounds, opponents, opponent_bounds, penalty, labels):
    """Assign groups of samples to medoids one by one, so that few conflicting groups share a cluster."""
    # Group g contains the samples ``members[bounds[g]:bounds[g + 1]]``. ``opponents`` and ``opponent_bounds``
    # list the groups that conflict with g in the same way. A group joins the medoid with the fewest
    # conflicting groups. If medoids are tied, it joins the one with the lowest cost, and then with the lowest
    # position. If ``penalty`` is at least 0, the group joins the medoid with the lowest sum of its cost and
    # ``penalty`` times the number of conflicting groups. ``costs[r, g]`` is the total distance from group g
    # to medoid r. Row q of ``index`` contains the medoids r of individual q, padded with -1.
    n_groups = bounds.shape[0] - 1
    width = index.shape[1]
    chosen = np.empty(n_groups, dtype=np.int64)
    conflicts = np.empty(width, dtype=np.int64)
    for q in range(index.shape[0]):
        for g in range(n_groups):
            conflicts[:] = 0
            for t in range(opponent_bounds[g], opponent_bounds[g + 1]):
                if opponents[t] < g:
                    conflicts[chosen[opponents[t]]] += 1
            best = 0
            for j in range(1, width):
                if index[q, j] < 0:
                    break
                gain = costs[index[q, best], g] - costs[index[q, j], g]
                if penalty >= 0.0:
                    better = gain + penalty * (conflicts[best] - conflicts[j]) > 0.0
                elif conflicts[j] != conflicts[best]:
                    better = conflicts[j] < conflicts[best]
                else:
                    better = gain > 0.0
                if better:
                    best = j
            chosen[g] = best
            for t in range(bounds[g], bounds[g + 1]):
                labels[q, members[t]] = best
