"""What the objectives of a bag problem share."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from moo_clustering.bags import BagGeometry, Bags, bag_distances
from moo_clustering.bags._distances import Kind
from moo_clustering.bags._geometry import Weighting


class BagTables:
    """Precomputations about bags, made when first asked for and shared by all copies.

    Parameters
    ----------
    bags : Bags
    weighting : {"bag", "instance"}
        Of indices that are named.
    kind : str
        Of the distances between bags.
    n_jobs : int or None
    """

    def __init__(self, bags: Bags, weighting: Weighting, kind: Kind, n_jobs: int | None) -> None:
        self.bags = bags
        self.weighting: Weighting = weighting
        self.kind: Kind = kind
        self.n_jobs = n_jobs
        self._geometries: dict[Weighting, BagGeometry] = {}
        self._distances: dict[Kind, NDArray[np.float64]] = {}

    def geometry(self, weighting: Weighting | None = None) -> BagGeometry:
        """Products of bag means and instances."""
        weighting = self.weighting if weighting is None else weighting
        if weighting not in self._geometries:
            # Without the stronger pruning that a least cluster size allows: not everything in a
            # population keeps it.
            self._geometries[weighting] = BagGeometry(self.bags, weighting=weighting)
        return self._geometries[weighting]

    def distances(self, kind: Kind | None = None) -> NDArray[np.float64]:
        """Distances between bags, from row to column."""
        kind = self.kind if kind is None else kind
        if kind not in self._distances:
            H = bag_distances(self.bags, kind=kind, n_jobs=self.n_jobs)
            H.flags.writeable = False
            self._distances[kind] = H
        return self._distances[kind]

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self
