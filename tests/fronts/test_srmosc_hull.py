"""The supported front of SRMOSC."""

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import nnls
from sklearn.datasets import load_iris

from moo_clustering._kernels import least_squares
from moo_clustering.fronts import spread_members, srmosc_hull_front
from moo_clustering.graphs import lists_from_arrays
from moo_clustering.problems.graphs import SRMOSCProblem

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
    with pytest.raises(ValueError, match="member must be below"):
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
