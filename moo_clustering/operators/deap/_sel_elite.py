"""Survivors by rank and crowding or by chance, with a scalar elite."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from moo_clustering.operators._dynamic_diversity import rank_and_crowding
from moo_clustering.operators._elite_memory import EliteMemory, with_elite

Individuals = list[Any]
SurvivalKind = Literal["crowding", "random"]


class SelElite:
    """``select(individuals, k, rng)``: survivors of parents and offspring, for DEAP.

    With ``"crowding"`` by front, crowding distance and position, except that the best by the memory's
    scalar never go (:class:`~moo_clustering.operators.EliteSurvival`); with ``"random"`` everybody has
    the same chance, and the best are only remembered
    (:class:`~moo_clustering.operators.RandomSurvival`).

    Parameters
    ----------
    memory : EliteMemory
        Its scalar gets the fitness values of the individuals, natural, and their genes.
    survival : {"crowding", "random"}, default="crowding"

    Notes
    -----
    Sets ``fitness.crowding_dist`` of the survivors, from their distances among each other.
    """

    def __init__(self, memory: EliteMemory, survival: SurvivalKind = "crowding") -> None:
        if survival not in get_args(SurvivalKind):
            raise ValueError(f"survival must be one of {get_args(SurvivalKind)}, got {survival!r}.")
        self.memory = memory
        self.survival: SurvivalKind = survival

    def __call__(self, individuals: Individuals, k: int, rng: np.random.Generator) -> Individuals:
        """At most k of the individuals, themselves."""
        labels = np.stack([np.asarray(individual) for individual in individuals])
        values = np.array([individual.fitness.values for individual in individuals], dtype=np.float64)
        elite = self.memory.update(values, labels)
        # DEAP's weighted values are maximised.
        F = -np.array([individual.fitness.wvalues for individual in individuals], dtype=np.float64)
        chosen: NDArray[np.integer[Any]]
        if self.survival == "random":
            chosen = rng.choice(len(individuals), size=min(k, len(individuals)), replace=False)
        else:
            rank, crowding = rank_and_crowding(F)
            chosen = with_elite(np.lexsort((-crowding, rank))[:k], elite)
        survivors = [individuals[row] for row in chosen]
        _, crowding = rank_and_crowding(F[chosen])
        for individual, distance in zip(survivors, crowding.tolist(), strict=True):
            individual.fitness.crowding_dist = distance
        return survivors

    def checkpoint_state(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The memory's."""
        return self.memory.checkpoint_state()

    def restore_checkpoint_state(self, arrays: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        """Take over what :meth:`checkpoint_state` returned."""
        self.memory.restore_checkpoint_state(arrays, meta)
