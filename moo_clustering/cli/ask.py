"""The command ``ask``: sessions, dialogue and results."""

from __future__ import annotations

import io
import json
import shlex
import shutil
import sys
import textwrap
from collections.abc import Mapping
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click
import numpy as np
import pandas as pd

from moo_clustering import persistence
from moo_clustering._arrays import BoolArray, Labels
from moo_clustering._messages import message_line
from moo_clustering.algorithms.search import InterruptGuard
from moo_clustering.cli import folder as runs
from moo_clustering.cli.describe import MOST_ASKED_BAGS, QUESTIONS, QUESTIONS_FORMAT, QUESTIONS_VERSION
from moo_clustering.cli.terminal import INTERRUPTED, aligned, printable_line, shortened
from moo_clustering.estimators._methods import METHODS
from moo_clustering.evidence import graph_kernel
from moo_clustering.interactive import AnswerSession, QuestionPool
from moo_clustering.interactive.session import has_answers
from moo_clustering.interactive.shown import ShownSamples
from moo_clustering.pool import PartitionPool
from moo_clustering.results import carried_names, with_user_names

if TYPE_CHECKING:
    from moo_clustering.visualization.report import ReportContent

ANSWERS = "answers.json"
_WORDS = {"t": "together", "a": "apart", "?": "unknown"}
_KEYS = "[t]ogether  [a]part  [?] don't know  [u]ndo  [q]uit: "
_NAME_KEYS = "class name (#1: first known class, ?: don't know, u: undo, q: quit, =u: a class named u): "
# A question shows at most this many features and lines of text per sample, and characters per line.
_N_FEATURES, _N_LINES, _WIDEST = 8, 12, 120
_LONGEST_LINE = 10_000  # limits input lines, because some devices send a line that never ends
# The session's record omits these entries of the fit's record, because they describe the result of the fit.
_OF_THE_FIT = {"result", "scores", "files", "warnings", "timings", "verdict", "confidence", "alternatives"}
_OF_THE_FIT |= {"structure_p_value", "confidence_interval", "verdict_remarks", "granularity", "granularities"}
_OF_THE_FIT |= {"controls", "sorted_by", "indices", "method_taken", "pool_size"}
_OF_THE_FIT |= {"clusters", "cluster_names", "names_of_fit"}


class AskedRun:
    """A run, a session of questions about its samples, and the sample values that questions show.

    With ``resume``, the session continues with the saved answers, mode and error rate. Each answer is saved
    to ``answers.json`` before the next question. If the run or the answers are unsuitable, the constructor
    raises a FolderError, ArchiveError or SessionFileError before it writes a file.
    """

    def __init__(
        self,
        folder: Path,
        *,
        resume: bool = False,
        mode: Literal["pairs", "names"] | None = None,
        error_rate: float | Literal["auto"] | None = None,
    ) -> None:
        self.folder, self.record = folder, runs.run_record(folder)
        base, path = self._read_questions(), folder / ANSWERS
        if path.exists() and has_answers(path, undone=resume):
            if not resume:
                said = f"{path} contains answers from an earlier session"
                raise runs.FolderError(f"{said}; continue it with --resume, or move the file")
            self.session = AnswerSession.resume(base, path)
            own = {"--mode": (mode, self.session.mode), "--error-rate": (error_rate, self.session.error_rate)}
            for flag, (given, used) in own.items():
                if given not in (None, used):
                    said = f"the session in {path} uses {flag} {used}, got {flag} {given}"
                    raise runs.FolderError(f"{said}; omit {flag}, or move the file")
        else:
            path.unlink(missing_ok=True)
            chosen = {"mode": mode, "error_rate": error_rate, "random_state": self.record.get("seed")}
            options: Any = {name: value for name, value in chosen.items() if value is not None}
            self.session = AnswerSession(base, path=path, **options)

    def _read_questions(self) -> QuestionPool:
        """Read the questions file of the run. Return the pool, and set attributes for the other data."""
        folder, path = self.folder, self.folder / QUESTIONS
        if self.record.get("command") == "ask":
            said = f"{folder} contains the result of an `ask` session; specify the folder of the original run"
            raise runs.FolderError(said)
        if not path.is_file():
            raise runs.FolderError(f"cannot ask questions about {folder}: {_why_not(self.record)}")
        arrays, meta = persistence.read_archive(path)
        if meta.get("format") != QUESTIONS_FORMAT:
            raise persistence.ArchiveError(f"{path} contains no question data; fit again")
        if fault := persistence.version_fault(meta.get("version"), QUESTIONS_VERSION):
            raise persistence.ArchiveError(f"{path} {fault}{', or' if 'newer' in fault else ';'} fit again")
        try:
            base = _pool_of(arrays)
            n_rows = len(runs.saved_labels(folder / runs.LABELS))
            if base.n_samples != n_rows:
                said = f"{path} contains {base.n_samples} samples, but {runs.LABELS} contains {n_rows}"
                raise runs.FolderError(f"{said}; fit again")
            self.kind: str = meta["kind"]  # noun for a sample, such as "document"
            self.outliers: BoolArray | None = arrays.get("outliers")
            self.shown = ShownSamples.unpacked(arrays, meta["shown"])
        except (KeyError, IndexError, TypeError, AttributeError) as error:
            raise persistence.ArchiveError(f"{path} is damaged: {error}") from error
        return base

    @property
    def labels(self) -> Labels:
        """Labels in the session. With ``noise="label"``, the label of outliers without answers is -1."""
        found = self.session.labels_.copy()
        if self.outliers is not None:
            known = self.session.partial_labels() != -1
            known[np.concatenate(self.session.pairs()).ravel()] = True
            found[self.outliers & ~known] = -1
            # If a cluster contains only outliers without answers, they keep the label of the cluster.
            alone = ~np.isin(self.session.labels_, found)
            found[alone] = self.session.labels_[alone]
        return found

    @property
    def cluster_names(self) -> dict[int, str]:
        """Names entered in the session or, for other clusters, names of similar clusters in the run."""
        named = {k: name for k, name in enumerate(self.session.groups_["name"].fillna("")) if name}
        if known := {int(cluster): name for cluster, name in self.record.get("cluster_names", {}).items()}:
            known = carried_names(runs.saved_labels(self.folder / runs.LABELS), self.labels, known)
        return {k: name for k, name in known.items() if name not in named.values()} | named

    @property
    def table_folder(self) -> Path | None:
        """The parent of the run folder or the current folder, whichever contains the table, or None."""
        name = self.record["data"].get("name")
        places = (self.folder.resolve().parent, Path.cwd())
        return next((place for place in places if isinstance(name, str) and (place / name).is_file()), None)

    @property
    def row_ids(self) -> Any:
        """Identifiers of all samples as text, in a Series named after their column."""
        return runs.saved_table(self.folder / runs.LABELS).iloc[:, 0].map(persistence.cell_text)

    def answers(self) -> dict[str, pd.DataFrame]:
        """Return the answers as tables for ``fit``: pairs of samples, and the group of each sample."""
        ids = self.row_ids
        found = {
            name: pd.DataFrame({"first": ids.to_numpy()[pairs[:, 0]], "second": ids.to_numpy()[pairs[:, 1]]})
            for name, pairs in zip(("must_link.csv", "cannot_link.csv"), self.session.pairs(), strict=True)
        }
        partial = self.session.partial_labels()
        text = [str(label) if known else "" for label, known in zip(partial, partial != -1, strict=True)]
        return found | {"partial_labels.csv": pd.DataFrame({ids.name: ids, "group": text})}


def _why_not(record: Mapping[str, Any]) -> str:
    askable = [name for name, method in METHODS.items() if "ask" in dir(method.load())]
    if (method := record.get("method")) not in askable:
        return f"method {method} does not create a pool of partitions; use {' or '.join(askable)}"
    if record.get("supervision"):
        given = " and ".join(f"--{name.replace('_', '-')}" for name in record["supervision"])
        return f"questions require a fit without labels or pairs; fit again without {given}"
    if record.get("status") != "complete":
        return "the fit is incomplete; fit again"
    if runs.is_in_parts(record):
        return "a fit of a partitioned table cannot be changed; fit a sample of the table"
    return f"it has no {QUESTIONS}; fit again (in Python, if there are more than {MOST_ASKED_BAGS} bags)"


def _pool_of(arrays: Mapping[str, Any]) -> QuestionPool:
    wide: dict[str, Any] = {
        name: array.astype(np.intp) if array.dtype.kind in "iu" else array for name, array in arrays.items()
    }
    similarity = wide["similarity"]
    return QuestionPool(
        PartitionPool(wide["pool"], ("saved",) * len(wide["pool"])),
        wide["score"],
        wide["start"].astype(np.int32),
        (lambda: similarity.astype(np.float64))
        if similarity.dtype == np.float32
        else partial(graph_kernel, similarity),
        features=wide.get("features"),
        landmark_of=None if "landmark_of" not in wide else wide["landmark_of"].astype(np.int32),
        nearest=(lambda: (wide["nearest"], wide["nearest_weights"])) if "nearest" in wide else None,
        representatives=wide["representatives"],
    )


def check_out(folder: Path, out: Path) -> tuple[bool, bool]:
    """Inspect ``out`` as RunFolder requires. It must be empty or contain a session about the same run."""
    if not runs.folder_names(out):
        return False, False
    try:
        record = runs.run_record(out)
    except runs.FolderError as error:
        raise runs.FolderError(f"{error}; choose another folder with --out") from error
    if record.get("command") != "ask" or record.get("asked") != _fit_of(runs.run_record(folder)):
        said = f"{out} contains a run that is not an `ask` session about {folder}"
        raise runs.FolderError(f"{said}; choose another folder with --out")
    return False, True


def _fit_of(record: Mapping[str, Any]) -> dict[str, Any]:
    return {name: record.get(name) for name in ("data", "method", "parameters", "seed")}


def save_answers(run: AskedRun, found: runs.RunFolder) -> list[str]:
    """Save the partition after all answers as a run folder, and return its file names."""
    found.reserve()
    found.look()
    out = found.path
    session, ids = run.session, run.row_ids
    groups = session.groups_
    classes, names = groups["name"].fillna("").tolist(), run.cluster_names
    labels = runs.label_frame(str(ids.name), ids, run.labels, classes if any(classes) else None)
    examples = [" ".join(ids.iloc[rows]) for rows in groups["exemplars"]]
    clusters = groups.rename(columns={"group": "cluster", "anchors": "answered", "exemplars": "examples"})
    sizes = np.bincount(run.labels[run.labels >= 0], minlength=len(groups))
    clusters = clusters.assign(examples=examples, name=clusters["cluster"].map(names), size=sizes)
    result = {"n_clusters": session.n_clusters_, "sizes": clusters["size"].tolist()}
    answers = {"mode": session.mode, "error_rate": session.error_rate_, "n_answers": len(session.history_)}
    record = {name: value for name, value in run.record.items() if name not in _OF_THE_FIT}
    record |= {"command": "ask", "asked": _fit_of(run.record), "answers": answers, "result": result}
    record |= {"expected_error": session.expected_error_, "scores": {}}
    record |= {"cluster_names": {str(cluster): name for cluster, name in names.items()}} if names else {}
    found.write_record(record | {"status": "running"})
    found.remove((runs.CONTENT, runs.REPORT))
    frames = {runs.LABELS: labels, "clusters.csv": clusters, **run.answers()}
    for name, frame in frames.items():
        runs.write_csv(out / name, frame)
    arrays = dict(zip(("labels", "must_link", "cannot_link"), (run.labels, *session.pairs()), strict=True))
    persistence.write_archive(out / "result.npz", arrays, record)
    files = [*frames, "result.npz"]
    if (run.folder / runs.CONTENT).is_file():
        from moo_clustering.visualization.report import write_report
        from moo_clustering.visualization.report.page import save_content

        content = asked_content(run)
        save_content(out / runs.CONTENT, content)
        write_report(content, out / runs.REPORT)
        files += [runs.CONTENT, runs.REPORT]
    found.finish(record | {"status": "complete", "files": files}, complete=True)
    return files


def asked_content(run: AskedRun) -> ReportContent:
    """Create a report on the solutions of the fit and the partition after all answers."""
    from moo_clustering.visualization.report import content
    from moo_clustering.visualization.report.page import merge

    session, of_fit = run.session, runs.run_content(run.folder)
    groups, labels = session.groups_, run.labels[None]
    pairs: Any = dict(zip(("must_link", "cannot_link"), session.pairs(), strict=True))
    names = run.cluster_names
    named = with_user_names([f"cluster {number}" for number in range(len(groups))], names)
    answered = content.ReportContent(
        title=f"{len(session.history_)} answers",
        names=["result"],
        labels=labels,
        sample_names=of_fit.sample_names,
        facts=[("state", session.summary())],
        sample_kind=of_fit.sample_kind,
        columns=content.size_columns(labels) + content.constraint_columns(labels, pairs),
        cluster_names={0: named} if names else {},
        left_out=of_fit.left_out,
        clusters={0: [content.ClusterFacts(typical=tuple(rows)) for rows in groups["exemplars"]]},
        **pairs,
    )
    return merge([answered, of_fit], ["answers", "fit"])


def run_ask(
    folder: Path,
    *,
    mode: Literal["pairs", "names"] | None,
    error_rate: float | Literal["auto"] | None,
    out: Path | None,
    resume: bool,
    as_json: bool = False,
) -> None:
    runs.run_record(folder)
    results = folder / "asked" if out is None else out
    again = f"moo-clustering ask {shlex.quote(str(folder))} --resume"
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    with persistence.locked(folder), runs.open_folder(results, inspect=partial(check_out, folder)) as target:
        run = AskedRun(folder, resume=resume, mode=mode, error_rate=error_rate)
        target.reserve()
        interrupted = False
        try:
            try:
                _json_dialog(run) if as_json else _dialog(run)
            except (EOFError, KeyboardInterrupt) as error:
                interrupted = isinstance(error, KeyboardInterrupt)
                click.echo(err=as_json)
            n_answers = len(run.session.history_)
            with InterruptGuard(requested=interrupted) as guard:
                files = save_answers(run, target) if n_answers else []
            interrupted = guard.requested
        except runs.FolderError as error:
            said = f"{error}; the answers are saved in {run.folder / ANSWERS}; to save the clusters in"
            raise runs.FolderError(f"{said} another folder, run {again} --out OTHER") from error
        finally:
            target.release()
    if as_json:
        saved = str(results) if n_answers else None
        click.echo(json.dumps({"n_answers": n_answers, "saved": saved, "files": files}))
    elif n_answers:
        shown = f"; open {results / runs.REPORT}" if runs.REPORT in files else ""
        other = "" if out is None else f" --out {shlex.quote(str(out))}"
        click.echo(f"Saved the clusters after {n_answers} answer{'s' * (n_answers > 1)} in {results}{shown}.")
        click.echo(f"Continue with: {again}{other}")
    else:
        click.echo("No answers were given, so nothing was saved.")
    if interrupted:
        click.get_current_context().exit(INTERRUPTED)


def _dialog(run: AskedRun) -> None:
    session = run.session
    click.echo(f"Each answer is saved to {run.folder / ANSWERS} immediately.")
    while True:
        question = session.question
        click.echo(f"\n{session.summary()}")
        click.echo("No questions are left." if question is None else _asked(run, question.samples))
        try:
            word = _typed(session.mode, run)
            _act(session, word or None)
            click.echo(_told(run) if word else "The last answer was undone.")
        except ValueError as error:
            click.echo(str(error))


def _act(session: AnswerSession, word: str | None, confidence: float | None = None) -> None:
    """Process the answer ``word``, or undo the last answer if ``word`` is None."""
    # Ctrl-C takes effect only after the answer has been saved.
    with InterruptGuard() as guard:
        session.undo() if word is None else session.answer(word, confidence=confidence)
    if guard.requested:
        raise KeyboardInterrupt


def _json_dialog(run: AskedRun) -> None:
    session, names = run.session, run.row_ids
    while (question := session.question) is not None:
        beside = run.shown.beside(question.samples)
        samples = [
            {
                "row": str(names[sample]),
                "values": {line.name: line.values[place] for line in (*beside.notes, *beside.features)},
                **({"text": beside.texts[place]} if beside.texts else {}),
            }
            for place, sample in enumerate(question.samples)
        ]
        state = {
            "question": question.number, "mode": session.mode, "samples": samples,
            "probability": question.probability, "n_clusters": session.n_clusters_,
            "expected_error": session.expected_error_, "may_stop": session.may_stop_, "known": _known(run),
        }  # fmt: skip
        click.echo(runs.json_text(state, indent=None))
        if not (text := _line(as_json=True)):
            raise EOFError
        try:
            entry = json.loads(text)
            answer, confidence = entry["answer"], entry.get("confidence")
            if not isinstance(answer, str):
                raise TypeError
            if session.mode == "pairs":
                answer = _WORDS.get(answer, answer)
        except (ValueError, KeyError, TypeError, RecursionError):
            click.echo('{"error": "an answer must be a JSON line such as {\\"answer\\": \\"together\\"}"}')
            continue
        if answer == "quit":
            return
        try:
            _act(session, None if answer == "undo" else answer, confidence)
        except (TypeError, ValueError) as error:
            click.echo(json.dumps({"error": message_line(str(error))}))


def _typed(mode: str, run: AskedRun) -> str:
    """Read input until the user enters an answer. Return "" for undo, and raise an EOFError for quit."""
    terminal = sys.stdin.isatty()
    while True:
        click.echo(_KEYS if mode == "pairs" else _NAME_KEYS, nl=False)
        text = click.getchar().lower() if terminal and mode == "pairs" else _line()
        if not text:
            raise EOFError
        text = text.strip()
        if not terminal or mode == "pairs":
            click.echo(printable_line(text))
        if text == "q":
            raise EOFError
        if "\ufffd" in text:
            click.echo("The line is not valid UTF-8.")
            continue
        if text in ("u", "?"):
            return _WORDS.get(text, "")
        if mode == "pairs":
            if text[:1].lower() in _WORDS and (len(text) == 1 or text.lower() in _WORDS.values()):
                return _WORDS[text[:1].lower()]
            click.echo(f"{shortened(text, 40)!r} is not a valid answer; expected t, a, ?, u or q.")
        elif text.startswith("#"):
            known = _known(run)
            if text[1:].isdecimal() and 0 < int(text[1:]) <= len(known):
                return known[int(text[1:]) - 1]
            click.echo(f"{shortened(text, 40)} does not exist; number of known classes: {len(known)}.")
        elif name := text.removeprefix("="):
            return name


def _line(*, as_json: bool = False) -> str:
    """Read a line of input. Return "" if the input has ended or is unreadable, or if a line is too long."""
    try:
        text = sys.stdin.readline(_LONGEST_LINE)
    except OSError:
        return ""
    if len(text) < _LONGEST_LINE or text.endswith("\n"):
        return text
    sentence = f"The input contains a line of {_LONGEST_LINE} or more characters; the rest is ignored."
    click.echo(sentence, err=as_json)
    return ""


def _known(run: AskedRun) -> list[str]:
    return run.session.groups_["name"].dropna().tolist()


def _told(run: AskedRun) -> str:
    """Say whether the last answer was expected, and how many samples it moved to other clusters."""
    history = run.session.history_
    last = history.iloc[-1]
    likely, parts = last["probability"], []
    if likely == likely and last["answer"] != "unknown":
        parts.append(f"Expected: {'together' if likely >= 0.5 else 'apart'} ({max(likely, 1 - likely):.0%}).")
    moved, k = round(last["moved"] * len(run.session.labels_)), int(last["n_clusters"])
    parts.append(f"{moved} {run.kind}{'s' * (moved != 1)} moved; {k} cluster{'s' * (k != 1)}.")
    if (number := int(last["contradicts"])) >= 0:
        earlier = f"{number + 1} ({history['answer'][number]})"
        parts.append(f"This answer probably contradicts answer {earlier}; type u to undo it.")
    return " ".join(parts)


def _asked(run: AskedRun, samples: tuple[int, ...]) -> str:
    """Format a question for the width of the terminal, with the samples side by side."""
    beside = run.shown.beside(samples)
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    differing = [line for line in beside.features if len({*line.values}) > 1 or len(samples) == 1]
    lines = [*differing[:_N_FEATURES], *beside.notes]
    first = max([4, *(min(len(line.name), width // 3) for line in lines)])
    column = max((width - first - 2) // len(samples) - 3, 10)
    rows = [["", *(shortened(name, column) for name in beside.names)]]
    rows += [[shortened(name, first), *(shortened(v, column) for v in values)] for name, values, _ in lines]
    texts = [textwrap.wrap(printable_line(text), column)[:_N_LINES] for text in beside.texts]
    rows += [["", *cells] for cells in zip_longest(*texts, fillvalue="")]
    if any(beside.words):
        listed = [textwrap.wrap(f"words: {', '.join(words)}", column) for words in beside.words]
        rows += [[""] * (1 + len(samples))]
        rows += [["", *cells] for cells in zip_longest(*listed, fillvalue="")]
    alike = [line.name for line in beside.features if len({*line.values}) == 1]
    n_more = len(differing) - _N_FEATURES
    more = [f"{n_more} more features differ less"] if n_more > 0 else []
    more += [f"equal in {', '.join(alike)}"] if alike and len(samples) == 2 else []
    if len(samples) == 2:
        head = f"Do these two {run.kind}s belong together?"
    else:
        known = ", ".join(f"#{place} {name}" for place, name in enumerate(_known(run), 1))
        head = f"What is the class of this {run.kind}?{f' Known: {known}.' if known else ''}"
    table = aligned(rows, gap="   ") + (f"\n({shortened('; '.join(more), width - 4)})" if more else "")
    return f"{shortened(head, width)}\n\n{textwrap.indent(table, '  ')}\n"
