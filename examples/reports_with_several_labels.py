"""
Reports with several labels
===========================

Classify reports with several labels each, few of which are known, and examine the clusters.

Shows: SISC-ML after a feature selection on labelled reports only, the macro AUC on reports that were not in
the fit, a linear model for comparison (which is better here, as it usually is), both stacked, and the leading
words of a cluster.
"""

import numpy as np
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline

from moo_clustering import SISC, InformationGainSelector, SISCStacked
from moo_clustering.validity import macro_auc, mean_roc_curve
from moo_clustering.visualization import plot_roc

rng = np.random.default_rng(0)
n, n_words, n_labels, n_kinds = 1200, 600, 5, 9
words = np.array([f"word{j}" for j in range(n_words)])
# Every kind of report has its own words and labels.
label_sets = np.array([rng.permutation([1, 1, 0, 0, 0]) for _ in range(n_kinds)])
chance = np.full((n_kinds, n_words), 0.02)
for row in chance:
    row[rng.choice(n_words, 40, replace=False)] = 0.3
kind = rng.integers(n_kinds, size=n)
X = csr_array((rng.random((n, n_words)) < chance[kind]).astype(float))
Y = label_sets[kind].astype(int)

train, test = np.arange(n) < 800, np.arange(n) >= 800
y = Y.copy()
y[60:] = -1  # rows of -1 are unlabelled
known = train & (y[:, 0] >= 0)

reports = make_pipeline(
    InformationGainSelector(n_features=300),
    SISC(n_clusters=20, random_state=0),
).fit(X[train], y[train])
linear = OneVsRestClassifier(LogisticRegression()).fit(X[known], Y[known])
stacked = SISCStacked(SISC(n_clusters=20), random_state=0).fit(X[train], y[train])

print(f"{known.sum()} labelled and {np.count_nonzero(train & ~known)} unlabelled reports to learn from")
curves = {}
for name, model in (("SISC-ML", reports), ("logistic regression", linear), ("stacked", stacked)):
    scores = model.predict_proba(X[test])
    curves[name] = mean_roc_curve(Y[test], scores)
    print(f"macro AUC of {name}: {macro_auc(Y[test], scores):.3f}")
print(f"weight of SISC-ML in the stack: {stacked.weight_:.1f}")

selector, sisc = reports[0], reports[-1]
names = words[selector.get_support()]
purest = sisc.impurities_.argmin()
print("labels of the purest cluster:", sisc.class_shares_[purest].round(2))
print("its leading words:", *sisc.leading_features(6, names)[purest])
plot_roc(curves, path="reports_with_several_labels.png")
