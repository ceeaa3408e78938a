"""Internal validity indices of partitions of bags of instances, and a report of all of them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

from moo_clustering._arrays import FloatArray, IntArray, block_slices, choice, quoted
from moo_clustering._data import checked_integers
from moo_clustering._distances import MAX_MEMORY, checked_distances
from moo_clustering._kernels.threads import for_parts
from moo_clustering.validity.base import (
    Population,
    PopulationIndex,
    ValidityIndex,
    check_population,
    integer_rows,
)
from moo_clustering.validity.external import (
    cluster_entropy,
    clustering_accuracy,
    matched_f1,
    matched_rand_index,
)

if TYPE_CHECKING:
    from moo_clustering.bags import BagGeometry, Bags

Weighting = Literal["bag", "instance"]
WEIGHTINGS: tuple[Weighting, ...] = ("bag", "instance")
# Value of partitions without two distinct clusters, instead of infinity.
UNDEFINED = 1e6
# In the order in which the kernel numbers them.
READINGS = ("density", "count", "printed")
KINDS = ("directed", "symmetric", "mean_min", "min_min", "mean", "precomputed")


class _BagIndex(PopulationIndex):
    """Index of partitions of bags, whose labels may have gaps."""

    def _population(self, labels: IntArray) -> Population:
        return super()._population(_without_gaps(integer_rows(labels, "labels")))


class _GeometryIndex(_BagIndex):
    """Index computed from the products of a ``BagGeometry``."""

    weighting: Weighting
    n_jobs: int | None

    def fit(self, data: Any) -> Self:
        choice("weighting", self.weighting, WEIGHTINGS)
        self.geometry_ = geometry_of(data, self.weighting, type(self).__name__)
        self.n_samples_ = self.geometry_.n_bags
        return self

    def _objective(self, objective: Any, population: Population, reading: Any = "between") -> FloatArray:
        """Values of an objective of the genetic algorithms, inf if undefined."""
        from moo_clustering.bags import BagObjective

        if not len(population.labels):
            return np.empty(0)
        n_clusters = int(population.n_clusters.max())
        scores = BagObjective(self.geometry_, n_clusters, objective, reading=reading, n_jobs=self.n_jobs)
        return scores.evaluate(population.labels)


@dataclass(eq=False, repr=False)
class BagDaviesBouldin(_GeometryIndex):
    """Mean over clusters of the worst (radius + radius) / distance of centroids, minimised.

    The radius of a cluster is the mean distance from its bags to its centroid, and the distance from a bag is
    that from its farthest instance. Source: Evolutionary multi-instance clustering, Eq. 10.

    Parameters
    ----------
    weighting : {"bag", "instance"}, default="bag"
        Centroids as means of the bag means (Eq. 3), or of all instances.
    undefined : float, default=1e6
        Value for fewer than two clusters or equal centroids, which caps all values; ``inf`` caps none.
    n_jobs : int, optional
        Number of threads; does not affect the result.

    Notes
    -----
    ``fit`` takes Bags, any input of :func:`~moo_clustering.bags.as_bags`, or a ``BagGeometry``, whose
    products indices share; one with ``min_cluster_size`` is valid only for partitions that keep it. Labels
    may have gaps: only nonempty clusters count. A single bag has the radius of the bag, not 0. A single
    bag far from all others still gives the least value on most data, so report the size of the smallest
    cluster with the index.

    Precomputation O(n N d) for N bags with n instances of d features, and 8 n N bytes. Then
    O(p (n N + N^2 + K n)) time for p individuals of K clusters.

    Examples
    --------
    >>> from moo_clustering.validity import BagDaviesBouldin
    >>> bags = [[[0, 0], [2, 0]], [[0, 1]], [[8, 0], [8, 2], [8, 4]], [[10, 2], [6, 2]], [[4, 10]]]
    >>> BagDaviesBouldin().fit(bags).evaluate([[0, 0, 1, 1, 1], [0, 0, 0, 0, 1]]).round(4)
    array([0.8294, 0.5465])
    """

    name: ClassVar[str] = "bag_davies_bouldin"
    greater_is_better: ClassVar[bool] = False

    weighting: Weighting = "bag"
    _: KW_ONLY
    undefined: float = UNDEFINED
    n_jobs: int | None = None

    def _score(self, population: Population) -> FloatArray:
        return capped(self._objective("db", population), self.undefined)


@dataclass(eq=False, repr=False)
class BagSilhouette(_BagIndex):
    """Mean silhouette (b - a) / max(a, b) of the bags, maximised.

    a is the mean distance from a bag to the others of its cluster, b the least of its mean distances to other
    clusters. Distances are from the scored bag, which matters if they are not symmetric. Source: Evolutionary
    multi-instance clustering, Eqs. 12-14.

    Parameters
    ----------
    kind : str, default="directed"
        Distance between bags: ``"directed"``, ``"symmetric"``, ``"mean_min"``, ``"min_min"`` or ``"mean"`` as
        for :func:`~moo_clustering.bags.bag_distances`; or ``"precomputed"``, where ``fit`` takes a matrix
        with the distance from i to j in row i, whose diagonal is ignored.
    average : {"cluster", "bag"}, default="cluster"
        Average over clusters of their mean silhouettes (Eq. 12), or over all bags.
    max_memory : int, default=4 GiB
        Largest size of the distances and their transpose in bytes.
    n_jobs : int, optional
        Number of threads; does not affect the result.

    Notes
    -----
    ``fit`` takes Bags, any input of :func:`~moo_clustering.bags.as_bags`, or a ``BagGeometry``. Labels may
    have gaps: only nonempty clusters count. Single bags, bags with a = b = 0, and all bags of a single
    cluster count 0.

    Distances O(n^2 d) for n instances of d features. Then O(p N (N + K)) time for p individuals of K
    clusters of N bags, and O(N^2) memory.

    Examples
    --------
    >>> from moo_clustering.validity import BagSilhouette
    >>> bags = [[[0, 0], [2, 0]], [[0, 1]], [[8, 0], [8, 2], [8, 4]], [[10, 2], [6, 2]], [[4, 10]]]
    >>> BagSilhouette().fit(bags).evaluate([0, 0, 1, 1, 1]).round(4)
    array([0.5202])
    """

    name: ClassVar[str] = "bag_silhouette"
    greater_is_better: ClassVar[bool] = True

    kind: Literal["directed", "symmetric", "mean_min", "min_min", "mean", "precomputed"] = "directed"
    average: Literal["cluster", "bag"] = "cluster"
    _: KW_ONLY
    max_memory: int = MAX_MEMORY
    n_jobs: int | None = None

    def fit(self, data: Any) -> Self:
        choice("kind", self.kind, KINDS)
        choice("average", self.average, ("cluster", "bag"))
        H = self._checked_distances(data) if self.kind == "precomputed" else self._measured(data)
        # Distances from a bag to a cluster sum columns; the transpose makes them contiguous.
        self._columns = H.T.copy()
        np.fill_diagonal(self._columns, 0.0)
        self.n_samples_ = len(H)
        return self

    def _score(self, population: Population) -> FloatArray:
        # Imported here, as in fit, because most users of indices have no bags.
        from moo_clustering._kernels.bag_distances import column_width, silhouette_means

        values = np.zeros(len(population.labels))
        n, width = self.n_samples_, int(column_width(self.n_samples_, 8))

        def kernel(lo: int, hi: int) -> None:
            silhouette_means(self._columns, *population, width, self.average == "cluster", values, lo, hi)

        for_parts(kernel, len(values), float(len(values)) * n * n, self.n_jobs, each=1)
        return values

    def _measured(self, data: Any) -> FloatArray:
        from moo_clustering.bags import bag_distances

        bags = bags_of(data)
        self._check_memory(bags.n_bags)
        return bag_distances(bags, kind=self.kind, n_jobs=self.n_jobs)  # type: ignore[arg-type]

    def _checked_distances(self, data: Any) -> FloatArray:
        H: FloatArray = checked_distances(data, "data", dtype=np.float64, directed=True)
        self._check_memory(len(H))
        return H

    def _check_memory(self, n_bags: int) -> None:
        needed = 16 * n_bags**2
        if needed > self.max_memory:
            raise ValueError(
                f"BagSilhouette requires {needed / 2**30:.1f} GiB for the distances of {n_bags} "
                f"bags, which exceeds max_memory={self.max_memory} bytes"
            )


@dataclass(eq=False, repr=False)
class BagSDbw(_GeometryIndex):
    """Scatter within clusters plus density between them; minimise.

    Scat is the mean norm of the clusters' variances over the norm of the variances of everything. Den is the
    mean over pairs of clusters of how many of their bags are near the midpoint of the centroids, over how
    many are near a centroid; near means with all instances within stdev, which is the root of the sum of the
    norms over the number of clusters. Source: Evolutionary multi-instance clustering, Eqs. 15-17; Halkidi &
    Vazirgiannis, IEEE ICDM 2001.

    Parameters
    ----------
    reading : {"density", "count", "printed"}, default="density"
        Den as by Halkidi and Vazirgiannis: over the greater of the numbers of bags of each cluster near
        its own centroid (0 if there are none); or over the size of the larger cluster; or literally
        Eq. 17, sums of distances in place of numbers.
    sigma : {"bag", "instance"}, default="bag"
        Use variances of bag means, or of instances.
    ddof : {0, 1}, default=0
        Subtracted from the number of points in variances; a single point has variance 0 in any case.
    weighting, undefined, n_jobs
        See :class:`BagDaviesBouldin`.

    Notes
    -----
    ``fit`` takes Bags, any input of :func:`~moo_clustering.bags.as_bags`, or a ``BagGeometry``, whose
    products indices share. Labels may have gaps: only nonempty clusters count. Bags are mostly wider than
    stdev, so that Den is mostly 0: see :meth:`parts`. Scat is 0 if nothing varies.

    Precomputation O(n N d) for N bags with n instances of d features, and 8 n N bytes. Then
    O(p (n N + N^2 + K n + N d)) time for p individuals of K clusters.

    Examples
    --------
    >>> from moo_clustering.validity import BagSDbw
    >>> bags = [[[0, 0], [2, 0]], [[0, 1]], [[8, 0], [8, 2], [8, 4]], [[10, 2], [6, 2]], [[4, 10]]]
    >>> BagSDbw().fit(bags).evaluate([0, 0, 1, 1, 1]).round(4)
    array([0.4386])
    """

    name: ClassVar[str] = "bag_sdbw"
    greater_is_better: ClassVar[bool] = False

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
        # Norms of variances are fourth powers, so that their unit is a power of two near the data's size.
        self._points, self._unit = _points(self.geometry_.bags, self.sigma)
        one_cluster = np.zeros((1, self.n_samples_), dtype=np.int32)
        self._total = float(self._variance_norms(one_cluster, 1)[0, 0])
        return self

    def _score(self, population: Population) -> FloatArray:
        scatter, density = self._parts(population)
        return capped(scatter + density, self.undefined)

    def parts(self, labels: IntArray) -> tuple[FloatArray, FloatArray]:
        """Scat and Den, whose sum is the index.

        Parameters
        ----------
        labels : ndarray of shape (n_individuals, n_bags)

        Returns
        -------
        scatter, density : ndarray of shape (n_individuals,)
            The two terms, inf for fewer than two clusters.
        """
        return self._parts(self._population(labels))

    def _parts(self, population: Population) -> tuple[FloatArray, FloatArray]:
        if not len(population.labels):
            return np.empty(0), np.empty(0)
        norms = self._variance_norms(population.labels, population.sizes.shape[1]).sum(axis=1)
        n_clusters = population.n_clusters
        scatter = norms / n_clusters / self._total if self._total > 0.0 else np.zeros(len(norms))
        density = self._densities(population, self._unit * np.sqrt(norms) / n_clusters)
        scatter[n_clusters < 2] = density[n_clusters < 2] = np.inf
        return scatter, density

    def _variance_norms(self, labels: IntArray, n_clusters: int) -> FloatArray:
        from moo_clustering._kernels.bag_distances import variance_norms

        norms = np.empty((len(labels), n_clusters))

        def kernel(lo: int, hi: int) -> None:
            variance_norms(*self._points, self.ddof, labels, norms, lo, hi)

        for_parts(kernel, len(labels), 5.0 * len(labels) * self._points[0].size, self.n_jobs)
        return norms

    def _densities(self, population: Population, stdev: FloatArray) -> FloatArray:
        n_clusters = population.sizes.shape[1]
        return np.concatenate(
            [
                self._block_densities(population.labels[rows], n_clusters, stdev[rows])
                for rows in self.geometry_.chunks(len(stdev), n_clusters)
            ]
        )

    def _block_densities(self, labels: NDArray[np.int32], n_clusters: int, stdev: FloatArray) -> FloatArray:
        from moo_clustering._kernels.bag_distances import densities_between

        geometry, reading = self.geometry_, READINGS.index(self.reading)
        density = np.empty(len(labels))
        sums = geometry.sums(labels, n_clusters, n_jobs=self.n_jobs)

        def kernel(lo: int, hi: int) -> None:
            densities_between(geometry.arrays, labels, *sums, stdev, reading, density, lo, hi)

        for_parts(kernel, len(labels), len(labels) * n_clusters * geometry.arrays.squares.size, self.n_jobs)
        return density


def _points(bags: Bags, sigma: str) -> tuple[tuple[FloatArray, FloatArray, FloatArray], float]:
    """Means, sums of squared deviations from them and numbers of points of the bags; the unit of the data."""
    # A row is subtracted first, so that equal instances give exact zeros.
    X = bags.instances.astype(np.float64) - bags.instances[0].astype(np.float64)
    unit = float(np.ldexp(1.0, np.frexp(np.abs(X).max())[1]))
    X /= unit
    starts = bags.offsets[:-1]
    means: FloatArray = np.add.reduceat(X, starts, axis=0) / bags.sizes[:, None]
    if sigma == "bag":
        return (means, np.zeros_like(means), np.ones(len(means))), unit
    X -= means[bags.bag_of_instance]
    return (means, np.add.reduceat(X * X, starts, axis=0), bags.sizes.astype(np.float64)), unit


@dataclass(eq=False, repr=False)
class TWCV(_GeometryIndex):
    """Total within-cluster variation, the sum of squared distances from bags to centroids, minimised.

    The distance from a bag to a centroid is that from its farthest instance. Source: Evolutionary
    multi-instance clustering, Eq. 4.

    Parameters
    ----------
    weighting, n_jobs
        See :class:`BagDaviesBouldin`.

    Notes
    -----
    Data, labels and cost are as for :class:`BagDaviesBouldin`. Defined for every partition, even
    one cluster. Centroids do not minimise it, so that it need not fall when clusters are split.

    Examples
    --------
    >>> from moo_clustering.validity import TWCV
    >>> bags = [[[0, 0], [2, 0]], [[0, 1]], [[8, 0], [8, 2], [8, 4]], [[10, 2], [6, 2]], [[4, 10]]]
    >>> TWCV().fit(bags).evaluate([0, 0, 1, 1, 1]).round(4)
    array([80.3333])
    """

    name: ClassVar[str] = "twcv"
    greater_is_better: ClassVar[bool] = False

    weighting: Weighting = "bag"
    _: KW_ONLY
    n_jobs: int | None = None

    def _score(self, population: Population) -> FloatArray:
        return self._objective("twcv", population)


@dataclass(eq=False, repr=False)
class FTWCV(_GeometryIndex):
    """Fast within-cluster variation, from squared distances of bag means to their means, minimised.

    Data, labels and precomputation are as for :class:`BagDaviesBouldin`, which can share them. Then O(p N^2)
    time for p individuals, or O(p N^2 + n d) with a literal reading. Source: Evolutionary multi-instance
    clustering, Eq. 7.

    Parameters
    ----------
    reading : {"between", "printed", "printed_meansq"}, default="between"
        ``"between"`` is the total squared norm of the bag means minus that of the centroids, weighted by the
        number of bags: the within-cluster sum of squares of bag means. The others take Eq. 7 literally,
        the sum of q minus the sum over clusters of the mean of q, where q of a bag is the mean squared norm
        of its instances (``"printed"``) or the squared norm of its mean (``"printed_meansq"``). They depend
        on the origin and are for reproduction only.
    weighting : {"bag", "instance"}, default="bag"
        Weight bag means equally in ``"between"``, or by their numbers of instances.
    n_jobs : int, optional
        Number of threads; does not affect the result.

    Examples
    --------
    >>> from moo_clustering.validity import FTWCV
    >>> bags = [[[0, 0], [2, 0]], [[0, 1]], [[8, 0], [8, 2], [8, 4]], [[10, 2], [6, 2]], [[4, 10]]]
    >>> FTWCV().fit(bags).evaluate([0, 0, 1, 1, 1]).round(4)
    array([54.3333])
    """

    name: ClassVar[str] = "ftwcv"
    greater_is_better: ClassVar[bool] = False

    reading: Literal["between", "printed", "printed_meansq"] = "between"
    _: KW_ONLY
    weighting: Weighting = "bag"
    n_jobs: int | None = None

    def fit(self, data: Any) -> Self:
        choice("reading", self.reading, ("between", "printed", "printed_meansq"))
        return super().fit(data)

    def _score(self, population: Population) -> FloatArray:
        values = self._objective("ftwcv", population, self.reading)
        # A difference of squared norms: that of equal bag means may round to below 0.
        return np.maximum(values, 0.0) if self.reading == "between" else values


def capped(values: FloatArray, undefined: float) -> FloatArray:
    """Cap the values of a minimised index at ``undefined``."""
    if not undefined > 0.0:
        raise ValueError(f"undefined must be a positive number or inf, got {quoted(undefined)}")
    return np.minimum(values, undefined)


def bags_of(data: Any) -> Bags:
    """Convert data, or a geometry, to bags."""
    # Imported here because most users of indices have no bags.
    from moo_clustering.bags import BagGeometry, as_bags

    return data.bags if isinstance(data, BagGeometry) else as_bags(data)


def geometry_of(data: Any, weighting: Weighting, owner: str) -> BagGeometry:
    """Make the geometry of bags, or return a geometry if its weighting is ``weighting``."""
    from moo_clustering.bags import BagGeometry, as_bags

    if not isinstance(data, BagGeometry):
        return BagGeometry(as_bags(data), weighting=weighting)
    if data.weighting != weighting:
        raise ValueError(
            f"{owner} has weighting={weighting!r}, but was fitted to a geometry with "
            f"weighting={data.weighting!r}"
        )
    return data


def _without_gaps(rows: NDArray[Any]) -> NDArray[Any]:
    """Close the gaps between the nonempty clusters of every row; labels out of range stay."""
    if rows.size == 0 or rows.min() < 0 or rows.max() >= rows.shape[1]:
        return rows
    numbers = rows.astype(np.intp)
    occupied = np.zeros((len(rows), int(numbers.max()) + 1), dtype=np.bool_)
    np.put_along_axis(occupied, numbers, True, axis=1)
    if not np.any(occupied[:, 1:] > occupied[:, :-1]):
        return rows
    return np.take_along_axis(np.cumsum(occupied, axis=1) - 1, numbers, axis=1)


def db_medoid(H: Any, labels: Any, medoids: Any) -> FloatArray:
    """Davies-Bouldin index with medoids instead of centroids, minimised.

    The radius of a cluster is the mean of H[b, medoid] over its bags b, and the distance of two medoids p and
    q is max(H[p, q], H[q, p]). O(p (N + K^2)) time for p individuals of K clusters of N bags. Source:
    Evolutionary multi-instance clustering, Eq. 10.

    Parameters
    ----------
    H : array-like of shape (n_bags, n_bags)
        Distances from bag i to bag j in row i, not necessarily symmetric.
    labels : array-like of shape (n_individuals, n_bags) or (n_bags,)
        Position of the medoid of every bag in its row of ``medoids``; it need not be the nearest.
    medoids : array-like of shape (n_individuals, k_max) or (k_max,)
        Bag numbers, -1 in empty slots.

    Returns
    -------
    values : ndarray of shape (n_individuals,)
        Values, inf for fewer than two nonempty clusters, and for two whose medoids are at distance 0 from
        each other. Medoids without bags are ignored.

    Raises
    ------
    ValueError
        If shapes do not match, or a label has no medoid.
    TypeError
        If labels or medoids are not integers.

    Examples
    --------
    >>> from moo_clustering.validity import db_medoid
    >>> H = [[0, 1, 4, 5], [1, 0, 4, 5], [4, 5, 0, 1], [6, 5, 2, 0]]
    >>> db_medoid(H, [0, 0, 1, 1], [0, 2])
    array([0.375])
    """
    D = checked_distances(H, "H", dtype=np.float64, directed=True)
    clusters, centers = _checked(len(D), integer_rows(labels, "labels"), integer_rows(medoids, "medoids"))
    values = np.empty(len(clusters))
    for rows in block_slices(len(clusters), 4 * clusters.shape[1] + 4 * centers.shape[1] ** 2):
        values[rows] = _block(D, clusters[rows], centers[rows])
    return values


def _checked(n_bags: int, labels: IntArray, medoids: IntArray) -> tuple[IntArray, IntArray]:
    if labels.shape[1] != n_bags:
        raise ValueError(
            f"labels must have {n_bags} entries per row, the number of bags in H; got {labels.shape[1]}"
        )
    if len(medoids) != len(labels):
        raise ValueError(f"medoids has {len(medoids)} rows, but labels has {len(labels)}")
    if medoids.size and (medoids.min() < -1 or medoids.max() >= n_bags):
        bad = medoids.min() if medoids.min() < -1 else medoids.max()
        raise ValueError(f"medoids must be -1 or from 0 to {n_bags - 1}, got {bad}")
    if labels.size and (labels.min() < 0 or labels.max() >= medoids.shape[1]):
        bad = labels.min() if labels.min() < 0 else labels.max()
        raise ValueError(
            f"labels must be column numbers of medoids, from 0 to {medoids.shape[1] - 1}, got {bad}"
        )
    missing = np.argwhere(np.take_along_axis(medoids, labels.astype(np.intp), axis=1) < 0)
    if len(missing):
        row, bag = missing[0]
        raise ValueError(
            f"row {row} of labels has cluster {labels[row, bag]}, which has no medoid in medoids"
        )
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
    indices: Mapping[str, ValidityIndex] | None = None,
) -> dict[str, Any]:
    """Report internal indices and cluster sizes of a partition of bags, and its agreement with classes.

    Source: Evolutionary multi-instance clustering, Tables III and VI.

    Parameters
    ----------
    bags : Bags, whatever :func:`~moo_clustering.bags.as_bags` takes, or a ``BagGeometry``
        Scaled as distances require; may be None with ``indices``.
    labels : array-like of shape (n_bags,)
        Clusters 0..k-1; empty ones are ignored.
    y : array-like of shape (n_bags,), optional
        Classes.
    pos_label : hashable, optional
        Positive class for F1; the largest label by default.
    indices : mapping of str to fitted ValidityIndex, optional
        Indices to report; default :func:`bag_indices`, which many reports should share.

    Returns
    -------
    report : dict
        ``n_clusters``, ``smallest_cluster`` and ``cluster_sizes`` (list); the values of the indices,
        by default ``davies_bouldin_bag`` and ``davies_bouldin_instance`` (weighting of centroids),
        ``silhouette_cluster`` and ``silhouette_bag`` (average over clusters or bags, of directed
        distances), ``sdbw_bag`` and ``sdbw_instance`` (variances of bags or instances), ``twcv_*`` and
        ``ftwcv_*``, with inf for undefined values. With ``y`` also ``matched_rand_index``, ``entropy``
        (bits), ``f1``, ``adjusted_rand`` and ``accuracy`` (the first one under its usual name).

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
    population = check_population(_without_gaps(partition[np.newaxis]), len(partition))
    sizes = population.sizes[0]
    report: dict[str, Any] = {
        "n_clusters": len(sizes),
        "smallest_cluster": int(sizes.min()),
        "cluster_sizes": sizes.tolist(),
    }
    for name, index in fitted.items():
        report[name] = float(index.evaluate(population.labels)[0])
    if y is not None:
        report["matched_rand_index"] = matched_rand_index(y, partition)
        report["entropy"] = cluster_entropy(y, partition)
        report["f1"] = matched_f1(y, partition, pos_label)
        report["adjusted_rand"] = float(adjusted_rand_score(y, partition))
        report["accuracy"] = clustering_accuracy(y, partition)
    return report


def bag_indices(bags: Any, *, n_jobs: int | None = None) -> dict[str, ValidityIndex]:
    """Fit the internal indices that :func:`bag_report` reports.

    Parameters
    ----------
    bags : Bags, whatever :func:`~moo_clustering.bags.as_bags` takes, or a ``BagGeometry``
        Scaled as distances require.
    n_jobs : int, optional
        Number of threads; does not affect the result.

    Returns
    -------
    indices : dict of str to ValidityIndex
        Indices whose undefined values are inf instead of 1e6.
    """
    from moo_clustering.bags import bag_distances

    data = bags_of(bags)
    own = getattr(bags, "weighting", None)
    by_bag, by_instance = (
        bags if weighting == own else geometry_of(data, weighting, "bag_indices") for weighting in WEIGHTINGS
    )
    distances = bag_distances(data, n_jobs=n_jobs)
    return {
        "davies_bouldin_bag": BagDaviesBouldin(undefined=np.inf, n_jobs=n_jobs).fit(by_bag),
        "davies_bouldin_instance": BagDaviesBouldin("instance", undefined=np.inf, n_jobs=n_jobs).fit(
            by_instance
        ),
        "silhouette_cluster": BagSilhouette("precomputed", n_jobs=n_jobs).fit(distances),
        "silhouette_bag": BagSilhouette("precomputed", "bag", n_jobs=n_jobs).fit(distances),
        "sdbw_bag": BagSDbw(undefined=np.inf, n_jobs=n_jobs).fit(by_bag),
        "sdbw_instance": BagSDbw(sigma="instance", undefined=np.inf, n_jobs=n_jobs).fit(by_bag),
        "twcv_bag": TWCV(n_jobs=n_jobs).fit(by_bag),
        "twcv_instance": TWCV("instance", n_jobs=n_jobs).fit(by_instance),
        "ftwcv_bag": FTWCV(n_jobs=n_jobs).fit(by_bag),
        "ftwcv_instance": FTWCV(weighting="instance", n_jobs=n_jobs).fit(by_instance),
    }
