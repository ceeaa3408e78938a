"""Which genes two chromosomes exchange: a tail, half of those that differ, or a coin for each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering._kernels.partition_pairs import half_of_differences
from moo_clustering.encodings._alignment import align_labels

Genes = NDArray[np.integer[Any]]
Mask = NDArray[np.bool_]
Exchange = Callable[[Genes, Genes, np.random.Generator], Mask]

# Draws held at once: 32 MiB.
_DRAWS = 2**22


def tails(first: Genes, second: Genes, rng: np.random.Generator) -> Mask:
    """The genes from a cut on that is uniform over 1..n_var-1, one for every pair."""
    n_pairs, n_var = first.shape
    return np.arange(n_var) >= rng.integers(1, max(n_var, 2), size=(n_pairs, 1))


def half_differing(first: Genes, second: Genes, rng: np.random.Generator) -> Mask:
    """Of the h genes in which a pair differs floor(h / 2), every choice equally likely."""
    n_pairs, n_var = first.shape
    first, second = (np.ascontiguousarray(x, dtype=np.int32) for x in (first, second))
    chosen = np.empty((n_pairs, n_var), dtype=bool)
    step = max(1, _DRAWS // max(n_var, 1))
    for lo in range(0, n_pairs, step):
        part = slice(lo, lo + step)
        draws = rng.random(first[part].shape)
        half_of_differences(first[part], second[part], draws, chosen[part])
    return chosen


def coins(first: Genes, second: Genes, rng: np.random.Generator) -> Mask:
    """Every gene with probability one half; one random bit each."""
    n_pairs, n_var = first.shape
    shape = n_pairs, -(-n_var // 8)
    bits = np.frombuffer(rng.bytes(shape[0] * shape[1]), dtype=np.uint8).reshape(shape)
    return np.unpackbits(bits, axis=1, count=n_var).view(bool)


def cross_partitions(
    first: Genes,
    second: Genes,
    exchange: Exchange,
    rng: np.random.Generator,
    *,
    align: bool,
    n_clusters: int | None = None,
) -> tuple[Genes, Genes]:
    """Two children of every pair of rows.

    Parameters
    ----------
    first, second : ndarray of shape (n_pairs, n_samples)
        Cluster of every sample; not changed.
    exchange : callable
        Says which genes are exchanged.
    rng : numpy.random.Generator
    align : bool
        Give the clusters of ``second`` the numbers they have in ``first`` before.
    n_clusters : int, optional
        See :func:`~moo_clustering.encodings.align_labels`.
    """
    if align:
        second = align_labels(first, second, n_clusters)
    swap = exchange(first, second, rng)
    return np.where(swap, second, first), np.where(swap, first, second)
