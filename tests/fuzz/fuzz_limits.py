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

    The seconds are those of the processor, which do not depend on what else the machine does; a call that
    waits gets its TimeUp after sixty times as many. The memory is address space, so that even what is asked
    for and never touched counts.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    timers = {
        signal.SIGPROF: (signal.ITIMER_PROF, seconds),
        signal.SIGALRM: (signal.ITIMER_REAL, 60 * seconds),
    }
    before = {number: signal.signal(number, _ring) for number in timers}
    if _STATM.exists():
        used = int(_STATM.read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + memory, hard))
    for timer, limit in timers.values():
        signal.setitimer(timer, limit)
    try:
        yield
    finally:
        for number, (timer, _) in timers.items():
            signal.setitimer(timer, 0)
            signal.signal(number, before[number])
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
