"""Tables in files as data frames, every cell of text files as it is written."""

from __future__ import annotations

import codecs
import csv
import io
from pathlib import Path

import pandas as pd

from moo_clustering.datasets._columns import Roles, check_roles
from moo_clustering.datasets._parquet import parquet_frame
from moo_clustering.datasets._read import _PARQUET, _TEXT
from moo_clustering.datasets._table import DataError
from moo_clustering.datasets._text import UNNAMED, column_names, ragged


def holds_columns(path: Path) -> bool:
    """Whether a file is of a kind that :func:`read_frame` reads."""
    return path.suffix.lower() in (*_TEXT, *_PARQUET)


def read_frame(path: Path, roles: Roles) -> tuple[pd.DataFrame, Roles, list[str]]:
    """A table that spreadsheets write.

    Text may be UTF-8, UTF-16 with a byte order mark, or else is taken for Windows-1252. Columns without a
    name at the end, and rows at the end, are left out if they are empty.

    Parameters
    ----------
    path : Path
    roles : Roles

    Returns
    -------
    frame : DataFrame
        Text, of Parquet files the types they have; columns named by text.
    roles : Roles
        With the column of identifiers, if the first has no name.
    notes : list of str
        What to say of it.

    Raises
    ------
    DataError
        For files that are missing, empty, ragged or damaged, and columns that do not exist.

    Notes
    -----
    O(bytes) time and memory.
    """
    if not path.exists():
        raise DataError(f"there is no file {path}")
    if path.is_dir():
        raise DataError(f"{path} is a folder, not a file")
    if path.suffix.lower() in _PARQUET:
        try:
            frame, roles = parquet_frame(path, roles)
        except OSError as error:
            raise DataError(f"cannot read {path}: {error.strerror or error}") from error
        check_roles(roles, list(frame.columns), str(path))
        return frame, roles, []
    text, notes = _decoded(path)
    rows = _rows(text, path)
    columns, rows = _without_empty_ends(rows, path, notes)
    if columns[0] == UNNAMED and roles.id_column is None and UNNAMED not in roles.drop:
        roles = roles._replace(id_column=UNNAMED)
    check_roles(roles, columns, str(path))
    for line, row in rows:
        if len(row) != len(columns):
            ragged(str(path), len(columns), line, row)
    if not rows:
        raise DataError(f"{path} has column names but no rows")
    cells = [[cell.strip() for cell in row] for _, row in rows]
    return pd.DataFrame(cells, columns=columns, dtype=object), roles, notes


def _decoded(path: Path) -> tuple[str, list[str]]:
    content = path.read_bytes()
    notes: list[str] = []
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    else:
        try:
            return content.decode("utf-8-sig"), notes
        except UnicodeDecodeError:
            encoding = "cp1252"
            notes = [
                "the file is not UTF-8, and was read as Windows-1252; look whether its letters are right"
            ]
    try:
        return content.decode(encoding), notes
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not a text file in UTF-8 ({error.reason})") from error


def _rows(text: str, path: Path) -> list[tuple[int, list[str]]]:
    """Line number and cells of every line that is not empty."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    tabs = path.suffix.lower() in {".tsv", ".tab"}
    separator = "\t" if tabs else max(",;\t", key=first.count)
    if "\0" in text:
        raise DataError(f"{path} is not a text file: it holds zero bytes")
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True)
        return [(reader.line_num, row) for row in reader if row and (len(row) > 1 or row[0].strip())]
    except csv.Error as error:
        raise DataError(f"{path} cannot be read as a table: {error}") from error


def _without_empty_ends(
    rows: list[tuple[int, list[str]]], path: Path, notes: list[str]
) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Names of the columns, and rows."""
    head, rest = rows[:1], rows[1:]
    if head:
        names = head[0][1]
        width = len(names)
        while (
            width > 1 and not names[width - 1].strip() and not any(_held(row, width - 1) for _, row in rest)
        ):
            width -= 1
        if width < len(names):
            head = [(head[0][0], names[:width])]
            rest = [(line, row[:width] if len(row) == len(names) else row) for line, row in rest]
    columns = column_names(head, str(path))
    n_rows = len(rest)
    while rest and not any(cell.strip() for cell in rest[-1][1]):
        rest.pop()
    if n_empty := n_rows - len(rest):
        notes.append(f"{n_empty} empty row{'' if n_empty == 1 else 's'} at the end left out")
    return columns, rest


def _held(row: list[str], column: int) -> str:
    return row[column].strip() if column < len(row) else ""
