"""Partitions laid over each other, united, cut and refined, for DEAP.

Individuals are sequences of cluster numbers. What is changed is changed in place, with clusters
numbered by first appearance, and loses its fitness.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from moo_clustering.operators._grouping_overlay import GroupingOverlayCrossover
from moo_clustering.operators._label_rows import Bounds, Labels, renumbered
from moo_clustering.operators._partition_mutation import PartitionMutation
from moo_clustering.operators.deap._genes import copied_genes, put_genes

Individual = Any


def cx_grouping_overlay(
    a: Individual,
    b: Individual,
    rng: np.random.Generator,
    *,
    crossover: GroupingOverlayCrossover,
    k_max: int,
) -> tuple[Individual, Individual]:
    """:class:`~moo_clustering.operators.GroupingOverlayCrossover` of two individuals, in place.

    Parameters
    ----------
    a, b : individuals
        Changed; their fitness is deleted.
    rng : numpy.random.Generator
    crossover : GroupingOverlayCrossover
        Holds the graph and the options; its ``prob`` does not count.
    k_max : int
        Greatest number of clusters of a child.

    Returns
    -------
    tuple of two individuals
        The same objects, for DEAP.

    Examples
    --------
    >>> toolbox.register("mate", cx_grouping_overlay, crossover=crossover, k_max=60)  # doctest: +SKIP
    """
    first, second = _labels(a), _labels(b)
    put_genes(a, crossover.overlaid(first, second, k_max, rng))
    put_genes(b, crossover.overlaid(second, first, k_max, rng))
    return a, b


def mut_partition(
    individual: Individual,
    rng: np.random.Generator,
    *,
    mutation: PartitionMutation,
    k_max: int,
    k_min: int = 1,
    crossed: bool = False,
) -> tuple[Individual]:
    """:class:`~moo_clustering.operators.PartitionMutation` of one individual, in place.

    Parameters
    ----------
    individual : individual
        Changed; its fitness is deleted.
    rng : numpy.random.Generator
    mutation : PartitionMutation
        Holds the graph, the pool and the options.
    k_max : int
        Greatest number of clusters that cutting leads to.
    k_min : int, default=1
        Smallest number of clusters that uniting and refining lead to.
    crossed : bool, default=False
        Whether it is a child of a crossover, which is mutated less often.

    Returns
    -------
    tuple of one individual
        The same object, for DEAP.
    """
    put_genes(individual, mutation.varied(_labels(individual), Bounds(k_min, k_max), rng, crossed=crossed))
    return (individual,)


def _labels(individual: Individual) -> Labels:
    return renumbered(copied_genes(individual, np.int32)[0])
