"""SCAD2: fuzzy clusters with weights of features, and classes by votes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from planted_subspaces import label_sets, planted, tight_subspaces
from sklearn.metrics import adjusted_rand_score

from moo_clustering.estimators.subspace import SCAD2, SISC


def test_finds_clusters_in_subspaces():
    X, clusters = tight_subspaces()
    model = SCAD2(3, weight_exponent=2, n_init=5, random_state=0).fit(X)
    assert adjusted_rand_score(clusters, model.labels_) > 0.95
    for weights, own in zip(model.feature_weights_, [model.labels_ == c for c in range(3)], strict=True):
        assert set(np.argsort(-weights)[:4] // 4) == {clusters[own][0]}
    assert_array_equal(model.predict(X), model.labels_)
    assert_array_equal(model.predict_cluster(X), model.labels_)
    with pytest.raises(ValueError, match="SCAD2 was fitted without labels"):
        model.predict_proba(X)
    assert not hasattr(model, "impurities_")


def test_is_sisc_without_labels_and_chi_square():
    X, _ = planted()
    plain = SISC(5, chi_weight=0, impurity=None, init="seeds", random_state=2).fit(X)
    assert_array_equal(SCAD2(5, random_state=2).fit(X).memberships_, plain.memberships_)


def test_labels_do_not_move_clusters_but_vote():
    X, clusters = planted(own=15, noise=5, present=0.8)
    y = np.where(np.arange(120) < 30, clusters, -1)
    model = SCAD2(4, n_init=5, random_state=0).fit(X, y)
    assert_array_equal(model.memberships_, SCAD2(4, n_init=5, random_state=0).fit(X).memberships_)
    own = model.memberships_[:30]
    shares = own.T @ (clusters[:30, None] == np.arange(3)) / own.sum(axis=0)[:, None]
    assert_allclose(model.class_shares_, shares)
    weights = 1 / model.transform(X)
    assert_allclose(model.predict_proba(X), weights @ shares / weights.sum(axis=1, keepdims=True))
    assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    assert (model.predict(X) == clusters).mean() > 0.9


def test_label_sets():
    X, clusters = planted(own=15, noise=5, present=0.8)
    model = SCAD2(4, n_init=5, aggregation="membership", random_state=0).fit(X, label_sets(clusters))
    assert_allclose(model.predict_proba(X), model.memberships_ @ model.class_shares_)
    assert (model.predict(X, n_labels=1).argmax(axis=1) == clusters).mean() > 0.9


def test_leading_features():
    X, clusters = planted(own=15, noise=5, present=0.9)
    model = SCAD2(3, weight_exponent=15, n_init=10, random_state=0).fit(X)
    assert adjusted_rand_score(clusters, model.labels_) > 0.9
    for cluster, columns in enumerate(model.leading_features(10)):
        assert {column // 15 for column in columns} == {clusters[model.labels_ == cluster][0]}


@pytest.mark.parametrize("name", ["fuzziness", "weight_exponent"])
def test_exponents_out_of_range(name):
    with pytest.raises(ValueError, match=f"{name} must be finite and greater than 1, got 1"):
        SCAD2(2, **{name: 1}).fit(np.eye(4))
