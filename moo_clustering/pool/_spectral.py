"""Cuts of the neighbour graph."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from moo_clustering.graphs._spectral_cuts import spectral_cuts
from moo_clustering.pool._data import Partition, PoolData


def spectral_partitions(data: PoolData, ks: Sequence[int], seed: np.random.SeedSequence) -> list[Partition]:
    """Spectral clustering for every k from one eigendecomposition."""
    return list(spectral_cuts(data.graph(), ks, n_init=3, rng=np.random.default_rng(seed)))
