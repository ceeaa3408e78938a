"""
Islands: several populations with migration
===========================================

Four populations evolve separately; every five generations, their best partitions migrate around a ring.

Shows: pymoo's ``setup`` and ``next``, and a problem shared by several algorithms; the controls, with the same
number of evaluations, are one population of four times the size, and the islands without migration.

Whitley, Rana & Heckendorn, "The island model genetic algorithm: on separability, population size and
convergence", Journal of Computing and Information Technology 7(1), 1999. The data are generated.
"""

from copy import deepcopy

import matplotlib.pyplot as plt
import numpy as np
from pymoo.algorithms.soo.nonconvex.ga import GA
from sklearn.datasets import make_blobs

from moo_clustering.encodings import MedoidEncoding
from moo_clustering.problems import PartitionProblem

X, _ = make_blobs(240, n_features=4, centers=12, cluster_std=1.5, random_state=0)
problem = PartitionProblem(X, MedoidEncoding(X, k_max=12, k_min=12), "deviation")


def run(n_islands, size, seed, migrants=0, n_gen=30):
    """Best deviation per generation."""
    islands = [GA(size, **problem.operators(GA)) for _ in range(n_islands)]
    for number, island in enumerate(islands):
        island.setup(problem, termination=("n_gen", n_gen), seed=10 * seed + number)
    best = []
    for generation in range(1, n_gen + 1):
        for island in islands:
            island.next()
        if generation % 5 == 0 and migrants:
            orders = [island.pop.get("F")[:, 0].argsort() for island in islands]
            leaving = [
                deepcopy(island.pop[order[:migrants]]) for island, order in zip(islands, orders, strict=True)
            ]
            for number, (island, order) in enumerate(zip(islands, orders, strict=True)):
                island.pop[order[-migrants:]] = leaving[number - 1]
        best.append(min(island.pop.get("F").min() for island in islands))
    assert sum(island.evaluator.n_eval for island in islands) == n_islands * size * n_gen
    return best


for name, setting in {
    "one population of 60": (1, 60),
    "four islands of 15, no migration": (4, 15),
    "four islands of 15, two migrants": (4, 15, 2),
}.items():
    curves = np.array([run(*setting[:2], seed, *setting[2:]) for seed in range(5)])
    print(f"{name}: deviation {curves[:, -1].mean():.1f} ± {curves[:, -1].std():.1f}")
    plt.plot(curves.mean(axis=0), label=name)
plt.xlabel("generation")
plt.ylabel("deviation")
plt.legend()
plt.savefig("islands.png")
