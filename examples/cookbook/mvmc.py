"""
MVMC: medoids whose views have weights
======================================

There is one objective per view. The genes are the medoids, and the weights of the views in the distances to
the medoids. The front therefore contains partitions for different weights.

Shows: a custom encoding with two methods, three functions as objectives, NSGA-III; the control is k-medoids
on the sum of the distances.

José-García, Handl, Gómez-Flores & Garza-Fabre, "An evolutionary many-objective approach to multiview
clustering using feature and relational data", Applied Soft Computing 108, 2021. The paper searches with
MOEA/D, and the weights are those of its subproblems. The data are generated.
"""

import numpy as np
from pymoo.algorithms.moo.nsga3 import NSGA3
from pymoo.optimize import minimize
from pymoo.util.ref_dirs import get_reference_directions
from sklearn.metrics import adjusted_rand_score, pairwise_distances, silhouette_score

from moo_clustering.encodings import Encoding, relabel_by_first_appearance
from moo_clustering.problems import PartitionProblem
from moo_clustering.validity import FunctionIndex
from moo_clustering.visualization import plot_front


class WeightedMedoids(Encoding):
    """Genes: k medoids, then a weight from 0 to 10 per view."""

    def __init__(self, D, k):
        self.D, self.k, self.n_samples, self.n_var = D, k, D.shape[1], k + len(D)

    def bounds(self):
        return np.zeros(self.n_var, int), np.repeat([self.n_samples - 1, 10], [self.k, len(self.D)])

    def decode(self, X):
        medoids, weights = np.split(np.asarray(X, int), [self.k], axis=1)
        to_medoids = np.einsum("qv,vnqk->qnk", weights, self.D[:, :, medoids])
        return relabel_by_first_appearance(to_medoids.argmin(axis=2))


def scatter(D, labels):
    """Total distance to the medoids of the clusters."""
    return sum(D[np.ix_(labels == c, labels == c)].sum(axis=0).min() for c in range(labels.max() + 1))


def k_medoids(D, k, rng, n_init=20):
    """The best of several runs that alternate between assignment and update."""
    runs = []
    for medoids in (rng.choice(len(D), k, replace=False) for _ in range(n_init)):
        for _ in range(20):
            labels = relabel_by_first_appearance(D[:, medoids].argmin(axis=1))
            inside = [np.flatnonzero(labels == c) for c in range(labels.max() + 1)]
            medoids = [rows[D[np.ix_(rows, rows)].sum(axis=0).argmin()] for rows in inside]
        runs.append(labels)
    return min(runs, key=lambda labels: scatter(D, labels))


found = {"k-medoids of the sum": [], "MVMC, by silhouette": [], "MVMC, best of the front": []}
for seed in range(5):
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(4), 30)
    # Each of the first two views separates pairs of classes. The third view is noise.
    views = [rng.normal(size=(120, 3)) + 5 * np.outer(side, [1, 0, 0]) for side in (y // 2, y % 2, 0 * y)]
    D = np.array([pairwise_distances(view) for view in views])
    D /= D.mean(axis=(1, 2), keepdims=True)
    objectives = [FunctionIndex(scatter, "min", name=f"view {v}").fit(D[v]) for v in range(3)]
    problem = PartitionProblem(None, WeightedMedoids(D, 4), objectives)
    directions = get_reference_directions("das-dennis", 3, n_partitions=8)
    result = minimize(problem, NSGA3(directions, **problem.operators(NSGA3)), ("n_gen", 50), seed=seed)
    front = problem.decode(result.X)
    weighted = np.tensordot(result.X[:, 4:], D, axes=1)
    width = [silhouette_score(d, row, metric="precomputed") for d, row in zip(weighted, front, strict=True)]
    ari = [adjusted_rand_score(y, row) for row in front]
    simple = adjusted_rand_score(y, k_medoids(D.sum(axis=0), 4, rng))
    for runs, value in zip(found.values(), (simple, ari[int(np.argmax(width))], max(ari)), strict=True):
        runs.append(value)

for name, runs in found.items():
    print(f"{name}: ARI {np.mean(runs):.3f} ± {np.std(runs):.3f}")
plot_front(problem.natural(result.F), problem.objective_names, path="mvmc.png")
