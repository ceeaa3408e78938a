"""Leaving out instances that no centroid can tell."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering._kernels.bag_pruning import keep_farthest
from moo_clustering.bags._checks import to_offsets

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

# Numbers in the table of distances of a bag from all bag means: 32 MB of float64.
_TABLE = 1 << 22
# Parts that keep more than this share have little left to drop.
_WORTH_A_ROUND = 0.9


def farthest_candidates(
    X: ArrayLike, offsets: ArrayLike, means: ArrayLike, *, min_cluster_size: int = 1
) -> Mask:
    """Instances that can be the farthest of their bag from a centroid.

    The difference of the squared distances of two instances to a point is affine in the point, and
    every centroid is a convex combination of bag means. So an instance is never the farthest if
    another one of its bag is farther from all bag means. Where every cluster has at least s bags of
    equal weights, no bag mean weighs more than 1/s, and it is enough that the other one is farther on
    average from any s of them.

    Parameters
    ----------
    X : array-like of shape (n_instances, n_features)
        Instances, bag after bag.
    offsets : array-like of shape (n_bags + 1,)
        First row of each bag, and the number of rows.
    means : array-like of shape (n_means, n_features)
        What centroids are convex combinations of: the means of the bags before anything is left out.
    min_cluster_size : int, default=1
        A number s above 1 leaves out more. It holds only for centroids whose weights are at most 1/s:
        unweighted means of the means of s or more bags.

    Returns
    -------
    kept : ndarray of shape (n_instances,), bool
        Without the others, the greatest distance of each bag to any centroid is unchanged. Of equal
        instances of a bag the first is kept. At least one instance of each bag is kept.

    Notes
    -----
    An instance is left out only when rounding cannot be the reason. O(n N d) time for N means and
    n instances of d features, and O(m^2 N) at worst, mostly far less, for each bag of m. Memory is
    32 MB or one row of N numbers; bags for which that is not enough are treated in parts, and may
    keep more than they had to.

    References
    ----------
    Evolutionary multi-instance clustering, Eqs. 1 and 3.
    """
    data = np.asarray(X)
    centers: Floats = np.asarray(means, dtype=np.float64)
    if data.ndim != 2 or centers.ndim != 2 or data.shape[1] != centers.shape[1] or not len(centers):
        raise ValueError(f"X and means must be matrices of equal width, got {data.shape} and {centers.shape}")
    if isinstance(min_cluster_size, bool) or not isinstance(min_cluster_size, int | np.integer):
        raise TypeError(f"min_cluster_size must be an integer, got {min_cluster_size!r}")
    if min_cluster_size < 1:
        raise ValueError(f"min_cluster_size must be at least 1, got {min_cluster_size}")
    bounds = to_offsets(offsets, len(data), None)
    origin = centers.mean(axis=0)
    centers = centers - origin
    kept = np.ones(len(data), dtype=np.bool_)
    for start, stop in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        if stop - start > 1:
            rows = np.asarray(data[start:stop], dtype=np.float64) - origin
            kept[start:stop] = _farthest(rows, centers, min(int(min_cluster_size), len(centers)))
    return kept


def _farthest(rows: Floats, centers: Floats, n_largest: int) -> Mask:
    """Candidates of one bag; of a large one in parts, again until that no longer helps."""
    limit = max(2, _TABLE // len(centers))
    remaining = np.arange(len(rows))
    while True:
        n_parts = -(-len(remaining) // limit)
        if n_parts > 1:
            # Every part gets its share of outer instances, which make others drop.
            squares = np.einsum("ij,ij->i", rows[remaining], rows[remaining])
            remaining = remaining[np.argsort(-squares, kind="stable")]
        parts = [np.sort(remaining[part::n_parts]) for part in range(n_parts)]
        left = np.concatenate([part[_candidates(rows[part], centers, n_largest)] for part in parts])
        if n_parts == 1 or len(left) > _WORTH_A_ROUND * len(remaining):
            kept = np.zeros(len(rows), dtype=np.bool_)
            kept[left] = True
            return kept
        remaining = left


def _candidates(rows: Floats, centers: Floats, n_largest: int) -> Mask:
    squares = np.einsum("ij,ij->i", rows, rows)
    values: NDArray[Any] = rows @ centers.T
    values *= -2.0
    values += squares[:, None]
    # Several times what rounding can do to sums of d + n_largest terms.
    largest = np.sqrt(squares.max())
    spread = largest * (largest + 2.0 * np.sqrt(np.einsum("ij,ij->i", centers, centers).max()))
    margin = 8.0 * (rows.shape[1] + n_largest + 8) * np.finfo(np.float64).eps * spread
    order = np.argsort(-values.sum(axis=1), kind="stable")
    kept = np.empty(len(rows), dtype=np.bool_)
    keep_farthest(values, rows, order, margin, n_largest, kept)
    return kept
