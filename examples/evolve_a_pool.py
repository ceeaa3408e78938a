"""
Was evolution worth it?
=======================

Compose an evolutionary search over a pool of partitions, and test whether it improves the result.

Shows: the pool, the objectives fitted to it, operators for partitions in pymoo's NSGA-II, and a control with
the same operators and number of evaluations, but with random survival.
"""

import numpy as np
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.operators.survival.rank_and_crowding import RankAndCrowding
from pymoo.optimize import minimize
from sklearn.datasets import load_wine
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

from moo_clustering.encodings import LabelEncoding
from moo_clustering.graphs import self_tuning_graph
from moo_clustering.operators import (
    CanonicalDuplicates,
    GroupingOverlayCrossover,
    PartitionMutation,
    PoolSampling,
    RandomSurvival,
)
from moo_clustering.pool import candidate_pool
from moo_clustering.problems import PartitionProblem
from moo_clustering.validity import FamilyAgreement, GraphModularity
from moo_clustering.visualization import plot_partition

X, classes = load_wine(return_X_y=True)
order = np.random.default_rng(0).permutation(len(X))
X, classes = StandardScaler().fit_transform(X[order]), classes[order]
graph = self_tuning_graph(X)
pool = candidate_pool(X, graph=graph, random_state=0)
print(f"{pool.n_partitions} partitions of the families {', '.join(pool.family_names)}")

encoding = LabelEncoding(len(X), k_max=30)
problem = PartitionProblem(None, encoding, [FamilyAgreement().fit(pool), GraphModularity().fit(graph)])


def score(labels):
    """Score to be maximised: agreement plus a small multiple of the modularity."""
    agreement, modularity = problem.natural(problem.evaluate(labels)).T
    return agreement + 0.25 * modularity


best = pool.labels[score(pool.labels).argmax()]
print(f"pool alone: score {score(best[None])[0]:.3f}, ARI {adjusted_rand_score(classes, best):.3f}")

for name, survival in (("NSGA-II", RankAndCrowding()), ("random survival", RandomSurvival())):
    algorithm = NSGA2(
        pop_size=40,
        sampling=PoolSampling(pool, score(pool.labels)),
        crossover=GroupingOverlayCrossover(graph),
        mutation=PartitionMutation(graph, pool),
        survival=survival,
        eliminate_duplicates=CanonicalDuplicates(encoding),
    )
    result = minimize(problem, algorithm, ("n_gen", 20), seed=1)
    found = np.array(problem.decode(result.pop.get("X")))
    best = found[score(found).argmax()]
    print(f"{name}: score {score(best[None])[0]:.3f}, ARI {adjusted_rand_score(classes, best):.3f}")
plot_partition(X, best, title="Best of the control", path="evolve_a_pool.png")
