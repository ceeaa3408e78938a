"""NSGA-II with the operators that suit partitions of bags."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_array_equal
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.optimize import minimize

from moo_clustering.algorithms import evolve
from moo_clustering.bags import Bags
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.operators import ConstraintCrowdingSurvival
from moo_clustering.operators.selection import CanonicalDuplicates
from moo_clustering.problems.bags import BagPartitionProblem

TWO = ["bag_davies_bouldin", "bag_silhouette"]


def some_bags(n_bags=30) -> tuple[Bags, np.ndarray]:
    rng = np.random.default_rng(1)
    y = np.arange(n_bags) % 2
    return Bags.from_list([8.0 * k + rng.normal(size=(rng.integers(1, 6), 3)) for k in y]), y


BAGS, CLASSES = some_bags()


def test_it_finds_the_groups():
    problem = BagPartitionProblem(BAGS, 2, TWO, min_cluster_size=3)
    algorithm = NSGA2(16, **problem.operators())
    result = minimize(problem, algorithm, ("n_gen", 5), seed=1)
    assert any(np.array_equal(row, CLASSES) for row in problem.decode(result.X))
    assert result.algorithm.mating.mutation.n_trials > 0
    assert algorithm.mating.mutation.n_trials == 0


def test_individuals_are_legal_and_distinct():
    problem = BagPartitionProblem(BAGS, 3, TWO, min_cluster_size=4)
    result = evolve(problem, NSGA2(20, **problem.operators()), n_gen=4, seed=2)
    X = result.pop.get("X")
    assert len(CanonicalDuplicates(problem.encoding).do(result.pop)) == len(X) == 20
    assert min(np.bincount(row, minlength=3).min() for row in problem.decode(X)) >= 4
    again = evolve(problem, NSGA2(20, **problem.operators()), n_gen=4, seed=2)
    assert_array_equal(again.pop.get("X"), X)


def test_constraints_as_crowding():
    links = PairwiseConstraints([(0, 2)], [(0, 1)], n_samples=30)
    problem = BagPartitionProblem(BAGS, 2, TWO, constraints=links, constraint_handling="crowding")
    algorithm = NSGA2(12, **problem.operators(), survival=ConstraintCrowdingSurvival())
    algorithm.tournament_type = "comp_by_rank_and_crowding"
    result = minimize(problem, algorithm, ("n_gen", 3), seed=1)
    assert links.violation(problem.decode(result.X)).min() == 0
