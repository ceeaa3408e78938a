"""``fit`` with a method that does what it is told."""

import json

import numpy as np
import pandas as pd
import pytest

from moo_clustering.persistence import environment, read_archive
from moo_clustering.validity import nmi

FIT = ("fit", "table.csv", "--method", "slices", "--id-column", "id", "--drop", "some", "--out", "out")


def read_record(folder="out"):
    with open(f"{folder}/run.json", encoding="utf-8") as file:
        return json.load(file)


def test_folder_of_a_fit(run, slices, table):
    result = run(*FIT, "--labels", "kind", "-k", 3, "--seed", 7, "--set", "low=0.5")
    assert result.exit_code == 0, result.output
    assert [line.split() for line in result.stdout.splitlines()[-2:]] == [
        ["saved", "in", "out"],
        ["open", "out/report.html"],
    ]
    labels = pd.read_csv("out/labels.csv")
    assert labels.columns.tolist() == ["row", "label"]
    assert labels["row"].tolist() == table["id"].tolist()
    expected = (table["a"].rank().to_numpy() - 1) * 3 // 60
    assert labels["label"].tolist() == expected.tolist()
    record = read_record()
    assert record["status"] == "complete"
    assert record["seed"] == 7
    assert record["method"] == "slices"
    assert record["parameters"]["n_clusters"] == 3
    assert record["parameters"]["low"] == 0.5
    assert record["data"]["name"] == "table.csv"
    assert record["data"]["feature_names"] == ["a", "b"]
    assert record["result"]["sizes"] == [20, 20, 20]
    assert set(record["scores"]) == {"accuracy", "nmi", "adjusted_rand"}
    assert record["scores"]["nmi"] == pytest.approx(nmi(table["kind"], labels["label"]))
    assert {"moo_clustering", "numpy", "python"} <= set(record["environment"])
    assert record["environment"]["blas"] == environment()["blas"]
    assert set(record["timings"]) == {"load", "fit", "total"}
    assert 0 < record["timings"]["load"] + record["timings"]["fit"] <= record["timings"]["total"]
    arrays, meta = read_archive("out/result.npz")
    assert arrays["labels"].tolist() == labels["label"].tolist()
    assert meta["seed"] == 7
    assert sorted(record["files"]) == [
        "clustered.csv", "clusters.csv", "labels.csv", "report.html", "report.npz", "result.npz",
    ]  # fmt: skip


def test_record_has_no_paths(run, slices, table, tmp_path):
    out = tmp_path / "deep" / "out"
    result = run(
        "fit", tmp_path / "table.csv", "--method", "slices", "--id-column", "id", "--drop", "some", "-k", 2,
        "--drop", "kind", "--out", out, "--checkpoint-every", 5,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert str(tmp_path) not in (out / "run.json").read_text()
    assert not (out / "checkpoint.npz").exists()


def test_labels_cannot_reach_the_fit(run, slices, table):
    run(*FIT, "--labels", "kind", "-k", 3)
    seen = slices.seen
    assert seen["X"].shape == (60, 2)
    assert seen["y"] is None
    permuted = table.assign(kind=np.random.default_rng(5).permutation(table["kind"].to_numpy()))
    permuted.to_csv("permuted.csv", index=False)
    run("fit", "permuted.csv", *FIT[2:-1], "other", "--labels", "kind", "-k", 3)
    with open("out/labels.csv", "rb") as one, open("other/labels.csv", "rb") as two:
        assert one.read() == two.read()
    assert np.array_equal(seen["X"], slices.seen["X"])
    assert read_record()["scores"] != read_record("other")["scores"]


def test_bundled_classes_are_for_scoring_only(run, slices):
    assert run("fit", "iris", "--method", "slices", "-k", 3, "--out", "out").exit_code == 0
    assert slices.seen["y"] is None
    assert 0.3 < read_record()["scores"]["accuracy"] <= 1


def test_partial_labels_and_pairs_reach_the_fit(run, slices, table):
    with open("must.csv", "w") as file:
        file.write("s03,s01\ns02,s04\n")
    with open("cannot.tsv", "w") as file:
        file.write("a\tb\ns00\ts59\n")
    result = run(
        "fit", "table.csv", "--method", "slices", "--id-column", "id", "--labels", "kind", "--partial-labels",
        "some", "--must-link", "must.csv", "--cannot-link", "cannot.tsv", "-k", 3, "--out", "out",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    ids = table["id"].tolist()
    names = ["blue", "green", "red"]
    assert slices.seen["y"].tolist() == [names.index(name) if name else -1 for name in table["some"]]
    assert [[ids[i] for i in pair] for pair in slices.seen["must_link"]] == [["s03", "s01"], ["s02", "s04"]]
    assert [[ids[i] for i in pair] for pair in slices.seen["cannot_link"]] == [["s00", "s59"]]
    record = read_record()
    assert "accuracy_unlabelled" in record["scores"]
    assert record["supervision"]["partial_labels"] == {"column": "some", "n_labelled": 12}
    assert record["supervision"]["must_link"] == {"file": "must.csv", "n_pairs": 2}


def test_row_numbers_in_pairs_without_identifiers(run, slices, table):
    with open("must.csv", "w") as file:
        file.write("0,5\n")
    result = run(
        "fit", "table.csv", "--method", "slices", "--drop", "id", "--drop", "some", "--drop", "kind",
        "--must-link", "must.csv", "-k", 3, "--out", "out",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert slices.seen["must_link"].tolist() == [[0, 5]]
    assert pd.read_csv("out/labels.csv")["row"].tolist() == list(range(60))


def test_alias_brings_its_options_and_set_overrides_them(run, slices, table):
    run(*FIT, "--method", "fine_slices", "--drop", "kind", "-k", 2)
    assert slices.seen["estimator"].high == 5.0
    run(
        *FIT[:-1], "two", "--method", "fine_slices", "--drop", "kind", "-k", 2, "--set", "high=6", "--jobs", 2
    )
    assert slices.seen["estimator"].high == 6
    assert slices.seen["estimator"].n_jobs == 2


def test_sizes_of_the_ten_largest_clusters(run, slices, table):
    result = run(*FIT, "--drop", "kind", "-k", 11)
    assert "  11 of 6, 6, 6, 6, 6, 5, 5, 5, 5, 5, ... samples" in result.stdout


def test_quiet(run, slices, table):
    result = run(*FIT, "--drop", "kind", "-k", 2, "--quiet")
    assert (result.exit_code, result.output) == (0, "")
    assert slices.seen["estimator"].verbose is False


def test_warnings_are_single_lines(run, slices, table):
    result = run(*FIT, "--drop", "kind", "-k", 2, "--set", "mode=warn")
    assert result.exit_code == 0
    assert result.stderr == "Warning: first thing\nWarning: second thing\n"
    assert read_record()["warnings"] == ["first thing", "second thing"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-k", 2, "--set", "lwo=1"), "method slices has no option 'lwo'; did you mean 'low'?"),
        (("-k", 2, "--set", "zzzzz=1"), "`moo-clustering methods slices` lists its options"),
        (("-k", 2, "--set", "low"), "--set must have the form name=value, got 'low'"),
        (("-k", 2, "--set", "low=1", "--set", "low=2"), "low is set more than once with --set"),
        (("-k", 2, "--set", "n_clusters=3"), "n_clusters must be set with -k, not --set"),
        (("-k", 2, "--set", "random_state=3"), "must be set with --seed, not --set"),
        (("-k", 2, "--set", "n_jobs=3"), "must be set with --jobs, not --set"),
        (("-k", 2, "--set", "checkpoint=x"), "must be set with --out and --checkpoint-every, not --set"),
        (("-k", 2, "--set", "resume=True"), "must be set with --resume, not --set"),
        ((), "method slices requires the number of clusters; set it with -k"),
        (("-k", "two"), "Invalid value for '-k'"),
        (("-k", 0), "'-k' .*: '0' is not valid; use a number"),
        (("-k", 61), "n_clusters=61 must be from 1 to 60."),
        (("-k", 2, "--jobs", 0), "'--jobs': 0 is not valid; use a positive integer"),
        (("-k", 2, "--seed", -1), "Invalid value for '--seed'"),
        (("-k", 2, "--checkpoint-every", 0), "Invalid value for '--checkpoint-every'"),
        (("-k", 2, "--method", "slice"), "unknown method 'slice'.*did you mean 'slices'"),
        (("-k", 2, "--method", "pecs"), "did you mean 'pesc'"),
        (("-k", 2, "--labels", "kindd"), "no column 'kindd'.*did you mean 'kind'"),
        (("-k", 2, "--must-link", "none.csv"), "none.csv: No such file"),
        (("-k", 2, "--set", "mode=fail"), "it failed"),
        (("-k", 2, "--foo"), "No such option.*--foo"),
    ],
)
def test_mistakes(fails, slices, table, tmp_path, arguments, message):
    import re

    extra = () if "--labels" in arguments else ("--drop", "kind")
    assert re.search(message, fails(*FIT, *extra, *arguments))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("wines", "wines is neither a file nor a bundled data set.*did you mean 'wine'"),
        ("none.csv", "file none.csv does not exist"),
        ("table.csv", "column 'kind' is not numeric|columns 'id', 'kind'"),
        ("empty.csv", "is empty"),
        ("header.csv", "column names but no rows"),
        ("ragged.csv", "line 3 has 3 cells"),
        ("nan.csv", "empty or NaN value in column 'b', row 2"),
        ("inf.csv", "infinite value inf in column 'a', row 1"),
        ("text.csv", "column 'b' is not numeric"),
    ],
)
def test_bad_data(fails, slices, table, tmp_path, data, message):
    import re

    for name, text in {
        "empty.csv": "",
        "header.csv": "a,b\n",
        "ragged.csv": "a,b\n1,2\n1,2,3\n",
        "nan.csv": "a,b\n1,2\n1,\n",
        "inf.csv": "a,b\ninf,2\n1,2\n",
        "text.csv": "a,b\n1,x\n",
    }.items():
        (tmp_path / name).write_text(text)
    assert re.search(
        message, fails("fit", data, "--method", "slices", "--no-prepare", "-k", 2, "--out", "out")
    )
    assert not (tmp_path / "out").exists()


def test_no_label_among_the_partial_labels(fails, slices, table, tmp_path):
    (tmp_path / "t.csv").write_text("a,s\n1,\n2,-1\n")
    message = fails(
        "fit", "t.csv", "--method", "slices", "-k", 2, "--partial-labels", "s", "--out", "out"
    )  # fmt: skip
    assert message == "column 's' (--partial-labels) contains no labels"


def test_a_run_folder_with_the_name_of_a_bundled_set(run, slices):
    for folder in ("iris", "again"):
        assert run("fit", "iris", "--method", "slices", "-k", 3, "--out", folder).exit_code == 0
    assert pd.read_csv("again/labels.csv").equals(pd.read_csv("iris/labels.csv"))


def test_columns_of_bundled_sets(fails, slices):
    message = fails(
        "fit", "wine", "--method", "slices", "-k", 2, "--labels", "y", "--drop", "a", "--out", "o"
    )
    assert message == "--labels and --drop cannot be used with the bundled data set wine"


def test_unexpected_errors_show_where_they_came_from(run, slices, table, monkeypatch):
    def fit(self, *arguments, **options):
        raise RuntimeError("a bug")

    monkeypatch.setattr(slices, "fit", fit)
    result = run(*FIT, "--drop", "kind", "-k", 2)
    assert isinstance(result.exception, RuntimeError)


def test_traceback_on_request(run, slices, table):
    result = run("--traceback", *FIT, "--drop", "kind", "-k", 99)
    assert isinstance(result.exception, ValueError)
