"""What can be said of a partition of bags: indices, and agreement with known classes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering.bags import Bags
from moo_clustering.cli._bag_samples import BagSamples
from moo_clustering.estimators.multi_instance._scaled_bags import scaled_bags
from moo_clustering.validity import (
    BagDaviesBouldin,
    BagSDbw,
    ValidityIndex,
    bag_indices,
    bag_report,
    clustering_accuracy,
)

# Multiplications and bags above which the distances of all pairs of bags are not taken for an index.
_MOST_WORK = 2e11
_MOST_BAGS = 5000


def bag_findings(estimator: Any, samples: BagSamples) -> dict[str, Any]:
    """Entries ``indices`` and ``scores`` of the record.

    Indices are those of :func:`~moo_clustering.validity.bag_report`, None where undefined; without the
    silhouettes where the distances of all bags would take longer than the fit. Scores are of the bags
    with a known class, and empty without one.
    """
    bags, labels = scaled_bags(estimator, samples.X), estimator.labels_
    report = bag_report(None, labels, indices=_indices(bags, getattr(estimator, "n_jobs", None)))
    indices = {name: _finite(value) for name, value in report.items() if isinstance(value, float)}
    return {"indices": indices, "scores": _scores(samples, labels)}


def _indices(bags: Bags, n_jobs: int | None) -> dict[str, ValidityIndex]:
    if bags.n_bags <= _MOST_BAGS and float(bags.n_instances) ** 2 * bags.n_features <= _MOST_WORK:
        return bag_indices(bags, n_jobs=n_jobs)
    return {
        "davies_bouldin_bag": BagDaviesBouldin(undefined=np.inf, n_jobs=n_jobs).fit(bags),
        "sdbw_bag": BagSDbw(undefined=np.inf, n_jobs=n_jobs).fit(bags),
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _scores(samples: BagSamples, labels: NDArray[np.integer[Any]]) -> dict[str, float]:
    if samples.y is None or not (samples.y >= 0).any():
        return {}
    known = samples.y >= 0
    y, found = samples.y[known], labels[known]
    report = bag_report(None, found, y, indices={})
    names = ["accuracy", "matched_rand_index", "entropy", "adjusted_rand"]
    if len(samples.target_names) == 2:  # of more classes, which is the positive one?
        names.insert(3, "f1")
    scores = {name: float(report[name]) for name in names}
    scores["largest_class"] = float(np.bincount(y).max() / len(y))
    if samples.partial_y is not None:
        rest = known & (samples.partial_y < 0)
        if rest.any():
            scores["accuracy_unlabelled"] = clustering_accuracy(samples.y[rest], labels[rest])
    return scores
