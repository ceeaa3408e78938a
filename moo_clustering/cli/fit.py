"""The command ``fit``: read, fit, save, report."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd

from moo_clustering.cli.describe import describe
from moo_clustering.cli.errors import INTERRUPTED, one_line, shown_warnings
from moo_clustering.cli.folder import (
    CHECKPOINT,
    CONTENT,
    REPORT,
    RunFolder,
    open_folder,
    save_results,
    with_status,
)
from moo_clustering.cli.job import (
    Job,
    build_estimator,
    choose_method,
    estimator_input,
    parameters_of,
    parse_settings,
    supervise,
    units_note,
    writes_checkpoints,
)
from moo_clustering.cli.load import BagSamples, PreparedSamples, TextFeatures, load_data, prepares
from moo_clustering.cli.summary import summary
from moo_clustering.datasets import CategoryTable, Documents, Table
from moo_clustering.estimators._methods import find_method

# Samples from which on the recommended method takes so long that one may doubt whether it goes on.
LONG = 1000
_TEXT_LENGTH = 160
_SHOWN_COLUMNS = 8
# Of larger tables the texts would be most of the page.
_MOST_ROWS = 20_000


def run_fit(
    data: str,
    out: Path,
    *,
    method: str | None,
    n_clusters: int | None,
    settings: Sequence[str],
    bag: str | None,
    labels: str | None,
    partial_labels: str | None,
    hold_out: float | None,
    label_file: Path | None,
    must_link: str | None,
    cannot_link: str | None,
    id_column: str | None,
    drop: Sequence[str],
    text_columns: str | None,
    min_df: float | None,
    max_df: float | None,
    svd: int | None,
    n_features: int | None,
    stemmer: str | None,
    seed: int,
    jobs: int | None,
    checkpoint_every: int | None,
    resume: bool,
    no_report: bool,
    quiet: bool,
) -> None:
    """Read the data, fit the method, write the folder ``out`` and print the summary.

    Parameters are the options of the command. The command ends with exit code 130 after an interruption.
    """
    started = time.perf_counter()
    folder = open_folder(out, resume=resume)
    choice = choose_method(method, data, bag)
    found, preset = find_method(choice.name)
    estimator_class = found.load()
    options = parse_settings(settings, found.name, estimator_class)
    with shown_warnings() as notices:
        table = load_data(
            data,
            found,
            bag=bag,
            label_file=label_file,
            text_columns=text_columns,
            labels=labels,
            partial_labels=partial_labels,
            id_column=id_column,
            drop=drop,
            prepares=prepares(found, options),
        )
    if isinstance(table, PreparedSamples):
        options.setdefault("scale", "none")  # columns have equal weights by now
        for line in () if quiet else table.notes:
            click.echo(f"Note: {line}", err=True)
    values = {name: option.default for name, option in parameters_of(estimator_class).items()}
    checkpointing = checkpoint_every is not None or (
        # A killed run that left nothing but its record is started over, whatever the method.
        resume and (not folder.killed or writes_checkpoints(found, values | preset | options))
    )
    estimator = build_estimator(
        found,
        estimator_class,
        preset | options,
        n_clusters=n_clusters,
        seed=seed,
        n_jobs=jobs,
        verbose=not quiet,
        checkpoint=folder.checkpoint if checkpointing else None,
        checkpoint_every=checkpoint_every,
    )
    given = estimator_input(
        found,
        estimator,
        table,
        seed,
        quiet,
        hold_out=hold_out,
        n_features=n_features,
        min_df=min_df,
        max_df=max_df,
        svd=svd,
        stemmer=stemmer,
    )
    notices += given.warnings
    if not quiet and "scale" not in options and (note := units_note(estimator, given.data)):
        click.echo(note, err=True)
    job = Job(
        "fit",
        found,
        estimator,
        given.data,
        seed,
        given.labels,
        notices=notices,
        started=started,
        why=choice.why,
    )
    supervise(job, partial_labels, must_link, cannot_link)
    if resume and not folder.resumed and not quiet:
        click.echo(f"Nothing to resume in {out}: starting from the beginning.", err=True)
    if not quiet and job.table.n_samples > LONG and found.prepares:
        click.echo(f"Clustering {job.table.n_samples} samples, which may take some minutes ...", err=True)
    outcome = run_job(job, folder, with_report=not no_report)
    if not quiet:
        click.echo(summary(job, outcome.record, outcome.clusters, out))
    if outcome.interrupted:
        has_result = "result" in outcome.record
        saved = "the result so far is saved" if has_result else "there is no result yet"
        next_step = after_interruption(folder, job, has_result=has_result)
        click.echo(f"Interrupted: {saved}; {next_step}.", err=True)
        click.get_current_context().exit(INTERRUPTED)


@dataclass(frozen=True)
class Outcome:
    """The result of a run.

    Parameters
    ----------
    record : dict
        As written to the folder.
    interrupted : bool
        Whether Ctrl-C ended the fit.
    clusters : DataFrame, optional
        Description of the clusters of documents, and of those with feature weights or modes.
    """

    record: dict[str, Any]
    interrupted: bool
    clusters: pd.DataFrame | None = None


def run_job(
    job: Job, folder: RunFolder, extra: Mapping[str, Any] | None = None, *, with_report: bool = True
) -> Outcome:
    """Fit and save; after Ctrl-C, save what there is.

    Parameters
    ----------
    job : Job
    folder : RunFolder
    extra : mapping, optional
        More entries for the record.
    with_report : bool, default=True
        Whether the report is made, as the last step.
    """
    record = job.record() | dict(extra or {})
    found = None
    folder.claim(record)
    try:
        with shown_warnings() as warnings:
            begun = time.perf_counter()
            interrupted = _fit(job)
            fitted = time.perf_counter()
            record["status"] = "interrupted" if interrupted else "complete"
            lines = dict.fromkeys([*job.notices, *warnings])
            record["warnings"] = [line.replace(f"{folder.path}/", "") for line in lines]
            record["timings"] = {"load": begun - job.started, "fit": fitted - begun}
            if hasattr(job.estimator, "labels_"):
                record["result"] = _summary(job.estimator)
                found = describe(job)
                record |= found.record
                record["files"] = save_results(
                    folder.path,
                    job.estimator,
                    job.table,
                    record,
                    supervision=job.supervision,
                    frames=found.frames,
                    arrays=found.arrays,
                )
                record["files"] += found.draw(folder.path)
            record["timings"]["total"] = time.perf_counter() - job.started
            folder.finish(record, complete=not interrupted)
            if with_report and found is not None:
                # Last, so that nothing is lost whatever happens.
                before = len(warnings)
                record["files"] += save_report(folder.path, job, record, found.report)
                record["warnings"] += warnings[before:]
                record["timings"]["total"] = time.perf_counter() - job.started
                folder.write_record(record)
    except BaseException:
        folder.release()
        raise
    return Outcome(record, interrupted, None if found is None else found.clusters)


def _fit(job: Job) -> bool:
    """Whether the fit was interrupted."""
    try:
        job.estimator.fit(job.data.X, **job.supervision)
    except KeyboardInterrupt:
        return True
    return bool(getattr(job.estimator, "interrupted_", False))


def _summary(estimator: Any) -> dict[str, Any]:
    sizes = np.bincount(estimator.labels_)
    result: dict[str, Any] = {"n_clusters": int(np.count_nonzero(sizes)), "sizes": sizes.tolist()}
    result["smallest_cluster"] = int(sizes[sizes > 0].min())
    for name in ("n_iter_", "n_components_"):
        if hasattr(estimator, name):
            result[name[:-1]] = getattr(estimator, name)
    if hasattr(estimator, "pareto_front_"):
        result["n_solutions"] = len(estimator.pareto_front_)
        result["objectives"] = list(estimator.objective_names_)
    return result


def after_interruption(folder: RunFolder, job: Job, *, has_result: bool) -> str:
    """What to do after an interruption."""
    if (folder.path / CHECKPOINT).exists():
        return "go on with the same command and --resume"
    if writes_checkpoints(job.method, job.estimator.get_params(deep=False)):
        return "there is no checkpoint to go on from (--checkpoint-every writes them)"
    return f"the same command starts from the beginning{', in another folder' if has_result else ''}"


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
    from moo_clustering.visualization.report import report_content, write_report
    from moo_clustering.visualization.report.page import save_content

    files: list[str] = []
    try:
        content = report_content(job.estimator, **report_arguments(job, record), **extra)
        content = replace(content, missing=with_status(content.missing, record))
        save_content(folder / CONTENT, content)
        files.append(CONTENT)
        write_report(content, folder / REPORT)
        files.append(REPORT)
    except KeyboardInterrupt:
        _warn("it was interrupted", files)
    except Exception as error:  # a figure is not worth a run, whatever is wrong with it
        _warn(f"{type(error).__name__}: {one_line(error)}", files)
    return files


def _warn(why: str, files: Sequence[str]) -> None:
    later = ", and `moo-clustering report` can make the page later" if CONTENT in files else ""
    warnings.warn(f"{REPORT} could not be made ({why}); the results are saved{later}", stacklevel=3)


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
