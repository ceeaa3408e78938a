"""
Bags, two objectives
====================

Cluster bags of instances by two indices at once, and choose from the front.

Shows: generated bags with outlying instances, scaled over all instances, the Davies-Bouldin index against
the silhouette with a least cluster size as a constraint, the operators that suit the problem, one of them
replaced, and the knee of the front.
"""

import numpy as np
from pymoo.algorithms.moo.nsga2 import NSGA2

from moo_clustering.algorithms import evolve
from moo_clustering.bags import BagTransformer
from moo_clustering.datasets import make_bags
from moo_clustering.operators import PartitionSampling
from moo_clustering.problems import BagPartitionProblem
from moo_clustering.validity import clustering_accuracy
from moo_clustering.visualization import plot_bag_embedding

table = make_bags(80, 3, bag_std=3.0, instance_std=2.0, outlying=0.05, random_state=0)
bags = BagTransformer().fit_transform(table.bags)

problem = BagPartitionProblem(bags, 3, ["bag_davies_bouldin", "bag_silhouette"], min_cluster_size=8)
operators = problem.operators() | {"sampling": PartitionSampling()}
result = evolve(problem, NSGA2(pop_size=40, **operators), n_gen=40, seed=1)

order = np.argsort(result.F[:, 0])
F, partitions = result.F[order], problem.decode(result.X[order])
spread = np.ptp(F, axis=0)
knee = ((F - F.min(axis=0)) / np.where(spread > 0, spread, 1)).sum(axis=1).argmin()

print("Davies-Bouldin  silhouette  sizes")
for row, (values, labels) in enumerate(zip(problem.natural(F), partitions, strict=True)):
    mark = "  <- knee" if row == knee else ""
    print(f"{values[0]:14.3f}  {values[1]:10.3f}  {np.bincount(labels)}{mark}")
print("labels:", *partitions[knee], sep="")
print(f"accuracy of the knee: {clustering_accuracy(table.labels, partitions[knee]):.2f}")
plot_bag_embedding(bags, partitions[knee], path="bags_two_objectives.png")
