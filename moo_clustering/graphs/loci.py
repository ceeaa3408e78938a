"""Neighbour lists, minimum spanning trees, and the interestingness of tree links, as used by MOCK."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import pairwise_distances

from moo_clustering._arrays import Shared, block_slices, choice, integer, near_one
from moo_clustering._data import checked_array, checked_table, require_same_samples
from moo_clustering._distances import centred_features, checked_distances
from moo_clustering._docs import documented
from moo_clustering._kernels.threads import for_parts
from moo_clustering._kernels.trees import ranks, rounded
from moo_clustering._types import BoolArray, FloatArray, Int32Array, Int64Array
from moo_clustering.constraints import ConstraintGroups
from moo_clustering.graphs import neighbors as neighborhoods
from moo_clustering.graphs.trees import MOST_FEATURES, Root, SpanningTree, box_tree, euclidean_mst

DIFFERENCES = (*neighborhoods.MINKOWSKI, "sqeuclidean")
Ranks = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class LocusGraph(Shared):
    """Nearest neighbours and a minimum spanning tree of samples. Both order tied samples by the same keys.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features), float64
        Centred features.
    neighbors : ndarray of shape (n_samples, n_neighbors), int32, read-only
        Neighbours that the constraints permit, nearest first, padded with -1.
    keys : ndarray of shape (n_samples,), int32
        Unique key of each sample. Samples at equal distances are sorted by increasing key.
    tree : SpanningTree
    interest : LinkInterest
    recall : float or None
        See :class:`NeighborLists`.
    """

    X: FloatArray
    neighbors: Int32Array
    keys: Int32Array
    tree: SpanningTree
    interest: LinkInterest
    recall: float | None = None

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.X)

    @property
    def n_neighbors(self) -> int:
        """Length of the neighbour lists: the requested length, but at most n_samples - 1."""
        return self.neighbors.shape[1]


@documented(neighborhoods.neighbor_lists, euclidean_mst)
def locus_graph(
    X: ArrayLike,
    *,
    n_neighbors: int = 10,
    metric: neighborhoods.Metric = "euclidean",
    ties: neighborhoods.Ties = "random",
    root: Root = "random",
    rank_cap: int | None = None,
    rng: np.random.Generator,
    groups: ConstraintGroups | None = None,
    n_jobs: int | None = None,
    method: neighborhoods.Method = "auto",
) -> LocusGraph:
    """Compute neighbour lists, a minimum spanning tree, and the interestingness of its links.

    For time and memory, see :func:`neighbor_lists`, :func:`euclidean_mst` and :func:`mst_interestingness`.
    Raises a ValueError if the constraints exclude all neighbours of a sample.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    n_neighbors : int, default=10
        L, the number of neighbours per sample, limited to n_samples - 1.
    metric : str or callable, default="euclidean"
        Metric for lists and tree. ``"precomputed"`` raises a ValueError, because centroids require features.
    rank_cap : int, optional
        See :func:`mst_interestingness`; must exceed ``n_neighbors``.
    rng : numpy.random.Generator
        Generator for the random order of tied samples and the random root.
    groups : ConstraintGroups, optional
        Constraints. Conflicting samples are never neighbours; the tree ignores the constraints.
    method : str, default="auto"
        Search method for the lists; see :func:`neighbor_lists`. The tree and the ranks are always exact.
    """
    if metric == "precomputed":
        raise ValueError('metric="precomputed" does not provide centroids; X must contain features')
    integer("n_neighbors", n_neighbors)
    if rank_cap is not None and integer("rank_cap", rank_cap) <= n_neighbors:
        raise ValueError(f"rank_cap must be greater than n_neighbors={n_neighbors}, got {rank_cap}")
    choice("ties", ties, ("random", "index"))
    data = centred_features(X)
    n = len(data)
    if groups is not None:
        require_same_samples("groups and X", groups.n_samples, n)
    keys = neighborhoods.tie_keys(n, ties, rng)
    # The data are centred only for metrics based on differences, because others depend on the origin.
    given = data if metric in DIFFERENCES else np.asarray(X, dtype=np.float64)
    tree = euclidean_mst(given, metric=metric, root=root, ties=keys, rng=rng)
    interest = mst_interestingness(tree, given, keys=keys, metric=metric, rank_cap=rank_cap, n_jobs=n_jobs)
    neighbors, recall = np.empty((1, 0), dtype=np.int32), None
    if n > 1:
        # Rescaling avoids overflow in single precision, and does not change the order of the neighbours.
        given = near_one(given, together=True) if metric in DIFFERENCES else given
        width = min(n_neighbors, n - 1)
        lists = neighborhoods.ordered_lists(given, width, metric, keys, groups, n_jobs, method)
        neighbors, recall = lists.indices, lists.recall
    # The array is read-only, because encodings share it.
    neighbors.flags.writeable = False
    return LocusGraph(data, neighbors, keys, tree, interest, recall)


@dataclass(frozen=True, eq=False)
class LinkInterest:
    """Interestingness of spanning-tree links, each of which is identified by its child.

    Attributes
    ----------
    rank_of_parent, rank_of_child : ndarrays of shape (n_samples,), int32
        Rank of the parent among the child's neighbours, and rank of the child among the parent's neighbours.
        Ranks start at 1. Both arrays contain 0 for the root.
    order : ndarray of shape (n_samples - 1,), int32
        Children, sorted by decreasing degree of their links, then by decreasing length, then by key.
    """

    rank_of_parent: Ranks
    rank_of_child: Ranks
    order: Ranks

    @property
    def degree(self) -> Ranks:
        """Degree of interestingness of each link: the smaller of its two ranks."""
        return np.minimum(self.rank_of_parent, self.rank_of_child)

    def interesting(self, n_neighbors: int) -> BoolArray:
        """Return a mask of the links with a degree above ``n_neighbors``, shape (n_samples,)."""
        return self.degree > n_neighbors


@documented(locus_graph)
def mst_interestingness(
    tree: SpanningTree,
    X: ArrayLike,
    *,
    keys: Int32Array | None = None,
    metric: neighborhoods.Metric = "euclidean",
    rank_cap: int | None = None,
    n_jobs: int | None = None,
) -> LinkInterest:
    """Compute the interestingness of the links of a minimum spanning tree.

    If the endpoints of a link are each other's k-th and l-th nearest neighbours, the interestingness of the
    link is min(k, l). Takes about O(N log N) time with few features, and O(N^2 n_features) time at worst.
    Takes O(N n_features) memory. Raises a ValueError if ``tree`` and ``X`` differ in size or ``rank_cap`` is
    below 1. Source: Handl and Knowles, IEEE TEVC 11(1), 2007, section on initialisation.

    Parameters
    ----------
    tree : SpanningTree
    X : array-like of shape (n_samples, n_features)
        Features or, with ``metric="precomputed"``, distances of shape (n_samples, n_samples).
    keys : ndarray of shape (n_samples,), int32, optional
        Neighbours at equal distances are sorted by increasing key. Default: row indices.
    metric : str or callable, default="euclidean"
    rank_cap : int, optional
        Maximum rank. Higher ranks are set to this value to save time. Equal degrees are sorted by length.
    """
    data = checked_distances(X) if metric == "precomputed" else checked_table(X)
    n = tree.n_samples
    require_same_samples("X and the tree", len(data), n)
    cap = n if rank_cap is None else integer("rank_cap", rank_cap)
    keys = np.arange(n, dtype=np.int32) if keys is None else checked_array(keys, "keys", np.int32)
    links = tree.links().astype(np.int64)
    pairs = np.concatenate([links, links[:, ::-1]])
    found = _ranks(data, pairs, keys, metric, cap, n_jobs)
    down, up = np.zeros(n, dtype=np.int32), np.zeros(n, dtype=np.int32)
    down[links[:, 0]], up[links[:, 0]] = found[: len(links)], found[len(links) :]
    children = links[:, 0]
    degree = np.minimum(down, up)[children]
    lengths = neighborhoods.round_distances(tree.lengths[children])
    order = children[np.lexsort((keys[children], -lengths, -degree))]
    return LinkInterest(down, up, order.astype(np.int32))


def _ranks(
    data: Any, pairs: Int64Array, keys: Int32Array, metric: neighborhoods.Metric, cap: int, n_jobs: int | None
) -> Ranks:
    out = np.empty(len(pairs), dtype=np.int32)
    space = neighborhoods.MetricSpace(data, metric)
    if space.power != 2.0:
        for part in block_slices(len(pairs), len(data)):
            D = data[pairs[part, 0]]
            D = D if metric == "precomputed" else pairwise_distances(D, data, metric=metric)
            distances, here = neighborhoods.round_distances(D), np.arange(len(D))
            first, second = pairs[part].T
            own = distances[here, second][:, None]
            before = (distances < own) | ((distances == own) & (keys < keys[second][:, None]))
            before[here, first] = False
            out[part] = 1 + before.sum(axis=1)
        return np.minimum(out, cap)
    rows = neighborhoods.DistinctRows(space.points, keys)
    twins = rows.of_sample[pairs[:, 0]] == rows.of_sample[pairs[:, 1]]
    if twins.any():
        # Duplicates of a sample precede its other neighbours. A sample is not its own neighbour, so the ranks
        # of the duplicates that follow the sample decrease by one.
        of, to = np.argsort(rows.samples)[pairs[twins]].T
        first = rows.start[rows.of_sample[pairs[twins, 0]]]
        out[twins] = np.minimum(1 + to - first - (of < to), cap)
        if not twins.all():
            out[~twins] = _ranks(data, pairs[~twins], keys, metric, cap, n_jobs)
        return out
    if space.points.shape[1] > MOST_FEATURES:
        return np.minimum(ranks_by_products(space.points.astype(np.float64), pairs, keys), cap)
    points, samples, nodes = box_tree(space.points)
    places = np.argsort(samples)[pairs]
    by_place = np.argsort(places[:, 0], kind="stable")
    ordered = places[by_place]
    found = np.empty(len(pairs), dtype=np.int32)

    def share(lo: int, hi: int) -> None:
        stack = np.empty(256, dtype=np.int64)
        ranks(ordered, points, keys[samples], *nodes, cap, stack, lo, hi, found)

    for_parts(share, len(pairs), 1e3 * len(pairs), n_jobs)
    out[by_place] = found
    return out


def ranks_by_products(X: FloatArray, pairs: Int64Array, keys: Int32Array) -> Int32Array:
    """Compute the rank of pairs[p, 1] among the neighbours of pairs[p, 0], starting at 1."""
    # Distances are computed by matrix products, and nearly tied distances are computed again from
    # differences. Takes at most O(N^2 n_features) time for N samples, in blocks of bounded size.
    centred = X - X.mean(axis=0)
    squares = np.einsum("ij,ij->i", centred, centred)
    norms = np.sqrt(squares)
    # The rounding error of |x|^2 - 2 x.y + |y|^2 is at most ``noise``, because no intermediate sum exceeds
    # (|x| + |y|)^2.
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
            slack = noise[i] + 1e-11 * limits[p]  # the second term bounds the rounding errors of the limits
            before = int(np.count_nonzero(rough[row] < limits[p] - slack))
            close = np.flatnonzero(np.abs(rough[row] - limits[p]) <= slack)
            exact = _square_distances(X, np.full(len(close), i), close)
            nearer = (exact < limits[p]) | ((exact == limits[p]) & (keys[close] < keys[j]))
            out[p] = 1 + before + int(np.count_nonzero(nearer))
    return out


def _square_distances(X: FloatArray, a: Int64Array, b: Int64Array) -> FloatArray:
    differences = X[a] - X[b]
    return rounded(np.einsum("ij,ij->i", differences, differences))
