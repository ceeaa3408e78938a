"""Validity indices for fuzzy partitions, in which each sample has a membership in every cluster."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist
from scipy.special import xlogy

from moo_clustering._arrays import BoolArray, FloatArray, at_least_one, block_slices
from moo_clustering._distances import MAX_MEMORY, Metric, distance_matrix
from moo_clustering._docs import Documented, documented
from moo_clustering.encodings.base import checked_memberships, one_hot, relabel_by_first_appearance
from moo_clustering.validity import base, internal

# The logarithm of a hypervolume is at most this value.
_LOG_LARGEST = 300 * np.log(10.0)


class FuzzyIndex(Documented, base.CentredIndex):
    """Base class for indices of memberships.

    ``evaluate`` accepts memberships of shape (n_individuals, n_samples, n_clusters), which sum to 1 over the
    clusters. It also accepts labels, as memberships of 0 and 1. Empty clusters are ignored.
    """

    takes = "memberships"

    def fit(self, data: ArrayLike) -> Self:
        at_least_one("fuzziness", getattr(self, "fuzziness", 1))
        return super().fit(data)

    def evaluate(self, memberships: ArrayLike) -> FloatArray:
        U: Any = memberships
        if np.ndim(U) < 3 or not hasattr(self, "n_samples_"):
            U = one_hot(self._population(U).labels)
        U = checked_memberships(U, "memberships", self.n_samples_)
        blocks = block_slices(len(U), self.n_samples_ * U.shape[2])
        return np.concatenate([np.empty(0), *(self._score(U[rows]) for rows in blocks)])


@dataclass(eq=False, repr=False)
class FuzzySumOfSquares(FuzzyIndex):
    """Sum of squared distances to cluster means, weighted by ``memberships ** fuzziness``, minimised.

    The means have the same weights. The sum, J_m, is the objective of fuzzy c-means. For labels, it equals
    :class:`SumOfSquares`. Takes O(p n k d) time and O(p n k) memory for p individuals. Source: J. Bezdek,
    "Pattern Recognition with Fuzzy Objective Function Algorithms", Plenum (1981).

    Parameters
    ----------
    fuzziness : float
        Exponent of the memberships, at least 1. Default: 2, except 1 in :class:`FuzzyHypervolume`.

    Examples
    --------
    >>> from moo_clustering.validity import FuzzySumOfSquares
    >>> U = [[[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]]
    >>> FuzzySumOfSquares().fit([[0.0], [1.0], [2.0]]).evaluate(U)
    array([0.4])
    """

    name, greater_is_better = "fuzzy_sum_of_squares", False

    fuzziness: float = 2.0

    def _score(self, U: Any) -> FloatArray:
        return self._within(*self._weighted(U)[:2])

    def _weighted(self, U: FloatArray) -> tuple[FloatArray, FloatArray, BoolArray]:
        """Return the sample weights, the cluster means, and a mask of the non-empty clusters.

        The shapes are (p, n, k), (p, k, d) and (p, k).
        """
        weights = U**self.fuzziness
        totals = weights.sum(axis=1)
        used = totals > 0.0
        sums = weights.transpose(0, 2, 1) @ self._X
        return weights, sums / np.where(used, totals, 1.0)[:, :, np.newaxis], used

    def _within(self, weights: FloatArray, means: FloatArray) -> FloatArray:
        squares = cdist(self._X, means.reshape(-1, self._X.shape[1]), "sqeuclidean")
        return np.einsum("pnk,npk->p", weights, squares.reshape(-1, *means.shape[:2]))


class FuzzyXieBeni(FuzzySumOfSquares):
    """Fuzzy sum of squares / (n_samples * smallest squared distance between two means), minimised.

    Same as :class:`XieBeni` for labels, including undefined values (1e12 for a single cluster). Takes O(p n k
    d + p k^2 d) time and O(p n k) memory for p individuals. Source: X. Xie, G. Beni, IEEE TPAMI 13 (1991).
    """

    name, min_clusters = "fuzzy_xie_beni", 2

    def _score(self, U: Any) -> FloatArray:
        weights, means, used = self._weighted(U)
        squares = np.square(means[:, :, np.newaxis] - means[:, np.newaxis]).sum(axis=-1)
        pairs = used[:, :, np.newaxis] & used[:, np.newaxis] & ~np.eye(used.shape[1], dtype=bool)
        least = np.where(pairs, squares, np.inf).min(axis=(1, 2))
        within, mean = self._within(weights, means), base.mean_square_distance(self._X)
        return internal.xie_beni_values(within, least, used.sum(axis=1), self.n_samples_, mean)


@dataclass(eq=False, repr=False)
class FuzzyHypervolume(FuzzySumOfSquares):
    """Sum over clusters of the square root of the determinant of the fuzzy covariance matrix, minimised.

    The value is a volume and depends on the units of the columns, so scale the columns first. It is at most
    1e300. Clusters that span fewer dimensions than the data have volume 0. Takes O(p n k d^2) time and O(p n
    (k + d)) memory for p individuals. Source: I. Gath, A. Geva, IEEE TPAMI 11 (1989).
    """

    name = "fuzzy_hypervolume"

    fuzziness: float = 1.0

    def _score(self, U: Any) -> FloatArray:
        values = np.zeros(len(U))
        for rows in block_slices(len(U), self._X.size):
            weights, means, used = self._weighted(U[rows])
            for c in range(used.shape[1]):
                covariance = weighted_covariance(self._X - means[:, np.newaxis, c], weights[:, :, c])
                half = 0.5 * np.linalg.slogdet(covariance)[1]
                values[rows] += np.where(used[:, c], np.exp(np.minimum(half, _LOG_LARGEST)), 0.0)
        return np.minimum(values, np.exp(_LOG_LARGEST))


def weighted_covariance(deviations: FloatArray, weights: FloatArray) -> FloatArray:
    """Compute covariances from deviations. The weights (p, n) are scaled to sum to 1."""
    totals = weights.sum(axis=1)
    weighted = deviations * (weights / np.where(totals > 0.0, totals, 1.0)[:, np.newaxis])[:, :, np.newaxis]
    return np.asarray(deviations.transpose(0, 2, 1) @ weighted)


@dataclass(eq=False, repr=False)
class PartitionCoefficient(FuzzyIndex):
    """Mean over samples of the sum of squared memberships, maximised.

    The value is 1 / k for equal memberships in all k clusters, and 1 for labels. It does not depend on the
    data. Takes O(p n k) time for p individuals. Sources: Bezdek (1981), see :class:`FuzzySumOfSquares`; R.
    Dave, Pattern Recognition Letters 17 (1996), for the normalisation.

    Parameters
    ----------
    normalized : bool, default=False
        Whether to return ``1 - k / (k - 1) * (1 - coefficient)``, which is 0 for equal memberships. In
        :class:`PartitionEntropy`: whether to return entropy / log k, which is 1 for equal memberships.
    """

    name, greater_is_better, min_clusters = "partition_coefficient", True, 2

    normalized: bool = False

    def _score(self, U: Any) -> FloatArray:
        values, k = np.square(U).sum(axis=2).mean(axis=1), U.any(axis=1).sum(axis=1)
        if self.normalized:
            values = np.where(k > 1, 1.0 - k / np.maximum(k - 1, 1) * (1.0 - values), 0.0)
        return np.asarray(values)


class PartitionEntropy(PartitionCoefficient):
    """Mean over samples of the membership entropy, minimised.

    The value is 0 for labels, and log k for equal memberships in all k clusters. It does not depend on the
    data. Takes O(p n k) time for p individuals. Source: Bezdek (1981), see :class:`FuzzySumOfSquares`.
    """

    name, greater_is_better = "partition_entropy", False

    def _score(self, U: Any) -> FloatArray:
        values, k = np.maximum(-xlogy(U, U).sum(axis=2).mean(axis=1), 0.0), U.any(axis=1).sum(axis=1)
        return np.where(k > 1, values / np.log(np.maximum(k, 2)), 1.0) if self.normalized else values


@documented(internal.Silhouette)
@dataclass(eq=False, repr=False)
class FuzzySilhouette(FuzzyIndex):
    """Mean silhouette, weighted by the difference between each sample's two largest memberships, maximised.

    For silhouettes, each sample is in the cluster of its largest membership. Same as :class:`Silhouette` for
    labels. It is -1 for a single cluster or if weights are 0. Takes O(p n^2 k) time and O(n^2 + p n k) memory
    for p individuals. Source: R. Campello, E. Hruschka, Fuzzy Sets and Systems 157 (2006).

    Parameters
    ----------
    alpha : float, default=1.0
        Exponent of the weights, at least 1.
    """

    name, greater_is_better, min_clusters = "fuzzy_silhouette", True, 2

    alpha: float = 1.0
    _: KW_ONLY
    metric: Metric = "euclidean"
    max_memory: int = MAX_MEMORY

    def fit(self, data: ArrayLike) -> Self:
        at_least_one("alpha", self.alpha)
        self._D = distance_matrix(data, self.metric, self.max_memory, "FuzzySilhouette")
        self.n_samples_ = len(self._D)
        return self

    def _score(self, U: Any) -> FloatArray:
        population = self._population(relabel_by_first_appearance(U.argmax(axis=2)))
        values = np.full(len(U), internal.SILHOUETTE_OF_ONE_CLUSTER)
        if len(rows := np.flatnonzero(population.n_clusters > 1)):
            widths = internal.sample_silhouettes(self._D, population.take(rows))
            largest = np.sort(U[rows], axis=2)
            weights = (largest[:, :, -1] - largest[:, :, -2]) ** self.alpha
            sums = weights.sum(axis=1)
            values[rows] = np.divide((weights * widths).sum(axis=1), sums, out=values[rows], where=sums > 0)
        return values
