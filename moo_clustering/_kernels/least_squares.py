"""Non-negative least squares: exact solutions, and the sparse rows that SRMOSC evolves.

Each row reconstructs one sample as a weighted sum of other samples, its candidates. The non-negative weights
minimise the squared error plus ``rho`` times the squared weights. Threads process rows ``lo`` to ``hi - 1``.
"""

import numpy as np

from moo_clustering._kernels.caching import njit

# A weight above this value is a link. Smaller weights are remnants of coordinate descent.
LINK = 1e-6
# If no candidate reduces a sample's error, the sample receives a link with this weight.
LEAST = 1e-3


@njit(cache=True, nogil=True)
def _solve_passive(gram, target, passive, q, factor, solution):
    """Solve ``gram @ solution = target`` for the passive variables by Cholesky factorisation."""
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
def nnls_gram(gram, target, q, x, gradient, passive, factor, trial):
    """Minimise x' G x / 2 - b' x over x >= 0 for a positive definite matrix G (Lawson and Hanson)."""
    # G consists of the first q rows and columns of ``gram``, and b of the first q entries of ``target``.
    largest = 0.0
    for r in range(q):
        x[r], passive[r], gradient[r] = 0.0, False, target[r]
        largest = max(largest, abs(target[r]))
    tolerance = 1e-13 * largest
    for _ in range(10 * q + 10):
        enter, best = -1, tolerance
        for r in range(q):
            if not passive[r] and gradient[r] > best:
                enter, best = r, gradient[r]
        if enter < 0:
            return
        passive[enter] = True
        for _ in range(q + 1):
            _solve_passive(gram, target, passive, q, factor, trial)
            step, leave = 1.0, -1
            for r in range(q):
                if passive[r] and trial[r] <= 0.0:
                    ratio = x[r] / (x[r] - trial[r]) if x[r] > trial[r] else 0.0
                    if ratio < step or leave < 0:
                        step, leave = ratio, r
            if leave < 0:
                for r in range(q):
                    x[r] = trial[r]
                break
            for r in range(q):
                x[r] += step * (trial[r] - x[r])
                if passive[r] and x[r] <= 0.0:
                    x[r], passive[r] = 0.0, False
            x[leave], passive[leave] = 0.0, False
        for r in range(q):
            total = target[r]
            for c in range(q):
                total -= gram[r, c] * x[c]
            gradient[r] = total


@njit(cache=True, nogil=True)
def reconstruct(A, indptr, indices, ridge, lo, hi, width, weights):
    """Find each sample's weights s >= 0 that minimise the squared error plus ``ridge`` times ||s||^2."""
    d = A.shape[1]
    gram, factor = np.empty((width, width)), np.zeros((width, width))
    target, x = np.empty(width), np.empty(width)
    gradient, trial, passive = np.empty(width), np.empty(width), np.zeros(width, dtype=np.bool_)
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
                gram[r, c] = gram[c, r] = total
            trace += gram[r, r]
        # If there is no ridge, a small fraction of the trace ensures that the factorisation exists.
        extra = max(ridge, 1e-12 * trace / max(q, 1))
        for r in range(q):
            gram[r, r] += extra
        nnls_gram(gram, target, q, x, gradient, passive, factor, trial)
        for r in range(q):
            weights[start + r] = x[r]


@njit(cache=True, nogil=True)
def _dot(X, a, rest):
    total = 0.0
    for f in range(len(rest)):
        total += X[a, f] * rest[f]
    return total


@njit(cache=True, nogil=True)
def _residual(X, candidates, i, n, weights, rest):
    for f in range(len(rest)):
        rest[f] = X[i, f]
    for a in range(n):
        if weights[a] != 0.0:
            for f in range(len(rest)):
                rest[f] -= weights[a] * X[candidates[i, a], f]


@njit(cache=True, nogil=True)
def _error(rest, weights, n, rho):
    total = 0.0
    for f in range(len(rest)):
        total += rest[f] * rest[f]
    ridge = 0.0
    for a in range(n):
        ridge += np.float64(weights[a]) * weights[a]
    return total + rho * ridge


@njit(cache=True, nogil=True)
def _descend(X, norms, candidates, i, n, rho, n_sweeps, weights, rest):
    """Run coordinate descent on the positive weights of the first n candidates."""
    _residual(X, candidates, i, n, weights, rest)
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
def _settle(X, candidates, i, n, rho, weights, row, rest):
    """Copy the weights above ``LINK`` to ``row``, and return the error and the number of links."""
    size = 0
    for a in range(len(row)):
        row[a] = 0.0
        if a < n and weights[a] > LINK:
            row[a] = weights[a]
            size += 1
    if size == 0:
        row[0] = LEAST
        size = 1
    _residual(X, candidates, i, n, row, rest)
    return _error(rest, row, n, rho), size


@njit(cache=True, nogil=True)
def fill_rows(X, norms, candidates, admissible, rho, width, n_sweeps, lo, hi, rows, errors, sizes):
    """Run coordinate descent from equal weights of each row's first ``width`` candidates."""
    weights, rest = np.empty(candidates.shape[1]), np.empty(X.shape[1])
    for i in range(lo, hi):
        n = min(width, admissible[i])
        weights[:n] = 1.0 / n
        _descend(X, norms, candidates, i, n, rho, n_sweeps, weights, rest)
        errors[i], sizes[i] = _settle(X, candidates, i, n, rho, weights, rows[i], rest)


@njit(cache=True, nogil=True)
def score_rows(X, candidates, admissible, rho, rows, lo, hi, errors, sizes):
    rest = np.empty(X.shape[1])
    for i in range(lo, hi):
        n = admissible[i]
        _residual(X, candidates, i, n, rows[i], rest)
        errors[i] = _error(rest, rows[i], n, rho)
        sizes[i] = 0
        for a in range(n):
            sizes[i] += rows[i, a] > LINK


@njit(cache=True, nogil=True)
def swap_rows(first, second, swap, lo, hi, child, other):
    for i in range(lo, hi):
        for a in range(first.shape[1]):
            if swap[i]:
                child[i, a], other[i, a] = second[i, a], first[i, a]
            else:
                child[i, a], other[i, a] = first[i, a], second[i, a]


@njit(cache=True, nogil=True)
def _best_candidate(X, norms, candidates, i, n, rho, used, rest, least):
    """Return the unused candidate with the largest gain, or -1 if no gain exceeds ``least``."""
    # The gain is the decrease in error if only the weight of this candidate changes.
    best = -1
    for a in range(n):
        if used[a]:
            continue
        j = candidates[i, a]
        g = _dot(X, j, rest)
        if g > 0.0:
            gain = g * g / (norms[j] + rho)
            if gain > least:
                best, least = a, gain
    return best


@njit(cache=True, nogil=True)
def change_supports(
    X, norms, candidates, admissible, rho, which, drop, n_sweeps, lo, hi, rows, errors, sizes
):
    """For each row, drop the smallest weight or add the best candidate, and then run coordinate descent."""
    width, rest = candidates.shape[1], np.empty(X.shape[1])
    weights, used = np.empty(width), np.empty(width, dtype=np.bool_)
    for r in range(lo, hi):
        i = which[r]
        n = admissible[i]
        smallest, size = -1, 0
        for a in range(n):
            weights[a] = rows[i, a]
            used[a] = weights[a] > 0.0
            size += used[a]
            if used[a] and (smallest < 0 or weights[a] < weights[smallest]):
                smallest = a
        if drop[r] and size > 1:
            weights[smallest] = 0.0
        else:
            _residual(X, candidates, i, n, weights, rest)
            best = _best_candidate(X, norms, candidates, i, n, rho, used, rest, 0.0)
            if best >= 0:
                j = candidates[i, best]
                weights[best] = _dot(X, j, rest) / (norms[j] + rho)
        _descend(X, norms, candidates, i, n, rho, n_sweeps, weights, rest)
        errors[i], sizes[i] = _settle(X, candidates, i, n, rho, weights, rows[i], rest)


@njit(cache=True, nogil=True)
def _append(X, norms, candidates, i, rho, support, k, factor):
    """Compute row k of the Cholesky factor of the support's Gram matrix."""
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
def _solve(factor, target, k, trial):
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
def _enter(X, norms, candidates, i, rho, a, support, k, factor, target, solution, trial):
    """Add candidate a to the support, and optimise the weights of the support."""
    # Candidates whose weights become 0 leave the support. The function returns the size of the support.
    support[k] = a
    target[k] = _dot(X, candidates[i, a], X[i])
    solution[k] = 0.0
    _append(X, norms, candidates, i, rho, support, k, factor)
    k += 1
    while k > 0:
        _solve(factor, target, k, trial)
        step, leave = 1.0, -1
        for t in range(k):
            if trial[t] <= 0.0:
                ratio = solution[t] / (solution[t] - trial[t]) if solution[t] > trial[t] else 0.0
                if leave < 0 or ratio < step:
                    step, leave = ratio, t
        if leave < 0:
            for t in range(k):
                solution[t] = trial[t]
            break
        kept = 0
        # If the step is 0, the added candidate still has weight 0. It stays if its trial weight is positive.
        for t in range(k):
            value = solution[t] + step * (trial[t] - solution[t])
            if t != leave and (value > 0.0 or trial[t] > 0.0):
                support[kept] = support[t]
                target[kept] = target[t]
                solution[kept] = value
                kept += 1
        k = kept
        # The candidates after a removed one have moved up, so their rows of the Cholesky factor are
        # recomputed.
        for t in range(k):
            _append(X, norms, candidates, i, rho, support, t, factor)
    return k


@njit(cache=True, nogil=True)
def support_paths(X, norms, candidates, admissible, rho, lo, hi, errors, slots, columns, values):
    """Find each sample's smallest error for each number of links, and the corresponding weights."""
    # Non-negative orthogonal matching pursuit adds the candidate with the largest gain in each round, and
    # then optimises the weights of the support. If no solution with k links is found, ``errors[i, k - 1]`` is
    # infinite. If ``slots[i, k - 1]`` is not negative, it is the position in ``columns`` and ``values`` at
    # which the links of the solution are stored.
    width = candidates.shape[1]
    row, weights, rest = np.empty(width, dtype=np.float32), np.empty(width), np.empty(X.shape[1])
    used, support = np.empty(width, dtype=np.bool_), np.empty(width, dtype=np.int64)
    factor, target = np.empty((width, width)), np.empty(width)
    solution, trial = np.empty(width), np.empty(width)
    for i in range(lo, hi):
        n, k, last = admissible[i], 0, np.inf
        errors[i] = np.inf
        weights[:] = 0.0
        _residual(X, candidates, i, n, weights, rest)
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
            # If the first round finds no candidate, `_settle` still gives the sample one link.
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
def lower_hulls(errors, lo, hi, kept):
    """Mark the numbers of links whose errors lie on the decreasing part of the lower convex hull."""
    width = errors.shape[1]
    stack = np.empty(width, dtype=np.int64)
    # ``slopes`` contains the decrease in error per additional link before each corner of the hull.
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
            slopes[n], stack[n] = slope, k
            n += 1
        for t in range(n):
            kept[i, stack[t]] = True
