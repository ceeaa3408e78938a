"""Spherical k-means of rows of unit length, flat and by repeated bisection."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Rows = Any  # ndarray or CSR of float64 or float32, rows of unit length
Floats = NDArray[np.floating[Any]]


class SphericalPartition(NamedTuple):
    """Clusters of one run; those without rows count in ``centers``."""

    labels: NDArray[np.int32]
    centers: Floats
    i2: float
    n_iter: int
    converged: bool


def spherical_kmeans(
    X: Rows, n_clusters: int, *, max_iter: int, rng: np.random.Generator
) -> SphericalPartition:
    """Assign every row to the largest dot product, make normalised sums the centroids, and so on.

    The first centroids are rows drawn at random. I2 never falls.

    Notes
    -----
    O(nnz(X) n_clusters) time an iteration, O((n_rows + n_features) n_clusters) memory.
    """
    centers = dense(X[np.sort(rng.choice(X.shape[0], size=n_clusters, replace=False))])
    labels = np.full(X.shape[0], -1, dtype=np.int32)
    i2, n_iter, converged = 0.0, 0, False
    while n_iter < max_iter and not converged:
        n_iter += 1
        similarities = X @ np.ascontiguousarray(centers.T)
        nearest = similarities.argmax(axis=1).astype(np.int32)
        _fill_empty(X, nearest, similarities[np.arange(len(nearest)), nearest], n_clusters)
        converged = bool(np.array_equal(nearest, labels))
        labels = nearest
        if not converged:
            sums = cluster_sums(X, labels, n_clusters)
            lengths = np.linalg.norm(sums, axis=1)
            i2 = float(lengths.sum(dtype=np.float64))
            # Members that cancel out have no direction.
            known = (lengths > 1e-12)[:, np.newaxis]
            centers = np.where(known, sums / np.where(known, lengths[:, np.newaxis], 1.0), centers)
    return SphericalPartition(labels, centers, i2, n_iter, converged)


def bisecting_spherical_kmeans(
    X: Rows, n_clusters: int, *, max_iter: int, rng: np.random.Generator
) -> SphericalPartition:
    """Split one cluster after the other in two, always that whose split raises I2 most.

    Every cluster is tried once. Fewer clusters come out where none can be split any more.

    Notes
    -----
    O(nnz(X) log n_clusters) time an iteration where splits are even.
    """
    labels = np.zeros(X.shape[0], dtype=np.int32)
    lengths = [float(np.linalg.norm(cluster_sums(X, labels, 1)))]
    splits: dict[int, SphericalPartition | None] = {}
    gains: dict[int, float] = {}
    n_iter, converged = 0, True
    untried = [0]
    while len(lengths) < n_clusters:
        for cluster in untried:
            split = _split(X[np.flatnonzero(labels == cluster)], max_iter, rng)
            splits[cluster] = split
            gains[cluster] = -np.inf if split is None else split.i2 - lengths[cluster]
            if split is not None:
                n_iter += split.n_iter
                converged = converged and split.converged
        best = max(gains, key=lambda cluster: gains[cluster])
        chosen = splits[best]
        if chosen is None:
            break
        members, new = np.flatnonzero(labels == best), len(lengths)
        labels[members[chosen.labels == 1]] = new
        halves = np.linalg.norm(cluster_sums(X[members], chosen.labels, 2), axis=1)
        lengths[best] = float(halves[0])
        lengths.append(float(halves[1]))
        untried = [best, new]
    sums = cluster_sums(X, labels, len(lengths))
    norms = np.linalg.norm(sums, axis=1, keepdims=True)
    centers = sums / np.where(norms > 1e-12, norms, 1.0)
    return SphericalPartition(labels, centers, float(np.sum(lengths)), max(n_iter, 1), converged)


def cluster_sums(X: Rows, labels: NDArray[np.int32], n_clusters: int) -> Floats:
    """Sums of the rows of every cluster, shape (n_clusters, n_features), dense."""
    n = len(labels)
    member = sparse.csr_array((np.ones(n, dtype=X.dtype), (labels, np.arange(n))), shape=(n_clusters, n))
    return dense(member @ X)


def dense(X: Rows) -> Floats:
    """As an ndarray."""
    return X.toarray() if sparse.issparse(X) else np.asarray(X)


def _split(X: Rows, max_iter: int, rng: np.random.Generator) -> SphericalPartition | None:
    if X.shape[0] < 2:
        return None
    split = spherical_kmeans(X, 2, max_iter=max_iter, rng=rng)
    return split if len(np.unique(split.labels)) == 2 else None


def _fill_empty(X: Rows, labels: NDArray[np.int32], own: Floats, n_clusters: int) -> None:
    """Give clusters without rows the row least similar to its centroid, in place.

    Rows that coincide with their centroids stay: then fewer than ``n_clusters`` rows differ.
    """
    counts = np.bincount(labels, minlength=n_clusters)
    coincides = 1.0 - 64.0 * np.finfo(own.dtype).eps
    for empty in np.flatnonzero(counts == 0):
        movable = np.where(counts[labels] > 1, own, np.inf)
        row = int(movable.argmin())
        if movable[row] >= coincides:
            return
        counts[labels[row]] -= 1
        labels[row], counts[empty] = empty, 1
        # Rows like the one that moved are near a centroid now.
        np.maximum(own, np.asarray(X @ dense(X[[row]])[0]), out=own)
