"""Hyperedges of runs and the agreement between runs."""

import importlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from moo_clustering.validity import average_nmi, nmi, pairwise_nmi
from moo_clustering.validity.ensembles import hyperedges, overlaps

# Seven objects, four runs; the last two clusterings differ from the first, the second only in names.
RUNS = np.array([[0, 0, 0, 1, 1, 2, 2], [1, 1, 1, 2, 2, 0, 0], [0, 0, 1, 1, 1, 2, 2], [0, 0, 0, 0, 1, 2, 2]])

partial_runs = arrays(np.int64, st.tuples(st.integers(1, 5), st.integers(1, 12)), elements=st.integers(-1, 3))


def members(edges):
    """Objects of every hyperedge as a dense 0/1 matrix, one by one."""
    H = np.zeros((edges.n_edges, edges.n_samples), dtype=int)
    for row in edges.codes:
        for column, edge in enumerate(row):
            if edge >= 0:
                H[edge, column] = 1
    return H


def test_hyperedges_of_the_worked_example():
    edges = hyperedges(RUNS)
    assert edges.n_edges == 12
    assert edges.sizes.tolist() == [3, 2, 2, 3, 2, 2, 2, 3, 2, 4, 1, 2]
    assert edges.runs.tolist() == [0] * 3 + [1] * 3 + [2] * 3 + [3] * 3
    assert members(edges)[3].tolist() == [1, 1, 1, 0, 0, 0, 0]


@settings(max_examples=40, deadline=None)
@given(partial_runs)
def test_hyperedges_hold_what_shares_a_label(labels):
    edges = hyperedges(labels)
    H = members(edges)
    np.testing.assert_array_equal(edges.matrix().toarray(), H)
    np.testing.assert_array_equal(edges.sizes, H.sum(axis=1))
    np.testing.assert_array_equal(edges.intersections, H @ H.T)
    for run, row in zip(labels, edges.codes, strict=True):
        np.testing.assert_array_equal(run < 0, row < 0)
        seen = run >= 0
        together = run[seen][:, None] == run[seen]
        np.testing.assert_array_equal(row[seen][:, None] == row[seen], together)
    taken = edges.take(np.arange(edges.n_runs)[::-2])
    alone = hyperedges(labels[::-2])
    np.testing.assert_array_equal(taken.codes, alone.codes)
    np.testing.assert_array_equal(taken.intersections, alone.intersections)
    np.testing.assert_array_equal(overlaps(edges, alone), H @ members(alone).T)


def test_names_of_clusters_do_not_matter_however_large():
    renamed = np.array([10**12, 7, 0])[RUNS]
    np.testing.assert_array_equal(hyperedges(renamed).codes, hyperedges(RUNS).codes)
    np.testing.assert_array_equal(hyperedges([[-1, 10**9, 5]]).codes, [[-1, 0, 1]])


def test_runs_are_counted_in_blocks(monkeypatch):
    # The function of the same name hides the module as an attribute of its room.
    module = importlib.import_module("moo_clustering.validity.ensembles")
    monkeypatch.setattr(module, "BLOCK_OBJECTS", 15)
    edges = hyperedges(RUNS)
    H = members(edges)
    np.testing.assert_array_equal(edges.intersections, H @ H.T)


def pair_by_pair(labels):
    """NMI of two runs on the objects both have seen."""
    table = np.zeros((len(labels), len(labels)))
    for a, one in enumerate(labels):
        for b, other in enumerate(labels):
            both = (one >= 0) & (other >= 0)
            table[a, b] = nmi(one[both], other[both]) if both.any() else 0.0
    return table


@settings(max_examples=40, deadline=None)
@given(partial_runs)
def test_pairwise_nmi_is_nmi_of_every_pair(labels):
    np.testing.assert_allclose(pairwise_nmi(labels), pair_by_pair(labels), atol=1e-12)


def test_pairwise_nmi_by_hand():
    table = pairwise_nmi([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [1, 1, 1, 1, 1, 1], [5, 5, 5, 2, 2, 2]])
    assert table[0, 1] == pytest.approx(0.5295405781)
    assert table[0, 3] == pytest.approx(1.0)
    # A single cluster has no entropy, not even with itself.
    np.testing.assert_array_equal(table[2], 0.0)
    assert pairwise_nmi([[0, 0, 1, 1], [0, 1, 0, 1]])[0, 1] == pytest.approx(0.0, abs=1e-12)


def test_others_are_compared_run_by_run():
    table = pairwise_nmi(RUNS[:2], RUNS[1:])
    np.testing.assert_allclose(table, pairwise_nmi(RUNS)[:2, 1:], atol=1e-14)


def test_average_nmi_of_the_worked_example():
    assert average_nmi(RUNS, [0, 0, 0, 1, 1, 2, 2]) == pytest.approx(0.8733224, abs=5e-8)


@pytest.mark.parametrize(
    ("labels", "error", "message"),
    [
        ([[0, 1], [0]], ValueError, "labels must be an array, but its rows differ in length"),
        ([[]], ValueError, "at least one run of at least one sample"),
        ([[0, -2]], ValueError, "-1 for samples absent from the run; got -2"),
        ([[0.0, 0.5]], ValueError, "must be integers, got 0.5"),
        ([["a", "b"]], TypeError, "must be integers"),
        ([[True, False]], TypeError, "must be integers"),
        (np.zeros((2, 2, 2), dtype=int), ValueError, "shape"),
    ],
)
def test_bad_labels_are_named(labels, error, message):
    with pytest.raises(error, match=message):
        pairwise_nmi(labels)


def test_other_objects_are_refused():
    with pytest.raises(ValueError, match="have the same number of samples, got 7 and 6"):
        pairwise_nmi(RUNS, RUNS[:, :6])
