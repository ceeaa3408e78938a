"""pymoo algorithms as searches."""

from __future__ import annotations

import copy
import time
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pymoo.core.algorithm import Algorithm
from pymoo.core.meta import Meta
from pymoo.core.problem import Problem
from pymoo.core.result import Result
from pymoo.termination.max_gen import MaximumGenerationTermination

from moo_clustering.algorithms._algorithm_state import AlgorithmState
from moo_clustering.algorithms._rng_state import Seed, rng_state, set_rng_state
from moo_clustering.algorithms._search import State

_ENDLESS = 10**9
_RUNNING = "holds running generators or other searches, which cannot be saved"
_UNSEEDED = "does not give the same result twice for one seed"
_REFUSED = {"CMAES": _RUNNING, "EPPSO": _RUNNING, "CMOPSO": _UNSEEDED, "DIRECT": _UNSEEDED}


class PymooSearch:
    """A :class:`Search` over any pymoo algorithm.

    Parameters
    ----------
    problem : Problem
        Used as it is, never copied.
    algorithm : Algorithm
        Fresh (neither set up nor run); a copy of it is run, with its callback shared. Its
        termination criterion is not used: the driver decides how long the search goes on.
    seed : int, SeedSequence, Generator or None, default=None
        None leaves the algorithm's own seed, if it has one.
    n_gen : int, optional
        Planned generations, for algorithms that follow a schedule (RVEA). Resuming such a search with
        another plan is possible, but is no longer the run that was never stopped.

    Attributes
    ----------
    algorithm : Algorithm
        The copy that is run.
    generation : int
    exhausted : bool

    Raises
    ------
    TypeError, ValueError
        When ``algorithm`` is no pymoo algorithm or was used before.

    Notes
    -----
    ``state`` holds genes (with their type), objectives, constraints and per-individual data of the
    population and the optimum, the random generator, counters, and every attribute of the algorithm
    and its parts that has changed since set-up. A survival, operator or algorithm can save itself
    instead by offering ``checkpoint_state()`` and ``restore_checkpoint_state(arrays, meta)``. Going
    on from it is bit-identical for NSGA2, NSGA3, UNSGA3, SPEA2, SMSEMOA, AGEMOEA, AGEMOEA2, RVEA,
    CTAEA, MOEAD, DNSGA2 and GA with their own survivals and any others that keep their state in plain
    attributes.
    """

    def __init__(
        self, problem: Problem, algorithm: Algorithm, *, seed: Seed = None, n_gen: int | None = None
    ) -> None:
        if not isinstance(algorithm, Algorithm):
            raise TypeError(f"algorithm must be a pymoo Algorithm, got {type(algorithm).__name__}")
        if algorithm.problem is not None:
            raise ValueError("algorithm was set up or run before; a search needs a fresh one")
        self.problem = problem
        self.algorithm = _copy(algorithm, problem)
        self.seed = self.algorithm.seed if seed is None else seed
        self.generation = 0
        # iterations include the initial population, which is generation 0 here
        plan = _ENDLESS if n_gen is None else max(n_gen + 1, 1)
        self.algorithm.setup(problem, seed=self.seed, termination=_Endless(plan))
        self._state = AlgorithmState(self.algorithm)

    @property
    def exhausted(self) -> bool:
        """Whether the algorithm has ended by itself, as pymoo's do when mating runs dry."""
        return bool(self.algorithm.termination.force_termination)

    def check_resumable(self) -> None:
        """Refuse algorithms that are known not to go on from a saved state.

        Raises
        ------
        ValueError
        """
        reason = "wraps another algorithm" if isinstance(self.algorithm, Meta) else None
        for kind in type(self.algorithm).__mro__:
            if kind.__module__.startswith("pymoo."):
                reason = reason or _REFUSED.get(kind.__name__)
        if reason is not None:
            raise ValueError(
                f"{type(self.algorithm).__name__} cannot be checkpointed: it {reason}; leave checkpoint out"
            )
        if self.algorithm.save_history:
            raise ValueError("save_history=True cannot be checkpointed; use a Recorder instead")

    def start(self) -> None:
        """Make and evaluate the initial population."""
        self.algorithm.next()

    def advance(self) -> None:
        """Do one generation."""
        before = self.algorithm.n_iter
        # some algorithms evaluate one individual at a time and count when they have had all
        while self.algorithm.n_iter == before and not self.exhausted:
            self.algorithm.next()
        ran_dry = self.exhausted and self.algorithm.off is None
        self.generation += not ran_dry

    def objectives(self) -> NDArray[np.float64]:
        """Objective values of the population, shape (n_individuals, n_objectives)."""
        F: NDArray[np.float64] = self.algorithm.pop.get("F")
        return F

    def result(self) -> Result:
        """pymoo's result, with the algorithm that was run."""
        self.algorithm.finalize()
        result = self.algorithm.result()
        result.algorithm = self.algorithm
        return result

    def state(self) -> State:
        """Arrays and JSON-able metadata from which :meth:`restore` goes on.

        Raises
        ------
        ValueError
            Naming the part of the algorithm that cannot be saved.
        """
        arrays, meta = self._state.save()
        return arrays, meta | {
            "algorithm": type(self.algorithm).__qualname__,
            "generation": self.generation,
            "exhausted": self.exhausted,
            "seconds": time.time() - self.algorithm.start_time,
            "rng": rng_state(self.algorithm.random_state),
        }

    def restore(self, arrays: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        """Take over a state, in place of :meth:`start`.

        Raises
        ------
        ValueError
            When the state is of another algorithm, or of a problem of another shape.
        """
        here = type(self.algorithm).__qualname__
        if meta["algorithm"] != here:
            raise ValueError(f"the saved state is of {meta['algorithm']}, the algorithm here is {here}")
        set_rng_state(self.algorithm.random_state, meta["rng"])
        self._state.restore(arrays, meta)
        self._check_shapes()
        self.generation = meta["generation"]
        self.algorithm.termination.force_termination = meta["exhausted"]
        self.algorithm.start_time = time.time() - meta["seconds"]

    def _check_shapes(self) -> None:
        for key, name, here in (
            ("X", "variables", self.problem.n_var),
            ("F", "objectives", self.problem.n_obj),
        ):
            there = self.algorithm.pop.get(key).shape[1]
            if there != here:
                raise ValueError(f"the saved population has {there} {name}, the problem here has {here}")


class _Endless(MaximumGenerationTermination):
    """Never ends, but knows the planned length for those who ask."""

    def _update(self, algorithm: Algorithm) -> float:
        return 0.0


def _copy(algorithm: Algorithm, problem: Problem) -> Algorithm:
    """Deep copy that shares the callback, the problem and what the problem holds."""
    shared = [problem, algorithm.callback, *vars(problem).values()]
    return copy.deepcopy(algorithm, {id(value): value for value in shared})
