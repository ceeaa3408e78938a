"""Partitions given by one link per sample, decoded and scored in one pass."""

from __future__ import annotations

import math
from typing import Any

from numba import njit
from numpy.typing import NDArray

from moo_clustering._kernels.part_objectives import add_up, divide
from moo_clustering._kernels.union_find import join, settle


@njit(cache=True, nogil=True)
def components(links: NDArray[Any], q: int, row: NDArray[Any]) -> None:
    """row[i] = least sample of the component of i in the graph {i - links[q, i]}."""
    n = len(row)
    for i in range(n):
        row[i] = i
    for i in range(n):
        join(row, i, links[q, i])
    settle(row)


@njit(cache=True, nogil=True)
def component_rows(links: NDArray[Any], lo: int, hi: int, out: NDArray[Any]) -> None:
    """:func:`components` of some rows."""
    for q in range(lo, hi):
        components(links, q, out[q])


@njit(cache=True, nogil=True)
def link_objectives(
    links: NDArray[Any],
    X: NDArray[Any],
    ones: NDArray[Any],
    neighbors: NDArray[Any],
    weights: NDArray[Any],
    rows: tuple[bool, bool, bool],
    row: NDArray[Any],
    count: NDArray[Any],
    total: NDArray[Any],
    lo: int,
    hi: int,
    out: NDArray[Any],
) -> None:
    """out[q] = variance, deviation, connectivity, where ``rows`` asks for them.

    ``neighbors`` (n_neighbors, n_samples) holds a list in every column, -1 behind its end.
    """
    n, d = X.shape
    for q in range(lo, hi):
        components(links, q, row)
        if rows[0] or rows[1]:
            add_up(row, ones, X, count, total)
            divide(row, count, total)
            variance = deviation = 0.0
            for i in range(n):
                square = 0.0
                for f in range(d):
                    difference = X[i, f] - total[row[i], f]
                    square += difference * difference
                variance += square
                if rows[1]:
                    deviation += math.sqrt(square)
            out[q, 0] = variance / n
            out[q, 1] = deviation
        if rows[2]:
            value = 0.0
            for r in range(len(weights)):
                split = 0
                for i in range(n):
                    j = neighbors[r, i]
                    split += j >= 0 and row[j] != row[i]
                value += weights[r] * split
            out[q, 2] = value
