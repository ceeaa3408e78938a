"""Drift: rows unlike those of a fit, shares of clusters, unseen cells; changes of clusters by an update."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError

from moo_clustering import MemeticKMeans, MetricKMeans, ParetoBagClustering, ParetoClustering, SphericalKMeans
from moo_clustering.drift import ClusterChanges, Drift, Reference, matched_numbers

SMALL = {"k_range": [2, 3, 4], "random_state": 0}


def groups(seed, n=60, shift=0.0):
    """A table of two groups of rows."""
    rng = np.random.default_rng(seed)
    tall = np.arange(n) % 2 == 0
    return pd.DataFrame(
        {
            "height": rng.normal(np.where(tall, 30.0, 10.0) + shift, 1.0),
            "wood": np.where(tall, "soft", "hard"),
        }
    )


def naive_unlike(rows, labels, new, predicted):
    """Whether the distance to the nearest row exceeds the 99% quantile within the cluster."""
    between = np.sqrt(((rows[:, None] - rows) ** 2).sum(axis=2))
    np.fill_diagonal(between, np.inf)
    limits = {k: np.quantile(between.min(axis=1)[labels == k], 0.99) for k in np.unique(labels)}
    nearest = np.sqrt(((new[:, None] - rows) ** 2).sum(axis=2)).min(axis=1)
    slack = 1e-6 * np.abs(rows - rows.mean(axis=0)).max()
    return np.array([k < 0 or d > limits[k] + slack for d, k in zip(nearest, predicted, strict=True)])


def test_unlike_rows_equal_a_naive_computation():
    rng = np.random.default_rng(0)
    rows, new = rng.normal(size=(80, 3)), rng.normal(0, 1.5, size=(40, 3))
    labels, predicted = rng.integers(0, 3, 80), rng.integers(-1, 3, 40)
    reference = Reference.of(rows, labels)
    expected = naive_unlike(rows, labels, new, predicted)
    assert (reference.unlike(new, predicted) == expected).all()
    assert 0 < expected.sum() < 40
    between = np.sqrt(((rows[:, None] - rows) ** 2).sum(axis=2))
    by_distance = Reference.of(between, labels, distances=True)
    assert np.allclose(by_distance.limits, reference.limits)


def test_noise_is_unlike_in_any_unit():
    rows = np.random.default_rng(0).normal(1e8, 1.0, (30, 2))
    reference = Reference.of(rows, np.zeros(30, dtype=np.int32))
    assert reference.unlike(rows[:3], np.array([-1, 0, -1])).tolist() == [True, False, True]


@pytest.mark.parametrize(("unit", "offset"), [(1e-9, 0.0), (1.0, 1e6), (1e9, 1e3)])
@pytest.mark.parametrize("n_features", [2, 20])
def test_unlike_rows_do_not_depend_on_unit_and_offset(unit, offset, n_features):
    rng, labels = np.random.default_rng(0), np.zeros(80, dtype=np.int32)
    rows, new = rng.normal(size=(80, n_features)), rng.normal(0, 1.5, size=(40, n_features))
    expected = Reference.of(rows, labels).unlike(new, labels[:40])
    moved = Reference.of((rows + offset) * unit, labels).unlike((new + offset) * unit, labels[:40])
    assert (moved == expected).all()
    assert 0 < expected.sum() < 40


def test_unknown_options_and_names_without_descriptions_raise_errors():
    X = make_blobs(60, random_state=0)[0]
    model = MemeticKMeans(3, random_state=0).fit(X)
    with pytest.raises(TypeError, match="unknown option 'names'; pass class_names, feature_names"):
        model.predict_table(X, X, names=["a"])
    with pytest.raises(ValueError, match="MemeticKMeans cannot change the number of clusters after fit"):
        model.predict_table(X, X, n_clusters=2)
    with pytest.raises(ValueError, match="pass the training data as reference"):
        model.drift(X, namer=lambda each: "a")


def test_a_cluster_that_two_earlier_clusters_share_names_both():
    before, after = np.repeat([0, 1], 10), np.array([0] * 6 + [2] * 4 + [1] * 6 + [2] * 4)
    drift = Drift.of(after[:1], np.zeros(1, bool), np.array([10, 10]), ["a", "b"])
    changes = ClusterChanges.of(before, after, {0: 0, 1: 1}, drift)
    assert changes.to_frame()["event"].tolist() == ["split from 0", "split from 1", "split from 0 and 1"]


def test_the_chance_of_a_small_cluster_is_that_of_its_sampled_rows():
    # The 20,000 compared rows contain 20 of the smaller cluster on average. The 99% quantile of n distances
    # has the rank .99 (n - 1) + 1 among n + 1 equally likely ones.
    none, sizes = np.zeros(50, bool), np.array([999_000, 1000])
    large, small = (Drift.of(np.full(50, k), none, sizes, ["a", "b"]).expected_share for k in (0, 1))
    assert large == pytest.approx((19_980 - 0.99 * 19_979) / 19_981)
    assert small == pytest.approx((20 - 0.99 * 19) / 21)


@pytest.mark.parametrize(
    "n_rows", [pytest.param(1, marks=pytest.mark.slow), 30, pytest.param(300, marks=pytest.mark.slow)]
)
def test_p_values_are_calibrated(n_rows):
    rng, p_values = np.random.default_rng(n_rows), []
    for _ in range(200):
        labels = rng.integers(0, 2, 150)
        rows, new, predicted = (
            rng.normal(size=(150, 1)),
            rng.normal(size=(n_rows, 1)),
            rng.integers(0, 2, n_rows),
        )
        reference = Reference.of(rows, labels)
        drift = Drift.of(predicted, reference.unlike(new, predicted), reference.sizes, ["a", "b"])
        p_values.append(drift.p_value)
        assert 0.01 < drift.expected_share < 0.05
    assert np.mean(np.array(p_values) < 0.05) < 0.1


def test_drift_of_known_counts():
    labels, unlike = np.array([0, 0, 1, -1]), np.array([False, False, True, True])
    drift = Drift.of(labels, unlike, np.array([60, 40]), ["a", "b\n"])
    assert (drift.n_rows, drift.n_noise, drift.n_unlike, drift.unlike_share) == (4, 1, 2, 0.5)
    # Clopper and Pearson: 2 of 4.
    assert np.allclose(drift.interval, (0.0676, 0.9324), atol=1e-4)
    frame = drift.to_frame()
    assert frame["new_rows"].tolist() == [2, 1]
    assert np.allclose(frame["difference"], [0.5 - 0.6, 0.25 - 0.4])
    text = str(drift)
    assert "2 of 4 rows (50%" in text
    assert "noise" in text
    assert "b\n" not in text
    found = json.loads(json.dumps(drift.to_dict(), default=int))
    assert found["clusters"][0]["rows_of_fit"] == 60
    one = Drift.of(np.zeros(3, int), np.zeros(3, bool), np.array([5]), ["a"])
    assert np.isnan(one.shares_p_value)
    # The 99% quantile of 5 distances has rank 4.96 of 5, so a further one exceeds it at 1.04 / 6.
    assert str(one).splitlines()[-1] == "0 of 3 rows are unlike the fit. Expected by chance: 17.3%."


def test_drift_of_a_prepared_table():
    frame = groups(0)
    model = ParetoClustering(**SMALL).fit(frame)
    same = model.drift(groups(1))
    assert same.p_value > 0.05
    assert same.shares_p_value > 0.5
    new = groups(1, 40)
    new.loc[:9, "wood"] = "none"
    new.loc[0, "height"] = 400.0
    drift = model.drift(new, frame)
    assert [(each.column, each.kind, each.n_rows, each.values) for each in drift.columns] == [
        ("wood", "new category", 10, ("none",)),
        ("height", "beyond range", drift.columns[1].n_rows, ("400",)),
    ]
    assert drift.columns[0].rows == tuple(range(10))
    assert 0 in drift.columns[1].rows
    assert "Column 'wood': 10 values not seen in the fit (none)" in str(drift)
    assert drift.names == tuple(model.describe(frame).names)
    table = model.predict_table(new.drop(columns="wood").assign(wood=new["wood"], cluster="mine"))
    added = ["cluster_", "name", "support", "unlike", "ignored"]
    assert list(table) == ["height", "wood", "cluster", *added]
    assert (table["ignored"] == np.where(new["wood"] == "none", "wood", "")).all()
    assert table["unlike"].sum() == drift.n_unlike
    moved = model.drift(groups(1, shift=10.0))
    assert moved.p_value < 1e-6
    # Units do not matter, and neither does the order of the rows.
    scaled = ParetoClustering(**SMALL).fit(frame.assign(height=frame["height"] * 1000))
    other = scaled.drift(new.assign(height=new["height"] * 1000).iloc[::-1])
    assert other.to_dict()["clusters"] == {**drift.to_dict(), **other.to_dict()}["clusters"]
    assert (other.n_unlike, other.new_rows.tolist()) == (drift.n_unlike, drift.new_rows.tolist())


def test_rows_of_the_fit_have_their_table():
    X, _ = make_blobs(90, random_state=0)
    model = ParetoClustering(**SMALL).fit(X)
    table, of_fit = model.predict_table(X, X), model.table(X)
    assert (table[["cluster", "name"]] == of_fit[["cluster", "name"]]).all().all()
    assert np.allclose(table["support"], of_fit["support"])
    assert table["unlike"].sum() <= 3
    before = model.labels_.copy()
    table = model.predict_table(X, X, n_clusters=2)
    assert (model.labels_ == before).all()
    assert model.n_clusters is None
    of_two = model.relabel(n_clusters=2).table(X)
    assert of_two["cluster"].nunique() == 2
    assert (table[["cluster", "name"]] == of_two[["cluster", "name"]]).all().all()


def bags(seed):
    return [np.random.default_rng(seed + i).normal(6 * (i % 2), 1, size=(5, 2)) for i in range(24)]


def test_every_kind_of_data():
    X, _ = make_blobs(60, centers=2, cluster_std=0.5, random_state=0)
    far = X[:20] + 100
    D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    across = np.sqrt(((far[:, None] - X) ** 2).sum(axis=2))
    words = np.random.default_rng(0).poisson(1.0, (60, 12)).astype(float) + 0.1
    for model, fitted, new in (
        (MemeticKMeans(2, random_state=0), X, far),
        (MetricKMeans(2, random_state=0), X, far),
        (ParetoClustering(metric="precomputed", **SMALL), D, across),
        (ParetoBagClustering(random_state=0, k_range=[2, 3]), bags(0), [bag + 50 for bag in bags(1)]),
    ):
        model.fit(fitted)
        drift = model.drift(new, fitted)
        assert drift.n_unlike == len(new), model
        assert len(model.predict_table(new, fitted)) == len(new)
        assert model.drift(fitted, fitted).unlike_share < 0.1
    documents = SphericalKMeans(2, random_state=0).fit(words)
    assert documents.drift(words, words).n_unlike < 5


def test_errors_of_drift():
    X, _ = make_blobs(40, random_state=0)
    with pytest.raises(NotFittedError):
        ParetoClustering().drift(X)
    with pytest.raises(ValueError, match="pass them as reference"):
        MemeticKMeans(2, random_state=0).fit(X).drift(X)
    model = ParetoClustering(**SMALL).fit(groups(0))
    with pytest.raises(ValueError, match="lacks column 'wood'"):
        model.drift(groups(0)[["height"]])
    with pytest.raises(ValueError, match="no rows"):
        model.predict_table(groups(0)[:0])
    with pytest.raises(ValueError, match="but the estimator was fitted on 60 samples"):
        model.drift(groups(1), groups(0)[:50])


def test_numbers_follow_the_rows():
    before = np.array([0, 0, 0, 1, 1, 2, 2, 2])
    # Cluster 1 joined cluster 0. Cluster 2 is unchanged, and gets the free number.
    labels, numbers = matched_numbers(before, np.array([1, 1, 1, 1, 1, 0, 0, 0, 0]))
    assert labels.tolist() == [0, 0, 0, 0, 0, 1, 1, 1, 1]
    assert numbers == {0: 0, 2: 1}
    # A cluster that consists of new rows gets the next number; noise remains noise.
    labels, numbers = matched_numbers(before, np.array([2, 2, 2, 0, 0, 1, 1, -1, 3, 3]))
    assert labels.tolist() == [0, 0, 0, 1, 1, 2, 2, -1, 3, 3]
    assert numbers == {0: 0, 1: 1, 2: 2}


def test_a_few_rows_make_no_match():
    # Clusters 0 and 1 merge, except for two of 26 rows, which form a cluster with 47 new rows.
    before = np.repeat([0, 1], [26, 30])
    raw = np.concatenate([[1, 1], np.zeros(54), np.ones(47)]).astype(int)
    labels, numbers = matched_numbers(before, raw)
    assert numbers == {1: 1}
    assert labels.tolist() == (1 - raw).tolist()
    unlike = np.zeros(47, dtype=bool)
    drift = Drift.of(labels[56:], unlike, np.array([26, 30]), ["a", "b"])
    changes = ClusterChanges.of(before, labels, numbers, drift)
    assert changes.births == (0,)
    assert changes.merges == {1: (0, 1)}
    assert changes.splits == changes.renumbered == {}


def test_changes_of_known_partitions():
    none = Drift.of(np.zeros(1, int), np.zeros(1, bool), np.array([1]), ["a"])
    before = np.repeat([0, 1, 2], 10)
    # Cluster 0 is split, 1 and 2 merge, and a cluster is born.
    after = np.concatenate([np.repeat([0, 3, 1, 1], [6, 4, 10, 10]), np.full(9, 2)])
    changes = ClusterChanges.of(before, after, {0: 0, 1: 1}, none)
    assert (changes.n_old, changes.n_new) == (30, 9)
    assert changes.merges == {1: (1, 2)}
    assert changes.splits == {0: (0, 3)}
    assert changes.births == (2,)
    assert changes.moved.tolist() == [6, 7, 8, 9, *range(20, 30)]
    # 9 new rows miss two thirds of the rows with probability (1/3)^9, and a third with (2/3)^9 = .026.
    assert changes.deaths == (1,)
    after = np.concatenate([before, np.zeros(9, int)])
    assert ClusterChanges.of(before, after, {0: 0, 1: 1, 2: 2}, none).deaths == ()
    # 15 rows: .002.
    after = np.concatenate([before, np.zeros(15, int)])
    changes = ClusterChanges.of(before, after, {0: 0, 1: 1, 2: 2}, none)
    assert changes.deaths == (1, 2)
    again = ClusterChanges.of(after, np.append(after, [1] * 15), {0: 0, 1: 1, 2: 2}, none, changes.inactive)
    assert (again.deaths, again.inactive) == ((0,), (0, 2))
    assert "no new rows" in str(changes)
    assert json.dumps(changes.to_dict(), default=int)
