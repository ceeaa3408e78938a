"""
Fuzzy clusters with NSGA-III
============================

The search optimises the centres of fuzzy clusters for compactness, separation and sharp memberships.

Shows: the fuzzy encoding of centres, indices and a function that use the memberships, NSGA-III; the control
is fuzzy c-means. The fuzzy silhouette selects from the front.

After Mukhopadhyay, Maulik & Bandyopadhyay, "Multiobjective genetic algorithm-based fuzzy clustering of
categorical attributes", IEEE Transactions on Evolutionary Computation 13(5), 2009, but with numeric features,
NSGA-III and a third objective. The data are the standardised iris data, for which the paper has no results.
"""

import pandas as pd
from pymoo.algorithms.moo.nsga3 import NSGA3
from pymoo.optimize import minimize
from pymoo.util.ref_dirs import get_reference_directions
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import scale

from moo_clustering.estimators import FuzzyCMeans
from moo_clustering.problems import FuzzyCenterEncoding, PartitionProblem
from moo_clustering.validity import FuzzySilhouette
from moo_clustering.visualization import plot_front


def doubt(X, memberships):
    """Mean membership outside the cluster with the largest membership."""
    return 1 - memberships.max(axis=1).mean()


iris = load_iris()
X = scale(iris.data)
encoding = FuzzyCenterEncoding(X, 3)
problem = PartitionProblem(X, encoding, ["fuzzy_sum_of_squares", "fuzzy_xie_beni", (doubt, "min")])
directions = get_reference_directions("das-dennis", 3, n_partitions=8)
silhouette = FuzzySilhouette().fit(X)
rows = []
for seed in range(5):
    front = minimize(problem, NSGA3(directions, **problem.operators(NSGA3)), ("n_gen", 40), seed=seed)
    widths = silhouette.evaluate(encoding.memberships(front.X))
    evolved = encoding.decode(front.X)[widths.argmax()]
    rows.append(["NSGA-III", front.F[:, 0].min(), widths.max(), adjusted_rand_score(iris.target, evolved)])
    control = FuzzyCMeans(3, n_init=1, random_state=seed).fit(X)
    width = silhouette.evaluate(control.memberships_[None])[0]
    ari = adjusted_rand_score(iris.target, control.labels_)
    rows.append(["fuzzy c-means", control.objective_, width, ari])
print("means of 5 seeds")
print(pd.DataFrame(rows, columns=["", "least J_m", "silhouette", "ARI"]).groupby("").mean().round(3))
plot_front(front.F, problem.objective_names, path="fuzzy_nsga3.png")
