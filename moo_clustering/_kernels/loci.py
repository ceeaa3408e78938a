"""Kernels for genes that link samples: counts per locus, connected components, and objectives of components.

Objectives are computed from parts: groups of samples that no individual in a search can separate (pieces of
MOCK's minimum spanning tree).
"""

import math

import numpy as np

from moo_clustering._kernels.caching import njit
from moo_clustering._kernels.trees import join, settle


@njit(cache=True, nogil=True)
def add_counts(ranks, counts, sign, lo, hi):
    n_fours = ranks.shape[0] // 4 * 4
    for m in range(0, n_fours, 4):
        for j in range(lo, hi):
            row = counts[j]
            row[ranks[m, j]] += sign
            row[ranks[m + 1, j]] += sign
            row[ranks[m + 2, j]] += sign
            row[ranks[m + 3, j]] += sign
    for m in range(n_fours, ranks.shape[0]):
        for j in range(lo, hi):
            counts[j, ranks[m, j]] += sign


@njit(cache=True, nogil=True)
def sum_entries(ranks, table, lo, hi, out):
    zero = out.dtype.type(0)
    n_fours = ranks.shape[0] // 4 * 4
    for m in range(0, n_fours, 4):
        first = second = third = fourth = zero
        for j in range(lo, hi):
            row = table[j]
            first += row[ranks[m, j]]
            second += row[ranks[m + 1, j]]
            third += row[ranks[m + 2, j]]
            fourth += row[ranks[m + 3, j]]
        out[m], out[m + 1], out[m + 2], out[m + 3] = first, second, third, fourth
    for m in range(n_fours, ranks.shape[0]):
        total = zero
        for j in range(lo, hi):
            total += table[j, ranks[m, j]]
        out[m] = total


@njit(cache=True, nogil=True)
def count_equal(ranks, row, lo, hi, out):
    for m in range(ranks.shape[0]):
        total = np.int64(0)
        for j in range(lo, hi):
            total += np.int64(ranks[m, j] == row[j])
        out[m] = total


@njit(cache=True, nogil=True)
def add_weights(ranks, weights, out, lo, hi):
    for m in range(ranks.shape[0]):
        for j in range(lo, hi):
            out[j, ranks[m, j]] += weights[m]


@njit(cache=True, nogil=True)
def swap_where(first, second, swap, child1, child2, lo, hi):
    for p in range(first.shape[0]):
        for j in range(lo, hi):
            # The genes are exchanged without branches, so that the loop can be vectorised.
            change = (first[p, j] ^ second[p, j]) * swap[p, j]
            child1[p, j] = first[p, j] ^ change
            child2[p, j] = second[p, j] ^ change


@njit(cache=True, nogil=True)
def resample(flat, positions, draws, widths, n_var):
    """Set the genes at ``positions`` to random ranks below the widths of their loci."""
    # ``draws`` contains random 32-bit integers.
    for t in range(positions.shape[0]):
        position = positions[t]
        width = np.uint64(widths[position % n_var])
        flat[position] = (np.uint64(draws[t]) * width) >> np.uint64(32)


@njit(cache=True, nogil=True)
def components(links, q, row):
    """Set row[i] to the smallest sample connected to i, if every sample i is linked to sample links[q, i]."""
    n = len(row)
    for i in range(n):
        row[i] = i
    for i in range(n):
        join(row, i, links[q, i])
    settle(row)


@njit(cache=True, nogil=True)
def component_rows(links, lo, hi, out):
    for q in range(lo, hi):
        components(links, q, out[q])


@njit(cache=True, nogil=True)
def link_objectives(links, X, ones, neighbors, weights, rows, row, count, total, lo, hi, out):
    # ``rows`` selects the objectives to be computed. ``neighbors``, with shape (n_neighbors, n_samples), has
    # one list of neighbours per column, padded with -1.
    n, d = X.shape
    for q in range(lo, hi):
        components(links, q, row)
        if rows[0] or rows[1]:
            cluster_means(row, ones, X, count, total)
            variance = deviation = 0.0
            for i in range(n):
                square = 0.0
                for f in range(d):
                    difference = X[i, f] - total[row[i], f]
                    square += difference * difference
                variance += square
                if rows[1]:
                    deviation += math.sqrt(square)
            out[q, 0] = variance / n
            out[q, 1] = deviation
        if rows[2]:
            value = 0.0
            for r in range(len(weights)):
                split = 0
                for i in range(n):
                    j = neighbors[r, i]
                    split += j >= 0 and row[j] != row[i]
                value += weights[r] * split
            out[q, 2] = value


@njit(cache=True, nogil=True)
def cluster_means(row, sizes, sums, count, total):
    """Compute each cluster's size and mean from its parts."""
    # Both are stored in the row of the cluster's lowest part number.
    d = sums.shape[1]
    count[:] = 0.0
    total[:] = 0.0
    for c in range(len(row)):
        cluster = row[c]
        count[cluster] += sizes[c]
        for f in range(d):
            total[cluster, f] += sums[c, f]
    for c in range(len(row)):
        if row[c] == c:
            for f in range(d):
                total[c, f] /= count[c]


@njit(cache=True, nogil=True)
def variances(parts, sizes, sums, means, within, n_samples, count, total, lo, hi, out):
    """Compute the mean squared distance from samples to their cluster means."""
    # ``within`` is the sum of squared distances from samples to the means of their parts. The squared
    # distances from these means to cluster means are added, because this avoids cancellation.
    d = sums.shape[1]
    for q in range(lo, hi):
        row = parts[q]
        cluster_means(row, sizes, sums, count, total)
        value = within
        for c in range(len(row)):
            cluster = row[c]
            if count[cluster] > sizes[c]:
                square = 0.0
                for f in range(d):
                    difference = means[c, f] - total[cluster, f]
                    square += difference * difference
                value += sizes[c] * square
        out[q] = value / n_samples


@njit(cache=True, nogil=True)
def deviations(parts, sizes, sums, base, X, weight, count, total, lo, hi, out):
    d = X.shape[1]
    for q in range(lo, hi):
        row = parts[q]
        cluster_means(row, sizes, sums, count, total)
        deviation = 0.0
        for i in range(len(X)):
            cluster = row[base[i]]
            square = 0.0
            for f in range(d):
                difference = X[i, f] - total[cluster, f]
                square += difference * difference
            deviation += weight[i] * math.sqrt(square)
        out[q] = deviation


@njit(cache=True, nogil=True)
def pair_weights(parts, first, second, weight, apart, lo, hi, out):
    """Sum the weights of pairs of parts that share a cluster or, with ``apart``, of all other pairs."""
    for q in range(lo, hi):
        row = parts[q]
        value = 0.0
        for p in range(len(first)):
            if (row[first[p]] != row[second[p]]) == apart:
                value += weight[p]
        out[q] = value


@njit(cache=True, nogil=True)
def rand_gaps(parts, table, joint, lo, hi, out):
    """Compute 1 minus the adjusted Rand index of each individual's partition for the labelled samples."""
    # ``table[c, y]`` is the number of labelled samples of class y in part c.
    n_classes = table.shape[1]
    for q in range(lo, hi):
        row = parts[q]
        for c in range(len(row)):
            cluster = row[c]
            for y in range(n_classes):
                if cluster == c:
                    joint[c, y] = table[c, y]
                else:
                    joint[cluster, y] += table[c, y]
        both = in_clusters = in_classes = total = 0.0
        for y in range(n_classes):
            size = 0.0
            for c in range(len(row)):
                if row[c] == c:
                    n = joint[c, y]
                    both += n * (n - 1.0) / 2.0
                    size += n
            in_classes += size * (size - 1.0) / 2.0
            total += size
        for c in range(len(row)):
            if row[c] == c:
                size = 0.0
                for y in range(n_classes):
                    size += joint[c, y]
                in_clusters += size * (size - 1.0) / 2.0
        pairs = total * (total - 1.0) / 2.0
        expected = in_clusters * in_classes / pairs if pairs > 0.0 else 0.0
        above = (in_clusters + in_classes) / 2.0 - expected
        if above != 0.0:
            out[q] = 1.0 - (both - expected) / above
        else:
            out[q] = 0.0 if both == in_clusters and both == in_classes else 1.0
