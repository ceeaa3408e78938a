"""Mutations of partitions: merge, split and refine clusters, satisfy pairs, improve by an objective.

:class:`LabelMutation` is the base to subclass: override ``varied``, which changes one partition.
:class:`PartitionMutation` is the mix of them that ParetoClustering uses.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pymoo.core.population import Population

from moo_clustering._arrays import Labels, choice, integer, probability, quoted
from moo_clustering._docs import documented
from moo_clustering.bags import BagObjective
from moo_clustering.bags.objective import RULES, Rule
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.encodings import relabel_by_first_appearance
from moo_clustering.encodings.base import checked_genes
from moo_clustering.operators import base
from moo_clustering.operators.crossover import CROSSED

Empty = Literal["farthest", "closest", "keep"]


class LabelMutation(base.DrawnMutation):
    """Mutation of one partition after the other; subclasses override :meth:`varied`.

    Cluster numbers never matter: every row has its clusters numbered by first appearance, before and
    after the mutation.
    """

    @abstractmethod
    def varied(self, labels: Labels, bounds: base.Bounds, rng: np.random.Generator) -> Labels:
        """Return a changed copy of a canonical partition, or itself where no change is possible."""

    def _apply(self, problem: Any, X: NDArray[Any], rng: np.random.Generator) -> Labels:
        bounds = base.bounds_of(problem)
        out = base.canonical_rows(X, problem.n_var)
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
        self.graph = base.LabelGraph.of(graph)

    def varied(self, labels: Labels, bounds: base.Bounds, rng: np.random.Generator) -> Labels:
        return merge_linked(labels, self.graph, bounds.k_min, rng)


def merge_linked(labels: Labels, graph: base.LabelGraph, k_min: int, rng: np.random.Generator) -> Labels:
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
        self.pool = base.pool_labels(pool)
        self.min_share = probability("min_share", min_share)
        self.max_tries = integer("max_tries", max_tries)

    def varied(self, labels: Labels, bounds: base.Bounds, rng: np.random.Generator) -> Labels:
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
        self.graph = base.LabelGraph.of(graph)
        self.max_steps = integer("max_steps", max_steps)
        if not 0.0 <= inertia < np.inf:
            raise ValueError(f"inertia must be at least 0, got {quoted(inertia)}.")
        self.inertia = float(inertia)

    def varied(self, labels: Labels, bounds: base.Bounds, rng: np.random.Generator) -> Labels:
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
        self.graph = base.LabelGraph.of(graph)
        self.pool = base.pool_labels(pool)
        self.pairs = np.concatenate([constraints.must_link, constraints.cannot_link])
        self.together = np.arange(len(self.pairs)) < len(constraints.must_link)

    def varied(self, labels: Labels, bounds: base.Bounds, rng: np.random.Generator) -> Labels:
        violated = self.violated(labels)
        return self.satisfied(labels, int(rng.choice(violated)), bounds, rng) if len(violated) else labels

    def violated(self, labels: Labels) -> NDArray[np.intp]:
        """Positions of the violated pairs; must-links come before cannot-links."""
        same = labels[self.pairs[:, 0]] == labels[self.pairs[:, 1]]
        return np.flatnonzero(same != self.together)

    def satisfied(self, labels: Labels, pair: int, bounds: base.Bounds, rng: np.random.Generator) -> Labels:
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
        graph = base.LabelGraph.of(graph)
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
        bounds = base.bounds_of(problem)
        out = base.canonical_rows(X, problem.n_var)
        for row, mark in zip(out, np.asarray(crossed, dtype=bool), strict=True):
            row[:] = self.varied(row.copy(), bounds, rng, crossed=bool(mark))
        return out

    def varied(
        self, labels: Labels, bounds: base.Bounds, rng: np.random.Generator, *, crossed: bool = False
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
        objective = base.objective_of(problem, self.objective, "improve")
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
        objective = base.objective_of(problem, self.objective, "reassign")
        return objective.reassign(checked_genes(X, problem.n_var), empty=self.empty)
