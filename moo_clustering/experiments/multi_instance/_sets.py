"""Multi-instance sets in a data folder, by the rows of the published tables."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from moo_clustering._suggest import did_you_mean
from moo_clustering.bags import Bags
from moo_clustering.datasets import DataError, read_bags
from moo_clustering.persistence import fingerprint

_VARIABLE = "MOO_CLUSTERING_DATA"
_FOLDER = "mil"


class Row(NamedTuple):
    """A row of the tables.

    Parameters
    ----------
    name : str
    published : tuple of str
        Rows of the paper to compare with, the one of this name first; none for sets it does not have.
    swapped : bool
        Whether the other class is the positive one.
    """

    name: str
    published: tuple[str, ...]
    swapped: bool = False

    @property
    def is_own_set(self) -> bool:
        """Whether a set of the paper, and not one seen before with other classes."""
        return bool(self.published) and not self.swapped


# The rows of ImgT and ImgF are very likely swapped in the paper.
SETS: dict[str, tuple[Row, ...]] = {
    "musk1": (Row("Musk1", ("Musk1",)),),
    "musk2": (Row("Musk2", ("Musk2",)),),
    "mutatoms": (Row("MutA", ("MutA",)),),
    "mutbonds": (Row("MutB", ("MutB",)),),
    "mutchains": (Row("MutC", ("MutC",)),),
    "img_elephant": (Row("ImgE", ("ImgE",)),),
    "img_tiger": (Row("ImgT", ("ImgT", "ImgF")),),
    "img_fox": (Row("ImgF", ("ImgF", "ImgT")),),
    "eastwest": (Row("EastW", ("EastW",)), Row("WestE", ("WestE",), swapped=True)),
}
# Not in the paper; only on request.
EXTRAS: dict[str, tuple[Row, ...]] = {
    name: (Row(name, ()),) for name in ("thioredoxin", "newsgroups1", "corel_african")
}


@dataclass(frozen=True)
class BagSet:
    """Bags with known classes.

    Parameters
    ----------
    name : str
        Of the file.
    identity : str
        Fingerprint of bags and classes; sets of one name and identity are equal.
    bags : Bags
        In the units of the data.
    classes : ndarray of shape (n_bags,), int64
        0, 1, ...; the last is the positive one.
    """

    name: str
    identity: str
    bags: Bags = field(compare=False)
    classes: NDArray[np.int64] = field(compare=False)

    @property
    def rows(self) -> tuple[Row, ...]:
        """Rows of the tables that the set makes."""
        return {**SETS, **EXTRAS}[self.name]

    @property
    def n_clusters(self) -> int:
        """Target number of clusters: that of the classes."""
        return len(np.unique(self.classes))


def load_bag_sets(folder: Path | None, names: Sequence[str] = ()) -> list[BagSet]:
    """Sets of the paper that are in a folder, or those asked for.

    Parameters
    ----------
    folder : Path, optional
        Holds npz files, itself or in its sub-folder ``mil``; default: the folder named by the
        environment variable ``MOO_CLUSTERING_DATA``.
    names : sequence of str, default=()
        Names of files without suffix; default: all of the paper that are there.

    Returns
    -------
    list of BagSet
        In the order of the paper.

    Raises
    ------
    ValueError
        For an unknown name.
    DataError
        If there is no folder, no set in it, not one that is asked for, or one without classes.
    """
    known: dict[str, Any] = {**SETS, **EXTRAS}
    for name in names:
        if name not in known:
            raise ValueError(
                f"sets must be among {', '.join(known)}; got {name!r}{did_you_mean(name, known)}"
            )
    given = os.environ.get(_VARIABLE) if folder is None else folder
    if not given:
        raise DataError(f"multi-instance sets need the folder they are in: give it, or set {_VARIABLE}")
    places = {name: _place(Path(given), name) for name in known if name in (names or SETS)}
    absent = [f"{name}.npz" for name, place in places.items() if place is None]
    if names and absent:
        raise DataError(f"there is no {absent[0]} in {given} or its sub-folder {_FOLDER}")
    if len(absent) == len(places):
        raise DataError(f"there is none of {', '.join(absent)} in {given} or its sub-folder {_FOLDER}")
    return [_read(name, place) for name, place in places.items() if place is not None]


def _place(folder: Path, name: str) -> Path | None:
    candidates = (folder / f"{name}.npz", folder / _FOLDER / f"{name}.npz")
    return next((path for path in candidates if path.is_file()), None)


def _read(name: str, path: Path) -> BagSet:
    table = read_bags(path)
    classes = table.labels
    if classes is None or table.n_classes < 2 or (classes < 0).any():
        raise DataError(f"{path} must have an array 'bag_labels' with a class for each bag, of at least two")
    identity = fingerprint(table.bags.instances, table.bags.offsets, classes)[:16]
    return BagSet(name, identity, table.bags, classes)
