"""Crossovers: of partitions, medoids, links between neighbours, seeds, centres and sparse rows.

All are pymoo crossovers of two parents. Functions of arrays of parents (:func:`cross_partitions`,
:func:`prefix_union`, ...) follow the classes that use them, and serve the DEAP forms as well.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from pymoo.core.individual import Individual
from pymoo.core.population import Population
from pymoo.core.variable import get
from pymoo.operators.crossover.sbx import SBX
from scipy.optimize import linear_sum_assignment

from moo_clustering._arrays import (
    AnyFloatArray,
    BoolArray,
    FloatArray,
    Int64Array,
    IntArray,
    IntpArray,
    Labels,
    choice,
    integer,
    probability,
    quoted,
)
from moo_clustering._docs import documented
from moo_clustering._kernels import loci
from moo_clustering._kernels.least_squares import swap_rows
from moo_clustering._kernels.partitions import half_of_differences
from moo_clustering._kernels.threads import for_blocks
from moo_clustering.encodings import (
    MedoidEncoding,
    MedoidSlotEncoding,
    align_labels,
    relabel_by_first_appearance,
)
from moo_clustering.encodings.base import checked_genes
from moo_clustering.encodings.medoids import as_sets, filled, first_distinct, repair_slots, set_sizes
from moo_clustering.operators import base

if TYPE_CHECKING:
    from moo_clustering.problems.graphs import SRMOSCProblem

Length = Literal["grow", "keep", "two_cut"]
# A function of two arrays of parents and a generator that tells which genes are exchanged.
Exchange = Callable[[IntArray, IntArray, np.random.Generator], BoolArray]
# Key under which children tell PartitionMutation whether they come from a crossover.
CROSSED = "crossed"
# Keys of the errors and link counts per row that SRMOSC's individuals carry along with their genes.
TABLES = ("row_errors", "row_sizes")
# A child's mutation mix differs by at most this from that of a parent.
MIX_STEP = 0.2
# Random numbers drawn at once, 32 MiB of float64.
BLOCK_DRAWS = 2**22


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
        base.check_labels(problem)
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
        return half_differing(first, second, rng)


class AlignedUniformCrossover(_AlignedCrossover):
    """Uniform crossover of partitions: every gene is exchanged with probability one half.

    Notes
    -----
    O(n_samples) time per pair, plus O(K^3) for the alignment of K > 2 clusters.
    """

    def exchange(self, first: IntArray, second: IntArray, rng: np.random.Generator) -> BoolArray:
        return coins(first, second, rng)


@documented(base.SHARED)
class GroupingOverlayCrossover(base.PairCrossover):
    """Lay some clusters of one parent over the other; the second child exchanges the roles.

    Each cluster of A is inherited with probability one half, at least one and not all of them (none if
    A has a single one); the other samples take their clusters from B. A cluster of B of which less than
    ``min_share`` is left is dissolved: its samples join the clusters of their neighbours, round by
    round, and those without a link to a cluster stay together. If there are more than ``k_max`` clusters, the
    smallest joins the one it is linked to most. For problems over a
    :class:`~moo_clustering.encodings.LabelEncoding`.

    Parameters
    ----------
    prob : float, default=0.6
        Probability that a pair is crossed; otherwise its children are copies. Children carry a mark of
        which it was, for :class:`~moo_clustering.operators.PartitionMutation`.
    min_share : float, default=0.3
        Share of a cluster of B below which what is left of it is dissolved.
    max_rounds : int, default=10
        Rounds in which samples of dissolved clusters join their neighbours.

    Notes
    -----
    O(n_samples + links + k^2) time per child.

    References
    ----------
    ParetoClustering: operators.
    """

    def __init__(
        self, graph: Any, *, prob: float = 0.6, min_share: float = 0.3, max_rounds: int = 10, **kwargs: Any
    ) -> None:
        super().__init__(prob, **kwargs)
        self.graph = base.LabelGraph.of(graph)
        self.min_share = probability("min_share", min_share)
        self.max_rounds = integer("max_rounds", max_rounds)

    def do(
        self,
        problem: Any,
        pop: Any,
        parents: Any = None,
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> Population:
        """Cross individuals, and mark the children of the pairs that were crossed."""
        rng = np.random.default_rng(random_state)
        pairs = pop if parents is None else [pop[mating] for mating in parents]
        children = np.array([[parent.X for parent in pair] for pair in pairs]).swapaxes(0, 1)
        crossed = rng.random(len(pairs)) < get(self.prob, size=len(pairs))
        if crossed.any():
            children[:, crossed] = self._do(problem, children[:, crossed], random_state=rng)
        return Population.new("X", children.reshape(-1, problem.n_var), CROSSED, np.tile(crossed, 2))

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> Labels:
        bounds = base.bounds_of(problem)
        first, second = (base.canonical_rows(side, problem.n_var) for side in X)
        out = np.stack([first, second])
        for q, (a, b) in enumerate(zip(first, second, strict=True)):
            out[0, q] = self.overlaid(a, b, bounds.k_max, rng)
            out[1, q] = self.overlaid(b, a, bounds.k_max, rng)
        return out

    def overlaid(self, a: Labels, b: Labels, k_max: int, rng: np.random.Generator) -> Labels:
        """Lay some clusters of a over b, both canonical."""
        inherited = drawn_clusters(int(a.max()) + 1, rng)
        return lay_over(
            a, b, inherited, self.graph, min_share=self.min_share, max_rounds=self.max_rounds, k_max=k_max
        )


def lay_over(
    a: Labels,
    b: Labels,
    inherited: BoolArray,
    graph: base.LabelGraph,
    *,
    min_share: float,
    max_rounds: int,
    k_max: int,
) -> Labels:
    """Combine the inherited clusters of a with what is left of those of b; nothing is random."""
    covered = inherited[a]
    pieces = np.bincount(b[~covered], minlength=int(b.max()) + 1)
    # The tolerance keeps three of ten samples, whose share 0.3 is rounded up in binary.
    dissolved = pieces < min_share * np.bincount(b) - 1e-9
    below = (b + len(inherited)).astype(np.int32)
    labels = np.where(covered, a, np.where(dissolved[b], np.int32(-1), below))
    labels = graph.joined(labels, max_rounds)
    return graph.united(relabel_by_first_appearance(np.where(labels < 0, below, labels)), k_max)


def drawn_clusters(k: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Draw each of k clusters with probability one half: at least one and not all, none of a single one."""
    drawn = rng.random(k) < 0.5
    if k == 1:
        return np.zeros(1, dtype=bool)
    if drawn.all() or not drawn.any():
        one = rng.integers(k)
        drawn[one] = not drawn[one]
    return drawn


def cross_partitions(
    first: IntArray,
    second: IntArray,
    exchange: Exchange,
    rng: np.random.Generator,
    *,
    align: bool,
    n_clusters: int | None = None,
) -> tuple[IntArray, IntArray]:
    """Cross every pair of rows, (n_pairs, n_samples) each, to two children; the parents are not modified.

    ``exchange`` tells which genes are exchanged: :func:`tails`, :func:`half_differing` or :func:`coins`. With
    ``align`` the clusters of ``second`` are first renumbered like those of ``first``; for ``n_clusters`` see
    :func:`~moo_clustering.encodings.align_labels`.
    """
    if align:
        second = align_labels(first, second, n_clusters)
    swap = exchange(first, second, rng)
    return np.where(swap, second, first), np.where(swap, first, second)


def tails(first: IntArray, second: IntArray, rng: np.random.Generator) -> BoolArray:
    """Choose the genes from a cut on, which is uniform over 1..n_var-1, one for each pair."""
    n_pairs, n_var = first.shape
    return np.arange(n_var) >= rng.integers(1, max(n_var, 2), size=(n_pairs, 1))


def half_differing(first: IntArray, second: IntArray, rng: np.random.Generator) -> BoolArray:
    """Choose floor(h / 2) of the h genes in which a pair differs, every choice equally likely."""
    n_pairs, n_var = first.shape
    first, second = (np.ascontiguousarray(x, dtype=np.int32) for x in (first, second))
    chosen = np.empty((n_pairs, n_var), dtype=bool)
    step = max(1, BLOCK_DRAWS // max(n_var, 1))
    for lo in range(0, n_pairs, step):
        part = slice(lo, lo + step)
        draws = rng.random(first[part].shape)
        half_of_differences(first[part], second[part], draws, chosen[part])
    return chosen


def coins(first: IntArray, second: IntArray, rng: np.random.Generator) -> BoolArray:
    """Choose every gene with probability one half."""
    n_pairs, n_var = first.shape
    return _random_bits(n_pairs, n_var, rng)


def _random_bits(n_rows: int, n_columns: int, rng: np.random.Generator) -> BoolArray:
    """Draw one bit per entry, from one random byte for each eight entries of a row."""
    width = -(-n_columns // 8)
    bits = np.frombuffer(rng.bytes(n_rows * width), dtype=np.uint8).reshape(n_rows, width)
    return np.unpackbits(bits, axis=1, count=n_columns).view(np.bool_)


class PrefixUnionCrossover(base.PairCrossover):
    """Join the first medoids of one parent and those of the other that are not among them.

    A cut c is drawn from 1..|A|-1. The child is A[:c] followed by the genes of B that are not in it, in
    the order of B, up to ``k_max``. The second child exchanges the roles and draws a cut of its own.

    Parameters
    ----------
    length : {"grow", "keep", "two_cut"}, default="grow"
        - ``"grow"``: take all of B, as printed in the paper. The child is at least as long as B, so
          without selection the number of clusters drifts to ``k_max``.
        - ``"keep"``: as many genes as A has, from the head of A, then B, then the rest of A.
        - ``"two_cut"``: take B from a cut of its own on, so that the mean length falls only by what the
          parents have in common. A child with fewer than two genes gets random ones.

    Notes
    -----
    O(n_pairs k_max log k_max) time.

    References
    ----------
    NSGA-II-clus.
    """

    def __init__(self, length: Length = "grow", prob: float = 0.6, **kwargs: Any) -> None:
        super().__init__(prob, **kwargs)
        self.length: Length = choice("length", length, get_args(Length))

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> Int64Array:
        encoding = base.encoding_of(problem, MedoidEncoding)
        first, second = as_sets(X[0]), as_sets(X[1])
        children = [
            filled(prefix_union(a, b, self.length, rng), encoding.k_min, encoding.n_samples, rng)
            for a, b in ((first, second), (second, first))
        ]
        return np.stack(children)


def prefix_union(
    first: Int64Array, second: Int64Array, length: Length, rng: np.random.Generator
) -> Int64Array:
    """Compute one child per pair of rows of ids, padded with -1; by "two_cut" it may have too few medoids."""
    width = first.shape[1]
    position = np.arange(width)
    sizes = set_sizes(first)
    head = position < _cuts(sizes, rng)
    candidates = [np.where(head, first, -1), second]
    wanted: Any = width
    if length == "keep":
        candidates.append(np.where(head, -1, first))
        wanted = sizes
    elif length == "two_cut":
        candidates[1] = np.where(position < _cuts(set_sizes(second), rng), -1, second)
    return first_distinct(np.concatenate(candidates, axis=1), wanted)[:, :width]


def _cuts(sizes: Int64Array, rng: np.random.Generator) -> Int64Array:
    """Draw a column of cuts, each uniform over 1..size-1 (1 for a single gene)."""
    return rng.integers(1, np.maximum(sizes, 2))[:, None]


class SlotOnePointCrossover(base.PairCrossover):
    """Exchange the slots from a random cut in 1..k_max-1 on, and repair the children.

    Slots with repeated medoids are emptied; random medoids come in if fewer than k_min are left.

    References
    ----------
    Evolutionary multi-instance clustering (MIGCUK).
    """

    def __init__(self, prob: float = 0.2, **kwargs: Any) -> None:
        super().__init__(prob, **kwargs)

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> IntArray:
        encoding = base.encoding_of(problem, MedoidSlotEncoding)
        first, second = (checked_genes(parents, encoding.n_var) for parents in X)
        return np.stack(cross_slots(first, second, rng, k_min=encoding.k_min, n_samples=encoding.n_samples))


def cross_slots(
    first: IntArray, second: IntArray, rng: np.random.Generator, *, k_min: int, n_samples: int
) -> tuple[IntArray, IntArray]:
    """Exchange the slots of every pair of rows from a random cut on, then repair the children."""
    a, b = cross_partitions(first, second, tails, rng, align=False)
    return repair_slots(a, n_samples, k_min, rng), repair_slots(b, n_samples, k_min, rng)


class UniformNeighborCrossover(base.PairCrossover):
    """Exchange every gene of two parents with probability one half.

    Every gene of a child comes from a parent at the same locus, so children of feasible parents are
    feasible. Takes genes of any integer type and draws one random bit per gene.
    """

    def __init__(self, prob: float = 0.9, **kwargs: Any) -> None:
        super().__init__(prob, **kwargs)

    def _apply(self, problem: Any, X: IntArray, rng: np.random.Generator) -> IntArray:
        if X.dtype.kind not in "iub":
            raise TypeError(
                f"genes must be integers, got {X.dtype}: take an operator of problem.operators()."
            )
        first, second = np.ascontiguousarray(X[0]), np.ascontiguousarray(X[1])
        n_pairs, n_var = first.shape
        swap = _random_bits(n_pairs, n_var, rng).view(np.uint8)
        children = np.empty((2, n_pairs, n_var), dtype=X.dtype)
        for_blocks(
            lambda lo, hi: loci.swap_where(first, second, swap, children[0], children[1], lo, hi),
            n_var,
            2 * n_pairs,
            getattr(problem, "n_jobs", None),
        )
        return children


@documented(base.PairCrossover)
class RankSBX(SBX):
    """Simulated binary crossover on ranks of neighbours, rounded and clipped.

    A step in rank leads to a slightly nearer or farther neighbour, so the operator does not depend on
    the order of the rows. It draws as pymoo's SBX does (bounded form, genes exchanged with probability
    one half).

    Parameters
    ----------
    prob : float, default=0.9
        Probability that a pair is crossed.
    eta : float, default=15
        Distribution index; the paper does not print it.
    prob_var : float, default=0.5
        Probability per gene.

    References
    ----------
    PESC, "Evolutionary operators"; Deb and Agrawal 1995.
    """

    def __init__(self, prob: float = 0.9, eta: float = 15, prob_var: float = 0.5, **kwargs: Any) -> None:
        super().__init__(prob_var=prob_var, eta=eta, prob=prob, **kwargs)

    def _do(self, problem: Any, X: IntArray, *args: Any, **kwargs: Any) -> IntArray:
        return base.to_genes(problem, super()._do(problem, X, *args, **kwargs))


@documented()
class IndexSBX(RankSBX):
    """Simulated binary crossover on sample indices 0..N-1, rounded and clipped.

    A gene that becomes a self link or a forbidden neighbour is redrawn from the k nearest admissible
    ones.

    .. warning::
       The index of a sample says nothing about distance. On rows in random order this operator adds
       random edges; on rows sorted by class, as in many published files, it adds edges within classes,
       and results look better than the data allow. Use it for reproduction only, and never compare
       methods on sorted rows.

    """

    def _do(self, problem: Any, X: IntArray, *args: Any, **kwargs: Any) -> IntArray:
        children = super()._do(problem, X, *args, **kwargs)
        flat = children.reshape(-1, children.shape[-1])
        return base.redraw_illegal(problem, flat, kwargs.get("random_state")).reshape(children.shape)


class AlignedSeedCrossover(base.PairCrossover):
    """Exchange clusters of one parent for the most similar clusters of the other.

    The clusters of both parents are matched with the least sum of squared distances between centroids,
    and the seeds of each pair are exchanged with probability one half. A cluster of the larger parent
    without a partner is paired with none, so that children of parents of different sizes have sizes in
    between. A document never is a seed twice; random documents are added where too few seeds remain. For
    :class:`~moo_clustering.problems.SubspaceClusteringProblem`.

    Notes
    -----
    O(k^2 n_features + k^3) time per pair of evaluated parents; other parents are evaluated first.

    References
    ----------
    An evolutionary search over the clusters of SISC-ML.
    """

    def __init__(self, prob: float = 0.9, **kwargs: Any) -> None:
        super().__init__(prob, **kwargs)

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> IntArray:
        encoding = base.seed_problem(problem).encoding
        parents = [encoding.seeds(side) for side in X]
        n_pairs = len(parents[0])
        centers = problem.cluster_centers(np.concatenate(parents))
        for a, b, first, second in zip(*parents, centers[:n_pairs], centers[n_pairs:], strict=True):
            a[:], b[:] = _paired(a[a >= 0], b[b >= 0], first, second, len(a))
        children = cross_partitions(parents[0], parents[1], coins, rng, align=False)
        return np.stack([repair_slots(x, encoding.n_samples, encoding.k_min, rng) for x in children])


def _paired(
    a: IntArray, b: IntArray, first: AnyFloatArray, second: AnyFloatArray, width: int
) -> tuple[IntArray, IntArray]:
    """Order the seeds of two parents by partners, with -1 opposite those without one and at the end."""
    left, right = nearest_pairs(first, second)
    alone = np.setdiff1d(np.arange(len(a)), left), np.setdiff1d(np.arange(len(b)), right)
    rows = np.full((2, width), -1, dtype=a.dtype)
    rows[0, : len(a)] = a[np.concatenate([left, alone[0]])]
    rows[1, : len(b)] = b[np.concatenate([right, alone[1]])]
    return rows[0], rows[1]


class CentreMatchingCrossover(base.PairCrossover):
    """Match the centres of two parents; a child takes one centre of each pair, drawn by a coin.

    The matching has the least sum of squared distances, so the order of the centres does not matter.
    The second child, if there is one, gets the other centres. For
    :class:`~moo_clustering.problems.SumOfSquaresProblem`.

    Parameters
    ----------
    n_offsprings : {2, 1}, default=2
        Number of children per pair.

    Notes
    -----
    Children carry a ``"mix"`` for :class:`RelocateCentre`: that of a random parent plus a uniform number
    from -0.2 to 0.2, clipped to [0, 1].

    O(k^2 n_features + k^3) time per pair.

    References
    ----------
    D. Gribel, T. Vidal, "HG-means: A scalable hybrid genetic algorithm for minimum sum-of-squares
    clustering", Pattern Recognition 88 (2019).
    """

    def __init__(self, n_offsprings: int = 2, *, prob: float = 1.0, **kwargs: Any) -> None:
        if n_offsprings not in (1, 2):
            raise ValueError(f"n_offsprings must be 1 or 2, got {quoted(n_offsprings)}.")
        super().__init__(prob, n_offsprings, **kwargs)

    def do(
        self,
        problem: Any,
        pop: Any,
        parents: Any = None,
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> Population:
        """Cross individuals, and let their children inherit ``mix``."""
        rng = np.random.default_rng(random_state)
        if parents is not None:
            pop = [pop[mating] for mating in parents]
        children = super().do(problem, pop, *args, random_state=rng, **kwargs)
        for i, child in enumerate(children):
            child.set("mix", inherited_mix([parent.get("mix") for parent in pop[i % len(pop)]], rng))
        return children

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> FloatArray:
        encoding = base.center_problem(problem).encoding
        children = np.empty((self.n_offsprings, *X.shape[1:]))
        for q, pair in enumerate(zip(encoding.centers(X[0]), encoding.centers(X[1]), strict=True)):
            for child, genes in zip(children[:, q], match_centers(*pair, rng), strict=False):
                child[:] = genes.ravel()
        return children


def match_centers(
    first: FloatArray, second: FloatArray, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Compute a child with one centre of each matched pair, by a coin, and the child with all others."""
    partners = second[nearest_pairs(first, second)[1]]
    coin = rng.random(len(first))[:, np.newaxis] < 0.5
    return np.where(coin, first, partners), np.where(coin, partners, first)


def inherited_mix(mixes: list[float | None], rng: np.random.Generator) -> float:
    """Take the mix of a random parent, uniform where it has none, and change it by up to 0.2."""
    mix = mixes[int(rng.integers(len(mixes)))]
    step = rng.uniform(-MIX_STEP, MIX_STEP)
    return float(np.clip((rng.random() if mix is None else mix) + step, 0.0, 1.0))


def nearest_pairs(first: AnyFloatArray, second: AnyFloatArray) -> tuple[IntpArray, IntpArray]:
    """Positions in both of the pairs of centres whose squared distances have the least sum."""
    squares = np.einsum("ij,ij->i", first, first)[:, np.newaxis] + np.einsum("ij,ij->i", second, second)
    left, right = linear_sum_assignment(squares - 2.0 * (first @ second.T))
    return left, right


class RowUniformCrossover(base.PairCrossover):
    """Exchange every sample's row of weights between two parents with probability one half.

    For :class:`~moo_clustering.problems.SRMOSCProblem`. The row of a sample determines its error and
    number of links, which are therefore exchanged with it where both parents carry them.

    Parameters
    ----------
    prob : float, default=0.7
        Probability that a pair is crossed; otherwise its children share the parents' arrays.

    Notes
    -----
    O(N w) time and memory per pair that is crossed.

    References
    ----------
    A reconstruction: the operators of SRMOSC (Luo, Jiao and Lozano, IEEE TEVC, 2016) were not available.
    """

    _needs = base.SPARSE_ROWS

    def __init__(self, prob: float = 0.7, **kwargs: Any) -> None:
        super().__init__(prob, **kwargs)

    def do(
        self,
        problem: SRMOSCProblem,
        pop: Any,
        parents: Any = None,
        *args: Any,
        random_state: Any = None,
        **kwargs: Any,
    ) -> Population:
        """Cross individuals; all first children come before all second ones."""
        base.require(problem, *self._needs)
        rng = np.random.default_rng(random_state)
        pairs = pop if parents is None else [pop[pair] for pair in parents]
        crossed = rng.random(len(pairs)) < float(self.prob.value)
        made: list[list[Individual]] = [[], []]
        for (first, second), cross in zip(pairs, crossed, strict=True):
            swap = _random_bits(1, problem.n_samples, rng)[0] if cross else None
            for children, child in zip(made, _children(problem, first, second, swap), strict=True):
                children.append(child)
        return Population.create(*made[0], *made[1])

    def _apply(
        self, problem: SRMOSCProblem, X: NDArray[Any], rng: np.random.Generator
    ) -> NDArray[np.float32]:
        children = np.empty(X.shape, dtype=np.float32)
        for k in range(X.shape[1]):
            swap = _random_bits(1, problem.n_samples, rng)[0]
            children[:, k] = _swapped_rows(problem, X[0, k], X[1, k], swap)
        return children


def _children(
    problem: SRMOSCProblem, first: Individual, second: Individual, swap: NDArray[np.bool_] | None
) -> tuple[Individual, Individual]:
    if swap is None:
        genes = (first.X, second.X)
    else:
        genes = _swapped_rows(problem, first.X, second.X, swap)
    children = Individual(X=genes[0]), Individual(X=genes[1])
    if all(parent.has(name) for parent in (first, second) for name in TABLES):
        for name in TABLES:
            one, other = first.get(name), second.get(name)
            if swap is not None:
                one, other = np.where(swap, other, one), np.where(swap, one, other)
            children[0].set(name, one)
            children[1].set(name, other)
    return children


def _swapped_rows(
    problem: SRMOSCProblem, first: NDArray[Any], second: NDArray[Any], swap: NDArray[np.bool_]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    shape = problem.n_samples, problem.width
    one, other = (np.ascontiguousarray(x, dtype=np.float32).reshape(shape) for x in (first, second))
    child, sibling = np.empty_like(one), np.empty_like(one)
    for_blocks(
        lambda lo, hi: swap_rows(one, other, swap, lo, hi, child, sibling),
        problem.n_samples,
        2 * problem.width,
        problem.n_jobs,
    )
    return child.reshape(-1), sibling.reshape(-1)
