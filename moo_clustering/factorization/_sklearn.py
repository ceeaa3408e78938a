"""scikit-learn's solvers, from the same first factors."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.decomposition import NMF
from sklearn.exceptions import ConvergenceWarning

from moo_clustering.factorization._loss import loss_of
from moo_clustering.factorization._matrix import Matrix
from moo_clustering.factorization._runs import NMFRuns
from moo_clustering.factorization._starts import Starts


def coordinate_descent(
    matrix: Matrix, starts: Starts, *, tol: float, max_iter: int, n_threads: int = 1
) -> NMFRuns:
    """``sklearn.decomposition.NMF(solver="cd")``, run by run, with its own stopping rule."""
    return _solve(matrix, starts, "cd", tol, max_iter)


def sklearn_multiplicative_updates(
    matrix: Matrix, starts: Starts, *, tol: float, max_iter: int, n_threads: int = 1
) -> NMFRuns:
    """``sklearn.decomposition.NMF(solver="mu")``, run by run, with its own stopping rule."""
    return _solve(matrix, starts, "mu", tol, max_iter)


def _solve(matrix: Matrix, starts: Starts, solver: str, tol: float, max_iter: int) -> NMFRuns:
    results = Starts(np.empty_like(starts.U), np.empty_like(starts.V))
    n_iter = np.empty(len(starts.U), dtype=np.int64)
    losses = np.empty(len(starts.U))
    for run, (U, V) in enumerate(zip(*starts, strict=True)):
        if matrix.square == 0:
            # scikit-learn refuses first factors of zeros, which are those of such a matrix.
            results.U[run], results.V[run], n_iter[run], losses[run] = U, 0, 0, 0
            continue
        model = NMF(U.shape[1], solver=solver, init="custom", tol=tol, max_iter=max_iter)
        with warnings.catch_warnings():
            # The number of iterations tells; the other solvers do not warn either.
            warnings.simplefilter("ignore", ConvergenceWarning)
            results.V[run] = model.fit_transform(matrix.A, W=V.copy(), H=np.ascontiguousarray(U.T))
        results.U[run] = model.components_.T
        n_iter[run] = model.n_iter_
        losses[run] = loss_of(matrix, results.U[run], results.V[run])
    return NMFRuns(*results, losses, n_iter, [losses[run : run + 1] for run in range(len(losses))])
