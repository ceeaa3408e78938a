"""
Subclass a mutation
===================

Subclass a medoid operator, and use it in plain pymoo without an estimator.

Shows: MedoidProblem with its operators in NSGA-II, and a mutation that moves a medoid to a nearby sample
instead of a random one.
"""

import numpy as np
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.optimize import minimize
from sklearn.datasets import load_wine
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import scale

from moo_clustering.graphs import neighbor_lists
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

X, y = load_wine(return_X_y=True)
X = scale(X)
nearest = neighbor_lists(X, 10, rng=np.random.default_rng(0)).indices


class NearbyMedoid(MedoidReplaceMutation):
    """Replace one medoid of every mutated individual by one of its ten nearest samples."""

    def _do(self, problem, X, *args, random_state=None, **kwargs):
        medoids = problem.medoids(X).copy()
        rows = np.arange(len(medoids))
        position = random_state.integers(0, (medoids >= 0).sum(axis=1))
        medoids[rows, position] = nearest[medoids[rows, position], random_state.integers(0, 10, len(rows))]
        return medoids


problem = MedoidProblem(X, k_max=6, metric="euclidean")
for mutation in (MedoidReplaceMutation(), NearbyMedoid()):
    algorithm = NSGA2(
        pop_size=20,
        sampling=MedoidSampling(),
        crossover=PrefixUnionCrossover(),
        mutation=mutation,
        repair=MedoidSetRepair(),
        # Children often become duplicates only after the evaluation has improved their medoids.
        survival=ConstraintCrowdingSurvival(unique=CanonicalDuplicates(problem.encoding)),
        eliminate_duplicates=False,
    )
    result = minimize(problem, algorithm, ("n_gen", 20), seed=1)
    scores = [adjusted_rand_score(y, labels) for labels in problem.decode(result.X)]
    print(f"{type(mutation).__name__}: {len(scores)} solutions, adjusted Rand index up to {max(scores):.2f}")
labels = problem.decode(result.X)[0]
plot_partition(X, labels, title="Wine, by near medoids", path="subclass_a_medoid_operator.png")
