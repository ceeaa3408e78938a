"""Questions about a run: what a fit saves for them, sessions of its folder, and the folder of results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from moo_clustering.cli.folder import (
    CONTENT,
    LABELS,
    REPORT,
    FolderError,
    RunFolder,
    run_content,
    run_record,
    saved_labels,
    write_csv,
)
from moo_clustering.estimators._methods import METHODS
from moo_clustering.evidence import graph_kernel
from moo_clustering.interactive import AnswerSession, QuestionPool
from moo_clustering.interactive.shown import ShownSamples
from moo_clustering.persistence import ArchiveError, cell_text, read_archive, write_archive
from moo_clustering.pool import PartitionPool

if TYPE_CHECKING:
    from moo_clustering.cli.job import Job
    from moo_clustering.visualization.report import ReportContent

QUESTIONS, ANSWERS = "questions.npz", "answers.json"
# The folder of the results, inside that of the run.
ASKED = "asked"
_FORMAT, _VERSION = "moo_clustering questions", 1
# Numbers that are saved in full precision, cells and terms of the samples to show, and bags whose kernel is.
_EXACT, _MOST_CELLS, _MOST_BAGS = 4_000_000, 4_000_000, 3_000
# Entries of the record of a fit that are about its own result.
_OF_THE_FIT = {"result", "scores", "files", "warnings", "timings", "verdict", "confidence", "alternatives"}
_OF_THE_FIT |= {"structure_p_value", "controls", "sorted_by", "indices", "method_taken", "pool_size"}


def save_questions(folder: Path, job: Job) -> list[str]:
    """Write what questions need to know of a fit, so that nothing is clustered again for them.

    The file holds the pool, its scores, the graph and the features of the points, and what is shown of the
    samples that can be asked about: O(n_points n_partitions + n_samples) numbers, integers in as few bytes as
    hold them.

    Returns
    -------
    list of str
        Name of the file; empty after a fit with labels or pairs, without a pool, or of too many bags.
    """
    model = job.estimator
    if (
        job.supervision
        or model.pool_ is None
        or (model._samples.kernels and model._samples.n_points > _MOST_BAGS)
    ):
        return []
    base = model._question_pool()
    arrays: dict[str, Any] = {"pool": _small(base.pool.labels), "start": _small(base.start)}
    arrays |= {"score": base.score, "representatives": _small(base.sample_of)}
    if base.features is not None:
        exact = base.features.size <= _EXACT
        arrays["features"] = base.features if exact else base.features.astype(np.float32)
    if base.landmark_of is not None:
        arrays["landmark_of"] = _small(base.landmark_of)
    if base.nearest is not None:
        positions, weights = base.nearest()
        arrays |= {"nearest": _small(positions), "nearest_weights": weights}
    if model._samples.kernels:
        arrays["kernel"] = base.kernel[np.triu_indices(base.n_points)].astype(np.float32)
    else:
        arrays["graph"] = model._samples.graph
    more, shown = _shown(job, np.sort(base.sample_of)).packed()
    meta = {"format": _FORMAT, "version": _VERSION, "kind": job.samples.kind, "shown": shown}
    write_archive(folder / QUESTIONS, arrays | more, meta, compressed=True)
    return [QUESTIONS]


def _small(numbers: Any) -> Any:
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))


def _shown(job: Job, rows: Any) -> ShownSamples:
    """Table, texts with the weights of their words, or means of bags; of distances the identifiers alone."""
    samples = job.samples
    given = samples.report_data()
    data: Any = samples.columns()
    if getattr(job.estimator, "metric", None) == "precomputed":
        data = None
    elif data is None:
        data = given["X"].means() if samples.kind == "bag" else given["X"]
    names = given.get("feature_names") or getattr(given["X"], "feature_names", None) or ()
    most = max(1, _MOST_CELLS // len(rows))
    if data is not None and data.shape[1] > most and not hasattr(data, "tocsr"):
        data, names = (data.iloc[:, :most] if hasattr(data, "iloc") else data[:, :most]), names[:most]
    documents = getattr(samples, "documents", None)
    ids = [str(name) if samples.has_row_ids else f"row {name}" for name in samples.row_ids]
    return ShownSamples.of(
        data,
        samples=rows,
        names=ids,
        feature_names=names,
        texts=None if documents is None else documents.texts,
        notes=getattr(samples, "notes_of_rows", None),
        empty=getattr(samples, "missing", None),
    )


@dataclass(frozen=True)
class AskedRun:
    """A run and a session of questions about it.

    Attributes
    ----------
    record : dict
        Of the run.
    shown : ShownSamples
        What can be shown of the samples that are asked about, see :meth:`ShownSamples.beside`.
    kind : str
        The word for one sample.
    """

    folder: Path
    record: dict[str, Any]
    session: AnswerSession
    shown: ShownSamples
    kind: str

    @property
    def row_ids(self) -> Any:
        """Identifiers of all samples as text, and the heading of their column."""
        frame = pd.read_csv(self.folder / LABELS, dtype=str, keep_default_na=False, encoding="utf-8")
        return frame.iloc[:, 0].map(cell_text)

    def answers(self) -> dict[str, pd.DataFrame]:
        """The answers as files that ``fit`` takes: pairs, and a column of partial labels.

        Returns
        -------
        dict of str to DataFrame
            ``must_link.csv`` and ``cannot_link.csv``, and with the group of every answered sample, empty for
            the others, ``partial_labels.csv``.
        """
        ids = self.row_ids
        found = {
            name: pd.DataFrame({"first": ids.to_numpy()[pairs[:, 0]], "second": ids.to_numpy()[pairs[:, 1]]})
            for name, pairs in zip(("must_link.csv", "cannot_link.csv"), self.session.pairs(), strict=True)
        }
        partial = self.session.partial_labels()
        text = [str(label) if known else "" for label, known in zip(partial, partial != -1, strict=True)]
        return found | {"partial_labels.csv": pd.DataFrame({ids.name: ids, "group": text})}


def open_session(
    folder: Path,
    *,
    resume: bool = False,
    mode: Literal["pairs", "names"] | None = None,
    error_rate: float | None = None,
) -> AskedRun:
    """The session of a run folder; every answer is in ``answers.json`` there before the next question.

    Parameters
    ----------
    folder : Path
        Folder of ``moo-clustering fit``.
    resume : bool, default=False
        Go on with the answers in the folder; without any, begin.
    mode, error_rate : optional
        See :class:`~moo_clustering.interactive.AnswerSession`; those of the answers where it goes on.

    Raises
    ------
    FolderError
        No folder of a run, or of a run that cannot be asked about; answers in it without ``resume``, or with
        another mode or error rate.
    ArchiveError, SessionFileError
        A damaged file of the run or of the answers, or answers about another fit.
    """
    record = run_record(folder)
    base, shown, kind = _questions(folder, record)
    path = folder / ANSWERS
    if not _has_answers(path):
        path.unlink(missing_ok=True)
        chosen = {"mode": mode, "error_rate": error_rate, "random_state": record.get("seed")}
        options: Any = {name: value for name, value in chosen.items() if value is not None}
        session = AnswerSession(base, path=path, **options)
    elif not resume:
        raise FolderError(
            f"{path} has the answers of an earlier session; go on with --resume, or move it away"
        )
    else:
        session = AnswerSession.resume(base, path)
        for flag, given, own in (
            ("--mode", mode, session.mode),
            ("--error-rate", error_rate, session.error_rate),
        ):
            if given not in (None, own):
                raise FolderError(
                    f"{path} has answers with {flag} {own}, and goes on with that: leave out {flag} {given}, "
                    "or move the file away to begin anew"
                )
    return AskedRun(folder, record, session, shown, kind)


def _has_answers(path: Path) -> bool:
    """Whether there is more than the head of a session, or something else that must not be lost."""
    try:
        lines = path.read_bytes().split(b"\n", 1)
    except FileNotFoundError:
        return False
    return bool(lines[1:] and lines[1]) or bool(lines[0] and not lines[0].startswith(b'{"format": "moo_'))


def _questions(folder: Path, record: Mapping[str, Any]) -> tuple[QuestionPool, ShownSamples, str]:
    """What the fit saved. Raises a FolderError if it saved nothing, with the reason."""
    if record.get("command") == "ask":
        raise FolderError(f"{folder} holds the result of questions; ask about the run they were about")
    path = folder / QUESTIONS
    if not path.is_file():
        raise FolderError(f"{folder} cannot be asked about: {_why_not(record)}")
    arrays, meta = read_archive(path)
    if meta.get("format") != _FORMAT or meta.get("version") != _VERSION:
        raise ArchiveError(f"{path} holds no questions that this version reads; fit again")
    try:
        base = _pool_of(arrays)
        n_rows = len(saved_labels(folder / LABELS))
        if base.n_samples != n_rows:
            raise FolderError(f"{path} has {base.n_samples} samples and {LABELS} {n_rows}; fit again")
        return base, ShownSamples.unpacked(arrays, meta["shown"]), meta["kind"]
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise ArchiveError(f"{path} is damaged: {error}") from error


def _why_not(record: Mapping[str, Any]) -> str:
    askable = [name for name, method in METHODS.items() if hasattr(method.load(), "ask")]
    if record.get("method") not in askable:
        return (
            f"method {record.get('method')} has no pool of partitions to find a better one in; methods that "
            f"have are {' and '.join(askable)}"
        )
    if record.get("supervision"):
        given = " and ".join(f"--{name.replace('_', '-')}" for name in record["supervision"])
        return f"questions need a fit that knows nothing; fit again without {given}"
    if record.get("status") != "complete":
        return "its fit did not end by itself; fit again"
    return (
        f"it has no {QUESTIONS}, which `fit` writes unless there are more than {_MOST_BAGS} bags; fit again, "
        "or see ask() in Python"
    )


def _pool_of(arrays: Mapping[str, Any]) -> QuestionPool:
    labels = arrays["pool"]
    nearest = None
    if "nearest" in arrays:
        found = arrays["nearest"].astype(np.intp), arrays["nearest_weights"]
        nearest = lambda: found  # noqa: E731
    landmark_of, features = arrays.get("landmark_of"), arrays.get("features")
    return QuestionPool(
        PartitionPool(labels, ("saved",) * len(labels)),
        arrays["score"],
        arrays["start"].astype(np.int32),
        partial(graph_kernel, arrays["graph"]) if "graph" in arrays else partial(_square, arrays["kernel"]),
        features=None if features is None else features.astype(np.float64),
        landmark_of=None if landmark_of is None else landmark_of.astype(np.int32),
        nearest=nearest,
        representatives=arrays["representatives"].astype(np.intp),
    )


def _square(upper: Any) -> Any:
    """The symmetric matrix of an upper triangle."""
    n = int(np.sqrt(2 * len(upper)))
    matrix = np.zeros((n, n))
    matrix[np.triu_indices(n)] = upper
    return matrix + np.triu(matrix, 1).T


def check_out(folder: Path, out: Path) -> None:
    """Refuse a folder for results that holds anything but earlier ones of questions about the same run."""
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return
    try:
        record = run_record(out)
    except FolderError as error:
        raise FolderError(f"{error}; choose another folder with --out") from error
    if record.get("command") != "ask" or record.get("asked") != _fit_of(run_record(folder)):
        raise FolderError(f"{out} holds a run that is not of questions about {folder}; choose another --out")


def _fit_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """Entries by which a fit is known again."""
    return {name: record.get(name) for name in ("data", "method", "parameters", "seed")}


def save_answers(run: AskedRun, out: Path) -> list[str]:
    """Write the partition that the answers found as a run folder, which ``report`` and ``explore`` read.

    Each file is replaced as a whole or not at all, the record last.

    Returns
    -------
    list of str
        Names of the files: labels, clusters, the answers as pairs and partial labels, and the report where
        the run has one.
    """
    session, ids = run.session, run.row_ids
    groups = session.groups_
    names = groups["name"].fillna("").tolist()
    labels = pd.DataFrame({ids.name: ids, "label": session.labels_})
    if any(names):
        labels["class"] = np.array(names, dtype=object)[session.labels_]
    examples = [" ".join(ids.iloc[rows]) for rows in groups["exemplars"]]
    clusters = groups.rename(columns={"group": "cluster", "anchors": "answered"}).assign(exemplars=examples)
    result = {"n_clusters": session.n_clusters_, "sizes": groups["size"].tolist()}
    answers = {"mode": session.mode, "error_rate": session.error_rate, "n_answers": len(session.history_)}
    record = {name: value for name, value in run.record.items() if name not in _OF_THE_FIT}
    record |= {"command": "ask", "asked": _fit_of(run.record), "answers": answers, "result": result}
    record |= {"expected_error": session.expected_error_, "scores": {}}
    found = RunFolder(out)
    out.mkdir(parents=True, exist_ok=True)
    found.write_record(record | {"status": "running"})
    found.discard_report()
    frames = {LABELS: labels, "clusters.csv": clusters, **run.answers()}
    for name, frame in frames.items():
        write_csv(out / name, frame)
    must, cannot = session.pairs()
    arrays = {"labels": session.labels_, "must_link": must, "cannot_link": cannot}
    write_archive(out / "result.npz", arrays, record)
    files = [*frames, "result.npz"]
    if (run.folder / CONTENT).is_file():
        from moo_clustering.visualization.report import write_report
        from moo_clustering.visualization.report.page import save_content

        content = asked_content(run)
        save_content(out / CONTENT, content)
        write_report(content, out / REPORT)
        files += [CONTENT, REPORT]
    found.finish(record | {"status": "complete", "files": files}, complete=True)
    return files


def asked_content(run: AskedRun) -> ReportContent:
    """The report of the run, with the partition that the answers found as the chosen solution."""
    from moo_clustering.visualization.report.content import (
        TO_RESULT,
        ClusterFacts,
        Column,
        constraint_columns,
        size_columns,
    )
    from moo_clustering.visualization.report.describe import agreement

    session, content = run.session, run_content(run.folder)
    chosen, groups = content.n_solutions, session.groups_
    labels = np.vstack([content.labels, session.labels_[None]])
    agreed = agreement(labels, chosen, np.random.default_rng(0))
    must, cannot = session.pairs()
    new = size_columns(labels) + constraint_columns(labels, {"must_link": must, "cannot_link": cannot})
    new.append(Column(TO_RESULT, agreed.with_chosen))
    known = {column.name: column for column in new}
    columns = [
        known.pop(column.name, replace(column, values=np.append(column.values, np.nan)))
        for column in content.columns
    ]
    facts = [("answers", str(len(session.history_)))]
    facts.append(("samples that may be in a wrong cluster", f"about {session.expected_error_:.0%}"))
    about_fit = ("verdict", "expected adjusted Rand index with classes", "p-value of structure")
    clusters = [ClusterFacts(typical=tuple(rows)) for rows in groups["exemplars"]]
    names = [name or f"cluster {number}" for number, name in enumerate(groups["name"].fillna(""))]
    return replace(
        content,
        title=f"{content.title}, {len(session.history_)} answers",
        names=[*content.names, "answers"],
        labels=labels,
        facts=facts + [fact for fact in content.facts if fact[0] not in about_fit],
        columns=[*columns, *known.values()],
        chosen=chosen,
        rules={"answers": chosen, "fit": content.chosen, **content.rules},
        runs=[*content.runs, "answers"] if content.runs else (),
        cluster_names={**content.cluster_names, **({chosen: names} if groups["name"].any() else {})},
        clusters={**content.clusters, chosen: clusters},
        must_link=must,
        cannot_link=cannot,
        agreement=agreed.table,
        agreement_note=agreed.note,
    )
