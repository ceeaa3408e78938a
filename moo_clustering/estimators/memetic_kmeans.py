"""MemeticKMeans: evolutionary k-means, and simpler searches for comparison."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import Annotated, Any, Literal, NamedTuple, Self

import numpy as np
import pandas as pd
from deap import base
from joblib import delayed
from numpy.random import Generator
from pymoo.core.evaluator import Evaluator
from pymoo.core.individual import Individual
from pymoo.core.population import Population
from scipy.spatial.distance import cdist
from sklearn.base import _fit_context
from sklearn.cluster import AgglomerativeClustering
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils._param_validation import Interval

from moo_clustering import results
from moo_clustering._arrays import integer_seed, number_clusters, spawn_seeds, warn_caller
from moo_clustering._data import is_partitioned, numeric_features
from moo_clustering._docs import documented
from moo_clustering._kernels.kmeans import lloyd
from moo_clustering._messages import progress_bar
from moo_clustering._parallel import thread_calls
from moo_clustering._types import FloatArray, Int64Array, IntpArray, Labels
from moo_clustering.algorithms import search as searches
from moo_clustering.estimators import _base
from moo_clustering.estimators._options import KW_ONLY, Count, Probability, SearchOptions, estimator
from moo_clustering.operators import CenterMatchingCrossover, LocalSearchRepair, RelocateCenter, start_genes
from moo_clustering.operators.centers import Removal, relocate
from moo_clustering.operators.deap.individuals import CenterIndividual
from moo_clustering.operators.deap.variation import cx_match_centers, local_search, mut_relocate
from moo_clustering.parts import Parts, lazy_labels, parts
from moo_clustering.parts.labels import NearestCenter
from moo_clustering.parts.statistics import Survey
from moo_clustering.persistence import Checkpoint
from moo_clustering.problems.centers import Offsets, Optimum, SumOfSquaresProblem, nearest_centers, shifted

CONTROLS = ("multistart", "swap", "ward")
# With more samples, only ``strategy="ward"`` computes a Ward cut.
WARD_SAMPLES = 8000
# The default budget is 2000 n_samples n_clusters distances, but at most the larger of 5e8 and 200 n_samples
# n_clusters. With smaller budgets, restarts of k-means find lower sums of squares than evolution.
_TABLES, _DISTANCES, _FEWEST_TABLES = 2000, 500_000_000, 200
# A partitioned table is searched in up to _SEARCHES samples of _SEARCHED rows. Then, _TOGETHER iterations on
# all samples and up to _PASSES passes over all rows follow. The passes end when the relative gain of a pass
# is at most _REST.
_SEARCHES, _SEARCHED, _TOGETHER, _PASSES, _REST = 4, 20_000, 20, 11, 1e-6
State = tuple[dict[str, Any], dict[str, Any]]


@documented(RelocateCenter)
@estimator
class MemeticKMeans(_base.PartLabelsMixin, _base.TransformingClusterer, SearchOptions):
    """k-means that finds low sums of squares by evolution or a simpler search.

    With 50 or more clusters, evolution and single-centre relocation (``strategy="swap"``) find lower sums of
    squares than restarts, but do not agree reliably better with known classes. With 20 or fewer clusters,
    restarts are as good. Source: D. Gribel, T. Vidal, "HG-means: A scalable hybrid genetic algorithm for
    minimum sum-of-squares clustering", Pattern Recognition 88 (2019); P. Fränti, "Efficiency of random swap
    clustering", Journal of Big Data 5 (2018); G. Hamerly, "Making k-means even faster", SDM (2010).

    Parameters
    ----------
    strategy : {"memetic", "swap", "multistart", "ward"}
        Search strategy. Every solution is a local optimum of Lloyd's algorithm.

        - ``"memetic"``: a population that evolves by tournament selection, exchange of matched centres,
          relocation of a centre, local search, and survival of distinct optima.
        - ``"swap"``: a single solution; a centre moves to a sample if this lowers the sum of squares.
        - ``"multistart"``: restarts from greedy k-means++ seeds.
        - ``"ward"``: ``"swap"``, starting from a cut of the Ward hierarchy; best for many compact clusters.
    pop_min, pop_max : int, default=10, 20
        Initial population size, which is restored when the population exceeds ``pop_max``.
    pm : float
        Probability that a child is mutated.
    ward_start : bool
        Whether the initial population of ``"memetic"`` includes a Ward cut if there are at most 8000 samples.
    max_distance_evaluations : int, optional
        Maximum number of point-to-point distances; local searches are always completed. Default without
        ``max_time``: 2000 n_samples n_clusters, but at most the larger of 5e8 and 200 n_samples n_clusters.
    max_time : float, optional
        Maximum wall-clock time in seconds. If set, the result depends on the speed of the machine.
    max_stall : int
        Number of consecutive children without improvement after which the population restarts.
    report_controls : bool
        Whether ``"multistart"``, ``"swap"`` and (up to 8000 samples) ``"ward"`` also run, with equal budgets.
    max_memory : int, default=4 GiB
        Maximum memory for the distances of a Ward cut, in bytes.
    n_jobs : int, optional
        Number of threads. The result does not depend on ``n_jobs`` unless ``max_time`` is set.
    checkpoint_every : int
        Number of local searches between checkpoints. A resumed search may have a larger budget.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
    inertia_ : float
        Sum of squared distances of the samples to their centres.
    history_ : DataFrame
        ``generation`` (local searches), ``distance_evaluations`` and ``inertia`` at improvements and the end.
    control_inertia_ : dict of str to float
        Sum of squares of each control, if ``report_controls`` is True.
    n_local_searches_, n_iter_ : int
        Number of local searches.
    parts_ : Parts
        Partitioned table that was passed to ``fit``.

    Notes
    -----
    Features are not scaled. The first pass of a local search takes O(n_samples n_clusters n_features) time;
    later passes take less. A Ward cut takes O(n_samples^2 n_features) time and 4 n_samples^2 bytes. The
    budget counts the cut as 1.5 n_samples^2 distances, but the cut takes longer than these distances. To
    compare strategies, use equal ``max_time``. A fit uses O(n_samples n_features + pop_max n_clusters
    n_features) memory, and up to 64 MiB for cached partitions. With the same seed and
    ``max_distance_evaluations``, results on one machine are bitwise identical. A larger budget never worsens
    the result.

    A partitioned table (:func:`~moo_clustering.parts.parts`, a Dask collection or a Zarr array) can be larger
    than memory. Up to four random samples of its rows are searched with equal shares of the budget, and the
    results are improved by up to 11 passes over all rows (:doc:`/scale`). ``labels_`` is then a Dask array,
    and ``history_`` has one row per pass, with the number of distances computed by the searches.

    Examples
    --------
    >>> from moo_clustering import MemeticKMeans
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> model = MemeticKMeans(2, random_state=0).fit(X)
    >>> model.labels_, model.inertia_
    (array([0, 0, 0, 1, 1, 1], dtype=int32), 4.0)
    """

    n_clusters: Count
    _: KW_ONLY
    strategy: Literal["memetic", "swap", "multistart", "ward"] = "memetic"
    pop_min: Count = 10
    pop_max: Count = 20
    pm: Probability = 1.0
    ward_start: bool = True
    removal: Literal["uniform", "cheap"] = "uniform"
    max_distance_evaluations: Count | None = None
    max_time: Annotated[float, Interval(Real, 0, None, closed="neither")] | None = None
    max_stall: Count = 500
    report_controls: bool = False
    engine: Literal["pymoo", "deap"] = "pymoo"
    max_memory: Count = 2**32
    checkpoint_every: Count = 100

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the rows of X, of shape (n_samples, n_features), or a partitioned table; ``y`` is ignored.

        Raises a ValueError if a Ward cut requires more than ``max_memory``. Issues a UserWarning if there are
        fewer than ``n_clusters`` distinct samples, and an InterruptedSearchWarning after Ctrl-C.
        """
        if self.pop_max < self.pop_min:
            raise ValueError(f"pop_max must be at least pop_min={self.pop_min}, got {self.pop_max}")
        if is_partitioned(X):
            return self._fit_parts(parts(X))
        self.__dict__.pop("parts_", None)
        X = numeric_features(self, X, dtype=np.float64)
        _base.check_n_clusters(self.n_clusters, len(X))
        names = self._searches(len(X))
        # The checkpoint contains no budgets, because a finished run can continue with a larger budget.
        budgets = {"max_distance_evaluations": None, "max_time": None, "max_memory": 1}
        checkpoint = _base.checkpoint_for(self, X, **budgets, report_controls=False)
        problem = SumOfSquaresProblem(X, self.n_clusters)
        begin = [] if self.start is None else [*problem.encoding.centers(start_genes(problem, self.start))]
        seeds = dict(zip(STRATEGIES, spawn_seeds(self.random_state, len(STRATEGIES)), strict=True))

        def run(name: str, guard: searches.InterruptGuard) -> CenterSearch:
            search = self._search(name, problem.fresh(), np.random.default_rng(seeds[name]))
            first = name == self.strategy
            search.begin = begin if first else []
            what = name if first else f"control {name}"
            return run_search(search, guard, what, checkpoint if first else None)

        with searches.InterruptGuard() as guard:
            # Use threads, because they share the data and the kernels release the GIL, and because this
            # process then handles Ctrl-C and the checkpoint with any joblib backend.
            runs = thread_calls((delayed(run)(name, guard) for name in names), n_jobs=self.n_jobs)
        best = runs[0].best
        self.labels_, order = number_clusters(best.labels)
        self._set_centers(order, best.centers, problem.encoding.offsets, best.objective)
        last = runs[0].generation, runs[0].problem.n_distances, best.objective
        controls = zip(names[1:], runs[1:], strict=True)
        self.control_inertia_ = {name: search.best.objective for name, search in controls}
        return self._finished([*runs[0].history, last], runs[:1], guard)

    @documented(_base.OF_PREDICT)
    def predict(self, X: Any) -> Labels:
        """Predict the cluster of the nearest centre, breaking ties as in ``fit``."""
        X = numeric_features(self, X, dtype=np.float64, reset=False)
        nearest = nearest_centers(shifted(X, self._offsets), self._centers[self._numbers])[0]
        return self._numbers[nearest].astype(np.int32)

    @documented(_base.OF_TRANSFORM)
    def transform(self, X: Any) -> FloatArray:
        """Compute the Euclidean distances to the centres."""
        X = numeric_features(self, X, dtype=np.float64, reset=False)
        return np.asarray(euclidean_distances(shifted(X, self._offsets), self._centers))

    def _fit_parts(self, table: Parts) -> Self:
        """Search random samples of the rows, and then improve the centres in passes over all rows."""
        _base.check_n_clusters(self.n_clusters, table.n_rows)
        if self.checkpoint is not None:
            raise ValueError("checkpoint requires data in memory, not a partitioned table; omit checkpoint")
        if self.start is not None:
            raise ValueError("start requires data in memory, not a partitioned table; omit start")
        _base.checked_parts(self, table, reset=True).verbose |= bool(self.verbose)
        seeds = spawn_seeds(self.random_state, 1 + _SEARCHES * len(STRATEGIES))
        looked = Survey(table, _SEARCHES * _SEARCHED, seed=integer_seed(seeds[0]))
        samples = np.array_split(looked.rows, max(1, len(looked.rows) // _SEARCHED))
        n_searches, n_searched = len(samples), len(samples[-1])
        if self.n_clusters > n_searched:
            raise ValueError(
                f"n_clusters={self.n_clusters} must not exceed {n_searched}, the size of the samples drawn "
                "from a partitioned table"
            )
        names = self._searches(n_searched)
        problems = [SumOfSquaresProblem(rows, self.n_clusters) for rows in samples]

        def run(name: str, place: int, guard: searches.InterruptGuard) -> CenterSearch:
            row = list(STRATEGIES).index(name)
            rng = np.random.default_rng(seeds[1 + row * _SEARCHES + place])
            search = self._search(name, problems[place].fresh(), rng, n_searches)
            return run_search(search, guard, f"{name}, sample {place + 1} of {n_searches}")

        with searches.InterruptGuard() as guard:
            calls = [delayed(run)(name, place, guard) for name in names for place in range(n_searches)]
            runs = thread_calls(calls, n_jobs=self.n_jobs)
            found = np.array([search.problem.encoding.in_data(search.best.centers) for search in runs])
            begin, points = shifted(found, looked.offsets), shifted(looked.rows, looked.offsets)
            if n_searches > 1:
                pairs = zip(begin, np.empty((len(begin), len(points)), dtype=np.int32), strict=True)
                work = [delayed(lloyd)(points, *pair, _TOGETHER, 0.0) for pair in pairs]
                thread_calls(work, n_jobs=self.n_jobs)
            centers, first, squares = improved_by_passes(looked, begin, guard)
        own = runs[:n_searches]
        best = int(squares[-1, :n_searches].argmin())
        used = np.count_nonzero(first[best] < table.n_rows)
        order = np.argsort(first[best], kind="stable")[:used]
        self._set_centers(order, centers[best], looked.offsets, float(squares[-1, best]))
        distances = sum(search.problem.n_distances for search in own)
        lowest = squares[:, :n_searches].min(axis=1).tolist()
        of_name = squares[-1].reshape(len(names), -1).min(axis=1).tolist()
        self.control_inertia_ = dict(zip(names[1:], of_name[1:], strict=True))
        self.parts_ = table
        self.labels_ = lazy_labels(table, self._label())
        return self._finished([(i, distances, value) for i, value in enumerate(lowest, 1)], own, guard)

    def _label(self, *, of_fit: bool = False) -> NearestCenter:
        return NearestCenter(self._centers[self._numbers], self._offsets, self._numbers)

    def _clustering_result(self) -> results.ClusteringResult:
        squares: dict[str, Any] = {"inertia": self.inertia_, "local_searches": self.n_local_searches_}
        if self.control_inertia_:
            squares["controls"] = dict(self.control_inertia_)
        return replace(
            super()._clustering_result(),
            record={"sum_of_squares": squares},
            arrays=lambda: {"centers": np.asarray(self.cluster_centers_)},
        )

    def _searches(self, n_samples: int) -> list[str]:
        """Return the names of all searches, and check the memory that a Ward cut requires."""
        names: list[str] = [self.strategy]
        if self.report_controls:
            controls = CONTROLS if n_samples <= WARD_SAMPLES else CONTROLS[:-1]
            names += [name for name in controls if name != self.strategy]
        needed = 4 * n_samples * (n_samples - 1)
        if needed > self.max_memory and any(self._starts_from_ward(name, n_samples) for name in names):
            raise ValueError(
                f"a Ward cut requires {needed} bytes for the distances of {n_samples} samples, which exceeds "
                f"max_memory={self.max_memory} bytes; increase max_memory, or use a strategy other than "
                "'ward' with ward_start=False and report_controls=False"
            )
        return names

    def _starts_from_ward(self, name: str, n_samples: int) -> bool:
        return name == "ward" or (name == "memetic" and self.ward_start and n_samples <= WARD_SAMPLES)

    def _search(
        self, name: str, problem: SumOfSquaresProblem, rng: Generator, share: int = 1
    ) -> CenterSearch:
        budget = Budget(problem, self.max_distance_evaluations, self.max_time, share)
        ward = self._starts_from_ward(name, problem.n_samples)
        return STRATEGIES[name](problem, budget, rng, ward, self)

    def _finished(
        self, rows: list[Any], runs: Sequence[CenterSearch], guard: searches.InterruptGuard
    ) -> Self:
        self.history_ = pd.DataFrame(rows, columns=["generation", "distance_evaluations", "inertia"])
        self.n_local_searches_ = self.n_iter_ = sum(search.generation for search in runs)
        self.interrupted_ = guard.requested
        _base.warn_of_few(self.n_clusters_, self.n_clusters)
        if self.interrupted_:
            warn_caller(
                f"the search was interrupted after {self.n_local_searches_} local searches; the best "
                "partition so far is returned",
                searches.InterruptedSearchWarning,
            )
        return self

    def _set_centers(self, order: Any, centers: FloatArray, offsets: Offsets, inertia: float) -> None:
        self.inertia_ = inertia
        self._offsets, self._centers = offsets, centers[order]
        # ``predict`` breaks ties between centres by their order in the search, as ``fit`` does.
        self._numbers = np.argsort(order)
        self.cluster_centers_ = self._centers + offsets[1] + offsets[0]
        self.n_clusters_ = self._n_features_out = len(order)


class Budget:
    """Budget of one search: a total time or number of distances, divided equally among ``share`` searches."""

    def __init__(
        self, problem: SumOfSquaresProblem, max_distances: int | None, max_time: float | None, share: int = 1
    ) -> None:
        if max_distances is None and max_time is None:
            table = problem.n_samples * problem.n_clusters
            max_distances = share * max(min(_TABLES * table, _DISTANCES // share), _FEWEST_TABLES * table)
        self.max_distances = None if max_distances is None else max(1, max_distances // share)
        self.max_time = None if max_time is None else max_time / share
        self._problem = problem
        self._since = time.monotonic()

    @property
    def seconds(self) -> float:
        """Wall-clock time used, including earlier parts of a resumed run."""
        return time.monotonic() - self._since

    @seconds.setter
    def seconds(self, used: float) -> None:
        self._since = time.monotonic() - used

    @property
    def share(self) -> float:
        """Share of the budget that has been used; 1 or more once it is exhausted."""
        by_distance = 0.0 if self.max_distances is None else self._problem.n_distances / self.max_distances
        return max(by_distance, 0.0 if self.max_time is None else self.seconds / self.max_time)


class CenterSearch(ABC):
    """Base class of searches, which store their best solution, its history and a state for checkpoints."""

    best: Optimum
    begin: Sequence[FloatArray] = ()

    def __init__(
        self, problem: SumOfSquaresProblem, budget: Budget, rng: Generator, ward: bool, options: MemeticKMeans
    ) -> None:
        # Each search requires its own problem, because the problem counts distances.
        self.problem, self.budget, self.rng, self.ward, self.options = problem, budget, rng, ward, options
        self.history: list[tuple[int, int, float]] = []  # (n_local_searches, n_distances, objective)
        radius = np.einsum("ij,ij->i", problem.points, problem.points).max()
        # Sums of squares up to this value count as 0, because they can be rounding errors.
        self._zero = 1e-12**2 * problem.n_samples * float(radius)

    @property
    def generation(self) -> int:
        """Number of local searches so far."""
        return self.problem.n_local_searches

    @property
    def finished(self) -> bool:
        """Whether the best solution is certainly optimal or the budget is used up. Initially False."""
        if not self.history:
            return False
        certain = self.problem.n_clusters == 1 or self.best.objective <= self._zero
        return certain or self.budget.share >= 1.0

    @abstractmethod
    def step(self) -> None:
        """Run one local search."""

    def first(self) -> FloatArray:
        """Return the next initial centres: first ``begin``, then a Ward cut if ``ward``, then k-means++."""
        if self.generation < len(self.begin):
            return self.begin[self.generation]
        if self.ward and self.generation == len(self.begin):
            return ward_centers(self.problem)
        return self.problem.encoding.seeds(self.rng)

    def search(self, centers: FloatArray) -> Optimum:
        """Run a local search, and store the result if it is the best so far."""
        optimum = self.problem.optimum(centers)
        self.offer(optimum)
        return optimum

    def offer(self, optimum: Optimum) -> None:
        """Store a local optimum if it is the best so far."""
        if not self.history or optimum.objective < self.best.objective:
            self.best = optimum
            self.history.append((self.generation, self.problem.n_distances, optimum.objective))

    def state(self) -> State:
        """Return arrays and JSON metadata for :meth:`restore`."""
        arrays = {
            "centers": self.best.centers,
            "labels": self.best.labels,
            "history": np.array(self.history, dtype=np.float64),
        }
        meta = {
            "objective": self.best.objective,
            "rng": searches.rng_state(self.rng),
            "n_distances": self.problem.n_distances,
            "n_local_searches": self.problem.n_local_searches,
            "seconds": self.budget.seconds,
        }
        return arrays, meta

    def restore(self, arrays: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        self.best = Optimum(arrays["centers"], arrays["labels"], meta["objective"])
        self.history = [(int(count), int(used), value) for count, used, value in arrays["history"].tolist()]
        searches.set_rng_state(self.rng, meta["rng"])
        self.problem.encoding.n_distances = meta["n_distances"]
        self.problem.n_local_searches = meta["n_local_searches"]
        self.budget.seconds = meta["seconds"]


class Multistart(CenterSearch):
    """Repeated local searches that start from greedy k-means++ seeds."""

    def step(self) -> None:
        self.search(self.first())


class SwapSearch(CenterSearch):
    """Search whose steps move a centre to a sample, run a local search, and keep better results."""

    def step(self) -> None:
        if not self.history:
            self.search(self.first())
            return
        centers, removal = self.best.centers.copy(), self.options.removal
        # With ``"cheap"``, the centre to move is selected from three random centres, and moves to a sample
        # that is drawn with a probability proportional to the squared distance from its nearest centre.
        mix = 1.0 if removal == "uniform" else 0.0
        relocate(self.problem.encoding, centers, mix, self.rng, removal)
        self.search(centers)


class MemeticSearch(CenterSearch):
    """Evolutionary search; see the strategy ``"memetic"`` of :class:`MemeticKMeans`."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        mating = pymoo_mating if self.options.engine == "pymoo" else deap_mating
        self._mate = mating(self.problem, self.rng, self.options.pm, self.options.removal)
        self.population: list[Member] = []
        self.stall = 0

    @property
    def objectives(self) -> FloatArray:
        return np.array([member.objective for member in self.population])

    def step(self) -> None:
        if len(self.population) < self.options.pop_min:
            start = self.search(self.first())
            self.population.append(Member(start.centers.ravel(), start.objective, self.rng.random()))
            return
        child, before = self._mate(self._parent(), self._parent()), self.objectives.min()
        centers = child.genes.reshape(self.problem.n_clusters, -1).copy()
        self.offer(Optimum(centers, self.problem.nearest_labels(child.genes)[0], child.objective))
        self.population.append(child)
        self.stall = 0 if child.objective < before else self.stall + 1
        if self.stall >= self.options.max_stall:
            self.population, self.stall = [], 0
        elif len(self.population) > self.options.pop_max:
            rows = survivors(self.objectives, self.options.pop_min)
            self.population = [self.population[i] for i in rows]

    def state(self) -> State:
        arrays, meta = super().state()
        arrays["genes"] = np.array([member.genes for member in self.population])
        arrays["mixes"] = np.array([member.mix for member in self.population])
        arrays["objectives"] = self.objectives
        return arrays, meta | {"stall": self.stall}

    def restore(self, arrays: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        super().restore(arrays, meta)
        self.stall = meta["stall"]
        rows = zip(arrays["genes"], arrays["objectives"].tolist(), arrays["mixes"].tolist(), strict=True)
        self.population = [Member(*row) for row in rows]

    def _parent(self) -> Member:
        pair = [self.population[i] for i in self.rng.integers(len(self.population), size=2)]
        return min(pair, key=lambda member: member.objective)


def improved_by_passes(
    looked: Survey, centers: FloatArray, guard: searches.InterruptGuard
) -> tuple[FloatArray, Int64Array, FloatArray]:
    """Improve p sets of centres, shape (p, k, n_features), by Lloyd iterations and relocations."""
    # Returns the best centres of each set, the first row of each cluster, and the lowest objective of each
    # set after each pass.
    centers, best = centers.copy(), centers.copy()
    squares, first = np.full(len(centers), np.inf), np.zeros(centers.shape[:2], dtype=np.int64)
    moving = np.arange(len(centers))
    history: list[FloatArray] = []
    while len(moving) and len(history) < _PASSES and not (history and guard.requested):
        found = looked.statistics(centers[moving])
        value = found.squares.sum(axis=1)
        better = value < squares[moving]
        rows, gains = moving[better], squares[moving] - value > _REST * value
        best[rows], first[rows], squares[rows] = centers[rows], found.first[better], value[better]
        centers[moving] = [*map(relocated, found.means, found.sizes, found.far)]
        history.append(squares.copy())
        moving = moving[gains]
    return best, first, np.array(history)


def relocated(means: FloatArray, sizes: Int64Array, far: FloatArray) -> FloatArray:
    """Move centres from merged clusters to rows of ``far`` as long as this lowers the objective."""
    # ``far`` contains the farthest row of each cluster. Each cluster is changed at most once, because it is
    # either merged or loses its farthest row. Therefore, the changes in the sum of squares, which are
    # computed as in Ward's method, can be added. Takes up to O(k^3) time.
    means, n = means.copy(), sizes.astype(np.float64)
    gains = ((far - means) ** 2).sum(axis=1) * n / np.maximum(n - 1, 1)
    costs = cdist(means, means, "sqeuclidean") * n * n[:, None] / np.maximum(n + n[:, None], 1)
    np.fill_diagonal(costs, np.inf)
    for at in np.argsort(-gains, kind="stable").tolist():
        if not np.isfinite(costs[at]).any():
            continue
        costs[at] = costs[:, at] = np.inf
        first, second = divmod(int(costs.argmin()), len(n))
        if costs[first, second] >= gains[at]:
            break
        means[at] += (means[at] - far[at]) / (n[at] - 1)
        weights = n[[first, second]] / max(n[first] + n[second], 1)
        means[first], means[second] = weights @ means[[first, second]], far[at]
        costs[[first, second]] = costs[:, [first, second]] = np.inf
    return means


def survivors(objectives: FloatArray, n_survive: int) -> IntpArray:
    """Return the positions of the best optima, with duplicates only if there are too few distinct optima."""
    order = np.argsort(objectives, kind="stable")
    values = objectives[order]
    clone = np.zeros(len(values), dtype=np.bool_)
    last = values[0]
    for i in range(1, len(values)):
        # Optima are duplicates if the relative difference between their objectives is at most 1e-10.
        clone[i] = values[i] - last <= 1e-10 * abs(last)
        last = last if clone[i] else values[i]
    return np.concatenate([order[~clone], order[clone]])[:n_survive]


def ward_centers(problem: SumOfSquaresProblem) -> FloatArray:
    """Compute the cluster means of a Ward cut, shape (n_clusters, n_features)."""
    # In the budget, the cut counts as 1.5 n_samples^2 distances, because it computes the distance of each
    # pair and updates about n_samples^2 entries of the distance matrix.
    n = problem.n_samples
    problem.encoding.n_distances += 3 * n * n // 2
    labels = np.zeros(n, dtype=np.int64)
    if problem.n_clusters > 1:
        labels = AgglomerativeClustering(problem.n_clusters, linkage="ward").fit(problem.points).labels_
    return problem.encoding.relative_centers(problem.encoding.encode(labels[np.newaxis]))[0]


def run_search(
    search: CenterSearch, guard: searches.InterruptGuard, what: str, checkpoint: Checkpoint | None = None
) -> CenterSearch:
    """Run local searches, at least one, until the search is finished or interrupted by Ctrl-C."""
    # Saver requires only the attributes ``generation``, ``state`` and ``restore`` of a search.
    saver = searches.Saver(checkpoint, search, None)  # type: ignore[arg-type]
    saver.resume()
    bar, verbose = "{l_bar}{bar}| {elapsed}<{remaining}{postfix}", bool(search.options.verbose)
    with progress_bar(total=1.0, desc=what, disable=not verbose, bar_format=bar) as progress:
        while not search.finished and not (search.history and guard.requested):
            search.step()
            saver.save_if_due()
            if verbose:
                progress.set_postfix_str(f"sum of squares={search.best.objective:.6g}", refresh=False)
                progress.update(min(search.budget.share, 1.0) - progress.n)
    saver.save()
    return search


class Member(NamedTuple):
    """Individual. With probability ``mix``, its mutation moves a centre to a uniformly drawn sample."""

    genes: FloatArray
    objective: float
    mix: float


Mating = Callable[[Member, Member], Member]


def pymoo_mating(problem: SumOfSquaresProblem, rng: Generator, pm: float, removal: Removal) -> Mating:
    """Return a function that uses pymoo operators to create a locally optimal child of two members."""
    crossover, mutation = CenterMatchingCrossover(1), RelocateCenter(removal, prob=pm)
    repair, evaluator = LocalSearchRepair(), Evaluator()

    def child(*parents: Member) -> Member:
        pair = Population.create(*(Individual(X=each.genes, mix=each.mix) for each in parents))
        children = crossover.do(problem, [pair], random_state=rng)
        children = repair.do(problem, mutation.do(problem, children, random_state=rng))
        evaluator.eval(problem, children)
        found = children[0]
        return Member(np.asarray(found.X), float(found.F[0]), float(found.get("mix")))

    return child


def deap_mating(problem: SumOfSquaresProblem, rng: Generator, pm: float, removal: Removal) -> Mating:
    """Return a function that uses a DEAP toolbox to create a locally optimal child of two members."""
    toolbox = base.Toolbox()
    toolbox.register("mate", cx_match_centers, rng=rng, n_clusters=problem.n_clusters)
    toolbox.register("mutate", mut_relocate, rng=rng, problem=problem, removal=removal)
    toolbox.register("evaluate", lambda individual: tuple(problem.evaluate(np.asarray(individual))))
    toolbox.decorate("evaluate", local_search(problem))

    def child(*parents: Member) -> Member:
        found = toolbox.mate(*(CenterIndividual(each.genes, mix=each.mix) for each in parents))[0]
        if rng.random() < pm:
            toolbox.mutate(found)
        (objective,) = toolbox.evaluate(found)
        return Member(np.array(found), float(objective), 0.5 if found.mix is None else float(found.mix))

    return child


# The order of the strategies determines their random seeds.
STRATEGIES = {"memetic": MemeticSearch, "swap": SwapSearch, "multistart": Multistart, "ward": SwapSearch}
