"""Neighbours and tree of the same samples with the same ties."""

from __future__ import annotations

import copy
import pickle
import tracemalloc

import numpy as np
import pytest
from naive_trees import links_by_kruskal, links_of, naive_rank
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from moo_clustering.constraints import constraint_groups
from moo_clustering.graphs import locus_graph

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
        ({"rank_cap": 10}, "rank_cap must be above n_neighbors=10"),
        ({"root": 99}, "root"),
        ({"ties": "rows"}, "ties"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        locus_graph(LINE, rng=rng(), **options)
