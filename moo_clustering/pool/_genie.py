"""Genie on two spanning trees."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from moo_clustering.graphs import euclidean_mst
from moo_clustering.graphs._genie import genie_cuts
from moo_clustering.graphs._mutual_reachability import mutual_reachability_mst
from moo_clustering.pool._data import Partition, PoolData, sorted_links

_CORE_NEIGHBOR = 5


def genie_partitions(data: PoolData, ks: Sequence[int], seed: np.random.SeedSequence) -> list[Partition]:
    """Genie with threshold .3 on the minimum spanning tree, cut at every k."""
    tree = euclidean_mst(data.X, metric=data.metric, root=0, ties="index")
    return list(genie_cuts(*sorted_links(tree), ks, threshold=0.3))


def reachability_partitions(
    data: PoolData, ks: Sequence[int], seed: np.random.SeedSequence
) -> list[Partition]:
    """Genie with threshold .5 on the minimum spanning tree of mutual reachability, cut at every k."""
    neighbors = min(_CORE_NEIGHBOR, data.n_samples - 1)
    tree = mutual_reachability_mst(data.X, n_neighbors=neighbors, metric=data.metric)
    return list(genie_cuts(*sorted_links(tree), ks, threshold=0.5))
