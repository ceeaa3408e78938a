"""Attainment surfaces of several fronts against worked numbers and a count on a grid."""

import numpy as np
import pytest

from moo_clustering.fronts import attainment_surfaces


def test_by_hand():
    # The first two attain (2, 2), all three only (4, 4).
    fronts = [np.array(front) for front in ([[1, 3], [2, 1]], [[2, 2], [0, 4]], [[4, 4]])]
    found = attainment_surfaces(fronts, [1 / 3, 2 / 3, 1.0])
    assert found[1 / 3].tolist() == [[0, 4], [1, 3], [2, 1]]
    assert found[2 / 3].tolist() == [[1, 4], [2, 2]]
    assert found[1.0].tolist() == [[4, 4]]


def test_attained_points_are_those_of_a_count(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    fronts = [rng.integers(0, 7, (rng.integers(1, 5), 2)) for _ in range(rng.integers(1, 6))]
    grid = np.array([[x, y] for x in range(-1, 9) for y in range(-1, 9)])
    counts = np.array([sum((front <= point).all(axis=1).any() for front in fronts) for point in grid])
    for fraction, corners in attainment_surfaces(fronts, [0.01, 0.2, 0.5, 0.6, 0.8, 1.0]).items():
        attained = np.array([(corners <= point).all(axis=1).any() for point in grid])
        np.testing.assert_array_equal(attained, counts >= fraction * len(fronts) - 1e-9)
        assert (np.diff(corners[:, 0]) > 0).all()
        assert (np.diff(corners[:, 1]) < 0).all()


@pytest.mark.parametrize("fraction", [0.0, 1.5])
def test_refused(fraction):
    message = rf"fractions must be a non-empty list of numbers in \(0, 1\], got \[0\.5, {fraction}\]"
    with pytest.raises(ValueError, match=message):
        attainment_surfaces([np.array([[1.0, 2.0]])], [0.5, fraction])


@pytest.mark.parametrize("fractions", [[], 0.5, [[0.5]]])
def test_fractions_are_a_list(fractions):
    with pytest.raises(ValueError, match=r"fractions must be a non-empty list of numbers in \(0, 1\], got"):
        attainment_surfaces([np.zeros((1, 2))], fractions)


def test_points_with_nan_are_omitted():
    front, other = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([[2.0, 2.0]])
    broken = np.vstack([[np.nan, -1.0], front, [0.5, np.nan]])
    expected = attainment_surfaces([front, other], [0.5, 1.0])
    found = attainment_surfaces([broken, other], [0.5, 1.0])
    for fraction, corners in expected.items():
        np.testing.assert_array_equal(found[fraction], corners)
    assert len(attainment_surfaces([front, broken[:1]], [1.0])[1.0]) == 0
