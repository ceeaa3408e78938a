"""PairwiseConstraints: storage, closure, counting, and the weights of features made from pairs."""

from __future__ import annotations

import copy
import itertools
import pickle

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from moo_clustering import _arrays
from moo_clustering import constraints as room
from moo_clustering._kernels.partitions import count_equal, count_equal_by_class, weigh_equal
from moo_clustering.constraints import (
    InconsistentConstraintsError,
    PairwiseConstraints,
    fisher_weights,
    satisfied_from_labels,
)
from moo_clustering.constraints.pairs import satisfied_pairs, satisfied_shares


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
        ({"must_link": [(0, 1), (2, 2)]}, ValueError, r"must_link row 1: pair \(2, 2\) links a sample to"),
        ({"cannot_link": [(0, 4)]}, ValueError, r"cannot_link row 0: pair \(0, 4\) is out of range.*0 to 3"),
        ({"must_link": [(0, 1), (-1, 2)]}, ValueError, r"must_link row 1: pair \(-1, 2\) is out of range"),
        ({"must_link": [(0, 1.5)]}, ValueError, r"must_link must be integers, got 1\.5 at \[0, 1\]"),
        ({"must_link": [(0, float("nan"))]}, ValueError, r"must_link must be integers, got nan"),
        ({"must_link": [("a", "b")]}, TypeError, r"must_link must be integers, got 'a'"),
        ({"must_link": [(0, None)]}, TypeError, r"must_link must be integers, got None"),
        ({"must_link": [0, 1]}, ValueError, r"must_link must have shape \(n_pairs, 2\), got shape \(2,\)"),
        (
            {"must_link": [(0, 1, 2)]},
            ValueError,
            r"must_link must have shape \(n_pairs, 2\), got shape \(1, 3\)",
        ),
        ({"must_link": [(0, 1), (2,)]}, ValueError, r"rows differ in length"),
        ({"must_link": [(0, 1)], "must_link_weights": [0]}, ValueError, r"must be positive and finite"),
        ({"must_link": [(0, 1)], "must_link_weights": [np.inf]}, ValueError, r"must be finite numbers"),
        (
            {"must_link": [(0, 1)], "must_link_weights": [1, 2]},
            ValueError,
            r"must_link_weights must have one weight per pair \(1\)",
        ),
        (
            {"cannot_link_weights": [1]},
            ValueError,
            r"cannot_link_weights must have one weight per pair \(0\)",
        ),
        ({"n_samples": 0}, ValueError, r"n_samples must be an integer of at least 1, got 0"),
        ({"n_samples": 2.5}, TypeError, r"n_samples must be an integer of at least 1, got 2\.5"),
    ],
)
def test_bad_input_is_named(given, error, message):
    with pytest.raises(error, match=message):
        PairwiseConstraints(**{"n_samples": 4, **given})


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
    with pytest.raises(ValueError, match=r"12,497,500 pairs would be listed.*ConstraintGroups"):
        made.closure()
    assert made.groups().n_groups == 1


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


@pytest.mark.parametrize("dtype", [np.uint8, np.int32])
@pytest.mark.parametrize("n_classes", [1, 2, 4])  # of a group
def test_count_equal_by_class_is_a_double_loop(global_random_seed, dtype, n_classes):
    rng = np.random.default_rng(global_random_seed)
    y = rng.integers(0, 4, 30)
    group, place = np.divmod(y, n_classes)
    order, ends = np.argsort(group, kind="stable"), np.arange(4 // n_classes + 1)
    shifts, starts = (9 * place[order]).astype(np.uint64), np.searchsorted(np.sort(group), ends)
    labels = rng.integers(0, 9, (6, 30)).astype(dtype)  # groups of less and of more samples than counters
    within, total = np.full(6, -1), np.full(6, -1)
    count_equal_by_class(labels, order.astype(np.uint64), shifts, starts, 9, within, total)
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
    with pytest.raises(TypeError, match=r"labels must be integers, got dtype float64"):
        getattr(example, function)(np.zeros((2, 6)))


def test_contingency_refuses_other_lengths():
    with pytest.raises(ValueError, match=r"labels must have shape"):
        satisfied_from_labels([[0, 1, 0]], [0, 1])


PARTITIONS = np.array([[0, 0, 1, 1, 2], [0, 0, 0, 0, 0]])


def counted(supervision):
    (must, n_must), (cannot, n_cannot) = satisfied_pairs(PARTITIONS, supervision)
    return (must.tolist(), n_must), (cannot.tolist(), n_cannot)


def test_listed_pairs():
    found = counted({"must_link": [(0, 1), (0, 4)], "cannot_link": [(1, 2), (2, 3), (3, 4)]})
    assert found == (([1, 2], 2), ([2, 0], 3))


def test_labels_are_all_their_pairs():
    # 0 and 1 together, both apart from 3.
    assert counted({"y": [7, 7, -1, 2, -1]}) == (([1, 1], 1), ([2, 0], 2))


def test_pairs_that_follow_from_labels_count_once():
    # (1, 0) and (3, 0) follow; 4 has no label; (0, 3) as a must-link contradicts and counts.
    supervision = {"y": [7, 7, -1, 2, -1], "must_link": [(1, 0), (0, 3)], "cannot_link": [(3, 0), (0, 4)]}
    assert counted(supervision) == (([1, 2], 2), ([3, 0], 3))


def test_sets_of_labels_say_nothing_of_pairs():
    Y = np.array([[1, 0], [1, 0], [0, 1], [1, 1], [-1, -1]])
    assert counted({"y": Y, "must_link": [(0, 1)]}) == (([1, 1], 1), ([0, 0], 0))


def test_nothing_was_known():
    assert counted({}) == (([0, 0], 0), ([0, 0], 0))
    assert satisfied_shares(PARTITIONS, {"y": None, "must_link": None}) == {}


def test_shares_of_what_there_is():
    shares = satisfied_shares(PARTITIONS, {"cannot_link": [(1, 2), (2, 3), (3, 4)]})
    assert set(shares) == {"cannot_link_satisfied"}
    assert shares["cannot_link_satisfied"] == pytest.approx([2 / 3, 0])


def naive(X, constraints, shrinkage):
    weights = []
    greatest = X.var(axis=0).max()
    for x in X.T:
        v = x.var()
        s, b = (
            np.average(
                [(x[i] - x[j]) ** 2 / 2 for i, j in pairs],
                weights=w,
            )
            for pairs, w in (
                (constraints.must_link, constraints.must_link_weights),
                (constraints.cannot_link, constraints.cannot_link_weights),
            )
        )
        keep = v > 1e-6 * greatest
        weights.append(max(b, 1e-12) / (((1 - shrinkage) * s + shrinkage * v) * v) if keep else 0.0)
    return weights


def test_worked_weights():
    # v = 25.25, s = 1/2, b = 50; the second feature separates no cannot-link.
    X = [[0, 0], [1, 9], [10, 0], [11, 9]]
    pairs = PairwiseConstraints([(0, 1), (2, 3)], [(0, 2), (1, 3)], n_samples=4)
    expected = 50 / ((0.8 * 0.5 + 0.2 * 25.25) * 25.25)
    assert_allclose(fisher_weights(X, pairs), [expected, 1e-12 / ((0.8 * 40.5 + 0.2 * 20.25) * 20.25)])
    assert_allclose(fisher_weights(X, pairs, shrinkage=1.0)[0], 50 / 25.25**2)
    assert_allclose(fisher_weights(X, pairs, shrinkage=0.0)[0], 50 / (0.5 * 25.25))


@given(seed=st.integers(0, 2**32 - 1), shrinkage=st.floats(0.01, 1.0))
@settings(max_examples=25, deadline=None)
def test_weights_are_the_definition_for_dense_and_sparse_features(seed, shrinkage):
    rng = np.random.default_rng(seed)
    X = rng.poisson(1.0, size=(15, 4)).astype(float)
    X[:, 2] = 3.0
    pairs = rng.choice(15, size=(9, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    constraints = PairwiseConstraints(
        [(0, 1), *pairs[:3]], [(2, 3), *pairs[3:]], n_samples=15,
        must_link_weights=rng.random(1 + len(pairs[:3])) + 0.1,
    )  # fmt: skip
    expected = naive(X, constraints, shrinkage)
    assert_allclose(fisher_weights(X, constraints, shrinkage), expected, rtol=1e-9)
    assert_allclose(fisher_weights(scipy.sparse.csr_array(X), constraints, shrinkage), expected, rtol=1e-9)
    assert expected[2] == 0


def test_pairs_in_many_blocks(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 3))
    constraints = PairwiseConstraints.from_labels(rng.integers(0, 3, 20), 1.0)
    whole = fisher_weights(X, constraints)
    monkeypatch.setattr(_arrays, "BLOCK_ITEMS", 20)
    assert_allclose(fisher_weights(X, constraints), whole, rtol=1e-12)


@pytest.mark.parametrize("kind", ["must", "cannot"])
def test_one_kind_of_pairs_only_leaves_the_metric_alone(kind):
    pairs = [(0, 1)]
    constraints = PairwiseConstraints(
        pairs if kind == "must" else None, pairs if kind == "cannot" else None, n_samples=3
    )
    assert_array_equal(fisher_weights(np.eye(3), constraints), np.ones(3))


def test_features_that_agree_on_all_must_links_stay_finite_without_shrinkage():
    X = [[0, 0], [0, 1], [5, 0], [5, 3]]
    pairs = PairwiseConstraints([(0, 1), (2, 3)], [(0, 2)], n_samples=4)
    weights = fisher_weights(X, pairs, shrinkage=0.0)
    assert np.isfinite(weights).all()
    assert weights[0] > weights[1]


def test_classes_are_further_apart_under_the_weights():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 40)
    X = rng.normal(size=(80, 10))
    X[:, 3] += 4 * y
    constraints = PairwiseConstraints.from_labels(y, 0.2, scheme="docs", random_state=0)
    spread = fisher_weights(X, constraints) * X.var(axis=0)
    assert spread.argmax() == 3
    assert spread[3] > 2 * np.sort(spread)[-2]


def test_misuse():
    pairs = PairwiseConstraints([(0, 1)], [(0, 2)], n_samples=3)
    with pytest.raises(ValueError, match="shrinkage"):
        fisher_weights(np.eye(3), pairs, shrinkage=1.5)
    with pytest.raises(ValueError, match="same number of samples, got 3 and 4"):
        fisher_weights(np.eye(4), pairs)
    with pytest.raises(TypeError, match="PairwiseConstraints"):
        fisher_weights(np.eye(3), [(0, 1)])
