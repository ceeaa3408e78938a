"""Resumable runs of pymoo algorithms, with checkpoints of their state."""

from __future__ import annotations

import copy
import inspect
import json
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import reduce
from os import PathLike
from types import SimpleNamespace
from typing import Any, Literal, TypeAlias

import numpy as np
import pymoo.util
from numpy.random import Generator
from numpy.typing import NDArray
from pymoo.algorithms.base.genetic import GeneticAlgorithm
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.moo.nsga3 import HyperplaneNormalization
from pymoo.algorithms.moo.rvea import RVEA
from pymoo.algorithms.soo.nonconvex.ga import FitnessSurvival
from pymoo.core.algorithm import Algorithm
from pymoo.core.callback import Callback
from pymoo.core.crossover import Crossover
from pymoo.core.duplicate import DefaultDuplicateElimination, DuplicateElimination, NoDuplicateElimination
from pymoo.core.evaluator import Evaluator
from pymoo.core.individual import Individual, calc_cv
from pymoo.core.mating import Mating
from pymoo.core.meta import Meta
from pymoo.core.mutation import Mutation
from pymoo.core.operator import Operator
from pymoo.core.population import Population
from pymoo.core.problem import Problem
from pymoo.core.repair import NoRepair
from pymoo.core.result import Result
from pymoo.core.sampling import Sampling
from pymoo.core.termination import Termination
from pymoo.core.variable import get
from pymoo.operators.crossover.sbx import SBX
from pymoo.operators.mutation.pm import PM
from pymoo.operators.sampling.rnd import FloatRandomSampling, IntegerRandomSampling
from pymoo.operators.selection.tournament import TournamentSelection
from pymoo.operators.survival.rank_and_crowding import RankAndCrowding
from pymoo.termination.max_gen import MaximumGenerationTermination
from pymoo.util.misc import random_permutations, termination_from_tuple
from pymoo.util.optimum import filter_optimum
from pymoo.util.randomized_argsort import randomized_argsort

from moo_clustering._arrays import FloatArray, IntArray, array_of, integer, is_own, warn_caller
from moo_clustering._messages import quoted
from moo_clustering.algorithms import search as searches
from moo_clustering.encodings.base import VALID_GENES
from moo_clustering.operators import CanonicalDuplicates, batched_tournament, start_genes
from moo_clustering.operators.base import check_constraints, checked_operators
from moo_clustering.operators.generic import begun

# The public module ``moo_clustering.algorithms`` exports this class from here.
from moo_clustering.operators.sparse_rows import RowTableEvaluator as RowTableEvaluator
from moo_clustering.persistence import Checkpoint, fingerprint
from moo_clustering.problems.partition import SignedProblem

Duplicates: TypeAlias = "bool | DuplicateElimination | Callable[[NDArray[Any]], NDArray[Any]]"
Batch = dict[str, NDArray[Any]]
Genes = NDArray[Any]
_OF_NUMBERS = (FloatRandomSampling, SBX, PM, NoRepair, DefaultDuplicateElimination)
# These pymoo algorithms cannot be saved, because they contain running generators or other searches.
_UNSAVED = {"CMAES", "SimpleCMAES", "EPPSO"}
_ACTIVE: ContextVar[Algorithm | None] = ContextVar("active_algorithm", default=None)
# A run may replace objects of these classes. Checkpoints store only the attributes of such objects.
_MADE_ANEW = {"HyperplaneNormalization": HyperplaneNormalization}
_EVALUATED = "evaluated."  # a unique prefix, because names of fields contain no dots
_DATA = "data."
_SEQUENCES = (list, tuple, set)
Step = tuple[str, Any]
Path = tuple[Step, ...]
# These attributes are not saved, because a resumed run sets them or does not depend on them.
_TRANSIENT = {
    "problem", "initialization", "off", "random_state", "seed", "start_time", "history", "verbose",
    "save_history", "display", "output", "callback", "termination",
}  # fmt: skip
# These attributes are saved even if an algorithm saves its own state.
_CORE = {"pop", "opt", "n_iter", "is_initialized"}
_STATEFUL_MODULES = ("pymoo.", "moo_clustering.operators.", "moo_clustering.algorithms.")


def _generator(seed: Any = None) -> Generator:
    """Return the generator of the run in this thread.

    If a seed is given or no algorithm is running, a new generator is returned instead.
    """
    running = getattr(_ACTIVE.get(), "random_state", None)
    return running if seed is None and running is not None else np.random.default_rng(seed)


# pymoo calls many functions without a generator. Each call would create a new generator, so runs with equal
# seeds would differ. With this replacement, the calls use the generator of the run.
pymoo.util.np = SimpleNamespace(random=SimpleNamespace(default_rng=_generator))


@contextmanager
def _seeded(algorithm: Algorithm) -> Iterator[None]:
    """Let pymoo functions that are called without a generator use the generator of ``algorithm``."""
    token = _ACTIVE.set(algorithm)
    try:
        yield
    finally:
        _ACTIVE.reset(token)


# Parameters that several algorithms share. :func:`~moo_clustering._docs.documented` adds them to docstrings.
ALGORITHM = """
Parameters
----------
repair : Repair, optional
output : Output, optional
**options
    Options common to all pymoo algorithms: ``termination``, ``callback``, ``seed``, ``archive``,
    ``return_least_infeasible``, ``save_history``, ``display``, ``evaluator``, ``verbose``.
"""


def checked_options(kind: type, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options, or raise a TypeError if pymoo algorithms do not support one of them."""
    known = set(inspect.signature(Algorithm.__init__).parameters) - {"self", "kwargs"}
    if unknown := set(options) - known:
        raise TypeError(
            f"{kind.__name__} does not support {', '.join(sorted(unknown))}; the supported pymoo options are "
            f"{', '.join(sorted(known))}"
        )
    return options


def uniform_sampling(problem: Problem, name: str) -> Sampling:
    """Return uniform integer or real sampling; ``name`` is the algorithm's name for the error message."""
    if not problem.has_bounds():
        raise ValueError(f"{type(problem).__name__} has no bounds for sampling; pass sampling to {name}")
    is_integer = np.issubdtype(np.dtype(problem.vtype or float), np.integer)
    return IntegerRandomSampling() if is_integer else FloatRandomSampling()


def duplicate_elimination(duplicates: Any) -> DuplicateElimination:
    """Convert ``eliminate_duplicates`` to a pymoo operator; a function is used as ``canonical(X) -> X``."""
    if isinstance(duplicates, DuplicateElimination):
        return duplicates
    if isinstance(duplicates, bool):
        return CanonicalDuplicates() if duplicates else NoDuplicateElimination()
    if callable(duplicates):
        return CanonicalDuplicates(duplicates)
    raise TypeError(
        "eliminate_duplicates must be a bool, a pymoo DuplicateElimination or a function of genotypes, "
        f"got {quoted(duplicates)}"
    )


@dataclass(slots=True, eq=False)
class Solution:
    """One evaluated genotype."""

    x: NDArray[Any]  # shape (n_var,)
    f: FloatArray  # shape (n_obj,)
    violation: float  # 0 if feasible
    individual: Individual | None = None  # created on demand
    key: bytes | None = None  # equal for duplicates, computed on demand
    _source: tuple[Batch, int] | None = None

    @classmethod
    def of_individual(cls, individual: Individual) -> Solution:
        """Create a solution from an evaluated individual."""
        f = np.ascontiguousarray(individual.F, dtype=np.float64)
        return cls(individual.X, f, float(individual.CV[0]), individual=individual)

    @classmethod
    def of_batch(cls, batch: Batch, row: int, violation: float) -> Solution:
        """Create a solution from a row of a problem's output."""
        return cls(batch["X"][row], batch["F"][row], violation, _source=(batch, row))

    def as_individual(self, iteration: int) -> Individual:
        """Return the same pymoo Individual, with all outputs of the problem, in every call."""
        if self.individual is None and self._source is not None:
            batch, row = self._source
            self.individual = Individual(n_gen=iteration, n_iter=iteration)
            for name, values in batch.items():
                self.individual.set(name, values[row])
            self.individual.evaluated.update(name for name in batch if name != "X")
            self._source = None
        return self.individual


def batch_of(population: Population) -> Batch:
    """Collect the genes and outputs of evaluated individuals into arrays."""
    names = set.intersection(*(set(individual.evaluated) for individual in population))
    return {name: population.get(name) for name in ["X", *sorted(names - {"X"})]}


def violations_of(batch: Batch, problem: Any) -> FloatArray:
    """Return each solution's constraint violation, as pymoo defines it by default."""
    n = len(batch["X"])
    if not problem.has_constraints():
        return np.zeros(n)
    return np.asarray(calc_cv(G=batch.get("G"), H=batch.get("H")), dtype=np.float64).reshape(n)


def evaluated(X: Genes, algorithm: Any) -> Batch:
    """Evaluate genotypes for an algorithm and count the evaluations; NaN objectives raise a ValueError."""
    # If the problem sets ``out["X"]``, its genotypes replace ``X`` and are converted to the dtype of ``X``.
    problem, evaluator = algorithm.problem, algorithm.evaluator
    options = {"return_values_of": list(evaluator.evaluate_values_of), "return_as_dictionary": True}
    batch: Batch = problem.evaluate(X, **options, algorithm=algorithm)
    evaluator.n_eval += len(X)
    batch["X"] = batch["X"].astype(X.dtype, copy=False) if batch.get("X") is not None else X
    check_objectives(batch["F"], problem)
    return batch


def check_objectives(F: FloatArray, problem: Any) -> None:
    """Raise a ValueError if an objective is NaN."""
    if np.isnan(F).any():
        raise ValueError(
            f"{type(problem).__name__} returned NaN objectives; return large finite values instead, "
            "or set the problem's replace_nan_values_by"
        )


def finite_range(F: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the smallest and the largest finite value of each column, or 0 for a column without any."""
    finite = np.isfinite(F)
    low, high = np.where(finite, F, np.inf).min(axis=0), np.where(finite, F, -np.inf).max(axis=0)
    return np.where(finite.any(axis=0), low, 0.0), np.where(finite.any(axis=0), high, 0.0)


class ArrayGenerations:
    """NSGA-II generations computed on arrays, with the same random numbers and results as in pymoo."""

    # For small data sets, pymoo takes longer to create and update individuals than to evaluate them.

    def __init__(self, algorithm: Any) -> None:
        self._algorithm = algorithm
        self._batch = batch_of(algorithm.pop)
        self.F: FloatArray = self._batch["F"]
        self._rank, self._crowding = algorithm.pop.get("rank", "crowding")
        # ``_members`` contains None for rows without a pymoo individual. ``_born`` contains iteration
        # numbers.
        self._members, self._born = np.array(algorithm.pop, dtype=object), algorithm.pop.get("n_iter")
        self._children: tuple[Batch, IntArray] | None = None

    @staticmethod
    def suits(algorithm: Any) -> bool:
        """Return whether arrays can replace pymoo individuals, because no other code uses the individuals."""
        if type(algorithm) is not NSGA2 or type(algorithm.mating) is not Mating:
            return False
        problem, mating = algorithm.problem, algorithm.mating
        cross, mutate, select = mating.crossover, mating.mutation, mating.selection
        parts = select, algorithm.survival, mating.repair, mating.eliminate_duplicates
        unused = [algorithm.output, algorithm.archive, algorithm.display.progress]
        unused += [algorithm.evaluator.callback, algorithm.termination.early]
        unused += [cross.vtype, cross.repair, mutate.vtype, mutate.repair]
        return (
            tuple(map(type, parts))
            == (TournamentSelection, RankAndCrowding, NoRepair, NoDuplicateElimination)
            and (type(algorithm.evaluator), type(algorithm.callback)) == (Evaluator, Callback)
            and select.func_comp is batched_tournament
            and (type(cross).do, type(mutate).do) == (Crossover.do, Mutation.do)
            and cross.n_parents == cross.n_offsprings
            and all(type(one).__call__ is Operator.__call__ for one in (cross, mutate))
            and not any(is_own(one) for one in (problem, cross, mutate))
            and all(one is None for one in unused)
            and not algorithm.save_history
            and not problem.has_constraints()
            and set(batch_of(algorithm.pop)) == {"X", "F", "G", "H"}
            and all(individual.has("crowding") for individual in algorithm.pop)
        )

    def advance(self) -> None:
        """Run one generation."""
        algorithm, rng = self._algorithm, self._algorithm.random_state
        children = evaluated(self._offspring(algorithm.mating, rng), algorithm)
        merged = {name: np.concatenate([self._batch[name], children[name]]) for name in self._batch}
        n_old, n_new = len(self.F), len(children["F"])
        rows = self._survivors(merged["F"].astype(float, copy=False), rng)
        self._batch = {name: values[rows] for name, values in merged.items()}
        self.F = self._batch["F"]
        self._members = np.concatenate([self._members, np.full(n_new, None)])[rows]
        self._born = np.concatenate([self._born, np.full(n_new, algorithm.n_iter)])[rows]
        self._children = children, rows - n_old
        algorithm.termination.update(algorithm)
        algorithm.n_iter += 1

    def _offspring(self, mating: Mating, rng: Generator) -> Genes:
        """Return the offspring that pymoo's ``Mating``, ``Crossover`` and ``Mutation`` would create."""
        algorithm, cross, mutate = self._algorithm, mating.crossover, mating.mutation
        problem, n = algorithm.problem, algorithm.n_offsprings
        columns: Any = {"F": self.F, "CV": np.zeros((len(self.F), 1))}
        columns |= {"rank": self._rank, "crowding": self._crowding}
        n_matings, n_parents = math.ceil(n / cross.n_offsprings), cross.n_parents
        options = {"random_state": rng, "algorithm": algorithm}
        shape = n_matings * n_parents, mating.selection.pressure
        drawn = random_permutations(math.ceil(math.prod(shape) / len(self.F)), len(self.F), random_state=rng)
        winners = batched_tournament(columns, drawn[: math.prod(shape)].reshape(shape), **options)
        parents = self._batch["X"][winners.reshape(n_matings, n_parents)].swapaxes(0, 1)
        crossed = rng.random(n_matings) < get(cross.prob, size=n_matings)
        if crossed.any():
            parents = np.where(crossed[:, None], cross._do(problem, parents, **options), parents)
        X = parents.reshape(-1, parents.shape[-1])
        mutants = mutate._do(problem, X.copy(), **options)
        return np.where((rng.random(len(X)) <= get(mutate.prob, size=len(X)))[:, None], mutants, X)[:n]

    def _survivors(self, F: FloatArray, rng: Generator) -> IntArray:
        """Return the rows that pymoo's ``RankAndCrowding`` would keep, and store their ranks and crowding."""
        survival, room = self._algorithm.survival, min(self._algorithm.pop_size, len(F))
        rows, ranks, spreads = [], [], []
        for rank, front in enumerate(survival.nds.do(F, n_stop_if_ranked=room)):
            n_remove = max(len(front) - room, 0)
            spread = survival.crowding_func.do(F[front, :], n_remove=n_remove)
            if n_remove:
                order = randomized_argsort(spread, order="descending", method="numpy", random_state=rng)
                front, spread = front[order[:-n_remove]], spread[order[:-n_remove]]
            room -= len(front)
            rows.append(front)
            ranks.append(np.full(len(front), rank))
            spreads.append(spread)
        self._rank, self._crowding = np.concatenate(ranks), np.concatenate(spreads)
        return np.concatenate(rows)

    def write_back(self) -> None:
        """Create pymoo individuals from the arrays, and set ``pop``, ``opt`` and ``off`` of the algorithm."""
        if self._children is None:
            return
        algorithm, (children, places) = self._algorithm, self._children
        for row, born in enumerate(self._born.tolist()):
            if self._members[row] is None:
                self._members[row] = Solution.of_batch(self._batch, row, 0.0).as_individual(born)
                self._members[row].CV = np.zeros(1)
            self._members[row].data.update(rank=int(self._rank[row]), crowding=self._crowding[row])
        algorithm.pop = self._members.copy().view(Population)
        algorithm.opt = algorithm.pop[self._rank == 0]
        known = {int(place): member for place, member in zip(places, self._members, strict=True)}
        rows = enumerate(Solution.of_batch(children, row, 0.0) for row in range(len(children["F"])))
        off = [known[row] if row in known else one.as_individual(algorithm.n_iter - 1) for row, one in rows]
        algorithm.off, self._children = Population.create(*off), None


def evolve(
    problem: Problem,
    algorithm: Algorithm,
    *,
    n_gen: int,
    seed: searches.Seed = None,
    recorder: searches.Recorder | None = None,
    verbose: bool = False,
    checkpoint: Checkpoint | str | PathLike[str] | None = None,
    start: Any = None,
) -> Result:
    """Run a pymoo algorithm as ``minimize`` does, with a progress bar, checkpoints and Ctrl-C handling.

    Raises the same errors as :class:`PymooSearch` and :func:`drive`.

    Parameters
    ----------
    problem : Problem
    algorithm : Algorithm
        New algorithm. The run uses a copy, and ignores the algorithm's termination criterion.
    n_gen : int
        Number of generations after the initial population, one less than pymoo's ``("n_gen", n)``.
    seed : int, SeedSequence, Generator or None, default=None
    recorder, verbose, checkpoint
        See :func:`drive`. If ``checkpoint`` is a path, a run can be resumed only with the same integer seed,
        objectives, data, algorithm and operators, including their parameters.
    start : array-like, Population, estimator or path, optional
        First individuals; see :func:`~moo_clustering.operators.start_genes`. All others are sampled.

    Returns
    -------
    Result
        The pymoo result. After Ctrl-C, a warning is issued, and the result so far is returned.

    Examples
    --------
    >>> from pymoo.algorithms.moo.nsga2 import NSGA2
    >>> from pymoo.problems import get_problem
    >>> result = evolve(get_problem("zdt1"), NSGA2(pop_size=20), n_gen=5, seed=1)
    >>> result.F.shape[1]
    2
    """
    search = PymooSearch(problem, algorithm, seed=seed, n_gen=n_gen)
    if start is not None:
        search.start_from(start_genes(problem, start))
    if isinstance(checkpoint, str | PathLike):
        own: dict[str, Any] = {"method": type(algorithm).__name__, "parameters": search._settings()}
        own |= {"seed": seed if isinstance(seed, int) else None, "objectives": _objective_names(problem)}
        if isinstance(problem, SignedProblem):
            # The objectives of two genotypes identify the data, because all runs draw the same two genotypes.
            drawn = problem.operators()["sampling"].do(problem, 2, random_state=np.random.default_rng(0))
            F = copy.copy(problem).evaluate(drawn.get("X"), return_values_of=["F"])
            own["data"] = fingerprint(np.float32(F))
        checkpoint = Checkpoint(checkpoint, identity=own)
    searches.drive(
        search,
        n_gen=n_gen,
        recorder=recorder,
        verbose=verbose,
        description=type(algorithm).__name__,
        objective_names=_objective_names(problem),
        checkpoint=checkpoint,
    )
    return search.result()


def _objective_names(problem: Problem) -> Sequence[str] | None:
    names = getattr(problem, "objective_names", None)
    if isinstance(names, (list, tuple)) and len(names) == problem.n_obj:
        return [str(name) for name in names]
    return None


class PymooSearch:
    """A :class:`Search` that runs any pymoo algorithm.

    Raises a TypeError or ValueError if ``algorithm`` is not a pymoo algorithm, was used before, has reference
    directions for a different number of objectives, or cannot handle the problem's objectives or constraints.

    Parameters
    ----------
    problem : Problem
        Problem to solve; it is not copied.
    algorithm : Algorithm
        New algorithm. The search runs a copy with the same callback, and ignores the termination criterion.
    seed : int, SeedSequence, Generator or None, default=None
        Default: the algorithm's own seed, if any.
    n_gen : int, optional
        Planned number of generations. It affects only algorithms with a schedule, such as RVEA.

    Notes
    -----
    Checkpoints contain the random generator, the population and optimum, and all attributes of the algorithm
    and its operators that have changed since set-up. Survivals, operators and algorithms that define
    ``checkpoint_state()`` and ``restore_checkpoint_state(arrays, meta)`` save their own state instead. For
    every algorithm of pymoo 0.6.2, runs with equal seeds are bit-identical, and so are resumed and
    uninterrupted runs. A checkpoint of CMAES, BIPOPCMAES, SimpleCMAES or EPPSO raises a ValueError.
    """

    def __init__(
        self, problem: Problem, algorithm: Algorithm, *, seed: searches.Seed = None, n_gen: int | None = None
    ) -> None:
        if not isinstance(problem, Problem):
            raise TypeError(f"problem must be a pymoo Problem, got {quoted(problem)}")
        if not isinstance(algorithm, Algorithm):
            raise TypeError(f"algorithm must be a pymoo Algorithm, got {quoted(algorithm)}")
        if algorithm.problem is not None:
            raise ValueError("algorithm has already been set up or run; pass a new algorithm")
        directions = getattr(algorithm, "ref_dirs", None)
        if directions is not None and np.shape(directions)[-1] != problem.n_obj:
            raise ValueError(
                f"{type(algorithm).__name__} has reference directions for {np.shape(directions)[-1]} "
                f"objectives, but the problem has {problem.n_obj}; pass "
                f"ref_dirs=get_reference_directions('das-dennis', {problem.n_obj}, n_partitions=20)"
            )
        if problem.n_obj > 1 and isinstance(getattr(algorithm, "survival", None), FitnessSurvival):
            raise ValueError(
                f"{type(algorithm).__name__} minimises one objective, but the problem has {problem.n_obj}; "
                "use a multi-objective algorithm such as NSGA2"
            )
        check_constraints(problem, type(algorithm))
        survival = type(getattr(algorithm, "survival", None))
        handling = getattr(problem, "constraint_handling", getattr(problem, "supervision", None))
        if handling == "crowding" and survival.__module__.startswith("pymoo."):
            warn_caller(
                f"the search ignores the constraints, because {survival.__name__} does not use them: pass "
                "survival=ConstraintCrowdingSurvival() to the algorithm, or use another constraint handling"
            )
        self.problem = problem
        # The copy shares the callback, the problem and the problem's attributes with the original.
        shared = [problem, algorithm.callback, *vars(problem).values()]
        self._algorithm = copy.deepcopy(algorithm, {id(value): value for value in shared})
        self.seed = self._algorithm.seed if seed is None else seed
        self.generation = 0
        # pymoo counts the initial population as an iteration.
        plan = 10**9 if n_gen is None else integer("n_gen", n_gen, 0) + 1  # unlimited without ``n_gen``
        with _seeded(self._algorithm):
            self._algorithm.setup(problem, seed=self.seed, termination=_Endless(plan))
        self._state = AlgorithmState(self._algorithm)
        # In this many coming iterations, the outputs of user-defined operators are checked.
        self._n_unseen = 0 if isinstance(algorithm, Meta) else 2
        # None until the first generation without checks. False if generations need pymoo individuals.
        self._arrays: ArrayGenerations | Literal[False] | None = None

    @property
    def algorithm(self) -> Any:
        """Running copy of the algorithm. Once accessed, generations use pymoo individuals, not arrays."""
        self._write_back()
        self._arrays = False
        return self._algorithm

    def watch(self, callback: Callback | None, save_history: bool) -> None:
        """Set the callback unless it is None, and enable pymoo's history if ``save_history``."""
        self._algorithm.callback = callback or self._algorithm.callback
        self._algorithm.save_history |= save_history

    def _write_back(self) -> None:
        if self._arrays:
            self._arrays.write_back()

    @property
    def n_evaluated(self) -> int:
        """Number of evaluations that the algorithm has counted."""
        return int(self._algorithm.evaluator.n_eval)

    @property
    def exhausted(self) -> bool:
        """Whether the algorithm stopped by itself, for example because mating found no new individuals."""
        return bool(self._algorithm.termination.force_termination)

    @property
    def finished(self) -> bool:
        """Whether a criterion set by :meth:`end_by` is met."""
        return bool(self._algorithm.termination.has_terminated())

    def end_by(self, termination: Termination | tuple[Any, ...]) -> None:
        """Also stop the search when a copy of this pymoo termination criterion is met."""
        try:
            self.algorithm.termination.early = termination_from_tuple(copy.deepcopy(termination))
        except Exception as error:  # pymoo raises a plain Exception
            said = f"unknown termination {quoted(termination)}"
            raise ValueError(f"{said}; use a Termination or a tuple such as ('n_eval', 500)") from error

    def check_resumable(self) -> None:
        """Raise a ValueError if the algorithm cannot be resumed from a saved state."""
        kinds = type(self._algorithm).__mro__
        reason = "wraps another algorithm" if isinstance(self._algorithm, Meta) else ""
        if not reason and _UNSAVED & {one.__name__ for one in kinds if one.__module__.startswith("pymoo.")}:
            reason = "contains running generators or other searches, which cannot be saved"
        if reason:
            raise ValueError(
                f"{kinds[0].__name__} cannot be checkpointed, because it {reason}; omit checkpoint"
            )
        if self._algorithm.termination.early is not None:
            raise ValueError("termination cannot be checkpointed; use n_gen, or omit checkpoint")
        if self._algorithm.save_history:
            raise ValueError("save_history=True cannot be checkpointed; use a Recorder instead")

    def start_from(self, genes: Genes) -> None:
        """Use the given genotypes as the first individuals of the initial population."""
        algorithm, holder = self._algorithm, getattr(self._algorithm, "initialization", None)
        holder = algorithm if holder is None else holder
        sampling = getattr(holder, "sampling", None)
        if not isinstance(sampling, Sampling):
            raise TypeError(
                f"start requires an algorithm with a pymoo Sampling, but {type(algorithm).__name__} has "
                f"{quoted(sampling)}; pass problem.operators(algorithm, start=...)"
            )
        holder.sampling = begun(sampling, genes)

    def start(self) -> None:
        """Create and evaluate the initial population."""
        with _seeded(self._algorithm):
            self._look()

    def advance(self) -> None:
        """Run one generation."""
        before = self._algorithm.n_iter
        # Some algorithms evaluate individuals one by one, and only count a generation after the last one.
        with _seeded(self._algorithm):
            while self._algorithm.n_iter == before and not self.exhausted:
                if self._n_unseen:
                    self._look()
                    continue
                if self._arrays is None:
                    suits = ArrayGenerations.suits(self._algorithm)
                    self._arrays = ArrayGenerations(self._algorithm) if suits else False
                (self._arrays.advance if self._arrays else self._algorithm.next)()
        self.generation += not (self.exhausted and self._algorithm.off is None)

    def _look(self) -> None:
        """Run one pymoo iteration, checking genes before their evaluation and objectives after it."""
        algorithm, self._n_unseen = self._algorithm, self._n_unseen - 1
        sampling = getattr(getattr(algorithm, "initialization", None), "sampling", None)
        given = not algorithm.is_initialized and isinstance(sampling, np.ndarray | Population)
        if given and isinstance(sampling, np.ndarray):
            # Genes are checked first, because pymoo's duplicate elimination requires numbers.
            start = np.atleast_2d(sampling)
            array_of(start, "the start population", (len(start), self.problem.n_var), "genes")
        with checked_operators(algorithm) as own:
            infills = algorithm.infill()
            if infills is None:
                algorithm.advance()
                return
            if own or given:
                who = "the start population" if given else ", ".join(type(one).__name__ for one in own)
                check_infills(infills, self.problem, who)
            algorithm.evaluator.eval(self.problem, infills, algorithm=algorithm)
            if is_own(self.problem):
                for individual in [infills] if isinstance(infills, Individual) else infills:
                    who, shape = type(self.problem).__name__, (self.problem.n_obj,)
                    array_of(individual.F, who, shape, "objectives of every individual")
            algorithm.advance(infills=infills)
        survival = getattr(algorithm, "survival", None)
        if isinstance(algorithm, NSGA2) and is_own(survival):
            rank, feasible = algorithm.pop.get("rank", "FEAS")
            if any(one is None for one in rank[feasible.ravel()]):
                raise ValueError(
                    f"{type(survival).__name__} must set the rank and crowding of all feasible survivors; "
                    "call pymoo's RankAndCrowding().do(problem, pop, n_survive=len(pop)) first"
                )

    def _settings(self) -> dict[str, Any]:
        """Return the parameters of the algorithm and its operators as JSON values, by dotted path."""
        packer, found = Packer(self._algorithm.random_state), {}
        for path, what, value in walk(self._algorithm):
            _, packed, arrays = packer.token(value) if what == "leaf" else (None, None, None)
            plain = fingerprint(*arrays.values()) if arrays else packed
            found[".".join(str(key) for _, key in path)] = (
                type(value).__qualname__ if plain is None and value is not None else plain
            )
        return found

    def objectives(self) -> FloatArray:
        """Return the population's objective values, shape (n_individuals, n_objectives)."""
        return self._arrays.F if self._arrays else self._algorithm.pop.get("F")

    def result(self) -> Result:
        """Return the pymoo result, with the algorithm that ran."""
        self._write_back()
        with _seeded(self._algorithm):
            self._algorithm.finalize()
            if isinstance(self._algorithm, RVEA):
                self._algorithm.opt = filter_optimum(self._algorithm.pop, least_infeasible=True)
            result = self._algorithm.result()
        result.algorithm = self.algorithm
        return result

    def state(self) -> searches.State:
        """Return arrays and JSON-serialisable metadata for :meth:`restore`.

        Raises a ValueError that names any attribute of the algorithm that cannot be saved.
        """
        self._write_back()
        arrays, meta = self._state.save()
        return arrays, meta | {
            "algorithm": type(self._algorithm).__qualname__,
            "generation": self.generation,
            "exhausted": self.exhausted,
            "seconds": time.time() - self._algorithm.start_time,
            "rng": searches.rng_state(self._algorithm.random_state),
        }

    def restore(self, arrays: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        """Restore a saved state instead of calling :meth:`start`.

        Raises a ValueError if the state belongs to another algorithm or to a problem of a different shape.
        """
        here = type(self._algorithm).__qualname__
        if meta["algorithm"] != here:
            raise ValueError(f"the saved state is from {meta['algorithm']}, but the algorithm is {here}")
        searches.set_rng_state(self._algorithm.random_state, meta["rng"])
        self._state.restore(arrays, meta)
        shapes = (("X", "variables", self.problem.n_var), ("F", "objectives", self.problem.n_obj))
        for key, name, n_here in shapes:
            if (n_there := self._algorithm.pop.get(key).shape[1]) != n_here:
                raise ValueError(f"the saved population has {n_there} {name}, but the problem has {n_here}")
        self.generation = meta["generation"]
        self._algorithm.termination.force_termination = meta["exhausted"]
        self._algorithm.start_time = time.time() - meta["seconds"]


def check_infills(infills: Population, problem: Problem, who: str) -> None:
    """Raise a ValueError that names the operator if genes are out of bounds or their number is wrong."""
    for individual in infills:
        genes = array_of(individual.X, who, (problem.n_var,), "genes of every individual")
        low, high = (bound if bound is not None else genes for bound in problem.bounds())
        outside = np.flatnonzero((genes < low) | (genes > high))
        if len(outside):
            gene = int(outside[0])
            raise ValueError(
                f"{who} must create genes within the bounds of the problem, from {low[gene]:g} to "
                f"{high[gene]:g} for gene {gene}, got {genes[gene]}; {VALID_GENES}"
            )


def filled_in(algorithm: Any, operators: dict[str, Any], pop_size: int) -> GeneticAlgorithm:
    """Copy an algorithm or create one from a class, and set the given ``operators``."""
    if isinstance(algorithm, type) and issubclass(algorithm, GeneticAlgorithm):
        if any("ref_dirs" in inspect.signature(kind).parameters for kind in algorithm.__mro__[:-1]):
            raise ValueError(
                f"{algorithm.__name__} requires reference directions; pass algorithm as an object such as "
                f"{algorithm.__name__}(get_reference_directions('das-dennis', n_obj, n_partitions=20))"
            )
        return algorithm(pop_size=pop_size, **operators)
    if not isinstance(algorithm, GeneticAlgorithm):
        raise TypeError(f"algorithm must be a pymoo GeneticAlgorithm such as NSGA2, got {quoted(algorithm)}")
    algorithm = copy.deepcopy(algorithm)
    holders = (algorithm, algorithm.initialization, algorithm.mating)
    for name, operator in operators.items():
        for holder in holders:
            if operator is not None and type(getattr(holder, name, None)) in _OF_NUMBERS:
                setattr(holder, name, operator)
    return algorithm


class _Endless(MaximumGenerationTermination):
    """Termination decided by ``early`` alone. The number of generations is not enforced."""

    early: Termination | None = None

    def _update(self, algorithm: Algorithm) -> float:
        return 0.0 if self.early is None else float(self.early.update(algorithm))


class AlgorithmState:
    """Save and restore those attributes of an algorithm and its operators that have changed since set-up."""

    # A part is an algorithm or operator of pymoo or of this package, or a list, tuple or dictionary of parts.
    # A :class:`Checkpointable` part saves its own attributes. The problem and objects of other classes must
    # not change during a run. Changed arrays are detected by their hashes.

    def __init__(self, algorithm: Algorithm) -> None:
        self._algorithm = algorithm
        self._initial: dict[Path, Any] = {}  # token of each value or shape of each part, by path
        self._kept: list[Any] = []  # references that keep ids unique
        packer = Packer(algorithm.random_state)
        for path, what, value in walk(algorithm):
            if what != "hook":
                self._initial[path] = packer.token(value)[0] if what == "leaf" else shape_of(value)
                self._kept.append(value)

    def save(self) -> searches.State:
        """Return arrays and metadata of changed attributes, or raise a ValueError if one cannot be saved."""
        packer = Packer(self._algorithm.random_state)
        entries: list[dict[str, Any]] = []
        arrays: dict[str, Any] = {}
        for path, what, value in walk(self._algorithm):
            own: dict[str, Any] = {}
            name = type(value).__qualname__
            if what == "hook":
                own, meta = value.checkpoint_state()
                entry = {"hook": meta}
            elif what == "leaf":
                token, packed, plain = packer.token(value)
                if self._initial.get(path) == token:
                    continue
                if plain is None:
                    raise self._unsaved(path, f"became a {name}, which is not plain data")
                own, entry = plain, {"value": packed}
            elif self._initial.get(path) == shape_of(value):
                continue
            elif name not in _MADE_ANEW:
                raise self._unsaved(path, f"was replaced by another {name}, which cannot be rebuilt")
            else:
                entry = {"part": name}
            arrays |= searches.prefixed(f"entry{len(entries)}", own)
            entries.append({"path": path, **entry})
        try:
            table, columns = searches.to_columns([_flatten(each) for each in packer.individuals])
        except searches.NotStorableError as error:
            raise self._unsaved((), f"has a population in which {error}") from error
        return arrays | searches.prefixed("individuals", table), {"entries": entries, "individuals": columns}

    def restore(self, arrays: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        """Restore a saved state; the algorithm must have been set up in the same way."""
        packer = Packer(self._algorithm.random_state)
        rows = searches.from_columns(searches.within("individuals", arrays), meta["individuals"])
        packer.individuals = [_unflatten(row) for row in rows]
        hooks = []
        for i, entry in enumerate(meta["entries"]):
            path, own = entry["path"], searches.within(f"entry{i}", arrays)
            if "hook" in entry:
                hooks.append((path, own, entry["hook"]))
                continue
            owner, (kind, name) = reduce(_current, path[:-1], self._algorithm), path[-1]
            if "part" in entry:
                made = _MADE_ANEW[entry["part"]]
                value = made.__new__(made)
            else:
                value = packer.unpack(entry["value"], own, _current(owner, path[-1]))
            if kind == "attribute":
                setattr(owner, name, value)
            else:
                owner[name] = value
        # Hooks come last, because they may use restored attributes.
        for path, own, own_meta in hooks:
            reduce(_current, path, self._algorithm).restore_checkpoint_state(own, own_meta)

    def _unsaved(self, path: Path, why: str) -> ValueError:
        name = type(self._algorithm).__name__
        where = "".join(f".{key}" if kind == "attribute" else f"[{key!r}]" for kind, key in path)
        return ValueError(
            f"{name} cannot be checkpointed, because {name}{where} {why}; omit checkpoint, or define "
            "checkpoint_state() and restore_checkpoint_state() in its class"
        )


def _current(owner: Any, step: Step) -> Any:
    """Return the attribute or item of ``owner`` that a step of :func:`walk` names, or None."""
    kind, name = step
    return getattr(owner, name, None) if kind == "attribute" else owner[name]


class Packer:
    """Convert values to JSON and back, storing arrays and individuals in separate tables."""

    # Each individual is stored once, so that an individual in several populations remains one object. The
    # state of ``rng``, which is the generator of the run, is saved elsewhere.

    def __init__(self, rng: Generator | None) -> None:
        self.individuals: list[Individual] = []
        self._n_references = 0
        self._rows: dict[int, int] = {}
        self._rng = rng

    def token(self, value: Any) -> tuple[Any, Any, dict[str, Any] | None]:
        """Return a token, the output of :meth:`pack`, and the arrays; equal tokens mean equal values."""
        # If an object cannot be packed, its id identifies it.
        arrays: dict[str, Any] = {}
        before = self._n_references
        try:
            packed = self.pack(value, arrays)
        except searches.NotStorableError:
            return ("object", id(value)), None, None
        if self._n_references > before:
            return object(), packed, arrays  # a new token, because individuals may have changed
        return (json.dumps(packed), fingerprint(*arrays.values())), packed, arrays

    def pack(self, value: Any, arrays: dict[str, Any]) -> Any:
        """Convert a value to JSON and add its arrays to ``arrays``, or raise a NotStorableError."""
        kind = type(value)
        if value is None or kind in (bool, int, float, str):
            return value
        if isinstance(value, Population):
            rows = np.array([self._row(individual) for individual in value], dtype=np.int64)
            return {"population": _append(rows, arrays)}
        if isinstance(value, Individual):
            return {"individual": self._row(value)}
        if isinstance(value, Generator):
            return {"rng": None if value is self._rng else searches.rng_state(value)}
        if isinstance(value, np.generic) and not value.dtype.hasobject:
            return {"scalar": _append(np.asarray(value), arrays)}
        if kind is np.ndarray and not value.dtype.hasobject:
            return {"array": _append(value, arrays)}
        if kind in _SEQUENCES:
            return {kind.__name__: [self.pack(item, arrays) for item in value]}
        if kind is dict:
            return {"dict": [[self.pack(k, arrays), self.pack(v, arrays)] for k, v in value.items()]}
        raise searches.NotStorableError(f"a {kind.__module__}.{kind.__qualname__} is not plain data")

    def unpack(self, packed: Any, arrays: Mapping[str, Any], current: Any = None) -> Any:
        """Restore a value from the output of :meth:`pack`. A population gets the class of ``current``."""
        if not isinstance(packed, dict):
            return packed
        [(kind, content)] = packed.items()
        if kind == "population":
            return self._population(arrays[str(content)], current)
        if kind == "individual":
            return self.individuals[content]
        if kind == "rng":
            return self._rng if content is None else searches.rng_from_state(content)
        if kind == "scalar":
            return arrays[str(content)][()]
        if kind == "array":
            return arrays[str(content)]
        if kind == "dict":
            return {self.unpack(k, arrays): self.unpack(v, arrays) for k, v in content}
        [made] = [made for made in _SEQUENCES if made.__name__ == kind]
        return made(self.unpack(item, arrays) for item in content)

    def _population(self, rows: Any, current: Any) -> Population:
        members = np.empty(len(rows), dtype=object)
        members[:] = [self.individuals[row] for row in rows]
        is_population = isinstance(current, Population)
        population = members.view(type(current) if is_population else Population)
        population.__dict__.update(current.__dict__ if is_population else {})
        return population

    def _row(self, individual: Individual) -> int:
        self._n_references += 1
        row = self._rows.setdefault(id(individual), len(self.individuals))
        if row == len(self.individuals):
            self.individuals.append(individual)
        return row


def _append(array: Any, arrays: dict[str, Any]) -> int:
    arrays[str(len(arrays))] = array
    return len(arrays) - 1


def _flatten(individual: Individual) -> dict[str, Any]:
    if type(individual) is not Individual:
        raise searches.NotStorableError(
            f"individuals of class {type(individual).__qualname__} cannot be saved"
        )
    fields = ("X", "F", "G", "H", "dF", "dG", "dH", "ddF", "ddG", "ddH", "CV")
    row = {name: getattr(individual, f"_{name}") for name in fields}
    row = {name: value for name, value in row.items() if value is not None and np.size(value)}
    row |= {_EVALUATED + str(name): True for name in individual.evaluated}
    return row | {_DATA + str(name): value for name, value in individual.data.items()}


def _unflatten(row: Mapping[str, Any]) -> Individual:
    individual = Individual()
    for name, value in row.items():
        if name.startswith(_EVALUATED):
            individual.evaluated.add(name.removeprefix(_EVALUATED))
        elif name.startswith(_DATA):
            individual.data[name.removeprefix(_DATA)] = value
        else:
            setattr(individual, f"_{name}", value)
    return individual


def walk(algorithm: Algorithm) -> Iterator[tuple[Path, str, Any]]:
    """Yield path, kind and value of each object that may change in a run; parts precede their contents."""
    # The steps of a path are ``("attribute", name)`` and ``("item", key)``. The kind is ``"part"`` for parts
    # (see :class:`AlgorithmState`) and ``"leaf"`` for all other objects. A part that saves its own attributes
    # is yielded again as ``"hook"``. Arrays and objects that are attributes of the problem are skipped.
    seen: set[int] = set()
    constant = {
        id(value)
        for value in vars(algorithm.problem).values()
        if isinstance(value, np.ndarray) or hasattr(value, "__dict__")
    } - {id(algorithm)}

    def visit(path: Path, value: Any, skip_leaf: bool) -> Iterator[tuple[Path, str, Any]]:
        if id(value) in constant or isinstance(value, (Problem, Callback, Termination)):
            return
        is_part = _is_part(value)
        if not is_part and not _holds_parts(value):
            if not skip_leaf:
                yield path, "leaf", value
            return
        if id(value) in seen:
            return
        seen.add(id(value))
        yield path, "part", value
        saves_itself = isinstance(value, searches.Checkpointable) if is_part else skip_leaf
        if is_part and saves_itself:
            yield path, "hook", value
        for step, item in _steps(value):
            if path or step[1] not in _TRANSIENT:
                yield from visit((*path, step), item, saves_itself and bool(path or step[1] not in _CORE))

    return visit((), algorithm, False)


def shape_of(part: Any) -> Any:
    """Return a part's type and, for a container, its length, because checkpoints cannot restore these."""
    return type(part), None if _is_part(part) else len(part)


def _is_part(value: Any) -> bool:
    if isinstance(value, (type, np.ndarray, Individual, Generator)) or not hasattr(value, "__dict__"):
        return False
    return any(f"{kind.__module__}.".startswith(_STATEFUL_MODULES) for kind in type(value).__mro__)


def _holds_parts(value: Any) -> bool:
    return type(value) in (list, tuple, dict) and any(
        _is_part(item) or _holds_parts(item) for _, item in _steps(value)
    )


def _steps(owner: Any) -> list[tuple[Step, Any]]:
    if type(owner) in (list, tuple):
        return [(("item", place), item) for place, item in enumerate(owner)]
    pairs, kind = (owner, "item") if type(owner) is dict else (vars(owner), "attribute")
    return [((kind, name), item) for name, item in pairs.items()]
