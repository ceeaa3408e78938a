"""CHC over local optima."""

from __future__ import annotations

from typing import Any

import numpy as np
from deap import base

from moo_clustering.algorithms._chc_step import ChcStep
from moo_clustering.algorithms._checks import probability
from moo_clustering.algorithms._counted_step import Columns, Individuals
from moo_clustering.operators.deap._batch_map import apply_batch


class MemeticChcStep(ChcStep):
    """A :class:`ChcStep` that mutates a part of the initial population, and all that a restart makes.

    With a ``toolbox.mutate`` that descends to a local optimum, and ``mutpb=1``, the search is among
    local optima.

    Parameters
    ----------
    optima : float, default=0.5
        Share of the initial population, the first of it.
    **options
        As for :class:`ChcStep`.
    """

    def __init__(self, *, optima: float = 0.5, **options: Any) -> None:
        super().__init__(**options)
        self.optima = probability("optima", optima)

    def start(
        self, population: Individuals, toolbox: base.Toolbox, rng: np.random.Generator
    ) -> tuple[Individuals, Columns]:
        """Evaluate the initial population, and the part of it that is mutated once more."""
        population, columns = super().start(population, toolbox, rng)
        count = round(self.optima * len(population))
        if self.left is not None:
            count = min(count, self.left)
        if count:
            first = [toolbox.clone(individual) for individual in population[:count]]
            with self._counting_trials(toolbox):
                first = apply_batch(toolbox.mutate, first, None if self.left is None else self.left - count)
            population = [*self._evaluated(first, toolbox), *population[count:]]
        return population, columns | {"nevals": self.evaluations, "ntrials": self.trials}

    def _new(
        self, best: Individuals, n_new: int, toolbox: base.Toolbox, rng: np.random.Generator
    ) -> Individuals:
        # the trials are counted by the caller; every new one must still be evaluated
        limit = None if self.left is None else self.left - n_new
        return apply_batch(toolbox.mutate, super()._new(best, n_new, toolbox, rng), limit)
