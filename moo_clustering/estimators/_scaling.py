"""Scaling of features before distances are taken."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def scale_features(X: NDArray[np.floating[Any]], scale: str) -> NDArray[np.floating[Any]]:
    """Bring the features of a data matrix to a common scale.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features), float64 or float32
        Not modified.
    scale : {"minmax", "zscore", "none"}
        To [0, 1] by range; to mean 0 and population standard deviation 1; or X itself.

    Returns
    -------
    ndarray of shape (n_samples, n_varying), dtype of X
        Constant features are dropped by ``"minmax"`` and ``"zscore"``; if all are, one column of zeros
        remains.

    References
    ----------
    PESC.
    """
    if scale not in ("minmax", "zscore", "none"):
        raise ValueError(f"scale must be 'minmax', 'zscore' or 'none', got {scale!r}.")
    if scale == "none":
        return X
    low, high = X.min(axis=0), X.max(axis=0)
    varying = high > low
    if not varying.any():
        return np.zeros((len(X), 1), dtype=X.dtype)
    # Halves, so that the difference of huge numbers stays finite.
    half = high[varying] / 2 - low[varying] / 2
    scaled: NDArray[np.floating[Any]] = (X[:, varying] / 2 - low[varying] / 2) / half
    if scale == "zscore":
        # Standardising the range first keeps the squares of tiny and huge features within bounds.
        mean = scaled.mean(axis=0, dtype=np.float64)
        spread = scaled.std(axis=0, dtype=np.float64)
        scaled = ((scaled - mean) / spread).astype(X.dtype)
    return scaled
