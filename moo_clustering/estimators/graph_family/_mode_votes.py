"""One partition from those of a front, by vote."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import KNeighborsClassifier

from moo_clustering.encodings import align_labels, relabel_by_first_appearance
from moo_clustering.validity._hyperedges import hyperedges

Labels = NDArray[np.int32]

_N_NEIGHBORS = 5
# Shares that differ by less are equal.
_EQUAL = 1e-12


def majority_vote(
    labels: Labels,
    data: NDArray[Any],
    *,
    metric: str,
    beta: float,
    reference: str,
    n_jobs: int | None = None,
) -> Labels:
    """Cluster that most partitions put a sample into; where too few agree, that of its neighbours.

    Parameters
    ----------
    labels : ndarray of shape (n_partitions, n_samples)
        Renumbered to agree best with the reference.
    data : ndarray of shape (n_samples, n_features)
    metric : {"hamming", "euclidean"}
    beta : float
        Samples with at least this share of the votes for one cluster are the training set of a classifier
        by the 5 nearest neighbours, which decides about the others. Without 5 such samples, or without one
        in every cluster, the vote alone decides.
    reference : {"first", "medoid"}
        The first partition, or the one most similar to the others.

    Returns
    -------
    labels : ndarray of shape (n_samples,), int32
        Numbered by first appearance.

    Notes
    -----
    Ties go to the cluster that is first in the reference.
    """
    # First numbered alike, so that no name decides between equally good matchings.
    labels = relabel_by_first_appearance(labels)
    if len(labels) == 1:
        return labels[0]
    aligned = align_labels(labels[reference_row(labels, reference)], labels)
    votes = np.stack([np.count_nonzero(aligned == c, axis=0) for c in range(int(aligned.max()) + 1)])
    winner = votes.argmax(axis=0)
    sure = votes.max(axis=0) / len(labels) >= beta - _EQUAL
    enough = np.count_nonzero(sure) >= _N_NEIGHBORS
    if not sure.all() and enough and np.array_equal(np.unique(winner[sure]), np.unique(winner)):
        classifier = KNeighborsClassifier(_N_NEIGHBORS, metric=metric, n_jobs=n_jobs)
        classifier.fit(data[sure], winner[sure])
        winner[~sure] = classifier.predict(data[~sure])
    return relabel_by_first_appearance(winner[None])[0]


def reference_row(labels: Labels, reference: str) -> int:
    """Row that the others are renumbered to."""
    if reference == "first" or len(labels) == 1:
        return 0
    similarity = adjusted_rand_table(labels)
    mean = (similarity.sum(axis=1) - 1.0) / (len(labels) - 1)
    # Rounding must not decide between equals.
    return int((mean >= mean.max() - _EQUAL).argmax())


def adjusted_rand_table(labels: Labels) -> NDArray[np.float64]:
    """Adjusted Rand index of all pairs of partitions, shape (n_partitions, n_partitions).

    O(n_samples n_partitions^2 + E^2) time for E clusters in all.
    """
    edges = hyperedges(labels)
    of_run = (np.arange(edges.n_runs)[:, None] == edges.runs).astype(np.float64)
    together = of_run @ _pairs(edges.intersections) @ of_run.T
    own = of_run @ _pairs(edges.sizes)
    expected = np.outer(own, own) / max(float(_pairs(np.array(edges.n_samples))), 1.0)
    largest = (own[:, None] + own) / 2.0
    # Both trivial in the same way: equal.
    ari: NDArray[np.float64] = np.divide(
        together - expected,
        largest - expected,
        out=np.ones_like(expected),
        where=np.abs(largest - expected) > 1e-12 * np.maximum(largest, 1.0),
    )
    return ari


def _pairs(counts: NDArray[Any]) -> NDArray[np.float64]:
    numbers = counts.astype(np.float64)
    pairs: NDArray[np.float64] = numbers * (numbers - 1.0) / 2.0
    return pairs
