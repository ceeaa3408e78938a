"""A filled DEAP toolbox for searches over partitions, and its generation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from deap import base
from numpy.typing import NDArray

from moo_clustering.encodings._canonical import row_digests
from moo_clustering.operators._label_rows import at_least_one, bounds_of, share
from moo_clustering.operators.deap._batch_map import batch_map
from moo_clustering.operators.deap._individual import ArrayIndividual
from moo_clustering.operators.deap._label_operators import cx_grouping_overlay, mut_partition
from moo_clustering.operators.deap._sel_elite import SelElite
from moo_clustering.operators.deap._selection import sel_tournament_dcd

if TYPE_CHECKING:
    from pymoo.core.sampling import Sampling

    from moo_clustering.operators._cluster_number_repair import ClusterNumberRepair
    from moo_clustering.operators._grouping_overlay import GroupingOverlayCrossover
    from moo_clustering.operators._partition_mutation import PartitionMutation
    from moo_clustering.problems import PartitionProblem

Individuals = list[Any]
# Rounds of mating in vain before a generation makes do with what it has, as in pymoo.
_ROUNDS = 100


class EvaluateLabels:
    """``evaluate``: the natural objectives of a partition; with ``batch`` those of many at once.

    Parameters
    ----------
    problem : PartitionProblem
    """

    def __init__(self, problem: PartitionProblem) -> None:
        self.problem = problem

    def __call__(self, individual: Any) -> tuple[float, ...]:
        """Of one individual, as a tuple."""
        return tuple(self.batch(np.asarray(individual)[None])[0].tolist())

    def batch(self, matrix: NDArray[Any]) -> NDArray[np.float64]:
        """Of all rows, shape (n, n_objectives)."""
        return self.problem.natural(self.problem.evaluate(matrix, return_values_of=["F"]))


def label_toolbox(
    problem: PartitionProblem,
    sampling: Sampling,
    crossover: GroupingOverlayCrossover,
    mutation: PartitionMutation,
    select: SelElite,
    repair: ClusterNumberRepair | None = None,
) -> base.Toolbox:
    """Toolbox with everything that :class:`LabelStep` calls.

    Parameters
    ----------
    problem : PartitionProblem
        Over a :class:`~moo_clustering.encodings.LabelEncoding`.
    sampling, crossover, mutation
        The parts a pymoo run would be composed of.
    select : SelElite
        Takes the place of a survival.
    repair : ClusterNumberRepair, optional

    Returns
    -------
    deap.base.Toolbox
        ``individual(genes)``, ``population(n, rng)``, ``evaluate`` and ``map`` for whole populations,
        ``mate(a, b, rng)``, ``mutate(individual, rng, crossed=)``, ``repair(individual, rng)``,
        ``select_parents(individuals, k, rng)``, ``select(individuals, k, rng)``, ``clone``. Every entry
        can be registered anew.
    """
    bounds = bounds_of(problem)
    weights = tuple(float(sign) for sign in -problem.natural(np.ones(problem.n_obj)))
    fitness = type("LabelFitness", (base.Fitness,), {"weights": weights})
    toolbox = base.Toolbox()

    def population(n: int, rng: np.random.Generator) -> Individuals:
        genes = sampling._do(problem, n, random_state=rng)
        return [toolbox.individual(row) for row in genes]

    def repaired(individual: Any, rng: np.random.Generator) -> tuple[Any]:
        if repair is not None:
            individual[:] = repair._do(problem, np.asarray(individual)[None], random_state=rng)[0]
        return (individual,)

    toolbox.register("individual", ArrayIndividual, fitness=fitness)
    toolbox.register("population", population)
    toolbox.register("evaluate", EvaluateLabels(problem))
    toolbox.register("map", batch_map)
    toolbox.register("mate", cx_grouping_overlay, crossover=crossover, k_max=bounds.k_max)
    toolbox.register("mutate", mut_partition, mutation=mutation, k_max=bounds.k_max, k_min=bounds.k_min)
    toolbox.register("repair", repaired)
    toolbox.register("select_parents", _random_parents if select.survival == "random" else sel_tournament_dcd)
    toolbox.register("select", select)
    return toolbox


class LabelStep:
    """One generation: parents, children that are new partitions, evaluation, survivors.

    Parameters
    ----------
    pop_size : int
        Children, and survivors at most.
    pc : float, default=0.6
        Probability that a pair of parents is crossed.
    """

    def __init__(self, pop_size: int, pc: float = 0.6) -> None:
        self.pop_size = at_least_one("pop_size", pop_size)
        self.pc = share("pc", pc)

    def start(
        self, population: Individuals, toolbox: base.Toolbox, rng: np.random.Generator
    ) -> tuple[Individuals, int]:
        """Evaluate the initial population; returns it and the number of evaluations."""
        n_evaluations = _evaluate(population, toolbox)
        return toolbox.select(population, len(population), rng), n_evaluations

    def __call__(
        self, population: Individuals, toolbox: base.Toolbox, rng: np.random.Generator
    ) -> tuple[Individuals, int] | None:
        """The next population and the number of evaluations; None when no new partition was found."""
        seen = set(_keys(population))
        offspring: Individuals = []
        for _ in range(_ROUNDS):
            children = self._children(population, self.pop_size - len(offspring), toolbox, rng)
            for child, key in zip(children, _keys(children), strict=True):
                if key not in seen and len(offspring) < self.pop_size:
                    seen.add(key)
                    offspring.append(child)
            if len(offspring) == self.pop_size:
                break
        if not offspring:
            return None
        n_evaluations = _evaluate(offspring, toolbox)
        return toolbox.select(population + offspring, self.pop_size, rng), n_evaluations

    def _children(
        self, population: Individuals, n: int, toolbox: base.Toolbox, rng: np.random.Generator
    ) -> Individuals:
        parents = toolbox.select_parents(population, n + n % 2, rng)
        children = [toolbox.clone(parent) for parent in parents]
        for first, second in zip(children[::2], children[1::2], strict=True):
            crossed = rng.random() < self.pc
            if crossed:
                toolbox.mate(first, second, rng)
            for child in (first, second):
                toolbox.mutate(child, rng, crossed=crossed)
                toolbox.repair(child, rng)
        return children


def _evaluate(individuals: Individuals, toolbox: base.Toolbox) -> int:
    new = [individual for individual in individuals if not individual.fitness.valid]
    for individual, values in zip(new, toolbox.map(toolbox.evaluate, new), strict=True):
        individual.fitness.values = values
    return len(new)


def _keys(individuals: Individuals) -> list[bytes]:
    # All operators number clusters by first appearance, so that equal partitions have equal genes.
    return row_digests(np.stack([np.asarray(individual) for individual in individuals]))


def _random_parents(individuals: Individuals, k: int, rng: np.random.Generator) -> Individuals:
    return [individuals[row] for row in rng.integers(len(individuals), size=k)]
