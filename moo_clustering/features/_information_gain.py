"""Information gain of features about classes or labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, issparse
from scipy.special import xlogy
from sklearn.utils.validation import check_array

from moo_clustering._arrays import block_slices, without_duplicates
from moo_clustering._targets import Targets, partial_targets

Floats = NDArray[np.float64]


def information_gain(X: Any, y: Any) -> Floats:
    """Bits that the presence of each feature tells about the labels.

    IG_i = sum_t [H(y_t) - p(x_i) H(y_t | x_i) - p(not x_i) H(y_t | not x_i)] with the entropy H of a label
    that a sample has or has not; with one class a sample, the sum goes over the indicators of the classes.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Finite numbers; a feature is present where it is not 0.
    y : array-like of shape (n_samples,) or (n_samples, n_labels), or Targets
        One class a sample, -1 for unlabelled ones; or indicators 0 and 1 of labels, with rows of -1 for
        unlabelled samples. Unlabelled samples do not count, neither their rows of ``X``.

    Returns
    -------
    gains : ndarray of shape (n_features,), float64
        At least 0; 0 for a feature in none or all of the labelled samples.

    Raises
    ------
    ValueError
        If no sample is labelled, or ``X`` and ``y`` are not what they should be.

    Notes
    -----
    One sparse product: O(stored values * n_labels) time, O(stored values + n_features * n_labels) memory,
    of which the second part stays below 32 MB an array.

    References
    ----------
    Multi-label ASRS dataset classification using semi-supervised subspace clustering, section 5.

    Examples
    --------
    >>> from moo_clustering.features import information_gain
    >>> information_gain([[1, 1], [1, 0], [0, 1], [0, 0]], [[1, 0], [1, 0], [0, 0], [0, 0]])
    array([1., 0.])
    """
    rows = presence(check_array(X, accept_sparse="csr", dtype=None, input_name="X"))
    targets = y if isinstance(y, Targets) else partial_targets(y, rows.shape[0])
    if not targets.labelled.any() or not targets.n_classes:
        raise ValueError("information gain needs labelled samples: y has none")
    rows = rows[targets.rows]
    n, m = rows.shape
    df = column_counts(rows)
    gains = np.zeros(m)
    for part in block_slices(targets.n_classes, m):
        indicators = targets.indicators[targets.rows, part]
        together = rows.T @ indicators
        sizes = indicators.sum(axis=0)
        told = _bits(together, df[:, None]) + _bits(sizes - together, n - df[:, None])
        gains += (_bits(sizes, np.float64(n)) - told).sum(axis=1) / n
    return np.maximum(gains, 0.0)


def presence(X: Any) -> csr_matrix:
    """1 where a checked ``X`` is not 0, each cell stored once, as float64."""
    if not issparse(X):
        return csr_matrix(X != 0, dtype=np.float64)
    rows = without_duplicates(csr_matrix(X))
    stored = (rows.data != 0).astype(np.float64)
    found = csr_matrix((stored, rows.indices, rows.indptr), shape=rows.shape)
    if not stored.all():
        found = found.copy()
        found.eliminate_zeros()
    return found


def column_counts(rows: csr_matrix) -> Floats:
    """Number of rows in which each feature is present."""
    return np.bincount(rows.indices, minlength=rows.shape[1]).astype(np.float64)


def _bits(counts: Floats, totals: Any) -> Floats:
    """Entropy of shares ``counts / totals``, times the total, so that none is divided by 0."""
    rest = totals - counts
    nats: Floats = xlogy(totals, totals) - (xlogy(counts, counts) + xlogy(rest, rest))
    return nats / np.log(2.0)
