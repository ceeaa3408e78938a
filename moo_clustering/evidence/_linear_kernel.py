"""Inner products of centred features."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering._arrays import centred_features
from moo_clustering.evidence._coassociation import check_columns


def linear_kernel(X: ArrayLike, columns: ArrayLike | None = None) -> NDArray[np.float64]:
    """Inner products of the rows of X minus their mean, over the mean squared length of these.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    columns : array-like of int, shape (L,), optional
        Samples to compare all others with. By default all of them.

    Returns
    -------
    ndarray of shape (n_samples, L), float64
        The mean of the full diagonal is 1; all 0 if all rows are equal.

    Raises
    ------
    ValueError, TypeError
        If X is no table of finite numbers or columns are out of range.

    Notes
    -----
    O(n_samples L n_features) time.

    References
    ----------
    ParetoClustering: linear kernel.

    Examples
    --------
    >>> from moo_clustering.evidence import linear_kernel
    >>> linear_kernel([[0.0], [2.0], [4.0]], [0]).ravel().round(6).tolist()
    [1.5, 0.0, -1.5]
    """
    Z = centred_features(X)
    chosen = np.arange(len(Z)) if columns is None else check_columns(columns, len(Z))
    mean_square = np.einsum("ij,ij->", Z, Z) / len(Z)
    if mean_square > 0:
        Z /= np.sqrt(mean_square)
    return Z @ Z[chosen].T
