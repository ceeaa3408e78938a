"""One partition from those of a front, by vote."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import KNeighborsClassifier

from moo_clustering._parallel import threads_here
from moo_clustering.encodings import align_labels, relabel_by_first_appearance
from moo_clustering.validity import pairwise_ari

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
        with threads_here(n_jobs):
            classifier.fit(data[sure], winner[sure])
            winner[~sure] = classifier.predict(data[~sure])
    return relabel_by_first_appearance(winner[None])[0]


def reference_row(labels: Labels, reference: str) -> int:
    """Row that the others are renumbered to."""
    if reference == "first" or len(labels) == 1:
        return 0
    similarity = pairwise_ari(labels)
    mean = (similarity.sum(axis=1) - 1.0) / (len(labels) - 1)
    # Rounding must not decide between equals.
    return int((mean >= mean.max() - _EQUAL).argmax())
