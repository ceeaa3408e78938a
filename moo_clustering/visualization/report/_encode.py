"""Arrays and text as base64 of deflated bytes, which the page inflates."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Encoded = dict[str, Any]

_DTYPES = ("uint8", "uint16", "int32", "uint32", "float32", "float64")


def encoded_array(values: ArrayLike, dtype: str) -> Encoded:
    """An array as ``{"dtype", "shape", "data"}``, little-endian and in C order.

    Parameters
    ----------
    values : array-like
    dtype : {"uint8", "uint16", "int32", "uint32", "float32", "float64"}
        One that the page has a typed array of.

    Raises
    ------
    ValueError
        If integers do not fit into ``dtype``.
    """
    if dtype not in _DTYPES:
        raise ValueError(f"dtype must be one of {', '.join(_DTYPES)}, got {dtype!r}")
    array = np.asarray(values)
    wanted = np.dtype(dtype)
    if wanted.kind != "f" and array.size:
        limits = np.iinfo(wanted)
        if array.min() < limits.min or array.max() > limits.max:
            raise ValueError(f"values from {array.min()} to {array.max()} do not fit into {dtype}")
    with np.errstate(over="ignore"):
        array = np.ascontiguousarray(array, dtype=wanted.newbyteorder("<"))
    return {"dtype": dtype, "shape": list(array.shape), "data": _deflated(array.tobytes())}


def encoded_labels(labels: NDArray[np.integer[Any]]) -> Encoded:
    """Labels plus one, so that -1 becomes 0, in the narrowest type.

    Raises
    ------
    ValueError
        If a label is below -1.
    """
    if labels.size and labels.min() < -1:
        raise ValueError(f"labels must be -1, 0, 1, ..., got {labels.min()}")
    greatest = int(labels.max(initial=-1)) + 1
    dtype = "uint8" if greatest < 2**8 else "uint16" if greatest < 2**16 else "uint32"
    return encoded_array(labels.astype(np.int64) + 1 if dtype == "uint32" else labels + 1, dtype)


def encoded_text(texts: Sequence[str]) -> Encoded:
    """Strings as deflated JSON."""
    # Lone surrogates cannot be written as UTF-8; ASCII escapes carry them.
    text = json.dumps([str(text) for text in texts])
    return {"dtype": "json", "shape": [len(texts)], "data": _deflated(text.encode("ascii"))}


def _deflated(content: bytes) -> str:
    # Labels hardly become smaller at higher levels, which take four times as long.
    return base64.b64encode(zlib.compress(content, level=4)).decode("ascii")
