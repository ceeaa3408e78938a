"""Label columns as integer codes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray


def encode_classes(values: Any, *, minus_one_is_missing: bool) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Codes 0, 1, ... in the order of the names (numbers by value); -1 for empty cells.

    Parameters
    ----------
    values : array-like of shape (n_samples,)
        Text or numbers; empty text, None and NaN are empty cells.
    minus_one_is_missing : bool
        Whether -1 is an empty cell too. It must not be for known classes, since -1 and 1 are
        the usual names of two classes.
    """
    cells = [_name(cell) for cell in values]
    missing = {"", "-1"} if minus_one_is_missing else {""}
    names = sorted(set(cells) - missing, key=_by_value)
    codes = {name: code for code, name in enumerate(names)}
    return np.array([codes.get(cell, -1) for cell in cells], dtype=np.int64), tuple(names)


def _name(cell: Any) -> str:
    if pd.isna(cell):
        return ""
    text = str(cell).strip()
    try:
        number = float(text)
    except ValueError:
        return text
    # 1 and 1.0 are one class, whatever type the column was stored with.
    return str(int(number)) if number.is_integer() else text


def _by_value(name: str) -> tuple[int, float, str]:
    try:
        return (0, float(name), name)
    except ValueError:
        return (1, 0.0, name)
