"""From named columns to a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple, NoReturn

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from moo_clustering._suggest import did_you_mean
from moo_clustering.datasets._categories import category_frame
from moo_clustering.datasets._classes import encode_classes
from moo_clustering.datasets._table import CategoryTable, DataError, NotNumericError, Table

_SHOWN = 5
_MOST_CHARACTERS = 2**28


class Roles(NamedTuple):
    """What the columns that are not features are for."""

    labels: str | None = None
    partial_labels: str | None = None
    id_column: str | None = None
    drop: tuple[str, ...] = ()
    categories: bool = False
    """Whether features may be other than numeric."""

    def by_column(self) -> dict[str, str]:
        """Role of each named column; a column with two roles is an error."""
        roles: dict[str, str] = {}
        named = [(self.labels, "labels"), (self.partial_labels, "partial labels"), (self.id_column, "id")]
        for column, role in [*named, *((column, "drop") for column in dict.fromkeys(self.drop))]:
            if column is None:
                continue
            if column in roles:
                raise DataError(f"column {column!r} cannot be both the {roles[column]} and the {role} column")
            roles[column] = role
        return roles


def check_roles(roles: Roles, columns: Sequence[str], source: str) -> None:
    """Every column with a role exists."""
    for column, role in roles.by_column().items():
        if column not in columns:
            raise DataError(
                f"{source} has no column {column!r} ({role}){did_you_mean(column, columns)}"
                if columns
                else f"{source} has no columns"
            )


def table_from_frame(frame: pd.DataFrame, roles: Roles, *, name: str, source: str) -> Table:
    """Table of a frame whose columns are named by text."""
    check_roles(roles, list(frame.columns), source)
    if not len(frame):
        raise DataError(f"{source} has column names but no rows")
    taken = roles.by_column()
    features = [column for column in frame.columns if column not in taken]
    if not features:
        raise DataError(f"{source} has no feature columns besides {', '.join(map(repr, taken))}")
    others = not_numeric(frame, features)
    if others and not roles.categories:
        _refuse(frame, others, source)
    numeric = [column for column in features if column not in others]
    X = frame[numeric].to_numpy(dtype=np.float64, na_value=np.nan)
    require_finite(X, numeric, source)
    row_ids: NDArray[Any] = np.arange(len(frame))
    if roles.id_column is not None:
        row_ids = identifiers(frame[roles.id_column], roles.id_column, source)
    table = Table(name=name, X=np.ascontiguousarray(X), feature_names=tuple(features), row_ids=row_ids)
    if others:
        mixed = category_frame(frame[features], others, source)
        table = CategoryTable(name, mixed, tuple(features), row_ids, category_names=tuple(others))
    return labelled(
        table,
        None if roles.labels is None else frame[roles.labels],
        None if roles.partial_labels is None else frame[roles.partial_labels],
    )


def labelled(table: Table, labels: Any, partial_labels: Any) -> Table:
    """The table with known classes and partial labels."""
    for values in (labels, partial_labels):
        if values is not None:
            _require_scalars(values, "classes", table.name)
    y, targets = (None, ()) if labels is None else encode_classes(labels, minus_one_is_missing=False)
    partial, names = (
        (None, ()) if partial_labels is None else encode_classes(partial_labels, minus_one_is_missing=True)
    )
    return replace(table, y=y, target_names=targets, partial_y=partial, partial_names=names)


def identifiers(values: Any, column: str, source: str) -> NDArray[np.str_]:
    """Row identifiers as text; every row must have one of its own."""
    _require_scalars(values, f"identifiers in column {column!r}", source)
    names = ["" if pd.isna(cell) else str(cell).strip() for cell in values]
    seen: dict[str, int] = {}
    for row, identifier in enumerate(names, start=1):
        if not identifier:
            raise DataError(f"{source}: the id column {column!r} is empty in row {row}")
        if identifier in seen:
            raise DataError(
                f"{source}: the id column {column!r} has {identifier!r} in rows {seen[identifier]} and {row}"
            )
        seen[identifier] = row
    longest = max(map(len, names), default=0)
    if longest * len(names) > _MOST_CHARACTERS:  # an array of text has the room of the longest everywhere
        raise DataError(
            f"{source}: the id column {column!r} has a text of {longest:,} characters, too long for an "
            f"identifier of {len(names):,} rows"
        )
    return np.array(names)


def _require_scalars(values: Any, what: str, source: str) -> None:
    other = next((cell for cell in values if not pd.api.types.is_scalar(cell)), None)
    if other is not None:
        raise DataError(f"{source}: {what} must be texts or numbers, got a {type(other).__name__}")


def require_finite(X: NDArray[np.float64], features: Sequence[str], source: str) -> None:
    """No empty cell, NaN or infinity."""
    # The sum is finite unless something is not (or it overflows), and needs no array of its own.
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(X.sum()):
            return
    bad = np.argwhere(~np.isfinite(X))
    if len(bad):
        row, column = bad[0]
        value = X[row, column]
        what = "an empty or NaN value" if np.isnan(value) else f"the infinite value {value:g}"
        raise DataError(
            f"{source} has {what} in column {features[column]!r}, row {row + 1}{_more(len(bad) - 1)}; "
            "fill in or remove such cells first"
        )


def _more(count: int) -> str:
    return f" (and {count} more such {'cell' if count == 1 else 'cells'})" if count else ""


def not_numeric(frame: pd.DataFrame, features: Sequence[str]) -> list[str]:
    """Features that are no numbers."""
    return [column for column in features if not pd.api.types.is_numeric_dtype(frame[column])]


def _refuse(frame: pd.DataFrame, wrong: Sequence[str], source: str) -> NoReturn:
    shown = ", ".join(map(repr, wrong[:_SHOWN]))
    if len(wrong) > _SHOWN:
        shown += f" and {len(wrong) - _SHOWN} more"
    what = f"columns {shown} are" if len(wrong) > 1 else f"column {shown} is"
    raise NotNumericError(
        f"{source}: {what} not numeric{_example(frame[wrong[0]])}",
        "columns that are not features are "
        "named by labels, partial_labels, id_column or drop (--labels, --partial-labels, --id-column, --drop)"
        ", and columns of texts by text_columns of read_documents (--text-columns); categories=True takes "
        "them as categories",
        wrong,
    )


def _example(column: pd.Series[Any]) -> str:
    text = column.astype(object)
    bad = np.flatnonzero((pd.to_numeric(text, errors="coerce").isna() & text.notna()).to_numpy())
    return f" ({str(text.iloc[bad[0]])!r} in row {bad[0] + 1})" if len(bad) else ""
