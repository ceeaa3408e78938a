"""Differences of the rows of pairs, in blocks that fit into memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Pairs = NDArray[np.int64]

_BLOCK = 2**20  # entries of a block: 8 MiB
_KEPT = 2**25  # entries up to which blocks are kept: 256 MiB


class PairDifferences:
    """Rows ``X[i] - X[j]`` of many pairs, again and again.

    Kept where they take no more than 256 MiB, and else computed anew at every pass.
    """

    def __init__(self, X: Floats, pairs: Pairs) -> None:
        self._X = X
        self._pairs = pairs
        self.n_pairs = len(pairs)
        self._kept = list(self._blocks()) if pairs.shape[0] * X.shape[1] <= _KEPT else None

    def __iter__(self) -> Iterator[Floats]:
        return self._blocks() if self._kept is None else iter(self._kept)

    def _blocks(self) -> Iterator[Floats]:
        step = max(1, _BLOCK // max(1, self._X.shape[1]))
        for lo in range(0, len(self._pairs), step):
            i, j = self._pairs[lo : lo + step].T
            yield self._X[i] - self._X[j]
