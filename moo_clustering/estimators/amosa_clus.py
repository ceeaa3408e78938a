"""AMOSAClus: clustering by archived multi-objective simulated annealing of medoids or centres."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pymoo.core.population import Population
from pymoo.core.problem import Problem
from pymoo.core.result import Result
from scipy.sparse import issparse

from moo_clustering._arrays import quoted, require_squares
from moo_clustering._types import BoolArray, FloatArray, Int64Array, IntArray, Labels
from moo_clustering.algorithms import AMOSA, PymooSearch, Recorder, exhaustive_front
from moo_clustering.algorithms.search import Plans
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.encodings.medoids import as_sets, random_absent, resolve_k_max, set_sizes
from moo_clustering.estimators._base import row_distances, settled
from moo_clustering.estimators._medoids import MedoidSetClusterer
from moo_clustering.estimators._options import KW_ONLY, Positive, estimator
from moo_clustering.operators import CanonicalDuplicates, MedoidSampling
from moo_clustering.operators.base import SeededSampling
from moo_clustering.persistence import Checkpoint
from moo_clustering.problems import MedoidProblem
from moo_clustering.problems.medoids import ConstrainedAssignment
from moo_clustering.problems.partition import VIOLATION, evaluated_population, pymoo_result
from moo_clustering.validity import internal

SCHEDULE = ("soft_limit", "hard_limit", "init_factor", "n_climb", "n_moves", "t_max", "t_min", "cooling")
REPLACE, INSERT, DELETE = 0, 1, 2


@estimator
class AMOSAClus(MedoidSetClusterer):
    """AMOSA-clus: archived simulated annealing of medoid sets, using the Xie-Beni index and the I-index.

    The search determines the number of clusters, and can be guided by partial labels or pairs. This baseline
    for :class:`NSGA2Clus` has the same objectives, selection rules and attributes. By default, it evaluates
    about 15,700 solutions. Evaluating medoids takes as much time as in :class:`NSGA2Clus`, and evaluating k
    centres takes O(n_samples k n_features) time. Source: NSGA-II-clus; Bandyopadhyay, Saha, Maulik and Deb,
    IEEE TEVC 12, 2008.

    Parameters
    ----------
    metric : str or callable
        Same as for :class:`NSGA2Clus`; with ``encoding="center"``, it must be "cosine" or "euclidean".
    encoding : {"medoid", "center"}
        Whether clusters are represented by samples, or by arbitrary points (dense data only).
    supervision : {"objective", "external", "constraint", "assignment", "none"}
        Same as for :class:`NSGA2Clus`. ``"assignment"`` requires medoids.
    acceptance : {"physical", "literal"}
        Acceptance probability, see :class:`~moo_clustering.algorithms.AMOSA`.
    annealing : dict, optional
        Archive sizes, temperatures and numbers of steps, named like the parameters of
        :class:`~moo_clustering.algorithms.AMOSA`, such as ``{"t_max": 10, "n_moves": 50}``. With fewer than
        20 samples, the defaults of ``soft_limit``, ``hard_limit`` and ``n_moves`` are 20, 10 and 20.
    perturbation_scale : float
        Scale of the Laplace noise added to a centre, in standard deviations of each feature.
    checkpoint_every : int
        Number of temperatures between checkpoints.

    Attributes
    ----------
    medoid_indices_, pareto_medoids_ : ndarray of shape (n_clusters_,), (n_solutions, k_max)
        Row indices of medoids or of members nearest to centres. ``pareto_medoids_`` is padded with -1.
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        Cluster centres, with ``encoding="center"``.
    pareto_centers_ : ndarray of shape (n_solutions, k_max, n_features)
        Centres of each solution on the front, padded with NaN, with ``encoding="center"``.
    history_ : Recorder
        Archive at each temperature.
    n_iter_ : int
        Number of temperatures.

    Examples
    --------
    >>> import numpy as np
    >>> from moo_clustering import AMOSAClus
    >>> model = AMOSAClus(metric="euclidean", k_max=3, random_state=0)
    >>> np.sort(model.fit([[0], [1], [2], [10], [11], [13]]).pareto_medoids_)
    array([[-1,  1,  4],
           [ 1,  3,  5]])
    """

    _: KW_ONLY
    algorithm: ClassVar[None] = None  # type: ignore[misc]
    encoding: Literal["medoid", "center"] = "medoid"
    supervision: Literal["objective", "external", "constraint", "assignment", "none"] = "objective"
    acceptance: Literal["physical", "literal"] = "physical"
    annealing: Annotated[dict[str, Any] | None, dict, None] = None
    perturbation_scale: Positive = 1.0

    def _problem(
        self, X: Any, constraints: PairwiseConstraints | None, supervision: str
    ) -> MedoidProblem | CenterProblem:
        self._annealing(X.shape[0])  # raises errors before distances are computed
        if self.encoding == "medoid":
            return super()._problem(X, constraints, supervision)
        if not isinstance(self.metric, str) or self.metric not in ("euclidean", "cosine"):
            raise ValueError(
                f"encoding='center' requires metric='euclidean' or 'cosine', got {quoted(self.metric)}"
            )
        if issparse(X):
            raise TypeError("encoding='center' requires dense data, got a sparse matrix; use 'medoid'")
        if self.supervision == "assignment":
            raise ValueError("supervision='assignment' requires encoding='medoid', got 'center'")
        return CenterProblem(X, self, constraints, supervision)

    def _run(
        self, problem: MedoidProblem | CenterProblem, seed: int, checkpoint: Checkpoint | None
    ) -> Plans[Population]:
        if problem.n_samples <= 2:
            self.history_, self.n_iter_, self.interrupted_ = Recorder(), 0, False
            self.result_ = _every_sample(problem)
            self.history_.record(0, self.result_.pop.get("F"))
            return self.result_.pop
        centered = isinstance(problem, CenterProblem)
        algorithm = self._annealing(
            problem.n_samples,
            sampling=CenterSampling() if centered else MedoidSampling(),
            perturb=perturb_centers if centered else perturb_medoids,
            eliminate_duplicates=CanonicalDuplicates(None if centered else problem.encoding),
        )
        search, signs = PymooSearch(problem, algorithm, seed=seed), problem.natural(np.ones(problem.n_obj))
        yield from self._drive(search, problem, algorithm.n_temperatures, checkpoint, signs)
        self.result_ = settled(search.result())
        # Remove the algorithm from the result, because it contains functions that cannot be pickled.
        self.result_.algorithm = None
        return self.result_.pop

    def _annealing(self, n_samples: int, **operators: Any) -> AMOSA:
        few = {"soft_limit": 20, "hard_limit": 10, "n_moves": 20} if n_samples < 20 else {}
        given = self.annealing or {}
        if unknown := sorted(map(str, given.keys() - SCHEDULE)):
            raise ValueError(
                f"annealing must contain only {', '.join(SCHEDULE)}, got {quoted(', '.join(unknown))}"
            )
        return AMOSA(acceptance=self.acceptance, **{**few, **given}, **operators)

    def _keys(self, problem: Any, genes: NDArray[Any], labels: Labels) -> NDArray[Any]:
        # Solutions with different centres can have the same partition, so identify them by their partitions.
        return labels if isinstance(problem, CenterProblem) else super()._keys(problem, genes, labels)

    def _keep_representatives(self, problem: Any, front: Population, X: Any, repaired: bool) -> None:
        for name in ("cluster_centers_", "pareto_centers_"):
            self.__dict__.pop(name, None)
        if not isinstance(problem, CenterProblem):
            super()._keep_representatives(problem, front, X, repaired)
            return
        self.pareto_centers_ = problem.centers(front.get("X"))
        self._final_centers = self.pareto_centers_
        self.pareto_medoids_ = problem.nearest_members(self.pareto_centers_, self.pareto_labels_)
        self.repaired_medoids_ = self.pareto_medoids_
        if repaired:
            self.repaired_labels_, self._final_centers = problem.constrained(front.get("X"))
            self.repaired_medoids_ = problem.nearest_members(self._final_centers, self.repaired_labels_)

    def _repaired_labels(self, problem: Any, front: Population) -> Labels:
        if isinstance(problem, CenterProblem):
            return self.pareto_labels_  # repaired together with the centres
        return super()._repaired_labels(problem, front)

    def _set_representatives(self) -> None:
        if self.encoding == "medoid":
            super()._set_representatives()
            return
        order = self._orders[self.chosen_, : self.n_clusters_]
        self.cluster_centers_ = self._final_centers[self.chosen_, order]
        self.medoid_indices_ = self.repaired_medoids_[self.chosen_, : self.n_clusters_].copy()
        self._numbers = order.argsort()
        self._representatives = self.cluster_centers_[self._numbers]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.sparse and self.encoding == "medoid"
        return tags


def _every_sample(problem: MedoidProblem | CenterProblem) -> Result:
    """Return the result for one or two samples, each of which becomes a cluster."""
    if isinstance(problem, MedoidProblem):
        return exhaustive_front(problem)
    genes, names = problem.features.reshape(1, -1), ["F", "G", "H"]
    out = problem.evaluate(genes, return_values_of=names, return_as_dictionary=True)
    return pymoo_result(problem, evaluated_population(**out))


def draw_moves(
    can_replace: BoolArray, can_insert: BoolArray, can_delete: BoolArray, rng: np.random.Generator
) -> Int64Array:
    """Draw an applicable move (replace, insert or delete) for each row, or -1 if no move is applicable."""
    applicable = np.stack([can_replace, can_insert, can_delete])
    count = applicable.sum(axis=0)
    turn = rng.integers(0, np.maximum(count, 1))
    move = np.argmax((np.cumsum(applicable, axis=0) == turn + 1) & applicable, axis=0)
    return np.where(count > 0, move, -1)


def perturb_medoids(problem: Any, X: NDArray[Any], rng: np.random.Generator) -> Int64Array:
    """Replace, add or remove one medoid per individual, and return genes of shape (n_individuals, k_max)."""
    sets = as_sets(X)
    n, k_min, k_max = problem.n_samples, problem.encoding.k_min, sets.shape[1]
    sizes = set_sizes(sets)
    absent = sizes < n
    move = draw_moves(absent, absent & (sizes < k_max), sizes > k_min, rng)
    position = rng.integers(0, sizes)
    enter = np.flatnonzero((move == REPLACE) | (move == INSERT))
    where = np.where(move == INSERT, sizes, position)[enter]
    sets[enter, where] = random_absent(sets[enter], n, rng)
    for row in np.flatnonzero(move == DELETE):
        sets[row, :-1] = np.delete(sets[row], position[row])
        sets[row, -1] = -1
    return sets


def perturb_centers(problem: Any, X: FloatArray, rng: np.random.Generator) -> FloatArray:
    """In each row of X, shift a centre by Laplace noise, add a sample as a centre, or remove a centre."""
    centers = problem.centers(X).copy()
    sizes = problem.sizes(X)
    always = np.ones(len(centers), dtype=bool)
    move = draw_moves(always, sizes < centers.shape[1], sizes > problem.k_min, rng)
    position = rng.integers(0, sizes)
    rows = np.flatnonzero(move == REPLACE)
    noise = rng.laplace(size=(len(rows), centers.shape[2]))
    centers[rows, position[rows]] += noise * problem.noise
    rows = np.flatnonzero(move == INSERT)
    centers[rows, sizes[rows]] = problem.features[rng.integers(0, problem.n_samples, size=len(rows))]
    for row in np.flatnonzero(move == DELETE):
        centers[row, :-1] = np.delete(centers[row], position[row], axis=0)
        centers[row, -1] = np.nan
    return centers.reshape(X.shape)


class CenterProblem(Problem):
    """Problem with the objectives of MedoidProblem, whose genes are centres padded with NaN."""

    def __init__(
        self, X: FloatArray, options: AMOSAClus, constraints: PairwiseConstraints | None, supervision: str
    ) -> None:
        self.features, self.metric = X, options.metric
        self.n_samples, self.n_features = X.shape
        self.k_min, self.k_max = min(2, self.n_samples), resolve_k_max(options.k_max, self.n_samples)
        self.constraints: Any = constraints
        self.supervision = supervision
        spaced = np.unique(np.linspace(0, self.n_samples - 1, min(self.n_samples, 1024)).astype(np.int64))
        require_squares(X)
        self.noise = options.perturbation_scale * X.std(axis=0)
        self.mean_square = float(np.square(row_distances(X, X[spaced], self.metric)).mean())
        # The I-index (``e1="centroid"``) requires the sum of the distances from all samples to their mean.
        self.total_to_one = float(row_distances(X, X.mean(axis=0, keepdims=True), self.metric).sum())
        third = supervision == "objective"
        self.objective_names = ("xie_beni", "i_index", VIOLATION)[: 2 + third]
        self._signs = np.array([1.0, -1.0, 1.0])[: 2 + third]
        super().__init__(
            n_var=self.k_max * self.n_features, n_obj=2 + third, n_ieq_constr=int(supervision == "constraint")
        )

    def centers(self, X: ArrayLike) -> FloatArray:
        """Reshape genes to centres of shape (n_individuals, k_max, n_features)."""
        return np.asarray(X, dtype=np.float64).reshape(-1, self.k_max, self.n_features)

    def sizes(self, X: ArrayLike) -> Int64Array:
        return np.asarray((~np.isnan(self.centers(X)[:, :, 0])).sum(axis=1), dtype=np.int64)

    def decode(self, X: ArrayLike) -> Labels:
        """Return contiguous cluster labels of the samples, shape (n_individuals, n_samples)."""
        labels = [self._assign(centers)[0] for centers in self._each(X)]
        return np.array(labels, dtype=np.int32).reshape(-1, self.n_samples)

    def partitions(self, pop: Population) -> Labels:
        return self.decode(pop.get("X"))

    def natural(self, F: ArrayLike) -> FloatArray:
        return np.asarray(F, dtype=np.float64) * self._signs

    def constrained(self, X: ArrayLike) -> tuple[Labels, FloatArray]:
        """Assign samples under the constraints. Return the labels and the centres of non-empty clusters."""
        assignment = ConstrainedAssignment(self.constraints)
        labels, kept = [], np.full((len(np.atleast_2d(X)), self.k_max, self.n_features), np.nan)
        for q, centers in enumerate(self._each(X)):
            space: Any = _CenterDistances(row_distances(self.features, centers, self.metric))
            own, used = assignment.labels(space, np.arange(len(centers))[None, :])
            labels.append(own[0])
            used = used[used >= 0]
            kept[q, : len(used)] = centers[used]
        return np.stack(labels), kept

    def nearest_members(self, centers: FloatArray, labels: Labels) -> Int64Array:
        """Return the cluster member nearest to each centre of each partition, padded with -1."""
        out = np.full(centers.shape[:2], -1, dtype=np.int64)
        for row, own, partition in zip(out, centers, labels, strict=True):
            k = int(partition.max()) + 1
            D = row_distances(self.features, own[:k], self.metric)
            row[:k] = np.where(partition[:, None] == np.arange(k), D, np.inf).argmin(axis=0)
        return out

    def _each(self, X: ArrayLike) -> Iterator[FloatArray]:
        for centers, size in zip(self.centers(X), self.sizes(X), strict=True):
            yield centers[:size]

    def _assign(self, centers: FloatArray) -> tuple[Labels, FloatArray, Int64Array]:
        """Assign each sample to its nearest centre."""
        # Returns labels without gaps, the distance of each sample to its centre, and the indices of the
        # centres to which samples were assigned.
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
            internal.xie_beni_values(squares, least**2, count, self.n_samples, self.mean_square),
            internal.i_index_values(sums, greatest, count, self.total_to_one, 2.0),
        ]
        if self.supervision == "objective":
            columns.append(self.constraints.violation(labels))
        elif self.supervision == "constraint":
            out["G"] = self.constraints.violation(labels)[:, None]
        out["F"] = np.column_stack(columns) * self._signs
        out["X"] = written

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return copy.copy(self)


class CenterSampling(SeededSampling):
    """Draw the number of clusters k uniformly from 2..k_max, and k distinct samples as centres."""

    def _apply(self, problem: CenterProblem, n_samples: int, rng: np.random.Generator) -> FloatArray:
        X = np.full((n_samples, problem.k_max, problem.n_features), np.nan)
        for row, size in zip(X, rng.integers(problem.k_min, problem.k_max + 1, size=n_samples), strict=True):
            row[:size] = problem.features[rng.choice(problem.n_samples, size=size, replace=False)]
        return X.reshape(n_samples, -1)


class _CenterDistances:
    """Adapter that lets ConstrainedAssignment, which expects medoids, assign samples to centres."""

    def __init__(self, D: FloatArray) -> None:
        self.D, self.n_samples = D, len(D)

    def rows(self, ids: IntArray) -> FloatArray:
        return np.ascontiguousarray(self.D.T[ids])

    def nearest(self, medoids: IntArray, *, exception: bool) -> tuple[Labels, None]:
        return self.D.argmin(axis=1)[None].astype(np.int32), None
