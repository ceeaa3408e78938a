"""NMFClustering: clusters of documents by their topics."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, sparse
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import check_clustering, estimator_checks_generator

from moo_clustering.estimators.documents import EnsembleNMF, NMFClustering
from moo_clustering.factorization import document_weights, labels_from_factors, nmf

# NMF cannot take the negative data of this one check, which is done below on data that are not.
CHECKS = [
    pytest.param(estimator, check, id=f"{estimator.solver}-{i}-{getattr(check, 'func', check).__name__}")
    for solver in ("hals", "mu", "sklearn")
    for i, (estimator, check) in enumerate(
        estimator_checks_generator(NMFClustering(2, solver=solver, random_state=0), mark="skip")
    )
    if getattr(check, "func", check) is not check_clustering
]


@pytest.mark.parametrize(("estimator", "check"), CHECKS)
@pytest.mark.filterwarnings("ignore:.* documents have no")
def test_scikit_learn_checks(estimator, check):
    check(estimator)


class OfAnySign(NMFClustering):
    """Takes every feature twice, as its distance from the least and from the greatest value."""

    def fit(self, X, y=None):
        X = np.asarray(X)
        return super().fit(np.hstack([X - X.min(axis=0), X.max(axis=0) - X]), y)


@pytest.mark.parametrize("readonly_memmap", [False, True])
def test_scikit_learn_clustering_check(readonly_memmap):
    check_clustering("OfAnySign", OfAnySign(3, n_init=5, random_state=0), readonly_memmap)


@pytest.fixture(scope="module")
def corpus():
    """Documents of three topics, the last topic first."""
    rng = np.random.default_rng(0)
    classes = 2 - np.arange(60) % 3
    own = classes[:, None] == np.arange(90) // 30
    X = (rng.random((60, 90)) < np.where(own, 0.4, 0.02)) * rng.integers(1, 4, size=(60, 90))
    return sparse.csr_array(X.astype(float)), classes


def lengths_of(model):
    return np.linalg.norm(model.components_, axis=1)


def test_finds_topics(corpus):
    X, classes = corpus
    model = NMFClustering(3, n_init=5, random_state=0).fit(X)
    np.testing.assert_array_equal(model.labels_, 2 - classes)
    assert model.labels_.dtype == np.int32
    assert model.n_clusters_ == 3
    np.testing.assert_allclose(lengths_of(model), 1)
    np.testing.assert_array_equal(model.document_weights_.argmax(axis=1), model.labels_)
    # the terms of the topics, in the order of the clusters
    assert (model.components_.argmax(axis=1) // 30).tolist() == [2, 1, 0]
    error = ((X.toarray() - model.document_weights_ @ model.components_) ** 2).sum()
    assert model.loss_ == pytest.approx(error)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_is_the_best_of_the_runs(corpus):
    X, _ = corpus
    seeds = np.random.SeedSequence(4).spawn(7)
    for solver in ("hals", "mu", "sklearn"):
        model = NMFClustering(4, solver=solver, n_init=7, tol=1e-3, max_iter=12, random_state=4).fit(X)
        runs = nmf(X, 4, solver=solver, seeds=seeds, tol=1e-3, max_iter=12)
        np.testing.assert_allclose(model.losses_, runs.losses, rtol=1e-12)
        assert model.loss_ == model.losses_.min()
        assert model.n_iter_ == runs.n_iter[runs.best]
        labels = labels_from_factors(runs.U[runs.best], runs.V[runs.best])
        assert adjusted_rand_score(labels, model.labels_) == 1
        first = [list(model.labels_).index(c) for c in range(model.n_clusters_)]
        assert first == sorted(first)


def test_dense_sparse_frames_and_types(corpus):
    X, _ = corpus
    model = NMFClustering(3, random_state=1).fit(X)
    for other in (X.toarray(), X.tocsc(), sparse.csr_matrix(X), X.astype(np.int64)):
        np.testing.assert_allclose(clone(model).fit(other).components_, model.components_)
    frame = pd.DataFrame(X.toarray(), columns=[f"term{j}" for j in range(90)])
    assert clone(model).fit(frame).feature_names_in_[3] == "term3"
    assert model.get_feature_names_out().tolist() == [f"nmfclustering{c}" for c in range(3)]
    single = NMFClustering(3, dtype="float32", random_state=1).fit(X)
    assert single.components_.dtype == single.transform(X).dtype == np.float32
    assert single.loss_ == pytest.approx(model.loss_, rel=1e-5)
    np.testing.assert_array_equal(single.labels_, model.labels_)


def test_workers_make_no_difference(corpus):
    X, _ = corpus
    one, two = (NMFClustering(3, n_init=40, random_state=2, n_jobs=n).fit(X) for n in (1, 2))
    np.testing.assert_array_equal(one.components_, two.components_)
    np.testing.assert_array_equal(one.losses_, two.losses_)


def test_memory_is_bounded(corpus):
    X, _ = corpus
    one = NMFClustering(3, n_init=9, random_state=2).fit(X)
    # four copies of 150 rows of 3 numbers: two runs at a time
    two = NMFClustering(3, n_init=9, random_state=2, max_memory=30_000).fit(X)
    np.testing.assert_array_equal(one.losses_, two.losses_)
    np.testing.assert_array_equal(one.components_, two.components_)
    with pytest.raises(ValueError, match="max_memory leaves"):
        NMFClustering(3, max_memory=10_000).fit(X)


def test_generators_advance(corpus):
    X, _ = corpus
    rng = np.random.default_rng(0)
    model = NMFClustering(3, max_iter=2, random_state=rng)
    assert model.fit(X).loss_ != model.fit(X).loss_


def test_transform_is_least_squares(corpus):
    X, _ = corpus
    model = NMFClustering(3, max_iter=5, random_state=0).fit(X[:40])
    weights = model.transform(X[40:])
    for row, got in zip(X[40:].toarray(), weights, strict=True):
        np.testing.assert_allclose(got, optimize.nnls(model.components_.T, row)[0], atol=1e-9)
    np.testing.assert_array_equal(model.predict(X[40:]), weights.argmax(axis=1))
    np.testing.assert_array_equal(model.fit_transform(X), model.transform(X))


def test_documents_without_terms(corpus):
    X = sparse.vstack([sparse.csr_array((2, 90)), corpus[0][:31], sparse.csr_array((1, 90))]).tocsr()
    model = NMFClustering(3, n_init=5, random_state=0)
    with pytest.warns(
        UserWarning, match="3 of 34 documents have no terms and were assigned to the largest cluster"
    ) as seen:
        model.fit(X)
    assert seen[0].filename == __file__
    # 11 documents of the first topic, 10 of each other
    np.testing.assert_array_equal(model.labels_, [0, 0, *(np.arange(31) % 3), 0])
    assert not model.document_weights_[[0, 1, 33]].any()
    with pytest.warns(UserWarning, match="1 of 2 documents have no weight") as seen:
        assert model.predict(X[[33, 3]]).tolist() == [0, 1]
    assert seen[0].filename == __file__


def test_largest_cluster_need_not_be_the_first():
    X = np.array([[0, 0, 5, 5], [5, 4, 0, 0], [4, 5, 0, 0], [0, 0, 0, 0]], dtype=float)
    model = NMFClustering(2, n_init=5, random_state=0)
    with pytest.warns(UserWarning, match="1 of 4 documents"):
        assert model.fit_predict(X).tolist() == [0, 1, 1, 1]


def test_fewer_clusters_than_topics(corpus):
    # two documents at a time are the same: some topics are the largest of none
    X = np.repeat(np.array([[4.0, 1, 0, 0, 1], [0, 0, 3, 4, 1]]), 4, axis=0)
    model = NMFClustering(4, random_state=1).fit(X)
    assert model.n_clusters_ < 4
    assert model.components_.shape == (4, 5)
    assert model.document_weights_.shape == (8, 4)
    assert np.unique(model.labels_).tolist() == list(range(model.n_clusters_))
    # Equal documents share the cluster of their largest common weight; factors of single ones may differ.
    common = model.document_weights_.reshape(2, 4, 4).sum(axis=1)
    np.testing.assert_array_equal(np.repeat(common.argmax(axis=1), 4), model.labels_)
    probe = np.random.default_rng(0).random((50, 5))
    assert model.predict(probe).max() < model.n_clusters_


def test_literal_labels(corpus):
    X, _ = corpus
    model = NMFClustering(6, unit_topics=False, max_iter=3, random_state=5).fit(X)
    runs = nmf(X, 6, seeds=np.random.SeedSequence(5).spawn(1), max_iter=3)
    raw = labels_from_factors(runs.U[0], runs.V[0], unit_topics=False)
    assert adjusted_rand_score(raw, model.labels_) == 1
    assert adjusted_rand_score(labels_from_factors(runs.U[0], runs.V[0]), raw) < 1
    used = np.unique(raw)
    expected = document_weights(X, runs.U[0])[:, used].argmax(axis=1)
    assert adjusted_rand_score(model.predict(X), expected) == 1


@pytest.mark.parametrize(
    ("X", "options", "message"),
    [
        ([[1.0, -1.0], [1.0, 2.0]], {}, "Negative values in data passed to X in NMFClustering"),
        ([[1.0, np.nan], [1.0, 2.0]], {}, "NaN"),
        (
            np.ones((3, 2)),
            {"n_clusters": 3},
            "n_clusters=3 must not exceed the number of terms, n_features=2",
        ),
        (
            np.ones((2, 3)),
            {"n_clusters": 3},
            "n_clusters=3 must not exceed the number of documents, n_samples=2",
        ),
        (np.zeros((3, 4)), {}, "no document has a term"),
        (np.zeros((3, 0)), {}, "0 feature"),
        (np.ones((3, 3)), {"solver": "als"}, "'solver' parameter"),
        (np.ones((3, 3)), {"n_clusters": 0}, "'n_clusters' parameter"),
        (np.ones((3, 3)), {"dtype": "int"}, "'dtype' parameter"),
    ],
)
def test_refusals(X, options, message):
    with pytest.raises(ValueError, match=message):
        NMFClustering(**{"n_clusters": 2, **options}).fit(X)
    model = NMFClustering(2, random_state=0).fit(np.eye(3))
    with pytest.raises(ValueError, match="Negative values"):
        model.predict(-np.eye(3))


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(("size", "what"), [(1e200, "large.* overflow"), (1e-200, "small.* vanish in")])
def test_values_beyond_the_precision_are_those_of_x(form, size, what):
    X = form(np.abs(np.random.default_rng(0).normal(size=(8, 4))) * size)
    with pytest.raises(ValueError, match=f"^X has values so {what} float64; rescale it"):
        NMFClustering(2).fit(X)
    if size > 1:
        with pytest.raises(ValueError, match=r"^X has values so large"):
            EnsembleNMF(2, document_weighting=None).fit(X)


def test_pickle(corpus):
    X, _ = corpus
    model = NMFClustering(3, random_state=0).fit(X)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
