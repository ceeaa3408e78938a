"""What a report shows as JSON for its page."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from moo_clustering.visualization._palette import look_of
from moo_clustering.visualization.report._content import ClusterFacts, Panel, PlaneMap, ReportContent
from moo_clustering.visualization.report._encode import (
    encoded_array,
    encoded_labels,
    encoded_text,
)
from moo_clustering.visualization.report._fewer import by_importance, keep_solutions

_TEXT_LENGTH = 400
_N_LOOKS = 24
_PLOTLY_MARKERS = {
    "o": "circle",
    "s": "square",
    "^": "triangle-up",
    "D": "diamond",
    "v": "triangle-down",
    "P": "cross",
    "<": "triangle-left",
    ">": "triangle-right",
}


def payload(content: ReportContent, max_bytes: int) -> dict[str, Any]:
    """Everything the page's scripts read, as values that JSON has.

    Parameters
    ----------
    content : ReportContent
    max_bytes : int
        What it may take as JSON, about. Where the labels are too many, fewer solutions are kept
        (the chosen one, those of the rules, then the best) and ``missing`` says so.

    Notes
    -----
    O(n_solutions * n_samples) time and memory; a matrix of agreement adds n_solutions².
    """
    samples = _samples(content)
    parts = _parts(content)
    room = max_bytes - _size(samples)
    n_kept = content.n_solutions
    kept = content
    while n_kept > 1 and (size := _size(parts)) > room:
        # A little less than in proportion, since what does not shrink counts too.
        n_kept = max(1, min(n_kept - 1, int(0.95 * n_kept * room / size)))
        kept = keep_solutions(content, by_importance(content)[:n_kept])
        parts = _parts(_saying_so(kept, content.n_solutions))
    return parts | samples


def _saying_so(kept: ReportContent, n_solutions: int) -> ReportContent:
    sentence = (
        f"The page holds {kept.n_solutions:,} of {n_solutions:,} solutions, so that it stays small: "
        "the chosen one, those of the rules, then the best in the objectives."
    )
    return replace(kept, missing=[*kept.missing, sentence])


def _size(values: Mapping[str, Any]) -> int:
    # Base64 is most of it; the rest are short texts.
    total = 0
    for value in values.values():
        if isinstance(value, Mapping):
            total += _size(value)
        elif isinstance(value, list | tuple):
            total += _size({str(place): entry for place, entry in enumerate(value)})
        else:
            total += len(str(value)) + 8
    return total


def _samples(content: ReportContent) -> dict[str, Any]:
    texts = content.sample_texts
    return {
        "sampleKind": content.sample_kind,
        "sampleNames": encoded_text([str(name) for name in content.sample_names]),
        "sampleTexts": None if texts is None else encoded_text([_beginning(str(text)) for text in texts]),
        "map": None if content.map is None else _map(content.map),
        "mustLink": encoded_array(np.reshape(content.must_link, (-1, 2)), "uint32"),
        "cannotLink": encoded_array(np.reshape(content.cannot_link, (-1, 2)), "uint32"),
        "history": None if content.history is None else _history(content.history),
        "panels": [_panel(panel) for panel in content.panels],
        "looks": _looks(),
    }


def _parts(content: ReportContent) -> dict[str, Any]:
    columns = [np.asarray(column.values, dtype=np.float64) for column in content.columns]
    return {
        "title": content.title,
        "facts": [[str(name), str(value)] for name, value in content.facts],
        "missing": [str(sentence) for sentence in content.missing],
        "names": [str(name) for name in content.names],
        "runs": [str(run) for run in content.runs],
        "labels": encoded_labels(content.labels),
        "columns": [
            {
                "name": column.name,
                "isObjective": column.is_objective,
                "greaterIsBetter": column.greater_is_better,
            }
            for column in content.columns
        ],
        "values": encoded_array(np.reshape(columns, (len(columns), content.n_solutions)), "float64"),
        "chosen": int(content.chosen),
        "rules": [[rule, int(row)] for rule, row in content.rules.items()],
        "clusterNames": {
            str(row): [str(name) for name in names] for row, names in content.cluster_names.items()
        },
        "clusters": {
            str(row): [_cluster(facts) for facts in clusters] for row, clusters in content.clusters.items()
        },
        "featuresTitle": content.features_title,
        "agreement": None if content.agreement is None else encoded_array(content.agreement, "float32"),
        "agreementNote": content.agreement_note,
    }


def _beginning(text: str) -> str:
    return text if len(text) <= _TEXT_LENGTH else text[: _TEXT_LENGTH - 1] + "…"


def _map(plane: PlaneMap) -> dict[str, Any]:
    return {
        "positions": encoded_array(plane.positions, "float32"),
        "rows": encoded_array(plane.rows, "uint32"),
        "axes": [str(axis) for axis in plane.axes],
        "note": plane.note,
    }


def _cluster(facts: ClusterFacts) -> dict[str, Any]:
    return {
        "silhouette": _number(facts.silhouette),
        "typical": [int(row) for row in facts.typical],
        "features": [[str(name), _number(weight)] for name, weight in facts.features],
    }


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _history(history: pd.DataFrame) -> dict[str, Any]:
    numbers = [_numbers(history.iloc[:, place]) for place in range(history.shape[1])]
    return {
        "columns": [str(name) for name in history.columns],
        "values": encoded_array(np.reshape(numbers, (len(numbers), len(history))), "float64"),
    }


def _numbers(column: pd.Series[Any]) -> NDArray[np.float64]:
    return np.asarray(pd.to_numeric(column, errors="coerce"), dtype=np.float64)


def _panel(panel: Panel) -> dict[str, Any]:
    return {
        "kind": panel.kind,
        "title": panel.title,
        "note": panel.note,
        "axes": [str(axis) for axis in panel.axes],
        "x": [_entry(value) for value in panel.x],
        "y": [_entry(value) for value in panel.y],
        "series": [
            {"name": str(name), "x": encoded_array(x, "float64"), "y": encoded_array(y, "float64")}
            for name, (x, y) in panel.series.items()
        ],
        "matrix": None if panel.matrix is None else encoded_array(panel.matrix, "float32"),
        "image": base64.b64encode(panel.image).decode("ascii"),
    }


def _entry(value: str | float) -> str | float | None:
    return str(value) if isinstance(value, str) else _number(value)


def _looks() -> list[dict[str, str]]:
    looks = [look_of(cluster) for cluster in range(_N_LOOKS)]
    return [{"color": look.color, "symbol": _PLOTLY_MARKERS[look.marker]} for look in looks]
