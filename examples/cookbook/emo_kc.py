"""
EMO-KC: all numbers of clusters in one run
==========================================

The number of clusters and the sum of squares conflict, so a front contains the best partition for each
number.

Shows: two objectives as functions, medoids as centres, NSGA-II with an archive for all numbers of clusters;
the control is k-means with one start for each number of clusters.

Wang, Lai, Wu, Xing, Wang & Ishibuchi, "Multi-clustering via evolutionary multi-objective optimization",
Information Sciences 450, 2018. The data set is iris, for which no results from the paper were available.
"""

import numpy as np
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.optimize import minimize
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris

from moo_clustering.encodings import MedoidEncoding
from moo_clustering.problems import PartitionProblem
from moo_clustering.visualization import plot_front


def n_clusters(X, labels):
    return labels.max() + 1


def sum_of_squares(X, labels):
    return sum(((X[labels == c] - X[labels == c].mean(axis=0)) ** 2).sum() for c in np.unique(labels))


X = load_iris().data
problem = PartitionProblem(X, MedoidEncoding(X, k_max=10), [(n_clusters, "min"), (sum_of_squares, "min")])
result = minimize(problem, NSGA2(pop_size=60, **problem.operators(NSGA2)), ("n_gen", 60), seed=1)

print(" k  EMO-KC  k-means (sums of squares)")
for k in np.unique(result.F[:, 0]):
    evolved = result.F[result.F[:, 0] == k, 1].min()
    control = KMeans(int(k), n_init=1, random_state=0).fit(X).inertia_
    print(f"{k:2.0f} {evolved:7.2f} {control:8.2f}")
order = np.argsort(result.F[:, 0])
plot_front(result.F[order], problem.objective_names, path="emo_kc.png")
