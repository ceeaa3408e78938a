"""The dynamic objective stays true to the population, and the survival rules do what they say."""

from fractions import Fraction

import numpy as np
import pytest
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.population import Population
from pymoo.operators.survival.rank_and_crowding import RankAndCrowding
from pymoo.optimize import minimize
from pymoo.util.nds.non_dominated_sorting import NonDominatedSorting

from moo_clustering.graphs import neighbor_lists
from moo_clustering.operators import (
    DynamicDiversitySurvival,
    NeighborResample,
    NeighborSampling,
    UniformNeighborCrossover,
)
from moo_clustering.problems import NeighborGraphProblem

RULES = ["slots", "last_front", "none"]


def naive_f2(choices, reference):
    n, m = len(choices[0]), len(reference)
    return [
        1 - Fraction(sum(x != y for other in reference for x, y in zip(row, other, strict=True)), n * m)
        for row in choices
    ]


def make_problem(n=40, width=None, seed=0, **kwargs):
    X = np.random.default_rng(seed).normal(size=(n, 3))
    lists = neighbor_lists(X, width or n - 1, rng=np.random.default_rng(0))
    return NeighborGraphProblem(lists, **kwargs)


def run(survival, problem, n_gen=6, pop_size=20, seed=1):
    algorithm = NSGA2(
        pop_size=pop_size,
        sampling=NeighborSampling(),
        crossover=UniformNeighborCrossover(),
        mutation=NeighborResample(0.1),
        survival=survival,
        eliminate_duplicates=False,
    )
    return minimize(problem, algorithm, ("n_gen", n_gen), seed=seed)


def test_worked_example_of_a_moving_reference_set():
    parents, offspring = [[1, 0, 1, 2], [1, 2, 1, 2]], [[1, 0, 1, 2], [2, 0, 1, 1]]
    assert naive_f2(parents, parents) == [Fraction(7, 8)] * 2
    assert naive_f2(offspring, offspring) == [Fraction(3, 4)] * 2
    merged = parents + offspring
    expected = [Fraction(13, 16), Fraction(11, 16), Fraction(13, 16), Fraction(9, 16)]
    assert naive_f2(merged, merged) == expected
    lists = neighbor_lists(
        np.array([[0.0], [1.0], [3.0], [7.0]]), 3, ties="index", rng=np.random.default_rng(0)
    )
    problem = NeighborGraphProblem(lists, gene="index", n_neighbors=2)
    ranks = problem.ranks(np.array(merged))
    np.testing.assert_allclose(
        problem.one_minus_diversity(ranks, problem.count(ranks), 4), [float(f) for f in expected], rtol=1e-15
    )
    # Nothing has to go: the values among the survivors are those of the merged set.
    F = np.column_stack([problem.mean_distance(ranks), np.full(4, np.nan)])
    chosen, F = DynamicDiversitySurvival().select(problem, ranks, F, 4)
    assert sorted(chosen) == [0, 1, 2, 3]
    np.testing.assert_allclose(F[np.argsort(chosen), 1], [float(f) for f in expected], rtol=1e-15)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("diversity", ["batch", "deferred"])
def test_every_value_refers_to_the_final_population(rule, diversity):
    problem = make_problem(diversity=diversity)
    result = run(DynamicDiversitySurvival(rule), problem)
    pop = result.algorithm.pop
    X, F, rank = pop.get("X", "F", "rank")
    np.testing.assert_allclose(F[:, 1], [float(f) for f in naive_f2(X.tolist(), X.tolist())], rtol=1e-13)
    np.testing.assert_allclose(F[:, 0], problem.evaluate(X)[:, 0], rtol=0)
    _, expected_rank = NonDominatedSorting().do(F, return_rank=True)
    np.testing.assert_array_equal(rank, expected_rank)
    assert len(result.F) == (expected_rank == 0).sum()
    assert np.isfinite(F).all()


def test_the_consistency_check_would_notice_a_stale_objective():
    result = run(RankAndCrowding(), make_problem(diversity="batch"))
    X, F = result.algorithm.pop.get("X", "F")
    stale = np.abs(F[:, 1] - [float(f) for f in naive_f2(X.tolist(), X.tolist())])
    assert stale.max() > 1e-3


def population(problem, ranks):
    pop = Population.new("X", ranks)
    pop.set("F", problem.evaluate(ranks))
    return pop


def test_slots_follow_front_order_then_difference():
    problem = make_problem(n=30)
    rng = np.random.default_rng(3)
    ranks = rng.integers(0, 29, size=(24, 30)).astype(np.uint8)
    n_survive, n_div = 12, 4
    F = problem.evaluate(ranks)
    chosen, _ = DynamicDiversitySurvival("slots", n_div).select(problem, ranks, F, n_survive)
    plain, _ = DynamicDiversitySurvival("none").select(problem, ranks, F, n_survive)
    np.testing.assert_array_equal(chosen[:8], plain[:8])
    rank = NonDominatedSorting().do(F, return_rank=True)[1]
    selected = list(chosen[:8])
    for pick in chosen[8:]:
        left = [i for i in range(24) if i not in selected]
        front = [i for i in left if rank[i] == min(rank[left])]
        difference = {i: sum((ranks[i] != ranks[j]).sum() for j in selected) for i in front}
        assert pick in front
        assert difference[pick] == max(difference.values())
        selected.append(pick)


@pytest.mark.parametrize("n_div", [0, 12, 99])
def test_extreme_numbers_of_slots(n_div):
    problem = make_problem(n=30)
    ranks = np.random.default_rng(4).integers(0, 29, size=(24, 30)).astype(np.uint8)
    F = problem.evaluate(ranks)
    # Half of them survive, or all but one.
    for n_survive in (12, 23):
        chosen, _ = DynamicDiversitySurvival("slots", n_div).select(problem, ranks, F, n_survive)
        assert len(set(chosen.tolist())) == n_survive


def test_last_front_keeps_its_nearest_member():
    problem = make_problem(n=30)
    ranks = np.random.default_rng(5).integers(0, 29, size=(24, 30)).astype(np.uint8)
    F = problem.evaluate(ranks)
    fronts = NonDominatedSorting().do(F)
    size = len(fronts[0]) + 1
    chosen, _ = DynamicDiversitySurvival("last_front").select(problem, ranks, F, size)
    last = chosen[-1]
    assert last == fronts[1][np.argmin(F[fronts[1], 0])]


def test_seeded_runs_repeat_and_do_not_touch_global_state():
    np.random.seed(7)  # noqa: NPY002
    expected = np.random.random()  # noqa: NPY002
    np.random.seed(7)  # noqa: NPY002
    first, second = (run(DynamicDiversitySurvival(), make_problem()) for _ in range(2))
    np.testing.assert_array_equal(first.X, second.X)
    assert np.random.random() == expected  # noqa: NPY002
    assert not np.array_equal(first.X, run(DynamicDiversitySurvival(), make_problem(), seed=2).X)


@pytest.mark.parametrize(("kwargs", "message"), [({"diversity": "all"}, "slots"), ({"n_div": -1}, "n_div")])
def test_bad_options(kwargs, message):
    with pytest.raises(ValueError, match=message):
        DynamicDiversitySurvival(**kwargs)
