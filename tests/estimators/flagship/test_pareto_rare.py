"""Rare groups behind landmarks, the assignment of samples to landmarks, and what a pickle contains."""

import copy
import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from pareto_cases import QUICK, ari

from moo_clustering import ParetoClustering
from moo_clustering.parts import parts

OPTIONS = {**QUICK, "n_landmarks": 100}
CENTRES = np.array([[0.0, 0, 0, 0], [9, 0, 0, 0], [0, 9, 0, 0]])
RARE = np.array([[-14.0, -14, 5, 0], [20, 20, 0, -9]])


def table(kind, sizes=(), noise=0, seed=0, n=4000):
    """Three large clusters, compact rare groups far from them, and uniform noise; -1 marks noise."""
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    X = rng.normal(size=(n, 4))
    if kind == "heavy":
        X /= np.sqrt(rng.chisquare(5, n) / 5)[:, None]
    if kind == "unequal":
        X *= np.array([0.2, 1.0, 1.8])[y][:, None]
    X += CENTRES[y]
    for group, size in enumerate(sizes):
        X = np.concatenate([X, RARE[group] + 0.2 * rng.normal(size=(size, 4))])
        y = np.append(y, np.full(size, 3 + group))
    low, high = X.min(axis=0) - 1, X.max(axis=0) + 1
    order = rng.permutation(len(X) + noise)
    X = np.concatenate([X, rng.uniform(low, high, size=(noise, 4))])
    return X[order], np.append(y, np.full(noise, -1))[order]


@pytest.fixture(scope="module")
def rare():
    X, y = table("gauss", (35, 22))
    return X, y, ParetoClustering(**OPTIONS).fit(X)


def test_rare_groups_are_clusters(rare):
    _, y, model = rare
    assert model.n_clusters_ == 5
    assert ari(model.labels_, y) > 0.99
    found = model.rare_groups_
    assert sorted(found["n_samples"]) == [22, 35]
    assert found["is_cluster"].all()
    for row in found.itertuples():
        members = model.labels_ == row.cluster
        assert_array_equal(members, y == y[row.sample])
        assert row.share == members.mean()
    assert "22 samples that form cluster" in model.summary()


@pytest.mark.parametrize("kind", ["heavy", "unequal"])
def test_other_clusters_and_noise(kind):
    X, y = table(kind, (35, 22), noise=40)
    model = ParetoClustering(**OPTIONS).fit(X)
    assert len(model.rare_groups_) == 2
    for row in model.rare_groups_.itertuples():
        both = (model.labels_ == row.cluster) & (y == y[row.sample])
        assert both.sum() > 0.9 * ((model.labels_ == row.cluster) | (y == y[row.sample])).sum()


@pytest.mark.parametrize("noise", [0, 40])
@pytest.mark.parametrize("kind", ["gauss", "heavy", "unequal"])
def test_noise_and_plain_clusters_have_no_rare_groups(kind, noise):
    X, _ = table(kind, noise=noise, seed=1)
    model = ParetoClustering(**OPTIONS).fit(X)
    assert len(model.rare_groups_) == 0
    assert model.n_clusters_ <= 3
    assert "small groups" not in model.summary()


@pytest.mark.parametrize("in_parts", [False, True])
def test_scattered_noise_is_no_cluster(in_parts):
    rng = np.random.default_rng(0)
    y, centers = rng.integers(3, size=4000), rng.uniform(-4, 4, (3, 8))
    X = centers[y] + rng.normal(size=(4000, 8))
    X = np.concatenate([X, rng.uniform(X.min(axis=0) - 1, X.max(axis=0) + 1, (40, 8))])
    order = rng.permutation(len(X))
    X, y = X[order], np.append(y, np.full(40, -1))[order]
    options = OPTIONS | {"n_landmarks": 300}
    given = parts(X) if in_parts else X
    model = ParetoClustering(**options).fit(given)
    labels = np.asarray(model.labels_)
    assert model.n_clusters_ == 3
    assert ari(labels[y >= 0], y[y >= 0]) > 0.99
    assert_array_equal(model.predict(X), labels)
    # A given number of clusters includes those of noise.
    assert ParetoClustering(**options | {"n_clusters": 4}).fit(given).n_clusters_ == 4


def test_fewer_than_twenty_samples_are_no_group():
    X, _ = table("gauss", (12,))
    assert len(ParetoClustering(**OPTIONS).fit(X).rare_groups_) == 0


def test_a_given_number_of_clusters_does_not_include_the_groups(rare):
    X, y, _ = rare
    for options, n_own in (({"n_clusters": 3}, 0), ({"min_cluster_size": 30}, 1)):
        model = ParetoClustering(**{**OPTIONS, **options}).fit(X)
        assert len(model.rare_groups_) == 2
        assert model.rare_groups_["is_cluster"].sum() == n_own
        assert model.n_clusters_ == 3 + n_own
        assert ari(model.labels_[y < 3], y[y < 3]) > 0.99


def test_updates_keep_the_groups(rare):
    X, y, _ = rare
    model = ParetoClustering(**OPTIONS).fit(X)
    new = RARE[0] + 0.2 * np.random.default_rng(5).normal(size=(9, 4))
    model.update(new)
    assert len(np.unique(model.labels_[-9:])) == 1
    assert_array_equal(np.unique(model.labels_[-9:]), np.unique(model.labels_[: len(X)][y == 3]))
    assert_array_equal(model.predict(np.concatenate([X, new])), model.labels_)


@pytest.mark.parametrize("noise", ["assign", "label"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_predict_returns_the_labels_of_every_sample(noise, dtype):
    X, _ = table("heavy", (35,), noise=40, seed=2)
    X = np.concatenate([X, [[300.0, 0, 0, 0], [0, -250.0, 0, 0]]]).astype(dtype)
    model = ParetoClustering(noise=noise, **OPTIONS).fit(X)
    assert_array_equal(model.predict(X), model.labels_)
    # In other parts too.
    parts = [model.predict(X[low : low + 333]) for low in range(0, len(X), 333)]
    assert_array_equal(np.concatenate(parts), model.labels_)
    if noise == "label":
        assert (model.labels_ == -1).any()
        assert_array_equal(model.labels_ == -1, model.outliers_)


@pytest.mark.parametrize("rounded", [False, True])
def test_samples_belong_to_the_nearest_landmark(rounded):
    X, _ = table("gauss", n=3000, seed=3)
    X = np.round(X) if rounded else X
    model = ParetoClustering(scale="none", **OPTIONS).fit(X)
    # The naive computation: squares summed in the order of the features, the first of equal landmarks.
    squares = np.zeros((len(X), model.n_landmarks_))
    for feature in range(4):
        squares += (X[:, feature, None] - model.landmarks_[:, feature]) ** 2
    assert_array_equal(model.landmark_of_, squares.argmin(axis=1))
    between = X[:-1] / 2 + X[1:] / 2
    squares = np.zeros((len(between), model.n_landmarks_))
    for feature in range(4):
        squares += (between[:, feature, None] - model.landmarks_[:, feature]) ** 2
    of_landmark = np.zeros(model.n_landmarks_, dtype=int)
    of_landmark[model.landmark_of_] = model.labels_
    assert_array_equal(model.predict(between), of_landmark[squares.argmin(axis=1)])


def test_landmarks_are_in_the_units_of_the_features(rare):
    X = rare[0]
    wide = np.column_stack([X[:, :2] * 1000 + 5, np.full(len(X), 7.0), X[:, 2:]])
    again = ParetoClustering(**OPTIONS).fit(wide)
    assert again.landmarks_.shape == (again.n_landmarks_, 5)
    assert (again.landmarks_[:, 2] == 7).all()
    assert_array_equal(again.landmark_weights_, np.bincount(again.landmark_of_))
    assert again.landmark_weights_.sum() == len(X)
    # They are close to the means of their samples.
    means = np.stack([wide[again.landmark_of_ == each].mean(axis=0) for each in range(again.n_landmarks_)])
    assert np.abs((again.landmarks_ - means) / wide.std(axis=0).clip(1)).max() < 0.5
    small = ParetoClustering(**QUICK).fit(X[:200])
    assert small.landmarks_ is small.landmark_weights_ is None


def test_a_pickle_does_not_contain_the_samples(rare):
    X, y, model = rare
    text = pickle.dumps(model)
    larger = ParetoClustering(**OPTIONS).fit(np.concatenate([X, X + 1e-3]))
    # The features alone take 32 bytes per sample.
    assert len(pickle.dumps(larger)) - len(text) < 24 * len(X)
    loaded = pickle.loads(text)
    assert_array_equal(loaded.predict(X), model.labels_)
    assert_array_equal(
        loaded.relabel(n_clusters=4).labels_, copy.deepcopy(model).relabel(n_clusters=4).labels_
    )
    known = np.where(np.arange(len(y)) % 50 == 0, y, -1)
    for call in (lambda: loaded.relabel(known), lambda: loaded.update(X[:5])):
        with pytest.raises(ValueError, match=r"restore_samples\(X\)"):
            call()
    with pytest.raises(ValueError, match="10 rows, but the estimator was fitted on 4057 samples"):
        loaded.restore_samples(X[:10])
    with pytest.raises(ValueError, match="row 0 of X differs"):
        loaded.restore_samples(X[::-1])
    expected = copy.deepcopy(model).relabel(known)
    again = pickle.loads(text).restore_samples(X)
    assert_array_equal(again.relabel(known).labels_, expected.labels_)


@pytest.mark.parametrize("share", [0.1, 0.4])
def test_many_identical_rows_at_a_distance_are_a_cluster(share):
    # They have a single landmark, far from all others.
    X, y = table("gauss", n=1500)
    same = np.full((int(share * len(X)), 4), 25.0)
    X, y = np.concatenate([X, same]), np.append(y, np.full(len(same), 3))
    model = ParetoClustering(**OPTIONS).fit(X)
    assert model.n_clusters_ == 4
    assert ari(model.labels_, y) > 0.99
    assert not model.outliers_[y == 3].any()
    assert model.rare_groups_["n_samples"].tolist() == [len(same)]
    assert_array_equal(model.predict(X), model.labels_)


def test_identical_rows_inside_a_cluster_are_no_group():
    X, y = table("gauss", n=1500)
    X, y = np.concatenate([X, np.full((200, 4), 0.1)]), np.append(y, np.zeros(200, dtype=int))
    model = ParetoClustering(**OPTIONS).fit(X)
    assert not len(model.rare_groups_)
    assert model.n_clusters_ == 3
    assert ari(model.labels_, y) > 0.98


@pytest.mark.parametrize("size", [25, 40])
def test_rows_that_are_equal_up_to_rounding_are_one_group(size):
    # With several landmarks, each of less than 20 samples, the rows would be outliers or several groups.
    X, rng = table("gauss", n=3000)[0], np.random.default_rng(0)
    piles = [25.0 * sign * (1 + 1e-13 * rng.normal(size=(size, 4))) for sign in (1, -1)]
    model = ParetoClustering(**OPTIONS).fit(np.concatenate([X, *piles]))
    assert model.rare_groups_["n_samples"].tolist() == [size, size]
    assert not model.outliers_[len(X) :].any()
    first, second = model.labels_[len(X)], model.labels_[-1]
    assert first != second
    assert_array_equal(model.labels_[len(X) :], np.repeat([first, second], size))
    # New rows that equal the old ones up to rounding are in the same cluster.
    again = 25.0 * (1 + 1e-12 * rng.normal(size=(5, 4)))
    assert_array_equal(model.predict(np.concatenate([again, -again])), np.repeat([first, second], 5))
