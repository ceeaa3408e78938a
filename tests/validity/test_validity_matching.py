"""Accuracy and F1 after one-to-one matching."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from moo_clustering.validity import clustering_accuracy, matched_f1, matched_rand_index
from moo_clustering.validity import external as assignment


def all_mappings(n_classes, n_clusters):
    """Every injective partial map cluster -> class, as tuples with -1 for unmatched."""
    for mapping in itertools.product(range(-1, n_classes), repeat=n_clusters):
        used = [c for c in mapping if c >= 0]
        if len(used) == len(set(used)):
            yield mapping


def naive_mapping(table):
    def rank(mapping):
        agreements = sum(table[c, k] for k, c in enumerate(mapping) if c >= 0)
        return (-agreements, mapping.count(-1), mapping)

    return min(all_mappings(*table.shape), key=rank)


@settings(max_examples=40, deadline=None)
@given(
    cells=st.lists(st.integers(0, 3), min_size=12, max_size=12),
    shape=st.sampled_from([(3, 4), (4, 3), (2, 4), (4, 2), (1, 4), (3, 1), (2, 2), (3, 3)]),
)
def test_mapping_and_optimum_are_those_of_enumeration(cells, shape):
    table = np.array(cells[: shape[0] * shape[1]]).reshape(shape)
    expected = naive_mapping(table)
    np.testing.assert_array_equal(assignment.class_of_cluster(csr_array(table)), expected)
    best = sum(table[c, k] for k, c in enumerate(expected) if c >= 0)
    assert assignment.most_agreements(csr_array(table)) == best
    if table.any():
        rows, columns = assignment._sparse_pairs(csr_array(table))
        assert table[rows, columns].sum() == best
        assert len(set(rows)) == len(rows)
        assert len(set(columns)) == len(columns)


def test_worked_values():
    assert clustering_accuracy([0, 0, 1, 1, 2], [2, 2, 0, 0, 0]) == 0.8
    # neither purity (5/6) nor greedy
    assert clustering_accuracy([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]) == pytest.approx(4 / 6)


def test_greedy_matching_would_be_worse():
    # T = [[5, 4], [4, 0]]: greedy takes 5 + 0, the optimum 4 + 4.
    true = [0] * 9 + [1] * 4
    predicted = [0] * 5 + [1] * 4 + [0] * 4
    assert clustering_accuracy(true, predicted) == pytest.approx(8 / 13)


ONE_ALONE = [0] * 1 + [1] * 19
TEN_AND_TEN = [1] * 10 + [0] * 10


@pytest.mark.parametrize(
    ("true", "predicted", "ri", "f1"),
    [
        ((1, 1, 0, 0, 1), (0, 0, 1, 1, 1), 0.8, 0.8),
        ((0, 0, 0, 1), (0, 1, 1, 1), 0.5, 0.5),
        (TEN_AND_TEN, ONE_ALONE, 0.55, 0.1818181818),
        ([1 - y for y in TEN_AND_TEN], ONE_ALONE, 0.55, 0.6896551724),
    ],
)
def test_worked_values_of_matching(true, predicted, ri, f1):
    assert matched_rand_index(true, predicted) == pytest.approx(ri, rel=1e-12)
    assert clustering_accuracy(true, predicted) == pytest.approx(ri, rel=1e-12)
    assert matched_f1(true, predicted) == pytest.approx(f1, rel=1e-9)


def test_tie_is_broken_by_the_smallest_mapping():
    table = csr_array(np.array([[1, 2], [0, 1]]))
    np.testing.assert_array_equal(assignment.class_of_cluster(table), [0, 1])


def test_positive_class_can_be_chosen():
    true, predicted = ["n", "n", "n", "p"], [0, 0, 1, 1]
    # n -> 0, p -> 1
    assert matched_f1(true, predicted) == pytest.approx(2 / 3)
    assert matched_f1(true, predicted, pos_label="n") == pytest.approx(4 / 5)
    with pytest.raises(ValueError, match=r"pos_label must be .*, got 'x'"):
        matched_f1(true, predicted, pos_label="x")


def test_f1_is_zero_where_the_positive_class_gets_no_cluster():
    assert matched_f1([0, 0, 0, 1], [0, 0, 0, 0]) == 0.0


def test_labels_of_any_kind():
    as_numbers = clustering_accuracy([0, 0, 1, 2, 2], [1, 1, 0, 0, 0])
    kinds = [
        ["a", "a", "b", "c", "c"],
        np.array(["a", "a", "b", "c", "c"]),
        np.array([0.5, 0.5, 1.5, 2, 2]),
        [("x", 1), ("x", 1), None, 3, 3],
        [1, 1, "1", 2.5, 2.5],
        np.array(["a", "a", 7, 8, 8], dtype=object),
        [False, False, 1, 2, 2],
    ]
    for true in kinds:
        assert clustering_accuracy(true, [1, 1, 0, 0, 0]) == as_numbers
    with pytest.raises(ValueError, match="pos_label is required"):
        matched_f1([("x", 1), None], [0, 1])
    assert matched_f1([("x", 1), None], [0, 1], pos_label=("x", 1)) == 1.0


@pytest.mark.parametrize("measure", [clustering_accuracy, matched_rand_index, matched_f1])
def test_wrong_input_is_refused(measure):
    for true, predicted, message in [
        ([0, 1], [0], "equal lengths"),
        ([], [], "at least one"),
        ([0.0, np.nan], [0, 1], "NaN"),
        ([0, 1], np.zeros((2, 2)), "one label per sample"),
        ([float("nan"), "a"], [0, 1], "NaN"),
    ]:
        with pytest.raises(ValueError, match=message):
            measure(true, predicted)
    with pytest.raises(TypeError, match="hashable"):
        measure([[0], [1]], [0, 1])


def test_a_million_samples():
    rng = np.random.default_rng(0)
    true = rng.integers(0, 50, 1_000_000)
    renamed = rng.permutation(50)[true]
    renamed[:1000] = 50
    assert clustering_accuracy(true, renamed) == pytest.approx(0.999, abs=1e-12)


def test_tables_too_large_to_be_dense():
    n = 8000
    true = np.arange(n) // 2
    predicted = np.roll(true, 1)
    # Cluster c holds the second sample of class c and the first of class c + 1: half can agree.
    assert n // 2 * (n // 2) > assignment.DENSE_ENTRIES
    assert clustering_accuracy(true, predicted) == 0.5
    assert clustering_accuracy(true, true[::-1]) == 1.0
    assert matched_f1(true, n - true) == 1.0
    assert clustering_accuracy(true, np.arange(n)) == 0.5
    assert clustering_accuracy(np.arange(n), true) == 0.5
