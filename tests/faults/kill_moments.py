"""Moments inside and between the writing of files, at which a process kills itself.

Inside: wraps what the package's writers call, in this process only: files that replace others or come to be
(``moo_clustering.persistence``), and lines that are appended to those of finished cells (``papers.runner``)
or of answers (``moo_clustering.interactive.session``). Between: Python tells of every file that is opened
for writing, renamed, linked or removed before it does so, whoever asks for it; each of these, and every
line that is appended, is a boundary with a name such as ``rename to out/run.json``.
"""

import builtins
import io
import os
import re
import signal
import sys
from collections import defaultdict

from moo_clustering import persistence
from moo_clustering.interactive import session
from moo_clustering.studies import cells

# Events of Python's that change a folder, and the place of the path among their arguments.
_CHANGES = {
    "os.rename": ("rename to", 1), "os.link": ("link to", 1), "os.remove": ("remove", 0),
    "os.mkdir": ("make folder", 0), "os.rmdir": ("remove folder", 0), "os.truncate": ("cut", 0),
    "open": ("write", 0),
}  # fmt: skip
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_RANDOM = re.compile(r"\.\d+-[0-9a-f]{8}(?=\.tmp$)")
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
    sizes : sequence of int
        Lengths of the files of an undisturbed run.
    boundary : int, optional
        Which of the boundaries between two writes, counted from 0.
    """

    def __init__(self, stage=None, number=0, share=0.5, sizes=(), boundary=None):
        self.stage, self.number, self.share, self.sizes = stage, number, share, list(sizes)
        self.boundary, self.boundaries = boundary, []
        self.seen = defaultdict(int)
        self.written = []
        self.n_loaded = 0

    def at(self, stage):
        """A moment of the stage."""
        if stage == self.stage and self.seen[stage] == self.number:
            die()
        self.seen[stage] += 1

    def reach(self, name):
        """A boundary: the process dies here, or does what the name says."""
        if self.boundary == len(self.boundaries):
            die()
        self.boundaries.append(name)

    def start(self, folder):
        """From now on, in this process; boundaries are those of changes in the folder."""
        inside = os.path.join(os.path.realpath(folder), "")

        def told(event, arguments):
            if event not in _CHANGES or (event == "open" and not arguments[2] & _WRITES):
                return
            what, place = _CHANGES[event]
            if isinstance(arguments[place], int):
                return
            path = os.path.abspath(os.fsdecode(arguments[place]))
            # What a family copies for itself is no write of the run.
            own = os.path.join(inside, "copy")
            if path.startswith(inside) and not any(
                os.path.abspath(os.fsdecode(one)).startswith(own) for one in arguments[: place + 1]
            ):
                self.reach(f"{what} {_RANDOM.sub('', path.removeprefix(inside))}")

        sys.addaudithook(told)
        persistence.os = cells.os = session.os = Calls(self, os)
        persistence.open = self._opening("x", WatchedFile)
        cells.open = self._opening("a", WatchedLines)
        session.open = self._opening("r+", WatchedLines)
        persistence.read_archive = self._counted(persistence.read_archive, lambda found: 1)
        cells.read_cells = self._counted(cells.read_cells, lambda found: len(found[1]))
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
        watch.reach(f"append to {os.path.basename(self.name)}")
        if watch.stage == "midway in a line" and watch.seen[watch.stage] == watch.number:
            super().write(data[: int(watch.share * len(data))])
            die()
        watch.seen["midway in a line"] += 1
        return super().write(data)
