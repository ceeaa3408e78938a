"""Classes of labelled samples in soft clusters: class shares, impurity, chi-square and votes."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr

from moo_clustering._arrays import AnyFloatArray, FloatArray, at_least_one, block_slices, choice, integer
from moo_clustering._docs import documented
from moo_clustering._targets import Targets
from moo_clustering.subspace.data import CHUNK

Normalisation = Literal["mean", "count", "none"] | None
Aggregation = Literal["normalised", "sum", "membership"]
IMPURITIES = ("mean", "count", "none", None)


def class_shares(memberships: AnyFloatArray, targets: Targets) -> FloatArray:
    """Compute the share of each class among the labelled samples in each cluster.

    Parameters
    ----------
    memberships : ndarray of shape (n_samples, n_clusters)
    targets : Targets
        Unlabelled samples are ignored.

    Returns
    -------
    ndarray of shape (n_clusters, n_classes)
        Shares in [0, 1]. For clusters without labelled samples, the result of :func:`overall_shares`.
    """
    return labelled_shares(memberships, targets)[0]


@documented(class_shares)
def overall_shares(targets: Targets) -> FloatArray:
    """Compute the share of each class among all labelled samples; 0 if no sample is labelled.

    Returns
    -------
    shares : ndarray of shape (n_classes,)
    """
    rows = targets.rows
    return targets.indicators[rows].mean(axis=0) if len(rows) else np.zeros(targets.n_classes)


def labelled_shares(memberships: AnyFloatArray, targets: Targets) -> tuple[FloatArray, FloatArray]:
    """Return class shares (Eq. 1) and the total membership |L_l| of labelled samples, for each cluster."""
    k = memberships.shape[1]
    sums, sizes = np.zeros((k, targets.n_classes)), np.zeros(k)
    rows = targets.rows
    for first in range(0, len(rows), CHUNK):
        part: Any = rows[first : first + CHUNK]
        if part[-1] - part[0] < len(part):
            part = slice(part[0], part[-1] + 1)
        weights = np.ascontiguousarray(memberships[part], dtype=np.float64)
        sums += weights.T @ targets.indicators[part]
        sizes += weights.sum(axis=0)
    shares = np.tile(overall_shares(targets), (k, 1))
    np.divide(sums, sizes[:, None], out=shares, where=sizes[:, None] > 0)
    return np.clip(shares, 0.0, 1.0), sizes


def impurity(
    shares: FloatArray,
    overall: FloatArray,
    sizes: FloatArray,
    n_labelled: float,
    multilabel: bool,
    normalisation: Normalisation,
) -> FloatArray:
    """Compute how mixed the classes of each cluster's labelled samples are. Source: SISC-ML.

    Parameters
    ----------
    shares : ndarray of shape (n_clusters, n_classes)
        Class shares in each cluster.
    overall : ndarray of shape (n_classes,)
        Class shares among all labelled samples.
    sizes : ndarray of shape (n_clusters,)
        Total membership of labelled samples in each cluster.
    n_labelled : float
        Number of labelled samples.
    multilabel : bool
        Whether each class is a separate binary label.
    normalisation : {"mean", "count", "none", None}
        ``"mean"``: Gini index times entropy, divided by the same product for all labelled samples.
        ``"count"``: this ratio times (size / n_labelled)^2. ``"none"``: the product times size^2. None: 0.

    Returns
    -------
    ndarray of shape (n_clusters,)
        Non-negative; 0 if no sample is labelled or if all label sets are equal.
    """
    choice("normalisation", normalisation, IMPURITIES)
    if normalisation is None or n_labelled <= 0:
        return np.zeros(len(shares))
    mixed = _mixture(shares, multilabel)
    if normalisation == "none":
        return sizes**2 * mixed
    whole = _mixture(overall[None], multilabel)[0]
    if whole <= 0:
        return np.zeros(len(shares))
    relative = mixed / whole
    return relative if normalisation == "mean" else (sizes / n_labelled) ** 2 * relative


def _mixture(shares: FloatArray, multilabel: bool) -> FloatArray:
    if multilabel:
        gini = 2.0 * (shares * (1.0 - shares)).sum(axis=1)
        entropy = (entr(shares) + entr(1.0 - shares)).sum(axis=1)
    else:
        gini = 1.0 - (shares**2).sum(axis=1)
        entropy = entr(shares).sum(axis=1)
    return np.maximum(gini, 0.0) * entropy


def chi_square(
    a: AnyFloatArray, sizes: FloatArray, frequencies: NDArray[Any], n_samples: int, scale: float
) -> FloatArray:
    """Return the chi-square statistic of each feature in each cluster.

    The statistic is scale (n a - S' df)^2 / (S' (n - S') df (n - df)); see the parameters for the symbols.

    Parameters
    ----------
    a : ndarray of shape (n_features, n_clusters)
        Total membership of the samples in which each feature is present.
    sizes : ndarray of shape (n_clusters,)
        Total membership S' of all samples.
    frequencies : ndarray of shape (n_features,)
        Number of samples df in which each feature is present.
    n_samples : int
        Total count n of each contingency table.
    scale : float
        Factor of the statistic; ``n_samples`` for the usual chi-square.

    Returns
    -------
    ndarray of shape (n_features, n_clusters)
        Non-negative; 0 for features that are present in all samples or in none.
    """
    found = np.asarray(frequencies, dtype=np.float64)[:, None]
    difference = n_samples * np.asarray(a, dtype=np.float64) - sizes * found
    below = np.maximum(sizes * (n_samples - sizes), 0.0) * (found * (n_samples - found))
    out = np.zeros(difference.shape)
    np.divide(scale * difference**2, below, out=out, where=below > 1e-12)
    return out


def votes(
    distances: FloatArray,
    shares: FloatArray,
    impurities: FloatArray,
    *,
    n_neighbors: int | None = None,
    aggregation: Aggregation = "normalised",
    fuzziness: float = 1.5,
) -> FloatArray:
    """Combine the class shares of each sample's nearest clusters.

    Takes O(n_samples * n_clusters * n_classes) time. Raises a ValueError if ``n_neighbors``, ``aggregation``
    or ``fuzziness`` is out of range, or if the shapes do not match.

    Parameters
    ----------
    distances : ndarray of shape (n_samples, n_clusters)
        Non-negative distances.
    shares : ndarray of shape (n_clusters, n_classes)
    impurities : ndarray of shape (n_clusters,)
        Used only by "membership".
    n_neighbors : int, optional
        Number of nearest clusters that vote; ties favour the lower index. Default: all clusters.
    aggregation : {"normalised", "sum", "membership"}, default="normalised"
        - ``"sum"``: weights 1 / distance, as in the paper. Results are not comparable between samples.
        - ``"normalised"``: weights 1 / distance, scaled to sum to 1.
        - ``"membership"``: weights (distance (1 + impurity))^(-1 / (f - 1)), scaled to sum to 1.

        Clusters at distance 0 share all the weight. If ``n_neighbors=1``, the nearest cluster has weight 1.
    fuzziness : float, default=1.5
        Exponent f > 1, used only by "membership".

    Returns
    -------
    ndarray of shape (n_samples, n_classes), float64
    """
    k = distances.shape[1]
    if len(shares) != k or np.shape(impurities) != (k,):
        raise ValueError(
            f"shares must have one row and impurities one value per cluster of distances, {k} in "
            f"all; got shapes {np.shape(shares)} and {np.shape(impurities)}"
        )
    choice("aggregation", aggregation, get_args(Aggregation))
    at_least_one("fuzziness", fuzziness, strictly=True)
    kappa = k
    if n_neighbors is not None:
        kappa = integer("n_neighbors", n_neighbors, 1, k, ", the number of clusters")
    if kappa == 1:
        return np.asarray(shares[distances.argmin(axis=1)], dtype=np.float64)
    out = np.empty((len(distances), shares.shape[1]))
    for part in block_slices(len(distances), 8 * k):
        weights = _weights(distances[part], impurities, kappa, aggregation, fuzziness)
        np.matmul(weights, shares, out=out[part])
    return out if aggregation == "sum" else np.clip(out, 0.0, 1.0, out=out)


def _weights(
    d: FloatArray, impurities: FloatArray, kappa: int, aggregation: Aggregation, fuzziness: float
) -> FloatArray:
    near = np.ones(d.shape, dtype=bool)
    if kappa < d.shape[1]:
        # The sort is stable, so ties are broken in favour of the lower index.
        np.put_along_axis(near, d.argsort(axis=1, kind="stable")[:, kappa:], False, axis=1)
    zero = near & (d == 0)
    touching = zero.any(axis=1)
    # This lower bound prevents 1 / d from overflowing.
    safe = np.maximum(d, np.finfo(np.float64).tiny)
    if aggregation == "sum":
        weights = near / safe
    else:
        far = np.log(safe)
        if aggregation == "membership":
            far = (far + np.log1p(impurities)) / (fuzziness - 1.0)
        far[~near] = np.inf
        far -= far.min(axis=1, keepdims=True)
        weights = np.exp(-far)
    weights[touching] = zero[touching]
    rows = touching if aggregation == "sum" else slice(None)
    weights[rows] /= weights[rows].sum(axis=1, keepdims=True)
    return weights
