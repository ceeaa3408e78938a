"""Label operators for ParetoClustering that merge, split and refine clusters."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from pymoo.core.population import Population
from pymoo.core.sampling import Sampling
from pymoo.core.variable import get
from scipy.sparse.csgraph import breadth_first_order

from moo_clustering._arrays import instance, integer, probability, quoted
from moo_clustering._data import checked_array, checked_graph, require_same_samples
from moo_clustering._docs import documented
from moo_clustering._kernels import partitions as kernels
from moo_clustering._types import BoolArray, FloatArray, IntArray, Labels
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.encodings import LabelEncoding, relabel_by_first_appearance
from moo_clustering.encodings.base import checked_genes, distinct_rows
from moo_clustering.operators import base

# Attribute that marks the children of a crossover, so that PartitionMutation recognises them.
CROSSED = "crossed"


@dataclass(frozen=True, eq=False)
class LabelGraph:
    """Symmetric similarities between samples. Deep copies of an operator share its ``LabelGraph``.

    Attributes
    ----------
    matrix : csr_array of shape (n_samples, n_samples)
        Non-negative similarities with a zero diagonal.
    volumes : ndarray of shape (n_samples,)
        Sum of each sample's similarities.
    """

    matrix: sp.csr_array
    volumes: FloatArray

    @classmethod
    def of(cls, graph: Self | ArrayLike | Any) -> Self:
        """Convert a sparse or dense similarity matrix to a LabelGraph, or return a LabelGraph unchanged.

        Raises a ValueError if the matrix is not square and symmetric, or has negative or non-finite values.
        """
        if isinstance(graph, cls):
            return graph
        matrix = sp.csr_array(checked_graph(graph, "graph"), copy=True)
        row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
        matrix.data[row == matrix.indices] = 0.0
        matrix.eliminate_zeros()
        return cls(matrix, np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel())

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return int(self.matrix.shape[0])

    def links(self, labels: Labels) -> FloatArray:
        """Sum the similarities between each pair of clusters, shape (k, k); takes O(links + k^2) time."""
        sums = np.zeros((int(labels.max()) + 1,) * 2)
        kernels.sum_links(*self._rows(labels), labels, sums)
        return sums

    def voted(self, labels: Labels, inertia: float) -> Labels:
        """Move all samples to their most similar clusters at the same time; clusters can become empty."""
        out, tally = np.empty_like(labels), np.zeros(int(labels.max()) + 1)
        kernels.vote_once(*self._rows(labels), inertia * self.volumes, labels, tally, out)
        return out

    def joined(self, labels: Labels, max_rounds: int) -> Labels:
        """Assign samples labelled -1 to their most similar clusters in rounds; unlinked samples keep -1."""
        out = labels.copy()
        kernels.join_neighbors(*self._rows(labels), out, np.zeros(int(labels.max()) + 1), max_rounds)
        return out

    def united(self, labels: Labels, k_max: int) -> Labels:
        """Merge the smallest cluster with its most similar cluster until at most ``k_max`` clusters remain.

        Ties are broken by the lowest label. A cluster without links is merged with the next smallest cluster.
        """
        size: FloatArray = np.bincount(labels).astype(np.float64)
        if len(size) <= k_max:
            return labels
        links, number = self.links(labels), np.arange(len(size))
        np.fill_diagonal(links, 0.0)
        for _ in range(len(size) - k_max):
            small = int(size.argmin())
            # An infinite size prevents the merged cluster from being selected as the smallest cluster again.
            size[small], joining = np.inf, size[small]
            large = int((links[small] if links[small].any() else -size).argmax())
            number[number == small] = large
            size[large] += joining
            links[large] += links[small]
            links[:, large] += links[:, small]
            links[large, large] = 0.0
            links[small] = links[:, small] = 0.0
        return relabel_by_first_appearance(number[labels])

    def _rows(self, labels: Labels) -> tuple[NDArray[Any], NDArray[Any], FloatArray]:
        # The sizes are checked here, because the kernels do not check array bounds.
        require_same_samples("graph and partition", self.n_samples, len(labels))
        return self.matrix.indptr, self.matrix.indices, self.matrix.data

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


@documented(base.SHARED)
class PoolSampling(Sampling):
    """Return the highest-scoring distinct partitions of a pool, deterministically.

    The population is smaller than requested if the pool has too few distinct partitions. Requires a problem
    with an encoding. Source: ParetoClustering, operators.

    Parameters
    ----------
    scores : array-like of shape (n_partitions,)
        Higher scores are better. Ties are broken in favour of fewer clusters, then of the first partition.
    """

    def __init__(self, pool: Any, scores: ArrayLike) -> None:
        super().__init__()
        labels = pool_labels(pool)
        values = checked_array(scores, "scores", np.float64, finite=False)
        if values.shape != (len(labels),):
            what = f"one number per partition of the pool ({len(labels)})"
            raise ValueError(f"scores must have {what}, got shape {values.shape}")
        if np.isnan(values).any():
            raise ValueError("scores must not contain NaN")
        ranked = labels[np.lexsort((labels.max(axis=1), -values))]
        self.labels = ranked[distinct_rows(ranked)[0]]

    def _do(self, problem: Any, n_samples: int, *args: Any, **kwargs: Any) -> IntArray:
        return base.encoding_of(problem).encode(self.labels[:n_samples])


@documented(base.SHARED)
class GroupingOverlayCrossover(base.PairCrossover):
    """Overlay some clusters of parent A on parent B. For the second child, the parents are swapped.

    The child inherits each cluster of A with probability one half, but at least one and never all of them. If
    A has only one cluster, the child inherits none. The samples outside the inherited clusters keep their
    clusters of B. If less than ``min_share`` of a cluster of B remains, it is dissolved. In rounds, its
    samples join the clusters of their neighbours. Samples that cannot join a cluster stay together. While
    there are more than ``k_max`` clusters, the smallest cluster joins its most similar cluster. Requires a
    ``LabelEncoding``. Takes O(n_samples + links + k^2) time per child. Source: ParetoClustering.

    Parameters
    ----------
    prob : float, default=0.6
        Probability that a pair is crossed. Otherwise, the children are copies of the parents. Crossed
        children are marked for :class:`PartitionMutation`.
    min_share : float, default=0.3
        Clusters of B that keep less than this share of their samples are dissolved.
    max_rounds : int, default=10
        Maximum number of rounds in which the samples of dissolved clusters join their neighbours.
    """

    def __init__(
        self, graph: Any, *, prob: float = 0.6, min_share: float = 0.3, max_rounds: int = 10, **kwargs: Any
    ) -> None:
        super().__init__(prob, **kwargs)
        self.graph = LabelGraph.of(graph)
        self.min_share = probability("min_share", min_share)
        self.max_rounds = integer("max_rounds", max_rounds)

    def do(
        self, problem: Any, pop: Any, parents: Any = None, *args: Any, random_state: Any = None, **kwargs: Any
    ) -> Population:
        """Cross individuals and mark the children of crossed pairs."""
        rng, pairs = np.random.default_rng(random_state), pop if parents is None else pop[parents]
        children = np.array([[parent.X for parent in pair] for pair in pairs]).swapaxes(0, 1)
        crossed = rng.random(len(pairs)) < get(self.prob, size=len(pairs))
        if crossed.any():
            children[:, crossed] = self._do(problem, children[:, crossed], random_state=rng)
        return Population.new("X", children.reshape(-1, problem.n_var), CROSSED, np.tile(crossed, 2))

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> Labels:
        k_max = label_encoding(problem, self).k_max
        parents = np.stack([canonical_rows(side, problem.n_var) for side in X])
        out = parents.copy()
        for q, (a, b) in enumerate(parents.swapaxes(0, 1)):
            out[0, q] = self.overlaid(a, b, k_max, rng)
            out[1, q] = self.overlaid(b, a, k_max, rng)
        return out

    def overlaid(self, a: Labels, b: Labels, k_max: int, rng: np.random.Generator) -> Labels:
        """Overlay partition b with random clusters of partition a; both must be canonical."""
        return self._laid_over(a, b, drawn_clusters(int(a.max()) + 1, rng), k_max)

    def _laid_over(self, a: Labels, b: Labels, inherited: BoolArray, k_max: int) -> Labels:
        """Combine the inherited clusters of partition ``a`` with the remaining samples of partition ``b``.

        If less than ``min_share`` of the samples of a cluster of ``b`` remain, these samples join clusters to
        which they are linked. Clusters are then merged until at most ``k_max`` are left.
        """
        covered, below = inherited[a], (b + len(inherited)).astype(np.int32)
        pieces = np.bincount(b[~covered], minlength=int(b.max()) + 1)
        # The tolerance is needed because a product such as 0.28 * 25 exceeds 7 in floating point.
        dissolved = pieces < self.min_share * np.bincount(b) - 1e-9
        labels = np.where(covered, a, np.where(dissolved[b], np.int32(-1), below))
        labels = self.graph.joined(labels, self.max_rounds)
        return self.graph.united(relabel_by_first_appearance(np.where(labels < 0, below, labels)), k_max)


def drawn_clusters(k: int, rng: np.random.Generator) -> BoolArray:
    """Draw each of k clusters with probability one half; draw at least one but not all, or none if k = 1."""
    drawn = rng.random(k) < 0.5
    if k == 1:
        return np.zeros(1, dtype=bool)
    if drawn.all() or not drawn.any():
        drawn[rng.integers(k)] ^= True
    return drawn


class LabelMutation(base.DrawnMutation):
    """Base class for mutations of single partitions, with clusters numbered by first appearance."""

    @abstractmethod
    def varied(self, labels: Labels, bounds: LabelEncoding, rng: np.random.Generator) -> Labels:
        """Return a mutated copy of a canonical partition, or the partition itself if it cannot be mutated.

        ``bounds`` is the encoding, whose ``k_min`` and ``k_max`` limit the number of clusters.
        """

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> Labels:
        bounds = label_encoding(problem, self)
        out = canonical_rows(X, problem.n_var)
        for row in out:
            row[:] = self.varied(row.copy(), bounds, rng)
        return out


@documented(base.SHARED)
class GraphMerge(LabelMutation):
    """Merge two random clusters, favouring strongly linked pairs.

    The pair (a, b) is drawn with probability proportional to W_ab / min(vol_a, vol_b), where W_ab is the sum
    of the similarities between the two clusters, and vol_a is the sum of all similarities of samples in a. If
    no clusters are linked, all pairs are equally likely. Partitions with ``k_min`` clusters are not changed.
    Requires a ``LabelEncoding``. Takes O(links + k^2) time per individual. Source: ParetoClustering.
    """

    def __init__(self, graph: Any, prob: float = 1.0, **kwargs: Any) -> None:
        super().__init__(prob, **kwargs)
        self.graph = LabelGraph.of(graph)

    def varied(self, labels: Labels, bounds: LabelEncoding, rng: np.random.Generator) -> Labels:
        return merge_linked(labels, self.graph, bounds.k_min, rng)


def merge_linked(labels: Labels, graph: LabelGraph, k_min: int, rng: np.random.Generator) -> Labels:
    """Merge two clusters as in :class:`GraphMerge`, unless only ``k_min`` clusters remain."""
    k = int(labels.max()) + 1
    if k <= max(k_min, 1):
        return labels
    a, b = np.triu_indices(k, 1)
    volumes = np.bincount(labels, weights=graph.volumes)
    # A cluster without links has volume 0. The lower bound prevents NaN as the result of 0 / 0.
    least = np.maximum(np.minimum(volumes[a], volumes[b]), np.finfo(np.float64).tiny)
    pull = graph.links(labels)[a, b] / least
    cumulative = np.cumsum(pull if pull.any() else np.ones(len(a)))
    pair = np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right")
    return relabel_by_first_appearance(np.where(labels == b[pair], a[pair].astype(np.int32), labels))


@documented(base.SHARED)
class PoolSplit(LabelMutation):
    """Split a random cluster along a random partition from a pool, unless there are ``k_max`` clusters.

    Each attempt draws a cluster with probability proportional to its size, and a pool partition that cuts the
    cluster into pieces. A piece is large if it contains at least ``min_share`` of the cluster's samples. If
    there are at least two large pieces, either a random one of them becomes a new cluster, or all of them
    except the largest do. The remaining samples of the cluster stay together. Requires a ``LabelEncoding``.
    Takes O(n_samples) time per attempt. Source: ParetoClustering, operators.

    Parameters
    ----------
    min_share : float, default=0.08
        Minimum size of a new cluster, as a share of the split cluster's samples.
    max_tries : int, default=12
        Maximum number of attempts. If all attempts fail, the partition is not changed.
    """

    def __init__(
        self, pool: Any, *, min_share: float = 0.08, max_tries: int = 12, prob: float = 1.0, **kwargs: Any
    ) -> None:
        super().__init__(prob, **kwargs)
        self.pool = pool_labels(pool)
        self.min_share = probability("min_share", min_share)
        self.max_tries = integer("max_tries", max_tries)

    def varied(self, labels: Labels, bounds: LabelEncoding, rng: np.random.Generator) -> Labels:
        return self.split(labels, bounds.k_max, rng)

    def split(
        self, labels: Labels, k_max: int, rng: np.random.Generator, *, one_piece: bool = False
    ) -> Labels:
        """Split a cluster of a canonical partition; with ``one_piece``, split it into two clusters."""
        k = int(labels.max()) + 1
        if k >= k_max:
            return labels
        for _ in range(self.max_tries):
            members = np.flatnonzero(labels == labels[rng.integers(len(labels))])
            cut = self.pool[rng.integers(len(self.pool)), members]
            sizes = np.bincount(cut)
            # The tolerance is needed because a product such as 0.28 * 25 exceeds 7 in floating point.
            pieces = np.flatnonzero((sizes > 0) & (sizes >= self.min_share * len(members) - 1e-9))
            if len(pieces) < 2:
                continue
            every = rng.random() < 0.5 and not one_piece and k + len(pieces) - 1 <= k_max
            leaving = pieces[pieces != sizes.argmax()] if every else [rng.choice(pieces)]
            out = labels.copy()
            for number, piece in enumerate(leaving):
                out[members[cut == piece]] = k + number
            return relabel_by_first_appearance(out)
        return labels


@documented(base.SHARED)
class GraphRefine(LabelMutation):
    """In each of a few steps, move all samples at once to the clusters to which they are most similar.

    Each sample moves to the cluster with the largest sum of similarities between the sample and the cluster's
    members. The sum for the sample's own cluster is increased by ``inertia`` times the sum of all
    similarities of the sample. Ties are won by the sample's own cluster, then by the cluster of its
    lowest-indexed neighbour. Clusters can vanish, but a step that would leave fewer than ``k_min`` clusters
    is not taken. Requires a ``LabelEncoding``. Takes O(links) time per step and individual. Source:
    ParetoClustering.

    Parameters
    ----------
    max_steps : int, default=3
        Maximum number of steps. The number of steps is drawn uniformly from 1..max_steps.
    inertia : float, default=0.05
        Weight of a sample's own cluster, relative to the sum of the sample's similarities.
    """

    def __init__(
        self, graph: Any, *, max_steps: int = 3, inertia: float = 0.05, prob: float = 1.0, **kwargs: Any
    ) -> None:
        super().__init__(prob, **kwargs)
        self.graph = LabelGraph.of(graph)
        self.max_steps = integer("max_steps", max_steps)
        if not 0.0 <= inertia < np.inf:
            raise ValueError(f"inertia must be non-negative, got {quoted(inertia)}")
        self.inertia = float(inertia)

    def varied(self, labels: Labels, bounds: LabelEncoding, rng: np.random.Generator) -> Labels:
        return self.refined(labels, int(rng.integers(1, self.max_steps + 1)), bounds.k_min)

    def refined(self, labels: Labels, n_steps: int, k_min: int) -> Labels:
        """Refine a canonical partition in up to ``n_steps`` steps, deterministically."""
        for _ in range(n_steps):
            moved = relabel_by_first_appearance(self.graph.voted(labels, self.inertia))
            if moved.max() + 1 < k_min:
                break
            labels = moved
        return labels


@documented(base.SHARED)
class PairViolationMutation(LabelMutation):
    """Satisfy a randomly chosen violated constraint by moving a piece of a cluster.

    The two samples of the violated pair are called i and j, in random order. The piece contains the samples
    that share a cluster with i in both the current partition and a random pool partition. A must-link is
    satisfied by merging the two clusters or by moving the piece to the cluster of j. A cannot-link is
    satisfied by turning the piece (which must not contain j) into a new cluster or by moving it to the most
    similar other cluster. One of the two ways is drawn at random. If the drawn way would violate ``k_min`` or
    ``k_max``, or if no other cluster is linked to the piece, the way that was not drawn is used. If no pool
    partition cuts the cluster, only must-links can be satisfied, by a merge. Requires a ``LabelEncoding``.
    Takes O(n_pairs + n_partitions * cluster size + links) time per individual. Combine this mutation with an
    objective that scores cluster boundaries; otherwise, the search cuts off tiny pieces around the
    constrained samples. Source: ParetoClustering, evolution with pairs.
    """

    def __init__(
        self, graph: Any, pool: Any, constraints: PairwiseConstraints, prob: float = 1.0, **kwargs: Any
    ) -> None:
        super().__init__(prob, **kwargs)
        instance("constraints", constraints, PairwiseConstraints, "PairwiseConstraints")
        self.graph, self.pool = graph_and_pool(graph, pool)
        require_same_samples("graph and constraints", self.graph.n_samples, constraints.n_samples)
        self.pairs = np.concatenate([constraints.must_link, constraints.cannot_link])
        self.together = np.arange(len(self.pairs)) < len(constraints.must_link)

    def varied(self, labels: Labels, bounds: LabelEncoding, rng: np.random.Generator) -> Labels:
        violated = self.violated(labels)
        return self.satisfied(labels, int(rng.choice(violated)), bounds, rng) if len(violated) else labels

    def violated(self, labels: Labels) -> NDArray[np.intp]:
        """Return the positions of violated pairs, must-links before cannot-links."""
        same = labels[self.pairs[:, 0]] == labels[self.pairs[:, 1]]
        return np.flatnonzero(same != self.together)

    def satisfied(self, labels: Labels, pair: int, bounds: LabelEncoding, rng: np.random.Generator) -> Labels:
        """Change a canonical partition to satisfy a violated pair."""
        i, j = rng.permutation(self.pairs[pair])
        first, k = rng.random() < 0.5, int(labels.max()) + 1
        together = self.together[pair]
        piece = self._piece(labels, i, None if together else j, rng)
        if together and k > max(bounds.k_min, 1) and (first or piece is None):
            return _moved(labels, labels == labels[i], int(labels[j]))
        if piece is None:
            return labels
        target = int(labels[j]) if together else self._strongest(labels, piece)
        if not together and k < bounds.k_max and (first or target is None):
            target = k
        return labels if target is None else _moved(labels, piece, target)

    def _piece(
        self, labels: Labels, i: int, without: int | None, rng: np.random.Generator
    ) -> NDArray[np.intp] | None:
        """Cut the cluster of sample i along a random pool partition, and return the piece that contains i.

        The piece does not contain the sample ``without``. Returns None if no pool partition makes
        such a cut.
        """
        others = labels == labels[i] if without is None else [without]
        cutting = (self.pool[:, others] != self.pool[:, [i]]).any(axis=1)
        if not cutting.any():
            return None
        cut = self.pool[rng.choice(np.flatnonzero(cutting))]
        return np.flatnonzero((cut == cut[i]) & (labels == labels[i]))

    def _strongest(self, labels: Labels, piece: NDArray[np.intp]) -> int | None:
        """Return the cluster that is most similar to a piece, other than the piece's own cluster.

        Returns None if no other cluster is linked to the piece.
        """
        k, apart = int(labels.max()) + 1, labels.copy()
        apart[piece] = k
        links = self.graph.links(apart)[k, :k]
        links[labels[piece[0]]] = 0.0
        return int(links.argmax()) if links.any() else None


def _moved(labels: Labels, members: NDArray[Any], target: int) -> Labels:
    out = labels.copy()
    out[members] = target
    return relabel_by_first_appearance(out)


@documented(base.SHARED)
class PartitionMutation(LabelMutation):
    """Apply :class:`GraphMerge`, :class:`PoolSplit` or :class:`GraphRefine`, drawn at random per individual.

    Requires a ``LabelEncoding``. Takes O(links + k^2 + n_samples) time per individual. Source:
    ParetoClustering, operators.

    Parameters
    ----------
    merge, split, refine : float, default=0.35, 0.40, 0.25
        Relative frequencies of :class:`GraphMerge`, :class:`PoolSplit` and :class:`GraphRefine`.
    crossed : float, default=0.3
        Probability that a child of :class:`GroupingOverlayCrossover` is mutated.
        All other individuals are always mutated.
    polish : float, default=0.3
        Probability of a final :class:`GraphRefine` step, whether or not the individual is mutated.
    pairs : float, default=0.55
        If a pair is violated, probability that :class:`PairViolationMutation` replaces the mutation.
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
        self.graph, self.pool = graph_and_pool(graph, pool)
        self.refinement = GraphRefine(self.graph)
        self.mutations: tuple[LabelMutation, ...] = (GraphMerge(self.graph), PoolSplit(pool), self.refinement)
        weights = np.array([merge, split, refine], dtype=np.float64)
        if not (np.isfinite(weights) & (weights >= 0.0)).all() or not weights.any():
            raise ValueError(
                f"merge, split and refine must be non-negative and not all 0, got {merge}, {split}, {refine}"
            )
        self.weights = weights / weights.sum()
        self.crossed = probability("crossed", crossed)
        self.polish = probability("polish", polish)
        self.pairs = probability("pairs", pairs)
        self.repair_pair = None if constraints is None else PairViolationMutation(graph, pool, constraints)

    def do(
        self, problem: Any, pop: Any, inplace: Any = True, *args: Any, random_state: Any = None, **kwargs: Any
    ) -> Population:
        """Mutate individuals and remove the mark from crossed children."""
        rng = np.random.default_rng(random_state)
        if not inplace:
            pop = Population.new("X", pop.get("X"), CROSSED, pop.get(CROSSED))
        marks = [bool(individual.data.pop(CROSSED, False)) for individual in pop]
        pop.set("X", self.mutated(problem, pop.get("X"), marks, rng))
        return pop

    def mutated(
        self, problem: Any, X: NDArray[Any], crossed: Sequence[bool], rng: np.random.Generator
    ) -> Labels:
        """Return mutated copies of the rows of X; ``crossed`` marks children of a crossover."""
        bounds = label_encoding(problem, self)
        out = canonical_rows(X, problem.n_var)
        for row, mark in zip(out, crossed, strict=True):
            row[:] = self.varied(row.copy(), bounds, rng, crossed=mark)
        return out

    def varied(
        self, labels: Labels, bounds: LabelEncoding, rng: np.random.Generator, *, crossed: bool = False
    ) -> Labels:
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
    """Merge or split clusters until each partition has ``n_clusters`` clusters.

    Clusters are merged as in :class:`GraphMerge` and split as in :class:`PoolSplit`, one piece at a time. If
    no pool partition splits a cluster, the largest cluster is halved in breadth-first order of the graph.
    Requires a ``LabelEncoding``. Its ``k_max`` should exceed ``n_clusters``, so that mutations can still
    split clusters. Takes O(links + k^2) time per merge and O(n_samples) time per split. Source:
    ParetoClustering, operators.

    Parameters
    ----------
    n_clusters : int
        Number of clusters in the repaired partitions.
    """

    def __init__(self, graph: Any, pool: Any, n_clusters: int) -> None:
        super().__init__()
        self.graph, self.pool = graph_and_pool(graph, pool)
        self.splitting = PoolSplit(pool)
        self.n_clusters = integer("n_clusters", n_clusters)
        if self.n_clusters > self.graph.n_samples:
            raise ValueError(
                f"n_clusters={self.n_clusters} must not exceed the number of samples, {self.graph.n_samples}"
            )

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> Labels:
        encoding = label_encoding(problem, self)
        if not encoding.k_min <= self.n_clusters <= encoding.k_max:
            raise ValueError(
                f"n_clusters must be from {encoding.k_min} to {encoding.k_max}, the bounds of the "
                f"encoding; got {self.n_clusters}"
            )
        return self.repaired(X, rng)

    def repaired(self, X: NDArray[Any], rng: np.random.Generator) -> Labels:
        """Return canonical copies of partitions, each repaired to have ``n_clusters`` clusters."""
        out = canonical_rows(X, self.graph.n_samples)
        return np.array([self._fitted(row, rng) for row in out], dtype=out.dtype).reshape(out.shape)

    def _fitted(self, labels: Labels, rng: np.random.Generator) -> Labels:
        while labels.max() + 1 > self.n_clusters:
            labels = merge_linked(labels, self.graph, self.n_clusters, rng)
        while labels.max() + 1 < self.n_clusters:
            cut = self.splitting.split(labels, self.n_clusters, rng, one_piece=True)
            labels = self._halved(labels) if cut is labels else cut
        return labels

    def _halved(self, labels: Labels) -> Labels:
        """Halve the largest cluster in breadth-first order, so that one half is connected if possible."""
        members = np.flatnonzero(labels == np.bincount(labels).argmax())
        inside = self.graph.matrix[members][:, members]
        reached = breadth_first_order(inside, 0, directed=False, return_predecessors=False)
        order = np.concatenate([reached, np.setdiff1d(np.arange(len(members)), reached)])
        out = labels.copy()
        out[members[order[(len(order) + 1) // 2 :]]] = labels.max() + 1
        return relabel_by_first_appearance(out)


def label_encoding(problem: Any, operator: Any) -> LabelEncoding:
    """Return the encoding of a problem.

    Raises a TypeError if it is not a LabelEncoding, and a ValueError if its number of samples differs from
    that of the operator's graph or pool.
    """
    encoding: LabelEncoding = base.encoding_of(problem, LabelEncoding)
    if hasattr(operator, "graph"):
        require_same_samples("graph and problem", operator.graph.n_samples, encoding.n_samples)
    if hasattr(operator, "pool"):
        require_same_samples("pool and problem", operator.pool.shape[1], encoding.n_samples)
    return encoding


def graph_and_pool(graph: Any, pool: Any) -> tuple[LabelGraph, Labels]:
    """Return the graph and the canonical partitions of the pool, or raise a ValueError if samples differ."""
    similarities, labels = LabelGraph.of(graph), pool_labels(pool)
    require_same_samples("graph and pool", similarities.n_samples, labels.shape[1])
    return similarities, labels


def canonical_rows(X: NDArray[Any], n_samples: int) -> Labels:
    """Return copies of partitions with clusters numbered by first appearance."""
    return relabel_by_first_appearance(checked_genes(X, n_samples))


def pool_labels(pool: Any) -> Labels:
    """Return canonical copies of the partitions in a pool, or of the rows of a label array."""
    labels = np.atleast_2d(checked_array(getattr(pool, "labels", pool), "pool"))
    if labels.ndim != 2 or labels.size == 0 or labels.dtype.kind not in "iu":
        raise ValueError(
            "pool must contain at least one partition, as integer labels of shape (n_partitions, "
            f"n_samples); got shape {labels.shape} and dtype {labels.dtype}"
        )
    return relabel_by_first_appearance(labels)
