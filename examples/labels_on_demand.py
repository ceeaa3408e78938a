"""
Labels on demand
================

Ask repeatedly for the label of the least certain sample.

Shows: a fit without labels, its confidence and other good partitions; then labels one at a time, each of
which changes the weights of the partitions in the pool without a new fit.
"""

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score

from moo_clustering import ParetoClustering

X, classes = load_digits(return_X_y=True)
order = np.random.default_rng(0).permutation(len(X))[:500]
X, classes = X[order], classes[order]

# Every class will have labelled samples, so a cluster without labels is not a new class.
model = ParetoClustering(scale="isotropic", novel="none", random_state=0).fit(X)
print(f"without labels: {model.n_clusters_} clusters, ARI {adjusted_rand_score(classes, model.labels_):.3f}")
print(model.summary())

course = {}
known = np.full(len(X), -1)
for digit in range(10):
    # Begin with one labelled sample per class.
    sample = np.flatnonzero(classes == digit)[0]
    known[sample] = digit

for asked in range(31):
    model.relabel(known)
    hidden = known < 0
    if asked % 10 == 0:
        ari = adjusted_rand_score(classes[hidden], model.labels_[hidden])
        course[10 + asked] = ari
        print(f"{10 + asked} labels: ARI {ari:.3f} on the unlabelled samples")
    doubt = np.where(hidden, 1.0 - model.predict_proba_.max(axis=1), -1.0)
    least_known = doubt.argmax()
    known[least_known] = classes[least_known]

figure = Figure(layout="constrained", figsize=(6, 4))
axes = figure.add_subplot(xlabel="labels", ylabel="ARI of unlabelled samples")
axes.plot(*zip(*course.items(), strict=True), marker="o")
figure.savefig("labels_on_demand.png")
