"""Similarity cut by partitions, against the double sum."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from moo_clustering.validity import BoundaryCut, boundary_cut


def naive(labels, S):
    n = len(labels)
    return sum(S[i, j] for i in range(n) for j in range(i + 1, n) if labels[i] != labels[j])


def test_by_hand():
    S = [[0, 1, 2, 0], [1, 0, 4, 8], [2, 4, 0, 16], [0, 8, 16, 0]]
    labels = [[0, 0, 0, 0], [0, 0, 1, 1], [0, 1, 2, 3], [0, 1, 1, 0]]
    np.testing.assert_array_equal(boundary_cut(labels, S), [0, 14, 31, 27])
    assert not BoundaryCut.greater_is_better


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_equals_the_double_sum_whatever_the_diagonal(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 15))
    S = rng.random((n, n)) * (rng.random((n, n)) < 0.5)
    S += S.T
    labels = np.array([np.unique(rng.integers(0, n, n), return_inverse=True)[1] for _ in range(5)])
    expected = [naive(row, S) for row in labels]
    np.testing.assert_allclose(boundary_cut(labels, S), expected, atol=1e-12)
    np.testing.assert_allclose(boundary_cut(labels, csr_array(S)), expected, atol=1e-12)


def test_bad_graphs_are_refused():
    with pytest.raises(ValueError, match="S must be a square matrix of similarities"):
        BoundaryCut().fit(np.zeros((3, 2)))
