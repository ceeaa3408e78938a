"""Walks of any length on a weighted graph: (I - factor B)^-1."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import lapack
from threadpoolctl import threadpool_limits

from moo_clustering.graphs._laplacian import inverse_root


def dense_affinity(W: Any, name: str = "W") -> NDArray[np.float64]:
    """Similarities as a dense array, which is not copied if it is one."""
    dense = W.toarray() if sp.issparse(W) else W
    array = np.asarray(dense, dtype=np.float64)
    if array.ndim != 2 or array.shape[0] != array.shape[1] or not array.size:
        raise ValueError(f"{name} must be a square matrix of similarities, got shape {array.shape}")
    if not np.isfinite(array).all() or array.min() < 0:
        raise ValueError(f"{name} must hold finite similarities of at least 0")
    return array


def diffusion(W: NDArray[np.float64], factor: float, name: str = "factor") -> NDArray[np.float64]:
    """(I - factor B)^-1 with B = Dg(W1)^(-1/2) W Dg(W1)^(-1/2), for symmetric W.

    A sample without similarities has a row of the identity. O(n^3) time, O(n^2) memory.
    """
    if not 0 <= factor < 1:
        raise ValueError(f"{name} must be at least 0 and below 1, got {factor!r}")
    root = inverse_root(W.sum(axis=1))
    # Column-major, so that LAPACK works in place; positive definite, as B's eigenvalues are within [-1, 1].
    A = np.asfortranarray(W * (-factor * root[:, np.newaxis]))
    A *= root
    A[np.diag_indices_from(A)] += 1.0
    # In one thread: partitions made of it must not depend on how many there are.
    with threadpool_limits(limits=1):
        A, failed = lapack.dpotrf(A, lower=1, overwrite_a=1)
        if not failed:
            A, failed = lapack.dpotri(A, lower=1, overwrite_c=1)
    if failed:
        raise ValueError("the matrix of similarities must be symmetric")
    inverse: NDArray[np.float64] = np.tril(A)
    inverse += np.tril(A, -1).T
    return inverse
