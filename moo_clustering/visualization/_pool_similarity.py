"""How much of a pool of partitions has two samples together."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class PoolSimilarity(NamedTuple):
    """Co-association of evenly chosen samples.

    Attributes
    ----------
    together : ndarray of shape (n_shown, n_shown)
        Weighted part of the pool that has two samples in one cluster.
    labels : ndarray of shape (n_shown,)
        Clusters of the samples shown.
    n_all : int
        Samples, shown or not.
    what : {"samples", "landmarks"}
    """

    together: NDArray[np.float64]
    labels: NDArray[np.int32]
    n_all: int
    what: str


def pool_similarity(estimator: Any, most: int) -> PoolSimilarity:
    """Co-association in the pool of a fitted estimator.

    Parameters
    ----------
    estimator : fitted ParetoClustering or ParetoBagClustering
    most : int
        So many samples at the most, evenly from first to last; of many samples, landmarks.
    """
    from moo_clustering.evidence import coassociation, consensus_weights

    pool, labels, what = estimator.pool_, np.asarray(estimator.labels_), "samples"
    if estimator.landmark_of_ is not None:
        of_landmarks = np.zeros(pool.n_samples, dtype=labels.dtype)
        of_landmarks[estimator.landmark_of_] = labels
        labels, what = of_landmarks, "landmarks"
    places = np.unique(np.linspace(0, len(labels) - 1, min(len(labels), most)).astype(np.intp))
    score = estimator.scores_["score"].to_numpy()[: pool.n_partitions]
    weights = consensus_weights(score, pool.n_clusters, estimator.n_clusters_)
    return PoolSimilarity(coassociation(pool.labels[:, places], weights), labels[places], len(labels), what)
