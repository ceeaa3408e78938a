"""The pool of candidates for bags: families on several distances and embeddings."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import ClusterWarning
from scipy.sparse import csr_array

from moo_clustering._random import SeedLike, spawn_seeds
from moo_clustering._suggest import did_you_mean
from moo_clustering.bags import Bags, as_bags
from moo_clustering.bags._distance_kinds import DISTANCE_KINDS, bag_distance_kinds, check_kinds
from moo_clustering.bags._statistics import Embedding, bag_embedding
from moo_clustering.pool._build import family_partitions
from moo_clustering.pool._data import Floats, PoolData, child_seed
from moo_clustering.pool._failures import Failures, warn_of_failures
from moo_clustering.pool._grid import Range, k_grid
from moo_clustering.pool._partition_pool import PartitionPool

EMBEDDING_KINDS: tuple[str, ...] = get_args(Embedding)
# With fewer, agreement of families means little.
FEW_FAMILIES = 4
# Families on distances with the names they have there.
_OF_DISTANCES = {"km": "kmed", "ward": "avg", "spec": "spec", "genie": "genie", "hdbscan": "hdbscan"}
_OF_EMBEDDINGS = {"km": "km", "ward": "ward"}


def bag_candidate_pool(
    bags: Any,
    *,
    distances: Sequence[str] = ("symmetric", "average", "energy", "sliced"),
    embeddings: Sequence[str] = ("mean", "stats", "stats_pca", "prototypes"),
    k_range: Range = "auto",
    n_clusters: int | None = None,
    n_neighbors: int = 10,
    random_state: SeedLike = None,
    n_jobs: int | None = None,
) -> tuple[PartitionPool, dict[str, Floats]]:
    """Partitions of bags from families of algorithms on several distances and embeddings.

    Parameters
    ----------
    bags : Bags or anything :func:`~moo_clustering.bags.as_bags` takes
        In the scale in which distances are meant; :class:`~moo_clustering.bags.BagTransformer` brings
        every feature to 0..1.
    distances : sequence of {"symmetric", "average", "energy", "sliced"}, default=all
        See :func:`~moo_clustering.bags.bag_distance_kinds`. On each: ``kmed`` (k-medoids, the best of
        three starts), ``avg`` (average linkage), ``spec`` (spectral cuts of the neighbour graph), ``genie``
        (threshold .3 on the minimum spanning tree) and ``hdbscan``.
    embeddings : sequence of {"mean", "stats", "stats_pca", "prototypes"}, default=all
        See :func:`~moo_clustering.bags.bag_embedding`. On each: ``km`` (k-means, three starts) and ``ward``.
    k_range : "auto" or iterable of int, default="auto"
        Numbers of clusters, see :func:`k_grid`. HDBSCAN finds its own, up to 60.
    n_clusters : int, optional
        Added to ``k_range``.
    n_neighbors : int, default=10
        Of the graphs.
    random_state : int, Generator, RandomState or None, default=None
        Every view and family has its own seed: leaving one out changes no other.
    n_jobs : int, optional
        Threads; the result does not depend on it.

    Returns
    -------
    pool : PartitionPool
        Families named ``family@view``, as ``"kmed@energy"``: the same algorithm on two views counts as two.
    matrices : dict of str to ndarray of shape (n_bags, n_bags)
        The distances that were wanted.

    Raises
    ------
    ValueError
        Unknown distances or embeddings, none at all, numbers of clusters out of range, fewer than three
        bags, or no partition with two clusters.

    Notes
    -----
    O(n^2 n_features) time for n instances and O(n_bags^3) for the families; O(n_bags^2) memory.

    References
    ----------
    ParetoClustering: agreement of algorithm families.
    """
    check_kinds(distances, name="distances")
    data = as_bags(bags)
    directions, candidates = spawn_seeds(random_state, 2)
    kinds = [k for k in DISTANCE_KINDS if k in distances or (k == "symmetric" and "prototypes" in embeddings)]
    matrices = bag_distance_kinds(data, kinds=kinds, rng=np.random.default_rng(directions), n_jobs=n_jobs)
    pool = pool_of_bag_views(
        data,
        matrices,
        distances=distances,
        embeddings=embeddings,
        k_range=k_range,
        n_clusters=n_clusters,
        n_neighbors=n_neighbors,
        seed=candidates,
        n_jobs=n_jobs,
    )
    return pool, {kind: matrices[kind] for kind in distances}


def pool_of_bag_views(
    bags: Bags,
    matrices: Mapping[str, Floats],
    *,
    distances: Sequence[str],
    embeddings: Sequence[str],
    seed: np.random.SeedSequence,
    graphs: Mapping[str, csr_array] | None = None,
    k_range: Range = "auto",
    n_clusters: int | None = None,
    n_neighbors: int = 10,
    extra: Sequence[tuple[str, NDArray[np.integer[Any]]]] = (),
    n_jobs: int | None = None,
) -> PartitionPool:
    """Pool of bags whose distances are known.

    Parameters
    ----------
    matrices : mapping of str to ndarray of shape (n_bags, n_bags)
        All of ``distances``, and ``"symmetric"`` for the embedding ``"prototypes"``.
    graphs : mapping of str to csr_array of shape (n_bags, n_bags), optional
        Neighbour graphs of distances for which they are there already.
    extra : sequence of (family, labels of shape (n_bags,))
        Further candidates, which come last.
    seed : SeedSequence
    bags, distances, embeddings, k_range, n_clusters, n_neighbors, n_jobs
        As for :func:`bag_candidate_pool`.
    """
    check_kinds(distances, name="distances")
    _check_embeddings(embeddings)
    if bags.n_bags < 3:
        raise ValueError(f"a pool needs at least 3 bags, got {bags.n_bags}")
    if not len(distances) and not len(embeddings) and not extra:
        raise ValueError("distances and embeddings are both empty: name at least one view")
    ks = k_grid(bags.n_bags, k_range=k_range, n_clusters=n_clusters).tolist()
    views = [
        (kind, PoolData(matrices[kind], True, n_neighbors, (graphs or {}).get(kind))) for kind in distances
    ]
    for kind in embeddings:
        vectors = bag_embedding(bags, kind, symmetric=matrices.get("symmetric"))  # type: ignore[arg-type]
        views.append((kind, PoolData(np.ascontiguousarray(vectors), False, n_neighbors)))
    found: list[tuple[str, Any]] = []
    failures: Failures = {}
    for kind, data in views:
        names = _OF_DISTANCES if data.precomputed else _OF_EMBEDDINGS
        # By its place among all views, so that leaving one out changes no other.
        part = child_seed(seed, (*DISTANCE_KINDS, *EMBEDDING_KINDS).index(kind))
        with warnings.catch_warnings():
            # SciPy sees that the rows of a matrix of distances are taken for vectors, as they are to be.
            warnings.simplefilter("ignore", ClusterWarning)
            candidates, failed = family_partitions(data, tuple(names), ks, part, n_jobs=n_jobs)
        found += [(f"{names[family]}@{kind}", labels) for family, labels in candidates]
        # HDBSCAN sees nothing but noise in many a view, which is no failure.
        failures |= {f"{names[family]}@{kind}": failed[family] for family in failed if family != "hdbscan"}
    warn_of_failures(failures, frozenset(family for family, _ in found))
    pool = PartitionPool.of([*found, *extra])
    if len(pool.family_names) < FEW_FAMILIES:
        warnings.warn(
            f"only {len(pool.family_names)} families are in the pool ({', '.join(pool.family_names)}): "
            f"agreement is weak evidence with fewer than {FEW_FAMILIES}",
            UserWarning,
            stacklevel=3,
        )
    return pool


def _check_embeddings(embeddings: Sequence[str]) -> None:
    allowed = ", ".join(map(repr, EMBEDDING_KINDS))
    if isinstance(embeddings, str):
        raise ValueError(f"embeddings must be a sequence of {allowed}, got the text {embeddings!r}")
    for kind in embeddings:
        if kind not in EMBEDDING_KINDS:
            near = did_you_mean(str(kind), EMBEDDING_KINDS)
            raise ValueError(f"embeddings may be {allowed}, got {kind!r}{near}")
