"""Classes, label sets and features that the clusters of SISC tell of."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from planted_subspaces import label_sets, naive_distances, planted

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


def naive_votes(model, X, aggregation, n_neighbors):
    found = []
    for row in naive_distances(model, X):
        order = np.argsort(row, kind="stable")[:n_neighbors]
        if n_neighbors == 1:
            found.append(model.class_shares_[order[0]])
            continue
        weights = 1 / row[order]
        if aggregation == "membership":
            weights = (row[order] * (1 + model.impurities_[order])) ** (-1 / (model.fuzziness - 1))
        votes = weights @ model.class_shares_[order]
        found.append(votes if aggregation == "sum" else votes / weights.sum())
    return np.array(found)


@pytest.mark.parametrize("n_neighbors", [None, 1, 2, 6])
@pytest.mark.parametrize("aggregation", ["normalised", "sum", "membership"])
def test_votes_on_new_documents(model, data, aggregation, n_neighbors):
    X, partial, _ = data
    new = planted(40, seed=5)[0].toarray()
    voter = SISC(**QUICK, aggregation=aggregation, n_neighbors=n_neighbors).fit(X, partial)
    assert_allclose(voter.transform(new), naive_distances(model, new))
    expected = naive_votes(model, new, aggregation, n_neighbors)
    assert_allclose(voter.decision_function(new), expected)
    probabilities = voter.predict_proba(new)
    if aggregation == "sum":
        expected = naive_votes(model, new, "normalised", n_neighbors)
    assert_allclose(probabilities, expected)
    assert (probabilities >= 0).all()
    assert (probabilities <= 1).all()
    assert_array_equal(voter.predict(new), (probabilities >= 0.5).astype(int))
    # What only predictions use may be changed after the fit.
    assert_allclose(
        SISC(**QUICK)
        .fit(X, partial)
        .set_params(aggregation=aggregation, n_neighbors=n_neighbors)
        .decision_function(new),
        voter.decision_function(new),
    )


@pytest.mark.parametrize("names", [["p", "q", "r"], ["p", "q", "q"]])
def test_classes(names):
    X, clusters = planted()
    names = np.array(names)[clusters].astype(object)
    y = names.copy()
    y[1::2] = -1
    model = SISC(**QUICK).fit(X, y)
    assert model.classes_.tolist() == sorted(set(names))
    assert not model.multilabel_
    assert (model.predict(X) == names).mean() > 0.9
    probabilities, scores = model.predict_proba(X), model.decision_function(X)
    assert_allclose(probabilities.sum(axis=1), 1)
    assert_array_equal(model.predict(X), model.classes_[probabilities.argmax(axis=1)])
    if len(model.classes_) == 2:
        assert_allclose(scores, probabilities[:, 1] - probabilities[:, 0])
    else:
        assert_allclose(scores, probabilities)


def test_score_leaves_unlabelled_documents_out():
    X, clusters = planted()
    model = SISC(**QUICK).fit(X, clusters)
    y = clusters.copy()
    y[:60] = -1
    weights = np.linspace(1, 2, 120)
    right = model.predict(X) == clusters
    assert model.score(X, y) == right[60:].mean()
    assert model.score(X, y, weights) == pytest.approx(np.average(right[60:], weights=weights[60:]))
    assert SISC(**QUICK).fit(X, label_sets(clusters)).score(X, label_sets(clusters)) < 1
    with pytest.raises(ValueError, match="at least one labelled sample"):
        model.score(X, np.full(120, -1))
    with pytest.raises(ValueError, match="fitted without labels"):
        SISC(**QUICK).fit(X).score(X, clusters)


def test_literal_reading(data):
    X, partial, _ = data
    model = SISC(**QUICK, aggregation="sum", n_neighbors=5).fit(X, partial)
    assert_array_equal(
        np.argsort(model.decision_function(X), axis=1), np.argsort(model.predict_proba(X), axis=1)
    )
    assert model.decision_function(X).max() != pytest.approx(model.predict_proba(X).max())


def test_votes_by_memberships_that_impurity_does_not_count_in(data):
    X, partial, _ = data
    model = SISC(**QUICK, impurity_in_membership=False, aggregation="membership").fit(X, partial)
    assert model.impurities_.min() > 0
    assert_allclose(model.predict_proba(X), model.memberships_ @ model.class_shares_)


def test_numbers_of_labels(model, data):
    X, _, _ = data
    probabilities = model.predict_proba(X)
    two = model.predict(X, n_labels=2)
    assert two.dtype == np.int64
    assert_array_equal(two, probabilities >= np.sort(probabilities, axis=1)[:, [-2]])
    counts = np.arange(120) % 5
    found = model.predict(X, n_labels=counts)
    assert_array_equal(found.sum(axis=1), counts)
    assert_array_equal(found[2::5], two[2::5])
    for odd, message in [(5, "n_labels"), (-1, "n_labels"), ([1, 2], "120"), (1.5, "n_labels")]:
        with pytest.raises(ValueError, match=message):
            model.predict(X, n_labels=odd)
    with pytest.raises(ValueError, match="n_labels requires label sets"):
        SISC(**QUICK).fit(X, np.arange(120) % 2).predict(X, n_labels=1)


def test_threshold(data):
    X, partial, _ = data
    low, high = (SISC(**QUICK, threshold=t).fit(X, partial).predict(X) for t in (0.2, 0.8))
    assert (low >= high).all()
    assert low.sum() > high.sum()


@pytest.mark.parametrize("y", [None, "1d", "2d"])
def test_without_labels(data, y):
    X, _, _ = data
    given = {"1d": np.full(120, -1), "2d": np.full((120, 3), -1)}.get(y)
    model = SISC(**QUICK)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, given)
    assert [str(w.message) for w in caught] == (
        [] if y is None else ["y is -1 for all documents, so the fit uses no labels"]
    )
    assert all(w.filename == __file__ for w in caught)
    assert_array_equal(model.labels_, SISC(**QUICK, init="seeds").fit(X).labels_)
    assert_array_equal(model.predict(X), model.labels_)
    assert model.classes_.shape == (0,)
    assert model.class_shares_.shape == (6, 0)
    assert_array_equal(model.impurities_, 0)
    for method in (model.predict_proba, model.decision_function):
        with pytest.raises(ValueError, match="SISC was fitted without labels"):
            method(X)


def test_leading_features(model):
    X, clusters = planted()
    model = SISC(3, n_init=3, random_state=0).fit(X, clusters)
    for cluster, columns in enumerate(model.leading_features(8)):
        planted_in = clusters[model.labels_ == cluster][0]
        assert len(columns) == 8
        assert {column // 10 for column in columns} == {planted_in}
    names = [f"word{j}" for j in range(50)]
    named = model.leading_features(n=2, feature_names=names)
    assert named == tuple(tuple(names[j] for j in row[:2]) for row in model.leading_features())
    everything = model.leading_features(50)
    assert all(0 < len(row) < 50 for row in everything)
    with pytest.raises(ValueError, match=r"\(50\), got 2"):
        model.leading_features(feature_names=["a", "b"])
    with pytest.raises(ValueError, match="n must be"):
        model.leading_features(0)


def test_one_class():
    X, _ = planted()
    model = SISC(**QUICK).fit(X, np.full(120, "all"))
    assert (model.predict(X) == "all").all()
    assert_allclose(model.predict_proba(X), 1)
    assert_array_equal(model.impurities_, 0)
