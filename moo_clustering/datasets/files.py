"""Files of data: errors with remedies, and text, compressed text and Excel sheets as rows of cells."""

from __future__ import annotations

import codecs
import csv
import datetime
import gzip
import io
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from moo_clustering._arrays import QuotingError
from moo_clustering._messages import checked_path, path_fault
from moo_clustering.persistence import EXPANSION, cell_text, most_expanded

Row = tuple[int, list[str]]  # the number of a line that is not empty, and its cells
TEXT = (".csv", ".tsv", ".tab", ".txt")
EXCEL = (".xlsx",)
JSON_LINES = (".jsonl", ".jsonl.gz")
# Bytes that compressed text may always expand to. Lines of one byte each take 80 times as much memory.
_ALWAYS = 2**24
_SEPARATORS = ",;\t|"
_MARKS = ("#", "%")
# Excel's first line about its own files, as sep=; says.
_SEP = re.compile(r'\ufeff?"?sep=(.)"?\s*', re.IGNORECASE)
_TO_TIDY = re.compile(r"\A\s*\"?sep=|(\A|[\r\n])[ \t]*[#%]", re.IGNORECASE)
# Numbers as people write them, with points or commas; enough to tell data from names of columns.
_WRITTEN = re.compile(r"[+-]?(\d+([.,]\d+)*|[.,]\d+)([eE][+-]?\d+)?", re.ASCII)


class Remedy(NamedTuple):
    """Advice on how to read a file that cannot be read as it was asked."""

    action: str  # what helps, as "leave it out with"
    option: str = ""  # the option of the reader that does it; empty where no option does
    # The value to give, in a list for options that take several; ``...`` where only the user knows it.
    value: Any = ...
    note: str = ""  # what else there is to say of the option

    def __str__(self) -> str:
        """The advice for those who call the reader: ``leave it out with drop=['name']``."""
        if not self.option:
            return self.action
        return f"{self.action} {self.option}={'...' if self.value is ... else repr(self.value)}{self.note}"

    def with_flag(self, flag: str) -> str:
        """The advice for users of the command, ``leave it out with --drop 'name'``, with ``--drop NAME``."""
        if not flag:
            return self.action
        if self.value is ... or isinstance(self.value, bool):
            return f"{self.action} {flag}{self.note}"
        value = self.value[0] if isinstance(self.value, list) else self.value
        return f"{self.action} {flag.split()[0]} {value!r}{self.note}"


class DataError(QuotingError):
    """Data that cannot be used as they are.

    Parameters
    ----------
    problem : str
        What is wrong, and where: file, row, column and value.
    *remedies : Remedy
        Options of the reader that help.
    """

    def __init__(self, problem: str, *remedies: Remedy) -> None:
        super().__init__(_advised(problem, map(str, remedies)))
        self.problem = problem
        self.remedies = remedies


class NotNumericError(DataError):
    """Error for features that are not numeric, by a sentence that names them, with remedies."""

    def __init__(self, problem: str, columns: Sequence[str], *remedies: Remedy) -> None:
        super().__init__(problem, *remedies)
        self.columns = tuple(columns)


def with_flags(error: DataError, flags: Mapping[str, str]) -> str:
    """The message of an error for those who use the command.

    ``flags`` has the flag that stands for an option, and what it takes: ``{"drop": "--drop NAME"}``. Remedies
    by other options, and those that switch an option off, are left out.
    """
    return _advised(
        error.problem,
        [
            each.with_flag(flags.get(each.option, ""))
            for each in error.remedies
            if not each.option
            or (each.option in flags and (each.value is not False or flags[each.option].startswith("--no-")))
        ],
    )


def _advised(problem: str, advice: Iterable[str]) -> str:
    *others, last = ["", *advice]
    listed = f"{', '.join(others[1:])}, or {last}" if others[1:] else last
    return f"{problem}; {listed}" if listed else problem


@contextmanager
def readable(path: Path, *, is_folder: bool = False) -> Iterator[None]:
    """Refuse a path without a regular file, and whatever the system refuses inside the block."""
    if fault := path_fault(path, "file or folder" if is_folder else "file"):
        raise DataError(f"{path} {fault}")
    if not path.exists():
        raise DataError(f"there is no file {'or folder ' if is_folder else ''}{path}")
    try:
        yield
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not a text file in UTF-8 ({error.reason})") from error
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}") from error


def data_path(path: str | PathLike[str]) -> Path:
    """The path of data. Raises a DataError for an empty one, which would be the present folder."""
    try:
        return checked_path(path)
    except ValueError as error:
        raise DataError(str(error)) from error


def suffix_of(path: Path) -> str:
    """The suffix in lower case; of a file compressed by gzip the one before ``.gz``."""
    name = path.name.lower().removesuffix(".gz")
    return Path(name).suffix


def holds_documents(path: Path) -> bool:
    """Whether a path can hold nothing but texts: JSON lines or a folder."""
    return path.name.lower().endswith(JSON_LINES) or path.is_dir()


def file_bytes(path: Path, expansion: int = EXPANSION) -> bytes:
    """Content of a file, decompressed where it is compressed by gzip.

    Raises a DataError if that is damaged, or expands to more than ``expansion`` times the file and 16 MiB.
    """
    raw = path.read_bytes()
    if not raw.startswith(b"\x1f\x8b") and path.suffix.lower() != ".gz":
        return raw
    most = max(_ALWAYS, expansion * len(raw))
    try:
        with gzip.open(io.BytesIO(raw)) as file:
            content = file.read(most + 1)
    except EOFError as error:
        raise DataError(f"{path} is cut off: its compressed data end too early") from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise DataError(f"{path} is no gzip file, or it is damaged: {error}") from error
    if len(content) > most:
        raise too_large(path, len(raw), f"more than {most:,}", expansion)
    return content


def too_large(path: Path, size: int, expanded: str, expansion: int) -> DataError:
    """The error for a file that expands beyond what is read."""
    return DataError(
        f"{path} expands from {size:,} bytes to {expanded}, over {expansion} times as many, and is not read",
        Remedy("unpack it first"),
        Remedy("if you know where it comes from, allow more with", "expansion"),
    )


def file_text(path: Path, expansion: int = EXPANSION) -> str:
    """Text of a file, which must be UTF-8; see :func:`file_bytes`."""
    with readable(path):
        return file_bytes(path, expansion).decode("utf-8-sig")


def table_text(path: Path, *, expansion: int = EXPANSION, lenient: bool = False) -> TableText:
    """Content of a text table or an Excel sheet, as text of one form.

    Text must be UTF-8; with ``lenient`` it may also be UTF-16 with a byte order mark, or else is taken for
    Windows-1252.
    """
    notes: list[str] = []
    with readable(path):
        if path.suffix.lower() in EXCEL:
            return TableText(_sheet(path, expansion, notes), ",", tuple(notes))
        content = file_bytes(path, expansion)
        if lenient and content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            text = content.decode("utf-16")
        else:
            try:
                text = content.decode("utf-8-sig")
            except UnicodeDecodeError:
                if not lenient:
                    raise
                text = content.decode("cp1252")
                notes.append(
                    "the file is not UTF-8, and was read as Windows-1252; look whether its letters are right"
                )
    return tidy_text(text, suffix_of(path), notes)


class TableText(NamedTuple):
    """A table as text without comments, its separator, and sentences about the reading."""

    text: str
    separator: str
    notes: tuple[str, ...] = ()

    def rows(self, source: object) -> Iterator[Row]:
        """Number and cells of every line that is not empty."""
        if "\0" in self.text:
            raise DataError(f"{source} is not a text file: it holds zero bytes")
        return _cells(io.StringIO(self.text, newline=""), self.separator)


def tidy_text(text: str, suffix: str, notes: Sequence[str] = ()) -> TableText:
    """A table of text without a line ``sep=;`` and without comments, and its separator.

    Comments are lines that begin with # or %: before the table, anywhere if there are some before it, and
    else where a line has another number of cells. The last one before the table names its columns if it has
    as many cells and the line after it holds numbers. Lines that go leave empty ones, so that messages count
    as the file does.
    """
    if not _TO_TIDY.search(text):
        return TableText(text, _separator(io.StringIO(text, newline=""), suffix), tuple(notes))
    lines = io.StringIO(text, newline="").readlines()
    said, place = "", 0
    while place < len(lines) and not lines[place].strip():
        place += 1
    if place < len(lines) and (found := _SEP.fullmatch(lines[place])):
        said, lines[place] = found[1], _blank(lines[place])
    first = place
    while place < len(lines) and (not lines[place].strip() or lines[place].lstrip().startswith(_MARKS)):
        place += 1
    above = [row for row in range(first, place) if lines[row].strip()]
    if place == len(lines):  # nothing but what looks like comments
        return TableText("".join(lines) if said else text, said or _separator(lines, suffix), tuple(notes))
    separator = said or _separator(lines[place:], suffix)
    names = above.pop() if above and _names(lines[above[-1]], lines[place], separator) else None
    if names is not None:
        lines[names] = _without_mark(lines[names], separator)
    marks = {lines[row].lstrip()[0] for row in above}
    stops = [*above, *_comments(lines, place, separator, marks)]
    if not (stops or said or names is not None):
        return TableText(text, separator, tuple(notes))
    for row in stops:
        lines[row] = _blank(lines[row])
    if stops:
        notes = [*notes, f"{len(stops)} comment line{'' if len(stops) == 1 else 's'} left out"]
    return TableText("".join(lines), separator, tuple(notes))


def _blank(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :]


def _separator(lines: Iterable[str], suffix: str) -> str:
    if suffix in {".tsv", ".tab"}:
        return "\t"
    first = next((line for line in lines if line.strip()), "")
    for separator in _SEPARATORS[1:]:
        # Commas do not separate the cells of a line whose numbers have decimal commas.
        if separator in first and all(map(is_written_number, _split(first, separator))):
            return separator
    return max(_SEPARATORS, key=first.count)


def _split(line: str, separator: str) -> list[str]:
    return next(csv.reader([line], delimiter=separator, skipinitialspace=True), [])


def _names(comment: str, line: str, separator: str) -> bool:
    """Whether a comment names the columns of the line below."""
    names, cells = _split(_without_mark(comment, separator), separator), _split(line, separator)
    if len(names) != len(cells) or not all(map(str.strip, names)):
        return False
    return names[0] in _MARKS or any(map(is_written_number, cells))


def _without_mark(comment: str, separator: str) -> str:
    bare = comment.lstrip()[1:].lstrip(" ")
    # A column may be called #.
    return comment if not bare.strip() or bare.startswith((separator, '"' + separator)) else bare


def _comments(lines: Sequence[str], place: int, separator: str, marks: set[str]) -> list[int]:
    """Comments in and below a table."""
    found: list[int] = []
    if not any(line.startswith(_MARKS) for line in lines[place:]):
        return found
    width, is_quoted = len(_split(lines[place], separator)), False
    for row in range(place, len(lines)):
        line = lines[row]
        if (
            not is_quoted
            and line.startswith(_MARKS)
            and (line[0] in marks or (line.count('"') % 2 == 0 and len(_split(line, separator)) != width))
        ):
            found.append(row)
        elif line.count('"') % 2:
            is_quoted = not is_quoted
    return found


def _cells(lines: Iterable[str], separator: str) -> Iterator[Row]:
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=True)
    for row in reader:
        if row and (len(row) > 1 or row[0].strip()):
            yield reader.line_num, [cell_text(cell) for cell in row]


def _sheet(path: Path, expansion: int, notes: list[str]) -> str:
    """The first sheet of an Excel file that holds anything, as comma-separated text."""
    try:
        from openpyxl import load_workbook
    except ImportError as error:
        raise DataError(
            f"reading {path} needs openpyxl, which is not installed: pip install moo_clustering[excel]"
        ) from error
    size = path.stat().st_size
    try:
        with zipfile.ZipFile(path) as archive:
            expanded = sum(each.file_size for each in archive.infolist())
    except zipfile.BadZipFile as error:
        raise DataError(f"{path} is not an Excel file (.xlsx), or it is damaged: {error}") from error
    if expanded > most_expanded(size, expansion):
        raise too_large(path, size, f"{expanded:,}", expansion)
    try:
        # In memory, as openpyxl would keep the file open.
        book = load_workbook(io.BytesIO(path.read_bytes()), read_only=True, data_only=True)
        found = {each.title: _sheet_rows(each.values) for each in book.worksheets}
        book.close()
    except MemoryError:
        raise
    except Exception as error:  # openpyxl passes on whatever zipfile and its parsers of XML have
        raise DataError(f"{path} is not an Excel file (.xlsx), or it is damaged: {error}") from error
    filled = {title: rows for title, rows in found.items() if rows}
    if len(filled) > 1:
        others = ", ".join(map(repr, list(filled)[1:]))
        notes.append(f"only the first sheet, {next(iter(filled))!r}, was read, not {others}")
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(next(iter(filled.values()), []))
    return text.getvalue()


def _sheet_rows(rows: Iterable[Sequence[Any]]) -> list[list[str]]:
    """Cells as text, without empty rows, and without empty columns at the end."""
    texts = [[_sheet_cell(value) for value in row] for row in rows]
    texts = [row for row in texts if any(row)]
    width = max((max(place for place, cell in enumerate(row, 1) if cell) for row in texts), default=0)
    return [[*row[:width], *[""] * (width - len(row))] for row in texts]


def _sheet_cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ") if value.time() != datetime.time() else value.date().isoformat()
    if isinstance(value, datetime.timedelta):
        return str(value.total_seconds() / 86400)
    return str(value).strip()


def as_number(text: str) -> float:
    """The number that a text is, in Python's notation; NaN for others, infinite where it is too large."""
    try:
        value = float(text)
    except ValueError:
        return float("nan")
    # Python, but no file, writes 1_000 and digits of other scripts.
    return value if text.isascii() and "_" not in text else float("nan")


def is_number(text: str) -> bool:
    """Whether a text is a number in Python's notation, or NaN."""
    number = as_number(text)
    return number == number or text.strip().casefold().lstrip("+-") == "nan"


def is_written_number(text: str) -> bool:
    """Whether a text is a number, with a decimal point or comma."""
    return _WRITTEN.fullmatch(text.strip()) is not None


def exact_numbers(texts: Iterable[str]) -> NDArray[np.float64]:
    """Numbers of texts, NaN for others; see :func:`as_number`."""
    return np.array([as_number(text) for text in texts], dtype=np.float64)


def ragged(source: str, expected: int, line: int, row: list[str]) -> None:
    """Refuse a line with more or fewer cells than columns."""
    cells = "cell" if len(row) == 1 else "cells"
    raise DataError(
        f"{source}, line {line} has {len(row)} {cells} where the first line names {expected} columns"
    )
