"""Samples that an algorithm has called noise."""

from __future__ import annotations

import numpy as np

from moo_clustering.pool._data import Partition, PoolData


def without_noise(data: PoolData, labels: Partition) -> Partition:
    """Labels where every -1 has become the label of the nearest sample that had one."""
    noise, clustered = np.flatnonzero(labels < 0), np.flatnonzero(labels >= 0)
    labels = labels.copy()
    if len(noise) and len(clustered):
        labels[noise] = labels[data.nearest(noise, clustered)]
    return labels
