"""Step 6 of a sweep: weighted distances of samples to centroids."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from moo_clustering._kernels.subspace_features import weight_panel
from moo_clustering._kernels.subspace_memberships import finish_distances
from moo_clustering.subspace._blocks import for_blocks, n_blocks
from moo_clustering.subspace._data import SubspaceData
from moo_clustering.subspace._sparse import Floats

# A distance this many roundings of its terms or less is a cancellation.
_ROUNDINGS = 16.0


class WeightPanel(NamedTuple):
    """What turns a product with X into distances: scales * (constants + product)."""

    panel: Floats
    constants: NDArray[np.float64]
    scales: NDArray[np.float64]
    tolerance: float


def distances(
    data: SubspaceData,
    centers: NDArray[np.floating[Any]],
    log_weights: NDArray[np.floating[Any]],
    weight_exponent: float,
) -> NDArray[np.float64]:
    """Distances d = sum_i (m lambda_i)^q (z_i - x_i)^2 of samples to clusters.

    Parameters
    ----------
    data : SubspaceData
        Samples, of the training data or new ones.
    centers, log_weights : ndarray of shape (n_features, n_clusters)
        Centroids and logarithms of the weights; features of weight 0 don't count in m.
    weight_exponent : float
        q.

    Returns
    -------
    ndarray of shape (n_samples, n_clusters), float64
        Exactly 0 where it is 0 up to rounding.

    Raises
    ------
    ValueError
        Centers and weights of different shape, or of another number of features than the data.

    Notes
    -----
    O((non-zeros + features) * clusters) time, a panel of features * clusters numbers.

    References
    ----------
    Multi-label ASRS dataset classification using semi-supervised subspace clustering, equation (8).
    """
    if np.ndim(centers) != 2 or np.shape(centers) != np.shape(log_weights):
        raise ValueError(
            "centers and log_weights must have the same shape, (n_features, n_clusters); got "
            f"{np.shape(centers)} and {np.shape(log_weights)}"
        )
    if len(centers) != data.m:
        raise ValueError(f"data must have {len(centers)} features, as the centers do; got {data.m}")
    weights = prepare(data, centers, log_weights, weight_exponent)
    out = np.empty((data.n, centers.shape[1]))

    def kernel(block: int, lo: int, hi: int) -> None:
        fill(data, weights, lo, hi, out[lo:hi])

    for_blocks(kernel, data.n, data.n_operations(out.shape[1]), data.n_jobs)
    return out


def prepare(
    data: SubspaceData,
    centers: NDArray[np.floating[Any]],
    log_weights: NDArray[np.floating[Any]],
    weight_exponent: float,
) -> WeightPanel:
    """The panel g (1 - 2 z), or [-2 g z | g], with g = (lambda / greatest lambda of the cluster)^q."""
    m, k = centers.shape
    z = np.ascontiguousarray(centers, dtype=data.dtype)
    logs = np.ascontiguousarray(log_weights, dtype=data.dtype)
    tops = logs.max(axis=0).astype(np.float64)
    tops[np.isneginf(tops)] = 0.0
    panel = np.empty((m, k if data.is_binary else 2 * k), data.dtype)
    constants = np.empty((n_blocks(m), k))

    def kernel(block: int, lo: int, hi: int) -> None:
        weight_panel(
            z, logs, tops, weight_exponent, data.matrix.shift, data.is_binary, lo, hi, panel, constants[block]
        )

    for_blocks(kernel, m, 20.0 * m * k, data.n_jobs)
    n_weighted = max(1, int(np.count_nonzero(np.isfinite(logs).any(axis=1))))
    # m^q times lambda^q in one power: lambda^q alone would underflow with many features.
    scales = np.exp(weight_exponent * (tops + np.log(n_weighted)))
    tolerance = _ROUNDINGS * float(np.finfo(data.dtype).eps)
    return WeightPanel(panel, constants.sum(axis=0), scales, tolerance)


def fill(data: SubspaceData, weights: WeightPanel, lo: int, hi: int, out: NDArray[np.float64]) -> None:
    """Distances of samples lo..hi-1."""
    data.matrix.weighted(weights.panel, out.shape[1], lo, hi, out)
    finish_distances(weights.constants, weights.scales, weights.tolerance, out)
