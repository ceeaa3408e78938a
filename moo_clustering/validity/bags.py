"""Indices of bag partitions."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score
from sklearn.utils import check_array

from moo_clustering._arrays import FloatArray, IntArray, block_slices
from moo_clustering._distances import MAX_MEMORY
from moo_clustering._kernels.threads import for_parts
from moo_clustering.validity.base import (
    Population,
    ValidityIndex,
    check_option,
    check_population,
    integer_rows,
    require_fitted,
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
# What stands for the infinite value of a partition without two distinct clusters.
UNDEFINED = 1e6
# In the order in which the compiled loop numbers them.
READINGS = ("density", "count", "printed")
KINDS = ("directed", "symmetric", "mean_min", "min_min", "mean", "precomputed")


def db_medoid(H: Any, labels: Any, medoids: Any) -> FloatArray:
    """Davies-Bouldin index with medoids in place of centroids, for a population; to be minimised.

    Parameters
    ----------
    H : array-like of shape (n_bags, n_bags)
        Distance from bag i to bag j in row i; need not be symmetric.
    labels : array-like of shape (n_individuals, n_bags) or (n_bags,)
        Position of every bag's medoid in its row of ``medoids``; need not be the nearest one.
    medoids : array-like of shape (n_individuals, k_max) or (k_max,)
        Bag numbers, -1 where there is none.

    Returns
    -------
    values : ndarray of shape (n_individuals,)
        inf for fewer than two clusters with bags, and for two such clusters whose medoids are at
        distance 0 from each other. Medoids without bags do not count.

    Raises
    ------
    ValueError
        For shapes that do not fit, or a label for which there is no medoid.
    TypeError
        For labels or medoids that are no integers.

    Notes
    -----
    The radius of a cluster is the mean of H[b, medoid] over its bags b, and the distance of two medoids
    p and q is max(H[p, q], H[q, p]). O(p (N + K^2)) time for p individuals of K clusters of N bags.

    References
    ----------
    Evolutionary multi-instance clustering, Eq. 10.

    Examples
    --------
    >>> from moo_clustering.validity import db_medoid
    >>> H = [[0, 1, 4, 5], [1, 0, 4, 5], [4, 5, 0, 1], [6, 5, 2, 0]]
    >>> db_medoid(H, [0, 0, 1, 1], [0, 2])
    array([0.375])
    """
    D = np.asarray(H, dtype=np.float64)
    if D.ndim != 2 or D.shape[0] != D.shape[1]:
        raise ValueError(f"H must be a square matrix, got shape {D.shape}")
    clusters, centers = _checked(len(D), integer_rows(labels, "labels"), integer_rows(medoids, "medoids"))
    values = np.empty(len(clusters))
    for rows in block_slices(len(clusters), 4 * clusters.shape[1] + 4 * centers.shape[1] ** 2):
        values[rows] = _block(D, clusters[rows], centers[rows])
    return values


def _checked(n_bags: int, labels: IntArray, medoids: IntArray) -> tuple[IntArray, IntArray]:
    if labels.shape[1] != n_bags:
        raise ValueError(f"labels must have {n_bags} entries per row as H, got {labels.shape[1]}")
    if len(medoids) != len(labels):
        raise ValueError(f"medoids has {len(medoids)} rows, but labels has {len(labels)}")
    if medoids.size and (medoids.min() < -1 or medoids.max() >= n_bags):
        bad = medoids.min() if medoids.min() < -1 else medoids.max()
        raise ValueError(f"medoids must be -1 or one of 0..{n_bags - 1}, got {bad}")
    if labels.size and (labels.min() < 0 or labels.max() >= medoids.shape[1]):
        bad = labels.min() if labels.min() < 0 else labels.max()
        raise ValueError(f"labels must be one of the {medoids.shape[1]} columns of medoids, got {bad}")
    missing = np.argwhere(np.take_along_axis(medoids, labels.astype(np.intp), axis=1) < 0)
    if len(missing):
        row, bag = missing[0]
        raise ValueError(
            f"row {row} of labels has cluster {labels[row, bag]}, of which medoids has no medoid"
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


def bag_indices(bags: Any, *, n_jobs: int | None = None) -> dict[str, ValidityIndex]:
    """The internal indices that :func:`bag_report` reports, fitted.

    Parameters
    ----------
    bags : Bags, whatever :func:`~moo_clustering.bags.as_bags` takes, or a ``BagGeometry``
        In the scale in which distances are meant.
    n_jobs : int, optional
        Threads; results do not depend on it.

    Returns
    -------
    indices : dict of str to ValidityIndex
        Undefined values are inf, not 1e6.
    """
    from moo_clustering.bags import bag_distances

    data = bags_of(bags)
    given = getattr(bags, "weighting", None)
    by_bag, by_instance = (
        bags if weighting == given else geometry_of(data, weighting, "bag_indices")
        for weighting in WEIGHTINGS
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


def bag_report(
    bags: Any,
    labels: Any,
    y: Any = None,
    *,
    pos_label: Hashable | None = None,
    indices: Mapping[str, ValidityIndex] | None = None,
) -> dict[str, Any]:
    """Internal indices and cluster sizes of a partition of bags, and its agreement with classes.

    Parameters
    ----------
    bags : Bags, whatever :func:`~moo_clustering.bags.as_bags` takes, or a ``BagGeometry``
        In the scale in which distances are meant; not needed with ``indices``, and may then be None.
    labels : array-like of shape (n_bags,)
        Clusters 0..k-1; empty ones do not count.
    y : array-like of shape (n_bags,), optional
        Classes.
    pos_label : hashable, optional
        Positive class for F1; the largest label by default.
    indices : mapping of str to fitted ValidityIndex, optional
        What to report; default :func:`bag_indices`. Make it once to report on many partitions.

    Returns
    -------
    report : dict
        ``n_clusters``, ``smallest_cluster`` and ``cluster_sizes`` (list); the values of the indices,
        which by default are ``davies_bouldin_bag`` and ``davies_bouldin_instance`` (weighting of
        centroids), ``silhouette_cluster`` and ``silhouette_bag`` (directed distances; what is averaged
        over), ``sdbw_bag`` and ``sdbw_instance`` (whose variances), ``twcv_*`` and ``ftwcv_*``, with inf
        where undefined. With ``y`` also ``matched_rand_index``, ``entropy`` (bits), ``f1``,
        ``adjusted_rand`` and ``accuracy`` (the first one under its usual name).

    References
    ----------
    Evolutionary multi-instance clustering, Tables III and VI.

    Examples
    --------
    >>> from moo_clustering.validity import bag_report
    >>> bags = [[[0, 0], [2, 0]], [[0, 1]], [[8, 0], [8, 2], [8, 4]], [[10, 2], [6, 2]], [[4, 10]]]
    >>> report = bag_report(bags, [0, 0, 1, 1, 1], y=[1, 1, 0, 0, 1])
    >>> report["cluster_sizes"], round(report["davies_bouldin_bag"], 4), report["accuracy"]
    ([2, 3], 0.8294, 0.8)
    """
    fitted = bag_indices(bags) if indices is None else indices
    found = np.asarray(labels)
    if found.ndim != 1:
        raise ValueError(f"labels must be one partition of shape (n_bags,), got shape {found.shape}")
    population = check_bag_population(found, len(found))
    sizes = population.sizes[0]
    report: dict[str, Any] = {
        "n_clusters": len(sizes),
        "smallest_cluster": int(sizes.min()),
        "cluster_sizes": sizes.tolist(),
    }
    for name, index in fitted.items():
        report[name] = float(index.evaluate(population.labels)[0])
    if y is not None:
        report["matched_rand_index"] = matched_rand_index(y, found)
        report["entropy"] = cluster_entropy(y, found)
        report["f1"] = matched_f1(y, found, pos_label)
        report["adjusted_rand"] = float(adjusted_rand_score(y, found))
        report["accuracy"] = clustering_accuracy(y, found)
    return report


def bags_of(data: Any) -> Bags:
    """Bags from whatever holds them, also a geometry."""
    # Loaded here because most who import this room have no bags.
    from moo_clustering.bags import BagGeometry, as_bags

    return data.bags if isinstance(data, BagGeometry) else as_bags(data)


def geometry_of(data: Any, weighting: Weighting, owner: str) -> BagGeometry:
    """Geometry of bags; one that is given is used, if its centroids are those of ``weighting``."""
    from moo_clustering.bags import BagGeometry, as_bags

    if not isinstance(data, BagGeometry):
        return BagGeometry(as_bags(data), weighting=weighting)
    if data.weighting != weighting:
        raise ValueError(
            f"{owner} has weighting={weighting!r}, but the geometry it is fitted to has {data.weighting!r}"
        )
    return data


def check_bag_population(labels: Any, n_bags: int) -> Population:
    """A checked population in which gaps are closed, so that all clusters of a row are occupied.

    Raises
    ------
    ValueError
        If a row has the wrong length, or a cluster is not one of 0..n_bags-1.
    TypeError
        If the labels are no integers.
    """
    return check_population(_without_gaps(integer_rows(labels, "labels")), n_bags)


def _without_gaps(rows: NDArray[Any]) -> NDArray[Any]:
    if rows.size == 0 or rows.min() < 0 or rows.max() >= rows.shape[1]:
        return rows
    numbers = rows.astype(np.intp)
    occupied = np.zeros((len(rows), int(numbers.max()) + 1), dtype=np.bool_)
    np.put_along_axis(occupied, numbers, True, axis=1)
    if not np.any(occupied[:, 1:] > occupied[:, :-1]):
        return rows
    return np.take_along_axis(np.cumsum(occupied, axis=1) - 1, numbers, axis=1)


def objective_values(
    geometry: BagGeometry,
    objective: Any,
    population: Population,
    n_jobs: int | None,
    reading: Any = "between",
) -> FloatArray:
    """Raw values of an objective of the genetic algorithms, inf where it is undefined."""
    from moo_clustering.bags import BagObjective

    if not len(population.labels):
        return np.empty(0)
    n_clusters = int(population.n_clusters.max())
    scores = BagObjective(geometry, n_clusters, objective, reading=reading, n_jobs=n_jobs)
    return scores.evaluate(population.labels)


def capped(values: FloatArray, undefined: float) -> FloatArray:
    """Values of an index to be minimised, none above ``undefined``."""
    if not undefined > 0.0:
        raise ValueError(f"undefined must be a positive number, possibly inf; got {undefined!r}")
    return np.minimum(values, undefined)


class BagDaviesBouldin(ValidityIndex):
    """Mean over the clusters of the worst (radius + radius) / distance of centroids; minimise.

    The radius of a cluster is the mean distance of its bags to its centroid, and the distance of a bag
    is that of its farthest instance.

    Parameters
    ----------
    weighting : {"bag", "instance"}, default="bag"
        Centroids as means of the bag means (Eq. 3), or of all instances.
    undefined : float, default=1e6
        Value for fewer than two clusters, and the largest value there is: centroids that coincide
        give it as well. ``inf`` leaves the values as they are.
    n_jobs : int, optional
        Threads; results do not depend on it.

    Notes
    -----
    ``fit`` takes Bags, whatever :func:`~moo_clustering.bags.as_bags` takes, or a ``BagGeometry`` to
    share what is computed once; one made with ``min_cluster_size`` is right only for partitions that
    keep it. Labels may leave out numbers: only occupied clusters count. A lone bag has the radius of the
    bag, not 0; a lone bag far from all others still gives the least value on most data, so quote the
    size of the smallest cluster beside it.

    Precomputation O(n N d) for N bags with n instances of d features, and 8 n N bytes. Then
    O(p (n N + N^2 + K n)) time for p individuals of K clusters.

    References
    ----------
    Evolutionary multi-instance clustering, Eq. 10.

    Examples
    --------
    >>> from moo_clustering.validity import BagDaviesBouldin
    >>> bags = [[[0, 0], [2, 0]], [[0, 1]], [[8, 0], [8, 2], [8, 4]], [[10, 2], [6, 2]], [[4, 10]]]
    >>> BagDaviesBouldin().fit(bags).evaluate([[0, 0, 1, 1, 1], [0, 0, 0, 0, 1]]).round(4)
    array([0.8294, 0.5465])
    """

    name: ClassVar[str] = "bag_davies_bouldin"
    greater_is_better: ClassVar[bool] = False

    n_samples_: int
    geometry_: BagGeometry

    def __init__(
        self, weighting: Weighting = "bag", *, undefined: float = UNDEFINED, n_jobs: int | None = None
    ) -> None:
        self.weighting = weighting
        self.undefined = undefined
        self.n_jobs = n_jobs

    def fit(self, data: Any) -> Self:
        check_option("weighting", self.weighting, WEIGHTINGS)
        self.geometry_ = geometry_of(data, self.weighting, "BagDaviesBouldin")
        self.n_samples_ = self.geometry_.n_bags
        return self

    def evaluate(self, labels: IntArray) -> FloatArray:
        require_fitted(self, "n_samples_")
        population = check_bag_population(labels, self.n_samples_)
        return capped(objective_values(self.geometry_, "db", population, self.n_jobs), self.undefined)


class BagSDbw(ValidityIndex):
    """Scatter within clusters plus density between them; minimise.

    Scat is the mean norm of the clusters' variances over the norm of the variances of everything. Den
    is the mean over pairs of clusters of how many of their bags are near the midpoint of the centroids,
    over how many are near a centroid; near means with all instances within stdev, which is the root of
    the sum of the norms over the number of clusters.

    Parameters
    ----------
    reading : {"density", "count", "printed"}, default="density"
        Den as by Halkidi and Vazirgiannis: over the greater of the numbers of bags of each cluster near
        its own centroid (0 if there are none); or over the size of the larger cluster; or literally
        Eq. 17, sums of distances in place of numbers.
    sigma : {"bag", "instance"}, default="bag"
        Variances of bag means, or of instances.
    ddof : {0, 1}, default=0
        What is taken off the number of points in variances. A lone point has variance 0 either way.
    weighting : {"bag", "instance"}, default="bag"
        Centroids as means of the bag means (Eq. 3), or of all instances.
    undefined : float, default=1e6
        Value for fewer than two clusters, and the largest value there is. ``inf`` leaves the values as
        they are.
    n_jobs : int, optional
        Threads; results do not depend on it.

    Notes
    -----
    ``fit`` takes Bags, whatever :func:`~moo_clustering.bags.as_bags` takes, or a ``BagGeometry`` to
    share what is computed once. Labels may leave out numbers: only occupied clusters count. Bags are
    mostly wider than stdev, so that Den is mostly 0: look at :meth:`parts`. Scat is 0 if nothing varies.

    Precomputation O(n N d) for N bags with n instances of d features, and 8 n N bytes. Then
    O(p (n N + N^2 + K n + N d)) time for p individuals of K clusters.

    References
    ----------
    Evolutionary multi-instance clustering, Eqs. 15-17; Halkidi & Vazirgiannis, IEEE ICDM 2001.

    Examples
    --------
    >>> from moo_clustering.validity import BagSDbw
    >>> bags = [[[0, 0], [2, 0]], [[0, 1]], [[8, 0], [8, 2], [8, 4]], [[10, 2], [6, 2]], [[4, 10]]]
    >>> BagSDbw().fit(bags).evaluate([0, 0, 1, 1, 1]).round(4)
    array([0.4386])
    """

    name: ClassVar[str] = "bag_sdbw"
    greater_is_better: ClassVar[bool] = False

    n_samples_: int
    geometry_: BagGeometry

    def __init__(
        self,
        reading: Literal["density", "count", "printed"] = "density",
        sigma: Literal["bag", "instance"] = "bag",
        *,
        ddof: Literal[0, 1] = 0,
        weighting: Weighting = "bag",
        undefined: float = UNDEFINED,
        n_jobs: int | None = None,
    ) -> None:
        self.reading = reading
        self.sigma = sigma
        self.ddof = ddof
        self.weighting = weighting
        self.undefined = undefined
        self.n_jobs = n_jobs

    def fit(self, data: Any) -> Self:
        check_option("reading", self.reading, READINGS)
        check_option("sigma", self.sigma, ("bag", "instance"))
        check_option("weighting", self.weighting, WEIGHTINGS)
        if self.ddof not in (0, 1):
            raise ValueError(f"ddof must be 0 or 1, got {self.ddof!r}")
        self.geometry_ = geometry_of(data, self.weighting, "BagSDbw")
        self.n_samples_ = self.geometry_.n_bags
        self._points = _points(self.geometry_.bags, self.sigma)
        one_cluster = np.zeros((1, self.n_samples_), dtype=np.int32)
        self._total = float(self._variance_norms(one_cluster, 1)[0, 0])
        return self

    def evaluate(self, labels: IntArray) -> FloatArray:
        scatter, density = self.parts(labels)
        return capped(scatter + density, self.undefined)

    def parts(self, labels: IntArray) -> tuple[FloatArray, FloatArray]:
        """Scat and Den, whose sum is the index.

        Parameters
        ----------
        labels : ndarray of shape (n_individuals, n_bags)

        Returns
        -------
        scatter, density : ndarray of shape (n_individuals,)
            inf for fewer than two clusters.
        """
        require_fitted(self, "n_samples_")
        population = check_bag_population(labels, self.n_samples_)
        if not len(population.labels):
            return np.empty(0), np.empty(0)
        norms = self._variance_norms(population.labels, population.sizes.shape[1]).sum(axis=1)
        n_clusters = population.n_clusters
        scatter = norms / n_clusters / self._total if self._total > 0.0 else np.zeros(len(norms))
        density = self._densities(population, np.sqrt(norms) / n_clusters)
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


def _points(bags: Bags, sigma: str) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Of every bag the mean, the squared deviations of its points from it, and the number of points."""
    # A row is taken off first, so that equal instances come out as exact zeros.
    X = bags.instances.astype(np.float64) - bags.instances[0].astype(np.float64)
    starts = bags.offsets[:-1]
    means: FloatArray = np.add.reduceat(X, starts, axis=0) / bags.sizes[:, None]
    if sigma == "bag":
        return means, np.zeros_like(means), np.ones(len(means))
    X -= means[bags.bag_of_instance]
    return means, np.add.reduceat(X * X, starts, axis=0), bags.sizes.astype(np.float64)


class BagSilhouette(ValidityIndex):
    """Mean silhouette (b - a) / max(a, b) of the bags; maximise.

    a is the mean distance from a bag to the others of its cluster, b the least of its mean distances
    to the other clusters. Distances go from the bag that is scored, which matters for kinds that are
    not symmetric.

    Parameters
    ----------
    kind : str, default="directed"
        Distance of bags: ``"directed"``, ``"symmetric"``, ``"mean_min"``, ``"min_min"`` or ``"mean"`` as
        for :func:`~moo_clustering.bags.bag_distances`; or ``"precomputed"``, where ``fit`` takes a matrix
        with the distance from i to j in row i, of which the diagonal is not looked at.
    average : {"cluster", "bag"}, default="cluster"
        Mean over the clusters of their mean silhouettes (Eq. 12), or over all bags.
    max_memory : int, default=4 GiB
        Limit in bytes for the distances and their transpose.
    n_jobs : int, optional
        Threads; results do not depend on it.

    Notes
    -----
    ``fit`` takes Bags, whatever :func:`~moo_clustering.bags.as_bags` takes, or a ``BagGeometry``. Labels
    may leave out numbers: only occupied clusters count. A bag alone in its cluster, or with a = b = 0,
    counts 0, and so does one cluster.

    Distances O(n^2 d) for n instances of d features. Then O(p N (N + K)) time for p individuals of K
    clusters of N bags, and O(N^2) memory.

    References
    ----------
    Evolutionary multi-instance clustering, Eqs. 12-14.

    Examples
    --------
    >>> from moo_clustering.validity import BagSilhouette
    >>> bags = [[[0, 0], [2, 0]], [[0, 1]], [[8, 0], [8, 2], [8, 4]], [[10, 2], [6, 2]], [[4, 10]]]
    >>> BagSilhouette().fit(bags).evaluate([0, 0, 1, 1, 1]).round(4)
    array([0.5202])
    """

    name: ClassVar[str] = "bag_silhouette"
    greater_is_better: ClassVar[bool] = True

    n_samples_: int
    _columns: NDArray[np.float64]

    def __init__(
        self,
        kind: Literal["directed", "symmetric", "mean_min", "min_min", "mean", "precomputed"] = "directed",
        average: Literal["cluster", "bag"] = "cluster",
        *,
        max_memory: int = MAX_MEMORY,
        n_jobs: int | None = None,
    ) -> None:
        self.kind = kind
        self.average = average
        self.max_memory = max_memory
        self.n_jobs = n_jobs

    def fit(self, data: Any) -> Self:
        check_option("kind", self.kind, KINDS)
        check_option("average", self.average, ("cluster", "bag"))
        H = self._given(data) if self.kind == "precomputed" else self._measured(data)
        # A bag's distances to a cluster are a sum over columns; rows of the transpose are adjacent.
        self._columns = H.T.copy()
        np.fill_diagonal(self._columns, 0.0)
        self.n_samples_ = len(H)
        return self

    def evaluate(self, labels: IntArray) -> FloatArray:
        # Loaded here, as in fit, because most who import this room have no bags.
        from moo_clustering._kernels.bag_distances import column_width, silhouette_means

        require_fitted(self, "n_samples_")
        population = check_bag_population(labels, self.n_samples_)
        values = np.zeros(len(population.labels))
        n, width = self.n_samples_, int(column_width(self.n_samples_, 8))

        def kernel(lo: int, hi: int) -> None:
            silhouette_means(self._columns, *population, width, self.average == "cluster", values, lo, hi)

        for_parts(kernel, len(values), float(len(values)) * n * n, self.n_jobs)
        return values

    def _measured(self, data: Any) -> FloatArray:
        from moo_clustering.bags import bag_distances

        bags = bags_of(data)
        self._check_memory(bags.n_bags)
        return bag_distances(bags, kind=self.kind, n_jobs=self.n_jobs)  # type: ignore[arg-type]

    def _given(self, data: Any) -> FloatArray:
        H: FloatArray = check_array(data, dtype=np.float64, input_name="data")
        if H.shape[0] != H.shape[1]:
            raise ValueError(f'kind="precomputed" needs a square matrix, got shape {H.shape}')
        self._check_memory(len(H))
        if (H < 0.0).any():
            raise ValueError(f'kind="precomputed" needs distances, got a negative one, {H.min():g}')
        return H

    def _check_memory(self, n_bags: int) -> None:
        needed = 16 * n_bags**2
        if needed > self.max_memory:
            raise ValueError(
                f"BagSilhouette needs {needed / 2**30:.1f} GiB for the distances of {n_bags} bags, more "
                f"than max_memory={self.max_memory} bytes"
            )


class TWCV(ValidityIndex):
    """Total within-cluster variation: squared distances of bags to their centroids, summed; minimise.

    The distance of a bag to a centroid is that of its farthest instance.

    Parameters
    ----------
    weighting : {"bag", "instance"}, default="bag"
        Centroids as means of the bag means (Eq. 3), or of all instances.
    n_jobs : int, optional
        Threads; results do not depend on it.

    Notes
    -----
    Data, labels and cost as for :class:`BagDaviesBouldin`. Defined for every partition, one cluster
    included. Not least at the centroids used, so it need not fall when clusters are split.

    References
    ----------
    Evolutionary multi-instance clustering, Eq. 4.

    Examples
    --------
    >>> from moo_clustering.validity import TWCV
    >>> bags = [[[0, 0], [2, 0]], [[0, 1]], [[8, 0], [8, 2], [8, 4]], [[10, 2], [6, 2]], [[4, 10]]]
    >>> TWCV().fit(bags).evaluate([0, 0, 1, 1, 1]).round(4)
    array([80.3333])
    """

    name: ClassVar[str] = "twcv"
    greater_is_better: ClassVar[bool] = False

    n_samples_: int
    geometry_: BagGeometry

    def __init__(self, weighting: Weighting = "bag", *, n_jobs: int | None = None) -> None:
        self.weighting = weighting
        self.n_jobs = n_jobs

    def fit(self, data: Any) -> Self:
        check_option("weighting", self.weighting, WEIGHTINGS)
        self.geometry_ = geometry_of(data, self.weighting, "TWCV")
        self.n_samples_ = self.geometry_.n_bags
        return self

    def evaluate(self, labels: IntArray) -> FloatArray:
        require_fitted(self, "n_samples_")
        population = check_bag_population(labels, self.n_samples_)
        return objective_values(self.geometry_, "twcv", population, self.n_jobs)


class FTWCV(ValidityIndex):
    """Fast within-cluster variation: squared distances of bag means to the means of these; minimise.

    Parameters
    ----------
    reading : {"between", "printed", "printed_meansq"}, default="between"
        ``"between"`` is the total squared norm of the bag means less that of the centroids, each as
        often as its cluster has bags: the within-cluster sum of squares of bag means. The others take
        Eq. 7 literally, sum of q less the sum over the clusters of the mean of q, where q of a bag is
        the mean squared norm of its instances (``"printed"``) or the squared norm of its mean
        (``"printed_meansq"``). They depend on where the origin is, and are for reproduction only.
    weighting : {"bag", "instance"}, default="bag"
        Whether all bag means weigh the same in ``"between"``, or as much as they have instances.
    n_jobs : int, optional
        Threads; results do not depend on it.

    Notes
    -----
    Data and labels as for :class:`BagDaviesBouldin`, also the precomputation, which it can share. Then
    O(p N^2) time for p individuals, or O(p N^2 + n d) with a literal reading.

    References
    ----------
    Evolutionary multi-instance clustering, Eq. 7.

    Examples
    --------
    >>> from moo_clustering.validity import FTWCV
    >>> bags = [[[0, 0], [2, 0]], [[0, 1]], [[8, 0], [8, 2], [8, 4]], [[10, 2], [6, 2]], [[4, 10]]]
    >>> FTWCV().fit(bags).evaluate([0, 0, 1, 1, 1]).round(4)
    array([54.3333])
    """

    name: ClassVar[str] = "ftwcv"
    greater_is_better: ClassVar[bool] = False

    n_samples_: int
    geometry_: BagGeometry

    def __init__(
        self,
        reading: Literal["between", "printed", "printed_meansq"] = "between",
        *,
        weighting: Weighting = "bag",
        n_jobs: int | None = None,
    ) -> None:
        self.reading = reading
        self.weighting = weighting
        self.n_jobs = n_jobs

    def fit(self, data: Any) -> Self:
        check_option("reading", self.reading, ("between", "printed", "printed_meansq"))
        check_option("weighting", self.weighting, WEIGHTINGS)
        self.geometry_ = geometry_of(data, self.weighting, "FTWCV")
        self.n_samples_ = self.geometry_.n_bags
        return self

    def evaluate(self, labels: IntArray) -> FloatArray:
        require_fitted(self, "n_samples_")
        population = check_bag_population(labels, self.n_samples_)
        return objective_values(self.geometry_, "ftwcv", population, self.n_jobs, self.reading)
