"""
Does evolution pay?
===================

Run a search and its controls with the same number of evaluations, and read the conclusions.

Shows: the controls of an estimator and of a composed search, their hypervolume by number of evaluations, and
differences with intervals and tests. Known classes only score the results; no search uses them.
"""

import numpy as np
from pymoo.algorithms.moo.nsga2 import NSGA2
from sklearn.datasets import load_wine, make_blobs, make_moons

from moo_clustering import MOCK
from moo_clustering.controls import compare
from moo_clustering.encodings import MedoidEncoding
from moo_clustering.problems import PartitionProblem

# %%
# First, an estimator: MOCK finds three shapes from the links of a tree. Without selection (drift), the same
# crossover and mutation add little to the first population. Climbers with the same mutation reach the same
# hypervolume, and a greedy construction of the front requires no search.

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
# Second, a custom search for medoids of the wines by two indices, with the problem's operators. On average,
# its front is the best, but its partitions agree less with the cultivars than those found by random sampling.
# Ten seeds are too few to confirm either difference. A better search does not help if the best values of the
# indices do not correspond to the classes.

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
