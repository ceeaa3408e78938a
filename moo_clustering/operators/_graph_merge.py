"""Unite two clusters that a graph links."""

from __future__ import annotations

from typing import Any

import numpy as np

from moo_clustering.operators._label_graph import LabelGraph
from moo_clustering.operators._label_rows import Bounds, LabelMutation, Labels, renumbered


class GraphMerge(LabelMutation):
    """Unite two clusters, the likelier the more they are linked.

    The pair (a, b) is drawn with probability proportional to W_ab / min(vol_a, vol_b), W_ab being the
    similarities between the two and vol_a all that the samples of a have. Without any link between
    clusters every pair is equally likely; partitions of ``k_min`` clusters stay as they are. For
    problems over a :class:`~moo_clustering.encodings.LabelEncoding`.

    Parameters
    ----------
    graph : LabelGraph, sparse matrix or array-like of shape (n_samples, n_samples)
        Symmetric similarities.
    prob : float, default=1.0
        Probability that an individual is mutated.
    **kwargs
        Of pymoo's ``Mutation``, such as ``prob``.

    Notes
    -----
    O(links + k^2) time per individual.

    References
    ----------
    ParetoClustering: operators.
    """

    def __init__(self, graph: Any, prob: float = 1.0, **kwargs: Any) -> None:
        super().__init__(prob=prob, **kwargs)
        self.graph = LabelGraph.of(graph)

    def varied(self, labels: Labels, bounds: Bounds, rng: np.random.Generator) -> Labels:
        return merge_linked(labels, self.graph, bounds.k_min, rng)


def merge_linked(labels: Labels, graph: LabelGraph, k_min: int, rng: np.random.Generator) -> Labels:
    """One cluster less, unless there are ``k_min``; see :class:`GraphMerge`."""
    k = int(labels.max()) + 1
    if k <= max(k_min, 1):
        return labels
    a, b = np.triu_indices(k, 1)
    volumes = np.bincount(labels, weights=graph.volumes)
    # Isolated clusters have volume and links 0.
    least = np.maximum(np.minimum(volumes[a], volumes[b]), np.finfo(np.float64).tiny)
    pull = graph.links(labels)[a, b] / least
    cumulative = np.cumsum(pull if pull.any() else np.ones(len(a)))
    pair = np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right")
    return renumbered(np.where(labels == b[pair], a[pair].astype(np.int32), labels))
