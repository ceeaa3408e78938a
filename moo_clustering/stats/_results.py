"""Tables of results, checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

_MISSING_TEXT = ("", "nan", "na", "none", "null")


class Results(NamedTuple):
    """One number of every method (columns) on every data set (rows)."""

    values: NDArray[np.float64]
    datasets: tuple[str, ...]
    methods: tuple[str, ...]


def as_results(results: Any, *, methods: Sequence[str] | None = None, min_methods: int = 2) -> Results:
    """Check a table of results.

    Parameters
    ----------
    results : DataFrame or array-like of shape (n_datasets, n_methods)
        Numbers, possibly infinite.
    methods : sequence of str, optional
        Names of the columns of an array; a frame has its own.
    min_methods : int, default=2
        Least number of columns.

    Raises
    ------
    ValueError
        For fewer than two data sets, too few methods, repeated names, and cells that are empty, NaN
        or no numbers, which are named.
    """
    if isinstance(results, pd.DataFrame):
        if methods is not None:
            raise ValueError("methods names the columns of an array; a DataFrame has names of its own")
        frame = results
    else:
        frame = _framed(results, methods)
    datasets, names = (tuple(str(name) for name in axis) for axis in (frame.index, frame.columns))
    _require_unique(names, "method", "every method needs a name of its own")
    _require_unique(datasets, "data set", "average repeated runs first: a data set is one row")
    if len(names) < min_methods:
        raise ValueError(f"results must have at least {min_methods} methods (columns), got {len(names)}")
    if len(datasets) < 2:
        raise ValueError(f"results must have at least 2 data sets (rows), got {len(datasets)}")
    cells = frame.to_numpy(dtype=object)
    values = np.empty(cells.shape)
    for row, column in np.ndindex(*cells.shape):
        where = f"data set {datasets[row]!r}, method {names[column]!r}"
        values[row, column] = _number(cells[row, column], where)
    return Results(values, datasets, names)


def _framed(results: Any, methods: Sequence[str] | None) -> pd.DataFrame:
    array = np.asarray(results, dtype=object)
    if array.ndim != 2:
        raise ValueError(
            "results must be a DataFrame or rows of equal length, shape (n_datasets, n_methods); "
            f"got {array.ndim} dimension{'' if array.ndim == 1 else 's'}"
        )
    columns = [f"method {i + 1}" for i in range(array.shape[1])] if methods is None else list(methods)
    if len(columns) != array.shape[1]:
        raise ValueError(f"methods has {len(columns)} names for {array.shape[1]} columns of results")
    return pd.DataFrame(array, index=range(1, len(array) + 1), columns=columns)


def _require_unique(names: Iterable[str], what: str, advice: str) -> None:
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise ValueError(f"results have the {what} {repeated[0]!r} more than once; {advice}")


def _number(cell: Any, where: str) -> float:
    if isinstance(cell, str) and cell.strip().casefold() in _MISSING_TEXT:
        cell = None
    if cell is None or cell is pd.NA or cell is pd.NaT:
        raise ValueError(f"results have no value for {where}")
    try:
        number = float(cell)
    except (TypeError, ValueError) as error:
        raise ValueError(f"results must be numbers, got {cell!r} for {where}") from error
    if np.isnan(number):
        raise ValueError(f"results have no value (NaN) for {where}")
    return number
