"""
Few labels
==========

Compare methods that use few labels in different ways, with two, five and ten per cent of the labels.

Shows: `ParetoClustering` with partial labels, compared on the unlabelled samples with scikit-learn's label
spreading and a linear model, and classes without any label.
"""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import adjusted_rand_score
from sklearn.semi_supervised import LabelSpreading

from moo_clustering import ParetoClustering

rng = np.random.default_rng(0)
X, classes = load_digits(return_X_y=True)
order = rng.permutation(len(X))[:600]
X, classes = X[order] / 16, classes[order]
model = ParetoClustering(scale="isotropic", random_state=0).fit(X)

rows = {}
for percent in (2, 5, 10):
    y = np.full(len(X), -1)
    for digit in range(10):
        members = np.flatnonzero(classes == digit)
        y[rng.choice(members, max(1, round(percent / 100 * len(members))), replace=False)] = digit
    hidden = y < 0
    spreading = LabelSpreading(kernel="knn", n_neighbors=10, alpha=0.9, max_iter=300)
    found = {
        "pareto clustering": model.relabel(y).labels_,
        "label spreading": spreading.fit(X, y).transduction_,
        "logistic regression": LogisticRegression(max_iter=1000).fit(X[~hidden], y[~hidden]).predict(X),
    }
    rows[f"{percent}%"] = {
        name: adjusted_rand_score(classes[hidden], labels[hidden]) for name, labels in found.items()
    }
table = pd.DataFrame(rows).T
print(table.round(3))

# %%
# Only five digits have labels. The other digits are found as new clusters.

y[classes >= 5] = -1
novel = ParetoClustering(scale="isotropic", novel="allow", random_state=0).fit(X, y)
unknown = classes >= 5
print(f"{novel.n_clusters_} clusters with labels of 5 classes; ARI on digits without labels: ", end="")
print(f"{adjusted_rand_score(classes[unknown], novel.labels_[unknown]):.2f}")

figure = Figure(layout="constrained", figsize=(6, 4))
axes = figure.add_subplot(xlabel="labels", ylabel="ARI of unlabelled samples")
table.plot(ax=axes, marker="o")
figure.savefig("few_labels.png")
