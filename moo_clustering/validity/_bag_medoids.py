"""Davies-Bouldin index of clusters of bags around medoids."""

from __future__ import annotations

from typing import Any

import numpy as np

from moo_clustering._arrays import block_slices
from moo_clustering.validity._base import FloatArray, IntArray
from moo_clustering.validity._population import integer_rows


def db_medoid(H: Any, labels: Any, medoids: Any) -> FloatArray:
    """Davies-Bouldin index with medoids in place of centroids, for a population; to be minimised.

    Parameters
    ----------
    H : array-like of shape (n_bags, n_bags)
        Distance from bag i to bag j in row i; need not be symmetric.
    labels : array-like of shape (n_individuals, n_bags) or (n_bags,)
        Position of every bag's medoid in its row of ``medoids``; need not be the nearest one.
    medoids : array-like of shape (n_individuals, k_max) or (k_max,)
        Bag numbers, -1 where there is none.

    Returns
    -------
    values : ndarray of shape (n_individuals,)
        inf for fewer than two clusters with bags, and for two such clusters whose medoids are at
        distance 0 from each other. Medoids without bags do not count.

    Raises
    ------
    ValueError
        For shapes that do not fit, or a label for which there is no medoid.
    TypeError
        For labels or medoids that are no integers.

    Notes
    -----
    The radius of a cluster is the mean of H[b, medoid] over its bags b, and the distance of two medoids
    p and q is max(H[p, q], H[q, p]). O(p (N + K^2)) time for p individuals of K clusters of N bags.

    References
    ----------
    Evolutionary multi-instance clustering, Eq. 10.

    Examples
    --------
    >>> from moo_clustering.validity import db_medoid
    >>> H = [[0, 1, 4, 5], [1, 0, 4, 5], [4, 5, 0, 1], [6, 5, 2, 0]]
    >>> db_medoid(H, [0, 0, 1, 1], [0, 2])
    array([0.375])
    """
    D = np.asarray(H, dtype=np.float64)
    if D.ndim != 2 or D.shape[0] != D.shape[1]:
        raise ValueError(f"H must be a square matrix, got shape {D.shape}")
    clusters, centers = _checked(len(D), integer_rows(labels, "labels"), integer_rows(medoids, "medoids"))
    values = np.empty(len(clusters))
    for rows in block_slices(len(clusters), 4 * clusters.shape[1] + 4 * centers.shape[1] ** 2):
        values[rows] = _block(D, clusters[rows], centers[rows])
    return values


def _checked(n_bags: int, labels: IntArray, medoids: IntArray) -> tuple[IntArray, IntArray]:
    if labels.shape[1] != n_bags:
        raise ValueError(f"labels must have {n_bags} entries per row as H, got {labels.shape[1]}")
    if len(medoids) != len(labels):
        raise ValueError(f"medoids has {len(medoids)} rows, but labels has {len(labels)}")
    if medoids.size and (medoids.min() < -1 or medoids.max() >= n_bags):
        bad = medoids.min() if medoids.min() < -1 else medoids.max()
        raise ValueError(f"medoids must be -1 or one of 0..{n_bags - 1}, got {bad}")
    if labels.size and (labels.min() < 0 or labels.max() >= medoids.shape[1]):
        bad = labels.min() if labels.min() < 0 else labels.max()
        raise ValueError(f"labels must be one of the {medoids.shape[1]} columns of medoids, got {bad}")
    missing = np.argwhere(np.take_along_axis(medoids, labels.astype(np.intp), axis=1) < 0)
    if len(missing):
        row, bag = missing[0]
        raise ValueError(
            f"row {row} of labels has cluster {labels[row, bag]}, of which medoids has no medoid"
        )
    return labels.astype(np.intp), medoids.astype(np.intp)


def _block(D: FloatArray, labels: Any, medoids: Any) -> FloatArray:
    n, width = medoids.shape
    radii = D[np.arange(len(D)), np.take_along_axis(medoids, labels, axis=1)]
    place = (labels + width * np.arange(n)[:, None]).ravel()
    sizes = np.bincount(place, minlength=n * width).reshape(n, width)
    sums = np.bincount(place, weights=radii.ravel(), minlength=n * width).reshape(n, width)
    live = sizes > 0
    spreads = sums / np.maximum(sizes, 1)
    gaps = D[medoids[:, :, None], medoids[:, None, :]]
    gaps = np.maximum(gaps, gaps.swapaxes(1, 2))
    pairs = live[:, :, None] & live[:, None, :] & ~np.eye(width, dtype=np.bool_)
    ratios = np.full(gaps.shape, np.inf)
    np.divide(spreads[:, :, None] + spreads[:, None, :], gaps, out=ratios, where=gaps > 0.0)
    worst = np.where(pairs, ratios, 0.0).max(axis=2, initial=0.0).sum(axis=1)
    n_live = live.sum(axis=1)
    return np.where(n_live > 1, worst / np.maximum(n_live, 1), np.inf)
