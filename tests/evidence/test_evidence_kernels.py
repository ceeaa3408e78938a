"""Kernels of the neighbour graph and of the features."""

import numpy as np
import pytest
import scipy.sparse as sp

from moo_clustering.evidence import graph_kernel, linear_kernel

PATH = np.diag(np.ones(5), 1) + np.diag(np.ones(5), -1)


def test_first_row_of_the_path():
    expected = [1.0, 0.756434498461, 0.530091399226, 0.361610120109, 0.253407816451, 0.191686414543]
    np.testing.assert_allclose(graph_kernel(PATH)[0], expected, atol=1e-11)
    np.testing.assert_allclose(graph_kernel(sp.csr_array(PATH), [0, 3])[:, 0], expected, atol=1e-11)


def random_graph(n, seed):
    rng = np.random.default_rng(seed)
    S = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 0.6), 1)
    S = S + S.T
    assert S.sum(axis=1).min() > 0
    return S


@pytest.mark.parametrize("factor", [0.0, 0.5, 0.99])
def test_against_the_inverse(factor):
    S = random_graph(15, 3)
    root = 1.0 / np.sqrt(S.sum(axis=1))
    G = np.linalg.inv(np.eye(15) - factor * root[:, None] * S * root)
    expected = G / np.sqrt(np.outer(G.diagonal(), G.diagonal()))
    given = S.copy()
    K = graph_kernel(S, factor=factor)
    np.testing.assert_allclose(K, expected, atol=1e-10)
    np.testing.assert_array_equal(S, given)
    np.testing.assert_array_equal(graph_kernel(S, [4, 1], factor=factor), K[:, [4, 1]])


def test_order_of_samples_and_scale_of_similarities_don_t_matter():
    S = random_graph(12, 5)
    K, order = graph_kernel(S), np.random.default_rng(0).permutation(12)
    np.testing.assert_allclose(
        graph_kernel(7.0 * S[np.ix_(order, order)]), K[np.ix_(order, order)], atol=1e-12
    )


def test_parts_and_lonely_samples_have_nothing_in_common():
    S = np.zeros((5, 5))
    S[0, 1] = S[1, 0] = S[2, 3] = S[3, 2] = 1.0
    K = graph_kernel(S)
    np.testing.assert_allclose(K[4], [0.0, 0.0, 0.0, 0.0, 1.0])
    assert np.all(K[:2, 2:] == 0.0)
    np.testing.assert_allclose(K[0, 1], 0.9)


def test_graph_refusals():
    for S in (np.ones((2, 3)), -np.ones((2, 2)), np.full((2, 2), np.nan)):
        with pytest.raises(ValueError, match="S must"):
            graph_kernel(S)
    for factor in (1.0, -0.1):
        with pytest.raises(ValueError, match="factor must be"):
            graph_kernel(PATH, factor=factor)


def test_linear_kernel_of_centred_rows(global_random_seed):
    X = np.random.default_rng(global_random_seed).normal(size=(9, 3)) + 100.0
    Z = X - X.mean(axis=0)
    expected = Z @ Z.T / (Z**2).sum(axis=1).mean()
    K = linear_kernel(X)
    np.testing.assert_allclose(K, expected, atol=1e-10)
    assert K.diagonal().mean() == pytest.approx(1.0)
    np.testing.assert_allclose(linear_kernel(X, [2, 7]), K[:, [2, 7]], atol=1e-12)


def test_equal_rows_say_nothing():
    assert np.all(linear_kernel(np.full((4, 2), 0.1), [0]) == 0.0)
