"""WEKA's relational ARFF: one bag a row, its instances in a quoted value."""

from __future__ import annotations

from array import array

import numpy as np
from numpy.typing import NDArray

from moo_clustering.datasets._arff_header import Attribute, Header, Lines
from moo_clustering.datasets._arff_rows import RowError, RowReader
from moo_clustering.datasets._bag_assembly import Classes, Members, assemble, members_of
from moo_clustering.datasets._bag_columns import BagOptions, Column, Rows
from moo_clustering.datasets._bag_roles import relational_roles
from moo_clustering.datasets._bag_table import BagTable
from moo_clustering.datasets._table import DataError


def read_relational(header: Header, lines: Lines, options: BagOptions, name: str, source: str) -> BagTable:
    """Bags of a file with a relational attribute; see :func:`~moo_clustering.datasets.read_bags`."""
    relational = _relational(header, options, source)
    inner = header.attributes[relational].inner
    _check_options(header, inner, options, source)
    for attribute in header.attributes:
        if attribute.kind == "numeric":
            attribute.kind = "text"  # an identifier or a class, to be kept as it is written
    codes, places = RowReader(header.attributes).read_all(lines, source)
    entries = Rows(tuple(columns_of(attribute) for attribute in header.attributes), codes, places)
    bag, label = _roles(entries, relational, options, source)
    members = Members(np.arange(len(entries)), None)
    if bag is not None:
        members = members_of(entries.columns[bag], codes[:, bag], entries, source)
    numbers, sizes = _instances(inner, _texts(entries, relational), members, places, source)
    rows = Rows(tuple(columns_of(attribute) for attribute in inner), numbers, np.repeat(places, sizes))
    kept = [place for place, attribute in enumerate(inner) if attribute.name not in options.drop]
    classes = None
    if label is not None:
        classes = Classes(entries.columns[label], np.repeat(codes[:, label], sizes))
    members = Members(np.repeat(members.bag_of_row, sizes), members.ids)
    return assemble(rows.only(kept), members, classes, options, name, source)


def columns_of(attribute: Attribute) -> Column:
    """The column of an attribute, after its values were read."""
    return Column(attribute.name, attribute.kind, tuple(attribute.values))


def _check_options(header: Header, inner: list[Attribute], options: BagOptions, source: str) -> None:
    beside = [attribute.name for attribute in header.attributes]
    inside = [attribute.name for attribute in inner]
    options._replace(drop=(), nominal=()).check(beside, source)
    options._replace(bag=None, label=None, drop=()).check(inside, source)
    options.check(beside + inside, source)


def _relational(header: Header, options: BagOptions, source: str) -> int:
    places = [
        place
        for place, attribute in enumerate(header.attributes)
        if attribute.kind == "relational" and attribute.name not in options.drop
    ]
    named = [place for place in places if header.attributes[place].name == options.bag]
    if not places:
        raise DataError(f"{source}: no relational attribute is left; drop names them all")
    if len(named or places) > 1:
        names = [header.attributes[place].name for place in places]
        raise DataError(
            f"{source} has several relational attributes ({', '.join(map(repr, names))}); "
            f"leave all but one out with drop, as drop=[{names[-1]!r}]"
        )
    return (named or places)[0]


def _roles(entries: Rows, relational: int, options: BagOptions, source: str) -> tuple[int | None, int | None]:
    distinct = [len(np.unique(codes)) == len(entries) for codes in entries.numbers.T]
    bag, label = relational_roles(entries.columns, relational, options, distinct)
    for place, column in enumerate(entries.columns):
        if place not in (bag, label, relational) and column.name not in options.drop:
            raise DataError(
                f"{source}: attribute {column.name!r} is neither the bag, its identifier nor its class; "
                f"leave it out with drop=[{column.name!r}]"
            )
    return bag, label


def _texts(entries: Rows, relational: int) -> list[str]:
    """What the file has in place of each bag, empty where it has nothing."""
    values = (*entries.columns[relational].values, "")
    codes = entries.numbers[:, relational]
    return [values[int(code)] for code in np.where(np.isnan(codes), -1, codes)]


def _instances(
    inner: list[Attribute], texts: list[str], members: Members, places: NDArray[np.int64], source: str
) -> tuple[NDArray[np.float64], list[int]]:
    """Instances of all bags, and how many each row of the file has."""
    reader = RowReader(inner)
    numbers, sizes = array("d"), []
    for row, text in enumerate(texts):
        size = 0
        try:
            for instance in filter(None, map(str.strip, text.split("\n"))):
                numbers.extend(reader.read(instance))
                size += 1
        except RowError as error:
            bag = members.name(int(members.bag_of_row[row]))
            raise DataError(f"{source}, line {places[row]}: {bag}, row {size + 1}: {error}") from error
        if not size:
            bag = members.name(int(members.bag_of_row[row]))
            raise DataError(
                f"{source}, line {places[row]}: {bag} is empty, but every bag needs an instance; remove it"
            )
        sizes.append(size)
    return np.frombuffer(numbers, dtype=np.float64).reshape(sum(sizes), len(inner)), sizes
