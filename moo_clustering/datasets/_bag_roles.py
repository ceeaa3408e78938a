"""Which column identifies the bags, and which holds their classes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from moo_clustering.datasets._bag_columns import BagOptions, Column, Rows
from moo_clustering.datasets._table import DataError

_BAG = re.compile(r"(.*[\W_])?bag([\W_]?(id|name|nr|no|number))?", re.IGNORECASE)
_CLASS = re.compile(r"(bag[\W_]?)?(class|label)([\W_]?name)?", re.IGNORECASE)
_IDENTIFIER = re.compile(r"(.*[\W_])?(id|name|key)", re.IGNORECASE)
_SHOWN = 8


class Roles(NamedTuple):
    """Places of the column of bags and of the column of classes."""

    bag: int
    label: int | None
    guessed: bool  # the bag column for no better reason than being the first


def may_be_role(name: str, options: BagOptions) -> bool:
    """Whether a column whose role nobody gave holds bags or classes by its name."""
    as_bag = options.bag is None and _BAG.fullmatch(name)
    return bool(as_bag or (options.label is None and _CLASS.fullmatch(name)))


def is_identifier(rows: Rows, place: int) -> bool:
    """Whether a column names the instances: no numbers, all different, and called id, name or key."""
    column, codes = rows.columns[place], rows.numbers[:, place]
    return (
        column.kind in {"nominal", "text"}
        and _IDENTIFIER.fullmatch(column.name) is not None
        and len(set(codes.tolist())) == len(codes)
    )


def flat_roles(
    columns: Sequence[Column], options: BagOptions, source: str, outputs: Sequence[str] = ()
) -> Roles:
    """Roles of the columns of a table with one instance a row."""
    names = [column.name for column in columns]
    options.check(names, source)
    if len(outputs) > 1 and options.label is None:
        raise DataError(f"{source} has several outputs; name that of the classes, as label={outputs[0]!r}")
    named = _named_label(columns, options, outputs)
    bag, guessed = _flat_bag(columns, options, named)
    if bag is None:
        shown = ", ".join(map(repr, names[:_SHOWN])) + (", ..." if len(names) > _SHOWN else "")
        raise DataError(
            f"{source} has no relational attribute, and no column that is plainly the bag of each row; "
            f"name it with bag=..., one of {shown}"
        )
    label = named if options.label is False or named is not None else _last_nominal(columns, options, bag)
    return Roles(bag, label, guessed)


def _flat_bag(columns: Sequence[Column], options: BagOptions, label: int | None) -> tuple[int | None, bool]:
    if options.bag is not None:
        return [column.name for column in columns].index(options.bag), False
    free = [place for place in _free(columns, options) if place != label]
    for place in free:
        if _BAG.fullmatch(columns[place].name):
            return place, False
    if 0 in free and columns[0].kind in {"nominal", "text"}:
        return 0, True
    return None, False


def relational_roles(
    columns: Sequence[Column], relational: int, options: BagOptions, distinct: Sequence[bool]
) -> tuple[int | None, int | None]:
    """Identifier and class among the attributes beside the relational one.

    ``distinct`` says of which attributes no value occurs twice.
    """
    names = [column.name for column in columns]
    label = _named_label(columns, options, ())
    bag = None if options.bag in (None, names[relational]) else names.index(options.bag or "")
    if label is None and options.label is None:
        label = _last_nominal(columns, options, bag)
        others = [place for place in _free(columns, options) if place not in (label, relational)]
        # A lone attribute with a value of its own for every bag tells the bags apart, not their classes.
        if label is not None and bag is None and not others and distinct[label]:
            return label, None
    if bag is None:
        before = [place for place in _free(columns, options) if place < relational and place != label]
        bag = before[0] if before else None
    return bag, label


def _named_label(columns: Sequence[Column], options: BagOptions, outputs: Sequence[str]) -> int | None:
    names = [column.name for column in columns]
    if options.label is False:
        return None
    if options.label is not None:
        return names.index(options.label)
    free = [place for place in _free(columns, options) if names[place] != options.bag]
    for place in free:
        if names[place] in outputs:
            return place
    return next((place for place in free if _CLASS.fullmatch(names[place])), None)


def _last_nominal(columns: Sequence[Column], options: BagOptions, bag: int | None) -> int | None:
    candidates = [
        place
        for place in _free(columns, options)
        if place != bag
        and columns[place].kind == "nominal"
        and not _IDENTIFIER.fullmatch(columns[place].name)
    ]
    return candidates[-1] if candidates else None


def _free(columns: Sequence[Column], options: BagOptions) -> list[int]:
    taken = {*options.drop, *options.nominal}
    return [place for place, column in enumerate(columns) if column.name not in taken]
