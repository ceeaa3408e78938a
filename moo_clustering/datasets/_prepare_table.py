"""From a table of any columns to features of equal weight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from moo_clustering.datasets._preparation_notes import (
    class_notes,
    filled_notes,
    left_out_notes,
    reading_notes,
)
from moo_clustering.datasets._table import DataError

if TYPE_CHECKING:
    import pandas as pd

    from moo_clustering.datasets._column_kinds import Column


@dataclass(frozen=True, eq=False)
class PreparedTable:
    """Features made of a table.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features), float64
        No cell is missing.
    feature_names : tuple of str
        Columns, and ``column=value`` for the indicators of categories.
    notes : tuple of str
        What was done, a line for each kind of thing.
    columns : DataFrame of shape (n_samples, n_columns)
        The columns that became features, empty cells filled: float64, datetime64 or text.
    category_names : tuple of str
        Those of ``columns`` that are categories.
    """

    X: NDArray[np.float64]
    feature_names: tuple[str, ...]
    notes: tuple[str, ...]
    columns: pd.DataFrame
    category_names: tuple[str, ...] = ()


def prepare_table(frame: pd.DataFrame, *, scale: Literal["equal", "none"] = "equal") -> PreparedTable:
    """Features of equal weight from numbers, truth values, dates and categories, whatever the table holds.

    Cells are read by what they say: numbers also with decimal commas, dates, and words for missing values
    (NA, n/a, null, ?). Missing numbers and dates become the median of their column, missing categories the
    most frequent value; dates become days, categories an indicator for each value (one for two values).
    Columns are left out that are constant, empty or mostly so, number the rows, or hold texts nearly all of
    which are different; numbers whose commas, and dates whose days and months, cannot be told apart.

    Parameters
    ----------
    frame : DataFrame of shape (n_samples, n_columns)
        At least two rows. The index is not used.
    scale : {"equal", "none"}, default="equal"
        Whether every column of whatever kind has a total variance of 1: numbers and dates minus their mean,
        by their standard deviation; the indicators of one category by one factor, so that two samples differ
        by categories as much on average as by numbers. ``"none"``: numbers as they are, indicators 0 and 1.

    Returns
    -------
    PreparedTable

    Raises
    ------
    DataError
        Fewer than two rows, two columns of one name, or no column left.

    Notes
    -----
    O(cells + n_samples n_features) time and memory. Scaled features go to estimators as they are, as
    ``ParetoClustering(scale="none")``.

    Examples
    --------
    >>> import pandas as pd
    >>> from moo_clustering.datasets import prepare_table
    >>> table = prepare_table(pd.DataFrame({"size": ["1,5", "2,5", "", "3,5"], "kind": ["a", "b", "a", "b"]}))
    >>> table.feature_names
    ('size', 'kind=b')
    >>> table.X.var(axis=0).tolist()
    [1.0, 1.0]
    """
    # Loaded here because pandas takes half a second that `--help` should not.
    import pandas as pd

    from moo_clustering.datasets._column_kinds import judge_columns

    if scale not in ("equal", "none"):
        raise ValueError(f"scale must be 'equal' or 'none', got {scale!r}")
    frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
    if not frame.columns.is_unique:
        raise DataError(f"the table has two columns named {frame.columns[frame.columns.duplicated()][0]!r}")
    if len(frame) < 2:
        rows = f"{len(frame)} row{'' if len(frame) == 1 else 's'}"
        raise DataError(f"the table has {rows}, and clusters are made of at least two")
    judged = judge_columns(frame)
    used = [column for column in judged if column.kind != "out"]
    if not used:
        _refuse(judged)
    filled = pd.DataFrame({column.name: _filled(column) for column in used})
    blocks, names = [], []
    for column in used:
        block, block_names = _features(column, filled[column.name], scale == "equal")
        blocks.append(block)
        names += block_names
    categories = tuple(column.name for column in used if column.kind == "category")
    notes = (
        *left_out_notes(judged),
        *reading_notes(used, [n for n in names if n not in filled.columns], len(names)),
        *filled_notes(used),
        *class_notes(used),
    )
    return PreparedTable(np.column_stack(blocks), tuple(names), notes, filled, categories)


def _filled(column: Column) -> pd.Series[Any]:
    """Numbers and dates with their median where they are missing, texts with the most frequent one."""
    values = column.values
    if not values.isna().any():
        return values
    if column.kind == "category":
        return values.fillna(values.mode().iloc[0])
    if column.kind == "date":
        return values.fillna(values.quantile(0.5, interpolation="lower"))
    return values.fillna(values.median())


def _features(column: Column, filled: pd.Series[Any], equal: bool) -> tuple[NDArray[np.float64], list[str]]:
    if column.kind == "category":
        from sklearn.preprocessing import OneHotEncoder

        encoder = OneHotEncoder(drop="if_binary", sparse_output=False)
        indicators = encoder.fit_transform(filled.to_numpy(dtype=object).reshape(-1, 1))
        # One factor for all: a rare value is not made to count more than a frequent one.
        factor = 1.0 / np.sqrt(indicators.var(axis=0).sum()) if equal else 1.0
        values = encoder.categories_[0][-indicators.shape[1] :]
        return indicators * factor, [f"{column.name}={value}" for value in values]
    numbers = filled.to_numpy()
    if column.kind == "date":
        numbers = (numbers - numbers.min()) / np.timedelta64(86400, "s")
    numbers = numbers.astype(np.float64)
    if equal:
        # By the largest first, so that squares of huge and tiny numbers stay within bounds.
        numbers = numbers / np.abs(numbers).max()
        numbers = numbers - numbers.mean()
        spread = numbers.std()
        numbers = numbers / (spread if spread > 0 else 1.0)
    return numbers[:, None], [column.name]


def _refuse(judged: Sequence[Column]) -> None:
    if not judged:
        raise DataError("the table has no columns")
    shown = "; ".join(f"{column.name!r} ({column.reason})" for column in judged[:5])
    more = f"; and {len(judged) - 5} more" if len(judged) > 5 else ""
    raise DataError(f"no column is left to cluster by: {shown}{more}")
