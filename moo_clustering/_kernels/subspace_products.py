"""Products of a sparse matrix with a panel: a row of the panel is one contiguous run of numbers.

The matrix is given by rows as ``indptr``, ``indices`` and ``values``; an empty ``values`` stands for
ones. To sum over samples, hand in the transposed matrix. Sums are taken in float64, whatever the type of
the panel, in the order of the entries.
"""

from __future__ import annotations

import numpy as np

from moo_clustering._kernels.borrowed import borrowed


@borrowed()
def _add_four(p0, p1, p2, p3, out):  # type: ignore[no-untyped-def]
    for t in range(out.shape[0]):
        out[t] += (np.float64(p0[t]) + np.float64(p1[t])) + (np.float64(p2[t]) + np.float64(p3[t]))


@borrowed()
def _add_one(p, out):  # type: ignore[no-untyped-def]
    for t in range(out.shape[0]):
        out[t] += p[t]


@borrowed()
def _add_times(x, p, out):  # type: ignore[no-untyped-def]
    for t in range(out.shape[0]):
        out[t] += x * p[t]


@borrowed()
def _sum_rows(indices, start, stop, panel, out):  # type: ignore[no-untyped-def]
    """out = sum of the rows of the panel that ``indices[start:stop]`` names."""
    out[:] = 0.0
    z = start
    while z + 4 <= stop:
        _add_four(panel[indices[z]], panel[indices[z + 1]], panel[indices[z + 2]], panel[indices[z + 3]], out)
        z += 4
    while z < stop:
        _add_one(panel[indices[z]], out)
        z += 1


@borrowed()
def multiply_rows(indptr, indices, values, squared, panel, lo, hi, out):  # type: ignore[no-untyped-def]
    """out[r] = row lo + r of the matrix, or of its squares, times the panel."""
    for r in range(hi - lo):
        start, stop = indptr[lo + r], indptr[lo + r + 1]
        if values.shape[0] == 0:
            _sum_rows(indices, start, stop, panel, out[r])
            continue
        out[r] = 0.0
        for z in range(start, stop):
            x = np.float64(values[z])
            _add_times(x * x if squared else x, panel[indices[z]], out[r])


@borrowed()
def _add_moments(x, p, k, out):  # type: ignore[no-untyped-def]
    for t in range(k):
        product = x * p[t]
        out[t] += product
        out[k + t] += p[k + t]
        out[2 * k + t] += x * product


@borrowed()
def feature_moments(indptr, indices, values, panel, k, lo, hi, out):  # type: ignore[no-untyped-def]
    """out[r] = sum of w^f x, of w over the samples that have the feature, and of w^f x^2.

    Rows of the matrix are features, ``panel`` is [W^f | W] of shape (n_samples, 2 k), ``out`` has 3 k
    columns.
    """
    for r in range(hi - lo):
        out[r] = 0.0
        for z in range(indptr[lo + r], indptr[lo + r + 1]):
            _add_moments(np.float64(values[z]), panel[indices[z]], k, out[r])


@borrowed()
def _add_square(x, p, k, out):  # type: ignore[no-untyped-def]
    for t in range(k):
        out[t] += x * (np.float64(p[t]) + x * np.float64(p[k + t]))


@borrowed()
def quadratic_rows(indptr, indices, values, panel, k, lo, hi, out):  # type: ignore[no-untyped-def]
    """out[r] = sum of x p + x^2 r over the entries x of a row, for a panel [P | R] of 2 k columns."""
    for r in range(hi - lo):
        out[r] = 0.0
        for z in range(indptr[lo + r], indptr[lo + r + 1]):
            _add_square(np.float64(values[z]), panel[indices[z]], k, out[r])


@borrowed()
def label_moments(indptr, indices, values, labels, lo, hi, sums, squares):  # type: ignore[no-untyped-def]
    """Sums of x and of x^2 by feature and label, without a panel: O(non-zeros)."""
    for r in range(hi - lo):
        sums[r] = 0.0
        squares[r] = 0.0
        for z in range(indptr[lo + r], indptr[lo + r + 1]):
            x = 1.0 if values.shape[0] == 0 else np.float64(values[z])
            label = labels[indices[z]]
            sums[r, label] += x
            squares[r, label] += x * x
