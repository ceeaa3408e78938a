"""From points found by a search to the first few admissible samples of every row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering.constraints import ConstraintGroups
from moo_clustering.graphs._distinct_rows import DistinctRows
from moo_clustering.graphs._search import CHUNK, Found, PointSearch, round_distances

Ints = NDArray[np.int64]
Doubles = NDArray[np.float64]

# Points asked for beyond those needed, so that few rows must be searched again for a tie.
_SPARE = 4


def first_of_rows(
    row: Ints, sample: Ints, distance: Doubles, keys: NDArray[np.int32], n_rows: int, width: int
) -> tuple[Ints, Doubles]:
    """The first ``width`` candidates of every row by (distance, key), padded with -1 and inf.

    Candidates come flat: ``sample[c]`` at ``distance[c]`` is a candidate of ``row[c]``.
    """
    order = np.lexsort((keys[sample], distance, row))
    row = row[order]
    place = np.arange(len(row)) - np.searchsorted(row, np.arange(n_rows))[row]
    kept = place < width
    samples, distances = np.full((n_rows, width), -1, dtype=np.int64), np.full((n_rows, width), np.inf)
    samples[row[kept], place[kept]] = sample[order][kept]
    distances[row[kept], place[kept]] = distance[order][kept]
    return samples, distances


def free_lists(
    search: PointSearch,
    rows: DistinctRows,
    keys: NDArray[np.int32],
    free: NDArray[np.bool_],
    indices: NDArray[np.int32],
    distances: NDArray[np.float32],
) -> None:
    """Fill the lists of the samples that may neighbour anyone."""
    n_points, width = len(rows.points), indices.shape[1]
    n_found = min(n_points, width + 1 + _SPARE)
    pending = np.unique(rows.of_sample[free])
    while len(pending):
        again = []
        step = search.chunk(n_found)
        for lo in range(0, len(pending), step):
            points = pending[lo : lo + step]
            # One more than needed, since the samples on the point itself are among the nearest.
            samples, found, complete = _nearest_samples(search(points, n_found), rows, keys, width + 1)
            _hand_out(points[complete], samples[complete], found[complete], rows, free, indices, distances)
            again.append(points[~complete])
        pending, n_found = np.concatenate(again), min(n_points, 2 * n_found)


def _nearest_samples(
    found: Found, rows: DistinctRows, keys: NDArray[np.int32], width: int
) -> tuple[Ints, Doubles, NDArray[np.bool_]]:
    """Nearest samples of points by (distance, key), and whether the search went far enough to know."""
    points, distances, horizon = found
    if rows.all_distinct:
        complete = np.count_nonzero(distances < horizon[:, None], axis=1) >= width
        complete |= np.isinf(horizon)
        tied = np.flatnonzero((distances[:, 1:] == distances[:, :-1]).any(axis=1))
        if len(tied):
            order = np.lexsort((keys[points[tied]], distances[tied]), axis=-1)
            points[tied] = np.take_along_axis(points[tied], order, axis=1)
        return points[:, :width], distances[:, :width], complete
    sample, owner = rows.members(points.ravel(), most=width)
    row, distance = owner // points.shape[1], distances.ravel()[owner]
    certain = np.bincount(row[distance < horizon[row]], minlength=len(points))
    complete = (certain >= width) | np.isinf(horizon)
    return *first_of_rows(row, sample, distance, keys, len(points), width), complete


def _hand_out(
    points: Ints,
    samples: Ints,
    found: Doubles,
    rows: DistinctRows,
    free: NDArray[np.bool_],
    indices: NDArray[np.int32],
    distances: NDArray[np.float32],
) -> None:
    """Give the list of a point to each sample on it, without that sample itself."""
    width = indices.shape[1]
    everyone, owner = rows.members(points)
    mine = free[everyone]
    everyone, owner = everyone[mine], owner[mine]
    step = max(1, CHUNK // width)
    for lo in range(0, len(everyone), step):
        who, which = everyone[lo : lo + step], owner[lo : lo + step]
        own = samples[which] == who[:, None]
        # Without itself in the list (more duplicates than the list is wide) a sample drops the last.
        gap = np.where(own.any(axis=1), own.argmax(axis=1), width)
        columns = np.arange(width) + (np.arange(width) >= gap[:, None])
        indices[who] = np.take_along_axis(samples[which], columns, axis=1)
        distances[who] = np.take_along_axis(found[which], columns, axis=1)


def constrained_lists(
    search: PointSearch,
    rows: DistinctRows,
    keys: NDArray[np.int32],
    pending: Ints,
    groups: ConstraintGroups,
    indices: NDArray[np.int32],
    distances: NDArray[np.float32],
) -> None:
    """Fill the lists of samples with forbidden neighbours, looking farther until enough are admissible."""
    n_points, width = len(rows.points), indices.shape[1]
    n_found = min(n_points, width + 1 + _SPARE)
    while len(pending):
        again = []
        step = search.chunk(n_found)
        for lo in range(0, len(pending), step):
            samples = pending[lo : lo + step]
            found = search(rows.of_sample[samples], n_found)
            again.append(samples[~_admissible(samples, found, rows, keys, groups, indices, distances)])
        pending, n_found = np.concatenate(again), min(n_points, 2 * n_found)


def _admissible(
    samples: Ints,
    found: Found,
    rows: DistinctRows,
    keys: NDArray[np.int32],
    groups: ConstraintGroups,
    indices: NDArray[np.int32],
    distances: NDArray[np.float32],
) -> NDArray[np.bool_]:
    """Fill the lists of some samples as far as the points found allow; True where they are final."""
    width = indices.shape[1]
    final = np.empty(len(samples), dtype=np.bool_)
    # Many duplicates can sit on few points: bound the number of candidates, not of points.
    load = np.cumsum(rows.sizes[found.points].sum(axis=1)) // CHUNK
    for part in np.split(np.arange(len(samples)), np.flatnonzero(np.diff(load)) + 1):
        points, horizon = found.points[part], found.horizon[part]
        sample, owner = rows.members(points.ravel())
        row, distance = owner // points.shape[1], found.distances[part].ravel()[owner]
        mine = samples[part][row]
        allowed = (sample != mine) & ~groups.forbidden(mine, sample)
        row, sample, distance = row[allowed], sample[allowed], distance[allowed]
        certain = np.bincount(row[distance < horizon[row]], minlength=len(part))
        final[part] = (certain >= width) | np.isinf(horizon)
        indices[samples[part]], distances[samples[part]] = first_of_rows(
            row, sample, distance, keys, len(part), width
        )
    return final


def matrix_lists(
    D: NDArray[np.floating[Any]],
    keys: NDArray[np.int32],
    groups: ConstraintGroups | None,
    indices: NDArray[np.int32],
    distances: NDArray[np.float32],
) -> None:
    """Fill the lists from a matrix of distances, row by row."""
    n_samples, width = indices.shape
    step = max(1, CHUNK // n_samples)
    for lo in range(0, n_samples, step):
        rows = np.arange(lo, min(lo + step, n_samples))
        block = round_distances(D[rows])
        block[np.arange(len(rows)), rows] = np.inf
        if groups is not None:
            block[groups.forbidden(rows[:, None], np.arange(n_samples))] = np.inf
        last = np.partition(block, width - 1, axis=1)[:, width - 1]
        row, sample = np.nonzero((block <= last[:, None]) & np.isfinite(block))
        indices[rows], distances[rows] = first_of_rows(
            row, sample, block[row, sample], keys, len(rows), width
        )
