"""Toolbox entries for partitions of bags: evaluation, mutation, repair, starts and restarts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Literal

import numpy as np
from deap import base
from numpy.typing import NDArray

from moo_clustering._arrays import Labels, probability
from moo_clustering._docs import Documented
from moo_clustering.bags import BagObjective
from moo_clustering.bags.objective import Rule
from moo_clustering.encodings.medoids import decode_slots, random_slots
from moo_clustering.operators.deap.individuals import Individual, Individuals, copied_genes, put_genes


class _InPlace(Documented, ABC):
    """Mutation of individuals in place, by the batched form.

    Parameters
    ----------
    objective : BagObjective
    """

    def __init__(self, objective: BagObjective) -> None:
        self.objective = objective

    def __call__(self, individual: Individual) -> tuple[Individual]:
        put_genes(individual, self.batch(copied_genes(individual, np.int32))[0])
        return (individual,)

    @abstractmethod
    def batch(self, matrix: NDArray[Any]) -> Labels:
        """Change all rows."""


class _Counting(_InPlace):
    """Mutation of repaired partitions that counts its trial evaluations.

    Parameters
    ----------
    rng : numpy.random.Generator

    Attributes
    ----------
    n_trials : int
        Trial evaluations so far.
    """

    def __init__(self, objective: BagObjective, rng: np.random.Generator) -> None:
        super().__init__(objective)
        self.rng = rng
        self.n_trials = 0

    def _counted(self, improved: Any) -> Labels:
        self.n_trials += int(improved.n_trials.sum())
        return improved.labels


class ImprovePartition(_Counting):
    """``mutate``: redraw genes in turn, weighing each cluster by the objective that it would lead to.

    Parameters
    ----------
    p_gene : float, default=0.7
        Probability that a gene is redrawn.
    weights : {"contrast", "scaled", "printed", "greedy"}, default="contrast"
        See :meth:`~moo_clustering.bags.BagObjective.improve`.

    References
    ----------
    Evolutionary multi-instance clustering, Eqs. 5-6.
    """

    def __init__(
        self,
        objective: BagObjective,
        rng: np.random.Generator,
        *,
        p_gene: float = 0.7,
        weights: Rule = "contrast",
    ) -> None:
        super().__init__(objective, rng)
        self.p_gene = p_gene
        self.weights: Rule = weights

    def batch(self, matrix: NDArray[Any], max_trials: int | None = None) -> Labels:
        """Change all rows, except for those that ``max_trials`` does not suffice for."""
        whole = self.objective.repair(matrix)
        improved = self.objective.improve(
            whole, self.rng, p_gene=self.p_gene, weights=self.weights, max_trials=max_trials
        )
        return self._counted(improved)


class DescendPartition(_Counting):
    """``mutate``: move single bags to their best cluster until no move helps."""

    def batch(self, matrix: NDArray[Any], max_trials: int | None = None) -> Labels:
        """Change all rows, which share ``max_trials`` evenly."""
        whole = self.objective.repair(matrix)
        return self._counted(self.objective.descend(whole, self.rng, max_trials=max_trials))


class DriftPartition(_InPlace):
    """``mutate``: redraw genes all at once, with a preference for nearer centroids.

    Parameters
    ----------
    rng : numpy.random.Generator
    p_gene : float, default=0.7
        Probability that a gene is redrawn.
    bias : float, default=0.5
        See :meth:`~moo_clustering.bags.BagObjective.drift`.

    References
    ----------
    Evolutionary multi-instance clustering, Eq. 9.
    """

    def __init__(
        self, objective: BagObjective, rng: np.random.Generator, *, p_gene: float = 0.7, bias: float = 0.5
    ) -> None:
        super().__init__(objective)
        self.rng = rng
        self.p_gene = p_gene
        self.bias = bias

    def batch(self, matrix: NDArray[Any]) -> Labels:
        """Change all rows."""
        return self.objective.drift(matrix, self.rng, p_gene=self.p_gene, bias=self.bias)


class ReassignPartition(_InPlace):
    """``km``: make one step of k-means.

    Parameters
    ----------
    empty : {"farthest", "closest", "keep"}, default="farthest"
        Which bag an empty cluster gets.
    """

    def __init__(
        self, objective: BagObjective, *, empty: Literal["farthest", "closest", "keep"] = "farthest"
    ) -> None:
        super().__init__(objective)
        self.empty: Literal["farthest", "closest", "keep"] = empty

    def batch(self, matrix: NDArray[Any]) -> Labels:
        """Change all rows."""
        return self.objective.reassign(matrix, empty=self.empty)


class RepairPartition(_InPlace):
    """``repair``: restore the least cluster size, and constraints if the objective repairs them."""

    def batch(self, matrix: NDArray[Any]) -> Labels:
        """Change all rows."""
        return self.objective.repair(matrix)


class UsesAllClusters:
    """``legal``: check that no cluster is empty, or smaller than a least size.

    Parameters
    ----------
    n_clusters : int
    least : int, default=1
        Smallest number of bags per cluster.
    """

    def __init__(self, n_clusters: int, least: int = 1) -> None:
        self.n_clusters = n_clusters
        self.least = least

    def __call__(self, individual: Individual) -> bool:
        """Check one individual."""
        return bool(self.batch(np.asarray(individual)[None])[0])

    def batch(self, matrix: NDArray[Any]) -> NDArray[np.bool_]:
        """Check all rows."""
        sizes = np.stack([(matrix == k).sum(axis=1) for k in range(self.n_clusters)])
        return np.asarray((sizes >= self.least).all(axis=0))


class MixedStarts:
    """``population``: partitions at random, after steps of k-means, and around random bags, in turn.

    Parameters
    ----------
    objective : BagObjective
    toolbox : deap.base.Toolbox
        Must have ``from_genes``.
    rng : numpy.random.Generator
    distances : ndarray of shape (n_bags, n_bags)
        Distance from the bag of the row to that of the column.
    km_steps : int, default=3
        Steps of k-means.
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
        """Make ``n`` individuals."""
        objective, k = self.objective, self.objective.n_clusters
        labels = objective.random(n, self.rng)
        for _ in range(self.km_steps):
            labels[1::3] = objective.reassign(labels[1::3]) if n > 1 else labels[1::3]
        if n > 2:
            medoids = random_slots(len(labels[2::3]), objective.n_bags, k, k, self.rng)
            labels[2::3] = decode_slots(medoids, self.distances)
        return [self.toolbox.from_genes(row) for row in objective.repair(labels)]


class PerturbedCopies:
    """``restart`` of :func:`~moo_clustering.algorithms.chc`: copy the best and redraw a share of their genes.

    Parameters
    ----------
    objective : BagObjective
    toolbox : deap.base.Toolbox
        Must have ``from_genes``.
    share : float, default=0.35
        Share of the genes that move to another cluster.
    fresh : float, default=0.5
        Probability that an individual is random instead.
    """

    def __init__(
        self, objective: BagObjective, toolbox: base.Toolbox, *, share: float = 0.35, fresh: float = 0.5
    ) -> None:
        self.objective = objective
        self.toolbox = toolbox
        self.share = share
        self.fresh = fresh

    def __call__(self, best: Individuals, n: int, rng: np.random.Generator) -> Individuals:
        """Make ``n`` new individuals."""
        labels = self.objective.random(n, rng)
        for i in np.flatnonzero(rng.random(n) >= self.fresh):
            labels[i] = perturbed(best[i % len(best)], self.share, self.objective.n_clusters, rng)
        return [self.toolbox.from_genes(row) for row in labels]


def perturbed(
    individual: Individual, share: float, n_clusters: int, rng: np.random.Generator
) -> NDArray[np.int32]:
    """Copy the genes of an individual, and redraw a share of them at random places.

    Parameters
    ----------
    individual : individual
        Not modified.
    share : float
        Share of the genes, 0..1: round(share n_samples) of them change, each to one of the other clusters,
        all equally likely.
    n_clusters : int
    rng : numpy.random.Generator

    Returns
    -------
    genes : ndarray of shape (n_samples,), int32

    References
    ----------
    Eshelman, The CHC adaptive search algorithm, FOGA 1991 (restarts; share 0.35).
    """
    genes = copied_genes(individual, np.int32)[0]
    probability("share", share)
    if n_clusters < 1 or (genes.size and not 0 <= genes.min() <= genes.max() < n_clusters):
        raise ValueError(f"genes must be within 0..n_clusters-1, got n_clusters={n_clusters} and {genes}.")
    places = rng.choice(genes.size, size=round(share * genes.size), replace=False)
    if n_clusters > 1:
        steps = rng.integers(1, n_clusters, size=len(places), dtype=np.int32)
        genes[places] = (genes[places] + steps) % n_clusters
    return genes
