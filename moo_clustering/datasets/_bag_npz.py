"""NumPy archives of bags."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering._suggest import did_you_mean
from moo_clustering.bags import Bags
from moo_clustering.datasets._bag_assembly import Members, assemble, known_classes
from moo_clustering.datasets._bag_columns import BagOptions, Column, Rows
from moo_clustering.datasets._bag_table import BagTable
from moo_clustering.datasets._npz import load_arrays
from moo_clustering.datasets._table import DataError


def read_npz_bags(path: Path, options: BagOptions) -> BagTable:
    """Bags of an archive; see :func:`~moo_clustering.datasets.read_bags`."""
    source = str(path)
    arrays = load_arrays(path)
    for key in ("instances", "bag_offsets"):
        if key not in arrays:
            held = ", ".join(map(repr, arrays)) or "nothing"
            raise DataError(f"{source} has no array {key!r}; it holds {held}")
    if options.bag is not None:
        raise DataError(f"bag names a column, but {source} has its bags in the array 'bag_offsets'")
    X = _instances(arrays["instances"], source)
    names = [f"x{column}" for column in range(X.shape[1])]
    if "feature_names" in arrays:
        names = [str(name) for name in arrays["feature_names"].reshape(-1)]
    if len(names) != X.shape[1]:
        raise DataError(
            f"{source}: array 'feature_names' has {len(names)} names for {X.shape[1]} columns of 'instances'"
        )
    options._replace(label=None).check(names, source)
    members = _members(arrays, len(X), source)
    rows = Rows(tuple(Column(name, "numeric") for name in names), X)
    kept = [place for place, name in enumerate(names) if name not in options.drop]
    table = assemble(rows.only(kept), members, None, options, path.name, source)
    labels, label_names = _labels(arrays, options, table.n_bags, source)
    return BagTable(table.bags, labels, label_names, table.name)


def _instances(X: NDArray[Any], source: str) -> NDArray[np.floating[Any]]:
    if X.ndim != 2 or X.dtype.kind not in "iufb":
        raise DataError(
            f"{source}: array 'instances' must be numeric with two dimensions, it is of type {X.dtype} and "
            f"has shape {X.shape}"
        )
    return X if X.dtype == np.float32 else X.astype(np.float64, copy=False)


def _members(arrays: Mapping[str, NDArray[Any]], n_rows: int, source: str) -> Members:
    ids = [str(name) for name in arrays["bag_ids"].reshape(-1)] if "bag_ids" in arrays else None
    try:  # Bags say best what is wrong with offsets
        bags = Bags(np.zeros((n_rows, 1), dtype=np.float32), arrays["bag_offsets"], bag_ids=ids)
    except (TypeError, ValueError) as error:
        raise DataError(f"{source}, arrays 'bag_offsets' and 'bag_ids': {error}") from error
    return Members(bags.bag_of_instance, bags.bag_ids)


def _labels(
    arrays: Mapping[str, NDArray[Any]], options: BagOptions, n_bags: int, source: str
) -> tuple[NDArray[np.int64] | None, tuple[str, ...]]:
    label = options.label
    if label is None and "bag_labels" in arrays:
        label = "bag_labels"
    if not label:
        return None, ()
    if label not in arrays:
        raise DataError(f"{source} has no array {label!r} (label){did_you_mean(label, arrays)}")
    values = arrays[label]
    if values.shape not in {(n_bags,), (n_bags, 1), (1, n_bags)}:
        raise DataError(
            f"{source}: array {label!r} must have one class for each of the {n_bags} bags, "
            f"it has shape {values.shape}"
        )
    return known_classes(values.reshape(-1).tolist())
