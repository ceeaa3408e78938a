"""Feature scaling, outliers, landmarks for many samples, and rare groups far from all other samples."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
from scipy.spatial.distance import cdist
from sklearn.decomposition import TruncatedSVD
from sklearn.neighbors import NearestNeighbors

from moo_clustering._arrays import near_one, require_squares, unit_rows
from moo_clustering._kernels.kmeans import nearest_in_groups, row_products
from moo_clustering._kernels.threads import for_parts
from moo_clustering._parallel import one_thread, threads_here
from moo_clustering._types import BoolArray, FloatArray, IntpArray, Labels
from moo_clustering.graphs import neighbor_lists
from moo_clustering.pool import PartitionPool

Scale = Literal["standard", "isotropic", "none", "unit"]
Nearest = Callable[[Any, int], tuple[IntpArray, FloatArray]]
# If there are at least 20 points, outliers are detected by the distance to their fifth neighbour.
FAR_NEIGHBOR, LEAST_FOR_FAR = 5, 20
# The log distance of an outlier exceeds the median by more than FAR_DEVIATIONS robust deviations, which are
# at least _LEAST_DEVIATION. The distance is more than _FAR_RATIO times those of its neighbours. At most the
# share _MOST_FAR of the points are outliers.
FAR_DEVIATIONS, _LEAST_DEVIATION, _FAR_RATIO, _MOST_FAR = 5.0, 0.1, 8.0, 0.05
# The k-means algorithm that finds the landmarks has this number of passes and this batch size.
_PASSES, _BATCH = 10, 10_000
# Up to this number of features, nearest centres are found by distance bounds instead of matrix products.
_FEW = 50
# Tables are scaled in blocks of this number of values (256 MB). Larger tables are not kept in scaled form.
AT_ONCE = 1 << 25
# A rare group has at least _LEAST_RARE samples, at most the share _MOST_RARE of all samples, and at most
# _LANDMARKS_OF_RARE landmarks. Its distance to other samples is at least its longest link times the entry of
# _GAPS for one, two, or more features. With fewer features, neighbour distances vary more.
_LEAST_RARE, _MOST_RARE, _LANDMARKS_OF_RARE, _GAPS = 20, 0.01, 12, (3.5, 2.5, 2.0)
# A landmark is in a sparse region if the distance to its fifth neighbour is more than _SPARSE times the
# median of this distance over its _AROUND nearest landmarks.
_AROUND, _SPARSE = 30, 2.0
# Rows may form rare groups if they are over _OUTER times as far from their centre as the median row.
_OUTER = 1.5


@dataclass(frozen=True, eq=False)
class FeatureScaling:
    """Scaling of non-constant features by offset and spread, or reduction of rows by truncated SVD."""

    offset: FloatArray  # offset, spread: shape (n_varying,)
    spread: FloatArray
    varying: IntpArray  # shape (n_varying,): indices of the non-constant features
    # Sparse data and unit-length rows can be reduced by SVD. Reduced rows are scaled to unit length.
    components: TruncatedSVD | None = None
    least: FloatArray | None = None  # shape (n_features,): the values of constant features
    unit: bool = False  # whether rows are scaled to unit length without a reduction
    by_row: bool = False  # reduce each row independently, for partitioned tables

    @classmethod
    def of(cls, X: Any, scale: Scale, *, n_components: int, among: BoolArray | None = None) -> Self:
        """Learn the scaling from a dense or sparse table. Large tables are read in blocks of columns."""
        # With ``scale="isotropic"``, all features are scaled by the same factor. If sparse data have more
        # than ``n_components`` features, they are reduced, and ``scale`` is ignored. If ``among`` is given,
        # the scaling is learned from these samples only.
        if sp.issparse(X) and min(X.shape) > n_components:
            # If the variance is 0, the explained variance ratios are undefined.
            with np.errstate(invalid="ignore"):
                svd = TruncatedSVD(n_components, random_state=0).fit(near_one(X, together=True))
            return cls(np.zeros(n_components), np.ones(n_components), np.arange(n_components), svd)
        if scale == "unit":
            n_samples, n_features = X.shape
            if min(X.shape) <= n_components:
                return cls(np.zeros(n_features), np.ones(n_features), np.arange(n_features), unit=True)
            n_rows = min(n_samples, max(n_features, AT_ONCE // n_features))
            rows = np.arange(n_samples)
            if n_rows < n_samples:
                rows = np.sort(np.random.default_rng(0).choice(n_samples, n_rows, replace=False))
            svd = TruncatedSVD(n_components, random_state=0).fit(unit_rows(_floating(X[rows])))
            return cls(np.zeros(n_components), np.ones(n_components), np.arange(n_components), svd)
        n_parts = -(-X.shape[0] * X.shape[1] // AT_ONCE)
        parts = np.array_split(np.arange(X.shape[1]), min(n_parts, X.shape[1]))

        def values(columns: IntpArray) -> FloatArray:
            some = X if len(columns) == X.shape[1] else X[:, columns]
            return _dense(some if among is None else some[among])

        ends = [(rows.min(axis=0), rows.max(axis=0)) for rows in map(values, parts)]
        low, high = (np.concatenate(each) for each in zip(*ends, strict=True))
        varying = np.flatnonzero(high > low)
        if scale == "none":
            require_squares(np.vstack([low, high]))
            return cls(np.zeros(len(varying)), np.ones(len(varying)), varying, least=low)
        # Divide by half the range first, because squares of tiny or huge numbers could underflow or overflow.
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
            # Sort the values, because the sums must not depend on the row order.
            unit.sort(axis=0)
            mean[columns], spread[columns] = unit.mean(axis=0), unit.std(axis=0)
        half, middle, mean, spread = half[varying], middle[varying], mean[varying], spread[varying]
        if scale == "isotropic" and len(varying):
            spread = np.full(len(varying), np.sqrt((spread**2).mean()))
        return cls(middle + mean * half, spread * half, varying, least=low)

    def transform(self, X: Any) -> FloatArray:
        """Return scaled rows, shape (n, n_varying), or one column of zeros if no feature varies."""
        if self.components is not None:
            columns, reduce = self.components.components_.T.copy(), self.components.transform
            parts = [near_one(_floating(part)) for part in _row_parts(X)]
            by_row = self.by_row and not sp.issparse(X)  # rows of sparse products are always independent
            parts = [row_products(part, columns) if by_row else reduce(part) for part in parts]
            return np.ascontiguousarray(unit_rows(np.concatenate(parts, dtype=np.float64)))
        if self.unit:
            return np.ascontiguousarray(unit_rows(_dense(X)))
        if not len(self.varying):
            return np.zeros((X.shape[0], 1))
        rows = np.array(_dense(X)[:, self.varying], order="C")
        # Work in place to save memory, and halve the numbers to prevent overflow.
        rows /= 2
        rows -= self.offset / 2
        rows /= self.spread / 2
        return rows

    def inverse(self, rows: FloatArray) -> FloatArray:
        """Convert scaled rows back to feature units. Reduced rows are returned unchanged."""
        if self.least is None:
            return rows
        found = np.tile(self.least, (len(rows), 1))
        found[:, self.varying] = self.offset + self.spread * rows[:, : len(self.varying)]
        return found


def _row_parts(X: Any) -> list[Any]:
    step = max(1, AT_ONCE // max(1, X.shape[1]))
    if sp.issparse(X) or X.shape[0] <= step:
        return [X]
    return [X[low : low + step] for low in range(0, X.shape[0], step)]


def _floating(X: Any) -> Any:
    """Convert integers to floats, in single precision if it represents all integers of the type exactly."""
    return X if X.dtype.kind == "f" else X.astype(np.result_type(X.dtype, np.float32))


def _dense(X: Any) -> FloatArray:
    return np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Placement:
    """Scaled samples or, for many samples, landmarks that represent the samples."""

    scaling: FeatureScaling
    points: FloatArray
    landmark_of: Labels | None = None
    features: FloatArray | None = None  # scaled features of all samples; None if they exceed the memory limit
    rare: Labels | None = None  # rare group of each landmark (-1 if none); None without rare groups
    limits: FloatArray | None = None  # maximum distance of the samples assigned to each landmark
    far: Any = None
    counts: Any = None  # statistics of the rows of each landmark

    @classmethod
    def of(cls, X: Any, scaling: FeatureScaling, n_landmarks: int, seed: int, n_rows: int) -> Self:
        """Place up to ``n_landmarks`` landmarks, plus up to twelve for each rare group."""
        # Landmarks are mini-batch k-means centres. They are later clustered with equal weights, so dense
        # regions have less weight, which improves clusters of different sizes. X contains all ``n_rows`` rows
        # of the table or a sample of them. Takes O(len(X) n_landmarks n_features) time.
        features = scaling.transform(X)
        n_samples = len(features)
        if n_rows <= n_landmarks:
            return cls(scaling, features)
        centers = landmark_centers(features, n_landmarks, seed)
        groups = separate_groups(features, centers, n_rows)
        rare, limits = np.full(len(centers), -1, dtype=np.int32), np.full(len(centers), np.inf)
        if groups:
            # Drop a centre if most of its samples are in rare groups, which get their own landmarks.
            cell = PointSearch(centers)(features, 1)[0][:, 0]
            among = np.concatenate([members for members, _ in groups])
            of_groups = np.bincount(cell[among], minlength=len(centers))
            keep = 2 * of_groups <= np.bincount(cell, minlength=len(centers))
            centers, rare, limits = centers[keep], rare[keep], limits[keep]
        for group, (members, longest) in enumerate(groups):
            inside = landmark_centers(features[members], min(_LANDMARKS_OF_RARE, len(members) // 2), seed)
            at, reach = PointSearch(inside)(features[members], 1)
            most = np.full(len(inside), longest)
            np.maximum.at(most, at[:, 0], reach[:, 0] + longest)
            centers, limits = np.concatenate([centers, inside]), np.append(limits, most)
            rare = np.append(rare, np.full(len(inside), group, dtype=np.int32))
        landmark_of = PointSearch(centers, limits)(features, 1)[0][:, 0]
        counts = np.bincount(landmark_of, minlength=len(centers))
        means = landmark_means(features, landmark_of, np.maximum(counts, 1))
        # If several landmarks are equal up to rounding, keep only one of them.
        kept = np.flatnonzero(counts)
        equal = rounding(means)
        close = kept[PointSearch(means[kept])(means[kept], 2)[1][:, -1] <= equal]
        kept = np.setdiff1d(kept, close[np.triu(cdist(means[close], means[close]) <= equal, 1).any(axis=0)])
        means, rare, limits = means[kept], rare[kept], limits[kept]
        # Assign samples to landmarks in the same way as new samples in ``predict``.
        positions, distances = PointSearch(means, limits)(features, 1)
        landmark_of, away = positions[:, 0], distances[:, 0]
        counts = np.bincount(landmark_of, minlength=len(means))
        filled = counts > 0
        means, rare, limits, counts = means[filled], rare[filled], limits[filled], counts[filled]
        landmark_of = (np.cumsum(filled) - 1).astype(np.int32)[landmark_of]
        widest = np.zeros(len(means))
        np.maximum.at(widest, landmark_of, away)
        least = _LEAST_RARE * n_samples / n_rows
        settled = settled_groups(means, rare, counts, widest <= equal, n_samples, least)
        return cls(scaling, means, landmark_of, None, settled, limits)

    def with_outliers(self, before: Any = False) -> Self:
        """Set the outlier mask, which includes the points in ``before`` but no points of rare groups."""
        far = before | far_points(self.points)
        return replace(self, far=far if self.rare is None else far & (self.rare < 0))

    def at(self, places: IntpArray) -> Self:
        rows = {name: getattr(self, name)[places] for name in ("points", "limits", "far")}
        rare = None if self.rare is None else self.rare[places]
        return replace(self, rare=rare, counts=self.counts.at(places), **rows)


def rounding(rows: FloatArray) -> float:
    """Return the distance up to which rows count as equal, based on the median magnitude of the rows."""
    # A tolerance is necessary, because rounding errors can change the mean of identical rows.
    return 1e-9 * float(np.median(np.abs(rows).max(axis=1)))


def settled_groups(
    points: FloatArray, rare: Labels, counts: IntpArray, uniform: BoolArray, n_samples: int, least: float = 20
) -> Labels | None:
    """Drop rare groups of unsuitable size.

    Return the group of each landmark, or -1 if the landmark is in no group. Return None if no group remains.
    """
    # A landmark of identical rows, which is marked in ``uniform``, becomes a group if it is far from all
    # others, even if its share of the rows exceeds the maximum. Otherwise, it would be an outlier.
    sizes = np.bincount(rare + 1, counts)[1:]
    kept = (sizes >= least) & (sizes <= _MOST_RARE * n_samples)
    number = np.append(np.where(kept, np.cumsum(kept) - 1, -1), -1).astype(np.int32)
    alone = (rare < 0) & (counts >= least) & uniform
    alone &= far_points(points)
    rare = number[rare]
    rare[alone] = kept.sum() + np.arange(alone.sum())
    return rare if kept.any() or alone.any() else None


def separate_groups(rows: FloatArray, centers: FloatArray, n_samples: int) -> list[tuple[IntpArray, float]]:
    """Return the row indices and the longest link of each small group that is far from all other rows."""
    n, n_features = rows.shape
    least = max(12, _LEAST_RARE * n // n_samples)
    if _MOST_RARE * n < least:
        return []
    positions, distances = PointSearch(centers)(rows, 1)
    cell, away = positions[:, 0], distances[:, 0]
    outer = _outer_rows(rows, centers, cell, away)
    distinct, which, weights = np.unique(rows[outer], axis=0, return_inverse=True, return_counts=True)
    if len(distinct) <= 12:
        return []
    width = min(8, len(distinct) - 1)
    lists = neighbor_lists(distinct, width, ties="index", rng=np.random.default_rng(0), method="exact")
    links = sp.coo_array(
        (lists.distances.ravel(), (np.repeat(np.arange(len(distinct)), width), lists.indices.ravel())),
        shape=(len(distinct), len(distinct)),
    )
    tree = minimum_spanning_tree(links.tocsr()).tocoo()
    factor, equal = _GAPS[min(n_features, len(_GAPS)) - 1], rounding(rows)
    found = []

    def separate(members: list[int], longest: float) -> bool:
        if longest <= equal:
            return False
        group = outer[np.isin(which.reshape(-1), members)]
        to_center = np.sqrt(((rows - rows[group].mean(axis=0)) ** 2).sum(axis=1))
        near = to_center <= to_center[group].max() + factor * longest
        near[group] = False
        # Compare with every 64th and then with every eighth row first, because this rejects most groups.
        others, search = np.flatnonzero(near), PointSearch(rows[group])
        for step in (64, 8, 1):
            if search(rows[others[::step]], 1)[1].min(initial=np.inf) < factor * longest:
                return False
        found.append((group, longest))
        return True

    _visit_isolated(tree, weights, least, _MOST_RARE * n, factor, separate)
    return found


def _outer_rows(rows: FloatArray, centers: FloatArray, cell: Labels, away: FloatArray) -> IntpArray:
    """Return indices of rows far from their centre, or in isolated, sparse or heterogeneous k-means cells."""
    counts = np.bincount(cell, minlength=len(centers))
    order, starts = np.lexsort((away, cell)), np.cumsum(counts) - counts
    radius = np.zeros(len(centers))
    filled = counts > 0
    radius[filled] = away[order[(starts + counts // 2)[filled]]]
    usual = float(np.median(radius[cell]))
    near, gaps = PointSearch(centers)(centers, min(9, len(centers)))
    near, gaps = near[:, 1:], gaps[:, 1:]
    sparse = radius > _OUTER * np.minimum(usual, np.median(radius[near], axis=1))
    short = np.minimum(radius[:, None], radius[near])
    close = gaps <= 2 * np.median(gaps[:, 0] / np.maximum(short[:, 0], 1e-12)) * short
    ends = np.nonzero(close)[0], near[close]
    links = sp.coo_array((np.ones(len(ends[0])), ends), shape=(len(centers), len(centers)))
    component = connected_components(links, directed=False)[1]
    rare = np.bincount(component, counts)[component] < _MOST_RARE * len(cell)
    chosen = sparse | rare
    # A cell is heterogeneous if the upper quartile of fifth-neighbour distances is over twice their minimum.
    for center in np.flatnonzero(~chosen & (counts > 12) & (counts <= 8 * np.mean(counts))):
        some = rows[order[starts[center] : starts[center] + counts[center]]]
        fifth = np.partition(cdist(some, some), 5, axis=1)[:, 5]
        chosen[center] = 2 * fifth.min() < np.quantile(fifth, 0.75)
    return np.flatnonzero(chosen[cell] | (away > _OUTER * radius[cell]))


def _visit_isolated(
    tree: Any, weights: IntpArray, least: int, most: float, factor: float, accept: Callable[..., bool]
) -> None:
    """Call ``accept`` for groups whose gap to the others is at least ``factor`` times their longest link."""
    # ``accept(members, longest)`` returns whether a group is accepted. A group that contains several such
    # groups is skipped. If a group is rejected, the group nested in it is tried.
    n = len(weights)
    order = np.argsort(tree.data, kind="stable")
    node = list(range(n))  # dendrogram node of each component, indexed by its root
    parent, size, count = list(range(n)), weights.tolist(), [1] * n
    longest: list[float] = [0.0] * n
    children: list[tuple[int, int] | None] = [None] * n
    best: list[list[int]] = [[] for _ in range(n)]

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    def groups(each: int, link: float) -> list[int]:
        valid = count[each] >= 12 and least <= size[each] <= most and link >= factor * longest[each]
        return [each] if valid and len(best[each]) < 2 else best[each]

    for at in order.tolist():
        first, second, link = root(int(tree.row[at])), root(int(tree.col[at])), float(tree.data[at])
        pair = node[first], node[second]
        parent[second] = first
        node[first] = len(size)
        best.append(groups(pair[0], link) + groups(pair[1], link))
        size.append(size[pair[0]] + size[pair[1]])
        count.append(count[pair[0]] + count[pair[1]])
        longest.append(link)
        children.append(pair)
    remaining = [group for i in range(n) if parent[i] == i for group in groups(node[i], np.inf)]
    while remaining:
        group = remaining.pop()
        members, waiting = [], [group]
        while waiting:
            if (pair_below := children[at := waiting.pop()]) is None:
                members.append(at)
            else:
                waiting.extend(pair_below)
        if not accept(members, longest[group]):
            remaining.extend(best[group])


class PointSearch:
    """Exact nearest-neighbour search. The result for a query does not depend on the other queries."""

    def __init__(self, points: FloatArray, limits: Any = None, pivots: Any = None) -> None:
        # A query finds a point only within the distance in ``limits``. The points are grouped around pivots
        # by five k-means steps, or by one step from given ``pivots``.
        n_steps, n_groups = 1, max(1, min(32, len(points) // 8))
        if pivots is None:
            n_steps, pivots = 5, points[np.linspace(0, len(points) - 1, n_groups).astype(np.intp)]
        for _ in range(n_steps):
            group = cdist(points, pivots).argmin(axis=1)
            group = np.unique(group, return_inverse=True)[1].reshape(-1).astype(np.int32)
            pivots = landmark_means(points, group)
        order = np.argsort(group, kind="stable")
        radii = np.zeros(len(pivots))
        np.maximum.at(radii, group, np.sqrt(((points - pivots[group]) ** 2).sum(axis=1)))
        most = np.full(len(points), np.inf) if limits is None else limits[order] ** 2
        starts = np.concatenate([[0], np.cumsum(np.bincount(group))])
        blocks = np.concatenate([block.T.ravel() for block in np.split(points[order], starts[1:-1])])
        self.pivots = pivots
        self._arguments = blocks, order, most, starts, pivots.T.ravel(), radii

    def __call__(self, rows: FloatArray, n: int, n_jobs: int | None = None) -> tuple[Labels, FloatArray]:
        """Return positions and distances of up to ``n`` nearest points. Ties go to the lowest position."""
        n_points = len(self._arguments[1])
        positions = np.empty((len(rows), min(n, n_points)), dtype=np.int32)
        distances = np.empty(positions.shape)

        def kernel(low: int, high: int) -> None:
            nearest_in_groups(rows, *self._arguments, positions, distances, low, high)

        for_parts(kernel, len(rows), 0.5 * len(rows) * n_points * rows.shape[1], n_jobs)
        return positions, np.sqrt(distances, out=distances)


def landmark_centers(rows: FloatArray, n_landmarks: int, seed: int) -> FloatArray:
    """Compute centres by mini-batch k-means, with the same random numbers and sums as scikit-learn 1.9."""
    # The algorithm is ``MiniBatchKMeans`` with ``init="random"``, ``n_init=1`` and no stopping rule, but ties
    # go to the lowest centre. With few features, it is five times as fast as scikit-learn.
    n, few = len(rows), rows.shape[1] <= _FEW
    batch, rng = min(n, _BATCH), np.random.RandomState(seed)
    first = min(n, 3 * batch)
    rng.randint(0, n, first)  # draws scikit-learn's validation set
    some = rng.randint(0, n, first) if first < n else np.arange(n)
    chosen = rng.choice(first, n_landmarks, replace=False, p=np.full(first, 1 / first))
    centers, counts, since, pivots = rows[some[chosen]], np.zeros(n_landmarks), batch, None
    for _ in range(_PASSES * n // batch):
        due = since >= 10 * n_landmarks or (counts == 0.0).any()
        drawn = rows.take((n * rng.random_sample(batch)).astype(np.intp), axis=0)
        if few:
            search = PointSearch(centers, pivots=pivots)
            labels, pivots = search(drawn, 1)[0][:, 0], search.pivots
        else:
            half = 0.5 * np.einsum("ij,ij->i", centers, centers)
            with one_thread("blas"):
                blocks = np.array_split(drawn, 16)
                labels = np.concatenate([(half - block @ centers.T).argmin(axis=1) for block in blocks])
        # In each sum, the rows of earlier batches count as their number times their mean, which is the
        # centre.
        places = np.append(np.arange(n_landmarks), labels), np.arange(n_landmarks + batch)
        sums = sp.csr_array((np.append(counts, np.ones(batch)), places)) @ np.concatenate([centers, drawn])
        new = np.bincount(labels, minlength=n_landmarks)
        counts += new
        centers = np.where(new[:, None] > 0, sums * (1 / np.maximum(counts, 1))[:, None], centers)
        if due:
            # Move centres with few rows, but at most batch / 2 centres, to random rows of the batch.
            since, low = 0, counts < 0.01 * counts.max()
            if low.sum() > batch // 2:
                low[np.argsort(counts)[batch // 2 :]] = False
            if low.any():
                centers[low] = drawn[rng.choice(batch, low.sum(), replace=False)]
                counts[low] = counts[~low].min()
        since += batch
    return centers


def far_points(points: FloatArray) -> BoolArray:
    """Return a mask of the points that are far from all others, and not merely in a sparse region."""
    # The log distance of an outlier to its fifth neighbour exceeds the median by more than five robust
    # deviations. This distance is also over eight times that of at least two of the five neighbours, because
    # the other neighbours may be outliers. No point is marked if there are fewer than 20 points or if over 5%
    # of the points would be marked.
    none = np.zeros(len(points), dtype=bool)
    if len(points) < LEAST_FOR_FAR:
        return none
    with threads_here():
        distances, neighbors = NearestNeighbors(n_neighbors=FAR_NEIGHBOR).fit(points).kneighbors()
    reach = distances[:, -1]
    if not reach.any():
        return none
    far = are_far(reach, neighbors, reach)
    return far if far.mean() <= _MOST_FAR else none


def noise_joined(pool: PartitionPool, points: FloatArray, sizes: FloatArray) -> PartitionPool:
    """Dissolve noise clusters. Each landmark in them joins the cluster of the nearest landmark outside."""
    # A cluster is noise if most of its landmarks are in much sparser regions than the landmarks around them.
    # A partition does not change if more than 5% of the samples would move, or if it would have fewer
    # clusters than the minimum in the pool.
    near, distances = PointSearch(points)(points, _AROUND + 1)
    reach = distances[:, min(FAR_NEIGHBOR, len(points) - 1)]
    around, joined = np.median(reach[near[:, 1:]], axis=1), pool.labels.copy()
    sparse, most = (around > 0.0) & (reach > _SPARSE * around), _MOST_FAR * sizes.sum()
    for labels, k in zip(joined, pool.n_clusters, strict=True):
        noise = 2 * np.bincount(labels, sparse) > np.bincount(labels)
        inside = noise[labels]
        if pool.n_clusters.min() <= k - noise.sum() < k and sizes[inside].sum() <= most:
            nearest = PointSearch(points[~inside])(points[inside], 1)[0][:, 0]
            labels[inside] = labels[~inside][nearest]
    return PartitionPool.of(zip(pool.families, joined, strict=True))


def are_far(distance: FloatArray, neighbors: IntpArray, reach: FloatArray) -> BoolArray:
    """Return a mask of rows with an unusually large distance to the fifth neighbour."""
    usual, middle, deviation = usual_reach(reach)
    log = np.log(np.maximum(distance, reach[reach > 0.0].min()))
    ratio = log - np.partition(usual[neighbors], 1, axis=1)[:, 1]
    return (log - middle > FAR_DEVIATIONS * deviation) & (ratio > np.log(_FAR_RATIO))


def usual_reach(reach: FloatArray) -> tuple[FloatArray, float, float]:
    """Return the log distances to the fifth neighbour, and their median and robust deviation."""
    usual = np.log(np.maximum(reach, reach[reach > 0.0].min()))
    middle = float(np.median(usual))
    return usual, middle, max(1.4826 * float(np.median(np.abs(usual - middle))), _LEAST_DEVIATION)


def drawn_in(points: FloatArray, far: BoolArray) -> FloatArray:
    """Move each outlier towards its nearest inlier, until it is as near as the inlier's fifth neighbour."""
    near = points[~far]
    with threads_here():
        search = NearestNeighbors(n_neighbors=FAR_NEIGHBOR).fit(near)
        distance, nearest = search.kneighbors(points[far], 1)
        reach = search.kneighbors()[0][nearest[:, 0], -1]
    drawn, base = points.copy(), near[nearest[:, 0]]
    drawn[far] = base + (points[far] - base) * (np.minimum(reach, distance[:, 0]) / distance[:, 0])[:, None]
    return drawn


def landmark_means(X: Any, landmark_of: Labels, counts: IntpArray | None = None) -> Any:
    """Return the sum of each landmark's samples divided by ``counts`` (default: the number of samples)."""
    counts = np.bincount(landmark_of) if counts is None else counts
    # Use 32-bit indices, because scikit-learn's clusterers reject sparse matrices with 64-bit indices.
    columns = np.arange(len(landmark_of), dtype=np.int32)
    members = (1.0 / counts[landmark_of], (landmark_of.astype(np.int32), columns))
    return sp.csr_array(members, shape=(len(counts), len(landmark_of))) @ X
