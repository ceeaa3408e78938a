"""Internal validity indices: compactness and separation, neighbours, and similarity graphs."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import eigh
from scipy.sparse import csr_array, issparse, triu
from sklearn.metrics import pairwise_distances, pairwise_distances_chunked
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.validation import _num_samples

from moo_clustering import _data, _distances
from moo_clustering._arrays import (
    block_slices,
    choice,
    cluster_sums,
    integer,
    near_one,
    positive,
    quoted,
    warn_caller,
)
from moo_clustering._distances import MAX_MEMORY, Metric, centred_features, distance_matrix
from moo_clustering._docs import documented
from moo_clustering._kernels import partitions
from moo_clustering._kernels.caching import run
from moo_clustering._parallel import one_thread, threads_here
from moo_clustering._types import FloatArray, Int64Array, IntArray, Labels
from moo_clustering.encodings import align_labels
from moo_clustering.graphs.matrices import SimilarityEdges
from moo_clustering.validity import base

SILHOUETTE_OF_ONE_CLUSTER = -1.0
# Distances are at least this fraction of a typical distance, so that duplicates cause no division by zero.
FLOOR = 1e-12
# Below this mean squared distance, all samples count as identical, because FLOOR would underflow.
NOTHING = 1e-290
# Up to this number of clusters k, silhouettes are computed by matrix products in n^2 k operations. For more
# clusters, distances are summed by cluster in n^2 operations, which are slower.
MOST_FOR_PRODUCT = 10


@dataclass(eq=False, repr=False)
class Silhouette(base.PopulationIndex):
    """Mean over samples of (b - a) / max(a, b), maximised.

    For each sample, a is the mean distance to all other samples in its cluster, and b is the smallest mean
    distance to another cluster, as in :func:`sklearn.metrics.silhouette_score`. Singletons and samples with a
    = b = 0 score 0. A single cluster scores -1. Takes O(p n^2 min(k, 10)) time for p individuals and O(n^2)
    memory. Source: Rousseeuw, Journal of Computational and Applied Mathematics 20, 1987.

    Parameters
    ----------
    metric : str or callable, default="euclidean"
        Metric of :func:`sklearn.metrics.pairwise_distances`, or ``"precomputed"``.
    max_memory : int, default=4 GiB
        Maximum size of the distance matrix, in bytes.

    Examples
    --------
    >>> from moo_clustering.validity import Silhouette
    >>> Silhouette().fit([[0.0], [2.0], [10.0], [12.0]]).evaluate([0, 0, 1, 1]).round(4)
    array([0.798])
    """

    name, greater_is_better = "silhouette", True

    metric: Metric = "euclidean"
    _: KW_ONLY
    max_memory: int = MAX_MEMORY

    def fit(self, data: ArrayLike) -> Self:
        self._D = distance_matrix(data, self.metric, self.max_memory, "Silhouette")
        self.n_samples_ = len(self._D)
        return self

    def _score(self, population: base.Population) -> FloatArray:
        values = np.full(len(population.labels), SILHOUETTE_OF_ONE_CLUSTER)
        k = population.n_clusters
        few, many = np.flatnonzero((k > 1) & (k <= MOST_FOR_PRODUCT)), np.flatnonzero(k > MOST_FOR_PRODUCT)
        values[few] = population.take(few).scores(
            self.n_samples_ * MOST_FOR_PRODUCT, lambda block: sample_silhouettes(self._D, block).mean(axis=1)
        )
        if len(many):
            sums, chosen = np.zeros(len(many)), population.take(many)
            partitions.silhouette_sums(self._D, chosen.labels, chosen.sizes, chosen.n_clusters, sums)
            values[many] = sums / self.n_samples_
        return values


def sample_silhouettes(D: FloatArray, block: base.Population) -> FloatArray:
    """Return the silhouette of every sample, shape (n_individuals, n_samples)."""
    n = len(D)
    starts = np.concatenate([[0], np.cumsum(block.n_clusters)[:-1]])
    rows = block.labels + starts[:, np.newaxis]
    columns = np.broadcast_to(np.arange(n), rows.shape)
    sizes = block.sizes[np.arange(block.sizes.shape[1]) < block.n_clusters[:, np.newaxis]]
    indicators = np.zeros((len(sizes), n))
    indicators[rows, columns] = 1.0
    with one_thread("blas"):  # the last digits of a product depend on the number of threads
        totals = indicators @ D
    own_size = sizes[rows]
    within = totals[rows, columns] / np.maximum(own_size - 1, 1)
    totals /= sizes[:, np.newaxis]
    totals[rows, columns] = np.inf
    nearest = np.minimum.reduceat(totals, starts, axis=0)
    greater = np.maximum(within, nearest)
    scores = np.zeros(rows.shape)
    np.divide(nearest - within, greater, out=scores, where=(greater > 0.0) & (own_size > 1))
    return scores


@dataclass(eq=False, repr=False)
class MinimaxSilhouette(base.PopulationIndex):
    """Mean silhouette based on minimax distances, maximised.

    The minimax distance between two samples is the longest edge on their path in a minimum spanning tree.
    Thus, long thin clusters are compact, and clusters joined by a bridge are close. A single cluster scores
    -1, and singletons score 0. Fitting takes O(n^2) memory and time; q partitions take O(q n^2 min(k, 10))
    time. Sources: ParetoClustering; Rousseeuw, Journal of Computational and Applied Mathematics 20, 1987.

    Parameters
    ----------
    metric : {"euclidean", "precomputed"}, default="euclidean"
        Distance used to build the spanning tree.
    max_memory : int, default=4 GiB
        Maximum total size of the two distance matrices, in bytes.

    Examples
    --------
    >>> MinimaxSilhouette().fit([[0.0], [1.0], [2.0], [7.0], [8.0]]).evaluate([0, 0, 0, 1, 1])
    array([0.8])
    """

    name, greater_is_better = "minimax_silhouette", True

    metric: Literal["euclidean", "precomputed"] = "euclidean"
    _: KW_ONLY
    max_memory: int = MAX_MEMORY

    def fit(self, data: ArrayLike) -> Self:
        # The import is lazy, because importing graphs is slow.
        from moo_clustering.graphs import euclidean_mst, minimax_distances

        choice("metric", self.metric, ("euclidean", "precomputed"))
        X = _data.checked_table(data, "data")
        _distances.check_memory(len(X), self.max_memory, "MinimaxSilhouette", n_matrices=2)
        # Ties can be broken arbitrarily, because all minimum spanning trees have the same minimax distances.
        tree = euclidean_mst(X, metric=self.metric, root=0, ties="index")
        self._silhouette = Silhouette("precomputed", max_memory=self.max_memory)
        self._silhouette.fit(minimax_distances(tree))
        self.n_samples_ = len(X)
        return self

    def _score(self, population: base.Population) -> FloatArray:
        return self._silhouette._score(population)


class DaviesBouldin(base.CentredIndex):
    """Mean over clusters i of max_j (spread_i + spread_j) / (distance between means i, j), minimised.

    spread_i is the mean distance from the samples of cluster i to their mean. Same as
    :func:`sklearn.metrics.davies_bouldin_score`, except for equal means, which scikit-learn ignores. Here,
    distances between means are at least 1e-12 times the root mean squared distance between samples. A single
    cluster scores 1e12. Identical samples and a partition into singletons score 0. Takes O(p n d + p k^2 d)
    time for p individuals and O(n d) memory. Source: Davies & Bouldin, IEEE TPAMI 1(2), 1979.

    Examples
    --------
    >>> from moo_clustering.validity import DaviesBouldin
    >>> DaviesBouldin().fit([[0.0], [2.0], [10.0], [12.0]]).evaluate([0, 0, 1, 1])
    array([0.2])
    """

    name, greater_is_better, min_clusters = "davies_bouldin", False, 2

    def fit(self, data: ArrayLike) -> Self:
        super().fit(data)
        self._floor = FLOOR * np.sqrt(base.mean_square_distance(self._X))
        return self

    def _score(self, population: base.Population) -> FloatArray:
        values = np.zeros(len(population.labels))
        if self._floor > 0.0:
            for rows, block, means, sums in base.means_by_block(self._X, population, squared=False):
                spreads = sums / np.maximum(block.sizes, 1)
                partitions.worst_ratio_means(means, spreads, block.n_clusters, self._floor, values[rows])
        values[population.n_clusters < 2] = base.UNDEFINED
        return values


@documented(Silhouette)
@dataclass(eq=False, repr=False)
class XieBeni(base.PopulationIndex):
    """Mean squared distance to representatives / smallest squared distance between two, minimised.

    ``XB = sum_i e_i^2 / (n * max(smallest squared separation, 1e-12 * mean squared distance))``, where e_i is
    the distance from sample i to its cluster's mean or medoid, separations are distances between these, and
    the mean is over all n^2 pairs of samples. A single cluster scores 1e12, and identical samples score 0.
    Takes O(p n d + p k^2 d) time and O(n d) memory for p individuals with centroids, or O(p n^2) time and
    O(n^2) memory with medoids. Source: NSGA-II-clus; Xie & Beni, IEEE TPAMI 13(8), 1991.

    Parameters
    ----------
    representative : {"centroid", "medoid"}, default="centroid"
        Cluster mean, or the sample with the smallest total distance to its cluster (ties: lowest index).
    metric : str or callable, default="euclidean"
        Dissimilarity for medoids, as in :func:`sklearn.metrics.pairwise_distances`, or ``"precomputed"``. The
        index squares all dissimilarities, even if they are squared distances.

    Examples
    --------
    >>> from moo_clustering.validity import XieBeni
    >>> XieBeni().fit([[0.0], [2.0], [10.0], [12.0]]).evaluate([0, 0, 1, 1])
    array([0.01])
    """

    name, greater_is_better, min_clusters = "xie_beni", False, 2

    representative: Literal["centroid", "medoid"] = "centroid"
    metric: Metric = "euclidean"
    _: KW_ONLY
    max_memory: int = MAX_MEMORY

    def fit(self, data: ArrayLike) -> Self:
        self.form_ = representatives(self.representative, self.metric, data, self.max_memory, "XieBeni")
        self.n_samples_ = self.form_.n_samples
        return self

    def _score(self, population: base.Population) -> FloatArray:
        within, least, _ = self.form_.scatter(population, squared=True)
        return xie_beni_values(within, least, population.n_clusters, self.n_samples_, self.form_.mean_square)


def xie_beni_values(
    within: FloatArray, least: FloatArray, n_clusters: Int64Array, n_samples: int, mean: float
) -> FloatArray:
    """Compute the Xie-Beni index from squared distances, whose mean over all pairs of samples is ``mean``.

    ``within`` is each partition's total distance to the representatives, and ``least`` is the smallest
    distance between two representatives.
    """
    if mean < NOTHING:
        values = np.zeros(len(n_clusters))
    else:
        values = within / (n_samples * np.maximum(least, FLOOR * mean))
    values[n_clusters < 2] = base.UNDEFINED
    return values


class CalinskiHarabasz(base.CentredIndex):
    """Variance between clusters (divisor k - 1) / variance within clusters (divisor n - k), maximised.

    Same as :func:`sklearn.metrics.calinski_harabasz_score`, except that the within-cluster sum of squares is
    at least 1e-12 times the total sum of squares. The value is 0 for a single cluster, a partition into
    singletons, and identical samples. Takes O(p n d) time for p individuals and O(n d) memory. Source:
    Calinski & Harabasz, Communications in Statistics 3(1), 1974.
    """

    name, greater_is_better = "calinski_harabasz", True

    def fit(self, data: ArrayLike) -> Self:
        super().fit(data)
        self._total = float(np.einsum("ij,ij->", self._X, self._X))
        return self

    def _score(self, population: base.Population) -> FloatArray:
        within = self._distances_to_means(population, squared=True)
        k, between = population.n_clusters, np.maximum(self._total - within, 0.0)
        within = np.maximum(within, max(FLOOR * self._total, NOTHING))
        return np.where(k > 1, between / np.maximum(k - 1, 1) * (self.n_samples_ - k) / within, 0.0)


@documented(XieBeni)
@dataclass(eq=False, repr=False)
class IIndex(base.PopulationIndex):
    """``((1/K) * (E_1/E_K) * D_K) ** power``, maximised.

    E_K is the total distance from samples to the representatives of their K clusters, E_1 is the total
    distance for a single cluster, and D_K is the largest distance between two representatives. With centroids
    and ``power=2``, this is the PBM index (name ``"pbm"``). E_K is at least 1e-12 * E_1. The value is 0 for a
    single cluster and if all samples are identical. Takes O(p n d + p k^2 d) time and O(n d) memory for p
    individuals with centroids (plus O(n^2 d) time in ``fit`` with ``e1="medoid"``), and O(p n^2) time and
    O(n^2) memory with medoids. Source: NSGA-II-clus; Maulik & Bandyopadhyay, IEEE TPAMI 24(12), 2002.

    Parameters
    ----------
    power : float, default=2
        Positive exponent.
    e1 : {"centroid", "medoid"}, optional
        Representative for E_1: the mean or the medoid of all samples. Default: ``representative``.

    Examples
    --------
    >>> from moo_clustering.validity import IIndex
    >>> IIndex().fit([[0.0], [2.0], [10.0], [12.0]]).evaluate([0, 0, 1, 1])
    array([625.])
    """

    name, greater_is_better = "i_index", True

    representative: Literal["centroid", "medoid"] = "centroid"
    metric: Metric = "euclidean"
    _: KW_ONLY
    power: float = 2.0
    e1: Literal["centroid", "medoid"] | None = None
    max_memory: int = MAX_MEMORY

    def fit(self, data: ArrayLike) -> Self:
        choice("e1", self.e1, ("centroid", "medoid", None))
        positive("power", self.power)
        form = representatives(self.representative, self.metric, data, self.max_memory, "IIndex")
        single = self.representative if self.e1 is None else self.e1
        self.e1_ = form.total_to_medoid() if single == "medoid" else _total_to_mean(data, self.metric)
        self.form_, self.n_samples_ = form, form.n_samples
        return self

    def _score(self, population: base.Population) -> FloatArray:
        within, _, greatest = self.form_.scatter(population, squared=False)
        return i_index_values(within, greatest, population.n_clusters, self.e1_, self.power)


def i_index_values(
    within: FloatArray, greatest: FloatArray, n_clusters: Int64Array, e1: float, power: float
) -> FloatArray:
    """Compute the I-index from the total distances to, and the largest distances between, representatives."""
    if e1 == 0.0:
        return np.zeros(len(n_clusters))
    return (e1 / np.maximum(within, FLOOR * e1) * greatest / n_clusters) ** power


def _total_to_mean(data: ArrayLike, metric: Metric) -> float:
    if metric == "precomputed":
        raise ValueError('e1="centroid" requires features, which metric="precomputed" does not provide')
    X = _data.checked_table(data, "data", accept_sparse="csr")
    if metric == "euclidean" and not issparse(X):
        return float(np.linalg.norm(centred_features(X), axis=1).sum())
    centre = np.asarray(X.mean(axis=0)).reshape(1, -1)
    return float(pairwise_distances(X, centre, metric=metric).sum())


def representatives(kind: str, metric: Metric, data: Any, max_memory: int, owner: str) -> Centroids | Medoids:
    """Check the options and prepare the data for ``representative=kind``."""
    choice("representative", kind, ("centroid", "medoid"))
    if kind == "medoid":
        return Medoids(data, metric, max_memory, owner)
    if metric != "euclidean":
        raise ValueError(f'metric must be "euclidean" with representative="centroid", got {quoted(metric)}')
    return Centroids(data)


class Centroids:
    """Cluster means as representatives, with squared or plain Euclidean distances."""

    def __init__(self, data: Any) -> None:
        self.X = centred_features(data)
        self.n_samples = len(self.X)
        self.mean_square = base.mean_square_distance(self.X)

    def scatter(self, population: base.Population, *, squared: bool) -> FloatArray:
        """Return total distances to representatives, and least and greatest distances between two."""
        within, least, greatest = scatter = np.empty((3, len(population.labels)))
        for rows, block, means, sums in base.means_by_block(self.X, population, squared=squared):
            within[rows] = sums.sum(axis=1)
            partitions.mean_separations(means, block.n_clusters, least[rows], greatest[rows])
        if not squared:
            np.sqrt(scatter[1:], out=scatter[1:])
        return scatter

    def total_to_medoid(self) -> float:
        row_sums = pairwise_distances_chunked(
            self.X, reduce_func=lambda chunk, _: chunk.sum(axis=1), working_memory=64
        )
        return float(np.concatenate(list(row_sums)).min())


class Medoids:
    """Medoids as representatives. A medoid is the sample with the smallest total distance to its cluster."""

    def __init__(self, data: Any, metric: Metric, max_memory: int, owner: str) -> None:
        self.D = distance_matrix(data, metric, max_memory, owner)
        self.n_samples = len(self.D)
        self.mean_square = _distances.mean_square(self.D)

    def scatter(self, population: base.Population, *, squared: bool) -> FloatArray:
        within, least, greatest = scatter = np.empty((3, len(population.labels)))
        for rows, block in population.blocks(self.n_samples):
            # If members tie, the lowest index is the medoid. Rows of fewer clusters are padded with -1.
            sums = np.empty(block.labels.shape)
            partitions.own_cluster_sums(self.D, block.labels, sums)
            medoids = np.empty(block.sizes.shape, dtype=np.int64)
            partitions.least_members(sums, block.labels, medoids)
            partitions.medoid_distance_sums(self.D, medoids, block.labels, squared, within[rows])
            partitions.medoid_separations(self.D, medoids, block.n_clusters, least[rows], greatest[rows])
        if squared:
            np.square(scatter[1:], out=scatter[1:])
        return scatter

    def total_to_medoid(self) -> float:
        return float(self.D.sum(axis=0).min())


class Deviation(base.CentredIndex):
    """Sum of Euclidean distances from samples to their cluster means, minimised.

    A single cluster scores the total distance to the data mean; a partition into singletons scores 0. Takes
    O(p n d) time for p individuals and O(n d) memory. Source: Handl & Knowles, IEEE TEVC 11(1), 2007, Eq. 5.

    Examples
    --------
    >>> from moo_clustering.validity import Deviation
    >>> Deviation().fit([[0.0], [2.0], [10.0], [12.0]]).evaluate([[0, 0, 1, 1], [0, 0, 0, 0]])
    array([ 4., 20.])
    """

    name, greater_is_better = "deviation", False

    def _score(self, population: base.Population) -> FloatArray:
        return self._distances_to_means(population, squared=False)  # Eq. 5


@dataclass(eq=False, repr=False)
class LikelihoodGain(base.PopulationIndex):
    """Penalised log-likelihood of one Gaussian per cluster minus that of a single Gaussian, maximised.

    Each cluster is a Gaussian with its own mean and variances in the leading principal components. Its weight
    is its share of the samples. The value is the gain in log-likelihood over a single cluster, minus ln(n) /
    2 per additional parameter (BIC), all divided by (n times the number of components). To keep values finite
    for singletons, variances are shrunk to (SS_cj + G_j / 2) / (n_c + 1 / 2), where, in component j, SS_cj is
    the sum of squares of cluster c, and G_j is the overall variance. The value is 0 for a single cluster and
    for identical samples, and depends on feature scales. Takes O(min(n, d)^2 max(n, d)) time to fit, O(p n q)
    time for p individuals and q components, and O(n min(n, d)) memory. Sources: ParetoClustering; Schwarz,
    Annals of Statistics 6, 1978 (BIC); Symons, Biometrics 37, 1981 (likelihood).

    Parameters
    ----------
    n_components : int, default=5
        Maximum number of principal components.

    Examples
    --------
    The overall variance is 26. Two clusters of variance 1 add -2 ln((2/26 + 1/2) / (2 + 1/2)) to the
    log-likelihood. The cluster weights subtract 4 ln 2, and three parameters 3 ln(4) / 2. Divide by n = 4:

    >>> from moo_clustering.validity import LikelihoodGain
    >>> X = [[0.0], [2.0], [10.0], [12.0]]
    >>> LikelihoodGain().fit(X).evaluate([[0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 0]]).round(3)
    array([-0.48 , -1.197,  0.   ])
    """

    name, greater_is_better = "likelihood_gain", True

    n_components: int = 5

    def fit(self, data: ArrayLike) -> Self:
        n_components = integer("n_components", self.n_components)
        P = _principal_components(centred_features(data), n_components)
        self._variances = np.einsum("ij,ij->j", P, P) / len(P)
        self._moments = np.hstack([P, P**2])
        self.n_samples_ = len(P)
        return self

    def _score(self, population: base.Population) -> FloatArray:
        if not len(self._variances):
            return np.zeros(len(population.labels))
        return population.scores(population.sizes.shape[1] * (self._moments.shape[1] + 1), self._gains)

    def _gains(self, block: base.Population) -> FloatArray:
        n, q = self.n_samples_, len(self._variances)
        means = np.zeros((*block.sizes.shape, 2 * q))
        n_steps = block.labels.size * 2 * q
        run(partitions.cluster_means, n_steps, self._moments, block.labels, block.sizes, means)
        sizes = block.sizes[:, :, np.newaxis]
        squares = np.maximum(means[:, :, q:] - means[:, :, :q] ** 2, 0.0) * sizes
        # The squares are divided by the overall variances, because the single Gaussian is the reference.
        shares = (squares / self._variances + 0.5) / (sizes + 0.5)
        within = -0.5 * (sizes * np.log(shares)).sum(axis=(1, 2))
        occupied = np.where(block.sizes > 0, block.sizes, n)
        mixing = (block.sizes * np.log(occupied / n)).sum(axis=1)
        penalty = 0.5 * np.log(n) * (block.n_clusters - 1) * (2 * q + 1)
        # The result is exactly 0 for a single cluster, despite rounding errors.
        return np.where(block.n_clusters > 1, (within + mixing - penalty) / (n * q), 0.0)


def _principal_components(X: FloatArray, n_components: int) -> FloatArray:
    """Project centred rows onto at most ``n_components`` directions of largest variance."""
    n, d = X.shape
    size = min(n, d)
    # The data are scaled so that squares neither overflow nor underflow.
    X = X / (np.abs(X).max() or 1.0)
    products = X.T @ X if d <= n else X @ X.T
    lowest = max(size - n_components, 0)
    values, vectors = eigh(products, subset_by_index=(lowest, size - 1))
    values, vectors = values[::-1], vectors[:, ::-1]
    # A component is dropped if its variance is only rounding error relative to the largest variance.
    varying = values > 1e-12 * max(values[0], 0.0)
    vectors = vectors[:, varying]
    return X @ vectors if d <= n else vectors * np.sqrt(values[varying])


class SumOfSquares(base.CentredIndex):
    """Sum of squared Euclidean distances from samples to their cluster means, minimised.

    Splitting a cluster never increases the sum, so compare only partitions with equal numbers of clusters.
    :class:`Deviation` sums unsquared distances. Takes O(p n d) time for p individuals and O(n d) memory.
    Source: S. Lloyd, IEEE Transactions on Information Theory 28 (1982).

    Examples
    --------
    >>> from moo_clustering.validity.internal import SumOfSquares
    >>> SumOfSquares().fit([[0.0], [2.0], [10.0], [12.0]]).evaluate([[0, 0, 1, 1], [0, 0, 0, 0]])
    array([  4., 104.])
    """

    name, greater_is_better = "sum_of_squares", False

    def fit_centred(self, points: FloatArray) -> Self:
        """Fit to points with zero mean, without copying them."""
        self._X, self.n_samples_ = points, len(points)
        return self

    @property
    def points(self) -> FloatArray:
        """Centred features passed to :meth:`fit_centred`."""
        return self._X

    def _score(self, population: base.Population) -> FloatArray:
        return self._distances_to_means(population, squared=True)


@dataclass(eq=False, repr=False)
class Connectivity(base.PopulationIndex):
    """Sum over samples of 1/r for each r-th nearest neighbour, r = 1..L, in another cluster, minimised.

    The index is defined for every partition. It is 0 for a single cluster. Takes O(p n L) time for p
    individuals and O(n L) memory, plus the neighbour search. Source: Handl & Knowles, IEEE TEVC 11(1), 2007,
    Eq. 6.

    Parameters
    ----------
    n_neighbors : int, default=10
        Number of neighbours, L. If there are fewer other samples, all are used and a warning is issued.
    metric : str or callable, default="euclidean"
        Metric of :class:`sklearn.neighbors.NearestNeighbors`, or ``"precomputed"``.
    ties : {"random", "index"}, default="random"
        Order of equidistant neighbours. ``"index"`` is the order of the rows. It leaks the classes if rows
        are sorted by class.
    random_state : int, numpy.random.Generator or None, default=0
        Seed of the random order.
    neighbors : ndarray of shape (n_samples, at least n_neighbors), optional
        Nearest other samples of each sample, nearest first. By default, ``fit`` computes them.
    variant : {"rank", "published"}, default="rank"
        With ``"published"``, neighbours 1..L-1 have weights 1/2..1/L, as in the delta-MOCK program.

    Attributes
    ----------
    neighbors_ : ndarray of shape (n_samples, n_used)
        Row indices of the neighbours, nearest first.
    weights_ : ndarray of shape (n_used,)
        Weight of each neighbour rank.

    Examples
    --------
    >>> from moo_clustering.validity import Connectivity
    >>> index = Connectivity(n_neighbors=2).fit([[0.0], [1.0], [3.0], [7.0]])
    >>> index.evaluate([[0, 0, 1, 1], [0, 0, 0, 0]])
    array([3., 0.])
    """

    name, greater_is_better = "connectivity", False

    n_neighbors: int = 10
    metric: Metric = "euclidean"
    _: KW_ONLY
    ties: Literal["random", "index"] = "random"
    random_state: int | np.random.Generator | None = 0
    neighbors: IntArray | None = None
    variant: Literal["rank", "published"] = "rank"

    def fit(self, data: ArrayLike) -> Self:
        choice("ties", self.ties, ("random", "index"))
        choice("variant", self.variant, ("rank", "published"))
        least = 2 if self.variant == "published" else 1
        n_neighbors = integer("n_neighbors", self.n_neighbors, least)
        if self.metric == "precomputed":
            X = _distances.checked_distances(data, "data", dtype=np.float64)
        else:
            X = _data.checked_table(data, "data", accept_sparse="csr")
        wanted = n_neighbors - (least - 1)
        used = min(wanted, X.shape[0] - 1)
        if used < wanted:
            warn_caller(
                f"n_neighbors={self.n_neighbors} exceeds the number of other samples, {used}; "
                "all of them are used"
            )
        if self.neighbors is not None:
            self.neighbors_ = check_neighbors(self.neighbors, X.shape[0], used)
        else:
            keys = np.arange(X.shape[0])
            if self.ties == "random":
                keys = np.random.default_rng(self.random_state).permutation(X.shape[0])
            self.neighbors_ = nearest_others(X, used, self.metric, keys)
        self.weights_ = 1.0 / np.arange(least, least + used)
        self.n_samples_ = X.shape[0]
        return self

    def _score(self, population: base.Population) -> FloatArray:
        counts = np.zeros((len(population.labels), len(self.weights_)), dtype=np.int64)
        partitions.count_split_neighbors(self.neighbors_, population.labels, counts)
        return (counts * self.weights_).sum(axis=1)  # Eq. 6


def nearest_others(X: Any, width: int, metric: Metric, keys: Int64Array) -> Labels:
    """Find the ``width`` nearest other samples of each sample. Ties in distance are broken by ``keys``."""
    # If samples that are not candidates may be as near as the last neighbour, the search is repeated with
    # twice as many candidates. The result is exact, but takes O(n^2 log n) time if most samples coincide.
    n = X.shape[0]
    result = np.empty((n, width), dtype=np.int32)
    if width == 0:
        return result
    euclidean = metric in ("euclidean", "sqeuclidean") and not issparse(X)
    if isinstance(metric, str):
        # Scaling by a power of two preserves the order of neighbours.
        X = near_one(X, together=metric != "cosine")
    points = centred_features(X) if euclidean else X
    largest = float(np.einsum("ij,ij->i", points, points).max()) if euclidean else 0.0
    search = NearestNeighbors(metric="euclidean" if euclidean else metric).fit(points)
    pending = np.arange(n)
    n_candidates = min(n, width + 3)
    while len(pending):
        tied = []
        for part in block_slices(len(pending), n_candidates * (X.shape[1] if euclidean else 1)):
            rows = pending[part]
            with threads_here():
                found, ids = search.kneighbors(points[rows], n_neighbors=n_candidates)
            farthest = found[:, -1]
            if euclidean:
                # Uncentred values are used, because centring would break ties on a grid.
                steps = X[ids] - X[rows][:, np.newaxis]
                found = np.sqrt(np.einsum("ijk,ijk->ij", steps, steps))
            found = np.where(ids == rows[:, np.newaxis], np.inf, found)
            order = np.lexsort((keys[ids], found))[:, :width]
            result[rows] = np.take_along_axis(ids, order, axis=1)
            last = np.take_along_axis(found, order, axis=1)[:, -1]
            # 1e-12 is a bound on the rounding error of scikit-learn's squared distances.
            tied.append(rows[farthest**2 <= last**2 * (1.0 + 1e-12) + 1e-12 * largest])
        pending = np.concatenate(tied) if n_candidates < n else pending[:0]
        n_candidates = min(n, 2 * n_candidates)
    return result


def check_neighbors(neighbors: Any, n_samples: int, width: int) -> Labels:
    """Check neighbour lists, and return their first ``width`` columns."""
    rows = base.integer_rows(neighbors, "neighbors")
    if rows.shape[0] != n_samples or rows.shape[1] < width:
        raise ValueError(
            f"neighbors must have {n_samples} rows and at least {width} columns, got shape {rows.shape}"
        )
    used = rows[:, :width]
    if used.size and (used.min() < 0 or used.max() >= n_samples):
        raise ValueError(f"neighbors must be sample indices from 0 to {n_samples - 1}")
    if np.any(used == np.arange(n_samples)[:, np.newaxis]):
        raise ValueError("neighbors must not contain a sample as its own neighbour")
    ordered = np.sort(used, axis=1)
    if np.any(ordered[:, 1:] == ordered[:, :-1]):
        raise ValueError("neighbors must not contain a sample twice in one row")
    return np.ascontiguousarray(used, dtype=np.int32)


class GraphModularity(base.PopulationIndex):
    """Similarity within clusters minus the value expected from the cluster volumes, maximised.

    The value is the sum over clusters c of W_cc / W - (vol_c / W)^2, where W is the sum of all similarities,
    W_cc is the sum of those within cluster c (both directions), and vol_c is the sum over the rows of c. It
    is less than 1. It is 0 for a single cluster or a graph without edges. Takes O(q (E + n)) time for q
    partitions and E edges. Source: Newman & Girvan, Physical Review E 69, 026113, 2004.

    Examples
    --------
    >>> S = np.diag(np.ones(5), 1) + np.diag(np.ones(5), -1)
    >>> GraphModularity().fit(S).evaluate([0, 0, 0, 1, 1, 1]).round(12)
    array([0.3])
    """

    name, greater_is_better = "modularity", True

    def fit(self, data: Any) -> Self:
        """Fit to a graph. Raises a ValueError unless S is symmetric, finite and non-negative.

        Parameters
        ----------
        data : sparse matrix or array-like of shape (n_samples, n_samples)
            Similarities S, symmetric and non-negative.
        """
        self._edges = SimilarityEdges(data)
        self._total = float(self._edges.volumes.sum())
        self.n_samples_ = self._edges.n_samples
        return self

    def _score(self, population: base.Population) -> FloatArray:
        if self._total == 0.0:
            return np.zeros(len(population.labels))
        within = 2.0 * self._edges.split(population.labels)[0] + self._edges.loops.sum()
        shares = self._edges.volumes / self._total
        return within / self._total - population.scores(
            self.n_samples_, lambda block: (cluster_sums(block.labels, shares) ** 2).sum(axis=1)
        )


@documented(base.ValidityIndex.evaluate)
def graph_modularity(labels: IntArray, S: Any) -> FloatArray:
    """Return the :class:`GraphModularity` of partitions of a graph.

    Parameters
    ----------
    S : sparse matrix of shape (n_samples, n_samples)
    """
    return GraphModularity().fit(S).evaluate(labels)


class BoundaryCut(base.PopulationIndex):
    """Sum of the similarities S_ij over pairs i < j in different clusters, minimised.

    The value is 0 for a single cluster. If used with other objectives, the index discourages small clusters
    around constrained samples. As the only objective, it favours such clusters. Takes O(q (E + n)) time for q
    partitions and E edges. Source: ParetoClustering.

    Examples
    --------
    >>> BoundaryCut().fit([[0.0, 1.0, 0.5], [1.0, 0.0, 0.0], [0.5, 0.0, 0.0]]).evaluate([0, 0, 1])
    array([0.5])
    """

    name, greater_is_better = "boundary_cut", False

    @documented(GraphModularity.fit)
    def fit(self, data: Any) -> Self:
        """Fit to a graph. The diagonal is ignored."""
        self._edges = SimilarityEdges(data)
        self.n_samples_ = self._edges.n_samples
        return self

    def _score(self, population: base.Population) -> FloatArray:
        return self._edges.split(population.labels)[1]


@documented(base.ValidityIndex.evaluate, graph_modularity)
def boundary_cut(labels: IntArray, S: Any) -> FloatArray:
    """Return the :class:`BoundaryCut` of partitions of a graph."""
    return BoundaryCut().fit(S).evaluate(labels)


class CutEdges(BoundaryCut):
    """Number of graph edges between clusters, minimised. On maps, it approximates the boundary length.

    Examples
    --------
    >>> CutEdges().fit([[0, 2, 2], [2, 0, 0], [2, 0, 0]]).evaluate([0, 0, 1])
    array([1.])
    """

    name, greater_is_better = "cut_edges", False

    def fit(self, data: Any) -> Self:
        super().fit(csr_array(_data.checked_graph(data)).astype(bool).astype(np.float64))
        return self


class LoadVariation(base.PopulationIndex):
    """Coefficient of variation of the cluster loads (sums of sample weights), minimised.

    The index is 0 for equal loads and for a single cluster. Takes O(n) time per partition.

    Examples
    --------
    >>> LoadVariation().fit([1, 2, 3, 4]).evaluate([[0, 0, 1, 1], [0, 1, 1, 0]])
    array([0.4, 0. ])
    """

    name, greater_is_better = "load_variation", False

    def fit(self, data: ArrayLike) -> Self:
        """Fit to weights of shape (n_samples,). Raises a ValueError if a weight is negative or all are 0."""
        self.weight: FloatArray = _data.checked_amounts(data, "data")
        if not self.weight.any():
            raise ValueError("data must contain at least one positive weight")
        self.n_samples_ = len(self.weight)
        return self

    def _score(self, population: base.Population) -> FloatArray:
        return population.scores(self.n_samples_, self._variations)

    def _variations(self, block: base.Population) -> FloatArray:
        loads = cluster_sums(block.labels, self.weight)
        means = self.weight.sum() / block.n_clusters
        used = np.arange(loads.shape[1]) < block.n_clusters[:, None]
        squares = np.where(used, (loads / means[:, None] - 1.0) ** 2, 0.0).sum(axis=1)
        return np.sqrt(squares / block.n_clusters)


class ChangedShare(base.PopulationIndex):
    """Share of samples that change cluster relative to a previous partition, minimised.

    Clusters are first matched to previous clusters so that the fewest samples change. Takes O(n + k^3) time
    per partition of k clusters. :class:`~moo_clustering.constraints.Kept` limits this share instead.

    Parameters
    ----------
    previous : array-like of shape (n_samples,), optional
        Previous labels. Samples with label -1 are ignored. Default: the data passed to ``fit``. Required if
        further objectives of the problem use features.

    Examples
    --------
    >>> ChangedShare().fit([0, 0, 1, 1]).evaluate([[1, 1, 0, 0], [0, 1, 1, 1], [0, 1, 0, 1]])
    array([0.  , 0.25, 0.5 ])
    """

    name, greater_is_better = "changed", False

    def __init__(self, previous: ArrayLike | None = None) -> None:
        self.previous = previous

    def fit(self, data: ArrayLike) -> Self:
        """Fit to ``previous``. If it is None, fit to ``data``, which must then contain the previous labels.

        Raises a ValueError if no sample has a previous label or if ``previous`` has the wrong length.
        """
        given, name = (data, "data") if self.previous is None else (self.previous, "previous")
        labels = _data.checked_integers(given, name, ndim=(1,))
        if self.previous is not None and len(labels) != (n := _num_samples(data)):
            raise ValueError(f"previous must have one label per sample ({n}), got {len(labels)}")
        self.known = np.flatnonzero(labels >= 0)
        if not len(self.known):
            raise ValueError(f"{name} must contain at least one non-negative label")
        self.earlier = np.unique(labels[self.known], return_inverse=True)[1].astype(np.int32)
        self.n_samples_ = len(labels)
        return self

    def _score(self, population: base.Population) -> FloatArray:
        return population.scores(
            self.n_samples_,
            lambda block: (self.matched(block.labels) != block.labels[:, self.known]).mean(axis=1),
        )

    def matched(self, labels: IntArray) -> IntArray:
        """Return the previous clusters of the samples ``known``, renumbered to match each partition."""
        return align_labels(labels[:, self.known], self.earlier)


class Compactness(base.PopulationIndex):
    """Mean Polsby-Popper score of regions on a map, maximised.

    The score of a region is 4 pi area / perimeter^2, from 0 to 1: its area divided by the area of a disc with
    the same perimeter. Takes O(n + n_borders) time per partition. Source: D. D. Polsby, R. D. Popper, Yale
    Law & Policy Review 9 (1991).

    Examples
    --------
    >>> border = [[0, 1], [1, 0]]  # two adjacent unit squares
    >>> Compactness().fit(([1, 1], [4, 4], border)).evaluate([[0, 0], [0, 1]]).round(3)
    array([0.698, 0.785])
    """

    name, greater_is_better = "compactness", True

    def fit(self, data: Any) -> Self:
        """Fit to a tuple of the samples' areas, perimeters and common border lengths (a symmetric matrix).

        Raises a ValueError if lengths differ, if a value is negative, or if a perimeter is too short for its
        area or borders.
        """
        if not isinstance(data, list | tuple) or len(data) != 3:
            raise TypeError(f"data must be a tuple (areas, perimeters, borders), got {quoted(data)}")
        areas, perimeters, borders = data
        both = (("areas", areas), ("perimeters", perimeters))
        shapes = [_data.checked_array(one, name, np.float64, ndim=(1,)) for name, one in both]
        self.borders = csr_array(triu(csr_array(_data.checked_graph(borders, "borders")), 1))
        self.n_samples_ = self.borders.shape[0]
        if {len(one) for one in shapes} != {self.n_samples_}:
            raise ValueError(
                f"areas, perimeters and borders must have the same number of samples, got {len(shapes[0])}, "
                f"{len(shapes[1])} and {self.n_samples_}"
            )
        self.shapes = np.column_stack(shapes)
        common = np.asarray((self.borders + self.borders.T).sum(axis=1)).ravel()
        if (self.shapes < 0).any() or (common > self.shapes[:, 1] * (1 + 1e-6)).any():
            raise ValueError(
                "areas and perimeters must be non-negative, and perimeters at least as long as the borders"
            )
        if (wide := np.sqrt(4.0 * np.pi * self.shapes[:, 0]) > self.shapes[:, 1] * (1 + 1e-6)).any():
            place = int(wide.argmax())
            area, rim = self.shapes[place]
            raise ValueError(
                f"areas must be at most those of discs with the same perimeters, got {area:g} with perimeter "
                f"{rim:g} for sample {place}; use the same unit for both"
            )
        return self

    def _score(self, population: base.Population) -> FloatArray:
        return population.scores(self.n_samples_ + self.borders.nnz, self._mean_scores)

    def _mean_scores(self, block: base.Population) -> FloatArray:
        edges = self.borders.tocoo()
        sizes, rims = (cluster_sums(block.labels, column) for column in self.shapes.T)
        inner = block.labels[:, edges.row] == block.labels[:, edges.col]
        for q, labels in enumerate(block.labels):
            own = labels[edges.row[inner[q]]]
            rims[q] -= 2.0 * np.bincount(own, edges.data[inner[q]], minlength=rims.shape[1])
        # Sizes are divided twice, because squared perimeters would overflow or underflow in extreme units.
        scores = np.divide(sizes, rims, out=np.zeros_like(rims), where=rims > 0.0)
        scores = 4.0 * np.pi * np.divide(scores, rims, out=np.zeros_like(rims), where=rims > 0.0)
        return np.asarray(scores.sum(axis=1) / block.n_clusters)
