"""
Fair clusters
=============

A second objective or a constraint makes every cluster contain its share of a protected group.

Shows: an objective that depends on an attribute, the same function as an inequality, NSGA-II; the controls
are k-means, k-means over pairs of samples from the two groups (fairlets), and ``ConstrainedKMeans`` with
several bounds on the group shares, which dominates most of the evolved partitions.

Chierichetti, Kumar, Lattanzi & Vassilvitskii, "Fair clustering through fairlets", NIPS 2017, for balance
and fairlets. The data are generated.
"""

import numpy as np
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.optimize import minimize
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

from moo_clustering import ConstrainedKMeans
from moo_clustering.encodings import MedoidEncoding
from moo_clustering.problems import PartitionProblem
from moo_clustering.validity import Deviation
from moo_clustering.visualization import plot_front

X, place = make_blobs(200, centers=[[0, 0], [5, 0], [0, 5], [5, 5]], cluster_std=1.3, random_state=0)
order = np.argsort(X[:, 0] + 2 * np.random.default_rng(0).normal(size=200))
protected = np.zeros(200, dtype=bool)
protected[order[:100]] = True


def balance(X, labels):
    """Smallest ratio of the two groups in any cluster, 0 to 1."""
    share = np.array([protected[labels == c].mean() for c in np.unique(labels)])
    return np.minimum(share / np.maximum(1 - share, 1e-9), (1 - share) / np.maximum(share, 1e-9)).min()


def too_unfair(population):
    return [0.6 - balance(X, labels) for labels in population]


encoding = MedoidEncoding(X, k_max=4, k_min=4)
problem = PartitionProblem(X, encoding, ["deviation", (balance, "max")])
result = minimize(problem, NSGA2(pop_size=80, **problem.operators(NSGA2)), ("n_gen", 80), seed=1)
strict = PartitionProblem(X, encoding, "deviation", inequalities=[too_unfair])
best = minimize(strict, GA(pop_size=80, **strict.operators(GA)), ("n_gen", 80), seed=1)

# Fairlets: pair each protected sample with another sample so that the total distance is minimal.
a, b = np.flatnonzero(protected), np.flatnonzero(~protected)
_, partner = linear_sum_assignment(cdist(X[a], X[b]))
fairlets = np.empty(200, dtype=int)
fairlets[a] = fairlets[b[partner]] = KMeans(4, n_init=10, random_state=0).fit_predict(
    (X[a] + X[b[partner]]) / 2
)

# Several bounds: half of the samples are protected, so balance b allows shares of b / (1 + b) to 1 / (1 + b).
sweep = []
for b in np.linspace(0, 1, 11):
    model = ConstrainedKMeans(
        4, min_group_ratio=2 * b / (1 + b), max_group_ratio=2 / (1 + b), n_init=3, random_state=0
    )
    sweep.append(model.fit(X, groups=protected).labels_)

deviation = Deviation().fit(X)
front = problem.decode(result.X)
values = problem.natural(result.F)
for name, labels in (
    ("k-means", KMeans(4, n_init=10, random_state=0).fit_predict(X)),
    ("fairlets and k-means", fairlets),
    ("evolved, most compact", front[values[:, 0].argmin()]),
    ("evolved, fairest", front[values[:, 1].argmax()]),
    ("evolved, balance at least 0.6", problem.decode(best.X)[0]),
    ("sweep, balance at least 0.6", sweep[6]),
    ("sweep, fairest", sweep[10]),
):
    print(f"{name}: deviation {deviation.evaluate(labels)[0]:.1f}, balance {balance(X, labels):.2f}")
exact = np.column_stack([deviation.evaluate(sweep), [balance(X, labels) for labels in sweep]])
better = (exact[:, None, 0] <= values[:, 0]) & (exact[:, None, 1] >= values[:, 1])
print(f"the sweep dominates {better.any(axis=0).sum()} of the {len(values)} evolved partitions")
plot_front(values, problem.objective_names, path="fair_clusters.png")
plot_front(exact, problem.objective_names, path="fair_clusters_sweep.png")
