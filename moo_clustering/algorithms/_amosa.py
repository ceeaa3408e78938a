"""Archived multi-objective simulated annealing."""

from __future__ import annotations

import inspect
from numbers import Integral, Real
from typing import Any

import numpy as np
from pymoo.core.algorithm import Algorithm
from pymoo.core.individual import Individual
from pymoo.core.initialization import Initialization
from pymoo.core.population import Population
from pymoo.core.repair import Repair
from pymoo.core.sampling import Sampling
from pymoo.operators.sampling.rnd import FloatRandomSampling, IntegerRandomSampling
from pymoo.util.display.multi import MultiObjectiveOutput

from moo_clustering.algorithms._annealing import Acceptance, anneal, climb
from moo_clustering.algorithms._bounded_archive import BoundedArchive
from moo_clustering.algorithms._cooling import CooledDown, Cooling
from moo_clustering.algorithms._known import Duplicates, duplicate_elimination
from moo_clustering.algorithms._laplace_noise import LaplaceNoise
from moo_clustering.algorithms._solutions import (
    Evaluation,
    Solution,
    batch_of,
    check_objectives,
    population_of,
)
from moo_clustering.algorithms._variation import Perturb, variation

# Samples that an archive may start from; more could not be held, let alone scored.
_MOST_SAMPLES = 100_000_000


class AMOSA(Algorithm):
    """Archived multi-objective simulated annealing.

    A current solution is perturbed again and again; whether the new one is accepted depends on how it
    stands to the current one and to an archive of non-dominated solutions, on the amounts by which it
    is dominated, and on a temperature that falls. The archive is the result. One iteration of pymoo is
    one temperature; the first is the initial archive. Without a termination criterion the run ends
    after the last temperature, and it never goes beyond that.

    Parameters
    ----------
    soft_limit : int, default=200
        SL: an archive that grows beyond this is thinned.
    hard_limit : int, default=100
        HL < SL: how many solutions are left then, and at the end at most.
    gamma : float, default=2
        The archive starts from ``gamma * soft_limit`` samples.
    n_climb : int, default=20
        Steps of hill climbing on each of them.
    t_max, t_min : float, default=100, 1e-5
        The temperatures are ``t_max``, ``cooling * t_max``, ... above ``t_min``.
    cooling : float, default=0.8
    n_moves : int, default=100
        Perturbations at each temperature.
    acceptance : {"physical", "literal"}, default="physical"
        Probability of a move to a solution dominated by an average amount D, at temperature T:
        1 / (1 + exp(D / T)), or as printed in the reference 1 / (1 + exp(D T)), which accepts the more
        the cooler it is.
    sampling : Sampling, ndarray or Population, optional
        Uniform within the bounds by default, integers where the problem says ``vtype=int``.
    perturb : Mutation or callable, optional
        A pymoo operator or ``perturb(problem, X, rng) -> X``, both for ``X`` of shape (n, n_var);
        :class:`LaplaceNoise` by default.
    repair : Repair, optional
        Applied to samples and to perturbed solutions.
    eliminate_duplicates : bool, DuplicateElimination or callable, default=True
        What the archive never holds twice: equal genes, nothing (False), what a pymoo operator says,
        or equal ``canonical(X)``. :class:`~moo_clustering.operators.CanonicalDuplicates` is fast.
    output : Output, optional
    **options
        As for every pymoo algorithm: ``termination``, ``callback``, ``seed``, ``archive``,
        ``return_least_infeasible``, ``save_history``, ``display``, ``evaluator``, ``verbose``.

    Attributes
    ----------
    n_temperatures : int
        Iterations after the initial one until the end.
    current : Individual
        Current solution.
    pop, opt : Population
        The archive: at most ``soft_limit`` solutions, ``hard_limit`` after the last iteration.

    Raises
    ------
    TypeError, ValueError
        For options that are unknown or out of range, and objectives that are not a number.

    Notes
    -----
    The default run takes gamma SL (1 + n_climb) + n_moves n_temperatures = 15,700 evaluations. Hill
    climbing evaluates all samples at once; the moves are evaluated one by one, as the method is
    defined, which pays only for problems that are quick at single solutions. A move costs O(SL n_obj)
    besides its evaluation.

    Constraints take precedence over objectives: the smaller violation dominates, by an amount that is
    the difference of the violations relative to their range.

    Genotypes that the problem returns (``out["X"]``) replace those it was given.

    References
    ----------
    S. Bandyopadhyay, S. Saha, U. Maulik, K. Deb, "A simulated annealing-based multiobjective
    optimization algorithm: AMOSA", IEEE Transactions on Evolutionary Computation 12 (2008).

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
        gamma: float = 2,
        n_climb: int = 20,
        t_max: float = 100.0,
        t_min: float = 1e-5,
        cooling: float = 0.8,
        n_moves: int = 100,
        acceptance: Acceptance = "physical",
        sampling: Any = None,
        perturb: Perturb | None = None,
        repair: Repair | None = None,
        eliminate_duplicates: Duplicates = True,
        output: Any = None,
        **options: Any,
    ) -> None:
        known = set(inspect.signature(Algorithm.__init__).parameters) - {"self", "kwargs"}
        if unknown := set(options) - known:
            raise TypeError(
                f"AMOSA has no option {', '.join(sorted(unknown))}; of pymoo it takes {sorted(known)}"
            )
        super().__init__(output=MultiObjectiveOutput() if output is None else output, **options)
        self.soft_limit = _integer("soft_limit", soft_limit, 2)
        self.hard_limit = _integer("hard_limit", hard_limit, 1)
        if self.hard_limit >= self.soft_limit:
            raise ValueError(
                f"hard_limit must be less than soft_limit, got {self.hard_limit} and {self.soft_limit}"
            )
        self.n_samples = _n_samples(gamma, self.soft_limit)
        self.n_climb = _integer("n_climb", n_climb, 0)
        self.n_moves = _integer("n_moves", n_moves, 1)
        self.cooling = Cooling(t_max, t_min, cooling)
        if acceptance not in ("physical", "literal"):
            raise ValueError(f"acceptance must be 'physical' or 'literal', got {acceptance!r}")
        self.acceptance: Acceptance = acceptance
        self.sampling = sampling
        self.perturb = perturb
        self.repair = repair
        self.duplicates = duplicate_elimination(eliminate_duplicates)
        self.current: Individual | None = None

    @property
    def n_temperatures(self) -> int:
        """Iterations after the initial one until the end."""
        return self.cooling.n_temperatures

    def setup(self, problem: Any, **options: Any) -> AMOSA:
        """Prepare for a problem; see pymoo. Without a termination the temperatures decide."""
        if options.get("termination") is None:
            options["termination"] = CooledDown() if self.termination is None else self.termination
        super().setup(problem, **options)
        return self

    def _setup(self, problem: Any, **options: Any) -> None:
        sampling = _default_sampling(problem) if self.sampling is None else self.sampling
        perturb = LaplaceNoise() if self.perturb is None else self.perturb
        if not callable(perturb):
            raise TypeError(f"perturb must be a pymoo Mutation or a function, got {perturb!r}")
        self.initialization = Initialization(sampling, self.repair)
        self._vary = variation(problem, perturb, self.repair)

    def _initialize_infill(self) -> Population:
        population = self.initialization.do(
            self.problem, self.n_samples, algorithm=self, random_state=self.random_state
        )
        dtype = population.get("X").dtype
        if dtype.kind not in "biuf":
            raise TypeError(f"AMOSA needs genotypes that are arrays of numbers, got an array of {dtype}")
        self._dtype = dtype.str
        return population

    def _initialize_advance(self, infills: Any = None, **options: Any) -> None:
        check_objectives(infills.get("F"), self.problem)
        batch = batch_of(infills)
        batch["X"] = batch["X"].astype(self._dtype)  # decoders that write back make floats of integers
        archive = self._archive()
        archive.fill(climb(batch, n_steps=self.n_climb, **self._means()))
        start = archive.members[self.random_state.integers(len(archive))]
        self._keep(archive, start)

    def _advance(self, infills: Any = None, **options: Any) -> None:
        archive = self._archive()
        archive.restore([Solution.of_individual(individual) for individual in self.pop])
        members = {id(member.individual): member for member in archive.members}
        current = members.get(id(self.current)) or Solution.of_individual(self.current)
        i = self.n_iter - 2  # the first iteration was the initial one, and pymoo counts from one
        current = anneal(
            archive,
            current,
            n_moves=self.n_moves,
            temperature=self.cooling.temperature(i),
            acceptance=self.acceptance,
            **self._means(),
        )
        self._keep(archive, current)
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
            archive = self._archive()
            archive.restore([Solution.of_individual(individual) for individual in self.pop])
            archive.thin()
            self.pop = population_of(archive.members, self.n_iter)
            self._set_optimum()

    def _archive(self) -> BoundedArchive:
        return BoundedArchive(self.problem.n_obj, self.soft_limit, self.hard_limit, self.duplicates)

    def _means(self) -> dict[str, Any]:
        return {
            "problem": self.problem,
            "vary": self._vary,
            "evaluate": Evaluation(self),
            "rng": self.random_state,
        }


def _default_sampling(problem: Any) -> Sampling:
    if not problem.has_bounds():
        raise ValueError(f"{type(problem).__name__} has no bounds to sample between: give AMOSA a sampling")
    integer = problem.vtype is not None and np.issubdtype(np.dtype(problem.vtype), np.integer)
    return IntegerRandomSampling() if integer else FloatRandomSampling()


def _n_samples(gamma: Any, soft_limit: int) -> int:
    if not isinstance(gamma, Real):
        raise TypeError(f"gamma must be a number, got {gamma!r}")
    n = float(gamma) * soft_limit
    if not 1 <= n < np.inf:
        raise ValueError(f"gamma * soft_limit must be at least one sample, got {gamma} * {soft_limit}")
    if n > _MOST_SAMPLES:
        raise ValueError(
            f"gamma * soft_limit must be at most {_MOST_SAMPLES:,} samples, got {gamma} * {soft_limit}"
        )
    return round(n)


def _integer(name: str, value: Any, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be an integer of at least {least}, got {value!r}")
    if value < least:
        raise ValueError(f"{name} must be an integer of at least {least}, got {value}")
    return int(value)
