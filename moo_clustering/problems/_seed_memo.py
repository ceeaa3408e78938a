"""Individuals that have been met before."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

# Individuals whose objectives are remembered at least, and half of those at most.
_CAPACITY = 1 << 16


class Grown(NamedTuple):
    """What is kept of an evaluated individual, clusters in ascending order of their seeds.

    Attributes
    ----------
    objectives : ndarray of shape (n_obj,)
    centers : ndarray of shape (n_features, n_clusters), float32
    documents : ndarray of shape (n_clusters,)
        Distinct documents that belong to the clusters most.
    gaps : ndarray of shape (n_samples,), float32
        Distance of every document to the nearest centroid.
    """

    objectives: NDArray[np.float64]
    centers: NDArray[np.float32]
    documents: NDArray[np.int64]
    gaps: NDArray[np.float32]

    @property
    def nbytes(self) -> int:
        """Memory of the arrays."""
        return sum(part.nbytes for part in self)


class SeedMemo:
    """Objectives of very many individuals, and the rest of the most recent ones.

    What is forgotten is found again, so results do not depend on it.

    Parameters
    ----------
    max_bytes : int
        Memory for the most recent ones; the last is kept even if it needs more.
    """

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self._objectives: dict[bytes, NDArray[np.float64]] = {}
        self._older: dict[bytes, NDArray[np.float64]] = {}
        self._grown: OrderedDict[bytes, Grown] = OrderedDict()
        self._bytes = 0

    def objectives(self, key: bytes) -> NDArray[np.float64] | None:
        """Objectives of an individual, if they are known."""
        known = self._objectives.get(key)
        return self._older.get(key) if known is None else known

    def grown(self, key: bytes) -> Grown | None:
        """What was kept of an individual, if it is still there."""
        one = self._grown.get(key)
        if one is not None:
            self._grown.move_to_end(key)
        return one

    def add(self, key: bytes, one: Grown) -> None:
        """Remember an individual, and forget those not used for longest where there is no room."""
        if len(self._objectives) >= _CAPACITY:
            self._older, self._objectives = self._objectives, {}
        self._objectives[key] = one.objectives
        if key not in self._grown:
            self._grown[key] = one
            self._bytes += one.nbytes
        while self._bytes > self.max_bytes and len(self._grown) > 1:
            self._bytes -= self._grown.popitem(last=False)[1].nbytes

    def __getstate__(self) -> dict[str, Any]:
        return {"max_bytes": self.max_bytes}

    def __setstate__(self, state: dict[str, Any]) -> None:
        SeedMemo.__init__(self, state["max_bytes"])
