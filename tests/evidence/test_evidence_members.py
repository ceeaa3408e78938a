"""Scores, choice and weights of the members of a pool."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moo_clustering.evidence import best_member, consensus_weights, evidence_weights, selection_score


def test_a_quarter_of_the_modularity_is_added_to_the_agreement():
    # The four partitions of six samples on a path.
    agreement, modularity = [0.1066066, 0.1141141, 0.0404040, -0.1636637], [0.30, 0.22, 0.26, -0.50]
    expected = [0.1816066, 0.1691141, 0.1054040, -0.2886637]
    np.testing.assert_allclose(selection_score(agreement, modularity), expected, atol=1e-12)
    np.testing.assert_array_equal(selection_score(agreement, modularity, weight=0.0), agreement)


def test_equal_scores_go_to_fewer_clusters_and_then_to_the_first():
    assert best_member([0.4, 0.7, 0.7, 0.7, 0.1], [2, 5, 3, 3, 2]) == 2
    assert best_member([1.0], [7]) == 0


def test_a_wanted_number_looks_among_the_nearest_only():
    score, sizes = [0.9, 0.2, 0.3, 0.2], [2, 6, 8, 6]
    assert best_member(score, sizes, k=7) == 2
    assert best_member(score, sizes, k=6) == 1
    assert best_member(score, sizes, k=5) == 1
    assert best_member(score, sizes, k=1) == 0


def test_weights_of_a_consensus():
    weights = consensus_weights([0.5, 0.4, 0.5, 0.5, -0.4], [4, 4, 2, 8, 4], 4)
    np.testing.assert_allclose(weights, [1.0, np.exp(-1.0), 0.125, 0.125, np.exp(-9.0)], rtol=1e-12)
    assert consensus_weights([0.5, -0.43], [4, 4], 4)[1] == 0.0
    assert consensus_weights([0.5, -0.42], [4, 4], 4)[1] > 0.0


def test_weights_of_evidence():
    np.testing.assert_allclose(
        evidence_weights([0.0, -10.0 * np.log(2.0)]), np.array([8.0, 1.0]) / 9.0, rtol=1e-12
    )
    # ln(1e4) / .3 = 30.701
    assert (evidence_weights([-500.0, -530.6, -530.8], drop=True) > 0).tolist() == [True, True, False]
    assert (evidence_weights([-500.0, -530.6, -530.8]) > 0).all()


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(2, 6)), min_size=1, max_size=12), st.integers(1, 8))
def test_best_member_against_a_sort(members, k):
    score, sizes = zip(*members, strict=True)
    ranked = sorted(range(len(members)), key=lambda p: (-score[p], sizes[p], p))
    assert best_member(score, sizes) == ranked[0]
    nearest = min(abs(size - k) for size in sizes)
    assert best_member(score, sizes, k=k) == next(p for p in ranked if abs(sizes[p] - k) == nearest)
    # A copy of a member changes nothing.
    assert best_member((*score, score[0]), (*sizes, sizes[0])) == ranked[0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: selection_score([1.0], [1.0, 2.0]), "agreement and modularity"),
        (lambda: selection_score([1.0], [1.0], weight=-1.0), "weight must be non-negative"),
        (lambda: best_member([], []), "score must have"),
        (lambda: best_member([np.nan], [2]), "finite numbers or -inf, got nan at 0"),
        (lambda: best_member([1.0, 2.0], [2]), "n_clusters must have"),
        (lambda: consensus_weights([1.0], [2], 0), "at least 1"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=message):
        call()
