"""Error in the number of clusters over several data sets."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def k_error(targets: ArrayLike, predicted: ArrayLike) -> float:
    """Mean squared difference of true and found numbers of clusters.

    Parameters
    ----------
    targets : array-like of shape (n_data_sets,)
        True numbers.
    predicted : array-like of shape (n_data_sets,), or a number
        Numbers found; a single one stands for the constant predictor, which belongs beside every
        reported error.

    Returns
    -------
    error : float

    Raises
    ------
    ValueError
        If there are no targets, the lengths differ, or a value is not finite.

    References
    ----------
    NSGA-II-clus.

    Examples
    --------
    >>> from moo_clustering.validity import k_error
    >>> k_error([1, 2, 3, 4], 2)
    1.5
    """
    true, found = np.asarray(targets, dtype=np.float64), np.asarray(predicted, dtype=np.float64)
    if true.ndim != 1 or len(true) == 0:
        raise ValueError(f"targets must be a non-empty list of numbers, got shape {true.shape}")
    if found.ndim != 0 and found.shape != true.shape:
        raise ValueError(
            f"predicted must be one number or one per target, got shapes {found.shape} and {true.shape}"
        )
    if not (np.all(np.isfinite(true)) and np.all(np.isfinite(found))):
        raise ValueError("targets and predicted must be finite numbers")
    return float(np.mean((true - found) ** 2))
