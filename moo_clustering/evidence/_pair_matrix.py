"""Must-links and cannot-links as a matrix of signs."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from moo_clustering.constraints import PairwiseConstraints

#: Constraints on the samples at hand, or the sums z of lifted ones as a symmetric matrix.
PairsLike = PairwiseConstraints | Any


def pair_matrix(
    constraints: PairwiseConstraints, *, n: int | None = None, landmark_of: ArrayLike | None = None
) -> sp.csr_array:
    """Symmetric matrix Z of the pairs: +1 for a must-link, -1 for a cannot-link (times its weight).

    Parameters
    ----------
    constraints : PairwiseConstraints
    n : int, optional
        Rows of Z: the number of samples, or of landmarks. By default that of the constraints, or the
        greatest landmark + 1.
    landmark_of : array-like of int, shape (constraints.n_samples,), optional
        Landmark of every sample. Pairs are then lifted to their landmarks and summed; those of one landmark
        with itself are left out.

    Returns
    -------
    csr_array of shape (n, n), float64
        Pairs that cancel are not stored.

    Raises
    ------
    ValueError, TypeError
        If the landmarks or n don't fit the constraints.

    References
    ----------
    ParetoClustering: pair propagation.

    Examples
    --------
    >>> from moo_clustering.constraints import PairwiseConstraints
    >>> from moo_clustering.evidence import pair_matrix
    >>> pairs = PairwiseConstraints([(0, 1), (1, 2)], [(0, 3)], n_samples=4)
    >>> pair_matrix(pairs, landmark_of=[0, 0, 1, 1]).nnz
    0
    """
    must, cannot = constraints.must_link, constraints.cannot_link
    if landmark_of is None:
        size = constraints.n_samples if n is None else n
        if size != constraints.n_samples:
            raise ValueError(f"constraints are about {constraints.n_samples} samples, not {size}")
    else:
        lift = checked_landmarks(landmark_of, constraints.n_samples)
        size = int(lift.max()) + 1 if n is None else n
        if lift.max() >= size:
            raise ValueError(f"landmark_of must be below n={size}, got {lift.max()}")
        must, cannot = lift[must], lift[cannot]
    i, j = np.concatenate([must, cannot]).T
    z = np.concatenate([constraints.must_link_weights, -constraints.cannot_link_weights])
    apart = i != j
    i, j, z = i[apart], j[apart], z[apart]
    both = np.concatenate([i, j]), np.concatenate([j, i])
    Z = sp.coo_array((np.concatenate([z, z]), both), shape=(size, size)).tocsr()
    Z.eliminate_zeros()
    return Z


def checked_landmarks(landmark_of: ArrayLike, n_samples: int) -> NDArray[np.intp]:
    """Landmark of every sample."""
    lift = np.asarray(landmark_of)
    if lift.shape != (n_samples,) or lift.dtype.kind not in "iu":
        raise ValueError(
            f"landmark_of must be {n_samples} integers, one per sample; got shape {lift.shape}, {lift.dtype}"
        )
    if lift.min() < 0:
        raise ValueError(f"landmark_of must be at least 0, got {lift.min()}")
    return lift.astype(np.intp)


def as_pair_matrix(constraints: PairsLike, n: int) -> sp.csr_array:
    """Z of constraints on n samples, or the given Z without its diagonal."""
    if isinstance(constraints, PairwiseConstraints):
        return pair_matrix(constraints, n=n)
    Z = sp.csr_array(constraints, dtype=np.float64, copy=True)
    if Z.shape != (n, n):
        raise ValueError(
            f"constraints must be a matrix of shape ({n}, {n}) or PairwiseConstraints, got {Z.shape}"
        )
    Z.sum_duplicates()
    Z.setdiag(0.0)
    Z.eliminate_zeros()
    if not np.isfinite(Z.data).all() or (Z.nnz and abs(Z - Z.T).max() > 1e-9 * abs(Z.data).max()):
        raise ValueError("constraints as a matrix must be symmetric and finite")
    return Z
