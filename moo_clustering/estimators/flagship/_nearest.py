"""Nearest samples or landmarks, and what they say of a sample together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from moo_clustering._parallel import threads_here
from moo_clustering.estimators.flagship._feature_scaling import FeatureScaling

FloatArray = NDArray[np.float64]

N_NEAREST = 3


@dataclass(frozen=True, eq=False)
class Neighbors:
    """Nearest samples or landmarks of new rows of features."""

    scaling: FeatureScaling
    index: NearestNeighbors

    def __call__(self, X: Any, n: int) -> tuple[NDArray[np.intp], FloatArray]:
        return nearest_rows(self.index, self.scaling.transform(X), n)


def nearest_rows(index: NearestNeighbors, rows: FloatArray, n: int) -> tuple[NDArray[np.intp], FloatArray]:
    """Positions and distances of the n nearest that were indexed, or of all if they are fewer."""
    with threads_here():
        distances, positions = index.kneighbors(rows, min(n, index.n_samples_fit_))
    return positions, distances


def nearest_by_distance(D: FloatArray, n: int) -> tuple[NDArray[np.intp], FloatArray]:
    """Of rows of distances to the samples of the fit the n least."""
    order = np.argsort(D, axis=1, kind="stable")[:, :n]
    return order, np.take_along_axis(D, order, axis=1)


def inverse_square_shares(
    indices: NDArray[np.intp], distances: FloatArray
) -> tuple[NDArray[np.intp], FloatArray]:
    """Weights 1 / d^2 that sum to 1 in every row; where distances are 0, those have it all."""
    zero = distances == 0.0
    weights = np.where(zero.any(axis=1, keepdims=True), zero, 0.0).astype(np.float64)
    away = ~zero.any(axis=1)
    # Relative to the nearest, so that tiny distances do not overflow.
    weights[away] = (distances[away, :1] / distances[away]) ** 2
    return indices, weights / weights.sum(axis=1, keepdims=True)


def weighted_means(values: FloatArray, indices: NDArray[np.intp], shares: FloatArray) -> FloatArray:
    """Of every row of indices the mean of the rows of values, weighted by shares."""
    means = np.zeros((len(indices), values.shape[1]))
    for column in range(indices.shape[1]):
        means += shares[:, column, None] * values[indices[:, column]]
    return means
