"""Operators on medoid sets, in pymoo and in DEAP."""

from __future__ import annotations

import copy
import random
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from deap import tools
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from pymoo.core.population import Population
from pymoo.core.problem import Problem

from moo_clustering.algorithms import DeapSearch, drive
from moo_clustering.constraints import PairwiseConstraints
from moo_clustering.encodings import LabelEncoding, MedoidEncoding
from moo_clustering.encodings.medoids import filled, first_distinct, random_absent
from moo_clustering.operators import (
    CanonicalDuplicates,
    ConstraintCrowdingSurvival,
    MedoidReplaceMutation,
    MedoidSampling,
    MedoidSetRepair,
    MedoidSwapMutation,
    PrefixUnionCrossover,
)
from moo_clustering.operators.deap.individuals import MedoidIndividual
from moo_clustering.operators.deap.selection import sel_constraint_nsga2, sel_tournament_rank
from moo_clustering.operators.deap.toolboxes import constraint_nsga2_step, medoid_toolbox
from moo_clustering.operators.medoids import prefix_union
from moo_clustering.problems import MedoidProblem, PartitionProblem

LENGTHS = ["grow", "keep", "two_cut"]


class Scripted:
    """A generator whose integers are given."""

    def __init__(self, *values):
        self.values = list(values)

    def integers(self, low, high, size=None):
        value = np.asarray(self.values.pop(0))
        assert (value >= low).all()
        assert (value < high).all()
        return value


@pytest.fixture
def problem():
    return MedoidProblem(np.random.default_rng(0).normal(size=(40, 3)), k_max=7, metric="euclidean")


def sets_of(n):
    """A problem of sets of n samples, of which the operators ask the encoding."""
    return SimpleNamespace(encoding=MedoidEncoding(np.zeros((n, 1)), k_max=min(n, 6)))


def valid(sets, n_samples, k_min=2):
    for row in np.asarray(sets):
        ids = row[row >= 0]
        assert (row[: len(ids)] >= 0).all()
        assert len(set(ids)) == len(ids) >= k_min
        assert ids.max() < n_samples
    return sets


def genes(row):
    return [int(z) for z in row if z >= 0]


def test_sampling_is_uniform_over_sizes(problem):
    Z = valid(MedoidSampling()._do(problem, 3000, random_state=np.random.default_rng(0)), 40)
    assert_allclose(np.bincount((Z >= 0).sum(axis=1))[2:] / 3000, 1 / 6, atol=0.03)


def test_worked_crossover_and_swap():
    first, second = np.arange(1, 10)[None], np.array([[4, 5, 3, 6, 8, 9, 7, 2, 1]])
    assert prefix_union(first, second, "grow", Scripted([5])).tolist() == [[1, 2, 3, 4, 5, 6, 8, 9, 7]]
    # Positions 1 and 5: the second is drawn as a step of 3 + 1 beyond the first.
    sets = np.array([[2, 4, 5, 7, 8, 9]])
    assert MedoidSwapMutation()._apply(sets_of(10), sets, Scripted([1], [3])).tolist() == [[2, 9, 5, 7, 8, 4]]


@pytest.mark.parametrize(
    ("length", "cuts", "child"),
    [
        ("grow", ([2],), [7, 3, 1, 9, 5]),
        ("grow", ([1],), [7, 1, 3, 9, 5]),
        ("keep", ([1],), [7, 1, 3, 9]),
        ("keep", ([3],), [7, 3, 0, 1]),
        ("two_cut", ([1], [3]), [7, 5]),
        ("two_cut", ([2], [1]), [7, 3, 9, 5]),
    ],
)
def test_crossover_by_length(length, cuts, child):
    first, second = np.array([[7, 3, 0, 2, -1]]), np.array([[1, 3, 9, 5, -1]])
    assert genes(prefix_union(first, second, length, Scripted(*cuts))[0]) == child


def test_keep_falls_back_on_the_rest_of_the_first_parent():
    first, second = np.array([[7, 3, 0, 2]]), np.array([[3, 7, -1, -1]])
    assert genes(prefix_union(first, second, "keep", Scripted([1]))[0]) == [7, 3, 0, 2]


@given(seed=st.integers(0, 2**32 - 1), length=st.sampled_from(LENGTHS))
@settings(max_examples=40, deadline=None)
def test_children_are_made_of_heads_and_tails(seed, length):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 15))
    encoding = MedoidEncoding(np.zeros((n, 1)), k_max=int(rng.integers(2, n + 1)))
    A, B = encoding.random(8, rng), encoding.random(8, rng)
    children = prefix_union(A, B, length, rng)
    for a, b, child in zip(map(genes, A), map(genes, B), map(genes, children), strict=True):
        options = []
        for c in range(1, len(a)):
            rest = [b[d:] for d in range(1, len(b))] if length == "two_cut" else [b]
            for tail in rest:
                candidates = a[:c] + tail + (a[c:] if length == "keep" else [])
                distinct = list(dict.fromkeys(candidates))
                options.append(distinct[: len(a) if length == "keep" else encoding.k_max])
        assert child in options


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("dtype", [np.int64, float])
def test_crossover_leaves_valid_sets(problem, length, dtype):
    rng = np.random.default_rng(1)
    X = np.stack([problem.encoding.random(200, rng), problem.encoding.random(200, rng)]).astype(dtype)
    before = X.copy()
    children = PrefixUnionCrossover(length)._do(problem, X, random_state=rng)
    assert_array_equal(X, before)
    assert children.shape == X.shape
    assert children.dtype == np.int64
    valid(children.reshape(-1, 7), 40)


def test_two_cut_fills_children_of_one_gene(problem):
    X = np.tile([[3, 5, -1, -1, -1, -1, -1]], (2, 300, 1))
    X[1, :, :2] = [9, 3]
    children = PrefixUnionCrossover("two_cut")._do(problem, X, random_state=np.random.default_rng(0))
    valid(children.reshape(-1, 7), 40)
    # 3 of the first meets 3 of the second: the other gene is any sample.
    assert (children[0, :, 0] == 3).all()
    assert len(np.unique(children[0, :, 1])) > 30
    # 9 of the second meets 5 of the first.
    assert (children[1, :, :2] == [9, 5]).all()


@pytest.mark.parametrize(
    ("length", "least", "greatest"), [("grow", 1.5, 2.6), ("keep", -0.2, 0.2), ("two_cut", -0.5, 0)]
)
def test_only_grow_drifts_to_the_greatest_length(length, least, greatest):
    problem = MedoidProblem(np.random.default_rng(0).normal(size=(2000, 2)), k_max=7, form="vector")
    rng = np.random.default_rng(0)
    Z = problem.encoding.random(1000, rng)
    for _ in range(4):
        pairs = np.stack([Z[rng.permutation(1000)], Z[rng.permutation(1000)]])[:, :500]
        Z = PrefixUnionCrossover(length)._do(problem, pairs, random_state=rng).reshape(1000, -1)
    assert least < (Z >= 0).sum(axis=1).mean() - 4.5 < greatest


def test_crossover_probability(problem):
    rng = np.random.default_rng(0)
    parents = Population.new(X=problem.encoding.random(400, rng))
    mates = np.arange(400).reshape(200, 2)
    off = PrefixUnionCrossover()(problem, parents, mates, random_state=rng).get("X")
    same = (off == parents.get("X")[mates.T.ravel()]).all(axis=1).mean()
    assert 0.3 < same < 0.5


def test_swapping_changes_the_order_only(problem):
    rng = np.random.default_rng(0)
    Z = problem.encoding.random(300, rng)
    swapped = MedoidSwapMutation(1.0)._do(problem, Z.astype(float), random_state=rng)
    assert_array_equal(np.sort(swapped, axis=1), np.sort(Z, axis=1))
    assert ((swapped != Z).sum(axis=1) == 2).all()
    assert_array_equal(problem.evaluate(swapped), problem.evaluate(Z))
    assert MedoidSwapMutation()._do(problem, np.array([[4, -1]]), random_state=rng).tolist() == [[4, -1]]


def test_replacing_changes_one_medoid(problem):
    rng = np.random.default_rng(0)
    Z = problem.encoding.random(300, rng)
    mutated = valid(MedoidReplaceMutation(prob=1.0)._do(problem, Z.astype(float), random_state=rng), 40)
    assert ((mutated != Z).sum(axis=1) == 1).all()
    assert_array_equal((mutated >= 0).sum(axis=1), (Z >= 0).sum(axis=1))


def test_absent_samples_are_drawn_uniformly():
    sets = np.tile([[5, 0, 3, -1]], (6000, 1))
    counts = np.bincount(random_absent(sets, 7, np.random.default_rng(0)), minlength=7)
    assert_array_equal(counts[[0, 3, 5]], 0)
    assert_allclose(counts[[1, 2, 4, 6]] / 6000, 1 / 4, atol=0.02)


def test_full_mutation_replaces_inserts_and_deletes():
    sets = np.array([[0, 1, -1, -1]] * 900 + [[0, 1, 2, -1]] * 900 + [[0, 1, 2, 3]] * 900)
    rng = np.random.default_rng(0)
    mutated = valid(MedoidReplaceMutation("full")._do(sets_of(9), sets, random_state=rng), 9)
    change = ((mutated >= 0).sum(axis=1) - (sets >= 0).sum(axis=1)).reshape(3, 900)
    for row, expected in zip(change, ([0, 2 / 3, 1 / 3], [1 / 3] * 3, [1 / 3, 2 / 3, 0]), strict=True):
        assert_allclose(np.bincount(row + 1, minlength=3) / 900, expected, atol=0.06)
    grown = np.flatnonzero(change.ravel() == 1)
    assert_array_equal(mutated[grown][:, :2], sets[grown][:, :2])
    shrunk = mutated[np.flatnonzero(change[1] < 0) + 900]
    assert {tuple(genes(row)) for row in shrunk} == {(0, 1), (0, 2), (1, 2)}


def test_sets_of_all_samples_cannot_be_replaced():
    sets = np.array([[1, 0]])
    for kind in ("replace", "full"):
        mutated = MedoidReplaceMutation(kind)._do(sets_of(2), np.tile(sets, (20, 1)), random_state=0)
        assert_array_equal(mutated, np.tile(sets, (20, 1)))


def test_repair(problem):
    rng = np.random.default_rng(0)
    X = np.array(
        [
            [4, 4, 9, -1, 9, 40, 2],
            [-1, -1, -1, -1, -1, -1, -1],
            [3.4, 2.6, -0.7, 7.0, 50.0, -9.0, 3.0],
            [1, 2, 3, 4, 5, 6, 7],
        ]
    )
    repaired = valid(MedoidSetRepair()._do(problem, X, random_state=rng), 40)
    assert [genes(row) for row in repaired[[0, 2, 3]]] == [[4, 9, 2], [3, 7], [1, 2, 3, 4, 5, 6, 7]]
    assert len(genes(repaired[1])) == 2
    drawn = filled(np.full((500, 7), -1), 2, 40, rng)
    assert len(np.unique(drawn[:, :2])) == 40
    assert MedoidSetRepair()._do(problem, np.empty((0, 7))).shape == (0, 7)
    with pytest.raises(ValueError, match="NaN"):
        MedoidSetRepair()._do(problem, np.full((1, 7), np.nan))


def test_first_distinct_ids():
    rows = np.array([[3, -1, 3, 1, 2], [-1, 0, 0, -1, 4]])
    assert first_distinct(rows, [2, 5]).tolist() == [[3, 1, -1, -1, -1], [0, 4, -1, -1, -1]]


def test_sorted_sets_are_duplicates(problem):
    pop = Population.new(
        X=np.array([[1, 2, 5, -1, -1, -1, -1], [5, 1, 2, -1, -1, -1, -1], [1, 2] + [-1] * 5]) + 0.0
    )
    assert CanonicalDuplicates(problem.encoding).do(pop).get("X")[:, 2].tolist() == [5, -1]


def test_operators_need_medoid_sets():
    other = PartitionProblem([[0.0], [1.0], [5.0]], LabelEncoding(3, k_max=2), ["deviation"])
    for operate in (
        lambda: MedoidSampling()._do(other, 3),
        lambda: MedoidReplaceMutation()._do(other, np.zeros((1, 3))),
        lambda: PrefixUnionCrossover()._do(other, np.zeros((2, 1, 3))),
        lambda: MedoidSetRepair()._do(other, np.zeros((1, 3))),
    ):
        with pytest.raises(TypeError, match="MedoidEncoding"):
            operate()
    with pytest.raises(ValueError, match="length"):
        PrefixUnionCrossover("shrink")
    with pytest.raises(ValueError, match="kind"):
        MedoidReplaceMutation("swap")
    # Any problem over a medoid encoding will do.
    X = [[0.0], [1.0], [5.0], [7.0]]
    partition = PartitionProblem(X, MedoidEncoding(X, k_max=3), ["deviation"])
    valid(MedoidSampling()._do(partition, 3, random_state=np.random.default_rng(0)), 4)


# DEAP


@pytest.mark.parametrize("length", LENGTHS)
def test_toolbox_crosses_as_pymoo(problem, length):
    X = problem.encoding.random(2, np.random.default_rng(3))[:, None]
    expected = PrefixUnionCrossover(length)._do(problem, X, random_state=np.random.default_rng(1))[:, 0]
    first, second = (MedoidIndividual(row) for row in X[:, 0])
    a, b = medoid_toolbox(problem, length=length).mate(first, second, np.random.default_rng(1))
    assert a is first
    assert b is second
    assert_array_equal([a, b], expected)
    assert not a.fitness.valid
    assert not b.fitness.valid


@pytest.mark.parametrize("mutation", ["replace", "full", "swap"])
def test_toolbox_mutates_as_pymoo(problem, mutation):
    X = problem.encoding.random(1, np.random.default_rng(3))
    operator = MedoidSwapMutation() if mutation == "swap" else MedoidReplaceMutation(mutation)
    expected = operator._do(problem, X, random_state=np.random.default_rng(1))[0]
    individual = MedoidIndividual(X[0])
    (mutant,) = medoid_toolbox(problem, mutation=mutation).mutate(individual, np.random.default_rng(1))
    assert mutant is individual
    assert_array_equal(mutant, expected)
    assert genes(mutant) != genes(X[0])


def with_values(values, bonus=0.0):
    individual = MedoidIndividual([0, 1])
    individual.fitness.values = values
    individual.fitness.bonus = bonus
    return individual


def test_deap_selection_ranks_and_crowds_as_the_survival():
    rng = np.random.default_rng(0)
    F = rng.integers(0, 6, size=(30, 2)).astype(float)
    bonus = rng.random(30)
    individuals = [with_values((a, -b), extra) for (a, b), extra in zip(F, bonus, strict=True)]
    chosen = sel_constraint_nsga2(individuals, 12, np.random.default_rng(1), boundary="finite")
    pop = Population.new(X=np.arange(30)[:, None], F=F, constraint_bonus=bonus)
    survivors = ConstraintCrowdingSurvival("finite").do(Problem(1, 2), pop, n_survive=12, random_state=rng)
    got = sorted((i.fitness.rank, round(i.fitness.crowding_dist, 9)) for i in chosen)
    assert got == sorted((i.get("rank"), round(i.get("crowding"), 9)) for i in survivors)


def test_worked_crowding_with_bonus():
    # Both objectives minimised in the example; the second is maximised here.
    values = [(1, 5), (2, 3), (3, 2.5), (5, 1), (2, 3)]
    individuals = [with_values((a, -b), 0.5) for a, b in values]
    sel_constraint_nsga2(individuals, 5)
    assert_allclose([i.fitness.crowding_dist for i in individuals], [np.inf, 0.875, 1.75, np.inf, 1.25])
    assert [i.fitness.rank for i in individuals] == [0] * 5


def test_rank_tournament():
    rng = np.random.default_rng(0)
    best, lonely, crowded = (with_values((0, 0)) for _ in range(3))
    for individual, rank, distance in ((best, 0, 0.0), (lonely, 1, 2.0), (crowded, 1, 1.0)):
        individual.fitness.rank, individual.fitness.crowding_dist = rank, distance
    winners = sel_tournament_rank([best, lonely, crowded], 900, rng)
    shares = [sum(w is i for w in winners) / 900 for i in (best, lonely, crowded)]
    assert_allclose(shares, [5 / 9, 3 / 9, 1 / 9], atol=0.06)


def supervised(supervision):
    y = np.repeat([0, 1, 2], 12)
    X = np.random.default_rng(0).normal(size=(36, 2)) + 5 * y[:, None]
    constraints = PairwiseConstraints.from_labels(y, 0.3, scheme="docs", random_state=0)
    return MedoidProblem(X, metric="euclidean", constraints=constraints, supervision=supervision)


@pytest.mark.parametrize("supervision", ["none", "objective", "crowding", "assignment"])
@pytest.mark.parametrize("mutation", ["replace", "full", "swap"])
def test_toolbox_runs_in_batches_and_writes_back(supervision, mutation):
    problem = supervised(supervision)
    toolbox = medoid_toolbox(problem, length="two_cut", mutation=mutation)
    state = random.getstate()
    search = DeapSearch(
        toolbox,
        partial(constraint_nsga2_step, pm=0.5),
        rng=np.random.default_rng(0),
        pop_size=14,
        hall_of_fame=tools.ParetoFront(similar=np.array_equal),
    )
    drive(search, n_gen=5)
    assert random.getstate() == state
    population = search.population
    Z = np.stack([np.asarray(individual) for individual in population])
    valid(Z, 36)
    stored = np.array([individual.fitness.values for individual in population])
    if supervision == "assignment":
        labels = problem.decode(np.stack([individual.assigned_by for individual in population]))
    else:
        labels = problem.decode(Z)
    space = problem.space
    e = space.own(Z, labels)
    least, greatest = space.separations(Z)
    k = (Z >= 0).sum(axis=1)
    assert_allclose(stored[:, 0], (e**2).sum(axis=1) / (36 * least**2))
    assert_allclose(stored[:, 1], (space.total_to_one * greatest / (k * e.sum(axis=1))) ** 2)
    if supervision == "objective":
        assert_allclose(stored[:, 2], problem.constraints.violation(labels))
    if supervision == "crowding":
        assert_allclose([i.fitness.bonus for i in population], problem.constraints.bonus(labels))
    assert search.logbook[0]["nevals"] == 14
    assert all(record["nevals"] <= 14 for record in search.logbook)


def test_copies_keep_what_evaluation_stored():
    toolbox = medoid_toolbox(supervised("assignment"))
    population = toolbox.population(n=3, rng=np.random.default_rng(0))
    toolbox.evaluate_population(population)
    assert toolbox.evaluate_population(population) == 0
    twin = copy.deepcopy(population[0])
    assert vars(twin.fitness) == vars(population[0].fitness)
    assert_array_equal(twin.assigned_by, population[0].assigned_by)
    del twin.fitness.values
    twin[0] = 30
    assert population[0].fitness.valid
    assert not copy.deepcopy(twin).fitness.valid


def test_toolbox_refuses_what_deap_cannot_do():
    with pytest.raises(ValueError, match="supervision='constraint'"):
        medoid_toolbox(supervised("constraint"))
    with pytest.raises(ValueError, match="mutation"):
        medoid_toolbox(supervised("none"), mutation="gauss")
