"""K-means kernels: Lloyd iterations with Hamerly's bounds, nearest centres, and greedy k-means++ seeds."""

import numpy as np

from moo_clustering._kernels.caching import njit
from moo_clustering._kernels.partitions import squared_distance
from moo_clustering._kernels.threads import borrowed

# Upper bounds on rounding errors, as fractions of the largest distance. ``_PER_FEATURE`` bounds the error of
# a distance, per feature, and ``_PER_RUN`` that of a bound after all updates of a run. A sample is skipped
# only if its bounds differ by more than these errors. All labels, even those of tied samples, are therefore
# the same as in the plain algorithm.
_PER_FEATURE = 4e-16
_PER_RUN = 1e-12


@njit(cache=True, nogil=True)
def _square_in_order(x, c):
    """Compute a squared distance by adding features in order, so that all machines round it identically."""
    total = 0.0
    for t in range(len(x)):
        gap = x[t] - c[t]
        total += gap * gap
    return total


@borrowed()
def _squares(x, columns, start, k, out):
    """Compute a sample's squared distances to k centres, adding the features in order."""
    # From index ``start`` on, ``columns`` contains the first feature of all centres, then the second, and so
    # on.
    d, t = len(x), 0
    for j in range(k):
        out[j] = 0.0
    # Four features are added at once, in the same order, so that ``out`` is read a quarter as often.
    while t + 4 <= d:
        at = start + t * k
        a, b = columns[at : at + k], columns[at + k : at + 2 * k]
        c, e = columns[at + 2 * k : at + 3 * k], columns[at + 3 * k : at + 4 * k]
        x0, x1, x2, x3 = x[t], x[t + 1], x[t + 2], x[t + 3]
        for j in range(k):
            total = out[j]
            gap = x0 - a[j]
            total += gap * gap
            gap = x1 - b[j]
            total += gap * gap
            gap = x2 - c[j]
            total += gap * gap
            gap = x3 - e[j]
            out[j] = total + gap * gap
        t += 4
    while t < d:
        a, x0 = columns[start + t * k : start + t * k + k], x[t]
        for j in range(k):
            gap = x0 - a[j]
            out[j] += gap * gap
        t += 1


@njit(cache=True, nogil=True)
def _two_least(values):
    at, least, second = 0, np.inf, np.inf
    for j in range(len(values)):
        value = values[j]
        if value < second:
            if value < least:
                second = least
                least = value
                at = j
            else:
                second = value
    return at, least, second


@njit(cache=True, nogil=True)
def two_nearest(X, centers, labels, first, second):
    n, k = len(X), len(centers)
    columns = np.ascontiguousarray(centers.T).ravel()
    values = np.empty(k)
    for i in range(n):
        _squares(X[i], columns, 0, k, values)
        labels[i], first[i], second[i] = _two_least(values)
    return n * k


@borrowed(fastmath={"nnan", "nsz", "reassoc"})
def _least(values, n):
    least = np.inf
    for j in range(n):
        value = values[j]
        least = value if value < least else least
    return least


@njit(cache=True, nogil=True)
def nearest_in_groups(X, blocks, numbers, limits, starts, pivots, radii, positions, squares, first, last):
    """Find the points nearest to rows ``first`` to ``last - 1``, sorted by distance and, if tied, number."""
    # ``positions`` and ``squares`` receive the numbers and squared distances of these points. Group g
    # contains the points ``starts[g]:starts[g + 1]``, which are within ``radii[g]`` of the group's pivot in
    # column g of ``pivots``. ``blocks`` contains one flattened (d, size) array per group. If a point's
    # squared distance to a row exceeds the point's entry in ``limits``, the point is omitted. A group is
    # skipped if none of its points can be nearer than the last point in the list. Distances do not depend on
    # other rows or groups.
    n_groups, most, d = len(radii), positions.shape[1], X.shape[1]
    gaps = starts[1:] - starts[:-1]
    out, bounds = np.empty(gaps.max()), np.empty(n_groups)
    for i in range(first, last):
        x = X[i]
        _squares(x, pivots, 0, n_groups, bounds)
        for g in range(n_groups):
            away = np.sqrt(bounds[g])
            bound = away - radii[g] - _PER_RUN * (away + radii[g])
            bounds[g] = bound * bound if bound > 0.0 else 0.0
        found, values = positions[i], squares[i]
        found[:] = len(numbers)
        values[:] = np.inf
        while True:
            at = -1
            for g in range(n_groups):
                if bounds[g] >= 0.0 and (at < 0 or bounds[g] < bounds[at]):
                    at = g
            if at < 0 or bounds[at] > values[most - 1]:
                break
            bounds[at] = -1.0
            low, high = starts[at], starts[at + 1]
            _squares(x, blocks, d * low, high - low, out)
            if _least(out, high - low) > values[most - 1]:
                continue
            for j in range(high - low):
                value, number = out[j], numbers[low + j]
                t = most - 1
                if value > limits[low + j]:
                    continue
                if value > values[t] or (value == values[t] and number > found[t]):
                    continue
                while t > 0 and (value < values[t - 1] or (value == values[t - 1] and number < found[t - 1])):
                    values[t], found[t] = values[t - 1], found[t - 1]
                    t -= 1
                values[t], found[t] = value, number


@njit(cache=True, nogil=True)
def _half_gaps(centers, half):
    k = len(centers)
    half[:] = np.inf
    for j in range(k):
        for h in range(j):
            square = squared_distance(centers[j], centers[h])
            half[j] = min(half[j], square)
            half[h] = min(half[h], square)
    for j in range(k):
        half[j] = 0.5 * np.sqrt(half[j])


@njit(cache=True, nogil=True)
def _fill_empty(X, centers, labels, counts, upper, lower, changed, rounding):
    """Assign to each empty cluster the sample that is farthest from its own centre."""
    # The function returns the number of filled clusters. A sample stays if it is alone in its cluster, or
    # equal to its centre up to rounding errors.
    n, filled = len(X), 0
    own = np.empty(n)
    for i in range(n):
        own[i] = _square_in_order(X[i], centers[labels[i]])
    for j in range(len(centers)):
        if counts[j] > 0:
            continue
        at, farthest = -1, rounding * rounding
        for i in range(n):
            if own[i] > farthest and counts[labels[i]] > 1:
                at, farthest = i, own[i]
        if at < 0:
            break
        changed[labels[at]] = changed[j] = True
        counts[labels[at]] -= 1
        counts[j] = 1
        labels[at] = j
        own[at] = 0.0
        upper[at], lower[at] = np.inf, 0.0
        filled += 1
    return filled


@njit(cache=True, nogil=True)
def _move_centers(X, centers, labels, counts, changed, moved, sums):
    k, d = centers.shape
    sums[:] = 0.0
    for i in range(len(X)):
        a = labels[i]
        if changed[a]:
            for t in range(d):
                sums[a, t] += X[i, t]
    for j in range(k):
        moved[j] = 0.0
        if changed[j] and counts[j] > 0:
            for t in range(d):
                sums[j, t] /= counts[j]
            moved[j] = np.sqrt(squared_distance(sums[j], centers[j]))
            # ``centers[j] = sums[j]`` would also check shapes, and the check takes three seconds to compile.
            for t in range(d):
                centers[j, t] = sums[j, t]


@njit(cache=True, nogil=True)
def _radius(X):
    """Return the largest norm of a sample, to which the rounding errors of means are proportional."""
    most = 0.0
    for i in range(len(X)):
        total = 0.0
        for t in range(X.shape[1]):
            total += X[i, t] * X[i, t]
        most = max(most, total)
    return np.sqrt(most)


@njit(cache=True, nogil=True)
def lloyd(X, centers, labels, max_passes, tolerance):
    """Run Lloyd iterations until no label changes, updating ``centers`` and ``labels`` in place."""
    # If ``tolerance`` is positive, iterations also end when the squared moves of all centres sum to at most
    # this value. In this case, samples are reassigned once more. Tied samples join the centre with the lower
    # number. A sample is skipped only if its own centre is nearest despite rounding errors. The means of
    # unchanged clusters remain bitwise identical. The function returns the sum of squares, the numbers of
    # passes and of computed distances, and whether the iterations converged.
    n, d = X.shape
    k = len(centers)
    upper, lower, values = np.empty(n), np.empty(n), np.empty(k)
    half, moved, counts = np.zeros(k), np.zeros(k), np.zeros(k, dtype=np.int64)
    changed, sums = np.ones(k, dtype=np.bool_), np.empty((k, d))
    labels[:] = -1
    evaluations, passes, reach, slack = 0, 0, _radius(X), 0.0
    converged = last = False
    while passes < max_passes:
        n_changed = 0
        columns = np.ascontiguousarray(centers.T).ravel()
        if passes > 0:
            _half_gaps(centers, half)
            evaluations += k * (k - 1) // 2
        for i in range(n):
            a = labels[i]
            if a >= 0:
                bound = max(half[a], lower[i]) - slack
                if upper[i] < bound:
                    continue
                upper[i] = np.sqrt(squared_distance(X[i], centers[a]))
                evaluations += 1
                if upper[i] < bound:
                    continue
            _squares(X[i], columns, 0, k, values)
            evaluations += k
            j, least, second = _two_least(values)
            upper[i], lower[i] = np.sqrt(least), np.sqrt(second)
            if lower[i] < np.inf:
                reach = max(reach, lower[i])
            if j != a:
                n_changed += 1
                if a >= 0:
                    counts[a] -= 1
                    changed[a] = True
                counts[j] += 1
                changed[j] = True
                labels[i] = j
        passes += 1
        slack = (_PER_RUN + _PER_FEATURE * d) * reach
        n_empty = 0
        for j in range(k):
            n_empty += counts[j] == 0
        if n_empty > 0:
            n_changed += _fill_empty(X, centers, labels, counts, upper, lower, changed, slack)
            evaluations += n
        if n_changed == 0 or last:
            converged = True
            break
        _move_centers(X, centers, labels, counts, changed, moved, sums)
        evaluations += k
        at, most, next_most, squares = 0, 0.0, 0.0, 0.0
        for j in range(k):
            changed[j] = False
            squares += moved[j] * moved[j]
            if moved[j] > most:
                next_most = most
                at, most = j, moved[j]
            elif moved[j] > next_most:
                next_most = moved[j]
        last = 0.0 < squares <= tolerance
        for i in range(n):
            upper[i] += moved[labels[i]]
            lower[i] -= next_most if labels[i] == at else most
    objective = 0.0
    for i in range(n):
        objective += squared_distance(X[i], centers[labels[i]])
    return objective, passes, evaluations + n, converged


@njit(cache=True, nogil=True)
def _first_above(cumulative, value):
    """Return the first position at which ``cumulative`` exceeds ``value``, or the last position."""
    # This loop replaces np.searchsorted, which takes too long to compile.
    low, high = 0, len(cumulative) - 1
    while low < high:
        middle = (low + high) // 2
        if cumulative[middle] > value:
            high = middle
        else:
            low = middle + 1
    return low


@njit(cache=True, nogil=True)
def greedy_seeds(X, precomputed, first, draws, chosen):
    """Choose seeds by greedy k-means++, and return the number of computed distances."""
    # For each seed, several candidates are drawn with probability proportional to the squared distance to the
    # nearest seed. The candidate that reduces the sum of squared distances most is kept. ``draws``, with
    # shape (k - 1, trials), contains uniform numbers for all seeds but the first. A sample that equals a seed
    # is chosen only if every sample equals a seed. X contains points or, if ``precomputed``, squared
    # distances.
    n = len(X)
    trials = draws.shape[1]
    nearest, cumulative = np.empty(n), np.empty(n)
    candidate, best = np.empty(n), np.empty(n)
    for i in range(n):
        nearest[i] = X[first, i] if precomputed else squared_distance(X[i], X[first])
    chosen[0] = first
    for c in range(len(draws)):
        total = 0.0
        for i in range(n):
            total += nearest[i]
            cumulative[i] = total
        least = np.inf
        for trial in range(trials):
            if total > 0.0:
                at = _first_above(cumulative, draws[c, trial] * total)
                while nearest[at] == 0.0:
                    at -= 1
            else:
                at = int(draws[c, trial] * n)
            potential = 0.0
            for i in range(n):
                value = min(nearest[i], X[at, i] if precomputed else squared_distance(X[i], X[at]))
                candidate[i] = value
                potential += value
            if potential < least:
                least = potential
                chosen[c + 1] = at
                best, candidate = candidate, best
        nearest, best = best, nearest
    return n + n * trials * len(draws)


@njit(cache=True, nogil=True)
def population_sums(X, start, columns, offset, mean, units, sizes, sums, high, low, first, far, farthest):
    """Add rows to the statistics of their nearest clusters, for p individuals with k clusters each."""
    # ``columns``, with shape (d, p k), contains the centres. A cluster's squared distances sum to ``high`` +
    # ``low``. Terms are rounded to multiples of ``units``, with shape (p, 3), so that sums do not depend on
    # the row order. To round a term, a large number is added and subtracted again. ``first`` and ``farthest``
    # are each cluster's first row and the row farthest from its centre.
    p, k, d = sums.shape
    values, x, rounded = np.empty(p * k), np.empty(d), np.empty(d)
    anchors, flat = 1.5 * 2.0**52 * units, columns.ravel()
    for i in range(len(X)):
        for t in range(d):
            x[t] = (np.float64(X[i, t]) - offset[t]) - mean[t]
            rounded[t] = (x[t] + anchors[0, 0]) - anchors[0, 0]
        _squares(x, flat, 0, p * k, values)
        for q in range(p):
            at = q * k
            for j in range(q * k + 1, q * k + k):
                if values[j] < values[at]:
                    at = j
            least = values[at]
            at -= q * k
            if sizes[q, at] == 0:
                first[q, at] = start + i
            if least > far[q, at]:
                far[q, at], farthest[q, at] = least, i
            sizes[q, at] += 1
            for t in range(d):
                sums[q, at, t] += rounded[t]
            coarse = (least + anchors[q, 1]) - anchors[q, 1]
            high[q, at] += coarse
            low[q, at] += ((least - coarse) + anchors[q, 2]) - anchors[q, 2]


@njit(cache=True, nogil=True)
def row_products(X, columns):
    """Compute ``X @ columns`` with features added in order, so that no result depends on other rows."""
    out = np.zeros((len(X), columns.shape[1]))
    for i in range(len(X)):
        for t in range(len(columns)):
            x, row = np.float64(X[i, t]), columns[t]
            for j in range(len(row)):
                out[i, j] += x * row[j]
    return out
