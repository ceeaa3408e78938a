"""Minimum sum-of-squares clustering."""

from __future__ import annotations

import copy
from collections import OrderedDict
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moo_clustering._kernels.hamerly import lloyd
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.encodings._base import Labels
from moo_clustering.encodings._canonical import distinct_rows
from moo_clustering.problems._center_encoding import CenterEncoding, FloatArray
from moo_clustering.problems._partition import ConstraintHandling, PartitionProblem
from moo_clustering.validity._base import ValidityIndex
from moo_clustering.validity._sum_of_squares import SumOfSquares

MAX_PASSES = 300
# Bytes for what is known of recent individuals.
_MEMORY = 1 << 26


class Optimum(NamedTuple):
    """Centres, the samples nearest to them, and the sum of their squared distances."""

    centers: FloatArray
    labels: Labels
    objective: float


class SumOfSquaresProblem(PartitionProblem):
    """Centres for the samples such that the sum of squared distances to the nearest is least.

    Genes are the coordinates of ``n_clusters`` centres, one after the other, as real numbers in the
    coordinates of X less its mean (:meth:`centers` gives those of X). The order of the centres means
    nothing: :class:`~moo_clustering.operators.CentreMatchingCrossover` and ``RelocateCentre`` know that,
    and ``LocalSearchRepair`` makes every individual a local optimum; any operator on real numbers works.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    n_clusters : int
        From 1 to n_samples.
    constraints, constraint_handling
        As for :class:`PartitionProblem`, of which this is the case of a :class:`CenterEncoding` and the
        index ``SumOfSquares``, only that squares are taken to the centres, which need not be means.

    Attributes
    ----------
    encoding : CenterEncoding
        For ``EncodingSampling`` (greedy k-means++) and ``CanonicalDuplicates(problem.encoding)``.
    n_clusters, n_features : int
    n_distances : int
        Distances between two points taken so far.
    n_local_searches : int

    Raises
    ------
    TypeError, ValueError
        For data or options out of range. Evaluation refuses genes that are not finite.

    Notes
    -----
    O(n_samples n_clusters n_features) time an individual; local searches and evaluations of recent
    individuals are not repeated. Evaluated individuals carry their partition as ``"labels"``, of shape
    (n_samples,), a label being the position of the centre. Deep copies share the data and what is known.

    References
    ----------
    S. Lloyd, "Least squares quantization in PCM", IEEE Transactions on Information Theory 28 (1982);
    G. Hamerly, "Making k-means even faster", SDM (2010).

    Examples
    --------
    >>> from moo_clustering.problems._sum_of_squares import SumOfSquaresProblem
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
        one = encoding.n_var * 8 + encoding.n_samples * 4
        self._n_known = max(2, _MEMORY // one)

    @property
    def points(self) -> FloatArray:
        """X less its mean, (n_samples, n_features)."""
        return self.encoding.points

    @property
    def n_distances(self) -> int:
        """Distances between two points taken so far."""
        return self.encoding.n_distances

    def centers(self, X: ArrayLike) -> FloatArray:
        """Genes as centres in the coordinates of the data, (n_individuals, n_clusters, n_features)."""
        return self.encoding.in_data(self.encoding.centers(X))

    def optimum(self, centers: FloatArray) -> Optimum:
        """What Lloyd's iterations reach from centres of shape (n_clusters, n_features).

        A local optimum, unless 300 passes were too few for one.
        """
        centers = np.array(centers, dtype=np.float64, order="C")
        labels = np.empty(self.n_samples, dtype=np.int32)
        objective, _, distances, converged = lloyd(self.points, centers, labels, MAX_PASSES)
        self.encoding.n_distances += distances
        if not converged:
            # The last pass has moved the centres away from their labels.
            labels, squares, _ = self.encoding.nearest(centers)
            objective = float(squares.sum())
        self.n_local_searches += 1
        self._remember(centers, labels, objective)
        return Optimum(centers, labels, objective)

    def improve(self, X: ArrayLike) -> FloatArray:
        """Genes of the local optima reached from those given."""
        found = [self.optimum(centers).centers for centers in self.encoding.centers(X)]
        return np.array(found).reshape(-1, self.n_var)

    def nearest_labels(self, X: ArrayLike) -> Labels:
        """Position of the nearest centre, (n_individuals, n_samples)."""
        rows = [self._known_or_scored(centers)[0] for centers in self.encoding.centers(X)]
        return np.array(rows, dtype=np.int32).reshape(-1, self.n_samples)

    def fresh(self) -> Self:
        """The same problem with its own counts, from 0, so that runs side by side don't mix them."""
        twin = copy.copy(self)
        twin.encoding = copy.copy(self.encoding)
        twin.encoding.n_distances = twin.n_local_searches = 0
        twin._known = OrderedDict()
        return twin

    def decode(self, X: ArrayLike | None) -> Labels:
        if X is None:
            return super().decode(X)
        rows = [np.unique(row, return_inverse=True)[1] for row in self.nearest_labels(X)]
        return np.array(rows, dtype=np.int32).reshape(-1, self.n_samples)

    def _evaluate(self, X: ArrayLike, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        super()._evaluate(X, out, *args, **kwargs)
        out["labels"] = self.nearest_labels(X)

    def _distinct(
        self, X: NDArray[Any], labels: NDArray[np.int32]
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        # Equal partitions differ in their squares where the centres do.
        return distinct_rows(X)

    def _values(self, index: ValidityIndex, labels: NDArray[np.int32], X: NDArray[Any]) -> FloatArray:
        return np.array([self._known_or_scored(centers)[1] for centers in self.encoding.centers(X)])

    def _known_or_scored(self, centers: FloatArray) -> tuple[Labels, float]:
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
