"""
Explore a front
===============

Examine a front of partitions, compare its solutions, and select one.

Shows: the front of `NSGA2Clus` with partial labels, the solution selected by each rule of ``choose``, the
agreement between the solutions, and a page for selecting a solution in a browser.
"""

import numpy as np
import pandas as pd
from sklearn.datasets import load_wine
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import scale

from moo_clustering import NSGA2Clus
from moo_clustering.visualization import plot_front

X, classes = load_wine(return_X_y=True)
X = scale(X)
partly = np.full(len(X), -1)
partly[::9] = classes[::9]

model = NSGA2Clus(k_max=6, metric="euclidean", pop_size=60, n_gen=60, random_state=0).fit(X, partly)
hidden = partly < 0
print(f"{len(model.pareto_front_)} solutions of {', '.join(model.objective_names_)}")
front = pd.DataFrame(model.pareto_front_, columns=model.objective_names_)
front["clusters"] = [len(np.unique(labels)) for labels in model.pareto_labels_]
front["ARI, hidden labels"] = [
    adjusted_rand_score(classes[hidden], labels[hidden]) for labels in model.pareto_labels_
]
print(front.sort_values("constraint_violation").head(8).round(3).to_string(index=False))

# %%
# No rule uses the hidden labels. Here, they show how good each selection is.

for rule in ("xb", "i", "knee", "constraints", "balanced"):
    labels = model.choose(rule).labels_
    score = adjusted_rand_score(classes[hidden], labels[hidden])
    print(f"{rule}: {model.n_clusters_} clusters, ARI {score:.2f}")

page = model.report("front.html", X=X, y=partly)
print(f"{page.path.name}: {page.path.stat().st_size // 1024} KiB, opens in any browser, without a network")
plot_front(model.pareto_front_, model.objective_names_, model.chosen_, path="explore_a_front.png")
