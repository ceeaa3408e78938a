"""Crossovers and mutations of DEAP individuals, and the loops that apply them to a population.

Any operator of pymoo becomes a function of DEAP by :func:`as_mate` or :func:`as_mutate`. Only operators of
centres have a form of their own, because children inherit a ``mix`` beside their genes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, get_args

import numpy as np
from deap import base

from moo_clustering._arrays import choice
from moo_clustering._docs import documented
from moo_clustering.encodings import aligned_distance, hamming_distance, relabel_by_first_appearance
from moo_clustering.operators.centers import Removal, center_problem, inherited_mix, match_centers, relocate
from moo_clustering.operators.deap.individuals import copied_genes, put_genes

Individual = Any
Individuals = list[Any]

# Parameters and results of the two loops, for :func:`~moo_clustering._docs.documented`.
VARIATION = """
Parameters
----------
parents : list of individuals
toolbox : deap.base.Toolbox
    Must have ``clone``, ``mate(first, second, rng)`` and ``mutate(individual, rng)``.
rng : numpy.random.Generator
pc : float
    Probability of crossing a pair.

Returns
-------
list of individuals
"""


def partition_distance(
    a: Individual, b: Individual, align: bool = False, n_clusters: int | None = None
) -> int:
    """Number of genes in which two individuals differ, as they are or with their clusters aligned.

    See :func:`~moo_clustering.encodings.aligned_distance`.

    Parameters
    ----------
    a, b : individuals
    align : bool, default=False
        First renumber the clusters of ``b`` like those of ``a``.
    n_clusters : int, optional
        See :func:`~moo_clustering.encodings.align_labels`.

    Returns
    -------
    int
    """
    first, second = np.asarray(a), np.asarray(b)
    return int(aligned_distance(first, second, n_clusters) if align else hamming_distance(first, second))


def partition_key(individual: Individual) -> bytes:
    """Bytes that are equal if and only if individuals are the same partition, however it is numbered.

    Parameters
    ----------
    individual : individual
        Cluster numbers.

    Returns
    -------
    bytes
    """
    return relabel_by_first_appearance(np.asarray(individual)).tobytes()


def cx_match_centres(
    first: Individual, second: Individual, rng: np.random.Generator, *, n_clusters: int
) -> tuple[Individual, Individual]:
    """:class:`~moo_clustering.operators.CentreMatchingCrossover` of two individuals, in place.

    Parameters
    ----------
    first, second : individuals
        Changed; their fitness is deleted. If they have a ``mix``, the children inherit it.
    rng : numpy.random.Generator
    n_clusters : int
        Number of centres of both.

    Returns
    -------
    tuple of two individuals
        The same objects, for DEAP.
    """
    a, b = (copied_genes(individual, np.float64).reshape(n_clusters, -1) for individual in (first, second))
    mixes = [getattr(individual, "mix", None) for individual in (first, second)]
    for individual, genes in zip((first, second), match_centers(a, b, rng), strict=True):
        put_genes(individual, genes.ravel())
        if hasattr(individual, "mix"):
            individual.mix = inherited_mix(mixes, rng)
    return first, second


def mut_relocate(
    individual: Individual,
    rng: np.random.Generator,
    *,
    problem: Any,
    removal: Removal = "uniform",
    mix: float | None = None,
) -> tuple[Individual]:
    """:class:`~moo_clustering.operators.RelocateCentre` of one individual, in place.

    Parameters
    ----------
    individual : individual
        Changed; its fitness is deleted.
    rng : numpy.random.Generator
    problem : SumOfSquaresProblem
    removal : {"uniform", "cheap"}, default="uniform"
    mix : float, optional
        Default: the individual's ``mix``, or else a uniform number.

    Returns
    -------
    tuple of one individual
        The same object, for DEAP.
    """
    encoding = center_problem(problem).encoding
    mix = getattr(individual, "mix", None) if mix is None else mix
    centers = encoding.centers(copied_genes(individual, np.float64))[0]
    choice("removal", removal, get_args(Removal))
    relocate(encoding, centers, rng.random() if mix is None else mix, rng, removal)
    put_genes(individual, centers.ravel())
    return (individual,)


def local_search(problem: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a decorator of ``evaluate(individual)`` that first improves the individual to a local optimum.

    Parameters
    ----------
    problem : SumOfSquaresProblem, or any with ``improve(X)``

    Returns
    -------
    callable
        The decorator, for ``toolbox.decorate``.

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


@documented(VARIATION)
def var_and(
    parents: Individuals, toolbox: base.Toolbox, rng: np.random.Generator, *, pc: float, pm: float = 1.0
) -> Individuals:
    """Clone parents, cross neighbours with probability pc, and mutate each with probability pm.

    As ``deap.algorithms.varAnd``, without its global random state.

    Parameters
    ----------
    pm : float, default=1.0
        Probability of mutating an individual.
    """
    offspring = [toolbox.clone(parent) for parent in parents]
    for first, second in zip(offspring[::2], offspring[1::2], strict=False):
        if rng.random() < pc:
            toolbox.mate(first, second, rng)
    for individual in offspring:
        if rng.random() < pm:
            toolbox.mutate(individual, rng)
    return offspring


@documented(VARIATION)
def var_or(
    parents: Individuals, toolbox: base.Toolbox, rng: np.random.Generator, *, pc: float
) -> Individuals:
    """Clone parents, and either cross a pair, with probability pc, or mutate both."""
    offspring = [toolbox.clone(parent) for parent in parents]
    for t in range(0, len(offspring), 2):
        if rng.random() < pc and t + 1 < len(offspring):
            toolbox.mate(offspring[t], offspring[t + 1], rng)
        else:
            for individual in offspring[t : t + 2]:
                toolbox.mutate(individual, rng)
    return offspring
