"""Conventional similarity graphs as sparse symmetric matrices."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array

from moo_clustering.graphs._neighbors import NeighborLists, check_distances
from moo_clustering.graphs._search import CHUNK, Metric, metric_space, point_search, round_distances

Sigma = float | Literal["mean", "median"]

MAX_MEMORY = 4 * 2**30
# exp(-x) is 0 in float64 from about 745 on; an edge must not vanish for that.
_SMALLEST = 1e-300
# Values and indices of an entry, and those of the transpose and the maximum while symmetrising.
_BYTES_PER_ENTRY = 40


def symmetrize(S: Any) -> sp.csr_array:
    """Elementwise max(S, S^T) with zero diagonal and no stored zeros (PESC, Eq. 7).

    Parameters
    ----------
    S : sparse matrix or array-like of shape (n_samples, n_samples)
        Non-negative similarities; not modified.

    Notes
    -----
    O(nnz) time and memory.
    """
    matrix = sp.csr_array(S, dtype=np.float64)
    matrix = matrix.maximum(matrix.T.tocsr()).tocsr()
    return _without_diagonal(matrix)


def _without_diagonal(matrix: sp.csr_array) -> sp.csr_array:
    """The matrix, modified: diagonal and stored zeros taken out, indices sorted."""
    row = np.repeat(np.arange(matrix.shape[0], dtype=matrix.indices.dtype), np.diff(matrix.indptr))
    matrix.data[row == matrix.indices] = 0.0
    matrix.eliminate_zeros()
    matrix.sort_indices()
    return matrix


def resolve_sigma(distances: NDArray[np.floating[Any]], sigma: Sigma) -> float:
    """A scale factor: the number given, or the mean or median of the distances of the edges."""
    if sigma == "mean":
        return float(np.mean(distances, dtype=np.float64)) if distances.size else 0.0
    if sigma == "median":
        return float(np.median(distances)) if distances.size else 0.0
    if isinstance(sigma, str) or not np.isfinite(sigma) or sigma < 0:
        raise ValueError(f"sigma must be a non-negative number, 'mean' or 'median', got {sigma!r}.")
    return float(sigma)


def gaussian_similarity(distances: NDArray[np.floating[Any]], sigma: float) -> NDArray[np.float64]:
    """exp(-d^2 / (2 sigma^2)), at least 1e-300 so that no edge is lost; all 1 for ``sigma=0``."""
    if sigma == 0:
        return np.ones(np.shape(distances))
    scaled = np.asarray(distances, dtype=np.float64) / sigma
    with np.errstate(over="ignore"):
        weights: NDArray[np.float64] = np.exp(-0.5 * scaled**2)
    return np.maximum(weights, _SMALLEST)


def listed_edges(lists: NeighborLists, weights: NDArray[np.floating[Any]]) -> sp.csr_array:
    """Directed matrix from weights of shape (n_samples, width) on the neighbour lists, zeros dropped."""
    kept = (lists.indices >= 0) & (weights > 0)
    indptr = np.concatenate([[0], np.cumsum(kept.sum(axis=1))])
    n_samples = len(lists.indices)
    matrix = sp.csr_array((weights[kept], lists.indices[kept], indptr), shape=(n_samples, n_samples))
    matrix.sort_indices()
    return matrix


def _gaussian_edges(lists: NeighborLists, sigma: Sigma) -> sp.csr_array:
    scale = resolve_sigma(lists.distances[lists.indices >= 0], sigma)
    return listed_edges(lists, gaussian_similarity(lists.distances, scale))


def knn_graph(lists: NeighborLists, sigma: Sigma = "mean") -> sp.csr_array:
    """Gaussian similarities of pairs of which one lists the other.

    Parameters
    ----------
    lists : NeighborLists
    sigma : float or {"mean", "median"}, default="mean"
        Scale factor, or which average of the listed distances.

    Returns
    -------
    csr_array of shape (n_samples, n_samples), symmetric

    References
    ----------
    PESC, section on baselines: k-nearest-neighbour graph.
    """
    return symmetrize(_gaussian_edges(lists, sigma))


def mutual_knn_graph(lists: NeighborLists, sigma: Sigma = "mean") -> sp.csr_array:
    """Gaussian similarities of pairs that list each other; samples may be left without any edge.

    Parameters and result as of :func:`knn_graph`; the scale factor averages all listed distances.
    """
    directed = _gaussian_edges(lists, sigma)
    mutual = directed.minimum(directed.T.tocsr()).tocsr()
    return _without_diagonal(mutual)


def epsilon_graph(
    X: ArrayLike, epsilon: float, *, metric: Metric = "euclidean", max_memory: int = MAX_MEMORY
) -> sp.csr_array:
    """Similarity 1 for pairs at a distance strictly below ``epsilon``.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Or (n_samples, n_samples) distances with ``metric="precomputed"``.
    epsilon : float
    metric : str or callable, default="euclidean"
    max_memory : int, default=4 GiB
        Largest size of the graph in bytes while it is built, 40 per edge and direction.

    Returns
    -------
    csr_array of shape (n_samples, n_samples), symmetric

    Notes
    -----
    O(N^2 d) time in blocks; memory in proportion to the number of edges.
    """
    if not epsilon > 0:
        raise ValueError(f"epsilon must be positive, got {epsilon!r}.")
    rows, blocks, n_entries = [], [], 0
    n_samples = len(np.asarray(X))
    limit = round_distances(np.array([epsilon]))[0]
    for lo, block in _distance_blocks(X, metric):
        near = block < limit
        near[np.arange(len(block)), np.arange(lo, lo + len(block))] = False
        n_entries += np.count_nonzero(near)
        _check_memory(n_entries, max_memory, f"the epsilon graph for epsilon={epsilon:g}")
        rows.append(near.sum(axis=1))
        blocks.append(np.nonzero(near)[1].astype(np.int32))
    indptr = np.concatenate([[0], np.cumsum(np.concatenate(rows))])
    indices = np.concatenate(blocks)
    return sp.csr_array((np.ones(len(indices)), indices, indptr), shape=(n_samples, n_samples))


def full_graph(
    X: ArrayLike, sigma: Sigma = "mean", *, metric: Metric = "euclidean", max_memory: int = MAX_MEMORY
) -> sp.csr_array:
    """Gaussian similarities of all pairs of different samples.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Or (n_samples, n_samples) distances with ``metric="precomputed"``.
    sigma : float or {"mean", "median"}, default="mean"
        Scale factor, or which average of all distances.
    metric : str or callable, default="euclidean"
    max_memory : int, default=4 GiB
        Largest size of the graph in bytes while it is built, 40 per ordered pair.

    Returns
    -------
    csr_array of shape (n_samples, n_samples), symmetric

    Raises
    ------
    ValueError
        If the graph would need more than ``max_memory``.

    Notes
    -----
    O(N^2 d) time, O(N^2) memory: the method is defined by all pairs.
    """
    n_samples = len(np.asarray(X))
    _check_memory(n_samples * (n_samples - 1), max_memory, "the full graph")
    D = np.concatenate([block for _, block in _distance_blocks(X, metric)])
    off_diagonal = ~np.eye(n_samples, dtype=np.bool_)
    scale = resolve_sigma(D[off_diagonal], sigma)
    S = gaussian_similarity(D, scale)
    np.fill_diagonal(S, 0.0)
    return symmetrize(S)


def _distance_blocks(X: ArrayLike, metric: Metric) -> Any:
    """(first row, distances of some rows to all), rounded so that noise cannot decide a comparison."""
    if isinstance(metric, str) and metric == "precomputed":
        D = check_distances(X)
        D = np.minimum(D, D.T)
        rows_at_once = max(1, CHUNK // len(D))
        for lo in range(0, len(D), rows_at_once):
            yield lo, round_distances(D[lo : lo + rows_at_once])
        return
    space = metric_space(check_array(X, dtype=[np.float64, np.float32]), metric)
    search = point_search(space.points, space)
    step = search.chunk(len(space.points))
    for lo in range(0, len(space.points), step):
        rows = np.arange(lo, min(lo + step, len(space.points)))
        block = search.all_distances(rows)
        space.finish(block)
        yield lo, round_distances(block)


def _check_memory(n_entries: int, max_memory: int, what: str) -> None:
    needed = _BYTES_PER_ENTRY * n_entries
    if needed > max_memory:
        raise ValueError(
            f"{what} has {n_entries} entries and needs {needed / 2**30:.3g} GiB, more than "
            f"max_memory={max_memory} bytes ({max_memory / 2**30:.3g} GiB); use a k-nearest-neighbour "
            "graph or raise max_memory."
        )
