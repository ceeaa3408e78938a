"""What the multi-label classifiers share: checks of data and partial labels, and decisions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.dummy import DummyClassifier
from sklearn.utils.validation import check_is_fitted, validate_data

from moo_clustering._arrays import without_duplicates
from moo_clustering._targets import Targets, partial_targets
from moo_clustering.estimators._numeric_options import NumericOptionsMixin
from moo_clustering.estimators.multi_label._label_decisions import (
    best_labels,
    checked_n_labels,
    labelled_accuracy,
)

# liblinear never ends where fourth powers overflow, or squares vanish.
_SMALLEST, _LARGEST = 1e-60, 1e50


class PartialLabelClassifier(NumericOptionsMixin, ClassifierMixin, BaseEstimator):
    """A classifier of one class a sample or of label sets, some of which may be unknown.

    Subclasses set ``classes_`` and ``multilabel_`` by :meth:`_training_data`, and have ``predict_proba``.
    """

    classes_: NDArray[Any]
    multilabel_: bool

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
        """Checked data of all samples, and what is known of them.

        Raises
        ------
        ValueError
            No ``y``, or one in which nothing is labelled; data or labels out of range.
        """
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
        self.classes_, self.multilabel_ = targets.classes, targets.multilabel
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
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=reset)
        _check_size(X)
        return narrow_indices(without_duplicates(X))

    def _decided(
        self, scores: NDArray[np.float64], threshold: float, n_labels: ArrayLike | None
    ) -> NDArray[Any]:
        """Classes of the largest scores; or indicators of the labels by threshold or number."""
        if not self.multilabel_:
            if n_labels is not None:
                raise ValueError("n_labels is for label sets, but y had one class a sample")
            return self.classes_[scores.argmax(axis=1)]
        if n_labels is None:
            return (scores >= threshold).astype(np.int64)
        return best_labels(scores, checked_n_labels(n_labels, *scores.shape)).astype(np.int64)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.input_tags.sparse = True
        return tags


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

    Parameters
    ----------
    unset_only : bool, default=False
        Leave those that are not None as they are.
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
