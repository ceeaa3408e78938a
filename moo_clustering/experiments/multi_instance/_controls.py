"""What the methods of the multi-instance tables are to be compared with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import AgglomerativeClustering, KMeans, SpectralClustering

from moo_clustering.bags import Bags, BagTransformer, bag_distances

Labels = NDArray[np.integer[Any]]


def k_means_of_means(bags: Bags, n_clusters: int, seed: int) -> Labels:
    """k-means of the means of the bags."""
    means = BagTransformer().fit_transform(bags).means()
    labels: Labels = KMeans(n_clusters, n_init=10, random_state=seed).fit_predict(means)
    return labels


def average_linkage(bags: Bags, n_clusters: int, seed: int) -> Labels:
    """Agglomerative clustering in the symmetric distance; draws nothing."""
    model = AgglomerativeClustering(n_clusters, metric="precomputed", linkage="average")
    labels: Labels = model.fit_predict(_symmetric(bags))
    return labels


def spectral(bags: Bags, n_clusters: int, seed: int) -> Labels:
    """Spectral clustering of exp(-H^2 / s^2), s the median symmetric distance of two bags."""
    H = _symmetric(bags)
    scale = float(np.median(H[np.triu_indices(len(H), 1)]))
    affinity = np.exp(-np.square(H / scale)) if scale > 0.0 else np.ones_like(H)
    model = SpectralClustering(n_clusters, affinity="precomputed", random_state=seed)
    labels: Labels = model.fit_predict(affinity)
    return labels


def random_labels(bags: Bags, n_clusters: int, seed: int) -> Labels:
    """Uniform labels of which none is missing."""
    rng = np.random.default_rng(seed)
    drawn = rng.integers(n_clusters, size=bags.n_bags - n_clusters)
    return rng.permutation(np.concatenate([np.arange(n_clusters), drawn]))


def _symmetric(bags: Bags) -> NDArray[np.float64]:
    return bag_distances(BagTransformer().fit_transform(bags), kind="symmetric")


CONTROLS: dict[str, Callable[[Bags, int, int], Labels]] = {
    "k-means of bag means": k_means_of_means,
    "average linkage": average_linkage,
    "spectral": spectral,
    "random labels": random_labels,
}
