"""SISCStacked: how the weight is chosen, and what it does."""

import warnings
from typing import ClassVar

import numpy as np
import pytest
from planted_subspaces import label_sets, planted
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold, ShuffleSplit
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from moo_clustering._targets import partial_targets
from moo_clustering.estimators.sisc_variants import SISCEnsemble, SISCStacked, labelled_splits
from moo_clustering.estimators.subspace import SISC


@pytest.fixture(scope="module")
def data():
    X, clusters = planted(160)
    Y = label_sets(clusters)
    partly = Y.copy()
    partly[1::2] = -1
    return X, Y, partly, clusters


class Scores(ClassifierMixin, BaseEstimator):
    """Probabilities that the first columns hold, or such that have nothing to do with the labels."""

    fits: ClassVar[list] = []

    def __init__(self, informative=True):
        self.informative = informative

    def fit(self, X, y):
        Scores.fits.append((X, y))
        self.n_classes_ = y.shape[1]
        return self

    def predict_proba(self, X):
        first = X.toarray()[:, : self.n_classes_] if self.informative else np.sin(1e4 * X[:, [-1]].toarray())
        noise = np.cos(1e5 * (X[:, [-1]].toarray() + 1) * np.arange(1, self.n_classes_ + 1))
        return 1 / (1 + np.exp(-(first * self.informative + noise * (0.2 if self.informative else 1.0))))


def marked(data):
    """Labels in the first columns, a number of its own in the last one of every document."""
    X, Y, partly, _ = data
    own = np.linspace(0, 1, len(Y))[:, None]
    return sparse.csr_array(np.hstack([Y, X.toarray(), own])), partly


def test_noise_gets_no_weight_and_the_informative_all(data):
    X, partly = marked(data)
    good, noise = Scores(True), Scores(False)
    none = SISCStacked(noise, good, random_state=0).fit(X, partly)
    assert none.weight_ == 0
    assert none.sisc_ is None
    assert none.scales_[0] is None
    np.testing.assert_allclose(none.predict_proba(X), none.linear_.predict_proba(X))
    full = SISCStacked(good, noise, random_state=0).fit(X, partly)
    assert full.weight_ >= 0.8
    assert full.cv_scores_[full.weight_] > full.cv_scores_[0.0] + 0.3
    whole = SISCStacked(good, noise, weights=[1], random_state=0).fit(X, partly)
    assert whole.linear_ is None
    np.testing.assert_allclose(whole.predict_proba(X), whole.sisc_.predict_proba(X))
    assert whole.cv_scores_ == {}
    assert list(none.cv_scores_) == sorted(none.cv_scores_) == [i / 10 for i in range(11)]


def test_what_the_models_are_fitted_to(data):
    X, partly = marked(data)
    Scores.fits.clear()
    SISCStacked(Scores(True), Scores(False), cv=4, weights=(0, 0.5), random_state=0).fit(X, partly)
    shapes = [(fitted.shape[0], int((y[:, 0] == -1).sum())) for fitted, y in Scores.fits]
    # SISC gets 80 unlabelled documents and three folds of 80 labelled ones, the linear model the latter
    assert shapes[:8] == [(140, 80), (60, 0)] * 4
    tested = [
        set(np.linspace(0, 1, 160)) - set(fitted[:, [-1]].toarray().ravel())
        for fitted, _ in Scores.fits[:8:2]
    ]
    assert sorted(value for fold in tested for value in fold) == sorted(np.linspace(0, 1, 160)[::2])
    for fitted, y in Scores.fits[8:]:
        assert (fitted.shape[0], len(y)) in [(160, 160), (80, 80)]


def by_hand(X, Y, partly, splits, weights, new):
    """Scores of the folds and probabilities of new documents, with scikit-learn's tools and loops."""

    def fitted(rows):
        p = []
        known = [i for i in rows if partly[i, 0] != -1]
        sisc = SISC(6, random_state=0).fit(X[rows], partly[rows])
        linear = make_pipeline(
            TfidfTransformer(), OneVsRestClassifier(LogisticRegression(C=1.0, max_iter=1000))
        ).fit(X[known], Y[known])
        for model in (sisc, linear):
            seen = model.predict_proba(X[rows])
            seen = np.log(seen / (1 - seen))
            p.append((model, seen.mean(axis=0), seen.std(axis=0)))
        return p

    def mixed(models, rows, weight):
        total, mean, spread = 0, 0, 0
        for w, (model, m, s) in zip((weight, 1 - weight), models, strict=True):
            p = model.predict_proba(rows)
            total = total + w * (np.log(p / (1 - p)) - m) / s
            mean, spread = mean + w * m, spread + w * s
        return total * spread + mean

    labelled = [i for i in range(len(partly)) if partly[i, 0] != -1]
    scores = {weight: [] for weight in weights}
    for _, test in splits:
        out = [labelled[j] for j in test]
        models = fitted([i for i in range(len(partly)) if i not in out])
        for weight in weights:
            scores[weight].append(roc_auc_score(Y[out], mixed(models, X[out], weight), average="macro"))
    scores = {weight: np.mean(values) for weight, values in scores.items()}
    best = max(weights, key=scores.get)
    return scores, best, 1 / (1 + np.exp(-mixed(fitted(list(range(len(partly)))), new, best)))


def test_cross_validation_by_hand(data):
    X, Y, partly, _ = data
    splits = list(KFold(4).split(np.zeros(70)))
    weights = (0.0, 0.3, 0.8)
    scores, best, expected = by_hand(X[:140], Y[:140], partly[:140], splits, weights, X[140:])
    assert 0 < best < 1
    model = SISCStacked(SISC(6, random_state=0), cv=splits, weights=weights[::-1], random_state=0)
    model.fit(X[:140], partly[:140])
    assert model.cv_scores_ == pytest.approx(scores, abs=1e-9)
    assert model.weight_ == best
    np.testing.assert_allclose(model.predict_proba(X[140:]), expected, rtol=1e-6)
    np.testing.assert_array_equal(model.predict(X[140:]), expected >= 0.5)
    np.testing.assert_array_equal(model.predict(X[140:], n_labels=1).argmax(axis=1), expected.argmax(axis=1))


def test_folds_of_labelled_documents():
    def folds(y, cv):
        targets = partial_targets(np.asarray(y), len(y))
        splits = labelled_splits(cv, np.zeros((len(y), 1)), targets, np.random.SeedSequence(0))
        for train, test in splits:
            assert sorted([*train, *test]) == list(range(len(targets.rows)))
        return [targets.indicators[targets.rows[test]].sum(axis=0).tolist() for _, test in splits]

    y = np.array([0, 1, -1, 1]).repeat(5)
    assert folds(y, 5) == [[1, 2]] * 5
    assert folds(y, None) == [[1, 2]] * 5
    assert sorted(folds([0, 1, 2, -1], 3)) == [[0, 0, 1], [0, 1, 0], [1, 0, 0]]
    assert len(folds([[1, 0], [0, 1], [-1, -1], [1, 1]], 5)) == 3
    assert folds([[1, 0], [-1, -1]], 5) == []
    assert len(folds(y, ShuffleSplit(4, test_size=3, random_state=0))) == 4


def test_few_labels_give_sisc_weight(data):
    X, Y, partly, _ = data
    partly = Y.copy()
    partly[16:120] = -1
    model = SISCStacked(SISC(6), random_state=0).fit(X[:120], partly[:120])
    assert model.weight_ > 0
    auc = [
        roc_auc_score(Y[120:], scores)
        for scores in (
            model.predict_proba(X[120:]),
            SISCStacked(SISC(6), weights=[0]).fit(X[:120], partly[:120]).predict_proba(X[120:]),
        )
    ]
    assert auc[0] > auc[1]


def test_documents_are_predicted_one_by_one(data):
    X, _, partly, _ = data
    model = SISCStacked(SISC(6), weights=[0.4], random_state=0).fit(X, partly)
    one_by_one = np.vstack([model.predict_proba(X[[i]]) for i in range(10)])
    np.testing.assert_allclose(one_by_one, model.predict_proba(X)[:10], rtol=1e-9)


def test_seeds(data):
    X, _, partly, _ = data
    fit = lambda **options: SISCStacked(SISC(5, max_iter=4), cv=2, **options).fit(X, partly)  # noqa: E731
    one, two = fit(random_state=3), fit(random_state=3)
    assert one.cv_scores_ == two.cv_scores_
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    assert fit(random_state=4).cv_scores_ != one.cv_scores_
    assert SISCStacked(SISC(5, random_state=9), weights=[1]).fit(X, partly).sisc_.random_state == 9


def test_of_equal_weights_the_least(data):
    clusters = data[3]
    wide = planted(160, present=0.95, absent=0.0)[0]
    model = SISCStacked(SISC(6), cv=3, random_state=0).fit(wide, clusters)
    assert model.cv_scores_[0.0] == model.cv_scores_[0.5] == 1
    assert model.weight_ == 0


def test_one_class_a_document(data):
    X, _, _, clusters = data
    y = np.array(["c", "a", "b"], dtype=object)[clusters]
    y[30:] = -1
    model = SISCStacked(SISC(6), cv=3, weights=(0.5, 0.6), random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.classes_, ["a", "b", "c"])
    assert (model.predict(X) == np.array(["c", "a", "b"], dtype=object)[clusters]).mean() > 0.9
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


@pytest.mark.filterwarnings("error")
def test_classes_and_labels_that_folds_lack(data):
    X, Y, _, clusters = data
    y = clusters.copy()
    y[40:] = -1
    y[0] = 7  # a single one: the fold that predicts it has not learnt it
    model = SISCStacked(SISC(5), cv=4, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.classes_, [0, 1, 2, 7])
    assert model.predict_proba(X).shape == (160, 4)
    assert np.isfinite(list(model.cv_scores_.values())).all()
    rare = Y.copy()
    rare[:, 3] = 0
    rare[5, 3] = 1
    model = SISCStacked(SISC(5), cv=4, random_state=0).fit(X, rare)
    assert np.isfinite(model.predict_proba(X)).all()


def test_label_of_no_document(data):
    X, Y, _, _ = data
    Y = Y.copy()
    Y[:, 1] = 0
    for weights in ([0], [0.5], [1]):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # SISC says it
            model = SISCStacked(SISC(5), weights=weights, random_state=0).fit(X, Y)
        found = model.predict_proba(X)
        assert (found[:, 1] < 1e-6).all()


def test_too_few_labels_to_compare(data):
    X, Y, _, _ = data
    lonely = np.full_like(Y, -1)
    lonely[0] = [1, 0, 0, 0]
    for y in (lonely, np.vstack([[[1, 0, 0, 0]] * 4, lonely[4:]])):
        with pytest.warns(UserWarning, match="too few labelled samples to compare weights"):
            model = SISCStacked(SISC(4), weights=(0, 0.4, 1), random_state=0).fit(X, y)
        assert model.weight_ == 0.4
        assert model.cv_scores_ == {}
        assert (model.predict_proba(X)[:, 0] > 0.9).all()


@pytest.mark.filterwarnings("error")
def test_one_class_in_all(data):
    X = data[0]
    model = SISCStacked(random_state=0).fit(X, np.where(np.arange(160) < 10, 5, -1))
    assert isinstance(model.linear_, DummyClassifier)
    assert model.weight_ == 0
    np.testing.assert_array_equal(model.predict(X), 5)


def test_other_models(data):
    X, Y, partly, clusters = data
    ensemble = SISCEnsemble(SISC(max_iter=3), n_clusters=(4, 5), n_estimators=2)
    svm = OneVsRestClassifier(LinearSVC(dual=False))
    model = SISCStacked(ensemble, svm, cv=2, weights=(0.5, 0.6), random_state=0).fit(X, partly)
    assert model.sisc_.random_state is not None
    assert roc_auc_score(Y, model.predict_proba(X)) > 0.8
    pure = SISCStacked(ensemble, svm, weights=[0]).fit(X, partly)
    np.testing.assert_allclose(
        np.log(1 / pure.predict_proba(X) - 1), -pure.linear_.decision_function(X), atol=1e-9
    )
    two = np.minimum(clusters, 1)
    pure = SISCStacked(ensemble, LinearSVC(dual=False), weights=[0]).fit(X, two)
    np.testing.assert_array_equal(pure.predict(X), LinearSVC(dual=False).fit(X, two).predict(X))
    with pytest.raises(ValueError, match="wrap the classifier in OneVsRestClassifier"):
        SISCStacked(SISC(4), RandomForestClassifier(3), weights=[0]).fit(X, Y)


def test_own_score(data):
    X, _, partly, _ = data
    seen = []

    def score(y_true, y_score):
        seen.append((y_true.shape, y_score.shape, set(np.unique(y_true))))
        return -np.abs(y_score).mean()

    model = SISCStacked(SISC(4), cv=2, weights=(0, 0.5), scoring=score, random_state=0).fit(X, partly)
    assert seen == [((40, 4), (40, 4), {0, 1})] * 4
    assert model.weight_ == max(model.cv_scores_, key=model.cv_scores_.get)


def test_default_has_no_more_clusters_than_documents(data):
    X, Y, _, _ = data
    assert SISCStacked(weights=[1], random_state=0).fit(X[:40], Y[:40]).sisc_.n_clusters == 40
    with pytest.raises(ValueError, match="n_clusters=41 of sisc must not exceed n_samples=40"):
        SISCStacked(SISC(41)).fit(X[:40], Y[:40])
    # folds have fewer documents than clusters
    model = SISCStacked(SISC(40, max_iter=2), cv=2, weights=(0, 1), random_state=0).fit(X[:40], Y[:40])
    assert len(model.cv_scores_) == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weights": []}, "weights must be a sequence"),
        ({"weights": [0.5, 1.5]}, "weights must be from 0 to 1"),
        ({"weights": [np.nan]}, "weights must be from 0 to 1"),
        ({"weights": ["a"]}, "weights must be a sequence"),
        ({"weights": 0.5}, "'weights' parameter of SISCStacked"),
        ({"cv": 1}, "'cv' parameter of SISCStacked"),
        ({"scoring": "accuracy"}, "'scoring' parameter of SISCStacked"),
        ({"threshold": 2}, "'threshold' parameter of SISCStacked"),
        ({"estimator": 1}, "'estimator' parameter of SISCStacked"),
    ],
)
def test_parameters_out_of_range(data, change, message):
    with pytest.raises(ValueError, match=message):
        SISCStacked(**change).fit(data[0], data[1])
