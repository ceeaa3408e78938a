"""Reports of run folders (older ones included)."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from moo_clustering.cli.folder import CONTENT, FORMAT, LABELS, RECORD
from moo_clustering.persistence import ArchiveError, read_archive
from moo_clustering.validity.registry import INDICES
from moo_clustering.visualization.report.content import (
    ClusterFacts,
    Column,
    Panel,
    PlaneMap,
    ReportContent,
    Solution,
    Solutions,
    size_columns,
)
from moo_clustering.visualization.report.describe import agreement
from moo_clustering.visualization.report.page import TO_RESULT, load_content

_NO_RESULT = {
    "running": "holds a run that is still going on or was killed, and has no result yet",
    "interrupted": "holds a run that was interrupted before it had a result",
}
_OTHER_LABELS = f"{LABELS} has other labels than the result shown here: it was changed after the run."
# A run writes a handful; a table of a hundred thousand takes ten seconds to find out that it is none.
_MOST_COLUMNS = 1000
RESULT = "result.npz"
_NO_NUMBERS = {"member", "chosen", "n_clusters", "alternative", "family", "ari_to_labels"}
_TITLES = {
    "must_link_satisfied": "must-links satisfied",
    "cannot_link_satisfied": "cannot-links satisfied",
}
# Beside validity indices; what else a run optimises is to be small.
_GREATER = {"ari", "sep", "score", "attainment", "must_link_satisfied", "cannot_link_satisfied"}
# Pictures in the order in which they are shown: title, and what is to be seen.
_PICTURES = {
    "partition.png": ("The result in the plane", "Samples in the plane, coloured by cluster."),
    "similarity.png": ("Similarity", "Matrix of similarities in the order of clusters, with eigenvalues."),
    "terms.png": ("Leading terms", "Bars of the mean weights of the leading terms of every cluster."),
    "bag_distances.png": ("Distances between bags", "Matrix of distances in the order of clusters."),
    "bag_embedding.png": ("Bags in the plane", "Bags in the plane, coloured by cluster."),
    "roc.png": ("ROC curves", "True over false positive rate of the predicted labels."),
    "attainment.png": ("Attainment", "The front and those of data without clusters."),
}
_PNG = b"\x89PNG\r\n\x1a\n"
_MOST_BYTES = 3_000_000


def folder_content(path: str | PathLike[str]) -> ReportContent:
    """What there is to show of a run.

    Parameters
    ----------
    path : path-like
        Folder that ``moo-clustering fit`` or ``demo`` wrote, of this version or an older one.

    Returns
    -------
    ReportContent
        As the run saved it; of older folders, and of such with damaged or missing files, what can be put
        together from the others. ``missing`` says what cannot be shown.

    Raises
    ------
    ValueError
        When it is no folder of a run, the run has no result, or its files are of different samples.

    Notes
    -----
    Nothing is written. O(size of the files) time; of older folders the agreement of all partitions is
    computed.
    """
    folder = Path(path)
    record = run_record(folder)
    saved, why = _saved(folder)
    labels = read_labels(folder) if (folder / LABELS).is_file() else None
    if saved is not None:
        if labels is not None and len(labels) != saved.n_samples:
            raise ValueError(
                f"{folder}: {LABELS} has {len(labels)} samples and {CONTENT} {saved.n_samples}; "
                "they are not of the same run"
            )
        if labels is not None and not np.array_equal(labels.labels, saved.labels[saved.chosen]):
            saved = replace(saved, missing=[*saved.missing, _OTHER_LABELS])
        return _with_status(saved, record)
    if labels is None:
        no_result = _NO_RESULT.get(
            record["status"], f"holds a run without {LABELS}, so that there is no result"
        )
        raise ValueError(f"{folder} {no_result}")
    content = older_content(folder, record, labels)
    return _with_status(replace(content, missing=[why, *content.missing]), record)


def run_record(folder: Path) -> dict[str, Any]:
    """The record of a run.

    Raises
    ------
    ValueError
        When the folder is none of a run.
    """
    if not folder.is_dir():
        what = "is a file, not a folder of a run" if folder.exists() else "does not exist"
        raise ValueError(f"{folder} {what}")
    if not (folder / RECORD).is_file():
        raise ValueError(f"{folder} is not the folder of a run: it has no {RECORD}")
    try:
        record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        known = record["format"] == FORMAT and isinstance(record["status"], str)
    except (ValueError, KeyError, TypeError, RecursionError):
        known = False
    if not known:
        raise ValueError(
            f"{folder} is not the folder of a run: its {RECORD} is of something else, or damaged"
        )
    found: dict[str, Any] = record
    return found


def status_sentence(record: Mapping[str, Any]) -> str | None:
    """What to say of a run that did not end by itself."""
    if record["status"] == "interrupted":
        return "The run was interrupted: this is what it had found by then."
    if record["status"] == "running":
        return "The run is still going on, or was killed: this is what it has saved so far."
    return None


def _saved(folder: Path) -> tuple[ReportContent | None, str]:
    """What the run saved for its report, or why there is nothing."""
    try:
        return load_content(folder / CONTENT), ""
    except FileNotFoundError:
        return None, (
            f"There is no {CONTENT} in the folder, as in those of older versions and of runs with "
            "--no-report: the page was put together from the other files, without the data."
        )
    except ArchiveError as error:
        reason = str(error).removeprefix(f"{folder / CONTENT} ")
        return None, f"{CONTENT} {reason}. The page was put together from the other files, without the data."


def _with_status(content: ReportContent, record: Mapping[str, Any]) -> ReportContent:
    sentence = status_sentence(record)
    if sentence is None or sentence in content.missing:
        return content
    return replace(content, missing=[sentence, *content.missing])


class FolderLabels(NamedTuple):
    """What ``labels.csv`` says.

    Attributes
    ----------
    kind : str
        Name of the first column.
    names : ndarray of shape (n_samples,) of str
    labels : ndarray of shape (n_samples,), int32
    classes : list of str or None
        Class of every sample by its cluster, where clusters have classes.
    """

    kind: str
    names: NDArray[np.str_]
    labels: NDArray[np.int32]
    classes: list[str] | None

    def __len__(self) -> int:
        return len(self.labels)


def read_labels(folder: Path) -> FolderLabels:
    """Names and labels of the samples of a run.

    Raises
    ------
    ValueError
        When the file is damaged or has no labels.
    """
    frame = read_frame(folder / LABELS)
    if frame.shape[1] < 2 or "label" not in frame:
        raise ValueError(f"{folder / LABELS} is damaged: it has no columns of names and of labels")
    if not len(frame):
        raise ValueError(f"{folder / LABELS} has no samples")
    numbers = pd.to_numeric(frame["label"], errors="coerce").to_numpy(dtype=np.float64)
    # Clusters are numbered from 0, and -1 is a sample in none.
    wrong = ~((numbers >= -1) & (numbers < len(frame)) & (numbers == np.floor(numbers)))
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        said = str(frame["label"].iloc[row])[:60]
        raise ValueError(
            f"{folder / LABELS} is damaged: row {row + 1} has the label {said!r}; "
            f"labels are whole numbers from -1 to {len(frame) - 1}"
        )
    classes = list(frame["class"]) if "class" in frame else None
    kind = str(frame.columns[0])
    return FolderLabels(kind, frame[kind].to_numpy(dtype=np.str_), numbers.astype(np.int32), classes)


def read_frame(path: Path) -> pd.DataFrame:
    """A table of text as the run wrote it.

    Raises
    ------
    ValueError
        When it cannot be read.
    """
    with open(path, "rb") as file:
        if file.readline().count(b",") > _MOST_COLUMNS:
            raise ValueError(f"{path} is damaged: it has more than {_MOST_COLUMNS} columns")
    try:
        return pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8")
    except (ValueError, pd.errors.ParserError) as error:  # empty files and other encodings among them
        raise ValueError(f"{path} is damaged: {' '.join(str(error).split())}") from error


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


def folder_columns(
    labels: NDArray[np.int32],
    front: pd.DataFrame | None,
    summary: pd.DataFrame | None,
    alternatives: Sequence[int],
    objectives: Collection[str],
) -> list[Column]:
    """Objectives, numbers of clusters and what else is in the tables.

    Parameters
    ----------
    labels : ndarray of shape (n_solutions, n_samples)
        Members of the front first.
    front : DataFrame or None
        A row for each of them.
    summary : DataFrame or None
        A row for every alternative.
    alternatives : sequence of int
        Solutions that they are.
    objectives : collection of str
        Names of columns that the run optimised.
    """
    values: dict[str, NDArray[np.float64]] = {}
    tables = [] if front is None else [(front, np.arange(len(front)))]
    if summary is not None and len(summary) == len(alternatives):
        tables.append((summary, np.asarray(alternatives, dtype=np.intp)))
    for table, rows in tables:
        for name in [name for name in table if name not in _NO_NUMBERS]:
            column = values.setdefault(str(name), np.full(len(labels), np.nan))
            found = pd.to_numeric(table[name], errors="coerce").to_numpy(dtype=np.float64)
            # What the front says of a partition stands.
            column[rows] = np.where(np.isnan(column[rows]), found, column[rows])
    leading = [name for name in objectives if name in values]
    others = [name for name in values if name not in leading]
    return [
        *(Column(name, values[name], True, _is_greater_better(name) or False) for name in leading),
        *size_columns(labels),
        *(Column(_TITLES.get(name, name), values[name], False, _is_greater_better(name)) for name in others),
    ]


def _is_greater_better(name: str) -> bool | None:
    """None where the name does not tell."""
    if name in INDICES:
        return bool(INDICES[name].greater_is_better)
    return True if name in _GREATER else None


def run_facts(record: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Method, data and time, as far as the record has them."""
    data = part_of(record, "data")
    facts = {
        "method": record.get("estimator", record.get("method")),
        "random state": record.get("seed"),
        "samples": data.get("n_samples"),
        "features": data.get("n_features"),
        "data": data.get("name"),
        "seconds of the fit": _seconds(record),
        "moo_clustering": part_of(record, "environment").get("moo_clustering"),
    }
    return [(name, str(value)) for name, value in facts.items() if value is not None]


def part_of(record: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """A part of a record that holds several things; nothing where it is something else."""
    part = record.get(name)
    return part if isinstance(part, dict) else {}


def _seconds(record: Mapping[str, Any]) -> str | None:
    spent = part_of(record, "timings").get("fit")
    return f"{spent:.1f}" if isinstance(spent, int | float) else None


def plane_of_embedding(embedding: Any, n_samples: int, missing: list[str]) -> PlaneMap | None:
    """Two principal components of an embedding that the run saved; a sentence where there is no map."""
    without = "There is no map of the samples: "
    if embedding is None:
        missing.append(f"{without}the folder has neither the data nor an embedding of them.")
        return None
    found: NDArray[Any] = np.asarray(embedding)
    if found.ndim != 2 or len(found) != n_samples or not found.shape[1]:
        missing.append(f"{without}the embedding has shape {found.shape}, for {n_samples} samples.")
        return None
    rows = np.flatnonzero(np.isfinite(found).all(axis=1))
    if not len(rows):
        missing.append(f"{without}the embedding has NaN or infinite values in every row.")
        return None
    note = "Principal components of the embedding that the run found."
    if len(rows) < n_samples:
        note += f" {n_samples - len(rows)} samples have NaN or infinite values there and are left out."
    centred = found[rows] - found[rows].mean(axis=0)
    left, stretch, _ = np.linalg.svd(centred, full_matrices=False)
    positions = np.zeros((len(rows), 2))
    kept = min(2, len(stretch))
    positions[:, :kept] = left[:, :kept] * stretch[:kept]
    return PlaneMap(positions, rows, ("first component", "second component"), note)


def cluster_facts(folder: Path, samples: FolderLabels, missing: list[str]) -> tuple[str, list[ClusterFacts]]:
    """Typical documents and leading terms or values of the clusters of the result, and what these are."""
    path = folder / "clusters.csv"
    if not path.is_file():
        missing.append("What is typical of the clusters is not in the folder.")
        return "features", []
    try:
        frame = read_frame(path)
        clusters = frame["cluster"].astype(int).to_numpy()
    except (ValueError, KeyError, OverflowError):
        missing.append("clusters.csv is damaged, and what it says is not shown.")
        return "features", []
    column = next((name for name in ("terms", "typical values") if name in frame), None)
    facts = [ClusterFacts() for _ in range(int(samples.labels.max()) + 1)]
    for place, cluster in enumerate(clusters):
        if 0 <= cluster < len(facts):
            facts[cluster] = ClusterFacts(
                typical=_typical(frame, place, samples),
                features=() if column is None else _features(column, frame[column].iloc[place]),
            )
    return {"terms": "leading terms", "typical values": "typical values"}.get(column or "", "features"), facts


def _typical(frame: pd.DataFrame, place: int, samples: FolderLabels) -> tuple[int, ...]:
    if "document" not in frame:
        return ()
    return tuple(np.flatnonzero(samples.names == frame["document"].iloc[place])[:1].tolist())


def _features(column: str, text: str) -> tuple[tuple[str, float], ...]:
    parts = text.split() if column == "terms" else text.split("; ")
    return tuple((part, float("nan")) for part in parts if part)


def saved_pictures(folder: Path) -> list[Panel]:
    """Pictures of the run, without those that the page draws itself."""
    panels = []
    for name, (title, note) in _PICTURES.items():
        path = folder / name
        if path.is_file() and path.stat().st_size <= _MOST_BYTES:
            image = path.read_bytes()
            if image.startswith(_PNG):
                panels.append(Panel("image", title, note, image=image))
    return panels
