"""Parser for table cells: numbers, dates, times, fractions and categories, in any notation."""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from moo_clustering._messages import Advice, for_command, quoted
from moo_clustering._types import BoolArray, FloatArray, IntpArray
from moo_clustering.datasets import files
from moo_clustering.datasets.files import DataError, written

Kind = Literal["number", "truth", "date", "category", "out"]
_ANSWERS = {"y": "yes", "j": "ja", "t": "true", "f": "false"}
# If numeric columns have such names, a note warns that they may contain codes, such as postal codes.
_CODES = re.compile(
    r"(?<![^\W_])((zip|post(al)?)[ _-]?code|zip|plz|postleitzahl|phone|tele(ph|f)one?|fax|isbn)(?![^\W_])",
    re.IGNORECASE,
)
# Texts that mark missing cells. In columns of text, ``_WORDS`` are ordinary categories.
_MISSING = {"", "na", "n/a", "nan", "null", "?", "#n/a", "<na>"}
_WORDS = {"none", "-", "--", ".", "missing", "unknown", "k.a.", "keine angabe"}
_NO_NUMBER = _MISSING | _WORDS
# Notation of the numbers in a column. "plain" is Python notation, "comma" has decimal commas, and "point" has
# commas as thousands separators. If the notation is "ambiguous", the commas may have either meaning, as in
# 1,234. If it is "none", the column has no numbers.
Convention = Literal["plain", "comma", "point", "ambiguous", "none"]
_COMMA = re.compile(r"[+-]?(\d{1,3}(\.\d{3})+|\d+|(?=,\d))(,\d+)?([eE][+-]?\d+)?", re.ASCII)
# Indian notation groups two digits each before the last three, as in 12,34,567.
_POINT = re.compile(r"[+-]?(\d{1,3}(,\d{3})+|\d{1,2}(,\d\d)+,\d{3}|\d+)(\.\d+)?", re.ASCII)
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3})+", re.ASCII)
# If a number in a column matches, the commas in the column are not thousands separators.
_DECIMAL = re.compile(r"[+-]?(0,\d+|\d{4,}|\d+,\d+[eE].*)")
_SPACED = re.compile(r"(?<=\d)[ '\u2019\u00a0\u2009\u202f](?=\d{3}(\D|$))", re.ASCII)
# A column is numeric if at least the share _SHARE of its cells are numbers. If it has at most _DIFFERENT
# distinct values, all cells must be numbers.
_SHARE, _DIFFERENT = 0.9, 10
# If at most the share _MOST_BARE of a column's numbers have no unit, they are read in the unit of the other
# numbers. Mixed units are reported only if there are at most _MOST_UNITS of them.
_MOST_BARE, _MOST_UNITS = 0.05, 3
_FORMATS = (
    "ISO8601", "%Y/%m/%d", "%d.%m.%Y", "%d.%m.%y", "%d.%m.%Y %H:%M", "%d.%m.%Y %H:%M:%S",
    "%d/%m/%Y", "%m/%d/%Y", "%d/%m/%Y %H:%M", "%m/%d/%Y %H:%M", "%d-%m-%Y", "%m-%d-%Y",
    "%d/%m/%Y %H:%M:%S", "%m/%d/%Y %H:%M:%S", "%d/%m/%Y %I:%M %p", "%m/%d/%Y %I:%M %p",
    "%d/%m/%Y %I:%M:%S %p", "%m/%d/%Y %I:%M:%S %p", "%d/%m/%y", "%m/%d/%y", "%d-%b-%Y", "%d-%b-%y",
    "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y",
)  # fmt: skip
_MAYBE_DATE = re.compile(
    r"\d{4}Q[1-4]|\d{4}-?W\d|(19|20)\d{6}$|\d{1,4}[-./]\d|\d{1,2}[- ][a-z]{3,9}[- ]\d\d|"
    r"[a-z]{3,9} \d{1,2}, \d{4}",
    re.ASCII | re.IGNORECASE,
)
_SHORT = 1_000
# A currency may precede the number, and a short unit may follow it. Other prefixes do not match, because
# texts such as A12 may be names.
_MEASURE = re.compile(
    r"(?P<before>[$€£¥₹₩₺₽]|EUR|USD|GBP|CHF)?\s*"
    r"(?P<number>[+-]?[\d.,]*\d(?:[ '\u2019\u00a0\u2009\u202f]\d{3})*(?:[.,]\d+)?(?:[eE][+-]?\d+)?)"
    r"\s*(?P<after>[^\d\s.,+'\u2019-]{1,6})?"
)
_MONEY = {*"$€£¥₹₩₺₽", "EUR", "USD", "GBP", "CHF"}
_TIME = re.compile(
    r"(?P<hour>\d{1,3}):(?P<minute>[0-5]\d)(:(?P<second>[0-5]\d(\.\d+)?))?(\s*(?P<half>[ap])\.?m\.?)?",
    re.ASCII | re.IGNORECASE,
)
_DURATION = re.compile(r"-?(\d+ days?,? [-+]?\d+:\d\d:\d\d(\.\d+)?|P(?=T?\d)[\dDTHMS.]+)", re.ASCII)
# Quarters and weeks, in the notation of pandas or ISO 8601, are converted to their first day.
_QUARTER = re.compile(r"(\d{4})Q([1-4])", re.ASCII)
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_WEEK = re.compile(r"(\d{4}-\d\d-\d\d)/\d{4}-\d\d-\d\d", re.ASCII)
_ISO_WEEK = re.compile(r"(\d{4})-?W(\d\d)(?:-?([1-7]))?", re.ASCII)
_FRACTION = re.compile(r"[+-]?\d{1,300}(/\d{1,300})?", re.ASCII)
_BRACKETED = re.compile(r"\(\s*([^()-]+?)\s*\)")
_BEFORE_SIGN = re.compile(r"^([+-])\s*([$€£¥₹₩₺₽]|EUR|USD|GBP|CHF)\s*")
# In accounting, a minus may follow a decimal number. Integers do not match, because 2- may be a grade.
_AFTER = re.compile(r"([\d.,']*[.,]\d+)\s*-", re.ASCII)
_OTHER_SIGN = re.compile(r"^\(|\u2212|^[+-]\s*[$€£¥₹₩₺₽EUGC]|\d\s*-$|(?![0-9])\d", re.MULTILINE)
_MARKS_OF_SCRIPTS = str.maketrans("\u2212\uff0d\uff0b\uff0e\uff0c\u066b\u066c", "--+.,.,")
_ID = re.compile(
    r"id|.*[_ .-]id|id[_ .-].*|.*ID|.*Id|index|row|rownames|row[_ .-]?(nr|no|number)|uuid|key", re.A
)
# Numbers with at most FEW distinct values are discrete. Categories have at most _MOST distinct values.
FEW, _MOST = 20, 100
_LEAST_SUMMED = 8
_MOST_MISSING, _MISSING_CELLS = 0.5, " cells are missing"
_FREE_TEXT = 4  # columns with more words per cell on average are free text
_SHOWN = 8


@dataclass(frozen=True, eq=False)
class Column:
    """A column and its interpretation."""

    name: str
    kind: Kind
    # Numbers are float64, dates datetime64, and texts objects. The cells are stored in an array, because
    # creating one Series per column would dominate the run time for wide tables.
    values: NDArray[Any]
    reason: str = ""
    strays: tuple[str, ...] = ()  # distinct texts that are treated as missing cells
    convention: Convention = "none"
    grouped: bool = False  # whether the points in numbers such as 1.234 may separate thousands
    unit: str = ""
    code: str = ""  # why numerals are codes and thus categories, or ""
    remark: str = ""  # note for the user on the interpretation of the cells
    units: str = ""  # note on mixed units, which becomes the reason if the column is dropped
    # All formats that fit the dates, "time" for times and durations, or "fraction" for fractions.
    forms: tuple[str, ...] = ()

    def out(self, reason: str) -> Column:
        return replace(self, kind="out", reason=reason)


def read_column(name: str, column: pd.Series[Any]) -> Column:
    """Infer the kind and notation of a column, from its dtype or from the text of its cells."""
    dtype = column.dtype
    if pd.api.types.is_complex_dtype(dtype):
        return Column(name, "category", column.to_numpy()).out("complex numbers")
    if _kind_of(dtype) == "M":
        return Column(name, "date", _moments(column))
    if _kind_of(dtype) == "m":
        hours = np.asarray(column.to_numpy() / np.timedelta64(1, "h"), dtype=np.float64)
        return Column(name, "number", hours, convention="plain", unit="hours", forms=("time",))
    if _is_numbers(column):
        numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
        strays = tuple(map(str, np.unique(numbers[np.isinf(numbers)])))
        kind: Kind = "truth" if pd.api.types.is_bool_dtype(dtype) else "number"
        if strays:
            numbers = np.where(np.isinf(numbers), np.nan, numbers)
        return Column(name, kind, numbers, strays=strays, convention="plain")
    if isinstance(dtype, pd.StringDtype) and len(column) > _SHORT:
        where, distinct = pd.factorize(column.array, use_na_sentinel=False)
        cells = _Cells(where, _written(distinct.astype(object).tolist()))
    else:
        listed = files.cells_of(column)
        if not isinstance(dtype, pd.CategoricalDtype) and not files.are_cells(listed):
            return Column(name, "category", np.empty(0)).out("cells that are neither numbers nor text")
        cells = _Cells(*different_cells(_written(listed)))
    if isinstance(dtype, pd.CategoricalDtype):
        return _category(name, cells)
    read = _read_texts(name, cells)
    if read.kind == "category":
        return read
    words = {bare: None for text in cells.different if (bare := text.strip()).casefold() in _WORDS}
    return replace(read, strays=(*read.strays, *words))


def settled(column: Column, written: set[Convention]) -> Column:
    """Interpret ambiguous numbers: 1,234 in the notation of other columns, and 20240131 as a date."""
    if column.kind != "number":
        return column
    if not (column.convention == "ambiguous" or column.grouped):
        if not (column.unit or column.forms) and (days := packed_days(column.values)) is not None:
            return replace(column, kind="date", values=days, remark="", forms=("ISO8601",))
        remarks = column.remark, files.missing_code(column.values)
        return replace(column, remark="; ".join(filter(None, remarks)))
    decimal = "comma" in written and "point" not in written
    is_money = column.unit in _MONEY  # monetary amounts do not have three decimals
    cells = _Cells(*different_cells(column.values)).stripped(set())
    known = cells.different
    if column.convention == "ambiguous":
        # Decimal commas are unlikely if some cells would have three decimals and all other cells none.
        decimal = decimal and not is_money and all("," in text for text in known)
        if not decimal and not is_money and not ("point" in written and "comma" not in written):
            example = next(text for text in known if "," in text)
            return column.out(f"its commas may be decimal commas or thousands separators ({example!r})")
    elif not (decimal or is_money):
        # If all cells look like 1.234, both notations yield the same numbers up to a factor of 1,000, so that
        # no note is required.
        mixed = not all("." in text for text in known)
        _, values, _ = read_numbers(known, np.bincount(cells.where + 1)[1:])
        return replace(column, values=_spread(values, cells.where), grouped=mixed)
    # If the points separate thousands, the commas are decimal commas.
    way: Literal["comma", "point"] = "comma" if decimal or column.grouped else "point"
    return replace(column, values=_spread(as_numbers(known, way), cells.where), convention=way)


def _kind_of(dtype: Any) -> str:
    """Return NumPy's letter for the kind of a dtype, such as "M" for dates. Other types yield ""."""
    return dtype.kind if isinstance(dtype, np.dtype | pd.DatetimeTZDtype) else ""


def _is_numbers(column: pd.Series[Any]) -> bool:
    return files.is_plain(column) and files.indistinct_values(column) is None


class Reread(NamedTuple):
    """Parsed cells of one column of new rows."""

    values: NDArray[Any]
    unread: tuple[str, ...] = ()
    rows: IntpArray = np.empty(0, dtype=np.intp)
    note: str = ""  # message about a notation or unit that differs from the fit
    convention: Convention = "none"


def read_again(column: Column, further: pd.Series[Any]) -> Reread:
    """Parse new rows of a column in the notation seen in the fit."""
    # If cells do not fit this notation, the notation is inferred again, and ``note`` reports the change.
    # Unreadable cells are treated as missing. If more than a tenth of the cells are unreadable, a DataError
    # is raised.
    is_typed = _kind_of(further.dtype) in {"M", "m"} or _is_numbers(further)
    if column.kind != "category" and is_typed and not further.isna().all():
        return _typed_again(column, further)
    cells = files.cells_of(further)
    if not files.are_cells(cells):
        raise DataError(f"column {column.name!r} has cells that are neither numbers nor text")
    if column.kind == "category":
        return Reread(_texts(cells, _MISSING))
    texts = _texts(cells, _NO_NUMBER)
    known = pd.notna(texts) & ~np.isin(texts, np.array(column.strays, dtype=object))
    if not known.any():
        missing = np.datetime64("NaT", "us") if column.kind == "date" else np.nan
        return Reread(np.full(len(cells), missing))
    texts = texts[known]
    if column.kind == "date":
        found = _dates_again(column, texts)
    elif column.kind == "truth":
        found = _with_unread(np.array([_TRUTHS.get(text.casefold(), np.nan) for text in texts]), texts)
    else:
        is_plain = np.array([not isinstance(cell, str) for cell in cells])
        found = _numbers_again(column, texts, is_plain[known])
    if len(found.rows) > (1 - _SHARE) * int(known.sum()):
        _refuse_kind(column, found.unread[0])
    values = _spread(found.values, np.where(known, np.cumsum(known) - 1, -1))
    return found._replace(values=values, rows=np.flatnonzero(known)[found.rows])


def require_one_notation(columns: Sequence[Column], frame: pd.DataFrame, found: Sequence[Reread]) -> None:
    """Raise a DataError if a column has changed its notation, and another column fits both notations."""
    pairs = [*zip(columns, found, strict=True)]
    changed = [
        (c.name, read.convention) for c, read in pairs if read.convention not in ("none", c.convention)
    ]
    if not changed:
        return
    name, convention = changed[0]
    for column, read in pairs:
        if read.convention != column.convention or column.forms or column.kind != "number":
            continue
        known = np.flatnonzero(~np.isnan(read.values))
        texts = _texts(files.cells_of(frame[column.name]), _NO_NUMBER)
        texts[known] = _split_units(_signed(texts[known]))[0]
        other = _in_convention(texts[known], convention)
        differs = np.flatnonzero(other != read.values[known])
        if not np.isnan(other).any() and len(differs):
            example = texts[known[differs[0]]]
            raise DataError(
                f"column {column.name!r} is ambiguous ({example!r}), because column {name!r} has "
                f"{_CONVENTIONS[convention]}, unlike in the training table; use its notation in both columns"
            )


_THOUSANDS = "commas as thousands separators"
_CONVENTIONS = {"plain": "decimal points", "comma": "decimal commas", "point": _THOUSANDS}
_KINDS = {"number": "numbers", "truth": "true and false", "date": "dates"}
_TRUTHS = {"true": 1.0, "false": 0.0, "1": 1.0, "0": 0.0, "1.0": 1.0, "0.0": 0.0}


def _typed_again(column: Column, further: pd.Series[Any]) -> Reread:
    read = read_column(column.name, further)
    is_date, note, numbers = read.kind == "date", "", read.values
    if column.kind == "date" and not is_date and (days := packed_days(numbers, 1)) is not None:
        is_date, numbers = True, days
    if is_date is not (column.kind == "date") or numbers.dtype.kind not in "fM":
        _refuse_kind(column, written(further.dropna().iloc[0]))
    if column.kind == "truth" and len(odd := numbers[~np.isnan(numbers) & ~np.isin(numbers, (0.0, 1.0))]):
        _refuse_kind(column, f"{odd[0]:g}")
    if column.unit != read.unit:
        if read.unit:
            _refuse_unit(column, read.unit)
        note = _without_unit_note(column)
    elif column.convention == "comma" and (numbers[~np.isnan(numbers)] % 1).any():
        note = f"column {column.name!r} has decimal points, but had decimal commas in the training table"
    return Reread(numbers, read.strays, np.flatnonzero(np.isnan(numbers) & further.notna()), note)


def _numbers_again(column: Column, texts: NDArray[Any], is_plain: BoolArray) -> Reread:
    """Parse new cells of a numeric column.

    ``is_plain`` marks the cells that are stored as numbers rather than as text. Points in these cells are
    decimal points.
    """
    if column.forms:
        return _of_form_again(column, texts)
    convention, note = column.convention, ""
    numerals, units = texts, Counter({"": len(texts)})
    values = _in_convention(texts, convention, is_plain)
    if column.unit or np.isnan(values).any():
        numerals, units = _split_units(_signed(texts))
        values = _in_convention(numerals, convention, is_plain)
    for unit in units:
        if unit and unit != column.unit:
            _refuse_unit(column, unit)
    if column.unit and "" in units:
        note = _without_unit_note(column)
    if np.isnan(values).any():
        anew, _, _ = read_numbers(numerals)
        if anew == "ambiguous":
            example = next(text for text in texts if "," in text)
            fault = f"has commas that may be decimal commas or thousands separators ({example!r})"
            had = _CONVENTIONS[convention]
            raise DataError(f"column {column.name!r} {fault}, but had {had} in the training table")
        if anew not in ("none", convention):
            convention, values = anew, _in_convention(numerals, anew, is_plain)
            has, had = _CONVENTIONS[convention], _CONVENTIONS[column.convention]
            note = f"column {column.name!r} has {has}, but had {had} in the training table"
    return _with_unread(values, texts, note)._replace(convention=convention)


def _of_form_again(column: Column, texts: NDArray[Any]) -> Reread:
    """Parse new cells of a column of times or fractions. In a column of times, plain numbers are hours."""
    values = _each(read_times if column.forms == ("time",) else read_fractions, texts)
    unread = np.isnan(values)
    if not unread.any():
        return Reread(values)
    values[unread] = _in_convention(texts[unread], "plain")
    note = _without_unit_note(column) if column.unit and not np.isnan(values[unread]).all() else ""
    return _with_unread(values, texts, note)


def _dates_again(column: Column, texts: NDArray[Any]) -> Reread:
    where, different = different_cells(texts)
    found, note = read_dates(different, column.forms) if column.forms else None, ""
    if found is None:
        found = read_dates(different)
        if column.forms and isinstance(found, tuple):
            note = f"column {column.name!r} has a different date format than in the training table"
    if isinstance(found, str):
        raise DataError(f"column {column.name!r}: {found}")
    if found is None:
        dates = [read_dates(np.array([text], dtype=object), column.forms or _FORMATS) for text in different]
        values = [each[0][0] if isinstance(each, tuple) else np.datetime64("NaT", "us") for each in dates]
        return _with_unread(np.array(values, dtype="datetime64[us]")[where], texts)
    return Reread(found[0][where], note=note)


def _each(reader: Any, texts: NDArray[Any]) -> FloatArray:
    where, different = different_cells(texts)
    if (values := reader(different)) is not None:
        return np.asarray(values)[where]
    found = [reader(np.array([text], dtype=object)) for text in different]
    return np.array([np.nan if each is None else each[0] for each in found])[where]


def _split_units(texts: NDArray[Any], counts: IntpArray | None = None) -> tuple[NDArray[Any], Counter[str]]:
    """Remove the units from numbers, and count the cells with each unit.

    ``counts`` contains the number of cells with each text, by default 1.
    """
    units: Counter[str] = Counter()
    where, different = different_cells(texts)
    cells = np.bincount(where, counts).astype(np.intp).tolist()
    for place, (text, n) in enumerate(zip(different, cells, strict=True)):
        if match := _MEASURE.fullmatch(text):
            before, different[place], after = match.groups()
            units[f"{before} {after}" if before and after else before or after or ""] += n
    return different[where], units


def _in_convention(
    numerals: NDArray[Any], convention: Convention, is_plain: BoolArray | None = None
) -> FloatArray:
    where, different = different_cells(numerals)
    if convention not in ("comma", "point"):
        return _finite_or_nan(_compact(different))[where]
    values = as_numbers(different, convention)[where]
    if is_plain is not None and is_plain.any():
        values[is_plain] = _finite_or_nan(numerals[is_plain])
    return values


def _with_unread(values: NDArray[Any], texts: NDArray[Any], note: str = "") -> Reread:
    rows = np.flatnonzero(pd.isna(values))
    return Reread(values, tuple(dict.fromkeys(texts[rows])), rows, note)


def _refuse_kind(column: Column, example: str) -> None:
    had, remedy = _KINDS[column.kind], "use the same notation, and leave missing cells empty"
    fault = f"had {had} in the training table, but has {quoted(example)} here"
    raise DataError(f"column {column.name!r} {fault}; {remedy}")


def _refuse_unit(column: Column, unit: str) -> None:
    had = f"numbers in {column.unit}" if column.unit else "numbers without a unit"
    remedy = "convert them, or remove the unit if the scale is the same"
    fault = f"has numbers in {unit}, but had {had} in the training table"
    raise DataError(f"column {column.name!r} {fault}; {remedy}")


def _without_unit_note(column: Column) -> str:
    return f"column {column.name!r} has numbers without a unit, read as {column.unit}"


class _Cells(NamedTuple):
    """Cells of a column. Each distinct text is stored and processed only once."""

    where: IntpArray  # position of each cell's text in ``different``, or -1 if the cell is missing
    different: NDArray[Any]

    def stripped(self, missing: Collection[str]) -> _Cells:
        places: dict[str, int] = {}
        found = [
            -1 if text is None or (bare := text.strip()).casefold() in missing
            else places.setdefault(bare, len(places))
            for text in self.different
        ]  # fmt: skip
        return _Cells(np.array(found, dtype=np.intp)[self.where], np.array(list(places), dtype=object))

    def texts(self) -> NDArray[Any]:
        return np.array([*self.different, None], dtype=object)[self.where]


def _category(name: str, cells: _Cells, code: str = "") -> Column:
    known = cells.stripped(_MISSING)
    remark = blanks_note(cells.different) or alike_note(sorted(known.different))
    return Column(name, "category", known.texts(), code=code, remark=remark)


def _read_texts(name: str, cells: _Cells) -> Column:
    where, different = known = cells.stripped(_NO_NUMBER)
    if not len(different):
        return _category(name, cells)
    if {text.casefold() for text in different} <= {"true", "false"}:
        truth = np.array([text.casefold() == "true" for text in different], dtype=np.float64)
        return Column(name, "truth", _spread(truth, where))
    counts = np.bincount(where + 1, minlength=len(different) + 1)[1:]
    numerals, unit, remark, units = different, "", "", ""
    convention, values, is_grouped = read_numbers(numerals, counts)
    if convention == "none":
        numerals = _signed(different)
        bare, each = _split_units(numerals, counts)
        unit, remark, units = _common_unit(each, int(counts.sum()))
        numerals = bare if unit else numerals
        convention, values, is_grouped = read_numbers(numerals, counts)
        if units and convention == "none" and read_numbers(bare, counts)[0] != "none":
            return replace(_category(name, cells), units=units)
    if convention != "none":
        known_numbers = files.finite(_in_python(numerals, convention), values)
        if code := files.code_reason(known_numbers):
            return _category(name, cells, code)
        # Ambiguous numbers remain text until ``settled`` interprets them in the notation of other columns.
        is_open = convention == "ambiguous" or is_grouped
        return Column(
            name,
            "number",
            _Cells(where, numerals).texts() if is_open else _spread(values, where),
            strays=tuple(different[np.isnan(values)]),
            convention=convention,
            grouped=is_grouped,
            unit=unit,
            remark="; ".join(filter(None, (remark, files.rounding_note(known_numbers)))),
        )
    if (hours := read_times(different)) is not None:
        values = _spread(hours, where)
        return Column(name, "number", values, convention="plain", unit="hours", forms=("time",))
    dates = read_dates(different)
    if isinstance(dates, str):
        return Column(name, "date", known.texts()).out(dates)
    if dates is not None:
        return Column(name, "date", _spread(dates[0], where), forms=dates[1])
    if (fractions := read_fractions(different)) is not None:
        remark = f"fractions read as numbers ({different[0]!r})"
        values = _spread(fractions, where)
        return Column(name, "number", values, convention="plain", remark=remark, forms=("fraction",))
    return _category(name, cells)


def _common_unit(counts: Counter[str], n: int) -> tuple[str, str, str]:
    """Return the common unit, a note on cells without a unit, and a note on mixed units.

    Each of them may be "". ``counts`` contains the number of cells with each unit.
    """
    units, n_bare = [unit for unit in counts if unit], counts[""]
    if len(units) == 1 and n_bare <= _MOST_BARE * counts.total():
        verbs = "has no unit and is" if n_bare == 1 else "have no unit and are"
        return units[0], f"{n_bare} of {n} cells {verbs} read as {units[0]}" if n_bare else "", ""
    if not 2 <= len(counts) <= _MOST_UNITS or counts.total() < n or max(counts.values()) < n / 2:
        return "", "", ""
    *first, last = (f"{unit or 'none'} ({count})" for unit, count in counts.most_common())
    return "", "", f"its cells have different units, {', '.join(first)} and {last}; convert them to one unit"


def _compact(texts: Iterable[str]) -> list[str]:
    """Remove the spaces and apostrophes that separate thousands."""
    listed = list(texts)
    return [_SPACED.sub("", text) for text in listed] if _SPACED.search("\n".join(listed)) else listed


def _in_python(texts: Iterable[str], convention: Convention) -> list[str]:
    compact = _compact(texts)
    if convention == "plain":
        return compact
    thousands, decimal = (",", ".") if convention == "point" else (".", ",")
    return [text.replace(thousands, "").replace(decimal, ".") for text in compact]


def _spread(values: NDArray[Any], where: IntpArray) -> NDArray[Any]:
    """Return the value at each position in ``where``. Position -1 yields a missing value."""
    missing = np.array(np.nan if values.dtype.kind == "f" else "NaT", dtype=values.dtype)
    return np.append(values, missing)[where]


def _texts(cells: Sequence[Any], missing: set[str]) -> NDArray[Any]:
    return _Cells(*different_cells(_written(cells))).stripped(missing).texts()


def _written(cells: Sequence[Any]) -> NDArray[Any]:
    texts = np.empty(len(cells), dtype=object)
    if set(map(type, cells)) <= {str}:
        texts[:] = cells
    else:
        texts[:] = [cell if type(cell) is str else written(cell) for cell in cells]
    return texts


def different_cells(cells: Sequence[Any] | NDArray[Any]) -> tuple[IntpArray, NDArray[Any]]:
    """Return each cell's position among the distinct cells, and the distinct cells in order of appearance."""
    if len(cells) > _SHORT and isinstance(cells, np.ndarray):
        where, distinct = pd.factorize(cells)
        if where.min() >= 0:  # no cell is missing
            return where, distinct
    found = list(dict.fromkeys(cells))
    places = dict(zip(found, range(len(found)), strict=True))
    return np.array([places[cell] for cell in cells], dtype=np.intp), np.array(found, dtype=object)


def blanks_note(texts: Iterable[str]) -> str:
    """Return a note on distinct texts that are equal after stripping whitespace, or ""."""
    met: dict[str, str] = {}
    for text in texts:
        other = met.setdefault(text.strip(), text)
        if other != text:
            return f"{other!r} and {text!r} differ only in whitespace and are treated as equal"
    return ""


def alike_note(names: Iterable[str]) -> str:
    """Return a note on two names that may mean the same, such as y and Yes; "" if there are none."""
    met: dict[float | str, str] = {}
    for name in names:
        number = files.as_number(text := unicodedata.normalize("NFKC", name))
        answer = _ANSWERS.get(text.casefold(), text.casefold())
        # Distinct integers above 2^53 can be equal as float64.
        keys: list[float | str] = [answer, number] if abs(number) < 2.0**53 else [answer]
        for key in keys:
            other = met.setdefault(key, name)
            if other == name:
                continue
            how = "; use one spelling if they mean the same"
            if not np.isnan(number) or unicodedata.normalize("NFKC", other) == text:
                same = "differ only in Unicode form" if np.isnan(number) else "are the same number"
                how = f", although they {same}"
            return f"{other!r} and {name!r} are treated as different values{how}"
    return ""


def read_numbers(texts: NDArray[Any], counts: IntpArray | None = None) -> tuple[Convention, FloatArray, bool]:
    """Parse n non-empty texts, which occur ``counts`` times, as numbers. Takes O(n) time and memory.

    Return the notation, the numbers (NaN for other texts), and whether points may separate thousands, as in
    1.234. If the notation is ambiguous, commas are read as decimal commas.
    """
    # Object arrays are used, because string arrays reserve the length of the longest text for every cell.
    where, different = different_cells(texts)
    exact = files.exact_numbers(different)
    if not np.isnan(exact).any():
        return _plain(different, exact[where])
    compact = _compact(different)
    plain = exact if compact == different.tolist() else files.exact_numbers(compact)
    known = {"plain": ~np.isnan(plain)}
    for name, pattern in (("comma", _COMMA), ("point", _POINT)):
        known[name] = np.array([pattern.fullmatch(text) is not None for text in compact])
    cells = np.bincount(where, counts)
    shares = {name: cells[is_known].sum() / cells.sum() for name, is_known in known.items()}
    best = max(shares, key=lambda name: shares[name])  # ties are resolved in favour of "plain"
    if shares[best] < _SHARE or (shares[best] < 1 and len(different) <= _DIFFERENT):
        return "none", np.full(len(texts), np.nan), False
    if best == "plain":
        return _plain(compact, plain[where])
    convention: Convention = "comma" if best == "comma" else "point"
    # The commas in 1,234 are ambiguous unless numbers such as 0,123 or 1500 exclude thousands separators.
    if shares["comma"] == shares["point"] and not any(map(_DECIMAL.fullmatch, compact)):
        convention = "ambiguous"
    return convention, as_numbers(compact, "point" if convention == "point" else "comma")[where], False


def _plain(texts: Iterable[str], values: FloatArray) -> tuple[Convention, FloatArray, bool]:
    """Return the result of :func:`read_numbers` for Python notation. Infinite values become NaN."""
    pointed = [text for text in texts if "." in text]
    values[np.isinf(values)] = np.nan
    return "plain", values, bool(pointed) and all(map(_GROUPED.fullmatch, pointed))


def _finite_or_nan(texts: Iterable[str]) -> FloatArray:
    values = files.exact_numbers(texts)
    values[np.isinf(values)] = np.nan
    return values


def as_numbers(texts: Iterable[str], convention: Literal["comma", "point"]) -> FloatArray:
    """Parse numbers with decimal commas, or commas as thousands separators; other texts become NaN."""
    pattern = _COMMA if convention == "comma" else _POINT
    compact = [text if pattern.fullmatch(text) else "" for text in _compact(texts)]
    return _finite_or_nan(_in_python(compact, convention))


def read_dates(
    texts: NDArray[Any], forms: Sequence[str] = _FORMATS
) -> tuple[NDArray[np.datetime64], tuple[str, ...]] | str | None:
    """Parse non-empty texts as dates, and return the dates and all formats that fit the texts.

    Return None if any text is not a date, and a message if days and months cannot be distinguished.
    """
    if not len(texts) or not _MAYBE_DATE.match(str(texts[0])):
        return None
    column = pd.Series([_first_day(text) for text in texts], dtype=object)
    possible = [form for form in forms if _dates_in(column[:1], form) is not None]
    read = {form: _dates_in(column, form) for form in possible}
    found = {form: dates for form, dates in read.items() if dates is not None}
    if not found:
        return None
    first, *others = found.values()
    if any((other != first).any() for other in others):
        return f"days and months cannot be distinguished ({texts[0]!r})"
    return first, tuple(found)


def _dates_in(column: pd.Series[Any], form: str) -> NDArray[np.datetime64] | None:
    dates = pd.to_datetime(column, format=form, errors="coerce", utc=True)
    if dates.notna().all():
        return _moments(dates)
    if form == "ISO8601" and all(map(_DAY.fullmatch, column)):
        # NumPy also parses dates outside the range of pandas before version 3.
        with suppress(ValueError):
            return column.to_numpy(dtype="datetime64[us]")
    return None


def packed_days(numbers: NDArray[Any], n_different: int = 3) -> NDArray[np.datetime64] | None:
    """Convert numbers such as 20240131 to days. Return None unless all are days from 1900 to 2099."""
    low, high = np.fmin.reduce(numbers, initial=np.inf), np.fmax.reduce(numbers, initial=-np.inf)
    if not 19000101 <= low <= high <= 20991231:
        return None
    known = ~np.isnan(numbers)
    different = pd.unique(numbers[known])
    if len(different) < n_different or (different % 1).any():
        return None
    where = np.where(known, np.cumsum(known) - 1, -1)
    days = _dates_in(pd.Series([f"{number:.0f}" for number in numbers[known]], dtype=object), "%Y%m%d")
    return None if days is None else _spread(days, where)


def _moments(column: pd.Series[Any]) -> NDArray[np.datetime64]:
    """Convert dates to UTC. If no date changes, reduce their resolution to microseconds."""
    dates = pd.Series(pd.to_datetime(column, utc=True)).dt.tz_localize(None).to_numpy()
    coarse = dates.astype("datetime64[us]")
    return coarse if (coarse == dates)[~np.isnat(dates)].all() else dates


def _first_day(text: str) -> str:
    if found := _QUARTER.fullmatch(text):
        return f"{found[1]}-{3 * int(found[2]) - 2:02d}-01"
    if found := _ISO_WEEK.fullmatch(text):
        with suppress(ValueError):  # the year may have no week 53
            return date.fromisocalendar(int(found[1]), int(found[2]), int(found[3] or 1)).isoformat()
    found = _WEEK.fullmatch(text)
    return found[1] if found else text


def read_times(texts: NDArray[Any]) -> FloatArray | None:
    """Convert times of day and durations to hours. If any text is neither, return None."""
    # Examples are 9:30, 21:15:08, 9:30 pm, P1DT2H, "1 days 02:00:00" (pandas) and "1 day, 2:00:00" (Python).
    hours = np.full(len(texts), np.nan)
    for row, text in enumerate(texts):
        if match := _TIME.fullmatch(str(text)):
            hour, half = int(match["hour"]), match["half"]
            if half and not 1 <= hour <= 12:
                return None
            hour = hour % 12 + 12 * (half.casefold() == "p") if half else hour
            hours[row] = hour + int(match["minute"]) / 60 + files.as_number(match["second"] or "0") / 3600
        elif _DURATION.fullmatch(str(text)):
            try:
                hours[row] = pd.Timedelta(str(text)) / pd.Timedelta(hours=1)
            except (ValueError, OverflowError):
                return None
        else:
            return None
    return hours


def read_fractions(texts: NDArray[Any]) -> FloatArray | None:
    """Parse integers, and fractions in lowest terms, as printed by Python. Return None for other texts."""
    # A fraction that is not in lowest terms, such as 4/8, may be a date, a grade or a blood pressure.
    numbers = np.full(len(texts), np.nan)
    for row, text in enumerate(texts):
        try:
            fraction = Fraction(text) if _FRACTION.fullmatch(text) else None
            if fraction is None or str(fraction) != text:
                return None
            numbers[row] = float(fraction)
        except (ZeroDivisionError, OverflowError):
            return None
    return numbers if len(np.unique(numbers)) == len(set(texts)) else None


def _signed(texts: NDArray[Any]) -> NDArray[Any]:
    """Rewrite numbers such as (1,234), -$5 and 1.50- with a sign before the digits, and digits in ASCII."""
    where, different = different_cells(texts)
    if _OTHER_SIGN.search("\n".join(different)):
        # Mixtures of ASCII digits and other digits are left unchanged, because they are probably mistakes.
        is_other = not any("0" <= mark <= "9" for text in different for mark in text)
        for place, text in enumerate(different):
            if is_other or "\u2212" in text:
                text = text.translate(_MARKS_OF_SCRIPTS)
            if is_other:
                text = "".join(str(unicodedata.decimal(mark, mark)) for mark in text)
            negative = _BRACKETED.fullmatch(text) or _AFTER.fullmatch(text)
            plain = f"-{negative[1]}" if negative else text
            different[place] = _BEFORE_SIGN.sub(r"\2\1", plain, count=1)
    return different[where]


class UnseenCells(NamedTuple):
    """Cells in a column of new rows that differ from those seen in ``fit``.

    Attributes
    ----------
    column : str
    kind : {"unreadable", "new category", "beyond range"}
        Unreadable cells and new categories are treated as missing.
    n_rows : int
    values : tuple of str
        Distinct unreadable cells or new categories, or the value farthest outside the range seen in ``fit``.
    rows : tuple of int
        Row indices.
    """

    column: str
    kind: str
    n_rows: int
    values: tuple[str, ...]
    rows: tuple[int, ...] = ()

    @classmethod
    def of(cls, column: str, kind: str, values: Sequence[str], rows: IntpArray) -> UnseenCells:
        """Create an instance from distinct values and an array of row indices."""
        return cls(column, kind, len(rows), tuple(values), tuple(rows.tolist()))


def judge(column: Column) -> Column:
    """Return the column, marked as dropped with a reason if it is useless for clustering."""
    if column.kind == "out":
        return column
    is_known = pd.notna(column.values)
    known = column.values if is_known.all() else column.values[is_known]
    if not len(known):
        return column.out("empty")
    if (known == known[0]).all():
        is_whole = len(known) == len(column.values)
        return column.out("constant" if is_whole else "constant except for empty cells")
    if len(known) < (1 - _MOST_MISSING) * len(column.values):
        n_missing = len(column.values) - len(known)
        return column.out(f"{n_missing} of {len(column.values)}{_MISSING_CELLS}")
    if column.kind == "number":
        return column.out("row numbers") if _numbers_rows(column.name, known) else column
    judged = _judge_category(column, known) if column.kind == "category" else column
    return column.out(column.units) if judged.kind == "out" and column.units else judged


def _numbers_rows(name: str, known: FloatArray) -> bool:
    if (known != known.round()).any() or len(pd.unique(known)) < len(known):
        return False
    # Halve the numbers first, because their difference could overflow.
    run = known.max() / 2 - known.min() / 2 == (len(known) - 1) / 2
    return bool(_ID.fullmatch(name) or name.casefold() in {"id", "nr", "no"} or (run and len(known) > FEW))


def _judge_category(column: Column, known: NDArray[Any]) -> Column:
    where, different = different_cells(known)
    n, n_different = len(known), len(different)
    words = float(np.mean(np.array([len(text.split()) for text in different])[where]))
    ways = "read_documents", f"--text-columns {shlex.quote(column.name)}"
    advice = [f"; use {way} to cluster by words" if words > _FREE_TEXT else "" for way in ways]
    if column.code:
        advice = [f"; its cells are codes, because {column.code}"] * 2
    if n_different == n and n > 2:
        return column.out(Advice(f"a different value in every row{_mixed(different)}", *advice))
    # Codes are always categories, so the limit of n // 10 distinct values does not apply to them.
    many = _MOST if column.code else max(FEW, n // 10)
    if n_different > min(_MOST, many, max(2, n // 2)):
        what = "free text" if words > _FREE_TEXT else "too many categories"
        counts = f"({n_different} distinct values in {n} rows)"
        return column.out(Advice(f"{what} {counts}{_mixed(different)}", *advice))
    return column


def _mixed(different: NDArray[Any]) -> str:
    """Return a note if most texts are numbers or dates, or if dates have different formats, otherwise ""."""
    texts = [np.array([text], dtype=object) for text in different[:_MOST]]
    are = {
        "numbers": [read_numbers(_signed(text))[0] != "none" for text in texts],
        "dates": [read_dates(text) is not None for text in texts],
    }
    for kind, found in are.items():
        if not all(found) and sum(found) >= len(found) / 2:
            n = f"the first {len(found)}" if len(found) < len(different) else len(found)
            example = different[found.index(False)]
            return f": {sum(found)} of {n} distinct values are {kind}, but {example!r} is not"
    if all(are["dates"]):
        for other in different[:_MOST]:
            if read_dates(np.array([different[0], other], dtype=object)) is None:
                return f": dates in different formats, such as {different[0]!r} and {other!r}"
    return ""


def left_out_notes(columns: Sequence[Column], labels: Sequence[Any] | None) -> list[Advice]:
    """Return notes on dropped columns, one note per reason."""
    by_reason: dict[str, list[int]] = {}
    for place, column in enumerate(columns):
        if column.kind == "out":
            key = _MISSING_CELLS if column.reason.endswith(_MISSING_CELLS) else column.reason
            by_reason.setdefault(key, []).append(place)
    notes = []
    for key, (place, *others) in by_reason.items():
        names = [columns[at].name for at in (place, *others)]
        reason = columns[place].reason
        if key == _MISSING_CELLS and others:
            reason = "more than half of the" + _MISSING_CELLS
        said = [reason, for_command(reason)]
        if reason in ("row numbers", "a different value in every row"):
            cells = f"[:, {place}]" if labels is None else f"[{labels[place]!r}]"
            ways = f"sample_names=X{cells}", f"--id-column {shlex.quote(names[0])}"
            said = [f"{reason} ({way} uses it as row names)" for way in ways]
        notes.append(Advice(f"{column_list(names)} dropped: ", *said))
    return notes


def reading_notes(columns: Sequence[Column], n_indicators: int) -> list[str]:
    """Return notes on categories, dates, and numbers in unusual notation."""
    notes = []
    if names := [column.name for column in columns if column.kind == "category"]:
        count = f"{n_indicators} indicator feature{'' if n_indicators == 1 else 's'}"
        notes.append(f"text in {column_list(names)} converted to {count}")
    if names := [column.name for column in columns if column.kind == "date"]:
        text = f"dates in {column_list(names)} converted to days ("
        notes.append(Advice(text, "drop a column to exclude it)", "--drop excludes a column)"))
    for convention, text in (("comma", "decimal commas"), ("point", _THOUSANDS)):
        if names := [column.name for column in columns if column.convention == convention]:
            notes.append(f"{column_list(names)} read as numbers with {text}")
    units: dict[str, list[str]] = {}
    for column in columns:
        name = f"column {column.name!r}"
        if column.unit:
            units.setdefault(column.unit, []).append(column.name)
        if column.strays:
            strays, verb = listed([*map(repr, column.strays)]), "is" if len(column.strays) == 1 else "are"
            notes.append(f"{name} contains numbers except for {strays}, which {verb} treated as missing")
        if column.code:
            notes.append(f"{name} contains codes, which are used as categories: {column.code}")
        if column.remark:
            notes.append(f"{name}: {column.remark}")
        if column.grouped and column.convention == "plain":
            notes.append(f"{name} read as numbers with decimal points, not thousands separators")
    notes += [f"{column_list(names)} read as numbers in {unit}" for unit, names in units.items()]
    plain = [column for column in columns if column.kind == "number" and not (column.unit or column.forms)]
    coded = [column for column in plain if _CODES.search(column.name)]
    if names := [column.name for column in coded if not np.nansum(column.values % 1)]:
        text = f"{column_list(names)} read as numbers; if they are codes, "
        notes.append(Advice(text, "drop them or pass them as strings", "exclude them with --drop"))
    return notes


def totals_note(columns: Sequence[Column]) -> str:
    numbers = [column for column in columns if column.kind == "number" and not np.isnan(column.values[-1])]
    sums = []
    for column in numbers:
        cells = column.values[~np.isnan(column.values)] / len(column.values)  # divided to prevent overflow
        others, last = cells[:-1], cells[-1]
        if len(others) >= _LEAST_SUMMED and abs(last) > np.abs(others).max():
            sums += [column.name] if abs(last - others.sum()) <= 1e-6 * np.abs(others).sum() else []
    if not sums or len(sums) < len(numbers) / 2:
        return ""
    return f"the last row is the sum of the other rows in {column_list(sums)}; remove it if it holds totals"


def column_list(names: Sequence[str]) -> str:
    return f"column {names[0]!r}" if len(names) == 1 else f"{len(names)} columns ({listed(names)})"


def listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
