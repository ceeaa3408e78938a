"""Ranks of neighbours in many features, where boxes hold off nobody: by matrix products."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from moo_clustering._arrays import block_slices
from moo_clustering._kernels.kd_tree import rounded


def ranks_by_products(
    X: NDArray[np.float64], pairs: NDArray[np.int64], keys: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Place of pairs[p, 1] by nearness to pairs[p, 0], from 1.

    Products tell who is nearer but for a last few, which are told by differences. O(N^2 n_features) time
    for N different first samples, in blocks of bounded size.
    """
    centred = X - X.mean(axis=0)
    squares = np.einsum("ij,ij->i", centred, centred)
    norms = np.sqrt(squares)
    noise = 4.0 * (X.shape[1] + 8) * np.finfo(float).eps * (norms + norms.max()) ** 2
    limits = _square_distances(X, pairs[:, 0], pairs[:, 1])
    by_first = np.argsort(pairs[:, 0], kind="stable")
    out = np.empty(len(pairs), dtype=np.int32)
    for part in block_slices(len(pairs), 2 * len(X)):
        chosen = by_first[part]
        samples, row_of = np.unique(pairs[chosen, 0], return_inverse=True)
        rough = centred[samples] @ centred.T
        rough *= -2.0
        rough += squares[samples][:, None]
        rough += squares
        rough[np.arange(len(samples)), samples] = np.inf
        for p, row in zip(chosen, row_of, strict=True):
            i, j = pairs[p]
            slack = noise[i] + 1e-11 * limits[p]
            before = int(np.count_nonzero(rough[row] < limits[p] - slack))
            close = np.flatnonzero(np.abs(rough[row] - limits[p]) <= slack)
            exact = _square_distances(X, np.full(len(close), i), close)
            nearer = (exact < limits[p]) | ((exact == limits[p]) & (keys[close] < keys[j]))
            out[p] = 1 + before + int(np.count_nonzero(nearer))
    return out


def _square_distances(
    X: NDArray[np.float64], a: NDArray[np.int64], b: NDArray[np.int64]
) -> NDArray[np.float64]:
    differences = X[a] - X[b]
    distances: NDArray[np.float64] = rounded(np.einsum("ij,ij->i", differences, differences))
    return distances
