"""Exact minimum spanning trees, with a defined choice among equally short links."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order
from sklearn.metrics import pairwise_distances
from sklearn.utils import check_array

from moo_clustering._kernels.spanning_tree import boruvka, prim
from moo_clustering.graphs._box_tree import MOST_FEATURES, box_tree
from moo_clustering.graphs._distinct_rows import distinct_rows
from moo_clustering.graphs._neighbors import Ties, check_distances, tie_keys
from moo_clustering.graphs._search import Metric, metric_space, round_distances

Algorithm = Literal["auto", "prim", "boruvka"]
Root = int | Literal["random"]
Links = NDArray[np.int64]

_FEW = 1000


@dataclass(frozen=True, eq=False)
class SpanningTree:
    """A minimum spanning tree, hung up at one sample.

    Attributes
    ----------
    parent : ndarray of shape (n_samples,), int32
        The root is its own.
    lengths : ndarray of shape (n_samples,), float64
        Distance to the parent; 0 for the root.
    root : int
    order : ndarray of shape (n_samples,), int32
        All samples, parents before their children.
    """

    parent: NDArray[np.int32]
    lengths: NDArray[np.float64]
    root: int
    order: NDArray[np.int32]

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.parent)

    def links(self) -> NDArray[np.int32]:
        """Child and parent of every link, shape (n_samples - 1, 2), in the order of the children."""
        children = np.flatnonzero(np.arange(self.n_samples) != self.root).astype(np.int32)
        return np.column_stack([children, self.parent[children]])


def euclidean_mst(
    X: ArrayLike,
    *,
    metric: Metric = "euclidean",
    root: Root = "random",
    ties: Ties | NDArray[np.int32] = "random",
    algorithm: Algorithm = "auto",
    rng: np.random.Generator | None = None,
) -> SpanningTree:
    """Exact minimum spanning tree of samples.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Or (n_samples, n_samples) symmetric distances with ``metric="precomputed"``.
    metric : str or callable, default="euclidean"
        Any metric of :func:`sklearn.metrics.pairwise_distances`, or ``"precomputed"``.
    root : int or "random", default="random"
        Sample that the tree hangs from; the links do not depend on it.
    ties : {"random", "index"} or ndarray of shape (n_samples,), int32, default="random"
        Keys of the samples: of equally long links the one with the smaller key comes first, then by
        the larger key. A random permutation, the row numbers, or keys of one's own.
    algorithm : {"auto", "prim", "boruvka"}, default="auto"
        Boruvka's rounds over a tree of boxes, for Euclidean distances; or Prim's, sample by sample
        without a matrix of distances, for any metric. The result is the same.
    rng : numpy.random.Generator, optional
        For the root and the keys, if they are random.

    Returns
    -------
    SpanningTree

    Raises
    ------
    ValueError
        Bad data, a root that is no sample, or Boruvka's algorithm for another metric.

    Notes
    -----
    Prim takes O(N^2 n_features) time, Boruvka about O(N log N) in few features; memory is
    O(N n_features). Duplicates are joined by links of length 0 to the one with the smallest key.

    References
    ----------
    Handl and Knowles, IEEE TEVC 11(1), 2007, for what the tree is used for.
    """
    rng = np.random.default_rng() if rng is None else rng
    precomputed = isinstance(metric, str) and metric == "precomputed"
    data = check_distances(X) if precomputed else check_array(X, dtype=np.float64)
    n = len(data)
    keys = _checked_keys(ties, n, rng)
    place = int(rng.integers(n)) if root == "random" else root
    if isinstance(place, bool) or not isinstance(place, int | np.integer) or not 0 <= place < n:
        raise ValueError(f"root must be 'random' or a sample from 0 to {n - 1}, got {root!r}.")
    if algorithm not in ("auto", "prim", "boruvka"):
        raise ValueError(f"algorithm must be 'auto', 'prim' or 'boruvka', got {algorithm!r}.")
    if precomputed:
        links, lengths = _of_matrix(data, keys, algorithm)
    else:
        links, lengths = _of_rows(data, keys, metric, algorithm)
    return hang_up(links, lengths, n, int(place))


def hang_up(links: Links, lengths: NDArray[np.float64], n_samples: int, root: int) -> SpanningTree:
    """Root a tree that is given by links of shape (n_samples - 1, 2)."""
    # In one order, whichever algorithm found them, since the order of the samples follows it.
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


def _checked_keys(
    ties: Ties | NDArray[np.int32], n_samples: int, rng: np.random.Generator
) -> NDArray[np.int32]:
    if isinstance(ties, str):
        if ties not in ("random", "index"):
            raise ValueError(f"ties must be 'random', 'index' or keys, got {ties!r}.")
        return tie_keys(n_samples, ties, rng)
    keys = np.asarray(ties, dtype=np.int32)
    if keys.shape != (n_samples,) or (np.diff(np.sort(keys)) == 0).any():
        raise ValueError(f"ties must hold {n_samples} different keys, one per sample.")
    return keys


def _of_matrix(D: NDArray[Any], keys: NDArray[np.int32], algorithm: str) -> tuple[Links, NDArray[np.float64]]:
    if algorithm == "boruvka":
        raise ValueError('algorithm="boruvka" needs Euclidean features; choose "auto" or "prim".')
    if not np.allclose(D, D.T, rtol=1e-9, atol=0.0):
        raise ValueError('metric="precomputed": distances must be symmetric for a spanning tree.')
    links = np.empty((len(D) - 1, 2), dtype=np.int64)
    # Both halves alike to the bit, so that ties are ties from either end.
    prim(np.maximum(D, D.T).astype(np.float64), True, keys, links)
    return links, D[links[:, 0], links[:, 1]].astype(np.float64)


def _of_rows(
    X: NDArray[Any], keys: NDArray[np.int32], metric: Metric, algorithm: str
) -> tuple[Links, NDArray[np.float64]]:
    space = metric_space(X, metric)
    if algorithm == "boruvka" and space.power != 2.0:
        raise ValueError(f'algorithm="boruvka" needs the Euclidean metric, got {metric!r}; choose "prim".')
    rows = distinct_rows(space.points, keys)
    first = rows.samples[rows.start[:-1]]
    points = np.ascontiguousarray(rows.points, dtype=np.float64)
    links = np.empty((len(points) - 1, 2), dtype=np.int64)
    if space.power != 2.0:
        links = _prim_by_rows(
            lambda i: pairwise_distances(points[i : i + 1], points, metric=metric)[0], keys[first]
        )
    elif algorithm == "boruvka" or (
        algorithm == "auto" and len(points) > _FEW and points.shape[1] <= MOST_FEATURES
    ):
        tree = box_tree(points)
        boruvka(tree.points, keys[first][tree.samples], *tree.nodes, links)
        links = tree.samples[links]
    else:
        prim(points, False, keys[first], links)
    lengths = _lengths(points, links, metric, space.power)
    space.finish(lengths)
    others = np.setdiff1d(np.arange(len(X)), first)
    twins = np.column_stack([others, first[rows.of_sample[others]]])
    return np.concatenate([first[links], twins]), np.concatenate([lengths, np.zeros(len(twins))])


def _lengths(
    points: NDArray[np.float64], links: Links, metric: Metric, power: float | None
) -> NDArray[np.float64]:
    if power == 2.0:
        lengths: NDArray[np.float64] = np.linalg.norm(points[links[:, 0]] - points[links[:, 1]], axis=1)
        return lengths
    return np.array(
        [pairwise_distances(points[a : a + 1], points[b : b + 1], metric=metric)[0, 0] for a, b in links],
        dtype=np.float64,
    ).reshape(-1)


def _prim_by_rows(row: Callable[[int], NDArray[Any]], keys: NDArray[np.int32]) -> Links:
    n = len(keys)
    links = np.empty((n - 1, 2), dtype=np.int64)
    length, source = np.full(n, np.inf), np.zeros(n, dtype=np.int64)
    outside = np.ones(n, dtype=bool)
    newest = 0
    for done in range(n - 1):
        outside[newest] = False
        distance = round_distances(row(newest))
        nearer = outside & ((distance < length) | ((distance == length) & _smaller(keys, newest, source)))
        length[nearer], source[nearer] = distance[nearer], newest
        left = np.flatnonzero(outside)
        tied = left[length[left] == length[left].min()]
        ends = np.sort(np.column_stack([keys[tied], keys[source[tied]]]), axis=1)
        newest = int(tied[np.lexsort((ends[:, 1], ends[:, 0]))[0]])
        links[done] = source[newest], newest
    return links


def _smaller(keys: NDArray[np.int32], newest: int, source: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether the link to the newest comes before that to the source, both of the same length."""
    new = np.sort(np.column_stack([keys, np.full(len(keys), keys[newest])]), axis=1)
    old = np.sort(np.column_stack([keys, keys[source]]), axis=1)
    smaller: NDArray[np.bool_] = (new[:, 0] < old[:, 0]) | (
        (new[:, 0] == old[:, 0]) & (new[:, 1] < old[:, 1])
    )
    return smaller
