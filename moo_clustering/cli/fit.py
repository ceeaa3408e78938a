"""The command ``fit``: read the data, fit a method, save the results and write a report."""

from __future__ import annotations

import shlex
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np
from numpy.typing import NDArray

from moo_clustering._arrays import warn_caller
from moo_clustering._messages import message_line
from moo_clustering.algorithms.search import InterruptGuard
from moo_clustering.cli import describe as describing
from moo_clustering.cli import folder as runs
from moo_clustering.cli import job as jobs
from moo_clustering.cli.job import Job
from moo_clustering.cli.load import holds_graph, load_data, prepares
from moo_clustering.cli.samples import Samples
from moo_clustering.cli.terminal import INTERRUPTED, aligned, compiling_told, print_notes, shown_warnings
from moo_clustering.datasets.files import DataError
from moo_clustering.drift import Reference
from moo_clustering.estimators._methods import RECOMMENDED, find_method
from moo_clustering.estimators._pareto_confidence import NO_STRUCTURE, alternative_lines, granularity_text
from moo_clustering.persistence import write_archive
from moo_clustering.results import ClusteringResult, Front, has_labels, recall_text

if TYPE_CHECKING:
    import pandas as pd

LONG = 1000  # for more samples, a message says that the fit may take a few minutes
_READING = (
    "bag", "label_file", "text_columns", "labels", "partial_labels", "id_column", "drop", "header", "weight",
)  # fmt: skip
_INDICES = {"davies_bouldin_bag": "Davies-Bouldin", "silhouette_cluster": "silhouette", "sdbw_bag": "S_Dbw"}
_SCORES = {
    "accuracy": "accuracy (RI)", "entropy": "entropy, bits", "f1": "F1", "adjusted_rand": "adjusted Rand",
    "largest_class": "largest class", "accuracy_unlabelled": "accuracy of unlabelled",
}  # fmt: skip
_NOTES = 12  # maximum number of notes, or of columns in a list, in the report header
_NEXT = "label a few samples (--partial-labels), set the number of clusters (-k), or see alternatives.csv"
_ONE = {"samples": "sample", "documents": "document", "bags": "bag", "labels": "label", "classes": "class"}


def run_fit(data: str, out: Path, options: Mapping[str, Any]) -> None:
    started, context = time.perf_counter(), click.get_current_context()
    quiet, seed, resume = options["quiet"], options["seed"], options["resume"]
    notices = context.with_resource(shown_warnings())
    folder = context.with_resource(runs.open_folder(out, resume=resume))
    name, why = jobs.choose_method(options["method"], data, options["bag"])
    method, preset = find_method(name)
    estimator_class = method.load()
    settings = jobs.parse_settings(options["settings"], method.name, estimator_class)
    values = {name: option.default for name, option in jobs.parameters_of(estimator_class).items()}
    if graph := holds_graph(data, method, preset | settings):
        preset = preset | dict(method.graph_options)
    start = options["start"]
    if start is not None and "start" not in values and not method.areas:
        raise ValueError(f"method {method.name} does not accept --start, because it has no search")
    column = None if start is None or Path(start).exists() else start
    filling = {name: options[name] for name in ("weights", "missing") if options[name] is not None}
    if filling and not options["prepare"]:
        raise DataError(f"--no-prepare leaves columns unchanged; remove it or --{next(iter(filling))}")
    try:
        samples = load_data(
            data,
            method,
            prepares=prepares(method, preset | settings) if options["prepare"] else None,
            filling=filling,
            **{name: options[name] for name in _READING},
            start=column,
            graph=graph,
        )
    except DataError as error:
        # The --start column is dropped like the --drop columns, so error messages attribute it to --drop.
        text = f"{column!r} (--drop)"
        if column is None or text not in str(error):
            raise
        raise DataError(str(error).replace(text, f"{column!r} (--start)")) from error
    _require_used(filling, samples, method.name)
    print_notes(() if quiet else samples.notes)
    scaled: dict[str, Any] = {}
    if "scale" in values and samples.has_equal_columns:
        scaled = {"scale": "none"}  # because the columns have already been scaled
    if options["embed"] is not None and method.name == RECOMMENDED:
        scaled = {"metric": "cosine"}  # other methods need no option, because the rows have unit length
    parameters = preset | scaled | settings
    checkpointing = options["checkpoint_every"] is not None or (
        # --resume restarts a killed run without a checkpoint, even if the method writes no checkpoints.
        resume and (not folder.killed or jobs.writes_checkpoints(method, values | parameters))
    )
    checkpoint = folder.checkpoint if checkpointing else None
    estimator = jobs.build_estimator(method, estimator_class, parameters, options, checkpoint)
    samples, use = jobs.estimator_input(method, estimator, samples, options)
    if "scale" not in scaled | settings and (note := jobs.units_note(method, estimator, samples)):
        samples = replace(samples, notes=(*samples.notes, note))
        print_notes(() if quiet else [note])
    job = Job(
        "fit", method, estimator, samples, seed, use, notices=notices, started=started, why=why,
        options=settings, lines=partial(lines_of, Path(data), context),
    )  # fmt: skip
    jobs.begin_from(job, start)
    jobs.supervise(job, options["partial_labels"], options["must_link"], options["cannot_link"])
    if resume and not folder.resumed and not quiet:
        click.echo(f"Nothing to resume in {out}; starting from the beginning.", err=True)
    if not quiet and samples.n_samples > LONG and method.equal_columns:
        parts = "; --workers 0 reads a numeric table in partitions" if samples.n_samples > 1_000_000 else ""
        note = f"Clustering {samples.n_samples:,} samples; this may take a few minutes{parts} ..."
        click.echo(note, err=True)
    finish_fit(job, folder, options)


def finish_fit(job: Job, folder: runs.RunFolder, options: Mapping[str, Any]) -> None:
    shown = {"with_report": not options["no_report"], "with_pictures": options["pictures"]}
    record, interrupted, clusters = run_job(job, folder, **shown, plain_csv=options["plain_csv"])
    if options["as_json"]:
        click.echo(runs.json_text({"folder": str(folder.path), **record}))
    elif not options["quiet"]:
        click.echo(summary(job, record, clusters, folder.path))
    if interrupted:
        click.echo(_interruption(record, folder, job), err=True)
        click.get_current_context().exit(INTERRUPTED)
    if options["fail_on"] and record.get("verdict") == NO_STRUCTURE:
        click.get_current_context().exit(3)


def lines_of(data: Path, context: click.Context, job: Job) -> list[tuple[str, str]]:
    """Return the command that repeats a fit, without folder names, and equivalent Python code."""
    words = ["moo-clustering", "fit"]
    for parameter in context.command.params:
        name, value = str(parameter.name), context.params[str(parameter.name)]
        is_given = context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        if not is_given or name in ("resume", "quiet", "as_json"):
            continue
        flag = [] if name == "data" else (parameter.secondary_opts if value is False else parameter.opts)[:1]
        words += flag if isinstance(value, bool) else []
        several = parameter.multiple or parameter.nargs < 0
        for each in [] if isinstance(value, bool) else value if several else [value]:
            is_path = isinstance(each, Path) or name == "data"
            joined = "-" if name == "n_clusters" else ","
            text = joined.join(map(str, each)) if isinstance(each, list | tuple) else str(each)
            words += [*flag, Path(text).resolve().name if is_path else text]
    roles = [context.params["labels"], context.params["id_column"], *context.params["drop"]]
    code = _code(data, [column for column in roles if column is not None], job)
    return [("Repeat the fit", shlex.join(words)), *([("The same fit in Python", code)] if code else [])]


def _code(data: Path, columns: Sequence[str], job: Job) -> str:
    """Return Python code that repeats the fit, or "" if a few lines of code cannot repeat the fit."""
    import warnings

    import pandas as pd

    from moo_clustering.datasets import TablePreparer
    from moo_clustering.estimators import ParetoClustering
    from moo_clustering.visualization.report.estimators import changed_options

    prepared, name = job.samples.prepared, type(job.estimator).__name__
    options = changed_options(job.estimator) | {"random_state": str(job.seed)}
    is_long = job.samples.n_samples > 50 * LONG or "..." in "".join(options.values())
    if prepared is None or job.supervision or "start" in job.sources or job.samples.given is None or is_long:
        return ""
    read: Any = pd.read_parquet if data.suffix == ".parquet" else pd.read_csv
    usual = (",", "ascii", "utf-8", "utf-8-sig")
    style = {k: value for k, value in job.samples.given.attrs.get("csv", {}).items() if value not in usual}
    try:
        table = read(data, **style).drop(columns=[*columns])
        with warnings.catch_warnings(action="ignore"):  # the fit has issued these warnings
            X = TablePreparer(**prepared.preparer.get_params()).fit_transform(table)
    except (ValueError, TypeError, KeyError, OSError):
        return ""
    dropped = f".drop(columns={columns})" if columns else ""
    scaling = ", ".join(f"{each}={value}" for each, value in changed_options(prepared.preparer).items())
    imported, prepares, features = f"moo_clustering.estimators import {name}", "", "table"
    if isinstance(job.estimator, ParetoClustering) and not scaling and options.get("scale") == "'none'":
        del options["scale"]  # by default, the estimator prepares a table in the same way
    else:
        imported += "\nfrom moo_clustering.datasets import TablePreparer"
        prepares, features = f"X = TablePreparer({scaling}).fit_transform(table)\n", "X"
    call = ", ".join(f"{option}={value}" for option, value in options.items())
    path = ", ".join([repr(data.name), *(f"{each}={value!r}" for each, value in style.items())])
    code = (
        f"import pandas as pd\nfrom {imported}\n\ntable = pd.{read.__name__}({path}){dropped}\n"
        f"{prepares}model = {name}({call}).fit({features})\nmodel.labels_"
    )
    is_own = job.method.module.startswith("moo_clustering.")
    return code if is_own and np.array_equal(X, job.samples.X) else ""


def _interruption(record: Mapping[str, Any], folder: runs.RunFolder, job: Job) -> str:
    if record["status"] == "complete":
        return "Interrupted after the fit: the complete result is saved."
    has_result = "result" in record
    saved = "the result so far is saved" if has_result else "there is no result yet"
    following = f"to start over, rerun the command{' with another --out' * has_result}"
    if folder.checkpoint.exists():
        following = "to continue, rerun the command with --resume"
    elif job.fit is None and jobs.writes_checkpoints(job.method, job.estimator.get_params(deep=False)):
        following = "there is no checkpoint to continue from (--checkpoint-every writes checkpoints)"
    return f"Interrupted: {saved}; {following}."


def run_job(
    job: Job,
    folder: runs.RunFolder,
    extra: Mapping[str, Any] | None = None,
    *,
    with_report: bool = True,
    with_pictures: bool = False,
    plain_csv: bool = False,
) -> tuple[dict[str, Any], bool, pd.DataFrame | None]:
    """Fit, and save results even after Ctrl-C. ``extra`` contains additional entries for the record.

    Returns the record, whether the run was interrupted, and a table of the clusters. During saving, the first
    Ctrl-C takes effect afterwards, the second immediately. Order of saving: results, report, record with the
    status "complete", removal of the checkpoint. A run that is killed between two steps can be resumed.
    """
    record = job.record() | dict(extra or {})
    found = None
    verbose = bool(job.estimator.get_params(deep=False).get("verbose", True))
    with shown_warnings() as warnings, compiling_told(verbose), ExitStack() as stack:
        try:
            folder.claim(record)
            begun = time.perf_counter()
            interrupted = _fit(job) if job.fit is None else job.fit(job, folder, record)
            guard = stack.enter_context(InterruptGuard(requested=interrupted))
            warn_of_missing(job)
            fitted = time.perf_counter()
            folder.settle()
            record["status"] = "interrupted" if interrupted else "complete"
            lines = dict.fromkeys([*job.notices, *warnings])
            record["warnings"] = [line.replace(f"{folder.path}/", "") for line in lines]
            record["timings"] = {"load": begun - job.started, "fit": fitted - begun}
            folder.remove((runs.CONTENT, runs.REPORT))
            if has_labels(job.estimator):
                options = {"with_pictures": with_pictures, "plain_csv": plain_csv}
                found = save_described(folder.path, job, record, **options)
            if with_report and found is not None:
                before = len(warnings)
                if guard.requested > interrupted:
                    _warn("interrupted", [], folder.checkpoint.exists())
                else:
                    record["files"] += save_report(folder.path, job, record, found.report)
                record["warnings"] += warnings[before:]
            record["timings"]["total"] = time.perf_counter() - job.started
            # If the report could not be saved, keep the checkpoint, because no other file contains the front.
            has_front = found is not None and (not with_report or runs.CONTENT in record["files"])
            folder.finish(record, complete=not interrupted and has_front)
            interrupted = guard.requested
        except BaseException:
            folder.release()
            raise
    return record, interrupted, None if found is None else found.clusters


def save_described(
    folder: Path, job: Job, record: dict[str, Any], *, with_pictures: bool, plain_csv: bool
) -> describing.Description:
    sizes = describing.cluster_sizes(job.result.labels) if job.sizes is None else job.sizes
    record["result"] = _summary(job.result, sizes)
    found = describing.describe(job)
    for frame in (found.clusters, found.frames.get("clusters.csv")):
        if frame is not None and job.sizes is not None:
            frame["size"] = sizes[frame["cluster"]]
    record |= found.record
    record["warnings"] += pareto_remarks({"sorted_by": record.get("sorted_by")})
    classes = record.get("classes")
    if job.samples.given is not None:
        labels = job.result.labels
        rows = describing.described_rows(job, found)
        names = [] if found.names is None else found.names.names
        record["clusters"] = [{**asdict(one), "size": int(sizes[one.cluster])} for one in found.names or ()]
        found.frames[runs.CLUSTERED] = runs.with_clusters(job.samples.given, labels, classes, rows)
        save = partial(save_model, job=job, classes=classes, names=names, plain_csv=plain_csv)
        found.writers.append(save)
    record["files"] = save_results(folder, job, record, found, plain_csv)
    if with_pictures:
        pictures = runs.pictures_of(job.result, job.title, job.samples, found.frames)
        record["files"] += runs.draw_pictures(folder, pictures | found.pictures)
    return found


def save_results(
    folder: Path, job: Job, record: Mapping[str, Any], found: describing.Description, plain_csv: bool
) -> list[str]:
    samples, result = job.samples, job.result
    id_column = "bag" if samples.kind == "bag" else "row"
    labels = runs.label_frame(id_column, samples.row_ids, result.labels, record.get("classes"))
    runs.write_csv(folder / runs.LABELS, labels, plain=plain_csv)
    write_archive(folder / "result.npz", runs.result_arrays(result) | found.arrays, record)
    if (front := runs.front_frame(result, job.supervision)) is not None:
        found.frames["front.csv"] = front
    if (history := result.history()) is not None:
        found.frames["history.csv"] = history
    for name, frame in found.frames.items():
        runs.write_csv(folder / name, frame.rename(columns={"row": id_column}), plain=plain_csv)
    written = [name for write in found.writers for name in write(folder)]
    return [runs.LABELS, "result.npz", *found.frames, *written]


def save_model(
    folder: Path, job: Job, classes: Sequence[str] | None, names: Sequence[str], plain_csv: bool
) -> list[str]:
    """Save the fitted estimator and preparer for ``predict``, as data and type names without code."""
    samples, labels = job.samples, job.result.labels
    if samples.prepared is None or not (job.method.areas or job.method.predicts):
        return []
    reference = Reference.of(np.asarray(samples.X), labels)._asdict()
    if job.sizes is not None:
        reference["sizes"] = job.sizes
    runs.write_model(
        folder / runs.MODEL,
        job.estimator,
        **reference,
        preparer=samples.prepared.preparer,
        classes=None if classes is None else list(classes),
        names=list(names),
        roles={} if samples.roles is None else samples.roles._asdict(),
        plain_csv=plain_csv,
    )
    return [runs.MODEL]


def _require_used(filling: Mapping[str, str], samples: Samples, method: str) -> None:
    for name in filling:
        if samples.prepared is None and not samples.category_names:
            raise DataError(f"--{name} requires a table with columns to convert to features, got {samples}")
        if name == "weights" and not samples.has_equal_columns:
            said = f"--weights requires equally scaled columns, but method {method} keeps the original scale"
            raise DataError(f"{said} here; remove --set scale=..., if present")


def warn_of_missing(job: Job) -> None:
    prepared = job.samples.prepared
    if prepared is None or not has_labels(job.estimator):
        return
    if names := prepared.following_missing(job.estimator.labels_):
        listed = " and ".join(map(repr, names[:3])) + " and more" * (len(names) > 3)
        said = f"the clusters are associated with missing cells in {listed}"
        warn_caller(f"{said}: they may reflect how cells were filled rather than the data")


def _fit(job: Job) -> bool:
    try:
        job.estimator.fit(job.samples.X, **job.samples.arguments, **job.supervision)
    except KeyboardInterrupt:
        return True
    except Exception as error:
        if job.method.module.startswith("moo_clustering.") or isinstance(error, MemoryError):
            raise
        said = f"method {job.method.name} of {job.method.module} failed"
        raise ValueError(f"{said}: {type(error).__name__}: {error}") from error
    if not job.method.module.startswith("moo_clustering."):
        _check_labels(job)
    return has_labels(job.estimator) and job.result.interrupted


def _check_labels(job: Job) -> None:
    """Raise a ValueError if an estimator of another package has not set an integer label for every sample."""
    labels = np.asarray(job.estimator.labels_ if has_labels(job.estimator) else None)
    n_samples = job.samples.n_samples
    if labels.shape != (n_samples,) or labels.dtype.kind not in "iu" or labels.min() < -1:
        raise ValueError(
            f"method {job.method.name} of {job.method.module} must set labels_ to {n_samples} integers (0, "
            f"1, ..., or -1 for outliers), got shape {labels.shape} of type {labels.dtype}"
        )
    job.estimator.labels_ = labels


def _summary(found: ClusteringResult, sizes: NDArray[np.intp]) -> dict[str, Any]:
    result: dict[str, Any] = {
        "n_clusters": int(np.count_nonzero(sizes)), "sizes": sizes.tolist(),
        "smallest_cluster": int(sizes[sizes > 0].min()),
    }  # fmt: skip
    if n_noise := int((found.labels < 0).sum()):
        result["n_noise"] = n_noise
    result |= found.figures
    if found.neighbor_recall is not None:
        result["neighbor_recall"] = found.neighbor_recall
    if found.front is not None:
        result["n_solutions"] = len(found.front)
        result["objectives"] = list(found.front.names)
    return result


def save_report(
    folder: Path, job: Job, record: Mapping[str, Any], extra: Mapping[str, Any], name: str = ""
) -> list[str]:
    """Write the report of a fitted job (content and page), and return the names of the files.

    ``extra`` contains additional arguments for ``report_content``. ``name`` is the name of the folder to
    which the files will be moved, if any.
    """
    files: list[str] = []
    has_checkpoint = (folder / runs.CHECKPOINT).exists()
    try:
        # The import is here, because it is slow and an error such as a lack of memory must be caught.
        from moo_clustering.visualization.report import report_content, write_report
        from moo_clustering.visualization.report.page import save_content

        content = report_content(job.estimator, **report_arguments(job, record), **extra)
        name = shlex.quote(name or folder.resolve().name)
        lines = []
        if runs.MODEL in record["files"] and not job.method.areas:
            lines.append(("Clusters of new rows", f"moo-clustering predict {name} new.csv"))
        if describing.QUESTIONS in record["files"]:
            lines.append(("Questions about doubtful rows", f"moo-clustering ask {name}"))
        content = replace(
            content,
            missing=runs.with_status(content.missing, record),
            files=[each for each in (runs.CLUSTERED, runs.LABELS, "clusters.csv") if each in record["files"]],
            lines=[*lines, *job.lines(job)],
        )
        save_content(folder / runs.CONTENT, content)
        files.append(runs.CONTENT)
        write_report(replace(content, title=record.get("title") or content.title), folder / runs.REPORT)
        files.append(runs.REPORT)
    except KeyboardInterrupt:
        _warn("interrupted", files, has_checkpoint)
    except Exception as error:  # only a warning is issued, because the results are already saved
        _warn(f"{type(error).__name__}: {message_line(error)}", files, has_checkpoint)
    return files


def _warn(why: str, files: Sequence[str], has_checkpoint: bool) -> None:
    later = "; `moo-clustering report` can create the page later" if runs.CONTENT in files else ""
    if not later and has_checkpoint:
        later = "; to create it, rerun the command with --resume"
    warn_caller(f"{runs.REPORT} could not be written ({why}); the results are saved{later}")


def report_arguments(job: Job, record: Mapping[str, Any]) -> dict[str, Any]:
    samples, y = job.samples, job.supervision.get("y")
    classes = samples.partial_names or (() if job.labels is None else job.labels.names)
    return {
        **samples.report_data(),
        "left_out": samples.left_out(),
        "title": f"{type(job.estimator).__name__} on {samples.name}",
        "sample_names": samples.row_names() or np.asarray(samples.row_ids).astype(str).tolist(),
        "sample_texts": samples.texts(),
        "sample_kind": samples.kind,
        "class_names": list(map(str, classes)) or None,
        "y": None if y is None or np.ndim(y) != 1 else y,
        "must_link": job.supervision.get("must_link"),
        "cannot_link": job.supervision.get("cannot_link"),
        "facts": _facts(job, record),
        "options": job.options,
    }


def _some(names: Sequence[str]) -> str:
    more = [f"{len(names) - _NOTES} more"] if len(names) > _NOTES else []
    return ", ".join([*names[:_NOTES], *more])


def _facts(job: Job, record: Mapping[str, Any]) -> list[tuple[str, str]]:
    facts = [("data", job.samples.name), *[("warning", text) for text in record["warnings"]]]
    if job.samples.prepared is not None and job.samples.given is not None:
        missing = job.samples.prepared.missing.sum()
        used = {*missing.index, record["data"].get("weight"), record["data"].get("start")}
        unused = [f"{name}" for name in job.samples.given if name not in used]
        filled = [f"{n} of {name}" for name, n in missing.items() if n]
        facts += [("columns not used", _some(unused)), ("filled cells", _some(filled))]
        facts = [fact for fact in facts if fact[1]]
    if notes := job.samples.notes:
        more = f"; {len(notes) - _NOTES} more steps in run.json" if len(notes) > _NOTES else ""
        facts.append(("preparation", "; ".join(notes[:_NOTES]) + more))
    if job.why:
        facts.append(("choice of method", job.why))
    for name, value in record.get("scores", {}).items():
        facts.append((f"{name.replace('_', ' ')} against known classes", f"{value:.3f}"))
    if "alternatives" in record:
        facts += [(name, text) for name, text in _controls(record)]
    return [*facts, ("fit time in seconds", f"{record['timings']['fit']:.1f}")]


def summary(job: Job, record: Mapping[str, Any], clusters: pd.DataFrame | None, out: Path) -> str:
    kind, is_bags = f"{job.samples.kind}s", job.samples.kind == "bag"
    shape = str(job.samples)
    if job.of_distances and not is_bags:
        shape = f"{job.samples.name}, {job.samples.n_samples} {kind} with the distances between them"
    rows = [["data", shape], *label_rows(job, kind)]
    why = f"; {job.why}" if job.why else ""
    rows.append(["method", f"{record['method']} ({record['estimator']}), seed {record['seed']}{why}"])
    found, result = job.result if "result" in record else None, record.get("result", {})
    # Fits with labels or pairs have no verdict, because verdicts are calibrated for fits without them.
    verdict = None
    if found is not None and found.pool is not None and not job.supervision:
        verdict = found.pool.verdict_line
    if found is not None and is_bags:
        rows += bag_rows(record)
        rows += pareto_rows(record, out, verdict)
    elif found is not None:
        n_noise = result.get("n_noise", 0)
        noise = f", {n_noise} outlier{'s' * (n_noise > 1)} (-1)" if n_noise else ""
        rows.append(["clusters", f"{result['n_clusters']} of {_largest(result)} {kind}{noise}"])
        if (recall := recall_text(found.neighbor_recall)) is not None:
            rows.append(["neighbours", recall])
        if found.front is not None:
            rows.append(["front", _front(found.front)])
        rows += pareto_rows(record, out, verdict)
        rows += describing.number_rows(record, found.number_reason)
        rows += search_rows(record)
        rows += describing.squares_rows(record)
        rows += describing.limits_rows(record)
        rows += [[name.replace("_", " "), f"{value:.4f}"] for name, value in record["scores"].items()]
        rows += prediction_rows(record, kind)
    rows.append(["seconds", f"{record['timings']['total']:.1f}"])
    rows.append(["saved in", str(out)])
    if runs.REPORT in record.get("files", ()):
        rows.append(["open", str(out / runs.REPORT)])
    parts = [aligned(rows)]
    if clusters is not None:
        parts.insert(0, describing.cluster_table(clusters))
    if "result" in record:
        parts += [*runs.sample_notes(record), *_remarks(record, is_bags)]
    return "\n\n".join(parts)


def label_rows(job: Job, kind: str) -> list[list[str]]:
    if (use := job.labels) is None:
        return []
    n_given, n_held_out = int(use.is_given.sum()), int(use.is_held_out.sum())
    what = _counted(len(use.names), "labels" if use.multilabel else "classes")
    several = ", any number per sample" if use.multilabel else ""
    rest = f"; {n_held_out} others are withheld for scoring" if n_held_out else ""
    return [["labels", f"{what}{several}; the fit uses the labels of {_counted(n_given, kind)}{rest}"]]


def bag_rows(record: Mapping[str, Any]) -> list[list[str]]:
    sizes = record["result"]["sizes"]
    least = f"the smallest has {_counted(min(sizes), 'bags')} ({min(sizes) / sum(sizes):.1%})"
    rows = [["clusters", f"{len(sizes)} of {_largest(record['result'])} bags; {least}"]]
    for name, title in _INDICES.items():
        if name in record["indices"]:
            value = record["indices"][name]
            rows.append([title, "undefined" if value is None else f"{value:.4f}"])
    scores = record["scores"]
    return rows + [[title, f"{scores[name]:.4f}"] for name, title in _SCORES.items() if name in scores]


def _largest(result: Mapping[str, Any]) -> str:
    sizes = sorted(filter(None, result["sizes"]), reverse=True)
    return ", ".join(map(str, sizes[:10])) + (", ..." if len(sizes) > 10 else "")


def _front(front: Front) -> str:
    text = f"{len(front)} solution{'' if len(front) == 1 else 's'}"
    numbers = front.n_clusters
    if numbers is None or len(set(numbers)) == 1:
        return text
    return f"{text} with {numbers.min()} to {numbers.max()} clusters"


def pareto_rows(record: Mapping[str, Any], out: Path, verdict: str | None) -> list[list[str]]:
    """Return lines with the verdict (if not None), the alternatives and the controls."""
    if "alternatives" not in record:
        return []
    rows = [] if verdict is None else [["verdict", verdict]]
    if classes := record.get("classes"):
        rows.append(["classes", ", ".join(f"{k} = {name or '(new)'}" for k, name in enumerate(classes))])
    size = record.get("granularity")
    if said := size and granularity_text(size, record["granularities"]):
        rows.append(["granularity", said])
    rows += map(list, alternative_lines(record["alternatives"]).items())
    if verdict is not None and record["alternatives"] and not runs.is_in_parts(record):
        asks = describing.QUESTIONS in record.get("files", ())
        rows.append(["next", f"run moo-clustering ask {shlex.quote(str(out))}, {_NEXT}" if asks else _NEXT])
    return rows + _controls(record)


def _controls(record: Mapping[str, Any]) -> list[list[str]]:
    if not (controls := record.get("controls")):
        return []
    rows = [["evolved", f"best score {controls['score']['result']:.4f}{_rand(record['scores'])}"]]
    for key, title in (("control", "without evolution"), ("random_control", "random survival")):
        text = "omitted because the evolution was interrupted"
        if (like := controls["ari_to_labels"].get(key)) is not None:
            text = f"best score {controls['score'][key]:.4f}{_rand(controls['scores'][key])}"
            text += f", adjusted Rand index {like:.4f} with the clusters above"
        rows.append([title, text])
    return rows


def _rand(scores: Mapping[str, float]) -> str:
    value = scores.get("adjusted_rand")
    return "" if value is None else f", adjusted Rand index {value:.4f} with known classes"


def search_rows(record: Mapping[str, Any]) -> list[list[str]]:
    rows = [["chosen", _objectives(record["chosen"])]] if "chosen" in record else []
    if "control" in record:
        starts = f"best of {record['n_random_starts']} random starts"
        rows.append(["control", f"{_objectives(record['control'])} ({starts})"])
    return rows


def prediction_rows(record: Mapping[str, Any], kind: str) -> list[list[str]]:
    found = record.get("prediction", {})
    if not found.get("n_scored"):
        return []
    n_labels, area = found["n_labels_scored"], found["macro_auc"]
    shown = f"undefined, because each label applies to all {kind} or none" if area is None else f"{area:.4f}"
    if area is not None and n_labels < len(found["auc"]):
        shown += f" ({n_labels} of {len(found['auc'])} labels; the others apply to all {kind} or none)"
    rows = [["predictions", f"scored on the withheld labels of {_counted(found['n_scored'], kind)}"]]
    rows.append(["  macro AUC", shown])
    if "micro_f1" in found:
        rows.append(["  micro F1", f"{found['micro_f1']:.4f}"])
    else:
        rows.append(["  accuracy", f"{found['accuracy']:.4f} (largest class: {found['largest_class']:.4f})"])
    return rows


def _remarks(record: Mapping[str, Any], is_bags: bool) -> list[str]:
    remarks, sizes = [], record["result"]["sizes"]
    least, prediction = min(sizes, default=0), record.get("prediction")
    # Fits with alternatives do not select by separation indices, so the remark does not apply to them.
    if is_bags and "alternatives" not in record and len(sizes) > 1 and least < max(2, 0.05 * sum(sizes)):
        remarks.append(
            f"A cluster contains only {least} of {sum(sizes)} bags: separation indices favour clusters of "
            "outlying bags. Use --set min_cluster_size=N to require N bags in every cluster."
        )
    if prediction is not None and not prediction["n_scored"]:
        remarks.append(
            "The predictions cannot be scored, because the fit used every known label; use --hold-out 0.2 to "
            "withhold a fifth of them."
        )
    return remarks + pareto_remarks(record)


def pareto_remarks(record: Mapping[str, Any]) -> list[str]:
    remarks = []
    if names := record.get("sorted_by"):
        shown = " and of ".join(map(repr, names[:3]))
        advice = "To find other clusters, exclude such columns with --drop."
        remarks.append(f"Nearly every cluster contains a single value of {shown}. {advice}")
    if "controls" in record:
        remarks.append(
            "In our experiments, evolved clusters were no closer to known classes than those found without "
            "evolution, even if their score was better. Do not trust them more than the controls."
        )
    return remarks


def _counted(number: int, what: str) -> str:
    return f"{number} {_ONE[what] if number == 1 else what}"


def _objectives(values: Mapping[str, float]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {value:.4g}" for name, value in values.items())
