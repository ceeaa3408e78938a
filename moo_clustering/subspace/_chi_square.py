"""Chi-square between having a feature and being in a cluster, over fuzzy tables."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

# Denominators up to this are taken as 0.
_NOTHING = 1e-12


def chi_square(
    a: NDArray[np.floating[Any]],
    sizes: NDArray[np.float64],
    frequencies: NDArray[Any],
    n_samples: int,
    scale: float,
) -> NDArray[np.float64]:
    """Chi-square of every feature and cluster.

    Parameters
    ----------
    a : ndarray of shape (n_features, n_clusters)
        Mass of a cluster that has the feature.
    sizes : ndarray of shape (n_clusters,)
        Mass of the clusters.
    frequencies : ndarray of shape (n_features,)
        Samples that have the feature.
    n_samples : int
        Total of the tables.
    scale : float
        Factor of the statistic: ``n_samples`` for chi-square itself.

    Returns
    -------
    ndarray of shape (n_features, n_clusters)
        At least 0; 0 for features that all samples or none have.

    Notes
    -----
    With b = df - a, c = S' - a, d = n - S' - b the usual (a d - b c)^2 / ((a + c)(b + d)(a + b)(c + d)) is
    (n a - S' df)^2 / (S' (n - S') df (n - df)), since a + b = df and a + c = S'.
    """
    found = np.asarray(frequencies, dtype=np.float64)[:, None]
    difference = n_samples * np.asarray(a, dtype=np.float64) - sizes * found
    below = np.maximum(sizes * (n_samples - sizes), 0.0) * (found * (n_samples - found))
    out = np.zeros(difference.shape)
    np.divide(scale * difference**2, below, out=out, where=below > _NOTHING)
    return out
