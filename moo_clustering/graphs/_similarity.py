"""Conventional similarity graphs as sparse symmetric matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import cKDTree
from sklearn.utils import check_array

from moo_clustering.graphs._neighbors import NeighborLists, check_distances
from moo_clustering.graphs._search import (
    CHUNK,
    MINKOWSKI,
    TREE_FEATURES,
    Metric,
    metric_space,
    point_search,
    round_distances,
)

#: A positive number, "mean" or "median".
Sigma = float | str

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

    Returns
    -------
    csr_array of shape (n_samples, n_samples)

    Notes
    -----
    O(nnz) time and memory.
    """
    matrix = sp.csr_array(S, dtype=np.float64)
    matrix = matrix.maximum(matrix.T.tocsr()).tocsr()
    return short_indices(_without_diagonal(matrix))


def short_indices(S: sp.csr_array) -> sp.csr_array:
    """The same matrix with 32-bit indices where they suffice; SciPy's graph routines long took no other."""
    if S.indices.dtype == S.indptr.dtype == np.int32 or max(S.nnz, *S.shape) > np.iinfo(np.int32).max:
        return S
    parts = S.data, S.indices.astype(np.int32), S.indptr.astype(np.int32)
    return sp.csr_array(parts, shape=S.shape)


def _without_diagonal(matrix: sp.csr_array) -> sp.csr_array:
    """The matrix, modified: diagonal and stored zeros taken out, indices sorted."""
    row = np.repeat(np.arange(matrix.shape[0], dtype=matrix.indices.dtype), np.diff(matrix.indptr))
    matrix.data[row == matrix.indices] = 0.0
    matrix.eliminate_zeros()
    matrix.sort_indices()
    return matrix


def resolve_sigma(distances: NDArray[np.floating[Any]], sigma: Sigma) -> float:
    """A scale factor: the number given, or the mean or median of the distances of the edges.

    Parameters
    ----------
    distances : ndarray
        Of the edges.
    sigma : float, "mean" or "median"

    Returns
    -------
    float
    """
    if sigma == "mean":
        return float(np.mean(distances, dtype=np.float64)) if distances.size else 0.0
    if sigma == "median":
        return float(np.median(distances)) if distances.size else 0.0
    if isinstance(sigma, str) or not np.isfinite(sigma) or sigma < 0:
        raise ValueError(f"sigma must be a non-negative number, 'mean' or 'median', got {sigma!r}.")
    return float(sigma)


def gaussian_similarity(distances: NDArray[np.floating[Any]], sigma: float) -> NDArray[np.float64]:
    """exp(-d^2 / (2 sigma^2)), at least 1e-300 so that no edge is lost; all 1 for ``sigma=0``.

    Parameters
    ----------
    distances : ndarray
    sigma : float
        Scale factor.

    Returns
    -------
    ndarray of the shape of the distances
    """
    if sigma == 0:
        return np.ones(np.shape(distances))
    with np.errstate(over="ignore"):
        scaled = np.asarray(distances, dtype=np.float64) / sigma
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

    Parameters
    ----------
    lists : NeighborLists
    sigma : float, "mean" or "median", default="mean"
        As of :func:`knn_graph`; the average is over all listed distances.

    Returns
    -------
    csr_array of shape (n_samples, n_samples)
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
    KD-tree for Minkowski metrics up to 12 features; otherwise O(N^2 d) time in blocks. Memory in
    proportion to the number of edges.
    """
    if not epsilon > 0:
        raise ValueError(f"epsilon must be positive, got {epsilon!r}.")
    if isinstance(metric, str) and metric == "precomputed":
        return _near_pairs(check_distances(X), metric, epsilon, max_memory)
    data = check_array(X, dtype=[np.float64, np.float32])
    power = MINKOWSKI.get(metric) if isinstance(metric, str) else None
    if power is not None and data.shape[1] <= TREE_FEATURES:
        return _near_pairs_by_tree(data, power, epsilon, max_memory)
    return _near_pairs(data, metric, epsilon, max_memory)


def _near_pairs(
    data: NDArray[np.floating[Any]], metric: Metric, epsilon: float, max_memory: int
) -> sp.csr_array:
    counts, columns, n_entries = [], [], 0
    limit = round_distances(np.array([epsilon]))[0]
    for lo, block in _distance_blocks(data, metric):
        near = block < limit
        near[np.arange(len(block)), np.arange(lo, lo + len(block))] = False
        n_entries += int(np.count_nonzero(near))
        _check_memory(n_entries, max_memory, f"the epsilon graph for epsilon={epsilon:g}")
        counts.append(near.sum(axis=1))
        columns.append(np.nonzero(near)[1])
    indptr = np.concatenate([[0], np.cumsum(np.concatenate(counts))])
    shape = (len(data), len(data))
    return symmetrize(sp.csr_array((np.ones(n_entries), np.concatenate(columns), indptr), shape=shape))


def _near_pairs_by_tree(
    data: NDArray[np.floating[Any]], power: float, epsilon: float, max_memory: int
) -> sp.csr_array:
    tree = cKDTree(data, balanced_tree=False)
    # A little beyond, for rounding is undone before the comparison.
    reach = epsilon * (1.0 + 1e-9)
    n_entries = int(tree.count_neighbors(tree, reach, p=power)) - len(data)
    _check_memory(n_entries, max_memory, f"the epsilon graph for epsilon={epsilon:g}")
    pairs = tree.query_pairs(reach, p=power, output_type="ndarray")
    near = np.empty(len(pairs), dtype=np.bool_)
    limit = round_distances(np.array([epsilon]))[0]
    step = max(1, CHUNK // data.shape[1])
    for lo in range(0, len(pairs), step):
        i, j = pairs[lo : lo + step].T
        gaps = np.linalg.norm(data[i].astype(np.float64) - data[j], ord=power, axis=1)
        near[lo : lo + step] = round_distances(gaps) < limit
    i, j = pairs[near].T
    edges = sp.coo_array((np.ones(len(i)), (i, j)), shape=(len(data), len(data)))
    return symmetrize(edges.tocsr())


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
    D = pair_distances(X, metric=metric, max_memory=max_memory)
    scale = resolve_sigma(D[~np.eye(len(D), dtype=np.bool_)], sigma)
    return symmetrize(gaussian_similarity(D, scale))


def pair_distances(
    X: ArrayLike, *, metric: Metric = "euclidean", max_memory: int = MAX_MEMORY
) -> NDArray[np.float64]:
    """Distances of all pairs, if a graph of all pairs stays within ``max_memory``.

    Errors as of :func:`full_graph`.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    metric : str or callable, default="euclidean"
    max_memory : int, default=4 GiB
        Bytes that a graph of all pairs may take.

    Returns
    -------
    ndarray of shape (n_samples, n_samples)
    """
    n_samples = len(np.asarray(X))
    _check_memory(n_samples * (n_samples - 1), max_memory, "the full graph")
    try:
        return np.concatenate([block for _, block in _distance_blocks(X, metric)])
    except MemoryError as error:
        needed = _BYTES_PER_ENTRY * n_samples**2 / 2**30
        raise MemoryError(
            f"the full graph of {n_samples} samples needs {needed:.3g} GiB, and there is not that much free; "
            "use a k-nearest-neighbour graph or fewer samples"
        ) from error


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
