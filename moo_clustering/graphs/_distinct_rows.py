"""Duplicates found once, so that neighbour searches need not look through them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]


@dataclass(frozen=True, eq=False)
class DistinctRows:
    """Distinct points of a data set and who sits on them.

    Attributes
    ----------
    points : ndarray of shape (n_points, n_features)
    of_sample : ndarray of shape (n_samples,), int64
        Point of every sample.
    samples : ndarray of shape (n_samples,), int64
        Samples by point, and by tie key within a point.
    start : ndarray of shape (n_points + 1,), int64
        ``samples[start[p]:start[p + 1]]`` sit on point p.
    """

    points: Floats
    of_sample: NDArray[np.int64]
    samples: NDArray[np.int64]
    start: NDArray[np.int64]

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of samples per point."""
        return np.diff(self.start)

    @property
    def all_distinct(self) -> bool:
        """Whether every sample is a point of its own, with the same number."""
        return len(self.points) == len(self.samples)

    def members(
        self, points: NDArray[np.int64], most: int | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Samples on the given points, and the position in ``points`` each belongs to.

        At most ``most`` samples per point, those of smallest key.
        """
        counts = self.sizes[points] if most is None else np.minimum(self.sizes[points], most)
        owner = np.repeat(np.arange(len(points)), counts)
        within = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
        return self.samples[self.start[points[owner]] + within], owner


def distinct_rows(X: Floats, keys: NDArray[np.int32]) -> DistinctRows:
    """Group equal rows. O(n_samples (n_features + log n_samples)) time, O(n_samples) memory."""
    n_samples = len(X)
    numbers = np.arange(n_samples, dtype=np.int64)
    # A random combination of the features tells rows apart; equal rows give it bit by bit equal,
    # since the columns are added one after another.
    mix = np.zeros(n_samples)
    factors = np.random.default_rng(0).standard_normal((X.shape[1], 1))
    for feature in range(X.shape[1]):
        mix += X[:, feature] * factors[feature]
    order = np.argsort(mix, kind="stable")
    same = mix[order[1:]] == mix[order[:-1]]
    if not same.any():
        return DistinctRows(X, numbers, numbers, np.arange(n_samples + 1, dtype=np.int64))
    left, right = order[:-1][same], order[1:][same]
    if (X[left] == X[right]).all():
        point = np.concatenate([[0], np.cumsum(~same)])
        of_sample = np.empty(n_samples, dtype=np.int64)
        of_sample[order] = point
        points = X[order[np.concatenate([[True], ~same])]]
    else:
        points, inverse = np.unique(X, axis=0, return_inverse=True)
        of_sample = inverse.reshape(-1).astype(np.int64)
    sizes = np.bincount(of_sample, minlength=len(points))
    start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return DistinctRows(points, of_sample, np.lexsort((keys, of_sample)), start)
