"""How runs are shared among workers and cut to fit into memory and caches."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

# Bytes of a row of a panel; longer ones push each other out of the caches.
_ROW_BYTES = 4096
# Runs that keep the vector units busy.
_LANES = 16
# Factors that exist at once per run: first ones, panel, panel of the runs that go on, result.
_COPIES = 4


class Batches(NamedTuple):
    """A plan.

    Attributes
    ----------
    runs : list of slice
        The runs of every batch.
    n_workers : int
        Batches at once.
    n_threads : int
        Threads for every batch.
    """

    runs: list[slice]
    n_workers: int
    n_threads: int


def plan_batches(
    n_runs: int, n_rows: int, row_bytes: int, *, lanes: int, workers: int, memory: int
) -> Batches:
    """Batches of like size, as many at once as there are workers where every one has enough runs.

    Parameters
    ----------
    n_runs : int
    n_rows : int
        Of both factors of a run.
    row_bytes : int
        Bytes of a row of a factor.
    lanes : int
        Runs that a worker should have.
    workers : int
        Available.
    memory : int
        Bytes that the batches at work may need together.

    Raises
    ------
    ValueError
        If a single run needs more.
    """
    run_bytes = _COPIES * n_rows * row_bytes
    affordable = memory // run_bytes
    if affordable < 1:
        raise ValueError(
            f"max_memory leaves {max(memory, 0) / 2**30:.3g} GiB for work, but a run needs "
            f"{run_bytes / 2**30:.3g} GiB; do fewer runs, prune the vocabulary, use dtype='float32' or "
            "raise max_memory."
        )
    most = min(workers, affordable, max(1, n_runs // lanes))
    at_once = max(count for count in range(1, most + 1) if workers % count == 0)
    size = min(affordable // at_once, max(_LANES, _ROW_BYTES // row_bytes))
    n_batches = min(n_runs, at_once * -(-n_runs // (at_once * size)))
    bounds = [n_runs * batch // n_batches for batch in range(n_batches + 1)]
    runs = [slice(lo, hi) for lo, hi in pairwise(bounds)]
    return Batches(runs, at_once, workers // at_once)
