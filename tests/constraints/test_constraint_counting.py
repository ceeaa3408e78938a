"""Counting satisfied constraints: values by hand, naive twins, invariances."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moo_clustering._kernels.partitions import count_equal, count_equal_by_class, weigh_equal
from moo_clustering.constraints import PairwiseConstraints, satisfied_from_labels


def random_pairs(rng, n, m):
    pairs = rng.integers(0, n, (m, 2))
    return pairs[pairs[:, 0] != pairs[:, 1]]


@pytest.fixture
def example():
    return PairwiseConstraints([(0, 1), (3, 5)], [(0, 3), (1, 2), (2, 4)], n_samples=6)


def test_spec_example(example):
    must, cannot = example.satisfied([0, 0, 0, 1, 1, 1])
    assert (must.tolist(), cannot.tolist()) == ([2], [2])
    assert must.dtype == cannot.dtype == np.int64
    assert example.bonus([0, 0, 0, 1, 1, 1]) == pytest.approx([5 / 3])
    assert example.violation([0, 0, 0, 1, 1, 1]) == pytest.approx([1 / 3])


@pytest.mark.parametrize(
    ("must", "cannot", "bonus", "violation"),
    [
        ([(0, 1), (0, 2)], None, 0.5, 0.5),
        (None, [(0, 1), (0, 2), (0, 3)], 2 / 3, 1 / 3),
        (None, None, 0.0, 0.0),
    ],
)
def test_a_kind_without_pairs_counts_nothing(must, cannot, bonus, violation):
    constraints = PairwiseConstraints(must, cannot, n_samples=4)
    assert constraints.bonus([[0, 0, 1, 1]]) == pytest.approx([bonus])
    assert constraints.violation([[0, 0, 1, 1]]) == pytest.approx([violation])


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int32, np.int64])
@pytest.mark.parametrize("n_pairs", [0, 1, 255, 256, 1000])
def test_count_equal_is_the_numpy_count(dtype, n_pairs):
    rng = np.random.default_rng(n_pairs)
    labels = rng.integers(0, 3, (40, 7)).astype(dtype)
    pairs = rng.integers(0, 40, (n_pairs, 2))
    counts = np.full(7, 5)
    count_equal(labels, pairs, counts)
    np.testing.assert_array_equal(counts - 5, (labels[pairs[:, 0]] == labels[pairs[:, 1]]).sum(axis=0))


def test_count_equal_does_not_overflow_its_narrow_counters():
    pairs = np.tile([[0, 1]], (70_000, 1))
    counts = np.zeros(2, dtype=np.int64)
    count_equal(np.array([[1, 1], [1, 2]], dtype=np.uint8), pairs, counts)
    assert counts.tolist() == [70_000, 0]


def test_weigh_equal_is_the_numpy_sum(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    labels, pairs = rng.integers(0, 3, (40, 7)).astype(np.uint8), rng.integers(0, 40, (300, 2))
    weights = rng.random(300)
    equal, different = np.zeros(7), np.zeros(7)
    weigh_equal(labels, pairs, weights, equal, different)
    alike = labels[pairs[:, 0]] == labels[pairs[:, 1]]
    np.testing.assert_allclose(equal, weights @ alike)
    np.testing.assert_allclose(different, weights @ ~alike)


def test_count_equal_by_class_is_a_double_loop(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    y = np.sort(rng.integers(0, 4, 30))
    labels = rng.integers(0, 5, (6, 30)).astype(np.uint8)
    within, total = np.full(6, -1), np.full(6, -1)
    count_equal_by_class(labels, np.searchsorted(y, np.arange(5)), 5, within, total)
    for q in range(6):
        together = [(i, j) for i, j in itertools.combinations(range(30), 2) if labels[q, i] == labels[q, j]]
        assert total[q] == len(together)
        assert within[q] == sum(y[i] == y[j] for i, j in together)


def test_weights_are_summed():
    constraints = PairwiseConstraints(
        [(0, 1), (2, 3)],
        [(0, 2), (1, 3)],
        n_samples=4,
        must_link_weights=[0.5, 2.0],
        cannot_link_weights=[1.0, 3.0],
    )
    labels = [[0, 0, 1, 2], [0, 1, 0, 1], [0, 0, 1, 1]]
    must, cannot = constraints.satisfied(labels)
    assert must.tolist() == [0.5, 0.0, 2.5]
    assert cannot.tolist() == [4.0, 0.0, 4.0]
    assert constraints.violation(labels) == pytest.approx([0.8, 2.0, 0.0])
    assert constraints.bonus(labels) == pytest.approx([1.2, 0.0, 2.0])


def test_violation_is_exactly_zero_when_all_is_satisfied_whatever_the_weights(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    y = rng.integers(0, 3, 60)
    drawn = PairwiseConstraints.from_labels(y, 0.5, random_state=0)
    weighted = PairwiseConstraints(
        drawn.must_link,
        drawn.cannot_link,
        n_samples=60,
        must_link_weights=rng.random(len(drawn.must_link)) + 1e-3,
        cannot_link_weights=rng.random(len(drawn.cannot_link)) + 1e-3,
    )
    assert weighted.is_weighted
    assert weighted.violation(y)[0] == 0.0
    assert weighted.bonus(y)[0] == pytest.approx(2.0)


def test_weights_of_one_count_as_integers():
    constraints = PairwiseConstraints([(0, 1)], n_samples=3, must_link_weights=[1.0])
    assert not constraints.is_weighted
    assert constraints.satisfied([0, 0, 1])[0].dtype == np.int64


@settings(max_examples=40, deadline=None)
@given(
    st.integers(2, 30),
    st.integers(1, 6),
    st.sampled_from([2, 300, 70_000]),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
def test_population_one_by_one_relabelled_and_naive(n, p, n_labels, weighted, seed):
    rng = np.random.default_rng(seed)
    must, cannot = random_pairs(rng, n, 20), random_pairs(rng, n, 30)
    weights = {}
    if weighted:
        weights = {
            "must_link_weights": rng.random(len(must)) + 0.1,
            "cannot_link_weights": rng.random(len(cannot)) + 0.1,
        }
    constraints = PairwiseConstraints(must, cannot, n_samples=n, **weights)
    labels = rng.integers(0, n_labels, (p, n))
    labels[:, : n // 2] = labels[:, :1]
    counts = constraints.satisfied(labels)
    single = [constraints.satisfied(row) for row in labels]
    relabelled = constraints.satisfied(rng.permutation(n_labels)[labels] - 1)
    for kind in range(2):
        np.testing.assert_array_equal(counts[kind], [one[kind][0] for one in single])
        np.testing.assert_array_equal(counts[kind], relabelled[kind])
    i, j = constraints.must_link.T
    naive_must = ((labels[:, i] == labels[:, j]) * constraints.must_link_weights).sum(axis=1)
    np.testing.assert_allclose(counts[0], naive_must)
    i, j = constraints.cannot_link.T
    naive_cannot = ((labels[:, i] != labels[:, j]) * constraints.cannot_link_weights).sum(axis=1)
    np.testing.assert_allclose(counts[1], naive_cannot)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.integers(-1, 4), min_size=1, max_size=25),
    st.sampled_from([1, 3, 300, 10**12]),
    st.integers(0, 2**32 - 1),
)
def test_contingency_equals_pair_list(y, n_labels, seed):
    labels = np.random.default_rng(seed).integers(0, n_labels, (4, len(y)))
    labels[:, ::2] = labels[:, :1]
    listed = PairwiseConstraints.from_partial_labels(y).satisfied(labels)
    counted = satisfied_from_labels(labels, y)
    for kind in range(2):
        np.testing.assert_array_equal(counted[kind], listed[kind])


def test_contingency_by_hand():
    # Classes {0, 1, 2} and {4, 5}; labelled clusters 0 0 1 and 1 1.
    must, cannot = satisfied_from_labels([0, 0, 1, 0, 1, 1], [0, 0, 0, -1, 7, 7])
    assert (must.tolist(), cannot.tolist()) == ([2], [4])


def test_gaps_and_negative_numbers_in_labels_do_not_matter(example):
    np.testing.assert_array_equal(example.satisfied([-1, -1, -1, 9, 9, 9])[1], [2])
    np.testing.assert_array_equal(example.satisfied([-1, 255, 0, 1, 2, 257])[0], [0])
    y = [0, 0, 1, 1, 1, -1]
    assert [int(x[0]) for x in satisfied_from_labels([-5, -5, 9, 9, 0, 0], y)] == [2, 6]


def test_empty_population(example):
    assert [len(part) for part in example.satisfied(np.empty((0, 6), dtype=np.int32))] == [0, 0]
    assert example.violation(np.empty((0, 6), dtype=np.int32)).shape == (0,)


@pytest.mark.parametrize("function", ["satisfied", "violation", "bonus"])
def test_bad_labels(example, function):
    with pytest.raises(ValueError, match=r"labels must have shape \(n_individuals, 6\).*got \(2, 5\)"):
        getattr(example, function)(np.zeros((2, 5), dtype=int))
    with pytest.raises(TypeError, match=r"labels must be integers, got an array of float64"):
        getattr(example, function)(np.zeros((2, 6)))


def test_contingency_refuses_other_lengths():
    with pytest.raises(ValueError, match=r"labels must have shape"):
        satisfied_from_labels([[0, 1, 0]], [0, 1])
