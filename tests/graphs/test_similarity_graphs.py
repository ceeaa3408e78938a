"""Conventional similarity graphs, Laplacians, and constraints written into graphs."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from moo_clustering.constraints import PairwiseConstraints, constraint_groups
from moo_clustering.graphs import (
    epsilon_graph,
    full_graph,
    gaussian_similarity,
    knn_graph,
    laplacian,
    mutual_knn_graph,
    neighbor_lists,
    resolve_sigma,
    symmetrize,
    waterfill_graph,
    waterfill_lambda,
    waterfill_weights,
    write_constraints,
)

LINE = np.array([[0.0], [1.0], [3.0], [7.0]])


def lists_of(X, width):
    return neighbor_lists(X, width, rng=np.random.default_rng(0))


def points(n_features=3):
    return np.random.default_rng(1).normal(size=(70, n_features))


def gauss(D, sigma):
    return np.exp(-(D**2) / (2 * sigma**2))


def test_symmetrize_takes_the_larger_and_empties_the_diagonal():
    S = sp.csr_array([[5.0, 2.0, 0.0], [1.0, 0.0, 0.0], [3.0, 0.0, 0.0]])
    before = S.toarray()
    out = symmetrize(S)
    assert out.toarray().tolist() == [[0, 2, 3], [2, 0, 0], [3, 0, 0]]
    assert out.nnz == 4
    np.testing.assert_array_equal(S.toarray(), before)


def test_knn_links_where_either_lists_the_other():
    X = points()
    lists, D = lists_of(X, 4), cdist(X, X)
    listed = np.zeros(D.shape, bool)
    np.put_along_axis(listed, lists.indices.astype(int), True, axis=1)
    sigma = lists.distances.mean()
    np.testing.assert_allclose(knn_graph(lists).toarray(), gauss(D, sigma) * (listed | listed.T), rtol=1e-5)
    mutual = mutual_knn_graph(lists, 0.7).toarray()
    np.testing.assert_allclose(mutual, gauss(D, 0.7) * (listed & listed.T), rtol=1e-5)


def test_mutual_graph_on_a_line():
    # Nearest: 0->1, 1->0, 2->1, 3->2; only the first pair is mutual.
    assert (mutual_knn_graph(lists_of(LINE, 1)).toarray() > 0).astype(int).tolist() == [
        [0, 1, 0, 0],
        [1, 0, 0, 0],
        [0, 0, 0, 0],
        [0, 0, 0, 0],
    ]


def test_scale_factors():
    distances = np.array([1.0, 2.0, 6.0])
    assert [resolve_sigma(distances, s) for s in ("mean", "median", 0.25)] == [3.0, 2.0, 0.25]
    for bad in ("max", -1.0, np.inf):
        with pytest.raises(ValueError, match="sigma must be"):
            resolve_sigma(distances, bad)


def test_similarity_never_vanishes_and_is_one_without_scale():
    assert (gaussian_similarity(np.array([0.0, 1e9]), 1e-3) == [1.0, 1e-300]).all()
    assert (gaussian_similarity(np.array([0.0, 3.0]), 0.0) == 1.0).all()
    # All distances zero: mean 0, every edge 1.
    assert (knn_graph(lists_of(np.zeros((5, 2)), 2)).data == 1.0).all()


@pytest.mark.parametrize("n_features", [3, 14])
@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "cosine", "canberra", "precomputed"])
def test_epsilon_graph_is_strict_and_symmetric(n_features, metric):
    X = points(n_features)
    D = cdist(X, X, "euclidean" if metric == "precomputed" else metric)
    epsilon = float(np.median(D))
    given = D if metric == "precomputed" else X
    expected = np.less(D, epsilon) & ~np.eye(len(X), dtype=bool)
    np.testing.assert_array_equal(epsilon_graph(given, epsilon, metric=metric).toarray(), expected)


@pytest.mark.parametrize("n_features", [2, 13])
def test_epsilon_excludes_pairs_at_exactly_that_distance(n_features):
    # On a grid of thirds, rounding makes some neighbours nearer than a third.
    X = np.zeros((4, n_features))
    X[:, 0] = np.arange(4) / 3
    assert (np.diff(X[:, 0]) < 1 / 3).any() or (np.diff(X[:, 0]) > 1 / 3).any()
    assert epsilon_graph(X, 1 / 3).nnz == 0
    assert epsilon_graph(X, 0.34).nnz == 6


def test_full_graph():
    X = points()
    D = cdist(X, X)
    off = ~np.eye(len(X), dtype=bool)
    np.testing.assert_allclose(full_graph(X).toarray(), gauss(D, D[off].mean()) * off, rtol=1e-10)
    np.testing.assert_allclose(full_graph(D, 2.0, metric="precomputed").toarray(), gauss(D, 2.0) * off)


def test_quadratic_graphs_refuse_what_does_not_fit():
    with pytest.raises(ValueError, match="max_memory=1000 bytes"):
        full_graph(points(), max_memory=1000)
    for n_features in (3, 14):
        with pytest.raises(ValueError, match="epsilon graph for epsilon=9"):
            epsilon_graph(points(n_features), 9, max_memory=1000)
    with pytest.raises(ValueError, match="epsilon must be positive"):
        epsilon_graph(points(), 0.0)


def test_waterfill_by_hand():
    # theta = (2 + 1 + 2) / 2 = 2.5: shares (2.5 - 1) / 2 and (2.5 - 2) / 2.
    assert waterfill_weights(np.array([[1.0, 2.0, 4.0]]), 2.0).tolist() == [[0.75, 0.25, 0.0]]
    assert waterfill_weights(np.array([[3.0, 3.0, np.inf]]), 1.0).tolist() == [[0.5, 0.5, 0.0]]
    assert waterfill_weights(np.zeros((1, 4)), 1.0).tolist() == [[0.25] * 4]


def test_waterfill_minimises_its_objective():
    generator = np.random.default_rng(3)
    d = np.sort(generator.random((20, 8)) * 3, axis=1)
    for lam in (0.05, 0.7, 20.0):
        p = waterfill_weights(d, lam)
        np.testing.assert_allclose(p.sum(axis=1), 1.0)
        assert (p >= 0).all()
        # Karush-Kuhn-Tucker: d + lam p is the same where p > 0 and nowhere smaller.
        level = d + lam * p
        theta = level[:, :1]
        np.testing.assert_allclose(np.where(p > 0, level, theta), theta * np.ones(8))
        assert (level >= theta - 1e-12).all()


def test_waterfill_graph_is_symmetric_and_its_default_is_three_mean_distances():
    X = points()
    lists = lists_of(X, 20)
    assert waterfill_lambda(lists) == pytest.approx(3 * np.sort(cdist(X, X))[:, 1:11].mean(), rel=1e-6)
    directed = np.zeros((70, 70))
    weights = waterfill_weights(lists.distances, waterfill_lambda(lists))
    np.put_along_axis(directed, lists.indices.astype(int), weights, axis=1)
    np.testing.assert_allclose(waterfill_graph(lists).toarray(), np.maximum(directed, directed.T))
    with pytest.raises(ValueError, match="lam must be a positive number"):
        waterfill_graph(lists, 0.0)
    assert waterfill_graph(lists_of(np.zeros((5, 2)), 3)).nnz > 0


def test_laplacians_and_samples_without_edges():
    S = sp.csr_array([[0.0, 4.0, 0.0], [4.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    assert laplacian(S).toarray().tolist() == [[4, -4, 0], [-4, 4, 0], [0, 0, 0]]
    assert laplacian(S, "sym").toarray().tolist() == [[1, -1, 0], [-1, 1, 0], [0, 0, 0]]
    with pytest.raises(ValueError, match="kind must be"):
        laplacian(S, "rw")


def dense_rule(S, groups):
    """The paper's rule, pair by pair."""
    out = np.maximum(S, S.T)
    np.fill_diagonal(out, 0.0)
    largest = out.max() or 1.0
    for i in range(len(S)):
        for j in range(len(S)):
            if groups.forbidden(i, j):
                out[i, j] = 0.0
            elif i != j and groups.groups[i] >= 0 and groups.groups[i] == groups.groups[j]:
                out[i, j] = largest
    return out


def test_constraints_as_a_clique_follow_the_rule_pair_by_pair():
    generator = np.random.default_rng(7)
    S = generator.random((12, 12)) * (generator.random((12, 12)) < 0.5)
    y = np.array([0, 0, 1, -1, 1, -1, 2, 0, -1, 2, -1, -1])
    pairs = PairwiseConstraints([(3, 5)], [(5, 8)], n_samples=12)
    groups = constraint_groups(12, y, pairs)
    np.testing.assert_allclose(write_constraints(S, groups).toarray(), dense_rule(S, groups))
    before = S.copy()
    write_constraints(sp.csr_array(S), groups)
    np.testing.assert_array_equal(S, before)


def test_star_links_every_member_with_the_medoid():
    X = np.array([[0.0], [10.0], [4.0], [5.0], [6.0]])
    S = sp.csr_array((5, 5))
    groups = constraint_groups(5, [0, 0, 0, 0, -1])
    star = write_constraints(S, groups, must_link="star", X=X).toarray()
    # Sums of distances to the others: 19, 21, 11, 11 -> the first of the two best, sample 2.
    assert np.argwhere(star > 0).tolist() == [[0, 2], [1, 2], [2, 0], [2, 1], [2, 3], [3, 2]]
    assert set(star[star > 0]) == {1.0}


def test_star_without_features_is_a_ring():
    groups = constraint_groups(6, [0, 0, 0, 1, 1, -1])
    S = np.zeros((6, 6))
    S[0, 5] = 0.3
    ring = write_constraints(S, groups, must_link="star").toarray()
    linked = {(i, j): v for (i, j), v in np.ndenumerate(ring) if v and i < j}
    assert linked == {(0, 1): 0.3, (1, 2): 0.3, (0, 2): 0.3, (3, 4): 0.3, (0, 5): 0.3}


def test_large_groups_are_linear_in_a_star():
    n = 5000
    X = np.random.default_rng(0).normal(size=(n, 2))
    groups = constraint_groups(n, np.zeros(n, dtype=int))
    assert write_constraints(sp.csr_array((n, n)), groups, must_link="star", X=X).nnz == 2 * (n - 1)


def test_constraints_refuse_nonsense():
    groups = constraint_groups(3, [0, 0, 1])
    with pytest.raises(ValueError, match="must_link must be"):
        write_constraints(np.zeros((3, 3)), groups, must_link="ring")
    with pytest.raises(ValueError, match="groups are about 3 samples"):
        write_constraints(np.zeros((4, 4)), groups)
