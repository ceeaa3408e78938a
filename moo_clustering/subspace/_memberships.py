"""Step 7 of a sweep: memberships from distances."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from moo_clustering._kernels.subspace_memberships import soften_rows, update_rows
from moo_clustering.subspace._blocks import for_blocks, n_blocks
from moo_clustering.subspace._data import SubspaceData
from moo_clustering.subspace._distances import WeightPanel, fill
from moo_clustering.subspace._options import SubspaceOptions
from moo_clustering.subspace._sparse import Floats


class Updated(NamedTuple):
    """Memberships and distances, (n, k); the sum of w^f d (1 + Imp); the greatest change of a membership."""

    memberships: Floats
    distances: NDArray[np.float64]
    loss: float
    change: float


def memberships_from_distances(
    distances: NDArray[np.float64], impurities: NDArray[np.float64], options: SubspaceOptions
) -> NDArray[np.float64]:
    """Memberships w proportional to (d (1 + Imp))^(-1 / (f - 1)).

    Parameters
    ----------
    distances : ndarray of shape (n_samples, n_clusters)
        At least 0.
    impurities : ndarray of shape (n_clusters,)
    options : SubspaceOptions
        ``fuzziness`` and ``impurity_in_membership`` are read.

    Returns
    -------
    ndarray of shape (n_samples, n_clusters), float64
        Rows sum to 1. Clusters at distance 0 share a sample equally.

    Raises
    ------
    ValueError
        Distances and impurities of another number of clusters.
    """
    given = np.ascontiguousarray(distances, dtype=np.float64)
    if given.ndim != 2 or np.shape(impurities) != given.shape[1:]:
        raise ValueError(
            "distances must have a column and impurities a value for each cluster, got the shapes "
            f"{given.shape} and {np.shape(impurities)}"
        )
    out = np.empty(given.shape)
    factors = _factors(1.0 + np.asarray(impurities, dtype=np.float64), options)
    power = 1.0 / (options.fuzziness - 1.0)
    soften_rows(given, factors, power, 0, len(given), np.empty(given.shape[1]), out)
    return out


def update(
    data: SubspaceData,
    weights: WeightPanel,
    impurities: NDArray[np.float64],
    memberships: Floats,
    options: SubspaceOptions,
) -> Updated:
    """Distances and new memberships in one pass over the samples."""
    n, k = memberships.shape
    blame = 1.0 + impurities
    factors = _factors(blame, options)
    power = 1.0 / (options.fuzziness - 1.0)
    found, new = np.empty((n, k)), np.empty((n, k), data.dtype)
    losses = np.empty((n_blocks(n), 2))

    def kernel(block: int, lo: int, hi: int) -> None:
        fill(data, weights, lo, hi, found[lo:hi])
        update_rows(
            found,
            factors,
            blame,
            power,
            options.fuzziness,
            memberships,
            lo,
            hi,
            np.empty(k),
            new,
            losses[block],
        )

    for_blocks(kernel, n, data.n_operations(k) + 20.0 * n * k, data.n_jobs)
    return Updated(new, found, float(losses[:, 0].sum()), float(losses[:, 1].max()))


def _factors(blame: NDArray[np.float64], options: SubspaceOptions) -> NDArray[np.float64]:
    return blame if options.impurity_in_membership else np.ones(len(blame))


def as_memberships(values: Any, data: SubspaceData) -> Floats:
    """Check memberships handed in for some data."""
    found: Floats = np.ascontiguousarray(values, dtype=data.dtype)
    if found.ndim != 2 or len(found) != data.n or found.shape[1] < 1:
        raise ValueError(f"memberships must have shape ({data.n}, n_clusters), got {found.shape}")
    if not (found.min() >= 0 and found.max() < np.inf):
        raise ValueError(f"memberships must be finite and at least 0, got {found.min():g} to {found.max():g}")
    return found
