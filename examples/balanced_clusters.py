"""
Balanced clusters
=================

Divide customers into sales territories of nearly equal size and demand, with the same mix of branches.

Shows: `ConstrainedKMeans` with bounds on cluster sizes, total weights and group shares, the cost of each
limit, the same limits in a `PartitionProblem`, and the assignment of new customers with and without the
limits.

Bradley, Bennett & Demiriz, "Constrained k-means clustering", Microsoft Research 2000. The data are generated.
"""

import numpy as np
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.optimize import minimize
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

from moo_clustering import ConstrainedKMeans
from moo_clustering.constraints import ClusterSizes, ClusterWeights, GroupShares
from moo_clustering.encodings import MedoidEncoding
from moo_clustering.problems import PartitionProblem
from moo_clustering.visualization import plot_partition

rng = np.random.default_rng(0)
centers = [[0, 0], [9, 0], [0, 9], [9, 9]]
X, _ = make_blobs([110, 60, 40, 30], centers=centers, cluster_std=2.2, random_state=0)
demand = rng.lognormal(0, 0.5, len(X))
branch = np.where(rng.random(len(X)) < 0.3 + 0.04 * X[:, 0], "retail", "trade")
mean = demand.sum() / 4


def summary(name, labels):
    squares = sum(((X[labels == c] - X[labels == c].mean(axis=0)) ** 2).sum() for c in range(4))
    retail = [float((branch[labels == c] == "retail").mean().round(2)) for c in range(4)]
    loads = np.bincount(labels, demand).round().astype(int)
    print(f"{name:14s} {squares:6.0f}  sizes {np.bincount(labels)}  demand {loads}  retail {retail}")


free = KMeans(4, n_init=10, random_state=0).fit(X).labels_
sized = ConstrainedKMeans(4, min_cluster_size=50, max_cluster_size=70, random_state=0).fit(X)
loaded = ConstrainedKMeans(
    4, min_cluster_weight=0.9 * mean, max_cluster_weight=1.1 * mean, n_init=3, random_state=0
).fit(X, weight=demand)
fair = ConstrainedKMeans(4, min_group_ratio=0.9, max_group_ratio=1.1, n_init=3, random_state=0)
fair.fit(X, groups=branch)
summary("k-means", free)
summary("equal sizes", sized.labels_)
summary("equal demand", loaded.labels_)
summary("equal mix", fair.labels_)

# %%
# Assign new customers to the nearest centre, or to territories within the same limits.
new, _ = make_blobs([150, 30, 30, 30], centers=centers, cluster_std=2.2, random_state=1)
print("nearest", np.bincount(sized.predict(new)))
print("within limits", np.bincount(sized.predict(new, within_limits=True)))

# %%
# With several objectives, pass the same limits to a problem. Each limit becomes a column of the constraint
# values ``G``.
limits = [
    ClusterSizes(45, 75),
    ClusterWeights(demand, 0.7 * mean, 1.3 * mean, name="demand"),
    GroupShares(branch, 0.3, 1.8, name="branch"),
]
encoding = MedoidEncoding(X, k_max=4, k_min=4)
problem = PartitionProblem(X, encoding, ["deviation", "connectivity"], limits=limits)
result = minimize(problem, NSGA2(60, **problem.operators(NSGA2)), ("n_gen", 60), seed=1)
print(problem.constraint_names, f"{len(result.F)} partitions within the limits")
summary("front", problem.decode(result.X)[result.F[:, 0].argmin()])
plot_partition(X, sized.labels_, title="Territories of 50 to 70 customers", path="balanced_clusters.png")
