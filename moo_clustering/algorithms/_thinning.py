"""A few points that stand for many."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist, squareform

# Sums of distances that agree to this factor count as a tie: rounding must not choose the point.
_SAME = 1.0 + 1e-12


def representatives(points: ArrayLike, n_groups: int) -> NDArray[np.int64]:
    """Rows that stand for the groups of a single-linkage clustering.

    Coordinates are scaled by their ranges. Of every group the point with the least mean distance to
    the others is taken, of several the first.

    Parameters
    ----------
    points : array-like of shape (n_points, n_dimensions)
        An infinite coordinate counts as one range beyond the finite ones.
    n_groups : int
        At least 1. With no more points than that, all are taken.

    Returns
    -------
    ndarray of shape (min(n_groups, n_points),), int64
        In ascending order.

    Notes
    -----
    O(n_points^2). The first n_points - n_groups merges are done, in the order of SciPy's sorted list,
    so there are exactly ``n_groups`` groups also where distances tie.
    """
    P = np.asarray(points, dtype=np.float64)
    n = len(P)
    if n <= n_groups:
        return np.arange(n, dtype=np.int64)
    distances = pdist(_scaled(P))
    groups = _cut(linkage(distances, method="single"), n, n_groups)
    D = squareform(distances)
    kept = []
    for g in range(n_groups):
        members = np.flatnonzero(groups == g)
        total = D[np.ix_(members, members)].sum(axis=1)
        kept.append(members[np.argmax(total <= total.min() * _SAME)])
    return np.sort(np.array(kept, dtype=np.int64))


def _scaled(P: NDArray[np.float64]) -> NDArray[np.float64]:
    finite = np.isfinite(P)
    low = np.where(finite, P, np.inf).min(axis=0)
    high = np.where(finite, P, -np.inf).max(axis=0)
    none = ~finite.any(axis=0)
    low[none] = high[none] = 0.0
    extent = np.where(high > low, high - low, 1.0)
    return (np.clip(P, low - extent, high + extent) - low) / extent


def _cut(merges: NDArray[np.float64], n: int, n_groups: int) -> NDArray[np.int64]:
    """Group of every point after the first n - n_groups merges."""
    group = np.arange(n, dtype=np.int64)
    member = list(range(n))  # one point of every cluster of SciPy's numbering
    for left, right in merges[: n - n_groups, :2].astype(np.int64):
        one, other = group[member[left]], group[member[right]]
        group[group == other] = one
        member.append(member[left])
    return np.unique(group, return_inverse=True)[1].astype(np.int64)
