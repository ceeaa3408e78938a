"""Compiled loops over pairs of partitions against plain NumPy."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.metrics.cluster import contingency_matrix

from moo_clustering._kernels.partitions import contingency_tables, half_of_differences


@pytest.fixture
def pairs():
    return np.random.default_rng(0).integers(0, 4, size=(2, 7, 50), dtype=np.int32)


def test_contingency_tables(pairs):
    tables = np.zeros((7, 4, 4), dtype=np.int64)
    contingency_tables(*pairs, tables)
    assert_array_equal(tables, [contingency_matrix(b, a) for a, b in zip(*pairs, strict=True)])


def half_by_numpy(first, second, draws):
    """Go through the differing genes; take each with the share of what is still wanted."""
    chosen = np.zeros(first.shape, dtype=bool)
    for q in range(len(first)):
        differing = np.flatnonzero(first[q] != second[q])
        for t, i in enumerate(differing):
            left = len(differing) - t
            wanted = len(differing) // 2 - np.count_nonzero(chosen[q])
            chosen[q, i] = draws[q, i] < wanted / left
    return chosen


def test_half_of_the_differences(pairs, global_random_seed):
    first, second = pairs
    draws = np.random.default_rng(global_random_seed).random(first.shape)
    chosen = np.ones(first.shape, dtype=bool)
    half_of_differences(first, second, draws, chosen)
    assert_array_equal(chosen, half_by_numpy(first, second, draws))


@pytest.mark.parametrize("extreme", [0.0, np.nextafter(1.0, 0.0)])
def test_extreme_draws_still_choose_exactly_half(pairs, extreme):
    first, second = pairs
    chosen = np.empty(first.shape, dtype=bool)
    half_of_differences(first, second, np.full(first.shape, extreme), chosen)
    assert_array_equal(chosen.sum(axis=1), (first != second).sum(axis=1) // 2)
    assert not (chosen & (first == second)).any()


def test_every_half_is_equally_likely():
    first, second = np.zeros((12_000, 6), dtype=np.int32), np.tile(np.int32([1, 1, 0, 1, 1, 0]), (12_000, 1))
    chosen = np.empty(first.shape, dtype=bool)
    half_of_differences(first, second, np.random.default_rng(2).random(first.shape), chosen)
    halves, counts = np.unique(chosen, axis=0, return_counts=True)
    assert len(halves) == 6
    assert (np.abs(counts - 2000) < 200).all()
