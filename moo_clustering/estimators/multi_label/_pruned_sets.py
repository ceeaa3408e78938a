"""Ensemble of classifiers of frequent label sets."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from joblib import delayed
from numpy.typing import ArrayLike, NDArray
from sklearn.base import _fit_context
from sklearn.svm import LinearSVC
from sklearn.utils._param_validation import HasMethods, Interval

from moo_clustering._parallel import run_calls
from moo_clustering._random import SeedLike, spawn_seeds
from moo_clustering.estimators.multi_label._partial_label_classifier import (
    PartialLabelClassifier,
    fit_classes,
    seeded,
)
from moo_clustering.estimators.multi_label._pruned_label_sets import pruned_sets


class PrunedSetsEnsemble(PartialLabelClassifier):
    """Votes of classifiers whose classes are the frequent label sets of random parts of the data.

    Parameters
    ----------
    min_count : int, default=3
        Samples with exactly the same labels that make a label set a class (p in the paper).
    n_subsets : int, default=3
        Copies, at most, of a sample with a rare label set: one for each of the largest, then commonest,
        frequent proper subsets of its labels (b in the paper). 0 leaves such samples out.
    n_estimators : int, default=10
    max_samples : float, default=0.63
        Share of the labelled samples, drawn without replacement, that a classifier learns from.
    threshold : float, default=0.5
        Share of the votes with which a label is predicted.
    C : float, default=1.0
        Inverse regularisation of the linear support vector machines, where ``estimator`` is None.
    random_state : int, Generator, RandomState or None, default=None
        Classifier i is the same whatever ``n_estimators`` is.
    n_jobs : int, optional
        Workers over the classifiers; no influence on results.
    estimator : classifier, optional
        In place of ``LinearSVC(C=C)``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Classes, or numbers of the labels.
    multilabel_ : bool
    estimators_ : list of classifiers
        Of rows of the label sets in ``label_sets_``.
    label_sets_ : list of ndarray of shape (n_sets, n_classes), int8
        The largest first, then the commonest, then those of the first labels.
    n_features_in_, feature_names_in_

    Warns
    -----
    UserWarning
        Parts of the data in which no label set is frequent: there all sets are classes.

    Notes
    -----
    Unlabelled samples have no influence. Having no labels is a set like others, but does not stand for
    samples that have some. With one class a sample nothing is pruned.

    O(n_estimators n_iter n_sets nnz(X) n_subsets) time at most, O(n_estimators n_sets n_features) memory
    beside the data.

    References
    ----------
    J. Read, B. Pfahringer, G. Holmes, "Multi-label classification using ensembles of pruned sets", ICDM
    2008. A baseline in "Multi-label ASRS dataset classification using semi-supervised subspace
    clustering", section 5.2.5.

    Examples
    --------
    >>> from moo_clustering.estimators import PrunedSetsEnsemble
    >>> X = [[1, 0, 0], [0, 1, 0], [1, 1, 1]] * 10
    >>> Y = [[1, 0], [0, 1], [1, 1]] * 10
    >>> PrunedSetsEnsemble(random_state=0).fit(X, Y).predict_proba([[1, 0, 0], [1, 1, 1]])
    array([[1., 0.],
           [1., 1.]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "min_count": [Interval(Integral, 1, None, closed="left")],
        "n_subsets": [Interval(Integral, 0, None, closed="left")],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "max_samples": [Interval(Real, 0, 1, closed="right")],
        "threshold": [Interval(Real, 0, 1, closed="both")],
        "C": [Interval(Real, 1e-20, 1e20, closed="both")],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [Integral, None],
        "estimator": [HasMethods(["fit", "predict"]), None],
    }

    def __init__(
        self,
        *,
        min_count: int = 3,
        n_subsets: int = 3,
        n_estimators: int = 10,
        max_samples: float = 0.63,
        threshold: float = 0.5,
        C: float = 1.0,
        random_state: SeedLike = None,
        n_jobs: int | None = None,
        estimator: Any = None,
    ) -> None:
        self.min_count = min_count
        self.n_subsets = n_subsets
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.threshold = threshold
        self.C = C
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
        size = max(1, round(self.max_samples * X.shape[0]))
        # A rare class is no set of which subsets could stand for it.
        min_count = self.min_count if self.multilabel_ else 1
        members = run_calls(
            (
                delayed(_fit_member)(base, X, targets.indicators, size, min_count, self.n_subsets, seed)
                for seed in spawn_seeds(self.random_state, self.n_estimators)
            ),
            n_jobs=self.n_jobs,
        )
        self.estimators_ = [member.classifier for member in members]
        self.label_sets_ = [member.label_sets for member in members]
        n_missed = sum(not member.found for member in members)
        if n_missed:
            warnings.warn(
                f"no label set is in min_count={self.min_count} of the {size} samples of {n_missed} of "
                f"{self.n_estimators} classifiers; there all sets are classes",
                UserWarning,
                stacklevel=3,
            )
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Shares of the votes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        X = self._rows(X)
        votes = np.zeros((X.shape[0], len(self.classes_)))
        for classifier, label_sets in zip(self.estimators_, self.label_sets_, strict=True):
            votes += label_sets[classifier.predict(X)]
        votes /= len(self.estimators_)
        return votes

    def predict(self, X: Any, n_labels: ArrayLike | None = None) -> NDArray[Any]:
        """Classes with most votes, or indicators of labels with enough votes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        n_labels : int or array-like of shape (n_samples,), optional
            So many labels of the most votes, of equal ones the first, in place of the threshold.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_labels)
        """
        return self._decided(self.predict_proba(X), self.threshold, n_labels)


class _Member(NamedTuple):
    classifier: Any
    label_sets: NDArray[np.int8]
    found: bool


def _fit_member(
    base: Any,
    X: Any,
    indicators: NDArray[np.float64],
    size: int,
    min_count: int,
    n_subsets: int,
    seed: np.random.SeedSequence,
) -> _Member:
    draw_seed, fit_seed = seed.spawn(2)
    rows = np.sort(np.random.default_rng(draw_seed).choice(X.shape[0], size, replace=False))
    examples = pruned_sets(indicators[rows], min_count, n_subsets)
    classifier = fit_classes(seeded(base, fit_seed), X[rows[examples.rows]], examples.codes)
    return _Member(classifier, examples.label_sets, examples.found)
