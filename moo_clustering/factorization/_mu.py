"""Multiplicative updates."""

from __future__ import annotations

from moo_clustering.factorization._matrix import Matrix
from moo_clustering.factorization._panel import solve_panel
from moo_clustering.factorization._runs import NMFRuns
from moo_clustering.factorization._starts import Starts


def multiplicative_updates(
    matrix: Matrix, starts: Starts, *, tol: float, max_iter: int, n_threads: int = 1
) -> NMFRuns:
    """U <- U * (A^T V) / (U V^T V), then V <- V * (A U) / (V U^T U) with the new U.

    Entries stay where the denominator is 0, and where they are 0. A run ends where the loss falls by
    less than ``tol`` of itself in an iteration.

    References
    ----------
    D. D. Lee, H. S. Seung, "Algorithms for non-negative matrix factorization", NIPS 13 (2001), theorem 1.
    """
    return solve_panel(matrix, starts, multiply=True, tol=tol, max_iter=max_iter, n_threads=n_threads)
