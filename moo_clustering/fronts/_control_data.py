"""Data without clusters, in the place of data that may have some."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array

Kind = Literal["box", "eigenvalue"]


def control_data(X: ArrayLike, *, kind: Kind = "box", rng: np.random.Generator) -> NDArray[np.float64]:
    """Uniform samples in a box along the principal axes of the data.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    kind : {"box", "eigenvalue"}, default="box"
        The box that holds the data; or one around their mean whose sides are the eigenvalues of their
        covariance, as printed, though these are variances, not lengths.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of shape (n_samples, n_features)

    Raises
    ------
    ValueError
        Bad data or another kind.

    Notes
    -----
    O(n_samples n_features^2) time.

    References
    ----------
    Handl and Knowles, IEEE TEVC 11(1), 2007, null model.
    """
    if kind not in get_args(Kind):
        raise ValueError(f"kind must be one of {get_args(Kind)}, got {kind!r}.")
    data = check_array(X, dtype=np.float64)
    mean = data.mean(axis=0)
    centred = data - mean
    variances, axes = np.linalg.eigh(centred.T @ centred / max(len(data) - 1, 1))
    if kind == "box":
        scores = centred @ axes
        low, high = scores.min(axis=0), scores.max(axis=0)
    else:
        high = np.maximum(variances, 0.0) / 2
        low = -high
    return rng.uniform(low, high, size=data.shape) @ axes.T + mean
