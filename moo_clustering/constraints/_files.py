"""Constraints in text files."""

from __future__ import annotations

import csv
import io
import math
import pathlib
from collections.abc import Iterator, Sequence
from os import PathLike, fspath
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from moo_clustering.constraints._pairs import Pairs
from moo_clustering.persistence._atomic import replacing

Path = str | PathLike[str]
_COLUMNS = ["i", "j", "kind", "weight"]
_MOST_SAMPLES = 2**63 - 1
_LONGEST = 500  # characters of what is wrong, which may quote a cell of any length


def write_constraints(path: Path, *kinds: tuple[str, Pairs, NDArray[np.float64]]) -> None:
    """Write kinds of pairs as i, j, kind, weight; floats are written so that they read back equal."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for kind, pairs, weights in kinds:
        columns = pairs[:, 0].tolist(), pairs[:, 1].tolist(), weights.tolist()
        writer.writerows((i, j, kind, weight) for i, j, weight in zip(*columns, strict=True))
    with replacing(pathlib.Path(path)) as file:
        file.write(text.getvalue().encode())


def read_constraints(
    path: Path, n_samples: int
) -> tuple[list[tuple[int, int]], list[float], list[tuple[int, int]], list[float]]:
    """Must-links, their weights, cannot-links, their weights."""
    rows = _rows(path, ",")
    line, header = next(rows, (1, []))
    if header not in (_COLUMNS, _COLUMNS[:3]):
        _fail(path, line, f"expected the columns {','.join(_COLUMNS)}, got {','.join(header)!r}")
    pairs: dict[str, list[tuple[int, int]]] = {"must_link": [], "cannot_link": []}
    weights: dict[str, list[float]] = {"must_link": [], "cannot_link": []}
    for line, row in rows:
        if len(row) != len(header):
            _fail(path, line, f"expected {len(header)} columns, got {len(row)}")
        if row[2] not in pairs:
            _fail(path, line, f"kind must be must_link or cannot_link, got {row[2]!r}")
        pairs[row[2]].append(_pair(path, line, row, None, n_samples))
        weights[row[2]].append(_weight(path, line, row[3]) if len(row) > 3 else 1.0)
    return pairs["must_link"], weights["must_link"], pairs["cannot_link"], weights["cannot_link"]


def read_pairs(
    path: Path,
    row_ids: Sequence[Any] | NDArray[Any] | None = None,
    n_samples: int | None = None,
    *,
    header: bool | None = None,
) -> Pairs:
    """Read pairs of samples from a file of two columns.

    Parameters
    ----------
    path : str or path-like
        Text separated by tabs, commas or semicolons (told by the first line). Empty lines are
        skipped.
    row_ids : sequence of length n_samples or None, default=None
        Identifiers of the samples, compared as text. None: the file holds row numbers from 0.
    n_samples : int or None, default=None
        Row numbers must be below this; unchecked if neither this nor ``row_ids`` is given.
    header : bool or None, default=None
        Whether the first line is a heading. None: it is if neither of its columns is a row or
        a number.

    Returns
    -------
    pairs : ndarray of shape (n_pairs, 2), int64
        Row numbers in the order of the file; see :class:`PairwiseConstraints` for merging.

    Raises
    ------
    ValueError
        Naming file and line: not two columns, an unknown row, a row out of range, or the same row
        twice.
    """
    numbers: dict[str, int] | None = None
    if row_ids is not None:
        numbers = {str(name): k for k, name in enumerate(row_ids)}
        if n_samples is not None and len(row_ids) != n_samples:
            raise ValueError(f"row_ids must have one value per sample: {n_samples}, got {len(row_ids)}")
        if len(numbers) != len(row_ids):
            names = [str(name) for name in row_ids]
            twice = next(name for k, name in enumerate(names) if numbers[name] != k)
            raise ValueError(f"row_ids must be different, but {twice!r} occurs more than once")
    pairs = []
    first = True
    for line, row in _rows(path, None):
        if len(row) != 2:
            _fail(path, line, f"expected two columns, got {len(row)}: {' | '.join(row)!r}")
        if first:
            first = False
            if header or (header is None and not any(_is_row(cell, numbers) for cell in row)):
                continue
        pairs.append(_pair(path, line, row, numbers, n_samples))
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def _rows(path: Path, delimiter: str | None) -> Iterator[tuple[int, list[str]]]:
    """Line number and stripped cells of every line that is not empty."""
    try:
        # The signature is what spreadsheet programs put before the first column.
        with open(path, encoding="utf-8-sig", newline="") as file:
            if delimiter is None:
                sample = next((text for text in file if text.strip()), "")
                delimiter = next((mark for mark in "\t,;" if mark in sample), ",")
                file.seek(0)
            reader = csv.reader(file, delimiter=delimiter)
            for row in reader:
                cells = [cell.strip() for cell in row]
                if any(cells):
                    yield reader.line_num, cells
    except UnicodeDecodeError as error:
        raise ValueError(f"{fspath(path)}: not a text file in UTF-8 ({error})") from error
    except csv.Error as error:
        raise ValueError(f"{fspath(path)}: cannot be read as a table: {error}") from error


def _is_row(cell: str, numbers: dict[str, int] | None) -> bool:
    if numbers is not None and cell in numbers:
        return True
    try:
        # A number that is no row is a mistake to report, not a heading.
        float(cell)
    except ValueError:
        return False
    return True


def _integer(cell: str) -> int | None:
    try:
        return int(cell)
    except ValueError:
        return None


def _pair(
    path: Path, line: int, row: Sequence[str], numbers: dict[str, int] | None, n_samples: int | None
) -> tuple[int, int]:
    i, j = (_sample(path, line, cell, numbers, n_samples) for cell in row[:2])
    if i == j:
        _fail(path, line, f"the same row twice: {row[0]!r} and {row[1]!r}")
    return i, j


def _sample(path: Path, line: int, cell: str, numbers: dict[str, int] | None, n_samples: int | None) -> int:
    if numbers is not None:
        if cell not in numbers:
            _fail(path, line, f"unknown row identifier {cell!r}")
        return numbers[cell]
    number = _integer(cell)
    if number is None:
        _fail(path, line, f"expected a row number, got {cell!r}")
    if number < 0 or number >= (_MOST_SAMPLES if n_samples is None else n_samples):
        allowed = "0 or more" if n_samples is None else f"0 to {n_samples - 1}"
        _fail(path, line, f"row number {number} is out of range; rows are numbered {allowed}")
    return number


def _weight(path: Path, line: int, cell: str) -> float:
    try:
        weight = float(cell)
    except ValueError:
        weight = math.nan
    if not (math.isfinite(weight) and weight > 0):
        _fail(path, line, f"weight must be a positive number, got {cell!r}")
    return weight


def _fail(path: Path, line: int, problem: str) -> NoReturn:
    shown = (
        problem if len(problem) <= _LONGEST else f"{problem[: _LONGEST // 2]} ... {problem[-_LONGEST // 2 :]}"
    )
    raise ValueError(f"{fspath(path)}, line {line}: {shown}")
