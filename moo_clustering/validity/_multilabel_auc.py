"""Areas under the ROC curves of classes or labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from scipy.stats import rankdata
from sklearn.utils.validation import check_array

from moo_clustering._targets import Targets, partial_targets

Floats = NDArray[np.float64]

NONE_DEFINED = (
    "y_true must have a class that some of the labelled samples have and some have not "
    "(-1 marks unlabelled samples)"
)


def macro_auc(y_true: Any, y_score: ArrayLike, *, classes: ArrayLike | None = None) -> float:
    """Mean area under the ROC curves of the classes or labels.

    Parameters
    ----------
    y_true, y_score, classes
        See :func:`class_aucs`.

    Returns
    -------
    auc : float
        In [0, 1]; .5 is chance. Classes that all or none of the samples have do not count:
        ``np.isnan(class_aucs(y_true, y_score)).sum()`` says how many.

    Raises
    ------
    ValueError
        As :func:`class_aucs`, and if no class counts.

    Notes
    -----
    ``make_scorer(macro_auc, response_method="predict_proba")`` scores partly labelled samples in
    cross-validation; where a fold may lack a class, give ``classes`` to ``make_scorer`` too. It is the area
    under :func:`mean_roc_curve` with ``n_points=None``.

    References
    ----------
    Multi-label ASRS dataset classification using semi-supervised subspace clustering, section 5.3.

    Examples
    --------
    >>> from moo_clustering.validity import macro_auc
    >>> macro_auc([[1, 0], [0, 1], [0, 0], [-1, -1]], [[0.9, 0.2], [0.5, 0.2], [0.1, 0.1], [0.0, 0.8]])
    0.875
    """
    aucs = class_aucs(y_true, y_score, classes=classes)
    defined = aucs[~np.isnan(aucs)]
    if not len(defined):
        raise ValueError(NONE_DEFINED)
    return float(defined.mean())


def class_aucs(y_true: Any, y_score: ArrayLike, *, classes: ArrayLike | None = None) -> Floats:
    """Area under the ROC curve of every class or label.

    The share of pairs of a sample of the class and another one in which the first has the larger score;
    equal scores count half (Mann-Whitney).

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        One class a sample, -1 for unlabelled ones; or indicators 0 and 1 of labels, with rows of -1 for
        unlabelled samples. Unlabelled samples do not count.
    y_score : array-like of shape (n_samples, n_classes) or (n_samples,)
        Finite scores, larger for those more likely to have the label of the column. With one class a sample
        the columns are the classes in sorted order, as in ``classes_`` of estimators; scores of one
        dimension, or one column, are those of the second of two classes.
    classes : array-like of shape (n_classes,), optional
        Classes of the columns, where ``y_true`` with one class a sample may lack some: ``classes_``.

    Returns
    -------
    aucs : ndarray of shape (n_classes,), float64
        NaN for classes that all or none of the labelled samples have. One value for scores of one dimension.

    Raises
    ------
    ValueError
        For shapes that do not fit, scores that are not finite, or classes without a column.

    Notes
    -----
    O(n_classes n_samples log n_samples) time, O(n_classes n_samples) memory.

    References
    ----------
    Multi-label ASRS dataset classification using semi-supervised subspace clustering, section 5.3.

    Examples
    --------
    >>> from moo_clustering.validity import class_aucs
    >>> class_aucs([[1, 0, 0], [0, 1, 0], [0, 0, 0]], [[0.9, 0.2, 0.5], [0.5, 0.2, 0.5], [0.1, 0.1, 0.5]])
    array([1.  , 0.75,  nan])
    """
    positive, scores = labelled_scores(y_true, y_score, classes)
    n_positive = positive.sum(axis=0)
    pairs = n_positive * (len(positive) - n_positive)
    ranks = rankdata(scores, axis=0) if len(scores) else scores
    won = np.einsum("ij,ij->j", ranks, positive) - n_positive * (n_positive + 1) / 2
    return np.divide(won, pairs, out=np.full(len(pairs), np.nan), where=pairs > 0)


def labelled_scores(
    y_true: Any, y_score: ArrayLike, classes: ArrayLike | None
) -> tuple[NDArray[np.int64], Floats]:
    """Indicators 0 and 1 and scores of the labelled samples, each of shape (n_labelled, n_classes)."""
    scores: Floats = check_array(y_score, dtype=np.float64, ensure_2d=False, input_name="y_score")
    if scores.ndim == 1:
        scores = scores[:, None]
    given = y_true.toarray() if issparse(y_true) else np.asarray(y_true)
    if given.ndim == 2 and given.shape[1] == 1:
        given = given.ravel()
    targets = partial_targets(given, len(scores))
    indicators = targets.indicators if targets.multilabel else _one_vs_rest(targets, scores.shape[1], classes)
    if indicators.shape[1] != scores.shape[1]:
        raise ValueError(
            f"y_score must have one column for each of the {indicators.shape[1]} labels of y_true, "
            f"got {scores.shape[1]}"
        )
    return indicators[targets.labelled].astype(np.int64), scores[targets.labelled]


def _one_vs_rest(targets: Targets, n_columns: int, classes: ArrayLike | None) -> Floats:
    names = targets.classes if classes is None else np.asarray(classes).ravel()
    unknown = targets.classes[~np.isin(targets.classes, names)]
    if len(unknown):
        raise ValueError(f"classes must hold all of y_true, it lacks {unknown.tolist()}")
    indicators = np.zeros((len(targets.labelled), len(names)))
    indicators[:, [names.tolist().index(name) for name in targets.classes.tolist()]] = targets.indicators
    if not len(names):
        return np.zeros((len(indicators), n_columns))
    if n_columns == 1 and len(names) <= 2:
        # Of a single class nobody knows which it is, but its area is not defined in any case.
        return indicators[:, -1:]
    if n_columns != len(names):
        raise ValueError(
            f"y_score must have one column for each of the {len(names)} classes of y_true, got {n_columns}; "
            "if some classes are not in y_true, give all of them as classes"
        )
    return indicators
