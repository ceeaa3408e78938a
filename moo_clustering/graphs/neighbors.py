"""Exact nearest-neighbour lists, with a defined order of tied samples, and approximate lists."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import NearestNeighbors

from moo_clustering import _arrays
from moo_clustering._data import FLOATS, checked_array, checked_integers, checked_table, require_same_samples
from moo_clustering._distances import OF_SQUARES, checked_distances
from moo_clustering._docs import documented
from moo_clustering._kernels.threads import for_parts
from moo_clustering._kernels.trees import LANES, build, nearest_by_blocks
from moo_clustering._messages import quoted
from moo_clustering._parallel import n_threads, named_losses, threads_here
from moo_clustering._types import AnyFloatArray, BoolArray, Float32Array, FloatArray, Int32Array, Int64Array
from moo_clustering.constraints import ConstraintGroups

Ties = Literal["random", "index"]
Metric = str | Callable[..., float]
CHUNK = 1 << 20
# With more features than this, brute force is faster than a KD-tree.
TREE_FEATURES = 12
_MANY, _FEW_FEATURES, _MANY_FEATURES = 8192, 5, 64
_LEAF, _BLOCK = 64, 192
# _BLOCK_SECONDS and _PRODUCT_SECONDS are estimated processor times per pair of values. With "auto", the
# search is approximate if there are at least _LARGE points and an exact search takes over _LONG seconds.
_BLOCK_SECONDS, _PRODUCT_SECONDS, _LONG, _LARGE = 1.8e-10, 4.5e-11, 600.0, 100_000
_SAMPLED_ROWS, _SAMPLED_GROUPS = 500, 16
#: Metrics that are p-norms of the difference between two samples, and the value of p for each.
MINKOWSKI: dict[str, Any] = {
    "euclidean": 2.0, "l2": 2.0, "minkowski": 2.0,
    "manhattan": 1.0, "l1": 1.0, "cityblock": 1.0, "chebyshev": np.inf, "infinity": np.inf,
}  # fmt: skip
# With this number of additional points, ties with the last neighbour rarely require a wider search.
_SPARE = 4
# Distances below this value would lose digits in single precision.
_LEAST = 1e-30
PlainMetric = Literal["euclidean", "precomputed"]
Method = Literal["auto", "exact", "tree", "blocks", "brute", "approximate"]


@dataclass(frozen=True, eq=False)
class NeighborLists:
    """Nearest neighbours of every sample, except those that constraints exclude.

    Attributes
    ----------
    indices : ndarray of shape (n_samples, width), int32
        Row indices of the neighbours, nearest first, padded with -1.
    distances : ndarray of shape (n_samples, width), float32
        Distances of the neighbours, non-decreasing along each row, padded with inf.
    n_admissible : ndarray of shape (n_samples,), int32
        Number of neighbours in each row, at least 1.
    recall : float or None
        Estimated share of the true nearest neighbours that the lists contain; None for exact lists.
    """

    indices: Int32Array
    distances: Float32Array
    n_admissible: Int32Array
    recall: float | None = None


def neighbor_lists(
    X: ArrayLike,
    n_neighbors: int,
    *,
    metric: Metric = "euclidean",
    ties: Ties = "random",
    rng: Generator,
    groups: ConstraintGroups | None = None,
    n_jobs: int | None = None,
    method: Method = "auto",
) -> NeighborLists:
    """Find the nearest neighbours of every sample.

    A sample is not its own neighbour, but its duplicates are neighbours at distance 0. Distances that agree
    to twelve digits are tied; ``ties`` determines the order of tied samples. Source: PESC, Algorithm 3, Eq.
    3. The approximate search is that of Dong, Moses and Li 2011, as implemented in pynndescent.

    ``"exact"`` is ``"tree"`` for Minkowski metrics, and ``"brute"`` for other metrics. There are two
    exceptions for metrics that rank pairs as the Euclidean metric does: ``"blocks"`` is used for at least
    8192 samples with 5 to 64 features, and ``"brute"`` for other data with more than 12 features. For N
    samples with d features, ``"tree"`` takes O(N log N) time if the data are well-behaved and d is small, and
    ``"brute"`` takes O(N^2 d) time. The lists take O(N (n_neighbors + d)) memory. Raises a ValueError if
    there are fewer than two samples, distances are invalid, the metric is unsupported, or constraints exclude
    all neighbours of a sample. ``"approximate"`` raises an ImportError if pynndescent is not installed.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features or, with ``metric="precomputed"``, distances; row i contains the distances from sample i.
    n_neighbors : int
        Length of the lists, limited to n_samples - 1.
    metric : str or callable, default="euclidean"
        Metric of :class:`sklearn.neighbors.NearestNeighbors`, or ``"precomputed"``. With ``"cosine"``, a row
        of zeros has distance 1 from every row that is not zero.
    ties : {"random", "index"}, default="random"
        Order of tied samples. With ``"index"``, it is the row order, which affects results for gridded data.
    rng : numpy.random.Generator
        Generator for the random order of tied samples.
    groups : ConstraintGroups, optional
        Constraints; samples in conflicting groups are never neighbours.
    n_jobs : int, optional
        Number of threads; does not affect the result.
    method : {"auto", "exact", "tree", "blocks", "brute", "approximate"}, default="auto"
        - ``"tree"``: KD-tree, for Minkowski metrics.
        - ``"blocks"``: whole KD-tree leaves, for metrics that rank pairs as the Euclidean metric does.
        - ``"brute"``: all pairs, for all metrics.
        - ``"exact"``: the fastest of the three methods above, which all produce the same lists.
        - ``"approximate"``: nearest-neighbour descent, for the same metrics as ``"blocks"``. Finds all
          duplicates. The lists of samples in conflicting groups are exact. Requires the extra ``neighbors``.
        - ``"auto"``: approximate if pynndescent is installed and an exact search would take more than about
          ten minutes, otherwise exact. A UserWarning reports the recall of approximate lists, and slow
          exact searches.

    Returns
    -------
    NeighborLists
    """
    _arrays.choice("method", method, get_args(Method))
    _arrays.choice("ties", ties, ("random", "index"))
    _arrays.integer("n_neighbors", n_neighbors)
    data = checked_distances(X) if metric == "precomputed" else checked_table(X, dtype=FLOATS)
    n_samples = len(data)
    if n_samples < 2:
        raise ValueError("neighbour lists require at least 2 samples, got 1")
    if groups is not None:
        require_same_samples("groups and X", groups.n_samples, n_samples)
    width, keys = min(int(n_neighbors), n_samples - 1), tie_keys(n_samples, ties, rng)
    return ordered_lists(data, width, metric, keys, groups, n_jobs, method)


@documented()
def lists_from_arrays(
    indices: ArrayLike, distances: ArrayLike, *, n_samples: int, groups: ConstraintGroups | None = None
) -> NeighborLists:
    """Create neighbour lists from the result of any neighbour search.

    Raises a ValueError if shapes differ, if an index is out of range, is repeated or is equal to its row, if
    distances are negative, infinite or unsorted, or if constraints exclude all listed neighbours of a sample.

    Parameters
    ----------
    indices : array-like of shape (n_samples, width)
        Row indices of the nearest neighbours, nearest first, excluding the samples themselves.
    distances : array-like of shape (n_samples, width)
        Distances of the neighbours, non-decreasing along each row.
    n_samples : int
    groups : ConstraintGroups, optional
        Constraints. Neighbours in conflicting groups are removed, so pass longer lists than needed.
    """
    nb = checked_integers(indices, "indices")
    given = checked_array(distances, "distances", np.float64)
    with np.errstate(over="ignore"):
        nd = given.astype(np.float32)
    if nb.ndim != 2 or nb.shape != nd.shape or len(nb) != n_samples or nb.shape[1] < 1:
        raise ValueError(
            f"neighbors must be a tuple (indices, distances), both of shape ({n_samples}, width); "
            f"got shapes {nb.shape} and {nd.shape}"
        )
    if nb.min() < 0 or nb.max() >= n_samples:
        raise ValueError(f"neighbors: indices must be integers from 0 to {n_samples - 1}")
    _refuse(nb == np.arange(n_samples)[:, None], "a sample is its own neighbour")
    ordered = np.sort(nb, axis=1)
    _refuse(ordered[:, 1:] == ordered[:, :-1], "a neighbour is listed twice")
    _refuse(~np.isfinite(nd) | (nd < 0), "a distance is negative or not finite")
    _refuse(np.diff(nd, axis=1) < 0, "distances decrease along the row")
    _require_single(nd, given)
    nb = nb.astype(np.int32)
    if groups is None or groups.is_empty:
        return NeighborLists(nb, nd, np.full(n_samples, nb.shape[1], dtype=np.int32))
    return _without_forbidden(nb, nd, groups)


def _refuse(bad: BoolArray, what: str) -> None:
    rows = np.flatnonzero(bad.any(axis=1))
    if len(rows):
        raise ValueError(f"neighbors: {what} in row {rows[0]}")


def _require_single(stored: Float32Array, apart: NDArray[Any]) -> None:
    """Raise a ValueError if distances overflow, or if distances between distinct samples underflow."""
    largest = stored.max(initial=0.0)
    if np.isinf(largest) or (largest < _LEAST and (apart > 0).any()):
        raise ValueError(
            f"distances of the nearest neighbours are too {'large' if largest > 1 else 'small'} for single "
            f"precision, which ranges from {_LEAST:g} to 3.4e+38; rescale X"
        )


def _without_forbidden(nb: Int32Array, nd: AnyFloatArray, groups: ConstraintGroups) -> NeighborLists:
    forbidden = groups.forbidden(np.arange(len(nb))[:, None], nb)
    order = np.argsort(forbidden, axis=1, kind="stable")
    admissible = nb.shape[1] - forbidden.sum(axis=1)
    if (admissible == 0).any():
        sample = int(admissible.argmin())
        raise ValueError(f"neighbors: sample {sample} has no admissible neighbours; pass longer lists")
    padding = np.arange(nb.shape[1]) >= admissible[:, None]
    indices = np.where(padding, -1, np.take_along_axis(nb, order, axis=1)).astype(np.int32)
    distances = np.where(padding, np.inf, np.take_along_axis(nd, order, axis=1)).astype(np.float32)
    return NeighborLists(indices, distances, admissible.astype(np.int32))


def ordered_lists(
    data: AnyFloatArray,
    width: int,
    metric: Metric,
    keys: Int32Array,
    groups: ConstraintGroups | None = None,
    n_jobs: int | None = None,
    method: Method = "auto",
) -> NeighborLists:
    """Compute neighbour lists for validated input. Tied samples are sorted by ``keys``."""
    n_samples = len(data)
    indices = np.full((n_samples, width), -1, dtype=np.int32)
    distances = np.full((n_samples, width), np.inf, dtype=np.float32)
    recall, constrained = None, np.zeros(n_samples, dtype=np.bool_)
    if groups is not None:
        constrained = np.isin(groups.groups, groups.conflicts)
    if metric == "precomputed":
        if method not in ("auto", "exact", "brute"):
            raise ValueError(f'method="{method}" requires features, not metric="precomputed"; use "exact"')
        with np.errstate(over="ignore"):
            matrix_lists(data, keys, groups if constrained.any() else None, indices, distances)
        apart = np.take_along_axis(data, np.maximum(indices, 0), axis=1)
    else:
        space = MetricSpace(data, metric)
        rows = DistinctRows(space.points, keys)
        search = exact = point_search(rows.points, space, n_jobs, method)
        if method in ("auto", "approximate"):
            search = _affordable(exact, width + 1 + _SPARE, method, int(keys[0]))
        recall = search.recall
        with np.errstate(over="ignore", under="ignore"):
            lists = _PointLists(rows, keys, indices, distances)
            lists.fill_free(search, ~constrained)
            if groups is not None and constrained.any():
                lists.fill_constrained(exact, np.flatnonzero(constrained), groups)
            space.finish(distances)
        # If the metric is not a p-norm, distinct rows may have distance 0.
        apart = (rows.of_sample[indices] != rows.of_sample[:, None]) & (space.power is not None)
    _require_single(distances[indices >= 0], apart[indices >= 0])
    n_admissible = np.count_nonzero(indices >= 0, axis=1).astype(np.int32)
    alone = np.flatnonzero(n_admissible == 0)
    if len(alone):
        raise ValueError(f"sample {alone[0]} has no admissible neighbours: constraints exclude all others")
    return NeighborLists(indices, distances, n_admissible, recall)


def matrix_lists(
    D: AnyFloatArray,
    keys: Int32Array,
    groups: ConstraintGroups | None,
    indices: Int32Array,
    distances: Float32Array,
) -> None:
    """Write the nearest neighbours to ``indices`` and ``distances``, given a distance matrix."""
    n_samples, width = indices.shape
    for part in _arrays.block_slices(n_samples, n_samples):
        rows = np.arange(n_samples)[part]
        block = round_distances(D[rows])
        block[np.arange(len(rows)), rows] = np.inf
        if groups is not None:
            block[groups.forbidden(rows[:, None], np.arange(n_samples))] = np.inf
        last = np.partition(block, width - 1, axis=1)[:, width - 1]
        row, sample = np.nonzero((block <= last[:, None]) & np.isfinite(block))
        indices[rows], distances[rows] = first_of_rows(
            row, sample, block[row, sample], keys, len(rows), width
        )


def first_of_rows(
    row: Int64Array, sample: Int64Array, distance: FloatArray, keys: Int32Array, n_rows: int, width: int
) -> tuple[Int64Array, FloatArray]:
    """Sort each row's candidates by distance and key; return the first ``width``, padded with -1 and inf."""
    order = np.lexsort((keys[sample], distance, row))
    row = row[order]
    place = np.arange(len(row)) - np.searchsorted(row, np.arange(n_rows))[row]
    kept = place < width
    samples, distances = np.full((n_rows, width), -1, dtype=np.int64), np.full((n_rows, width), np.inf)
    samples[row[kept], place[kept]] = sample[order][kept]
    distances[row[kept], place[kept]] = distance[order][kept]
    return samples, distances


class _PointLists:
    def __init__(
        self, rows: DistinctRows, keys: Int32Array, indices: Int32Array, distances: Float32Array
    ) -> None:
        self.rows, self.keys = rows, keys
        self.indices, self.distances = indices, distances
        self.width = indices.shape[1]

    def fill_free(self, search: PointSearch, free: BoolArray) -> None:
        def fill(points: Int64Array, n_found: int) -> BoolArray:
            # One more sample is requested, because a sample is among its own nearest samples.
            samples, found, complete = self._nearest(search(points, n_found), self.width + 1)
            self._hand_out(points[complete], samples[complete], found[complete], free)
            return complete

        points = np.unique(self.rows.of_sample[free])
        self._fill(search, points[search.in_order(points)], fill)

    def fill_constrained(self, search: PointSearch, pending: Int64Array, groups: ConstraintGroups) -> None:

        def fill(samples: Int64Array, n_found: int) -> BoolArray:
            found = search(self.rows.of_sample[samples], n_found)
            complete = np.empty(len(samples), dtype=np.bool_)
            # The number of candidates is limited, because a few distinct points can have many duplicates.
            load = np.cumsum(self.rows.sizes[found.points].sum(axis=1)) // CHUNK
            for part in np.split(np.arange(len(samples)), np.flatnonzero(np.diff(load)) + 1):
                some = samples[part]
                near = Found(found.points[part], found.distances[part], found.horizon[part])
                self.indices[some], self.distances[some], complete[part] = self._nearest(
                    near, self.width, some, groups
                )
            return complete

        self._fill(search, pending[search.in_order(self.rows.of_sample[pending])], fill)

    def _fill(
        self, search: PointSearch, pending: Int64Array, fill: Callable[[Int64Array, int], BoolArray]
    ) -> None:
        """Call ``fill`` with increasingly wide searches until all lists are complete."""
        n_points = len(self.rows.points)
        n_found = min(n_points, self.width + 1 + _SPARE)
        while len(pending):
            step = search.chunk(n_found)
            parts = [pending[lo : lo + step] for lo in range(0, len(pending), step)]
            pending = np.concatenate([part[~fill(part, n_found)] for part in parts])
            n_found = min(n_points, 2 * n_found)

    def _hand_out(self, points: Int64Array, samples: Int64Array, found: FloatArray, free: BoolArray) -> None:
        """Copy each point's list to the samples at this point, and omit each sample from its own list."""
        everyone, owner = self.rows.members(points)
        mine = free[everyone]
        everyone, owner = everyone[mine], owner[mine]
        for part in _arrays.block_slices(len(everyone), self.width):
            who, which = everyone[part], owner[part]
            own = samples[which] == who[:, None]
            # If duplicates have displaced a sample from its own list, the last entry is omitted instead.
            gap = np.where(own.any(axis=1), own.argmax(axis=1), self.width)
            columns = np.arange(self.width) + (np.arange(self.width) >= gap[:, None])
            self.indices[who] = np.take_along_axis(samples[which], columns, axis=1)
            self.distances[who] = np.take_along_axis(found[which], columns, axis=1)

    def _nearest(
        self, found: Found, width: int, of: Int64Array | None = None, groups: ConstraintGroups | None = None
    ) -> tuple[Int64Array, FloatArray, BoolArray]:
        """Return the nearest samples of each row, their distances, and a mask of the complete lists.

        With ``groups``, the list of row r contains only admissible neighbours of sample ``of[r]``.
        """
        points, distances, horizon = found
        if groups is None and len(self.rows.points) == len(self.keys):  # all samples are distinct points
            complete = np.count_nonzero(distances < horizon[:, None], axis=1) >= width
            tied = np.flatnonzero((distances[:, 1:] == distances[:, :-1]).any(axis=1))
            if len(tied):
                order = np.lexsort((self.keys[points[tied]], distances[tied]), axis=-1)
                points[tied] = np.take_along_axis(points[tied], order, axis=1)
            return points[:, :width], distances[:, :width], complete | np.isinf(horizon)
        sample, owner = self.rows.members(points.ravel(), most=width if groups is None else None)
        row, distance = owner // points.shape[1], distances.ravel()[owner]
        if groups is not None and of is not None:
            allowed = (sample != of[row]) & ~groups.forbidden(of[row], sample)
            row, sample, distance = row[allowed], sample[allowed], distance[allowed]
        complete = np.bincount(row[distance < horizon[row]], minlength=len(points)) >= width
        lists = first_of_rows(row, sample, distance, self.keys, len(points), width)
        return *lists, complete | np.isinf(horizon)


class Found(NamedTuple):
    """Points found for each row, nearest first. They include all points nearer than ``horizon``."""

    points: Int64Array
    distances: FloatArray
    horizon: FloatArray


def index_tied_lists(
    data: FloatArray, n_neighbors: int, metric: PlainMetric, n_jobs: int | None = None
) -> tuple[NeighborLists, FloatArray]:
    """Return neighbour lists in which ties are sorted by row index, and the distances in double precision."""
    n_samples = len(data)
    keys = np.arange(n_samples, dtype=np.int32)
    scaled = _arrays.near_one(data, together=True)
    lists = ordered_lists(scaled, min(n_neighbors, n_samples - 1), metric, keys, n_jobs=n_jobs)
    rows = np.arange(n_samples)
    if metric == "precomputed":
        return lists, data[rows[:, None], lists.indices]
    distances = np.empty(lists.indices.shape)
    for block in _arrays.block_slices(n_samples, lists.indices.shape[1] * data.shape[1]):
        distances[block] = row_distances(data, rows[block, None], lists.indices[block])
    return lists, distances


def tie_keys(n_samples: int, ties: Ties, rng: Generator) -> Int32Array:
    numbers = np.arange(n_samples, dtype=np.int32)
    return rng.permutation(numbers) if ties == "random" else numbers


def checked_data(X: ArrayLike, metric: str) -> FloatArray:
    _arrays.choice("metric", metric, ("euclidean", "precomputed"))
    if metric == "precomputed":
        return checked_distances(X, dtype=np.float64)
    data: FloatArray = checked_table(X)
    _arrays.require_squares(data)
    return data


class DistinctRows:
    """Distinct points in the data, and the samples at each point.

    Grouping equal rows takes O(n_samples (n_features + log n_samples)) time and O(n_samples) memory.

    - ``points``: distinct rows of X, shape (n_points, n_features);
    - ``of_sample``: point of each sample, shape (n_samples,);
    - ``samples``: samples sorted by point, then by tie key, shape (n_samples,);
    - ``start``: samples at point p are ``samples[start[p]:start[p + 1]]``, shape (n_points + 1,).
    """

    def __init__(self, X: AnyFloatArray, keys: Int32Array) -> None:
        # A random combination of the features has different values for distinct rows. The columns are added
        # one by one, because equal rows then have bitwise identical values.
        mix = np.zeros(len(X))
        factors = np.random.default_rng(0).standard_normal((X.shape[1], 1))
        for feature in range(X.shape[1]):
            mix += X[:, feature] * factors[feature]
        order = np.argsort(mix, kind="stable")
        same = mix[order[1:]] == mix[order[:-1]]
        left, right = order[:-1][same], order[1:][same]
        self.points, self.of_sample = X, np.arange(len(X), dtype=np.int64)
        if not (X[left] == X[right]).all():
            self.points, inverse = np.unique(X, axis=0, return_inverse=True)
            self.of_sample = inverse.reshape(-1).astype(np.int64)
        elif same.any():
            self.of_sample[order] = np.concatenate([[0], np.cumsum(~same)])
            self.points = X[order[np.concatenate([[True], ~same])]]
        sizes = np.bincount(self.of_sample, minlength=len(self.points))
        self.start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.samples = np.lexsort((keys, self.of_sample))

    @property
    def sizes(self) -> Int64Array:
        return np.diff(self.start)

    def members(self, points: Int64Array, most: int | None = None) -> tuple[Int64Array, Int64Array]:
        """Return the samples at ``points``, at most ``most`` per point, and their indices in ``points``."""
        counts = self.sizes[points] if most is None else np.minimum(self.sizes[points], most)
        owner = np.repeat(np.arange(len(points)), counts)
        within = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
        return self.samples[self.start[points[owner]] + within], owner


def round_distances(distances: AnyFloatArray) -> FloatArray:
    """Round distances to 41 significant bits (5e-13), so that rounding errors do not break ties."""
    bits = np.ascontiguousarray(distances, dtype=np.float64).view(np.int64)
    return ((bits + (1 << 11)) & ~np.int64((1 << 12) - 1)).view(np.float64)


def row_distances(data: FloatArray, i: NDArray[Any], j: NDArray[Any]) -> FloatArray:
    return np.linalg.norm(data[i] - data[j], axis=-1)


class MetricSpace:
    """Points for a search with a metric. Cosine and squared Euclidean metrics use Euclidean searches.

    ``power`` is the p of the p-norm that ranks pairs as the metric does, or None if no p-norm does so.
    ``square`` is the factor by which squared search distances are multiplied to obtain distances in the
    metric, or None if search distances already are such distances.
    """

    def __init__(self, X: AnyFloatArray, metric: Metric) -> None:
        self.points, self.metric = X, metric
        self.power: float | None = MINKOWSKI.get(metric) if isinstance(metric, str) else None
        self.square: float | None = None
        if metric == "sqeuclidean":
            self.power, self.square = 2.0, 1.0
        elif metric == "cosine":
            # For unit vectors u and v, |u - v|^2 / 2 is equal to 1 - cos(u, v). Rows of zeros get the value 1
            # in an additional dimension, so that their distance to all other rows is 1.
            points = np.column_stack([X, np.zeros(len(X))]).astype(np.float64)
            points /= np.maximum(np.abs(points).max(axis=1, keepdims=True), np.finfo(float).tiny)
            norms = np.sqrt(np.einsum("ij,ij->i", points, points))
            points /= np.where(norms > 0, norms, 1.0)[:, None]
            points[norms == 0, -1] = 1.0
            self.points, self.power, self.square = points, 2.0, 0.5

    def finish(self, distances: NDArray[Any]) -> None:
        """Convert the distances used in the search to distances of the metric, in place."""
        if self.square is not None:
            np.square(distances, out=distances)
            distances *= self.square


def point_search(
    points: AnyFloatArray, space: MetricSpace, n_jobs: int | None = None, method: Method = "exact"
) -> PointSearch:
    """Create the search for ``method``. ``"exact"`` selects the fastest exact search."""
    metric, power, (n_points, n_features) = space.metric, space.power, points.shape
    if power == 2.0 or metric in OF_SQUARES:
        _arrays.require_squares(points)
    if (method == "tree" and power is None) or (method in ("blocks", "approximate") and power != 2.0):
        kind = "Minkowski metric" if method == "tree" else "metric with the order of the Euclidean metric"
        raise ValueError(f'method="{method}" requires a {kind}, got {quoted(metric)}; use method="exact"')
    if power is None or (method == "brute" and power != 2.0):
        return _AnyMetricSearch(points, metric, n_jobs)
    suited = n_points >= _MANY and _FEW_FEATURES <= n_features <= _MANY_FEATURES
    if method == "blocks" or (method not in ("tree", "brute") and power == 2.0 and suited):
        return _BlockSearch(points, n_jobs)
    if method == "brute" or (method != "tree" and power == 2.0 and n_features > TREE_FEATURES):
        return _EuclideanScan(points, n_jobs)
    return _MinkowskiSearch(points, power, n_jobs)


def _affordable(exact: PointSearch, n_found: int, method: Method, seed: int) -> PointSearch:
    """Select an approximate search if it is requested, or if the exact search would take too long."""
    installed, asked = find_spec("pynndescent") is not None, method == "approximate"
    extra = 'pip install "moo_clustering[neighbors]"'
    if asked and not installed:
        raise _arrays.MissingPackageError(
            'method="approximate" requires pynndescent, which is not installed: '
            f'{extra}, or use method="exact"'
        )
    if asked:
        # A very wide search computes all distances anyway, so an approximation would save no time.
        return exact if 4 * n_found >= len(exact.points) else _Approximation(exact, n_found, seed)
    seconds = exact.seconds(n_found) if len(exact.points) >= _LARGE else 0.0
    if seconds <= _LONG:
        return exact
    search = _Approximation(exact, n_found, seed) if installed else exact
    remark = f"exact lists take about {seconds / 60:.0f} minutes of processor time"
    if search.recall is None:
        remark += f"; to use approximate lists, run {extra}"
    else:
        remark = f'approximate lists contain {search.recall:.1%} of the nearest; {remark} (method="exact")'
    n_points, n_features = exact.points.shape
    _arrays.warn_caller(f"neighbours of {n_points} samples with {n_features} features: {remark}")
    return search


class PointSearch(ABC):
    """Base class of nearest-neighbour searches, in which each point is one of its own neighbours."""

    #: Estimated recall of an approximate search, or None for an exact search.
    recall: float | None = None

    def __init__(self, points: AnyFloatArray) -> None:
        self.points = points

    def __call__(self, rows: Int64Array, n_found: int) -> Found:
        """Find at least the ``n_found`` points nearest to each row."""
        if 4 * n_found >= len(self.points):
            distances = round_distances(self.all_distances(rows))
            order = np.argsort(distances, axis=1)
            found = np.take_along_axis(distances, order, axis=1)
            return Found(order, found, np.full(len(rows), np.inf))
        return self.nearest(rows, n_found)

    def in_order(self, rows: Int64Array) -> Int64Array:
        """Return indices that sort ``rows`` so that the search is fast."""
        return np.arange(len(rows))

    def chunk(self, n_found: int) -> int:
        """Return the number of rows that one call of the search should receive."""
        width = len(self.points) if 4 * n_found >= len(self.points) else n_found
        return max(1, CHUNK // width)

    def seconds(self, n_found: int) -> float:
        """Estimate the processor time in seconds of a search for all points; 0 if unknown."""
        return 0.0

    @abstractmethod
    def all_distances(self, rows: Int64Array) -> FloatArray:
        """Return the distances from each row to all points."""

    @abstractmethod
    def nearest(self, rows: Int64Array, n_found: int) -> Found:
        """Find at least the ``n_found`` nearest points without computing all distances."""


class _AnyMetricSearch(PointSearch):
    def __init__(self, points: AnyFloatArray, metric: Metric, n_jobs: int | None) -> None:
        super().__init__(points)
        self.metric, self.n_jobs = metric, n_jobs
        self._scan = NearestNeighbors(metric=metric, n_jobs=n_jobs).fit(points)

    def all_distances(self, rows: Int64Array) -> FloatArray:
        distances = pairwise_distances(self.points[rows], self.points, metric=self.metric)
        return np.maximum(np.asarray(distances, dtype=np.float64), 0.0)

    def nearest(self, rows: Int64Array, n_found: int) -> Found:
        with threads_here(self.n_jobs):
            distances, points = self._scan.kneighbors(self.points[rows], n_neighbors=n_found)
        distances = round_distances(np.maximum(distances, 0.0))
        return Found(points, distances, distances[:, -1])


class _MinkowskiSearch(PointSearch):
    def __init__(self, points: AnyFloatArray, power: float, n_jobs: int | None) -> None:
        super().__init__(points)
        self.power = power
        self.workers = n_threads(n_jobs)
        self._tree: Any = None

    def all_distances(self, rows: Int64Array) -> FloatArray:
        names = {1.0: "cityblock", 2.0: "euclidean"}
        return cdist(self.points[rows], self.points, names.get(self.power, "chebyshev"))

    def nearest(self, rows: Int64Array, n_found: int) -> Found:
        if self._tree is None:
            self._tree = cKDTree(self.points, leafsize=_LEAF, balanced_tree=False)
        options = {"k": n_found, "p": self.power, "workers": self.workers}
        with named_losses():
            distances, points = self._tree.query(self.points[rows], **options)
        distances = round_distances(distances)
        return Found(points, distances, distances[:, -1])


class _EuclideanScan(_MinkowskiSearch):
    """Brute-force search that finds candidates by matrix products.

    The distances to the candidates are then computed exactly.
    """

    def __init__(self, points: AnyFloatArray, n_jobs: int | None) -> None:
        super().__init__(points, 2.0, n_jobs)
        # The points are centred, because |x|^2 - 2 x.y + |y|^2 is inaccurate far from the origin.
        self._centred = points.astype(np.float64) - points.mean(axis=0, dtype=np.float64)
        self._norms = np.sqrt(np.einsum("ij,ij->i", self._centred, self._centred))
        self._scan = NearestNeighbors(algorithm="brute").fit(self._centred)

    def seconds(self, n_found: int) -> float:
        return _PRODUCT_SECONDS * float(len(self.points)) ** 2 * self.points.shape[1]

    def nearest(self, rows: Int64Array, n_found: int) -> Found:
        rough, points = self._scan.kneighbors(self._centred[rows], n_neighbors=n_found)
        noise = 2.0 * (self.points.shape[1] + 8) * np.finfo(float).eps
        slack = noise * (self._norms[rows] + self._norms.max()) ** 2
        horizon = np.sqrt(np.maximum(rough[:, -1] ** 2 - slack, 0.0))
        return _by_differences(self.points, rows, points, horizon, self.workers)


def _by_differences(
    points: AnyFloatArray, rows: Int64Array, found: Int64Array, horizon: FloatArray, n_jobs: int | None = None
) -> Found:
    """Sort the points found for each row by distances that are computed from differences."""
    sorted_points, distances = np.empty_like(found), np.empty(found.shape)
    step = max(1, (1 << 17) // (found.shape[1] * points.shape[1]))

    def refine(first: int, last: int) -> None:
        for lo in range(first * step, min(last * step, len(rows)), step):
            part = slice(lo, lo + step)
            candidates = points[found[part]].astype(np.float64)
            candidates -= points[rows[part], None]
            exact = round_distances(np.sqrt(np.einsum("ijk,ijk->ij", candidates, candidates)))
            order = np.argsort(exact, axis=1)
            sorted_points[part] = np.take_along_axis(found[part], order, axis=1)
            distances[part] = np.take_along_axis(exact, order, axis=1)

    for_parts(refine, -(-len(rows) // step), 4.0 * found.size * points.shape[1], n_jobs)
    return Found(sorted_points, distances, round_distances(horizon))


class _BlockSearch(_MinkowskiSearch):
    """Search that compares whole KD-tree leaves in single precision.

    The distances to the candidates are then computed exactly.
    """

    def __init__(self, points: AnyFloatArray, n_jobs: int | None) -> None:
        super().__init__(points, 2.0, n_jobs)
        self.n_jobs = n_jobs
        n_points, n_features = points.shape
        # Scaling by a power of two loses no digits, and prevents squares from overflowing.
        largest = max(float(points.max()), -float(points.min())) or 1.0
        self._scale = 2.0 ** -min(max(math.frexp(largest)[1], -1000), 1000)
        small = np.empty(points.shape, dtype=np.float32)
        for feature in range(n_features):
            column = points[:, feature] * self._scale
            small[:, feature] = column - column.mean()
        self._norms = np.sqrt(np.einsum("ij,ij->i", small, small, dtype=np.float64))
        n_leaves = 1 << max(0, math.ceil(math.log2(n_points / _BLOCK)))
        self._by_leaf, first, _, low, high = build(small, 2 * n_leaves - 1)
        leaves = n_leaves - 1 + np.argsort(first[n_leaves - 1 :])
        self._start = np.append(first[leaves], n_points)
        self._boxes = [np.ascontiguousarray(ends[leaves].T, dtype=np.float32) for ends in (low, high)]
        leaf = np.repeat(np.arange(n_leaves), np.diff(self._start))
        width = -(-int(np.diff(self._start).max()) // LANES) * LANES
        self._blocks = np.full((n_leaves, n_features, width), np.inf, dtype=np.float32)
        self._blocks[leaf, :, np.arange(n_points) - self._start[leaf]] = small[self._by_leaf]
        self._place = np.empty_like(self._by_leaf)
        self._place[self._by_leaf] = np.arange(n_points)

    def in_order(self, rows: Int64Array) -> Int64Array:
        return np.argsort(self._place[rows])

    def seconds(self, n_found: int) -> float:
        leaves = np.linspace(0, len(self._blocks) - 1, _SAMPLED_GROUPS).astype(np.int64)
        rows = np.concatenate([self._by_leaf[self._start[leaf] : self._start[leaf + 1]] for leaf in leaves])
        n_values = self._compare(rows, n_found)[-1] * self._blocks[0].size
        return _BLOCK_SECONDS * n_values * len(self.points) / len(rows)

    def nearest(self, rows: Int64Array, n_found: int) -> Found:
        points, reach, _ = self._compare(rows, n_found)
        # ``reach`` is reduced by bounds on two kinds of errors. The rounding error of each coordinate, square
        # and sum is half a unit in the last place. Squares below 1e-38 underflow.
        unit, d = float(np.finfo(np.float32).eps), self.points.shape[1]
        reach -= unit * ((d + 8) * reach + 2.0 * self._norms[rows]) + 1e-18 * math.sqrt(d)
        horizon = np.maximum(reach, 0.0) / self._scale
        found = _by_differences(self.points, rows, points, horizon, self.n_jobs)
        # Single precision cannot distinguish points that are much closer to each other than to the mean. If
        # the distances of a row have a relative error above 1%, the row is searched again in double
        # precision.
        blurred = np.flatnonzero(found.horizon < 0.99 * found.distances[:, -1])
        if len(blurred):
            for mine, sharp in zip(found, super().nearest(rows[blurred], n_found), strict=True):
                mine[blurred] = sharp
        return found

    def _compare(self, rows: Int64Array, n_found: int) -> tuple[Int64Array, FloatArray, int]:
        """Find each row's candidates, their largest scaled distance, and the number of leaves visited."""
        order = self.in_order(rows)
        places = self._place[rows[order]]
        groups = np.unique(np.searchsorted(places, self._start))
        near = np.empty((len(rows), n_found), dtype=np.int64)
        squares, looked_at = np.empty((len(rows), n_found), dtype=np.float32), []

        def search(lo: int, hi: int) -> None:
            queries = (places, groups, lo, hi, near, squares)
            looked_at.append(nearest_by_blocks(self._blocks, self._start, *self._boxes, *queries))

        for_parts(search, len(groups) - 1, float(len(rows)) * len(self.points), self.n_jobs)
        points, reach = np.empty_like(near), np.empty(len(rows))
        points[order], reach[order] = self._by_leaf[near], np.sqrt(squares[:, -1].astype(np.float64))
        return points, reach, sum(looked_at)


class _Approximation(PointSearch):
    """Approximate search by nearest-neighbour descent.

    If the descent finds too few neighbours of a row, the exact search is used for this row.
    """

    def __init__(self, exact: PointSearch, n_found: int, seed: int) -> None:
        from pynndescent import NNDescent

        super().__init__(exact.points)
        self._exact = exact
        small = (exact.points - exact.points.mean(axis=0, dtype=np.float64)).astype(np.float32)
        # With several threads, the result would not be reproducible.
        index = NNDescent(small, n_neighbors=n_found, random_state=seed, n_jobs=1, compressed=False)
        self._lists = index.neighbor_graph[0].astype(np.int32)
        n_rows = min(_SAMPLED_ROWS, len(small))
        rows = np.sort(np.random.default_rng(0).choice(len(small), n_rows, replace=False))
        farthest = exact.nearest(rows, n_found).distances[:, n_found - 1, None]
        self.recall = float((self.nearest(rows, n_found).distances <= farthest).mean())

    def in_order(self, rows: Int64Array) -> Int64Array:
        return self._exact.in_order(rows)

    def all_distances(self, rows: Int64Array) -> FloatArray:
        return self._exact.all_distances(rows)

    def nearest(self, rows: Int64Array, n_found: int) -> Found:
        found = self._lists[rows].astype(np.int64)
        short = np.flatnonzero((found < 0).any(axis=1))
        if len(short):
            found[short] = self._exact.nearest(rows[short], n_found).points[:, :n_found]
        return _by_differences(self.points, rows, found, np.full(len(rows), np.inf))
