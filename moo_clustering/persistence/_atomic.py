"""Replacing a file as a whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


def is_temporary(name: str) -> bool:
    """Whether a file of this name may be what a killed process left of one it was writing."""
    return name.startswith(".") and name.endswith(".tmp")


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Binary file that takes the place of ``path`` when the block ends without an exception.

    The bytes go to a temporary file in the same folder, so that the final rename stays inside one
    file system. Whatever happens before it (full disk, Ctrl-C), ``path`` keeps its old content and
    the temporary file is removed; an OSError names ``path``.
    """
    with _written(path, os.replace) as file:
        yield file


@contextmanager
def creating(path: Path) -> Iterator[BinaryIO]:
    """The same for a file that must be new: FileExistsError if it is there when the block ends."""
    with _written(path, _put) as file:
        yield file


@contextmanager
def _written(path: Path, put: Callable[[Path, Path], None]) -> Iterator[BinaryIO]:
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}.tmp")
    try:
        with open(temporary, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        put(temporary, path)
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename in (None, str(temporary)):
            # A full disk names no file, and the temporary one helps nobody.
            if error.errno is None:  # as image libraries raise them
                raise type(error)(f"{path}: {error}") from error
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise
    _sync_folder(path.parent)


def _put(temporary: Path, path: Path) -> None:
    """Rename, unless there is such a file."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise
    except OSError:
        # No links here: the name is taken first.
        open(path, "xb").close()
        os.replace(temporary, path)
    else:
        temporary.unlink()


def _sync_folder(folder: Path) -> None:
    """Make the rename itself survive a power cut, where the system lets folders be synced."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
