"""A given number of clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pymoo.core.repair import Repair
from scipy.sparse.csgraph import breadth_first_order

from moo_clustering.operators._graph_merge import merge_linked
from moo_clustering.operators._label_graph import LabelGraph
from moo_clustering.operators._label_rows import Labels, at_least_one, bounds_of, canonical_rows, renumbered
from moo_clustering.operators._pool_split import PoolSplit


class ClusterNumberRepair(Repair):
    """Unite linked clusters, or cut clusters as a pool does, until there are as many as wanted.

    As :class:`GraphMerge` and :class:`PoolSplit` (one piece at a time) do; where the pool does not cut,
    the largest cluster is halved in breadth-first order of the graph. Partitions with the right number
    stay as they are. For problems over a :class:`~moo_clustering.encodings.LabelEncoding`, which
    should allow more clusters than wanted: operators then have room to cut before this unites.

    Parameters
    ----------
    graph : LabelGraph, sparse matrix or array-like of shape (n_samples, n_samples)
        Symmetric similarities.
    pool : PartitionPool or array-like of shape (n_partitions, n_samples)
    n_clusters : int

    Notes
    -----
    O(links + k^2) time per cluster that is too many, O(n_samples) per one that lacks.

    References
    ----------
    ParetoClustering: operators.
    """

    def __init__(self, graph: Any, pool: Any, n_clusters: int) -> None:
        super().__init__()
        self.graph = LabelGraph.of(graph)
        self.splitting = PoolSplit(pool)
        self.n_clusters = at_least_one("n_clusters", n_clusters)
        if self.n_clusters > self.graph.n_samples:
            raise ValueError(
                f"n_clusters must be at most the number of samples, {self.graph.n_samples}, "
                f"got {self.n_clusters}."
            )

    def _do(
        self,
        problem: Any,
        X: NDArray[Any],
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> Labels:
        rng, bounds = np.random.default_rng(random_state), bounds_of(problem)
        if not bounds.k_min <= self.n_clusters <= bounds.k_max:
            raise ValueError(
                f"n_clusters must be within the encoding's {bounds.k_min}..{bounds.k_max}, "
                f"got {self.n_clusters}."
            )
        return self.repaired(X, rng)

    def repaired(self, X: NDArray[Any], rng: np.random.Generator) -> Labels:
        """Canonical copies of partitions, with the right number of clusters."""
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
        members = np.flatnonzero(labels == np.bincount(labels).argmax())
        inside = self.graph.matrix[members][:, members]
        reached = breadth_first_order(inside, 0, directed=False, return_predecessors=False)
        order = np.concatenate([reached, np.setdiff1d(np.arange(len(members)), reached)])
        out = labels.copy()
        out[members[order[(len(order) + 1) // 2 :]]] = labels.max() + 1
        return renumbered(out)
