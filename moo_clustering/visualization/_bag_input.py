"""Bags, or distances between them, and their clusters, for plots."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from moo_clustering.bags import Bags

KINDS = {
    "directed": "directed Hausdorff distance",
    "symmetric": "Hausdorff distance",
    "mean_min": "mean distance to the nearest instance",
    "min_min": "distance of the nearest instances",
    "mean": "mean distance of instances",
}
GIVEN = "distance"

# Multiplications that the distances of one picture may take.
_MOST_WORK = 2e10
_FEWEST = 20


class Clusters(NamedTuple):
    """Clusters of bags: names in order, bags of each, and the place of each bag's cluster."""

    names: tuple[str, ...]
    sizes: NDArray[np.int64]
    codes: NDArray[np.int64]


def read_input(bags_or_distances: Any, labels: ArrayLike) -> tuple[Bags | NDArray[np.float64], Clusters]:
    """Bags or a matrix of distances, and the clusters of as many labels.

    Raises
    ------
    ValueError
        When there are not as many labels as bags, or what is given is neither.
    """
    # Loaded here because most who plot have no bags.
    from moo_clustering.bags import as_bags

    found = np.asarray(labels)
    if found.ndim != 1 or not len(found):
        raise ValueError(f"labels must have shape (n_bags,) and a bag, got shape {found.shape}")
    data: Bags | NDArray[np.float64]
    if isinstance(bags_or_distances, np.ndarray) and bags_or_distances.ndim == 2:
        data = _checked(bags_or_distances.astype(np.float64), len(found))
    else:
        data = as_bags(bags_or_distances)
        if len(data) != len(found):
            raise ValueError(f"labels must have one entry for each of the {len(data)} bags, got {len(found)}")
    names, codes, sizes = np.unique(found, return_inverse=True, return_counts=True)
    return data, Clusters(tuple(map(str, names)), sizes, codes.reshape(-1))


def sampled(clusters: Clusters, max_bags: int) -> NDArray[np.int64]:
    """Bags that are shown, cluster after cluster: all, or the same share of every cluster.

    The share is spread evenly over the bags of the cluster; none goes without.
    """
    if max_bags < 1:
        raise ValueError(f"max_bags must be at least 1, got {max_bags}")
    order = np.argsort(clusters.codes, kind="stable")
    if len(order) <= max_bags:
        return order
    quotas = np.maximum(1, clusters.sizes * max_bags // len(order))
    starts = np.cumsum(clusters.sizes) - clusters.sizes
    return np.concatenate(
        [
            order[start + np.arange(quota) * size // quota]
            for start, size, quota in zip(starts, clusters.sizes, quotas, strict=True)
        ]
    )


def affordable_bags(bags: Bags) -> int:
    """Bags of usual size whose distances can be taken within some seconds."""
    instances = math.sqrt(_MOST_WORK / bags.n_features)
    return max(_FEWEST, int(instances * bags.n_bags / bags.n_instances))


def counted(n_shown: int, n_bags: int) -> str:
    """How titles call the bags that are shown."""
    return f"{n_bags} bags" if n_shown == n_bags else f"{n_shown} of {n_bags} bags"


def _checked(distances: NDArray[np.float64], n_bags: int) -> NDArray[np.float64]:
    if distances.shape != (n_bags, n_bags):
        raise ValueError(
            f"distances must have shape ({n_bags}, {n_bags}) for {n_bags} labels, got {distances.shape}; "
            "bags are given as Bags or as a list of arrays"
        )
    if not np.isfinite(distances).all() or (distances < 0.0).any():
        raise ValueError("distances must be finite and not negative")
    return distances
