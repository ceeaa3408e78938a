"""Minimum sum-of-squares clustering: a problem whose genes are centre coordinates, and encodings."""

from __future__ import annotations

import copy
import math
from collections import OrderedDict
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist

from moo_clustering._arrays import at_least_one, block_slices, integer
from moo_clustering._data import checked_array, checked_table
from moo_clustering._distances import centred_features
from moo_clustering._docs import documented
from moo_clustering._kernels import caching
from moo_clustering._kernels.kmeans import greedy_seeds, lloyd, two_nearest
from moo_clustering._types import FloatArray, IntArray, IntpArray, Labels
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.encodings import Encoding, relabel_by_first_appearance
from moo_clustering.encodings.base import checked_labels, contiguous, distinct_rows
from moo_clustering.problems.partition import ConstraintHandling, PartitionProblem
from moo_clustering.validity.base import ValidityIndex
from moo_clustering.validity.internal import SumOfSquares

Offsets = tuple[FloatArray, FloatArray]
MAX_PASSES = 300
MEMO_BYTES = 1 << 26


class Optimum(NamedTuple):
    """Centres, each sample's nearest centre, and the sum of squared distances to the nearest centres."""

    centers: FloatArray
    labels: Labels
    objective: float


class SumOfSquaresProblem(PartitionProblem):
    """Find centres that minimise the sum of squared distances between samples and their nearest centres.

    Genes are the concatenated coordinates of ``n_clusters`` centres relative to the mean of X, which
    :meth:`centers` adds again. ``CenterMatchingCrossover``, ``RelocateCenter``, ``LocalSearchRepair`` and all
    operators for real-valued genes can be used. Evaluation takes O(n_samples n_clusters n_features) time per
    individual, and is cached. Individuals store the position of each sample's nearest centre as ``"labels"``.
    A centre need not be the mean of its cluster. Raises a ValueError if evaluated genes are not finite.
    Sources: Lloyd, IEEE Transactions on Information Theory 28, 1982; Hamerly, SDM, 2010.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    n_clusters : int
        Number of clusters, from 1 to n_samples.
    constraints, constraint_handling
        See :class:`PartitionProblem`.

    Attributes
    ----------
    encoding : CenterEncoding
        Encoding for ``EncodingSampling`` (which uses greedy k-means++) and ``CanonicalDuplicates``.
    n_distances, n_local_searches : int
        Number of distances between samples and centres computed so far, and number of local searches so far.

    Examples
    --------
    >>> problem = SumOfSquaresProblem([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]], 2)
    >>> centers = problem.improve([[-6.0, -5.0]])
    >>> problem.centers(centers), problem.evaluate(centers)
    (array([[[ 1.],
            [11.]]]), array([[4.]]))
    """

    encoding: CenterEncoding

    def __init__(
        self,
        X: ArrayLike,
        n_clusters: int,
        *,
        constraints: PairwiseConstraints | None = None,
        constraint_handling: ConstraintHandling = "objective",
    ) -> None:
        encoding = CenterEncoding(X, n_clusters)
        index = SumOfSquares().fit_centred(encoding.points)
        super().__init__(
            None, encoding, [index], constraints=constraints, constraint_handling=constraint_handling
        )
        self.n_clusters, self.n_features = encoding.n_clusters, encoding.n_features
        self.n_local_searches = 0
        self._known: OrderedDict[bytes, tuple[Labels, float]] = OrderedDict()
        self._n_known = max(2, MEMO_BYTES // (encoding.n_var * 8 + encoding.n_samples * 4))

    @property
    def points(self) -> FloatArray:
        """X minus its mean, shape (n_samples, n_features)."""
        return self.encoding.points

    @property
    def n_distances(self) -> int:
        """Number of distances between samples and centres computed so far."""
        return self.encoding.n_distances

    def centers(self, X: ArrayLike) -> FloatArray:
        """Return centres in data coordinates, shape (n_individuals, n_clusters, n_features)."""
        return self.encoding.in_data(self.encoding.relative_centers(X))

    def optimum(self, centers: FloatArray) -> Optimum:
        """Run up to 300 passes of Lloyd's algorithm from centres of shape (n_clusters, n_features)."""
        centers = np.array(centers, dtype=np.float64, order="C")
        labels = np.empty(self.n_samples, dtype=np.int32)
        objective, _, distances, converged = lloyd(self.points, centers, labels, MAX_PASSES, 0.0)
        self.encoding.n_distances += distances
        if not converged:
            # The last pass moved the centres, so the labels are outdated.
            labels, squares, _ = self.encoding.nearest(centers)
            objective = float(squares.sum())
        self.n_local_searches += 1
        self._remember(centers, labels, objective)
        return Optimum(centers, labels, objective)

    def improve(self, X: ArrayLike) -> FloatArray:
        """Return the genes of the local optimum to which each individual converges in :meth:`optimum`."""
        found = [self.optimum(centers).centers for centers in self.encoding.relative_centers(X)]
        return np.array(found).reshape(-1, self.n_var)

    def nearest_labels(self, X: ArrayLike) -> Labels:
        """Return the position of each sample's nearest centre, shape (n_individuals, n_samples)."""
        rows = [self._scored(centers)[0] for centers in self.encoding.relative_centers(X)]
        return np.array(rows, dtype=np.int32).reshape(-1, self.n_samples)

    def fresh(self) -> Self:
        """Copy the problem and reset its counters to 0, for a parallel run."""
        twin = copy.copy(self)
        twin.encoding = copy.copy(self.encoding)
        twin.encoding.n_distances = twin.n_local_searches = 0
        twin._known = OrderedDict()
        return twin

    def decode(self, X: ArrayLike | None) -> Labels:
        return super().decode(X) if X is None else contiguous(self.nearest_labels(X))

    def _evaluate(self, X: ArrayLike, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        super()._evaluate(X, out, *args, **kwargs)
        out["labels"] = self.nearest_labels(X)

    def _distinct(self, X: NDArray[Any], labels: Labels) -> tuple[IntpArray, IntpArray]:
        # Genes are compared, because equal partitions can have different centres and sums of squares.
        return distinct_rows(X)

    def _values(self, index: ValidityIndex, labels: Labels, X: NDArray[Any], **products: Any) -> FloatArray:
        return np.array([self._scored(centers)[1] for centers in self.encoding.relative_centers(X)])

    def _scored(self, centers: FloatArray) -> tuple[Labels, float]:
        known = self._known.get(centers.tobytes())
        if known is None:
            labels, squares, _ = self.encoding.nearest(centers)
            known = self._remember(centers, labels, float(squares.sum()))
        return known

    def _remember(self, centers: FloatArray, labels: Labels, objective: float) -> tuple[Labels, float]:
        self._known[centers.tobytes()] = labels, objective
        if len(self._known) > self._n_known:
            self._known.popitem(last=False)
        return labels, objective


# The base class is annotated for integer genes, although the operators also accept real numbers.
@documented(SumOfSquaresProblem)
class CenterEncoding(Encoding):
    """Encoding of partitions by the concatenated coordinates of ``n_clusters`` centres.

    Each sample belongs to its nearest centre, or to the first of equally near centres. Decoding takes
    O(n_individuals n_samples n_clusters n_features) time. ``k_min`` is 1, because a centre can be nearest to
    all samples; ``k_max`` is ``n_clusters``.

    Attributes
    ----------
    points : ndarray of shape (n_samples, n_features)
        X minus its mean. Genes are coordinates in this space.
    offsets : tuple of two ndarrays of shape (n_features,)
        Offsets to subtract from X, one after the other.
    """

    dtype = np.dtype(np.float64)

    def __init__(self, X: ArrayLike, n_clusters: int) -> None:
        data = checked_table(X)
        self.points = centred_features(data)
        # Subtracting the offsets one after the other, as for ``points``, gives bitwise identical coordinates.
        self.offsets = data[0].copy(), (data - data[0]).mean(axis=0)
        self.n_samples, self.n_features = self.points.shape
        self.n_clusters = integer("n_clusters", n_clusters, 1, self.n_samples, ", the number of samples")
        self.k_min, self.k_max = 1, self.n_clusters
        self.n_var = self.n_clusters * self.n_features
        self.n_distances = 0

    def bounds(self) -> tuple[FloatArray, FloatArray]:  # type: ignore[override]
        """Return the features' minima and maxima over the samples, repeated for each centre."""
        low, high = self.points.min(axis=0), self.points.max(axis=0)
        return np.tile(low, self.n_clusters), np.tile(high, self.n_clusters)

    def relative_centers(self, X: ArrayLike) -> FloatArray:
        """Return a copy of the centres relative to the mean, (n_individuals, n_clusters, n_features).

        Raises a ValueError if the number of columns is wrong or a value is not finite.
        """
        genes = np.atleast_2d(np.array(checked_array(X, "X", np.float64), order="C"))
        if genes.ndim != 2 or genes.shape[1] != self.n_var:
            raise ValueError(f"X must have {self.n_var} columns, got shape {np.shape(X)}")
        return genes.reshape(-1, self.n_clusters, self.n_features)

    def in_data(self, centers: FloatArray) -> FloatArray:
        """Convert centres relative to the mean to data coordinates."""
        return centers + self.offsets[1] + self.offsets[0]

    def nearest(self, centers: FloatArray) -> tuple[Labels, FloatArray, FloatArray]:
        """Return each sample's nearest centre and its two smallest squared distances to centres."""
        self.n_distances += self.n_samples * len(centers)
        return nearest_centers(self.points, centers)

    def seeds(self, rng: np.random.Generator) -> FloatArray:
        """Select samples as centres by greedy k-means++ with 2 + floor(log n_clusters) trials."""
        chosen = np.empty(self.n_clusters, dtype=np.int64)
        first = int(rng.integers(self.n_samples))
        draws = rng.random((self.n_clusters - 1, 2 + int(math.log(self.n_clusters))))
        n_steps = 2 * self.n_samples * draws.size
        self.n_distances += caching.run(greedy_seeds, n_steps, self.points, False, first, draws, chosen)
        return self.points[chosen]

    def decode(self, X: ArrayLike) -> Labels:
        """Assign samples to their nearest centres; number non-empty clusters in the order of centres."""
        return contiguous(self._positions(X))

    def centers(self, X: ArrayLike) -> FloatArray:
        """Return centres in data coordinates, in label order; centres without samples come last."""
        order = self._order(self._positions(X))
        return self.in_data(np.take_along_axis(self.relative_centers(X), order[:, :, np.newaxis], axis=1))

    def _positions(self, X: ArrayLike) -> Labels:
        rows = [self.nearest(centers)[0] for centers in self.relative_centers(X)]
        return np.array(rows, dtype=np.int32).reshape(-1, self.n_samples)

    def _order(self, positions: Labels) -> IntpArray:
        """Return the positions of the centres, with centres of empty clusters last."""
        sizes = [np.bincount(row, minlength=self.n_clusters) for row in positions]
        return np.argsort(np.reshape(sizes, (-1, self.n_clusters)) == 0, axis=1, kind="stable")

    def encode(self, labels: IntArray) -> FloatArray:  # type: ignore[override]
        """Return the means of the ``n_clusters`` largest clusters. If there are too few, repeat the means."""
        partitions = relabel_by_first_appearance(checked_labels(labels, self.n_samples))
        X = np.empty((len(partitions), self.n_clusters, self.n_features))
        for row, partition in zip(X, partitions, strict=True):
            sizes = np.bincount(partition)
            means = np.zeros((len(sizes), self.n_features))
            np.add.at(means, partition, self.points)
            means /= sizes[:, np.newaxis]
            largest = np.sort(np.argsort(-sizes, kind="stable")[: self.n_clusters])
            row[:] = means[np.resize(largest, self.n_clusters)]
        return X.reshape(len(X), -1)

    def repair(self, X: ArrayLike) -> FloatArray:  # type: ignore[override]
        """Return the genes unchanged, because all finite centres are valid."""
        return self.relative_centers(X).reshape(-1, self.n_var)

    def canonical(self, X: ArrayLike) -> FloatArray:  # type: ignore[override]
        """Sort each individual's centres lexicographically."""
        centers = self.relative_centers(X)
        return np.array([c[np.lexsort(c.T[::-1])] for c in centers]).reshape(-1, self.n_var)

    def random(self, n_individuals: int, rng: np.random.Generator) -> FloatArray:  # type: ignore[override]
        """Draw centres by greedy k-means++."""
        return np.array([self.seeds(rng) for _ in range(n_individuals)]).reshape(-1, self.n_var)


@documented(CenterEncoding)
class FuzzyCenterEncoding(CenterEncoding):
    """Encoding of fuzzy partitions by cluster centres, with fuzzy c-means memberships.

    A sample's membership in a cluster is d^-q divided by the sum of d^-q over all clusters, where d is the
    distance from the sample to the cluster's centre and ``q = 2 / (fuzziness - 1)``. The sample's label is
    the cluster with the highest membership (the first on ties). A sample located at a centre belongs only to
    the clusters with this centre, with equal memberships. Distances depend on the features' units, so scale X
    first. Takes O(n_individuals n_samples n_clusters n_features) time, and O(n_individuals n_samples
    n_clusters) memory for memberships. Source: J. Bezdek, "Pattern Recognition with Fuzzy Objective Function
    Algorithms", Plenum (1981).

    Parameters
    ----------
    fuzziness : float, default=2.0
        Exponent of memberships, greater than 1. If it is near 1, memberships are near 0 or 1. If it is large,
        memberships are near 1 / n_clusters.
    """

    def __init__(self, X: ArrayLike, n_clusters: int, *, fuzziness: float = 2.0) -> None:
        super().__init__(X, n_clusters)
        self.fuzziness = at_least_one("fuzziness", fuzziness, strictly=True)

    def memberships(self, X: ArrayLike) -> FloatArray:
        """Return memberships (n_individuals, n_samples, n_clusters), in the order of :meth:`centers`."""
        found = self._memberships(self.relative_centers(X))
        order = self._order(found.argmax(axis=2).astype(np.int32))
        return np.take_along_axis(found, order[:, np.newaxis], axis=2)

    def random(self, n_individuals: int, rng: np.random.Generator) -> FloatArray:  # type: ignore[override]
        """Draw distinct samples as centres."""
        order = rng.random((n_individuals, self.n_samples)).argsort(axis=1)[:, : self.n_clusters]
        return self.points[order].reshape(-1, self.n_var)

    def _memberships(self, centers: FloatArray) -> FloatArray:
        self.n_distances += self.n_samples * len(centers) * self.n_clusters
        squares = cdist(self.points, centers.reshape(-1, self.n_features), "sqeuclidean")
        squares = squares.reshape(self.n_samples, len(centers), self.n_clusters).transpose(1, 0, 2)
        return fuzzy_memberships(squares, self.fuzziness)

    def _positions(self, X: ArrayLike) -> Labels:
        centers = self.relative_centers(X)
        labels = np.empty((len(centers), self.n_samples), dtype=np.int32)
        for rows in block_slices(len(centers), self.n_samples * self.n_clusters):
            labels[rows] = self._memberships(centers[rows]).argmax(axis=2)
        return labels


def fuzzy_memberships(dissimilarities: FloatArray, fuzziness: float, axis: int = -1) -> FloatArray:
    """Compute memberships proportional to d^(-1 / (fuzziness - 1)), where d are dissimilarities to clusters.

    In fuzzy c-means, dissimilarities are squared distances. If a sample has dissimilarity 0 to q clusters,
    its membership in each of these clusters is 1/q.
    """
    least = dissimilarities.min(axis=axis, keepdims=True)
    # A quotient of the smallest value and a larger value cannot overflow.
    larger = dissimilarities > least
    u: FloatArray = np.divide(least, dissimilarities, out=np.ones(dissimilarities.shape), where=larger)
    if fuzziness != 2.0:
        np.power(u, 1.0 / (fuzziness - 1.0), out=u)
    u /= u.sum(axis=axis, keepdims=True)
    return u


def nearest_centers(points: FloatArray, centers: FloatArray) -> tuple[Labels, FloatArray, FloatArray]:
    """Return each point's nearest centre (the first on ties) and its two smallest squared distances."""
    labels = np.empty(len(points), dtype=np.int32)
    first, second = np.empty(len(points)), np.empty(len(points))
    two_nearest(points, np.ascontiguousarray(centers), labels, first, second)
    return labels, first, second


def shifted(rows: FloatArray, offsets: Offsets) -> FloatArray:
    """Subtract the encoding's offsets from data rows, so that the rows can be compared with its points."""
    return np.ascontiguousarray((rows - offsets[0]) - offsets[1])
