"""The subspace clusterers among scikit-learn's tools: its checks, pipelines, searches, copies."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from planted_subspaces import label_sets, planted
from sklearn.base import ClassifierMixin, ClusterMixin, clone, is_classifier, is_clusterer
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import make_scorer, roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_classifiers_classes, parametrize_with_checks

from moo_clustering.estimators.subspace import SCAD2, SISC, EntropyWeightedKMeans, FuzzySubspaceEstimator
from moo_clustering.validity import macro_auc

ALL = [SISC, SCAD2, EntropyWeightedKMeans]

MINUS_ONE = {
    "check_classifiers_classes": "ends with the classes -1 and 1, and -1 is no class but says unlabelled; "
    "scikit-learn leaves that out for its own semi-supervised classifiers, as is done below"
}
NOT_RANKED = {
    "check_decision_proba_consistency": "sums as printed grow with nearness and are no function of "
    "probabilities"
}


class SISCClusterer(ClusterMixin, SISC):
    """SISC as a clusterer, which it is without labels."""

    def fit(self, X, y=None):
        return super().fit(X)

    def fit_predict(self, X, y=None):
        return super().fit_predict(X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.estimator_type = "clusterer"
        tags.classifier_tags = None
        return tags

    predict_proba = decision_function = score = property()


@parametrize_with_checks(
    [
        SISC(6, random_state=0),
        SISC(6, aggregation="membership", random_state=0),
        SISC(6, aggregation="sum", init="dirichlet", random_state=0),
        SISCClusterer(3, n_init=3, random_state=0),
        SISCClusterer(3, init="kmeans", random_state=0),
        SCAD2(3, n_init=3, random_state=0),
        EntropyWeightedKMeans(3, dispersion="mean", n_init=3, random_state=0),
    ],
    expected_failed_checks=lambda estimator: (
        {}
        if isinstance(estimator, ClusterMixin)
        else MINUS_ONE | (NOT_RANKED if estimator.aggregation == "sum" else {})
    ),
)
@pytest.mark.filterwarnings("ignore:X contains counts")
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_classes_without_minus_one():
    """The name is one of those for which the check takes other classes than -1."""
    check_classifiers_classes("SelfTrainingClassifier", SISC(6, random_state=0))


def test_tags():
    for make in ALL:
        tags = get_tags(make(2))
        assert tags.input_tags.sparse
        assert not tags.target_tags.required
        assert is_classifier(make(2)) == (make is SISC)
        assert is_clusterer(make(2)) == (make is not SISC)
    assert get_tags(SISC()).classifier_tags.multi_label
    assert issubclass(SISC, ClassifierMixin)
    assert issubclass(SCAD2, FuzzySubspaceEstimator)


@pytest.fixture(scope="module")
def data():
    X, clusters = planted()
    return X, clusters, label_sets(clusters)


def test_search_over_classes(data):
    X, clusters, _ = data
    names = np.array(["a", "b", "c"])[clusters]
    search = GridSearchCV(
        SISC(random_state=0), {"n_clusters": [3, 6], "fuzziness": [1.4, 1.5]}, scoring="accuracy", cv=3
    ).fit(X, names)
    assert search.best_score_ > 0.9
    assert (search.predict(X) == names).mean() > 0.9
    two = np.where(clusters == 2, "b", names)
    for scoring in ("roc_auc", "neg_log_loss", "average_precision"):
        assert np.isfinite(
            cross_val_score(SISC(6, random_state=0), X, two == "b", scoring=scoring, cv=3)
        ).all()
    assert cross_val_score(SISC(6, random_state=0), X, names, scoring="roc_auc_ovr", cv=3).min() > 0.9


def test_search_over_label_sets(data):
    X, _, Y = data
    macro = make_scorer(macro_auc, response_method="predict_proba")
    for scoring in ("roc_auc", macro):
        search = GridSearchCV(SISC(6, random_state=0), {"chi_weight": [0.0, 0.5]}, scoring=scoring, cv=3).fit(
            X, Y
        )
        assert search.best_score_ > 0.6
    one = SISC(6, random_state=0).fit(X[:80], Y[:80])
    assert macro(one, X[80:], Y[80:]) == pytest.approx(
        roc_auc_score(Y[80:], one.predict_proba(X[80:]), average="macro")
    )
    literal = clone(one).set_params(aggregation="sum", n_neighbors=5).fit(X[:80], Y[:80])
    scorer = sklearn.metrics.get_scorer("roc_auc")
    assert scorer(literal, X[80:], Y[80:]) == pytest.approx(
        roc_auc_score(Y[80:], literal.decision_function(X[80:]))
    )
    assert cross_val_score(SISC(6, random_state=0), X, Y[:, :2], scoring="roc_auc", cv=3).min() > 0.6


def test_unlabelled_documents_in_a_search(data):
    X, clusters, Y = data
    y = np.where(np.arange(120) % 3, clusters, -1)
    scores = cross_val_score(SISC(6, random_state=0), X, y, cv=4)
    assert scores.min() > 0.8
    partial = Y.copy()
    partial[::3] = -1
    assert cross_val_score(SISC(6, random_state=0), X, partial, cv=4).min() > 0.1


def test_predictions_across_folds(data):
    X, clusters, Y = data
    model = SISC(6, random_state=0)
    assert (cross_val_predict(model, X, clusters, cv=3) == clusters).mean() > 0.9
    scores = cross_val_predict(model, X, Y, cv=3, method="predict_proba")
    assert scores.shape == Y.shape
    assert roc_auc_score(Y[:, :3], scores[:, :3]) > 0.8
    classes = cross_val_predict(model, X, clusters, cv=3, method="predict_proba")
    assert (classes.argmax(axis=1) == clusters).mean() > 0.9


TEXTS = [
    "engine fire smoke",
    "engine smoke landing",
    "fire in the engine engine",
    "smoke engine fire",
    "runway incursion tower",
    "tower cleared runway",
    "runway runway tower incursion",
    "incursion on the runway",
]


def test_pipeline_from_texts():
    Y = np.repeat([[1, 0], [0, 1]], 4, axis=0)
    Y[[1, 2, 6, 7]] = -1
    pipeline = make_pipeline(CountVectorizer(binary=True), SISC(2, random_state=0)).fit(TEXTS, Y)
    new = ["a fire", "the tower"]
    assert_array_equal(pipeline.predict(new), [[1, 0], [0, 1]])
    assert_array_equal(pipeline.predict(new, n_labels=2), 1)
    assert pipeline.transform(new).shape == (2, 2)
    names = pipeline[0].get_feature_names_out()
    first, second = pipeline[-1].leading_features(2, names)
    assert set(first) <= {"engine", "fire", "smoke"}
    assert set(second) <= {"runway", "tower", "incursion"}


def test_numbers_of_labels_are_routed(data):
    X, _, Y = data
    with sklearn.config_context(enable_metadata_routing=True):
        model = SISC(6, random_state=0).set_predict_request(n_labels=True)
        pipeline = make_pipeline("passthrough", model).fit(X, Y)
        counts = np.arange(120) % 3
        assert_array_equal(pipeline.predict(X, n_labels=counts).sum(axis=1), counts)


@pytest.mark.parametrize("make", ALL)
def test_frames(data, make):
    X, clusters, Y = data
    frame = pd.DataFrame(X.toarray(), columns=[f"word{j}" for j in range(50)], index=np.arange(120) + 7)
    model = make(3, random_state=0).fit(frame, pd.DataFrame(Y, index=frame.index))
    assert model.feature_names_in_[3] == "word3"
    assert all(name.startswith("word") for row in model.leading_features() for name in row)
    name = make.__name__.lower()
    assert model.get_feature_names_out().tolist() == [f"{name}{c}" for c in range(3)]
    plain = make(3, random_state=0).fit(X.toarray(), Y)
    expected = plain.transform(X)
    distances = model.set_output(transform="pandas").transform(frame)
    assert isinstance(distances, pd.DataFrame)
    assert list(distances.columns) == [f"{name}{c}" for c in range(3)]
    assert_array_equal(distances.index, frame.index)
    assert_allclose(distances, expected, atol=1e-9)
    # Predictions do not pass through frames.
    assert_array_equal(model.predict(frame), plain.predict(X))
    assert_array_equal(model.predict_cluster(frame), plain.labels_)
    series = pd.Series(np.array(["a", "b", "c"])[clusters], index=frame.index)
    assert set(make(3, random_state=0).fit(frame, series).predict(frame)) <= {"a", "b", "c"}
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[frame.columns[::-1]])


@pytest.mark.parametrize("make", ALL)
def test_copies(data, make):
    X, _, Y = data
    model = make(4, random_state=0, n_init=2).fit(X, Y)
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert_array_equal(again.feature_weights_, model.feature_weights_)
    assert again.leading_features() == model.leading_features()
    blank = clone(model)
    assert blank.get_params() == model.get_params()
    assert not hasattr(blank, "feature_weights_")
    for method in ("predict", "predict_proba", "decision_function", "predict_cluster", "transform"):
        with pytest.raises(NotFittedError):
            getattr(blank, method)(X)
    with pytest.raises(NotFittedError):
        blank.leading_features()


@pytest.mark.parametrize("make", ALL)
def test_a_second_fit_leaves_nothing_of_the_first(data, make):
    X, _, Y = data
    model = make(4, random_state=0).fit(X, Y).fit(X[:, :20])
    assert_array_equal(model.predict(X[:, :20]), make(4, random_state=0).fit_predict(X[:, :20]))
    assert not model.multilabel_
    with pytest.raises(ValueError, match="features"):
        model.predict(X)
