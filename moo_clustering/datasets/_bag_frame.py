"""Comma-separated and Parquet files with one instance a row and a column that says its bag."""

from __future__ import annotations

import csv
import io
from array import array
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from moo_clustering.datasets._bag_columns import BagOptions, Column, Rows
from moo_clustering.datasets._bag_flat import flat_table
from moo_clustering.datasets._bag_roles import flat_roles, may_be_role
from moo_clustering.datasets._bag_table import BagTable
from moo_clustering.datasets._exact_numbers import EXACT
from moo_clustering.datasets._table import DataError
from moo_clustering.datasets._text import UNNAMED, column_names, ragged


def bags_of_text(text: str, options: BagOptions, path: Path, suffix: str) -> BagTable:
    """Bags of a table of comma-, tab- or semicolon-separated cells."""
    source = str(path)
    first = next((line for line in text.split("\n") if line.strip()), "")
    separator = "\t" if suffix in {".tsv", ".tab"} else max(",;\t", key=first.count)
    columns, lines = _lines(text, separator, source)
    if columns[0] == UNNAMED and UNNAMED not in (options.bag, options.label, *options.nominal, *options.drop):
        options = options._replace(drop=(*options.drop, UNNAMED))  # the row names of pandas and R
    as_text = _as_text(columns, options)
    missing = {column: [""] if column in as_text else ["", "?", "nan", "NaN", "NA"] for column in columns}
    dtype: dict[Any, Any] = dict.fromkeys(as_text, str)
    try:
        frame = pd.read_csv(
            io.StringIO(text, newline=""),
            sep=separator,
            header=0,
            names=columns,
            index_col=False,
            dtype=dtype,
            keep_default_na=False,
            na_values=missing,
            skipinitialspace=True,
            low_memory=False,
            **EXACT,
        )
    except pd.errors.ParserError as error:
        raise DataError(f"{source} cannot be read as a table: {error}") from error
    return _table(frame, as_text, lines if len(lines) == len(frame) else None, options, path)


def _lines(text: str, separator: str, source: str) -> tuple[list[str], NDArray[np.int64]]:
    """Names of the columns, and the line of every row; all rows have as many cells as there are names."""
    columns: list[str] = []
    lines = array("q")
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True, strict=True
    )
    try:
        for row in reader:
            if not any(map(str.strip, row)) and len(row) < 2:
                continue
            if not columns:
                columns = column_names([(reader.line_num, row)], source)
                continue
            if len(row) != len(columns):
                ragged(source, len(columns), reader.line_num, row)
            lines.append(reader.line_num)
    except csv.Error as error:
        at_end = "; the file may be cut off" if "end of data" in str(error) else ""
        raise DataError(f"{source}, line {reader.line_num}: quotes do not match ({error}){at_end}") from error
    if not lines:
        raise DataError(f"{source} has column names but no rows")
    return columns, np.frombuffer(lines, dtype=np.int64)


def bags_of_parquet(path: Path, options: BagOptions) -> BagTable:
    """Bags of a Parquet file; named levels of its index are columns."""
    try:
        frame = pd.read_parquet(path, engine="pyarrow")
    except ImportError as error:
        raise DataError(
            f"reading {path} needs pyarrow, which is not installed: pip install moo_clustering[parquet]"
        ) from error
    except (OSError, MemoryError):
        raise
    except Exception as error:  # pyarrow has its own for damaged bytes, also of invalid text
        raise DataError(f"{path} is not a Parquet file, or it is damaged: {error}") from error
    named = [name for name in frame.index.names if name is not None]
    frame.columns = [str(column) for column in frame.columns]
    for name in map(str, named):
        if name in frame.columns:
            raise DataError(f"{path} has two columns named {name!r}, one of them in its index")
    frame = frame.reset_index(level=named) if named else frame
    frame.columns = [str(column) for column in frame.columns]
    if not len(frame):
        raise DataError(f"{path} has no rows")
    return _table(frame, _as_text(list(frame.columns), options), None, options, path)


def _as_text(columns: list[str], options: BagOptions) -> set[str]:
    """Columns whose values stay as they are written: "007" and "7" are two bags."""
    guessed = {name for name in columns if may_be_role(name, options) and name not in options.nominal}
    return guessed | {name for name in (options.bag, options.label) if name}


def _table(
    frame: pd.DataFrame,
    as_text: set[str],
    lines: NDArray[np.int64] | None,
    options: BagOptions,
    path: Path,
) -> BagTable:
    columns = [_column(frame[name], name, name in as_text) for name in frame.columns]
    roles = flat_roles([column for column, _ in columns], options, str(path))
    rows = Rows(tuple(column for column, _ in columns), np.column_stack([each for _, each in columns]), lines)
    return flat_table(rows, roles, options, path.name, str(path))


def _column(cells: pd.Series[Any], name: str, as_text: bool) -> tuple[Column, Any]:
    types = pd.api.types
    if isinstance(cells.dtype, pd.CategoricalDtype) and not as_text:
        codes = cells.cat.codes.to_numpy(dtype=np.float64)
        values = tuple(str(value) for value in cells.cat.categories)
        return Column(name, "nominal", values), np.where(codes < 0, np.nan, codes)
    if as_text or not types.is_numeric_dtype(cells.dtype) or types.is_complex_dtype(cells.dtype):
        kind = "date" if types.is_datetime64_any_dtype(cells.dtype) and not as_text else "text"
        return _coded(cells.astype(object), name, kind)
    return Column(name, "numeric"), cells.to_numpy(dtype=np.float64, na_value=np.nan)


def _coded(cells: pd.Series[Any], name: str, kind: str = "text") -> tuple[Column, Any]:
    present = cells.notna()
    codes, values = pd.factorize(cells[present].map(lambda cell: str(cell).strip()), sort=True)
    numbers = np.full(len(cells), np.nan)
    numbers[present.to_numpy()] = codes
    return Column(name, kind, tuple(str(value) for value in values)), numbers
