"""Comma-, tab- and semicolon-separated files."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from moo_clustering.datasets._columns import Roles, check_roles, not_numeric, table_from_frame
from moo_clustering.datasets._exact_numbers import EXACT
from moo_clustering.datasets._table import DataError, Table

UNNAMED = "(unnamed first column)"


def read_text(path: Path, roles: Roles) -> Table:
    """Read a text table; see :func:`~moo_clustering.datasets.read_table`."""
    source = str(path)
    try:
        separator = separator_of(path)
        head = list(itertools.islice(table_rows(path, separator), 2))
        columns = column_names(head, source)
        if columns[0] == UNNAMED and roles.id_column is None and UNNAMED not in roles.drop:
            roles = roles._replace(id_column=UNNAMED)
        check_roles(roles, columns, source)
        if len(head) > 1 and len(head[1][1]) != len(columns):
            ragged(source, len(columns), *head[1])
        as_text = set(roles.by_column())
        frame = _frame(path, separator, columns, as_text)
        if roles.categories and (
            categories := not_numeric(frame, [name for name in columns if name not in as_text])
        ):
            # Categories stay as they are written too.
            frame = _frame(path, separator, columns, as_text | set(categories))
        # Cells missing at the end of a row look like empty ones to the parser.
        if len(columns) > 1 and bool(frame[columns[-1]].isna().any()):
            for line, row in table_rows(path, separator):
                if len(row) != len(columns):
                    ragged(source, len(columns), line, row)
    except UnicodeDecodeError as error:
        raise DataError(f"{source} is not a text file in UTF-8 ({error.reason})") from error
    except csv.Error as error:
        raise DataError(f"{source} cannot be read as a table: {error}") from error
    return table_from_frame(frame, roles, name=path.name, source=source)


def separator_of(path: Path) -> str:
    with open(path, encoding="utf-8-sig", newline="") as file:
        first = next((line for line in file if line.strip()), "")
    if path.suffix.lower() in {".tsv", ".tab"}:
        return "\t"
    return max(",;\t", key=first.count)


def table_rows(path: Path, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Line number and cells of every line that is not empty."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, delimiter=separator, skipinitialspace=True)
        for row in reader:
            if row and (len(row) > 1 or row[0].strip()):
                yield reader.line_num, row


def column_names(head: list[tuple[int, list[str]]], source: str) -> list[str]:
    if not head:
        raise DataError(f"{source} is empty")
    columns = [name.strip() for name in head[0][1]]
    numbered = [str(number) for number in range(len(columns))]  # as pandas names columns without names
    if all(_is_number(name) for name in columns) and (len(columns) == 1 or columns != numbered):
        raise DataError(f"{source} has numbers in its first line, where the names of the columns should be")
    if len(columns) > 1 and not columns[0]:
        columns[0] = UNNAMED  # as pandas and R write their row names
    for number, name in enumerate(columns, start=1):
        if not name:
            raise DataError(f"{source}: column {number} has no name")
        if name in columns[: number - 1]:
            raise DataError(f"{source} has two columns named {name!r}")
    return columns


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _frame(path: Path, separator: str, columns: list[str], text: Collection[str]) -> pd.DataFrame:
    # Identifiers and classes stay as they are written: "007" is not 7, and "NA" may be a class.
    as_text: dict[Any, Any] = dict.fromkeys(text, str)
    try:
        return pd.read_csv(
            path,
            sep=separator,
            header=0,
            names=columns,
            index_col=False,
            dtype=as_text,
            keep_default_na=False,
            na_values={column: [""] if column in as_text else ["", "nan", "NaN", "NA"] for column in columns},
            skipinitialspace=True,
            encoding="utf-8-sig",
            low_memory=False,
            **EXACT,
        )
    except pd.errors.EmptyDataError as error:
        raise DataError(f"{path} is empty") from error
    except pd.errors.ParserError as error:
        for line, row in table_rows(path, separator):
            if len(row) != len(columns):
                ragged(str(path), len(columns), line, row)
        raise DataError(f"{path} cannot be read as a table: {error}") from error


def ragged(source: str, expected: int, line: int, row: list[str]) -> None:
    cells = "cell" if len(row) == 1 else "cells"
    raise DataError(
        f"{source}, line {line} has {len(row)} {cells} where the first line names {expected} columns"
    )
