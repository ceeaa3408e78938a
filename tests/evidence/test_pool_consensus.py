"""Consensus of k clusters from a weighted pool."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from moo_clustering.evidence import consensus_partition


def rng():
    return np.random.default_rng(0)


def noisy_pool(truth, n_partitions, noise, seed):
    draw = np.random.default_rng(seed)
    pool = np.tile(truth, (n_partitions, 1))
    wrong = draw.random(pool.shape) < noise
    pool[wrong] = draw.integers(truth.max() + 1, size=wrong.sum())
    return pool


def test_noise_of_the_members_averages_out():
    truth = np.repeat(np.arange(4), 25)
    pool = noisy_pool(truth, 30, 0.3, 1)
    np.testing.assert_array_equal(consensus_partition(pool, np.ones(30), 4, rng=rng()), truth)


def test_only_weighted_members_count():
    first, second = np.repeat([0, 1], 6), np.tile([0, 1], 6)
    # A third partition by which the samples of a cluster differ.
    fine = np.arange(12) % 4
    pool = [first, second, fine]
    np.testing.assert_array_equal(consensus_partition(pool, [1.0, 0.01, 0.01], 2, rng=rng()), first)
    np.testing.assert_array_equal(consensus_partition(pool, [0.01, 1.0, 0.01], 2, rng=rng()), second)


@settings(max_examples=40, deadline=None)
@given(
    arrays(np.int64, st.tuples(st.integers(1, 4), st.integers(1, 12)), elements=st.integers(0, 3)),
    st.data(),
)
def test_k_clusters_where_the_pool_tells_k_samples_apart(labels, data):
    n_partitions, n = labels.shape
    k = data.draw(st.integers(1, n))
    weights = np.zeros(n_partitions)
    weights[data.draw(st.integers(0, n_partitions - 1))] = 1.0
    found = consensus_partition(labels, weights, k, rng=rng())
    n_distinct = n if k == n else len(np.unique(labels, axis=1).T)
    assert found.dtype == np.int32
    assert len(np.unique(found)) == min(k, n_distinct)
    assert list(dict.fromkeys(found.tolist())) == list(range(found.max() + 1))
    # The clusters' numbers in the pool don't matter.
    np.testing.assert_array_equal(consensus_partition(9 - labels, weights, k, rng=rng()), found)


def test_groups_that_nobody_joins_are_joined_by_the_whole_pool():
    four, two = np.repeat(np.arange(4), 3), np.repeat([0, 1, 1, 0], 3)
    found = consensus_partition([four, two], [1.0, 0.0], 2, rng=rng())
    np.testing.assert_array_equal(found, two)


def test_too_few_clusters_are_cut_by_the_rest_of_the_pool():
    coarse, fine = np.repeat([0, 1], 6), np.repeat([0, 0, 1, 2], 3)
    pool = [coarse, fine, np.arange(12)]
    found = consensus_partition(pool, [1.0, 0.0, 0.0], 3, rng=rng())
    np.testing.assert_array_equal(found, fine)
    # The largest of three clusters next, its first sample against the others.
    found = consensus_partition(pool, [1.0, 0.0, 0.0], 4, rng=rng())
    np.testing.assert_array_equal(found, [0, 1, 1, 1, 1, 1, 2, 2, 2, 3, 3, 3])


def test_a_cut_that_misses_clusters_is_completed(monkeypatch):
    pool = np.array([np.arange(6) // 2, np.arange(6) // 3, np.arange(6)])
    monkeypatch.setattr(
        "moo_clustering.evidence.kernels.spectral_cuts",
        lambda S, ks, *, rng: np.zeros((1, 6), dtype=np.int32),
    )
    found = consensus_partition(pool, [0.5, 1.0, 0.2], 3, rng=rng())
    np.testing.assert_array_equal(found, [0, 0, 1, 2, 2, 2])


def test_ends_of_the_range():
    labels = np.array([[0, 1, 1, 0]])
    assert consensus_partition(labels, [1.0], 1, rng=rng()).tolist() == [0, 0, 0, 0]
    assert consensus_partition(labels, [1.0], 4, rng=rng()).tolist() == [0, 1, 2, 3]
    assert consensus_partition(labels, [1.0], 2, rng=rng()).tolist() == [0, 1, 1, 0]
    for k in (0, 5):
        with pytest.raises(ValueError, match="k must be from 1"):
            consensus_partition(labels, [1.0], k, rng=rng())
