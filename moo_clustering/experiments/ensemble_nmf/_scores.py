"""Figures made of the scores of many runs."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

# Scores of one partition under different names of its clusters differ by rounding.
_EQUAL = 1e-12


def z_value(score: float, runs: ArrayLike) -> float:
    """How many standard deviations a score is above the mean of some runs.

    Parameters
    ----------
    score : float
    runs : array-like of shape (n_runs,)
        At least two.

    Returns
    -------
    float
        With n_runs - 1 in the denominator of the deviation. Where all runs are equal 0 for their score,
        and else infinite.

    References
    ----------
    "Ensemble non-negative matrix factorization for clustering biomedical documents", section 3.3.
    """
    scores = np.asarray(runs, dtype=np.float64)
    if len(scores) < 2:
        raise ValueError(f"runs must hold at least two scores, got {len(scores)}")
    return standardised(score, float(scores.mean()), float(scores.std(ddof=1)))


def standardised(score: float, mean: float, deviation: float) -> float:
    """Z of a score; 0 or infinite where the deviation is 0."""
    distance = score - mean
    if deviation > _EQUAL:
        return distance / deviation
    return 0.0 if abs(distance) <= _EQUAL else math.copysign(math.inf, distance)


def best_of(scores: Sequence[float], criterion: Sequence[float], n: int) -> tuple[float, float]:
    """Mean and standard deviation of the score of the best of n runs, over all choices of n among them.

    Parameters
    ----------
    scores : sequence of float
    criterion : sequence of float
        The run with the largest is the best.
    n : int
        At most the number of runs.
    """
    order = np.argsort(-np.asarray(criterion), kind="stable")
    total = len(order)
    # All others of the choice come later in the order.
    chance = np.array([math.comb(total - 1 - place, n - 1) for place in range(total)]) / math.comb(total, n)
    ordered = np.asarray(scores)[order]
    mean = float(chance @ ordered)
    return mean, math.sqrt(float(chance @ (ordered - mean) ** 2))
