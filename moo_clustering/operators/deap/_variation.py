"""Variation for DEAP loops with a generator of your own."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

import numpy as np
from deap import base

Individuals = list[Any]


def var_and(
    parents: Individuals, toolbox: base.Toolbox, rng: np.random.Generator, *, pc: float, pm: float = 1.0
) -> Individuals:
    """Clones of the parents, neighbours crossed with probability pc, each mutated with probability pm.

    ``deap.algorithms.varAnd`` without the global random state.

    Parameters
    ----------
    parents : list of individuals
    toolbox : deap.base.Toolbox
        ``clone``, ``mate(first, second, rng)`` and ``mutate(individual, rng)``.
    rng : numpy.random.Generator
    pc, pm : float
        Probabilities of crossing a pair and of mutating an individual, this 1 by default.

    Returns
    -------
    list of individuals
    """
    offspring = [toolbox.clone(parent) for parent in parents]
    for first, second in zip(offspring[::2], offspring[1::2], strict=False):
        if rng.random() < pc:
            toolbox.mate(first, second, rng)
    for individual in offspring:
        if rng.random() < pm:
            toolbox.mutate(individual, rng)
    return offspring


def var_or(
    parents: Individuals, toolbox: base.Toolbox, rng: np.random.Generator, *, pc: float
) -> Individuals:
    """Clones of the parents in which a pair is either crossed (probability pc) or both are mutated.

    Parameters
    ----------
    parents : list of individuals
    toolbox : deap.base.Toolbox
        ``clone``, ``mate(first, second, rng)`` and ``mutate(individual, rng)``.
    rng : numpy.random.Generator
    pc : float
        Probability of crossing a pair.

    Returns
    -------
    list of individuals
    """
    offspring = [toolbox.clone(parent) for parent in parents]
    for t in range(0, len(offspring), 2):
        if rng.random() < pc and t + 1 < len(offspring):
            toolbox.mate(offspring[t], offspring[t + 1], rng)
        else:
            for individual in offspring[t : t + 2]:
                toolbox.mutate(individual, rng)
    return offspring


def dynamic_nsga2_step(
    population: Individuals,
    toolbox: base.Toolbox,
    rng: np.random.Generator,
    *,
    pc: float,
    pm: float = 1.0,
    variation: Literal["and", "or"] = "and",
) -> Individuals:
    """One generation of NSGA-II whose objectives depend on the population.

    Parents by ``toolbox.select_parents``, variation, fitness of *everybody* with respect to parents
    and offspring together, survivors by ``toolbox.select``, which sets their fitness with respect to
    each other. ``population`` must have been evaluated.

    Parameters
    ----------
    population : list of individuals
        Evaluated.
    toolbox : deap.base.Toolbox
        As :func:`neighbor_toolbox` makes it.
    rng : numpy.random.Generator
    pc, pm : float
        Probabilities of crossing a pair and of mutating an individual, this 1 by default.
    variation : {"and", "or"}, default="and"
        :func:`var_and` or :func:`var_or`.

    Returns
    -------
    list of individuals
        As many as there were.
    """
    parents = toolbox.select_parents(population, len(population), rng)
    vary = partial(var_and, pm=pm) if variation == "and" else var_or
    pool = population + vary(parents, toolbox, rng, pc=pc)
    toolbox.evaluate_population(pool)
    survivors: Individuals = toolbox.select(pool, len(population))
    return survivors
