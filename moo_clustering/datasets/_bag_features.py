"""Features of instances: numbers, a column for each nominal value, no gaps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering.datasets._bag_columns import BagOptions, Column, Rows
from moo_clustering.datasets._table import DataError

Numbers = NDArray[np.floating[Any]]


def feature_matrix(
    rows: Rows, options: BagOptions, source: str, where: Callable[[int], str]
) -> tuple[Numbers, tuple[str, ...]]:
    """Features of the instances: numbers as they are, a column for each value of a nominal attribute.

    An attribute declared ``{0, 1}`` is one column of these numbers. Any other nominal attribute,
    two-valued ones too, becomes one column ``name=value`` per declared value, so that unequal values
    are equally far apart in all of them.
    """
    for column, name in enumerate(rows.columns):
        if name.kind in {"text", "date"} and name.name not in options.nominal:
            _refuse_text(rows, column, source)
    numbers = _filled(rows, options, source, where)
    blocks = [_block(column, numbers[:, place], options.nominal) for place, column in enumerate(rows.columns)]
    if not blocks:
        raise DataError(f"{source}: no features are left")
    names = tuple(name for block in blocks for name in block[0])
    if len(set(names)) < len(names):
        twice = next(name for place, name in enumerate(names) if name in names[:place])
        raise DataError(f"{source} has two features named {twice!r}; leave one of them out with drop")
    if len(names) == len(blocks) and all(block[1] is None for block in blocks):
        return numbers, names
    X = np.empty((len(rows), len(names)))
    start = 0
    for place, (own, values) in enumerate(blocks):
        X[:, start : start + len(own)] = numbers[:, place : place + 1] if values is None else values
        start += len(own)
    return X, names


def _block(
    column: Column, codes: Numbers, nominal: tuple[str, ...]
) -> tuple[tuple[str, ...], Numbers | None]:
    """Names and values of the features of a column; None for the numbers as they are."""
    values = column.values
    if column.kind == "numeric":
        if column.name not in nominal:
            return (column.name,), None
        met, places = np.unique(codes, return_inverse=True)
        values, codes = tuple(f"{value:.15g}" for value in met), places.astype(np.float64)
    elif set(values) == {"0", "1"}:
        return (column.name,), np.array(values, dtype=np.float64)[codes.astype(np.int64), None]
    one_hot = codes[:, None] == np.arange(len(values))
    return tuple(f"{column.name}={value}" for value in values), one_hot.astype(np.float64)


def _refuse_text(rows: Rows, place: int, source: str) -> None:
    column = rows.columns[place]
    if column.kind == "date":
        raise DataError(
            f"{source}: column {column.name!r} holds dates, which are no features; "
            f"leave it out with drop=[{column.name!r}]"
        )
    filled = np.flatnonzero(~np.isnan(rows.numbers[:, place]))
    example = ""
    if len(filled):
        # A number among texts is no example of what is wrong.
        numeric = np.array([_is_number(value) for value in column.values])
        texts = filled[~numeric[rows.numbers[filled, place].astype(np.int64)]]
        row = int(texts[0] if len(texts) else filled[0])
        example = f" ({column.values[int(rows.numbers[row, place])]!r} in {rows.place(row)})"
    raise DataError(
        f"{source}: column {column.name!r} is not numeric{example}; leave it out with "
        f"drop=[{column.name!r}], have a feature for each of its values with nominal=[{column.name!r}], or, "
        f"if it holds the classes of the bags, give label={column.name!r}"
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _filled(rows: Rows, options: BagOptions, source: str, where: Callable[[int], str]) -> Numbers:
    """The numbers, without a missing or infinite one."""
    numbers = rows.numbers
    if np.isfinite(numbers).all():
        return numbers
    infinite = np.argwhere(np.isinf(numbers))
    if len(infinite):
        row, column = infinite[0]
        raise DataError(
            f"{source}, {where(row)} has an infinite value in column {rows.columns[column].name!r}; "
            "replace it, or leave the column out with drop"
        )
    gaps = np.isnan(numbers)
    row, column = np.argwhere(gaps)[0]
    if options.missing == "error":
        count = int(gaps.sum()) - 1
        more = f" (and {count} more such {'value' if count == 1 else 'values'})" if count else ""
        raise DataError(
            f"{source}, {where(row)} has no value in column {rows.columns[column].name!r}{more}; fill it in, "
            "leave the column out with drop, or take what is most usual with missing='median'"
        )
    for place in np.flatnonzero(gaps.all(axis=0)):
        raise DataError(f"{source}: column {rows.columns[place].name!r} has no value; leave it out with drop")
    return _imputed(rows, gaps)


def _imputed(rows: Rows, gaps: NDArray[np.bool_]) -> Numbers:
    from sklearn.impute import SimpleImputer  # slow to import, and most data have no gaps

    numbers = rows.numbers.copy()
    for place in np.flatnonzero(gaps.any(axis=0)):
        strategy = "median" if rows.columns[place].kind == "numeric" else "most_frequent"
        numbers[:, [place]] = SimpleImputer(strategy=strategy).fit_transform(numbers[:, [place]])
    return numbers
