"""The columns of a table of categories and numbers, whatever it comes as."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data


@dataclass(frozen=True, eq=False)
class Column:
    """One attribute.

    Attributes
    ----------
    name : str
        For messages: ``"column 'width'"`` or ``"column 3"``.
    values : pandas.Series
        Without missing values.
    """

    name: str
    values: pd.Series

    @property
    def is_number(self) -> bool:
        """Whether it holds numbers, truth values included."""
        return bool(pd.api.types.is_numeric_dtype(self.values.dtype))

    @property
    def is_float(self) -> bool:
        """Whether it holds floating-point numbers."""
        return bool(pd.api.types.is_float_dtype(self.values.dtype))

    def numbers(self) -> NDArray[np.float64]:
        """As float64."""
        return self.values.to_numpy(dtype=np.float64)


def read_columns(estimator: BaseEstimator, X: Any, *, reset: bool) -> list[Column]:
    """Columns of a data frame or of an array of numbers, strings or objects.

    Also sets, or with ``reset=False`` checks, the estimator's names and number of features.

    Raises
    ------
    ValueError
        No samples or features, missing values (naming the column) or sparse data.
    TypeError
        Values that cannot be told apart, such as dictionaries.
    """
    if isinstance(X, pd.DataFrame):
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        if 0 in X.shape:
            raise ValueError(
                f"Found array with {X.shape[0]} sample(s) and {X.shape[1]} feature(s) (shape={X.shape}) "
                "while a minimum of 1 is required."
            )
        series = [X.iloc[:, i].reset_index(drop=True) for i in range(X.shape[1])]
    else:
        table = validate_data(estimator, X, reset=reset, dtype=None, ensure_all_finite=False)
        # Columns of an array of objects may well hold numbers.
        series = [pd.Series(table[:, i]).infer_objects() for i in range(table.shape[1])]
    names = getattr(estimator, "feature_names_in_", range(len(series)))
    columns = [
        Column(f"column {name!r}" if isinstance(name, str) else f"column {name}", _countable(values))
        for name, values in zip(names, series, strict=True)
    ]
    for column in columns:
        _check(column)
    return columns


def _countable(values: pd.Series) -> pd.Series:
    """As float64 if they are longer or half floats, of which pandas cannot tell which are equal."""
    return values.astype(np.float64) if values.dtype in (np.longdouble, np.float16) else values


def _check(column: Column) -> None:
    values = column.values
    missing = np.flatnonzero(values.isna().to_numpy())
    if len(missing):
        raise ValueError(
            f"Input X contains NaN or missing values: {column.name} has {len(missing)}, the first in row "
            f"{missing[0]}; fill them, or make 'missing' a category."
        )
    if column.is_float and not np.isfinite(column.numbers()).all():
        raise ValueError(f"Input X contains infinity: {column.name}.")
    if pd.api.types.is_complex_dtype(values.dtype):
        raise ValueError(f"Complex data not supported: {column.name}.")
    if values.dtype == object:
        for value in values:
            try:
                hash(value)
            except TypeError:
                raise TypeError(
                    f"{column.name} holds a {type(value).__name__}: every argument must be a string or "
                    "number."
                ) from None
