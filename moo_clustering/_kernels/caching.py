"""The decorator `njit`, and the folder in which compiled kernels are saved for later runs.

Kernels are saved as with numba's ``cache=True``, with three differences. Damaged or unwritable files only
cause a recompilation. Files are unpickled only if their checksum is correct and no other user can have
written them. A kernel is also recompiled if another kernel file that it imports has changed.
"""

import hashlib
import multiprocessing
import os
import pickle
import re
import secrets
import stat
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache as remember
from functools import cached_property
from pathlib import Path
from types import FunctionType
from typing import Any

import numba
import numpy as np
from numba.core import caching, compiler, config, dispatcher, serialize
from numba.misc.appdirs import AppDirs

_SUFFIX = ".nbc"
_DIGEST_BYTES = 32
# A kernel is compiled after this number of steps in Python, which take about a quarter of a second.
_INTERPRETED = 2e5
# The text of the warning, if this process has already issued it.
_WARNED: list[str] = []
_IMPORTS = re.compile(r"^from moo_clustering\._kernels\.(\w+) import", re.MULTILINE)


def njit(*, cache: bool = True, **options: Any) -> Callable[[Any], Any]:
    """Wrap ``numba.njit``; ``cache`` saves compiled kernels in a folder that only this user can change."""
    decorator = numba.njit(**options)

    def decorated(function: Any) -> Any:
        kernel = decorator(function)
        # If NUMBA_DISABLE_JIT is set, numba returns the plain function instead of a kernel.
        if cache and isinstance(kernel, dispatcher.Dispatcher):
            compiled: Any = kernel
            compiled._cache = KernelCache(function)
        return kernel

    return decorated


def interpreted(kernel: Any, n_steps: float) -> bool:
    """Return whether to run equivalent Python or NumPy code instead of compiling a kernel."""
    # Python is faster if the kernel is neither compiled nor saved, and has run few steps in this process.
    cached = getattr(kernel, "_cache", None)
    if not isinstance(cached, KernelCache) or kernel.signatures or cached.any_saved:
        return False
    cached.n_steps += n_steps
    return cached.n_steps <= _INTERPRETED


def run(kernel: Any, n_steps: float, *arguments: Any) -> Any:
    """Call a kernel that takes about ``n_steps`` steps, or its Python function if that is faster."""
    return (_python(kernel) if interpreted(kernel, n_steps) else kernel)(*arguments)


@remember
def _python(kernel: Any) -> Any:
    """Return a copy of a kernel's Python function that calls other kernels' Python functions, too."""
    function = kernel.py_func
    names = {name: function.__globals__.get(name) for name in function.__code__.co_names}
    used = {name: _python(item) for name, item in names.items() if isinstance(item, dispatcher.Dispatcher)}
    return FunctionType(function.__code__, {**function.__globals__, **used})


class KernelCache(caching.FunctionCache):
    """Cache that saves each compiled version of a function in its own file, so that no index is shared."""

    def __init__(self, function: Any) -> None:
        self._name = repr(function)
        self._py_func = function
        self._source = Path(function.__code__.co_filename)
        version = f"py{sys.version_info[0]}{sys.version_info[1]}{getattr(sys, 'abiflags', '')}"
        name = re.sub(r"[<>]", "", function.__qualname__)
        self._folder, self._problem = saved_in(self._source.parent, config.CACHE_DIR)
        # The source is hashed now, because the file may change while this process runs the old version.
        self._stamp = _stamp(self._source)
        if not self._stamp:
            self._folder = None
        # All file names of this function start with ``_prefix``, and those of the current source with
        # ``_current``.
        self._prefix = f"{self._source.stem}.{name}.{version}."
        self._current = f"{self._prefix}{self._stamp.hex()[:16]}."
        self.enable()
        self.n_steps = 0.0

    @property
    def cache_path(self) -> str | None:
        return None if self._folder is None else str(self._folder)

    def flush(self) -> None:
        for path in self._saved():
            with suppress(OSError):
                path.unlink()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the function compiled for the types ``sig``, or None if no trusted file can be read."""
        target_context.refresh()
        if not self._enabled or self._folder is None:
            return None
        try:
            key = self._index_key(sig, target_context.codegen())
            path = self._path(self._folder, key)
            content = _trusted_bytes(path)
            if content[:_DIGEST_BYTES] != self._digest(path, content[_DIGEST_BYTES:]):
                return None
            saved_key, reduced = pickle.loads(content[_DIGEST_BYTES:])
            return compiler.CompileResult._rebuild(target_context, *reduced) if saved_key == key else None
        except Exception:
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        folder = self._folder
        if not self._enabled or data.lifted or data.library.has_dynamic_globals or folder is None:
            return
        if self._problem:
            _warn_unsaved(self._problem)
            return
        try:
            key = self._index_key(sig, data.codegen)
            path, content = self._path(folder, key), serialize.dumps((key, data._reduce()))
            self._remove_outdated()
            _write(path, self._digest(path, content) + content)
        except OSError as error:
            _warn_unsaved(_unwritable(folder, error))

    def _path(self, folder: Path, key: Any) -> Path:
        types = hashlib.sha256(repr(key).encode()).hexdigest()[:16]
        return folder / f"{self._current}{types}{_SUFFIX}"

    def _digest(self, path: Path, content: bytes) -> bytes:
        return hashlib.sha256(self._stamp + path.name.encode() + b"\0" + content).digest()

    def _saved(self) -> Iterator[Path]:
        if self._folder is not None:
            with suppress(OSError), os.scandir(self._folder) as entries:
                yield from (Path(entry.path) for entry in entries if entry.name.startswith(self._prefix))

    @cached_property
    def any_saved(self) -> bool:
        """Whether a version compiled from the current source is saved, for any argument types."""
        return any(path.name.startswith(self._current) for path in self._saved())

    def _remove_outdated(self) -> None:
        """Remove files of older sources or killed processes if the files are more than an hour old."""
        for path in self._saved():
            if not (path.name.startswith(self._current) and path.name.endswith(_SUFFIX)):
                with suppress(OSError):
                    if time.time() - path.stat().st_mtime > 3600.0:
                        path.unlink()


def saves() -> bool:
    return not saved_in(Path(__file__).parent, config.CACHE_DIR)[1]


@remember
def saved_in(source: Path, chosen: str) -> tuple[Path | None, str]:
    """Return the folder of compiled loops, and why loops cannot be saved there, or an empty string."""
    # As in numba, three folders are tried in this order: the value of NUMBA_CACHE_DIR (``chosen``), the
    # ``__pycache__`` folder next to the source, and the user's cache folder. The first folder to which only
    # this user can write is returned. If there is none, the result is the first folder that contains saved
    # loops and that no other user can change, because loops can still be read from it.
    own_folder = f"moo_clustering_{hashlib.sha256(os.fsencode(source)).hexdigest()[:16]}"
    user_wide = Path(AppDirs(appname="numba", appauthor=False).user_cache_dir)
    places = [source / "__pycache__"]
    if chosen:
        # The path is made absolute, because the working directory may change.
        places.insert(0, Path(chosen).absolute() / own_folder)
    if user_wide.is_absolute():
        places.append(user_wide / own_folder)
    problems: dict[Path, str] = {}
    for place in places:
        problem = _problem(place)
        if not problem:
            if problems and chosen:
                _warn(
                    f"NUMBA_CACHE_DIR={chosen} is not used, because {problems[places[0]]}; compiled "
                    f"loops are saved in {place}"
                )
            return place, ""
        problems[place] = problem
    for place in places:
        with suppress(OSError):
            if not _changeable(place) and any(name.endswith(_SUFFIX) for name in os.listdir(place)):
                return place, problems[place]
    _warn_unsaved(problem := "; ".join(problems.values()))
    return None, problem


def _problem(folder: Path) -> str:
    """Create a folder if necessary, and return why loops cannot be saved in it, or an empty string."""
    try:
        # Parents are created one by one, because `os.makedirs` would let the umask determine their mode.
        for part in (*reversed(folder.parents), folder):
            with suppress(FileExistsError):
                if not part.is_dir():
                    part.mkdir(mode=0o755)
        tempfile.TemporaryFile(dir=folder).close()
        part_of_others = _changeable(folder)
    except OSError as error:
        return _unwritable(folder, error)
    return f"other users can change {part_of_others}" if part_of_others else ""


def _unwritable(folder: Path, error: OSError) -> str:
    return f"{folder} is not writable ({error.strerror or error})"


def _changeable(folder: Path) -> Path | None:
    """Return the first of a folder and its parents that other users can change, or None if there is none."""
    # Root's folders are trusted. In sticky folders such as /tmp, users cannot replace each other's folders.
    for place in (folder, folder.resolve()):
        for part in (place, *place.parents):
            status = part.lstat()
            sticky = status.st_mode & stat.S_ISVTX and part != place
            if not _owned(status) or (_shared(status) and not sticky):
                return part
    return None


def _owned(status: os.stat_result) -> bool:
    # On Windows, the location of the folder makes it private, so the owner is not checked.
    return os.name == "nt" or status.st_uid in (0, os.geteuid())


def _shared(status: os.stat_result) -> bool:
    """Return whether users other than the owner have write permission."""
    # The permissions of a symbolic link have no effect.
    if os.name == "nt" or stat.S_ISLNK(status.st_mode):
        return False
    in_group = status.st_mode & stat.S_IWGRP and not _alone_in(status.st_gid)
    return bool(status.st_mode & stat.S_IWOTH or in_group)


@remember
def _alone_in(group_id: int) -> bool:
    """Return whether this user is the only member of a group, which is usual if the umask is 002."""
    import grp
    import pwd

    try:
        user, group = pwd.getpwuid(os.geteuid()), grp.getgrgid(group_id)
    except KeyError:
        return False
    return (group.gr_gid, group.gr_name) == (user.pw_gid, user.pw_name) and {*group.gr_mem} <= {user.pw_name}


def _trusted_bytes(path: Path) -> bytes:
    """Read a regular file that no other user can have written. Any other file raises an OSError."""
    # If the file is a pipe without a writer, opening must not block.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with open(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not (stat.S_ISREG(status.st_mode) and _owned(status)) or _shared(status):
            raise PermissionError(f"{path} may have been written by others")
        return file.read()


def _write(path: Path, content: bytes) -> None:
    """Write a file atomically, with write permission only for its owner."""
    temporary = path.with_name(f"{path.name}.{secrets.token_hex(8)}.tmp")
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        with open(os.open(temporary, flags, 0o644), "wb") as file:
            file.write(content)
        os.replace(temporary, path)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


@remember
def _stamp(source: Path) -> bytes:
    """Hash a source file, the kernel files that it imports, and the versions of numba and NumPy."""
    texts: dict[Path, bytes] = {}
    waiting = [source]
    while waiting:
        path = waiting.pop()
        if path not in texts:
            try:
                texts[path] = path.read_bytes()
            except OSError:
                return b""
            names = _IMPORTS.findall(texts[path].decode())
            waiting += [Path(__file__).with_name(f"{name}.py") for name in names]
    versions = f"{numba.__version__} {np.__version__}".encode()
    return hashlib.sha256(b"\0".join([versions, *(texts[path] for path in sorted(texts))])).digest()


def _warn_unsaved(problem: str) -> None:
    _warn(
        f"compiled kernels cannot be saved, so every run compiles them again: {problem}; "
        "set NUMBA_CACHE_DIR to a folder that only you can write"
    )


def _warn(text: str) -> None:
    """Issue at most one warning per process, and none in worker processes."""
    # A filter that turns warnings into errors must not stop the caller.
    if not _WARNED and multiprocessing.current_process().name == "MainProcess":
        _WARNED.append(text)
        with suppress(UserWarning):
            warnings.warn(text, UserWarning, stacklevel=2)
