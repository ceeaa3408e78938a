"""A diagonal metric from pairs: between-class over within-class variation, feature by feature."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.utils import check_array

from moo_clustering._arrays import block_slices
from moo_clustering.constraints._pairs import Pairs
from moo_clustering.constraints._pairwise import PairwiseConstraints

FloatArray = NDArray[np.float64]

_BETWEEN_FLOOR = 1e-12
# Features that vary less than this part of the most variable one carry no weight.
_CONSTANT = 1e-6


def fisher_weights(
    X: ArrayLike, constraints: PairwiseConstraints, shrinkage: float = 0.2
) -> NDArray[np.float64]:
    """Weights a_t under which features that separate cannot-links and not must-links count.

    a_t = b_t / (((1 - shrinkage) s_t + shrinkage v_t) v_t), where v_t is the variance of feature t,
    and s_t and b_t are half its mean squared difference over must-links and over cannot-links.
    Use the Euclidean distance of ``X * sqrt(a)``.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    constraints : PairwiseConstraints
        Means over pairs are weighted, if the pairs are.
    shrinkage : float, default=0.2
        In [0, 1]; how far the variation within classes is drawn to that of all the data. More is
        advisable for few pairs.

    Returns
    -------
    weights : ndarray of shape (n_features,)
        Ones if there are no must-links or no cannot-links; 0 for a feature whose variance is at most
        1e-6 of the greatest.

    Raises
    ------
    TypeError, ValueError
        If ``constraints`` are something else or about another number of samples, or ``shrinkage`` is
        out of range.

    Notes
    -----
    O((n_samples + n_pairs) n_features) time, O(n_features) memory besides the data and blocks of
    bounded size. Pays on reduced text; plain distances can be better elsewhere.

    References
    ----------
    NSGA-II-clus.

    Examples
    --------
    >>> pairs = PairwiseConstraints([(0, 1), (2, 3)], [(0, 2), (1, 3)], n_samples=4)
    >>> fisher_weights([[0, 0], [1, 9], [10, 0], [11, 9]], pairs).round(3)
    array([0.363, 0.   ])
    """
    if not isinstance(constraints, PairwiseConstraints):
        raise TypeError(f"constraints must be PairwiseConstraints, got {type(constraints).__name__}.")
    if not 0.0 <= shrinkage <= 1.0:
        raise ValueError(f"shrinkage must be a number in [0, 1], got {shrinkage!r}.")
    data = check_array(X, accept_sparse="csr", dtype=np.float64, input_name="X")
    if constraints.n_samples != data.shape[0]:
        raise ValueError(f"constraints are about {constraints.n_samples} samples, X has {data.shape[0]}.")
    if not len(constraints.must_link) or not len(constraints.cannot_link):
        return np.ones(data.shape[1])
    variance = _variance(data)
    within = _half_mean_square(data, constraints.must_link, constraints.must_link_weights)
    between = _half_mean_square(data, constraints.cannot_link, constraints.cannot_link_weights)
    varies = variance > _CONSTANT * variance.max()
    spread = (1.0 - shrinkage) * within + shrinkage * variance
    # Without shrinkage a feature that is the same on all must-links would weigh infinitely much.
    scale = np.maximum(spread, _BETWEEN_FLOOR * variance) * variance
    weights = np.zeros(data.shape[1])
    np.divide(np.maximum(between, _BETWEEN_FLOOR), scale, out=weights, where=varies)
    return weights


def _variance(X: Any) -> FloatArray:
    if not issparse(X):
        return np.asarray(X.var(axis=0))
    mean = np.asarray(X.mean(axis=0)).ravel()
    stored = X.tocsc()
    count = np.diff(stored.indptr)
    column = np.repeat(np.arange(X.shape[1]), count)
    squares = np.bincount(column, weights=(stored.data - mean[column]) ** 2, minlength=X.shape[1])
    return (squares + (X.shape[0] - count) * mean**2) / X.shape[0]


def _half_mean_square(X: Any, pairs: Pairs, weights: FloatArray) -> FloatArray:
    total = np.zeros(X.shape[1])
    for part in block_slices(len(pairs), X.shape[1]):
        difference = X[pairs[part, 0]] - X[pairs[part, 1]]
        square = difference.multiply(difference) if issparse(difference) else difference**2
        total += np.asarray(square.T @ weights[part]).ravel()
    return total / (2.0 * weights.sum())
