"""A filled DEAP toolbox for neighbour graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from deap import base

from moo_clustering.operators.deap._bridge import as_mate, as_mutate
from moo_clustering.operators.deap._individual import ArrayIndividual
from moo_clustering.operators.deap._selection import (
    assign_fitness,
    sel_dynamic_diversity,
    sel_tournament_dcd,
)

if TYPE_CHECKING:
    from pymoo.core.crossover import Crossover
    from pymoo.core.mutation import Mutation
    from pymoo.core.sampling import Sampling

    from moo_clustering.operators import DynamicDiversitySurvival
    from moo_clustering.problems import NeighborGraphProblem


def neighbor_toolbox(
    problem: NeighborGraphProblem,
    sampling: Sampling,
    crossover: Crossover,
    mutation: Mutation,
    survival: DynamicDiversitySurvival,
) -> base.Toolbox:
    """Toolbox with ``individual, population, mate, mutate, evaluate_population, select_parents, select``.

    Parameters
    ----------
    problem, sampling, crossover, mutation, survival
        The parts a pymoo run would be composed of.

    Returns
    -------
    deap.base.Toolbox
        ``population(n, rng)`` samples; ``evaluate_population(individuals)`` sets the fitness of all,
        with diversity measured among them; ``select_parents(individuals, k, rng)``;
        ``select(individuals, k)`` keeps survivors. Every entry can be registered anew.
    """
    toolbox = base.Toolbox()

    def population(n: int, rng: np.random.Generator) -> list[ArrayIndividual]:
        genes = sampling._do(problem, n, random_state=rng)
        return [toolbox.individual(row) for row in genes]

    def evaluate_population(individuals: list[Any]) -> None:
        ranks = problem.ranks(np.stack([np.asarray(individual) for individual in individuals]))
        f2 = problem.one_minus_diversity(ranks, problem.count(ranks), len(ranks))
        assign_fitness(individuals, np.column_stack([problem.mean_distance(ranks), f2]))

    toolbox.register("individual", ArrayIndividual)
    toolbox.register("population", population)
    toolbox.register("evaluate_population", evaluate_population)
    toolbox.register("mate", as_mate(crossover, problem))
    toolbox.register("mutate", as_mutate(mutation, problem))
    toolbox.register("select_parents", sel_tournament_dcd)
    toolbox.register("select", sel_dynamic_diversity, problem=problem, survival=survival)
    return toolbox
