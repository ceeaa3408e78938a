"""From instances, their bags and their classes to a table of bags."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from moo_clustering.bags import Bags
from moo_clustering.datasets._bag_columns import BagOptions, Column, Rows
from moo_clustering.datasets._bag_features import feature_matrix
from moo_clustering.datasets._bag_table import BagTable
from moo_clustering.datasets._classes import encode_classes
from moo_clustering.datasets._table import DataError


class Members(NamedTuple):
    """Bag of each row, numbered in the order of first rows, and the identifiers of the bags."""

    bag_of_row: NDArray[np.int64]
    ids: tuple[str, ...] | None

    @property
    def n_bags(self) -> int:
        return int(self.bag_of_row.max()) + 1

    def name(self, bag: int) -> str:
        """How messages call a bag."""
        return f"bag {bag + 1} of {self.n_bags}" if self.ids is None else f"bag {self.ids[bag]!r}"

    def name_row(self, row: int) -> str:
        """How messages call a row."""
        bag = int(self.bag_of_row[row])
        within = np.count_nonzero(self.bag_of_row[: row + 1] == bag)
        return f"{self.name(bag)}, row {within}"


class Classes(NamedTuple):
    """Class of each row, as code of a column's value; NaN where there is none."""

    column: Column
    codes: NDArray[np.floating[Any]]


def members_of(column: Column, codes: NDArray[np.floating[Any]], rows: Rows, source: str) -> Members:
    """Bags of the rows by a column of identifiers."""
    missing = np.flatnonzero(np.isnan(codes))
    if len(missing):
        raise DataError(
            f"{source}, {rows.place(int(missing[0]))} has no bag: column {column.name!r} is empty there"
        )
    used, first, inverse = np.unique(codes.astype(np.int64), return_index=True, return_inverse=True)
    order = np.argsort(first)  # bags in the order of their first rows
    rank = np.empty(len(used), dtype=np.int64)
    rank[order] = np.arange(len(used))
    return Members(rank[inverse], tuple(column.values[code] for code in used[order]))


def assemble(
    rows: Rows, members: Members, classes: Classes | None, options: BagOptions, name: str, source: str
) -> BagTable:
    """The bags, each with its rows in the order of the file, and their classes."""

    def where(row: int) -> str:
        what = members.name_row(row)
        return what if rows.lines is None else f"line {rows.lines[row]} ({what})"

    labels, label_names = (None, ()) if classes is None else _classes(rows, members, classes, source)
    X, names = feature_matrix(rows, options, source, where)
    bag_of_row = members.bag_of_row
    if (np.diff(bag_of_row) < 0).any():
        X = X[np.argsort(bag_of_row, kind="stable")]
    X.flags.writeable = False  # nobody else holds it, so that it need not be copied
    offsets = np.concatenate([[0], np.cumsum(np.bincount(bag_of_row))])
    bags = Bags(X, offsets, bag_ids=members.ids, feature_names=names)
    return BagTable(bags, labels, label_names, name)


def _classes(
    rows: Rows, members: Members, classes: Classes, source: str
) -> tuple[NDArray[np.int64] | None, tuple[str, ...]]:
    codes = np.where(np.isnan(classes.codes), -1, classes.codes).astype(np.int64)
    first = np.unique(members.bag_of_row, return_index=True)[1]
    other = np.flatnonzero(codes != codes[first][members.bag_of_row])
    values = [*classes.column.values, None]  # -1, no class, is the last
    if len(other):
        row = int(other[0])
        start = int(first[members.bag_of_row[row]])
        one, two = (
            "no class" if values[codes[at]] is None else f"class {values[codes[at]]!r}" for at in (start, row)
        )
        raise DataError(
            f"{source}: {members.name(int(members.bag_of_row[row]))} has {one} in {rows.place(start)} but "
            f"{two} in {rows.place(row)} (column {classes.column.name!r}), and a bag has one class; name "
            "the column of the classes with label=..., or give label=False if there is none"
        )
    return known_classes([values[code] for code in codes[first]])


def known_classes(values: list[str | None]) -> tuple[NDArray[np.int64] | None, tuple[str, ...]]:
    """Codes and names of the classes of the bags; None where no bag has one."""
    labels, names = encode_classes(values, minus_one_is_missing=False)
    return (labels, names) if names else (None, ())
