"""Children of two local optima, made with pymoo or with DEAP."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from deap import base
from pymoo.core.evaluator import Evaluator
from pymoo.core.individual import Individual
from pymoo.core.population import Population

from moo_clustering.operators._center_matching import CentreMatchingCrossover
from moo_clustering.operators._local_search_repair import LocalSearchRepair
from moo_clustering.operators._relocate_center import RelocateCentre, Removal
from moo_clustering.operators.deap._centers import (
    CentreIndividual,
    cx_match_centres,
    local_search,
    mut_relocate,
)
from moo_clustering.problems._center_encoding import FloatArray
from moo_clustering.problems._sum_of_squares import SumOfSquaresProblem

# Probability that a child is mutated.
MUTATION = {"always": 1.0, "half": 0.5, "never": 0.0}


class Engine(Protocol):
    """Individuals of a library: their making, their mating, and what is known of them."""

    def individual(self, genes: FloatArray, objective: float, mix: float) -> Any:
        """An individual that is a local optimum already."""

    def child(self, first: Any, second: Any) -> Any:
        """Crossover, mutation, local search; the parents stay as they are."""

    def genes(self, individual: Any) -> FloatArray:
        """Coordinates of the centres."""

    def objective(self, individual: Any) -> float:
        """Sum of squares."""

    def mix(self, individual: Any) -> float:
        """Mix of its mutation."""


class PymooEngine:
    """Individuals and operators of pymoo."""

    def __init__(
        self, problem: SumOfSquaresProblem, rng: np.random.Generator, mutation: str, removal: Removal
    ) -> None:
        self.problem, self.rng = problem, rng
        self.crossover = CentreMatchingCrossover(1)
        self.mutation = RelocateCentre(removal, prob=MUTATION[mutation])
        self.repair, self.evaluator = LocalSearchRepair(), Evaluator()

    def individual(self, genes: FloatArray, objective: float, mix: float) -> Individual:
        return Individual(X=genes, F=np.array([objective]), mix=mix)

    def child(self, first: Individual, second: Individual) -> Individual:
        pair = [Population.create(first, second)]
        children = self.crossover.do(self.problem, pair, random_state=self.rng)
        children = self.mutation.do(self.problem, children, random_state=self.rng)
        children = self.repair.do(self.problem, children)
        self.evaluator.eval(self.problem, children)
        return children[0]

    def genes(self, individual: Individual) -> FloatArray:
        return np.asarray(individual.X)

    def objective(self, individual: Individual) -> float:
        return float(individual.F[0])

    def mix(self, individual: Individual) -> float:
        return float(individual.get("mix"))


class DeapEngine:
    """Individuals of DEAP and the functions of a toolbox."""

    def __init__(
        self, problem: SumOfSquaresProblem, rng: np.random.Generator, mutation: str, removal: Removal
    ) -> None:
        self.rng, self.prob = rng, MUTATION[mutation]
        self.toolbox = base.Toolbox()
        self.toolbox.register("mate", cx_match_centres, rng=rng, n_clusters=problem.n_clusters)
        self.toolbox.register("mutate", mut_relocate, rng=rng, problem=problem, removal=removal)
        self.toolbox.register("evaluate", lambda individual: tuple(problem.evaluate(np.asarray(individual))))
        self.toolbox.decorate("evaluate", local_search(problem))

    def individual(self, genes: FloatArray, objective: float, mix: float) -> CentreIndividual:
        individual = CentreIndividual(genes, mix=mix)
        individual.fitness.values = (objective,)
        return individual

    def child(self, first: CentreIndividual, second: CentreIndividual) -> CentreIndividual:
        child: CentreIndividual = self.toolbox.mate(self.toolbox.clone(first), self.toolbox.clone(second))[0]
        if self.rng.random() < self.prob:
            self.toolbox.mutate(child)
        child.fitness.values = self.toolbox.evaluate(child)
        return child

    def genes(self, individual: CentreIndividual) -> FloatArray:
        return np.array(individual)

    def objective(self, individual: CentreIndividual) -> float:
        return float(individual.fitness.values[0])

    def mix(self, individual: CentreIndividual) -> float:
        return float(0.5 if individual.mix is None else individual.mix)


ENGINES: dict[str, type[PymooEngine] | type[DeapEngine]] = {"pymoo": PymooEngine, "deap": DeapEngine}
