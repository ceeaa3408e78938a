"""The multi-label classifiers among scikit-learn's tools: its checks, pipelines, searches, copies."""

import pickle

import numpy as np
import pytest
from planted_subspaces import in_two_parts, label_sets, planted
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from sklearn.svm import LinearSVC
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from moo_clustering.estimators.multi_label import MetaLabeler, PrunedSetsEnsemble
from moo_clustering.estimators.sisc_variants import SISCEnsemble, SISCStacked
from moo_clustering.estimators.subspace import SISC
from moo_clustering.validity import macro_auc

QUICK = [
    MetaLabeler(random_state=0),
    PrunedSetsEnsemble(n_estimators=3, random_state=0),
    SISCEnsemble(n_clusters=(4, 6), n_estimators=2, random_state=0),
    SISCStacked(SISC(6), cv=2, weights=(0, 0.5), random_state=0),
]

ZEROS = "check_classifiers_multilabel_output_format_predict_proba"


def expected_failures(estimator):
    failures = {"check_classifiers_classes": "classes -1 and 1: -1 marks unlabelled samples"}
    if isinstance(estimator, PrunedSetsEnsemble):
        failures[ZEROS] = "wants scores above 0; a label may have no vote"
    if isinstance(estimator, MetaLabeler) and estimator.cut:
        failures[ZEROS] = "wants scores above 0; those of labels that are not kept are 0"
    return failures


# The first of each class is in the default tier.
SMALLEST = [
    SISCEnsemble(SISC(max_iter=2), n_clusters=(3,), n_estimators=2, random_state=0),
    SISCStacked(SISC(3, max_iter=2), weights=(0.5,), random_state=0),
]


@parametrize_with_checks(
    [*SMALLEST, *QUICK, MetaLabeler(cut=False)], expected_failed_checks=expected_failures
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def data():
    X, clusters = planted(90)
    Y = label_sets(clusters)
    Y[::3] = -1
    return X, Y


def by_class(model):
    return type(model).__name__


@pytest.mark.parametrize("model", QUICK, ids=by_class)
def test_tags(model):
    tags = get_tags(model)
    assert tags.estimator_type == "classifier"
    assert tags.classifier_tags.multi_label
    assert tags.input_tags.sparse
    assert tags.target_tags.required


@pytest.mark.parametrize("model", QUICK, ids=by_class)
def test_pipelines_and_copies(model, data):
    X, Y = data
    pipeline = make_pipeline(MaxAbsScaler(), clone(model)).fit(X, Y)
    direct = clone(model).fit(X, Y)
    np.testing.assert_allclose(pipeline.predict_proba(X), direct.predict_proba(X))
    again = pickle.loads(pickle.dumps(direct))
    np.testing.assert_array_equal(again.predict_proba(X), direct.predict_proba(X))
    blank = clone(direct)
    with pytest.raises(NotFittedError):
        blank.predict(X)
    known = Y[:, 0] != -1
    right = (direct.predict(X[known]) == Y[known]).all(axis=1).mean()
    assert direct.score(X, Y) == right
    with pytest.raises(ValueError, match="features"):
        direct.predict_proba(X[:, :5])


@pytest.mark.parametrize(
    ("model", "grid"),
    [
        (QUICK[0], {"estimator": [LinearSVC(C=0.01), LinearSVC()]}),
        (QUICK[1], {"min_count": [1, 3]}),
        (QUICK[2], {"n_clusters": [(3,), (5, 6)], "sisc": [SISC(max_iter=2)], "sisc__chi_weight": [0.5]}),
        (QUICK[3], {"sisc__n_clusters": [4, 5]}),
    ],
    ids=by_class,
)
def test_grid_search_over_partly_labelled_samples(model, grid, data):
    X, Y = data
    scorer = make_scorer(macro_auc, response_method="predict_proba")
    search = GridSearchCV(model, grid, scoring=scorer, cv=2, error_score="raise").fit(X, Y)
    assert (search.cv_results_["mean_test_score"] > 0.6).all()
    assert search.predict(X).shape == Y.shape


@pytest.mark.parametrize("model", QUICK, ids=by_class)
def test_names_of_a_data_frame(model, data):
    pd = pytest.importorskip("pandas")
    X, Y = data
    frame = pd.DataFrame(X.toarray()).add_prefix("word")
    labels = pd.DataFrame(Y)
    fitted = clone(model).fit(frame, labels)
    assert fitted.feature_names_in_[1] == "word1"
    assert fitted.predict(frame).shape == Y.shape
    assert 0 <= fitted.score(frame, labels) <= 1


@pytest.mark.parametrize("estimator", QUICK, ids=lambda each: type(each).__name__)
def test_cells_in_parts(estimator):
    X, clusters = planted()
    Y = label_sets(clusters)
    expected = clone(estimator).fit(X, Y).predict_proba(X)
    parts = in_two_parts(X)
    np.testing.assert_allclose(clone(estimator).fit(parts, Y).predict_proba(parts), expected)


@pytest.mark.parametrize("estimator", QUICK, ids=lambda each: type(each).__name__)
def test_values_of_which_no_model_is_found(estimator):
    X, clusters = planted()
    with pytest.raises(ValueError, match=r"to 1e\+50, got 1e\+100"):
        clone(estimator).fit(X * 1e100, label_sets(clusters))


@pytest.mark.parametrize("estimator", QUICK, ids=lambda each: type(each).__name__)
def test_score_of_an_array_of_objects(estimator):
    X, clusters = planted()
    y = np.where(np.arange(len(clusters)) % 3 == 0, -1, clusters % 2)
    model = clone(estimator).fit(X, y)
    assert model.score(X, y.astype(object)) == model.score(X, y)
