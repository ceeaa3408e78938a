"""
Clusters of any shape, and their number
=======================================

Find clusters of any shape, and their number, with MOCK: composed from components and as an estimator.

Shows: the problem with its tree encoding in NSGA-II and PESA-II, fronts for data without clusters, and the
solution that is farthest ahead of these fronts.
"""

import numpy as np
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.operators.crossover.ux import UniformCrossover
from pymoo.optimize import minimize
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score

from moo_clustering import MOCK
from moo_clustering.algorithms import PESA2
from moo_clustering.fronts import attainment_scores, control_data
from moo_clustering.operators import MSTInterestingnessSampling, NeighborBiasedMutation
from moo_clustering.problems import MOCKProblem
from moo_clustering.visualization import plot_attainment

moons, moon = make_moons(300, noise=0.05, random_state=0)
blob, _ = make_blobs(150, centers=[[0.5, 3.0]], cluster_std=0.3, random_state=0)
X, y = np.vstack([moons, blob]), np.append(moon, np.full(150, 2))
order = np.random.default_rng(0).permutation(len(X))
X, y = X[order], y[order]

parts = {
    "sampling": MSTInterestingnessSampling(),
    "crossover": UniformCrossover(prob=1.0),
    "mutation": NeighborBiasedMutation(),
}


def front(data, algorithm):
    """Objectives, numbers of clusters and partitions."""
    problem = MOCKProblem(data, encoding="split", random_state=0)
    result = minimize(problem, algorithm, ("n_gen", 40), seed=1)
    return result.F, problem.n_clusters(result.X), problem.decode(result.X)


for name, algorithm in (
    ("NSGA-II", NSGA2(pop_size=60, eliminate_duplicates=False, **parts)),
    ("PESA-II", PESA2(pop_size=60, n_init=60, **parts)),
):
    F, k, labels = front(X, algorithm)
    ari = [adjusted_rand_score(y, row) for row in labels]
    print(f"{name}: {len(F)} solutions with {k.min()} to {k.max()} clusters, best ARI {max(ari):.3f}")

F, k, labels = front(X, NSGA2(pop_size=60, eliminate_duplicates=False, **parts))
rng = np.random.default_rng(0)
controls = [
    front(control_data(X, rng=rng), NSGA2(pop_size=60, eliminate_duplicates=False, **parts))[:2]
    for _ in range(3)
]
scores = attainment_scores(F, k, controls)
best = scores.best()
print(f"farthest ahead: {k[best]} clusters, ARI {adjusted_rand_score(y, labels[best]):.3f}")

model = MOCK(random_state=0).fit(X)
print(f"MOCK: {model.n_clusters_} clusters, ARI {adjusted_rand_score(y, model.labels_):.3f}")
plot_attainment(model.attainment_, model.chosen_, path="mock_front.png")
