"""Attributes of many individuals as few arrays."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


class NotStorableError(TypeError):
    """A value that has no place in a checkpoint."""


def to_columns(rows: Sequence[Mapping[str, Any]]) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Columns of a table whose rows may lack keys and mix types.

    Parameters
    ----------
    rows : sequence of mappings
        Values are numeric or string arrays (of any shape, also differing), numpy scalars, bool, int,
        float, str or None.

    Returns
    -------
    arrays : dict of str to ndarray
        One for each key, type and shape, and one with the row numbers where some rows lack it.
    meta : dict
        What :func:`from_columns` needs besides.

    Raises
    ------
    NotStorableError
        For values of other types, naming the key.
    """
    groups: dict[tuple[Any, ...], tuple[list[int], list[Any]]] = {}
    for i, row in enumerate(rows):
        for key, value in row.items():
            where, values = groups.setdefault((key, *_kind(key, value)), ([], []))
            where.append(i)
            values.append(value)
    arrays: dict[str, NDArray[Any]] = {}
    columns = []
    for (key, kind, *_), (where, values) in groups.items():
        name = _free_name(key, arrays)
        column = {"key": key, "kind": kind, "values": None, "rows": None}
        if kind != "none":
            column["values"] = name
            arrays[name] = _stack(key, kind, values)
        if len(where) < len(rows):
            column["rows"] = f"{name}.rows"
            arrays[f"{name}.rows"] = np.array(where, dtype=np.int64)
        columns.append(column)
    return arrays, {"n_rows": len(rows), "columns": columns}


def from_columns(arrays: Mapping[str, Any], meta: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The rows that :func:`to_columns` was given, with the same types."""
    rows: list[dict[str, Any]] = [{} for _ in range(meta["n_rows"])]
    for column in meta["columns"]:
        where = arrays[column["rows"]].tolist() if column["rows"] else range(len(rows))
        values = _unstack(column["kind"], arrays.get(column["values"]), len(where))
        for i, value in zip(where, values, strict=True):
            rows[i][column["key"]] = value
    return rows


def _kind(key: str, value: Any) -> tuple[Any, ...]:
    if value is None:
        return ("none",)
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return ("array", value.dtype.str, value.shape)
    if isinstance(value, np.generic) and not value.dtype.hasobject:
        return ("scalar", value.dtype.str)
    if type(value) in (bool, int, float, str):
        return (type(value).__name__,)
    raise NotStorableError(
        f"{key!r} of an individual is a {type(value).__name__}; only numbers, strings and arrays of them "
        f"can be saved"
    )


def _stack(key: str, kind: str, values: list[Any]) -> NDArray[Any]:
    if kind == "array":
        return np.stack([np.asarray(value) for value in values])
    if kind == "int":
        try:
            return np.array(values, dtype=np.int64)
        except OverflowError as error:
            raise NotStorableError(f"{key!r} of an individual is an integer of more than 64 bits") from error
    return np.array(values)


def _unstack(kind: str, array: Any, n_rows: int) -> list[Any]:
    if kind == "none":
        return [None] * n_rows
    if kind == "array":
        return [np.array(value) for value in array]  # copies: no individual keeps all others alive
    return list(array) if kind == "scalar" else array.tolist()


def _free_name(key: str, taken: Mapping[str, Any]) -> str:
    name = re.sub(r"[^A-Za-z0-9_]", "_", key) or "_"
    candidate, n = name, 1
    while candidate in taken or f"{candidate}.rows" in taken:
        n += 1
        candidate = f"{name}.{n}"
    return candidate
