"""Spherical k-means for documents, with a bisecting variant."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from joblib import delayed
from numpy.random import Generator
from sklearn.base import _fit_context

from moo_clustering import results
from moo_clustering._arrays import number_clusters, row_sizes, spawn_seeds, unit_rows, warn_caller
from moo_clustering._data import numeric_features
from moo_clustering._docs import documented
from moo_clustering._parallel import run_calls
from moo_clustering._types import AnyFloatArray, BoolArray, Int32Array
from moo_clustering.estimators import _base
from moo_clustering.estimators._options import KW_ONLY, Count, ParallelOptions, estimator
from moo_clustering.estimators.documents import DocumentClusterer, cluster_sums, dense

Rows = Any  # float64 or float32 ndarray, or CSR matrix, with rows of unit length


@estimator
class SphericalKMeans(ParallelOptions, DocumentClusterer):
    """Spherical k-means, which maximises I2, the sum of the cosine similarities of rows to their centroids.

    Rows are scaled to unit length. Zero rows join the largest cluster, with a warning. An empty cluster
    receives the row least similar to its own centroid. An iteration takes O(n_init nnz(X) n_clusters) time,
    or O(n_init nnz(X) log(n_clusters)) for bisection. A fit uses O((n_samples + n_features) n_clusters)
    memory plus a copy of X, which remains sparse. Sources: I. Dhillon, D. Modha, "Concept decompositions for
    large sparse text data using clustering", Machine Learning 42 (2001); Y. Zhao, G. Karypis, "Empirical and
    theoretical comparisons of selected criterion functions for document clustering", Machine Learning 55
    (2004).

    Parameters
    ----------
    strategy : {"kmeans", "bisecting"}
        k-means from random rows, or repeated bisection of the cluster whose split increases I2 the most.
    n_init, max_iter : int
        Number of runs, and maximum updates per run or split. The run with the highest I2 is used.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        Centroids, scaled to unit length.
    i2_ : float
        I2 of ``labels_``.
    n_iter_ : int
        Number of centroid updates in the best run.

    Examples
    --------
    >>> from moo_clustering.estimators import SphericalKMeans
    >>> X = [[1.0, 0.1], [9.0, 1.0], [0.0, 2.0], [0.1, 1.0]]
    >>> model = SphericalKMeans(2, random_state=0).fit(X)
    >>> model.labels_, round(model.i2_, 3)
    (array([0, 0, 1, 1], dtype=int32), 3.997)
    """

    n_clusters: Count
    _: KW_ONLY
    strategy: Literal["kmeans", "bisecting"] = "kmeans"
    n_init: Count = 10
    max_iter: Count = 100

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the rows of X, dense or sparse, of shape (n_samples, n_features); ``y`` is ignored."""
        X = numeric_features(self, X, accept_sparse="csr", dtype=[np.float64, np.float32])
        _base.check_n_clusters(self.n_clusters, X.shape[0])
        rows, zero = unit_rows(X), row_sizes(X) == 0
        directed = rows[np.flatnonzero(~zero)] if zero.any() else rows
        best = self._best(directed)
        # Assign zero rows to the largest cluster, because they have no direction.
        self._largest = int(np.bincount(best.labels, minlength=1).argmax())
        labels = np.full(X.shape[0], self._largest, dtype=np.int32)
        labels[~zero] = best.labels
        self.labels_, kept = number_clusters(labels)
        self._largest = int(np.flatnonzero(kept == self._largest)[0])
        self.cluster_centers_: AnyFloatArray = best.centers[kept]
        self.n_clusters_ = len(kept)
        self._n_features_out = self.n_clusters_
        self.i2_ = best.i2
        self.n_iter_ = best.n_iter
        if zero.any():
            warn_caller(f"all-zero rows of X ({zero.sum()}) were assigned to the largest cluster")
        why = "X has fewer distinct row directions than clusters"
        _base.warn_of_few(self.n_clusters_, self.n_clusters, why)
        if not best.converged:
            _base.warn_of_max_iter("clusters", self.max_iter)
        return self

    @documented(_base.OF_PREDICT)
    def predict(self, X: Any) -> Int32Array:
        """Predict the cluster of the most similar centroid, or the largest training cluster for zero rows.

        After bisection, predictions for training rows can differ from ``labels_``, because splits are final.
        """
        similarities, zero = self._similarities(X)
        return np.where(zero, self._largest, similarities.argmax(axis=1)).astype(np.int32)

    @documented(_base.OF_TRANSFORM)
    def transform(self, X: Any) -> AnyFloatArray:
        """Compute the cosine distances (1 - cosine) to the centroids; 1 for zero rows."""
        similarities, _ = self._similarities(X)
        return np.maximum(1.0 - similarities, 0.0)

    def _clustering_result(self) -> results.ClusteringResult:
        return replace(super()._clustering_result(), metric="cosine")

    def _similarities(self, X: Any) -> tuple[AnyFloatArray, BoolArray]:
        X = numeric_features(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        rows, zero = unit_rows(X), row_sizes(X) == 0
        return rows @ np.ascontiguousarray(self.cluster_centers_.T.astype(rows.dtype)), zero

    def _best(self, rows: Rows) -> SphericalPartition:
        n_rows, n_features = rows.shape
        if n_rows == 0:
            centers = np.zeros((1, n_features), dtype=rows.dtype)
            return SphericalPartition(np.zeros(0, dtype=np.int32), centers, 0.0, 1, True)
        strategy = spherical_kmeans if self.strategy == "kmeans" else bisecting_spherical_kmeans
        n_clusters = min(self.n_clusters, n_rows)

        def run(seed: np.random.SeedSequence) -> SphericalPartition:
            return strategy(rows, n_clusters, max_iter=self.max_iter, rng=np.random.default_rng(seed))

        # Use threads, because they share the data, and because products release the interpreter lock.
        seeds = spawn_seeds(self.random_state, self.n_init)
        runs = run_calls((delayed(run)(seed) for seed in seeds), n_jobs=self.n_jobs, prefer="threads")
        return _equal_together(rows, max(runs, key=lambda partition: partition.i2))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = False
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def spherical_kmeans(X: Rows, n_clusters: int, *, max_iter: int, rng: Generator) -> SphericalPartition:
    """Run spherical k-means from random rows; I2 never decreases."""
    centers = dense(X[np.sort(rng.choice(X.shape[0], size=n_clusters, replace=False))])
    labels = np.full(X.shape[0], -1, dtype=np.int32)
    i2, n_iter, converged = 0.0, 0, False
    while n_iter < max_iter and not converged:
        n_iter += 1
        similarities = X @ np.ascontiguousarray(centers.T)
        nearest = similarities.argmax(axis=1).astype(np.int32)
        _fill_empty(X, nearest, similarities[np.arange(len(nearest)), nearest], n_clusters)
        converged = bool(np.array_equal(nearest, labels))
        labels = nearest
        if not converged:
            centers, i2 = directions(cluster_sums(X, labels, n_clusters), centers)
    return SphericalPartition(labels, centers, i2, n_iter, converged)


def bisecting_spherical_kmeans(
    X: Rows, n_clusters: int, *, max_iter: int, rng: Generator
) -> SphericalPartition:
    """Repeatedly bisect the cluster whose split increases I2 the most, until no cluster can be split."""
    labels = np.zeros(X.shape[0], dtype=np.int32)
    lengths = [float(np.linalg.norm(cluster_sums(X, labels, 1)))]
    splits: dict[int, SphericalPartition] = {}
    n_iter, converged = 0, True
    untried = [0]
    while len(lengths) < n_clusters:
        for cluster in untried:
            members = np.flatnonzero(labels == cluster)
            if len(members) < 2:
                continue
            split = spherical_kmeans(X[members], 2, max_iter=max_iter, rng=rng)
            if split.labels.any() and not split.labels.all():
                splits[cluster] = split
                n_iter += split.n_iter
                converged = converged and split.converged
        if not splits:
            break
        best = max(sorted(splits), key=lambda cluster: splits[cluster].i2 - lengths[cluster])
        chosen, new = splits.pop(best), len(lengths)
        members = np.flatnonzero(labels == best)
        labels[members[chosen.labels == 1]] = new
        halves = np.linalg.norm(cluster_sums(X[members], chosen.labels, 2), axis=1)
        lengths[best] = float(halves[0])
        lengths.append(float(halves[1]))
        untried = [best, new]
    sums = cluster_sums(X, labels, len(lengths))
    centers, _ = directions(sums, sums)
    return SphericalPartition(labels, centers, float(np.sum(lengths)), max(n_iter, 1), converged)


class SphericalPartition(NamedTuple):
    """Result of one run; ``centers`` also contains the centroids of empty clusters."""

    labels: Int32Array
    centers: AnyFloatArray
    i2: float
    n_iter: int
    converged: bool


def directions(sums: AnyFloatArray, former: AnyFloatArray) -> tuple[AnyFloatArray, float]:
    """Return cluster sums scaled to unit length, or ``former`` where sums are 0, and the total length."""
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    known = lengths > 1e-12
    return np.where(known, sums / np.where(known, lengths, 1.0), former), float(lengths.sum(dtype=np.float64))


def _equal_together(X: Rows, found: SphericalPartition) -> SphericalPartition:
    """Move identical rows to the same cluster, because rounding errors can separate them."""
    labels = _base.united(found.labels, _base.equal_rows(X))
    if np.array_equal(labels, found.labels):
        return found
    labels, kept = number_clusters(labels)
    centers, i2 = directions(cluster_sums(X, labels, len(kept)), found.centers[kept])
    return found._replace(labels=labels, centers=centers, i2=i2)


def _fill_empty(X: Rows, labels: Int32Array, own: AnyFloatArray, n_clusters: int) -> None:
    """Fill each empty cluster with the row that is least similar to its own centroid."""
    counts = np.bincount(labels, minlength=n_clusters)
    coincides = 1.0 - 64.0 * np.finfo(own.dtype).eps
    for empty in np.flatnonzero(counts == 0):
        movable = np.where(counts[labels] > 1, own, np.inf)
        row = int(movable.argmin())
        if movable[row] >= coincides:
            return
        counts[labels[row]] -= 1
        labels[row], counts[empty] = empty, 1
        # Other rows can be more similar to this row, which is a new centroid, than to their own centroids.
        np.maximum(own, np.asarray(X @ dense(X[[row]])[0]), out=own)
