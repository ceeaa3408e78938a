"""``fit --start``: a search starts from an earlier run, a table of labels, or a column of the data."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from moo_clustering.encodings import relabel_by_first_appearance as numbered
from moo_clustering.estimators import MOCK

N = 30
QUICK = ("-k", 3, "--no-report", "--quiet", "--set", "pop_size=8", "--set", "n_gen=1")
NAMES = np.repeat(["north", "south", "west"], N // 3)


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X = np.random.default_rng(0).normal(size=(N, 2)) + np.repeat([[0, 0], [6, 0], [0, 6]], N // 3, axis=0)
    frame = pd.DataFrame(X, columns=["x", "y"]).assign(was=NAMES, id=[f"s{i}" for i in range(N)])
    frame.to_csv("table.csv", index=False)
    frame[["x", "y"]].to_csv("plain.csv", index=False)
    return frame


@pytest.fixture
def started(monkeypatch):
    """Return a list to which every fit appends its start."""
    seen, fit = [], MOCK.fit
    monkeypatch.setattr(MOCK, "fit", lambda self, *a, **b: (seen.append(self.start), fit(self, *a, **b))[1])
    return seen


def test_folder_table_and_column(run, table, started):
    assert run("fit", "plain.csv", "--method", "mock", *QUICK, "--out", "a").exit_code == 0
    labels = pd.read_csv("a/labels.csv")["label"].to_numpy()
    assert run("fit", "plain.csv", "--method", "mock", "--start", "a", *QUICK, "--out", "b").exit_code == 0
    # The labels of a table in another order are matched by identifier.
    shuffled = table.sample(frac=1, random_state=0)
    shuffled[["id", "was"]].rename(columns={"was": "label"}).to_csv("old.csv", index=False)
    rows = ("--method", "mock", "--id-column", "id", *QUICK)
    assert run("fit", "table.csv", "--drop", "was", "--start", "old.csv", *rows, "--out", "c").exit_code == 0
    assert run("fit", "table.csv", "--start", "was", *rows, "--out", "d").exit_code == 0
    assert started[0] is None
    np.testing.assert_array_equal(numbered(started[1]), numbered(labels))
    for start in started[2:]:
        np.testing.assert_array_equal(numbered(start), np.repeat([0, 1, 2], N // 3))
    records = [json.loads(Path(name, "run.json").read_text()) for name in "bcd"]
    assert [record["supervision"]["start"] for record in records] == [
        {"file": "a", "n_clusters": 3},
        {"file": "old.csv", "n_clusters": 3},
        {"column": "was", "n_clusters": 3},
    ]
    assert records[2]["data"]["feature_names"] == ["x", "y"]
    assert "start" not in records[0]["parameters"]


@pytest.mark.parametrize(
    ("data", "method", "start", "message"),
    [
        ("table.csv", "mock", "wsa", "has no column 'wsa' (--start); did you mean 'was'"),
        ("iris", "mock", "was", "--start cannot be used with the bundled data set iris"),
        ("plain.csv", "mock", ".", "--start . is not a run folder with a result: it has no labels.csv"),
        ("plain.csv", "mock", "table.csv", "must have the columns row and label, got x, y"),
        ("plain.csv", "mock", "long.csv", "long.csv has 31 rows, but plain.csv has 30"),
        ("plain.csv", "mock", "short.csv", "short.csv has no label for row '29' of plain.csv"),
        ("plain.csv", "mock", "twice.csv", "twice.csv contains row '0' more than once"),
        ("plain.csv", "mock", "noise.csv", "must contain a label for every sample"),
        ("plain.csv", "bamic", "long.csv", "method bamic does not accept --start, because it has no search"),
        ("plain.csv", "srmosc", "thirds.csv", 'start, checkpoint and resume require search="nsga2"'),
    ],
)
def test_starts_that_cannot_be_used(run, table, data, method, start, message):
    for name, labels in {
        "long": np.zeros(N + 1, int),
        "short": np.zeros(N - 1, int),
        "noise": np.arange(N) % 3 - 1,
        "thirds": np.arange(N) % 3,
    }.items():
        pd.DataFrame({"row": range(len(labels)), "label": labels}).to_csv(f"{name}.csv", index=False)
    pd.DataFrame({"row": [0] * N, "label": 0}).to_csv("twice.csv", index=False)
    result = run("fit", data, "--method", method, "-k", 3, "--start", start, "--no-report", "--out", "out")
    assert result.exit_code != 0
    assert message in result.output


def test_the_start_has_its_own_option(run, table):
    result = run("fit", "plain.csv", "--method", "mock", "--set", "start=3", "--out", "out")
    assert "start must be set with --start, not --set" in result.output
