"""Arrays and JSON metadata in one ``.npz``."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray
from scipy import sparse

from moo_clustering._quoting_error import QuotingError
from moo_clustering.persistence._atomic import replacing
from moo_clustering.persistence._digest import HEADER, VERSION, digest
from moo_clustering.persistence._json import to_json
from moo_clustering.persistence._members import read_members

FORMAT = "moo_clustering archive"

_CSR_PARTS = ("data", "indices", "indptr")
_CSR_CLASSES = {"csr_matrix": sparse.csr_matrix, "csr_array": sparse.csr_array}
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./-]*")


class ArchiveError(QuotingError):
    """The file is not an archive this version can read."""


def write_archive(
    path: str | PathLike[str], arrays: Mapping[str, Any], meta: Mapping[str, Any], *, compressed: bool = False
) -> None:
    """Write arrays and metadata, replacing the file as a whole or not at all.

    Parameters
    ----------
    path : path-like
        File to write, used as it is (no suffix is added). Its folder must exist.
    arrays : mapping of str to ndarray, csr_matrix or csr_array
        Names of letters, digits and ``_ . / -``; ``numpy.load`` finds dense arrays under them.
    meta : mapping
        Anything :func:`to_json` takes; it is read back as that function returns it.
    compressed : bool, default=False
        Whether to deflate: for what is written once and has much that repeats.

    Raises
    ------
    TypeError
        For object or masked arrays, sparse formats other than CSR, and metadata JSON cannot hold.
    ValueError
        For a name outside the allowed ones.
    OSError
        When the file cannot be written; a file that was there before is untouched.

    Notes
    -----
    O(bytes) time, and no copy of C-contiguous arrays. A checksum of it all is kept, so that no other
    content is ever taken for what was written.
    """
    members: dict[str, NDArray[Any]] = {}
    sparse_classes: dict[str, dict[str, Any]] = {}
    for name, value in arrays.items():
        _check_name(name)
        if sparse.issparse(value):
            sparse_classes[name] = _csr_header(name, value)
            members |= {f"{name}::{part}": getattr(value, part) for part in _CSR_PARTS}
        else:
            members[name] = _dense(name, value)
    header = {
        "format": FORMAT,
        "version": VERSION,
        "arrays": list(arrays),
        "sparse": sparse_classes,
        "meta": to_json(meta, "meta"),
    }
    header["sha256"] = digest(header, members)
    members[HEADER] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    method = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    with replacing(Path(path)) as file, zipfile.ZipFile(file, "w", method, allowZip64=True) as archive:
        for name, array in members.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                npy.write_array(member, array, allow_pickle=False)


def read_archive(path: str | PathLike[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Read what :func:`write_archive` wrote. No code is executed, whatever the file holds.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    arrays : dict of str to ndarray, csr_matrix or csr_array
        In the order in which they were written.
    meta : dict

    Raises
    ------
    ArchiveError
        For truncated, damaged, edited or foreign files, and files of another format.
    FileNotFoundError
        When there is no such file.
    """
    path = Path(path)
    with open(path, "rb") as file:
        if not zipfile.is_zipfile(file):
            raise ArchiveError(f"{path} is not a {FORMAT}, or it is truncated: it is no complete zip file")
        try:
            members = read_members(file)
            header = _read_header(path, members)
            arrays = {name: _read_array(members, name, header["sparse"]) for name in header["arrays"]}
            meta = header["meta"]
            if not isinstance(meta, dict):
                raise TypeError("its metadata are no mapping")
            return arrays, meta
        except (ArchiveError, MemoryError):
            raise
        except KeyError as error:
            raise ArchiveError(f"{path} is a damaged {FORMAT}: it lacks {error.args[0]}") from error
        except Exception as error:  # zipfile, zlib, numpy and scipy each have their own for damaged bytes
            raise ArchiveError(f"{path} is a damaged {FORMAT}: {error}") from error


def _check_name(name: object) -> None:
    if not isinstance(name, str) or not _NAME.fullmatch(name) or name.endswith(".npy") or name == HEADER:
        raise ValueError(
            f"arrays has the name {name!r}; names are letters, digits and '_ . / -', beginning with a "
            f"letter, digit or '_', not ending in '.npy', and not {HEADER!r}"
        )


def _csr_header(name: str, value: Any) -> dict[str, Any]:
    kind = type(value).__name__
    if kind not in _CSR_CLASSES:
        raise TypeError(
            f"arrays[{name!r}] is a {kind}; sparse matrices are stored as CSR, convert with .tocsr()"
        )
    return {"class": kind, "shape": [int(n) for n in value.shape]}


def _dense(name: str, value: Any) -> NDArray[Any]:
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"arrays[{name!r}] is a masked array; store its data and its mask as two arrays")
    array = np.asarray(value)
    if array.dtype.hasobject:
        raise TypeError(
            f"arrays[{name!r}] holds Python objects (dtype {array.dtype}), which are never stored"
        )
    return array


def _read_header(path: Path, members: Any) -> dict[str, Any]:
    if HEADER not in members:
        raise ArchiveError(f"{path} is not a {FORMAT}: it has no {HEADER!r} entry")
    try:
        header = json.loads(members[HEADER].tobytes())
        known = header["format"] == FORMAT
        version = header["version"]
        if type(version) is not int:
            raise TypeError("no number of a version")
    except (KeyError, TypeError, ValueError) as error:
        raise ArchiveError(f"{path} is not a {FORMAT}: its {HEADER!r} entry cannot be read") from error
    if not known:
        raise ArchiveError(f"{path} is not a {FORMAT}: it says it is a {header['format']!r}")
    if version > VERSION:
        raise ArchiveError(
            f"{path} has archive format {version}, this version of moo_clustering reads up to {VERSION}; "
            f"read it with a newer version"
        )
    if version < 1:
        raise ArchiveError(f"{path} is a damaged {FORMAT}: it has archive format {version}, the first is 1")
    return header


def _read_array(members: Any, name: str, sparse_classes: Mapping[str, Any]) -> Any:
    if name not in sparse_classes:
        return members[name]
    header = sparse_classes[name]
    parts = tuple(members[f"{name}::{part}"] for part in _CSR_PARTS)
    value = _CSR_CLASSES[header["class"]](parts, shape=tuple(header["shape"]))
    value.check_format(full_check=True)
    return value
