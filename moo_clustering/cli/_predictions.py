"""What a fit with labels says of all samples."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

if TYPE_CHECKING:
    from moo_clustering.cli._label_use import LabelUse


@dataclass(frozen=True, eq=False)
class Predictions:
    """Labels as a fitted estimator predicts them.

    Parameters
    ----------
    use : LabelUse
        The labels that the fit had and had not.
    probabilities : ndarray of shape (n_samples, n_labels)
        0 for classes that no sample with labels for the fit has.
    scores : ndarray of shape (n_samples, n_labels)
        What ROC curves rank samples by: sums of votes where the method adds them up without dividing
        (``aggregation="sum"``), and else the probabilities.
    chosen : ndarray of shape (n_samples, n_labels), bool
    """

    use: LabelUse
    probabilities: NDArray[np.float64]
    scores: NDArray[np.float64]
    chosen: NDArray[np.bool_]


def predictions_of(estimator: Any, X: Any, use: LabelUse | None) -> Predictions | None:
    """Predictions for the samples of a fit; None where it had no labels."""
    if use is None or use.y is None:
        return None
    columns = use.columns if use.multilabel else np.asarray(estimator.classes_, dtype=np.intp)
    probabilities = np.zeros(use.given.shape)
    probabilities[:, columns] = estimator.predict_proba(X)
    scores = probabilities
    if getattr(estimator, "aggregation", None) == "sum":
        votes = np.asarray(estimator.decision_function(X))
        scores = np.zeros(use.given.shape)
        scores[:, columns] = np.column_stack([-votes, votes]) if votes.ndim == 1 else votes
    found = np.asarray(estimator.predict(X))
    chosen = np.zeros(use.given.shape, dtype=bool)
    chosen[:, columns] = found > 0 if use.multilabel else found[:, np.newaxis] == columns
    return Predictions(use, probabilities, scores, chosen)


def prediction_record(predictions: Predictions) -> dict[str, Any]:
    """Numbers of samples, and how well the labels that the fit did not have are predicted.

    Areas under the ROC curve are None for labels that all or none of the scored samples have.
    """
    from sklearn.metrics import f1_score

    from moo_clustering.validity import class_aucs

    use, scored = predictions.use, predictions.use.is_held_out
    record: dict[str, Any] = {"n_given": int(use.is_given.sum()), "n_scored": int(scored.sum())}
    if not scored.any():
        return record
    gold, scores, chosen = (part[scored] for part in (use.held_out, predictions.scores, predictions.chosen))
    # A single column would be one class a sample.
    areas = class_aucs(gold, scores) if len(use.names) > 1 else np.full(len(use.names), np.nan)
    defined = np.isfinite(areas)
    record["macro_auc"] = float(areas[defined].mean()) if defined.any() else None
    record["n_labels_scored"] = int(defined.sum())
    if use.multilabel:
        record["micro_f1"] = float(f1_score(gold, chosen, average="micro", zero_division=0.0))
    else:
        record["accuracy"] = float((gold.astype(bool) == chosen).all(axis=1).mean())
        record["largest_class"] = float(gold.mean(axis=0).max())
    record["auc"] = {
        name: float(area) if math.isfinite(area) else None
        for name, area in zip(use.names, areas, strict=True)
    }
    return record


def probability_frame(predictions: Predictions, row_ids: NDArray[Any]) -> pd.DataFrame:
    """Row and a column per label, whose names are kept even where two are the same or one is ``row``."""
    frame = pd.DataFrame(predictions.probabilities, columns=list(predictions.use.names))
    frame.insert(0, "row", row_ids, allow_duplicates=True)
    return frame


def prediction_frame(predictions: Predictions, row_ids: NDArray[Any]) -> pd.DataFrame:
    """Row, labels predicted, labels there are, and what became of these: given, held out or none."""
    use = predictions.use
    return pd.DataFrame(
        {
            "row": row_ids,
            "predicted": _joined(predictions.chosen, use.names),
            "labels": _joined(np.maximum(use.given, use.held_out) > 0, use.names),
            "status": np.where(use.is_given, "given", np.where(use.is_held_out, "held out", "unlabelled")),
        }
    )


def _joined(chosen: NDArray[np.bool_], names: tuple[str, ...]) -> list[str]:
    return [";".join(names[column] for column in np.flatnonzero(row)) for row in chosen]
