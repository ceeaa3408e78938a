"""NSGA-III over four indices with pair constraints: jMetalPy.

Genes are the coordinates of six centres; a centre without samples is no cluster.
"""

import random

import numpy as np
from jmetal.algorithm.multiobjective.nsgaiii import NSGAIII, UniformReferenceDirectionFactory
from jmetal.core.problem import OnTheFlyFloatProblem
from jmetal.operator.crossover import SBXCrossover
from jmetal.operator.mutation import PolynomialMutation
from jmetal.util.constraint_handling import is_feasible
from jmetal.util.termination_criterion import StoppingByEvaluations
from scipy.spatial.distance import cdist
from sklearn.datasets import make_blobs
from sklearn.metrics import (
    adjusted_rand_score,
    calinski_harabasz_score,
    davies_bouldin_score,
    silhouette_score,
)

X, y = make_blobs(150, centers=4, random_state=3)
pairs = np.arange(40).reshape(20, 2)
same = y[pairs[:, 0]] == y[pairs[:, 1]]
neighbors = cdist(X, X).argsort(axis=1)[:, 1:11]


def decode(genes):
    return cdist(X, np.reshape(genes, (6, 2))).argmin(axis=1)


def index(score, sign):
    def value(genes):
        labels = decode(genes)
        return sign * score(X, labels) if np.ptp(labels) else 1e9

    return value


def connectivity(genes):
    labels = decode(genes)
    return ((labels[neighbors] != labels[:, None]) / np.arange(1, 11)).sum()


def satisfaction(genes):
    labels = decode(genes)
    return -((labels[pairs[:, 0]] == labels[pairs[:, 1]]) != same).sum()


indices = [
    index(silhouette_score, -1),
    index(davies_bouldin_score, 1),
    index(calinski_harabasz_score, -1),
    connectivity,
]
problem = OnTheFlyFloatProblem().add_constraint(satisfaction)
for function in indices:
    problem.add_function(function)
for low, high in zip(np.tile(X.min(axis=0), 6), np.tile(X.max(axis=0), 6), strict=True):
    problem.add_variable(low, high)
random.seed(1)
np.random.seed(1)  # noqa: NPY002 - the library draws from it
algorithm = NSGAIII(
    UniformReferenceDirectionFactory(4, n_partitions=5),
    problem,
    PolynomialMutation(1 / 12),
    SBXCrossover(0.9),
    termination_criterion=StoppingByEvaluations(56 * 30),
)
algorithm.run()
best = min(filter(is_feasible, algorithm.result()), key=lambda solution: solution.objectives[0])
values = np.array(best.objectives) * [-1, 1, -1, 1]
print("ARI", adjusted_rand_score(y, decode(best.variables)), *values)
