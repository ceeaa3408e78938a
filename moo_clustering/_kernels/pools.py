"""Sums over the clusters of many partitions, for co-association matrices that are never stored in full.

``codes[i, P]`` is point i's cluster in partition P, numbered consecutively over all partitions, so that a
single table with one row per cluster serves the whole pool. ``kept`` selects partitions. To compute the
co-association of all points with selected points, call ``add_to_clusters``, then ``gather_from_clusters``.
"""

from typing import Any

import numpy as np

from moo_clustering._kernels import caching
from moo_clustering._kernels.caching import njit

_TILE = 64


@njit(cache=True, nogil=True)
def add_to_clusters(codes, kept, weights, points, values, table):
    """For each kept partition, add each point's weighted value to the table row of the point's cluster."""
    for b in range(points.shape[0]):
        row = codes[points[b]]
        value = values[b]
        for t in range(kept.shape[0]):
            entry = table[row[kept[t]]]
            weight = weights[t]
            for c in range(entry.shape[0]):
                entry[c] += weight * value[c]


@njit(cache=True, nogil=True)
def gather_from_clusters(codes, kept, table, out):
    """Add to ``out[i]`` the table rows of point i's clusters in the kept partitions."""
    n_fours = kept.shape[0] // 4 * 4
    for i in range(codes.shape[0]):
        row, total = codes[i], out[i]
        for t in range(0, n_fours, 4):
            a, b = table[row[kept[t]]], table[row[kept[t + 1]]]
            c, d = table[row[kept[t + 2]]], table[row[kept[t + 3]]]
            for x in range(total.shape[0]):
                total[x] += (a[x] + b[x]) + (c[x] + d[x])
        for t in range(n_fours, kept.shape[0]):
            a = table[row[kept[t]]]
            for x in range(total.shape[0]):
                total[x] += a[x]


@njit(cache=True, nogil=True)
def count_in_clusters(codes, kept, labels, masses, table):
    for i in range(codes.shape[0]):
        row = codes[i]
        label, mass = labels[i], masses[i]
        for t in range(kept.shape[0]):
            table[row[kept[t]], label] += mass


def weigh_together(left: Any, right: Any, weights: Any, out: Any) -> None:
    """Set ``out[a, b]`` to the total weight of the partitions in which a and b share a cluster."""
    if caching.interpreted(_weigh_together, out.size * len(weights) / 100):
        out[:] = 0.0
        for codes, others, weight in zip(left.T, right, weights, strict=True):
            out += weight * (codes[:, np.newaxis] == others)
    else:
        _weigh_together(left, right, weights, out)


@njit(cache=True, nogil=True)
def _weigh_together(left, right, weights, out):
    # ``right`` has one row per partition, so that the inner loop reads contiguous memory.
    for a in range(left.shape[0]):
        total = out[a]
        total[:] = 0.0
        for t in range(weights.shape[0]):
            code, weight, others = left[a, t], weights[t], right[t]
            for b in range(total.shape[0]):
                if others[b] == code:
                    total[b] += weight


@njit(cache=True, nogil=True)
def adjust_similarities(F, W, floor):
    """Adjust the similarities W by the symmetric part of F, and store the result plus ``floor`` in F."""
    n, greatest = F.shape[0], 0.0
    for top in range(0, n, _TILE):
        for left in range(0, top + 1, _TILE):
            for i in range(top, min(top + _TILE, n)):
                for j in range(left, min(left + _TILE, i + 1)):
                    both = F[i, j] + F[j, i]
                    F[i, j] = F[j, i] = both
                    greatest = max(greatest, abs(both))
    unit = greatest if greatest > 0.0 else 1.0
    for i in range(n):
        for j in range(n):
            carried, similar = F[i, j] / unit, W[i, j]
            # A is F + F' divided by its largest absolute value. If A >= 0, the adjusted similarity is 1 - (1
            # - A)(1 - W), which is W + A (1 - W). Otherwise, it is (1 + A) W, which is W + A W.
            F[i, j] = carried * (1.0 - similar if carried >= 0.0 else similar) + similar + floor


@njit(cache=True, nogil=True)
def weigh_membership(codes, kept, weights, points, labels, table, out):
    """For each point, sum the weighted table entries of its label and its clusters in the kept partitions."""
    for b in range(points.shape[0]):
        row, label = codes[points[b]], labels[b]
        total = 0.0
        for t in range(kept.shape[0]):
            total += weights[t] * table[row[kept[t]], label]
        out[b] = total


@njit(cache=True, nogil=True)
def group_samples(landmark_of, group, settled, n_real, positions, shares, scores, out):
    """Assign each sample to the group with the highest weighted sum of its nearest landmarks' scores."""
    # A sample stays in the group of its own landmark if this landmark is ``settled``, if the group's number
    # is at least ``n_real``, or if all landmarks nearest to the sample are in this group.
    n_near = positions.shape[1]
    total = np.empty(n_real)
    for i in range(landmark_of.shape[0]):
        landmark = landmark_of[i]
        own = group[landmark]
        out[i] = own
        if own >= n_real or settled[landmark]:
            continue
        alike = True
        for t in range(n_near):
            alike = alike and group[positions[i, t]] == own
        if alike:
            continue
        total[:] = 0.0
        for t in range(n_near):
            for g in range(n_real):
                total[g] += shares[i, t] * scores[positions[i, t], g]
        out[i] = np.argmax(total)
