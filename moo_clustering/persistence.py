"""Pickle-free archives, atomic file writes, checkpoints and fingerprints."""

import errno
import hashlib
import json
import math
import os
import platform
import re
import secrets
import stat
import struct
import sys
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from os import PathLike, fspath
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from threadpoolctl import threadpool_info

from moo_clustering import __version__
from moo_clustering._arrays import QuotingError, integer, warn_caller
from moo_clustering._data import checked_array, without_duplicates
from moo_clustering._docs import documented
from moo_clustering._messages import checked_path, shortened, special_file

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

__all__ = [
    "ArchiveError",
    "Checkpoint",
    "CheckpointMismatchError",
    "FolderInUseError",
    "environment",
    "fingerprint",
    "load_checkpoint",
    "locked",
    "read_archive",
    "save_checkpoint",
    "to_json",
    "write_archive",
]

FORMAT = "moo_clustering archive"
_CSR_PARTS = ("data", "indices", "indptr")
_CSR_CLASSES = {"csr_matrix": sparse.csr_matrix, "csr_array": sparse.csr_array}
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./-]*")
HEADER = "__archive__"
VERSION = 1
_CHUNK = 1 << 20  # elements per block when an array is copied for hashing
# An archive is rejected if its expanded size exceeds both _ALWAYS bytes and EXPANSION times its compressed
# size. Decompression bombs exceed both limits, because zeros compress to a thousandth of their size.
_ALWAYS, EXPANSION = 2**28, 100
# An array without elements is rejected if one of its axes is longer than this.
_MOST_EMPTY = 2**24
_HEADERS: dict[tuple[int, int], Callable[[Any], tuple[tuple[int, ...], bool, np.dtype[Any]]]] = {
    (1, 0): npy.read_array_header_1_0,
    (2, 0): npy.read_array_header_2_0,
}
_KIND = "checkpoint"
# Spreadsheets evaluate a cell that begins with a sign such as =, even after blanks. Some spreadsheets ignore
# quotes, and begin a new cell after line ends and after the separators of other locales. Therefore, a text is
# escaped at its beginning and after each separator. A separator at the end of a text also counts, because the
# closing quote would begin a new cell. Existing apostrophes are escaped, so that reading restores them.
# `download.js` in the report uses the same rules.
_SEPARATORS = ";|\t-\r\x1c-\x1f\x85\u2028\u2029\u060c\u061b\u3001\uff0c\uff1b\uff5c"
_BLANKS = (
    '"\\x00-\x08\x0e-\x1b \x7f-\x84\x86-\xa0\xad'
    "\u1680\u180e\u2000-\u200f\u202a-\u202f\u205f-\u206f\u3000\ufeff"
)
_SIGNS = "=+\\-@\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20"
_FORMULA = re.compile(
    f"((?:\\A|(?<=[{_SEPARATORS}]))[{_BLANKS}]*)('*)(?=[{_SIGNS}\t])"
    f"|(\\A[{_BLANKS}]*)('*)(?=[\r\n])|((?<=[{_SEPARATORS}])[{_BLANKS}]*)('*)\\Z"
)
_NUMBER = re.compile(
    r" *[+-]?(?:(?:\d+[.,]?\d*|[.,]\d+)(?:e[+-]?\d+)?|inf(?:inity)?|nan) *", re.IGNORECASE | re.ASCII
)
_LOCK = ".moo_clustering.lock"
_TEMPORARY = re.compile(r"\..+\.(\d{1,19})-[0-9a-f]{8}\.tmp", re.DOTALL)
# After this many seconds without a write, a temporary file counts as abandoned, even if its process exists.
_UNTOUCHED = 3600.0
# Names of temporary files of this process, and folders from which it has removed abandoned files.
_WRITING: set[str] = set()
_SWEPT: set[str] = set()
# Errors raised when another process holds the lock. Other errors mean that locks are not supported.
_HELD = (errno.EAGAIN, errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK)
_NOT_KNOWN = "not known"
START_OVER = "remove it to start over"
RUNTIME_DEPENDENCIES = (
    "click", "deap", "jinja2", "joblib", "lazy_loader", "matplotlib", "networkx", "numba", "numpy",
    "pandas", "pymoo", "scikit-learn", "scipy", "skops", "threadpoolctl", "tqdm",
)  # fmt: skip


class ArchiveError(QuotingError):
    """Raised if a file is not an archive, or if this version cannot read it."""


def write_archive(
    path: str | PathLike[str], arrays: Mapping[str, Any], meta: Mapping[str, Any], *, compressed: bool = False
) -> None:
    """Write arrays and metadata to an archive atomically.

    Takes O(bytes) time and does not copy C-contiguous arrays. The archive contains a checksum that reveals
    changes of the file. If the file cannot be written, raises an OSError and leaves any existing file
    unchanged. Raises a ValueError for an invalid key, and a TypeError for arrays of objects, masked arrays,
    sparse formats other than CSR, and metadata that JSON cannot represent.

    Parameters
    ----------
    path : path-like
        Output file. No suffix is added. Its folder must exist.
    arrays : mapping of str to ndarray, csr_matrix or csr_array
        Keys consist of letters, digits and ``_ . / -``. ``numpy.load`` reads the dense arrays by these keys.
    meta : mapping
        Values that :func:`to_json` accepts. :func:`read_archive` returns them in the converted form.
    compressed : bool, default=False
        Whether to compress the archive, which is useful for repetitive data that are written only once.
    """
    members: dict[str, NDArray[Any]] = {}
    sparse_classes: dict[str, dict[str, Any]] = {}
    for name, value in arrays.items():
        if not isinstance(name, str) or not _NAME.fullmatch(name) or name.endswith(".npy") or name == HEADER:
            rule = (
                "letters, digits and '_ . / -', beginning with a letter, digit or '_', not ending in '.npy'"
            )
            raise ValueError(f"arrays has the name {name!r}; names must be {rule}, and not {HEADER!r}")
        if sparse.issparse(value):
            if (kind := type(value).__name__) not in _CSR_CLASSES:
                fault = f"is a {kind}; sparse matrices must be CSR, so convert it with .tocsr()"
                raise TypeError(f"arrays[{name!r}] {fault}")
            sparse_classes[name] = {"class": kind, "shape": [int(n) for n in value.shape]}
            members |= {f"{name}::{part}": getattr(value, part) for part in _CSR_PARTS}
            continue
        if isinstance(value, np.ma.MaskedArray):
            raise TypeError(f"arrays[{name!r}] is a masked array; store its data and its mask as two arrays")
        members[name] = array = np.asarray(value)
        if array.dtype.hasobject:
            fault = f"contains Python objects (dtype {array.dtype}), which are never stored"
            raise TypeError(f"arrays[{name!r}] {fault}")
    header = {"format": FORMAT, "version": VERSION, "arrays": list(arrays), "sparse": sparse_classes}
    header["meta"] = to_json(meta, "meta")
    header["sha256"] = digest(header, members)
    members[HEADER] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    method = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    with (
        replacing(checked_path(path)) as file,
        zipfile.ZipFile(file, "w", method, allowZip64=True) as archive,
    ):
        for name, array in members.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                npy.write_array(member, array, allow_pickle=False)


def read_archive(path: str | PathLike[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Read an archive written by :func:`write_archive`, without executing code from the file.

    Raises a FileNotFoundError if the file does not exist, and an ArchiveError if it is truncated, damaged,
    edited or not an archive, or if it has a newer format version.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    arrays : dict of str to ndarray, csr_matrix or csr_array
        Arrays, in the order in which they were written.
    meta : dict
    """
    path = checked_path(path)
    with open_file(path) as file:
        if not zipfile.is_zipfile(file):
            raise ArchiveError(f"{path} is not a {FORMAT}, or is truncated: it is not a complete zip file")
        try:
            members = read_members(file)
            header = _read_header(path, members)
            arrays = {name: _read_array(members, name, header["sparse"]) for name in header["arrays"]}
            meta = header["meta"]
            if not isinstance(meta, dict):
                raise TypeError("its metadata are not a mapping")
            return arrays, meta
        except (ArchiveError, MemoryError):
            raise
        except KeyError as error:
            raise ArchiveError(f"{path} is a damaged {FORMAT}: it lacks {error.args[0]}") from error
        except Exception as error:  # zipfile, zlib, numpy and scipy raise various errors for damaged bytes
            raise ArchiveError(f"{path} is a damaged {FORMAT}: {error}") from error


def _read_header(path: Path, members: Any) -> dict[str, Any]:
    if HEADER not in members:
        raise ArchiveError(f"{path} is not a {FORMAT}: it has no {HEADER!r} entry")
    try:
        header = json.loads(members[HEADER].tobytes())
        known = header["format"] == FORMAT
        fault = version_fault(header["version"], VERSION)
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise ArchiveError(f"{path} is not a {FORMAT}: its {HEADER!r} entry cannot be read") from error
    if not known:
        raise ArchiveError(f"{path} is not a {FORMAT}: its format is {header['format']!r}")
    if fault:
        raise ArchiveError(f"{path} {fault}")
    return header


def _read_array(members: Any, name: str, sparse_classes: Mapping[str, Any]) -> Any:
    if name not in sparse_classes:
        return members[name]
    header = sparse_classes[name]
    parts = tuple(members[f"{name}::{part}"] for part in _CSR_PARTS)
    value = _CSR_CLASSES[header["class"]](parts, shape=tuple(header["shape"]))
    value.check_format(full_check=True)
    return value


def open_file(path: str | PathLike[str]) -> BinaryIO:
    """Open a regular file for reading; raise an OSError for pipes and devices, which may never end."""

    def opener(name: str, flags: int) -> int:
        descriptor = os.open(name, flags | getattr(os, "O_NONBLOCK", 0))
        if found := special_file(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise OSError(errno.EINVAL, f"it is {found}, not a file", str(path))
        return descriptor

    return open(path, "rb", opener=opener)


def read_bytes(path: str | PathLike[str], most: int) -> bytes:
    """Read the bytes of a regular file; raise an OSError if it has more than ``most`` bytes."""
    with open_file(path) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"it has more than {most:,} bytes, the limit for such a file", str(path))
    return content


def version_fault(version: object, newest: int) -> str:
    """Complete a sentence that says why this format version is unreadable; return "" if it is readable."""
    if type(version) is int and 1 <= version <= newest:
        return ""
    if type(version) is int and version > newest:
        limit = f"but this version of moo_clustering supports at most {newest}; use a newer version"
        return f"has format version {version}, {limit}"
    return f"is damaged: {version!r:.40} is not a format version"


def is_temporary(name: str) -> bool:
    """Return whether a file with this name may be a temporary file left behind by a killed process."""
    return name == _LOCK or (name.startswith(".") and name.endswith(".tmp"))


def _sweep(folder: Path) -> None:
    """Remove temporary files of killed processes from a folder."""
    with suppress(OSError), os.scandir(folder) as entries:
        found = [(entry.path, parts[1]) for entry in entries if (parts := _TEMPORARY.fullmatch(entry.name))]
        for path, number in found:
            with suppress(OSError):
                if _is_abandoned(path, int(number)):
                    os.unlink(path)


def _is_abandoned(temporary: str, number: int) -> bool:
    """Return whether a temporary file is unlocked and either old or left by a process that has ended."""
    before = os.lstat(temporary)
    if os.path.basename(temporary) in _WRITING or not stat.S_ISREG(before.st_mode):
        return False
    # On Windows, locks need not be tested, because open files cannot be removed.
    if sys.platform == "win32":
        return time.time() - before.st_mtime > _UNTOUCHED
    with open(temporary, "rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            locks = True
        except OSError as error:
            if error.errno in _HELD:
                return False
            locks = False
    return time.time() - before.st_mtime > _UNTOUCHED or (locks and not _lives(number))


def _lives(number: int) -> bool:
    """Return whether another process has this ID."""
    if number == os.getpid():
        return False
    try:
        os.kill(number, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        pass
    return True


class FolderInUseError(ValueError):
    """Raised if another process is writing to the folder."""


@contextmanager
def locked(folder: str | PathLike[str]) -> Iterator[Callable[[], bool]]:
    """Lock a folder for writing within a context, and remove temporary files left by killed processes.

    The system releases the lock when the process ends, so a lock file left by a killed process has no effect.
    If the file system does not support locks, a warning is issued and the block runs without a lock. Raises a
    FolderInUseError if another process or block has locked the folder, and an OSError if it is not writable.

    Parameters
    ----------
    folder : path-like
        Existing folder. It contains a hidden lock file until the block ends.

    Yields
    ------
    callable
        Returns False if the locked folder has been removed, even if it has been created again.
    """
    path = checked_path(folder, "folder") / _LOCK
    try:
        descriptor = _lock_file(path)
    except BlockingIOError:
        raise FolderInUseError(
            f"another process is writing to {folder}; wait until it has finished, or choose another folder"
        ) from None
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(folder)) from error
    held = os.fstat(descriptor)

    def is_held() -> bool:
        try:
            return os.path.samestat(os.lstat(path), held)
        except OSError:
            return False

    try:
        _sweep(path.parent)
        yield is_held
    finally:
        # Remove the file before releasing the lock. On Windows, however, only closed files can be removed.
        if sys.platform == "win32":
            os.close(descriptor)
        if is_held():
            with suppress(OSError):
                path.unlink()
        if sys.platform != "win32":
            os.close(descriptor)


def _lock_file(path: Path) -> int:
    for _ in range(100):
        # With O_NOFOLLOW, os.open raises an error for a symbolic link, so its target is not locked.
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
        try:
            if sys.platform == "win32":
                msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            else:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in _HELD:
                os.close(descriptor)
                raise BlockingIOError(error.errno, error.strerror) from error
            fault = f"the file system of {path.parent} does not support locks ({error.strerror})"
            warn_caller(f"{fault}; make sure that no other process writes to this folder")
        # If another process removed the file before it was locked, try again with a new file.
        if os.fstat(descriptor).st_nlink:
            return descriptor
        os.close(descriptor)
    raise BlockingIOError(errno.EAGAIN, "other processes keep removing the lock file")


@contextmanager
def replacing(path: Path, put: Callable[[Path, Path], None] | None = None) -> Iterator[BinaryIO]:
    """Context manager that yields a binary file, which replaces ``path`` unless an exception is raised."""
    # The block writes to a temporary file in the same folder, which is renamed at the end. After a failure,
    # such as a full disk or Ctrl-C, ``path`` is unchanged, and the temporary file is removed. An OSError
    # names ``path``.
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}.tmp")
    _check_target(path)
    if (folder := str(path.parent.absolute())) not in _SWEPT:
        _SWEPT.add(folder)
        _sweep(path.parent)
    _WRITING.add(temporary.name)
    try:
        with open(temporary, "xb") as file:
            if sys.platform != "win32":
                with suppress(OSError):
                    # Lock the file, so that other processes do not remove it as abandoned.
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield file
            file.flush()
            os.fsync(file.fileno())
        _check_target(path)
        (put or os.replace)(temporary, path)
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename in (None, str(temporary)):
            # The error names no file if the disk is full, and otherwise the temporary file, so name ``path``
            # instead.
            if error.errno is None:  # image libraries raise errors without errno
                raise type(error)(f"{path}: {error}") from error
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise
    finally:
        _WRITING.discard(temporary.name)
    # Write the folder to disk if the system supports this, so that the new name survives a power failure.
    with suppress(OSError):
        descriptor = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _check_target(path: Path) -> None:
    with suppress(FileNotFoundError):
        if found := special_file(os.stat(path).st_mode):
            raise OSError(errno.EINVAL, f"it is {found}, which a file cannot replace", str(path))


def creating(path: Path) -> AbstractContextManager[BinaryIO]:
    """Same as :func:`replacing`, but raises a FileExistsError if the file exists at the end of the block."""
    return replacing(path, _put)


def _put(temporary: Path, path: Path) -> None:
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise
    except OSError:
        # The file system does not support hard links, so reserve the name first.
        open(path, "xb").close()
        os.replace(temporary, path)
    else:
        temporary.unlink()


def csv_cell(text: str) -> str:
    """Escape a text so that a CSV cell does not contain a formula; :func:`cell_text` reverses this."""
    # An apostrophe is inserted before tabs and the signs ``= + - @`` (even in full width), at the beginning
    # and after a separator of any locale, such as ``;``, ``|``, a tab or a line end. Numbers do not change.
    return text if _NUMBER.fullmatch(text) else _FORMULA.sub(r"\1\3\5'\2\4\6", text)


def cell_text(cell: str) -> str:
    """Return the text of a cell without the apostrophes added by :func:`csv_cell`."""
    return _FORMULA.sub(_without_mark, cell) if "'" in cell else cell


def _without_mark(found: re.Match[str]) -> str:
    blanks, marks = ("".join(part or "" for part in found.groups()[first::2]) for first in (0, 1))
    return blanks + marks[1:]


def digest(header: Mapping[str, Any], members: Mapping[str, NDArray[Any]]) -> str:
    """Return the SHA-256 of the arrays and of the header's entries ``arrays``, ``sparse`` and ``meta``."""
    names = [name for name in members if name != HEADER]
    described = [header[part] for part in ("arrays", "sparse", "meta")]
    text = json.dumps([names, *described, fingerprint(*(members[name] for name in names))])
    return hashlib.sha256(text.encode()).hexdigest()


def check_digest(members: Mapping[str, NDArray[Any]]) -> None:
    """Raise a ValueError if the header's checksum does not match the arrays; without a header, do nothing."""
    try:
        header = json.loads(members[HEADER].tobytes())
        written = header["sha256"] if header["version"] == VERSION else None
        found = digest(header, members)
    except (KeyError, TypeError, ValueError, RecursionError):
        return  # there is no header, or its errors are reported elsewhere
    if written not in (None, found):
        raise ValueError("it was changed after it was written (its checksum differs)")


@documented()
def fingerprint(*arrays: ArrayLike | sparse.sparray | sparse.spmatrix | None) -> str:
    """Return the SHA-256 hash (64 hexadecimal digits) of the number, types, shapes and bytes of arrays.

    Takes O(bytes) time. C-contiguous arrays are not copied; other arrays are copied in blocks of a million
    elements. Raises a TypeError for arrays of Python objects.

    Parameters
    ----------
    *arrays : array-like, sparse matrix or None
        The dtype, the sign of zero and the bits of NaN affect the hash; memory layout and byte order do not.
        Half precision is hashed as double precision. Sparse matrices are converted to canonical CSR, and
        their hash differs from that of the same matrix in dense form.
    """
    digest = hashlib.sha256()
    for position, array in enumerate(arrays):
        if array is None:
            digest.update(b"none;")
        elif sparse.issparse(array):
            csr = without_duplicates(sparse.csr_matrix(array))
            digest.update(b"csr;")
            for numbers in (csr.shape, csr.indptr, csr.indices):
                _update(digest, np.asarray(numbers, dtype=np.int64), position)
            _update(digest, csr.data, position)
        else:
            _update(digest, checked_array(array, f"array {position}"), position)
    return digest.hexdigest()


def _update(digest: Any, array: np.ndarray[Any, Any], position: int) -> None:
    if array.dtype.hasobject:
        raise TypeError(
            f"array {position} contains Python objects ({array.dtype}), which have no fingerprint"
        )
    dtype = array.dtype.newbyteorder("<")
    digest.update(f"{dtype.str if dtype.names is None else dtype.descr}{array.shape};".encode())
    if array.flags.c_contiguous and array.dtype == dtype:
        digest.update(array.reshape(-1).view(np.uint8))
        return
    flags: Any = ["external_loop", "buffered", "zerosize_ok"]
    options: Any = {"order": "C", "casting": "equiv", "buffersize": _CHUNK}
    for chunk in np.nditer(array, flags, op_dtypes=[dtype], **options):
        digest.update(np.ascontiguousarray(chunk).view(np.uint8))


def to_json(value: Any, where: str = "value") -> Any:
    """Convert a value to JSON types.

    NumPy scalars become Python numbers; arrays, tuples and sets (sorted) become lists; paths become strings.
    NaN and infinities are kept. Raises a TypeError that states where an unsupported type occurs.

    Parameters
    ----------
    value : object
        Nested mappings with string keys, sequences, numbers, strings and None.
    where : str, default="value"
        Name of the value in error messages.

    Returns
    -------
    object
        A value that consists only of dict, list, str, int, float, bool and None.
    """
    if value is None or isinstance(value, bool):
        return value
    for kind in (str, int, float):  # convert instances of subclasses
        if isinstance(value, kind):
            return kind(value)
    if isinstance(value, np.generic | np.ndarray):
        return to_json(value.tolist(), where)
    if isinstance(value, PathLike):
        return to_json(fspath(value), where)
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise TypeError(f"{where} has the key {key!r}, but JSON metadata requires string keys")
        return {key: to_json(item, f"{where}[{key!r}]") for key, item in value.items()}
    if isinstance(value, Set):
        return sorted(to_json(item, where) for item in value)
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        return [to_json(item, f"{where}[{i}]") for i, item in enumerate(value)]
    remedy = "use numbers, strings, None, or sequences and mappings of these"
    raise TypeError(f"{where} is a {type(value).__name__}, which JSON cannot store; {remedy}")


def read_arrays(path: str | PathLike[str], kind: type[ValueError], *needed: str) -> dict[str, NDArray[Any]]:
    """Read all arrays; raise an error ``kind`` if the archive is damaged or lacks a ``needed`` array."""
    with open_file(path) as file:
        if not zipfile.is_zipfile(file):
            raise kind(f"{path} is not a NumPy archive (.npz), or is truncated")
        try:
            arrays = read_members(file)
        except MemoryError:
            raise
        except ObjectsError as error:
            raise kind(f"{path} contains Python objects, which are never loaded") from error
        except Exception as error:  # zipfile, zlib and numpy raise various errors for damaged bytes
            raise kind(f"{path} is a damaged NumPy archive: {error}") from error
    for name in needed:
        if name not in arrays:
            held = ", ".join(map(repr, arrays)) or "nothing"
            raise kind(f"{path} has no array {name!r}; it contains {held}")
    return arrays


class ObjectsError(ValueError):
    """Raised for arrays of Python objects, which would require unpickling."""


def read_members(file: BinaryIO) -> dict[str, NDArray[Any]]:
    """Read all arrays in an archive, and skip members whose names do not end in ``.npy``."""
    # Arrays are never unpickled, and memory is allocated only if the file contains all bytes of an array.
    # Checksums are verified. Raises an ObjectsError for arrays of Python objects. Raises a ValueError,
    # OSError, BadZipFile or zlib.error if the file is damaged, or expands to over 256 MiB and over 100 times
    # its size.
    size = file.seek(0, 2)
    file.seek(0)
    with zipfile.ZipFile(file) as archive:
        if _n_listed(file, size) not in (None, len(archive.infolist())):
            raise ValueError("its list of members is truncated")
        for each in archive.infolist():
            # Opening a member raises an error if its own name differs from the listed name.
            archive.open(each).close()
        members = [each for each in archive.infolist() if each.filename.endswith(".npy")]
        expanded = sum(each.file_size for each in members)
        if expanded > most_expanded(size):
            limit = f"the allowed {EXPANSION} times as many; save it without compression"
            raise ValueError(f"its {size:,} bytes expand to {expanded:,}, more than {limit}")
        arrays = {each.filename.removesuffix(".npy"): _array(archive, each) for each in members}
    check_digest(arrays)
    return arrays


def most_expanded(size: int, expansion: int = EXPANSION) -> int:
    return max(_ALWAYS, expansion * size)


def _n_listed(file: BinaryIO, size: int) -> int | None:
    """Return the number of members listed at the end of a zip file, or None if it exceeds two bytes."""
    # After the list, the file ends with a record of 22 bytes and a comment of up to 65,535 bytes.
    file.seek(max(0, size - (22 + 2**16 - 1)))
    end = file.read()
    start = end.rfind(b"PK\x05\x06")
    (n,) = struct.unpack("<H", end[start + 10 : start + 12])
    return None if n == 2**16 - 1 else int(n)


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> NDArray[Any]:
    name = member.filename.removesuffix(".npy")
    with archive.open(member) as file:
        version = npy.read_magic(file)
        if version not in _HEADERS:
            raise ValueError(f"array {name!r} has the unknown format version {version[0]}.{version[1]}")
        try:
            shape, _, dtype = _HEADERS[version](file)
        except ValueError as error:
            # Replace NumPy's message, because for long headers it recommends unpickling, which is unsafe.
            raise ValueError(f"array {name!r} has an unreadable header") from error
        if dtype.hasobject:
            raise ObjectsError(f"array {name!r} contains Python objects")
        # Check each length, because invalid shapes such as (-2, -3) and (True, 6) can fit the number of
        # bytes.
        if not all(type(n) is int and n >= 0 for n in shape):
            raise ValueError(f"array {name!r} declares the invalid shape {shape}")
        there, declared = member.file_size - file.tell(), math.prod(shape) * dtype.itemsize
        if there != declared or (not declared and max(shape, default=0) > _MOST_EMPTY):
            raise ValueError(f"array {name!r} has {there:,} bytes, but declares shape {shape}, type {dtype}")
    # Open the member again, because NumPy's reader also needs the header.
    with archive.open(member) as file:
        array: NDArray[Any] = npy.read_array(file, allow_pickle=False)
    if dtype.kind == "U" and array.size:
        letters = np.ascontiguousarray(array).reshape(-1).view(np.dtype("u4").newbyteorder(dtype.byteorder))
        # NumPy would raise an error later, without the name of the array.
        if letters.max() > sys.maxunicode:
            raise ValueError(f"array {name!r} contains text that is not valid Unicode")
    return array


class CheckpointMismatchError(ValueError):
    """Raised if a checkpoint belongs to a run with a different method, parameters or data."""


@dataclass(frozen=True)
class Checkpoint:
    """Path, frequency and identity of a checkpoint.

    Raises a TypeError or ValueError if ``every`` is not a positive integer, ``identity`` is not valid JSON,
    or ``path`` is a folder.

    Parameters
    ----------
    path : path-like
        Checkpoint file. Its folder is created if it does not exist.
    every : int, default=10
        Number of generations between checkpoints. The last generation is always saved.
    identity : mapping, default={}
        JSON-serialisable identity of the run: by convention, ``method`` (a name), ``parameters`` and ``data``
        (a :func:`fingerprint`). Omit options that may change when the run is resumed, such as ``n_gen``.
    resume : bool, default=True
        If the file exists, whether to continue the run saved in it (True) or overwrite the file (False).
    """

    path: str | PathLike[str]
    every: int = 10
    identity: Mapping[str, Any] = field(default_factory=dict, hash=False)
    resume: bool = True

    def __post_init__(self) -> None:
        integer("every", self.every)
        to_json(self.identity, "identity")
        if (path := checked_path(self.path, "the path of the checkpoint")).is_dir():
            raise ValueError(f"checkpoint must be a file, got folder {path}; use {path / 'checkpoint.npz'}")


def save_checkpoint(checkpoint: Checkpoint, arrays: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
    """Atomically write the state of a run to its checkpoint file.

    Parameters
    ----------
    checkpoint : Checkpoint
    arrays, meta : mapping
        See :func:`write_archive`.
    """
    path = Path(checkpoint.path)
    path.parent.mkdir(parents=True, exist_ok=True)
    wrapped = {"kind": _KIND, "identity": checkpoint.identity, "environment": environment(), "state": meta}
    write_archive(path, arrays, wrapped)


@documented(save_checkpoint)
def load_checkpoint(checkpoint: Checkpoint) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """Read the state of a run from its checkpoint file.

    Issues a UserWarning if the checkpoint was saved with a different BLAS kernel, which can change the last
    digits of results. Raises an ArchiveError if the file is not a readable checkpoint. If the checkpoint
    belongs to a different run, raises a CheckpointMismatchError that lists the differences.

    Returns
    -------
    (arrays, meta) or None
        Arguments passed to :func:`save_checkpoint`, or None if the file does not exist.
    """
    try:
        arrays, meta = read_archive(checkpoint.path)
    except FileNotFoundError:
        return None
    except ArchiveError as error:
        raise ArchiveError(f"{error}; {START_OVER}") from error
    if meta.get("kind") != _KIND:
        raise ArchiveError(f"{checkpoint.path} is an archive but not a checkpoint; choose another file")
    if not all(isinstance(meta.get(part), dict) for part in ("identity", "state")):
        raise ArchiveError(f"{checkpoint.path} is a damaged checkpoint: a part is missing; {START_OVER}")
    if differences := _differences(meta["identity"], to_json(checkpoint.identity)):
        remedy = "continue with the original data and parameters, or choose another file"
        fault = f"belongs to another run: {'; '.join(differences)}"
        raise CheckpointMismatchError(f"checkpoint {checkpoint.path} {fault}; {remedy}")
    there, here = meta.get("environment", {}).get("blas", _NOT_KNOWN), environment()["blas"]
    kernels = set(there.split(", ")), set(here.split(", "))
    # If one set of kernels contains the other, issue no warning, because a process may have loaded more
    # libraries.
    if _NOT_KNOWN not in (there, here) and not (kernels[0] <= kernels[1] or kernels[1] <= kernels[0]):
        warn_caller(
            f"checkpoint {checkpoint.path} was saved with the BLAS kernel {there}, but this process "
            f"uses {here}; the last digits of results, and everything that depends on them, may "
            "differ from an uninterrupted run"
        )
    return arrays, meta["state"]


def _differences(there: Mapping[str, Any], here: Mapping[str, Any], what: str = "") -> list[str]:
    """Describe each key whose values differ between two mappings. The text ``what`` precedes the key."""
    found = []
    both = there, here
    for key in {**there, **here}:
        if key in there and key in here:
            # Accept values that are equal, such as 1 and 1.0, or that have equal JSON texts, such as NaN.
            texts = {json.dumps(values[key], sort_keys=True) for values in both}
            if bool(there[key] == here[key]) or len(texts) == 1:
                continue
        old, new = (shortened(repr(values[key]), 60) if key in values else "absent" for values in both)
        difference = f"{what}{key} is {old} in the checkpoint but {new} here"
        if key == "method" and not what:
            # Omit the other differences, because different methods have different parameters.
            return [difference]
        if key == "parameters" and not what and all(isinstance(values.get(key), dict) for values in both):
            found += _differences(there[key], here[key], "parameter ")
        else:
            found.append("the data differ" if key == "data" and not what else difference)
    return found


def environment() -> dict[str, str]:
    """Return the versions of Python, this package and its dependencies.

    Returns
    -------
    dict of str to str
        ``python``, ``platform`` (system and machine type), ``moo_clustering``, ``blas`` (BLAS libraries with
        versions and kernels, such as ``openblas 0.3.30 Haswell``), and one entry per runtime dependency.
        Nothing identifies the computer, the user or a folder.
    """
    kernels = {
        " ".join(str(pool[key]) for key in ("internal_api", "version", "architecture") if pool.get(key))
        for pool in threadpool_info()
        if pool["user_api"] == "blas"
    }
    return {
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "moo_clustering": __version__,
        "blas": ", ".join(sorted(kernels)) or _NOT_KNOWN,
        **{package: _version_of(package) for package in RUNTIME_DEPENDENCIES},
    }


@cache
def _version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
