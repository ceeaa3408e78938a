"""Samples follow their neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np

from moo_clustering.operators._label_graph import LabelGraph
from moo_clustering.operators._label_rows import Bounds, LabelMutation, Labels, at_least_one, renumbered


class GraphRefine(LabelMutation):
    """Some steps in which all samples go to the cluster of their neighbours at once.

    Sample i goes to argmax_c sum_j S_ij [l_j = c] + inertia vol_i [l_i = c]; on ties it stays, or
    follows the tied neighbour of the lowest number. Clusters may vanish, never appear; a step that
    left fewer than ``k_min`` is not taken. For problems over a
    :class:`~moo_clustering.encodings.LabelEncoding`.

    Parameters
    ----------
    graph : LabelGraph, sparse matrix or array-like of shape (n_samples, n_samples)
        Symmetric similarities.
    max_steps : int, default=3
        The number of steps is uniform on 1..max_steps.
    inertia : float, default=0.05
        Share of all a sample's links with which it holds on to its cluster.
    prob : float, default=1.0
        Probability that an individual is mutated.
    **kwargs
        Of pymoo's ``Mutation``, such as ``prob``.

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
        super().__init__(prob=prob, **kwargs)
        self.graph = LabelGraph.of(graph)
        self.max_steps = at_least_one("max_steps", max_steps)
        if not 0.0 <= inertia < np.inf:
            raise ValueError(f"inertia must be at least 0, got {inertia!r}.")
        self.inertia = float(inertia)

    def varied(self, labels: Labels, bounds: Bounds, rng: np.random.Generator) -> Labels:
        return self.refined(labels, int(rng.integers(1, self.max_steps + 1)), bounds.k_min)

    def refined(self, labels: Labels, n_steps: int, k_min: int) -> Labels:
        """A canonical partition after so many steps; nothing is random."""
        for _ in range(n_steps):
            moved = renumbered(self.graph.voted(labels, self.inertia))
            if moved.max() + 1 < k_min:
                break
            labels = moved
        return labels
