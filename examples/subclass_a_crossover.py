"""
Subclass a crossover
====================

Change the crossover of medoid sets, and test whether the change improves the front.

Shows: a crossover whose children inherit medoids that are far from each other, and a comparison with the
original crossover in NSGA-II for several seeds.
"""

import numpy as np
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.indicators.hv import HV
from pymoo.optimize import minimize
from scipy.spatial.distance import cdist
from sklearn.datasets import make_blobs

from moo_clustering.operators import (
    CanonicalDuplicates,
    ConstraintCrowdingSurvival,
    MedoidReplaceMutation,
    MedoidSampling,
    MedoidSetRepair,
    PrefixUnionCrossover,
)
from moo_clustering.problems import MedoidProblem
from moo_clustering.visualization import plot_partition

X, _ = make_blobs(300, centers=8, cluster_std=1.2, random_state=3)
problem = MedoidProblem(X, k_max=10, metric="euclidean")
distances = cdist(X, X)


class FarApart(PrefixUnionCrossover):
    """Both children begin with the parents' medoids that are farthest from the other medoids."""

    def _do(self, problem, X, *args, random_state=None, **kwargs):
        parents = X.copy()
        for row in parents.reshape(-1, parents.shape[-1]):
            medoids = row[row >= 0].astype(int)
            apart = distances[np.ix_(medoids, medoids)].sum(axis=1)
            row[: len(medoids)] = medoids[np.argsort(-apart)]
        return super()._do(problem, parents, *args, random_state=random_state, **kwargs)


fronts = {}
for crossover in (PrefixUnionCrossover(length="two_cut"), FarApart(length="two_cut")):
    found = []
    for seed in range(5):
        algorithm = NSGA2(
            pop_size=30,
            sampling=MedoidSampling(),
            crossover=crossover,
            mutation=MedoidReplaceMutation(),
            repair=MedoidSetRepair(),
            survival=ConstraintCrowdingSurvival(unique=CanonicalDuplicates(problem.encoding)),
            eliminate_duplicates=False,
        )
        result = minimize(problem, algorithm, ("n_gen", 20), seed=seed)
        found.append(result.F)
    fronts[type(crossover).__name__] = found

worst = np.vstack([F for found in fronts.values() for F in found]).max(axis=0)
for name, found in fronts.items():
    volumes = [HV(ref_point=worst)(F) for F in found]
    print(f"{name}: hypervolume {np.mean(volumes):.4g} ± {np.std(volumes):.2g} over {len(found)} seeds")
labels = problem.decode(result.X)[0]
plot_partition(X, labels, title="First solution of the last front", path="subclass_a_crossover.png")
