"""Scores of classes for samples: what the nearest clusters hold."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from moo_clustering._arrays import block_slices
from moo_clustering.subspace._options import Aggregation

AGGREGATIONS = ("normalised", "sum", "membership")


def votes(
    distances: NDArray[np.float64],
    shares: NDArray[np.float64],
    impurities: NDArray[np.float64],
    *,
    n_neighbors: int | None = None,
    aggregation: Aggregation = "normalised",
    fuzziness: float = 1.5,
) -> NDArray[np.float64]:
    """Shares of the classes in the nearest clusters, put together.

    Parameters
    ----------
    distances : ndarray of shape (n_samples, n_clusters)
        At least 0.
    shares : ndarray of shape (n_clusters, n_classes)
    impurities : ndarray of shape (n_clusters,)
        Read by "membership" only.
    n_neighbors : int, optional
        Number of clusters that vote, all by default; ties go to the smaller index.
    aggregation : {"normalised", "sum", "membership"}, default="normalised"
        Mean weighted by 1 / d; sum weighted by 1 / d, which is no probability; or mean weighted by
        (d (1 + Imp))^(-1 / (f - 1)). One neighbour votes with its shares, clusters at distance 0 with the
        mean of theirs.
    fuzziness : float, default=1.5
        f > 1, read by "membership" only.

    Returns
    -------
    ndarray of shape (n_samples, n_classes), float64

    Raises
    ------
    ValueError
        ``n_neighbors``, ``aggregation`` or ``fuzziness`` out of range, or shapes that do not fit.

    Notes
    -----
    O(n_samples * n_clusters * n_classes) time.
    """
    k = distances.shape[1]
    if len(shares) != k or np.shape(impurities) != (k,):
        raise ValueError(
            f"shares must have a row and impurities a value for each of the {k} clusters of distances, got "
            f"the shapes {np.shape(shares)} and {np.shape(impurities)}"
        )
    if n_neighbors is not None and not 1 <= n_neighbors <= k:
        raise ValueError(f"n_neighbors must be from 1 to the {k} clusters, got {n_neighbors!r}")
    if aggregation not in AGGREGATIONS:
        raise ValueError(f"aggregation must be one of {', '.join(AGGREGATIONS)}; got {aggregation!r}")
    if not fuzziness > 1:
        raise ValueError(f"fuzziness must be above 1, got {fuzziness!r}")
    kappa = k if n_neighbors is None else n_neighbors
    if kappa == 1:
        return np.asarray(shares[distances.argmin(axis=1)], dtype=np.float64)
    out = np.empty((len(distances), shares.shape[1]))
    for part in block_slices(len(distances), 8 * k):
        weights = _weights(distances[part], impurities, kappa, aggregation, fuzziness)
        np.matmul(weights, shares, out=out[part])
    return out if aggregation == "sum" else np.clip(out, 0.0, 1.0, out=out)


def _weights(
    d: NDArray[np.float64],
    impurities: NDArray[np.float64],
    kappa: int,
    aggregation: Aggregation,
    fuzziness: float,
) -> NDArray[np.float64]:
    near = _nearest(d, kappa)
    zero = near & (d == 0)
    touching = zero.any(axis=1)
    # 1 / d of the least numbers would be infinite.
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
    if aggregation == "sum":
        weights[touching] /= weights[touching].sum(axis=1, keepdims=True)
    else:
        weights /= weights.sum(axis=1, keepdims=True)
    return weights


def _nearest(d: NDArray[np.float64], kappa: int) -> NDArray[np.bool_]:
    """The kappa nearest clusters; of equally far ones the first."""
    if kappa == d.shape[1]:
        return np.ones(d.shape, dtype=bool)
    last = np.partition(d, kappa - 1, axis=1)[:, kappa - 1 : kappa]
    nearer = d < last
    level = d == last
    room = kappa - nearer.sum(axis=1, keepdims=True)
    found: NDArray[np.bool_] = nearer | (level & (np.cumsum(level, axis=1) <= room))
    return found
