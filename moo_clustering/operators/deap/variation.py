"""Crossovers and mutations of DEAP individuals."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from deap import base
from numpy.typing import ArrayLike, NDArray
from pymoo.util.nds.non_dominated_sorting import NonDominatedSorting

from moo_clustering._arrays import Labels
from moo_clustering.encodings.base import aligned_distance, hamming_distance, relabel_by_first_appearance
from moo_clustering.encodings.medoids import decode_slots, filled, random_slots
from moo_clustering.operators._shared import (
    Bounds,
    Exchange,
    checked_probability,
    coins,
    cross_partitions,
    cross_slots,
    half_differing,
    mutate_slots,
    tails,
)
from moo_clustering.operators.crossover import (
    GroupingOverlayCrossover,
    Length,
    center_problem,
    inherited_mix,
    match_centers,
    prefix_union,
)
from moo_clustering.operators.deap.individuals import ArrayIndividual, Minimize, copied_genes, put_genes
from moo_clustering.operators.mutation import PartitionMutation, ReplaceKind, replace_one, swap_two
from moo_clustering.operators.mutation_local import Removal, checked_removal, relocate
from moo_clustering.operators.survival import Boundary, crowding_distance

if TYPE_CHECKING:
    from moo_clustering.bags import BagObjective

Individual = Any
Genes = NDArray[np.int32]
Individuals = list[Any]
Pair = tuple[Individual, Individual]


class EvaluatePartition:
    """``evaluate``: the objective of a partition, minimised.

    Parameters
    ----------
    objective : BagObjective
    """

    def __init__(self, objective: BagObjective) -> None:
        self.objective = objective

    def __call__(self, individual: Individual) -> tuple[float]:
        """The objective as a tuple."""
        return (float(self.batch(np.atleast_2d(np.asarray(individual)))[0]),)

    def batch(self, matrix: NDArray[Any]) -> NDArray[np.float64]:
        """Objectives of all rows."""
        return self.objective.evaluate(matrix)


class _InPlace(ABC):
    """One individual by the batched form."""

    def __call__(self, individual: Individual) -> tuple[Individual]:
        put_genes(individual, self.batch(copied_genes(individual, np.int32))[0])
        return (individual,)

    @abstractmethod
    def batch(self, matrix: NDArray[Any]) -> Genes:
        """All rows."""


class _Counting(_InPlace):
    """A mutation that counts its trial evaluations in ``n_trials``, and starts from what is repaired."""

    def __init__(self, objective: BagObjective, rng: np.random.Generator) -> None:
        self.objective = objective
        self.rng = rng
        self.n_trials = 0

    def _counted(self, improved: Any) -> Genes:
        self.n_trials += int(improved.n_trials.sum())
        genes: Genes = improved.labels
        return genes


class ImprovePartition(_Counting):
    """``mutate``: genes drawn one after the other by the objective for every choice.

    Parameters
    ----------
    objective : BagObjective
    rng : numpy.random.Generator
    p_gene : float, default=0.7
    weights : {"contrast", "scaled", "printed", "greedy"}, default="contrast"

    Attributes
    ----------
    n_trials : int
        Trial evaluations so far.

    References
    ----------
    Evolutionary multi-instance clustering, Eqs. 5-6.
    """

    def __init__(
        self,
        objective: BagObjective,
        rng: np.random.Generator,
        *,
        p_gene: float = 0.7,
        weights: Literal["contrast", "scaled", "printed", "greedy"] = "contrast",
    ) -> None:
        super().__init__(objective, rng)
        self.p_gene = p_gene
        self.weights: Literal["contrast", "scaled", "printed", "greedy"] = weights

    def batch(self, matrix: NDArray[Any], max_trials: int | None = None) -> Genes:
        """All rows; those that ``max_trials`` is not enough for stay as they are."""
        whole = self.objective.repair(matrix)
        improved = self.objective.improve(
            whole, self.rng, p_gene=self.p_gene, weights=self.weights, max_trials=max_trials
        )
        return self._counted(improved)


class DescendPartition(_Counting):
    """``mutate``: single bags moved to their best cluster until no move helps.

    Parameters
    ----------
    objective : BagObjective
    rng : numpy.random.Generator

    Attributes
    ----------
    n_trials : int
        Trial evaluations so far.
    """

    def batch(self, matrix: NDArray[Any], max_trials: int | None = None) -> Genes:
        """All rows, which share ``max_trials`` evenly."""
        whole = self.objective.repair(matrix)
        return self._counted(self.objective.descend(whole, self.rng, max_trials=max_trials))


class DriftPartition(_InPlace):
    """``mutate``: genes drawn all at once, nearer centroids being likelier.

    Parameters
    ----------
    objective : BagObjective
    rng : numpy.random.Generator
    p_gene : float, default=0.7
    bias : float, default=0.5

    References
    ----------
    Evolutionary multi-instance clustering, Eq. 9.
    """

    def __init__(
        self, objective: BagObjective, rng: np.random.Generator, *, p_gene: float = 0.7, bias: float = 0.5
    ) -> None:
        self.objective = objective
        self.rng = rng
        self.p_gene = p_gene
        self.bias = bias

    def batch(self, matrix: NDArray[Any]) -> Genes:
        """All rows."""
        return self.objective.drift(matrix, self.rng, p_gene=self.p_gene, bias=self.bias)


class ReassignPartition(_InPlace):
    """``km``: one step of k-means.

    Parameters
    ----------
    objective : BagObjective
    empty : {"farthest", "closest", "keep"}, default="farthest"
        Which bag an empty cluster gets.
    """

    def __init__(
        self, objective: BagObjective, *, empty: Literal["farthest", "closest", "keep"] = "farthest"
    ) -> None:
        self.objective = objective
        self.empty: Literal["farthest", "closest", "keep"] = empty

    def batch(self, matrix: NDArray[Any]) -> Genes:
        """All rows."""
        return self.objective.reassign(matrix, empty=self.empty)


class RepairPartition(_InPlace):
    """``repair``: least cluster size, and constraints where they are repaired.

    Parameters
    ----------
    objective : BagObjective
    """

    def __init__(self, objective: BagObjective) -> None:
        self.objective = objective

    def batch(self, matrix: NDArray[Any]) -> Genes:
        """All rows."""
        return self.objective.repair(matrix)


class UsesAllClusters:
    """``legal``: whether no cluster is empty, or smaller than asked for.

    Parameters
    ----------
    n_clusters : int
    least : int, default=1
        Bags in every cluster.
    """

    def __init__(self, n_clusters: int, least: int = 1) -> None:
        self.n_clusters = n_clusters
        self.least = least

    def __call__(self, individual: Individual) -> bool:
        """Of one individual."""
        return bool(self.batch(np.asarray(individual)[None])[0])

    def batch(self, matrix: NDArray[Any]) -> NDArray[np.bool_]:
        """Of all rows."""
        sizes = np.stack([(matrix == k).sum(axis=1) for k in range(self.n_clusters)])
        return np.asarray((sizes >= self.least).all(axis=0))


class MixedStarts:
    """``population``: partitions that are random, of k-means steps, and around random bags, in turn.

    Parameters
    ----------
    objective : BagObjective
    toolbox : deap.base.Toolbox
        With ``from_genes``.
    rng : numpy.random.Generator
    distances : ndarray of shape (n_bags, n_bags)
        From the bag of the row to that of the column.
    km_steps : int, default=3
    """

    def __init__(
        self,
        objective: BagObjective,
        toolbox: base.Toolbox,
        rng: np.random.Generator,
        distances: NDArray[np.floating[Any]],
        *,
        km_steps: int = 3,
    ) -> None:
        self.objective = objective
        self.toolbox = toolbox
        self.rng = rng
        self.distances = distances
        self.km_steps = km_steps

    def __call__(self, n: int) -> Individuals:
        """``n`` individuals."""
        objective, k = self.objective, self.objective.n_clusters
        labels = objective.random(n, self.rng)
        for _ in range(self.km_steps):
            labels[1::3] = objective.reassign(labels[1::3]) if n > 1 else labels[1::3]
        if n > 2:
            medoids = random_slots(len(labels[2::3]), objective.n_bags, k, k, self.rng)
            labels[2::3] = decode_slots(medoids, self.distances)
        return [self.toolbox.from_genes(row) for row in objective.repair(labels)]


class PerturbedCopies:
    """``restart`` of :func:`~moo_clustering.algorithms.chc`: copies of the best, partly redrawn.

    Parameters
    ----------
    objective : BagObjective
    toolbox : deap.base.Toolbox
        With ``from_genes``.
    share : float, default=0.35
        Of the genes, drawn anew from the other clusters.
    fresh : float, default=0.5
        Probability of a random individual instead.
    """

    def __init__(
        self, objective: BagObjective, toolbox: base.Toolbox, *, share: float = 0.35, fresh: float = 0.5
    ) -> None:
        self.objective = objective
        self.toolbox = toolbox
        self.share = share
        self.fresh = fresh

    def __call__(self, best: Individuals, n: int, rng: np.random.Generator) -> Individuals:
        """``n`` new individuals."""
        labels = self.objective.random(n, rng)
        for i in np.flatnonzero(rng.random(n) >= self.fresh):
            labels[i] = perturbed(best[i % len(best)], self.share, self.objective.n_clusters, rng)
        return [self.toolbox.from_genes(row) for row in labels]


def cx_one_point(
    a: Individual,
    b: Individual,
    rng: np.random.Generator,
    align: bool = False,
    n_clusters: int | None = None,
) -> Pair:
    """:class:`~moo_clustering.operators.AlignedOnePoint` of two individuals, in place.

    Parameters
    ----------
    a, b : individuals
        Changed; their fitness is deleted.
    rng : numpy.random.Generator
        ``toolbox.register("mate", cx_one_point, rng=rng)`` makes it a DEAP ``mate(a, b)``.
    align : bool, default=False
        Give the clusters of ``b`` the numbers they have in ``a`` before.
    n_clusters : int, optional
        See :func:`~moo_clustering.encodings.align_labels`.

    Returns
    -------
    tuple of two individuals
        The same objects, for DEAP.
    """
    return _cross(a, b, tails, rng, align, n_clusters)


def cx_hux(
    a: Individual,
    b: Individual,
    rng: np.random.Generator,
    align: bool = False,
    n_clusters: int | None = None,
) -> Pair:
    """:class:`~moo_clustering.operators.AlignedHUX` of two individuals, in place.

    Exactly floor(h / 2) of the h differing genes are exchanged.

    Parameters
    ----------
    a, b : individuals
        Changed; their fitness is deleted.
    rng : numpy.random.Generator
    align : bool, default=False
        Give the clusters of ``b`` the numbers they have in ``a`` before.
    n_clusters : int, optional
        See :func:`~moo_clustering.encodings.align_labels`.

    Returns
    -------
    tuple of two individuals
        The same objects, for DEAP.
    """
    return _cross(a, b, half_differing, rng, align, n_clusters)


def cx_uniform(
    a: Individual,
    b: Individual,
    rng: np.random.Generator,
    align: bool = False,
    n_clusters: int | None = None,
) -> Pair:
    """:class:`~moo_clustering.operators.AlignedUniformCrossover` of two individuals, in place.

    Parameters
    ----------
    a, b : individuals
        Changed; their fitness is deleted.
    rng : numpy.random.Generator
    align : bool, default=False
        Give the clusters of ``b`` the numbers they have in ``a`` before.
    n_clusters : int, optional
        See :func:`~moo_clustering.encodings.align_labels`.

    Returns
    -------
    tuple of two individuals
        The same objects, for DEAP.
    """
    return _cross(a, b, coins, rng, align, n_clusters)


def _cross(
    a: Individual,
    b: Individual,
    exchange: Exchange,
    rng: np.random.Generator,
    align: bool,
    n_clusters: int | None,
) -> Pair:
    first, second = copied_genes(a, np.int32), copied_genes(b, np.int32)
    children = cross_partitions(first, second, exchange, rng, align=align, n_clusters=n_clusters)
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
        Give the clusters of ``b`` the numbers they have in ``a`` before.
    n_clusters : int, optional
        See :func:`~moo_clustering.encodings.align_labels`.

    Returns
    -------
    int
    """
    first, second = np.asarray(a), np.asarray(b)
    return int(aligned_distance(first, second, n_clusters) if align else hamming_distance(first, second))


def partition_key(individual: Individual) -> bytes:
    """The same bytes for individuals that are the same partition, whatever the numbers of its clusters.

    Parameters
    ----------
    individual : individual
        Cluster numbers.

    Returns
    -------
    bytes
    """
    return relabel_by_first_appearance(np.asarray(individual)).tobytes()


def perturbed(
    individual: Individual, share: float, n_clusters: int, rng: np.random.Generator
) -> NDArray[np.int32]:
    """Genes of the individual with a share of them, at random places, redrawn.

    Parameters
    ----------
    individual : individual
        Not changed.
    share : float
        Of the genes, 0..1; round(share n_samples) of them change. Each becomes one of the other
        clusters, all equally likely: with two clusters it is flipped.
    n_clusters : int
    rng : numpy.random.Generator

    Returns
    -------
    genes : ndarray of shape (n_samples,), int32

    References
    ----------
    Eshelman, The CHC adaptive search algorithm, FOGA 1991 (restarts; share 0.35).
    """
    genes = copied_genes(individual, np.int32)[0]
    if not 0.0 <= share <= 1.0:
        raise ValueError(f"share must be within 0..1, got {share!r}.")
    if n_clusters < 1 or (genes.size and not 0 <= genes.min() <= genes.max() < n_clusters):
        raise ValueError(f"genes must be within 0..n_clusters-1, got n_clusters={n_clusters} and {genes}.")
    places = rng.choice(genes.size, size=round(share * genes.size), replace=False)
    if n_clusters > 1:
        steps = rng.integers(1, n_clusters, size=len(places), dtype=np.int32)
        genes[places] = (genes[places] + steps) % n_clusters
    return genes


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
    return relabel_by_first_appearance(copied_genes(individual, np.int32)[0])


def cx_slots_one_point(
    a: Individual, b: Individual, rng: np.random.Generator, *, k_min: int, n_samples: int
) -> tuple[Individual, Individual]:
    """:class:`~moo_clustering.operators.SlotOnePointCrossover` of two individuals, in place.

    Parameters
    ----------
    a, b : individuals
        Changed; their fitness is deleted.
    rng : numpy.random.Generator
    k_min : int
        Smallest number of medoids.
    n_samples : int

    Returns
    -------
    tuple of two individuals
        The same objects, for DEAP.
    """
    first, second = copied_genes(a, np.int64), copied_genes(b, np.int64)
    children = cross_slots(first, second, rng, k_min=k_min, n_samples=n_samples)
    for individual, genes in zip((a, b), children, strict=True):
        put_genes(individual, genes[0])
    return a, b


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
    ind : individual
        Changed; its fitness is deleted.
    rng : numpy.random.Generator
    p_gene : float, default=0.7
        Probability that a medoid moves.
    reach : float, default=0.25
        An id moves by at most floor(reach n_samples).
    n_samples : int
    k_min : int
        Smallest number of medoids.
    neighbors : ndarray of shape (n_samples, r), optional
        Nearest samples of every sample, as from
        :meth:`~moo_clustering.encodings.MedoidSlotEncoding.nearest`: a medoid moves to one of its own,
        whatever ``reach`` is (the mutation ``kind="rank"``).

    Returns
    -------
    tuple of one individual
        The same object, for DEAP.
    """
    genes = mutate_slots(
        copied_genes(ind, np.int64),
        rng,
        p_gene=checked_probability("p_gene", p_gene),
        reach=checked_probability("reach", reach),
        n_samples=n_samples,
        k_min=k_min,
        neighbors=neighbors,
    )
    put_genes(ind, genes[0])
    return (ind,)


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
    kind: ReplaceKind = "replace",
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
