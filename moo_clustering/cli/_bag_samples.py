"""Bags as the samples of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

if TYPE_CHECKING:
    import numpy as np

    from moo_clustering.bags import Bags


@dataclass(frozen=True, eq=False)
class BagSamples:
    """Bags, apart from them their known classes, and apart from both their partial labels.

    Parameters
    ----------
    name : str
        Name of the file, without its folder.
    X : Bags
    row_ids : ndarray of shape (n_bags,)
        Identifiers as text, or the numbers 0, 1, ... where the bags have none.
    y : ndarray of shape (n_bags,), int64, or None
        Known classes, for scoring; -1 for bags without one.
    target_names : tuple of str
    partial_y : ndarray of shape (n_bags,), int64, or None
        Partial labels, for ``fit``; -1 for unlabelled bags.
    """

    name: str
    X: Bags
    row_ids: NDArray[Any]
    y: NDArray[np.int64] | None = None
    target_names: tuple[str, ...] = ()
    partial_y: NDArray[np.int64] | None = None

    @property
    def n_samples(self) -> int:
        """Number of bags."""
        return len(self.X)

    @property
    def has_row_ids(self) -> bool:
        """Whether the bags have identifiers of their own."""
        return self.X.bag_ids is not None

    @property
    def shape(self) -> dict[str, Any]:
        """Sizes and features, for the record."""
        bags = self.X
        names = bags.feature_names or tuple(f"x{column}" for column in range(bags.n_features))
        return {
            "n_instances": bags.n_instances,
            "smallest_bag": int(bags.sizes.min()),
            "largest_bag": int(bags.sizes.max()),
            "n_features": bags.n_features,
            "feature_names": list(names),
        }

    def __str__(self) -> str:
        low, high = int(self.X.sizes.min()), int(self.X.sizes.max())
        sizes = f"{low}" if low == high else f"{low} to {high}"
        instances = f"of {sizes} instance{'' if high == 1 else 's'} ({self.X.n_instances} in all)"
        return f"{self.name}, {self.n_samples} bags {instances}, {self.X.n_features} features"
