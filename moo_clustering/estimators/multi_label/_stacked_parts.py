"""The two models of a stack: fits to partial labels, and logits of all classes."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline

from moo_clustering._parallel import threads_here
from moo_clustering._targets import Targets
from moo_clustering.estimators.multi_label._logit_mixture import LogitScale, logits
from moo_clustering.estimators.multi_label._partial_label_classifier import fit_classes, label_codes, seeded

Floats = NDArray[np.float64]


class Part(NamedTuple):
    """A fitted model and the scale of its logits over the samples of the fit."""

    model: Any
    scale: LogitScale


def tfidf_logistic_regression() -> Any:
    """Logistic regression, one label against the rest, on idf-weighted features of unit length."""
    return make_pipeline(TfidfTransformer(), OneVsRestClassifier(LogisticRegression(C=1.0, max_iter=1000)))


def fit_subspace(template: Any, X: Any, targets: Targets, seed: np.random.SeedSequence) -> Part:
    """Fit a copy to all samples; their labels where there are any.

    ``n_clusters`` is at most the number of samples, which parts of the data have fewer of.
    """
    model = seeded(template, seed, unset_only=True)
    n_clusters = model.get_params().get("n_clusters")
    if isinstance(n_clusters, Integral) and n_clusters > X.shape[0]:
        model.set_params(n_clusters=X.shape[0])
    return _part(model.fit(X, label_codes(targets)), X, targets)


def fit_linear(template: Any, X: Any, targets: Targets, seed: np.random.SeedSequence) -> Part:
    """Fit a copy to the labelled samples. The scale is that over all of them."""
    model = seeded(template, seed, unset_only=True)
    labels = label_codes(targets)[targets.rows]
    with threads_here(), warnings.catch_warnings():
        # Labels of no sample get probability 0, which needs no word for every part of the data.
        warnings.filterwarnings("ignore", message="Label .* is present in all training examples")
        if targets.multilabel:
            model.fit(X[targets.rows], labels)
        else:
            model = fit_classes(model, X[targets.rows], labels)
    return _part(model, X, targets)


def part_logits(model: Any, X: Any, n_classes: int, multilabel: bool) -> Floats:
    """Logits, or decisions where a model has no probabilities, of all classes.

    Parameters
    ----------
    model : fitted classifier
        Of the classes 0, 1, ..., some of which it may not have seen; or of label sets.

    Raises
    ------
    ValueError
        Scores that are not one array with a column for each class.
    """
    if hasattr(model, "predict_proba"):
        found = model.predict_proba(X)
        scores = logits(found) if isinstance(found, np.ndarray) else None
    else:
        scores = np.asarray(model.decision_function(X), dtype=np.float64)
        if scores.ndim == 1:
            scores = np.column_stack([-scores, scores])
    columns = np.arange(n_classes) if multilabel else model.classes_
    if scores is None or scores.shape != (X.shape[0], len(columns)):
        raise ValueError(
            f"{type(model).__name__} must give an array with one score for each of {len(columns)} labels; "
            "OneVsRestClassifier makes one of any classifier"
        )
    if len(columns) == n_classes:
        return scores
    every = np.full((len(scores), n_classes), logits(np.zeros(1))[0])
    every[:, columns] = scores
    return every


def _part(model: Any, X: Any, targets: Targets) -> Part:
    return Part(model, LogitScale.of(part_logits(model, X, targets.n_classes, targets.multilabel)))
