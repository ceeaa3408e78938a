"""Rivals without labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree
from sklearn.cluster import HDBSCAN, KMeans

from moo_clustering.experiments.flagship._pool_of_set import Fitted
from moo_clustering.graphs import spectral_embedding
from moo_clustering.validity import ValidityIndex

Labels = NDArray[np.integer[Any]]

_LEAST_CLUSTER = 5
_STARTS = 10


def best_by(index: ValidityIndex, candidates: Labels) -> Labels:
    """The partition of the greatest value; of equal ones the one of fewest clusters."""
    values = index.evaluate(candidates.astype(np.int32))
    order = np.lexsort((candidates.max(axis=1), -values))
    chosen: Labels = candidates[order[0]]
    return chosen


def hdbscan(X: NDArray[np.float64]) -> Labels:
    """HDBSCAN with clusters of at least five; noise goes to the cluster of the nearest sample in one."""
    labels: Labels = HDBSCAN(min_cluster_size=min(_LEAST_CLUSTER, len(X)), copy=True).fit_predict(X)
    noise = labels < 0
    if noise.all():
        return np.zeros(len(X), dtype=np.int64)
    if noise.any():
        labels[noise] = labels[~noise][KDTree(X[~noise]).query(X[noise])[1]]
    return labels


def by_eigengap(fitted: Fitted, rng: np.random.Generator) -> Labels:
    """Of the spectral partitions that of the widest gap between eigenvalues k and k + 1."""
    candidates = fitted.members("spec")
    k = candidates.max(axis=1) + 1
    graph = fitted.model.graph_
    n_values = min(int(k.max()) + 1, graph.shape[0])
    values, _ = spectral_embedding(graph, 1, laplacian="sym", n_eigenvalues=n_values, rng=rng)
    gaps = np.append(np.diff(values), 0.0)
    chosen: Labels = candidates[int(np.argmax(gaps[k - 1]))]
    return chosen


def k_means(X: NDArray[np.float64], k: int, seed: int) -> Labels:
    """k-means, the best of ten starts."""
    labels: Labels = KMeans(min(k, len(X)), n_init=_STARTS, random_state=seed).fit_predict(X)
    return labels
