"""Moments inside the writing of files, at which a process kills itself.

Wraps what the package's writers call, in this process only: files that replace others or come to be
(``moo_clustering.persistence``), and lines that are appended to those of finished cells (``papers.runner``)
or of answers (``moo_clustering.interactive.session``).
"""

import builtins
import io
import os
import signal
from collections import defaultdict

from moo_clustering import persistence
from moo_clustering.interactive import session
from papers import runner

# In the order in which a file meets them.
STAGES = ("created", "midway", "before fsync", "before rename", "after rename", "midway in a line")


class Watch:
    """Counts the moments of every stage, and kills the process at one of them.

    Parameters
    ----------
    stage : str, optional
        Of ``STAGES``; without one nothing is killed.
    number : int
        Which of the moments of the stage, counted from 0.
    share : float
        How much of the bytes of a file or line is written when the process is killed midway.
    """

    def __init__(self, stage=None, number=0, share=0.5, sizes=()):
        self.stage, self.number, self.share, self.sizes = stage, number, share, list(sizes)
        self.seen = defaultdict(int)
        self.written = []
        self.n_loaded = 0

    def at(self, stage):
        """A moment of the stage."""
        if stage == self.stage and self.seen[stage] == self.number:
            die()
        self.seen[stage] += 1

    def start(self):
        """From now on, in this process."""
        persistence.os = runner.os = session.os = Calls(self, os)
        persistence.open = self._opening("x", WatchedFile)
        runner.open = self._opening("a", WatchedLines)
        session.open = self._opening("r+", WatchedLines)
        persistence.read_archive = self._counted(persistence.read_archive, lambda found: 1)
        runner._read = self._counted(runner._read, lambda found: len(found[1]))
        session._read = self._counted(session._read, lambda found: len(found[1]))

    def _opening(self, watched_mode, watched):
        """``open``, which watches files that are made (x) or appended to (a)."""

        def opened(path, mode="r", *arguments, **options):
            if mode.startswith(watched_mode):
                return watched(path, self)
            return builtins.open(path, mode, *arguments, **options)

        return opened

    def _counted(self, read, size):
        """A reader whose finds are counted."""

        def reader(path):
            found = read(path)
            self.n_loaded += size(found)
            return found

        return reader


def die():
    """What nothing can catch."""
    os.kill(os.getpid(), signal.SIGKILL)


class Calls:
    """The module ``os`` with moments."""

    def __init__(self, watch, module):
        self._watch, self._module = watch, module

    def __getattr__(self, name):
        return getattr(self._module, name)

    def fsync(self, descriptor):
        """Not done: what a killed process wrote stays in the memory of the system."""
        self._watch.at("before fsync")

    def replace(self, source, target):
        """The rename of a file that may be there already."""
        self._renamed(self._module.replace, source, target)

    def link(self, source, target):
        """The rename of a file that must be new."""
        self._renamed(self._module.link, source, target)

    def _renamed(self, rename, source, target):
        self._watch.at("before rename")
        rename(source, target)
        self._watch.at("after rename")


class WatchedFile(io.BufferedRandom):
    """A new file that may be cut off when so many bytes have gone through it."""

    def __init__(self, path, watch):
        super().__init__(builtins.open(path, "x+b", buffering=0))  # noqa: SIM115
        self._watch, self._n_bytes = watch, 0
        watch.at("created")
        number = watch.seen["midway"]
        mine = watch.stage == "midway" and watch.number == number and number < len(watch.sizes)
        self._end = int(watch.share * watch.sizes[number]) if mine else None
        watch.seen["midway"] += 1

    def write(self, data):
        """Up to the end, if this is the file."""
        view = memoryview(data).cast("B")
        if self._end is not None and self._n_bytes + len(view) >= self._end:
            super().write(view[: max(self._end - self._n_bytes, 0)])
            self.flush()
            die()
        self._n_bytes += len(view)
        return super().write(view)

    def close(self):
        """Note how long it was."""
        if not self.closed:
            self._watch.written.append(self._n_bytes)
        super().close()


class WatchedLines(io.FileIO):
    """A file of lines, one of which may be cut off."""

    def __init__(self, path, watch):
        super().__init__(path, "ab")
        self._watch = watch

    def write(self, data):
        """One line."""
        watch = self._watch
        if watch.stage == "midway in a line" and watch.seen[watch.stage] == watch.number:
            super().write(data[: int(watch.share * len(data))])
            die()
        watch.seen["midway in a line"] += 1
        return super().write(data)
