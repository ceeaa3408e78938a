"""
F-EAC: split and merge guided by cluster quality
================================================

There is no crossover. A mutation splits or dissolves clusters of low quality, and k-means improves the child.

Shows: a custom mutation with local search, the simplified silhouette as a function, pymoo's GA; the control
is the best of 200 k-means runs by the same index.

Alves, Campello & Hruschka, "Towards a fast evolutionary algorithm for clustering", IEEE CEC, 2006; Hruschka
et al., "A survey of evolutionary algorithms for clustering", IEEE TSMC-C 39(2), 2009. The data are generated.
"""

import numpy as np
from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.core.crossover import Crossover
from pymoo.core.mutation import Mutation
from pymoo.optimize import minimize
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from moo_clustering.encodings import LabelEncoding
from moo_clustering.problems import PartitionProblem
from moo_clustering.visualization import plot_partition

X, y = make_blobs(400, centers=12, cluster_std=0.9, center_box=(-9, 9), random_state=4)


def distances(labels):
    means = np.array([X[labels == c].mean(axis=0) for c in np.unique(labels)])
    return np.linalg.norm(X[:, None] - means, axis=2)


def sample_quality(labels):
    """Silhouette with distances to means in place of mean distances."""
    D = distances(labels)
    own = np.take_along_axis(D, labels[:, None], axis=1)[:, 0]
    np.put_along_axis(D, labels[:, None], np.inf, axis=1)
    other = D.min(axis=1)
    return (other - own) / np.maximum(other, own)


def simplified_silhouette(X, labels):
    return sample_quality(labels).mean()


class SplitEliminateImprove(Mutation):
    def _do(self, problem, genes, random_state=None, **kwargs):
        for i, labels in enumerate(problem.decode(genes)):
            if labels.max() > 1:
                quality = sample_quality(labels)
                worse = 1.0 - np.array([quality[labels == c].mean() for c in range(labels.max() + 1)])
                cluster = random_state.choice(len(worse), p=worse / worse.sum())
                if random_state.random() < 0.5:
                    left = distances(labels)
                    left[:, cluster] = np.inf
                    labels = np.where(labels == cluster, left.argmin(axis=1), labels)
                else:
                    far = distances(labels)[:, cluster] > np.median(
                        distances(labels)[labels == cluster, cluster]
                    )
                    labels = np.where((labels == cluster) & far, labels.max() + 1, labels)
            for _ in range(2):
                labels = distances(np.unique(labels, return_inverse=True)[1]).argmin(axis=1)
            genes[i] = problem.encoding.encode(labels[None])[0]
        return genes


problem = PartitionProblem(X, LabelEncoding(len(X), k_max=20, k_min=2), (simplified_silhouette, "max"))
parts = problem.operators(GA) | {
    "crossover": Crossover(1, 1, prob=0.0),
    "mutation": SplitEliminateImprove(prob=1.0),
}
result = minimize(problem, GA(pop_size=20, **parts), ("n_gen", 40), seed=1)
evolved = problem.decode(result.X)[0]

rng = np.random.default_rng(0)
runs = [
    KMeans(int(rng.integers(2, 21)), n_init=1, init="random", random_state=i).fit_predict(X)
    for i in range(200)
]
control = max(runs, key=lambda labels: simplified_silhouette(X, labels))
for name, labels in (("best of 200 k-means", control), ("F-EAC", evolved)):
    value, ari = simplified_silhouette(X, labels), adjusted_rand_score(y, labels)
    print(f"{name}: {labels.max() + 1} clusters, simplified silhouette {value:.4f}, ARI {ari:.3f}")
plot_partition(X, evolved, path="f_eac.png")
