"""Adjusted Rand indices of two sets of partitions, against scikit-learn and against pairs listed."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from moo_clustering._kernels import threads as parts
from moo_clustering._kernels.partitions import pairs_in_common
from moo_clustering.validity import external as module
from moo_clustering.validity import pairwise_ari

SIX = np.array([[int(c) for c in row] for row in ("000111", "001111", "001122", "010101")])


def partitions(rng, n_samples, ks):
    return np.array([np.unique(rng.integers(0, k, n_samples), return_inverse=True)[1] for k in ks])


def by_scikit_learn(A, B):
    return np.array([[adjusted_rand_score(a, b) for b in B] for a in A])


def common_pairs(a, b):
    """Twin of the kernel: the table of counts by a product of indicators."""
    table = (a[:, None] == np.arange(a.max() + 1)).T.astype(int) @ (b[:, None] == np.arange(b.max() + 1))
    return int((table * (table - 1) // 2).sum())


def test_worked_example():
    ab, ac, bc, ad, bd, cd = 12 / 37, 8 / 33, 4 / 9, -1 / 9, -8 / 37, -4 / 11
    expected = [[1, ab, ac, ad], [ab, 1, bc, bd], [ac, bc, 1, cd], [ad, bd, cd, 1]]
    np.testing.assert_allclose(pairwise_ari(SIX), expected, atol=1e-12)
    np.testing.assert_allclose(pairwise_ari(SIX[0], SIX[[2, 3]]), [[ac, ad]], atol=1e-12)


@pytest.mark.parametrize("most_cells", [0, 40, 4096])
@pytest.mark.parametrize("n", [2, 3, 60, 301])
def test_equals_scikit_learn_with_tables_and_without(n, most_cells, monkeypatch):
    monkeypatch.setattr(module, "CACHED_COUNTERS", most_cells)
    rng = np.random.default_rng(n)
    A = partitions(rng, n, [1, 2, 3, 7, 40, n, 10 * n])
    B = np.vstack([A[2:5], partitions(rng, n, [5, 90]), np.zeros(n, dtype=int), np.arange(n)])
    np.testing.assert_allclose(pairwise_ari(A, B), by_scikit_learn(A, B), atol=1e-12, rtol=0)
    np.testing.assert_allclose(pairwise_ari(A), by_scikit_learn(A, A), atol=1e-12, rtol=0)


@pytest.mark.parametrize("most_cells", [0, 12, 4096])
def test_kernels_equal_their_twins(most_cells, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    A, B = (partitions(rng, 50, ks).astype(np.int32) for ks in ([2, 9, 60, 1], [3, 4, 80]))
    k_A, k_B = (labels.max(axis=1).astype(np.int64) + 1 for labels in (A, B))
    common = np.full((4, 3), -1)
    pairs_in_common(A, k_A, B, k_B, most_cells, False, 1, 4, common)
    assert common[0].tolist() == [-1, -1, -1]
    np.testing.assert_array_equal(common[1:], [[common_pairs(a, b) for b in B] for a in A[1:]])
    own = np.full((4, 4), -1)
    pairs_in_common(A, k_A, A, k_A, most_cells, True, 0, 4, own)
    for a, b in np.ndindex(4, 4):
        assert own[a, b] == (common_pairs(A[a], A[b]) if b >= a else -1)
    np.testing.assert_array_equal(module.CountedPartitions(A).n_pairs, np.diag(own))


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_is_agreement_of_pairs_corrected_for_chance(data):
    n = data.draw(st.integers(2, 9))
    first, second = (np.array(data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))) for _ in "ab")
    together = [[row[i] == row[j] for i, j in combinations(range(n), 2)] for row in (first, second)]
    both, a, b = np.sum(np.logical_and(*together)), np.sum(together[0]), np.sum(together[1])
    expected, largest = a * b / len(together[0]), (a + b) / 2
    wanted = 1.0 if largest == expected else (both - expected) / (largest - expected)
    assert pairwise_ari(first, second)[0, 0] == pytest.approx(wanted, abs=1e-12)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 1000))
def test_names_of_clusters_order_of_samples_and_threads_change_no_digit(seed):
    rng = np.random.default_rng(seed)
    A = partitions(rng, 40, [2, 3, 5, 40, 90])
    expected = pairwise_ari(A)
    assert (expected == expected.T).all()
    codes = rng.choice(np.arange(-500, 500), 100, replace=False)
    order = rng.permutation(40)
    np.testing.assert_array_equal(pairwise_ari(codes[A][:, order]), expected)
    np.testing.assert_array_equal(pairwise_ari(codes[A][:, order], A[:, order]), expected)


def test_threads_change_no_digit(monkeypatch):
    monkeypatch.setattr(parts, "_WORTH_A_THREAD", 1)
    A = partitions(np.random.default_rng(2), 30, [2, 3, 30, 5, 6, 7, 8, 80])
    np.testing.assert_array_equal(pairwise_ari(A, n_jobs=3), pairwise_ari(A, n_jobs=1))
    np.testing.assert_array_equal(pairwise_ari(A, A[:3], n_jobs=3), pairwise_ari(A, n_jobs=1)[:, :3])


def test_trivial_partitions():
    one, apart, halves = [0, 0, 0, 0], [0, 1, 2, 3], [0, 0, 1, 1]
    found = pairwise_ari([one, apart, halves], [[5, 5, 5, 5], [9, 7, 5, 3], halves])
    np.testing.assert_array_equal(found, np.eye(3))
    np.testing.assert_array_equal(pairwise_ari([[3], [4]]), np.ones((2, 2)))


def test_large_counts_stay_exact():
    n = 400_000
    halves, ends = np.arange(n) % 2, np.zeros(n, dtype=int)
    ends[-1] = 1
    labels = np.array([halves, ends, halves])
    found = pairwise_ari(labels)
    np.testing.assert_allclose(found[0, 1], adjusted_rand_score(halves, ends), atol=1e-12)
    assert found[0, 2] == 1.0


def test_empty_sets_and_bad_input():
    assert pairwise_ari(np.zeros((0, 3), dtype=int)).shape == (0, 0)
    assert pairwise_ari(np.zeros((2, 3), dtype=int), np.zeros((0, 3), dtype=int)).shape == (2, 0)
    with pytest.raises(ValueError, match="same number of samples, got 3 and 2"):
        pairwise_ari([[0, 0, 1]], [[0, 1]])
    with pytest.raises(ValueError, match="A must have at least one sample"):
        pairwise_ari(np.zeros((2, 0), dtype=int))
    with pytest.raises(ValueError, match=r"B must be integers, got 0\.5"):
        pairwise_ari([[0, 1]], [[0.5, 1]])
    with pytest.raises(TypeError, match="A must be integers"):
        pairwise_ari([["a", "b"]])
