"""Attainment scores: the worked example, invariance, the staircase, which numbers of clusters count."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moo_clustering.fronts import attainment_scores

FRONT, NUMBERS = [(10, 0), (4, 1), (3, 4), (1, 16)], [1, 2, 3, 4]
CONTROL = ([(10, 0), (9, 2), (6, 6), (2, 14), (0, 30)], [1, 2, 3, 4, 5])


def random_front(rng, n):
    """Mutually non-dominated points by the first objective, with numbers of clusters downwards."""
    F = np.column_stack([np.sort(rng.random(n)) * 5 + 1, np.sort(rng.random(n))[::-1] * 40])
    return F, np.sort(rng.integers(1, 12, n))[::-1]


def densely(points, corners, n=20000):
    """Distance to many points of the surface, the boundary of what the corners dominate."""
    surface = []
    for i, (x, y) in enumerate(corners):
        top = 3.0 if i == 0 else corners[i - 1][1]
        right = 3.0 if i == len(corners) - 1 else corners[i + 1][0]
        surface += [(x, v) for v in np.linspace(y, top, n)] + [(v, y) for v in np.linspace(x, right, n)]
    gaps = np.asarray(points)[:, None] - np.array(surface)
    return np.sqrt((gaps**2).sum(axis=2)).min(axis=1)


def test_worked_example():
    found = attainment_scores(FRONT, NUMBERS, [CONTROL])
    assert found.k_max == 4
    np.testing.assert_allclose(found.front, [(1, 0), (0.577350, 0.25), (0.471405, 0.5), (0, 1)], atol=1e-6)
    scaled = [(0, 1), (0.707107, 0.654654), (0.935414, 0.377964), (1, 0)]
    np.testing.assert_allclose(found.controls[0], scaled, atol=1e-6)
    np.testing.assert_allclose(found.scores, [0, 0.380243, 0.281910, 0], atol=1e-6)
    assert found.best() == 1
    assert found.best(3) == 2
    assert found.promising().tolist() == [1]


def test_the_least_distance_to_any_control_counts():
    near = ([(10, 0), (4.1, 1.1), (2, 14), (1, 16)], [1, 2, 3, 4])
    both = attainment_scores(FRONT, NUMBERS, [CONTROL, near]).scores
    alone = [attainment_scores(FRONT, NUMBERS, [control]).scores for control in (CONTROL, near)]
    np.testing.assert_array_equal(both, np.minimum(*alone))
    assert both[1] < alone[0][1]


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), scale=st.floats(1e-3, 1e3), shift=st.floats(-50, 50))
def test_scales_and_origins_of_either_front_do_not_matter(seed, scale, shift):
    rng = np.random.default_rng(seed)
    (F, K), (C, k) = random_front(rng, 8), random_front(rng, 9)
    expected = attainment_scores(F, K, [(C, k)]).scores
    np.testing.assert_allclose(
        attainment_scores(F * [scale, 1] + [0, shift], K, [(C + shift, k)]).scores, expected, atol=1e-6
    )
    np.testing.assert_allclose(
        attainment_scores(F, K, [(C * [1, scale] + [shift, 0], k)]).scores, expected, atol=1e-6
    )
    order = rng.permutation(len(F))
    np.testing.assert_array_equal(attainment_scores(F[order], K[order], [(C, k)]).scores, expected[order])


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_ends_score_nothing(seed):
    rng = np.random.default_rng(seed)
    (F, _), (C, _) = random_front(rng, 7), random_front(rng, 7)
    scores = attainment_scores(F, np.arange(7) + 1, [(C, np.arange(7) + 1)]).scores
    np.testing.assert_allclose(scores[[0, -1]], 0, atol=1e-12)
    assert (scores >= 0).all()


@pytest.mark.parametrize("seed", range(5))
def test_distance_to_a_densely_drawn_surface(seed):
    rng = np.random.default_rng(seed)
    (F, K), (C, k) = random_front(rng, 12), random_front(rng, 6)
    found = attainment_scores(F, K, [(C, k)])
    kept = np.isfinite(found.scores)
    assert kept.sum() > 3
    expected = densely(found.front[kept], found.controls[0])
    np.testing.assert_allclose(found.scores[kept], expected, atol=2e-4)


def test_the_surface_is_not_its_points():
    # Scaled, the control front is (0, 1), (1, 0): a long step past (.5, 1), far from both.
    front, numbers = [(0, 4), (1, 3.9), (4, 0)], [3, 2, 1]
    control = ([(0, 1), (1, 0)], [3, 1])
    steps = attainment_scores(front, numbers, [control]).scores
    points = attainment_scores(front, numbers, [control], surface="points").scores
    assert steps[1] == pytest.approx(1 - np.sqrt(3.9 / 4))
    assert points[1] == pytest.approx(np.hypot(0.5, 1 - np.sqrt(3.9 / 4)))


def test_dominated_solutions_of_a_control_front_do_not_count():
    worse = ([*CONTROL[0], (9.5, 14)], [*CONTROL[1], 2])
    np.testing.assert_allclose(
        attainment_scores(FRONT, NUMBERS, [worse]).scores, attainment_scores(FRONT, NUMBERS, [CONTROL]).scores
    )


@pytest.mark.parametrize(
    ("k_user", "most", "controls_most", "k_max"), [(3, 4, (5,), 3), (25, 2, (5,), 2), (25, 4, (5, 2), 2)]
)
def test_largest_number_of_clusters(k_user, most, controls_most, k_max):
    controls = [tuple(part[:m] for part in CONTROL) for m in controls_most]
    found = attainment_scores(FRONT[:most], NUMBERS[:most], controls, k_user=k_user)
    assert found.k_max == k_max
    np.testing.assert_array_equal(np.isnan(found.scores), np.array(NUMBERS[:most]) > k_max)
    np.testing.assert_array_equal(np.isnan(found.front[:, 0]), np.isnan(found.scores))


def test_front_without_range():
    found = attainment_scores([(0, 0)], [1], [([(0, 0)], [1])])
    assert found.scores.tolist() == [0]
    assert found.best() == 0


def test_ties_go_to_fewer_clusters_and_hills_are_promising():
    F = [(5, 0), (4, 1), (3, 2), (2, 3), (1, 4), (0, 5)]
    found = attainment_scores(F, [1, 2, 3, 4, 5, 6], [(F, [1, 2, 3, 4, 5, 6])])
    assert found.scores.tolist() == [0] * 6
    assert found.best() == 0
    two = [(10, 0), (6, 1), (5.9, 6), (2, 6.1), (1.9, 12), (0, 30)]
    line = [(30 - i, i) for i in range(31)]
    numbers = [6, 5, 4, 3, 2, 1]
    hills = attainment_scores(two, numbers[::-1], [(line, [6, *[1] * 30])])
    assert hills.n_clusters[hills.promising()].tolist() == [2, 4]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"F": [1, 2]}, r"the front must have shape \(n_solutions, 2\)"),
        ({"F": np.ones((4, 3))}, r"got \(4, 3\)"),
        ({"n_clusters": [1, 2]}, "the front has 4 solutions and 2 numbers"),
        ({"controls": []}, "at least one front"),
        ({"controls": [([(1, 2)], [1, 2])]}, "control front 0 has 1 solutions and 2"),
        ({"surface": "line"}, "surface must be one of"),
        ({"n_clusters": [7, 8, 9, 9]}, "no solution has 5 or fewer clusters"),
        ({"controls": [([(1, 2)], [9])]}, "control front has no solution with 4 or fewer"),
    ],
)
def test_refused(change, message):
    options = {"F": FRONT, "n_clusters": NUMBERS, "controls": [CONTROL], **change}
    with pytest.raises(ValueError, match=message):
        attainment_scores(**options)


def test_no_solution_with_so_many_clusters():
    with pytest.raises(ValueError, match="no solution with 7 clusters"):
        attainment_scores(FRONT, NUMBERS, [CONTROL]).best(7)


def test_objectives_that_are_not_finite_are_refused():
    with pytest.raises(ValueError, match="the front has objectives that are not finite"):
        attainment_scores([(0, np.nan)], [1], [([(0, 0)], [1])])
    with pytest.raises(ValueError, match="control front 0 has objectives that are not finite"):
        attainment_scores([(0, 1)], [1], [([(0, np.inf)], [1])])
