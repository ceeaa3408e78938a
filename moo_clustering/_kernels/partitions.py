"""Kernels for populations of partitions: relabelling, pair counts, contingency tables, votes and sums.

``labels`` has shape (n_individuals, n_samples) unless documented otherwise. Functions write their results to
arguments. The last functions compare objective vectors for archives of non-dominated solutions.
"""

import numpy as np

from moo_clustering._kernels.caching import njit
from moo_clustering._kernels.threads import borrowed

# After this number of pairs, one-byte counters are added to wider counters, before they can overflow.
_FLUSH = 255
# Reassociation permits vectorised sums. The order of terms still depends only on the array shapes, so that
# results do not depend on the block to which an individual belongs.
_SUMS = {"reassoc", "nsz"}


@njit(cache=True, nogil=True)
def count_equal(labels, pairs, counts):
    # ``labels`` has one row per sample. One-byte counters let the comparison loop use the full vector width.
    n_individuals = labels.shape[1]
    narrow = np.zeros(n_individuals, dtype=np.uint8)
    for start in range(0, pairs.shape[0], _FLUSH):
        for t in range(start, min(start + _FLUSH, pairs.shape[0])):
            left, right = labels[pairs[t, 0]], labels[pairs[t, 1]]
            for q in range(n_individuals):
                narrow[q] += np.uint8(left[q] == right[q])
        for q in range(n_individuals):
            counts[q] += narrow[q]
            narrow[q] = 0


@njit(cache=True, nogil=True)
def weigh_equal(labels, pairs, weights, equal, different):
    # ``labels`` has one row per sample. Both sums are accumulated, because a difference from the total weight
    # might not be exactly 0.
    for t in range(pairs.shape[0]):
        left, right, weight = labels[pairs[t, 0]], labels[pairs[t, 1]], weights[t]
        for q in range(labels.shape[1]):
            if left[q] == right[q]:
                equal[q] += weight
            else:
                different[q] += weight


@njit(cache=True, nogil=True)
def count_equal_by_class(labels, order, shifts, boundaries, n_labels, within, total):
    """Count the pairs of samples with equal labels, both within classes and among all samples."""
    # Group g, ``order[boundaries[g]:boundaries[g + 1]]``, contains all samples of some classes. The counters
    # for the class of sample ``order[t]`` begin at ``shifts[t]``, a multiple of ``n_labels``. Four
    # individuals are processed at once, so that samples are looked up a quarter as often. If fewer than four
    # remain, the last one is repeated. Unsigned indices avoid a test for negative values.
    last, n_counters = labels.shape[0] - 1, n_labels + (np.int64(shifts.max()) if len(shifts) else 0)
    counts, in_all = np.zeros((4, n_counters), dtype=np.int64), np.zeros((4, n_labels), dtype=np.int64)
    first, second, third, fourth = counts[0], counts[1], counts[2], counts[3]
    for q in range(0, labels.shape[0], 4):
        a, b, c, d = labels[q], labels[min(q + 1, last)], labels[min(q + 2, last)], labels[min(q + 3, last)]
        within[q : q + 4] = 0
        for g in range(boundaries.shape[0] - 1):
            members = order[boundaries[g] : boundaries[g + 1]]
            shift = shifts[boundaries[g] : boundaries[g + 1]]
            for t in range(members.shape[0]):
                member, start = members[t], shift[t]
                first[start + np.uint64(a[member])] += 1
                second[start + np.uint64(b[member])] += 1
                third[start + np.uint64(c[member])] += 1
                fourth[start + np.uint64(d[member])] += 1
            for i in range(4):
                pairs = _emptied(counts[i], labels[min(q + i, last)], members, shift, in_all[i])
                if q + i <= last:
                    within[q + i] += pairs
        for i in range(min(4, last + 1 - q)):
            total[q + i] = (in_all[i] * (in_all[i] - 1)).sum() // 2
        in_all[:] = 0


@njit(cache=True, nogil=True)
def _emptied(counts, row, members, shift, in_all):
    """Return the number of pairs with equal labels within classes, and reset ``counts`` to 0."""
    # The counts are first added to ``in_all`` by label.
    n_labels, twice = in_all.shape[0], 0
    if counts.shape[0] > members.shape[0]:
        for t in range(members.shape[0]):
            label = np.uint64(row[members[t]])
            place = shift[t] + label
            count = counts[place]
            twice += count * (count - 1)
            in_all[label] += count
            counts[place] = 0
        return twice // 2
    for start in range(0, counts.shape[0], n_labels):
        part = counts[start : start + n_labels]
        for c in range(n_labels):
            twice += part[c] * (part[c] - 1)
            in_all[c] += part[c]
    counts[:] = 0
    return twice // 2


@njit(cache=True, nogil=True)
def number_by_first_appearance(codes, number, labels):
    # ``number`` is scratch space with one entry for each possible code.
    for q in range(codes.shape[0]):
        for c in range(number.shape[0]):
            number[c] = -1
        count = 0
        for i in range(codes.shape[1]):
            c = codes[q, i]
            if number[c] < 0:
                number[c] = count
                count += 1
            labels[q, i] = number[c]


@njit(cache=True, nogil=True)
def sweep_groups(
    labels, start, groups, members, ends, near_ptr, near, weights, votes, pair_ptr, paired, signs, scores,
    max_sweeps, keep,
):  # fmt: skip
    """Move each group in turn to its best cluster until no group moves, and return the number of sweeps."""
    # Group g contains the samples members[ends[g]:ends[g + 1]], which share a label. Each sample i adds half
    # a vote for cluster start[i]. The weights of links from sample i are multiplied by votes[i]. ``scores``
    # is scratch space with one number per cluster. With ``keep``, a cluster's last group never moves.
    n_clusters = scores.shape[0]
    for sweep in range(max_sweeps):
        moved = False
        for g in range(ends.shape[0] - 1):
            scores[:] = 0.0
            for t in range(ends[g], ends[g + 1]):
                i = members[t]
                scores[start[i]] += 0.5
                for e in range(near_ptr[i], near_ptr[i + 1]):
                    if groups[near[e]] != g:
                        scores[labels[near[e]]] += weights[e] * votes[i]
                for e in range(pair_ptr[i], pair_ptr[i + 1]):
                    if groups[paired[e]] != g:
                        scores[labels[paired[e]]] += signs[e]
            own = labels[members[ends[g]]]
            best = own
            for c in range(n_clusters):
                # Sums that differ only by rounding errors count as ties.
                if scores[c] > scores[best] + 1e-12:
                    best = c
            if best == own:
                continue
            if keep:
                size = 0
                for i in range(labels.shape[0]):
                    size += labels[i] == own
                if size == ends[g + 1] - ends[g]:
                    continue
            for t in range(ends[g], ends[g + 1]):
                labels[members[t]] = best
            moved = True
        if not moved:
            return sweep + 1
    return max_sweeps


@njit(cache=True, nogil=True)
def pairs_in_common(first, n_first, second, n_second, most_cells, triangle, lo, hi, common):
    """For every two partitions, count the pairs of samples that share a cluster in both of them."""
    # The counts are written to rows lo..hi-1 of ``common``. If the contingency table has more than
    # ``most_cells`` cells, the two partitions are compared cluster by cluster, in O(n_samples) time. With
    # ``triangle``, both sets of partitions are the same, and the lower triangle is omitted.
    n = first.shape[1]
    table = np.zeros(most_cells, dtype=np.int32)
    counts = np.zeros(max(1, n_second.max()), dtype=np.int32)
    members = np.empty(n, dtype=np.int32)
    starts = np.empty(n_first.max() + 1, dtype=np.int64)
    for a in range(lo, hi):
        listed = False
        for b in range(a if triangle else 0, second.shape[0]):
            if n_first[a] * n_second[b] <= most_cells:
                common[a, b] = _by_table(first[a], n_first[a], second[b], n_second[b], table)
                continue
            if not listed:
                list_members(first[a], starts[: n_first[a] + 1], members)
                listed = True
            common[a, b] = _by_cluster(starts, members, n_first[a], second[b], counts)


@njit(cache=True, nogil=True)
def _by_table(left, n_left, right, n_right, table):
    """Count pairs by the full contingency table. ``table`` contains only zeros before and after the call."""
    for i in range(left.shape[0]):
        table[left[i] * n_right + right[i]] += 1
    total = np.int64(0)
    for cell in range(n_left * n_right):
        count = np.int64(table[cell])
        total += count * (count - 1)
        table[cell] = 0
    return total // 2


@njit(cache=True, nogil=True)
def list_members(labels, starts, members):
    """Write cluster c's samples to ``members[starts[c]:starts[c + 1]]`` in ascending order."""
    starts[:] = 0
    for i in range(labels.shape[0]):
        starts[labels[i]] += 1
    for c in range(1, starts.shape[0]):
        starts[c] += starts[c - 1]
    # Each start is now the end of its cluster. Filling the clusters backwards moves it to the first member.
    for i in range(labels.shape[0] - 1, -1, -1):
        starts[labels[i]] -= 1
        members[starts[labels[i]]] = i


@njit(cache=True, nogil=True)
def _by_cluster(starts, members, n_clusters, labels, counts):
    """Count pairs one cluster at a time. ``counts`` contains only zeros before and after the call."""
    total = 0
    for c in range(n_clusters):
        for t in range(starts[c], starts[c + 1]):
            cluster = labels[members[t]]
            # The r-th sample in a cell of the contingency table adds r - 1 pairs.
            total += counts[cluster]
            counts[cluster] += 1
        for t in range(starts[c], starts[c + 1]):
            counts[labels[members[t]]] = 0
    return total


@njit(cache=True, nogil=True)
def icm_sweep(distances, starts, partners, weights, order, labels):
    """Move every sample to its cheapest cluster, and return the number of moves."""
    # ``distances[i, k]`` is the cost of sample i in cluster k without constraints. For t in
    # ``range(starts[i], starts[i + 1])``, sharing a cluster with sample ``partners[t]`` costs ``weights[t]``,
    # which is negative for must-links. Partners with label -1 are ignored. Samples without partners move
    # before those in ``order``. If clusters are tied, the one with the lowest label is chosen.
    n_clusters = distances.shape[1]
    cost = np.empty(n_clusters)
    moved = 0
    for i in np.concatenate((np.flatnonzero(starts[1:] == starts[:-1]), order)):
        for c in range(n_clusters):
            cost[c] = distances[i, c]
        for p in range(starts[i], starts[i + 1]):
            label = labels[partners[p]]
            if label >= 0:
                cost[label] += weights[p]
        best = 0
        for c in range(1, n_clusters):
            if cost[c] < cost[best]:
                best = c
        if best != labels[i]:
            labels[i] = best
            moved += 1
    return moved


@njit(cache=True, nogil=True)
def contingency_tables(reference, labels, tables):
    for q in range(labels.shape[0]):
        for i in range(labels.shape[1]):
            tables[q, labels[q, i], reference[q, i]] += 1


@njit(cache=True, nogil=True)
def half_of_differences(first, second, draws, chosen):
    """Choose a random half, rounded down, of the genes that differ between first[q] and second[q]."""
    # Selection sampling chooses the next gene with probability w / r if r differing genes remain, of which w
    # are needed. ``draws`` contains one uniform number in [0, 1) per gene.
    for q in range(first.shape[0]):
        left = 0
        for i in range(first.shape[1]):
            left += first[q, i] != second[q, i]
        wanted = left // 2
        for i in range(first.shape[1]):
            chosen[q, i] = False
            if first[q, i] != second[q, i]:
                if draws[q, i] * left < wanted:
                    chosen[q, i] = True
                    wanted -= 1
                left -= 1


@njit(cache=True, nogil=True)
def vote_once(starts, neighbors, weights, inertia, labels, tally, out):
    """Set out[i] to the cluster with the largest link weight to sample i."""
    # ``inertia[i]`` is added to the link weight of sample i's own cluster.
    for i in range(labels.shape[0]):
        tally[labels[i]] = inertia[i]
        out[i] = _strongest(i, starts, neighbors, weights, labels, tally)


@njit(cache=True, nogil=True)
def _strongest(i, starts, neighbors, weights, labels, tally):
    """Return the cluster with the largest link weight to sample i, ignoring neighbours labelled -1."""
    # ``tally`` contains an additional weight for each cluster, and is reset to 0. If clusters are tied, the
    # sample's own cluster is preferred, and then the cluster of the neighbour listed first, so that cluster
    # numbers have no influence.
    for e in range(starts[i], starts[i + 1]):
        c = labels[neighbors[e]]
        if c >= 0:
            tally[c] += weights[e]
    best = labels[i]
    most = tally[best] if best >= 0 else 0.0
    for e in range(starts[i], starts[i + 1]):
        c = labels[neighbors[e]]
        if c >= 0 and tally[c] > most:
            best, most = c, tally[c]
    if labels[i] >= 0:
        tally[labels[i]] = 0.0
    for e in range(starts[i], starts[i + 1]):
        if labels[neighbors[e]] >= 0:
            tally[labels[neighbors[e]]] = 0.0
    return best


@njit(cache=True, nogil=True)
def join_neighbors(starts, neighbors, weights, labels, tally, max_rounds):
    """Assign samples labelled -1 to their most strongly linked clusters, and return how many remain."""
    # All samples of a round are assigned at once. A sample without labelled neighbours waits for a later
    # round.
    count, waiting, chosen = 0, labels.copy(), labels.copy()
    for i in range(labels.shape[0]):
        if labels[i] < 0:
            waiting[count] = i
            count += 1
    for _ in range(max_rounds):
        if count == 0:
            break
        for w in range(count):
            chosen[w] = _strongest(waiting[w], starts, neighbors, weights, labels, tally)
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
def sum_links(starts, neighbors, weights, labels, links):
    for i in range(labels.shape[0]):
        own = labels[i]
        for e in range(starts[i], starts[i + 1]):
            links[own, labels[neighbors[e]]] += weights[e]


@njit(cache=True, nogil=True)
def count_members(labels, sizes):
    for q in range(labels.shape[0]):
        for i in range(labels.shape[1]):
            sizes[q, labels[q, i]] += 1


@njit(cache=True, nogil=True)
def cluster_means(X, labels, sizes, means):
    """Compute the mean of each cluster's rows of X. ``means`` must contain only zeros before the call."""
    for q in range(labels.shape[0]):
        for i in range(X.shape[0]):
            c = labels[q, i]
            for t in range(X.shape[1]):
                means[q, c, t] += X[i, t]
        for c in range(sizes.shape[1]):
            for t in range(X.shape[1]):
                means[q, c, t] /= max(sizes[q, c], 1)


@njit(cache=True, nogil=True, fastmath=_SUMS)
def squared_distance(a, b):
    """Compute |a - b|^2 from differences, which remains precise if a and b are close."""
    total = 0.0
    for t in range(a.shape[0]):
        step = a[t] - b[t]
        total += step * step
    return total


@borrowed()
def add_scaled(row, factor, into):
    for t in range(row.shape[0]):
        into[t] += factor * row[t]


@njit(cache=True, nogil=True)
def mean_distance_sums(X, labels, means, squared, sums):
    for q in range(labels.shape[0]):
        for i in range(X.shape[0]):
            c = labels[q, i]
            d2 = squared_distance(X[i], means[q, c])
            sums[q, c] += d2 if squared else np.sqrt(d2)


@njit(cache=True, nogil=True)
def mean_separations(means, n_clusters, least, greatest):
    for q in range(means.shape[0]):
        low, high = np.inf, 0.0
        for a in range(n_clusters[q]):
            for b in range(a):
                d2 = squared_distance(means[q, a], means[q, b])
                low = min(low, d2)
                high = max(high, d2)
        least[q] = low
        greatest[q] = high


@njit(cache=True, nogil=True)
def worst_ratio_means(means, spreads, n_clusters, floor, out):
    """Average each cluster's largest ratio to another cluster, as in the Davies-Bouldin index."""
    worst = np.zeros(means.shape[1])
    for q in range(means.shape[0]):
        k = n_clusters[q]
        worst[:k] = 0.0
        for a in range(k):
            for b in range(a):
                gap = max(np.sqrt(squared_distance(means[q, a], means[q, b])), floor)
                ratio = (spreads[q, a] + spreads[q, b]) / gap
                worst[a] = max(worst[a], ratio)
                worst[b] = max(worst[b], ratio)
        total = 0.0
        for a in range(k):
            total += worst[a]
        out[q] = total / k


@njit(cache=True, nogil=True, fastmath=_SUMS)
def own_cluster_sums(D, labels, sums):
    n = D.shape[0]
    for i in range(n):
        row = D[i]
        for q in range(labels.shape[0]):
            members = labels[q]
            own = members[i]
            total = 0.0
            for j in range(n):
                total += row[j] if members[j] == own else 0.0
            sums[q, i] = total


@njit(cache=True, nogil=True)
def least_members(sums, labels, medoids):
    """Find each cluster's first member with the smallest sum, up to rounding errors."""
    best = np.empty(medoids.shape[1])
    for q in range(labels.shape[0]):
        best[:] = np.inf
        medoids[q, :] = -1
        for i in range(labels.shape[1]):
            best[labels[q, i]] = min(best[labels[q, i]], sums[q, i])
        # Sums that differ only by rounding errors count as ties.
        best *= 1.0 + 1e-12
        for i in range(labels.shape[1]):
            c = labels[q, i]
            if medoids[q, c] < 0 and sums[q, i] <= best[c]:
                medoids[q, c] = i


@njit(cache=True, nogil=True)
def medoid_distance_sums(D, medoids, labels, squared, sums):
    for q in range(labels.shape[0]):
        total = 0.0
        for i in range(labels.shape[1]):
            d = np.float64(D[medoids[q, labels[q, i]], i])
            total += d * d if squared else d
        sums[q] = total


@njit(cache=True, nogil=True)
def medoid_separations(D, medoids, n_clusters, least, greatest):
    for q in range(medoids.shape[0]):
        low, high = np.inf, 0.0
        for a in range(n_clusters[q]):
            for b in range(a):
                d = np.float64(D[medoids[q, a], medoids[q, b]])
                low = min(low, d)
                high = max(high, d)
        least[q] = low
        greatest[q] = high


@njit(cache=True, nogil=True)
def silhouette_sums(D, labels, sizes, n_clusters, out):
    """Add to out[q] the silhouettes of all samples. Every individual must have at least two clusters."""
    n = D.shape[0]
    totals = np.empty(sizes.shape[1])
    for i in range(n):
        row = D[i]
        for q in range(labels.shape[0]):
            k, own = n_clusters[q], labels[q, i]
            if sizes[q, own] < 2:
                continue
            totals[:k] = 0.0
            for j in range(n):
                totals[labels[q, j]] += row[j]
            out[q] += silhouette(totals, sizes[q], k, own)


@borrowed()
def silhouette(totals, sizes, k, own):
    within = totals[own] / (sizes[own] - 1)
    nearest = np.inf
    for c in range(k):
        if c != own:
            nearest = min(nearest, totals[c] / sizes[c])
    greater = max(within, nearest)
    return (nearest - within) / greater if greater > 0.0 else 0.0


@njit(cache=True, nogil=True)
def count_split_neighbors(neighbors, labels, counts):
    for q in range(labels.shape[0]):
        for i in range(neighbors.shape[0]):
            own = labels[q, i]
            for r in range(neighbors.shape[1]):
                counts[q, r] += labels[q, neighbors[i, r]] != own


@njit(cache=True, nogil=True)
def refine_squared_distances(X, norms, squared, threshold):
    """Recompute squared distances from differences if cancellation has lost most of their digits."""
    for i in range(X.shape[0]):
        for j in range(i):
            if squared[i, j] < threshold * (norms[i] + norms[j]):
                squared[i, j] = squared[j, i] = squared_distance(X[i], X[j])
            else:
                squared[j, i] = squared[i, j]
        squared[i, i] = 0.0


@njit(cache=True, nogil=True)
def dominates(f, c, g, d):
    """Return whether objectives f with constraint violation c dominate objectives g with violation d."""
    if c != d:
        return c < d
    better = False
    for t in range(f.shape[0]):
        if f[t] > g[t]:
            return False
        better = better or f[t] < g[t]
    return better


@njit(cache=True, nogil=True)
def amount(f, c, g, d, ranges):
    """Compute the amount of domination, the product of all objective differences divided by their ranges."""
    # If the violations c and d differ, the amount is their difference divided by the last of the ``ranges``.
    if c != d:
        return abs(c - d) / float(ranges[f.shape[0]])
    product = 1.0
    for t in range(f.shape[0]):
        difference = abs(f[t] - g[t])
        # If a range is infinite, an infinite difference counts as 1, and a finite difference as 0.
        if difference > 0.0 and ranges[t] > 0.0 and not (np.isinf(ranges[t]) and np.isinf(difference)):
            product *= difference / ranges[t]
    return product


@njit(cache=True, nogil=True)
def weigh(F, violations, n, new, c, current, d):
    """Compare a new solution with the current one and with the first ``n`` archive members."""
    # ``violations`` contains the archive members' constraint violations, c is that of the new solution, and d
    # that of the current solution. Each range covers all of these solutions. ``relation`` is 1 if the current
    # solution dominates the new one, -1 if the new one dominates the current one, and 0 otherwise. k is the
    # number of members that dominate the new solution. ``total`` sums the amounts by which these members and,
    # if ``relation`` is 1, the current solution dominate the new one. ``least`` is the smallest amount of a
    # member, and ``nearest`` is the first member with this amount. If k is 0, ``least`` is inf, and
    # ``nearest`` is -1.
    relation = np.int64(dominates(current, d, new, c)) - np.int64(dominates(new, c, current, d))
    k, total, least, nearest = 0, 0.0, np.inf, -1
    for i in range(n):
        k += dominates(F[i], violations[i], new, c)
    if k == 0 and relation != 1:
        return relation, k, total, least, nearest
    n_obj = new.shape[0]
    ranges = np.empty(n_obj + 1)
    for t in range(n_obj):
        low, high = min(new[t], current[t]), max(new[t], current[t])
        for i in range(n):
            low, high = min(low, F[i, t]), max(high, F[i, t])
        ranges[t] = high - low
    low, high = min(c, d), max(c, d)
    for i in range(n):
        low, high = min(low, violations[i]), max(high, violations[i])
    ranges[n_obj] = high - low
    for i in range(n):
        if dominates(F[i], violations[i], new, c):
            value = amount(F[i], violations[i], new, c, ranges)
            total += value
            if value < least:
                least, nearest = value, i
    if relation == 1:
        total += amount(current, d, new, c, ranges)
    return relation, k, total, least, nearest


@njit(cache=True, nogil=True)
def not_dominated(F, violations, n, f, c):
    rows = np.empty(n, dtype=np.int64)
    kept = 0
    for i in range(n):
        if not dominates(f, c, F[i], violations[i]):
            rows[kept] = i
            kept += 1
    return rows[:kept]
