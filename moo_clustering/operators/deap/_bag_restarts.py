"""Where a search over partitions of bags starts, and starts anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from deap import base
from numpy.typing import NDArray

from moo_clustering.encodings._medoid_slots import decode_slots, random_slots
from moo_clustering.operators.deap._partition_operators import perturbed

if TYPE_CHECKING:
    from moo_clustering.bags import BagObjective

Individuals = list[Any]


class MixedStarts:
    """``population``: partitions that are random, of k-means steps, and around random bags, in turn.

    Parameters
    ----------
    objective : BagObjective
    toolbox : deap.base.Toolbox
        With ``from_genes``.
    rng : numpy.random.Generator
    distances : ndarray of shape (n_bags, n_bags)
        From the bag of the row to that of the column.
    km_steps : int, default=3
    """

    def __init__(
        self,
        objective: BagObjective,
        toolbox: base.Toolbox,
        rng: np.random.Generator,
        distances: NDArray[np.floating[Any]],
        *,
        km_steps: int = 3,
    ) -> None:
        self.objective = objective
        self.toolbox = toolbox
        self.rng = rng
        self.distances = distances
        self.km_steps = km_steps

    def __call__(self, n: int) -> Individuals:
        """``n`` individuals."""
        objective, k = self.objective, self.objective.n_clusters
        labels = objective.random(n, self.rng)
        for _ in range(self.km_steps):
            labels[1::3] = objective.reassign(labels[1::3]) if n > 1 else labels[1::3]
        if n > 2:
            medoids = random_slots(len(labels[2::3]), objective.n_bags, k, k, self.rng)
            labels[2::3] = decode_slots(medoids, self.distances)
        return [self.toolbox.from_genes(row) for row in objective.repair(labels)]


class PerturbedCopies:
    """``restart`` of :func:`~moo_clustering.algorithms.chc`: copies of the best, partly redrawn.

    Parameters
    ----------
    objective : BagObjective
    toolbox : deap.base.Toolbox
        With ``from_genes``.
    share : float, default=0.35
        Of the genes, drawn anew from the other clusters.
    fresh : float, default=0.5
        Probability of a random individual instead.
    """

    def __init__(
        self, objective: BagObjective, toolbox: base.Toolbox, *, share: float = 0.35, fresh: float = 0.5
    ) -> None:
        self.objective = objective
        self.toolbox = toolbox
        self.share = share
        self.fresh = fresh

    def __call__(self, best: Individuals, n: int, rng: np.random.Generator) -> Individuals:
        """``n`` new individuals."""
        labels = self.objective.random(n, rng)
        for i in np.flatnonzero(rng.random(n) >= self.fresh):
            labels[i] = perturbed(best[i % len(best)], self.share, self.objective.n_clusters, rng)
        return [self.toolbox.from_genes(row) for row in labels]
