"""Trees of mutual-reachability distances against Kruskal's algorithm on the whole matrix."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from naive_trees import hard_points, links_of
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import cdist, squareform

from moo_clustering.graphs import euclidean_mst, minimax_distances, mutual_reachability_mst


def naive_reachability(D, n_neighbors):
    n = len(D)
    cores = [sorted(D[i, j] for j in range(n) if j != i)[:n_neighbors][-1] for i in range(n)]
    return np.array(
        [[max(D[i, j], cores[i], cores[j]) if i != j else 0.0 for j in range(n)] for i in range(n)]
    )


def naive_links(D, n_neighbors):
    """Kruskal by (reachability, distance, smaller number, larger number)."""
    R, n = naive_reachability(D, n_neighbors), len(D)
    every = sorted(
        (round(float(R[i, j]), 9), round(float(D[i, j]), 9), i, j) for i in range(n) for j in range(i + 1, n)
    )
    group, tree = list(range(n)), set()
    for *_, i, j in every:
        if group[i] != group[j]:
            old, new = group[i], group[j]
            group = [new if g == old else g for g in group]
            tree.add((i, j))
    return tree


def test_on_a_line_by_hand():
    X = np.array([[0.0], [1.0], [3.0], [10.0]])
    tree = mutual_reachability_mst(X, n_neighbors=2)
    # Cores 3, 2, 3, 9; 0-1: 3, 0-2: 3, 1-2: 3, 2-3: 9, 1-3: 9, 0-3: 10.
    assert links_of(tree) == {(0, 1), (1, 2), (2, 3)}
    assert tree.root == 0
    assert_array_equal(tree.lengths, [0.0, 3.0, 3.0, 9.0])


@pytest.mark.parametrize("seed", range(25))
def test_brute_force(seed):
    rng = np.random.default_rng(seed)
    X = hard_points(rng)
    if len(X) < 2:
        X = np.concatenate([X, X + 1])
    D = cdist(X, X)
    n_neighbors = int(rng.integers(1, 8))
    tree = mutual_reachability_mst(X, n_neighbors=n_neighbors)
    R = naive_reachability(D, n_neighbors)
    i, j = tree.links().T
    assert_allclose(tree.lengths[i], R[i, j], rtol=1e-12, atol=1e-12)
    # A spanning tree is minimal exactly if its paths have the least largest steps.
    expected = squareform(cophenet(linkage(squareform(R, checks=False), "single")))
    assert_allclose(minimax_distances(tree), expected, rtol=1e-9, atol=1e-12)
    by_matrix = mutual_reachability_mst(D, n_neighbors=n_neighbors, metric="precomputed")
    assert_array_equal(by_matrix.parent, tree.parent)
    assert_allclose(by_matrix.lengths, tree.lengths, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_links_are_chosen_by_distance_among_equally_long_ones(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(45, 2)) if seed % 2 else rng.integers(0, 6, (45, 2)).astype(float)
    assert links_of(mutual_reachability_mst(X)) == naive_links(cdist(X, X), 5)


def test_one_neighbour_is_the_plain_tree(global_random_seed):
    X = np.random.default_rng(global_random_seed).normal(size=(60, 3))
    # No sample is nearer than the nearest, so no core matters.
    tree, plain = mutual_reachability_mst(X, n_neighbors=1), euclidean_mst(X, root=0, ties="index")
    assert_array_equal(tree.parent, plain.parent)
    assert_allclose(tree.lengths, plain.lengths, rtol=1e-12)


def test_few_samples():
    assert mutual_reachability_mst([[1.0, 2.0]]).n_samples == 1
    assert_allclose(mutual_reachability_mst([[0.0], [3.0]]).lengths, [0.0, 3.0])
    assert_array_equal(mutual_reachability_mst(np.ones((12, 2))).lengths, 0.0)


def test_memory_is_linear():
    X = np.random.default_rng(0).normal(size=(4000, 3))
    mutual_reachability_mst(X[:50])
    tracemalloc.start()
    mutual_reachability_mst(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 30e6  # the matrix has 128e6 bytes


@pytest.mark.parametrize(
    ("X", "options", "message"),
    [
        ([[0.0], [1.0]], {"n_neighbors": 0}, "n_neighbors"),
        ([[0.0], [1.0]], {"metric": "cosine"}, "metric"),
        ([[0.0, 1.0], [2.0, 0.0]], {"metric": "precomputed"}, "symmetric"),
        ([[0.0, 1.0]], {"metric": "precomputed"}, "square"),
        ([[0.0], [np.nan]], {}, "NaN"),
    ],
)
def test_bad_input(X, options, message):
    with pytest.raises(ValueError, match=message):
        mutual_reachability_mst(X, **options)
