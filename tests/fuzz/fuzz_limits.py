"""Time and memory that a call may take."""

from __future__ import annotations

import resource
import signal
from contextlib import contextmanager
from pathlib import Path

_STATM = Path("/proc/self/statm")


class TimeUp(BaseException):
    """The call took too long; no Exception, so that no reader takes it for a damaged file."""


def _ring(*_):
    raise TimeUp


@contextmanager
def bounded(seconds: float = 10.0, memory: int = 2**30):
    """A call that gets a TimeUp after so many seconds, and a MemoryError beyond so many bytes more.

    The memory is address space, so that even what is asked for and never touched counts.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    before = signal.signal(signal.SIGALRM, _ring)
    if _STATM.exists():
        used = int(_STATM.read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + memory, hard))
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
