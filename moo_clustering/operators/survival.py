"""Survival operators with a constraint bonus, recomputed diversity, an elite or random choice."""

from __future__ import annotations

import copy
import math
from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.random import Generator
from pymoo.core.duplicate import DuplicateElimination
from pymoo.core.population import Population
from pymoo.core.survival import Survival
from pymoo.operators.survival.rank_and_crowding.metrics import get_crowding_function
from pymoo.util.nds.non_dominated_sorting import NonDominatedSorting

from moo_clustering._arrays import array_of, choice, instance, integer, quoted
from moo_clustering._types import FloatArray, IntArray, IntpArray, Labels
from moo_clustering.diversity import equal_loci, remove_counts, shared_choices
from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.encodings.base import distinct_rows
from moo_clustering.operators import base
from moo_clustering.operators.neighbors import NEIGHBOR_GRAPH

if TYPE_CHECKING:
    from moo_clustering.problems import NeighborGraphProblem

Boundary = Literal["infinite", "finite"]
Scalar = Callable[[FloatArray, Labels], FloatArray]
_crowding = get_crowding_function("cd")


class _SeededSurvival(Survival):
    def _do(
        self, problem: Any, pop: Any, *_: Any, n_survive: Any = None, random_state: Any = None, **kwargs: Any
    ) -> Population:
        rng = np.random.default_rng(random_state)
        return self._survivors(problem, pop, len(pop) if n_survive is None else n_survive, rng)

    @abstractmethod
    def _survivors(self, problem: Any, pop: Population, n_survive: int, rng: Generator) -> Population:
        """Return the survivors, with their attributes ``rank`` and ``crowding`` set."""


class ConstraintCrowdingSurvival(_SeededSurvival):
    """Select survivors by rank, then by the sum of crowding distance and a constraint bonus, then at random.

    The bonus is the satisfied share of must-links plus the satisfied share of cannot-links. It is stored in
    the individuals' attribute ``"constraint_bonus"`` (default: 0), which
    :class:`~moo_clustering.problems.PartitionProblem` sets if ``constraint_handling="crowding"``. The
    ``crowding`` of survivors includes the bonus. To decide tournaments by rank, as in the paper, set
    ``algorithm.tournament_type = "comp_by_rank_and_crowding"``. Source: NSGA-II-clus, Algorithms 1 and 2.

    Parameters
    ----------
    boundary : {"infinite", "finite"}, default="infinite"
        Crowding distance at the ends of a front: infinity, as in the paper, or the number of objectives. If
        it is infinite, the bonus has no effect at the ends.
    unique : pymoo DuplicateElimination, optional
        Removes duplicates of previous individuals before the ranking if enough individuals remain.
    """

    def __init__(
        self, boundary: Boundary = "infinite", *, unique: DuplicateElimination | None = None
    ) -> None:
        super().__init__(filter_infeasible=True)
        self.boundary: Boundary = choice("boundary", boundary, ("infinite", "finite"))
        what = "a pymoo DuplicateElimination or None"
        self.unique = instance("unique", unique, DuplicateElimination | None, what)

    def _survivors(self, problem: Any, pop: Population, n_survive: int, rng: Generator) -> Population:
        if self.unique is not None:
            # If fewer than ``n_survive`` individuals are distinct, the first duplicates are also kept.
            _, distinct, duplicates = self.unique.do(pop, return_indices=True)
            pop = pop[sorted([*distinct, *duplicates[: max(0, n_survive - len(distinct))]])]
        F = pop.get("F").astype(float)
        bonus = np.array([0.0 if b is None else b for b in pop.get("constraint_bonus")], dtype=float)
        rank, crowding = rank_with_bonus(F, bonus, self.boundary, n_survive)
        ranked = np.flatnonzero(rank >= 0)
        order = np.lexsort((rng.random(len(ranked)), -crowding[ranked], rank[ranked]))
        chosen = ranked[order[:n_survive]]
        survivors = pop[chosen]
        survivors.set("rank", rank[chosen].tolist(), "crowding", crowding[chosen].tolist())
        return survivors


def rank_with_bonus(
    F: FloatArray, bonus: FloatArray, boundary: Boundary, n_ranked: int | None = None
) -> tuple[IntArray, FloatArray]:
    """Return front numbers and crowding plus bonus; -1 and NaN for fronts after ``n_ranked`` individuals."""
    rank, crowding = np.full(len(F), -1), np.full(len(F), np.nan)
    for k, front in enumerate(NonDominatedSorting().do(F, n_stop_if_ranked=n_ranked)):
        rank[front] = k
        crowding[front] = crowding_distance(F[front], boundary) + bonus[front]
    return rank, crowding


def crowding_distance(F: FloatArray, boundary: Boundary = "infinite") -> FloatArray:
    """Return the crowding distance of each member of a front, summed over the objectives.

    Members with the lowest or highest value of an objective get infinity or, with ``boundary="finite"``, the
    number of objectives. Equal values are ordered by index. pymoo instead averages over the objectives and
    uses 0 for constant objectives. Source: NSGA-II-clus, Algorithm 1.
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


class DynamicDiversitySurvival(_SeededSurvival):
    """NSGA-II survival that recomputes the diversity objective f2 for the current population.

    pymoo evaluates only offspring, so the parents' f2 would refer to a previous population. This survival
    computes f2 relative to all parents and offspring before ranking, and recomputes f2, rank and crowding
    relative to the survivors afterwards. Requires feasible individuals of a ``NeighborGraphProblem``.
    Computing f2 takes O(pop N) time, and ``"slots"`` takes O(n_div pop N) time, where pop is the number of
    individuals and N the number of samples. Source: PESC, Eq. 2 and "Complexity analysis"; of the options
    below, PESC specifies only ``n_div``.

    Parameters
    ----------
    diversity : {"slots", "last_front", "none"}, default="slots"
        How genotypic diversity is preserved in addition to f2:

        - ``"slots"``: the first ``n_survive - n_div`` survivors are selected by front and crowding. The rest
          are selected one at a time, front by front, each as different as possible from all survivors so far.
        - ``"last_front"``: if only part of a front survives, this part is selected by diversity among all
          parents and offspring, not by crowding. The member of this front with the lowest f1 always survives.
        - ``"none"``: same as NSGA-II.
    n_div : int, optional
        Number of survivors selected for diversity with ``"slots"``. Default: ceil(0.1 n_survive).
    """

    def __init__(
        self, diversity: Literal["slots", "last_front", "none"] = "slots", n_div: int | None = None
    ) -> None:
        super().__init__(filter_infeasible=False)
        self.diversity = choice("diversity", diversity, ("slots", "last_front", "none"))
        self.n_div = None if n_div is None else integer("n_div", n_div, 0)

    def _survivors(
        self, problem: NeighborGraphProblem, pop: Population, n_survive: int, rng: Generator
    ) -> Population:
        ranks = base.require(problem, *NEIGHBOR_GRAPH).ranks(pop.get("X"))
        F = np.array(pop.get("F"), dtype=np.float64)
        chosen, F = self.select(problem, ranks, F, n_survive)
        survivors = pop[chosen]
        rank, crowding = rank_and_crowding(F)
        survivors.set("F", F, "rank", rank, "crowding", crowding)
        return survivors

    def select(
        self, problem: NeighborGraphProblem, ranks: IntArray, F: FloatArray, n_survive: int
    ) -> tuple[IntArray, FloatArray]:
        """Return the survivors' rows and objectives, shape (n_survive, 2); f2 is relative to the survivors.

        ``ranks`` contains rank-encoded individuals, shape (n_individuals, n_samples). ``F`` contains their
        objectives f1 and f2, shape (n_individuals, 2); the given values of f2 are ignored.
        """
        counts = problem.count(ranks)
        merged = np.column_stack([F[:, 0], problem.one_minus_diversity(ranks, counts, len(ranks))])
        chosen = self._choose(problem, ranks, merged, n_survive)
        dropped = np.setdiff1d(np.arange(len(ranks)), chosen)
        if len(dropped) == 0:
            return chosen, merged[chosen]
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
            last = np.flatnonzero(rank == np.searchsorted(np.cumsum(np.bincount(rank)), n_survive))
            crowding[last] = 1.0 - F[last, 1]
            crowding[last[np.argmin(F[last, 0])]] = np.inf
        order = np.lexsort((-crowding, rank))
        if self.diversity != "slots":
            return order[:n_survive]
        n_div = math.ceil(0.1 * n_survive) if self.n_div is None else min(self.n_div, n_survive)
        return _with_diverse(problem, ranks, rank, order, n_survive - n_div, n_div)


def _with_diverse(
    problem: NeighborGraphProblem, ranks: IntArray, rank: IntArray, order: IntArray, n_chosen: int, n_div: int
) -> IntArray:
    """Return the first ``n_chosen`` individuals of ``order`` and ``n_div`` diverse individuals from the rest.

    Diverse individuals are taken from the best fronts first. Within a front, the next individual is the one
    that shares the fewest genes with the individuals chosen so far.
    """
    chosen, rest = order[:n_chosen], order[n_chosen:]
    if n_div == 0:
        return chosen
    # Each front is used up before the next front, so later fronts than that of row ``n_div`` are not needed.
    rest = rest[rank[rest] <= rank[rest[n_div - 1]]]
    candidates, front = ranks[rest], rank[rest]
    shared = np.zeros(len(rest), dtype=np.int64)
    if len(chosen):
        shared = shared_choices(candidates, problem.count(ranks[chosen]), n_jobs=problem.n_jobs)
    free = np.ones(len(rest), dtype=bool)
    picked = []
    for _ in range(n_div):
        first = np.flatnonzero(free & (front == front[free.argmax()]))
        # ``argmin`` breaks ties in favour of the first individual, which has the largest crowding distance.
        pick = first[np.argmin(shared[first])]
        picked.append(rest[pick])
        free[pick] = False
        shared += equal_loci(candidates, candidates[pick], n_jobs=problem.n_jobs)
    return np.concatenate([chosen, picked])


class EliteSurvival(Survival):
    """Wrap another survival, and always keep the individuals with the highest scalar scores.

    Requires a problem with ``decode`` and ``natural``, such as ``PartitionProblem``. ``scalar`` is called
    once per generation, with parents and offspring. If the elite replaces any survivors, the wrapped survival
    is applied again to update their rank and crowding. Source: ParetoClustering, evolution.

    Parameters
    ----------
    survival : pymoo Survival
        Survival that selects all survivors at once. Unselected elite individuals replace the last of them.
    scalar : callable
        See :class:`EliteMemory`. A partition's score must not depend on the other partitions.
    n_elite : int, default=4
        Number of individuals that always survive.
    keep : bool, default=True
        Whether the elite survives. If False, only ``memory`` is updated (for control runs).

    Attributes
    ----------
    memory : EliteMemory
        Best partitions found in the run so far.
    """

    def __init__(self, survival: Survival, scalar: Scalar, n_elite: int = 4, *, keep: bool = True) -> None:
        super().__init__(filter_infeasible=False)
        self.survival = instance("survival", survival, Survival, "a pymoo Survival")
        self.memory = EliteMemory(scalar, n_elite)
        self.keep = bool(keep)

    def _do(
        self, problem: Any, pop: Population, *args: Any, n_survive: int | None = None, **kwargs: Any
    ) -> Population:
        n_survive = len(pop) if n_survive is None else n_survive
        base.require(problem, "PartitionProblem", "natural", "decode")
        values = problem.natural(pop.get("F").astype(np.float64))
        elite = self.memory.update(values, problem.decode(pop.get("X")))
        survivors = self.survival.do(problem, pop, *args, n_survive=n_survive, **kwargs)
        position = {id(individual): row for row, individual in enumerate(pop)}
        chosen = np.array([position[id(individual)] for individual in survivors], dtype=np.intp)
        final = with_elite(chosen, elite) if self.keep else chosen
        if np.array_equal(final, chosen):
            return survivors
        return self.survival.do(problem, pop[final], *args, n_survive=len(final), **kwargs)


class EliteMemory:
    """Memory of the distinct partitions with the highest scalar scores seen in any update.

    Parameters
    ----------
    scalar : callable
        ``scalar(values, labels) -> scores``, shape (q,), where higher is better. ``values`` are objectives
        with their original signs, shape (q, n_objectives); ``labels`` are partitions, shape (q, n_samples).
    n_elite : int, default=4
        Maximum number of stored partitions.

    Attributes
    ----------
    labels : ndarray of shape (n_kept, n_samples), int32
        Stored partitions, best first. Ties are broken in favour of the partition seen first.
    values, scores : ndarrays of shapes (n_kept, n_objectives) and (n_kept,)
    """

    def __init__(self, scalar: Scalar, n_elite: int = 4) -> None:
        if not callable(scalar):
            raise TypeError(f"scalar must be callable as scalar(values, labels), got {quoted(scalar)}")
        self.scalar = scalar
        self.n_elite = integer("n_elite", n_elite)
        self.labels: Labels = np.empty((0, 0), dtype=np.int32)
        self.values: FloatArray = np.empty((0, 0))
        self.scores: FloatArray = np.empty(0)

    def update(self, values: FloatArray, labels: Labels) -> IntpArray:
        """Store the best partitions; return the rows of the best individuals in this population, best first.

        Raises a ValueError if ``scalar`` returns NaN or the wrong number of scores.
        """
        labels = relabel_by_first_appearance(labels)
        found = array_of(self.scalar(values, labels), "scalar", (len(labels),), "one number per partition")
        scores = found.astype(np.float64)
        best = _best(scores, labels, self.n_elite)
        labels = np.concatenate([self.labels.reshape(-1, labels.shape[1]), labels[best]])
        values = np.concatenate([self.values.reshape(-1, values.shape[1]), values[best]])
        scores = np.concatenate([self.scores, scores[best]])
        rows = _best(scores, labels, self.n_elite)
        self.labels, self.values, self.scores = labels[rows], values[rows], scores[rows]
        return best

    def checkpoint_state(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the arrays and metadata that :meth:`restore_checkpoint_state` requires."""
        return {"labels": self.labels, "values": self.values, "scores": self.scores}, {}

    def restore_checkpoint_state(self, arrays: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        """Restore a state returned by :meth:`checkpoint_state`."""
        self.labels, self.values, self.scores = arrays["labels"], arrays["values"], arrays["scores"]

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        # Copies share the arrays, because arrays are never modified in place. They also share ``scalar``,
        # because it can be large.
        return copy.copy(self)


def with_elite(chosen: IntArray, elite: IntArray) -> IntArray:
    """Return ``chosen``, with missing elite rows in place of the last rows that are not in the elite."""
    missing = elite[~np.isin(elite, chosen)][: len(chosen)]
    free = np.flatnonzero(~np.isin(chosen, elite))[::-1][: len(missing)]
    out = chosen.copy()
    out[free] = missing[: len(free)]
    return out


def _best(scores: FloatArray, labels: Labels, n: int) -> IntpArray:
    order = np.argsort(-scores, kind="stable")
    first, _ = distinct_rows(labels[order])
    return order[first[:n]]


class RandomSurvival(_SeededSurvival):
    """Select survivors at random, for control runs with random parents. Source: ParetoClustering."""

    def __init__(self) -> None:
        super().__init__(filter_infeasible=False)

    def _survivors(self, problem: Any, pop: Population, n_survive: int, rng: Generator) -> Population:
        survivors = pop[rng.choice(len(pop), size=n_survive, replace=False)]
        rank, crowding = rank_and_crowding(survivors.get("F").astype(np.float64))
        survivors.set("rank", rank, "crowding", crowding)
        return survivors


def rank_and_crowding(F: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return each row's front number (0 = non-dominated) and its crowding distance within the front."""
    fronts, rank = NonDominatedSorting().do(F, return_rank=True)
    crowding = np.empty(len(F))
    for front in fronts:
        crowding[front] = _crowding.do(F[front], n_remove=0)
    return np.asarray(rank), crowding
