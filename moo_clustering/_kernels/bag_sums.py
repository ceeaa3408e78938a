"""Sums of rows over the clusters of every individual of a population of bag partitions.

Labels are int32 of shape (n_individuals, n_bags); clusters may be empty. Every individual is summed in
the order of its bags whatever else is in the population, so results do not depend on batches or threads.
"""

from __future__ import annotations

import numpy as np

from moo_clustering._kernels.borrowed import borrowed


@borrowed()
def count_and_weigh(labels, weights, counts, masses, lo, hi):  # type: ignore[no-untyped-def]
    """counts[i, k] = number of bags of cluster k, masses[i, k] = sum of their weights."""
    for i in range(lo, hi):
        counts[i] = 0
        masses[i] = 0.0
        for b in range(labels.shape[1]):
            counts[i, labels[i, b]] += 1
            masses[i, labels[i, b]] += weights[b]


@borrowed()
def add_rows(labels, counts, rows, total, out, width, lo, hi):  # type: ignore[no-untyped-def]
    """out[i, k] = sum of the rows of the members of cluster k.

    The rows of the largest cluster are not read: its sum is the total less the others. Columns are
    taken ``width`` at a time, so that their part of ``rows`` stays near the processor.
    """
    n_columns = rows.shape[1]
    for start in range(0, n_columns, width):
        stop = min(start + width, n_columns)
        for i in range(lo, hi):
            largest = counts[i].argmax()
            out[i, :, start:stop] = 0.0
            for b in range(labels.shape[1]):
                if labels[i, b] != largest:
                    _add(rows[b, start:stop], 1.0, out[i, labels[i, b], start:stop])
            rest = out[i, largest, start:stop]
            _add(total[start:stop], 1.0, rest)
            for k in range(out.shape[1]):
                if k != largest and counts[i, k] > 0:
                    _add(out[i, k, start:stop], -1.0, rest)


@borrowed()
def _add(row, factor, into):  # type: ignore[no-untyped-def]
    for t in range(row.shape[0]):
        into[t] += factor * row[t]


@borrowed()
def cross_sums(labels, sums, out):  # type: ignore[no-untyped-def]
    """out[k, l] = sum over the members b of cluster l of sums[k, b], for one individual, symmetric."""
    out[:] = 0.0
    for k in range(out.shape[0]):
        for b in range(labels.shape[0]):
            out[k, labels[b]] += sums[k, b]
    for k in range(out.shape[0]):
        for c in range(k):
            middle = 0.5 * (out[k, c] + out[c, k])
            out[k, c] = middle
            out[c, k] = middle


@borrowed()
def column_width(n_rows, item_size):  # type: ignore[no-untyped-def]
    """Columns of which all rows fit into half a megabyte, at least 64."""
    return max(64, np.int64(1 << 19) // max(1, n_rows * item_size))
