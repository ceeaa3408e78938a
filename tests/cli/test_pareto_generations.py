"""The recommended method with generations: controls, Ctrl-C, going on."""

import json
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from moo_clustering import ParetoClustering
from moo_clustering.cli.folder import FORMAT
from moo_clustering.persistence import read_archive

QUICK = ("--set", "pop_size=12", "--set", "k_range=[2,3,4]")


@pytest.fixture
def numbers(table, tmp_path):
    """The table with nothing but its numbers."""
    table[["a", "b"]].to_csv(tmp_path / "table.csv", index=False)
    return table[["a", "b"]]


def record_of(folder):
    return json.loads((folder / "run.json").read_text(encoding="utf-8"))


def test_controls_are_shown_beside_the_result(run, pictures, table, tmp_path):
    result = run(
        "fit", "table.csv", "--id-column", "id", "--drop", "some", "--labels", "kind", *QUICK,
        "--set", "n_gen=5", "--out", "out",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    record = record_of(tmp_path / "out")
    arrays, _ = read_archive(tmp_path / "out" / "result.npz")
    controls = record["controls"]
    assert set(controls["score"]) == {"result", "control", "random_control"}
    assert controls["score"]["result"] >= controls["score"]["control"]
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    for name, title in (("control", "without evolution"), ("random_control", "random survival")):
        assert re.search(rf"{title}\W.*best score {controls['score'][name]:.4f}, adjusted Rand", page)
        row = next(line for line in result.stdout.splitlines() if line.startswith(title))
        assert f"best score {controls['score'][name]:.4f}, adjusted Rand" in row
        assert f"{controls['ari_to_labels'][name]:.4f} with the clusters above" in row
        assert len(arrays[f"{name}_labels"]) == 60
        assert set(controls["scores"][name]) == {"accuracy", "nmi", "adjusted_rand"}
    assert "Do not trust them more than the controls." in result.stdout
    assert pd.read_csv("out/history.csv")["generation"].tolist() == [0, 1, 2, 3, 4, 5]
    assert {"history.png", "history.csv"} < set(record["files"])
    assert "evolution: 100%" in result.stderr
    assert "random survival: 100%" in result.stderr


def test_without_generations_there_is_nothing_of_them(run, numbers, tmp_path):
    result = run("fit", "table.csv", *QUICK, "--out", "out")
    assert result.exit_code == 0, result.output
    assert "controls" not in record_of(tmp_path / "out")
    assert not (tmp_path / "out" / "history.csv").exists()
    assert "evolution" not in result.output


def start(tmp_path, *arguments, until):
    """A fit as a process of its own, once ``until`` is there."""
    process = subprocess.Popen(
        [sys.executable, "-m", "moo_clustering", "fit", "table.csv", "--out", "out", *arguments],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    end = time.monotonic() + 600
    while not (tmp_path / "out" / until).exists():
        if process.poll() is not None or time.monotonic() > end:
            process.kill()
            pytest.fail(f"no {until}: {process.communicate()}")
        time.sleep(0.01)
    return process


def interrupted(process):
    """What it says after Ctrl-C, which must end it."""
    process.send_signal(signal.SIGINT)
    try:
        return process.communicate(timeout=600)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise


@pytest.mark.slow
def test_ctrl_c_ends_the_evolution_and_its_control(run, numbers, tmp_path):
    # The control of so many generations would take hours.
    process = start(
        tmp_path, *QUICK, "--set", "n_gen=1000000", "--checkpoint-every", "2", until="checkpoint.npz"
    )
    stdout, stderr = interrupted(process)
    assert process.returncode == 130, stderr
    assert "Interrupted: the result so far is saved; to continue, rerun the command with --resume." in stderr
    assert "Traceback" not in stderr
    assert "random survival    omitted because the evolution was interrupted" in stdout
    out = tmp_path / "out"
    record = record_of(out)
    assert record["status"] == "interrupted"
    assert set(record["controls"]["score"]) == {"result", "control"}
    assert len(pd.read_csv(out / "labels.csv")) == 60
    done = pd.read_csv(out / "history.csv")["generation"].max()
    for arguments in (("--out", "out", "--resume"), ("--out", "straight")):
        result = run("fit", "table.csv", *QUICK, "--set", f"n_gen={done + 2}", "--quiet", *arguments)
        assert result.exit_code == 0, result.output
    for name in ("labels.csv", "front.csv", "scores.csv"):
        assert (out / name).read_bytes() == (tmp_path / "straight" / name).read_bytes()
    assert set(record_of(out)["controls"]["score"]) == {"result", "control", "random_control"}
    assert not (out / "checkpoint.npz").exists()


@pytest.mark.slow
def test_ctrl_c_before_there_is_a_result(run, numbers, tmp_path):
    rng = np.random.default_rng(0)
    pd.DataFrame(rng.normal(size=(3000, 6))).add_prefix("x").to_csv(tmp_path / "table.csv", index=False)
    process = start(tmp_path, until="run.json")
    _, stderr = interrupted(process)
    assert process.returncode == 130, stderr
    assert "Traceback" not in stderr
    if stderr.endswith("\nInterrupted.\n"):
        # It came between the record and the fit.
        assert not (tmp_path / "out").exists()
    else:
        assert stderr.endswith("Interrupted: there is no result yet; to start over, rerun the command.\n")
        assert [path.name for path in (tmp_path / "out").iterdir()] == ["run.json"]
        assert record_of(tmp_path / "out")["status"] == "interrupted"
    numbers.to_csv(tmp_path / "table.csv", index=False)
    assert run("fit", "table.csv", *QUICK, "--out", "out").exit_code == 0


@pytest.mark.slow
def test_killed_run_is_started_over(run, fails, numbers, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "run.json").write_text(json.dumps({"format": FORMAT, "status": "running"}))
    assert "start over with --resume" in fails("fit", "table.csv", *QUICK, "--out", "out")
    result = run("fit", "table.csv", *QUICK, "--out", "out", "--resume")
    assert result.exit_code == 0, result.output
    assert "Nothing to resume in out; starting from the beginning." in result.stderr
    assert record_of(tmp_path / "out")["status"] == "complete"


@pytest.mark.filterwarnings("ignore::moo_clustering.algorithms.ExhaustedSearchWarning")
def test_an_interrupted_control_is_left_out(numbers, monkeypatch):
    from moo_clustering.estimators import _pareto_evolution as _evolution

    made = []

    def drive(search, **options):
        made.append(options["description"])
        _drive(search, **options)
        return options["description"] == "random survival"

    _drive = _evolution.drive
    monkeypatch.setattr(_evolution, "drive", drive)
    estimator = ParetoClustering(k_range=[2, 3], n_gen=2, pop_size=8, random_state=0).fit(numbers)
    assert made == ["evolution", "random survival"]
    assert estimator.interrupted_
    assert set(estimator.control_score_) == {"result", "control"}
    assert not hasattr(estimator, "random_control_labels_")
    with pytest.raises(ValueError, match="random-control"):
        estimator.choose("random-control")
