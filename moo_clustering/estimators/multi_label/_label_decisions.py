"""Label sets from scores, and how many of them are right."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import accuracy_score

from moo_clustering._targets import partial_targets


def best_labels(scores: NDArray[np.floating[Any]], n_labels: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
    """The labels of the largest scores of every row, the first of equal ones.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_classes)
    n_labels : ndarray of shape (n_samples,)
        How many of each row.

    Returns
    -------
    ndarray of shape (n_samples, n_classes), bool
    """
    order = np.argsort(-scores, axis=1, kind="stable")
    chosen = np.zeros(scores.shape, dtype=bool)
    np.put_along_axis(chosen, order, np.arange(scores.shape[1]) < n_labels[:, None], axis=1)
    return chosen


def checked_n_labels(n_labels: ArrayLike, n_samples: int, n_classes: int) -> NDArray[np.intp]:
    """``n_labels`` of ``predict``, one number or one a sample, as one a sample.

    Raises
    ------
    ValueError
        Counts that are no whole numbers, out of range, or not one per sample.
    """
    given = np.asarray(n_labels)
    if given.dtype.kind not in "iu":
        raise ValueError(f"n_labels must be a whole number or one per sample; got {n_labels!r}")
    if given.shape not in ((), (n_samples,)):
        raise ValueError(
            f"n_labels must be one number, or one per sample, here {n_samples}; got shape {given.shape}"
        )
    if given.size and (given.min() < 0 or given.max() > n_classes):
        odd = given.min() if given.min() < 0 else given.max()
        raise ValueError(f"n_labels must be from 0 to the number of labels, {n_classes}; got {odd}")
    return np.broadcast_to(given, n_samples).astype(np.intp)


def labelled_accuracy(y: Any, predicted: NDArray[Any], sample_weight: ArrayLike | None) -> float:
    """Share of the labelled samples whose class, or whole label set, is predicted.

    Raises
    ------
    ValueError
        No labelled sample, or a ``y`` that is none.
    """
    targets = partial_targets(y, len(predicted))
    rows = targets.rows
    if not len(rows):
        raise ValueError("y has no labelled sample to score")
    truth = targets.indicators[rows]
    # Not y itself: of an array of objects scikit-learn does not know what they are.
    known = truth.astype(np.int64) if targets.multilabel else targets.classes[truth.argmax(axis=1)]
    weights = None if sample_weight is None else np.asarray(sample_weight)[rows]
    return float(accuracy_score(known, predicted[rows], sample_weight=weights))
