"""
Bags of instances
=================

Cluster bags, which are samples that consist of several instances, such as patients with several lesions.

Shows: generated bags with outlying instances, `ParetoBagClustering` with an unknown number of clusters,
NSGA-II with two indices and a minimum cluster size, the front, and the result without this minimum.
"""

import numpy as np
from pymoo.algorithms.moo.nsga2 import NSGA2
from sklearn.metrics import adjusted_rand_score

from moo_clustering import ParetoBagClustering
from moo_clustering.algorithms import evolve
from moo_clustering.bags import BagTransformer
from moo_clustering.datasets import make_bags
from moo_clustering.operators import PartitionSampling
from moo_clustering.problems import BagPartitionProblem
from moo_clustering.visualization import plot_bag_distances, plot_bag_embedding, plot_front

table = make_bags(80, 3, bag_std=3.0, instance_std=2.0, outlying=0.05, random_state=0)
bags = BagTransformer().fit_transform(table.bags)
print(f"{table.n_bags} bags of {len(bags.instances)} instances")

model = ParetoBagClustering(random_state=0).fit(bags)
print(model.summary())
print(f"agreement with the clusters generated: {adjusted_rand_score(table.labels, model.labels_):.2f}")
plot_bag_embedding(bags, model.labels_, path="bags_map.png")

# %%
# Plot the distances between all bags, in the order of the clusters.

plot_bag_distances(bags, model.labels_, path="bags_distances.png")

# %%
# Cluster the same bags by two indices. No partition on the front is better than another in both indices. The
# knee is nearly as good as the best partition by each index.


def front(bags, least):
    """Objectives with original signs and partitions, by the Davies-Bouldin index."""
    problem = BagPartitionProblem(bags, 3, ["bag_davies_bouldin", "bag_silhouette"], min_cluster_size=least)
    operators = problem.operators(NSGA2) | {"sampling": PartitionSampling()}
    result = evolve(problem, NSGA2(pop_size=40, **operators), n_gen=40, seed=1)
    order = np.argsort(result.F[:, 0])
    return problem.natural(result.F[order]), problem.decode(result.X[order])


F, partitions = front(bags, 8)
spread = np.abs(F - [F[:, 0].min(), F[:, 1].max()]) / np.maximum(np.ptp(F, axis=0), 1e-12)
knee = spread.sum(axis=1).argmin()
score = adjusted_rand_score(table.labels, partitions[knee])
print(f"{len(F)} solutions; the knee has sizes {np.bincount(partitions[knee])}, agreement {score:.2f}")
plot_front(F, ["Davies-Bouldin", "silhouette"], knee, path="bags_front.png")

# %%
# If clusters overlap, the index prefers single-bag clusters unless a minimum size excludes them.

wide = make_bags(80, 3, bag_std=5.0, instance_std=2.0, outlying=0.2, random_state=1)
for least in (1, 8):
    F, partitions = front(BagTransformer().fit_transform(wide.bags), least)
    print(f"least size {least}: Davies-Bouldin {F[0, 0]:.3f} with sizes {np.bincount(partitions[0])}")
