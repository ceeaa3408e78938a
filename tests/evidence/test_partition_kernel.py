"""The co-association kernel of weighted partitions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from moo_clustering.evidence import coassociation, consensus_affinity

POOLS = arrays(np.int64, st.tuples(st.integers(1, 6), st.integers(1, 9)), elements=st.integers(0, 4))


def pair_by_pair(labels, weights):
    n = labels.shape[1]
    K = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            K[i, j] = sum(w for row, w in zip(labels, weights, strict=True) if row[i] == row[j])
    return K / sum(weights)


@settings(max_examples=40, deadline=None)
@given(POOLS, st.data())
def test_against_pairs_of_samples(labels, data):
    weights = np.linspace(0.0, 2.0, len(labels)) if len(labels) > 1 else np.ones(1)
    expected = pair_by_pair(labels, weights)
    K = coassociation(labels, weights)
    np.testing.assert_allclose(K, expected, atol=1e-12)
    np.testing.assert_array_equal(K, K.T)
    columns = data.draw(st.lists(st.integers(0, labels.shape[1] - 1), max_size=4))
    np.testing.assert_array_equal(coassociation(labels, weights, columns=columns), K[:, columns])


@settings(max_examples=20, deadline=None)
@given(POOLS, st.integers(0, 99))
def test_numbering_of_clusters_and_order_of_samples_don_t_matter(labels, seed):
    rng = np.random.default_rng(seed)
    weights = rng.random(len(labels)) + 0.1
    K = coassociation(labels, weights)
    np.testing.assert_array_equal(coassociation(7 * rng.permutation(5)[labels], weights), K)
    order = rng.permutation(labels.shape[1])
    np.testing.assert_array_equal(coassociation(labels[:, order], weights), K[np.ix_(order, order)])


def test_blocks_of_rows_join(monkeypatch, global_random_seed):
    labels = np.random.default_rng(global_random_seed).integers(4, size=(5, 23))
    whole = coassociation(labels, np.ones(5))
    monkeypatch.setattr("moo_clustering._arrays.BLOCK_ITEMS", 100)
    np.testing.assert_array_equal(coassociation(labels, np.ones(5)), whole)


def test_a_floor_takes_entries_up_to_it():
    # One of twenty partitions joins the second pair: exactly the floor.
    labels = np.array([[0, 0, 1, 2]] * 19 + [[0, 0, 1, 1]])
    affinity = consensus_affinity(labels, np.ones(20))
    assert affinity[2, 3] == 0.0
    np.testing.assert_allclose(affinity.diagonal(), 1.0)
    assert consensus_affinity(labels, np.ones(20), floor=0.049)[2, 3] == pytest.approx(0.05)


def test_tiny_weights_are_weights():
    K = coassociation([[0, 0], [0, 1]], [1e-310, 3e-310])
    np.testing.assert_allclose(K, [[1.0, 0.25], [0.25, 1.0]], rtol=1e-9)


@pytest.mark.parametrize(
    ("labels", "weights", "columns", "message"),
    [
        ([[0, -1]], [1.0], None, "labels must be at least 0"),
        ([[0, 1]], [1.0, 1.0], None, "weights must have one entry"),
        ([[0, 1]], [0.0], None, "above 0"),
        ([[0, 1]], [np.nan], None, "finite"),
        ([[0, 1]], [1.0], [2], "columns must be from 0"),
    ],
)
def test_refusals(labels, weights, columns, message):
    with pytest.raises(ValueError, match=message):
        coassociation(labels, weights, columns=columns)


def test_columns_are_numbers_of_samples():
    with pytest.raises(TypeError, match="columns"):
        coassociation([[0, 1]], [1.0], columns=[0.5])
