"""Samples and the pool of their partitions, for feature tables, distance matrices and bags."""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial, reduce
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from numpy.linalg import eigh
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import eigsh
from sklearn.base import clone
from sklearn.neighbors import NearestNeighbors

from moo_clustering._arrays import integer_seed, number_clusters, quoted, spawn_seeds
from moo_clustering._data import warn_of_lengths
from moo_clustering._parallel import one_thread, threads_here
from moo_clustering._types import BoolArray, FloatArray, Int64Array, IntArray, IntpArray, Labels
from moo_clustering.bags import Bags, BagTransformer, bag_distance_kinds, gaussian_bag_kernel
from moo_clustering.bags.distances import DISTANCE_KINDS
from moo_clustering.bags.embeddings import sliced_directions
from moo_clustering.estimators import _pareto_landmarks as placement
from moo_clustering.estimators._base import row_keys
from moo_clustering.estimators._pareto_landmarks import Nearest, Scale
from moo_clustering.evidence.kernels import dense_affinity, diffusion, unit_diagonal
from moo_clustering.graphs import self_tuning_graph
from moo_clustering.parts import Parts
from moo_clustering.parts.statistics import Survey, draw, grain, key_limit, on_grain
from moo_clustering.pool import PartitionPool, candidate_pool, extra_partitions
from moo_clustering.pool.candidates import pool_of_bag_views
from moo_clustering.validity import ValidityIndex

# Landmarks are placed using a sample of rows, whose size is within these limits. It shrinks for wide tables.
_LEAST_SAMPLED, _MOST_SAMPLED = 20_000, 250_000
# Fewer landmarks than this number are repeated, because the algorithms need several points per cluster.
_FEW_LANDMARKS = 20
NO_ROWS: Int64Array = np.zeros(0, dtype=np.int64)
# In-memory tables are processed in blocks of this number of scaled values (8 MB).
_BLOCK_VALUES = 1 << 20
# A pool that contains only the partition with one cluster has this family name.
_TRIVIAL = "trivial"
# Values for a new sample are averaged over this number of nearest points.
N_NEAREST = 3
_AT_ONCE = 100_000
# Principal coordinates are omitted above this number and below this share of the largest eigenvalue.
_MOST_COORDINATES, _LEAST_EIGENVALUE = 50, 1e-6
_GRAPH_DISTANCE = "average"


class RowCounts(NamedTuple):
    """Statistics of the table rows that each landmark represents."""

    rows: IntpArray
    outliers: IntpArray
    first: IntpArray  # index of the first row
    inlier: IntpArray  # index of the first row that is not an outlier, or the largest integer if none
    widest: FloatArray  # largest distance from a row to the landmark

    @classmethod
    def of(cls, at: IntArray, away: FloatArray, outlying: BoolArray, n_points: int, start: int = 0) -> Self:
        """Compute the statistics of the rows from index ``start`` on, given their landmarks and distances."""
        number, inside = start + np.arange(len(at)), ~outlying
        first, inlier = np.full((2, n_points), np.iinfo(np.intp).max)
        np.minimum.at(first, at, number)
        np.minimum.at(inlier, at[inside], number[inside])
        widest = np.zeros(n_points)
        np.maximum.at(widest, at, away)
        rows, outliers = (np.bincount(each, minlength=n_points) for each in (at, at[outlying]))
        return cls(rows, outliers, first, inlier, widest)

    def merged(self, other: Self) -> Self:
        first, inlier = (np.minimum(*both) for both in zip(self[2:4], other[2:4], strict=True))
        rows, outliers = self.rows + other.rows, self.outliers + other.outliers
        return type(self)(rows, outliers, first, inlier, np.maximum(self.widest, other.widest))

    def at(self, points: Any) -> Self:
        return type(self)(*(values[points] for values in self))


@dataclass(frozen=True, eq=False)
class PooledSamples:
    """Samples, and a pool of partitions of the points.

    The points are the landmarks or, without landmarks, the samples.
    """

    n_samples: int
    graph: sp.csr_array
    pool: PartitionPool | None
    nearest: Nearest  # ``nearest(X_new, n)``: indices and distances of the points nearest to new samples
    features: FloatArray | None = None  # scaled features of the points; None for distances and bags
    landmark_of: Labels | None = None  # landmark of each sample; None without landmarks
    # Scaled features of all samples. None without landmarks, for many samples, and in most pickles.
    scaled: FloatArray | None = None
    rows: Any = None  # unscaled features of many samples; None in pickles
    kernels: tuple[FloatArray, ...] = ()  # kernels of bags, used in place of graph and linear kernels
    coincident: Labels | None = None  # groups of points at distance 0, for distances and bags
    coordinates: FloatArray | None = None  # principal coordinates of the points, for distances
    transform: Callable[[Any], FloatArray] | None = None  # scales the features of new samples
    far: BoolArray | None = None  # outlier mask of the points
    far_rows: FloatArray | None = None  # features of the outliers before they were moved towards inliers
    outliers: BoolArray | None = None  # outlier mask of the samples, with landmarks
    rare: Labels | None = None  # rare group of each landmark (-1 if none); None without rare groups
    apart: BoolArray | None = None  # mask of the rare groups that are clusters in all partitions of the pool
    # For a partitioned table, the samples are the landmarks, followed by the rows with labels or pairs.
    counts: RowCounts | None = None  # statistics of the table rows that each landmark represents
    known_rows: Int64Array | None = None  # indices of the table rows with labels or pairs

    @property
    def n_rows(self) -> int:
        """Number of samples or, for a partitioned table, number of table rows."""
        return self.n_samples if self.counts is None else int(self.counts.rows.sum())

    @property
    def sizes(self) -> FloatArray:
        """Number of samples or, for a partitioned table, number of table rows that each point represents."""
        if self.counts is not None:
            return self.counts.rows.astype(np.float64)
        if self.landmark_of is None:
            return np.ones(self.n_samples)
        return np.bincount(self.landmark_of, minlength=self.n_points).astype(np.float64)

    @property
    def far_samples(self) -> BoolArray:
        found = self.far if self.outliers is None else self.outliers
        return np.zeros(self.n_samples, dtype=bool) if found is None else found

    @property
    def points_given(self) -> FloatArray | None:
        """Scaled features of the points. Outliers have the features that they had before they were moved."""
        if self.features is None or self.far is None or self.far_rows is None:
            return self.features
        points = self.features.copy()
        points[self.far] = self.far_rows
        return points

    @property
    def positions(self) -> FloatArray | None:
        """Features of the points. For distances, principal coordinates. For bags, None."""
        return self.coordinates if self.features is None else self.features

    @property
    def has_directions(self) -> bool:
        """Whether feature rows have unit length: True for reduced sparse data and for ``metric="cosine"``."""
        scaling = getattr(self.nearest, "scaling", None)
        return scaling is not None and (scaling.unit or scaling.components is not None)

    @property
    def n_points(self) -> int:
        return int(self.graph.shape[0])

    @property
    def is_trivial(self) -> bool:
        """Whether the pool contains only the partition with one cluster."""
        return self.pool is not None and self.pool.families[0] == _TRIVIAL

    @property
    def sample_features(self) -> FloatArray | None:
        """Scaled features of all samples, shape (n_samples, n_varying). None without landmarks."""
        if self.rows is None or self.transform is None:
            return self.scaled
        return self.transform(self.rows)

    def summed(self, values: FloatArray) -> FloatArray:
        """Sum the values of samples, shape (n_samples, c), over the samples of each point."""
        if self.landmark_of is None:
            return values
        totals = np.zeros((self.n_points, values.shape[1]))
        np.add.at(totals, self.landmark_of, values)
        return totals

    def per_sample(self, labels: Labels) -> Labels:
        """Convert point labels (..., n_points) to sample labels (..., n_samples)."""
        return labels if self.landmark_of is None else labels[..., self.landmark_of]

    def per_point(self, labels: IntArray) -> Labels:
        """Convert sample labels to point labels. A landmark gets the label of one of its samples."""
        if self.landmark_of is None or self.counts is not None:
            return labels[..., : self.n_points].astype(np.int32)
        of_points: Labels = np.zeros((*labels.shape[:-1], self.n_points), dtype=np.int32)
        of_points[..., self.landmark_of] = labels
        n_samples, equal = np.bincount(self.landmark_of, minlength=self.n_points), self.equal_points
        if not n_samples.all():
            # If a landmark was repeated, copies without samples get the label of a copy with samples.
            place = np.zeros(self.n_points, dtype=np.intp)
            place[equal[n_samples > 0]] = np.flatnonzero(n_samples)
            of_points = of_points[..., place[equal]]
        return of_points

    def interpolated(self, values: FloatArray) -> FloatArray:
        """Interpolate the values of points, shape (n_points, c), at the samples by weighted means."""
        return values if self.landmark_of is None else nearest_mean(values, *self.nearest_landmarks)

    def nearest_points(self, chosen: IntpArray) -> tuple[IntpArray, FloatArray]:
        """Return indices and weights of the points nearest to each chosen sample, (n_chosen, n_nearest)."""
        if self.landmark_of is None:
            return chosen[:, None], np.ones((len(chosen), 1))
        positions, weights = self.nearest_landmarks
        return positions[chosen], weights[chosen]

    @cached_property
    def nearest_landmarks(self) -> tuple[IntpArray, FloatArray]:
        """The three landmarks nearest to each sample, and their weights, both of shape (n_samples, 3)."""
        if (features := self.sample_features) is None:
            raise ValueError(
                "this model was loaded without its training samples, which this call requires; call "
                "restore_samples(X) first"
            )
        positions, distances = self.nearest.among(features, N_NEAREST)  # type: ignore[attr-defined]
        return positions, nearest_weights(distances)

    @cached_property
    def similarity(self) -> FloatArray:
        """Graph kernel between all points or, for bags, sum of the bag kernels. Takes O(n_points^3) time."""
        if self.kernels:
            return np.sum(self.kernels, axis=0)
        return unit_diagonal(self.walk)

    @cached_property
    def walk(self) -> FloatArray:
        """Random-walk matrix (I - .9 B)^-1 of the graph, where B contains the normalised similarities.

        The matrix is used for the graph kernel and to propagate pairs.
        """
        return diffusion(dense_affinity(self.graph), 0.9)

    @cached_property
    def scored(self) -> dict[str, tuple[tuple[ValidityIndex, ...], FloatArray]]:
        """Fitted agreement and criterion, and their values for the pool, by the name of the criterion."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        # Omit derived attributes from pickles and, with landmarks, also the samples.
        omitted = {"scored", "similarity", "walk", "nearest_landmarks", "_inliers"}
        state = {name: value for name, value in self.__dict__.items() if name not in omitted}
        kept = self.landmark_of is None or self.counts is not None
        return state if kept else state | {"scaled": None, "rows": None}

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        own = {each.name: getattr(self, each.name) for each in fields(self)}
        return type(self)(**deepcopy(own, memo))

    def outlying(self, X: Any) -> BoolArray:
        if self.transform is None or self.far is None:
            return np.zeros(X.shape[0], dtype=bool)
        rows = self.transform(X)
        if self.landmark_of is None:
            return self._beyond(rows)
        nearest, away = self.nearest.among(rows, 1)  # type: ignore[attr-defined]
        return self.outlying_at(nearest[:, 0], away[:, 0], rows)

    def outlying_at(self, nearest: IntArray, away: FloatArray, rows: FloatArray) -> BoolArray:
        """Return a mask of outliers, given each row's nearest landmark and the distance to it."""
        if self.far is None:
            return np.zeros(len(nearest), dtype=bool)
        found: BoolArray = self.far[nearest]
        if self._inliers is not None:
            # By the triangle inequality, the fifth inlier of a row is at most ``away`` + ``reach`` away. If
            # this bound exceeds the limit, compare the row with inliers, beginning with the neighbours of its
            # landmark.
            search, reach, near = self._inliers
            of_point = np.zeros(self.n_points)
            of_point[~self.far] = reach
            middle, deviation = placement.usual_reach(reach)[1:]
            limit = 0.999 * np.exp(middle + placement.FAR_DEVIATIONS * deviation)
            unclear = ~found & (away + of_point[nearest] > limit)
            if self.rare is not None and self.features is not None:
                # Rows equal to a landmark of a rare group are not outliers, even if all other points are far.
                same = away <= placement.rounding(self.features)
                unclear &= ~same | (self.rare[nearest] < 0)
            lists, places, chosen = search(near)[0], np.cumsum(~self.far) - 1, np.flatnonzero(unclear)
            for low in range(0, len(chosen), _AT_ONCE):
                part = chosen[low : low + _AT_ONCE]
                some, beyond = rows[part], np.zeros(len(part), dtype=bool)
                for others in lists[places[nearest[part]]].T:
                    gaps = some - near[others]
                    beyond |= np.einsum("ij,ij->i", gaps, gaps) > limit * limit
                found[part[beyond]] = self._beyond(some[beyond])
        return found

    def _beyond(self, rows: FloatArray) -> BoolArray:
        if self._inliers is None:
            return np.zeros(len(rows), dtype=bool)
        neighbors, distances = self._inliers[0](rows)
        return placement.are_far(distances[:, -1], neighbors, self._inliers[1])

    def pool_around(self, build: Callable[[Any, sp.csr_array], PartitionPool]) -> PartitionPool:
        """Build a pool from the points outside rare groups, and add the rare groups to its partitions."""
        # The rare groups in ``apart`` become clusters. All others, and noise, join the nearest landmark's
        # cluster.
        rare = None if self.apart is None else self.rare
        others: Any = slice(None) if rare is None else np.flatnonzero(rare < 0)
        pool = build(others, self.graph if rare is None else self.graph[others][:, others])
        if self.features is not None and self.n_points < self.n_rows:
            pool = placement.noise_joined(pool, self.features[others], self.sizes[others])
        if rare is None or self.apart is None or self.features is None:
            return pool
        inside = np.flatnonzero(rare >= 0)
        labels = np.empty((pool.n_partitions, self.n_points), dtype=np.int32)
        labels[:, others] = pool.labels
        nearest = placement.PointSearch(self.features[others])(self.features[inside], 1)[0][:, 0]
        of_group = rare[inside]
        own = pool.labels.max(axis=1, keepdims=True) + 1 + of_group
        labels[:, inside] = np.where(self.apart[of_group], own, pool.labels[:, nearest])
        return PartitionPool.of(zip(pool.families, labels, strict=True))

    @cached_property
    def _inliers(self) -> tuple[Callable[..., tuple[IntpArray, FloatArray]], FloatArray, FloatArray] | None:
        """Search function for inliers, the inliers' distances to their fifth neighbours, and the inliers."""
        assert self.features is not None
        near = self.features if self.far is None else self.features[~self.far]
        if len(near) < placement.LEAST_FOR_FAR:
            return None
        n = placement.FAR_NEIGHBOR
        if self.landmark_of is not None:
            # Do not use scikit-learn's search, because its distances for a query depend on the other queries.
            exact = placement.PointSearch(near)
            reach: FloatArray = exact(near, n + 1)[1][:, -1]
            search: Callable[..., Any] = partial(exact, n=n)
            return (search, reach, near) if reach.any() else None
        with threads_here():
            index = NearestNeighbors(n_neighbors=n).fit(near)
            reach = index.kneighbors()[0][:, -1]
        return (partial(_indexed_nearest, index, n=n), reach, near) if reach.any() else None

    @property
    def vary(self) -> bool:
        """Whether at least two points outside rare groups differ."""
        assert self.features is not None
        others = self.features if self.rare is None else self.features[self.rare < 0]
        rounding = placement.rounding(others) if self.has_directions and len(others) else 0.0
        return len(others) >= 3 and bool((np.abs(others - others[0]) > rounding).any())

    @cached_property
    def equal_points(self) -> Labels:
        """Group number of each point, shape (n_points,). Equal points have equal numbers."""
        if self.features is None:
            assert self.coincident is not None
            return self.coincident
        return number_clusters(np.unique(self.features, axis=0, return_inverse=True)[1].reshape(-1))[0]


def extended(
    samples: PooledSamples, new: FloatArray, apart: BoolArray, *, n_landmarks: int, **options: Any
) -> PooledSamples:
    """Add new scaled rows to the samples of a fit, and assign them to clusters in every partition."""
    # Distinct new rows become points. If there would be more than ``n_landmarks`` points, only the rows in
    # ``apart``, which are unlike the training rows, become points. If these are more than ``n_landmarks /
    # 10`` rows, they are represented by this number of k-means centres. In every partition, a new point joins
    # the cluster of the nearest earlier point. If a ``k_range`` is given, a new pool is computed. Its
    # partitions replace those of the same family and number of clusters.
    old, pool, scaled = samples.points_given, samples.pool, samples.sample_features
    assert old is not None
    assert pool is not None
    every = np.concatenate([old if scaled is None else scaled, new])
    known = set(row_keys(old))
    fresh = np.array([row for row, key in zip(new, row_keys(new), strict=True) if key not in known])
    fresh = np.unique(fresh.reshape(-1, old.shape[1]), axis=0)
    own = samples.landmark_of is None and len(old) + len(fresh) <= n_landmarks
    if len(fresh) and len(old) + len(fresh) > n_landmarks:
        fresh = np.unique(new[apart], axis=0)
        if len(fresh) > (most := max(1, n_landmarks // 10)):
            fresh = placement.landmark_centers(fresh, most, 0)
    points, far = np.concatenate([old, fresh]), samples.far
    if len(fresh):
        far = placement.far_points(points)
        if len(points) - far.sum() <= (options["n_clusters"] or 0):
            far[:] = False
    drawn = points if far is None or not far.any() else placement.drawn_in(points, far)
    neighbors: TableNeighbors = samples.nearest  # type: ignore[assignment]
    limits = np.full(len(points), np.inf)
    if neighbors.limits is not None:
        limits[: len(old)] = neighbors.limits
    neighbors = TableNeighbors(neighbors.scaling, points, limits)
    positions, distances = neighbors.among(every, 1)
    landmark_of, away = positions[:, 0].astype(np.int32), distances[:, 0]
    if samples.landmark_of is not None:
        # If the new landmark of an earlier sample is at the position of its old one, keep the old one.
        before, now = samples.landmark_of, landmark_of[: samples.n_samples]
        now[:] = np.where((points[before] == points[now]).all(axis=1), before, now)
    if own:
        # Without landmarks, every earlier sample is a point, even if it equals another sample.
        landmark_of[: len(old)] = np.arange(len(old))
        position = {key: place for place, key in reversed([*enumerate(row_keys(points))])}
        landmark_of[len(old) :] = [position[key] for key in row_keys(new)]
    if not len(fresh):
        found = replace(
            samples, n_samples=len(every), landmark_of=landmark_of, scaled=every, nearest=neighbors
        )
        return replace(found, outliers=found.outlying_at(landmark_of, away, every))
    origin = np.append(np.arange(len(old)), placement.PointSearch(old)(fresh, 1)[0][:, 0])
    kept, places = np.unique(landmark_of, return_inverse=True)
    landmark_of = places.astype(np.int32)
    points, drawn, far, origin = points[kept], drawn[kept], far[kept], origin[kept]  # type: ignore[index]
    graph = self_tuning_graph(drawn, n_neighbors=options["n_neighbors"], n_jobs=options["n_jobs"])
    found = replace(
        samples, n_samples=len(every), graph=graph, features=drawn, landmark_of=landmark_of, scaled=every,
        pool=PartitionPool(pool.labels[:, origin], pool.families), far=far, far_rows=points[far],
        nearest=TableNeighbors(neighbors.scaling, points, limits[kept]),
        rare=None if samples.rare is None else samples.rare[origin],
    )  # fmt: skip
    found = replace(found, outliers=found.outlying_at(landmark_of, away, every))
    if len(points) < 3 or (drawn == drawn[0]).all():
        return replace(found, pool=_trivial_pool(len(points)))
    members = list(zip(pool.families, pool.labels[:, origin], strict=True))
    if options["k_range"] is not None:
        if found.apart is not None:
            options["k_range"] = sorted({max(2, k - int(found.apart.sum())) for k in options["k_range"]})
        again = found.pool_around(
            lambda some, graph: candidate_pool(drawn[some], graph=graph, random_state=0, **options)
        )
        sizes = set(zip(again.families, again.n_clusters.tolist(), strict=True))
        members = [each for each in members if (each[0], len(np.unique(each[1]))) not in sizes]
        members += zip(again.families, again.labels, strict=True)
    return replace(found, pool=PartitionPool.of(members))


def nearest_mean(values: FloatArray, positions: IntpArray, weights: FloatArray) -> FloatArray:
    """Return weighted means of the ``values`` of the nearest points, shape (n, c).

    ``values`` has shape (n_points, c), and ``positions`` and ``weights`` have shape (n, n_nearest).
    """
    means = np.zeros((len(positions), values.shape[1]))
    for column in range(positions.shape[1]):
        means += weights[:, column, None] * values[positions[:, column]]
    return means


def nearest_weights(distances: FloatArray) -> FloatArray:
    """Return inverse squared distances, scaled to a row sum of 1. Points at distance 0 share the weight 1."""
    zero = distances == 0.0
    weights = np.where(zero.any(axis=1, keepdims=True), zero, 0.0).astype(np.float64)
    away = ~zero.any(axis=1)
    # Divide by the smallest distance first, because inverse squares of tiny distances would overflow.
    weights[away] = (distances[away, :1] / distances[away]) ** 2
    return weights / weights.sum(axis=1, keepdims=True)


def pooled_table(
    table: Any,
    *,
    placing: Mapping[str, Any],
    views: Mapping[str, Any] | None,
    extra: Sequence[Any] | None,
    seed: np.random.SeedSequence,
    min_cluster_size: int | None = None,
    **options: Any,
) -> Callable[[Any], PooledSamples]:
    """Return a function of ``k_range`` that builds the PooledSamples of a table with all views."""
    # The scaling, landmarks and rare groups are determined from a uniform sample of rows. If the sample is
    # not the whole table, each landmark is then moved to the mean of all rows assigned to it.
    n, in_parts, place_seed, other_seed, extra_seed = table.shape[0], isinstance(table, Parts), *seed.spawn(3)
    rows, ends = _sampled(table, placing["n_landmarks"], integer_seed(other_seed))
    if in_parts and placing["scale"] == "unit":
        warn_of_lengths(rows, "rows of X" if len(rows) == n else "sampled rows of X")
    by_landmarks, number = in_parts or n > placing["n_landmarks"], integer_seed(place_seed)
    placed = placed_table(rows, **placing, seed=number, n_rows=n, by_row=by_landmarks)
    scaling = placed.scaling
    if ends is not None:
        check_scaled(scaling, scaling.transform(ends))
    changes: dict[str, Any] = {}
    if by_landmarks:
        placed, outliers = _placed_rows(table, rows, placed, options["n_clusters"])
        if len(placed.points) < _FEW_LANDMARKS < placing["n_landmarks"] and placed.rare is None:
            placed = _repeated(placed)
        m, width = placed.points.shape
        if in_parts:
            places, outliers = np.arange(m, dtype=np.int32), placed.counts.outliers == placed.counts.rows
            placed = replace(placed, landmark_of=places, features=placed.points)
            changes = {"counts": placed.counts, "known_rows": NO_ROWS}
        elif n * width > placement.AT_ONCE:
            changes = {"rows": table}
        else:
            placed = replace(placed, features=scaling.transform(table))
        changes["outliers"] = outliers
    n_samples, landmark_of = (len(placed.points), None) if in_parts else (n, placed.landmark_of)
    samples = samples_of(n_samples, placed, min_cluster_size, options, **changes)
    if not samples.vary:
        return lambda k_range: samples
    assert samples.features is not None
    tables, candidates = {"": samples.features}, list[tuple[str, IntArray]]()
    for name, view in (views or {}).items():
        of_view = _view_table(name, view, table, placing, integer_seed(other_seed))
        tables[name] = of_view if landmark_of is None else placement.landmark_means(of_view, landmark_of)
    if extra:
        points, rng = table, np.random.default_rng(extra_seed)
        if landmark_of is not None and sp.issparse(table):
            points = placement.landmark_means(table, landmark_of)
        elif by_landmarks:
            points = scaling.inverse(placed.points)
        candidates = extra_partitions(extra, points, n_samples=n_samples, landmark_of=landmark_of, rng=rng)

    def with_pool(k_range: Any) -> PooledSamples:
        build = partial(_pool_of_views, tables, candidates, {**options, "k_range": k_range})
        return replace(samples, pool=samples.pool_around(build))

    return with_pool


def _sampled(table: Any, n_landmarks: int, seed: int) -> tuple[Any, FloatArray | None]:
    """Return a uniform sample of rows in table order, and the column bounds unless it contains all rows."""
    n = table.shape[0]
    width = max(1, table.nnz // n if sp.issparse(table) else table.shape[1])
    size = min(n, _MOST_SAMPLED, max(_LEAST_SAMPLED, n_landmarks, placement.AT_ONCE // width))
    if isinstance(table, Parts):
        looked = Survey(table, size, seed=seed)
        rows, ends = looked.rows[np.argsort(looked.numbers)], [looked.low, looked.high]
        rows = rows.astype(table.dtype, copy=False)
    elif size == n:
        return table, None
    else:
        # Draw the same rows as from a partitioned table.
        rows = table[np.sort(draw(np.empty((n, 0)), 0, size, seed, key_limit(size, n)).numbers)]
        found: list[Any] = [table.min(axis=0), table.max(axis=0)]
        ends = [end.toarray().reshape(-1) if sp.issparse(end) else end for end in found]
    return rows, None if size == n else np.stack(ends).astype(np.float64)


def _placed_rows(
    table: Any, rows: Any, placed: placement.Placement, n_clusters: int | None
) -> tuple[placement.Placement, BoolArray]:
    """Move each landmark to the mean of its rows.

    Returns the landmarks with their row counts and, for tables in memory, the outlier mask of the rows. For
    partitioned tables, this mask and ``landmark_of`` are empty.
    """
    n, in_memory = table.shape[0], not isinstance(table, Parts)
    if placed.limits is None:
        placed = replace(placed, limits=np.full(len(placed.points), np.inf))
    search = _search(placed, n_clusters)
    if rows.shape[0] == n:
        table = rows
    else:
        extent = float(np.ptp(placed.points[~placed.far], axis=0).max())
        unit = grain(extent, n)
        counts, sums, inside = _mapped(table, "means of landmarks", _sums, search, extent, unit)
        points = placed.points + sums / np.maximum(inside, 1)[:, None]
        placed = replace(placed, points=points, counts=counts).at(np.flatnonzero(counts.rows))
        points, counts = placed.points, placed.counts
        groups = np.full(len(points), -1, dtype=np.int32) if placed.rare is None else placed.rare
        uniform = counts.widest <= placement.rounding(points)
        rare = placement.settled_groups(points, groups, counts.rows, uniform, n)
        placed = replace(placed, rare=rare).with_outliers(placed.far)
        search = _search(placed, n_clusters)
    counts, *of_rows = _mapped(table, "rows of landmarks", _counts, search, in_memory)
    at, outlying = map(np.concatenate, of_rows)
    at = (np.cumsum(counts.rows > 0) - 1).astype(np.int32)[at]
    placed = replace(placed, landmark_of=at, features=None, counts=counts)
    return placed.at(np.flatnonzero(counts.rows)), outlying


def _repeated(placed: placement.Placement) -> placement.Placement:
    """Repeat each of the few distinct landmarks as often as it has rows, but at most 20 times."""
    assert placed.landmark_of is not None
    counts = placed.counts
    copies = np.minimum(counts.rows, _FEW_LANDMARKS)
    first, which = np.cumsum(copies) - copies, np.repeat(np.arange(len(copies)), copies)
    # Distribute the rows of a landmark evenly over its copies, in row order.
    order, at = np.argsort(placed.landmark_of, kind="stable"), placed.landmark_of.copy()
    rank = np.arange(len(at)) - np.searchsorted(at[order], at[order])
    at[order] = first[at[order]] + rank % copies[at[order]]
    n_rows, left = np.divmod(counts.rows, copies)
    n_rows = n_rows[which] + (np.arange(len(which)) - first[which] < left[which])
    placed = placed.at(which)
    return replace(placed, landmark_of=at, counts=placed.counts._replace(rows=n_rows))


def _search(placed: placement.Placement, n_clusters: int | None) -> PooledSamples:
    """Return PooledSamples without edges and pool, used to find the nearest landmarks of table rows."""
    m, points = len(placed.points), placed.points
    graph, every = sp.csr_array((m, m)), np.arange(m, dtype=np.int32)
    nearest = TableNeighbors(placed.scaling, points, placed.limits)
    options: dict[str, Any] = {"rare": placed.rare, "transform": placed.scaling.transform}
    far_points = placed.far if m - placed.far.sum() > (n_clusters or 0) else None
    return PooledSamples(m, graph, None, nearest, points, every, far=far_points, **options)


def _mapped(table: Any, description: str, function: Any, search: PooledSamples, *args: Any) -> Any:
    """Merge the results of ``function(rows, start, search, *args)`` for all parts or blocks of rows."""
    if isinstance(table, Parts):
        return table.map(function, search, *args, merge=_merged, description=description)
    assert search.features is not None
    step = max(1, _BLOCK_VALUES // search.features.shape[1])
    starts = range(0, table.shape[0], step)
    return reduce(_merged, (function(table[low : low + step], low, search, *args) for low in starts))


def _assigned(rows: Any, start: int, search: PooledSamples) -> tuple[Any, ...]:
    """Return the row counts of the landmarks, the scaled rows, their landmarks, and the outlier mask."""
    assert search.transform is not None
    scaled = search.transform(rows)
    positions, distances = search.nearest.among(scaled, 1)  # type: ignore[attr-defined]
    at, away = positions[:, 0], distances[:, 0]
    outlying = search.outlying_at(at, away, scaled)
    return RowCounts.of(at, away, outlying, search.n_points, start), scaled, at, outlying


def _counts(rows: Any, start: int, search: PooledSamples, in_memory: bool) -> tuple[Any, ...]:
    """Return the landmarks' row counts and, for tables in memory, the rows' landmarks and outlier mask."""
    counts, _, at, outlying = _assigned(rows, start, search)
    return counts, *([each[: in_memory * len(at)]] for each in (at, outlying))


def _sums(rows: Any, start: int, search: PooledSamples, extent: float, unit: float) -> tuple[Any, ...]:
    """Return the row counts, the sums of the inliers' offsets, and the numbers of inliers by landmark.

    The offsets are rounded to multiples of ``unit``, so that the sums are exact.
    """
    assert search.features is not None
    m, (counts, scaled, at, outlying) = search.n_points, _assigned(rows, start, search)
    gaps = scaled - search.features[at]
    inside = ~outlying & (np.abs(gaps).max(axis=1) <= extent)
    at, gaps = at[inside], on_grain(gaps[inside], unit)
    sums = np.stack([np.bincount(at, column, minlength=m) for column in gaps.T], axis=1)
    return counts, sums, np.bincount(at, minlength=m)


def _merged(a: tuple[Any, ...], b: tuple[Any, ...]) -> tuple[Any, ...]:
    return a[0].merged(b[0]), a[1] + b[1], a[2] + b[2]


def placed_table(
    X: Any, *, scale: Scale, n_components: int, n_landmarks: int, seed: int, n_rows: int, by_row: bool
) -> placement.Placement:
    """Return the landmarks and outliers of a table, using a scaling that ignores outliers."""
    # X contains all ``n_rows`` table rows or a sample of them.
    scaling = replace(placement.FeatureScaling.of(X, scale, n_components=n_components), by_row=by_row)
    placed = placement.Placement.of(X, scaling, n_landmarks, seed, n_rows).with_outliers()
    if placed.far.any() and scaling.components is None:
        # Recompute the scaling without the outliers. This can reveal additional outliers.
        outside = placed.far if placed.landmark_of is None else placed.far[placed.landmark_of]
        scaling = placement.FeatureScaling.of(X, scale, n_components=n_components, among=~outside)
        placed = placement.Placement.of(X, scaling, n_landmarks, seed, n_rows)
        check_scaled(scaling, placed.points)
        at = placed.landmark_of
        placed = placed.with_outliers(outside if at is None else np.bincount(at, ~outside) == 0.0)
    return placed


def check_scaled(scaling: placement.FeatureScaling, points: FloatArray) -> None:
    largest = np.abs(points).max(axis=0)
    # Values are in units of the standard deviation. Squares of values above this limit could overflow.
    if largest.max() > 1e140:
        raise ValueError(
            f"column {scaling.varying[largest.argmax()]} of X contains a value so far from the others that "
            "squared distances overflow; correct the value, or remove its row"
        )


def samples_of(
    n_samples: int, placed: placement.Placement, min_cluster_size: int | None, options: Mapping[str, Any],
    **changes: Any,
) -> PooledSamples:  # fmt: skip
    """Return the PooledSamples of a table with placed landmarks. The pool contains only one partition."""
    points, landmark_of, rare, far = placed.points, placed.landmark_of, placed.rare, placed.far
    # Keep the outliers if there are too few inliers for the requested number of clusters.
    enough = len(points) - far.sum() > (options["n_clusters"] or 0)
    given, far, apart = points, far & enough, None
    if far.any():
        points = placement.drawn_in(points, far)
    if rare is not None:
        sizes = np.bincount(rare + 1, placed.counts.rows)[1:]
        apart = (sizes >= (min_cluster_size or 1)) & (options["n_clusters"] is None)
    graph = self_tuning_graph(points, n_neighbors=options["n_neighbors"], n_jobs=options["n_jobs"])
    nearest = TableNeighbors(placed.scaling, points if placed.limits is None else given, placed.limits)
    return PooledSamples(
        n_samples, graph, _trivial_pool(len(points)), nearest, points, landmark_of, placed.features,
        transform=placed.scaling.transform, far=far if enough else None, far_rows=given[far], rare=rare,
        apart=apart, **changes,
    )  # fmt: skip


def pooled_distances(
    D: FloatArray,
    *,
    extra: Sequence[Any] | None,
    n_neighbors: int,
    n_jobs: int | None,
    seed: np.random.SeedSequence,
    **grid: Any,
) -> PooledSamples:
    options: dict[str, Any] = {"metric": "precomputed", "n_neighbors": n_neighbors, "n_jobs": n_jobs}
    equal, graph = _at_distance_zero(D), self_tuning_graph(D, **options)
    samples = PooledSamples(len(D), graph, _trivial_pool(len(D)), _least_distances, coincident=equal)
    if len(D) < 3 or not D.any():
        return samples
    rng = np.random.default_rng(seed.spawn(1)[0])
    candidates = extra_partitions(extra, D, n_samples=len(D), rng=rng, metric="precomputed")
    pool = _pool_of_views({"": D}, candidates, options | grid, slice(None), graph)
    return replace(samples, coordinates=principal_coordinates(D), pool=pool)


def principal_coordinates(D: FloatArray) -> FloatArray:
    """Return up to 50 principal coordinates of a distance matrix, by classical multidimensional scaling."""
    # Directions with negative or negligible eigenvalues are omitted. Takes O(n^2) time.
    squared, start = D**2, np.random.default_rng(0).normal(size=len(D))
    means = squared.mean(axis=0)
    products = -(squared - means - means[:, None] + means.mean()) / 2
    with one_thread("blas"):
        few = len(D) <= 4 * _MOST_COORDINATES
        values, vectors = eigh(products) if few else eigsh(products, _MOST_COORDINATES, v0=start, tol=1e-8)
    order = np.argsort(-values)[:_MOST_COORDINATES]
    order = order[values[order] > _LEAST_EIGENVALUE * values[order[0]]]
    return vectors[:, order] * np.sqrt(values[order])


def pooled_bags(
    bags: Bags, *, seed: np.random.SeedSequence, needs_pool: bool = True,
    distances: Sequence[str] = ("symmetric", "average", "energy", "sliced"),
    embeddings: Sequence[str] = ("mean", "stats", "stats_pca", "prototypes"),
    normalize: bool = True, max_instances: int | None = None, k_range: Any = "auto",
    n_clusters: int | None = None, extra: Sequence[Any] | None = None, n_neighbors: int = 10,
    n_jobs: int | None = None, verbose: bool = False,
) -> PooledSamples:  # fmt: skip
    """Compute the pairwise distances between bags, their graph and kernels and, if needed, the pool."""
    # ``extra`` clusterers are fitted to bag means. Takes O(n_instances^2 n_features + n_bags^3) time.
    extra_seed, rest = seed.spawn(2)
    rng = np.random.default_rng(extra_seed)
    candidates = []
    if extra:
        candidates = extra_partitions(extra, bags.means(), n_samples=bags.n_bags, rng=rng)
    thinning, lines = spawn_seeds(np.random.default_rng(rest), 2)
    scaler = BagTransformer().fit(bags) if normalize else None
    scaled = thinned(bags if scaler is None else scaler.transform(bags), max_instances, thinning)
    directions = sliced_directions(scaled.n_features, np.random.default_rng(lines))
    between = bag_distance_kinds(scaled, directions=directions, kinds=DISTANCE_KINDS, n_jobs=n_jobs)
    graph = self_tuning_graph(
        between[_GRAPH_DISTANCE], n_neighbors=n_neighbors, metric="precomputed", n_jobs=n_jobs
    )
    pool = _trivial_pool(bags.n_bags) if needs_pool else None
    if needs_pool and bags.n_bags > 2 and any(matrix.any() for matrix in between.values()):
        pool = pool_of_bag_views(
            scaled, between, distances=distances, embeddings=embeddings, graphs={_GRAPH_DISTANCE: graph},
            k_range=k_range, n_clusters=n_clusters, n_neighbors=n_neighbors, extra=candidates,
            n_jobs=n_jobs, verbose=verbose,
        )  # fmt: skip
    nearest = partial(
        _nearest_bags, bags=scaled, scaler=scaler, directions=directions, max_instances=max_instances,
        thinning_seed=thinning, n_jobs=n_jobs,
    )  # fmt: skip
    # These distances can be embedded in a Hilbert space, so their Gaussian kernels are positive semidefinite.
    kernels = tuple(gaussian_bag_kernel(between[kind]) for kind in ("energy", "sliced"))
    # Use the Hausdorff distance, because it is 0 only between bags with the same instances.
    equal = _at_distance_zero(between["symmetric"])
    return PooledSamples(bags.n_bags, graph, pool, nearest, kernels=kernels, coincident=equal)


def _view_table(name: str, view: Any, X: Any, placing: Mapping[str, Any], seed: int) -> FloatArray:
    if hasattr(view, "fit_transform"):
        transformer = clone(view)
        if "random_state" in transformer.get_params() and transformer.random_state is None:
            transformer.set_params(random_state=seed)
        table = transformer.fit_transform(X)
    else:
        table = X[:, _view_columns(name, view, X.shape[1])]
    if table.ndim != 2 or table.shape[0] != X.shape[0]:
        raise ValueError(
            f"views[{name!r}] must return one row per sample ({X.shape[0]}), got an array of shape "
            f"{table.shape}"
        )
    table = sp.csr_array(table) if sp.issparse(table) else np.asarray(table, dtype=np.float64)
    if not np.isfinite(table.data if sp.issparse(table) else table).all():
        raise ValueError(f"views[{name!r}] must return finite numbers, got missing or infinite values")
    scaling = placement.FeatureScaling.of(table, placing["scale"], n_components=placing["n_components"])
    return scaling.transform(table)


def _view_columns(name: str, view: Any, n_features: int) -> IntpArray:
    numbers = np.arange(n_features)
    try:
        chosen: IntpArray = numbers[view if isinstance(view, slice) else np.asarray(view)]
    except IndexError:
        chosen = numbers[:0]
    if chosen.ndim != 1 or not len(chosen):
        raise ValueError(
            f"views[{name!r}] must be an object with fit_transform, or a list of column indices from "
            f"0 to {n_features - 1}; got {quoted(view)}"
        )
    return chosen


def _pool_of_views(
    tables: Mapping[str, FloatArray],
    extra: list[tuple[str, IntArray]],
    options: dict[str, Any],
    points: Any,
    graph: sp.csr_array,
) -> PartitionPool:
    """Join the pools of ``points`` for all views. Only the main view, "", uses ``graph`` and ``extra``."""
    if options["n_clusters"] is not None:
        # Tables with many equal samples can have fewer landmarks than requested clusters.
        n_points = len(tables[""][points])
        options = options | {"n_clusters": min(options["n_clusters"], n_points)}
    extra = [(family, labels[points]) for family, labels in extra]
    first: dict[str, Any] = {"graph": graph, "extra_candidates": extra or None}
    joined = candidate_pool(tables[""][points], random_state=0, **first, **options)
    for name in list(tables)[1:]:
        pool = candidate_pool(tables[name][points], random_state=0, **options)
        joined = joined.joined(pool.tagged(name))
    return joined


def _trivial_pool(n_points: int) -> PartitionPool:
    return PartitionPool(np.zeros((1, n_points), dtype=np.int32), (_TRIVIAL,))


@dataclass(frozen=True, eq=False)
class TableNeighbors:
    scaling: placement.FeatureScaling
    points: FloatArray
    # Maximum distance of a sample assigned to each landmark, infinite for landmarks outside rare groups.
    limits: FloatArray | None = None

    @cached_property
    def index(self) -> Any:
        """Search index of the points, built on first use and omitted from pickles."""
        if self.limits is not None:
            return placement.PointSearch(self.points, self.limits)
        return NearestNeighbors().fit(self.points)

    def __getstate__(self) -> dict[str, Any]:
        return {"scaling": self.scaling, "points": self.points, "limits": self.limits}

    def __call__(self, X: Any, n: int) -> tuple[IntpArray, FloatArray]:
        return self.among(self.scaling.transform(X), n)

    def among(self, rows: FloatArray, n: int) -> tuple[IntpArray, FloatArray]:
        if self.limits is None:
            return _indexed_nearest(self.index, rows, n)
        return self.index(rows, n)


def _indexed_nearest(index: NearestNeighbors, rows: FloatArray, n: int) -> tuple[IntpArray, FloatArray]:
    with threads_here():
        distances, positions = index.kneighbors(rows, min(n, index.n_samples_fit_))
    return positions, distances


def _least_distances(D: FloatArray, n: int) -> tuple[IntpArray, FloatArray]:
    """Return the positions and values of the n smallest entries of each row. The first entry wins ties."""
    order = np.argsort(D, axis=1, kind="stable")[:, :n]
    return order, np.take_along_axis(D, order, axis=1)


def _nearest_bags(
    new_bags: Bags, n: int, *, bags: Bags, scaler: BagTransformer | None, directions: FloatArray,
    max_instances: int | None, thinning_seed: np.random.SeedSequence, n_jobs: int | None,
) -> tuple[IntpArray, FloatArray]:  # fmt: skip
    new = thinned(new_bags if scaler is None else scaler.transform(new_bags), max_instances, thinning_seed)
    across = bag_distance_kinds(new, bags, kinds=(_GRAPH_DISTANCE,), directions=directions, n_jobs=n_jobs)
    return _least_distances(across[_GRAPH_DISTANCE], n)


def thinned(bags: Bags, max_instances: int | None, seed: np.random.SeedSequence) -> Bags:
    """Subsample bags with more than ``max_instances`` instances, keeping the order of instances."""
    if max_instances is None or bags.sizes.max() <= max_instances:
        return bags
    # Draw one key per position within a bag, because the order of the bags must not affect the result.
    keys = np.random.default_rng(seed).random(int(bags.sizes.max()))
    place = np.arange(bags.n_instances) - np.repeat(bags.offsets[:-1], bags.sizes)
    order = np.lexsort((keys[place], bags.bag_of_instance))
    rank = np.empty(bags.n_instances, dtype=np.int64)
    rank[order] = place
    drawn = rank < max_instances
    offsets = np.concatenate([[0], np.cumsum(np.minimum(bags.sizes, max_instances))])
    return Bags(bags.instances[drawn], offsets, bag_ids=bags.bag_ids, feature_names=bags.feature_names)


def _at_distance_zero(D: FloatArray) -> Labels:
    """Return the group number of each point. Points at distance 0 from each other are in the same group."""
    return number_clusters(connected_components(D == 0.0, directed=False)[1])[0]
