"""What everything else is computed from, for bags: distances, their graph and kernels, and the pool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from moo_clustering._random import SeedLike, spawn_seeds
from moo_clustering.bags import Bags, BagTransformer
from moo_clustering.bags._distance_kinds import DISTANCE_KINDS, bag_distance_kinds
from moo_clustering.bags._gaussian_kernel import gaussian_bag_kernel, gaussian_scale
from moo_clustering.bags._sliced import sliced_directions
from moo_clustering.graphs._self_tuning import self_tuning_graph
from moo_clustering.pool._bag_pool import pool_of_bag_views
from moo_clustering.pool._partition_pool import PartitionPool

Floats = NDArray[np.float64]

# Distances in a Hilbert space, whose Gaussian kernels are positive semidefinite.
KERNEL_DISTANCES = ("energy", "sliced")
# What decides which bags are neighbours.
GRAPH_DISTANCE = "average"


@dataclass(frozen=True, eq=False)
class BagGround:
    """Bags, their distances, and partitions of them.

    Attributes
    ----------
    bags : Bags
        As they are compared: scaled, and of few enough instances.
    graph : csr_array of shape (n_bags, n_bags)
        Of nearest bags in the average distance.
    pool : PartitionPool or None
        None if none was asked for.
    distances : dict of str to ndarray of shape (n_bags, n_bags)
        All kinds.
    kernels : tuple of two ndarray of shape (n_bags, n_bags)
        Gaussian kernels of the energy and of the sliced distance.
    scaler : BagTransformer or None
        None if bags are compared as they are given.
    directions : ndarray of shape (n_directions, n_features)
        Of the sliced distance.
    max_instances : int or None
    thinning_seed : SeedSequence
        For the instances left out of bags that have more.
    n_jobs : int or None
    """

    bags: Bags
    graph: sp.csr_array
    pool: PartitionPool | None
    distances: dict[str, Floats]
    kernels: tuple[Floats, Floats]
    scaler: BagTransformer | None
    directions: Floats
    max_instances: int | None
    thinning_seed: np.random.SeedSequence
    n_jobs: int | None

    @property
    def n_samples(self) -> int:
        """Number of bags."""
        return self.bags.n_bags

    def cross_kernels(self, new_bags: Bags) -> tuple[Floats, Floats]:
        """Kernels of new bags, in the units of the data, with those of the fit.

        Returns
        -------
        tuple of two ndarray of shape (n_new, n_bags)
        """
        across = self._across(new_bags, KERNEL_DISTANCES)
        energy, sliced = (
            gaussian_bag_kernel(across[kind], scale=gaussian_scale(self.distances[kind]))
            for kind in KERNEL_DISTANCES
        )
        return energy, sliced

    def nearest(self, new_bags: Bags, n: int) -> tuple[NDArray[np.intp], Floats]:
        """Nearest bags of the fit in the average distance, and how far they are.

        Returns
        -------
        indices, distances : ndarray of shape (n_new, min(n, n_bags))
            The nearest first, of equally near ones that of the lowest number.
        """
        across = self._across(new_bags, (GRAPH_DISTANCE,))[GRAPH_DISTANCE]
        order = np.argsort(across, axis=1, kind="stable")[:, :n]
        return order, np.take_along_axis(across, order, axis=1)

    def _across(self, new_bags: Bags, kinds: Sequence[str]) -> dict[str, Floats]:
        new = new_bags if self.scaler is None else self.scaler.transform(new_bags)
        new = thinned(new, self.max_instances, self.thinning_seed)
        return bag_distance_kinds(new, self.bags, kinds=kinds, directions=self.directions, n_jobs=self.n_jobs)


def bag_ground(
    bags: Bags,
    *,
    distances: Sequence[str] = ("symmetric", "average", "energy", "sliced"),
    embeddings: Sequence[str] = ("mean", "stats", "stats_pca", "prototypes"),
    normalize: bool = True,
    max_instances: int | None = None,
    k_range: Any = "auto",
    n_clusters: int | None = None,
    n_neighbors: int = 10,
    extra: Sequence[tuple[str, NDArray[np.integer[Any]]]] = (),
    random_state: SeedLike | np.random.SeedSequence = None,
    n_jobs: int | None = None,
    needs_pool: bool = True,
) -> BagGround:
    """Distances of all pairs of bags, their graph and kernels, and the pool if it is needed.

    Parameters
    ----------
    bags : Bags
        In the units of the data.
    distances, embeddings : sequence of str
        Views on which families are run, see :func:`~moo_clustering.pool.bag_candidate_pool`.
    normalize : bool, default=True
        Whether every feature is brought to 0..1 over all instances first.
    max_instances : int, optional
        Of larger bags so many instances are drawn.
    k_range, n_clusters
        Numbers of clusters, see :func:`~moo_clustering.pool.k_grid`.
    n_neighbors : int, default=10
        Of the graphs.
    extra : sequence of (family, labels of shape (n_bags,))
        Further candidates.
    random_state : int, Generator, RandomState, SeedSequence or None, default=None
    n_jobs : int, optional
        The result does not depend on it.
    needs_pool : bool, default=True

    Returns
    -------
    BagGround

    Raises
    ------
    ValueError
        Unknown distances or embeddings, ``max_instances`` below 1, or numbers of clusters out of range.

    Notes
    -----
    O(n^2 n_features) time for n instances, O(n_bags^2) memory; the pool takes O(n_bags^3) time.

    References
    ----------
    ParetoClustering: agreement of algorithm families.
    """
    if isinstance(random_state, np.random.SeedSequence):
        random_state = np.random.default_rng(random_state)
    thinning, lines, candidates = spawn_seeds(random_state, 3)
    scaler = BagTransformer().fit(bags) if normalize else None
    scaled = thinned(bags if scaler is None else scaler.transform(bags), max_instances, thinning)
    directions = sliced_directions(scaled.n_features, np.random.default_rng(lines))
    # One pass gives all kinds for hardly more than the cost of two.
    all_kinds = bag_distance_kinds(scaled, directions=directions, kinds=DISTANCE_KINDS, n_jobs=n_jobs)
    energy, sliced = (gaussian_bag_kernel(all_kinds[kind]) for kind in KERNEL_DISTANCES)
    graph = self_tuning_graph(
        all_kinds[GRAPH_DISTANCE], n_neighbors=n_neighbors, metric="precomputed", n_jobs=n_jobs
    )
    pool = None
    # Of equal bags, or fewer than three, there is nothing to make a pool of.
    if needs_pool and bags.n_bags > 2 and any(matrix.any() for matrix in all_kinds.values()):
        pool = pool_of_bag_views(
            scaled,
            all_kinds,
            distances=distances,
            embeddings=embeddings,
            graphs={GRAPH_DISTANCE: graph},
            k_range=k_range,
            n_clusters=n_clusters,
            n_neighbors=n_neighbors,
            extra=extra,
            seed=candidates,
            n_jobs=n_jobs,
        )
    return BagGround(
        scaled, graph, pool, all_kinds, (energy, sliced), scaler, directions, max_instances, thinning, n_jobs
    )


def thinned(bags: Bags, max_instances: int | None, seed: np.random.SeedSequence) -> Bags:
    """Bags of at most so many instances: of larger ones some are drawn, and keep their order."""
    if max_instances is None:
        return bags
    if max_instances < 1:
        raise ValueError(f"max_instances must be None or at least 1, got {max_instances}")
    if bags.sizes.max() <= max_instances:
        return bags
    # One key for each place in a bag, so that it does not matter where the bag stands among others.
    keys = np.random.default_rng(seed).random(int(bags.sizes.max()))
    place = np.arange(bags.n_instances) - np.repeat(bags.offsets[:-1], bags.sizes)
    order = np.lexsort((keys[place], bags.bag_of_instance))
    rank = np.empty(bags.n_instances, dtype=np.int64)
    rank[order] = place
    kept = rank < max_instances
    offsets = np.concatenate([[0], np.cumsum(np.minimum(bags.sizes, max_instances))])
    return Bags(bags.instances[kept], offsets, bag_ids=bags.bag_ids, feature_names=bags.feature_names)
