"""Feature-based classifiers that correct class probabilities, weighted by their loss on held-out labels."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import solve
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from moo_clustering._arrays import BoolArray, FloatArray, Int64Array, IntpArray, block_slices
from moo_clustering._data import checked_integers, checked_table
from moo_clustering.evidence.kernels import kernel_ridge

Classifier = Callable[[FloatArray], FloatArray]
# With more labels than this, only one of five folds is held out, and Gaussian kernels use a subset.
_MANY = 2000
_BASIS = 500
# A uniform distribution of this weight is mixed into all probabilities to bound the loss of each sample.
_DOUBT = 0.02
_RIDGE = 0.1


@dataclass(frozen=True, eq=False)
class ClassifierStack:
    """Logistic regression and Gaussian kernel machines that correct given class probabilities.

    The result is proportional to the weighted product prod_m p_mc^(w_m) of the given probabilities (m = 1)
    and the classifiers' probabilities, each mixed with 2% of a uniform distribution. The non-negative weights
    w minimise the log-loss of labels held out in up to five folds, plus ``penalty`` |w - (1, 0, ...)|^2.
    Source: Wolpert, Stacked generalization, Neural Networks 5, 1992.

    Attributes
    ----------
    weights : ndarray of shape (1 + n_classifiers,)
        Weights of the given probabilities, logistic regression, kernel ridge regression, and SVM.
    center : ndarray of shape (n_features,)
        Mean of the labelled samples.
    spread : float
        Square root of the features' mean variance. The centred features are divided by this value.
    classifiers : tuple of callable
        Functions that map scaled features to probabilities, fitted to all labels.

    Examples
    --------
    >>> from moo_clustering.evidence import ClassifierStack
    >>> X = np.arange(12.0)[:, None]
    >>> codes = np.arange(12) // 6
    >>> nothing_known = lambda known: np.full((np.sum(~known), 2), 0.5)
    >>> stack = ClassifierStack.fit(X, codes, 2, nothing_known)
    >>> stack.combine(np.full((2, 2), 0.5), [[0.0], [11.0]]).argmax(axis=1).tolist()
    [0, 1]
    """

    weights: FloatArray
    center: FloatArray
    spread: float
    classifiers: tuple[Classifier, ...]

    @classmethod
    def fit(
        cls,
        X: ArrayLike,
        codes: ArrayLike,
        n_classes: int,
        first: Callable[[BoolArray], FloatArray],
        *,
        gaussian: bool = False,
        penalty: float = 20.0,
    ) -> Self:
        """Fit the classifiers, and determine their weights by cross-validation on the labelled samples.

        The samples of each class, sorted by distance from its mean, are assigned to the folds in turn. Kernel
        ridge regression takes O(L^3) time for L <= 2000 labels. With more labels, about 500 samples
        approximate the kernel (subset of regressors), 2000 to 4000 train the SVM, and one fold is held out.

        Parameters
        ----------
        X : array-like of shape (n_labelled, n_features)
            Labelled samples.
        codes : array-like of int, shape (n_labelled,)
            Classes 0, 1, ... of the labelled samples.
        n_classes : int
        first : callable
            Maps a mask of training samples to the probabilities of all other samples, shape (n, n_classes).
        gaussian : bool, default=False
            Whether to add kernel ridge regression and a support vector machine with Gaussian kernels. These
            improve coarse probabilities, but degrade probabilities that follow thin clusters.
        penalty : float, default=20
            Penalty for a classifier weight of 1, in units of the log-likelihood.
        """
        rows = checked_table(X)
        classes = checked_integers(codes, "codes")
        center = rows.mean(axis=0)
        spread = float(np.sqrt(np.mean((rows - center) ** 2))) or 1.0
        rows = (rows - center) / spread
        kinds = (_logistic, _gaussian_ridge, _support_vectors) if gaussian else (_logistic,)
        folds = _folds(rows, classes)
        held_out = range(int(folds.max()) + 1) if len(rows) <= _MANY else range(1)
        opinions, truth = [], []
        for fold in held_out:
            known = folds != fold
            if not known.any():
                continue
            fitted = [kind(rows[known], classes[known], n_classes) for kind in kinds]
            opinions.append(np.stack([first(known), *(one(rows[~known]) for one in fitted)]))
            truth.append(classes[~known])
        weights = np.eye(1 + len(kinds))[0]
        if truth:
            logarithms = _logarithms(np.concatenate(opinions, axis=1))
            weights = _weights(logarithms, np.concatenate(truth), penalty)
        return cls(weights, center, spread, tuple(kind(rows, classes, n_classes) for kind in kinds))

    def combine(self, first: FloatArray, X: ArrayLike) -> FloatArray:
        """Combine ``first`` (n, n_classes) with the classifiers of X. Takes O(n L n_features) time."""
        rows = (checked_table(X) - self.center) / self.spread
        combined = self.weights[0] * _logarithms(first)
        for weight, classifier in zip(self.weights[1:], self.classifiers, strict=True):
            if weight > 0:
                combined += weight * _logarithms(classifier(rows))
        return _softmax(combined)


def _folds(X: FloatArray, codes: Int64Array) -> Int64Array:
    """Assign the samples of each class to the folds in turn, in order of distance from the class mean."""
    sizes = np.bincount(codes)
    n_folds = min(5, max(2, int(sizes[sizes > 0].min())))
    folds = np.zeros(len(codes), dtype=np.int64)
    for code in np.flatnonzero(sizes):
        members = np.flatnonzero(codes == code)
        away = ((X[members] - X[members].mean(axis=0)) ** 2).sum(axis=1)
        folds[members[np.argsort(away, kind="stable")]] = np.arange(len(members)) % n_folds
    return folds


def _logarithms(P: FloatArray) -> FloatArray:
    return np.log((1.0 - _DOUBT) * P + _DOUBT / P.shape[-1])


def _softmax(logarithms: FloatArray) -> FloatArray:
    powers = np.exp(logarithms - logarithms.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def _weights(logarithms: FloatArray, codes: Int64Array, penalty: float) -> FloatArray:
    """Return the weights, shape (n_classifiers,), that minimise the penalised loss, which is convex."""
    start = np.eye(len(logarithms))[0]
    own = np.arange(len(codes))

    def loss(weights: FloatArray) -> tuple[float, FloatArray]:
        shares = _softmax(np.tensordot(weights, logarithms, 1))
        value = -np.log(shares[own, codes]).sum() + penalty * ((weights - start) ** 2).sum()
        shares[own, codes] -= 1.0
        slope = np.einsum("mnc,nc->m", logarithms, shares) + 2 * penalty * (weights - start)
        return float(value), slope

    bounds = [(0.0, None)] * len(start)
    return minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x


def _logistic(X: FloatArray, codes: Int64Array, n_classes: int) -> Classifier:
    return _fitted(LogisticRegression(max_iter=300), X, codes, n_classes)


def _support_vectors(X: FloatArray, codes: Int64Array, n_classes: int) -> Classifier:
    chosen = _thinned(X, codes, _MANY)
    return _fitted(SVC(gamma=1.0 / X.shape[1]), X[chosen], codes[chosen], n_classes)


def _fitted(model: Any, X: FloatArray, codes: Int64Array, n_classes: int) -> Classifier:
    """Fit a scikit-learn classifier. Classes without training samples get the probability 0."""
    present = np.unique(codes)
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        fitted = model.fit(X, codes) if len(present) > 1 else None
    # Unlike a closure, a partial function can be pickled.
    return partial(_probabilities, model=fitted, present=present, n_classes=n_classes)


def _probabilities(rows: FloatArray, model: Any, present: Int64Array, n_classes: int) -> FloatArray:
    P = np.zeros((len(rows), n_classes))
    if model is None:
        P[:, present] = 1.0
    elif isinstance(model, LogisticRegression):
        P[:, present] = model.predict_proba(rows)
    else:
        margins = model.decision_function(rows)
        margins = np.column_stack([-margins, margins]) if margins.ndim == 1 else margins
        P[:, present] = _softmax(2.0 * margins)
    return P


def _gaussian_ridge(X: FloatArray, codes: Int64Array, n_classes: int) -> Classifier:
    """Fit kernel ridge regression with the kernel exp(-|x - x'|^2 / n_features)."""
    targets = np.eye(n_classes)[codes]
    if len(X) <= _MANY:
        scores = kernel_ridge(_gaussian_kernel(X, X), np.arange(len(X)), targets, ridge=_RIDGE)
        # The coefficients a satisfy (k + ridge) a = Y - 1/K, and the scores are 1/K + k a. It
        # follows that a = (Y - scores) / ridge.
        return partial(_ridge_probabilities, basis=X, coefficients=(targets - scores) / _RIDGE)
    basis = X[_thinned(X, codes, _BASIS)]
    across, within = _gaussian_kernel(basis, X), _gaussian_kernel(basis, basis)
    system = across @ across.T + _RIDGE * within
    system[np.diag_indices_from(system)] += 1e-9 * np.trace(system)
    coefficients = solve(system, across @ (targets - 1.0 / n_classes), assume_a="pos")
    return partial(_ridge_probabilities, basis=basis, coefficients=coefficients)


def _ridge_probabilities(rows: FloatArray, basis: FloatArray, coefficients: FloatArray) -> FloatArray:
    n_classes = coefficients.shape[1]
    P = np.full((len(rows), n_classes), 1.0 / n_classes)
    for part in block_slices(len(rows), len(basis)):
        P[part] += _gaussian_kernel(rows[part], basis) @ coefficients
    P = np.maximum(P, 0.0) + 1e-9
    return P / P.sum(axis=1, keepdims=True)


def _thinned(X: FloatArray, codes: Int64Array, most: int) -> IntpArray:
    """Select at most ``2 * most`` samples, and at least ``most`` if available. Keep the class shares."""
    return np.argsort(_folds(X, codes), kind="stable")[:: max(1, len(X) // most)]


def _gaussian_kernel(A: FloatArray, B: FloatArray) -> FloatArray:
    products = A @ B.T
    products *= 2.0
    products -= np.einsum("ij,ij->i", A, A)[:, None]
    products -= np.einsum("ij,ij->i", B, B)
    return np.asarray(np.exp(np.minimum(products, 0.0) / A.shape[1]))
