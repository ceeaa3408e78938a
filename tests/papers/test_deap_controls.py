"""Controls of DEAP toolboxes."""

import numpy as np
from deap import base, tools

from moo_clustering.operators.deap import ArrayIndividual, Minimize
from papers.controls import compare_deap


def one_max(rng):
    toolbox = base.Toolbox()
    toolbox.register("individual", lambda genes: ArrayIndividual(genes, Minimize))
    toolbox.register("population", lambda n: [toolbox.individual(rng.integers(0, 2, 12)) for _ in range(n)])
    toolbox.register("evaluate", lambda one: (float(12 - np.sum(one)),))
    toolbox.register("mutate", tools.mutFlipBit, indpb=0.1)
    toolbox.register(
        "select", lambda individuals, k: sorted(individuals, key=lambda one: one.fitness.values)[:k]
    )
    return toolbox


def step(population, toolbox, rng):
    children = [toolbox.mutate(toolbox.clone(one))[0] for one in population]
    for child in children:
        del child.fitness.values
    for child, values in zip(children, toolbox.map(toolbox.evaluate, children), strict=True):
        child.fitness.values = values
    return toolbox.select(population + children, len(population))


class Evaluating:
    """A step that evaluates the initial population one by one."""

    def start(self, population, toolbox, rng):
        for one in population:
            one.fitness.values = toolbox.evaluate(one)
        return population

    def __call__(self, population, toolbox, rng):
        return step(population, toolbox, rng)


def test_a_deap_toolbox_has_the_same_controls():
    found = compare_deap(one_max, Evaluating(), pop_size=6, n_evals=125, seeds=2)
    made = found.runs.set_index("method")["evaluations"]
    assert (made.drop("initial") == 125).all()
    best = found.runs.groupby("method")["best f1"].mean()
    assert best["evolution"] < best["drift"]
    assert best["climbs"] < best["initial"]
