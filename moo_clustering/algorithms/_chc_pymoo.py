"""CHC for pymoo."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

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
from pymoo.operators.sampling.rnd import BinaryRandomSampling, FloatRandomSampling, IntegerRandomSampling
from pymoo.util.display.single import SingleObjectiveOutput

from moo_clustering.algorithms._chc_step import ThresholdRule
from moo_clustering.algorithms._checks import choice, integer, positive, probability
from moo_clustering.algorithms._known import Duplicates, duplicate_elimination

Distance = Callable[[NDArray[Any], NDArray[Any]], NDArray[Any]]


class CHC(Algorithm):
    """CHC: elitist survival, crossover of distant parents only, restarts when they are used up.

    A generation pairs the whole population at random, crosses the pairs that are farther apart than a
    threshold ``d``, and keeps the best of parents and children. When no pair gives a new child (or
    none is accepted) ``d`` falls; when it has reached 0, the next generation keeps the best and makes
    the others anew. For problems with one objective and any genes; constraints come first.

    Parameters
    ----------
    pop_size : int, default=150
    sampling : Sampling, ndarray or Population, optional
        Uniform by default, of booleans, integers or reals as the problem's ``vtype`` says.
    crossover : Crossover, optional
        Of two parents; ``HUX(prob=1.0)`` by default. Its own probability holds (0.9 in pymoo, unless
        given).
    mutation : Mutation, optional
        Of the children; none by default.
    threshold : float, optional
        First ``d``; a quarter of the number of variables by default, at least 1.
    n_keep : int, default=10
        The best that survive a restart; at least one is made anew.
    threshold_rule : {"no_crossing", "no_acceptance"}, default="no_crossing"
        ``d`` falls after a generation in which no pair had a new child, or no child survived.
    step : float, default=1
        By how much ``d`` falls.
    distance : callable, optional
        ``distance(A, B)``, both of shape (n_pairs, n_var), gives shape (n_pairs,): the number of
        differing genes by default. A module-level function or an object, so that the algorithm can be
        pickled.
    divergence : float, optional
        Restarts sample anew by default, or uniformly where ``sampling`` is fixed. With a number r from
        0 to 1 they make copies of the best in which each gene is taken from such a sample with
        probability r, and ``d`` starts from r (1 - r) n_var; Eshelman has 0.35.
    repair : Repair, optional
    eliminate_duplicates : bool, DuplicateElimination or callable, default=True
        Children with the genes of others are not evaluated; see
        :class:`~moo_clustering.operators.CanonicalDuplicates` for a callable.
    output : Output, optional
    **options
        As for every pymoo algorithm: ``termination``, ``callback``, ``seed``, ``archive``,
        ``return_least_infeasible``, ``save_history``, ``display``, ``evaluator``, ``verbose``.

    Attributes
    ----------
    d : int or float
        The threshold.
    n_restarts : int
    n_crossed, n_accepted : int
        Pairs crossed and children that survived in the last generation.

    Raises
    ------
    TypeError, ValueError
        For options that are unknown or out of range, and problems with several objectives.

    Notes
    -----
    A generation costs up to ``pop_size`` evaluations, and none while no pair is far enough apart: give
    a termination in generations, evaluations or time, since pymoo's default may end in such a spell.

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
        known = set(inspect.signature(Algorithm.__init__).parameters) - {"self", "kwargs"}
        if unknown := set(options) - known:
            raise TypeError(
                f"CHC has no option {', '.join(sorted(unknown))}; of pymoo it takes {sorted(known)}"
            )
        super().__init__(output=SingleObjectiveOutput() if output is None else output, **options)
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
            raise TypeError(f"distance must be a function or None, got {distance!r}")
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
        """Children of the random pairs that are farther apart than the threshold."""
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
        """Individuals in place of all but the best."""
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
    """Number of genes in which each row of ``A`` differs from that of ``B``."""
    return np.count_nonzero(A != B, axis=1)


def uniform_sampling(problem: Any) -> Sampling:
    """Sampling of booleans, integers or reals within a problem's bounds."""
    vtype = np.dtype(float if problem.vtype is None else problem.vtype)
    if vtype == np.dtype(bool):
        return BinaryRandomSampling()
    if not problem.has_bounds():
        raise ValueError(f"{type(problem).__name__} has no bounds to sample between: give CHC a sampling")
    return IntegerRandomSampling() if np.issubdtype(vtype, np.integer) else FloatRandomSampling()


def _best_first(population: Population) -> Population:
    F, CV = population.get("F", "CV")
    return population[np.lexsort((F[:, 0], CV[:, 0]))]  # stable
