"""Passes on a Dask cluster: the bits of this process, also if a worker is killed; and Ctrl-C."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from parts.part_data import sources, table

from moo_clustering import MemeticKMeans
from moo_clustering.parts import lazy_labels, parts, write_labels
from moo_clustering.parts.labels import NearestCenter
from moo_clustering.parts.statistics import Survey

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


def slow_sum(rows, start):
    time.sleep(0.2)
    return int(rows.astype(np.int64).sum())


def kill_one(client):
    os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)


def test_a_cluster_gives_the_bits_of_one_process(client, tmp_path):
    X = table()
    centers = np.random.default_rng(1).normal(size=(3, 5, 4)) * 6
    looked = Survey(parts(X), 100)
    label = NearestCenter(centers[0], looked.offsets, np.arange(5))
    known = [field.tobytes() for field in looked.statistics(centers)]
    found = sources(tmp_path, X)
    for name in ("glob", "memory-mapped", "dask array", "dask frame", "zarr"):
        source, options = found.get(name, found["folder"])
        opened = parts(source, **options)
        again = Survey(opened, 100)
        assert [field.tobytes() for field in again.statistics(centers)] == known, name
        np.testing.assert_array_equal(again.rows, looked.rows)
        np.testing.assert_array_equal(lazy_labels(opened, label).compute(), label(X), err_msg=name)


def test_a_killed_worker_changes_nothing(client, tmp_path):
    X = table()
    found = parts(sources(tmp_path, X)["glob"][0], rows_per_part=400)
    timer = threading.Timer(0.3, kill_one, [client])
    timer.start()
    total = found.map(slow_sum, merge=lambda a, b: a + b)
    timer.join()
    assert total == X.astype(np.int64).sum()
    client.wait_for_workers(2)


def test_labels_are_completed_after_a_killed_worker(client, tmp_path):
    pyarrow = pytest.importorskip("pyarrow.parquet")
    X = table()
    found = parts(sources(tmp_path, X)["glob"][0], rows_per_part=400)
    looked = Survey(found, 50)
    label = NearestCenter(looked.rows[:4] - looked.offsets[0] - looked.offsets[1], looked.offsets, range(4))
    timer = threading.Timer(0.05, kill_one, [client])
    timer.start()
    files = write_labels(found, label, tmp_path / "out")
    timer.join()
    times = [file.stat().st_mtime_ns for file in files]
    files[1].unlink()
    assert write_labels(found, label, tmp_path / "out") == files
    assert [file.stat().st_mtime_ns == at for file, at in zip(files, times, strict=True)].count(False) == 1
    tables = [pyarrow.read_table(file) for file in files]
    np.testing.assert_array_equal(np.concatenate([one["cluster"] for one in tables]), label(X))
    np.testing.assert_array_equal(np.concatenate([one["row"] for one in tables]), np.arange(len(X)))
    client.wait_for_workers(2)


def fit_in_a_task(X):
    return MemeticKMeans(3, max_distance_evaluations=20_000, random_state=0).fit(parts(X)).inertia_


def test_a_fit_within_a_task_reads_the_parts_itself(client):
    X = table(500)
    assert client.submit(fit_in_a_task, X).result() == fit_in_a_task(X)


def test_ctrl_c_drops_the_tasks(client, tmp_path):
    found = parts(sources(tmp_path, table())["glob"][0], rows_per_part=400)
    threading.Timer(0.4, os.kill, [os.getpid(), signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        found.map(slow_sum)
    deadline = time.monotonic() + 20
    while any(client.processing().values()) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(client.processing().values())


def test_faults_on_workers_name_the_part(client, tmp_path):
    X = table().astype(np.float64)
    X[1234, 2] = np.inf  # Parquet files count missing values in their headers
    found = parts(sources(tmp_path, X)["glob"][0])
    with pytest.raises(ValueError, match=r"column 'x2' of part part-001\.parquet.* has missing"):
        Survey(found, 10)


def test_errors_that_a_function_returns_are_results(client, tmp_path):
    found = parts(sources(tmp_path, table())["glob"][0])
    errors = found.map(lambda rows, start: ValueError(start))
    assert list(map(str, errors)) == [str(part.start) for part in found.items]


def test_workers_of_another_version_are_refused(client, tmp_path, monkeypatch):
    found = parts(sources(tmp_path, table())["glob"][0])
    monkeypatch.setattr("moo_clustering.parts.passes._CHECKED", set())
    monkeypatch.setattr("moo_clustering.__version__", "0.0.7")
    with pytest.raises(ChildProcessError, match=r"all workers require moo_clustering 0\.0\.7.* has 0\.1"):
        found.map(slow_sum)
    with pytest.raises(ChildProcessError, match=r"all workers require moo_clustering 0\.0\.7.* has 0\.1"):
        lazy_labels(found, lambda rows: rows[:, 0] > 0)
