"""k-means, and k-medoids where there are only distances."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import cut_tree
from sklearn.cluster import KMeans

from moo_clustering.pool._data import Floats, Partition, PoolData, child_seed, state_of
from moo_clustering.pool._medoids import k_medoids

_STARTS = 3
# Above it random starts miss clusters that a Ward cut has found.
WARD_ABOVE = 20


def kmeans_partitions(data: PoolData, ks: Sequence[int], seed: np.random.SeedSequence) -> list[Partition]:
    """The best of three k-means++ starts for every k, above k = 20 of a start from the Ward cut too."""
    if data.precomputed:
        return [
            k_medoids(data.X, k, n_init=_STARTS, rng=np.random.default_rng(child_seed(seed, k))) for k in ks
        ]
    return [_best_of_starts(data, k, state_of(seed, k)) for k in ks]


def fragments(data: PoolData, k: int, seed: np.random.SeedSequence) -> Partition:
    """Many small clusters, from one start."""
    if data.precomputed:
        return k_medoids(data.X, k, n_init=1, rng=np.random.default_rng(child_seed(seed, k)))
    return KMeans(k, n_init=1, random_state=state_of(seed, k)).fit(data.X).labels_


def _best_of_starts(data: PoolData, k: int, random_state: int) -> Partition:
    best = KMeans(k, n_init=_STARTS, random_state=random_state).fit(data.X)
    if k > WARD_ABOVE and data.given_merges is not None:
        centres = _means(data.X, cut_tree(data.given_merges, n_clusters=k)[:, 0], k)
        other = KMeans(k, init=centres, n_init=1, random_state=random_state).fit(data.X)
        best = other if other.inertia_ < best.inertia_ else best
    labels: Partition = best.labels_
    return labels


def _means(X: Floats, labels: NDArray[np.integer], k: int) -> Floats:
    members = np.zeros((k, len(X)))
    members[labels, np.arange(len(X))] = 1.0
    return members @ X / members.sum(axis=1, keepdims=True)
