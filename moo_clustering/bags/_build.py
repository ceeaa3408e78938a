"""Rows and offsets of bags from lists, groups, frames and selections."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from operator import index as to_integer
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering._suggest import did_you_mean
from moo_clustering.bags._checks import Instances, Names, Offsets, bag_name, float_type, matrix


def stack(items: Sequence[ArrayLike], bag_ids: Names | None) -> tuple[Instances, Offsets]:
    """Rows of all items, one after another."""
    if not items:
        raise ValueError("no bags were given; there must be at least one")
    arrays = [matrix(item, bag_name(bag, bag_ids)) for bag, item in enumerate(items)]
    for bag, array in enumerate(arrays):
        if array.shape[1] != arrays[0].shape[1]:
            raise ValueError(
                f"{bag_name(bag, bag_ids)} has {array.shape[1]} features, "
                f"but {bag_name(0, bag_ids)} has {arrays[0].shape[1]}"
            )
    dtype = float_type(*(array.dtype for array in arrays))
    offsets = np.cumsum([0, *map(len, arrays)], dtype=np.int64)
    return np.concatenate(arrays, dtype=dtype, casting="unsafe"), offsets


def group_rows(groups: ArrayLike, n_instances: int) -> tuple[NDArray[np.int64] | None, Offsets, Names]:
    """Order that makes groups adjacent (None: they are), their offsets and names."""
    import pandas as pd  # takes long to import, and most bags do not come this way

    values: Any = getattr(groups, "to_numpy", lambda: groups)()
    if not isinstance(values, np.ndarray):
        # One by one: an array made of 1 and "1" would make them equal.
        values = np.fromiter(values, dtype=object)
    if values.shape != (n_instances,):
        raise ValueError(
            f"groups must have one identifier for each of the {n_instances} instances, "
            f"got shape {values.shape}"
        )
    try:
        codes, first = pd.factorize(values)
    except TypeError as error:
        raise TypeError(f"groups must hold one hashable identifier for each instance: {error}") from error
    if codes.min(initial=0) < 0:
        raise ValueError(f"row {int(codes.argmin())} has no bag identifier (it is missing in groups)")
    offsets = np.concatenate([[0], np.cumsum(np.bincount(codes, minlength=len(first)))]).astype(np.int64)
    order = None if np.all(np.diff(codes) >= 0) else np.argsort(codes, kind="stable").astype(np.int64)
    return order, offsets, tuple(str(name) for name in first)


def split_frame(frame: Any, bag: Hashable) -> tuple[Instances, Any, Names]:
    """Numeric columns, bag column and feature names of a pandas frame."""
    import pandas as pd
    from pandas.api.types import is_bool_dtype, is_complex_dtype, is_numeric_dtype

    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"frame must be a pandas.DataFrame, got {type(frame).__name__}")
    matches = int(sum(name == bag for name in frame.columns))
    if matches != 1:
        near = did_you_mean(str(bag), map(str, frame.columns))
        problem = f"has no column {bag!r}{near}" if not matches else f"has {matches} columns named {bag!r}"
        raise ValueError(f"frame {problem}")
    features = frame.drop(columns=[bag])
    for name, dtype in zip(features.columns, features.dtypes, strict=True):
        if is_complex_dtype(dtype) or not (is_numeric_dtype(dtype) or is_bool_dtype(dtype)):
            raise TypeError(f"column {name!r} is not numeric but {dtype}; drop it or encode it")
    dtype = float_type(*features.dtypes)
    # A copy, for the frame may hand out its own memory.
    values = np.array(features.to_numpy(dtype=dtype, na_value=np.nan), order="C")
    return values, frame[bag], tuple(map(str, features.columns))


def select(index: Any, n_bags: int) -> int | slice | NDArray[np.int64]:
    """A bag, a range of adjacent bags with start < stop, or an array of bags."""
    if isinstance(index, slice):
        start, stop, step = index.indices(n_bags)
        if step == 1 and start < stop:
            return slice(start, stop)
        chosen = np.arange(start, stop, step)
    elif isinstance(index, int | np.integer) and not isinstance(index, bool):
        bag = to_integer(index)
        if not -n_bags <= bag < n_bags:
            raise IndexError(f"bag {bag} is out of range: there are {n_bags} bags")
        return bag % n_bags
    else:
        chosen = _chosen(index, n_bags)
    if not len(chosen):
        raise ValueError("the selection has no bags; there must be at least one")
    return chosen


def _chosen(index: Any, n_bags: int) -> NDArray[np.int64]:
    # A tuple would be another dimension to NumPy.
    array = np.asarray(None if isinstance(index, tuple) else index)
    if array.ndim != 1 or (array.dtype.kind not in "biu" and array.size):
        raise TypeError(
            f"bags are chosen by an integer, a slice, a mask or a list or array of integers, got {index!r}"
        )
    if array.dtype.kind == "b":
        if len(array) != n_bags:
            raise IndexError(f"the mask has {len(array)} entries, but there are {n_bags} bags")
        return np.flatnonzero(array)
    chosen = array.astype(np.int64)
    outside = (chosen < -n_bags) | (chosen >= n_bags)
    if outside.any():
        raise IndexError(f"bag {chosen[outside.argmax()]} is out of range: there are {n_bags} bags")
    return chosen % n_bags


def gather(X: Instances, offsets: Offsets, bags: NDArray[np.int64]) -> tuple[Instances, Offsets]:
    """Rows and offsets of the chosen bags."""
    sizes = np.diff(offsets)[bags]
    ends = np.concatenate([[0], np.cumsum(sizes)])
    rows = np.arange(ends[-1]) + np.repeat(offsets[bags] - ends[:-1], sizes)
    return X[rows], ends
