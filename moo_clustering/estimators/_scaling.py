"""Scaling of features before distances are taken."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import minmax_scale, scale


def scale_features(X: NDArray[np.floating[Any]], how: str) -> NDArray[np.floating[Any]]:
    """Bring all features to the same range or spread; the type (float32 or float64) is kept.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    how : {"minmax", "zscore", "none"}
        To [0, 1]; to mean 0 and (population) standard deviation 1; or as given.

    Returns
    -------
    ndarray of shape (n_samples, n_varying_features)
        Constant features are dropped unless ``how="none"``; if there is no other, one column of zeros
        is left.
    """
    if how == "none":
        return X
    varying = (X != X[0]).any(axis=0)
    if not varying.any():
        return np.zeros((len(X), 1), dtype=X.dtype)
    scaled: NDArray[np.floating[Any]] = (minmax_scale if how == "minmax" else scale)(X[:, varying])
    return scaled
