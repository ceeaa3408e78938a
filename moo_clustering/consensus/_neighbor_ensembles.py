"""PESC's phase II: many neighbour choices to one directed similarity matrix."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from moo_clustering._kernels import loci
from moo_clustering._kernels.blocks import for_blocks
from moo_clustering.diversity import locus_counts, shared_choices
from moo_clustering.graphs import NeighborLists

IntArray = NDArray[np.integer[Any]]
FloatArray = NDArray[np.float64]

# exp(-x) is 0 in float64 from about 745 on; an edge must not vanish for that.
_SMALLEST = 1e-300


def to_csr(weights: FloatArray, lists: NeighborLists) -> sp.csr_array:
    """Directed similarity matrix from weights on the neighbour lists.

    Parameters
    ----------
    weights : ndarray of shape (n_samples, width)
        Of every sample for its listed neighbours.
    lists : NeighborLists

    Returns
    -------
    csr_array of shape (n_samples, n_samples)
    """
    n = len(weights)
    used = weights > 0
    indptr = np.concatenate([[0], np.cumsum(used.sum(axis=1))])
    matrix = sp.csr_array((weights[used], lists.indices[used], indptr), shape=(n, n))
    matrix.sort_indices()
    return matrix


def diversity_weights(
    ranks: IntArray,
    lists: NeighborLists,
    *,
    weight: Literal["one_minus_div", "div", "count"] = "one_minus_div",
    n_jobs: int | None = None,
) -> sp.csr_array:
    """ES2: s_ij = (1/M) sum over the members that link i to j of 1 - DIV(member) (PESC, Eq. 5).

    Parameters
    ----------
    ranks : ndarray of shape (n_members, n_samples)
    lists : NeighborLists
    weight : {"one_minus_div", "div", "count"}, default="one_minus_div"
        What a member contributes: the formula of the paper, its prose ("better diversity contributes
        more"), or 1. With ``"div"`` and members that are all alike the weights are zero; use
        ``"count"`` there.
    n_jobs : int, optional

    Returns
    -------
    csr_array of shape (n_samples, n_samples)
        Every row sums to the mean contribution of a member.

    Notes
    -----
    O(M N) time, O(N width) memory.
    """
    n_members, n_samples = ranks.shape
    width = lists.indices.shape[1]
    shared = shared_choices(ranks, locus_counts(ranks, width, n_jobs=n_jobs), n_jobs=n_jobs)
    total = n_samples * n_members
    share = {"one_minus_div": shared / total, "div": (total - shared) / total, "count": np.ones(n_members)}
    contribution = share[weight] / n_members
    weights = np.zeros((n_samples, width))
    for_blocks(
        lambda lo, hi: loci.add_weights(ranks, contribution, weights, lo, hi), n_samples, n_members, n_jobs
    )
    return to_csr(weights, lists)


def kernel_weights(edges: sp.csr_array, distances: FloatArray, sigma: float) -> sp.csr_array:
    """ES3: s_ij = exp(-D_ij^2 / (2 sigma^2)) on the given edges (PESC, Eq. 6).

    Parameters
    ----------
    edges : csr_array of shape (n_samples, n_samples)
    distances : ndarray of shape (nnz,)
        Distances of the edges in CSR order.
    sigma : float
        0 gives weight 1 everywhere (as do distances that are all 0).

    Returns
    -------
    csr_array of shape (n_samples, n_samples)
        The edges with their weights.
    """
    if sigma <= 0 or not distances.any():
        weights = np.ones(len(distances))
    else:
        weights = np.maximum(np.exp(-(distances**2) / (2.0 * sigma**2)), _SMALLEST)
    return sp.csr_array((weights, edges.indices, edges.indptr), shape=edges.shape)


def edge_distances(ranks: IntArray, lists: NeighborLists) -> tuple[sp.csr_array, FloatArray]:
    """Which pairs (i, j) some member links, as a CSR matrix, and their distances in CSR order.

    Parameters
    ----------
    ranks : ndarray of shape (n_members, n_samples)
        The ensemble in rank encoding.
    lists : NeighborLists

    Returns
    -------
    edges : csr_array of shape (n_samples, n_samples)
        Truth values.
    distances : ndarray of shape (nnz,)
        In the order of the edges.
    """
    counts = locus_counts(ranks, lists.indices.shape[1])
    # Stored as 1 + distance so that a distance of 0 stays an entry.
    edges = to_csr(np.where(counts > 0, 1.0 + lists.distances.astype(np.float64), 0.0), lists)
    return edges, edges.data - 1.0
