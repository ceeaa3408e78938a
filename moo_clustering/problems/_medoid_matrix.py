"""Medoid sets over a distance matrix."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering._arrays import block_slices
from moo_clustering._distances import Metric, distance_matrix
from moo_clustering._kernels.medoid_vectors import GRAIN
from moo_clustering._kernels.medoids import cluster_totals, least_total_members, own_distances
from moo_clustering._kernels.partitions import medoid_separations
from moo_clustering._kernels.parts import for_parts
from moo_clustering.problems._medoid_space import (
    RELATIVE,
    FloatArray,
    IntArray,
    Labels,
    MedoidSpace,
    Members,
)
from moo_clustering.validity._representatives import mean_square

# A cluster of at most this part of the samples is added up over its members, a greater one by a mask.
_FEW = 8


class DistanceMatrixSpace(MedoidSpace):
    """All n^2 distances in memory; any metric.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features) or (n_samples, n_samples)
    metric : str or callable
        As for :class:`~moo_clustering.encodings.MedoidEncoding`. Cosine distances are rounded to
        multiples of 2^-44, so that equal directions tie exactly.
    max_memory : int
        Bytes the distances may take, 8 n_samples^2.
    n_jobs : int or None

    Notes
    -----
    For p individuals of k clusters of equal size, assignment takes O(p k n) time, the medoids of
    distinct clusters O(p n^2 / k).
    """

    def __init__(self, X: Any, metric: Metric, max_memory: int, n_jobs: int | None = None) -> None:
        D = distance_matrix(X, metric, max_memory, "MedoidProblem")
        cosine = isinstance(metric, str) and metric == "cosine"
        if cosine:
            for block in block_slices(len(D), len(D)):
                D[block] = np.rint(D[block] * GRAIN) / GRAIN
        # A view, so that precomputed distances stay writeable for their owner.
        self.distances = D.view()
        self.distances.flags.writeable = False
        self.n_samples = len(D)
        self.n_jobs = n_jobs
        self.mean_square = mean_square(D)
        self.total_to_one = float(D.sum(axis=0).min())
        self._each = 2.0 / GRAIN if cosine else 0.0

    def rows(self, ids: IntArray) -> NDArray[np.floating[Any]]:
        return self.distances[ids]

    def own(self, medoids: IntArray, labels: Labels) -> FloatArray:
        out = np.empty(labels.shape)
        own_distances(self.distances, medoids, labels, out)
        return out

    def separations(self, medoids: IntArray) -> tuple[FloatArray, FloatArray]:
        least, greatest = np.empty(len(medoids)), np.empty(len(medoids))
        medoid_separations(self.distances, medoids, (medoids >= 0).sum(axis=1), least, greatest)
        return least, greatest

    def blocks(self, medoids: IntArray) -> Iterator[tuple[NDArray[np.floating[Any]], IntArray]]:
        yield self.distances, medoids

    def find_medoids(self, members: Members, wanted: NDArray[np.bool_], medoids: NDArray[np.int64]) -> None:
        # Individuals all of whose clusters are known need not be visited.
        some = np.flatnonzero(wanted.any(axis=1))
        labels, order, starts = (array[some] for array in members)
        wanted = wanted[some]
        totals = np.empty(labels.shape)
        n = self.n_samples
        for_parts(
            lambda lo, hi: cluster_totals(
                self.distances, labels, order, starts, wanted, n // _FEW, totals, lo, hi
            ),
            n,
            float(n) * n * len(some) / _FEW,
            self.n_jobs,
        )
        found = medoids[some]
        least_total_members(totals, order, starts, wanted, RELATIVE, self._each, found)
        medoids[some] = found
