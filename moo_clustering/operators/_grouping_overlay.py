"""Crossover that keeps whole clusters of one parent and lays them over the other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pymoo.core.crossover import Crossover
from pymoo.core.population import Population
from pymoo.core.variable import get

from moo_clustering.operators._label_graph import LabelGraph
from moo_clustering.operators._label_rows import (
    Labels,
    at_least_one,
    bounds_of,
    canonical_rows,
    renumbered,
    share,
)

# What children carry from crossover to mutation.
CROSSED = "crossed"


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
    return graph.united(renumbered(np.where(labels < 0, below, labels)), k_max)
