"""The mutation of a search over partitions: merge, split, refine, repair pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pymoo.core.mutation import Mutation
from pymoo.core.population import Population

from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.operators._graph_merge import GraphMerge
from moo_clustering.operators._graph_refine import GraphRefine
from moo_clustering.operators._grouping_overlay import CROSSED
from moo_clustering.operators._label_graph import LabelGraph
from moo_clustering.operators._label_rows import (
    Bounds,
    LabelMutation,
    Labels,
    bounds_of,
    canonical_rows,
    share,
)
from moo_clustering.operators._pair_violation_mutation import PairViolationMutation
from moo_clustering.operators._pool_split import PoolSplit


class PartitionMutation(Mutation):
    """Unite two clusters, cut one, or let samples follow their neighbours; then perhaps refine.

    Children that :class:`~moo_clustering.operators.GroupingOverlayCrossover` marked as crossed are
    mutated with probability ``crossed``, all others always. One step of :class:`GraphRefine` follows
    with probability ``polish``, mutated or not. With ``constraints``, a share ``pairs`` of the
    mutations repairs a violated pair instead, as long as there is any. For problems over a
    :class:`~moo_clustering.encodings.LabelEncoding`.

    Parameters
    ----------
    graph : LabelGraph, sparse matrix or array-like of shape (n_samples, n_samples)
        Symmetric similarities.
    pool : PartitionPool or array-like of shape (n_partitions, n_samples)
        What clusters are cut by.
    merge, split, refine : float, default=0.35, 0.40, 0.25
        Relative frequencies of :class:`GraphMerge`, :class:`PoolSplit` and :class:`GraphRefine`.
    crossed, polish : float, default=0.3
    constraints : PairwiseConstraints, optional
    pairs : float, default=0.55
        Share of :class:`PairViolationMutation`, with constraints.

    Notes
    -----
    O(links + k^2 + n_samples) time per individual. Crossovers of other kinds mark nobody, so that
    all of their children are mutated.

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
        self.crossed = share("crossed", crossed)
        self.polish = share("polish", polish)
        self.pairs = share("pairs", pairs)
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
        """Mutate whole individuals, of which those that were crossed are marked."""
        rng = np.random.default_rng(random_state)
        if not inplace:
            pop = Population.new("X", pop.get("X"), CROSSED, pop.get(CROSSED))
        # A child is marked for its first mutation only.
        marks = [bool(individual.data.pop(CROSSED, False)) for individual in pop]
        pop.set("X", self.mutated(problem, pop.get("X"), marks, rng))
        return pop

    def _do(
        self,
        problem: Any,
        X: NDArray[Any],
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> Labels:
        return self.mutated(problem, X, np.zeros(len(X)), np.random.default_rng(random_state))

    def mutated(self, problem: Any, X: NDArray[Any], crossed: ArrayLike, rng: np.random.Generator) -> Labels:
        """Changed copies of the rows, of which some are children of a crossover."""
        bounds = bounds_of(problem)
        out = canonical_rows(X, problem.n_var)
        for row, mark in zip(out, np.asarray(crossed, dtype=bool), strict=True):
            row[:] = self.varied(row.copy(), bounds, rng, crossed=bool(mark))
        return out

    def varied(
        self, labels: Labels, bounds: Bounds, rng: np.random.Generator, *, crossed: bool = False
    ) -> Labels:
        """One canonical partition, changed."""
        if not crossed or rng.random() < self.crossed:
            labels = self._mutation(labels, rng).varied(labels, bounds, rng)
        return self.refinement.refined(labels, 1, bounds.k_min) if rng.random() < self.polish else labels

    def _mutation(self, labels: Labels, rng: np.random.Generator) -> LabelMutation:
        pairs = self.repair_pair
        if pairs is not None and rng.random() < self.pairs and len(pairs.violated(labels)):
            return pairs
        return self.mutations[rng.choice(len(self.mutations), p=self.weights)]
