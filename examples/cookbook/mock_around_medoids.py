"""
MOCK around medoids
===================

Only dissimilarities are known, here from aligning time series. The number of clusters is unknown.

Shows: links along precomputed neighbours, distances to medoids and connectivity as objectives of NSGA-II; the
control is average linkage for each number of clusters.

Handl & Knowles, "Multiobjective clustering around medoids", IEEE CEC, 2005. The series are generated; the
paper has no results for them.
"""

import numpy as np
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.optimize import minimize
from sklearn.cluster import AgglomerativeClustering
from sklearn.metrics import adjusted_rand_score

from moo_clustering.encodings import LocusAdjacencyEncoding
from moo_clustering.problems import PartitionProblem
from moo_clustering.validity import Connectivity
from moo_clustering.visualization import plot_front

rng = np.random.default_rng(0)
time, y = np.linspace(0, 1, 30), np.repeat(np.arange(4), 30)
shapes = [np.sin(6 * time), np.sign(np.sin(6 * time)), time, np.exp(-30 * (time - 0.5) ** 2)]
series = np.array([np.roll(shapes[c], rng.integers(-3, 4)) for c in y]) + 0.25 * rng.normal(size=(120, 30))


def aligned(a, b):
    """Dynamic time warping."""
    cost = np.abs(a[:, None] - b)
    total = np.full((len(a) + 1, len(b) + 1), np.inf)
    total[0, 0] = 0
    for i in range(len(a)):
        for j in range(max(0, i - 4), min(len(b), i + 5)):
            total[i + 1, j + 1] = cost[i, j] + min(total[i, j], total[i, j + 1], total[i + 1, j])
    return total[-1, -1]


D = np.zeros((len(y), len(y)))
for i, j in zip(*np.triu_indices(len(y), 1), strict=True):
    D[i, j] = D[j, i] = aligned(series[i], series[j])


def to_medoids(D, labels):
    return sum(D[np.ix_(labels == c, labels == c)].sum(axis=0).min() for c in np.unique(labels))


neighbors = np.argsort(D, axis=1)[:, 1:11]
start = [
    AgglomerativeClustering(k, metric="precomputed", linkage="single").fit_predict(D) for k in range(1, 31)
]
encoding = LocusAdjacencyEncoding(neighbors)
problem = PartitionProblem(D, encoding, [(to_medoids, "min"), Connectivity(metric="precomputed")])
parts = problem.operators(NSGA2) | {"sampling": encoding.encode(np.array(start))}
result = minimize(problem, NSGA2(pop_size=60, **parts), ("n_gen", 100), seed=1)
front = problem.decode(result.X)

control = [
    AgglomerativeClustering(k, metric="precomputed", linkage="average").fit_predict(D) for k in range(2, 13)
]
for name, rows in (("average linkage, 2 to 12 clusters", control), ("MOCK around medoids", front)):
    ari = [adjusted_rand_score(y, row) for row in rows]
    best = int(np.argmax(ari))
    print(f"{name}: {len(ari)} partitions, best ARI {ari[best]:.3f} with {rows[best].max() + 1} clusters")
plot_front(problem.natural(result.F), ["distance to medoids", "connectivity"], path="mock_around_medoids.png")
