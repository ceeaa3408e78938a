"""CHC and PESA-II for pymoo, and exhaustive search."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain, combinations
from math import comb
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pymoo.core.algorithm import Algorithm
from pymoo.core.crossover import Crossover
from pymoo.core.duplicate import NoDuplicateElimination
from pymoo.core.initialization import Initialization
from pymoo.core.mutation import Mutation
from pymoo.core.population import Population
from pymoo.core.repair import NoRepair, Repair
from pymoo.core.result import Result
from pymoo.core.sampling import Sampling
from pymoo.operators.crossover.hux import HUX
from pymoo.operators.crossover.sbx import SBX
from pymoo.operators.mutation.pm import PM
from pymoo.operators.sampling.rnd import BinaryRandomSampling, FloatRandomSampling, IntegerRandomSampling
from pymoo.termination.default import DefaultMultiObjectiveTermination
from pymoo.util.display.multi import MultiObjectiveOutput
from pymoo.util.display.single import SingleObjectiveOutput

from moo_clustering._arrays import FloatArray, choice, integer, non_dominated, positive, probability, quoted
from moo_clustering._docs import documented
from moo_clustering.algorithms.deap_loops import ThresholdRule
from moo_clustering.algorithms.pymoo_search import (
    ALGORITHM,
    Duplicates,
    checked_options,
    duplicate_elimination,
)
from moo_clustering.encodings.base import distinct_rows
from moo_clustering.problems.partition import evaluated_population

if TYPE_CHECKING:
    from moo_clustering.problems.medoids import MedoidProblem

Distance = Callable[[NDArray[Any], NDArray[Any]], NDArray[Any]]
MAX_SETS = 5000
Selection = Literal["boxes", "tournament"]


@documented(ALGORITHM)
class CHC(Algorithm):
    """CHC: elitist survival, crossover of distant parents only, and restarts.

    A generation pairs the population at random, crosses the pairs whose distance exceeds a threshold ``d``,
    and selects the best of parents and children. If no pair produces a new child (or no child survives),
    ``d`` decreases; at 0, the next generation restarts. For problems with one objective and any genes;
    smaller constraint violations take precedence.

    Parameters
    ----------
    pop_size : int, default=150
    sampling : Sampling, ndarray or Population, optional
        Default: uniform booleans, integers or reals, depending on the ``vtype`` of the problem.
    crossover : Crossover, optional
        Crossover of two parents, applied with its own ``prob``. Default: ``HUX(prob=1.0)``.
    mutation : Mutation, optional
        Mutation of children. Default: none.
    threshold : float, optional
        Initial ``d``. Default: max(1, n_var // 4).
    n_keep : int, default=10
        Number of the best individuals that survive a restart, at most ``pop_size - 1``.
    threshold_rule : {"no_crossing", "no_acceptance"}, default="no_crossing"
        ``d`` decreases after generations without a new child, or without a surviving child.
    step : float, default=1
        Decrease of ``d``.
    distance : callable, optional
        ``distance(A, B)`` returns the distances, shape (n_pairs,), of rows of shape (n_pairs, n_var).
        Default: number of differing genes. The algorithm can be pickled only if ``distance`` can.
    divergence : float, optional
        Restarts draw from ``sampling``, or uniformly if that is fixed. A ``divergence`` r in [0, 1] instead
        replaces each gene of copies of the best individual by such a draw with probability r, and resets
        ``d`` to r (1 - r) n_var. Eshelman uses 0.35.
    eliminate_duplicates : bool, DuplicateElimination or callable, default=True
        Duplicate children are not evaluated; for a callable, see
        :class:`~moo_clustering.operators.CanonicalDuplicates`.

    Attributes
    ----------
    d : int or float
        Current threshold.
    n_restarts : int
    n_crossed, n_accepted : int
        Crossed pairs and surviving children of the last generation.

    Raises
    ------
    TypeError, ValueError
        If options are unknown or out of range, or the problem has several objectives.

    Notes
    -----
    A generation takes at most ``pop_size`` evaluations, and none if no pair exceeds the threshold. Set a
    termination by generations, evaluations or time, because pymoo's default may end such idle generations.

    References
    ----------
    L. J. Eshelman, "The CHC adaptive search algorithm", Foundations of Genetic Algorithms 1 (1991),
    with ``threshold_rule="no_acceptance", divergence=0.35, n_keep=1``. Evolutionary multi-instance
    clustering (CHCMIC).

    Examples
    --------
    >>> from pymoo.core.problem import Problem
    >>> from pymoo.optimize import minimize
    >>> class OneMax(Problem):
    ...     def __init__(self):
    ...         super().__init__(n_var=30, n_obj=1, xl=0, xu=1, vtype=bool)
    ...     def _evaluate(self, X, out, *args, **kwargs):
    ...         out["F"] = -X.sum(axis=1)
    >>> float(minimize(OneMax(), CHC(pop_size=40), ("n_gen", 30), seed=1).F[0])
    -30.0
    """

    def __init__(
        self,
        pop_size: int = 150,
        sampling: Any = None,
        crossover: Crossover | None = None,
        mutation: Mutation | None = None,
        *,
        threshold: float | None = None,
        n_keep: int = 10,
        threshold_rule: ThresholdRule = "no_crossing",
        step: float = 1,
        distance: Distance | None = None,
        divergence: float | None = None,
        repair: Repair | None = None,
        eliminate_duplicates: Duplicates = True,
        output: Any = None,
        **options: Any,
    ) -> None:
        super().__init__(
            output=SingleObjectiveOutput() if output is None else output, **checked_options(CHC, options)
        )
        self.pop_size = integer("pop_size", pop_size, 2)
        self.sampling = sampling
        self.crossover = HUX(prob=1.0) if crossover is None else crossover
        if self.crossover.n_parents != 2:
            raise ValueError(f"crossover must be of 2 parents, got one of {self.crossover.n_parents}")
        self.mutation = mutation
        self.threshold = None if threshold is None else positive("threshold", threshold)
        self.n_keep = integer("n_keep", n_keep, 1)
        self.threshold_rule: ThresholdRule = choice(
            "threshold_rule", threshold_rule, ("no_crossing", "no_acceptance")
        )
        self.step = positive("step", step)
        if distance is not None and not callable(distance):
            raise TypeError(f"distance must be a function or None, got {quoted(distance)}")
        self.distance: Distance = hamming_rows if distance is None else distance
        self.divergence = None if divergence is None else probability("divergence", divergence)
        self.repair = NoRepair() if repair is None else repair
        self.eliminate_duplicates = duplicate_elimination(eliminate_duplicates)
        self.d: int | float = 0
        self.n_restarts = 0
        self.n_crossed = 0
        self.n_accepted = 0
        self.is_restarting = False

    def _setup(self, problem: Any, **options: Any) -> None:
        if problem.n_obj != 1:
            raise ValueError(f"CHC is for one objective, {type(problem).__name__} has {problem.n_obj}")
        sampling = uniform_sampling(problem) if self.sampling is None else self.sampling
        self.initialization = Initialization(sampling, self.repair, self.eliminate_duplicates)
        self.d = max(problem.n_var // 4, 1) if self.threshold is None else self.threshold

    def _initialize_infill(self) -> Population:
        return self.initialization.do(
            self.problem, self.pop_size, algorithm=self, random_state=self.random_state
        )

    def _initialize_advance(self, infills: Any = None, **options: Any) -> None:
        self.pop = _best_first(infills)

    def _infill(self) -> Population:
        children = self._made_anew() if self.is_restarting else self._crossed()
        return self.eliminate_duplicates.do(children, self.pop) if len(children) else children

    def _advance(self, infills: Any = None, **options: Any) -> None:
        infills = Population() if infills is None else infills
        if self.is_restarting:
            kept = self.pop[: max(self.pop_size - len(infills), 1)]
            self.pop = _best_first(Population.merge(kept, infills))
            self.d = self._threshold_after_restart()
            self.n_restarts += 1
            self.is_restarting = False
            return
        self.pop = _best_first(Population.merge(self.pop, infills))[: self.pop_size]
        new = {id(child) for child in infills}
        self.n_accepted = sum(id(individual) in new for individual in self.pop)
        if (len(infills) if self.threshold_rule == "no_crossing" else self.n_accepted) == 0:
            self.d -= self.step
        self.is_restarting = self.d <= 0

    def _crossed(self) -> Population:
        """Pair individuals at random, and return the children of pairs whose distance exceeds ``d``."""
        n_pairs = len(self.pop) // 2
        pairs = self.random_state.permutation(len(self.pop))[: 2 * n_pairs].reshape(n_pairs, 2)
        X = self.pop.get("X")
        pairs = pairs[np.asarray(self.distance(X[pairs[:, 0]], X[pairs[:, 1]])) > self.d]
        self.n_crossed = len(pairs)
        if not len(pairs):
            return Population()
        means = {"algorithm": self, "random_state": self.random_state}
        children = self.crossover(self.problem, self.pop, parents=pairs, **means)
        if self.mutation is not None:
            children = self.mutation(self.problem, children, **means)
        return self.repair(self.problem, children, **means)

    def _made_anew(self) -> Population:
        """Return new individuals that replace all but the best at a restart."""
        self.n_crossed = self.n_accepted = 0
        n_new = max(self.pop_size - self.n_keep, 1)
        sampling = self.initialization.sampling
        if not isinstance(sampling, Sampling):
            sampling = uniform_sampling(self.problem)
        means = {"algorithm": self, "random_state": self.random_state}
        new = sampling(self.problem, n_new, **means)
        if self.divergence is not None:
            X = new.get("X")
            fresh = self.random_state.random(X.shape) < self.divergence
            new = Population.new(X=np.where(fresh, X, self.pop[0].X).astype(X.dtype, copy=False))
        return self.repair(self.problem, new, **means)

    def _threshold_after_restart(self) -> int | float:
        if self.divergence is not None:
            return max(int(self.divergence * (1 - self.divergence) * self.problem.n_var), 1)
        return max(self.problem.n_var // 4, 1) if self.threshold is None else self.threshold


def hamming_rows(A: NDArray[Any], B: NDArray[Any]) -> NDArray[np.int64]:
    """Count the genes in which each row of ``A`` differs from the same row of ``B``."""
    return np.count_nonzero(A != B, axis=1)


def uniform_sampling(problem: Any) -> Sampling:
    """Return a uniform sampling of booleans, integers or reals, depending on the problem's ``vtype``."""
    vtype = np.dtype(float if problem.vtype is None else problem.vtype)
    if vtype == np.dtype(bool):
        return BinaryRandomSampling()
    if not problem.has_bounds():
        raise ValueError(f"{type(problem).__name__} has no bounds to sample between: give CHC a sampling")
    return IntegerRandomSampling() if np.issubdtype(vtype, np.integer) else FloatRandomSampling()


def _best_first(population: Population) -> Population:
    F, CV = population.get("F", "CV")
    return population[np.lexsort((F[:, 0], CV[:, 0]))]  # stable


def count_medoid_sets(n: int, k_max: int) -> int:
    """Return the number of sets of 2 to ``k_max`` medoids among ``n`` samples.

    Parameters
    ----------
    n : int
        Number of samples.
    k_max : int
        Maximum number of medoids.

    Returns
    -------
    int
    """
    return sum(comb(n, k) for k in range(2, k_max + 1))


def enumerate_medoid_sets(n: int, k_max: int) -> NDArray[np.int64]:
    """Return all sets of 2 to ``k_max`` medoids among ``n`` samples, smaller sets first, each ascending.

    Parameters
    ----------
    n : int
        Number of samples.
    k_max : int
        Maximum number of medoids.

    Returns
    -------
    sets : ndarray of shape (n_sets, k_max)
        Padded with -1. For ``n = 1``, the single set (0,).

    Examples
    --------
    >>> enumerate_medoid_sets(3, 3).tolist()
    [[0, 1, -1], [0, 2, -1], [1, 2, -1], [0, 1, 2]]
    """
    if n == 1:
        return np.concatenate([[0], np.full(k_max - 1, -1)])[None, :].astype(np.int64)
    parts = []
    for k in range(2, min(k_max, n) + 1):
        flat = np.fromiter(chain.from_iterable(combinations(range(n), k)), np.int64, comb(n, k) * k)
        padding = np.full((comb(n, k), k_max - k), -1, dtype=np.int64)
        parts.append(np.concatenate([flat.reshape(-1, k), padding], axis=1))
    return np.concatenate(parts)


def exhaustive_front(problem: MedoidProblem, *, max_sets: int = MAX_SETS) -> Result:
    """Evaluate all medoid sets of a problem and return the exact Pareto front.

    Parameters
    ----------
    problem : MedoidProblem
    max_sets : int, default=5000
        Maximum number of sets.

    Returns
    -------
    Result
        A pymoo result. ``pop`` contains the distinct improved sets, and ``opt`` (with ``X``, ``F``, ``G`` and
        ``CV``) the exact front, sorted by ascending Xie-Beni index. With ``supervision="constraint"``, the
        front contains only sets with the smallest violation.

    Raises
    ------
    ValueError
        If there are more than ``max_sets`` sets.

    References
    ----------
    NSGA-II-clus.

    Examples
    --------
    >>> from moo_clustering.problems import MedoidProblem
    >>> problem = MedoidProblem([[0], [1], [2], [10], [11], [13]], k_max=3, metric="euclidean")
    >>> problem.medoids(exhaustive_front(problem).X)
    array([[ 1,  4, -1],
           [ 1,  3,  5]])
    """
    n, k_max = problem.n_samples, problem.encoding.k_max
    n_sets = count_medoid_sets(n, k_max)
    if n_sets > max_sets:
        raise ValueError(
            f"{n} samples have {n_sets} sets of 2 to {k_max} medoids, more than max_sets={max_sets}; "
            "search instead, or raise max_sets."
        )
    out = problem.evaluate(
        enumerate_medoid_sets(n, k_max), return_values_of=["F", "G", "H"], return_as_dictionary=True
    )
    pop = _distinct(problem, out)
    result = Result()
    result.problem, result.pop, result.success = problem, pop, True
    violation = pop.get("CV")[:, 0]
    best = np.flatnonzero(violation == violation.min())
    F = pop.get("F")[best]
    result.opt = pop[best[non_dominated(F)]]
    result.X, result.F, result.CV, result.G, result.H = result.opt.get("X", "F", "CV", "G", "H")
    return result


def _distinct(problem: MedoidProblem, out: dict[str, NDArray[Any]]) -> Population:
    """Return evaluated individuals without repeated medoid sets; the smallest objectives are kept."""
    # If "assigned_by" is set, equal medoid sets can have different objectives.
    order = np.lexsort(out["F"].T[::-1])
    canonical = problem.encoding.canonical(out["X"][order])
    keys = np.concatenate([canonical, out["F"][order]], axis=1) if "assigned_by" in out else canonical
    kept = order[np.sort(distinct_rows(keys)[0])]
    return evaluated_population(**{key: values[kept] for key, values in out.items()})


@documented(ALGORITHM)
class PESA2(Algorithm):
    """PESA-II: selection of parents from the boxes of a grid over an archive of non-dominated solutions.

    In each generation, ``pop_size`` children enter the archive one by one, unless a member is equal or
    better. Parents are drawn by box, not by solution, so crowded regions contribute fewer parents.

    Parameters
    ----------
    pop_size : int, default=10
        Children per generation.
    archive_size : int, default=1000
        Maximum number of members; beyond it, a random member of a most crowded box is removed.
    n_bins : int, default=10
        Grid intervals per objective.
    selection : {"boxes", "tournament"}, default="boxes"
        A random occupied box, or the less crowded of two random occupied boxes.
    n_init : int, optional
        Number of initial solutions. Default: ``pop_size``.
    sampling, crossover, mutation : pymoo operators, optional
        Default: those of NSGA-II for real variables, with crossover probability 0.7.

    Attributes
    ----------
    pop, opt : Population
        The archive.

    Notes
    -----
    The archive keeps one of several solutions with equal objectives. Smaller constraint violations dominate,
    whatever the objectives. A generation takes O(pop_size archive_size n_obj) time besides evaluation.

    References
    ----------
    Corne, Jerram, Knowles and Oates, "PESA-II: region-based selection in evolutionary multiobjective
    optimization", GECCO, 2001; as used by Handl and Knowles, IEEE TEVC 11(1), 2007.

    Examples
    --------
    >>> from pymoo.optimize import minimize
    >>> from pymoo.problems import get_problem
    >>> result = minimize(get_problem("zdt1", n_var=5), PESA2(n_init=50), ("n_gen", 200), seed=1)
    >>> len(result.F) > 20
    True
    """

    def __init__(
        self,
        *,
        pop_size: int = 10,
        archive_size: int = 1000,
        n_bins: int = 10,
        selection: Selection = "boxes",
        n_init: int | None = None,
        sampling: Any = None,
        crossover: Any = None,
        mutation: Any = None,
        repair: Any = None,
        output: Any = None,
        **options: Any,
    ) -> None:
        super().__init__(output=MultiObjectiveOutput() if output is None else output, **options)
        self.pop_size = integer("pop_size", pop_size, 1)
        self.archive_size = integer("archive_size", archive_size, 1)
        self.n_bins = integer("n_bins", n_bins, 1)
        self.n_init = integer("n_init", self.pop_size if n_init is None else n_init, 1)
        self.selection: Selection = choice("selection", selection, ("boxes", "tournament"))
        self.crossover = SBX(prob=0.7, eta=15) if crossover is None else crossover
        self.mutation = PM(eta=20) if mutation is None else mutation
        self.repair = repair
        self.initialization = Initialization(
            FloatRandomSampling() if sampling is None else sampling,
            repair,
            eliminate_duplicates=NoDuplicateElimination(),
        )
        self.termination = DefaultMultiObjectiveTermination()
        # Cache of the archive's objectives and violations, valid while ``pop`` is the same object.
        self._looked_up: Population | None = None
        self._values: tuple[FloatArray, FloatArray] | None = None

    def _initialize_infill(self) -> Population:
        return self.initialization.do(
            self.problem, self.n_init, algorithm=self, random_state=self.random_state
        )

    def _initialize_advance(self, infills: Any = None, **options: Any) -> None:
        self._keep(infills, *_values(infills), 0)

    def _infill(self) -> Population:
        n_parents = self.crossover.n_parents
        n_matings = -(-self.pop_size // self.crossover.n_offsprings)
        parents = select_by_boxes(
            self._members()[0],
            n_matings * n_parents,
            self.n_bins,
            self.selection == "tournament",
            self.random_state,
        ).reshape(n_matings, n_parents)
        options = {"algorithm": self, "random_state": self.random_state}
        children = self.crossover(self.problem, self.pop, parents=parents, **options)
        children = self.mutation(self.problem, children[: self.pop_size], **options)
        return children if self.repair is None else self.repair(self.problem, children, **options)

    def _advance(self, infills: Any = None, **options: Any) -> None:
        values = zip(self._members(), _values(infills), strict=True)
        merged = [np.concatenate(pair) for pair in values]
        self._keep(Population.merge(self.pop, infills), merged[0], merged[1], len(self.pop))

    def _members(self) -> tuple[FloatArray, FloatArray]:
        """Return the objectives and constraint violations of the archive."""
        if self._values is None or self._looked_up is not self.pop:
            self._looked_up, self._values = self.pop, _values(self.pop)
        return self._values

    def _keep(self, solutions: Population, F: FloatArray, violation: FloatArray, n_members: int) -> None:
        """Offer solutions to the archive; the first ``n_members`` of them are already members."""
        archive = GridArchive(F, violation, self.archive_size, self.n_bins, self.random_state)
        archive.rows = list(range(n_members))
        for row in range(n_members, len(solutions)):
            archive.offer(row)
        rows = np.array(archive.rows)
        self.pop = self._looked_up = solutions[rows]
        self._values = F[rows], violation[rows]

    def _set_optimum(self) -> None:
        self.opt = self.pop


def _values(solutions: Population) -> tuple[FloatArray, FloatArray]:
    F, violation = solutions.get("F", "CV")
    return F, violation[:, 0]


def grid_boxes(F: FloatArray, n_bins: int) -> NDArray[np.int64]:
    """Return the grid box of each solution: its interval 0..n_bins-1 in each objective, shape (n, n_obj).

    The ``n_bins`` equal intervals span the finite values of an objective; infinite values fall in the first
    or last interval. If the finite values are equal, they fall in the first.
    """
    finite = np.isfinite(F)
    low = np.where(finite, F, np.inf).min(axis=0)
    high = np.where(finite, F, -np.inf).max(axis=0)
    low, high = np.where(finite.any(axis=0), low, 0.0), np.where(finite.any(axis=0), high, 0.0)
    span = high - low
    parts = n_bins * (np.clip(F, low, high) - low) / np.where(span > 0, span, 1.0)
    boxes = np.minimum(np.floor(parts).astype(np.int64), n_bins - 1)
    boxes[np.isposinf(F)] = n_bins - 1
    return boxes


def box_numbers(F: FloatArray, n_bins: int) -> NDArray[np.int64]:
    """Return the index of each solution's box among the occupied boxes."""
    numbers = np.zeros(len(F), dtype=np.int64)
    for parts in grid_boxes(F, n_bins).T:
        numbers = np.unique(numbers * n_bins + parts, return_inverse=True)[1]
    return numbers


def select_by_boxes(
    F: FloatArray, count: int, n_bins: int, tournament: bool, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Draw ``count`` occupied boxes uniformly, and a random solution from each; return the solutions' rows.

    With ``tournament``, each box is the less crowded of two random boxes.
    """
    numbers = box_numbers(F, n_bins)
    sizes = np.bincount(numbers)
    boxes = rng.integers(0, len(sizes), size=count)
    if tournament:
        others = rng.integers(0, len(sizes), size=count)
        boxes = np.where(sizes[others] < sizes[boxes], others, boxes)
    members = np.argsort(numbers, kind="stable")
    starts = np.cumsum(sizes) - sizes
    return members[starts[boxes] + rng.integers(0, sizes[boxes])]


class GridArchive:
    """Archive of PESA-II: rows of distinct non-dominated solutions, in the order of entry.

    ``F``, shape (n, n_obj), contains the minimised objectives of all candidate solutions. The smaller
    constraint violation dominates. If the archive is full, ``rng`` draws the member to remove.
    """

    def __init__(
        self, F: FloatArray, violation: FloatArray, capacity: int, n_bins: int, rng: np.random.Generator
    ) -> None:
        self.F, self.violation = F, violation
        self.capacity, self.n_bins, self.rng = capacity, n_bins, rng
        self.rows: list[int] = []

    def offer(self, row: int) -> None:
        """Add a solution unless a member is equal or better, and remove the members that it dominates."""
        if self.rows:
            F, violation = self.F[self.rows], self.violation[self.rows]
            less = violation < self.violation[row]
            equal = violation == self.violation[row]
            if (less | (equal & (self.F[row] >= F).all(axis=1))).any():
                return
            beaten = (violation > self.violation[row]) | (equal & (self.F[row] <= F).all(axis=1))
            if beaten.any():
                self.rows = [other for other, out in zip(self.rows, beaten, strict=True) if not out]
        self.rows.append(row)
        if len(self.rows) > self.capacity:
            numbers = box_numbers(self.F[self.rows], self.n_bins)
            sizes = np.bincount(numbers)
            crowded = np.flatnonzero(sizes[numbers] == sizes.max())
            del self.rows[int(self.rng.choice(crowded))]
