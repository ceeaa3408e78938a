"""What there is to say of a choice from a pool: how sure it is, and what else was found."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from moo_clustering.cli._bag_samples import BagSamples
from moo_clustering.cli._features import TextFeatures
from moo_clustering.cli._findings import Description
from moo_clustering.cli._pareto_pictures import draw_partition, draw_pool
from moo_clustering.cli._prepared import PreparedSamples
from moo_clustering.cli._sparse_samples import SparseSamples
from moo_clustering.cli._typical import column_frames, sorting_columns
from moo_clustering.datasets import Table

if TYPE_CHECKING:
    from moo_clustering.cli._job import Job


def has_pool(estimator: Any) -> bool:
    """Whether a fitted estimator chose from a pool, and tells the alternatives."""
    return hasattr(estimator, "alternatives_")


def describe_pareto(job: Job, found: Description) -> None:
    """Add scores, alternatives, classes, controls and pictures."""
    estimator, table = job.estimator, job.table
    found.record |= _record(job)
    frames = {"scores.csv": _numbered("member", estimator.scores_)}
    if len(estimator.alternatives_):
        names = [f"alternative-{row}" for row in range(len(estimator.alternatives_))]
        frames["alternatives.csv"] = _labels_frame(table.row_ids, names, estimator.alternative_labels_)
        summary = estimator.alternatives_.copy()
        summary.insert(0, "alternative", names)
        frames["alternatives_summary.csv"] = summary
        found.arrays["alternative_labels"] = estimator.alternative_labels_
    probabilities = getattr(estimator, "predict_proba_", None)
    if probabilities is not None:
        frame = pd.DataFrame(probabilities, columns=class_names(job))
        frame.insert(0, "row", table.row_ids, allow_duplicates=True)
        frames["probabilities.csv"] = frame
        found.arrays["probabilities"] = probabilities
    found.frames |= frames
    if estimator.pool_ is not None:
        found.arrays["pool_labels"] = estimator.pool_.labels
        found.drawings.append(partial(draw_pool, estimator=estimator, name=table.name))
    for name in ("landmark_of", "control_labels", "random_control_labels"):
        if getattr(estimator, f"{name}_", None) is not None:
            found.arrays[name] = getattr(estimator, f"{name}_")
    if isinstance(job.data, BagSamples):
        return
    found.drawings.append(partial(draw_partition, job=job, classes=cluster_classes(job)))
    if (
        not isinstance(job.data, TextFeatures | SparseSamples)
        and getattr(estimator, "metric", None) != "precomputed"
    ):
        found.clusters, found.frames["clusters.csv"] = _clusters(job)
        if isinstance(job.data, PreparedSamples) and estimator.n_clusters_ > 1:
            found.record["sorted_by"] = sorting_columns(job.data.columns, estimator.labels_)


def cluster_classes(job: Job) -> list[str] | None:
    """Name of the class of each cluster after a fit with labels; empty for new classes."""
    estimator = job.estimator
    if not hasattr(estimator, "classes_"):
        return None
    names = class_names(job)
    of_clusters = getattr(estimator, "cluster_classes_index_", None)
    if of_clusters is None:
        return names
    return [names[place] if place >= 0 else "" for place in of_clusters]


def class_names(job: Job) -> list[str]:
    """Names of ``classes_``, whose items are codes of the partial labels."""
    table = job.table
    names = tuple(getattr(table, "partial_names", ()))
    codes = job.estimator.classes_
    return [names[code] if names else str(code) for code in codes]


def _record(job: Job) -> dict[str, Any]:
    estimator = job.estimator
    confidence = float(estimator.confidence_)
    record: dict[str, Any] = {
        "confidence": confidence if math.isfinite(confidence) else None,
        "pool_size": 0 if estimator.pool_ is None else estimator.pool_.n_partitions,
        "alternatives": estimator.alternatives_.to_dict("records"),
    }
    if (classes := cluster_classes(job)) is not None:
        record["classes"] = classes
    if hasattr(estimator, "control_score_"):
        from sklearn.metrics import adjusted_rand_score

        names = [name for name in ("control", "random_control") if hasattr(estimator, f"{name}_labels_")]
        pairs = {name: getattr(estimator, f"{name}_labels_") for name in names}
        record["controls"] = {
            "score": dict(estimator.control_score_),
            "ari_to_labels": {
                name: float(adjusted_rand_score(estimator.labels_, labels)) for name, labels in pairs.items()
            },
            "scores": {name: _class_scores(job.table, labels) for name, labels in pairs.items()},
        }
    return record


def _class_scores(table: Any, labels: NDArray[np.int32]) -> dict[str, float]:
    from moo_clustering.cli._scores import scores

    return {} if isinstance(table, BagSamples) else scores(table, labels)


def _clusters(job: Job) -> tuple[pd.DataFrame, pd.DataFrame]:
    data = job.data
    assert isinstance(data, Table)
    labels, names = job.estimator.labels_, cluster_classes(job)
    if isinstance(data, PreparedSamples):
        frames = column_frames(data.columns, data.category_names, labels)
    else:
        columns = pd.DataFrame(np.asarray(data.X), columns=_different(data.feature_names))
        frames = column_frames(columns, (), labels)
    if names is not None:
        for frame in frames:
            frame.insert(2, "class", [names[cluster] for cluster in frame["cluster"]], allow_duplicates=True)
    return frames


def _different(names: tuple[str, ...]) -> list[str]:
    """Names of features, which archives may have twice."""
    seen: set[str] = set()
    found = []
    for column, name in enumerate(names):
        found.append(name if name not in seen else f"{name} ({column})")
        seen.add(found[-1])
    return found


def _labels_frame(row_ids: NDArray[Any], names: list[str], labels: NDArray[np.int32]) -> pd.DataFrame:
    return pd.DataFrame({"row": row_ids, **dict(zip(names, labels, strict=True))})


def _numbered(name: str, frame: pd.DataFrame) -> pd.DataFrame:
    numbered = frame.reset_index(drop=True)
    numbered.insert(0, name, np.arange(len(frame)))
    return numbered
