"""Pairs are crossed or mutated, never both."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from pymoo.core.crossover import Crossover
from pymoo.core.mutation import Mutation
from pymoo.core.population import Population
from pymoo.core.problem import Problem

from moo_clustering.operators import ExclusiveMating

PROBLEM = Problem(n_var=2, n_obj=1, xl=0, xu=999)
POP = Population.new("X", np.array([[1, 2], [3, 4], [5, 6], [7, 8]]))


class Swap(Crossover):
    """Exchanges the second gene."""

    def __init__(self, prob):
        super().__init__(2, 2, prob=prob)

    def _do(self, problem, X, *args, random_state=None, **kwargs):
        assert X.shape[1] > 0
        X = X.copy()
        X[:, :, 1] = X[::-1, :, 1]
        return X


class Hundred(Mutation):
    """Adds 100 to every gene."""

    def _do(self, problem, X, *args, random_state=None, **kwargs):
        assert len(X) > 0
        return X + 100


def neighbours(problem, pop, n, n_parents, **kwargs):
    """Individuals 0 and 1, 2 and 3, and so on."""
    assert n_parents == 2
    return [[pop[2 * i], pop[2 * i + 1]] for i in range(n)]


def children(prob, *, selection=neighbours, seed=0, **kwargs):
    mating = ExclusiveMating(selection, Swap(prob), Hundred())
    rng = np.random.default_rng(seed)
    return mating._do(PROBLEM, POP, 4, random_state=rng, **kwargs).get("X")


def test_all_are_crossed_and_none_is_mutated():
    assert_array_equal(children(1.0), [[1, 4], [3, 2], [5, 8], [7, 6]])


def test_none_is_crossed_and_all_are_mutated():
    assert_array_equal(children(0.0), [[101, 102], [103, 104], [105, 106], [107, 108]])


def test_every_pair_is_one_of_the_two():
    crossed, mutated = children(1.0), children(0.0)
    first = 0
    for seed in range(400):
        pairs = children(0.25, seed=seed).reshape(2, 2, 2)
        swapped = [np.array_equal(pair, crossed[2 * i : 2 * i + 2]) for i, pair in enumerate(pairs)]
        for i, pair in enumerate(pairs):
            assert swapped[i] or np.array_equal(pair, mutated[2 * i : 2 * i + 2])
        first += swapped[0]
    # Four standard deviations of 400 draws with probability 1/4.
    assert first == pytest.approx(100, abs=35)


def test_parents_may_be_given():
    def nobody(*args, **kwargs):
        raise AssertionError("parents were given")

    pairs = [[POP[0], POP[3]], [POP[2], POP[1]]]
    assert_array_equal(children(1.0, selection=nobody, parents=pairs), [[1, 8], [7, 2], [5, 4], [3, 6]])
