"""
Many constraints
================

Use hundreds of must-links and cannot-links in different ways, first without and then with wrong pairs.

Shows: pairs drawn from known classes, `ParetoClustering` with certain and with uncertain pairs, `PCKMeans`,
and a plot of the samples and their pairs.
"""

import numpy as np
from sklearn.datasets import make_moons
from sklearn.metrics import adjusted_rand_score

from moo_clustering import InconsistentConstraintsError, PairwiseConstraints, ParetoClustering, PCKMeans
from moo_clustering.visualization import plot_constraints

rng = np.random.default_rng(0)
X, classes = make_moons(300, noise=0.22, random_state=0)

# All pairs are drawn from 70% of the samples. The other samples are used to measure what the pairs add.
known = rng.permutation(len(X))[:210]
pairs = np.sort(rng.choice(known, size=(400, 2)), axis=1)
pairs = np.unique(pairs[pairs[:, 0] < pairs[:, 1]], axis=0)
same = classes[pairs[:, 0]] == classes[pairs[:, 1]]
free = np.setdiff1d(np.arange(len(X)), pairs)


def show(name, labels):
    """Print the agreement with the classes of the samples that are in no pair."""
    print(f"{name:28s} ARI {adjusted_rand_score(classes[free], labels[free]):.3f}")


model = ParetoClustering(2, scale="isotropic", random_state=0).fit(X)
show("without pairs", model.labels_)
right = {"must_link": pairs[same], "cannot_link": pairs[~same]}
model.relabel(**right)
show("all right", model.labels_)
show("PCKMeans", PCKMeans(2, random_state=0).fit(X, **right).labels_)

# %%
# Now one pair in ten is wrong. If pairs are treated as certain, contradictory pairs raise an error that lists
# them. Uncertain pairs are weighted instead.

flipped = same ^ (rng.random(len(same)) < 0.1)
wrong = {"must_link": pairs[flipped], "cannot_link": pairs[~flipped]}
try:
    ParetoClustering(2, scale="isotropic", random_state=0).fit(X, **wrong)
except InconsistentConstraintsError as error:
    print("rejected:", str(error).splitlines()[0][:90])
soft = ParetoClustering(2, scale="isotropic", pairs="soft", random_state=0).fit(X, **wrong)
show("one in ten wrong, uncertain", soft.labels_)

given = PairwiseConstraints(**right, n_samples=len(X))
print(f"{len(given.must_link)} must-links and {len(given.cannot_link)} cannot-links, all of them right")
plot_constraints(X, model.labels_, given, title="Pairs", path="many_constraints.png")
