"""An index and a mutation of one's own, two objectives: pymoo.

Genes are the coordinates of six centres; a centre without samples is no cluster.
"""

import numpy as np
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.mutation import Mutation
from pymoo.optimize import minimize
from pymoo.problems.functional import FunctionalProblem
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
    def _do(self, problem, genes, random_state=None, **kwargs):
        jumps = np.repeat(random_state.random((len(genes), 6)) < 0.1, 2, axis=1)
        samples = X[random_state.integers(len(X), size=(len(genes), 6))]
        return np.where(jumps, samples.reshape(genes.shape), genes)


low, high = np.tile(X.min(axis=0), 6), np.tile(X.max(axis=0), 6)
problem = FunctionalProblem(12, [widest, negative_silhouette], xl=low, xu=high)
result = minimize(problem, NSGA2(pop_size=40, mutation=Jump()), ("n_gen", 30), seed=1)
best = result.F[:, 1].argmin()
print("ARI", adjusted_rand_score(y, decode(result.X[best])), result.F[best, 0], -result.F[best, 1])
