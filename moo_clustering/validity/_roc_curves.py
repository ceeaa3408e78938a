"""ROC curves averaged over classes or labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import roc_curve

from moo_clustering.validity._multilabel_auc import NONE_DEFINED, labelled_scores

Floats = NDArray[np.float64]


def mean_roc_curve(
    y_true: Any, y_score: ArrayLike, n_points: int | None = 101, *, classes: ArrayLike | None = None
) -> tuple[Floats, Floats]:
    """Vertical average of the ROC curves of the classes or labels.

    Parameters
    ----------
    y_true, y_score
        See :func:`class_aucs`.
    n_points : int or None, default=101
        False positive rates, evenly spaced from 0 to 1; None for all at which some curve bends, which is
        the exact average.
    classes
        See :func:`class_aucs`.

    Returns
    -------
    fpr : ndarray of shape (n_points,), float64
        False positive rates, ascending. In the exact average, which begins at (0, 0), a rate is there twice
        where the curve is vertical.
    tpr : ndarray of shape (n_points,), float64
        Mean true positive rates, ascending, 1 at last; on evenly spaced rates the largest at each.

    Raises
    ------
    ValueError
        As :func:`macro_auc`, and for fewer than 2 points.

    Notes
    -----
    Classes that all or none of the labelled samples have do not count. As areas add up, the area under the
    exact average (by the trapezoid rule) is :func:`macro_auc`; that of evenly spaced rates is near it.
    O(n_classes n_samples log n_samples) time; the exact average takes O(n_classes) time for each of up to
    n_classes n_samples points.

    References
    ----------
    Multi-label ASRS dataset classification using semi-supervised subspace clustering, section 5.3.
    T. Fawcett, "An introduction to ROC analysis", Pattern Recognition Letters 27 (2006), section 9.1.

    Examples
    --------
    >>> from moo_clustering.validity import mean_roc_curve
    >>> fpr, tpr = mean_roc_curve([1, 1, 0, 0], [0.9, 0.4, 0.6, 0.1], n_points=None)
    >>> fpr.tolist(), tpr.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    """
    _check_points(n_points)
    curves = _curves(*labelled_scores(y_true, y_score, classes))
    if n_points is not None:
        # Quotients, as the rates of the curves are: where they are equal, they are the same number.
        grid = np.arange(n_points) / (n_points - 1)
        return grid, _ascending(np.mean([_limits(*curve, grid)[1] for curve in curves], axis=0))
    grid = np.unique(np.concatenate([fpr for fpr, _ in curves]))
    both = np.zeros((len(grid), 2))
    for curve in curves:
        both += np.column_stack(_limits(*curve, grid))
    both /= len(curves)
    shown = np.column_stack([np.ones(len(grid), dtype=bool), both[:, 0] != both[:, 1]])
    return np.repeat(grid, 2)[shown.ravel()], _ascending(both[shown])


def _check_points(n_points: Any) -> None:
    whole = isinstance(n_points, int | np.integer) and not isinstance(n_points, bool)
    if n_points is not None and not (whole and n_points >= 2):
        raise ValueError(f"n_points must be a whole number of at least 2, or None, got {n_points!r}")


def _curves(positive: NDArray[np.int64], scores: Floats) -> list[tuple[Floats, Floats]]:
    n_positive = positive.sum(axis=0)
    defined = np.flatnonzero((n_positive > 0) & (n_positive < len(positive)))
    if not len(defined):
        raise ValueError(NONE_DEFINED)
    return [roc_curve(positive[:, each], scores[:, each])[:2] for each in defined]


def _limits(fpr: Floats, tpr: Floats, grid: Floats) -> tuple[Floats, Floats]:
    """Where a curve reaches and where it leaves each rate of the grid: two values if it is vertical there."""
    rates, first = np.unique(fpr, return_index=True)
    last = np.append(first[1:], len(fpr)) - 1
    reached, left = tpr[first], tpr[last]
    before = np.searchsorted(rates, grid, side="right") - 1
    after = np.searchsorted(rates, grid, side="left")
    width = rates[after] - rates[before]
    part = np.divide(grid - rates[before], width, out=np.zeros_like(grid), where=width > 0)
    between = left[before] + part * (reached[after] - left[before])
    bends = before == after
    return np.where(bends, reached[after], between), np.where(bends, left[before], between)


def _ascending(tpr: Floats) -> Floats:
    """The same but for rounding errors."""
    return np.minimum(np.maximum.accumulate(tpr), 1.0)
