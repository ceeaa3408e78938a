"""Multi-label data in NumPy archives, dense or as scipy writes sparse matrices."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from moo_clustering._suggest import did_you_mean
from moo_clustering.datasets._columns import identifiers
from moo_clustering.datasets._multilabel_names import MOST_FEATURES, Names, default_names, read_names
from moo_clustering.datasets._multilabel_table import MultiLabelTable, tidy_csr, wrong_indicators
from moo_clustering.datasets._npz import load_arrays
from moo_clustering.datasets._table import DataError

_SPARSE = {"format", "shape", "data", "indices", "indptr"}
_ENDING = "_X.npz"
# Labels without any sample; every one takes as much as the others, since indicators become dense.
_MOST_LABELS = 2**20
Arrays = Mapping[str, NDArray[Any]]


class NpzOptions(NamedTuple):
    """What belongs to an archive; see :func:`~moo_clustering.datasets.read_multilabel`."""

    labels: Path | None = None
    feature_names: Names = None
    label_names: Names = None
    id_column: str | None = None


def read_multilabel_npz(path: Path, options: NpzOptions) -> MultiLabelTable:
    """Arrays of one archive, or of two; see :func:`~moo_clustering.datasets.read_multilabel`."""
    source = str(path)
    arrays = load_arrays(path)
    X = _features(arrays, source)
    file = options.labels or (None if "Y" in arrays else _beside(path, "_Y.npz"))
    if file is not None and not file.is_file():
        raise DataError(f"there is no file {file} (labels)")
    known = arrays if file is None else load_arrays(file)
    Y = _indicators(known, X.shape[0], source if file is None else str(file))
    return MultiLabelTable(
        name=path.name,
        X=X,
        Y=Y,
        feature_names=_names(options.feature_names, arrays, "feature_names", "x", X.shape[1], path),
        label_names=_names(options.label_names, known, "label_names", "y", Y.shape[1], path),
        row_ids=_row_ids(options.id_column, {**arrays, **known}, X.shape[0], source),
    )


def _beside(path: Path, ending: str) -> Path | None:
    if not path.name.endswith(_ENDING):
        return None
    beside = path.with_name(path.name.removesuffix(_ENDING) + ending)
    return beside if beside.is_file() else None


def sparse_matrix(arrays: Arrays, source: str) -> sp.csr_array:
    """The matrix of an archive by ``scipy.sparse.save_npz``, checked before anything relies on it."""
    stated = arrays["format"].reshape(-1)[:1]
    form = stated.astype(str).tolist() if stated.dtype.kind in "SU" else []
    if form not in (["csr"], ["csc"]) or not set(arrays) >= _SPARSE:
        raise DataError(f"{source} is no sparse matrix in rows; save it with save_npz(path, csr_array(X))")
    values, indices, indptr, shape = (arrays[name] for name in ("data", "indices", "indptr", "shape"))
    if values.dtype.kind not in "iufb" or any(
        each.dtype.kind not in "iu" for each in (indices, indptr, shape)
    ):
        raise DataError(f"{source}: the values of a sparse matrix must be numbers, and its indices integers")
    if shape.size != 2 or shape.max() > max(MOST_FEATURES, 100 * values.size):
        # A row without a value has to be stored all the same, once rows and columns change places.
        raise DataError(
            f"{source} is a damaged sparse matrix: {values.size} values in the shape {shape.tolist()}"
        )
    kind = sp.csr_array if form == ["csr"] else sp.csc_array
    try:
        matrix = kind((values, indices, indptr), shape=tuple(shape.tolist()))
        matrix.check_format(full_check=True)
        return sp.csr_array(matrix)
    except (TypeError, ValueError, IndexError, OverflowError) as error:
        raise DataError(f"{source} is a damaged sparse matrix: {error}") from error


def _features(arrays: Arrays, source: str) -> sp.csr_array:
    if "format" in arrays:
        X = sparse_matrix(arrays, source)
    elif "X" in arrays:
        if arrays["X"].ndim != 2 or arrays["X"].dtype.kind not in "iufb":
            raise DataError(
                f"{source}: array 'X' must be numeric with two dimensions, it is of type {arrays['X'].dtype} "
                f"and has shape {arrays['X'].shape}"
            )
        X = sp.csr_array(arrays["X"])
    else:
        held = ", ".join(map(repr, arrays)) or "nothing"
        raise DataError(f"{source} has no array 'X' and is no sparse matrix; it holds {held}")
    if 0 in X.shape:
        raise DataError(f"{source}: X has no rows or no columns, it has shape {X.shape}")
    X = tidy_csr(X)
    bad = np.flatnonzero(~np.isfinite(X.data))
    if len(bad):
        row = int(np.searchsorted(X.indptr, bad[0], side="right")) - 1
        raise DataError(
            f"{source}: X has the value {X.data[bad[0]]:g} in row {row}, column {X.indices[bad[0]]}; fill in "
            "or remove such values first"
        )
    return X


def _indicators(arrays: Arrays, n_rows: int, source: str) -> NDArray[np.int8]:
    if "Y" not in arrays and "format" not in arrays:
        held = ", ".join(map(repr, arrays)) or "nothing"
        raise DataError(
            f"{source} has no array 'Y' of shape (n_samples, n_labels); it holds {held}; name the archive "
            "that has it with labels=..."
        )
    Y: Any = arrays["Y"] if "Y" in arrays else sparse_matrix(arrays, source)
    if Y.ndim != 2 or Y.dtype.kind not in "iufb" or Y.shape[0] != n_rows or not Y.shape[1]:
        raise DataError(
            f"{source}: the indicators of labels must be numeric, with a row for each of the {n_rows} rows "
            f"of X and a column for each label; they are of type {Y.dtype} and have shape {Y.shape}"
        )
    if sp.issparse(Y):
        if Y.shape[1] > max(_MOST_LABELS, Y.nnz):
            raise DataError(f"{source}: {Y.shape[1]:,} labels of which most belong to no sample are not read")
        Y = Y.astype(np.float64).toarray()  # in SciPy neither half nor foreign byte orders become dense
    problem = wrong_indicators(Y)
    if problem is not None:
        raise DataError(f"{source}, row {problem[0]} of Y: {problem[1]}")
    return Y.astype(np.int8)


def _names(given: Names, arrays: Arrays, key: str, prefix: str, count: int, path: Path) -> tuple[str, ...]:
    what = key.replace("_", " ")
    file = _beside(path, f"_{what.split()[0]}s.txt")
    if given is not None:
        return read_names(given, count, what, key)
    if key in arrays:
        return read_names(
            [str(name) for name in arrays[key].reshape(-1)], count, what, f"{path}, array {key!r}"
        )
    if file is not None:
        return read_names(file, count, what, str(file))
    return default_names(prefix, count, str(path))


def _row_ids(column: str | None, arrays: Arrays, n_rows: int, source: str) -> NDArray[Any]:
    if column is None:
        return np.arange(n_rows)
    if column not in arrays:
        raise DataError(f"{source} has no array {column!r} (id_column){did_you_mean(column, arrays)}")
    if arrays[column].shape not in {(n_rows,), (n_rows, 1)}:
        raise DataError(
            f"{source}: array {column!r} must have an identifier for each of the {n_rows} rows, it has shape "
            f"{arrays[column].shape}"
        )
    return identifiers(arrays[column].reshape(-1).tolist(), column, source)
