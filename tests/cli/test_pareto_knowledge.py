"""The recommended method with labels of some rows, and with pairs."""

import json

import numpy as np
import pandas as pd
import pytest

FIT = ("fit", "table.csv", "--id-column", "id", "--out", "out")


def record_of(folder):
    return json.loads((folder / "out" / "run.json").read_text(encoding="utf-8"))


def test_partial_labels_give_classes_to_all_rows(run, table, tmp_path):
    result = run(*FIT, "--labels", "kind", "--partial-labels", "some")
    assert result.exit_code == 0, result.output
    labels = pd.read_csv("out/labels.csv")
    assert labels.columns.tolist() == ["row", "label", "class"]
    given = table["some"].to_numpy() != ""
    assert labels["class"].to_numpy()[given].tolist() == table["some"].to_numpy()[given].tolist()
    assert (labels["class"].to_numpy() == table["kind"].to_numpy()).mean() > 0.9
    # Positions in the sorted names.
    assert labels["class"].tolist() == np.array(["blue", "green", "red"])[labels["label"]].tolist()
    probabilities = pd.read_csv("out/probabilities.csv")
    assert probabilities.columns.tolist() == ["row", "blue", "green", "red"]
    assert probabilities["row"].tolist() == table["id"].tolist()
    np.testing.assert_allclose(probabilities.iloc[:, 1:].sum(axis=1), 1.0)
    record = record_of(tmp_path)
    assert record["classes"] == ["blue", "green", "red"]
    assert record["supervision"]["partial_labels"] == {"column": "some", "n_labelled": int(given.sum())}
    assert record["scores"]["accuracy_unlabelled"] > 0.9
    assert "classes       " in result.stdout
    assert "0 = blue, 1 = green, 2 = red" in result.stdout
    # What the verdict has meant was measured without labels.
    assert "verdict" not in result.stdout


@pytest.mark.slow
def test_classes_that_no_label_has(run, table, tmp_path):
    table.assign(some=table["some"].replace("blue", "")).to_csv("table.csv", index=False)
    result = run(*FIT, "--drop", "kind", "--partial-labels", "some", "--set", "novel=allow")
    assert result.exit_code == 0, result.output
    classes = pd.read_csv("out/labels.csv", keep_default_na=False)["class"].to_numpy()
    blue = table["kind"].to_numpy() == "blue"
    assert (classes[blue] == "").mean() > 0.8
    assert (classes[~blue] == table["kind"].to_numpy()[~blue]).mean() > 0.8
    assert "(new)" in result.stdout
    assert "" in record_of(tmp_path)["classes"]


def test_pairs_of_rows(run, table, tmp_path):
    rng = np.random.default_rng(2)
    ids, kinds = table["id"].to_numpy(), table["kind"].to_numpy()
    pairs = np.array([rng.choice(60, 2, replace=False) for _ in range(60)])
    same = kinds[pairs[:, 0]] == kinds[pairs[:, 1]]
    for name, chosen in (("must", pairs[same]), ("cannot", pairs[~same])):
        pd.DataFrame(ids[chosen]).to_csv(f"{name}.csv", index=False, header=["one", "two"])
    result = run(
        *FIT, "--drop", "kind", "--drop", "some", "--must-link", "must.csv", "--cannot-link", "cannot.csv"
    )
    assert result.exit_code == 0, result.output
    labels = pd.read_csv("out/labels.csv")["label"].to_numpy()
    together = labels[pairs[:, 0]] == labels[pairs[:, 1]]
    assert together[same].all()
    assert (together == same).mean() > 0.9
    supervision = record_of(tmp_path)["supervision"]
    assert supervision["must_link"] == {"file": "must.csv", "n_pairs": int(same.sum())}
    front = pd.read_csv("out/front.csv")
    assert {"must_link_satisfied", "cannot_link_satisfied"} < set(front.columns)
    assert "verdict" not in result.stdout


@pytest.mark.slow
def test_noise_is_in_no_cluster(run, table, tmp_path):
    numbers = table.select_dtypes("number").columns
    far = table.iloc[:2].assign(id=["far", "away"], some="")
    far[numbers] = [[1e3] * len(numbers), [-1e3] * len(numbers)]
    pd.concat([table, far]).to_csv("table.csv", index=False)
    arguments = (*FIT, "--labels", "kind", "--partial-labels", "some", "--set")
    result = run(*arguments, "noise=label", "--set", "n_gen=1")
    assert result.exit_code == 0, result.output
    labels = pd.read_csv("out/labels.csv", keep_default_na=False)
    assert labels["row"][labels["label"] < 0].tolist() == ["far", "away"]
    assert (labels["class"] == "").tolist() == (labels["label"] < 0).tolist()
    assert " samples, 2 outliers (-1)" in result.stdout
    record = record_of(tmp_path)["result"]
    assert (record["n_noise"], sum(record["sizes"])) == (2, 60)
    assert pd.read_csv("out/clusters.csv")["size"].sum() == 60
    assert set(pd.read_csv("out/front.csv")["n_clusters"]) <= set(range(1, 60))
    assert (pd.read_csv("out/alternatives.csv").iloc[-2:, 1:] == -1).all(axis=None)
    assert run("report", "out", "--out", "again.html").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--labels", "kinds"), "'kinds'"),
        (("--partial-labels", "none"), "'none'"),
        (("--partial-labels", "empty"), "column 'empty' (--partial-labels) contains no labels"),
        (("--must-link", "pairs.csv"), "unknown"),
        (("--hold-out", 0.5), "method pareto-clustering does not accept --hold-out"),
        (("-k", 61), "n_clusters=61 must not exceed the number of samples, 60"),
        (("-k", 0), "'0' is not valid; use a number (3), an interval (2-5) or auto"),
        (("--set", "popsize=9"), "did you mean 'pop_size'"),
        (("--set", "novel=some"), "novel"),
        (
            ("--checkpoint-every", 5),
            "method pareto-clustering has no generations without --set n_gen=",
        ),
        (("--resume",), "method pareto-clustering has no generations without --set n_gen="),
    ],
)
def test_mistakes(fails, table, tmp_path, arguments, message):
    table.assign(empty="").to_csv("table.csv", index=False)
    (tmp_path / "pairs.csv").write_text("s01,unknown\n")
    assert message in fails(*FIT, "--quiet", *arguments)
    assert not (tmp_path / "out").exists()
