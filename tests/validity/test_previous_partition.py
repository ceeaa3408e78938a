"""A second run that stays near the partition of a first one: an objective, a limit and a start."""

import networkx as nx
import numpy as np
import pytest
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.optimize import minimize

from moo_clustering.constraints import Kept
from moo_clustering.encodings import LabelEncoding, LocusAdjacencyEncoding
from moo_clustering.problems import PartitionProblem
from moo_clustering.validity import ChangedShare, GraphModularity, nmi

X = np.random.default_rng(0).normal(size=(30, 2)) + np.repeat([[0, 0], [6, 0], [0, 6]], 10, axis=0)
TRUTH = np.repeat([0, 1, 2], 10)


def test_share_of_changes_is_an_objective_beside_others_of_the_same_data():
    problem = PartitionProblem(X, LabelEncoding(30, 4, k_min=2), [ChangedShare(TRUTH), "silhouette"])
    moved = np.roll(TRUTH, 1)
    values = problem.natural(problem.evaluate(np.array([(TRUTH + 1) % 3, moved])))
    np.testing.assert_allclose(values[:, 0], [0, 0.1])
    limit = Kept(TRUTH, at_most=0.05)
    np.testing.assert_allclose(limit.violations(np.array([TRUTH, moved])), [0, 0.05])
    with pytest.raises(ValueError, match=r"previous must have one label per sample \(30\), got 29"):
        PartitionProblem(X, LabelEncoding(30, 4), [ChangedShare(TRUTH[1:])])


def _network(labels, seed):
    rng = np.random.default_rng(seed)
    chance = np.where(labels[:, None] == labels, 0.3, 0.06)
    upper = np.triu(rng.random(chance.shape) < chance, 1)
    return (upper | upper.T).astype(float)


def _found(A, previous, start):
    """Best NMI with the true groups of DYNMOGA's two objectives: modularity, and the share of changes."""
    graph = nx.from_numpy_array(A)
    neighbors = np.full((len(A), max(dict(graph.degree).values())), -1)
    for node, near in graph.adjacency():
        neighbors[node, : len(near)] = list(near)
    objectives = [GraphModularity().fit(A), ChangedShare(previous).fit(A)]
    problem = PartitionProblem(None, LocusAdjacencyEncoding(neighbors), objectives)
    algorithm = NSGA2(40, **problem.operators(NSGA2, start=start))
    result = minimize(problem, algorithm, ("n_gen", 30), seed=1)
    return problem.decode(result.X), problem.natural(result.F)


def test_a_start_from_last_year_is_not_worse_than_a_cold_one():
    groups = np.repeat(range(4), 30)
    now = groups.copy()
    now[np.random.default_rng(5).permutation(120)[:12]] = np.random.default_rng(6).integers(0, 4, 12)
    A = _network(now, 1)
    best = {}
    for name, start in (("cold", None), ("warm", groups)):
        partitions, values = _found(A, groups, start)
        best[name] = max(nmi(now, row) for row in partitions), values[:, 0].max()
    assert best["warm"][0] >= best["cold"][0]
    assert best["warm"][1] >= best["cold"][1]
    assert best["warm"][0] > 0.8
