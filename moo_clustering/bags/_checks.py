"""Checks of what bags are made of: instances, offsets and names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from mmap import mmap
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse

Instances = NDArray[np.floating[Any]]
Offsets = NDArray[np.int64]
Names = tuple[str, ...]

_BLOCK = 1 << 20  # numbers looked at together


def to_instances(values: ArrayLike, name: str) -> Instances:
    """Read-only, C-contiguous float32 or float64 matrix, copied if anyone could still write to it."""
    array = matrix(values, name)
    dtype = float_type(array.dtype)
    if array.dtype == dtype and array.flags.c_contiguous and _is_frozen(array):
        return array.view(np.ndarray)
    with np.errstate(over="ignore"):  # what does not fit is infinite, and infinity is refused
        return freeze(np.array(array, dtype=dtype, order="C", subok=False))


def matrix(values: ArrayLike, name: str) -> NDArray[Any]:
    """Real numbers in two dimensions, of the type they come in."""
    if issparse(values):
        raise TypeError(f"{name} is a sparse matrix; bags are dense, convert it with .toarray()")
    if isinstance(values, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array; fill or remove its masked values")
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} has rows of different lengths") from error
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} must hold real numbers, got dtype {array.dtype}")
    if array.size == 0:
        raise ValueError(f"{name} is empty: its shape is {array.shape}")
    if array.ndim != 2:
        raise ValueError(f"{name} must be a 2-d array (n_instances, n_features), got shape {array.shape}")
    return array


def freeze(array: NDArray[Any]) -> NDArray[Any]:
    """Make ``array``, which nobody else holds, read-only for good."""
    owner: Any = array
    while isinstance(owner, np.ndarray):
        owner.flags.writeable = False
        owner = owner.base
    return array


def float_type(*dtypes: Any) -> np.dtype[Any]:
    """float32 if all are (of either byte order), else float64."""
    single = all(isinstance(dtype, np.dtype) and (dtype.kind, dtype.itemsize) == ("f", 4) for dtype in dtypes)
    return np.dtype(np.float32 if single else np.float64)


def to_offsets(offsets: ArrayLike, n_instances: int, bag_ids: Names | None) -> Offsets:
    """Read-only int64 offsets: 0, increasing, ``n_instances``."""
    array = np.asarray(offsets)
    if array.ndim != 1:
        raise ValueError(f"offsets must be 1-d, got shape {array.shape}")
    if len(array) < 2:
        raise ValueError(f"offsets has {len(array)} entries, so there is no bag; one bag needs two entries")
    if array.dtype.kind not in "iu":
        raise TypeError(f"offsets must be integers, got dtype {array.dtype}")
    if array[0] != 0:
        raise ValueError(f"offsets must start at 0, got {array[0]}")
    array = array.astype(np.int64)
    steps = np.diff(array)
    if steps.min() < 0:
        bag = int(steps.argmin())
        raise ValueError(
            f"offsets must increase, but after {array[bag]} comes {array[bag + 1]} (entry {bag + 1})"
        )
    if array[-1] != n_instances:
        raise ValueError(f"offsets must end at the number of instances, {n_instances}, got {array[-1]}")
    if steps.min() == 0:
        raise ValueError(f"{bag_name(int(steps.argmin()), bag_ids)} is empty; every bag needs an instance")
    array.flags.writeable = False
    return array


def to_names(names: Iterable[Any] | None, count: int, parameter: str, what: str) -> Names | None:
    """Tuple of ``count`` strings."""
    if names is None:
        return None
    if isinstance(names, str | bytes) or not isinstance(names, Iterable):
        raise TypeError(f"{parameter} must be a sequence of names, got {names!r}")
    result = tuple(str(name) for name in names)
    if len(result) != count:
        raise ValueError(f"{parameter} has {len(result)} names for {count} {what}")
    return result


def bag_name(bag: int, bag_ids: Sequence[str] | None) -> str:
    """How error messages call a bag: its number, and its identifier if it has one."""
    return f"bag {bag}" if bag_ids is None else f"bag {bag} ({bag_ids[bag]!r})"


def require_finite(X: Instances, offsets: Offsets, bag_ids: Names | None, features: Names | None) -> None:
    """Refuse NaN and infinity, naming bag, row inside the bag and column."""
    step = max(1, _BLOCK // X.shape[1])
    for start in range(0, len(X), step):
        finite = np.isfinite(X[start : start + step])
        if finite.all():
            continue
        row, column = (int(k) for k in np.argwhere(~finite)[0])
        row += start
        bag = int(np.searchsorted(offsets, row, side="right")) - 1
        feature = f"column {column}" + ("" if features is None else f" ({features[column]!r})")
        raise ValueError(
            f"{bag_name(bag, bag_ids)}, row {row - offsets[bag]}, {feature} is {X[row, column]}; "
            "every value must be finite"
        )


def _is_frozen(array: NDArray[Any]) -> bool:
    """Whether no array on the way to the memory of ``array`` can be written to."""
    owner: Any = array
    while isinstance(owner, np.ndarray):
        if owner.flags.writeable:
            return False
        owner = owner.base
    # A file mapped read-only ends in its map, of which NumPy has no writeable array.
    return (
        owner is None or isinstance(owner, bytes | mmap) or (isinstance(owner, memoryview) and owner.readonly)
    )
