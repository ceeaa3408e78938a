"""From products of instances to distances between bags, one block of bags against another.

``products[u, t]`` is y_u . x_t for rows x of ``X`` and y of ``Y``; ``x_squares``, ``y_squares`` are
squared norms; bag i of ``X`` has rows ``x_bounds[i]`` to ``x_bounds[i + 1] - 1`` of the block, likewise Y.
float64 and C-contiguous throughout. What a bag has so far is given and goes on from there, so that a bag
may come in several blocks: the order of sums and comparisons is that of the rows, whatever the blocks.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from moo_clustering._kernels.partitions import squared_distance

# Below this share of |x|^2 + |y|^2 an expanded squared distance may have lost six of its digits.
_CANCELLED = 1e-6
# There are no NaN here, and a minimum is the same in any order: it may use all lanes of a vector unit.
_MINIMUM = {"nnan", "nsz", "reassoc"}


@njit(cache=True, nogil=True)
def least_squares(products, X, Y, x_squares, y_squares, y_bounds, least):  # type: ignore[no-untyped-def]
    """least[j, t] = smallest squared distance of row t to any of bag j of Y, or what it was if smaller."""
    n_rows = products.shape[1]
    part = np.empty(n_rows)
    for j in range(y_bounds.shape[0] - 1):
        top = 0.0
        part[:] = np.inf
        for u in range(y_bounds[j], y_bounds[j + 1]):
            row, square = products[u], y_squares[u]
            top = max(top, square)
            for t in range(n_rows):
                value = square - 2.0 * row[t]
                part[t] = value if value < part[t] else part[t]
        for t in range(n_rows):
            value = part[t] + x_squares[t]
            if value <= _CANCELLED * (x_squares[t] + top):
                value = np.inf
                for u in range(y_bounds[j], y_bounds[j + 1]):
                    value = min(value, _squared(products[u, t], X[t], Y[u], x_squares[t], y_squares[u]))
                    if value == 0.0:
                        break
            least[j, t] = min(least[j, t], value)


@njit(cache=True, nogil=True)
def least_squares_back(products, X, Y, x_squares, y_squares, x_bounds, least):  # type: ignore[no-untyped-def]
    """least[i, u] = smallest squared distance of row u to any of bag i of X, or what it was if smaller."""
    n_bags = x_bounds.shape[0] - 1
    tops = np.empty(n_bags)
    for i in range(n_bags):
        tops[i] = x_squares[x_bounds[i] : x_bounds[i + 1]].max()
    for u in range(products.shape[0]):
        row, square = products[u], y_squares[u]
        for i in range(n_bags):
            low, high = x_bounds[i], x_bounds[i + 1]
            value = _smallest(x_squares[low:high], row[low:high]) + square
            if value <= _CANCELLED * (square + tops[i]):
                value = np.inf
                for t in range(low, high):
                    value = min(value, _squared(row[t], Y[u], X[t], square, x_squares[t]))
                    if value == 0.0:
                        break
            least[i, u] = min(least[i, u], value)


@njit(cache=True, nogil=True, fastmath=_MINIMUM)
def _smallest(squares, products):  # type: ignore[no-untyped-def]
    value = np.inf
    for t in range(squares.shape[0]):
        value = min(value, squares[t] - 2.0 * products[t])
    return value


@njit(cache=True, nogil=True)
def add_distances(products, X, Y, x_squares, y_squares, y_bounds, sums):  # type: ignore[no-untyped-def]
    """sums[j, t] += distances of row t to all rows of bag j of Y."""
    for j in range(y_bounds.shape[0] - 1):
        for u in range(y_bounds[j], y_bounds[j + 1]):
            for t in range(products.shape[1]):
                sums[j, t] += np.sqrt(_squared(products[u, t], X[t], Y[u], x_squares[t], y_squares[u]))


@njit(cache=True, nogil=True)
def _squared(product, x, y, x_square, y_square):  # type: ignore[no-untyped-def]
    value = y_square - 2.0 * product + x_square
    if value <= _CANCELLED * (x_square + y_square):
        return squared_distance(x, y)
    return value


@njit(cache=True, nogil=True)
def greatest(values, x_bounds, out):  # type: ignore[no-untyped-def]
    """out[i, j] = greatest of values[j] over the rows of bag i, or what it was if greater."""
    for j in range(values.shape[0]):
        for i in range(x_bounds.shape[0] - 1):
            best = out[i, j]
            for t in range(x_bounds[i], x_bounds[i + 1]):
                best = max(best, values[j, t])
            out[i, j] = best


@njit(cache=True, nogil=True)
def smallest(values, x_bounds, out):  # type: ignore[no-untyped-def]
    """out[i, j] = smallest of values[j] over the rows of bag i, or what it was if smaller."""
    for j in range(values.shape[0]):
        for i in range(x_bounds.shape[0] - 1):
            best = out[i, j]
            for t in range(x_bounds[i], x_bounds[i + 1]):
                best = min(best, values[j, t])
            out[i, j] = best


@njit(cache=True, nogil=True)
def add_roots(values, x_bounds, out):  # type: ignore[no-untyped-def]
    """out[i, j] += square roots of values[j] over the rows of bag i."""
    for j in range(values.shape[0]):
        for i in range(x_bounds.shape[0] - 1):
            total = out[i, j]
            for t in range(x_bounds[i], x_bounds[i + 1]):
                total += np.sqrt(values[j, t])
            out[i, j] = total


@njit(cache=True, nogil=True)
def add(values, x_bounds, out):  # type: ignore[no-untyped-def]
    """out[i, j] += values[j] over the rows of bag i."""
    for j in range(values.shape[0]):
        for i in range(x_bounds.shape[0] - 1):
            total = out[i, j]
            for t in range(x_bounds[i], x_bounds[i + 1]):
                total += values[j, t]
            out[i, j] = total
