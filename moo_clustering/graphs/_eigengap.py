"""How clearly a graph falls into a number of clusters."""

from __future__ import annotations

from typing import Any

import numpy as np

from moo_clustering.graphs._embedding import EigenSolver, spectral_embedding


def eigengap(
    S: Any, n_clusters: int, *, eigen_solver: EigenSolver = "auto", rng: np.random.Generator
) -> float:
    """Eigenvalue K + 1 minus eigenvalue K of the symmetric normalised Laplacian, without labels.

    Parameters
    ----------
    S : sparse matrix or array-like of shape (n_samples, n_samples)
        Symmetric similarities, zero diagonal.
    n_clusters : int
        K; the gap of K = n_samples is 0.
    eigen_solver : {"auto", "dense", "arpack", "lobpcg", "pic"}, default="auto"
    rng : numpy.random.Generator
        Draws starting vectors.

    Returns
    -------
    float

    References
    ----------
    PESC: a rule for the scale factor that needs no classes.
    """
    if n_clusters >= S.shape[0]:
        return 0.0
    values, _ = spectral_embedding(S, n_clusters + 1, laplacian="sym", eigen_solver=eigen_solver, rng=rng)
    return float(values[-1] - values[-2])
