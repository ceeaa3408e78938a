"""SISC and SISC-ML: clusters and options."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from planted_subspaces import label_sets, naive_distances, planted
from scipy import sparse
from sklearn.metrics import adjusted_rand_score, roc_auc_score

from moo_clustering.estimators.subspace import SISC

QUICK = {"n_clusters": 6, "random_state": 0}


@pytest.fixture(scope="module")
def data():
    """Documents, label sets of every second one, all label sets."""
    X, clusters = planted()
    Y = label_sets(clusters)
    partial = Y.copy()
    partial[1::2] = -1
    return X, partial, Y


@pytest.fixture(scope="module")
def model(data):
    X, partial, _ = data
    return SISC(**QUICK).fit(X, partial)


def test_attributes(model):
    assert model.memberships_.shape == (120, 6)
    assert_allclose(model.memberships_.sum(axis=1), 1)
    assert model.cluster_centers_.shape == model.feature_weights_.shape == (6, 50)
    assert_allclose(model.feature_weights_.sum(axis=1), 1)
    assert model.class_shares_.shape == (6, 4)
    assert model.impurities_.shape == (6,)
    assert (model.impurities_ >= 0).all()
    assert model.classes_.tolist() == [0, 1, 2, 3]
    assert model.multilabel_ is True
    assert_array_equal(model.labels_, model.memberships_.argmax(axis=1))
    assert model.labels_.dtype == np.int32
    assert model.n_clusters_ == len(np.unique(model.labels_))
    assert len(model.history_) == model.n_iter_ <= 15


def test_shares_are_those_of_labelled_documents(model, data):
    _, _, Y = data
    own = model.memberships_[::2]
    assert_allclose(model.class_shares_, own.T @ Y[::2] / own.sum(axis=0)[:, None])


def test_memberships_and_clusters_of_the_same_documents(model, data):
    X, _, _ = data
    weights = (naive_distances(model, X.toarray()) * (1 + model.impurities_)) ** (-1 / 0.5)
    assert_allclose(model.memberships_, weights / weights.sum(axis=1, keepdims=True), atol=1e-10)
    assert_array_equal(model.predict_cluster(X), model.labels_)
    assert_array_equal(SISC(**QUICK).fit_predict(X, data[1]), model.labels_)


@pytest.mark.parametrize("init", ["labels", "seeds", "kmeans", "dirichlet"])
def test_finds_planted_clusters(init):
    X, clusters = planted()
    y = np.where(np.arange(120) < 30, clusters, -1)
    model = SISC(3, init=init, n_init=5, random_state=1).fit(X, y)
    assert adjusted_rand_score(clusters, model.labels_) > 0.9
    assert (model.predict(X)[30:] == clusters[30:]).mean() > 0.95
    X_new, clusters_new = planted(60, seed=9)
    assert (model.predict(X_new) == clusters_new).mean() > 0.95
    alone = SISC(3, init=init, n_init=5, random_state=1).fit(X)
    assert adjusted_rand_score(clusters, alone.labels_) > 0.9


def test_equal_start_stays(data):
    X, partial, Y = data
    with pytest.warns(UserWarning, match="equal") as caught:
        model = SISC(**QUICK, init="equal").fit(X, partial)
    assert len(caught) == 1
    assert_allclose(model.memberships_, 1 / 6)
    assert_allclose(model.predict_proba(X), np.tile(Y[::2].mean(axis=0), (120, 1)))


def crossed(seed):
    """Documents that two groupings part equally well, and the second of these."""
    X, first = planted(240, n_clusters=2, own=8, noise=0, seed=seed)
    rng = np.random.default_rng(seed + 100)
    second = rng.permutation(first)
    probability = np.where(second[:, None] == np.arange(16) // 8, 0.6, 0.05)
    return sparse.hstack([X, sparse.csr_array((rng.random((240, 16)) < probability).astype(float))]), second


def test_labels_help():
    guided, plain, right = [], [], []
    for seed in range(3):
        X, classes = crossed(seed)
        y = np.where(np.arange(240) < 48, classes, -1)
        model = SISC(8, random_state=0).fit(X, y)
        guided.append(adjusted_rand_score(classes, model.labels_))
        plain.append(adjusted_rand_score(classes, SISC(8, random_state=0).fit(X).labels_))
        right.append((model.predict(X) == classes)[48:].mean())
    assert np.mean(guided) > np.mean(plain) + 0.08
    assert np.mean(right) > 0.95


def test_label_sets_are_predicted(data):
    X, partial, Y = data
    scores = SISC(30, random_state=0).fit(X, partial).predict_proba(X)[1::2]
    assert roc_auc_score(Y[1::2, :3], scores[:, :3]) > 0.85


def test_order_of_unlabelled_documents_does_not_matter(model, data):
    X, partial, _ = data
    order = np.arange(120)
    order[1::2] = np.random.default_rng(3).permutation(order[1::2])
    other = SISC(**QUICK).fit(X[order], partial[order])
    # Clusters are numbered by their first documents.
    same = np.abs(other.cluster_centers_[:, None] - model.cluster_centers_).sum(axis=2).argmin(axis=1)
    assert sorted(same) == list(range(len(same)))
    assert_allclose(other.memberships_, model.memberships_[order][:, same], atol=1e-8)
    assert_allclose(other.class_shares_, model.class_shares_[same], atol=1e-8)


def test_unlabelled_documents_take_part_in_clusters(model, data):
    X, partial, _ = data
    labelled = SISC(**QUICK).fit(X[::2], partial[::2])
    assert np.abs(labelled.cluster_centers_ - model.cluster_centers_).max() > 1e-3


@pytest.mark.parametrize("impurity", ["count", "none", None])
@pytest.mark.parametrize("labels", ["sets", "classes"])
def test_normalisations_of_impurity(data, impurity, labels):
    X, partial, Y = data
    y = partial if labels == "sets" else np.where(partial[:, 0] < 0, -1, Y[:, :3].argmax(axis=1))
    fits = [SISC(**QUICK, impurity=kind, max_iter=1).fit(X, y) for kind in (impurity, "count", "mean")]
    # After one sweep the centres are the same, while the first documents of the clusters may not be.
    printed, count, mean = (fit.impurities_[np.lexsort(fit.cluster_centers_.T)] for fit in fits)
    if impurity is None:
        assert_array_equal(printed, 0)
    else:
        # The squared part of the labelled documents that a cluster has.
        assert (count > 0).all()
        assert np.sqrt(count / mean).sum() == pytest.approx(1)
        assert_allclose(printed / count, printed[0] / count[0])
    without = SISC(**QUICK, impurity=impurity).fit(X, y)
    assert np.abs(without.memberships_ - SISC(**QUICK).fit(X, y).memberships_).max() > 1e-9


@pytest.mark.parametrize(
    "options",
    [
        {"impurity_in_membership": False},
        {"chi_scale": "n_labelled"},
        {"chi_weight": 0.0},
        {"weight_exponent": 15.0},
        {"fuzziness": 1.3},
        {"floor": 5.0},
    ],
)
def test_options_count(model, data, options):
    X, partial, _ = data
    other = SISC(**QUICK, **options).fit(X, partial)
    assert np.abs(other.memberships_ - model.memberships_).max() > 1e-6
    assert np.isfinite(other.predict_proba(X)).all()


def test_starts():
    X, clusters = planted()
    y = np.where(np.arange(120) % 4, -1, clusters)
    seeds = np.random.SeedSequence(3).spawn(4)
    assert [s.spawn_key for s in seeds] == [(i,) for i in range(4)]
    many = SISC(4, init="seeds", n_init=4, random_state=3).fit(X, y)
    few = [SISC(4, init="seeds", n_init=n, random_state=3).fit(X, y).history_[-1] for n in (1, 2, 3)]
    last = [*few, many.history_[-1]]
    assert last == sorted(last, reverse=True)
    assert last[-1] < last[0]


def test_same_seed_same_result(data):
    X, partial, _ = data
    for init in ("labels", "kmeans"):
        one, two = (SISC(**QUICK, init=init, n_init=2, n_jobs=n_jobs).fit(X, partial) for n_jobs in (None, 2))
        assert_array_equal(one.memberships_, two.memberships_)
        assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    rng = np.random.default_rng(0)
    first, second = (SISC(6, random_state=rng).fit(X, partial).memberships_ for _ in range(2))
    assert np.abs(first - second).max() > 0
