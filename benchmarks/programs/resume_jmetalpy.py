"""A search that a second start continues after a kill: jMetalPy.

Genes are the coordinates of fifteen centres; a centre without samples is no cluster.
"""

import pickle
import random
from pathlib import Path

import numpy as np
from jmetal.algorithm.multiobjective.nsgaii import NSGAII
from jmetal.core.problem import OnTheFlyFloatProblem
from jmetal.operator.crossover import SBXCrossover
from jmetal.operator.mutation import PolynomialMutation
from jmetal.util.termination_criterion import StoppingByEvaluations
from scipy.spatial.distance import cdist
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score, davies_bouldin_score, silhouette_score

X, y = make_blobs(150, centers=12, random_state=3)


def decode(genes):
    return cdist(X, np.reshape(genes, (15, 2))).argmin(axis=1)


def negative_silhouette(genes):
    labels = decode(genes)
    return -silhouette_score(X, labels) if np.ptp(labels) else 1.0


def davies_bouldin(genes):
    labels = decode(genes)
    return davies_bouldin_score(X, labels) if np.ptp(labels) else 1e9


problem = OnTheFlyFloatProblem().add_function(negative_silhouette).add_function(davies_bouldin)
for low, high in zip(np.tile(X.min(axis=0), 15), np.tile(X.max(axis=0), 15), strict=True):
    problem.add_variable(low, high)
algorithm = NSGAII(
    problem,
    population_size=40,
    offspring_population_size=40,
    mutation=PolynomialMutation(1 / 30),
    crossover=SBXCrossover(0.9),
    termination_criterion=StoppingByEvaluations(40 * 50),
)
checkpoint, unfinished = Path("run.pickle"), Path("unfinished")
if checkpoint.exists():
    algorithm.solutions, algorithm.evaluations, randomness = pickle.loads(checkpoint.read_bytes())
    random.setstate(randomness)
else:
    random.seed(1)
    algorithm.solutions = algorithm.evaluate(algorithm.create_initial_solutions())
    algorithm.init_progress()
while not algorithm.stopping_condition_is_met():
    algorithm.step()
    algorithm.update_progress()
    unfinished.write_bytes(pickle.dumps((algorithm.solutions, algorithm.evaluations, random.getstate())))
    unfinished.replace(checkpoint)
best = min(algorithm.result(), key=lambda solution: solution.objectives[0])
values = np.array(best.objectives) * [-1, 1]
print("ARI", adjusted_rand_score(y, decode(best.variables)), *values)
