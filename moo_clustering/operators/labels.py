"""Operators for cluster labels, one gene per sample: sampling, aligned crossover, and moves of bags."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from moo_clustering._arrays import choice, instance, integer, probability, quoted
from moo_clustering._docs import documented
from moo_clustering._kernels.partitions import half_of_differences
from moo_clustering._types import BoolArray, IntArray, Labels
from moo_clustering.bags import BagObjective
from moo_clustering.bags.objective import RULES, Rule
from moo_clustering.encodings import LabelEncoding, align_labels, relabel_by_first_appearance
from moo_clustering.encodings.base import checked_genes, rounded_genes
from moo_clustering.encodings.medoids import decode_slots, random_slots
from moo_clustering.operators import base
from moo_clustering.operators.generic import EncodingMutation, EncodingRepair, register_operators
from moo_clustering.problems.bags import BagPartitionProblem

StartKind = Literal["random", "km", "bamic", "optima"]
KINDS: tuple[StartKind, ...] = get_args(StartKind)
Empty = Literal["farthest", "closest", "keep"]
Exchange = Callable[[IntArray, IntArray, np.random.Generator], BoolArray]
BLOCK_DRAWS = 2**22


@documented(base.SHARED)
class PartitionSampling(base.SeededSampling):
    """Draw partitions of bags by several methods, then repair clusters below the minimum size.

    The share of each method determines its number of individuals (largest-remainder method). ``"optima"`` can
    yield equal partitions, which :class:`RefillingSampling` replaces. Raises a ValueError for an unknown
    kind, for shares that are negative or all zero, or if ``km_steps`` is below 1. Source: Evolutionary
    multi-instance clustering (initialisation, KM operator, BAMIC), except for ``"optima"``.

    Parameters
    ----------
    kinds : str, sequence of str, or mapping of str to float, default=("random", "km", "bamic", "optima")
        Methods with equal shares, or a mapping of methods to shares. The last two need ``problem.distances``:

        - ``"random"``: random labels, drawn uniformly.
        - ``"km"``: random labels, then ``km_steps`` k-means steps.
        - ``"bamic"``: distinct random medoids; each bag is assigned to the nearest medoid.
        - ``"optima"``: partitions of these three kinds, improved by greedy descent; by far the slowest.
    km_steps : int, default=3
        Number of k-means steps for ``"km"``.

    Attributes
    ----------
    n_trials : int
        Number of trial evaluations by descents so far.
    """

    def __init__(
        self,
        kinds: StartKind | Sequence[StartKind] | Mapping[StartKind, float] = KINDS,
        *,
        km_steps: int = 3,
        objective: BagObjective | None = None,
    ) -> None:
        super().__init__()
        self.kinds = kinds
        self._shares = _shares(kinds)
        self.km_steps = integer("km_steps", km_steps)
        self.objective = objective
        self.n_trials = 0

    def _apply(self, problem: Any, n_samples: int, rng: np.random.Generator) -> Labels:
        objective = objective_of(problem, self.objective, "random", "reassign", "descend", "repair")
        return self._mixed(self._shares, problem, objective, n_samples, rng)

    def _mixed(
        self, shares: Mapping[StartKind, float], problem: Any, objective: BagObjective, n: int, rng: Any
    ) -> Labels:
        counts = zip(shares, apportioned(n, np.array(list(shares.values()))), strict=True)
        drawn = [self._drawn(kind, problem, objective, count, rng) for kind, count in counts]
        return objective.repair(np.concatenate(drawn))

    def _drawn(
        self, kind: StartKind, problem: Any, objective: BagObjective, n: int, rng: np.random.Generator
    ) -> Labels:
        if kind == "optima":
            starts = self._mixed(dict.fromkeys(KINDS[:3], 1.0), problem, objective, n, rng)
            descended = objective.descend(starts, rng)
            self.n_trials += int(descended.n_trials.sum())
            return descended.labels
        if kind == "bamic":
            k, N = objective.n_clusters, objective.n_bags
            distances = base.require(problem, "problem with distances between bags", "distances").distances
            return decode_slots(random_slots(n, N, k, k, rng), distances)
        labels = objective.random(n, rng)
        if kind == "km" and n:
            for _ in range(self.km_steps):
                labels = objective.reassign(labels)
        return labels


def apportioned(n: int, shares: NDArray[np.float64]) -> NDArray[np.int64]:
    """Split n in proportion to the shares by the largest-remainder method."""
    exact = n * shares / shares.sum()
    # The tolerance prevents rounding errors from reducing a whole-number quota by one.
    counts = np.floor(exact + 1e-9).astype(np.int64)
    counts[np.argsort(counts - exact, kind="stable")[: n - counts.sum()]] += 1
    return counts


def _shares(kinds: Any) -> dict[StartKind, float]:
    if isinstance(kinds, str):
        kinds = [kinds]
    shares = dict(kinds) if isinstance(kinds, Mapping) else dict.fromkeys(kinds, 1.0)
    for kind, share in shares.items():
        choice("every entry of kinds", kind, KINDS)
        if not 0.0 <= share < np.inf:
            raise ValueError(f"shares must be non-negative numbers, got {quoted(share)} for {kind!r}")
    if not sum(shares.values()) > 0.0:
        raise ValueError(f"kinds must contain at least one kind with a positive share, got {quoted(kinds)}")
    return shares


class _AlignedCrossover(base.PairCrossover):
    """Base class for crossovers of two partitions that produce two children.

    Parameters
    ----------
    align : bool
        Whether to align the second parent's labels with the first parent's by ``align_labels``, so that equal
        clusters have equal labels.
    """

    def __init__(self, align: bool = True, prob: float = 0.9, **kwargs: Any) -> None:
        super().__init__(prob, **kwargs)
        self.align = bool(instance("align", align, bool | np.bool_, "True or False"))

    @abstractmethod
    def exchange(self, first: IntArray, second: IntArray, rng: np.random.Generator) -> BoolArray:
        """Return a mask of the genes to exchange between the parents, with the shape of ``first``."""

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> IntArray:
        check_labels(problem)
        first, second = (checked_genes(parents, X.shape[-1]) for parents in X)
        return np.stack(cross_partitions(first, second, self.exchange, rng, align=self.align))


class AlignedOnePoint(_AlignedCrossover):
    """One-point crossover of partitions, which exchanges all genes after a random cut.

    If aligned parents encode the same partition, so do both children. Children can have fewer clusters than
    their parents, but no new labels. Takes O(n_samples) time per pair, plus O(K^3) to align K > 2 clusters.
    Source: Evolutionary multi-instance clustering (CHCMIC). The alignment is not part of the paper.
    """

    def exchange(self, first: IntArray, second: IntArray, rng: np.random.Generator) -> BoolArray:
        return tails(first, second, rng)


class AlignedHUX(_AlignedCrossover):
    """Half-uniform crossover of partitions, which exchanges half of the differing genes.

    If aligned parents differ in h genes, floor(h / 2) of these genes, drawn at random, are exchanged.
    Children are therefore as far as possible from both parents. Takes as long as :class:`AlignedOnePoint`.
    Source: Eshelman, The CHC adaptive search algorithm, FOGA 1991. The alignment is not part of the paper.
    """

    def exchange(self, first: IntArray, second: IntArray, rng: np.random.Generator) -> BoolArray:
        n_pairs, n_var = first.shape
        first, second = (np.ascontiguousarray(x, dtype=np.int32) for x in (first, second))
        chosen = np.empty((n_pairs, n_var), dtype=bool)
        step = max(1, BLOCK_DRAWS // max(n_var, 1))
        for part in (slice(lo, lo + step) for lo in range(0, n_pairs, step)):
            half_of_differences(first[part], second[part], rng.random(first[part].shape), chosen[part])
        return chosen


class AlignedUniformCrossover(_AlignedCrossover):
    """Uniform crossover: exchange each gene with probability one half; see :class:`AlignedOnePoint`."""

    def exchange(self, first: IntArray, second: IntArray, rng: np.random.Generator) -> BoolArray:
        return coins(first, second, rng)


def cross_partitions(
    first: IntArray, second: IntArray, exchange: Exchange, rng: np.random.Generator, *, align: bool
) -> tuple[IntArray, IntArray]:
    """Align the labels if ``align``, then swap the genes selected by ``exchange`` in each pair of rows."""
    if align:
        second = align_labels(first, second)
    swap = exchange(first, second, rng)
    return np.where(swap, second, first), np.where(swap, first, second)


def tails(first: IntArray, second: IntArray, rng: np.random.Generator) -> BoolArray:
    """Select the genes after a cut, which is drawn uniformly from 1..n_var-1 for each pair."""
    n_pairs, n_var = first.shape
    return np.arange(n_var) >= rng.integers(1, max(n_var, 2), size=(n_pairs, 1))


def coins(first: IntArray, second: IntArray, rng: np.random.Generator) -> BoolArray:
    return base.random_bits(len(first), first.shape[1], rng)


@documented(base.SHARED, BagObjective.improve)
class ImprovementMutation(base.DrawnMutation):
    """Redraw cluster labels one at a time, favouring clusters that improve the objective.

    Each draw takes all previous draws into account, and no move reduces a cluster below the minimum size. A
    mutation takes as long as an evaluation, plus O(n + K^3) time per redrawn gene, where n is the number of
    instances and K is the number of clusters. Source: Evolutionary multi-instance clustering, Eqs. 5-6.

    Parameters
    ----------
    p_gene : float, default=0.2
        Probability that each gene of a mutated individual is redrawn; the paper's genetic algorithms use 0.7.

    Attributes
    ----------
    n_trials : int
        Number of trial evaluations so far.
    """

    def __init__(
        self,
        p_gene: float = 0.2,
        draw_weights: Rule = "contrast",
        objective: BagObjective | None = None,
        prob: float = 1.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(prob, **kwargs)
        self.p_gene = probability("p_gene", p_gene)
        self.draw_weights: Rule = choice("draw_weights", draw_weights, RULES)
        self.objective = objective
        self.n_trials = 0

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> NDArray[np.int32]:
        objective = objective_of(problem, self.objective, "improve")
        improved = objective.improve(
            checked_genes(X, problem.n_var), rng, p_gene=self.p_gene, draw_weights=self.draw_weights
        )
        self.n_trials += int(improved.n_trials.sum())
        return improved.labels


@documented(base.SHARED, BagObjective.reassign)
class KMMutation(base.DrawnMutation):
    """Assign each bag to the nearest centroid of the partition (the KM operator).

    The minimum cluster size is ignored; :class:`MinSizeRepair` restores it. A mutation takes as long as an
    evaluation: O(n N) time, where n is the number of instances and N the number of bags. Source: Evolutionary
    multi-instance clustering (KM operator).
    """

    def __init__(
        self,
        empty: Empty = "farthest",
        objective: BagObjective | None = None,
        prob: float = 0.2,
        **kwargs: Any,
    ) -> None:
        super().__init__(prob, **kwargs)
        self.empty: Empty = choice("empty", empty, get_args(Empty))
        self.objective = objective

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> NDArray[np.int32]:
        objective = objective_of(problem, self.objective, "reassign")
        return objective.reassign(checked_genes(X, problem.n_var), empty=self.empty)


class CanonicalRepair(base.GeneRepair):
    """Renumber the clusters of each partition by first appearance.

    Equal partitions then have equal genes. Genes are rounded first; negative genes raise a ValueError. Takes
    O(n_individuals * (n_samples + K)) time, where K is the number of clusters.
    """

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
        check_labels(problem)
        return relabel_by_first_appearance(rounded_genes(X, X.shape[-1]))


@documented(base.SHARED)
class MinSizeRepair(base.GeneRepair):
    """Move bags to clusters below the minimum size, choosing the moves that worsen the objective least.

    Cluster labels are rounded first, and valid individuals are not changed. If the objective has
    ``handling="repair"``, violated constraints are also repaired. Takes as long as an evaluation, plus O(N)
    time per moved bag, where N is the number of bags.

    Parameters
    ----------
    **kwargs
        Additional options of pymoo's ``Repair``.
    """

    def __init__(self, objective: BagObjective | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.objective = objective

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
        return objective_of(problem, self.objective, "repair").repair(rounded_genes(X, problem.n_var))


def check_labels(problem: Any) -> None:
    """Raise a TypeError if a problem of this package has genes that are not cluster labels."""
    if hasattr(problem, "operators"):
        base.encoding_of(problem, LabelEncoding)


def objective_of(problem: Any, objective: BagObjective | None, *methods: str) -> BagObjective:
    """Return ``objective`` (default: the problem's objective); raise a TypeError if it lacks a method."""
    own = getattr(problem, "objective", None) if objective is None else objective
    lacking = [name for name in methods if not callable(getattr(own, name, None))]
    if lacking:
        owner = f"{type(problem).__name__}.objective" if objective is None else type(objective).__name__
        raise TypeError(
            f"{owner} has no {lacking[0]}(), which this operator requires; use a "
            "BagPartitionProblem, or pass objective=BagObjective(...) to the operator"
        )
    return own  # type: ignore[return-value]


register_operators(
    LabelEncoding, crossover=AlignedUniformCrossover, mutation=EncodingMutation, repair=EncodingRepair
)
register_operators(
    BagPartitionProblem,
    sampling=partial(PartitionSampling, ("random", "km")),
    crossover=partial(AlignedHUX, prob=0.9),
    # The mutation improves a single objective, so the front would narrow if all children were mutated.
    mutation=partial(ImprovementMutation, 0.2, prob=0.5),
    repair=MinSizeRepair,
)
