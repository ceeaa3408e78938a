"""Samples with their pool of partitions: tables, tables with landmarks, distances and bags."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from sklearn.base import clone
from sklearn.cluster import MiniBatchKMeans
from sklearn.decomposition import TruncatedSVD
from sklearn.neighbors import NearestNeighbors

from moo_clustering._arrays import (
    integer_seed,
    near_one,
    number_clusters,
    quoted,
    require_squares,
    row_sizes,
    spawn_seeds,
    unit_rows,
    warn_caller,
)
from moo_clustering._parallel import threads_here
from moo_clustering._types import BoolArray, FloatArray, IntArray, IntpArray, Labels
from moo_clustering.bags import Bags, BagTransformer, bag_distance_kinds, gaussian_bag_kernel
from moo_clustering.bags.distances import DISTANCE_KINDS
from moo_clustering.bags.embeddings import sliced_directions
from moo_clustering.estimators._base import row_keys
from moo_clustering.evidence.kernels import dense_affinity, diffusion, unit_diagonal
from moo_clustering.graphs import self_tuning_graph
from moo_clustering.pool import PartitionPool, candidate_pool, extra_partitions
from moo_clustering.pool.candidates import pool_of_bag_views
from moo_clustering.validity import ValidityIndex

Scale = Literal["standard", "isotropic", "none", "unit"]
Nearest = Callable[[Any, int], tuple[IntpArray, FloatArray]]
# Family of a pool with a single partition of one cluster.
TRIVIAL = "trivial"
# Number of landmarks or samples whose values are averaged for a new sample.
N_NEAREST = 3
# Rank of the neighbour whose distance identifies outliers, and the smallest number of samples for that.
_FAR_NEIGHBOR, _LEAST_FOR_FAR = 5, 20
# Outliers: robust deviations of the logarithmic distance beyond the median, smallest deviation, factor
# relative to the neighbours, and largest share.
_FAR_DEVIATIONS, _LEAST_DEVIATION, _FAR_RATIO, _MOST_FAR = 5.0, 0.1, 8.0, 0.05
# Passes, batch size and largest number of samples of the k-means that finds landmarks.
_PASSES, _BATCH, _SEEN = 10, 10_000, 250_000
# Outliers beyond this many standard deviations of the other samples have squares that could overflow.
_MOST_SCALED = 1e140
# Number of values of a table to scale at once: 256 MB. Larger tables are scaled again instead of stored.
_AT_ONCE = 1 << 25
# Ratio of the lengths of rows above which embeddings are unlikely to be by the same model.
_UNLIKE_LENGTHS = 1000.0
# Number of products of samples and landmarks to compute at once: 80 MB.
_PRODUCTS = 10_000_000
# Hilbert-space distances, whose Gaussian kernels are positive semidefinite.
_KERNEL_DISTANCES = ("energy", "sliced")
# Range of random walks on the graph.
_REACH = 0.9
# Distance that defines the neighbours of bags.
_GRAPH_DISTANCE = "average"


@dataclass(frozen=True, eq=False)
class PooledSamples:
    """Samples, and a pool of partitions of their points, or of landmarks: means of near samples."""

    # ``features`` are the scaled features of the points, None for distances and bags. Bags have ``kernels``
    # instead of graph and linear kernels. Distances and bags have ``coincident``, the points at distance 0 as
    # clusters. ``transform`` scales new samples, and ``nearest(X_new, n) -> positions, distances`` finds
    # their nearest points. ``landmark_of`` is the point of every sample, and ``scaled`` are the features of
    # all samples, or None for many samples, which have unscaled ``rows``. ``far``: outliers,
    # whose features are moved towards their nearest sample from ``far_rows``.

    n_samples: int
    graph: sp.csr_array
    pool: PartitionPool | None
    nearest: Nearest
    features: FloatArray | None = None
    landmark_of: Labels | None = None
    scaled: FloatArray | None = None
    rows: Any = None
    kernels: tuple[FloatArray, ...] = ()
    coincident: Labels | None = None
    transform: Callable[[Any], FloatArray] | None = None
    far: BoolArray | None = None
    far_rows: FloatArray | None = None

    @property
    def points_given(self) -> FloatArray | None:
        """Scaled features of the points, with outliers at their original positions."""
        if self.features is None or self.far is None or self.far_rows is None:
            return self.features
        points = self.features.copy()
        points[self.far] = self.far_rows
        return points

    @property
    def has_directions(self) -> bool:
        """Whether rows of features have unit length: reduced sparse data, or ``metric="cosine"``."""
        scaling = getattr(self.nearest, "scaling", None)
        return scaling is not None and (scaling.unit or scaling.components is not None)

    @property
    def n_points(self) -> int:
        """Number of samples, or of landmarks."""
        return int(self.graph.shape[0])

    @property
    def sample_features(self) -> FloatArray | None:
        """Scaled features of all samples, shape (n_samples, n_features), with landmarks, otherwise None."""
        if self.rows is None or self.transform is None:
            return self.scaled
        return self.transform(self.rows)

    def summed(self, values: FloatArray) -> FloatArray:
        """Sum the rows of values (n_samples, c) over the samples of every point, shape (n_points, c)."""
        if self.landmark_of is None:
            return values
        totals = np.zeros((self.n_points, values.shape[1]))
        np.add.at(totals, self.landmark_of, values)
        return totals

    def per_sample(self, labels: Labels) -> Labels:
        """Convert labels of points (..., n_points) to labels of samples (..., n_samples)."""
        return labels if self.landmark_of is None else labels[..., self.landmark_of]

    def per_point(self, labels: IntArray) -> Labels:
        """Convert labels of samples to labels of points. A landmark gets the label of one of its samples."""
        if self.landmark_of is None:
            return labels.astype(np.int32)
        of_points: Labels = np.zeros((*labels.shape[:-1], self.n_points), dtype=np.int32)
        of_points[..., self.landmark_of] = labels
        return of_points

    def interpolated(self, values: FloatArray) -> FloatArray:
        """Interpolate values of points (n_points, c) to samples by weighted means of the nearest points."""
        return values if self.landmark_of is None else nearest_mean(values, *self._nearest_landmarks)

    def nearest_points(self, chosen: IntpArray) -> tuple[IntpArray, FloatArray]:
        """Find the points nearest to samples: positions and distances, shape (n_selected, n_nearest)."""
        if self.landmark_of is None:
            return chosen[:, None], np.zeros((len(chosen), 1))
        positions, distances = self._nearest_landmarks
        return positions[chosen], distances[chosen]

    @cached_property
    def _nearest_landmarks(self) -> tuple[IntpArray, FloatArray]:
        features = self.sample_features
        assert self.features is not None
        assert features is not None
        return _indexed_nearest(NearestNeighbors().fit(self.features), features, N_NEAREST)

    @cached_property
    def similarity(self) -> FloatArray:
        """Graph kernel of all pairs of points, or the sum of the bag kernels. O(n_points^3) time, once."""
        if self.kernels:
            return np.sum(self.kernels, axis=0)
        return unit_diagonal(self.walk)

    @cached_property
    def walk(self) -> FloatArray:
        """Random walks on the graph, (I - .9 B)^-1, for its kernel and the propagation of pairs."""
        return diffusion(dense_affinity(self.graph), _REACH)

    @cached_property
    def nearest_landmarks(self) -> tuple[IntpArray, FloatArray]:
        """Nearest landmarks of every sample, and their weights."""
        positions, distances = self._nearest_landmarks
        return positions, nearest_weights(distances)

    @cached_property
    def scored(self) -> dict[str, tuple[tuple[ValidityIndex, ...], FloatArray]]:
        """Fitted agreement and criterion by name of the criterion, with their values for the pool."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        # Pickles omit derived attributes.
        derived = {"scored", "similarity", "walk", "nearest_landmarks", "_nearest_landmarks", "_inliers"}
        return {name: value for name, value in self.__dict__.items() if name not in derived}

    def outlying(self, X: Any) -> BoolArray:
        """Mask of the new samples that are outliers with respect to the fit, see :func:`far_points`."""
        if self.transform is None or self._inliers is None:
            return np.zeros(X.shape[0], dtype=bool)
        search, reach = self._inliers
        with threads_here():
            distances, neighbors = search.kneighbors(self.transform(X))
        return _are_far(distances[:, -1], neighbors, reach)

    @cached_property
    def _inliers(self) -> tuple[NearestNeighbors, FloatArray] | None:
        """Search index of the points except outliers, and the distances of their fifth neighbours."""
        assert self.features is not None
        near = self.features if self.far is None else self.features[~self.far]
        if len(near) < _LEAST_FOR_FAR:
            return None
        with threads_here():
            search = NearestNeighbors(n_neighbors=_FAR_NEIGHBOR).fit(near)
            reach: FloatArray = search.kneighbors()[0][:, -1]
        return (search, reach) if reach.any() else None

    @cached_property
    def equal_points(self) -> Labels | None:
        """Groups of equal points as clusters, or None if unknown."""
        if self.features is None:
            return self.coincident
        return number_clusters(np.unique(self.features, axis=0, return_inverse=True)[1].reshape(-1))[0]


def extended(
    samples: PooledSamples, new: FloatArray, apart: BoolArray, *, n_landmarks: int, **options: Any
) -> PooledSamples:
    """Add new scaled rows to the samples of a fit, and their clusters to the partitions of its pool."""
    # Distinct new rows become points if there are at most ``n_landmarks`` points in all. Otherwise, only rows
    # ``apart`` from the fit become points or, if they are too many, a tenth of ``n_landmarks`` means of them.
    # In every partition, a new point joins the cluster of the nearest earlier point. Unless ``k_range`` is
    # None, partitions of ``candidate_pool`` replace those of the same family and number of clusters.
    old, pool, scaled = samples.points_given, samples.pool, samples.sample_features
    assert old is not None
    assert pool is not None
    every = np.concatenate([old if scaled is None else scaled, new])
    known = set(row_keys(old))
    fresh = np.array([row for row, key in zip(new, row_keys(new), strict=True) if key not in known])
    fresh = np.unique(fresh.reshape(-1, old.shape[1]), axis=0)
    own = samples.landmark_of is None and len(old) + len(fresh) <= n_landmarks
    if len(fresh) and not own and len(old) + len(fresh) > n_landmarks:
        fresh = np.unique(new[apart], axis=0)
        if len(fresh) > (most := max(1, n_landmarks // 10)):
            fresh = _centers(fresh, most, 0)[1]
    points, far = np.concatenate([old, fresh]), samples.far
    if len(fresh):
        far = far_points(points)
        if len(points) - far.sum() <= (options["n_clusters"] or 0):
            far[:] = False
    drawn = points if far is None or not far.any() else _drawn_in(points, far)
    with threads_here():
        # Without landmarks, every earlier sample is a point, even if it equals another.
        search = NearestNeighbors(n_neighbors=1).fit(drawn)
        landmark_of = search.kneighbors(every, return_distance=False)[:, 0].astype(np.int32)
        if own:
            landmark_of[: len(old)] = np.arange(len(old))
            position = {key: place for place, key in reversed([*enumerate(row_keys(points))])}
            landmark_of[len(old) :] = [position[key] for key in row_keys(new)]
        origin = np.arange(len(points))
        if len(fresh):
            nearest = NearestNeighbors(n_neighbors=1).fit(old).kneighbors(fresh, return_distance=False)
            origin[len(old) :] = nearest[:, 0]
    if not len(fresh):
        return replace(samples, n_samples=len(every), landmark_of=landmark_of, scaled=every)
    kept, landmark_of = np.unique(landmark_of, return_inverse=True)
    points, drawn, far, origin = points[kept], drawn[kept], far[kept], origin[kept]  # type: ignore[index]
    graph = self_tuning_graph(drawn, n_neighbors=options["n_neighbors"], n_jobs=options["n_jobs"])
    found = replace(
        samples,
        n_samples=len(every),
        graph=graph,
        pool=PartitionPool(pool.labels[:, origin], pool.families),
        nearest=_TableNeighbors(samples.nearest.scaling, drawn),  # type: ignore[attr-defined]
        features=drawn,
        landmark_of=landmark_of.astype(np.int32),
        scaled=every,
        far=far,
        far_rows=points[far],
    )
    if len(points) < 3 or (drawn == drawn[0]).all():
        return replace(found, pool=_trivial_pool(len(points)))
    trivial = pool.families[0] == TRIVIAL
    members = [] if trivial else list(zip(pool.families, pool.labels[:, origin], strict=True))
    if trivial or options["k_range"] is not None:
        again = candidate_pool(drawn, graph=graph, random_state=0, **options)
        sizes = set(zip(again.families, again.n_clusters.tolist(), strict=True))
        members = [each for each in members if (each[0], len(np.unique(each[1]))) not in sizes]
        members += zip(again.families, again.labels, strict=True)
    return replace(found, pool=PartitionPool.of(members))


def nearest_mean(values: FloatArray, positions: IntpArray, distances: FloatArray) -> FloatArray:
    """Compute means (n, c) of rows at ``positions`` (n, n_nearest), weighted by inverse squared distances."""
    shares = nearest_weights(distances)
    means = np.zeros((len(positions), values.shape[1]))
    for column in range(positions.shape[1]):
        means += shares[:, column, None] * values[positions[:, column]]
    return means


def nearest_weights(distances: FloatArray) -> FloatArray:
    """Compute inverse squares of distances, normalised per row. Distances of 0 get the total weight."""
    zero = distances == 0.0
    weights = np.where(zero.any(axis=1, keepdims=True), zero, 0.0).astype(np.float64)
    away = ~zero.any(axis=1)
    # Divide by the nearest, so that tiny distances do not overflow.
    weights[away] = (distances[away, :1] / distances[away]) ** 2
    return weights / weights.sum(axis=1, keepdims=True)


def pooled_table(
    X: Any,
    *,
    scale: Scale,
    n_components: int,
    n_landmarks: int,
    views: Mapping[str, Any] | None,
    extra: Sequence[Any] | None,
    n_neighbors: int,
    n_jobs: int | None,
    seed: np.random.SeedSequence,
    **grid: Any,
) -> PooledSamples:
    """Scale a table, represent it by landmarks if it is long, and build the pool of all its views."""
    placing, viewing, extra_seed = seed.spawn(3)
    scaling = FeatureScaling.of(X, scale, n_components=n_components)
    points, landmark_of, all_features = _placed(X, scaling, n_landmarks, integer_seed(placing))
    far = far_points(points)
    if far.any() and scaling.components is None:
        # Exclude outliers from the scaling too, which can reveal further outliers.
        outside = far if landmark_of is None else far[landmark_of]
        scaling = FeatureScaling.of(X, scale, n_components=n_components, among=~outside)
        points, landmark_of, all_features = _placed(X, scaling, n_landmarks, integer_seed(placing))
        largest = np.abs(points).max(axis=0)
        if largest.max() > _MOST_SCALED:
            raise ValueError(
                f"column {scaling.varying[largest.argmax()]} of X has a value so far from the others that "
                "squared distances overflow; correct it, or leave out its row"
            )
        before = outside if landmark_of is None else np.bincount(landmark_of, ~outside) == 0.0
        far = before | far_points(points)
    if len(points) - far.sum() <= (grid["n_clusters"] or 0):
        # This number of clusters requires every sample.
        far[:] = False
    given = points
    if far.any():
        points = _drawn_in(points, far)
    samples = PooledSamples(
        X.shape[0],
        self_tuning_graph(points, n_neighbors=n_neighbors, n_jobs=n_jobs),
        _trivial_pool(len(points)),
        _TableNeighbors(scaling, points),
        points,
        landmark_of,
        all_features,
        None if landmark_of is None or all_features is not None else X,
        transform=scaling.transform,
        far=far,
        far_rows=given[far],
    )
    if len(points) < 3 or (points == points[0]).all():
        return samples
    tables = {"": points}
    for name, view in (views or {}).items():
        table = _view_table(name, view, X, scale, n_components, integer_seed(viewing))
        tables[name] = table if landmark_of is None else _landmark_means(table, landmark_of)
    candidates = _extra_candidates(extra, X, landmark_of, extra_seed)
    options = {"n_neighbors": n_neighbors, "n_jobs": n_jobs, **grid}
    return replace(samples, pool=_pool_of_views(tables, samples.graph, candidates, options))


def pooled_distances(
    D: FloatArray,
    *,
    extra: Sequence[Any] | None,
    n_neighbors: int,
    n_jobs: int | None,
    seed: np.random.SeedSequence,
    **grid: Any,
) -> PooledSamples:
    """Build the pool from symmetric distances of shape (n_samples, n_samples)."""
    extra_seed = seed.spawn(1)[0]
    samples = PooledSamples(
        len(D),
        self_tuning_graph(D, n_neighbors=n_neighbors, metric="precomputed", n_jobs=n_jobs),
        _trivial_pool(len(D)),
        _least_distances,
        coincident=_at_distance_zero(D),
    )
    if len(D) < 3 or not D.any():
        return samples
    candidates = _extra_candidates(extra, D, None, extra_seed, "precomputed")
    options = {"metric": "precomputed", "n_neighbors": n_neighbors, "n_jobs": n_jobs, **grid}
    return replace(samples, pool=_pool_of_views({"": D}, samples.graph, candidates, options))


def pooled_bags(
    bags: Bags,
    *,
    distances: Sequence[str] = ("symmetric", "average", "energy", "sliced"),
    embeddings: Sequence[str] = ("mean", "stats", "stats_pca", "prototypes"),
    normalize: bool = True,
    max_instances: int | None = None,
    k_range: Any = "auto",
    n_clusters: int | None = None,
    extra: Sequence[Any] | None = None,
    n_neighbors: int = 10,
    n_jobs: int | None = None,
    verbose: bool = False,
    seed: np.random.SeedSequence,
    needs_pool: bool = True,
) -> PooledSamples:
    """Compute all pairwise distances of bags, their graph and kernels and, if needed, the pool."""
    # ``extra`` clusterers are fitted to means of bags. O(n_instances^2 n_features + n_bags^3) time.
    extra_seed, rest = seed.spawn(2)
    candidates = _extra_candidates(extra, bags.means() if extra else None, None, extra_seed)
    thinning, lines = spawn_seeds(np.random.default_rng(rest), 2)
    scaler = BagTransformer().fit(bags) if normalize else None
    scaled = thinned(bags if scaler is None else scaler.transform(bags), max_instances, thinning)
    directions = sliced_directions(scaled.n_features, np.random.default_rng(lines))
    # One pass computes all kinds at little more than the cost of two kinds.
    between = bag_distance_kinds(scaled, directions=directions, kinds=DISTANCE_KINDS, n_jobs=n_jobs)
    graph = self_tuning_graph(
        between[_GRAPH_DISTANCE], n_neighbors=n_neighbors, metric="precomputed", n_jobs=n_jobs
    )
    pool = _trivial_pool(bags.n_bags) if needs_pool else None
    # Equal bags, or fewer than three bags, have no pool.
    if needs_pool and bags.n_bags > 2 and any(matrix.any() for matrix in between.values()):
        pool = pool_of_bag_views(
            scaled,
            between,
            distances=distances,
            embeddings=embeddings,
            graphs={_GRAPH_DISTANCE: graph},
            k_range=k_range,
            n_clusters=n_clusters,
            n_neighbors=n_neighbors,
            extra=candidates,
            n_jobs=n_jobs,
            verbose=verbose,
        )
    return PooledSamples(
        bags.n_bags,
        graph,
        pool,
        BagNeighbors(scaled, scaler, directions, max_instances, thinning, n_jobs),
        kernels=tuple(gaussian_bag_kernel(between[kind]) for kind in _KERNEL_DISTANCES),
        # Hausdorff distances are 0 only between bags of the same instances.
        coincident=_at_distance_zero(between["symmetric"]),
    )


@dataclass(frozen=True, eq=False)
class FeatureScaling:
    """Offset and scale of every varying feature, or for sparse data a reduction to principal components."""

    offset: FloatArray  # offset, spread: shape (n_varying,)
    spread: FloatArray
    varying: IntpArray  # shape (n_varying,): features that are not constant
    # Reduction of sparse data and directions, after which rows are scaled to unit length.
    components: TruncatedSVD | None = None
    unit: bool = False  # whether rows are scaled to unit length without a reduction

    @classmethod
    def of(cls, X: Any, scale: Scale, *, n_components: int, among: BoolArray | None = None) -> Self:
        """Learn the scaling of a dense or sparse table, in blocks of columns if it is large."""
        # ``"isotropic"`` scales all features by one factor. Sparse data with more than ``n_components``
        # features are reduced, and ``scale`` is ignored. Only samples of the mask ``among`` are used.
        if sp.issparse(X) and min(X.shape) > n_components:
            # Without variance, shares of explained variance are undefined.
            with np.errstate(invalid="ignore"):
                svd = TruncatedSVD(n_components, random_state=0).fit(near_one(X, together=True))
            return cls(np.zeros(n_components), np.ones(n_components), np.arange(n_components), svd)
        if scale == "unit":
            n_samples, n_features = X.shape
            if min(X.shape) <= n_components:
                return cls(np.zeros(n_features), np.ones(n_features), np.arange(n_features), unit=True)
            n_rows = min(n_samples, max(n_features, _AT_ONCE // n_features))
            rows = np.arange(n_samples)
            if n_rows < n_samples:
                rows = np.sort(np.random.default_rng(0).choice(n_samples, n_rows, replace=False))
            svd = TruncatedSVD(n_components, random_state=0).fit(unit_rows(_floating(X[rows])))
            return cls(np.zeros(n_components), np.ones(n_components), np.arange(n_components), svd)
        n_parts = -(-X.shape[0] * X.shape[1] // _AT_ONCE)
        parts = np.array_split(np.arange(X.shape[1]), min(n_parts, X.shape[1]))

        def values(columns: IntpArray) -> FloatArray:
            some = X if len(columns) == X.shape[1] else X[:, columns]
            return _dense(some if among is None else some[among])

        ends = [(rows.min(axis=0), rows.max(axis=0)) for rows in map(values, parts)]
        low, high = (np.concatenate(each) for each in zip(*ends, strict=True))
        varying = np.flatnonzero(high > low)
        if scale == "none":
            require_squares(np.vstack([low, high]))
            return cls(np.zeros(len(varying)), np.ones(len(varying)), varying)
        # Divide by half the range first, so that squares of tiny and huge numbers stay within bounds.
        half = high / 2 - low / 2
        middle = low / 2 + high / 2
        if scale == "isotropic":
            half = np.full(len(half), half.max(initial=0.0))
        mean, spread = np.zeros(len(half)), np.zeros(len(half))
        for part in parts:
            inner = np.isin(part, varying)
            columns = part[inner]
            unit = values(part)[:, inner]
            unit = (unit / 2 - middle[columns] / 2) / (half[columns] / 2)
            # Sort, so that the sums do not depend on the order of the rows.
            unit.sort(axis=0)
            mean[columns], spread[columns] = unit.mean(axis=0), unit.std(axis=0)
        half, middle, mean, spread = half[varying], middle[varying], mean[varying], spread[varying]
        if scale == "isotropic" and len(varying):
            # One standard deviation for all features, around the mean of each.
            spread = np.full(len(varying), np.sqrt((spread**2).mean()))
        return cls(middle + mean * half, spread * half, varying)

    def transform(self, X: Any) -> FloatArray:
        """Scale rows, shape (n, n_varying), or one column of zeros if no feature varies."""
        if self.components is not None:
            parts = [self.components.transform(near_one(_floating(part))) for part in _row_parts(X)]
            return np.ascontiguousarray(unit_rows(np.concatenate(parts, dtype=np.float64)))
        if self.unit:
            return np.ascontiguousarray(unit_rows(_dense(X)))
        if not len(self.varying):
            return np.zeros((X.shape[0], 1))
        rows = np.array(_dense(X)[:, self.varying], order="C")
        # In place and with halves, so that large numbers do not overflow.
        rows /= 2
        rows -= self.offset / 2
        rows /= self.spread / 2
        return rows


def warn_of_lengths(X: Any) -> None:
    """Warn of rows of zeros, which have no direction, and of dense rows of very different lengths."""
    sizes = np.concatenate([row_sizes(part) for part in _row_parts(X)])
    if n_zero := int((sizes == 0.0).sum()):
        warn_caller(
            f"{n_zero} of {len(sizes)} rows of X contain only zeros, so that their direction is undefined; "
            "leave them out, or their clusters have no meaning"
        )
    sizes = sizes[sizes > 0.0]
    if not sp.issparse(X) and len(sizes) and sizes.max() > _UNLIKE_LENGTHS * sizes.min():
        warn_caller(
            f"the largest value of a row of X is {sizes.min():.3g} to {sizes.max():.3g}, which "
            'metric="cosine" ignores; check that all rows are embeddings by the same model'
        )


def _row_parts(X: Any) -> list[Any]:
    """Return views of dense rows, few enough to be converted at once, or sparse data as they are."""
    step = max(1, _AT_ONCE // max(1, X.shape[1]))
    if sp.issparse(X) or X.shape[0] <= step:
        return [X]
    return [X[low : low + step] for low in range(0, X.shape[0], step)]


def _floating(X: Any) -> Any:
    """Convert small integers to single precision, which represents them exactly."""
    return X if X.dtype.kind == "f" else X.astype(np.result_type(X.dtype, np.float32))


def _dense(X: Any) -> FloatArray:
    return np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)


def _placed(
    X: Any, scaling: FeatureScaling, n_landmarks: int, seed: int
) -> tuple[FloatArray, Labels | None, FloatArray | None]:
    """Return scaled samples, or up to ``n_landmarks`` means of near samples, with every sample's landmark."""
    # Also returns the scaled features of all samples, or None if they exceed the memory limit. Mini-batch
    # k-means of up to 250,000 samples finds the landmarks. All have equal weight, which reduces the weight of
    # dense regions and helps clusters of different sizes. O(n_samples n_landmarks n_features) time.
    n_samples = X.shape[0]
    if n_samples <= n_landmarks:
        return scaling.transform(X), None, None
    n_features = max(1, len(scaling.varying))
    step = max(1, _AT_ONCE // n_features)
    features = scaling.transform(X) if n_samples <= step else None

    def blocks() -> Iterator[tuple[int, FloatArray]]:
        for low in range(0, n_samples, step):
            yield low, scaling.transform(X[low : low + step]) if features is None else features

    seen: Any = slice(None)
    if n_samples > _SEEN:
        seen = np.sort(np.random.default_rng(seed).choice(n_samples, _SEEN, replace=False))
    half, centers = _centers(
        scaling.transform(X[seen]) if features is None else features[seen], n_landmarks, seed
    )
    nearest = np.empty(n_samples, dtype=np.int32)
    rows_at_once = max(1, _PRODUCTS // len(centers))
    for start, block in blocks():
        for low in range(0, len(block), rows_at_once):
            some = block[low : low + rows_at_once]
            # The nearest centre has the greatest x.c - |c|^2 / 2.
            nearest[start + low : start + low + len(some)] = (some @ centers.T - half).argmax(axis=1)
    counts = np.bincount(nearest, minlength=len(centers))
    landmark_of: Labels = (np.cumsum(counts > 0) - 1).astype(np.int32)[nearest]
    counts = counts[counts > 0]
    means = np.zeros((len(counts), n_features))
    for start, block in blocks():
        means += _weighted_sums(block, landmark_of[start : start + len(block)], counts)
    return means, landmark_of, features


def _centers(rows: FloatArray, n_landmarks: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """Compute centres by mini-batch k-means, and halves of their squared norms."""
    kmeans = MiniBatchKMeans(
        n_landmarks,
        init="random",
        n_init=1,
        max_iter=_PASSES,
        batch_size=min(len(rows), _BATCH),
        # Stopping rules compare sums whose last digits depend on the number of threads.
        max_no_improvement=None,
        tol=0.0,
        compute_labels=False,
        random_state=seed,
    )
    centers = kmeans.fit(rows).cluster_centers_
    return 0.5 * np.einsum("ij,ij->i", centers, centers), centers


def far_points(points: FloatArray) -> BoolArray:
    """Return a mask of the outliers: samples far from all others, not only in a sparse region."""
    # The logarithm of an outlier's distance to its fifth neighbour exceeds the median by five robust standard
    # deviations, and the distance is eight times that of at least two of these neighbours, because outliers
    # can be neighbours. All are False for fewer than 20 samples, or if more than 5 % were outliers.
    none = np.zeros(len(points), dtype=bool)
    if len(points) < _LEAST_FOR_FAR:
        return none
    with threads_here():
        distances, neighbors = NearestNeighbors(n_neighbors=_FAR_NEIGHBOR).fit(points).kneighbors()
    reach = distances[:, -1]
    if not reach.any():
        return none
    far = _are_far(reach, neighbors, reach)
    return far if far.mean() <= _MOST_FAR else none


def _are_far(distance: FloatArray, neighbors: IntpArray, reach: FloatArray) -> BoolArray:
    """Mask of the rows whose ``distance`` to the fifth neighbour is large relative to their neighbours'."""
    least = reach[reach > 0.0].min()
    log, usual = np.log(np.maximum(distance, least)), np.log(np.maximum(reach, least))
    middle = float(np.median(usual))
    deviation = max(1.4826 * float(np.median(np.abs(usual - middle))), _LEAST_DEVIATION)
    ratio = log - np.partition(usual[neighbors], 1, axis=1)[:, 1]
    return (log - middle > _FAR_DEVIATIONS * deviation) & (ratio > np.log(_FAR_RATIO))


def _drawn_in(points: FloatArray, far: BoolArray) -> FloatArray:
    """Move outliers towards their nearest inlier, to the distance of its fifth neighbour."""
    near = points[~far]
    with threads_here():
        search = NearestNeighbors(n_neighbors=_FAR_NEIGHBOR).fit(near)
        distance, nearest = search.kneighbors(points[far], 1)
        reach = search.kneighbors()[0][nearest[:, 0], -1]
    drawn = points.copy()
    base = near[nearest[:, 0]]
    drawn[far] = base + (points[far] - base) * (np.minimum(reach, distance[:, 0]) / distance[:, 0])[:, None]
    return drawn


def _landmark_means(X: Any, landmark_of: Labels) -> Any:
    """Return the mean of the samples of every landmark, sparse if X is sparse."""
    return _weighted_sums(X, landmark_of, np.bincount(landmark_of))


def _weighted_sums(X: Any, landmark_of: Labels, counts: IntpArray) -> Any:
    """Divide the sum of the rows of every landmark by its entry of ``counts``."""
    # Clusterers of scikit-learn reject sparse matrices with 64-bit indices.
    columns = np.arange(len(landmark_of), dtype=np.int32)
    members = (1.0 / counts[landmark_of], (landmark_of.astype(np.int32), columns))
    return sp.csr_array(members, shape=(len(counts), len(landmark_of))) @ X


def _view_table(name: str, view: Any, X: Any, scale: Scale, n_components: int, seed: int) -> FloatArray:
    """Return the scaled output of a transformer, or scaled columns of X, shape (n_samples, n_varying)."""
    if hasattr(view, "fit_transform"):
        transformer = clone(view)
        if "random_state" in transformer.get_params() and transformer.random_state is None:
            transformer.set_params(random_state=seed)
        table = transformer.fit_transform(X)
    else:
        table = X[:, _view_columns(name, view, X.shape[1])]
    if table.ndim != 2 or table.shape[0] != X.shape[0]:
        raise ValueError(
            f"views: {name!r} must return one row per sample, {X.shape[0]} in all; got an array of shape "
            f"{table.shape}."
        )
    table = sp.csr_array(table) if sp.issparse(table) else np.asarray(table, dtype=np.float64)
    if not np.isfinite(table.data if sp.issparse(table) else table).all():
        raise ValueError(f"views: {name!r} returns missing or infinite values.")
    return FeatureScaling.of(table, scale, n_components=n_components).transform(table)


def _view_columns(name: str, view: Any, n_features: int) -> IntpArray:
    numbers = np.arange(n_features)
    try:
        chosen: IntpArray = numbers[view if isinstance(view, slice) else np.asarray(view)]
    except IndexError:
        chosen = numbers[:0]
    if chosen.ndim != 1 or not len(chosen):
        raise ValueError(
            f"views: {name!r} must be an object with fit_transform, or a list of column numbers from "
            f"0 to {n_features - 1}; got {quoted(view)}."
        )
    return chosen


def _extra_candidates(
    extra: Sequence[Any] | None,
    X: Any,
    landmark_of: Labels | None,
    seed: np.random.SeedSequence,
    metric: str = "euclidean",
) -> list[tuple[str, IntArray]]:
    """Return partitions from user-supplied labels and clusterers, as (family, labels of the points)."""
    if not extra:
        return []
    return extra_partitions(
        extra,
        X if landmark_of is None else _landmark_means(X, landmark_of),
        n_samples=X.shape[0],
        landmark_of=landmark_of,
        rng=np.random.default_rng(seed),
        metric=metric,
    )


def _pool_of_views(
    tables: Mapping[str, FloatArray],
    graph: sp.csr_array,
    extra: list[tuple[str, IntArray]],
    options: dict[str, Any],
) -> PartitionPool:
    """Join the pools of all tables; only the first, named "", uses ``graph`` and the extra candidates."""
    if options["n_clusters"] is not None:
        # With many equal samples, landmarks can be fewer than clusters.
        options = options | {"n_clusters": min(options["n_clusters"], len(tables[""]))}
    joined: PartitionPool | None = None
    for name, table in tables.items():
        pool = candidate_pool(
            table,
            graph=None if name else graph,
            extra_candidates=extra if extra and not name else None,
            random_state=0,
            **options,
        )
        joined = pool if joined is None else joined.joined(pool.tagged(name))
    assert joined is not None
    return joined


def _trivial_pool(n_points: int) -> PartitionPool:
    return PartitionPool(np.zeros((1, n_points), dtype=np.int32), (TRIVIAL,))


@dataclass(frozen=True, eq=False)
class _TableNeighbors:
    """Search for the points nearest to new rows of features."""

    scaling: FeatureScaling
    points: FloatArray

    @cached_property
    def index(self) -> NearestNeighbors:
        """Tree of the points, built by the first search and not saved."""
        return NearestNeighbors().fit(self.points)

    def __getstate__(self) -> dict[str, Any]:
        return {"scaling": self.scaling, "points": self.points}

    def __call__(self, X: Any, n: int) -> tuple[IntpArray, FloatArray]:
        return _indexed_nearest(self.index, self.scaling.transform(X), n)


def _indexed_nearest(index: NearestNeighbors, rows: FloatArray, n: int) -> tuple[IntpArray, FloatArray]:
    """Return positions and distances of the n nearest indexed rows, or of all if they are fewer."""
    with threads_here():
        distances, positions = index.kneighbors(rows, min(n, index.n_samples_fit_))
    return positions, distances


def _least_distances(D: FloatArray, n: int) -> tuple[IntpArray, FloatArray]:
    """Return positions and values of the n least entries of every row (ties: the first)."""
    order = np.argsort(D, axis=1, kind="stable")[:, :n]
    return order, np.take_along_axis(D, order, axis=1)


@dataclass(frozen=True, eq=False)
class BagNeighbors:
    """Search for the nearest bags of the fit, scaled and subsampled, by the average distance."""

    bags: Bags
    scaler: BagTransformer | None
    directions: FloatArray
    max_instances: int | None
    thinning_seed: np.random.SeedSequence
    n_jobs: int | None

    def __call__(self, new_bags: Bags, n: int) -> tuple[IntpArray, FloatArray]:
        """Find the nearest bags: positions and distances, shape (n_new, min(n, n_bags)), nearest first."""
        new = new_bags if self.scaler is None else self.scaler.transform(new_bags)
        new = thinned(new, self.max_instances, self.thinning_seed)
        across = bag_distance_kinds(
            new, self.bags, kinds=(_GRAPH_DISTANCE,), directions=self.directions, n_jobs=self.n_jobs
        )
        return _least_distances(across[_GRAPH_DISTANCE], n)


def thinned(bags: Bags, max_instances: int | None, seed: np.random.SeedSequence) -> Bags:
    """Subsample bags with more than ``max_instances`` instances at random, in their order."""
    if max_instances is None:
        return bags
    if max_instances < 1:
        raise ValueError(f"max_instances must be None or at least 1, got {max_instances}")
    if bags.sizes.max() <= max_instances:
        return bags
    # One key per position in a bag, so that the order of the bags has no influence.
    keys = np.random.default_rng(seed).random(int(bags.sizes.max()))
    place = np.arange(bags.n_instances) - np.repeat(bags.offsets[:-1], bags.sizes)
    order = np.lexsort((keys[place], bags.bag_of_instance))
    rank = np.empty(bags.n_instances, dtype=np.int64)
    rank[order] = place
    drawn = rank < max_instances
    offsets = np.concatenate([[0], np.cumsum(np.minimum(bags.sizes, max_instances))])
    return Bags(bags.instances[drawn], offsets, bag_ids=bags.bag_ids, feature_names=bags.feature_names)


def _at_distance_zero(D: FloatArray) -> Labels:
    """Return points at distance 0 as clusters."""
    return number_clusters(connected_components(D == 0.0, directed=False)[1])[0]
