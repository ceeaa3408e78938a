"""The content of a report in a file."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from moo_clustering.persistence import ArchiveError, read_archive, write_archive
from moo_clustering.visualization.report._content import (
    ClusterFacts,
    Column,
    Panel,
    PlaneMap,
    ReportContent,
)
from moo_clustering.visualization.report._fits import fits

FORMAT = "moo_clustering report"
VERSION = 1

_CLASSES: dict[str, Any] = {
    kind.__name__: kind for kind in (ClusterFacts, Column, Panel, PlaneMap, ReportContent)
}


def save_content(path: str | PathLike[str], content: ReportContent) -> None:
    """Write the content of a report, replacing the file as a whole or not at all.

    Parameters
    ----------
    path : path-like
        File to write, used as it is. Its folder must exist.
    content : ReportContent

    Raises
    ------
    TypeError
        When it holds something else than a report's content may.
    OSError
        When the file cannot be written.

    Notes
    -----
    A deflated archive (see :func:`~moo_clustering.persistence.write_archive`): numbers are arrays, all
    else is JSON. Integers are stored in as few bytes as hold them. O(size of the content) time and memory.
    """
    arrays: dict[str, NDArray[Any]] = {}
    packed = _pack(content, arrays)
    write_archive(path, arrays, {"format": FORMAT, "version": VERSION, "content": packed}, compressed=True)


def load_content(path: str | PathLike[str]) -> ReportContent:
    """Read what :func:`save_content` wrote. No code is executed, whatever the file holds.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    ReportContent
        Equal to the one saved; its sequences are tuples.

    Raises
    ------
    ArchiveError
        For files that are damaged, of something else, or of a version that is not known.
    FileNotFoundError
        When there is no such file.
    """
    arrays, meta = read_archive(path)
    if meta.get("format") != FORMAT:
        raise ArchiveError(f"{path} is an archive but not the content of a report")
    if meta.get("version") != VERSION:
        raise ArchiveError(
            f"{path} is the content of a report in version {meta.get('version')!r}, of which this version of "
            f"moo_clustering reads {VERSION}; rebuild it with the version that wrote it"
        )
    try:
        content = _unpack(meta["content"], arrays)
        whole = isinstance(content, ReportContent) and fits(content)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise ArchiveError(f"{path} is the damaged content of a report: {error}") from error
    if not whole:
        raise ArchiveError(f"{path} is the damaged content of a report: its parts do not fit together")
    found: ReportContent = content
    return found


def _pack(value: Any, arrays: dict[str, NDArray[Any]]) -> Any:
    """The value as JSON, whose numbers in bulk are put among the arrays."""
    if value is None or isinstance(value, str | int | float | np.generic):
        return value
    if isinstance(value, np.ndarray):
        return {"strings": value.tolist()} if value.dtype.kind == "U" else _pack_array(value, arrays)
    if isinstance(value, bytes):
        return {"bytes": _pack_array(np.frombuffer(value, dtype=np.uint8), arrays)}
    if isinstance(value, pd.DataFrame):
        columns = [[str(name), _pack(_plain(value[name]), arrays)] for name in value]
        return {"frame": columns}
    if isinstance(value, Mapping):
        return {"mapping": [[key, _pack(item, arrays)] for key, item in value.items()]}
    if type(value).__name__ in _CLASSES:
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return {type(value).__name__: {name: _pack(item, arrays) for name, item in fields.items()}}
    if isinstance(value, Sequence):
        return [_pack(item, arrays) for item in value]
    raise TypeError(f"the content of a report cannot hold a {type(value).__name__}")


def _pack_array(array: NDArray[Any], arrays: dict[str, NDArray[Any]]) -> dict[str, str]:
    name = f"a{len(arrays)}"
    arrays[name] = array
    if array.dtype.kind in "iu" and array.size:
        least = np.result_type(np.min_scalar_type(array.min()), np.min_scalar_type(array.max()))
        # Very large numbers beside negative ones would become floats.
        arrays[name] = array.astype(least) if least.kind in "iu" else array
    return {"array": name, "dtype": array.dtype.str}


def _plain(column: pd.Series[Any]) -> NDArray[Any] | list[Any]:
    values = column.to_numpy()
    return values if values.dtype.kind in "iufb" else [None if pd.isna(cell) else cell for cell in column]


def _unpack(value: Any, arrays: Mapping[str, NDArray[Any]]) -> Any:
    if isinstance(value, list):
        return tuple(_unpack(item, arrays) for item in value)
    if not isinstance(value, dict):
        return value
    if "array" in value:
        return arrays[value["array"]].astype(np.dtype(value["dtype"]), copy=False)
    [(kind, inner)] = value.items()
    if kind == "strings":
        return np.array(inner, dtype=np.str_)
    if kind == "bytes":
        return _unpack(inner, arrays).tobytes()
    if kind == "frame":
        columns = [_unpack(column, arrays) for _, column in inner]
        frame = pd.DataFrame(dict(enumerate(columns)))
        return frame.set_axis([name for name, _ in inner], axis="columns")
    if kind == "mapping":
        return {key: _unpack(item, arrays) for key, item in inner}
    return _CLASSES[kind](**{name: _unpack(item, arrays) for name, item in inner.items()})
