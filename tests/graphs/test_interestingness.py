"""Ranks of the ends of the links of a tree, and which links come first."""

from __future__ import annotations

import numpy as np
import pytest
from naive_trees import hard_points, naive_rank
from numpy.testing import assert_array_equal
from scipy.spatial.distance import cdist

from moo_clustering.graphs import euclidean_mst, mst_interestingness
from moo_clustering.graphs.neighbors import ordered_lists, tie_keys

LINE = np.array([[0.0], [1.0], [2.5], [10.0], [11.0], [12.5]])


def assert_as_defined(X, D, tree, interest, keys, cap=None):
    cap = len(X) if cap is None else cap
    n = tree.n_samples
    children = [i for i in range(n) if i != tree.root]
    for i in children:
        j = int(tree.parent[i])
        assert interest.rank_of_parent[i] == min(naive_rank(D, keys, i, j), cap)
        assert interest.rank_of_child[i] == min(naive_rank(D, keys, j, i), cap)
    assert interest.rank_of_parent[tree.root] == interest.rank_of_child[tree.root] == 0
    assert_array_equal(interest.degree, np.minimum(interest.rank_of_parent, interest.rank_of_child))
    order = sorted(
        children, key=lambda i: (-interest.degree[i], -round(float(D[i, tree.parent[i]]), 9), keys[i])
    )
    assert interest.order.tolist() == order


def test_the_worked_example():
    tree = euclidean_mst(LINE, root=0, ties="index")
    interest = mst_interestingness(tree, LINE)
    assert interest.degree.tolist() == [0, 1, 1, 3, 1, 1]
    assert interest.order.tolist() == [3, 2, 5, 1, 4]
    assert interest.interesting(2).tolist() == [False, False, False, True, False, False]
    assert not interest.interesting(3).any()
    assert interest.rank_of_parent[3] == 3
    assert interest.rank_of_child[2] == 2


@pytest.mark.parametrize("seed", range(60))
def test_against_sorting_everybody(seed):
    rng = np.random.default_rng(seed)
    X = hard_points(rng)
    n = len(X)
    keys = tie_keys(n, "random", rng)
    cap = int(rng.integers(1, n + 1)) if seed % 3 == 0 else None
    tree = euclidean_mst(X, ties=keys, rng=rng)
    interest = mst_interestingness(tree, X, keys=keys, rank_cap=cap)
    assert_as_defined(X, cdist(X, X), tree, interest, keys, cap)


@pytest.mark.parametrize(
    ("metric", "name"),
    [
        ("precomputed", "euclidean"),
        ("cosine", "cosine"),
        ("manhattan", "cityblock"),
        ("canberra", "canberra"),
        ("sqeuclidean", "sqeuclidean"),
        (lambda a, b: float(np.abs(a - b).max()), "chebyshev"),
    ],
)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("cap", [None, 6])
def test_other_metrics(metric, name, seed, cap):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 45))
    X = rng.normal(size=(n, 3)) + 1 if seed % 2 else rng.integers(1, 4, (n, 3)) * [1.0, 2.0, 3.0]
    D, keys = cdist(X, X, name), tie_keys(n, "random", rng)
    D = np.maximum(D, D.T) * ~np.eye(n, dtype=bool)
    given = D if metric == "precomputed" else X
    tree = euclidean_mst(given, metric=metric, ties=keys, rng=rng)
    interest = mst_interestingness(tree, given, keys=keys, metric=metric, rank_cap=cap)
    assert_as_defined(X, D, tree, interest, keys, cap)


@pytest.mark.parametrize("n_features", [2, 9, 30])
def test_ranks_are_places_in_the_neighbour_lists(n_features):
    rng = np.random.default_rng(n_features)
    X = rng.normal(size=(700, n_features))
    X[300:320] = X[:20]
    keys = tie_keys(700, "random", rng)
    tree = euclidean_mst(X, ties=keys, rng=rng)
    interest = mst_interestingness(tree, X, keys=keys)
    lists = ordered_lists(X, 699, "euclidean", keys).indices
    for i in np.delete(np.arange(700), tree.root):
        j = tree.parent[i]
        assert lists[i, interest.rank_of_parent[i] - 1] == j
        assert lists[j, interest.rank_of_child[i] - 1] == i


@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_ties_in_many_features(offset):
    rng = np.random.default_rng(7)
    X = rng.integers(0, 2, (90, 26)).astype(float) * rng.integers(0, 2, (90, 1)) + offset
    X[60:] = X[:30]
    keys = tie_keys(90, "random", rng)
    tree = euclidean_mst(X, ties=keys, rng=rng)
    for cap in (None, 9):
        interest = mst_interestingness(tree, X, keys=keys, rank_cap=cap)
        assert_as_defined(X, cdist(X, X), tree, interest, keys, cap)


def test_both_ranks_must_be_large():
    # The outlier is far from the blob, which is its nearest; from the blob it is the farthest.
    X = np.vstack([np.random.default_rng(0).normal(size=(40, 2)), [[500.0, 0.0]]])
    tree = euclidean_mst(X, root=0)
    interest = mst_interestingness(tree, X)
    assert interest.rank_of_parent[40] == 1
    assert interest.rank_of_child[40] == 40
    assert interest.degree[40] == 1
    assert not interest.interesting(10).any()
    far = mst_interestingness(euclidean_mst(X, root=40), X)
    assert not far.interesting(10).any()
    # Two blobs are another matter.
    two = np.vstack([X[:40], X[:40] + 500])
    tree = euclidean_mst(two, root=0)
    assert mst_interestingness(tree, two).interesting(10).sum() == 1


def test_a_cap_changes_ranks_beyond_it_only():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(600, 2)) + 20 * rng.integers(0, 4, (600, 1))
    tree = euclidean_mst(X, rng=rng)
    free = mst_interestingness(tree, X)
    capped = mst_interestingness(tree, X, rank_cap=25)
    assert_array_equal(capped.rank_of_parent, np.minimum(free.rank_of_parent, 25))
    assert_array_equal(capped.rank_of_child, np.minimum(free.rank_of_child, 25))
    assert_array_equal(free.interesting(10), capped.interesting(10))


def test_permuted_rows_give_the_permuted_order():
    rng = np.random.default_rng(6)
    X = rng.integers(0, 5, (120, 2)) / 3
    keys, order = tie_keys(120, "random", rng), rng.permutation(120)
    place = np.argsort(order)
    one = mst_interestingness(euclidean_mst(X, ties=keys, root=4), X, keys=keys)
    tree = euclidean_mst(X[order], ties=keys[order], root=int(place[4]))
    other = mst_interestingness(tree, X[order], keys=keys[order])
    assert_array_equal(order[other.order], one.order)
    assert_array_equal(other.rank_of_parent[place], one.rank_of_parent)
    assert_array_equal(other.rank_of_child[place], one.rank_of_child)


@pytest.mark.slow
def test_any_number_of_threads():
    X = np.random.default_rng(2).normal(size=(12_000, 2))
    tree = euclidean_mst(X, root=0)
    one, eight = (mst_interestingness(tree, X, n_jobs=n) for n in (1, 8))
    assert_array_equal(one.rank_of_parent, eight.rank_of_parent)
    assert_array_equal(one.order, eight.order)


def test_very_many_duplicates():
    point = np.random.default_rng(0).integers(0, 3, 60_000)
    X = np.array([[0.0, 0.0], [3.0, 0.0], [3.0, 4.0]])[point]
    keys = tie_keys(len(X), "random", np.random.default_rng(1))
    first = [int(np.flatnonzero(point == p)[keys[point == p].argmin()]) for p in range(3)]
    tree = euclidean_mst(X, ties=keys, root=first[0])
    interest = mst_interestingness(tree, X, keys=keys)
    twins = np.flatnonzero((tree.lengths == 0) & (np.arange(len(X)) != tree.root))
    assert (interest.rank_of_parent[twins] == 1).all()
    for p in range(3):
        own = twins[point[twins] == p]
        assert_array_equal(np.sort(interest.rank_of_child[own]), np.arange(1, len(own) + 1))
        assert_array_equal(np.argsort(interest.rank_of_child[own]), np.argsort(keys[own]))
    assert interest.rank_of_parent[first[1]] == (point == 1).sum()


def test_bad_input():
    tree = euclidean_mst(LINE)
    with pytest.raises(ValueError, match="X has 5 samples, the tree 6"):
        mst_interestingness(tree, LINE[:5])
    with pytest.raises(ValueError, match="rank_cap"):
        mst_interestingness(tree, LINE, rank_cap=0)
