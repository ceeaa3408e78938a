"""Rows of ARFF files, dense or sparse, as the entries that differ from the default."""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from moo_clustering._suggest import did_you_mean
from moo_clustering.datasets._arff_header import Attribute, Lines
from moo_clustering.datasets._arff_rows import QUOTED, RowError, RowReader, unquoted
from moo_clustering.datasets._table import DataError

_ENTRY = re.compile(rf"""\s*+([^\s,"']++)\s++(?:({QUOTED})\s*+|((?!["'])[^,]*+))(,|\Z)""", re.DOTALL)
_FREE = ("text", "date")  # kinds without declared values
_Row = tuple[Sequence[int], Sequence[float]]


class Entries(NamedTuple):
    """Entries of all rows, one after the other.

    What has no entry has the code 0: the number 0, or the first declared value. Attributes of text have an
    entry in every row that says something of them. Missing values are NaN.
    """

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    codes: NDArray[np.float64]
    lines: NDArray[np.int64]  # of each row

    @property
    def n_rows(self) -> int:
        return len(self.lines)


class EntryReader:
    """Reads rows; see :meth:`Attribute.code` for the codes."""

    def __init__(self, attributes: Sequence[Attribute]) -> None:
        self._attributes = attributes
        self._dense = RowReader(attributes)
        declared = [(place, each) for place, each in enumerate(attributes) if each.kind not in _FREE]
        self._free = {place for place, each in enumerate(attributes) if each.kind in _FREE}
        self._codes = [each.code for each in attributes]
        self._by_index = {
            str(place): (place, each.values.__getitem__ if each.kind == "nominal" else each.code)
            for place, each in declared
        }
        self._zero_is_default = not self._free and all(
            each.kind == "numeric" or each.values.get("0") == 0 for each in attributes
        )

    def read_all(self, lines: Lines, source: str) -> Entries:
        """Entries of every row; O(entries) memory, O(characters) time."""
        columns, codes, counts, places = array("q"), array("d"), array("q"), array("q")
        for number, line in lines:
            try:
                row, values = self._sparse(line) if line.startswith("{") else self._filled(line)
            except RowError as error:
                raise DataError(f"{source}, line {number}: {error}") from error
            columns.extend(row)
            codes.extend(values)
            counts.append(len(row))
            places.append(number)
        if not places:
            raise DataError(f"{source} has no rows after its @data line; it may be cut off")
        rows = np.repeat(np.arange(len(places)), np.frombuffer(counts, dtype=np.int64))
        entries = Entries(
            rows,
            np.array(columns, dtype=np.int64),
            np.array(codes, dtype=np.float64),
            np.array(places, dtype=np.int64),
        )
        self._refuse_duplicates(entries, source)
        return entries

    def _sparse(self, line: str) -> _Row:
        if not line.endswith("}"):
            raise RowError("the sparse row has no closing brace at its end; the file may be cut off")
        body = line[1:-1]
        if not body or body.isspace():
            return (), ()
        if "'" in body or '"' in body:
            return self._careful(body)
        columns, codes = [], []
        by_index = self._by_index
        try:
            for entry in body.split(","):
                index, token = entry.split()
                column, code = by_index[index]
                columns.append(column)
                codes.append(code(token))
        except (KeyError, ValueError):
            return self._careful(body)
        return columns, codes

    def _careful(self, body: str) -> _Row:
        """A sparse row with quotes or missing values, or one that is wrong in a way to be told."""
        columns: list[int] = []
        codes: list[float] = []
        position = 0
        while True:
            match = _ENTRY.match(body, position)
            if match is None:
                raise RowError(_why(body[position:], len(columns) + 1))
            index, quoted, plain, separator = match.groups()
            token = unquoted(quoted) if quoted is not None else plain.strip()
            if quoted is None and "}" in plain:
                raise RowError(_why(plain, len(columns) + 1))
            columns.append(self._column(index))
            codes.append(self._code(columns[-1], None if quoted is None and token == "?" else token))
            position = match.end()
            if not separator:
                return columns, codes

    def _column(self, index: str) -> int:
        if not (index.isascii() and index.isdigit()):
            raise RowError(f"{index!r} is no index of an attribute (a number from 0)")
        column = int(index) if len(index) <= 18 else len(self._codes)
        if column >= len(self._codes):
            raise RowError(
                f"there is no attribute with the index {index}; the {len(self._codes)} declared attributes "
                f"are numbered from 0 to {len(self._codes) - 1}"
            )
        return column

    def _code(self, column: int, token: str | None) -> float:
        attribute = self._attributes[column]
        try:
            return self._codes[column](token)
        except ValueError:
            raise RowError(f"{token!r} is no number (attribute {attribute.name!r})") from None
        except KeyError:
            raise RowError(
                f"{token!r} is not among the declared values of attribute {attribute.name!r}"
                f"{did_you_mean(token or '', attribute.values)}; correct the row or declare the value"
            ) from None

    def _filled(self, line: str) -> _Row:
        if self._zero_is_default:
            tokens = line.split(",")
            if len(tokens) == len(self._codes):
                columns = [place for place, token in enumerate(tokens) if token != "0"]
                try:
                    return columns, [self._codes[place](tokens[place].strip()) for place in columns]
                except (KeyError, ValueError):
                    pass  # quotes, missing values, or something to be told
        codes = self._dense.read(line)
        columns = [place for place, code in enumerate(codes) if code or place in self._free]
        return columns, [codes[place] for place in columns]

    def _refuse_duplicates(self, entries: Entries, source: str) -> None:
        cells = entries.rows * len(self._codes) + entries.columns
        if (np.diff(cells) > 0).all():
            return
        cells.sort()
        twice = np.flatnonzero(cells[1:] == cells[:-1])
        if len(twice):
            row, column = divmod(int(cells[twice[0]]), len(self._codes))
            raise DataError(
                f"{source}, line {entries.lines[row]}: the sparse row has the index {column} (attribute "
                f"{self._attributes[column].name!r}) twice; leave one of the two"
            )


def _why(rest: str, number: int) -> str:
    if "}" in rest:
        return "the sparse row has a closing brace before its end; weights of rows are not read"
    if not rest.strip():
        return f"entry {number} of the sparse row is empty"
    shown = rest.strip() if len(rest) <= 40 else rest.strip()[:37] + "..."
    return f"entry {number} of the sparse row is no index with a value, as in {{3 1, 17 1}}: {shown!r}"
