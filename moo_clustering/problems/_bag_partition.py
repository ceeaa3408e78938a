"""Partitions of bags into a given number of clusters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering.bags import as_bags
from moo_clustering.bags._geometry import Weighting
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.encodings import LabelEncoding
from moo_clustering.problems._bag_indices import bag_indices, finite, moved_objective
from moo_clustering.problems._bag_tables import BagTables
from moo_clustering.problems._cluster_sizes import LeastClusterSize
from moo_clustering.problems._partition import ConstraintHandling, Index, PartitionProblem
from moo_clustering.validity import ValidityIndex

FloatArray = NDArray[np.float64]


class BagPartitionProblem(PartitionProblem):
    """Find partitions of bags that are good by one or several indices.

    A :class:`PartitionProblem` whose genes are cluster numbers 0..n_clusters-1, one per bag; numbers
    may be left out, :meth:`decode` closes the gaps.

    Parameters
    ----------
    bags : Bags or anything :func:`~moo_clustering.bags.as_bags` takes
        In the scale in which distances are meant.
    n_clusters : int
    objectives : sequence of str, ValidityIndex objects or classes, default=("bag_davies_bouldin",)
        ``"bag_davies_bouldin"``, ``"bag_silhouette"``, ``"bag_sdbw"``, ``"twcv"``, ``"ftwcv"``, or any
        other index that can be fitted to bags. Those of which greater values are better are negated,
        see :meth:`natural`. Infinite values (a single cluster, coinciding centroids) become 1e6.
    weighting : {"bag", "instance"}, default="bag"
        Centroids as means of bag means (Eq. 3) or of all instances, for indices given by name or class.
    min_cluster_size : int, default=1
        Bags every cluster should have. 0 lets clusters become empty.
    size_constraint : bool, optional
        Whether ``min_cluster_size`` minus the size of the smallest of the ``n_clusters`` clusters is
        an inequality constraint; default: if it is more than 1. Without, it still holds for the moves
        and repairs of ``objective``; for algorithms that take no constraints.
    constraints : PairwiseConstraints, optional
        Must-links and cannot-links between bags.
    constraint_handling : {"objective", "constraint", "crowding", "none"}, default="objective"
        As for :class:`PartitionProblem`. The moves of ``objective`` minimise it times 1 + V, but for
        ``"none"``; with ``"constraint"`` its repair puts linked bags together and apart where it can.
    n_jobs : int, optional
        Threads; results do not depend on it.

    Attributes
    ----------
    bags : Bags
    objective : BagObjective
        What :class:`~moo_clustering.operators.ImprovementMutation` and other operators lower: the
        first of the objectives that is "bag_davies_bouldin", "twcv" or "ftwcv", or
        "bag_davies_bouldin" if none is.
    distances : ndarray of shape (n_bags, n_bags)
        Directed Hausdorff distances, made when first asked for.
    n_clusters, min_cluster_size : int
    encoding, indices, objective_names
        As for :class:`PartitionProblem`.

    Notes
    -----
    Distances of instances to bag means and distances between bags are made once, when first needed,
    and shared by all indices, copies and operators. A population of P partitions takes
    O(P (n N + N^2)) for N bags with n instances.

    References
    ----------
    Evolutionary multi-instance clustering, Eqs. 4, 7, 10, 12-17.

    Examples
    --------
    >>> bags = [[[0, 0], [2, 0]], [[0, 1]], [[8, 0], [8, 2], [8, 4]], [[10, 2], [6, 2]], [[4, 10]]]
    >>> problem = BagPartitionProblem(bags, 2, ["bag_davies_bouldin", "bag_silhouette"])
    >>> problem.natural(problem.evaluate(np.array([[0, 0, 1, 1, 1]]))).round(4)
    array([[0.8294, 0.5202]])
    """

    def __init__(
        self,
        bags: Any,
        n_clusters: int,
        objectives: Sequence[Index] | Index = ("bag_davies_bouldin",),
        *,
        weighting: Weighting = "bag",
        min_cluster_size: int = 1,
        size_constraint: bool | None = None,
        constraints: PairwiseConstraints | None = None,
        constraint_handling: ConstraintHandling = "objective",
        n_jobs: int | None = None,
    ) -> None:
        _check_integer("n_clusters", n_clusters, 2)
        _check_integer("min_cluster_size", min_cluster_size, 0)
        self.bags = as_bags(bags)
        if n_clusters > self.bags.n_bags:
            raise ValueError(f"n_clusters must be at most the {self.bags.n_bags} bags, got {n_clusters}.")
        self.n_clusters, self.min_cluster_size = int(n_clusters), int(min_cluster_size)
        self.n_jobs = n_jobs
        self._tables = BagTables(self.bags, weighting, "directed", n_jobs)
        limited = self.min_cluster_size > 1 if size_constraint is None else size_constraint
        super().__init__(
            None,
            LabelEncoding(self.bags.n_bags, n_clusters, k_min=n_clusters if min_cluster_size else 1),
            bag_indices(objectives, self._tables),
            constraints=constraints,
            constraint_handling=constraint_handling,
            inequalities=[LeastClusterSize(self.min_cluster_size, n_clusters)] if limited else [],
        )
        self.objective = moved_objective(
            self.indices,
            self._tables,
            n_clusters,
            min_cluster_size=self.min_cluster_size,
            constraints=None if self.constraint_handling == "none" else constraints,
            handling="repair" if self.constraint_handling == "constraint" else "penalty",
            n_jobs=n_jobs,
        )

    @property
    def distances(self) -> FloatArray:
        """Directed Hausdorff distances, from row to column."""
        return self._tables.distances()

    def _values(self, index: ValidityIndex, labels: NDArray[np.int32], X: NDArray[Any]) -> FloatArray:
        return finite(index, super()._values(index, labels, X))


def _check_integer(name: str, value: Any, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name} must be an integer, got {value!r}.")
    if value < least:
        raise ValueError(f"{name} must be at least {least}, got {value}.")
