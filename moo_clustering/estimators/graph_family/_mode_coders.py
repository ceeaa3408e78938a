"""Tables as category codes or scaled numbers, and modes in the values of the table again."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from moo_clustering.estimators.graph_family._mode_columns import Column

# Whole numbers in floats are categories up to so many different ones, measured values beyond.
_FEW = 20


class CategoryCoder:
    """Columns as codes 0, 1, ... of their values in ascending order.

    Every value is a category, except in columns of floats with more than ``bins`` different values (with
    more than 20 and ``bins`` if all are whole): those are cut at their quantiles into ``bins`` intervals,
    fewer where quantiles are equal.

    Parameters
    ----------
    columns : sequence of Column
    bins : int or None
        None cuts nothing, and refuses columns with fractions.

    Attributes
    ----------
    categories : list of ndarray
        What the codes of a column stand for; intervals of cut columns.

    Raises
    ------
    ValueError
        Fractions without ``bins``, naming the column.
    """

    def __init__(self, columns: Sequence[Column], bins: int | None) -> None:
        self._edges = [_edges(column, bins) for column in columns]
        self.categories = [
            _sorted_values(column) if edges is None else _intervals(edges)
            for column, edges in zip(columns, self._edges, strict=True)
        ]
        for column, edges, categories in zip(columns, self._edges, self.categories, strict=True):
            if edges is None and len(categories) == len(column.values) > _FEW:
                warnings.warn(
                    f"{column.name} has another value in every sample; as categories these say nothing. Give "
                    "measured values as floats, which are binned, or take metric='euclidean'.",
                    UserWarning,
                    stacklevel=4,
                )

    def encode(self, columns: Sequence[Column]) -> NDArray[np.int32]:
        """Codes of shape (n_samples, n_features); -1 for a value that is no category."""
        codes = []
        for column, edges, categories in zip(columns, self._edges, self.categories, strict=True):
            if edges is None:
                codes.append(pd.Index(categories).get_indexer(column.values.to_numpy()))
            elif column.is_number:
                codes.append(np.searchsorted(edges, column.numbers(), side="right"))
            else:
                raise ValueError(f"{column.name} held numbers when fitted, got {column.values.dtype}.")
        return np.column_stack(codes).astype(np.int32)

    def decode(self, modes: NDArray[Any]) -> NDArray[Any]:
        """Codes of shape (..., n_features) as the values they stand for, objects if of different kinds."""
        kinds = {categories.dtype for categories in self.categories}
        values = np.empty(modes.shape, dtype=kinds.pop() if len(kinds) == 1 else object)
        for feature, categories in enumerate(self.categories):
            values[..., feature] = categories[modes[..., feature]]
        return values


class NumberCoder:
    """Columns as numbers on a common scale.

    Parameters
    ----------
    columns : sequence of Column
    scale : {"minmax", "zscore", "none"}

    Raises
    ------
    ValueError
        Columns that hold no numbers, by name.
    """

    def __init__(self, columns: Sequence[Column], scale: str) -> None:
        X = _matrix(columns)
        # Halves, so that the difference of huge numbers stays finite.
        self._origin, self._half = np.zeros(X.shape[1]), np.full(X.shape[1], 0.5)
        if scale != "none":
            low, high = X.min(axis=0), X.max(axis=0)
            self._origin, self._half = low, _not_zero(high / 2 - low / 2)
        if scale == "zscore":
            # Standardising the range first keeps the squares of tiny and huge numbers within bounds.
            scaled = self.encode(columns)
            self._origin = self.decode(scaled.mean(axis=0))
            self._half = self._half * _not_zero(scaled.std(axis=0))

    def encode(self, columns: Sequence[Column]) -> NDArray[np.float64]:
        """Numbers of shape (n_samples, n_features)."""
        X: NDArray[np.float64] = (_matrix(columns) / 2 - self._origin / 2) / self._half
        return X

    def decode(self, modes: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of shape (..., n_features), as they were given."""
        X: NDArray[np.float64] = (self._origin / 2 + modes * self._half) * 2
        return X


def _not_zero(spread: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(spread > 0.0, spread, 1.0)


def _matrix(columns: Sequence[Column]) -> NDArray[np.float64]:
    other = [f"{column.name} ({_kind(column)})" for column in columns if not column.is_number]
    if other:
        raise ValueError(
            f"metric='euclidean' needs numbers, but there are others in {', '.join(other)}; take "
            "metric='hamming', which compares categories and bins numbers, or encode them."
        )
    return np.column_stack([column.numbers() for column in columns])


def _kind(column: Column) -> str:
    dtype = column.values.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return "categories"
    return f"such as {column.values.iloc[0]!r}"


def _edges(column: Column, bins: int | None) -> NDArray[np.float64] | None:
    """Where a column is cut, if it is: the least values of all intervals but the first."""
    if not column.is_float:
        return None
    numbers = column.numbers()
    whole = bool((numbers == np.rint(numbers)).all())
    if bins is None:
        if whole:
            return None
        raise ValueError(
            f"{column.name} holds fractions, which are no categories for metric='hamming': give bins, or "
            "take metric='euclidean'."
        )
    if len(np.unique(numbers)) <= (max(bins, _FEW) if whole else bins):
        return None
    cuts = np.quantile(numbers, np.linspace(0.0, 1.0, bins + 1)[1:-1], method="higher")
    edges: NDArray[np.float64] = np.unique(cuts[cuts > numbers.min()])
    return edges


def _intervals(edges: NDArray[np.float64]) -> NDArray[Any]:
    bounds = [-np.inf, *edges.tolist(), np.inf]
    out = np.empty(len(bounds) - 1, dtype=object)
    for i in range(len(out)):
        out[i] = pd.Interval(bounds[i], bounds[i + 1], closed="left")
    return out


def _sorted_values(column: Column) -> NDArray[Any]:
    """Different values, categories in their order."""
    values = column.values
    if isinstance(values.dtype, pd.CategoricalDtype):
        used = values.cat.remove_unused_categories().cat.categories
        return np.asarray(used)
    distinct = pd.unique(values.to_numpy())
    try:
        return np.sort(distinct)
    except TypeError:
        # Values of different types have no order of their own.
        order = sorted(range(len(distinct)), key=lambda i: (type(distinct[i]).__name__, str(distinct[i])))
        return distinct[order]
