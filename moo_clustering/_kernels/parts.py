"""Share the rows or individuals of a kernel among threads, with the same result on any number."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from moo_clustering._parallel import n_threads

# Below this many additions or comparisons a thread costs more than it saves.
_WORTH_A_THREAD = 10_000_000
# Parts per worker, so that one with large clusters does not keep the others waiting.
_PARTS = 4

Kernel = Callable[[int, int], None]


def for_parts(kernel: Kernel, count: int, n_operations: float, n_jobs: int | None = None) -> None:
    """Call ``kernel(lo, hi)`` so that 0..count-1 is covered; parts must not write to the same place.

    Parameters
    ----------
    kernel : callable
    count : int
        Number of rows or individuals.
    n_operations : float
        About how many operations there are in all; decides whether threads pay.
    n_jobs : int or None
        As for joblib.
    """
    workers = min(n_threads(n_jobs), count)
    if workers <= 1 or n_operations < _WORTH_A_THREAD:
        kernel(0, count)
        return
    n_parts = min(count, workers * _PARTS)
    bounds = [count * part // n_parts for part in range(n_parts + 1)]
    # Plain threads: the kernels release the interpreter lock and write in place, and a call lasts
    # milliseconds, less than joblib waits between looks at its workers.
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(kernel, bounds[:-1], bounds[1:]))
