"""
Which method is better, over many data sets?
============================================

Compare six clusterers on twenty generated data sets by ranks, Friedman's test and Shaffer's procedure.

Shows: a table of scores, the few conclusions that the scores support, and the critical difference diagram.
"""

import numpy as np
import pandas as pd
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture

from moo_clustering import SpectralGraphClustering
from moo_clustering.stats import compare
from moo_clustering.visualization import plot_critical_difference

sets = {}
for seed in range(6):
    sets[f"blobs {seed}"] = make_blobs(200, centers=3 + seed, cluster_std=1.5, random_state=seed)
    sets[f"moons {seed}"] = make_moons(200, noise=0.05 + 0.03 * seed, random_state=seed)
    X, y = make_blobs(200, centers=4, random_state=10 + seed)
    sets[f"stretched {seed}"] = X @ np.array([[0.6, -0.6], [-0.4, 0.8]]), y
for seed in range(2):
    sets[f"circles {seed}"] = make_circles(200, noise=0.04, factor=0.5, random_state=seed)

methods = {
    "kNN graph": lambda k: SpectralGraphClustering(k, graph="knn", random_state=0),
    "water-filling": lambda k: SpectralGraphClustering(k, graph="waterfill", random_state=0),
    "k-means": lambda k: KMeans(k, n_init=5, random_state=0),
    "Ward": lambda k: AgglomerativeClustering(k),
    "single link": lambda k: AgglomerativeClustering(k, linkage="single"),
    "mixture": lambda k: GaussianMixture(k, n_init=3, random_state=0),
}
scores = pd.DataFrame(
    {
        name: {
            key: adjusted_rand_score(y, make(len(np.unique(y))).fit_predict(X))
            for key, (X, y) in sets.items()
        }
        for name, make in methods.items()
    }
)
print(scores.round(2))

outcome = compare(scores, greater_is_better=True)
print(outcome.average_ranks.round(2))
print(*outcome.conclusions, sep="\n")
plot_critical_difference(scores, greater_is_better=True, path="compare_methods.png")
