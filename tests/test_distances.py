"""Distance matrices: exact where products cancel, checked where they come from outside."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist

from moo_clustering._distances import MAX_MEMORY, distance_matrix


def matrix(data, metric="euclidean"):
    return distance_matrix(data, metric, MAX_MEMORY, "Test")


def test_euclidean_is_accurate_for_close_pairs_and_far_offsets(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    centres = rng.normal(size=(10, 6)) * 1e3
    X = np.repeat(centres, 8, axis=0) + rng.normal(size=(80, 6)) * 1e-6
    X[3] = X[5]
    D = matrix(X)
    np.testing.assert_allclose(D, cdist(X, X), rtol=1e-7, atol=1e-12)
    assert D[3, 5] == 0.0
    np.testing.assert_array_equal(D, D.T)
    assert np.all(np.diagonal(D) == 0.0)


def test_precomputed_is_used_without_a_copy_when_exact():
    x = np.arange(5.0)
    D = np.abs(x[:, None] - x)
    assert matrix(D, "precomputed") is D or np.shares_memory(matrix(D, "precomputed"), D)


def test_small_asymmetry_is_averaged_in_a_copy():
    x = np.arange(5.0)
    D = np.abs(x[:, None] - x)
    D[0, 1] += 1e-9
    D[2, 2] = 1e-9
    kept = D.copy()
    found = matrix(D, "precomputed")
    np.testing.assert_array_equal(D, kept)
    np.testing.assert_array_equal(found, found.T)
    assert found[0, 1] == pytest.approx(1 + 0.5e-9, rel=1e-14)
    assert found[2, 2] == 0.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda D: D[:, :3], "square"),
        (lambda D: D - 5 * np.eye(4), "negative"),
        (lambda D: D + np.eye(4), "diagonal"),
        (lambda D: D + np.triu(np.full((4, 4), 0.1), 1), "must be symmetric, but differ by up to 0.1"),
        (lambda D: np.where(D == 3, np.inf, D), "infinity"),
    ],
)
def test_precomputed_is_checked(change, message):
    x = np.arange(4.0)
    with pytest.raises(ValueError, match=message):
        matrix(change(np.abs(x[:, None] - x)), "precomputed")


def test_metrics_that_fail():
    with pytest.raises(ValueError, match="must be finite"):
        matrix(np.array([[1.0, 1.0], [1.0, 2.0], [3.0, 3.0]]), "correlation")
    with pytest.raises(ValueError, match="nonsense"):
        matrix(np.eye(3), "nonsense")
    with pytest.raises(ValueError, match="negative"):
        matrix(np.array([[1.0], [2.0]]), lambda a, b: float(a[0] - b[0]))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32])
def test_cosine_distances_are_made_in_double_precision(dtype, global_random_seed):
    X = np.random.default_rng(global_random_seed).integers(-9, 10, size=(60, 4)).astype(dtype)
    X[:, 0] += 20  # no row of zeros yet, for which SciPy has no distance
    D = matrix(X, "cosine")
    np.testing.assert_allclose(D, cdist(X.astype(float), X.astype(float), "cosine"), atol=1e-15)
    np.testing.assert_array_equal(D, D.T)
    X[7] = 0
    D = matrix(X, "cosine")
    assert np.all(np.delete(D[7], 7) == 1.0)
    assert np.all(np.diagonal(D) == 0.0)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_sparse_features(metric):
    X = np.array([[1.0, 0, 2], [0, 3, 0], [1, 1, 0], [0, 0, 0]])
    np.testing.assert_allclose(matrix(csr_array(X), metric), matrix(X, metric), atol=1e-7)
