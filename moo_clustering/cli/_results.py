"""Files of a run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from moo_clustering.cli._bag_samples import BagSamples
from moo_clustering.cli._folder import LABELS
from moo_clustering.cli._front import front_frame, kept_partitions
from moo_clustering.cli._pictures import draw
from moo_clustering.datasets import Documents, MultiLabelTable, Table
from moo_clustering.estimators._history_frame import bag_history, history_frame
from moo_clustering.persistence import write_archive
from moo_clustering.persistence._atomic import replacing

# What a reader of tables would take for the end of a row or of the file.
_ODD = str.maketrans({"\r": "\n", "\0": "\N{REPLACEMENT CHARACTER}"})


def save_results(
    folder: Path,
    estimator: Any,
    table: Table | Documents | BagSamples | MultiLabelTable,
    record: Mapping[str, Any],
    *,
    supervision: Mapping[str, Any],
    frames: Mapping[str, pd.DataFrame],
    arrays: Mapping[str, Any],
) -> list[str]:
    """Write what a fitted estimator has to tell, each file whole or not at all.

    Parameters
    ----------
    folder : Path
    estimator : fitted estimator
        With ``labels_``; ``pareto_front_``, ``history_``, ``similarity_`` and the like where there are.
    table : Table, Documents, BagSamples or MultiLabelTable
    record : mapping
        Metadata for ``result.npz``.
    supervision : mapping
        What ``fit`` was given besides the data.
    frames : mapping of str to DataFrame
        More tables by the names of their files.
    arrays : mapping of str to array
        More arrays for ``result.npz``.

    Returns
    -------
    list of str
        Names of the files.
    """
    if isinstance(table, BagSamples):
        return _save_bags(folder, estimator, table, record, supervision, frames, arrays)
    files = [LABELS, "result.npz"]
    _write_csv(folder / LABELS, _labels("row", table.row_ids, estimator.labels_, record))
    write_archive(folder / "result.npz", {**result_arrays(estimator), **arrays}, record)
    for name, frame in frames.items():
        _write_csv(folder / name, frame)
        files.append(name)
    front = front_frame(estimator, supervision)
    if front is not None:
        _write_csv(folder / "front.csv", front)
        files.append("front.csv")
    history = history_frame(estimator)
    if history is not None:
        _write_csv(folder / "history.csv", history)
        files.append("history.csv")
    return files + draw(folder, estimator, table.name, front, history)


def _save_bags(
    folder: Path,
    estimator: Any,
    bags: BagSamples,
    record: Mapping[str, Any],
    supervision: Mapping[str, Any],
    frames: Mapping[str, pd.DataFrame],
    arrays: Mapping[str, Any],
) -> list[str]:
    # Loaded here because most runs have no bags.
    from moo_clustering.cli._bag_results import bag_arrays, draw_bags

    files = [LABELS, "result.npz"]
    _write_csv(folder / LABELS, _labels("bag", bags.row_ids, estimator.labels_, record))
    kept = result_arrays(estimator) | bag_arrays(estimator) | dict(arrays)
    write_archive(folder / "result.npz", kept, record)
    tables = {name: frame.rename(columns={"row": "bag"}) for name, frame in frames.items()}
    front = front_frame(estimator, supervision)
    if front is not None:
        tables["front.csv"] = front
    history = bag_history(estimator)
    if history is not None:
        tables["history.csv"] = history
    for name, frame in tables.items():
        _write_csv(folder / name, frame)
    files += [*tables, *draw_bags(folder, estimator, bags, history)]
    return files + ([] if front is None else draw(folder, estimator, bags.name, front, None))


def _labels(kind: str, ids: Any, labels: Any, record: Mapping[str, Any]) -> pd.DataFrame:
    """Label of every row or bag, and the name of its class where clusters have one."""
    frame = pd.DataFrame({kind: ids, "label": labels})
    if "classes" in record:
        frame["class"] = np.array(record["classes"], dtype=object)[labels]
    return frame


def result_arrays(estimator: Any) -> dict[str, Any]:
    """Arrays of a fitted estimator that are kept."""
    kept = {
        "labels": "labels_",
        "similarity": "similarity_",
        "embedding": "embedding_",
        "eigenvalues": "eigenvalues_",
        "front": "pareto_front_",
        "front_neighbors": "pareto_neighbors_",
        "front_n_clusters": "pareto_K_",
        "attainment": "attainment_scores_",
        "run_labels": "run_labels_",
        "run_losses": "run_losses_",
        "association": "association_",
        "confidence": "confidence_",
    }
    arrays = {name: getattr(estimator, attribute, None) for name, attribute in kept.items()}
    arrays["front_labels"] = kept_partitions(estimator)
    return {
        name: sparse.csr_array(value) if sparse.issparse(value) else np.asarray(value)
        for name, value in arrays.items()
        if value is not None
    }


def _write_csv(path: Path, frame: pd.DataFrame) -> None:
    safe = frame.map(lambda cell: cell.translate(_ODD) if isinstance(cell, str) else cell)
    with replacing(path) as file:
        safe.to_csv(file, index=False, lineterminator="\n", encoding="utf-8")
