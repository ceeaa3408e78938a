"""DEAP operators for partitions of bags: mutation, repair, legality, initial populations and restarts."""

from collections.abc import Callable
from typing import Any

import numpy as np
from deap import base
from numpy.random import Generator
from numpy.typing import NDArray

from moo_clustering._arrays import AnyFloatArray, BoolArray, Int32Array, Labels, integer, probability
from moo_clustering._docs import documented
from moo_clustering.bags import BagObjective
from moo_clustering.encodings.medoids import decode_slots, random_slots
from moo_clustering.operators.deap.individuals import Individual, Individuals, copied_genes, put_genes


class ChangePartition:
    """Operator ``mutate`` or ``repair`` that applies a function of gene matrices to individuals in place.

    Source: Evolutionary multi-instance clustering.

    Parameters
    ----------
    change : callable
        ``change(genes) -> genes``, for genes of shape (n_individuals, n_bags). Examples are methods of a
        :class:`~moo_clustering.bags.BagObjective`: ``repair``, ``reassign`` (a k-means step), or a
        ``functools.partial`` of ``drift`` (Eq. 9).
    """

    def __init__(self, change: Callable[[NDArray[Any]], Labels]) -> None:
        self.change = change

    def __call__(self, individual: Individual) -> tuple[Individual]:
        put_genes(individual, self.batch(copied_genes(individual, np.int32))[0])
        return (individual,)

    def batch(self, matrix: NDArray[Any]) -> Labels:
        """Return the changed rows."""
        return self.change(matrix)


class SearchPartition(ChangePartition):
    """Operator ``mutate`` that repairs and then improves partitions, and counts the trial evaluations.

    Source: Evolutionary multi-instance clustering.

    Parameters
    ----------
    objective : BagObjective
    search : callable
        ``search(labels, max_trials=...)``, such as a ``functools.partial`` of ``objective.improve`` (Eqs.
        5-6) or of ``objective.descend``.

    Attributes
    ----------
    n_trials : int
        Number of trial evaluations so far.
    """

    def __init__(self, objective: BagObjective, search: Callable[..., Any]) -> None:
        super().__init__(objective.repair)
        self.search = search
        self.n_trials = 0

    def batch(self, matrix: NDArray[Any], max_trials: int | None = None) -> Labels:
        """Return the improved rows, using at most ``max_trials`` trial evaluations in total."""
        improved = self.search(self.change(matrix), max_trials=max_trials)
        self.n_trials += int(improved.n_trials.sum())
        return improved.labels


class UsesAllClusters:
    """Function ``legal`` that returns whether each cluster contains at least ``least`` bags.

    Parameters
    ----------
    n_clusters : int
    least : int, default=1
        Minimum number of bags per cluster.
    """

    def __init__(self, n_clusters: int, least: int = 1) -> None:
        self.n_clusters = n_clusters
        self.least = least

    def __call__(self, individual: Individual) -> bool:
        return bool(self.batch(np.asarray(individual)[None])[0])

    def batch(self, matrix: NDArray[Any]) -> BoolArray:
        """Return whether each row is legal, shape (n_individuals,)."""
        sizes = [(matrix == k).sum(axis=1) for k in range(self.n_clusters)]
        return np.asarray((np.array(sizes) >= self.least).all(axis=0))


class MixedStarts:
    """Function ``population`` that creates random, k-means and random-medoid partitions in turn.

    Parameters
    ----------
    objective : BagObjective
    toolbox : deap.base.Toolbox
        DEAP toolbox with ``from_genes``.
    rng : numpy.random.Generator
    distances : ndarray of shape (n_bags, n_bags)
        Entry (i, j) is the distance from bag i to bag j.
    km_steps : int, default=3
        Number of k-means steps that turn a random partition into a k-means partition.
    """

    def __init__(
        self,
        objective: BagObjective,
        toolbox: base.Toolbox,
        rng: Generator,
        distances: AnyFloatArray,
        *,
        km_steps: int = 3,
    ) -> None:
        self.objective, self.toolbox, self.rng = objective, toolbox, rng
        self.distances, self.km_steps = distances, km_steps

    def __call__(self, n: int) -> Individuals:
        objective, k = self.objective, self.objective.n_clusters
        labels = objective.random(n, self.rng)
        for _ in range(self.km_steps if n > 1 else 0):
            labels[1::3] = objective.reassign(labels[1::3])
        if n > 2:
            medoids = random_slots(len(labels[2::3]), objective.n_bags, k, k, self.rng)
            labels[2::3] = decode_slots(medoids, self.distances)
        return [self.toolbox.from_genes(row) for row in objective.repair(labels)]


@documented(MixedStarts)
class PerturbedCopies:
    """Function ``restart`` for :func:`~moo_clustering.algorithms.chc` that perturbs copies of individuals.

    Parameters
    ----------
    share : float, default=0.35
        Share of genes to change; see :func:`perturbed`.
    fresh : float, default=0.5
        Probability that an individual is drawn at random rather than copied and perturbed.
    """

    def __init__(
        self, objective: BagObjective, toolbox: base.Toolbox, *, share: float = 0.35, fresh: float = 0.5
    ) -> None:
        self.objective, self.toolbox = objective, toolbox
        self.share, self.fresh = share, fresh

    def __call__(self, best: Individuals, n: int, rng: Generator) -> Individuals:
        labels = self.objective.random(n, rng)
        for i in np.flatnonzero(rng.random(n) >= self.fresh):
            labels[i] = perturbed(best[i % len(best)], self.share, self.objective.n_clusters, rng)
        return [self.toolbox.from_genes(row) for row in labels]


def perturbed(individual: Individual, share: float, n_clusters: int, rng: Generator) -> Int32Array:
    """Copy an individual's genes and change a random share of them.

    Source: Eshelman, The CHC adaptive search algorithm, FOGA 1991 (restarts; share 0.35).

    Parameters
    ----------
    individual : individual
    share : float
        Share of the genes, from 0 to 1, that change to a different random cluster; their number is rounded.
    n_clusters : int
    rng : numpy.random.Generator

    Returns
    -------
    genes : ndarray of shape (n_samples,), int32
    """
    genes = copied_genes(individual, np.int32)[0]
    probability("share", share)
    integer("n_clusters", n_clusters)
    if genes.size and not 0 <= genes.min() <= genes.max() < n_clusters:
        ends = f"{genes.min()} to {genes.max()}"
        raise ValueError(f"genes must be from 0 to n_clusters - 1 = {n_clusters - 1}, got {ends}")
    places = rng.choice(genes.size, size=round(share * genes.size), replace=False)
    if n_clusters > 1:
        steps = rng.integers(1, n_clusters, size=len(places), dtype=np.int32)
        genes[places] = (genes[places] + steps) % n_clusters
    return genes
