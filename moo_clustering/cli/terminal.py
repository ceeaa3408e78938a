"""Output of the command on the terminal: errors and warnings in a sentence each, text in columns."""

from __future__ import annotations

import logging
import os
import re
import sys
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from string import Formatter
from typing import Any

import click

from moo_clustering._messages import message_line, quoted

INTERRUPTED = 130
_LESS_MEMORY = "give it fewer samples, a method that compares fewer of them, or end other programs"
# Warnings by which other packages address their developers.
_NOT_FOR_USERS = (
    DeprecationWarning,
    PendingDeprecationWarning,
    FutureWarning,
    ImportWarning,
    ResourceWarning,
)


# Numbers of threads of OpenMP and of linear algebra, read when the libraries are imported.
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")
# Integers that libraries read from the environment, with the least that they accept, and other numbers.
_INTEGERS = {
    "NUMBA_NUM_THREADS": 1, "OMP_NUM_THREADS": 1, "LOKY_MAX_CPU_COUNT": 1, "LOKY_MAX_DEPTH": 1,
    "SKLEARN_PAIRWISE_DIST_CHUNK_SIZE": 1, "SKLEARN_WORKING_MEMORY": 1, "JOBLIB_MULTIPROCESSING": 0,
    **dict.fromkeys(_THREADS[1:], 0), "TQDM_NCOLS": 0, "TQDM_NROWS": 0, "TQDM_POSITION": 0, "TQDM_INITIAL": 0,
    "TQDM_UNIT_DIVISOR": 1,
}  # fmt: skip
_NUMBERS = (
    "TQDM_MININTERVAL", "TQDM_MAXINTERVAL", "TQDM_MINITERS",
    "TQDM_SMOOTHING", "TQDM_DELAY", "TQDM_TOTAL",
)  # fmt: skip
_LIBRARIES = ("NUMBA_", "TQDM_", "JOBLIB_", "LOKY_", "SKLEARN_", "SCIPY_", "MPL", "MATPLOTLIB")
# Parameters that no text can set.
_UNUSABLE = ("TQDM_FILE", "TQDM_ITERABLE")
_FAILED_PARSE = re.compile(r"\s*The parse failed with exception:.*", re.DOTALL)


class Command(click.Command):
    """A command whose errors and warnings are one line on stderr, with exit code 2, or 130 after Ctrl-C."""

    def invoke(self, context: click.Context) -> Any:
        _check_environment()
        _spare_threads()
        try:
            # Also what imports warn of.
            with shown_warnings():
                return super().invoke(context)
        except (click.exceptions.Exit, click.Abort, click.UsageError):
            raise
        except Exception as error:
            # Libraries quote what they cannot read, and not where it comes from.
            said = str(error)
            blamed = [
                f"{name}={value}"
                for name, value in os.environ.items()
                if name.startswith(_LIBRARIES) and value and f"'{value}'" in said
            ]
            if not blamed:
                raise
            raise click.ClickException(
                f"{said} (perhaps from the environment variable {' or '.join(blamed)})"
            ) from error

    def main(self, *args: Any, standalone_mode: bool = True, **extra: Any) -> Any:
        run: Any = super().main
        if not standalone_mode:
            return run(*args, standalone_mode=False, **extra)
        try:
            code = run(*args, standalone_mode=False, **extra)
        except click.Abort:
            click.echo("Interrupted.", err=True)
            sys.exit(INTERRUPTED)
        except click.ClickException as error:
            click.echo(f"Error: {message_line(error.format_message())}", err=True)
            sys.exit(2)
        sys.exit(code if isinstance(code, int) else 0)


class Commands(Command, click.Group):
    """A group of commands with such errors."""


def _check_environment() -> None:
    """Refuse variables of the environment that a library cannot read, by their name and before any work."""
    for name, value in os.environ.items():
        asked = ""
        if name in _INTEGERS and (value or name not in _THREADS):
            # OpenMP takes a number for every level of nesting.
            parts = value.split(",") if name == "OMP_NUM_THREADS" else [value]
            whole = all(re.fullmatch(r"\s*\+?\d{1,9}\s*", part) for part in parts)
            if not whole or min(map(int, parts)) < _INTEGERS[name]:
                asked = f"must be an integer from {_INTEGERS[name]}"
        elif name in _NUMBERS:
            try:
                float(value)
            except ValueError:
                asked = "must be a number"
        elif name == "TQDM_BAR_FORMAT":
            try:
                list(Formatter().parse(value))
            except ValueError as error:
                asked = f"must be a format of progress bars ({error})"
        elif name in _UNUSABLE:
            asked = "must be unset"
        if asked:
            raise click.ClickException(f"the environment variable {name} {asked}, got {quoted(value)}")
    # Pictures go to files, whatever shows them elsewhere, and where matplotlib caches costs time only.
    os.environ.pop("MPLBACKEND", None)
    logging.getLogger("matplotlib").setLevel(logging.ERROR)


def _spare_threads() -> None:
    """Leave libraries on one thread where no more can be started, as some end the process then."""
    end, started = threading.Event(), []
    try:
        # For OpenMP and the linear algebra of NumPy and of SciPy.
        for _ in range(3 * (os.cpu_count() or 1)):
            thread = threading.Thread(target=end.wait, daemon=True)
            thread.start()
            started.append(thread)
    except RuntimeError:
        for name in _THREADS:
            os.environ.setdefault(name, "1")
    finally:
        end.set()
        for thread in started:
            thread.join()


@contextmanager
def reported() -> Iterator[None]:
    """Turn errors about the input into one line; other errors are bugs and keep their traceback."""
    context = click.get_current_context(silent=True)
    if context is not None and (context.find_root().obj or {}).get("traceback"):
        yield
        return
    try:
        yield
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise click.ClickException(f"{where}{error.strerror or error}") from error
    except MemoryError as error:
        said = f": {message_line(error)}" if str(error) else ""
        raise click.ClickException(f"not enough memory{said}; {_LESS_MEMORY}") from error
    except (ValueError, TypeError) as error:
        raise click.ClickException(str(error)) from error
    except ImportError as error:
        from moo_clustering._arrays import MissingPackageError

        if isinstance(error, MissingPackageError):
            raise click.ClickException(str(error)) from error
        raise


def refuse_missing(*paths: Path, message: str = "{} does not exist") -> None:
    """Refuse paths that do not exist with a ValueError, before a command imports what takes a second."""
    for path in paths:
        if not path.exists():
            raise ValueError(message.format(path))


@contextmanager
def shown_warnings() -> Iterator[list[str]]:
    """Show every different warning as one line on stderr, and yield the list of these lines."""
    lines: list[str] = []

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        from tqdm import tqdm

        # numba adds a traceback where it cannot read a variable of the environment, which it names.
        line = message_line(_FAILED_PARSE.sub("", str(message)))
        # That a bar of progress has no thread of its own changes nothing.
        if line not in lines and type(message).__name__ != "TqdmMonitorWarning":
            lines.append(line)
            with tqdm.external_write_mode():
                click.echo(f"Warning: {line}", err=True)

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        for category in _NOT_FOR_USERS:
            warnings.simplefilter("ignore", category)
        warnings.showwarning = show
        yield lines


@contextmanager
def compiling_told(verbose: bool = True) -> Iterator[None]:
    """Tell once in a command, on a terminal, that loops are compiled which later runs find ready."""
    from tqdm import tqdm

    from moo_clustering._kernels.caching import saves
    from moo_clustering._kernels.threads import before_compiling

    # Threads, which may compile too, have no context of their own.
    context = click.get_current_context(silent=True)
    told = {} if context is None else context.meta

    def tell() -> None:
        if verbose and sys.stderr.isatty() and not told.setdefault("compiling", False):
            told["compiling"] = True
            later = "; later runs find them ready" if saves() else ""
            with tqdm.external_write_mode():
                click.echo(f"Compiling inner loops for this computer{later}.", err=True)

    with before_compiling(tell):
        yield


def one_line(text: object) -> str:
    """The text on one line."""
    return " ".join(str(text).split())


def shortened(text: object, width: int) -> str:
    """The text on one line of at most ``width`` characters."""
    line = printable_line(text)
    return line if len(line) <= width else f"{line[: width - 3].rstrip()}..."


def printable_line(text: object) -> str:
    """The text without line breaks and without characters that a terminal would obey."""
    return " ".join("".join(mark if mark.isprintable() else " " for mark in str(text)).split())


def aligned(rows: Sequence[Sequence[str]], *, right: Sequence[int] = (), gap: str = "  ") -> str:
    """Columns padded to their widest cell; those numbered in ``right`` are flush right."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if number in right else cell.ljust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append(gap.join(cells).rstrip())
    return "\n".join(lines)
