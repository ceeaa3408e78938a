"""MetaLabeler: support vector machines rank the labels, and one more says how many there are."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.base import _fit_context
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC
from sklearn.utils._param_validation import HasMethods, Interval

from moo_clustering._parallel import threads_here
from moo_clustering._random import SeedLike, spawn_seeds
from moo_clustering.estimators.multi_label._label_decisions import best_labels
from moo_clustering.estimators.multi_label._partial_label_classifier import (
    PartialLabelClassifier,
    fit_classes,
    seeded,
)
from moo_clustering.estimators.multi_label._sigmoid_shares import sigmoid_shares

Floats = NDArray[np.float64]

# Decision for a label that all labelled samples have; minus this for one that none has.
_CERTAIN = 1e6


class MetaLabeler(PartialLabelClassifier):
    """Ranks the labels one against the rest, and keeps as many as a model of their number predicts.

    The content-based variant: the number of labels is learnt from the features themselves.

    Parameters
    ----------
    C : float, default=1.0
        Inverse regularisation of the linear support vector machines, where ``estimator`` is None.
    cut : bool, default=True
        Scores of ``predict_proba``: those of the kept labels as shares of their sum and 0 for all others,
        as in the paper's ROC curves; or of all labels. The cut throws most of a ranking away.
    random_state : int, Generator, RandomState or None, default=None
        Of the solvers.
    n_jobs : int, optional
        Workers over the labels; no influence on results.
    estimator : classifier with ``decision_function``, optional
        In place of ``LinearSVC(C=C)``, for the labels and for their number.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Classes, or numbers of the labels.
    multilabel_ : bool
    ranker_ : OneVsRestClassifier or None
        For the labels ``ranked_``; None if every label is in all samples or in none.
    ranked_ : ndarray
        Columns that ``ranker_`` was fitted to.
    counter_ : classifier
        Of the number of labels.
    n_features_in_, feature_names_in_

    Notes
    -----
    Unlabelled samples have no influence. Samples with no label count, so that none may be predicted. A
    label of no labelled sample has the decision -1e6, and one of all of them 1e6. With one class a sample
    this is a one-vs-rest support vector machine.

    O(n_iter nnz(X) (n_classes + n_counts)) time, O(n_features (n_classes + n_counts)) memory beside the
    data; n_counts is how many different numbers of labels samples have.

    References
    ----------
    L. Tang, S. Rajan, V. Narayanan, "Large scale multi-label classification via MetaLabeler", WWW 2009.
    A baseline in "Multi-label ASRS dataset classification using semi-supervised subspace clustering",
    section 5.2.4.

    Examples
    --------
    >>> from moo_clustering.estimators import MetaLabeler
    >>> X = [[1, 0, 0], [0, 1, 0], [1, 1, 1], [1, 0, 0], [1, 1, 1]]
    >>> Y = [[1, 0], [0, 1], [1, 1], [-1, -1], [1, 1]]
    >>> model = MetaLabeler(random_state=0).fit(X, Y)
    >>> model.predict([[1, 0, 0], [1, 1, 1]])
    array([[1, 0],
           [1, 1]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "C": [Interval(Real, 1e-20, 1e20, closed="both")],
        "cut": ["boolean"],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [Integral, None],
        "estimator": [HasMethods(["fit", "predict", "decision_function"]), None],
    }

    def __init__(
        self,
        *,
        C: float = 1.0,
        cut: bool = True,
        random_state: SeedLike = None,
        n_jobs: int | None = None,
        estimator: Any = None,
    ) -> None:
        self.C = C
        self.cut = cut
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.estimator = estimator

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any) -> Self:
        """Learn from the labelled samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Classes, -1 for unlabelled samples; or indicators of labels, with rows of -1.

        Raises
        ------
        ValueError
            Parameters, data or labels out of range, or nothing labelled.
        """
        X, targets = self._labelled_data(X, y)
        base = LinearSVC(C=self.C) if self.estimator is None else self.estimator
        rank_seed, count_seed = spawn_seeds(self.random_state, 2)
        Y = targets.indicators.astype(np.int8)
        self._certain = _CERTAIN * (Y.all(axis=0) * 1.0 - ~Y.any(axis=0))
        self.ranked_ = np.flatnonzero(self._certain == 0)
        if self._two_classes:
            self.ranked_ = np.array([1])
        self.ranker_ = None
        if len(self.ranked_):
            ranked = Y[:, self.ranked_] if len(self.ranked_) > 1 else Y[:, self.ranked_[0]]
            with threads_here(self.n_jobs):
                self.ranker_ = OneVsRestClassifier(seeded(base, rank_seed), n_jobs=self.n_jobs).fit(X, ranked)
        self.counter_ = fit_classes(seeded(base, count_seed), X, targets.indicators.sum(axis=1).astype(int))
        return self

    def decision_function(self, X: Any) -> Floats:
        """Scores of all labels, never cut.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes); (n_samples,) if there are two classes, one a sample
        """
        decisions = self._decisions(self._rows(X))
        return decisions[:, 1] if self._two_classes else decisions

    def predict_n_labels(self, X: Any) -> NDArray[np.intp]:
        """How many labels samples have; always 1 if ``y`` had one class a sample.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._n_labels(self._rows(X))

    def predict_proba(self, X: Any) -> Floats:
        """Sigmoids of the decisions; see ``cut``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Rows sum to 1 if they are cut, but for those without a label; and with one class a sample.
        """
        X = self._rows(X)
        decisions = self._decisions(X)
        if self.cut:
            return sigmoid_shares(decisions, best_labels(decisions, self._n_labels(X)))
        if self.multilabel_:
            return expit(decisions)
        return sigmoid_shares(decisions)

    def predict(self, X: Any) -> NDArray[Any]:
        """Classes, or indicators of as many labels as :meth:`predict_n_labels` says, of equal ones the first.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_labels)
        """
        X = self._rows(X)
        decisions = self._decisions(X)
        return self._decided(decisions, 0.0, self._n_labels(X) if self.multilabel_ else None)

    @property
    def _two_classes(self) -> bool:
        # One hyperplane serves both.
        return not self.multilabel_ and len(self.classes_) == 2

    def _decisions(self, X: Any) -> Floats:
        decisions = np.tile(self._certain, (X.shape[0], 1))
        if self.ranker_ is not None:
            decisions[:, self.ranked_] = self.ranker_.decision_function(X).reshape(X.shape[0], -1)
        if self._two_classes:
            decisions[:, 0] = -decisions[:, 1]
        return decisions

    def _n_labels(self, X: Any) -> NDArray[np.intp]:
        counts: NDArray[np.intp] = self.counter_.predict(X).astype(np.intp)
        return counts
