"""
A map of clusterings
====================

Instead of one partition or a front, the result is an archive with the best partition for each number of
clusters and each degree of evenness. A user can then look up "five clusters, none of them small".

Shows: MAP-Elites over medoids, two descriptors, a plot of the archive; the control is k-means with the same
cells and the same number of scored partitions.

Mouret & Clune, "Illuminating search spaces by mapping elites", arXiv:1504.04909, 2015. The data set is iris.
"""

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.preprocessing import scale

from moo_clustering.algorithms import MapElites, evolve
from moo_clustering.encodings import LabelEncoding, MedoidEncoding, relabel_by_first_appearance
from moo_clustering.problems import PartitionProblem
from moo_clustering.visualization import plot_archive

X = scale(load_iris().data)
problem = PartitionProblem(X, MedoidEncoding(X, k_max=10), "silhouette")
algorithm = MapElites(descriptors=["n_clusters", "evenness"], **problem.operators(MapElites))
archive = evolve(problem, algorithm, n_gen=9, seed=1).algorithm.archive_

# The control sorts the partitions of 1,000 k-means runs into the same cells.
runs = [KMeans(2 + i % 9, n_init=1, random_state=i).fit_predict(X) for i in range(1000)]
genes = relabel_by_first_appearance(np.array(runs))
by_labels = PartitionProblem(X, LabelEncoding(len(X), 10, k_min=2), "silhouette")
sorting = MapElites(pop_size=1000, sampling=genes, eliminate_duplicates=False)
control = evolve(by_labels, sorting, n_gen=0).algorithm.archive_

for name, one in (("MAP-Elites", archive), ("k-means", control)):
    best = ", ".join(f"{one.quality[one.best(n_clusters=k)]:.3f}" for k in range(2, 11))
    print(f"{name}: share of cells {one.coverage:.3f}, best silhouettes for 2 to 10 clusters {best}")
uneven = archive.best(n_clusters=3, evenness=0.65)
print(f"three clusters of uneven sizes: {np.bincount(archive.labels[uneven])}, {archive.quality[uneven]:.3f}")
plot_archive(archive, title="iris", path="map_elites.png")
