"""Medoids of clusters that have been met before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering._kernels.medoids import cluster_keys

BoolArray = NDArray[np.bool_]

# Clusters remembered at least, and half of those at most: some 40 MB.
_CAPACITY = 1 << 17


class MedoidMemo:
    """Find the medoid of every distinct cluster of a population once, and once in a long time.

    Children share clusters with their parents, and late populations consist of copies. A cluster is
    known by a 128-bit hash of the set of its members, so that a mix-up is out of the question for any
    number of clusters that can be met. What is forgotten is found again, so results do not depend on
    it.

    Parameters
    ----------
    n_samples : int
    """

    def __init__(self, n_samples: int) -> None:
        self._salts = np.random.default_rng(0).integers(0, 2**64, size=(n_samples, 2), dtype=np.uint64)
        self._recent: dict[bytes, int] = {}
        self._older: dict[bytes, int] = {}

    def complete(
        self,
        labels: NDArray[np.integer[Any]],
        present: BoolArray,
        find: Callable[[BoolArray, NDArray[np.int64]], None],
    ) -> NDArray[np.int64]:
        """Medoids of all clusters, shape of ``present``, -1 where there is no cluster.

        Parameters
        ----------
        labels : ndarray of shape (n_individuals, n_samples)
        present : ndarray of shape (n_individuals, n_clusters), bool
            Which clusters there are.
        find : callable
            ``find(wanted, medoids)`` enters the medoids of the clusters that are wanted.
        """
        keys = np.zeros((*present.shape, 2), dtype=np.uint64)
        cluster_keys(labels, self._salts, keys)
        medoids = np.full(present.shape, -1, dtype=np.int64)
        flat, places = medoids.reshape(-1), np.flatnonzero(present)
        names = np.ascontiguousarray(keys.reshape(-1, 2)[places]).view("V16").ravel().tolist()
        new: dict[bytes, int] = {}
        repeated = []
        for place, name in zip(places.tolist(), names, strict=True):
            known = self._recent.get(name)
            if known is None:
                known = self._older.get(name)
            if known is not None:
                flat[place] = known
            elif new.setdefault(name, place) != place:
                repeated.append((place, new[name]))
        wanted = np.zeros(present.shape, dtype=np.bool_)
        wanted.reshape(-1)[list(new.values())] = True
        if new:
            find(wanted, medoids)
        for place, source in repeated:
            flat[place] = flat[source]
        if len(self._recent) + len(new) > _CAPACITY:
            self._older, self._recent = self._recent, {}
        self._recent.update((name, int(flat[place])) for name, place in new.items())
        return medoids
