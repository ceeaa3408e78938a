"""Calls side by side where joblib says: on threads, in processes, on the workers of a Dask cluster."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Any, Literal

from joblib import Parallel, effective_n_jobs

from moo_clustering._parallel._parcels import Call, Parcels, active_shelf


def run_calls(
    calls: Iterable[Call], *, n_jobs: int | None = None, prefer: Literal["threads", "processes"] | None = None
) -> list[Any]:
    """Results of ``delayed`` calls, in their order.

    As :class:`joblib.Parallel` does it, but on a Dask cluster every worker gets an array once, however
    many calls it is in and however deep. With ``n_jobs=1``, or one worker of one thread, the calls stay in
    this process.

    Parameters
    ----------
    calls : iterable of what ``joblib.delayed`` makes
        They must leave their arguments as they are.
    n_jobs, prefer
        Of joblib.
    """
    shelf = active_shelf()
    if shelf is None:
        return list(Parallel(n_jobs=n_jobs, prefer=prefer)(calls))
    if effective_n_jobs(n_jobs) == 1:
        return [function(*args, **kwargs) for function, args, kwargs in calls]
    parcels = Parcels(shelf)
    return list(Parallel(n_jobs=n_jobs)(parcels.pack(call) for call in calls))


def finished_calls(calls: Iterable[Call], *, n_jobs: int | None = None) -> Generator[Any]:
    """Results as they are ready; calls are taken from the iterable shortly before they are due.

    Parameters
    ----------
    calls, n_jobs
        As for :func:`run_calls`.
    """
    if effective_n_jobs(n_jobs) == 1:
        for function, args, kwargs in calls:
            yield function(*args, **kwargs)
        return
    shelf = active_shelf()
    if shelf is not None:
        parcels = Parcels(shelf)
        calls = (parcels.pack(call) for call in calls)
    yield from Parallel(n_jobs=n_jobs, return_as="generator_unordered")(calls)
