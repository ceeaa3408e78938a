"""
Compose a run
=============

Compose a run from an encoding, validity indices and any pymoo algorithm, and plot the front.

Shows: partitions by medoids, two indices at once, must-links and cannot-links as a further objective, and
the same problem in two algorithms.
"""

from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.moo.sms import SMSEMOA
from pymoo.operators.crossover.ux import UniformCrossover
from pymoo.operators.mutation.pm import PM
from pymoo.optimize import minimize
from pymoo.visualization.pcp import PCP
from sklearn.datasets import load_iris

from moo_clustering import PairwiseConstraints
from moo_clustering.encodings import MedoidEncoding
from moo_clustering.operators import CanonicalDuplicates, EncodingRepair, EncodingSampling
from moo_clustering.problems import PartitionProblem
from moo_clustering.validity import clustering_accuracy

X, y = load_iris(return_X_y=True)
encoding = MedoidEncoding(X, k_max=6)
pairs = PairwiseConstraints.from_labels(y, 0.1, scheme="docs", random_state=0)
problem = PartitionProblem(X, encoding, ["silhouette", "connectivity"], constraints=pairs)

parts = {
    "pop_size": 60,
    "sampling": EncodingSampling(),
    "crossover": UniformCrossover(),
    "mutation": PM(vtype=float),
    "repair": EncodingRepair(),
    "eliminate_duplicates": CanonicalDuplicates(encoding),
}
for algorithm in (NSGA2(**parts), SMSEMOA(**parts)):
    result = minimize(problem, algorithm, ("n_gen", 40), seed=1)
    partitions = problem.decode(result.X)
    best = max(clustering_accuracy(y, labels) for labels in partitions)
    print(f"{type(algorithm).__name__}: {len(result.F)} partitions, accuracy up to {best:.2f}")

plot = PCP(labels=list(problem.objective_names)).add(problem.natural(result.F))
plot.save("front.png")
