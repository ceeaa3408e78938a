"""Spanning trees against naive ones, mutual reachability and minimax distances."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from naive_trees import hard_points, links_by_kruskal, links_of
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
from scipy.spatial.distance import cdist, squareform

from moo_clustering._kernels import caching
from moo_clustering.graphs import euclidean_mst, minimax_distances, mutual_reachability_mst
from moo_clustering.graphs.neighbors import ordered_lists, tie_keys

LINE = np.array([[0.0], [1.0], [2.5], [10.0], [11.0], [12.5]])
ALGORITHMS = ("prim", "boruvka")


def scipy_total(D):
    """Length of SciPy's tree; it takes zeros for missing links unless they are written down."""
    n = len(D)
    whole = csr_array((D.ravel(), np.tile(np.arange(n), n), np.arange(0, n * n + 1, n)), shape=(n, n))
    return minimum_spanning_tree(whole).sum()


def assert_hung_up(tree, root):
    n = tree.n_samples
    assert tree.root == root
    assert tree.parent[root] == root
    assert tree.lengths[root] == 0
    assert tree.order[0] == root
    assert_array_equal(np.sort(tree.order), np.arange(n))
    place = np.argsort(tree.order)
    children = np.flatnonzero(np.arange(n) != root)
    assert (place[tree.parent[children]] < place[children]).all()
    assert_array_equal(tree.links(), np.column_stack([children, tree.parent[children]]))
    assert (tree.parent.dtype, tree.lengths.dtype, tree.order.dtype) == (np.int32, np.float64, np.int32)


def test_the_worked_example():
    tree = euclidean_mst(LINE, root=0, ties="index")
    assert tree.parent.tolist() == [0, 0, 1, 2, 3, 4]
    assert tree.lengths.tolist() == [0, 1, 1.5, 7.5, 1, 1.5]
    assert tree.order.tolist() == [0, 1, 2, 3, 4, 5]
    assert euclidean_mst(LINE, root=5).parent.tolist() == [1, 2, 3, 4, 5, 5]
    assert euclidean_mst(LINE, root=3).parent.tolist() == [1, 2, 3, 3, 3, 4]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("block", range(4))
def test_random_sets_against_kruskal_and_scipy(algorithm, block):
    for seed in range(50 * block, 50 * block + 50):
        rng = np.random.default_rng(seed)
        X = hard_points(rng)
        n, D = len(X), cdist(X, X)
        keys, root = tie_keys(n, "random", rng), int(rng.integers(n))
        tree = euclidean_mst(X, ties=keys, root=root, algorithm=algorithm)
        assert links_of(tree) == links_by_kruskal(D, keys)
        assert len(tree.links()) == n - 1
        assert_hung_up(tree, root)
        assert_allclose(tree.lengths, D[np.arange(n), tree.parent], rtol=1e-12, atol=1e-12)
        assert tree.lengths.sum() == pytest.approx(scipy_total(D), rel=1e-12, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("n_features", [2, 7, 25])
def test_larger_sets_by_both_algorithms(n_features):
    # Large enough for "auto" to go by boxes in few features.
    rng = np.random.default_rng(n_features)
    X = rng.normal(size=(1500, n_features)) + 50.0 * rng.integers(0, 4, (1500, 1))
    X[1000:1100] = X[:100]
    D, keys = cdist(X, X), tie_keys(1500, "random", rng)
    trees = [euclidean_mst(X, ties=keys, root=7, algorithm=a) for a in ("auto", *ALGORITHMS)]
    for tree in trees:
        assert tree.lengths.sum() == pytest.approx(scipy_total(D), rel=1e-12)
        assert_array_equal(tree.parent, trees[0].parent)
        assert_array_equal(tree.order, trees[0].order)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_samples(algorithm, n):
    for X in (np.arange(n, dtype=float)[:, None], np.zeros((n, 2))):
        tree = euclidean_mst(X, root=n - 1, algorithm=algorithm)
        assert_hung_up(tree, n - 1)
        assert tree.lengths.sum() == X.max()


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_many_copies_of_three_points_are_stars(algorithm, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    point = np.repeat([0, 1, 2], 500)
    X = np.array([[0.0, 0.0], [3.0, 0.0], [3.0, 4.0]])[point]
    keys = tie_keys(1500, "random", rng)
    tree = euclidean_mst(X, ties=keys, root=0, algorithm=algorithm)
    assert sorted(tree.lengths)[-2:] == pytest.approx([3, 4])
    first = [int(np.flatnonzero(point == p)[keys[point == p].argmin()]) for p in range(3)]
    expected = {(min(first[a], first[b]), max(first[a], first[b])) for a, b in ((0, 1), (1, 2))}
    for i in range(1500):
        hub = first[point[i]]
        expected |= {(min(i, hub), max(i, hub))} if i != hub else set()
    assert links_of(tree) == expected


def test_very_many_duplicates():
    point = np.random.default_rng(0).integers(0, 3, 100_000)
    X = np.array([[0.0, 0.0], [3.0, 0.0], [3.0, 4.0]])[point]
    tree = euclidean_mst(X, rng=np.random.default_rng(1))
    assert tree.lengths.sum() == 7
    assert (tree.lengths > 0).sum() == 2


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_root_changes_no_link(algorithm, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    X, keys = rng.integers(0, 6, (60, 2)).astype(float), tie_keys(60, "random", rng)
    found = {frozenset(links_of(euclidean_mst(X, ties=keys, root=r, algorithm=algorithm))) for r in range(60)}
    assert len(found) == 1


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("seed", range(8))
def test_permuted_rows_give_the_permuted_tree(algorithm, seed):
    rng = np.random.default_rng(seed)
    X = hard_points(rng, 80)
    keys, order = tie_keys(80, "random", rng), rng.permutation(80)
    place = np.argsort(order)
    tree = euclidean_mst(X, ties=keys, root=5, algorithm=algorithm)
    other = euclidean_mst(X[order], ties=keys[order], root=int(place[5]), algorithm=algorithm)
    assert_array_equal(order[other.parent[place]], tree.parent)
    assert_allclose(other.lengths[place], tree.lengths, rtol=1e-12)


def test_a_tie_is_decided_by_the_keys():
    square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    # All four sides are equally long; the one with the largest (smaller, larger) keys is left out.
    for left_out, keys in (((2, 3), [0, 1, 2, 3]), ((0, 1), [3, 2, 1, 0]), ((1, 2), [0, 3, 2, 1])):
        for algorithm in ALGORITHMS:
            tree = euclidean_mst(square, ties=np.array(keys, dtype=np.int32), algorithm=algorithm)
            sides = {(0, 1), (1, 2), (2, 3), (0, 3)}
            assert sides - links_of(tree) == {left_out}


def l1(a, b):
    return float(np.abs(a - b).sum())


@pytest.mark.parametrize(
    ("metric", "name"),
    [
        ("precomputed", "euclidean"),
        ("cosine", "cosine"),
        ("manhattan", "cityblock"),
        ("l1", "cityblock"),
        ("chebyshev", "chebyshev"),
        ("canberra", "canberra"),
        ("sqeuclidean", "sqeuclidean"),
        ("correlation", "correlation"),
        (l1, "cityblock"),
    ],
)
@pytest.mark.parametrize("seed", range(6))
def test_other_metrics_against_kruskal(metric, name, seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 40))
    X = rng.normal(size=(n, 4)) + 1 if seed % 2 else rng.integers(1, 4, (n, 4)) * [1.0, 2.0, 3.0, 5.0]
    if name == "correlation":
        X = X + 0.1 * rng.normal(size=X.shape)
    D, keys = cdist(X, X, name), tie_keys(n, "random", rng)
    D = np.maximum(D, D.T) * ~np.eye(n, dtype=bool)
    tree = euclidean_mst(D if metric == "precomputed" else X, metric=metric, ties=keys, root=0)
    assert links_of(tree) == links_by_kruskal(D, keys)
    assert_allclose(tree.lengths, D[np.arange(n), tree.parent], rtol=1e-7, atol=1e-12)


def test_euclidean_and_precomputed_agree_on_ties():
    X = np.stack(np.meshgrid(np.arange(9.0), np.arange(9.0)), axis=-1).reshape(-1, 2) / 3
    keys = tie_keys(81, "random", np.random.default_rng(2))
    found = [
        links_of(euclidean_mst(X, ties=keys, algorithm="prim")),
        links_of(euclidean_mst(X, ties=keys, algorithm="boruvka")),
        links_of(euclidean_mst(cdist(X, X), metric="precomputed", ties=keys)),
        links_of(euclidean_mst(X, metric=lambda a, b: float(np.linalg.norm(a - b)), ties=keys)),
    ]
    assert all(links == found[0] for links in found)


def test_the_tree_of_the_neighbour_graph_is_another(data_folder):
    with np.load(data_folder / "shapes" / "aggregation.npz") as file:
        X = file["X"].astype(float)
    keys = tie_keys(len(X), "random", np.random.default_rng(0))
    tree = euclidean_mst(X, ties=keys, rng=np.random.default_rng(0))
    assert tree.lengths.sum() == pytest.approx(scipy_total(cdist(X, X)), rel=1e-12)
    lists = ordered_lists(X, 10, "euclidean", keys)
    within = set(zip(np.repeat(np.arange(len(X)), 10).tolist(), lists.indices.ravel().tolist(), strict=True))
    outside = [link for link in links_of(tree) if link not in within and link[::-1] not in within]
    assert len(outside) >= 3
    graph = csr_array((np.ones(10 * len(X)), lists.indices.ravel(), np.arange(0, 10 * len(X) + 1, 10)))
    shortcut = minimum_spanning_tree(graph.multiply(cdist(X, X)))
    assert shortcut.sum() != pytest.approx(tree.lengths.sum(), rel=1e-3)
    assert connected_components(graph, directed=False)[0] > 1


def test_a_large_offset_moves_nothing(global_random_seed):
    X = np.round(np.random.default_rng(global_random_seed).normal(size=(400, 2)) * 1024) / 1024
    keys = tie_keys(400, "random", np.random.default_rng(0))
    near, far = (euclidean_mst(X + shift, ties=keys, root=0) for shift in (0.0, 2.0**26))
    assert_array_equal(near.parent, far.parent)


def test_seeds():
    X = np.random.default_rng(0).integers(0, 5, (200, 2)).astype(float)
    one, two, other = (euclidean_mst(X, rng=np.random.default_rng(s)) for s in (1, 1, 2))
    assert_array_equal(one.parent, two.parent)
    assert one.root != other.root


def test_memory_is_linear():
    X = np.random.default_rng(0).normal(size=(20_000, 2))
    euclidean_mst(X[:100])
    tracemalloc.start()
    euclidean_mst(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 400 * 20_000


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"root": 6}, "root must be 'random' or a sample from 0 to 5"),
        ({"root": -1}, "root"),
        ({"root": 1.5}, "root"),
        ({"root": "first"}, "root"),
        ({"root": True}, "root"),
        ({"algorithm": "kruskal"}, "algorithm must be"),
        ({"ties": "row"}, "ties"),
        ({"ties": np.zeros(6, dtype=np.int32)}, "6 distinct keys"),
        ({"ties": np.arange(5, dtype=np.int32)}, "6 distinct keys"),
        ({"algorithm": "boruvka", "metric": "manhattan"}, "Euclidean"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        euclidean_mst(LINE, **options)


def test_bad_data():
    with pytest.raises(ValueError, match="NaN"):
        euclidean_mst([[0.0], [np.nan]])
    with pytest.raises(ValueError, match="square"):
        euclidean_mst(np.ones((3, 2)), metric="precomputed")
    with pytest.raises(ValueError, match="symmetric"):
        euclidean_mst(np.array([[0.0, 1.0], [2.0, 0.0]]), metric="precomputed")
    with pytest.raises(ValueError, match="negative"):
        euclidean_mst(np.array([[0.0, -1.0], [-1.0, 0.0]]), metric="precomputed")
    with pytest.raises(ValueError, match="boruvka"):
        euclidean_mst(np.zeros((3, 3)), metric="precomputed", algorithm="boruvka")


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


def test_mutual_reachability_on_a_line_by_hand():
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


def test_mutual_reachability_of_few_samples():
    assert mutual_reachability_mst([[1.0, 2.0]]).n_samples == 1
    assert_allclose(mutual_reachability_mst([[0.0], [3.0]]).lengths, [0.0, 3.0])
    assert_array_equal(mutual_reachability_mst(np.ones((12, 2))).lengths, 0.0)


def test_mutual_reachability_takes_linear_memory(monkeypatch):
    # The Python function of the kernel would take minutes while its memory is traced.
    monkeypatch.setattr(caching, "interpreted", lambda *_: False)
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


def naive_minimax(D):
    """Floyd and Warshall with the largest step in place of the sum."""
    M = D.copy()
    for h in range(len(D)):
        M = np.minimum(M, np.maximum(M[:, h : h + 1], M[h]))
    return M


def test_minimax_distances_on_a_line_by_hand():
    tree = euclidean_mst([[0.0], [1.0], [3.0], [9.0]], root=2, ties="index")
    assert_array_equal(minimax_distances(tree), [[0, 1, 2, 6], [1, 0, 2, 6], [2, 2, 0, 6], [6, 6, 6, 0]])


@pytest.mark.parametrize("seed", range(20))
def test_minimax_distances_have_a_naive_twin(seed):
    rng = np.random.default_rng(seed)
    X = hard_points(rng)
    M = minimax_distances(euclidean_mst(X, rng=rng))
    assert_array_equal(M, M.T)
    assert_array_equal(np.diag(M), 0.0)
    assert_allclose(M, naive_minimax(cdist(X, X)), rtol=1e-10, atol=1e-12)


def test_same_as_single_linkage(global_random_seed):
    X = np.random.default_rng(global_random_seed).normal(size=(150, 4))
    M = minimax_distances(euclidean_mst(X, root="random", rng=np.random.default_rng(0)))
    assert_allclose(M, squareform(cophenet(linkage(X, "single"))), rtol=1e-10)


def test_one_sample():
    assert_array_equal(minimax_distances(euclidean_mst([[3.0]], root=0, ties="index")), [[0.0]])
