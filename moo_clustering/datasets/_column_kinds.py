"""What a column of a table is: numbers, dates, categories, or nothing to cluster by."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from moo_clustering.datasets._cell_numbers import Convention, as_numbers, read_dates, read_numbers
from moo_clustering.datasets._cell_units import without_unit

Kind = Literal["number", "date", "category", "out"]

# What people write for a value that they do not have; the second among numbers only.
_MISSING = {"", "na", "n/a", "nan", "null", "?", "#n/a", "<na>"}
_NO_NUMBER = _MISSING | {"none", "-", "--", ".", "missing", "unknown", "k.a.", "keine angabe"}
_ID = re.compile(
    r"id|.*[_ .-]id|id[_ .-].*|.*ID|.*Id|index|row|rownames|row[_ .-]?(nr|no|number)|uuid|key", re.A
)
_FEW, _MOST = 20, 100
_MOST_MISSING = 0.5
_WORDS = 4


@dataclass(frozen=True, eq=False)
class Column:
    """A column and what it is taken for.

    Attributes
    ----------
    name : str
    kind : {"number", "date", "category", "out"}
    values : Series
        Numbers (float64), dates (datetime64) or texts (objects), missing where there is none.
    reason : str
        Why it is left out.
    strays : tuple of str
        Texts among numbers, which count as missing.
    convention : str
        How its numbers are written.
    grouped : bool
        See :class:`~moo_clustering.datasets._cell_numbers.Numbers`.
    unit : str
        What stood beside each of its numbers.
    """

    name: str
    kind: Kind
    values: pd.Series[Any]
    reason: str = ""
    strays: tuple[str, ...] = ()
    convention: Convention = "none"
    grouped: bool = False
    unit: str = ""

    def out(self, reason: str) -> Column:
        """The column left out."""
        return replace(self, kind="out", reason=reason)


def judge_columns(frame: pd.DataFrame) -> list[Column]:
    """What each column is; names are unique texts.

    Notes
    -----
    O(cells) time and memory.
    """
    columns = [_read(name, frame[name]) for name in frame.columns]
    written = {column.convention for column in columns}
    return [_judge(_settled(column, written)) for column in columns]


def _read(name: str, given: pd.Series[Any]) -> Column:
    """By its type, and texts by what they say."""
    column = given.reset_index(drop=True)
    if isinstance(column.dtype, pd.CategoricalDtype):
        return Column(name, "category", _texts(column, _MISSING))
    if pd.api.types.is_datetime64_any_dtype(column):
        dates = pd.Series(pd.to_datetime(column, utc=True)).dt.tz_localize(None)
        return Column(name, "date", dates.astype("datetime64[s]"))
    if pd.api.types.is_timedelta64_dtype(column):
        return Column(name, "number", column.dt.total_seconds() / 86400)
    if pd.api.types.is_complex_dtype(column):
        return Column(name, "category", column).out("complex numbers")
    if pd.api.types.is_bool_dtype(column) or pd.api.types.is_numeric_dtype(column):
        numbers = pd.Series(column.to_numpy(dtype=np.float64, na_value=np.nan))
        return Column(name, "number", numbers.where(np.isfinite(numbers)), convention="plain")
    if not all(isinstance(cell, str | int | float | bool | np.generic) or _is_none(cell) for cell in column):
        return Column(name, "category", column).out("cells that are neither numbers nor text")
    return _read_texts(name, column)


def _read_texts(name: str, column: pd.Series[Any]) -> Column:
    texts = _texts(column, _NO_NUMBER)
    known = texts.notna()
    if known.any():
        found, bare = read_numbers(texts[known].to_numpy()), None
        if found.convention == "none" and (bare := without_unit(texts[known].to_numpy())) is not None:
            found = read_numbers(bare.texts)
        if found.convention != "none":
            if bare is not None:
                texts[known] = bare.texts
            numbers = pd.Series(np.full(len(texts), np.nan))
            numbers[known] = found.values
            strays = tuple(dict.fromkeys(texts[known & numbers.isna()]))
            whole = replace(
                Column(name, "number", numbers),
                strays=strays,
                convention=found.convention,
                grouped=found.grouped,
                unit="" if bare is None else bare.unit,
            )
            if found.convention == "ambiguous" or found.grouped:
                # Other columns decide how it is read, from its texts.
                return replace(whole, values=texts)
            return whole
        dates = read_dates(texts[known].to_numpy())
        if isinstance(dates, str):
            return Column(name, "date", texts).out(dates)
        if dates is not None:
            found_dates = pd.Series(np.full(len(texts), np.datetime64("NaT"), dtype="datetime64[s]"))
            found_dates[known] = dates
            return Column(name, "date", found_dates)
    return Column(name, "category", _texts(column, _MISSING))


def _settled(column: Column, written: set[Convention]) -> Column:
    """Numbers that may be read in two ways, as those of other columns are."""
    if column.kind != "number" or not (column.convention == "ambiguous" or column.grouped):
        return column
    decimal = "comma" in written and "point" not in written
    if column.convention == "ambiguous":
        known = column.values.dropna()
        # Three decimals in some cells and none in others would be odd.
        decimal = decimal and bool(known.str.contains(",").all())
        if not decimal and not ("point" in written and "comma" not in written):
            example = next(text for text in known if "," in text)
            return column.out(f"its commas may be decimal commas or separate thousands ({example!r})")
        way: Literal["comma", "point"] = "comma" if decimal else "point"
        return replace(column, values=pd.Series(as_numbers(column.values, way)), convention=way)
    if decimal:
        return replace(column, values=pd.Series(as_numbers(column.values, "comma")), convention="comma")
    known = column.values.notna()
    numbers = pd.Series(np.full(len(known), np.nan))
    numbers[known] = read_numbers(column.values[known].to_numpy()).values
    # Where all have three decimals, either reading is the same but for a factor.
    mixed = not column.values[known].str.contains(".", regex=False).all()
    return replace(column, values=numbers, grouped=mixed)


def _judge(column: Column) -> Column:
    if column.kind == "out":
        return column
    known = column.values.dropna()
    if not len(known):
        return column.out("empty")
    n_different = known.nunique()
    if n_different == 1:
        return column.out(
            "constant" if len(known) == len(column.values) else "one value, and else empty cells"
        )
    if len(known) < (1 - _MOST_MISSING) * len(column.values):
        return column.out(f"{len(column.values) - len(known)} of {len(column.values)} cells are missing")
    if column.kind == "number":
        return column.out("it numbers the rows") if _numbers_rows(column.name, known) else column
    return column if column.kind == "date" else _judge_category(column, known, n_different)


def _numbers_rows(name: str, known: pd.Series[Any]) -> bool:
    whole = bool((known == known.round()).all())
    if not whole or known.nunique() < len(known):
        return False
    # Halves, as the difference of huge numbers would be out of bounds.
    run = known.max() / 2 - known.min() / 2 == (len(known) - 1) / 2
    return bool(_ID.fullmatch(name) or name.casefold() in {"id", "nr", "no"} or (run and len(known) > _FEW))


def _judge_category(column: Column, known: pd.Series[Any], n_different: int) -> Column:
    n = len(known)
    words = float(np.mean([len(text.split()) for text in known]))
    text = f"; --text-columns {column.name} clusters by its words" if words > _WORDS else ""
    if n_different == n and n > 2:
        return column.out(f"another value in every row{text}")
    if n_different > min(_MOST, max(_FEW, n // 10), max(2, n // 2)):
        what = "free text" if words > _WORDS else "too many different values"
        return column.out(f"{what} ({n_different} in {n} rows){text}")
    return column


def _texts(column: pd.Series[Any], missing: set[str]) -> pd.Series[Any]:
    cells = ["" if _is_none(cell) else str(cell).strip() for cell in column]
    return pd.Series([None if cell.casefold() in missing else cell for cell in cells], dtype=object)


def _is_none(cell: Any) -> bool:
    return cell is None or cell is pd.NA or cell is pd.NaT or (isinstance(cell, float) and np.isnan(cell))
