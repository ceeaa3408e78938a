"""Hierarchical alternating least squares."""

from __future__ import annotations

from moo_clustering.factorization._matrix import Matrix
from moo_clustering.factorization._panel import solve_panel
from moo_clustering.factorization._runs import NMFRuns
from moo_clustering.factorization._starts import Starts


def hals(matrix: Matrix, starts: Starts, *, tol: float, max_iter: int, n_threads: int = 1) -> NMFRuns:
    """Coordinate descent over whole columns, U before V.

    With G = V^T V, u_j <- max(0, u_j + ((A^T V)_j - U G_j) / G_jj) for j = 0, 1, ..., every column with
    those before it already new; columns with G_jj = 0 stay. V likewise. A run ends where the loss falls
    by less than ``tol`` of itself in an iteration.

    References
    ----------
    A. Cichocki, R. Zdunek, S. Amari, "Hierarchical ALS algorithms for nonnegative matrix and 3D tensor
    factorization", ICA (2007).
    """
    return solve_panel(matrix, starts, multiply=False, tol=tol, max_iter=max_iter, n_threads=n_threads)
