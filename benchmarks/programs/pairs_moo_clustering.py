"""NSGA-III over four indices with pair constraints: moo_clustering."""

import numpy as np
from pymoo.algorithms.moo.nsga3 import NSGA3
from pymoo.optimize import minimize
from pymoo.util.ref_dirs import get_reference_directions
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from moo_clustering import PairwiseConstraints
from moo_clustering.encodings import MedoidEncoding
from moo_clustering.problems import PartitionProblem

X, y = make_blobs(150, centers=4, random_state=3)
pairs = np.arange(40).reshape(20, 2)
same = y[pairs[:, 0]] == y[pairs[:, 1]]

problem = PartitionProblem(
    X,
    MedoidEncoding(X, k_max=6),
    ["silhouette", "davies_bouldin", "calinski_harabasz", "connectivity"],
    constraints=PairwiseConstraints(pairs[same], pairs[~same], n_samples=150),
    constraint_handling="constraint",
)
algorithm = NSGA3(get_reference_directions("uniform", 4, n_partitions=5), **problem.operators(NSGA3))
result = minimize(problem, algorithm, ("n_gen", 30), seed=1)
best = result.F[:, 0].argmin()
print("ARI", adjusted_rand_score(y, problem.decode(result.X)[best]), *problem.natural(result.F)[best])
