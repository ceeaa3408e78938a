"""Cuts of one linkage."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.cluster.hierarchy import cut_tree

from moo_clustering.pool._data import Partition, PoolData


def ward_partitions(data: PoolData, ks: Sequence[int], seed: np.random.SeedSequence) -> list[Partition]:
    """Ward linkage, or average linkage of distances, cut at every k."""
    return list(cut_tree(data.merges(), n_clusters=list(ks)).T)
