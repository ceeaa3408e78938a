"""EnsembleNMF among scikit-learn's tools: its checks, pipelines, output containers, copies."""

import functools
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_clustering, parametrize_with_checks

from moo_clustering import EnsembleNMF, PaperTfidfTransformer

QUICK = {"n_clusters": 2, "n_runs": 3, "random_state": 0}


class SignedParts(EnsembleNMF):
    """Takes signed data as their positive and their negative parts."""

    def fit(self, X, y=None):
        X = np.asarray(X)
        return super().fit(np.hstack([np.maximum(X, 0), np.maximum(-X, 0)]))


@parametrize_with_checks(
    [
        EnsembleNMF(**QUICK),
        EnsembleNMF(**QUICK, document_weighting=None, dtype="float64", run_selection="best_half"),
        EnsembleNMF(**QUICK, input="counts", consensus="hbgf"),
    ]
)
@pytest.mark.filterwarnings("ignore:.* documents have no terms")
def test_scikit_learn_checks(estimator, check):
    if getattr(check, "func", None) is check_clustering:
        # It does not heed positive_only: its data have signs, and two columns for three clusters.
        estimator = SignedParts(**estimator.get_params())
    check(estimator)


def test_the_check_that_is_given_signed_data_is_recognised():
    checks = [
        check.func
        for _, check in parametrize_with_checks([EnsembleNMF(**QUICK)]).args[1]
        if isinstance(check, functools.partial)
    ]
    assert checks.count(check_clustering) == 2


def test_tags():
    tags = get_tags(EnsembleNMF())
    assert tags.input_tags.positive_only
    assert tags.input_tags.sparse
    assert tags.estimator_type == "clusterer"


TEXTS = [
    "goal match team goal",
    "team match player",
    "player goal team league",
    "league match goal",
    "orbit rocket moon",
    "rocket launch orbit orbit",
    "moon launch rocket",
    "moon orbit launch shuttle rocket",
]


def test_pipeline_from_texts():
    pipeline = make_pipeline(CountVectorizer(), PaperTfidfTransformer(), EnsembleNMF(**QUICK))
    labels = pipeline.fit_predict(TEXTS)
    np.testing.assert_array_equal(labels, [0, 0, 0, 0, 1, 1, 1, 1])
    new = ["a rocket to the moon", "the team won the match"]
    np.testing.assert_array_equal(pipeline.predict(new), [1, 0])
    assert pipeline.transform(new).shape == (2, 2)
    counts = pipeline[0].transform(TEXTS)
    alone = EnsembleNMF(**QUICK, input="counts")
    alone.fit(counts, feature_names=pipeline[0].get_feature_names_out())
    np.testing.assert_array_equal(alone.labels_, labels)
    assert {"goal", "team", "match"} <= set(alone.topics_[0])
    assert {"rocket", "moon", "orbit"} <= set(alone.topics_[1])
    assert all(type(term) is str for topic in alone.topics_ for term in topic)


def test_names_may_be_routed_through_a_pipeline():
    counts = CountVectorizer().fit(TEXTS)
    pipeline = make_pipeline(PaperTfidfTransformer(), EnsembleNMF(**QUICK))
    names = counts.get_feature_names_out()
    pipeline.fit(counts.transform(TEXTS), ensemblenmf__feature_names=names)
    assert "rocket" in pipeline[-1].topics_[1]


def test_set_output():
    pd = pytest.importorskip("pandas")
    X = np.kron(np.eye(3), np.ones((4, 2)))
    model = EnsembleNMF(3, n_runs=3, random_state=0).set_output(transform="pandas")
    frame = model.fit_transform(X)
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == ["ensemblenmf0", "ensemblenmf1", "ensemblenmf2"]
    np.testing.assert_array_equal(model.get_feature_names_out(), list(frame.columns))
    np.testing.assert_allclose(frame.to_numpy(), np.kron(np.eye(3), np.ones((4, 1))), atol=1e-12)


def test_names_of_a_data_frame():
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame(np.kron(np.eye(2), np.ones((4, 2))), columns=["ape", "bee", "cow", "dog"])
    model = EnsembleNMF(**QUICK).fit(X)
    assert [set(topic) for topic in model.topics_] == [{"ape", "bee"}, {"cow", "dog"}]
    np.testing.assert_array_equal(model.feature_names_in_, X.columns)
    given = EnsembleNMF(**QUICK).fit(X, feature_names=["w", "x", "y", "z"])
    assert [set(topic) for topic in given.topics_] == [{"w", "x"}, {"y", "z"}]
    with pytest.raises(ValueError, match="feature names"):
        model.predict(X[["bee", "ape", "cow", "dog"]])


def test_copies():
    X = sp.csr_array(np.kron(np.eye(2), np.ones((5, 3))))
    model = EnsembleNMF(**QUICK, consensus="hgpa", checkpoint_every=2).fit(X)
    blank = clone(model)
    assert blank.get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        blank.predict(X)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(again.association_, model.association_)
    # Neither factors nor documents are kept.
    big = sp.vstack([X] * 200, format="csr")
    bytes_per_document = (len(pickle.dumps(EnsembleNMF(**QUICK).fit(big))) - len(pickle.dumps(model))) / 1990
    assert bytes_per_document < 60


def test_other_numbers_of_terms_are_refused():
    model = EnsembleNMF(**QUICK).fit(np.kron(np.eye(2), np.ones((4, 2))))
    for method in (model.predict, model.transform):
        with pytest.raises(ValueError, match=r"5 features.* 4 features"):
            method(np.ones((2, 5)))


@pytest.mark.parametrize(
    "change",
    [
        {"n_clusters": 0},
        {"n_runs": 0},
        {"n_runs": 2.5},
        {"input": "text"},
        {"document_weighting": "tfidf"},
        {"solver": "als"},
        {"consensus": "vote"},
        {"run_selection": "best"},
        {"select": "loss"},
        {"dtype": "float16"},
        {"max_memory": 0},
        {"checkpoint_every": 0},
        {"tol": -1e-3},
        {"n_top_terms": 0},
    ],
)
def test_parameters_out_of_range(change):
    with pytest.raises(ValueError, match=rf"The '{next(iter(change))}' parameter of EnsembleNMF"):
        EnsembleNMF(**{**QUICK, **change}).fit(np.kron(np.eye(2), np.ones((4, 2))))
