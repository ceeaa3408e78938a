"""Runs that are killed at any moment go on to the same end; ``kills.py`` is the long form."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks processes")

HERE = Path(__file__).parent
# Those that take little time, of every kind: estimators on pymoo and DEAP, runs, searches, commands.
QUICK = (
    "NSGA2Clus",
    "EnsembleNMF",
    "MIGCUK",
    "drive DEAP chc",
    "fit nsga2-clus, new process",
    "reproduce multi-instance",
)


def python(script, *arguments, place):
    """Run a script of this folder in a process without threads, which can be forked."""
    return subprocess.run(
        [sys.executable, HERE / script, *arguments],
        capture_output=True,
        text=True,
        timeout=1800,
        env={**os.environ, "TMPDIR": str(place)},
        check=False,
    )


@pytest.mark.nightly
def test_killed_and_gone_on_is_never_killed(tmp_path):
    asked = (
        "--kills",
        "10",
        "--seed",
        "1",
        "--families",
        ";".join(QUICK),
        "--write",
        tmp_path / "figures.json",
    )
    done = python("kills.py", *asked, place=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads((tmp_path / "figures.json").read_text())
    assert found["kills"] == 10
    assert found["resumed"] == found["equal"] >= len(QUICK)
    assert all(row["kills"] for row in found["rows"])
    # Neither only before anything was written, nor only between writes.
    assert found["while_writing"] > 0
    assert found["from_saved"] > 0


def between_writes(tmp_path, *asked):
    """Figures of runs that are killed between two writes and all go on to the same end."""
    figures = tmp_path / "figures.json"
    done = python("kills.py", "--between-writes", *asked, "--write", figures, place=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(figures.read_text())
    assert found["kills"] == found["resumed"] == found["equal"] > 0
    return {row["family"]: row for row in found["rows"]}


@pytest.mark.nightly
def test_killed_between_two_writes(tmp_path):
    rows = between_writes(tmp_path, "--families", "fit without checkpoints", "--most", "4")
    first, *_, last = rows["fit without checkpoints"]["boundaries"]
    assert first == "make folder out"
    assert last == "remove out/.moo_clustering.lock"


@pytest.mark.slow
def test_three_kinds_of_runs_killed_between_two_writes(tmp_path):
    names = ("fit of nsga2-clus", "report", "reproduce multi-instance")
    rows = between_writes(tmp_path, "--families", ";".join(names), "--most", "5")
    assert rows["fit of nsga2-clus"]["from_saved"] > 0
    assert rows["reproduce multi-instance"]["from_saved"] > 0
    assert "rename to both.html" in rows["report"]["boundaries"]


@pytest.mark.nightly
def test_every_run_killed_between_any_two_writes(tmp_path):
    rows = between_writes(tmp_path)
    # The word "complete" comes last but for the checkpoint, which goes when all else is there.
    order = rows["fit of mock"]["boundaries"][-5:]
    assert order[0] == "rename to out/report.html"
    assert order[2:] == [
        "rename to out/run.json", "remove out/checkpoint.npz", "remove out/.moo_clustering.lock"
    ]  # fmt: skip


@pytest.mark.nightly
def test_the_harness_sees_what_is_wrong(tmp_path):
    (tmp_path / "runs").mkdir()
    done = python("broken_families.py", tmp_path / "runs", place=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    failures = {row["family"]: " ".join(row["failures"]) for row in found["rows"]}
    assert failures.pop("sound") == ""
    assert "other total" in failures.pop("forgets")
    assert "started over, although there was something to go on from" in failures.pop("starts over")
    assert "RuntimeError: it cannot go on" in failures.pop("fails")
    assert "table.csv after the kill" in failures.pop("writes in place")
    assert not failures
    (sound,) = (row for row in found["rows"] if row["family"] == "sound")
    assert sound["kills"] > sound["while_writing"] > 0
    assert sound["resumed"] == sound["equal"] >= sound["from_saved"] > 0


def test_every_estimator_with_checkpoints_is_killed():
    from kill_families import FAMILIES, Model

    from tests.registry import ESTIMATORS

    saving = {name for name, setting in ESTIMATORS.items() if setting.saves}
    assert saving == {family.setting.class_name for family in FAMILIES if isinstance(family, Model)}
    names = [family.name for family in FAMILIES]
    assert len(set(names)) == len(names)


@pytest.mark.slow
def test_of_two_resumes_at_once_one_is_refused(tmp_path):
    search = ("--method", "mock", "--set", "pop_size=20", "--set", "n_gen=200", "--checkpoint-every", "1")
    out = ("--quiet", "--no-report", "--out", tmp_path / "out")
    command = [sys.executable, "-m", "moo_clustering", "fit", "iris", *search, *out]
    first = subprocess.Popen(command)
    while not (tmp_path / "out" / "checkpoint.npz").exists():
        assert first.poll() is None
    first.kill()
    first.wait()
    both = [
        subprocess.Popen([*command, "--resume"], stderr=subprocess.PIPE, text=True, cwd=tmp_path)
        for _ in range(2)
    ]
    said = [process.communicate(timeout=600)[1] for process in both]
    assert sorted(process.returncode for process in both) == [0, 2]
    (refused,) = [text for text, process in zip(said, both, strict=True) if process.returncode == 2]
    assert "another process is writing to" in refused
    assert len(refused.splitlines()) == 1
    record = json.loads((tmp_path / "out" / "run.json").read_text())
    assert record["status"] == "complete"
    assert sorted([*record["files"], "run.json"]) == sorted(os.listdir(tmp_path / "out"))
