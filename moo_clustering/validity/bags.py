"""Internal validity indices for partitions of bags of instances, and a report with all indices."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

from moo_clustering._arrays import FloatArray, Int32Array, IntArray, block_slices, choice, quoted
from moo_clustering._data import checked_integers
from moo_clustering._distances import MAX_MEMORY, checked_distances
from moo_clustering._docs import documented
from moo_clustering._kernels.threads import for_parts
from moo_clustering.encodings.base import contiguous
from moo_clustering.validity import base, external

if TYPE_CHECKING:
    from moo_clustering.bags import BagGeometry, Bags

Weighting = Literal["bag", "instance"]
WEIGHTINGS: tuple[Weighting, ...] = ("bag", "instance")
# Partitions with a single cluster or with identical centroids get this finite value.
UNDEFINED = 1e6
# The kernel identifies an interpretation of Eq. 17 by its position in this tuple.
READINGS = ("density", "count", "printed")
KINDS = ("directed", "symmetric", "mean_min", "min_min", "mean", "precomputed")


class _BagIndex(base.PopulationIndex):
    """Index for partitions of bags, whose labels need not be contiguous."""

    def _population(self, labels: IntArray) -> base.Population:
        return super()._population(_without_gaps(base.integer_rows(labels, "labels")))


class _GeometryIndex(_BagIndex):
    weighting: Weighting
    n_jobs: int | None

    def fit(self, data: Any) -> Self:
        choice("weighting", self.weighting, WEIGHTINGS)
        self.geometry_ = geometry_of(data, self.weighting, type(self).__name__)
        self.n_samples_ = self.geometry_.n_bags
        return self

    def _objective(self, objective: Any, population: base.Population, reading: Any = "between") -> FloatArray:
        """Evaluate a ``BagObjective``, whose undefined values are inf."""
        from moo_clustering.bags import BagObjective

        n_clusters = int(population.n_clusters.max(initial=1))
        scores = BagObjective(self.geometry_, n_clusters, objective, reading=reading, n_jobs=self.n_jobs)
        return scores.evaluate(population.labels)


@dataclass(eq=False, repr=False)
class BagDaviesBouldin(_GeometryIndex):
    """Mean over clusters i of max_j (radius_i + radius_j) / (distance between centroids i, j), minimised.

    radius_i is the mean distance from the bags of cluster i to its centroid. The distance from a bag to a
    centroid is that of the bag's farthest instance. ``fit`` accepts Bags, any input of
    :func:`~moo_clustering.bags.as_bags`, or a ``BagGeometry``, which several indices can share. A geometry
    with ``min_cluster_size`` is exact only for clusters of at least this size. Labels need not be contiguous.
    Partitions that isolate an outlier often have the lowest value, so report cluster sizes, too. To fit N
    bags with n instances of d features, takes O(n N d) time and 8 n N bytes. For p individuals with K
    clusters, takes O(p (n N + N^2 + K n)) time. Source: Evolutionary multi-instance clustering, Eq. 10.

    Parameters
    ----------
    weighting : {"bag", "instance"}, default="bag"
        Centroids are means of bag means (``"bag"``, Eq. 3) or means of all instances (``"instance"``).
    undefined : float, default=1e6
        Value for a single cluster or identical centroids. Higher values are reduced to it. May be ``inf``.
    n_jobs : int, optional
        Number of threads; does not affect the result.

    Examples
    --------
    >>> from moo_clustering.validity import BagDaviesBouldin
    >>> bags = [[[0, 0], [2, 0]], [[0, 1]], [[8, 0], [8, 2], [8, 4]], [[10, 2], [6, 2]], [[4, 10]]]
    >>> BagDaviesBouldin().fit(bags).evaluate([[0, 0, 1, 1, 1], [0, 0, 0, 0, 1]]).round(4)
    array([0.8294, 0.5465])
    """

    name, greater_is_better, min_clusters = "bag_davies_bouldin", False, 2

    weighting: Weighting = "bag"
    _: KW_ONLY
    undefined: float = UNDEFINED
    n_jobs: int | None = None

    def _score(self, population: base.Population) -> FloatArray:
        return capped(self._objective("db", population), self.undefined)


@documented(BagDaviesBouldin)
@dataclass(eq=False, repr=False)
class BagSilhouette(_BagIndex):
    """Mean silhouette (b - a) / max(a, b) of bags, maximised.

    For each bag, a is the mean distance from the bag to the other bags in its cluster, and b is the smallest
    mean distance from the bag to another cluster. Singletons and bags with a = b = 0 score 0, and so do all
    bags of a single cluster. For data and labels, see :class:`BagDaviesBouldin`. Fitting to n instances of d
    features takes O(n^2 d) time. For p individuals with K clusters of N bags in total, takes O(p N (N + K))
    time and O(N^2) memory. Source: Evolutionary multi-instance clustering, Eqs. 12-14.

    Parameters
    ----------
    kind : str, default="directed"
        "directed", "symmetric", "mean_min", "min_min" or "mean"; see
        :func:`~moo_clustering.bags.bag_distances`. With ``"precomputed"``, ``fit`` expects the distances from
        bag i (row) to bag j (column). The diagonal is ignored.
    average : {"cluster", "bag"}, default="cluster"
        Whether the index is the mean over clusters of their mean silhouettes (Eq. 12), or the mean over bags.
    max_memory : int, default=4 GiB
        Maximum total size of the distance matrix and its transpose, in bytes.

    Examples
    --------
    >>> from moo_clustering.validity import BagSilhouette
    >>> bags = [[[0, 0], [2, 0]], [[0, 1]], [[8, 0], [8, 2], [8, 4]], [[10, 2], [6, 2]], [[4, 10]]]
    >>> BagSilhouette().fit(bags).evaluate([0, 0, 1, 1, 1]).round(4)
    array([0.5202])
    """

    name, greater_is_better = "bag_silhouette", True

    kind: Literal["directed", "symmetric", "mean_min", "min_min", "mean", "precomputed"] = "directed"
    average: Literal["cluster", "bag"] = "cluster"
    _: KW_ONLY
    max_memory: int = MAX_MEMORY
    n_jobs: int | None = None

    def fit(self, data: Any) -> Self:
        choice("kind", self.kind, KINDS)
        choice("average", self.average, ("cluster", "bag"))
        if self.kind == "precomputed":
            H = checked_distances(data, "data", dtype=np.float64, directed=True)
            self._check_memory(len(H))
        else:
            from moo_clustering.bags import bag_distances

            bags = bags_of(data)
            self._check_memory(bags.n_bags)
            H = bag_distances(bags, kind=self.kind, n_jobs=self.n_jobs)
        # The transpose is stored, because it makes the distances from a bag contiguous in memory.
        self._columns = H.T.copy()
        np.fill_diagonal(self._columns, 0.0)
        self.n_samples_ = len(H)
        return self

    def _score(self, population: base.Population) -> FloatArray:
        # The import is lazy, as in ``fit``, because most indices are not applied to bags.
        from moo_clustering._kernels.bag_distances import column_width, silhouette_means

        values = np.zeros(len(population.labels))
        n, width = self.n_samples_, column_width(self.n_samples_, 8)
        by_cluster = self.average == "cluster"
        kernel = partial(silhouette_means, self._columns, *population, width, by_cluster, values)
        for_parts(kernel, len(values), float(len(values)) * n * n, self.n_jobs, each=1)
        return values

    def _check_memory(self, n_bags: int) -> None:
        needed = 16 * n_bags**2
        if needed > self.max_memory:
            raise ValueError(
                f"BagSilhouette requires {needed / 2**30:.1f} GiB for the distances of {n_bags} "
                f"bags, which exceeds max_memory={self.max_memory} bytes"
            )


@documented(BagDaviesBouldin)
@dataclass(eq=False, repr=False)
class BagSDbw(_GeometryIndex):
    """Scatter within clusters (Scat) plus density between clusters (Den), minimised (S_Dbw).

    Scat is the mean norm of the cluster variances, divided by the norm of the total variance. Den is the mean
    over pairs of clusters of a ratio: the number of bags near the midpoint of the two centroids, divided by
    the number of bags near a centroid (see ``reading``). A bag is near a point if none of its instances is
    farther from the point than stdev = sqrt(sum of the norms of the K cluster variances) / K. Den is often 0,
    because most bags are wider than stdev. :meth:`parts` returns both terms. Scat is 0 if all points are
    identical. For data, labels and cost, see :class:`BagDaviesBouldin`. Evaluation takes O(p N d) time in
    addition. Source: Evolutionary multi-instance clustering, Eqs. 15-17; Halkidi & Vazirgiannis, IEEE ICDM
    2001.

    Parameters
    ----------
    reading : {"density", "count", "printed"}, default="density"
        Denominator in Den. ``"density"``: the larger number of bags near a centroid (if 0, the ratio is 0).
        ``"count"``: the size of the larger cluster. ``"printed"``: as in Eq. 17, taken literally.
    sigma : {"bag", "instance"}, default="bag"
        Whether to compute the variances of bag means or of instances.
    ddof : {0, 1}, default=0
        Delta degrees of freedom for variances; the variance of a single point is always 0.

    Examples
    --------
    >>> from moo_clustering.validity import BagSDbw
    >>> bags = [[[0, 0], [2, 0]], [[0, 1]], [[8, 0], [8, 2], [8, 4]], [[10, 2], [6, 2]], [[4, 10]]]
    >>> BagSDbw().fit(bags).evaluate([0, 0, 1, 1, 1]).round(4)
    array([0.4386])
    """

    name, greater_is_better, min_clusters = "bag_sdbw", False, 2

    reading: Literal["density", "count", "printed"] = "density"
    sigma: Literal["bag", "instance"] = "bag"
    _: KW_ONLY
    ddof: Literal[0, 1] = 0
    weighting: Weighting = "bag"
    undefined: float = UNDEFINED
    n_jobs: int | None = None

    def fit(self, data: Any) -> Self:
        choice("reading", self.reading, READINGS)
        choice("sigma", self.sigma, ("bag", "instance"))
        if self.ddof not in (0, 1):
            raise ValueError(f"ddof must be 0 or 1, got {quoted(self.ddof)}")
        super().fit(data)
        self._points, self._unit = _points(self.geometry_.bags, self.sigma)
        one_cluster = np.zeros((1, self.n_samples_), dtype=np.int32)
        self._total = float(self._variance_norms(one_cluster, 1)[0, 0])
        return self

    def _score(self, population: base.Population) -> FloatArray:
        scatter, density = self._parts(population)
        return capped(scatter + density, self.undefined)

    def parts(self, labels: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return Scat and Den, each of shape (n_individuals,). Both are inf for a single cluster."""
        return self._parts(self._population(labels))

    def _parts(self, population: base.Population) -> tuple[FloatArray, FloatArray]:
        if not len(population.labels):
            return np.empty(0), np.empty(0)
        norms = self._variance_norms(population.labels, population.sizes.shape[1]).sum(axis=1)
        n_clusters = population.n_clusters
        scatter = norms / n_clusters / self._total if self._total > 0.0 else np.zeros(len(norms))
        stdev, width = self._unit * np.sqrt(norms) / n_clusters, population.sizes.shape[1]
        blocks = self.geometry_.chunks(len(stdev), width)
        parts = [self._densities(population.labels[rows], width, stdev[rows]) for rows in blocks]
        density = np.concatenate(parts)
        scatter[n_clusters < 2] = density[n_clusters < 2] = np.inf
        return scatter, density

    def _variance_norms(self, labels: IntArray, n_clusters: int) -> FloatArray:
        from moo_clustering._kernels.bag_distances import variance_norms

        norms = np.empty((len(labels), n_clusters))
        kernel = partial(variance_norms, *self._points, self.ddof, labels, norms)
        for_parts(kernel, len(labels), 5.0 * len(labels) * self._points[0].size, self.n_jobs)
        return norms

    def _densities(self, labels: Int32Array, n_clusters: int, stdev: FloatArray) -> FloatArray:
        from moo_clustering._kernels.bag_distances import densities_between

        geometry, reading = self.geometry_, READINGS.index(self.reading)
        density = np.empty(len(labels))
        sums = geometry.sums(labels, n_clusters, n_jobs=self.n_jobs)
        kernel = partial(densities_between, geometry.arrays, labels, *sums, stdev, reading, density)
        for_parts(kernel, len(labels), len(labels) * n_clusters * geometry.arrays.squares.size, self.n_jobs)
        return density


def _points(bags: Bags, sigma: str) -> tuple[tuple[FloatArray, FloatArray, FloatArray], float]:
    """Scale the data, and compute the arrays for the kernels.

    Returns the means of the bags, their sums of squared deviations and their numbers of points, followed by
    the unit. The values are divided by the unit, which is a power of two, so that variances do not overflow.
    """
    # One row is subtracted first, so that identical instances become exactly zero.
    X = bags.instances.astype(np.float64) - bags.instances[0].astype(np.float64)
    unit = float(np.ldexp(1.0, np.frexp(np.abs(X).max())[1]))
    X /= unit
    starts = bags.offsets[:-1]
    means: FloatArray = np.add.reduceat(X, starts, axis=0) / bags.sizes[:, None]
    if sigma == "bag":
        return (means, np.zeros_like(means), np.ones(len(means))), unit
    X -= means[bags.bag_of_instance]
    return (means, np.add.reduceat(X * X, starts, axis=0), bags.sizes.astype(np.float64)), unit


@documented(BagDaviesBouldin)
@dataclass(eq=False, repr=False)
class TWCV(_GeometryIndex):
    """Total within-cluster variation: the sum of squared distances from bags to centroids, minimised.

    For data, labels, distances and cost, see :class:`BagDaviesBouldin`. The index is defined for every
    partition. Splitting a cluster may increase the index, because centroids do not minimise these sums.
    Source: Evolutionary multi-instance clustering, Eq. 4.

    Examples
    --------
    >>> from moo_clustering.validity import TWCV
    >>> bags = [[[0, 0], [2, 0]], [[0, 1]], [[8, 0], [8, 2], [8, 4]], [[10, 2], [6, 2]], [[4, 10]]]
    >>> TWCV().fit(bags).evaluate([0, 0, 1, 1, 1]).round(4)
    array([80.3333])
    """

    name, greater_is_better = "twcv", False

    weighting: Weighting = "bag"
    _: KW_ONLY
    n_jobs: int | None = None

    def _score(self, population: base.Population) -> FloatArray:
        return self._objective("twcv", population)


@documented(BagDaviesBouldin)
@dataclass(eq=False, repr=False)
class FTWCV(_GeometryIndex):
    """Fast within-cluster variation: the sum of squared distances from bag means to cluster means, minimised.

    For data and labels, see :class:`BagDaviesBouldin`. Takes O(p N^2) time for p individuals. The literal
    readings of Eq. 7 take O(n d) time in addition. Source: Evolutionary multi-instance clustering, Eq. 7.

    Parameters
    ----------
    reading : {"between", "printed", "printed_meansq"}, default="between"
        ``"between"``: within-cluster sum of squares of bag means. The others take Eq. 7 literally: the sum of
        q over bags minus the sum over clusters of the mean q, which depends on the origin. q is the mean
        squared norm of a bag's instances or (``"printed_meansq"``) the squared norm of its mean.
    weighting : {"bag", "instance"}, default="bag"
        Weight of each bag mean in ``"between"``: 1, or the bag's number of instances.

    Examples
    --------
    >>> from moo_clustering.validity import FTWCV
    >>> bags = [[[0, 0], [2, 0]], [[0, 1]], [[8, 0], [8, 2], [8, 4]], [[10, 2], [6, 2]], [[4, 10]]]
    >>> FTWCV().fit(bags).evaluate([0, 0, 1, 1, 1]).round(4)
    array([54.3333])
    """

    name, greater_is_better = "ftwcv", False

    reading: Literal["between", "printed", "printed_meansq"] = "between"
    _: KW_ONLY
    weighting: Weighting = "bag"
    n_jobs: int | None = None

    def fit(self, data: Any) -> Self:
        choice("reading", self.reading, ("between", "printed", "printed_meansq"))
        return super().fit(data)

    def _score(self, population: base.Population) -> FloatArray:
        values = self._objective("ftwcv", population, self.reading)
        # If bag means are equal, rounding may make differences of squared norms slightly negative.
        return np.maximum(values, 0.0) if self.reading == "between" else values


def capped(values: FloatArray, undefined: float) -> FloatArray:
    """Replace all values of a minimised index that are higher than ``undefined`` by ``undefined``."""
    if not undefined > 0.0:
        raise ValueError(f"undefined must be a positive number or inf, got {quoted(undefined)}")
    return np.minimum(values, undefined)


def bags_of(data: Any) -> Bags:
    """Return the bags of a geometry, or convert other data to bags."""
    from moo_clustering.bags import BagGeometry, as_bags

    return data.bags if isinstance(data, BagGeometry) else as_bags(data)


def geometry_of(data: Any, weighting: Weighting, owner: str) -> BagGeometry:
    """Build the geometry of bags, or return ``data`` if it is already a geometry with this weighting."""
    from moo_clustering.bags import BagGeometry, as_bags

    if not isinstance(data, BagGeometry):
        return BagGeometry(as_bags(data), weighting=weighting)
    if data.weighting != weighting:
        other = f"a geometry with weighting={data.weighting!r}"
        raise ValueError(f"{owner} has weighting={weighting!r}, but was fitted to {other}")
    return data


def _without_gaps(rows: NDArray[Any]) -> NDArray[Any]:
    """Make the cluster numbers of each row contiguous, unless some labels are invalid."""
    if rows.size == 0 or rows.min() < 0 or rows.max() >= rows.shape[1]:
        return rows
    return contiguous(rows)


def db_medoid(H: Any, labels: Any, medoids: Any) -> FloatArray:
    """Compute the Davies-Bouldin index with medoids instead of centroids; lower is better.

    A cluster's radius is the mean of H[b, m] over its bags b, where m is its medoid. The distance between two
    medoids l and m is max(H[l, m], H[m, l]). Takes O(p (N + K^2)) time for p individuals with N bags and K
    clusters. Raises a ValueError if shapes do not match or a label has no medoid, and a TypeError if labels
    or medoids are not integers. Source: Evolutionary multi-instance clustering, Eq. 10.

    Parameters
    ----------
    H : array-like of shape (n_bags, n_bags)
        Distances from bag i (row) to bag j, not necessarily symmetric.
    labels : array-like of shape (n_individuals, n_bags) or (n_bags,)
        Column of ``medoids`` that contains each bag's medoid. This need not be the nearest medoid.
    medoids : array-like of shape (n_individuals, k_max) or (k_max,)
        Bag indices; -1 marks unused entries. Medoids without bags are ignored.

    Returns
    -------
    values : ndarray of shape (n_individuals,)
        Index values. Inf with fewer than two non-empty clusters, or if two medoids have distance 0.

    Examples
    --------
    >>> from moo_clustering.validity import db_medoid
    >>> H = [[0, 1, 4, 5], [1, 0, 4, 5], [4, 5, 0, 1], [6, 5, 2, 0]]
    >>> db_medoid(H, [0, 0, 1, 1], [0, 2])
    array([0.375])
    """
    D = checked_distances(H, "H", dtype=np.float64, directed=True)
    rows = base.integer_rows(labels, "labels"), base.integer_rows(medoids, "medoids")
    clusters, centers = _checked(len(D), *rows)
    blocks = block_slices(len(clusters), 4 * clusters.shape[1] + 4 * centers.shape[1] ** 2)
    return np.concatenate([np.empty(0), *(_block(D, clusters[part], centers[part]) for part in blocks)])


def _checked(n_bags: int, labels: IntArray, medoids: IntArray) -> tuple[IntArray, IntArray]:
    if labels.shape[1] != n_bags:
        raise ValueError(
            f"each row of labels must have one entry per bag in H ({n_bags}), got {labels.shape[1]}"
        )
    if len(medoids) != len(labels):
        raise ValueError(f"medoids must have one row per row of labels ({len(labels)}), got {len(medoids)}")
    if medoids.size and (medoids.min() < -1 or medoids.max() >= n_bags):
        bad = medoids.min() if medoids.min() < -1 else medoids.max()
        raise ValueError(f"medoids must be -1 or from 0 to {n_bags - 1}, got {bad}")
    if labels.size and (labels.min() < 0 or labels.max() >= medoids.shape[1]):
        bad = labels.min() if labels.min() < 0 else labels.max()
        raise ValueError(
            f"labels must be column indices of medoids, from 0 to {medoids.shape[1] - 1}, got {bad}"
        )
    if len(missing := np.argwhere(np.take_along_axis(medoids, labels.astype(np.intp), axis=1) < 0)):
        row, bag = missing[0]
        cluster = labels[row, bag]
        raise ValueError(f"row {row} of labels contains cluster {cluster}, but medoids has no medoid for it")
    return labels.astype(np.intp), medoids.astype(np.intp)


def _block(D: FloatArray, labels: Any, medoids: Any) -> FloatArray:
    n, width = medoids.shape
    radii = D[np.arange(len(D)), np.take_along_axis(medoids, labels, axis=1)]
    place = (labels + width * np.arange(n)[:, None]).ravel()
    sizes = np.bincount(place, minlength=n * width).reshape(n, width)
    sums = np.bincount(place, weights=radii.ravel(), minlength=n * width).reshape(n, width)
    live = sizes > 0
    spreads = sums / np.maximum(sizes, 1)
    gaps = D[medoids[:, :, None], medoids[:, None, :]]
    gaps = np.maximum(gaps, gaps.swapaxes(1, 2))
    pairs = live[:, :, None] & live[:, None, :] & ~np.eye(width, dtype=np.bool_)
    ratios = np.full(gaps.shape, np.inf)
    np.divide(spreads[:, :, None] + spreads[:, None, :], gaps, out=ratios, where=gaps > 0.0)
    worst = np.where(pairs, ratios, 0.0).max(axis=2, initial=0.0).sum(axis=1)
    n_live = live.sum(axis=1)
    return np.where(n_live > 1, worst / np.maximum(n_live, 1), np.inf)


def bag_report(
    bags: Any,
    labels: Any,
    y: Any = None,
    *,
    pos_label: Hashable | None = None,
    indices: Mapping[str, base.ValidityIndex] | None = None,
) -> dict[str, Any]:
    """Report internal indices, cluster sizes and agreement with classes for a partition of bags.

    Source: Evolutionary multi-instance clustering, Tables III and VI.

    Parameters
    ----------
    bags : Bags, any input of :func:`~moo_clustering.bags.as_bags`, or a ``BagGeometry``
        Bags of scaled features; may be None if ``indices`` is given.
    labels : array-like of shape (n_bags,)
        Clusters 0..k-1; empty clusters are ignored.
    y : array-like of shape (n_bags,), optional
    pos_label : hashable, optional
        Positive class for F1. Default: the class that sorts last.
    indices : mapping of str to fitted ValidityIndex, optional
        Indices to report. Default: the result of :func:`bag_indices`, which several reports can share.

    Returns
    -------
    report : dict
        ``n_clusters``, ``smallest_cluster`` and ``cluster_sizes``. With ``y``, also ``matched_rand_index``,
        ``accuracy``, ``entropy`` (bits), ``f1`` and ``adjusted_rand``. The default indices are
        ``davies_bouldin_*``, ``twcv_*``, ``ftwcv_*`` and ``sdbw_*``, where * is the ``weighting`` or
        ``sigma``, and ``silhouette_*``, where * is the ``average``. Undefined indices are inf.

    Examples
    --------
    >>> from moo_clustering.validity import bag_report
    >>> bags = [[[0, 0], [2, 0]], [[0, 1]], [[8, 0], [8, 2], [8, 4]], [[10, 2], [6, 2]], [[4, 10]]]
    >>> report = bag_report(bags, [0, 0, 1, 1, 1], y=[1, 1, 0, 0, 1])
    >>> report["cluster_sizes"], round(report["davies_bouldin_bag"], 4), report["accuracy"]
    ([2, 3], 0.8294, 0.8)
    """
    fitted = bag_indices(bags) if indices is None else indices
    partition = checked_integers(labels, "labels")
    if partition.ndim != 1:
        raise ValueError(f"labels must be one partition of shape (n_bags,), got shape {partition.shape}")
    population = base.check_population(_without_gaps(partition[np.newaxis]), len(partition))
    sizes = population.sizes[0]
    report: dict[str, Any] = {"n_clusters": len(sizes), "smallest_cluster": int(sizes.min())}
    report["cluster_sizes"] = sizes.tolist()
    report |= {name: float(index.evaluate(population.labels)[0]) for name, index in fitted.items()}
    if y is not None:
        report["matched_rand_index"] = accuracy = external.clustering_accuracy(y, partition)
        report["entropy"] = external.cluster_entropy(y, partition)
        report["f1"] = external.matched_f1(y, partition, pos_label)
        report["adjusted_rand"] = float(adjusted_rand_score(y, partition))
        report["accuracy"] = accuracy
    return report


@documented(BagDaviesBouldin)
def bag_indices(bags: Any, *, n_jobs: int | None = None) -> dict[str, base.ValidityIndex]:
    """Fit the default internal indices for :func:`bag_report`.

    Parameters
    ----------
    bags : Bags, any input of :func:`~moo_clustering.bags.as_bags`, or a ``BagGeometry``
        Bags of scaled features.

    Returns
    -------
    indices : dict of str to ValidityIndex
        Fitted indices. If an index is undefined, its value is inf instead of 1e6.
    """
    from moo_clustering.bags import bag_distances

    data, own = bags_of(bags), getattr(bags, "weighting", None)
    finite: Any = {"undefined": np.inf, "n_jobs": n_jobs}
    by_bag, by_instance = (
        bags if weighting == own else geometry_of(data, weighting, "bag_indices") for weighting in WEIGHTINGS
    )
    distances = bag_distances(data, n_jobs=n_jobs)
    return {
        "davies_bouldin_bag": BagDaviesBouldin(**finite).fit(by_bag),
        "davies_bouldin_instance": BagDaviesBouldin("instance", **finite).fit(by_instance),
        "silhouette_cluster": BagSilhouette("precomputed", n_jobs=n_jobs).fit(distances),
        "silhouette_bag": BagSilhouette("precomputed", "bag", n_jobs=n_jobs).fit(distances),
        "sdbw_bag": BagSDbw(**finite).fit(by_bag),
        "sdbw_instance": BagSDbw(sigma="instance", **finite).fit(by_bag),
        "twcv_bag": TWCV(n_jobs=n_jobs).fit(by_bag),
        "twcv_instance": TWCV("instance", n_jobs=n_jobs).fit(by_instance),
        "ftwcv_bag": FTWCV(n_jobs=n_jobs).fit(by_bag),
        "ftwcv_instance": FTWCV(weighting="instance", n_jobs=n_jobs).fit(by_instance),
    }
