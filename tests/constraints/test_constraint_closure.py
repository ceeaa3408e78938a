"""Transitive closure of pairs."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moo_clustering.constraints import InconsistentConstraintsError, PairwiseConstraints

# Treatments of eight documents; several documents belong to more than one treatment.
TREATMENTS = [
    {"education", "therapy"},
    {"education"},
    {"behaviour", "therapy", "medication"},
    {"behaviour"},
    {"behaviour", "skills"},
    {"skills", "medication"},
    {"skills", "medication"},
    {"medication"},
]


def pairs_of(n):
    return st.lists(
        st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda pair: pair[0] != pair[1]),
        max_size=n,
    )


def naive_components(n, links):
    component = list(range(n))
    for _ in range(n):
        for i, j in links:
            component[i] = component[j] = min(component[i], component[j])
    return np.unique(component, return_inverse=True)[1]


def test_components_are_numbered_by_their_least_sample():
    made = PairwiseConstraints([(5, 1), (4, 3), (3, 6)], n_samples=7)
    assert made.components().tolist() == [0, 1, 2, 3, 3, 1, 3]


def test_closure_by_hand():
    made = PairwiseConstraints([(0, 1), (1, 2), (3, 4)], [(2, 3), (0, 5)], n_samples=7)
    closed, conflicts = made.closure()
    assert closed.must_link.tolist() == [[0, 1], [0, 2], [1, 2], [3, 4]]
    across = [[0, 3], [0, 4], [0, 5], [1, 3], [1, 4], [1, 5], [2, 3], [2, 4], [2, 5]]
    assert closed.cannot_link.tolist() == across
    assert conflicts.shape == (0, 2)
    assert not closed.is_weighted


def test_implied_weights_are_the_least_they_rest_on():
    made = PairwiseConstraints(
        [(0, 1), (1, 2), (3, 4)],
        [(2, 3), (0, 5), (1, 5)],
        n_samples=6,
        must_link_weights=[4.0, 2.0, 8.0],
        cannot_link_weights=[3.0, 0.5, 5.0],
    )
    closed, _ = made.closure()
    must = dict(zip(map(tuple, closed.must_link.tolist()), closed.must_link_weights, strict=True))
    assert must == {(0, 1): 4.0, (1, 2): 2.0, (0, 2): 2.0, (3, 4): 8.0}
    cannot = dict(zip(map(tuple, closed.cannot_link.tolist()), closed.cannot_link_weights, strict=True))
    assert cannot[2, 3] == 3.0
    assert cannot[0, 3] == cannot[2, 4] == 2.0
    assert (cannot[0, 5], cannot[1, 5], cannot[2, 5]) == (0.5, 5.0, 0.5)
    assert closed.closure()[0] == closed


@settings(max_examples=60, deadline=None)
@given(pairs_of(9), pairs_of(9), st.booleans(), st.integers(0, 2**32 - 1))
def test_closure_is_naive_closure_and_idempotent(must, cannot, weighted, seed):
    rng = np.random.default_rng(seed)
    weights = {}
    if weighted:
        weights = {"must_link_weights": 1 + rng.random(len(must))}
        weights["cannot_link_weights"] = 1 + rng.random(len(cannot))
    made = PairwiseConstraints(must, cannot, n_samples=9, **weights)
    component = naive_components(9, must)
    np.testing.assert_array_equal(made.components(), component)
    separated = {frozenset((component[i], component[j])) for i, j in cannot}
    everything = list(itertools.combinations(range(9), 2))
    closed, conflicts = made.closure()
    expected = [[i, j] for i, j in everything if component[i] == component[j]]
    assert closed.must_link.tolist() == expected
    assert closed.cannot_link.tolist() == [
        [i, j]
        for i, j in everything
        if component[i] != component[j] and frozenset((component[i], component[j])) in separated
    ]
    assert conflicts.tolist() == [[i, j] for i, j in made.cannot_link if component[i] == component[j]]
    again, none = closed.closure()
    assert again == closed
    assert not len(none)


def test_overlapping_gold_is_not_transitive():
    made = PairwiseConstraints.from_labels(TREATMENTS, 1.0)
    assert (len(made.must_link), len(made.cannot_link)) == (13, 15)
    closed, conflicts = made.closure()
    assert len(np.unique(made.components())) == 1
    np.testing.assert_array_equal(conflicts, made.cannot_link)
    assert (len(closed.must_link), len(closed.cannot_link)) == (28, 0)


@pytest.mark.parametrize("call", [lambda c: c.closure(strict=True), lambda c: c.groups()])
def test_conflicts_are_reported_with_the_chain_that_joins_them(call):
    made = PairwiseConstraints([(0, 2), (2, 4), (1, 3)], [(0, 4), (0, 1), (3, 1)], n_samples=5)
    with pytest.raises(InconsistentConstraintsError) as raised:
        call(made)
    assert raised.value.conflicts.tolist() == [[0, 4], [1, 3]]
    assert str(raised.value) == (
        "contradictory constraints: cannot-link (0, 4), but must-links join 0 - 2 - 4; "
        "cannot-link (1, 3), but must-links join 1 - 3"
    )


def test_many_conflicts_are_counted():
    made = PairwiseConstraints.from_labels(TREATMENTS, 1.0)
    with pytest.raises(InconsistentConstraintsError, match=r"; and 12 more$") as raised:
        made.closure(strict=True)
    assert isinstance(raised.value, ValueError)
    assert len(raised.value.conflicts) == 15
    back = pickle.loads(pickle.dumps(raised.value))
    assert str(back) == str(raised.value)
    np.testing.assert_array_equal(back.conflicts, raised.value.conflicts)


def test_long_chains_are_abridged():
    chain = np.column_stack([np.arange(99), np.arange(1, 100)])
    with pytest.raises(InconsistentConstraintsError, match=r"join 0 - 1 - 2 - 3 - \.\.\. - 97 - 98 - 99$"):
        PairwiseConstraints(chain, [(0, 99)], n_samples=100).closure(strict=True)


def test_strict_closure_without_conflict_is_the_closure():
    made = PairwiseConstraints([(0, 1)], [(1, 2)], n_samples=3)
    assert made.closure(strict=True)[0] == made.closure()[0]


def test_closure_refuses_to_list_too_much():
    ring = np.column_stack([np.arange(5000), np.roll(np.arange(5000), 1)])
    made = PairwiseConstraints(ring, n_samples=5000)
    with pytest.raises(ValueError, match=r"would list 12,497,500 pairs.*ConstraintGroups"):
        made.closure()
    assert made.groups().n_groups == 1
