"""
k-means with a low sum of squares
=================================

Compare a genetic algorithm, relocation of single centres, a Ward cut and restarts with the same budget.

Shows: `MemeticKMeans` with its controls on a grid of 100 clusters, and the sum of squares of the Ward cut
alone.
"""

import numpy as np
from sklearn.metrics import adjusted_rand_score

from moo_clustering import MemeticKMeans
from moo_clustering.visualization import plot_partition

rng = np.random.default_rng(0)
y = np.repeat(np.arange(100), 20)
centers = np.column_stack([np.arange(100) // 10, np.arange(100) % 10])
X = centers[y] + 0.2 * rng.standard_normal((len(y), 2))

for strategy in ("memetic", "swap", "ward", "multistart"):
    model = MemeticKMeans(100, strategy=strategy, max_distance_evaluations=60_000_000, random_state=0)
    model.fit(X)
    score = adjusted_rand_score(y, model.labels_)
    print(f"{strategy:10s} sum of squares {model.inertia_:7.2f}, ARI {score:.3f}")

model = MemeticKMeans(100, max_distance_evaluations=60_000_000, report_controls=True, random_state=0).fit(X)
best = min(model.control_inertia_, key=model.control_inertia_.get)
print(f"best of its controls, {best}: {model.control_inertia_[best]:.2f} instead of {model.inertia_:.2f}")
plot_partition(X, model.labels_, title="100 clusters", path="memetic_kmeans.png")
