"""Cells of tables: numbers, dates, times, fractions and categories, parsed from text in any notation.

``read_column`` infers how a column is written. ``read_again`` parses further rows of this column in the same
notation, so that a fitted preparation reads new tables as it read the first one.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from moo_clustering._messages import quoted
from moo_clustering.datasets import files
from moo_clustering.datasets.files import written

Kind = Literal["number", "truth", "date", "category", "out"]
# Words for missing values; ``_WORDS`` count as missing only in columns of numbers or dates.
_MISSING = {"", "na", "n/a", "nan", "null", "?", "#n/a", "<na>"}
_WORDS = {"none", "-", "--", ".", "missing", "unknown", "k.a.", "keine angabe"}
_NO_NUMBER = _MISSING | _WORDS
Convention = Literal["plain", "comma", "point", "ambiguous", "none"]
_COMMA = re.compile(r"[+-]?(\d{1,3}(\.\d{3})+|\d+)(,\d+)?", re.ASCII)
_POINT = re.compile(r"[+-]?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?", re.ASCII)
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3})+", re.ASCII)
_SPACED = re.compile(r"(?<=\d)[ '\u00a0\u202f](?=\d{3}(\D|$))", re.ASCII)
# A column of many different numbers may contain a few other cells.
_SHARE, _DIFFERENT = 0.9, 10
# Largest share of numbers that may lack the unit of the others; largest number of units in a message.
_MOST_BARE, _MOST_UNITS = 0.05, 3
_FORMATS = (
    "ISO8601", "%Y/%m/%d", "%d.%m.%Y", "%d.%m.%y", "%d.%m.%Y %H:%M", "%d.%m.%Y %H:%M:%S",
    "%d/%m/%Y", "%m/%d/%Y", "%d/%m/%Y %H:%M", "%m/%d/%Y %H:%M", "%d-%m-%Y", "%m-%d-%Y",
)  # fmt: skip
_SHORT = 1_000  # largest number of cells of a short column
# A currency before the number, or a short unit after it. A prefix of letters would match names.
_MEASURE = re.compile(
    r"(?P<before>[$€£¥]|EUR|USD|GBP|CHF)?\s*"
    r"(?P<number>[+-]?[\d.,]*\d(?:[ '\u00a0\u202f]\d{3})*(?:[.,]\d+)?(?:[eE][+-]?\d+)?)"
    r"\s*(?P<after>[^\d\s.,+'-]{1,6})?"
)
_MONEY = {"$", "€", "£", "¥", "EUR", "USD", "GBP", "CHF"}
_TIME = re.compile(
    r"(?P<hour>\d{1,3}):(?P<minute>[0-5]\d)(:(?P<second>[0-5]\d(\.\d+)?))?(\s*(?P<half>[ap])\.?m\.?)?",
    re.ASCII | re.IGNORECASE,
)
# Durations in the notation of Python, pandas and ISO 8601, which begin with days or P.
_DURATION = re.compile(r"-?(\d+ days?,? [-+]?\d+:\d\d:\d\d(\.\d+)?|P(?=T?\d)[\dDTHMS.]+)", re.ASCII)
# Quarters and weeks in the notation of pandas, converted to their first day.
_QUARTER = re.compile(r"(\d{4})Q([1-4])", re.ASCII)
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_WEEK = re.compile(r"(\d{4}-\d\d-\d\d)/\d{4}-\d\d-\d\d", re.ASCII)
_FRACTION = re.compile(r"[+-]?\d{1,300}(/\d{1,300})?", re.ASCII)
_BRACKETED = re.compile(r"\(\s*([^()-]+?)\s*\)")
_BEFORE_SIGN = re.compile(r"^([+-])\s*([$€£¥]|EUR|USD|GBP|CHF)\s*")


@dataclass(frozen=True, eq=False)
class Column:
    """A column and its interpretation.

    Attributes
    ----------
    name : str
    kind : {"number", "truth", "date", "category", "out"}
    values : ndarray of shape (n_samples,)
        Numbers (float64), dates (datetime64) or texts (objects), with missing values. Arrays, because a
        Series per column would dominate the time of wide tables.
    reason : str
        Reason to drop the column.
    strays : tuple of str
        Texts among numbers, which are treated as missing.
    convention : str
        Notation of the numbers.
    grouped : bool
        See :class:`~moo_clustering.datasets.cells.Numbers`.
    unit : str
        Unit of the numbers.
    code : str
        Reason to treat the numerals as codes, hence categories.
    remark : str
        Further note about the interpretation.
    units : str
        Reason to drop the column if its numbers have different units and are too many for categories.
    forms : tuple of str
        All formats that fit the dates, in the notation of ``strptime``; ``("time",)`` for times and
        durations, and ``("fraction",)`` for fractions.
    """

    name: str
    kind: Kind
    values: NDArray[Any]
    reason: str = ""
    strays: tuple[str, ...] = ()
    convention: Convention = "none"
    grouped: bool = False
    unit: str = ""
    code: str = ""
    remark: str = ""
    units: str = ""
    forms: tuple[str, ...] = ()

    def out(self, reason: str) -> Column:
        """Return the column marked as dropped."""
        return replace(self, kind="out", reason=reason)


def read_column(name: str, column: pd.Series[Any]) -> Column:
    """Interpret a column by its dtype if numeric or date, otherwise by the text of its cells."""
    dtype = column.dtype
    if pd.api.types.is_complex_dtype(dtype):
        return Column(name, "category", column.to_numpy()).out("complex numbers")
    if _is_dates(dtype):
        return Column(name, "date", _moments(column))
    if _is_durations(dtype):
        hours = np.asarray(column.to_numpy() / np.timedelta64(1, "h"), dtype=np.float64)
        return Column(name, "number", hours, convention="plain", unit="hours", forms=("time",))
    if _is_numbers(column):
        numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
        infinite = np.isinf(numbers)
        strays = tuple(str(value) for value in np.unique(numbers[infinite]))
        kind: Kind = "truth" if pd.api.types.is_bool_dtype(dtype) else "number"
        return Column(name, kind, np.where(infinite, np.nan, numbers), strays=strays, convention="plain")
    cells = files.cells_of(column)
    if isinstance(dtype, pd.CategoricalDtype):
        return _category(name, cells)
    if not files.are_cells(cells):
        return Column(name, "category", np.empty(0)).out("cells that are neither numbers nor text")
    read = _read_texts(name, cells)
    if read.kind == "category":
        return read
    words = {text: None for cell in cells if (text := written(cell).strip()).casefold() in _WORDS}
    return replace(read, strays=(*read.strays, *words))


def settled(column: Column, written: set[Convention]) -> Column:
    """Interpret ambiguous numbers by the notation of the other columns."""
    if column.kind != "number" or not (column.convention == "ambiguous" or column.grouped):
        return column
    decimal = "comma" in written and "point" not in written
    is_money = column.unit in _MONEY  # amounts do not have three decimals
    if column.convention == "ambiguous":
        known = column.values[pd.notna(column.values)]
        # Three decimals in some cells and none in others are unlikely.
        decimal = decimal and not is_money and all("," in text for text in known)
        if not decimal and not is_money and not ("point" in written and "comma" not in written):
            example = next(text for text in known if "," in text)
            return column.out(f"its commas may be decimal commas or separate thousands ({example!r})")
        way: Literal["comma", "point"] = "comma" if decimal else "point"
        return replace(column, values=as_numbers(column.values, way), convention=way)
    known = pd.notna(column.values)
    texts = column.values[known]
    if decimal or is_money:
        return replace(column, values=as_numbers(column.values, "comma"), convention="comma")
    # If all have three decimals, both interpretations differ only by a factor.
    mixed = not all("." in text for text in texts)
    return replace(column, values=_spread(read_numbers(texts).values, known), grouped=mixed)


def _is_dates(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype | pd.DatetimeTZDtype) and dtype.kind == "M"


def _is_durations(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind == "m"


def _is_numbers(column: pd.Series[Any]) -> bool:
    return files.is_plain(column) and files.indistinct_values(column) is None


class Reread(NamedTuple):
    """Further rows of a column."""

    # As :attr:`Column.values`; missing where a cell could not be read.
    values: NDArray[Any]
    unread: tuple[str, ...] = ()  # different texts that could not be read, in order of appearance
    n_unread: int = 0
    note: str = ""  # how the notation differs from that of the fit
    convention: Convention = "none"  # of texts that contain numbers


def read_again(column: Column, further: pd.Series[Any]) -> Reread:
    """Parse further rows of a column in the notation of its first rows.

    The notation is inferred anew if it does not fit, and ``note`` says so. Up to a tenth of the cells may be
    unreadable and count as missing. Raises a DataError if more cells are unreadable, the unit is another one,
    or numbers or dates are ambiguous.
    """
    if column.kind != "category" and _is_typed(further) and not further.isna().all():
        return _typed_again(column, further)
    cells = files.cells_of(further)
    if not files.are_cells(cells):
        raise files.DataError(f"column {column.name!r} has cells that are neither numbers nor text")
    if column.kind == "category":
        return Reread(_texts(cells, _MISSING))
    empty: NDArray[Any] = np.full(len(cells), np.nan)
    if column.kind == "date":
        empty = np.full(len(cells), "NaT", "datetime64[us]")
    texts = _texts(cells, _NO_NUMBER)
    known = pd.notna(texts) & ~np.isin(texts, np.array(column.strays, dtype=object))
    if not known.any():
        return Reread(empty)
    if column.kind == "date":
        found = _dates_again(column, texts[known])
    elif column.kind == "truth":
        found = _truth_again(column, texts[known])
    else:
        is_plain = np.zeros(len(cells), dtype=bool)
        if not _are_texts(cells):
            is_plain = np.array([not isinstance(cell, str) for cell in cells])
        found = _numbers_again(column, texts[known], is_plain[known])
    _require_readable(column, found, int(known.sum()))
    return found._replace(values=_spread(found.values, known))


def require_one_notation(columns: Sequence[Column], frame: pd.DataFrame, found: Sequence[Reread]) -> None:
    """Raise a DataError if numbers may be in the notation of the fit, or in the new one of other columns."""
    changed = [
        (column.name, read.convention)
        for column, read in zip(columns, found, strict=True)
        if read.convention not in ("none", column.convention)
    ]
    if not changed:
        return
    name, convention = changed[0]
    for column, read in zip(columns, found, strict=True):
        if read.convention != column.convention or column.forms or column.kind != "number":
            continue
        texts = _bare(_texts(files.cells_of(frame[column.name]), _NO_NUMBER))
        known = np.flatnonzero(~np.isnan(read.values))
        other = _in_convention(texts[known], convention)
        differs = np.flatnonzero(other != read.values[known])
        if not np.isnan(other).any() and len(differs):
            example = texts[known[differs[0]]]
            raise files.DataError(
                f"column {column.name!r} can be read in two ways ({example!r}), because column {name!r} has "
                f"{_CONVENTIONS[convention]}, unlike the table of the fit"
            )


_CONVENTIONS = {"plain": "decimal points", "comma": "decimal commas", "point": "commas between thousands"}
_KINDS = {"number": "numbers", "truth": "true and false", "date": "dates"}


def _is_typed(column: pd.Series[Any]) -> bool:
    return _is_dates(column.dtype) or _is_durations(column.dtype) or _is_numbers(column)


def _typed_again(column: Column, further: pd.Series[Any]) -> Reread:
    """Parse rows whose dtype determines their kind."""
    read = read_column(column.name, further)
    is_date, note = read.kind == "date", ""
    numbers = read.values
    if is_date is not (column.kind == "date") or numbers.dtype.kind not in "fM":
        _refuse_kind(column, written(further.dropna().iloc[0]))
    if column.kind == "truth" and not np.isin(numbers[~np.isnan(numbers)], (0.0, 1.0)).all():
        _refuse_kind(column, f"{numbers[~np.isnan(numbers) & (numbers != 0) & (numbers != 1)][0]:g}")
    if column.unit != read.unit:
        if read.unit:
            _refuse_unit(column, read.unit)
        note = _without_unit_note(column)
    elif column.convention == "comma" and (numbers[~np.isnan(numbers)] % 1).any():
        note = f"column {column.name!r} has decimal points, but had decimal commas in the table of the fit"
    return Reread(numbers, read.strays, int(np.isnan(numbers).sum() - further.isna().sum()), note)


def _numbers_again(column: Column, texts: NDArray[Any], is_plain: NDArray[np.bool_]) -> Reread:
    """Parse numbers; cells with ``is_plain`` have a numeric type, so no notation applies to them."""
    if column.forms:
        return _of_form_again(column, texts)
    convention, note = column.convention, ""
    numerals, units = texts, Counter({"": len(texts)})
    values = _in_convention(texts, convention, is_plain)
    if column.unit or np.isnan(values).any():
        numerals, units = _split_units(_by_text(_signed, texts))
        values = _in_convention(numerals, convention, is_plain)
    for unit in units:
        if unit and unit != column.unit:
            _refuse_unit(column, unit)
    if column.unit and "" in units:
        note = _without_unit_note(column)
    if np.isnan(values).any():
        anew = read_numbers(numerals)
        if anew.convention == "ambiguous":
            example = next(text for text in texts if "," in text)
            raise files.DataError(
                f"column {column.name!r} has commas that may be decimal commas or separate thousands "
                f"({example!r}), but had {_CONVENTIONS[convention]} in the table of the fit"
            )
        if anew.convention not in ("none", convention):
            convention, values = anew.convention, _in_convention(numerals, anew.convention, is_plain)
            note = (
                f"column {column.name!r} has {_CONVENTIONS[convention]}, but had "
                f"{_CONVENTIONS[column.convention]} in the table of the fit"
            )
    return _with_unread(values, texts, note)._replace(convention=convention)


def _of_form_again(column: Column, texts: NDArray[Any]) -> Reread:
    """Parse times or fractions, or numbers of hours and decimal numbers instead."""
    values = _each(read_times if column.forms == ("time",) else read_fractions, texts)
    unread = np.isnan(values)
    if not unread.any():
        return Reread(values)
    values[unread] = _in_convention(texts[unread], "plain")
    note = _without_unit_note(column) if column.unit and not np.isnan(values[unread]).all() else ""
    return _with_unread(values, texts, note)


def _truth_again(column: Column, texts: NDArray[Any]) -> Reread:
    values = np.array([_TRUTHS.get(text.casefold(), np.nan) for text in texts])
    return _with_unread(values, texts)


_TRUTHS = {"true": 1.0, "false": 0.0, "1": 1.0, "0": 0.0, "1.0": 1.0, "0.0": 0.0}


def _dates_again(column: Column, texts: NDArray[Any]) -> Reread:
    where, different = different_cells(texts)
    found, note = _dated(different, column.forms) if column.forms else None, ""
    if found is None:
        found = _dated(different)
        if column.forms and isinstance(found, _Dates):
            note = f"column {column.name!r} has dates in another format than in the table of the fit"
    if isinstance(found, str):
        raise files.DataError(f"column {column.name!r}: {found}")
    if found is None:
        dates = [_dated(np.array([text], dtype=object), column.forms or _FORMATS) for text in different]
        values = [d.values[0] if isinstance(d, _Dates) else np.datetime64("NaT", "us") for d in dates]
        return _with_unread(np.array(values, dtype="datetime64[us]")[where], texts)
    return Reread(found.values[where], note=note)


def _each(reader: Any, texts: NDArray[Any]) -> NDArray[np.float64]:
    """Parse each text by itself, NaN if unreadable; all at once if possible."""
    where, different = different_cells(texts)
    if (values := reader(different)) is not None:
        return np.asarray(values)[where]
    found = [reader(np.array([text], dtype=object)) for text in different]
    return np.array([np.nan if each is None else each[0] for each in found])[where]


def _bare(texts: NDArray[Any]) -> NDArray[Any]:
    """Numerals without signs in other notations and without units."""
    known = pd.notna(texts)
    bare = texts.copy()
    bare[known] = _split_units(_by_text(_signed, texts[known]))[0]
    return bare


def _split_units(texts: NDArray[Any]) -> tuple[NDArray[Any], Counter[str]]:
    """Remove units from texts, and count the cells with each unit; other texts do not change."""
    units: Counter[str] = Counter()
    where, different = different_cells(texts)
    for place, (text, n) in enumerate(zip(different, np.bincount(where).tolist(), strict=True)):
        if match := _MEASURE.fullmatch(text):
            different[place] = match["number"]
            units[" ".join(part for part in (match["before"], match["after"]) if part)] += n
    return different[where], units


def _in_convention(
    numerals: NDArray[Any], convention: Convention, is_plain: NDArray[np.bool_] | None = None
) -> NDArray[np.float64]:
    where, different = different_cells(numerals)
    if convention in ("comma", "point"):
        values = as_numbers(different, convention)[where]
        if is_plain is not None and is_plain.any():
            values[is_plain] = files.exact_numbers(numerals[is_plain])
    else:
        values = files.exact_numbers(_SPACED.sub("", text) for text in different)[where]
    values[~np.isfinite(values)] = np.nan
    return values


def _with_unread(values: NDArray[Any], texts: NDArray[Any], note: str = "") -> Reread:
    unread = texts[pd.isna(values)]
    return Reread(values, tuple(dict.fromkeys(unread)), len(unread), note)


def _require_readable(column: Column, found: Reread, n_known: int) -> None:
    if found.n_unread > (1 - _SHARE) * n_known:
        _refuse_kind(column, found.unread[0])


def _refuse_kind(column: Column, example: str) -> None:
    raise files.DataError(
        f"column {column.name!r} had {_KINDS[column.kind]} in the table of the fit, but has "
        f"{quoted(example)} here; leave cells empty if their values are missing"
    )


def _refuse_unit(column: Column, unit: str) -> None:
    had = f"numbers of {column.unit}" if column.unit else "numbers without a unit"
    raise files.DataError(
        f"column {column.name!r} has numbers of {unit}, but had {had} in the table of the fit; "
        "convert them, or remove the unit if the scale is the same"
    )


def _without_unit_note(column: Column) -> str:
    return f"column {column.name!r} has numbers without a unit, read as {column.unit}"


def _category(name: str, cells: Sequence[Any], code: str = "") -> Column:
    values = _texts(cells, _MISSING)
    names = sorted({*values} - {None})
    remark = blanks_note(dict.fromkeys(_written(cells))) or alike_note(names)
    return Column(name, "category", values, code=code, remark=remark)


def _read_texts(name: str, cells: Sequence[Any]) -> Column:
    texts = _texts(cells, _NO_NUMBER)
    known = pd.notna(texts)
    if not known.any():
        return _category(name, cells)
    # Columns of text have few different cells, and all that follows takes long.
    where, different = different_cells(texts[known])
    if {text.casefold() for text in different} <= {"true", "false"}:
        truth = np.array([text.casefold() == "true" for text in different], dtype=np.float64)
        return Column(name, "truth", _spread(truth[where], known))
    numerals, unit, remark, units = texts[known], "", "", ""
    found = read_numbers(numerals)
    if found.convention == "none":
        numerals = np.array([_signed(text) for text in different], dtype=object)[where]
        bare, counts = _split_units(numerals)
        unit, remark, units = _common_unit(counts, len(bare))
        numerals = bare if unit else numerals
        found = read_numbers(numerals)
        if units and found.convention == "none" and read_numbers(bare).convention != "none":
            return replace(_category(name, cells), units=units)
    if found.convention != "none":
        plain, values = np.empty(len(different), dtype=object), np.empty(len(different))
        plain[where], values[where] = numerals, found.values
        known_numbers = files.finite((_in_python(text, found.convention) for text in plain), values)
        if code := files.code_reason(known_numbers):
            return _category(name, cells, code)
        numbers = _spread(found.values, known)
        whole = Column(
            name,
            "number",
            numbers,
            strays=tuple(dict.fromkeys(texts[known & np.isnan(numbers)])),
            convention=found.convention,
            grouped=found.grouped,
            unit=unit,
            remark="; ".join(filter(None, (remark, files.rounding_note(known_numbers)))),
        )
        texts[known] = numerals
        if found.convention == "ambiguous" or found.grouped:
            # The notation of the other columns determines the interpretation.
            return replace(whole, values=texts)
        return whole
    if (hours := read_times(different)) is not None:
        spread = _spread(hours[where], known)
        return Column(name, "number", spread, convention="plain", unit="hours", forms=("time",))
    dates = _dated(different)
    if isinstance(dates, str):
        return Column(name, "date", texts).out(dates)
    if dates is not None:
        return Column(name, "date", _spread(dates.values[where], known), forms=dates.forms)
    if (fractions := read_fractions(different)) is not None:
        remark = f"fractions read as numbers ({different[0]!r})"
        spread = _spread(fractions[where], known)
        return Column(name, "number", spread, convention="plain", remark=remark, forms=("fraction",))
    return _category(name, cells)


def _common_unit(counts: Counter[str], n: int) -> tuple[str, str, str]:
    """Return the common unit of n cells, a note on cells without it, and a message on different units."""
    units, n_bare = [unit for unit in counts if unit], counts[""]
    if len(units) == 1 and n_bare <= _MOST_BARE * counts.total():
        verbs = "has no unit and is" if n_bare == 1 else "have no unit and are"
        return units[0], f"{n_bare} of {n} cells {verbs} read as {units[0]}" if n_bare else "", ""
    if not 2 <= len(counts) <= _MOST_UNITS or counts.total() < n or max(counts.values()) < n / 2:
        return "", "", ""
    *first, last = (f"{unit or 'none'} ({count})" for unit, count in counts.most_common())
    return "", "", f"its cells have different units, {', '.join(first)} and {last}; convert them to one"


def _in_python(text: str, convention: Convention) -> str:
    """A number in Python's notation."""
    text = _SPACED.sub("", text)
    if convention == "plain":
        return text
    thousands, decimal = (",", ".") if convention == "point" else (".", ",")
    return text.replace(thousands, "").replace(decimal, ".")


def _spread(values: NDArray[Any], known: NDArray[np.bool_]) -> NDArray[Any]:
    """Place the values of the known cells into a column with missing values elsewhere."""
    column = np.full(len(known), np.nan if values.dtype.kind == "f" else "NaT", dtype=values.dtype)
    column[known] = values
    return column


def _texts(cells: Sequence[Any], missing: set[str]) -> NDArray[Any]:
    """Texts of the cells without white space around them, None for words of missing values."""

    def stripped(text: str) -> str | None:
        text = text.strip()
        return None if text.casefold() in missing else text

    return _by_text(stripped, _written(cells))


def _are_texts(cells: Sequence[Any]) -> bool:
    return pd.api.types.infer_dtype(cells, skipna=True) in ("string", "empty")


def _written(cells: Sequence[Any]) -> NDArray[Any]:
    """Texts of the cells, empty for missing values."""
    texts = np.empty(len(cells), dtype=object)
    if set(map(type, cells)) <= {str}:
        texts[:] = cells
    else:
        texts[:] = [cell if type(cell) is str else written(cell) for cell in cells]
    return texts


def different_cells(cells: Sequence[Any] | NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Positions of the cells among the different ones, and these in order of appearance.

    Many columns have few different cells. ``pandas.factorize`` makes dozens of calls for a short column.
    """
    if len(cells) > _SHORT and isinstance(cells, np.ndarray):
        where, distinct = pd.factorize(cells)
        if where.min() >= 0:  # no cell is missing
            return where, distinct
    found = list(dict.fromkeys(cells))
    places = dict(zip(found, range(len(found)), strict=True))
    different = np.empty(len(found), dtype=object)
    different[:] = found
    return np.array([places[cell] for cell in cells], dtype=np.intp), different


def _by_text(function: Callable[[str], str | None], texts: NDArray[Any]) -> NDArray[Any]:
    """Apply a function to all different texts, which are often few."""
    where, different = different_cells(texts)
    return np.array([function(text) for text in different], dtype=object)[where]


def blanks_note(texts: Iterable[str]) -> str:
    """Note about texts that are equal after stripping whitespace, or an empty string."""
    met: dict[str, str] = {}
    for text in texts:
        other = met.setdefault(text.strip(), text)
        if other != text:
            return f"{other!r} and {text!r} differ only in whitespace and are treated as equal"
    return ""


def alike_note(names: Iterable[str]) -> str:
    """Note about distinct names that are equal as numbers or ignoring case, or an empty string."""
    met: dict[float | str, str] = {}
    for name in names:
        number = files.as_number(text := unicodedata.normalize("NFKC", name))
        # Integers beyond 2^53 may differ although their numbers do not.
        keys: list[float | str] = [text, number] if abs(number) < 2.0**53 else [text]
        for key in keys:
            other = met.setdefault(key, name)
            if other != name:
                how = "the same letters in another encoding" if np.isnan(number) else "the same number"
                return f"{other!r} and {name!r} are treated as different, although they are {how}"
    return ""


class Numbers(NamedTuple):
    """Numbers parsed from texts."""

    # Python's notation; decimal commas; commas that separate thousands; ambiguous numbers (1,234); or no
    # numbers.
    convention: Convention
    # shape (n,): NaN for the few texts that are not numbers; ambiguous ones are read with decimal commas.
    values: NDArray[np.float64]
    grouped: bool = False  # plain numbers that may also be read as thousands with points (1.234)


def read_numbers(texts: NDArray[Any]) -> Numbers:
    """Parse non-empty texts as numbers. O(n) time and memory."""
    # Objects, because an array of text reserves the length of the longest text for every cell.
    where, different = different_cells(texts)
    exact = files.exact_numbers(different)
    if not np.isnan(exact).any():
        return _plain(different, exact[where])
    compact = [_SPACED.sub("", text) for text in different]
    plain = files.exact_numbers(compact)
    commas = np.array([bool(_COMMA.fullmatch(text)) for text in compact])
    points = np.array([bool(_POINT.fullmatch(text)) for text in compact])
    shares = {
        "plain": (~np.isnan(plain))[where].mean(),
        "comma": commas[where].mean(),
        "point": points[where].mean(),
    }
    best = max(shares, key=lambda name: shares[name])  # plain before others where equal
    if shares[best] < _SHARE or (shares[best] < 1 and len(different) <= _DIFFERENT):
        return Numbers("none", np.full(len(texts), np.nan))
    if best == "plain":
        return _plain(compact, plain[where])
    convention: Convention = "comma" if best == "comma" else "point"
    # Commas that could separate thousands cannot, if there is a 0,123 or a 1500 beside 1,234.
    decimal = any(re.fullmatch(r"[+-]?(0,\d+|\d{4,})", text) for text in compact)
    if shares["comma"] == shares["point"] and not decimal:
        convention = "ambiguous"
    values = as_numbers(compact, "point" if best == "point" and convention != "ambiguous" else "comma")
    return Numbers(convention, values[where])


def _plain(texts: Iterable[str], values: NDArray[np.float64]) -> Numbers:
    """Parse numbers in Python's notation."""
    pointed = [text for text in texts if "." in text]
    grouped = bool(pointed) and all(_GROUPED.fullmatch(text) for text in pointed)
    values[~np.isfinite(values)] = np.nan  # more digits than a number can have
    return Numbers("plain", values, grouped)


def as_numbers(texts: Any, convention: Literal["comma", "point"]) -> NDArray[np.float64]:
    """Parse numbers with a decimal comma, or with commas between thousands; NaN for other texts."""
    pattern = _COMMA if convention == "comma" else _POINT
    values = np.full(len(texts), np.nan)
    for row, text in enumerate(texts):
        compact = _SPACED.sub("", str(text))
        if pattern.fullmatch(compact):
            thousands, decimal = (".", ",") if convention == "comma" else (",", ".")
            values[row] = files.as_number(compact.replace(thousands, "").replace(decimal, "."))
    values[~np.isfinite(values)] = np.nan  # more digits than a number can have
    return values


def read_dates(texts: NDArray[Any]) -> NDArray[np.datetime64] | str | None:
    """Parse non-empty texts as dates. Returns a reason if day and month are ambiguous, None if not dates."""
    dates = _dated(texts)
    return dates.values if isinstance(dates, _Dates) else dates


class _Dates(NamedTuple):
    """Dates, and all formats in which their texts are these dates."""

    values: NDArray[np.datetime64]
    forms: tuple[str, ...]


def _dated(texts: NDArray[Any], forms: Sequence[str] = _FORMATS) -> _Dates | str | None:
    if not len(texts) or not re.match(r"\d{4}Q[1-4]|\d{1,4}[-./]\d", str(texts[0])):
        return None
    column = pd.Series([_first_day(text) for text in texts], dtype=object)
    read = {form: _dates_in(column, form) for form in forms}
    found = {form: dates for form, dates in read.items() if dates is not None}
    if not found:
        return None
    first, *others = found.values()
    if any((other != first).any() for other in others):
        return f"days and months cannot be told apart ({texts[0]!r})"
    return _Dates(first, tuple(found))


def _dates_in(column: pd.Series[Any], form: str) -> NDArray[np.datetime64] | None:
    """Dates in one format; None if any text is in another."""
    dates = pd.to_datetime(column, format=form, errors="coerce", utc=True)
    if dates.notna().all():
        return _moments(dates)
    if form == "ISO8601" and all(map(_DAY.fullmatch, column)):
        # Days outside the range of pandas before version 3.
        with suppress(ValueError):
            return column.to_numpy(dtype="datetime64[us]")
    return None


def _moments(column: pd.Series[Any]) -> NDArray[np.datetime64]:
    """Dates in UTC, in microseconds unless two dates would become equal."""
    dates = pd.Series(pd.to_datetime(column, utc=True)).dt.tz_localize(None).to_numpy()
    coarse = dates.astype("datetime64[us]")
    return coarse if (coarse == dates)[~np.isnat(dates)].all() else dates


def _first_day(text: str) -> str:
    if found := _QUARTER.fullmatch(text):
        return f"{found[1]}-{3 * int(found[2]) - 2:02d}-01"
    found = _WEEK.fullmatch(text)
    return found[1] if found else text


def read_times(texts: NDArray[Any]) -> NDArray[np.float64] | None:
    """Times of day or durations, in hours, or None if any text is neither.

    Formats: 9:30, 21:15:08, 9:30 pm, 1 days 02:00:00 (pandas), 1 day, 2:00:00 (Python) and P1DT2H (ISO 8601).
    """
    hours = np.full(len(texts), np.nan)
    for row, text in enumerate(texts):
        match = _TIME.fullmatch(str(text))
        if match is None:
            if not _DURATION.fullmatch(str(text)):
                return None
            try:
                hours[row] = pd.Timedelta(str(text)) / pd.Timedelta(hours=1)
            except (ValueError, OverflowError):
                return None
            continue
        hour, half = int(match["hour"]), match["half"]
        if half and not 1 <= hour <= 12:
            return None
        hour = hour % 12 + 12 * (half.casefold() == "p") if half else hour
        hours[row] = hour + int(match["minute"]) / 60 + files.as_number(match["second"] or "0") / 3600
    return hours


def read_fractions(texts: NDArray[Any]) -> NDArray[np.float64] | None:
    """Parse fractions in lowest terms and integers, as Python prints them; None for other texts.

    Other quotients may be dates, grades or blood pressures.
    """
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


def _signed(text: str) -> str:
    """Convert negative numbers, such as (1,234), -$5 and a typographic minus, to Python's notation."""
    bracketed = _BRACKETED.fullmatch(text)
    plain = (f"-{bracketed[1]}" if bracketed else text).replace("\u2212", "-")
    return _BEFORE_SIGN.sub(r"\2\1", plain, count=1)


class UnseenCells(NamedTuple):
    """Cells of new rows, in one column, that are unlike the cells of the fit.

    Attributes
    ----------
    column : str
    kind : {"new category", "beyond range"}
    n_rows : int
    values : tuple of str
        New categories, or the value farthest beyond the range.
    """

    column: str
    kind: str
    n_rows: int
    values: tuple[str, ...]


def cell_text(value: Any) -> str:
    """Format a number or date for messages."""
    if isinstance(value, np.datetime64):
        return written(value)
    return f"{value:.6g}"
