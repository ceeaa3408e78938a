"""The command ``ask``: questions about a run and their answers on the terminal."""

from __future__ import annotations

import io
import shlex
import shutil
import sys
import textwrap
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Literal

import click

from moo_clustering.algorithms.search import InterruptGuard
from moo_clustering.cli.ask import ANSWERS, ASKED, AskedRun, check_out, open_session, save_answers
from moo_clustering.cli.folder import REPORT, FolderError, open_folder, run_record
from moo_clustering.cli.terminal import INTERRUPTED, aligned, printable_line, shortened, shown_warnings
from moo_clustering.persistence import locked

_WORDS = {"t": "together", "a": "apart", "?": "unknown"}
_KEYS = "[t]ogether  [a]part  [?] don't know  [u]ndo  [q]uit: "
_NAME_KEYS = "class (a name, #1 for the first known one, ? don't know, u undo, q quit, =u for a class u): "
# Features and lines of a text that are shown of a sample; a line is no longer than the eye follows.
_N_FEATURES, _N_LINES, _WIDEST = 8, 12, 120
# Characters of a line of the input, which may come from a device without an end.
_LONGEST_LINE = 10_000


def run_ask(
    folder: Path,
    *,
    mode: Literal["pairs", "names"] | None,
    error_rate: float | None,
    out: Path | None,
    resume: bool,
) -> None:
    """Ask until the user quits or the input ends, and save the partition; exit code 130 after Ctrl-C."""
    run_record(folder)
    results = folder / ASKED if out is None else out
    again = f"moo-clustering ask {shlex.quote(str(folder))} --resume"
    interrupted = False
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    with locked(folder), open_folder(results, inspect=partial(check_out, folder)) as target:
        with shown_warnings():
            run = open_session(folder, resume=resume, mode=mode, error_rate=error_rate)
        # Nobody else can write there while questions are asked.
        target.reserve()
        try:
            try:
                _dialog(run)
            except EOFError:
                click.echo()
            except KeyboardInterrupt:
                interrupted = True
                click.echo()
            n_answers = len(run.session.history_)
            with InterruptGuard(requested=interrupted) as guard:
                files = save_answers(run, target) if n_answers else []
            interrupted = guard.requested
        except FolderError as error:
            raise FolderError(
                f"{error}; the answers are kept in {run.folder / ANSWERS}, and {again} --out OTHER saves "
                "their clusters elsewhere"
            ) from error
        finally:
            target.release()
    if n_answers:
        shown = f"; open {results / REPORT}" if REPORT in files else ""
        other = "" if out is None else f" --out {shlex.quote(str(out))}"
        click.echo(
            f"Saved the clusters after {n_answers} answer{'s' * (n_answers != 1)} in {results}{shown}."
        )
        click.echo(f"Go on with: {again}{other}")
    else:
        click.echo("There are no answers, and nothing to save.")
    if interrupted:
        click.get_current_context().exit(INTERRUPTED)


def _dialog(run: AskedRun) -> None:
    session = run.session
    click.echo(f"Every answer is saved in {run.folder / ANSWERS} before the next question.")
    while True:
        question = session.question
        click.echo(f"\n{session.summary()}")
        click.echo("No question is left." if question is None else _asked(run, question.samples))
        try:
            word = _typed(session.mode, run)
            # An answer is taken in whole, on the disk and in the session.
            with InterruptGuard() as guard:
                session.answer(word) if word else session.undo()
            if guard.requested:
                raise KeyboardInterrupt
            click.echo(_told(run) if word else "The last answer is taken back.")
        except ValueError as error:
            click.echo(str(error))


def _typed(mode: str, run: AskedRun) -> str:
    """An answer, once one is typed, by a single key where that is enough; empty for undo; EOFError to end."""
    terminal = sys.stdin.isatty()
    while True:
        click.echo(_KEYS if mode == "pairs" else _NAME_KEYS, nl=False)
        if terminal and mode == "pairs":
            text = click.getchar().strip().lower()
        elif not (text := _line()):
            raise EOFError
        else:
            text = text.strip()
        if not terminal or mode == "pairs":
            click.echo(printable_line(text))
        if text == "q":
            raise EOFError
        if "\ufffd" in text:
            click.echo("this line is not text in UTF-8.")
            continue
        if text in ("u", "?"):
            return _WORDS.get(text, "")
        if mode == "pairs":
            if text[:1].lower() in _WORDS and (len(text) == 1 or text.lower() in _WORDS.values()):
                return _WORDS[text[:1].lower()]
            click.echo(f"{shortened(text, 40)!r} is none of the answers t, a, ?, u and q.")
        elif text.startswith("#"):
            known = _known(run)
            if text[1:].isdecimal() and 0 < int(text[1:]) <= len(known):
                return known[int(text[1:]) - 1]
            click.echo(f"there are {len(known)} known classes, and no {shortened(text, 40)}.")
        elif name := text.removeprefix("="):
            return name


def _line() -> str:
    """A line of the input; empty at its end, which may be that its terminal is gone, or no line ever ends."""
    try:
        text = sys.stdin.readline(_LONGEST_LINE)
    except OSError:
        return ""
    if len(text) < _LONGEST_LINE or text.endswith("\n"):
        return text
    click.echo(f"the input has a line of {_LONGEST_LINE} characters or more, and is not read any further.")
    return ""


def _known(run: AskedRun) -> list[str]:
    """Names of classes that were given so far."""
    return run.session.groups_["name"].dropna().tolist()


def _told(run: AskedRun) -> str:
    """The sentence after an answer: the expected answer, and the samples that moved."""
    history = run.session.history_
    last = history.iloc[-1]
    likely, parts = last["probability"], []
    if likely == likely and last["answer"] != "unknown":
        parts.append(f"Expected {'together' if likely >= 0.5 else 'apart'}, {max(likely, 1 - likely):.0%}.")
    moved = round(last["moved"] * len(run.session.labels_))
    parts.append(f"{moved} {run.kind}{'s' * (moved != 1)} moved; {last['n_clusters']} clusters.")
    if last["contradicts"] >= 0:
        number = int(last["contradicts"])
        earlier = f"{number + 1} ({history['answer'][number]})"
        parts.append(f"This contradicts answer {earlier}; u takes the new one back.")
    return " ".join(parts)


def _asked(run: AskedRun, samples: tuple[int, ...]) -> str:
    """The question, with the samples side by side in a terminal of any width."""
    beside = run.shown.beside(samples)
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    differing = [line for line in beside.features if len({*line.values}) > 1 or len(samples) == 1]
    lines = [*beside.notes, *differing[:_N_FEATURES]]
    first = max([4, *(min(len(line.name), width // 3) for line in lines)])
    column = max((width - first - 2) // len(samples) - 3, 10)
    rows = [["", *(shortened(name, column) for name in beside.names)]]
    rows += [[shortened(name, first), *(shortened(v, column) for v in values)] for name, values, _ in lines]
    texts = [textwrap.wrap(printable_line(text), column)[:_N_LINES] for text in beside.texts]
    rows += [["", *cells] for cells in zip_longest(*texts, fillvalue="")]
    if any(beside.words):
        listed = [textwrap.wrap(f"words: {', '.join(words)}", column) for words in beside.words]
        rows += [
            ["", *([""] * len(samples))],
            *(["", *cells] for cells in zip_longest(*listed, fillvalue="")),
        ]
    alike = [line.name for line in beside.features if len({*line.values}) == 1]
    more = (
        [] if len(differing) <= _N_FEATURES else [f"{len(differing) - _N_FEATURES} more features differ less"]
    )
    more += [f"alike in {', '.join(alike)}"] if alike and len(samples) == 2 else []
    if len(samples) == 2:
        head = f"Do these two {run.kind}s belong together?"
    else:
        known = ", ".join(f"#{place} {name}" for place, name in enumerate(_known(run), 1))
        head = f"What is the class of this {run.kind}?{f' Known: {known}.' if known else ''}"
    table = aligned(rows, gap="   ") + (f"\n({shortened('; '.join(more), width - 4)})" if more else "")
    return f"{shortened(head, width)}\n\n{textwrap.indent(table, '  ')}\n"
