"""Agreement with families of clusterers: worked example, definition, invariances."""

from __future__ import annotations

import copy
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score

from moo_clustering.validity import FamilyAgreement, agreement

A, B, C, D = ([int(c) for c in row] for row in ("000111", "001111", "001122", "010101"))


def naive(labels, pool, families):
    values = []
    for row in labels:
        best = sorted(
            max(adjusted_rand_score(row, other) for other, f in zip(pool, families, strict=True) if f == name)
            for name in set(families)
        )
        values.append(np.median(best[:-1]) if len(best) > 1 else 0.0)
    return np.array(values)


def random_pool(rng, n_samples=25):
    p = int(rng.integers(1, 12))
    rows = [rng.integers(0, rng.integers(1, 8), n_samples) for _ in range(p)]
    pool = np.array([np.unique(row, return_inverse=True)[1] for row in rows])
    return pool, [f"family {c}" for c in rng.integers(0, rng.integers(1, 6), p)]


def test_worked_example():
    index = FamilyAgreement().fit(([A, C, B, D], ["ac", "ac", "b", "d"]))
    found = index.evaluate([A, B, C, D])
    # The middle of the two smaller of three values each: 12/37 and -1/9; 4/9 and -8/37; ...
    expected = [(12 / 37 - 1 / 9) / 2, (4 / 9 - 8 / 37) / 2, (4 / 9 - 4 / 11) / 2, (-1 / 9 - 8 / 37) / 2]
    np.testing.assert_allclose(found, expected, atol=1e-12)
    np.testing.assert_allclose(found, [0.1066066, 0.1141141, 0.0404040, -0.1636637], atol=5e-8)
    assert index.family_names_ == ("ac", "b", "d")
    np.testing.assert_allclose(index.by_family(D), [[-1 / 9, -8 / 37, 1.0]], atol=1e-12)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_equals_the_definition_for_members_and_others(seed):
    rng = np.random.default_rng(seed)
    pool, families = random_pool(rng)
    labels = np.vstack([pool, random_pool(rng)[0]])
    found = FamilyAgreement().fit((pool, families)).evaluate(labels)
    np.testing.assert_allclose(found, naive(labels, pool, families), atol=1e-12)
    np.testing.assert_array_equal(agreement(labels, (pool, families)), found)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_invariances(seed):
    rng = np.random.default_rng(seed)
    pool, families = random_pool(rng)
    expected = agreement(pool, (pool, families))
    renamed = np.array([rng.permutation(row.max() + 1)[row] for row in pool])
    np.testing.assert_array_equal(agreement(renamed, (pool, families)), expected)
    np.testing.assert_array_equal(agreement(pool, (renamed, families)), expected)
    samples = rng.permutation(pool.shape[1])
    np.testing.assert_array_equal(agreement(pool[:, samples], (pool[:, samples], families)), expected)
    members = rng.permutation(len(pool))
    shuffled = pool[members], [families[member] for member in members]
    np.testing.assert_array_equal(agreement(pool, shuffled), expected)
    twice = int(rng.integers(len(pool)))
    longer = np.vstack([renamed[twice : twice + 1], pool]), [families[twice], *families]
    np.testing.assert_array_equal(agreement(pool, longer), expected)


def test_one_and_two_families():
    np.testing.assert_array_equal(agreement([A, B], ([A, B], ["x", "x"])), [0.0, 0.0])
    np.testing.assert_allclose(agreement([A, B, D], ([A, B], ["x", "y"])), [12 / 37, 12 / 37, -8 / 37])


def test_the_order_of_a_pool_with_interleaved_families():
    index = FamilyAgreement().fit(([B, A, D, C], ["b", "ac", "d", "ac"]))
    assert index.family_names_ == ("b", "ac", "d")
    np.testing.assert_allclose(index.by_family(C), [[4 / 9, 1.0, -4 / 11]], atol=1e-12)


def test_takes_an_object_with_labels_and_families():
    pool = SimpleNamespace(labels=np.array([A, C, B, D]), families=("ac", "ac", "b", "d"))
    expected = agreement([A, D], ([A, C, B, D], ["ac", "ac", "b", "d"]))
    np.testing.assert_array_equal(agreement([A, D], pool), expected)


def test_copies_share_the_pool_and_the_pool_is_frozen():
    labels = np.array([A, C, B, D])
    index = FamilyAgreement().fit((labels, ["ac", "ac", "b", "d"]))
    expected = index.evaluate([A, B])
    twin = copy.deepcopy(index)
    assert twin is not index
    assert np.shares_memory(twin._members.labels, index._members.labels)
    labels[:] = 0
    np.testing.assert_array_equal(twin.evaluate([A, B]), expected)


def test_population_shapes():
    index = FamilyAgreement().fit(([A, B], ["x", "y"]))
    assert index.evaluate(np.zeros((0, 6), dtype=int)).shape == (0,)
    assert index.evaluate(A).shape == (1,)


@pytest.mark.parametrize(
    ("pool", "error", "message"),
    [
        (np.zeros((4, 2)), TypeError, "requires a PartitionPool or a tuple .*got ndarray"),
        ([A, B], TypeError, "requires a PartitionPool or a tuple .*got list"),
        (([A, B], ["x", "y"], 1), TypeError, "requires a PartitionPool or a tuple .*got tuple"),
        (([A, B], ["x"]), ValueError, r"\(2\), got 1"),
        (([A, B], "xy"), ValueError, r"\(2\), got 1"),
        (([A, B], [0, 1]), TypeError, "families must be strings"),
        ((np.zeros((0, 6), dtype=int), []), ValueError, "at least one partition"),
        (([[0, 0, 2]], ["x"]), ValueError, "must be contiguous"),
    ],
)
def test_bad_pools_are_refused(pool, error, message):
    with pytest.raises(error, match=message):
        FamilyAgreement().fit(pool)


def test_bad_partitions_are_refused():
    with pytest.raises(NotFittedError, match="not fitted"):
        FamilyAgreement().evaluate([A])
    with pytest.raises(ValueError, match=r"one entry per fitted sample \(6\), got"):
        agreement([[0, 1]], ([A, B], ["x", "y"]))
