"""
VAMOSA: symmetry by annealing
=============================

Simulated annealing optimises sets of any number of medoids for compactness and for symmetry about the
centres.

Shows: AMOSA over medoids, a custom symmetry index and Xie-Beni; the control is k-means with the number of
clusters that is best by the symmetry index.

Saha & Bandyopadhyay, "A symmetry based multiobjective clustering technique for automatic evolution of
clusters", Pattern Recognition 43(3), 2010. The long ellipses are generated; the paper has no results
for them.
"""

import numpy as np
from pymoo.optimize import minimize
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import KDTree

from moo_clustering.algorithms import AMOSA
from moo_clustering.encodings import MedoidEncoding
from moo_clustering.problems import PartitionProblem
from moo_clustering.visualization import plot_partition

rng = np.random.default_rng(0)
long, wide = rng.normal(size=(120, 2)) * [4, 0.4], rng.normal(size=(120, 2)) * [0.4, 4] + [12, 0]
X = np.vstack([long, wide, rng.normal([6, 9], size=(60, 2))])
y = np.repeat([0, 1, 2], [120, 120, 60])
tree = KDTree(X)
SPREAD = tree.query(X, k=2)[0][:, 1].max()


def symmetry(X, labels):
    """Sym index: greatest distance of two means over k times the sum of distances by symmetry."""
    means = np.array([X[labels == c].mean(axis=0) for c in np.unique(labels)])
    centre = means[labels]
    # Mean distance from the mirrored sample to its two nearest samples, times the distance to the centre.
    mirrored = tree.query(2 * centre - X, k=2)[0].mean(axis=1)
    total = (mirrored * np.linalg.norm(X - centre, axis=1)).sum()
    return np.linalg.norm(means[:, None] - means, axis=2).max() / (len(means) * total)


problem = PartitionProblem(X, MedoidEncoding(X, k_max=8), [(symmetry, "max"), "xie_beni"])
algorithm = AMOSA(soft_limit=40, hard_limit=20, n_climb=5, n_moves=20, **problem.operators(AMOSA))
result = minimize(problem, algorithm, seed=1)
front, values = problem.decode(result.X), problem.natural(result.F)[:, 0]
chosen = front[values.argmax()]

control = max(
    (KMeans(k, n_init=5, random_state=0).fit_predict(X) for k in range(2, 9)), key=lambda c: symmetry(X, c)
)
for name, labels in (("k-means, k by symmetry", control), ("VAMOSA", chosen)):
    ari = adjusted_rand_score(y, labels)
    print(f"{name}: {labels.max() + 1} clusters, symmetry {symmetry(X, labels):.5f}, ARI {ari:.3f}")
plot_partition(X, chosen, path="vamosa.png")
