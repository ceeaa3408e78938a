"""Roulette wheels for minimised objectives."""

from __future__ import annotations

import numpy as np
import pytest
from deap import base

from moo_clustering.encodings import LabelEncoding
from moo_clustering.operators import EliteMemory
from moo_clustering.operators.deap import (
    ArrayIndividual,
    Minimize,
    MinimizeTwo,
    SelElite,
    SelRouletteLegal,
    as_mate,
    as_mutate,
    fgka_fitness,
    roulette_weights,
    sel_constraint_nsga2,
    sel_roulette_min,
    sel_tournament_dcd,
    sel_tournament_rank,
)
from moo_clustering.problems import PartitionProblem

INF = np.inf


class Maximize(base.Fitness):
    weights = (1.0,)


def population(values, genes=None, fitness=Minimize):
    genes = [[i] for i in range(len(values))] if genes is None else genes
    individuals = [ArrayIndividual(row, fitness) for row in genes]
    for individual, value in zip(individuals, values, strict=True):
        individual.fitness.values = (value,) * len(fitness.weights)
    return individuals


def shares(weights):
    return np.asarray(weights) / np.sum(weights)


@pytest.mark.parametrize(
    ("rule", "F", "expected"),
    [
        ("linear", [10, 20, 5], [20, 10, 25]),  # 1.5 * 20 - F
        ("linear", [10, INF, 20], [20, 0, 10]),  # the worst finite one counts
        ("linear", [-1, -3], [0, 1.5]),  # negative weights count as 0
        ("linear", [1e308, 5e307], [1, 2]),  # no overflow
        ("inverse", [1, 2, 4], [4, 2, 1]),
        ("inverse", [1, INF], [1, 0]),
        ("inverse", [0, 3, 0], [1, 0, 1]),
        ("linear", [0, 0, INF], [1, 1, 0]),
        ("linear", [INF, np.nan], [1, 1]),
        ("inverse", [INF, INF], [1, 1]),
    ],
)
def test_weights(rule, F, expected):
    np.testing.assert_allclose(shares(roulette_weights(F, rule)), shares(expected), rtol=1e-12)


def test_bad_weights():
    with pytest.raises(ValueError, match="rule must be one of 'linear', 'inverse', got 'rank'"):
        roulette_weights([1.0], "rank")
    with pytest.raises(ValueError, match="rule='inverse' requires non-negative objectives, got -2"):
        roulette_weights([1.0, -2.0], "inverse")


def test_smaller_objectives_are_drawn_more_often_and_infinite_ones_never():
    individuals = population([10.0, 20.0, 5.0, INF])
    drawn = sel_roulette_min(individuals, 20000, np.random.default_rng(0))
    assert all(any(one is two for two in individuals) for one in drawn[:50])
    counts = np.bincount([int(individual[0]) for individual in drawn], minlength=4)
    np.testing.assert_allclose(counts / 20000, [20 / 55, 10 / 55, 25 / 55, 0], atol=0.015)


def test_the_generator_decides():
    individuals = population([1.0, 2.0, 3.0])
    draw = [
        [int(i[0]) for i in sel_roulette_min(individuals, 9, np.random.default_rng(s))] for s in (1, 1, 2)
    ]
    assert draw[0] == draw[1] != draw[2]


@pytest.mark.parametrize("fitness", [Maximize, MinimizeTwo])
def test_other_fitness_is_refused(fitness):
    with pytest.raises(ValueError, match="one minimised objective"):
        sel_roulette_min(population([1.0], fitness=fitness), 1, np.random.default_rng(0))


def test_equation_8():
    # F_max = 20; legal: 30 - 10, 30 - 20; illegal: 1/2 of the smaller
    np.testing.assert_array_equal(fgka_fitness([10, 20, 5], [2, 2, 1], 2), [20, 10, 5])
    # as printed: the number of clusters, 2 of 3, times the smallest
    np.testing.assert_array_equal(fgka_fitness([10, 20, 5], [3, 3, 2], 3, legality="count"), [20, 10, 20])
    # a larger objective met before
    np.testing.assert_array_equal(fgka_fitness([10, 20, 5], [2, 2, 1], 2, 40.0), [50, 40, 20])
    # none is legal: F_min = 1
    np.testing.assert_array_equal(fgka_fitness([10, 20], [1, 2], 4), [0.25, 0.5])
    # a legal one without finite objective is never selected and not the smallest
    np.testing.assert_array_equal(fgka_fitness([10, INF, 5], [2, 2, 1], 2), [5, 0, 2.5])
    with pytest.raises(ValueError, match="legality must be"):
        fgka_fitness([1], [1], 1, legality="size")


def test_selection_by_equation_8_remembers_the_largest_objective():
    genes = [[0, 1, 0], [1, 0, 0], [1, 1, 1]]
    select = SelRouletteLegal(2, np.random.default_rng(0))
    drawn = select(population([10.0, 20.0, 5.0], genes), 14000)
    counts = [sum(np.array_equal(i, row) for i in drawn) for row in genes]
    np.testing.assert_allclose(np.array(counts) / 14000, [20 / 35, 10 / 35, 5 / 35], atol=0.015)
    assert select.f_max == 20
    drawn = select(population([10.0, 10.0, 5.0], genes), 5000)  # 20, 20, 10 and not 5, 5, 2.5
    assert select.f_max == 20
    select(population([10.0, INF, 5.0], genes), 1)
    assert select.f_max == 20
    twin = SelRouletteLegal(2, np.random.default_rng(1))
    twin.restore_checkpoint_state(*select.checkpoint_state())
    assert twin.f_max == 20


def test_unknown_legality_is_named():
    with pytest.raises(ValueError, match="legality must be one of 'ratio', 'count', got 'size'"):
        SelRouletteLegal(2, np.random.default_rng(0), legality="size")


def test_a_wheel_without_any_weight_is_uniform():
    select = SelRouletteLegal(1, np.random.default_rng(0))
    individuals = population([INF, INF], [[0], [0]])
    assert len({id(i) for i in select(individuals, 50)}) == 2


def test_fitness_classes_are_made_once_and_not_in_the_creator():
    import importlib

    from deap import creator

    module = importlib.import_module("moo_clustering.operators.deap.individuals")
    assert module.Minimize is Minimize
    assert importlib.import_module("moo_clustering.operators.deap").Minimize is Minimize
    assert not [name for name in vars(creator) if name.startswith(("Minimize", "ArrayIndividual"))]
    assert Minimize.weights == (-1.0,)


SELECTIONS = {
    "roulette": lambda individuals, rng: sel_roulette_min(individuals, 2, rng),
    "legal": lambda individuals, rng: SelRouletteLegal(2, rng)(individuals, 2),
    "dcd": lambda individuals, rng: sel_tournament_dcd(individuals, 2, rng),
    "rank": lambda individuals, rng: sel_tournament_rank(individuals, 2, rng),
    "bonus": lambda individuals, rng: sel_constraint_nsga2(individuals, 2, rng),
    "elite": lambda individuals, rng: SelElite(EliteMemory(lambda values, labels: values[:, 0], 1))(
        individuals, 2, rng
    ),
}


@pytest.mark.parametrize("select", SELECTIONS.values(), ids=SELECTIONS)
def test_individuals_that_are_not_evaluated_are_refused(select):
    individuals = population([1.0, 2.0, 3.0])
    for individual in individuals:
        individual.fitness.rank = individual.fitness.crowding_dist = 0
    del individuals[1].fitness.values, individuals[1].fitness.rank, individuals[1].fitness.crowding_dist
    with pytest.raises(
        ValueError, match=r"individual 1 has no fitness \w+: set individual.fitness.values = "
    ):
        select(individuals, np.random.default_rng(0))


def test_plain_arrays_can_be_crossed_and_mutated():
    problem = PartitionProblem(np.arange(6.0)[:, None], LabelEncoding(6, 3), "silhouette")
    parts = problem.operators()
    a, b = as_mate(parts["crossover"], problem, seed=0)(np.zeros(6, int), np.arange(6) % 3)
    (a,) = as_mutate(parts["mutation"], problem, seed=0)(a)
    assert a.shape == b.shape == (6,)
