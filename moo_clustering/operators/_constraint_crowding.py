"""Internal NSGA-II-clus: satisfied constraints count as crowding distance."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pymoo.core.duplicate import DuplicateElimination
from pymoo.core.population import Population
from pymoo.core.survival import Survival
from pymoo.util.nds.non_dominated_sorting import NonDominatedSorting

FloatArray = NDArray[np.float64]
Boundary = Literal["infinite", "finite"]


def crowding_distance(F: FloatArray, boundary: Boundary = "infinite") -> FloatArray:
    """Crowding distance of the members of one front, summed over the objectives.

    Parameters
    ----------
    F : ndarray of shape (n_members, n_obj)
    boundary : {"infinite", "finite"}, default="infinite"
        What the first and the last of an objective get: infinity, or the number of objectives,
        which is the most an inner member can have.

    Notes
    -----
    pymoo's own divides by the number of objectives, and gives 0 to the ends of an objective that
    does not vary. Ties in an objective are ordered by index.

    References
    ----------
    NSGA-II-clus, Algorithm 1.
    """
    n_members, n_obj = F.shape
    total = np.zeros(n_members)
    for f in F.T:
        order = np.argsort(f, kind="stable")
        ordered = f[order]
        spread = ordered[-1] - ordered[0]
        if spread > 0:
            total[order[1:-1]] += (ordered[2:] - ordered[:-2]) / spread
        total[order[[0, -1]]] = np.inf
    if boundary == "finite":
        total[np.isinf(total)] = n_obj
    return total


class ConstraintCrowdingSurvival(Survival):
    """Rank, then crowding distance plus the satisfied part of the constraints, then chance.

    F_new = F + w_m / M + w_c / C, where the bonus is what a problem stored with its individuals as
    ``"constraint_bonus"`` (:class:`~moo_clustering.problems.PartitionProblem` with
    ``constraint_handling="crowding"``); without, it is 0 and this is the unsupervised algorithm.

    Parameters
    ----------
    boundary : {"infinite", "finite"}, default="infinite"
        Crowding of the ends of a front before the bonus is added: infinite, as printed, which the
        bonus cannot change, or the number of objectives, so that it counts everywhere.
    unique : pymoo DuplicateElimination, optional
        Drop duplicates before ranking, the later ones, as long as enough individuals remain.

    Notes
    -----
    ``rank`` and ``crowding`` (with the bonus) are set on all survivors. The paper's tournament
    compares ranks: set ``algorithm.tournament_type = "comp_by_rank_and_crowding"``.

    References
    ----------
    NSGA-II-clus, Algorithms 1 and 2.
    """

    def __init__(
        self, boundary: Boundary = "infinite", *, unique: DuplicateElimination | None = None
    ) -> None:
        super().__init__(filter_infeasible=True)
        if boundary not in ("infinite", "finite"):
            raise ValueError(f"boundary must be 'infinite' or 'finite', got {boundary!r}.")
        if unique is not None and not isinstance(unique, DuplicateElimination):
            raise TypeError(f"unique must be a pymoo DuplicateElimination or None, got {unique!r}.")
        self.boundary: Boundary = boundary
        self.unique = unique

    def _do(
        self,
        problem: Any,
        pop: Population,
        *args: Any,
        n_survive: int | None = None,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> Population:
        if n_survive is None:
            n_survive = len(pop)
        if self.unique is not None:
            pop = _without_duplicates(pop, self.unique, n_survive)
        F = pop.get("F").astype(float)
        bonus = np.array([0.0 if b is None else b for b in pop.get("constraint_bonus")], dtype=float)
        rank = np.full(len(pop), -1)
        crowding = np.full(len(pop), np.nan)
        for k, front in enumerate(NonDominatedSorting().do(F, n_stop_if_ranked=n_survive)):
            rank[front] = k
            crowding[front] = crowding_distance(F[front], self.boundary) + bonus[front]
        ranked = np.flatnonzero(rank >= 0)
        chance = np.random.default_rng(random_state).random(len(ranked))
        order = np.lexsort((chance, -crowding[ranked], rank[ranked]))
        survivors = ranked[order[:n_survive]]
        for i in survivors:
            pop[i].set("rank", int(rank[i]))
            pop[i].set("crowding", float(crowding[i]))
        return pop[survivors]


def _without_duplicates(pop: Population, unique: DuplicateElimination, n_least: int) -> Population:
    """The first of all that are equal; the first of the others too, while fewer than n_least remain."""
    _, kept, duplicates = unique.do(pop, return_indices=True)
    missing = max(0, n_least - len(kept))
    return pop[sorted([*kept, *duplicates[:missing]])]
