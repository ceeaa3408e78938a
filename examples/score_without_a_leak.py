"""
Score options without a leak
============================

`fit(X, y)` uses the labels, so a score against the same labels only measures how closely the fit follows
them.

Shows: why `cross_val_score` is misleading, and a comparison of options on folds of hidden labels instead.
"""

import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import KFold, ParameterGrid
from sklearn.preprocessing import StandardScaler

from moo_clustering import PCKMeans
from moo_clustering.visualization import plot_partition

X, y = load_wine(return_X_y=True)
X = StandardScaler().fit_transform(X)


def hidden_label_scores(estimator, X, y, cv=5):
    """Hide the labels of each fold in turn, fit to all samples, and score the samples with hidden labels."""
    known, scores = np.flatnonzero(y >= 0), []
    for _, fold in KFold(cv, shuffle=True, random_state=0).split(known):
        shown = y.copy()
        shown[known[fold]] = -1
        labels = clone(estimator).fit(X, shown).labels_
        scores.append(adjusted_rand_score(y[known[fold]], labels[known[fold]]))
    return np.array(scores)


# The labels of 30 samples are known.
few = np.where(np.isin(np.arange(len(y)), np.random.default_rng(0).choice(len(y), 30, replace=False)), y, -1)
known = few >= 0
for options in ParameterGrid({"n_clusters": [2, 3, 4, 6]}):
    model = PCKMeans(random_state=0, **options)
    labels = clone(model).fit(X, few).labels_
    seen = adjusted_rand_score(few[known], labels[known])
    hidden = hidden_label_scores(model, X, few).mean()
    truth = adjusted_rand_score(y[~known], labels[~known])
    print(f"{options}: labels seen {seen:.3f}, labels hidden {hidden:.3f}; all others {truth:.3f}")
plot_partition(X, PCKMeans(3, random_state=0).fit(X, few), path="score_without_a_leak.png")
