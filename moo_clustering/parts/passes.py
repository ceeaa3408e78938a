"""Passes over the parts of a table, in this process or as tasks in a Dask cluster."""

import importlib
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial, reduce
from typing import Any, NamedTuple
from weakref import WeakSet

from moo_clustering._messages import progress_bar

Merge = Callable[[Any, Any], Any]
_FAN_IN, _RETRIES = 16, 3
# Clients whose workers are known to have the same package version as this process.
_CHECKED: WeakSet[Any] = WeakSet()


class Part(NamedTuple):
    """Part of a table. Either ``read()`` returns the rows, or the Dask object ``delayed`` computes them."""

    name: str
    start: int
    n_rows: int  # 0 until the rows have been counted
    read: Callable[[], Any] | None = None
    delayed: Any = None


class Fault(NamedTuple):
    """Error that remains if the task is run again."""

    error: Exception


def current_client() -> Any:
    """Return the current ``dask.distributed`` client; None if there is no client or in a task."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return None
    with suppress(ValueError):
        # ``get_worker`` succeeds only inside a task, where waiting for other tasks could block the worker.
        distributed.get_worker()
        return None
    with suppress(ValueError):
        return distributed.Client.current(allow_global=True)
    return None


def run_pass(
    visit: Callable[..., Any],
    items: Sequence[Part],
    args: tuple[Any, ...],
    merge: Merge | None,
    *,
    client: Any = None,
    description: str = "",
    verbose: bool = False,
) -> Any:
    """Return or merge the results of ``visit(part, rows, *args)``. Without Dask objects, ``rows`` is None."""
    options = {"unit": " rows", "unit_scale": True, "desc": description or None}
    n_rows = sum(part.n_rows for part in items)
    with progress_bar(total=n_rows or None, disable=not verbose, **options) as progress:
        if client is None:
            return _run_here(visit, items, args, merge, progress)
        result = _run_on(client, visit, items, args, merge, progress)
    for one in result if merge is None else [result]:
        if isinstance(one, Fault):
            raise one.error
    return result


def _run_here(visit: Any, items: Sequence[Part], args: Any, merge: Merge | None, progress: Any) -> Any:
    results: list[Any] = []
    for part in items:
        for attempt in range(_RETRIES + 1):
            try:
                rows = None if part.delayed is None else part.delayed.compute(scheduler="synchronous")
                found = visit(part, rows, *args)
                break
            except OSError:
                if attempt == _RETRIES:
                    raise
        results = [merge(results[0], found)] if merge and results else [*results, found]
        progress.update(part.n_rows)
    return results[0] if merge else results


def _run_on(
    client: Any, visit: Any, items: Sequence[Part], args: Any, merge: Merge | None, progress: Any
) -> Any:
    from dask import config
    from distributed import KilledWorker

    check_workers(client)
    submit = partial(client.submit, pure=False)
    futures: list[Any] = []
    try:
        # The arguments are sent as a task, which Dask reruns if its worker dies. ``scatter`` would lose the
        # arguments.
        with config.set({"distributed.admin.large-graph-warning-threshold": "1 PiB"}):
            shared = submit(tuple, args)
            rows: list[Any] = [None] * len(items)
            if items[0].delayed is not None:
                rows = client.compute([part.delayed for part in items], retries=_RETRIES)
            for part, some in zip(items, rows, strict=True):
                # ``delayed`` is dropped, so that a task does not contain the graph of all parts.
                future = submit(_visited, visit, part._replace(delayed=None), some, shared, retries=_RETRIES)
                future.add_done_callback(lambda _, n=part.n_rows: progress.update(n))
                futures.append(future)
            del rows
        if merge is None:
            return client.gather(futures)
        merged = list(futures)
        while len(merged) > 1:
            groups = [merged[low : low + _FAN_IN] for low in range(0, len(merged), _FAN_IN)]
            merged = [submit(_merged, merge, group) for group in groups]
            futures += merged
        return merged[0].result()
    except KilledWorker as error:
        raise ChildProcessError(
            f"workers died while reading the table ({error}), perhaps because memory ran out; use parts with "
            "fewer rows, or workers with more memory"
        ) from error
    finally:
        client.cancel(futures)


def check_workers(client: Any) -> None:
    """Raise a ChildProcessError if a worker lacks this package or has a different version."""
    if client in _CHECKED:
        return

    def version() -> str:
        # Nested functions are pickled by value, so that workers without the package can run this function.
        try:
            return str(importlib.import_module("moo_clustering").__version__)
        except ImportError as error:
            return f"none ({error})"

    here = importlib.import_module("moo_clustering").__version__
    others = {name: there for name, there in client.run(version).items() if there != here}
    if others:
        name, there = next(iter(others.items()))
        raise ChildProcessError(
            f"all workers require moo_clustering {here}, the version of this process, but worker {name} has "
            f"{there}; install the same version on every worker"
        )
    _CHECKED.add(client)


def _visited(visit: Any, part: Part, rows: Any, args: Any) -> Any:
    try:
        return visit(part, rows, *args)
    except (ValueError, TypeError) as error:
        return Fault(error)  # if the error were raised, Dask would repeat the task and fail again


def _merged(merge: Merge, group: list[Any]) -> Any:
    faults = [one for one in group if isinstance(one, Fault)]
    return faults[0] if faults else reduce(merge, group)
