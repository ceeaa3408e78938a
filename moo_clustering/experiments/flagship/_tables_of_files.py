"""Rows and classes from files that nobody prepared."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from moo_clustering.datasets import DataError
from moo_clustering.datasets._classes import encode_classes
from moo_clustering.datasets._exact_numbers import EXACT
from moo_clustering.datasets._npz import load_arrays
from moo_clustering.datasets._text import separator_of

CLASS_COLUMNS = ("class", "label", "labels", "target", "y")
# Categories of a column of text up to which it is a feature, and not a name of the row.
MOST_CATEGORIES = 20
# Each column costs as much as a thousand rows of it.
_MOST_COLUMNS = 100_000
_MISSING = ["?", "", "NA", "nan", "NaN", "null"]


class RawTable(NamedTuple):
    """Features, with NaN where a value is missing, and classes.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features), float64
    classes : ndarray of shape (n_samples,), int64
        0, 1, ...; -1 for noise and for samples without a class.
    note : str
        What was done to the columns.
    """

    X: NDArray[np.float64]
    classes: NDArray[np.int64]
    note: str = ""


def archive_table(path: Path) -> RawTable:
    """Arrays ``X`` and ``y`` of an npz file; a class of -1 beside two others is noise.

    Raises
    ------
    DataError
        If there are none of fitting shapes.
    """
    if not zipfile.is_zipfile(path):
        raise DataError("not a NumPy archive, or truncated")
    arrays = load_arrays(path)
    if "X" not in arrays or "y" not in arrays:
        raise DataError(f"no arrays X and y; it holds {', '.join(arrays) or 'nothing'}")
    X, y = arrays["X"], arrays["y"].reshape(-1)
    if X.ndim != 2 or X.dtype.kind not in "iufb" or len(X) != len(y) or y.dtype.kind == "V":
        raise DataError(f"X of shape {X.shape} and type {X.dtype} with {len(y)} classes is no table")
    return RawTable(X.astype(np.float64), coded(y))


def frame_table(path: Path) -> RawTable:
    """A table of text (CSV, TSV) or Parquet.

    The classes are in the column of one of the names ``class``, ``label``, ``labels``, ``target`` and ``y``,
    or in the last one. Columns of text with few different values become indicators, others are left out.

    Raises
    ------
    DataError
        If it cannot be read, or has no features.
    """
    frame = _read(path)
    if frame.shape[1] < 2:
        raise DataError("a single column")
    names = {str(name).strip().casefold(): name for name in frame.columns}
    column = next((names[name] for name in CLASS_COLUMNS if name in names), frame.columns[-1])
    classes = coded(_class_values(frame[column]))
    parts: list[pd.DataFrame] = []
    indicators, dropped = 0, []
    for name in frame.columns.drop(column):
        values = frame[name]
        numbers = pd.to_numeric(values, errors="coerce")
        if numbers.notna().sum() >= values.notna().sum():
            if numbers.notna().any():
                parts.append(numbers.astype(np.float64).to_frame())
        elif values.nunique() <= min(MOST_CATEGORIES, len(values) // 2):
            parts.append(pd.get_dummies(values.astype(str)).astype(np.float64))
            indicators += 1
        else:
            dropped.append(str(name))
    if not parts:
        raise DataError("no features that are numbers or categories")
    notes = [f"classes in column {column!s}"]
    if indicators:
        notes.append(f"{indicators} columns of categories as indicators")
    if dropped:
        notes.append(f"without {', '.join(dropped)}")
    return RawTable(pd.concat(parts, axis=1).to_numpy(dtype=np.float64), classes, "; ".join(notes))


def coded(y: NDArray[Any]) -> NDArray[np.int64]:
    """Classes as 0, 1, ...; -1 for empty cells, and for a class -1 beside 0, 1, ..., k - 1 with k > 1.

    Raises
    ------
    DataError
        For numbers that are no classes.
    """
    numbers = pd.to_numeric(pd.Series(y), errors="coerce").to_numpy(dtype=np.float64)
    known = numbers[~np.isnan(numbers)]
    if len(known) == len(y) and (known != np.round(known)).any() and len(np.unique(known)) > MOST_CATEGORIES:
        raise DataError("the classes are measurements, not names")
    others = np.unique(known[known != -1])
    noise = len(others) > 1 and len(known) == len(y) and (others == np.arange(len(others))).all()
    return encode_classes(y, minus_one_is_missing=bool(noise))[0]


def _class_values(column: Any) -> NDArray[Any]:
    return np.asarray(column.astype(object).where(column.notna(), None), dtype=object)


def _read(path: Path) -> pd.DataFrame:
    try:
        if path.suffix.lower() in (".parquet", ".pq"):
            return pd.read_parquet(path)
        separator = separator_of(path)
        with open(path, "rb") as file:
            if file.readline().count(separator.encode()) > _MOST_COLUMNS:
                raise DataError(f"more than {_MOST_COLUMNS:,} columns")
        options: dict[str, Any] = {"sep": separator, "na_values": _MISSING, "skipinitialspace": True}
        head = pd.read_csv(path, **options, header=None, nrows=1, dtype=str)
        named = pd.to_numeric(head.iloc[0], errors="coerce").isna().sum() > head.shape[1] // 2
        return pd.read_csv(path, **options, header=0 if named else None, encoding="utf-8-sig", **EXACT)
    except DataError:
        raise
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}") from error
    except (ValueError, UnicodeError, ImportError) as error:
        raise DataError(f"cannot be read: {' '.join(str(error).split())}") from error
