"""Numbers of the solutions."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moo_clustering.constraints.pairs import satisfied_pairs, satisfied_shares
from moo_clustering.visualization.report.content import constraint_columns, size_columns

N = 8
ROWS = st.lists(st.integers(0, 3), min_size=N, max_size=N)
PAIR = st.tuples(st.integers(0, N - 1), st.integers(0, N - 1)).filter(lambda pair: pair[0] != pair[1])


@settings(max_examples=60, deadline=None)
@given(
    labels=st.lists(ROWS, min_size=1, max_size=4),
    y=st.lists(st.integers(-1, 2), min_size=N, max_size=N),
    must=st.sets(PAIR, max_size=6),
    cannot=st.sets(PAIR, max_size=6),
)
def test_satisfied_pairs_are_counted_once(labels, y, must, cannot):
    known = [i for i in range(N) if y[i] >= 0]
    must_pairs = {frozenset(pair) for pair in must}
    must_pairs |= {frozenset((i, j)) for i, j in combinations(known, 2) if y[i] == y[j]}
    cannot_pairs = {frozenset(pair) for pair in cannot}
    cannot_pairs |= {frozenset((i, j)) for i, j in combinations(known, 2) if y[i] != y[j]}
    supervision = {"y": y, "must_link": sorted(must), "cannot_link": sorted(cannot)}
    (found_must, n_must), (found_cannot, n_cannot) = satisfied_pairs(labels, supervision)
    assert (n_must, n_cannot) == (len(must_pairs), len(cannot_pairs))
    for row, partition in enumerate(labels):
        together = sum(len({partition[i] for i in pair}) == 1 for pair in must_pairs)
        apart = sum(len({partition[i] for i in pair}) == 2 for pair in cannot_pairs)
        assert (found_must[row], found_cannot[row]) == (together, apart)
    shares = satisfied_shares(labels, supervision)
    assert ("must_link_satisfied" in shares) == bool(must_pairs)
    if cannot_pairs:
        np.testing.assert_array_equal(shares["cannot_link_satisfied"], found_cannot / len(cannot_pairs))


def test_shares_of_all_constraints_and_of_each_kind():
    labels = np.array([[0, 0, 1, 1], [0, 1, 0, 1]], dtype=np.int32)
    columns = constraint_columns(labels, {"must_link": [(0, 1)], "cannot_link": [(0, 2), (0, 3), (1, 2)]})
    found = {column.name: column.values.tolist() for column in columns}
    assert found["must-links satisfied"] == [1.0, 0.0]
    assert found["cannot-links satisfied"] == [1.0, pytest.approx(2 / 3)]
    assert found["constraints satisfied"] == [1.0, 0.5]
    assert all(column.greater_is_better for column in columns)


def test_one_kind_of_constraint_is_all_of_them():
    columns = constraint_columns(np.array([[0, 0, 1]], dtype=np.int32), {"must_link": [(0, 2)]})
    assert [(column.name, column.values.tolist()) for column in columns] == [("must-links satisfied", [0.0])]


def test_without_constraints_there_are_no_shares():
    assert constraint_columns(np.array([[0, 0, 1]], dtype=np.int32), {"must_link": [], "y": None}) == []


def test_sizes_leave_empty_clusters_and_samples_in_none_out():
    labels = np.array([[0, 0, 2, 2, 2], [-1, 0, 0, 1, 0]], dtype=np.int32)
    found = {column.name: column.values.tolist() for column in size_columns(labels)}
    assert found == {
        "clusters": [2.0, 2.0],
        "smallest cluster": [2.0, 1.0],
        "in no cluster": [0.0, 1.0],
    }
