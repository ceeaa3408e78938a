"""Renumbered and aligned partitions, distinct rows."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal

from moo_clustering.encodings import (
    align_labels,
    aligned_distance,
    hamming_distance,
    relabel_by_first_appearance,
)
from moo_clustering.encodings.base import distinct_rows, row_digests

POPULATIONS = arrays(np.int64, st.tuples(st.integers(1, 5), st.integers(1, 8)), elements=st.integers(0, 5))


@given(labels=POPULATIONS)
@settings(max_examples=40, deadline=None)
def test_relabelling_equals_the_definition(labels):
    expected = []
    for row in labels:
        seen = list(dict.fromkeys(row.tolist()))
        expected.append([seen.index(c) for c in row])
    relabelled = relabel_by_first_appearance(labels)
    assert relabelled.dtype == np.int32
    assert_array_equal(relabelled, expected)


def test_negative_labels_are_refused():
    with pytest.raises(ValueError, match="negative"):
        relabel_by_first_appearance(np.array([[0, -1]]))


@given(X=POPULATIONS)
@settings(max_examples=40, deadline=None)
def test_keys_are_equal_where_rows_are(X):
    keys = row_digests(X)
    for a in range(len(X)):
        for b in range(len(X)):
            assert (keys[a] == keys[b]) == np.array_equal(X[a], X[b])


def test_keys_do_not_depend_on_the_type_of_number():
    X = np.array([[0, 3, 1], [2, 2, 2]])
    expected = row_digests(X)
    for dtype in (np.int8, np.uint16, np.int32, np.float32, np.float64):
        assert row_digests(X.astype(dtype)) == expected
    assert row_digests(np.asfortranarray(X)) == expected
    # One fractional row changes nothing for its neighbours.
    assert row_digests(np.vstack([X, [0.5, 0, 0]]))[:2] == expected


def test_keys_of_fractions():
    keys = row_digests(np.array([[0.5, -0.0], [0.5, 0.0], [0.25, 0.0], [np.nan, 0.0]]))
    assert keys[0] == keys[1]
    assert len(set(keys)) == 3


def test_keys_need_rows_of_numbers():
    with pytest.raises(TypeError, match="numeric"):
        row_digests(np.array([["a", "b"]]))


def test_distinct_rows_are_first_occurrences():
    first, inverse = distinct_rows(np.array([[1, 2], [0, 0], [1, 2], [3, 3], [0, 0]]))
    assert_array_equal(first, [0, 1, 3])
    assert_array_equal(inverse, [0, 1, 0, 2, 1])


SEEDS = st.integers(0, 2**32 - 1)
FEW = settings(max_examples=40, deadline=None)


def population(seed, p=6):
    """Two populations, each row with a number of clusters of its own, some of them unused."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 12))
    return [rng.integers(0, rng.integers(1, 5, size=(p, 1)), size=(p, n)) for _ in range(2)], rng


def most_agreements(a, b):
    k = max(a.max(), b.max()) + 1
    return max(np.count_nonzero(a == np.array(number)[b]) for number in permutations(range(k)))


def test_worked_example():
    a, b = np.array([0, 0, 1, 1]), np.array([1, 1, 0, 1])
    assert_array_equal(align_labels(a, b, 2), [0, 0, 1, 0])
    assert aligned_distance(a, b, 2) == 1
    assert hamming_distance(a, b) == 3
    assert_array_equal(b, [1, 1, 0, 1])


def test_three_clusters_by_hand():
    a = [0, 0, 0, 1, 1, 2, 2]
    b = [2, 2, 0, 0, 0, 1, 1]
    assert_array_equal(align_labels(a, b), [0, 0, 1, 1, 1, 2, 2])
    assert aligned_distance(a, b) == 1


@given(seed=SEEDS)
@FEW
def test_agreements_are_the_most_there_can_be(seed):
    (A, B), _ = population(seed)
    expected = [A.shape[1] - most_agreements(a, b) for a, b in zip(A, B, strict=True)]
    assert_array_equal(aligned_distance(A, B), expected)
    assert_array_equal(aligned_distance(B, A), expected)
    assert_array_equal(hamming_distance(A, align_labels(A, B)), expected)


@given(seed=SEEDS)
@FEW
def test_partitions_stay_what_they_are(seed):
    (A, B), _ = population(seed)
    before = A.copy(), B.copy()
    aligned = align_labels(A, B)
    assert_array_equal(A, before[0])
    assert_array_equal(B, before[1])
    assert aligned.dtype == B.dtype
    assert_array_equal(relabel_by_first_appearance(aligned), relabel_by_first_appearance(B))
    assert (aligned.max(axis=1) <= np.maximum(A.max(axis=1), B.max(axis=1))).all()


@given(seed=SEEDS)
@FEW
def test_permuted_labels_have_distance_zero(seed):
    (A, _), rng = population(seed)
    permuted = rng.permutation(A.max() + 3)[A]
    assert_array_equal(aligned_distance(A, permuted), np.zeros(len(A)))
    assert_array_equal(align_labels(A, permuted), A)
    assert_array_equal(align_labels(A, align_labels(permuted, A)), A)


@given(seed=SEEDS)
@FEW
def test_rows_are_aligned_alike_in_any_company(seed):
    (A, B), _ = population(seed)
    aligned = align_labels(A, B)
    alone = [align_labels(a, b) for a, b in zip(A, B, strict=True)]
    assert_array_equal(aligned, alone)
    assert_array_equal(aligned, align_labels(A, B, 9))
    assert_array_equal(align_labels(A[0], B), align_labels(np.tile(A[0], (len(B), 1)), B))
    assert_array_equal(align_labels(A, B[0]), align_labels(A, np.tile(B[0], (len(A), 1))))


def test_tables_in_blocks(monkeypatch):
    A, B = np.random.default_rng(0).integers(0, 5, size=(2, 11, 30))
    expected = align_labels(A, B)
    monkeypatch.setattr("moo_clustering._arrays.BLOCK_ITEMS", 60)
    assert_array_equal(align_labels(A, B), expected)


@pytest.mark.parametrize(
    ("reference", "labels", "aligned"),
    [
        # As many agree as disagree.
        ([0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 0, 1]),
        ([0, 0, 1, 1], [1, 0, 1, 0], [1, 0, 1, 0]),
        # Cluster 2 agrees with nothing that is left and keeps its number.
        ([0, 0, 0, 0], [1, 1, 2, 3], [0, 0, 2, 3]),
        # Any of three clusters could become 0; those that keep their numbers are the most with 0 itself.
        ([0, 0, 0], [0, 1, 2], [0, 1, 2]),
        ([2, 2, 2], [0, 1, 2], [0, 1, 2]),
    ],
)
def test_ties_leave_numbers_alone(reference, labels, aligned):
    assert_array_equal(align_labels(reference, labels), aligned)
    # The same beside a row with more clusters.
    wide = [[0, 1, 2, 3][: len(labels)]]
    assert_array_equal(align_labels([reference, *wide], [labels, *wide])[0], aligned)


def test_small_types_and_empty_populations():
    a = np.array([[0, 0, 1]], dtype=np.uint8)
    b = np.array([[1, 1, 0]], dtype=np.int16)
    assert align_labels(a, b).dtype == np.int16
    assert_array_equal(align_labels(b, a), b)
    assert align_labels(np.empty((0, 4), int), np.empty((0, 4), int)).shape == (0, 4)
    assert aligned_distance(np.empty((0, 4), int), np.zeros(4, int)).shape == (0,)


@pytest.mark.parametrize(
    ("arguments", "error", "match"),
    [
        (([0, 1], [0, 1, 1]), ValueError, "shape"),
        (([[0, 1]] * 2, [[0, 1]] * 3), ValueError, "shape"),
        ((0, 1), ValueError, "shape"),
        (([0.0, 1.0], [0, 1]), TypeError, "integers"),
        (([0, 1], [0, -1]), ValueError, "negative"),
        (([0, 1], [0, 2], 2), ValueError, "n_clusters=2"),
    ],
)
def test_misuse(arguments, error, match):
    with pytest.raises(error, match=match):
        align_labels(*arguments)
