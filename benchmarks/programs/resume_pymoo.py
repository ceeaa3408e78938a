"""A search that a second start continues after a kill: pymoo.

Genes are the coordinates of fifteen centres; a centre without samples is no cluster.
"""

import pickle
from pathlib import Path

import numpy as np
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.problems.functional import FunctionalProblem
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


checkpoint, unfinished = Path("run.pickle"), Path("unfinished")
if checkpoint.exists():
    algorithm = pickle.loads(checkpoint.read_bytes())
else:
    low, high = np.tile(X.min(axis=0), 15), np.tile(X.max(axis=0), 15)
    problem = FunctionalProblem(30, [negative_silhouette, davies_bouldin], xl=low, xu=high)
    algorithm = NSGA2(pop_size=40).setup(problem, termination=("n_gen", 50), seed=1)
while algorithm.has_next():
    algorithm.next()
    unfinished.write_bytes(pickle.dumps(algorithm))
    unfinished.replace(checkpoint)
result = algorithm.result()
best = result.F[:, 0].argmin()
print("ARI", adjusted_rand_score(y, decode(result.X[best])), *result.F[best] * [-1, 1])
