"""Davies-Bouldin index of bags."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

from moo_clustering.validity._bag_data import (
    UNDEFINED,
    WEIGHTINGS,
    Weighting,
    capped,
    check_bag_population,
    geometry_of,
    objective_values,
)
from moo_clustering.validity._base import FloatArray, IntArray, ValidityIndex
from moo_clustering.validity._population import check_option, require_fitted

if TYPE_CHECKING:
    from moo_clustering.bags._geometry import BagGeometry


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
