"""DEAP functions: same behaviour as the pymoo operators, no global random state."""

import copy
import pickle
import random

import numpy as np
import pytest
from deap import base, tools

from moo_clustering.graphs import neighbor_lists
from moo_clustering.operators import (
    DynamicDiversitySurvival,
    NeighborResample,
    NeighborSampling,
    UniformNeighborCrossover,
)
from moo_clustering.operators.deap import (
    ArrayIndividual,
    as_mate,
    as_mutate,
    dynamic_nsga2_step,
    neighbor_toolbox,
    sel_tournament_dcd,
    var_and,
    var_or,
)
from moo_clustering.problems import NeighborGraphProblem


@pytest.fixture
def problem():
    X = np.random.default_rng(0).normal(size=(30, 2))
    return NeighborGraphProblem(neighbor_lists(X, 8, rng=np.random.default_rng(0)))


@pytest.fixture
def toolbox(problem):
    return neighbor_toolbox(
        problem,
        NeighborSampling(),
        UniformNeighborCrossover(),
        NeighborResample(0.1),
        DynamicDiversitySurvival(),
    )


def evaluated(toolbox, n=12, seed=0):
    population = toolbox.population(n=n, rng=np.random.default_rng(seed))
    toolbox.evaluate_population(population)
    return population


def test_individuals_copy_their_genes_and_fitness(toolbox):
    first = evaluated(toolbox)[0]
    twin = copy.deepcopy(first)
    twin[:] = 0
    del twin.fitness.values
    assert first.fitness.valid
    assert first.any()
    restored = pickle.loads(pickle.dumps(first))
    np.testing.assert_array_equal(restored, first)
    assert restored.fitness.values == first.fitness.values
    assert copy.deepcopy(first[2:5]).tolist() == first[2:5].tolist()


def test_parts_of_individuals_travel_without_fitness(toolbox):
    first = evaluated(toolbox)[0]
    part = pickle.loads(pickle.dumps(first[2:5]))
    assert isinstance(part, ArrayIndividual)
    assert part.tolist() == first[2:5].tolist()
    assert part.fitness is None


def test_mate_and_mutate_follow_deap_conventions(problem, toolbox):
    first, second = (copy.deepcopy(ind) for ind in evaluated(toolbox)[:2])
    before = np.sort(np.stack([first, second]), axis=0)
    a, b = as_mate(UniformNeighborCrossover(), problem)(first, second, np.random.default_rng(1))
    assert a is first
    assert b is second
    assert not a.fitness.valid
    np.testing.assert_array_equal(np.sort(np.stack([a, b]), axis=0), before)
    (mutant,) = as_mutate(NeighborResample(1.0), problem)(a, np.random.default_rng(1))
    assert mutant is a
    assert isinstance(mutant, ArrayIndividual)


def test_tournament_prefers_dominance_then_crowding():
    def individual(values, crowding):
        ind = ArrayIndividual([0])
        ind.fitness.values = values
        ind.fitness.crowding_dist = crowding
        return ind

    strong, weak = individual((0, 0), 0.0), individual((1, 1), 9.0)
    assert all(winner is strong for winner in sel_tournament_dcd([strong, weak], 7, np.random.default_rng(0)))
    lonely, crowded = individual((0, 2), 5.0), individual((2, 0), 1.0)
    assert all(w is lonely for w in sel_tournament_dcd([lonely, crowded], 6, np.random.default_rng(0)))
    even = [individual((0, 2), 1.0), individual((2, 0), 1.0)]
    winners = sel_tournament_dcd(even, 200, np.random.default_rng(0))
    assert 60 < sum(w is even[0] for w in winners) < 140


def test_variation_leaves_parents_alone(toolbox):
    population = evaluated(toolbox)
    genes = [ind.tolist() for ind in population]
    rng = np.random.default_rng(0)
    assert all(
        np.array_equal(a, b)
        for a, b in zip(var_and(population, toolbox, rng, pc=0, pm=0), genes, strict=True)
    )
    both = var_and(population, toolbox, rng, pc=1.0, pm=1.0)
    either = var_or(population, toolbox, rng, pc=0.0)
    assert not any(ind.fitness.valid for ind in both + either)
    assert [ind.tolist() for ind in population] == genes


def test_pairs_are_crossed_or_mutated_and_the_odd_one_is_mutated():
    def mate(first, second, rng):
        first[0], second[0] = second[0], first[0]

    def mutate(individual, rng):
        individual[:] = 9

    toolbox = base.Toolbox()
    toolbox.register("clone", copy.deepcopy)
    toolbox.register("mate", mate)
    toolbox.register("mutate", mutate)
    population = [ArrayIndividual([i, i]) for i in range(3)]
    rng = np.random.default_rng(0)
    crossed = var_or(population, toolbox, rng, pc=1.0)
    assert [ind.tolist() for ind in crossed] == [[1, 0], [0, 1], [9, 9]]
    mutated = var_or(population, toolbox, rng, pc=0.0)
    assert [ind.tolist() for ind in mutated] == [[9, 9]] * 3


def test_a_step_leaves_everybody_measured_among_the_survivors(problem, toolbox):
    state = random.getstate()
    population = evaluated(toolbox)
    rng = np.random.default_rng(3)
    for _ in range(4):
        population = dynamic_nsga2_step(population, toolbox, rng, pc=0.9)
    X = np.stack([np.asarray(ind) for ind in population])
    np.testing.assert_allclose([ind.fitness.values for ind in population], problem.evaluate(X), rtol=1e-15)
    assert random.getstate() == state
    archive = tools.ParetoFront(similar=np.array_equal)
    archive.update(population)
    assert len(archive) > 0
