"""Labels of every class."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pareto_cases import CLASSES, QUICK, X, ari, naive_evidence, naive_probabilities, partly
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.preprocessing import StandardScaler

from moo_clustering import ParetoClustering


def graph_and_linear(model):
    S = model.graph_.toarray()
    root = np.sqrt(S.sum(axis=1))
    G = np.linalg.inv(np.eye(len(S)) - 0.9 * S / np.outer(root, root))
    Z = StandardScaler().fit_transform(X)
    Z /= np.sqrt((Z**2).sum(axis=1).mean())
    return G / np.sqrt(np.outer(np.diag(G), np.diag(G))) + 0.3 * Z @ Z.T


@pytest.mark.parametrize(
    ("per_class", "kernel", "full"), [(3, "auto", 0), (4, "full", 1), (1, "full", 1), (3, "pool", 0)]
)
def test_probabilities_are_those_of_the_definition(per_class, kernel, full):
    y = partly(CLASSES, per_class)
    model = ParetoClustering(kernel=kernel, novel="none", clamp=False, **QUICK).fit(X, y)
    expected = naive_probabilities(model, y, graph_and_linear(model) if full else None)
    assert_allclose(model.predict_proba_, expected, atol=1e-9)
    assert_array_equal(model.labels_, expected.argmax(axis=1))


def test_more_labels_than_landmarks_carry():
    # A plane separates the classes and no cluster follows it: forty landmarks cannot learn it.
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(600, 5))
    classes = (rows @ [1.0, 1.0, -1.0, 1.0, 2.0] > 0).astype(int)
    y = partly(classes, 60)
    model = ParetoClustering(n_landmarks=40, families=["km", "ward", "spec", "gmm"], random_state=0)
    kernel = clone(model).set_params(kernel="full").fit(rows, y)
    model.fit(rows, y)
    assert ari(classes, model.labels_) > max(0.7, ari(classes, kernel.labels_) + 0.1)
    assert_array_equal(model.predict(rows)[y < 0], model.labels_[y < 0])
    assert_allclose(model.predict_proba(rows)[y < 0], model.predict_proba_[y < 0], atol=1e-9)
    fewer = clone(model).fit(rows, partly(classes, 3))
    assert ari(classes, fewer.labels_) < ari(classes, model.labels_)


def test_evidence_is_an_objective(labelled):
    y = partly(CLASSES, 3)
    expected = [naive_evidence(row, y) for row in labelled.pool_.labels]
    assert labelled.objective_names_ == ("agreement", "modularity", "label_evidence")
    assert_allclose(labelled.scores_.label_evidence, expected, atol=1e-10)
    assert_allclose(labelled.scores_.total, labelled.scores_.score * 20 + expected, atol=1e-9)


def test_shapes_sums_and_names(labelled):
    assert labelled.predict_proba_.shape == (len(X), 3)
    assert_allclose(labelled.predict_proba_.sum(axis=1), 1, atol=1e-12)
    assert labelled.predict_proba_.min() >= 0
    assert_array_equal(labelled.classes_, [0, 1, 2])
    assert_array_equal(labelled.transduction_, labelled.classes_[labelled.labels_])
    assert ari(CLASSES, labelled.labels_) > 0.85
    assert not hasattr(labelled, "cluster_classes_index_")


def test_clamping():
    # One label is wrong, and stays so only if it has to.
    y = partly(CLASSES, 15)
    wrong = np.flatnonzero(y == 0)[0]
    y[wrong] = 1
    kept = ParetoClustering(kernel="pool", **QUICK).fit(X, y)
    assert_array_equal(kept.transduction_[y >= 0], y[y >= 0])
    assert_array_equal(kept.predict_proba_[y >= 0], np.eye(3)[y[y >= 0]])
    free = ParetoClustering(kernel="pool", clamp=False, **QUICK).fit(X, y)
    assert free.transduction_[wrong] == 0
    assert_array_equal(free.predict_proba_[y < 0], kept.predict_proba_[y < 0])


@pytest.mark.parametrize(
    "names", [["ash", "birch", "cedar"], [10, 20, 30], [-5, 0, 7], [0.0, 1.0, 2.0], [False, True, None]]
)
def test_classes_of_any_kind(labelled, names):
    # None: without the third class.
    rows = CLASSES < 2 if names[2] is None else np.ones(len(X), dtype=bool)
    codes = partly(CLASSES, 3)[rows]
    y = np.array([-1 if code < 0 else names[code] for code in codes], dtype=object)
    model = ParetoClustering(**QUICK).fit(X[rows], y)
    assert list(model.classes_) == [name for name in names if name is not None]
    shown = model.transduction_
    assert all(shown[i] == y[i] for i in np.flatnonzero(codes >= 0))
    if rows.all():
        assert_array_equal(model.labels_, labelled.labels_)


def test_names_of_classes_only_rename(labelled):
    # Columns change places, the last digits with them.
    turned = np.array([2, 0, 1, -1])[partly(CLASSES, 3)]
    model = ParetoClustering(**QUICK).fit(X, turned)
    assert_allclose(model.predict_proba_[:, [2, 0, 1]], labelled.predict_proba_, atol=1e-9)


def test_nothing_labelled_is_unsupervised(plain):
    for y in (None, np.full(len(X), -1), np.full(len(X), -1.0), [-1] * len(X)):
        model = ParetoClustering(random_state=0).fit(X, y)
        assert_array_equal(model.labels_, plain.labels_)
        assert not hasattr(model, "classes_")


def test_everything_labelled():
    model = ParetoClustering(**QUICK).fit(X, CLASSES)
    assert_array_equal(model.labels_, CLASSES)


def test_labels_of_earlier_fits_are_forgotten(labelled):
    first, second = partly(CLASSES, 3), partly(CLASSES, 2, seed=5)
    model = ParetoClustering(**QUICK).fit(X, second).relabel().relabel(second).relabel(first)
    assert_array_equal(model.predict_proba_, labelled.predict_proba_)
    assert_array_equal(model.fit(X, first).predict_proba_, labelled.predict_proba_)


def test_what_is_given_is_left_alone():
    y, rows = partly(CLASSES, 3), X.copy()
    before = y.copy()
    y.setflags(write=False)
    rows.setflags(write=False)
    ParetoClustering(**QUICK).fit(rows, y)
    assert_array_equal(y, before)
    assert_array_equal(rows, X)


def test_the_number_of_clusters_is_that_of_the_classes():
    assert ParetoClustering(7, **QUICK).fit(X, partly(CLASSES, 3)).n_clusters_ == 3


def test_a_class_with_a_single_label():
    y = partly(CLASSES, 5)
    y[np.flatnonzero(y == 2)[1:]] = -1
    model = ParetoClustering(class_prior="uniform", **QUICK).fit(X, y)
    assert ari(model.labels_, CLASSES) > 0.85


def test_the_prior_moves_the_shares():
    y = partly(CLASSES, 2)
    more = np.flatnonzero((CLASSES == 0) & (y < 0))[:15]
    y[more] = 0
    smoothed, uniform = (
        ParetoClustering(class_prior=prior, clamp=False, **QUICK).fit(X, y).predict_proba_.mean(axis=0)
        for prior in ("smoothed", "uniform")
    )
    assert smoothed[0] > uniform[0] + 0.02


def test_more_labels_on_moons():
    moons, classes = make_moons(200, noise=0.06, random_state=0)
    model = ParetoClustering(scale="isotropic", random_state=0).fit(moons)
    for seed in range(3):
        y = partly(classes, 5, seed)
        model.relabel(y)
        assert (model.transduction_ == classes)[y < 0].mean() > 0.97
