"""Loops over the samples of a population of partitions: sizes, means, medoids, distance sums.

Labels are int32 of shape (n_individuals, n_samples), clusters 0..k-1 in every row; results go into
arrays the caller allocates. Distance matrices are symmetric and C-contiguous, float32 or float64.
"""

from __future__ import annotations

import numpy as np
from numba import njit

# Reassociation lets a running sum use all lanes of a vector unit. The order of summation still depends on
# nothing but the shapes, so results do not change with the block an individual is scored in.
_SUMS = {"reassoc", "nsz"}


@njit(cache=True, nogil=True)
def count_members(labels, sizes):  # type: ignore[no-untyped-def]
    """sizes[q, c] += number of samples of individual q in cluster c."""
    for q in range(labels.shape[0]):
        for i in range(labels.shape[1]):
            sizes[q, labels[q, i]] += 1


@njit(cache=True, nogil=True)
def cluster_means(X, labels, sizes, means):  # type: ignore[no-untyped-def]
    """means[q, c] = mean of the rows of X in cluster c; ``means`` must come in as zeros."""
    for q in range(labels.shape[0]):
        for i in range(X.shape[0]):
            c = labels[q, i]
            for t in range(X.shape[1]):
                means[q, c, t] += X[i, t]
        for c in range(sizes.shape[1]):
            for t in range(X.shape[1]):
                means[q, c, t] /= max(sizes[q, c], 1)


@njit(cache=True, nogil=True, fastmath=_SUMS)
def squared_distance(a, b):  # type: ignore[no-untyped-def]
    """|a - b|^2 by direct differences, which lose no digits when a and b are close."""
    total = 0.0
    for t in range(a.shape[0]):
        step = a[t] - b[t]
        total += step * step
    return total


@njit(cache=True, nogil=True)
def mean_distance_sums(X, labels, means, squared, sums):  # type: ignore[no-untyped-def]
    """sums[q, c] += distances (or their squares) of the members of c to the mean of c."""
    for q in range(labels.shape[0]):
        for i in range(X.shape[0]):
            c = labels[q, i]
            d2 = squared_distance(X[i], means[q, c])
            sums[q, c] += d2 if squared else np.sqrt(d2)


@njit(cache=True, nogil=True)
def mean_separations(means, n_clusters, least, greatest):  # type: ignore[no-untyped-def]
    """Least and greatest squared distance between two cluster means (inf and 0 for one cluster)."""
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
def worst_ratio_means(means, spreads, n_clusters, floor, out):  # type: ignore[no-untyped-def]
    """out[q] = mean over a of max over b of (spread_a + spread_b) / max(|mean_a - mean_b|, floor)."""
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
def own_cluster_sums(D, labels, sums):  # type: ignore[no-untyped-def]
    """sums[q, i] = total distance of sample i to its own cluster in individual q.

    Samples outside, individuals inside: a row of D stays in cache while all individuals use it.
    """
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
def least_members(sums, labels, medoids):  # type: ignore[no-untyped-def]
    """medoids[q, c] = lowest id among the members of c with the least sum, up to rounding."""
    best = np.empty(medoids.shape[1])
    for q in range(labels.shape[0]):
        best[:] = np.inf
        medoids[q, :] = -1
        for i in range(labels.shape[1]):
            best[labels[q, i]] = min(best[labels[q, i]], sums[q, i])
        # Equal sums added in different orders differ in the last digits; they still count as ties.
        best *= 1.0 + 1e-12
        for i in range(labels.shape[1]):
            c = labels[q, i]
            if medoids[q, c] < 0 and sums[q, i] <= best[c]:
                medoids[q, c] = i


@njit(cache=True, nogil=True)
def medoid_distance_sums(D, medoids, labels, squared, sums):  # type: ignore[no-untyped-def]
    """sums[q] = total distance (or squared distance) of all samples to the medoids of their clusters."""
    for q in range(labels.shape[0]):
        total = 0.0
        for i in range(labels.shape[1]):
            d = np.float64(D[medoids[q, labels[q, i]], i])
            total += d * d if squared else d
        sums[q] = total


@njit(cache=True, nogil=True)
def medoid_separations(D, medoids, n_clusters, least, greatest):  # type: ignore[no-untyped-def]
    """Least and greatest distance between two medoids (inf and 0 for one cluster)."""
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
def silhouette_sums(D, labels, sizes, n_clusters, out):  # type: ignore[no-untyped-def]
    """out[q] += sum of the silhouettes of all samples; singletons and 0/0 add nothing. Needs k >= 2."""
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
            within = totals[own] / (sizes[q, own] - 1)
            nearest = np.inf
            for c in range(k):
                if c != own:
                    nearest = min(nearest, totals[c] / sizes[q, c])
            greater = max(within, nearest)
            if greater > 0.0:
                out[q] += (nearest - within) / greater


@njit(cache=True, nogil=True)
def count_split_neighbors(neighbors, labels, counts):  # type: ignore[no-untyped-def]
    """counts[q, r] += number of samples whose r-th listed neighbour lies in another cluster."""
    for q in range(labels.shape[0]):
        for i in range(neighbors.shape[0]):
            own = labels[q, i]
            for r in range(neighbors.shape[1]):
                counts[q, r] += labels[q, neighbors[i, r]] != own


@njit(cache=True, nogil=True)
def refine_squared_distances(X, norms, squared, threshold):  # type: ignore[no-untyped-def]
    """Recompute by direct differences the entries that |x|^2 - 2xy + |y|^2 leaves with few digits."""
    for i in range(X.shape[0]):
        for j in range(i):
            if squared[i, j] < threshold * (norms[i] + norms[j]):
                squared[i, j] = squared[j, i] = squared_distance(X[i], X[j])
            else:
                squared[j, i] = squared[i, j]
        squared[i, i] = 0.0
