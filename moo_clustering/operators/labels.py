"""Operators of cluster numbers, one gene for each sample, that change single samples.

Crossovers align the clusters of two parents before they exchange genes. Operators of bags move them between
clusters by an objective.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from moo_clustering._arrays import BoolArray, IntArray, Labels, choice, did_you_mean, probability, quoted
from moo_clustering._docs import documented
from moo_clustering._kernels.partitions import half_of_differences
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
# A function of two arrays of parents and a generator that tells which genes are exchanged.
Exchange = Callable[[IntArray, IntArray, np.random.Generator], BoolArray]
# Random numbers drawn at once, 32 MiB of float64.
BLOCK_DRAWS = 2**22


@documented(base.SHARED)
class PartitionSampling(base.SeededSampling):
    """Mix several kinds of partitions of bags, repaired to the least cluster size.

    For problems with an attribute ``objective`` such as
    :class:`~moo_clustering.problems.BagPartitionProblem`, and ``distances`` between bags for
    partitions around medoids.

    Parameters
    ----------
    kinds : str, sequence of str, or mapping of str to float, default=("random", "km", "bamic", "optima")
        The kinds in the mix, in equal shares unless a mapping gives others:

        - ``"random"``: every gene uniform over the clusters.
        - ``"km"``: random genes, then ``km_steps`` steps of k-means.
        - ``"bamic"``: every bag with the nearest of distinct random medoids.
        - ``"optima"``: greedy descents of the objective from the other three kinds in equal shares.
    km_steps : int, default=3
        Steps of k-means for ``"km"``.

    Attributes
    ----------
    n_trials : int
        Trial evaluations made so far.

    Raises
    ------
    TypeError
        If a problem has no ``objective`` or, for ``"bamic"`` and ``"optima"``, no ``distances``.
    ValueError
        For an unknown kind, shares that are negative or all zero, or ``km_steps`` below 1.

    Notes
    -----
    The number of individuals per kind follows from the shares by largest remainders, without chance.
    Descents cost far more than the other kinds; ``n_trials`` counts their evaluations. Several descents
    may end in the same partition: see :class:`RefillingSampling`.

    References
    ----------
    Evolutionary multi-instance clustering (initialisation, KM operator, BAMIC); the
    descents are new here.
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
        if km_steps < 1:
            raise ValueError(f"km_steps must be at least 1, got {km_steps}.")
        self.km_steps = km_steps
        self.objective = objective
        self.n_trials = 0

    def _apply(self, problem: Any, n_samples: int, rng: np.random.Generator) -> Labels:
        objective = objective_of(problem, self.objective, "random", "reassign", "descend", "repair")
        counts = apportioned(n_samples, np.array(list(self._shares.values())))
        drawn = [
            self._drawn(kind, problem, objective, count, rng)
            for kind, count in zip(self._shares, counts, strict=True)
        ]
        return objective.repair(np.concatenate(drawn))

    def _drawn(
        self, kind: StartKind, problem: Any, objective: BagObjective, n: int, rng: np.random.Generator
    ) -> Labels:
        if kind == "optima":
            starts = [
                self._drawn(start, problem, objective, count, rng)
                for start, count in zip(KINDS[:3], apportioned(n, np.ones(3)), strict=True)
            ]
            descended = objective.descend(objective.repair(np.concatenate(starts)), rng)
            self.n_trials += int(descended.n_trials.sum())
            return descended.labels
        if kind == "bamic":
            k, N = objective.n_clusters, objective.n_bags
            return decode_slots(random_slots(n, N, k, k, rng), _distances(problem))
        labels = objective.random(n, rng)
        if kind == "km" and n:
            for _ in range(self.km_steps):
                labels = objective.reassign(labels)
        return labels


def apportioned(n: int, shares: NDArray[np.float64]) -> NDArray[np.int64]:
    """Split n in proportion to the shares, rounded by largest remainders."""
    exact = n * shares / shares.sum()
    # The tolerance keeps exact quotients whole that binary arithmetic rounds down.
    counts = np.floor(exact + 1e-9).astype(np.int64)
    counts[np.argsort(counts - exact, kind="stable")[: n - counts.sum()]] += 1
    return counts


def _shares(kinds: Any) -> dict[StartKind, float]:
    if isinstance(kinds, str):
        kinds = [kinds]
    shares = dict(kinds) if isinstance(kinds, Mapping) else dict.fromkeys(kinds, 1.0)
    for kind, share in shares.items():
        if kind not in KINDS:
            allowed = ", ".join(map(repr, KINDS))
            raise ValueError(
                f"kinds must be of {allowed}; got {quoted(kind)}{did_you_mean(str(kind), KINDS)}."
            )
        if not 0.0 <= share < np.inf:
            raise ValueError(f"shares must be numbers of at least 0, got {quoted(share)} for {kind!r}.")
    if not sum(shares.values()) > 0.0:
        raise ValueError(f"kinds must name at least one with a share above 0, got {quoted(kinds)}.")
    return shares


def _distances(problem: Any) -> NDArray[np.floating[Any]]:
    distances = getattr(problem, "distances", None)
    if not isinstance(distances, np.ndarray):
        raise TypeError(
            f"{type(problem).__name__} has no distances between bags, which kinds 'bamic' and 'optima' need."
        )
    return distances


class _AlignedCrossover(base.PairCrossover):
    """Crossover of two partitions to two children; subclasses override :meth:`exchange`.

    Parameters
    ----------
    align : bool
        Renumber the clusters of the second parent first; False crosses the chromosomes as they are.

    Notes
    -----
    O(n_samples) time per pair, plus O(K^3) for the alignment of K > 2 clusters.
    """

    def __init__(self, align: bool = True, prob: float = 0.9, **kwargs: Any) -> None:
        super().__init__(prob, **kwargs)
        if not isinstance(align, bool | np.bool_):
            raise TypeError(f"align must be True or False, got {quoted(align)}.")
        self.align = bool(align)

    @abstractmethod
    def exchange(self, first: IntArray, second: IntArray, rng: np.random.Generator) -> BoolArray:
        """Mask of the genes that are exchanged, of the shape (n_pairs, n_samples) of the parents."""

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> IntArray:
        check_labels(problem)
        first, second = (checked_genes(parents, X.shape[-1]) for parents in X)
        return np.stack(cross_partitions(first, second, self.exchange, rng, align=self.align))


class AlignedOnePoint(_AlignedCrossover):
    """One-point crossover of partitions: the genes from a random cut on are exchanged.

    A partition can be written with its clusters numbered in any order, and crossing two such
    chromosomes gene by gene yields noise. The clusters of the second parent are therefore renumbered
    first, so that it agrees best with the first (:func:`~moo_clustering.encodings.align_labels`).
    The children of two parents that encode the same partition encode it, too.

    Notes
    -----
    O(n_samples) time per pair, plus O(K^3) for the alignment of K > 2 clusters. Children may have fewer
    clusters than their parents, but never other cluster numbers.

    References
    ----------
    Evolutionary multi-instance clustering (crossover of CHCMIC); the alignment is new here.
    """

    def exchange(self, first: IntArray, second: IntArray, rng: np.random.Generator) -> BoolArray:
        return tails(first, second, rng)


class AlignedHUX(_AlignedCrossover):
    """Half-uniform crossover of partitions: exactly half of the differing genes are exchanged.

    Of the h samples in which the parents differ after alignment, floor(h / 2), drawn at random, are
    exchanged, which puts the children as far from either parent as possible.

    Notes
    -----
    O(n_samples) time per pair, plus O(K^3) for the alignment of K > 2 clusters.

    References
    ----------
    Eshelman, The CHC adaptive search algorithm, FOGA 1991; the alignment is new here.
    """

    def exchange(self, first: IntArray, second: IntArray, rng: np.random.Generator) -> BoolArray:
        n_pairs, n_var = first.shape
        first, second = (np.ascontiguousarray(x, dtype=np.int32) for x in (first, second))
        chosen = np.empty((n_pairs, n_var), dtype=bool)
        step = max(1, BLOCK_DRAWS // max(n_var, 1))
        for lo in range(0, n_pairs, step):
            part = slice(lo, lo + step)
            draws = rng.random(first[part].shape)
            half_of_differences(first[part], second[part], draws, chosen[part])
        return chosen


class AlignedUniformCrossover(_AlignedCrossover):
    """Uniform crossover of partitions: every gene is exchanged with probability one half.

    Notes
    -----
    O(n_samples) time per pair, plus O(K^3) for the alignment of K > 2 clusters.
    """

    def exchange(self, first: IntArray, second: IntArray, rng: np.random.Generator) -> BoolArray:
        return coins(first, second, rng)


def cross_partitions(
    first: IntArray,
    second: IntArray,
    exchange: Exchange,
    rng: np.random.Generator,
    *,
    align: bool,
) -> tuple[IntArray, IntArray]:
    """Cross every pair of rows, (n_pairs, n_samples) each, to two children; the parents are not modified.

    ``exchange`` chooses the genes that are exchanged, such as :func:`tails` and :func:`coins`. With ``align``
    the clusters of ``second`` are first renumbered like those of ``first``.
    """
    if align:
        second = align_labels(first, second)
    swap = exchange(first, second, rng)
    return np.where(swap, second, first), np.where(swap, first, second)


def tails(first: IntArray, second: IntArray, rng: np.random.Generator) -> BoolArray:
    """Choose the genes from a cut on, which is uniform over 1..n_var-1, one for each pair."""
    n_pairs, n_var = first.shape
    return np.arange(n_var) >= rng.integers(1, max(n_var, 2), size=(n_pairs, 1))


def coins(first: IntArray, second: IntArray, rng: np.random.Generator) -> BoolArray:
    """Choose every gene with probability one half."""
    n_pairs, n_var = first.shape
    return base.random_bits(n_pairs, n_var, rng)


@documented(base.SHARED)
class ImprovementMutation(base.DrawnMutation):
    """Redraw genes in turn, weighing each cluster by the objective that it would lead to.

    For genes that are cluster numbers, and problems with an attribute ``objective`` such as
    :class:`~moo_clustering.problems.BagPartitionProblem`. Each gene is drawn given the changes before
    it. No move leaves a cluster with fewer bags than the objective's ``min_cluster_size``.

    Parameters
    ----------
    p_gene : float, default=0.2
        Probability that a gene of a mutated individual is redrawn. The paper's genetic algorithms use
        0.7; a lower value preserves more of the parents.
    weights : {"contrast", "scaled", "printed", "greedy"}, default="contrast"
        Weights of the draw, see :meth:`~moo_clustering.bags.BagObjective.improve`.

    Attributes
    ----------
    n_trials : int
        Trial evaluations made so far.

    Raises
    ------
    TypeError
        If a problem has no ``objective`` with a method ``improve``.

    Notes
    -----
    All mutated individuals form one batch: O(n + K^3) time per redrawn gene for n instances and K
    clusters, plus one evaluation.

    References
    ----------
    Evolutionary multi-instance clustering, Eqs. 5-6.
    """

    def __init__(
        self,
        p_gene: float = 0.2,
        weights: Rule = "contrast",
        objective: BagObjective | None = None,
        prob: float = 1.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(prob, **kwargs)
        self.p_gene = probability("p_gene", p_gene)
        self.weights: Rule = choice("weights", weights, RULES)
        self.objective = objective
        self.n_trials = 0

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> NDArray[np.int32]:
        objective = objective_of(problem, self.objective, "improve")
        improved = objective.improve(
            checked_genes(X, problem.n_var), rng, p_gene=self.p_gene, weights=self.weights
        )
        self.n_trials += int(improved.n_trials.sum())
        return improved.labels


@documented(base.SHARED)
class KMMutation(base.DrawnMutation):
    """Assign every bag to the nearest centroid of its partition (the KM operator).

    For genes that are cluster numbers, and problems with an attribute ``objective`` such as
    :class:`~moo_clustering.problems.BagPartitionProblem`. It ignores cluster sizes: follow it by
    :class:`MinSizeRepair` where they matter.

    Parameters
    ----------
    empty : {"farthest", "closest", "keep"}, default="farthest"
        Bag that an empty cluster gets: the one farthest from its centroid, the one closest to it
        (as printed in the paper), or none.

    Raises
    ------
    TypeError
        If a problem has no ``objective`` with a method ``reassign``.

    Notes
    -----
    O(n N) time per mutated individual for N bags with n instances, as an evaluation.

    References
    ----------
    Evolutionary multi-instance clustering (KM operator).
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
    """Number the clusters of every partition by first appearance.

    For genes that are cluster numbers of at least 0. Equal partitions then have equal genes, so that any
    elimination of duplicates finds them; :class:`CanonicalDuplicates` does so without changing the
    genes. Fractions are rounded to integers, and no cluster number grows beyond those in use.

    Notes
    -----
    O(n_individuals (n_samples + K)) time.
    """

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
        check_labels(problem)
        return relabel_by_first_appearance(rounded_genes(X, X.shape[-1]))


@documented(base.SHARED)
class MinSizeRepair(base.GeneRepair):
    """Fill clusters up to the least size with the bags whose move costs least.

    For genes that are cluster numbers, and problems with an attribute ``objective`` such as
    :class:`~moo_clustering.problems.BagPartitionProblem`, which knows ``min_cluster_size``. An objective
    with ``handling="repair"`` repairs constraints, too. Valid individuals do not change. Fractions are
    rounded to integers.

    Parameters
    ----------
    **kwargs
        Options of pymoo's ``Repair``.

    Raises
    ------
    TypeError
        If a problem has no ``objective`` with a method ``repair``.

    Notes
    -----
    One evaluation per individual that is repaired, and O(N) time per bag moved.
    """

    def __init__(self, objective: BagObjective | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.objective = objective

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
        objective = objective_of(problem, self.objective, "repair")
        return objective.repair(rounded_genes(X, problem.n_var))


def check_labels(problem: Any) -> None:
    """Raise TypeError for problems of this package whose genes are no cluster numbers."""
    if hasattr(problem, "operators"):
        base.encoding_of(problem, LabelEncoding)


def objective_of(problem: Any, objective: BagObjective | None, *methods: str) -> BagObjective:
    """Return the objective that an operator uses; raise TypeError if it lacks one of the methods it calls.

    Without ``objective`` the attribute ``objective`` of the problem is used.
    """
    own = getattr(problem, "objective", None) if objective is None else objective
    lacking = [name for name in methods if not callable(getattr(own, name, None))]
    if lacking:
        owner = f"{type(problem).__name__}.objective" if objective is None else type(objective).__name__
        raise TypeError(
            f"{owner} has no {lacking[0]}(), which this operator needs: use a BagPartitionProblem, or "
            "give the operator objective=BagObjective(...)."
        )
    return own  # type: ignore[return-value]


register_operators(
    LabelEncoding,
    crossover=AlignedUniformCrossover,
    mutation=EncodingMutation,
    repair=EncodingRepair,
)
register_operators(
    BagPartitionProblem,
    sampling=partial(PartitionSampling, ("random", "km")),
    crossover=partial(AlignedHUX, prob=0.9),
    # It lowers one objective only: with all children mutated, a front of several shrinks.
    mutation=partial(ImprovementMutation, 0.2, prob=0.5),
    repair=MinSizeRepair,
)
