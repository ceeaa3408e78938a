"""
CHC with a custom toolbox
=========================

Shows: `chc` instead of DEAP's loops on one-max with list individuals, without any clustering, and the same
loop with a toolbox for real vectors, a custom distance, an evaluation budget and checkpoints.
"""

import numpy as np
import pandas as pd
from deap import base, creator, tools

from moo_clustering.algorithms import ChcStep, DeapSearch, chc, drive
from moo_clustering.operators.deap import ArrayIndividual, Minimize, batch_map
from moo_clustering.persistence import Checkpoint
from moo_clustering.visualization import plot_convergence

rng = np.random.default_rng(1)

creator.create("MostOnes", base.Fitness, weights=(1.0,))
creator.create("Bits", list, fitness=creator.MostOnes)


def half_uniform(first, second):
    """Exchange half of the differing bits."""
    differing = [i for i in range(len(first)) if first[i] != second[i]]
    for i in rng.permutation(differing)[: len(differing) // 2]:
        first[i], second[i] = second[i], first[i]
    return first, second


toolbox = base.Toolbox()
toolbox.register("individual", tools.initRepeat, creator.Bits, lambda: int(rng.integers(2)), n=100)
toolbox.register("population", tools.initRepeat, list, toolbox.individual)
toolbox.register("evaluate", lambda bits: (sum(bits),))
toolbox.register("mate", half_uniform)

best = tools.HallOfFame(1)
_, logbook = chc(
    toolbox.population(n=50), toolbox, 300, threshold_rule="no_acceptance", halloffame=best, rng=rng
)
solved = next(record["gen"] for record in logbook if record["max"] == 100)
print(f"one-max: {sum(best[0])} of 100 ones after {solved} generations")


# The custom toolbox has points in the plane, a function with many local minima, and the Euclidean distance.
def rastrigin(points):
    return 10 * points.shape[1] + (points**2 - 10 * np.cos(2 * np.pi * points)).sum(axis=1)


def evaluate(point):
    return (float(rastrigin(np.asarray(point)[None])[0]),)


def blend(first, second):
    """Return two random points on the line through both parents, at most slightly beyond them."""
    a, b = first.copy(), second.copy()
    first[:], second[:] = (a + (b - a) * share for share in rng.uniform(-0.3, 1.3, size=2))
    return first, second


evaluate.batch = rastrigin  # batch_map calls the function once for all individuals
toolbox = base.Toolbox()
toolbox.register("individual", lambda: ArrayIndividual(rng.uniform(-5, 5, size=2), Minimize))
toolbox.register("population", tools.initRepeat, list, toolbox.individual)
toolbox.register("evaluate", evaluate)
toolbox.register("mate", blend)
toolbox.register("distance", lambda a, b: float(np.linalg.norm(a - b)))
toolbox.register("map", batch_map)

step = ChcStep(threshold=2.0, step=0.5, n_keep=5, max_evals=5000)
search = DeapSearch(toolbox, step, rng=rng, pop_size=40)
drive(search, n_gen=10_000, checkpoint=Checkpoint("chc_example_checkpoint", every=50))
lowest = min(individual.fitness.values[0] for individual in search.population)
print(f"Rastrigin: {lowest:.1e} after {step.evaluations} evaluations and {step.restarts} restarts")
course = pd.DataFrame(logbook)[["gen", "avg", "max"]].rename(columns={"gen": "generation"})
plot_convergence(course, path="chc_on_onemax.png")
