"""Silhouettes and middles of the clusters of many partitions from the distances of some samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering.visualization._bag_input import affordable_bags
from moo_clustering.visualization.report._samples import Samples

Floats = NDArray[np.float64]

_MOST_ROWS, _FEWEST_ROWS = 2000, 100
# Multiplications for all solutions together, and numbers in memory at a time.
_MOST_WORK, _BLOCK = 1e11, 4_000_000


@dataclass(frozen=True, eq=False)
class SampledDistances:
    """Distances between the samples that are looked at, which are all unless there are many.

    Attributes
    ----------
    rows : ndarray of shape (n_rows,)
        Ascending.
    D : ndarray of shape (n_rows, n_rows)
    n_samples : int
    """

    rows: NDArray[np.intp]
    D: Floats
    n_samples: int


@dataclass(frozen=True, eq=False)
class Cohesion:
    """How well the clusters of a partition hold together, from the samples that are looked at.

    Attributes
    ----------
    silhouette : float
        Mean over the samples; NaN for less than two clusters.
    of_clusters : ndarray of shape (n_clusters,)
        Means over their samples; NaN for clusters of which too few were looked at.
    to_own : ndarray of shape (n_rows,)
        Mean distance of each sample from the others of its cluster.
    """

    silhouette: float
    of_clusters: Floats
    to_own: Floats


def sampled_distances(samples: Samples, n_clusters: int, rng: np.random.Generator) -> SampledDistances:
    """Distances between so many samples as can be looked at.

    Parameters
    ----------
    samples : Samples
    n_clusters : int
        Of all solutions together, with which the cost grows.
    rng : Generator
        Picks the samples if there are too many.
    """
    most = int(np.clip(np.sqrt(_MOST_WORK / max(n_clusters, 1)), _FEWEST_ROWS, _MOST_ROWS))
    if samples.bags is not None:
        most = min(most, affordable_bags(samples.bags))
    n = samples.n_samples
    rows = np.arange(n) if n <= most else np.sort(rng.choice(n, most, replace=False))
    return SampledDistances(rows, samples.distances(rows), n)


def cohesions(distances: SampledDistances, labels: NDArray[np.int32]) -> list[Cohesion]:
    """Silhouettes of every partition; samples in no cluster (-1) do not count.

    Notes
    -----
    O(n_rows^2 n_clusters) for the clusters of all partitions together, as products of matrices.
    """
    numbers = [int(row.max()) + 1 for row in labels]
    found: list[Cohesion] = []
    start, most = 0, max(1, _BLOCK // max(1, len(distances.rows)))
    while start < len(labels):
        stop, width = start + 1, numbers[start]
        while stop < len(labels) and width + numbers[stop] <= most:
            width += numbers[stop]
            stop += 1
        found += _block(distances, labels[start:stop], numbers[start:stop])
        start = stop
    return found


def _block(distances: SampledDistances, labels: NDArray[np.int32], numbers: list[int]) -> list[Cohesion]:
    seen = labels[:, distances.rows]
    starts = np.concatenate([[0], np.cumsum(numbers)])
    indicators = np.zeros((len(distances.rows), starts[-1]))
    for first, row in zip(starts[:-1], seen, strict=True):
        inside = np.flatnonzero(row >= 0)
        indicators[inside, first + row[inside]] = 1.0
    totals = distances.D @ indicators
    return [
        _cohesion(totals[:, first : first + k], row, np.bincount(full[full >= 0], minlength=k))
        for first, k, row, full in zip(starts[:-1], numbers, seen, labels, strict=True)
    ]


def _cohesion(totals: Floats, seen: NDArray[np.int32], full_sizes: NDArray[Any]) -> Cohesion:
    k = totals.shape[1]
    to_own = np.zeros(len(seen))
    inside = np.flatnonzero(seen >= 0)
    own = seen[inside]
    sizes = np.bincount(own, minlength=k)
    if not len(inside):
        return Cohesion(np.nan, np.full(k, np.nan), to_own)
    places = np.arange(len(inside)), own
    means = totals[inside]
    within = means[places] / np.maximum(sizes[own] - 1, 1)
    to_own[inside] = within
    if np.count_nonzero(sizes) < 2:
        return Cohesion(np.nan, np.full(k, np.nan), to_own)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = means / sizes
    means[:, sizes == 0] = np.inf
    means[places] = np.inf
    nearest = means.min(axis=1)
    greater = np.maximum(within, nearest)
    values = np.zeros(len(inside))
    np.divide(nearest - within, greater, out=values, where=(greater > 0.0) & (sizes[own] > 1))
    of_clusters = np.bincount(own, weights=values, minlength=k) / np.maximum(sizes, 1)
    of_clusters[(sizes == 0) | ((sizes == 1) & (full_sizes > 1))] = np.nan
    return Cohesion(float(values.mean()), of_clusters, to_own)
