"""Solvers of factorisations: worked values, steps as written down, minima."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.decomposition import NMF

from moo_clustering.factorization import factorization_loss, labels_from_factors, nmf

SEEDS = np.random.SeedSequence(7).spawn(20)


def squared_error(A, U, V):
    return float(((A - V @ U.T) ** 2).sum())


def hals_iteration(A, U, V):
    """Both sweeps, a column at a time."""
    U, V = U.copy(), V.copy()
    for P, B, Q in ((U, A.T, V), (V, A, U)):
        BQ, G = B @ Q, Q.T @ Q
        for j in range(P.shape[1]):
            if G[j, j] > 0:
                P[:, j] = np.maximum(0, P[:, j] + (BQ[:, j] - P @ G[:, j]) / G[j, j])
    return U, V


def mu_iteration(A, U, V):
    U, V = U.copy(), V.copy()
    for P, B, Q in ((U, A.T, V), (V, A, U)):
        above, below = B @ Q, P @ (Q.T @ Q)
        P *= np.divide(above, below, out=np.ones_like(P), where=below > 0)
    return U, V


ITERATIONS = {"hals": hals_iteration, "mu": mu_iteration}


def test_worked_loss(worked):
    assert factorization_loss(*worked) == pytest.approx(4.586261387328, abs=5e-13)
    assert factorization_loss(sparse.csr_array(worked[0]), *worked[1:]) == pytest.approx(
        squared_error(*worked)
    )


@pytest.mark.parametrize(
    ("solver", "loss", "first_topic", "first_document"),
    [
        ("mu", 1.728411384288, [0.56320373, 0.23482128], [1.09739845, 0.13533442]),
        ("hals", 1.591196432635, [0.47191562, 0.23334939], [1.50269039, 0.10789891]),
    ],
)
def test_worked_step(worked, solver, loss, first_topic, first_document):
    A, U, V = worked
    runs = nmf(A, 2, solver=solver, starts=(U[None], V[None]), max_iter=1)
    assert runs.losses[0] == pytest.approx(loss, abs=5e-13)
    np.testing.assert_allclose(runs.U[0, 0], first_topic, atol=5e-9)
    np.testing.assert_allclose(runs.V[0, 0], first_document, atol=5e-9)
    assert runs.n_iter.tolist() == [1]
    assert runs.histories[0].tolist() == runs.losses.tolist()


@pytest.mark.parametrize(
    ("solver", "tol"), [("mu", 1e-10), ("hals", 1e-10), ("sklearn", 1e-8), ("sklearn-mu", 1e-9)]
)
def test_worked_minimum(worked, solver, tol):
    A, U, V = worked
    runs = nmf(A, 2, solver=solver, starts=(U[None], V[None]), tol=tol, max_iter=20000)
    assert runs.losses[0] == pytest.approx(0.4194631, abs=5e-8)
    assert runs.losses[0] == pytest.approx(squared_error(A, runs.U[0], runs.V[0]), abs=1e-12)
    assert labels_from_factors(runs.U[0], runs.V[0]).tolist() in ([0, 0, 1, 1], [1, 1, 0, 0])


@pytest.mark.parametrize("n_runs", [3, 11])
@pytest.mark.parametrize("k", [1, 3, 4, 9])
@pytest.mark.parametrize("solver", ["hals", "mu"])
def test_iterations_are_those_of_the_columns(corpus, solver, k, n_runs):
    runs = nmf(corpus, k, solver=solver, seeds=SEEDS[:n_runs], tol=0, max_iter=5)
    A = corpus.toarray()
    for run, seed in enumerate(SEEDS[:n_runs]):
        rng = np.random.default_rng(seed)
        scale = np.sqrt(A.mean() / k)
        U = np.abs(rng.standard_normal((A.shape[1], k))) * scale
        V = np.abs(rng.standard_normal((A.shape[0], k))) * scale
        history = []
        for _ in range(5):
            U, V = ITERATIONS[solver](A, U, V)
            history.append(squared_error(A, U, V))
        np.testing.assert_allclose(runs.U[run], U, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(runs.V[run], V, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(runs.histories[run], history, rtol=1e-11)


@pytest.mark.parametrize("solver", ["hals", "mu"])
def test_loss_never_rises(make_documents, solver):
    A, _ = make_documents(40, 70, 3, seed=1)
    runs = nmf(A, 5, solver=solver, seeds=SEEDS, tol=0, max_iter=60)
    for history in runs.histories:
        assert len(history) == 60
        assert np.diff(history).max() <= 1e-12 * A.power(2).sum()
        assert history[-1] < 0.95 * history[0]


@pytest.mark.parametrize("solver", ["hals", "mu"])
def test_stops_at_the_first_small_fall(corpus, solver):
    runs = nmf(corpus, 4, solver=solver, seeds=SEEDS, tol=1e-3, max_iter=200)
    assert len(set(runs.n_iter.tolist())) > 1
    for count, history in zip(runs.n_iter, runs.histories, strict=True):
        falls = (history[:-1] - history[1:]) / history[:-1]
        assert len(history) == count < 200
        assert falls[-1] < 1e-3
        assert (falls[:-1] >= 1e-3).all()


def test_default_iterations(corpus):
    assert nmf(corpus, 6, tol=0, seeds=SEEDS[:1]).n_iter[0] == 40
    assert nmf(corpus, 6, solver="mu", tol=0, seeds=SEEDS[:1]).n_iter[0] == 200


@pytest.mark.parametrize("solver", ["mu", "sklearn"])
def test_easy_case_has_one_minimum(make_documents, solver):
    # one topic: the largest singular value
    A, _ = make_documents(30, 50, 1, seed=2)
    expected = float(A.power(2).sum()) - np.linalg.svd(A.toarray(), compute_uv=False)[0] ** 2
    for name in ("hals", solver):
        runs = nmf(A, 1, solver=name, seeds=SEEDS[:4], tol=1e-12, max_iter=2000)
        np.testing.assert_allclose(runs.losses, expected, rtol=1e-8)


@pytest.mark.parametrize("name", ["cd", "mu"])
def test_sklearn_solvers_are_sklearns(corpus, name):
    rng = np.random.default_rng(5)
    U, V = rng.random((210, 3)), rng.random((90, 3))
    runs = nmf(corpus, 3, solver={"cd": "sklearn", "mu": "sklearn-mu"}[name], starts=(U[None], V[None]))
    model = NMF(3, solver=name, init="custom", tol=1e-4, max_iter=200)
    W = model.fit_transform(corpus, W=V.copy(), H=np.ascontiguousarray(U.T))
    np.testing.assert_allclose(runs.V[0], W)
    np.testing.assert_allclose(runs.U[0], model.components_.T)
    assert runs.losses[0] == pytest.approx(model.reconstruction_err_**2)
    assert runs.n_iter[0] == model.n_iter_


@pytest.mark.parametrize("n_runs", [1, 9])
@pytest.mark.parametrize("solver", ["hals", "mu"])
def test_components_without_weight_stay(worked, solver, n_runs):
    A, U, V = worked
    V = V.copy()
    V[:, 1] = 0
    runs = nmf(A, 2, solver=solver, starts=(np.stack([U] * n_runs), np.stack([V] * n_runs)), max_iter=1)
    expected = ITERATIONS[solver](A, U, V)
    np.testing.assert_allclose(runs.U[-1], expected[0], atol=1e-12)
    np.testing.assert_allclose(runs.V[-1], expected[1], atol=1e-12)
    if solver == "hals":
        # a column of U is kept where V^T V has a zero on the diagonal
        np.testing.assert_array_equal(runs.U[-1][:, 1], U[:, 1])
    assert np.isfinite(runs.losses).all()


def test_multiplicative_updates_keep_zeros(worked):
    A, U, V = worked
    U, V = U.copy(), V.copy()
    U[2, 0] = U[4, 1] = V[1, 1] = 0
    V[3] = 0
    runs = nmf(A, 2, solver="mu", starts=(U[None], V[None]), tol=0, max_iter=30)
    assert (runs.U[0][U == 0] == 0).all()
    assert (runs.V[0][V == 0] == 0).all()
    first = nmf(A, 2, solver="mu", starts=(U[None], V[None]), max_iter=1)
    np.testing.assert_array_equal(first.V[0] > 0, V > 0)


@pytest.mark.parametrize("solver", ["hals", "mu", "sklearn"])
def test_matrix_of_zeros(solver):
    runs = nmf(np.zeros((5, 4)), 2, solver=solver, seeds=SEEDS[:3])
    assert runs.losses.tolist() == [0, 0, 0]
    assert not runs.V.any()
    # A loss of 0 cannot fall.
    assert max(runs.n_iter) <= 1


@pytest.mark.parametrize("scale", [1e-9, 1e9])
@pytest.mark.parametrize("solver", ["hals", "mu"])
def test_scale_of_the_matrix_scales_the_loss(corpus, solver, scale):
    one = nmf(corpus, 3, solver=solver, seeds=SEEDS[:2], max_iter=15)
    other = nmf(corpus * scale, 3, solver=solver, seeds=SEEDS[:2], max_iter=15)
    np.testing.assert_allclose(other.losses, one.losses * scale**2, rtol=1e-6)
