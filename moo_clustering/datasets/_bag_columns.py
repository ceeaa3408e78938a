"""Instances as they were read, and what the user says about their columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from moo_clustering._suggest import did_you_mean
from moo_clustering.datasets._table import DataError


class BagOptions(NamedTuple):
    """What the user says about the columns; see :func:`~moo_clustering.datasets.read_bags`."""

    bag: str | None = None
    label: str | Literal[False] | None = None
    drop: tuple[str, ...] = ()
    nominal: tuple[str, ...] = ()
    missing: str = "error"

    def check(self, columns: Sequence[str], source: str) -> None:
        """Every named column exists, and none has two roles."""
        asked = [(self.bag, "bag"), (self.label or None, "label")]
        asked += [(name, role) for role in ("drop", "nominal") for name in dict.fromkeys(getattr(self, role))]
        roles: dict[str, str] = {}
        for name, role in asked:
            if name is None:
                continue
            if name not in columns:
                raise DataError(f"{source} has no column {name!r} ({role}){did_you_mean(name, columns)}")
            if name in roles:
                raise DataError(f"column {name!r} cannot be both {roles[name]} and {role}")
            roles[name] = role


class Column(NamedTuple):
    """A column; ``values`` are what its codes stand for unless it is numeric."""

    name: str
    kind: str  # "numeric", "nominal" (values declared), "text" or "date" (values met)
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class Rows:
    """One instance a row; nominal values as codes, NaN where a value is missing.

    ``lines`` has the line of each row in the file, where that is known.
    """

    columns: tuple[Column, ...]
    numbers: NDArray[np.floating[Any]]
    lines: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.numbers)

    def only(self, columns: Sequence[int]) -> Self:
        """The rows with some of their columns."""
        if len(columns) == len(self.columns):
            return self
        kept = tuple(self.columns[column] for column in columns)
        return type(self)(kept, self.numbers[:, list(columns)], self.lines)

    def place(self, row: int) -> str:
        """Where a row stands in the file."""
        return f"row {row + 1}" if self.lines is None else f"line {self.lines[row]}"
