"""Arrays of npz files that may be damaged, or made to do harm."""

from __future__ import annotations

import math
import struct
import sys
import zipfile
from collections.abc import Callable
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from moo_clustering.persistence._digest import check_digest

# Zeros are deflated to a thousandth; what was not made to fill the memory is seldom above both.
_ALWAYS, _RATIO = 2**28, 100
# Numbers of rows or columns of arrays that have no bytes to show for them.
_MOST_EMPTY = 2**24
# The end of a zip file, with its longest comment.
_LONGEST_END = 22 + 2**16 - 1
_HEADERS: dict[tuple[int, int], Callable[[Any], tuple[tuple[int, ...], bool, np.dtype[Any]]]] = {
    (1, 0): npy.read_array_header_1_0,
    (2, 0): npy.read_array_header_2_0,
}


class ObjectsError(ValueError):
    """An array of Python objects, which only unpickling could read."""


def read_members(file: BinaryIO) -> dict[str, NDArray[Any]]:
    """Every array of an archive; members that are none (without ``.npy``) are passed over.

    Nothing is unpickled, and no memory is asked for that the file has no bytes for. Arrays that
    :func:`~moo_clustering.persistence.write_archive` wrote are those that it wrote.

    Raises
    ------
    ObjectsError
        For arrays of Python objects.
    ValueError, OSError, zipfile.BadZipFile, zlib.error
        For damaged files, headers that declare more than there is, and what expands beyond 100 times the
        file and 256 MiB.
    """
    size = file.seek(0, 2)
    file.seek(0)
    with zipfile.ZipFile(file) as archive:
        if _n_listed(file, size) not in (None, len(archive.infolist())):
            raise ValueError("its list of members is cut off")
        for each in archive.infolist():
            archive.open(each).close()  # refuses names that the list and the member do not agree on
        members = [each for each in archive.infolist() if each.filename.endswith(".npy")]
        expanded = sum(each.file_size for each in members)
        if expanded > max(_ALWAYS, _RATIO * size):
            raise ValueError(
                f"its {size:,} bytes expand to {expanded:,}, more than {_RATIO} times as many, which is not "
                "read; save it without compression"
            )
        arrays = {each.filename.removesuffix(".npy"): _array(archive, each) for each in members}
    check_digest(arrays)
    return arrays


def _n_listed(file: BinaryIO, size: int) -> int | None:
    """Members that the end of a zip file counts; None where it counts too many for its two bytes."""
    file.seek(max(0, size - _LONGEST_END))
    end = file.read()
    start = end.rfind(b"PK\x05\x06")
    (n,) = struct.unpack("<H", end[start + 10 : start + 12])
    return None if n == 2**16 - 1 else int(n)


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> NDArray[Any]:
    name = member.filename.removesuffix(".npy")
    with archive.open(member) as file:
        version = npy.read_magic(file)
        if version not in _HEADERS:
            raise ValueError(f"array {name!r} has the unknown format {version[0]}.{version[1]}")
        shape, _, dtype = _HEADERS[version](file)
        if dtype.hasobject:
            raise ObjectsError(f"array {name!r} holds Python objects")
        # With truth values and negative numbers Python's products would fit all the same.
        if not all(type(n) is int and n >= 0 for n in shape):
            raise ValueError(f"array {name!r} declares the shape {shape}")
        there, declared = member.file_size - file.tell(), math.prod(shape) * dtype.itemsize
        if there != declared or (not declared and max(shape, default=0) > _MOST_EMPTY):
            raise ValueError(
                f"array {name!r} has {there:,} bytes, but declares the shape {shape} and the type {dtype}"
            )
    with archive.open(member) as file:
        array: NDArray[Any] = npy.read_array(file, allow_pickle=False)
    if dtype.kind == "U" and array.size:
        letters = np.ascontiguousarray(array).reshape(-1).view(np.dtype("u4").newbyteorder(dtype.byteorder))
        if letters.max() > sys.maxunicode:  # numpy would fail without saying where, whoever reads the text
            raise ValueError(f"array {name!r} holds what is no text")
    return array
