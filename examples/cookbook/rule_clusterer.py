"""
Rules as genes
==============

Every triple of genes splits a cluster at a feature threshold, so each cluster is defined by a rule. The front
shows the trade-off between the within-cluster sum of squares and the number of conditions.

Shows: a custom encoding, two functions as objectives, NSGA-II; the control is k-means with the same number of
clusters, explained by the best ``find_rules`` tree with the same number of conditions.

The trade-off is that of Dasgupta, Frost, Moshkovitz & Rashtchian, "Explainable k-means and k-medians
clustering", ICML 2020. The data are included in scikit-learn.
"""

import numpy as np
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.optimize import minimize
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import scale

from moo_clustering.encodings import Encoding, relabel_by_first_appearance
from moo_clustering.problems import PartitionProblem
from moo_clustering.rules import find_rules
from moo_clustering.visualization import plot_front

n_cuts = 4


class Cuts(Encoding):
    """Genes of every cut: the divided cluster, the feature, and the rank of the threshold."""

    def __init__(self, X):
        self.ranks = np.array([np.unique(column, return_inverse=True)[1] for column in X.T])
        self.n_samples, self.n_var = len(X), 3 * n_cuts

    def bounds(self):
        last = [[cut, len(self.ranks) - 1, self.ranks.max()] for cut in range(n_cuts)]
        return np.zeros(self.n_var, dtype=int), np.ravel(last)

    def decode(self, X):
        labels = np.zeros((len(X), self.n_samples), dtype=int)
        for cut in range(n_cuts):
            cluster, feature, rank = X[:, 3 * cut : 3 * cut + 3].astype(int).T[:, :, None]
            labels[(labels == cluster) & (self.ranks[feature[:, 0]] > rank)] = cut + 1
        return relabel_by_first_appearance(labels)


def within(X, labels):
    """Share of the sum of squares within clusters."""
    means = np.array([X[labels == c].mean(axis=0) for c in range(labels.max() + 1)])
    return ((X - means[labels]) ** 2).sum() / ((X - X.mean(axis=0)) ** 2).sum()


objectives = [(within, "min"), ("conditions", lambda X, labels: labels.max(), "min")]
for name, load in (("iris", load_iris), ("wine", load_wine)):
    X = scale(load().data)
    best = np.ones((2, 5, n_cuts))  # shares for cuts and explained k-means, by seed and number of conditions
    for seed in range(5):
        problem = PartitionProblem(X, Cuts(X), objectives)
        result = minimize(problem, NSGA2(50, **problem.operators(NSGA2)), ("n_gen", 50), seed=seed)
        for value, n_conditions in result.F:
            later = best[0, seed, int(n_conditions) - 1 :]
            np.minimum(later, value, out=later)
        for n_conditions in range(1, n_cuts + 1):
            labels = KMeans(n_conditions + 1, n_init=10, random_state=seed).fit_predict(X)
            cells = find_rules(labels, X, max_conditions=n_conditions)[-1].predict(X)
            best[1, seed, n_conditions - 1] = within(X, np.unique(cells, return_inverse=True)[1])
    for method, runs in zip(("cuts", "explained k-means"), best, strict=True):
        values = [f"{m:.3f} ± {s:.3f}" for m, s in zip(runs.mean(axis=0), runs.std(axis=0), strict=True)]
        print(f"{name}, {method}: share within clusters for 1 to 4 conditions: {', '.join(values)}")
plot_front(problem.natural(result.F), problem.objective_names, path="rule_clusterer.png")
