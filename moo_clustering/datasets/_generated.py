"""Benchmark sets that are defined by a rule."""

from __future__ import annotations

import operator

import numpy as np

from moo_clustering.datasets._table import Table


def make_balance() -> Table:
    """Balance scale: all 625 combinations of two weights and two distances from 1 to 5.

    Returns
    -------
    Table
        Classes ``"L"`` (288; the left torque is greater), ``"B"`` (49; balanced) and ``"R"`` (288).

    References
    ----------
    PESC; Siegler (1976), the model of the UCI set of this name.
    """
    steps = np.arange(1.0, 6.0)
    X = np.stack(np.meshgrid(steps, steps, steps, steps, indexing="ij"), axis=-1).reshape(-1, 4)
    torque = X[:, 0] * X[:, 1] - X[:, 2] * X[:, 3]
    return Table(
        name="balance",
        X=X,
        feature_names=("left_weight", "left_distance", "right_weight", "right_distance"),
        row_ids=np.arange(len(X)),
        y=(1 - np.sign(torque)).astype(np.int64),
        target_names=("L", "B", "R"),
    )


def make_waveform(n_samples: int = 5000, random_state: int | np.random.Generator | None = None) -> Table:
    """Breiman's waveforms: noisy mixtures of two of three triangles, at 21 points.

    Parameters
    ----------
    n_samples : int, default=5000
    random_state : int, Generator or None, default=None

    Returns
    -------
    Table
        21 features and three classes of equal probability.

    References
    ----------
    Breiman, Friedman, Olshen and Stone, *Classification and Regression Trees* (1984), section 2.6.2.
    """
    n = operator.index(n_samples)
    if n < 1:
        raise ValueError(f"n_samples must be at least 1, got {n}")
    rng = np.random.default_rng(random_state)
    points = np.arange(1, 22)
    triangles = np.maximum(6.0 - np.abs(points - np.array([[11], [15], [7]])), 0.0)
    first, second = np.array([0, 0, 1]), np.array([1, 2, 2])
    y = rng.integers(3, size=n)
    share = rng.random((n, 1))
    mean = share * triangles[first[y]] + (1.0 - share) * triangles[second[y]]
    return Table(
        name="waveform",
        X=mean + rng.standard_normal((n, 21)),
        feature_names=tuple(f"x{point}" for point in points),
        row_ids=np.arange(n),
        y=y,
        target_names=("0", "1", "2"),
    )
