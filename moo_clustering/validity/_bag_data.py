"""What indices of bag partitions are fitted to, and the partitions they score."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from moo_clustering.validity._base import FloatArray
from moo_clustering.validity._population import Population, check_population, integer_rows

if TYPE_CHECKING:
    from moo_clustering.bags import Bags
    from moo_clustering.bags._geometry import BagGeometry

Weighting = Literal["bag", "instance"]
WEIGHTINGS: tuple[Weighting, ...] = ("bag", "instance")
# What stands for the infinite value of a partition without two distinct clusters.
UNDEFINED = 1e6


def bags_of(data: Any) -> Bags:
    """Bags from whatever holds them, also a geometry."""
    # Loaded here because most who import this room have no bags.
    from moo_clustering.bags import as_bags
    from moo_clustering.bags._geometry import BagGeometry

    return data.bags if isinstance(data, BagGeometry) else as_bags(data)


def geometry_of(data: Any, weighting: Weighting, owner: str) -> BagGeometry:
    """Geometry of bags; one that is given is used, if its centroids are those of ``weighting``."""
    from moo_clustering.bags import as_bags
    from moo_clustering.bags._geometry import BagGeometry

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
    from moo_clustering.bags._objective import BagObjective

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
