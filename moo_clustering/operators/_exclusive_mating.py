"""Crossover or mutation, never both."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from pymoo.core.mating import Mating
from pymoo.core.population import Population


class ExclusiveMating(Mating):
    """Mating in which a pair of parents is crossed with probability pc and otherwise mutated.

    Parameters
    ----------
    selection, crossover, mutation
        pymoo operators; the crossover must make two children of two parents, and its own probability
        is the probability of crossing.
    **kwargs
        ``repair``, ``eliminate_duplicates``, ``n_max_iterations`` as in pymoo.
    """

    def _do(
        self,
        problem: Any,
        pop: Population,
        n_offsprings: int,
        parents: Any = None,
        random_state: np.random.Generator | None = None,
        **kwargs: Any,
    ) -> Population:
        rng = np.random.default_rng(random_state)
        n_pairs = math.ceil(n_offsprings / 2)
        if parents is None:
            parents = self.selection(problem, pop, n_pairs, n_parents=2, random_state=rng, **kwargs)
        pairs = np.array([[individual.X for individual in pair] for pair in parents])
        children = pairs.copy()
        crossed = rng.random(len(pairs)) < float(self.crossover.prob.value)
        if crossed.any():
            offspring = self.crossover._do(problem, pairs[crossed].swapaxes(0, 1), random_state=rng)
            children[crossed] = offspring.swapaxes(0, 1)
        if not crossed.all():
            rest = children[~crossed]
            mutated = self.mutation._do(problem, rest.reshape(-1, rest.shape[-1]), random_state=rng)
            children[~crossed] = mutated.reshape(rest.shape)
        return Population.new("X", children.reshape(-1, children.shape[-1]))
