"""Processes that run a family, and how they end."""

import os
import pickle
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from kill_moments import Watch
from killed_run import run_and_exit

_HERE = Path(__file__).parent
# Where a new interpreter finds the families, and the package and `papers` of this checkout.
_PLACES = (_HERE, _HERE.parent / "algorithms", _HERE.parents[1])
# Seconds after which a run hangs.
_PATIENCE = 600.0


@dataclass
class Ended:
    """How a process ended.

    ``outcome`` is what the run found, if it came to its end; ``error`` says why it failed.
    """

    killed: bool
    seconds: float
    outcome: dict | None = None
    error: str = ""
    seen: dict = field(default_factory=dict)
    sizes: list = field(default_factory=list)
    n_loaded: int = 0
    boundaries: list = field(default_factory=list)


def run(family, folder, *, moment=None, after=None, fresh=False):
    """Run a family in another process, which may kill itself at a moment or be killed after some seconds.

    Parameters
    ----------
    family : family
    folder : Path
    moment : dict, optional
        Arguments of ``Watch``.
    after : float, optional
        Seconds from the beginning of the run.
    fresh : bool, default=False
        Whether in a new interpreter instead of a fork of this one.
    """
    result = folder.parent / "result"
    started = Path(f"{result}.started")
    for path in (result, started):
        path.unlink(missing_ok=True)
    start = _start if fresh else _fork
    process = start(family, folder, result, moment or {})
    limit = time.monotonic() + _PATIENCE
    while not started.exists() and not process.over() and time.monotonic() < limit:
        time.sleep(0.001)
    begun = time.monotonic()
    due = min(limit, begun + (_PATIENCE if after is None else after))
    while not process.over() and time.monotonic() < due:
        time.sleep(0.001)
    hangs = not process.over() and time.monotonic() >= limit
    process.kill()
    seconds = time.monotonic() - begun
    if hangs:
        return Ended(False, seconds, error=f"it hangs: no end after {_PATIENCE} seconds")
    if process.status == -signal.SIGKILL:
        return Ended(True, seconds)
    if process.status != 0:
        said = result.read_text() if result.exists() else f"exit status {process.status}"
        return Ended(False, seconds, error=said)
    outcome, *seen = pickle.loads(result.read_bytes())
    return Ended(False, seconds, outcome, "", *seen)


class _Forked:
    """A process with all that this one has imported and compiled."""

    def __init__(self, pid):
        self._pid, self.status = pid, None

    def over(self):
        """Whether it has ended; ``status`` is negative for a signal."""
        if self.status is None:
            pid, status = os.waitpid(self._pid, os.WNOHANG)
            self.status = os.waitstatus_to_exitcode(status) if pid else None
        return self.status is not None

    def kill(self):
        """Kill it, unless it has ended."""
        if not self.over():
            os.kill(self._pid, signal.SIGKILL)
            self.status = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])


class _Started:
    """A new interpreter."""

    def __init__(self, process):
        self._process = process

    @property
    def status(self):
        """Negative for a signal."""
        return self._process.returncode

    def over(self):
        """Whether it has ended."""
        return self._process.poll() is not None

    def kill(self):
        """Kill it, unless it has ended."""
        self._process.kill()
        self._process.wait()


def _fork(family, folder, result, moment):
    pid = os.fork()
    if pid == 0:
        run_and_exit(family, folder, result, Watch(**moment))
    return _Forked(pid)


def _start(family, folder, result, moment):
    process = subprocess.Popen(
        [sys.executable, _HERE / "killed_run.py"],
        stdin=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, _PLACES))},
    )
    given = {"family": family.name, "folder": folder, "result": result, "moment": moment}
    process.stdin.write(pickle.dumps(given))
    process.stdin.close()
    return _Started(process)
