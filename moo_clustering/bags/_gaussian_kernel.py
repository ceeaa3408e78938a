"""Gaussian kernels of bags."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def gaussian_scale(distances: ArrayLike) -> float:
    """Median of the positive distances; 1 if there are none."""
    D = np.asarray(distances, dtype=np.float64)
    positive = D[D > 0.0]
    return float(np.median(positive)) if len(positive) else 1.0


def gaussian_bag_kernel(distances: ArrayLike, *, scale: float | None = None) -> Floats:
    """exp(-distance^2 / scale^2).

    Positive semidefinite for distances in a Hilbert space, as the energy distance and the sliced distance
    are; not for a Hausdorff distance in general.

    Parameters
    ----------
    distances : array-like of shape (n_bags_A, n_bags_B)
        Not negative.
    scale : float, optional
        Default: the median of the positive distances. For new bags give that of the known ones.

    Returns
    -------
    ndarray of shape (n_bags_A, n_bags_B), float64

    Raises
    ------
    ValueError
        Distances that are negative or not finite, or a scale that is not positive.

    Notes
    -----
    O(n_bags_A n_bags_B) time and memory.

    Examples
    --------
    >>> from moo_clustering.bags import gaussian_bag_kernel
    >>> gaussian_bag_kernel([[0.0, 2.0], [2.0, 0.0]]).round(4).tolist()
    [[1.0, 0.3679], [0.3679, 1.0]]
    """
    D = np.asarray(distances, dtype=np.float64)
    if D.ndim != 2 or not np.isfinite(D).all() or (D < 0.0).any():
        raise ValueError("distances must be a matrix of finite numbers that are not negative")
    width = gaussian_scale(D) if scale is None else float(scale)
    if not width > 0.0:
        raise ValueError(f"scale must be positive, got {scale}")
    kernel: Floats = np.exp(-((D / width) ** 2))
    return kernel
