"""Parallel calls on threads, processes or Dask workers."""

from __future__ import annotations

import errno
import hashlib
import pickle
import sys
import threading
import weakref
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import lru_cache
from typing import Any, Literal, SupportsIndex
from uuid import uuid4
from weakref import WeakKeyDictionary

import numpy as np
from joblib import Parallel, effective_n_jobs, parallel_config
from joblib.parallel import get_active_backend
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from moo_clustering._messages import Advice

Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]
"""A call as :func:`joblib.delayed` returns it: function, arguments, keyword arguments."""
Buffer = NDArray[np.uint8]
# Arrays of at least this size in bytes are sent once per worker instead of with every task.
_LARGE = 1 << 14
# Number of threads and processes that joblib starts per worker process, and for all workers together.
_PER_PROCESS, _AROUND = 4, 4
# Largest number of simultaneous threads that ``can_start`` has started so far.
_startable = [1]
# For each joblib backend, the arrays that its cluster stores until the end of the parallel_config block.
_SHELVES: WeakKeyDictionary[Any, Shelf] = WeakKeyDictionary()


def run_calls(
    calls: Iterable[Call], *, n_jobs: int | None = None, prefer: Literal["threads", "processes"] | None = None
) -> list[Any]:
    """Return the results of ``delayed`` calls in order. Calls must not modify their arguments."""
    # Unlike :class:`joblib.Parallel`, this function sends each large array to a Dask worker only once. With
    # one job, or one worker with one thread, the calls run in this process.
    shelf = active_shelf()
    if shelf is None:
        with named_losses():
            _require_workers(n_jobs, prefer)
            return list(Parallel(n_jobs=n_jobs, prefer=prefer)(calls))
    if effective_n_jobs(n_jobs) == 1:
        return [function(*args, **kwargs) for function, args, kwargs in calls]
    return list(Parallel(n_jobs=n_jobs)(map(Parcels(shelf).pack, calls)))


def finished_calls(calls: Iterable[Call], *, n_jobs: int | None = None) -> Generator[Any]:
    """Yield the results of calls in order of completion. The calls are read lazily."""
    if effective_n_jobs(n_jobs) == 1:
        for function, args, kwargs in calls:
            yield function(*args, **kwargs)
        return
    if (shelf := active_shelf()) is not None:
        calls = map(Parcels(shelf).pack, calls)
    with named_losses():
        _require_workers(n_jobs)
        yield from Parallel(n_jobs=n_jobs, return_as="generator_unordered")(calls)


def thread_calls(calls: Iterable[Call], *, n_jobs: int | None = None) -> list[Any]:
    """Return the results of ``delayed`` calls, which run on threads of this process with any backend."""
    with named_losses():
        return list(Parallel(n_jobs=n_jobs, require="sharedmem")(calls))


@contextmanager
def named_losses() -> Iterator[None]:
    """Raise a ChildProcessError if workers cannot start or if a worker is killed within this context."""
    try:
        yield
    except BrokenProcessPool as error:
        advice = "perhaps because memory ran out; run again, with fewer jobs if memory was short"
        raise ChildProcessError(f"a worker process was killed, {advice}") from error
    # If a thread cannot start, thread pools can also raise an AttributeError.
    except (RuntimeError, OSError, AttributeError) as error:
        cause: BaseException | None = error
        while cause is not None:
            # If a thread cannot start, the message contains this text. For processes, errno is EAGAIN.
            if "start new thread" in str(cause) or getattr(cause, "errno", None) == errno.EAGAIN:
                raise _no_workers() from error
            cause = cause.__cause__ or cause.__context__
        raise


def _no_workers() -> ChildProcessError:
    problem = "cannot start workers: the system cannot start more threads or processes; use "
    return ChildProcessError(Advice(problem, "n_jobs=1", "--jobs 1"))


def _require_workers(n_jobs: int | None, prefer: Literal["threads", "processes"] | None = None) -> None:
    """Raise a ChildProcessError if workers cannot start, because joblib could hang after a failed start."""
    count = effective_n_jobs(n_jobs)
    backend = get_active_backend(prefer=prefer)[0]
    if count > 1 and _is_local(backend):
        shared = getattr(backend, "supports_sharedmem", False)
        if not can_start(count if shared else _PER_PROCESS * count + _AROUND):
            raise _no_workers()


def can_start(count: int) -> bool:
    """Return whether the system can run this number of threads at once. Positive results are cached."""
    if count <= _startable[0]:
        return True
    end = threading.Event()
    threads: list[threading.Thread] = []
    try:
        for _ in range(count):
            thread = threading.Thread(target=end.wait, daemon=True)
            thread.start()
            threads.append(thread)
    except RuntimeError:
        return False
    finally:
        end.set()
        for thread in threads:
            thread.join()
    _startable[0] = count
    return True


class Content:
    """Bytes of an array, shape (n_bytes,), which remain aligned after unpickling.

    Unpickling copies the bytes to aligned memory, because NumPy sums unaligned data in a different order.
    """

    def __init__(self, memory: Buffer) -> None:
        self.memory = memory

    def __sizeof__(self) -> int:
        # Dask's scheduler reads this size.
        return self.memory.nbytes

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[Any, ...]:
        return _copied, (pickle.PickleBuffer(self.memory.data),)


class Shelf:
    """Arrays that a Dask cluster stores until this process releases them.

    Arrays are identified by their content, so modified arrays are sent again. Each array is the result of a
    task. Workers fetch the array once, preferably from another worker. If a worker fails, the cluster
    recomputes the array.
    """

    def __init__(self, client: Any) -> None:
        self.client = client
        self._futures: dict[str, Any] = {}

    def place(self, content: Buffer, owner: Any, name: str) -> Any:
        """Return the Dask future of the array ``name``. It is released when ``owner`` is deleted."""
        future = self._futures.get(name)
        if future is None or future.status in ("cancelled", "error", "lost"):
            from dask import config

            with config.set({"distributed.admin.large-graph-warning-threshold": "1 PiB"}):
                future = self.client.submit(_same, Content(content), key=f"array-{uuid4().hex}", pure=False)
            if name not in self._futures:
                weakref.finalize(owner, _take_away, weakref.ref(self), name).atexit = False
            self._futures[name] = future
        return future


class Parcels:
    """Calls for joblib in which Dask futures replace large arrays."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._names: dict[tuple[int, int], str] = {}

    def pack(self, call: Call) -> Call:
        """Replace large arrays in a call by futures, including arrays inside other objects."""
        # Import cloudpickle here, because only Dask requires it.
        import cloudpickle

        futures: list[Any] = []

        def goes_along(buffer: pickle.PickleBuffer) -> bool:
            view = memoryview(buffer)
            if view.nbytes < _LARGE:
                return True
            owner = _owner(view.obj)
            if owner is None:
                return True
            content = np.frombuffer(buffer.raw(), dtype=np.uint8)
            futures.append(self._shelf.place(content, owner, self._name(content, owner)))
            return False

        text = cloudpickle.dumps(call, protocol=5, buffer_callback=goes_along)
        return _unpacked, (text, *futures), {}

    def _name(self, content: Buffer, owner: Any) -> str:
        where = (content.ctypes.data, content.nbytes)
        if where not in self._names:
            self._names[where] = hashlib.blake2b(content.data, digest_size=20).hexdigest()
            # Forget the name when the array is deleted, because another array may reuse its memory.
            weakref.finalize(owner, self._names.pop, where, None).atexit = False
        return self._names[where]


def active_shelf() -> Shelf | None:
    """Return the shelf of the Dask cluster that joblib uses, or None if joblib uses no Dask cluster."""
    backend = get_active_backend()[0]
    if type(backend).__module__ != "joblib._dask":
        return None
    shelf = _SHELVES.get(backend)
    if shelf is None:
        shelf = _SHELVES[backend] = Shelf(backend.client)
    return shelf


def _owner(array: Any) -> Any:
    """Return the array that owns the memory of ``array``, or None if no array owns it."""
    while isinstance(getattr(array, "base", None), np.ndarray):
        array = array.base
    return array if isinstance(array, np.ndarray) else None


def _take_away(shelf: weakref.ref[Shelf], name: str) -> None:
    if (still := shelf()) is not None:
        still._futures.pop(name, None)


def _copied(buffer: Any) -> Content:
    return Content(np.array(np.frombuffer(buffer, dtype=np.uint8)))


def _same(content: Content) -> Content:
    return content


def _unpacked(text: bytes, *given: Any) -> Any:
    # If a single worker is left, joblib may call this function in the client, with futures in ``given``.
    contents: list[Content] = [part if isinstance(part, Content) else part.result() for part in given]
    function, args, kwargs = pickle.loads(text, buffers=[content.memory for content in contents])
    # The parallel steps of a task run on the worker of the task, by default with one thread.
    with parallel_config(backend="threading", n_jobs=1):
        return function(*args, **kwargs)


def n_threads(n_jobs: int | None) -> int:
    """Return the number of threads for ``n_jobs``; raise a ChildProcessError if they cannot start."""
    # Returns the same number as joblib, except with a cluster: None means one thread, -1 all local
    # processors.
    if n_jobs == 1:
        return 1
    is_local = _is_local(get_active_backend()[0])
    if n_jobs is None and not is_local:
        return 1
    with nullcontext() if is_local else parallel_config(backend="threading"):
        count = int(effective_n_jobs(n_jobs))
    if not can_start(count):
        raise _no_workers()
    return count


def _is_local(backend: object) -> bool:
    # Local backends are defined by joblib itself; other packages, such as Dask, register their own.
    return type(backend).__module__ == "joblib._parallel_backends"


@contextmanager
def threads_here(n_jobs: int | None = None) -> Iterator[None]:
    """Run scikit-learn's parallel steps in this process, even if the backend is a cluster."""
    # Callers use this if sending data would take longer than the steps, or if a failing worker would lose
    # data.
    if _is_local(get_active_backend()[0]):
        with named_losses():
            yield
        return
    with parallel_config(backend="threading", n_jobs=n_threads(n_jobs)):
        yield


def one_thread(user_api: Literal["blas", "openmp"] | None = None) -> AbstractContextManager[Any]:
    """Limit BLAS, OpenMP or both to one thread, so that results do not depend on the number of threads."""
    return _libraries(len(sys.modules)).limit(limits=1, user_api=user_api)


@lru_cache(maxsize=1)
def _libraries(n_modules: int) -> ThreadpoolController:
    # Cache the loaded libraries until a module is imported, because finding them takes some milliseconds.
    return ThreadpoolController()
