"""Modularity of a similarity graph, against the double sum."""

from __future__ import annotations

import copy

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array, csr_array, csr_matrix

from moo_clustering import _arrays as arrays_module
from moo_clustering.validity import GraphModularity, graph_modularity

PARTITIONS = np.array([[int(c) for c in row] for row in ("000111", "001111", "001122", "010101")])
PATH = np.diag(np.ones(5), 1) + np.diag(np.ones(5), -1)


def naive(labels, S):
    W, volumes = S.sum(), S.sum(axis=1)
    same = labels[:, None] == labels
    return ((S - np.outer(volumes, volumes) / W) * same).sum() / W


def random_graph(rng, n, loops=False):
    S = rng.random((n, n)) * (rng.random((n, n)) < 0.3)
    S = np.maximum(S, S.T)
    if not loops:
        np.fill_diagonal(S, 0.0)
    return S


def random_partitions(rng, q, n):
    rows = [rng.integers(0, rng.integers(1, n + 1), n) for _ in range(q)]
    return np.array([np.unique(row, return_inverse=True)[1] for row in rows])


def test_worked_example():
    np.testing.assert_allclose(graph_modularity(PARTITIONS, PATH), [0.30, 0.22, 0.26, -0.50], atol=1e-12)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), loops=st.booleans())
def test_equals_the_double_sum(seed, loops):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 20))
    S = random_graph(rng, n, loops)
    S[0, 1] = S[1, 0] = 0.7
    labels = random_partitions(rng, 6, n)
    expected = [naive(row, S) for row in labels]
    np.testing.assert_allclose(graph_modularity(labels, S), expected, atol=1e-12)
    for sparse in (csr_array(S), csr_matrix(S), coo_array(S)):
        np.testing.assert_allclose(graph_modularity(labels, sparse), expected, atol=1e-12)


def test_equals_networkx(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    S, labels = random_graph(rng, 30), random_partitions(rng, 3, 30)
    graph = nx.from_numpy_array(S)
    expected = [
        nx.community.modularity(graph, [set(np.flatnonzero(row == c)) for c in range(row.max() + 1)])
        for row in labels
    ]
    np.testing.assert_allclose(graph_modularity(labels, S), expected, atol=1e-12)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_names_of_clusters_and_order_of_samples_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    S, labels = random_graph(rng, 15), random_partitions(rng, 4, 15)
    expected = graph_modularity(labels, S)
    renamed = np.array([rng.permutation(row.max() + 1)[row] for row in labels])
    np.testing.assert_allclose(graph_modularity(renamed, S), expected, atol=1e-12)
    order = rng.permutation(15)
    np.testing.assert_allclose(
        graph_modularity(labels[:, order], S[np.ix_(order, order)]), expected, atol=1e-12
    )


def test_population_equals_one_by_one_in_any_blocks(monkeypatch, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    S, labels = random_graph(rng, 40), random_partitions(rng, 15, 40)
    index = GraphModularity().fit(S)
    together = index.evaluate(labels)
    np.testing.assert_allclose(np.concatenate([index.evaluate(row) for row in labels]), together, atol=1e-12)
    monkeypatch.setattr(arrays_module, "BLOCK_ITEMS", 100)
    np.testing.assert_allclose(index.evaluate(labels), together, atol=1e-12)
    assert index.evaluate(labels[:0]).shape == (0,)


def test_more_clusters_than_a_byte_counts():
    n = 700
    S = np.diag(np.ones(n - 1), 1)
    S += S.T
    labels = np.array([np.arange(n), np.arange(n) // 2, np.zeros(n, dtype=int)])
    expected = [naive(row, S) for row in labels]
    np.testing.assert_allclose(graph_modularity(labels, csr_array(S)), expected, atol=1e-12)


def test_one_cluster_and_no_edge():
    assert graph_modularity([0] * 6, PATH)[0] == pytest.approx(0.0, abs=1e-15)
    np.testing.assert_array_equal(graph_modularity(PARTITIONS, np.zeros((6, 6))), np.zeros(4))


def test_duplicate_cells_add_up_and_the_graph_is_left_alone():
    rows, columns = np.array([0, 1, 0, 1, 2, 3]), np.array([1, 0, 1, 0, 3, 2])
    S = csr_array((np.ones(6), columns, np.array([0, 2, 4, 5, 6])), shape=(4, 4))
    parts = coo_array((np.ones(6), (rows, columns)), shape=(4, 4)).toarray()
    assert S.nnz == 6
    found = graph_modularity([0, 0, 1, 1], S)
    assert found[0] == pytest.approx(naive(np.array([0, 0, 1, 1]), parts))
    assert S.nnz == 6


def test_halves_that_differ_by_rounding_are_averaged():
    S = PATH.copy()
    S[0, 1] += 1e-12
    np.testing.assert_allclose(graph_modularity(PARTITIONS, S), [0.30, 0.22, 0.26, -0.50], atol=1e-11)


def test_copies_share_the_graph():
    index = GraphModularity().fit(PATH)
    twin = copy.deepcopy(index)
    assert twin is not index
    assert twin._edges is index._edges


@pytest.mark.parametrize(
    ("S", "message"),
    [
        (np.zeros((4, 2)), r"S must be a square matrix of similarities.*got shape \(4, 2\)"),
        (-PATH, "S must be non-negative, got -1"),
        (np.triu(PATH), "S must be symmetric, but differs from S.T by 1"),
        (np.full((2, 2), np.nan), "NaN"),
    ],
)
def test_bad_graphs_are_refused(S, message):
    with pytest.raises(ValueError, match=message):
        GraphModularity().fit(S)


def test_wrong_partitions_are_refused():
    index = GraphModularity().fit(PATH)
    with pytest.raises(ValueError, match=r"one entry per fitted sample \(6\), got"):
        index.evaluate([0, 1])
    with pytest.raises(ValueError, match="no sample in cluster 1"):
        index.evaluate([0, 0, 2, 2, 0, 0])
