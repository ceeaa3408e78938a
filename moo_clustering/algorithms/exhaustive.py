"""Exhaustive search over all medoid sets of a problem."""

from __future__ import annotations

from itertools import chain, combinations
from math import comb
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from pymoo.core.result import Result

from moo_clustering._arrays import non_dominated
from moo_clustering._docs import documented
from moo_clustering.encodings.base import distinct_rows
from moo_clustering.problems.partition import evaluated_population, pymoo_result

if TYPE_CHECKING:
    from moo_clustering.problems.medoids import MedoidProblem

MAX_SETS = 5000


@documented()
def count_medoid_sets(n: int, k_max: int) -> int:
    """Return the number of sets of 2 to ``k_max`` medoids among ``n`` samples.

    Parameters
    ----------
    n, k_max : int
        Number of samples and maximum number of medoids.
    """
    return sum(comb(n, k) for k in range(2, k_max + 1))


@documented(count_medoid_sets)
def enumerate_medoid_sets(n: int, k_max: int) -> NDArray[np.int64]:
    """Return all sets of 2 to ``k_max`` medoids among ``n`` samples, smaller sets first.

    Returns
    -------
    sets : ndarray of shape (n_sets, k_max)
        Sorted sets, padded with -1. For ``n = 1``, the only set is (0,).

    Examples
    --------
    >>> enumerate_medoid_sets(3, 3).tolist()
    [[0, 1, -1], [0, 2, -1], [1, 2, -1], [0, 1, 2]]
    """
    if n == 1:
        return np.concatenate([[0], np.full(k_max - 1, -1)])[None, :].astype(np.int64)
    parts = []
    for k in range(2, min(k_max, n) + 1):
        flat = np.fromiter(chain.from_iterable(combinations(range(n), k)), np.int64, comb(n, k) * k)
        padding = np.full((comb(n, k), k_max - k), -1, dtype=np.int64)
        parts.append(np.concatenate([flat.reshape(-1, k), padding], axis=1))
    return np.concatenate(parts)


def exhaustive_front(problem: MedoidProblem, *, max_sets: int = MAX_SETS) -> Result:
    """Evaluate all medoid sets of a problem and return the exact Pareto front.

    Raises a ValueError if there are more than ``max_sets`` medoid sets. Source: NSGA-II-clus.

    Parameters
    ----------
    problem : MedoidProblem
    max_sets : int, default=5000
        Maximum number of medoid sets.

    Returns
    -------
    Result
        The pymoo result. ``pop`` contains the distinct sets, improved by the problem. ``opt``,
        ``X``, ``F``, ``G`` and ``CV`` describe the exact front, sorted by ascending Xie-Beni index; with
        ``supervision="constraint"``, this front contains only sets with the smallest violation.

    Examples
    --------
    >>> from moo_clustering.problems import MedoidProblem
    >>> problem = MedoidProblem([[0], [1], [2], [10], [11], [13]], k_max=3, metric="euclidean")
    >>> problem.medoids(exhaustive_front(problem).X)
    array([[ 1,  4, -1],
           [ 1,  3,  5]])
    """
    n, k_max = problem.n_samples, problem.encoding.k_max
    n_sets = count_medoid_sets(n, k_max)
    if n_sets > max_sets:
        raise ValueError(
            f"{n} samples have {n_sets} sets of 2 to {k_max} medoids, more than max_sets={max_sets}; "
            "use a search instead, or increase max_sets"
        )
    out = problem.evaluate(
        enumerate_medoid_sets(n, k_max), return_values_of=["F", "G", "H"], return_as_dictionary=True
    )
    # If medoid sets are equal, the one with the lowest objectives is kept. If the problem outputs
    # "assigned_by", sets with different objectives are all kept, because equal medoids can then yield
    # different clusters.
    order = np.lexsort(out["F"].T[::-1])
    keys = problem.encoding.canonical(out["X"][order])
    if "assigned_by" in out:
        keys = np.concatenate([keys, out["F"][order]], axis=1)
    kept = order[np.sort(distinct_rows(keys)[0])]
    pop = evaluated_population(**{key: values[kept] for key, values in out.items()})
    violation = pop.get("CV")[:, 0]
    best = np.flatnonzero(violation == violation.min())
    F = pop.get("F")[best]
    result = pymoo_result(problem, pop, pop[best[non_dominated(F)]])
    result.CV, result.G, result.H = result.opt.get("CV", "G", "H")
    return result
