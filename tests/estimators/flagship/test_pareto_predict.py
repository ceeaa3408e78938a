"""Clusters and classes of rows that came later."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pareto_cases import CLASSES, QUICK, X, partly
from scipy.sparse import csr_matrix
from scipy.spatial.distance import cdist
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError

from moo_clustering import ParetoClustering

NEW, NEW_CLASSES = make_blobs(60, centers=[[0, 0], [6, 0], [3, 6]], cluster_std=0.8, random_state=8)


def test_rows_of_the_fit(plain, labelled):
    assert_array_equal(plain.predict(X), plain.labels_)
    assert_array_equal(labelled.predict(X), labelled.labels_)
    assert labelled.predict(X).dtype == plain.predict(X).dtype == np.int32
    free = ParetoClustering(clamp=False, **QUICK).fit(X, partly(CLASSES, 3))
    assert_allclose(free.predict_proba(X), free.predict_proba_, atol=1e-12)


def test_new_rows_have_the_cluster_of_the_nearest(plain):
    rows = (X - X.mean(axis=0)) / X.std(axis=0)
    later = (NEW - X.mean(axis=0)) / X.std(axis=0)
    assert_array_equal(plain.predict(NEW), plain.labels_[cdist(later, rows).argmin(axis=1)])


def test_new_rows_have_the_class_of_near_ones(labelled):
    probabilities = labelled.predict_proba(NEW)
    assert probabilities.shape == (60, 3)
    assert_allclose(probabilities.sum(axis=1), 1)
    assert_array_equal(labelled.predict(NEW), probabilities.argmax(axis=1))
    assert (labelled.classes_[labelled.predict(NEW)] == NEW_CLASSES).mean() > 0.95


def test_a_row_does_not_depend_on_the_others(labelled):
    together = labelled.predict_proba(NEW)
    for i in (0, 17, 59):
        assert_allclose(labelled.predict_proba(NEW[i : i + 1])[0], together[i], rtol=1e-12)
    assert_array_equal(labelled.predict(NEW[::-1]), labelled.predict(NEW)[::-1])


@pytest.mark.parametrize("far", [1e6, -1e12])
def test_far_away_is_somewhere(plain, labelled, far):
    row = np.full((1, 2), far)
    assert plain.predict(row)[0] in plain.labels_
    assert_allclose(labelled.predict_proba(row).sum(), 1)


def test_sparse_rows(plain):
    assert_array_equal(plain.predict(csr_matrix(NEW)), plain.predict(NEW))
    assert_array_equal(plain.predict(NEW.tolist()), plain.predict(NEW))


def test_distances_to_the_fit():
    D = cdist(X, X)
    model = ParetoClustering(metric="precomputed", **QUICK).fit(D)
    assert_array_equal(model.predict(D), model.labels_)
    across = cdist(NEW, X)
    assert_array_equal(model.predict(across), model.labels_[across.argmin(axis=1)])
    with pytest.raises(ValueError, match="60 features, but ParetoClustering is expecting 90"):
        model.predict(across.T)
    model.relabel(partly(CLASSES, 2))
    assert (model.classes_[model.predict(across)] == NEW_CLASSES).mean() > 0.95


def test_new_classes_and_pairs_too():
    y = partly(CLASSES, 3)
    model = ParetoClustering(novel="allow", **QUICK).fit(X, np.where(y == 2, -1, y))
    found = model.predict(NEW)
    assert (model.cluster_classes_index_[found][NEW_CLASSES == 2] == -1).mean() > 0.9


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (X[0], "Expected 2D array"),
        (X[:, :1], "1 features, but ParetoClustering is expecting 2"),
        (X[:0], "0 sample"),
        (np.full((1, 2), np.nan), "NaN"),
        ([["a", "b"]], "requires numbers"),
    ],
)
def test_rows_that_are_none(labelled, rows, message):
    for method in (labelled.predict, labelled.predict_proba):
        with pytest.raises(ValueError, match=message):
            method(rows)


def test_before_a_fit():
    model = ParetoClustering()
    for call in (
        lambda: model.predict(X),
        lambda: model.predict_proba(X),
        lambda: model.relabel(),
        lambda: model.choose("auto"),
        lambda: model.pareto_labels_,
        lambda: model.alternative_labels_,
        lambda: model.transduction_,
    ):
        with pytest.raises(NotFittedError):
            call()


def test_without_labels_there_are_no_classes(plain):
    assert not hasattr(plain, "transduction_")
    with pytest.raises(AttributeError, match="transduction_ requires a fit with labels"):
        plain.transduction_  # noqa: B018
    with pytest.raises(ValueError, match="predict_proba requires a fit with labels"):
        plain.predict_proba(X)


@pytest.mark.parametrize("name", ["predict_proba_", "predict_proba"])
def test_new_classes_have_no_probabilities(name):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(place, 0.3, (30, 2)) for place in (0, 4, 8)])
    y = np.full(90, -1)
    y[[0, 1, 30, 31]] = [0, 0, 1, 1]
    model = ParetoClustering(novel="allow", random_state=0).fit(X, y)
    assert not hasattr(model, "predict_proba_")
    message = f"{name} requires a fit with labels of every class and without new classes.* novel='none'"
    with pytest.raises((AttributeError, ValueError), match=message):
        model.predict_proba_ if name == "predict_proba_" else model.predict_proba(X)
    model = model.set_params(novel="none").relabel(y)
    assert model.predict_proba_.shape == model.predict_proba(X).shape == (90, 2)
