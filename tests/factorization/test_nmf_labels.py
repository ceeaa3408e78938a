"""Labels and weights from factors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, sparse

from moo_clustering.factorization import document_weights, labels_from_factors, nmf, topic_lengths


def test_largest_weight_of_unit_topics():
    U = np.array([[3.0, 0.0], [4.0, 1.0]])
    V = np.array([[1.0, 4.0], [1.0, 6.0], [0.0, 0.0], [0.2, 1.0]])
    # lengths 5 and 1: weights 5|4, 5|6, 0|0, 1|1
    labels = labels_from_factors(U, V)
    assert labels.tolist() == [0, 1, 0, 0]
    assert labels.dtype == np.int32
    assert labels_from_factors(U, V, unit_topics=False).tolist() == [1, 1, 0, 1]
    np.testing.assert_array_equal(
        labels_from_factors(np.stack([U, U]), np.stack([V, V[::-1]]))[1], labels[::-1]
    )


def test_topics_without_terms_stay():
    U = np.array([[2.0, 0.0]])
    assert topic_lengths(U).tolist() == [2.0, 1.0]
    assert labels_from_factors(U, np.array([[1.0, 1.5], [1.0, 2.5]])).tolist() == [0, 1]


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_labels_do_not_depend_on_the_scale(seed, k):
    rng = np.random.default_rng(seed)
    U, V = rng.random((7, k)), rng.random((9, k))
    # powers of two are exact
    s = 2.0 ** rng.integers(-20, 20, size=k)
    np.testing.assert_array_equal(labels_from_factors(U * s, V / s), labels_from_factors(U, V))


def test_labels_refuse_factors_that_do_not_fit():
    with pytest.raises(ValueError, match=r"same k; got \(3, 2\) and \(4, 1\)"):
        labels_from_factors(np.ones((3, 2)), np.ones((4, 1)))
    with pytest.raises(ValueError, match=r"got \(2, 3"):
        labels_from_factors(np.ones((2, 3, 2)), np.ones((4, 2)))


def test_runs_find_the_topics():
    rng = np.random.default_rng(0)
    classes = np.arange(60) % 3
    own = classes[:, None] == np.arange(90) // 30
    A = (rng.random((60, 90)) < np.where(own, 0.4, 0.02)).astype(float)
    runs = nmf(A, 3, seeds=np.random.SeedSequence(0).spawn(10))
    labels = labels_from_factors(runs.U, runs.V)[runs.best]
    pairs = {tuple(pair) for pair in np.column_stack([classes, labels]).tolist()}
    assert len(pairs) == 3


@pytest.mark.parametrize("kind", ["any", "dependent", "empty"])
def test_document_weights_are_least_squares(kind):
    rng = np.random.default_rng(4)
    A = sparse.random_array((12, 15), density=0.4, rng=rng, format="csr")
    U = rng.random((15, 4)) * (rng.random((15, 4)) < 0.5)
    if kind == "dependent":
        U[:, 3] = 2 * U[:, 1]
    if kind == "empty":
        U[:, 2] = 0
    A = sparse.vstack([A, sparse.csr_array((1, 15))]).tocsr()
    V = document_weights(A, U)
    assert (V >= 0).all()
    assert not V[12].any()
    if kind == "empty":
        assert not V[:, 2].any()
    for row, weights in zip(A.toarray(), V, strict=True):
        expected, residual = optimize.nnls(U, row)
        assert np.linalg.norm(row - U @ weights) == pytest.approx(residual, abs=1e-8)
        if kind == "any":
            np.testing.assert_allclose(weights, expected, atol=1e-8)
