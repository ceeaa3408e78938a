"""Distances between bags, radii of bag clusters, and arrays shared by the bag kernels.

The distance from a bag to a centroid is that of the bag's farthest instance. Instances are stored in arrays
of shape (S, C): S instances in each of C chunks. Every bag consists of one or more contiguous, entire chunks.
"""

from typing import NamedTuple

import numpy as np

from moo_clustering._arrays import AnyFloatArray, IntArray
from moo_clustering._kernels.caching import njit
from moo_clustering._kernels.partitions import add_scaled, silhouette, squared_distance
from moo_clustering._kernels.threads import borrowed

# Codes for the values of BagSDbw's parameter ``reading``, which selects the definition of a density.
DENSITY, COUNT, PRINTED = 0, 1, 2
# These fast-math flags assume that there are no NaNs. They permit fused operations, but no reordered sums.
_FAST = {"nnan", "nsz", "contract"}
# If |x|^2 - 2 x.y + |y|^2 is below this fraction of |x|^2 + |y|^2, cancellation may have lost six digits.
_CANCELLED = 1e-6
# Reordering is permitted, because a minimum without NaNs does not depend on the order of its terms.
_MINIMUM = {"nnan", "nsz", "reassoc"}
GREATEST, SMALLEST, SUM_OF_ROOTS, SUM = 0, 1, 2, 3


@njit(cache=True, nogil=True)
def variance_norms(means, within, weights, ddof, labels, out, lo, hi):
    """Set out[q, c] to the norm of the vector of cluster c's feature variances in individual q."""
    # Bag b represents ``weights[b]`` points, whose mean is ``means[b]``. For each feature, their squared
    # deviations from the mean sum to ``within[b]``. The norm is 0 if the cluster represents at most ``ddof``
    # points.
    centers = np.empty((out.shape[1], means.shape[1]))
    sums = np.empty((out.shape[1], means.shape[1]))
    masses = np.empty(out.shape[1])
    for q in range(lo, hi):
        centers[:], sums[:], masses[:] = 0.0, 0.0, 0.0
        for b in range(labels.shape[1]):
            c = labels[q, b]
            masses[c] += weights[b]
            for d in range(means.shape[1]):
                centers[c, d] += weights[b] * means[b, d]
        for c in range(out.shape[1]):
            if masses[c] > 0.0:
                for d in range(means.shape[1]):
                    centers[c, d] /= masses[c]
        for b in range(labels.shape[1]):
            c = labels[q, b]
            for d in range(means.shape[1]):
                step = means[b, d] - centers[c, d]
                sums[c, d] += within[b, d] + weights[b] * step * step
        for c in range(out.shape[1]):
            square = 0.0
            if masses[c] > ddof:
                for d in range(means.shape[1]):
                    variance = sums[c, d] / (masses[c] - ddof)
                    square += variance * variance
            out[q, c] = np.sqrt(square)


@njit(cache=True, nogil=True)
def densities_between(arrays, labels, counts, masses, projections, pulls, stdev, reading, out, lo, hi):
    """Set out[i] to the between-cluster density of S_Dbw for individual i."""
    k, n_chunks = counts.shape[1], arrays.squares.shape[1]
    own, chunk_label = np.empty(arrays.squares.shape), np.empty(n_chunks, np.int32)
    scale, pull, best = np.empty(n_chunks), np.empty(n_chunks), np.empty(n_chunks)
    inner, middle, center = np.empty((k, k)), np.empty((k, k)), np.empty(k)
    norms, radii = np.empty(k), np.empty(labels.shape[1])
    for i in range(lo, hi):
        cross_sums(labels[i], pulls[i], inner)
        for c in range(k):
            norms[c] = inner[c, c] / (masses[i, c] * masses[i, c]) if counts[i, c] > 0 else 0.0
        squared_radii(
            arrays, labels[i], projections[i], norms, masses[i], own, chunk_label, scale, best, radii
        )
        center[:] = 0.0
        for b in range(labels.shape[1]):
            center[labels[i, b]] += _nearness(radii[b], stdev[i], reading, arrays)
        if reading == COUNT:
            for c in range(k):
                center[c] = counts[i, c]
        for c in range(n_chunks):
            scale[c] *= 0.5  # because the midpoint of two centroids is half their sum
        middle[:] = 0.0
        for c in range(k):
            if counts[i, c] > 0:
                pull[:] = 1.0 / masses[i, c]
                moved_chunk_maxima(arrays.squares, own, projections[i, c], scale, pull, best)
                _add_middle(c, arrays, labels[i], norms, masses[i], inner, best, stdev[i], reading, middle)
        out[i] = _mean_ratio(middle, center, counts[i])


@borrowed()
def _nearness(square, stdev, reading, arrays):
    """Return a bag's contribution to the density around a point, given its squared distance to the point."""
    if reading == PRINTED:
        return np.sqrt(square)
    return 1.0 if square <= stdev * stdev + arrays.rounding else 0.0


@borrowed()
def _add_middle(c, arrays, labels, norms, masses, inner, best, stdev, reading, middle):
    """Add to middle[k, c] the contributions of cluster k's bags at the midpoint of centroids k and c."""
    for b in range(labels.shape[0]):
        k = labels[b]
        if k != c:
            product = inner[k, c] / (masses[k] * masses[c])
            norm = 0.25 * (norms[k] + norms[c] + 2.0 * product)
            square = above_rounding(bag_maximum(best, arrays.chunk_start, b) + norm, arrays)
            middle[k, c] += _nearness(square, stdev, reading, arrays)


@borrowed()
def _mean_ratio(middle, center, counts):
    """Average a ratio of densities over all pairs of clusters."""
    # The ratio is the density at the midpoint of two centroids, divided by the larger density at a centroid.
    live, total = 0, 0.0
    for a in range(counts.shape[0]):
        if counts[a] > 0:
            live += 1
            for c in range(a):
                around = max(center[a], center[c])
                if counts[c] > 0 and around > 0.0:
                    total += (middle[a, c] + middle[c, a]) / around
    return 2.0 * total / (live * (live - 1)) if live > 1 else 0.0


@borrowed(fastmath=_FAST)
def chunk_maxima(squares, own, scale, best):
    """Compute each chunk's largest squared distance to a centroid, minus the centroid's squared norm."""
    for c in range(squares.shape[1]):
        best[c] = squares[0, c] - scale[c] * own[0, c]
    for s in range(1, squares.shape[0]):
        for c in range(squares.shape[1]):
            value = squares[s, c] - scale[c] * own[s, c]
            best[c] = max(best[c], value)


@borrowed(fastmath=_FAST)
def moved_chunk_maxima(squares, own, row, scale, pull, best):
    """Compute the same maxima as :func:`chunk_maxima` after a vector has been added to each centroid."""
    # ``row`` contains the inner products of this vector with the instances, and ``pull`` is twice its factor.
    for c in range(squares.shape[1]):
        best[c] = squares[0, c] - scale[c] * own[0, c] - pull[c] * row[0, c]
    for s in range(1, squares.shape[0]):
        for c in range(squares.shape[1]):
            value = squares[s, c] - scale[c] * own[s, c] - pull[c] * row[s, c]
            best[c] = max(best[c], value)


@borrowed()
def bag_maximum(best, chunk_start, bag):
    farthest = best[chunk_start[bag]]
    for c in range(chunk_start[bag] + 1, chunk_start[bag + 1]):
        farthest = max(farthest, best[c])
    return farthest


@borrowed()
def above_rounding(square, arrays):
    return square if square > arrays.rounding else 0.0


@borrowed()
def squared_radii(arrays, labels, projections, norms, masses, own, chunk_label, scale, best, out):
    """Set out[b] to the squared distance from bag b's farthest instance to the centroid of its cluster."""
    for c in range(chunk_label.shape[0]):
        chunk_label[c] = labels[arrays.chunk_bag[c]]
        scale[c] = 2.0 / masses[chunk_label[c]]
    for s in range(own.shape[0]):
        for c in range(own.shape[1]):
            own[s, c] = projections[chunk_label[c], s, c]
    chunk_maxima(arrays.squares, own, scale, best)
    for b in range(labels.shape[0]):
        farthest = bag_maximum(best, arrays.chunk_start, b)
        out[b] = above_rounding(farthest + norms[labels[b]], arrays)


@borrowed()
def squared_distances(arrays, projections, norms, masses, counts, scale, best, out):
    for k in range(projections.shape[0]):
        if counts[k] == 0:
            out[:, k] = np.inf
            continue
        scale[:] = 2.0 / masses[k]
        chunk_maxima(arrays.squares, projections[k], scale, best)
        for b in range(out.shape[0]):
            farthest = bag_maximum(best, arrays.chunk_start, b)
            out[b, k] = above_rounding(farthest + norms[k], arrays)


@borrowed()
def count_and_weigh(labels, weights, counts, masses, lo, hi):
    for i in range(lo, hi):
        counts[i] = 0
        masses[i] = 0.0
        for b in range(labels.shape[1]):
            counts[i, labels[i, b]] += 1
            masses[i, labels[i, b]] += weights[b]


@borrowed()
def add_rows(labels, counts, rows, total, out, width, lo, hi):
    """Set out[i, k] to the sum of the rows of cluster k's bags in individual i."""
    # The sum of the largest cluster is ``total`` minus the sums of all other clusters, because this is
    # faster. Columns are processed in blocks of ``width``, so that a block of ``rows`` stays in the cache.
    n_columns = rows.shape[1]
    for start in range(0, n_columns, width):
        stop = min(start + width, n_columns)
        for i in range(lo, hi):
            largest = counts[i].argmax()
            out[i, :, start:stop] = 0.0
            for b in range(labels.shape[1]):
                if labels[i, b] != largest:
                    add_scaled(rows[b, start:stop], 1.0, out[i, labels[i, b], start:stop])
            rest = out[i, largest, start:stop]
            add_scaled(total[start:stop], 1.0, rest)
            for k in range(out.shape[1]):
                if k != largest and counts[i, k] > 0:
                    add_scaled(out[i, k, start:stop], -1.0, rest)


@borrowed()
def multiply_sums(sums, columns, out, width, lo, hi):
    for start in range(0, columns.shape[1], width):
        stop = min(start + width, columns.shape[1])
        for i in range(lo, hi):
            out[i, :, start:stop] = 0.0
            for k in range(out.shape[1]):
                for f in range(columns.shape[0]):
                    add_scaled(columns[f, start:stop], sums[i, k, f], out[i, k, start:stop])


@borrowed()
def cross_sums(labels, sums, out):
    """Set out[k, l] to the sum of sums[k, b] over the bags b of cluster l."""
    out[:] = 0.0
    for k in range(out.shape[0]):
        for b in range(labels.shape[0]):
            out[k, labels[b]] += sums[k, b]
    for k in range(out.shape[0]):
        for c in range(k):
            # Both sums should be equal, but differ by rounding errors, so they are replaced by their mean.
            middle = 0.5 * (out[k, c] + out[c, k])
            out[k, c] = middle
            out[c, k] = middle


def column_width(n_rows: int, item_size: int) -> int:
    return max(64, (1 << 19) // max(1, n_rows * item_size))


@njit(cache=True, nogil=True)
def nearest_squares(products, X, Y, x_squares, y_squares, y_bounds, least):
    """Lower least[j, t] to the squared distance from row t of X to the nearest row of bag j of Y."""
    n_rows = products.shape[1]
    part = np.empty(n_rows)
    for j in range(y_bounds.shape[0] - 1):
        top = 0.0
        part[:] = np.inf
        for u in range(y_bounds[j], y_bounds[j + 1]):
            row, square = products[u], y_squares[u]
            top = max(top, square)
            for t in range(n_rows):
                value = square - 2.0 * row[t]
                part[t] = value if value < part[t] else part[t]
        for t in range(n_rows):
            # The test uses the bag's largest squared norm, because the norm of the nearest row is unknown.
            value = part[t] + x_squares[t]
            if value <= _CANCELLED * (x_squares[t] + top):
                value = np.inf
                for u in range(y_bounds[j], y_bounds[j + 1]):
                    value = min(value, _squared(products[u, t], X[t], Y[u], x_squares[t], y_squares[u]))
                    if value == 0.0:
                        break
            least[j, t] = min(least[j, t], value)


@njit(cache=True, nogil=True)
def nearest_squares_back(products, X, Y, x_squares, y_squares, x_bounds, least):
    """Lower least[i, u] to the squared distance from row u of Y to the nearest row of bag i of X."""
    n_bags = x_bounds.shape[0] - 1
    tops = np.empty(n_bags)
    for i in range(n_bags):
        tops[i] = x_squares[x_bounds[i] : x_bounds[i + 1]].max()
    for u in range(products.shape[0]):
        row, square = products[u], y_squares[u]
        for i in range(n_bags):
            low, high = x_bounds[i], x_bounds[i + 1]
            value = _smallest(x_squares[low:high], row[low:high]) + square
            if value <= _CANCELLED * (square + tops[i]):
                value = np.inf
                for t in range(low, high):
                    value = min(value, _squared(row[t], Y[u], X[t], square, x_squares[t]))
                    if value == 0.0:
                        break
            least[i, u] = min(least[i, u], value)


@njit(cache=True, nogil=True, fastmath=_MINIMUM)
def _smallest(squares, products):
    value = np.inf
    for t in range(squares.shape[0]):
        value = min(value, squares[t] - 2.0 * products[t])
    return value


@njit(cache=True, nogil=True)
def add_distances(products, X, Y, x_squares, y_squares, y_bounds, sums):
    for j in range(y_bounds.shape[0] - 1):
        for u in range(y_bounds[j], y_bounds[j + 1]):
            for t in range(products.shape[1]):
                sums[j, t] += np.sqrt(_squared(products[u, t], X[t], Y[u], x_squares[t], y_squares[u]))


@njit(cache=True, nogil=True)
def _squared(product, x, y, x_square, y_square):
    value = y_square - 2.0 * product + x_square
    if value <= _CANCELLED * (x_square + y_square):
        return squared_distance(x, y)
    return value


@njit(cache=True, nogil=True)
def over_rows(values, x_bounds, how, out):
    """Combine out[i, j] with values[j, t] for all rows t of bag i by the reduction ``how``."""
    for j in range(values.shape[0]):
        for i in range(x_bounds.shape[0] - 1):
            result = out[i, j]
            for t in range(x_bounds[i], x_bounds[i + 1]):
                value = values[j, t]
                if how == GREATEST:
                    result = max(result, value)
                elif how == SMALLEST:
                    result = min(result, value)
                else:
                    result += np.sqrt(value) if how == SUM_OF_ROOTS else value
            out[i, j] = result


@njit(cache=True, nogil=True)
def keep_farthest(values, rows, order, margin, n_largest, kept):
    """Mark the instances that are neither duplicates nor beaten by another instance."""
    # An instance is beaten if another instance is farther from the bags by ``margin``, as :func:`_is_beaten`
    # defines. ``order`` must sort the instances by decreasing sum of values, so that only earlier instances
    # can beat later ones. Comparisons with kept instances suffice, because the relation is transitive.
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
def _equal(a, b):
    for k in range(a.shape[0]):  # noqa: SIM110 (numba has no all())
        if a[k] != b[k]:
            return False
    return True


@njit(cache=True, nogil=True)
def _is_beaten(mine, others, margin, n_largest, gains, bags):
    """Return whether the mean of the ``n_largest`` largest values in ``mine - others`` is at most -margin."""
    # The bags that decided the previous comparison come first, because they often decide this one, too.
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
def _largest_first(gains, bags, count):
    """Move the ``count`` largest gains and their bags to the front by quickselect."""
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
        if count - 1 <= right:
            high = right
        elif count - 1 >= left:
            low = left
        else:
            return


@njit(cache=True, nogil=True)
def silhouette_means(columns, labels, sizes, n_clusters, width, by_cluster, out, lo, hi):
    """Set out[q] to the mean silhouette of the bags in individual q."""
    # With ``by_cluster``, out[q] is the mean of the clusters' mean silhouettes. ``columns[j, i]`` is the
    # distance from bag i to bag j. Bags i are processed in blocks of ``width``, because a block stays in the
    # cache. The width does not affect the order of any sum.
    n = labels.shape[1]
    totals = np.empty((sizes.shape[1], width))
    sums = np.zeros((hi - lo, sizes.shape[1]))
    for start in range(0, n, width):
        stop = min(start + width, n)
        for q in range(lo, hi):
            if n_clusters[q] > 1:
                totals[: n_clusters[q]] = 0.0
                for j in range(n):
                    add_scaled(columns[j, start:stop], 1.0, totals[labels[q, j]])
                _score(labels[q, start:stop], sizes[q], n_clusters[q], totals, sums[q - lo])
    for q in range(lo, hi):
        total = 0.0
        for c in range(n_clusters[q]):
            total += sums[q - lo, c] / sizes[q, c] if by_cluster else sums[q - lo, c]
        out[q] = total / (n_clusters[q] if by_cluster else n)


@njit(cache=True, nogil=True)
def _score(labels, sizes, k, totals, sums):
    for t in range(labels.shape[0]):
        own = labels[t]
        if sizes[own] > 1:
            sums[own] += silhouette(totals[:, t], sizes, k, own)


class BagArrays(NamedTuple):
    """Arrays that describe a set of bags and do not depend on a partition."""

    squares: AnyFloatArray  # (S, C) squared norm of each instance
    products: AnyFloatArray  # (N, S, C) inner product of each bag's weighted mean with each instance
    pulls: AnyFloatArray  # (N, N) inner products of the bags' weighted means
    weights: AnyFloatArray  # (N,) weight of each bag in a centroid
    chunk_bag: IntArray  # (C,) bag of each chunk
    chunk_start: IntArray  # (N + 1,) first chunk of each bag
    rounding: float  # squared distances up to this value are rounding errors
