"""What the k-means variants with a price on violated pairs share."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from moo_clustering._arrays import require_squares
from moo_clustering._random import SeedLike, spawn_seeds
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.estimators._component_seeds import component_seeds
from moo_clustering.estimators._distortions import DISTORTIONS, Distortion, Features
from moo_clustering.estimators._number_clusters import check_n_clusters, number_clusters
from moo_clustering.estimators._penalized_kmeans import Partition, Penalties, penalized_kmeans
from moo_clustering.estimators._semi_supervised import SemiSupervisedClusterMixin, supervision_pairs


class PairwiseKMeans(SemiSupervisedClusterMixin, BaseEstimator, ABC):
    """All but the price of a violated pair."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "metric": [StrOptions(set(DISTORTIONS))],
        "w": [Interval(Real, 0, None, closed="left"), None],
        "w_cannot": [Interval(Real, 0, None, closed="left"), None],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "conflicts": [StrOptions({"raise", "keep"})],
        "random_state": ["random_state", np.random.Generator],
    }

    def __init__(
        self,
        n_clusters: int,
        *,
        metric: Literal["euclidean", "cosine"] = "euclidean",
        w: float | None = None,
        w_cannot: float | None = None,
        n_init: int = 10,
        max_iter: int = 100,
        conflicts: Literal["raise", "keep"] = "raise",
        random_state: SeedLike = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.w = w
        self.w_cannot = w_cannot
        self.n_init = n_init
        self.max_iter = max_iter
        self.conflicts = conflicts
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: Any,
        y: ArrayLike | None = None,
        *,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
    ) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), optional
            Partial labels 0, 1, ...; -1 for unlabelled samples. All pairs among the labelled samples
            become constraints.
        must_link, cannot_link : array-like of shape (n_pairs, 2), optional
            Pairs of row numbers that belong, or do not belong, together.

        Raises
        ------
        ValueError
            Parameters, data, labels or pairs out of range.
        InconsistentConstraintsError
            Labels and pairs contradict each other.
        """
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64)
        n_samples = X.shape[0]
        check_n_clusters(self.n_clusters, n_samples)
        require_squares(X)
        pairs, components = supervision_pairs(n_samples, y, must_link, cannot_link, self.conflicts)
        distortion = DISTORTIONS[self.metric]
        self._offset = distortion.offset(X)
        prepared = distortion.moved(X, self._offset)
        penalties = self._penalties(prepared, pairs, distortion)

        def run(seed: np.random.SeedSequence) -> Partition:
            rng = np.random.default_rng(seed)
            centers = component_seeds(prepared, components, self.n_clusters, distortion, rng)
            return penalized_kmeans(prepared, centers, penalties, distortion, max_iter=self.max_iter, rng=rng)

        runs = map(run, spawn_seeds(self.random_state, self.n_init))
        self._set(min(runs, key=lambda partition: partition.history[-1]))
        return self

    def predict(self, X: Any) -> NDArray[np.int32]:
        """Cluster of the nearest centre; pairs do not count.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        distortion = DISTORTIONS[self.metric]
        offset = 0.0 if sparse.issparse(X) else self._offset
        centers = self.cluster_centers_ - offset
        return distortion.distances(distortion.moved(X, offset), centers).argmin(axis=1).astype(np.int32)

    @abstractmethod
    def _penalties(self, X: Features, pairs: PairwiseConstraints, distortion: Distortion) -> Penalties:
        """What the violated pairs cost."""

    def _set(self, partition: Partition) -> None:
        self.labels_, kept = number_clusters(partition.labels)
        self.n_clusters_ = len(kept)
        if self.n_clusters_ < self.n_clusters:
            warnings.warn(
                f"only {self.n_clusters_} of n_clusters={self.n_clusters} clusters have samples; "
                "too few rows may differ, or must-links leave no more",
                UserWarning,
                stacklevel=4,
            )
        self.cluster_centers_ = partition.centers[kept] + self._offset
        self.inertia_ = partition.distortion
        self.objective_history_ = np.array(partition.history)
        self.objective_ = float(partition.history[-1])
        self.n_iter_ = len(partition.history)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
