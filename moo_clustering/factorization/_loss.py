"""Squared error of a factorisation."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from moo_clustering.factorization._matrix import Matrix, check_matrix
from moo_clustering.factorization._runs import Floats


def factorization_loss(A: Any, U: ArrayLike, V: ArrayLike) -> float:
    """J = ||A - V U^T||^2 without forming V U^T.

    Parameters
    ----------
    A : array-like or sparse matrix of shape (n_documents, n_terms)
    U : array-like of shape (n_terms, n_components)
    V : array-like of shape (n_documents, n_components)

    Returns
    -------
    float

    Notes
    -----
    ||A||^2 - 2 <V, A U> + <V^T V, U^T U>: O(n_values n_components) time; about 1e-16 ||A||^2 is lost
    to rounding.
    """
    topics, weights = np.asarray(U, dtype=np.float64), np.asarray(V, dtype=np.float64)
    return loss_of(check_matrix(A, "float64"), topics, weights)


def loss_of(matrix: Matrix, U: Floats, V: Floats) -> float:
    """J of checked arrays."""
    inner = np.vdot(V, matrix.A @ U)
    return max(0.0, float(matrix.square - 2.0 * inner + np.vdot(V.T @ V, U.T @ U)))
