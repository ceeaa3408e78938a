"""DEAP functions on medoid slots: the pymoo operators in place."""

import random

import numpy as np
import pytest
from deap import base
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from pymoo.core.problem import Problem

from moo_clustering.encodings import MedoidSlotEncoding
from moo_clustering.operators import SlotMutation, SlotOnePointCrossover
from moo_clustering.operators.deap import ArrayIndividual
from moo_clustering.operators.deap.variation import cx_slots_one_point, mut_slots

SEEDS = st.integers(0, 2**32 - 1)
FEW = settings(max_examples=25, deadline=None)


class Cheapest(base.Fitness):
    weights = (-1.0,)


class Listed(list):
    """A DEAP individual of the usual kind."""

    def __init__(self, genes):
        super().__init__(int(g) for g in genes)
        self.fitness = Cheapest()


KINDS = {"array": lambda genes: ArrayIndividual(genes.astype(np.int32), Cheapest), "list": Listed}
every_kind = pytest.mark.parametrize("kind", KINDS)


def setting(kind, seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 20))
    k_max = int(rng.integers(1, min(n, 8) + 1))
    problem = Problem(n_var=k_max, n_obj=1)
    problem.encoding = MedoidSlotEncoding(rng.random((n, n)), k_max, k_min=int(rng.integers(1, k_max + 1)))
    X = problem.encoding.random(2, rng)
    individuals = [KINDS[kind](row) for row in X]
    for individual in individuals:
        individual.fitness.values = (1.0,)
    return problem, X, individuals


@every_kind
@given(seed=SEEDS)
@FEW
def test_crossover_is_that_of_pymoo(kind, seed):
    problem, X, (first, second) = setting(kind, seed)
    encoding = problem.encoding
    expected = SlotOnePointCrossover()._do(problem, X[:, None], random_state=np.random.default_rng(1))[:, 0]
    sizes = {"k_min": encoding.k_min, "n_samples": encoding.n_samples}
    a, b = cx_slots_one_point(first, second, np.random.default_rng(1), **sizes)
    assert a is first
    assert b is second
    assert_array_equal(np.array([list(a), list(b)]), expected)
    assert_array_equal(encoding.repair(expected), expected)
    assert not a.fitness.valid
    assert not b.fitness.valid


@every_kind
@pytest.mark.parametrize("mutation", ["index", "rank"])
@given(seed=SEEDS)
@FEW
def test_mutation_is_that_of_pymoo(kind, mutation, seed):
    problem, X, (individual, other) = setting(kind, seed)
    encoding = problem.encoding
    n = encoding.n_samples
    expected = SlotMutation(mutation, reach=0.4)._do(problem, X[:1], random_state=np.random.default_rng(1))[0]
    neighbors = encoding.nearest(min(max(int(0.4 * n), 1), n - 1)) if mutation == "rank" else None
    rng = np.random.default_rng(1)
    (mutant,) = mut_slots(individual, rng, reach=0.4, n_samples=n, k_min=encoding.k_min, neighbors=neighbors)
    assert mutant is individual
    assert_array_equal(list(mutant), expected)
    assert_array_equal(encoding.repair(expected[None])[0], expected)
    assert not mutant.fitness.valid
    assert_array_equal(list(other), X[1])


@every_kind
def test_toolboxes_bind_everything_and_nothing_is_global(kind):
    state = random.getstate()
    _, _, (a, b) = setting(kind, 3)
    toolbox = base.Toolbox()
    sizes = {"n_samples": 25, "k_min": 1, "rng": np.random.default_rng(0)}
    toolbox.register("mate", cx_slots_one_point, **sizes)
    toolbox.register("mutate", mut_slots, p_gene=1.0, **sizes)
    toolbox.mate(a, b)
    before = list(a)
    while list(a) == before:
        toolbox.mutate(a)
    assert random.getstate() == state
    with pytest.raises(ValueError, match="p_gene"):
        toolbox.mutate(a, p_gene=2.0)
