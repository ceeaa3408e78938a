"""Directed walks, which mutate the archive members with the best randomly weighted sums of objectives."""

from typing import Any

import numpy as np
from pymoo.algorithms.base.genetic import GeneticAlgorithm
from pymoo.core.crossover import Crossover
from pymoo.core.mating import Mating
from pymoo.core.mutation import Mutation
from pymoo.core.population import Population
from pymoo.core.selection import Selection
from pymoo.core.survival import Survival
from pymoo.core.variable import get
from pymoo.operators.crossover.ux import UniformCrossover
from pymoo.operators.mutation.pm import PM
from pymoo.operators.sampling.rnd import FloatRandomSampling
from pymoo.termination.default import DefaultMultiObjectiveTermination
from pymoo.util.display.multi import MultiObjectiveOutput

from moo_clustering._arrays import FloatArray, IntpArray, integer, non_dominated, quoted
from moo_clustering._docs import documented
from moo_clustering.algorithms.pymoo_search import ALGORITHM, checked_options, duplicate_elimination
from moo_clustering.operators.regions import DirectedMutation, random_weights


@documented(ALGORITHM)
class DirectedWalks(GeneticAlgorithm):
    """Search by mutating the best archive members under random objective weights.

    Each walk draws weights of the objectives, mutates the archive member with the lowest weighted sum, and
    adds the result to the archive. Objectives are first scaled by their ranges in the archive. A
    :class:`~moo_clustering.operators.DirectedMutation` improves the same weighted sum; other mutations ignore
    it. The first generation starts walks from the initial solutions in random order. There is no crossover.

    In addition to mutation and evaluation, a generation takes O(n_offsprings archive_size n_obj +
    (n_offsprings + archive_size)^2 n_obj) time. A solution with a smaller constraint violation dominates. The
    algorithm is unpublished; ``python -m papers regions`` compares it with other algorithms.

    Parameters
    ----------
    pop_size : int, default=20
        Number of initial solutions.
    n_offsprings : int, optional
        Number of walks per generation. Default: ``pop_size``.
    archive_size : int, default=200
        Maximum number of non-dominated solutions; if exceeded, the most crowded solutions are removed.
    sampling, mutation : pymoo operators, optional
        Default: uniform sampling and polynomial mutation of real variables. For partitions, use
        ``problem.operators(DirectedWalks)``.
    selection : pymoo Selection, optional
        Selects the solutions to mutate. Default: the solution with the lowest weighted sum.
    eliminate_duplicates : bool, DuplicateElimination or callable, default=True
        See :class:`AMOSA`.

    Attributes
    ----------
    pop, opt : Population
        The archive.

    Examples
    --------
    >>> from pymoo.optimize import minimize
    >>> from pymoo.problems import get_problem
    >>> result = minimize(get_problem("zdt1", n_var=5), DirectedWalks(), ("n_gen", 100), seed=1)
    >>> len(result.F) > 20
    True
    """

    def __init__(
        self,
        pop_size: int = 20,
        *,
        n_offsprings: int | None = None,
        archive_size: int = 200,
        sampling: Any = None,
        mutation: Mutation | None = None,
        selection: Selection | None = None,
        repair: Any = None,
        eliminate_duplicates: Any = True,
        output: Any = None,
        **options: Any,
    ) -> None:
        pop_size = integer("pop_size", pop_size)
        self.archive_size = integer("archive_size", archive_size)
        mutation = PM(eta=20) if mutation is None else mutation
        if not isinstance(mutation, Mutation):
            raise TypeError(f"mutation must be a pymoo Mutation, got {quoted(mutation)}")
        duplicates = duplicate_elimination(eliminate_duplicates)
        super().__init__(
            pop_size=pop_size,
            n_offsprings=pop_size if n_offsprings is None else integer("n_offsprings", n_offsprings),
            sampling=FloatRandomSampling() if sampling is None else sampling,
            survival=ArchiveSurvival(self.archive_size),
            mating=_Walk(mutation, selection, repair, duplicates),
            eliminate_duplicates=duplicates,
            repair=repair,
            output=MultiObjectiveOutput() if output is None else output,
            advance_after_initial_infill=False,
            **checked_options(DirectedWalks, options),
        )
        self.termination = DefaultMultiObjectiveTermination()


class _Walk(Mating):
    """Mating that mutates selected solutions.

    Without a selection, the solutions with the lowest weighted sums of the objectives are mutated.
    """

    def __init__(self, mutation: Mutation, selection: Any, repair: Any, duplicates: Any) -> None:
        # pymoo requires a crossover, although ``_do`` does not use it.
        copies: Crossover = UniformCrossover(prob=0.0)
        super().__init__(
            selection, copies, mutation, repair=repair, eliminate_duplicates=duplicates, n_max_iterations=10
        )

    def _do(
        self,
        problem: Any,
        pop: Population,
        n_offsprings: int,
        parents: Any = None,
        random_state: Any = None,
        algorithm: Any = None,
        **kwargs: Any,
    ) -> Population:
        rng = np.random.default_rng(random_state)
        F, violation = pop.get("F", "CV")
        # pymoo counts the initial population as iteration 1.
        start = getattr(algorithm, "n_iter", None) == 2
        low, span = _range(F, violation[:, 0], everything=start)
        weights = random_weights(n_offsprings, F.shape[1], rng) / span
        if self.selection is not None:
            chosen = self.selection(problem, pop, n_offsprings, 1, to_pop=False, random_state=rng)
            rows = np.asarray(chosen).ravel()
        elif start:
            rows = np.resize(rng.permutation(len(pop)), n_offsprings)
        else:
            rows = best_in_directions(F - low, violation[:, 0], weights)
        X = pop[rows].get("X").copy()
        mutation = self.mutation
        if not isinstance(mutation, DirectedMutation):
            return mutation(problem, Population.new(X=X), random_state=rng, algorithm=algorithm)
        drawn = np.flatnonzero(rng.random(len(X)) <= get(mutation.prob, size=len(X)))
        X[drawn] = mutation.toward(problem, X[drawn], weights[drawn], rng)
        return Population.new(X=X)


def _range(F: FloatArray, violation: FloatArray, *, everything: bool) -> tuple[FloatArray, FloatArray]:
    """Return the minima and the ranges of the objectives.

    Unless ``everything`` is true, only solutions with the smallest constraint violation are considered. The
    range of a constant objective is its absolute value or, if the objective is 0, 1.
    """
    rows = F if everything else F[violation == violation.min()]
    low = rows.min(axis=0)
    span = rows.max(axis=0) - low
    span = np.where(span > 0.0, span, np.abs(low))
    return low, np.where(span > 0.0, span, 1.0)


def best_in_directions(F: FloatArray, violation: FloatArray, weights: FloatArray) -> IntpArray:
    """For each row of weights, return the best solution among those with the smallest violation."""
    allowed = np.flatnonzero(violation == violation.min())
    return allowed[(weights @ F[allowed].T).argmin(axis=1)]


class ArchiveSurvival(Survival):
    """Select non-dominated solutions with distinct objectives, or the least crowded if there are too many."""

    def __init__(self, archive_size: int) -> None:
        super().__init__(filter_infeasible=False)
        self.archive_size = archive_size

    def _do(
        self, problem: Any, pop: Population, *args: Any, n_survive: int | None = None, **kwargs: Any
    ) -> Population:
        F, violation = pop.get("F", "CV")
        allowed = np.flatnonzero(violation[:, 0] == violation[:, 0].min())
        front = allowed[non_dominated(F[allowed])]
        front = np.sort(front[np.unique(F[front], axis=0, return_index=True)[1]])
        return pop[front[_least_crowded(F[front], self.archive_size)]]


def _least_crowded(F: FloatArray, size: int) -> IntpArray:
    """Remove the most crowded row repeatedly, and return the positions of the ``size`` remaining rows."""
    # pymoo's "pcd" is not used, because it writes out of bounds if rows share an objective's minimum or
    # maximum.
    n, kept = len(F), np.ones(len(F), dtype=bool)
    F = F[:, np.ptp(F, axis=0) > 0]
    columns, ends = np.arange(F.shape[1]), np.ones((1, F.shape[1]), dtype=np.intp)
    values = np.vstack([F / np.ptp(F, axis=0), -np.inf * ends, np.inf * ends])
    below, above = np.empty((2, n + 2, F.shape[1]), dtype=np.intp)
    order = np.vstack([n * ends, F.argsort(axis=0, kind="stable"), (n + 1) * ends])
    below[order[1:], columns], above[order[:-1], columns] = order[:-1], order[1:]
    crowding = (values[above[:n], columns] - values[below[:n], columns]).sum(axis=1)
    for _ in range(n - size):
        rows = np.flatnonzero(kept)
        worst = rows[crowding[rows].argmin()]
        kept[worst] = False
        lower, upper = below[worst].copy(), above[worst].copy()
        below[upper, columns], above[lower, columns] = lower, upper
        changed = np.concatenate([lower, upper])
        changed = changed[changed < n]
        crowding[changed] = (values[above[changed], columns] - values[below[changed], columns]).sum(axis=1)
    return np.flatnonzero(kept)
