"""EntropyWeightedKMeans: hard clusters with weights of features, and classes by votes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from planted_subspaces import label_sets, planted, tight_subspaces
from sklearn.metrics import adjusted_rand_score

from moo_clustering.estimators.subspace import EntropyWeightedKMeans


@pytest.fixture(scope="module")
def data():
    return planted(own=15, noise=5, present=0.8)


@pytest.fixture(scope="module")
def model(data):
    return EntropyWeightedKMeans(3, dispersion="mean", n_init=5, random_state=0).fit(data[0])


def test_finds_planted_clusters(model, data):
    X, clusters = data
    assert adjusted_rand_score(clusters, model.labels_) > 0.9
    assert_array_equal(model.predict(X), model.labels_)
    with pytest.raises(ValueError, match="EntropyWeightedKMeans was fitted without labels"):
        model.predict_proba(X)


def test_finds_clusters_in_subspaces():
    X, clusters = tight_subspaces()
    model = EntropyWeightedKMeans(3, gamma=20, n_init=5, random_state=0).fit(X)
    assert adjusted_rand_score(clusters, model.labels_) > 0.95
    for weights, own in zip(model.feature_weights_, [model.labels_ == c for c in range(3)], strict=True):
        assert set(np.argsort(-weights)[:4] // 4) == {clusters[own][0]}


@pytest.mark.parametrize("max_iter", [1, 2])
def test_labels_are_those_of_the_last_centres(data, max_iter):
    model = EntropyWeightedKMeans(5, max_iter=max_iter, random_state=0).fit(data[0])
    assert_array_equal(model.labels_, model.transform(data[0]).argmin(axis=1))
    assert_array_equal(model.memberships_.argmax(axis=1), model.labels_)


@pytest.mark.parametrize("dispersion", ["sum", "mean"])
def test_centres_weights_and_distances(data, dispersion):
    X, _ = data
    model = EntropyWeightedKMeans(3, gamma=2.0, dispersion=dispersion, tol=0, n_init=5, random_state=1).fit(X)
    rows = X.toarray()
    for cluster in np.unique(model.labels_):
        own = rows[model.labels_ == cluster]
        assert_allclose(model.cluster_centers_[cluster], own.mean(axis=0), atol=1e-12)
        spread = ((own - own.mean(axis=0)) ** 2).sum(axis=0) / (len(own) if dispersion == "mean" else 1)
        weights = np.exp(-(spread - spread.min()) / 2.0)
        assert_allclose(model.feature_weights_[cluster], weights / weights.sum(), atol=1e-12)
    distances = ((rows[:, None] - model.cluster_centers_) ** 2 * model.feature_weights_).sum(axis=2)
    assert_allclose(model.transform(X), distances, atol=1e-12)
    assert_array_equal(model.memberships_, model.labels_[:, None] == np.arange(3))


def test_shares_and_votes(data):
    X, clusters = data
    Y = label_sets(clusters)
    Y[::3] = -1
    model = EntropyWeightedKMeans(4, dispersion="mean", random_state=0).fit(X, Y)
    labelled = Y[:, 0] >= 0
    for cluster in range(4):
        own = labelled & (model.labels_ == cluster)
        expected = Y[own if own.any() else labelled].mean(axis=0)
        assert_allclose(model.class_shares_[cluster], expected)
    weights = 1 / model.transform(X)
    votes = weights @ model.class_shares_
    assert_allclose(model.predict_proba(X), votes / weights.sum(axis=1, keepdims=True))
    assert_allclose(model.set_params(aggregation="sum").decision_function(X), votes)
    nearest = model.set_params(n_neighbors=1).predict_proba(X)
    assert_allclose(nearest, model.class_shares_[model.labels_])


def test_cluster_without_labelled_documents_has_the_shares_of_all():
    X = np.kron(np.eye(2), np.ones((4, 3)))
    y = np.array([0, 0, 1, 1, -1, -1, -1, -1])
    model = EntropyWeightedKMeans(2, n_init=10, random_state=0).fit(X, y)
    assert adjusted_rand_score(np.repeat([0, 1], 4), model.labels_) == 1
    assert_allclose(model.class_shares_, 0.5)


def test_leading_features(model, data):
    for cluster, columns in enumerate(model.leading_features(10)):
        assert {column // 15 for column in columns} == {data[1][model.labels_ == cluster][0]}


def test_starts_and_threads(data):
    X, _ = data
    last = [EntropyWeightedKMeans(5, n_init=n, random_state=3).fit(X).history_[-1] for n in (1, 2, 4, 8)]
    assert last == sorted(last, reverse=True)
    one, two = (
        EntropyWeightedKMeans(5, n_init=2, random_state=3, n_jobs=n_jobs).fit(X) for n_jobs in (None, 2)
    )
    assert_array_equal(one.feature_weights_, two.feature_weights_)


def test_single_precision(model, data):
    single = EntropyWeightedKMeans(3, dispersion="mean", n_init=5, dtype="float32", random_state=0).fit(
        data[0]
    )
    assert_array_equal(single.labels_, model.labels_)
    assert single.cluster_centers_.dtype == single.memberships_.dtype == np.float32


def test_features_that_are_all_the_same():
    model = EntropyWeightedKMeans(2, random_state=0).fit(np.ones((4, 3)), [0, 1, 1, -1])
    assert_array_equal(model.transform(np.ones((1, 3))), 0)
    assert np.isfinite(model.predict_proba(np.ones((1, 3)))).all()


@pytest.mark.parametrize(
    "change", [{"gamma": 0}, {"dispersion": "max"}, {"aggregation": "membership"}, {"n_clusters": 0}]
)
def test_parameters_out_of_range(change):
    with pytest.raises(ValueError, match=next(iter(change))):
        EntropyWeightedKMeans(**{"n_clusters": 2, **change}).fit(np.eye(4))
