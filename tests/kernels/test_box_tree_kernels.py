"""The tree of boxes: what kernels that walk it rely on."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from moo_clustering._kernels.trees import (
    LEAF,
    farthest_of_box,
    nearest_of_box,
    node_count,
    rounded,
    square_distance,
)
from moo_clustering.graphs.trees import box_tree


def points(kind, n, d, rng):
    return {
        "noise": lambda: rng.normal(size=(n, d)),
        "grid": lambda: rng.integers(0, 3, (n, d)).astype(float),
        "one point": lambda: np.full((n, d), 2.5),
        "sorted": lambda: np.repeat(np.arange(n, dtype=float)[:, None], d, axis=1),
        "reversed": lambda: np.repeat(-np.arange(n, dtype=float)[:, None], d, axis=1),
    }[kind]()


@pytest.mark.parametrize("kind", ["noise", "grid", "one point", "sorted", "reversed"])
@pytest.mark.parametrize("n", [1, 2, LEAF, LEAF + 1, 25, 97, 1000])
@pytest.mark.parametrize("d", [1, 3])
def test_every_node_covers_its_points(kind, n, d):
    X = points(kind, n, d, np.random.default_rng(n))
    P, samples, (start, stop, low, high) = box_tree(X)
    assert_array_equal(np.sort(samples), np.arange(n))
    assert_array_equal(P, X[samples])
    n_nodes = node_count(n)
    assert len(start) == n_nodes
    assert (start[0], stop[0]) == (0, n)
    for node in range(n_nodes):
        inside = P[start[node] : stop[node]]
        assert len(inside) >= 1
        assert_array_equal(low[node], inside.min(axis=0))
        assert_array_equal(high[node], inside.max(axis=0))
        left = 2 * node + 1
        if left < n_nodes:
            assert start[left] == start[node]
            assert stop[left] == start[left + 1]
            assert stop[left + 1] == stop[node]
            widest = int(np.argmax(inside.max(axis=0) - inside.min(axis=0)))
            middle = stop[left]
            assert P[start[left] : middle, widest].max() <= P[middle : stop[left + 1], widest].min()
        else:
            assert len(inside) <= LEAF


def test_bounds_of_boxes_hold(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    X = np.round(rng.normal(size=(300, 3)), 1)
    P, _, (start, stop, low, high) = box_tree(X)
    for i in range(0, 300, 17):
        squares = np.array([square_distance(P, i, j) for j in range(300)])
        for node in range(len(start)):
            inside = squares[start[node] : stop[node]]
            corners = np.maximum(low[node] - P[i], P[i] - high[node])
            near = nearest_of_box(P, i, low, high, node)
            far = farthest_of_box(P, i, low, high, node)
            assert near <= inside.min()
            assert far >= inside.max()
            assert near == pytest.approx((np.maximum(corners, 0) ** 2).sum(), rel=1e-10)
            spans = np.maximum(np.abs(P[i] - low[node]), np.abs(P[i] - high[node]))
            assert far == pytest.approx((spans**2).sum(), rel=1e-10)


def test_distances_are_the_same_from_both_ends_and_without_noise(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    P = rng.normal(size=(60, 4)) * 10.0 ** rng.integers(-5, 6, (60, 1))
    for i in range(60):
        for j in range(60):
            there = square_distance(P, i, j)
            assert there == square_distance(P, j, i)
            assert there == pytest.approx(((P[i] - P[j]) ** 2).sum(), rel=1e-12)
    third = np.array([[0.0], [1 / 3], [2 / 3], [1.0]])
    assert len({square_distance(third, i, i + 1) for i in range(3)}) == 1


def test_rounding_is_monotone_and_keeps_41_bits(global_random_seed):
    values = np.sort(np.random.default_rng(global_random_seed).lognormal(0, 8, 4000))
    found = np.array([rounded(v) for v in values])
    assert (np.diff(found) >= 0).all()
    np.testing.assert_allclose(found, values, rtol=2.0**-41)
    assert rounded(0.0) == 0.0
    assert rounded(1.0) == rounded(1.0 + 4e-16) == 1.0
    assert rounded(1.0 + 1e-12) != 1.0
    for value in found[::97]:
        mantissa = int(np.frexp(value)[0] * 2**53)
        assert mantissa % 2**12 == 0
