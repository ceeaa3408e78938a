"""Fuzzy c-means and the Gustafson-Kessel algorithm: membership clustering without evolution."""

from dataclasses import KW_ONLY, replace
from numbers import Real
from typing import Annotated, Any, Self

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, ClusterMixin, _fit_context
from sklearn.utils._param_validation import Interval

from moo_clustering._arrays import FloatArray, Int32Array, number_clusters, spawn_seeds
from moo_clustering._data import numeric_features
from moo_clustering._docs import documented
from moo_clustering.estimators import _base, _options
from moo_clustering.problems.centers import FuzzyCenterEncoding, fuzzy_memberships, shifted
from moo_clustering.results import ClusteringResult
from moo_clustering.validity.fuzzy import weighted_covariance


@_options.estimator
class FuzzyCMeans(_options.SeedOptions, _base.ReportMixin, ClusterMixin, BaseEstimator):
    """Fuzzy c-means, which minimises J_m, the sum of squared distances weighted by powers of memberships.

    A sample that equals a centre belongs only to the cluster of that centre. Scale features with different
    units first. In high dimensions, memberships become equal and centres coincide unless ``fuzziness`` is
    low. A fit takes O(n_init max_iter n_samples n_clusters n_features) time and O(n_samples n_clusters)
    memory. Source: J. Bezdek, "Pattern Recognition with Fuzzy Objective Function Algorithms", Plenum (1981).

    Parameters
    ----------
    fuzziness : float
        Membership exponent, above 1. Low values lead to crisp memberships, high values to equal memberships.
    n_init, max_iter : int
        Number of runs from greedy k-means++ seeds, and maximum updates per run. The best run is used.
    tol : float
        A run stops when no membership changes by more than this value.

    Attributes
    ----------
    memberships_ : ndarray of shape (n_samples, n_columns)
        Memberships; rows sum to 1. Column c belongs to cluster c; clusters without samples come last.
    cluster_centers_ : ndarray of shape (n_columns, n_features)
        Means weighted by ``memberships_ ** fuzziness``, in the order of the columns of ``memberships_``.
    labels_ : ndarray of shape (n_samples,), int32
        Cluster in which each sample has the largest membership. Clusters are numbered by first appearance.
    objective_ : float
        Sum of squared distances, weighted by ``memberships_ ** fuzziness``.
    n_iter_ : int
        Number of updates in the best run.

    Examples
    --------
    >>> from moo_clustering.estimators import FuzzyCMeans
    >>> model = FuzzyCMeans(2, random_state=0).fit([[0.0], [1.0], [5.0], [9.0], [10.0]])
    >>> model.memberships_[:, 0].round(2)
    array([0.99, 1.  , 0.5 , 0.  , 0.01])
    """

    n_clusters: _options.Count
    _: KW_ONLY
    fuzziness: Annotated[float, Interval(Real, 1, None, closed="neither")] = 2.0
    n_init: _options.Count = 10
    max_iter: _options.Count = 300
    tol: _options.NonNegative = 1e-5

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the rows of X, of shape (n_samples, n_features); ``y`` is ignored."""
        X = numeric_features(self, X)
        _base.check_n_clusters(self.n_clusters, len(X))
        k = _base.count_distinct_rows(X, self.n_clusters)
        encoding = FuzzyCenterEncoding(X, k, fuzziness=self.fuzziness)
        points, self._offsets = encoding.points, encoding.offsets
        rngs = map(np.random.default_rng, spawn_seeds(self.random_state, self.n_init))
        runs = (self._run(points, encoding.seeds(rng)) for rng in rngs)
        self.objective_, self.n_iter_, converged, *self._norms = min(runs, key=lambda run: run[0])
        self._reorder(number_clusters(self._memberships(points).argmax(axis=1))[1])
        memberships = self._memberships(points)
        # A sample with tied memberships is assigned to the first cluster, so others can be empty.
        used, labels = np.unique(memberships.argmax(axis=1), return_inverse=True)
        self.memberships_ = memberships[:, self._reorder(used)]
        self.labels_, self.n_clusters_ = labels.astype(np.int32), len(used)
        self.cluster_centers_ = encoding.in_data(self._norms[0])
        why = "no sample has its largest membership in the other clusters; reduce n_clusters or fuzziness"
        _base.warn_of_few(self.n_clusters_, self.n_clusters, why if k == self.n_clusters else "")
        if not converged:
            _base.warn_of_max_iter("memberships", self.max_iter)
        return self

    @documented(_base.OF_PREDICT)
    def predict(self, X: Any) -> Int32Array:
        """Predict the cluster with the largest membership; for training rows, this equals ``labels_``."""
        return self.predict_proba(X)[:, : self.n_clusters_].argmax(axis=1).astype(np.int32)

    @documented(_base.OF_TRANSFORM)
    def predict_proba(self, X: Any) -> FloatArray:
        """Compute memberships, which are not model probabilities, in the column order of ``memberships_``."""
        return self._memberships(shifted(numeric_features(self, X, reset=False), self._offsets))

    def _memberships(self, points: FloatArray) -> FloatArray:
        return fuzzy_memberships(_squares(points, *self._norms), self.fuzziness)

    def _reorder(self, first: Any) -> Any:
        """Move the clusters ``first`` to the front, and return the former number of each cluster."""
        order = np.concatenate([first, np.setdiff1d(np.arange(len(self._norms[0])), first)])
        self._norms = [None if part is None else part[order] for part in self._norms]
        return order

    def _factors(self, points: FloatArray, weights: FloatArray, centers: FloatArray) -> Any:
        """Return a factor B of each cluster's norm matrix B B^T, or None for the Euclidean norm."""
        return None

    def _run(self, points: FloatArray, centers: FloatArray) -> tuple[float, int, bool, FloatArray, Any]:
        """Run the algorithm from the initial ``centers``."""
        # Returns the objective, the number of iterations, whether the memberships converged, the final
        # centres, and the factors of the norm matrices.
        n_iter, converged, factors = 0, False, None
        former: Any = np.inf
        while not converged and n_iter < self.max_iter:
            n_iter += 1
            squares = _squares(points, centers, factors)
            memberships = fuzzy_memberships(squares, self.fuzziness)
            weights = memberships**self.fuzziness
            objective = float((weights * squares).sum())
            converged = bool(np.abs(memberships - former).max() <= self.tol)
            if not converged:
                former = memberships
                totals = weights.sum(axis=0)[:, np.newaxis]
                # A cluster has no weight if every sample equals the centre of another cluster.
                used = totals > 0.0
                centers = np.where(used, weights.T @ points / np.where(used, totals, 1.0), centers)
                factors = self._factors(points, weights, centers)
        return objective, n_iter, converged, centers, factors

    def _clustering_result(self) -> ClusteringResult:
        return with_memberships(super()._clustering_result(), self.memberships_)


@_options.estimator
class GustafsonKessel(FuzzyCMeans):
    """Fuzzy clustering with cluster-specific Mahalanobis distances, for ellipsoidal clusters.

    Each cluster has a norm matrix with determinant 1, derived from the cluster's fuzzy covariance matrix.
    This requires many samples per feature. Feature units affect only the regularisation and the initial
    memberships, which use Euclidean distances. Covariance eigenvalues are at least 1e-15 times the largest
    eigenvalue. A fit takes O(n_init max_iter n_samples n_clusters n_features^2) time. Sources: D. Gustafson,
    W. Kessel, "Fuzzy clustering with a fuzzy covariance matrix", IEEE CDC (1978); R. Babuska, P. van der
    Veen, U. Kaymak, "Improved covariance estimation for Gustafson-Kessel clustering", FUZZ-IEEE (2002).

    Parameters
    ----------
    regularization : float
        Shrinkage of covariances towards a multiple of the identity, from 0 to 1; 1 yields fuzzy c-means.

    Attributes
    ----------
    covariances_ : ndarray of shape (n_columns, n_features, n_features)
        Fuzzy covariance matrix of each cluster, before regularisation.

    Examples
    --------
    >>> from moo_clustering.estimators import GustafsonKessel
    >>> X = [[-3, -3], [-1, -1], [1, 1], [3, 3.1], [-3, 3], [-1, 1], [1, -1], [3, -3.1]]
    >>> GustafsonKessel(2, random_state=0).fit(X).labels_
    array([0, 0, 0, 0, 1, 1, 1, 1], dtype=int32)
    """

    _: KW_ONLY
    regularization: _options.Probability = 0.0

    @documented(FuzzyCMeans.fit)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the rows of X."""
        super().fit(X, y)
        points = shifted(numeric_features(self, X, reset=False), self._offsets)
        self.covariances_ = _covariances(points, self.memberships_**self.fuzziness, self._norms[0])
        return self

    def _factors(self, points: FloatArray, weights: FloatArray, centers: FloatArray) -> FloatArray:
        """Return B with B B^T = det(F)^(1 / n_features) F^-1, where F is a regularised fuzzy covariance."""
        overall = self._limited(np.linalg.eigvalsh(points.T @ points / len(points)))
        covariances = (1.0 - self.regularization) * _covariances(points, weights, centers)
        covariances += self.regularization * np.exp(np.log(overall).mean()) * np.eye(points.shape[1])
        values, vectors = np.linalg.eigh(covariances)
        logs = np.log(self._limited(values))
        return np.asarray(vectors * np.exp(0.5 * (logs.mean(axis=1, keepdims=True) - logs))[:, np.newaxis])

    def _limited(self, values: Any) -> FloatArray:
        """Raise eigenvalues to at least 1e-15 times the largest eigenvalue, as Babuska et al. do."""
        # If all eigenvalues of a matrix are 0, ones are returned instead.
        values = np.maximum(values, values[..., -1:] / 1e15)
        return np.where(values[..., -1:] > 0.0, values, 1.0)


def _squares(points: FloatArray, centers: FloatArray, factors: FloatArray | None) -> FloatArray:
    """Return the squared distance of each sample to each centre in the norm of the centre's cluster."""
    if factors is None:
        return np.asarray(cdist(points, centers, "sqeuclidean"))
    # Use einsum, because matrix products can round identical rows differently.
    turned = [np.einsum("nd,de->ne", points - v, B) for v, B in zip(centers, factors, strict=True)]
    return np.square(turned).sum(axis=2).T


def _covariances(points: FloatArray, weights: FloatArray, centers: FloatArray) -> FloatArray:
    pairs = zip(centers, weights.T, strict=True)
    return np.concatenate([weighted_covariance((points - v)[np.newaxis], w[np.newaxis]) for v, w in pairs])


def with_memberships(found: ClusteringResult, memberships: FloatArray) -> ClusteringResult:
    """Add the memberships to ``found.arrays``, and a summary of the memberships to ``found.facts``."""
    largest, coefficient = memberships.max(axis=1).mean(), np.square(memberships).sum(axis=1).mean()
    text = f"mean largest membership {largest:.3f}, partition coefficient {coefficient:.3f}"
    facts, arrays = [*found.facts, ("memberships", text)], found.arrays
    return replace(found, facts=facts, arrays=lambda: {**arrays(), "memberships": memberships})
