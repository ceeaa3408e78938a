"""Minimum spanning trees, and Genie clustering."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order
from sklearn.metrics import pairwise_distances

from moo_clustering._arrays import choice, integer, probability, quoted, require_squares
from moo_clustering._data import checked_array, checked_integers, checked_table
from moo_clustering._distances import checked_distances
from moo_clustering._docs import documented
from moo_clustering._kernels import caching, trees
from moo_clustering._types import FloatArray, Int32Array, Int64Array, IntpArray
from moo_clustering.graphs import neighbors
from moo_clustering.graphs.neighbors import Metric, PlainMetric, Ties
from moo_clustering.graphs.spectral import checked_counts

# With more features than this, bounding boxes exclude too few points to save time.
MOST_FEATURES = 20
Algorithm = Literal["auto", "prim", "boruvka"]
Root = int | Literal["random"]
_FEW = 1000


@dataclass(frozen=True, eq=False)
class SpanningTree:
    """Rooted minimum spanning tree.

    Attributes
    ----------
    parent : ndarray of shape (n_samples,), int32
        Parent of each sample; the root is its own parent.
    lengths : ndarray of shape (n_samples,), float64
        Distance from each sample to its parent; 0 for the root.
    root : int
    order : ndarray of shape (n_samples,), int32
        All samples, with parents before their children.
    """

    parent: Int32Array
    lengths: FloatArray
    root: int
    order: Int32Array

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.parent)

    def links(self) -> Int32Array:
        """Return the child and parent of each link, shape (n_samples - 1, 2), sorted by child."""
        children = np.flatnonzero(np.arange(self.n_samples) != self.root).astype(np.int32)
        return np.column_stack([children, self.parent[children]])


@documented()
def euclidean_mst(
    X: ArrayLike,
    *,
    metric: Metric = "euclidean",
    root: Root = "random",
    ties: Ties | Int32Array = "random",
    algorithm: Algorithm = "auto",
    rng: np.random.Generator | None = None,
) -> SpanningTree:
    """Compute the exact minimum spanning tree of samples.

    Prim's algorithm takes O(N^2 n_features) time. Boruvka's algorithm takes about O(N log N) time with few
    features. The memory is O(N n_features), plus up to 128 MB if at most 4096 samples have more than 20
    features. Among equal samples, all are linked to the sample with the smallest key. Raises a ValueError if
    ``"boruvka"`` is requested with a non-Euclidean metric. Source: Handl and Knowles, IEEE TEVC 11(1), 2007.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features or, with ``metric="precomputed"``, symmetric distances of shape (n_samples, n_samples).
    metric : str or callable, default="euclidean"
        Any metric of :func:`sklearn.metrics.pairwise_distances`, or ``"precomputed"``.
    root : int or "random", default="random"
        Root sample; does not affect the links.
    ties : {"random", "index"} or ndarray of shape (n_samples,), int32, default="random"
        Unique key of each sample: a random permutation, row indices, or an array. Links of equal length are
        sorted by the smaller key of their ends, then by the larger key.
    algorithm : {"auto", "prim", "boruvka"}, default="auto"
        ``"boruvka"`` searches a tree of boxes, and requires Euclidean distances. ``"prim"`` adds one sample
        at a time, and supports any metric without storing a distance matrix. Both return the same tree.
    rng : numpy.random.Generator, optional
        Generator for random roots and keys.
    """
    rng = np.random.default_rng() if rng is None else rng
    precomputed = metric == "precomputed"
    data = checked_distances(X) if precomputed else checked_table(X)
    n = len(data)
    keys = _checked_keys(ties, n, rng)
    place = int(rng.integers(n)) if root == "random" else root
    if isinstance(place, bool) or not isinstance(place, int | np.integer) or not 0 <= place < n:
        raise ValueError(f"root must be 'random' or a sample from 0 to {n - 1}, got {quoted(root)}")
    choice("algorithm", algorithm, ("auto", "prim", "boruvka"))
    if precomputed:
        if algorithm == "boruvka":
            raise ValueError('algorithm="boruvka" requires Euclidean features; use "auto" or "prim"')
        links = _prim(data.astype(np.float64), True, keys)
        lengths = data[links[:, 0], links[:, 1]].astype(np.float64)
    else:
        links, lengths = _of_rows(data, keys, metric, algorithm)
    return hang_up(links, lengths, n, int(place))


def _checked_keys(ties: Ties | Int32Array, n_samples: int, rng: np.random.Generator) -> Int32Array:
    if isinstance(ties, str):
        if ties not in ("random", "index"):
            raise ValueError(f"ties must be 'random', 'index' or a sequence of keys, got {quoted(ties)}")
        return neighbors.tie_keys(n_samples, ties, rng)
    keys = checked_array(ties, "ties", np.int32)
    if keys.shape != (n_samples,) or (np.diff(np.sort(keys)) == 0).any():
        raise ValueError(f"ties must contain {n_samples} distinct keys, one per sample")
    return keys


def _of_rows(
    X: NDArray[Any], keys: Int32Array, metric: Metric, algorithm: str
) -> tuple[Int64Array, FloatArray]:
    space = neighbors.MetricSpace(X, metric)
    if algorithm == "boruvka" and space.power != 2.0:
        raise ValueError(f'algorithm="boruvka" requires a Euclidean metric, got {quoted(metric)}; use "prim"')
    if space.power == 2.0:
        require_squares(space.points)
    rows = neighbors.DistinctRows(space.points, keys)
    first = rows.samples[rows.start[:-1]]
    points = np.ascontiguousarray(rows.points, dtype=np.float64)
    suited = len(points) > _FEW and points.shape[1] <= MOST_FEATURES
    if space.power != 2.0:

        def row(i: int) -> FloatArray:
            return neighbors.round_distances(pairwise_distances(points[i : i + 1], points, metric=metric))

        links = _prim_by_rows(row, keys[first])
    elif algorithm == "boruvka" or (algorithm == "auto" and suited):
        links = np.empty((len(points) - 1, 2), dtype=np.int64)
        ordered, samples, nodes = box_tree(points)
        trees.boruvka(ordered, keys[first][samples], *nodes, links)
        links = samples[links]
    else:
        squares = square_distances(points)
        links = _prim(points if squares is None else squares, squares is not None, keys[first])
    if space.power == 2.0:
        lengths = neighbors.row_distances(points, *links.T)
    else:
        found = [pairwise_distances(points[[a]], points[[b]], metric=metric)[0, 0] for a, b in links]
        lengths = np.array(found, dtype=np.float64)
    space.finish(lengths)
    others = np.setdiff1d(np.arange(len(X)), first)
    twins = np.column_stack([others, first[rows.of_sample[others]]])
    return np.concatenate([first[links], twins]), np.concatenate([lengths, np.zeros(len(twins))])


def square_distances(points: FloatArray) -> FloatArray | None:
    """Return all squared distances, shape (n, n), or None if there are few features or many points."""
    # If there are many features, kernels that read this matrix are several times faster than kernels that
    # compute distances. The matrix of 4096 samples takes 128 MB.
    if points.shape[1] <= MOST_FEATURES or len(points) > 4096:
        return None
    return trees.square_distances(np.ascontiguousarray(points, dtype=np.float64))


def _prim(
    X: NDArray[Any], precomputed: bool, keys: NDArray[Any], cores: FloatArray | None = None
) -> Int64Array:
    """Compute links by Prim's algorithm. If ``cores`` is given, lengths are mutual reachability distances."""
    if not caching.interpreted(trees.prim, 100 * len(X)):
        links = np.empty((len(X) - 1, 2), dtype=np.int64)
        trees.prim(X, precomputed, keys, cores, links)
        return links
    columns, core = np.ascontiguousarray(X.T), None if cores is None else _rounded(cores)

    def row(i: int) -> FloatArray:
        distance = X[i] if precomputed else sum((column - column[i]) ** 2 for column in columns)
        found = _rounded(distance)
        return np.stack([found] if core is None else [np.maximum(np.maximum(found, core), core[i]), found])

    return _prim_by_rows(row, keys)


def _rounded(values: Any) -> FloatArray:
    high: FloatArray = values * 4097.0  # the same rounding as in the kernel
    return high - (high - values)


def _prim_by_rows(row: Callable[[int], FloatArray], keys: NDArray[Any]) -> Int64Array:
    """Compute the links of a minimum spanning tree by Prim's algorithm with NumPy.

    ``row(i)`` returns the lengths of the links from sample i and, optionally, a second row that breaks ties.
    """
    n = len(keys)
    links = np.empty((n - 1, 2), dtype=np.int64)
    lengths, source = np.full_like(row(0), np.inf), np.zeros(n, dtype=np.int64)
    outside = np.ones(n, dtype=bool)
    newest = 0
    for done in range(n - 1):
        outside[newest] = False
        found = row(newest)
        (low, high), (old_low, old_high) = _ends(keys, keys[newest]), _ends(keys, keys[source])
        nearer = (low < old_low) | ((low == old_low) & (high < old_high))
        for new, old in zip(found[::-1], lengths[::-1], strict=True):
            nearer = (new < old) | ((new == old) & nearer)
        nearer &= outside
        lengths[:, nearer], source[nearer] = found[:, nearer], newest
        left = np.flatnonzero(outside)
        tied = left[lengths[0, left] == lengths[0, left].min()]
        low, high = _ends(keys[tied], keys[source[tied]])
        newest = int(tied[np.lexsort((high, low, *lengths[:0:-1, tied]))[0]])
        links[done] = source[newest], newest
    return links


def _ends(keys: NDArray[Any], others: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    return np.minimum(keys, others), np.maximum(keys, others)


@documented(neighbors.neighbor_lists)
def mutual_reachability_mst(
    X: ArrayLike, *, n_neighbors: int = 5, metric: PlainMetric = "euclidean", n_jobs: int | None = None
) -> SpanningTree:
    """Compute the exact minimum spanning tree for the distances max(d_ij, core_i, core_j).

    core_i is the distance from sample i to its ``n_neighbors``-th nearest other sample, or to the farthest
    sample if there are fewer others. Takes O(m^2 n_features) time (Prim's algorithm) and as much memory as
    :func:`euclidean_mst`. Source: Campello, Moulavi and Sander, Density-based clustering, PAKDD 2013.

    Parameters
    ----------
    X : array-like of shape (m, n_features)
        Features or, with ``metric="precomputed"``, symmetric distances of shape (m, m).
    n_neighbors : int, default=5
    metric : {"euclidean", "precomputed"}, default="euclidean"

    Returns
    -------
    SpanningTree
        Tree with root 0. Links of equal length (common in sparse regions) are sorted by d_ij, then by row.
    """
    integer("n_neighbors", n_neighbors)
    data = neighbors.checked_data(X, metric)
    m, precomputed = len(data), metric == "precomputed"
    if precomputed:
        if not np.allclose(data, data.T, rtol=1e-9, atol=0.0):
            raise ValueError('a spanning tree requires symmetric distances with metric="precomputed"')
        # The matrix is made exactly symmetric, so that ties do not depend on the direction of a link.
        data = np.maximum(data, data.T)
    if m == 1:
        return hang_up(np.empty((0, 2), dtype=np.int64), np.empty(0), 1, 0)
    cores = neighbors.index_tied_lists(data, n_neighbors, metric, n_jobs)[1][:, -1]
    squares = None if precomputed else square_distances(data)
    given = np.ascontiguousarray(data) if squares is None else squares
    lengths = precomputed or squares is not None
    i, j = _prim(given, lengths, np.arange(m), cores if precomputed else cores**2).T
    distances = data[i, j] if precomputed else neighbors.row_distances(data, i, j)
    return hang_up(np.column_stack([i, j]), np.maximum(distances, np.maximum(cores[i], cores[j])), m, 0)


def minimax_distances(tree: SpanningTree) -> FloatArray:
    """Compute the length of the longest link on the tree path between each pair of samples.

    In a minimum spanning tree, this is the single-linkage (subdominant ultrametric) distance. Takes O(m^2)
    time and memory. Source: Gower and Ross, Applied Statistics 18, 1969.

    Parameters
    ----------
    tree : SpanningTree

    Returns
    -------
    ndarray of shape (m, m), float64
        Symmetric matrix with a zero diagonal.
    """
    m, order = tree.n_samples, tree.order
    place = np.empty(m, dtype=np.intp)
    place[order] = np.arange(m)
    above, length = place[tree.parent[order]], tree.lengths[order]
    # In tree order, parents precede their children, so row p depends only on earlier rows.
    path = np.zeros((m, m))
    for p in range(1, m):
        path[p, :p] = np.maximum(path[above[p], :p], length[p])
        path[:p, p] = path[p, :p]
    return path[np.ix_(place, place)]


def genie_merges(links: ArrayLike, lengths: ArrayLike, *, threshold: float = 0.3) -> IntpArray:
    """Compute the order in which Genie merges the links of a minimum spanning tree.

    Genie merges the shortest unused link if the Gini index of the cluster sizes is at most ``threshold``, and
    otherwise the shortest unused link of the smallest clusters. Takes at most O(m sqrt(m)) time and O(m)
    memory. Raises a ValueError for invalid links, lengths or threshold. Source: Gagolewski, Bartoszuk and
    Cena, Information Sciences 363, 2016.

    Parameters
    ----------
    links : array-like of shape (m - 1, 2)
        Links of a spanning tree on samples 0..m-1, for example from :meth:`SpanningTree.links`.
    lengths : array-like of shape (m - 1,)
        Lengths of the links. Links whose lengths agree to twelve digits are tied, and keep their order.
    threshold : float, default=0.3
        Maximum Gini index, from 0 to 1, at which the shortest link is merged; 1 yields single linkage.

    Returns
    -------
    ndarray of shape (m - 1,), intp
        Positions in ``links``, in merging order.
    """
    joined, span = checked_integers(links, "links"), checked_array(lengths, "lengths", np.float64)
    if span.ndim != 1 or joined.shape != (len(span), 2):
        raise ValueError(
            f"links and lengths must have shapes (m - 1, 2) and (m - 1,), got {joined.shape} and {span.shape}"
        )
    if len(span) and (joined.min() < 0 or joined.max() > len(span)):
        raise ValueError(f"links must join samples 0 to {len(span)}, got {joined.min()} to {joined.max()}")
    if (span < 0).any():
        raise ValueError("lengths must be finite and non-negative")
    joined = np.ascontiguousarray(joined, dtype=np.int64)
    threshold = probability("threshold", threshold)
    by_length = np.argsort(neighbors.round_distances(span), kind="stable")
    order = np.empty(len(span), dtype=np.int64)
    if not caching.run(trees.genie_order, 50 * len(order), joined[by_length], threshold, order):
        raise ValueError("links must form a spanning tree, but they contain a cycle")
    return by_length[order]


@documented(genie_merges)
def genie_cuts(
    links: ArrayLike, lengths: ArrayLike, ks: Sequence[int] | NDArray[Any], *, threshold: float = 0.3
) -> Int32Array:
    """Compute the Genie partitions for several numbers of clusters. Each partition takes O(m) more time.

    Parameters
    ----------
    ks : sequence of int
        Numbers of clusters, at least 1. For values of at least m, each sample is a cluster.

    Returns
    -------
    ndarray of shape (len(ks), m), int32
        Clusters after m - k merges, numbered by first appearance.
    """
    wanted = checked_counts(ks)
    order = genie_merges(links, lengths, threshold=threshold)
    m = len(order) + 1
    n_merges = np.maximum(m - wanted, 0)
    few_first = np.argsort(n_merges, kind="stable")
    labels = np.empty((len(wanted), m), dtype=np.int32)
    joined = np.ascontiguousarray(links, dtype=np.int64)
    caching.run(trees.cut_labels, 2 * labels.size, joined, order, n_merges[few_first], labels)
    cuts = np.empty_like(labels)
    cuts[few_first] = labels
    return cuts


def hang_up(links: Int64Array, lengths: FloatArray, n_samples: int, root: int) -> SpanningTree:
    """Return the tree that has the given links, shape (n_samples - 1, 2), and the given root."""
    # The links are sorted, so that the order of samples does not depend on the algorithm.
    ends = np.sort(links, axis=1)
    by_ends = np.lexsort((ends[:, 1], ends[:, 0]))
    links, lengths = ends[by_ends], lengths[by_ends]
    joined = csr_array((np.ones(len(links)), links.T), shape=(n_samples, n_samples))
    order, parent = breadth_first_order(joined, root, directed=False)
    parent[root] = root
    length_of = np.zeros(n_samples)
    child = np.where(parent[links[:, 0]] == links[:, 1], links[:, 0], links[:, 1])
    length_of[child] = lengths
    return SpanningTree(parent.astype(np.int32), length_of, root, order.astype(np.int32))


def box_tree(X: NDArray[Any]) -> tuple[FloatArray, Int64Array, list[NDArray[Any]]]:
    """Build a tree of bounding boxes for rows, in O(n_features N log N) time and O(n_features N) memory.

    Returns the rows in the order of the leaves, the index in X of each of these rows, and four arrays with an
    entry per node: the first row, the last row plus 1, the lowest corner and the highest corner of the node's
    box. The children of node i are nodes 2i + 1 and 2i + 2.
    """
    rows = np.ascontiguousarray(X, dtype=np.float64)
    samples, *nodes = trees.build(rows, trees.node_count(len(rows)))
    return rows[samples], samples, nodes
