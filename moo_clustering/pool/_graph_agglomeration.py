"""Fragments that are merged along the neighbour graph."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from moo_clustering.pool._data import Partition, PoolData
from moo_clustering.pool._grid import LEAST_TOP
from moo_clustering.pool._kmeans import fragments


def agglomerated_partitions(
    data: PoolData, ks: Sequence[int], seed: np.random.SeedSequence
) -> list[Partition]:
    """Small clusters of k-means, merged by the weight between them over their volumes, cut at every k."""
    return merged_fragments(data.graph(), fragments(data, n_fragments(data.n_samples), seed), ks)


def n_fragments(n_samples: int) -> int:
    """A fifth of the samples, at most 40 or three times their root."""
    wanted = min(n_samples // 5, max(40, math.isqrt(9 * n_samples)))
    # So few samples would leave nothing to merge.
    return max(wanted, min(n_samples, LEAST_TOP))


def merged_fragments(
    graph: csr_array, labels: NDArray[np.integer[Any]], ks: Sequence[int]
) -> list[Partition]:
    """Merge the two clusters with the greatest W_ab / (vol_a vol_b) until there are as few as wanted.

    W_ab is the sum of similarities between them, vol_a that of all from a; where no two clusters are
    joined, the two of least volume are merged. The lowest numbers count among equals.

    Parameters
    ----------
    graph : csr_array of shape (n_samples, n_samples)
        Symmetric similarities >= 0.
    labels : ndarray of shape (n_samples,)
        Fragments.
    ks : sequence of int
        Numbers of clusters; those above the number of fragments are passed over.

    Returns
    -------
    partitions : list of ndarray of shape (n_samples,)
        One per k, k ascending.

    Notes
    -----
    O(m^3) time in m fragments, but with an operation on a whole matrix per merging.
    """
    numbers, own = np.unique(labels, return_inverse=True)
    m = len(numbers)
    members = csr_array((np.ones(len(own)), (np.arange(len(own)), own)), shape=(len(own), m))
    W = (members.T @ csr_array(graph) @ members).toarray()
    volumes = W.sum(axis=1)
    np.fill_diagonal(W, 0.0)
    cluster = np.arange(m)
    wanted = {int(k) for k in ks}
    found: list[Partition] = []
    alive = m
    while True:
        if alive in wanted:
            found.append(cluster[own])
        if alive <= min(wanted, default=m):
            return found[::-1]
        a, b = _pair(W, volumes)
        W[a] += W[b]
        W[:, a] += W[:, b]
        W[b] = W[:, b] = W[a, a] = 0.0
        volumes[a] += volumes[b]
        # A cluster that is gone has no room among those of least volume.
        volumes[b] = np.inf
        cluster[cluster == b] = a
        alive -= 1


def _pair(W: NDArray[np.float64], volumes: NDArray[np.float64]) -> tuple[int, int]:
    with np.errstate(divide="ignore", invalid="ignore"):
        strength = np.where(W > 0.0, W / np.outer(volumes, volumes), 0.0)
    at = int(strength.argmax())
    if strength.flat[at] > 0.0:
        a, b = divmod(at, len(W))
    else:
        a, b = np.argsort(volumes, kind="stable")[:2].tolist()
    return min(a, b), max(a, b)
