"""Class scores as probabilities."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

_LEAST = 1e-9


def class_probabilities(
    F: ArrayLike, prior: ArrayLike | None = None, *, factors: ArrayLike | None = None
) -> NDArray[np.float64]:
    """Scores of classes made positive, moved half the way to the expected class shares, rows to sum 1.

    Parameters
    ----------
    F : array-like of shape (n_samples, K)
        Scores; those below 1e-9 count as 1e-9.
    prior : array-like of shape (K,), optional
        Expected shares of the classes, above 0.
    factors : array-like of shape (K,), optional
        Instead of ``prior``: what :func:`class_factors` gave for other samples of the same data.

    Returns
    -------
    ndarray of shape (n_samples, K), float64

    Raises
    ------
    ValueError
        If the shapes don't fit, F holds NaN, or prior or factors are not above 0.

    Notes
    -----
    Class c is multiplied by sqrt(prior_c / mean of F_c), F with rows of sum 1. O(n_samples K).

    References
    ----------
    ParetoClustering: class shares.

    Examples
    --------
    >>> from moo_clustering.evidence import class_probabilities
    >>> class_probabilities([[3.0, 1.0], [1.0, 3.0]], [0.8, 0.2]).round(6).tolist()
    [[0.857143, 0.142857], [0.4, 0.6]]
    """
    P = _shares(F)
    if (prior is None) == (factors is None):
        raise ValueError("either prior or factors must be given, and not both")
    P *= _factors(P, prior) if prior is not None else _above_zero(factors, P.shape[1], "factors")
    P /= P.sum(axis=1, keepdims=True)
    return P


def class_factors(F: ArrayLike, prior: ArrayLike) -> NDArray[np.float64]:
    """Factors sqrt(prior_c / mean of F_c) of the classes, F with rows of sum 1.

    Parameters
    ----------
    F : array-like of shape (n_samples, K)
    prior : array-like of shape (K,)

    Returns
    -------
    ndarray of shape (K,), float64

    Raises
    ------
    ValueError
        As :func:`class_probabilities` does.

    References
    ----------
    ParetoClustering: class shares.

    Examples
    --------
    >>> from moo_clustering.evidence import class_factors
    >>> class_factors([[3.0, 1.0], [1.0, 3.0]], [0.72, 0.28]).round(6).tolist()
    [1.2, 0.748331]
    """
    return _factors(_shares(F), prior)


def _factors(P: NDArray[np.float64], prior: ArrayLike) -> NDArray[np.float64]:
    factors: NDArray[np.float64] = np.sqrt(_above_zero(prior, P.shape[1], "prior") / P.mean(axis=0))
    return factors


def _shares(F: ArrayLike) -> NDArray[np.float64]:
    scores = np.asarray(F, dtype=np.float64)
    if scores.ndim != 2 or not scores.size:
        raise ValueError(f"F must have a row per sample and a column per class, got shape {scores.shape}")
    if not np.isfinite(scores).all():
        raise ValueError("F must hold finite scores")
    positive = np.maximum(scores, _LEAST)
    shares: NDArray[np.float64] = positive / positive.sum(axis=1, keepdims=True)
    return shares


def _above_zero(values: ArrayLike | None, n_classes: int, name: str) -> NDArray[np.float64]:
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.shape != (n_classes,) or not (numbers > 0).all():
        what = "shares" if name == "prior" else "numbers"
        raise ValueError(f"{name} must be {n_classes} {what} above 0, got {numbers.tolist()}")
    return numbers
