"""Who dominates whom, and by how much: one solution against an archive."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@njit(cache=True, nogil=True)
def dominates(f: Floats, c: float, g: Floats, d: float) -> bool:
    """Whether objectives f with constraint violation c dominate g with d.

    The smaller violation dominates; with equal ones, Pareto domination decides.
    """
    if c != d:
        return c < d
    better = False
    for t in range(f.shape[0]):
        if f[t] > g[t]:
            return False
        better = better or f[t] < g[t]
    return better


@njit(cache=True, nogil=True)
def amount(f: Floats, c: float, g: Floats, d: float, ranges: Floats) -> float:
    """Amount of domination: product of the differences relative to their ranges.

    Parameters
    ----------
    f, g : ndarray of shape (n_obj,)
    c, d : float
        Constraint violations; where they differ, they alone decide.
    ranges : ndarray of shape (n_obj + 1,)
        Of every objective, and last of the violation.
    """
    if c != d:
        return abs(c - d) / float(ranges[f.shape[0]])
    product = 1.0
    for t in range(f.shape[0]):
        difference = abs(f[t] - g[t])
        # An infinite difference is the whole range, a finite one is nothing beside it.
        if difference > 0.0 and ranges[t] > 0.0 and not (np.isinf(ranges[t]) and np.isinf(difference)):
            product *= difference / ranges[t]
    return product


@njit(cache=True, nogil=True)
def weigh(
    F: Floats, violations: Floats, n: int, new: Floats, c: float, current: Floats, d: float
) -> tuple[int, int, float, float, int]:
    """Compare a new solution with the current one and with an archive.

    Parameters
    ----------
    F : ndarray of shape (capacity, n_obj)
        Objectives of the archive, of which the first ``n`` rows count.
    violations : ndarray of shape (capacity,)
        Their constraint violations.
    n : int
    new, current : ndarray of shape (n_obj,)
    c, d : float
        Violations of the new and of the current solution.

    Returns
    -------
    relation : int
        1 if the current solution dominates the new one, -1 the other way round, else 0.
    k : int
        Members that dominate the new solution.
    total : float
        Sum of the amounts by which these, and the current solution if it does, dominate it.
    least : float
        Smallest amount of a member (infinity without any).
    nearest : int
        Its row, the first of several.

    Notes
    -----
    O(n n_obj). Ranges are those of archive, new and current solution together.
    """
    relation = 0
    if dominates(current, d, new, c):
        relation = 1
    elif dominates(new, c, current, d):
        relation = -1
    k = 0
    for i in range(n):
        if dominates(F[i], violations[i], new, c):
            k += 1
    total = 0.0
    least = np.inf
    nearest = -1
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
    if k > 0:
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
def not_dominated(F: Floats, violations: Floats, n: int, f: Floats, c: float) -> NDArray[Any]:
    """Rows among the first ``n`` that f with violation c does not dominate."""
    rows = np.empty(n, dtype=np.int64)
    kept = 0
    for i in range(n):
        if not dominates(f, c, F[i], violations[i]):
            rows[kept] = i
            kept += 1
    return rows[:kept]
