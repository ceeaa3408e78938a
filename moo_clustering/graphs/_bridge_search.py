"""Shortest links between the components of large graphs, without looking at all pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from sklearn.metrics import pairwise_distances_argmin_min

from moo_clustering.graphs._search import CHUNK, MetricSpace, PointSearch

Ints = NDArray[np.int64]
Candidates = tuple[Ints, Ints, NDArray[np.float64]]

# Parts of at most so many samples look for their nearest sample outside one by one.
_SMALL = 64
# A large part is linked with so many of the nearest others.
_PARTNERS = 8
# Members of each of two parts that are compared where no tree can be used.
_SAMPLED = 1024
# In more dimensions a tree looks nearly everywhere for a sample that is far from all it holds.
_FAR_FEATURES = 4
# Pairs of samples that are always compared.
_COMPARED = 1 << 22

_NAMES = {1.0: "manhattan", 2.0: "euclidean", np.inf: "chebyshev"}


class LargeGraphBridges:
    """Candidates for links between parts of a data set."""

    def __init__(self, search: PointSearch, space: MetricSpace) -> None:
        self.search, self.space = search, space
        self.points = space.points

    def from_small_parts(self, parts: NDArray[np.int32]) -> Candidates:
        """For every sample of a small part its nearest sample of another part.

        Among the m + 1 nearest of a sample of a part of m samples at least one is of another part.
        """
        sizes = np.bincount(parts)
        # The largest part waits for the others to reach it.
        small = (sizes <= _SMALL) & (np.arange(len(sizes)) != sizes.argmax())
        offers: list[Candidates] = []
        for size in np.unique(sizes[small]):
            rows = np.flatnonzero(small[parts] & (sizes[parts] == size))
            n_found = min(int(size) + 1, len(parts))
            step = self.search.chunk(n_found)
            for lo in range(0, len(rows), step):
                who = rows[lo : lo + step]
                found = self.search(who, n_found)
                outside = parts[found.points] != parts[who, None]
                place = outside.argmax(axis=1)
                line = np.arange(len(who))
                offers.append((who, found.points[line, place], found.distances[line, place]))
        return _joined(offers)

    def between_parts(self, parts: NDArray[np.int32]) -> Candidates:
        """Closest pairs of samples of large parts and the parts whose centres are nearest to theirs."""
        members = np.split(np.argsort(parts, kind="stable"), np.cumsum(np.bincount(parts))[:-1])
        centres = np.stack([self.points[m].mean(axis=0, dtype=np.float64) for m in members])
        n_partners = min(_PARTNERS + 1, len(members))
        near = cKDTree(centres).query(centres, k=n_partners)[1]
        pairs = {(min(p, int(q)), max(p, int(q))) for p in range(len(members)) for q in near[p] if q != p}
        trees: dict[int, Any] = {}
        i, j, length = _joined([self._closest(members, centres, p, q, trees) for p, q in sorted(pairs)])
        # For the part at either end.
        return np.concatenate([i, j]), np.concatenate([j, i]), np.concatenate([length, length])

    def _closest(
        self, members: list[Ints], centres: NDArray[np.float64], p: int, q: int, trees: dict[int, Any]
    ) -> Candidates:
        if len(members[p]) > len(members[q]):
            p, q = q, p
        a, b = members[p], members[q]
        if len(a) * len(b) > _COMPARED:
            if self.space.power is not None and self.points.shape[1] <= _FAR_FEATURES:
                if q not in trees:
                    trees[q] = cKDTree(self.points[b], balanced_tree=False)
                length, place = trees[q].query(self.points[a], p=self.space.power)
                return _shortest(a, b[place], length)
            a, b = self._facing(a, centres[q]), self._facing(b, centres[p])
        metric = self.space.metric if self.space.power is None else _NAMES[self.space.power]
        place, length = pairwise_distances_argmin_min(self.points[a], self.points[b], metric=metric)
        return _shortest(a, b[place], length)

    def _facing(self, members: Ints, target: NDArray[np.float64]) -> Ints:
        """Members nearest to the centre of another part."""
        if len(members) <= _SAMPLED:
            return members
        gaps = np.concatenate(
            [
                ((self.points[m] - target) ** 2).sum(axis=1)
                for m in np.array_split(members, 1 + len(members) // CHUNK)
            ]
        )
        return members[np.sort(np.argsort(gaps, kind="stable")[:_SAMPLED])]


def _shortest(i: Ints, j: Ints, length: NDArray[np.float64]) -> Candidates:
    least = length == length.min()
    return i[least], j[least], length[least]


def _joined(offers: list[Candidates]) -> Candidates:
    if not offers:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0)
    i, j, length = (np.concatenate(column) for column in zip(*offers, strict=True))
    return i, j, length
