"""Sentences and tables of the recommended method, apart from any fit."""

from pathlib import Path

import numpy as np
import pandas as pd

from moo_clustering.cli.describe import cluster_table, column_frames, sorting_columns
from moo_clustering.cli.fit import pareto_remarks, pareto_rows
from moo_clustering.cli.job import choose_method
from moo_clustering.datasets import BagTable, make_bags
from moo_clustering.descriptions import describe_columns
from tests.datasets.arff_files import write_bag_arff

OUT = Path("my results")


def record(*alternatives, **entries):
    found = [
        {"n_clusters": k, "confidence": worth, "sizes": "4, 2", "families": "km", "difference": "splits"}
        for k, worth in alternatives
    ]
    return {"alternatives": found, "result": {"n_clusters": 3}, "scores": {}, **entries}


def test_alternatives_are_told_side_by_side():
    rows = dict(pareto_rows(record((3, 0.9), (1, 0.8)), OUT, "clear"))
    assert rows["alternative-0"] == "3 clusters of 4, 2 (expected index 0.5 to 1.0, found by k-means): splits"
    assert rows["alternative-1"].startswith("1 cluster of ")
    assert "--partial-labels" in rows["next"]
    asks = record((3, 0.9), files=["labels.csv", "questions.npz"])
    assert dict(pareto_rows(asks, OUT, "clear"))["next"].startswith("run moo-clustering ask 'my results', ")
    assert "next" not in dict(pareto_rows(record(), OUT, "clear"))
    assert "next" not in dict(pareto_rows(asks, OUT, None))


def test_no_verdict_with_labels_and_nothing_of_other_methods():
    assert dict(pareto_rows(record(), OUT, "clear"))["verdict"] == "clear"
    assert "verdict" not in dict(pareto_rows(record(), OUT, None))
    assert pareto_rows({"result": {"n_clusters": 3}}, OUT, "clear") == []
    classes = dict(pareto_rows(record(classes=["oak", ""]), OUT, None))["classes"]
    assert classes == "0 = oak, 1 = (new)"


def test_controls_that_there_are():
    controls = {
        "score": {"result": 1.5, "control": 1.25},
        "ari_to_labels": {"control": 0.5},
        "scores": {"control": {"adjusted_rand": 0.75}},
    }
    rows = dict(pareto_rows(record(controls=controls, scores={"adjusted_rand": 1.0}), OUT, "clear"))
    assert rows["evolved"] == "best score 1.5000, adjusted Rand index 1.0000 with known classes"
    assert rows["without evolution"] == (
        "best score 1.2500, adjusted Rand index 0.7500 with known classes, "
        "adjusted Rand index 0.5000 with the clusters above"
    )
    assert rows["random survival"] == "omitted because the evolution was interrupted"


def test_remarks():
    assert pareto_remarks(record()) == []
    (remark,) = pareto_remarks(record(sorted_by=["a", "b", "c", "d"]))
    assert remark.startswith("Nearly every cluster contains a single value of 'a' and of 'b' and of 'c'. To")
    assert "Do not trust them more than the controls." in pareto_remarks(record(controls={}))[-1]


LABELS = np.repeat([0, 1, 3], [4, 2, 2])
COLUMNS = pd.DataFrame(
    {
        "width": [1.0, 1, 1, 1, 5, 5, 3, 3],
        "same": [2.0] * 8,
        "kind": list("uuuv" "ww" "vv"),
        "day": pd.to_datetime(["2020-01-01"] * 4 + ["2020-01-11"] * 4),
        "size": [1.0] * 4 + [2.0] * 4,
    }
)  # fmt: skip


def frames(columns, categories, labels):
    return column_frames(columns, categories, labels, describe_columns(labels, columns))


def test_clusters_by_their_columns():
    short, table = frames(COLUMNS, ("kind",), LABELS)
    assert short["cluster"].tolist() == [0, 1, 3]
    assert short["size"].tolist() == [4, 2, 2]
    assert table["width"].tolist() == [1, 5, 3]
    assert table["kind"].tolist() == ["u", "w", "v"]
    assert table["day"].tolist() == ["2020-01-01", "2020-01-11", "2020-01-11"]
    assert table["size (column)"].tolist() == [1, 2, 2]
    assert short["contrasts"][1].split("; ")[:2] == ["width 5 (3)", "kind 100% w (0%)"]
    assert not short["contrasts"].str.contains("same").any()


def test_largest_clusters_first_in_the_terminal():
    lines = cluster_table(frames(COLUMNS, ("kind",), LABELS)[0]).splitlines()
    assert [line.split()[:2] for line in lines[1:]] == [["0", "4"], ["1", "2"], ["3", "2"]]
    noise = frames(pd.DataFrame({"x": [0.0, 4.0, 2.0, 1e9]}), (), np.array([0, 1, 2, -1]))[0]
    assert cluster_table(noise).splitlines()[1].split() == ["0", "1", "low", "x", "x", "0", "(2)"]
    many = frames(pd.DataFrame({"x": np.arange(25.0)}), (), np.arange(25))[0]
    assert cluster_table(many).splitlines()[-1] == "(5 more clusters in clusters.csv)"


def test_long_names_are_shortened_beside_classes():
    frame = frames(COLUMNS, ("kind",), LABELS)[0].assign(name="very long " * 20)
    frame.insert(2, "class", ["oak", "ash", "elm"])
    lines = cluster_table(frame).splitlines()
    assert lines[0].split()[:4] == ["cluster", "size", "class", "name"]
    assert all(line.count("very") == 5 and "..." in line for line in lines[1:])


def test_columns_of_which_every_cluster_has_one_value():
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2, 3], 25)
    frame = pd.DataFrame(
        {
            "decides": labels // 2,
            "mixed": rng.integers(0, 2, 100),
            "rare": np.arange(100) == 7,
            "number": labels + rng.normal(size=100),
        }
    )
    assert sorting_columns(frame, labels) == ["decides"]
    frame.loc[:4, "decides"] = 1
    assert sorting_columns(frame, labels) == ["decides"]
    frame.loc[:5, "decides"] = 1
    assert sorting_columns(frame, labels) == []


def test_method_where_none_is_named(tmp_path):
    made = make_bags(6, 2, bag_size=(2, 3), random_state=0)
    write_bag_arff(tmp_path / "bags.arff", BagTable(made.bags, made.labels % 2, ("neg", "pos"), "made"))
    (tmp_path / "table.csv").write_text("box,x\np,1\np,2\nq,3\n")
    table, bags = str(tmp_path / "table.csv"), str(tmp_path / "bags.arff")
    assert choose_method("pesc", bags, None) == ("pesc", "")
    assert choose_method(None, bags, None)[0] == "pareto-bags"
    assert choose_method(None, table, "box")[0] == "pareto-bags"
    for data in (table, "wine", str(tmp_path), str(tmp_path / "none.arff")):
        assert choose_method(None, data, None) == (
            "pareto-clustering",
            "the default method",
        )
