"""I2: how concentrated clusters of documents are."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.utils import check_array

from moo_clustering.validity._contingency import encode
from moo_clustering.validity._unit_rows import unit_rows


def i2_criterion(X: Any, labels: ArrayLike, *, normalize_rows: bool = True) -> float:
    """I2 = sum over the clusters of the length of the sum of their rows; greater is better.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    labels : array-like of shape (n_samples,)
    normalize_rows : bool, default=True
        Whether rows are brought to unit length first, as spherical k-means has them: I2 is then the sum
        of the cosine similarities of all samples to their centroids. Rows of zeros add nothing.

    Returns
    -------
    float

    Notes
    -----
    O(n_samples n_features), or the number of non-zeros of X.

    References
    ----------
    Zhao & Karypis, Machine Learning 55, 2004.

    Examples
    --------
    >>> from moo_clustering.validity import i2_criterion
    >>> i2_criterion([[3.0, 4.0], [6.0, 8.0], [0.0, 2.0]], [0, 0, 1])
    3.0
    """
    X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], input_name="X")
    codes, clusters = encode(labels, "labels")
    n = X.shape[0]
    if len(codes) != n:
        raise ValueError(f"labels must have one entry per row of X: expected {n}, got {len(codes)}")
    if normalize_rows:
        X, _ = unit_rows(X)
    member = sp.csr_array((np.ones(n), (codes, np.arange(n))), shape=(len(clusters), n))
    sums = member @ X
    squared = sums.multiply(sums) if sp.issparse(sums) else sums**2
    return float(np.sqrt(np.asarray(squared.sum(axis=1))).sum())
