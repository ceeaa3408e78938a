"""k-medoids on distances that need not be symmetric."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from moo_clustering.bags._repair import PartitionRepair
from moo_clustering.estimators.multi_instance._bag_centers import least

Floats = NDArray[np.float64]
Labels = NDArray[np.int32]
Indices = NDArray[np.int64]

# Sums that differ by a smaller part are equal.
_ROUNDING = 1e-12


class BamicRuns(NamedTuple):
    """Where the runs from several starts end.

    Attributes
    ----------
    labels : ndarray of shape (n_starts, n_bags), int32
        Numbered as the medoids.
    medoids : ndarray of shape (n_starts, n_clusters), int64
    inertia : ndarray of shape (n_starts,)
        Sum of the distances of all bags to the medoids of their clusters.
    n_iter : ndarray of shape (n_starts,), int64
        Updates of the medoids.
    converged : ndarray of shape (n_starts,), bool
        Whether further updates would lead nowhere new.
    history : list of n_starts lists
        Inertia and size of the smallest cluster, at the start and after every update.
    """

    labels: Labels
    medoids: Indices
    inertia: Floats
    n_iter: Indices
    converged: NDArray[np.bool_]
    history: list[list[tuple[float, int]]]


def bamic(
    H: Floats,
    medoids: NDArray[np.integer[Any]],
    max_iter: int = 100,
    *,
    repair: PartitionRepair | None = None,
) -> BamicRuns:
    """Assign bags to medoids and choose medoids anew, in turns, from several starts together.

    A bag belongs to the nearest medoid, a medoid to its own cluster. The medoid of a cluster becomes the
    bag from which the sum of distances to the others is least; the present one stays if no other is
    better. The lowest number counts among equals.

    Parameters
    ----------
    H : ndarray of shape (n_bags, n_bags)
        Distance from bag i to bag j.
    medoids : ndarray of shape (n_starts, n_clusters), or (n_clusters,) for one start
        Distinct bags.
    max_iter : int, default=100
        Updates of the medoids.
    repair : PartitionRepair, optional
        What every assignment is made to respect. A cluster that it leaves without bags keeps its medoid.

    Returns
    -------
    BamicRuns

    Notes
    -----
    Distances that are not symmetric do not promise that updates lower the inertia. When medoids come
    back that were left before, the best of the cycle counts.

    O(n_starts n_clusters n_bags^2) time for an update, O(n_starts n_clusters n_bags) memory.

    References
    ----------
    Evolutionary multi-instance clustering, BAMIC and Eq. 2.
    """
    current = np.array(np.atleast_2d(medoids), dtype=np.int64)
    labels, inertia, history = _assigned(H, current, repair)
    visited = [[one] for one in current.copy()]
    seen = [{frozenset(one.tolist()): 0} for one in current]
    n_iter = np.zeros(len(current), dtype=np.int64)
    converged = np.zeros(len(current), dtype=bool)
    traces = [[row] for row in history]
    active = np.arange(len(current))
    for _ in range(max_iter):
        n_iter[active] += 1
        updated = updated_medoids(H, labels[active], current[active])
        changed = (updated != current[active]).any(axis=1)
        converged[active[~changed]] = True
        active, updated = active[changed], updated[changed]
        if not len(active):
            break
        current[active] = updated
        labels[active], inertia[active], rows = _assigned(H, updated, repair)
        for start, one, row in zip(active, updated, rows, strict=True):
            first = seen[start].setdefault(frozenset(one.tolist()), len(visited[start]))
            if first < len(visited[start]):
                converged[start] = True
                values = [value for value, _ in traces[start][first:]]
                current[start] = visited[start][first + int(np.argmin(values))]
            else:
                visited[start].append(one)
                traces[start].append(row)
        cycling = active[converged[active]]
        if len(cycling):
            labels[cycling], inertia[cycling], _ = _assigned(H, current[cycling], repair)
            active = active[~converged[active]]
    return BamicRuns(labels, current, inertia, n_iter, converged, traces)


def _assigned(
    H: Floats, medoids: Indices, repair: PartitionRepair | None
) -> tuple[Labels, Floats, list[tuple[float, int]]]:
    """Labels, inertia, and a row of the history for every start."""
    n_clusters = medoids.shape[1]
    distances = np.ascontiguousarray(H[:, medoids].transpose(1, 0, 2))
    labels = least(distances)
    np.put_along_axis(labels, medoids, np.arange(n_clusters, dtype=np.int32)[None], axis=1)
    if repair is not None:
        labels = repair.apply(labels, distances)
    inertia = np.take_along_axis(distances, labels[..., None], axis=2)[..., 0].sum(axis=1)
    smallest = (labels[..., None] == np.arange(n_clusters)).sum(axis=1).min(axis=1)
    return labels, inertia, list(zip(inertia.tolist(), smallest.tolist(), strict=True))


def updated_medoids(H: Floats, labels: Labels, medoids: Indices) -> Indices:
    """Medoids of given clusters, Eq. 2.

    Parameters
    ----------
    H : ndarray of shape (n_bags, n_bags)
    labels : ndarray of shape (n_starts, n_bags)
    medoids : ndarray of shape (n_starts, n_clusters)
        Present ones.
    """
    n_starts, n_clusters = medoids.shape
    members = labels[..., None] == np.arange(n_clusters)
    one_hot = members.transpose(1, 0, 2).reshape(len(H), -1).astype(np.float64)
    # Rows of H: from the candidate to the members.
    sums = (H @ one_hot).reshape(len(H), n_starts, n_clusters).transpose(1, 0, 2)
    costs = np.take_along_axis(sums, labels[..., None], axis=2)[..., 0]
    costs = np.maximum(costs - np.diag(H), 0.0)
    out = medoids.copy()
    for k in range(n_clusters):
        own = np.where(members[..., k], costs, np.inf)
        limit = own.min(axis=1, keepdims=True) * (1.0 + _ROUNDING)
        best = members[..., k] & (own <= limit)
        stays = best[np.arange(n_starts), medoids[:, k]] | ~best.any(axis=1)
        out[:, k] = np.where(stays, medoids[:, k], best.argmax(axis=1))
    return out
