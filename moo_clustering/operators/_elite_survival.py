"""Some scalar best always survive."""

from __future__ import annotations

from typing import Any

import numpy as np
from pymoo.core.population import Population
from pymoo.core.survival import Survival

from moo_clustering.operators._elite_memory import EliteMemory, Scalar, with_elite


class EliteSurvival(Survival):
    """Any survival, except that the best by a scalar score never go.

    For problems with ``decode`` and ``natural`` such as
    :class:`~moo_clustering.problems.PartitionProblem`.

    Parameters
    ----------
    survival : pymoo Survival
        Chooses the others; the last it chose make room.
    scalar : callable
        ``scalar(values, labels) -> scores``: objectives with natural signs, shape (q, n_objectives), and
        partitions, (q, n_samples), to (q,). Greater is better. Must give a partition the same score
        in any company.
    n_elite : int, default=4
    keep : bool, default=True
        False: the best are remembered but not kept, as a control without selection needs.

    Attributes
    ----------
    memory : EliteMemory
        The best of the run so far.

    Notes
    -----
    One call of ``scalar`` with parents and offspring a generation. Where the wrapped survival has not
    chosen all of the best, it is run once more over the survivors, so that their ranks and crowding
    speak of the population that there is.

    References
    ----------
    ParetoClustering: evolution.
    """

    def __init__(self, survival: Survival, scalar: Scalar, n_elite: int = 4, *, keep: bool = True) -> None:
        super().__init__(filter_infeasible=False)
        if not isinstance(survival, Survival):
            raise TypeError(f"survival must be a pymoo Survival, got {type(survival).__name__}.")
        self.survival = survival
        self.memory = EliteMemory(scalar, n_elite)
        self.keep = bool(keep)

    def _do(
        self,
        problem: Any,
        pop: Population,
        *args: Any,
        n_survive: int | None = None,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> Population:
        n_survive = len(pop) if n_survive is None else n_survive
        values = problem.natural(pop.get("F").astype(np.float64))
        elite = self.memory.update(values, problem.decode(pop.get("X")))
        options = {"random_state": random_state, **kwargs}
        survivors = self.survival.do(problem, pop, *args, n_survive=n_survive, **options)
        position = {id(individual): row for row, individual in enumerate(pop)}
        chosen = np.array([position[id(individual)] for individual in survivors], dtype=np.intp)
        kept = with_elite(chosen, elite) if self.keep else chosen
        if np.array_equal(kept, chosen):
            return survivors
        return self.survival.do(problem, pop[kept], *args, n_survive=len(kept), **options)
