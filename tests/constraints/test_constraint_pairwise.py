"""What a PairwiseConstraints stores, and what it refuses."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from moo_clustering import constraints as room
from moo_clustering.constraints import PairwiseConstraints


def test_public_names_are_sorted_and_there():
    assert room.__all__ == sorted(room.__all__)
    assert all(hasattr(room, name) for name in room.__all__)


def test_pairs_are_ordered_and_merged_with_the_greatest_weight():
    made = PairwiseConstraints(
        [(4, 2), (1, 0), (2, 4), (0, 3)],
        [(1, 2), (2, 1)],
        n_samples=5,
        must_link_weights=[0.5, 3.0, 2.0, 1.0],
    )
    assert made.must_link.tolist() == [[0, 1], [0, 3], [2, 4]]
    assert made.must_link_weights.tolist() == [3.0, 1.0, 2.0]
    assert made.cannot_link.tolist() == [[1, 2]]
    assert made.cannot_link_weights.tolist() == [1.0]
    assert made.must_link.dtype == made.cannot_link.dtype == np.int64
    assert made.n_samples == 5
    assert len(made) == 4
    assert (
        repr(made) == "PairwiseConstraints(n_samples=5, must_link=<3 pairs>, cannot_link=<1 pairs>, weighted)"
    )


@pytest.mark.parametrize("empty", [None, [], np.empty((0, 2)), ()])
def test_no_pairs(empty):
    made = PairwiseConstraints(empty, empty, n_samples=3)
    assert made.must_link.shape == made.cannot_link.shape == (0, 2)
    assert len(made) == 0


def test_a_contradiction_may_be_stored():
    made = PairwiseConstraints([(0, 1)], [(1, 0)], n_samples=2)
    assert len(made) == 2


def test_whole_floats_and_object_arrays_are_integers():
    made = PairwiseConstraints([(0.0, 1.0)], np.array([[1, 2]], dtype=object), n_samples=3)
    assert made.must_link.tolist() == [[0, 1]]
    assert made.cannot_link.tolist() == [[1, 2]]


def test_the_input_is_copied_and_the_result_is_read_only():
    given = np.array([[0, 1]])
    made = PairwiseConstraints(given, n_samples=3)
    given[:] = 2
    assert made.must_link.tolist() == [[0, 1]]
    for array in (made.must_link, made.cannot_link, made.must_link_weights, made.cannot_link_weights):
        assert not array.flags.writeable
    with pytest.raises(AttributeError):
        made.must_link = given


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickle_keeps_everything(protocol):
    made = PairwiseConstraints([(0, 1)], [(1, 2)], n_samples=4, cannot_link_weights=[0.3])
    back = pickle.loads(pickle.dumps(made, protocol))
    assert back == made
    assert back.is_weighted
    assert not back.must_link.flags.writeable
    np.testing.assert_array_equal(back.satisfied([0, 0, 1, 1])[1], [0.3])


def test_copies_share_their_arrays():
    made = PairwiseConstraints([(0, 1)], n_samples=4)
    assert copy.deepcopy({"a": made})["a"] is made
    assert copy.copy(made) is made


def test_equality():
    made = PairwiseConstraints([(0, 1)], [(1, 2)], n_samples=4)
    assert made == PairwiseConstraints([(1, 0), (0, 1)], [(2, 1)], n_samples=4)
    assert made != PairwiseConstraints([(0, 1)], [(1, 2)], n_samples=5)
    assert made != PairwiseConstraints([(0, 1)], [(1, 3)], n_samples=4)
    assert made != PairwiseConstraints([(0, 1)], [(1, 2)], n_samples=4, must_link_weights=[2])
    assert made != "something else"


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"must_link": [(0, 1), (2, 2)]}, ValueError, r"must_link row 1: pair \(2, 2\) joins a sample to"),
        ({"cannot_link": [(0, 4)]}, ValueError, r"cannot_link row 0: pair \(0, 4\) is out of range.*0 to 3"),
        ({"must_link": [(0, 1), (-1, 2)]}, ValueError, r"must_link row 1: pair \(-1, 2\) is out of range"),
        ({"must_link": [(0, 1.5)]}, ValueError, r"must_link must hold integers, got 1\.5 at \[0, 1\]"),
        ({"must_link": [(0, float("nan"))]}, ValueError, r"must_link must hold integers, got nan"),
        ({"must_link": [("a", "b")]}, TypeError, r"must_link must hold integers, got 'a'"),
        ({"must_link": [(0, None)]}, TypeError, r"must_link must hold integers, got None"),
        ({"must_link": [0, 1]}, ValueError, r"must_link must have shape \(n_pairs, 2\), got \(2,\)"),
        ({"must_link": [(0, 1, 2)]}, ValueError, r"must_link must have shape \(n_pairs, 2\), got \(1, 3\)"),
        ({"must_link": [(0, 1), (2,)]}, ValueError, r"rows differ in length"),
        ({"must_link": [(0, 1)], "must_link_weights": [0]}, ValueError, r"must be positive and finite"),
        ({"must_link": [(0, 1)], "must_link_weights": [np.inf]}, ValueError, r"must be positive and finite"),
        ({"must_link": [(0, 1)], "must_link_weights": [1, 2]}, ValueError, r"shape \(1,\)"),
        ({"cannot_link_weights": [1]}, ValueError, r"cannot_link_weights must have shape \(0,\)"),
        ({"n_samples": 0}, ValueError, r"n_samples must be at least 1, got 0"),
        ({"n_samples": 2.5}, TypeError, r"n_samples must be an integer, got 2\.5"),
    ],
)
def test_bad_input_is_named(given, error, message):
    with pytest.raises(error, match=message):
        PairwiseConstraints(**{"n_samples": 4, **given})
