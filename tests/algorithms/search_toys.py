"""Small searches for the tests of this folder."""

from __future__ import annotations

import numpy as np
from deap import base, tools
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.crossover import Crossover
from pymoo.core.mutation import Mutation
from pymoo.core.problem import Problem
from pymoo.core.sampling import Sampling


class IntegerToy(Problem):
    """Integers 0..9; squared distances to all-2 and to all-7, and optionally a constraint."""

    def __init__(self, n_var=6, upper=9, n_constr=0, data=None):
        super().__init__(n_var=n_var, n_obj=2, n_ieq_constr=n_constr, xl=0, xu=upper, vtype=int)
        self.table = np.zeros(3) if data is None else data

    def _evaluate(self, X, out, *args, **kwargs):
        X = np.asarray(X)
        out["F"] = np.column_stack([((X - 2) ** 2).sum(axis=1), ((X - 7) ** 2).sum(axis=1)])
        if self.n_ieq_constr:
            out["G"] = (20 - X.sum(axis=1))[:, None]

    def __deepcopy__(self, memo):
        raise AssertionError("the problem was copied")


class RealToy(Problem):
    """Reals 0..1 with rugged distances to the ends and, for three objectives, the middle."""

    def __init__(self, n_obj=2):
        super().__init__(n_var=6, n_obj=n_obj, xl=0.0, xu=1.0)

    def _evaluate(self, X, out, *args, **kwargs):
        targets = np.linspace(0, 1, self.n_obj)
        out["F"] = np.column_stack(
            [((X - t) ** 2).sum(axis=1) + 0.3 * np.sin(9 * X[:, j]) for j, t in enumerate(targets)]
        )


class Integers(Sampling):
    def _do(self, problem, n_samples, *args, random_state=None, **kwargs):
        return random_state.integers(problem.xl, problem.xu + 1, size=(n_samples, problem.n_var)).astype(
            np.int16
        )


class Uniform(Crossover):
    def __init__(self):
        super().__init__(n_parents=2, n_offsprings=2)

    def _do(self, problem, X, *args, random_state=None, **kwargs):
        swap = random_state.random(X.shape[1:]) < 0.5
        return np.stack([np.where(swap, X[1], X[0]), np.where(swap, X[0], X[1])])


class Reset(Mutation):
    def _do(self, problem, X, *args, random_state=None, **kwargs):
        hit = random_state.random(X.shape) < 0.2
        return np.where(hit, random_state.integers(problem.xl, problem.xu + 1, size=X.shape), X).astype(
            X.dtype
        )


def integer_nsga2(pop_size=12, **options):
    return NSGA2(pop_size=pop_size, sampling=Integers(), crossover=Uniform(), mutation=Reset(), **options)


class CountingSearch:
    """A search that counts: F of generation g is [[g, -g], [g + 1, -g - 1]]."""

    def __init__(self, ends_after=10**9):
        self.generation = 0
        self.exhausted = False
        self.ends_after = ends_after
        self.calls = []

    def start(self):
        self.calls.append("start")

    def advance(self):
        if self.generation == self.ends_after:
            self.exhausted = True
            return
        self.generation += 1
        self.calls.append(self.generation)

    def objectives(self):
        g = float(self.generation)
        return np.array([[g, -g], [g + 1, -g - 1]])

    def state(self):
        return {"generation": np.array(self.generation)}, {"exhausted": self.exhausted}

    def restore(self, arrays, meta):
        self.calls.append("restore")
        self.generation = int(arrays["generation"])
        self.exhausted = meta["exhausted"]


class TwoGoals(base.Fitness):
    weights = (-1.0, 0.3)


class Genes(np.ndarray):
    def __new__(cls, genes):
        individual = np.array(genes).view(cls)
        individual.fitness = TwoGoals()
        return individual

    def __array_finalize__(self, obj):
        self.fitness = None

    def __deepcopy__(self, memo):
        twin = Genes(np.array(self))
        twin.fitness.wvalues = self.fitness.wvalues
        return twin


def deap_toolbox(n_var=20, upper=3):
    """OneMax-like: few non-zero genes, large sum."""
    toolbox = base.Toolbox()
    toolbox.register("individual", Genes)

    def population(n, rng):
        return [
            toolbox.individual(genes) for genes in rng.integers(0, upper + 1, size=(n, n_var), dtype=np.int32)
        ]

    def evaluate_population(individuals):
        for individual in individuals:
            genes = np.asarray(individual)
            individual.fitness.values = (float((genes > 0).sum()), float(genes.sum()) / 3)
        return len(individuals)

    toolbox.register("population", population)
    toolbox.register("evaluate_population", evaluate_population)
    toolbox.upper = upper
    return toolbox


def deap_step(population, toolbox, rng):
    """NSGA-II: tournaments by crowding, uniform crossover, resets, elitist survival."""
    tools.emo.assignCrowdingDist(population)
    pairs = rng.integers(len(population), size=(len(population), 2))
    chosen = [max((population[a], population[b]), key=lambda i: i.fitness.crowding_dist) for a, b in pairs]
    offspring = []
    for one, two in zip(chosen, rng.permutation(len(chosen)), strict=True):
        genes = np.where(rng.random(len(one)) < 0.5, np.asarray(one), np.asarray(chosen[two]))
        hit = rng.random(len(genes)) < 0.05
        genes[hit] = rng.integers(0, toolbox.upper + 1, size=hit.sum())
        offspring.append(toolbox.individual(genes))
    n_evaluations = toolbox.evaluate_population(offspring)
    return tools.selNSGA2(population + offspring, len(population)), n_evaluations
