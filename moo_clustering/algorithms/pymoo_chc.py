"""CHC for pymoo: crossover of distant parents, elitist replacement, and restarts."""

from collections.abc import Callable
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray
from pymoo.core.algorithm import Algorithm
from pymoo.core.crossover import Crossover
from pymoo.core.initialization import Initialization
from pymoo.core.mutation import Mutation
from pymoo.core.population import Population
from pymoo.core.repair import NoRepair, Repair
from pymoo.core.sampling import Sampling
from pymoo.operators.crossover.hux import HUX
from pymoo.operators.sampling.rnd import BinaryRandomSampling
from pymoo.util.display.single import SingleObjectiveOutput

from moo_clustering._arrays import choice, integer, positive, probability, quoted
from moo_clustering._docs import documented
from moo_clustering.algorithms import pymoo_search
from moo_clustering.algorithms.deap_loops import ChcStep, ThresholdRule

Distance = Callable[[NDArray[Any], NDArray[Any]], NDArray[Any]]


@documented(pymoo_search.ALGORITHM, ChcStep)
class CHC(Algorithm):
    """CHC: elitist survival, crossover of distant parents only, and restarts.

    A generation pairs individuals at random, crosses pairs whose distance exceeds a threshold ``d``, and
    selects the best of the parents and children. ``threshold_rule`` defines when ``d`` decreases;
    when ``d`` reaches 0, the next generation is a restart. Individuals with a smaller constraint violation
    are better. Raises a TypeError or ValueError if an option is invalid or there are several objectives.
    Sources: Eshelman, Foundations of Genetic Algorithms 1, 1991, with ``threshold_rule="no_acceptance",
    divergence=0.35, n_keep=1``; Evolutionary multi-instance clustering (CHCMIC).

    Parameters
    ----------
    pop_size : int, default=150
    sampling : Sampling, ndarray or Population, optional
        Default: uniform booleans, integers or reals, depending on the problem's ``vtype``.
    crossover : Crossover, optional
        Crossover with two parents, applied with its own ``prob``. Default: ``HUX(prob=1.0)``.
    mutation : Mutation, optional
        Mutation of the children. Default: none.
    threshold_rule : {"no_crossing", "no_acceptance"}, default="no_crossing"
        ``d`` decreases if no pair had a new child or, with ``"no_acceptance"``, if no child survived.
    distance : callable, optional
        ``distance(A, B)`` returns the distances (n_pairs,) between the rows of two (n_pairs, n_var) arrays.
        Default: number of differing genes. The algorithm can be pickled only if the function can be pickled.
    divergence : float, optional
        A restart copies the best individual, redraws each gene of the copies with this probability r, and
        sets ``d`` to max(1, floor(r (1 - r) n_var)). Eshelman uses 0.35. Default: all genes are redrawn.
    eliminate_duplicates : bool, DuplicateElimination or callable, default=True
        Whether to drop duplicate children before evaluation; see ``CanonicalDuplicates`` for a callable.

    Attributes
    ----------
    d : int or float
        Current threshold.
    n_restarts : int
    n_crossed, n_accepted : int
        Numbers of crossed pairs and of surviving children in the last generation.

    Notes
    -----
    Restarts draw from ``sampling``, or uniformly if it is an array or a Population. A generation makes at
    most ``pop_size`` evaluations, and none if no pair exceeds the threshold. Pass a termination criterion,
    because pymoo's default can end a run after a generation without evaluations.

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
        eliminate_duplicates: pymoo_search.Duplicates = True,
        output: Any = None,
        **options: Any,
    ) -> None:
        super().__init__(
            output=SingleObjectiveOutput() if output is None else output,
            **pymoo_search.checked_options(CHC, options),
        )
        self.pop_size = integer("pop_size", pop_size, 2)
        self.sampling = sampling
        self.crossover = HUX(prob=1.0) if crossover is None else crossover
        if self.crossover.n_parents != 2:
            raise ValueError(f"crossover must have 2 parents, got {self.crossover.n_parents}")
        self.mutation = mutation
        self.threshold = None if threshold is None else positive("threshold", threshold)
        self.n_keep = integer("n_keep", n_keep, 1)
        self.threshold_rule: ThresholdRule = choice("threshold_rule", threshold_rule, get_args(ThresholdRule))
        self.step = positive("step", step)
        if distance is not None and not callable(distance):
            raise TypeError(f"distance must be a function or None, got {quoted(distance)}")
        self.distance: Distance = hamming_rows if distance is None else distance
        self.divergence = None if divergence is None else probability("divergence", divergence)
        self.repair = NoRepair() if repair is None else repair
        self.eliminate_duplicates = pymoo_search.duplicate_elimination(eliminate_duplicates)
        self.d: int | float = 0
        self.n_restarts = self.n_crossed = self.n_accepted = 0
        self.is_restarting = False

    def _setup(self, problem: Any, **options: Any) -> None:
        if problem.n_obj != 1:
            raise ValueError(f"CHC requires one objective, but {type(problem).__name__} has {problem.n_obj}")
        sampling = uniform_sampling(problem) if self.sampling is None else self.sampling
        self.initialization = Initialization(sampling, self.repair, self.eliminate_duplicates)
        self.d = self._first_threshold(problem)

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
            self.d = self._first_threshold(self.problem)
            if self.divergence is not None:
                self.d = max(int(self.divergence * (1 - self.divergence) * self.problem.n_var), 1)
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
        """Pair individuals at random, and return the children of the pairs whose distance exceeds ``d``."""
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
        """Return the individuals that replace all but the best individuals in a restart."""
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

    def _first_threshold(self, problem: Any) -> int | float:
        return max(problem.n_var // 4, 1) if self.threshold is None else self.threshold


def hamming_rows(A: NDArray[Any], B: NDArray[Any]) -> NDArray[np.int64]:
    """Count the genes in which each row of ``A`` differs from the same row of ``B``."""
    return np.count_nonzero(A != B, axis=1)


def uniform_sampling(problem: Any) -> Sampling:
    """Return uniform boolean, integer or real sampling, depending on the problem's ``vtype``."""
    is_bool = np.dtype(problem.vtype or float) == np.dtype(bool)
    return BinaryRandomSampling() if is_bool else pymoo_search.uniform_sampling(problem, "CHC")


def _best_first(population: Population) -> Population:
    F, CV = population.get("F", "CV")
    return population[np.lexsort((F[:, 0], CV[:, 0]))]
