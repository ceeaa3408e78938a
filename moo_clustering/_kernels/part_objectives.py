"""Objectives of partitions whose clusters are unions of given parts of the samples.

``parts[q, c]`` is the smallest part of the cluster that part c is in, in row q.
"""

from __future__ import annotations

import math
from typing import Any

from numba import njit
from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def add_up(
    row: NDArray[Any], sizes: NDArray[Any], sums: NDArray[Any], count: NDArray[Any], total: NDArray[Any]
) -> None:
    """Sizes and sums of clusters, at their smallest parts."""
    d = sums.shape[1]
    for c in range(len(row)):
        cluster = row[c]
        if cluster == c:
            count[c] = sizes[c]
            for f in range(d):
                total[c, f] = sums[c, f]
        else:
            count[cluster] += sizes[c]
            for f in range(d):
                total[cluster, f] += sums[c, f]


@njit(cache=True, nogil=True)
def divide(row: NDArray[Any], count: NDArray[Any], total: NDArray[Any]) -> None:
    """Sums of clusters to means."""
    for c in range(len(row)):
        if row[c] == c:
            for f in range(total.shape[1]):
                total[c, f] /= count[c]


@njit(cache=True, nogil=True)
def variances(
    parts: NDArray[Any],
    sizes: NDArray[Any],
    sums: NDArray[Any],
    means: NDArray[Any],
    within: float,
    n_samples: int,
    count: NDArray[Any],
    total: NDArray[Any],
    lo: int,
    hi: int,
    out: NDArray[Any],
) -> None:
    """Mean square distance of the samples to the means of their clusters.

    ``within`` is the sum of square distances to the means of the parts; that of the means of the parts to
    those of their clusters comes on top, so that nothing is lost by subtraction.
    """
    d = sums.shape[1]
    for q in range(lo, hi):
        row = parts[q]
        add_up(row, sizes, sums, count, total)
        divide(row, count, total)
        value = within
        for c in range(len(row)):
            cluster = row[c]
            if count[cluster] > sizes[c]:
                square = 0.0
                for f in range(d):
                    difference = means[c, f] - total[cluster, f]
                    square += difference * difference
                value += sizes[c] * square
        out[q] = value / n_samples


@njit(cache=True, nogil=True)
def deviations(
    parts: NDArray[Any],
    sizes: NDArray[Any],
    sums: NDArray[Any],
    base: NDArray[Any],
    X: NDArray[Any],
    count: NDArray[Any],
    total: NDArray[Any],
    lo: int,
    hi: int,
    out: NDArray[Any],
) -> None:
    """Sum of the distances of the samples to the means of their clusters."""
    d = X.shape[1]
    for q in range(lo, hi):
        row = parts[q]
        add_up(row, sizes, sums, count, total)
        divide(row, count, total)
        deviation = 0.0
        for i in range(len(X)):
            cluster = row[base[i]]
            square = 0.0
            for f in range(d):
                difference = X[i, f] - total[cluster, f]
                square += difference * difference
            deviation += math.sqrt(square)
        out[q] = deviation


@njit(cache=True, nogil=True)
def pair_weights(
    parts: NDArray[Any],
    first: NDArray[Any],
    second: NDArray[Any],
    weight: NDArray[Any],
    apart: bool,
    lo: int,
    hi: int,
    out: NDArray[Any],
) -> None:
    """Sum of the weights of the pairs of parts that are in different clusters, or in the same."""
    for q in range(lo, hi):
        row = parts[q]
        value = 0.0
        for p in range(len(first)):
            if (row[first[p]] != row[second[p]]) == apart:
                value += weight[p]
        out[q] = value


@njit(cache=True, nogil=True)
def rand_gaps(
    parts: NDArray[Any], table: NDArray[Any], joint: NDArray[Any], lo: int, hi: int, out: NDArray[Any]
) -> None:
    """1 - adjusted Rand index of the labelled samples; ``table[c, y]`` of them in part c have class y."""
    n_classes = table.shape[1]
    for q in range(lo, hi):
        row = parts[q]
        for c in range(len(row)):
            cluster = row[c]
            for y in range(n_classes):
                if cluster == c:
                    joint[c, y] = table[c, y]
                else:
                    joint[cluster, y] += table[c, y]
        both = in_clusters = in_classes = total = 0.0
        for y in range(n_classes):
            size = 0.0
            for c in range(len(row)):
                if row[c] == c:
                    n = joint[c, y]
                    both += n * (n - 1.0) / 2.0
                    size += n
            in_classes += size * (size - 1.0) / 2.0
            total += size
        for c in range(len(row)):
            if row[c] == c:
                size = 0.0
                for y in range(n_classes):
                    size += joint[c, y]
                in_clusters += size * (size - 1.0) / 2.0
        pairs = total * (total - 1.0) / 2.0
        expected = in_clusters * in_classes / pairs if pairs > 0.0 else 0.0
        above = (in_clusters + in_classes) / 2.0 - expected
        if above != 0.0:
            out[q] = 1.0 - (both - expected) / above
        else:
            out[q] = 0.0 if both == in_clusters and both == in_classes else 1.0
