"""A filled DEAP toolbox for partitions of bags."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from deap import base, tools

from moo_clustering.operators.deap._bag_operators import (
    DescendPartition,
    DriftPartition,
    EvaluatePartition,
    ImprovePartition,
    ReassignPartition,
    RepairPartition,
)
from moo_clustering.operators.deap._batch_map import batch_map
from moo_clustering.operators.deap._individual import ArrayIndividual, Minimize
from moo_clustering.operators.deap._partition_operators import (
    cx_hux,
    cx_one_point,
    cx_uniform,
    partition_distance,
    partition_key,
)
from moo_clustering.operators.deap._roulette import sel_roulette_min

if TYPE_CHECKING:
    from moo_clustering.bags import BagObjective

Crossover = Literal["one_point", "hux", "uniform"]
Mutation = Literal["improve", "descend", "drift"]
Weights = Literal["contrast", "scaled", "printed", "greedy"]
Empty = Literal["farthest", "closest", "keep"]

_CROSSOVERS = {"one_point": cx_one_point, "hux": cx_hux, "uniform": cx_uniform}


def bag_toolbox(
    objective: BagObjective,
    rng: np.random.Generator,
    *,
    crossover: Crossover = "one_point",
    align: bool = False,
    mutation: Mutation = "improve",
    p_gene: float = 0.7,
    weights: Weights = "contrast",
    bias: float = 0.5,
    empty: Empty = "farthest",
) -> base.Toolbox:
    """Toolbox with everything that :func:`chc`, :func:`gka` and DEAP's own loops call.

    Parameters
    ----------
    objective : BagObjective
        What is minimised, and over how many clusters.
    rng : numpy.random.Generator
        What all operators draw from.
    crossover : {"one_point", "hux", "uniform"}, default="one_point"
    align : bool, default=False
        Whether clusters of the second parent get the numbers they have in the first, in crossover and
        distance.
    mutation : {"improve", "descend", "drift"}, default="improve"
        Genes drawn in turn by the objective (Eqs. 5-6), moved until none helps, or drawn all at once by
        distance (Eq. 9).
    p_gene, weights, bias, empty
        Of :meth:`BagObjective.improve`, :meth:`BagObjective.drift` and :meth:`BagObjective.reassign`.

    Returns
    -------
    deap.base.Toolbox
        ``individual()`` (random), ``from_genes(genes)``, ``population(n)``, ``evaluate``, ``mate``,
        ``mutate``, ``km``, ``repair``, ``select`` (:func:`sel_roulette_min`), ``distance``, ``key``,
        ``clone``, and ``map`` for whole populations. Every entry can be registered anew.

    Examples
    --------
    >>> from deap import algorithms
    >>> from moo_clustering.bags import BagGeometry, BagObjective, Bags
    >>> bags = Bags.from_list([[[0.0], [1.0]], [[0.5]], [[9.0], [8.0]], [[7.5]]])
    >>> toolbox = bag_toolbox(BagObjective(BagGeometry(bags), 2, "twcv"), np.random.default_rng(0))
    >>> population = toolbox.population(n=20)
    >>> population, logbook = algorithms.eaSimple(population, toolbox, 0.5, 0.2, 5, verbose=False)
    >>> sorted(min(population, key=lambda one: one.fitness.values).tolist())
    [0, 0, 1, 1]
    """
    if crossover not in _CROSSOVERS:
        raise ValueError(f"crossover must be one of {', '.join(map(repr, _CROSSOVERS))}, got {crossover!r}")
    toolbox = base.Toolbox()
    from_genes = partial(ArrayIndividual, fitness=Minimize)

    def individual() -> ArrayIndividual:
        return from_genes(objective.random(1, rng)[0])

    toolbox.register("individual", individual)
    toolbox.register("from_genes", from_genes)
    toolbox.register("population", lambda n: tools.initRepeat(list, toolbox.individual, n))
    toolbox.register("evaluate", EvaluatePartition(objective))
    toolbox.register("mate", _CROSSOVERS[crossover], rng=rng, align=align, n_clusters=objective.n_clusters)
    toolbox.register("mutate", _mutation(objective, rng, mutation, p_gene, weights, bias))
    toolbox.register("km", ReassignPartition(objective, empty=empty))
    toolbox.register("repair", RepairPartition(objective))
    toolbox.register("select", sel_roulette_min, rng=rng)
    toolbox.register("distance", partition_distance, align=align, n_clusters=objective.n_clusters)
    toolbox.register("key", partition_key)
    toolbox.register("map", batch_map)
    return toolbox


def _mutation(
    objective: BagObjective,
    rng: np.random.Generator,
    mutation: str,
    p_gene: float,
    weights: Weights,
    bias: float,
) -> Any:
    if mutation == "improve":
        return ImprovePartition(objective, rng, p_gene=p_gene, weights=weights)
    if mutation == "descend":
        return DescendPartition(objective, rng)
    if mutation == "drift":
        return DriftPartition(objective, rng, p_gene=p_gene, bias=bias)
    allowed = ", ".join(map(repr, get_args(Mutation)))
    raise ValueError(f"mutation must be one of {allowed}, got {mutation!r}")
