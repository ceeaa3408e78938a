"""MetaLabeler and PrunedSetsEnsemble: baselines for SISC on label sets, and their base classes."""

from abc import abstractmethod
from dataclasses import KW_ONLY
from numbers import Real
from typing import Annotated, Any, Self

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

from moo_clustering._arrays import FloatArray, block_slices, quoted, spawn_seeds, warn_caller
from moo_clustering._data import checked_array, numeric_features, without_duplicates
from moo_clustering._docs import documented
from moo_clustering._parallel import run_calls, threads_here
from moo_clustering._targets import Targets, partial_targets
from moo_clustering.estimators import _options
from moo_clustering.estimators._base import OF_PREDICT, NumericOptionsMixin

# liblinear may not terminate if squares of tiny values underflow or fourth powers of huge values overflow.
_SMALLEST, _LARGEST = 1e-60, 1e50


@_options.estimator
class PartialLabelClassifier(NumericOptionsMixin, ClassifierMixin, _options.ParallelOptions, BaseEstimator):
    """Base class of classifiers for partially labelled samples, with one class or a label set per sample.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Classes, or column indices of the labels.
    multilabel_ : bool
        Whether samples have label sets.
    """

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Fit the classifier to the labelled samples and, if the method uses them, the unlabelled samples.

        Raises a ValueError if parameters, data or labels are invalid, or if no sample is labelled.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Classes, or label indicators. -1, a missing value or a row of -1 marks an unlabelled sample.
        """
        self._learn(X, y)
        return self

    @abstractmethod
    def _learn(self, X: Any, y: ArrayLike) -> None:
        """Fit the classifier, and set the fitted attributes."""

    @documented(OF_PREDICT)
    @abstractmethod
    def predict_proba(self, X: Any) -> FloatArray:
        """Predict class or label probabilities.

        Returns
        -------
        ndarray of shape (n, n_classes), 0 to 1
            Rows sum to 1 if each sample has one class.
        """

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """Return the accuracy: the share of labelled samples whose class or entire label set is correct.

        Raises a ValueError if no sample is labelled.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Format as in ``fit``. Unlabelled samples are ignored.
        sample_weight : array-like of shape (n_samples,), optional
        """
        return labelled_accuracy(y, self.predict(X), sample_weight)

    def _training_data(self, X: Any, y: Any) -> tuple[Any, Targets]:
        """Validate the data and labels of all samples, and set ``classes_`` and ``multilabel_``."""
        name = type(self).__name__
        if y is None:
            raise ValueError(
                f"{name} requires y to be passed, but the target y is None; -1 marks unlabelled samples"
            )
        rows = self._rows(X, reset=True)
        targets = partial_targets(y, rows.shape[0])
        if not targets.labelled.any():
            raise ValueError(f"{name} requires labels, but all {rows.shape[0]} samples are unlabelled")
        if targets.n_classes == 0:
            raise ValueError(f"y must have at least one column, got shape {np.shape(y)}")
        self.classes_: NDArray[Any] = targets.classes
        self.multilabel_: bool = targets.multilabel
        return rows, targets

    def _labelled_data(self, X: Any, y: Any) -> tuple[Any, Targets]:
        rows, targets = self._training_data(X, y)
        if targets.labelled.all():
            return rows, targets
        return rows[targets.rows], targets.subset(targets.rows)

    def _rows(self, X: Any, *, reset: bool = False) -> Any:
        X = numeric_features(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=reset)
        values = X.data if issparse(X) else X
        largest = float(np.abs(values).max(initial=0.0))
        if largest and not _SMALLEST <= largest <= _LARGEST:
            raise ValueError(
                f"the largest absolute value of X must be 0 or from {_SMALLEST:g} to {_LARGEST:g}, got "
                f"{largest:g}; rescale X, because linear solvers may not terminate outside this range"
            )
        return narrow_indices(without_duplicates(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.input_tags.sparse = True
        return tags


@_options.estimator
class ThresholdClassifier(PartialLabelClassifier):
    """Base class of classifiers that predict all labels whose probability is at least ``threshold``.

    Parameters
    ----------
    threshold : float
        Minimum probability for a label to be predicted. Used only for label sets.
    """

    _: KW_ONLY
    threshold: _options.Probability = 0.5

    def predict(self, X: Any, n_labels: ArrayLike | None = None) -> NDArray[Any]:
        """Predict classes of shape (n,), or label indicators of shape (n, n_labels).

        ``n_labels`` is one number, or one number per sample. If it is given, this number of most probable
        labels is predicted, and the threshold is ignored. Ties are broken in favour of the first label.
        """
        return decided(self, self.predict_proba(X), self.threshold, n_labels)


@_options.estimator
class MetaLabeler(PartialLabelClassifier):
    """Classifier that ranks labels by one-vs-rest scores; a second classifier predicts how many labels apply.

    The number of labels is learned from the features (content-based variant). Unlabelled samples are ignored.
    Samples and predictions can have empty label sets. The decision value of a label is -1e6 if no labelled
    sample has it, and 1e6 if all labelled samples do. If each sample has one class, the method is a
    one-vs-rest support vector machine. A fit takes O(n_iter nnz(X) (n_classes + n_counts)) time and
    O(n_features (n_classes + n_counts)) memory in addition to the data, where n_counts is the number of
    distinct label counts. Source: L. Tang, S. Rajan, V. Narayanan, "Large scale multi-label classification
    via MetaLabeler", WWW 2009. A baseline in SISC-ML, section 5.2.4.

    Parameters
    ----------
    cut : bool
        If True, ``predict_proba`` returns the normalised scores of the predicted labels and 0 for other
        labels, as used in the paper's ROC curves. If False, it returns the scores of all labels.
    estimator : classifier with ``decision_function``, optional
        Classifier for the labels and for their number. Default: ``LinearSVC()``.

    Attributes
    ----------
    ranker_ : OneVsRestClassifier or None
        Classifier for the labels ``ranked_``; None if each label belongs to all samples or to none.
    ranked_ : ndarray
        Column indices of the labels that ``ranker_`` ranks.
    counter_ : classifier
        Classifier for the number of labels.

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
    cut: bool = True
    estimator: Annotated[Any, HasMethods(["fit", "predict", "decision_function"]), None] = None

    def _learn(self, X: Any, y: ArrayLike) -> None:
        X, targets = self._labelled_data(X, y)
        base = LinearSVC() if self.estimator is None else self.estimator
        rank_seed, count_seed = spawn_seeds(self.random_state, 2)
        Y = targets.indicators.astype(np.int8)
        # If all labelled samples have a label, its score is 1e6. If none of them has it, its score is -1e6.
        self._certain = 1e6 * (Y.all(axis=0) * 1.0 - ~Y.any(axis=0))
        self.ranked_ = np.flatnonzero(self._certain == 0)
        if self._two_classes:
            self.ranked_ = np.array([1])
        self.ranker_ = None
        if len(self.ranked_):
            ranked = Y[:, self.ranked_] if len(self.ranked_) > 1 else Y[:, self.ranked_[0]]
            with threads_here(self.n_jobs):
                self.ranker_ = OneVsRestClassifier(seeded(base, rank_seed), n_jobs=self.n_jobs).fit(X, ranked)
        self.counter_ = fit_classes(seeded(base, count_seed), X, targets.indicators.sum(axis=1).astype(int))

    def decision_function(self, X: Any) -> FloatArray:
        """Compute all label scores, ignoring ``cut``; shape (n, n_classes), or (n,) for two classes."""
        decisions = self._decisions(self._rows(X))
        return decisions[:, 1] if self._two_classes else decisions

    def predict_n_labels(self, X: Any) -> NDArray[np.intp]:
        """Predict the number of labels of each sample; 1 if ``y`` had one class per sample."""
        return self._n_labels(self._rows(X))

    def predict_proba(self, X: Any) -> FloatArray:
        """Predict probabilities, which are sigmoids of the decision values (see the parameter ``cut``).

        Rows sum to 1 if each sample has one class, or if ``cut`` is True and a label is predicted.
        """
        X = self._rows(X)
        decisions = self._decisions(X)
        if self.cut:
            return sigmoid_shares(decisions, best_labels(decisions, self._n_labels(X)))
        return expit(decisions) if self.multilabel_ else sigmoid_shares(decisions)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict classes, or as many of the highest-scoring labels as :meth:`predict_n_labels` returns."""
        X = self._rows(X)
        return decided(self, self._decisions(X), 0.0, self._n_labels(X) if self.multilabel_ else None)

    @property
    def _two_classes(self) -> bool:
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


def decided(
    model: Any, scores: NDArray[np.float64], threshold: float, n_labels: ArrayLike | None
) -> NDArray[Any]:
    """Convert scores to classes or, for label sets, to indicators, using ``threshold`` or ``n_labels``."""
    if not model.multilabel_:
        if n_labels is not None:
            raise ValueError(
                "n_labels requires label sets, but the estimator was fitted with one class per sample"
            )
        return np.asarray(model.classes_[scores.argmax(axis=1)])
    if n_labels is None:
        return (scores >= threshold).astype(np.int64)
    return best_labels(scores, checked_n_labels(n_labels, *scores.shape)).astype(np.int64)


def best_labels(scores: NDArray[np.floating[Any]], n_labels: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
    """Return a mask of the ``n_labels`` best labels per row; ties are broken in favour of the first label."""
    order = np.argsort(-scores, axis=1, kind="stable")
    chosen = np.zeros(scores.shape, dtype=bool)
    np.put_along_axis(chosen, order, np.arange(scores.shape[1]) < n_labels[:, None], axis=1)
    return chosen


def checked_n_labels(n_labels: ArrayLike, n_samples: int, n_classes: int) -> NDArray[np.intp]:
    """Check the parameter ``n_labels`` of ``predict``, and return one number per sample."""
    given = checked_array(n_labels, "n_labels")
    if given.dtype.kind not in "iu":
        raise ValueError(
            f"n_labels must be an integer, or contain one integer per sample, got {quoted(n_labels)}"
        )
    if given.shape not in ((), (n_samples,)):
        raise ValueError(
            f"n_labels must be an integer, or contain one integer per sample ({n_samples}), got "
            f"shape {given.shape}"
        )
    if given.size and (given.min() < 0 or given.max() > n_classes):
        odd = given.min() if given.min() < 0 else given.max()
        raise ValueError(f"n_labels must be from 0 to {n_classes}, the number of labels; got {odd}")
    return np.broadcast_to(given, n_samples).astype(np.intp)


def labelled_accuracy(y: Any, predicted: NDArray[Any], sample_weight: ArrayLike | None) -> float:
    """Return the exact-match accuracy on labelled samples; raise a ValueError if there are none."""
    targets = partial_targets(y, len(predicted))
    rows = targets.rows
    if not len(rows):
        raise ValueError("y must contain at least one labelled sample to compute a score")
    truth = targets.indicators[rows]
    # Pass indicators or classes, because scikit-learn cannot determine the label type of an object array.
    known = truth.astype(np.int64) if targets.multilabel else targets.classes[truth.argmax(axis=1)]
    if sample_weight is not None:
        sample_weight = checked_array(sample_weight, "sample_weight", np.float64)[rows]
    return float(accuracy_score(known, predicted[rows], sample_weight=sample_weight))


def narrow_indices(X: Any) -> Any:
    """Convert the indices of a sparse matrix to 32 bits if possible, because liblinear requires this."""
    if not issparse(X) or max(X.nnz, *X.shape) > np.iinfo(np.int32).max:
        return X
    indices, indptr = (part.astype(np.int32, copy=False) for part in (X.indices, X.indptr))
    return type(X)((X.data, indices, indptr), shape=X.shape)


def seeded(estimator: Any, seed: np.random.SeedSequence, *, unset_only: bool = False) -> Any:
    """Clone an estimator, and set every ``random_state`` or, with ``unset_only``, every one that is None."""
    copy = clone(estimator)
    values = copy.get_params()
    names = sorted(name for name in values if name == "random_state" or name.endswith("__random_state"))
    states = (seed.generate_state(len(names)) >> 1).tolist()  # liblinear requires seeds below 2^31
    drawn = dict(zip(names, states, strict=True))
    unset = {name: state for name, state in drawn.items() if values[name] is None}
    return copy.set_params(**(unset if unset_only else drawn))


def fit_classes(estimator: Any, X: Any, classes: NDArray[Any]) -> Any:
    """Fit a classifier; if there is only one class, return a dummy classifier for it."""
    if (classes == classes[0]).all():
        return DummyClassifier(strategy="prior").fit(X, classes)
    return estimator.fit(X, classes)


def label_codes(targets: Targets) -> NDArray[np.int64]:
    """Return ``y`` as indicators or class indices, with -1 for unlabelled samples."""
    if targets.multilabel:
        return np.where(targets.labelled[:, None], targets.indicators, -1).astype(np.int64)
    return np.where(targets.labelled, targets.indicators.argmax(axis=1), -1).astype(np.int64)


def sigmoid_shares(scores: FloatArray, kept: NDArray[np.bool_] | None = None) -> FloatArray:
    """Return the sigmoids of the scores, divided by row sums; scores outside the mask ``kept`` yield 0."""
    # Compute the quotients from logarithms, because very small sigmoids could underflow.
    logs = log_expit(scores)
    if kept is not None:
        logs = np.where(kept, logs, -np.inf)
    largest = logs.max(axis=1, keepdims=True)
    shares: FloatArray = np.exp(logs - np.where(np.isfinite(largest), largest, 0.0))
    shares /= np.maximum(shares.sum(axis=1, keepdims=True), 1.0)  # rows without labels sum to 0
    return shares


@_options.estimator
class PrunedSetsEnsemble(ThresholdClassifier):
    """Ensemble of classifiers whose classes are the frequent label sets in random subsets of the data.

    Unlabelled samples are ignored. Rare label sets are never replaced by the empty set. If each sample has
    one class, nothing is pruned. If a random subset has no frequent label set, all label sets of this subset
    become classes, with a UserWarning. A fit takes up to O(n_estimators n_iter n_sets nnz(X) n_subsets) time
    and O(n_estimators n_sets n_features) memory. Source: J. Read, B. Pfahringer, G. Holmes, "Multi-label
    classification using ensembles of pruned sets", ICDM 2008. A baseline in SISC-ML, section 5.2.5.

    Parameters
    ----------
    min_count : int
        A label set becomes a class if at least this number of samples have it (p in the paper).
    n_subsets : int
        Maximum number of copies of a sample with a rare label set (b in the paper). Each copy gets a frequent
        proper subset of the sample's labels (the largest first). With 0, rare label sets are ignored.
    n_estimators : int
        Number of classifiers.
    max_samples : float
        Share of the labelled samples that is drawn, without replacement, for each classifier.
    threshold : float
        Minimum share of votes for a label to be predicted.
    random_state : int, Generator, RandomState or None
        Random seed. Classifier i does not depend on ``n_estimators``.
    estimator : classifier, optional
        Classifier for the label sets. Default: ``LinearSVC()``.

    Attributes
    ----------
    estimators_ : list of classifiers
        Fitted classifiers. Their classes are row indices of ``label_sets_``.
    label_sets_ : list of ndarray of shape (n_sets, n_classes), int8
        Label sets that each classifier uses as classes, in descending order of size, then of frequency.

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
    min_count: _options.Count = 3
    n_subsets: _options.NonNegativeCount = 3
    n_estimators: _options.Count = 10
    max_samples: Annotated[float, Interval(Real, 0, 1, closed="right")] = 0.63
    estimator: Annotated[Any, HasMethods(["fit", "predict"]), None] = None

    def _learn(self, X: Any, y: ArrayLike) -> None:
        X, targets = self._labelled_data(X, y)
        base = LinearSVC() if self.estimator is None else self.estimator
        size = max(1, round(self.max_samples * X.shape[0]))
        # If each sample has one class, rare classes are kept, because they have no subsets to replace them.
        min_count = self.min_count if self.multilabel_ else 1
        members = run_calls(
            (
                delayed(_fit_member)(base, X, targets.indicators, size, min_count, self.n_subsets, seed)
                for seed in spawn_seeds(self.random_state, self.n_estimators)
            ),
            n_jobs=self.n_jobs,
        )
        self.estimators_, self.label_sets_, found = map(list, zip(*members, strict=True))
        if n_missed := found.count(False):
            warn_caller(
                f"{n_missed} of {self.n_estimators} classifiers use all label sets as classes, because none "
                f"occurs in at least min_count={self.min_count} of their {size} samples"
            )

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        X = self._rows(X)
        votes = np.zeros((X.shape[0], len(self.classes_)))
        for classifier, label_sets in zip(self.estimators_, self.label_sets_, strict=True):
            votes += label_sets[classifier.predict(X)]
        votes /= len(self.estimators_)
        return votes


def _fit_member(
    base: Any,
    X: Any,
    indicators: NDArray[np.float64],
    size: int,
    min_count: int,
    n_subsets: int,
    seed: np.random.SeedSequence,
) -> tuple[Any, NDArray[np.int8], bool]:
    draw_seed, fit_seed = seed.spawn(2)
    rows = np.sort(np.random.default_rng(draw_seed).choice(X.shape[0], size, replace=False))
    own, codes, label_sets, found = pruned_sets(indicators[rows], min_count, n_subsets)
    return fit_classes(seeded(base, fit_seed), X[rows[own]], codes), label_sets, found


def pruned_sets(
    indicators: NDArray[Any], min_count: int, n_subsets: int
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.int8], bool]:
    """Replace each label set that fewer than ``min_count`` samples have with frequent subsets of this set."""
    # A sample with a rare label set becomes one example for each of the first ``n_subsets`` frequent proper
    # subsets of the set. If there are no such subsets, the sample is omitted. If no label set is frequent,
    # all are kept. Returns the sample of each example, the row of its label set in the third item, the label
    # sets in descending order of size and then of frequency, and whether any set is frequent.
    sets, inverse, counts = np.unique(
        indicators.astype(np.int8), axis=0, return_inverse=True, return_counts=True
    )
    sizes = sets.sum(axis=1, dtype=np.intp)
    frequent = counts >= min_count
    found = bool(frequent.any())
    if not found:
        frequent[:] = True
    # Ties are broken in favour of sets that contain the first labels. ``np.unique`` puts these sets last.
    order = np.lexsort((-np.arange(len(sets)), -counts, -sizes))
    kept = order[frequent[order]]
    classes = sets[kept]
    codes_of = {number: np.array([code]) for code, number in enumerate(kept.tolist())}
    rare = np.flatnonzero(~frequent)
    for block in block_slices(len(rare), len(kept)):
        outside = (1 - sets[rare[block]]).astype(np.float32) @ classes.T.astype(np.float32)
        # The empty set does not replace other sets, because it would mean that the sample has no labels.
        inside = (outside == 0) & classes.any(axis=1)
        for number, row in zip(rare[block].tolist(), inside, strict=True):
            codes_of[number] = np.flatnonzero(row)[:n_subsets]
    codes = [codes_of[number] for number in inverse.ravel().tolist()]
    rows = np.repeat(np.arange(len(codes)), [len(own) for own in codes])
    return rows, np.concatenate([np.zeros(0, dtype=np.intp), *codes]), classes, found
