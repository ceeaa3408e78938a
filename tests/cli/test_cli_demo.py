"""``demo`` and ``warm-up``: one command each, no arguments."""

import io
import json
import sys

import numpy as np
import pytest
from numba import njit

from moo_clustering.cli.terminal import compiling_told


@pytest.mark.slow
def test_demo(run, tmp_path):
    result = run("demo")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[1].split() == ["accuracy", "nmi", "adjusted", "rand"]
    found = {line.rsplit(maxsplit=3)[0]: float(line.split()[-3]) for line in lines[2:6]}
    assert list(found) == ["PESC", "PESC, generation 0", "k-means", "random labels, mean of 100"]
    assert found["PESC"] > 0.9
    assert 1 / 3 < found["random labels, mean of 100"] < 0.45
    folder = tmp_path / "moo-clustering-demo"
    record = json.loads((folder / "run.json").read_text())
    assert record["status"] == "complete"
    assert record["command"] == "demo"
    assert round(record["scores"]["accuracy"], 3) == found["PESC"]
    assert {"labels.csv", "front.csv", "report.html"} <= {path.name for path in folder.iterdir()}
    # rows in random order, or the identifiers would be 0, 1, ...
    rows = [int(line.split(",")[0]) for line in (folder / "labels.csv").read_text().splitlines()[1:]]
    assert sorted(rows) == list(range(178))
    assert rows != sorted(rows)


def test_demo_spares_other_folders(run, fails, slices, table, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    assert "mine contains other files" in fails("demo", "--out", "mine")
    fit = ("fit", "wine", "--method", "slices", "-k", 2, "--out", "fit")
    assert run(*fit).exit_code == 0
    assert "fit contains a finished run" in fails("demo", "--out", "fit")


def test_warm_up_runs_the_common_methods_and_leaves_no_files(run, tmp_path, monkeypatch):
    fitted = []
    monkeypatch.setattr(
        "moo_clustering.cli.commands.fit.main", lambda options, **_: fitted.append(" ".join(options[3:]))
    )
    result = run("warm-up")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("Compiled the kernels (")
    assert fitted[:2] == ["--quiet", "--quiet --partial-labels class"]
    assert {line.split()[2] for line in fitted[2:]} == {"pesc", "mock", "nsga2-clus"}
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("verbose", "terminal", "n_lines"), [(True, True, 1), (False, True, 0), (True, False, 0)]
)
def test_compilation_is_told_once_and_on_terminals_only(verbose, terminal, n_lines, monkeypatch):
    stream = io.StringIO()
    stream.isatty = lambda: terminal
    monkeypatch.setattr(sys, "stderr", stream)
    add = njit(lambda a, b: a + b)
    with compiling_told(verbose):
        assert add(1, 2) == 3
        assert add(1, 3) == 4
        assert add(1.5, np.float32(2)) == 3.5
    assert stream.getvalue().count("Compiling the kernels") == n_lines
    add(1j, 2)
    assert stream.getvalue().count("\n") == n_lines
