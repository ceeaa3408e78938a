"""Indices of regions: worked values, and definitions written again."""

import networkx as nx
import numpy as np
import pytest

from moo_clustering.encodings import align_labels
from moo_clustering.validity import ChangedShare, Compactness, CutEdges, LoadVariation, get_index

GRID = nx.to_scipy_sparse_array(nx.grid_2d_graph(6, 6), format="csr")
LABELS = np.random.default_rng(0).integers(0, 4, size=(5, 36))


def test_worked_values():
    loads = LoadVariation().fit([1, 2, 3, 4]).evaluate([[0, 0, 1, 1], [0, 0, 0, 0]])
    assert loads == pytest.approx([0.4, 0.0])
    path = nx.to_scipy_sparse_array(nx.path_graph(4))
    assert CutEdges().fit(7 * path).evaluate([[0, 0, 1, 1], [0, 1, 0, 1]]).tolist() == [1, 3]
    changed = ChangedShare().fit([5, 5, 2, 2])
    assert changed.evaluate([[1, 1, 0, 0], [0, 1, 1, 1], [0, 1, 0, 1]]).tolist() == [0, 0.25, 0.5]
    assert ChangedShare().fit([0, 0, 1, -1]).evaluate([[0, 0, 1, 2], [0, 1, 1, 1]]).tolist() == [0, 1 / 3]
    # A square of two by two unit squares, and an L of three with a single one.
    square = nx.to_scipy_sparse_array(nx.grid_2d_graph(2, 2))
    shapes = np.ones(4), np.full(4, 4.0), square
    found = Compactness().fit(shapes).evaluate([[0, 0, 0, 0], [0, 0, 0, 1]])
    assert found == pytest.approx([np.pi / 4, (4 * np.pi * 3 / 64 + np.pi / 4) / 2])


def test_load_variation_is_that_of_numpy():
    weight = np.random.default_rng(1).random(36)
    expected = [np.std(loads) / np.mean(loads) for loads in (np.bincount(row, weight) for row in LABELS)]
    assert LoadVariation().fit(weight).evaluate(LABELS) == pytest.approx(expected)


def test_changes_are_counted_after_alignment():
    earlier = np.random.default_rng(2).integers(0, 6, size=36)
    expected = (align_labels(earlier, LABELS) != earlier).mean(axis=1)
    assert ChangedShare().fit(earlier).evaluate(LABELS) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("load_variation", [1.0, -1.0], "data must be non-negative, got -1 for sample 1"),
        ("load_variation", [0.0, 0.0], "data must contain at least one positive weight"),
        ("changed", [-1, -1], "data must contain at least one non-negative label"),
        (
            "compactness",
            ([1.0], [4.0, 4.0], np.zeros((2, 2))),
            "must have the same number of samples, got 1, 2 and 2",
        ),
        ("compactness", ([1.0, 1.0], [4.0, 4.0], 5 * np.eye(2)[::-1]), "at least as long as the borders"),
        ("compactness", ([1.0, 1e6], [4.0, 4.0], np.eye(2)[::-1]), "got 1e.06 with perimeter 4 for sample 1"),
    ],
)
def test_what_is_no_data_is_refused(name, data, message):
    with pytest.raises(ValueError, match=message):
        get_index(name).fit(data)


@pytest.mark.parametrize("unit", [1e-150, 1e150])
def test_compactness_has_no_unit(unit):
    border = np.eye(2)[::-1]
    values = Compactness().fit(([1, 1], [4, 4], border)).evaluate([[0, 0], [0, 1]])
    scaled = Compactness().fit((np.full(2, unit**2), np.full(2, 4 * unit), border * unit))
    assert scaled.evaluate([[0, 0], [0, 1]]) == pytest.approx(values)


def test_compactness_names_its_data():
    with pytest.raises(TypeError, match=r"data must be a tuple \(areas, perimeters, borders\), got"):
        Compactness().fit(np.ones(3))
