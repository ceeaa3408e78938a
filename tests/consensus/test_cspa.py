"""CSPA: co-association, its graph, its cut and its memory."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.sparse import csgraph
from scipy.spatial.distance import squareform

from moo_clustering.consensus import cspa
from moo_clustering.consensus import hypergraph as module
from moo_clustering.validity import nmi
from moo_clustering.validity.ensembles import hyperedges

RUNS = np.array([[0, 0, 0, 1, 1, 2, 2], [1, 1, 1, 2, 2, 0, 0], [0, 0, 1, 1, 1, 2, 2], [0, 0, 0, 0, 1, 2, 2]])


def pair_by_pair(labels, weights):
    """Part of the runs that have seen both objects of a pair that put them together."""
    n = labels.shape[1]
    S = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            both = (labels[:, i] >= 0) & (labels[:, j] >= 0)
            if both.any():
                together = both & (labels[:, i] == labels[:, j])
                S[i, j] = weights[together].sum() / weights[both].sum()
    return S


def whole(edges, weights):
    return np.vstack([block for _, block in module.coassociation_blocks(edges, weights)])


def test_coassociation_of_the_worked_example():
    assert whole(hyperedges(RUNS), np.ones(4))[2, 3] == 0.5


@settings(max_examples=30, deadline=None)
@given(
    arrays(np.int64, st.tuples(st.integers(1, 6), st.integers(1, 9)), elements=st.integers(-1, 3)),
    st.booleans(),
)
def test_coassociation_pair_by_pair(labels, weighted):
    weights = np.linspace(0.5, 2.0, len(labels)) if weighted else np.ones(len(labels))
    edges, expected = hyperedges(labels), pair_by_pair(labels, weights)
    np.testing.assert_allclose(whole(edges, weights), expected, atol=1e-12)
    n = labels.shape[1]
    distances = module.condensed_distances(edges, weights)
    np.testing.assert_allclose(distances, 1.0 - expected[np.triu_indices(n, 1)], atol=1e-12)


def test_blocks_and_more_runs_than_a_byte_counts(monkeypatch):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, (300, 9))
    monkeypatch.setattr(module, "BLOCK_PAIRS", 20)
    np.testing.assert_allclose(
        whole(hyperedges(labels), np.ones(300)), pair_by_pair(labels, np.ones(300)), atol=1e-12
    )


def test_average_linkage_of_one_minus_s():
    rng = np.random.default_rng(3)
    truth = np.repeat([0, 1, 2], 20)
    runs = np.where(rng.random((15, 60)) < 0.4, rng.integers(0, 3, (15, 60)), truth)
    tree = linkage(squareform(1.0 - pair_by_pair(runs, np.ones(15)), checks=False), "average")
    expected = fcluster(tree, 3, "maxclust")
    assert nmi(expected, cspa(runs, 3)) == pytest.approx(1.0)


@pytest.mark.parametrize("n_clusters", [1, 2, 3, 4, 7])
def test_average_linkage_gives_so_many_clusters_even_with_ties(n_clusters):
    labels = cspa([[0, 0, 0, 1, 1, 2, 2]] * 3, n_clusters)
    assert len(np.unique(labels)) == n_clusters


def test_sparse_graph_keeps_the_largest_entries():
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 3, (40, 25))
    edges, weights = hyperedges(labels), np.ones(40)
    S = pair_by_pair(labels, weights)
    np.fill_diagonal(S, 0.0)
    graph = module.coassociation_graph(edges, weights, 3, 4, np.random.default_rng(0)).toarray()
    np.testing.assert_array_equal(graph, graph.T)
    for row, sparse_row in zip(S, graph, strict=True):
        fourth = np.sort(row)[-4]
        assert (sparse_row[row > fourth] > 0).all()
        assert np.count_nonzero(sparse_row) >= 4
    np.testing.assert_allclose(graph[graph > 0], S[graph > 0], rtol=1e-6)
    full = module.coassociation_graph(edges, weights, 3, None, np.random.default_rng(0)).toarray()
    np.testing.assert_allclose(full, S, rtol=1e-6)


def test_sparse_graph_holds_groups_that_are_always_together_to_each_other():
    # Four groups of 16, alike in all runs: five neighbours do not lead out of them.
    rows, columns = np.arange(64) // 32, np.arange(64) % 2
    edges = hyperedges(np.array([rows, rows, columns]))
    graph = module.coassociation_graph(edges, np.ones(3), 2, 5, np.random.default_rng(0))
    assert csgraph.connected_components(graph)[0] <= 2
    np.testing.assert_array_equal(
        cspa([rows, rows, columns], 2, partitioner="spectral", n_neighbors=5, random_state=0), rows
    )


@pytest.mark.parametrize("n_neighbors", [None, 3])
def test_spectral_where_runs_agree_on_more_clusters_than_wanted(n_neighbors):
    truth = np.repeat(np.arange(5), 8)
    labels = cspa([truth] * 4, 2, partitioner="spectral", n_neighbors=n_neighbors, random_state=0)
    assert len(np.unique(labels)) == 2
    # Nothing that no run splits is split.
    assert all(len(np.unique(labels[truth == c])) == 1 for c in range(5))


@pytest.mark.parametrize("partitioner", ["average", "spectral"])
def test_memory_is_checked_first(partitioner, monkeypatch):
    def never(*args, **kwargs):
        raise AssertionError("compared pairs")

    monkeypatch.setattr(module, "coassociation_blocks", never)
    runs = np.zeros((2, 5000), dtype=int)
    with pytest.raises(
        ValueError, match=r"all pairs of 5000 samples .* max_memory=1000000 bytes .*n_neighbors"
    ):
        cspa(runs, 2, partitioner=partitioner, max_memory=10**6)


def test_the_partitioner_without_pairs_is_named():
    runs = np.repeat([[0, 1]], 100_000, axis=1)
    with pytest.raises(ValueError, match="partitioner='svd', which does not compare pairs"):
        cspa(runs, 2)


@pytest.mark.slow
def test_neighbors_need_less_memory():
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1], 200)
    runs = np.where(rng.random((20, 400)) < 0.3, rng.integers(0, 2, (20, 400)), truth)
    with pytest.raises(ValueError, match="max_memory"):
        cspa(runs, 2, partitioner="spectral", max_memory=10**6)
    labels = cspa(runs, 2, partitioner="spectral", n_neighbors=15, max_memory=10**6, random_state=0)
    assert nmi(truth, labels) > 0.9
    with pytest.raises(ValueError, match="decrease n_neighbors"):
        cspa(runs, 2, partitioner="spectral", n_neighbors=100, max_memory=10**6)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_neighbors": 3}, "n_neighbors requires partitioner='metis' or 'spectral'"),
        (
            {"n_neighbors": 3, "partitioner": "svd"},
            "n_neighbors requires partitioner='metis' or 'spectral'; 'svd' uses no graph",
        ),
        ({"n_neighbors": 0, "partitioner": "spectral"}, "n_neighbors must be an integer from 1"),
    ],
)
def test_options_that_do_not_fit_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        cspa(RUNS, 2, **options)
