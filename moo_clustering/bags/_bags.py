"""Bags of instances: the data of multi-instance clustering."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import pairwise
from os import PathLike
from typing import Any, Self, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering.bags._build import gather, group_rows, select, split_frame, stack
from moo_clustering.bags._checks import (
    Instances,
    Names,
    Offsets,
    bag_name,
    float_type,
    freeze,
    matrix,
    require_finite,
    to_instances,
    to_names,
    to_offsets,
)
from moo_clustering.bags._files import read_bags, write_bags


class Bags:
    """Bags of instances, kept as one matrix with the instances of a bag in adjacent rows.

    Bags cannot be changed, and copies share their arrays. Iterating gives the bags, each an array
    of shape (n_instances_of_the_bag, n_features); ``bags[3]`` is one of them, and ``bags[2:5]``,
    ``bags[[4, 1]]`` and ``bags[mask]`` are ``Bags`` again.

    Parameters
    ----------
    instances : array-like of shape (n_instances, n_features)
        Finite numbers, bag after bag. float32 and float64 stay what they are, other types become
        float64. An array that nobody can write to is used as it is, any other is copied.
    offsets : array-like of shape (n_bags + 1,), integers
        Bag ``i`` owns rows ``offsets[i]`` to ``offsets[i + 1] - 1``, at least one.
    bag_ids : sequence of length n_bags or None, default=None
        Names of the bags; stored as strings.
    feature_names : sequence of length n_features or None, default=None

    Attributes
    ----------
    instances : ndarray of shape (n_instances, n_features), float32 or float64, read-only
    offsets : ndarray of shape (n_bags + 1,), int64, read-only
    bag_ids, feature_names : tuple of str or None
    n_bags, n_instances, n_features : int
    dtype : dtype
    sizes : ndarray of shape (n_bags,), int64, read-only
        Instances of each bag.
    bag_of_instance : ndarray of shape (n_instances,), int64, read-only
        Bag of each row of ``instances``.

    Raises
    ------
    ValueError
        For no bag at all, an empty bag, values that are not finite, or shapes that do not fit.
    TypeError
        For values that are not real numbers.

    Examples
    --------
    >>> from moo_clustering.bags import Bags
    >>> bags = Bags.from_list([[[0, 0], [2, 0]], [[0, 1]]])
    >>> bags
    Bags(n_bags=2, n_instances=3, n_features=2, sizes=1-2)
    >>> bags[0].tolist()
    [[0.0, 0.0], [2.0, 0.0]]
    """

    __slots__ = (
        "__weakref__",
        "_bag_ids",
        "_bag_of_instance",
        "_feature_names",
        "_instances",
        "_offsets",
        "_sizes",
    )

    _instances: Instances
    _offsets: Offsets
    _bag_ids: Names | None
    _feature_names: Names | None
    _sizes: NDArray[np.int64]
    _bag_of_instance: NDArray[np.int64] | None

    def __init__(
        self,
        instances: ArrayLike,
        offsets: ArrayLike,
        *,
        bag_ids: Iterable[Hashable] | None = None,
        feature_names: Iterable[Hashable] | None = None,
    ) -> None:
        X = to_instances(instances, "instances")
        ids = to_names(bag_ids, max(len(np.atleast_1d(offsets)) - 1, 0), "bag_ids", "bags")
        names = to_names(feature_names, X.shape[1], "feature_names", "features")
        ptr = to_offsets(offsets, len(X), ids)
        require_finite(X, ptr, ids, names)
        self._set(X, ptr, ids, names)

    def _set(
        self, X: Instances, offsets: Offsets, bag_ids: Names | None, feature_names: Names | None
    ) -> None:
        self._instances = freeze(X)
        self._offsets = freeze(offsets)
        self._bag_ids = bag_ids
        self._feature_names = feature_names
        self._sizes = freeze(np.diff(offsets))
        self._bag_of_instance = None

    @classmethod
    def _trusted(cls, X: Instances, offsets: Offsets, bag_ids: Names | None, names: Names | None) -> Self:
        """Bags of arrays that are known to be right and that nobody else will write to."""
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
        """Bags from one array-like of shape (n_instances_of_the_bag, n_features) each.

        Frames must name their columns alike; the names become ``feature_names`` if none are given.
        """
        items = list(bags)
        ids = to_names(bag_ids, len(items), "bag_ids", "bags")
        names = common_names(items, ids)
        if feature_names is None:
            feature_names = names
        X, offsets = stack(items, ids)
        return cls(freeze(X), offsets, bag_ids=ids, feature_names=feature_names)

    @classmethod
    def from_groups(
        cls, X: ArrayLike, groups: ArrayLike, *, feature_names: Iterable[Hashable] | None = None
    ) -> Self:
        """Bags from instances and the bag identifier of each.

        Parameters
        ----------
        X : array-like of shape (n_instances, n_features)
        groups : array-like of shape (n_instances,)
            Hashable identifiers, none missing. Rows of a bag need not be adjacent and keep their
            order; bags come in the order of their first rows.
        feature_names : sequence of length n_features or None, default=None
            Default: the columns of ``X`` if it is a frame with columns named by strings.
        """
        rows = matrix(X, "X")
        order, offsets, ids = group_rows(groups, len(rows))
        names = column_names(X) if feature_names is None else feature_names
        gathered = rows if order is None else freeze(rows[order])
        return cls(gathered, offsets, bag_ids=ids, feature_names=names)

    @classmethod
    def from_frame(cls, frame: Any, bag: Hashable) -> Self:
        """Bags from a pandas frame with one instance a row.

        Parameters
        ----------
        frame : pandas.DataFrame
            Its other columns must be numeric; their names become ``feature_names``.
        bag : hashable
            Column of bag identifiers, as ``groups`` of :meth:`from_groups`.
        """
        X, groups, names = split_frame(frame, bag)
        return cls.from_groups(freeze(X), groups, feature_names=names)

    @classmethod
    def concatenate(cls, parts: Iterable[Bags]) -> Self:
        """All bags of several ``Bags``, in order.

        Identifiers are kept if all parts have them. Parts must have equally many features, named
        alike where they have names.
        """
        given = list(parts)
        for number, part in enumerate(given):
            if not isinstance(part, Bags):
                raise TypeError(f"part {number} must be Bags, got {type(part).__name__}")
        if not given:
            raise ValueError("no parts were given; there must be at least one bag")
        named = next((number for number, part in enumerate(given) if part.feature_names is not None), 0)
        names = given[named].feature_names
        for number, part in enumerate(given):
            if part.n_features != given[0].n_features:
                raise ValueError(
                    f"part {number} has {part.n_features} features, but part 0 has {given[0].n_features}"
                )
            if part.feature_names not in (None, names):
                raise ValueError(f"parts {named} and {number} have different feature_names")
        X = np.concatenate(
            [part.instances for part in given], dtype=float_type(*(part.dtype for part in given))
        )
        sizes = np.concatenate([part.sizes for part in given])
        ids: Names | None = None
        if all(part.bag_ids is not None for part in given):
            ids = tuple(name for part in given for name in part.bag_ids or ())
        return cls._trusted(X, np.concatenate([[0], np.cumsum(sizes)]), ids, names)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Bags from an ``.npz`` with arrays ``instances`` and ``bag_offsets``.

        ``bag_ids`` and ``feature_names`` are optional, other arrays are ignored. No code is
        executed, whatever the file holds.

        Raises
        ------
        ValueError
            When the file is damaged, holds no bags, or what it holds makes none.
        FileNotFoundError
            When there is no such file.
        """
        X, offsets, ids, names = read_bags(path)
        try:
            return cls(freeze(X), offsets, bag_ids=ids, feature_names=names)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{path} holds no bags: {error}") from error

    def save(self, path: str | PathLike[str]) -> None:
        """Write what :meth:`load` reads, replacing the file as a whole or not at all."""
        write_bags(path, self._instances, self._offsets, self._bag_ids, self._feature_names)

    @property
    def instances(self) -> Instances:
        """All instances, bag after bag."""
        return self._instances

    @property
    def offsets(self) -> Offsets:
        """First row of each bag, and the number of rows."""
        return self._offsets

    @property
    def bag_ids(self) -> Names | None:
        """Names of the bags."""
        return self._bag_ids

    @property
    def feature_names(self) -> Names | None:
        """Names of the columns."""
        return self._feature_names

    @property
    def n_bags(self) -> int:
        """Number of bags."""
        return len(self._offsets) - 1

    @property
    def n_instances(self) -> int:
        """Number of instances of all bags."""
        return len(self._instances)

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return self._instances.shape[1]

    @property
    def dtype(self) -> np.dtype[np.floating[Any]]:
        """Type of the instances, float32 or float64."""
        return self._instances.dtype

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Instances of each bag."""
        return self._sizes

    @property
    def bag_of_instance(self) -> NDArray[np.int64]:
        """Bag of each row of ``instances``."""
        if self._bag_of_instance is None:
            self._bag_of_instance = freeze(np.repeat(np.arange(self.n_bags), self._sizes))
        return self._bag_of_instance

    def means(self) -> NDArray[np.float64]:
        """Mean of the instances of each bag, shape (n_bags, n_features)."""
        total = np.add.reduceat(self._instances, self._offsets[:-1], axis=0, dtype=np.float64)
        total /= self._sizes[:, None]
        return total

    def with_instances(
        self, instances: ArrayLike, *, feature_names: Iterable[Hashable] | None = None
    ) -> Bags:
        """The same bags with other values, and possibly other features.

        Parameters
        ----------
        instances : array-like of shape (n_instances, any number of features)
        feature_names : sequence or None, default=None
            Default: those of these bags if there are as many features as before.
        """
        X = to_instances(instances, "instances")
        if len(X) != self.n_instances:
            raise ValueError(f"instances has {len(X)} rows, but the bags have {self.n_instances} instances")
        names = (
            self._feature_names if feature_names is None and X.shape[1] == self.n_features else feature_names
        )
        return Bags(X, self._offsets, bag_ids=self._bag_ids, feature_names=names)

    def __len__(self) -> int:
        return self.n_bags

    def __iter__(self) -> Iterator[Instances]:
        bounds = self._offsets.tolist()
        for start, stop in pairwise(bounds):
            yield self._instances[start:stop]

    @overload
    def __getitem__(self, index: int | np.integer[Any]) -> Instances: ...

    @overload
    def __getitem__(self, index: slice | NDArray[Any] | Sequence[int] | Sequence[bool]) -> Bags: ...

    def __getitem__(
        self, index: int | np.integer[Any] | slice | NDArray[Any] | Sequence[int] | Sequence[bool]
    ) -> Instances | Bags:
        bags = select(index, self.n_bags)
        if isinstance(bags, int):
            return self._instances[self._offsets[bags] : self._offsets[bags + 1]]
        if isinstance(bags, slice):
            ids = None if self._bag_ids is None else self._bag_ids[bags]
            rows = self._instances[self._offsets[bags.start] : self._offsets[bags.stop]]
            offsets = self._offsets[bags.start : bags.stop + 1] - self._offsets[bags.start]
        else:
            ids = None if self._bag_ids is None else tuple(self._bag_ids[bag] for bag in bags)
            rows, offsets = gather(self._instances, self._offsets, bags)
        return Bags._trusted(rows, offsets, ids, self._feature_names)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Bags):
            return NotImplemented
        return self is other or (
            self._bag_ids == other._bag_ids
            and self._feature_names == other._feature_names
            and np.array_equal(self._offsets, other._offsets)
            and np.array_equal(self._instances, other._instances)
        )

    __hash__ = None  # type: ignore[assignment]

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._trusted, (self._instances, self._offsets, self._bag_ids, self._feature_names)

    def __repr__(self) -> str:
        low, high = int(self._sizes.min()), int(self._sizes.max())
        sizes = f"{low}" if low == high else f"{low}-{high}"
        return (
            f"{type(self).__name__}(n_bags={self.n_bags}, n_instances={self.n_instances}, "
            f"n_features={self.n_features}, sizes={sizes})"
        )


def common_names(items: Sequence[Any], bag_ids: Names | None) -> list[str] | None:
    """Column names of all items that are frames with names."""
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
    """Column names of a frame, if all are strings."""
    names = list(getattr(X, "columns", ()))
    return names if names and all(isinstance(name, str) for name in names) else None
