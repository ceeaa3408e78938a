"""Files of a run of a method of feature weights beside those of every run."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from moo_clustering.cli._features import TextFeatures
from moo_clustering.cli._findings import Description
from moo_clustering.cli._job import Job
from moo_clustering.cli._predictions import (
    Predictions,
    prediction_frame,
    prediction_record,
    predictions_of,
    probability_frame,
)
from moo_clustering.cli._subspace_clusters import draw_leading, subspace_frame
from moo_clustering.datasets import MultiLabelTable

PROBABILITIES, PREDICTIONS, ROC = "probabilities.csv", "predictions.csv", "roc.png"

_ARRAYS = {
    "memberships": "memberships_",
    "centers": "cluster_centers_",
    "feature_weights": "feature_weights_",
    "class_shares": "class_shares_",
    "impurities": "impurities_",
}


def describe_subspaces(job: Job, scores: dict[str, float]) -> Description:
    """Clusters with their features and classes, and predictions of labels where the fit had some."""
    clusters = subspace_frame(job)
    found = Description({"scores": scores}, clusters, {"clusters.csv": clusters}, _arrays(job))
    if isinstance(job.data, TextFeatures | MultiLabelTable):
        found.drawings.append(partial(draw_leading, job=job))
    found.record |= _search_record(job.estimator)
    predictions = predictions_of(job.estimator, job.data.X, job.labels)
    if predictions is not None:
        record = found.record["prediction"] = prediction_record(predictions)
        found.frames[PROBABILITIES] = probability_frame(predictions, job.table.row_ids)
        found.frames[PREDICTIONS] = prediction_frame(predictions, job.table.row_ids)
        if record.get("macro_auc") is not None:
            title = f"{type(job.estimator).__name__}, {job.table.name}"
            curves, exact = _roc_curves(predictions, record["auc"])
            found.drawings.append(partial(_draw_roc, curves=curves, exact=exact, title=title))
            found.report["roc_curves"] = curves
    return found


def _search_record(estimator: Any) -> dict[str, Any]:
    """Objectives of the chosen start, and of the best of as many random ones, where starts were searched."""
    control, chosen = getattr(estimator, "control_", None), getattr(estimator, "chosen_", None)
    names = getattr(estimator, "objective_names_", ())
    record: dict[str, Any] = {}
    if chosen is not None:
        record["chosen"] = dict(zip(names, estimator.pareto_front_[chosen].tolist(), strict=True))
    if control is not None:
        best = estimator.result_.problem.natural(control.F[[control.best]])[0]
        record["control"] = dict(zip(names, best.tolist(), strict=True))
        record["n_random_starts"] = len(control.X)
    return record


def _arrays(job: Job) -> dict[str, Any]:
    """Arrays of the clusters, and the names of their columns."""
    found = {name: getattr(job.estimator, attribute, None) for name, attribute in _ARRAYS.items()}
    arrays = {name: np.ascontiguousarray(value) for name, value in found.items() if value is not None}
    arrays["feature_names"] = np.array(job.feature_names, dtype=str)
    arrays["class_names"] = np.array(job.class_names, dtype=str)
    return arrays


def _roc_curves(
    predictions: Predictions, areas: dict[str, float | None]
) -> tuple[dict[str, Any], dict[str, float]]:
    """The mean ROC curve of the labels, and those of the best and the worst; areas that are known exactly."""
    from sklearn.metrics import roc_curve

    from moo_clustering.validity import mean_roc_curve

    use, scored = predictions.use, predictions.use.is_held_out
    gold, scores = use.held_out[scored], predictions.scores[scored]
    found = np.array([np.nan if area is None else area for area in areas.values()])
    n_labels = int(np.isfinite(found).sum())
    curves: dict[str, Any] = {}
    exact: dict[str, float] = {}
    if n_labels > 1:
        name = f"mean of {n_labels} labels"
        curves[name] = mean_roc_curve(gold, scores)
        exact[name] = float(np.nanmean(found))
    for place, which in {int(np.nanargmin(found)): "worst", int(np.nanargmax(found)): "best"}.items():
        name = use.names[place]
        if n_labels > 1:
            name += f" ({which}, n={int(gold[:, place].sum())})"
        curves[name] = roc_curve(gold[:, place], scores[:, place])[:2]
    return curves, exact


def _draw_roc(folder: Path, curves: dict[str, Any], exact: dict[str, float], title: str) -> list[str]:
    from moo_clustering.visualization import plot_roc

    plot_roc(curves, aucs=exact, path=folder / ROC, title=title)
    return [ROC]
