"""
A similarity graph found by evolution
=====================================

Compare Pareto-ensemble spectral clustering with conventional graphs.

Shows: `PESC`, its three ensembles from a single search, the gain over the first generation, four
`SpectralGraphClustering` graphs, and the similarity matrix in cluster order.
"""

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_wine
from sklearn.preprocessing import minmax_scale

from moo_clustering import PESC, SpectralGraphClustering
from moo_clustering.validity import clustering_accuracy
from moo_clustering.visualization import plot_similarity

X, classes = load_wine(return_X_y=True)
# Shuffle the rows, so that their order does not reveal the classes.
order = np.random.default_rng(0).permutation(len(X))
X, classes = minmax_scale(X[order]), classes[order]

model = PESC(n_clusters=3, random_state=0).fit(X)
print(f"PESC: accuracy {clustering_accuracy(classes, model.labels_):.3f}")
for rule in ("es1", "es2", "es3"):
    print(f"  ensemble {rule}: {clustering_accuracy(classes, model.choose(rule).labels_):.3f}")
model.choose("es2")

start = PESC(n_clusters=3, n_gen=0, random_state=0).fit(X)
print(f"generation 0, without evolution: {clustering_accuracy(classes, start.labels_):.3f}")
for graph in ("knn", "mutual_knn", "full", "waterfill"):
    labels = SpectralGraphClustering(3, graph=graph, random_state=0).fit(X).labels_
    print(f"graph {graph}: {clustering_accuracy(classes, labels):.3f}")
labels = KMeans(3, n_init=10, random_state=0).fit(X).labels_
print(f"k-means: {clustering_accuracy(classes, labels):.3f}")

plot_similarity(
    model.similarity_,
    model.labels_,
    title="PESC on wine",
    path="pesc_similarity.png",
)
