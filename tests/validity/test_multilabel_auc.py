"""Areas under ROC curves of classes and labels, and the average of the curves."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer, roc_auc_score
from sklearn.model_selection import cross_val_score
from sklearn.multiclass import OneVsRestClassifier

from moo_clustering.validity import class_aucs, macro_auc, mean_roc_curve


def won_pairs(positive, scores):
    """Share of pairs in which the positive sample has the larger score, by looking at each."""
    pairs = [(a > b) + 0.5 * (a == b) for a in scores[positive == 1] for b in scores[positive == 0]]
    return np.mean(pairs) if pairs else np.nan


def largest_rate(positive, scores, rate):
    """True positive rate of a label at a false positive rate, by trying all thresholds."""
    points = [(0.0, 0.0)]
    for threshold in sorted(set(scores), reverse=True):
        found = scores >= threshold
        points.append((found[positive == 0].mean(), found[positive == 1].mean()))
    lower = [point for point in points if point[0] <= rate][-1]
    higher = next((point for point in points if point[0] > rate), lower)
    if higher is lower:
        return lower[1]
    part = (rate - lower[0]) / (higher[0] - lower[0])
    return lower[1] + part * (higher[1] - lower[1])


def random_case(seed, n, n_labels, ties, share=0.4):
    rng = np.random.default_rng(seed)
    indicators = (rng.random((n, n_labels)) < share).astype(int)
    scores = rng.normal(size=(n, n_labels)) + 0.7 * indicators
    return indicators, np.round(scores) if ties else scores


def area(curve):
    fpr, tpr = curve
    return float(np.sum(np.diff(fpr) * (tpr[1:] + tpr[:-1]) / 2))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 25), st.integers(2, 5), st.booleans())
def test_areas_count_pairs(seed, n, n_labels, ties):
    indicators, scores = random_case(seed, n, n_labels, ties)
    aucs = class_aucs(indicators, scores)
    expected = [won_pairs(indicators[:, t], scores[:, t]) for t in range(n_labels)]
    np.testing.assert_allclose(aucs, expected, atol=1e-12)
    if np.isnan(expected).all():
        for measure in (macro_auc, mean_roc_curve):
            with pytest.raises(ValueError, match="both positive and negative labelled samples"):
                measure(indicators, scores)
    else:
        assert macro_auc(indicators, scores) == pytest.approx(np.nanmean(expected), abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(4, 40), st.integers(2, 5), st.booleans())
def test_area_under_the_mean_curve_is_the_mean_area(seed, n, n_labels, ties):
    indicators, scores = random_case(seed, n, n_labels, ties)
    indicators[0, 0], indicators[1, 0] = 0, 1
    fpr, tpr = mean_roc_curve(indicators, scores, n_points=None)
    assert area((fpr, tpr)) == pytest.approx(macro_auc(indicators, scores), abs=1e-12)
    assert (np.diff(fpr) >= 0).all()
    assert (np.diff(tpr) >= 0).all()
    assert (fpr[0], tpr[0], fpr[-1], tpr[-1]) == (0, 0, 1, 1)
    # Nothing is there twice.
    assert ((np.diff(fpr) > 0) | (np.diff(tpr) > 0)).all()
    # On evenly spaced rates: the largest value there, of each label by itself.
    grid, sampled = mean_roc_curve(indicators, scores, n_points=11)
    assert grid.tolist() == [i / 10 for i in range(11)]
    labels = [t for t in range(n_labels) if 0 < indicators[:, t].sum() < n]
    naive = [[largest_rate(indicators[:, t], scores[:, t], rate) for t in labels] for rate in grid]
    np.testing.assert_allclose(sampled, np.mean(naive, axis=1), atol=1e-12)


@pytest.mark.parametrize("ties", [False, True])
def test_agrees_with_scikit_learn(ties):
    indicators, scores = random_case(5, 3000, 12, ties, share=0.1)
    np.testing.assert_allclose(
        class_aucs(indicators, scores), roc_auc_score(indicators, scores, average=None), atol=1e-12
    )
    expected = roc_auc_score(indicators, scores, average="macro")
    assert macro_auc(indicators, scores) == pytest.approx(expected, abs=1e-12)
    assert area(mean_roc_curve(indicators, scores, None)) == pytest.approx(expected, abs=1e-12)
    assert area(mean_roc_curve(indicators, scores)) == pytest.approx(expected, abs=0.003)
    classes = np.random.default_rng(0).integers(0, 4, 3000)
    shares = np.abs(scores[:, :4]) + 0.1
    shares /= shares.sum(axis=1, keepdims=True)
    assert macro_auc(classes, shares) == pytest.approx(
        roc_auc_score(classes, shares, multi_class="ovr", average="macro"), abs=1e-12
    )
    assert macro_auc(indicators[:, 0], scores[:, 0]) == pytest.approx(
        roc_auc_score(indicators[:, 0], scores[:, 0]), abs=1e-12
    )


def test_mean_of_two_curves_by_hand():
    # Label 0: + - + - in order of scores; its curve goes up to 1/2, right to 1/2, up to 1, right to 1.
    # Label 1: all scores are equal; its curve is the diagonal.
    indicators = np.array([[1, 1], [0, 0], [1, 0], [0, 0]])
    scores = np.array([[4, 0], [3, 0], [2, 0], [1, 0]])
    fpr, tpr = mean_roc_curve(indicators, scores, None)
    assert fpr.tolist() == [0, 0, 0.5, 0.5, 1]
    assert tpr.tolist() == [0, 0.25, 0.5, 0.75, 1]
    fpr, tpr = mean_roc_curve(indicators, scores, 5)
    assert fpr.tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert tpr.tolist() == [0.25, 0.375, 0.75, 0.875, 1]
    assert class_aucs(indicators, scores).tolist() == [0.75, 0.5]


def test_rates_that_are_equal_meet_whatever_they_are_shares_of():
    # One label has three negative samples, the other six: 1/3 and 2/6 must be one rate.
    rng = np.random.default_rng(2)
    indicators = np.zeros((7, 2), dtype=int)
    indicators[:4, 0] = 1
    indicators[6, 1] = 1
    scores = rng.permutation(14).reshape(7, 2)
    fpr, _ = mean_roc_curve(indicators, scores, None)
    assert set(fpr) <= {each / 6 for each in range(7)}


def test_classes_that_all_or_none_have_are_left_out():
    indicators = np.array([[1, 0, 1], [0, 0, 1], [1, 0, 1], [0, 0, 1]])
    scores = np.array([[4.0, 1, 2], [3, 2, 1], [2, 3, 4], [1, 4, 3]])
    aucs = class_aucs(indicators, scores)
    assert aucs[0] == 0.75
    assert np.isnan(aucs).tolist() == [False, True, True]
    assert macro_auc(indicators, scores) == 0.75
    assert area(mean_roc_curve(indicators, scores, None)) == 0.75


@pytest.mark.parametrize("labels", ["classes", "sets"])
def test_unlabelled_rows_do_not_count(labels):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 50) if labels == "classes" else rng.integers(0, 2, (50, 3))
    scores = rng.random((50, 3))
    masked, poisoned = y.copy(), scores.copy()
    masked[30:] = -1
    poisoned[30:] = 1e9 * rng.normal(size=(20, 3))
    assert class_aucs(masked, poisoned).tolist() == class_aucs(y[:30], scores[:30]).tolist()
    for n_points in (None, 11):
        for ours, alone in zip(
            mean_roc_curve(masked, poisoned, n_points),
            mean_roc_curve(y[:30], scores[:30], n_points),
            strict=True,
        ):
            assert ours.tolist() == alone.tolist()


def test_columns_are_the_sorted_classes():
    y = np.array(["b", "a", "b", "c", "a", "c"])
    scores = (y[:, None] == np.array(["a", "b", "c"])).astype(float)
    assert class_aucs(y, scores).tolist() == [1, 1, 1]
    assert class_aucs(y, scores[:, ::-1]).tolist() != [1, 1, 1]
    assert class_aucs(y, scores[:, [2, 0, 1]], classes=["c", "a", "b"]).tolist() == [1, 1, 1]


def test_a_fold_may_lack_a_class():
    y, scores = np.array([0, 2, 2, 0]), np.array([[3.0, 0, 0], [1, 0, 4], [2, 0, 3], [4, 0, 3]])
    with pytest.raises(
        ValueError, match=r"one column per class of y_true \(2\), got 3; .* pass all class labels"
    ):
        macro_auc(y, scores)
    aucs = class_aucs(y, scores, classes=[0, 1, 2])
    assert aucs[[0, 2]].tolist() == [1, 0.875]
    assert np.isnan(aucs[1])
    with pytest.raises(ValueError, match=r"but lacks \[2\]"):
        class_aucs(y, scores, classes=[0, 1, 5])


@pytest.mark.parametrize("shape", [(-1,), (-1, 1)])
def test_one_score_is_that_of_the_second_class(shape):
    y = np.array([0, 1, 1, 0, -1])
    scores = np.array([0.1, 0.4, 0.9, 0.4, 7.0])
    for given_y in (y, y.reshape(-1, 1), np.array(["no", "yes", "yes", "no", -1], dtype=object)):
        assert class_aucs(given_y, scores.reshape(shape)).tolist() == [0.875]
    assert class_aucs(y, np.column_stack([-scores, scores])).tolist() == [0.875, 0.875]
    assert np.isnan(class_aucs([1, 1], [0.2, 0.3])).tolist() == [True]


def test_containers():
    indicators, scores = random_case(3, 20, 3, True)
    expected = class_aucs(indicators, scores).tolist()
    for kind in (list, pd.DataFrame, sparse.csr_matrix, sparse.csc_array):
        assert class_aucs(kind(indicators), scores).tolist() == expected
    assert class_aucs(indicators, pd.DataFrame(scores.astype(np.float32))).tolist() == expected


class Shares(ClusterMixin, BaseEstimator):
    """A clustering that predicts labels: the first features."""

    def fit(self, X, y=None):
        self.n_ = y.shape[1] if np.ndim(y) == 2 else len(np.unique(y[y != -1]))
        return self

    def predict_proba(self, X):
        return X[:, : self.n_]


def test_scores_partly_labelled_samples_in_cross_validation():
    rng = np.random.default_rng(0)
    indicators = rng.integers(0, 2, (90, 3))
    X = indicators + rng.normal(size=(90, 3))
    some = indicators.copy()
    some[rng.random(90) < 0.3] = -1
    scorer = make_scorer(macro_auc, response_method="predict_proba")
    found = cross_val_score(Shares(), X, some, scoring=scorer, cv=3, error_score="raise")
    for fold, value in enumerate(found):
        rows = np.arange(30 * fold, 30 * (fold + 1))
        rows = rows[some[rows, 0] != -1]
        assert value == pytest.approx(roc_auc_score(indicators[rows], X[rows]), abs=1e-12)
    classes = rng.integers(0, 3, 90)
    scorer = make_scorer(macro_auc, response_method="predict_proba", classes=[0, 1, 2])
    found = cross_val_score(LogisticRegression(), X, classes, scoring=scorer, cv=3, error_score="raise")
    assert ((found >= 0) & (found <= 1)).all()
    scorer = make_scorer(macro_auc, response_method="predict_proba")
    linear = OneVsRestClassifier(LogisticRegression())
    assert cross_val_score(linear, X, indicators, scoring=scorer, cv=3, error_score="raise").min() > 0.6
    two = cross_val_score(LogisticRegression(), X, indicators[:, 0], scoring=scorer, error_score="raise")
    assert two.min() > 0.5


@pytest.mark.parametrize(
    ("y_true", "y_score", "message"),
    [
        ([[0, 1], [1, 0]], [[0.1, 0.2, 0.3]] * 2, r"one column per label of y_true \(2\), got 3"),
        ([[0, 1], [1, 0]], [0.1, 0.2], r"one column per label of y_true \(2\), got 1"),
        ([0, 1, 2], [0.1, 0.2, 0.3], r"one column per class of y_true \(3\), got 1"),
        ([0, 1], [[0.1, np.nan], [0.2, 0.3]], "y_score contains NaN"),
        ([0, 1], [[0.1, np.inf], [0.2, 0.3]], "y_score contains infinity"),
        ([0, 1, 1], [0.1, 0.2], r"\(2\), got 3"),
        ([[0, 1], [1, 0]], np.zeros((2, 2, 2)), "dim 3"),
        ([[0, 2], [1, 0]], np.zeros((2, 2)), "row 0: .* got 2 in column 1"),
        ([-1, -1], [0.1, 0.2], "both positive and negative labelled samples"),
        ([-1, -1], [[0.1, 0.2]] * 2, "both positive and negative labelled samples"),
        (np.full((2, 2), -1), [[0.1, 0.2]] * 2, "both positive and negative labelled samples"),
        ([1, 1], [0.1, 0.2], "both positive and negative labelled samples"),
    ],
)
def test_refuses(y_true, y_score, message):
    for measure in (macro_auc, mean_roc_curve):
        with pytest.raises(ValueError, match=message):
            measure(y_true, y_score)


@pytest.mark.parametrize("n_points", [1, 0, 2.5, True])
def test_refuses_numbers_of_points(n_points):
    with pytest.raises((TypeError, ValueError), match="n_points must be an integer of at least 2, got"):
        mean_roc_curve([0, 1], [0.1, 0.2], n_points)
