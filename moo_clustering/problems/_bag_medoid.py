"""Bags that stand for clusters, in any number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from moo_clustering.bags import as_bags
from moo_clustering.bags._distances import Kind
from moo_clustering.bags._geometry import Weighting
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.encodings._canonical import distinct_rows
from moo_clustering.encodings._medoid_slots import MedoidSlotEncoding
from moo_clustering.problems._bag_indices import bag_indices, finite
from moo_clustering.problems._bag_tables import BagTables
from moo_clustering.problems._medoid_davies_bouldin import MedoidDaviesBouldin
from moo_clustering.problems._partition import ConstraintHandling, FloatArray, Index, PartitionProblem
from moo_clustering.validity import ValidityIndex
from moo_clustering.validity._bag_davies_bouldin import BagDaviesBouldin

Centers = Literal["medoid", "mean"]


class BagMedoidProblem(PartitionProblem):
    """Find bags such that the partition into those nearest to each is good; their number varies.

    A :class:`PartitionProblem` whose genes are the ids of the medoids, or -1 for none
    (:class:`~moo_clustering.encodings.MedoidSlotEncoding`): the operators are
    :class:`~moo_clustering.operators.SlotSampling`, ``SlotOnePointCrossover`` and ``SlotMutation``.

    Parameters
    ----------
    bags : Bags or anything :func:`~moo_clustering.bags.as_bags` takes
        In the scale in which distances are meant.
    k_max : int
        Largest number of clusters.
    k_min : int, default=2
        Smallest number of clusters.
    objectives : sequence of str, ValidityIndex objects or classes, default=("bag_davies_bouldin",)
        As for :class:`BagPartitionProblem`. Infinite values become 1e6.
    centers : {"medoid", "mean"}, default="medoid"
        What ``"bag_davies_bouldin"``, by name or class, measures from: the medoids of the individual,
        or the centroids of its clusters.
    kind : str, default="directed"
        Distance of bags, of :func:`~moo_clustering.bags.bag_distances`: "directed", "symmetric",
        "mean_min", "min_min" or "mean". Also that of the silhouette, by name or class.
    weighting : {"bag", "instance"}, default="bag"
        Centroids as means of bag means (Eq. 3) or of all instances, for indices given by name or class.
    constraints, constraint_handling
        As for :class:`PartitionProblem`.
    n_jobs : int, optional
        Threads; results do not depend on it.

    Attributes
    ----------
    bags : Bags
    distances : ndarray of shape (n_bags, n_bags)
        From row to column, shared by encoding, indices and copies.
    encoding, indices, objective_names
        As for :class:`PartitionProblem`.

    Notes
    -----
    A population of P individuals takes O(P k_max N) to decode, and O(P (N + k_max^2)) for the index by
    medoids. Two individuals of the same partition may differ in it: their medoids do.

    References
    ----------
    Evolutionary multi-instance clustering (MIGCUK), Eq. 10.

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
        constraint_handling: ConstraintHandling = "objective",
        n_jobs: int | None = None,
    ) -> None:
        if centers not in get_args(Centers):
            raise ValueError(f"centers must be one of {get_args(Centers)}, got {centers!r}.")
        self.bags = as_bags(bags)
        self.centers: Centers = centers
        self.n_jobs = n_jobs
        self._tables = BagTables(self.bags, weighting, kind, n_jobs)
        replaced = {BagDaviesBouldin: _around_medoids} if centers == "medoid" else None
        super().__init__(
            None,
            MedoidSlotEncoding(self.distances, k_max=k_max, k_min=k_min),
            bag_indices(objectives, self._tables, replaced),
            constraints=constraints,
            constraint_handling=constraint_handling,
        )

    @property
    def distances(self) -> FloatArray:
        """Distances between bags, from row to column."""
        return self._tables.distances()

    def _distinct(
        self, X: NDArray[Any], labels: NDArray[np.int32]
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        return distinct_rows(np.column_stack([labels, self.encoding.canonical(X)]))

    def _values(self, index: ValidityIndex, labels: NDArray[np.int32], X: NDArray[Any]) -> FloatArray:
        if isinstance(index, MedoidDaviesBouldin):
            return finite(index, index.of_medoids(labels, self.encoding.canonical(X)))
        return finite(index, super()._values(index, labels, X))


def _around_medoids(tables: BagTables) -> MedoidDaviesBouldin:
    return MedoidDaviesBouldin().fit(tables.distances())
