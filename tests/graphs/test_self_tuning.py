"""The self-tuning graph against its definition, pair by pair."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_trees import hard_points
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist

from moo_clustering.graphs import self_tuning_graph


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
    # Ten others by row number: everybody is linked with the first ten.
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
