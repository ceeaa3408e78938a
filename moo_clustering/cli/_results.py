"""Files of a run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from moo_clustering.cli._bag_samples import BagSamples
from moo_clustering.cli._folder import LABELS
from moo_clustering.cli._satisfied import satisfied_shares
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
    return files + _draw(folder, estimator, table.name, front, history)


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
        "run_labels": "run_labels_",
        "run_losses": "run_losses_",
        "association": "association_",
        "confidence": "confidence_",
    }
    arrays = {name: getattr(estimator, attribute, None) for name, attribute in kept.items()}
    # As a property it may cost as much again as the fit.
    arrays["front_labels"] = vars(estimator).get("pareto_labels_")
    return {
        name: sparse.csr_array(value) if sparse.issparse(value) else np.asarray(value)
        for name, value in arrays.items()
        if value is not None
    }


def front_frame(estimator: Any, supervision: Mapping[str, Any]) -> pd.DataFrame | None:
    """Members of the front: number, objectives in natural sign, and, where their partitions are known,
    shares of the satisfied constraints and whether it is the partition given.
    """
    front = getattr(estimator, "pareto_front_", None)
    if front is None:
        return None
    frame = pd.DataFrame({"member": np.arange(len(front))})
    for number, name in enumerate(estimator.objective_names_):
        frame[name] = front[:, number]
    partitions = vars(estimator).get("pareto_labels_")
    if partitions is not None:
        for name, shares in satisfied_shares(partitions, supervision).items():
            frame[name] = shares
        chosen = _chosen(estimator, np.asarray(partitions))
        frame["chosen"] = False if chosen is None else frame["member"] == chosen
    return frame


def _chosen(estimator: Any, partitions: NDArray[Any]) -> int | None:
    """Row of the member that the estimator took; None if it took another solution."""
    if hasattr(estimator, "chosen_"):
        return estimator.chosen_
    same = np.flatnonzero((partitions == estimator.labels_).all(axis=1))
    return int(same[0]) if len(same) else None


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


def _draw(
    folder: Path, estimator: Any, name: str, front: pd.DataFrame | None, history: pd.DataFrame | None
) -> list[str]:
    import matplotlib as mpl

    mpl.use("Agg")
    from moo_clustering.visualization import plot_front, plot_similarity

    files = []
    if front is not None and len(front):
        chosen = front["chosen"].to_numpy() if "chosen" in front else None
        plot_front(estimator.pareto_front_, estimator.objective_names_, chosen, path=folder / "front.png")
        files.append("front.png")
    if getattr(estimator, "similarity_", None) is not None:
        plot_similarity(
            estimator.similarity_,
            estimator.labels_,
            getattr(estimator, "eigenvalues_", ()),
            getattr(estimator, "embedding_", None),
            title=f"{type(estimator).__name__}, {name}",
            path=folder / "similarity.png",
        )
        files.append("similarity.png")
    if history is not None and len(history) > 1:
        _draw_history(history, folder / "history.png")
        files.append("history.png")
    return files


def _draw_history(history: pd.DataFrame, path: Path) -> None:
    from moo_clustering.visualization import plot_history
    from moo_clustering.visualization._figures import save_figure

    if "sweep" not in history:
        plot_history(history, path=path)
        return
    figure = plot_history(
        history.rename(columns={"sweep": "generation", "objective": "objective (it need not fall)"})
    )
    figure.axes[-1].set_xlabel("sweep")
    save_figure(figure, path)
