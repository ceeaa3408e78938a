"""Sparse text, further views, given distances."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from pareto_cases import CLASSES, QUICK, X, ari, partly, true_pairs
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import FunctionTransformer

from moo_clustering import ParetoClustering

TOPICS = np.arange(120) % 3
D = cdist(X, X)


@pytest.fixture(scope="module")
def text():
    rng = np.random.default_rng(0)
    words = [[f"w{topic}x{i}" for i in range(40)] for topic in range(3)]
    stray = [w for topic in words for w in topic]
    return TfidfVectorizer().fit_transform(
        " ".join([*rng.choice(words[topic], 12), *rng.choice(stray, 4)]) for topic in TOPICS
    )


def test_text(text):
    model = ParetoClustering(n_components=10, **QUICK).fit(text)
    assert ari(model.labels_, TOPICS) > 0.95
    assert_array_equal(model.predict(text), model.labels_)
    y = partly(TOPICS, 3)
    model.relabel(y)
    assert (model.transduction_ == TOPICS).mean() > 0.95


def test_all_kinds_of_sparse(text):
    first = ParetoClustering(n_components=10, **QUICK).fit(text)
    for other in (sp.csr_array(text), sp.csc_matrix(text), sp.coo_array(text), text.astype(np.float32)):
        model = ParetoClustering(n_components=10, **QUICK).fit(other)
        assert ari(model.labels_, first.labels_) == 1


def test_few_features_are_as_if_dense():
    sparse = ParetoClustering(**QUICK).fit(sp.csr_matrix(X))
    dense = ParetoClustering(**QUICK).fit(X)
    assert_array_equal(sparse.labels_, dense.labels_)
    assert sparse.scores_.equals(dense.scores_)


@pytest.mark.filterwarnings("error")
def test_empty_rows_and_nothing_at_all(text):
    some = sp.vstack([text[:-5], sp.csr_matrix((5, text.shape[1]))]).tocsr()
    model = ParetoClustering(4, n_components=10, **QUICK).fit(some)
    assert ari(model.labels_[:-5], TOPICS[:-5]) > 0.8
    assert len(set(model.labels_[-5:])) == 1
    assert ParetoClustering(n_components=10, random_state=0).fit(sp.csr_matrix((30, 80))).n_clusters_ == 1


def test_views():
    noise = np.random.default_rng(0).normal(size=(len(X), 2))
    wide = np.column_stack([noise * 50, X])
    views = {"last": [2, 3], "first": slice(2), "mask": [False, False, True, True], "main": PCA(1)}
    model = ParetoClustering(views=views, **QUICK).fit(wide)
    alone = ParetoClustering(**QUICK).fit(wide)
    n = alone.pool_.n_partitions
    assert_array_equal(model.pool_.labels[:n], alone.pool_.labels)
    assert set(model.pool_.families[n:]) == {f"{f}@{v}" for f in QUICK["families"] for v in views}
    rows = np.array(model.pool_.families)
    assert max(ari(r, CLASSES) for r in model.pool_.labels[rows == "ward@last"]) > 0.9
    assert max(ari(r, CLASSES) for r in model.pool_.labels[rows == "ward@first"]) < 0.2
    # The neighbour graph stays that of all columns.
    assert (model.graph_ != alone.graph_).nnz == 0
    assert not hasattr(views["main"], "components_")
    assert_array_equal(ParetoClustering(views=views, **QUICK).fit(wide).pool_.labels, model.pool_.labels)


@pytest.mark.parametrize(
    ("view", "message"),
    [
        (
            [2],
            r"views\['v'\] must be an object .* list of column indices from 0 to 1; got \[2\]",
        ),
        ([], "list of column indices"),
        (["a"], "list of column indices"),
        ("pca", "list of column indices"),
        (0, "list of column indices"),
        ([True], "list of column indices"),
        (
            FunctionTransformer(lambda X: X[1:]),
            r"views\['v'\] must return one row per sample \(90\), got.*\(89, 2\)",
        ),
        (FunctionTransformer(lambda X: X * np.nan), "missing or infinite"),
    ],
)
def test_views_that_are_none(view, message):
    with pytest.raises(ValueError, match=message):
        ParetoClustering(views={"v": view}, **QUICK).fit(X)


def test_given_distances():
    model = ParetoClustering(metric="precomputed", random_state=0).fit(D)
    assert set(model.pool_.family_names) == {
        "km",
        "ward",
        "spec",
        "genie",
        "genie_mr",
        "hdbscan",
        "graph_agg",
    }
    assert ari(model.labels_, CLASSES) > 0.9


def test_given_distances_are_those_of_the_features():
    # Families that look at distances only, on features as they are.
    options = {"families": ("spec", "genie", "genie_mr", "hdbscan"), "random_state": 0}
    features = ParetoClustering(scale="none", **options).fit(X)
    given = ParetoClustering(metric="precomputed", **options).fit(D)
    assert_allclose(given.graph_.toarray(), features.graph_.toarray(), atol=1e-9)
    assert given.pool_.families == features.pool_.families
    for one, other in zip(given.pool_.labels, features.pool_.labels, strict=True):
        assert ari(one, other) == 1
    assert ari(given.labels_, features.labels_) == 1
    must, cannot = true_pairs(CLASSES, 30)
    for known in ({"must_link": must, "cannot_link": cannot}, {"y": partly(CLASSES, 1)}):
        assert ari(given.relabel(**known).labels_, features.relabel(**known).labels_) == 1


@pytest.mark.parametrize(
    "metric",
    [
        pytest.param("euclidean", marks=pytest.mark.slow),
        "cityblock",
        pytest.param("sqeuclidean", marks=pytest.mark.slow),
    ],
)
def test_criterion_of_distances_depends_on_their_dimensions(metric):
    rng = np.random.default_rng(4)
    along = np.tile(np.linspace(0, 20, 90), 2)
    flat = np.column_stack([along, np.repeat([0, 2], 90)]) + rng.normal(scale=0.1, size=(180, 2))
    deep = rng.normal(size=(180, 12))
    deep[:90, 0] += 5
    families = ("spec", "genie", "genie_mr", "ward")
    for points, expected in ((flat, "minimax"), (deep, "mixture")):
        given = squareform(pdist(points, metric))
        model = ParetoClustering(metric="precomputed", families=families, k_range=(2, 3, 4), random_state=0)
        model.fit(given)
        assert {"minimax": "minimax_silhouette"}.get(expected, expected) in model.scores_
        assert "modularity" not in model.scores_
        assert ari(model.labels_, np.arange(180) // 90) > 0.95
        named = clone(model).set_params(criterion=expected).fit(given)
        assert_array_equal(named.labels_, model.labels_)
        # The order of magnitude of distances does not matter.
        assert_array_equal(clone(model).fit(1000 * given).labels_, model.labels_)


@pytest.mark.parametrize("criterion", ["auto", "minimax", "mixture", "directions", "modularity"])
def test_equal_distances_have_a_criterion(criterion):
    for distances in (np.zeros((8, 8)), 1 - np.eye(8)):
        model = ParetoClustering(metric="precomputed", criterion=criterion, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert len(model.fit(distances).labels_) == 8


@pytest.mark.parametrize(
    ("distances", "options", "message"),
    [
        (D[:, :30], {}, r"must be a square matrix .* got shape \(90, 30\)"),
        (-D, {}, "must be non-negative, got -"),
        (D + np.triu(D), {}, "must be symmetric, but differ by up to"),
        (D + np.eye(90), {}, "must have a zero diagonal"),
        (sp.csr_matrix(D), {}, "dense square matrix"),
        (D, {"views": {"v": [0]}}, "views require a table"),
        (D, {"families": ["km", "gmm"]}, "'gmm' requires features"),
    ],
)
def test_distances_that_are_none(distances, options, message):
    with pytest.raises(ValueError, match=message):
        ParetoClustering(metric="precomputed", **{**QUICK, **options}).fit(distances)


def test_samples_at_distance_zero():
    rows = np.repeat([0.0, 1.0, 5.0], 8)
    apart = np.abs(rows[:, None] - rows)
    model = ParetoClustering(3, metric="precomputed", random_state=0).fit(apart)
    assert_array_equal(model.labels_, np.repeat([0, 1, 2], 8))
    for k in (4, 24):
        with pytest.warns(UserWarning, match="only 3 of n_clusters=.* fewer distinct rows"):
            assert_array_equal(model.set_params(n_clusters=k).fit(apart).labels_, np.repeat([0, 1, 2], 8))
    assert ParetoClustering(metric="precomputed").fit(np.zeros((9, 9))).n_clusters_ == 1
