"""An index and a mutation of one's own, two objectives: jMetalPy.

Genes are the coordinates of six centres; a centre without samples is no cluster.
"""

import random

import numpy as np
from jmetal.algorithm.multiobjective.nsgaii import NSGAII
from jmetal.core.operator import Mutation
from jmetal.core.problem import OnTheFlyFloatProblem
from jmetal.operator.crossover import SBXCrossover
from jmetal.util.termination_criterion import StoppingByEvaluations
from scipy.spatial.distance import cdist
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score, silhouette_score

X, y = make_blobs(150, centers=4, random_state=3)


def decode(genes):
    return cdist(X, np.reshape(genes, (6, 2))).argmin(axis=1)


def widest(genes):
    labels = decode(genes)
    return max(np.ptp(X[labels == c], axis=0).max() for c in np.unique(labels))


def negative_silhouette(genes):
    labels = decode(genes)
    return -silhouette_score(X, labels) if np.ptp(labels) else 1.0


class Jump(Mutation):
    def execute(self, solution):
        for centre in range(6):
            if random.random() < self.probability:
                solution.variables[2 * centre : 2 * centre + 2] = random.choice(X)
        return solution

    def get_name(self):
        return "jump"


problem = OnTheFlyFloatProblem().add_function(widest).add_function(negative_silhouette)
for low, high in zip(np.tile(X.min(axis=0), 6), np.tile(X.max(axis=0), 6), strict=True):
    problem.add_variable(low, high)
random.seed(1)
algorithm = NSGAII(
    problem,
    population_size=40,
    offspring_population_size=40,
    mutation=Jump(0.1),
    crossover=SBXCrossover(0.9),
    termination_criterion=StoppingByEvaluations(40 * 30),
)
algorithm.run()
best = min(algorithm.result(), key=lambda solution: solution.objectives[1])
print("ARI", adjusted_rand_score(y, decode(best.variables)), best.objectives[0], -best.objectives[1])
