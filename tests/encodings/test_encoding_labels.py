"""Partitions as one number per sample."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from moo_clustering.encodings import LabelEncoding


def test_decode_renumbers_by_first_appearance():
    encoding = LabelEncoding(5, k_max=4)
    assert_array_equal(
        encoding.decode(np.array([[3, 1, 3, 0, 1], [2, 2, 2, 2, 2], [0, 1, 2, 3, 0]])),
        [[0, 1, 0, 2, 1], [0, 0, 0, 0, 0], [0, 1, 2, 3, 0]],
    )


def test_repair_clips_and_splits_the_largest_cluster():
    encoding = LabelEncoding(5, k_max=4, k_min=3)
    X = np.array([[9, -3, 2, 0, 1], [1, 1, 1, 1, 1], [3, 3, 0, 0, 3], [0.4, 1.6, 2.2, 0, 0]])
    assert_array_equal(
        encoding.repair(X),
        [[3, 0, 2, 0, 1], [1, 1, 1, 2, 0], [3, 3, 0, 0, 1], [0, 2, 2, 0, 1]],
    )


def test_encode_unites_what_is_beyond_k_max():
    encoding = LabelEncoding(7, k_max=3)
    # Sizes 1, 3, 1, 2: the clusters of three and of two stay, the single samples are united.
    assert_array_equal(
        encoding.decode(encoding.encode(np.array([[0, 1, 1, 2, 3, 1, 3]]))), [[0, 1, 1, 0, 2, 1, 2]]
    )
    assert_array_equal(LabelEncoding(4, k_max=1).encode(np.array([[0, 1, 2, 3]])), [[0, 0, 0, 0]])


def test_encode_splits_up_to_k_min():
    assert_array_equal(LabelEncoding(3, k_max=3, k_min=2).encode(np.array([[0, 0, 0]])), [[0, 0, 1]])


def test_random_is_uniform_over_the_number_of_clusters_asked_for():
    encoding = LabelEncoding(60, k_max=4, k_min=2)
    k = encoding.decode(encoding.random(3000, np.random.default_rng(0))).max(axis=1) + 1
    assert_allclose(np.bincount(k, minlength=5)[2:] / 3000, 1 / 3, atol=0.03)


def test_genes_are_uniform_with_one_number_of_clusters():
    X = LabelEncoding(50, k_max=3, k_min=3).random(400, np.random.default_rng(0))
    assert_allclose(np.bincount(X.ravel()) / X.size, 1 / 3, atol=0.02)


@pytest.mark.parametrize(("k_min", "k_max"), [(1, 6), (3, 2), (0, 2)])
def test_misuse(k_min, k_max):
    with pytest.raises(ValueError, match="k_min and k_max"):
        LabelEncoding(5, k_max=k_max, k_min=k_min)


@pytest.mark.parametrize("n_samples", [5.5, "5", None])
def test_a_number_of_samples_that_is_no_integer(n_samples):
    with pytest.raises(TypeError, match="n_samples must be an integer, got "):
        LabelEncoding(n_samples, k_max=3)
