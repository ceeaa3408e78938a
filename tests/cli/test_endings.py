"""How commands end: signals, streams that are closed or full, targets that change while a command works."""

import errno
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import nullcontext

import numpy as np
import pytest
from click.testing import CliRunner

from moo_clustering import MOCK, PESC, NMFClustering
from moo_clustering.algorithms import search
from moo_clustering.cli import ask, fit, folder, main
from moo_clustering.interactive import AnswerSession
from tests.registry import DATA, ESTIMATORS

WAIT = 300
SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
MOCK_RUN = ("fit", "iris", "--method", "mock", "--set", "pop_size=10", "--set", "n_gen=4", "--no-report")
COMMAND = [sys.executable, "-m", "moo_clustering"]


@pytest.fixture(autouse=True)
def default_signals():
    """Do not ignore signals, even if the tests were started with ``nohup``, which ignores SIGHUP."""
    ignored = [number for number in SIGNALS if signal.getsignal(number) is signal.SIG_IGN]
    for number in ignored:
        signal.signal(number, signal.SIG_DFL)
    yield
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)


@pytest.fixture
def generation(monkeypatch):
    """Call a function when a search has done its second generation."""

    def at_second(call):
        observe = search._observe

        def observed(running, *others):
            observe(running, *others)
            if running.generation == 2:
                call()

        monkeypatch.setattr(search, "_observe", observed)

    return at_second


def status(path):
    return json.loads((path / "run.json").read_text())["status"]


# Signals.


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_keeps_the_result_so_far(run, generation, tmp_path, number):
    before = [signal.getsignal(each) for each in SIGNALS]
    generation(lambda: signal.raise_signal(number))
    result = run(*MOCK_RUN, "--out", "out", "--checkpoint-every", 1)
    assert result.exit_code == 128 + number
    assert "the result so far is saved; to continue, rerun the command with --resume" in result.stderr
    assert status(tmp_path / "out") == "interrupted"
    assert (tmp_path / "out" / "labels.csv").exists()
    assert [signal.getsignal(each) for each in SIGNALS] == before


@pytest.mark.parametrize("number", SIGNALS)
def test_a_second_signal_ends_at_once(run, generation, tmp_path, number):
    generation(lambda: [signal.raise_signal(each) for each in (number, SIGNALS[0])])
    result = run(*MOCK_RUN, "--out", "out", "--quiet")
    assert result.exit_code == 128 + number
    assert "there is no result yet" in result.stderr
    assert sorted(os.listdir(tmp_path / "out")) == ["run.json"]


@pytest.mark.parametrize(
    "number", [SIGNALS[0], *(pytest.param(number, marks=pytest.mark.slow) for number in SIGNALS[1:])]
)
def test_a_signal_while_results_are_saved_waits_for_them(run, monkeypatch, tmp_path, number):
    save = fit.save_results

    def saved(*arguments, **options):
        signal.raise_signal(number)
        return save(*arguments, **options)

    monkeypatch.setattr(fit, "save_results", saved)
    result = run(*MOCK_RUN[:-1], "--out", "out", "--quiet")
    assert result.exit_code == 128 + number
    assert "report.html could not be written (interrupted); the results are saved" in result.stderr
    assert status(tmp_path / "out") == "complete"
    assert (tmp_path / "out" / "labels.csv").exists()
    assert not (tmp_path / "out" / "report.html").exists()


@pytest.mark.parametrize("number", SIGNALS)
def test_every_command_ends_with_the_number_of_the_signal(monkeypatch, asked_run, tmp_path, number):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.csv").write_text("a,b\n1,2\n2,3\n")
    needed = {
        "fit": ["iris", "--out", "out"],
        "compare": ["table.csv"],
        "study": ["table.csv"],
        "predict": [str(asked_run), "table.csv"],
        "update": [str(asked_run), "table.csv"],
    }
    for name, command in main.commands.items():
        monkeypatch.setattr(command, "callback", lambda **_: signal.raise_signal(number))
        on_a_run = name in ("ask", "choose", "explain", "explore", "rename", "report")
        arguments = needed.get(name, [str(asked_run)] if on_a_run else [])
        result = CliRunner().invoke(main, [name, *arguments])
        assert (result.exit_code, result.output) == (128 + number, "\nInterrupted.\n"), name


def test_signals_that_are_ignored_stay_ignored(run, generation, tmp_path):
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        generation(lambda: signal.raise_signal(signal.SIGTERM))
        assert run(*MOCK_RUN, "--out", "out", "--quiet").exit_code == 0
    finally:
        signal.signal(signal.SIGTERM, before)
    assert status(tmp_path / "out") == "complete"


def test_a_fit_in_python_takes_the_signals_that_it_is_given(generation):
    """SIGTERM counts as Ctrl-C where the caller gave both one handler, and is left alone elsewhere."""
    taken = []
    X = np.random.default_rng(0).random((40, 3))
    model = MOCK(pop_size=10, n_gen=10, random_state=0)
    generation(lambda: signal.raise_signal(signal.SIGTERM))
    before = signal.signal(signal.SIGTERM, lambda *_: taken.append(True))
    try:
        assert not model.fit(X).interrupted_
        assert taken == [True]
        signal.signal(signal.SIGTERM, signal.getsignal(signal.SIGINT))
        with pytest.warns(search.InterruptedSearchWarning, match="after 2 of 9"):
            assert model.fit(X).interrupted_
        assert signal.getsignal(signal.SIGTERM) is signal.getsignal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGTERM, before)


def test_eof_within_a_command_is_no_interruption(fails, run, monkeypatch):
    def cut_off(*_, **__):
        raise EOFError("Ran out of input")

    monkeypatch.setattr(fit, "load_data", cut_off)
    assert fails(*MOCK_RUN, "--out", "out").startswith("unexpected end of data: Ran out of input")
    result = CliRunner().invoke(main, ["--traceback", *MOCK_RUN, "--out", "out"])
    assert isinstance(result.exception, EOFError)


# A compilation in which the signal arrives while LLVM calls Python back, where exceptions are lost.
COMPILING = """
import os, signal, sys
from numba.core.codegen import JITCodeLibrary
hook, seen = getattr(JITCodeLibrary, sys.argv[1]), []
def hooked(cls, *arguments):
    seen.append(True)
    if len(seen) == 3:
        os.kill(os.getpid(), int(sys.argv[2]))
    return hook(*arguments)
setattr(JITCodeLibrary, sys.argv[1], classmethod(hooked))
from moo_clustering.cli import main
main(sys.argv[3:])
"""


@pytest.mark.slow
@pytest.mark.parametrize("hook", ["_object_compiled_hook", "_object_getbuffer_hook"])
@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_within_a_compilation_is_not_lost(tmp_path, hook, number):
    arguments = ("fit", "iris", "--method", "mock", "--set", "n_gen=100000", "--out", "out")
    done = subprocess.run(
        [sys.executable, "-c", COMPILING, hook, str(int(number)), *arguments, "--quiet"],
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}, cwd=tmp_path, timeout=WAIT,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 128 + number, done.stderr
    assert done.stderr.count("\n") == 1
    assert "Interrupted" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
@pytest.mark.parametrize("number", SIGNALS)
def test_an_interruption_inside_exec_does_not_change_the_exit_code(tmp_path, number):
    """Libraries compile text with ``exec``; Python would exit by SIGINT after it, where a module is run."""
    (tmp_path / "inside.py").write_text(
        "import signal\n"
        "import click\n"
        "from moo_clustering.cli.terminal import Command\n\n\n"
        "@click.command(cls=Command)\n"
        "def main():\n"
        f"    exec('signal.raise_signal({int(number)})')\n\n\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "inside"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 128 + number, done.stderr
    assert "Interrupted" in done.stderr


def test_what_was_dropped_within_a_callback_is_raised_again():
    """A library that calls back from C drops what is raised there; the interruption comes all the same."""
    import ctypes

    from moo_clustering.cli.terminal import Ending

    called = ctypes.CFUNCTYPE(None)(lambda: signal.raise_signal(signal.SIGINT))
    with Ending() as ending, pytest.raises(KeyboardInterrupt):  # noqa: PT012
        called()
        time.sleep(WAIT)
    assert ending.code == 130


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
@pytest.mark.parametrize(
    "number",
    [pytest.param(signal.SIGTERM, marks=pytest.mark.slow)]
    + [pytest.param(each, marks=pytest.mark.nightly) for each in SIGNALS if each != signal.SIGTERM],
)
@pytest.mark.parametrize("name", ["fit", "demo", "ask", "explore", "explore --ask", "warm-up"])
def test_processes_that_run_long_end_by_signals(asked_run, tmp_path, name, number):
    """Each is sent the signal when it has begun its work, and leaves nothing half done."""
    if name.startswith("explore"):
        fitted = CliRunner().invoke(main, ["fit", "iris", "--out", str(tmp_path / "run"), "--quiet"])
        assert fitted.exit_code == 0
    arguments, ready = {
        "fit": ([*MOCK_RUN[:6], "--set", "n_gen=1000000", "--no-report", "--out", "out"], "gen/s"),
        "demo": (["demo", "--out", "out"], "PESC on the wine data"),
        "ask": (["ask", str(asked_run)], "[q]uit"),
        "explore": (["explore", "run", "--no-browser"], "press Ctrl-C to stop"),
        "explore --ask": (["explore", "run", "--no-browser", "--ask"], "Answers are saved to"),
        "warm-up": (["warm-up"], "Compiling"),
    }[name]
    with subprocess.Popen(
        [*COMMAND, *arguments], cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, env={**os.environ, "PYTHONUNBUFFERED": "1"},
        preexec_fn=lambda: [signal.signal(each, signal.SIG_DFL) for each in SIGNALS],
    ) as process:  # fmt: skip
        said = b""
        while ready.encode() not in said:
            said += process.stdout.read(1) or pytest.fail(said.decode())
        process.send_signal(number)
        said += process.communicate(timeout=WAIT)[0]
    ends_well = name.startswith("explore") and number == signal.SIGINT
    assert process.returncode == (0 if ends_well else 128 + number), said.decode()
    assert b"Traceback" not in said
    for place in (tmp_path, tmp_path / "out", tmp_path / "run", asked_run):
        assert not [each for each in place.glob(".*") if each.name != ".pytest_cache"]


# Streams.


class Closed:
    """A stream that says that it is closed."""

    encoding = "utf-8"

    def write(self, text=""):
        raise ValueError("I/O operation on closed file.")

    flush = isatty = fileno = readline = write


def broken(kind, name):
    """A standard stream that is missing, full or closed."""
    if kind == "full":
        return open("/dev/full", "r" if name == "stdin" else "w")
    return None if kind == "missing" else Closed()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("kind", ["missing", "full"])
@pytest.mark.parametrize("names", [("stdin",), ("stdout",), ("stderr",), ("stdin", "stdout", "stderr")])
def test_no_result_is_lost_with_a_stream(monkeypatch, asked_run, tmp_path, kind, names):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.csv").write_text("a,b,c\nx,2,1\ny,3,1\nz,5,4\n")
    uses = {
        "fit": ["fit", "iris", "--method", "spherical-kmeans", "-k", "3", "--out", "out"],
        "report": ["report", "out"],
        "ask": ["ask", str(asked_run)],
        "compare": ["compare", "table.csv", "--figure", "figure.svg"],
        "methods": ["methods"],
    }
    for use, arguments in uses.items():
        with monkeypatch.context() as patch:
            for name in names:
                patch.setattr(sys, name, broken(kind, name))
            if "stdin" not in names:
                patch.setattr(sys, "stdin", io.StringIO())
            with pytest.raises(SystemExit) as ended:
                main(arguments)
        # What these print is nowhere else.
        prints = use in ("compare", "methods")
        assert ended.value.code == (2 if prints and "stdout" in names else 0), use
    assert status(tmp_path / "out") == "complete"
    assert (tmp_path / "out" / "report.html").exists()
    assert (tmp_path / "figure.svg").exists()


MODELS = [
    MOCK(pop_size=10, n_gen=2, random_state=0, verbose=True),
    PESC(2, pop_size=10, n_gen=2, random_state=0, verbose=True),
    NMFClustering(2, random_state=0),
]


@pytest.mark.parametrize("kind", ["missing", "full", "closed"])
def test_progress_is_best_effort(monkeypatch, kind):
    X = np.random.default_rng(0).random((40, 3))
    for model in MODELS:
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stderr", broken(kind, "stderr"))
            patch.setattr(sys, "stdout", broken(kind, "stdout"))
            assert len(model.fit(X).labels_) == 40


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["missing", "full", "closed"])
def test_progress_of_every_estimator_is_best_effort(monkeypatch, kind):
    failures, count = [], 0
    for name, setting in ESTIMATORS.items():
        model = setting.make()
        if "verbose" not in model.get_params(deep=False):
            continue
        count += 1
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stderr", broken(kind, "stderr"))
            patch.setattr(sys, "stdout", broken(kind, "stdout"))
            try:
                X, _, y = DATA[setting.data](0)
                model.set_params(verbose=True).fit(X, *([y] if setting.targets == "label sets" else []))
            except (AttributeError, OSError, ValueError) as error:
                failures.append(f"{name}: {type(error).__name__}: {error}")
    assert failures == []
    assert count > 15


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="shells of Unix")
@pytest.mark.parametrize("closed", ["2>&-", ">&-", "<&-", "<&- >&- 2>&-", "2>/dev/full", ">/dev/full 2>&1"])
def test_a_process_with_closed_streams_saves_its_results(tmp_path, closed):
    line = f"{' '.join(COMMAND)} {' '.join(MOCK_RUN)} --out out {closed}"
    assert subprocess.run(["sh", "-c", line], cwd=tmp_path, timeout=WAIT, check=False).returncode == 0
    assert status(tmp_path / "out") == "complete"
    # No message has got into a file that took the number of a closed stream.
    assert (tmp_path / "out" / "labels.csv").read_text().count("\n") == 151


# Targets that change while a command works.


def test_a_file_that_appears_during_questions_is_not_replaced(asked_run, monkeypatch, tmp_path):
    def typed(mode, run):
        (tmp_path / "res" / "labels.csv").write_text("my thesis")
        raise EOFError

    words = iter(["together"])
    monkeypatch.setattr(ask, "_typed", lambda *given: next(words, None) or typed(*given))
    result = CliRunner().invoke(main, ["ask", str(asked_run), "--out", str(tmp_path / "res")])
    assert result.exit_code == 2
    assert "res is not a run folder" in result.stderr
    assert f"the answers are saved in {asked_run / 'answers.json'}" in result.stderr
    assert "--resume --out OTHER" in result.stderr
    assert os.listdir(tmp_path / "res") == ["labels.csv"]
    assert (tmp_path / "res" / "labels.csv").read_text() == "my thesis"
    monkeypatch.undo()
    other = ["ask", str(asked_run), "--resume", "--out", str(tmp_path / "other")]
    assert CliRunner().invoke(main, other, input="").exit_code == 0
    assert status(tmp_path / "other") == "complete"


def test_nobody_else_writes_to_the_results_of_questions(asked_run, people, monkeypatch, tmp_path):
    """Neither a session about a copy of the run nor a fit, from the first question to the last byte."""
    other, out = shutil.copytree(people, tmp_path / "copy"), str(tmp_path / "res")
    refused = []

    def typed(mode, run):
        for arguments in (["ask", str(other), "--out", out], [*MOCK_RUN, "--out", out]):
            with monkeypatch.context() as patch:
                patch.setattr(ask, "_dialog", lambda run: None)
                result = CliRunner().invoke(main, arguments)
            refused.append((result.exit_code, "another process is writing to" in result.stderr))
        raise EOFError

    monkeypatch.setattr(ask, "_typed", typed)
    result = CliRunner().invoke(main, ["ask", str(asked_run), "--out", out])
    assert result.exit_code == 0
    assert refused == [(2, True)] * 2
    # Nothing was answered, so that nothing stays.
    assert not os.path.exists(out)


def test_an_answer_is_taken_in_whole(asked_run, monkeypatch):
    """Ctrl-C between the line on the disk and the change of the session."""
    record = AnswerSession._record

    def recorded(session, event):
        record(session, event)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(AnswerSession, "_record", recorded)
    opened = []
    found = ask.AskedRun
    monkeypatch.setattr(ask, "AskedRun", lambda *a, **o: opened.append(1) or found(*a, **o))
    result = CliRunner().invoke(main, ["ask", str(asked_run)], input="t\na\n")
    assert result.exit_code == 130
    assert "Saved the clusters after 1 answer in" in result.output
    assert opened == [1]
    assert len((asked_run / "answers.json").read_text().splitlines()) == 2
    assert status(asked_run / "asked") == "complete"


def test_a_file_that_appears_before_a_run_begins_is_left_alone(run, monkeypatch, tmp_path):
    load = fit.load_data

    def loaded(*arguments, **options):
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / "labels.csv").write_text("my thesis")
        return load(*arguments, **options)

    monkeypatch.setattr(fit, "load_data", loaded)
    result = run(*MOCK_RUN, "--out", "out", "--quiet")
    assert result.exit_code == 2
    assert "out contains other files; choose another folder with --out" in result.stderr
    assert os.listdir(tmp_path / "out") == ["labels.csv"]


@pytest.mark.parametrize("what", ["file", "removed", "replaced"])
def test_a_result_is_not_lost_with_its_folder(run, generation, tmp_path, what):
    out = tmp_path / "out"

    def change():
        if what == "file":
            (out / "labels.csv").write_text("my thesis")
            return
        shutil.rmtree(out)
        if what == "replaced":
            out.mkdir()
            (out / "mine.txt").write_text("dear")

    generation(change)
    (tmp_path / "out-1").mkdir()
    result = run(*MOCK_RUN, "--out", "out", "--quiet")
    assert result.exit_code == 0, result.output
    assert "the results are saved in out-2" in result.stderr
    assert status(tmp_path / "out-2") == "complete"
    assert len((tmp_path / "out-2" / "labels.csv").read_text().splitlines()) == 151
    assert not (tmp_path / "out-2" / ".moo_clustering.lock").exists()
    if what == "file":
        assert (out / "labels.csv").read_text() == "my thesis"
    elif what == "replaced":
        assert os.listdir(out) == ["mine.txt"]


def test_a_file_that_appears_while_a_page_is_made_is_not_replaced(
    run, fails, slices, table, monkeypatch, tmp_path
):
    slices_run = ("fit", "table.csv", "--method", "slices", "-k", 3, "--drop", "kind", "--drop", "some")
    assert run(*slices_run, "--id-column", "id", "--out", "out").exit_code == 0
    merged = folder.merged_content

    def content(folders):
        (tmp_path / "page.html").write_text("my thesis")
        return merged(folders)

    check = folder.check_page
    calls = []

    def checked(page):
        check(page)
        calls.append(page.write_text("my thesis"))

    monkeypatch.setattr(folder, "check_page", checked)
    assert "page.html exists and is not a moo-clustering report" in fails(
        "report", "out", "--out", "page.html"
    )
    assert len(calls) == 1
    assert (tmp_path / "page.html").read_text() == "my thesis"
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(folder, "merged_content", content)
    assert "page.html exists and is not a moo-clustering report" in fails(
        "report", "out", "--out", "page.html"
    )


# Answers whose last line has no end.


def test_a_whole_answer_without_the_end_of_its_line_counts(asked_run):
    assert CliRunner().invoke(main, ["ask", str(asked_run)], input="t\na\nt\n").exit_code == 0
    path = asked_run / "answers.json"
    whole = path.read_text()
    path.write_text(whole.rstrip("\n"))
    result = CliRunner().invoke(main, ["ask", str(asked_run), "--resume"], input="")
    assert "after 3 answers" in result.output
    assert result.stderr == ""
    assert path.read_text() == whole
    last = whole.splitlines()[-1]
    for cut in range(1, len(last)):
        path.write_text(whole[: -1 - cut])
        with (
            pytest.warns(UserWarning, match="the last line .4. is incomplete")
            if cut < len(last)
            else nullcontext()
        ):
            session = ask.AskedRun(asked_run, resume=True).session
        assert len(session.history_) == 2
        assert path.read_text() == "".join(whole.splitlines(keepends=True)[:3])


@pytest.mark.parametrize(
    "line", ["[" * 100_000, '{"answer": ' + "[" * 900 + "]" * 900 + ', "samples": [0, 1]}', "{", "1", "\0"]
)
def test_lines_that_are_no_answers_are_named(asked_run, line):
    assert CliRunner().invoke(main, ["ask", str(asked_run)], input="t\n").exit_code == 0
    with open(asked_run / "answers.json", "a") as file:
        file.write(line + "\n")
    result = CliRunner().invoke(main, ["ask", str(asked_run), "--resume"], input="")
    assert result.exit_code == 2
    assert result.stderr.startswith(f"Error: {asked_run / 'answers.json'} is damaged: line 3 is not ")


def test_lines_that_are_not_utf_8_are_asked_again(asked_run):
    result = CliRunner().invoke(main, ["ask", str(asked_run)], input=b"\xff\nt\n\xfe\xff\na\n")
    assert result.exit_code == 0
    assert result.output.count("The line is not valid UTF-8") == 2
    assert "after 2 answers" in result.output


class Gone(io.StringIO):
    """The input of a terminal that is gone."""

    def readline(self, size=-1):
        raise OSError(errno.EIO, "Input/output error")


def test_input_that_cannot_be_read_or_never_ends_is_at_its_end(asked_run, monkeypatch):
    for given in (Gone(), io.StringIO("t" * 10_000_000)):
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", given)
            with pytest.raises(SystemExit) as ended:
                main(["ask", str(asked_run)])
        assert ended.value.code == 0


def test_threads_do_not_end(asked_run):
    """Outside the main thread no handler can be set, and none is."""
    found = []
    thread = threading.Thread(
        target=lambda: found.append(CliRunner().invoke(main, ["ask", str(asked_run)], input="").exit_code)
    )
    thread.start()
    thread.join()
    assert found == [0]
