"""Recombination of regions and climbs of boundaries: feasible, directed, and of any algorithm."""

import networkx as nx
import numpy as np
import pytest
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.soo.nonconvex.ga import GA

from moo_clustering.algorithms import DirectedWalks, evolve
from moo_clustering.encodings import LabelEncoding, RegionEncoding
from moo_clustering.operators import BoundaryClimb, DirectedMutation, TreeRecombination
from moo_clustering.problems import PartitionProblem
from moo_clustering.validity import ChangedShare, Compactness, CutEdges, LoadVariation
from moo_clustering.validity.internal import SumOfSquares

GRID = nx.to_scipy_sparse_array(nx.grid_2d_graph(8, 8), format="csr")
WEIGHT = np.random.default_rng(0).integers(1, 6, size=64).astype(float)


def problem():
    mean = WEIGHT.sum() / 4
    encoding = RegionEncoding(GRID, 4, weight=WEIGHT, low=0.7 * mean, high=1.3 * mean)
    X = np.random.default_rng(1).normal(size=(64, 2)) + np.arange(64)[:, None] // 16
    indices = [
        SumOfSquares().fit(X),
        CutEdges().fit(GRID),
        LoadVariation().fit(WEIGHT),
        ChangedShare().fit(np.where(np.arange(64) < 60, np.arange(64) % 8 // 2, -1)),
        Compactness().fit((np.ones(64), np.full(64, 4.0), GRID)),
    ]
    return PartitionProblem(None, encoding, indices)


@pytest.mark.parametrize("mutation", [TreeRecombination(), BoundaryClimb(2_000)])
def test_mutants_are_feasible_and_differ(mutation):
    own = problem()
    X = own.encoding.random(8, np.random.default_rng(0))
    before = X.copy()
    mutants = mutation._do(own, X, random_state=np.random.default_rng(1))
    np.testing.assert_array_equal(X, before)
    assert own.encoding.is_feasible(mutants).all()
    assert (mutants != X).any(axis=1).sum() >= 6
    again = mutation._do(own, X, random_state=np.random.default_rng(1))
    np.testing.assert_array_equal(mutants, again)


@pytest.mark.parametrize("objective", range(5))
def test_a_climb_improves_the_objective_of_its_direction(objective):
    own = problem()
    X = own.encoding.random(6, np.random.default_rng(objective))
    weights = np.tile(np.eye(5)[objective], (6, 1))
    mutants = BoundaryClimb(5_000, recombine=0.0).toward(own, X, weights, np.random.default_rng(0))
    before, after = (own.evaluate(plans, return_values_of=["F"])[:, objective] for plans in (X, mutants))
    assert after.mean() < before.mean()
    assert own.encoding.is_feasible(mutants).all()


@pytest.mark.parametrize("algorithm", [DirectedWalks, NSGA2, GA])
def test_every_plan_of_any_algorithm_is_feasible(algorithm):
    own = problem()
    if algorithm is GA:
        own = PartitionProblem(None, own.encoding, own.indices[:1])
    operators = own.operators(algorithm) | {"mutation": BoundaryClimb(500)}
    result = evolve(own, algorithm(pop_size=8, **operators), n_gen=3, seed=0)
    assert own.encoding.is_feasible(np.atleast_2d(result.X)).all()
    assert ("crossover" in operators) == (algorithm is not DirectedWalks)


def test_other_encodings_are_refused():
    labels = PartitionProblem(np.eye(4), LabelEncoding(4, 2), ["deviation"])
    with pytest.raises(TypeError, match="this operator requires a problem with an encoding of type Region"):
        TreeRecombination()._do(labels, np.zeros((1, 4), dtype=int), random_state=0)


def test_a_mutation_of_a_users_own_has_a_direction():
    class Nothing(DirectedMutation):
        def toward(self, problem, X, weights, rng):
            self.seen = weights
            return X

    own, mutation = problem(), Nothing()
    mutation._do(own, own.encoding.random(3, np.random.default_rng(0)), random_state=np.random.default_rng(0))
    assert mutation.seen.shape == (3, 5)
    assert (mutation.seen >= 0).all()
