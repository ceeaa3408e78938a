"""Threads for compiled kernels, which release the interpreter lock and process parts of a range."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np
from numba.core import event
from numpy.typing import NDArray

from moo_clustering._kernels.caching import njit
from moo_clustering._parallel import n_threads, named_losses

BLOCK = 4096
# Below ``_WORTH_A_THREAD`` operations, one thread is faster, because starting threads takes tens of
# microseconds. ``_VISIT`` is the estimated number of operations per gene.
_WORTH_A_THREAD, _VISIT = 10_000_000, 2.5
_PARTS = 4
Kernel = Callable[[int, int], None]


def for_blocks(kernel: Kernel, n_loci: int, n_rows: int, n_jobs: int | None = None) -> None:
    """Call ``kernel(lo, hi)`` for each block of loci. Blocks must not write to the same memory."""

    def part(first: int, last: int) -> None:
        for block in range(first, last):
            kernel(block * BLOCK, min((block + 1) * BLOCK, n_loci))

    for_parts(part, -(-n_loci // BLOCK), _VISIT * n_loci * n_rows, n_jobs)


def sum_blocks(
    kernel: Callable[[int, int, NDArray[Any]], None],
    n_loci: int,
    n_rows: int,
    dtype: type[np.generic],
    n_jobs: int | None = None,
) -> NDArray[Any]:
    """Sum the results of all blocks in block order, so that the number of threads has no effect."""
    parts = np.zeros((-(-n_loci // BLOCK), n_rows), dtype=dtype)
    for_blocks(lambda lo, hi: kernel(lo, hi, parts[lo // BLOCK]), n_loci, n_rows, n_jobs)
    total: NDArray[Any] = parts.sum(axis=0)
    return total


def borrowed(**options: Any) -> Callable[[Any], Any]:
    """Wrap ``numba.njit`` for functions that neither allocate arrays nor keep references to arguments."""
    # ``_nrt=False`` disables reference counting. For the arrays of a named tuple, counting takes longer than
    # a short loop, and makes threads wait for each other. If numba rejects this private option, it is
    # omitted.
    try:
        decorator: Callable[[Any], Any] = njit(cache=True, nogil=True, _nrt=False, **options)
    except KeyError:
        decorator = njit(cache=True, nogil=True, **options)
    return decorator


def for_parts(
    kernel: Kernel, count: int, n_operations: float, n_jobs: int | None = None, each: int = _PARTS
) -> None:
    """Call ``kernel(lo, hi)`` for parts of the range 0..count-1. Parts must not write to the same memory."""
    # Threads are used only if the estimate ``n_operations`` is large. ``each`` is the number of parts per
    # worker. It should be 1 if all parts take equally long and each part reads an entire large table.
    workers = min(n_threads(n_jobs), count)
    if workers <= 1 or n_operations < _WORTH_A_THREAD:
        kernel(0, count)
        return
    n_parts = min(count, workers * each)
    bounds = [count * part // n_parts for part in range(n_parts + 1)]
    # Plain threads suffice, because kernels release the interpreter lock and write in place. A call takes
    # only milliseconds, which is less than joblib's polling interval.
    with named_losses(), ThreadPoolExecutor(workers) as pool:
        list(pool.map(kernel, bounds[:-1], bounds[1:]))


@contextmanager
def before_compiling(tell: Callable[[], object]) -> Iterator[None]:
    """Call ``tell`` before the first compilation in this context, unless all loops are cached."""

    class Listener(event.Listener):
        told = False

        def on_start(self, _: object) -> None:
            if not self.told:
                self.told = True
                tell()

        def on_end(self, _: object) -> None:
            """Do nothing, because only the first compilation is reported."""

    with event.install_listener("numba:compile", Listener()):
        yield
