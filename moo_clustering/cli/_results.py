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
        return _save_bags(folder, estimator, table, record)
    files = [LABELS, "result.npz"]
    _write_csv(folder / LABELS, pd.DataFrame({"row": table.row_ids, "label": estimator.labels_}))
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


def _save_bags(folder: Path, estimator: Any, bags: BagSamples, record: Mapping[str, Any]) -> list[str]:
    # Loaded here because most runs have no bags.
    from moo_clustering.cli._bag_results import bag_arrays, bag_history, draw_bags

    _write_csv(folder / LABELS, pd.DataFrame({"bag": bags.row_ids, "label": estimator.labels_}))
    write_archive(folder / "result.npz", result_arrays(estimator) | bag_arrays(estimator), record)
    history = bag_history(estimator)
    _write_csv(folder / "history.csv", history)
    return [LABELS, "result.npz", "history.csv", *draw_bags(folder, estimator, bags, history)]


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


def history_frame(estimator: Any) -> pd.DataFrame | None:
    """The course of the search."""
    history = getattr(estimator, "history_", None)
    if history is None:
        return None
    if isinstance(history, np.ndarray):
        return pd.DataFrame({"sweep": np.arange(1, len(history) + 1), "objective": history})
    return history.to_frame(getattr(estimator, "objective_names_", None))


def _write_csv(path: Path, frame: pd.DataFrame) -> None:
    safe = frame.map(lambda cell: cell.translate(_ODD) if isinstance(cell, str) else cell)
    with replacing(path) as file:
        safe.to_csv(file, index=False, lineterminator="\n", encoding="utf-8")
