"""AMOSA: multi-objective simulated annealing with a bounded archive."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray
from pymoo.core.algorithm import Algorithm
from pymoo.core.duplicate import DuplicateElimination, NoDuplicateElimination
from pymoo.core.individual import Individual
from pymoo.core.initialization import Initialization
from pymoo.core.mutation import Mutation
from pymoo.core.population import Population
from pymoo.core.repair import Repair
from pymoo.core.termination import Termination
from pymoo.util.display.multi import MultiObjectiveOutput
from pymoo.util.nds.non_dominated_sorting import NonDominatedSorting
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist, squareform
from scipy.special import expit

from moo_clustering._arrays import FloatArray, Int64Array, choice, integer, positive, probability, quoted
from moo_clustering._docs import documented
from moo_clustering._kernels.partitions import not_dominated, weigh
from moo_clustering.algorithms.pymoo_search import (
    ALGORITHM,
    Batch,
    Duplicates,
    Solution,
    batch_of,
    check_objectives,
    checked_options,
    duplicate_elimination,
    evaluated,
    finite_range,
    uniform_sampling,
    violations_of,
)
from moo_clustering.operators import CanonicalDuplicates, generic

# The number of initial samples is limited, because all samples are kept in memory.
_MOST_SAMPLES = 100_000_000
Acceptance = Literal["physical", "literal"]
Trial = Callable[[NDArray[Any]], Batch]


@documented(ALGORITHM)
class AMOSA(Algorithm):
    """Archived multi-objective simulated annealing.

    Whether a perturbed solution is accepted depends on a falling temperature and on its dominance relations
    to the current solution and to an archive of non-dominated solutions. The archive is the result. The first
    pymoo iteration creates the archive, and each later iteration performs all moves at one temperature. A
    termination criterion can end the run early. Raises a ValueError if an objective is NaN. Source: S.
    Bandyopadhyay, S. Saha, U. Maulik, K. Deb, "A simulated annealing-based multiobjective optimization
    algorithm: AMOSA", IEEE Transactions on Evolutionary Computation 12 (2008).

    Parameters
    ----------
    soft_limit : int, default=200
        SL: size beyond which the archive is thinned.
    hard_limit : int, default=100
        HL: size of the archive after thinning, and maximum at the end of the run. Must be less than SL.
    init_factor : float, default=2
        The archive is initialised from ``init_factor * soft_limit`` samples.
    n_climb : int, default=20
        Number of hill-climbing steps for every initial sample.
    t_max, t_min : float, default=100, 1e-5
        Temperatures are ``t_max``, ``cooling * t_max``, ``cooling**2 * t_max``, ..., all above ``t_min``.
    cooling : float, default=0.8
    n_moves : int, default=100
        Number of perturbations at each temperature.
    acceptance : {"physical", "literal"}, default="physical"
        Probability of moving at temperature T to a solution that is dominated by an average amount D:
        1 / (1 + exp(D / T)) or, as printed in the paper, 1 / (1 + exp(D T)), which rises as T falls.
    sampling : Sampling, ndarray or Population, optional
        Default: uniform within the bounds, or uniform integers if the problem has ``vtype=int``.
    perturb : Mutation or callable, optional
        Function: ``perturb(problem, X, rng) -> X``, shape (n, n_var). Default: :class:`LaplaceNoise`.
    repair : Repair, optional
        Applied to initial samples and perturbed solutions.
    eliminate_duplicates : bool, DuplicateElimination or callable, default=True
        Whether the archive rejects a solution that has the same genes as a member or, if this is a function
        ``canonical``, the same ``canonical(X)`` as a member. The fastest elimination is
        :class:`~moo_clustering.operators.CanonicalDuplicates`.

    Attributes
    ----------
    current : Individual
        Current solution.
    pop, opt : Population
        The archive: at most ``soft_limit`` solutions, or ``hard_limit`` after the last iteration.

    Notes
    -----
    A run takes init_factor SL (1 + n_climb) + n_moves n_temperatures evaluations, 15,700 by default. Moves
    are evaluated one by one, so evaluations should be fast. Each move takes O(SL n_obj) additional time.

    Of two solutions, the one with the smaller constraint violation dominates. The amount of domination is the
    difference between the two violations, divided by the range of violations. Objectives are compared only if
    violations are equal. If the problem sets ``out["X"]``, these genotypes replace the evaluated ones.

    Examples
    --------
    >>> from pymoo.optimize import minimize
    >>> from pymoo.problems import get_problem
    >>> algorithm = AMOSA(soft_limit=20, hard_limit=10, n_moves=20)
    >>> result = minimize(get_problem("zdt1", n_var=5), algorithm, seed=1)
    >>> len(result.F)
    10
    """

    def __init__(
        self,
        *,
        soft_limit: int = 200,
        hard_limit: int = 100,
        init_factor: float = 2,
        n_climb: int = 20,
        t_max: float = 100.0,
        t_min: float = 1e-5,
        cooling: float = 0.8,
        n_moves: int = 100,
        acceptance: Acceptance = "physical",
        sampling: Any = None,
        perturb: generic.Perturb | None = None,
        repair: Repair | None = None,
        eliminate_duplicates: Duplicates = True,
        output: Any = None,
        **options: Any,
    ) -> None:
        super().__init__(
            output=MultiObjectiveOutput() if output is None else output,
            **checked_options(AMOSA, options),
        )
        self.soft_limit = integer("soft_limit", soft_limit, 2)
        self.hard_limit = integer("hard_limit", hard_limit, 1)
        if self.hard_limit >= self.soft_limit:
            raise ValueError(f"hard_limit={self.hard_limit} must be less than soft_limit={self.soft_limit}")
        n_samples = float(positive("init_factor", init_factor)) * self.soft_limit
        if not 1 <= n_samples <= _MOST_SAMPLES:
            raise ValueError(
                f"init_factor * soft_limit must be between 1 and {_MOST_SAMPLES:,} samples, "
                f"got {init_factor} * {soft_limit}"
            )
        self.n_samples = round(n_samples)
        self.n_climb = integer("n_climb", n_climb, 0)
        self.n_moves = integer("n_moves", n_moves, 1)
        self.t_max, self.t_min = positive("t_max", t_max), positive("t_min", t_min)
        if self.t_min >= self.t_max:
            raise ValueError(
                f"t_min and t_max must satisfy 0 < t_min < t_max, got t_min={t_min} and t_max={t_max}"
            )
        self.cooling = probability("cooling", cooling)
        if self.cooling in (0, 1):
            raise ValueError(f"cooling must be above 0 and below 1, got {cooling}")
        self.acceptance: Acceptance = choice("acceptance", acceptance, ("physical", "literal"))
        self.sampling, self.perturb, self.repair = sampling, perturb, repair
        self.duplicates = duplicate_elimination(eliminate_duplicates)
        self.current: Individual | None = None

    @property
    def n_temperatures(self) -> int:
        """Number of iterations after the first one."""
        n = max(1, math.floor((math.log(self.t_min) - math.log(self.t_max)) / math.log(self.cooling)))
        while self._temperature(n) > self.t_min:  # the logarithms have rounding errors
            n += 1
        while n > 1 and self._temperature(n - 1) <= self.t_min:
            n -= 1
        return n

    def _temperature(self, i: int) -> float:
        return float(self.t_max * self.cooling**i)

    def setup(self, problem: Any, **options: Any) -> AMOSA:
        """Set up as in pymoo; without a termination criterion, the run ends after the last temperature."""
        if options.get("termination") is None:
            options["termination"] = CooledDown() if self.termination is None else self.termination
        super().setup(problem, **options)
        return self

    def _setup(self, problem: Any, **options: Any) -> None:
        sampling = uniform_sampling(problem, "AMOSA") if self.sampling is None else self.sampling
        perturb = LaplaceNoise() if self.perturb is None else self.perturb
        if not callable(perturb):
            raise TypeError(f"perturb must be a pymoo Mutation or a function, got {quoted(perturb)}")
        self.initialization = Initialization(sampling, self.repair)
        self._vary = generic.variation(problem, perturb, self.repair)

    def _initialize_infill(self) -> Population:
        population = self.initialization.do(
            self.problem, self.n_samples, algorithm=self, random_state=self.random_state
        )
        dtype = population.get("X").dtype
        if dtype.kind not in "biuf":
            raise TypeError(f"AMOSA requires numeric genotypes, got dtype {dtype}")
        self._dtype = dtype.str
        return population

    def _initialize_advance(self, infills: Any = None, **options: Any) -> None:
        check_objectives(infills.get("F"), self.problem)
        batch = batch_of(infills)
        # The problem may have converted the genotypes to floats.
        batch["X"] = batch["X"].astype(self._dtype)
        archive = self._archive()
        archive.fill(climb(batch, self.n_climb, self.problem, self._trial))
        start = archive.members[self.random_state.integers(len(archive))]
        self._keep(archive, start)

    def _advance(self, infills: Any = None, **options: Any) -> None:
        archive = self._archive(self.pop)
        i = self.n_iter - 2  # pymoo counts from 1, and iteration 1 creates the archive
        accept = partial(acceptance_probability, self._temperature(i), self.acceptance)
        current, rng = Solution.of_individual(self.current), self.random_state
        self._keep(archive, anneal(archive, current, self.n_moves, self.problem, self._trial, accept, rng))
        if i + 1 >= self.n_temperatures:
            self.termination.force_termination = True

    def _keep(self, archive: BoundedArchive, current: Solution) -> None:
        self.pop = population_of(archive.members, self.n_iter)
        self.current = current.as_individual(self.n_iter)
        self.off = Population.create(self.current)

    def _set_optimum(self) -> None:
        self.opt = self.pop

    def _finalize(self) -> None:
        if self.pop is not None and len(self.pop) > self.hard_limit:
            archive = self._archive(self.pop)
            archive.thin()
            self.pop = population_of(archive.members, self.n_iter)
            self._set_optimum()

    def _archive(self, members: Sequence[Individual] = ()) -> BoundedArchive:
        archive = BoundedArchive(self.problem.n_obj, self.soft_limit, self.hard_limit, self.duplicates)
        archive.restore([Solution.of_individual(individual) for individual in members])
        return archive

    def _trial(self, X: NDArray[Any]) -> Batch:
        return evaluated(self._vary(X, self.random_state), self)


def acceptance_probability(temperature: float, acceptance: Acceptance, amount: float) -> float:
    """Return the probability of moving to a solution, given the average amount by which it is dominated."""
    exponent = amount / temperature if acceptance == "physical" else amount * temperature
    return float(expit(-exponent))


def climb(batch: Batch, n_steps: int, problem: Any, trial: Trial) -> list[Solution]:
    """Improve all solutions at once: each is replaced by its perturbed copy if the copy dominates it."""
    violations = violations_of(batch, problem)
    for _ in range(n_steps):
        new = trial(batch["X"])
        new_violations = violations_of(new, problem)
        better = new_violations < violations
        pareto = (new["F"] <= batch["F"]).all(axis=1) & (new["F"] < batch["F"]).any(axis=1)
        better |= (new_violations == violations) & pareto
        violations[better] = new_violations[better]
        for name, values in batch.items():
            values[better] = new[name][better]
    return [Solution.of_batch(batch, row, violations[row]) for row in range(len(violations))]


def anneal(
    archive: BoundedArchive,
    current: Solution,
    n_moves: int,
    problem: Any,
    trial: Trial,
    accept: Callable[[float], float],
    rng: Generator,
) -> Solution:
    """Run all moves at one temperature, and return the final current solution."""
    for _ in range(n_moves):
        batch = trial(current.x[None])
        new = Solution.of_batch(batch, 0, float(violations_of(batch, problem)[0]))
        # ``relation`` is 1 if the current solution dominates the new one, and -1 in the reverse case. ``k``
        # archive members dominate the new solution. The case numbers are those of the paper.
        relation, k, total, least, nearest = weigh(
            archive.F, archive.violations, len(archive), new.f, new.violation, current.f, current.violation
        )
        if relation == 1 or (relation == 0 and k > 0):  # cases 1 and 2(a)
            if rng.random() < accept(total / (k + (relation == 1))):
                current = new
        elif k > 0:  # case 3(a), in which new dominates current
            back = rng.random() < expit(least)
            current = archive.members[nearest] if back else new
        else:
            current = new
            archive.add(new)
    return current


class BoundedArchive:
    """AMOSA archive: distinct non-dominated solutions, thinned from the soft to the hard limit."""

    def __init__(
        self, n_obj: int, soft_limit: int, hard_limit: int, duplicates: DuplicateElimination
    ) -> None:
        self.soft_limit, self.hard_limit = soft_limit, hard_limit
        self.members: list[Solution] = []
        self.F = np.empty((soft_limit + 1, n_obj))
        self.violations = np.empty(soft_limit + 1)
        self._duplicates = duplicates

    def __len__(self) -> int:
        return len(self.members)

    def fill(self, solutions: Sequence[Solution]) -> None:
        """Replace the members with at most ``hard_limit`` non-dominated solutions of least violation."""
        least = min(solution.violation for solution in solutions)
        best = [solution for solution in solutions if solution.violation == least]
        front = NonDominatedSorting().do(_objectives(best), only_non_dominated_front=True)
        members = self._distinct([best[i] for i in np.sort(front)])
        self._set([members[i] for i in representatives(_objectives(members), self.hard_limit)])

    def restore(self, members: Sequence[Solution]) -> None:
        """Replace the members with the given members of a saved archive."""
        if len(members):
            self._remember(members)
            self._set(members)

    def add(self, solution: Solution) -> None:
        """Add a solution unless a member dominates or duplicates it; remove the members that it dominates."""
        if self._is_known(solution):
            return
        rows = not_dominated(self.F, self.violations, len(self), solution.f, solution.violation)
        if len(rows) < len(self):
            self._keep(rows)
        self.F[len(self)], self.violations[len(self)] = solution.f, solution.violation
        self.members.append(solution)
        if len(self) > self.soft_limit:
            self.thin()

    def thin(self) -> None:
        """Reduce the archive to at most ``hard_limit`` members, spread over the objective space."""
        if len(self) > self.hard_limit:
            self._keep(representatives(self.F[: len(self)], self.hard_limit))

    def _set(self, members: Sequence[Solution]) -> None:
        n = len(members)
        self.members = list(members)
        self.F[:n] = _objectives(members)
        self.violations[:n] = [member.violation for member in members]

    def _keep(self, rows: Int64Array) -> None:
        n = len(rows)
        self.F[:n] = self.F[rows]
        self.violations[:n] = self.violations[rows]
        self.members = [self.members[i] for i in rows]

    def _remember(self, solutions: Sequence[Solution]) -> None:
        if isinstance(self._duplicates, CanonicalDuplicates):
            for solution, key in zip(solutions, self._duplicates.keys(_genes_of(solutions)), strict=True):
                solution.key = key

    def _distinct(self, solutions: list[Solution]) -> list[Solution]:
        self._remember(solutions)
        if isinstance(self._duplicates, CanonicalDuplicates):
            first: dict[bytes | None, Solution] = {}
            for solution in solutions:
                first.setdefault(solution.key, solution)
            return list(first.values())
        if isinstance(self._duplicates, NoDuplicateElimination):
            return solutions
        _, kept, _ = self._duplicates.do(_genes_of(solutions), return_indices=True)
        return [solutions[i] for i in kept]

    def _is_known(self, solution: Solution) -> bool:
        if isinstance(self._duplicates, CanonicalDuplicates):
            self._remember([solution])
            return any(solution.key == other.key for other in self.members)
        if isinstance(self._duplicates, NoDuplicateElimination) or not self.members:
            return False
        return not len(self._duplicates.do(_genes_of([solution]), _genes_of(self.members), to_itself=False))


def _objectives(solutions: Sequence[Solution]) -> FloatArray:
    return np.array([solution.f for solution in solutions])


def representatives(points: ArrayLike, n_groups: int) -> Int64Array:
    """Form ``n_groups`` single-linkage clusters, and return one point's index per cluster; O(n^2) time."""
    # The representative is the first point with the smallest mean distance to all points in its cluster.
    # Coordinates are divided by their ranges. Infinite coordinates are placed one range beyond finite ones.
    P = np.asarray(points, dtype=np.float64)
    n = len(P)
    if n <= n_groups:
        return np.arange(n, dtype=np.int64)
    low, high = finite_range(P)
    extent = np.where(high > low, high - low, 1.0)
    distances = pdist((np.clip(P, low - extent, high + extent) - low) / extent)
    groups = _cut(linkage(distances, method="single"), n, n_groups)
    D = squareform(distances)
    kept = []
    for g in range(n_groups):
        members = np.flatnonzero(groups == g)
        total = D[np.ix_(members, members)].sum(axis=1)
        # The factor makes equal sums of distances tie in spite of rounding errors.
        kept.append(members[np.argmax(total <= total.min() * (1.0 + 1e-12))])
    return np.sort(np.array(kept, dtype=np.int64))


def _cut(merges: FloatArray, n: int, n_groups: int) -> Int64Array:
    """Return the group of each of ``n`` points after the first n - n_groups merges of SciPy's ``linkage``."""
    group = np.arange(n, dtype=np.int64)
    member = list(range(n))  # one point of each cluster, by SciPy's cluster number
    for left, right in merges[: n - n_groups, :2].astype(np.int64):
        one, other = group[member[left]], group[member[right]]
        group[group == other] = one
        member.append(member[left])
    return np.unique(group, return_inverse=True)[1].astype(np.int64)


class CooledDown(Termination):
    """Termination after the last temperature."""

    def _update(self, algorithm: Any) -> float:
        return float((algorithm.n_iter - 1) / algorithm.n_temperatures)


class LaplaceNoise(Mutation):
    """Add Laplacian noise to one randomly chosen variable of every individual.

    Values are clipped to the bounds; integer variables move by at least one. Source: see :class:`AMOSA`.

    Parameters
    ----------
    scale : float, default=0.1
        Mean absolute value of the noise, relative to the distance between the variable's bounds or, without
        bounds, in units of the variable.
    """

    def __init__(self, scale: float = 0.1) -> None:
        super().__init__()
        self.scale = float(positive("scale", scale))

    def _do(
        self, problem: Any, X: NDArray[Any], *args: Any, random_state: Generator | None = None, **kwargs: Any
    ) -> NDArray[Any]:
        rng, bounded = np.random.default_rng(random_state), problem.has_bounds()
        lower, upper, rows, out = problem.xl, problem.xu, np.arange(len(X)), X.copy()
        free = np.flatnonzero(upper > lower) if bounded else np.arange(problem.n_var)
        if not len(free):
            return out
        column = free[rng.integers(len(free), size=len(X))]
        noise = rng.laplace(scale=self.scale, size=len(X))
        if bounded:
            noise *= (upper - lower)[column]
        if X.dtype.kind in "iu":
            noise = np.copysign(np.ceil(np.abs(noise)), noise)
        moved = X[rows, column] + noise
        if bounded:
            moved = np.minimum(np.maximum(moved, lower[column]), upper[column])
        out[rows, column] = moved
        return out


def _genes_of(solutions: Sequence[Solution]) -> Population:
    return Population.new(X=np.array([solution.x for solution in solutions]))


def population_of(solutions: list[Solution], iteration: int) -> Population:
    """Convert solutions to a pymoo Population."""
    return Population.create(*(solution.as_individual(iteration) for solution in solutions))
