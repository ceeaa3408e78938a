"""What ``fit`` says at the end of a run of a method that predicts labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from moo_clustering.cli._job import Job

_ONE = {"samples": "sample", "documents": "document", "labels": "label", "classes": "class"}


def label_rows(job: Job, kind: str) -> list[list[str]]:
    """How many labels there are, and whose labels the fit was given."""
    use = job.labels
    if use is None:
        return []
    n_given, n_held_out = int(use.is_given.sum()), int(use.is_held_out.sum())
    what = _counted(len(use.names), "labels" if use.multilabel else "classes")
    several = ", any number each" if use.multilabel else ""
    rest = f", those of {n_held_out} score it" if n_held_out else ""
    return [["labels", f"{what}{several}; the fit was given those of {_counted(n_given, kind)}{rest}"]]


def search_rows(record: Mapping[str, Any]) -> list[list[str]]:
    """Objectives of the chosen start, and of the best of as many random ones."""
    rows = []
    if "chosen" in record:
        rows.append(["chosen", _objectives(record["chosen"])])
    if "control" in record:
        what = f"best of {record['n_random_starts']} random starts"
        rows.append(["control", f"{_objectives(record['control'])} ({what})"])
    return rows


def prediction_rows(record: Mapping[str, Any], kind: str) -> list[list[str]]:
    """How well the held-out labels are predicted."""
    found = record.get("prediction", {})
    if not found.get("n_scored"):
        return []
    n_labels, area = found["n_labels_scored"], found["macro_auc"]
    shown = "undefined: all or none of them have each label" if area is None else f"{area:.4f}"
    if area is not None and n_labels < len(found["auc"]):
        shown += f" ({n_labels} of {len(found['auc'])} labels; the others are on all or none)"
    rows = [
        ["predictions", f"of the labels of {_counted(found['n_scored'], kind)} that the fit was not given"]
    ]
    rows.append(["  macro AUC", shown])
    if "micro_f1" in found:
        rows.append(["  micro F1", f"{found['micro_f1']:.4f}"])
    else:
        rows.append(["  accuracy", f"{found['accuracy']:.4f} (largest class: {found['largest_class']:.4f})"])
    return rows


def prediction_remark(record: Mapping[str, Any]) -> str | None:
    """A sentence about predictions that nothing scores."""
    found = record.get("prediction")
    if found is None or found["n_scored"]:
        return None
    return (
        "Nothing scores the predictions, because every known label reached the fit: --hold-out 0.2 "
        "withholds a fifth of them."
    )


def _counted(number: int, what: str) -> str:
    return f"{number} {_ONE[what] if number == 1 else what}"


def _objectives(values: Mapping[str, float]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {value:.4g}" for name, value in values.items())
