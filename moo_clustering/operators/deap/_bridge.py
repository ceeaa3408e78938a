"""This package's pymoo operators as DEAP functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from pymoo.core.crossover import Crossover
from pymoo.core.mutation import Mutation

Individual = Any


def as_mate(
    crossover: Crossover, problem: Any
) -> Callable[[Individual, Individual, np.random.Generator], tuple[Individual, Individual]]:
    """``mate(first, second, rng)`` from a pymoo crossover of two parents.

    Changes both individuals in place, deletes their fitness and returns them, as DEAP's own
    crossovers do. Whether a pair is crossed at all is the caller's decision, as in DEAP.

    Parameters
    ----------
    crossover : pymoo.core.crossover.Crossover
        Of two parents and two children.
    problem : pymoo.core.problem.Problem
        Handed to the crossover.

    Returns
    -------
    callable

    Examples
    --------
    >>> toolbox.register("mate", as_mate(UniformNeighborCrossover(), problem))  # doctest: +SKIP
    """

    def mate(
        first: Individual, second: Individual, rng: np.random.Generator
    ) -> tuple[Individual, Individual]:
        parents = np.stack([np.asarray(first), np.asarray(second)])[:, None, :]
        children = crossover._do(problem, parents, random_state=rng)
        for individual, genes in ((first, children[0, 0]), (second, children[1, 0])):
            individual[:] = genes
            del individual.fitness.values
        return first, second

    return mate


def as_mutate(
    mutation: Mutation, problem: Any
) -> Callable[[Individual, np.random.Generator], tuple[Individual]]:
    """``mutate(individual, rng)`` from a pymoo mutation; in place, returns a tuple as in DEAP.

    Parameters
    ----------
    mutation : pymoo.core.mutation.Mutation
    problem : pymoo.core.problem.Problem
        Handed to the mutation.

    Returns
    -------
    callable
    """

    def mutate(individual: Individual, rng: np.random.Generator) -> tuple[Individual]:
        individual[:] = mutation._do(problem, np.asarray(individual)[None, :], random_state=rng)[0]
        del individual.fitness.values
        return (individual,)

    return mutate
