"""The report of a run that has just ended."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from moo_clustering.cli._bag_samples import BagSamples
from moo_clustering.cli._errors import one_line
from moo_clustering.cli._features import TextFeatures
from moo_clustering.cli._folder import CONTENT, REPORT
from moo_clustering.cli._job import Job
from moo_clustering.cli._prepared import PreparedSamples
from moo_clustering.datasets import CategoryTable, Documents, Table

_TEXT_LENGTH = 160
_SHOWN_COLUMNS = 8
# Of larger tables the texts would be most of the page.
_MOST_ROWS = 20_000


def save_report(folder: Path, job: Job, record: Mapping[str, Any], extra: Mapping[str, Any]) -> list[str]:
    """Write the content of the report of a fitted job, and its page.

    Whatever goes wrong is a warning: the results are saved by then.

    Parameters
    ----------
    folder : Path
    job : Job
    record : mapping
        Of the run.
    extra : mapping
        More keyword arguments of ``report_content``.

    Returns
    -------
    list of str
        Names of the files written.
    """
    # Loaded here because drawing takes a second to import.
    from moo_clustering.visualization.report._archive import save_content
    from moo_clustering.visualization.report._from_estimator import report_content
    from moo_clustering.visualization.report._from_folder import status_sentence
    from moo_clustering.visualization.report._render import write_report

    files: list[str] = []
    try:
        content = report_content(job.estimator, **report_arguments(job, record), **extra)
        sentence = status_sentence(record)
        if sentence is not None:
            content = replace(content, missing=[sentence, *content.missing])
        save_content(folder / CONTENT, content)
        files.append(CONTENT)
        write_report(content, folder / REPORT)
        files.append(REPORT)
    except KeyboardInterrupt:
        _warn("it was interrupted")
    except Exception as error:  # a figure is not worth a run, whatever is wrong with it
        _warn(f"{type(error).__name__}: {one_line(error)}")
    return files


def _warn(why: str) -> None:
    warnings.warn(
        f"{REPORT} could not be made ({why}); the results are saved, and `moo-clustering report` makes a "
        "page of them",
        UserWarning,
        stacklevel=3,
    )


def report_arguments(job: Job, record: Mapping[str, Any]) -> dict[str, Any]:
    """Data, names and what was known of the samples, as ``report_content`` takes them."""
    table = job.table
    y = job.supervision.get("y")
    return {
        **_features(job),
        "title": f"{type(job.estimator).__name__} on {table.name}",
        "sample_names": np.asarray(table.row_ids).astype(str).tolist(),
        "sample_texts": _texts(job),
        "sample_kind": _kind(job),
        "class_names": _class_names(job),
        "y": None if y is None or np.ndim(y) != 1 else y,
        "must_link": job.supervision.get("must_link"),
        "cannot_link": job.supervision.get("cannot_link"),
        "facts": _facts(job, record),
    }


def _kind(job: Job) -> str:
    if isinstance(job.data, BagSamples):
        return "bag"
    return "document" if isinstance(job.table, Documents) else "sample"


def _features(job: Job) -> dict[str, Any]:
    data = job.data
    if isinstance(data, TextFeatures):
        # Terms say more of a cluster than components do.
        return {"X": data.weights, "feature_names": job.feature_names}
    if isinstance(data, BagSamples):
        return {"X": data.X}
    if isinstance(data, CategoryTable):
        return {"X": data.X}
    return {"X": data.X, "feature_names": job.feature_names}


def _class_names(job: Job) -> list[str] | None:
    names = getattr(job.table, "partial_names", ()) or (() if job.labels is None else job.labels.names)
    return list(map(str, names)) or None


def _facts(job: Job, record: Mapping[str, Any]) -> list[tuple[str, str]]:
    facts = [("data", job.table.name)]
    if job.why:
        facts.append(("method taken", job.why))
    facts += [
        (f"{name.replace('_', ' ')} against known classes", f"{value:.3f}")
        for name, value in record.get("scores", {}).items()
    ]
    return [*facts, ("seconds of the fit", f"{record['timings']['fit']:.1f}")]


def _texts(job: Job) -> list[str] | None:
    """What helps to recognise a sample: the beginning of a document, some cells of a row."""
    if isinstance(job.table, Documents):
        titles = job.table.titles or [""] * len(job.table.texts)
        return [_beginning(title, text) for title, text in zip(titles, job.table.texts, strict=True)]
    columns = _columns(job)
    if columns is None or not columns.shape[1] or len(columns) > _MOST_ROWS:
        return None
    return _rows(columns)


def _columns(job: Job) -> pd.DataFrame | None:
    """The table as it was given."""
    if isinstance(job.data, PreparedSamples):
        return job.data.columns
    if isinstance(job.data, CategoryTable):
        return pd.DataFrame(job.data.X)
    if isinstance(job.data, Table):
        return pd.DataFrame(job.data.X, columns=list(job.data.feature_names))
    return None


def _beginning(title: str, text: str) -> str:
    title, text = one_line(title), one_line(text[: 4 * _TEXT_LENGTH])
    # Readers put the title before the text, as it is part of what is clustered.
    text = text.removeprefix(title).lstrip()
    between = " " if title.endswith((".", "?", "!", ":")) else ": "
    whole = f"{title}{between}{text}" if title and text else title or text
    return whole if len(whole) <= _TEXT_LENGTH else f"{whole[: _TEXT_LENGTH - 3].rstrip()}..."


def _rows(columns: pd.DataFrame) -> list[str]:
    shown = columns.iloc[:, :_SHOWN_COLUMNS]
    more = ", ..." if columns.shape[1] > _SHOWN_COLUMNS else ""
    cells = [[f"{name} {_cell(value)}" for value in column.tolist()] for name, column in shown.items()]
    return [f"{', '.join(row)}{more}" for row in zip(*cells, strict=True)]


def _cell(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else one_line(value)
