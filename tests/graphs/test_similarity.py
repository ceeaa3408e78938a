"""Similarity graphs: k nearest neighbours, epsilon, full, water-filling, self-tuning, and constraints."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_trees import hard_points
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse.csgraph import connected_components
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
    self_tuning_graph,
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
    assert [resolve_sigma(distances, s) for s in ("mean", "median", 0.25, 0)] == [3.0, 2.0, 0.25, 0.0]
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


@pytest.mark.parametrize("graph", [knn_graph, mutual_knn_graph])
def test_graphs_of_neighbours_refuse_tables(graph):
    with pytest.raises(TypeError, match="lists must be the result of neighbor_lists, got array"):
        graph(points())


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
    with pytest.raises(ValueError, match="lam must be a positive finite number"):
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
    star = write_constraints(S, groups, must_link_edges="star", X=X).toarray()
    # Sums of distances to the others: 19, 21, 11, 11 -> the first of the two best, sample 2.
    assert np.argwhere(star > 0).tolist() == [[0, 2], [1, 2], [2, 0], [2, 1], [2, 3], [3, 2]]
    assert set(star[star > 0]) == {1.0}


def test_star_without_features_is_a_ring():
    groups = constraint_groups(6, [0, 0, 0, 1, 1, -1])
    S = np.zeros((6, 6))
    S[0, 5] = 0.3
    ring = write_constraints(S, groups, must_link_edges="star").toarray()
    linked = {(i, j): v for (i, j), v in np.ndenumerate(ring) if v and i < j}
    assert linked == {(0, 1): 0.3, (1, 2): 0.3, (0, 2): 0.3, (3, 4): 0.3, (0, 5): 0.3}


def test_large_groups_are_linear_in_a_star():
    n = 5000
    X = np.random.default_rng(0).normal(size=(n, 2))
    groups = constraint_groups(n, np.zeros(n, dtype=int))
    assert write_constraints(sp.csr_array((n, n)), groups, must_link_edges="star", X=X).nnz == 2 * (n - 1)


@pytest.mark.parametrize(("n", "n_links"), [(1414, 1414 * 1413 // 2), (1415, 1415)])
def test_more_than_a_million_must_links_are_no_clique(n, n_links):
    groups = constraint_groups(n, np.zeros(n, dtype=int))
    assert write_constraints(sp.csr_array((n, n)), groups, must_link_edges="auto").nnz == 2 * n_links


def test_constraints_refuse_nonsense():
    groups = constraint_groups(3, [0, 0, 1])
    with pytest.raises(ValueError, match="must_link_edges must be"):
        write_constraints(np.zeros((3, 3)), groups, must_link_edges="ring")
    with pytest.raises(ValueError, match="groups and graph must have the same number of samples, got 3"):
        write_constraints(np.zeros((4, 4)), groups)


def naive_graph(D, n_neighbors=10, scale_neighbor=7):
    n = len(D)
    k = min(n_neighbors, n - 1)
    near = [
        sorted((j for j in range(n) if j != i), key=lambda j: (round(float(D[i, j]), 9), j))[:k]
        for i in range(n)
    ]
    listed = np.array([[D[i, j] for j in near[i]] for i in range(n)])
    positive = listed[listed > 0]
    W = np.zeros((n, n))
    for i in range(n):
        for j in near[i]:
            if not len(positive):
                W[i, j] = 1.0
                continue
            a, b = (max(listed[h][min(scale_neighbor, k) - 1], 1e-3 * np.median(positive)) for h in (i, j))
            W[i, j] = max(1e-6, np.exp(-(D[i, j] ** 2) / (a * b)))
    S = np.maximum(W, W.T)
    weight = max(1e-3 * S[S > 0].min(), 1e-4)
    group = list(connected_components(S)[1])
    # Kruskal's algorithm on the links between components.
    every = [(round(float(D[i, j]), 9), i, j) for i in range(n) for j in range(i + 1, n)]
    for _, i, j in sorted(every):
        if group[i] != group[j]:
            group = [group[i] if g == group[j] else g for g in group]
            S[i, j] = S[j, i] = weight
    return S


def test_three_on_a_line_by_hand():
    S = self_tuning_graph([[0.0], [1.0], [3.0]]).toarray()
    # Two neighbours each, scales 3, 2, 3.
    a, b, c = np.exp(-1 / 6), np.exp(-9 / 9), np.exp(-4 / 6)
    assert_allclose(S, [[0, a, b], [a, 0, c], [b, c, 0]], rtol=1e-14)
    S = self_tuning_graph([[0.0], [1.0], [3.0]], n_neighbors=1).toarray()
    # Scales 1, 1, 2; sample 2 lists sample 1, but not the other way round.
    assert_allclose(S, [[0, np.exp(-1), 0], [np.exp(-1), 0, np.exp(-2)], [0, np.exp(-2), 0]], rtol=1e-14)


def test_bridge_by_hand():
    X = [[0.0], [1.0], [10.0], [11.0], [100.0], [102.0]]
    S = self_tuning_graph(X, n_neighbors=1).toarray()
    e, weak = np.exp(-1), 1e-3 * np.exp(-1)
    expected = np.zeros((6, 6))
    for i, j, w in [(0, 1, e), (2, 3, e), (4, 5, e), (1, 2, weak), (3, 4, weak)]:
        expected[i, j] = expected[j, i] = w
    assert_allclose(S, expected, rtol=1e-14)


def test_bridges_are_not_weaker_than_the_least():
    # Samples 0-2 have the least scale, 1e-3, so that their similarity to sample 3 is cut off at 1e-6.
    X = np.concatenate([np.zeros((3, 1)), [[1.0]], np.full((3, 1), 1e4), [[1e4 + 1]]])
    S = self_tuning_graph(X, n_neighbors=2, scale_neighbor=2)
    assert S.data.min() == 1e-6
    assert S[3, 4] == S[4, 3] == 1e-4
    assert_allclose(S.toarray(), naive_graph(cdist(X, X), 2, 2), rtol=1e-12)


@pytest.mark.parametrize("seed", range(30))
def test_naive_twin(seed):
    rng = np.random.default_rng(seed)
    X = hard_points(rng)
    if len(X) < 2:
        X = np.concatenate([X, X + 1])
    options = {} if seed % 2 else {"n_neighbors": 3, "scale_neighbor": int(rng.integers(1, 6))}
    S = self_tuning_graph(X, **options)
    D = cdist(X, X)
    assert_allclose(S.toarray(), naive_graph(D, **options), rtol=1e-9)
    by_matrix = self_tuning_graph(D, metric="precomputed", **options)
    assert_allclose(by_matrix.toarray(), S.toarray(), rtol=1e-9)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(1, 12))
def test_always_symmetric_and_connected(seed, n_neighbors, scale_neighbor):
    X = hard_points(np.random.default_rng(seed))
    S = self_tuning_graph(X, n_neighbors=n_neighbors, scale_neighbor=scale_neighbor)
    assert (S != S.T).nnz == 0
    assert connected_components(S, directed=False)[0] == 1
    assert_array_equal(S.diagonal(), 0.0)
    assert S.has_sorted_indices
    assert S.nnz == 0 or (S.data.min() >= 1e-6 and S.data.max() <= 1.0)


def test_duplicates_only():
    S = self_tuning_graph(np.full((25, 3), 2.0))
    assert_array_equal(S.data, 1.0)
    assert connected_components(S)[0] == 1
    # Ten others by row index: everybody is linked with the first ten.
    assert_array_equal(S[[24]].indices, np.arange(10))


def test_clumps_of_duplicates():
    X = np.repeat([[0.0, 0.0], [1.0, 0.0], [5.0, 0.0]], 12, axis=0)
    S = self_tuning_graph(X)
    assert connected_components(S)[0] == 1
    assert sorted(np.unique(S.data)) == [1e-3, 1.0]


def test_one_and_two_samples():
    assert self_tuning_graph([[1.0, 2.0]]).shape == (1, 1)
    assert self_tuning_graph([[1.0, 2.0]]).nnz == 0
    assert_allclose(self_tuning_graph([[1.0], [3.0]]).toarray(), np.exp(-1) * (1 - np.eye(2)))


def test_distances_in_double_precision():
    # With the nearest neighbour as the scale exponents are large, and single precision would show.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    S = self_tuning_graph(X, n_neighbors=39, scale_neighbor=1)
    assert_allclose(S.toarray(), naive_graph(cdist(X, X), 39, 1), rtol=1e-11)


@pytest.mark.parametrize("n_features", [2, 15])
def test_large_graphs_are_bridged_too(n_features):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2200, n_features))
    X[:700] += 100
    X[700:1400] -= 200
    S = self_tuning_graph(X)
    D = cdist(X, X)
    parts = np.repeat([0, 1, 2], [700, 700, 800])
    across = S.tocoo()
    i, j = across.coords
    bridge = parts[i] != parts[j]
    expected = set()
    for a, b in [(0, 2), (1, 2)]:
        block = D[np.ix_(parts == a, parts == b)]
        p, q = np.unravel_index(block.argmin(), block.shape)
        expected.add((int(np.flatnonzero(parts == a)[p]), int(np.flatnonzero(parts == b)[q])))
    assert {(int(min(x, y)), int(max(x, y))) for x, y in zip(i[bridge], j[bridge], strict=True)} == expected
    weight = max(1e-3 * across.data[~bridge].min(), 1e-4)
    assert_array_equal(across.data[bridge], weight)


@pytest.mark.parametrize("n_features", [3, 20])
def test_threads_and_repeats(n_features):
    X = np.random.default_rng(1).integers(0, 5, (400, n_features)).astype(float)
    once, again = self_tuning_graph(X, n_jobs=1), self_tuning_graph(X, n_jobs=2)
    assert_array_equal(once.indices, again.indices)
    assert_array_equal(once.data, again.data)


@pytest.mark.parametrize(
    ("X", "options", "message"),
    [
        ([[0.0], [1.0]], {"n_neighbors": 0}, "n_neighbors"),
        ([[0.0], [1.0]], {"scale_neighbor": 0}, "scale_neighbor"),
        ([[0.0], [1.0]], {"metric": "cosine"}, "metric"),
        ([[0.0, -1.0], [-1.0, 0.0]], {"metric": "precomputed"}, "negative"),
        ([[0.0], [np.inf]], {}, "infinity"),
    ],
)
def test_bad_input(X, options, message):
    with pytest.raises(ValueError, match=message):
        self_tuning_graph(X, **options)
