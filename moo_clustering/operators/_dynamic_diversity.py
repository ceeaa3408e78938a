"""Survival for an objective that depends on the population itself."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pymoo.core.survival import Survival
from pymoo.operators.survival.rank_and_crowding.metrics import get_crowding_function
from pymoo.util.nds.non_dominated_sorting import NonDominatedSorting

from moo_clustering.diversity import equal_loci, remove_counts, shared_choices

if TYPE_CHECKING:
    from pymoo.core.population import Population

    from moo_clustering.problems import NeighborGraphProblem

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.integer[Any]]

_crowding = get_crowding_function("cd")


def rank_and_crowding(F: FloatArray) -> tuple[IntArray, FloatArray]:
    """Front number (0 = non-dominated) and crowding distance within its front of every row of F."""
    fronts, rank = NonDominatedSorting().do(F, return_rank=True)
    crowding = np.empty(len(F))
    for front in fronts:
        crowding[front] = _crowding.do(F[front], n_remove=0)
    return np.asarray(rank), crowding


class DynamicDiversitySurvival(Survival):
    """NSGA-II survival that keeps the diversity objective true to the population it is measured in.

    pymoo evaluates offspring only, so parents would keep an f2 measured in a population that is gone.
    Here f2 of everybody is recomputed with respect to parents and offspring together before ranking,
    and with respect to the survivors after it, with rank and crowding recomputed to match: objective
    values, ranks and the next tournament all speak of one and the same population.

    Parameters
    ----------
    diversity : {"slots", "last_front", "none"}, default="slots"
        How diversity in the space of choices is preserved beyond f2 (the paper says only that
        ``n_div`` individuals are concerned):

        - ``"slots"``: ``n_survive - n_div`` places by front and crowding, the others one by one, in
          front order and within a front to the member that differs most from those selected so far.
        - ``"last_front"``: in the front that does not fit, DIV with respect to the merged population
          replaces crowding; its member of least f1 is kept.
        - ``"none"``: plain NSGA-II.
    n_div : int, optional
        Places of ``"slots"``; default ceil(0.1 n_survive).

    Notes
    -----
    O(pop N) for f2 by counts, O(n_div pop N) comparisons of bytes for the slots. Works with any
    problem that offers ``ranks``, ``count`` and ``one_minus_diversity`` as
    :class:`~moo_clustering.problems.NeighborGraphProblem` does and has f2 as second objective.
    Feasibility is by construction: infeasible individuals are not treated apart.

    References
    ----------
    PESC, Eq. 2 and "Complexity analysis".
    """

    def __init__(
        self, diversity: Literal["slots", "last_front", "none"] = "slots", n_div: int | None = None
    ) -> None:
        super().__init__(filter_infeasible=False)
        if diversity not in ("slots", "last_front", "none"):
            raise ValueError(f"diversity must be 'slots', 'last_front' or 'none', got {diversity!r}.")
        if n_div is not None and n_div < 0:
            raise ValueError(f"n_div must be None or at least 0, got {n_div}.")
        self.diversity = diversity
        self.n_div = n_div

    def _do(
        self,
        problem: NeighborGraphProblem,
        pop: Population,
        *args: Any,
        n_survive: int | None = None,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> Population:
        n_survive = len(pop) if n_survive is None else n_survive
        ranks = problem.ranks(pop.get("X"))
        F = np.array(pop.get("F"), dtype=np.float64)
        chosen, F = self.select(problem, ranks, F, n_survive)
        survivors = pop[chosen]
        rank, crowding = rank_and_crowding(F)
        survivors.set("F", F, "rank", rank, "crowding", crowding)
        return survivors

    def select(
        self, problem: NeighborGraphProblem, ranks: IntArray, F: FloatArray, n_survive: int
    ) -> tuple[IntArray, FloatArray]:
        """Indices of the survivors and their objectives with respect to each other.

        Parameters
        ----------
        problem : NeighborGraphProblem
        ranks : ndarray of shape (n_individuals, n_samples)
            Parents and offspring in rank encoding.
        F : ndarray of shape (n_individuals, 2)
            Its first column is f1; the second is ignored.
        n_survive : int
        """
        counts = problem.count(ranks)
        merged = np.column_stack([F[:, 0], problem.one_minus_diversity(ranks, counts, len(ranks))])
        chosen = self._choose(problem, ranks, merged, n_survive)
        dropped = np.setdiff1d(np.arange(len(ranks)), chosen)
        if len(dropped) == 0:
            return chosen, merged[chosen]
        # Counts of disjoint sets add up: take the dropped out instead of counting the survivors.
        remove_counts(counts, ranks[dropped], n_jobs=problem.n_jobs)
        f2 = problem.one_minus_diversity(ranks[chosen], counts, len(chosen))
        return chosen, np.column_stack([merged[chosen, 0], f2])

    def _choose(
        self, problem: NeighborGraphProblem, ranks: IntArray, F: FloatArray, n_survive: int
    ) -> IntArray:
        if n_survive >= len(F):
            return np.arange(len(F))
        rank, crowding = rank_and_crowding(F)
        if self.diversity == "last_front":
            crowding = self._diversity_in_last_front(F, rank, crowding, n_survive)
        order = np.lexsort((np.arange(len(F)), -crowding, rank))
        if self.diversity != "slots":
            return order[:n_survive]
        n_div = math.ceil(0.1 * n_survive) if self.n_div is None else min(self.n_div, n_survive)
        chosen, rest = order[: n_survive - n_div], order[n_survive - n_div :]
        return np.concatenate([chosen, self._most_different(problem, ranks, rank, chosen, rest, n_div)])

    @staticmethod
    def _diversity_in_last_front(
        F: FloatArray, rank: IntArray, crowding: FloatArray, n_survive: int
    ) -> FloatArray:
        sizes = np.cumsum(np.bincount(rank))
        last = np.flatnonzero(rank == np.searchsorted(sizes, n_survive))
        crowding = crowding.copy()
        crowding[last] = 1.0 - F[last, 1]
        crowding[last[np.argmin(F[last, 0])]] = np.inf
        return crowding

    @staticmethod
    def _most_different(
        problem: NeighborGraphProblem,
        ranks: IntArray,
        rank: IntArray,
        chosen: IntArray,
        rest: IntArray,
        n_div: int,
    ) -> IntArray:
        """``n_div`` of ``rest``, which is in order of front, crowding and position."""
        if n_div == 0:
            return rest[:0]
        # Only fronts that can be reached within n_div picks matter.
        reachable = rest[rank[rest] <= rank[rest[n_div - 1]]]
        candidates = ranks[reachable]
        if len(chosen):
            counts = problem.count(ranks[chosen])
            shared = shared_choices(candidates, counts, n_jobs=problem.n_jobs)
        else:
            shared = np.zeros(len(reachable), dtype=np.int64)
        free = np.ones(len(reachable), dtype=bool)
        picked = []
        for _ in range(n_div):
            open_positions = np.flatnonzero(free)
            front = open_positions[rank[reachable[open_positions]] == rank[reachable[open_positions[0]]]]
            pick = front[np.argmin(shared[front])]  # argmin takes the first: crowding, then position
            picked.append(reachable[pick])
            free[pick] = False
            shared += equal_loci(candidates, candidates[pick], n_jobs=problem.n_jobs)
        return np.array(picked)
