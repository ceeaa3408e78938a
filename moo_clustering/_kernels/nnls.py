"""Many small non-negative least-squares problems, one per sample, by the active-set method."""

from __future__ import annotations

import numpy as np
from numba import njit


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
