"""Degrees of membership in modes, and how compact and how far apart fuzzy clusters are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def memberships(distances: FloatArray, m: float) -> FloatArray:
    """u_ik = 1 / sum_j (d_ik / d_jk)^(1 / (m - 1)).

    Parameters
    ----------
    distances : ndarray of shape (..., n_modes, n_samples)
        Infinity for a mode that does not take part.
    m : float
        Above 1.

    Returns
    -------
    ndarray of the same shape
        Columns sum to 1; a sample at distance 0 from q modes has 1/q of each of them.
    """
    nearest = distances.min(axis=-2, keepdims=True)
    # By the ratio to the nearest mode nothing overflows, and 0 stands where another one is at distance 0.
    u: FloatArray = np.divide(nearest, distances, out=np.ones_like(distances), where=distances > 0.0)
    if m != 2.0:
        np.power(u, 1.0 / (m - 1.0), out=u)
    u /= u.sum(axis=-2, keepdims=True)
    return u


def powered(u: FloatArray, m: float) -> FloatArray:
    """u^m."""
    return np.square(u) if m == 2.0 else np.power(u, m)


def compactness(scatter: FloatArray, size: FloatArray) -> FloatArray:
    """pi = sum_i (sum_k u_ik^m d_ik) / (sum_k u_ik), shape (n_individuals,); empty modes add nothing.

    Parameters
    ----------
    scatter, size : ndarray of shape (n_individuals, n_modes)
        The two sums over the samples.
    """
    pi: FloatArray = np.divide(scatter, size, out=np.zeros_like(scatter), where=size > 0.0).sum(axis=1)
    return pi


def separation(between: FloatArray, m: float) -> FloatArray:
    """sep = sum_i sum_{j != i} mu_ij^m d(z_i, z_j), shape (n_individuals,); 0 for a single mode.

    mu_ij is the membership of z_j in z_i among all other modes l != j.

    Parameters
    ----------
    between : ndarray of shape (n_individuals, n_modes, n_modes)
        Distances of the modes.
    """
    n_modes = between.shape[1]
    if n_modes == 1:
        return np.zeros(len(between))
    others = between.copy()
    others[:, np.arange(n_modes), np.arange(n_modes)] = np.inf
    sep: FloatArray = (powered(memberships(others, m), m) * between).sum(axis=(1, 2))
    return sep
