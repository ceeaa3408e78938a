"""What every reader of multi-instance data returns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from moo_clustering.bags import Bags


@dataclass(frozen=True, eq=False)
class BagTable:
    """A multi-instance data set: bags, and apart from them their known classes.

    Parameters
    ----------
    bags : Bags
        Finite features, with ``bag_ids`` where the data have identifiers and ``feature_names``.
    labels : ndarray of shape (n_bags,), int64, or None
        Known classes 0, 1, ... of the bags, for scoring; -1 where a bag has none.
    label_names : tuple of str
        Names of the classes in labels.
    name : str
        Name of the set, or of the file it came from (without its folder).
    """

    bags: Bags
    labels: NDArray[np.int64] | None = None
    label_names: tuple[str, ...] = ()
    name: str = "bags"

    @property
    def n_bags(self) -> int:
        """Number of bags."""
        return len(self.bags)

    @property
    def n_classes(self) -> int:
        """Number of known classes; 0 without known classes."""
        return len(self.label_names)

    @property
    def has_bag_ids(self) -> bool:
        """Whether the bags have identifiers of their own."""
        return self.bags.bag_ids is not None

    def shuffled(self, random_state: int | np.random.Generator | None = None) -> Self:
        """The same bags in random order, with their identifiers and classes."""
        order = np.random.default_rng(random_state).permutation(self.n_bags)
        labels = None if self.labels is None else self.labels[order]
        return replace(self, bags=self.bags[order], labels=labels)
