"""Selection for DEAP loops: crowded tournament and dynamic-diversity survival."""

from __future__ import annotations

from typing import Any

import numpy as np

from moo_clustering.operators._dynamic_diversity import DynamicDiversitySurvival, rank_and_crowding

Individuals = list[Any]


def sel_tournament_dcd(individuals: Individuals, k: int, rng: np.random.Generator) -> Individuals:
    """Binary tournaments by dominance, then crowding distance, then a coin.

    ``deap.tools.selTournamentDCD`` with a generator of your own instead of the global one, and for
    any number of individuals.

    Parameters
    ----------
    individuals : list
        With ``fitness.values`` and ``fitness.crowding_dist``.
    k : int
        Number of parents wanted.
    rng : numpy.random.Generator

    Returns
    -------
    list of length k
    """
    n_rounds = -(-2 * k // len(individuals))
    order = np.concatenate([rng.permutation(len(individuals)) for _ in range(n_rounds)])[: 2 * k]
    coins = rng.random(k) < 0.5
    chosen = []
    for (a, b), coin in zip(order.reshape(k, 2), coins, strict=True):
        first, second = individuals[a], individuals[b]
        if first.fitness.dominates(second.fitness):
            chosen.append(first)
        elif second.fitness.dominates(first.fitness):
            chosen.append(second)
        elif first.fitness.crowding_dist != second.fitness.crowding_dist:
            chosen.append(max(first, second, key=lambda individual: individual.fitness.crowding_dist))
        else:
            chosen.append(first if coin else second)
    return chosen


def sel_dynamic_diversity(
    individuals: Individuals, k: int, problem: Any, survival: DynamicDiversitySurvival | None = None
) -> Individuals:
    """Survivors of parents and offspring, with fitness and crowding measured among the survivors.

    The DEAP form of :class:`~moo_clustering.operators.DynamicDiversitySurvival`; the second objective
    of every survivor is set anew.

    Parameters
    ----------
    individuals : list
        With valid ``fitness.values``; only the first objective is read.
    k : int
    problem : NeighborGraphProblem
    survival : DynamicDiversitySurvival, optional
        Carries the diversity rule; default ``DynamicDiversitySurvival()``.

    Returns
    -------
    list of length k
    """
    survival = DynamicDiversitySurvival() if survival is None else survival
    ranks = problem.ranks(np.stack([np.asarray(individual) for individual in individuals]))
    F = np.array([individual.fitness.values for individual in individuals])
    chosen, F = survival.select(problem, ranks, F, k)
    survivors = [individuals[i] for i in chosen]
    assign_fitness(survivors, F)
    return survivors


def assign_fitness(individuals: Individuals, F: np.ndarray[Any, np.dtype[np.float64]]) -> None:
    """Set fitness and crowding distance of a whole population from its objectives."""
    _, crowding = rank_and_crowding(F)
    for individual, values, distance in zip(individuals, F, crowding, strict=True):
        individual.fitness.values = tuple(values)
        individual.fitness.crowding_dist = distance
