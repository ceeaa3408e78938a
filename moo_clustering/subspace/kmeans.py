"""Entropy-weighted k-means, and initial memberships for sweeps."""

from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy
from sklearn.cluster import MiniBatchKMeans

from moo_clustering._arrays import AnyFloatArray, FloatArray, IntArray, choice, integer, positive, warn_caller
from moo_clustering._data import checked_integers
from moo_clustering._docs import documented
from moo_clustering._targets import Targets
from moo_clustering.subspace import sweeps
from moo_clustering.subspace.data import SubspaceData, for_blocks
from moo_clustering.subspace.sweeps import SubspaceOptions

Init = Literal["labels", "seeds", "kmeans", "dirichlet", "equal"]
# A sample has this initial membership in its own cluster. The rest is divided equally among all clusters.
_HARD = 0.9


class EntropyWeighted(NamedTuple):
    """Result of entropy-weighted k-means.

    Attributes
    ----------
    labels : ndarray of shape (n_samples,), int32
        Cluster labels; no cluster is empty.
    centers, log_weights : ndarray of shape (n_features, n_clusters)
    distances : ndarray of shape (n_samples, n_clusters), float64
        Sums over the features of lambda (z - x)^2, for weights lambda, centroids z and samples x.
    history : ndarray of shape (n_iter,)
        Objective after each iteration: weighted dispersion minus gamma times the entropy of the weights.
    n_iter : int
    """

    labels: NDArray[np.int32]
    centers: AnyFloatArray
    log_weights: AnyFloatArray
    distances: FloatArray
    history: FloatArray
    n_iter: int


@documented()
def entropy_weighted_kmeans(
    data: SubspaceData,
    n_clusters: int,
    *,
    gamma: float = 0.5,
    dispersion: Literal["sum", "mean"] = "sum",
    max_iter: int = 50,
    tol: float = 1e-4,
    rng: np.random.Generator,
    seeds: IntArray | None = None,
) -> EntropyWeighted:
    """Cluster samples; a feature's weight in a cluster is proportional to exp(-dispersion / gamma).

    Takes O(non-zeros * clusters) time per iteration, and O((samples + features) * clusters) memory. Constant
    features have weight 0. Raises a ValueError if a parameter is out of range. Source: Jing, Ng, Huang, IEEE
    Transactions on Knowledge and Data Engineering 19 (2007), 1026-1041.

    Parameters
    ----------
    data : SubspaceData
    n_clusters : int
        Number of clusters, from 1 to the number of samples.
    gamma : float, default=0.5
        Positive; larger values make the feature weights more equal.
    dispersion : {"sum", "mean"}, default="sum"
        Sum (as in the paper) or mean of squared deviations. Sums grow with the cluster size, so features that
        are constant in a cluster (mostly 0) get all the weight. Means agree far better with classes.
    max_iter : int, default=50
    tol : float, default=1e-4
        Stop if no label changes, or if the relative change in the objective is at most ``tol``.
    rng : numpy.random.Generator
        Generator for initial samples, and for samples that fill empty clusters.
    seeds : ndarray of shape (n_clusters,), int, optional
        Initial samples. Default: random. Initial centroids lie halfway between these samples and the mean.
    """
    integer("n_clusters", n_clusters, 1, data.n, ", the number of samples")
    positive("gamma", gamma)
    choice("dispersion", dispersion, ("sum", "mean"))
    sweeps.check_stopping(max_iter, tol)
    chosen = _checked_seeds(rng.choice(data.n, n_clusters, replace=False) if seeds is None else seeds, data)
    if len(chosen) != n_clusters:
        raise ValueError(f"seeds must have one sample per cluster, {n_clusters} in all; got {len(chosen)}")
    found = _weighted_distances(data, _seed_centers(data, chosen), _equal_log_weights(data, n_clusters))
    labels = np.full(data.n, -1, dtype=np.int32)
    history: list[float] = []
    while len(history) < max_iter:
        old, labels = labels, _assign(found, rng)
        if np.array_equal(labels, old):
            break
        centers, logs, spreads = _update(data, labels, n_clusters, gamma, dispersion == "mean")
        found = _weighted_distances(data, centers, logs)
        weights = np.exp(logs.astype(np.float64))
        history.append(float((weights * spreads + gamma * xlogy(weights, weights)).sum()))
        if len(history) > 1 and abs(history[-2] - history[-1]) <= tol * abs(history[-2]):
            break
    return EntropyWeighted(labels, centers, logs, found, np.array(history), len(history))


def _weighted_distances(data: SubspaceData, centers: AnyFloatArray, log_weights: AnyFloatArray) -> FloatArray:
    found = sweeps.distances(data, centers, log_weights, 1.0)
    found /= max(1, int(data.varying.sum()))
    return found


def _assign(found: FloatArray, rng: np.random.Generator) -> NDArray[np.int32]:
    """Assign samples to the nearest clusters, and move a random sample to each empty cluster."""
    labels = found.argmin(axis=1).astype(np.int32)
    sizes = np.bincount(labels, minlength=found.shape[1])
    for cluster in np.flatnonzero(sizes == 0):
        sample = rng.choice(np.flatnonzero(sizes[labels] > 1))
        sizes[labels[sample]] -= 1
        sizes[cluster] += 1
        labels[sample] = cluster
    return labels


def _update(
    data: SubspaceData, labels: NDArray[np.int32], k: int, gamma: float, averaged: bool
) -> tuple[AnyFloatArray, AnyFloatArray, FloatArray]:
    """Compute the centroids, the logarithms of the weights, and the dispersions of all clusters."""
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
    with np.errstate(over="ignore", divide="ignore"):
        # The smallest dispersion is subtracted, so that a tiny gamma does not make all weights underflow.
        logs = (least - compared) / gamma
        total = np.log(np.exp(logs).sum(axis=0))
    logs -= np.where(np.isfinite(total), total, 0.0)
    return centers, logs.astype(data.dtype), spreads


@documented(sweeps.sweep, entropy_weighted_kmeans)
def start(
    init: Init,
    data: SubspaceData,
    targets: Targets,
    n_clusters: int,
    options: SubspaceOptions,
    rng: np.random.Generator,
) -> AnyFloatArray:
    """Return initial memberships, or raise a ValueError for an unknown ``init`` or invalid ``n_clusters``.

    Parameters
    ----------
    init : {"labels", "seeds", "kmeans", "dirichlet", "equal"}
        - ``"labels"``: each cluster starts at the mean of a few labelled samples of one class. Without
          labels, this is the same as ``"seeds"``.
        - ``"seeds"``: each cluster starts halfway between a random sample and the mean of the data.
        - ``"kmeans"``: k-means of the rows, scaled to unit length.
        - ``"dirichlet"``: random memberships.
        - ``"equal"``: equal memberships, which never change. Emits a UserWarning.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of shape (n_samples, n_clusters)
    """
    choice("init", init, get_args(Init))
    integer("n_clusters", n_clusters, 1, data.n, ", the number of samples")
    if init == "labels" and targets.labelled.any() and targets.n_classes:
        centers = _label_centers(data, targets, n_clusters, rng)
        found: AnyFloatArray = _from_centers(data, centers, options)
    elif init in ("labels", "seeds"):
        seeds = rng.choice(data.n, size=n_clusters, replace=False)
        found = memberships_from_seeds(data, seeds, options)
    elif init == "kmeans":
        model = MiniBatchKMeans(n_clusters, random_state=int(rng.integers(2**31 - 1)), n_init=3)
        labels = model.fit_predict(data.matrix.unit_rows())
        found = np.full((data.n, n_clusters), (1.0 - _HARD) / n_clusters)
        found[np.arange(data.n), labels] += _HARD
    elif init == "dirichlet":
        found = rng.dirichlet(np.ones(n_clusters), size=data.n)
    else:
        warn_caller(
            "init='equal' starts with identical clusters, which remain so: all samples get the same scores"
        )
        found = np.full((data.n, n_clusters), 1.0 / n_clusters)
    return np.ascontiguousarray(found, dtype=data.dtype)


def _checked_seeds(seeds: Any, data: SubspaceData) -> IntArray:
    given = checked_integers(seeds, "seeds")
    if given.ndim != 1 or len(given) == 0:
        raise ValueError(f"seeds must be a 1-d array of at least one sample index, got shape {given.shape}")
    if given.min() < 0 or given.max() >= data.n:
        raise ValueError(f"seeds must be from 0 to {data.n - 1}, got {given.min()} to {given.max()}")
    return given


def _seed_centers(data: SubspaceData, seeds: IntArray) -> AnyFloatArray:
    return 0.5 * data.rows(seeds).T + 0.5 * data.mean()[:, None]


@documented(sweeps.sweep)
def memberships_from_seeds(data: SubspaceData, seeds: IntArray, options: SubspaceOptions) -> AnyFloatArray:
    """Compute memberships from unweighted distances to points halfway between the given samples and the mean.

    Parameters
    ----------
    seeds : ndarray of shape (n_clusters,), int
        Indices of the samples.

    Returns
    -------
    ndarray of shape (n_samples, n_clusters)
    """
    return _from_centers(data, _seed_centers(data, _checked_seeds(seeds, data)), options)


def _equal_log_weights(data: SubspaceData, n_clusters: int) -> AnyFloatArray:
    varying = data.varying
    logs = np.where(varying, -np.log(max(1, varying.sum())), -np.inf)
    return np.repeat(logs[:, None], n_clusters, axis=1).astype(data.dtype)


def _from_centers(data: SubspaceData, centers: AnyFloatArray, options: SubspaceOptions) -> AnyFloatArray:
    k = centers.shape[1]
    found = sweeps.distances(data, centers, _equal_log_weights(data, k), options.weight_exponent)
    return sweeps.memberships_from_distances(found, np.zeros(k), options).astype(data.dtype, copy=False)


def _label_centers(
    data: SubspaceData, targets: Targets, n_clusters: int, rng: np.random.Generator
) -> FloatArray:
    """Compute the mean of random labelled samples of class l mod n_classes for each cluster l."""
    chosen = np.zeros((data.n, n_clusters), data.dtype)
    rows, n_classes = targets.rows, targets.n_classes
    members = [rows[targets.indicators[rows, t] > 0] for t in range(min(n_classes, n_clusters))]
    for cluster in range(n_clusters):
        pool = members[cluster % n_classes]
        size = max(1, min(len(pool), max(3, len(pool) * n_classes // (2 * n_clusters))))
        drawn = rng.choice(pool if len(pool) else rows, size=size, replace=False)
        chosen[drawn, cluster] = 1.0 / size
    return data.by_column(chosen)
