"""Attainment scores, control data, and the hull front of SRMOSC."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls
from scipy.stats import kstest
from sklearn.datasets import load_iris

from moo_clustering._kernels import least_squares
from moo_clustering.fronts import (
    AttainmentScores,
    attainment_scores,
    control_data,
    spread_members,
    srmosc_hull_front,
)
from moo_clustering.graphs import lists_from_arrays
from moo_clustering.problems.graphs import SRMOSCProblem

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
    assert steps[1] == pytest.approx(1 - np.sqrt(3.9 / 4))
    to_points = np.hypot(0.5, 1 - np.sqrt(3.9 / 4))
    assert steps[1] < to_points


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
        ({"n_clusters": [1, 2]}, r"n_clusters of the front must contain one integer per solution \(4\)"),
        ({"controls": []}, "at least one front"),
        (
            {"controls": [([(1, 2)], [1, 2])]},
            r"of control front 0 must contain one integer per solution \(1\), got 2",
        ),
        ({"n_clusters": [7, 8, 9, 9]}, "F must contain a solution with at most 5 clusters"),
        ({"controls": [([(1, 2)], [9])]}, "every control front must contain a solution with at most 4"),
    ],
)
def test_attainment_scores_refuse(change, message):
    options = {"F": FRONT, "n_clusters": NUMBERS, "controls": [CONTROL], **change}
    with pytest.raises(ValueError, match=message):
        attainment_scores(**options)


def test_no_solution_with_so_many_clusters():
    with pytest.raises(ValueError, match="no solution with 7 clusters"):
        attainment_scores(FRONT, NUMBERS, [CONTROL]).best(7)
    with pytest.raises(ValueError, match="no solution has a score"):
        AttainmentScores(np.array([np.nan]), np.array([2]), 5, np.zeros((1, 2)), ()).best()


def test_objectives_that_are_not_finite_are_refused():
    with pytest.raises(ValueError, match="the front must be finite numbers"):
        attainment_scores([(0, np.nan)], [1], [([(0, 0)], [1])])
    with pytest.raises(ValueError, match="control front 0 must be finite numbers"):
        attainment_scores([(0, 1)], [1], [([(0, np.inf)], [1])])


def turned(n, seed=0):
    """A long flat cloud along the diagonal, away from the origin."""
    rng = np.random.default_rng(seed)
    flat = rng.normal(size=(n, 2)) * [10, 0.1]
    return flat @ (np.array([[1, 1], [-1, 1]]) / np.sqrt(2)) + [100, -50]


def axes_of(X):
    return np.linalg.eigh(np.cov(X.T))[1]


def test_box_is_the_range_of_the_principal_components():
    X = turned(400)
    control = control_data(X, rng=np.random.default_rng(1))
    assert control.shape == X.shape
    axes = axes_of(X)
    there, here = X @ axes, control @ axes
    span = np.ptp(there, axis=0)
    assert (here.min(axis=0) >= there.min(axis=0) - 1e-9).all()
    assert (here.max(axis=0) <= there.max(axis=0) + 1e-9).all()
    assert (np.ptp(here, axis=0) > 0.95 * span).all()
    for k in range(2):
        assert kstest((here[:, k] - there[:, k].min()) / span[k], "uniform").pvalue > 0.001
    # Axes of the features instead would fill the square around the diagonal.
    assert np.ptp(control @ axes, axis=0).min() < 1


def test_eigenvalue_box_has_variances_as_sides():
    X = turned(300)
    control = control_data(X, kind="eigenvalue", rng=np.random.default_rng(2))
    variances, axes = np.linalg.eigh(np.cov(X.T))
    here = (control - X.mean(axis=0)) @ axes
    assert (np.abs(here) <= variances / 2 + 1e-9).all()
    assert (np.ptp(here, axis=0) > 0.9 * variances).all()


@pytest.mark.parametrize("kind", ["box", "eigenvalue"])
@pytest.mark.parametrize("X", [np.full((5, 3), 7.0), [[1.0, 2.0]], np.outer(np.arange(6), [1.0, 2.0, 0.0])])
def test_flat_data_stay_flat(kind, X):
    control = control_data(X, kind=kind, rng=np.random.default_rng(0))
    assert control.shape == np.shape(X)
    assert np.linalg.matrix_rank(control - np.mean(X, axis=0), tol=1e-8) <= np.linalg.matrix_rank(
        X - np.mean(X, axis=0), tol=1e-8
    )


def test_drawn_from_the_generator():
    X = turned(20)
    first, same, other = (control_data(X, rng=np.random.default_rng(seed)) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first, same)
    assert not np.array_equal(first, other)


def test_control_data_refuses():
    with pytest.raises(ValueError, match="kind must be one of"):
        control_data(turned(5), kind="cube", rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match="NaN"):
        control_data([[np.nan]], rng=np.random.default_rng(0))


CORNERS = np.array([[1.0, 1], [2, 1], [1, 2], [2, 2]])


def in_index_order(X):
    others = np.array([[j for j in range(len(X)) if j != i] for i in range(len(X))])
    return lists_from_arrays(others, np.zeros(others.shape), n_samples=len(X))


@pytest.fixture(scope="module")
def iris():
    X = load_iris().data
    return SRMOSCProblem((X - X.min(axis=0)) / np.ptp(X, axis=0), random_state=0)


@pytest.fixture(scope="module")
def hull(iris):
    return srmosc_hull_front(iris)


def test_four_corners():
    hull = srmosc_hull_front(SRMOSCProblem(CORNERS, rho=0, lists=in_index_order(CORNERS)))
    weights = hull.weights(0)
    np.testing.assert_array_equal(weights[0], [0, 0, 0.5])
    np.testing.assert_array_equal(weights[1], [1.5, 0, 0])
    np.testing.assert_array_equal(weights[3], [2, 0, 0])
    assert len(hull) == 1  # no row gains by a second link
    np.testing.assert_allclose(hull.F, [[1.0, 4]], atol=1e-12)


def test_members_are_non_dominated_and_monotone(hull):
    assert len(hull) > 300
    assert (np.diff(hull.F[:, 0]) < 0).all()
    assert (np.diff(hull.F[:, 1]) > 0).all()
    slopes = np.diff(hull.F[:, 0]) / np.diff(hull.F[:, 1])
    assert (np.diff(slopes) >= -1e-9 * abs(slopes[:-1])).all()  # convex: every member is supported
    assert hull.F[0, 1] == 150


def test_members_have_the_objectives_that_are_said(iris, hull):
    for member in {0, 1, 2, len(hull) // 2, len(hull) - 1}:
        weights = hull.weights(member)
        errors, sizes = iris.row_tables(weights.ravel())
        np.testing.assert_allclose([errors.sum(), sizes.sum()], hull.F[member], rtol=1e-9)
        assert (sizes > 0).all()
        assert abs(hull.graph(member) - iris.graph(weights.ravel())).max() == 0
    assert hull.graph(-1).nnz == hull.F[-1, 1]
    with pytest.raises(ValueError, match="member must be from -"):
        hull.graph(len(hull))


def test_a_step_changes_one_row(hull):
    before, after = hull.weights(10), hull.weights(11)
    changed = np.flatnonzero((before != after).any(axis=1))
    np.testing.assert_array_equal(changed, [hull.steps[10]])


def exact_path(problem, i):
    """Least error by number of links, of all supports."""
    width = problem.width
    B = problem.X[problem.lists.indices[i]]
    least = np.full(width, np.inf)
    for size in range(1, width + 1):
        for support in map(list, combinations(range(width), size)):
            A = np.vstack([B[support].T, np.sqrt(problem.rho) * np.eye(size)])
            _, rest = nnls(A, np.concatenate([problem.X[i], np.zeros(size)]))
            least[size - 1] = min(least[size - 1], rest**2)
    return least


@pytest.mark.parametrize("rho", [0.0, 0.03])
def test_greedy_paths_are_not_better_than_exact_ones_and_seldom_worse(rho):
    X = np.random.default_rng(0).random((25, 3))
    problem = SRMOSCProblem(X, n_candidates=6, rho=rho, random_state=0)
    greedy = np.empty((25, 6))
    nothing = np.empty(0, dtype=np.int32), np.empty(0, dtype=np.float32)
    slots = np.full((25, 6), -1)
    least_squares.support_paths(
        X, problem.norms, *problem.candidates()[1:], rho, 0, 25, greedy, slots, *nothing
    )
    exact = np.stack([exact_path(problem, i) for i in range(25)])
    assert (exact <= greedy + 1e-9).all()
    np.testing.assert_allclose(greedy[:, 0], exact[:, 0], rtol=1e-6)
    np.testing.assert_allclose(greedy.min(axis=1), exact.min(axis=1), rtol=1e-5, atol=1e-9)
    # Picking by the inner product alone takes the longest sample, which is far from the best.
    B = X[problem.lists.indices]
    inner = np.einsum("iaf,if->ia", B, X).argmax(axis=1)
    longest = np.array([nnls_error(X[i], B[i, a], rho) for i, a in enumerate(inner)])
    assert longest.sum() > 1.3 * greedy[:, 0].sum()


def nnls_error(x, b, rho):
    s = max(0.0, b @ x) / (b @ b + rho)
    return ((x - s * b) ** 2).sum() + rho * s * s


def test_no_prefix_is_beaten_by_any_weighted_choice(iris, hull):
    # A supported solution minimises f1 + lambda f2 for the slope at which it is met, row by row.
    errors = np.empty(iris.lists.indices.shape)
    nothing = np.empty(0, dtype=np.int32), np.empty(0, dtype=np.float32)
    slots = np.full(errors.shape, -1)
    least_squares.support_paths(
        iris.X, iris.norms, *iris.candidates()[1:], iris.rho, 0, 150, errors, slots, *nothing
    )
    sizes = np.arange(1, errors.shape[1] + 1)
    for member in (50, 200, 400):
        step = hull.F[member + 1] - hull.F[member]
        price = -step[0] / step[1]
        best = (errors + price * sizes).min(axis=1).sum()
        assert hull.F[member] @ [1, price] == pytest.approx(best, rel=1e-9)


def test_threads_change_nothing():
    X = np.random.default_rng(1).random((9000, 30))
    problem = SRMOSCProblem(X, n_candidates=18, random_state=0)
    one, two = srmosc_hull_front(problem, n_jobs=1), srmosc_hull_front(problem, n_jobs=2)
    np.testing.assert_array_equal(one.F, two.F)
    assert abs(one.graph(len(one) // 2) - two.graph(len(one) // 2)).max() == 0


def test_spread_members():
    np.testing.assert_array_equal(spread_members(np.array([5, 1, 3]), 3), [1, 2, 0])
    np.testing.assert_array_equal(spread_members(np.array([0, 1, 2, 3, 10]), 3), [0, 3, 4])
    np.testing.assert_array_equal(spread_members(np.arange(101), 5), [0, 25, 50, 75, 100])
