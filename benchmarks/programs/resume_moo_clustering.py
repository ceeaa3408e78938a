"""A search that a second start continues after a kill: moo_clustering."""

from pymoo.algorithms.moo.nsga2 import NSGA2
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from moo_clustering.algorithms import evolve
from moo_clustering.encodings import MedoidEncoding
from moo_clustering.persistence import Checkpoint
from moo_clustering.problems import PartitionProblem

X, y = make_blobs(150, centers=12, random_state=3)
problem = PartitionProblem(X, MedoidEncoding(X, k_max=15), ["silhouette", "davies_bouldin"])
algorithm = NSGA2(pop_size=40, **problem.operators(NSGA2))
result = evolve(problem, algorithm, n_gen=49, seed=1, checkpoint=Checkpoint("run.npz", every=1))
best = result.F[:, 0].argmin()
print("ARI", adjusted_rand_score(y, problem.decode(result.X)[best]), *problem.natural(result.F)[best])
