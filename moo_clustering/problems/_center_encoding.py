"""Partitions as the centres that samples are nearest to."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering._arrays import centred_features
from moo_clustering._kernels.hamerly import greedy_seeds, two_nearest
from moo_clustering.encodings._base import Encoding, IntArray, Labels
from moo_clustering.encodings._canonical import relabel_by_first_appearance
from moo_clustering.encodings._checks import checked_labels

FloatArray = NDArray[np.float64]
Offsets = tuple[FloatArray, FloatArray]


def nearest_centers(points: FloatArray, centers: FloatArray) -> tuple[Labels, FloatArray, FloatArray]:
    """Nearest centre of every point (ties: the first), squared distances to it and the next."""
    labels = np.empty(len(points), dtype=np.int32)
    first, second = np.empty(len(points)), np.empty(len(points))
    two_nearest(points, np.ascontiguousarray(centers), labels, first, second)
    return labels, first, second


def shifted(rows: FloatArray, offsets: Offsets) -> FloatArray:
    """Rows of data in the coordinates of the points of an encoding."""
    return np.ascontiguousarray((rows - offsets[0]) - offsets[1])


# The genes of the other encodings are integers, and the base class is annotated so; whatever goes by an
# encoding only (sampling, repair, duplicates) takes real numbers as well.
class CenterEncoding(Encoding):
    """Genes are the coordinates of ``n_clusters`` centres, one centre after the other.

    Every sample belongs to the nearest centre, of equally near ones to the first.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    n_clusters : int
        From 1 to n_samples.

    Attributes
    ----------
    points : ndarray of shape (n_samples, n_features)
        X less its mean: the coordinates in which the genes are.
    offsets : tuple of two ndarrays of shape (n_features,)
        What is taken from X for that, one after the other.
    n_distances : int
        Distances between two points taken so far.

    Notes
    -----
    Decoding takes O(n_individuals n_samples n_clusters n_features) time. A deep copy shares everything.
    """

    dtype = np.dtype(np.float64)

    def __init__(self, X: ArrayLike, n_clusters: int) -> None:
        data = np.asarray(X, dtype=np.float64)
        self.points = centred_features(data)
        # In the same two steps as the points, so that the same rows come out the same.
        self.offsets = data[0].copy(), (data - data[0]).mean(axis=0)
        self.n_samples, self.n_features = self.points.shape
        if isinstance(n_clusters, bool) or not isinstance(n_clusters, int | np.integer):
            raise TypeError(f"n_clusters must be an integer, got {n_clusters!r}.")
        if not 1 <= n_clusters <= self.n_samples:
            raise ValueError(
                f"n_clusters must be from 1 to the number of samples, {self.n_samples}; got {n_clusters}."
            )
        self.n_clusters = int(n_clusters)
        self.n_var = self.n_clusters * self.n_features
        self.n_distances = 0

    def bounds(self) -> tuple[FloatArray, FloatArray]:  # type: ignore[override]
        """The box around the samples, for every centre."""
        low, high = self.points.min(axis=0), self.points.max(axis=0)
        return np.tile(low, self.n_clusters), np.tile(high, self.n_clusters)

    def centers(self, X: ArrayLike) -> FloatArray:
        """Genes as centres of shape (n_individuals, n_clusters, n_features); a copy.

        Raises
        ------
        ValueError
            For rows of another length, or with values that are not finite.
        """
        genes = np.atleast_2d(np.array(X, dtype=np.float64, order="C"))
        if genes.ndim != 2 or genes.shape[1] != self.n_var:
            raise ValueError(f"X must have {self.n_var} columns, got shape {np.shape(X)}.")
        if not np.isfinite(genes).all():
            raise ValueError("X must be finite: some centre has a coordinate that is NaN or infinite.")
        return genes.reshape(-1, self.n_clusters, self.n_features)

    def in_data(self, centers: FloatArray) -> FloatArray:
        """Centres in the coordinates of the data as given."""
        return centers + self.offsets[1] + self.offsets[0]

    def nearest(self, centers: FloatArray) -> tuple[Labels, FloatArray, FloatArray]:
        """Nearest centre of every sample, squared distances to it and the next."""
        self.n_distances += self.n_samples * len(centers)
        return nearest_centers(self.points, centers)

    def seeds(self, rng: np.random.Generator) -> FloatArray:
        """Samples by greedy k-means++ with 2 + floor(log n_clusters) trials, shape (n_clusters, d)."""
        trials = 2 + int(math.log(self.n_clusters))
        chosen = np.empty(self.n_clusters, dtype=np.int64)
        first = int(rng.integers(self.n_samples))
        draws = rng.random((self.n_clusters - 1, trials))
        self.n_distances += greedy_seeds(self.points, first, draws, chosen)
        return self.points[chosen]

    def decode(self, X: ArrayLike) -> Labels:
        """Clusters in the order of their centres; centres nearest to no sample have no number."""
        labels = np.empty((0, self.n_samples), dtype=np.int32)
        rows = [np.unique(self.nearest(c)[0], return_inverse=True)[1] for c in self.centers(X)]
        return np.array(rows, dtype=np.int32) if rows else labels

    def encode(self, labels: IntArray) -> FloatArray:  # type: ignore[override]
        """Means of the clusters; of more than ``n_clusters`` the largest, fewer are repeated."""
        partitions = relabel_by_first_appearance(checked_labels(labels, self.n_samples))
        X = np.empty((len(partitions), self.n_clusters, self.n_features))
        for row, partition in zip(X, partitions, strict=True):
            sizes = np.bincount(partition)
            means = np.zeros((len(sizes), self.n_features))
            np.add.at(means, partition, self.points)
            means /= sizes[:, np.newaxis]
            kept = np.sort(np.argsort(-sizes, kind="stable")[: self.n_clusters])
            row[:] = means[np.resize(kept, self.n_clusters)]
        return X.reshape(len(X), -1)

    def repair(self, X: ArrayLike) -> FloatArray:  # type: ignore[override]
        """The genes as they are: all finite centres are valid."""
        return self.centers(X).reshape(-1, self.n_var)

    def canonical(self, X: ArrayLike) -> FloatArray:  # type: ignore[override]
        """Centres in lexicographic order."""
        centers = self.centers(X)
        return np.array([c[np.lexsort(c.T[::-1])] for c in centers]).reshape(-1, self.n_var)

    def random(self, n_individuals: int, rng: np.random.Generator) -> FloatArray:  # type: ignore[override]
        """Seeds of greedy k-means++."""
        return np.array([self.seeds(rng) for _ in range(n_individuals)]).reshape(-1, self.n_var)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self
