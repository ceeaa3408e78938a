"""Pruned label sets and the ensemble that votes with them."""

from collections import Counter

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from moo_clustering.estimators.multi_label import PrunedSetsEnsemble, pruned_sets


def naive(Y, min_count, n_subsets):
    """Examples (sample, label set) by sets of Python, in no order, and the frequent sets."""
    sets = [frozenset(np.flatnonzero(row).tolist()) for row in Y]
    counts = Counter(sets)
    frequent = {s for s in counts if counts[s] >= min_count} or set(counts)
    examples = Counter()
    for i, labels in enumerate(sets):
        if labels in frequent:
            examples[i, labels] += 1
            continue
        subsets = [s for s in frequent if s and s < labels]
        subsets.sort(key=lambda s: (-len(s), -counts[s], [t not in s for t in range(Y.shape[1])]))
        for s in subsets[:n_subsets]:
            examples[i, s] += 1
    return examples, frequent


@given(
    arrays(np.int8, st.tuples(st.integers(1, 40), st.integers(1, 4)), elements=st.integers(0, 1)),
    st.integers(1, 5),
    st.integers(0, 4),
)
@settings(max_examples=100, deadline=None)
def test_label_sets_by_brute_force(Y, min_count, n_subsets):
    rows, codes, label_sets, found = pruned_sets(Y, min_count, n_subsets)
    sets = [frozenset(np.flatnonzero(row).tolist()) for row in label_sets]
    examples, frequent = naive(Y, min_count, n_subsets)
    pairs = zip(rows.tolist(), codes.tolist(), strict=True)
    assert Counter((row, sets[code]) for row, code in pairs) == examples
    assert set(sets) == frequent
    assert len(sets) == len(frequent)
    assert (np.diff(rows) >= 0).all()
    counts = Counter(frozenset(np.flatnonzero(row).tolist()) for row in Y)
    assert found == any(count >= min_count for count in counts.values())


def test_largest_then_commonest_then_first():
    sets = {"0": 5, "1": 4, "01": 3, "02": 3, "12": 4, "3": 9, "0123": 1, "13": 2, "45": 1}
    Y = np.array([[str(t) in s for t in range(6)] for s, count in sets.items() for _ in range(count)])
    rows, codes, label_sets, _ = pruned_sets(Y, 3, 3)
    names = ["".join(map(str, np.flatnonzero(row))) for row in label_sets]
    assert names == ["12", "01", "02", "3", "0", "1"]
    chosen = {
        name: [names[code] for row, code in zip(rows, codes, strict=True) if row == i]
        for name, i in {"0123": 28, "13": 29, "45": 31}.items()
    }
    assert chosen == {"0123": ["12", "01", "02"], "13": ["3", "1"], "45": []}


def documents(n=150, n_labels=4, seed=0):
    rng = np.random.default_rng(seed)
    kinds = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 0, 0], [1, 1, 1, 0]])
    Y = kinds[rng.choice(len(kinds), n, p=[0.25, 0.25, 0.15, 0.2, 0.13, 0.02])][:, :n_labels]
    own = np.repeat(np.eye(n_labels), 4, axis=1)
    X = (rng.random((n, 4 * n_labels)) < 0.05 + 0.8 * (Y @ own > 0)).astype(float)
    return X, Y


def test_votes_are_the_mean_of_the_members_label_sets():
    X, Y = documents()
    model = PrunedSetsEnsemble(n_estimators=4, random_state=0).fit(X[:100], Y[:100])
    votes = np.zeros((50, 4))
    for classifier, label_sets in zip(model.estimators_, model.label_sets_, strict=True):
        for i, code in enumerate(classifier.predict(X[100:])):
            votes[i] += label_sets[code] / 4
    np.testing.assert_allclose(model.predict_proba(X[100:]), votes)
    np.testing.assert_array_equal(model.predict(X[100:]), votes >= 0.5)
    assert (model.predict(X[100:]) == Y[100:]).mean() > 0.95
    model.set_params(threshold=1.0)
    np.testing.assert_array_equal(model.predict(X[100:]), votes > 1 - 1e-9)


def test_number_of_labels_to_predict():
    X, Y = documents()
    model = PrunedSetsEnsemble(random_state=0).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X, n_labels=2).sum(axis=1), 2)
    counts = np.arange(len(X)) % 5
    np.testing.assert_array_equal(model.predict(X, n_labels=counts).sum(axis=1), counts)
    for wrong in (5, -1, 1.5, [1, 2]):
        with pytest.raises(ValueError, match="n_labels must be"):
            model.predict(X, n_labels=wrong)


class Recorder(DecisionTreeClassifier):
    """Keeps what it was fitted to."""

    def fit(self, X, y):
        self.seen_ = X, y
        return super().fit(X, y)


def test_what_members_learn_from():
    X, Y = documents(101)
    X[:, 0] = np.arange(101)
    model = PrunedSetsEnsemble(
        estimator=Recorder(), max_samples=0.5, n_estimators=3, min_count=4, n_subsets=2, random_state=0
    ).fit(X, Y)
    drawn = []
    for classifier, label_sets in zip(model.estimators_, model.label_sets_, strict=True):
        seen, codes = classifier.seen_
        samples = seen[:, 0].astype(int)
        drawn.append(set(samples.tolist()))
        assert len(drawn[-1]) <= 50
        np.testing.assert_array_equal(seen[:, 1:], X[samples, 1:])
        own = label_sets[codes]
        assert (own <= Y[samples]).all()
        assert ((own == Y[samples]).all(axis=1) | own.any(axis=1)).all()
    assert drawn[0] != drawn[1] != drawn[2]
    # without replacement, and all of them
    whole = PrunedSetsEnsemble(
        estimator=Recorder(), max_samples=1.0, min_count=1, n_estimators=1, random_state=0
    ).fit(X, Y)
    np.testing.assert_array_equal(whole.estimators_[0].seen_[0], X)


def test_unlabelled_rows_have_no_influence():
    X, Y = documents()
    model = PrunedSetsEnsemble(random_state=0).fit(X, Y)
    more = np.vstack([np.full((50, X.shape[1]), 1e6), X])
    partly = np.vstack([np.full((50, 4), -1), Y])
    again = PrunedSetsEnsemble(random_state=0).fit(more, partly)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    for one, two in zip(model.estimators_, again.estimators_, strict=True):
        np.testing.assert_array_equal(one.coef_, two.coef_)


def test_no_frequent_label_set():
    X = np.eye(6)
    Y = np.array([[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 0], [1, 0, 1], [0, 1, 1]])
    with pytest.warns(
        UserWarning,
        match="2 of 2 classifiers use all label sets as classes, .* at least min_count=3",
    ):
        model = PrunedSetsEnsemble(n_estimators=2, max_samples=1.0, random_state=0).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X), Y)
    assert [len(sets) for sets in model.label_sets_] == [6, 6]


def test_one_frequent_label_set():
    X, Y = np.eye(8), np.array([[1, 0]] * 6 + [[0, 1]] * 2)
    model = PrunedSetsEnsemble(max_samples=1.0, random_state=0).fit(X, Y)
    assert all(isinstance(classifier, DummyClassifier) for classifier in model.estimators_)
    np.testing.assert_array_equal(model.predict_proba(X), np.tile([1.0, 0.0], (8, 1)))


def test_one_sample():
    with pytest.warns(UserWarning, match="use all label sets"):
        model = PrunedSetsEnsemble(random_state=0).fit([[1.0, 2.0]], [[1, 0, 1]])
    np.testing.assert_array_equal(model.predict([[0.0, 0.0]]), [[1, 0, 1]])


@pytest.mark.filterwarnings("error")
def test_one_class_a_sample_is_never_pruned():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(center, 0.3, (20, 2)) for center in ([0, 3], [3, 0], [-3, -3])])
    y = np.array([10, 20, 30]).repeat(20)
    y[5:20] = -1
    model = PrunedSetsEnsemble(min_count=10, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), np.array([10, 20, 30]).repeat(20))
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    with pytest.raises(ValueError, match="n_labels requires label sets"):
        model.predict(X, n_labels=1)


def test_seeds_and_sparse_data():
    X, Y = documents(60)
    X = np.hstack([X, np.random.default_rng(0).random((60, 100))])
    options = {"n_estimators": 4, "min_count": 2, "random_state": 5}
    fit = lambda X=X, **more: PrunedSetsEnsemble(**{**options, **more}).fit(X, Y)  # noqa: E731
    one = fit()
    for a, b in zip(one.estimators_, fit(n_estimators=6).estimators_[:4], strict=True):
        np.testing.assert_array_equal(a.coef_, b.coef_)
    other = fit(random_state=6)
    assert (
        one.estimators_[0].coef_.shape != other.estimators_[0].coef_.shape
        or (one.estimators_[0].coef_ != other.estimators_[0].coef_).any()
    )
    S = sp.csr_array(X)
    S.indices, S.indptr = S.indices.astype(np.int64), S.indptr.astype(np.int64)
    np.testing.assert_allclose(fit(S).predict_proba(S), one.predict_proba(X), atol=0.26)


@pytest.mark.slow
def test_another_classifier_is_seeded():
    X, Y = documents()
    model = PrunedSetsEnsemble(estimator=DecisionTreeClassifier(max_features=1), random_state=0).fit(X, Y)
    states = {classifier.random_state for classifier in model.estimators_}
    assert len(states) == 10
    again = PrunedSetsEnsemble(estimator=DecisionTreeClassifier(max_features=1), random_state=0).fit(X, Y)
    np.testing.assert_array_equal(model.predict_proba(X), again.predict_proba(X))
    assert PrunedSetsEnsemble(estimator=LogisticRegression(), random_state=0).fit(X, Y).score(X, Y) > 0.8


@pytest.mark.parametrize(
    "change",
    [
        {"min_count": 0},
        {"n_subsets": -1},
        {"n_estimators": 0},
        {"max_samples": 0},
        {"max_samples": 1.2},
        {"threshold": -0.1},
        {"estimator": 3},
    ],
)
def test_parameters_out_of_range(change):
    X, Y = documents(20)
    with pytest.raises(ValueError, match=rf"The '{next(iter(change))}' parameter of PrunedSetsEnsemble"):
        PrunedSetsEnsemble(**change).fit(X, Y)
