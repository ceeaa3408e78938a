"""Problems that cluster bags of instances, using cluster numbers or a varying number of medoids as genes."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering._arrays import Shared, choice, did_you_mean, integer, quoted
from moo_clustering._docs import documented
from moo_clustering._types import FloatArray, IntArray, IntpArray, Labels
from moo_clustering.bags import BagGeometry, BagObjective, Bags, as_bags, bag_distances
from moo_clustering.bags.distances import Kind
from moo_clustering.bags.geometry import Weighting
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.encodings import LabelEncoding, MedoidSlotEncoding
from moo_clustering.encodings.base import distinct_rows
from moo_clustering.problems import partition
from moo_clustering.validity import ValidityIndex, get_index
from moo_clustering.validity import bags as indices
from moo_clustering.validity.bags import FTWCV, TWCV, BagDaviesBouldin, BagSDbw, BagSilhouette
from moo_clustering.validity.registry import Index

Centers = Literal["medoid", "mean"]
OF_BAGS = {index.name: index for index in (BagDaviesBouldin, BagSDbw, BagSilhouette, FTWCV, TWCV)}
# These indices can be computed from products of bag means and instances.
OF_GEOMETRY = (BagDaviesBouldin, BagSDbw, FTWCV, TWCV)


class BagPartitionProblem(partition.PartitionProblem):
    """Optimise partitions of bags into a fixed number of clusters by one or more indices.

    Genes are cluster numbers 0..n_clusters-1, one per bag. Clusters can be empty; :meth:`decode` returns
    contiguous labels. Scoring P partitions takes O(P (n N + N^2)) time, where N is the number of bags and n
    is the total number of instances. Source: Evolutionary multi-instance clustering, Eqs. 4, 7, 10, 12-17.

    Parameters
    ----------
    bags : Bags or anything accepted by :func:`~moo_clustering.bags.as_bags`
        Bags, scaled for distances.
    n_clusters : int
        Number of clusters, including empty clusters.
    objectives : sequence of str, ValidityIndex objects or classes, default=("bag_davies_bouldin",)
        ``"bag_davies_bouldin"``, ``"bag_silhouette"``, ``"bag_sdbw"``, ``"twcv"``, ``"ftwcv"`` or other bag
        indices. Maximised indices are negated (see :meth:`natural`). Infinite values are replaced with 1e6.
    weighting : {"bag", "instance"}, default="bag"
        Whether a centroid is the mean of bag means (Eq. 3) or of all instances. Ignored for index objects.
    min_cluster_size : int, default=1
        Minimum number of bags per cluster; 0 allows empty clusters.
    size_constraint : bool, optional
        Whether ``min_cluster_size`` is an inequality constraint. Default: True if it is greater than 1. Local
        search and repair enforce the minimum size in any case.
    constraint_handling : {"objective", "constraint", "crowding", "none"}, default="objective"
        See :class:`PartitionProblem`. Local search minimises ``objective * (1 + V)``, where V is the
        constraint violation. With ``"none"``, V is ignored. With ``"constraint"``, repair tries to satisfy
        all constraints.

    Attributes
    ----------
    objective : BagObjective
        Objective of :class:`~moo_clustering.operators.ImprovementMutation` and other local searches: the
        first of "bag_davies_bouldin", "twcv" and "ftwcv" in ``objectives``. Default: "bag_davies_bouldin".

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
        constraint_handling: partition.ConstraintHandling = "objective",
        n_jobs: int | None = None,
    ) -> None:
        integer("n_clusters", n_clusters, 2)
        integer("min_cluster_size", min_cluster_size, 0)
        self.bags = as_bags(bags)
        if n_clusters > self.bags.n_bags:
            raise ValueError(f"n_clusters={n_clusters} must not exceed the number of bags, {len(self.bags)}")
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
            inequalities=[partition.LeastClusterSize(self.min_cluster_size, n_clusters)] if limited else [],
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
        """Directed Hausdorff distances from each bag (row) to each bag (column), (n_bags, n_bags), cached."""
        return self._tables.distances()

    def _values(self, index: ValidityIndex, labels: Labels, X: NDArray[Any], **products: Any) -> FloatArray:
        return finite(index, super()._values(index, labels, X, **products))


@documented(BagPartitionProblem, MedoidSlotEncoding)
class BagMedoidProblem(partition.PartitionProblem):
    """Optimise one or more indices of partitions of bags that are encoded by a varying number of medoids.

    Genes are the indices of the medoids, with -1 for empty slots. For P individuals and N bags, decoding
    takes O(P k_max N) time, and Davies-Bouldin with medoids takes O(P (N + k_max^2)) time. Equal sets of
    medoids are scored only once. Source: Evolutionary multi-instance clustering (MIGCUK), Eq. 10.

    Parameters
    ----------
    centers : {"medoid", "mean"}, default="medoid"
        Whether ``"bag_davies_bouldin"`` uses medoids or centroids as centres. Ignored for index objects.
    kind : str, default="directed"
        Distance between bags, also for a silhouette specified by name or class: "directed", "symmetric",
        "mean_min", "min_min" or "mean". See :func:`~moo_clustering.bags.bag_distances`.

    Examples
    --------
    >>> bags = [[[0, 0], [2, 0]], [[0, 1]], [[8, 0], [8, 2], [8, 4]], [[10, 2], [6, 2]], [[4, 10]]]
    >>> problem = BagMedoidProblem(bags, k_max=3)
    >>> problem.evaluate(np.array([[1, -1, 2]])).round(4)
    array([[0.4902]])
    >>> problem.decode([1, -1, 2])
    array([[0, 0, 1, 1, 1]], dtype=int32)
    """

    def __init__(
        self,
        bags: Any,
        k_max: int,
        *,
        k_min: int = 2,
        objectives: Sequence[Index] | Index = ("bag_davies_bouldin",),
        centers: Centers = "medoid",
        kind: Kind = "directed",
        weighting: Weighting = "bag",
        constraints: PairwiseConstraints | None = None,
        constraint_handling: partition.ConstraintHandling = "objective",
        n_jobs: int | None = None,
    ) -> None:
        self.bags = as_bags(bags)
        self.centers: Centers = choice("centers", centers, get_args(Centers))
        self.n_jobs = n_jobs
        self._tables = BagTables(self.bags, weighting, kind, n_jobs)
        super().__init__(
            None,
            MedoidSlotEncoding(self.distances, k_max=k_max, k_min=k_min),
            bag_indices(objectives, self._tables, medoids=centers == "medoid"),
            constraints=constraints,
            constraint_handling=constraint_handling,
        )

    @property
    def distances(self) -> FloatArray:
        """Distances from each bag (row) to each bag (column), shape (n_bags, n_bags)."""
        return self._tables.distances()

    def _distinct(self, X: NDArray[Any], labels: Labels) -> tuple[IntpArray, IntpArray]:
        return distinct_rows(np.column_stack([labels, self.encoding.canonical(X)]))

    def _values(self, index: ValidityIndex, labels: Labels, X: NDArray[Any], **products: Any) -> FloatArray:
        if isinstance(index, MedoidDaviesBouldin):
            return finite(index, index.of_medoids(labels, self.encoding.canonical(X)))
        return finite(index, super()._values(index, labels, X, **products))


class MedoidDaviesBouldin(ValidityIndex):
    """Davies-Bouldin index with medoids (Eq. 2) in place of centroids, minimised (Eq. 10)."""

    name, greater_is_better = "bag_davies_bouldin", False

    distances_: NDArray[np.floating]

    def fit(self, data: ArrayLike) -> Self:
        """Fit to the distances from each bag (row) to each bag (column), shape (n_bags, n_bags)."""
        self.distances_ = np.asarray(data)
        return self

    def evaluate(self, labels: IntArray) -> FloatArray:
        labels = np.atleast_2d(labels)
        encoding = MedoidSlotEncoding(self.distances_, k_max=int(labels.max()) + 1, k_min=1)
        return self.of_medoids(labels, encoding.encode(labels))

    def of_medoids(self, labels: IntArray, medoids: IntArray) -> FloatArray:
        """Score contiguous labels, given medoids (n_individuals, k_max); inf for fewer than two clusters."""
        row, slot = np.nonzero(medoids >= 0)
        ids = medoids[row, slot]
        # The label of a medoid is the position of the medoid in ``centers``.
        centers = np.full(medoids.shape, -1, dtype=np.int64)
        centers[row, labels[row, ids]] = ids
        return indices.db_medoid(self.distances_, labels, centers)


def bag_indices(
    objectives: Sequence[Index] | Index, tables: BagTables, *, medoids: bool = False
) -> list[ValidityIndex]:
    """Fit copies of indices to bags. If ``medoids`` is True, Davies-Bouldin uses medoids as centres."""
    listed, fitted = partition.index_list(objectives), []
    for objective in listed:
        kind: Any = objective
        if isinstance(objective, str):
            if objective not in OF_BAGS:
                raise ValueError(
                    f"objectives must be {', '.join(map(repr, OF_BAGS))} or bag validity indices, "
                    f"got {quoted(objective)}{did_you_mean(objective, OF_BAGS)}"
                )
            if list(listed).count(objective) > 1:
                raise ValueError(f"objectives must be unique, got {objective} more than once")
            kind = OF_BAGS[objective]
        by_medoids = medoids and kind is BagDaviesBouldin
        index = MedoidDaviesBouldin().fit(tables.distances()) if by_medoids else _fitted(objective, tables)
        fitted.append(index)
    return fitted


def _fitted(objective: Index, tables: BagTables) -> ValidityIndex:
    index = copy.copy(get_index(objective))
    if not isinstance(objective, ValidityIndex):
        for option in ("weighting", "kind", "n_jobs"):
            if hasattr(index, option):
                setattr(index, option, getattr(tables, option))
    if isinstance(index, OF_GEOMETRY):
        return index.fit(tables.geometry(index.weighting))
    if isinstance(index, BagSilhouette) and index.kind != "precomputed":
        shared = BagSilhouette("precomputed", index.average, max_memory=index.max_memory, n_jobs=index.n_jobs)
        return shared.fit(tables.distances(index.kind))
    return index.fit(tables.bags)  # type: ignore[arg-type]


def moved_objective(
    indices: Sequence[ValidityIndex], tables: BagTables, n_clusters: int, **options: Any
) -> BagObjective:
    """Return the BagObjective of the first supported index, or of Davies-Bouldin if none is supported."""
    for index in indices:
        if isinstance(index, BagDaviesBouldin | TWCV | FTWCV):
            reading = index.reading if isinstance(index, FTWCV) else "between"
            kind: Any = {"bag_davies_bouldin": "db", "twcv": "twcv", "ftwcv": "ftwcv"}[index.name]
            return BagObjective(index.geometry_, n_clusters, kind, reading=reading, **options)
    return BagObjective(tables.geometry(), n_clusters, **options)


def finite(index: ValidityIndex, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Replace infinite values of a minimised index with 1e6, which bag indices return if undefined."""
    return values if index.greater_is_better else np.where(values == np.inf, indices.UNDEFINED, values)


class BagTables(Shared):
    """Distances between bags, and products of bag means and instances; copies of a problem share them."""

    def __init__(self, bags: Bags, weighting: Weighting, kind: Kind, n_jobs: int | None) -> None:
        self.bags, self.n_jobs = bags, n_jobs
        self.weighting: Weighting = weighting
        self.kind: Kind = kind
        self._geometries: dict[str, BagGeometry] = {}
        self._distances: dict[str, FloatArray] = {}

    def geometry(self, weighting: Weighting | None = None) -> BagGeometry:
        weighting = weighting or self.weighting
        if weighting not in self._geometries:
            # The minimum cluster size must not be used to skip instances, because individuals can violate it.
            self._geometries[weighting] = BagGeometry(self.bags, weighting=weighting, n_jobs=self.n_jobs)
        return self._geometries[weighting]

    def distances(self, kind: Kind | None = None) -> FloatArray:
        kind = kind or self.kind
        if kind not in self._distances:
            self._distances[kind] = bag_distances(self.bags, kind=kind, n_jobs=self.n_jobs)
            self._distances[kind].flags.writeable = False
        return self._distances[kind]
