"""
Select an ensemble before its consensus
=======================================

A few runs that agree with the ensemble, yet differ from each other, may have a better consensus than all
runs.

Shows: selecting runs as a Boolean problem, NSGA-II, consensus by MCLA; the controls are the consensus of all
runs and that of the better half, which require no search.

Fern & Lin, "Cluster ensemble selection", Statistical Analysis and Data Mining 1(3), 2008. The data are the
digits of scikit-learn, for which the paper has no results.
"""

import numpy as np
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.optimize import minimize
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from sklearn.metrics import normalized_mutual_info_score as nmi

from moo_clustering.consensus import best_half, mcla
from moo_clustering.problems import EnsembleSelectionProblem
from moo_clustering.validity import average_nmi
from moo_clustering.visualization import plot_front

X, y = load_digits(return_X_y=True)
X, y = X[:500], y[:500]
rng = np.random.default_rng(0)
runs = []
for run in range(40):
    features = rng.choice(X.shape[1], 20, replace=False)
    k = int(rng.integers(5, 20))
    runs.append(KMeans(k, n_init=1, random_state=run).fit_predict(X[:, features]))
runs = np.array(runs)

problem = EnsembleSelectionProblem(runs, min_runs=5)
result = minimize(problem, NSGA2(pop_size=40, **problem.operators(NSGA2)), ("n_gen", 60), seed=1)


def consensus(rows):
    return mcla(rows, 10, random_state=0)


# The solution is selected from the front by its agreement with the ensemble. The classes only score the
# result.
candidates = [consensus(runs[chosen.astype(bool)]) for chosen in result.X]
evolved = candidates[int(np.argmax([average_nmi(labels, runs) for labels in candidates]))]
print(f"mean of single runs: NMI {np.mean([nmi(y, run) for run in runs]):.3f}")
for name, labels in (
    ("all 40 runs", consensus(runs)),
    ("the better half", consensus(runs[best_half(runs)])),
    (f"one of {len(candidates)} selections", evolved),
):
    agreement = float(np.ravel(average_nmi(labels, runs))[0])
    print(f"{name}: agreement with the runs {agreement:.3f}, NMI with the digits {nmi(y, labels):.3f}")
plot_front(problem.natural(result.F), problem.objective_names, path="sub_ensemble.png")
