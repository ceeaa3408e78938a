"""Variation of DEAP individuals: centre operators, distances between partitions, and variation loops."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np
from deap import base
from numpy.random import Generator

from moo_clustering._docs import documented
from moo_clustering.encodings import aligned_distance, hamming_distance, relabel_by_first_appearance
from moo_clustering.operators.centers import RelocateCenter, Removal, inherited_mix, match_centers
from moo_clustering.operators.deap.individuals import Individual, Individuals, copied_genes, put_genes


@documented(aligned_distance)
def partition_distance(
    a: Individual, b: Individual, align: bool = False, n_clusters: int | None = None
) -> int:
    """Count the genes in which two individuals differ, optionally after aligning their labels.

    Parameters
    ----------
    a, b : individuals
    align : bool, default=False
        Whether to align the labels of ``b`` with those of ``a``.
    """
    first, second = np.asarray(a), np.asarray(b)
    return int(aligned_distance(first, second, n_clusters) if align else hamming_distance(first, second))


@documented()
def partition_key(individual: Individual) -> bytes:
    """Return a key that is equal for two individuals if and only if they encode the same partition.

    Parameters
    ----------
    individual : individual
        Cluster labels, which can be numbered in any order.
    """
    return relabel_by_first_appearance(np.asarray(individual)).tobytes()


def cx_match_centers(
    first: Individual, second: Individual, rng: Generator, *, n_clusters: int
) -> tuple[Individual, Individual]:
    """Apply :class:`~moo_clustering.operators.CenterMatchingCrossover` to two individuals in place.

    Parameters
    ----------
    first, second : individuals
        Individuals to modify; their fitness is deleted. If they have a ``mix``, the children inherit it.
    rng : numpy.random.Generator
    n_clusters : int
        Number of centres per individual.

    Returns
    -------
    tuple of two individuals
        Same two objects, as DEAP requires.
    """
    a, b = (copied_genes(individual, np.float64).reshape(n_clusters, -1) for individual in (first, second))
    mixes = [getattr(individual, "mix", None) for individual in (first, second)]
    for individual, genes in zip((first, second), match_centers(a, b, rng), strict=True):
        put_genes(individual, genes.ravel())
        if hasattr(individual, "mix"):
            individual.mix = inherited_mix(mixes, rng)
    return first, second


@documented(RelocateCenter, cx_match_centers)
def mut_relocate(
    individual: Individual,
    rng: Generator,
    *,
    problem: Any,
    removal: Removal = "uniform",
    mix: float | None = None,
) -> tuple[Individual]:
    """Apply :class:`~moo_clustering.operators.RelocateCenter` to an individual in place.

    Parameters
    ----------
    individual : individual
        Individual to modify; its fitness is deleted.
    problem : SumOfSquaresProblem

    Returns
    -------
    tuple of one individual
        Same object, as DEAP requires.
    """
    own = getattr(individual, "mix", None)
    mutation = RelocateCenter(removal, mix=mix)
    put_genes(individual, mutation._apply(problem, copied_genes(individual, np.float64), rng, own)[0])
    return (individual,)


def local_search(problem: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Create a decorator for ``toolbox.decorate`` that improves individuals before evaluation.

    Parameters
    ----------
    problem : SumOfSquaresProblem, or any problem with ``improve(X)``

    Returns
    -------
    callable
        Decorator that replaces an individual's genes with those of a local optimum.

    Examples
    --------
    >>> toolbox.register("evaluate", evaluate)  # doctest: +SKIP
    >>> toolbox.decorate("evaluate", local_search(problem))  # doctest: +SKIP
    """

    def decorate(evaluate: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(evaluate)
        def improved(individual: Individual, *args: Any, **kwargs: Any) -> Any:
            put_genes(individual, problem.improve(copied_genes(individual, np.float64))[0])
            return evaluate(individual, *args, **kwargs)

        return improved

    return decorate


def var_and(
    parents: Individuals, toolbox: base.Toolbox, rng: Generator, *, pc: float, pm: float = 1.0
) -> Individuals:
    """Clone parents, cross consecutive pairs with probability pc, and mutate children with probability pm.

    Equivalent to ``deap.algorithms.varAnd``, but does not use the global random state.

    Parameters
    ----------
    parents : list of individuals
    toolbox : deap.base.Toolbox
        Toolbox with ``clone``, ``mate(first, second, rng)`` and ``mutate(individual, rng)``.
    rng : numpy.random.Generator
    pc : float
        Probability of crossing each pair of parents.
    pm : float, default=1.0
        Probability that an individual is mutated.

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


@documented(var_and)
def var_or(parents: Individuals, toolbox: base.Toolbox, rng: Generator, *, pc: float) -> Individuals:
    """Clone parents, and cross each consecutive pair with probability pc; otherwise, mutate both members."""
    offspring = [toolbox.clone(parent) for parent in parents]
    for t in range(0, len(offspring), 2):
        if rng.random() < pc and t + 1 < len(offspring):
            toolbox.mate(offspring[t], offspring[t + 1], rng)
        else:
            for individual in offspring[t : t + 2]:
                toolbox.mutate(individual, rng)
    return offspring
