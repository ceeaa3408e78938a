"""All medoid sets at once, where there are few: the exact front instead of a search."""

from __future__ import annotations

from itertools import chain, combinations
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from pymoo.core.population import Population
from pymoo.core.result import Result

from moo_clustering.encodings._canonical import distinct_rows

if TYPE_CHECKING:
    from moo_clustering.problems._medoids import MedoidProblem

MAX_SETS = 5000


def count_medoid_sets(n: int, k_max: int) -> int:
    """Number of sets of 2 to k_max out of n samples.

    Parameters
    ----------
    n : int
        Samples.
    k_max : int
        Medoids at most.

    Returns
    -------
    int
    """
    return sum(comb(n, k) for k in range(2, k_max + 1))


def enumerate_medoid_sets(n: int, k_max: int) -> NDArray[np.int64]:
    """All sets of 2 to ``k_max`` out of ``n`` samples, smaller sets first, each ascending.

    Parameters
    ----------
    n : int
        Number of samples.
    k_max : int
        Largest number of medoids.

    Returns
    -------
    sets : ndarray of shape (n_sets, k_max)
        Padded with -1. For ``n = 1`` the one set (0,).

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
    """Evaluate all medoid sets of a problem and keep the non-dominated ones.

    Parameters
    ----------
    problem : MedoidProblem
    max_sets : int, default=5000
        Refuse more sets than this.

    Returns
    -------
    Result
        As of a pymoo run. ``pop`` holds every improved set once; ``opt`` (with ``X``, ``F``, ``G`` and
        ``CV``) the exact front, Xie-Beni ascending. Under ``supervision="constraint"`` the front is
        that of the sets of the least violation, so there always is one.

    Raises
    ------
    ValueError
        If there are more than ``max_sets`` sets.

    References
    ----------
    NSGA-II-clus.

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
            "search instead, or raise max_sets."
        )
    out = problem.evaluate(
        enumerate_medoid_sets(n, k_max),
        return_values_of=["F", "G", "H"],
        return_as_dictionary=True,
    )
    pop = _distinct(problem, out)
    result = Result()
    result.problem, result.pop, result.success = problem, pop, True
    violation = pop.get("CV")[:, 0]
    best = np.flatnonzero(violation == violation.min())
    F = pop.get("F")[best]
    result.opt = pop[best[non_dominated(F)]]
    result.X, result.F, result.CV, result.G, result.H = result.opt.get("X", "F", "CV", "G", "H")
    return result


def _distinct(problem: MedoidProblem, out: dict[str, NDArray[Any]]) -> Population:
    """Evaluated individuals, of those with the same medoids the one of the least objectives."""
    # With labels that are kept apart, equal medoids can have been scored differently.
    order = np.lexsort(out["F"].T[::-1])
    canonical = problem.encoding.canonical(out["X"][order])
    keys = np.concatenate([canonical, out["F"][order]], axis=1) if "assigned_by" in out else canonical
    kept = order[np.sort(distinct_rows(keys)[0])]
    pop = Population.new(**{key: values[kept] for key, values in out.items()})
    pop.apply(lambda individual: individual.evaluated.update(out))
    return pop


def non_dominated(F: NDArray[np.float64]) -> NDArray[np.intp]:
    """Rows that no other dominates (equal ones all), in lexicographic order. O(n_rows n_front)."""
    rest = np.lexsort(F.T[::-1])
    front: list[int] = []
    while len(rest):
        # The lexicographically least of those not dominated by the front is not dominated at all.
        first = F[rest[0]]
        equal = (F[rest] == first).all(axis=1)
        front.extend(rest[equal].tolist())
        rest = rest[(F[rest] < first).any(axis=1)]
    return np.array(front, dtype=np.intp)
