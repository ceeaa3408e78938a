"""What is said of the preparation of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from moo_clustering.datasets._column_kinds import Column

_SHOWN = 8
_CLASSES = {"class", "classes", "label", "labels", "target", "targets", "klasse", "cluster"}


def left_out_notes(columns: Sequence[Column]) -> list[str]:
    """A line for each reason to leave columns out."""
    by_reason: dict[str, list[str]] = {}
    for column in columns:
        if column.kind == "out":
            by_reason.setdefault(column.reason, []).append(column.name)
    notes = []
    for reason, names in by_reason.items():
        note = f"{_columns(names)} left out: {reason}"
        if reason in ("it numbers the rows", "another value in every row"):
            note += f" (--id-column {names[0]} names the rows by it)"
        notes.append(note)
    return notes


def reading_notes(columns: Sequence[Column], indicators: Sequence[str], n_features: int) -> list[str]:
    """Categories, dates, and numbers that are written in an unusual way."""
    notes = []
    if names := [column.name for column in columns if column.kind == "category"]:
        count = f"{len(indicators)} indicator{'' if len(indicators) == 1 else 's'}"
        whose = "its" if len(names) == 1 else "their"
        notes.append(f"{_columns(names)} of text became {count} of {whose} values")
    if names := [column.name for column in columns if column.kind == "date"]:
        notes.append(f"{_columns(names)} of dates became numbers of days (--drop leaves a column out)")
    for convention, text in (("comma", "decimal commas"), ("point", "commas between thousands")):
        if names := [column.name for column in columns if column.convention == convention]:
            notes.append(f"{_columns(names)} read as numbers with {text}")
    units: dict[str, list[str]] = {}
    for column in columns:
        if column.unit:
            units.setdefault(column.unit, []).append(column.name)
        if column.strays:
            one = len(column.strays) == 1
            notes.append(
                f"column {column.name!r} holds numbers but for {_listed([repr(s) for s in column.strays])}, "
                f"which {'counts as a missing value' if one else 'count as missing values'}"
            )
        if column.grouped and column.convention == "plain":
            notes.append(f"column {column.name!r} read as numbers with decimal points, not as thousands")
    notes += [f"{_columns(names)} read as numbers of {unit}" for unit, names in units.items()]
    return notes


def filled_notes(columns: Sequence[Column]) -> list[str]:
    """How many cells were filled with what."""
    notes = []
    kinds = ((("number", "date"), "median"), (("category",), "most frequent value"))
    for these, what in kinds:
        counts = {column.name: int(column.values.isna().sum()) for column in columns if column.kind in these}
        counts = {name: count for name, count in counts.items() if count}
        if not counts:
            continue
        total = sum(counts.values())
        where = f"column {next(iter(counts))!r}" if len(counts) == 1 else f"{len(counts)} columns"
        each = "" if len(counts) == 1 else f": {_listed([f'{n} ({c})' for n, c in counts.items()])}"
        filled = "value was" if total == 1 else "values were"
        notes.append(f"{total} missing {filled} filled with the {what} of {where}{each}")
    if columns:
        empty = columns[0].values.isna()
        for column in columns[1:]:
            empty &= column.values.isna()
        if n := int(empty.sum()):
            rows = f"row {int(empty.to_numpy().argmax()) + 1} has" if n == 1 else f"{n} rows have"
            notes.append(f"{rows} no value in any of the columns used")
    return notes


def class_notes(columns: Sequence[Column]) -> list[str]:
    """Features that may be meant to be the known classes."""
    return [
        f"column {column.name!r} is used as a feature; if it holds known classes, give --labels {column.name}"
        for column in columns
        if column.name.casefold() in _CLASSES
    ]


def _columns(names: Sequence[str]) -> str:
    return f"column {names[0]!r}" if len(names) == 1 else f"{len(names)} columns ({_listed(names)})"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
