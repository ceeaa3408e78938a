"""What the subspace clusterers share: checks, starts, predictions from clusters."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    _fit_context,
)
from sklearn.utils import ClassifierTags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from moo_clustering import subspace
from moo_clustering._arrays import without_duplicates
from moo_clustering._random import spawn_seeds
from moo_clustering._targets import Targets, partial_targets
from moo_clustering.estimators._leading_terms import leading_terms
from moo_clustering.estimators._number_clusters import check_n_clusters
from moo_clustering.estimators._reporting import ReportMixin
from moo_clustering.estimators.multi_label._cluster_votes import ClusterVotes, Doubles
from moo_clustering.estimators.multi_label._presence import presence
from moo_clustering.subspace import SubspaceData

Floats = NDArray[np.floating[Any]]


class Clusters(NamedTuple):
    """What one start leads to; arrays by feature are (n_features, n_clusters)."""

    memberships: Floats
    centers: Floats
    log_weights: Floats
    impurities: Doubles
    history: Doubles

    @property
    def objective(self) -> float:
        """Of the last sweep."""
        return float(self.history[-1])


class SubspaceEstimator(
    ReportMixin, ClusterVotes, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator
):
    """Base of the subspace clusterers: clusters with weights of features, and classes by their votes.

    A subclass says how one start becomes clusters (``_clusters``), at what exponent weights count in
    distances (``_exponent``), and may warn of data (``_warn_of_data``).
    """

    _common_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left"), None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "threshold": [Interval(Real, 0, 1, closed="both")],
        "binarize": ["boolean"],
        "dtype": [StrOptions({"float64", "float32"})],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [Integral, None],
    }

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Cluster the rows of X, guided by the labels there are.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_features)
        y : array-like of shape (n_documents,) or (n_documents, n_labels), optional
            Classes, -1 for unlabelled documents; or indicators 0 and 1 of label sets, with rows of -1
            for unlabelled documents.

        Raises
        ------
        ValueError
            Parameters, data or labels out of range, or more clusters than documents.
        """
        self._check_parameters()
        X = self._checked(X, reset=True)
        check_n_clusters(self.n_clusters, X.shape[0])
        targets = partial_targets(y, X.shape[0])
        if y is not None and not targets.labelled.any():
            warnings.warn(
                "y has no labelled document, all are -1: fitted without labels", UserWarning, stacklevel=3
            )
            targets = partial_targets(None, X.shape[0])
        data = self._data(X)
        self._warn_of_data(X, data, targets)
        seeds = spawn_seeds(self.random_state, self.n_init)
        starts = (self._clusters(data, targets, np.random.default_rng(seed)) for seed in seeds)
        self._set(min(starts, key=lambda found: found.objective), data, targets)
        return self

    def fit_predict(self, X: Any, y: ArrayLike | None = None) -> NDArray[np.int32]:
        """Cluster the rows of X and return ``labels_``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_features)
        y : array-like, optional
            As for ``fit``.

        Returns
        -------
        ndarray of shape (n_documents,), int32
        """
        return self.fit(X, y).labels_

    def transform(self, X: Any) -> Doubles:
        """Distances of documents from the clusters, each by its own weights of features.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_features)

        Returns
        -------
        ndarray of shape (n_documents, n_clusters)
        """
        return self._distances_of(X)

    def predict_cluster(self, X: Any) -> NDArray[np.int32]:
        """Cluster of the largest membership, numbered as in ``labels_``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_documents, n_features)

        Returns
        -------
        ndarray of shape (n_documents,), int32
        """
        return self._nearest(self._distances_of(X))

    def leading_features(
        self, n: int = 10, feature_names: Sequence[str] | None = None
    ) -> tuple[tuple[Any, ...], ...]:
        """Features that tell what every cluster is about, the most telling first.

        Large weights alone do not: features that a cluster lacks have them too. So features are ordered
        by weight times how far the centre of the cluster is above the mean of all documents, and those
        that are not above it are left out.

        Parameters
        ----------
        n : int, default=10
            Features per cluster at most.
        feature_names : sequence of str, optional
            ``feature_names_in_`` by default; columns where there are none.

        Returns
        -------
        tuple of n_clusters tuples of str or int

        Raises
        ------
        ValueError
            ``n`` below 1, or another number of names than of features.
        """
        check_is_fitted(self)
        if not isinstance(n, int | np.integer) or n < 1:
            raise ValueError(f"n must be a whole number from 1 on; got {n!r}")
        names = getattr(self, "feature_names_in_", None) if feature_names is None else feature_names
        if names is not None and len(names) != self.n_features_in_:
            raise ValueError(
                f"feature_names must name the {self.n_features_in_} features; got {len(names)} names"
            )
        excess = self.cluster_centers_ - self._feature_means
        return leading_terms(self.feature_weights_ * excess, names, int(n))

    @property
    def feature_weights_(self) -> Floats:
        """Weights of the features in every cluster, shape (n_clusters, n_features)."""
        return np.exp(self._log_weights).T

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = False
        # Clusterers too give probabilities of classes once they are fitted with labels.
        tags.classifier_tags = ClassifierTags(multi_label=True)
        return tags

    @property
    def _n_features_out(self) -> int:
        return self.memberships_.shape[1]

    @property
    @abstractmethod
    def _exponent(self) -> float:
        """That of feature weights in distances."""

    @abstractmethod
    def _clusters(self, data: SubspaceData, targets: Targets, rng: np.random.Generator) -> Clusters:
        """Clusters from one start."""

    def _check_parameters(self) -> None:
        if self.n_neighbors is not None and self.n_neighbors > self.n_clusters:
            raise ValueError(
                f"n_neighbors={self.n_neighbors} is more than the number of clusters that can vote, "
                f"n_clusters={self.n_clusters}; use None for all"
            )

    def _warn_of_data(self, X: Any, data: SubspaceData, targets: Targets) -> None:
        """Warn of data that the method is not made for; stacklevel=4 is the caller of fit."""

    def _checked(self, X: Any, reset: bool) -> Any:
        X = validate_data(self, X, accept_sparse="csr", dtype=np.dtype(self.dtype), reset=reset)
        X = without_duplicates(X)
        return presence(X) if self.binarize else X

    def _data(self, X: Any) -> SubspaceData:
        return SubspaceData.of(X, dtype=self.dtype, n_jobs=self.n_jobs)

    def _distances_of(self, X: Any) -> Doubles:
        check_is_fitted(self)
        data = self._data(self._checked(X, reset=False))
        return subspace.distances(data, self.cluster_centers_.T, self._log_weights, self._exponent)

    def _nearest(self, distances: Doubles) -> NDArray[np.int32]:
        return distances.argmin(axis=1).astype(np.int32)

    def _set(self, found: Clusters, data: SubspaceData, targets: Targets) -> None:
        self.memberships_ = found.memberships
        self.cluster_centers_ = found.centers.T
        self._log_weights = found.log_weights
        self._impurities = found.impurities
        self._feature_means = data.mean()
        self.class_shares_ = subspace.class_shares(found.memberships, targets)
        self.classes_ = targets.classes
        self.multilabel_ = targets.multilabel
        self.labels_: NDArray[np.int32] = found.memberships.argmax(axis=1).astype(np.int32)
        self.n_clusters_ = len(np.unique(self.labels_))
        self.history_ = found.history
        self.n_iter_ = len(found.history)
