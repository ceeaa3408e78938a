"""Ratio cuts of many partitions at once."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from moo_clustering.graphs import ratio_cut


@pytest.fixture
def chain():
    W = np.zeros((5, 5))
    for i, j, w in [(0, 1, 1.0), (0, 2, 0.5), (1, 2, 0.5), (2, 3, 0.2), (3, 4, 1.0)]:
        W[i, j] = W[j, i] = w
    return W


def test_by_hand(chain):
    labels = [[0, 0, 0, 1, 1], [0, 0, 1, 1, 1], [0, 1, 1, 1, 1], [0, 0, 0, 0, 0]]
    expected = [0.2 / 3 + 0.2 / 2, 1.0 / 2 + 1.0 / 3, 1.5 + 1.5 / 4, 0.0]
    np.testing.assert_allclose(ratio_cut(chain, labels), expected, rtol=1e-12)
    np.testing.assert_allclose(expected[:3], [1 / 6, 5 / 6, 1.875], rtol=1e-12)
    np.testing.assert_allclose(ratio_cut(sp.csr_array(chain), labels[0]), [1 / 6], rtol=1e-12)


def test_one_triangle_is_as_good_as_both(chain):
    labels = [[0, 1, 1, 2, 2]]
    np.testing.assert_array_equal(ratio_cut(np.triu(chain), labels), ratio_cut(chain, labels))


def naive(W, labels):
    total = 0.0
    for c in np.unique(labels):
        inside = labels == c
        total += W[np.ix_(inside, ~inside)].sum() / inside.sum()
    return total


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 12), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_is_the_sum_over_clusters(n_samples, n_clusters, seed):
    rng = np.random.default_rng(seed)
    W = rng.random((n_samples, n_samples)) * (rng.random((n_samples, n_samples)) < 0.5)
    W = np.maximum(W, W.T)
    labels = rng.integers(0, n_clusters, (4, n_samples))  # some numbers may be left out
    np.testing.assert_allclose(ratio_cut(W, labels), [naive(W, row) for row in labels], atol=1e-12)


def test_chunks_change_nothing(chain, monkeypatch):
    labels = np.random.default_rng(0).integers(0, 3, (40, 5))
    whole = ratio_cut(chain, labels)
    monkeypatch.setattr("moo_clustering.graphs.spectral.CHUNK", 25)
    np.testing.assert_array_equal(ratio_cut(chain, labels), whole)


@pytest.mark.parametrize(
    "labels", [[0, 1], [[0, 0, 0, -1, 0]], [[0.0, 0, 0, 0, 0]], np.zeros((1, 1, 5), int)]
)
def test_bad_labels(chain, labels):
    with pytest.raises(ValueError, match="labels must"):
        ratio_cut(chain, labels)
