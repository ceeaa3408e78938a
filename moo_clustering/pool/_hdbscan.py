"""HDBSCAN over sizes of clusters and ways to select them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sklearn.cluster import HDBSCAN

from moo_clustering.pool._data import Partition, PoolData
from moo_clustering.pool._noise import without_noise

_MIN_SAMPLES = 5
_MOST_CLUSTERS = 60


def hdbscan_partitions(data: PoolData, ks: Sequence[int], seed: np.random.SeedSequence) -> list[Partition]:
    """HDBSCAN decides on k itself; noise gets the label of its nearest clustered sample."""
    n = data.n_samples
    found: list[Partition] = []
    for size in _sizes(n):
        for method in ("eom", "leaf"):
            model = HDBSCAN(
                min_cluster_size=size,
                min_samples=min(_MIN_SAMPLES, n),
                metric=data.metric,
                cluster_selection_method=method,
                copy=True,
            )
            labels = model.fit(data.X).labels_
            if 1 <= labels.max() < _MOST_CLUSTERS:
                found.append(without_noise(data, labels))
    return found


def _sizes(n_samples: int) -> list[int]:
    # Two clusters and some noise must find room.
    most = max(2, n_samples // 3)
    return sorted({min(size, most) for size in (5, 10, max(5, n_samples // 50), max(5, n_samples // 20))})
