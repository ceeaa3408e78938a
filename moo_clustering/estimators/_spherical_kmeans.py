"""SphericalKMeans: k-means by cosine similarity."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any, ClassVar, Literal, Self

import numpy as np
from joblib import delayed
from numpy.typing import NDArray
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
    _fit_context,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from moo_clustering._parallel import run_calls
from moo_clustering._random import SeedLike, spawn_seeds
from moo_clustering.estimators._number_clusters import check_n_clusters, number_clusters
from moo_clustering.estimators._reporting import ReportMixin
from moo_clustering.estimators._spherical_core import (
    Floats,
    Rows,
    SphericalPartition,
    bisecting_spherical_kmeans,
    spherical_kmeans,
)
from moo_clustering.validity._unit_rows import unit_rows

ALGORITHMS = {"kmeans": spherical_kmeans, "bisecting": bisecting_spherical_kmeans}


class SphericalKMeans(
    ReportMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator
):
    """k-means of the directions of the rows, the usual one for documents.

    Maximises I2, the sum over the clusters of the length of the sum of their rows of unit length, which
    is the sum of the cosine similarities of all rows to their centroids.

    Parameters
    ----------
    n_clusters : int
        From 1 to n_samples.
    algorithm : {"kmeans", "bisecting"}, default="kmeans"
        All clusters at once from rows drawn at random; or one cluster after the other split in two,
        always that whose split raises I2 most.
    n_init : int, default=10
        Runs, of which that of the largest I2 counts.
    max_iter : int, default=100
        Updates of the centroids in a run, or in every split.
    random_state : int, Generator, RandomState or None, default=None
    n_jobs : int, optional
        Threads over the runs; the result does not depend on it.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        Clusters 0, 1, ... in the order of their first samples.
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        Sums of the rows of unit length, brought to unit length.
    n_clusters_ : int
        ``n_clusters``, or fewer where fewer rows differ in direction.
    i2_ : float
        I2 of the labels.
    n_iter_ : int
        Updates of the centroids in the run that counts, in all its splits together.
    n_features_in_, feature_names_in_

    Notes
    -----
    Rows are brought to unit length here. Rows of zeros have no direction: they go to the largest cluster,
    with a warning. A cluster that loses all its rows gets the row least similar to its centroid.

    O(n_init nnz(X) n_clusters) time an iteration, nnz being n_samples n_features for dense data;
    bisecting about log(n_clusters) in place of n_clusters. O((n_samples + n_features) n_clusters) memory
    beside a copy of X; sparse data stay sparse.

    References
    ----------
    I. Dhillon, D. Modha, "Concept decompositions for large sparse text data using clustering", Machine
    Learning 42 (2001). Y. Zhao, G. Karypis, "Empirical and theoretical comparisons of selected criterion
    functions for document clustering", Machine Learning 55 (2004), for I2 and bisection.

    Examples
    --------
    >>> from moo_clustering.estimators import SphericalKMeans
    >>> X = [[1.0, 0.1], [9.0, 1.0], [0.0, 2.0], [0.1, 1.0]]
    >>> model = SphericalKMeans(2, random_state=0).fit(X)
    >>> model.labels_, round(model.i2_, 3)
    (array([0, 0, 1, 1], dtype=int32), 3.997)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "algorithm": [StrOptions(set(ALGORITHMS))],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        n_clusters: int,
        *,
        algorithm: Literal["kmeans", "bisecting"] = "kmeans",
        n_init: int = 10,
        max_iter: int = 100,
        random_state: SeedLike = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.algorithm = algorithm
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : ignored

        Raises
        ------
        ValueError
            Parameters or data out of range.
        """
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32])
        check_n_clusters(self.n_clusters, X.shape[0])
        rows, zero = unit_rows(X)
        best = self._best(rows[np.flatnonzero(~zero)] if zero.any() else rows)
        # Documents without a direction.
        self._largest = int(np.bincount(best.labels).argmax()) if len(best.labels) else 0
        labels = np.full(X.shape[0], self._largest, dtype=np.int32)
        labels[~zero] = best.labels
        self.labels_, kept = number_clusters(labels)
        self._largest = int(np.flatnonzero(kept == self._largest)[0])
        self.cluster_centers_: Floats = best.centers[kept]
        self.n_clusters_ = len(kept)
        self._n_features_out = self.n_clusters_
        self.i2_ = best.i2
        self.n_iter_ = best.n_iter
        self._warn(best, int(zero.sum()))
        return self

    def predict(self, X: Any) -> NDArray[np.int32]:
        """Cluster of the most similar centroid; rows of zeros go where those of the fit went.

        After ``algorithm="bisecting"`` the labels of the fit may differ: splits are final.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,), int32
        """
        similarities, zero = self._similarities(X)
        return np.where(zero, self._largest, similarities.argmax(axis=1)).astype(np.int32)

    def transform(self, X: Any) -> Floats:
        """Cosine distances 1 - cos to the centroids, 1 for rows of zeros.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_clusters_)
        """
        similarities, _ = self._similarities(X)
        distances: Floats = np.maximum(1.0 - similarities, 0.0)
        return distances

    def _similarities(self, X: Any) -> tuple[Floats, NDArray[np.bool_]]:
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        rows, zero = unit_rows(X)
        return rows @ np.ascontiguousarray(self.cluster_centers_.T.astype(rows.dtype)), zero

    def _best(self, rows: Rows) -> SphericalPartition:
        """Of all runs; one empty cluster where there is no row."""
        n_rows, n_features = rows.shape
        if n_rows == 0:
            centers = np.zeros((1, n_features), dtype=rows.dtype)
            return SphericalPartition(np.zeros(0, dtype=np.int32), centers, 0.0, 1, True)
        algorithm, n_clusters = ALGORITHMS[self.algorithm], min(self.n_clusters, n_rows)

        def run(seed: np.random.SeedSequence) -> SphericalPartition:
            return algorithm(rows, n_clusters, max_iter=self.max_iter, rng=np.random.default_rng(seed))

        # The products release the interpreter lock, and threads share the data.
        seeds = spawn_seeds(self.random_state, self.n_init)
        runs = run_calls((delayed(run)(seed) for seed in seeds), n_jobs=self.n_jobs, prefer="threads")
        return max(runs, key=lambda partition: partition.i2)

    def _warn(self, best: SphericalPartition, n_zero: int) -> None:
        if n_zero:
            warnings.warn(
                f"{n_zero} rows of X are all zero and have no direction; they are in the largest cluster",
                UserWarning,
                stacklevel=4,
            )
        if self.n_clusters_ < self.n_clusters:
            warnings.warn(
                f"only {self.n_clusters_} of n_clusters={self.n_clusters} clusters have samples; too few "
                "rows differ in direction",
                UserWarning,
                stacklevel=4,
            )
        if not best.converged:
            warnings.warn(
                f"clusters still change after max_iter={self.max_iter} updates",
                ConvergenceWarning,
                stacklevel=4,
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
