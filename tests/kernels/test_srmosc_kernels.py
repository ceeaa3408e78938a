"""Compiled row kernels of SRMOSC against plain NumPy."""

import numpy as np
import pytest
from scipy.optimize import nnls

from moo_clustering._kernels import least_squares
from moo_clustering.fronts import srmosc_hull_front
from moo_clustering.problems.graphs import SRMOSCProblem

LINK, LEAST = 1e-6, 1e-3


@pytest.fixture(scope="module", params=[0.0, 0.05])
def problem(request):
    X = np.random.default_rng(7).random((40, 4)) * [1, 2, 1, 3]
    return SRMOSCProblem(X, n_candidates=7, rho=request.param, random_state=0)


def error(problem, i, s):
    """|x - B^T s|^2 + rho |s|^2 of one row."""
    B = problem.X[problem.lists.indices[i]]
    s = np.asarray(s, dtype=float)
    return ((problem.X[i] - s @ B) ** 2).sum() + problem.rho * (s**2).sum()


def descend(problem, i, s, active, n_sweeps):
    """Coordinate descent by the Gram matrix."""
    B = problem.X[problem.lists.indices[i]]
    G, b = B @ B.T + problem.rho * np.eye(len(B)), B @ problem.X[i]
    s = np.array(s, dtype=float)
    for _ in range(n_sweeps):
        for a in active:
            if s[a] > 0:
                s[a] = max(0.0, s[a] + (b[a] - G[a] @ s) / G[a, a])
    s[s <= LINK] = 0.0
    if not s.any():
        s[0] = LEAST
    return s


@pytest.mark.parametrize("width", [1, 3, 7])
@pytest.mark.parametrize("n_sweeps", [0, 1, 3])
def test_fill_rows(problem, width, n_sweeps):
    X, candidates, admissible = problem.candidates()
    rows = np.full((40, 7), np.nan, dtype=np.float32)
    errors, sizes = np.empty(40), np.empty(40, dtype=np.int32)
    least_squares.fill_rows(
        X, problem.norms, candidates, admissible, problem.rho, width, n_sweeps, 0, 40, rows, errors, sizes
    )
    for i in range(40):
        start = np.where(np.arange(7) < width, 1.0 / width, 0.0)
        expected = descend(problem, i, start, range(width), n_sweeps)
        np.testing.assert_allclose(rows[i], expected, atol=1e-6)
        assert errors[i] == pytest.approx(error(problem, i, rows[i]), rel=1e-10, abs=1e-12)
        assert sizes[i] == np.count_nonzero(rows[i] > LINK)


def test_score_rows(problem, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    rows = (rng.random((40, 7)) * (rng.random((40, 7)) < 0.4)).astype(np.float32)
    rows[3] = 0
    rows[4] = [1e-7, 0, 0, 0, 0, 0, 0]  # too small for a link
    errors, sizes = problem.row_tables(rows.ravel())
    np.testing.assert_allclose(errors[0], [error(problem, i, rows[i]) for i in range(40)], rtol=1e-10)
    np.testing.assert_array_equal(sizes[0], (rows > LINK).sum(axis=1))
    assert sizes[0, 3] == sizes[0, 4] == 0


def changed(problem, i, s, drop, n_sweeps):
    B = problem.X[problem.lists.indices[i]]
    G, b = B @ B.T + problem.rho * np.eye(len(B)), B @ problem.X[i]
    s = np.array(s, dtype=float)
    links = np.flatnonzero(s > 0)
    if drop and len(links) > 1:
        s[links[s[links].argmin()]] = 0.0
    else:
        g = b - G @ s
        gain = np.where(s > 0, 0.0, np.maximum(g, 0.0) ** 2 / np.diag(G))
        if gain.max() > 0:
            s[gain.argmax()] = g[gain.argmax()] / G[gain.argmax(), gain.argmax()]
    return descend(problem, i, s, range(len(s)), n_sweeps)


@pytest.mark.parametrize("drop", [False, True])
def test_change_supports(problem, drop, global_random_seed):
    X, candidates, admissible = problem.candidates()
    rng = np.random.default_rng(global_random_seed)
    rows = (rng.random((40, 7)) * (rng.random((40, 7)) < 0.4)).astype(np.float32)
    rows[rows.sum(axis=1) == 0, 0] = 0.5
    before = rows.copy()
    which = np.array([5, 0, 17, 39, 21])
    errors, sizes = (table[0] for table in problem.row_tables(rows.ravel()))
    least_squares.change_supports(
        X, problem.norms, candidates, admissible, problem.rho, which, np.full(5, drop), 5, 0, 5,
        rows, errors, sizes,
    )  # fmt: skip
    untouched = np.setdiff1d(np.arange(40), which)
    np.testing.assert_array_equal(rows[untouched], before[untouched])
    for i in which:
        np.testing.assert_allclose(rows[i], changed(problem, i, before[i], drop, 5), atol=2e-6)
    direct = problem.row_tables(rows.ravel())
    np.testing.assert_array_equal(errors, direct[0][0])
    np.testing.assert_array_equal(sizes, direct[1][0])


def test_swap_rows(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    a, b = rng.random((2, 9, 4)).astype(np.float32)
    swap = rng.random(9) < 0.5
    c, d = np.empty_like(a), np.empty_like(a)
    least_squares.swap_rows(a, b, swap, 0, 9, c, d)
    np.testing.assert_array_equal(c, np.where(swap[:, None], b, a))
    np.testing.assert_array_equal(d, np.where(swap[:, None], a, b))


def best_weights(problem, i, support):
    """Non-negative least squares on a support, by another solver."""
    B = problem.X[problem.lists.indices[i, support]]
    A = np.vstack([B.T, np.sqrt(problem.rho) * np.eye(len(support))])
    s, rest = nnls(A, np.concatenate([problem.X[i], np.zeros(len(support))]))
    return s, rest**2


def greedy(problem, i):
    """Least error by number of links, along a matching pursuit."""
    B = problem.X[problem.lists.indices[i]]
    support, s, found = [], np.zeros(len(B)), {}
    while True:
        rest = problem.X[i] - s @ B
        g = B @ rest
        gain = np.maximum(g, 0) ** 2 / ((B**2).sum(axis=1) + problem.rho)
        gain[support] = 0
        if gain.max() <= 1e-12 * (problem.X[i] ** 2).sum():
            return found
        support.append(int(gain.argmax()))
        weights, least = best_weights(problem, i, support)
        support = [a for a, w in zip(support, weights, strict=True) if w > LINK]
        s = np.zeros(len(B))
        s[support] = weights[weights > LINK]
        if found and least >= min(found.values()):
            return found
        found[len(support)] = min(least, found.get(len(support), np.inf))


def paths(problem):
    X, candidates, admissible = problem.candidates()
    errors = np.empty(candidates.shape)
    slots = np.full(candidates.shape, -1)
    none = np.empty(0, dtype=np.int32), np.empty(0, dtype=np.float32)
    least_squares.support_paths(
        X, problem.norms, candidates, admissible, problem.rho, 0, len(X), errors, slots, *none
    )
    return errors


def test_support_paths(problem):
    errors = paths(problem)
    for i in range(40):
        for size, least in greedy(problem, i).items():
            assert errors[i, size - 1] == pytest.approx(least, rel=1e-6, abs=1e-9)


def test_lower_hulls(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    errors = np.sort(rng.random((60, 8)), axis=1)[:, ::-1].copy()
    errors[::3, 5:] = np.inf
    errors[::5, 2] = np.inf
    errors[1] = [8, 7, 6, 5, 4, 3, 2, 1]  # on a line
    errors[2] = [3, 3, 3, 1, 1, 1, 1, 1]
    kept = np.zeros(errors.shape, dtype=bool)
    least_squares.lower_hulls(errors, 0, 60, kept)
    for row, chosen in zip(errors, kept, strict=True):
        sizes = np.flatnonzero(np.isfinite(row))
        for k in sizes:
            cheaper = (row[sizes[sizes < k]] <= row[k]).any()
            above = any(
                row[k] >= row[i] + (row[j] - row[i]) * (k - i) / (j - i) - 1e-15
                for i in sizes[sizes < k]
                for j in sizes[sizes > k]
            )
            assert chosen[k] == (not cheaper and not above), (row, k)
    np.testing.assert_array_equal(np.flatnonzero(kept[1]), [0, 7])
    np.testing.assert_array_equal(np.flatnonzero(kept[2]), [0, 3])


def test_a_sample_that_nothing_rebuilds_keeps_its_nearest():
    X = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 2.0], [0.0, 0.0]])
    problem = SRMOSCProblem(X, n_candidates="all", rho=0, ties="index")
    hull = srmosc_hull_front(problem)
    weights = hull.weights(len(hull) - 1)
    np.testing.assert_array_equal(problem.lists.indices[0], [3, 1, 2])
    np.testing.assert_allclose(weights[0], [LEAST, 0, 0], rtol=1e-6)  # every other sample is orthogonal or 0
    np.testing.assert_allclose(weights[3], [LEAST, 0, 0], rtol=1e-6)  # nothing to rebuild
    assert (weights > 0).any(axis=1).all()
