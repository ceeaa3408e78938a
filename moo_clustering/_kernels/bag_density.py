"""Spread of clusters of bags, and how densely bags lie between their centroids."""

from __future__ import annotations

import numpy as np
from numba import njit

from moo_clustering._kernels.bag_radii import above_rounding, bag_maximum, moved_chunk_maxima, squared_radii
from moo_clustering._kernels.bag_sums import cross_sums
from moo_clustering._kernels.borrowed import borrowed

DENSITY, COUNT, PRINTED = 0, 1, 2


@njit(cache=True, nogil=True)
def variance_norms(means, within, weights, ddof, labels, out, lo, hi):  # type: ignore[no-untyped-def]
    """out[q, c] = norm of the variances of cluster c, attribute by attribute, for individuals lo..hi-1.

    Bag b stands for ``weights[b]`` points of mean ``means[b]`` and squared deviations ``within[b]``
    in all. A cluster of no more than ``ddof`` points has no variance.
    """
    centers = np.empty((out.shape[1], means.shape[1]))
    sums = np.empty((out.shape[1], means.shape[1]))
    masses = np.empty(out.shape[1])
    for q in range(lo, hi):
        centers[:], sums[:], masses[:] = 0.0, 0.0, 0.0
        for b in range(labels.shape[1]):
            c = labels[q, b]
            masses[c] += weights[b]
            for d in range(means.shape[1]):
                centers[c, d] += weights[b] * means[b, d]
        for c in range(out.shape[1]):
            if masses[c] > 0.0:
                for d in range(means.shape[1]):
                    centers[c, d] /= masses[c]
        for b in range(labels.shape[1]):
            c = labels[q, b]
            for d in range(means.shape[1]):
                step = means[b, d] - centers[c, d]
                sums[c, d] += within[b, d] + weights[b] * step * step
        for c in range(out.shape[1]):
            square = 0.0
            if masses[c] > ddof:
                for d in range(means.shape[1]):
                    variance = sums[c, d] / (masses[c] - ddof)
                    square += variance * variance
            out[q, c] = np.sqrt(square)


@njit(cache=True, nogil=True)
def densities_between(arrays, labels, counts, masses, projections, pulls, stdev, reading, out, lo, hi):  # type: ignore[no-untyped-def]
    """out[i] = Den of individuals lo..hi-1 (0 with fewer than two clusters)."""
    k, n_chunks = counts.shape[1], arrays.squares.shape[1]
    own, chunk_label = np.empty(arrays.squares.shape), np.empty(n_chunks, np.int32)
    scale, pull, best = np.empty(n_chunks), np.empty(n_chunks), np.empty(n_chunks)
    inner, middle, center = np.empty((k, k)), np.empty((k, k)), np.empty(k)
    norms, radii = np.empty(k), np.empty(labels.shape[1])
    for i in range(lo, hi):
        cross_sums(labels[i], pulls[i], inner)
        for c in range(k):
            norms[c] = inner[c, c] / (masses[i, c] * masses[i, c]) if counts[i, c] > 0 else 0.0
        squared_radii(
            arrays, labels[i], projections[i], norms, masses[i], own, chunk_label, scale, best, radii
        )
        center[:] = 0.0
        for b in range(labels.shape[1]):
            center[labels[i, b]] += _nearness(radii[b], stdev[i], reading, arrays)
        if reading == COUNT:
            for c in range(k):
                center[c] = counts[i, c]
        for c in range(n_chunks):
            scale[c] *= 0.5  # the midpoint of two centroids has half of each
        middle[:] = 0.0
        for c in range(k):
            if counts[i, c] > 0:
                pull[:] = 1.0 / masses[i, c]
                moved_chunk_maxima(arrays.squares, own, projections[i, c], scale, pull, best)
                _add_middle(c, arrays, labels[i], norms, masses[i], inner, best, stdev[i], reading, middle)
        out[i] = _mean_ratio(middle, center, counts[i])


@borrowed()
def _nearness(square, stdev, reading, arrays):  # type: ignore[no-untyped-def]
    """Whether a bag at this squared distance is in the neighbourhood; as printed, its distance."""
    if reading == PRINTED:
        return np.sqrt(square)
    return 1.0 if square <= stdev * stdev + arrays.rounding else 0.0


@borrowed()
def _add_middle(c, arrays, labels, norms, masses, inner, best, stdev, reading, middle):  # type: ignore[no-untyped-def]
    """middle[k, c] += nearness of the bags of every other cluster k to the midpoint of centroids k and c."""
    for b in range(labels.shape[0]):
        k = labels[b]
        if k != c:
            product = inner[k, c] / (masses[k] * masses[c])
            norm = 0.25 * (norms[k] + norms[c] + 2.0 * product)
            square = above_rounding(bag_maximum(best, arrays.chunk_start, b) + norm, arrays)
            middle[k, c] += _nearness(square, stdev, reading, arrays)


@borrowed()
def _mean_ratio(middle, center, counts):  # type: ignore[no-untyped-def]
    """Mean over pairs of clusters of what is between them over the greater of what is around them."""
    live, total = 0, 0.0
    for a in range(counts.shape[0]):
        if counts[a] > 0:
            live += 1
            for c in range(a):
                around = max(center[a], center[c])
                if counts[c] > 0 and around > 0.0:
                    total += (middle[a, c] + middle[c, a]) / around
    return 2.0 * total / (live * (live - 1)) if live > 1 else 0.0
