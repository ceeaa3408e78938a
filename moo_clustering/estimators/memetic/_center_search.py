"""A search over centres, one local search at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np

from moo_clustering.algorithms._rng_state import rng_state, set_rng_state
from moo_clustering.estimators.memetic._budget import Budget
from moo_clustering.estimators.memetic._ward import ward_centers
from moo_clustering.problems._center_encoding import FloatArray
from moo_clustering.problems._sum_of_squares import Optimum, SumOfSquaresProblem

State = tuple[dict[str, Any], dict[str, Any]]

# Distances to the own centre that count as none, as part of the largest distance.
_ROUNDING = 1e-12


class CenterSearch(ABC):
    """What the strategies share: the best so far, its course, and how it is saved.

    Parameters
    ----------
    problem : SumOfSquaresProblem
        Counts what is used; not shared with other searches.
    budget : Budget
    rng : numpy.random.Generator
    ward : bool
        Whether the first start is the Ward cut.

    Attributes
    ----------
    best : Optimum
        From the first step on.
    history : list of (int, int, float)
        Local searches and distances so far, and sum of squares, wherever it became less.
    """

    best: Optimum

    def __init__(
        self, problem: SumOfSquaresProblem, budget: Budget, rng: np.random.Generator, ward: bool
    ) -> None:
        self.problem, self.budget, self.rng, self.ward = problem, budget, rng, ward
        self.history: list[tuple[int, int, float]] = []
        radius = np.einsum("ij,ij->i", problem.points, problem.points).max()
        self._zero = _ROUNDING**2 * problem.n_samples * float(radius)

    @property
    def generation(self) -> int:
        """Local searches so far."""
        return self.problem.n_local_searches

    @property
    def finished(self) -> bool:
        """Whether nothing better can be found, or the budget is used up; never before the first step."""
        if not self.history:
            return False
        certain = self.problem.n_clusters == 1 or self.best.objective <= self._zero
        return certain or self.budget.share >= 1.0

    @abstractmethod
    def step(self) -> None:
        """Do one local search."""

    def first(self) -> FloatArray:
        """Centres to start from: of the Ward cut the first time if that is wanted, else seeds."""
        return ward_centers(self.problem) if self.ward and not self.history else self.seeds()

    def seeds(self) -> FloatArray:
        """Centres by greedy k-means++."""
        return self.problem.encoding.seeds(self.rng)

    def search(self, centers: FloatArray) -> Optimum:
        """Local search, kept if it is the best so far."""
        found = self.problem.optimum(centers)
        self.offer(found)
        return found

    def offer(self, found: Optimum) -> None:
        """Keep what was found if it is better than all before."""
        if not self.history or found.objective < self.best.objective:
            self.best = found
            self.history.append((self.generation, self.problem.n_distances, found.objective))

    def state(self) -> State:
        """Arrays and JSON-able metadata from which :meth:`restore` goes on."""
        arrays = {
            "centers": self.best.centers,
            "labels": self.best.labels,
            "history": np.array(self.history, dtype=np.float64),
        }
        meta = {
            "objective": self.best.objective,
            "rng": rng_state(self.rng),
            "n_distances": self.problem.n_distances,
            "n_local_searches": self.problem.n_local_searches,
            "seconds": self.budget.seconds,
        }
        return arrays, meta

    def restore(self, arrays: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        """Take over a state."""
        self.best = Optimum(arrays["centers"], arrays["labels"], meta["objective"])
        self.history = [(int(count), int(used), value) for count, used, value in arrays["history"].tolist()]
        set_rng_state(self.rng, meta["rng"])
        self.problem.encoding.n_distances = meta["n_distances"]
        self.problem.n_local_searches = meta["n_local_searches"]
        self.budget.seconds = meta["seconds"]


class Multistart(CenterSearch):
    """Local searches from seeds, over and over."""

    def step(self) -> None:
        self.search(self.first())
