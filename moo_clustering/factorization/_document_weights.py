"""Weights of documents for fixed topics."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering._kernels.nmf_weights import fit_weights
from moo_clustering._kernels.parts import for_parts


def document_weights(A: Any, U: NDArray[Any], *, n_jobs: int | None = None) -> NDArray[np.float64]:
    """Non-negative weights V that minimise ||A - V U^T||^2, exactly.

    Parameters
    ----------
    A : ndarray or sparse matrix of shape (n_documents, n_terms)
    U : ndarray of shape (n_terms, n_components)
    n_jobs : int, optional
        Threads.

    Returns
    -------
    ndarray of shape (n_documents, n_components)

    Notes
    -----
    Active sets on the normal equations: O(n_values n_components) time for the products, then about
    O(n_components^4) at worst for a document, far less where few topics have weight.
    """
    topics = np.ascontiguousarray(U, dtype=np.float64)
    products = np.ascontiguousarray(A @ topics, dtype=np.float64)
    n_documents, k = products.shape
    gram = topics.T @ topics
    # A multiple of rounding error keeps the factorisation defined where topics depend on each other.
    gram[np.diag_indices(k)] += 1e-12 * max(float(np.trace(gram)), np.finfo(np.float64).tiny) / k
    weights = np.zeros((n_documents, k))
    for_parts(
        lambda lo, hi: fit_weights(gram, products, weights, lo, hi), n_documents, n_documents * k**3, n_jobs
    )
    return weights
