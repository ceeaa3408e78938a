"""The loops of medoid sets over feature vectors instead of a distance matrix, dense and CSR.

Three kinds of distance: cosine of unit rows (rows of zeros are at distance 1 from all others), squared
Euclidean, Euclidean. Cosine distances are rounded to multiples of 2^-44, so that documents of the same
direction tie exactly, whatever the order in which a product was added up.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from moo_clustering._kernels.partitions import squared_distance

COSINE, SQUARED, EUCLIDEAN = 0, 1, 2
GRAIN = 2.0**44
# Below this share of |x|^2 + |y|^2 an expanded squared distance may have lost six of its digits.
_CANCELLED = 1e-6
_SUMS = {"reassoc", "nsz"}


@njit(cache=True, nogil=True)
def _from_product(product, a, b, kind):  # type: ignore[no-untyped-def]
    """Distance of two vectors with squared norms a and b."""
    if kind == COSINE:
        return np.rint(min(max(1.0 - product, 0.0), 2.0) * GRAIN) / GRAIN
    squared = max(a - 2.0 * product + b, 0.0)
    return squared if kind == SQUARED else np.sqrt(squared)


@njit(cache=True, nogil=True, fastmath=_SUMS)
def _dot(a, b):  # type: ignore[no-untyped-def]
    total = 0.0
    for t in range(a.shape[0]):
        total += a[t] * b[t]
    return total


@njit(cache=True, nogil=True)
def _dense_distance(a, b, kind):  # type: ignore[no-untyped-def]
    if kind == COSINE:
        return _from_product(_dot(a, b), 1.0, 1.0, kind)
    squared = squared_distance(a, b)
    return squared if kind == SQUARED else np.sqrt(squared)


@njit(cache=True, nogil=True)
def _sparse_dot(indptr, indices, data, i, vector):  # type: ignore[no-untyped-def]
    """Product of row i with a dense vector."""
    total = 0.0
    for t in range(indptr[i], indptr[i + 1]):
        total += data[t] * vector[indices[t]]
    return total


@njit(cache=True, nogil=True)
def _add_row(indptr, indices, data, i, vector):  # type: ignore[no-untyped-def]
    for t in range(indptr[i], indptr[i + 1]):
        vector[indices[t]] += data[t]


@njit(cache=True, nogil=True)
def _clear_row(indptr, indices, i, vector):  # type: ignore[no-untyped-def]
    for t in range(indptr[i], indptr[i + 1]):
        vector[indices[t]] = 0.0


@njit(cache=True, nogil=True)
def dense_rows(X, norms, ids, kind, rows, lo, hi):  # type: ignore[no-untyped-def]
    """Turn products rows[r, i] = X[ids[r]] . X[i] into distances, those near zero by differences."""
    for r in range(lo, hi):
        m = ids[r]
        row = rows[r]
        if kind == COSINE:
            for i in range(row.shape[0]):
                row[i] = _from_product(row[i], 1.0, 1.0, kind)
        else:
            for i in range(row.shape[0]):
                squared = norms[m] - 2.0 * row[i] + norms[i]
                if squared < _CANCELLED * (norms[m] + norms[i]):
                    squared = squared_distance(X[m], X[i])
                row[i] = squared if kind == SQUARED else np.sqrt(squared)
        row[m] = 0.0


@njit(cache=True, nogil=True)
def sparse_rows(  # type: ignore[no-untyped-def]
    indptr, indices, data, column_ptr, column_rows, column_data, norms, ids, kind, rows, lo, hi
):
    """rows[r, i] = distance of samples ids[r] and i, over the columns that ids[r] has only."""
    for r in range(lo, hi):
        m = ids[r]
        row = rows[r]
        row[:] = 0.0
        for t in range(indptr[m], indptr[m + 1]):
            weight = data[t]
            column = indices[t]
            for s in range(column_ptr[column], column_ptr[column + 1]):
                row[column_rows[s]] += weight * column_data[s]
        for i in range(row.shape[0]):
            row[i] = _from_product(row[i], norms[m], norms[i], kind)
        row[m] = 0.0


@njit(cache=True, nogil=True)
def dense_own(X, medoids, labels, kind, out, lo, hi):  # type: ignore[no-untyped-def]
    """out[q, i] = distance of sample i to the medoid of its cluster."""
    for q in range(lo, hi):
        for i in range(labels.shape[1]):
            m = medoids[q, labels[q, i]]
            out[q, i] = 0.0 if m == i else _dense_distance(X[m], X[i], kind)


@njit(cache=True, nogil=True)
def sparse_own(  # type: ignore[no-untyped-def]
    indptr, indices, data, norms, medoids, order, starts, kind, vector, out, lo, hi
):
    """As dense_own; ``vector`` comes in as zeros, one number per column, and leaves so."""
    for q in range(lo, hi):
        for c in range(medoids.shape[1]):
            m = medoids[q, c]
            if m < 0:
                break
            _add_row(indptr, indices, data, m, vector)
            for i in order[q, starts[q, c] : starts[q, c + 1]]:
                product = _sparse_dot(indptr, indices, data, i, vector)
                out[q, i] = 0.0 if m == i else _from_product(product, norms[m], norms[i], kind)
            _clear_row(indptr, indices, m, vector)


@njit(cache=True, nogil=True)
def dense_separations(X, medoids, kind, least, greatest, lo, hi):  # type: ignore[no-untyped-def]
    """Least and greatest distance between two medoids (inf and 0 for one cluster)."""
    for q in range(lo, hi):
        low, high = np.inf, 0.0
        for a in range(medoids.shape[1]):
            if medoids[q, a] < 0:
                break
            for b in range(a):
                d = _dense_distance(X[medoids[q, a]], X[medoids[q, b]], kind)
                low = min(low, d)
                high = max(high, d)
        least[q] = low
        greatest[q] = high


@njit(cache=True, nogil=True)
def sparse_separations(  # type: ignore[no-untyped-def]
    indptr, indices, data, norms, medoids, kind, vector, least, greatest, lo, hi
):
    """As dense_separations; ``vector`` as in sparse_own."""
    for q in range(lo, hi):
        low, high = np.inf, 0.0
        for a in range(medoids.shape[1]):
            m = medoids[q, a]
            if m < 0:
                break
            _add_row(indptr, indices, data, m, vector)
            for b in range(a):
                i = medoids[q, b]
                product = _sparse_dot(indptr, indices, data, i, vector)
                d = _from_product(product, norms[m], norms[i], kind)
                low = min(low, d)
                high = max(high, d)
            _clear_row(indptr, indices, m, vector)
        least[q] = low
        greatest[q] = high


@njit(cache=True, nogil=True)
def _first_least(totals, members, relative, each):  # type: ignore[no-untyped-def]
    """Lowest id among the members with the least total, up to rounding."""
    least = np.inf
    for t in range(members.shape[0]):
        least = min(least, totals[t])
    limit = least + abs(least) * relative + each * members.shape[0]
    for t in range(members.shape[0]):
        if totals[t] <= limit:
            return members[t]
    return members[0]


@njit(cache=True, nogil=True)
def dense_medoids(  # type: ignore[no-untyped-def]
    X, zero, order, starts, wanted, kind, relative, each, medoids, lo, hi
):
    """medoids[q, c] = member with the least total distance to the others, ties to the lowest id.

    Cosine: the total is n_c - x.s_c, s_c the sum of the members, and 1 less for a row of zeros, which
    is not at distance 1 from itself. Euclidean, squared or not: the total of squares is n_c times the
    squared distance to the mean, plus that of all members.
    """
    totals = np.empty(order.shape[1])
    centre = np.empty(X.shape[1])
    for q in range(lo, hi):
        for c in range(wanted.shape[1]):
            if not wanted[q, c]:
                continue
            members = order[q, starts[q, c] : starts[q, c + 1]]
            size = members.shape[0]
            centre[:] = 0.0
            for i in members:
                x = X[i]
                for t in range(x.shape[0]):
                    centre[t] += x[t]
            if kind == COSINE:
                for s in range(size):
                    i = members[s]
                    totals[s] = size - _dot(X[i], centre) - zero[i]
            else:
                centre /= size
                scatter = 0.0
                for s in range(size):
                    totals[s] = squared_distance(X[members[s]], centre)
                    scatter += totals[s]
                for s in range(size):
                    totals[s] = size * totals[s] + scatter
            medoids[q, c] = _first_least(totals, members, relative, each)


@njit(cache=True, nogil=True)
def sparse_medoids(  # type: ignore[no-untyped-def]
    indptr, indices, data, halves, zero, order, starts, wanted, relative, each, vector, medoids, lo, hi
):
    """As dense_medoids, from half the squared norms: n_c |x|^2/2 + sum |y|^2/2 - x.s_c.

    For cosine ``halves`` are 1/2 throughout, also for rows of zeros. ``vector`` as in sparse_own.
    """
    totals = np.empty(order.shape[1])
    for q in range(lo, hi):
        for c in range(wanted.shape[1]):
            if not wanted[q, c]:
                continue
            members = order[q, starts[q, c] : starts[q, c + 1]]
            offset = 0.0
            for i in members:
                _add_row(indptr, indices, data, i, vector)
                offset += halves[i]
            for s in range(members.shape[0]):
                i = members[s]
                product = _sparse_dot(indptr, indices, data, i, vector)
                totals[s] = members.shape[0] * halves[i] + offset - product - zero[i]
            for i in members:
                _clear_row(indptr, indices, i, vector)
            medoids[q, c] = _first_least(totals, members, relative, each)
