"""Questions and answers on the terminal."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from moo_clustering.cli import main
from moo_clustering.cli.ask import AskedRun
from moo_clustering.persistence import locked

COMMAND = [sys.executable, "-m", "moo_clustering", "ask"]
WAIT = 600.0


def ask(folder, typed, *options):
    """Run the command with lines of input."""
    return CliRunner().invoke(main, ["ask", str(folder), *map(str, options)], input=typed)


def words(folder):
    """The answers on disk."""
    events = [json.loads(line) for line in (folder / "answers.json").read_text().splitlines()[1:]]
    return [event.get("answer", "undo") for event in events]


def test_two_samples_stand_side_by_side(asked_run):
    result = ask(asked_run, "t\na\n?\nu\nq\n")
    assert result.exit_code == 0, result.output
    assert words(asked_run) == ["together", "apart", "unknown", "undo"]
    first, second, *_ = result.output.split("Do these two samples belong together?")[1:]
    heads = first.strip().splitlines()[0].split()
    assert heads[0] == heads[3] == "person"
    assert first.count("person") == 2  # identifiers are only in the head
    assert "Oslo" in first + second
    assert "Expected: apart (90%)." in first
    assert "0 answers, 3 clusters (0 confirmed). About" in result.output
    assert "The last answer was undone." in result.output
    end = result.output.splitlines()[-2:]
    assert end[0].startswith("Saved the clusters after 2 answers in ")
    assert end[1] == f"Continue with: moo-clustering ask {asked_run} --resume"
    assert len(pd.read_csv(asked_run / "asked" / "labels.csv")) == 60
    for arguments in (
        ["predict", asked_run / "asked", asked_run / "labels.csv"],
        ["explain", asked_run / "asked"],
    ):
        done = CliRunner().invoke(main, list(map(str, arguments)))
        assert done.exit_code == 2
        pairs = f"--must-link {asked_run}/asked/must_link.csv --cannot-link {asked_run}/asked/cannot_link.csv"
        assert f"it contains only answers; to use them, add {pairs} to" in done.stderr


def test_names_of_classes(asked_run):
    result = ask(asked_run, "tall\n#1\n#7\n=\n=q\n\n", "--mode", "names")
    assert result.exit_code == 0, result.output
    assert words(asked_run) == ["tall", "tall", "q"]
    assert "Known: #1 tall." in result.output
    assert "#7 does not exist; number of known classes: 1." in result.output


def test_the_session_goes_on_after_the_end_of_the_input(asked_run):
    typed = "t\na\na\nt\n?\na\n"
    assert ask(asked_run, typed[:6]).exit_code == 0
    refused = ask(asked_run, "")
    assert refused.exit_code == 2
    assert "continue it with --resume" in refused.stderr
    assert ask(asked_run, typed[6:], "--resume").exit_code == 0
    labels = (asked_run / "asked" / "labels.csv").read_bytes()
    (asked_run / "answers.json").unlink()
    assert ask(asked_run, typed).exit_code == 0
    assert (asked_run / "asked" / "labels.csv").read_bytes() == labels


def test_what_is_no_answer_is_asked_again(asked_run):
    result = ask(asked_run, "yes\n\nT\nTogether\nu\nu\nu\nq\n")
    assert "'yes' is not a valid answer; expected t, a, ?, u or q." in result.output
    assert "there is no answer to undo" in result.output
    assert words(asked_run) == ["together", "together", "undo", "undo"]
    assert result.output.rstrip().endswith("No answers were given, so nothing was saved.")
    assert not (asked_run / "asked").exists()
    assert ask(asked_run, "t\nq\n", "--error-rate", "0.1").exit_code == 0
    assert words(asked_run) == ["together"]


def test_options_of_a_session(asked_run):
    assert ask(asked_run, "t\nt\n", "--error-rate", "0", "--out", asked_run / "found").exit_code == 0
    session = AskedRun(asked_run, resume=True).session
    assert session.error_rate == 0.0
    assert (asked_run / "found" / "must_link.csv").read_text().count("\n") == 3
    again = ask(asked_run, "a\n", "--resume", "--out", asked_run / "found")
    assert again.output.endswith(f"--resume --out {asked_run / 'found'}\n")


def test_nothing_is_left_to_ask(asked_run):
    group = pd.read_csv(asked_run / "labels.csv")["row"].to_numpy() % 3
    session = AskedRun(asked_run, mode="names").session
    typed = []
    while session.question is not None:
        [sample] = session.question.samples
        typed.append("abc"[group[sample]])
        session.answer(typed[-1])
    result = ask(asked_run, "", "--resume")
    assert "No questions are left." in result.output
    assert result.output.count("What is the class") == 0
    labels = pd.read_csv(asked_run / "asked" / "labels.csv")
    assert (labels["class"] == np.array(list("abc"))[group]).all()


def test_refusals_are_one_sentence(asked_run, tmp_path, fails):
    assert fails("ask", tmp_path / "nothing").endswith("nothing does not exist")
    assert "no run.json" in fails("ask", tmp_path)
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "letter.txt").write_text("dear")
    assert "choose another folder with --out" in fails("ask", asked_run, "--out", tmp_path / "own")
    assert (tmp_path / "own" / "letter.txt").read_text() == "dear"
    for rate in ("0.6", "nan", "often"):
        said = fails("ask", asked_run, "--error-rate", rate)
        assert f"'{rate}' is not valid; use a number of at least 0 and below 0.5, or auto" in said
    with locked(asked_run):
        assert "another process is writing to" in fails("ask", asked_run)
    assert not (asked_run / "answers.json").exists()
    ask(asked_run, "t\nq\n")
    lines = (asked_run / "answers.json").read_bytes()
    (asked_run / "answers.json").write_bytes(lines.replace(b'"fingerprint": "', b'"fingerprint": "0'))
    message = fails("ask", asked_run, "--resume")
    assert "another fit" in message


def test_control_characters_of_the_data_are_not_obeyed(asked_run):
    from moo_clustering.persistence import read_archive, write_archive

    arrays, meta = read_archive(asked_run / "questions.npz")
    meta["shown"]["names"] = ["\x1b[2Jname\n\u202e" for _ in meta["shown"]["names"]]
    write_archive(asked_run / "questions.npz", arrays, meta)
    assert not {"\x1b", "\u202e"} & set(ask(asked_run, "q\n").output)


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
@pytest.mark.slow
@pytest.mark.parametrize("end", [b"q", b"\x04", "interrupt"])
def test_single_keys_in_a_terminal(asked_run, end):
    import pty

    parent, child = pty.openpty()
    environment = {**os.environ, "COLUMNS": "100", "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        [*COMMAND, str(asked_run)], stdin=child, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env=environment, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    os.close(child)
    try:
        for key in (b"t", b"a"):
            wait_for_prompt(process, parent)
            os.write(parent, key)
        wait_for_prompt(process, parent)
        if end == "interrupt":
            process.send_signal(signal.SIGINT)
        else:
            os.write(parent, end)
        said = process.communicate(timeout=WAIT)[0].decode()
    finally:
        process.kill()
        os.close(parent)
    assert words(asked_run) == ["together", "apart"]
    assert "Continue with: moo-clustering ask" in said
    assert process.returncode == (130 if end == "interrupt" else 0)


def wait_for_prompt(process, terminal=None):
    said, until = b"", time.monotonic() + WAIT
    while not said.endswith(b"[q]uit: "):
        assert time.monotonic() < until
        said += process.stdout.read(1) or pytest.fail(said.decode())
    # Keys that come before single ones are read are lost.
    while terminal is not None and takes_lines(terminal):
        assert time.monotonic() < until
        time.sleep(0.01)


def takes_lines(terminal):
    import termios

    return bool(termios.tcgetattr(terminal)[3] & termios.ICANON)


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal")
@pytest.mark.slow
def test_killed_after_an_answer(asked_run):
    process = subprocess.Popen(
        [*COMMAND, str(asked_run)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    process.stdin.write(b"t\na\n")
    process.stdin.flush()
    for _ in range(3):
        wait_for_prompt(process)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=WAIT)
    # The answer that was being written is lost, and no other.
    with open(asked_run / "answers.json", "ab") as file:
        file.write(b'{"answer": "tog')
    assert len(AskedRun(asked_run, resume=True).session.history_) == 2
    assert ask(asked_run, "q\n", "--resume").exit_code == 0
    assert words(asked_run) == ["together", "apart"]


def said(result):
    """The lines of JSON on stdout."""
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_lines_of_json(asked_run):
    typed = [
        {"answer": "together"},
        {"answer": "apart"},
        {"answer": "undo"},
        {"answer": "unknown"},
        {"answer": "quit"},
    ]
    result = ask(asked_run, "".join(f"{json.dumps(line)}\n" for line in typed), "--json")
    assert result.exit_code == 0, result.output
    *questions, last = said(result)
    assert words(asked_run) == ["together", "apart", "undo", "unknown"]
    assert [question["question"] for question in questions] == [0, 1, 2, 1, 2]
    assert questions[1]["samples"] == questions[3]["samples"]
    first = questions[0]
    assert first["mode"] == "pairs"
    assert len(first["samples"]) == 2
    ids = pd.read_csv(asked_run / "labels.csv").iloc[:, 0].astype(str)
    assert {sample["row"] for sample in first["samples"]} <= set(ids)
    assert all("Oslo" in sample["values"].values() or sample["values"] for sample in first["samples"])
    assert 0 <= first["probability"] <= 1
    assert last["n_answers"] == 2
    assert last["saved"] == str(asked_run / "asked")
    assert "labels.csv" in last["files"]


@pytest.mark.parametrize(
    "line", ["perhaps", '{"answer": 3}', "[]", '{"word": "apart"}', '{"answer": "perhaps"}', "{", "[" * 5000]
)
def test_lines_that_are_no_answers(asked_run, line):
    result = ask(asked_run, f'{line}\n{{"answer": "apart"}}\n', "--json")
    assert result.exit_code == 0, result.output
    question, error, again, following, last = said(result)
    assert set(error) == {"error"}
    assert again == question
    assert following["question"] == 1
    assert last["n_answers"] == 1


def test_no_answer_in_json(asked_run):
    result = ask(asked_run, "", "--json")
    assert said(result)[-1] == {"n_answers": 0, "saved": None, "files": []}


def test_names_in_json(asked_run):
    typed = '{"answer": "tall"}\n{"answer": "small"}\n'
    questions = said(ask(asked_run, typed, "--json", "--mode", "names"))
    assert questions[2]["known"] == ["tall", "small"]
    assert [len(question["samples"]) for question in questions[:3]] == [1, 1, 1]


def test_confident_answers_in_json(asked_run):
    typed = [
        {"answer": "t", "confidence": 0.9},
        {"answer": "a", "confidence": 1},
        {"answer": "?", "confidence": None},
        {"answer": "a", "confidence": 0.4},
        {"answer": "a", "confidence": "high"},
    ]
    result = ask(asked_run, "".join(f"{json.dumps(line)}\n" for line in typed), "--json")
    assert result.exit_code == 0, result.output
    lines = (asked_run / "answers.json").read_text().splitlines()[1:]
    answers = [(event["answer"], event.get("confidence")) for event in map(json.loads, lines)]
    assert answers == [("together", 0.9), ("apart", 1.0), ("unknown", None)]
    errors = [line["error"] for line in said(result) if "error" in line]
    assert errors[0] == "confidence must be in (0.5, 1], got 0.4"
    assert errors[1] == "confidence must be a number from 0 to 1, got 'high'"


def test_an_error_rate_is_learnt(asked_run):
    typed = "t\n" * 12
    result = ask(asked_run, typed, "--error-rate", "auto")
    assert result.exit_code == 0, result.output
    assert "An estimated 3% of the answers are wrong." in result.output
    session = AskedRun(asked_run, resume=True, error_rate="auto").session
    assert session.error_rate == "auto"
    assert "repeat" in set(session.history_["kind"])
    record = json.loads((asked_run / "asked" / "run.json").read_text())
    assert record["answers"]["error_rate"] == session.error_rate_
    assert "omit --error-rate" in ask(asked_run, "", "--resume", "--error-rate", "0.1").stderr
