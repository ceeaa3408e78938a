"""Utilities for data files: errors with remedies, conversion of cells to text, and memory limits."""

from __future__ import annotations

import codecs
import csv
import datetime
import decimal
import gzip
import io
import math
import re
import zipfile
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from moo_clustering._arrays import MissingPackageError, QuotingError, optional_package
from moo_clustering._messages import Advice, checked_path, did_you_mean, for_command, path_fault
from moo_clustering._types import FloatArray
from moo_clustering.persistence import EXPANSION, cell_text, most_expanded

if TYPE_CHECKING:
    import pyarrow

_LONGEST = 2**31 - 1  # maximum number of characters per cell; the csv module's default is 131,072
Row = tuple[int, list[str]]
TEXT = (".csv", ".tsv", ".tab", ".txt")
EXCEL = (".xlsx",)
PARQUET = (".parquet", ".pq")
JSON_LINES = (".jsonl", ".jsonl.gz")
GRAPHS = (".gml", ".graphml", ".edges", ".edgelist")
# Compressed text may always expand to this number of bytes. Its lines can take up to 80 times as much memory.
_ALWAYS = 2**24
# Parquet cells may always occupy this number of bytes, because constant columns compress without limit.
_ALWAYS_CELLS = 2**30
# Bytes per cell in memory, for numbers and for Python objects such as Decimal.
_CELL, _OBJECT = 8, 100
# First bytes of a zip archive, for example of an Excel workbook.
_ZIP = b"PK\x03\x04"
_ROWS, _ROWS_OF_DIFFERENCES = 2**16, 2**10
_LAST_ROW = 2**20
_SEPARATORS = ",;\t|"
_MARKS = ("#", "%")
# Excel writes and reads a first line such as sep=; that declares the separator.
_SEP = re.compile(r'\ufeff?"?sep=(.)"?\s*', re.IGNORECASE)
_TO_TIDY = re.compile(r"\A\s*\"?sep=|(\A|[\r\n])[ \t]*[#%]", re.IGNORECASE)
_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
_LEADING_ZERO = re.compile(r"[+-]?0\d", re.ASCII)
# Programs write numbers with an exponent with a decimal point or a sign of the exponent. Numbers without
# both, such as 2004E205, may be codes.
_EXPONENT = re.compile(r"[+-]?(\d+)[eE]\d+", re.ASCII)
_PADDED = re.compile("0{2,}")
# Command-line options whose names differ from the names of their roles.
_OPTIONS = {"id": "id-column", "identifier": "id-column", "label": "labels"}
# These numbers may mark missing cells, also with a minus.
_MISSING_CODES = {9.0, 99.0, 999.0, 9999.0, 99999.0, 999999.0}
# Numbers with decimal points or commas occur in data, but hardly ever as column names.
_WRITTEN = re.compile(r"[+-]?(\d+([.,]\d+)*|[.,]\d+)([eE][+-]?\d+)?", re.ASCII)


class Remedy(NamedTuple):
    """Advice on how to read a file after an error."""

    action: str
    option: str = ""
    # The value is a list if the option accepts several values, and ``...`` if only the user knows it.
    value: Any = ...
    note: str = ""

    def __str__(self) -> str:
        if not self.option:
            return self.action
        return f"{self.action} {self.option}={'...' if self.value is ... else repr(self.value)}{self.note}"

    def with_flag(self, flag: str) -> str:
        """Format the advice for the command line: ``drop it with --drop 'name'`` for ``--drop NAME``."""
        if not flag:
            return self.action
        if self.value is ... or isinstance(self.value, bool):
            return f"{self.action} {flag}{self.note}"
        value = self.value[0] if isinstance(self.value, list) else self.value
        return f"{self.action} {flag.split()[0]} {value!r}{self.note}"


class DataError(QuotingError):
    """Raised if data cannot be used.

    Parameters
    ----------
    problem : str
        Description of the error, with the file, row, column and value.
    *remedies : Remedy
        Reader options that solve the problem.
    """

    def __init__(self, problem: str, *remedies: Remedy) -> None:
        super().__init__(_advised(problem, map(str, remedies)))
        self.problem = problem
        self.remedies = remedies


class NotNumericError(DataError):
    """Raised for non-numeric features; ``columns`` contains their names."""

    def __init__(self, problem: str, columns: Sequence[str], *remedies: Remedy) -> None:
        super().__init__(problem, *remedies)
        self.columns = tuple(columns)


def with_flags(error: DataError, flags: Mapping[str, str]) -> str:
    """Format an error for the command line; ``flags`` maps options to flags such as ``--drop NAME``."""
    # Omit a remedy if its option has no flag, or if its value is False and there is no ``--no-`` flag.
    advice = []
    for remedy in error.remedies:
        flag = flags.get(remedy.option, "")
        if not remedy.option or (flag and (remedy.value is not False or flag.startswith("--no-"))):
            advice.append(remedy.with_flag(flag))
    return _advised(for_command(error.problem), advice)


def roles_of(named: Iterable[tuple[str | None, str]], what: str = "column") -> dict[str, str]:
    """Map names to roles, without the name None. Raise a DataError if a name has two roles."""
    roles: dict[str, str] = {}
    for name, role in named:
        if name in roles:
            raise DataError(f"{what} {name!r} cannot be both the {roles[name]} and the {role} {what}")
        if name is not None:
            roles[name] = role
    return roles


def check_names(roles: dict[str, str], names: Collection[str], source: object, what: str = "column") -> None:
    """Raise a DataError if a column to which a role is assigned does not exist."""
    for name, role in roles.items():
        if name not in names:
            raise DataError(absent(source, what, name, role, names) if names else f"{source} has no {what}s")


def absent(source: object, what: str, name: str, role: str, names: Iterable[str]) -> Advice:
    """Return a message on a missing column or attribute that names its role or command-line option."""
    hint = did_you_mean(str(name), names)
    flag = f"--{_OPTIONS.get(role, role.replace(' ', '-'))}"
    return Advice(f"{source} has no {what} {name!r} (", f"{role}){hint}", f"{flag}){hint}")


def _advised(problem: str, advice: Iterable[str]) -> str:
    *others, last = ["", *advice]
    listed = f"{', '.join(others[1:])}, or {last}" if others[1:] else last
    return f"{problem}; {listed}" if listed else problem


@contextmanager
def readable(path: Path, *, is_folder: bool = False) -> Iterator[None]:
    """Raise a DataError if the path is not a regular file, or if the ``with`` block raises an OSError."""
    if fault := path_fault(path, "file or folder" if is_folder else "file"):
        raise DataError(f"{path} {fault}")
    if not path.exists():
        raise DataError(f"{'file or folder' if is_folder else 'file'} {path} does not exist")
    try:
        yield
    except UnicodeDecodeError as error:
        if error.object.startswith(_ZIP):
            remedy = "unpack it, or rename it to .xlsx if it is an Excel workbook"
            raise DataError(f"{path} is not a text file but a zip archive; {remedy}") from error
        raise DataError(f"{path} is not a UTF-8 text file ({error.reason})") from error
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}") from error


def data_path(path: str | PathLike[str]) -> Path:
    try:
        return checked_path(path)
    except ValueError as error:
        raise DataError(str(error)) from error


def unknown_suffix(path: Path, known: Iterable[str], more: str = "") -> DataError:
    supported = f"supported suffixes are {', '.join(known)}; text files may end with an additional .gz"
    return DataError(f"{path} has the suffix {path.suffix!r}; {supported}{more}")


def suffix_of(path: Path) -> str:
    return Path(path.name.lower().removesuffix(".gz")).suffix


def holds_documents(path: Path) -> bool:
    """Return whether a path can only contain documents (JSON lines and folders)."""
    return path.name.lower().endswith(JSON_LINES) or path.is_dir()


def file_bytes(path: Path, expansion: int = EXPANSION) -> bytes:
    """Read a file. Decompress gzip up to ``expansion`` times the file size, or 16 MiB if this is more."""
    raw = path.read_bytes()
    if not raw.startswith(b"\x1f\x8b") and path.suffix.lower() != ".gz":
        return raw
    most = max(_ALWAYS, expansion * len(raw))
    try:
        with gzip.open(io.BytesIO(raw)) as file:
            content = file.read(most + 1)
    except EOFError as error:
        raise DataError(f"{path} is truncated: its compressed data are incomplete") from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise DataError(f"{path} is not a valid gzip file: {error}") from error
    if len(content) > most:
        raise too_large(path, f"more than {most:,}", expansion)
    return content


def too_large(path: Path, expanded: str, expansion: int, remedy: str = "unpack it first") -> DataError:
    size = path.stat().st_size
    limit = f"which exceeds the limit of {expansion} times its size"
    trust = Remedy("if you trust its source, raise the limit with", "expansion")
    return DataError(f"{path} expands from {size:,} bytes to {expanded}, {limit}", Remedy(remedy), trust)


def file_text(path: Path, expansion: int = EXPANSION, notes: list[str] | None = None) -> str:
    """Read a UTF-8 text file. With ``notes``, also accept UTF-16, and Windows-1252 with a note."""
    with readable(path):
        return _decoded(file_bytes(path, expansion), notes)[0]


def _decoded(content: bytes, notes: list[str] | None) -> tuple[str, str]:
    if content.startswith(_ZIP):
        raise UnicodeDecodeError("utf-8", content, 0, len(_ZIP), "zip archive")
    encoding = "ascii" if content.isascii() else "utf-8"
    encoding = "utf-8-sig" if content.startswith(codecs.BOM_UTF8) else encoding
    if notes is not None and content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    try:
        return content.decode(encoding), encoding
    except UnicodeDecodeError:
        if notes is None or encoding == "utf-16":
            raise
    notes.append("the file is not UTF-8 and was read as Windows-1252; check its non-ASCII letters")
    return content.decode("cp1252"), "cp1252"


def table_text(path: Path, *, expansion: int = EXPANSION, lenient: bool = False) -> TableText:
    """Read an Excel sheet or UTF-8 text table. If ``lenient``, accept UTF-16 and Windows-1252 as well."""
    notes: list[str] = []
    with readable(path):
        if path.suffix.lower() in EXCEL:
            return TableText(_sheet(path, expansion, notes), ",", tuple(notes), "ascii")
        text, encoding = _decoded(file_bytes(path, expansion), notes if lenient else None)
    table = tidy_text(text, suffix_of(path), notes)
    return table._replace(notes=tuple(notes), encoding=encoding)


class TableText(NamedTuple):
    """Text of a table without comments, its separator and encoding, and notes on how it was read."""

    # For ASCII files and sheets, ``encoding`` is "ascii". If results then contain other letters, they are
    # written as UTF-8 with a byte order mark, because Excel would otherwise misread these letters.

    text: str
    separator: str
    notes: tuple[str, ...] = ()
    encoding: str = "utf-8"

    def rows(self, source: object) -> Iterator[Row]:
        """Yield the line number and cells of each non-empty line."""
        if "\0" in self.text:
            raise DataError(f"{source} is not a text file: it contains null bytes")
        before = csv.field_size_limit(_LONGEST)
        try:
            if '"' in self.text:
                self._check_quotes(source)
            reader = self._reader()
            for row in reader:
                if row and (len(row) > 1 or row[0].strip()):
                    yield reader.line_num, [cell_text(cell) for cell in row]
        finally:
            csv.field_size_limit(before)

    def _reader(self, *, strict: bool = False) -> Any:
        lines = io.StringIO(self.text, newline="")
        return csv.reader(lines, delimiter=self.separator, skipinitialspace=True, strict=strict)

    def _check_quotes(self, source: object) -> None:
        """Raise a DataError if a missing closing quote makes a cell span several rows."""
        reader, start = self._reader(strict=True), 0
        while True:
            try:
                if next(reader, None) is None:
                    return
            except csv.Error as error:
                at_end = "end of data" in str(error)
                # Text after a closing quote is harmless if the cell does not span several lines.
                if at_end or reader.line_num > start + 1:
                    remedy = "close the quote, or double it inside a cell"
                    remedy += "; the file may be truncated" * at_end
                    fault = f"line {start + 1}: unmatched quote ({error})"
                    raise DataError(f"{source}, {fault}; {remedy}") from error
            start = reader.line_num


def tidy_text(text: str, suffix: str, notes: list[str]) -> TableText:
    """Remove comments and a ``sep=;`` line from a text table, and find its separator."""
    # Comments begin with # or %. Below the first row of the table, a line that begins with a mark is a
    # comment only if a comment with the same mark precedes the table, or if the line has more or fewer cells
    # than the first row. The last comment before the table contains the column names if the next line has the
    # same number of cells and contains numbers. Removed lines become empty, so that messages report correct
    # line numbers.
    if not _TO_TIDY.search(text):
        return TableText(text, _separator(io.StringIO(text, newline=""), suffix))
    lines = io.StringIO(text, newline="").readlines()
    filled, said = [row for row, line in enumerate(lines) if line.strip()], ""
    if filled and (found := _SEP.fullmatch(lines[filled[0]])):
        first = filled.pop(0)
        said, lines[first] = found[1], _blank(lines[first])
    place = next((row for row in filled if not lines[row].lstrip().startswith(_MARKS)), len(lines))
    above = [row for row in filled if row < place]
    if place == len(lines):  # if every line looks like a comment, all lines are data
        return TableText("".join(lines), said or _separator(lines, suffix))
    separator = said or _separator(lines[place:], suffix)
    names = above.pop() if above and _names(lines[above[-1]], lines[place], separator) else None
    if names is not None:
        lines[names] = _without_mark(lines[names], separator)
    marks = {lines[row].lstrip()[0] for row in above}
    stops = [*above, *_comments(lines, place, separator, marks)]
    for row in stops:
        lines[row] = _blank(lines[row])
    if stops:
        notes.append(f"{len(stops)} comment line{'' if len(stops) == 1 else 's'} dropped")
    return TableText("".join(lines), separator)


def _blank(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :]


def _separator(lines: Iterable[str], suffix: str) -> str:
    if suffix in {".tsv", ".tab"}:
        return "\t"
    first = next((line for line in lines if line.strip()), "")
    for separator in _SEPARATORS[1:]:
        # If splitting at another separator yields only numbers, the commas are decimal commas.
        if separator in first and all(map(is_written_number, _split(first, separator))):
            return separator
    return max(_SEPARATORS, key=first.count)


def _split(line: str, separator: str) -> list[str]:
    return next(csv.reader([line], delimiter=separator, skipinitialspace=True), [])


def _names(comment: str, line: str, separator: str) -> bool:
    names, cells = _split(_without_mark(comment, separator), separator), _split(line, separator)
    if len(names) != len(cells) or not all(map(str.strip, names)):
        return False
    return names[0] in _MARKS or any(map(is_written_number, cells))


def _without_mark(comment: str, separator: str) -> str:
    bare = comment.lstrip()[1:].lstrip(" ")
    # The mark may itself be the name of the first column.
    return comment if not bare.strip() or bare.startswith((separator, '"' + separator)) else bare


def _comments(lines: Sequence[str], place: int, separator: str, marks: set[str]) -> list[int]:
    found: list[int] = []
    width, is_quoted = len(_split(lines[place], separator)), False
    for row, line in enumerate(lines[place:], place):
        is_odd = line.count('"') % 2 == 1
        may_be = not is_quoted and line.startswith(_MARKS)
        if may_be and (line[0] in marks or (not is_odd and len(_split(line, separator)) != width)):
            found.append(row)
        else:
            is_quoted ^= is_odd
    return found


def _package(name: str, extra: str, path: Path) -> Any:
    try:
        return optional_package(name, extra, f"reading {path}")
    except MissingPackageError as error:
        raise DataError(str(error)) from error


def _sheet(path: Path, expansion: int, notes: list[str]) -> str:
    load_workbook = _package("openpyxl", "excel", path).load_workbook
    size = path.stat().st_size
    try:
        with zipfile.ZipFile(path) as archive:
            expanded = sum(each.file_size for each in archive.infolist())
    except zipfile.BadZipFile as error:
        raise DataError(f"{path} is not a valid Excel file (.xlsx): {error}") from error
    if expanded > most_expanded(size, expansion):
        raise too_large(path, f"{expanded:,}", expansion)
    limit = _Budget(path, most_expanded(size, expansion), expansion)
    found: dict[str, list[list[str]]] = {}
    try:
        # Read the file into memory, because openpyxl would keep it open.
        book = load_workbook(io.BytesIO(path.read_bytes()), read_only=True, data_only=True)
        for each in book.worksheets:
            each.reset_dimensions()  # the dimensions that the file declares may be wrong
            # For each further sheet, one row suffices to show that the sheet is not empty.
            if rows := _sheet_rows(each.iter_rows(), limit, only_first=bool(found)):
                found[each.title] = rows
        book.close()
    except (MemoryError, DataError):
        raise
    except Exception as error:  # openpyxl does not catch the errors of zipfile and XML parsers
        raise DataError(f"{path} is not a valid Excel file (.xlsx): {error}") from error
    if len(found) > 1:
        others = ", ".join(map(repr, list(found)[1:]))
        notes.append(f"read only the first sheet, {next(iter(found))!r}, and ignored {others}")
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(next(iter(found.values()), []))
    return text.getvalue()


@dataclass
class _Budget:
    """Limit on the bytes that the cells of a file may occupy in memory."""

    path: Path
    most: int
    expansion: int
    used: int = 0

    def check(self, more: int) -> None:
        if self.used + more > self.most:
            expanded = f"at least {self.used + more:,} bytes of cells"
            raise too_large(self.path, expanded, self.expansion, "save the required part as CSV")

    def spend(self, more: int) -> None:
        self.check(more)
        self.used += more


def _sheet_rows(rows: Iterable[Sequence[Any]], limit: _Budget, *, only_first: bool) -> list[list[str]]:
    texts: list[list[str]] = []
    width = 0
    for number, row in enumerate(rows, 1):
        if number > _LAST_ROW:
            raise DataError(f"{limit.path} has more than {_LAST_ROW:,} rows, Excel's limit; save it as CSV")
        cells = ["" if cell.value is None else _sheet_cell(cell) for cell in row]
        while cells and not cells[-1].strip():
            cells.pop()
        if not cells:
            continue
        limit.spend(_CELL * len(cells) + sum(map(len, cells)))
        texts.append(cells)
        width = max(width, len(cells))
        limit.check(_CELL * width * len(texts))  # all rows will be padded to the length of the longest row
        if only_first:
            break
    return [[*row, *[""] * (width - len(row))] for row in texts]


def _sheet_cell(cell: Any) -> str:
    if type(cell.value) is int and _PADDED.fullmatch(cell.number_format):
        return f"{cell.value:0{len(cell.number_format)}d}"
    return written(cell.value)


def load_parquet(path: Path, expansion: int = EXPANSION) -> pd.DataFrame:
    """Read a Parquet file within the memory limit, preserving integer and boolean types."""
    pa = _package("pyarrow", "parquet", path)
    # If cells are missing, pandas would otherwise round integers and convert booleans to objects.
    kept: dict[Any, Any] = {pa.bool_(): pd.BooleanDtype()}
    for sign, type_sign in (("Int", "int"), ("UInt", "uint")):
        kept |= {getattr(pa, f"{type_sign}{n}")(): getattr(pd, f"{sign}{n}Dtype")() for n in (8, 16, 32, 64)}
    try:
        return _arrow_table(path, expansion).to_pandas(types_mapper=kept.get, date_as_object=False)
    except (OSError, MemoryError, DataError):
        raise
    except Exception as error:  # pyarrow raises various errors for damaged bytes and invalid text
        raise DataError(f"{path} is not a valid Parquet file: {error}") from error


def _arrow_table(path: Path, expansion: int) -> pyarrow.Table:
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    size = path.stat().st_size
    limit = _Budget(path, max(_ALWAYS_CELLS, expansion * size), expansion)
    texts, step = [], _ROWS
    with ParquetFile(path) as file:
        schema, columns, meta = file.schema_arrow, file.schema, file.metadata
    groups = [meta.row_group(number) for number in range(meta.num_row_groups)]
    limit.check(_CELL * meta.num_rows)
    for place in range(meta.num_columns):
        chunks = [group.column(place) for group in groups]
        kind = columns.column(place)
        width = _OBJECT if kind.logical_type.type in ("DECIMAL", "TIME") else max(_CELL, kind.length or 0)
        for chunk in chunks:
            limit.spend(width * chunk.num_values + chunk.total_uncompressed_size)
        if kind.physical_type == "BYTE_ARRAY":
            # Text stays dictionary-encoded, because repeated texts could exhaust the memory.
            encodings = {encoding for chunk in chunks for encoding in chunk.encodings}
            if "DELTA_BYTE_ARRAY" in encodings:
                step = _ROWS_OF_DIFFERENCES
            elif "DELTA_LENGTH_BYTE_ARRAY" not in encodings:
                texts.append(kind.path)
    batches = []
    with ParquetFile(path, read_dictionary=texts) as file:
        # With threads, pyarrow would read further batches before the limit is checked.
        for batch in file.iter_batches(step, use_threads=False):
            limit.spend(sum(map(_text_bytes, batch.columns)))
            batches.append(batch)
        read = pa.Table.from_batches(batches, file.schema_arrow)
    return read.cast(schema).replace_schema_metadata(schema.metadata)


def _text_bytes(array: Any) -> int:
    import pyarrow as pa
    from pyarrow import compute

    kind = array.type
    if pa.types.is_dictionary(kind):
        if not (pa.types.is_string(kind.value_type) or pa.types.is_binary(kind.value_type)):
            return 0
        lengths = compute.binary_length(array.dictionary).cast(pa.int64())
        return compute.sum(lengths.take(array.indices)).as_py() or 0
    if pa.types.is_struct(kind):
        return sum(map(_text_bytes, array.flatten()))
    if pa.types.is_nested(kind) and hasattr(array, "flatten"):
        return _text_bytes(array.flatten())
    return int(array.nbytes) if pa.types.is_string(kind) or pa.types.is_binary(kind) else 0


def written(cell: Any) -> str:
    """Format a cell as in CSV: midnight timestamps as dates, and decimals without an exponent."""
    if isinstance(cell, str):
        return str(cell)
    if isinstance(cell, np.datetime64 | np.timedelta64):
        cell = pd.Timestamp(cell) if isinstance(cell, np.datetime64) else pd.Timedelta(cell)
    if cell is None or pd.isna(cell):
        return ""
    if isinstance(cell, datetime.datetime):
        is_day = cell.tzinfo is None and cell == type(cell)(cell.year, cell.month, cell.day)
        return cell.date().isoformat() if is_day else cell.isoformat(" ")
    if isinstance(cell, decimal.Decimal) and cell.is_finite() and abs(cell.adjusted()) < 400:
        return format(cell, "f")
    try:
        return str(cell)
    except ValueError:  # ``str`` rejects integers with thousands of digits
        return str(decimal.Decimal(cell))


def cells_of(values: Any) -> list[Any]:
    """Return a column's cells in their stored type, so that 0.1 in single precision has the text 0.1."""
    if not isinstance(values, pd.Series):
        return list(values)
    if isinstance(values.dtype, pd.CategoricalDtype):
        # Cells without a category have the code -1, which selects None.
        names = [*values.cat.categories, None]
        return [names[code] for code in values.cat.codes]
    if pd.api.types.is_string_dtype(values.dtype):
        return values.astype(object).tolist()
    return list(values.array)


def are_cells(cells: Sequence[Any]) -> bool:
    return set(map(type, cells)) <= {str, float, type(None)} or all(map(is_cell, cells))


def is_cell(cell: Any) -> bool:
    """Return whether a cell is a number, text, date or other scalar, but neither bytes nor complex."""
    return bool(pd.api.types.is_scalar(cell)) and not isinstance(cell, bytes | complex | np.complexfloating)


def as_number(text: str) -> float:
    """Parse a number in Python notation. Return NaN for other texts, and infinity on overflow."""
    try:
        value = float(text)
    except ValueError:
        return float("nan")
    # Python also accepts 1_000 and non-ASCII digits, which are not numbers in a data file.
    return value if text.isascii() and "_" not in text else float("nan")


def is_number(text: str) -> bool:
    number = as_number(text)
    return number == number or text.strip().casefold().lstrip("+-") == "nan"


def is_written_number(text: str) -> bool:
    """Return whether a text is a number, possibly with decimal points or commas."""
    return _WRITTEN.fullmatch(text.strip()) is not None


def exact_numbers(texts: Iterable[str]) -> FloatArray:
    listed = list(texts)
    joined = "".join(listed)
    if joined.isascii() and "_" not in joined:
        with suppress(ValueError):
            return np.array(list(map(float, listed)), dtype=np.float64)
    return np.array([np.nan if "," in text else as_number(text) for text in listed], dtype=np.float64)


def equal_rows(rows: Iterable[Row], n_columns: int, source: object) -> Iterator[Row]:
    """Yield rows. Raise a DataError if a row does not have ``n_columns`` cells."""
    for line, row in rows:
        if len(row) != n_columns:
            cells = f"{len(row)} cell{'' if len(row) == 1 else 's'}"
            fault = f"has {cells}, but the first line names {n_columns} column{'s' * (n_columns != 1)}"
            remedy = "correct the line, or remove it if it is a title or footnote"
            if n_columns == 1:
                remedy = "remove any title above the column names"
            raise DataError(f"{source}, line {line} {fault}; {remedy}")
        yield line, row


def code_reason(known: Mapping[str, float]) -> str:
    """Return why numerals are codes rather than numbers, or "" if they are numbers. Takes O(n) time."""
    # ``known`` maps numerals in Python notation to their values. Numerals are codes if some begin with zeros,
    # such as 01000, or look like exponents, such as 2004E205, or if distinct integers are equal as float64.
    exponents = []
    for text, number in known.items():
        if text[0] in "+-0" and _LEADING_ZERO.match(text):
            return f"{text!r} begins with a zero"
        if ("e" in text or "E" in text) and (found := _EXPONENT.fullmatch(text)):
            exponents.append(f"{text!r} would be read as {number:g}")
            if found[1] == "0" or len(found[1]) > 1:
                return exponents[-1]
    if exponents and len(set(known.values())) < len(known):
        return f"{exponents[0]}, which also occurs in the column"
    pair = indistinct(known)
    if pair and all(map(_INTEGER.fullmatch, pair)):
        return f"{pair[0]} and {pair[1]} are equal in double precision"
    return ""


def rounding_note(known: Mapping[str, float]) -> str:
    """Return a note on distinct numerals that became equal, or on numerals with exponents, otherwise ""."""
    if pair := indistinct(known):
        return f"distinct numbers became equal in double precision ({pair[0]} and {pair[1]})"
    if text := next(filter(_EXPONENT.fullmatch, known), ""):
        return f"read as numbers in exponential notation ({text!r} is {known[text]:.15g})"
    return ""


def missing_code(numbers: NDArray[np.floating[Any]]) -> str:
    """Describe a number such as -999 that may mark missing cells, or return "". Takes O(n) time."""
    # The number must occur at least twice, and lie farther from the other numbers than their range.
    for code in (np.fmin.reduce(numbers, initial=np.inf), np.fmax.reduce(numbers, initial=-np.inf)):
        if abs(code) in _MISSING_CODES:
            others = numbers[(numbers != code) & ~np.isnan(numbers)]
            n, halves = np.count_nonzero(numbers == code), others / 2  # halved to prevent overflow
            if n > 1 and len(others) and 0 < np.ptp(halves) < np.abs(halves - code / 2).min():
                what = f"{code:g} in {n} cells is far from all other values"
                remedy = "if it marks missing values, leave these cells empty"
                return f"{what} ({others.min():g} to {others.max():g}); {remedy}"
    return ""


def finite(texts: Iterable[str], numbers: FloatArray) -> dict[str, float]:
    """Map each distinct text to its number, omitting missing and infinite numbers."""
    pairs = zip(texts, numbers.tolist(), strict=True)
    return {text.strip(): number for text, number in pairs if math.isfinite(number)}


def indistinct(numbers: Mapping[str, float]) -> tuple[str, str] | None:
    """Return two distinct numbers that are equal in double precision, or None. Takes O(n) time."""
    # Numbers with at most 15 digits are distinct in double precision.
    if max(map(len, numbers), default=0) <= 15:
        return None
    met: dict[float, str] = {}
    for text, number in numbers.items():
        other = met.setdefault(number, text)
        if other != text and decimal.Decimal(other) != decimal.Decimal(text):
            return other, text
    return None


def is_plain(column: pd.Series[Any]) -> bool:
    """Return whether a column is numeric, or boolean without missing cells."""
    types = pd.api.types
    if types.is_bool_dtype(column.dtype):
        return not column.hasnans
    # Arrow decimals may have more digits than double precision.
    return types.is_numeric_dtype(column.dtype) and not str(column.dtype).startswith("decimal")


def indistinct_values(column: pd.Series[Any] | NDArray[Any]) -> tuple[str, str] | None:
    """Return two distinct integers or extended-precision floats that are equal as float64, or None."""
    values: Any = column
    if isinstance(column, pd.Series):
        types = pd.api.types
        if types.is_integer_dtype(column.dtype):
            unsigned = types.is_unsigned_integer_dtype(column.dtype)
            values = column.dropna().to_numpy(dtype=np.uint64 if unsigned else np.int64)
        else:
            values = column.to_numpy()
    kind = values.dtype.kind
    if not values.size or values.dtype.itemsize < _CELL or kind not in "iuf" or values.dtype == np.float64:
        return None
    if kind != "f" and max(abs(int(values.min())), int(values.max())) <= 2**53:
        return None
    different = np.unique(values)
    numbers = different.astype(np.float64)
    same = np.flatnonzero(numbers[1:] == numbers[:-1])
    return (str(different[same[0]]), str(different[same[0] + 1])) if len(same) else None
