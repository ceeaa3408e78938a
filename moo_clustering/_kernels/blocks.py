"""Run a kernel over blocks of loci, on threads where that pays, with the same result on any number."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering._parallel import n_threads

BLOCK = 4096
# Below this many gene visits a thread costs more than it saves.
_WORTH_A_THREAD = 4_000_000

Kernel = Callable[[int, int], None]


def for_blocks(kernel: Kernel, n_loci: int, n_rows: int, n_jobs: int | None = None) -> None:
    """Call ``kernel(lo, hi)`` for every block; blocks must not write to the same place."""
    starts = range(0, n_loci, BLOCK)
    workers = min(n_threads(n_jobs), len(starts))
    if workers <= 1 or n_loci * n_rows < _WORTH_A_THREAD:
        for lo in starts:
            kernel(lo, min(lo + BLOCK, n_loci))
        return

    def share(worker: int) -> None:
        for lo in starts[worker::workers]:
            kernel(lo, min(lo + BLOCK, n_loci))

    # Plain threads: the kernels release the interpreter lock and write in place, and a call lasts
    # milliseconds, less than joblib waits between looks at its workers.
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(share, range(workers)))


def sum_blocks(
    kernel: Callable[[int, int, NDArray[Any]], None],
    n_loci: int,
    n_rows: int,
    dtype: type[np.generic],
    n_jobs: int | None = None,
) -> NDArray[Any]:
    """Sum of the per-block results, added in block order so that threads cannot change a bit."""
    parts = np.zeros((-(-n_loci // BLOCK), n_rows), dtype=dtype)
    for_blocks(lambda lo, hi: kernel(lo, hi, parts[lo // BLOCK]), n_loci, n_rows, n_jobs)
    total: NDArray[Any] = parts.sum(axis=0)
    return total
