"""
Grouping genetic algorithm
==========================

The crossover injects whole clusters of one parent into the other, because a partition consists of groups.

Shows: a custom crossover and mutation for labels, a single objective in pymoo's GA; the control is k-means
with the number of clusters that is best by the same index.

Falkenauer, "Genetic algorithms and grouping problems", Wiley, 1998; Agustin-Blas et al., "A new grouping
genetic algorithm for clustering problems", Expert Systems with Applications 39(10), 2012. The data
set is iris, and the index is the silhouette.
"""

import numpy as np
from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.core.crossover import Crossover
from pymoo.core.mutation import Mutation
from pymoo.optimize import minimize
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score

from moo_clustering.encodings import LabelEncoding
from moo_clustering.problems import PartitionProblem
from moo_clustering.visualization import plot_partition

X, y = load_iris(return_X_y=True)


def nearest_mean(labels, free):
    """Assign unassigned samples to the cluster with the nearest mean."""
    groups = np.unique(labels[~free])
    means = np.array([X[(labels == g) & ~free].mean(axis=0) for g in groups])
    labels[free] = groups[((X[free, None] - means) ** 2).sum(axis=2).argmin(axis=1)]
    return np.unique(labels, return_inverse=True)[1]


class InjectGroups(Crossover):
    def __init__(self):
        super().__init__(2, 2, prob=0.9)

    def _do(self, problem, parents, random_state=None, **kwargs):
        children = parents.copy()
        for (host, donor), pair in (
            (order, p) for order in ((0, 1), (1, 0)) for p in range(parents.shape[1])
        ):
            labels, other = parents[host, pair].astype(int), parents[donor, pair].astype(int)
            groups = np.unique(other)
            injected = np.isin(other, random_state.choice(groups, random_state.integers(1, len(groups) + 1)))
            # Groups of the host that lose samples are dissolved, and their remaining samples become
            # unassigned.
            hit = np.isin(labels, labels[injected]) & ~injected
            child = np.where(injected, other + 100, labels)
            children[host, pair] = np.minimum(nearest_mean(child, hit), 9)
        return children


class SplitMergeOrMove(Mutation):
    def _do(self, problem, genes, random_state=None, **kwargs):
        for i, row in enumerate(genes):
            if random_state.random() < 0.5:
                genes[i] = nearest_mean(row.astype(int), random_state.random(len(row)) < 0.5)
                continue
            a, b = random_state.choice(np.unique(row), 2)
            if a != b:
                row[row == a] = b
            else:
                members = np.flatnonzero(row == a)
                cut = X[members] @ random_state.normal(size=X.shape[1])
                row[members[cut > np.median(cut)]] = random_state.integers(10)
        return genes


problem = PartitionProblem(X, LabelEncoding(len(X), k_max=10, k_min=2), "silhouette")
parts = problem.operators(GA) | {"crossover": InjectGroups(), "mutation": SplitMergeOrMove(prob=0.5)}
result = minimize(problem, GA(pop_size=40, **parts), ("n_gen", 40), seed=1)
evolved = problem.decode(result.X)[0]

runs = np.array([KMeans(k, n_init=10, random_state=0).fit_predict(X) for k in range(2, 11)])
control = runs[problem.indices[0].evaluate(runs).argmax()]
for name, labels in (("k-means, k by silhouette", control), ("grouping GA", evolved)):
    value = problem.indices[0].evaluate(labels)[0]
    print(
        f"{name}: {labels.max() + 1} clusters, silhouette {value:.4f}, "
        f"ARI {adjusted_rand_score(y, labels):.3f}"
    )
plot_partition(X, evolved, path="grouping_ga.png")
