"""
Genetic algorithm on the integrated likelihood
==============================================

A single objective, the exact integrated classification likelihood, also determines the number of clusters. A
child starts from the intersections of its parents' clusters, which are merged greedily. Then single samples
are moved.

Shows: the local search of an index, used by a crossover and a mutation for labels in pymoo's GA; the control
is greedy merging alone, from one k-means partition into 20 clusters.

Côme, Jouvin, Latouche & Bouveyron, "Hierarchical clustering with discrete latent variable models and the
integrated classification likelihood", Advances in Data Analysis and Classification 15, 2021. The data set
is wine.
"""

import numpy as np
from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.core.crossover import Crossover
from pymoo.core.mutation import Mutation
from pymoo.core.sampling import Sampling
from pymoo.optimize import minimize
from sklearn.datasets import load_wine
from sklearn.metrics import adjusted_rand_score

from moo_clustering.encodings import LabelEncoding
from moo_clustering.problems import PartitionProblem
from moo_clustering.validity import IntegratedClassificationLikelihood
from moo_clustering.visualization import plot_partition

X, y = load_wine(return_X_y=True)
index = IntegratedClassificationLikelihood("gaussian").fit(X)


def merged(labels, siblings=None):
    levels, icl = index.merge(labels, siblings=siblings)
    return levels[icl.argmax()]


class MergedKMeans(Sampling):
    def _do(self, problem, n_samples, random_state=None, **kwargs):
        return np.array([merged(index.start(20, random_state=random_state)) for _ in range(n_samples)])


class CrossPartitions(Crossover):
    def __init__(self):
        super().__init__(2, 1, prob=1.0)

    def _do(self, problem, parents, random_state=None, **kwargs):
        children = parents[:1].copy()
        for i in range(parents.shape[1]):
            cells, pieces = np.unique(parents[:, i], axis=1, return_inverse=True)
            siblings = (cells[:, :, None] == cells[:, None]).any(axis=0)
            child = merged(pieces.reshape(-1), siblings)
            children[0, i] = index.swap(child, random_state=random_state)
        return children


class SplitCluster(Mutation):
    def _do(self, problem, genes, random_state=None, **kwargs):
        for i, row in enumerate(genes):
            k = row.max() + 1
            half = (row == random_state.integers(k)) & (random_state.random(len(row)) < 0.5)
            labels = np.unique(np.where(half, k, row), return_inverse=True)[1].reshape(-1)
            genes[i] = index.swap(labels, random_state=random_state)
        return genes


problem = PartitionProblem(X, LabelEncoding(len(X), k_max=30, k_min=1), index)
parts = problem.operators(GA) | {
    "sampling": MergedKMeans(),
    "crossover": CrossPartitions(),
    "mutation": SplitCluster(prob=0.25),
    "eliminate_duplicates": False,  # children are often equal after a local search
}
result = minimize(problem, GA(pop_size=20, **parts), ("n_gen", 10), seed=1)
evolved = problem.decode(result.X)[0]

control = merged(index.start(20, random_state=1))
for name, labels in (("greedy merging alone", control), ("genetic algorithm", evolved)):
    print(
        f"{name}: {labels.max() + 1} clusters, negative log-likelihood {-index.evaluate(labels)[0]:.1f}, "
        f"ARI {adjusted_rand_score(y, labels):.3f}"
    )
plot_partition(X, evolved, path="integrated_likelihood.png")
