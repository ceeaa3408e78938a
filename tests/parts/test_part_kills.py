"""Workers killed in a pass, and clients killed before it: the same bits, and no file is written twice."""

import os
import signal
import subprocess
import sys
import threading
import time
from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from parts.part_data import table, write_parquet

from moo_clustering import MemeticKMeans, ParetoClustering
from moo_clustering.parts import Parts, parts
from moo_clustering.parts.passes import current_client

pytestmark = [pytest.mark.nightly, pytest.mark.filterwarnings("ignore")]

# Passes of a fit and of writing labels.
N_PASSES = {"ParetoClustering": 4, "MemeticKMeans": 13}
PASSES = [(name, number) for name, n in N_PASSES.items() for number in range(n)]


def model_of(name):
    """An estimator whose samples contain only some of the rows, so that it makes all passes."""
    if name == "MemeticKMeans":
        import_module("moo_clustering.estimators.memetic_kmeans")._SEARCHED = 300
        return MemeticKMeans(5, max_distance_evaluations=20_000, random_state=0)
    module = import_module("moo_clustering.estimators._pareto_pool")
    module._MOST_SAMPLED = module._LEAST_SAMPLED = 1500
    return ParetoClustering(families=("km", "ward"), k_range=(2, 3, 4), n_landmarks=60, random_state=0)


class Killed:
    """Function of a pass that once kills its process, when the folder of labels has ``n_files`` files."""

    def __init__(self, function, mark, out, n_files):
        self.function, self.mark, self.out, self.n_files = function, mark, out, n_files

    def __call__(self, rows, start, *args):
        written = [file.name for file in self.out.glob("labels-*.parquet")]
        if len(written) >= self.n_files and not self.mark.exists():
            times = [f"{name} {(self.out / name).stat().st_mtime_ns}\n" for name in sorted(written)]
            self.mark.write_text("".join(times))
            os.kill(os.getpid(), signal.SIGKILL)
        return self.function(rows, start, *args)


class Waiting:
    """Function of a pass that waits for a file, except in the first call."""

    def __init__(self, function, mark):
        self.function, self.mark = function, mark

    def __call__(self, rows, start, *args):
        try:
            os.close(os.open(self.mark.with_suffix(".first"), os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            end = time.monotonic() + 300
            while not self.mark.exists() and time.monotonic() < end:
                time.sleep(0.01)
        return self.function(rows, start, *args)


def change_pass(number, change):
    """Change the function of the pass of this number, counted from 0."""
    passes, run = iter(range(100)), Parts.map

    def map_parts(self, function, *args, **options):
        function = change(function) if next(passes) == number else function
        return run(self, function, *args, **options)

    Parts.map = map_parts


def fit_and_write(name, folder, out):
    """Fit the files in a folder on the current cluster, and write all labels."""
    model = model_of(name).fit(parts(folder))
    assert current_client() is not None
    return model, model.write_labels(out)


def killed_client(name, folder, out, number, address, mark=None):
    """Fit in this process, which is killed before a pass, or after it has written the first file."""
    import distributed

    def kill(*_):
        os.kill(os.getpid(), signal.SIGKILL)

    def kill_after_file():
        while not any(out.glob("labels-*.parquet")):
            time.sleep(0.01)
        kill()

    with distributed.Client(address):
        if mark is None:
            change_pass(number, kill)
        else:
            threading.Thread(target=kill_after_file, daemon=True).start()
            change_pass(number, lambda function: Waiting(function, mark))
        fit_and_write(name, folder, out)


def run_killed_client(*arguments):
    code = f"from pathlib import *; from parts.test_part_kills import *; killed_client(*{arguments})"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run([sys.executable, "-c", code], check=False, env=environment)
    assert ended.returncode == -signal.SIGKILL


def bits(files):
    return np.concatenate([pd.read_parquet(file)["cluster"] for file in files]).tobytes()


@pytest.fixture(scope="module")
def known(client, tmp_path_factory):
    """Files of a table, and the labels of every estimator, which are also those of an array in memory."""
    pytest.importorskip("pyarrow")
    there, X, found = tmp_path_factory.mktemp("known"), table(), {}
    folder = write_parquet(there / "table", X, [0, 700, 1500, 1501, 2400, 3000])
    for name, n in N_PASSES.items():
        model, files = fit_and_write(name, folder, there / name)
        assert (name, model.parts_.n_passes) == (name, n)
        found[name] = bits(files)
        assert np.asarray(model_of(name).fit(parts(X)).labels_).tobytes() == found[name]
    return folder, found


@pytest.mark.parametrize(
    ("name", "number", "n_files"),
    [*((*one, 0) for one in PASSES), *((name, n - 1, 3) for name, n in N_PASSES.items())],
)
def test_a_worker_is_killed_in_a_pass(client, known, name, number, n_files, tmp_path, monkeypatch):
    folder, labels = known
    monkeypatch.setattr(Parts, "map", Parts.map)  # restored at the end
    mark, out = tmp_path / "mark", tmp_path / "out"
    change_pass(number, lambda function: Killed(function, mark, out, n_files))
    workers = {*client.run(os.getpid).values()}
    _, files = fit_and_write(name, folder, out)
    client.wait_for_workers(2)
    assert workers != {*client.run(os.getpid).values()}
    assert bits(files) == labels[name]
    # Files of the killed worker are not written again.
    times = dict(line.split() for line in mark.read_text().splitlines())
    assert len(times) >= n_files
    assert times == {file: str((out / file).stat().st_mtime_ns) for file in times}


@pytest.mark.parametrize(("name", "number"), PASSES)
def test_a_client_is_killed_before_a_pass(client, known, name, number, tmp_path):
    folder, labels = known
    run_killed_client(name, folder, tmp_path / "out", number, client.scheduler.address)
    assert not any((tmp_path / "out").glob("*"))
    _, files = fit_and_write(name, folder, tmp_path / "out")
    assert bits(files) == labels[name]


@pytest.mark.parametrize("name", N_PASSES)
def test_a_client_is_killed_while_labels_are_written(client, known, name, tmp_path):
    folder, labels = known
    out, mark = tmp_path / "out", tmp_path / "mark"
    run_killed_client(name, folder, out, N_PASSES[name] - 1, client.scheduler.address, mark)
    mark.touch()
    end = time.monotonic() + 60
    while any(client.processing().values()) and time.monotonic() < end:
        time.sleep(0.05)
    times = {file: file.stat().st_mtime_ns for file in out.glob("labels-*.parquet")}
    assert 1 <= len(times) < 5
    _, files = fit_and_write(name, folder, out)
    assert bits(files) == labels[name]
    assert times == {file: file.stat().st_mtime_ns for file in times}
