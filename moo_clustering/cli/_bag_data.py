"""Bags named on the command line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from moo_clustering.cli._bag_samples import BagSamples
from moo_clustering.datasets import BagTable, DataError, read_bags
from moo_clustering.datasets._bag_columns import BagOptions
from moo_clustering.datasets._bag_roles import may_be_role
from moo_clustering.datasets._classes import encode_classes
from moo_clustering.datasets._npz import array_names

if TYPE_CHECKING:
    from moo_clustering.estimators._registry import Method

_ARFF = (".arff", ".dat")
# What the reader says to those who call it, for those who use the command.
_AS_FLAGS = (
    (r"\bbag=\.\.\.", "--bag COLUMN"),
    (r"label=\.\.\., or give label=False if there is none", "--labels COLUMN, or leave it out with --drop"),
    (r"as label=('[^']*')", r"with --labels \1"),
    (r"give label=('[^']*')", r"give --labels \1"),
    (r"with drop, as drop=\[('[^']*')\]", r"with --drop \1"),
    (r", have a feature for each of its values with nominal=\['[^']*'\], or,", ", or,"),
    (r"drop=\[('[^']*')\]", r"--drop \1"),
    (r", leave the column out with drop, or take .* missing='median'", " or leave it out with --drop"),
    (r"^bag names a column", "--bag names a column"),
    (r"\bwith drop\b", "with --drop"),
)  # fmt: skip


def holds_bags(path: Path, bag: str | None) -> bool:
    """Whether a file is to be read as bags: ARFF, KEEL, npz with offsets, or a table with ``--bag``."""
    name = path.name.lower().removesuffix(".gz")
    if bag is not None or name.endswith(_ARFF):
        return True
    return "bag_offsets" in array_names(path)


def check_method(method: Method, data: str, bag: str | None, *, holds: bool) -> None:
    """Bags go to methods of bags, and nothing else does.

    Raises
    ------
    DataError
    """
    from moo_clustering.estimators._registry import METHODS

    if holds and not method.bags:
        names = ", ".join(known.name for known in METHODS.values() if known.bags)
        how = f"--bag {bag} makes bags of the rows of {data}" if bag else f"{data} holds bags of instances"
        raise DataError(
            f"{how}, and method {method.name} takes single rows; methods that take bags are {names}"
        )
    if method.bags and not holds:
        raise DataError(
            f"method {method.name} takes bags of instances, and {data} holds single samples, each of which "
            "would be a bag of its own; --bag COLUMN names the column of a table that says which bag a row "
            "belongs to, and .arff, .dat and .npz files may hold bags"
        )


def load_bags(
    path: Path,
    *,
    bag: str | None = None,
    labels: str | None = None,
    partial_labels: str | None = None,
    drop: Sequence[str] = (),
) -> BagSamples:
    """Bags of a file, with their known classes and partial labels.

    Raises
    ------
    DataError
        Also when a column that looks like the classes of the bags would become a feature.
    """
    if partial_labels is None:
        table = _read(path, bag, labels, drop)
        return _samples(table, table)
    if partial_labels == labels:
        raise DataError(f"column {labels!r} cannot hold both the known classes and the partial labels")
    # In archives classes are arrays of their own, never among the features.
    in_columns = path.suffix.lower() != ".npz"
    if labels is None:
        partial = _read(path, bag, partial_labels, drop)
        _refuse_classes(partial)
        return _samples(partial, None, partial)
    partial = _read(path, bag, partial_labels, [*drop, labels] if in_columns else drop)
    known = _read(path, bag, labels, [*drop, partial_labels] if in_columns else drop)
    return _samples(known, known, partial)


def _samples(table: BagTable, known: BagTable | None, partial: BagTable | None = None) -> BagSamples:
    ids = table.bags.bag_ids
    return BagSamples(
        name=table.name,
        X=table.bags,
        row_ids=np.arange(table.n_bags) if ids is None else np.array(ids, dtype=str),
        y=None if known is None else known.labels,
        target_names=() if known is None else known.label_names,
        partial_y=None if partial is None else _unlabelled_by_minus_one(partial),
    )


def _unlabelled_by_minus_one(table: BagTable) -> NDArray[np.int64] | None:
    if table.labels is None:
        return None
    names = (*table.label_names, None)  # -1, no label, is the last
    return encode_classes([names[code] for code in table.labels], minus_one_is_missing=True)[0]


def _refuse_classes(table: BagTable) -> None:
    """Known classes that nobody named must not be clustered by."""
    for name in table.bags.feature_names or ():
        column = name.partition("=")[0]
        if may_be_role(column, BagOptions(bag=column)):
            raise DataError(
                f"column {column!r} looks like the known classes of the bags and would be a feature; name it "
                f"with --labels {column}, or leave it out with --drop {column}"
            )


def _read(path: Path, bag: str | None, label: str | None, drop: Sequence[str]) -> BagTable:
    try:
        return read_bags(path, bag=bag, label=label, drop=tuple(drop))
    except DataError as error:
        text = str(error)
        for pattern, replacement in _AS_FLAGS:
            text = re.sub(pattern, replacement, text)
        raise DataError(text) from error
