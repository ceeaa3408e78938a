"""Locus graphs and the interestingness of the links of their trees."""

from __future__ import annotations

import copy
import pickle
import tracemalloc

import numpy as np
import pytest
from naive_trees import hard_points, links_by_kruskal, links_of, naive_rank
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from moo_clustering.constraints import constraint_groups
from moo_clustering.graphs import euclidean_mst, locus_graph, mst_interestingness
from moo_clustering.graphs.neighbors import ordered_lists, tie_keys

LINE = np.array([[0.0], [1.0], [2.5], [10.0], [11.0], [12.5]])


def rng(seed=0):
    return np.random.default_rng(seed)


def test_the_worked_example():
    graph = locus_graph(LINE, n_neighbors=10, root=0, ties="index", rng=rng())
    assert graph.neighbors.tolist() == [
        [1, 2, 3, 4, 5],
        [0, 2, 3, 4, 5],
        [1, 0, 3, 4, 5],
        [4, 5, 2, 1, 0],
        [3, 5, 2, 1, 0],
        [4, 3, 2, 1, 0],
    ]
    assert (graph.n_samples, graph.n_neighbors) == (6, 5)
    assert graph.tree.parent.tolist() == [0, 0, 1, 2, 3, 4]
    assert graph.interest.order.tolist() == [3, 2, 5, 1, 4]
    assert_allclose(graph.X.mean(axis=0), 0, atol=1e-15)


@pytest.mark.parametrize(
    "metric", ["cosine", "correlation", "canberra", "manhattan", "euclidean", "callable"]
)
def test_lists_and_tree_are_of_the_samples_as_given(metric):
    # Angles and relative differences change when the mean is subtracted.
    X = rng(1).normal(size=(40, 4)) + 3.0
    D = cdist(X, X, {"manhattan": "cityblock", "callable": "canberra"}.get(metric, metric))
    given = (
        (lambda a, b: float(cdist(a[None], b[None], "canberra")[0, 0])) if metric == "callable" else metric
    )
    graph = locus_graph(X, n_neighbors=5, metric=given, rng=rng())
    assert links_of(graph.tree) == links_by_kruskal(D, graph.keys)
    for i in range(40):
        assert [naive_rank(D, graph.keys, i, int(j)) for j in graph.neighbors[i]] == [1, 2, 3, 4, 5]
        if i != graph.tree.root:
            rank = naive_rank(D, graph.keys, i, int(graph.tree.parent[i]))
            assert graph.interest.rank_of_parent[i] == rank
    assert_allclose(graph.X, X - X.mean(axis=0), atol=1e-14)


def test_lists_and_ranks_agree_on_ties():
    X = np.stack(np.meshgrid(np.arange(12.0), np.arange(12.0)), axis=-1).reshape(-1, 2) / 3
    X = np.vstack([X, X[:30]])
    graph = locus_graph(X, n_neighbors=len(X) - 1, rng=rng(4))
    for i in np.delete(np.arange(len(X)), graph.tree.root):
        parent, interest = graph.tree.parent[i], graph.interest
        assert graph.neighbors[i, interest.rank_of_parent[i] - 1] == parent
        assert graph.neighbors[parent, interest.rank_of_child[i] - 1] == i


def test_few_samples():
    one = locus_graph([[3.0, 4.0]], rng=rng())
    assert (one.n_samples, one.n_neighbors) == (1, 0)
    assert one.interest.order.shape == (0,)
    assert one.tree.parent.tolist() == [0]
    two = locus_graph([[0.0], [2.0]], rng=rng())
    assert two.neighbors.tolist() == [[1], [0]]
    same = locus_graph(np.zeros((4, 2)), n_neighbors=2, ties="index", root=0, rng=rng())
    assert same.neighbors.tolist() == [[1, 2], [0, 2], [0, 1], [0, 1]]
    assert same.tree.parent.tolist() == [0, 0, 0, 0]


def test_samples_in_conflict_are_no_neighbours():
    groups = constraint_groups(6, [0, -1, 1, -1, -1, -1])
    graph = locus_graph(LINE, n_neighbors=5, ties="index", root=0, groups=groups, rng=rng())
    assert graph.neighbors[0].tolist() == [1, 3, 4, 5, -1]
    assert graph.neighbors[2].tolist() == [1, 3, 4, 5, -1]
    assert graph.tree.parent.tolist() == [0, 0, 1, 2, 3, 4]


def test_seeds_and_threads():
    X = rng(2).integers(0, 9, (900, 2)).astype(float)
    one, two = (locus_graph(X, rng=rng(5), n_jobs=n) for n in (1, 4))
    assert_array_equal(one.neighbors, two.neighbors)
    assert_array_equal(one.tree.parent, two.tree.parent)
    assert_array_equal(one.interest.order, two.interest.order)
    other = locus_graph(X, rng=rng(6))
    assert not np.array_equal(one.neighbors, other.neighbors)


def test_permuted_rows_change_nothing_but_the_numbers():
    X = rng(3).integers(0, 6, (90, 2)) / 3
    order = rng(4).permutation(90)
    place = np.argsort(order)
    one = locus_graph(X, root=0, rng=rng(0))
    # Index ties of rows in the order of the keys are ties by the keys.
    by_key = np.argsort(one.keys)
    two = locus_graph(X[by_key], ties="index", root=int(one.keys[0]), rng=rng(0))
    assert_array_equal(by_key[two.neighbors[one.keys]], one.neighbors)
    assert_array_equal(by_key[two.tree.parent[one.keys]], one.tree.parent)
    assert_array_equal(by_key[two.interest.order], one.interest.order)
    assert place.shape == (90,)


def test_copies_share_and_pickles_agree():
    graph = locus_graph(LINE, rng=rng())
    assert copy.deepcopy(graph) is graph
    again = pickle.loads(pickle.dumps(graph))
    assert_array_equal(again.neighbors, graph.neighbors)
    assert_array_equal(again.interest.order, graph.interest.order)


def test_the_data_are_left_alone():
    X = LINE + 1e8
    before = X.copy()
    graph = locus_graph(X, rng=rng())
    assert_array_equal(X, before)
    assert not np.shares_memory(graph.X, X)


@pytest.mark.slow
def test_memory_at_a_hundred_thousand():
    X = rng(0).normal(size=(100_000, 2)) + 30 * rng(1).integers(0, 9, (100_000, 1))
    locus_graph(X[:2000], rng=rng())
    tracemalloc.start()
    graph = locus_graph(X, rng=rng())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert graph.neighbors.shape == (100_000, 10)
    assert peak < 300e6


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_neighbors": 0}, "n_neighbors"),
        ({"metric": "precomputed"}, "centroids"),
        ({"rank_cap": 10}, "rank_cap must be greater than n_neighbors=10"),
        ({"root": 99}, "root"),
        ({"ties": "rows"}, "ties"),
        ({"groups": constraint_groups(3, [0, 0, 0])}, "groups and X must have the same number of samples"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        locus_graph(LINE, rng=rng(), **options)


def test_a_cap_that_is_no_integer_is_refused_before_the_search():
    for cap in ("12", 12.5):
        with pytest.raises(TypeError, match="rank_cap must be an integer of at least 1"):
            locus_graph(np.empty((0, 2)), rng=rng(), rank_cap=cap)


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


def test_ranks_of_the_worked_example():
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
    with pytest.raises(ValueError, match="X and the tree must have the same number of samples, got 5 and 6"):
        mst_interestingness(tree, LINE[:5])
    with pytest.raises(ValueError, match="rank_cap"):
        mst_interestingness(tree, LINE, rank_cap=0)
