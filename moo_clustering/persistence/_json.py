"""Values as JSON sees them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from os import PathLike, fspath
from typing import Any

import numpy as np


def to_json(value: Any, where: str = "value") -> Any:
    """What a value is after a round trip through JSON.

    numpy scalars become Python numbers, arrays, tuples and sets (sorted) become lists, paths become
    strings. NaN and infinities stay (Python's reader knows them).

    Parameters
    ----------
    value : object
        Nested mappings with string keys, sequences, numbers, strings, None.
    where : str, default="value"
        What to call the value in an error.

    Returns
    -------
    object
        Made of dict, list, str, int, float, bool and None only.

    Raises
    ------
    TypeError
        For anything else, naming the place inside the value.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, (int, float)):
        return int(value) if isinstance(value, int) else float(value)
    if isinstance(value, np.generic):
        return to_json(value.item(), where)
    if isinstance(value, np.ndarray):
        return to_json(value.tolist(), where)
    if isinstance(value, PathLike):
        return to_json(fspath(value), where)
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise TypeError(f"{where} has the key {key!r}; JSON metadata needs string keys")
        return {key: to_json(item, f"{where}[{key!r}]") for key, item in value.items()}
    if isinstance(value, Set):
        return sorted(to_json(item, where) for item in value)
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        return [to_json(item, f"{where}[{i}]") for i, item in enumerate(value)]
    raise TypeError(
        f"{where} is a {type(value).__name__}, which JSON cannot hold; allowed are numbers, strings, "
        f"None, sequences and mappings of these"
    )
