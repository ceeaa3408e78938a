"""First memberships."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import MiniBatchKMeans

from moo_clustering._targets import Targets
from moo_clustering.subspace._data import SubspaceData
from moo_clustering.subspace._distances import distances
from moo_clustering.subspace._memberships import memberships_from_distances
from moo_clustering.subspace._options import Init, SubspaceOptions
from moo_clustering.subspace._sparse import Floats

INITS = ("labels", "seeds", "kmeans", "dirichlet", "equal")

# Membership in the own cluster of a hard partition; the rest is spread evenly over all.
_HARD = 0.9


def start(
    init: Init,
    data: SubspaceData,
    targets: Targets,
    n_clusters: int,
    options: SubspaceOptions,
    rng: np.random.Generator,
) -> Floats:
    """First memberships, which must not be the same in all clusters.

    Parameters
    ----------
    init : {"labels", "seeds", "kmeans", "dirichlet", "equal"}
        Means of a few labelled samples of one class for each cluster ("seeds" where nothing is
        labelled); random samples, half way to the mean; k-means on rows of unit length; random
        memberships; or equal ones, from which no sweep can move, with a warning.
    data : SubspaceData
    targets : Targets
    n_clusters : int
        From 1 to the number of samples.
    options : SubspaceOptions
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of shape (n_samples, n_clusters)

    Raises
    ------
    ValueError
        Another ``init``, or ``n_clusters`` out of range.
    """
    if init not in INITS:
        raise ValueError(f"init must be one of {', '.join(map(repr, INITS))}; got {init!r}")
    if not 1 <= n_clusters <= data.n:
        raise ValueError(f"n_clusters must be from 1 to the {data.n} samples, got {n_clusters!r}")
    if init == "labels" and targets.labelled.any() and targets.n_classes:
        centers = _label_centers(data, targets, n_clusters, rng)
        found: Floats = _from_centers(data, centers, options)
    elif init in ("labels", "seeds"):
        seeds = rng.choice(data.n, size=n_clusters, replace=False)
        found = memberships_from_seeds(data, seeds, options)
    elif init == "kmeans":
        found = _from_kmeans(data, n_clusters, rng)
    elif init == "dirichlet":
        found = rng.dirichlet(np.ones(n_clusters), size=data.n)
    else:
        warnings.warn(
            "init='equal' starts all clusters alike, and alike they stay: every sample gets the same scores",
            stacklevel=2,
        )
        found = np.full((data.n, n_clusters), 1.0 / n_clusters)
    return np.ascontiguousarray(found, dtype=data.dtype)


def checked_seeds(seeds: Any, data: SubspaceData) -> NDArray[np.integer[Any]]:
    """Numbers of samples, or a ValueError."""
    given = np.asarray(seeds)
    if given.ndim != 1 or given.dtype.kind not in "iu" or len(given) == 0:
        raise ValueError("seeds must be a vector of at least one sample number")
    if given.min() < 0 or given.max() >= data.n:
        raise ValueError(f"seeds must be from 0 to {data.n - 1}, got {given.min()} to {given.max()}")
    return given


def seed_centers(data: SubspaceData, seeds: NDArray[np.integer[Any]]) -> Floats:
    """Centroids half way between samples and the mean, shape (m, k)."""
    half: Floats = 0.5 * data.rows(seeds).T + 0.5 * data.mean()[:, None]
    return half


def memberships_from_seeds(
    data: SubspaceData, seeds: NDArray[np.integer[Any]], options: SubspaceOptions
) -> Floats:
    """Memberships by unweighted distances to centroids half way between given samples and the mean.

    Parameters
    ----------
    data : SubspaceData
    seeds : ndarray of shape (n_clusters,), int
        Numbers of samples.
    options : SubspaceOptions

    Returns
    -------
    ndarray of shape (n_samples, n_clusters)
    """
    given = checked_seeds(seeds, data)
    return _from_centers(data, seed_centers(data, given), options)


def equal_log_weights(data: SubspaceData, n_clusters: int) -> Floats:
    """Logarithms of equal weights of the features that vary, shape (m, k)."""
    varying = data.varying
    logs = np.where(varying, -np.log(max(1, varying.sum())), -np.inf)
    return np.repeat(logs[:, None], n_clusters, axis=1).astype(data.dtype)


def _from_centers(data: SubspaceData, centers: Floats, options: SubspaceOptions) -> Floats:
    k = centers.shape[1]
    found = distances(data, centers, equal_log_weights(data, k), options.weight_exponent)
    return memberships_from_distances(found, np.zeros(k), options).astype(data.dtype, copy=False)


def _label_centers(
    data: SubspaceData, targets: Targets, n_clusters: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Means of random labelled samples of class t = l mod T, for each cluster l."""
    chosen = np.zeros((data.n, n_clusters), data.dtype)
    rows, n_classes = targets.rows, targets.n_classes
    members = [rows[targets.indicators[rows, t] > 0] for t in range(min(n_classes, n_clusters))]
    for cluster in range(n_clusters):
        pool = members[cluster % n_classes]
        wished = max(3, len(pool) * n_classes // (2 * n_clusters))
        size = max(1, min(len(pool), wished))
        drawn = rng.choice(pool if len(pool) else rows, size=size, replace=False)
        chosen[drawn, cluster] = 1.0 / size
    return data.by_column(chosen)


def _from_kmeans(data: SubspaceData, n_clusters: int, rng: np.random.Generator) -> NDArray[np.float64]:
    model = MiniBatchKMeans(n_clusters, random_state=int(rng.integers(2**31 - 1)), n_init=3)
    labels = model.fit_predict(data.matrix.unit_rows())
    found = np.full((data.n, n_clusters), (1.0 - _HARD) / n_clusters)
    found[np.arange(data.n), labels] += _HARD
    return found
