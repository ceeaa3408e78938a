"""Survival of distinct optima, population and budget of a search."""

import numpy as np
import pytest

from moo_clustering.estimators.memetic_kmeans import Budget, Member, MemeticKMeans, MemeticSearch, survivors
from moo_clustering.problems.centers import SumOfSquaresProblem


def test_survivors_by_hand():
    f = np.array([5.0, 3.0, 5.0 * (1 + 1e-12), 4.0, 3.0, 9.0])
    np.testing.assert_array_equal(survivors(f, 3), [1, 3, 0])
    np.testing.assert_array_equal(survivors(f, 4), [1, 3, 0, 5])
    # Only four are distinct: clones of the best first.
    np.testing.assert_array_equal(survivors(f, 5), [1, 3, 0, 5, 4])
    np.testing.assert_array_equal(survivors(np.zeros(3), 2), [0, 1])


def test_a_chain_of_near_ones_is_compared_with_the_last_survivor():
    f = np.array([1.0, 1.0 + 0.8e-10, 1.0 + 1.6e-10])
    np.testing.assert_array_equal(survivors(f, 2), [0, 2])


def search_of(engine, max_stall=500, **options):
    rng = np.random.default_rng(0)
    X = rng.random((30, 2))[rng.integers(30, size=400)] + 0.03 * rng.standard_normal((400, 2))
    problem = SumOfSquaresProblem(X, 30)
    options = {"pop_min": 4, "pop_max": 7, "max_stall": max_stall, "engine": engine} | options
    model = MemeticKMeans(30, **options)
    return MemeticSearch(problem, Budget(problem, 10**9, None), rng, False, model)


@pytest.mark.parametrize("engine", ["pymoo", "deap"])
def test_population(engine):
    search = search_of(engine)
    sizes = []
    for _ in range(20):
        parents = [i.genes.copy() for i in search.population]
        before = list(search.population)
        search.step()
        # Parents stay as they were.
        for individual, genes in zip(before, parents, strict=True):
            np.testing.assert_array_equal(individual.genes, genes)
        np.testing.assert_array_equal([i.objective for i in search.population], search.objectives)
        sizes.append(len(search.population))
        assert search.generation == len(sizes)
    assert sizes == [1, 2, 3, 4, 5, 6, 7, *[4, 5, 6, 7] * 3, 4]
    problem = search.problem
    for individual in search.population:
        genes = individual.genes
        # All are local optima, with their own values.
        np.testing.assert_array_equal(problem.improve(genes)[0], genes)
        value = problem.fresh().evaluate(genes)[0]
        assert individual.objective == pytest.approx(value, rel=1e-9)
        assert 0.0 <= individual.mix <= 1.0
    labels, first, _ = problem.encoding.nearest(search.best.centers)
    np.testing.assert_array_equal(search.best.labels, labels)
    assert search.best.objective == pytest.approx(first.sum())


def test_parents_by_tournaments_of_two_with_replacement():
    search = search_of("deap")
    values = zip("abcd", [3.0, 1.0, 2.0, 4.0], strict=True)
    search.population = [Member(np.array([name]), objective, 0.5) for name, objective in values]
    drawn = [str(search._parent().genes[0]) for _ in range(3200)]
    # The best wins unless it is drawn in neither place, 1 - 9/16; the worst only against itself.
    shares = {"b": 7 / 16, "c": 5 / 16, "a": 3 / 16, "d": 1 / 16}
    for name, share in shares.items():
        # Within seven standard deviations.
        assert abs(drawn.count(name) / 3200 - share) < 7 * np.sqrt(share * (1 - share) / 3200)


def test_stalled_population_starts_anew():
    search = search_of("deap", max_stall=3)
    emptied, best, stalled = 0, np.inf, 0
    for _ in range(120):
        full, lowest = len(search.population) >= 4, search.objectives.min(initial=np.inf)
        search.step()
        emptied += not search.population
        assert search.best.objective <= best
        best = search.best.objective
        # The third child in succession that is no better than the population empties it.
        if not search.population:
            assert stalled == 2
        stalled = stalled + 1 if full and search.objectives.min(initial=np.inf) == lowest else 0
        assert stalled < 3
    assert emptied >= 2


def test_budget():
    problem = SumOfSquaresProblem(np.arange(20.0)[:, None], 4)
    assert Budget(problem, None, None).max_distances == 2000 * 20 * 4
    large = SumOfSquaresProblem(np.arange(20_000.0)[:, None], 100)
    assert Budget(large, None, None).max_distances == 500_000_000
    larger = SumOfSquaresProblem(np.arange(20_000.0)[:, None], 200)
    assert Budget(larger, None, None).max_distances == 200 * 20_000 * 200
    assert Budget(large, None, 1.0).max_distances is None
    assert Budget(problem, 1000, None, share=4).max_distances == 250
    assert Budget(problem, 3, None, share=4).max_distances == 1
    # Every search may compute the distances of 200 tables, however many searches share the default budget.
    assert Budget(larger, None, None, share=4).max_distances == 200 * 20_000 * 200
    assert Budget(problem, None, 8.0, share=4).max_time == 2.0
    budget = Budget(problem, 100, 1000.0)
    problem.encoding.n_distances = 50
    assert budget.share == 0.5
    budget.seconds = 2000.0
    assert budget.share >= 2.0
