"""NSGA-III over four indices with pair constraints: pymoo.

Genes are the coordinates of six centres; a centre without samples is no cluster.
"""

import numpy as np
from pymoo.algorithms.moo.nsga3 import NSGA3
from pymoo.optimize import minimize
from pymoo.problems.functional import FunctionalProblem
from pymoo.util.ref_dirs import get_reference_directions
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


def violations(genes):
    labels = decode(genes)
    return ((labels[pairs[:, 0]] == labels[pairs[:, 1]]) != same).sum()


indices = [
    index(silhouette_score, -1),
    index(davies_bouldin_score, 1),
    index(calinski_harabasz_score, -1),
    connectivity,
]
low, high = np.tile(X.min(axis=0), 6), np.tile(X.max(axis=0), 6)
problem = FunctionalProblem(12, indices, constr_ieq=[violations], xl=low, xu=high)
algorithm = NSGA3(get_reference_directions("uniform", 4, n_partitions=5))
result = minimize(problem, algorithm, ("n_gen", 30), seed=1)
best = result.F[:, 0].argmin()
print("ARI", adjusted_rand_score(y, decode(result.X[best])), *result.F[best] * [-1, 1, -1, 1])
