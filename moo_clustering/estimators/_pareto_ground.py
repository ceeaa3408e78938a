"""Samples, landmarks or bags, and the pool over them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from sklearn.base import clone
from sklearn.cluster import MiniBatchKMeans
from sklearn.decomposition import TruncatedSVD
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import normalize

from moo_clustering._arrays import FloatArray, SeedLike, number_clusters, spawn_seeds
from moo_clustering._parallel import threads_here
from moo_clustering.bags import Bags, BagTransformer
from moo_clustering.bags.distances import (
    DISTANCE_KINDS,
    bag_distance_kinds,
    gaussian_bag_kernel,
    gaussian_scale,
    sliced_directions,
)
from moo_clustering.graphs import self_tuning_graph
from moo_clustering.pool import PartitionPool, candidate_pool, extra_partitions
from moo_clustering.pool.candidates import pool_of_bag_views

# Distances in a Hilbert space, whose Gaussian kernels are positive semidefinite.
KERNEL_DISTANCES = ("energy", "sliced")
# What decides which bags are neighbours.
GRAPH_DISTANCE = "average"
Nearest = Callable[[Any, int], tuple[NDArray[np.intp], FloatArray]]
Scale = Literal["standard", "isotropic", "none"]
_PASSES = 10
_BATCH = 10_000
_CHUNK = 100_000
N_NEAREST = 3
TRIVIAL = "trivial"


def ground_of_bags(
    bags: Bags,
    options: PoolOptions,
    extra: Sequence[Any] | None,
    seed: np.random.SeedSequence,
    *,
    needs_pool: bool = True,
    **views: Any,
) -> Ground:
    """Bags as samples: their graph, kernels and pool.

    Parameters
    ----------
    **views
        ``distances``, ``embeddings``, ``normalize`` and ``max_instances`` of :func:`bag_ground`.
    """
    candidates, rest = seed.spawn(2)
    given = []
    if extra:
        # Clusterers of tables see the means of the bags.
        rng = np.random.default_rng(candidates)
        given = extra_partitions(extra, bags.means(), n_samples=bags.n_bags, rng=rng)
    found = bag_ground(
        bags,
        k_range=options.k_range,
        n_clusters=options.n_clusters,
        n_neighbors=options.n_neighbors,
        extra=given,
        random_state=rest,
        n_jobs=options.n_jobs,
        needs_pool=needs_pool,
        **views,
    )
    pool = found.pool
    if pool is None and needs_pool:
        pool = trivial_pool(found.n_samples)
    # Hausdorff distances are 0 between bags of the same instances only.
    same = at_distance_zero(found.distances["symmetric"])
    return Ground(found.n_samples, found.graph, pool, None, found.nearest, kernels=found.kernels, same=same)


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
    distances: dict[str, FloatArray]
    kernels: tuple[FloatArray, FloatArray]
    scaler: BagTransformer | None
    directions: FloatArray
    max_instances: int | None
    thinning_seed: np.random.SeedSequence
    n_jobs: int | None

    @property
    def n_samples(self) -> int:
        """Number of bags."""
        return self.bags.n_bags

    def cross_kernels(self, new_bags: Bags) -> tuple[FloatArray, FloatArray]:
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

    def nearest(self, new_bags: Bags, n: int) -> tuple[NDArray[np.intp], FloatArray]:
        """Nearest bags of the fit in the average distance, and how far they are.

        Returns
        -------
        indices, distances : ndarray of shape (n_new, min(n, n_bags))
            The nearest first, of equally near ones that of the lowest number.
        """
        across = self._across(new_bags, (GRAPH_DISTANCE,))[GRAPH_DISTANCE]
        order = np.argsort(across, axis=1, kind="stable")[:, :n]
        return order, np.take_along_axis(across, order, axis=1)

    def _across(self, new_bags: Bags, kinds: Sequence[str]) -> dict[str, FloatArray]:
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


@dataclass(frozen=True, eq=False)
class Ground:
    """Samples, or landmarks that stand for them, and partitions of these.

    Attributes
    ----------
    n_samples : int
    graph : csr_array of shape (m, m)
    pool : PartitionPool or None
        Of m samples or landmarks; None if the bag kernels alone were asked for.
    rows : ndarray of shape (m, n_kept) or None
        Scaled features; None for given distances and for bags.
    landmark_of : ndarray of shape (n_samples,), int32, or None
        None if every sample is its own.
    kernels : tuple of ndarray of shape (m, m)
        Kernels of the data that take the place of the graph and the linear kernel (bags).
    nearest : callable
        ``(X_new, n) -> indices, distances``, of the nearest of the m.
    samples : ndarray of shape (n_samples, n_kept) or None
        Scaled features of all samples where there are landmarks.
    same : ndarray of shape (m,), int32, or None
        Where there are no features: samples at distance 0 as clusters.
    """

    n_samples: int
    graph: sp.csr_array
    pool: PartitionPool | None
    rows: FloatArray | None
    nearest: Nearest
    landmark_of: NDArray[np.int32] | None = None
    kernels: tuple[FloatArray, ...] = ()
    samples: FloatArray | None = None
    same: NDArray[np.int32] | None = None

    @property
    def m(self) -> int:
        """Number of samples or landmarks."""
        return int(self.graph.shape[0])

    def sums(self, values: FloatArray) -> FloatArray:
        """Sums of rows, shape (n_samples, c), over the samples of every landmark."""
        if self.landmark_of is None:
            return values
        totals = np.zeros((self.m, values.shape[1]))
        np.add.at(totals, self.landmark_of, values)
        return totals

    def of_samples(self, labels: NDArray[Any]) -> NDArray[Any]:
        """From labels (..., m) of landmarks to those of samples."""
        return labels if self.landmark_of is None else labels[..., self.landmark_of]

    @cached_property
    def distinct(self) -> NDArray[np.int32] | None:
        """Equal ones of the m as clusters; None if that is not known."""
        return self.same if self.rows is None else distinct_rows_of(self.rows)

    @cached_property
    def _shares(self) -> tuple[NDArray[np.intp], FloatArray]:
        assert self.samples is not None
        assert self.rows is not None
        index = NearestNeighbors().fit(self.rows)
        return inverse_square_shares(*nearest_rows(index, self.samples, N_NEAREST))

    def interpolated(self, values: FloatArray) -> FloatArray:
        """From values (m, c) of landmarks to those of samples: means of the three nearest, weighted."""
        if self.landmark_of is None:
            return values
        indices, shares = self._shares
        return weighted_means(values, indices, shares)


@dataclass(frozen=True)
class PoolOptions:
    """Options of the estimator that the pool depends on."""

    families: Any
    k_range: Any
    n_clusters: int | None
    n_neighbors: int
    n_jobs: int | None


def table_ground(
    X: Any,
    scaling: FeatureScaling,
    options: PoolOptions,
    *,
    n_landmarks: int,
    scale: Scale,
    n_components: int,
    views: Mapping[str, Any] | None,
    extra: Sequence[Any] | None,
    seeds: Sequence[np.random.SeedSequence],
) -> Ground:
    """Ground of a table: ndarray or sparse matrix of shape (n_samples, n_features).

    Parameters
    ----------
    views : mapping of str to transformer or columns, or None
        Representations of the samples that families are run on as well.
    extra : sequence or None
        Further candidates, as :func:`~moo_clustering.pool.extra_partitions` takes them.
    seeds : four of SeedSequence
    """
    rows, landmark_of = scaling.transform(X), None
    nearest_of = rows
    if X.shape[0] > n_landmarks:
        found = find_landmarks(rows, n_landmarks, _seed(seeds[0]))
        nearest_of, landmark_of = found.rows, found.landmark_of
    graph = self_tuning_graph(nearest_of, n_neighbors=options.n_neighbors, n_jobs=options.n_jobs)
    index = NearestNeighbors().fit(nearest_of)
    ground = Ground(
        X.shape[0],
        graph,
        trivial_pool(len(nearest_of)),
        nearest_of,
        Neighbors(scaling, index),
        landmark_of,
        samples=None if landmark_of is None else rows,
    )
    if len(nearest_of) < 3 or (nearest_of == nearest_of[0]).all():
        return ground
    tables = {"": nearest_of}
    for name, view in (views or {}).items():
        table = view_rows(name, view, X, scale, n_components, _seed(seeds[1]))
        tables[name] = table if landmark_of is None else landmark_means(table, landmark_of, len(nearest_of))
    candidates = _given(extra, X, landmark_of, len(nearest_of), seeds[2])
    pool = _pool_of_views(tables, graph, candidates, options, seeds[3])
    return replace(ground, pool=pool)


def distance_ground(
    D: FloatArray, options: PoolOptions, extra: Sequence[Any] | None, seeds: Sequence[np.random.SeedSequence]
) -> Ground:
    """Ground of given distances, shape (n_samples, n_samples)."""
    graph = self_tuning_graph(D, n_neighbors=options.n_neighbors, metric="precomputed", n_jobs=options.n_jobs)
    ground = Ground(len(D), graph, trivial_pool(len(D)), None, nearest_by_distance, same=at_distance_zero(D))
    if len(D) < 3 or not D.any():
        return ground
    candidates = _given(extra, D, None, len(D), seeds[2], "precomputed")
    pool = _pool_of_views({"": D}, graph, candidates, options, seeds[3], metric="precomputed")
    return replace(ground, pool=pool)


def _given(
    extra: Sequence[Any] | None,
    X: Any,
    landmark_of: NDArray[np.int32] | None,
    m: int,
    seed: np.random.SeedSequence,
    metric: str = "euclidean",
) -> list[tuple[str, NDArray[Any]]]:
    if not extra:
        return []
    rows = X if landmark_of is None else landmark_means(X, landmark_of, m)
    return extra_partitions(
        extra,
        rows,
        n_samples=X.shape[0],
        landmark_of=landmark_of,
        rng=np.random.default_rng(seed),
        metric=metric,
    )


def _pool_of_views(
    tables: Mapping[str, FloatArray],
    graph: sp.csr_array,
    extra: list[tuple[str, NDArray[Any]]],
    options: PoolOptions,
    seed: np.random.SeedSequence,
    metric: Literal["euclidean", "precomputed"] = "euclidean",
) -> PartitionPool:
    # Landmarks may be fewer than the clusters asked for where many samples are equal.
    m = len(tables[""])
    n_clusters = None if options.n_clusters is None else min(options.n_clusters, m)
    pools = []
    for (name, table), part in zip(tables.items(), seed.spawn(len(tables)), strict=True):
        pool = candidate_pool(
            table,
            families=options.families,
            k_range=options.k_range,
            n_clusters=n_clusters,
            metric=metric,
            graph=None if name else graph,
            n_neighbors=options.n_neighbors,
            extra_candidates=None if name else extra,
            random_state=_seed(part),
            n_jobs=options.n_jobs,
        )
        pools.append(pool.tagged(name) if name else pool)
    joined = pools[0]
    for pool in pools[1:]:
        joined = joined.joined(pool)
    return joined


def _seed(sequence: np.random.SeedSequence) -> int:
    return int(sequence.generate_state(1)[0] >> 1)


@dataclass(frozen=True, eq=False)
class FeatureScaling:
    """Offset and scale of every feature that is not constant; of sparse data their main components.

    Attributes
    ----------
    offset, spread : ndarray of shape (n_kept,)
    kept : ndarray of shape (n_kept,)
        Features that vary.
    components : TruncatedSVD or None
        For sparse data: what rows are reduced with before they are scaled to unit length.
    """

    offset: FloatArray
    spread: FloatArray
    kept: NDArray[np.intp]
    components: TruncatedSVD | None = None

    @classmethod
    def of(cls, X: Any, scale: Scale, *, n_components: int, seed: int) -> Self:
        """Learn it from ndarray or sparse matrix of shape (n_samples, n_features).

        Notes
        -----
        Sparse data of more than ``n_components`` features are reduced, and ``scale`` is not used.
        """
        if sp.issparse(X) and min(X.shape) > n_components:
            # Where nothing varies there is no share of the variance to explain.
            with np.errstate(invalid="ignore"):
                svd = TruncatedSVD(n_components, random_state=seed).fit(X)
            return cls(np.zeros(n_components), np.ones(n_components), np.arange(n_components), svd)
        rows = _dense(X)
        low, high = rows.min(axis=0), rows.max(axis=0)
        kept = np.flatnonzero(high > low)
        rows = rows[:, kept]
        if scale == "none":
            return cls(np.zeros(len(kept)), np.ones(len(kept)), kept)
        # Halves of the range first, so that squares of tiny and huge numbers stay within bounds.
        half = high[kept] / 2 - low[kept] / 2
        middle = low[kept] / 2 + high[kept] / 2
        if scale == "isotropic":
            half = np.full(len(kept), half.max(initial=0.0))
        unit = (rows / 2 - middle / 2) / (half / 2)
        mean = unit.mean(axis=0)
        spread = unit.std(axis=0)
        if scale == "isotropic" and len(kept):
            # One for all features, that of all numbers around the mean of their feature.
            spread = np.full(len(kept), np.sqrt((spread**2).mean()))
        return cls(middle + mean * half, spread * half, kept)

    def transform(self, X: Any) -> FloatArray:
        """Rows on the common scale, shape (n, n_kept); one column of zeros if no feature varies."""
        if self.components is not None:
            rows: FloatArray = normalize(self.components.transform(X))
            return np.ascontiguousarray(rows, dtype=np.float64)
        if not len(self.kept):
            return np.zeros((X.shape[0], 1))
        rows = _dense(X)[:, self.kept]
        scaled: FloatArray = (rows / 2 - self.offset / 2) / (self.spread / 2)
        return np.ascontiguousarray(scaled)


def _dense(X: Any) -> FloatArray:
    dense: FloatArray = np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)
    return dense


class Landmarks(NamedTuple):
    """Means of the samples that are nearest to the same centre.

    Attributes
    ----------
    rows : ndarray of shape (n_landmarks, n_features)
    landmark_of : ndarray of shape (n_samples,), int32
    """

    rows: FloatArray
    landmark_of: NDArray[np.int32]


def find_landmarks(X: FloatArray, n_landmarks: int, seed: int) -> Landmarks:
    """At most ``n_landmarks`` of them, by mini-batch k-means from random rows.

    Every landmark counts the same afterwards: dense regions are thinned out, which helps clusters of
    uneven mass.

    Notes
    -----
    O(n_samples n_landmarks n_features) time for each of ten passes; O(n_samples) memory beside the data
    and a batch of distances.
    """
    centers = (
        MiniBatchKMeans(
            n_landmarks,
            init="random",
            n_init=1,
            max_iter=_PASSES,
            batch_size=min(len(X), _BATCH),
            # Sums over all samples, which depend on the number of threads, decide nothing.
            max_no_improvement=None,
            tol=0.0,
            compute_labels=False,
            random_state=seed,
        )
        .fit(X)
        .cluster_centers_
    )
    nearest = _nearest(X, centers)
    used, landmark_of = np.unique(nearest, return_inverse=True)
    numbers: NDArray[np.int32] = landmark_of.reshape(-1).astype(np.int32)
    return Landmarks(landmark_means(X, numbers, len(used)), numbers)


def _nearest(X: FloatArray, centers: FloatArray) -> NDArray[np.intp]:
    half = 0.5 * np.einsum("ij,ij->i", centers, centers)
    nearest = np.empty(len(X), dtype=np.intp)
    step = max(1, _CHUNK * 100 // len(centers))
    for low in range(0, len(X), step):
        nearest[low : low + step] = (X[low : low + step] @ centers.T - half).argmax(axis=1)
    return nearest


def landmark_means(X: Any, landmark_of: NDArray[np.integer[Any]], n_landmarks: int) -> Any:
    """Mean row of the samples of every landmark; sparse if X is."""
    counts = np.bincount(landmark_of, minlength=n_landmarks)
    # Clusterers of scikit-learn refuse sparse rows with indices of 64 bits.
    columns = np.arange(len(landmark_of), dtype=np.int32)
    members = (1.0 / counts[landmark_of], (landmark_of.astype(np.int32), columns))
    mean_of = sp.csr_array(members, shape=(n_landmarks, len(landmark_of)))
    return mean_of @ X


@dataclass(frozen=True, eq=False)
class Neighbors:
    """Nearest samples or landmarks of new rows of features."""

    scaling: FeatureScaling
    index: NearestNeighbors

    def __call__(self, X: Any, n: int) -> tuple[NDArray[np.intp], FloatArray]:
        return nearest_rows(self.index, self.scaling.transform(X), n)


def nearest_rows(index: NearestNeighbors, rows: FloatArray, n: int) -> tuple[NDArray[np.intp], FloatArray]:
    """Positions and distances of the n nearest that were indexed, or of all if they are fewer."""
    with threads_here():
        distances, positions = index.kneighbors(rows, min(n, index.n_samples_fit_))
    return positions, distances


def nearest_by_distance(D: FloatArray, n: int) -> tuple[NDArray[np.intp], FloatArray]:
    """Of rows of distances to the samples of the fit the n least."""
    order = np.argsort(D, axis=1, kind="stable")[:, :n]
    return order, np.take_along_axis(D, order, axis=1)


def inverse_square_shares(
    indices: NDArray[np.intp], distances: FloatArray
) -> tuple[NDArray[np.intp], FloatArray]:
    """Weights 1 / d^2 that sum to 1 in every row; where distances are 0, those have it all."""
    zero = distances == 0.0
    weights = np.where(zero.any(axis=1, keepdims=True), zero, 0.0).astype(np.float64)
    away = ~zero.any(axis=1)
    # Relative to the nearest, so that tiny distances do not overflow.
    weights[away] = (distances[away, :1] / distances[away]) ** 2
    return indices, weights / weights.sum(axis=1, keepdims=True)


def weighted_means(values: FloatArray, indices: NDArray[np.intp], shares: FloatArray) -> FloatArray:
    """Of every row of indices the mean of the rows of values, weighted by shares."""
    means = np.zeros((len(indices), values.shape[1]))
    for column in range(indices.shape[1]):
        means += shares[:, column, None] * values[indices[:, column]]
    return means


def distinct_rows_of(rows: NDArray[Any]) -> NDArray[np.int32]:
    """Equal rows as clusters, numbered by first appearance."""
    return number_clusters(np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1))[0]


def at_distance_zero(D: NDArray[np.float64]) -> NDArray[np.int32]:
    """Samples at distance 0 as clusters, numbered by first appearance."""
    return number_clusters(connected_components(D == 0.0, directed=False)[1])[0]


def trivial_pool(n_samples: int) -> PartitionPool:
    """The partition into one cluster alone."""
    return PartitionPool(np.zeros((1, n_samples), dtype=np.int32), (TRIVIAL,))


def trivial_labels(
    n_clusters: int, n_samples: int, distinct: NDArray[np.int32] | None
) -> NDArray[np.int32] | None:
    """The only partition into so many clusters; None if there are several.

    Parameters
    ----------
    n_clusters : int
    n_samples : int
    distinct : ndarray of shape (n_samples,) or None
        Samples that nothing may part, equal rows and those joined by must-links, as clusters; None if
        none are known.

    Warns
    -----
    UserWarning
        Fewer of them than clusters.
    """
    if n_clusters == 1:
        return np.zeros(n_samples, dtype=np.int32)
    if distinct is not None and (n_distinct := int(distinct.max()) + 1) <= n_clusters:
        if n_distinct < n_clusters:
            warnings.warn(
                f"only {n_distinct} distinct rows, or groups joined by must-links, for "
                f"n_clusters={n_clusters}; each is its own cluster.",
                UserWarning,
                stacklevel=4,
            )
        return distinct
    return np.arange(n_samples, dtype=np.int32) if n_clusters == n_samples else None


def view_rows(
    name: str,
    view: Any,
    X: Any,
    scale: Scale,
    n_components: int,
    seed: int,
) -> FloatArray:
    """Scaled rows, shape (n_samples, n_kept), that a transformer or a choice of columns makes of X."""
    if hasattr(view, "fit_transform"):
        transformer = clone(view)
        if "random_state" in transformer.get_params() and transformer.random_state is None:
            transformer.set_params(random_state=seed)
        table = transformer.fit_transform(X)
    else:
        table = X[:, _columns(name, view, X.shape[1])]
    if table.ndim != 2 or table.shape[0] != X.shape[0]:
        raise ValueError(
            f"views: {name!r} must give one row per sample, {X.shape[0]} in all; got an array of shape "
            f"{table.shape}."
        )
    table = sp.csr_array(table) if sp.issparse(table) else np.asarray(table, dtype=np.float64)
    if not np.isfinite(table.data if sp.issparse(table) else table).all():
        raise ValueError(f"views: {name!r} gives values that are missing or infinite.")
    scaling = FeatureScaling.of(table, scale, n_components=n_components, seed=seed)
    return scaling.transform(table)


def _columns(name: str, view: Any, n_features: int) -> NDArray[np.intp]:
    numbers = np.arange(n_features)
    try:
        chosen: NDArray[np.intp] = numbers[view if isinstance(view, slice) else np.asarray(view)]
    except IndexError:
        chosen = numbers[:0]
    if chosen.ndim != 1 or not len(chosen):
        raise ValueError(
            f"views: {name!r} must be an object with fit_transform, or a list of columns from 0 to "
            f"{n_features - 1}; got {view!r}."
        )
    return chosen
