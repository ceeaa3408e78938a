"""
Does evolution pay?
===================

Run a search beside its controls, with as many evaluations each, and read what may be claimed.

Shows: the controls of an estimator and of a composed search, their hypervolume over the evaluations, and
differences with intervals and tests. Known classes only score what is found; no search sees them.
"""

import numpy as np
from pymoo.algorithms.moo.nsga2 import NSGA2
from sklearn.datasets import load_wine, make_blobs, make_moons

from moo_clustering import MOCK
from moo_clustering.controls import compare
from moo_clustering.encodings import MedoidEncoding
from moo_clustering.problems import PartitionProblem

# %%
# An estimator: MOCK finds three shapes from the links of a tree. Without selection (drift), the same
# crossover and mutation add little to the first population; climbers with the same mutation do as well by
# hypervolume, and a greedy construction of the front needs no search at all.

moons, moon = make_moons(200, noise=0.06, random_state=0)
blob, _ = make_blobs(100, centers=[[0.5, 1.8]], cluster_std=0.3, random_state=0)
X, y = np.vstack([moons, blob]), np.append(moon, np.full(100, 2))

model = MOCK(3, init="delta", pop_size=50, random_state=0)
found = model.controls(
    X, y=y, n_evals=2000, seeds=10, controls=["initial", "drift", "climbs", "construction"]
)
print(found)
found.plot(title="MOCK on three shapes", path="evolution_shapes.png")

# %%
# A search of one's own: medoids of the wines by two indices, with the operators that suit the problem. On
# average its front is the best, and its partitions are farther from the cultivars than those of random
# sampling, though ten seeds leave both uncertain: more search does not help where the indices ask for
# something else than the classes.

wines, cultivar = load_wine(return_X_y=True)
wines = (wines - wines.mean(axis=0)) / wines.std(axis=0)
indices = ["silhouette", "davies_bouldin"]
problem = PartitionProblem(wines, MedoidEncoding(wines, k_max=6), indices)
found = compare(
    problem,
    NSGA2(pop_size=40, **problem.operators(NSGA2)),
    n_evals=2000,
    seeds=10,
    y=cultivar,
    n_clusters=3,
    controls=["initial", "random", "drift", "climbs", "annealing"],
)
print(found)
print(found.differences("ari").round(3))
found.plot(title="Medoids of wines by two indices", path="evolution_medoids.png")
