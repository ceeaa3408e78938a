"""Chromosomes for DEAP that are NumPy arrays."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from deap import base
from numpy.typing import ArrayLike


class Minimize(base.Fitness):
    """Fitness of one objective, minimised."""

    weights = (-1.0,)


class MinimizeTwo(base.Fitness):
    """Fitness of two objectives, both minimised."""

    weights = (-1.0, -1.0)


class ArrayIndividual(np.ndarray):
    """One chromosome: an integer array with a ``fitness``.

    DEAP's list individuals cost some 30 bytes a gene and seconds to clone at 10,000 genes; an array
    costs its item size. Copies (slices, ``copy``, ``copy.deepcopy``) own their genes and fitness.

    Parameters
    ----------
    genes : array-like of shape (n_var,)
    fitness : type, default=MinimizeTwo
        A :class:`deap.base.Fitness` subclass.

    Notes
    -----
    ``==`` compares elementwise: give ``deap.tools.HallOfFame`` and ``ParetoFront``
    ``similar=numpy.array_equal``.
    """

    fitness: Any

    def __new__(cls, genes: ArrayLike, fitness: type[base.Fitness] = MinimizeTwo) -> Self:
        individual = np.array(genes).view(cls)
        individual.fitness = fitness()
        return individual

    def __array_finalize__(self, obj: Any) -> None:
        self.fitness = None

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Self:
        twin = np.array(self).view(type(self))
        if self.fitness is None:  # a slice: genes only
            return twin
        twin.fitness = type(self.fitness)()
        if self.fitness.valid:
            twin.fitness.values = self.fitness.values
        if hasattr(self.fitness, "crowding_dist"):
            twin.fitness.crowding_dist = self.fitness.crowding_dist
        return twin

    def __reduce__(self) -> tuple[Any, ...]:
        if self.fitness is None:
            return _without_fitness, (type(self), np.asarray(self))
        return _rebuild, (type(self), np.asarray(self), type(self.fitness), self.fitness.wvalues)


def _rebuild(cls: type[ArrayIndividual], genes: Any, fitness: Any, wvalues: Any) -> ArrayIndividual:
    individual = cls(genes, fitness)
    individual.fitness.wvalues = wvalues
    return individual


def _without_fitness(cls: type[ArrayIndividual], genes: Any) -> ArrayIndividual:
    return np.array(genes).view(cls)
