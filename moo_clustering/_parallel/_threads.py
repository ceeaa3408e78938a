"""How many threads a kernel may use."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from joblib import effective_n_jobs, parallel_config
from joblib.parallel import get_active_backend


def n_threads(n_jobs: int | None) -> int:
    """Threads of this process that ``n_jobs`` stands for.

    Parameters
    ----------
    n_jobs : int or None
        As for joblib. Where joblib's backend is a cluster, whose workers are no threads here, None is
        one thread and -1 all processors of this machine.
    """
    if n_jobs == 1:
        return 1
    if _is_local(get_active_backend()[0]):
        return int(effective_n_jobs(n_jobs))
    if n_jobs is None:
        return 1
    with parallel_config(backend="threading"):
        return int(effective_n_jobs(n_jobs))


def _is_local(backend: object) -> bool:
    # Those that joblib itself has; Dask's and others are registered from elsewhere.
    return type(backend).__module__ == "joblib._parallel_backends"


@contextmanager
def threads_here(n_jobs: int | None = None) -> Iterator[None]:
    """What scikit-learn does in parallel here stays in this process, also where the backend is a cluster.

    For steps that take less than sending their data, and for fits whose data would be lost with a worker.

    Parameters
    ----------
    n_jobs : int or None
        As for :func:`n_threads`.
    """
    if _is_local(get_active_backend()[0]):
        yield
        return
    with parallel_config(backend="threading", n_jobs=n_threads(n_jobs)):
        yield
