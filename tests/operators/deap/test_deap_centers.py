"""Operators of centres in DEAP toolboxes."""

import copy
import pickle

import numpy as np
import pytest
from deap import base

from moo_clustering.operators.deap import Minimize
from moo_clustering.operators.deap.individuals import CenterIndividual
from moo_clustering.operators.deap.variation import cx_match_centers, local_search, mut_relocate
from moo_clustering.problems import SumOfSquaresProblem


def problem_of(seed=0, k=5):
    rng = np.random.default_rng(seed)
    X = rng.random((k, 2))[rng.integers(k, size=120)] + 0.02 * rng.standard_normal((120, 2))
    return SumOfSquaresProblem(X, k)


def test_individual():
    individual = CenterIndividual([1, 2, 3, 4], mix=0.3)
    assert individual.dtype == np.float64
    individual.fitness.values = (5.0,)
    individual.notes = ["first"]
    twin = copy.deepcopy(individual)
    twin[:] = 0.0
    twin.notes.append("second")
    assert (twin.mix, twin.fitness.values) == (0.3, (5.0,))
    assert individual.notes == ["first"]
    np.testing.assert_array_equal(individual, [1, 2, 3, 4])
    restored = pickle.loads(pickle.dumps(individual))
    np.testing.assert_array_equal(restored, individual)
    assert (restored.mix, restored.fitness.values) == (0.3, (5.0,))


class ListIndividual(list):
    def __init__(self, genes):
        super().__init__(genes)
        self.fitness = Minimize()


@pytest.mark.parametrize("kind", [CenterIndividual, ListIndividual])
def test_crossover_in_place(kind):
    first, second = kind([0.0, 0.0, 10.0, 0.0]), kind([9.0, 1.0, 1.0, 0.0])
    first.fitness.values = second.fitness.values = (1.0,)
    a, b = cx_match_centers(first, second, np.random.default_rng(0), n_clusters=2)
    assert a is first
    assert b is second
    assert not a.fitness.valid
    # 0,0 goes with 1,0 and 10,0 with 9,1
    assert {tuple(a[:2]), tuple(b[:2])} == {(0.0, 0.0), (1.0, 0.0)}
    assert {tuple(a[2:]), tuple(b[2:])} == {(10.0, 0.0), (9.0, 1.0)}
    assert hasattr(a, "mix") == isinstance(a, CenterIndividual)


def test_clones_are_crossed_and_mutated_without_touching_the_parents():
    problem, rng = problem_of(), np.random.default_rng(0)
    toolbox = base.Toolbox()
    parents = [CenterIndividual(genes, mix=0.5) for genes in problem.encoding.random(2, rng)]
    before = [np.array(parent) for parent in parents]
    for parent in parents:
        parent.fitness.values = (3.0,)
    for child in cx_match_centers(*map(toolbox.clone, parents), rng, n_clusters=5):
        mut_relocate(child, rng, problem=problem)
        child[:] = 9.0
        assert 0.3 <= child.mix <= 0.7
    for parent, genes in zip(parents, before, strict=True):
        np.testing.assert_array_equal(parent, genes)
        assert (parent.mix, parent.fitness.values) == (0.5, (3.0,))


def test_children_do_not_depend_on_the_order_of_centres():
    first, second = np.random.default_rng(0).random((2, 5, 2))

    def children(order):
        made = set()
        rng = np.random.default_rng(1)
        for _ in range(600):
            pair = CenterIndividual(first.ravel()), CenterIndividual(second[order].ravel())
            for child in cx_match_centers(*pair, rng, n_clusters=5):
                made.add(frozenset(map(tuple, np.reshape(child, (5, 2)).tolist())))
        return made

    assert len(children([0, 1, 2, 3, 4])) == 2**5
    assert children([3, 0, 4, 1, 2]) == children([0, 1, 2, 3, 4])


def test_mutation_moves_one_centre_to_a_sample():
    problem = problem_of()
    rng = np.random.default_rng(0)
    individual = CenterIndividual(problem.encoding.random(1, rng)[0] + 0.5, mix=0.0)
    before = np.array(individual)
    (same,) = mut_relocate(individual, rng, problem=problem)
    assert same is individual
    changed = (np.array(individual) != before).reshape(5, 2).any(axis=1)
    assert changed.sum() == 1
    assert (problem.points == individual.reshape(5, 2)[changed]).all(axis=1).any()
    with pytest.raises(ValueError, match="removal"):
        mut_relocate(individual, rng, problem=problem, removal="dear")


def test_in_a_toolbox():
    problem, rng = problem_of(), np.random.default_rng(0)
    toolbox = base.Toolbox()
    toolbox.register("mate", cx_match_centers, rng=rng, n_clusters=5)
    toolbox.register("mutate", mut_relocate, rng=rng, problem=problem)
    toolbox.register("evaluate", lambda individual: tuple(problem.evaluate(np.asarray(individual))))
    toolbox.decorate("evaluate", local_search(problem))
    population = [CenterIndividual(genes) for genes in problem.encoding.random(6, rng)]
    for individual in population:
        individual.fitness.values = toolbox.evaluate(individual)
        # Lamarck: the genes are the optimum, which stays where it is.
        np.testing.assert_array_equal(problem.improve(individual)[0], individual)
    best = min(individual.fitness.values[0] for individual in population)
    for _ in range(40):
        pair = [toolbox.clone(population[i]) for i in rng.integers(6, size=2)]
        child, _ = toolbox.mate(*pair)
        toolbox.mutate(child)
        child.fitness.values = toolbox.evaluate(child)
        population = sorted([*population, child], key=lambda one: one.fitness.values)[:6]
    assert population[0].fitness.values[0] <= best
    reference = problem.improve(problem.encoding.random(60, np.random.default_rng(1)))
    assert population[0].fitness.values[0] == pytest.approx(problem.evaluate(reference).min())
