"""Arithmetic on unordered pairs: merging duplicates, ranks, products of groups."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Pairs = NDArray[np.int64]


def sort_pairs(pairs: Pairs, weights: NDArray[np.float64], n: int) -> tuple[Pairs, NDArray[np.float64]]:
    """Pairs with i < j in lexicographic order, each once, with its greatest weight."""
    keys = pair_keys(pairs, n)
    if not len(keys):
        return np.empty((0, 2), dtype=np.int64), np.empty(0)
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    return keys_to_pairs(keys[starts], n), np.maximum.reduceat(weights[order], starts)


def pair_keys(pairs: Pairs, n: int) -> NDArray[np.int64]:
    """One number per unordered pair, in lexicographic order of (smaller, greater)."""
    return np.minimum(pairs[:, 0], pairs[:, 1]) * n + np.maximum(pairs[:, 0], pairs[:, 1])


def distinct(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Sorted non-negative numbers, each once; the hash table of ``numpy.unique`` is many times slower."""
    numbers = np.sort(numbers)
    return numbers[np.diff(numbers, prepend=-1) != 0]


def keys_to_pairs(keys: NDArray[np.int64], n: int) -> Pairs:
    """Inverse of :func:`pair_keys`."""
    return np.column_stack(np.divmod(keys, n))


def n_pairs(n: int) -> int:
    """Number of unordered pairs of n things."""
    return n * (n - 1) // 2


def unrank_pairs(ranks: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The pairs a < b in the order (0,1), (0,2), (1,2), (0,3), ...: rank = b(b-1)/2 + a."""
    b = ((1 + np.sqrt(1 + 8 * ranks.astype(np.float64))) / 2).astype(np.int64)
    # A root just below an integer may round up to it; one just above never rounds below it.
    b -= b * (b - 1) // 2 > ranks
    return ranks - b * (b - 1) // 2, b


def expand(counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For counts (2, 3): owners (0, 0, 1, 1, 1) and running numbers (0, 1, 0, 1, 2)."""
    owner = np.repeat(np.arange(len(counts)), counts)
    first = np.cumsum(counts) - counts
    return owner, np.arange(len(owner)) - first[owner]
