"""Classifiers of label sets that SISC is compared with: MetaLabeler and PrunedSetsEnsemble.

:class:`PartialLabelClassifier` is the base of all classifiers here and in ``sisc_variants``: it reads labels,
some of which may be unknown, and decides by scores.
"""

from __future__ import annotations

from abc import abstractmethod
from numbers import Real
from typing import Annotated, Any, NamedTuple, Self

import numpy as np
from joblib import delayed
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from scipy.special import expit, log_expit
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context, clone
from sklearn.dummy import DummyClassifier
from sklearn.metrics import accuracy_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC
from sklearn.utils._param_validation import HasMethods, Interval
from sklearn.utils.validation import check_is_fitted

from moo_clustering._arrays import FloatArray, block_slices, quoted, spawn_seeds, warn_caller
from moo_clustering._data import checked_array, numeric_features, without_duplicates
from moo_clustering._docs import documented
from moo_clustering._parallel import run_calls, threads_here
from moo_clustering._targets import Targets, partial_targets
from moo_clustering.estimators._base import OF_PREDICT, NumericOptionsMixin
from moo_clustering.estimators._options import (
    KW_ONLY,
    Count,
    NonNegativeCount,
    ParallelOptions,
    Probability,
    estimator,
)

# Decision for a label that all labelled samples have; minus this for one that none has.
_CERTAIN = 1e6
# liblinear never ends where fourth powers overflow, or squares vanish.
_SMALLEST, _LARGEST = 1e-60, 1e50
Regularisation = Annotated[float, Interval(Real, 1e-20, 1e20, closed="both")]


@estimator
class PartialLabelClassifier(NumericOptionsMixin, ClassifierMixin, ParallelOptions, BaseEstimator):
    """Base of the classifiers of one class per sample or of label sets, some of which may be unknown.

    Subclasses call :meth:`_training_data` in ``_learn``, and have ``predict_proba``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Classes, or numbers of the labels.
    multilabel_ : bool
        Whether samples have label sets.
    """

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Learn from the labelled samples, and from the others where the class makes use of them.

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
        self._learn(X, y)
        return self

    @abstractmethod
    def _learn(self, X: Any, y: ArrayLike) -> None:
        """Set the results of ``fit``."""

    @documented(OF_PREDICT)
    @abstractmethod
    def predict_proba(self, X: Any) -> FloatArray:
        """Probabilities of classes or labels: shares of votes, or sigmoids of decisions or logits.

        Returns
        -------
        ndarray of shape (n, n_classes), 0 to 1
            Rows sum to 1 with one class per sample.
        """

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """Share of the labelled samples whose class, or whole label set, is predicted.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            As for ``fit``; unlabelled samples do not count.
        sample_weight : array-like of shape (n_samples,), optional

        Raises
        ------
        ValueError
            No labelled sample.
        """
        return labelled_accuracy(y, self.predict(X), sample_weight)

    def _training_data(self, X: Any, y: Any) -> tuple[Any, Targets]:
        """Checked data of all samples, and their labels, of which there must be some."""
        name = type(self).__name__
        if y is None:
            raise ValueError(
                f"{name} requires y to be passed, but the target y is None; -1 marks unlabelled samples"
            )
        rows = self._rows(X, reset=True)
        targets = partial_targets(y, rows.shape[0])
        if not targets.labelled.any():
            raise ValueError(f"{name} learns from labels, but all {rows.shape[0]} samples are unlabelled")
        if targets.n_classes == 0:
            raise ValueError(f"y must have one column for each label; got shape {np.shape(y)}")
        self.classes_: NDArray[Any] = targets.classes
        self.multilabel_: bool = targets.multilabel
        return rows, targets

    def _labelled_data(self, X: Any, y: Any) -> tuple[Any, Targets]:
        """Checked data of the labelled samples only, and their labels."""
        rows, targets = self._training_data(X, y)
        if targets.labelled.all():
            return rows, targets
        return rows[targets.rows], targets.subset(targets.rows)

    def _rows(self, X: Any, *, reset: bool = False) -> Any:
        if not reset:
            check_is_fitted(self)
        X = numeric_features(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=reset)
        _check_size(X)
        return narrow_indices(without_duplicates(X))

    def _decided(
        self, scores: NDArray[np.float64], threshold: float, n_labels: ArrayLike | None
    ) -> NDArray[Any]:
        """Classes of the largest scores; or indicators of the labels by threshold or number."""
        if not self.multilabel_:
            if n_labels is not None:
                raise ValueError("n_labels is for label sets, but y had one class per sample")
            return self.classes_[scores.argmax(axis=1)]
        if n_labels is None:
            return (scores >= threshold).astype(np.int64)
        return best_labels(scores, checked_n_labels(n_labels, *scores.shape)).astype(np.int64)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.input_tags.sparse = True
        return tags


@estimator
class ThresholdClassifier(PartialLabelClassifier):
    """Base of the classifiers that predict the labels with a large enough probability.

    Parameters
    ----------
    threshold : float
        Smallest probability of the labels that ``predict`` gives, for label sets.
    """

    _: KW_ONLY
    threshold: Probability = 0.5

    def predict(self, X: Any, n_labels: ArrayLike | None = None) -> NDArray[Any]:
        """Classes, or indicators of label sets.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
        n_labels : int or array-like of shape (n,), optional
            Number of labels to give, the most probable ones and the first of equal ones, in place of the
            threshold.

        Returns
        -------
        ndarray of shape (n,) or (n, n_labels)
        """
        return self._decided(self.predict_proba(X), self.threshold, n_labels)


@estimator
class MetaLabeler(PartialLabelClassifier):
    """Classifier that ranks labels one against the rest, and keeps as many as a second model predicts.

    The content-based variant: the number of labels is learnt from the features themselves.

    Parameters
    ----------
    C : float
        Inverse regularisation of the linear support vector machines, where ``estimator`` is None.
    cut : bool
        Whether ``predict_proba`` gives the scores of the predicted labels as shares of their sum and 0 for
        all others, as in the paper's ROC curves, or the scores of all labels. The cut discards most of a
        ranking.
    estimator : classifier with ``decision_function``, optional
        Classifier in place of ``LinearSVC(C=C)``, for the labels and for their number.

    Attributes
    ----------
    ranker_ : OneVsRestClassifier or None
        Classifier of the labels ``ranked_``; None if every label is in all samples or in none.
    ranked_ : ndarray
        Columns that ``ranker_`` was fitted to.
    counter_ : classifier
        Classifier of the number of labels.

    Notes
    -----
    Unlabelled samples have no influence. Samples with no label count, so that none may be predicted. A
    label of no labelled sample has the decision -1e6, and one of all of them 1e6. With one class per sample
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

    _: KW_ONLY
    C: Regularisation = 1.0
    cut: bool = True
    estimator: Annotated[Any, HasMethods(["fit", "predict", "decision_function"]), None] = None

    def _learn(self, X: Any, y: ArrayLike) -> None:
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

    @documented(OF_PREDICT)
    def decision_function(self, X: Any) -> FloatArray:
        """Scores of all labels, never cut.

        Returns
        -------
        ndarray of shape (n, n_classes); (n,) if there are two classes, one per sample
        """
        decisions = self._decisions(self._rows(X))
        return decisions[:, 1] if self._two_classes else decisions

    @documented(OF_PREDICT)
    def predict_n_labels(self, X: Any) -> NDArray[np.intp]:
        """Number of labels of each sample; always 1 if ``y`` had one class per sample.

        Returns
        -------
        ndarray of shape (n,)
        """
        return self._n_labels(self._rows(X))

    @documented(OF_PREDICT)
    def predict_proba(self, X: Any) -> FloatArray:
        """Sigmoids of the decisions; see ``cut``.

        Returns
        -------
        ndarray of shape (n, n_classes)
            Rows sum to 1 with one class per sample, and, apart from those without a label, if they are cut.
        """
        X = self._rows(X)
        decisions = self._decisions(X)
        if self.cut:
            return sigmoid_shares(decisions, best_labels(decisions, self._n_labels(X)))
        if self.multilabel_:
            return expit(decisions)
        return sigmoid_shares(decisions)

    @documented(OF_PREDICT)
    def predict(self, X: Any) -> NDArray[Any]:
        """Classes, or indicators of as many labels as :meth:`predict_n_labels` says, of equal ones the first.

        Returns
        -------
        ndarray of shape (n,) or (n, n_labels)
        """
        X = self._rows(X)
        decisions = self._decisions(X)
        return self._decided(decisions, 0.0, self._n_labels(X) if self.multilabel_ else None)

    @property
    def _two_classes(self) -> bool:
        # One hyperplane separates both.
        return not self.multilabel_ and len(self.classes_) == 2

    def _decisions(self, X: Any) -> FloatArray:
        decisions = np.tile(self._certain, (X.shape[0], 1))
        if self.ranker_ is not None:
            decisions[:, self.ranked_] = self.ranker_.decision_function(X).reshape(X.shape[0], -1)
        if self._two_classes:
            decisions[:, 0] = -decisions[:, 1]
        return decisions

    def _n_labels(self, X: Any) -> NDArray[np.intp]:
        return self.counter_.predict(X).astype(np.intp)


def best_labels(scores: NDArray[np.floating[Any]], n_labels: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
    """Mask of the labels that have the ``n_labels`` largest scores of every row, the first of equal ones."""
    order = np.argsort(-scores, axis=1, kind="stable")
    chosen = np.zeros(scores.shape, dtype=bool)
    np.put_along_axis(chosen, order, np.arange(scores.shape[1]) < n_labels[:, None], axis=1)
    return chosen


def checked_n_labels(n_labels: ArrayLike, n_samples: int, n_classes: int) -> NDArray[np.intp]:
    """``n_labels`` of ``predict``, one number or one per sample, as one per sample within range."""
    given = checked_array(n_labels, "n_labels")
    if given.dtype.kind not in "iu":
        raise ValueError(f"n_labels must be a whole number or one per sample; got {quoted(n_labels)}")
    if given.shape not in ((), (n_samples,)):
        raise ValueError(
            f"n_labels must be one number, or one per sample, here {n_samples}; got shape {given.shape}"
        )
    if given.size and (given.min() < 0 or given.max() > n_classes):
        odd = given.min() if given.min() < 0 else given.max()
        raise ValueError(f"n_labels must be from 0 to the number of labels, {n_classes}; got {odd}")
    return np.broadcast_to(given, n_samples).astype(np.intp)


def labelled_accuracy(y: Any, predicted: NDArray[Any], sample_weight: ArrayLike | None) -> float:
    """Share of the labelled samples whose class, or whole label set, is predicted; ValueError without any."""
    targets = partial_targets(y, len(predicted))
    rows = targets.rows
    if not len(rows):
        raise ValueError("y has no labelled sample to score")
    truth = targets.indicators[rows]
    # Not y itself: scikit-learn cannot tell which kind of labels an array of objects holds.
    known = truth.astype(np.int64) if targets.multilabel else targets.classes[truth.argmax(axis=1)]
    weights = (
        None if sample_weight is None else checked_array(sample_weight, "sample_weight", np.float64)[rows]
    )
    return float(accuracy_score(known, predicted[rows], sample_weight=weights))


def _check_size(X: Any) -> None:
    values = X.data if issparse(X) else X
    largest = float(np.abs(values).max(initial=0.0))
    if largest and not _SMALLEST <= largest <= _LARGEST:
        raise ValueError(
            f"the largest value of X must have a size of {_SMALLEST:g} to {_LARGEST:g}, or 0, got "
            f"{largest:g}: powers of others leave double precision, and solvers of linear models never end; "
            "rescale it"
        )


def narrow_indices(X: Any) -> Any:
    """Sparse rows with 32-bit indices where they suffice: liblinear takes no others."""
    if not issparse(X) or X.indices.dtype == np.int32 == X.indptr.dtype:
        return X
    if max(X.nnz, *X.shape) > np.iinfo(np.int32).max:
        return X
    parts = X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return type(X)(parts, shape=X.shape)


def seeded(estimator: Any, seed: np.random.SeedSequence, *, unset_only: bool = False) -> Any:
    """A blank copy whose ``random_state`` and those of its parts are drawn from ``seed``.

    With ``unset_only`` values that are not None stay as they are.
    """
    copy = clone(estimator)
    values = copy.get_params()
    names = sorted(name for name in values if name == "random_state" or name.endswith("__random_state"))
    states = seed.generate_state(len(names)) >> 1  # they must be below 2^31 for liblinear
    return copy.set_params(
        **{
            name: int(state)
            for name, state in zip(names, states, strict=True)
            if not (unset_only and values[name] is not None)
        }
    )


def fit_classes(estimator: Any, X: Any, classes: NDArray[Any]) -> Any:
    """Fit a classifier in place; where there is one class only, one that always predicts it."""
    if (classes == classes[0]).all():
        return DummyClassifier(strategy="prior").fit(X, classes)
    return estimator.fit(X, classes)


def label_codes(targets: Targets) -> NDArray[np.int64]:
    """``y`` for another estimator: indicators, or the classes as 0, 1, ...; -1 where unlabelled."""
    if targets.multilabel:
        return np.where(targets.labelled[:, None], targets.indicators, -1).astype(np.int64)
    return np.where(targets.labelled, targets.indicators.argmax(axis=1), -1).astype(np.int64)


def sigmoid_shares(scores: FloatArray, kept: NDArray[np.bool_] | None = None) -> FloatArray:
    """Sigmoids of the kept scores (default all) as shares of their sum in the row, 0 elsewhere.

    In logarithms: sigmoids of scores far below 0 are 0, but their ratios are not lost.
    """
    logs = log_expit(scores)
    if kept is not None:
        logs = np.where(kept, logs, -np.inf)
    largest = logs.max(axis=1, keepdims=True)
    shares: FloatArray = np.exp(logs - np.where(np.isfinite(largest), largest, 0.0))
    shares /= np.maximum(shares.sum(axis=1, keepdims=True), 1.0)  # the largest one is 1
    return shares


@estimator
class PrunedSetsEnsemble(ThresholdClassifier):
    """Ensemble of classifiers whose classes are the frequent label sets of random parts of the data.

    Parameters
    ----------
    min_count : int
        Number of samples with exactly the same labels that makes a label set a class (p in the paper).
    n_subsets : int
        Largest number of copies of a sample with a rare label set: one for each of the largest, then
        commonest, frequent proper subsets of its labels (b in the paper). 0 leaves such samples out.
    n_estimators : int
        Number of classifiers.
    max_samples : float
        Share of the labelled samples, drawn without replacement, that a classifier learns from.
    threshold : float
        Share of the votes with which a label is predicted.
    C : float
        Inverse regularisation of the linear support vector machines, where ``estimator`` is None.
    random_state : int, Generator, RandomState or None
        Seed of the classifiers; classifier i is the same whatever ``n_estimators`` is.
    estimator : classifier, optional
        Classifier in place of ``LinearSVC(C=C)``.

    Attributes
    ----------
    estimators_ : list of classifiers
        Classifiers of rows of the label sets in ``label_sets_``.
    label_sets_ : list of ndarray of shape (n_sets, n_classes), int8
        Label sets that are classes: the largest first, then the commonest, then those of the first labels.

    Warns
    -----
    UserWarning
        There are parts of the data in which no label set is frequent; there all sets are classes.

    Notes
    -----
    Unlabelled samples have no influence. Having no labels is a set like others, but does not stand for
    samples that have some. With one class per sample nothing is pruned.

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

    _: KW_ONLY
    min_count: Count = 3
    n_subsets: NonNegativeCount = 3
    n_estimators: Count = 10
    max_samples: Annotated[float, Interval(Real, 0, 1, closed="right")] = 0.63
    C: Regularisation = 1.0
    estimator: Annotated[Any, HasMethods(["fit", "predict"]), None] = None

    def _learn(self, X: Any, y: ArrayLike) -> None:
        X, targets = self._labelled_data(X, y)
        base = LinearSVC(C=self.C) if self.estimator is None else self.estimator
        size = max(1, round(self.max_samples * X.shape[0]))
        # A rare class is kept: a class has no subsets that could stand for it.
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
            warn_caller(
                f"no label set is in min_count={self.min_count} of the {size} samples of {n_missed} of "
                f"{self.n_estimators} classifiers; there all sets are classes"
            )

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        X = self._rows(X)
        votes = np.zeros((X.shape[0], len(self.classes_)))
        for classifier, label_sets in zip(self.estimators_, self.label_sets_, strict=True):
            votes += label_sets[classifier.predict(X)]
        votes /= len(self.estimators_)
        return votes


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


class PrunedSets(NamedTuple):
    """Training examples of frequent label sets.

    ``rows`` are samples in order, several times if they stand for several subsets of their labels, and
    ``codes`` their rows of ``label_sets``: the largest first, then the commonest, then those of the
    first labels. If no set was frequent (``found``), all are taken.
    """

    rows: NDArray[np.intp]
    codes: NDArray[np.intp]
    label_sets: NDArray[np.int8]
    found: bool


def pruned_sets(indicators: NDArray[Any], min_count: int, n_subsets: int) -> PrunedSets:
    """Turn label sets into classes; those of fewer than ``min_count`` samples into some frequent subsets.

    The subsets are the first ``n_subsets`` proper ones, not empty, in the order of ``label_sets``;
    samples of rare sets without one are left out. O(n_samples n_labels log n_samples + n_rare n_frequent
    n_labels) time.
    """
    sets, inverse, counts = np.unique(
        indicators.astype(np.int8), axis=0, return_inverse=True, return_counts=True
    )
    inverse = inverse.ravel()
    sizes = sets.sum(axis=1, dtype=np.intp)
    frequent = counts >= min_count
    found = bool(frequent.any())
    if not found:
        frequent[:] = True
    # np.unique sorts by the first label first, absent before present.
    order = np.lexsort((-np.arange(len(sets)), -counts, -sizes))
    kept = order[frequent[order]]
    rare = np.flatnonzero(~frequent)
    choices = [np.zeros(0, dtype=np.intp)] * len(sets)
    for code, number in enumerate(kept):
        choices[number] = np.array([code])
    for number, subsets in zip(rare, _first_subsets(sets[kept], sets[rare], n_subsets), strict=True):
        choices[number] = subsets
    n_choices = np.array([len(choice) for choice in choices])
    examples = n_choices[inverse]
    rows = np.repeat(np.arange(len(inverse)), examples)
    codes = np.concatenate([np.zeros(0, dtype=np.intp), *(choices[number] for number in inverse)])
    return PrunedSets(rows, codes, sets[kept], found)


def _first_subsets(
    frequent: NDArray[np.int8], rare: NDArray[np.int8], n_subsets: int
) -> list[NDArray[np.intp]]:
    """The first frequent subsets of each rare set, except the empty one, which would deny its labels."""
    wide = frequent.astype(np.float32)
    usable = frequent.any(axis=1)
    subsets: list[NDArray[np.intp]] = []
    for block in block_slices(len(rare), len(frequent)):
        outside = (1 - rare[block]).astype(np.float32) @ wide.T
        inside = (outside == 0) & usable
        subsets.extend(np.flatnonzero(row)[:n_subsets] for row in inside)
    return subsets
