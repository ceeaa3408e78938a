"""How much a link of a spanning tree looks like one between clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import pairwise_distances
from sklearn.utils import check_array

from moo_clustering._arrays import block_slices
from moo_clustering._kernels.distance_ranks import ranks
from moo_clustering._kernels.parts import for_parts
from moo_clustering.graphs._box_tree import MOST_FEATURES, box_tree
from moo_clustering.graphs._distinct_rows import DistinctRows, distinct_rows
from moo_clustering.graphs._neighbors import check_distances
from moo_clustering.graphs._rank_products import ranks_by_products
from moo_clustering.graphs._search import Metric, metric_space, round_distances
from moo_clustering.graphs._spanning_tree import SpanningTree

Ranks = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class LinkInterest:
    """Ranks of the ends of the links of a spanning tree; a link is known by its child end.

    Attributes
    ----------
    rank_of_parent : ndarray of shape (n_samples,), int32
        Place of the parent among the neighbours of the child, from 1; 0 for the root.
    rank_of_child : ndarray of shape (n_samples,), int32
        Place of the child among the neighbours of the parent.
    order : ndarray of shape (n_samples - 1,), int32
        Child ends: by falling degree, then falling length, then key.
    """

    rank_of_parent: Ranks
    rank_of_child: Ranks
    order: Ranks

    @property
    def degree(self) -> Ranks:
        """Degree of interestingness, the smaller of both ranks."""
        return np.minimum(self.rank_of_parent, self.rank_of_child)

    def interesting(self, n_neighbors: int) -> NDArray[np.bool_]:
        """Whether neither end is among the so many nearest neighbours of the other."""
        return self.degree > n_neighbors


def mst_interestingness(
    tree: SpanningTree,
    X: ArrayLike,
    *,
    keys: NDArray[np.int32] | None = None,
    metric: Metric = "euclidean",
    rank_cap: int | None = None,
    n_jobs: int | None = None,
) -> LinkInterest:
    """Ranks and priority of the links of a spanning tree.

    Parameters
    ----------
    tree : SpanningTree
    X : array-like of shape (n_samples, n_features)
        Or (n_samples, n_samples) distances with ``metric="precomputed"``.
    keys : ndarray of shape (n_samples,), int32, optional
        Order of equally near neighbours; default: that of the rows.
    metric : str or callable, default="euclidean"
    rank_cap : int, optional
        Larger ranks become this one, which is faster; links beyond are ordered by their length.
    n_jobs : int, optional
        Threads; the result does not depend on it.

    Returns
    -------
    LinkInterest

    Raises
    ------
    ValueError
        Data of another number of samples, or a cap below 1.

    Notes
    -----
    About O(N log N) time in few features, O(N^2 n_features) at worst; O(N n_features) memory.

    References
    ----------
    Handl and Knowles, IEEE TEVC 11(1), 2007, section on initialisation.
    """
    precomputed = isinstance(metric, str) and metric == "precomputed"
    data = check_distances(X) if precomputed else check_array(X, dtype=np.float64)
    n = tree.n_samples
    if len(data) != n:
        raise ValueError(f"X has {len(data)} samples, the tree {n}.")
    if rank_cap is not None and rank_cap < 1:
        raise ValueError(f"rank_cap must be at least 1, got {rank_cap}.")
    keys = np.arange(n, dtype=np.int32) if keys is None else np.asarray(keys, dtype=np.int32)
    cap = n if rank_cap is None else int(rank_cap)
    links = tree.links().astype(np.int64)
    pairs = np.concatenate([links, links[:, ::-1]])
    found = _ranks(data, pairs, keys, metric, cap, n_jobs)
    down, up = np.zeros(n, dtype=np.int32), np.zeros(n, dtype=np.int32)
    down[links[:, 0]], up[links[:, 0]] = found[: len(links)], found[len(links) :]
    children = links[:, 0]
    degree = np.minimum(down, up)[children]
    lengths = round_distances(tree.lengths[children])
    order = children[np.lexsort((keys[children], -lengths, -degree))]
    return LinkInterest(down, up, order.astype(np.int32))


def _ranks(
    data: NDArray[Any],
    pairs: NDArray[np.int64],
    keys: NDArray[np.int32],
    metric: Metric,
    cap: int,
    n_jobs: int | None,
) -> Ranks:
    out = np.empty(len(pairs), dtype=np.int32)
    if isinstance(metric, str) and metric == "precomputed":
        for part in block_slices(len(pairs), len(data)):
            out[part] = _rank_in_rows(data[pairs[part, 0]], pairs[part], keys)
        return np.minimum(out, cap)
    space = metric_space(data, metric)
    if space.power != 2.0:
        for part in block_slices(len(pairs), len(data)):
            rows = pairwise_distances(space.points[pairs[part, 0]], space.points, metric=metric)
            out[part] = _rank_in_rows(rows, pairs[part], keys)
        return np.minimum(out, cap)
    rows = distinct_rows(space.points, keys)
    twins = rows.of_sample[pairs[:, 0]] == rows.of_sample[pairs[:, 1]]
    if twins.any():
        out[twins] = np.minimum(_rank_among_twins(rows, pairs[twins]), cap)
        if not twins.all():
            out[~twins] = _ranks(data, pairs[~twins], keys, metric, cap, n_jobs)
        return out
    if space.points.shape[1] > MOST_FEATURES:
        return np.minimum(ranks_by_products(space.points.astype(np.float64), pairs, keys), cap)
    tree = box_tree(space.points)
    places = tree.positions()[pairs]
    by_place = np.argsort(places[:, 0], kind="stable")
    ordered = places[by_place]
    found = np.empty(len(pairs), dtype=np.int32)

    def share(lo: int, hi: int) -> None:
        stack = np.empty(256, dtype=np.int64)
        ranks(ordered, tree.points, keys[tree.samples], *tree.nodes, cap, stack, lo, hi, found)

    for_parts(share, len(pairs), 1e3 * len(pairs), n_jobs)
    out[by_place] = found
    return out


def _rank_among_twins(rows: DistinctRows, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Nearest of all are the duplicates, by their keys, and among so many nobody wants to search."""
    place = np.empty(len(rows.samples), dtype=np.int64)
    place[rows.samples] = np.arange(len(place))
    of, to = place[pairs].T
    ranks: NDArray[np.int64] = 1 + to - rows.start[rows.of_sample[pairs[:, 0]]] - (of < to)
    return ranks


def _rank_in_rows(rows: NDArray[Any], pairs: NDArray[np.int64], keys: NDArray[np.int32]) -> Ranks:
    distances = round_distances(rows)
    here = np.arange(len(pairs))
    own = distances[here, pairs[:, 1]][:, None]
    before = (distances < own) | ((distances == own) & (keys < keys[pairs[:, 1]][:, None]))
    before[here, pairs[:, 0]] = False
    return (1 + before.sum(axis=1)).astype(np.int32)
