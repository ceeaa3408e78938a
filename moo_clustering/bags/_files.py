"""Bags in NumPy archives."""

from __future__ import annotations

import zipfile
from os import PathLike, fspath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering.bags._checks import Instances, Names, Offsets
from moo_clustering.persistence import write_archive
from moo_clustering.persistence._members import ObjectsError, read_members

Arrays = tuple[NDArray[Any], NDArray[Any], list[str] | None, list[str] | None]


def write_bags(
    path: str | PathLike[str], X: Instances, offsets: Offsets, bag_ids: Names | None, features: Names | None
) -> None:
    """Write ``instances``, ``bag_offsets`` and the names there are."""
    arrays: dict[str, NDArray[Any]] = {"instances": X, "bag_offsets": offsets}
    for key, names in (("bag_ids", bag_ids), ("feature_names", features)):
        if names is not None:
            arrays[key] = np.array(names, dtype=np.str_)
    write_archive(path, arrays, {"holds": "bags"})


def read_bags(path: str | PathLike[str]) -> Arrays:
    """Instances, offsets, names of bags and names of features, not yet checked."""
    source = fspath(path)
    with open(path, "rb") as file:
        if not zipfile.is_zipfile(file):
            raise ValueError(f"{source} is not a NumPy archive (.npz), or it is truncated")
        file.seek(0)
        try:
            arrays = read_members(file)
        except MemoryError:
            raise
        except ObjectsError as error:
            raise ValueError(f"{source} holds Python objects, which are never loaded") from error
        except Exception as error:  # zipfile, zlib and numpy each have their own for damaged bytes
            raise ValueError(f"{source} is a damaged NumPy archive: {error}") from error
    for key in ("instances", "bag_offsets"):
        if key not in arrays:
            raise ValueError(
                f"{source} has no array {key!r}; it holds {', '.join(sorted(arrays)) or 'nothing'}"
            )
    return (
        arrays["instances"],
        arrays["bag_offsets"],
        _names(arrays, "bag_ids"),
        _names(arrays, "feature_names"),
    )


def _names(arrays: dict[str, NDArray[Any]], key: str) -> list[str] | None:
    return [str(name) for name in arrays[key].reshape(-1)] if key in arrays else None
