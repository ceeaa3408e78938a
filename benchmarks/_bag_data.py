"""Bags for the benchmarks: stored sets where the data folder has them, and made ones of a known shape."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from moo_clustering.bags import Bags


def stored(name: str) -> Bags | None:
    """A multi-instance set of the data folder, as it is, or None where there is none."""
    folder = Path(os.environ.get("MOO_CLUSTERING_DATA", Path(__file__).parents[2] / "shared" / "data"))
    file = folder / "mil" / f"{name}.npz"
    return Bags.load(file) if file.exists() else None


def musk2_shape() -> Bags:
    """6,598 instances of 166 features in 102 bags, few of them large, scaled to 0..1."""
    rng = np.random.default_rng(0)
    share = rng.lognormal(sigma=1.2, size=102)
    sizes = 1 + np.floor(share / share.sum() * (6598 - 102)).astype(np.int64)
    sizes[sizes.argmax()] += 6598 - sizes.sum()
    X = around_centers(sizes, 166, rng)
    return Bags((X - X.min(axis=0)) / np.ptp(X, axis=0), offsets(sizes))


def many_bags() -> Bags:
    """5,000 bags of 10 instances of 50 features."""
    sizes = np.full(5000, 10)
    return Bags(around_centers(sizes, 50, np.random.default_rng(0)), offsets(sizes))


def around_centers(
    sizes: NDArray[np.int64], n_features: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Normal instances around normal bag centres, around one of two points."""
    points = 2.0 * rng.normal(size=(2, n_features))
    centers = points[rng.integers(2, size=len(sizes))] + rng.normal(size=(len(sizes), n_features))
    X = rng.normal(size=(int(sizes.sum()), n_features))
    X += np.repeat(centers, sizes, axis=0)
    return X


def offsets(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """First row of every bag, and the number of rows."""
    return np.concatenate([[0], np.cumsum(sizes)])
