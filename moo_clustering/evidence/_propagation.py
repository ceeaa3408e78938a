"""Pairs carried over a similarity graph to all other pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from moo_clustering.evidence._diffusion import dense_affinity, diffusion
from moo_clustering.evidence._pair_matrix import PairsLike, as_pair_matrix

_LEAST = 1e-9


def propagate_pairs(W: Any, constraints: PairsLike, *, alpha: float) -> NDArray[np.float64]:
    """Similarities changed by exhaustive propagation of must-links and cannot-links.

    With R = (I - alpha B)^-1, B = Dg(W1)^(-1/2) W Dg(W1)^(-1/2), and Z = +1 or -1 at the pairs: F = R Z R,
    divided by its greatest magnitude. Similarities become 1 - (1 - F)(1 - W) where F >= 0, (1 + F) W
    elsewhere; 1e-9 is added to all.

    Parameters
    ----------
    W : sparse matrix or array-like of shape (n_samples, n_samples)
        Symmetric similarities from 0 to 1.
    constraints : PairwiseConstraints, or matrix of shape (n_samples, n_samples)
        Pairs of samples, or a symmetric Z as from :func:`pair_matrix` (its diagonal is ignored).
    alpha : float
        How far pairs are carried, in [0, 1).

    Returns
    -------
    ndarray of shape (n_samples, n_samples), float64, symmetric

    Raises
    ------
    ValueError
        If W is not square, symmetric and at least 0, alpha is out of range or the constraints don't fit.

    Notes
    -----
    O(n_samples^3) time, O(n_samples^2) memory.

    References
    ----------
    Lu and Ip, Constrained spectral clustering via exhaustive and efficient constraint propagation,
    ECCV 2010. ParetoClustering: pair propagation.

    Examples
    --------
    >>> import numpy as np
    >>> from moo_clustering.constraints import PairwiseConstraints
    >>> from moo_clustering.evidence import propagate_pairs
    >>> W = np.array([[0.0, 0.5, 0.0], [0.5, 0.0, 0.5], [0.0, 0.5, 0.0]])
    >>> pairs = PairwiseConstraints([], [(0, 1)], n_samples=3)
    >>> propagate_pairs(W, pairs, alpha=0.0).round(3).tolist()
    [[0.0, 0.0, 0.0], [0.0, 0.0, 0.5], [0.0, 0.5, 0.0]]
    """
    dense = dense_affinity(W)
    return adjusted(dense, diffusion(dense, alpha, "alpha"), as_pair_matrix(constraints, len(dense)))


def adjusted(W: NDArray[np.float64], R: NDArray[np.float64], Z: sp.csr_array) -> NDArray[np.float64]:
    """Similarities W changed by the pairs Z carried with R."""
    ends = np.flatnonzero(np.diff(Z.indptr))
    if not len(ends):
        return W + _LEAST
    with threadpool_limits(limits=1):
        # Only samples in pairs have rows in Z.
        F = R[:, ends] @ (Z[ends] @ R)
    F += F.T.copy()
    greatest = np.abs(F).max()
    if greatest > 0:
        F /= greatest
    # 1 - (1 - F)(1 - W) = W + F (1 - W), and (1 + F) W = W + F W.
    F *= np.where(F >= 0, 1.0 - W, W)
    F += W
    F += _LEAST
    return F
