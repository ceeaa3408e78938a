"""Survival of the lucky: the control of a search."""

from __future__ import annotations

from typing import Any

import numpy as np
from pymoo.core.population import Population
from pymoo.core.survival import Survival

from moo_clustering.operators._dynamic_diversity import rank_and_crowding


class RandomSurvival(Survival):
    """Everybody survives with the same probability, whatever the objectives.

    With it a search makes as many evaluations with the same operators as one that selects, and shows
    what the selection is worth. ``rank`` and ``crowding`` are those among the survivors: give the
    algorithm a random selection of parents too, or the tournament selects.

    References
    ----------
    ParetoClustering: controls.
    """

    def __init__(self) -> None:
        super().__init__(filter_infeasible=False)

    def _do(
        self,
        problem: Any,
        pop: Population,
        *args: Any,
        n_survive: int | None = None,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> Population:
        rng = np.random.default_rng(random_state)
        n_survive = len(pop) if n_survive is None else n_survive
        survivors = pop[rng.choice(len(pop), size=n_survive, replace=False)]
        rank, crowding = rank_and_crowding(survivors.get("F").astype(np.float64))
        survivors.set("rank", rank, "crowding", crowding)
        return survivors
