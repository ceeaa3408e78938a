"""Loops over the loci of a rank-encoded population: counts, sums, uniform crossover, resampling.

Every kernel works on the loci ``lo..hi-1`` only, so that callers can hand blocks to threads and so
that the slice of the count table in use stays in cache.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def add_counts(ranks, counts, lo, hi):  # type: ignore[no-untyped-def]
    """counts[j, r] += number of rows with rank r at locus j; four rows at a time, which hides latency."""
    n_fours = ranks.shape[0] // 4 * 4
    for m in range(0, n_fours, 4):
        for j in range(lo, hi):
            row = counts[j]
            row[ranks[m, j]] += 1
            row[ranks[m + 1, j]] += 1
            row[ranks[m + 2, j]] += 1
            row[ranks[m + 3, j]] += 1
    for m in range(n_fours, ranks.shape[0]):
        for j in range(lo, hi):
            counts[j, ranks[m, j]] += 1


@njit(cache=True, nogil=True)
def subtract_counts(ranks, counts, lo, hi):  # type: ignore[no-untyped-def]
    """counts[j, r] -= number of rows with rank r at locus j."""
    for m in range(ranks.shape[0]):
        for j in range(lo, hi):
            counts[j, ranks[m, j]] -= 1


@njit(cache=True, nogil=True)
def sum_counts(ranks, counts, lo, hi, out):  # type: ignore[no-untyped-def]
    """out[m] = sum over the block of counts[j, ranks[m, j]], in int64."""
    n_fours = ranks.shape[0] // 4 * 4
    for m in range(0, n_fours, 4):
        first = second = third = fourth = np.int64(0)
        for j in range(lo, hi):
            row = counts[j]
            first += np.int64(row[ranks[m, j]])
            second += np.int64(row[ranks[m + 1, j]])
            third += np.int64(row[ranks[m + 2, j]])
            fourth += np.int64(row[ranks[m + 3, j]])
        out[m], out[m + 1], out[m + 2], out[m + 3] = first, second, third, fourth
    for m in range(n_fours, ranks.shape[0]):
        total = np.int64(0)
        for j in range(lo, hi):
            total += np.int64(counts[j, ranks[m, j]])
        out[m] = total


@njit(cache=True, nogil=True)
def sum_distances(ranks, distances, lo, hi, out):  # type: ignore[no-untyped-def]
    """out[m] = sum over the block of distances[j, ranks[m, j]], in float64."""
    for m in range(ranks.shape[0]):
        total = 0.0
        for j in range(lo, hi):
            total += np.float64(distances[j, ranks[m, j]])
        out[m] = total


@njit(cache=True, nogil=True)
def count_equal(ranks, row, lo, hi, out):  # type: ignore[no-untyped-def]
    """out[m] = number of loci of the block at which ranks[m] agrees with row."""
    for m in range(ranks.shape[0]):
        total = np.int64(0)
        for j in range(lo, hi):
            total += np.int64(ranks[m, j] == row[j])
        out[m] = total


@njit(cache=True, nogil=True)
def add_weights(ranks, weights, out, lo, hi):  # type: ignore[no-untyped-def]
    """out[j, ranks[m, j]] += weights[m]."""
    for m in range(ranks.shape[0]):
        for j in range(lo, hi):
            out[j, ranks[m, j]] += weights[m]


@njit(cache=True, nogil=True)
def swap_where(first, second, swap, child1, child2, lo, hi):  # type: ignore[no-untyped-def]
    """Uniform crossover of row pairs: loci are exchanged where ``swap`` is 1, kept where it is 0."""
    for p in range(first.shape[0]):
        for j in range(lo, hi):
            # Branch-free, so that it is vectorised.
            change = (first[p, j] ^ second[p, j]) * swap[p, j]
            child1[p, j] = first[p, j] ^ change
            child2[p, j] = second[p, j] ^ change


@njit(cache=True, nogil=True)
def resample(flat, positions, draws, widths, n_var):  # type: ignore[no-untyped-def]
    """flat[position] <- uniform rank below the locus' width; draws are uniform 32-bit integers."""
    for t in range(positions.shape[0]):
        position = positions[t]
        width = np.uint64(widths[position % n_var])
        flat[position] = (np.uint64(draws[t]) * width) >> np.uint64(32)
