"""The data named on the command line."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from moo_clustering._suggest import did_you_mean
from moo_clustering.cli._bag_samples import BagSamples
from moo_clustering.cli._label_sets import load_documents
from moo_clustering.cli._sparse_samples import holds_sparse, load_sparse
from moo_clustering.datasets import (
    BUNDLED,
    DataError,
    Documents,
    MultiLabelTable,
    Table,
    load_bundled,
    read_table,
)
from moo_clustering.datasets._read_documents import holds_documents
from moo_clustering.datasets._read_frame import holds_columns
from moo_clustering.datasets._table import NotNumericError

if TYPE_CHECKING:
    from moo_clustering.cli._prepared import Preparation
    from moo_clustering.estimators._registry import Method


def load_data(
    data: str,
    method: Method,
    *,
    bag: str | None = None,
    label_file: Path | None = None,
    text_columns: str | None = None,
    labels: str | None = None,
    partial_labels: str | None = None,
    id_column: str | None = None,
    drop: Sequence[str] = (),
    prepares: Preparation | None = None,
) -> Table | Documents | BagSamples | MultiLabelTable:
    """A bundled set by name, a file or a folder, as the method takes it.

    Texts are read where columns of text are named, and where there can be nothing else; bags and label
    sets where the file holds them, bags also where a column of them is named; categories where the method
    takes them. ``prepares`` makes features of whatever columns a table has.
    """
    from moo_clustering.cli._bag_data import check_method, holds_bags, load_bags
    from moo_clustering.cli._label_data import holds_label_sets, load_label_sets

    if data in BUNDLED:
        options = {
            "--bag": bag,
            "--text-columns": text_columns,
            "--labels": labels,
            "--partial-labels": partial_labels,
            "--id-column": id_column,
            "--drop": drop,
        }
        if given := [flag for flag, value in options.items() if value]:
            raise DataError(f"{' and '.join(given)} name columns of a file; {data} is a bundled data set")
        if label_file is not None:
            raise DataError(f"--label-file belongs to a file of samples; {data} is a bundled data set")
        check_method(method, data, None, holds=False)
        return load_bundled(data)
    path = Path(data)
    if not path.exists() and not path.suffix:
        raise DataError(
            f"there is no file {data} and no bundled data set of this name; bundled are "
            f"{', '.join(BUNDLED)}{did_you_mean(data, BUNDLED)}"
        )
    if bag is None and holds_label_sets(path, method, label_file):
        return load_label_sets(
            path,
            method,
            label_file=label_file,
            partial_labels=partial_labels,
            id_column=id_column,
            drop=drop,
            others={"--labels": labels, "--text-columns": text_columns},
        )
    if label_file is not None:
        raise DataError(
            f"--label-file names the labels of an .arff or .npz file, and {path.name} is "
            + ("read as a table or bags" if path.suffix.lower() == ".npz" else "neither")
        )
    bags = holds_bags(path, bag)
    if path.exists():
        check_method(method, path.name, bag, holds=bags)
    if bags:
        for flag, value in (("--text-columns", text_columns), ("--id-column", id_column)):
            if value is not None:
                raise DataError(
                    f"{flag} says nothing about bags; --bag names the column of their identifiers"
                )
        return load_bags(path, bag=bag, labels=labels, partial_labels=partial_labels, drop=tuple(drop))
    if text_columns is not None or holds_documents(path):
        return load_documents(
            path,
            method,
            text_columns=None if text_columns is None else _names(text_columns),
            id_column=id_column,
            labels=labels,
            partial_labels=partial_labels,
            drop=drop,
        )
    if holds_sparse(path):
        names = {"--labels": labels, "--partial-labels": partial_labels, "--id-column": id_column}
        return load_sparse(path, method, {**names, "--drop": drop})
    if prepares is not None and holds_columns(path):
        # Loaded here because most methods take tables as they are.
        from moo_clustering.cli._prepared import load_prepared

        return load_prepared(
            path,
            labels=labels,
            partial_labels=partial_labels,
            id_column=id_column,
            drop=drop,
            scale=prepares,
        )
    try:
        return read_table(
            path,
            labels=labels,
            partial_labels=partial_labels,
            id_column=id_column,
            drop=tuple(drop),
            categories=method.categorical,
        )
    except NotNumericError as error:
        raise DataError(f"{error.what}, and {_without_text(method, error.columns)}") from error


def _without_text(method: Method, columns: Sequence[str]) -> str:
    """What to do about columns of text that the method cannot take."""
    from moo_clustering.estimators._registry import METHODS

    takers = ", ".join(known.name for known in METHODS.values() if known.categorical)
    out = " ".join(f"--drop {shlex.quote(column)}" for column in columns[:3])
    more = " and so on" if len(columns) > 3 else ""
    return (
        f"method {method.name} takes numbers only: leave out with {out}{more}, say with --labels, "
        "--partial-labels or --id-column what such a column is, read it as texts with --text-columns, or "
        f"take a method for categories ({takers})"
    )


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
