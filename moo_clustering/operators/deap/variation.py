"""Crossovers and mutations of DEAP individuals, and the loops that apply them to a population.

Each function is the DEAP form of the pymoo operator that its docstring names: it changes individuals in
place, deletes their fitness and returns them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, get_args

import numpy as np
from deap import base
from numpy.typing import NDArray

from moo_clustering._arrays import Labels, choice, probability
from moo_clustering._docs import documented
from moo_clustering.encodings import aligned_distance, hamming_distance, relabel_by_first_appearance
from moo_clustering.encodings.medoids import filled
from moo_clustering.operators import centers as center_moves
from moo_clustering.operators import labels as label_moves
from moo_clustering.operators import medoids as medoid_moves
from moo_clustering.operators.centers import center_problem
from moo_clustering.operators.deap.individuals import copied_genes, put_genes
from moo_clustering.operators.partitions import Bounds, GroupingOverlayCrossover, PartitionMutation

Individual = Any
Individuals = list[Any]
Pair = tuple[Individual, Individual]

# Parameters and results of crossovers and mutations, for :func:`~moo_clustering._docs.documented`.
CROSSOVER = """
Parameters
----------
a, b : individuals
    Changed; their fitness is deleted.
first, second : individuals
    Changed; their fitness is deleted.
rng : numpy.random.Generator
align : bool
    First renumber the clusters of ``b`` like those of ``a``.
n_clusters : int, optional
    See :func:`~moo_clustering.encodings.align_labels`.
k_max : int
    Largest number of medoids.
k_min : int
    Smallest number of medoids.
n_samples : int

Returns
-------
tuple of two individuals
    The same objects, for DEAP.
"""
MUTATION = """
Parameters
----------
individual : individual
    Changed; its fitness is deleted.
ind : individual
    Changed; its fitness is deleted.
rng : numpy.random.Generator
k_max : int
    Largest number of medoids.
k_min : int
    Smallest number of medoids.
n_samples : int

Returns
-------
tuple of one individual
    The same object, for DEAP.
"""
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


@documented(CROSSOVER)
def cx_one_point(
    a: Individual, b: Individual, rng: np.random.Generator, align: bool = False, n_clusters: int | None = None
) -> Pair:
    """:class:`~moo_clustering.operators.AlignedOnePoint` of two individuals, in place.

    ``toolbox.register("mate", cx_one_point, rng=rng)`` makes it a DEAP ``mate(a, b)``.
    """
    return _cross(a, b, label_moves.tails, rng, align, n_clusters)


@documented(CROSSOVER)
def cx_hux(
    a: Individual, b: Individual, rng: np.random.Generator, align: bool = False, n_clusters: int | None = None
) -> Pair:
    """:class:`~moo_clustering.operators.AlignedHUX` of two individuals, in place.

    Exactly floor(h / 2) of the h differing genes are exchanged.
    """
    return _cross(a, b, label_moves.half_differing, rng, align, n_clusters)


@documented(CROSSOVER)
def cx_uniform(
    a: Individual, b: Individual, rng: np.random.Generator, align: bool = False, n_clusters: int | None = None
) -> Pair:
    """:class:`~moo_clustering.operators.AlignedUniformCrossover` of two individuals, in place."""
    return _cross(a, b, label_moves.coins, rng, align, n_clusters)


def _cross(
    a: Individual,
    b: Individual,
    exchange: label_moves.Exchange,
    rng: np.random.Generator,
    align: bool,
    n_clusters: int | None,
) -> Pair:
    first, second = copied_genes(a, np.int32), copied_genes(b, np.int32)
    children = label_moves.cross_partitions(first, second, exchange, rng, align=align, n_clusters=n_clusters)
    for individual, genes in zip((a, b), children, strict=True):
        put_genes(individual, genes[0])
    return a, b


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


@documented(CROSSOVER)
def cx_grouping_overlay(
    a: Individual,
    b: Individual,
    rng: np.random.Generator,
    *,
    crossover: GroupingOverlayCrossover,
    k_max: int,
) -> Pair:
    """:class:`~moo_clustering.operators.GroupingOverlayCrossover` of two individuals, in place.

    Parameters
    ----------
    crossover : GroupingOverlayCrossover
        Holds the graph and the options; its ``prob`` is ignored.
    k_max : int
        Greatest number of clusters of a child.

    Examples
    --------
    >>> toolbox.register("mate", cx_grouping_overlay, crossover=crossover, k_max=60)  # doctest: +SKIP
    """
    first, second = _labels(a), _labels(b)
    put_genes(a, crossover.overlaid(first, second, k_max, rng))
    put_genes(b, crossover.overlaid(second, first, k_max, rng))
    return a, b


@documented(MUTATION)
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
    mutation : PartitionMutation
        Holds the graph, the pool and the options.
    k_max : int
        Largest number of clusters after a split.
    k_min : int, default=1
        Smallest number of clusters after a merge or refinement.
    crossed : bool, default=False
        Whether the individual is a child of a crossover, which is mutated less often.
    """
    put_genes(individual, mutation.varied(_labels(individual), Bounds(k_min, k_max), rng, crossed=crossed))
    return (individual,)


def _labels(individual: Individual) -> Labels:
    return relabel_by_first_appearance(copied_genes(individual, np.int32)[0])


@documented(CROSSOVER)
def cx_prefix_union(
    first: Individual,
    second: Individual,
    rng: np.random.Generator,
    *,
    k_max: int,
    n_samples: int,
    length: medoid_moves.Length = "grow",
) -> Pair:
    """:class:`~moo_clustering.operators.PrefixUnionCrossover` of two individuals, in place.

    Parameters
    ----------
    length : {"grow", "keep", "two_cut"}, default="grow"
    """
    a, b = _row(first, k_max), _row(second, k_max)
    for individual, head, tail in ((first, a, b), (second, b, a)):
        child = medoid_moves.prefix_union(head, tail, length, rng)
        _put(individual, filled(child, min(2, n_samples), n_samples, rng))
    return first, second


@documented(MUTATION)
def mut_medoid_replace(
    individual: Individual,
    rng: np.random.Generator,
    *,
    k_max: int,
    n_samples: int,
    kind: medoid_moves.ReplaceKind = "replace",
) -> tuple[Individual]:
    """:class:`~moo_clustering.operators.MedoidReplaceMutation` of one individual, in place.

    Parameters
    ----------
    kind : str, default="replace"
        See the pymoo operator.
    """
    sets = _row(individual, k_max)
    _put(individual, medoid_moves.replace_one(sets, n_samples, rng, kind=kind, k_min=min(2, n_samples)))
    return (individual,)


@documented(MUTATION)
def mut_medoid_swap(individual: Individual, rng: np.random.Generator) -> tuple[Individual]:
    """:class:`~moo_clustering.operators.MedoidSwapMutation` of one individual, in place."""
    _put(individual, medoid_moves.swap_two(_row(individual, len(individual)), rng))
    return (individual,)


def _row(individual: Individual, k_max: int) -> NDArray[np.int64]:
    """Copy the genes to a matrix of one row, padded with -1."""
    ids = np.asarray(individual, dtype=np.int64)
    ids = ids[ids >= 0]
    row = np.full((1, k_max), -1, dtype=np.int64)
    row[0, : len(ids)] = ids
    return row


def _put(individual: Individual, row: NDArray[Any]) -> None:
    """Write a row back; lists hold the medoids without padding."""
    individual[:] = row[0] if isinstance(individual, np.ndarray) else row[row >= 0].tolist()
    del individual.fitness.values


@documented(CROSSOVER)
def cx_slots_one_point(
    a: Individual, b: Individual, rng: np.random.Generator, *, k_min: int, n_samples: int
) -> Pair:
    """:class:`~moo_clustering.operators.SlotOnePointCrossover` of two individuals, in place."""
    first, second = copied_genes(a, np.int64), copied_genes(b, np.int64)
    children = medoid_moves.cross_slots(first, second, rng, k_min=k_min, n_samples=n_samples)
    for individual, genes in zip((a, b), children, strict=True):
        put_genes(individual, genes[0])
    return a, b


@documented(MUTATION)
def mut_slots(
    ind: Individual,
    rng: np.random.Generator,
    *,
    p_gene: float = 0.7,
    reach: float = 0.25,
    n_samples: int,
    k_min: int,
    neighbors: NDArray[np.integer[Any]] | None = None,
) -> tuple[Individual]:
    """:class:`~moo_clustering.operators.SlotMutation` of one individual, in place.

    Parameters
    ----------
    p_gene : float, default=0.7
        Probability that a medoid moves.
    reach : float, default=0.25
        Largest step of an id, as a share of the samples: floor(reach n_samples).
    neighbors : ndarray of shape (n_samples, r), optional
        Nearest samples of every sample, as from
        :meth:`~moo_clustering.encodings.MedoidSlotEncoding.nearest`: a medoid moves to one of them, and
        ``reach`` is ignored (the mutation ``kind="rank"``).
    """
    genes = medoid_moves.mutate_slots(
        copied_genes(ind, np.int64),
        rng,
        p_gene=probability("p_gene", p_gene),
        reach=probability("reach", reach),
        n_samples=n_samples,
        k_min=k_min,
        neighbors=neighbors,
    )
    put_genes(ind, genes[0])
    return (ind,)


@documented(CROSSOVER)
def cx_match_centres(
    first: Individual, second: Individual, rng: np.random.Generator, *, n_clusters: int
) -> Pair:
    """:class:`~moo_clustering.operators.CentreMatchingCrossover` of two individuals, in place.

    Parameters
    ----------
    first, second : individuals
        Changed; their fitness is deleted. If they have a ``mix``, the children inherit it.
    n_clusters : int
        Number of centres of both.
    """
    a, b = (copied_genes(individual, np.float64).reshape(n_clusters, -1) for individual in (first, second))
    mixes = [getattr(individual, "mix", None) for individual in (first, second)]
    for individual, genes in zip((first, second), center_moves.match_centers(a, b, rng), strict=True):
        put_genes(individual, genes.ravel())
        if hasattr(individual, "mix"):
            individual.mix = center_moves.inherited_mix(mixes, rng)
    return first, second


@documented(MUTATION)
def mut_relocate(
    individual: Individual,
    rng: np.random.Generator,
    *,
    problem: Any,
    removal: center_moves.Removal = "uniform",
    mix: float | None = None,
) -> tuple[Individual]:
    """:class:`~moo_clustering.operators.RelocateCentre` of one individual, in place.

    Parameters
    ----------
    problem : SumOfSquaresProblem
    removal : {"uniform", "cheap"}, default="uniform"
    mix : float, optional
        Default: the individual's ``mix``, or else a uniform number.
    """
    encoding = center_problem(problem).encoding
    mix = getattr(individual, "mix", None) if mix is None else mix
    centers = encoding.centers(copied_genes(individual, np.float64))[0]
    choice("removal", removal, get_args(center_moves.Removal))
    center_moves.relocate(encoding, centers, rng.random() if mix is None else mix, rng, removal)
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
