"""SISCEnsemble: mean logit of SISC of several sizes and seeds."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from joblib import delayed
from numpy.typing import ArrayLike, NDArray
from sklearn.base import _fit_context
from sklearn.utils._param_validation import HasMethods, Interval

from moo_clustering._parallel import run_calls
from moo_clustering._random import SeedLike, spawn_seeds
from moo_clustering.estimators.multi_label._logit_mixture import (
    LogitScale,
    logits,
    mixed_logits,
    probabilities_of,
)
from moo_clustering.estimators.multi_label._partial_label_classifier import (
    PartialLabelClassifier,
    label_codes,
    seeded,
)
from moo_clustering.estimators.multi_label._sisc import SISC


class SISCEnsemble(PartialLabelClassifier):
    """Mean of the standardised logits of SISC models with other seeds and numbers of clusters.

    Parameters
    ----------
    sisc : estimator, optional
        The model of which members are copies with their own ``n_clusters`` and ``random_state``; any with
        these parameters, partial labels and ``predict_proba``. ``SISC(fuzziness=1.4)`` by default.
    n_clusters : int or sequence of int, default=(20, 40, 60, 80, 100, 120)
        Of the members in turn; at most the number of documents, with a warning.
    n_estimators : int, default=6
    threshold : float, default=0.5
        Least probability of the labels that ``predict`` gives, for label sets.
    random_state : int, Generator, RandomState or None, default=None
        Member i is the same whatever ``n_estimators`` is.
    n_jobs : int, optional
        Workers over the members; no influence on results.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Classes, or numbers of the labels.
    multilabel_ : bool
    estimators_ : list of fitted models
        Their ``classes_`` are 0, 1, ... in the order of those above.
    scales_ : list of LogitScale(mean, spread)
        Of the logits that the members give to the documents of the fit, labelled or not; arrays of shape
        (n_classes,).
    n_features_in_, feature_names_in_

    Notes
    -----
    Logits of a class are standardised by mean and standard deviation over the documents of the fit, so that
    what is predicted for a document does not depend on others to be predicted. The mean of the standardised
    logits is put on the mean of the members' scales before it becomes a probability, which changes no
    ranking of documents.

    As much time and memory as the members together, and one prediction of the documents of the fit each.

    References
    ----------
    The members: "Multi-label ASRS dataset classification using semi-supervised subspace clustering".
    The ensemble is not in the paper.

    Examples
    --------
    >>> from moo_clustering.estimators import SISCEnsemble
    >>> X = [[1, 1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 1], [0, 1, 1, 1], [0, 0, 1, 0], [1, 1, 0, 1]]
    >>> y = [5, 5, 8, 8, -1, -1]
    >>> SISCEnsemble(n_clusters=2, n_estimators=3, random_state=0).fit(X, y).predict(X[4:])
    array([8, 5])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "sisc": [HasMethods(["fit", "predict_proba"]), None],
        "n_clusters": [Interval(Integral, 1, None, closed="left"), "array-like"],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "threshold": [Interval(Real, 0, 1, closed="both")],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        sisc: Any = None,
        *,
        n_clusters: int | Sequence[int] = (20, 40, 60, 80, 100, 120),
        n_estimators: int = 6,
        threshold: float = 0.5,
        random_state: SeedLike = None,
        n_jobs: int | None = None,
    ) -> None:
        self.sisc = sisc
        self.n_clusters = n_clusters
        self.n_estimators = n_estimators
        self.threshold = threshold
        self.random_state = random_state
        self.n_jobs = n_jobs

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Fit the members to labelled and unlabelled documents.

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
        sizes = _checked_sizes(self.n_clusters)
        X, targets = self._training_data(X, y)
        if sizes.max() > X.shape[0]:
            warnings.warn(
                f"n_clusters={self.n_clusters} is more than n_samples={X.shape[0]}: members have at most "
                "that many clusters",
                UserWarning,
                stacklevel=3,
            )
        sizes = np.minimum(sizes, X.shape[0])
        template = SISC(fuzziness=1.4) if self.sisc is None else self.sisc
        labels = label_codes(targets)
        members = run_calls(
            (
                delayed(_fit_member)(template, int(sizes[i % len(sizes)]), seed, X, labels)
                for i, seed in enumerate(spawn_seeds(self.random_state, self.n_estimators))
            ),
            n_jobs=self.n_jobs,
        )
        for category, message in dict.fromkeys(said for member in members for said in member.warned):
            warnings.warn(message, category, stacklevel=3)
        self.estimators_ = [member.model for member in members]
        self.scales_ = [member.scale for member in members]
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Sigmoids of the members' mean logits; with one class a document, divided by the sum of the row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_features)

        Returns
        -------
        ndarray of shape (n_documents, n_classes), 0 to 1
        """
        X = self._rows(X)
        parts = [logits(model.predict_proba(X)) for model in self.estimators_]
        weights = [1.0 / len(parts)] * len(parts)
        return probabilities_of(mixed_logits(parts, self.scales_, weights), self.multilabel_)

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


class _Member(NamedTuple):
    model: Any
    scale: LogitScale
    warned: tuple[tuple[type[Warning], str], ...]


def _fit_member(
    template: Any, n_clusters: int, seed: np.random.SeedSequence, X: Any, labels: NDArray[np.int64]
) -> _Member:
    with warnings.catch_warnings(record=True) as caught:
        # All members say the same of the data: it is said once, to the caller of fit.
        warnings.simplefilter("always")
        model = seeded(template, seed).set_params(n_clusters=n_clusters).fit(X, labels)
    scale = LogitScale.of(logits(model.predict_proba(X)))
    return _Member(model, scale, tuple((each.category, str(each.message)) for each in caught))


def _checked_sizes(n_clusters: int | Sequence[int]) -> NDArray[np.integer[Any]]:
    sizes = np.atleast_1d(np.asarray(n_clusters))
    if sizes.ndim != 1 or not len(sizes) or sizes.dtype.kind not in "iu" or sizes.min() < 1:
        raise ValueError(
            f"n_clusters must be a whole number from 1 on or a sequence of such; got {n_clusters!r}"
        )
    return sizes
