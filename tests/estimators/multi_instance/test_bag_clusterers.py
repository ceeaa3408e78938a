"""What all estimators of bags share: input, scaling, constraints, prediction, degenerate data."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from moo_clustering.bags import Bags, BagTransformer
from moo_clustering.constraints import InconsistentConstraintsError
from moo_clustering.estimators.bags_base import bag_keys, farthest_distances, least
from moo_clustering.estimators.bags_kmeans import BAMIC, MIKMeans

BOTH = pytest.mark.parametrize("cls", [BAMIC, MIKMeans])


def blobs(n_bags=30, n_blobs=3, spread=0.3, seed=0):
    """Bags whose instances lie around one of a few far points."""
    rng = np.random.default_rng(seed)
    centers = 10 * np.eye(n_blobs)
    blob = np.arange(n_bags) % n_blobs
    return [centers[k] + spread * rng.standard_normal((rng.integers(1, 6), n_blobs)) for k in blob], blob


def same_partition(a, b):
    return len({*zip(a, b, strict=True)}) == len({*a}) == len({*b})


# ----------------------------------------------------------------------------------------- results


@BOTH
def test_clusters_of_separate_blobs(cls):
    bags, blob = blobs()
    model = cls(3, n_init=5, random_state=0).fit(bags)
    assert same_partition(model.labels_, blob)
    assert model.labels_.dtype == np.int32
    np.testing.assert_array_equal(model.labels_, blob)  # blobs are numbered by first appearance too
    np.testing.assert_array_equal(model.cluster_sizes_, [10, 10, 10])
    assert model.n_clusters_ == 3
    assert model.n_features_in_ == 3
    np.testing.assert_array_equal(model.predict(bags), model.labels_)
    assert model.transform(bags).shape == (30, 3)
    np.testing.assert_array_equal(model.transform(bags).argmin(axis=1), model.labels_)
    assert [*model.get_feature_names_out()] == [f"{cls.__name__.lower()}{k}" for k in range(3)]


@BOTH
def test_every_kind_of_input_gives_the_same(cls):
    rng = np.random.default_rng(1)
    table = rng.random((12, 3, 2))
    rows, groups = table.reshape(-1, 2), np.repeat([f"bag{i}" for i in range(12)], 3)
    scattered = np.lexsort((np.repeat(np.arange(12), 3), np.tile(np.arange(3), 12)))
    offsets = np.arange(0, 37, 3)
    frame = pd.DataFrame(rows, columns=["a", "b"])
    given = [
        (list(table), {}),
        (tuple(map(np.ndarray.tolist, table)), {}),
        (table, {}),
        (Bags(rows, offsets), {}),
        (rows, {"offsets": offsets}),
        (rows[scattered], {"groups": groups[scattered]}),
        (frame, {"groups": groups}),
    ]
    nested = np.empty(12, dtype=object)
    nested[:] = list(table)
    given.append((nested, {}))
    expected = cls(3, random_state=4).fit(table)
    for X, options in given:
        model = cls(3, random_state=4)
        np.testing.assert_array_equal(model.fit_predict(X, **options), expected.labels_)
        np.testing.assert_array_equal(model.predict(X, **options), expected.predict(table))
        np.testing.assert_array_equal(model.transform(X, **options), expected.transform(table))
        np.testing.assert_array_equal(clone(model).fit_transform(X, **options), expected.transform(table))
    assert [*model.fit(frame, groups=groups).feature_names_in_] == ["a", "b"]


@BOTH
def test_same_seed_same_result(cls):
    bags, _ = blobs(spread=8.0)
    first = cls(4, random_state=3).fit(bags)
    np.testing.assert_array_equal(clone(first).fit(bags).labels_, first.labels_)
    assert clone(first).fit(bags).inertia_ == first.inertia_
    results = {clone(first).set_params(random_state=seed).fit(bags).inertia_ for seed in range(8)}
    assert len(results) > 1
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    first.fit(bags)
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


@BOTH
def test_more_runs_are_no_worse(cls):
    bags, _ = blobs(spread=8.0)
    runs = [cls(4, n_init=n, random_state=3).fit(bags).inertia_ for n in (1, 3, 10)]
    assert runs[0] >= runs[1] >= runs[2]
    assert runs[0] > runs[2]


@BOTH
def test_logbook_ends_where_the_run_does(cls):
    bags, _ = blobs(spread=3.0)
    model = cls(3, random_state=0).fit(bags)
    assert model.logbook_.header == ["iter", "inertia", "smallest"]
    assert model.inertia_ in model.logbook_.select("inertia")
    assert model.cluster_sizes_.min() in model.logbook_.select("smallest")


@BOTH
def test_survives_pickling(cls):
    bags, _ = blobs()
    model = cls(3, random_state=0).fit(bags)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(bags), model.labels_)
    assert again.logbook_.select("inertia") == model.logbook_.select("inertia")


@BOTH
def test_one_bag_is_predicted_alike_alone_and_among_others(cls):
    rng = np.random.default_rng(0)
    # Integers, so that many bags are equally far from several centres.
    bags = [rng.integers(0, 3, (rng.integers(1, 4), 2)) for _ in range(40)]
    model = cls(4, normalize=False, random_state=1).fit(bags)
    together = model.predict(bags)
    alone = [model.predict([bag])[0] for bag in bags]
    np.testing.assert_array_equal(together, alone)


# ----------------------------------------------------------------------------------------- scaling


def test_range_of_all_instances_of_all_bags():
    bags = [[[0.0, 5.0, 7.0], [4.0, 6.0, 7.0]], [[8.0, 5.5, 7.0]]]
    model = MIKMeans(2, init=[[2, 5.5, 7], [8, 5.5, 7]]).fit(bags)
    np.testing.assert_array_equal(model.data_min_, [0, 5, 7])
    np.testing.assert_array_equal(model.data_range_, [8, 1, 0])
    np.testing.assert_allclose(model.cluster_centers_, [[2, 5.5, 7], [8, 5.5, 7]])
    # Instance (0, 5, 7) becomes (0, 0, 0), the first centre (0.25, 0.5, 0).
    assert model.inertia_ == pytest.approx(0.25**2 + 0.5**2)


@BOTH
def test_new_bags_are_scaled_by_the_fit_without_clipping(cls):
    bags = [[[0.0, 0.0]], [[0.0, 1.0]], [[10.0, 0.0]], [[10.0, 1.0]]]
    start = {BAMIC: [0, 2], MIKMeans: [[0, 0.5], [10, 0.5]]}[cls]
    model = cls(2, init=start).fit(bags)
    np.testing.assert_array_equal(model.labels_, [0, 0, 1, 1])
    distances = model.transform([[[-20.0, 0.0]], [[100.0, 0.0]]])
    assert distances[0, 0] == pytest.approx(np.hypot(2, 0 if cls is BAMIC else 0.5))
    assert distances[1, 1] == pytest.approx(np.hypot(9, 0 if cls is BAMIC else 0.5))


@BOTH
def test_constant_feature_counts_for_nothing(cls):
    bags, _ = blobs()
    model = cls(3, random_state=0).fit(bags)
    wider = [np.column_stack([bag, np.full(len(bag), 4.0)]) for bag in bags]
    other = cls(3, random_state=0).fit(wider)
    np.testing.assert_array_equal(model.labels_, other.labels_)
    assert other.data_range_[3] == 0
    new = [np.column_stack([bag, np.full(len(bag), 1e6)]) for bag in bags]
    np.testing.assert_allclose(other.transform(new), model.transform(bags), atol=1e-9)
    if cls is MIKMeans:
        np.testing.assert_allclose(other.cluster_centers_[:, 3], 4.0)


@BOTH
def test_data_with_too_large_a_range_leave_the_last_fit_unchanged(cls):
    bags, _ = blobs()
    model = cls(3, random_state=0).fit(bags)
    before = model.transform(bags)
    with pytest.raises(ValueError, match="overflows; rescale the feature"):
        model.fit([[[-1e308, 0.0, 0.0]], [[1e308, 0.0, 0.0]], [[0.0, 0.0, 0.0]]])
    np.testing.assert_array_equal(model.transform(bags), before)


@BOTH
def test_units_do_not_matter_when_normalized(cls):
    bags, _ = blobs(spread=4.0)
    moved = [bag * [1e3, 2.0, 0.25] + [1e5, 0.0, -3.0] for bag in bags]
    a, b = (cls(3, random_state=0).fit(X) for X in (bags, moved))
    np.testing.assert_array_equal(a.labels_, b.labels_)
    assert a.inertia_ == pytest.approx(b.inertia_)
    c = cls(3, random_state=0, normalize=False).fit(moved)
    np.testing.assert_array_equal(c.data_min_, 0)
    np.testing.assert_array_equal(c.data_range_, 1)
    assert c.inertia_ > 100 * a.inertia_


@BOTH
def test_goes_after_a_transformer_of_bags(cls):
    bags, _ = blobs(spread=4.0)
    pipeline = make_pipeline(BagTransformer(), cls(3, normalize=False, random_state=0))
    direct = cls(3, random_state=0).fit(bags)
    np.testing.assert_array_equal(pipeline.fit_predict(bags), direct.labels_)
    np.testing.assert_array_equal(pipeline.predict(bags[:4]), direct.predict(bags[:4]))
    together = [(0, 1), (1, 2)]
    with sklearn.config_context(enable_metadata_routing=True):
        last = cls(3, normalize=False, random_state=0).set_fit_request(must_link=True)
        routed = make_pipeline(BagTransformer(), last).fit(bags, must_link=together)
    assert len({*routed[-1].labels_[:3]}) == 1


# ------------------------------------------------------------------------------------- constraints


@BOTH
def test_pairs_and_labels_are_respected(cls):
    bags, _ = blobs(spread=4.0, n_bags=40)
    rng = np.random.default_rng(0)
    for seed in range(5):
        truth = rng.integers(0, 3, 40)
        y = np.where(rng.random(40) < 0.2, truth, -1)
        y[:3] = 0, 1, 2
        model = cls(3, random_state=seed).fit(bags, y)
        known = y >= 0
        assert same_partition(model.labels_[known], y[known])
        must = [(10, 11), (11, 12), (30, 35)]
        cannot = [(10, 30), (12, 20)]
        labels = cls(3, random_state=seed).fit_predict(bags, must_link=must, cannot_link=cannot)
        assert labels[10] == labels[11] == labels[12]
        assert labels[30] == labels[35] != labels[10] != labels[20]


@BOTH
@pytest.mark.parametrize("size", [3, 7, 10])
def test_no_cluster_is_smaller_than_asked(cls, size):
    bags, _ = blobs(n_bags=30, n_blobs=2, spread=0.1)
    bags[0] = np.full((1, 2), 1e3)  # would be alone
    model = cls(3, min_cluster_size=size, random_state=0).fit(bags)
    assert model.cluster_sizes_.min() >= size
    np.testing.assert_array_equal(model.cluster_sizes_, np.bincount(model.labels_))
    assert cls(3, n_init=10, random_state=0).fit(bags).cluster_sizes_.min() == 1


@BOTH
def test_contradictions_are_refused(cls):
    bags, _ = blobs()
    with pytest.raises(InconsistentConstraintsError):
        cls(3).fit(bags, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)])
    y = np.full(30, -1)
    y[[0, 1]] = 0, 1
    with pytest.raises(InconsistentConstraintsError):
        cls(3).fit(bags, y, must_link=[(0, 1)])


@BOTH
def test_constraints_that_leave_fewer_clusters(cls):
    bags = [[[0.0]], [[1.0]], [[2.0]]]
    with pytest.warns(UserWarning, match="only 1 of n_clusters=2 clusters is non-empty"):
        model = cls(2, random_state=0).fit(bags, must_link=[(0, 1), (1, 2)])
    np.testing.assert_array_equal(model.labels_, 0)
    assert model.n_clusters_ == 1
    np.testing.assert_array_equal(model.predict(bags), 0)


# --------------------------------------------------------------------------------------- bad input


@BOTH
@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[[1.0, 2.0]], np.empty((0, 2)), [[3.0, 4.0]]], "bag 1 must not be empty"),
        ([[[1.0, 2.0]], [], [[3.0, 4.0]]], "bag 1 must not be empty"),
        ([[[1.0, 2.0]], [[1.0, 2.0, 3.0]]], "bag 1 has 3 features, but bag 0 has 2"),
        ([[[1.0, 2.0]], [[0.0, 1.0], [np.nan, 2.0]]], "bag 1, row 1, column 0 is nan"),
        ([[[1.0, 2.0]], [[0.0, np.inf]]], "bag 1, row 0, column 1 is inf"),
        ([[[1.0, 2.0], [3.0, 4.0]]], "n_clusters=2 must not exceed the number of bags, n_samples=1"),
        ([], "0 sample|no bags|1D array"),
        ([[[1e200]], [[-1e200]], [[0.0]]], "overflow"),
    ],
)
def test_bags_that_make_no_sense(cls, X, message):
    with pytest.raises(ValueError, match=message):
        cls(2, normalize=False).fit(X)


@BOTH
def test_other_bad_input(cls):
    bags, _ = blobs(n_bags=5)
    rows = np.zeros((4, 2))
    rows[2, 1] = np.nan
    with pytest.raises(ValueError, match=r"bag 1 \('b'\), row 0, column 1 is nan"):
        cls().fit(rows, groups=["a", "a", "b", "b"])
    with pytest.raises(ValueError, match="bag 1 must not be empty"):
        cls().fit(np.eye(4), offsets=[0, 2, 2, 4])
    with pytest.raises(ValueError, match="pass either groups or offsets, not both"):
        cls().fit(np.eye(4), offsets=[0, 2, 4], groups=[0, 0, 1, 1])
    with pytest.raises(ValueError, match="n_clusters=6 must not exceed the number of bags, n_samples=5"):
        cls(6).fit(bags)
    with pytest.raises(ValueError, match="min_cluster_size=3 require at least 6 bags, got 5"):
        cls(2, min_cluster_size=3).fit(bags)
    with pytest.raises(ValueError, match="'n_clusters' parameter"):
        cls(0).fit(bags)
    with pytest.raises(ValueError, match="'min_cluster_size' parameter"):
        cls(2, min_cluster_size=0).fit(bags)
    with pytest.raises(ValueError, match=r"one value per sample \(5\), got 6"):
        cls(2).fit(bags, np.zeros(6, dtype=int))
    with pytest.raises(ValueError, match="5"):
        cls(2).fit(bags, must_link=[(0, 5)])
    with pytest.raises(ValueError, match="range of feature 0"):
        cls(2).fit([[[-1.5e308]], [[1.5e308]], [[0.0]]])
    with pytest.raises(TypeError, match="real numbers"):
        cls(2).fit([[["a"]], [["b"]]])


@BOTH
def test_prediction_needs_the_features_of_the_fit(cls):
    bags, _ = blobs(n_bags=6)
    model = cls(2, random_state=0)
    with pytest.raises(sklearn.exceptions.NotFittedError):
        model.predict(bags)
    model.fit(bags)
    with pytest.raises(ValueError, match=r"X has 2 features, but .* is expecting 3"):
        model.predict([bag[:, :2] for bag in bags])
    with pytest.raises(ValueError, match="bag 0, row 0, column 2 is nan"):
        model.predict([[[0.0, 1.0, np.nan]]])
    named = Bags.from_list(bags, feature_names=["a", "b", "c"])
    model.fit(named)
    assert [*model.feature_names_in_] == ["a", "b", "c"]
    with pytest.raises(ValueError, match="feature names"):
        model.predict(Bags.from_list(bags, feature_names=["a", "c", "b"]))


@BOTH
def test_one_bag_in_one_cluster(cls):
    model = cls(1).fit([[[1.0, 2.0], [3.0, 5.0]]])
    np.testing.assert_array_equal(model.labels_, [0])
    np.testing.assert_array_equal(model.predict([[[9.0, 9.0]]]), [0])


@BOTH
def test_bags_that_are_all_the_same(cls):
    bag = np.array([[1.0, 2.0], [3.0, 4.0]])
    bags = [bag, bag[::-1], bag[[0, 1, 1]], bag, bag]
    with pytest.warns(UserWarning, match="only 1 of n_clusters=2 .* fewer distinct bags than"):
        model = cls(2, weighting="bag", random_state=0).fit(bags) if cls is MIKMeans else cls(2).fit(bags)
    assert model.labels_.tolist() == model.predict(bags).tolist() == [0] * 5
    assert np.isfinite(model.inertia_)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cls(1).fit(bags)
        cls(2, random_state=0).fit([*bags, bag + 1])
    with pytest.warns(UserWarning, match="only 2 of n_clusters=3 .* fewer distinct bags than"):
        cls(3, random_state=0).fit([*bags, bag + 1])


# ----------------------------------------------------------------------------------------- helpers


def test_distinct_bags_are_sets_of_instances():
    bags = Bags.from_list([[[0.0], [1.0]], [[1.0], [-0.0], [1.0]], [[0.0]], [[1.0]], [[0.0], [1.0]]])
    assert len({*bag_keys(bags)}) == 3


def test_farthest_instance_counts(monkeypatch):
    rng = np.random.default_rng(0)
    bags = Bags.from_list([rng.random((size, 3)) for size in (1, 7, 2, 30, 1, 4)])
    vectors = rng.random((4, 3))
    naive = [[max(np.linalg.norm(x - v) for x in bag) for v in vectors] for bag in bags]
    np.testing.assert_allclose(farthest_distances(bags, vectors), naive)
    # In blocks of few rows, some smaller than a bag.
    for items in (1, 8, 20, 40):
        monkeypatch.setattr("moo_clustering.estimators.bags_base.BLOCK_ITEMS", items)
        np.testing.assert_allclose(farthest_distances(bags, vectors), naive)


def test_least_sees_ties_through_rounding():
    np.testing.assert_array_equal(least(np.array([[1 + 1e-13, 1.0], [1 + 1e-6, 1.0], [0.0, 0.0]])), [0, 1, 0])
    np.testing.assert_array_equal(least(np.array([[np.inf, 3.0, 3.0]])), [1])
