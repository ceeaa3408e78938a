"""Evolution of local optima, one child at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moo_clustering.estimators.memetic._center_search import CenterSearch, State
from moo_clustering.estimators.memetic._engines import ENGINES, Engine
from moo_clustering.operators._relocate_center import Removal
from moo_clustering.problems._sum_of_squares import Optimum

# Objectives that differ by less than this part of themselves are of the same local optimum.
_CLONE = 1e-10


def survivors(objectives: NDArray[np.float64], n_survive: int) -> NDArray[np.intp]:
    """Positions of the best that are no clones of better ones, filled up with clones if too few."""
    order = np.argsort(objectives, kind="stable")
    values = objectives[order]
    clone = np.zeros(len(values), dtype=np.bool_)
    last = values[0]
    for i in range(1, len(values)):
        clone[i] = values[i] - last <= _CLONE * abs(last)
        last = last if clone[i] else values[i]
    return np.concatenate([order[~clone], order[clone]])[:n_survive]


class MemeticSearch(CenterSearch):
    """Parents by tournaments, matched crossover, relocation, local search, survival of distinct optima.

    Parameters
    ----------
    problem, budget, rng, ward
        As for :class:`CenterSearch`.
    pop_min, pop_max : int
        Survivors, and when it is time for them.
    max_stall : int
        Children without a better best of the population, after which it starts anew.
    engine : {"pymoo", "deap"}
    mutation : {"always", "half", "never"}
    removal : {"uniform", "cheap"}
    """

    population: list[Any]
    objectives: NDArray[np.float64]
    missing: int
    stall: int

    def __init__(
        self,
        *args: Any,
        pop_min: int,
        pop_max: int,
        max_stall: int,
        engine: str,
        mutation: str,
        removal: Removal,
    ) -> None:
        super().__init__(*args)
        self.pop_min, self.pop_max, self.max_stall = pop_min, pop_max, max_stall
        self.engine: Engine = ENGINES[engine](self.problem, self.rng, mutation, removal)
        self._empty()

    def step(self) -> None:
        if self.missing:
            found = self.search(self.first())
            self._add(self.engine.individual(found.centers.ravel(), found.objective, self.rng.random()))
            self.missing -= 1
            return
        child = self.engine.child(self._parent(), self._parent())
        genes, before = self.engine.genes(child), self.objectives.min()
        self.offer(
            Optimum(
                genes.reshape(self.problem.n_clusters, -1).copy(),
                self.problem.nearest_labels(genes)[0],
                self.engine.objective(child),
            )
        )
        self._add(child)
        self.stall = 0 if self.objectives[-1] < before else self.stall + 1
        if self.stall >= self.max_stall:
            self._empty()
        elif len(self.population) > self.pop_max:
            kept = survivors(self.objectives, self.pop_min)
            self.population = [self.population[i] for i in kept]
            self.objectives = self.objectives[kept]

    def state(self) -> State:
        arrays, meta = super().state()
        arrays |= {
            "genes": np.array([self.engine.genes(i) for i in self.population]),
            "mixes": np.array([self.engine.mix(i) for i in self.population]),
            "objectives": self.objectives,
        }
        return arrays, meta | {"missing": self.missing, "stall": self.stall}

    def restore(self, arrays: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        super().restore(arrays, meta)
        self.missing, self.stall = meta["missing"], meta["stall"]
        self.objectives = arrays["objectives"]
        rows = zip(arrays["genes"], self.objectives.tolist(), arrays["mixes"].tolist(), strict=True)
        self.population = [self.engine.individual(*row) for row in rows]

    def _empty(self) -> None:
        """Start anew; the best of all is kept beside the population."""
        self.population = []
        self.objectives = np.empty(0)
        self.missing, self.stall = self.pop_min, 0

    def _add(self, individual: Any) -> None:
        self.population.append(individual)
        self.objectives = np.append(self.objectives, self.engine.objective(individual))

    def _parent(self) -> Any:
        """The better of two, drawn with replacement."""
        pair = self.rng.integers(len(self.population), size=2)
        return self.population[pair[np.argmin(self.objectives[pair])]]
