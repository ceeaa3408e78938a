"""Disks that fill up: one sentence that names the file, and whatever was saved before is still there."""

import json

import numpy as np
import pytest
from sklearn.datasets import load_iris
from small_room import names, python, small_disk

# Three families, since a search of pymoo's, one of DEAP's and the runs of an ensemble are saved differently.
FAMILIES = """
from moo_clustering.estimators import NSGA2Clus, PESC, EnsembleNMF
from moo_clustering.persistence import read_archive
import moo_clustering.algorithms.search as saver
import moo_clustering.estimators.documents as ensemble_runs

rng = np.random.default_rng(0)
X = np.concatenate([rng.normal(place, 0.5, (14, 3)) for place in (0, 3, 6)])
saved = dict(checkpoint="c.npz", checkpoint_every=1, random_state=0)
FAMILIES = {
    "pymoo": PESC(3, pop_size=8, n_gen=5, **saved),
    "deap": NSGA2Clus(metric="euclidean", engine="deap", search="evolve", pop_size=8, n_gen=5, **saved),
    "runs": EnsembleNMF(3, n_runs=6, **saved),
}

def told(model):
    names = ("labels_", "pareto_front_", "association_", "run_labels_", "run_losses_")
    found = [getattr(model, name) for name in names if getattr(model, name, None) is not None]
    return [np.asarray(each.toarray() if hasattr(each, "toarray") else each) for each in found]

def same(one, other):
    both = zip(told(one), told(other), strict=True)
    return all(a.dtype == b.dtype and np.array_equal(a, b) for a, b in both)
"""

MID_RUN = """
from sklearn.base import clone
from moo_clustering.algorithms import InterruptedSearchWarning
out = {}
for name, model in FAMILIES.items():
    data = np.abs(X) if name == "runs" else X
    whole = clone(model).fit(data)
    os.unlink("c.npz")
    module, calls = (ensemble_runs if name == "runs" else saver), []
    save = module.save_checkpoint
    def save_twice(*arguments, save=save, calls=calls):
        calls.append(1)
        if len(calls) == 3:
            full_at(1500)
        save(*arguments)
    module.save_checkpoint = save_twice
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        filled = clone(model).fit(data)
    module.save_checkpoint = save
    kept = read_archive("c.npz")[1]["state"]
    done = kept["n_runs"] if name == "runs" else kept["search"]["generation"]
    listed = sorted(os.listdir("."))
    room_again()
    resumed = clone(model).set_params(resume=True).fit(data)
    os.unlink("c.npz")
    full_at(300)
    try:
        clone(model).fit(data)
        first = None
    except OSError as error:
        first = [type(error).__name__, str(error)]
    empty = sorted(os.listdir("."))
    room_again()
    out[name] = {
        "same": same(whole, filled), "resumed": same(whole, resumed), "kept": done, "first": first,
        "listed": listed, "empty": empty,
        "said": [str(each.message) for each in shown if each.category is RuntimeWarning],
    }
print(json.dumps(out))
"""


@pytest.fixture(scope="module")
def mid_run(tmp_path_factory):
    status, stdout, stderr = python(FAMILIES + MID_RUN, tmp_path_factory.mktemp("fits"))
    assert status == 0, stderr
    return json.loads(stdout)


# After two saves: the initial population and generation 1, or two runs.
@pytest.mark.slow
@pytest.mark.parametrize(("family", "kept"), [("pymoo", 1), ("deap", 1), ("runs", 2)])
def test_fit_goes_on_without_room_for_checkpoints(mid_run, family, kept):
    found = mid_run[family]
    assert found["same"], "the result of the run whose disk filled up differs"
    assert found["kept"] == kept
    assert found["resumed"], "going on from what was kept gave another result"
    assert found["listed"] == ["c.npz"]
    assert found["said"], "nobody was told that checkpoints were not written"
    assert all("checkpoint c.npz could not be written" in text for text in found["said"])
    contains = f"still contains {'generation ' * (family != 'runs')}{kept}"
    assert all("File too large" in text and contains in text for text in found["said"])


@pytest.mark.slow
@pytest.mark.parametrize("family", ["pymoo", "deap", "runs"])
def test_first_checkpoint_without_room_is_an_error(mid_run, family):
    kind, text = mid_run[family]["first"]
    assert kind == "OSError"
    assert "File too large" in text
    assert text.endswith("'c.npz'")
    assert mid_run[family]["empty"] == []


FIT = """
fit = ["fit", "iris.csv", "--method", "pesc", "-k", 3, "--drop", "y", "--set", "pop_size=8",
       "--set", "n_gen=3", "--checkpoint-every", 1, "--pictures", "--quiet"]
"""

COMMAND = """
import contextlib, io
def told(*arguments):
    stderr = io.StringIO()
    with contextlib.redirect_stderr(stderr):
        status = command(*arguments)
    return status, stderr.getvalue()

def files(folder):
    return sorted(os.listdir(folder)) if os.path.isdir(folder) else None

assert told(*fit, *([] if "report" in WANTED else ["--no-report"]), "--out", "whole") == (0, ""), "whole"
sizes = {name: os.path.getsize(f"whole/{name}") for name in files("whole")}
out = {"sizes": sizes}
# Told apart by the size of the first file that no longer fits; seconds make it differ by some bytes.
for case, limit, more in [
    ("record", 200, ["--no-report"]),
    ("checkpoint", sizes["run.json"] + 200, ["--no-report"]),
    ("result", sizes["result.npz"] - 100, ["--no-report"]),
    ("report", sizes.get("report.html", 0) - 5000, []),
]:
    if case not in WANTED:
        continue
    full_at(limit)
    status, stderr = told(*fit, *more, "--out", case)
    left = files(case)
    broken = []
    for name in left or []:
        try:
            if name.endswith(".json"):
                json.loads(Path(case, name).read_text())
            elif name.endswith(".npz"):
                from moo_clustering.persistence import read_archive
                read_archive(Path(case, name))
        except Exception as error:
            broken.append(f"{name}: {error}")
    room_again()
    again = told(*fit, "--no-report", "--resume", "--out", case) if status else (0, "")
    labels = Path(case, "labels.csv").read_bytes() == Path("whole/labels.csv").read_bytes()
    front = Path(case, "front.csv").read_bytes() == Path("whole/front.csv").read_bytes()
    out[case] = {"status": status, "stderr": stderr, "left": left, "broken": broken, "again": again,
                 "equal": labels and front, "files": files(case)}
print(json.dumps(out))
"""


def _iris(folder):
    iris = load_iris()
    rows = np.column_stack([iris.data, iris.target])[::3]
    np.savetxt(folder / "iris.csv", rows, delimiter=",", fmt="%g", header="a,b,c,d,y", comments="")


def told_by_commands(folder, *wanted):
    _iris(folder)
    status, stdout, stderr = python(f"{FIT}WANTED = {wanted}\n{COMMAND}", folder)
    assert status == 0, stderr
    return json.loads(stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def commands(tmp_path_factory):
    folder = tmp_path_factory.mktemp("commands")
    return told_by_commands(folder, "record", "checkpoint", "result", "report")


@pytest.mark.slow
@pytest.mark.parametrize("case", ["record", "checkpoint", "result"])
def test_command_says_which_file_had_no_room(commands, case):
    found = commands[case]
    assert found["status"] == 2
    last = found["stderr"].splitlines()[-1]
    assert last.startswith("Error: ")
    assert last.endswith("File too large")
    assert case in last
    assert "Traceback" not in found["stderr"]
    assert found["broken"] == []
    assert not [name for name in found["left"] or [] if name.endswith(".tmp")]
    assert found["again"][0] == 0, found["again"]
    assert found["equal"], "the same command with --resume gave another result"


@pytest.mark.slow
def test_nothing_is_left_of_a_run_that_could_save_nothing(commands):
    assert commands["record"]["left"] is None
    assert commands["checkpoint"]["left"] is None


@pytest.mark.slow
def test_checkpoint_is_kept_when_the_result_has_no_room(commands):
    assert "checkpoint.npz" in commands["result"]["left"]
    assert "result.npz" not in commands["result"]["left"]


@pytest.mark.slow
def test_report_without_room_is_a_warning(commands):
    found = commands["report"]
    assert (found["status"], found["equal"]) == (0, True)
    assert "report.html could not be written" in found["stderr"]
    assert "File too large" in found["stderr"]
    assert "report.html" not in found["files"]
    assert not [name for name in found["files"] if name.endswith(".tmp")]


REPRODUCE = """
from dataclasses import dataclass
from papers.runner import ResultTable, Settings, reproduce
from papers.runner import Experiment

class Squares:
    parameters = {"power": 2}
    cells = [{"n": n} for n in range(40)]
    def data(self, key):
        return None
    @staticmethod
    def compute(key, data):
        return {"square": key["n"] ** 2, "what": "x" * 20}
    def tables(self, values):
        rows = [[n, value["square"], value["what"] * WIDE] for n, value in enumerate(values)]
        table = lambda name: ResultTable(name, "Squares", ["n", "square", "what"], rows)
        return [table("all"), table("squares")]
    def figures(self, values):
        return []

def plan(settings):
    return Squares()

experiment = Experiment("squares", "", "__main__", "plan")
WIDE = 1
reproduce(experiment, Path("whole"), Settings())
wanted = {name: Path("whole", name).read_bytes() for name in os.listdir("whole")}
out = {}
# The cells take some 3000 bytes; tables ten times as wide do not fit in 5000.
for case, limit, WIDE in [("cells", 1300, 1), ("header", 40, 1), ("tables", 5000, 10)]:
    full_at(limit)
    try:
        reproduce(experiment, Path(case), Settings())
        said = None
    except OSError as error:
        said = [str(error.filename), error.strerror]
    left = sorted(os.listdir(case))
    whole_lines = not (path := Path(case, "results.jsonl")).exists() or path.read_bytes().endswith(b"\\n")
    room_again()
    WIDE = 1
    reproduce(experiment, Path(case), Settings())
    found = {name: Path(case, name).read_bytes() for name in os.listdir(case)}
    out[case] = {"said": said, "left": left, "whole_lines": whole_lines, "equal": found == wanted}
print(json.dumps(out))
"""


@pytest.mark.nightly
@pytest.mark.parametrize("case", ["cells", "header", "tables"])
def test_experiments_go_on_when_there_is_room(experiments, case):
    found = experiments[case]
    file = {"cells": "cells/results.jsonl", "header": "header/results.jsonl", "tables": "tables/all.csv"}[
        case
    ]
    assert found["said"] == [file, "File too large"]
    assert found["whole_lines"]
    assert found["equal"]
    assert not [name for name in found["left"] if name.endswith(".tmp")]


@pytest.fixture(scope="module")
def experiments(tmp_path_factory):
    status, stdout, stderr = python(REPRODUCE, tmp_path_factory.mktemp("experiments"))
    assert status == 0, stderr
    return json.loads(stdout)


WRITERS = """
from moo_clustering.bags import Bags
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.datasets import make_bags
from moo_clustering.visualization.figures import new_figure, save_figure

def bags(n):
    return make_bags(n, 2, random_state=0)

def figure(path, n):
    made = new_figure(2, 2)
    made.subplots().imshow(np.random.default_rng(n).random((n, n)), interpolation="nearest")
    save_figure(made, path)

def pairs(n):
    return PairwiseConstraints(np.array([[i, i + 1] for i in range(n)]), [], n_samples=n + 1)

WRITERS = {
    "bags.npz": lambda path, n: bags(n).bags.save(path),
    "pairs.csv": lambda path, n: pairs(n).to_csv(path),
    "figure.png": figure,
}
out = {}
for name, write in WRITERS.items():
    folder = Path(name.replace(".", "_"))
    folder.mkdir()
    path = folder / name
    write(path, 4)
    before = {each.name: each.read_bytes() for each in folder.iterdir()}
    full_at(1500)
    try:
        write(path, 400)
        said = None
    except OSError as error:
        said = [error.filename, error.strerror]
    room_again()
    after = {each.name: each.read_bytes() for each in folder.iterdir()}
    write(path, 400)
    out[name] = {"said": said, "kept": before == after, "replaced": path.read_bytes() != before[name]}
print(json.dumps(out))
"""


@pytest.fixture(scope="module")
def writers(tmp_path_factory):
    status, stdout, stderr = python(WRITERS, tmp_path_factory.mktemp("writers"))
    assert status == 0, stderr
    return json.loads(stdout)


@pytest.mark.parametrize("name", ["bags.npz", "pairs.csv", "figure.png"])
def test_writers_leave_what_was_there(writers, name):
    found = writers[name]
    assert found["said"] == [f"{name.replace('.', '_')}/{name}", "File too large"]
    assert found["kept"], "what was there before has changed, or something was left beside it"
    assert found["replaced"]


@pytest.mark.slow
def test_a_small_disk(tmp_path):
    _iris(tmp_path)
    code = f"""{FIT}
fit[1] = "../iris.csv"
import shutil
whole = command(*fit, "--no-report", "--out", "../whole")
try:
    with open("ballast", "wb") as ballast:
        while True:
            ballast.write(bytes(4096))
            ballast.flush()
except OSError:
    os.truncate("ballast", os.path.getsize("ballast") - {{pages}} * 4096)
filled = command(*fit, "--no-report", "--out", "one")
left = sorted(os.listdir("one")) if Path("one").is_dir() else []
os.unlink("ballast")
again = command(*fit, "--no-report", "--resume", "--out", "one")
equal = Path("one/labels.csv").read_bytes() == Path("../whole/labels.csv").read_bytes()
print(json.dumps([whole, filled, again, left, equal]))
"""
    # Room for the record, the model, and checkpoints beside those they replace, and not for the pictures.
    with small_disk(tmp_path / "disk", size=2**20) as disk:
        status, stdout, stderr = python(code.replace("{pages}", "31"), disk)
        assert status == 0, stderr
        assert names(tmp_path / "whole")
    whole, filled, again, left, equal = json.loads(stdout.splitlines()[-1])
    # Results are saved before pictures, which are no reason to fail: the run is complete.
    assert (whole, filled, again) == (0, 0, 2)
    assert ".png could not be drawn (OSError: [Errno 28] No space left on device" in stderr
    assert "one contains a finished run" in stderr
    assert "Traceback" not in stderr
    assert not [name for name in left if name.endswith(".tmp")]
    assert {"labels.csv", "result.npz", "run.json"} <= {*left}
    assert equal
