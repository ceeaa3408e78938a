"""K-means with must-links and cannot-links, using penalties for violated pairs or a learned metric."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Real
from typing import Annotated, Any, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike
from scipy import linalg, optimize, sparse
from sklearn.base import TransformerMixin
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils._param_validation import Interval

from moo_clustering import _arrays
from moo_clustering._data import numeric_features
from moo_clustering._docs import documented
from moo_clustering._kernels.partitions import icm_sweep
from moo_clustering._types import BoolArray, FloatArray, Int32Array, Int64Array, IntpArray
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.constraints.pairs import must_link_groups, supervision_pairs
from moo_clustering.estimators import _base
from moo_clustering.estimators._options import KW_ONLY, Count, NonNegative, SeedOptions, estimator

PAIR_ITEMS = 2**20  # number of entries in a block of pair differences, which takes 8 MiB
KEPT_ITEMS = 2**25  # maximum number of entries of stored pair differences, which take 256 MiB
BLOCK_ITEMS = 2**22  # number of distances in a block, which takes 32 MiB
Features = Any  # ndarray or CSR matrix of float64
# Learned feature weights or matrix, and the value of the objective that was optimised.
LearnedMetric = tuple[FloatArray, float]
# Penalty for each violated pair, or penalties for violated must-links and violated cannot-links.
Penalty = Annotated[float | tuple[float, float] | None, Interval(Real, 0, None, closed="left"), tuple, None]


@estimator
class PairwiseKMeans(SeedOptions, _base.ConstrainedClusterer, ABC):
    """Base class of k-means methods that penalise violated pairs.

    Parameters
    ----------
    metric : {"euclidean", "cosine"}
        Distortion: squared distance to the mean, or 1 - cosine to the mean direction (1 for zero rows).
    n_init, max_iter : int
        Number of random starts (the run with the lowest objective is used), and maximum rounds per run.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        Cluster centres; unit vectors for ``metric="cosine"``.
    objective_, inertia_ : float
        Objective J of the best run, and its sum of distortions without penalties.
    objective_history_ : ndarray of shape (n_iter_,)
        Objective J after each round; it never increases.
    n_iter_ : int
        Number of rounds in the best run.
    """

    n_clusters: Count
    _: KW_ONLY
    metric: Literal["euclidean", "cosine"] = "euclidean"
    penalty: Penalty = None
    n_init: Count = 10
    max_iter: Count = 100
    conflicts: Literal["raise", "keep"] = "raise"

    def _cluster(self, X: Any, y: Any, must_link: Any, cannot_link: Any) -> None:
        X = numeric_features(self, X, accept_sparse="csr", dtype=np.float64)
        n_samples = X.shape[0]
        _base.check_n_clusters(self.n_clusters, n_samples)
        if self.metric != "cosine":
            _arrays.require_squares(X)
        pairs = supervision_pairs(n_samples, y, must_link, cannot_link, self.conflicts)
        components = must_link_groups(pairs, y)
        distortion = DISTORTIONS[self.metric]
        self._offset = distortion.offset(X)
        prepared = distortion.moved(X, self._offset)
        penalties = self._penalties(prepared, pairs, distortion)
        seeds = _arrays.spawn_seeds(self.random_state, self.n_init)
        runs = (self._run(prepared, components, penalties, np.random.default_rng(seed)) for seed in seeds)
        labels, centers, self.inertia_, history = min(runs, key=lambda run: run[-1][-1])
        self.labels_, kept = _arrays.number_clusters(labels)
        self.n_clusters_ = len(kept)
        why = "X has fewer distinct rows than clusters, or must-links allow no more clusters"
        _base.warn_of_few(self.n_clusters_, self.n_clusters, why)
        self.cluster_centers_ = centers[kept] + self._offset
        self.objective_history_ = np.array(history)
        self.objective_, self.n_iter_ = float(history[-1]), len(history)

    def _run(
        self, X: Features, components: Sequence[IntpArray], penalties: Penalties, rng: Generator
    ) -> tuple[Int32Array, FloatArray, float, list[float]]:
        """Assign the samples in random order and update the centres, until no sample moves."""
        # Returns labels, centres, the sum of distortions without penalties, and the objective of each round.
        distortion, n_samples = DISTORTIONS[self.metric], X.shape[0]
        centers = component_seeds(X, components, self.n_clusters, distortion, rng)
        starts, partners, costs = penalties.by_sample(n_samples)
        linked = np.diff(starts) > 0
        labels = np.full(n_samples, -1, dtype=np.int32)
        distances = np.ascontiguousarray(distortion.distances(X, centers))
        spent = 0.0
        history: list[float] = []
        for _ in range(self.max_iter):
            order = rng.permutation(n_samples)
            moved = icm_sweep(distances, starts, partners, costs, order[linked[order]], labels)
            if not moved:
                history.append(history[-1])
                break
            centers = distortion.centers(X, labels, centers)
            distances = np.ascontiguousarray(distortion.distances(X, centers))
            spent = float(distances[np.arange(n_samples), labels].sum())
            history.append(spent + penalties.total(labels))
        return labels, centers, spent, history

    @documented(_base.OF_PREDICT)
    def predict(self, X: Any) -> Int32Array:
        """Predict the cluster of the nearest centre, ignoring pairs.

        Predictions for training samples can differ from ``labels_``, which also depend on pairs.
        """
        X = numeric_features(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        distortion = DISTORTIONS[self.metric]
        offset = 0.0 if sparse.issparse(X) else self._offset
        centers = self.cluster_centers_ - offset
        return distortion.distances(distortion.moved(X, offset), centers).argmin(axis=1).astype(np.int32)

    @abstractmethod
    def _penalties(self, X: Features, pairs: PairwiseConstraints, distortion: Distortion) -> Penalties:
        """Compute the penalties of violated pairs."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


@estimator
class PCKMeans(PairwiseKMeans):
    """K-means with the same penalty for every violated pair.

    Minimises J, the sum of the distortions to the centres plus ``penalty`` for each must-link between
    clusters and each cannot-link within a cluster. The initial centres are the centres of the must-link
    components. Each round assigns the samples one by one in random order (iterated conditional modes), and
    then updates the centres. A round takes O(n_samples n_clusters n_features + n_pairs) time and O(n_samples
    n_clusters + n_pairs) memory. Sparse data remain sparse. n labelled samples imply n(n-1)/2 pairs. Source:
    S. Basu, A. Banerjee, R. Mooney, "Active semi-supervision for pairwise constrained clustering", SIAM
    International Conference on Data Mining (2004), section 2.

    Parameters
    ----------
    penalty : float or tuple of two floats
        Penalty of each violated pair, or a tuple of the penalties of violated must-links and violated
        cannot-links. Default: the mean distortion to a single centre, or 1 if this mean is 0.

    Examples
    --------
    >>> from moo_clustering.estimators import PCKMeans
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [13.0]]
    >>> PCKMeans(2, random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    >>> PCKMeans(2, penalty=100.0, random_state=0).fit_predict(X, must_link=[(2, 3)])
    array([0, 0, 0, 0, 1, 1], dtype=int32)
    """

    def _penalties(self, X: Features, pairs: PairwiseConstraints, distortion: Distortion) -> Penalties:
        if self.penalty is None:
            one = np.zeros(X.shape[0], dtype=np.int32)
            center = distortion.centers(X, one, np.zeros((1, X.shape[1])))
            must = cannot = float(distortion.distances(X, center).mean()) or 1.0
        else:
            must, cannot = two_penalties(self.penalty)
        costs = np.full(len(pairs.must_link), must), np.full(len(pairs.cannot_link), cannot)
        return Penalties(pairs.must_link, costs[0], pairs.cannot_link, costs[1])


@estimator
class HMRFKMeans(PairwiseKMeans):
    """K-means with distance-dependent penalties for violated pairs (hidden Markov random field).

    Minimises J, the sum of the distortions to the centres plus ``penalty`` d(i, j) for each must-link between
    clusters and ``penalty`` (d_max - d(i, j)) for each cannot-link within a cluster, where d(i, j) is the
    distortion between two samples, and d_max is the maximum of d(i, j). Initial centres, time and memory are
    the same as for :class:`PCKMeans`, except that d_max takes up to O(n_samples^2 n_features) time if there
    are cannot-links. Source: S. Basu, M. Bilenko, R. Mooney, "A probabilistic framework for semi-supervised
    clustering", KDD (2004). Unlike in the paper, the distortion is not learned.

    Parameters
    ----------
    penalty : float or tuple of two floats
        Factor of the penalties, or a tuple of the factors for must-links and cannot-links. Default: 1.

    Examples
    --------
    >>> from moo_clustering.estimators import HMRFKMeans
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [13.0]]
    >>> HMRFKMeans(2, random_state=0).fit_predict(X, must_link=[(2, 3)])
    array([0, 0, 0, 0, 1, 1], dtype=int32)
    """

    def _penalties(self, X: Features, pairs: PairwiseConstraints, distortion: Distortion) -> Penalties:
        must, cannot = two_penalties(1.0 if self.penalty is None else self.penalty)
        apart = distortion.within(X, pairs.cannot_link)
        largest = distortion.largest(X) if len(apart) else 0.0
        must_costs = must * distortion.within(X, pairs.must_link)
        cannot_costs = cannot * np.maximum(largest - apart, 0.0)
        return Penalties(pairs.must_link, must_costs, pairs.cannot_link, cannot_costs)


@estimator
class MetricKMeans(SeedOptions, TransformerMixin, _base.ConstrainedClusterer):
    """K-means in a Mahalanobis metric learned from must-links and cannot-links (MMC, KMDM).

    Each iteration takes O((n_must + n_cannot) n_features) time for a diagonal metric, and O(n_cannot
    n_features^2 + n_features^3) time for a full metric. n labelled samples imply n(n-1)/2 pairs. Source: E.
    Xing, A. Ng, M. Jordan, S. Russell, "Distance metric learning with application to clustering with
    side-information", NIPS 15 (2002), sections 2.1 and 2.2.

    Parameters
    ----------
    metric_type : {"diagonal", "full"}
        Form of the metric: one weight per feature, or a full matrix.
    ridge : float
        Share of the total variance that is added to the variance within must-links. With 0 (as published),
        the learned metric is often degenerate.
    n_init, max_iter : int
        Number of k-means runs (the best is used), and maximum number of iterations in each run.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        Centres in the units of X.
    metric_ : ndarray of shape (n_features,) or (n_features, n_features)
        Feature weights or matrix; ones or the identity if there are no must-links or no cannot-links.
    metric_objective_ : float or None
        Objective of the metric, minimised (diagonal) or maximised (full); None if no metric was learned.
    inertia_ : float
        Sum of squared distances to the centres in the learned metric.
    n_iter_ : int
        Number of iterations in the best k-means run.

    Examples
    --------
    >>> from moo_clustering.estimators import MetricKMeans
    >>> X = [[0, 0], [1, 3], [0.5, 6], [5, 1], [6, 4], [5.5, 7]]
    >>> model = MetricKMeans(2, random_state=0)
    >>> model.fit_predict(X, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 3), (2, 5)])
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    n_clusters: Count
    _: KW_ONLY
    metric_type: Literal["diagonal", "full"] = "diagonal"
    ridge: NonNegative = 0.3
    n_init: Count = 10
    max_iter: Count = 300
    conflicts: Literal["raise", "keep"] = "raise"

    def _cluster(self, X: Any, y: Any, must_link: Any, cannot_link: Any) -> None:
        features: FloatArray = numeric_features(self, X, dtype=np.float64)
        _base.check_n_clusters(self.n_clusters, len(features))
        _arrays.require_squares(features)
        pairs = supervision_pairs(len(features), y, must_link, cannot_link, self.conflicts)
        (seed,) = _arrays.spawn_seeds(self.random_state, 1)
        identity = np.ones if self.metric_type == "diagonal" else np.eye
        self.metric_, self.metric_objective_ = identity(features.shape[1]), None
        if len(pairs.must_link) and len(pairs.cannot_link):
            learn = diagonal_metric if self.metric_type == "diagonal" else full_metric
            learned = learn(features, pairs.must_link, pairs.cannot_link, ridge=self.ridge)
            if learned is None:
                _arrays.warn_caller(
                    "all cannot-linked samples are equal, so no metric can be learned; Euclidean "
                    "distances are used"
                )
            else:
                self.metric_, self.metric_objective_ = learned
        with np.errstate(over="ignore", invalid="ignore"):
            mapped = self._mapped(features)
        _arrays.require_squares(mapped)
        kmeans = KMeans(
            self.n_clusters,
            n_init=self.n_init,
            max_iter=self.max_iter,
            random_state=int(seed.generate_state(1)[0]),
        )
        with warnings.catch_warnings():
            # Ignore this warning, because ``warn_of_few`` issues an equivalent one.
            warnings.filterwarnings("ignore", message="Number of distinct clusters")
            kmeans.fit(mapped)
        self.inertia_ = float(kmeans.inertia_)
        self.n_iter_ = int(kmeans.n_iter_)
        self.labels_, kept = _arrays.number_clusters(kmeans.labels_)
        self.n_clusters_ = len(kept)
        self._centers = kmeans.cluster_centers_[kept]
        self.cluster_centers_ = self._unmapped(features)
        why = "X has fewer distinct rows than clusters in the learned metric"
        _base.warn_of_few(self.n_clusters_, self.n_clusters, why)

    def transform(self, X: ArrayLike) -> FloatArray:
        """Map X to X A^(1/2), whose Euclidean distances are the distances of X in the metric A."""
        return self._mapped(numeric_features(self, X, dtype=np.float64, reset=False))

    @documented(_base.OF_PREDICT)
    def predict(self, X: ArrayLike) -> Int32Array:
        """Predict the cluster of the nearest centre in the learned metric."""
        return _base.nearest_rows(self.transform(X), self._centers, "euclidean")

    def _mapped(self, X: FloatArray) -> FloatArray:
        return X * self._root() if self.metric_.ndim == 1 else X @ self._root()

    def _unmapped(self, X: FloatArray) -> FloatArray:
        """Return the centres in the units of X. In directions with weight 0, they are the cluster means."""
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


def two_penalties(penalty: float | tuple[float, float]) -> tuple[float, float]:
    """Return the penalties of a must-link and a cannot-link."""
    both: tuple[Any, ...] = penalty if isinstance(penalty, tuple) else (penalty, penalty)
    if len(both) != 2 or not all(isinstance(one, Real) and 0 <= float(one) < np.inf for one in both):
        raise ValueError(
            "penalty must be a finite non-negative number, or a tuple of two such numbers for must-links and "
            f"cannot-links; got {_arrays.quoted(penalty)}"
        )
    return float(both[0]), float(both[1])


@dataclass(frozen=True, eq=False)
class Penalties:
    """Must-links and cannot-links, shape (n_pairs, 2), and the non-negative costs of violating them."""

    must: Int64Array
    must_costs: FloatArray
    cannot: Int64Array
    cannot_costs: FloatArray

    def total(self, labels: Int32Array) -> float:
        """Sum the costs of all violated pairs."""
        apart = labels[self.must[:, 0]] != labels[self.must[:, 1]]
        together = labels[self.cannot[:, 0]] == labels[self.cannot[:, 1]]
        return float(self.must_costs[apart].sum() + self.cannot_costs[together].sum())

    def by_sample(self, n_samples: int) -> tuple[Int64Array, Int64Array, FloatArray]:
        """Return the pairs of each sample in CSR form: row starts, other samples, costs of joining them."""
        pairs = np.concatenate([self.must, self.cannot])
        # The cost of joining a must-linked sample is negative, because this avoids a penalty.
        costs = np.concatenate([-self.must_costs, self.cannot_costs])
        sample, partner = np.concatenate([pairs, pairs[:, ::-1]]).T
        order = np.argsort(sample, kind="stable")
        starts = np.searchsorted(sample[order], np.arange(n_samples + 1)).astype(np.int64)
        return starts, partner[order], np.concatenate([costs, costs])[order]


def component_seeds(
    X: Features, components: Sequence[IntpArray], n_clusters: int, distortion: Distortion, rng: Generator
) -> FloatArray:
    """Select component centres by weighted farthest-first traversal, and add random samples if needed."""
    # The largest component comes first. Then, the component with the largest product of size and distance to
    # the nearest selected centre is added repeatedly. Random samples are outside components if possible.
    n_samples, n_features = X.shape
    centers = np.zeros((n_clusters, n_features))
    n_chosen = min(n_clusters, len(components))
    if n_chosen:
        members = np.concatenate(list(components))
        counts = [len(component) for component in components]
        owner = np.repeat(np.arange(len(components), dtype=np.int32), counts)
        means = distortion.group_centers(X[members], owner, len(components))
        sizes = np.array(counts, dtype=np.float64)
        score, nearest = sizes, np.full(len(components), np.inf)
        for c in range(n_chosen):
            chosen = int(np.argmax(score))
            centers[c] = _row(means, chosen)
            nearest = np.minimum(nearest, distortion.distances(means, centers[c : c + 1])[:, 0])
            nearest[chosen] = -1.0  # prevents this component from being selected again
            score = sizes * distortion.separation(np.maximum(nearest, 0.0))
            score[nearest < 0] = -1.0
    if n_chosen == n_clusters:
        return centers
    free = np.ones(n_samples, dtype=bool)
    if n_chosen:
        free[members] = False
    nearest = np.full(n_samples, np.inf)
    for c in range(n_clusters):
        if c >= n_chosen:
            # Because of rounding errors, distances between identical rows can be positive.
            new = nearest > 1e-12 * np.max(nearest, where=np.isfinite(nearest), initial=0.0)
            candidates = np.flatnonzero(free & new)
            if not len(candidates):
                candidates = np.flatnonzero(new) if new.any() else np.arange(n_samples)
            i = candidates[rng.integers(len(candidates))]
            centers[c] = _row(X, i)
            free[i] = False
        nearest = np.minimum(nearest, distortion.distances(X, centers[c : c + 1])[:, 0])
    return centers


def _row(X: Features, i: int) -> FloatArray:
    return X[[i]].toarray()[0] if sparse.issparse(X) else X[i]


class Distortion:
    """Squared Euclidean distance to the mean; base class of other distortions."""

    # Other methods expect samples that have passed through ``moved``, which subtracts the offset.

    def offset(self, X: Features) -> FloatArray | float:
        """Return the value that ``moved`` subtracts for precision: the mean of dense X, or 0 for sparse X."""
        return 0.0 if sparse.issparse(X) else X.mean(axis=0)

    def moved(self, X: Features, offset: FloatArray | float) -> Features:
        return X if sparse.issparse(X) else X - offset

    def distances(self, X: Features, centers: FloatArray) -> FloatArray:
        return euclidean_distances(X, centers, squared=True)

    def centers(self, X: Features, labels: Int32Array, former: FloatArray) -> FloatArray:
        empty = np.bincount(labels, minlength=len(former)) == 0
        return np.where(empty[:, None], former, _dense(_means(X, labels, len(former))))

    def group_centers(self, X: Features, labels: Int32Array, n_groups: int) -> Features:
        return _means(X, labels, n_groups)

    def within(self, X: Features, pairs: Int64Array) -> FloatArray:
        """Compute the squared distances between the samples of each pair."""
        squares = [np.zeros(0)]
        for block in pair_differences(X, pairs):
            if sparse.issparse(X):
                squares.append(np.asarray(block.multiply(block).sum(axis=1)).ravel())
            else:
                squares.append(np.einsum("ij,ij->i", block, block))
        return np.concatenate(squares)

    def largest(self, X: Features) -> float:
        """Return the largest squared distance between samples."""
        # Takes O(m^2) time, where m is the number of samples that are far from the mean.
        mean = np.asarray(X.mean(axis=0)).reshape(1, -1)
        radius = np.sqrt(euclidean_distances(X, mean, squared=True)[:, 0])
        outermost = X[[int(radius.argmax())]]
        found = float(np.sqrt(euclidean_distances(X, outermost, squared=True).max()))
        # If all rows are identical, rounding errors can raise this bound above every radius, so limit it.
        least = min(found - radius.max() - 1e-9 * found, radius.max())
        far = X[np.flatnonzero(radius >= least)]
        step = max(1, BLOCK_ITEMS // far.shape[0])
        blocks = (far[lo : lo + step] for lo in range(0, far.shape[0], step))
        return max(float(euclidean_distances(block, far, squared=True).max()) for block in blocks)

    def separation(self, distances: FloatArray) -> FloatArray:
        """Convert squared distances to distances for farthest-first traversal."""
        return np.sqrt(distances)


class Cosine(Distortion):
    """1 - cosine between rows of unit length; 1 for zero rows. Centres are mean directions."""

    def offset(self, X: Features) -> FloatArray | float:
        """Return 0, because subtracting a mean would change the cosines."""
        return 0.0

    def moved(self, X: Features, offset: FloatArray | float) -> Features:
        return _arrays.unit_rows(X)

    def distances(self, X: Features, centers: FloatArray) -> FloatArray:
        return np.maximum(1.0 - np.asarray(X @ centers.T), 0.0)

    def centers(self, X: Features, labels: Int32Array, former: FloatArray) -> FloatArray:
        """Compute the mean directions; empty clusters and clusters with mean 0 keep their former centres."""
        means = _dense(_means(X, labels, len(former)))
        length = np.linalg.norm(means, axis=1, keepdims=True)
        return np.where(length > 1e-12, means / np.maximum(length, 1e-12), former)

    def group_centers(self, X: Features, labels: Int32Array, n_groups: int) -> Features:
        return _arrays.unit_rows(_means(X, labels, n_groups))

    def within(self, X: Features, pairs: Int64Array) -> FloatArray:
        """Compute 1 - cosine as half the squared distance of unit vectors, which is precise near 0."""
        return np.where(self._zero(X)[pairs].any(axis=1), 1.0, 0.5 * super().within(X, pairs))

    def largest(self, X: Features) -> float:
        zero = self._zero(X)
        among = 0.5 * super().largest(X[np.flatnonzero(~zero)]) if not zero.all() else 0.0
        return max(among, 1.0) if zero.any() and len(zero) > 1 else among

    def separation(self, distances: FloatArray) -> FloatArray:
        return distances

    def _zero(self, X: Features) -> BoolArray:
        return np.asarray(abs(X).sum(axis=1)).ravel() == 0


def _means(X: Features, labels: Int32Array, n_clusters: int) -> Features:
    """Compute the cluster means, which are zero for empty clusters."""
    n = len(labels)
    shares = 1.0 / np.bincount(labels, minlength=n_clusters)[labels]
    return sparse.csr_array((shares, (labels, np.arange(n))), shape=(n_clusters, n)) @ X


def _dense(X: Features) -> FloatArray:
    return X.toarray() if sparse.issparse(X) else np.asarray(X)


DISTORTIONS = {"euclidean": Distortion(), "cosine": Cosine()}


def diagonal_metric(
    X: FloatArray,
    must: Int64Array,
    cannot: Int64Array,
    *,
    ridge: float,
    max_iter: int = 1000,
    tol: float = 1e-6,
) -> LearnedMetric | None:
    """Learn weights that minimise sum_ML d^2 - log sum_CL d, or return None if every d in CL is 0."""
    # ML and CL are the must-links and cannot-links, and d is the distance of a pair in the learned metric.
    # Let s_t be the sum of the squared must-link differences in feature t, plus ``2 ridge n_must`` times the
    # variance of the feature. The optimal weights a satisfy ``s @ a == 1/2``. L-BFGS optimises b = a s
    # instead of a, because b has the same scale in all features.
    variance = X.var(axis=0)
    used = _varies(X)
    X = X[:, used]
    apart = PairDifferences(X, cannot)
    if not any((block != 0).any() for block in apart):
        return None
    s = sum((block**2).sum(axis=0) for block in PairDifferences(X, must))
    s = _bounded(s + ridge * len(must) * 2 * variance[used], variance[used] * len(must))
    n_features = X.shape[1]
    start = np.full(n_features, 0.5 / n_features)
    least = 1e-10 * sum(float(np.sqrt(block**2 @ (start / s)).sum()) for block in apart) / len(cannot)

    def loss(b: FloatArray) -> tuple[float, FloatArray]:
        total, gradient = 0.0, np.zeros(n_features)
        for block in apart:
            squares = block**2
            r = np.sqrt(squares @ (b / s))
            total += float(r.sum())
            # Bound distances from below, because the derivative at distance 0 is infinite.
            gradient += (0.5 / np.maximum(r, least)) @ squares
        total = max(total, least)
        return float(b.sum()) - np.log(total), 1.0 - gradient / s / total

    found = optimize.minimize(
        loss,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, None)] * n_features,
        options={"maxiter": max_iter, "gtol": tol, "ftol": 0.0, "maxls": 50},
    )
    if found.nit >= max_iter:
        _warn("diagonal", max_iter)
    a = np.zeros(len(used))
    a[used] = found.x / s
    return a, float(found.fun)


def full_metric(
    X: FloatArray,
    must: Int64Array,
    cannot: Int64Array,
    *,
    ridge: float,
    max_iter: int = 1000,
    tol: float = 1e-6,
) -> LearnedMetric | None:
    """Learn a matrix that maximises sum_CL d if sum_ML d^2 <= 1, or return None if every d in CL is 0."""
    # ``2 ridge n_must`` times the covariance is added to the scatter matrix of the must-links. In coordinates
    # in which the sum is the identity, feasible matrices have a trace of at most 1, so gradient steps can be
    # projected exactly. A matrix is optimal if the largest eigenvalue of the gradient is half the objective.
    varies = _varies(X)
    if not varies.any():
        return None
    unit = np.where(varies, 1.0 / np.where(varies, X.std(axis=0), 1.0), 0.0)
    standard = (X - X.mean(axis=0)) * unit
    variances, directions = linalg.eigh(standard.T @ standard / len(X))
    # If the variance in a direction is below this share of the largest one, the direction counts as constant.
    used = variances > 1e-12 * variances[-1]
    basis = unit[:, None] * directions[:, used]
    Z = X @ basis
    W = sum((block.T @ block for block in PairDifferences(Z, must)), np.zeros((Z.shape[1],) * 2))
    W += np.diag(ridge * len(must) * 2 * variances[used])
    scales, axes = linalg.eigh(W)
    scales = _bounded(scales, np.full(len(scales), variances[used].min() * len(must)))
    whiten = basis @ (axes / np.sqrt(scales))
    apart = PairDifferences(X @ whiten, cannot)
    if not any((block != 0).any() for block in apart):
        return None
    B, objective = _ascend(apart, len(scales), max_iter, tol)
    A = whiten @ B @ whiten.T
    return (A + A.T) / 2, objective


def _ascend(apart: PairDifferences, n: int, max_iter: int, tol: float) -> tuple[FloatArray, float]:
    """Maximise the sum of cannot-link distances by projected gradient ascent, starting from I / n."""
    B = np.eye(n) / n
    value, _ = _spread(apart, B, 1.0)
    least = 1e-10 * value / apart.n_pairs
    value, gradient = _spread(apart, B, least)
    step = 1.0 / float(linalg.norm(gradient))
    values = [value]
    for _ in range(max_iter):
        # Because the objective is concave, this gap is an upper bound on its possible increase.
        largest = float(linalg.eigvalsh(gradient, subset_by_index=[n - 1, n - 1])[0])
        gap = largest - float(np.sum(gradient * B))
        # If distances are near 0, the gap remains large, so also stop if ten steps bring little gain.
        gained = value - values[-11] if len(values) > 10 else np.inf
        if gap <= tol * value or gained <= 1e-3 * tol * value:
            return B, value
        while True:
            candidate = _project(B + step * gradient)
            new_value, new_gradient = _spread(apart, candidate, least)
            if new_value > value:
                break
            step /= 2
            if step * float(linalg.norm(gradient)) < 1e-14:
                return B, value
        B, value, gradient, step = candidate, new_value, new_gradient, 1.5 * step
        values.append(value)
    _warn("full", max_iter)
    return B, value


def _spread(apart: PairDifferences, B: FloatArray, least: float) -> tuple[float, FloatArray]:
    """Return the sum of the distances in the metric B, and the gradient of this sum."""
    # In the gradient, distances are at least ``least``, because the derivative at distance 0 is infinite.
    value, gradient = 0.0, np.zeros_like(B)
    for block in apart:
        r = np.sqrt(np.maximum(np.einsum("ij,ij->i", block @ B, block), 0.0))
        value += float(r.sum())
        gradient += block.T @ (block * (0.5 / np.maximum(r, least))[:, None])
    return value, gradient


def _project(B: FloatArray) -> FloatArray:
    """Return the positive semi-definite matrix with a trace of at most 1 that is nearest to B."""
    values, vectors = linalg.eigh(B)
    values = np.maximum(values, 0.0)
    if values.sum() > 1.0:
        falling = values[::-1]
        excess = (np.cumsum(falling) - 1.0) / np.arange(1, len(values) + 1)
        values = np.maximum(values - excess[np.flatnonzero(falling > excess)[-1]], 0.0)
    return (vectors * values) @ vectors.T


def _varies(X: FloatArray) -> BoolArray:
    """Return a mask of the features that vary by more than rounding errors."""
    return np.ptp(X, axis=0) > 1e-14 * np.abs(X).max(axis=0)


def _bounded(s: FloatArray, scale: FloatArray) -> FloatArray:
    """Raise sums of must-link differences near 0, which would yield infinite weights, with a warning."""
    least = 1e-12 * scale
    if (s < least).any():
        _arrays.warn_caller(
            "must-linked samples are equal in some directions, which receive nearly all the weight "
            "with ridge=0; increase ridge"
        )
    return np.maximum(s, least)


def _warn(metric: str, max_iter: int) -> None:
    _arrays.warn_caller(
        f"the {metric} metric did not converge in {max_iter} iterations; the last metric is used",
        ConvergenceWarning,
    )


class PairDifferences:
    """Differences ``X[i] - X[j]`` of pairs, stored if they take at most 256 MiB, otherwise recomputed."""

    def __init__(self, X: FloatArray, pairs: Int64Array) -> None:
        self.n_pairs = len(pairs)
        self._blocks = partial(pair_differences, X, pairs)
        self._kept = list(self._blocks()) if len(pairs) * X.shape[1] <= KEPT_ITEMS else None

    def __iter__(self) -> Iterator[FloatArray]:
        return self._blocks() if self._kept is None else iter(self._kept)


def pair_differences(X: Features, pairs: Int64Array) -> Iterator[Features]:
    """Yield the differences ``X[i] - X[j]`` of all pairs, in blocks of about 8 MiB (less for sparse X)."""
    step = max(1, PAIR_ITEMS // max(1, X.shape[1]))
    for lo in range(0, len(pairs), step):
        i, j = pairs[lo : lo + step].T
        yield X[i] - X[j]
