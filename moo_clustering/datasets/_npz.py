"""NumPy archives."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering._suggest import did_you_mean
from moo_clustering.datasets._columns import Roles, identifiers, labelled, require_finite
from moo_clustering.datasets._table import DataError, Table
from moo_clustering.persistence._members import ObjectsError, read_members


def read_npz(path: Path, roles: Roles) -> Table:
    """Read an archive of arrays; see :func:`~moo_clustering.datasets.read_table`."""
    source = str(path)
    arrays = load_arrays(path)
    if "X" not in arrays:
        held = ", ".join(map(repr, arrays)) or "nothing"
        raise DataError(f"{source} has no array 'X'; it holds {held}")
    X = _features(arrays["X"], source)
    names = _feature_names(arrays, X.shape[1], source)
    roles.by_column()
    keep = _kept(names, roles.drop, source)
    X, names = np.ascontiguousarray(X[:, keep]), tuple(names[column] for column in keep)
    require_finite(X, names, source)
    labels = roles.labels or ("y" if "y" in arrays and roles.partial_labels != "y" else None)
    row_ids: NDArray[Any] = np.arange(len(X))
    if roles.id_column is not None:
        row_ids = identifiers(_column(arrays, roles.id_column, len(X), source), roles.id_column, source)
    return labelled(
        Table(name=path.name, X=X, feature_names=names, row_ids=row_ids),
        None if labels is None else _column(arrays, labels, len(X), source),
        None if roles.partial_labels is None else _column(arrays, roles.partial_labels, len(X), source),
    )


def array_names(path: Path) -> set[str]:
    """Names of the arrays in an archive; none where it is damaged, which :func:`load_arrays` says."""
    if path.suffix.lower() != ".npz" or not path.is_file():
        return set()
    try:
        with zipfile.ZipFile(path) as archive:
            return {name.removesuffix(".npy") for name in archive.namelist() if name.endswith(".npy")}
    except (OSError, ValueError, NotImplementedError, zipfile.BadZipFile):
        return set()


def load_arrays(path: Path) -> dict[str, NDArray[Any]]:
    if not zipfile.is_zipfile(path):
        raise DataError(f"{path} is not a NumPy archive, or it is truncated")
    try:
        with open(path, "rb") as file:
            return read_members(file)
    except MemoryError:
        raise
    except ObjectsError as error:
        raise DataError(f"{path} holds Python objects, which are never loaded") from error
    except Exception as error:  # zipfile, zlib and numpy each have their own for damaged bytes
        raise DataError(f"{path} is a damaged NumPy archive: {error}") from error


def _features(X: NDArray[Any], source: str) -> NDArray[np.float64]:
    if X.ndim != 2:
        raise DataError(f"{source}: array 'X' must have two dimensions, it has shape {X.shape}")
    if X.dtype.kind not in "iufb":
        raise DataError(f"{source}: array 'X' must be numeric, it is of type {X.dtype}")
    if not len(X):
        raise DataError(f"{source}: array 'X' has no rows")
    return X.astype(np.float64)


def _feature_names(arrays: Mapping[str, NDArray[Any]], n_features: int, source: str) -> tuple[str, ...]:
    if "feature_names" not in arrays:
        return tuple(f"x{column}" for column in range(n_features))
    names = tuple(str(name) for name in arrays["feature_names"].reshape(-1))
    if len(names) != n_features:
        raise DataError(
            f"{source}: array 'feature_names' has {len(names)} names for the {n_features} columns of 'X'"
        )
    return names


def _kept(names: tuple[str, ...], drop: tuple[str, ...], source: str) -> list[int]:
    for name in drop:
        if name not in names:
            raise DataError(f"{source} has no feature {name!r} (drop){did_you_mean(name, names)}")
    keep = [column for column, name in enumerate(names) if name not in drop]
    if not keep:
        raise DataError(f"{source}: no features are left")
    return keep


def _column(arrays: Mapping[str, NDArray[Any]], name: str, n_samples: int, source: str) -> NDArray[Any]:
    others = [other for other in arrays if other not in {"X", "feature_names"}]
    if name not in others:
        raise DataError(
            f"{source} has no array {name!r} of labels or identifiers{did_you_mean(name, others)}"
        )
    if arrays[name].shape not in {(n_samples,), (n_samples, 1)}:
        raise DataError(
            f"{source}: array {name!r} must have one value for each of the {n_samples} rows of 'X', "
            f"it has shape {arrays[name].shape}"
        )
    return arrays[name].reshape(-1)
