"""Objectives for partitions of bags, and moves that improve them."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from moo_clustering._arrays import FloatArray, Int64Array, Labels, Shared, choice, integer
from moo_clustering._docs import documented
from moo_clustering._kernels import bags as kernels
from moo_clustering._kernels.threads import for_parts
from moo_clustering.bags.geometry import BagGeometry
from moo_clustering.bags.repair import PartitionRepair, signed_pairs
from moo_clustering.constraints import PairwiseConstraints

Rule = Literal["contrast", "scaled", "printed", "greedy"]
RULES = {
    "contrast": kernels.CONTRAST,
    "scaled": kernels.SCALED,
    "printed": kernels.PRINTED_WEIGHTS,
    "greedy": kernels.GREEDY,
}
Objective = Literal["db", "twcv", "ftwcv"]
Reading = Literal["between", "printed", "printed_meansq"]
CODES = {"db": kernels.DAVIES_BOULDIN, "twcv": kernels.TWCV, "ftwcv": kernels.FTWCV}


class BagObjective(Shared):
    """Objective for partitions of bags into up to ``n_clusters`` clusters, and moves that improve it.

    Evaluating P partitions takes O(P (n N + N^2)) time, where N bags have n instances after pruning.
    Evaluating a bag in each of K clusters takes O(n + K^3) time. The Davies-Bouldin index is infinite for
    fewer than two clusters. Source: Evolutionary multi-instance clustering, Eqs. 4-7 and 10.

    Parameters
    ----------
    geometry : BagGeometry
    n_clusters : int
    objective : {"db", "twcv", "ftwcv"}, default="db"
        Davies-Bouldin index (Eq. 10), total within-cluster variation (Eq. 4), or fast variation (Eq. 7).
    reading : {"between", "printed", "printed_meansq"}, default="between"
        Version of ``"ftwcv"``. ``"between"`` is the within-cluster sum of squares of bag means. The other
        values are two literal interpretations of Eq. 7.
    min_cluster_size : int, default=1
        Minimum number of bags that a move must leave in a cluster; 0 permits empty clusters.
    constraints : PairwiseConstraints, optional
        The objective is multiplied by 1 + ``penalty`` * V, where V is the constraint violation, from 0 to 2.
    handling : {"penalty", "repair"}, default="penalty"
        With ``"repair"``, :meth:`repair` also joins must-linked bags and separates cannot-linked bags.
    penalty : float, default=1.0
    n_jobs : int, optional
        Number of threads; does not affect the result.
    """

    def __init__(
        self,
        geometry: BagGeometry,
        n_clusters: int,
        objective: Objective = "db",
        *,
        reading: Reading = "between",
        min_cluster_size: int = 1,
        constraints: PairwiseConstraints | None = None,
        handling: Literal["penalty", "repair"] = "penalty",
        penalty: float = 1.0,
        n_jobs: int | None = None,
    ) -> None:
        choice("handling", handling, ("penalty", "repair"))
        choice("objective", objective, get_args(Objective))
        choice("reading", reading, get_args(Reading))
        least = max(1, integer("min_cluster_size", min_cluster_size, 0))
        if (n_required := integer("n_clusters", n_clusters) * least) > geometry.n_bags:
            raise ValueError(
                f"n_clusters={n_clusters} clusters of at least min_cluster_size={min_cluster_size} "
                f"bags require {n_required} bags, got {geometry.n_bags}"
            )
        self.geometry = geometry
        self.n_clusters = n_clusters
        self.objective = objective
        self.min_cluster_size = min_cluster_size
        self.n_jobs = n_jobs
        literal = objective == "ftwcv" and reading != "between"
        terms = squared_norms(geometry, reading) if literal else np.zeros(geometry.n_bags)
        constant = float(terms.sum())
        if objective == "ftwcv" and reading == "between":
            constant = float(geometry.weights @ np.einsum("bd,bd->b", geometry.means, geometry.means))
        pairs = signed_pairs(geometry.n_bags, constraints)
        self._task = kernels.Task(
            CODES[objective], literal, constant, terms, 0, min_cluster_size, float(penalty), *pairs
        )
        self._repair = PartitionRepair(
            geometry.n_bags, min_cluster_size, constraints if handling == "repair" else None
        )

    @property
    def n_bags(self) -> int:
        """Number of bags."""
        return self.geometry.n_bags

    def random(self, n: int, rng: Generator) -> Labels:
        """Draw ``n`` partitions with uniformly distributed labels."""
        return rng.integers(0, self.n_clusters, size=(n, self.n_bags), dtype=np.int32)

    def evaluate(self, labels: Any) -> FloatArray:
        """Return the penalised objective, shape (n_individuals,), to be minimised."""
        return self._penalised(*self.values(labels))

    def values(self, labels: Any) -> tuple[FloatArray, FloatArray]:
        """Return the unpenalised objective, and the constraint violation."""
        no_genes = np.zeros(np.atleast_2d(labels).shape, dtype=np.bool_)
        limits = np.zeros(len(no_genes), dtype=np.int64)
        drawn = no_genes, no_genes.astype(np.float64)
        return self._run(kernels.sweep_population, self._task, labels, drawn, limits)[1:3]

    def improve(
        self,
        labels: Any,
        rng: Generator,
        *,
        p_gene: float = 0.7,
        draw_weights: Rule = "contrast",
        max_trials: int | None = None,
    ) -> Improved:
        """Redraw labels one bag at a time. The probability of a label depends on the resulting objective.

        Source: Evolutionary multi-instance clustering, Eqs. 5-6.

        Parameters
        ----------
        labels : array-like of shape (n_individuals, n_bags)
        rng : numpy.random.Generator
        p_gene : float, default=0.7
            Probability of redrawing each label.
        draw_weights : {"contrast", "scaled", "printed", "greedy"}, default="contrast"
            Weight of a label. ``"contrast"``: the objective of the worst label minus the objective of this
            label. ``"scaled"``: as in Eq. 9. ``"printed"``: the objective itself (Eqs. 5-6), which favours
            bad labels. ``"greedy"``: the best label is always selected.
        max_trials : int, optional
            Budget of trial evaluations; when it is exhausted, the remaining individuals are left unchanged.
        """
        choice("draw_weights", draw_weights, RULES)
        shape = np.atleast_2d(labels).shape
        genes, draws = rng.random(shape) < p_gene, rng.random(shape)
        limits = genes.sum(axis=1) * (self.n_clusters - 1)
        if max_trials is not None:
            limits = np.clip(max_trials - (np.cumsum(limits) - limits), 0, limits)
        task = self._task._replace(rule=RULES[draw_weights])
        return self._improved(self._run(kernels.sweep_population, task, labels, (genes, draws), limits))

    def descend(self, labels: Any, rng: Generator, *, max_trials: int | None = None) -> Improved:
        """Move single bags to their best clusters, in random order, until no move improves the objective.

        ``labels`` has shape (n_individuals, n_bags). ``max_trials`` is the total budget of trial evaluations,
        which is divided evenly among the individuals; None means no limit.
        """
        count = len(np.atleast_2d(labels))
        order = rng.permuted(np.tile(np.arange(self.n_bags), (count, 1)), axis=1)
        limits = np.full(count, np.iinfo(np.int64).max)
        if max_trials is not None:
            limits = max_trials // count + (np.arange(count) < max_trials % count)
        task = self._task._replace(rule=kernels.GREEDY)
        return self._improved(self._run(kernels.descend_population, task, labels, (order,), limits))

    def reassign(self, labels: Any, *, empty: Literal["farthest", "closest", "keep"] = "farthest") -> Labels:
        """Perform one k-means step: assign each bag to its nearest centroid, then fill empty clusters.

        Parameters
        ----------
        labels : array-like of shape (n_individuals, n_bags)
        empty : {"farthest", "closest", "keep"}, default="farthest"
            Which bag moves to an empty cluster: the bag farthest from its centroid, the bag closest to its
            centroid (as in the paper), or none.
        """
        distances = self.distances(labels)
        return self._repair.filled(distances.argmin(axis=2).astype(np.int32), distances, empty)

    @documented(improve)
    def drift(self, labels: Any, rng: Generator, *, p_gene: float = 0.7, bias: float = 0.5) -> Labels:
        """Redraw the labels of all bags at once; clusters with closer centroids have higher probabilities.

        Source: Evolutionary multi-instance clustering, Eq. 9.

        Parameters
        ----------
        bias : float, default=0.5
            Value added to the weight of each cluster (Eq. 9), on the scale of the distances.
        """
        labels = self.geometry.checked(labels, self.n_clusters)
        genes, draws = rng.random(labels.shape) < p_gene, rng.random(labels.shape)
        weights = drift_weights(self.distances(labels), bias)
        bounds = np.cumsum(weights, axis=2)
        drawn = (bounds <= draws[:, :, None] * bounds[:, :, -1:]).sum(axis=2)
        return np.where(genes, np.minimum(drawn, self.n_clusters - 1), labels).astype(np.int32)

    def distances(self, labels: Any) -> FloatArray:
        """Return the distances from bags to centroids, shape (n_individuals, n_bags, n_clusters)."""
        return self.geometry.distances(labels, self.n_clusters, n_jobs=self.n_jobs)

    def repair(self, labels: Any) -> Labels:
        """Repair violations of the minimum cluster size and, with ``handling="repair"``, of constraints."""
        labels = self.geometry.checked(labels, self.n_clusters)
        broken = self._repair.broken(labels, self.n_clusters)
        if broken.any():
            labels = labels.copy()
            labels[broken] = self._repair.apply(labels[broken], self.distances(labels[broken]))
        return labels

    def _run(
        self, kernel: Any, task: Any, labels: Any, drawn: tuple[NDArray[Any], ...], limits: Int64Array
    ) -> tuple[Labels, FloatArray, FloatArray, Int64Array]:
        # The labels are copied, because the kernels modify them in place.
        labels = self.geometry.checked(labels, self.n_clusters).copy()
        values, violations = np.empty((2, len(labels)))
        trials = np.zeros(len(labels), dtype=np.int64)
        data, projections = self.geometry.arrays, task.objective != kernels.FTWCV
        for rows in self.geometry.chunks(len(labels), self.n_clusters):
            arrays = [part[rows] for part in (*drawn, limits, values, violations, trials)]
            visits = np.minimum(limits[rows], self.n_bags) + 1.0
            block = labels[rows]
            sums = self.geometry.sums(block, self.n_clusters, projections=projections, n_jobs=self.n_jobs)
            work = float(visits.sum()) * data.squares.size
            for_parts(partial(kernel, data, task, block, sums, *arrays), len(block), work, self.n_jobs)
        return labels, values, violations, trials

    def _improved(self, outcome: tuple[Labels, FloatArray, FloatArray, Int64Array]) -> Improved:
        labels, values, violations, trials = outcome
        return Improved(labels, self._penalised(values, violations), trials)

    def _penalised(self, values: FloatArray, violations: FloatArray) -> FloatArray:
        with np.errstate(invalid="ignore"):
            return np.where(violations > 1e-12, values * (1.0 + self._task.penalty * violations), values)


class Improved(NamedTuple):
    """Improved partitions, their objectives (up to rounding errors), and the number of trials for each."""

    labels: Labels
    values: FloatArray
    n_trials: Int64Array


def drift_weights(distances: FloatArray, bias: float) -> FloatArray:
    """Return the weight of each cluster for each bag (Eq. 9).

    The weight is 1.5 times the bag's largest distance, minus its distance to the cluster, plus ``bias``.
    """
    near = np.where(np.isfinite(distances), distances, 0.0)  # distances to empty clusters are 0
    return 1.5 * near.max(axis=-1, keepdims=True) - near + bias


def squared_norms(geometry: BagGeometry, reading: Reading) -> FloatArray:
    """Return the mean squared norm of each bag's instances ("printed_meansq": squared norm of their mean)."""
    if reading == "printed_meansq":
        means = geometry.means + geometry.center
        return np.asarray(np.einsum("bd,bd->b", means, means))
    bags = geometry.bags
    X = np.asarray(bags.instances, dtype=np.float64)
    squares = np.einsum("td,td->t", X, X)
    return np.asarray(np.add.reduceat(squares, bags.offsets[:-1]) / bags.sizes)
