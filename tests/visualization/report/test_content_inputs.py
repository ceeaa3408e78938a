"""What cannot be shown is said; what does not fit is refused."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError

import moo_clustering
from moo_clustering.estimators import BAMIC, ParetoClustering
from moo_clustering.results import ClusteringResult
from moo_clustering.visualization.report import report_content
from moo_clustering.visualization.report.describe import read_samples

X, CLASSES = make_blobs(30, 3, centers=2, random_state=0)
MODEL = KMeans(2, random_state=0).fit(X)


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        (X[:10], {}, r"X has shape \(10, 3\), but the estimator was fitted on 30 samples"),
        (X[:, 0], {}, r"X has shape \(30,\)"),
        ([X, X], {}, "X has 2 bags, but the estimator was fitted on 30 bags"),
        (X, {"sample_names": ["a"]}, r"one name per sample \(30\), got 1"),
        (X, {"sample_texts": ["a", "b"]}, r"one text per sample \(30\), got 2"),
        (X, {"feature_names": ["a"]}, r"one name per feature \(3\), got 1"),
        (X, {"y": [0, 1]}, r"y must have one entry per sample \(30\), got shape \(2,\)"),
        (X, {"must_link": [(0, 30)]}, r"must_link row 0: pair \(0, 30\) is out of range"),
        (X, {"cannot_link": [(-1, 3)]}, r"cannot_link row 0: pair \(-1, 3\) is out of range"),
        (X, {"must_link": [(0, 1, 2)]}, r"must_link must have shape \(n_pairs, 2\), got shape \(1, 3\)"),
        (X, {"cannot_link": [(0.5, 1)]}, r"cannot_link must be integers, got 0.5 at \[0, 0\]"),
        (X, {"max_points": 0}, "max_points must be an integer of at least 1, got 0"),
        (X, {"max_described": -1}, "max_described must be an integer of at least 0, got -1"),
    ],
)
def test_what_does_not_fit_is_refused(data, options, message):
    with pytest.raises(ValueError, match=message):
        report_content(MODEL, data, **options)


def test_distances_must_be_square():
    D = np.abs(X[:, :1] - X[:, 0])
    model = ParetoClustering(2, metric="precomputed", random_state=0).fit(D)
    with pytest.raises(ValueError, match="square distance matrix"):
        report_content(model, D[:, :5])


def test_before_fit():
    with pytest.raises(NotFittedError, match="This KMeans instance is not fitted yet"):
        report_content(KMeans(2), X)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (None, "No data were passed"),
        (X[:, :0], "The data have no features"),
        (np.where(X > 5, np.nan, X), "The data contain missing or infinite values"),
        (pd.DataFrame(X).mask(pd.DataFrame(X) > 5), "X is a table with missing cells"),
    ],
)
def test_what_is_missing_is_said(data, sentence):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        content = report_content(MODEL, data)
    # A warning is issued if the cells of a table cannot describe the clusters.
    assert len(caught) == isinstance(data, pd.DataFrame)
    assert any(each.startswith(sentence) for each in content.missing)
    assert "There is no map of the samples." in content.missing
    assert content.map is None
    assert content.clusters == {}
    assert content.n_samples == 30


def test_pairs_are_shown_as_they_were_given():
    content = report_content(MODEL, X, must_link=[[3, 1]], cannot_link=np.array([[0, 2], [4, 5]]))
    assert content.must_link.tolist() == [[3, 1]]
    assert content.cannot_link.tolist() == [[0, 2], [4, 5]]
    assert ("cannot-links", "2") in list(content.facts)


def test_facts_are_what_was_changed():
    model = ParetoClustering(2, scale="none", random_state=3, n_jobs=1).fit(X)
    facts = dict(report_content(model, X, facts=[("data", "blobs")]).facts)
    assert facts["method"] == "ParetoClustering"
    assert facts["parameters"] == "n_clusters=2, scale='none'; others: defaults"
    assert (facts["seed"], facts["samples"], facts["features"]) == ("3", "30", "3")
    assert facts["data"] == "blobs"
    assert facts["made with"].startswith(
        f"moo_clustering {moo_clustering.__version__}, numpy {np.__version__}"
    )
    for name in ("scipy", "scikit-learn", "pymoo", "deap", "python"):
        assert re.search(rf", {name} \d", facts["made with"])


def test_names_of_the_rows_of_a_table():
    table = pd.DataFrame(X, index=[f"r{i}" for i in range(30)], columns=["a", "b", "c"])
    content = report_content(MODEL, table)
    assert content.sample_names[3] == "r3"
    assert {name for facts in content.clusters[0] for name, *_ in facts.contrasts} <= {"a", "b", "c"}
    assert all(facts.contrasts for facts in content.clusters[0])
    assert report_content(MODEL, X).sample_names.tolist() == [str(row) for row in range(30)]


def test_categories_are_columns_of_their_own():
    table = pd.DataFrame(
        {
            "shade": ["light", "dark"] * 15,
            "day": pd.date_range("2020-01-01", periods=30),
            "size": np.arange(30) % 3,
        },
        index=range(100, 130),
    )
    model = KMeans(2, random_state=0).fit((table["shade"] == "dark").to_numpy(dtype=float)[:, None])
    content = report_content(model, table)
    first, other = (content.clusters[0][model.labels_[row]] for row in (0, 1))
    assert ("shade", "100% light", "0%") in first.contrasts
    assert (first.name, other.name) == ("light", "dark")


def test_rare_categories_have_no_column():
    table = pd.DataFrame({"name": [f"n{i}" for i in range(100)] + ["twice"], "kind": ["a"] * 100 + ["b"]})
    table = pd.concat([table, table.tail(1)])
    samples = read_samples(ClusteringResult(np.zeros(102, dtype=int)), table, 102)
    assert samples.table.shape == (102, 50 + 2)
    assert "name=twice" in samples.feature_names


@pytest.mark.parametrize("data", [X, X.astype(np.float32), X.tolist(), pd.DataFrame(X)])
def test_tables_of_any_kind(data):
    content = report_content(KMeans(2, random_state=0).fit(X), data)
    assert content.map.positions.shape == (30, 2)


def test_bags_of_any_kind():
    model = BAMIC(2, random_state=0).fit(X.reshape(10, 3, 3))
    first = report_content(model, X.reshape(10, 3, 3))
    second = report_content(model, [X[start : start + 3] for start in range(0, 30, 3)])
    np.testing.assert_array_equal(first.map.positions, second.map.positions)
    assert dict(first.facts)["instances"] == "30"


def test_one_sample_and_one_cluster():
    content = report_content(KMeans(1).fit(X[:1]), X[:1])
    assert content.labels.tolist() == [[0]]
    assert content.map.positions.tolist() == [[0.0, 0.0]]
    assert content.clusters[0][0].typical == (0,)


def test_label_sets_say_of_no_pair_that_it_belongs_together():
    sets = np.eye(3, dtype=int)[np.arange(30) % 3]
    content = report_content(MODEL, X, y=sets)
    assert not any("satisfied" in column.name for column in content.columns)
