"""How far partitions satisfy pairs and labels, counted by hand."""

import numpy as np
import pytest

from moo_clustering.constraints.pairs import satisfied_pairs, satisfied_shares

PARTITIONS = np.array([[0, 0, 1, 1, 2], [0, 0, 0, 0, 0]])


def counted(supervision):
    must, cannot = satisfied_pairs(PARTITIONS, supervision)
    return (must.satisfied.tolist(), must.n_pairs), (cannot.satisfied.tolist(), cannot.n_pairs)


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
