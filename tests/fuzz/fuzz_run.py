"""Readers called on inputs, and what came of it."""

from __future__ import annotations

import re
import shutil
import sys
import time
import traceback
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from fuzz_limits import TimeUp, bounded
from fuzz_mutations import Files
from readers import Reader

import moo_clustering

PACKAGE = str(Path(moo_clustering.__file__).parent)
LONGEST_MESSAGE = 5000


class Outcome(NamedTuple):
    """What a reader did: ``accepted``, ``refused``, or what was wrong with it (``failure``, and where)."""

    kind: str
    message: str = ""
    place: str = ""


def outcome(
    reader: Reader, files: Files, folder: Path, *, seconds: float = 10.0, memory: int = 2**30
) -> Outcome:
    """What a reader makes of files, which are written to a folder that becomes empty before."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, data in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with bounded(seconds, memory):
                reader.call(folder)
    except TimeUp as error:
        return Outcome("failure", f"no end after {seconds:g} s", _place(error))
    except reader.raises as error:
        wrong = _wrong_message(reader, error, folder, files)
        return Outcome("failure", wrong, _place(error)) if wrong else Outcome("refused", str(error))
    except Exception as error:
        return Outcome("failure", f"{type(error).__name__}: {str(error)[:300]}", _place(error))
    return Outcome("accepted")


def _wrong_message(reader: Reader, error: Exception, folder: Path, files: Files) -> str:
    text = str(error)
    if len(text.split()) < 3:
        return f"{type(error).__name__} without a sentence: {text!r}"
    if not reader.names_file:
        return ""
    if folder.name not in text and not any(Path(name).name in text for name in files):
        return f"{type(error).__name__} without the name of the file: {text[:300]}"
    if len(text) > LONGEST_MESSAGE:
        return f"{type(error).__name__} of {len(text)} characters: {text[:100]}"
    return ""


def _place(error: BaseException) -> str:
    """The innermost line of the package that the error went through."""
    frames = [each for each in traceback.extract_tb(error.__traceback__) if each.filename.startswith(PACKAGE)]
    if not frames:
        return "?"
    return f"{Path(frames[-1].filename).relative_to(PACKAGE)}:{frames[-1].lineno}"


@dataclass
class Tally:
    """Outcomes of many inputs, with the smallest input of each different failure."""

    accepted: int = 0
    refused: int = 0
    failed: int = 0
    slowest: float = 0.0
    failures: dict[str, tuple[Outcome, Files]] = field(default_factory=dict)

    @property
    def tried(self) -> int:
        """How many inputs there were."""
        return self.accepted + self.refused + self.failed

    def add(self, found: Outcome, files: Files, spent: float) -> None:
        """Count an outcome."""
        self.slowest = max(self.slowest, spent)
        self.accepted += found.kind == "accepted"
        self.refused += found.kind == "refused"
        if found.kind == "failure":
            self.failed += 1
            key = f"{re.sub(r'[^A-Za-z]+', ' ', found.message)[:25]} at {found.place}"
            if key not in self.failures or _size(files) < _size(self.failures[key][1]):
                self.failures[key] = found, files


def _size(files: Files) -> int:
    return sum(map(len, files.values()))


class Lines:
    """Lines of the package that calls within ``with`` reach."""

    def __init__(self) -> None:
        self.met: set[tuple[str, int]] = set()

    def __enter__(self):
        sys.settrace(self._call)
        return self

    def __exit__(self, *_):
        sys.settrace(None)

    def _call(self, frame, event, argument):
        return self._line if frame.f_code.co_filename.startswith(PACKAGE) else None

    def _line(self, frame, event, argument):
        self.met.add((frame.f_code.co_filename, frame.f_lineno))
        return self._line


def timed(reader: Reader, files: Files, folder: Path) -> tuple[Outcome, float]:
    """Outcome, and the seconds it took."""
    start = time.perf_counter()
    found = outcome(reader, files, folder)
    return found, time.perf_counter() - start
