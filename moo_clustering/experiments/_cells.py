"""Many independent computations, side by side, each kept as soon as it is done."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from typing import Any

import numpy as np
from joblib import delayed
from tqdm import tqdm

from moo_clustering._parallel import finished_calls
from moo_clustering.experiments._store import CellStore, Key

Compute = Callable[[Key, Any], Any]


class CellError(RuntimeError):
    """A cell failed; what was finished before is kept."""


def seed_of(*parts: str | int | float) -> np.random.SeedSequence:
    """Seed that depends on the given parts and on nothing else.

    A cell that makes its seeds of its key has the same value in whatever order, process or
    selection of cells it is computed.

    Parameters
    ----------
    *parts : str, int or float
        What the seed depends on, in this order.

    Returns
    -------
    numpy.random.SeedSequence
    """
    digest = hashlib.sha256(json.dumps(parts).encode()).digest()
    return np.random.SeedSequence(np.frombuffer(digest, dtype="<u4").tolist())


def run_cells(
    compute: Compute,
    cells: Sequence[Key],
    data: Callable[[Key], Any],
    store: CellStore,
    *,
    n_jobs: int | None = None,
    verbose: bool = False,
    description: str = "cells",
) -> bool:
    """Compute the cells that the store does not hold.

    Parameters
    ----------
    compute : callable
        ``compute(key, data) -> value`` as JSON can hold it; importable by other processes. All
        randomness must come from ``seed_of`` parts of the key.
    cells : sequence of mappings
    data : callable
        ``data(key)``: what a cell needs; called in this process shortly before the cell is due, so
        that only little data travels.
    store : CellStore
    n_jobs : int or None, default=None
        Processes; -1 for all processors. None is one, unless a :func:`joblib.parallel_config` says
        otherwise: with ``backend="dask"`` the cells are computed on the workers of a cluster. The values
        do not depend on it.
    verbose : bool, default=False
        Show progress.
    description : str, default="cells"
        Before the progress bar.

    Returns
    -------
    complete : bool
        False after Ctrl-C; finished cells are in the store then.

    Raises
    ------
    CellError
        When a cell fails; names its key.
    """
    missing = [key for key in cells if key not in store]
    if not missing:
        return True
    bar = tqdm(
        total=len(cells),
        initial=len(cells) - len(missing),
        desc=description,
        disable=not verbose,
        unit="cell",
    )
    # closing: what has been dispatched is given up when this loop is left early.
    with bar, closing(_finished(compute, missing, data, n_jobs)) as finished:
        try:
            for key, value in finished:
                store.add(key, value)
                bar.update()
        except KeyboardInterrupt:
            return False
    return True


def _finished(
    compute: Compute, cells: Sequence[Key], data: Callable[[Key], Any], n_jobs: int | None
) -> Generator[tuple[Key, Any]]:
    """Keys and values in the order in which they are ready."""
    parent = os.getpid()
    calls = (delayed(_task)(compute, key, data(key), parent) for key in cells)
    yield from finished_calls(calls, n_jobs=n_jobs)


def _task(compute: Compute, key: Key, data: Any, parent: int) -> tuple[Key, Any]:
    # Ctrl-C goes to all processes of a terminal; only the parent is to answer.
    if os.getpid() != parent and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    return key, _value(compute, key, data)


def _value(compute: Compute, key: Key, data: Any) -> Any:
    try:
        return compute(key, data)
    except MemoryError:
        raise
    except Exception as error:
        raise CellError(f"the cell {dict(key)} failed: {type(error).__name__}: {error}") from error
