"""Sigmoids of scores as shares."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_expit

Floats = NDArray[np.float64]


def sigmoid_shares(scores: Floats, kept: NDArray[np.bool_] | None = None) -> Floats:
    """Sigmoids of the kept scores as shares of their sum in the row, 0 elsewhere.

    In logarithms: sigmoids of scores far below 0 are 0, but their ratios are not lost.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_classes)
    kept : ndarray of shape (n_samples, n_classes), bool, optional
        All by default. Rows of which nothing is kept are 0.
    """
    logs = log_expit(scores)
    if kept is not None:
        logs = np.where(kept, logs, -np.inf)
    largest = logs.max(axis=1, keepdims=True)
    shares: Floats = np.exp(logs - np.where(np.isfinite(largest), largest, 0.0))
    shares /= np.maximum(shares.sum(axis=1, keepdims=True), 1.0)  # the largest one is 1
    return shares
