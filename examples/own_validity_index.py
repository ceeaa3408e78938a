"""
Your own validity index, evolved
================================

Write an index that says what a good partition is, and search for partitions that are good by it.

Shows: an index in ten lines, beside one of the package, with medoids in NSGA-II and in SMS-EMOA; and
the front in natural sign.
"""

import numpy as np
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.moo.sms import SMSEMOA
from pymoo.operators.crossover.ux import UniformCrossover
from pymoo.operators.mutation.pm import PM
from pymoo.optimize import minimize
from sklearn.datasets import make_blobs

from moo_clustering.encodings import MedoidEncoding
from moo_clustering.operators import CanonicalDuplicates, EncodingRepair, EncodingSampling
from moo_clustering.problems import PartitionProblem
from moo_clustering.validity import ValidityIndex
from moo_clustering.visualization import plot_front


class EvenSizes(ValidityIndex):
    """How evenly samples are spread over clusters: entropy of the sizes, as a number of clusters."""

    name, greater_is_better = "even_sizes", True

    def fit(self, data):
        return self

    def evaluate(self, labels):
        shares = [np.bincount(row) / len(row) for row in np.atleast_2d(labels)]
        return np.array([np.exp(-(p * np.log(np.where(p > 0, p, 1))).sum()) for p in shares])


X, _ = make_blobs([150, 80, 40, 20, 10], cluster_std=1.5, random_state=1)
encoding = MedoidEncoding(X, k_max=8)
problem = PartitionProblem(X, encoding, ["silhouette", EvenSizes()])
parts = {
    "pop_size": 40,
    "sampling": EncodingSampling(),
    "crossover": UniformCrossover(),
    "mutation": PM(vtype=float),
    "repair": EncodingRepair(),
    "eliminate_duplicates": CanonicalDuplicates(encoding),
}
for algorithm in (NSGA2(**parts), SMSEMOA(**parts)):
    result = minimize(problem, algorithm, ("n_gen", 30), seed=1)
    values = problem.natural(result.F)
    print(f"{type(algorithm).__name__}: {len(values)} partitions, {values.min(axis=0).round(2)} to ", end="")
    print(values.max(axis=0).round(2))

order = np.argsort(values[:, 1])
for row in order[:: max(1, len(order) // 5)]:
    sizes = np.bincount(problem.decode(result.X[[row]])[0])
    print(f"silhouette {values[row, 0]:.2f}, sizes {np.sort(sizes)[::-1]}")
plot_front(values, problem.objective_names, path="own_validity_index.png")
