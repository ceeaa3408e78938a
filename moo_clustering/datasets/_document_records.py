"""Documents in JSON lines and in tables."""

from __future__ import annotations

import csv
import gzip
import itertools
import json
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from moo_clustering.datasets._document_fields import Records
from moo_clustering.datasets._table import DataError
from moo_clustering.datasets._text import column_names, ragged, separator_of, table_rows

_LONGEST = 2**31 - 1  # characters of a cell, where the csv module would stop at 131,072


def read_lines(path: Path, wanted: Collection[str]) -> Records:
    """The wanted fields of JSON objects, one a line."""
    columns: dict[str, None] = {}
    lines, rows = [], []
    for line, record in json_objects(path):
        columns |= dict.fromkeys(record)
        lines.append(line)
        rows.append({name: record[name] for name in record if name in wanted})
    present = [name for name in columns if name in wanted]
    return Records(list(columns), {name: [row.get(name) for row in rows] for name in present}, lines)


def json_objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Line number and object of every line that is not empty."""
    is_gzip = path.name.lower().endswith(".gz")
    try:
        with gzip.open(path) if is_gzip else open(path, "rb") as file:
            for line, text in enumerate(file, start=1):
                if text.strip():
                    yield line, _object(text, f"{path}, line {line}", first=line == 1)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"{path} is a damaged gzip file: {error}") from error


def _object(text: bytes, where: str, *, first: bool) -> dict[str, Any]:
    try:
        record = json.loads(text.decode("utf-8-sig" if first else "utf-8"))
    except UnicodeDecodeError as error:
        raise DataError(f"{where} is not text in UTF-8 ({error.reason})") from error
    except json.JSONDecodeError as error:
        raise DataError(f"{where} is not JSON: {error.msg} at column {error.colno}") from error
    except (ValueError, RecursionError) as error:  # numbers or nesting beyond what Python reads
        raise DataError(f"{where} cannot be read as JSON: {error}") from error
    if not isinstance(record, dict):
        raise DataError(f"{where} is JSON but not an object, as {{...}}")
    return record


def read_rows(path: Path, wanted: Collection[str]) -> Records:
    """The wanted columns of a table, as they are written."""
    source = str(path)
    lines: list[int] = []
    try:
        with _long_cells():
            rows = table_rows(path, separator_of(path))
            columns = column_names(list(itertools.islice(rows, 1)), source)
            present = {name: number for number, name in enumerate(columns) if name in wanted}
            cells: dict[str, list[Any]] = {name: [] for name in present}
            for line, row in rows:
                if len(row) != len(columns):
                    ragged(source, len(columns), line, row)
                lines.append(line)
                for name, number in present.items():
                    cells[name].append(row[number])
    except UnicodeDecodeError as error:
        raise DataError(f"{source} is not a text file in UTF-8 ({error.reason})") from error
    except csv.Error as error:
        raise DataError(f"{source} cannot be read as a table: {error}") from error
    return Records(columns, cells, lines)


@contextmanager
def _long_cells() -> Iterator[None]:
    """Documents may be longer than the cells that the csv module takes unless told otherwise."""
    before = csv.field_size_limit(_LONGEST)
    try:
        yield
    finally:
        csv.field_size_limit(before)
