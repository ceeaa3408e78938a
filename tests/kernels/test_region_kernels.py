"""Compiled loops over regions against NetworkX and plain NumPy."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moo_clustering.encodings.regions import kernels as regions

FEW = settings(max_examples=30, deadline=None)


def graph_of(seed):
    """A connected graph of a few areas, as NetworkX graph and arrays."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 26))
    G = nx.random_labeled_tree(n, seed=int(seed % 2**31))
    for _ in range(n):
        a, b = rng.choice(n, size=2, replace=False)
        G.add_edge(int(a), int(b))
    G = nx.convert_node_labels_to_integers(G)
    matrix = nx.to_scipy_sparse_array(G, nodelist=range(n), format="csr")
    return G, matrix.indptr.astype(np.int32), matrix.indices.astype(np.int32), rng


def n_pieces(G, labels):
    kept = [(a, b) for a, b in G.edges if labels[a] == labels[b]]
    H = nx.Graph(kept)
    H.add_nodes_from(G)
    return nx.number_connected_components(H)


def grown(G, indptr, indices, rng, k, weight, low=0.0, high=np.inf, bias=None):
    labels = np.full(len(G), -1, dtype=np.int32)
    bias = np.zeros(len(indices)) if bias is None else bias
    nodes = np.arange(len(G))
    found = regions.grow_regions(labels, nodes, 0, k, indptr, indices, weight, low, high, bias, 12, rng)
    return labels, found


@given(seed=st.integers(0, 2**32 - 1))
@FEW
def test_pieces(seed):
    G, indptr, indices, rng = graph_of(seed)
    labels = rng.integers(0, 3, size=len(G)).astype(np.int32)
    piece = np.empty(len(G), dtype=np.int32)
    found = regions.number_pieces(labels, indptr, indices, piece)
    assert found == n_pieces(G, labels)
    for a, b in G.edges:
        if labels[a] == labels[b]:
            assert piece[a] == piece[b]


@given(seed=st.integers(0, 2**32 - 1))
@FEW
def test_an_area_may_leave_if_the_rest_of_its_region_is_connected(seed):
    G, indptr, indices, rng = graph_of(seed)
    labels, _ = grown(G, indptr, indices, rng, 3, np.ones(len(G)))
    stamp, stack = np.zeros(len(G), dtype=np.int64), np.empty(len(G), dtype=np.int64)
    for mark, area in enumerate(G, start=1):
        rest = [other for other in G if labels[other] == labels[area] and other != area]
        expected = bool(rest) and nx.is_connected(G.subgraph(rest))
        assert regions.stays_connected(labels, area, indptr, indices, stamp, mark, stack) == expected


@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 4))
@FEW
def test_growth_divides_any_connected_graph(seed, k):
    G, indptr, indices, rng = graph_of(seed)
    weight = rng.random(len(G)) * (rng.random(len(G)) < 0.8)
    labels, found = grown(G, indptr, indices, rng, k, weight)
    assert found
    assert sorted(set(labels.tolist())) == list(range(k))
    assert n_pieces(G, labels) == k
    mean = weight.sum() / k
    labels, found = grown(G, indptr, indices, rng, k, weight, 0.7 * mean, 1.3 * mean)
    if found:
        loads = np.bincount(labels, weight, minlength=k)
        assert loads.min() >= 0.7 * mean - 1e-12
        assert loads.max() <= 1.3 * mean + 1e-12
        assert n_pieces(G, labels) == k


def test_growth_cuts_edges_of_large_bias_first():
    G = nx.convert_node_labels_to_integers(nx.grid_2d_graph(4, 4))
    matrix = nx.to_scipy_sparse_array(G, format="csr")
    indptr, indices = matrix.indptr.astype(np.int32), matrix.indices.astype(np.int32)
    halves = np.arange(16) // 4 // 2
    bias = 2.0 * (np.repeat(halves, np.diff(indptr)) != halves[indices])
    for seed in range(5):
        rng = np.random.default_rng(seed)
        labels, _ = grown(G, indptr, indices, rng, 2, np.ones(16), 8, 8, bias)
        assert len(np.unique(np.column_stack([labels, halves]), axis=0)) == 2


@given(seed=st.integers(0, 2**32 - 1))
@FEW
def test_recombination_keeps_regions_connected_and_within_bounds(seed):
    G, indptr, indices, rng = graph_of(seed)
    weight = np.ones(len(G))
    labels, _ = grown(G, indptr, indices, rng, 3, weight)
    loads = np.bincount(labels, weight)
    arguments = (indptr, indices, weight, loads.min(), loads.max())
    before = labels.copy()
    assert regions.recombine_regions(labels, *arguments, 10, False, rng) == 0
    assert n_pieces(G, labels) == 3
    found = np.bincount(labels, weight)
    assert found.min() >= loads.min()
    assert found.max() <= loads.max()
    # Mending: even loads as far as possible, never worse.
    uneven = np.sum((np.bincount(before, weight) - len(G) / 3) ** 2)
    low, high = np.floor(len(G) / 3), np.ceil(len(G) / 3)
    outside = regions.recombine_regions(before, indptr, indices, weight, low, high, 60, True, rng)
    loads = np.bincount(before, weight, minlength=3)
    assert outside == np.count_nonzero((loads < low) | (loads > high))
    assert n_pieces(G, before) == 3
    assert np.sum((loads - len(G) / 3) ** 2) <= uneven + 1e-9 or outside == 0


def energy(labels, G, weight, X, rates, before, shapes, border):
    """The weighted objectives of a climb, from their definitions."""
    k = labels.max() + 1
    loads = np.bincount(labels, weight)
    squares = sum(((X[labels == r] - X[labels == r].mean(axis=0)) ** 2).sum() for r in range(k))
    cut = sum(labels[a] != labels[b] for a, b in G.edges)
    variation = loads.std() / loads.mean()
    changed = (labels != before).mean()
    score = 0.0
    for r in range(k):
        rim = shapes[labels == r, 1].sum()
        rim -= 2 * sum(border[a, b] for a, b in G.edges if labels[a] == labels[b] == r)
        score += 4 * np.pi * shapes[labels == r, 0].sum() / rim**2
    return rates @ np.array([squares, cut, variation, changed, -score / k])


@pytest.mark.parametrize("kind", [0, 1, 2, 3, 4, None])
def test_a_climb_lowers_the_weighted_objectives_to_a_local_optimum(kind):
    for seed in range(8):
        G, indptr, indices, rng = graph_of(seed)
        n = len(G)
        weight, X, shapes = rng.random(n) + 0.5, rng.normal(size=(n, 2)), rng.random((n, 2)) + 0.5
        border = np.zeros((n, n))
        for a, b in G.edges:
            border[a, b] = border[b, a] = rng.random() / n
        borders = border[np.repeat(np.arange(n), np.diff(indptr)), indices]
        rates = np.full(5, 0.3) if kind is None else np.eye(5)[kind] * 2.0
        labels, _ = grown(G, indptr, indices, rng, 3, weight)
        before = rng.integers(0, 3, size=n).astype(np.int32)
        given = (G, weight, X, rates, before, shapes, border)
        start, out = energy(labels, *given), labels.copy()
        regions.climb_boundaries(
            out, indptr, indices, weight, X, 0.0, np.inf, rates, before, shapes, borders, 0.0, 20_000, rng
        )
        assert n_pieces(G, out) == 3
        best = energy(out, *given)
        assert best <= start + 1e-9
        for a, b in [*G.edges, *((b, a) for a, b in G.edges)]:
            other = out.copy()
            other[a] = out[b]
            if n_pieces(G, other) == 3 == len(set(other.tolist())):
                assert energy(other, *given) >= best - 1e-9


def test_a_hot_climb_stays_within_bounds():
    for seed in range(8):
        G, indptr, indices, rng = graph_of(seed)
        n = len(G)
        weight = rng.random(n)
        labels, _ = grown(G, indptr, indices, rng, 3, weight)
        loads = np.bincount(labels, weight)
        low, high = 0.8 * loads.min(), 1.2 * loads.max()
        n_moves = regions.climb_boundaries(
            labels, indptr, indices, weight, np.zeros((n, 0)), low, high, np.array([0, 1.0, 0, 0, 0]),
            labels.copy(), np.zeros((n, 2)), np.zeros(len(indices)), 5.0, 3_000, rng,
        )  # fmt: skip
        loads = np.bincount(labels, weight)
        assert n_moves > 0
        assert loads.min() >= low - 1e-9
        assert loads.max() <= high + 1e-9
        assert n_pieces(G, labels) == 3


def largest_number(weight, floor):
    """The most intervals of a path with sums of at least ``floor``, by dynamic programming."""
    n = len(weight)
    best = np.full(n + 1, -1)
    best[0] = 0
    for end in range(1, n + 1):
        for start in range(end):
            if best[start] >= 0 and weight[start:end].sum() >= floor:
                best[end] = max(best[end], best[start] + 1)
    return best[n]


@given(seed=st.integers(0, 2**32 - 1))
@FEW
def test_splits_of_a_tree_are_optimal(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 15))
    weight = rng.integers(0, 5, size=n).astype(float)
    floor = float(rng.integers(1, 7))
    G = nx.path_graph(n)
    matrix = nx.to_scipy_sparse_array(G, format="csr")
    indptr, indices = matrix.indptr.astype(np.int32), matrix.indices.astype(np.int32)
    labels = np.empty(n, dtype=np.int32)
    found = regions.split_above(labels, np.arange(n), 0, indptr, indices, weight, floor, rng)
    assert found == max(1, largest_number(weight, floor))
    assert n_pieces(G, labels) == found == labels.max() + 1
    if weight.sum() >= floor:
        assert np.bincount(labels, weight).min() >= floor


def test_loose_areas_join_the_lightest_region_beside_them():
    G = nx.path_graph(6)
    matrix = nx.to_scipy_sparse_array(G, format="csr")
    indptr, indices = matrix.indptr.astype(np.int32), matrix.indices.astype(np.int32)
    labels = np.array([0, -1, -1, 1, 1, -1], dtype=np.int32)
    regions.reattach_areas(labels, 2, indptr, indices, np.array([1.0, 1, 1, 2, 2, 1]))
    assert labels.tolist() == [0, 0, 0, 1, 1, 1]
    alone = np.array([-1, -1], dtype=np.int32)
    regions.reattach_areas(alone, 1, np.array([0, 1, 2], np.int32), np.array([1, 0], np.int32), np.ones(2))
    assert alone.tolist() == [-1, -1]
