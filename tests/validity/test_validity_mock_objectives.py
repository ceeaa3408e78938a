"""Deviation and connectivity: worked values, a naive loop, ties, given neighbours."""

from __future__ import annotations

import numpy as np
import pytest

from moo_clustering.validity import Connectivity, Deviation
from moo_clustering.validity.internal import nearest_others

# Worked by hand: labels, Dev, Conn L=2, Conn L=3, published Conn L=3
LINE = np.array([0.0, 1, 2.5, 10, 11, 12.5])[:, np.newaxis]
TABLE = [
    ((0, 0, 0, 0, 0, 0), 30.0, 0.0, 0.0, 0.0),
    ((0, 0, 0, 1, 1, 1), 16 / 3, 0.0, 2.0, 0.0),
    ((0, 0, 1, 2, 2, 2), 11 / 3, 2.5, 4.5, 1.5),
    ((0, 1, 2, 3, 4, 5), 0.0, 9.0, 11.0, 5.0),
]


def test_worked_table():
    labels = np.array([row[0] for row in TABLE])
    deviation = Deviation().fit(LINE).evaluate(labels)
    np.testing.assert_allclose(deviation, [row[1] for row in TABLE], rtol=1e-12, atol=1e-12)
    for column, index in [
        (2, Connectivity(2)),
        (3, Connectivity(3)),
        (4, Connectivity(3, variant="published")),
    ]:
        np.testing.assert_allclose(
            index.fit(LINE).evaluate(labels), [row[column] for row in TABLE], rtol=1e-14
        )


def test_worked_example_on_a_line():
    x = np.array([[0.0], [1.0], [3.0], [7.0]])
    labels = [0, 0, 1, 1]
    assert Connectivity(2).fit(x).evaluate(labels)[0] == 3.0
    assert Deviation().fit(x).evaluate(labels)[0] == pytest.approx(5.0, rel=1e-14)


def naive_neighbors(D, width, keys):
    n = len(D)
    return [
        sorted((j for j in range(n) if j != i), key=lambda j: (D[i, j], keys[j]))[:width] for i in range(n)
    ]


def naive_connectivity(neighbors, labels):
    return sum(
        1 / (r + 1) for i, row in enumerate(neighbors) for r, j in enumerate(row) if labels[i] != labels[j]
    )


@pytest.mark.parametrize("seed", range(3))
def test_random_data_is_the_definition(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(50, 3))
    labels = rng.permutation(np.arange(50) % (3 + seed))
    D = np.linalg.norm(X[:, None] - X, axis=2)
    expected = naive_connectivity(naive_neighbors(D, 10, range(50)), labels)
    for index in (Connectivity(), Connectivity(ties="index"), Connectivity(random_state=7)):
        np.testing.assert_allclose(index.fit(X).evaluate(labels), expected, rtol=1e-13)
    np.testing.assert_allclose(
        Connectivity(metric="precomputed").fit(D).evaluate(labels), expected, rtol=1e-13
    )
    means = [X[labels == c].mean(axis=0) for c in range(3 + seed)]
    deviation = sum(np.linalg.norm(x - means[c]) for x, c in zip(X, labels, strict=True))
    np.testing.assert_allclose(Deviation().fit(X).evaluate(labels), deviation, rtol=1e-12)


GRID = np.array([(a, b) for a in range(6) for b in range(5)], dtype=float)
TIED = {
    "grid": GRID,
    "grid with an inexact mean": GRID[:-1] / 4 + 1000.25,
    "duplicates": np.repeat(GRID[:4], 8, axis=0) * [1, 7],
    "all equal": np.full((25, 2), 0.7),
    "binary, many features": (np.random.default_rng(0).random((40, 30)) < 0.5) / 2,
}


@pytest.mark.parametrize("name", TIED)
@pytest.mark.parametrize("width", [1, 3, 10, 24])
def test_ties_follow_the_keys(name, width):
    X = TIED[name]
    n = len(X)
    # Whole quarters: sums of squared differences are exact.
    D = ((X[:, None] - X) ** 2).sum(axis=2)
    for keys in (np.arange(n), np.random.default_rng(1).permutation(n)):
        expected = naive_neighbors(D, min(width, n - 1), keys)
        np.testing.assert_array_equal(nearest_others(X, min(width, n - 1), "euclidean", keys), expected)
        np.testing.assert_array_equal(nearest_others(D, min(width, n - 1), "precomputed", keys), expected)


def test_random_ties_do_not_follow_the_row_order_and_are_reproducible():
    X = np.zeros((40, 1))
    by_index = Connectivity(5, ties="index").fit(X).neighbors_
    np.testing.assert_array_equal(by_index[10], [0, 1, 2, 3, 4])
    first, again, other = (Connectivity(5, random_state=s).fit(X).neighbors_ for s in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)
    assert not np.array_equal(first, by_index)


def test_given_neighbors_are_used_and_cut():
    neighbors = np.array([[3, 2, 1], [0, 2, 3], [0, 1, 3], [0, 1, 2]])
    index = Connectivity(2, neighbors=neighbors).fit([[0.0], [1.0], [3.0], [7.0]])
    np.testing.assert_array_equal(index.neighbors_, neighbors[:, :2])
    assert index.evaluate([0, 0, 1, 1])[0] == naive_connectivity(neighbors[:, :2], [0, 0, 1, 1])
    assert index.neighbors_.dtype == np.int32


@pytest.mark.parametrize(
    ("neighbors", "message"),
    [
        (np.zeros((3, 2), dtype=int), "shape"),
        (np.ones((4, 1), dtype=int), "shape"),
        (np.array([[1, 4], [0, 2], [0, 1], [0, 1]]), "sample indices from 0 to 3"),
        (np.array([[1, 2], [0, 1], [0, 1], [0, 1]]), "its own"),
        (np.array([[1, 1], [0, 2], [0, 1], [0, 1]]), "twice"),
        (np.array([[1.5, 1], [0, 2], [0, 1], [0, 1]]), "integers"),
    ],
)
def test_wrong_neighbors_are_refused(neighbors, message):
    with pytest.raises(ValueError, match=message):
        Connectivity(2, neighbors=neighbors).fit([[0.0], [1.0], [3.0], [7.0]])


def test_fewer_samples_than_neighbors_warns_and_uses_all():
    with pytest.warns(UserWarning, match="the number of other samples, 3"):
        index = Connectivity(10).fit([[0.0], [1.0], [3.0], [7.0]])
    np.testing.assert_allclose(index.weights_, [1, 1 / 2, 1 / 3])


def test_connectivity_options_are_checked():
    for kwargs, message in [
        ({"n_neighbors": 0}, "n_neighbors"),
        ({"n_neighbors": 1, "variant": "published"}, "at least 2"),
        ({"ties": "first"}, "ties must be one of"),
        ({"variant": "2018"}, "variant must be one of"),
    ]:
        with pytest.raises(ValueError, match=message):
            Connectivity(**kwargs).fit(LINE)
    with pytest.raises(TypeError, match="n_neighbors must be an integer of at least 1"):
        Connectivity(2.5).fit(LINE)
