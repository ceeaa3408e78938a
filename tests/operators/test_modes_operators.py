"""Operators of modes: where values come from, and how often they change."""

import numpy as np
import pytest
from pymoo.core.population import Population
from pymoo.operators.crossover.pntx import SinglePointCrossover
from scipy.stats import chisquare

from moo_clustering.operators import ModesMutation, ModesSampling
from moo_clustering.problems import FuzzyModesProblem


def make(metric, k=3):
    rng = np.random.default_rng(5)
    X = np.column_stack([rng.integers(0, c, 40) for c in (2, 3, 5)])
    X[0] = X[1]
    return FuzzyModesProblem(X if metric == "hamming" else X + rng.random(X.shape), k, metric=metric)


@pytest.mark.parametrize("metric", ["hamming", "euclidean"])
def test_sampling_takes_different_samples(metric):
    problem = make(metric, k=40)
    X = ModesSampling()(problem, 7, random_state=np.random.default_rng(0)).get("X")
    assert X.shape == (7, 120)
    assert X.dtype == problem.space.dtype
    rows = sorted(map(tuple, problem.space.data.tolist()))
    for individual in problem.modes(X):
        assert sorted(map(tuple, individual.tolist())) == rows


def test_sampling_is_uniform():
    problem = FuzzyModesProblem(np.arange(10)[:, None], 3)
    X = ModesSampling()(problem, 3000, random_state=np.random.default_rng(1)).get("X")
    for place in range(3):
        assert chisquare(np.bincount(X[:, place], minlength=10)).pvalue > 1e-4


@pytest.mark.parametrize("metric", ["hamming", "euclidean"])
def test_mutation_changes_one_attribute_of_a_fifth(metric):
    problem = make(metric)
    parents = np.tile(problem.space.data[:3].ravel(), (8000, 1))
    pop = Population.new(X=parents.astype(float))
    children = ModesMutation()(problem, pop, inplace=False, random_state=np.random.default_rng(2)).get("X")
    changed = children != parents
    assert changed.sum(axis=1).max() == 1
    assert (children >= problem.xl).all()
    assert (children <= problem.xu).all()
    # A draw of c categories leaves one of c as it was; numbers always change.
    differs = np.tile(1 - 1 / problem.space.categories, 3) if metric == "hamming" else np.ones(9)
    expected = 0.2 / 9 * differs
    deviation = np.sqrt(expected * (1 - expected) / 8000)
    assert (np.abs(changed.mean(axis=0) - expected) < 4.5 * deviation).all()


def test_mutation_draws_every_category_alike():
    problem = make("hamming", k=1)
    X = np.zeros((9000, 3), dtype=np.int32)
    mutated = ModesMutation()._do(problem, X, random_state=np.random.default_rng(3))
    assert mutated.dtype == np.int32
    counts = np.bincount(mutated[:, 2], minlength=5)
    assert chisquare(counts[1:]).pvalue > 1e-4
    assert abs(counts[1:].sum() - 9000 / 3 * 4 / 5) < 250
    assert (X == 0).all()


def test_mutation_of_numbers_is_uniform_in_the_range():
    problem = make("euclidean", k=1)
    X = np.full((9000, 3), -1.0)
    values = ModesMutation()._do(problem, X, random_state=np.random.default_rng(3))[:, 1]
    values = values[values != -1.0]
    low, high = problem.space.lower[1], problem.space.upper[1]
    counts, _ = np.histogram(values, bins=8, range=(low, high))
    assert counts.sum() == len(values)
    assert chisquare(counts).pvalue > 1e-4


def test_pymoo_crosses_modes_at_one_point_and_keeps_their_type():
    problem = make("hamming")
    rng = np.random.default_rng(0)
    X = problem.space.data[rng.integers(0, 40, (30, 3))].reshape(30, -1)
    parents = np.arange(30).reshape(15, 2)
    crossover = SinglePointCrossover(prob=1.0)
    children = crossover(problem, Population.new(X=X), parents=parents, random_state=rng).get("X")
    assert children.dtype == np.int32
    for pair in range(15):
        first, second = X[parents[pair]]
        one, two = children[pair], children[15 + pair]
        assert any(
            np.array_equal(one, np.append(first[:cut], second[cut:]))
            and np.array_equal(two, np.append(second[:cut], first[cut:]))
            for cut in range(1, 9)
        )
    single = FuzzyModesProblem(np.arange(5)[:, None], 1)
    copies = crossover(single, Population.new(X=X[:2, :1]), parents=[[0, 1]], random_state=rng).get("X")
    np.testing.assert_array_equal(copies, X[:2, :1])
