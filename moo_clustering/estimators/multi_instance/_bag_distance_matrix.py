"""Distances of all pairs of bags, where they fit into memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering.bags import Bags, bag_distances
from moo_clustering.bags._distances import Kind


def check_distance_memory(owner: str, n_bags: int, max_memory: float) -> None:
    """Refuse distances that take more than ``max_memory`` bytes.

    Raises
    ------
    ValueError
    """
    if 8 * n_bags**2 > max_memory:
        raise ValueError(
            f"{owner} needs the distances of all pairs of {n_bags} bags, {n_bags**2 / 2**27:.3g} GiB, more "
            f"than max_memory={max_memory} bytes; raise max_memory or cluster a sample of the bags"
        )


def distance_matrix(estimator: Any, bags: Bags, kind: Kind = "directed") -> NDArray[np.float64]:
    """Distance from every bag to every other, checked against ``estimator.max_memory`` before."""
    check_distance_memory(type(estimator).__name__, bags.n_bags, estimator.max_memory)
    return bag_distances(bags, kind=kind, n_jobs=estimator.n_jobs)
