"""S_Dbw index of bags."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from moo_clustering._kernels.parts import for_parts
from moo_clustering.validity._bag_data import (
    UNDEFINED,
    WEIGHTINGS,
    Weighting,
    capped,
    check_bag_population,
    geometry_of,
)
from moo_clustering.validity._base import FloatArray, IntArray, ValidityIndex
from moo_clustering.validity._population import Population, check_option, require_fitted

if TYPE_CHECKING:
    from moo_clustering.bags import Bags
    from moo_clustering.bags._geometry import BagGeometry

# In the order in which the compiled loop numbers them.
READINGS = ("density", "count", "printed")


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
        from moo_clustering._kernels.bag_density import variance_norms

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
        from moo_clustering._kernels.bag_density import densities_between

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
