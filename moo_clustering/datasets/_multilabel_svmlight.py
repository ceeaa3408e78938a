"""Multi-label files in the format of svmlight and LIBSVM."""

from __future__ import annotations

import math
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from moo_clustering.datasets._multilabel_names import default_names
from moo_clustering.datasets._multilabel_table import MultiLabelTable, tidy_csr
from moo_clustering.datasets._table import DataError

# What scikit-learn's reader raises on bad lines: the last two for indices beyond 64 bits and odd bytes.
_ERRORS = (ValueError, OverflowError, IndexError)


def read_multilabel_svmlight(data: bytes, path: Path) -> MultiLabelTable:
    """Lines ``1,3 5:1 7:0.5``; see :func:`~moo_clustering.datasets.read_multilabel`."""
    source = str(path)
    if not data.strip():
        raise DataError(f"{source} is empty")
    try:
        X, sets = _load(data, "auto")
    except _ERRORS as error:
        raise DataError(_blame(data, source, error)) from error
    if not X.shape[0]:
        raise DataError(f"{source} has no rows")
    bad = np.flatnonzero(~np.isfinite(X.data))
    if len(bad):
        row = int(np.searchsorted(X.indptr, bad[0], side="right")) - 1
        raise DataError(
            f"{source}, row {row + 1}: the feature with the index {X.indices[bad[0]]} (counted from 0) is "
            f"{X.data[bad[0]]:g}; fill in or remove such values first"
        )
    names = default_names("x", X.shape[1], source)
    values = sorted({value for labels in sets for value in labels})
    if any(not math.isfinite(value) for value in values):
        raise DataError(f"{source} has a label that is no finite number")
    if not values:
        raise DataError(f"{source} has no labels: each line must begin with them, as 1,3 5:1 7:0.5")
    Y = np.zeros((X.shape[0], len(values)), dtype=np.int8)
    places = {value: place for place, value in enumerate(values)}
    for row, labels in enumerate(sets):
        Y[row, [places[value] for value in labels]] = 1
    label_names = tuple(str(int(value)) if value.is_integer() else repr(value) for value in values)
    return MultiLabelTable(path.name, tidy_csr(X), Y, names, label_names, np.arange(len(Y)))


def _load(data: bytes, zero_based: bool | str) -> tuple[Any, list[tuple[float, ...]]]:
    # scikit-learn takes a second to import, which reading a table should not.
    from sklearn.datasets import load_svmlight_file

    X, sets = load_svmlight_file(BytesIO(data), multilabel=True, zero_based=zero_based)
    return X, sets


def _blame(data: bytes, source: str, error: Exception) -> str:
    """Message with the line that cannot be read, found by halving."""
    lines = data.split(b"\n")
    first, end = 0, len(lines)
    while end - first > 1:
        middle = (first + end) // 2
        try:
            _load(b"\n".join(lines[first:middle]), True)
        except _ERRORS as found:
            end, error = middle, found
        else:
            first = middle
    return (
        f"{source}, line {first + 1} is no row of labels and of features in rising order, as "
        f"1,3 5:1 7:0.5: {error}"
    )
