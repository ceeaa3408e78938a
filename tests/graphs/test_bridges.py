"""Bridges between the components of a graph: a minimum spanning tree, weak, deterministic."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse import csgraph
from scipy.spatial.distance import cdist

from moo_clustering.graphs import bridge_components, bridges, knn_graph, mutual_knn_graph, neighbor_lists


def rng(seed=0) -> np.random.Generator:
    return np.random.default_rng(seed)


def n_components(S) -> int:
    return csgraph.connected_components(S, directed=False)[0]


def added(S, bridged):
    """New links (i, j), i < j."""
    difference = sp.triu(bridged - S).tocoo()
    difference.eliminate_zeros()
    return sorted(zip(*(c.tolist() for c in difference.coords), strict=True))


def spanning_length(parts, D):
    """Kruskal over all pairs of samples."""
    parts, total = parts.copy(), 0.0
    for i, j in sorted(np.argwhere(np.triu(np.ones_like(D), 1) > 0).tolist(), key=lambda p: D[p[0], p[1]]):
        if parts[i] != parts[j]:
            total += D[i, j]
            parts[parts == parts[j]] = parts[i]
    return total


def test_by_hand():
    X = np.array([[0.0], [1.0], [5.0], [6.0], [20.0]])
    S = sp.csr_array(([0.5, 0.5, 0.2, 0.2], ([0, 1, 2, 3], [1, 0, 3, 2])), shape=(5, 5))
    bridged = bridge_components(S, X, rng=rng())
    assert added(S, bridged) == [(1, 2), (3, 4)]
    assert bridged[1, 2] == bridged[2, 1] == bridged[3, 4] == pytest.approx(0.2e-3)
    assert (bridged - S).toarray()[S.toarray() > 0].max() == 0


def test_connected_graph_is_left_alone():
    S = sp.csr_array(np.ones((3, 3)) - np.eye(3))
    np.testing.assert_array_equal(bridge_components(S, np.zeros((3, 1)), rng=rng()).toarray(), S.toarray())


def test_graph_without_edges_becomes_the_minimum_spanning_tree():
    X = rng(1).normal(size=(60, 2))
    bridged = bridge_components(sp.csr_array((60, 60)), X, rng=rng())
    assert bridged.nnz == 2 * 59
    assert set(bridged.data) == {1e-3}
    tree = csgraph.minimum_spanning_tree(cdist(X, X)).toarray()
    expected = sorted(map(tuple, np.sort(np.argwhere(tree > 0), axis=1).tolist()))
    assert added(sp.csr_array((60, 60)), bridged) == expected


@pytest.mark.slow
@pytest.mark.parametrize("exact", [10_000, 0])
@pytest.mark.parametrize("with_lists", [False, True])
@pytest.mark.parametrize("data", ["blobs", "fragments", "wide"])
def test_bridges_have_minimum_total_length(monkeypatch, exact, with_lists, data):
    monkeypatch.setattr(bridges, "ALL_PAIRS_UP_TO", exact)
    generator = rng(2)
    n_blobs, n_features, spread = {"blobs": (4, 2, 40), "fragments": (30, 2, 60), "wide": (6, 15, 9)}[data]
    X = generator.normal(size=(n_blobs, n_features))[generator.integers(0, n_blobs, 360)] * spread
    X += generator.normal(size=X.shape)
    lists = neighbor_lists(X, 4, rng=generator)
    S = mutual_knn_graph(lists) if data != "blobs" else knn_graph(lists)
    count, parts = csgraph.connected_components(S)
    assert count > 3
    bridged = bridge_components(S, X, lists=lists if with_lists else None, rng=rng())
    links = np.array(added(S, bridged))
    assert len(links) == count - 1
    assert n_components(bridged) == 1
    D = cdist(X, X)
    assert D[links[:, 0], links[:, 1]].sum() == pytest.approx(spanning_length(parts, D))


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "canberra"])
def test_large_parts_are_joined_without_trees_too(monkeypatch, metric):
    monkeypatch.setattr(bridges, "ALL_PAIRS_UP_TO", 0)
    monkeypatch.setattr(bridges, "COMPARED_PAIRS", 100)
    monkeypatch.setattr(bridges, "FACING_SAMPLES", 20)
    monkeypatch.setattr(bridges.neighbors, "CHUNK", 64)
    monkeypatch.setattr("moo_clustering._arrays.BLOCK_ITEMS", 64)
    X = np.vstack([rng(s).normal(size=(100, 14)) + 30 * s for s in range(5)])
    X[:, 0] += np.repeat([0.0, 50.0, 0.0, 50.0, 0.0], 100)
    S = sp.block_diag([np.ones((100, 100)) - np.eye(100)] * 5).tocsr()
    bridged = bridge_components(S, X, metric=metric, rng=rng())
    assert n_components(bridged) == 1
    assert len(added(S, bridged)) == 4


def test_trees_find_the_closest_pair_of_large_parts(monkeypatch):
    monkeypatch.setattr(bridges, "ALL_PAIRS_UP_TO", 0)
    monkeypatch.setattr(bridges, "COMPARED_PAIRS", 100)
    generator = rng(3)
    X = np.vstack([generator.normal(size=(150, 3)), generator.normal((9, 0, 0), size=(120, 3))])
    S = sp.block_diag([np.ones((150, 150)), np.ones((120, 120))]).tocsr()
    (link,) = added(S, bridge_components(S, X, rng=rng()) + sp.diags_array(np.ones(270)))
    between = cdist(X[:150], X[150:])
    assert link == (between.min(axis=1).argmin(), 150 + between.min(axis=0).argmin())


def test_precomputed_distances_give_the_same_bridges():
    X = rng(4).normal(size=(90, 2)) * 5
    S = mutual_knn_graph(neighbor_lists(X, 2, rng=rng()))
    features = bridge_components(S, X, rng=rng())
    matrix = bridge_components(S, cdist(X, X), metric="precomputed", rng=rng())
    np.testing.assert_array_equal(features.toarray(), matrix.toarray())


@pytest.mark.parametrize("exact", [10_000, 0])
def test_ties_and_duplicates_are_settled_by_the_seed(monkeypatch, exact):
    monkeypatch.setattr(bridges, "ALL_PAIRS_UP_TO", exact)
    grid = np.stack(np.meshgrid(np.arange(5.0), np.arange(5.0)), axis=-1).reshape(-1, 2)
    X = np.vstack([grid, grid[:7]])
    empty = sp.csr_array((32, 32))
    one, again = (bridge_components(empty, X, rng=rng(1)).toarray() for _ in range(2))
    np.testing.assert_array_equal(one, again)
    assert n_components(one) == 1
    assert np.count_nonzero(one) == 2 * 31
    links = np.argwhere(np.triu(one))
    # Seven duplicates at distance 0, and the grid's 24 unit steps.
    lengths = np.linalg.norm(X[links[:, 0]] - X[links[:, 1]], axis=1)
    assert sorted(lengths.tolist()) == [0.0] * 7 + [1.0] * 24
    assert any((bridge_components(empty, X, rng=rng(s)).toarray() != one).any() for s in range(2, 6))


@pytest.mark.slow
def test_many_single_samples_around_a_large_component(monkeypatch):
    monkeypatch.setattr(bridges, "ALL_PAIRS_UP_TO", 0)
    X = np.vstack([rng(5).normal(size=(400, 2)), rng(6).normal(size=(100, 2)) * 30])
    S = sp.block_diag([np.ones((400, 400)) - np.eye(400), sp.csr_array((100, 100))]).tocsr()
    bridged = bridge_components(S, X, rng=rng())
    links = np.array(added(S, bridged))
    assert len(links) == 100
    D = cdist(X, X)
    parts = np.concatenate([np.zeros(400, int), 1 + np.arange(100)])
    assert D[links[:, 0], links[:, 1]].sum() == pytest.approx(spanning_length(parts, D))
