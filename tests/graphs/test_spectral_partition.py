"""Spectral clustering of graphs: worked labels, disconnected graphs, extremes of K."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from moo_clustering.graphs import knn_graph, neighbor_lists, spectral_partition
from moo_clustering.graphs import spectral as partition_module

WORKED = np.zeros((5, 5))
for (i, j), value in {
    (0, 1): 33, (1, 0): 23, (1, 2): 10, (2, 3): 11, (2, 4): 22, (3, 2): 33, (4, 2): 10, (4, 3): 23,
}.items():  # fmt: skip
    WORKED[i, j] = value / 45


def rng(seed=0) -> np.random.Generator:
    return np.random.default_rng(seed)


def three_blobs(n=30, seed=0):
    X = np.vstack(
        [rng(seed + s).normal(size=(n, 2)) + centre for s, centre in enumerate([[0, 0], [90, 0], [0, 200]])]
    )
    return X, knn_graph(neighbor_lists(X, 5, rng=rng()))


@pytest.mark.parametrize("laplacian", ["sym", "unnormalized", "rw"])
def test_worked_labels(laplacian):
    result = spectral_partition(WORKED, 2, laplacian=laplacian, rng=rng())
    assert result.labels.tolist() == [0, 0, 1, 1, 1]
    assert result.labels.dtype == np.int32
    assert result.n_components == 1
    assert result.embedding.shape == (5, 2)
    assert result.eigenvalues.shape == (3,)
    np.testing.assert_array_equal(result.similarity.toarray(), np.maximum(WORKED, WORKED.T))


@pytest.mark.parametrize("laplacian", ["sym", "unnormalized", "rw"])
@pytest.mark.parametrize("bridge", [True, False])
def test_three_far_blobs(laplacian, bridge):
    X, S = three_blobs()
    result = spectral_partition(S, 3, laplacian=laplacian, bridge=bridge, X=X, rng=rng())
    np.testing.assert_array_equal(result.labels, np.repeat([0, 1, 2], 30))
    assert result.n_components == 3


@pytest.mark.parametrize("laplacian", ["sym", "unnormalized", "rw"])
@pytest.mark.parametrize("precomputed", [False, True])
def test_three_far_blobs_in_two_clusters(laplacian, precomputed):
    X, S = three_blobs()
    given, metric = (cdist(X, X), "precomputed") if precomputed else (X, "euclidean")
    one, again = (
        spectral_partition(S, 2, laplacian=laplacian, X=given, metric=metric, rng=rng()).labels
        for _ in range(2)
    )
    np.testing.assert_array_equal(one, again)
    # The bridges go from the first blob to the other two, which therefore do not stay together.
    kept = one.reshape(3, 30)
    assert (kept == kept[:, :1]).all()
    assert kept[1, 0] != kept[2, 0]


@pytest.mark.parametrize("laplacian", ["sym", "unnormalized"])
def test_isolated_sample(laplacian):
    X, _ = three_blobs()
    X = np.vstack([X, [[-30.0, -30.0]]])
    S = sp.block_diag([three_blobs()[1], sp.csr_array((1, 1))]).tocsr()
    result = spectral_partition(S, 3, laplacian=laplacian, X=X, rng=rng())
    assert result.n_components == 4
    np.testing.assert_array_equal(result.labels[:90], np.repeat([0, 1, 2], 30))
    # Nearest blob: the first.
    assert result.labels[90] == 0
    assert (np.diff(result.similarity.indptr) > 0).all()


def test_more_components_than_clusters_without_bridges_warns():
    X, S = three_blobs()
    with pytest.warns(UserWarning, match="3 components, more than n_clusters=2"):
        labels = spectral_partition(S, 2, bridge=False, rng=rng()).labels
    assert labels.shape == (90,)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        spectral_partition(S, 2, X=X, rng=rng())
        spectral_partition(S, 4, bridge=False, rng=rng())


def test_bridging_needs_the_data():
    with pytest.raises(ValueError, match="3 components and bridge=True needs X"):
        spectral_partition(three_blobs()[1], 3, rng=rng())


@pytest.mark.parametrize("laplacian", ["sym", "unnormalized"])
def test_one_cluster_and_every_sample_on_its_own(laplacian):
    assert spectral_partition(WORKED, 1, laplacian=laplacian, rng=rng()).labels.tolist() == [0] * 5
    assert spectral_partition(WORKED, 5, laplacian=laplacian, rng=rng()).labels.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("n_clusters", [0, 6])
def test_number_of_clusters_out_of_range(n_clusters):
    with pytest.raises(ValueError, match="n_clusters must be from 1 to n_samples=5"):
        spectral_partition(WORKED, n_clusters, rng=rng())


def test_two_samples():
    S = np.array([[0.0, 1.0], [1.0, 0.0]])
    assert spectral_partition(S, 2, rng=rng()).labels.tolist() == [0, 1]
    assert spectral_partition(S, 1, rng=rng()).labels.tolist() == [0, 0]
    apart = spectral_partition(np.zeros((2, 2)), 2, X=[[0.0], [1.0]], rng=rng())
    assert (apart.labels.tolist(), apart.n_components) == ([0, 1], 2)


def test_same_seed_same_labels():
    X = rng(4).normal(size=(300, 2))
    S = knn_graph(neighbor_lists(X, 6, rng=rng()))
    one, two = (spectral_partition(S, 5, X=X, rng=rng(9)).labels for _ in range(2))
    np.testing.assert_array_equal(one, two)


def test_large_data_is_assigned_to_centres_fitted_on_a_part(monkeypatch):
    X, S = three_blobs(n=80)
    monkeypatch.setattr(partition_module, "FITTED_IN_FULL", 100)
    monkeypatch.setattr(partition_module, "FITTED_SAMPLE", 60)
    labels = spectral_partition(S, 3, X=X, rng=rng()).labels
    np.testing.assert_array_equal(labels, np.repeat([0, 1, 2], 80))


@pytest.mark.slow
@pytest.mark.parametrize("laplacian", ["sym", "unnormalized"])
def test_twenty_thousand_samples_in_bridged_blobs(laplacian):
    generator = rng(2)
    y = np.repeat(np.arange(8), 2500)
    X = np.stack(np.meshgrid([0, 1], [0, 1], [0, 1]), axis=-1).reshape(8, 3)[y] * 100.0
    X += generator.random(X.shape)
    lists = neighbor_lists(X, 10, rng=generator)
    result = spectral_partition(knn_graph(lists), 8, laplacian=laplacian, X=X, lists=lists, rng=rng())
    assert result.n_components >= 8
    np.testing.assert_array_equal(result.labels, y)
