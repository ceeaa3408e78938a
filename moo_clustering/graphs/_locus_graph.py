"""What clustering by links between neighbours needs to know of the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering._arrays import centred_features
from moo_clustering.constraints import ConstraintGroups
from moo_clustering.graphs._interestingness import LinkInterest, mst_interestingness
from moo_clustering.graphs._neighbors import Ties, ordered_lists, tie_keys
from moo_clustering.graphs._search import MINKOWSKI, Metric
from moo_clustering.graphs._spanning_tree import Root, SpanningTree, euclidean_mst

DIFFERENCES = (*MINKOWSKI, "sqeuclidean")


@dataclass(frozen=True, eq=False)
class LocusGraph:
    """Nearest neighbours and a minimum spanning tree of the same samples, with the same order of ties.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features), float64
        Features with means 0.
    neighbors : ndarray of shape (n_samples, n_neighbors), int32, read-only
        Nearest others, nearest first; -1 behind the last admissible one.
    keys : ndarray of shape (n_samples,), int32
        Of equally near samples the one with the smaller key comes first.
    tree : SpanningTree
    interest : LinkInterest
    """

    X: NDArray[np.float64]
    neighbors: NDArray[np.int32]
    keys: NDArray[np.int32]
    tree: SpanningTree
    interest: LinkInterest

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.X)

    @property
    def n_neighbors(self) -> int:
        """Width of the lists: what was asked for, or n_samples - 1."""
        return self.neighbors.shape[1]

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


def locus_graph(
    X: ArrayLike,
    *,
    n_neighbors: int = 10,
    metric: Metric = "euclidean",
    ties: Ties = "random",
    root: Root = "random",
    rank_cap: int | None = None,
    rng: np.random.Generator,
    groups: ConstraintGroups | None = None,
    n_jobs: int | None = None,
) -> LocusGraph:
    """Neighbour lists, minimum spanning tree and the interestingness of its links.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    n_neighbors : int, default=10
        L; fewer if there are fewer other samples.
    metric : str or callable, default="euclidean"
        Of lists and tree; not ``"precomputed"``, since clusters have centroids.
    ties : {"random", "index"}, default="random"
        Key: a random permutation, or the row number, which leaks the order of the rows.
    root : int or "random", default="random"
    rank_cap : int, optional
        As for :func:`mst_interestingness`; above ``n_neighbors``.
    rng : numpy.random.Generator
        Draws keys, then the root.
    groups : ConstraintGroups, optional
        Samples in conflict are never neighbours; the tree does not know of them.
    n_jobs : int, optional
        Threads; the result does not depend on it.

    Returns
    -------
    LocusGraph

    Raises
    ------
    ValueError
        Bad data, or a sample without any admissible neighbour.

    Notes
    -----
    Time and memory are those of :func:`neighbor_lists`, :func:`euclidean_mst` and
    :func:`mst_interestingness`.
    """
    if isinstance(metric, str) and metric == "precomputed":
        raise ValueError('metric="precomputed" gives no centroids; X must be features.')
    if n_neighbors < 1:
        raise ValueError(f"n_neighbors must be at least 1, got {n_neighbors}.")
    if rank_cap is not None and rank_cap <= n_neighbors:
        raise ValueError(
            f"rank_cap must be above n_neighbors={n_neighbors}, else no link is interesting; got {rank_cap}."
        )
    if ties not in ("random", "index"):
        raise ValueError(f"ties must be 'random' or 'index', got {ties!r}.")
    data = centred_features(X)
    n = len(data)
    keys = tie_keys(n, ties, rng)
    # Only norms of differences, not angles or what else is about the origin, are the same from the mean.
    given = data if metric in DIFFERENCES else np.asarray(X, dtype=np.float64)
    tree = euclidean_mst(given, metric=metric, root=root, ties=keys, rng=rng)
    interest = mst_interestingness(tree, given, keys=keys, metric=metric, rank_cap=rank_cap, n_jobs=n_jobs)
    if n == 1:
        neighbors = np.empty((1, 0), dtype=np.int32)
    else:
        neighbors = ordered_lists(given, min(n_neighbors, n - 1), metric, keys, groups, n_jobs).indices
    # Encodings share what nobody can write to.
    neighbors.flags.writeable = False
    return LocusGraph(data, neighbors, keys, tree, interest)
