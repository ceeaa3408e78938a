"""Blocks of rows or features that depend on nothing but their number."""

from __future__ import annotations

from collections.abc import Callable

from moo_clustering._kernels.parts import for_parts

BLOCK = 128


def n_blocks(count: int) -> int:
    """Number of blocks of 0..count-1."""
    return -(-count // BLOCK)


def for_blocks(
    kernel: Callable[[int, int, int], None], count: int, n_operations: float, n_jobs: int | None
) -> None:
    """Call ``kernel(block, lo, hi)`` for every block, on threads where that pays.

    Sums by block, added in their order, are then the same on any number of threads.
    """

    def part(first: int, last: int) -> None:
        for block in range(first, last):
            kernel(block, block * BLOCK, min((block + 1) * BLOCK, count))

    for_parts(part, n_blocks(count), n_operations, n_jobs)
