"""Projected gradients, a solver of the papers."""

import numpy as np
import pytest

from moo_clustering.factorization import SOLVERS, nmf
from papers.projected_gradient import PROJECTED_GRADIENT

SEEDS = np.random.SeedSequence(7).spawn(40)


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    monkeypatch.setitem(SOLVERS, "pg", PROJECTED_GRADIENT)


@pytest.fixture
def corpus():
    """Non-negative weights of 60 documents about three topics."""
    rng = np.random.default_rng(0)
    return np.kron(np.eye(3), np.ones((20, 30))) * rng.exponential(size=(60, 90)) + 0.1 * rng.random((60, 90))


def test_pg_and_hals_agree_on_separate_topics():
    rng = np.random.default_rng(0)
    A = np.zeros((30, 24))
    for topic in range(3):
        A[10 * topic : 10 * topic + 10, 8 * topic : 8 * topic + 8] = 1 + 0.2 * rng.random((10, 8))
    A += 0.01 * rng.random(A.shape)
    best = {
        solver: nmf(A, 3, solver=solver, seeds=SEEDS[:6], tol=tol, max_iter=3000).losses.min()
        for solver, tol in (("hals", 1e-12), ("pg", 1e-7))
    }
    assert best["pg"] == pytest.approx(best["hals"], rel=1e-6)


def test_pg_stops_at_a_small_projected_gradient(corpus):
    runs = nmf(corpus, 3, solver="pg", seeds=SEEDS[:3], tol=1e-3)
    A = corpus
    scale = np.sqrt(A.mean() / 3)
    for run, seed in enumerate(SEEDS[:3]):
        rng = np.random.default_rng(seed)
        starts = [np.abs(rng.standard_normal((n, 3))) * scale for n in A.shape[::-1]]
        norms = []
        for U, V in (starts, (runs.U[run], runs.V[run])):
            gradients = U @ (V.T @ V) - A.T @ V, V @ (U.T @ U) - A @ U
            possible = ((G < 0) | (P > 0) for G, P in zip(gradients, (U, V), strict=True))
            norms.append(np.sqrt(sum((G[p] ** 2).sum() for G, p in zip(gradients, possible, strict=True))))
        assert norms[1] < 1e-3 * norms[0]
        assert runs.n_iter[run] == len(runs.histories[run]) < 200
        assert np.diff(runs.histories[run]).max() <= 0


def test_pg_at_a_minimum_stays():
    U, V = np.array([[2.0], [1.0]]), np.array([[1.0], [3.0]])
    runs = nmf(V @ U.T, 1, solver="pg", starts=(U[None], V[None]))
    assert runs.n_iter[0] == 0
    assert runs.losses[0] == pytest.approx(0, abs=1e-12)
    np.testing.assert_array_equal(runs.U[0], U)


def test_a_matrix_of_zeros():
    runs = nmf(np.zeros((5, 4)), 2, solver="pg", seeds=SEEDS[:3])
    assert runs.losses.tolist() == [0, 0, 0]
    assert max(runs.n_iter) <= 1
