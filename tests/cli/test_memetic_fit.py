"""``fit`` with k-means whose sum of squares is minimised well."""

import json
import os
import re
import signal

import numpy as np
import pandas as pd
import pytest

from moo_clustering import MemeticKMeans
from moo_clustering.estimators.memetic_kmeans import MemeticSearch
from moo_clustering.persistence import read_archive

QUICK = ("--set", "max_distance_evaluations=100000", "--set", "pop_min=3", "--set", "pop_max=5")
TABLE = ("table.csv", "--id-column", "id", "--labels", "kind", "--drop", "some")
MEMETIC = ("fit", *TABLE, "--method", "memetic-kmeans", "-k", 5)


def rows_of(text):
    """The summary's lines by their first words."""
    return dict(re.findall(r"^ *(\S.*?) {2,}(.*)$", text, flags=re.MULTILINE))


def fitted(table, **options):
    options = {"max_distance_evaluations": 100_000, "pop_min": 3, "pop_max": 5} | options
    return MemeticKMeans(5, random_state=0, **options).fit(np.ascontiguousarray(table[["a", "b"]]))


def test_labels_centres_and_history(run, pictures, table, tmp_path):
    result = run(*MEMETIC, *QUICK, "--out", "out")
    assert result.exit_code == 0, result.output
    out = tmp_path / "out"
    model = fitted(table)
    saved = pd.read_csv(out / "labels.csv")
    assert saved["label"].tolist() == model.labels_.tolist()
    assert saved.iloc[:, 0].tolist() == table["id"].tolist()
    history = pd.read_csv(out / "history.csv")
    pd.testing.assert_frame_equal(history, model.history_)
    assert history["inertia"].is_monotonic_decreasing
    record = json.loads((out / "run.json").read_text())
    assert record["estimator"] == "MemeticKMeans"
    assert record["status"] == "complete"
    assert record["sum_of_squares"] == {
        "inertia": model.inertia_,
        "local_searches": model.n_local_searches_,
    }
    assert set(record["files"]) == {
        "clustered.csv", "clusters.csv", "history.csv", "history.png", "labels.csv", "model.skops",
        "report.html", "report.npz", "result.npz",
    }  # fmt: skip
    assert sorted(path.name for path in out.iterdir()) == sorted([*record["files"], "run.json"])
    arrays, _ = read_archive(out / "result.npz")
    np.testing.assert_array_equal(arrays["labels"], model.labels_)
    np.testing.assert_array_equal(arrays["centers"], model.cluster_centers_)
    said = rows_of(result.stdout)
    assert said["method"] == "memetic-kmeans (MemeticKMeans), seed 0"
    assert said["clusters"].startswith("5 of ")
    assert said["sum of squares"] == f"{model.inertia_:.6g} after {model.n_local_searches_} local searches"
    assert not {"multistart", "swap", "ward"} & set(said)


def test_controls_are_told(run, table, tmp_path):
    result = run(*MEMETIC, *QUICK, "--set", "report_controls=True", "--out", "out")
    assert result.exit_code == 0, result.output
    model = fitted(table, report_controls=True)
    record = json.loads((tmp_path / "out" / "run.json").read_text())
    assert record["sum_of_squares"]["controls"] == model.control_inertia_
    said = rows_of(result.stdout)
    for name, value in model.control_inertia_.items():
        percent = 100 * (value / model.inertia_ - 1)
        assert said[name] == f"{value:.6g} ({percent:+.2f}%)"


@pytest.mark.slow
@pytest.mark.parametrize(("alias", "strategy"), [("swap-kmeans", "swap"), ("ward-kmeans", "ward")])
def test_simpler_means_by_name(run, table, tmp_path, alias, strategy):
    arguments = ("fit", *TABLE, "--method", alias, "-k", 5, "--set", "max_distance_evaluations=100000")
    result = run(*arguments, "--out", "out")
    assert result.exit_code == 0, result.output
    record = json.loads((tmp_path / "out" / "run.json").read_text())
    assert record["parameters"]["strategy"] == strategy
    assert record["sum_of_squares"]["inertia"] == fitted(table, strategy=strategy).inertia_


def test_nothing_left_to_compare_where_every_sample_is_a_cluster(run, tmp_path):
    pd.DataFrame({"a": [0.0, 1.0, 5.0], "b": [1.0, 2.0, 0.0]}).to_csv(tmp_path / "few.csv", index=False)
    result = run(
        "fit", "few.csv", "--method", "memetic-kmeans", "-k", 3, "--set", "report_controls=True", "--out", "o"
    )
    assert result.exit_code == 0, result.output
    said = rows_of(result.stdout)
    assert said["sum of squares"] == "0 after 1 local search"
    assert said["swap"] == "0"


def test_copies_are_warned_about(run, tmp_path):
    frame = pd.DataFrame({"a": [0.0, 1.0, 5.0] * 4, "b": [1.0, 2.0, 0.0] * 4})
    frame.to_csv(tmp_path / "copies.csv", index=False)
    result = run("fit", "copies.csv", "--method", "memetic-kmeans", "-k", 5, "--out", "o")
    assert result.exit_code == 0, result.output
    assert "only 3 of n_clusters=5 clusters are non-empty" in result.stderr
    assert rows_of(result.stdout)["clusters"].startswith("3 of 4, 4, 4")


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_run_goes_on_after_ctrl_c(run, table, tmp_path, monkeypatch):
    assert run(*MEMETIC, *QUICK, "--out", "whole").exit_code == 0
    step, calls = MemeticSearch.step, []

    def interrupted(self):
        calls.append(None)
        if len(calls) == 7:
            os.kill(os.getpid(), signal.SIGINT)
        step(self)

    with monkeypatch.context() as patch:
        patch.setattr(MemeticSearch, "step", interrupted)
        stopped = run(*MEMETIC, *QUICK, "--checkpoint-every", 2, "--out", "out")
    assert stopped.exit_code == 130
    assert "after 7 local searches" in stopped.stderr
    assert "--resume" in stopped.stderr
    record = json.loads((tmp_path / "out" / "run.json").read_text())
    assert (record["status"], record["sum_of_squares"]["local_searches"]) == ("interrupted", 7)
    again = run(*MEMETIC, *QUICK, "--checkpoint-every", 2, "--out", "out", "--resume")
    assert again.exit_code == 0, again.output
    for name in ("history.csv", "labels.csv"):
        assert (tmp_path / "out" / name).read_text() == (tmp_path / "whole" / name).read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "method memetic-kmeans requires the number of clusters; set it with -k"),
        (("-k", 61), "n_clusters=61 must not exceed the number of samples, 60"),
        (("-k", 5, "--set", "strategy=best"), "'strategy' parameter of MemeticKMeans must be a str among"),
        (("-k", 5, "--set", "max_distance_evaluations=0"), "'max_distance_evaluations' parameter"),
        (("-k", 5, "--set", "pop_max=4"), "pop_max must be at least pop_min=10, got 4"),
        (("-k", 5, "--set", "swap=1"), "swap"),
        (("-k", 5, "--set", "n_gen=4"), "method memetic-kmeans has no option 'n_gen'"),
    ],
)
def test_refusals_in_one_line(fails, table, options, message):
    assert message in fails("fit", *TABLE, "--method", "memetic-kmeans", *options, "--out", "out")


def test_listed(run):
    listed = run("methods").stdout
    assert "memetic-kmeans" in listed
    told = run("methods", "memetic-kmeans").stdout
    for word in ("MemeticKMeans", "max_distance_evaluations = None", "swap-kmeans", "n_clusters: -k"):
        assert word in told
