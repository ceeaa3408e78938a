"""Non-negative matrix factorisation of one sparse matrix in many simultaneous runs.

A panel stores one factor (U or V) of all runs: column ``c * n_runs + t`` is component c of run t, so that
loops over the runs access contiguous memory. Gram matrices are stored as lower triangles, with one row per
matrix entry and one column per run.
"""

import numpy as np

from moo_clustering._kernels.caching import njit
from moo_clustering._kernels.least_squares import nnls_gram
from moo_clustering._kernels.partitions import add_scaled
from moo_clustering._kernels.threads import borrowed

_WIDE = 8
# A float32 zero avoids promoting float32 arithmetic to float64.
_ZERO = np.float32(0)


@borrowed()
def _entry(a, b):
    """Return the index at which entry (a, b) of a symmetric matrix is stored."""
    return a * (a + 1) // 2 + b if a >= b else b * (b + 1) // 2 + a


@borrowed()
def _add_four(x0, q0, x1, q1, x2, q2, x3, q3, out):
    for w in range(out.shape[0]):
        out[w] += (x0 * q0[w] + x1 * q1[w]) + (x2 * q2[w] + x3 * q3[w])


@borrowed()
def _multiply_row(data, indices, start, stop, other, out):
    out[:] = 0.0
    z = start
    while z + 4 <= stop:
        a, b, c, d = indices[z], indices[z + 1], indices[z + 2], indices[z + 3]
        _add_four(data[z], other[a], data[z + 1], other[b], data[z + 2], other[c], data[z + 3], other[d], out)
        z += 4
    while z < stop:
        add_scaled(other[indices[z]], data[z], out)
        z += 1


@borrowed()
def _subtract_four(p0, g0, p1, g1, p2, g2, p3, g3, out):
    for t in range(out.shape[0]):
        out[t] -= (p0[t] * g0[t] + p1[t] * g1[t]) + (p2[t] * g2[t] + p3[t] * g3[t])


@borrowed()
def _subtract_product(p, q, out):
    for t in range(out.shape[0]):
        out[t] -= p[t] * q[t]


@borrowed()
def _add_product(p, q, out):
    for t in range(out.shape[0]):
        out[t] += p[t] * q[t]


@borrowed()
def _copy(values, out):
    for t in range(out.shape[0]):
        out[t] = values[t]


@borrowed()
def _subtract_row_times_gram(p, gram, j, k, out):
    """Multiply a row by the Gram matrix, and subtract entry j of the product from ``out``."""
    n_runs = out.shape[0]
    if n_runs < _WIDE:
        _subtract_lane_by_lane(p, gram, j, k, out)
        return
    c = 0
    while c + 4 <= k:
        p0, p1 = p[c * n_runs : (c + 1) * n_runs], p[(c + 1) * n_runs : (c + 2) * n_runs]
        p2, p3 = p[(c + 2) * n_runs : (c + 3) * n_runs], p[(c + 3) * n_runs : (c + 4) * n_runs]
        g0, g1 = gram[_entry(j, c)], gram[_entry(j, c + 1)]
        g2, g3 = gram[_entry(j, c + 2)], gram[_entry(j, c + 3)]
        _subtract_four(p0, g0, p1, g1, p2, g2, p3, g3, out)
        c += 4
    while c < k:
        _subtract_product(p[c * n_runs : (c + 1) * n_runs], gram[_entry(j, c)], out)
        c += 1


@borrowed()
def _subtract_lane_by_lane(p, gram, j, k, out):
    """Compute the same sums as :func:`_subtract_row_times_gram`, with the same rounding, for few runs."""
    n_runs = out.shape[0]
    for t in range(n_runs):
        total = out[t]
        c = 0
        while c + 4 <= k:
            total -= (
                p[c * n_runs + t] * gram[_entry(j, c), t]
                + p[(c + 1) * n_runs + t] * gram[_entry(j, c + 1), t]
            ) + (
                p[(c + 2) * n_runs + t] * gram[_entry(j, c + 2), t]
                + p[(c + 3) * n_runs + t] * gram[_entry(j, c + 3), t]
            )
            c += 4
        while c < k:
            total -= p[c * n_runs + t] * gram[_entry(j, c), t]
            c += 1
        out[t] = total


@borrowed(error_model="numpy")
def _step(p, slope, curvature):
    for t in range(p.shape[0]):
        moved = p[t] + slope[t] / curvature[t] if curvature[t] > 0 else p[t]
        p[t] = moved if moved > 0 else _ZERO


@borrowed()
def _descend_row(p, product, gram, k, spare):
    n_runs = gram.shape[1]
    slope = spare[:n_runs]
    for j in range(k):
        _copy(product[j * n_runs : (j + 1) * n_runs], slope)
        _subtract_row_times_gram(p, gram, j, k, slope)
        _step(p[j * n_runs : (j + 1) * n_runs], slope, gram[_entry(j, j)])


@borrowed(error_model="numpy")
def _scale(p, product, negative):
    for w in range(p.shape[0]):
        p[w] = p[w] * product[w] / -negative[w] if negative[w] < 0 else p[w]


@borrowed()
def _scale_row(p, product, gram, k, spare):
    """Apply a multiplicative update to a row. Entries whose denominator is 0 remain unchanged."""
    n_runs = gram.shape[1]
    spare[:] = 0.0
    for j in range(k):
        _subtract_row_times_gram(p, gram, j, k, spare[j * n_runs : (j + 1) * n_runs])
    _scale(p, product, spare)


@borrowed()
def _add_to_gram(p, k, gram):
    n_runs = gram.shape[1]
    if n_runs < _WIDE:
        for j in range(k):
            for c in range(j + 1):
                for t in range(n_runs):
                    gram[_entry(j, c), t] += p[j * n_runs + t] * p[c * n_runs + t]
        return
    for j in range(k):
        for c in range(j + 1):
            _add_product(
                p[j * n_runs : (j + 1) * n_runs], p[c * n_runs : (c + 1) * n_runs], gram[_entry(j, c)]
            )


@borrowed()
def _add_inner(p, product, k, spare, out):
    """Add the inner product of two rows to ``out``. Its terms are summed in the panel's dtype."""
    n_runs = out.shape[0]
    total = spare[:n_runs]
    total[:] = 0.0
    for j in range(k):
        _add_product(p[j * n_runs : (j + 1) * n_runs], product[j * n_runs : (j + 1) * n_runs], total)
    for t in range(n_runs):
        out[t] += total[t]


@borrowed()
def update_panel(
    data, indices, indptr, other, gram, panel, k, bounds, multiply, scratch, grams, inners, lo, hi
):
    """Update the rows of a panel P in blocks lo..hi-1, while the other panel Q is fixed."""
    # M is a sparse matrix with as many rows as P. ``gram``, with shape (k (k + 1) / 2, n_runs), is the Gram
    # matrix Q^T Q of k components. With ``multiply``, updates are multiplicative. Otherwise, they are steps
    # of coordinate descent. ``grams`` and ``inners`` receive each block's part of the new Gram matrix P^T P
    # and of the new inner product <P, M Q>. ``scratch`` has shape (n_blocks, 2, width).
    for block in range(lo, hi):
        product, spare = scratch[block, 0], scratch[block, 1]
        own, inner = grams[block], inners[block]
        own[:] = 0.0
        inner[:] = 0.0
        for i in range(bounds[block], bounds[block + 1]):
            row = panel[i]
            _multiply_row(data, indices, indptr[i], indptr[i + 1], other, product)
            if multiply:
                _scale_row(row, product, gram, k, spare)
            else:
                _descend_row(row, product, gram, k, spare)
            _add_to_gram(row, k, own)
            _add_inner(row, product, k, spare, inner)


@borrowed()
def gram_panel(panel, k, bounds, grams, lo, hi):
    for block in range(lo, hi):
        grams[block] = 0.0
        for i in range(bounds[block], bounds[block + 1]):
            _add_to_gram(panel[i], k, grams[block])


@borrowed()
def panel_losses(square, gram, other_gram, inner, out):
    """Compute each run's squared error, |M|^2 - 2 <P, M Q> + <P^T P, Q^T Q>, which is at least 0."""
    for t in range(out.shape[0]):
        total, diagonal, width = 0.0, 0, 1
        for e in range(gram.shape[0]):
            value = gram[e, t] * other_gram[e, t]
            if e == diagonal:
                total += value
                width += 1
                diagonal += width
            else:
                total += 2.0 * value
        loss = (square - 2.0 * inner[t]) + total
        out[t] = loss if loss > 0 else 0.0


@njit(cache=True, nogil=True)
def fit_weights(gram, products, weights, lo, hi):
    """Set weights[i] to the w >= 0 that minimises w' G w / 2 - products[i]' w, where G is ``gram``."""
    k = len(gram)
    gradient, passive = np.empty(k), np.zeros(k, dtype=np.bool_)
    factor, trial = np.zeros((k, k)), np.empty(k)
    for i in range(lo, hi):
        nnls_gram(gram, products[i], k, weights[i], gradient, passive, factor, trial)
