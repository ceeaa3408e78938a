"""CSPA by a low-rank factor: the same eigenvectors as of the whole matrix, for any number of objects."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.linalg import subspace_angles

from moo_clustering.consensus import cspa
from moo_clustering.consensus import hypergraph as module
from moo_clustering.consensus.hypergraph import leading_vectors, merge_equal_runs
from moo_clustering.validity import nmi
from moo_clustering.validity.ensembles import hyperedges

EXAMPLE = np.array([[0, 0, 0, 1, 1], [1, 1, 0, 0, 0], [0, 0, 0, 1, 1]])


def dense(labels, weights):
    """Deg^(-1/2) C Deg^(-1/2), C_ij the weight of the runs that have seen i and j together."""
    n = labels.shape[1]
    C = np.zeros((n, n))
    for run, weight in zip(labels, weights, strict=True):
        C += weight * ((run[:, None] == run) & (run[:, None] >= 0))
    root = 1.0 / np.sqrt(C.sum(axis=1))
    return C, root[:, None] * C * root


def noisy(n=80, k=3, n_runs=12, seed=0, noise=0.3):
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % k
    runs = np.where(rng.random((n_runs, n)) < noise, rng.integers(0, k, (n_runs, n)), truth)
    return runs, truth


def test_worked_example():
    C, _ = dense(EXAMPLE, np.ones(3) / 3)
    np.testing.assert_allclose(
        [C[0, 1], C[0, 2], C[2, 3], C[0, 3], C[3, 4]], [1, 2 / 3, 1 / 3, 0, 1], atol=1e-15
    )
    for seed in range(5):
        labels = cspa(EXAMPLE, 2, partitioner="svd", random_state=seed)
        np.testing.assert_array_equal(labels, [0, 0, 0, 1, 1])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("unseen", [0.0, 0.2])
@pytest.mark.parametrize("lanczos", [False, True])
def test_subspace_of_the_dense_matrix(weighted, unseen, lanczos, monkeypatch):
    runs, _ = noisy()
    rng = np.random.default_rng(1)
    runs = np.where(rng.random(runs.shape) < unseen, -1, runs)
    weights = np.linspace(0.5, 2.0, len(runs)) if weighted else np.ones(len(runs))
    if lanczos:
        monkeypatch.setattr(module, "MOST_DENSE_EDGES", 1)
    vectors, values = leading_vectors(hyperedges(runs), weights, 3)
    expected_values, expected = np.linalg.eigh(dense(runs, weights)[1])
    # A gap, without which there is no such subspace.
    assert expected_values[-3] - expected_values[-4] > 0.05
    np.testing.assert_allclose(values, expected_values[:-4:-1], atol=1e-10)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(3), atol=1e-10)
    assert np.sin(subspace_angles(vectors, expected[:, -3:])).max() < 1e-8


def test_equal_objects_count_as_often_as_there_are():
    runs, _ = noisy(n=30, n_runs=5)
    share = np.random.default_rng(0).integers(1, 5, 30)
    copies = np.repeat(np.arange(30), share)
    few, values = leading_vectors(hyperedges(runs), np.ones(5), 3, share=share.astype(float))
    all_of_them, expected = leading_vectors(hyperedges(runs[:, copies]), np.ones(5), 3)
    np.testing.assert_allclose(values, expected, atol=1e-12)
    assert np.sin(subspace_angles(few[copies], all_of_them)).max() < 1e-8


@settings(max_examples=30, deadline=None)
@given(
    arrays(np.int64, st.tuples(st.integers(1, 5), st.integers(2, 10)), elements=st.integers(0, 2)),
    st.integers(1, 4),
)
def test_eigenvalues_of_any_runs(labels, n_vectors):
    _, values = leading_vectors(hyperedges(labels), np.ones(len(labels)), n_vectors)
    expected = np.linalg.eigvalsh(dense(labels, np.ones(len(labels)))[1])[::-1][:n_vectors]
    kept = expected[expected > 1e-9]
    np.testing.assert_allclose(values[: len(kept)], kept, atol=1e-9)
    assert values[0] == pytest.approx(1.0)


def test_equal_runs_are_one_of_more_weight():
    runs, _ = noisy(n_runs=4)
    renamed = 2 - runs[1]
    edges, weights = merge_equal_runs(
        hyperedges(np.vstack([runs, renamed, runs[0], renamed])), np.arange(1.0, 8.0)
    )
    assert edges.n_runs == 4
    np.testing.assert_array_equal(weights, [1 + 6, 2 + 5 + 7, 3, 4])
    np.testing.assert_array_equal(edges.codes, hyperedges(runs).codes)


def test_repeated_runs_are_worth_their_number():
    runs, _ = noisy(n_runs=6, noise=0.5)
    times = [3, 1, 1, 2, 1, 1]
    np.testing.assert_array_equal(
        cspa(np.repeat(runs, times, axis=0), 3, partitioner="svd", random_state=0),
        cspa(runs, 3, partitioner="svd", weights=times, random_state=0),
    )


@pytest.mark.parametrize("seed", range(3))
def test_objects_in_another_order(seed):
    runs, _ = noisy(seed=seed)
    order = np.random.default_rng(seed).permutation(runs.shape[1])
    here = cspa(runs, 3, partitioner="svd", random_state=0)
    there = cspa(runs[:, order], 3, partitioner="svd", random_state=0)
    assert nmi(here[order], there) == pytest.approx(1.0)


def test_more_clusters_than_all_runs_have():
    with pytest.raises(
        ValueError, match=r"n_clusters=5 must not exceed the total number of clusters in all runs, 4"
    ):
        cspa([[0, 0, 1, 1, 1, 0], [0, 1, 0, 1, 0, 1]], 5, partitioner="svd")
    labels = cspa([[0, 0, 1, 1, 1, 0], [0, 1, 0, 1, 0, 1]], 4, partitioner="svd", random_state=0)
    # As many as there are different objects.
    np.testing.assert_array_equal(labels, [0, 1, 2, 3, 2, 1])
    # Four clusters of both runs together, but only two different objects.
    labels = cspa([[0, 0, 1, 1, 1, 0], [1, 1, 0, 0, 0, 1]], 4, partitioner="svd", random_state=0)
    np.testing.assert_array_equal(labels, [0, 0, 1, 1, 1, 0])


@pytest.mark.slow
def test_a_hundred_thousand_objects():
    runs, truth = noisy(n=100_000, k=4, n_runs=20)
    tracemalloc.start()
    labels = cspa(runs, 4, partitioner="svd", random_state=0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert nmi(truth, labels) > 0.95
    # Several arrays of (n_runs, n_samples), nothing of n_samples^2.
    assert peak < 300e6


def test_more_groups_that_never_meet_than_clusters():
    # Of three eigenvalues 1 two are taken, so that one group is in none of the vectors.
    labels = cspa([[0, 0, 1, 1, 2]], 2, partitioner="svd", random_state=0)
    assert labels[0] == labels[1]
    assert labels[2] == labels[3]
    assert set(labels.tolist()) == {0, 1}
