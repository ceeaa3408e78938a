"""Repair a must-link or a cannot-link that a partition violates."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.operators._label_graph import LabelGraph
from moo_clustering.operators._label_rows import Bounds, LabelMutation, Labels, pool_labels, renumbered


class PairViolationMutation(LabelMutation):
    """Satisfy one random violated pair, with pieces cut out by random partitions of a pool.

    A must-link whose ends (i, j) are apart: their clusters are united, or a piece of the cluster of i
    goes to that of j, with equal probability. A cannot-link within a cluster: a piece with i and
    without j becomes a cluster, or joins the other cluster it is linked to most, with equal
    probability. Which end is i is random. A piece is what a partition of the pool puts together with i;
    where none cuts the cluster, clusters of must-links are united and cannot-links stay as they are.
    A repair that would lead out of ``k_min..k_max``, or to a cluster that the piece has no link to,
    gives way to the other; partitions that violate nothing stay as they are. For problems over a
    :class:`~moo_clustering.encodings.LabelEncoding`.

    Parameters
    ----------
    graph : LabelGraph, sparse matrix or array-like of shape (n_samples, n_samples)
        Symmetric similarities.
    pool : PartitionPool or array-like of shape (n_partitions, n_samples)
    constraints : PairwiseConstraints
    prob : float, default=1.0
        Probability that an individual is mutated.
    **kwargs
        Of pymoo's ``Mutation``, such as ``prob``.

    Notes
    -----
    O(n_pairs + n_partitions * size of the cluster + links) time per individual. A search that
    optimises pairs without a price on the boundaries between clusters memorises them: it cuts tiny
    pieces around the samples of pairs.

    References
    ----------
    ParetoClustering: evolution with pairs.
    """

    def __init__(
        self, graph: Any, pool: Any, constraints: PairwiseConstraints, prob: float = 1.0, **kwargs: Any
    ) -> None:
        super().__init__(prob=prob, **kwargs)
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
        """Positions of the violated pairs: must-links first, then cannot-links."""
        same = labels[self.pairs[:, 0]] == labels[self.pairs[:, 1]]
        return np.flatnonzero(same != self.together)

    def satisfied(self, labels: Labels, pair: int, bounds: Bounds, rng: np.random.Generator) -> Labels:
        """A canonical partition with a violated pair repaired."""
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
        """Samples of the cluster of i that a random partition puts with i: not all, and not ``without``."""
        if without is None:
            members = np.flatnonzero(labels == labels[i])
            cutting = (self.pool[:, members] != self.pool[:, [i]]).any(axis=1)
        else:
            cutting = self.pool[:, i] != self.pool[:, without]
        able = np.flatnonzero(cutting)
        if not len(able):
            return None
        cut = self.pool[rng.choice(able)]
        return np.flatnonzero((cut == cut[i]) & (labels == labels[i]))

    def _strongest(self, labels: Labels, piece: NDArray[np.intp]) -> int | None:
        """The other cluster a piece is linked to most (ties: the lowest number); None without a link."""
        k, own = int(labels.max()) + 1, int(labels[piece[0]])
        links = self.graph.links(_placed(labels, piece, k))[k, :k]
        links[own] = 0.0
        return int(links.argmax()) if links.any() else None


def _placed(labels: Labels, members: NDArray[Any] | None, target: int) -> Labels:
    out = labels.copy()
    out[members] = target
    return out


def _moved(labels: Labels, members: NDArray[Any] | None, target: int) -> Labels:
    return renumbered(_placed(labels, members, target))
