"""
MOCLE: evolve an ensemble by consensus
======================================

K-means and linkages provide the first population. The crossover returns a consensus of the two parents.

Shows: a sampling that returns known partitions, a custom crossover, deviation and connectivity in NSGA-II;
the control is the ensemble from which evolution starts.

Faceli, de Carvalho & de Souto, "Multi-objective clustering ensemble", International Journal of Hybrid
Intelligent Systems 4(3), 2007. The data are generated; the paper has no results for them.
"""

import warnings

import numpy as np
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.crossover import Crossover
from pymoo.core.mutation import Mutation
from pymoo.optimize import minimize
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score

from moo_clustering.consensus import mcla
from moo_clustering.encodings import LabelEncoding
from moo_clustering.problems import PartitionProblem
from moo_clustering.visualization import plot_front

moons, moon = make_moons(200, noise=0.06, random_state=0)
blobs, blob = make_blobs(150, centers=[[4, 0], [5.5, 0], [4.7, 1.4]], cluster_std=0.4, random_state=0)
X, y = np.vstack([moons, blobs]), np.concatenate([moon, blob + 2])

pool = [KMeans(k, n_init=3, random_state=0).fit_predict(X) for k in range(2, 11)]
for linkage in ("single", "average"):
    pool += [AgglomerativeClustering(k, linkage=linkage).fit_predict(X) for k in range(2, 11)]
pool = np.array(pool, dtype=np.int32)


class Consensus(Crossover):
    def __init__(self):
        super().__init__(2, 1, prob=0.9)

    def _do(self, problem, X, random_state=None, **kwargs):
        children = X[:1].copy()
        for pair, (first, second) in enumerate(
            problem.decode(X.reshape(-1, X.shape[2])).reshape(X.shape).swapaxes(0, 1)
        ):
            fewest, most = sorted((first.max() + 1, second.max() + 1))
            wanted = random_state.integers(fewest, most + 1)
            children[0, pair] = mcla([first, second], int(wanted), random_state=random_state)
        return children


problem = PartitionProblem(X, LabelEncoding(len(X), k_max=10), ["deviation", "connectivity"])
parts = {"sampling": pool, "crossover": Consensus(), "mutation": Mutation(prob=0.0)}
parts = problem.operators(NSGA2) | parts
fronts = []
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    for seed in range(5):
        result = minimize(problem, NSGA2(pop_size=len(pool), **parts), ("n_gen", 15), seed=seed)
        fronts.append(problem.decode(result.X))

start = problem.evaluate(pool)
start = pool[[not any((other <= one).all() and (other < one).any() for other in start) for one in start]]
for name, runs in (("control, the ensemble itself", [start]), ("MOCLE", fronts)):
    ari = [[adjusted_rand_score(y, row) for row in front] for front in runs]
    best, mean = [max(one) for one in ari], np.mean([np.mean(one) for one in ari])
    print(f"{name}: best ARI {np.mean(best):.3f} ({min(best):.3f} to {max(best):.3f}), mean {mean:.3f}")
plot_front(problem.natural(result.F), problem.objective_names, path="mocle.png")
