"""A worker or the scheduler that dies in the middle costs time, and changes nothing."""

import json
import os
import subprocess
import sys
import threading
import time
from contextlib import ExitStack

import distributed
import numpy as np
import pytest
from joblib import parallel_config
from marked_work import MarkedProblem, MarkedSISC, kill_marked
from sklearn.datasets import load_iris

from moo_clustering import SISCEnsemble
from moo_clustering.encodings import MedoidEncoding
from moo_clustering.problems import ChunkedProblem
from papers.runner import Experiment, Settings, reproduce


@pytest.mark.slow
def test_ensemble(one_killed):
    X, classes = load_iris(return_X_y=True)
    y = np.where(np.arange(len(X)) % 3, -1, classes)

    def scores(folder):
        model = SISCEnsemble(MarkedSISC(folder), n_clusters=(3, 5), n_estimators=8, random_state=0)
        return model.fit(X, y).predict_proba(X)

    with one_killed() as folder, parallel_config(backend="dask"):
        found = scores(folder)
    np.testing.assert_array_equal(found, scores(None))


@pytest.mark.slow
def test_table(one_killed, tmp_path):
    means = Experiment("means", "Means of parts", "marked_work", "MeansPlan")

    def table(folder, marks):
        assert reproduce(means, folder, Settings(marks)).complete
        return (folder / "means.csv").read_text()

    with one_killed() as marks, parallel_config(backend="dask"):
        found = table(tmp_path / "there", marks)
    assert found == table(tmp_path / "here", None)
    # Nothing is there twice.
    assert len((tmp_path / "there" / "results.jsonl").read_text().splitlines()) == 1 + 8


@pytest.mark.slow
def test_population(one_killed):
    X, _ = load_iris(return_X_y=True)
    problem = MarkedProblem(X, MedoidEncoding(X, k_max=5), ["silhouette", "deviation"])
    genes = problem.encoding.random(80, np.random.default_rng(0))
    in_chunks = ChunkedProblem(problem, chunk_size=10)
    serial = in_chunks.evaluate(genes)
    with one_killed() as problem.folder, parallel_config(backend="dask"):
        found = in_chunks.evaluate(genes)
    np.testing.assert_array_equal(found, serial)


@pytest.fixture
def scheduler(tmp_path):
    """A scheduler with two workers, processes of their own, and the file with its address."""
    there = tmp_path / "scheduler.json"
    options = {"env": os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}, "stderr": subprocess.DEVNULL}
    work = [sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file", str(there)]
    with ExitStack() as stack:

        def start(*command):
            process = stack.enter_context(subprocess.Popen(command, **options))
            stack.callback(process.kill)
            return process

        head = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--scheduler-file", str(there)]
        process = start(*head, "--port", "0", "--dashboard-address", ":0")
        for _ in range(2):
            start(*work, "--nthreads", "1", "--no-dashboard", "--local-directory", str(tmp_path))
        yield process, there


@pytest.mark.slow
def test_scheduler(scheduler, tmp_path):
    process, address = scheduler
    marks, out = tmp_path / "marks", tmp_path / "out"
    marks.mkdir()
    means = Experiment("means", "Means of parts", "marked_work", "MeansPlan")

    def watch():
        while len(list(marks.iterdir())) < 4:
            time.sleep(0.01)
        kill_marked(marks, process.pid)

    with distributed.Client(scheduler_file=str(address), timeout=120) as client:
        client.wait_for_workers(2)
        watcher = threading.Thread(target=watch)
        watcher.start()
        with parallel_config(backend="dask"), pytest.raises(Exception, match="lost the connection"):
            reproduce(means, out, Settings(marks))
        watcher.join()
    saved = (out / "results.jsonl").read_text().splitlines()
    assert len(saved) < 1 + 8
    assert all(map(json.loads, saved))
    assert reproduce(means, out, Settings(None)).complete
    assert reproduce(means, tmp_path / "here", Settings(None)).complete
    assert (out / "means.csv").read_bytes() == (tmp_path / "here" / "means.csv").read_bytes()
