"""
Co-clustering: rows and columns at once
=======================================

A tuple of encodings represents the medoids of the rows and the medoids of the columns. The two partitions
should divide the table into a few blocks, each of which is nearly constant.

Shows: a tuple of encodings, a function of both partitions, NSGA-II; the controls are spectral biclustering
and separate k-means on the rows and on the columns, both with the true numbers of clusters.

The residue is that of Govaert, "Simultaneous clustering of rows and columns", Control and Cybernetics 24(4),
1995. The tables are generated.
"""

import numpy as np
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.optimize import minimize
from sklearn.cluster import KMeans, SpectralBiclustering
from sklearn.datasets import make_checkerboard
from sklearn.metrics import adjusted_rand_score

from moo_clustering.encodings import MedoidEncoding
from moo_clustering.problems import PartitionProblem
from moo_clustering.visualization import plot_front

n_rows, n_columns = 4, 3


def residue(X, rows, columns):
    """Mean squared deviation from the means of the blocks."""
    R, C = np.eye(rows.max() + 1)[rows], np.eye(columns.max() + 1)[columns]
    means = R.T @ X @ C / np.outer(R.sum(axis=0), C.sum(axis=0))
    return ((X - R @ means @ C.T) ** 2).mean()


def blocks(X, rows, columns):
    return (rows.max() + 1) * (columns.max() + 1)


found = {"k-means": [], "spectral biclustering": [], "tuple of medoids": []}
for seed in range(5):
    X, in_rows, in_columns = make_checkerboard((80, 60), (n_rows, n_columns), noise=15, random_state=seed)
    # Convert indicators, one row per block, to one class per row and per column of the table.
    truth = in_rows[::n_columns].argmax(axis=0), in_columns[:n_columns].argmax(axis=0)
    sides = KMeans(n_rows, n_init=10, random_state=0), KMeans(n_columns, n_init=10, random_state=0)
    spectral = SpectralBiclustering((n_rows, n_columns), random_state=0).fit(X)
    encoding = MedoidEncoding(X, k_max=6), MedoidEncoding(X.T, k_max=6)
    problem = PartitionProblem(X, encoding, [(residue, "min"), (blocks, "min")])
    result = minimize(problem, NSGA2(40, **problem.operators(NSGA2)), ("n_gen", 40), seed=seed)
    right = np.flatnonzero(result.F[:, 1] == n_rows * n_columns)
    best = right[result.F[right, 0].argmin()]
    partitions = [
        (sides[0].fit_predict(X), sides[1].fit_predict(X.T)),
        (spectral.row_labels_, spectral.column_labels_),
        [labels[0] for labels in problem.encoding.split(problem.decode(result.X[best]))],
    ]
    for runs, pair in zip(found.values(), partitions, strict=True):
        runs.append([*map(adjusted_rand_score, truth, pair), residue(X, *pair)])

for name, runs in found.items():
    (rows, columns, least), spread = np.mean(runs, axis=0), np.std(runs, axis=0)
    print(
        f"{name}: ARI of rows {rows:.3f} ± {spread[0]:.3f}, of columns {columns:.3f} ± {spread[1]:.3f}, "
        f"residue {least:.1f}"
    )
plot_front(problem.natural(result.F), problem.objective_names, path="co_clustering.png")
