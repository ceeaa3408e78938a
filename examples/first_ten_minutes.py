"""
First ten minutes
=================

Run the recommended method on a table with an unknown number of clusters, and then with a few labels.

Shows: the result and its reliability, other good partitions, classes from six labels, the report, and the
samples in the plane.
"""

import numpy as np
from sklearn.datasets import load_wine
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import scale

from moo_clustering import ParetoClustering
from moo_clustering.visualization import plot_partition

X, classes = load_wine(return_X_y=True)
model = ParetoClustering(random_state=0).fit(X)
print(model.summary())
print(f"agreement with the cultivars: {adjusted_rand_score(classes, model.labels_):.2f}")

# %%
# The model stores other good partitions that differ from each other. The first has two clusters, which most
# algorithm families find.

two = model.choose("alternative-0").labels_
print(f"two clusters: agreement with the cultivars {adjusted_rand_score(classes, two):.2f}")
three = model.relabel(n_clusters=3).labels_
print(f"three clusters: agreement with the cultivars {adjusted_rand_score(classes, three):.2f}")

# %%
# Two labels per class change the weights of the partitions in the pool. No partition is recomputed.

partly = np.full(len(X), -1)
partly[[0, 10, 70, 80, 140, 150]] = classes[[0, 10, 70, 80, 140, 150]]
model.relabel(partly)
hidden = partly < 0
print(f"six labels: ARI {adjusted_rand_score(classes[hidden], model.labels_[hidden]):.2f} on all others")

page = model.report("wine.html", X=X, y=partly)
plot_partition(scale(X), model.labels_, title="Wine, by six labels", path="first_ten_minutes.png")
print("open", page.path.name, "in a browser to compare the solutions")
