"""Entropy-weighted k-means: hard clusters, weights of features by softmax."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from moo_clustering.subspace._blocks import for_blocks
from moo_clustering.subspace._data import SubspaceData
from moo_clustering.subspace._distances import distances
from moo_clustering.subspace._sparse import Floats
from moo_clustering.subspace._starts import checked_seeds, equal_log_weights, seed_centers


class EntropyWeighted(NamedTuple):
    """Result of entropy-weighted k-means.

    Attributes
    ----------
    labels : ndarray of shape (n_samples,), int32
        No cluster is empty.
    centers, log_weights : ndarray of shape (n_features, n_clusters)
    distances : ndarray of shape (n_samples, n_clusters), float64
        Sums of lambda (z - x)^2 over the features.
    history : ndarray of shape (n_iter,)
        Objective after each iteration: weighted dispersion plus gamma times the negative entropy of the
        weights.
    n_iter : int
    """

    labels: NDArray[np.int32]
    centers: Floats
    log_weights: Floats
    distances: NDArray[np.float64]
    history: NDArray[np.float64]
    n_iter: int


class _Clusters(NamedTuple):
    centers: Floats
    dispersions: NDArray[np.float64]
    log_weights: Floats


def entropy_weighted_kmeans(
    data: SubspaceData,
    n_clusters: int,
    *,
    gamma: float = 0.5,
    dispersion: Literal["sum", "mean"] = "sum",
    max_iter: int = 50,
    tol: float = 1e-4,
    rng: np.random.Generator,
    seeds: NDArray[np.integer[Any]] | None = None,
) -> EntropyWeighted:
    """Cluster samples, each cluster with weights lambda proportional to exp(-D / gamma) of its own.

    Parameters
    ----------
    data : SubspaceData
    n_clusters : int
        From 1 to the number of samples.
    gamma : float, default=0.5
        Above 0; large values make weights equal.
    dispersion : {"sum", "mean"}, default="sum"
        Whether D is summed over the samples of a cluster, as published, or averaged, so that it does not
        grow with the cluster.
    max_iter : int, default=50
    tol : float, default=1e-4
        Iterations end when no label changes, or the objective changes by no more than this share of it.
    rng : numpy.random.Generator
        Draws the first centroids and the samples that empty clusters get.
    seeds : ndarray of shape (n_clusters,), int, optional
        Samples to start from, random ones by default; centroids start half way to the mean.

    Returns
    -------
    EntropyWeighted

    Raises
    ------
    ValueError
        A parameter out of range.

    Notes
    -----
    O(non-zeros * clusters) time an iteration, O((samples + features) * clusters) memory. Features that
    are the same in all samples have weight 0.

    References
    ----------
    Jing, Ng, Huang: An entropy weighting k-means algorithm for subspace clustering of high-dimensional
    sparse data, IEEE Transactions on Knowledge and Data Engineering 19 (2007), 1026-1041.
    """
    _check(data, n_clusters, gamma, dispersion, max_iter, tol)
    chosen = checked_seeds(rng.choice(data.n, n_clusters, replace=False) if seeds is None else seeds, data)
    if len(chosen) != n_clusters:
        raise ValueError(f"seeds must name a sample for each of the {n_clusters} clusters, got {len(chosen)}")
    found = _weighted_distances(data, seed_centers(data, chosen), equal_log_weights(data, n_clusters))
    labels = np.full(data.n, -1, dtype=np.int32)
    history: list[float] = []
    while len(history) < max_iter:
        old, labels = labels, _assign(found, rng)
        if np.array_equal(labels, old):
            break
        state = _update(data, labels, n_clusters, gamma, dispersion == "mean")
        found = _weighted_distances(data, state.centers, state.log_weights)
        history.append(_objective(state, gamma))
        if len(history) > 1 and abs(history[-2] - history[-1]) <= tol * abs(history[-2]):
            break
    return EntropyWeighted(labels, state.centers, state.log_weights, found, np.array(history), len(history))


def _check(
    data: SubspaceData, n_clusters: int, gamma: float, dispersion: str, max_iter: int, tol: float
) -> None:
    if not 1 <= n_clusters <= data.n:
        raise ValueError(f"n_clusters must be from 1 to the {data.n} samples, got {n_clusters!r}")
    if not (gamma > 0 and np.isfinite(gamma)):
        raise ValueError(f"gamma must be a finite number above 0, got {gamma!r}")
    if dispersion not in ("sum", "mean"):
        raise ValueError(f"dispersion must be 'sum' or 'mean', got {dispersion!r}")
    if max_iter < 1:
        raise ValueError(f"max_iter must be at least 1, got {max_iter!r}")
    if not tol >= 0:
        raise ValueError(f"tol must be at least 0, got {tol!r}")


def _weighted_distances(data: SubspaceData, centers: Floats, log_weights: Floats) -> NDArray[np.float64]:
    found = distances(data, centers, log_weights, 1.0)
    found /= max(1, int(data.varying.sum()))
    return found


def _assign(found: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.int32]:
    """Nearest clusters; an empty one gets a random sample of a cluster that has others."""
    labels = found.argmin(axis=1).astype(np.int32)
    sizes = np.bincount(labels, minlength=found.shape[1])
    for cluster in np.flatnonzero(sizes == 0):
        sample = rng.choice(np.flatnonzero(sizes[labels] > 1))
        sizes[labels[sample]] -= 1
        sizes[cluster] += 1
        labels[sample] = cluster
    return labels


def _update(data: SubspaceData, labels: NDArray[np.int32], k: int, gamma: float, averaged: bool) -> _Clusters:
    sizes = np.bincount(labels, minlength=k).astype(np.float64)
    shift, varying = data.matrix.shift, data.varying
    centers = np.empty((data.m, k), data.dtype)
    spreads = np.empty((data.m, k))

    def kernel(block: int, lo: int, hi: int) -> None:
        sums, squares = np.empty((hi - lo, k)), spreads[lo:hi]
        data.matrix.label_moments(labels, lo, hi, sums, squares)
        means = sums / sizes
        squares -= sizes * means**2
        np.maximum(squares, 0.0, out=squares)
        centers[lo:hi] = means + shift[lo:hi, None]

    for_blocks(kernel, data.m, data.n_operations(1) + 5.0 * data.m * k, data.n_jobs)
    if averaged:
        spreads /= sizes
    compared = np.where(varying[:, None], spreads, np.inf)
    least = compared.min(axis=0)
    least[np.isinf(least)] = 0.0
    # The least first: of a tiny gamma all quotients would overflow, and no feature have a weight.
    with np.errstate(over="ignore"):
        logs = (least - compared) / gamma
    with np.errstate(divide="ignore"):
        total = np.log(np.exp(logs).sum(axis=0))
    logs -= np.where(np.isfinite(total), total, 0.0)
    return _Clusters(centers, spreads, logs.astype(data.dtype))


def _objective(state: _Clusters, gamma: float) -> float:
    weights = np.exp(state.log_weights.astype(np.float64))
    return float((weights * state.dispersions + gamma * xlogy(weights, weights)).sum())
