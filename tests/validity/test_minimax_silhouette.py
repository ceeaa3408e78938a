"""Silhouette of minimax paths, against a naive closure of the distances."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import pairwise_distances, silhouette_score
from threadpoolctl import threadpool_limits

from moo_clustering.validity import FuzzySilhouette, MinimaxSilhouette, Silhouette


def naive_minimax(D):
    """Floyd and Warshall with the longest step instead of the sum."""
    D = D.copy()
    for via in range(len(D)):
        D = np.minimum(D, np.maximum(D[:, via : via + 1], D[via]))
    return D


def test_by_hand():
    # Steps 1, 1, 5, 1: every sample has a = 1 and b = 5.
    index = MinimaxSilhouette().fit([[0.0], [1.0], [2.0], [7.0], [8.0]])
    np.testing.assert_allclose(index.evaluate([[0, 0, 0, 1, 1], [0, 0, 0, 0, 0]]), [0.8, -1.0])
    # 0 and 1: a = 1, b = (1 + 5 + 5) / 3; 2: a = 5, b = 1; 7 and 8: a = (5 + 1) / 2, b = 5.
    assert index.evaluate([0, 0, 1, 1, 1])[0] == pytest.approx((2 * 8 / 11 - 0.8 + 2 * 0.4) / 5)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000), ties=st.booleans())
def test_equals_scikit_learn_on_the_closure(seed, ties):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (25, 2)).astype(float) if ties else rng.normal(size=(25, 2))
    D = pairwise_distances(X)
    labels = np.array([np.arange(25) % k for k in (2, 3, 12, 24)])
    expected = [silhouette_score(naive_minimax(D), row, metric="precomputed") for row in labels]
    np.testing.assert_allclose(MinimaxSilhouette().fit(X).evaluate(labels), expected, atol=1e-9)
    found = MinimaxSilhouette("precomputed").fit(D).evaluate(labels)
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_prefers_rings_where_the_plain_one_does_not():
    angle = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    X = np.vstack([circle, 4 * circle])
    labels = np.array([np.repeat([0, 1], 60), (X[:, 0] > 0.01).astype(int)])
    rings, halves = MinimaxSilhouette().fit(X).evaluate(labels)
    assert rings > 0.8 > 0.2 > halves
    plain = Silhouette().fit(X).evaluate(labels)
    assert plain[0] < plain[1]


def test_duplicates_and_a_single_sample():
    X = np.array([[0.0], [0.0], [0.0], [3.0]])
    # Split duplicates have a = b = 0 or a = 0 < b: 0; the sample alone: 0; the two together: b = 0 too.
    np.testing.assert_array_equal(MinimaxSilhouette().fit(X).evaluate([[0, 0, 1, 2]]), [0.0])
    assert MinimaxSilhouette().fit(X).evaluate([0, 0, 0, 1])[0] == pytest.approx(3 / 4)
    assert MinimaxSilhouette().fit([[3.0, 4.0]]).evaluate([0])[0] == -1.0


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match=r"max_memory=15999999 bytes \(0.0149 GiB\)"):
        MinimaxSilhouette(max_memory=15_999_999).fit(np.zeros((1000, 1)))
    # Two matrices of 8 bytes for each of 100 pairs.
    MinimaxSilhouette(max_memory=1600).fit(np.zeros((10, 1)))
    with pytest.raises(TypeError, match="number of bytes"):
        MinimaxSilhouette(max_memory="4GB").fit([[0.0], [1.0]])
    with pytest.raises(ValueError, match="metric must be one of 'euclidean', 'precomputed'"):
        MinimaxSilhouette("cosine").fit([[0.0], [1.0]])
    with pytest.raises(ValueError, match="NaN"):
        MinimaxSilhouette().fit([[0.0], [np.nan]])


@pytest.mark.parametrize("index", [MinimaxSilhouette, Silhouette, FuzzySilhouette])
def test_values_do_not_depend_on_the_number_of_threads(index):
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(300, 2)), np.arange(300) % np.arange(2, 12)[:, None]
    values = []
    for n_threads in (1, 2):
        with threadpool_limits(n_threads, user_api="blas"):
            values.append(index().fit(X).evaluate(labels))
    np.testing.assert_array_equal(*values)
