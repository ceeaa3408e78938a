"""Rows of ARFF files: values between commas, with quotes and escapes."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from moo_clustering._suggest import did_you_mean
from moo_clustering.datasets._table import DataError

QUOTED = r""""[^"\\]*(?:\\.[^"\\]*)*"|'[^'\\]*(?:\\.[^'\\]*)*\'"""
_VALUE = re.compile(rf"""\s*+(?:({QUOTED})|((?!["'])[^,\t]*))(\s*,|[ ]*\t|\s*\Z)""", re.DOTALL)
_ESCAPE = re.compile(r"\\(u001E|.)", re.DOTALL | re.IGNORECASE)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "u001e": "\x1e", "u001E": "\x1e"}
_MISSING = {"?", "", "<null>"}  # the last is KEEL's


class Coded(Protocol):
    """An attribute whose values have codes."""

    name: str
    kind: str
    values: dict[str, int]

    def code(self, token: str | None) -> float: ...


class RowError(ValueError):
    """A row that cannot be split; the message says why."""


def unquoted(quoted: str) -> str:
    """What a quoted text stands for."""
    inner = quoted[1:-1]
    if "\\" not in inner:
        return inner
    return _ESCAPE.sub(lambda match: _ESCAPES.get(match[1], match[1]), inner)


def split_row(text: str, expected: int) -> list[str | None]:
    """Values of a row; None for missing ones.

    Values are separated by commas or tabs, or by blanks where ``expected`` is more than one and there
    is neither.
    """
    if '"' not in text and "'" not in text:
        parts = text.split(",") if "," in text else text.split("\t") if "\t" in text else [text]
        if len(parts) == 1 and expected > 1:
            parts = text.split()
        return [None if (part := raw.strip()) in _MISSING else part for raw in parts]
    values: list[str | None] = []
    position = 0
    while True:
        match = _VALUE.match(text, position)
        if match is None:
            raise RowError(_why(text, position, len(values) + 1))
        quoted, plain, separator = match.groups()
        if quoted is not None:
            values.append(unquoted(quoted))
        else:
            values.append(None if plain.strip() in _MISSING else plain.strip())
        position = match.end()
        if "," not in separator and "\t" not in separator:
            return values


def _why(text: str, position: int, number: int) -> str:
    opened = re.match(rf"\s*({QUOTED})", text[position:], re.DOTALL)
    if opened:
        return f"after the quoted value {number} there is no comma"
    return f"the quotes of value {number} are not closed; the file may be cut off"


class RowReader:
    """Rows as numbers; see :meth:`Attribute.code`."""

    def __init__(self, attributes: Sequence[Coded]) -> None:
        self._attributes = attributes
        self._codes = [attribute.code for attribute in attributes]

    def read(self, text: str) -> list[float]:
        """The values of one row."""
        if text.startswith("{"):
            raise RowError("sparse rows are not read; save the file as dense ARFF")
        tokens = split_row(text, len(self._codes))
        if len(tokens) != len(self._codes):
            values = f"{len(tokens)} value{'' if len(tokens) == 1 else 's'}"
            cut = "; the file may be cut off" if len(tokens) < len(self._codes) else ""
            raise RowError(f"{values} for the {len(self._codes)} declared attributes{cut}")
        try:
            return [code(token) for code, token in zip(self._codes, tokens, strict=True)]
        except (ValueError, KeyError):
            raise RowError(self._refusal(tokens)) from None

    def read_all(
        self, lines: Iterable[tuple[int, str]], source: str
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Values of shape (n_rows, n_attributes), and the line of each row."""
        numbers, places = array("d"), array("q")
        for number, line in lines:
            try:
                numbers.extend(self.read(line))
            except RowError as error:
                raise DataError(f"{source}, line {number}: {error}") from error
            places.append(number)
        if not places:
            raise DataError(f"{source} has no rows after its @data line; it may be cut off")
        values = np.frombuffer(numbers, dtype=np.float64).reshape(len(places), len(self._codes))
        return values, np.frombuffer(places, dtype=np.int64)

    def _refusal(self, tokens: list[str | None]) -> str:
        for attribute, token in zip(self._attributes, tokens, strict=True):
            try:
                attribute.code(token)
            except ValueError:
                return f"{token!r} is no number (attribute {attribute.name!r})"
            except KeyError:
                break
        return (
            f"{token!r} is not among the declared values of attribute {attribute.name!r}"
            f"{did_you_mean(token or '', attribute.values)}; correct the row or declare the value"
        )
