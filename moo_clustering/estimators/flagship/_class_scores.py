"""Classes of all samples from those of a few, by kernels of the pool and of the data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from moo_clustering._targets import Targets
from moo_clustering.estimators.flagship._candidates import Candidates
from moo_clustering.estimators.flagship._ground import Ground
from moo_clustering.evidence import (
    class_factors,
    class_probabilities,
    coassociation,
    evidence_weights,
    graph_kernel,
    kernel_ridge,
    linear_kernel,
)
from moo_clustering.validity import LabelEvidence

FloatArray = NDArray[np.float64]

# Labels for each class from which graph and linear kernel help: with fewer they do harm where clusters are
# not convex.
FULL_FROM = 4
_LINEAR = 0.3


@dataclass(frozen=True, eq=False)
class ClassModel:
    """Scores of the classes, and the factors that bring their shares nearer to those of the labels.

    Attributes
    ----------
    scores : ndarray of shape (m, n_classes)
        Of the samples or landmarks of the fit.
    factors : ndarray of shape (n_classes,)
    """

    scores: FloatArray
    factors: FloatArray

    def probabilities(self, scores: FloatArray) -> FloatArray:
        """Rows that sum to 1, of scores (n, n_classes)."""
        return class_probabilities(scores, factors=self.factors)


def class_scores(
    ground: Ground, candidates: Candidates | None, targets: Targets, *, kernel: str, class_prior: str
) -> ClassModel:
    """Kernel ridge regression of the classes on the labelled samples.

    Notes
    -----
    O(m L sum(k)) for L labelled samples or landmarks; the graph kernel adds O(m^3).
    """
    counts = ground.sums(targets.indicators)
    columns = np.flatnonzero(counts.sum(axis=1) > 0)
    n_labels = counts[columns].sum(axis=1)
    # On one thread, so that no digit depends on how many there are.
    with threadpool_limits(limits=1, user_api="blas"):
        total = _kernel(ground, candidates, counts, columns, kernel)
        scores = kernel_ridge(total, columns, counts[columns] / n_labels[:, None], n_labels)
    return ClassModel(scores, class_factors(ground.interpolated(scores), _prior(targets, class_prior)))


def _kernel(
    ground: Ground, candidates: Candidates | None, counts: FloatArray, columns: NDArray[np.intp], kind: str
) -> FloatArray:
    """Kernel of all samples or landmarks with the labelled ones."""
    total = np.zeros((ground.m, len(columns)))
    if candidates is not None and kind != "bags":
        weights = evidence_weights(LabelEvidence().fit(counts).evaluate(candidates.labels))
        total += coassociation(candidates.labels, weights, columns=columns)
    if ground.kernels:
        if kind != "pool":
            for part in ground.kernels:
                total += part[:, columns]
    elif kind == "full" or (kind == "auto" and counts.sum() >= FULL_FROM * counts.shape[1]):
        total += graph_kernel(ground.graph, columns)
        if ground.rows is not None:
            total += _LINEAR * linear_kernel(ground.rows, columns)
    return total


def _prior(targets: Targets, class_prior: str) -> FloatArray:
    if class_prior == "uniform":
        return np.full(targets.n_classes, 1.0 / targets.n_classes)
    of_class = targets.indicators.sum(axis=0)
    prior: FloatArray = (of_class + 1.0) / (of_class.sum() + targets.n_classes)
    return prior
