"""Crossover, mutation and selection of medoid sets for DEAP.

Individuals are lists of distinct sample ids, or integer arrays of length ``k_max`` padded with -1
(:class:`MedoidIndividual`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pymoo.util.nds.non_dominated_sorting import NonDominatedSorting

from moo_clustering.encodings._medoid_sets import filled
from moo_clustering.operators._constraint_crowding import Boundary, crowding_distance
from moo_clustering.operators._medoid_replace import Kind, replace_one
from moo_clustering.operators._medoid_swap import swap_two
from moo_clustering.operators._prefix_union import Length, prefix_union

Individual = Any


def cx_prefix_union(
    first: Individual,
    second: Individual,
    rng: np.random.Generator,
    *,
    k_max: int,
    n_samples: int,
    length: Length = "grow",
) -> tuple[Individual, Individual]:
    """:class:`~moo_clustering.operators.PrefixUnionCrossover` of two individuals, in place.

    Parameters
    ----------
    first, second : individuals
        Changed; their fitness is deleted.
    rng : numpy.random.Generator
    k_max : int
        Largest number of medoids.
    n_samples : int
    length : {"grow", "keep", "two_cut"}, default="grow"

    Returns
    -------
    tuple of two individuals
        The same objects, for DEAP.
    """
    a, b = _row(first, k_max), _row(second, k_max)
    for individual, head, tail in ((first, a, b), (second, b, a)):
        child = prefix_union(head, tail, length, rng)
        _put(individual, filled(child, min(2, n_samples), n_samples, rng))
    return first, second


def mut_medoid_replace(
    individual: Individual,
    rng: np.random.Generator,
    *,
    k_max: int,
    n_samples: int,
    kind: Kind = "replace",
) -> tuple[Individual]:
    """:class:`~moo_clustering.operators.MedoidReplaceMutation` of one individual, in place.

    Parameters
    ----------
    individual : individual
        Changed; its fitness is deleted.
    rng : numpy.random.Generator
    k_max : int
        Largest number of medoids.
    n_samples : int
    kind : str, default="replace"
        As of the pymoo operator.

    Returns
    -------
    tuple of one individual
        The same object, for DEAP.
    """
    sets = _row(individual, k_max)
    _put(individual, replace_one(sets, n_samples, rng, kind=kind, k_min=min(2, n_samples)))
    return (individual,)


def mut_medoid_swap(individual: Individual, rng: np.random.Generator) -> tuple[Individual]:
    """:class:`~moo_clustering.operators.MedoidSwapMutation` of one individual, in place.

    Parameters
    ----------
    individual : individual
        Changed; its fitness is deleted.
    rng : numpy.random.Generator

    Returns
    -------
    tuple of one individual
        The same object, for DEAP.
    """
    _put(individual, swap_two(_row(individual, len(individual)), rng))
    return (individual,)


def sel_constraint_nsga2(
    individuals: list[Individual],
    k: int,
    rng: np.random.Generator | None = None,
    *,
    boundary: Boundary = "infinite",
) -> list[Individual]:
    """Survivors by rank, then crowding distance plus ``fitness.bonus``, then chance.

    The DEAP form of :class:`~moo_clustering.operators.ConstraintCrowdingSurvival`. Sets
    ``fitness.rank`` and ``fitness.crowding_dist`` (with the bonus, 0 where there is none).

    Parameters
    ----------
    individuals : list
        With valid ``fitness.values``.
    k : int
    rng : numpy.random.Generator, optional
        Without, the earlier of equal individuals survives.
    boundary : {"infinite", "finite"}, default="infinite"

    Returns
    -------
    list of length k
    """
    F = -np.array([individual.fitness.wvalues for individual in individuals])
    bonus = np.array([getattr(individual.fitness, "bonus", 0.0) for individual in individuals])
    rank, crowding = np.empty(len(F), dtype=np.int64), np.empty(len(F))
    for level, front in enumerate(NonDominatedSorting().do(F)):
        rank[front] = level
        crowding[front] = crowding_distance(F[front], boundary) + bonus[front]
    for individual, own_rank, distance in zip(individuals, rank.tolist(), crowding.tolist(), strict=True):
        individual.fitness.rank = own_rank
        individual.fitness.crowding_dist = distance
    chance = np.zeros(len(F)) if rng is None else rng.random(len(F))
    return [individuals[i] for i in np.lexsort((chance, -crowding, rank))[:k]]


def sel_tournament_rank(individuals: list[Individual], k: int, rng: np.random.Generator) -> list[Individual]:
    """Winners of ``k`` duels drawn with replacement: lower rank, then greater crowding, then a coin.

    Parameters
    ----------
    individuals : list
        With ``fitness.rank`` and ``fitness.crowding_dist``, as :func:`sel_constraint_nsga2` sets them.
    k : int
    rng : numpy.random.Generator

    Returns
    -------
    list of length k
    """
    rank = np.array([individual.fitness.rank for individual in individuals])
    crowding = np.array([individual.fitness.crowding_dist for individual in individuals])
    a, b = rng.integers(0, len(individuals), size=(2, k))
    coin = rng.random(k) < 0.5
    nearer = np.where(crowding[a] == crowding[b], coin, crowding[a] > crowding[b])
    wins = np.where(rank[a] == rank[b], nearer, rank[a] < rank[b])
    return [individuals[i] for i in np.where(wins, a, b)]


def _row(individual: Individual, k_max: int) -> NDArray[np.int64]:
    """The genes as one row, padded."""
    ids = np.asarray(individual, dtype=np.int64)
    ids = ids[ids >= 0]
    row = np.full((1, k_max), -1, dtype=np.int64)
    row[0, : len(ids)] = ids
    return row


def _put(individual: Individual, row: NDArray[Any]) -> None:
    individual[:] = row[0] if isinstance(individual, np.ndarray) else row[row >= 0].tolist()
    del individual.fitness.values
