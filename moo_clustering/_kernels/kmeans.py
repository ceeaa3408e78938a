"""Hamerly's k-means, least squares."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

# Rounding in the sums of a distance, and of all passes in a bound, as parts of the largest distance.
_PER_FEATURE = 4e-16
_PER_RUN = 1e-12
# Weights above are links.
LINK = 1e-6
# The link of a sample that no candidate helps to rebuild.
LEAST = 1e-3


@njit(cache=True, nogil=True, fastmath={"reassoc", "nsz"})
def _square(x: NDArray[Any], c: NDArray[Any]) -> float:
    total = 0.0
    for t in range(len(x)):
        gap = x[t] - c[t]
        total += gap * gap
    return total


@njit(cache=True, nogil=True)
def _square_in_order(x: NDArray[Any], c: NDArray[Any]) -> float:
    """With the same rounding on every machine: where distances are compared for which is greatest."""
    total = 0.0
    for t in range(len(x)):
        gap = x[t] - c[t]
        total += gap * gap
    return total


@njit(cache=True, nogil=True)
def _squares(x: NDArray[Any], columns: NDArray[Any], out: NDArray[Any]) -> None:
    """Squared distances of a sample to all centres, given as columns (d, k), features in their order."""
    d, k = columns.shape
    out[:] = 0.0
    t = 0
    # Four features a round: the sums go through memory a quarter as often, in the same order.
    while t + 4 <= d:
        a, b, c, e = columns[t], columns[t + 1], columns[t + 2], columns[t + 3]
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
        a, x0 = columns[t], x[t]
        for j in range(k):
            gap = x0 - a[j]
            out[j] += gap * gap
        t += 1


@njit(cache=True, nogil=True)
def _two_least(values: NDArray[Any]) -> tuple[int, float, float]:
    """Position of the least value (the first of equal ones), it, and the next."""
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
def two_nearest(
    X: NDArray[Any], centers: NDArray[Any], labels: NDArray[Any], first: NDArray[Any], second: NDArray[Any]
) -> int:
    """Nearest centre of every sample (ties: the lowest), squared distances to it and to the next one.

    ``second`` is infinite for a single centre.
    """
    n, k = len(X), len(centers)
    columns = np.ascontiguousarray(centers.T)
    values = np.empty(k)
    for i in range(n):
        _squares(X[i], columns, values)
        labels[i], first[i], second[i] = _two_least(values)
    return n * k


@njit(cache=True, nogil=True)
def _half_gaps(centers: NDArray[Any], half: NDArray[Any]) -> None:
    """Half the distance of every centre to the nearest other one."""
    k = len(centers)
    half[:] = np.inf
    for j in range(k):
        for h in range(j):
            square = _square(centers[j], centers[h])
            half[j] = min(half[j], square)
            half[h] = min(half[h], square)
    for j in range(k):
        half[j] = 0.5 * np.sqrt(half[j])


@njit(cache=True, nogil=True)
def _fill_empty(
    X: NDArray[Any],
    centers: NDArray[Any],
    labels: NDArray[Any],
    counts: NDArray[Any],
    upper: NDArray[Any],
    lower: NDArray[Any],
    changed: NDArray[Any],
    rounding: float,
) -> int:
    """Give every empty centre the sample farthest from its own; how many got one.

    The last sample of a cluster stays, and so do samples that are, but for rounding, where their centre
    is: copies of one sample are not torn apart.
    """
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
def _move_centers(
    X: NDArray[Any],
    centers: NDArray[Any],
    labels: NDArray[Any],
    counts: NDArray[Any],
    changed: NDArray[Any],
    moved: NDArray[Any],
    sums: NDArray[Any],
) -> None:
    """Means of the clusters that changed, summed in the order of the samples, and how far they moved."""
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
            moved[j] = np.sqrt(_square(sums[j], centers[j]))
            centers[j] = sums[j]


@njit(cache=True, nogil=True)
def _radius(X: NDArray[Any]) -> float:
    """Largest norm of a sample; means are rounded in proportion to it."""
    most = 0.0
    for i in range(len(X)):
        total = 0.0
        for t in range(X.shape[1]):
            total += X[i, t] * X[i, t]
        most = max(most, total)
    return np.sqrt(most)


@njit(cache=True, nogil=True)
def lloyd(
    X: NDArray[Any], centers: NDArray[Any], labels: NDArray[Any], max_passes: int
) -> tuple[float, int, int, bool]:
    """Lloyd's iterations until no label changes; writes ``centers`` and ``labels`` (int32).

    An empty centre moves to the sample farthest from its own centre, never the last one of a cluster;
    it stays empty where all samples are where their centres are. Ties go to the lower centre.

    Returns
    -------
    objective : float
        Sum of the squared distances to the own centre.
    passes : int
    evaluations : int
    converged : bool

    Notes
    -----
    Same labels as without bounds: what is passed over is nearer to its own centre by more than rounding.
    Clusters that did not change keep their means to the last bit.
    """
    n, d = X.shape
    k = len(centers)
    upper, lower, values = np.empty(n), np.empty(n), np.empty(k)
    half, moved, counts = np.zeros(k), np.zeros(k), np.zeros(k, dtype=np.int64)
    changed, sums = np.ones(k, dtype=np.bool_), np.empty((k, d))
    labels[:] = -1
    evaluations, passes, reach, slack = 0, 0, _radius(X), 0.0
    converged = False
    while passes < max_passes:
        n_changed = 0
        columns = np.ascontiguousarray(centers.T)
        if passes > 0:
            _half_gaps(centers, half)
            evaluations += k * (k - 1) // 2
        for i in range(n):
            a = labels[i]
            if a >= 0:
                bound = max(half[a], lower[i]) - slack
                if upper[i] < bound:
                    continue
                upper[i] = np.sqrt(_square(X[i], centers[a]))
                evaluations += 1
                if upper[i] < bound:
                    continue
            _squares(X[i], columns, values)
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
        if counts.min() == 0:
            n_changed += _fill_empty(X, centers, labels, counts, upper, lower, changed, slack)
            evaluations += n
        if n_changed == 0:
            converged = True
            break
        _move_centers(X, centers, labels, counts, changed, moved, sums)
        evaluations += k
        changed[:] = False
        at, most, next_most = 0, 0.0, 0.0
        for j in range(k):
            if moved[j] > most:
                next_most = most
                at, most = j, moved[j]
            elif moved[j] > next_most:
                next_most = moved[j]
        for i in range(n):
            upper[i] += moved[labels[i]]
            lower[i] -= next_most if labels[i] == at else most
    objective = 0.0
    for i in range(n):
        objective += _square(X[i], centers[labels[i]])
    return objective, passes, evaluations + n, converged


@njit(cache=True, nogil=True)
def greedy_seeds(X: NDArray[Any], first: int, draws: NDArray[Any], chosen: NDArray[Any]) -> int:
    """Greedy k-means++: of some samples drawn by their squared distance, the one that helps most.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    first : int
        The first seed.
    draws : ndarray of shape (k - 1, trials)
        Uniform numbers in [0, 1), a row for each further seed.
    chosen : ndarray of shape (k,), int64
        Gets the seeds; samples that are where a seed is are taken when there are no others.
    """
    n = len(X)
    trials = draws.shape[1]
    nearest, cumulative = np.empty(n), np.empty(n)
    candidate, best = np.empty(n), np.empty(n)
    for i in range(n):
        nearest[i] = _square(X[i], X[first])
    chosen[0] = first
    for c in range(len(draws)):
        total = 0.0
        for i in range(n):
            total += nearest[i]
            cumulative[i] = total
        least = np.inf
        for trial in range(trials):
            if total > 0.0:
                at = min(np.searchsorted(cumulative, draws[c, trial] * total, side="right"), n - 1)
                while nearest[at] == 0.0:
                    at -= 1
            else:
                at = int(draws[c, trial] * n)
            potential = 0.0
            for i in range(n):
                value = min(nearest[i], _square(X[i], X[at]))
                candidate[i] = value
                potential += value
            if potential < least:
                least = potential
                chosen[c + 1] = at
                best, candidate = candidate, best
        nearest, best = best, nearest
    return n + n * trials * len(draws)


@njit(cache=True, nogil=True)
def _solve_passive(gram, target, passive, q, factor, solution):  # type: ignore[no-untyped-def]
    """Cholesky solution of the passive rows and columns of gram; 0 elsewhere."""
    for r in range(q):
        solution[r] = 0.0
        if not passive[r]:
            continue
        for c in range(r + 1):
            if not passive[c]:
                continue
            total = gram[r, c]
            for t in range(c):
                if passive[t]:
                    total -= factor[r, t] * factor[c, t]
            if r == c:
                factor[r, r] = np.sqrt(max(total, 1e-300))
            else:
                factor[r, c] = total / factor[c, c]
    for r in range(q):
        if passive[r]:
            total = target[r]
            for t in range(r):
                if passive[t]:
                    total -= factor[r, t] * solution[t]
            solution[r] = total / factor[r, r]
    for r in range(q - 1, -1, -1):
        if passive[r]:
            total = solution[r]
            for t in range(r + 1, q):
                if passive[t]:
                    total -= factor[t, r] * solution[t]
            solution[r] = total / factor[r, r]


@njit(cache=True, nogil=True)
def nnls_gram(gram, target, q, x, gradient, passive, factor, trial):  # type: ignore[no-untyped-def]
    """min x'Gx/2 - b'x over x >= 0 for positive definite G (Lawson and Hanson)."""
    largest = 0.0
    for r in range(q):
        x[r] = 0.0
        passive[r] = False
        gradient[r] = target[r]
        largest = max(largest, abs(target[r]))
    tolerance = 1e-13 * largest
    for _ in range(10 * q + 10):
        enter = -1
        best = tolerance
        for r in range(q):
            if not passive[r] and gradient[r] > best:
                best = gradient[r]
                enter = r
        if enter < 0:
            return
        passive[enter] = True
        for _ in range(q + 1):
            _solve_passive(gram, target, passive, q, factor, trial)
            step = 1.0
            leave = -1
            for r in range(q):
                if passive[r] and trial[r] <= 0.0:
                    ratio = x[r] / (x[r] - trial[r]) if x[r] > trial[r] else 0.0
                    if ratio < step or leave < 0:
                        step = ratio
                        leave = r
            if leave < 0:
                for r in range(q):
                    x[r] = trial[r]
                break
            for r in range(q):
                x[r] += step * (trial[r] - x[r])
                if passive[r] and x[r] <= 0.0:
                    x[r] = 0.0
                    passive[r] = False
            x[leave] = 0.0
            passive[leave] = False
        for r in range(q):
            total = target[r]
            for c in range(q):
                total -= gram[r, c] * x[c]
            gradient[r] = total


@njit(cache=True, nogil=True)
def reconstruct(A, indptr, indices, ridge, lo, hi, width, weights):  # type: ignore[no-untyped-def]
    """weights of each sample: min ||a_i - sum_t s_t a_indices[t]||^2 + ridge ||s||^2 over s >= 0."""
    d = A.shape[1]
    gram = np.empty((width, width))
    factor = np.zeros((width, width))
    target = np.empty(width)
    x = np.empty(width)
    gradient = np.empty(width)
    trial = np.empty(width)
    passive = np.zeros(width, dtype=np.bool_)
    for i in range(lo, hi):
        start = indptr[i]
        q = indptr[i + 1] - start
        trace = 0.0
        for r in range(q):
            a = indices[start + r]
            total = 0.0
            for f in range(d):
                total += np.float64(A[a, f]) * A[i, f]
            target[r] = total
            for c in range(r + 1):
                b = indices[start + c]
                total = 0.0
                for f in range(d):
                    total += np.float64(A[a, f]) * A[b, f]
                gram[r, c] = total
                gram[c, r] = total
            trace += gram[r, r]
        # A multiple of rounding error keeps the factorisation defined without a ridge.
        extra = max(ridge, 1e-12 * trace / max(q, 1))
        for r in range(q):
            gram[r, r] += extra
        nnls_gram(gram, target, q, x, gradient, passive, factor, trial)
        for r in range(q):
            weights[start + r] = x[r]


@njit(cache=True, nogil=True)
def _dot(X, a, rest):  # type: ignore[no-untyped-def]
    total = 0.0
    for f in range(len(rest)):
        total += X[a, f] * rest[f]
    return total


@njit(cache=True, nogil=True)
def _rest(X, candidates, i, n, weights, rest):  # type: ignore[no-untyped-def]
    """What the weights leave of sample i."""
    for f in range(len(rest)):
        rest[f] = X[i, f]
    for a in range(n):
        if weights[a] != 0.0:
            for f in range(len(rest)):
                rest[f] -= weights[a] * X[candidates[i, a], f]


@njit(cache=True, nogil=True)
def _error(rest, weights, n, rho):  # type: ignore[no-untyped-def]
    total = 0.0
    for f in range(len(rest)):
        total += rest[f] * rest[f]
    ridge = 0.0
    for a in range(n):
        ridge += np.float64(weights[a]) * weights[a]
    return total + rho * ridge


@njit(cache=True, nogil=True)
def _descend(X, norms, candidates, i, n, rho, n_sweeps, weights, rest):  # type: ignore[no-untyped-def]
    """Coordinate descent over the positive ones of n weights."""
    _rest(X, candidates, i, n, weights, rest)
    for _ in range(n_sweeps):
        for a in range(n):
            if weights[a] <= 0.0:
                continue
            j = candidates[i, a]
            curvature = norms[j] + rho
            if curvature <= 0.0:
                continue
            before = weights[a]
            weights[a] = max(0.0, before + (_dot(X, j, rest) - rho * before) / curvature)
            step = weights[a] - before
            if step != 0.0:
                for f in range(len(rest)):
                    rest[f] -= step * X[j, f]


@njit(cache=True, nogil=True)
def _settle(X, candidates, i, n, rho, weights, row, rest):  # type: ignore[no-untyped-def]
    """Round weights to those that are kept, at least one; their error and number."""
    size = 0
    for a in range(len(row)):
        row[a] = 0.0
        if a < n and weights[a] > LINK:
            row[a] = weights[a]
            size += 1
    if size == 0:
        row[0] = LEAST
        size = 1
    _rest(X, candidates, i, n, row, rest)
    return _error(rest, row, n, rho), size


@njit(cache=True, nogil=True)
def fill_rows(  # type: ignore[no-untyped-def]
    X, norms, candidates, admissible, rho, width, n_sweeps, lo, hi, rows, errors, sizes
):
    """Equal weights on the first ``width`` candidates, then sweeps of coordinate descent."""
    weights = np.empty(candidates.shape[1])
    rest = np.empty(X.shape[1])
    for i in range(lo, hi):
        n = min(width, admissible[i])
        for a in range(n):
            weights[a] = 1.0 / n
        _descend(X, norms, candidates, i, n, rho, n_sweeps, weights, rest)
        errors[i], sizes[i] = _settle(X, candidates, i, n, rho, weights, rows[i], rest)


@njit(cache=True, nogil=True)
def score_rows(X, candidates, admissible, rho, rows, lo, hi, errors, sizes):  # type: ignore[no-untyped-def]
    """Error and number of links of every row."""
    rest = np.empty(X.shape[1])
    for i in range(lo, hi):
        n = admissible[i]
        _rest(X, candidates, i, n, rows[i], rest)
        errors[i] = _error(rest, rows[i], n, rho)
        size = 0
        for a in range(n):
            if rows[i, a] > LINK:
                size += 1
        sizes[i] = size


@njit(cache=True, nogil=True)
def swap_rows(first, second, swap, lo, hi, child, other):  # type: ignore[no-untyped-def]
    """Rows of two parents in two children, exchanged where ``swap`` says so."""
    for i in range(lo, hi):
        for a in range(first.shape[1]):
            if swap[i]:
                child[i, a] = second[i, a]
                other[i, a] = first[i, a]
            else:
                child[i, a] = first[i, a]
                other[i, a] = second[i, a]


@njit(cache=True, nogil=True)
def _best_candidate(X, norms, candidates, i, n, rho, used, rest, least):  # type: ignore[no-untyped-def]
    """The unused candidate of largest gain max(0, g)^2 / G_aa above ``least``, or -1."""
    best = -1
    for a in range(n):
        if used[a]:
            continue
        j = candidates[i, a]
        g = _dot(X, j, rest)
        if g > 0.0:
            gain = g * g / (norms[j] + rho)
            if gain > least:
                least = gain
                best = a
    return best


@njit(cache=True, nogil=True)
def change_supports(  # type: ignore[no-untyped-def]
    X, norms, candidates, admissible, rho, which, drop, n_sweeps, lo, hi, rows, errors, sizes
):
    """Drop the smallest weight of a row, or add the candidate of largest gain; then descend."""
    weights = np.empty(candidates.shape[1])
    used = np.empty(candidates.shape[1], dtype=np.bool_)
    rest = np.empty(X.shape[1])
    for r in range(lo, hi):
        i = which[r]
        n = admissible[i]
        smallest = -1
        size = 0
        for a in range(n):
            weights[a] = rows[i, a]
            used[a] = weights[a] > 0.0
            if used[a]:
                size += 1
                if smallest < 0 or weights[a] < weights[smallest]:
                    smallest = a
        if drop[r] and size > 1:
            weights[smallest] = 0.0
        else:
            _rest(X, candidates, i, n, weights, rest)
            best = _best_candidate(X, norms, candidates, i, n, rho, used, rest, 0.0)
            if best >= 0:
                j = candidates[i, best]
                weights[best] = _dot(X, j, rest) / (norms[j] + rho)
        _descend(X, norms, candidates, i, n, rho, n_sweeps, weights, rest)
        errors[i], sizes[i] = _settle(X, candidates, i, n, rho, weights, rows[i], rest)


@njit(cache=True, nogil=True)
def _append(X, norms, candidates, i, rho, support, k, factor):  # type: ignore[no-untyped-def]
    """Row k of the Cholesky factor of the support's Gram matrix."""
    a = candidates[i, support[k]]
    square = norms[a] + rho
    rest = square
    for t in range(k):
        total = _dot(X, candidates[i, support[t]], X[a])
        for c in range(t):
            total -= factor[k, c] * factor[t, c]
        factor[k, t] = total / factor[t, t]
        rest -= factor[k, t] * factor[k, t]
    factor[k, k] = np.sqrt(max(rest, 1e-12 * square))


@njit(cache=True, nogil=True)
def _solve(factor, target, k, trial):  # type: ignore[no-untyped-def]
    for r in range(k):
        total = target[r]
        for c in range(r):
            total -= factor[r, c] * trial[c]
        trial[r] = total / factor[r, r]
    for r in range(k - 1, -1, -1):
        total = trial[r]
        for c in range(r + 1, k):
            total -= factor[c, r] * trial[c]
        trial[r] = total / factor[r, r]


@njit(cache=True, nogil=True)
def _enter(  # type: ignore[no-untyped-def]
    X, norms, candidates, i, rho, a, support, k, factor, target, solution, trial
):
    """Best non-negative weights after candidate a has come into the support, which may lose others."""
    support[k] = a
    target[k] = _dot(X, candidates[i, a], X[i])
    solution[k] = 0.0
    _append(X, norms, candidates, i, rho, support, k, factor)
    k += 1
    while k > 0:
        _solve(factor, target, k, trial)
        step = 1.0
        leave = -1
        for t in range(k):
            if trial[t] <= 0.0:
                ratio = solution[t] / (solution[t] - trial[t]) if solution[t] > trial[t] else 0.0
                if leave < 0 or ratio < step:
                    step = ratio
                    leave = t
        if leave < 0:
            for t in range(k):
                solution[t] = trial[t]
            break
        kept = 0
        for t in range(k):
            value = solution[t] + step * (trial[t] - solution[t])
            if t != leave and (value > 0.0 or trial[t] > 0.0):
                support[kept] = support[t]
                target[kept] = target[t]
                solution[kept] = value
                kept += 1
        k = kept
        for t in range(k):
            _append(X, norms, candidates, i, rho, support, t, factor)
    return k


@njit(cache=True, nogil=True)
def support_paths(  # type: ignore[no-untyped-def]
    X, norms, candidates, admissible, rho, lo, hi, errors, slots, columns, values
):
    """Least error of every size met on the way to more links; the weights where a slot is given.

    Non-negative orthogonal matching pursuit: the candidate of largest gain comes in, and the best
    weights on the support are found anew. ``errors[i, k - 1]`` is infinite for sizes that are not met.
    """
    width = candidates.shape[1]
    row = np.empty(width, dtype=np.float32)
    weights = np.empty(width)
    used = np.empty(width, dtype=np.bool_)
    rest = np.empty(X.shape[1])
    support = np.empty(width, dtype=np.int64)
    factor = np.empty((width, width))
    target = np.empty(width)
    solution = np.empty(width)
    trial = np.empty(width)
    for i in range(lo, hi):
        n = admissible[i]
        k = 0
        last = np.inf
        errors[i] = np.inf
        weights[:] = 0.0
        _rest(X, candidates, i, n, weights, rest)
        least = 1e-12 * _dot(X, i, X[i])
        for _ in range(3 * width + 1):
            used[:] = False
            for t in range(k):
                used[support[t]] = True
            best = _best_candidate(X, norms, candidates, i, n, rho, used, rest, least)
            if best >= 0:
                k = _enter(X, norms, candidates, i, rho, best, support, k, factor, target, solution, trial)
            elif last < np.inf:
                break
            weights[:] = 0.0
            for t in range(k):
                weights[support[t]] = solution[t]
            error, size = _settle(X, candidates, i, n, rho, weights, row, rest)
            if error < errors[i, size - 1]:
                errors[i, size - 1] = error
                place = slots[i, size - 1]
                if place >= 0:
                    for a in range(n):
                        if row[a] > 0.0:
                            columns[place] = a
                            values[place] = row[a]
                            place += 1
            if not error < last or best < 0:
                break
            last = error


@njit(cache=True, nogil=True)
def lower_hulls(errors, lo, hi, kept):  # type: ignore[no-untyped-def]
    """Sizes whose errors are on the falling part of the lower convex hull."""
    width = errors.shape[1]
    stack = np.empty(width, dtype=np.int64)
    slopes = np.empty(width)
    for i in range(lo, hi):
        n = 0
        for k in range(width):
            if not errors[i, k] < np.inf or (n > 0 and errors[i, k] >= errors[i, stack[n - 1]]):
                continue
            slope = 0.0
            while n > 0:
                slope = (errors[i, stack[n - 1]] - errors[i, k]) / (k - stack[n - 1])
                if n == 1 or slopes[n - 1] > slope:
                    break
                n -= 1
            slopes[n] = slope
            stack[n] = k
            n += 1
        for t in range(n):
            kept[i, stack[t]] = True
