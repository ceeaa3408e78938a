"""Bags of instances: the container, and functions that create, load and save bags."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import pairwise
from mmap import mmap
from os import PathLike
from typing import Any, Self, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse

from moo_clustering._arrays import AnyFloatArray, FloatArray, Int64Array, block_slices, did_you_mean, quoted
from moo_clustering._data import checked_array, checked_container
from moo_clustering._docs import documented
from moo_clustering.persistence import read_arrays, write_archive

Instances = AnyFloatArray
Names = tuple[str, ...]


class Bags:
    """Bags of instances, stored as one matrix in which the instances of each bag are adjacent rows.

    Bags are immutable, and copies share their arrays. ``bags[3]`` and iteration return arrays of shape
    (n_instances_of_the_bag, n_features); ``bags[2:5]``, ``bags[[4, 1]]`` and ``bags[mask]`` return ``Bags``.
    Raises a TypeError or ValueError if a value is not a finite real number, if there are no bags, if a bag is
    empty, or if shapes do not match.

    Parameters
    ----------
    instances : array-like of shape (n_instances, n_features)
        Finite numbers, sorted by bag. float32 is preserved. Writable arrays are copied.
    offsets : array-like of shape (n_bags + 1,), integers
        Bag ``i`` contains rows ``offsets[i]`` to ``offsets[i + 1] - 1``, at least one row.
    bag_ids : sequence of length n_bags or None, default=None
        Names of the bags, converted to strings.
    feature_names : sequence of length n_features or None, default=None

    Attributes
    ----------
    instances : ndarray of shape (n_instances, n_features), float32 or float64, read-only
    offsets : ndarray of shape (n_bags + 1,), int64, read-only
    bag_ids, feature_names : tuple of str or None
    sizes : ndarray of shape (n_bags,), int64, read-only
        Number of instances in each bag.

    Examples
    --------
    >>> from moo_clustering.bags import Bags
    >>> bags = Bags.from_list([[[0, 0], [2, 0]], [[0, 1]]])
    >>> bags
    Bags(n_bags=2, n_instances=3, n_features=2, sizes=1-2)
    >>> bags[0].tolist()
    [[0.0, 0.0], [2.0, 0.0]]
    """

    instances: Instances
    offsets: Int64Array
    bag_ids: Names | None
    feature_names: Names | None
    sizes: Int64Array
    _bag_of_instance: Int64Array | None
    __slots__ = ("__weakref__", *__annotations__)

    def __init__(
        self,
        instances: ArrayLike,
        offsets: ArrayLike,
        *,
        bag_ids: Iterable[Hashable] | None = None,
        feature_names: Iterable[Hashable] | None = None,
    ) -> None:
        X = to_instances(instances, "instances")
        offsets = checked_array(offsets, "offsets")
        ids = to_names(bag_ids, max(len(np.atleast_1d(offsets)) - 1, 0), "bag_ids", "bags")
        names = to_names(feature_names, X.shape[1], "feature_names", "features")
        ptr = to_offsets(offsets, len(X), ids)
        require_finite(X, ptr, ids, names)
        self._set(X, ptr, ids, names)

    def _set(
        self, X: Instances, offsets: Int64Array, bag_ids: Names | None, feature_names: Names | None
    ) -> None:
        values = freeze(X), freeze(offsets), bag_ids, feature_names, freeze(np.diff(offsets)), None
        for name, value in zip(self.__slots__[1:], values, strict=True):
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"bags are immutable; create new ones instead of setting {name}")

    @classmethod
    def _trusted(cls, X: Instances, offsets: Int64Array, bag_ids: Names | None, names: Names | None) -> Self:
        """Create bags from valid arrays that no other code modifies."""
        bags = cls.__new__(cls)
        bags._set(X, offsets, bag_ids, names)
        return bags

    @classmethod
    def from_list(
        cls,
        bags: Iterable[ArrayLike],
        *,
        bag_ids: Iterable[Hashable] | None = None,
        feature_names: Iterable[Hashable] | None = None,
    ) -> Self:
        """Create bags from arrays (n_instances_of_the_bag, n_features) or data frames with the same columns.

        The default ``feature_names`` are the column names of the data frames.
        """
        items = list(bags)
        ids = to_names(bag_ids, len(items), "bag_ids", "bags")
        names = common_names(items, ids)
        X, offsets = stack(items, ids)
        own = names if feature_names is None else feature_names
        return cls(freeze(X), offsets, bag_ids=ids, feature_names=own)

    @classmethod
    def from_groups(
        cls, X: ArrayLike, groups: ArrayLike, *, feature_names: Iterable[Hashable] | None = None
    ) -> Self:
        """Create bags from instances (n_instances, n_features) and hashable bag identifiers (n_instances,).

        The rows of a bag need not be adjacent; bags are ordered by their first row. If ``instances`` is a
        data frame and all column names are strings, these names are the default ``feature_names``.
        """
        rows = matrix(X, "X")
        order, offsets, ids = group_rows(groups, len(rows))
        names = column_names(X) if feature_names is None else feature_names
        gathered = rows if order is None else freeze(rows[order])
        return cls(gathered, offsets, bag_ids=ids, feature_names=names)

    @classmethod
    def from_frame(cls, frame: Any, bag: Hashable) -> Self:
        """Create bags from a data frame of numeric features and a column ``bag`` of bag identifiers."""
        X, groups, names = split_frame(frame, bag)
        return cls.from_groups(freeze(X), groups, feature_names=names)

    @classmethod
    def concatenate(cls, parts: Iterable[Bags]) -> Self:
        """Concatenate ``Bags`` with the same features. Identifiers are kept if all have identifiers."""
        given = list(parts)
        for number, part in enumerate(given):
            if not isinstance(part, Bags):
                raise TypeError(f"part {number} must be Bags, got {type(part).__name__}")
        if not given:
            raise ValueError("parts must contain at least one bag")
        named = next((number for number, part in enumerate(given) if part.feature_names is not None), 0)
        names = given[named].feature_names
        for number, part in enumerate(given):
            if part.n_features != given[0].n_features:
                raise ValueError(
                    f"part {number} has {part.n_features} features, but part 0 has {given[0].n_features}"
                )
            if part.feature_names not in (None, names):
                raise ValueError(f"parts {named} and {number} have different feature_names")
        dtype = float_type(*(part.dtype for part in given))
        X = np.concatenate([part.instances for part in given], dtype=dtype)
        ends = np.cumsum(np.concatenate([[0], *(part.sizes for part in given)]))
        identified = all(part.bag_ids is not None for part in given)
        ids = tuple(name for part in given for name in part.bag_ids or ()) if identified else None
        return cls._trusted(X, ends, ids, names)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Load bags from an ``.npz`` file with the arrays ``instances`` and ``bag_offsets``.

        ``bag_ids`` and ``feature_names`` are optional; other arrays are ignored, and no code is executed.
        Raises a FileNotFoundError if the file does not exist, and a ValueError if it is damaged.
        """
        arrays = read_arrays(path, ValueError, "instances", "bag_offsets")
        names = {key: arrays[key].reshape(-1) for key in ("bag_ids", "feature_names") if key in arrays}
        try:
            return cls(freeze(arrays["instances"]), arrays["bag_offsets"], **names)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{path} contains no valid bags: {error}") from error

    def save(self, path: str | PathLike[str]) -> None:
        """Write a file that :meth:`load` can read. An existing file is replaced atomically."""
        arrays: dict[str, NDArray[Any]] = {"instances": self.instances, "bag_offsets": self.offsets}
        for key, names in (("bag_ids", self.bag_ids), ("feature_names", self.feature_names)):
            if names is not None:
                arrays[key] = np.array(names, dtype=np.str_)
        write_archive(path, arrays, {"holds": "bags"})

    @property
    def n_bags(self) -> int:
        """Number of bags."""
        return len(self.offsets) - 1

    @property
    def n_instances(self) -> int:
        """Total number of instances."""
        return len(self.instances)

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.instances.shape[1]

    @property
    def dtype(self) -> np.dtype[np.floating[Any]]:
        """Data type of the instances, float32 or float64."""
        return self.instances.dtype

    @property
    def bag_of_instance(self) -> Int64Array:
        """Bag to which each row of ``instances`` belongs."""
        if (rows := self._bag_of_instance) is None:
            rows = freeze(np.repeat(np.arange(self.n_bags), self.sizes))
            object.__setattr__(self, "_bag_of_instance", rows)
        return rows

    def means(self) -> FloatArray:
        """Return the mean instance of each bag, shape (n_bags, n_features)."""
        total = np.add.reduceat(self.instances, self.offsets[:-1], axis=0, dtype=np.float64)
        total /= self.sizes[:, None]
        return total

    def with_instances(
        self, instances: ArrayLike, *, feature_names: Iterable[Hashable] | None = None
    ) -> Bags:
        """Return bags with new ``instances`` (n_instances, d). If d = n_features, feature names are kept."""
        X = to_instances(instances, "instances")
        if len(X) != self.n_instances:
            raise ValueError(f"instances has {len(X)} rows, but the bags have {self.n_instances} instances")
        if feature_names is None and X.shape[1] == self.n_features:
            feature_names = self.feature_names
        return Bags(X, self.offsets, bag_ids=self.bag_ids, feature_names=feature_names)

    def __len__(self) -> int:
        return self.n_bags

    def __iter__(self) -> Iterator[Instances]:
        for start, stop in pairwise(self.offsets.tolist()):
            yield self.instances[start:stop]

    @overload
    def __getitem__(self, index: int | np.integer[Any]) -> Instances: ...

    @overload
    def __getitem__(self, index: slice | NDArray[Any] | Sequence[int] | Sequence[bool]) -> Bags: ...

    def __getitem__(
        self, index: int | np.integer[Any] | slice | NDArray[Any] | Sequence[int] | Sequence[bool]
    ) -> Instances | Bags:
        bags = select(index, self.n_bags)
        if isinstance(bags, int):
            return self.instances[self.offsets[bags] : self.offsets[bags + 1]]
        if isinstance(bags, slice):
            ids = None if self.bag_ids is None else self.bag_ids[bags]
            rows = self.instances[self.offsets[bags.start] : self.offsets[bags.stop]]
            offsets = self.offsets[bags.start : bags.stop + 1] - self.offsets[bags.start]
        else:
            ids = None if self.bag_ids is None else tuple(self.bag_ids[bag] for bag in bags)
            rows, offsets = gather(self.instances, self.offsets, bags)
        return Bags._trusted(rows, offsets, ids, self.feature_names)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Bags):
            return NotImplemented
        return self is other or (
            self.bag_ids == other.bag_ids
            and self.feature_names == other.feature_names
            and np.array_equal(self.offsets, other.offsets)
            and np.array_equal(self.instances, other.instances)
        )

    __hash__ = None  # type: ignore[assignment]

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._trusted, (self.instances, self.offsets, self.bag_ids, self.feature_names)

    def __repr__(self) -> str:
        low, high = int(self.sizes.min()), int(self.sizes.max())
        sizes = f"{low}" if low == high else f"{low}-{high}"
        return (
            f"{type(self).__name__}(n_bags={self.n_bags}, n_instances={self.n_instances}, "
            f"n_features={self.n_features}, sizes={sizes})"
        )


def to_instances(values: ArrayLike, name: str) -> Instances:
    """Return a read-only, C-contiguous float32 or float64 matrix. Writable input is copied."""
    array = matrix(values, name)
    dtype = float_type(array.dtype)
    if array.dtype == dtype and array.flags.c_contiguous and _is_frozen(array):
        return array.view(np.ndarray)
    with np.errstate(over="ignore"):  # no warning: infinite values raise an error later
        return freeze(np.array(array, dtype=dtype, order="C", subok=False))


def matrix(values: ArrayLike, name: str) -> NDArray[Any]:
    """Check that ``values`` is a dense, non-empty, real 2-d array, and keep its dtype."""
    if issparse(values):
        raise TypeError(f"{name} must be dense, got a sparse matrix; convert it with .toarray()")
    array = checked_array(values, name)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} must contain real numbers, got dtype {array.dtype}")
    if array.size == 0:
        raise ValueError(f"{name} must not be empty, got shape {array.shape}")
    if array.ndim != 2:
        raise ValueError(f"{name} must be a 2-d array (n_instances, n_features), got shape {array.shape}")
    return array


def float_type(*dtypes: Any) -> np.dtype[Any]:
    """Return float32 if all dtypes are float32 (in either byte order), otherwise float64."""
    single = all(isinstance(dtype, np.dtype) and (dtype.kind, dtype.itemsize) == ("f", 4) for dtype in dtypes)
    return np.dtype(np.float32 if single else np.float64)


def _is_frozen(array: NDArray[Any]) -> bool:
    """Return whether ``array`` and all arrays that own its memory are read-only."""
    owner: Any = array
    while isinstance(owner, np.ndarray):
        if owner.flags.writeable:
            return False
        owner = owner.base
    # The base of a read-only memory map is the map itself, not a writable array.
    if isinstance(owner, memoryview):
        return owner.readonly
    return owner is None or isinstance(owner, bytes | mmap)


def to_names(names: Iterable[Any] | None, count: int, parameter: str, what: str) -> Names | None:
    if names is None:
        return None
    if isinstance(names, str | bytes) or not isinstance(names, Iterable):
        raise TypeError(f"{parameter} must be a sequence of names, got {quoted(names)}")
    result = tuple(str(name) for name in names)
    if len(result) != count:
        allowed = f"one name per {what.removesuffix('s')}, {count} in all"
        raise ValueError(f"{parameter} must have {allowed}; got {len(result)}")
    return result


def require_finite(X: Instances, offsets: Int64Array, bag_ids: Names | None, features: Names | None) -> None:
    """Raise an error that names the bag, row and column of the first NaN or infinite value."""
    for part in block_slices(len(X), X.shape[1]):
        finite = np.isfinite(X[part])
        if finite.all():
            continue
        row, column = np.argwhere(~finite)[0].tolist()
        row += part.start
        bag = int(np.searchsorted(offsets, row, side="right")) - 1
        feature = f"column {column}" + ("" if features is None else f" ({features[column]!r})")
        raise ValueError(
            f"{bag_name(bag, bag_ids)}, row {row - offsets[bag]}, {feature} is {X[row, column]}; "
            "every value must be finite"
        )


def bag_name(bag: int, bag_ids: Sequence[str] | None) -> str:
    """Return the name of a bag for error messages: its number and, if available, its identifier."""
    return f"bag {bag}" if bag_ids is None else f"bag {bag} ({bag_ids[bag]!r})"


def common_names(items: Sequence[Any], bag_ids: Names | None) -> list[str] | None:
    """Return the column names shared by all data frames, or raise an error if they differ."""
    first, common = 0, None
    for bag, names in enumerate(map(column_names, items)):
        if common is None:
            first, common = bag, names
        elif names is not None and names != common:
            raise ValueError(
                f"{bag_name(first, bag_ids)} and {bag_name(bag, bag_ids)} have different columns, "
                f"{common} and {names}"
            )
    return common


def column_names(X: Any) -> list[str] | None:
    """Return the column names of a data frame if all are strings, otherwise None."""
    names = list(getattr(X, "columns", ()))
    return names if names and all(isinstance(name, str) for name in names) else None


def stack(items: Sequence[ArrayLike], bag_ids: Names | None) -> tuple[Instances, Int64Array]:
    """Concatenate the rows of all items, and return the rows and the offsets."""
    if not items:
        raise ValueError("X must contain at least one bag")
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


def group_rows(groups: ArrayLike, n_instances: int) -> tuple[Int64Array | None, Int64Array, Names]:
    """Return an order that sorts rows by group (None if they are sorted), group offsets, and group names."""
    import pandas as pd  # slow import, rarely needed

    groups = checked_container(groups, "groups")
    values: Any = getattr(groups, "to_numpy", lambda: groups)()
    if not isinstance(values, np.ndarray):
        if not isinstance(values, Iterable):
            raise TypeError(f"groups must be a list or an array of identifiers, got {quoted(groups)}")
        # Python objects are kept, because an array would convert 1 and "1" to the same string.
        values = np.fromiter(values, dtype=object)
    if values.shape != (n_instances,):
        raise ValueError(
            f"groups must have one identifier per instance, {n_instances} in all; got shape {values.shape}"
        )
    try:
        codes, first = pd.factorize(values)
    except TypeError as error:
        raise TypeError(f"groups must contain hashable identifiers ({error})") from error
    if codes.min(initial=0) < 0:
        raise ValueError(f"groups must not contain missing values, got one in row {int(codes.argmin())}")
    offsets = np.concatenate([[0], np.cumsum(np.bincount(codes, minlength=len(first)))]).astype(np.int64)
    order = None if np.all(np.diff(codes) >= 0) else np.argsort(codes, kind="stable").astype(np.int64)
    return order, offsets, tuple(str(name) for name in first)


def split_frame(frame: Any, bag: Hashable) -> tuple[Instances, Any, Names]:
    """Return the numeric columns of a data frame, its column ``bag``, and the feature names."""
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
            raise TypeError(f"column {name!r} must be numeric, got dtype {dtype}; drop or encode it")
    dtype = float_type(*features.dtypes)
    # The values are copied, because they can share memory with the frame.
    values = np.array(features.to_numpy(dtype=dtype, na_value=np.nan), order="C")
    return values, frame[bag], tuple(map(str, features.columns))


def select(index: Any, n_bags: int) -> int | slice | Int64Array:
    """Convert an index to a bag index, a non-empty slice of adjacent bags, or an array of bag indices."""
    if isinstance(index, slice):
        start, stop, step = index.indices(n_bags)
        if step == 1 and start < stop:
            return slice(start, stop)
        chosen = np.arange(start, stop, step)
    elif isinstance(index, int | np.integer) and not isinstance(index, bool):
        bag = int(index)
        if not -n_bags <= bag < n_bags:
            raise IndexError(f"bag {bag} is out of range: there are {n_bags} bags")
        return bag % n_bags
    else:
        chosen = _chosen(index, n_bags)
    if not len(chosen):
        raise ValueError("the selection must contain at least one bag")
    return chosen


def _chosen(index: Any, n_bags: int) -> Int64Array:
    # Tuples are rejected, because NumPy interprets them as one index per dimension.
    array = np.asarray(None if isinstance(index, tuple) else index)
    if array.ndim != 1 or (array.dtype.kind not in "biu" and array.size):
        raise TypeError(f"an index must be an integer, slice, mask or list of integers, got {quoted(index)}")
    if array.dtype.kind == "b":
        if len(array) != n_bags:
            raise IndexError(f"the mask has {len(array)} entries, but there are {n_bags} bags")
        return np.flatnonzero(array)
    chosen = array.astype(np.int64)
    outside = (chosen < -n_bags) | (chosen >= n_bags)
    if outside.any():
        raise IndexError(f"bag {chosen[outside.argmax()]} is out of range: there are {n_bags} bags")
    return chosen % n_bags


def gather(X: Instances, offsets: Int64Array, bags: Int64Array) -> tuple[Instances, Int64Array]:
    """Return the rows and offsets of the selected bags."""
    sizes = np.diff(offsets)[bags]
    ends = np.concatenate([[0], np.cumsum(sizes)])
    rows = np.arange(ends[-1]) + np.repeat(offsets[bags] - ends[:-1], sizes)
    return X[rows], ends


@documented()
def as_bags(X: Any, *, groups: ArrayLike | None = None, offsets: ArrayLike | None = None) -> Bags:
    """Convert data to bags.

    Raises a ValueError or TypeError if ``X``, ``groups`` or ``offsets`` are invalid or do not match.

    Parameters
    ----------
    X : Bags, sequence of 2-d arrays, 3-d array, or 2-d array
        A list, tuple or object array contains one 2-d array-like per bag. A 3-d array has shape (n_bags,
        n_instances, n_features). In a 2-d array, each row is an instance and, by default, a bag of its own.
    groups : array-like of shape (n_instances,) or None, default=None
        Bag identifier of each row of a 2-d ``X``; see :meth:`Bags.from_groups`.
    offsets : array-like of shape (n_bags + 1,) or None, default=None
        First row of each bag in a 2-d ``X``, followed by the number of rows.
    """
    if groups is not None and offsets is not None:
        raise ValueError("pass either groups or offsets, not both")
    if groups is not None or offsets is not None:
        name = "offsets" if groups is None else "groups"
        if isinstance(X, Bags):
            raise ValueError(f"{name} must be None if X already contains bags")
        if groups is not None:
            return Bags.from_groups(X, groups)
        return Bags(X, offsets, feature_names=column_names(X))  # type: ignore[arg-type]
    if isinstance(X, Bags):
        return X
    if isinstance(X, np.ndarray) and X.ndim == 1 and X.dtype == object:
        X = list(X)
    if isinstance(X, list | tuple):
        return Bags.from_list(X)
    if getattr(X, "ndim", None) == 3:
        n_bags, size, n_features = X.shape
        if not size:
            raise ValueError(f"bag 0 must not be empty, got X of shape {X.shape}")
        return Bags(X.reshape(n_bags * size, n_features), np.arange(n_bags + 1) * size)
    if not hasattr(X, "shape") or not np.shape(X):
        raise TypeError(f"X must be Bags, a list of 2-d arrays or an array, got {type(X).__name__}")
    return Bags(X, np.arange(X.shape[0] + 1), feature_names=column_names(X))


def to_offsets(offsets: ArrayLike, n_instances: int, bag_ids: Names | None) -> Int64Array:
    """Return read-only int64 offsets, which must increase strictly from 0 to ``n_instances``."""
    array = checked_array(offsets, "offsets")
    if array.ndim != 1:
        raise ValueError(f"offsets must be 1-d, got shape {array.shape}")
    if len(array) < 2:
        raise ValueError(f"offsets must have at least two entries (one bag), got {len(array)}")
    if array.dtype.kind not in "iu":
        raise TypeError(f"offsets must be integers, got dtype {array.dtype}")
    if array[0] != 0:
        raise ValueError(f"offsets must start at 0, got {array[0]}")
    array = array.astype(np.int64)
    steps = np.diff(array)
    if steps.min() < 0:
        bag = int(steps.argmin())
        raise ValueError(f"offsets must increase, got {array[bag + 1]} after {array[bag]} at index {bag + 1}")
    if array[-1] != n_instances:
        raise ValueError(f"offsets must end at the number of instances, {n_instances}, got {array[-1]}")
    if steps.min() == 0:
        raise ValueError(f"{bag_name(int(steps.argmin()), bag_ids)} must not be empty")
    return freeze(array)


def freeze(array: NDArray[Any]) -> NDArray[Any]:
    """Make an array, and all arrays that own its memory, read-only. Other code must not write to them."""
    owner: Any = array
    while isinstance(owner, np.ndarray):
        owner.flags.writeable = False
        owner = owner.base
    return array
