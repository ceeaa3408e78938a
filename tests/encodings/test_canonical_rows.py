"""Numbering by first appearance and keys of rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal

from moo_clustering.encodings import relabel_by_first_appearance
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
    with pytest.raises(TypeError, match="numbers"):
        row_digests(np.array([["a", "b"]]))


def test_distinct_rows_are_first_occurrences():
    first, inverse = distinct_rows(np.array([[1, 2], [0, 0], [1, 2], [3, 3], [0, 0]]))
    assert_array_equal(first, [0, 1, 3])
    assert_array_equal(inverse, [0, 1, 0, 2, 1])
