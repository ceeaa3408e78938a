"""Pictures of a run: results are saved before them, and one that cannot be drawn is a sentence."""

import json
import os
import subprocess
import sys

import pytest

from moo_clustering.persistence import read_archive

SMALL = ("--set", "pop_size=6", "--set", "n_gen=2", "--quiet")
MOCK = ("fit", "iris", "--method", "mock", *SMALL, "--out", "out")
BAGS = ("fit", "bags.csv", "--bag", "bag", "--method", "migka", "-k", 2, *SMALL, "--out", "out")
WORDS = ("fit", "words.jsonl", "--method", "spherical-kmeans", "-k", 2, "--quiet", "--out", "out")


@pytest.fixture
def data(run, tmp_path, monkeypatch):
    run.pictures = run.pictures_fail = True
    monkeypatch.chdir(tmp_path)
    rows = [f"{bag},{(bag % 2) * 9 + row / 3},{row}" for bag in range(8) for row in range(3)]
    (tmp_path / "bags.csv").write_text("\n".join(["bag,x,y", *rows]) + "\n")
    texts = [{"text": word * 2 + end} for end in (" sea", " sky") for word in ("fish boat ", "bird wing ")]
    (tmp_path / "words.jsonl").write_text("".join(json.dumps(text) + "\n" for text in texts * 3))
    return tmp_path


@pytest.mark.parametrize(
    ("command", "pictures"),
    [
        pytest.param(MOCK, ["front.png", "attainment.png", "history.png"], marks=pytest.mark.nightly),
        pytest.param(
            BAGS, ["bag_distances.png", "bag_embedding.png", "history.png"], marks=pytest.mark.nightly
        ),
        (WORDS, ["terms.png"]),
    ],
    ids=["mock", "bags", "documents"],
)
def test_without_matplotlib_all_but_the_pictures_is_saved(run, data, monkeypatch, command, pictures):
    """As where there is no memory left to import it."""
    assert run(*command).exit_code == 0
    whole = {path.name: path for path in (data / "out").rename(data / "whole").iterdir()}
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = run(*command)
    assert result.exit_code == 0, result.output
    (line,) = [line for line in result.output.splitlines() if "could not" in line]
    assert line.startswith(f"Warning: {' and '.join(pictures)} could not be drawn (ModuleNotFoundError: ")
    assert line.endswith("; the results are saved")
    there = {path.name: path for path in (data / "out").iterdir()}
    assert sorted(there) == sorted({*whole} - {*pictures})
    record = json.loads(there["run.json"].read_text())
    assert record["status"] == "complete"
    assert sorted([*record["files"], "run.json"]) == sorted(there)
    for name, path in there.items():
        if path.suffix == ".csv" and name != "history.csv":
            assert path.read_bytes() == whole[name].read_bytes()
    arrays, wanted = (read_archive(files["result.npz"])[0] for files in (there, whole))
    assert {name: value.tobytes() for name, value in arrays.items()} == {
        name: value.tobytes() for name, value in wanted.items()
    }


def test_one_picture_that_fails_leaves_the_others(run, data, monkeypatch):
    def fails(*arguments, **options):
        raise MemoryError("no room\nfor it")

    # In this order, because the package looks up the function in the module at its first use.
    monkeypatch.setattr("moo_clustering.visualization.plot_attainment", fails)
    monkeypatch.setattr("moo_clustering.visualization.fronts.plot_attainment", fails)
    (data / "out").mkdir()
    result = run(*MOCK)
    assert result.exit_code == 0
    assert (
        "attainment.png could not be drawn (MemoryError: no room for it); the results are saved"
        in result.output
    )
    assert not (data / "out" / "attainment.png").exists()
    assert (data / "out" / "front.png").exists()
    assert (data / "out" / "history.png").exists()


FIRST_FIT = """
import sys
from numba.core import event
from moo_clustering.cli import main

compiled = []
class Listener(event.Listener):
    def on_start(self, given):
        compiled.append(given.data["dispatcher"].py_func.__name__)
    def on_end(self, given):
        pass

event.register("numba:compile", Listener())
main(["fit", "table.csv", "--drop", "kind", "--out", "out", "--quiet"], standalone_mode=False)
unwanted = {"matplotlib", "networkx"} & set(sys.modules)
print(compiled, sorted(unwanted))
"""


@pytest.mark.slow
def test_a_first_fit_of_a_small_table_compiles_nothing_and_draws_nothing(table, tmp_path):
    """Compilation, matplotlib and pictures would take several times as long as the rest of the fit."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "kernels")}
    done = subprocess.run(
        [sys.executable, "-c", FIRST_FIT], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[] []\n"
    files = json.loads((tmp_path / "out" / "run.json").read_text())["files"]
    assert "report.html" in files
    assert not [name for name in files if name.endswith(".png")]
