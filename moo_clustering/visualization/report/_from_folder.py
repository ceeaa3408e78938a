"""The content of a report from the folder of a run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from moo_clustering.cli._folder import CONTENT, FORMAT, LABELS, RECORD
from moo_clustering.persistence import ArchiveError
from moo_clustering.visualization.report._archive import load_content
from moo_clustering.visualization.report._content import ReportContent
from moo_clustering.visualization.report._folder_labels import read_labels
from moo_clustering.visualization.report._older_folder import older_content

_NO_RESULT = {
    "running": "holds a run that is still going on or was killed, and has no result yet",
    "interrupted": "holds a run that was interrupted before it had a result",
}

_OTHER_LABELS = f"{LABELS} has other labels than the result shown here: it was changed after the run."


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
