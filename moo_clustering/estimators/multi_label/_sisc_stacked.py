"""SISCStacked: SISC beside a linear model, by a cross-validated weight."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import _fit_context
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from moo_clustering._random import SeedLike, spawn_seeds
from moo_clustering.estimators.multi_label._logit_mixture import mixed_logits, probabilities_of
from moo_clustering.estimators.multi_label._partial_label_classifier import PartialLabelClassifier
from moo_clustering.estimators.multi_label._sisc import SISC
from moo_clustering.estimators.multi_label._stack_weights import (
    Scoring,
    cross_validated_scores,
    labelled_splits,
)
from moo_clustering.estimators.multi_label._stacked_parts import (
    Part,
    fit_linear,
    fit_subspace,
    part_logits,
    tfidf_logistic_regression,
)


class SISCStacked(PartialLabelClassifier):
    """Weighted mean of the standardised logits of SISC and of a linear model.

    The linear model learns from labelled documents only, SISC from all. The weight of SISC is that of the
    best cross-validated score; 0 is expected where labels are many, and there SISC is left out.

    Parameters
    ----------
    sisc : estimator, optional
        Any with partial labels and ``predict_proba``, :class:`SISCEnsemble` too. By default :class:`SISC`,
        with no more clusters than documents.
    linear : classifier, optional
        Any with ``predict_proba`` or ``decision_function`` of shape (n_documents, n_classes). By default
        logistic regression, one label against the rest, on idf-weighted features of unit length.
    weights : sequence of float, default=(0, 0.1, ..., 1)
        Weights of SISC to choose from, 0 to 1; the linear model has the rest. With one there is no choice
        and no cross-validation.
    cv : int, splitter or iterable, default=5
        Folds of the labelled documents, in their order. A number of folds is at most that of labelled
        documents; with one class a document, folds keep the shares of the classes.
    scoring : "macro_auc" or callable, default="macro_auc"
        ``scoring(y_true, y_score)`` gets indicators and logits of shape (n_documents, n_classes); larger is
        better. Labels that all or none of a fold have do not count in the macro AUC.
    threshold : float, default=0.5
        Least probability of the labels that ``predict`` gives, for label sets.
    random_state : int, Generator, RandomState or None, default=None
        Of the folds, and of ``sisc`` and ``linear`` where theirs is None.
    n_jobs : int, optional
        Workers over the folds; no influence on results.

    Attributes
    ----------
    weight_ : float
        Weight of SISC, of equally good ones the least.
    cv_scores_ : dict of float to float
        Mean score over the folds of every weight; empty without cross-validation.
    sisc_, linear_ : fitted models
        None if their weight is 0. Classes are 0, 1, ... in the order of ``classes_``.
    scales_ : tuple of LogitScale(mean, spread) or None
        Of the logits of ``sisc_`` and ``linear_`` over the documents of the fit, labelled or not; arrays of
        shape (n_classes,).
    classes_ : ndarray of shape (n_classes,)
        Classes, or numbers of the labels.
    multilabel_ : bool
    n_features_in_, feature_names_in_

    Warns
    -----
    UserWarning
        No fold in which a score is defined: the weight is then the one nearest to 0.5.

    Notes
    -----
    Documents of a fold are kept out of the fits that predict them, those of SISC too. Logits of a class are
    standardised by mean and standard deviation over the documents of the fit, so that what is predicted for
    a document does not depend on others to be predicted; the result is put on the weighted mean of both
    scales, so that weights 0 and 1 give the probabilities of the one model.

    n_folds + 1 fits of both models, in time; the memory of one fit of each per worker.

    References
    ----------
    SISC: "Multi-label ASRS dataset classification using semi-supervised subspace clustering". The stack is
    not in the paper.

    Examples
    --------
    >>> import numpy as np
    >>> from moo_clustering.estimators import SISC, SISCStacked
    >>> X = np.kron(np.eye(2), np.ones((6, 3)))
    >>> y = [0, 0, 0, -1, -1, -1, 1, 1, 1, -1, -1, -1]
    >>> model = SISCStacked(SISC(2), cv=3, random_state=0).fit(X, y)
    >>> model.weight_, model.cv_scores_[0.0], model.predict(X[[3, 9]])
    (0.0, 1.0, array([0, 1]))
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "sisc": [HasMethods(["fit", "predict_proba"]), None],
        "linear": [HasMethods(["fit", "predict_proba"]), HasMethods(["fit", "decision_function"]), None],
        "weights": ["array-like"],
        "cv": ["cv_object"],
        "scoring": [StrOptions({"macro_auc"}), callable],
        "threshold": [Interval(Real, 0, 1, closed="both")],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        sisc: Any = None,
        linear: Any = None,
        *,
        weights: Sequence[float] = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0),
        cv: Any = 5,
        scoring: Literal["macro_auc"] | Scoring = "macro_auc",
        threshold: float = 0.5,
        random_state: SeedLike = None,
        n_jobs: int | None = None,
    ) -> None:
        self.sisc = sisc
        self.linear = linear
        self.weights = weights
        self.cv = cv
        self.scoring = scoring
        self.threshold = threshold
        self.random_state = random_state
        self.n_jobs = n_jobs

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Choose the weight, and fit the models that have one to all documents.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_features)
        y : array-like of shape (n_documents,) or (n_documents, n_labels)
            Classes, -1 for unlabelled documents; or indicators of labels, with rows of -1.

        Raises
        ------
        ValueError
            Parameters, data or labels out of range, or nothing labelled.
        """
        weights = _checked_weights(self.weights)
        X, targets = self._training_data(X, y)
        templates = self._templates(X.shape[0])
        split_seed, cv_seed, sisc_seed, linear_seed = spawn_seeds(self.random_state, 4)
        if targets.n_classes == 1:
            # Nothing to tell apart.
            weights = weights[:1]
        splits = labelled_splits(self.cv, X, targets, split_seed) if len(weights) > 1 else []
        scoring = None if self.scoring == "macro_auc" else self.scoring
        scores = cross_validated_scores(templates, X, targets, weights, splits, scoring, cv_seed, self.n_jobs)
        self._choose(weights, scores)
        sisc = fit_subspace(templates[0], X, targets, sisc_seed) if self.weight_ > 0 else None
        linear = fit_linear(templates[1], X, targets, linear_seed) if self.weight_ < 1 else None
        self._set(sisc, linear)
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Sigmoids of the mixed logits; with one class a document, divided by the sum of the row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_features)

        Returns
        -------
        ndarray of shape (n_documents, n_classes), 0 to 1
        """
        X = self._rows(X)
        n_classes = len(self.classes_)
        used = [
            (part_logits(model, X, n_classes, self.multilabel_), scale, weight)
            for model, scale, weight in zip(
                (self.sisc_, self.linear_), self.scales_, (self.weight_, 1 - self.weight_), strict=True
            )
            if model is not None
        ]
        parts, scales, weights = zip(*used, strict=True)
        return probabilities_of(mixed_logits(parts, scales, weights), self.multilabel_)

    def predict(self, X: Any, n_labels: ArrayLike | None = None) -> NDArray[Any]:
        """Classes or label sets of documents.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_features)
        n_labels : int or array-like of shape (n_documents,), optional
            Of label sets, how many to give, the most probable ones, in place of the threshold.

        Returns
        -------
        ndarray of shape (n_documents,) or (n_documents, n_labels)
        """
        return self._decided(self.predict_proba(X), self.threshold, n_labels)

    def _templates(self, n_samples: int) -> tuple[Any, Any]:
        if self.sisc is None:
            sisc = SISC()
            sisc.set_params(n_clusters=min(sisc.n_clusters, n_samples))
        else:
            sisc = self.sisc
            n_clusters = getattr(sisc, "n_clusters", None)
            if isinstance(n_clusters, Integral) and int(n_clusters) > n_samples:
                raise ValueError(f"n_clusters={n_clusters} of sisc is more than n_samples={n_samples}")
        return sisc, tfidf_logistic_regression() if self.linear is None else self.linear

    def _choose(self, weights: Sequence[float], scores: NDArray[np.float64]) -> None:
        self.cv_scores_: dict[float, float] = {}
        defined = scores[~np.isnan(scores).any(axis=1)]
        if len(defined):
            means = defined.mean(axis=0)
            self.cv_scores_ = {weight: float(mean) for weight, mean in zip(weights, means, strict=True)}
            self.weight_ = weights[int(means.argmax())]
            return
        self.weight_ = min(weights, key=lambda weight: abs(weight - 0.5))
        if len(weights) > 1:
            warnings.warn(
                "too few labelled samples to compare weights: in no fold is there a label that some of them "
                f"have and some have not; the weight of SISC is {self.weight_}",
                UserWarning,
                stacklevel=4,
            )

    def _set(self, sisc: Part | None, linear: Part | None) -> None:
        self.sisc_ = None if sisc is None else sisc.model
        self.linear_ = None if linear is None else linear.model
        self.scales_ = (None if sisc is None else sisc.scale, None if linear is None else linear.scale)


def _checked_weights(weights: Sequence[float]) -> list[float]:
    """In ascending order."""
    values = np.asarray(weights)
    if values.ndim != 1 or not len(values) or values.dtype.kind not in "iuf":
        raise ValueError(f"weights must be a sequence of numbers from 0 to 1; got {weights!r}")
    if not ((values >= 0) & (values <= 1)).all():
        raise ValueError(f"weights must be from 0 to 1; got {values.tolist()}")
    return [float(value) for value in np.unique(values)]
