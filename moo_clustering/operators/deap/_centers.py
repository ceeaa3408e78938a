"""Crossover, mutation and local search of centres for DEAP."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Self

import numpy as np
from deap import base
from numpy.typing import ArrayLike

from moo_clustering.operators._center_matching import center_problem, inherited_mix, match_centers
from moo_clustering.operators._relocate_center import Removal, checked_removal, relocate
from moo_clustering.operators.deap._genes import copied_genes, put_genes
from moo_clustering.operators.deap._individual import ArrayIndividual, Minimize

Individual = Any


class CentreIndividual(ArrayIndividual):
    """Coordinates of centres, with the ``mix`` of their mutation and, once evaluated, ``labels``.

    Parameters
    ----------
    genes : array-like of shape (n_clusters * n_features,)
    fitness : type, default=Minimize
    mix : float, optional
        Probability that :func:`mut_relocate` puts a centre on any sample, not on a distant one.
    """

    mix: float | None = None
    labels: Any = None

    def __new__(
        cls, genes: ArrayLike, fitness: type[base.Fitness] = Minimize, mix: float | None = None
    ) -> Self:
        individual = super().__new__(cls, np.array(genes, dtype=np.float64), fitness)
        individual.mix = mix
        return individual

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Self:
        twin = super().__deepcopy__(memo)
        twin.mix, twin.labels = self.mix, self.labels
        return twin


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
    relocate(encoding, centers, rng.random() if mix is None else mix, rng, checked_removal(removal))
    put_genes(individual, centers.ravel())
    return (individual,)


def local_search(problem: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator of ``evaluate(individual)``: the individual becomes its local optimum first.

    Parameters
    ----------
    problem : SumOfSquaresProblem, or any with ``improve(X)``

    Returns
    -------
    callable
        For ``toolbox.decorate``.

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
