"""Files with results of several methods on several data sets."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from moo_clustering.datasets import DataError
from moo_clustering.datasets._text import column_names, ragged, separator_of, table_rows

_LONG = ("dataset", "method", "value")


def read_results(path: Path, *, long: bool | None = None) -> pd.DataFrame:
    """A row per data set, a column per method.

    Parameters
    ----------
    path : Path
        Text separated by commas, semicolons or tabs, with names in the first line.
    long : bool, optional
        Whether there is one value per line; default: if there are columns ``dataset``, ``method`` and
        ``value``. Repeated values of a method on a data set are averaged, other columns left out.

    Raises
    ------
    DataError
        For files that are missing, empty or ragged, and in long ones for values that are missing or no
        numbers. Cells of wide tables are checked by whoever ranks them.
    """
    if not path.exists():
        raise DataError(f"there is no file {path}")
    if path.is_dir():
        raise DataError(f"{path} is a folder, not a file")
    try:
        rows = list(table_rows(path, separator_of(path)))
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not a text file in UTF-8 ({error.reason})") from error
    except csv.Error as error:
        raise DataError(f"{path} cannot be read as a table: {error}") from error
    columns = column_names(rows[:1], str(path))
    for line, row in rows[1:]:
        if len(row) != len(columns):
            ragged(str(path), len(columns), line, row)
    if len(rows) == 1:
        raise DataError(f"{path} has column names but no rows")
    cells = pd.DataFrame([[cell.strip() for cell in row] for _, row in rows[1:]], columns=columns)
    known = [_plain(column) for column in columns]
    if long is None:
        long = set(_LONG) <= set(known)
    if not long:
        _require_one_row_each(cells[columns[0]], path)
        return cells.set_index(columns[0])
    return _averaged(cells.iloc[:, _places(known, path)], [line for line, _ in rows[1:]], path)


def _require_one_row_each(datasets: pd.Series[str], path: Path) -> None:
    if datasets.is_unique:
        return
    raise DataError(
        f"{path} has more than one row for {datasets[datasets.duplicated()].iloc[0]!r}; a table of one "
        "data set per row needs averages of repeated runs, a table of one value per line needs --long"
    )


def _plain(name: str) -> str:
    return name.casefold().replace(" ", "").replace("_", "").replace("-", "")


def _places(known: Sequence[str], path: Path) -> list[int]:
    """Where data set, method and value are: by name, or in this order if there is nothing else."""
    if set(_LONG) <= set(known):
        return [known.index(name) for name in _LONG]
    if len(known) == len(_LONG):
        return [0, 1, 2]
    raise DataError(f"{path}: a table with one value per line needs columns dataset, method and value")


def _averaged(cells: pd.DataFrame, lines: Sequence[int], path: Path) -> pd.DataFrame:
    cells.columns = pd.Index(_LONG)
    values = pd.to_numeric(cells["value"], errors="coerce")
    if values.isna().any():
        at = int(np.flatnonzero(values.isna())[0])
        raise DataError(f"{path}, line {lines[at]} has {cells['value'].iloc[at]!r} where a number should be")
    means = cells.assign(value=values).groupby(["dataset", "method"], sort=False)["value"].mean()
    datasets, methods = cells["dataset"].unique(), cells["method"].unique()
    table = means.unstack("method").reindex(index=datasets, columns=methods)
    if table.isna().to_numpy().any():
        row, column = np.argwhere(table.isna().to_numpy())[0]
        raise DataError(
            f"{path} has no value for data set {datasets[row]!r} and method {methods[column]!r}; "
            "every method needs one on every data set"
        )
    return table
