"""Largest links on the paths of trees against single linkage and against walking the paths."""

from __future__ import annotations

import numpy as np
import pytest
from naive_trees import hard_points
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import cdist, squareform

from moo_clustering.graphs import euclidean_mst, minimax_distances


def naive_minimax(D):
    """Floyd and Warshall with the largest step in place of the sum."""
    M = D.copy()
    for h in range(len(D)):
        M = np.minimum(M, np.maximum(M[:, h : h + 1], M[h]))
    return M


def test_on_a_line_by_hand():
    tree = euclidean_mst([[0.0], [1.0], [3.0], [9.0]], root=2, ties="index")
    assert_array_equal(minimax_distances(tree), [[0, 1, 2, 6], [1, 0, 2, 6], [2, 2, 0, 6], [6, 6, 6, 0]])


@pytest.mark.parametrize("seed", range(20))
def test_naive_twin(seed):
    rng = np.random.default_rng(seed)
    X = hard_points(rng)
    M = minimax_distances(euclidean_mst(X, rng=rng))
    assert_array_equal(M, M.T)
    assert_array_equal(np.diag(M), 0.0)
    assert_allclose(M, naive_minimax(cdist(X, X)), rtol=1e-10, atol=1e-12)


def test_same_as_single_linkage(global_random_seed):
    X = np.random.default_rng(global_random_seed).normal(size=(150, 4))
    M = minimax_distances(euclidean_mst(X, root="random", rng=np.random.default_rng(0)))
    assert_allclose(M, squareform(cophenet(linkage(X, "single"))), rtol=1e-10)


def test_one_sample():
    assert_array_equal(minimax_distances(euclidean_mst([[3.0]], root=0, ties="index")), [[0.0]])
