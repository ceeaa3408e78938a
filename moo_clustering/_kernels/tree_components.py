"""Partitions given by which links of a tree are cut or led elsewhere, over its unbroken parts only.

Part 0 holds the root; ``above[c]`` is the part that the top of part c hangs from, always smaller than c,
and ``gene[c]`` the gene of that link.
"""

from __future__ import annotations

from typing import Any

from numba import njit
from numpy.typing import NDArray

from moo_clustering._kernels.union_find import join, settle


@njit(cache=True, nogil=True)
def split_components(
    G: NDArray[Any], above: NDArray[Any], gene: NDArray[Any], lo: int, hi: int, out: NDArray[Any]
) -> None:
    """out[q, c] = smallest part of the cluster of part c; a gene of 0 cuts its link."""
    for q in range(lo, hi):
        out[q, 0] = 0
        for c in range(1, len(above)):
            out[q, c] = out[q, above[c]] if G[q, gene[c]] else c


@njit(cache=True, nogil=True)
def short_components(
    G: NDArray[Any], base: NDArray[Any], gene: NDArray[Any], lo: int, hi: int, out: NDArray[Any]
) -> None:
    """out[q, c] = smallest part of the cluster of part c; a gene names the sample its link leads to."""
    n_parts = len(gene)
    for q in range(lo, hi):
        row = out[q]
        for c in range(n_parts):
            row[c] = c
        for c in range(1, n_parts):
            join(row, c, base[G[q, gene[c]]])
        settle(row)


@njit(cache=True, nogil=True)
def sample_labels(
    parts: NDArray[Any], base: NDArray[Any], number: NDArray[Any], lo: int, hi: int, out: NDArray[Any]
) -> None:
    """Clusters of all samples, numbered by first appearance; ``number`` is room for one entry per part."""
    for q in range(lo, hi):
        number[:] = -1
        count = 0
        for i in range(len(base)):
            c = parts[q, base[i]]
            if number[c] < 0:
                number[c] = count
                count += 1
            out[q, i] = number[c]


@njit(cache=True, nogil=True)
def cluster_counts(parts: NDArray[Any], out: NDArray[Any]) -> None:
    """Number of clusters of every row."""
    for q in range(len(parts)):
        count = 0
        for c in range(parts.shape[1]):
            count += parts[q, c] == c
        out[q] = count
