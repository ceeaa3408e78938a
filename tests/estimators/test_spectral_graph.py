"""Spectral clustering of conventional graphs as an estimator, and the scaling of features."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.utils.estimator_checks import parametrize_with_checks

from moo_clustering import SpectralGraphClustering
from moo_clustering.constraints import InconsistentConstraintsError
from moo_clustering.estimators._base import feature_scaling

GRAPHS = ("knn", "mutual_knn", "epsilon", "full", "waterfill")


@parametrize_with_checks(
    [
        SpectralGraphClustering(n_clusters=3, random_state=0),
        SpectralGraphClustering(n_clusters=2, graph="full", sigma="eigengap", random_state=0),
        SpectralGraphClustering(n_clusters=3, graph="waterfill", laplacian="rw", random_state=0),
    ],
)
@pytest.mark.filterwarnings("ignore:only .* distinct rows")
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def accuracy(y, labels):
    """Best one-to-one assignment of clusters to classes."""
    counts = np.zeros((y.max() + 1, labels.max() + 1))
    np.add.at(counts, (y, labels), 1)
    rows, columns = linear_sum_assignment(-counts)
    return counts[rows, columns].sum() / len(y)


def blobs(n_each=40, seed=0):
    generator = np.random.default_rng(seed)
    X = np.vstack([generator.normal(size=(n_each, 2)) + c for c in ([0, 0], [12, 0], [0, 12])])
    y = np.repeat(np.arange(3), n_each)
    order = generator.permutation(len(y))
    return X[order], y[order]


@pytest.mark.parametrize("laplacian", ["sym", "unnormalized"])
@pytest.mark.parametrize(("graph", "floor"), [("knn", 0.93), ("waterfill", 0.94)])
def test_wine_in_shuffled_rows(laplacian, graph, floor):
    X, y = load_wine(return_X_y=True)
    found = []
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(y))
        model = SpectralGraphClustering(3, graph=graph, laplacian=laplacian, random_state=seed)
        found.append(accuracy(y[order], model.fit_predict(X[order])))
    assert np.mean(found) >= floor


@pytest.mark.parametrize("laplacian", ["sym", "unnormalized"])
@pytest.mark.parametrize("graph", GRAPHS)
def test_every_graph_finds_clear_clusters(graph, laplacian):
    X, y = blobs()
    options = {"epsilon": 0.2, "sigma": 0.1} if graph in ("epsilon", "full") else {"n_neighbors": 15}
    model = SpectralGraphClustering(3, graph=graph, laplacian=laplacian, random_state=0, **options).fit(X)
    assert accuracy(y, model.labels_) == 1.0
    assert model.labels_.dtype == np.int32
    # Numbered by first appearance.
    assert (np.diff(np.unique(model.labels_, return_index=True)[1]) > 0).all()
    assert model.n_clusters_ == 3
    assert model.embedding_.shape == (120, 3)
    assert model.eigenvalues_.shape == (4,)
    assert abs(model.similarity_ - model.similarity_.T).max() == 0
    assert (model.sigma_ is None) == (graph in ("epsilon", "waterfill"))


def test_defaults_follow_the_number_of_samples():
    # floor(ln 120) + 1 = 5 neighbours.
    X, _ = blobs()
    model = SpectralGraphClustering(3, random_state=0).fit(X)
    explicit = SpectralGraphClustering(3, n_neighbors=5, random_state=0).fit(X)
    assert abs(model.similarity_ - explicit.similarity_).max() == 0
    scaled = feature_scaling(X, "minmax")(X)
    assert model.sigma_ == pytest.approx(np.sort(cdist(scaled, scaled))[:, 1:6].mean(), rel=1e-6)


@pytest.mark.parametrize("graph", GRAPHS)
def test_precomputed_distances_give_the_same_labels(graph):
    X, _ = blobs()
    options = {"graph": graph, "epsilon": 2.5, "random_state": 3}
    features = SpectralGraphClustering(3, scale="none", **options).fit(X)
    matrix = SpectralGraphClustering(3, metric="precomputed", **options).fit(cdist(X, X))
    np.testing.assert_array_equal(features.labels_, matrix.labels_)
    assert abs(features.similarity_ - matrix.similarity_).max() < 1e-6


def test_waterfill_widens_its_lists_until_few_rows_are_cut():
    # On a line the weight reaches far: distances grow slowly with rank.
    X = np.sort(np.random.default_rng(0).random(400))[:, None]
    model = SpectralGraphClustering(2, graph="waterfill", lam=2.0, scale="none", random_state=0).fit(X)
    assert np.diff(model.similarity_.indptr).max() > 64
    narrow = SpectralGraphClustering(
        2, graph="waterfill", lam=2.0, n_neighbors=3, scale="none", random_state=0
    )
    assert np.diff(narrow.fit(X).similarity_.indptr).max() <= 8


def test_eigengap_takes_the_scale_with_the_widest_gap():
    X, y = blobs()
    model = SpectralGraphClustering(3, graph="full", sigma="eigengap", random_state=0).fit(X)
    assert accuracy(y, model.labels_) == 1.0
    gaps = {}
    for sigma in (0.001, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 15):
        values = SpectralGraphClustering(3, graph="full", sigma=sigma, random_state=0).fit(X).eigenvalues_
        gaps[sigma] = values[3] - values[2]
    assert model.sigma_ == max(gaps, key=gaps.get)


@pytest.mark.parametrize("must_link", ["star", "clique"])
def test_partial_labels_are_written_into_the_graph(must_link):
    X, y = blobs()
    partial = np.full(120, -1)
    known = np.concatenate([np.flatnonzero(y == c)[:6] for c in range(3)])
    partial[known] = y[known]
    model = SpectralGraphClustering(3, must_link_edges=must_link, random_state=0).fit(X, partial)
    S = model.similarity_.toarray()
    together = y[known][:, None] == y[known]
    assert (S[np.ix_(known, known)][~together] <= 1e-3 * S[S > 0].max()).all()
    if must_link == "clique":
        np.fill_diagonal(together, False)
        assert (S[np.ix_(known, known)][together] == S.max()).all()
    assert accuracy(y, model.labels_) == 1.0


def test_labels_decide_where_the_data_cannot():
    # One blob, cut by labels that say left and right.
    X = np.random.default_rng(1).normal(size=(150, 2))
    side = (X[:, 0] > 0).astype(int)
    partial = np.where(np.abs(X[:, 0]) > 0.5, side, -1)
    unsupervised = SpectralGraphClustering(2, random_state=0).fit_predict(X)
    supervised = SpectralGraphClustering(2, random_state=0).fit(X, partial).labels_
    assert accuracy(side, supervised) > 0.9 > accuracy(side, unsupervised)


def test_pairs_are_written_into_the_graph():
    X, _ = blobs()
    near = np.argsort(cdist(X, X)[0])[1]
    model = SpectralGraphClustering(3, random_state=0).fit(X, must_link=[(1, 2)], cannot_link=[(0, near)])
    plain = SpectralGraphClustering(3, random_state=0).fit(X)
    assert model.similarity_[1, 2] == model.similarity_.max()
    assert plain.similarity_[0, near] > 0
    assert model.similarity_[0, near] == 0


def test_contradictions_are_refused():
    X, y = blobs()
    with pytest.raises(InconsistentConstraintsError):
        SpectralGraphClustering(3).fit(X, must_link=[(0, 1)], cannot_link=[(1, 0)])
    other = int(np.flatnonzero(y != y[0])[0])
    with pytest.raises(InconsistentConstraintsError):
        SpectralGraphClustering(3).fit(X, y, must_link=[(0, other)])


def test_supervised_precomputed():
    X, y = blobs()
    partial = np.where(np.arange(120) < 20, y, -1)
    model = SpectralGraphClustering(3, metric="precomputed", random_state=0).fit(cdist(X, X), partial)
    assert accuracy(y, model.labels_) == 1.0


def test_to_networkx():
    X, _ = blobs(5)
    model = SpectralGraphClustering(3, random_state=0).fit(X)
    graph = model.to_networkx()
    assert graph.number_of_nodes() == 15
    assert graph.number_of_edges() == model.similarity_.nnz // 2
    assert [graph.nodes[i]["cluster"] for i in range(15)] == model.labels_.tolist()
    i, j = next(iter(graph.edges))
    assert graph.edges[i, j]["weight"] == model.similarity_[i, j]


@pytest.mark.parametrize("graph", GRAPHS)
def test_fewer_distinct_rows_than_clusters(graph):
    X = np.repeat([[0.0, 0.0], [1.0, 2.0]], 6, axis=0)
    with pytest.warns(UserWarning, match="only 2 of n_clusters=3 clusters .* fewer distinct rows"):
        model = SpectralGraphClustering(3, graph=graph, random_state=0).fit(X)
    assert model.labels_.tolist() == [0] * 6 + [1] * 6
    assert model.n_clusters_ == 2


def test_constant_data_in_one_cluster():
    assert SpectralGraphClustering(1, random_state=0).fit_predict(np.ones((9, 3))).tolist() == [0] * 9


def test_same_seed_same_result_on_any_number_of_threads():
    X = np.random.default_rng(2).integers(0, 4, size=(300, 3)).astype(float)
    models = [SpectralGraphClustering(4, n_jobs=n, random_state=5).fit(X) for n in (1, 2, 1)]
    for other in models[1:]:
        np.testing.assert_array_equal(models[0].labels_, other.labels_)
        assert abs(models[0].similarity_ - other.similarity_).max() == 0


def test_data_and_parameters_stay_as_given():
    X, _ = blobs()
    before = X.copy()
    model = SpectralGraphClustering(3, sigma=0.3, lam=2.0, random_state=1)
    parameters = clone(model).get_params()
    model.fit(X)
    np.testing.assert_array_equal(X, before)
    assert model.get_params() == parameters


def test_float32_is_clustered_as_float32():
    X, y = blobs()
    model = SpectralGraphClustering(3, random_state=0).fit(X.astype(np.float32))
    assert accuracy(y, model.labels_) == 1.0


def test_disconnected_without_bridges():
    X, y = blobs()
    model = SpectralGraphClustering(3, graph="epsilon", epsilon=0.3, bridge=False, random_state=0)
    assert accuracy(y, model.fit(X).labels_) == 1.0
    assert model.n_components_ == 3
    with pytest.warns(UserWarning, match="more than n_clusters=2"):
        model.set_params(n_clusters=2).fit(X)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_clusters": 121}, "n_clusters=121 must not exceed the number of samples, 120"),
        ({"graph": "gabriel"}, "'graph' parameter"),
        ({"sigma": "max"}, "'sigma' parameter"),
        ({"epsilon": 0.0}, "'epsilon' parameter"),
        ({"must_link_edges": "ring"}, "'must_link_edges' parameter"),
        ({"graph": "full", "max_memory": 1000}, "max_memory=1000 bytes"),
    ],
)
def test_bad_parameters(options, message):
    model = SpectralGraphClustering(**{"n_clusters": 3, **options})
    with pytest.raises(ValueError, match=message):
        model.fit(blobs()[0])


def test_verbose_shows_progress(capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SpectralGraphClustering(3, sigma="eigengap", verbose=True, random_state=0).fit(blobs()[0])
    assert "SpectralGraphClustering" in capsys.readouterr().err


def test_scaling_by_hand():
    X = np.array([[1.0, 5.0, 10.0], [3.0, 5.0, 20.0], [5.0, 5.0, 40.0]])
    assert feature_scaling(X, "none")(X) is X
    np.testing.assert_allclose(feature_scaling(X, "minmax")(X), [[0, 0], [0.5, 1 / 3], [1, 1]])
    z = feature_scaling(X, "standard")(X)
    assert z.shape == (3, 2)
    np.testing.assert_allclose(z.mean(axis=0), 0, atol=1e-15)
    np.testing.assert_allclose(z.std(axis=0), 1)
    np.testing.assert_allclose(z[:, 0], [-np.sqrt(1.5), 0, np.sqrt(1.5)])


@pytest.mark.parametrize("scale", ["minmax", "standard"])
def test_scaling_keeps_float32_and_survives_constants_and_extremes(scale):
    def scaled(X):
        return feature_scaling(X, scale)(X)

    assert scaled(np.ones((4, 2), dtype=np.float32)).tolist() == [[0.0]] * 4
    narrow = scaled(np.array([[1.0], [2.0], [4.0]], dtype=np.float32))
    assert narrow.dtype == np.float32
    for size in (1e-300, 1e300, 1.7e308):
        assert np.isfinite(scaled(np.array([[-size], [0.0], [size]]))).all()
    with pytest.raises(ValueError, match="scale must be"):
        feature_scaling(np.ones((2, 1)), "robust")
