"""Messages, progress bars and path checks, without slow imports, so that errors appear quickly."""

import difflib
import os
import re
import stat
import sys
from collections.abc import Iterable, Sequence
from contextlib import nullcontext, suppress
from functools import cache
from pathlib import Path
from threading import RLock
from typing import Any, Self

# Maximum number of characters in a message, and in a value that a message quotes.
_LONGEST, _LONGEST_VALUE = 2000, 100
# Longer names are not compared, because the time is proportional to the product of both lengths.
_LONGEST_SUGGESTION = 200
# Matches quoted values of more than 101 characters and words, such as paths, of more than 300 characters.
_VALUES = re.compile(r"""(?<!\w)(["'])(?:(?!\1)[^\\]|\\.){102,}\1|\S{301,}""")


def message_line(text: object) -> str:
    """Return a message as one line that is safe to print on any terminal, in O(characters) time."""
    # Control and bidirectional characters are removed. Very long values, words and messages are shortened.
    line = _VALUES.sub(lambda found: _without_middle(found[0], _LONGEST_VALUE), printable_line(text))
    return _without_middle(line, _LONGEST)


def printable_line(text: object) -> str:
    return " ".join("".join(mark if mark.isprintable() else " " for mark in str(text)).split())


def shortened(text: object, longest: int) -> str:
    line = printable_line(text)
    return line if len(line) <= longest else f"{line[: longest - 3].rstrip()}..."


class Advice(str):
    """Message with advice for Python. The attribute ``command`` contains the advice for the command line."""

    command: str

    def __new__(cls, text: str, python: str = "", command: str = "") -> Self:
        said = super().__new__(cls, text + python)
        said.command = text + command
        return said


def for_command(message: object) -> str:
    """Return the text of a note, warning or error with advice for the command line."""
    said = message.args[0] if isinstance(message, Exception) and message.args else message
    return said.command if isinstance(said, Advice) else str(message)


def did_you_mean(name: str, allowed: Iterable[str]) -> str:
    """Return text such as ``"; did you mean 'wine'?"``, or "" if no allowed name is similar."""
    if len(name) > _LONGEST_SUGGESTION:
        return ""
    names = {text.casefold(): text for one in allowed if len(text := str(one)) <= _LONGEST_SUGGESTION}
    near = difflib.get_close_matches(name.casefold(), names, n=1)
    return f"; did you mean {names[near[0]]!r}?" if near else ""


def quoted(value: object) -> str:
    """Format a rejected value for a message."""
    # The result is the ``repr`` of the value on one line. If it is long, the middle is omitted.
    try:
        # Show NumPy numbers in the same form as Python numbers, without their type.
        text = repr(value.item() if getattr(value, "shape", None) == () else value)  # type: ignore[attr-defined]
    except Exception:
        # Python cannot show integers of more than a few thousand digits, or objects with a faulty __repr__.
        text = f"an object of type {type(value).__name__} that cannot be shown"
    return value_line(text)


def value_line(text: str) -> str:
    return _without_middle(message_line(text), _LONGEST_VALUE)


def _without_middle(text: str, longest: int) -> str:
    half = longest // 2 - 3
    return text if len(text) <= longest else f"{text[:half]} ... {text[-half:]}"


_SPECIAL = dict.fromkeys((stat.S_IFCHR, stat.S_IFBLK), "a device")
_SPECIAL |= {stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket"}


def special_file(mode: int) -> str:
    """Describe a special file by its mode, such as "a socket". Return "" for other files and folders."""
    is_usual = stat.S_ISREG(mode) or stat.S_ISDIR(mode)
    return "" if is_usual else _SPECIAL.get(stat.S_IFMT(mode), "a special file")


def path_fault(path: str | os.PathLike[str], kind: str = "file or folder") -> str:
    """Return why a path cannot be used as a file or folder; return "" if it can."""
    text = os.fspath(path)
    if fault := _text_fault(text, kind):
        return fault
    try:
        mode = os.stat(text).st_mode
    except FileNotFoundError:
        own = Path(text)
        lost = next((each for each in (own, *own.parents) if each.is_symlink() and not each.exists()), None)
        if lost is None:
            return ""
        target = value_line(os.readlink(lost))
        return f"{'is' if lost == own else f'is below {lost},'} a link to {target}, which does not exist"
    except OSError as error:
        return f"cannot be used: {error.strerror or error}"
    except ValueError as error:  # the path contains lone surrogates
        return f"cannot be used: {error}"
    found = special_file(mode) or ("a folder" if stat.S_ISDIR(mode) else "a file")
    return "" if found.removeprefix("a ") in kind else f"is {found}, not a {kind}"


def _text_fault(text: str, kind: str = "file or folder") -> str:
    """Return why the text of a path is invalid, without accessing files; return "" if it is valid."""
    # ``Path("")`` would be the current folder. Shells do not expand the ~ in --out=~/x.
    if not text.strip():
        return f"is empty; specify the path of a {kind}"
    if "\0" in text:
        return "contains a null byte, which is not allowed in a path"
    if text == "-":
        return f"cannot be a standard stream; specify the path of a {kind}"
    if text.partition("/")[0] == "~":
        return f"begins with ~, which was not expanded; specify {os.path.expanduser(text)} or ./{text}"
    return ""


def checked_path(path: str | os.PathLike[str], name: str = "path") -> Path:
    """Return the path; raise an error that names the argument if it is no path or its text is invalid."""
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"{name} must be a string or a path, got {quoted(path)}")
    if fault := _text_fault(os.fspath(path)):
        raise ValueError(f"{name} {fault}")
    return Path(path)


def distinct_names(names: Iterable[Any]) -> list[str]:
    """Convert names to strings, and add a number to repeated names, as in ``a`` and ``a (2)``."""
    found: dict[str, None] = {}
    numbers: dict[str, int] = {}
    for name in map(str, names):
        candidate, number = name, numbers.get(name, 1)
        while candidate in found:
            number += 1
            candidate = f"{name} ({number})"
        numbers[name], found[candidate] = number, None
    return list(found)


class _Lossy:
    """Stream wrapper that ignores the errors of the stream.

    The wrapper compares equal to the stream, because tqdm requires this.
    """

    def __init__(self, stream: Any) -> None:
        self._wrapped = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._wrapped, name)

    def __eq__(self, other: object) -> bool:
        return bool(self._wrapped == getattr(other, "_wrapped", other))

    __hash__ = None  # type: ignore[assignment]

    def write(self, text: str) -> None:
        with suppress(OSError, ValueError):
            self._wrapped.write(text)

    def flush(self) -> None:
        with suppress(OSError, ValueError):
            self._wrapped.flush()


@cache
def bar_class() -> Any:
    """Return the class of progress bars: a subclass of ``tqdm.auto`` whose lock is always released."""
    # The lock of tqdm stays locked if a bar is interrupted, or if a process that shares the lock is killed.
    # Bars of other threads would then wait forever.
    from tqdm.auto import tqdm

    class Bar(tqdm):  # type: ignore[type-arg]
        _lock = RLock()

        def refresh(self, nolock: bool = False, lock_args: Any = None) -> Any:
            with nullcontext() if nolock else self._lock:
                return super().refresh(nolock=True)

    return Bar


def progress_bar(*arguments: Any, **options: Any) -> Any:
    """Create a progress bar on stderr that never raises an error. If stderr fails, the bar is hidden."""
    bar = bar_class()
    try:
        return bar(*arguments, **options, file=_Lossy(sys.stderr))
    except (AttributeError, OSError, ValueError):
        return bar(*arguments, **options | {"disable": True})


def aligned(rows: Sequence[Sequence[str]], *, right: Sequence[int] = (), gap: str = "  ") -> str:
    """Pad each column to its widest cell. Columns whose indices are in ``right`` are right-aligned."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if number in right else cell.ljust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append(gap.join(cells).rstrip())
    return "\n".join(lines)
