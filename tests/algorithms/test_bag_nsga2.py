"""The preset for partitions of bags."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.problem import Problem
from pymoo.operators.mutation.nom import NoMutation
from pymoo.optimize import minimize

from moo_clustering.algorithms import evolve
from moo_clustering.algorithms.others import bag_nsga2
from moo_clustering.bags import Bags
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.encodings import LabelEncoding
from moo_clustering.operators import ConstraintCrowdingSurvival
from moo_clustering.operators.selection import CanonicalDuplicates
from moo_clustering.problems.bags import BagPartitionProblem
from moo_clustering.problems.partition import PartitionProblem

TWO = ["bag_davies_bouldin", "bag_silhouette"]


def some_bags(n_bags=30) -> tuple[Bags, np.ndarray]:
    rng = np.random.default_rng(1)
    y = np.arange(n_bags) % 2
    return Bags.from_list([8.0 * k + rng.normal(size=(rng.integers(1, 6), 3)) for k in y]), y


BAGS, CLASSES = some_bags()


def test_it_finds_the_groups():
    problem = BagPartitionProblem(BAGS, 2, TWO, min_cluster_size=3)
    algorithm = bag_nsga2(problem, pop_size=16)
    result = minimize(problem, algorithm, ("n_gen", 5), seed=1)
    labels = problem.decode(result.X)
    assert any(np.array_equal(row, CLASSES) for row in labels)
    assert result.algorithm.mating.mutation.n_trials > 0
    assert isinstance(algorithm, NSGA2)
    assert algorithm.mating.mutation.n_trials == 0


def test_individuals_are_legal_canonical_and_distinct():
    problem = BagPartitionProblem(BAGS, 3, TWO, min_cluster_size=4)
    result = evolve(problem, bag_nsga2(problem, pop_size=20), n_gen=4, seed=2)
    X = result.pop.get("X")
    assert_array_equal(X, problem.decode(X))
    assert len(CanonicalDuplicates().do(result.pop)) == len(X) == 20
    assert min(np.bincount(row, minlength=3).min() for row in X) >= 4
    again = evolve(problem, bag_nsga2(problem, pop_size=20), n_gen=4, seed=2)
    assert_array_equal(again.pop.get("X"), X)


def test_parts_can_be_exchanged():
    problem = BagPartitionProblem(BAGS, 2, TWO)
    algorithm = bag_nsga2(problem, init="random", p_cx=0.4, weights="greedy", n_offsprings=7)
    assert algorithm.n_offsprings == 7
    assert algorithm.mating.crossover.prob.value == 0.4
    assert algorithm.mating.mutation.weights == "greedy"
    assert algorithm.initialization.sampling.sampling.kinds == "random"
    other = bag_nsga2(problem, mutation=NoMutation())
    assert isinstance(other.mating.mutation, NoMutation)


def test_constraints_as_crowding():
    links = PairwiseConstraints([(0, 2)], [(0, 1)], n_samples=30)
    problem = BagPartitionProblem(BAGS, 2, TWO, constraints=links, constraint_handling="crowding")
    algorithm = bag_nsga2(problem, pop_size=12)
    assert isinstance(algorithm.survival, ConstraintCrowdingSurvival)
    assert algorithm.tournament_type == "comp_by_rank_and_crowding"
    result = minimize(problem, algorithm, ("n_gen", 3), seed=1)
    assert links.violation(problem.decode(result.X)).min() == 0


def test_other_problems_are_refused():
    with pytest.raises(TypeError, match="got Problem"):
        bag_nsga2(Problem(n_var=2, n_obj=1, xl=0, xu=1))
    plain = PartitionProblem([[0.0], [1.0], [2.0]], LabelEncoding(3, k_max=2), "deviation")
    with pytest.raises(TypeError, match="objective to move by"):
        bag_nsga2(plain)
