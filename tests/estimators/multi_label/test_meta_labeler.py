"""MetaLabeler: ranks, numbers of labels, cut scores."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from moo_clustering.estimators.multi_label import MetaLabeler, best_labels


def documents(n=120, n_features=12, n_labels=4, seed=0):
    """Each label has words of its own; some documents have none."""
    rng = np.random.default_rng(seed)
    Y = (rng.random((n, n_labels)) < 0.4).astype(int)
    own = np.repeat(np.eye(n_labels), n_features // n_labels, axis=1)
    X = (rng.random((n, n_features)) < 0.1 + 0.7 * (Y @ own > 0)).astype(float)
    return X, Y


def by_hand(X, Y, X_new):
    """Separate machines, one for every label and one for the number of labels, without any helper."""
    options = {"C": 1.0, "dual": False}
    decisions = np.column_stack(
        [LinearSVC(**options).fit(X, Y[:, t]).decision_function(X_new) for t in range(Y.shape[1])]
    )
    counts = LinearSVC(**options).fit(X, Y.sum(axis=1)).predict(X_new)
    return decisions, counts


def test_decisions_counts_and_label_sets_by_hand():
    X, Y = documents()
    decisions, counts = by_hand(X[:80], Y[:80], X[80:])
    model = MetaLabeler(estimator=LinearSVC(dual=False)).fit(X[:80], Y[:80])
    np.testing.assert_allclose(model.decision_function(X[80:]), decisions, rtol=1e-8)
    np.testing.assert_array_equal(model.predict_n_labels(X[80:]), counts)
    assert len(set(counts)) > 2
    expected = np.zeros((40, 4), dtype=int)
    scores = np.zeros((40, 4))
    for i, (row, count) in enumerate(zip(decisions, counts, strict=True)):
        best = sorted(range(4), key=lambda t: -row[t])[:count]
        total = sum(1 / (1 + np.exp(-row[t])) for t in best)
        for t in best:
            expected[i, t] = 1
            scores[i, t] = 1 / (1 + np.exp(-row[t])) / total
    np.testing.assert_array_equal(model.predict(X[80:]), expected)
    np.testing.assert_allclose(model.predict_proba(X[80:]), scores, rtol=1e-8)
    model.set_params(cut=False)
    np.testing.assert_allclose(model.predict_proba(X[80:]), expit(decisions), rtol=1e-8)


def test_of_equal_scores_the_first():
    scores = np.random.default_rng(0).integers(0, 3, (50, 60)).astype(float)
    counts = np.arange(50)
    for row, count, kept in zip(scores, counts, best_labels(scores, counts), strict=True):
        assert np.flatnonzero(kept).tolist() == sorted(sorted(range(60), key=lambda t: -row[t])[:count])


def test_it_learns():
    X, Y = documents(400, 40)
    model = MetaLabeler(random_state=0).fit(X[:300], Y[:300])
    assert (model.predict(X[300:]) == Y[300:]).mean() > 0.9


def test_unlabelled_rows_have_no_influence():
    X, Y = documents()
    model = MetaLabeler(random_state=0).fit(X, Y)
    more = np.vstack([X, np.full((5, X.shape[1]), 1e6)])
    partly = np.vstack([Y, np.full((5, Y.shape[1]), -1)])
    order = np.random.default_rng(0).permutation(len(more))
    order = np.concatenate([order[order >= len(X)], np.arange(len(X))])
    again = MetaLabeler(random_state=0).fit(more[order], partly[order])
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_order_of_rows_hardly_matters():
    X, Y = documents()
    order = np.random.default_rng(1).permutation(len(X))
    options = {"estimator": LinearSVC(dual=False, tol=1e-8)}
    one, two = MetaLabeler(**options).fit(X, Y), MetaLabeler(**options).fit(X[order], Y[order])
    np.testing.assert_allclose(one.decision_function(X), two.decision_function(X), atol=1e-5)


def test_one_number_of_labels():
    X, Y = documents()
    Y = np.eye(4, dtype=int)[np.argmax(Y + 0.1 * np.arange(4), axis=1)]
    Y[:, 0] |= Y[:, 3]
    Y = np.where(Y.sum(axis=1, keepdims=True) == 1, np.maximum(Y, [[0, 0, 0, 1]]), Y)
    assert set(Y.sum(axis=1)) == {2}
    model = MetaLabeler(random_state=0).fit(X, Y)
    np.testing.assert_array_equal(model.predict_n_labels(X), 2)
    np.testing.assert_array_equal(model.predict(X).sum(axis=1), 2)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_labels_of_all_and_of_none():
    X, Y = documents()
    Y = np.column_stack([np.zeros(len(Y), dtype=int), Y, np.ones(len(Y), dtype=int)])
    model = MetaLabeler(random_state=0).fit(X, Y)
    np.testing.assert_array_equal(model.ranked_, [1, 2, 3, 4])
    decisions = model.decision_function(X)
    assert (decisions[:, 0] < decisions[:, 1:].min(axis=1)).all()
    assert (decisions[:, 5] > decisions[:, :5].max(axis=1)).all()
    predicted = model.predict(X)
    assert not predicted[:, 0].any()
    assert predicted[:, 5].all()
    without = MetaLabeler(random_state=0).fit(X, Y[:, 1:5])
    np.testing.assert_allclose(decisions[:, 1:5], without.decision_function(X))


def test_every_label_set_is_the_same():
    X, _ = documents(10)
    model = MetaLabeler().fit(X, np.tile([1, 0, 1], (10, 1)))
    assert model.ranker_ is None
    np.testing.assert_array_equal(model.predict(X), np.tile([1, 0, 1], (10, 1)))
    np.testing.assert_allclose(model.predict_proba(X), np.tile([0.5, 0, 0.5], (10, 1)))


def test_no_labels_may_be_predicted():
    X, Y = np.eye(2).repeat(10, axis=0), np.array([[0, 0], [1, 1]]).repeat(10, axis=0)
    model = MetaLabeler(random_state=0).fit(X, Y)
    np.testing.assert_array_equal(model.predict(np.eye(2)), [[0, 0], [1, 1]])
    np.testing.assert_allclose(model.predict_proba(np.eye(2)), [[0, 0], [0.5, 0.5]])


def test_one_class_a_sample():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(center, 0.3, (20, 2)) for center in ([0, 3], [3, 0], [-3, -3])])
    y = np.array(["a", "b", "c"], dtype=object).repeat(20)
    partly = y.copy()
    partly[::2] = -1
    model = MetaLabeler(random_state=0).fit(X, partly)
    assert model.score(X, y) == 1
    assert model.score(X[1::2], partly[1::2]) == 1
    np.testing.assert_array_equal(model.predict_n_labels(X), 1)
    np.testing.assert_array_equal(model.predict_proba(X).max(axis=1), 1)
    model.set_params(cut=False)
    shares = expit(model.decision_function(X))
    np.testing.assert_allclose(model.predict_proba(X), shares / shares.sum(axis=1, keepdims=True))


def test_two_classes_have_one_decision():
    X = np.array([[0.0], [1.0], [4.0], [5.0]])
    model = MetaLabeler(random_state=0, cut=False).fit(X, [3, 3, 7, 7])
    decisions = model.decision_function(X)
    assert decisions.shape == (4,)
    np.testing.assert_array_equal(np.sign(decisions), [-1, -1, 1, 1])
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], expit(decisions))


def test_scores_far_below_zero_keep_their_ratios():
    class Far(LinearSVC):
        def decision_function(self, X):
            return super().decision_function(X) - 2000

    X, Y = documents()
    shares = MetaLabeler(estimator=Far(dual=False)).fit(X, Y).predict_proba(X)
    decisions = MetaLabeler(estimator=LinearSVC(dual=False)).fit(X, Y).decision_function(X)
    i = np.flatnonzero((shares > 0).sum(axis=1) == 2)[0]
    a, b = np.flatnonzero(shares[i])
    np.testing.assert_allclose(shares[i, a] / shares[i, b], np.exp(decisions[i, a] - decisions[i, b]))


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csr_array, sp.csc_array, sp.coo_matrix])
def test_sparse_data(kind):
    X, Y = documents()
    dense = MetaLabeler(random_state=0).fit(X, Y)
    S = kind(X)
    if hasattr(S, "indptr"):
        S.indices, S.indptr = S.indices.astype(np.int64), S.indptr.astype(np.int64)
    model = MetaLabeler(random_state=0).fit(S, sp.csr_matrix(Y))
    np.testing.assert_allclose(model.decision_function(S), dense.decision_function(X), atol=1e-2)
    partly = np.vstack([Y[:100], np.full((20, 4), -1)])
    assert (MetaLabeler(random_state=0).fit(S, partly).predict(S)[:100] == Y[:100]).mean() > 0.8


def test_seeds():
    X, Y = documents(60, 200)  # more features than documents: the dual solver draws
    fit = lambda **options: MetaLabeler(**options).fit(X, Y).decision_function(X)  # noqa: E731
    np.testing.assert_array_equal(fit(random_state=3), fit(random_state=3))
    np.testing.assert_array_equal(
        fit(random_state=np.random.default_rng(3)), fit(random_state=np.random.default_rng(3))
    )
    fit(random_state=np.random.RandomState(0))
    fit()


def test_another_classifier():
    X, Y = documents()
    model = MetaLabeler(estimator=LogisticRegression(C=10.0)).fit(X, Y)
    expected = LogisticRegression(C=10.0).fit(X, Y[:, 2]).decision_function(X)
    np.testing.assert_allclose(model.decision_function(X)[:, 2], expected)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y"),
        (np.full(6, -1), "all 6 samples are unlabelled"),
        (np.full((6, 2), -1), "all 6 samples are unlabelled"),
        (np.zeros((6, 0)), "one column per label"),
        ([[0, 2]] * 6, "label indicators must be 0 or 1"),
        ([[0, 1]] * 5, r"\(6\), got 5"),
    ],
)
def test_labels_that_are_refused(y, message):
    with pytest.raises(ValueError, match=message):
        MetaLabeler().fit(np.ones((6, 2)), y)


@pytest.mark.parametrize("change", [{"cut": "yes"}, {"estimator": object()}, {"n_jobs": 1.5}])
def test_parameters_out_of_range(change):
    with pytest.raises(ValueError, match=rf"The '{next(iter(change))}' parameter of MetaLabeler"):
        MetaLabeler(**change).fit(np.eye(4), np.eye(4, dtype=int))


def test_score_leaves_unlabelled_samples_out():
    X, Y = documents()
    model = MetaLabeler(random_state=0).fit(X, Y)
    right = (model.predict(X) == Y).all(axis=1)
    partly = Y.copy()
    partly[right] = -1
    assert model.score(X, partly) == 0
    assert model.score(X, Y) == right.mean()
    with pytest.raises(ValueError, match="at least one labelled sample"):
        model.score(X, np.full_like(Y, -1))
