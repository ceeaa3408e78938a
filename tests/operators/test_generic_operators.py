"""Operators that work with any encoding."""

from __future__ import annotations

import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from pymoo.algorithms.moo import nsga2
from pymoo.core.duplicate import DefaultDuplicateElimination
from pymoo.core.individual import Individual
from pymoo.core.population import Population
from pymoo.core.problem import Problem
from pymoo.operators.sampling.rnd import IntegerRandomSampling
from pymoo.operators.selection.tournament import TournamentSelection
from pymoo.operators.survival.rank_and_crowding import RankAndCrowding
from pymoo.util.nds.non_dominated_sorting import NonDominatedSorting

from moo_clustering.encodings import LabelEncoding, MedoidEncoding
from moo_clustering.operators import (
    CanonicalDuplicates,
    ConstraintCrowdingSurvival,
    EncodingRepair,
    EncodingSampling,
    RefillingSampling,
    batched_tournament,
)
from moo_clustering.operators.survival import crowding_distance

SEEDS = st.integers(0, 2**32 - 1)
KINDS = ("comp_by_dom_and_crowding", "comp_by_rank_and_crowding")


class Encoded(Problem):
    def __init__(self, encoding):
        xl, xu = encoding.bounds()
        super().__init__(n_var=encoding.n_var, n_obj=1, xl=xl, xu=xu)
        self.encoding = encoding


PROBLEM = Encoded(LabelEncoding(4, k_max=2))
MEDOIDS = Encoded(MedoidEncoding(np.arange(6.0)[:, None], k_max=3))


# CanonicalDuplicates


def kept(elimination, X, *others) -> list[int]:
    pop = Population.new(X=np.asarray(X))
    return elimination.do(pop, *(Population.new(X=np.asarray(o)) for o in others), return_indices=True)[1]


def test_the_first_of_several_equal_individuals_is_kept():
    assert kept(CanonicalDuplicates(), [[1, 2], [0, 0], [1, 2], [0, 0], [2, 1]]) == [0, 1, 4]


def test_individuals_that_others_have_are_dropped():
    assert kept(CanonicalDuplicates(), [[1, 2], [0, 0], [1, 2], [3, 3]], [[0, 0]], [[3, 3], [9, 9]]) == [0]
    pop = Population.new(X=np.array([[1, 2], [1, 2]]))
    others = Population.new(X=np.array([[0, 0]]))
    assert len(CanonicalDuplicates().do(pop, others, to_itself=False)) == 2


def test_integers_and_floats_are_the_same_genes():
    pop = Population.create(
        *[Individual(X=np.array([1, 2], dtype=t)) for t in (np.int8, np.float64, np.int64)]
    )
    assert len(CanonicalDuplicates().do(pop)) == 1
    assert kept(CanonicalDuplicates(), [[1.0, 2.0], [1.5, 2.0]], [[1, 2]]) == [1]


def test_encodings_and_functions_say_what_is_equal():
    X = [[0, 1, 1, 0], [1, 0, 0, 1], [0, 0, 1, 1]]
    assert kept(CanonicalDuplicates(PROBLEM.encoding), X) == [0, 2]
    assert kept(CanonicalDuplicates(PROBLEM.encoding.canonical), X) == [0, 2]
    assert kept(CanonicalDuplicates(lambda rows: np.sort(rows, axis=1)), X) == [0]
    assert kept(CanonicalDuplicates(), X) == [0, 1, 2]
    assert kept(CanonicalDuplicates(MEDOIDS.encoding), [[0, 3, -1], [3, 0, -1], [0, 3, 1]]) == [0, 2]


@given(seed=SEEDS)
@settings(max_examples=30, deadline=None)
def test_as_many_are_kept_as_with_all_comparisons(seed):
    rng = np.random.default_rng(seed)
    X, other = rng.integers(0, 3, size=(12, 2)), rng.integers(0, 3, size=(3, 2))
    rows = [tuple(row) for row in X]
    taken = {tuple(row) for row in other}
    expected = [i for i, row in enumerate(rows) if row not in rows[:i] and row not in taken]
    assert kept(CanonicalDuplicates(), X, other) == expected


def test_duplicates_of_nothing():
    assert len(CanonicalDuplicates().do(Population())) == 0
    with pytest.raises(TypeError, match="canonical"):
        CanonicalDuplicates(canonical=3)


# EncodingSampling, RefillingSampling, EncodingRepair


def test_sampling_is_that_of_the_encoding():
    X = EncodingSampling()(PROBLEM, 9, random_state=np.random.default_rng(1)).get("X")
    assert_array_equal(X, PROBLEM.encoding.random(9, np.random.default_rng(1)))
    assert X.dtype == np.int32


def test_refilling_gives_as_many_as_asked_for():
    distinct = CanonicalDuplicates(PROBLEM.encoding)  # there are 8 partitions into at most two clusters
    plain = distinct.do(EncodingSampling()(PROBLEM, 8, random_state=np.random.default_rng(0)))
    refilling = RefillingSampling(EncodingSampling(), distinct, max_tries=500)
    refilled = refilling(PROBLEM, 8, random_state=np.random.default_rng(0))
    assert len(plain) < 8 == len(distinct.do(refilled))
    # The first draw comes first, and the seed decides.
    assert_array_equal(refilled.get("X")[: len(plain)], plain.get("X"))
    again = refilling(PROBLEM, 8, random_state=np.random.default_rng(0))
    assert_array_equal(again.get("X"), refilled.get("X"))


def test_refilling_says_when_there_are_not_enough():
    refilling = RefillingSampling(EncodingSampling(), CanonicalDuplicates(PROBLEM.encoding), max_tries=200)
    with pytest.warns(UserWarning, match="found only 8 of 20 distinct individuals in 200"):
        pop = refilling(PROBLEM, 20, random_state=np.random.default_rng(0))
    assert len(CanonicalDuplicates(PROBLEM.encoding).do(pop)) == len(pop) == 8


def test_refilling_works_with_the_operators_of_pymoo():
    problem = Problem(n_var=2, n_obj=1, xl=0, xu=3, vtype=int)
    refilling = RefillingSampling(IntegerRandomSampling(), DefaultDuplicateElimination(), max_tries=100)
    X = refilling(problem, 16, random_state=np.random.default_rng(0)).get("X")
    assert len(np.unique(X, axis=0)) == 16


@pytest.mark.parametrize(
    ("arguments", "error", "match"),
    [
        ((None, CanonicalDuplicates()), TypeError, "sampling"),
        ((EncodingSampling(), True), TypeError, "duplicates"),
        ((EncodingSampling(), CanonicalDuplicates(), 0), ValueError, "max_tries"),
    ],
)
def test_misuse_of_refilling(arguments, error, match):
    with pytest.raises(error, match=match):
        RefillingSampling(*arguments)


def test_repair_is_that_of_the_encoding():
    X = np.array([[4.4, 4.0, -0.6], [7.0, -1.0, 0.0], [2.0, 0.0, 1.0]])
    repaired = EncodingRepair()(MEDOIDS, Population.new(X=X)).get("X")
    assert_array_equal(repaired, [[4, 0, -1], [0, 1, -1], [2, 0, 1]])
    assert repaired.dtype.kind == "i"
    assert EncodingRepair().do(MEDOIDS, Population()).shape == (0,)


def test_problems_without_encoding_are_refused():
    problem = Problem(n_var=2, n_obj=1, xl=0, xu=3)
    with pytest.raises(TypeError, match="encoding of type Encoding, got Problem"):
        EncodingSampling()(problem, 3, random_state=np.random.default_rng(0))
    with pytest.raises(TypeError, match="encoding of type Encoding, got Problem"):
        EncodingRepair()(problem, Population.new(X=np.zeros((2, 2))))


# batched_tournament


def random_population(rng: np.random.Generator, p: int = 12, infeasible: float = 0.3) -> Population:
    # Few distinct values, so that equal ranks, equal crowding and equal objectives all occur.
    pop = Population.new(
        F=rng.integers(0, 4, size=(p, 2)).astype(float),
        rank=rng.integers(0, 3, size=p),
        crowding=rng.choice([0.5, 1.0, np.inf], size=p),
    )
    pop.set("CV", np.where(rng.random(p) < infeasible, rng.integers(1, 3, size=p), 0.0)[:, None])
    return pop


def tied(pop: Population, a: int, b: int, kind: str) -> bool:
    A, B = pop[a], pop[b]
    if A.CV[0] > 0 or B.CV[0] > 0:
        return bool(A.CV[0] == B.CV[0])
    if kind == "comp_by_rank_and_crowding":
        decided = A.get("rank") != B.get("rank")
    else:
        decided = not np.array_equal(A.F, B.F) and ((A.F <= B.F).all() or (B.F <= A.F).all())
    return not decided and A.get("crowding") == B.get("crowding")


@pytest.mark.parametrize("kind", KINDS)
@given(seed=SEEDS)
@settings(max_examples=40, deadline=None)
def test_winners_are_those_of_pymoo(kind, seed):
    rng = np.random.default_rng(seed)
    pop = random_population(rng)
    P = rng.integers(0, len(pop), size=(60, 2))
    algorithm = SimpleNamespace(tournament_type=kind, random_state=np.random.default_rng(0))
    expected = nsga2.binary_tournament(pop, P, algorithm)
    winners = batched_tournament(pop, P, algorithm=algorithm, random_state=np.random.default_rng(seed))
    assert winners.shape == (60, 1)
    coin = np.array([tied(pop, a, b, kind) for a, b in P])
    assert_array_equal(winners[~coin], expected[~coin])
    assert (winners == P).any(axis=1).all()


def test_dominance_decides_unless_the_algorithm_says_rank():
    pop = Population.new(F=np.array([[0.0, 0.0], [1.0, 1.0]]), rank=np.array([1, 0]), crowding=np.zeros(2))
    P = np.array([[0, 1], [1, 0]])
    assert_array_equal(batched_tournament(pop, P, random_state=np.random.default_rng(0)), [[0], [0]])
    ranking = SimpleNamespace(tournament_type=KINDS[1], random_state=np.random.default_rng(0))
    assert_array_equal(batched_tournament(pop, P, ranking), [[1], [1]])


def test_ties_are_broken_evenly_and_by_the_generator():
    pop = Population.new(F=np.zeros((2, 2)), rank=np.zeros(2), crowding=np.full(2, np.inf))
    P = np.tile([0, 1], (4000, 1))
    winners = batched_tournament(pop, P, random_state=np.random.default_rng(0))
    assert_allclose(winners.mean(), 0.5, atol=0.04)
    assert_array_equal(winners, batched_tournament(pop, P, random_state=np.random.default_rng(0)))
    fallback = SimpleNamespace(random_state=np.random.default_rng(0))
    assert_array_equal(winners, batched_tournament(pop, P, algorithm=fallback))


def test_more_than_two_can_compete():
    rng = np.random.default_rng(3)
    pop = Population.new(
        F=rng.permutation(20)[:, None].astype(float), rank=np.zeros(20), crowding=np.zeros(20)
    )
    P = rng.integers(0, 20, size=(50, 4))
    best = P[np.arange(50), pop.get("F")[P][:, :, 0].argmin(axis=1)]
    assert_array_equal(batched_tournament(pop, P, random_state=rng)[:, 0], best)


def test_individuals_without_rank_must_be_infeasible():
    pop = Population.new(F=np.zeros((3, 2)), rank=np.zeros(3), crowding=np.zeros(3))
    pop[2] = Individual(F=np.zeros(2), CV=np.array([1.0]))
    P = np.array([[2, 0], [1, 2]])
    ranking = SimpleNamespace(tournament_type=KINDS[1])
    assert_array_equal(batched_tournament(pop, P, ranking, np.random.default_rng(0)), [[0], [1]])
    pop[2].CV = np.array([0.0])
    with pytest.raises(ValueError, match="crowding"):
        batched_tournament(pop, P, ranking, np.random.default_rng(0))


def test_unknown_tournaments_are_refused():
    with pytest.raises(ValueError, match="tournament_type"):
        batched_tournament(Population(), np.empty((0, 2), int), SimpleNamespace(tournament_type="coin"))


def test_tournament_within_pymoo():
    pop = random_population(np.random.default_rng(0))
    selection = TournamentSelection(func_comp=batched_tournament)
    algorithm = SimpleNamespace(tournament_type=KINDS[0])
    parents = selection(
        None, pop, 7, n_parents=2, to_pop=False, algorithm=algorithm, random_state=np.random.default_rng(0)
    )
    assert parents.shape == (7, 2)


# ConstraintCrowdingSurvival

WORKED = np.array([[1, 5], [2, 3], [3, 2.5], [5, 1], [2, 3]])
FREE = Problem(n_var=1, n_obj=2)


def naive_crowding(F: np.ndarray) -> np.ndarray:
    """Algorithm 1, line by line."""
    n = len(F)
    total = [0.0] * n
    for t in range(F.shape[1]):
        order = sorted(range(n), key=lambda i: (F[i, t], i))
        low, high = F[order[0], t], F[order[-1], t]
        total[order[0]] = total[order[-1]] = np.inf
        for q in range(1, n - 1):
            if high > low:
                total[order[q]] += (F[order[q + 1], t] - F[order[q - 1], t]) / (high - low)
    return np.array(total)


def test_crowding_of_the_worked_example():
    assert_allclose(crowding_distance(WORKED), [np.inf, 0.375, 1.25, np.inf, 0.75])
    assert_allclose(crowding_distance(WORKED, "finite"), [2, 0.375, 1.25, 2, 0.75])


@given(seed=SEEDS)
@settings(max_examples=40, deadline=None)
def test_crowding_equals_the_algorithm(seed):
    rng = np.random.default_rng(seed)
    F = rng.integers(0, 4, size=(int(rng.integers(1, 9)), int(rng.integers(1, 4)))).astype(float)
    crowding = crowding_distance(F)
    assert_allclose(crowding, naive_crowding(F))
    if len(F) <= 2:
        assert np.isinf(crowding).all()


def test_crowding_of_an_objective_that_does_not_vary():
    F = np.array([[0, 7], [1, 7], [3, 7], [4, 7.0]])
    assert_allclose(crowding_distance(F), [np.inf, 0.75, 0.75, np.inf])
    assert_allclose(crowding_distance(F[::-1]), [np.inf, 0.75, 0.75, np.inf])


def population(F: np.ndarray, bonus: np.ndarray | None = None) -> Population:
    pop = Population.new(F=np.asarray(F, dtype=float), X=np.arange(len(F))[:, None])
    if bonus is not None:
        pop.set("constraint_bonus", np.asarray(bonus, dtype=float))
    return pop


def survive(survival, pop, n_survive=None, seed=0, problem=FREE) -> list[int]:
    survivors = survival.do(problem, pop, n_survive=n_survive, random_state=np.random.default_rng(seed))
    return [int(x) for x in survivors.get("X")[:, 0]]


def test_the_bonus_is_added_to_the_sum_over_the_objectives():
    pop = population(WORKED, [0.1, 1.2, 0.0, 0.2, 0.3])
    order = survive(ConstraintCrowdingSurvival(), pop)
    assert_allclose(pop.get("crowding"), [np.inf, 1.575, 1.25, np.inf, 1.05])
    assert_array_equal(pop.get("rank"), np.zeros(5))
    assert sorted(order[:2]) == [0, 3]
    assert order[2:] == [1, 2, 4]
    assert survive(ConstraintCrowdingSurvival(), pop, 3)[2:] == [1]


def test_without_bonus_it_is_the_unsupervised_algorithm():
    pop = population(WORKED)
    assert survive(ConstraintCrowdingSurvival(), pop)[2:] == [2, 4, 1]
    assert_allclose(pop.get("crowding"), [np.inf, 0.375, 1.25, np.inf, 0.75])


def test_at_a_finite_boundary_the_bonus_counts():
    pop = population(WORKED, [0.1, 1.8, 0.0, 0.2, 0.3])
    assert survive(ConstraintCrowdingSurvival("finite"), pop) == [3, 1, 0, 2, 4]
    assert_allclose(pop.get("crowding"), [2.1, 2.175, 1.25, 2.2, 1.05])


def test_rank_comes_before_crowding():
    F = [[0, 3], [3, 0], [1, 4], [4, 1], [5, 5]]
    pop = population(F, [0, 0, 2, 1, 2])
    assert survive(ConstraintCrowdingSurvival("finite"), pop)[2:] == [2, 3, 4]
    assert_array_equal(pop.get("rank"), [0, 0, 1, 1, 2])


def test_equal_crowding_is_broken_by_chance():
    pop = population(np.column_stack([np.zeros(6), np.zeros(6)]))
    chosen = {
        tuple(sorted(survive(ConstraintCrowdingSurvival("finite"), pop, 4, seed))) for seed in range(20)
    }
    assert len(chosen) > 3
    survival = ConstraintCrowdingSurvival()
    assert survive(survival, pop, 4, seed=5) == survive(survival, pop, 4, seed=5)


@given(seed=SEEDS)
@settings(max_examples=30, deadline=None)
def test_survivors_are_the_best_and_know_it(seed):
    rng = np.random.default_rng(seed)
    F, bonus = rng.integers(0, 6, size=(15, 2)), rng.random(15)
    n_survive = int(rng.integers(1, 16))
    pop = population(F, bonus)
    order = survive(ConstraintCrowdingSurvival(), pop, n_survive)
    rank, crowding = np.full(15, -1), np.full(15, np.nan)
    for k, front in enumerate(NonDominatedSorting().do(F.astype(float))):
        rank[front] = k
        crowding[front] = naive_crowding(F[front]) + bonus[front]
    keys = [(rank[i], -crowding[i]) for i in range(15)]
    assert len(order) == n_survive
    assert [keys[i] for i in order] == sorted(keys)[:n_survive]
    assert_array_equal(pop[order].get("rank"), rank[order])
    assert_allclose(pop[order].get("crowding").astype(float), crowding[order])


def test_survivors_without_bonus_are_those_of_pymoo_up_to_ties():
    F = np.random.default_rng(4).random((40, 2))
    pop = population(F)
    mine = survive(ConstraintCrowdingSurvival(), pop, 20)
    theirs = RankAndCrowding().do(FREE, population(F), n_survive=20, random_state=np.random.default_rng(0))
    assert sorted(mine) == sorted(int(x) for x in theirs.get("X")[:, 0])


def test_infeasible_individuals_come_last():
    pop = population([[5, 5], [0, 0], [1, 1]])
    pop.set("G", np.array([[0.0], [2.0], [1.0]]))
    assert survive(
        ConstraintCrowdingSurvival(), pop, 2, problem=Problem(n_var=1, n_obj=2, n_ieq_constr=1)
    ) == [0, 2]


def test_duplicates_can_be_dropped_while_enough_remain():
    F = [[0, 0], [0, 0], [0, 0], [1, 1], [2, 2]]

    def chosen(n_survive: int) -> list[float]:
        pop = Population.new(F=np.array(F, dtype=float), X=np.array([[1, 2], [2, 1], [1, 2], [0, 1], [0, 2]]))
        unique = CanonicalDuplicates(lambda X: np.sort(X, axis=1))
        survival = ConstraintCrowdingSurvival(unique=unique)
        return survival.do(FREE, pop, n_survive=n_survive, random_state=np.random.default_rng(0)).get("F")[
            :, 0
        ]

    assert_array_equal(chosen(3), [0, 1, 2])
    assert_array_equal(chosen(4), [0, 0, 1, 2])
    assert_array_equal(chosen(5), [0, 0, 0, 1, 2])


def test_misuse_of_the_survival():
    with pytest.raises(ValueError, match="boundary"):
        ConstraintCrowdingSurvival("open")
    with pytest.raises(TypeError, match="unique"):
        ConstraintCrowdingSurvival(unique=True)


@pytest.mark.parametrize(
    "operator",
    [
        CanonicalDuplicates(PROBLEM.encoding),
        RefillingSampling(EncodingSampling(), CanonicalDuplicates()),
        EncodingRepair(),
        ConstraintCrowdingSurvival(),
        TournamentSelection(func_comp=batched_tournament),
    ],
)
def test_operators_can_be_pickled(operator):
    assert type(pickle.loads(pickle.dumps(operator))) is type(operator)


def test_everybody_survives_where_no_number_is_given():
    pop = population(WORKED)
    survivors = ConstraintCrowdingSurvival()._do(FREE, pop, random_state=np.random.default_rng(0))
    assert sorted(survivors.get("X")[:, 0]) == [0, 1, 2, 3, 4]
    assert_allclose(pop.get("crowding"), [np.inf, 0.375, 1.25, np.inf, 0.75])
