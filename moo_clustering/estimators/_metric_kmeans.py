"""K-means with a metric learned from pairs."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg
from sklearn.base import BaseEstimator, TransformerMixin, _fit_context
from sklearn.cluster import KMeans
from sklearn.metrics import pairwise_distances_argmin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from moo_clustering._arrays import require_squares
from moo_clustering._random import SeedLike, spawn_seeds
from moo_clustering.estimators._learned_metric import LearnedMetric, diagonal_metric, full_metric
from moo_clustering.estimators._number_clusters import check_n_clusters, number_clusters
from moo_clustering.estimators._semi_supervised import SemiSupervisedClusterMixin, supervision_pairs

FloatArray = NDArray[np.float64]


class MetricKMeans(SemiSupervisedClusterMixin, TransformerMixin, BaseEstimator):
    """K-means in a Mahalanobis metric learned from must-links and cannot-links (MMC, KMDM).

    Parameters
    ----------
    n_clusters : int
        From 1 to n_samples.
    metric : {"diagonal", "full"}, default="diagonal"
        What is learned: a weight for every feature, or a matrix.
    ridge : float, default=0.3
        Share of the overall variance that is added to that of the must-linked samples. With 0 (the
        method as published) few constraints give degenerate metrics.
    n_init : int, default=10
        Runs of k-means, of which the best counts.
    max_iter : int, default=300
        Iterations of a run of k-means.
    metric_max_iter : int, default=1000
    metric_tol : float, default=1e-6
        Accuracy of the metric: largest component of the gradient (diagonal); relative distance to the
        optimum, or a thousand times what ten steps gain (full).
    conflicts : {"raise", "keep"}, default="raise"
        Whether pairs that contradict each other are an error, or pull both ways.
    random_state : int, Generator, RandomState or None, default=None

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        Clusters 0, 1, ... in the order of their first samples.
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        In the units of X.
    metric_ : ndarray of shape (n_features,) or (n_features, n_features)
        Weights, or matrix; ones or the identity where must-links or cannot-links are missing.
    metric_objective_ : float or None
        Minimised (diagonal) or maximised (full) by the metric; None for the identity.
    inertia_ : float
        Sum of squared distances, in the metric, to the centres.
    n_clusters_ : int
        Clusters found; fewer than ``n_clusters`` where fewer rows differ in the metric.
    n_iter_ : int
        Iterations of the best run of k-means.
    n_features_in_, feature_names_in_

    Notes
    -----
    O((n_must + n_cannot) n_features) time per iteration for a diagonal metric, O(n_cannot n_features^2
    + n_features^3) for a full one. All pairs of labelled samples count: n labels make n(n-1)/2.

    References
    ----------
    E. Xing, A. Ng, M. Jordan, S. Russell, "Distance metric learning with application to clustering with
    side-information", NIPS 15 (2002), sections 2.1 and 2.2.

    Examples
    --------
    >>> from moo_clustering.estimators import MetricKMeans
    >>> X = [[0, 0], [1, 3], [0.5, 6], [5, 1], [6, 4], [5.5, 7]]
    >>> model = MetricKMeans(2, random_state=0)
    >>> model.fit_predict(X, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 3), (2, 5)])
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "metric": [StrOptions({"diagonal", "full"})],
        "ridge": [Interval(Real, 0, None, closed="left")],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "metric_max_iter": [Interval(Integral, 1, None, closed="left")],
        "metric_tol": [Interval(Real, 0, None, closed="neither")],
        "conflicts": [StrOptions({"raise", "keep"})],
        "random_state": ["random_state", np.random.Generator],
    }

    def __init__(
        self,
        n_clusters: int,
        *,
        metric: Literal["diagonal", "full"] = "diagonal",
        ridge: float = 0.3,
        n_init: int = 10,
        max_iter: int = 300,
        metric_max_iter: int = 1000,
        metric_tol: float = 1e-6,
        conflicts: Literal["raise", "keep"] = "raise",
        random_state: SeedLike = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.ridge = ridge
        self.n_init = n_init
        self.max_iter = max_iter
        self.metric_max_iter = metric_max_iter
        self.metric_tol = metric_tol
        self.conflicts = conflicts
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        *,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
    ) -> Self:
        """Learn the metric and cluster the rows of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), optional
            Partial labels 0, 1, ...; -1 for unlabelled samples.
        must_link, cannot_link : array-like of shape (n_pairs, 2), optional
            Pairs of row numbers that belong, or do not belong, together.

        Raises
        ------
        ValueError
            Parameters, data, labels or pairs out of range.
        InconsistentConstraintsError
            Labels and pairs contradict each other.
        """
        features: FloatArray = validate_data(self, X, dtype=np.float64)
        check_n_clusters(self.n_clusters, len(features))
        require_squares(features)
        supervision = supervision_pairs(len(features), y, must_link, cannot_link, self.conflicts)
        (seed,) = spawn_seeds(self.random_state, 1)
        must, cannot = supervision.pairs.must_link, supervision.pairs.cannot_link
        learned = self._learn(features, must, cannot)
        if learned is None:
            identity = np.ones if self.metric == "diagonal" else np.eye
            learned = LearnedMetric(identity(features.shape[1]), np.nan, 0)
        self.metric_ = learned.metric
        self.metric_objective_ = None if np.isnan(learned.objective) else learned.objective
        with np.errstate(over="ignore", invalid="ignore"):
            mapped = self._mapped(features)
        require_squares(mapped)
        kmeans = KMeans(
            self.n_clusters,
            n_init=self.n_init,
            max_iter=self.max_iter,
            random_state=int(seed.generate_state(1)[0]),
        ).fit(mapped)
        self.inertia_ = float(kmeans.inertia_)
        self.n_iter_ = int(kmeans.n_iter_)
        self.labels_, kept = number_clusters(kmeans.labels_)
        self.n_clusters_ = len(kept)
        self._centers = kmeans.cluster_centers_[kept]
        self.cluster_centers_ = self._unmapped(features)
        return self

    def transform(self, X: ArrayLike) -> FloatArray:
        """X A^(1/2): where Euclidean distances are those of the learned metric A.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        return self._mapped(validate_data(self, X, dtype=np.float64, reset=False))

    def predict(self, X: ArrayLike) -> NDArray[np.int32]:
        """Cluster of the centre that is nearest in the learned metric.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        nearest: NDArray[Any] = pairwise_distances_argmin(self.transform(X), self._centers)
        return nearest.astype(np.int32)

    def _learn(
        self, X: FloatArray, must: NDArray[np.int64], cannot: NDArray[np.int64]
    ) -> LearnedMetric | None:
        if not len(must) or not len(cannot):
            return None
        learn = diagonal_metric if self.metric == "diagonal" else full_metric
        learned = learn(X, must, cannot, ridge=self.ridge, max_iter=self.metric_max_iter, tol=self.metric_tol)
        if learned is None:
            warnings.warn(
                "no cannot-linked samples differ, so that there is no metric to learn; "
                "Euclidean distances are used",
                UserWarning,
                stacklevel=4,
            )
        return learned

    def _mapped(self, X: FloatArray) -> FloatArray:
        return X * self._root() if self.metric_.ndim == 1 else X @ self._root()

    def _unmapped(self, X: FloatArray) -> FloatArray:
        """Centres in the units of X; where the metric is blind, the means of the clusters."""
        one_hot = self.labels_ == np.arange(self.n_clusters_)[:, None]
        means = one_hot @ X / one_hot.sum(axis=1, keepdims=True)
        rest = self._centers - self._mapped(means)
        root = self._root()
        if self.metric_.ndim == 2:
            return means + rest @ linalg.pinvh(root)
        return means + np.divide(rest, root, out=np.zeros_like(rest), where=root > 0)

    def _root(self) -> FloatArray:
        if self.metric_.ndim == 1:
            return np.sqrt(self.metric_)
        values, vectors = linalg.eigh(self.metric_)
        return (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
