"""Sets of centres that need not be samples, scored as sets of medoids are."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pymoo.core.population import Population
from pymoo.core.problem import Problem
from pymoo.core.sampling import Sampling

from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.encodings._medoids import resolve_k_max
from moo_clustering.estimators._nearest_rows import row_distances
from moo_clustering.problems._medoid_components import ConstrainedAssignment
from moo_clustering.problems._medoid_space import MedoidSpace, Members
from moo_clustering.problems._partition import VIOLATION
from moo_clustering.validity import _i_index, _xie_beni
from moo_clustering.validity._representatives import Scatter

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.integer[Any]]
Labels = NDArray[np.int32]

# Samples whose distances to all others are looked at for the mean square distance, a scale only.
_ROWS = 1024


class CenterProblem(Problem):
    """Compact sets of centres that are far apart: minimise Xie-Beni, maximise the I-index.

    Genes are the coordinates of up to ``k_max`` centres, padded with NaN. Centres nearest to no sample
    are dropped, and the genes written back; individuals left with one get Xie-Beni 1e12 and I-index 0.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    k_max : {"sqrt", "ceil_sqrt"} or int
    metric : {"euclidean", "cosine"}
    constraints : PairwiseConstraints or None
    supervision : {"none", "objective", "constraint"}
    noise : float
        Scale of the Laplacian noise in standard deviations of each feature.

    Notes
    -----
    O(k n_samples n_features) per individual of k centres.

    References
    ----------
    NSGA-II-clus.
    """

    def __init__(
        self,
        X: FloatArray,
        *,
        k_max: int | str,
        metric: str,
        constraints: PairwiseConstraints | None,
        supervision: str,
        noise: float,
    ) -> None:
        self.features, self.metric = X, metric
        self.n_samples, self.n_features = X.shape
        self.k_min, self.k_max = min(2, self.n_samples), resolve_k_max(k_max, self.n_samples)
        self.constraints, self.supervision = constraints, supervision
        spaced = np.unique(np.linspace(0, self.n_samples - 1, min(self.n_samples, _ROWS)).astype(np.int64))
        with np.errstate(over="ignore", invalid="ignore"):
            self.noise = noise * X.std(axis=0)
            self.mean_square = float(np.square(row_distances(X, X[spaced], metric)).mean())
            # e1="centroid".
            self.total_to_one = float(row_distances(X, X.mean(axis=0, keepdims=True), metric).sum())
        if not np.isfinite([*self.noise, self.mean_square, self.total_to_one]).all():
            raise ValueError("X has values so large that squared distances overflow; rescale it.")
        third = supervision == "objective"
        self.objective_names = ("xie_beni", "i_index", VIOLATION)[: 2 + third]
        self._signs = np.array([1.0, -1.0, 1.0])[: 2 + third]
        super().__init__(
            n_var=self.k_max * self.n_features,
            n_obj=2 + third,
            n_ieq_constr=int(supervision == "constraint"),
        )

    def centers(self, X: ArrayLike) -> FloatArray:
        """Genes as centres of shape (n_individuals, k_max, n_features)."""
        return np.asarray(X, dtype=np.float64).reshape(-1, self.k_max, self.n_features)

    def sizes(self, X: ArrayLike) -> NDArray[np.int64]:
        """Number of centres of every individual."""
        return np.asarray((~np.isnan(self.centers(X)[:, :, 0])).sum(axis=1), dtype=np.int64)

    def decode(self, X: ArrayLike) -> Labels:
        """Partitions (n_individuals, n_samples); label = position of the centre among those in use."""
        labels = [self._assign(centers)[0] for centers in self._each(X)]
        return np.stack(labels) if labels else np.empty((0, self.n_samples), dtype=np.int32)

    def partitions(self, pop: Population) -> Labels:
        """Partitions of evaluated individuals."""
        return self.decode(pop.get("X"))

    def natural(self, F: ArrayLike) -> FloatArray:
        """Objectives in natural sign."""
        return np.asarray(F, dtype=np.float64) * self._signs

    def constrained(self, X: ArrayLike) -> tuple[Labels, FloatArray]:
        """Labels by the assignment under constraints, and the centres that keep samples."""
        assignment = ConstrainedAssignment(self._pairs())
        labels, kept = [], np.full((len(np.atleast_2d(X)), self.k_max, self.n_features), np.nan)
        for q, centers in enumerate(self._each(X)):
            rows = _GivenRows(row_distances(self.features, centers, self.metric).T)
            own, used = assignment.labels(rows, np.arange(len(centers))[None, :])
            labels.append(own[0])
            used = used[used >= 0]
            kept[q, : len(used)] = centers[used]
        return np.stack(labels), kept

    def nearest_members(self, centers: FloatArray, labels: Labels) -> NDArray[np.int64]:
        """Member of every cluster that is nearest to its centre, shape (k,); ties: the lowest number."""
        D = row_distances(self.features, centers, self.metric)
        own = labels[:, None] == np.arange(len(centers))
        return np.asarray(np.where(own, D, np.inf).argmin(axis=0), dtype=np.int64)

    def _pairs(self) -> PairwiseConstraints:
        if self.constraints is None:
            raise ValueError("constraints were not given to this problem.")
        return self.constraints

    def _each(self, X: ArrayLike) -> Iterator[FloatArray]:
        for centers, size in zip(self.centers(X), self.sizes(X), strict=True):
            yield centers[:size]

    def _assign(self, centers: FloatArray) -> tuple[Labels, FloatArray, NDArray[np.int64]]:
        """Labels without gaps, distances to the own centre, and which centres are in use."""
        D = row_distances(self.features, centers, self.metric)
        nearest = D.argmin(axis=1)
        used, labels = np.unique(nearest, return_inverse=True)
        return labels.astype(np.int32), D[np.arange(len(D)), nearest], used

    def _evaluate(self, X: ArrayLike, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        written = np.array(X, dtype=np.float64)
        n = len(written)
        labels = np.empty((n, self.n_samples), dtype=np.int32)
        count = np.empty(n, dtype=np.int64)
        squares, sums, least, greatest = np.empty(n), np.empty(n), np.full(n, np.inf), np.zeros(n)
        for q, centers in enumerate(self._each(X)):
            labels[q], e, used = self._assign(centers)
            squares[q], sums[q], count[q] = e @ e, e.sum(), len(used)
            if len(used) > 1:
                kept = centers[used]
                apart = row_distances(kept, kept, self.metric)[np.triu_indices(len(kept), 1)]
                least[q], greatest[q] = apart.min(), apart.max()
                written[q] = np.nan
                written[q, : kept.size] = kept.ravel()
        columns = [
            _xie_beni._values(
                Scatter(squares, least**2, greatest**2), count, self.n_samples, self.mean_square
            ),
            _i_index._values(Scatter(sums, least, greatest), count, self.total_to_one, 2.0),
        ]
        if self.supervision == "objective":
            columns.append(self._pairs().violation(labels))
        elif self.supervision == "constraint":
            out["G"] = self._pairs().violation(labels)[:, None]
        out["F"] = np.column_stack(columns) * self._signs
        out["X"] = written

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return copy.copy(self)


class CenterSampling(Sampling):
    """K uniform on 2..k_max, then K distinct samples as centres."""

    def _do(
        self,
        problem: CenterProblem,
        n_samples: int,
        *args: Any,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> FloatArray:
        rng = np.random.default_rng(random_state)
        X = np.full((n_samples, problem.k_max, problem.n_features), np.nan)
        for row, size in zip(X, rng.integers(problem.k_min, problem.k_max + 1, size=n_samples), strict=True):
            row[:size] = problem.features[rng.choice(problem.n_samples, size=size, replace=False)]
        return X.reshape(n_samples, -1)


class _GivenRows(MedoidSpace):
    """Distances of a few centres to all samples, for the assignment under constraints."""

    def __init__(self, D: FloatArray) -> None:
        self._rows = np.ascontiguousarray(D)
        self.n_samples = D.shape[1]
        self.mean_square = self.total_to_one = 0.0
        self.n_jobs = None

    def rows(self, ids: IntArray) -> FloatArray:
        return self._rows[ids]

    def blocks(self, medoids: IntArray) -> Iterator[tuple[FloatArray, IntArray]]:
        yield self._rows, medoids

    def own(self, medoids: IntArray, labels: Labels) -> FloatArray:
        ids = np.take_along_axis(medoids, labels.astype(np.intp), axis=1)
        return self._rows[ids, np.arange(self.n_samples)]

    def separations(self, medoids: IntArray) -> tuple[FloatArray, FloatArray]:
        raise TypeError("centres are no samples: only distances to samples are known.")

    def find_medoids(self, members: Members, wanted: NDArray[np.bool_], medoids: NDArray[np.int64]) -> None:
        raise TypeError("centres are no samples: only distances to samples are known.")
