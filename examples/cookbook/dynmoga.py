"""
DYNMOGA: communities of a graph that changes
============================================

The partition of a snapshot should have a high modularity and resemble the partition of the previous snapshot.

Shows: links along the edges, an index and a named function as objectives, ``start`` from previous partitions;
the controls are Louvain's method, and the same search on each snapshot alone.

Folino & Pizzuti, "An evolutionary multiobjective approach for community discovery in dynamic networks", IEEE
TKDE 26(8), 2014: the solution with the highest modularity is selected. The graphs are smaller than in the
first benchmark of the paper: four communities of 16 nodes, each of which has 11 neighbours, 4 of them in
other communities. At every step, three members of each community move to another. The temporal cost is the
share of changed nodes; in the paper, it is the NMI.
"""

import networkx as nx
import numpy as np
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.optimize import minimize
from sklearn.metrics import normalized_mutual_info_score as nmi

from moo_clustering.encodings import LocusAdjacencyEncoding
from moo_clustering.problems import PartitionProblem
from moo_clustering.validity import ChangedShare
from moo_clustering.visualization import plot_front


def snapshots(rng, n_steps=4):
    y = np.repeat(np.arange(4), 16)
    for _ in range(n_steps):
        chance = np.where(y[:, None] == y, 7 / 15, 4 / 48)
        upper = np.triu(rng.random((64, 64)) < chance, 1)
        yield y.copy(), (upper | upper.T).astype(float)
        for c in range(4):
            members = rng.choice(np.flatnonzero(y == c), 3, replace=False)
            y[members] = (c + rng.integers(1, 4, size=3)) % 4


def search(A, previous, seed):
    width = int(A.sum(axis=1).max())
    rows = [np.flatnonzero(row) for row in A]
    neighbors = [np.pad(row, (0, width - len(row)), constant_values=-1) for row in rows]
    objectives = ["modularity"]
    if previous is not None:
        objectives.append(ChangedShare(previous))
    problem = PartitionProblem(A, LocusAdjacencyEncoding(np.array(neighbors)), objectives)
    algorithm = NSGA2(40, **problem.operators(NSGA2, start=previous))
    result = minimize(problem, algorithm, ("n_gen", 40), seed=seed)
    return problem, result, problem.decode(result.X)[np.atleast_2d(result.F)[:, 0].argmin()]


found = {"Louvain": [], "each snapshot alone": [], "DYNMOGA": []}
for seed in range(5):
    previous = None
    for y, A in snapshots(np.random.default_rng(seed)):
        louvain = np.zeros(64, dtype=int)
        for number, members in enumerate(nx.community.louvain_communities(nx.Graph(A), seed=seed)):
            louvain[list(members)] = number
        problem, result, previous = search(A, previous, seed)
        partitions = louvain, search(A, None, seed)[2], previous
        for runs, labels in zip(found.values(), partitions, strict=True):
            runs.append(nmi(y, labels))

for name, runs in found.items():
    means = np.reshape(runs, (5, -1)).mean(axis=1)
    last = np.reshape(runs, (5, -1))[:, -1]
    print(f"{name}: NMI {means.mean():.3f} ± {means.std():.3f}, of the last snapshot {last.mean():.3f}")
plot_front(problem.natural(result.F), problem.objective_names, path="dynmoga.png")
