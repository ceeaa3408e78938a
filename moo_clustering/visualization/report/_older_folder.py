"""What can be shown of a run that saved nothing for its report."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from moo_clustering.persistence import ArchiveError, read_archive
from moo_clustering.visualization.report._agreement import agreement
from moo_clustering.visualization.report._content import Column, ReportContent
from moo_clustering.visualization.report._folder_columns import folder_columns
from moo_clustering.visualization.report._folder_details import (
    cluster_facts,
    part_of,
    plane_of_embedding,
    run_facts,
    saved_pictures,
)
from moo_clustering.visualization.report._folder_labels import FolderLabels, read_frame
from moo_clustering.visualization.report._merge_columns import TO_RESULT
from moo_clustering.visualization.report._solutions import Solution, Solutions

RESULT = "result.npz"


def older_content(folder: Path, record: Mapping[str, Any], samples: FolderLabels) -> ReportContent:
    """The content of a report from the files of results.

    Parameters
    ----------
    folder : Path
    record : mapping
        Of the run.
    samples : FolderLabels

    Raises
    ------
    ValueError
        When the files are of different samples, or ``labels.csv`` is damaged.
    """
    missing: list[str] = []
    arrays = _arrays(folder, missing)
    front, summary = (_table(folder, name, missing) for name in ("front.csv", "alternatives_summary.csv"))
    solutions, rules = Solutions(), {}
    for row, labels in enumerate(_partitions(folder, arrays, "front_labels", samples)):
        solutions.add(Solution(labels, [f"front {row}"], member=row))
    if front is not None and len(solutions.found) != len(front):
        missing.append(_unmatched(len(front), len(solutions.found)))
        front = None
    chosen = solutions.place(samples.labels, "result", member=_chosen_member(front))
    for row, labels in enumerate(_partitions(folder, arrays, "alternative_labels", samples)):
        rule = f"alternative-{row}"
        rules[rule] = solutions.place(labels, rule)
    labels = solutions.labels
    objectives = _objectives(record)
    plane = plane_of_embedding(arrays.get("embedding"), len(samples), missing)
    if {"must_link", "cannot_link"} & set(part_of(record, "supervision")):
        missing.append("Which pairs of samples the run was given as constraints is not in its folder.")
    if not rules:
        missing.append("What the rules of choose() would take is not known without the fitted model.")
    features_title, facts = cluster_facts(folder, samples, missing)
    agreed = agreement(labels, chosen, np.random.default_rng(0))
    to_result = [Column(TO_RESULT, agreed.with_chosen)] if len(labels) > 1 else []
    return ReportContent(
        title=f"{record.get('estimator', record.get('method', 'Run'))} on {_data_name(record)}",
        facts=run_facts(record),
        sample_kind=_sample_kind(record, samples),
        sample_names=samples.names,
        names=solutions.names,
        labels=labels,
        columns=[*folder_columns(labels, front, summary, list(rules.values()), objectives), *to_result],
        chosen=chosen,
        rules=rules,
        cluster_names={} if samples.classes is None else {chosen: _class_of_clusters(samples)},
        map=plane,
        clusters={chosen: facts} if facts else {},
        features_title=features_title,
        agreement=agreed.table,
        agreement_note=agreed.note,
        history=_history(folder, missing),
        panels=saved_pictures(folder),
        missing=missing,
    )


def _arrays(folder: Path, missing: list[str]) -> dict[str, Any]:
    try:
        return read_archive(folder / RESULT)[0]
    except FileNotFoundError:
        missing.append(f"There is no {RESULT} in the folder, so that only the result itself is shown.")
    except ArchiveError:
        missing.append(f"{RESULT} is damaged, so that only the result itself is shown.")
    return {}


def _table(folder: Path, name: str, missing: list[str]) -> pd.DataFrame | None:
    if not (folder / name).is_file():
        return None
    try:
        return read_frame(folder / name)
    except ValueError:
        missing.append(f"{name} is damaged, and what it says is not shown.")
        return None


def _partitions(
    folder: Path, arrays: Mapping[str, Any], name: str, samples: FolderLabels
) -> NDArray[np.int32]:
    found = np.asarray(arrays.get(name, np.empty((0, len(samples)))))
    if found.ndim != 2 or found.shape[1] != len(samples):
        raise ValueError(
            f"{folder}: {name} in {RESULT} has shape {found.shape}, and labels.csv {len(samples)} samples; "
            "they are not of the same run"
        )
    return found.astype(np.int32)


def _unmatched(n_members: int, n_partitions: int) -> str:
    if n_partitions:
        numbers = f"front.csv has {n_members} members and {RESULT} {n_partitions}"
        return f"{numbers}, so that objectives are not shown."
    return (
        f"The front had {n_members} member{'' if n_members == 1 else 's'}, whose partitions were not saved: "
        "only the result itself is shown."
    )


def _chosen_member(front: pd.DataFrame | None) -> int | None:
    if front is None or "chosen" not in front:
        return None
    rows = np.flatnonzero(front["chosen"] == "True")
    return int(rows[0]) if len(rows) else None


def _class_of_clusters(samples: FolderLabels) -> list[str]:
    assert samples.classes is not None
    names = dict(zip(samples.labels.tolist(), samples.classes, strict=True))
    return [names.get(cluster, "") for cluster in range(int(samples.labels.max()) + 1)]


def _history(folder: Path, missing: list[str]) -> pd.DataFrame | None:
    history = _table(folder, "history.csv", missing)
    if history is None or history.shape[1] < 2 or not len(history):
        return None
    numbers = history.apply(pd.to_numeric, errors="coerce").astype(np.float64)
    return numbers.loc[:, numbers.notna().any()]


def _objectives(record: Mapping[str, Any]) -> list[str]:
    names = part_of(record, "result").get("objectives")
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def _data_name(record: Mapping[str, Any]) -> str:
    return str(part_of(record, "data").get("name", "unknown data"))


def _sample_kind(record: Mapping[str, Any], samples: FolderLabels) -> str:
    if samples.kind == "bag":
        return "bag"
    return "document" if "text" in part_of(record, "data") else "sample"
