"""``fit`` and ``predict`` of tables in parts: one file per part, the sample, resumed runs, errors."""

import json
import os
import signal

import numpy as np
import pandas as pd
import pytest

from moo_clustering import MemeticKMeans, ParetoClustering
from moo_clustering.cli import parts as command
from moo_clustering.parts import parts
from tests.cli.test_json_output import check, documented

MEMETIC = ("--method", "memetic-kmeans", "-k", 3, "--set", "max_distance_evaluations=40000", "--quiet")


@pytest.fixture
def rows():
    """Rows of three groups, the last of which is rare."""
    rng = np.random.default_rng(0)
    group = np.sort(rng.permutation(900) % 300 == 0) * 1 + (rng.random(900) < 0.5)
    return pd.DataFrame(rng.normal(size=(900, 2)) + 40 * group[:, None], columns=["a", "b"])


@pytest.fixture
def files(rows, tmp_path, monkeypatch):
    """Three Parquet files, which relative paths name."""
    (tmp_path / "t").mkdir()
    for i in range(3):
        rows[300 * i : 300 * (i + 1)].to_parquet(tmp_path / "t" / f"{i}.parquet", index=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(command, "_SHOWN", 50)
    return tmp_path


def labels_of(folder):
    return pd.concat([pd.read_parquet(file) for file in sorted(folder.glob("*.parquet"))], ignore_index=True)


def test_fit_and_predict(run, files, rows):
    result = run("fit", "t/*.parquet", *MEMETIC[:-1], "--out", "out")
    assert result.exit_code == 0, result.output
    out = files / "out"
    model = MemeticKMeans(3, max_distance_evaluations=40000, random_state=0).fit(parts("t"))
    known, found = np.asarray(model.labels_), labels_of(out / "labels")
    np.testing.assert_array_equal(found["cluster"], known)
    np.testing.assert_array_equal(found["row"], np.arange(900))
    assert len(list((out / "labels").iterdir())) == 3
    # The sample: 50 random rows, and the first row of every cluster.
    shown, told = pd.read_csv(out / "labels.csv"), pd.read_csv(out / "clustered.csv")
    first = np.unique(known, return_index=True)[1]
    assert set(first) <= set(shown["row"])
    assert 50 <= len(shown) <= 53
    np.testing.assert_array_equal(shown["label"], known[shown["row"]])
    np.testing.assert_allclose(told[["a", "b"]], rows.loc[shown["row"]])
    record = json.loads((out / "run.json").read_text())
    sizes = np.bincount(known).tolist()
    assert record["result"]["sizes"] == sizes
    assert [each["size"] for each in record["clusters"]] == sizes
    assert pd.read_csv(out / "clusters.csv")["size"].tolist() == sizes
    assert record["data"]["n_samples"] == 900
    assert record["data"]["n_shown"] == len(shown)
    assert f"a random sample of {len(shown)} rows" in result.stdout
    assert f"{len(shown)} of 900 rows of t/*.parquet" in (out / "report.html").read_text(encoding="utf-8")
    with np.load(out / "result.npz", allow_pickle=False) as arrays:
        np.testing.assert_allclose(arrays["centers"], model.cluster_centers_)
    result = run("predict", "out", "t", "--json")
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    check(document, documented("predict"))
    assert [each["new_rows"] for each in document["clusters"]] == sizes
    assert document["file"] == "t-labels"
    new = labels_of(files / "t-labels")
    np.testing.assert_array_equal(new[["row", "cluster"]], found)
    assert document["n_unlike"] == new["unlike"].sum() > 0
    several = run("predict", "out", "t/0.parquet", "t/1.parquet", "--out", "two", "--quiet")
    assert (several.exit_code, several.stdout) == (0, "")
    np.testing.assert_array_equal(labels_of(files / "two"), new[:600])
    assert run("predict", "out", "t/0.parquet", "--out", "one.csv").exit_code == 0
    one = pd.read_csv("one.csv")
    np.testing.assert_array_equal(one[["cluster", "unlike"]], new[["cluster", "unlike"]][:300])
    assert run("explain", "out").exit_code == 0
    result = run("rename", "out", "0=first", "--json")
    assert [each["size"] for each in json.loads(result.stdout)["clusters"]] == sizes
    assert run("report", "out").exit_code == 0
    for refused in (("update", "out", "t/0.parquet"), ("choose", "out")):
        result = run(*refused)
        assert result.exit_code == 2
        assert "a fit of a partitioned table and cannot be changed" in result.stderr


def test_other_sources(run, files, rows):
    (files / "c").mkdir()
    rows.assign(name="x").to_csv("c/0.csv", index=False)
    drop = ("--drop", "name", "--no-report")
    result = run("fit", "c", *MEMETIC, *drop, "--out", "csv", "--json")
    assert result.exit_code == 0, result.output
    check(json.loads(result.stdout), documented("fit"))
    assert run("fit", "c/0.csv", *MEMETIC, *drop, "--workers", 0, "--out", "one").exit_code == 0
    url = f"file://{files}/t/*.parquet"
    assert run("fit", url, *MEMETIC, "--no-report", "--out", "url").exit_code == 0
    for name in ("one", "url"):
        pd.testing.assert_frame_equal(labels_of(files / name / "labels"), labels_of(files / "csv" / "labels"))
    zarr = pytest.importorskip("zarr")
    store = zarr.create_array("x.zarr", shape=rows.shape, chunks=(400, 2), dtype="f8")
    store[:] = rows.to_numpy()
    assert run("fit", "x.zarr", *MEMETIC, "--no-report", "--out", "zarr").exit_code == 0
    pd.testing.assert_frame_equal(labels_of(files / "zarr/labels"), labels_of(files / "csv/labels"))
    assert run("predict", "csv", "x.zarr", "--quiet").exit_code == 0
    found = labels_of(files / "x-labels").drop(columns="unlike")
    pd.testing.assert_frame_equal(found, labels_of(files / "csv/labels"))


def test_a_model_of_prepared_columns_predicts_parts(run, files, rows):
    rows["count"] = np.arange(900) % 3  # integers of few values
    rows.to_csv("all.csv", index=False)
    fit = ("fit", "all.csv", "--method", "memetic-kmeans", "-k", 3, "--quiet", "--no-report", "--out", "m")
    assert run(*fit).exit_code == 0
    (files / "n").mkdir()
    rows[["count", "b", "a"]].to_parquet("n/0.parquet")
    assert run("predict", "m", "n", "--quiet").exit_code == 0
    known = pd.read_csv("m/labels.csv")["label"]
    np.testing.assert_array_equal(labels_of(files / "n-labels")["cluster"], known)


def test_rows_unlike_the_fit_are_compared_by_part(run, files, rows):
    rows.to_csv("all.csv", index=False)
    fit = ("fit", "all.csv", "--method", "memetic-kmeans", "-k", 3, "--quiet", "--no-report", "--out", "m")
    assert run(*fit).exit_code == 0
    rows.loc[[5, 450, 451], "a"] += 1000
    rows.to_csv("new.csv", index=False)
    for i in range(3):
        rows[300 * i : 300 * (i + 1)].to_parquet(f"t/{i}.parquet", index=False)
    in_memory, by_part = run("predict", "m", "new.csv"), run("predict", "m", "t")
    assert by_part.stdout.splitlines()[:-1] == in_memory.stdout.splitlines()[:-1]
    assert "3 of 900 rows (0%, 95% interval" in by_part.stdout
    assert "are unlike the fit" in by_part.stdout
    found = labels_of(files / "t-labels")
    assert np.flatnonzero(found["unlike"]).tolist() == [5, 450, 451]
    np.testing.assert_array_equal(found["unlike"], pd.read_csv("new-clustered.csv")["unlike"])


def test_killed_runs_continue_their_labels(run, files, monkeypatch):
    fit = ("fit", "t", *MEMETIC, "--no-report", "--out")
    assert run(*fit, "whole").exit_code == 0
    write = MemeticKMeans.write_labels

    def interrupted(model, folder):
        write(model, folder)[1].unlink()
        raise KeyboardInterrupt

    monkeypatch.setattr(MemeticKMeans, "write_labels", interrupted)
    assert "to complete the labels, rerun the command with --resume" in run(*fit, "out").stderr
    monkeypatch.undo()
    monkeypatch.chdir(files)
    monkeypatch.setattr(command, "_SHOWN", 50)
    out = files / "out"
    times = {file.name: file.stat().st_mtime_ns for file in (out / "labels").iterdir()}
    assert len(times) == 2
    result = run(*fit, "out")
    assert result.exit_code == 2
    assert "contains an unfinished run; continue it with --resume" in result.stderr
    other = run(*fit, "out", "--resume", "--seed", 1)
    assert "cannot resume the fit in out, because its seed changed; rerun its command" in other.stderr
    monkeypatch.setattr(MemeticKMeans, "fit", None)
    assert run(*fit, "out", "--resume").exit_code == 0
    assert {name: (out / "labels" / name).stat().st_mtime_ns for name in times} == times
    assert {file.name for file in out.iterdir()} == {file.name for file in (files / "whole").iterdir()}
    for name in ("labels.csv", "clusters.csv", "history.csv"):
        assert (out / name).read_text() == (files / "whole" / name).read_text()
    pd.testing.assert_frame_equal(labels_of(out / "labels"), labels_of(files / "whole/labels"))


@pytest.mark.slow
@pytest.mark.parametrize("n_landmarks", [2000, 100])
def test_pareto_clustering(run, files, monkeypatch, n_landmarks):
    fit = ("fit", "t", "--set", f"n_landmarks={n_landmarks}", "--quiet", "--out")
    result = run(*fit, "out")
    assert (result.exit_code, result.stderr) == (0, "")
    model = ParetoClustering(n_landmarks=n_landmarks, random_state=0).fit(parts("t"))
    known = np.asarray(model.labels_)
    np.testing.assert_array_equal(labels_of(files / "out/labels")["cluster"], known)
    shown = pd.read_csv("out/labels.csv")
    np.testing.assert_array_equal(shown["label"], known[shown["row"]])
    # The files describe some rows, but sizes count all rows.
    others = pd.read_csv("out/alternatives.csv")
    assert len(others) == len(shown) == (900 if n_landmarks > 900 else len(shown)) < 1000
    summary = pd.read_csv("out/alternatives_summary.csv")
    assert summary["sizes"].tolist() == model.alternatives_["sizes"].tolist()
    assert run("predict", "out", "t", "--quiet").exit_code == 0
    np.testing.assert_array_equal(labels_of(files / "t-labels")["cluster"], known)
    assert "a fit of a partitioned table cannot be changed" in run("ask", "out").stderr
    assert run("explain", "out").exit_code == 0
    write = ParetoClustering.write_labels

    def interrupted(model, folder):
        write(model, folder)[1].unlink()
        raise KeyboardInterrupt

    monkeypatch.setattr(ParetoClustering, "write_labels", interrupted)
    run(*fit, "again")
    monkeypatch.setattr(ParetoClustering, "write_labels", write)
    assert run(*fit, "again", "--resume").exit_code == 0
    for name in ("labels.csv", "clusters.csv", "alternatives_summary.csv"):
        assert (files / "again" / name).read_text() == (files / "out" / name).read_text()
    assert {file.name for file in (files / "again").iterdir()} == {
        file.name for file in (files / "out").iterdir()
    }


@pytest.mark.slow
def test_evolution_of_landmarks(run, files, monkeypatch):
    evolved = ("--set", "n_landmarks=40", "--set", "n_gen=2", "--set", "pop_size=6", "--quiet", "--no-report")
    fit, write = ("fit", "t", *evolved, "--out"), ParetoClustering.write_labels
    assert run(*fit, "out").exit_code == 0
    assert pd.read_csv("out/history.csv")["generation"].max() == 2
    assert set(json.loads((files / "out/run.json").read_text())["controls"]["score"]) >= {"control"}

    def interrupted(model, folder):
        write(model, folder)[1].unlink()
        raise KeyboardInterrupt

    monkeypatch.setattr(ParetoClustering, "write_labels", interrupted)
    run(*fit, "again")
    monkeypatch.setattr(ParetoClustering, "write_labels", write)
    assert run(*fit, "again", "--resume").exit_code == 0
    first, second = (pd.read_csv(f"{name}/history.csv").drop(columns="seconds") for name in ("out", "again"))
    pd.testing.assert_frame_equal(first, second)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no/*.parquet", *MEMETIC], "no file matches 'no/*.parquet'"),
        (
            ["t", "--method", "pesc", "-k", 3],
            "requires all rows in the memory of one machine, about 1.4",
        ),
        (["t", *MEMETIC, "-k", 901], "n_clusters=901 must not exceed the number of samples, 900"),
        (["t", *MEMETIC, "--id-column", "a"], "--id-column does not apply to a partitioned table; use"),
        (["t", *MEMETIC, "--prepare"], "--prepare does not apply to a partitioned table"),
        (["t", *MEMETIC, "--checkpoint-every", 5], "--checkpoint-every does not apply to a partitioned"),
        (["t", *MEMETIC, "--drop", "aa"], "lacks column 'aa'; it has ['a', 'b']; did you mean 'a'?"),
        (["t", *MEMETIC, "--workers", 1, "--scheduler", "x"], "--workers and --scheduler are mutually"),
        (["text", *MEMETIC], "column 'b' of part 0.parquet is not numeric (type"),
        (["text", *MEMETIC], "drop it with --drop b, or encode text as numbers"),
        (
            ["missing", *MEMETIC],
            "column 'b' of part 0.parquet has missing values, 900 in row group 0; fill them in or",
        ),
        (["t", "text/0.parquet", *MEMETIC, "--drop", "b"], "has an additional column, 'c'"),
        (["empty", *MEMETIC], "got 0 rows and 2 columns"),
    ],
)
def test_refusals_leave_no_folder(run, files, rows, arguments, message):
    for name, frame in (
        ("text", rows.assign(b="x", c=1.0)),
        ("missing", rows.assign(b=np.nan)),
        ("empty", rows[:0]),
    ):
        (files / name).mkdir()
        frame.to_parquet(f"{name}/0.parquet", index=False)
    result = run("fit", *arguments, "--out", "out")
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not (files / "out").exists()


def test_folders_of_texts_are_documents(run, files):
    (files / "d").mkdir()
    (files / "d" / "1.txt").write_text("one")
    (files / "d" / "notes.csv").write_text("a\n1\n")
    result = run("fit", "d", *MEMETIC, "--out", "out")
    assert "all documents are empty after removing stop words" in result.stderr


@pytest.mark.slow
def test_workers_and_schedulers(run, files):
    distributed = pytest.importorskip("distributed")
    fit = ("fit", "t", *MEMETIC, "--no-report", "--out")
    assert run(*fit, "here").exit_code == 0
    before = signal.getsignal(signal.SIGINT)
    result = run(*fit, "workers", "--workers", 1)
    assert result.exit_code == 0, result.output
    assert signal.getsignal(signal.SIGINT) is before
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        address = cluster.scheduler_address
        assert run("predict", "workers", "t", "--scheduler", address, "--quiet").exit_code == 0
        with distributed.Client(cluster) as client:
            # The workers wrote the files, not this process.
            assert os.getpid() not in client.run(os.getpid).values()
    for folder in ("workers/labels", "t-labels"):
        found = labels_of(files / folder)[["row", "cluster"]]
        pd.testing.assert_frame_equal(found, labels_of(files / "here/labels"))
    result = run(*fit, "out", "--scheduler", "nonsense")
    assert "no Dask scheduler responds at 'nonsense'" in result.stderr
