"""Energy distance of bags, that of their means in the space of the kernel minus distance."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering.bags._joint_distances import JointDistances, joint_distances

Floats = NDArray[np.float64]

# Squares below this part of the terms they are the difference of are rounding, and count as 0.
_ROUNDING = 1e-12


def energy_distance(A: Any, B: Any = None, *, n_jobs: int | None = None) -> Floats:
    """Energy distance of all bags of ``A`` to all bags of ``B``.

    E(a, b)^2 = 2 e(a, b) - e(a, a) - e(b, b), with e the mean Euclidean distance over all pairs of
    instances, in e(a, a) those of an instance with itself too. E is 0 for bags in which the same instances
    have the same shares, and E^2 is a squared distance in a Hilbert space: exp(-E^2 / c) is positive
    semidefinite.

    Parameters
    ----------
    A : Bags or anything :func:`as_bags` takes
    B : Bags, anything :func:`as_bags` takes, or None, default=None
        None: the bags of ``A`` among themselves.
    n_jobs : int or None, default=None
        Threads; the result does not depend on it.

    Returns
    -------
    ndarray of shape (n_bags_A, n_bags_B), float64
        With ``B=None`` symmetric, and exactly 0 on the diagonal.

    Raises
    ------
    ValueError
        Bags of different widths, or values so large that their squares overflow.

    Notes
    -----
    O(n_A n_B d) time for n_A and n_B instances of d features; memory for blocks of them besides the result.

    References
    ----------
    Szekely and Rizzo, Energy statistics, Journal of Statistical Planning and Inference 143, 2013.

    Examples
    --------
    >>> from moo_clustering.bags import energy_distance
    >>> energy_distance([[[0], [1]], [[1], [3]], [[10]]]).round(4).tolist()
    [[0.0, 1.2247, 4.3012], [1.2247, 0.0, 3.873], [4.3012, 3.873, 0.0]]
    """
    return energy_from_means(joint_distances(A, B, nearest=False, n_jobs=n_jobs), same=B is None)


def energy_from_means(joint: JointDistances, *, same: bool) -> Floats:
    """Energy distance from mean distances; ``same`` when both sides are the same bags."""
    own = joint.own_A[:, None] + joint.own_B
    squares = 2.0 * joint.mean - own
    squares[squares <= _ROUNDING * own] = 0.0
    if same:
        np.fill_diagonal(squares, 0.0)
    return np.sqrt(squares)
