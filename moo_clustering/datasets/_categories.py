"""Features that are categories."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from moo_clustering.datasets._table import DataError

# What pandas calls columns whose cells can be told apart as text.
_KINDS = {"string", "boolean", "integer", "floating", "mixed-integer", "mixed-integer-float", "categorical"}
# With fewer rows, different values in all of them are no surprise.
_FEW = 20


def category_frame(frame: pd.DataFrame, categories: Sequence[str], source: str) -> pd.DataFrame:
    """The features with those columns as text without white space around it, truth values as they are, and
    all others as float64.

    Raises
    ------
    DataError
        For columns of categories that have empty cells, other things than text, or a value of its own in
        each of many rows.

    Warns
    -----
    UserWarning
        Columns that look as if they were meant to be numbers or identifiers.
    """
    columns = {
        name: _as_text(frame[name], name, source) if name in categories else _as_numbers(frame[name])
        for name in frame.columns
    }
    return pd.DataFrame(columns).reset_index(drop=True)


def _as_numbers(column: pd.Series[Any]) -> Any:
    kind = np.bool_ if pd.api.types.is_bool_dtype(column) else np.float64
    return column.to_numpy(dtype=kind)


def _as_text(column: pd.Series[Any], name: str, source: str) -> Any:
    found = column.astype(object)
    kind = pd.api.types.infer_dtype(column, skipna=True)
    if kind not in _KINDS:
        raise DataError(
            f"{source}: column {name!r} holds neither numbers nor text but {kind}; leave it out with drop "
            "(--drop)"
        )
    text = np.array(["" if pd.isna(cell) else str(cell).strip() for cell in found], dtype=object)
    empty = np.flatnonzero(text == "")
    if len(empty):
        more = f" (and {len(empty) - 1} more)" if len(empty) > 1 else ""
        raise DataError(
            f"{source} has an empty cell in column {name!r}, row {empty[0] + 1}{more}; fill such cells in, "
            "with a word of their own such as 'missing' to make them a category, or remove them"
        )
    _judge(text, name, source)
    return text


def _judge(text: Any, name: str, source: str) -> None:
    n_different = len(set(text))
    if n_different == len(text) > _FEW:
        raise DataError(
            f"{source}: column {name!r} has another value in every row ({text[0]!r} in row 1), which tells "
            "nothing as a category; name it by id_column (--id-column) or leave it out with drop (--drop)"
        )
    other = np.flatnonzero(pd.to_numeric(pd.Series(text), errors="coerce").isna())
    if 0 < len(other) < len(text) / 2:
        cells = f"cell {text[other[0]]!r} in row {other[0] + 1} is no number"
        if len(other) > 1:
            cells += f", nor are {len(other) - 1} more"
        warnings.warn(
            f"all values of column {name!r} are taken as categories, because {cells}",
            UserWarning,
            stacklevel=2,
        )
    elif n_different > max(_FEW, len(text) / 2):
        warnings.warn(
            f"column {name!r} has {n_different} different values in {len(text)} rows, which tell little as "
            "categories; drop (--drop) leaves it out",
            UserWarning,
            stacklevel=2,
        )
