"""The recommended method on whatever data there are."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.metrics import adjusted_rand_score

from moo_clustering import ParetoBagClustering, ParetoClustering
from moo_clustering.datasets import make_bags
from moo_clustering.persistence import read_archive

# Odd data could make a picture fail.
pytestmark = pytest.mark.usefixtures("pictures")
# Fewer candidates than without, so that a fit takes a moment.
SMALL = ("--set", "k_range=[2,3,4]")
GROUPS = np.repeat([0, 1, 2], 20)


def record_of(folder):
    return json.loads((folder / "out" / "run.json").read_text(encoding="utf-8"))


def labels_of(folder):
    return pd.read_csv(folder / "out" / "labels.csv")["label"].to_numpy()


def blobs(n_features=3, seed=0):
    rng = np.random.default_rng(seed)
    return np.eye(3)[GROUPS][:, :n_features] * 9 + rng.normal(size=(60, n_features))


def test_a_single_column(run, tmp_path):
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(GROUPS * 400 + np.arange(60) % 20, unit="D")
    pd.DataFrame({"day": days.strftime("%Y-%m-%d")}).to_csv("days.csv", index=False)
    result = run("fit", "days.csv", "--out", "out")
    assert result.exit_code == 0, result.output
    assert adjusted_rand_score(GROUPS, labels_of(tmp_path)) == 1.0
    assert "days.csv, 60 samples, 1 column\n" in result.stdout
    assert (tmp_path / "out" / "partition.png").stat().st_size > 5000


def test_two_rows(run, tmp_path):
    (tmp_path / "two.csv").write_text("x,y\n1,2\n3,5\n")
    result = run("fit", "two.csv", "--out", "out")
    assert result.exit_code == 0, result.output
    assert len(labels_of(tmp_path)) == 2
    assert "no structure beyond noise: there are fewer than three samples" in result.stdout
    assert record_of(tmp_path)["confidence"] is None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "table.csv is empty"),
        ("x,y\n", "table.csv has column names but no rows"),
        ("x,y\n1,2\n", "table.csv: the table has 1 row, but clustering requires at least two"),
        ("x,x\n1,2\n3,4\n", "two columns named 'x'"),
        ("x,y\n1,2\n3\n", "line 3"),
        ("x,y\n1,u\n1,u\n", "no usable columns remain: 'x' (constant); 'y' (constant)"),
        ("x\n\n", "column names but no rows"),
        ("x,y\n,\n,NA\n", "no usable columns remain: 'x' (empty); 'y' (empty)"),
    ],
)
def test_tables_with_nothing_in_them(fails, tmp_path, content, message):
    (tmp_path / "table.csv").write_text(content)
    assert message in fails("fit", "table.csv", "--out", "out")
    assert not (tmp_path / "out").exists()


def test_dense_archive_is_scaled_by_the_estimator(run, tmp_path):
    X = blobs() * [1, 1000, 1e-3]
    np.savez("data.npz", X=X, y=GROUPS, feature_names=["width", "width", "n"])
    result = run("fit", "data.npz", *SMALL, "--out", "out")
    assert result.exit_code == 0, result.output
    expected = ParetoClustering(k_range=[2, 3, 4], random_state=0).fit(X).labels_
    assert labels_of(tmp_path).tolist() == expected.tolist()
    assert record_of(tmp_path)["scores"]["adjusted_rand"] == 1.0
    clusters = pd.read_csv("out/clusters.csv")
    assert clusters.columns.tolist()[2:] == ["name", "contrasts", "width", "width (2)", "n"]


@pytest.mark.slow
def test_sparse_archive(run, fails, tmp_path):
    rng = np.random.default_rng(1)
    words = rng.poisson(0.05 + 2.0 * (np.arange(90) // 30 == GROUPS[:, None]))
    sparse.save_npz("words.npz", sparse.csr_array(words.astype(float)))
    result = run("fit", "words.npz", *SMALL, "--out", "out")
    assert result.exit_code == 0, result.output
    assert adjusted_rand_score(GROUPS, labels_of(tmp_path)) == 1.0
    assert record_of(tmp_path)["data"]["n_features"] == 90
    assert (tmp_path / "out" / "partition.png").stat().st_size > 5000
    assert "methods that accept sparse features are pareto-clustering" in fails(
        "fit", "words.npz", "--method", "pesc", "-k", 2, "--out", "other"
    )
    assert "--labels and --drop cannot be used" in fails(
        "fit", "words.npz", "--labels", "y", "--drop", "x", "--out", "other"
    )
    sparse.save_npz("bad.npz", sparse.csr_array([[1.0, np.nan], [1.0, 0.0]]))
    assert "the value nan in row 1" in fails("fit", "bad.npz", "--out", "other")


@pytest.mark.slow
def test_given_distances(run, tmp_path):
    X = blobs()
    np.savez("distances.npz", X=np.linalg.norm(X[:, None] - X[None], axis=2))
    result = run("fit", "distances.npz", "--set", "metric=precomputed", *SMALL, "--out", "out")
    assert result.exit_code == 0, result.output
    assert adjusted_rand_score(GROUPS, labels_of(tmp_path)) == 1.0
    assert "distances.npz, 60 samples with the distances between them\n" in result.stdout
    assert not (tmp_path / "out" / "clusters.csv").exists()
    assert (tmp_path / "out" / "partition.png").stat().st_size > 5000


@pytest.mark.slow
def test_more_rows_than_landmarks(run, tmp_path):
    rng = np.random.default_rng(0)
    group = np.arange(240) % 3
    X = np.eye(3)[group] * 9 + rng.normal(size=(240, 3))
    pd.DataFrame(X, columns=list("xyz")).assign(kind=np.array(list("uvw"))[group]).to_csv(
        "big.csv", index=False
    )
    result = run("fit", "big.csv", "--labels", "kind", "--set", "n_landmarks=60", *SMALL, "--out", "out")
    assert result.exit_code == 0, result.output
    assert record_of(tmp_path)["scores"]["adjusted_rand"] == 1.0
    assert len(pd.read_csv("out/alternatives.csv")) == 240
    arrays, _ = read_archive(tmp_path / "out" / "result.npz")
    assert arrays["landmark_of"].shape == (240,)
    assert arrays["pool_labels"].shape[1] <= 60
    # Samples of one landmark are in one cluster.
    of_landmark = pd.Series(labels_of(tmp_path)).groupby(arrays["landmark_of"]).nunique()
    assert (of_landmark == 1).all()
    assert (tmp_path / "out" / "similarity.png").stat().st_size > 5000


def test_bags(run, tmp_path):
    made = make_bags(24, 2, bag_size=(2, 4), random_state=0)
    bag = made.bags.bag_of_instance
    frame = pd.DataFrame(made.bags.instances, columns=["u", "v"])
    frame.insert(0, "box", [f"b{number}" for number in bag])
    frame.to_csv("bags.csv", index=False)
    result = run("fit", "bags.csv", "--bag", "box", *SMALL, "--out", "out")
    assert result.exit_code == 0, result.output
    assert "pareto-bags (ParetoBagClustering), seed 0; the default method for bags" in (result.stdout)
    assert "unreliable for bags" in result.stdout
    labels = pd.read_csv("out/labels.csv")
    assert labels["bag"].tolist() == [f"b{number}" for number in range(24)]
    expected = ParetoBagClustering(k_range=[2, 3, 4], random_state=0).fit(made.bags)
    assert labels["label"].tolist() == expected.labels_.tolist()
    others = pd.read_csv("out/alternatives.csv")
    assert others.columns[0] == "bag"
    assert np.array_equal(others.iloc[:, 1:].to_numpy().T, expected.alternative_labels_)


@pytest.mark.slow
def test_parquet(run, tmp_path):
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame(blobs(2), columns=["x", "y"])
    frame["kind"] = pd.Categorical(np.array(["u", "v", "w"])[GROUPS])
    frame["flag"] = pd.array(GROUPS == 0, dtype="boolean")
    frame.loc[3, "flag"] = pd.NA
    frame.loc[5, "x"] = np.nan
    frame.to_parquet("data.parquet")
    result = run("fit", "data.parquet", *SMALL, "--out", "out")
    assert result.exit_code == 0, result.output
    assert adjusted_rand_score(GROUPS, labels_of(tmp_path)) == 1.0
    assert "1 missing value was filled with the mean of the nearest rows, in column 'x'" in result.stderr
    assert "was filled with the most frequent value of the nearest rows, in column 'flag'" in result.stderr
    assert "text in column 'kind' converted to 3 indicator features" in result.stderr


def test_cells_that_are_no_text_stop_nothing(run):
    frame = pd.DataFrame(blobs(), columns=["a", "b", "c"])
    frame["record"], frame["bytes"] = [{"i": i} for i in range(60)], [bytes([128 + i]) for i in range(60)]
    frame["list"] = [[i] for i in range(60)]
    frame.to_parquet("nested.parquet")
    result = run("fit", "nested.parquet", *SMALL, "--out", "out")
    assert result.exit_code == 0, result.output
    assert "3 columns (record, bytes, list) dropped" in result.stderr


def test_texts(run, tmp_path):
    rng = np.random.default_rng(0)
    words = [["valve", "pulse", "aorta", "artery"], ["rash", "itch", "burn", "acne"], ["nap", "bed", "dream"]]
    with open("notes.jsonl", "w") as file:
        for row, group in enumerate(GROUPS):
            text = " ".join([*rng.choice(words[group], 6), "patient"])
            file.write(json.dumps({"id": f"n{row}", "text": text}) + "\n")
    result = run("fit", "notes.jsonl", *SMALL, "--out", "out")
    assert result.exit_code == 0, result.output
    assert adjusted_rand_score(GROUPS, labels_of(tmp_path)) == 1.0
    assert {"terms.png", "partition.png", "similarity.png", "alternatives.csv"} < set(
        record_of(tmp_path)["files"]
    )
    terms = pd.read_csv("out/clusters.csv").set_index("cluster")["terms"].str.split()
    for cluster, group in zip(labels_of(tmp_path), GROUPS, strict=True):
        assert set(terms[cluster][:3]) <= set(words[group])
