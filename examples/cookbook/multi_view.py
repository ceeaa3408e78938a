"""
Medoids of several views
========================

There is one objective per view, computed from its dissimilarities, so the front contains partitions for
different weights of the views.

Shows: indices fitted to different data, precomputed dissimilarities, MOEA/D; the controls are the same search
on the mean dissimilarity, and on each view alone.

De Carvalho, Lechevallier & de Melo,
"Partitioning hard clustering algorithms based on multiple dissimilarity matrices", Pattern Recognition
45(1), 2012. The data are generated.
"""

import numpy as np
from pymoo.algorithms.moo.moead import MOEAD
from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.optimize import minimize
from pymoo.util.ref_dirs import get_reference_directions
from sklearn.metrics import adjusted_rand_score, pairwise_distances

from moo_clustering.encodings import MedoidEncoding
from moo_clustering.problems import PartitionProblem
from moo_clustering.validity import FunctionIndex
from moo_clustering.visualization import plot_front

rng = np.random.default_rng(0)
y = np.repeat(np.arange(4), 50)
# Each view separates only two pairs of classes, and one view is noisier than the other.
views = [
    np.column_stack([y // 2, rng.normal(size=200)]) * [6, 1] + rng.normal(size=(200, 2)),
    np.column_stack([y % 2, rng.normal(size=200)]) * [6, 1] + 2 * rng.normal(size=(200, 2)),
]
D = [pairwise_distances(view) for view in views]
D = [d / d.mean() for d in D]


def to_medoids(D, labels):
    """Total distance to the medoids."""
    return sum(D[np.ix_(labels == c, labels == c)].sum(axis=0).min() for c in np.unique(labels))


def search(distances, objectives, make):
    encoding = MedoidEncoding(distances, k_max=4, k_min=4, metric="precomputed")
    problem = PartitionProblem(None, encoding, objectives)
    result = minimize(problem, make(problem), ("n_gen", 40), seed=1)
    return np.atleast_2d(result.F), problem.decode(result.X), problem


def index(name, d):
    return FunctionIndex(to_medoids, "min", name=name).fit(d)


def moead(problem):
    directions = get_reference_directions("uniform", 2, n_partitions=29)
    return MOEAD(directions, n_neighbors=8, **problem.operators(MOEAD))


def single(problem):
    return GA(pop_size=30, **problem.operators(GA))


mean = (D[0] + D[1]) / 2
F, front, problem = search(mean, [index("view 1", D[0]), index("view 2", D[1])], moead)
for name, d in (("view 1 alone", D[0]), ("view 2 alone", D[1]), ("mean of the views", mean)):
    _, labels, _ = search(d, [index(name, d)], single)
    print(f"{name}: ARI {adjusted_rand_score(y, labels[0]):.3f}")
ari = [adjusted_rand_score(y, row) for row in front]
print(f"MOEA/D over both: {len(front)} partitions, ARI {min(ari):.3f} to {max(ari):.3f}")
plot_front(F, problem.objective_names, path="multi_view.png")
