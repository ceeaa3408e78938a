"""What every loader returns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from moo_clustering._quoting_error import QuotingError


class DataError(QuotingError):
    """Data that cannot be used as they are; the message says where the trouble is."""


class NotNumericError(DataError):
    """Features that are no numbers.

    Parameters
    ----------
    what : str
        Which columns of which file.
    advice : str
        What to do about it.
    columns : sequence of str
    """

    def __init__(self, what: str, advice: str, columns: Sequence[str]) -> None:
        super().__init__(f"{what}; {advice}")
        self.what = what
        self.columns = tuple(columns)


@dataclass(frozen=True, eq=False)
class Table:
    """A data set.

    Parameters
    ----------
    name : str
        Name of the set, or of the file it came from (without its folder).
    X : ndarray of shape (n_samples, n_features), float64
        Finite features.
    feature_names : tuple of str
        One per column of X.
    row_ids : ndarray of shape (n_samples,)
        Identifiers as text, or the numbers 0, 1, ... where the data have none.
    y : ndarray of shape (n_samples,), int64, or None
        Known classes 0, 1, ..., for scoring; -1 where the cell was empty.
    target_names : tuple of str
        Names of the classes in y.
    partial_y : ndarray of shape (n_samples,), int64, or None
        Partial labels 0, 1, ..., for ``fit``; -1 for unlabelled samples.
    partial_names : tuple of str
        Names of the classes in partial_y.
    """

    name: str
    X: NDArray[np.float64]
    feature_names: tuple[str, ...]
    row_ids: NDArray[Any]
    y: NDArray[np.int64] | None = None
    target_names: tuple[str, ...] = ()
    partial_y: NDArray[np.int64] | None = None
    partial_names: tuple[str, ...] = ()

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return len(self.X)

    @property
    def n_classes(self) -> int:
        """Number of known classes; 0 without known classes."""
        return len(self.target_names)

    @property
    def has_row_ids(self) -> bool:
        """Whether the rows have identifiers of their own."""
        return bool(self.row_ids.dtype.kind == "U")

    def shuffled(self, random_state: int | np.random.Generator | None = None) -> Self:
        """The same rows in random order, with their identifiers and labels."""
        order = np.random.default_rng(random_state).permutation(self.n_samples)
        return replace(
            self,
            X=self._rows(order),
            row_ids=self.row_ids[order],
            y=None if self.y is None else self.y[order],
            partial_y=None if self.partial_y is None else self.partial_y[order],
        )

    def _rows(self, rows: NDArray[np.integer[Any]]) -> Any:
        return self.X[rows]


@dataclass(frozen=True, eq=False)
class CategoryTable(Table):
    """A data set of which some or all features are categories.

    Parameters
    ----------
    X : DataFrame of shape (n_samples, n_features)
        Columns of float64, of truth values, and of text (objects) for categories; no cell is missing.
    category_names : tuple of str
        The columns of categories.
    """

    X: Any
    category_names: tuple[str, ...] = ()

    def columns(self) -> list[NDArray[Any]]:
        """One array per feature, of numbers or text."""
        return [
            self.X[name].to_numpy(dtype=str if name in self.category_names else np.float64)
            for name in self.feature_names
        ]

    def _rows(self, rows: NDArray[np.integer[Any]]) -> Any:
        return self.X.iloc[rows].reset_index(drop=True)
