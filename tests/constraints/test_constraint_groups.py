"""Groups that belong together and pairs of groups that belong apart."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moo_clustering.constraints import (
    ConstraintGroups,
    InconsistentConstraintsError,
    PairwiseConstraints,
    constraint_groups,
)


def naive_groups(n, y, must, cannot):
    """Union-find over samples, then the set of conflicting roots; None if contradictory."""
    root = list(range(n))

    def find(i):
        while root[i] != i:
            i = root[i]
        return i

    links = list(must) + [(i, j) for i in range(n) for j in range(i) if y[i] == y[j] >= 0]
    for i, j in links:
        a, b = sorted((find(i), find(j)))
        root[b] = a
    apart = list(cannot) + [(i, j) for i in range(n) for j in range(i) if y[i] >= 0 <= y[j] != y[i]]
    roots = {frozenset((find(i), find(j))) for i, j in apart}
    if any(len(pair) == 1 for pair in roots):
        return None
    touched = {i for pair in [*must, *cannot] for i in pair} | {i for i in range(n) if y[i] >= 0}
    return [find(i) if i in touched else -1 for i in range(n)], roots


pair_lists = st.lists(
    st.tuples(st.integers(0, 7), st.integers(0, 7)).filter(lambda pair: pair[0] != pair[1]), max_size=4
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.integers(-1, 2), min_size=8, max_size=8), pair_lists, pair_lists)
def test_groups_equal_naive_union_find(y, must, cannot):
    naive = naive_groups(8, y, must, cannot)
    constraints = PairwiseConstraints(must, cannot, n_samples=8)
    if naive is None:
        with pytest.raises(InconsistentConstraintsError) as raised:
            constraint_groups(8, y, constraints)
        assert len(raised.value.conflicts)
        return
    roots, apart = naive
    made = constraint_groups(8, y, constraints)
    used = sorted(set(roots) - {-1})
    assert made.groups.tolist() == [used.index(r) if r >= 0 else -1 for r in roots]
    assert made.n_groups == len(used)
    assert made.conflicts.tolist() == sorted(sorted(used.index(r) for r in pair) for pair in apart)
    forbidden = [[frozenset((a, b)) in apart for b in roots] for a in roots]
    i = np.arange(8)
    np.testing.assert_array_equal(made.forbidden(i[:, None], i), forbidden)
    np.testing.assert_array_equal([made.forbidden_with(k) for k in range(8)], forbidden)
    members = [part.tolist() for part in made.members()]
    assert members == [[k for k in range(8) if roots[k] == r] for r in used if roots.count(r) > 1]
    assert made.is_empty == (not members and not apart)


def test_by_hand():
    made = constraint_groups(
        8, [0, -1, 1, 0, -1, -1, -1, -1], PairwiseConstraints([(1, 2), (4, 5)], [(5, 3)], n_samples=8)
    )
    # {0, 3} of class 0; {1, 2} of class 1; {4, 5}.
    assert made.groups.tolist() == [0, 1, 1, 0, 2, 2, -1, -1]
    assert made.conflicts.tolist() == [[0, 1], [0, 2]]
    assert made.n_samples == 8
    assert made.forbidden(0, 4) == True  # noqa: E712
    assert made.forbidden([0, 1, 6], [5, 4, 0]).tolist() == [True, False, False]
    assert made.forbidden_with(4).tolist() == [True, False, False, True, False, False, False, False]
    assert not made.forbidden_with(6).any()
    assert repr(made) == "ConstraintGroups(n_samples=8, n_groups=3, conflicts=<2 pairs of groups>)"


@pytest.mark.parametrize("y", [None, [-1, -1, -1], [-1, 0, -1]])
def test_nothing_asked_for(y):
    made = constraint_groups(3, y)
    assert made.is_empty
    assert made.members() == []
    assert made.conflicts.shape == (0, 2)
    assert made.forbidden([[0], [1]], [1, 2]).tolist() == [[False, False], [False, False]]
    assert not made.forbidden_with(1).any()


def test_partial_labels_equal_their_pair_list():
    y = np.random.default_rng(0).integers(-1, 3, 40)
    from_pairs = PairwiseConstraints.from_partial_labels(y).groups()
    assert constraint_groups(40, y) == from_pairs
    assert constraint_groups(40, y.astype(float)) == from_pairs


def test_many_classes():
    y = np.arange(3000) % 1500
    made = constraint_groups(3000, y)
    assert len(made.conflicts) == 1500 * 1499 // 2
    assert made.conflicts[[0, -1]].tolist() == [[0, 1], [1498, 1499]]
    assert made.forbidden([0, 0, 7], [1500, 1501, 1506]).tolist() == [False, True, True]
    assert made.forbidden_with(3).sum() == 2998


def test_too_many_classes_are_refused():
    with pytest.raises(ValueError, match=r"at most 4472 classes.*got 5000"):
        constraint_groups(5000, np.arange(5000))


def test_merged_classes_and_split_groups_are_both_listed():
    constraints = PairwiseConstraints([(1, 4), (4, 3)], [(0, 5)], n_samples=7)
    with pytest.raises(InconsistentConstraintsError) as raised:
        constraint_groups(7, [0, 0, -1, 1, -1, 0, 2], constraints)
    assert raised.value.conflicts.tolist() == [[0, 3], [0, 5]]
    assert str(raised.value) == (
        "contradictory constraints: samples 0 (class 0) and 3 (class 1) differ in y, "
        "but must-links and classes join 0 - 1 - 4 - 3; "
        "cannot-link (0, 5), but must-links and classes join 0 - 5"
    )


def test_read_only_picklable_and_shared_by_copies():
    made = constraint_groups(4, [0, 1, 1, -1])
    back = pickle.loads(pickle.dumps(made))
    assert back == made
    assert back.forbidden(0, 1)
    assert copy.deepcopy(made) is made
    assert made != constraint_groups(4, [0, 1, -1, -1])
    assert made != 3
    for groups in (made, back):
        assert not groups.groups.flags.writeable
        assert not groups.conflicts.flags.writeable
    with pytest.raises(AttributeError):
        made.groups = np.zeros(4)


def test_direct_construction_sorts_conflicts_and_copies():
    groups = np.array([0, 1, 2, -1])
    made = ConstraintGroups(groups, [(2, 1), (1, 0), (1, 2)])
    groups[:] = 0
    assert made.groups.tolist() == [0, 1, 2, -1]
    assert made.conflicts.tolist() == [[0, 1], [1, 2]]
    assert ConstraintGroups([-1, 0, 0], []).members()[0].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("groups", "conflicts", "message"),
    [
        ([[0, 1]], [], r"groups must be a 1-d array"),
        ([0, -2], [], r"groups must be a 1-d array of integers of at least -1"),
        ([0, 1], [(0, 2)], r"row 0: pair \(0, 2\) .* groups are numbered 0 to 1"),
        ([0, 1], [(1, 1)], r"row 0: pair \(1, 1\) links a group to itself"),
        ([0, 1], [0, 1], r"conflicts must have shape"),
    ],
)
def test_direct_construction_is_checked(groups, conflicts, message):
    with pytest.raises(ValueError, match=message):
        ConstraintGroups(groups, conflicts)


@pytest.mark.parametrize(
    ("y", "error", "message"),
    [
        ([0, 1], ValueError, r"y must have one value per sample \(3\), got 2"),
        ([[0], [1], [2]], ValueError, r"y must be one-dimensional, got shape \(3, 1\)"),
        ([0, -2, 1], ValueError, r"y must be at least -1, got -2 at \[1\]"),
        ([0, 0.5, 1], ValueError, r"y must be integers, got 0\.5 at \[1\]"),
        (["a", "b", "a"], TypeError, r"y must be integers, got 'a'; number the classes"),
    ],
)
def test_bad_partial_labels_are_named(y, error, message):
    with pytest.raises(error, match=message):
        constraint_groups(3, y)


def test_constraints_about_other_data_are_refused():
    with pytest.raises(ValueError, match=r"constraints must have n_samples=3, got n_samples=4"):
        constraint_groups(3, None, PairwiseConstraints(n_samples=4))
