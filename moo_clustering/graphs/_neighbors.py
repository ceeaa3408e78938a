"""Exact lists of nearest other samples, with a defined order among ties."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array

from moo_clustering.constraints import ConstraintGroups
from moo_clustering.graphs._distinct_rows import distinct_rows
from moo_clustering.graphs._search import Metric, metric_space, point_search
from moo_clustering.graphs._selection import constrained_lists, free_lists, matrix_lists

Ties = Literal["random", "index"]


@dataclass(frozen=True, eq=False)
class NeighborLists:
    """Nearest admissible other samples of every sample, nearest first.

    Attributes
    ----------
    indices : ndarray of shape (n_samples, width), int32
        Sample numbers; -1 behind the last admissible one.
    distances : ndarray of shape (n_samples, width), float32
        Non-decreasing along a row; inf behind the last admissible one.
    n_admissible : ndarray of shape (n_samples,), int32
        How many leading entries of a row are real, at least 1.
    """

    indices: NDArray[np.int32]
    distances: NDArray[np.float32]
    n_admissible: NDArray[np.int32]


def neighbor_lists(
    X: ArrayLike,
    n_neighbors: int,
    *,
    metric: Metric = "euclidean",
    ties: Ties = "random",
    rng: np.random.Generator,
    groups: ConstraintGroups | None = None,
    n_jobs: int | None = None,
) -> NeighborLists:
    """Nearest other samples, exactly.

    A sample is never its own neighbour; its duplicates are, at distance 0. Distances that agree to
    twelve digits are tied, and tied samples are ordered by a key, also where the list ends.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Or (n_samples, n_samples) distances with ``metric="precomputed"``; row i lists the distances
        from sample i.
    n_neighbors : int
        Width of the lists, capped at n_samples - 1.
    metric : str or callable, default="euclidean"
        Any metric of :class:`sklearn.neighbors.NearestNeighbors`, or ``"precomputed"``. Under
        ``"cosine"`` an all-zero row is at distance 1 from every other row.
    ties : {"random", "index"}, default="random"
        Key: a random permutation, or the row number. The latter leaks the order of the rows where
        many distances are equal, as on grids.
    rng : numpy.random.Generator
        Draws the permutation.
    groups : ConstraintGroups, optional
        Samples of groups in conflict are never neighbours; they are taken out before the nearest are.
    n_jobs : int, optional
        Threads; the result does not depend on it.

    Returns
    -------
    NeighborLists

    Raises
    ------
    ValueError
        Fewer than two samples, bad distances, or a sample without any admissible neighbour.

    Notes
    -----
    KD-tree for Minkowski metrics up to 12 features, O(N log N) on well-behaved data; brute force in
    blocks otherwise, O(N^2 d). Memory O(N n_neighbors). Duplicates are searched for once. Rows that
    tie with very many distinct others at the end of the list are searched again with twice as many.

    References
    ----------
    PESC, Algorithm 3, Eq. 3.
    """
    if ties not in ("random", "index"):
        raise ValueError(f"ties must be 'random' or 'index', got {ties!r}.")
    if n_neighbors < 1:
        raise ValueError(f"n_neighbors must be at least 1, got {n_neighbors}.")
    precomputed = isinstance(metric, str) and metric == "precomputed"
    data = check_distances(X) if precomputed else check_array(X, dtype=[np.float64, np.float32])
    n_samples = len(data)
    if n_samples < 2:
        raise ValueError("neighbour lists need at least 2 samples, got 1.")
    if groups is not None and groups.n_samples != n_samples:
        raise ValueError(f"groups are about {groups.n_samples} samples, not {n_samples}.")
    keys = tie_keys(n_samples, ties, rng)
    width = min(int(n_neighbors), n_samples - 1)
    return ordered_lists(data, width, metric, keys, groups, n_jobs)


def ordered_lists(
    data: NDArray[np.floating[Any]],
    width: int,
    metric: Metric,
    keys: NDArray[np.int32],
    groups: ConstraintGroups | None = None,
    n_jobs: int | None = None,
) -> NeighborLists:
    """:func:`neighbor_lists` of checked input, for given tie keys."""
    n_samples = len(data)
    indices = np.full((n_samples, width), -1, dtype=np.int32)
    distances = np.full((n_samples, width), np.inf, dtype=np.float32)
    constrained = _in_conflict(groups, n_samples)
    if isinstance(metric, str) and metric == "precomputed":
        matrix_lists(data, keys, groups if constrained.any() else None, indices, distances)
    else:
        space = metric_space(data, metric)
        rows = distinct_rows(space.points, keys)
        search = point_search(rows.points, space, n_jobs)
        free_lists(search, rows, keys, ~constrained, indices, distances)
        if groups is not None and constrained.any():
            constrained_lists(search, rows, keys, np.flatnonzero(constrained), groups, indices, distances)
        space.finish(distances)
    n_admissible = np.count_nonzero(indices >= 0, axis=1).astype(np.int32)
    alone = np.flatnonzero(n_admissible == 0)
    if len(alone):
        raise ValueError(
            f"sample {alone[0]} has no admissible neighbour: every other sample is forbidden to it by "
            "labels or cannot-links."
        )
    return NeighborLists(indices, distances, n_admissible)


def tie_keys(n_samples: int, ties: Ties, rng: np.random.Generator) -> NDArray[np.int32]:
    """Order of equally distant samples: the smaller key comes first."""
    numbers = np.arange(n_samples, dtype=np.int32)
    return rng.permutation(numbers) if ties == "random" else numbers


def check_distances(D: ArrayLike) -> NDArray[np.floating[Any]]:
    """Square matrix of finite, non-negative distances."""
    matrix = check_array(D, dtype=[np.float64, np.float32])
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f'metric="precomputed" needs a square matrix, got shape {matrix.shape}.')
    if matrix.min() < 0:
        raise ValueError(f'metric="precomputed": distances must not be negative, got {matrix.min():g}.')
    return matrix


def _in_conflict(groups: ConstraintGroups | None, n_samples: int) -> NDArray[np.bool_]:
    """Which samples have any forbidden neighbour."""
    if groups is None or not len(groups.conflicts):
        return np.zeros(n_samples, dtype=np.bool_)
    # The last entry stands for samples without a group, whose number is -1.
    conflicting = np.zeros(groups.n_groups + 1, dtype=np.bool_)
    conflicting[groups.conflicts.ravel()] = True
    return conflicting[groups.groups]
