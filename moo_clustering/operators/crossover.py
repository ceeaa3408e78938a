"""Every Crossover."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from pymoo.core.crossover import Crossover
from pymoo.core.individual import Individual
from pymoo.core.population import Population
from pymoo.core.variable import get
from scipy.optimize import linear_sum_assignment

from moo_clustering._arrays import BoolArray, FloatArray, Int64Array, IntArray, Labels
from moo_clustering._kernels import loci
from moo_clustering._kernels.least_squares import swap_rows
from moo_clustering._kernels.threads import for_blocks
from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.encodings.base import checked_genes
from moo_clustering.encodings.medoids import as_sets, filled, first_distinct, repair_slots, set_sizes
from moo_clustering.operators._shared import (
    Genes,
    LabelGraph,
    at_least_one,
    bounds_of,
    canonical_rows,
    coins,
    cross_partitions,
    half_differing,
    share,
    tails,
)
from moo_clustering.operators.sampling import medoid_encoding_of, seed_problem

if TYPE_CHECKING:
    from moo_clustering.problems.graphs import SRMOSCProblem

_NEEDED = ("encoding", "points", "n_clusters", "improve")
# How far the mutation mix of a child is from that of a parent, at most.
_STEP = 0.2
# What children carry from crossover to mutation.
CROSSED = "crossed"
Length = Literal["grow", "keep", "two_cut"]
TABLES = ("row_errors", "row_sizes")


class _AlignedCrossover(Crossover):
    """Two parents whose genes are cluster numbers, two children; subclasses say what is exchanged."""

    def __init__(self, align: bool = True, prob: float = 0.9, **kwargs: Any) -> None:
        super().__init__(2, 2, prob=prob, **kwargs)
        if not isinstance(align, bool | np.bool_):
            raise TypeError(f"align must be True or False, got {align!r}.")
        self.align = bool(align)

    @abstractmethod
    def exchange(self, first: Genes, second: Genes, rng: np.random.Generator) -> BoolArray:
        """Which genes change sides, a mask of the shape (n_pairs, n_samples) of the parents."""

    def _do(
        self,
        problem: Any,
        X: NDArray[Any],
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> Genes:
        rng = np.random.default_rng(random_state)
        first, second = (checked_genes(parents, X.shape[-1]) for parents in X)
        return np.stack(cross_partitions(first, second, self.exchange, rng, align=self.align))


class AlignedOnePoint(_AlignedCrossover):
    """One-point crossover of partitions: the genes from a random cut on are exchanged.

    The same partition can be written with its clusters numbered in any order, and crossing two such
    chromosomes gene by gene yields noise. So the clusters of the second parent first get the numbers
    with which it agrees best with the first (:func:`~moo_clustering.encodings.align_labels`): two
    parents that mean the same partition then have themselves as children.

    Parameters
    ----------
    align : bool, default=True
        False: cross the chromosomes as they are.
    prob : float, default=0.9
        Probability that a pair is crossed; otherwise its children are copies.
    **kwargs
        Of pymoo's ``Crossover``, such as ``prob``.

    Notes
    -----
    O(n_samples) per pair, plus O(K^3) for alignment of K > 2 clusters. Children may have fewer
    clusters than their parents, never other numbers.

    References
    ----------
    Evolutionary multi-instance clustering (crossover of CHCMIC); the alignment is ours.
    """

    def exchange(self, first: Genes, second: Genes, rng: np.random.Generator) -> BoolArray:
        return tails(first, second, rng)


class AlignedHUX(_AlignedCrossover):
    """Half-uniform crossover of partitions: exactly half of the differing genes are exchanged.

    Of the h samples in which the parents differ after alignment, floor(h / 2), drawn at random,
    change sides; so the children are as far from either parent as they can be.

    Parameters
    ----------
    align, prob
        As in :class:`AlignedOnePoint`.
    **kwargs
        Of pymoo's ``Crossover``, such as ``prob``.

    Notes
    -----
    O(n_samples) per pair, plus O(K^3) for alignment of K > 2 clusters.

    References
    ----------
    Eshelman, The CHC adaptive search algorithm, FOGA 1991; the alignment is ours.
    """

    def exchange(self, first: Genes, second: Genes, rng: np.random.Generator) -> BoolArray:
        return half_differing(first, second, rng)


class AlignedUniformCrossover(_AlignedCrossover):
    """Uniform crossover of partitions: every gene is exchanged with probability one half.

    Parameters
    ----------
    align, prob
        As in :class:`AlignedOnePoint`.
    **kwargs
        Of pymoo's ``Crossover``, such as ``prob``.

    Notes
    -----
    O(n_samples) per pair, plus O(K^3) for alignment of K > 2 clusters.
    """

    def exchange(self, first: Genes, second: Genes, rng: np.random.Generator) -> BoolArray:
        return coins(first, second, rng)


def center_problem(problem: Any) -> Any:
    """The problem itself; refuses any other than over centres."""
    if not all(hasattr(problem, name) for name in _NEEDED):
        raise TypeError(f"{type(problem).__name__} is no SumOfSquaresProblem, which this operator needs.")
    return problem


def matched(first: FloatArray, second: FloatArray) -> NDArray[np.intp]:
    """For every centre of the first its partner in the second, squared distances least in sum."""
    squares = np.einsum("ij,ij->i", first, first)[:, np.newaxis] + np.einsum("ij,ij->i", second, second)
    return np.asarray(linear_sum_assignment(squares - 2.0 * (first @ second.T))[1], dtype=np.intp)


def match_centers(
    first: FloatArray, second: FloatArray, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """A child with each centre from either parent, by a coin, and the child with all the others."""
    partners = second[matched(first, second)]
    coin = rng.random(len(first))[:, np.newaxis] < 0.5
    return np.where(coin, first, partners), np.where(coin, partners, first)


def inherited_mix(mixes: list[float | None], rng: np.random.Generator) -> float:
    """Mix of a random parent, moved by up to 0.2 within [0, 1]; a parent without gets a uniform one."""
    mix = mixes[int(rng.integers(len(mixes)))]
    step = rng.uniform(-_STEP, _STEP)
    return float(np.clip((rng.random() if mix is None else mix) + step, 0.0, 1.0))


class CentreMatchingCrossover(Crossover):
    """Pair the centres of two parents such that they are near; each pair is split by a coin.

    The pairs are those of the least sum of squared distances, so the order of the centres means nothing.
    The second child, if there is one, has the centres that the first has not. For
    :class:`~moo_clustering.problems.SumOfSquaresProblem`.

    Parameters
    ----------
    n_offsprings : {2, 1}, default=2
    prob : float, default=1.0
        Probability that a pair is crossed; otherwise its children are copies.
    **kwargs
        Of pymoo's ``Crossover``, such as ``prob``.

    Notes
    -----
    Children carry ``"mix"``, which :class:`RelocateCentre` uses: that of a random parent plus a uniform
    number from -0.2 to 0.2, clipped to [0, 1].

    O(k^2 n_features + k^3) time a pair.

    References
    ----------
    D. Gribel, T. Vidal, "HG-means: A scalable hybrid genetic algorithm for minimum sum-of-squares
    clustering", Pattern Recognition 88 (2019).
    """

    def __init__(self, n_offsprings: int = 2, *, prob: float = 1.0, **kwargs: Any) -> None:
        if n_offsprings not in (1, 2):
            raise ValueError(f"n_offsprings must be 1 or 2, got {n_offsprings!r}.")
        super().__init__(2, n_offsprings, prob=prob, **kwargs)

    def do(
        self,
        problem: Any,
        pop: Any,
        parents: Any = None,
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> Population:
        """Cross whole individuals, whose children inherit ``mix``."""
        rng = np.random.default_rng(random_state)
        if parents is not None:
            pop = [pop[mating] for mating in parents]
        children = super().do(problem, pop, *args, random_state=rng, **kwargs)
        for i, child in enumerate(children):
            child.set("mix", inherited_mix([parent.get("mix") for parent in pop[i % len(pop)]], rng))
        return children

    def _do(
        self,
        problem: Any,
        X: NDArray[Any],
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> FloatArray:
        encoding = center_problem(problem).encoding
        rng = np.random.default_rng(random_state)
        children = np.empty((self.n_offsprings, *X.shape[1:]))
        for q, pair in enumerate(zip(encoding.centers(X[0]), encoding.centers(X[1]), strict=True)):
            for child, genes in zip(children[:, q], match_centers(*pair, rng), strict=False):
                child[:] = genes.ravel()
        return children


class GroupingOverlayCrossover(Crossover):
    """Clusters of one parent laid over the other, and the other way round: two children.

    Every cluster of A is kept with probability one half, at least one and not all (of a single one:
    none); the other samples take B's clusters. What is left of a cluster of B with less than
    ``min_share`` of it is dissolved: its samples take the cluster of their neighbours, round by round.
    Samples that these do not reach stay together. Beyond ``k_max`` the smallest clusters are united
    with the one they are linked to most. For problems over a
    :class:`~moo_clustering.encodings.LabelEncoding`.

    Parameters
    ----------
    graph : LabelGraph, sparse matrix or array-like of shape (n_samples, n_samples)
        Symmetric similarities.
    prob : float, default=0.6
        Probability that a pair is crossed; otherwise its children are copies. Children are marked
        with which it was, for :class:`~moo_clustering.operators.PartitionMutation`.
    min_share : float, default=0.3
    max_rounds : int, default=10
    **kwargs
        Of pymoo's ``Crossover``, such as ``prob``.

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
        super().__init__(2, 2, prob=prob, **kwargs)
        self.graph = LabelGraph.of(graph)
        self.min_share = share("min_share", min_share)
        self.max_rounds = at_least_one("max_rounds", max_rounds)

    def do(
        self,
        problem: Any,
        pop: Any,
        parents: Any = None,
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> Population:
        """Cross whole individuals, and mark the children of those that were crossed."""
        rng = np.random.default_rng(random_state)
        pairs = pop if parents is None else [pop[mating] for mating in parents]
        children = np.array([[parent.X for parent in pair] for pair in pairs]).swapaxes(0, 1)
        crossed = rng.random(len(pairs)) < get(self.prob, size=len(pairs))
        if crossed.any():
            children[:, crossed] = self._do(problem, children[:, crossed], random_state=rng)
        return Population.new("X", children.reshape(-1, problem.n_var), CROSSED, np.tile(crossed, 2))

    def _do(
        self,
        problem: Any,
        X: NDArray[Any],
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> Labels:
        rng, bounds = np.random.default_rng(random_state), bounds_of(problem)
        first, second = (canonical_rows(side, problem.n_var) for side in X)
        out = np.stack([first, second])
        for q, (a, b) in enumerate(zip(first, second, strict=True)):
            out[0, q] = self.overlaid(a, b, bounds.k_max, rng)
            out[1, q] = self.overlaid(b, a, bounds.k_max, rng)
        return out

    def overlaid(self, a: Labels, b: Labels, k_max: int, rng: np.random.Generator) -> Labels:
        """Some clusters of a laid over b, both canonical."""
        kept = drawn_clusters(int(a.max()) + 1, rng)
        return lay_over(
            a, b, kept, self.graph, min_share=self.min_share, max_rounds=self.max_rounds, k_max=k_max
        )


def drawn_clusters(k: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Each of k with probability one half, at least one and not all; none of a single one."""
    kept = rng.random(k) < 0.5
    if k == 1:
        return np.zeros(1, dtype=bool)
    if kept.all() or not kept.any():
        one = rng.integers(k)
        kept[one] = not kept[one]
    return kept


def lay_over(
    a: Labels,
    b: Labels,
    kept: NDArray[np.bool_],
    graph: LabelGraph,
    *,
    min_share: float,
    max_rounds: int,
    k_max: int,
) -> Labels:
    """The kept clusters of a, and elsewhere what is left of those of b; nothing is random."""
    covered = kept[a]
    pieces = np.bincount(b[~covered], minlength=int(b.max()) + 1)
    # 1e-9: three of ten samples are .3 of them but for rounding.
    dissolved = pieces < min_share * np.bincount(b) - 1e-9
    below = (b + len(kept)).astype(np.int32)
    labels = np.where(covered, a, np.where(dissolved[b], np.int32(-1), below))
    labels = graph.joined(labels, max_rounds)
    return graph.united(relabel_by_first_appearance(np.where(labels < 0, below, labels)), k_max)


class UniformNeighborCrossover(Crossover):
    """Exchange every gene of two parents with probability one half.

    One random bit per gene, any integer type, no float temporaries. Every gene of a child comes from
    a parent at the same locus, so children of feasible parents are feasible.

    Parameters
    ----------
    prob : float, default=0.9
        Probability that a pair is crossed; otherwise its children are copies.
    **kwargs
        Of pymoo's ``Crossover``, such as ``prob``.
    """

    def __init__(self, prob: float = 0.9, **kwargs: Any) -> None:
        super().__init__(2, 2, prob=prob, **kwargs)

    def _do(
        self,
        problem: Any,
        X: NDArray[np.integer[Any]],
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> NDArray[np.integer[Any]]:
        rng = np.random.default_rng(random_state)
        first, second = np.ascontiguousarray(X[0]), np.ascontiguousarray(X[1])
        n_pairs, n_var = first.shape
        bits = np.frombuffer(rng.bytes(n_pairs * -(-n_var // 8)), dtype=np.uint8).reshape(n_pairs, -1)
        swap = np.unpackbits(bits, axis=1, count=n_var)
        children = np.empty((2, n_pairs, n_var), dtype=X.dtype)
        for_blocks(
            lambda lo, hi: loci.swap_where(first, second, swap, children[0], children[1], lo, hi),
            n_var,
            2 * n_pairs,
            getattr(problem, "n_jobs", None),
        )
        return children


def prefix_union(
    first: Int64Array, second: Int64Array, length: Length, rng: np.random.Generator
) -> Int64Array:
    """One child per pair of rows; it may be short of medoids with ``"two_cut"``.

    Parameters
    ----------
    first, second : ndarray of shape (n_pairs, k_max)
        Distinct ids, padded with -1.
    length : {"grow", "keep", "two_cut"}
        See :class:`PrefixUnionCrossover`.
    rng : numpy.random.Generator
    """
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
    """A column of cuts, each uniform over 1..size-1 (1 for a single gene)."""
    return rng.integers(1, np.maximum(sizes, 2))[:, None]


class PrefixUnionCrossover(Crossover):
    """The first genes of one parent, then those of the other that are not among them.

    A cut c is drawn from 1..|A|-1; the child is A[:c] followed by the genes of B not in it, in B's
    order, at most ``k_max``. The second child has the roles exchanged and a cut of its own.

    Parameters
    ----------
    length : {"grow", "keep", "two_cut"}, default="grow"
        - ``"grow"``: all of B, as printed. The child is at least as long as B, so without selection
          the number of clusters drifts to ``k_max``.
        - ``"keep"``: as many genes as A has: its head, then B, then the rest of A.
        - ``"two_cut"``: B from a cut of its own on; the mean length falls only by what both parents
          have in common. A child with fewer than two genes gets random ones.
    prob : float, default=0.6
        Probability that a pair is crossed; otherwise its children are copies.
    **kwargs
        Of pymoo's ``Crossover``, such as ``prob``.

    Notes
    -----
    O(n_pairs k_max log k_max), without a Python loop over pairs or genes.

    References
    ----------
    NSGA-II-clus.
    """

    def __init__(self, length: Length = "grow", prob: float = 0.6, **kwargs: Any) -> None:
        super().__init__(2, 2, prob=prob, **kwargs)
        if length not in get_args(Length):
            raise ValueError(f"length must be one of {get_args(Length)}, got {length!r}.")
        self.length: Length = length

    def _do(
        self,
        problem: Any,
        X: NDArray[Any],
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> Int64Array:
        rng = np.random.default_rng(random_state)
        encoding = medoid_encoding_of(problem)
        first, second = as_sets(X[0]), as_sets(X[1])
        children = [
            filled(prefix_union(a, b, self.length, rng), encoding.k_min, encoding.n_samples, rng)
            for a, b in ((first, second), (second, first))
        ]
        return np.stack(children)


class RowUniformCrossover(Crossover):
    """Exchange every sample's row of weights between two parents with probability one half.

    For :class:`~moo_clustering.problems.SRMOSCProblem`. A row is all that concerns a sample, so that its
    error and number of links go along with it, where both parents carry them.

    Parameters
    ----------
    prob : float, default=0.7
        Probability that a pair is crossed; otherwise its children share the parents' arrays.
    **kwargs
        Of pymoo's ``Crossover``, such as ``prob``.

    Notes
    -----
    O(N w) time and memory a pair that is crossed.

    References
    ----------
    A reconstruction: the operators of SRMOSC (Luo, Jiao and Lozano, IEEE TEVC, 2016) were not available.
    """

    def __init__(self, prob: float = 0.7, **kwargs: Any) -> None:
        super().__init__(2, 2, prob=prob, **kwargs)

    def do(
        self,
        problem: SRMOSCProblem,
        pop: Any,
        parents: Any = None,
        *args: Any,
        random_state: Any = None,
        **kwargs: Any,
    ) -> Population:
        """Children of the pairs, all first ones before all second ones."""
        rng = np.random.default_rng(random_state)
        pairs = pop if parents is None else [pop[pair] for pair in parents]
        crossed = rng.random(len(pairs)) < float(self.prob.value)
        made: list[list[Individual]] = [[], []]
        for (first, second), cross in zip(pairs, crossed, strict=True):
            swap = _draw(problem.n_samples, rng) if cross else None
            for children, child in zip(made, _children(problem, first, second, swap), strict=True):
                children.append(child)
        return Population.create(*made[0], *made[1])

    def _do(
        self,
        problem: SRMOSCProblem,
        X: NDArray[Any],
        *args: Any,
        random_state: Any = None,
        **kwargs: Any,
    ) -> NDArray[np.float32]:
        rng = np.random.default_rng(random_state)
        children = np.empty(X.shape, dtype=np.float32)
        for k in range(X.shape[1]):
            children[:, k] = _exchange(problem, X[0, k], X[1, k], _draw(problem.n_samples, rng))
        return children


def _draw(n_samples: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    bits = np.frombuffer(rng.bytes(-(-n_samples // 8)), dtype=np.uint8)
    return np.unpackbits(bits, count=n_samples).astype(np.bool_)


def _children(
    problem: SRMOSCProblem, first: Individual, second: Individual, swap: NDArray[np.bool_] | None
) -> tuple[Individual, Individual]:
    if swap is None:
        genes = (first.X, second.X)
    else:
        genes = _exchange(problem, first.X, second.X, swap)
    children = Individual(X=genes[0]), Individual(X=genes[1])
    if all(parent.has(name) for parent in (first, second) for name in TABLES):
        for name in TABLES:
            one, other = first.get(name), second.get(name)
            if swap is not None:
                one, other = np.where(swap, other, one), np.where(swap, one, other)
            children[0].set(name, one)
            children[1].set(name, other)
    return children


def _exchange(
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


class AlignedSeedCrossover(Crossover):
    """Exchange clusters of the one parent for those of the other that are most like them.

    The clusters of both parents are paired such that their centroids are nearest in sum, and each pair
    changes sides with probability one half. Clusters of the larger parent without a partner are paired
    with no cluster, so that the children of parents of unlike size are of sizes in between. A document
    that would be a seed twice is one once; where that leaves too few, random documents are added. For
    :class:`~moo_clustering.problems.SubspaceClusteringProblem`.

    Parameters
    ----------
    prob : float, default=0.9
        Probability that a pair is crossed; otherwise its children are copies.
    **kwargs
        Of pymoo's ``Crossover``, such as ``prob``.

    Notes
    -----
    O(k^2 n_features + k^3) time for each pair of evaluated parents; others are evaluated first.

    References
    ----------
    SISC-ML's clusters, searched.
    """

    def __init__(self, prob: float = 0.9, **kwargs: Any) -> None:
        super().__init__(2, 2, prob=prob, **kwargs)

    def _do(
        self,
        problem: Any,
        X: NDArray[Any],
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> IntArray:
        encoding = seed_problem(problem).encoding
        rng = np.random.default_rng(random_state)
        parents = [encoding.seeds(side) for side in X]
        n_pairs = len(parents[0])
        centers = problem.cluster_centers(np.concatenate(parents))
        for a, b, first, second in zip(*parents, centers[:n_pairs], centers[n_pairs:], strict=True):
            a[:], b[:] = _paired(a[a >= 0], b[b >= 0], first, second, len(a))
        children = cross_partitions(parents[0], parents[1], coins, rng, align=False)
        return np.stack([repair_slots(x, encoding.n_samples, encoding.k_min, rng) for x in children])


def _paired(
    a: IntArray, b: IntArray, first: NDArray[np.floating[Any]], second: NDArray[np.floating[Any]], width: int
) -> tuple[IntArray, IntArray]:
    """The seeds of two parents in one order, -1 opposite those without a partner and at the end."""
    squares = [np.einsum("ij,ij->i", x, x)[:, np.newaxis] for x in (first, second)]
    left, right = linear_sum_assignment(squares[0] + squares[1].T - 2.0 * (first @ second.T))
    alone = np.setdiff1d(np.arange(len(a)), left), np.setdiff1d(np.arange(len(b)), right)
    rows = np.full((2, width), -1, dtype=a.dtype)
    rows[0, : len(a)] = a[np.concatenate([left, alone[0]])]
    rows[1, : len(b)] = b[np.concatenate([right, alone[1]])]
    return rows[0], rows[1]
