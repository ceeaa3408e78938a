"""One generation of a genetic algorithm whose children replace their parents."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

import numpy as np
from deap import base

from moo_clustering.algorithms._checks import integer, probability
from moo_clustering.algorithms._counted_step import Columns, CountedStep, Individuals
from moo_clustering.operators.deap._batch_map import batch_map

Legal = Callable[[Any], bool]

_quality = attrgetter("fitness.wvalues")


class GenerationalStep(CountedStep):
    """Selection, crossover, mutation, replacement, and the best that returns for the worst.

    Parameters
    ----------
    cxpb : float
        Probability of crossing a pair of consecutive parents.
    mutpb, kmpb, max_evals
        As for :class:`CountedStep`.
    elitism : {1, 0}
        Whether the best so far replaces the worst of a population in which there is none as good.
    legal : callable, optional
        ``legal(individual) -> bool``, or with an attribute ``batch``, ``legal.batch(matrix)``. Only
        legal individuals are the best so far or enter the hall of fame.
    """

    def __init__(
        self,
        *,
        cxpb: float,
        mutpb: float,
        kmpb: float,
        elitism: int,
        legal: Legal | None,
        max_evals: int | None,
    ) -> None:
        super().__init__(mutpb=mutpb, kmpb=kmpb, max_evals=max_evals)
        self.cxpb = probability("cxpb", cxpb)
        self.elitism = integer("elitism", elitism, 0)
        if self.elitism > 1:
            raise ValueError(f"elitism must be 0 or 1, got {elitism}")
        if legal is not None and not callable(legal):
            raise TypeError(f"legal must be a function or None, got {legal!r}")
        self.legal = legal

    def eligible(self, population: Individuals) -> Individuals:
        """The legal ones."""
        if self.legal is None:
            return population
        flags = [np.all(flag) for flag in batch_map(self.legal, population)]
        return [individual for individual, flag in zip(population, flags, strict=True) if flag]

    def _needed(self) -> list[str]:
        return ["select"] + ["mate"] * (self.cxpb > 0)

    def _generation(
        self, population: Individuals, toolbox: base.Toolbox, rng: np.random.Generator
    ) -> tuple[Individuals, Columns]:
        # with elitism the best so far is always in the population
        best = self._best(population) if self.elitism else None
        children = [toolbox.clone(parent) for parent in toolbox.select(population, len(population))]
        n_crossed = self._cross(children, toolbox, rng)
        children = self._evaluated(self._mutated(children, toolbox, rng), toolbox)
        if (n_missing := len(population) - len(children)) > 0:
            children += sorted(population, key=_quality, reverse=True)[:n_missing]
        if best is not None:
            rival = self._best(children)
            if rival is None or best.fitness > rival.fitness:
                worst = min(range(len(children)), key=lambda i: (_quality(children[i]), -i))
                children[worst] = best
        return children, self._own_columns(n_crossed)

    def _own_columns(self, n_crossed: int) -> Columns:
        return {}

    def _cross(self, children: Individuals, toolbox: base.Toolbox, rng: np.random.Generator) -> int:
        crossed = np.flatnonzero(rng.random(len(children) // 2) < self.cxpb)
        for i in 2 * crossed:
            children[i : i + 2] = toolbox.mate(children[i], children[i + 1])
            for child in children[i : i + 2]:
                del child.fitness.values
        return len(crossed)

    def _best(self, population: Individuals) -> Any:
        return max(self.eligible(population), key=_quality, default=None)
