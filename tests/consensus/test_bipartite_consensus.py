"""HBGF and HGPA: the bipartite graph and its singular vectors."""

import numpy as np
import pytest

from moo_clustering.consensus import hbgf, hgpa
from moo_clustering.consensus import hypergraph as module
from moo_clustering.validity import nmi
from moo_clustering.validity.ensembles import hyperedges


def noisy(n=80, k=4, n_runs=12, unseen=0.2, seed=0):
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % k
    runs = np.where(rng.random((n_runs, n)) < 0.4, rng.integers(0, k, (n_runs, n)), truth)
    return np.where(rng.random(runs.shape) < unseen, -1, runs), truth


def test_graph_links_objects_with_their_hyperedges():
    edges = hyperedges([[0, 0, 1], [-1, 0, 0]])
    graph = module.bipartite_graph(edges, np.array([1.0, 3.0])).toarray()
    H = np.array([[1, 1, 0], [0, 0, 1], [0, 3, 3]])
    np.testing.assert_array_equal(graph, np.block([[np.zeros((3, 3)), H.T], [H, np.zeros((3, 3))]]))


@pytest.mark.parametrize("dense", [2000, 3])
def test_singular_vectors_are_those_of_the_scaled_incidence_matrix(dense, monkeypatch):
    monkeypatch.setattr(module, "MOST_DENSE_EDGES", dense)
    runs, _ = noisy()
    edges, weights = hyperedges(runs), np.linspace(1.0, 2.0, len(runs))
    H = edges.matrix(weights).toarray()
    A = H.T / np.sqrt(H.sum(axis=0))[:, None] / np.sqrt(H.sum(axis=1))
    left, values, _ = np.linalg.svd(A, full_matrices=False)
    assert values[3] - values[4] > 0.05
    found, _ = module._singular_vectors(edges, weights, 4, seed=0)
    # The span is what is determined; rows of the same span have the same angles between them.
    expected = left[:, :4] / np.linalg.norm(left[:, :4], axis=1, keepdims=True)
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-4)


@pytest.mark.parametrize(
    ("consensus", "options"), [(hbgf, {"partitioner": "spectral"}), (hgpa, {"approximation": "spectral"})]
)
def test_few_ways_to_differ_are_the_clusters(consensus, options):
    runs = [[0, 0, 1, 1, 1], [0, 0, 0, 0, 1]]
    assert consensus(runs, 4, **options).tolist() == [0, 0, 1, 1, 2]


def test_many_hyperedges(monkeypatch):
    monkeypatch.setattr(module, "MOST_DENSE_EDGES", 10)
    runs, truth = noisy(unseen=0.0)
    assert nmi(truth, hbgf(runs, 4, partitioner="spectral", random_state=0)) > 0.9
    assert nmi(truth, hgpa(runs, 4, approximation="spectral", random_state=0)) > 0.9


@pytest.mark.parametrize(
    ("consensus", "options"),
    [
        (hbgf, {"partitioner": "spectral"}),
        (hbgf, {"partitioner": "metis"}),
        (hgpa, {"approximation": "spectral"}),
    ],
)
def test_weights_decide_between_two_partitions_and_count_as_copies(consensus, options):
    if "metis" in options.values():
        pytest.importorskip("pymetis")
    samples = np.arange(80)
    heavy, light = samples % 4, samples // 20
    runs, weights = np.array([heavy, heavy, light, light, light]), np.array([4, 4, 1, 1, 1])
    weighted = consensus(runs, 4, weights=weights, random_state=0, **options)
    copied = consensus(np.repeat(runs, weights, axis=0), 4, random_state=0, **options)
    assert nmi(weighted, heavy) == nmi(copied, heavy) == 1.0
    assert nmi(consensus(runs, 4, random_state=0, **options), light) == 1.0
