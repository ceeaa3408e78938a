"""Operators of cluster numbers, one gene for each sample, that change whole clusters.

They merge, split and refine along a similarity graph and a pool of partitions, as ParetoClustering does.
:class:`LabelMutation` is the base to subclass: override ``varied``, which changes one partition.
:class:`PartitionMutation` is the mix of the mutations.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from pymoo.core.population import Population
from pymoo.core.sampling import Sampling
from pymoo.core.variable import get
from scipy.sparse.csgraph import breadth_first_order

from moo_clustering._arrays import BoolArray, FloatArray, IntArray, Labels, integer, probability, quoted
from moo_clustering._docs import documented
from moo_clustering._kernels import partitions as kernels
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.encodings import LabelEncoding, relabel_by_first_appearance
from moo_clustering.encodings.base import checked_genes, distinct_rows
from moo_clustering.operators import base

# Key under which children tell PartitionMutation whether they come from a crossover.
CROSSED = "crossed"


@dataclass(frozen=True, eq=False)
class LabelGraph:
    """Symmetric similarities between samples, and the sums and votes of clusters over them.

    Several operators share one graph, which :meth:`of` makes once: a copy is the object itself.

    Attributes
    ----------
    matrix : csr_array of shape (n_samples, n_samples)
        Similarities in compressed rows: non-negative, without a diagonal.
    volumes : ndarray of shape (n_samples,)
        Sum of the similarities of each sample.
    """

    matrix: sp.csr_array
    volumes: FloatArray

    @classmethod
    def of(cls, graph: Self | ArrayLike | Any) -> Self:
        """Make a graph of a sparse or dense symmetric matrix of similarities; return a LabelGraph as it is.

        Raises
        ------
        ValueError
            If the matrix is not square, or has negative or infinite entries.
        """
        if isinstance(graph, cls):
            return graph
        matrix = sp.csr_array(graph, dtype=np.float64, copy=True)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise ValueError(f"graph must be a square matrix of similarities, got shape {matrix.shape}.")
        if not (np.isfinite(matrix.data) & (matrix.data >= 0.0)).all():
            raise ValueError("graph must hold finite similarities of at least 0.")
        matrix.sum_duplicates()
        row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
        matrix.data[row == matrix.indices] = 0.0
        matrix.eliminate_zeros()
        return cls(matrix, np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel())

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return int(self.matrix.shape[0])

    def links(self, labels: Labels) -> FloatArray:
        """Sum of the similarities between each two clusters, shape (k, k); O(links + k^2)."""
        k = int(labels.max()) + 1
        sums = np.zeros((k, k))
        kernels.sum_links(*self._rows, labels, sums)
        return sums

    def voted(self, labels: Labels, inertia: float) -> Labels:
        """Move all samples at once to the cluster of most similarity; cluster numbers may then have gaps."""
        out = np.empty_like(labels)
        tally = np.zeros(int(labels.max()) + 1)
        kernels.vote_once(*self._rows, inertia * self.volumes, labels, tally, out)
        return out

    def joined(self, labels: Labels, max_rounds: int) -> Labels:
        """Replace each -1 by the cluster of most similarity, round by round; -1 stays where no link leads."""
        out = labels.copy()
        kernels.join_neighbors(*self._rows, out, np.zeros(int(labels.max()) + 1), max_rounds)
        return out

    def united(self, labels: Labels, k_max: int) -> Labels:
        """Unite clusters until there are at most ``k_max``: the smallest joins the one it is linked to most.

        Ties go to the lowest number; a cluster without links joins the next smallest.
        """
        sizes = np.bincount(labels)
        alive = len(sizes)
        if alive <= k_max:
            return labels
        links, number = self.links(labels), np.arange(alive)
        np.fill_diagonal(links, 0.0)
        size: FloatArray = sizes.astype(np.float64)
        while alive > k_max:
            small = int(size.argmin())
            # Infinite, it is never the smallest again, nor chosen below where sizes decide.
            size[small], joining = np.inf, size[small]
            large = int((links[small] if links[small].any() else -size).argmax())
            number[number == small] = large
            size[large] += joining
            links[large] += links[small]
            links[:, large] += links[:, small]
            links[large, large] = 0.0
            links[small] = links[:, small] = 0.0
            alive -= 1
        return relabel_by_first_appearance(number[labels])

    @property
    def _rows(self) -> tuple[NDArray[Any], NDArray[Any], FloatArray]:
        return self.matrix.indptr, self.matrix.indices, self.matrix.data

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


@documented(base.SHARED)
class PoolSampling(Sampling):
    """Take the members of a pool with the greatest scores, each distinct partition once.

    Nothing is random. A pool with fewer distinct members than asked for gives all of them. For problems
    with an encoding, which encodes the partitions.

    Parameters
    ----------
    pool : PartitionPool or array-like of shape (n_partitions, n_samples)
    scores : array-like of shape (n_partitions,)
        Greater is better; ties go to fewer clusters, then to the earlier member.

    References
    ----------
    ParetoClustering: operators.
    """

    def __init__(self, pool: Any, scores: ArrayLike) -> None:
        super().__init__()
        labels = pool_labels(pool)
        values = np.asarray(scores, dtype=np.float64)
        if values.shape != (len(labels),) or np.isnan(values).any():
            raise ValueError(
                f"scores must be {len(labels)} numbers, one for each partition of the pool; "
                f"got shape {values.shape}."
            )
        order = np.lexsort((labels.max(axis=1), -values))
        first, _ = distinct_rows(labels[order])
        self.labels = labels[order[first]]

    def _do(self, problem: Any, n_samples: int, *args: Any, **kwargs: Any) -> IntArray:
        return base.encoding_of(problem).encode(self.labels[:n_samples])


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
        self.graph = LabelGraph.of(graph)
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
        bounds = bounds_of(problem)
        first, second = (canonical_rows(side, problem.n_var) for side in X)
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
    graph: LabelGraph,
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


class LabelMutation(base.DrawnMutation):
    """Mutation of one partition after the other; subclasses override :meth:`varied`.

    Cluster numbers never matter: every row has its clusters numbered by first appearance, before and
    after the mutation.
    """

    @abstractmethod
    def varied(self, labels: Labels, bounds: Bounds, rng: np.random.Generator) -> Labels:
        """Return a changed copy of a canonical partition, or itself where no change is possible."""

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> Labels:
        bounds = bounds_of(problem)
        out = canonical_rows(X, problem.n_var)
        for row in out:
            row[:] = self.varied(row.copy(), bounds, rng)
        return out


@documented(base.SHARED)
class GraphMerge(LabelMutation):
    """Unite two clusters, drawn with a preference for those with many links between them.

    The pair (a, b) is drawn with probability proportional to W_ab / min(vol_a, vol_b), where W_ab sums
    the similarities between the two clusters and vol_a all similarities of the samples of a. If no
    clusters are linked, every pair is equally likely. Partitions into ``k_min`` clusters do not change.
    For problems over a :class:`~moo_clustering.encodings.LabelEncoding`.

    Notes
    -----
    O(links + k^2) time per individual.

    References
    ----------
    ParetoClustering: operators.
    """

    def __init__(self, graph: Any, prob: float = 1.0, **kwargs: Any) -> None:
        super().__init__(prob, **kwargs)
        self.graph = LabelGraph.of(graph)

    def varied(self, labels: Labels, bounds: Bounds, rng: np.random.Generator) -> Labels:
        return merge_linked(labels, self.graph, bounds.k_min, rng)


def merge_linked(labels: Labels, graph: LabelGraph, k_min: int, rng: np.random.Generator) -> Labels:
    """Unite two clusters unless there are only ``k_min``, see :class:`GraphMerge`."""
    k = int(labels.max()) + 1
    if k <= max(k_min, 1):
        return labels
    a, b = np.triu_indices(k, 1)
    volumes = np.bincount(labels, weights=graph.volumes)
    # Clusters without any link have volume 0; the floor keeps their quotient at 0 instead of NaN.
    least = np.maximum(np.minimum(volumes[a], volumes[b]), np.finfo(np.float64).tiny)
    pull = graph.links(labels)[a, b] / least
    cumulative = np.cumsum(pull if pull.any() else np.ones(len(a)))
    pair = np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right")
    return relabel_by_first_appearance(np.where(labels == b[pair], a[pair].astype(np.int32), labels))


@documented(base.SHARED)
class PoolSplit(LabelMutation):
    """Split a random cluster along a random partition of a pool.

    Each attempt draws a cluster with probability proportional to its size, and a partition of the pool,
    whose clusters cut it into pieces. If at least two pieces have ``min_share`` of its samples or more,
    either one of these pieces, or each, with equal probability, becomes a cluster of its own; smaller
    pieces stay with the remainder, or with the largest piece. For problems over a
    :class:`~moo_clustering.encodings.LabelEncoding`, whose ``k_max`` is never exceeded.

    Parameters
    ----------
    min_share : float, default=0.08
        Smallest piece that counts, as a share of the samples of the cluster.
    max_tries : int, default=12
        Attempts after which the partition stays as it is.

    Notes
    -----
    O(n_samples) time per attempt.

    References
    ----------
    ParetoClustering: operators.
    """

    def __init__(
        self, pool: Any, *, min_share: float = 0.08, max_tries: int = 12, prob: float = 1.0, **kwargs: Any
    ) -> None:
        super().__init__(prob, **kwargs)
        self.pool = pool_labels(pool)
        self.min_share = probability("min_share", min_share)
        self.max_tries = integer("max_tries", max_tries)

    def varied(self, labels: Labels, bounds: Bounds, rng: np.random.Generator) -> Labels:
        return self.split(labels, bounds.k_max, rng)

    def split(
        self, labels: Labels, k_max: int, rng: np.random.Generator, *, one_piece: bool = False
    ) -> Labels:
        """Split a cluster of a canonical partition; with ``one_piece`` a single piece leaves it."""
        k = int(labels.max()) + 1
        if k >= k_max:
            return labels
        for _ in range(self.max_tries):
            members = np.flatnonzero(labels == labels[rng.integers(len(labels))])
            cut = self.pool[rng.integers(len(self.pool)), members]
            sizes = np.bincount(cut)
            # The tolerance keeps 2 of 25 samples, whose product with 0.08 is rounded up in binary.
            pieces = np.flatnonzero((sizes > 0) & (sizes >= self.min_share * len(members) - 1e-9))
            if len(pieces) < 2:
                continue
            every = rng.random() < 0.5 and not one_piece and k + len(pieces) - 1 <= k_max
            # The largest piece stays; argmax takes the lowest number among equally large ones.
            leaving = pieces[pieces != sizes.argmax()] if every else [rng.choice(pieces)]
            out = labels.copy()
            for number, piece in enumerate(leaving):
                out[members[cut == piece]] = k + number
            return relabel_by_first_appearance(out)
        return labels


@documented(base.SHARED)
class GraphRefine(LabelMutation):
    """Move all samples at once to the clusters of their neighbours, in a few steps.

    Sample i moves to argmax_c sum_j S_ij [l_j = c] + inertia vol_i [l_i = c]; on ties it stays, or
    follows the tied neighbour of the lowest number. Clusters may vanish but never appear, and a step
    that would leave fewer than ``k_min`` is not taken. For problems over a
    :class:`~moo_clustering.encodings.LabelEncoding`.

    Parameters
    ----------
    max_steps : int, default=3
        The number of steps is drawn uniformly from 1..max_steps.
    inertia : float, default=0.05
        Weight of a sample's own cluster, as a share of the sum of its similarities.

    Notes
    -----
    O(links) time per step and individual.

    References
    ----------
    ParetoClustering: operators.
    """

    def __init__(
        self, graph: Any, *, max_steps: int = 3, inertia: float = 0.05, prob: float = 1.0, **kwargs: Any
    ) -> None:
        super().__init__(prob, **kwargs)
        self.graph = LabelGraph.of(graph)
        self.max_steps = integer("max_steps", max_steps)
        if not 0.0 <= inertia < np.inf:
            raise ValueError(f"inertia must be at least 0, got {quoted(inertia)}.")
        self.inertia = float(inertia)

    def varied(self, labels: Labels, bounds: Bounds, rng: np.random.Generator) -> Labels:
        return self.refined(labels, int(rng.integers(1, self.max_steps + 1)), bounds.k_min)

    def refined(self, labels: Labels, n_steps: int, k_min: int) -> Labels:
        """Refine a canonical partition by so many steps, without randomness."""
        for _ in range(n_steps):
            moved = relabel_by_first_appearance(self.graph.voted(labels, self.inertia))
            if moved.max() + 1 < k_min:
                break
            labels = moved
        return labels


@documented(base.SHARED)
class PairViolationMutation(LabelMutation):
    """Satisfy one random violated pair, moving pieces of clusters that partitions of a pool cut out.

    For a must-link (i, j) across clusters, either the two clusters are united, or a piece of the cluster
    of i moves to that of j. For a cannot-link within a cluster, a piece with i and without j either
    becomes a cluster or joins the other cluster that it is linked to most. Both ways are equally likely,
    and so are both ends to be i. A piece consists of the samples of the cluster that a random partition
    of the pool puts together with i. If no partition cuts the cluster, a must-link unites the clusters
    and a cannot-link changes nothing. A way that would leave ``k_min..k_max``, or lead to a cluster
    without a link to the piece, is replaced by the other. Partitions that violate no pair do not change.
    For problems over a :class:`~moo_clustering.encodings.LabelEncoding`.

    Parameters
    ----------
    pool : PartitionPool or array-like of shape (n_partitions, n_samples)
        Partitions that cut the pieces out.
    constraints : PairwiseConstraints

    Notes
    -----
    O(n_pairs + n_partitions * size of the cluster + links) time per individual. A search that
    optimises pairs without an objective for the boundaries between clusters memorises the pairs: it
    cuts tiny pieces around their samples.

    References
    ----------
    ParetoClustering: evolution with pairs.
    """

    def __init__(
        self, graph: Any, pool: Any, constraints: PairwiseConstraints, prob: float = 1.0, **kwargs: Any
    ) -> None:
        super().__init__(prob, **kwargs)
        if not isinstance(constraints, PairwiseConstraints):
            raise TypeError(f"constraints must be PairwiseConstraints, got {type(constraints).__name__}.")
        self.graph = LabelGraph.of(graph)
        self.pool = pool_labels(pool)
        self.pairs = np.concatenate([constraints.must_link, constraints.cannot_link])
        self.together = np.arange(len(self.pairs)) < len(constraints.must_link)

    def varied(self, labels: Labels, bounds: Bounds, rng: np.random.Generator) -> Labels:
        violated = self.violated(labels)
        return self.satisfied(labels, int(rng.choice(violated)), bounds, rng) if len(violated) else labels

    def violated(self, labels: Labels) -> NDArray[np.intp]:
        """Positions of the violated pairs; must-links come before cannot-links."""
        same = labels[self.pairs[:, 0]] == labels[self.pairs[:, 1]]
        return np.flatnonzero(same != self.together)

    def satisfied(self, labels: Labels, pair: int, bounds: Bounds, rng: np.random.Generator) -> Labels:
        """Repair a violated pair of a canonical partition."""
        i, j = rng.permutation(self.pairs[pair])
        first = rng.random() < 0.5
        k = int(labels.max()) + 1
        if self.together[pair]:
            piece = self._piece(labels, i, None, rng)
            unite = k > max(bounds.k_min, 1) and (first or piece is None)
            if not unite and piece is None:
                return labels
            members = labels == labels[i] if unite else piece
            return _moved(labels, members, int(labels[j]))
        piece = self._piece(labels, i, j, rng)
        if piece is None:
            return labels
        neighbor = self._strongest(labels, piece)
        if k < bounds.k_max and (first or neighbor is None):
            return _moved(labels, piece, k)
        return labels if neighbor is None else _moved(labels, piece, neighbor)

    def _piece(
        self, labels: Labels, i: int, without: int | None, rng: np.random.Generator
    ) -> NDArray[np.intp] | None:
        """Samples that a random partition leaves with i: not the whole cluster, and not ``without``."""
        if without is None:
            members = np.flatnonzero(labels == labels[i])
            cutting = (self.pool[:, members] != self.pool[:, [i]]).any(axis=1)
        else:
            cutting = self.pool[:, i] != self.pool[:, without]
        if not cutting.any():
            return None
        cut = self.pool[rng.choice(np.flatnonzero(cutting))]
        return np.flatnonzero((cut == cut[i]) & (labels == labels[i]))

    def _strongest(self, labels: Labels, piece: NDArray[np.intp]) -> int | None:
        """The cluster that a piece is linked to most, the lowest number on ties; None without a link."""
        k, own = int(labels.max()) + 1, int(labels[piece[0]])
        apart = labels.copy()
        apart[piece] = k
        links = self.graph.links(apart)[k, :k]
        links[own] = 0.0
        return int(links.argmax()) if links.any() else None


def _moved(labels: Labels, members: NDArray[Any] | None, target: int) -> Labels:
    out = labels.copy()
    out[members] = target
    return relabel_by_first_appearance(out)


@documented(base.SHARED)
class PartitionMutation(base.SeededMutation):
    """Merge, split or refine by :class:`GraphMerge`, :class:`PoolSplit` or :class:`GraphRefine`.

    Children that :class:`~moo_clustering.operators.GroupingOverlayCrossover` marked as crossed are
    mutated with probability ``crossed``, all others always. One step of :class:`GraphRefine` follows
    with probability ``polish``, whether mutated or not. With ``constraints``, a share ``pairs`` of the
    mutations repairs a violated pair instead, as long as there is one. For problems over a
    :class:`~moo_clustering.encodings.LabelEncoding`.

    Parameters
    ----------
    pool : PartitionPool or array-like of shape (n_partitions, n_samples)
        Partitions that clusters are split along.
    merge, split, refine : float, default=0.35, 0.40, 0.25
        Relative frequencies of :class:`GraphMerge`, :class:`PoolSplit` and :class:`GraphRefine`.
    crossed : float, default=0.3
        Probability that a child of a crossover is mutated.
    polish : float, default=0.3
        Probability that a step of refinement follows.
    constraints : PairwiseConstraints, optional
        Pairs to satisfy.
    pairs : float, default=0.55
        Share of :class:`PairViolationMutation` among the mutations, with constraints.

    Notes
    -----
    O(links + k^2 + n_samples) time per individual. Other crossovers do not mark
    their children, which are therefore all mutated.

    References
    ----------
    ParetoClustering: operators.
    """

    def __init__(
        self,
        graph: Any,
        pool: Any,
        *,
        merge: float = 0.35,
        split: float = 0.40,
        refine: float = 0.25,
        crossed: float = 0.3,
        polish: float = 0.3,
        constraints: PairwiseConstraints | None = None,
        pairs: float = 0.55,
    ) -> None:
        super().__init__()
        graph = LabelGraph.of(graph)
        self.refinement = GraphRefine(graph)
        self.mutations: tuple[LabelMutation, ...] = (GraphMerge(graph), PoolSplit(pool), self.refinement)
        weights = np.array([merge, split, refine], dtype=np.float64)
        if not (np.isfinite(weights) & (weights >= 0.0)).all() or not weights.any():
            raise ValueError(
                f"merge, split and refine must be at least 0 and not all 0, got {merge}, {split}, {refine}."
            )
        self.weights = weights / weights.sum()
        self.crossed = probability("crossed", crossed)
        self.polish = probability("polish", polish)
        self.pairs = probability("pairs", pairs)
        self.repair_pair = None if constraints is None else PairViolationMutation(graph, pool, constraints)

    def do(
        self,
        problem: Any,
        pop: Population,
        inplace: bool = True,
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> Population:
        """Mutate individuals, and remove the mark of those that were crossed."""
        rng = np.random.default_rng(random_state)
        if not inplace:
            pop = Population.new("X", pop.get("X"), CROSSED, pop.get(CROSSED))
        # The mark counts for the first mutation of a child only.
        marks = [bool(individual.data.pop(CROSSED, False)) for individual in pop]
        pop.set("X", self.mutated(problem, pop.get("X"), marks, rng))
        return pop

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> Labels:
        return self.mutated(problem, X, np.zeros(len(X)), rng)

    def mutated(self, problem: Any, X: NDArray[Any], crossed: ArrayLike, rng: np.random.Generator) -> Labels:
        """Mutate copies of the rows, of which some are children of a crossover."""
        bounds = bounds_of(problem)
        out = canonical_rows(X, problem.n_var)
        for row, mark in zip(out, np.asarray(crossed, dtype=bool), strict=True):
            row[:] = self.varied(row.copy(), bounds, rng, crossed=bool(mark))
        return out

    def varied(
        self, labels: Labels, bounds: Bounds, rng: np.random.Generator, *, crossed: bool = False
    ) -> Labels:
        """Mutate one canonical partition."""
        if not crossed or rng.random() < self.crossed:
            labels = self._mutation(labels, rng).varied(labels, bounds, rng)
        return self.refinement.refined(labels, 1, bounds.k_min) if rng.random() < self.polish else labels

    def _mutation(self, labels: Labels, rng: np.random.Generator) -> LabelMutation:
        pairs = self.repair_pair
        if pairs is not None and rng.random() < self.pairs and len(pairs.violated(labels)):
            return pairs
        return self.mutations[rng.choice(len(self.mutations), p=self.weights)]


@documented(base.SHARED)
class ClusterNumberRepair(base.GeneRepair):
    """Unite or split clusters until there are as many as wanted.

    Clusters are united as by :class:`GraphMerge`, and split as by :class:`PoolSplit`, one piece at a
    time; where the pool does not split any, the largest cluster is halved in breadth-first order of the
    graph. Partitions with the wanted number do not change. For problems over a
    :class:`~moo_clustering.encodings.LabelEncoding`, which should allow more clusters than wanted, so that
    operators have room to split before this repair unites.

    Parameters
    ----------
    n_clusters : int
        The number of clusters wanted.

    Notes
    -----
    O(links + k^2) time per cluster too many, O(n_samples) per cluster too few.

    References
    ----------
    ParetoClustering: operators.
    """

    def __init__(self, graph: Any, pool: Any, n_clusters: int) -> None:
        super().__init__()
        self.graph = LabelGraph.of(graph)
        self.splitting = PoolSplit(pool)
        self.n_clusters = integer("n_clusters", n_clusters)
        if self.n_clusters > self.graph.n_samples:
            raise ValueError(
                f"n_clusters must be at most the number of samples, {self.graph.n_samples}, "
                f"got {self.n_clusters}."
            )

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> Labels:
        bounds = bounds_of(problem)
        if not bounds.k_min <= self.n_clusters <= bounds.k_max:
            raise ValueError(
                f"n_clusters must be within the encoding's {bounds.k_min}..{bounds.k_max}, "
                f"got {self.n_clusters}."
            )
        return self.repaired(X, rng)

    def repaired(self, X: NDArray[Any], rng: np.random.Generator) -> Labels:
        """Canonical copies of partitions, with the wanted number of clusters."""
        out = canonical_rows(X, self.graph.n_samples)
        for row in out:
            row[:] = self._fitted(row.copy(), rng)
        return out

    def _fitted(self, labels: Labels, rng: np.random.Generator) -> Labels:
        while (k := int(labels.max()) + 1) != self.n_clusters:
            if k > self.n_clusters:
                labels = merge_linked(labels, self.graph, self.n_clusters, rng)
            else:
                cut = self.splitting.split(labels, self.n_clusters, rng, one_piece=True)
                labels = self._halved(labels) if cut is labels else cut
        return labels

    def _halved(self, labels: Labels) -> Labels:
        """Halve the largest cluster; breadth-first order keeps each half connected where it can be."""
        members = np.flatnonzero(labels == np.bincount(labels).argmax())
        inside = self.graph.matrix[members][:, members]
        reached = breadth_first_order(inside, 0, directed=False, return_predecessors=False)
        order = np.concatenate([reached, np.setdiff1d(np.arange(len(members)), reached)])
        out = labels.copy()
        out[members[order[(len(order) + 1) // 2 :]]] = labels.max() + 1
        return relabel_by_first_appearance(out)


class Bounds(NamedTuple):
    """Smallest and largest number of clusters."""

    k_min: int
    k_max: int


def bounds_of(problem: Any) -> Bounds:
    """Range of the number of clusters of a problem over a LabelEncoding; TypeError for any other."""
    encoding = base.encoding_of(problem, LabelEncoding)
    return Bounds(encoding.k_min, encoding.k_max)


def canonical_rows(X: NDArray[Any], n_samples: int) -> Labels:
    """Copy partitions, with the clusters of each numbered by first appearance."""
    return relabel_by_first_appearance(checked_genes(X, n_samples))


def pool_labels(pool: Any) -> Labels:
    """Canonical copy of the partitions of a pool, or of an array of labels with one partition per row.

    Raises a ValueError if there is no partition at all.
    """
    labels = np.atleast_2d(np.asarray(getattr(pool, "labels", pool)))
    if labels.ndim != 2 or labels.size == 0 or labels.dtype.kind not in "iu":
        raise ValueError(
            f"pool must hold at least one partition, as integer labels of shape (n_partitions, n_samples); "
            f"got shape {labels.shape} and dtype {labels.dtype}."
        )
    return relabel_by_first_appearance(labels)
