"""A filled DEAP toolbox for medoid sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from deap import base
from numpy.typing import ArrayLike

from moo_clustering.operators._constraint_crowding import Boundary
from moo_clustering.operators._medoid_sampling import medoid_encoding_of
from moo_clustering.operators._prefix_union import Length
from moo_clustering.operators.deap._individual import ArrayIndividual
from moo_clustering.operators.deap._medoids import (
    cx_prefix_union,
    mut_medoid_replace,
    mut_medoid_swap,
    sel_constraint_nsga2,
    sel_tournament_rank,
)
from moo_clustering.operators.deap._variation import var_and

if TYPE_CHECKING:
    from moo_clustering.problems._medoids import MedoidProblem

Individuals = list[Any]
Mutation = Literal["replace", "full", "swap"]


class MedoidFitness(base.Fitness):
    """Xie-Beni, minimised, and I-index, maximised."""

    weights = (-1.0, 1.0)


class SupervisedMedoidFitness(base.Fitness):
    """Xie-Beni, minimised, I-index, maximised, and constraint violation, minimised."""

    weights = (-1.0, 1.0, -1.0)


class MedoidIndividual(ArrayIndividual):
    """Sample ids padded with -1, with whatever evaluation has stored; copies have it too.

    Parameters
    ----------
    genes : array-like of shape (k_max,)
    fitness : type, default=MedoidFitness
    """

    def __new__(cls, genes: ArrayLike, fitness: type[base.Fitness] = MedoidFitness) -> Self:
        return super().__new__(cls, np.asarray(genes, dtype=np.int64), fitness)

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Self:
        twin = super().__deepcopy__(memo)
        vars(twin).update((key, value) for key, value in vars(self).items() if key != "fitness")
        if self.fitness is not None and self.fitness.valid:
            vars(twin.fitness).update(vars(self.fitness))
        return twin


def medoid_toolbox(
    problem: MedoidProblem,
    *,
    length: Length = "grow",
    mutation: Mutation = "replace",
    boundary: Boundary = "infinite",
) -> base.Toolbox:
    """Toolbox with ``individual, population, mate, mutate, evaluate_population, select_parents, select``.

    Parameters
    ----------
    problem : MedoidProblem
        Any supervision but ``"constraint"``, for which DEAP's fitness has no place.
    length : {"grow", "keep", "two_cut"}, default="grow"
        Of the children, see :class:`~moo_clustering.operators.PrefixUnionCrossover`.
    mutation : {"replace", "full", "swap"}, default="replace"
    boundary : {"infinite", "finite"}, default="infinite"
        See :class:`~moo_clustering.operators.ConstraintCrowdingSurvival`.

    Returns
    -------
    deap.base.Toolbox
        ``population(n, rng)`` samples. ``evaluate_population(individuals)`` decodes those without
        fitness in one batch, writes the improved medoids back, sets fitness in natural values, and
        rank and crowding among all that were handed in; it returns how many were evaluated.
        ``mate(first, second, rng)``, ``mutate(individual, rng)``, ``select_parents(individuals, k,
        rng)``, ``select(individuals, k, rng)``. Every entry can be registered anew.
    """
    if problem.supervision == "constraint":
        raise ValueError(
            "supervision='constraint' has no form in DEAP, whose fitness knows no constraints; "
            "use 'objective'."
        )
    if mutation not in ("replace", "full", "swap"):
        raise ValueError(f"mutation must be 'replace', 'full' or 'swap', got {mutation!r}.")
    encoding = medoid_encoding_of(problem)
    sizes = {"k_max": encoding.k_max, "n_samples": encoding.n_samples}
    fitness = SupervisedMedoidFitness if problem.n_obj == 3 else MedoidFitness
    toolbox = base.Toolbox()

    def population(n: int, rng: np.random.Generator) -> Individuals:
        return [toolbox.individual(row) for row in encoding.random(n, rng)]

    def evaluate_population(individuals: Individuals) -> int:
        new = [individual for individual in individuals if not individual.fitness.valid]
        if new:
            _evaluate(problem, new)
        sel_constraint_nsga2(individuals, 0, boundary=boundary)
        return len(new)

    toolbox.register("individual", MedoidIndividual, fitness=fitness)
    toolbox.register("population", population)
    toolbox.register("evaluate_population", evaluate_population)
    toolbox.register("mate", cx_prefix_union, length=length, **sizes)
    if mutation == "swap":
        toolbox.register("mutate", mut_medoid_swap)
    else:
        toolbox.register("mutate", mut_medoid_replace, kind=mutation, **sizes)
    toolbox.register("select_parents", sel_tournament_rank)
    toolbox.register("select", sel_constraint_nsga2, boundary=boundary)
    return toolbox


def _evaluate(problem: MedoidProblem, individuals: Individuals) -> None:
    genes = np.stack([np.asarray(individual) for individual in individuals])
    out = problem.evaluate(genes, return_as_dictionary=True)
    for q, (individual, values) in enumerate(zip(individuals, problem.natural(out["F"]), strict=True)):
        individual[:] = out["X"][q]
        individual.fitness.values = tuple(values.tolist())
        if "constraint_bonus" in out:
            individual.fitness.bonus = float(out["constraint_bonus"][q])
        if "assigned_by" in out:
            individual.assigned_by = out["assigned_by"][q].astype(np.int64)


def constraint_nsga2_step(
    population: Individuals,
    toolbox: base.Toolbox,
    rng: np.random.Generator,
    *,
    pc: float = 0.6,
    pm: float = 0.2,
) -> tuple[Individuals, int]:
    """One generation of NSGA-II-clus: tournament, variation, evaluation, survival.

    Parameters
    ----------
    population : list
        Evaluated by ``toolbox.evaluate_population``.
    toolbox : deap.base.Toolbox
        From :func:`medoid_toolbox`.
    rng : numpy.random.Generator
    pc, pm : float, default=0.6, 0.2
        Probabilities of crossing a pair and of mutating a child. Children that are neither keep the
        fitness of their parent and are not evaluated again.

    Returns
    -------
    survivors : list
    n_evaluations : int

    References
    ----------
    NSGA-II-clus.
    """
    parents = toolbox.select_parents(population, len(population), rng)
    offspring = var_and(parents, toolbox, rng, pc=pc, pm=pm)
    n_evaluations = toolbox.evaluate_population(offspring)
    return toolbox.select([*population, *offspring], len(population), rng), n_evaluations
