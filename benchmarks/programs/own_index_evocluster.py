"""An index and a mutation of one's own: EvoCluster, by one sum of the two objectives."""

import random

import numpy as np
from EvoCluster.optimizers import CGA
from scipy.spatial.distance import cdist
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score, silhouette_score
from sklearn.preprocessing import minmax_scale

X, y = make_blobs(150, centers=4, random_state=3)
points = minmax_scale(X)


def values(labels):
    width = max(np.ptp(X[labels == c], axis=0).max() for c in np.unique(labels))
    return width, silhouette_score(X, labels) if np.ptp(labels) else -1.0


def width_and_silhouette(centres, points, k):
    labels = cdist(points, centres).argmin(axis=1)
    width, silhouette = values(labels)
    return width - silhouette, labels


def jump(genes, length, low, high):
    for centre in range(0, length, 2):
        if random.random() < 0.1:
            genes[centre : centre + 2] = random.choice(points)


random.seed(1)
np.random.seed(1)  # noqa: NPY002 - the library draws from it
CGA.mutation = jump
solution = CGA.GA(width_and_silhouette, 0, 1, 12, 40, 30, 6, points, "euclidean")
print("ARI", adjusted_rand_score(y, solution.labelsPred), *values(solution.labelsPred))
