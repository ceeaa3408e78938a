"""Scores of classes as probabilities."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moo_clustering.evidence import class_probabilities


def test_by_hand():
    # Rows (3/4, 1/4) and (0, 1) have means (3/8, 5/8): factors sqrt(4/3) and sqrt(4/5) for equal shares.
    P = class_probabilities([[0.75, 0.25], [-2.0, 1.0]], [0.5, 0.5])
    a, b = 0.75 * np.sqrt(4 / 3), 0.25 * np.sqrt(4 / 5)
    np.testing.assert_allclose(P[0], [a / (a + b), b / (a + b)], rtol=1e-8)
    np.testing.assert_allclose(P[1], [1e-9 * np.sqrt(5 / 3), 1.0], rtol=1e-7)


def test_shares_as_expected_change_nothing():
    F = np.array([[0.9, 0.1], [0.5, 0.5], [0.7, 0.3]])
    np.testing.assert_allclose(class_probabilities(F, [0.7, 0.3]), F, rtol=1e-12)


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 8), st.integers(1, 5), st.integers(0, 999))
def test_step_by_step(n, K, seed):
    rng = np.random.default_rng(seed)
    F, prior = rng.normal(size=(n, K)), rng.dirichlet(np.ones(K)) + 1e-3
    expected = np.array([[max(f, 1e-9) for f in row] for row in F])
    expected = np.array([row / sum(row) for row in expected])
    expected = np.array([row * (prior / expected.mean(axis=0)) ** 0.5 for row in expected])
    expected = np.array([row / sum(row) for row in expected])
    given_scores = F.copy()
    np.testing.assert_allclose(class_probabilities(F, prior), expected, rtol=1e-10)
    np.testing.assert_array_equal(F, given_scores)


@pytest.mark.parametrize(
    ("F", "prior", "message"),
    [
        ([1.0, 2.0], [0.5, 0.5], "F must have"),
        ([[1.0, np.nan]], [0.5, 0.5], "finite"),
        ([[1.0, 2.0]], [1.0], "prior must be 2"),
        ([[1.0, 2.0]], [1.0, 0.0], "above 0"),
    ],
)
def test_refusals(F, prior, message):
    with pytest.raises(ValueError, match=message):
        class_probabilities(F, prior)
