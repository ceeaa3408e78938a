"""Pairs as a matrix and their propagation."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.evidence import pair_matrix, propagate_pairs
from moo_clustering.graphs import spectral_cuts


def affinity(n, seed):
    rng = np.random.default_rng(seed)
    W = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 0.5))
    return np.maximum(W, W.T) + 0.01 * (1 - np.eye(n))


def entry_by_entry(W, Z, alpha):
    n = len(W)
    d = W.sum(axis=1)
    R = np.linalg.inv(np.eye(n) - alpha * W / np.sqrt(np.outer(d, d)))
    F = R @ Z @ R
    if np.abs(F).max() > 0:
        F = F / np.abs(F).max()
    out = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            if F[i, j] >= 0:
                out[i, j] = 1 - (1 - F[i, j]) * (1 - W[i, j]) + 1e-9
            else:
                out[i, j] = (1 + F[i, j]) * W[i, j] + 1e-9
    return out


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 9), st.floats(0.0, 0.95), st.integers(0, 999))
def test_entry_by_entry(n, alpha, seed):
    rng = np.random.default_rng(seed)
    W = affinity(n, seed)
    pairs = rng.integers(n, size=(6, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    constraints = PairwiseConstraints(pairs[::2], pairs[1::2], n_samples=n)
    Z = np.zeros((n, n))
    for i, j in constraints.must_link:
        Z[i, j] += 1
        Z[j, i] += 1
    for i, j in constraints.cannot_link:
        Z[i, j] -= 1
        Z[j, i] -= 1
    np.testing.assert_array_equal(pair_matrix(constraints).toarray(), Z)
    found = propagate_pairs(W, constraints, alpha=alpha)
    np.testing.assert_allclose(found, entry_by_entry(W, Z, alpha), atol=1e-9)
    np.testing.assert_array_equal(found, found.T)
    np.testing.assert_array_equal(propagate_pairs(sp.csr_array(W), Z, alpha=alpha), found)
    # Order of samples doesn't matter.
    order = rng.permutation(n)
    moved = propagate_pairs(W[np.ix_(order, order)], Z[np.ix_(order, order)], alpha=alpha)
    np.testing.assert_allclose(moved, found[np.ix_(order, order)], atol=1e-9)


def test_without_pairs_nothing_changes():
    W = affinity(5, 0)
    given_similarities = W.copy()
    found = propagate_pairs(W, PairwiseConstraints(n_samples=5), alpha=0.9)
    np.testing.assert_array_equal(found, W + 1e-9)
    np.testing.assert_array_equal(W, given_similarities)


def test_one_cannot_link_separates_what_the_graph_leaves_open():
    # A ring of two chains: only the pairs say which of its cuts is meant.
    n = 12
    W = np.zeros((n, n))
    ring = np.arange(n)
    W[ring, (ring + 1) % n] = W[(ring + 1) % n, ring] = 0.8
    truth = (ring >= n // 2).astype(int)
    constraints = PairwiseConstraints([(0, 5), (6, 11)], [(0, 11), (5, 6)], n_samples=n)
    changed = propagate_pairs(W, constraints, alpha=0.9)
    found = spectral_cuts(changed, [2], rng=np.random.default_rng(0))[0]
    np.testing.assert_array_equal(found, truth)


def test_lifted_pairs_add_up():
    constraints = PairwiseConstraints([(0, 2), (1, 3), (0, 1)], [(1, 2), (4, 0), (4, 1)], n_samples=5)
    Z = pair_matrix(constraints, landmark_of=[0, 0, 1, 1, 2], n=4).toarray()
    expected = np.zeros((4, 4))
    expected[0, 1] = expected[1, 0] = 1.0
    expected[0, 2] = expected[2, 0] = -2.0
    np.testing.assert_array_equal(Z, expected)


def test_weights_are_the_sizes_of_the_signs():
    constraints = PairwiseConstraints(
        [(0, 1)], [(1, 2)], n_samples=3, must_link_weights=[2.0], cannot_link_weights=[0.5]
    )
    np.testing.assert_array_equal(pair_matrix(constraints).toarray(), [[0, 2, 0], [2, 0, -0.5], [0, -0.5, 0]])


def test_refusals():
    W, constraints = affinity(4, 0), PairwiseConstraints([(0, 1)], n_samples=4)
    for alpha in (1.0, -0.5):
        with pytest.raises(ValueError, match="alpha must be"):
            propagate_pairs(W, constraints, alpha=alpha)
    with pytest.raises(ValueError, match="about 4 samples, not 5"):
        propagate_pairs(affinity(5, 0), constraints, alpha=0.5)
    with pytest.raises(ValueError, match="must be a matrix of shape"):
        propagate_pairs(W, np.zeros((3, 3)), alpha=0.5)
    with pytest.raises(ValueError, match="symmetric"):
        propagate_pairs(W, np.triu(np.ones((4, 4))), alpha=0.5)
    with pytest.raises(ValueError, match="W must be a square"):
        propagate_pairs(W[:3], constraints, alpha=0.5)
    with pytest.raises(ValueError, match="landmark_of must be below n=2"):
        pair_matrix(constraints, landmark_of=[0, 1, 2, 1], n=2)
    with pytest.raises(ValueError, match="landmark_of must be 4 integers"):
        pair_matrix(constraints, landmark_of=[0, 1])
