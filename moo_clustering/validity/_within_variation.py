"""Variation of bags within their clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from moo_clustering.validity._bag_data import (
    WEIGHTINGS,
    Weighting,
    check_bag_population,
    geometry_of,
    objective_values,
)
from moo_clustering.validity._base import FloatArray, IntArray, ValidityIndex
from moo_clustering.validity._population import check_option, require_fitted

if TYPE_CHECKING:
    from moo_clustering.bags._geometry import BagGeometry


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
