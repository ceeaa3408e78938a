"""Nearest-neighbour, epsilon, full, self-tuning and water-filling graphs, and constraints in such graphs."""

from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from scipy.sparse import csgraph
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

from moo_clustering._arrays import block_slices, choice, instance, integer, positive, quoted
from moo_clustering._data import FLOATS, checked_array, checked_table, require_same_samples
from moo_clustering._distances import checked_distances
from moo_clustering._docs import documented
from moo_clustering._types import AnyFloatArray, FloatArray, Int32Array, Int64Array
from moo_clustering.constraints import ConstraintGroups
from moo_clustering.graphs import neighbors
from moo_clustering.graphs.bridges import WEAKNESS, link_parts
from moo_clustering.graphs.matrices import symmetrize, without_diagonal
from moo_clustering.graphs.neighbors import Metric, NeighborLists, PlainMetric

#: A positive number, "mean" or "median".
Sigma = float | str
MAX_MEMORY = 4 * 2**30
# Symmetrisation takes 40 bytes for the values and indices of an entry, its transpose and their maximum.
_BYTES_PER_ENTRY = 40


def knn_graph(lists: NeighborLists, sigma: Sigma = "mean") -> sp.csr_array:
    """Link two samples, with a Gaussian similarity, if one of them is a neighbour of the other.

    Source: PESC, section on baselines.

    Parameters
    ----------
    lists : NeighborLists
    sigma : float or {"mean", "median"}, default="mean"
        Scale factor: a number, or the mean or median of the distances.

    Returns
    -------
    csr_array of shape (n_samples, n_samples), symmetric
    """
    return symmetrize(_gaussian_edges(lists, sigma))


def _gaussian_edges(lists: NeighborLists, sigma: Sigma) -> sp.csr_array:
    instance("lists", lists, NeighborLists, "the result of neighbor_lists")
    scale = resolve_sigma(lists.distances[lists.indices >= 0], sigma)
    return listed_edges(lists, gaussian_similarity(lists.distances, scale))


@documented(knn_graph)
def mutual_knn_graph(lists: NeighborLists, sigma: Sigma = "mean") -> sp.csr_array:
    """Link samples that are neighbours of each other, with Gaussian similarities. Samples can be isolated."""
    directed = _gaussian_edges(lists, sigma)
    mutual = directed.minimum(directed.T.tocsr()).tocsr()
    return without_diagonal(mutual)


@documented(neighbors.neighbor_lists, knn_graph)
def epsilon_graph(
    X: ArrayLike, epsilon: float, *, metric: Metric = "euclidean", max_memory: int = MAX_MEMORY
) -> sp.csr_array:
    """Link samples whose distance is strictly below ``epsilon``, with similarity 1.

    Takes O(N^2 d) time and O(edges) memory; a KD-tree saves time for Minkowski metrics and up to 12 features.

    Parameters
    ----------
    epsilon : float
    max_memory : int, default=4 GiB
        Maximum size of the graph in bytes; an edge takes 80 bytes. A larger graph raises a ValueError.
    """
    if not epsilon > 0:
        raise ValueError(f"epsilon must be positive, got {quoted(epsilon)}")
    if metric == "precomputed":
        return _near_pairs(checked_distances(X), metric, epsilon, max_memory)
    data = checked_table(X, dtype=FLOATS)
    power = neighbors.MINKOWSKI.get(metric) if isinstance(metric, str) else None
    if power is not None and data.shape[1] <= neighbors.TREE_FEATURES:
        return _near_pairs_by_tree(data, power, epsilon, max_memory)
    return _near_pairs(data, metric, epsilon, max_memory)


def _near_pairs(data: AnyFloatArray, metric: Metric, epsilon: float, max_memory: int) -> sp.csr_array:
    counts, columns, n_entries = [], [], 0
    limit = neighbors.round_distances(np.array([epsilon]))[0]
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


def _distance_blocks(data: AnyFloatArray, metric: Metric) -> Any:
    """Yield the first index of each block of rows, and the rounded distances from its rows to all samples."""
    if metric == "precomputed":
        for part in block_slices(len(data), len(data)):
            yield part.start, neighbors.round_distances(data[part])
        return
    space = neighbors.MetricSpace(data, metric)
    search = neighbors.point_search(space.points, space)
    step = search.chunk(len(space.points))
    for lo in range(0, len(space.points), step):
        rows = np.arange(lo, min(lo + step, len(space.points)))
        block = search.all_distances(rows)
        space.finish(block)
        yield lo, neighbors.round_distances(block)


def _check_memory(n_entries: int, max_memory: int, what: str) -> None:
    needed = _BYTES_PER_ENTRY * n_entries
    if needed > max_memory:
        raise ValueError(
            f"{what} has {n_entries} entries and requires {needed / 2**30:.3g} GiB, which exceeds "
            f"max_memory={max_memory} bytes ({max_memory / 2**30:.3g} GiB); use a "
            "k-nearest-neighbour graph or increase max_memory"
        )


def _near_pairs_by_tree(data: AnyFloatArray, power: float, epsilon: float, max_memory: int) -> sp.csr_array:
    tree = cKDTree(data, balanced_tree=False)
    # The search extends slightly beyond epsilon, because rounded distances are compared with epsilon below.
    reach = epsilon * (1.0 + 1e-9)
    n_entries = int(tree.count_neighbors(tree, reach, p=power)) - len(data)
    _check_memory(n_entries, max_memory, f"the epsilon graph for epsilon={epsilon:g}")
    pairs = tree.query_pairs(reach, p=power, output_type="ndarray")
    near = np.empty(len(pairs), dtype=np.bool_)
    limit = neighbors.round_distances(np.array([epsilon]))[0]
    for part in block_slices(len(pairs), data.shape[1]):
        i, j = pairs[part].T
        gaps = np.linalg.norm(data[i].astype(np.float64) - data[j], ord=power, axis=1)
        near[part] = neighbors.round_distances(gaps) < limit
    i, j = pairs[near].T
    edges = sp.coo_array((np.ones(len(i)), (i, j)), shape=(len(data), len(data)))
    return symmetrize(edges.tocsr())


@documented(epsilon_graph)
def full_graph(
    X: ArrayLike, sigma: Sigma = "mean", *, metric: Metric = "euclidean", max_memory: int = MAX_MEMORY
) -> sp.csr_array:
    """Link each pair of distinct samples, with Gaussian similarities.

    Takes O(N^2 d) time and O(N^2) memory. Raises a ValueError if the graph exceeds ``max_memory``.

    Parameters
    ----------
    sigma : float or {"mean", "median"}, default="mean"
        Scale factor: a number, or the mean or median of all distances.
    """
    D = pair_distances(X, metric=metric, max_memory=max_memory)
    scale = resolve_sigma(D[~np.eye(len(D), dtype=np.bool_)], sigma)
    return symmetrize(gaussian_similarity(D, scale))


@documented(neighbors.neighbor_lists)
def self_tuning_graph(
    X: ArrayLike,
    *,
    n_neighbors: int = 10,
    scale_neighbor: int = 7,
    metric: PlainMetric = "euclidean",
    n_jobs: int | None = None,
) -> sp.csr_array:
    """Return a connected nearest-neighbour graph with similarities exp(-d_ij^2 / (sigma_i sigma_j)).

    sigma_i is the distance from sample i to its ``scale_neighbor``-th nearest neighbour, but at least a
    thousandth of the median positive neighbour distance. Two samples are linked if one is a nearest neighbour
    of the other. Similarities are at least 1e-6. Takes O(m n_neighbors) memory; for the time, see
    :func:`neighbor_lists` and :func:`bridge_components`. Source: Zelnik-Manor and Perona, NIPS 2004.

    Parameters
    ----------
    X : array-like of shape (m, n_features)
        Features or, with ``metric="precomputed"``, distances of shape (m, m).
    n_neighbors : int, default=10
        Number of nearest neighbours to link, limited to m - 1. Ties are broken by the lower row index.
    scale_neighbor : int, default=7
        Rank of the neighbour that determines sigma_i, limited to the number of neighbours.
    metric : {"euclidean", "precomputed"}, default="euclidean"

    Returns
    -------
    csr_array of shape (m, m), float64
        Symmetric, with a zero diagonal. The shortest links connect components, with similarity max(1e-3 min
        S, 1e-4). If all neighbour distances are 0, neighbours have similarity 1.
    """
    integer("n_neighbors", n_neighbors)
    integer("scale_neighbor", scale_neighbor)
    data = neighbors.checked_data(X, metric)
    m = len(data)
    if m == 1:
        return sp.csr_array((1, 1), dtype=np.float64)
    lists, distances = neighbors.index_tied_lists(data, n_neighbors, metric, n_jobs)
    weights = _weights(lists.indices, distances, scale_neighbor)
    rows = np.repeat(np.arange(m), distances.shape[1])
    directed = sp.coo_array((weights.ravel(), (rows, lists.indices.ravel())), shape=(m, m)).tocsr()
    graph = symmetrize(directed)
    n_parts, parts = csgraph.connected_components(graph, directed=False)
    if n_parts == 1:
        return graph
    weight = max(WEAKNESS * float(graph.data.min()), 1e-4)
    keys = np.arange(m, dtype=np.int64)
    return link_parts(graph, parts, data, weight, metric=metric, lists=lists, keys=keys)


def _weights(indices: Int32Array, distances: FloatArray, scale_neighbor: int) -> FloatArray:
    positive = distances[distances > 0]
    if not len(positive):
        return np.ones_like(distances)
    least = 1e-3 * np.median(positive)
    scale = np.maximum(distances[:, min(scale_neighbor, distances.shape[1]) - 1], least)
    # The distances are divided twice, because the product of two tiny scales may underflow.
    exponent = (distances / scale[:, None]) * (distances / scale[indices])
    # The weights are at least 1e-6, because edges whose weight underflows to 0 would be removed.
    return np.maximum(1e-6, np.exp(-exponent))


@documented(knn_graph)
def waterfill_graph(lists: NeighborLists, lam: float | None = None) -> sp.csr_array:
    """Link neighbours with symmetrised water-filling similarities (PESC). Takes O(N width) time and memory.

    Parameters
    ----------
    lists : NeighborLists
        Candidate neighbours. The lists are long enough if the last candidate in each row receives weight 0.
    lam : float, optional
        Trade-off; larger values spread weights over more neighbours. Default: :func:`waterfill_lambda`.
    """
    if lam is None:
        lam = waterfill_lambda(lists)
    n_samples, width = lists.distances.shape
    weights = np.empty((n_samples, width))
    for part in block_slices(n_samples, width):
        weights[part] = waterfill_weights(lists.distances[part], lam)
    return symmetrize(listed_edges(lists, weights))


@documented(knn_graph)
def waterfill_lambda(lists: NeighborLists) -> float:
    """Return the default ``lam``: three times the mean distance to the (at most) 10 nearest neighbours.

    Returns 1 if all of these distances are 0. In this case, every positive number yields the same graph.
    """
    near = lists.distances[:, :10]
    mean = float(np.mean(near[lists.indices[:, :10] >= 0], dtype=np.float64))
    return 3.0 * mean if mean > 0 else 1.0


def waterfill_weights(distances: AnyFloatArray, lam: float) -> FloatArray:
    """Minimise sum_r p_r d_r + (lam/2) sum_r p_r^2 in each row, with p >= 0 and sum p = 1, in linear time.

    Parameters
    ----------
    distances : ndarray of shape (n_rows, width)
        Non-decreasing along each row; inf for entries that must have weight 0.
    lam : float
        Positive number; larger values spread the weight over more neighbours.

    Returns
    -------
    p : ndarray of shape (n_rows, width)
        max(0, (theta - d_r) / lam), with theta such that the row sums to 1.
    """
    positive("lam", lam)
    distances = checked_array(distances, "distances", FLOATS, ndim=(2,), finite=False)
    real = np.isfinite(distances)
    # Only differences within a row matter, so the smallest distance is subtracted to preserve digits.
    d = np.where(real, distances, 0.0).astype(np.float64)
    d -= d[:, :1]
    rank = np.arange(1, d.shape[1] + 1)
    total = np.cumsum(d, axis=1)
    wet = real & (rank * d - total < lam)
    n_wet = np.count_nonzero(wet, axis=1)
    theta = (lam + total[np.arange(len(d)), n_wet - 1]) / n_wet
    return np.where(wet, np.maximum(theta[:, None] - d, 0.0) / lam, 0.0)


def gaussian_similarity(distances: AnyFloatArray, sigma: float) -> FloatArray:
    """Compute exp(-d^2 / (2 sigma^2)), or 1 if sigma is 0. Values are at least 1e-300, so no edge vanishes.

    Parameters
    ----------
    distances : ndarray
    sigma : float

    Returns
    -------
    ndarray of the same shape as ``distances``
    """
    if sigma == 0:
        return np.ones(np.shape(distances))
    with np.errstate(over="ignore"):
        scaled = checked_array(distances, "distances", np.float64) / sigma
        weights: FloatArray = np.exp(-0.5 * scaled**2)
    # In double precision, exp(-x) underflows to 0 from about x = 745, but no edge may vanish.
    return np.maximum(weights, 1e-300)


@documented(knn_graph, gaussian_similarity)
def resolve_sigma(distances: AnyFloatArray, sigma: Sigma) -> float:
    """Return the scale factor of a Gaussian similarity: ``sigma``, or the mean or median of the distances."""
    distances = checked_array(distances, "distances", FLOATS)
    if sigma == "mean":
        return float(np.mean(distances, dtype=np.float64)) if distances.size else 0.0
    if sigma == "median":
        return float(np.median(distances)) if distances.size else 0.0
    if isinstance(sigma, str) or not np.isfinite(sigma) or sigma < 0:
        raise ValueError(f"sigma must be a non-negative number, 'mean' or 'median', got {quoted(sigma)}")
    return float(sigma)


@documented(neighbors.neighbor_lists)
def pair_distances(X: ArrayLike, *, metric: Metric = "euclidean", max_memory: int = MAX_MEMORY) -> FloatArray:
    """Compute all pairwise distances, or raise a ValueError if the full graph exceeds ``max_memory``.

    Parameters
    ----------
    max_memory : int, default=4 GiB
        Maximum size of the full graph, in bytes.

    Returns
    -------
    ndarray of shape (n_samples, n_samples)
    """
    data = checked_distances(X) if metric == "precomputed" else checked_table(X, dtype=FLOATS)
    n_samples = len(data)
    _check_memory(n_samples * (n_samples - 1), max_memory, "the full graph")
    try:
        return np.concatenate([block for _, block in _distance_blocks(data, metric)])
    except MemoryError as error:
        needed = _BYTES_PER_ENTRY * n_samples**2 / 2**30
        raise MemoryError(
            f"the full graph of {n_samples} samples requires {needed:.3g} GiB, which exceeds the "
            "free memory; use a k-nearest-neighbour graph or fewer samples"
        ) from error


def listed_edges(lists: NeighborLists, weights: AnyFloatArray) -> sp.csr_array:
    """Return a directed graph from samples to neighbours with the positive ``weights`` (n_samples, width)."""
    # Older versions of NumPy cannot sort selections from memory maps in place, so the maps are converted.
    indices = np.asarray(lists.indices)
    kept = (indices >= 0) & (weights > 0)
    indptr = np.concatenate([[0], np.cumsum(kept.sum(axis=1))])
    matrix = sp.csr_array((weights[kept], indices[kept], indptr), shape=(len(indices), len(indices)))
    matrix.sort_indices()
    return matrix


@documented(knn_graph)
def write_constraints(
    S: Any,
    groups: ConstraintGroups,
    *,
    must_link_edges: Literal["auto", "clique", "star"] = "clique",
    X: AnyFloatArray | None = None,
) -> sp.csr_array:
    """Set similarities to max(S) within groups and to 0 between conflicting groups.

    If S has no edges, the value 1 replaces max(S). Takes O(nnz + links) time and memory. Source: PESC,
    semi-supervised baselines.

    Parameters
    ----------
    S : sparse matrix or array-like of shape (n_samples, n_samples)
        Similarities, which are copied and made symmetric.
    groups : ConstraintGroups
    must_link_edges : {"auto", "clique", "star"}, default="clique"
        ``"clique"`` links all pairs in a group. ``"star"`` links members to the group's medoid or, without
        ``X``, in a ring. ``"auto"``: cliques, or stars if all cliques have over 10^6 pairs in total.
    X : ndarray of shape (n_samples, n_features), optional
        Features from which medoids are determined.
    """
    choice("must_link_edges", must_link_edges, ("auto", "clique", "star"))
    if must_link_edges == "auto":
        n_pairs = sum(len(members) * (len(members) - 1) // 2 for members in groups.members())
        must_link_edges = "clique" if n_pairs <= 1_000_000 else "star"
    graph = symmetrize(S)
    X = None if X is None else checked_table(X, dtype=FLOATS)
    require_same_samples("groups and graph", groups.n_samples, graph.shape[0])
    largest = float(graph.data.max(initial=0.0)) or 1.0
    if len(groups.conflicts):
        row = np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))
        labelled = np.flatnonzero((groups.groups[row] >= 0) & (groups.groups[graph.indices] >= 0))
        apart = groups.forbidden(row[labelled], graph.indices[labelled])
        graph.data[labelled[apart]] = 0.0
        graph.eliminate_zeros()
    links = [_links(members, must_link_edges, X) for members in groups.members()]
    if not links:
        return graph
    i, j = np.concatenate(links).T
    joined = sp.coo_array((np.full(len(i), largest), (i, j)), shape=graph.shape).tocsr()
    return symmetrize(graph.maximum(joined))


def _links(members: Int64Array, how: str, X: AnyFloatArray | None) -> Int64Array:
    if how == "clique":
        a, b = np.triu_indices(len(members), 1)
        return np.column_stack([members[a], members[b]])
    if X is None:
        return np.column_stack([members, np.roll(members, -1)])
    hub = members[_medoid(np.asarray(X[members], dtype=np.float64))]
    others = members[members != hub]
    return np.column_stack([np.full(len(others), hub), others])


def _medoid(points: FloatArray) -> int:
    if len(points) <= 2048:
        return int(cdist(points, points).sum(axis=1).argmin())
    return int(((points - points.mean(axis=0)) ** 2).sum(axis=1).argmin())
