"""An index and a mutation of one's own, two objectives: moo_clustering."""

import numpy as np
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.mutation import Mutation
from pymoo.optimize import minimize
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from moo_clustering.encodings import MedoidEncoding
from moo_clustering.problems import PartitionProblem

X, y = make_blobs(150, centers=4, random_state=3)


def widest(X, labels):
    return max(np.ptp(X[labels == c], axis=0).max() for c in np.unique(labels))


class Jump(Mutation):
    def _do(self, problem, genes, random_state=None, **kwargs):
        jumps = random_state.random(genes.shape) < 0.1
        return np.where(jumps, random_state.integers(len(X), size=genes.shape), genes)


problem = PartitionProblem(X, MedoidEncoding(X, k_max=6), [(widest, "min"), "silhouette"])
parts = problem.operators() | {"mutation": Jump()}
result = minimize(problem, NSGA2(pop_size=40, **parts), ("n_gen", 30), seed=1)
best = result.F[:, 1].argmin()
print("ARI", adjusted_rand_score(y, problem.decode(result.X)[best]), *problem.natural(result.F)[best])
