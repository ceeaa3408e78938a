"""What the methods of the PESC tables are to be compared with, whatever the paper compared them with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import HDBSCAN, AgglomerativeClustering, KMeans, SpectralClustering
from sklearn.neighbors import KNeighborsClassifier

from moo_clustering.experiments.pesc._given import Found, Given, Run, timed

Labels = NDArray[np.integer[Any]]


def k_means(given: Given) -> Labels:
    """k-means, the best of ten starts."""
    labels: Labels = KMeans(given.n_clusters, n_init=10, random_state=given.seed).fit_predict(given.X)
    return labels


def ward(given: Given) -> Labels:
    """Ward's method."""
    labels: Labels = AgglomerativeClustering(given.n_clusters, linkage="ward").fit_predict(given.X)
    return labels


def hdbscan(given: Given) -> Labels:
    """HDBSCAN with clusters of at least five; noise is one cluster more."""
    labels: Labels = HDBSCAN(min_cluster_size=5, copy=True).fit_predict(given.X)
    return labels - labels.min()


def spectral(given: Given) -> Labels:
    """Spectral clustering of scikit-learn on its graph of ten neighbours."""
    model = SpectralClustering(
        given.n_clusters,
        affinity="nearest_neighbors",
        n_neighbors=min(10, len(given.X) - 1),
        random_state=given.seed,
    )
    labels: Labels = model.fit_predict(given.X)
    return labels


def nearest_labelled(given: Given) -> Labels:
    """The class of the nearest labelled sample."""
    if given.y is None:
        raise ValueError("1-NN needs labels")
    known = given.y >= 0
    model = KNeighborsClassifier(1).fit(given.X[known], given.y[known])
    labels: Labels = model.predict(given.X)
    return labels


def _run(name: str, control: Callable[[Given], Labels]) -> Run:
    def run(given: Given, reading: str, setting: str) -> dict[str, Found]:
        return {name: Found(*timed(control, given))}

    return run


CONTROLS: dict[str, Run] = {
    name: _run(name, control)
    for name, control in (
        ("k-means", k_means),
        ("Ward", ward),
        ("HDBSCAN", hdbscan),
        ("spectral (scikit-learn)", spectral),
    )
}
CLASSIFIER = "1-NN of the labels"
CLASSIFIERS: dict[str, Run] = {CLASSIFIER: _run(CLASSIFIER, nearest_labelled)}
